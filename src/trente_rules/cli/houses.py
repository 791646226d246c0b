"""``trente houses`` and the commands on one house: values, differences, rules."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

import attrs
import click

from trente_rules.cli.compare import load_houses
from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import Output, language_option, report_options
from trente_rules.cli.values import HOUSE
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.difference import kind_of
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import flat, house_table, load_house
from trente_rules.core.house.reader import LISTS
from trente_rules.core.machine import FREE, Course, StakeMachine
from trente_rules.core.plugins.manager import (
    ENVIRONMENT,
    PluginManager,
    PluginReport,
    default_manager,
)
from trente_rules.reports.comparison import value_text
from trente_rules.reports.document import Column, Grid, Items, Lines, Part, Report
from trente_rules.reports.rule_words import course_words, refait_words
from trente_rules.reports.rulebook import rulebook
from trente_rules.reports.rulebook_figures import rulebook_figures


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente houses", "name, title, and what a refait does"),
        ("trente houses --format json", "with the whole fingerprints"),
    ),
)
@report_options()
def houses_command(output: Output) -> None:
    """List the houses.

    Those that are shipped, and those that plugins add: the name that commands take, the title, what
    a refait does to a stake, and the start of the fingerprint.
    """
    houses = load_houses(())
    listed = [
        {"name": house.name, "title": house.title, "fingerprint": house.fingerprint}
        for house in houses
    ]
    grid = Grid(
        "",
        ("house", "title", Column("a refait", rank=1), Column("fingerprint", rank=2)),
        (
            (house.name, house.title, refait_words(house), house.fingerprint[:_SHORT])
            for house in houses
        ),
    )
    output.show(Report("Houses", [grid], data=lambda: {"houses": listed}))


_SHORT: Final = 15
"""Characters of a fingerprint that a list shows."""


# --- ``trente show``: a house, whole


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente show campione", "every value, and those that no source gives"),
        ("trente show campione --format toml", "the house as one self-contained file"),
        ("trente show campione --out mine.toml", "the same, written to a file"),
    ),
)
@click.argument("house", type=HOUSE)
@report_options("toml")
def show_command(house: str, output: Output) -> None:
    """Print every value of a house.

    Sources first, then a row for each key: its value, whether it is inferred (no source gives it),
    and whether it is of fairness or of presentation. At the end what happens to a stake in each
    state.
    """
    loaded = load_house(house)
    if output.form == "toml":  # the house itself, not a report on it
        from trente_rules.core.house.loading import dumps_house  # noqa: PLC0415 - only this format
        from trente_rules.core.house.templates import SCHEMA_LINE  # noqa: PLC0415 - the same

        output.write(SCHEMA_LINE + dumps_house(loaded))
        return
    shown = [
        (key, value_text(value), _YES * _is_inferred(loaded, key), kind_of(key))
        for key, value in _shown_values(loaded)
    ]
    inferred = sum(1 for row in shown if row[2])
    parts = (
        Lines([f"{loaded.title} ({loaded.name})", loaded.fingerprint]),
        Items(f"source: {source}" for source in loaded.info.sources),
        f"{inferred} of {len(shown)} values are inferred: no source gives them.",
        Grid("Values", ("key", "value", "inferred", Column("kind", rank=1)), shown),
        _machine_table(loaded.machine),
    )
    output.show(Report(loaded.title, parts, data=lambda: _house_json(loaded)))


_YES: Final = "inferred"


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
                f"{_course_text(machine, answer.state, course)}"
                f"{' (default)' if len(answer.courses) > 1 and course.default else ''}"
                for course in answer.courses
            ),
        )
        for answer in machine.answers
    )
    return Grid("What happens to a stake", ("state", "verdict", "courses"), rows)


def _course_text(machine: StakeMachine, state: str, course: Course) -> str:
    """Return a course by its name, and what it does."""
    words = course_words(machine, state, course)
    if state == FREE and course.returned == 1:
        words = "all back"
    return course.name if words in (course.name, "frees", "loses") else f"{course.name}: {words}"


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


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente fingerprint france-2007", "the fingerprint, alone on its line"),
        ("trente fingerprint my.toml --format json", "with the name of the house"),
    ),
)
@click.argument("house", type=HOUSE)
@report_options()
def fingerprint_command(house: str, output: Output) -> None:
    """Print the fingerprint of a house's rules.

    It is the SHA-256 of the rules; titles and phrases do not count.
    """
    loaded = load_house(house)
    data = {"house": loaded.name, "fingerprint": loaded.fingerprint}
    title = f"Fingerprint of {loaded.name}"
    output.show(Report(title, [Lines([loaded.fingerprint])], data=lambda: data))


# --- ``trente rules``: the rules of a house in plain language


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente rules france-2007", "the rules, in English"),
        ("trente rules campione --language it", "the same in Italian"),
    ),
)
@click.argument("house", type=HOUSE)
@language_option("The language.")
@report_options()
def rules_command(house: str, language: str, output: Output) -> None:
    """Print the rules of a house in plain language.

    Sentences are generated from the values the engine runs on, with the exact odds.
    """
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
    cls=HelpedCommand,
    finds=True,
    examples=(
        ("trente plugins", "plugins that are not built in, and faults"),
        ("trente plugins --all", "the built-in rules, languages and houses too"),
    ),
    status={0: "all plugins work", 1: "one of them fails", 2: "wrong call"},
    epilog=f"The environment variable {ENVIRONMENT} limits the plugins that are loaded: names of "
    "distributions, or of distribution:entry, with commas between them; empty for none.",
)
@click.option("--all", "everything", is_flag=True, help="List what is built in as well.")
@click.option("--strict", is_flag=True, help="Stop at the first plugin that fails.")
@report_options()
def plugins_command(everything: bool, strict: bool, output: Output) -> None:  # noqa: FBT001 - click passes them
    """List plugins and the faults in them.

    Names each plugin that is installed beyond what is built in, what it adds, and what is wrong
    with it. JSON and CSV always list everything.
    """
    # Some plugins fail only as they are loaded first, in this process by the manager of all.
    manager = default_manager()
    if strict:
        PluginManager.from_environment(strict=True)
    reports = [_with_houses(report, manager) for report in manager.reports()]
    shown = [one for one in reports if everything or not one.builtin or one.problem]
    faults = sum(1 for one in reports if one.problem)
    listed = (Lines(_plugin_lines(one)) for one in shown)
    parts: list[Part] = [_plugins_line(shown, faults), *listed]
    flat = Grid(
        "",
        ("name", "brings", "problem"),
        ((one.name, ", ".join(one.brings), one.problem) for one in reports),
    )
    data = {"plugins": [attrs.asdict(one) for one in reports]}
    output.show(Report("Plugins", parts, data=lambda: data, flat=flat))
    if faults:
        sys.exit(1)


def _plugins_line(shown: Sequence[PluginReport], faults: int) -> str:
    """Return the answer in a sentence: how many plugins there are, and how many fail."""
    strangers = sum(1 for one in shown if not one.builtin)
    count = f"{strangers} plugin{'s' * (strangers != 1)}" if strangers else "No plugin"
    wrong = f"{faults} with a fault" if faults else "no faults"
    return f"{count} beyond what is built in; {wrong}. Everything: --all"


def _plugin_lines(one: PluginReport) -> Iterator[str]:
    yield one.name
    if one.problem:
        yield f"  PROBLEM: {one.problem}"
    yield from (f"  {thing}" for thing in one.brings)
