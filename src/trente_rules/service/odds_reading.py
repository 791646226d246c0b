"""The odds of the next coup, from the cards that everybody has seen, as a page shows them."""

from __future__ import annotations

from attrs import frozen

from trente_rules.core.cards import Card
from trente_rules.core.shoe import LiveShoe
from trente_rules.play.lesson import ChanceLesson, lesson_of
from trente_rules.reports.nominal import Scope
from trente_rules.service.texts import PageWords
from trente_rules.table.state import TableState


@frozen
class PartText:
    """A part of one: ``value`` as a decimal, ``text`` in per cent, as the language writes it."""

    value: str
    text: str


@frozen
class ChanceOdds:
    """The odds of one chance, and the bank's edge at the player's best play, in parts of the stake.

    ``insured`` is the edge with insurance, None where the house has none; ``gain`` what insurance
    saves, its premium paid; ``of_premium`` the same in parts of the rate. ``insure`` is whether
    it is worth its premium now.
    """

    chance: str
    name: str
    win: PartText
    lose: PartText
    apres: PartText
    refait: PartText
    edge: PartText
    insured: PartText | None
    gain: PartText | None
    of_premium: PartText | None
    insure: bool | None


@frozen
class OddsReading:
    """The odds of the next coup: ``cards`` are those not seen yet, burned ones among them.

    ``error`` is by how much a figure may be off. ``edge_holds`` and ``insured_holds`` say for which
    stakes the edges hold exactly, empty where for all.
    """

    cards: int
    error: str
    chances: tuple[ChanceOdds, ...]
    edge_holds: str
    insured_holds: str


def seen_cards(state: TableState) -> tuple[Card, ...]:
    """Return the cards of the shoe on the table that everybody has seen, as they are read now."""
    shoe = state.shoe
    if shoe is None:
        return ()
    return shoe.seen if isinstance(shoe, LiveShoe) else state.house.shoe.seen(shoe)


def odds_reading(state: TableState, words: PageWords) -> OddsReading:
    """Return the odds of the next coup after the cards that everybody has seen.

    The first time takes seconds. Raises ``TrenteError``: "needs-fast" without the extra ``fast``,
    "no-coup-left", and what ``advantage`` raises.
    """
    lesson = lesson_of(state.house, state.opening, seen_cards(state))
    plain, insured = lesson.scopes
    first = lesson.chances[0]
    return OddsReading(
        cards=lesson.cards,
        error=f"{lesson.error:.0e}",
        chances=tuple(_chance(each, words) for each in lesson.chances),
        edge_holds=_holds(plain, words),
        insured_holds=_holds(insured, words) if first.insured is not None else "",
    )


def _chance(lesson: ChanceLesson, words: PageWords) -> ChanceOdds:
    def part(value: float) -> PartText:
        return PartText(f"{value:.12f}", words.percent(value))

    def given(value: float | None) -> PartText | None:
        return None if value is None else part(value)

    gain = lesson.gain
    return ChanceOdds(
        chance=lesson.id,
        name=words.chances[lesson.id],
        win=part(lesson.win),
        lose=part(lesson.lose),
        apres=part(lesson.apres),
        refait=part(lesson.refait),
        edge=part(lesson.edge),
        insured=given(lesson.insured),
        gain=given(gain),
        of_premium=given(lesson.of_premium),
        insure=None if gain is None else gain > 0,
    )


def _holds(scope: Scope | None, words: PageWords) -> str:
    """Return the stakes that an edge holds for, empty where that is all of them."""
    if scope is None:
        return ""
    if not scope.exact:
        parts = [words.say("holds.never")]
    elif scope.multiple and scope.multiple == scope.least:
        parts = [words.say("holds.multiples", amount=words.amount(scope.multiple))]
    else:
        parts = [words.say("holds.from", amount=words.amount(scope.least))]
        if scope.multiple:
            parts.append(words.say("holds.multiples", amount=words.amount(scope.multiple)))
    if scope.exact and scope.most is not None:
        parts.append(words.say("holds.to", amount=words.amount(scope.most)))
    if scope.edge is not None:
        edge = words.percent(scope.edge)
        parts.append(words.say("holds.at", amount=words.amount(scope.smallest), edge=edge))
    return ", ".join(parts)
