"""What the screen shows, as values: made of a session, drawn by the widgets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from attrs import Factory, define, frozen

from trente_rules.core.cards import Card, Colour
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS, Coup
from trente_rules.core.house.house import House
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.rules.announcements import Language
from trente_rules.core.stakes import Line, Stake
from trente_rules.play.session import PLAYER, PlaySession
from trente_rules.records.scorecard import ScoreCard, lines_of_events
from trente_rules.table.coups import CoupFold, SettledCoup
from trente_rules.table.events import (
    Announced,
    BetsClosed,
    BetsOpened,
    Burned,
    CardTurned,
    ChoiceMade,
    CoupDealt,
    CutMade,
    Event,
    MarkerPlaced,
    MarkerShown,
    ShoeOpened,
)
from trente_rules.table.state import premium_of
from trente_rules.table.statistics import PlayerCount, ShoeCount, Statistics

KEYS: Final = {"rouge": "r", "noir": "n", "couleur": "c", "inverse": "i"}
"""The key of each simple chance: it adds a chip, the capital takes one off."""


@frozen
class RowView:
    """One row: the colour it is dealt for, its cards, what it counts, whether it is complete."""

    colour: Colour
    cards: tuple[Card, ...]

    @property
    def total(self) -> int:
        """What the row counts so far; its point once it is complete."""
        return sum(card.points for card in self.cards)


@define
class CoupView:
    """One coup as far as it went: cards, verdicts, what was said, what happened to the stakes."""

    number: int
    first: list[Card] = Factory(list)
    second: list[Card] = Factory(list)
    coup: Coup | None = None
    verdicts: tuple[tuple[str, Verdict], ...] = ()
    calls: list[Announced] = Factory(list)
    chosen: list[ChoiceMade] = Factory(list)
    lines: list[Line] = Factory(list)
    net: int | None = None
    void: str = ""
    last: bool = False

    @property
    def begun(self) -> bool:
        """Return whether a card was turned, or the coup was void before one."""
        return bool(self.first or self.void)

    def show(self, coup: SettledCoup) -> None:
        """Show what the coup is settled to, or that it is void."""
        self.lines = [*coup.lines, *coup.closed]
        self.net = None if coup.void else coup.players_net
        self.void = coup.void

    def rows(self, house: House) -> tuple[RowView, RowView]:
        """Return both rows, in the order they are dealt."""
        first = house.deal.first_colour
        return (
            RowView(first, tuple(self.first)),
            RowView(Colour(1 - first), tuple(self.second)),
        )


def coups_of(events: Iterable[Event]) -> tuple[CoupView, ...]:
    """Return the coups of a shoe; the last one may be waiting for its first card."""
    coups: dict[int, CoupView] = {}
    fold, at = CoupFold(), CoupView(0)
    for event in events:
        settled = fold.feed(event)
        if settled is not None and settled.number in coups:
            coups[settled.number].show(settled)
        match event:
            case BetsOpened(coup=number):
                at = coups[number] = CoupView(number)
            case CardTurned(card=card, row=row):
                (at.first if row == "first" else at.second).append(card)
            case CoupDealt(coup=coup, verdicts=verdicts):
                at.coup, at.verdicts = coup, verdicts
                at.first, at.second = list(coup.first.cards), list(coup.second.cards)
            case Announced():
                at.calls.append(event)
            case ChoiceMade():
                at.chosen.append(event)
            case MarkerShown(last=last):
                at.last = last
    return tuple(coups.values())


def shown_coup(events: Iterable[Event]) -> CoupView | None:
    """Return the coup whose cards lie on the table: the last one that is begun."""
    return next((coup for coup in reversed(coups_of(events)) if coup.begun), None)


def other_language(house: House, code: str) -> Language | None:
    """Return the language in which calls are repeated: None for that of the house, or for none.

    Raises ``PluginError`` ("unknown-language").
    """
    return None if code in ("", house.words.code) else default_manager().language(code)


def words_of(events: Iterable[Event]) -> tuple[Announced, ...]:
    """Return what was said since the bets closed last, or since the shoe was opened."""
    said: list[Announced] = []
    for event in events:
        if isinstance(event, BetsClosed | ShoeOpened):
            said = []
        elif isinstance(event, Announced):
            said.append(event)
    return tuple(said)


@frozen
class PrisonerView:
    """A stake in prison: where, what stands on the table, what it is worth now; in units."""

    id: str
    state: str
    standing: int
    worth: str
    insured: bool


@frozen
class ChanceView:
    """One chance: its key, the stake on it, premium, prisoners, and what the last coup meant.

    ``movable`` is true if its prisoners may be moved to another chance now.
    """

    id: str
    key: str
    simple: bool
    stake: int
    premium: int
    insured: bool
    asked: bool
    prisoners: tuple[PrisonerView, ...]
    movable: bool
    verdict: Verdict | None


def _prisoner(house: House, stake: Stake) -> PrisonerView:
    worth = stake.worth * house.money.unit.value
    text = str(worth.numerator) if worth.denominator == 1 else f"{float(worth):.4g}"
    return PrisonerView(stake.id, stake.state, stake.standing, text, stake.insured)


def chances_of(session: PlaySession) -> tuple[ChanceView, ...]:
    """Return every chance of the house as it stands."""
    return tuple(_chances(session))


def _chances(session: PlaySession) -> Iterator[ChanceView]:
    coup = shown_coup(session.events)
    verdicts = dict(coup.verdicts) if coup and not coup.void else {}
    movable = session.prisoners_move
    for chance in session.house.chances:
        free = session.free_on(chance.id)
        stakes = session.stakes_on(chance.id)
        yield ChanceView(
            id=chance.id,
            key=KEYS.get(chance.id, ""),
            simple=chance.simple,
            stake=free.amount if free else 0,
            premium=sum(premium_of(session.house, stake) for stake in stakes),
            insured=bool(free and free.insured),
            asked=chance.id in session.insure,
            prisoners=tuple(_prisoner(session.house, each) for each in stakes if not each.free),
            movable=movable and any(not stake.free for stake in stakes),
            verdict=verdicts.get(chance.id),
        )


@frozen
class CountsView:
    """What players note: the shoe, the player's stakes, outcomes of the taille and the session."""

    cut: int | None
    burned: int
    marker: int | None
    shoe: ShoeCount
    player: PlayerCount
    taille: tuple[tuple[str, int], ...]
    session: tuple[tuple[str, int], ...]

    @property
    def to_marker(self) -> int | None:
        """The cards before the marker, None without one."""
        return None if self.marker is None else max(self.shoe.cards_left - self.marker, 0)


def counts_of(session: PlaySession) -> CountsView:
    """Return what is counted of this taille, and since the player sat down."""
    events = session.events
    of_taille = session.of_taille
    whole = session.statistics
    cut = burned = marker = None
    for event in events:
        match event:
            case CutMade(place=place):
                cut = place
            case Burned(count=count):
                burned = count
            case MarkerPlaced(from_end=from_end):
                marker = from_end
    return CountsView(
        cut=cut,
        burned=burned or 0,
        marker=marker,
        shoe=of_taille.shoe,
        player=whole.player(PLAYER),
        taille=_outcomes(session.house, of_taille),
        session=_outcomes(session.house, whole),
    )


def _outcomes(house: House, counted: Statistics) -> tuple[tuple[str, int], ...]:
    wins = dict(counted.wins)
    chances = tuple((chance, wins.get(chance, 0)) for chance in house.deal.chances)
    return (*chances, ("après", counted.apres), (_refait_name(house), counted.refaits))


def _refait_name(house: House) -> str:
    """Return what a refait is called: un après, unless others than 31 are refaits too, or none."""
    losing = [point for point in POINTS if house.deal.loses(point)]
    return "un après" if losing == [LAST_OPEN_TOTAL + 1] else "refait"


def card_of(session: PlaySession) -> ScoreCard:
    """Return the score card of this taille."""
    title = f"{session.house.name}, taille {session.state.shoe_number}"
    return ScoreCard.of(title, lines_of_events(session.events), session.house.deal.chances)
