"""The lesson: exact odds of the next coup from the cards not seen yet, and what insurance is worth.

Cards burned unseen count as still in the shoe: for a player who has not seen them every order of
the rest is equally likely. The coup is taken to be completed.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import frozen

from trente_rules.core.cards import Card
from trente_rules.core.chances import KINDS
from trente_rules.core.house.house import House
from trente_rules.core.stakes import Opening
from trente_rules.table.events import Burned, CardBurned, CardTurned, Event, ShoeOpened

if TYPE_CHECKING:
    from trente_rules.odds.advantage import WagerAdvantage
    from trente_rules.reports.nominal import Scope


@frozen
class ChanceLesson:
    """One chance: the probabilities of the next coup, and the bank's edge at best play, in stakes.

    ``insured`` is the edge with insurance, None where the chance cannot be insured. ``gain`` is
    what insurance saves, its premium paid, in stakes, and ``of_premium`` the same in parts of the
    rate: below zero insurance is not worth its premium.
    """

    id: str
    win: float
    lose: float
    apres: float
    refait: float
    edge: float
    insured: float | None = None
    gain: float | None = None
    of_premium: float | None = None


@frozen
class Lesson:
    """The odds of the next coup for ``cards`` not seen yet, off by at most about ``error``.

    ``scopes`` are the stakes at this table that the edges of the first simple chance hold for,
    without and with insurance; None where they hold for all. The others hold for the same.
    """

    cards: int
    error: float
    chances: tuple[ChanceLesson, ...]
    scopes: tuple[Scope | None, Scope | None] = (None, None)


def seen_cards(events: Iterable[Event]) -> tuple[Card, ...]:
    """Return the cards of this shoe that everybody has seen."""
    seen: list[Card] = []
    for event in events:
        match event:
            case ShoeOpened():
                seen = []
            case CardTurned(card=card) | CardBurned(card=card):
                seen.append(card)
            case Burned(cards=cards):
                seen.extend(cards)
    return tuple(seen)


def lesson_of(house: House, opening: Opening, seen: Iterable[Card]) -> Lesson:
    """Return the lesson after these cards: some hundredths of a second, the first time longer.

    Raises ``TrenteError``: "needs-fast" without the extra ``fast``, "no-coup-left", and what
    ``advantage`` raises.
    """
    from trente_rules.odds.advantage import law_of, of_kind  # noqa: PLC0415 - when a lesson is asked
    from trente_rules.odds.last_coups import LastCoups, advantage_of_cards  # noqa: PLC0415
    from trente_rules.odds.remaining import CompletedOdds, Composition, deal_odds  # noqa: PLC0415
    from trente_rules.reports.nominal import scopes  # noqa: PLC0415 - as above

    left = Composition.after(house.shoe.packs, seen)
    deal = deal_odds(left, "fast")
    odds = CompletedOdds(deal)
    best: dict[tuple[str, bool], WagerAdvantage] = {}
    for wager in advantage_of_cards(house, left, odds, opening=opening).wagers:
        key = wager.chance, wager.insured
        if key not in best or wager.edge < best[key].edge:
            best[key] = wager
    edges = {key: wager.edge for key, wager in best.items()}
    table = house.insurance_table
    rate = table.rate if table else Fraction(0)
    chances = []
    for chance in house.chances:
        without, insured = edges[chance.id, False], edges.get((chance.id, True))
        gain = None if insured is None else without - insured
        law = law_of(chance, odds)
        win, lose, apres, refait = (float(of_kind(law, kind)) for kind in KINDS[:-1])
        chances.append(
            ChanceLesson(
                id=chance.id,
                win=win,
                lose=lose,
                apres=apres,
                refait=refait,
                edge=float(without),
                insured=None if insured is None else float(insured),
                gain=None if gain is None else float(gain),
                of_premium=float(gain / rate) if gain is not None and rate else None,
            )
        )
    first = next((chance.id for chance in house.chances if chance.simple), "")
    looked = [best[first, kind] for kind in (False, True) if (first, kind) in best]
    last = LastCoups.of(house, left, odds)
    plain, covered, *_rest = (*scopes(house, odds, looked, opening, last), None, None)
    return Lesson(left.cards, getattr(deal, "error", 0.0), tuple(chances), (plain, covered))
