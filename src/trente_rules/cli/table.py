"""``trente history`` and ``trente monitor``: the coups of a table, and its net result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import erfc, sqrt
from typing import Any, Final

import attrs
import click
from attrs import frozen

from trente_rules._version import __version__
from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import Output, key_option, report_options
from trente_rules.cli.records import unreadable, warn
from trente_rules.cli.values import COUNT
from trente_rules.core.coup import Coup
from trente_rules.core.errors import ConfigurationError, RecordError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import loads_house
from trente_rules.core.money import Money
from trente_rules.core.stakes import VOID, Line, Opening, Stake
from trente_rules.core.text import counted
from trente_rules.fair.card_seal import CardSeal
from trente_rules.records.replay import house_of
from trente_rules.records.tailles import is_journal, load_tailles, open_journal
from trente_rules.reports.comparison import deal_text
from trente_rules.reports.document import (
    Cell,
    Column,
    Grid,
    Lines,
    Marked,
    Part,
    Report,
    whole,
)
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
_LINES: Final = (
    *(("shoe", "d"), ("coup", "d"), "status"),
    *("stake", "player", "chance", ("amount", "d"), ("premium", "d"), "state", "verdict"),
    *("course", "after", ("back", "d"), ("won", "d"), ("lost", "d"), ("premium back", "d")),
    ("residue", "s"),
)
"""The columns of the lines of all coups, for CSV; amounts in units."""


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente history table.journal", "the last ten coups, and what is on the table now"),
        ("trente history table.journal --coups 1 --check", "the last coup; the chain is checked"),
    ),
    status={0: "printed", 2: "JOURNAL cannot be read, or is not as it was written"},
)
@click.argument("journal", type=click.Path())
@click.option("--coups", type=COUNT, default=10, show_default=True, help="How many coups.")
@click.option("--check", is_flag=True, help="First check every row against the hash chain.")
@key_option("The key of a sealed journal, to show the table as it is now.")
@report_options()
def history_command(
    *, journal: str, coups: int, output: Output, check: bool, seal: CardSeal | None
) -> None:
    """Show the last coups of a table.

    The oldest first: cards, verdicts, and what happened to each stake, in the currency of the
    house; stakes on the table are listed at the end. JOURNAL is the file of a journal. It is opened
    read-only, so the table may keep running. The last coup may be in progress.
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

    text = _amounts(meta["house_toml"])
    first = [f"table {meta['table']}, house {meta['house']}"]
    if head:
        words = "checked, " if check else ""
        first.append(f"{head.sequence} commands, {words}head {head}")
    first.append(f"fingerprint {meta['fingerprint']}")
    shown = chain.from_iterable(_coup(coup, text) for coup in last)
    parts = (Lines(first), *shown, *_table_now(now, why, text))
    title = f"The last coups of {meta['table']}"
    output.show(Report(title, parts, data=data, flat=Grid("", _LINES, _flat(last))))


Amounts = Callable[[int], str]
"""A function that writes units as an amount."""


def _amounts(house_toml: str) -> Amounts:
    """Return what writes units in the currency of a house; as units where it cannot be read."""
    try:
        return loads_house(house_toml, origin="<journal>").money.text
    except ConfigurationError:
        return str


def _signed(units: int, text: Amounts) -> str:
    return f"{'+' if units > 0 else '-' if units < 0 else ''}{text(abs(units))}"


def _flat(coups: Iterable[CoupHistory]) -> Iterator[tuple[Cell, ...]]:
    for coup in coups:
        for outcome in coup.outcomes:
            status = f"taken back: {outcome.taken_back}" if outcome.taken_back else coup.status
            yield from ((coup.shoe, coup.coup, status, *_row(line)) for line in outcome.lines)
            yield from ((coup.shoe, coup.coup, "closed", *_row(line)) for line in outcome.closed)


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


def _coup(coup: CoupHistory, text: Amounts) -> Iterator[Part]:
    times = [step.at for step in (coup.steps[0], coup.steps[-1]) if step.at]
    when = f", {' to '.join(dict.fromkeys(times))}" if times else ""
    lines = [f"shoe {coup.shoe}, coup {coup.coup}: {coup.status}{when}"]
    dealt = coup.dealt
    changed = dealt is not None and str(dealt.coup) != _turned(coup)
    if dealt:
        verdicts = ", ".join(f"{name} {verdict.id}" for name, verdict in dealt.verdicts)
        lines.append(f"points {dealt.coup.first.point} and {dealt.coup.second.point}: {verdicts}")
        if changed:
            lines.append(f"corrected to {dealt.coup}")
    lines.extend(map(_decision, coup.decisions))
    yield Lines(lines)
    if dealt and changed:
        yield Grid("the cards as they are", _CARDS[:3], _rows(dealt.coup))
        yield Grid("taken back: as they were read", _CARDS, _read_rows(coup))
    elif coup.cards:
        yield Grid("", _CARDS, _read_rows(coup))
    for outcome in coup.outcomes:
        title = f"void: {outcome.void}" if outcome.void else "settled"
        if outcome.taken_back:
            title += f"; taken back: {outcome.taken_back}"
        net = _signed(outcome.players_net, text), _signed(outcome.bank_net, text)
        title += f" (players {net[0]}, bank {net[1]})"
        if outcome.lines:
            yield _settled_grid(title, outcome.lines, text)
        else:
            yield Lines([title])
        if outcome.closed:
            yield _settled_grid("closed", outcome.closed, text)
    if not any(outcome.lines or outcome.closed for outcome in coup.outcomes):
        yield Lines(["no stake was settled"])


_CARDS: Final = ("row", "cards", ("point", "d"), Column("places", rank=1))


def _settled_grid(title: str, lines: Iterable[Line], text: Amounts) -> Grid:
    """Return a line for each stake: what happened to it, and the player's net result."""
    columns = ("stake", Column("net", "s"), Column("id", rank=2), Column("residue", "s", rank=1))
    residues = any(line.residue + line.premium_residue for line in lines)
    rows = (
        (
            *(line.text(text), _signed(line.player_net, text), line.stake.id),
            str(line.residue + line.premium_residue),
        )
        for line in lines
    )
    # The residue of rounding is in units, and seldom there.
    shown = columns if residues else columns[:3]
    return Grid(title, shown, (row[: len(shown)] for row in rows))


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
    """Yield the cards of both rows of a coup, and its points."""
    for name, row in (("first", coup.first), ("second", coup.second)):
        yield name, " ".join(map(str, row.cards)), row.point


def _read_rows(coup: CoupHistory) -> Iterator[tuple[Cell, ...]]:
    """Yield the cards of each row as they were read: what they count, and their places."""
    for name in ("first", "second"):
        cards = [each for each in coup.cards if each.row == name]
        if cards:
            ends = dict.fromkeys((cards[0].place, cards[-1].place))
            places = " to ".join(str(place) for place in ends)
            yield name, " ".join(str(each.card) for each in cards), cards[-1].total, places


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


def _table_now(state: TableState | None, why: str, text: Amounts) -> Iterator[Part]:
    if state is None:
        yield Lines([f"the table cannot be shown as it is: {why}"])
        return
    bank, rest = _signed(state.bank, text), balance(state)
    yield Lines([f"now: {state.phase.value}, bank {bank}, balance {rest}"])
    if state.stakes:
        columns = ("player", "chance", ("amount", "s"), ("premium", "s"), "state")
        rows = (
            (
                *(stake.owner, stake.chance, text(stake.amount)),
                *(text(premium_of(state.house, stake)), _state(stake), stake.id),
            )
            for stake in state.stakes
        )
        yield Grid("on the table", (*columns, Column("id", rank=1)), rows)
    if state.accounts:
        accounts = ((player, _signed(net, text)) for player, net in state.accounts.items())
        yield Grid("accounts", ("player", ("net", "s")), accounts)


_COLUMNS: Final = (
    *("chance", Column("insured", rank=3), Column("stake", "s"), Column("stakes", "d", rank=2)),
    *(Column("turnover", ".2f", rank=1), ("net", ".2f"), ("expected", ".2f")),
    *(Column("tolerance", ".2f", rank=4), ("z", "+.2f"), "alarm"),
)
_UNITS: Final = (
    *("files", "chance", "insured", ("amount", "d"), ("stakes", "d"), ("turnover", "d")),
    *(("net", "d"), ("expected", ".1f"), ("tolerance", ".1f"), ("z", "+.2f"), "alarm"),
)
"""The columns for programs, amounts in units."""


@click.command(
    cls=HelpedCommand,
    finds=True,
    examples=(
        ("trente monitor taille.toml", "the results of one taille"),
        ("trente monitor table.journal --alarm 4", "a journal; alarm once in 16,000 looks"),
    ),
    status={0: "all within the tolerance", 1: "alarm", 2: "a file cannot be read"},
)
@click.argument("files", nargs=-1, required=True, metavar="JOURNAL|RECORD...")
@click.option(
    "--alarm",
    type=click.FloatRange(0, 100, min_open=True, max_open=True),
    default=ALARM,
    show_default=True,
    help="Raise an alarm beyond this z-score.",
)
@key_option("Accepted for scripts; sealed journals are watched without their key.")
@report_options()
def monitor_command(
    *, files: tuple[str, ...], alarm: float, output: Output, seal: CardSeal | None
) -> None:
    """Check a table's results against the odds.

    Says whether the bank's net result is one that honest cards make likely; then for each wager at
    each amount turnover, net, what the exact edge expects, tolerance and z-score. Files of one
    house and one opening are watched together. Journals are opened read-only, so tables may keep
    running.
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
    flat = Grid("", _UNITS, (row for each, seen in found for row in _monitor_units(each, seen)))
    output.show(Report("Tables watched", parts, data=lambda: data, flat=flat))
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
    yield _answer(seen, money)
    rows = [_monitor_row(level, money) for level in seen.levels]
    if len(rows) != 1:
        rows.append(_monitor_row(seen.total, money))
    yield Grid(
        f"{watched.house.title}: {counted(seen.coups, 'coup')} of {', '.join(watched.files)}",
        _COLUMNS,
        rows,
        f"Amounts in {money.currency}. Expected: the exact edge of a fresh shoe "
        f"({deal_text(seen.deal)}) with the default choices, rounded as the house rounds. "
        f"Alarm beyond {seen.total.alarm_at:g} standard deviations (z).",
    )
    lines = [f"fingerprint {seen.fingerprint}"]
    lines += [f"{file} ends at head {head}" for file, head in watched.heads]
    if seen.pending:
        stakes = "1 stake is" if seen.pending == 1 else f"{seen.pending} stakes are"
        lines.insert(0, f"{stakes} in prison, and not counted")
    yield Lines(lines)


def _answer(seen: Monitored, money: Money) -> str:
    """Return whether there is alarm, and what the z-score means, in a sentence or two."""
    total = seen.total
    if not total.stakes:
        return "No alarm: no stake is settled yet."
    won = "won" if total.net >= 0 else "lost"
    text = (
        f"the bank {won} {money.text(abs(total.net))} of {money.text(total.staked)} staked, where "
        f"{_expected(total.expected, money)} is expected (z {total.z:+.2f})."
    )
    alarms = [level for level in (*seen.levels, total) if level.alarm]
    if not alarms:
        return f"No alarm: {text} {_luck(total.z)}"
    worst = max(alarms, key=lambda level: abs(level.z))
    return (
        f"ALARM on {_level_name(worst, money)} (z {worst.z:+.2f}). {_luck(worst.z)} In all {text}"
    )


def _level_name(level: Level, money: Money) -> str:
    if not level.chance:
        return "all stakes together"
    return f"{level.chance}{', insured' if level.insured else ''}, {money.text(level.amount)}"


def _luck(z: float) -> str:
    """Return how often honest cards alone make a result so far from what is expected."""
    often = erfc(abs(z) / sqrt(2))
    if often > _SELDOM:
        return (
            f"Honest cards make a result so far off in {100 * often:.0f} % of such sets of stakes."
        )
    if often < _NEVER:
        return "Honest cards practically never make a result so far off."
    return f"Honest cards make a result so far off once in {1 / often:,.0f} such sets of stakes."


_SELDOM: Final = 0.05
_NEVER: Final = 1e-9


def _expected(units: float, money: Money) -> str:
    """Return a mean amount, which may be a part of a unit."""
    return f"{units * float(money.unit.value):.2f} {money.currency}"


def _monitor_row(level: Level, money: Money) -> tuple[Cell, ...]:
    unit = money.unit.value
    row: tuple[Cell, ...] = (
        level.chance or "all",
        "yes" if level.insured else "no" if level.chance else "",
        money.text(level.amount) if level.chance else "all",
        *(level.stakes, whole(level.staked * unit), whole(level.net * unit)),
        *(level.expected * float(unit), level.tolerance * float(unit)),
    )
    if level.alarm:
        return (*row, Marked(level.z, "bad"), Marked("ALARM", "bad"))
    return (*row, level.z, "")


def _monitor_units(watched: _Watched, seen: Monitored) -> Iterator[tuple[Cell, ...]]:
    """Yield the lines of a table for programs: amounts in units."""
    for level in (*seen.levels, seen.total):
        yield (
            *(" ".join(watched.files), level.chance or "all", "yes" if level.insured else "no"),
            level.amount or None,
            *(level.stakes, level.staked, level.net, level.expected, level.tolerance, level.z),
            "ALARM" if level.alarm else "",
        )
