"""The readings of the staff: the dealer's coup, figures of a table, the journal, movements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.cards import Card, Colour
from trente_rules.core.coup import LAST_OPEN_TOTAL
from trente_rules.core.house.house import House
from trente_rules.play.views import calls_of
from trente_rules.reports.deal_tests import CardTest
from trente_rules.reports.monitor import Level, monitor
from trente_rules.reports.settlements import Coups, coups_of_events, coups_of_journal
from trente_rules.service.past_reading import (
    CoupReading,
    RowReading,
    coup_of,
    entries_from,
    history_reading,
)
from trente_rules.service.table_notes import TableNotes
from trente_rules.service.texts import PageWords
from trente_rules.table.decide import allowed
from trente_rules.table.entries import Journal
from trente_rules.table.history import coup_to_json
from trente_rules.table.journal_sql import SqlJournal
from trente_rules.table.movements import Movement
from trente_rules.table.settle import offers
from trente_rules.table.state import Phase
from trente_rules.table.table import Table
from trente_rules.table.views import Audience, commands_of


@frozen
class DealerReading:
    """The dealer's page besides the view: the coup so far, and what comes next.

    ``next_row`` is the row that the next card belongs to, empty where none is dealt,
    ``next_colour`` its colour, ``total`` what it counts now. ``allowed`` are the commands that can
    be given now. ``said`` are the calls of the coup, each in the language of the house and the one
    asked for.
    ``waiting`` counts the choices that players have not made. ``staked`` are the free units on each
    chance, ``held`` those in prison. ``coups`` are the last ones, which can be corrected.
    """

    first: RowReading
    second: RowReading
    next_row: str
    next_colour: str
    total: int
    left: int | None
    marker: int | None
    marker_shown: bool
    allowed: tuple[str, ...]
    said: tuple[tuple[str, str], ...]
    waiting: int
    staked: dict[str, int]
    held: dict[str, int]
    players: int
    coups: tuple[CoupReading, ...]


@frozen
class LevelReading:
    """The figures of one wager at one amount against the odds; amounts in units, texts as numbers.

    ``chance`` is empty, and ``amount`` 0, for all stakes together.
    """

    chance: str
    insured: bool
    amount: int
    stakes: int
    turnover: int
    net: int
    expected: str
    z: str
    p: str
    alarm: bool


@frozen
class CardsReading:
    """One test of the cards: ``seen`` and ``expected`` are counts, or chi-square and its mean.

    ``of`` is how many coups it is of, or tailles.
    """

    test: str
    of: int
    seen: str
    expected: str
    p: str
    alarm: bool


@frozen
class MonitorReading:
    """A table against the odds: all stakes, each wager at each amount, and the cards dealt.

    ``corrections`` counts the corrections of the session, ``pending`` the stakes whose end is not
    known yet; those are in no other figure.
    """

    house: str
    fingerprint: str
    deal: str
    coups: int
    false_alarms: str
    alarm: bool
    total: LevelReading
    levels: tuple[LevelReading, ...]
    cards: tuple[CardsReading, ...]
    pending: int
    corrections: int
    voided: int
    bank_net: int


@frozen
class JournalReading:
    """One coup in the journal: its steps as the history of a table writes them, whole.

    ``steps`` are events with the command, the time and who gave it; ``taken_back`` settlements that
    count no more, ``outcome`` the one that does.
    """

    shoe: int
    coup: int
    status: str
    opened_at: str | None
    closed_at: str | None
    dealt_at: str | None
    first: dict[str, Any]
    second: dict[str, Any]
    retracted: tuple[dict[str, Any], ...]
    dealt: str | None
    verdicts: dict[str, str] | None
    outcome: dict[str, Any] | None
    taken_back: tuple[dict[str, Any], ...]
    steps: tuple[dict[str, Any], ...] = field(repr=False)


LAST_COUPS: Final = 12
"""The coups that the dealer's page lists: they can be corrected."""


def dealer_reading(table: Table, words: PageWords, journal: Journal | None = None) -> DealerReading:
    """Return what the dealer's page shows now: the stakes of all players, no card to come."""
    state = table.state
    house, shoe, cloth = state.house, state.shoe, state.cloth
    first, second = _rows(state.cards, state.first_cards)
    open_row = _open_row(state.phase, first)
    colour = house.deal.first_colour
    colours = {"first": colour, "second": Colour(1 - colour)}
    chosen = {choice.stake for choice in state.choices}
    dealt = state.coup if state.phase is Phase.DEALT else None
    waiting = offers(state, dealt, cloth.stakes) if dealt is not None else ()
    staked, held = Counter[str](), Counter[str]()
    for stake in cloth.stakes:
        (staked if stake.free else held)[stake.chance] += stake.standing
    given = {command.kind for command in commands_of(Audience.DEALER)}
    events = [event for entry in table.taille for event in entry.events]
    return DealerReading(
        first=_row(first, colours["first"]),
        second=_row(second, colours["second"]),
        next_row=open_row,
        next_colour=colours[open_row].id if open_row else "",
        total=_total(first if open_row == "first" else second),
        left=shoe.left if shoe else None,
        marker=shoe.behind if shoe and shoe.marker is not None else None,
        marker_shown=state.marker_shown,
        allowed=tuple(kind for kind in allowed(state) if kind in given),
        said=tuple(words.called(call) for call in calls_of(events)),
        waiting=sum(offer.stake.id not in chosen for offer in waiting),
        staked=dict(staked),
        held=dict(held),
        players=len({stake.owner for stake in cloth.stakes}),
        coups=history_reading(table, Audience.DEALER, words, LAST_COUPS, journal),
    )


def _rows(cards: tuple[Card, ...], first: int) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    return (cards[:first], cards[first:]) if first else (cards, ())


def _open_row(phase: Phase, first: tuple[Card, ...]) -> str:
    """Return the row that the next card belongs to, empty where none is dealt."""
    if phase not in (Phase.CLOSED, Phase.DEALING):
        return ""
    return "second" if _total(first) > LAST_OPEN_TOTAL else "first"


def _total(cards: tuple[Card, ...]) -> int:
    return sum(card.points for card in cards)


def _row(cards: tuple[Card, ...], colour: Colour) -> RowReading:
    total = _total(cards)
    point = total if total > LAST_OPEN_TOTAL else None
    return RowReading("rouge" if colour is Colour.ROUGE else "noir", tuple(map(str, cards)), point)


def monitor_reading(
    table: Table, notes: TableNotes | None = None, journal: Journal | None = None
) -> MonitorReading:
    """Return a table against the odds, from its journal where it has one.

    Raises what ``monitor`` raises.
    """
    house: House = table.house
    if isinstance(journal, SqlJournal):
        coups: Coups = coups_of_journal(journal)
    else:
        entries = table.entries if journal is None else tuple(journal.since(1))
        coups = coups_of_events(event for entry in entries for event in entry.events)
    found = monitor(house, coups, opening=table.state.opening)
    counted = (notes or TableNotes(table, journal)).now().session
    return MonitorReading(
        house=found.house,
        fingerprint=found.fingerprint,
        deal=found.deal,
        coups=found.coups,
        false_alarms=f"{found.false_alarms:g}",
        alarm=found.alarm,
        total=_level(found.total),
        levels=tuple(map(_level, found.levels)),
        cards=tuple(map(_cards, found.cards)),
        pending=found.pending,
        corrections=counted.corrected,
        voided=counted.voided,
        bank_net=table.state.bank,
    )


def _level(level: Level) -> LevelReading:
    return LevelReading(
        chance=level.chance,
        insured=level.insured,
        amount=level.amount,
        stakes=level.stakes,
        turnover=level.staked,
        net=level.net,
        expected=f"{level.expected:.2f}",
        z=f"{level.z:.2f}",
        p=f"{level.p:.2g}",
        alarm=level.alarm,
    )


def _cards(test: CardTest) -> CardsReading:
    return CardsReading(
        test=test.name,
        of=test.of,
        seen=f"{test.seen:.2f}",
        expected=f"{test.expected:.2f}",
        p=f"{test.finding.p:.2g}",
        alarm=test.alarm,
    )


def journal_reading(
    table: Table, shoe: int, coup: int, journal: Journal | None = None
) -> JournalReading:
    """Return one coup as it is in the journal, with its corrections; never a card to come.

    Raises ``TrenteError`` ("unknown-coup").
    """
    found = coup_of(entries_from(table, journal, shoe), shoe, coup)
    value = coup_to_json(found, table.house.words)
    for name in ("retracted", "taken_back", "steps"):
        value[name] = tuple(value[name])
    return JournalReading(**value)


def movements_reading(
    table: Table, after: str, limit: int, journal: Journal | None = None
) -> tuple[Movement, ...]:
    """Return some movements of money in their order, after the one of an id where it is given.

    Without a journal, those of the shoes that the table remembers. Raises ``RecordError``
    ("unknown-movement").
    """
    if journal is not None:
        return tuple(islice(journal.movements(after), limit))
    known: Iterator[Movement] = (each for entry in table.entries for each in entry.movements)
    if after:
        for each in known:
            if each.id == after:
                break
    return tuple(islice(known, limit))
