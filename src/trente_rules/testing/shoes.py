"""Rows, coups and shoes stacked for a test, and the check of a new refait rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Final

from trente_rules.core.cards import LARGEST_POINTS, PACK, Card, Colour
from trente_rules.core.chances import COUP_VERDICTS, DealRule
from trente_rules.core.coup import LAST_OPEN_TOTAL, Coup, Row
from trente_rules.core.errors import CardError
from trente_rules.core.house.house import House, possible_verdicts
from trente_rules.core.machine import StakeMachine
from trente_rules.core.money import Money
from trente_rules.core.rules.refait import Courses, RefaitRule
from trente_rules.core.shoe import Burn, Shoe
from trente_rules.core.stakes import Opening

_TENS: Final = {Colour.NOIR: Card(10, "♠"), Colour.ROUGE: Card(10, "♥")}


def row_with(point: int, colour: Colour = Colour.NOIR) -> Row:
    """Return a row that ends on a point, its first card of a colour."""
    ten = _TENS[colour]
    return Row((ten, ten, ten, Card(point - LAST_OPEN_TOTAL, "♣")))


def coup_with(
    first: int,
    second: int,
    first_colour: Colour = Colour.NOIR,
    second_colour: Colour = Colour.NOIR,
) -> Coup:
    """Return a coup with these points and these colours of the first cards of its rows."""
    return Coup(row_with(first, first_colour), row_with(second, second_colour))


def stacked_shoe(coups: Iterable[Coup], packs: int = 6, *, burn: Burn = 0) -> Shoe:
    """Return a whole shoe that deals these coups first, after ``burn`` cards burned.

    If the packs do not hold the cards of all coups, as for two coups of ``coup_with``, every coup
    is dealt with different cards of the same points, and the same colours of the first cards. Six
    packs are enough for 25 coups of any points. Raises ``CardError`` ("too-many-of-a-card") if the
    packs do not hold such cards either.
    """
    wanted = list(coups)
    rest = Counter(dict.fromkeys(PACK, packs))
    dealt = [card for coup in wanted for card in coup.cards]
    if any(count > packs for count in Counter(dealt).values()):
        dealt = _other_cards([row for coup in wanted for row in coup.rows], packs)
    rest.subtract(dealt)
    others = list(rest.elements())
    if burn == "first-card":
        burn = 1 + others[0].points
    return Shoe.of_cards([*others[:burn], *dealt, *others[burn:]], packs).burn(burn)


def _other_cards(rows: Sequence[Row], packs: int) -> list[Card]:
    """Return cards of the packs for rows with these points and first colours.

    Greedy: high cards are the least flexible, so each place takes the highest card that fits. The
    last cards are chosen first, since a row of 40 ends on a ten, then the first cards, which have a
    colour; low cards are left to make up the sums.
    """
    left = Counter(dict.fromkeys(PACK, packs))
    starting = Counter(row.colour for row in rows)
    spare = Colour.ROUGE if starting[Colour.NOIR] > starting[Colour.ROUGE] else Colour.NOIR

    def take(most: int, colours: Iterable[Colour] = tuple(Colour), least: int = 1) -> Card:
        fitting = [
            card
            for card, count in left.items()
            if count and least <= card.points <= most and card.colour in colours
        ]
        if not fitting:
            raise CardError(
                f"{packs} packs do not hold {len(rows) // 2} coups with these points",
                "too-many-of-a-card",
                "ask for fewer coups, or more packs",
            )
        # Of the highest: a card of the colour that fewer rows start with, then the commonest.
        card = max(fitting, key=lambda card: (card.points, card.colour is spare, left[card]))
        left[card] -= 1
        return card

    last = [take(LARGEST_POINTS, least=row.point - LAST_OPEN_TOTAL) for row in rows]
    first = [take(LARGEST_POINTS, [row.colour]) for row in rows]
    dealt: list[Card] = []
    for row, start, end in zip(rows, first, last, strict=True):
        dealt.append(start)
        missing = row.point - start.points - end.points
        while missing:
            dealt.append(take(missing))
            missing -= dealt[-1].points
        dealt.append(end)
    return dealt


def opening_of(house: House) -> Opening:
    """Return the opening with the least minimum that the limits of a house accept."""
    return house.lowest_opening()


def check_refait_rule(rule: RefaitRule, money: Money | None = None) -> StakeMachine:
    """Return the machine of a refait rule, after checks that the library can use the rule.

    It must build the same valid machine each time, with a course for every verdict in every state,
    and be a value: a copy is equal and has the same hash. ``money`` is that of the house, by
    default in whole EUR. Raises ``RuleError`` or
    ``AssertionError``.
    """
    possible, money = possible_verdicts(DealRule().build()), money or Money()
    first: Courses = rule.build(money)
    machine = StakeMachine.of(first, possible)
    if machine != StakeMachine.of(rule.build(money), possible):
        raise AssertionError(f"{rule!r} builds a different machine each time")
    copy = deepcopy(rule)
    if copy != rule or hash(copy) != hash(rule):
        raise AssertionError(f"a copy of {rule!r} is not equal to it, or has a different hash")
    for state in machine.states:
        occurring = {verdict for verdict, _courses in machine.occurring(state)}
        if occurring != set(COUP_VERDICTS):
            raise AssertionError(f"{rule!r} has no course for some verdict in {state!r}")
    return machine
