"""``trente houses``: the houses there are."""

from __future__ import annotations

import click

from trente_rules.cli.compare import load_houses
from trente_rules.cli.output import Table, print_json, print_table


@click.command()
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
def command(form: str) -> None:
    """List the houses there are, shipped and brought by plugins."""
    houses = load_houses(())
    if form == "json":
        listed = [
            {"name": house.name, "title": house.title, "fingerprint": house.fingerprint}
            for house in houses
        ]
        print_json({"houses": listed})
        return
    rows = tuple((house.name, house.title, house.fingerprint[:15]) for house in houses)
    print_table(Table("", ("house", "title", "fingerprint"), rows))
