"""The contents of the screen as values: made from a session, drawn by the widgets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from string import ascii_lowercase
from typing import Final

from attrs import Factory, define, frozen

from trente_rules.core.cards import Card, Colour
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import LAST_OPEN_TOTAL, Coup
from trente_rules.core.house.house import House
from trente_rules.core.money import ONE
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.rules.announcements import Language
from trente_rules.core.stakes import Line, Stake
from trente_rules.core.text import printable
from trente_rules.play.chips import stack_of
from trente_rules.play.session import PLAYER, PlaySession, Price
from trente_rules.play.tally import Tally
from trente_rules.records.scorecard import ScoreCard, lines_of_events
from trente_rules.reports.names import chance_name, chance_names
from trente_rules.table.commands import MovePrisoner
from trente_rules.table.coups import CoupFold
from trente_rules.table.events import (
    Announced,
    BetsClosed,
    BetsOpened,
    Burned,
    CardTurned,
    CoupDealt,
    CutMade,
    Event,
    MarkerPlaced,
    MarkerShown,
)
from trente_rules.table.state import premium_of
from trente_rules.table.statistics import ShoeCount, Statistics

KEYS: Final = {"rouge": "r", "noir": "n", "couleur": "c", "inverse": "i"}
"""The key of each simple chance: it adds a chip, the capital takes one off."""
SIDE: Final = "s"
"""The first key of every side bet; a letter follows, from a on in the order of the house."""


def key_of(house: House, chance: str) -> str:
    """Return the keys that add a chip to a chance: ``r``, ``sb``; empty where it has none."""
    sides = [each.id for each in house.chances if not each.simple]
    if chance not in sides:
        return KEYS.get(chance, "")
    place = sides.index(chance)
    return f"{SIDE}{ascii_lowercase[place]}" if place < len(ascii_lowercase) else ""


@frozen
class Texts:
    """The texts of the interface in one language: [play] of its catalogue."""

    language: Language

    def __call__(self, key: str, /, **values: object) -> str:
        """Return the text of a key, with its placeholders filled by what can be shown."""
        filled = {k: printable(v) if isinstance(v, str) else v for k, v in values.items()}
        return self.language.sentence(f"play.{key}", **filled)

    def verdict(self, verdict: Verdict) -> str:
        """Return what a verdict is called, a refait of one point with it: ``refait 40``."""
        name = self(f"verdict.{verdict.usual.id}")
        return name if verdict.point is None else f"{name} {verdict.point}"

    def chance(self, house: House, chance: str) -> str:
        """Return what a chance is called: a side bet by what it wins on."""
        return chance_name(house, chance, self.language)

    def course(self, course: str) -> str:
        """Return what a course is called in a choice; one of a plugin by its id."""
        known = self.language.sentences.get(f"rulebook.choice.{course}")
        return printable(course) if known is None else known

    def state(self, state: str) -> str:
        """Return what a state of a stake is called: a prison by its level, another by its id."""
        word, _hyphen, level = state.partition("-")
        text = self.language.sentences.get(f"rulebook.state.{word}")
        if text is None or (level and not level.isdecimal()):
            return printable(state)
        return f"{text} {level}" if level else text


def said(language: Language, call: Announced) -> str:
    """Return what a call is in a language, on one line; empty where it is not called in it."""
    return printable(language.say(call))


def other_language(house: House, code: str) -> Language | None:
    """Return the language in which calls are repeated: None for that of the house, or for "".

    Raises ``PluginError`` ("unknown-language").
    """
    return None if code in ("", house.words.code) else default_manager().language(code)


@define
class CoupView:
    """One coup as far as it went: cards, verdicts, calls, and what happened to the stakes."""

    number: int
    first: list[Card] = Factory(list)
    second: list[Card] = Factory(list)
    coup: Coup | None = None
    verdicts: tuple[tuple[str, Verdict], ...] = ()
    calls: list[Announced] = Factory(list)
    lines: tuple[Line, ...] = ()
    net: int | None = None
    void: str = ""
    last: bool = False
    first_row: str = ""

    @property
    def begun(self) -> bool:
        """True once a card was turned, or if the coup was void before one."""
        return bool(self.first or self.void)

    def rows(self, house: House) -> tuple[tuple[Colour, list[Card]], ...]:
        """Return the colour and the cards of both rows, in the order they are dealt."""
        first = house.dealt_first(self.first_row).deal.first_colour
        return (first, self.first), (Colour(1 - first), self.second)


def coups_of(events: Iterable[Event]) -> tuple[CoupView, ...]:
    """Return the coups of a shoe; the last one may be waiting for its first card."""
    coups: dict[int, CoupView] = {}
    fold, current, first_row = CoupFold(), CoupView(0), ""
    for event in events:
        settled = fold.feed(event)
        if settled is not None and settled.number in coups:
            changed = coups[settled.number]
            changed.lines, changed.void = settled.lines + settled.closed, settled.void
            changed.net = None if settled.void else settled.players_net
        match event:
            case BetsOpened(coup=number):
                current = coups[number] = CoupView(number, first_row=first_row)
            case CutMade():
                current.first_row = first_row = event.first_row
            case CardTurned(card=card, row=row):
                (current.first if row == "first" else current.second).append(card)
            case CoupDealt(number=number, coup=coup, verdicts=verdicts):
                dealt = coups.get(number, current)
                dealt.coup, dealt.verdicts = coup, verdicts
                dealt.first, dealt.second = list(coup.first.cards), list(coup.second.cards)
            case Announced():
                current.calls.append(event)
            case MarkerShown(last=last):
                current.last = last
    return tuple(coups.values())


def shown_coup(events: Iterable[Event]) -> CoupView | None:
    """Return the coup whose cards lie on the table: the last one that is begun."""
    return lying_coup(coups_of(events))


def lying_coup(coups: Sequence[CoupView]) -> CoupView | None:
    """Return the last of the coups of a shoe that is begun."""
    return next((coup for coup in reversed(coups) if coup.begun), None)


def calls_of(events: Iterable[Event]) -> tuple[Announced, ...]:
    """Return the calls since the bets closed last, or, before that, since the shoe was opened.

    A machine opens a shoe after every coup: the calls of the coup are not over by that.
    """
    calls: list[Announced] = []
    for event in events:
        if isinstance(event, BetsClosed):
            calls = []
        elif isinstance(event, Announced):
            calls.append(event)
    return tuple(calls)


@frozen
class ChanceView:
    """One chance: its name and keys, the stake on it, premium, prisoners, and its last verdict.

    Amounts are in units. ``odds`` are those that a win pays, rising. ``asked`` is true if the
    player wants insurance here, ``insured`` if the free stake has it. ``price`` is that of the
    insurance: of what is on the chance, and of the chip in hand where that is nothing. ``movable``
    is true if its prisoners may be moved to another chance now. ``stack`` are the chips of the
    stake, the largest first, and how many of each.
    """

    id: str
    name: str
    key: str
    simple: bool
    stake: int
    premium: int
    insured: bool
    asked: bool
    prisoners: tuple[Stake, ...]
    movable: bool
    verdict: Verdict | None
    odds: tuple[Fraction, ...] = (ONE,)
    price: Price | None = None
    stack: tuple[tuple[int, int], ...] = ()


def chances_of(session: PlaySession, texts: Texts) -> tuple[ChanceView, ...]:
    """Return every chance of the house with what is on it."""
    return chances_after(session, texts, shown_coup(session.events))


def chances_after(
    session: PlaySession, texts: Texts, coup: CoupView | None
) -> tuple[ChanceView, ...]:
    """Return every chance of the house, with its verdict in the coup that lies on the table."""
    verdicts = dict(coup.verdicts) if coup and not coup.void else {}
    movable = MovePrisoner.kind in session.table.allowed()
    names = chance_names(session.house, texts.language)
    views = []
    for chance in session.house.chances:
        free = session.free_on(chance.id)
        stakes = session.stakes_on(chance.id)
        prisoners = tuple(stake for stake in stakes if not stake.free)
        views.append(
            ChanceView(
                id=chance.id,
                name=names[chance.id],
                key=key_of(session.house, chance.id),
                simple=chance.simple,
                stake=free.amount if free else 0,
                premium=sum(premium_of(session.house, stake) for stake in stakes),
                insured=bool(free and free.insured),
                asked=chance.id in session.insure,
                prisoners=prisoners,
                movable=movable and bool(prisoners),
                verdict=verdicts.get(chance.id),
                odds=tuple(sorted({v.odds for v in chance.verdicts if v.kind == "win"})),
                price=session.insurance_on(chance.id),
                stack=stack_of(session.chips, free.amount) if free else (),
            )
        )
    return tuple(views)


@frozen
class CountsView:
    """The notes of a player: the shoe, their coups and money, outcomes of taille and session.

    ``tally`` counts the player's coups. ``net`` and ``at_stake`` are in units: the result of all
    settled coups, and what is on the table.
    """

    cut: int | None
    burned: int
    marker: int | None
    shoe: ShoeCount
    tally: Tally
    net: int
    at_stake: int
    taille: tuple[tuple[str, int], ...]
    session: tuple[tuple[str, int], ...]

    @property
    def to_marker(self) -> int | None:
        """The cards before the marker, None without one."""
        return None if self.marker is None else max(self.shoe.cards_left - self.marker, 0)


def counts_of(session: PlaySession) -> CountsView:
    """Return the counts of this taille, and those since the player sat down."""
    of_taille, whole = session.of_taille, session.statistics
    cut = marker = None
    burned = 0
    for event in session.events:
        match event:
            case CutMade(place=place):
                cut = place
            case Burned(count=count):
                burned = count
            case MarkerPlaced(from_end=from_end):
                marker = from_end
    return CountsView(
        cut=cut,
        burned=burned,
        marker=marker,
        shoe=of_taille.shoe,
        tally=session.tally,
        net=whole.player(PLAYER).net,
        at_stake=session.at_stake,
        taille=_outcomes(session.house, of_taille),
        session=_outcomes(session.house, whole),
    )


def _outcomes(house: House, counted: Statistics) -> tuple[tuple[str, int], ...]:
    wins = dict(counted.wins)
    chances = tuple((chance, wins.get(chance, 0)) for chance in house.deal.chances)
    # Cards and croupiers call a refait "un après" where 31 is the only one.
    refait = "un après" if house.losing_ties == (LAST_OPEN_TOTAL + 1,) else "refait"
    return (*chances, ("après", counted.apres), (refait, counted.refaits))


def card_of(session: PlaySession) -> ScoreCard:
    """Return the score card of this taille."""
    title = f"{session.house.name}, taille {session.state.shoe_number}"
    return ScoreCard.of(title, lines_of_events(session.events), session.house.deal.chances)
