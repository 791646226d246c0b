"""``trente houses`` and the commands on one house: values, differences, rules."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import attrs
import click

from trente_rules.cli.compare import load_houses
from trente_rules.cli.output import Output, language_option, report_options
from trente_rules.cli.values import HOUSE
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.difference import kind_of
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import flat, house_table, load_house
from trente_rules.core.house.reader import LISTS
from trente_rules.core.machine import StakeMachine
from trente_rules.core.plugins.manager import (
    ENVIRONMENT,
    PluginManager,
    PluginReport,
    default_manager,
)
from trente_rules.reports.comparison_layout import value_text
from trente_rules.reports.document import Grid, Lines, Report
from trente_rules.reports.rulebook import rulebook
from trente_rules.reports.rulebook_figures import rulebook_figures


@click.command()
@report_options()
def houses_command(output: Output) -> None:
    """List the houses that are shipped, and those that plugins add."""
    houses = load_houses(())
    listed = [
        {"name": house.name, "title": house.title, "fingerprint": house.fingerprint}
        for house in houses
    ]
    columns = ("house", "title", "fingerprint")
    rows = ((house.name, house.title, house.fingerprint[:15]) for house in houses)
    output.show(Report("Houses", [Grid("", columns, rows)], data=lambda: {"houses": listed}))


# --- ``trente show``: a house, whole

INFERRED = "inferred"


@click.command()
@click.argument("house", type=HOUSE)
@report_options("toml")
def show_command(house: str, output: Output) -> None:
    """Show all values of a HOUSE (a name or a file), its sources, and which are inferred."""
    loaded = load_house(house)
    if output.form == "toml":  # the house itself, not a report on it
        from trente_rules.core.house.loading import dumps_house  # noqa: PLC0415 - only this format

        output.write(dumps_house(loaded))
        return
    values = Grid(
        "Values",
        ("key", "value", "kind", "source"),
        (
            (key, value_text(value), kind_of(key), INFERRED if _is_inferred(loaded, key) else "")
            for key, value in _shown_values(loaded)
        ),
    )
    parts = (
        Lines([loaded.title, loaded.fingerprint]),
        Lines(f"source: {source}" for source in loaded.info.sources),
        values,
        _machine_table(loaded.machine),
    )
    output.show(Report(loaded.title, parts, data=lambda: _house_json(loaded)))


def _shown_values(house: House) -> Iterator[tuple[str, Any]]:
    """Yield each value with its path; a table of a list has a row, under its own id."""
    for key, value in flat(house_table(house)).items():
        if key in LISTS:
            yield from ((f"{key}.{one['id']}", _but_id(one)) for one in value)
        elif not key.startswith("house."):
            yield key, value


def _but_id(table: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != "id"}


def _is_inferred(house: House, key: str) -> bool:
    return any(key == path or key.startswith(f"{path}.") for path in house.info.inferred)


def _machine_table(machine: StakeMachine) -> Grid:
    rows = (
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
    return Grid("What becomes of a stake", ("state", "verdict", "courses"), rows)


def _house_json(house: House) -> dict[str, Any]:
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
                        "not_below": "minimum" if course.offered_from == "minimum" else "none",
                        "offered_from": course.offered_from,
                        "taken": str(course.taken),
                        "pays": str(course.pays),
                        "call": course.call,
                    }
                    for course in house.machine.courses(answer.state, answer.verdict)
                ],
            }
            for answer in house.machine.answers
        ],
    }


# --- ``trente fingerprint``: what identifies a set of rules


@click.command()
@click.argument("house", type=HOUSE)
def fingerprint_command(house: str) -> None:
    """Print the fingerprint of a HOUSE: the SHA-256 of its rules in force, words left aside."""
    click.echo(load_house(house).fingerprint)


# --- ``trente rules``: the rules of a house in words


@click.command()
@click.argument("house", type=HOUSE)
@language_option("The language: its code, as trente plugins lists it.")
@report_options()
def rules_command(house: str, language: str, output: Output) -> None:
    """Print the rules of a HOUSE (a name or a file) in words, with the exact odds."""
    loaded = load_house(house)
    output.show(rulebook(loaded, language, rulebook_figures(loaded)))


# --- ``trente plugins``: what is installed, what it adds, what is wrong with it


def _with_houses(report: PluginReport, manager: PluginManager) -> PluginReport:
    """Return a report with what is wrong with the houses that the plugin brings."""
    faults = [report.problem] if report.problem else []
    for thing in report.brings:
        if thing.startswith("house "):
            try:
                load_house(thing.removeprefix("house "), plugins=manager)
            except TrenteError as error:
                faults.append(str(error))
    return attrs.evolve(report, problem="; ".join(faults))


@click.command(
    epilog=f"The environment variable {ENVIRONMENT} limits the plugins that are loaded: names of "
    "distributions, or of distribution:entry, with commas between them; empty for none."
)
@click.option("--strict", is_flag=True, help="Stop at the first plugin that fails.")
@report_options()
def plugins_command(strict: bool, output: Output) -> None:  # noqa: FBT001 - click passes it
    """List the plugins. Exit status: 0 all work, 1 one of them fails."""
    # Some plugins fail only as they are loaded first, in this process by the manager of all.
    manager = default_manager()
    if strict:
        PluginManager.from_environment(strict=True)
    reports = [_with_houses(report, manager) for report in manager.reports()]
    lines = [
        line
        for report in reports
        for line in (
            report.name,
            *(f"  {thing}" for thing in report.brings),
            *([f"  PROBLEM: {report.problem}"] if report.problem else []),
        )
    ]
    flat = Grid(
        "",
        ("name", "brings", "problem"),
        ((one.name, ", ".join(one.brings), one.problem) for one in reports),
    )
    data = {"plugins": [attrs.asdict(report) for report in reports]}
    output.show(Report("Plugins", [Lines(lines)], data=lambda: data, flat=flat))
    if any(report.problem for report in reports):
        sys.exit(1)
