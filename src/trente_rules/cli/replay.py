"""``trente replay``: records dealt and settled again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import attrs
import click

from trente_rules.cli.output import Table, print_json, print_table
from trente_rules.cli.record import unreadable, warn
from trente_rules.errors import TrenteError
from trente_rules.house.house import House
from trente_rules.house.toml import load_house
from trente_rules.table.records.opening import load_tailles
from trente_rules.table.records.replaying import Replay, replay

_NUMBERS = frozenset(("coup",))


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--house", "name", help="Replay under another house: a name or a file.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
def command(files: tuple[str, ...], name: str | None, form: str) -> None:
    """Deal and settle records again, and tell where anything differs.

    A FILE is a record, or a journal, whose tailles are all replayed. Exit status: 0 all is equal, 1
    something differs, 2 a file cannot be read (the others are replayed).
    """
    try:
        house = None if name is None else load_house(name)
    except TrenteError as error:
        unreadable(error)
    told: list[dict[str, Any]] = []
    status = 0
    for file in files:
        try:
            found = list(_replays(file, house))
        except TrenteError as error:
            click.echo(str(error), err=True)
            told.append({"file": file, "error": error.code, "message": str(error)})
            status = 2
            continue
        for each in found:
            warn(iter((each.record,)))
            told.append({"file": file, **_json(each)})
            if form == "table":
                _print(file, each)
        if any(not each.equal for each in found):
            status = max(status, 1)
    if form == "json":
        print_json({"replays": told})
    sys.exit(status)


def _replays(file: str, house: House | None) -> Iterator[Replay]:
    tailles = load_tailles(file)
    for record in tailles.dealt():
        yield replay(record, house, folder=tailles.folder)


def _json(found: Replay) -> dict[str, Any]:
    record = found.record
    return {
        "table": record.table.name,
        "shoe": record.shoe.number,
        "house": record.house.name,
        "fingerprint": record.house.fingerprint,
        "coups": len(record.coups),
        "stakes": sum(len(coup.stakes) for coup in record.coups),
        "equal": found.equal,
        "differences": [attrs.asdict(each) for each in found.differences],
        "notes": list(found.notes),
    }


def _print(file: str, found: Replay) -> None:
    told = _json(found)
    count = len(found.differences)
    answer = "equal" if found.equal else f"{count} difference{'s' if count > 1 else ''}"
    played = f"{told['coups']} coups, {told['stakes']} stakes"
    click.echo(f"{file}: shoe {told['shoe']}, {played}: {answer}")
    for note in found.notes:
        click.echo(f"  {note}")
    if found.differences:
        rows = tuple(
            ("" if each.coup is None else str(each.coup), *attrs.astuple(each)[1:])
            for each in found.differences
        )
        columns = ("coup", "stake", "field", "recorded", "computed")
        print_table(Table("", columns, rows, _NUMBERS))
