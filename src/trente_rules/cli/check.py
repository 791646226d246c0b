"""``trente check``: every fault of house files, each with its place."""

from __future__ import annotations

import sys
from pathlib import Path

import attrs
import click

from trente_rules.cli.output import print_json
from trente_rules.errors import ConfigurationError, Fault
from trente_rules.house.toml import load_house


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def command(files: tuple[str, ...], form: str) -> None:
    """Check house files, and print every fault with its line and column.

    Leaves with 0 if all are clean, 1 if there are faults.
    """
    faults: list[Fault] = []
    for name in files:
        try:
            house = load_house(Path(name))
        except ConfigurationError as error:
            faults.extend(error.faults)
            if form == "text":
                click.echo(str(error))
        else:
            if form == "text":
                click.echo(f"{name}: no fault; {house.name}, {house.fingerprint}")
    if form == "json":
        print_json({"faults": [attrs.asdict(fault) for fault in faults]})
    if faults:
        sys.exit(1)
