"""``trente monitor``: the results and the cards of tables against the odds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from math import erfc, sqrt
from typing import Any

import click
from attrs import evolve, frozen

from trente_rules._version import __version__
from trente_rules.cli.helped import HelpedCommand, RetiredOption
from trente_rules.cli.output import Output, key_option, report_options
from trente_rules.cli.records import unreadable, warn
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import loads_house
from trente_rules.core.stakes import Opening
from trente_rules.fair.card_seal import CardSeal
from trente_rules.records.replay import house_of
from trente_rules.records.tailles import is_journal, load_tailles, open_journal
from trente_rules.reports.document import Grid, Report
from trente_rules.reports.monitor import FALSE_ALARMS, Monitored, check_rate, monitor
from trente_rules.reports.monitor_layout import UNITS, WatchedFiles, monitor_parts, monitor_units
from trente_rules.reports.settlements import (
    Coups,
    Once,
    WatchedCoup,
    coups_of_journal,
    coups_of_records,
    of_table,
)
from trente_rules.table.journal_chain import Head


@click.command(
    cls=HelpedCommand,
    finds=True,
    examples=(
        ("trente monitor taille.toml", "the results of one taille"),
        ("trente monitor *.journal --false-alarms 0.05", "alarm at one honest table in twenty"),
    ),
    status={0: "no alarm", 1: "alarm", 2: "a file cannot be read"},
)
@click.argument("files", nargs=-1, required=True, metavar="JOURNAL|RECORD...")
@click.option(
    "--false-alarms",
    "rate",
    type=float,
    default=FALSE_ALARMS,
    show_default=True,
    metavar="RATE",
    help="How often an honest table may raise an alarm.",
)
@click.option(
    "--alarm",
    cls=RetiredOption,
    type=click.FloatRange(0, min_open=True),
    since="0.8.0",
    until="1.0.0",
    instead="--false-alarms",
)
@key_option("Accepted for scripts; sealed journals are watched without their key.")
@report_options()
def monitor_command(
    *,
    files: tuple[str, ...],
    rate: float,
    alarm: float | None,
    output: Output,
    seal: CardSeal | None,
) -> None:
    """Check a table's results and cards against the odds.

    Says whether results and cards are those of an honest table; then for each wager at each amount
    turnover, net, what the exact edge expects, and how probable such a result is; then the same for
    points, refaits and colours. Files of one house and one opening are watched together, and a
    taille counts once. Journals are opened read-only, so tables may keep running.
    """
    rate = rate if alarm is None else _rate_of(alarm)
    groups: dict[tuple[str, Opening], _Group] = {}
    once = Once()
    try:
        check_rate(rate)
        for file in files:
            for read in _read(file, seal, once):
                key = read.watched.house.fingerprint, read.opening
                groups[key] = groups[key].joined(read) if key in groups else read
        found = [each.judged(rate, once) for each in groups.values()]
    except TrenteError as error:
        unreadable(error)
    parts = (part for each, seen in found for part in monitor_parts(each, seen))
    tables = [_json(each, seen) for each, seen in found]
    data = {"engine": __version__, "tables": tables}
    flat = Grid("", UNITS, (row for each, seen in found for row in monitor_units(each.files, seen)))
    output.show(Report("Tables watched", parts, data=lambda: data, flat=flat))
    sys.exit(1 if any(seen.alarm for _each, seen in found) else 0)


def _rate_of(alarm: float) -> float:
    """Return the rate that a z-score of earlier releases meant, and print it."""
    rate = min(max(erfc(alarm / sqrt(2)), 1e-12), 0.999)
    click.echo(
        f"warning: --alarm {alarm:g} is read as --false-alarms {rate:.2g}: alarms are no longer "
        "raised by a z-score",
        err=True,
    )
    return rate


def _json(watched: WatchedFiles, seen: Monitored) -> dict[str, Any]:
    repeated = [
        {
            "table": each.table,
            "taille": each.shoe,
            "coups": each.coups,
            "file": each.file,
            "counted_in": each.first,
        }
        for each in watched.repeated
    ]
    return {
        "files": list(watched.files),
        "heads": dict(watched.heads),
        "repeated": repeated,
        **seen.to_json(),
    }


@frozen
class _Group:
    """The coups of files of one house and opening."""

    watched: WatchedFiles
    opening: Opening
    coups: Coups

    def joined(self, other: _Group) -> _Group:
        """Return both together."""
        mine, more = self.watched, other.watched
        files = tuple(dict.fromkeys((*mine.files, *more.files)))
        watched = evolve(mine, files=files, heads=(*mine.heads, *more.heads))
        return _Group(watched, self.opening, chain(self.coups, other.coups))

    def judged(self, rate: float, once: Once) -> tuple[WatchedFiles, Monitored]:
        """Return the figures, and what was left out of the files because others have it."""
        house = self.watched.house
        seen = monitor(house, self.coups, false_alarms=rate, opening=self.opening)
        left_out = tuple(each for each in once.repeated if each.file in self.watched.files)
        return evolve(self.watched, repeated=left_out), seen


def _read(file: str, seal: CardSeal | None, once: Once) -> list[_Group]:
    if is_journal(file):
        with open_journal(file, seal) as journal:
            meta = journal.meta
            house = loads_house(meta["house_toml"], origin="<journal>")
            head = journal.head
            watched = WatchedFiles((file,), house, ((file, str(head)),))
            coups = _coups_of(file, meta["table"], head, once)
            return [_Group(watched, journal.opening, coups)]
    tailles = load_tailles(file)
    warn(iter(tailles.dealt()))
    found = []
    for record in tailles.dealt():
        rules: House = house_of(record, folder=tailles.folder)
        name = record.table.name
        coups = of_table(once.coups(coups_of_records((record,)), name, file), name)
        found.append(_Group(WatchedFiles((file,), rules), record.opening, coups))
    return found


def _coups_of(file: str, table: str, head: Head | None, once: Once) -> Iterator[WatchedCoup]:
    """Yield the coups of a journal up to a head; it is read meanwhile."""
    with open_journal(file) as journal:
        # Tables may have the same name.
        yield from of_table(once.coups(coups_of_journal(journal, head), table, file), file)
