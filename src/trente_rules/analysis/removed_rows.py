"""What two rows of equal points take out of a shoe: every composition, with its exact weight.

A row of points p is any order of its cards whose total stays below 31 before the last card. So the
weight of a composition is the number of ordered ways to deal it as two such rows, by values, times
the ways to take these cards out of the shoe. All is integer arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import factorial, perm, prod
from typing import Final

from attrs import field, frozen

from trente_rules.analysis.composition import check_counts
from trente_rules.deal.coup import LAST_OPEN_TOTAL

VALUES: Final = range(1, 11)
_BITS: Final = 8
"""Bits of a count in a packed composition: two rows have at most 62 cards."""
_MASK: Final = (1 << _BITS) - 1


@frozen
class RemovedRows:
    """The compositions that two rows of equal points can take out of a shoe, the heaviest first.

    ``removed`` has how many cards of each value are gone, aces first, tens and court cards last.
    The probability that the two next rows are of the points asked for and take just these cards is
    the weight over ``denominator``; the weights sum to the probability of such a tie.
    """

    removed: tuple[tuple[int, ...], ...] = field(repr=False)
    weights: tuple[int, ...] = field(repr=False)
    denominator: int = field(repr=False)


def _rows(counts: Sequence[int], point: int) -> dict[int, int]:
    """Answer the orders of each set of cards, packed, that makes a row of a point."""
    found: dict[int, int] = {}
    hand = [0] * len(VALUES)

    def fill(value: int, left: int, cards: int) -> None:
        if not left:
            ways = _orders(hand, cards, point)
            if ways:
                found[sum(n << _BITS * place for place, n in enumerate(hand))] = ways
            return
        if not value:
            return
        for n in range(min(counts[value - 1], left // value) + 1):
            hand[value - 1] = n
            fill(value - 1, left - n * value, cards + n)
        hand[value - 1] = 0

    fill(len(VALUES), point, 0)
    return found


def _orders(hand: Sequence[int], cards: int, point: int) -> int:
    """Count the orders in which the total is open before the last card."""
    whole = factorial(cards) // prod(map(factorial, hand))
    ends = sum(n for value, n in zip(VALUES, hand, strict=True) if point - value <= LAST_OPEN_TOTAL)
    return whole * ends // cards


def removed_rows(counts: Sequence[int], points: Iterable[int]) -> RemovedRows:
    """Answer what two rows that tie on one of ``points`` can take out of a shoe.

    ``counts`` are the cards of each value, ten numbers, aces first. For two rows of 31 from six
    packs this takes some seconds, for every tie about two minutes. Raises ``TrenteError``
    ("bad-composition").
    """
    check_counts(counts, [0] * len(VALUES))
    ways: dict[int, int] = {}
    for point in points:
        rows = list(_rows(counts, point).items())
        for place, (first, orders) in enumerate(rows):
            both = first + first
            ways[both] = ways.get(both, 0) + orders * orders
            for second, others in rows[place + 1 :]:
                both = first + second
                ways[both] = ways.get(both, 0) + 2 * orders * others
    cards = sum(counts)
    most = min(cards, 2 * (LAST_OPEN_TOTAL + 1))
    taken = [[perm(n, k) for k in range(n + 1)] for n in counts]
    weighed: list[tuple[int, tuple[int, ...]]] = []
    for packed, orders in ways.items():
        gone = tuple(packed >> _BITS * place & _MASK for place in range(len(VALUES)))
        if any(k > n for k, n in zip(gone, counts, strict=True)):
            continue
        drawn = sum(gone)
        weight = orders * perm(cards - drawn, most - drawn)
        weighed.append((weight * prod(t[k] for t, k in zip(taken, gone, strict=True)), gone))
    weighed.sort(reverse=True)
    return RemovedRows(
        tuple(gone for _weight, gone in weighed),
        tuple(weight for weight, _gone in weighed),
        perm(cards, most),
    )
