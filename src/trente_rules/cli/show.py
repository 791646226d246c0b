"""``trente show``: a house, whole."""

from __future__ import annotations

from typing import Any

import click

from trente_rules.cli.output import Table, print_json, print_table, value_text
from trente_rules.house.difference import flat, kind_of
from trente_rules.house.house import House
from trente_rules.house.toml import house_table, load_house
from trente_rules.rules.machine import StakeMachine

INFERRED = "inferred"


@click.command()
@click.argument("house")
@click.option("--format", "form", type=click.Choice(["table", "json", "toml"]), default="table")
def command(house: str, form: str) -> None:
    """Show all values of a HOUSE (a name or a file), its sources, and which are inferred."""
    loaded = load_house(house)
    if form == "toml":
        from trente_rules.house.toml import dumps_house  # noqa: PLC0415 - only this format

        click.echo(dumps_house(loaded), nl=False)
        return
    if form == "json":
        print_json(_json(loaded))
        return
    click.echo(f"{loaded.title}\n{loaded.fingerprint}\n")
    for source in loaded.info.sources:
        click.echo(f"source: {source}")
    if loaded.info.sources:
        click.echo()
    rows = tuple(
        (key, value_text(value), kind_of(key), INFERRED if _is_inferred(loaded, key) else "")
        for key, value in flat(house_table(loaded)).items()
        if not key.startswith("house.")
    )
    print_table(Table("Values", ("key", "value", "kind", "source"), rows))
    print_table(_machine_table(loaded.machine))


def _is_inferred(house: House, key: str) -> bool:
    return any(key == path or key.startswith(f"{path}.") for path in house.info.inferred)


def _machine_table(machine: StakeMachine) -> Table:
    rows = tuple(
        (
            answer.state,
            answer.verdict.id,
            " | ".join(
                f"{course}{' (default)' if len(answer.courses) > 1 and course.default else ''}"
                for course in answer.courses
            ),
        )
        for answer in machine.answers
    )
    return Table("What becomes of a stake", ("state", "verdict", "courses"), rows)


def _json(house: House) -> dict[str, Any]:
    return {
        "name": house.name,
        "title": house.title,
        "fingerprint": house.fingerprint,
        "sources": list(house.info.sources),
        "values": [
            {
                "key": key,
                "value": value,
                "kind": kind_of(key),
                "inferred": _is_inferred(house, key),
            }
            for key, value in flat(house_table(house)).items()
            if not key.startswith("house.")
        ],
        "machine": [
            {
                "state": answer.state,
                "verdict": answer.verdict.id,
                "courses": [
                    {
                        "course": course.name,
                        "returned": str(course.returned),
                        "staying": str(course.staying),
                        "state": course.state,
                        "default": course.default,
                        "not_below": course.not_below,
                    }
                    for course in answer.courses
                ],
            }
            for answer in house.machine.answers
        ],
    }
