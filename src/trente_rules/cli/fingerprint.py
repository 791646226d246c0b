"""``trente fingerprint``: what tells one set of rules from another."""

from __future__ import annotations

import click

from trente_rules.house.toml import load_house


@click.command()
@click.argument("house")
def command(house: str) -> None:
    """Print the fingerprint of a HOUSE: the SHA-256 of its rules in force, words left aside."""
    click.echo(load_house(house).fingerprint)
