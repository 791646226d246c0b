"""``trente history`` and ``trente monitor``: the coups of a table, and its net result."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

import attrs
import click
from attrs import frozen

from trente_rules._version import __version__
from trente_rules.cli.output import Output, key_option, report_options
from trente_rules.cli.records import unreadable, warn
from trente_rules.cli.values import COUNT
from trente_rules.core.coup import Coup
from trente_rules.core.errors import ConfigurationError, RecordError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import loads_house
from trente_rules.core.stakes import VOID, Line, Opening, Stake
from trente_rules.fair.card_seal import CardSeal
from trente_rules.records.replay import house_of
from trente_rules.records.tailles import is_journal, load_tailles, open_journal
from trente_rules.reports.document import Cell, Grid, Lines, Part, Report
from trente_rules.reports.monitor import (
    ALARM,
    Level,
    Monitored,
    Settled,
    coups_of_journal,
    coups_of_records,
    monitor,
    of_table,
)
from trente_rules.table.coups import about, decision_reason
from trente_rules.table.events import CardsRetracted
from trente_rules.table.history import CoupHistory, HistoryStep, coup_to_json, history
from trente_rules.table.journal import recover
from trente_rules.table.journal_chain import Head
from trente_rules.table.journal_sql import SqlJournal
from trente_rules.table.seen import seen_state
from trente_rules.table.state import TableState, balance, premium_of

_UNSEEN: Final = ("other-events", "in-earlier-journal")
"""Why the table cannot be shown as it is, although its journal can be read."""
_STAKES: Final = (
    *("stake", "player", "chance", ("amount", "d"), ("premium", "d"), "state", "verdict"),
    *("course", "after", ("back", "d"), ("won", "d"), ("lost", "d"), ("premium back", "d")),
    ("residue", "s"),
)


@click.command()
@click.argument("journal", type=click.Path())
@click.option("--coups", type=COUNT, default=10, show_default=True, help="How many.")
@click.option("--check", is_flag=True, help="First check every row against the hash chain.")
@key_option("The key of a sealed journal: for the table as it is now.")
@report_options()
def history_command(
    *, journal: str, coups: int, output: Output, check: bool, seal: CardSeal | None
) -> None:
    """Last coups of a table, the oldest first: cards, verdicts, the settlement of each stake.

    JOURNAL is the file of a journal. It is only read: the table may run meanwhile. The last coup
    may still be open; the stakes on the table now are printed at the end. Amounts are in units of
    the house. Exit status: 0 printed, 2 JOURNAL cannot be read, or is not as it was written.
    """
    try:
        with open_journal(journal, seal) as opened:
            head = opened.check() if check else opened.head
            last = history(opened.last_coups(coups), bets=output.form != "text")
            meta = opened.meta
            now, why = _now(opened, seal)
    except RecordError as error:
        unreadable(error)

    def data() -> dict[str, Any]:
        return {
            "schema": int(meta["schema"]),
            "engine": meta["engine"],
            "read_by": __version__,
            **{name: meta[name] for name in ("house", "fingerprint", "table")},
            "checked": check,
            "commands": head.sequence if head else 0,
            "head": head.hash.hex() if head else None,
            "coups": [coup_to_json(coup, now.house.words if now else None) for coup in last],
            "now": None if now is None else _state_json(now),
            "why": why or None,
        }

    first = [f"table {meta['table']}, house {meta['house']} ({meta['fingerprint']})"]
    if head:
        words = "checked, " if check else ""
        first.append(f"{head.sequence} commands, {words}head {head}")
    parts = (Lines(first), *chain.from_iterable(map(_coup, last)), *_table_now(now, why))
    output.show(Report(f"The last coups of {meta['table']}", parts, data=data))


def _now(journal: SqlJournal, seal: CardSeal | None) -> tuple[TableState | None, str]:
    """Return the state of the table, or the reason why it cannot be recovered."""
    try:
        keyless = seal is None and journal.sealed
        return (seen_state(journal) if keyless else recover(journal).state), ""
    except (RecordError, ConfigurationError) as error:
        if isinstance(error, RecordError) and error.code not in _UNSEEN:
            raise
        return None, str(error)


def _state_json(state: TableState) -> dict[str, Any]:
    return {
        "phase": state.phase.value,
        "shoe": state.shoe_number,
        "coup": state.coup_number,
        "stakes": [
            {
                "id": stake.id,
                "player": stake.owner,
                "chance": stake.chance,
                "amount": stake.amount,
                "state": stake.state,
                "share": str(stake.share),
                "standing": stake.standing,
                "premium": premium_of(state.house, stake),
            }
            for stake in state.stakes
        ],
        "accounts": dict(state.accounts),
        "bank": state.bank,
        "balance": balance(state),
    }


def _coup(coup: CoupHistory) -> Iterator[Part]:
    times = [step.at for step in (coup.steps[0], coup.steps[-1]) if step.at]
    when = f", {' to '.join(dict.fromkeys(times))}" if times else ""
    lines = [f"shoe {coup.shoe}, coup {coup.coup}: {coup.status}{when}"]
    dealt = coup.dealt
    if dealt:
        verdicts = ", ".join(f"{name} {verdict.id}" for name, verdict in dealt.verdicts)
        lines.append(f"points {dealt.coup.first.point} and {dealt.coup.second.point}: {verdicts}")
        if str(dealt.coup) != _turned(coup):
            lines.append(f"corrected to {dealt.coup}")
    lines.extend(map(_decision, coup.decisions))
    yield Lines(lines)
    columns = ("row", "card", ("total", "d"), ("place", "d"))
    read = [(each.row, str(each.card), each.total, each.place) for each in coup.cards]
    if dealt and str(dealt.coup) != _turned(coup):
        yield Grid("the cards as they are", columns[:3], _rows(dealt.coup))
        yield Grid("taken back: as they were read", columns, read)
    elif read:
        yield Grid("", columns, read)
    for outcome in coup.outcomes:
        title = f"void: {outcome.void}" if outcome.void else "settled"
        if outcome.taken_back:
            title += f"; taken back: {outcome.taken_back}"
        title += f" (players {outcome.players_net:+}, bank {outcome.bank_net:+})"
        if outcome.lines:
            yield Grid(title, _STAKES, map(_row, outcome.lines))
        else:
            yield Lines([title])
        if outcome.closed:
            yield Grid("closed", _STAKES, map(_row, outcome.closed))
    if not any(outcome.lines or outcome.closed for outcome in coup.outcomes):
        yield Lines(["no stake was settled"])


def _decision(step: HistoryStep) -> str:
    """Return what was decided in a step, why, when and by whom."""
    event = step.event
    what, reason = "void", decision_reason(event) or ""
    if isinstance(event, CardsRetracted):
        what = f"cards taken back: {' '.join(map(str, event.cards))}"
        what += ", exposed" * event.exposed
        reason = f", {reason}" if reason else ""
    elif step.correction is not None:
        of = step.correction
        what = f"changed by the correction of shoe {of.shoe}, coup {of.coup}"
        reason = f": {of.reason}"
    else:
        what = "corrected" if about(event) else what
        reason = f": {reason}"
    words = [what + reason]
    words += [step.at, f"by {step.staff}" * bool(step.staff), step.device]
    words += [f"{name}: {text}" for name, text in step.meta]
    return ", ".join(word for word in words if word)


def _rows(coup: Coup) -> Iterator[tuple[Cell, ...]]:
    """Yield the cards of both rows of a coup, each with what its row counts then."""
    for name, row in (("first", coup.first), ("second", coup.second)):
        for number, card in enumerate(row.cards, 1):
            yield name, str(card), sum(each.points for each in row.cards[:number])


def _turned(coup: CoupHistory) -> str:
    rows = (
        " ".join(str(each.card) for each in coup.cards if each.row == name)
        for name in ("first", "second")
    )
    return " / ".join(rows)


def _row(line: Line) -> tuple[Cell, ...]:
    stake, after = line.stake, line.after
    verdict = None if line.course == VOID else line.verdict.id  # a void coup gave none
    return (
        *(*_placed(stake, line.premium), _state(stake), verdict, line.course, _state(after)),
        *(line.returned, line.won, line.forfeited, line.premium_returned),
        str(line.residue + line.premium_residue),
    )


def _placed(stake: Stake, premium: int) -> tuple[Cell, ...]:
    return (stake.id, stake.owner, stake.chance, stake.amount, premium)


def _state(stake: Stake | None) -> str | None:
    if stake is None:
        return None
    return stake.state if stake.share == 1 else f"{stake.state} {stake.share}"


def _table_now(state: TableState | None, why: str) -> Iterator[Part]:
    if state is None:
        yield Lines([f"the table cannot be shown as it is: {why}"])
        return
    yield Lines([f"now: {state.phase.value}, bank {state.bank:+}, balance {balance(state)}"])
    if state.stakes:
        rows = ((*_placed(s, premium_of(state.house, s)), _state(s)) for s in state.stakes)
        yield Grid("on the table", _STAKES[:6], rows)
    if state.accounts:
        yield Grid("accounts", ("player", ("net", "+d")), tuple(state.accounts.items()))


_COLUMNS: Final = (
    *("chance", "insured", ("stake", "s"), ("stakes", "d"), ("turnover", "d"), ("net", "d")),
    *(("expected", ".1f"), ("tolerance", "s"), ("z", "+.2f"), "alarm"),
)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="JOURNAL|RECORD...")
@click.option(
    "--alarm",
    type=click.FloatRange(0, 100, min_open=True, max_open=True),
    default=ALARM,
    show_default=True,
    help="The z-score beyond which there is alarm.",
)
@key_option("The key of sealed journals, which this does not need.")
@report_options()
def monitor_command(
    *, files: tuple[str, ...], alarm: float, output: Output, seal: CardSeal | None
) -> None:
    """Turnover and net next to what the exact advantage expects, with tolerance and z-score.

    Files of one house and one opening are watched together. A journal is only read: the table may
    run meanwhile. Exit status: 0 all within the tolerance, 1 alarm, 2 a file cannot be read.
    """
    groups: dict[tuple[str, Opening], _Watched] = {}
    try:
        for file in files:
            for read in _read(file, seal):
                key = read.house.fingerprint, read.opening
                groups[key] = groups[key].joined(read) if key in groups else read
        found = [
            (each, monitor(each.house, each.coups, alarm_at=alarm, opening=each.opening))
            for each in groups.values()
        ]
    except TrenteError as error:
        unreadable(error)
    parts = (part for each, seen in found for part in _watched_parts(each, seen))
    tables = [
        {"files": list(each.files), "heads": dict(each.heads), **seen.to_json()}
        for each, seen in found
    ]
    data = {"engine": __version__, "tables": tables}
    output.show(Report("Tables watched", parts, data=lambda: data))
    sys.exit(1 if any(seen.alarm for _each, seen in found) else 0)


@frozen
class _Watched:
    """The settlements of files of one house and opening."""

    files: tuple[str, ...]
    house: House
    opening: Opening
    coups: Iterable[Sequence[Settled]]
    heads: tuple[tuple[str, str], ...] = ()
    """Journals, each with the head up to which it is read."""

    def joined(self, other: _Watched) -> _Watched:
        """Return both together."""
        files = tuple(dict.fromkeys((*self.files, *other.files)))
        heads = (*self.heads, *other.heads)
        coups = chain(self.coups, other.coups)
        return attrs.evolve(self, files=files, coups=coups, heads=heads)


def _read(file: str, seal: CardSeal | None) -> list[_Watched]:
    if is_journal(file):
        with open_journal(file, seal) as journal:
            meta = journal.meta
            house = loads_house(meta["house_toml"], origin="<journal>")
            head = journal.head
            heads = ((file, str(head)),)
            return [_Watched((file,), house, journal.opening, _coups_of(file, head), heads)]
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


def _coups_of(file: str, head: Head | None) -> Iterator[Sequence[Settled]]:
    """Yield the settlements of a journal up to a head; it is read meanwhile."""
    with open_journal(file) as journal:
        yield from of_table(coups_of_journal(journal, head), file)  # tables may have the same name


def _watched_parts(watched: _Watched, seen: Monitored) -> Iterator[Part]:
    money = watched.house.money
    rows = [_monitor_row(level, money.text(level.amount)) for level in seen.levels]
    if len(rows) != 1:
        rows.append(_monitor_row(seen.total, "all"))
    title = (
        f"{watched.house.title}, {seen.coups} coups of {', '.join(watched.files)}; alarm beyond "
        f"{seen.total.alarm_at:g} standard deviations"
    )
    yield Grid(title, _COLUMNS, rows)
    lines = [
        (
            f"amounts in units of {money.text(1)}; expected: exact advantage of a fresh shoe "
            f"({seen.deal}) under the default courses, rounded as the house rounds"
        ),
        f"fingerprint {seen.fingerprint}, trente-rules {__version__}",
    ]
    lines += [f"{file} ends at head {head}" for file, head in watched.heads]
    if seen.pending:
        stakes = "1 stake is" if seen.pending == 1 else f"{seen.pending} stakes are"
        lines.insert(0, f"{stakes} in prison, and not counted")
    yield Lines(lines)


def _monitor_row(level: Level, stake: str) -> tuple[Cell, ...]:
    return (
        level.chance or "all",
        "yes" if level.insured else "no" if level.chance else "",
        stake,
        *(level.stakes, level.staked, level.net, level.expected),
        f"± {level.tolerance:.1f}",
        level.z,
        "ALARM" if level.alarm else "",
    )
