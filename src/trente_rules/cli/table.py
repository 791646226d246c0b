"""``trente history``: the last coups of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Final

import click

from trente_rules._version import __version__
from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import Output, key_option, report_options
from trente_rules.cli.records import unreadable
from trente_rules.cli.values import COUNT
from trente_rules.core.coup import Coup
from trente_rules.core.errors import ConfigurationError, RecordError
from trente_rules.core.house.loading import loads_house
from trente_rules.core.stakes import VOID, Line, Stake
from trente_rules.fair.card_seal import CardSeal
from trente_rules.records.tailles import open_journal
from trente_rules.reports.document import (
    Cell,
    Column,
    Grid,
    Lines,
    Part,
    Report,
)
from trente_rules.table.coups import about, decision_reason
from trente_rules.table.events import CardsRetracted
from trente_rules.table.history import CoupHistory, HistoryStep, coup_to_json, history
from trente_rules.table.journal import recover
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
