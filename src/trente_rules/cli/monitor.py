"""``trente monitor``: whether the net of a table is what its rules make likely."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Final

import attrs
import click
from attrs import frozen

from trente_rules import __version__
from trente_rules.cli.output import Table, print_json, print_table
from trente_rules.cli.record import unreadable, warn
from trente_rules.errors import TrenteError
from trente_rules.house.house import House
from trente_rules.house.toml import loads_house
from trente_rules.monitor.settled import Settled, coups_of_events, coups_of_records, of_table
from trente_rules.monitor.watch import ALARM, Level, Monitored, monitor
from trente_rules.stakes import Opening
from trente_rules.table.records.opening import is_journal, load_tailles, open_journal
from trente_rules.table.records.replaying import house_of

_COLUMNS: Final = (
    *("chance", "insured", "stake", "stakes", "turnover", "net", "expected"),
    *("tolerance", "z", "alarm"),
)
_NUMBERS: Final = frozenset(_COLUMNS) - {"chance", "insured", "alarm"}


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="JOURNAL|RECORD...")
@click.option(
    "--alarm",
    type=click.FloatRange(0, 100, min_open=True, max_open=True),
    default=ALARM,
    show_default=True,
    help="The z-score beyond which there is alarm.",
)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
def command(files: tuple[str, ...], alarm: float, form: str) -> None:
    """Turnover and net beside what the exact advantage expects, with tolerance and z-score.

    Files of one house and one opening are watched together. A journal is only read: the table may
    run meanwhile. Exit status: 0 all within the tolerance, 1 alarm, 2 a file cannot be read.
    """
    groups: dict[tuple[str, int | None], _Watched] = {}
    try:
        for file in files:
            for read in _read(file):
                key = read.house.fingerprint, read.opening.minimum
                groups[key] = groups[key].joined(read) if key in groups else read
        found = [
            (each, monitor(each.house, each.coups, alarm_at=alarm, opening=each.opening))
            for each in groups.values()
        ]
    except TrenteError as error:
        unreadable(error)
    if form == "json":
        told = [{"files": list(each.files), **seen.to_json()} for each, seen in found]
        print_json({"engine": __version__, "tables": told})
    else:
        for each, seen in found:
            _print(each, seen)
    sys.exit(1 if any(seen.alarm for _each, seen in found) else 0)


@frozen
class _Watched:
    """The settlements of files of one house and opening."""

    files: tuple[str, ...]
    house: House
    opening: Opening
    coups: tuple[Sequence[Settled], ...]

    def joined(self, other: _Watched) -> _Watched:
        """Answer both together."""
        files = tuple(dict.fromkeys((*self.files, *other.files)))
        return attrs.evolve(self, files=files, coups=(*self.coups, *other.coups))


def _read(file: str) -> list[_Watched]:
    if is_journal(file):
        with open_journal(file) as journal:
            meta = journal.meta
            house = loads_house(meta["house_toml"], origin="<journal>")
            opening = Opening(int(meta["opening"]) if meta["opening"] else None)
            events = (event for entry in journal.entries() for event in entry.events)
            coups = of_table(coups_of_events(events), file)  # tables may have the same name
            return [_Watched((file,), house, opening, tuple(coups))]
    tailles = load_tailles(file)
    warn(iter(tailles.dealt()))
    return [
        _Watched(
            (file,),
            house_of(record, folder=tailles.folder),
            record.opening,
            tuple(of_table(coups_of_records((record,)), record.table.name)),
        )
        for record in tailles.dealt()
    ]


def _print(watched: _Watched, seen: Monitored) -> None:
    money = watched.house.money
    rows = [_row(level, money.text(level.amount)) for level in seen.levels]
    if len(rows) != 1:
        rows.append(_row(seen.total, "all"))
    title = (
        f"{watched.house.title}, {seen.coups} coups of {', '.join(watched.files)}; alarm beyond "
        f"{seen.total.alarm_at:g} standard deviations"
    )
    print_table(Table(title, _COLUMNS, tuple(rows), _NUMBERS))
    if seen.pending:
        stands = "1 stake is" if seen.pending == 1 else f"{seen.pending} stakes are"
        click.echo(f"{stands} in prison, and not counted")
    click.echo(
        f"amounts in units of {money.text(1)}; expected: exact advantage of a fresh shoe "
        f"({seen.deal}) under the default courses, rounded as the house rounds"
    )
    click.echo(f"fingerprint {seen.fingerprint}, trente-rules {__version__}")


def _row(level: Level, stake: str) -> tuple[str, ...]:
    told: dict[str, Any] = level.to_json()
    return (
        level.chance or "all",
        "yes" if level.insured else "no" if level.chance else "",
        stake,
        str(level.stakes),
        str(level.staked),
        str(level.net),
        f"{told['expected']:.1f}",
        f"± {told['tolerance']:.1f}",
        f"{told['z']:+.2f}",
        "ALARM" if level.alarm else "",
    )
