"""The coups that were dealt, as a viewer may see them: the list, one to replay, the score card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, get_args

from attrs import evolve, field, frozen

from trente_rules.core.cards import Colour
from trente_rules.core.chances import Verdict
from trente_rules.core.errors import TrenteError
from trente_rules.core.stakes import Line
from trente_rules.core.text import printable
from trente_rules.records.scorecard import (
    CROSS,
    DOT,
    EMPTY,
    LETTERS,
    UNKNOWN,
    ScoreCard,
    ScoreLine,
)
from trente_rules.reports.sentences import capital
from trente_rules.service.choices_reading import moves_of
from trente_rules.service.texts import PageWords
from trente_rules.table.coups import CoupFold, SettledCoup, final
from trente_rules.table.entries import Entry, Journal
from trente_rules.table.events import (
    Announced,
    CoupCorrected,
    CoupDealt,
    CoupVoided,
    CutMade,
    MarkerShown,
    ShoeOpened,
)
from trente_rules.table.history import CoupHistory, history
from trente_rules.table.table import Table
from trente_rules.table.views import Viewer, event_view, view
from trente_rules.table.wire import Stamped, stamped

Status = Literal["betting", "closed", "dealing", "dealt", "settled", "void"]
"""How far a coup went."""
Tie = Literal["", "apres", "refait"]
Mark = Literal["win", "", "refait", "unknown"]
_MARKS: Final[Mapping[str, Mark]] = {DOT: "win", EMPTY: "", CROSS: "refait", UNKNOWN: "unknown"}
_TIES: Final[Mapping[str, Tie]] = {"": "", "apres": "apres", "refait": "refait"}
_LEAST_IN_A_SHOE: Final = 20


@frozen
class RowReading:
    """One row of a coup: its colour, its cards in order, its point, None where not complete."""

    colour: Literal["noir", "rouge"]
    cards: tuple[str, ...]
    point: int | None


@frozen
class LineReading:
    """The result of one stake of the viewer in a coup; amounts in units.

    ``state`` is that of the stake before, ``after`` the one it stays in, empty where it left.
    ``text`` says all that in one line. ``net`` counts a stake that stays as the player's.
    """

    stake: str
    player: str
    chance: str
    amount: int
    state: str
    insured: bool
    verdict: str
    course: str
    returned: int
    won: int
    lost: int
    staying: int
    premium: int
    after: str
    net: int
    text: str


@frozen
class CoupReading:
    """One coup: its rows, verdicts, what it is called, and the viewer's own lines.

    ``status`` is how far it went. ``winners`` are the simple chances that won, ``tie`` says which
    kind of tie it was. ``outcome`` is the result in words. ``net`` is the viewer's, None before the
    coup is settled and where it is void. ``void`` and ``reason`` (of a correction) are in words, as
    far as the viewer may see them. ``corrected`` counts corrections.
    """

    shoe: int
    coup: int
    status: Status
    first: RowReading
    second: RowReading
    verdicts: dict[str, str]
    winners: tuple[str, ...]
    tie: Tie
    outcome: str
    lines: tuple[LineReading, ...]
    net: int | None
    void: str
    corrected: int
    reason: str
    last: bool


@frozen
class ReplayReading:
    """One coup with its events, as the viewer saw them, from the opening of its bets.

    ``said`` gives the index of each announcement with its text in the language of the house and in
    the one asked for, as in the message of an entry.
    """

    coup: CoupReading
    events: tuple[Stamped, ...]
    said: dict[str, tuple[str, str]] = field(factory=dict)


@frozen
class CardRow:
    """One line of the score card: a mark for each column, ``points`` in the order of the deal."""

    coup: int
    marks: tuple[Mark, ...]
    tie: Tie
    points: tuple[int, ...]


@frozen
class CardReading:
    """The score card of the taille, as players keep it.

    ``columns`` are the chances of the columns, in pairs, ``letters`` the heads over them.
    """

    shoe: int
    columns: tuple[str, ...]
    letters: tuple[str, ...]
    rows: tuple[CardRow, ...]


# The entries of the past

Entries = Sequence[Entry]
"""Entries of a table, the oldest first."""


def entries_from(table: Table, journal: Journal | None, shoe: int) -> Entries:
    """Return the entries of a table since a shoe was opened, from its journal where it forgot.

    Without a journal they begin with the first that the table remembers.
    """
    known = table.entries
    opened = [
        event.shoe for each in known for event in each.events if isinstance(event, ShoeOpened)
    ]
    if journal is None or (opened and opened[0] <= shoe):
        return known
    return tuple(journal.since(shoe))


def first_rows(entries: Iterable[Entry]) -> dict[int, str]:
    """Return the colour of the first row of each shoe whose cut decided it."""
    return {
        entry.shoe: event.first_row
        for entry in entries
        for event in entry.events
        if isinstance(event, CutMade) and event.first_row
    }


def _seen_by(coup: CoupHistory, viewer: Viewer) -> CoupHistory:
    """Return a coup as a viewer saw it: without the steps of others."""
    steps = []
    for step in coup.steps:
        event = event_view(step.event, for_=viewer)
        if event is not None:
            steps.append(evolve(step, event=event))
    return CoupHistory(coup.shoe, coup.coup, tuple(steps))


# Coups


def history_reading(
    table: Table, viewer: Viewer, words: PageWords, coups: int, journal: Journal | None = None
) -> tuple[CoupReading, ...]:
    """Return the last coups of a session as a viewer may see them, the newest last.

    A coup whose bets are open is among them once its first card is turned.
    """
    entries = table.entries
    found = [each for each in history(entries, bets=False) if _begun(each)]
    shoe = found[0].shoe if found else table.state.shoe_number
    least = 1 if table.house.shoe.every_coup else _LEAST_IN_A_SHOE
    while journal is not None and len(found) < coups and shoe > 1:
        shoe = max(1, shoe - -(-(coups - len(found)) // least))
        entries = tuple(journal.since(shoe))
        found = [each for each in history(entries, bets=False) if _begun(each)]
    rows = first_rows(entries)
    return tuple(coup_reading(each, viewer, words, rows) for each in found[-coups:])


def _begun(coup: CoupHistory) -> bool:
    return coup.status not in ("betting", "closed")


def replay_reading(
    table: Table,
    viewer: Viewer,
    words: PageWords,
    shoe: int,
    coup: int,
    journal: Journal | None = None,
) -> ReplayReading:
    """Return one coup with the events that a viewer saw of it.

    Raises ``TrenteError`` ("unknown-coup") where the session has no such coup.
    """
    entries = entries_from(table, journal, shoe)
    found = coup_of(entries, shoe, coup)
    indexes = {step.index for step in found.steps}
    events = tuple(
        each
        for entry in entries
        if not indexes.isdisjoint(range(entry.first_event, entry.first_event + len(entry.events)))
        for each in view(stamped(entry), for_=viewer)
        if each.stamp.index in indexes
    )
    return ReplayReading(
        coup_reading(found, viewer, words, first_rows(entries)), events, said_of(events, words)
    )


def coup_of(entries: Entries, shoe: int, coup: int) -> CoupHistory:
    """Return a coup by its shoe and its number; ``TrenteError`` ("unknown-coup")."""
    for each in history(entries):
        if (each.shoe, each.coup) == (shoe, coup):
            return each
    what = f"there is no coup {coup} in shoe {shoe} of this session"
    raise TrenteError(what, "unknown-coup", "name one that was dealt")


def said_of(events: Iterable[Stamped], words: PageWords) -> dict[str, tuple[str, str]]:
    """Return the texts of announcements by the index of their events."""
    return {
        str(each.stamp.index): words.called(each.event)
        for each in events
        if isinstance(each.event, Announced)
    }


def coup_reading(
    coup: CoupHistory, viewer: Viewer, words: PageWords, first: Mapping[int, str]
) -> CoupReading:
    """Return a coup as a viewer may see it; ``first`` are the colours of ``first_rows``."""
    seen = _seen_by(coup, viewer)
    outcome, dealt = seen.outcome, seen.dealt
    void = bool(outcome and outcome.void)
    verdicts = dict(dealt.verdicts) if dealt else {}
    simple = {
        chance.id: verdicts[chance.id]
        for chance in words.house.chances
        if chance.simple and chance.id in verdicts
    }
    winners = tuple(chance for chance, verdict in simple.items() if verdict.kind == "win")
    kinds = {verdict.kind for verdict in simple.values()}
    tie: Tie = "refait" if "tie" in kinds else "apres" if "push" in kinds else ""
    lines = outcome.lines + outcome.closed if outcome else ()
    colour = words.house.dealt_first(first.get(coup.shoe, "")).deal.first_colour
    return CoupReading(
        shoe=coup.shoe,
        coup=coup.coup,
        status=_status(seen.status),
        first=_row(seen, "first", colour, dealt.coup.first.point if dealt else None),
        second=_row(seen, "second", Colour(1 - colour), dealt.coup.second.point if dealt else None),
        verdicts={chance: verdict.id for chance, verdict in verdicts.items()},
        winners=winners,
        tie=tie,
        outcome="" if dealt is None else _outcome(winners, simple, tie, words),
        lines=tuple(line_reading(line, words) for line in lines),
        net=None if outcome is None or void else sum(line.player_net for line in outcome.counted),
        void=_void(seen, words) if void else "",
        corrected=len(outcome.earlier) if outcome else 0,
        reason=_reason(seen),
        last=any(isinstance(s.event, MarkerShown) and s.event.last for s in seen.steps),
    )


def _status(status: str) -> Status:
    for known in get_args(Status):
        if status == known:
            found: Status = known
            return found
    raise AssertionError(status)  # pragma: no cover - CoupHistory has no other


def _row(coup: CoupHistory, name: str, colour: Colour, point: int | None) -> RowReading:
    dealt = coup.dealt
    if dealt is not None:
        cards = (dealt.coup.first if name == "first" else dealt.coup.second).cards
    else:
        cards = tuple(event.card for event in coup.cards if event.row == name)
    return RowReading("rouge" if colour is Colour.ROUGE else "noir", tuple(map(str, cards)), point)


def _outcome(
    winners: Sequence[str], verdicts: Mapping[str, Verdict], tie: str, words: PageWords
) -> str:
    """Return the result in words: the winners, or the tie, a refait with its name."""
    if tie == "refait":
        met = {words.speech.short(each.id) for each in verdicts.values() if each.kind == "tie"}
        return capital(words.speech.any_of(sorted(met)))
    if tie == "apres" or not winners:
        return capital(words.speech.short("apres"))
    names = [words.chances[chance] for chance in winners]
    listed = f" {words.say('result.and')} ".join(names)
    return capital(words.say("result.win", number=len(names), chance=listed, chances=listed))


def _void(coup: CoupHistory, words: PageWords) -> str:
    """Return why a coup is void: the table's own reason in the language, the staff's if shown."""
    voided = [step.event for step in coup.steps if isinstance(step.event, CoupVoided)]
    if voided and voided[-1].why:
        return words.say(f"void.{voided[-1].why}")
    reason = voided[-1].reason if voided else ""
    return printable(reason) if reason else words.say("void.hidden")


def _reason(coup: CoupHistory) -> str:
    """Return the reason of the last correction, empty without one, or where it is not shown."""
    corrected = [step.event for step in coup.steps if isinstance(step.event, CoupCorrected)]
    return printable(corrected[-1].reason or "") if corrected else ""


def line_reading(line: Line, words: PageWords) -> LineReading:
    """Return what happened to one stake, in numbers and in words."""
    stake = line.stake
    shown = f"{words.chances[stake.chance]} {words.amount(stake.amount)}"
    met, moves = words.speech.short(line.verdict.id), ", ".join(moves_of(line, words))
    return LineReading(
        stake=stake.id,
        player=stake.owner,
        chance=stake.chance,
        amount=stake.amount,
        state=stake.state,
        insured=line.insured,
        verdict=line.verdict.id,
        course=line.course,
        returned=line.returned,
        won=line.won,
        lost=line.forfeited,
        staying=line.staying,
        premium=line.premium_kept,
        after=line.after.state if line.after else "",
        net=line.player_net,
        text=words.say("moves.line", stake=shown, verdict=met, moves=moves),
    )


# The score card


def card_reading(table: Table) -> CardReading:
    """Return the score card of the taille; at a machine, of the coups that are remembered."""
    house, shoe = table.house, table.state.shoe_number
    machine = house.shoe.every_coup
    entries = table.entries if machine else table.taille
    fold = CoupFold(remember=True)
    versions = (fold.feed(event) for entry in entries for event in entry.events)
    settled = [
        each
        for each in final(version for version in versions if version is not None)
        if each.coup is not None and not each.void and (machine or each.shoe == shoe)
    ]
    coups: list[SettledCoup | CoupDealt] = [*settled]
    if fold.unsettled is not None:
        coups.append(fold.unsettled)
    lines = [
        ScoreLine.of_verdicts(
            number if machine else coup.number,
            ((chance, verdict.id) for chance, verdict in coup.verdicts),
            (row.point for row in coup.coup.rows),
        )
        for number, coup in enumerate(coups, 1)
        if coup.coup is not None
    ]
    card = ScoreCard.of("", lines, house.deal.chances)
    return CardReading(
        shoe=shoe,
        columns=card.columns,
        letters=tuple(LETTERS[chance] for chance in card.columns),
        rows=tuple(
            CardRow(
                coup=line.number,
                marks=tuple(_MARKS[line.mark(chance)] for chance in card.columns),
                tie=_TIES[line.tie],
                points=line.points,
            )
            for line in card.lines
        ),
    )
