"""``trente record``: tailles from one form to another."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import date, time
from typing import Any, NoReturn

import click

from trente_rules.cli.output import print_json
from trente_rules.errors import RecordError, TrenteError
from trente_rules.house.house import House
from trente_rules.house.toml import load_house
from trente_rules.table.records.opening import Tailles, load_tailles
from trente_rules.table.records.permanence import Noted, Permanence
from trente_rules.table.records.tables import write_table
from trente_rules.table.records.values import Record
from trente_rules.table.records.writing import dumps_record, write_text


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["toml", "compact", "json"]),
    default="toml",
    show_default=True,
    help="toml: one record. compact: a permanence of all tailles. json: all that is there.",
)
@click.option("--shoe", type=click.IntRange(1), help="Only the taille of this shoe.")
@click.option("--house", "name", help="json: tell the verdicts of a permanence by this house.")
@click.option("--out", metavar="FILE", help="A new file, instead of the standard output.")
def command(
    *, files: tuple[str, ...], form: str, shoe: int | None, name: str | None, out: str | None
) -> None:
    """Read tailles and write them in another form.

    A FILE is a journal, a record (it ends in .toml), or else a permanence. As toml one taille is
    written: of a journal the last, or the one of --shoe; a permanence holds no cards and is
    written as compact or json. Exit status: 0 written, 1 not writable, 2 a file cannot be read.
    """
    if name is not None and form != "json":
        raise click.UsageError("--house does nothing but with --format json")
    try:
        read = [_only(load_tailles(file), shoe) for file in files]
        house = None if name is None else load_house(name)
        text = _text(read, form)
        told = _json(read, house) if form == "json" else None
    except TrenteError as error:
        unreadable(error)
    warn(record for each in read for record in each.records)
    if told is not None:
        if out is None:
            print_json(told)
            return
        import json  # noqa: PLC0415 - only for a file

        text = f"{json.dumps(told, indent=2, ensure_ascii=False)}\n"
    if out is None:
        click.echo(text, nl=False)
    else:
        write_text(text, out)


def unreadable(error: TrenteError) -> NoReturn:
    """Tell why a file cannot be read, and leave with 2."""
    click.echo(str(error), err=True)
    sys.exit(2)


def warn(records: Iterator[Record]) -> None:
    """Tell what was passed over in records, on the standard error."""
    for record in records:
        for warning in record.warnings:
            click.echo(f"warning: {warning}", err=True)


def _only(tailles: Tailles, shoe: int | None) -> Tailles:
    """Answer the taille of one shoe, where one is asked for."""
    if shoe is None:
        return tailles
    found = tuple(record for record in tailles.dealt() if record.shoe.number == shoe)
    if not found:
        numbers = ", ".join(str(record.shoe.number) for record in tailles.records) or "none"
        raise RecordError(
            f"{tailles.name!r} holds no shoe {shoe}",
            "no-such-shoe",
            f"shoes: {numbers}",
            tailles.name,
        )
    return Tailles(tailles.name, found, journal=tailles.journal)


def _text(read: Sequence[Tailles], form: str) -> str:
    if form == "toml":
        records = [each.dealt()[-1:] if each.journal else each.dealt() for each in read]
        whole = [record for some in records for record in some]
        if len(whole) != 1:
            raise RecordError(
                f"{len(whole)} tailles cannot be written as one record",
                "several-tailles",
                "name one file, or write them as compact or json",
            )
        return dumps_record(whole[0])
    if form == "compact":
        noted = [each.permanence or Permanence.of_records(each.records) for each in read]
        houses = {each.house for each in noted}
        same = noted[0].headers if len(houses) == 1 else ()
        return str(Permanence(tuple(t for each in noted for t in each.tailles), same))
    return ""


def _json(read: Sequence[Tailles], house: House | None) -> dict[str, Any]:
    return {
        "records": [_plain(write_table(record)) for each in read for record in each.records],
        "permanences": [
            _permanence(each.permanence, house) for each in read if each.permanence is not None
        ],
    }


def _plain(value: Any) -> Any:
    """Answer a TOML value as JSON holds it: a time in a field of the user is a text."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, date | time) else value


def _permanence(permanence: Permanence, house: House | None) -> dict[str, Any]:
    known = house or (load_house(permanence.house) if permanence.house else None)
    return {
        "house": known.name if known else None,
        "headers": dict(permanence.headers),
        "tailles": [[_noted(noted, known) for noted in taille] for taille in permanence.tailles],
    }


def _noted(noted: Noted, house: House | None) -> dict[str, Any]:
    colours = (noted.colour, noted.second_colour)
    first, second = (None if colour is None else colour.id for colour in colours)
    told: dict[str, Any] = {
        "points": [noted.first, noted.second],
        "colour": first,
        "second_colour": second,
    }
    if house is not None:
        met = {chance.id: noted.verdict(chance) for chance in house.chances}
        told["verdicts"] = {
            chance: None if verdict is None else verdict.id for chance, verdict in met.items()
        }
    return told
