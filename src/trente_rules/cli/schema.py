"""``trente schema``: what an editor needs to complete a house file."""

from __future__ import annotations

import click

from trente_rules.cli.output import print_json
from trente_rules.house.schema import house_schema
from trente_rules.plugins.manager import default_manager


@click.command()
def command() -> None:
    """Print the JSON Schema (draft-07) of a house file, with the rules of all plugins."""
    print_json(house_schema(default_manager()))
