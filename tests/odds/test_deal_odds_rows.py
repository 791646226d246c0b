"""The points of one row once more, by listing every hand: a second way for all fresh shoes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import comb, prod

import pytest
from tests.odds.rows import cards_in_a_row

from trente_rules.odds.coup_odds import fresh_shoe

Hand = tuple[int, ...]


def hands(room: int, value: int = 1) -> Iterator[Hand]:
    """List every multiset of cards of this value and above whose total fits into the room."""
    if value > 10:
        yield ()
        return
    for count in range(room // value + 1):
        for rest in hands(room - count * value, value + 1):
            yield (count, *rest)


@cache
def open_hands() -> tuple[tuple[Hand, int, int], ...]:
    """List every hand with a total of at most 30, with its total and number of cards."""
    return tuple((hand, sum(v * c for v, c in enumerate(hand, 1)), sum(hand)) for hand in hands(30))


@pytest.mark.slow
@pytest.mark.parametrize("packs", range(1, 9))
def test_row_by_listing_hands(packs: int) -> None:
    """Every point of one row: some hand in any order, then a card that lifts it above 30.

    Mean cards likewise: a row takes one more card for every open hand.
    """
    counts = [4 * packs] * 9 + [16 * packs]
    cards = sum(counts)
    ended: dict[int, Fraction] = dict.fromkeys(range(31, 41), Fraction(0))
    ways_on: dict[tuple[int, int], int] = {}
    opened = [0] * 31
    for hand, total, size in open_hands():
        ways = prod(comb(n, c) for n, c in zip(counts, hand, strict=True))
        opened[size] += ways
        for value in range(31 - total, 11):
            key = total + value, size
            ways_on[key] = ways_on.get(key, 0) + ways * (counts[value - 1] - hand[value - 1])
    for (point, size), ways in ways_on.items():
        ended[point] += Fraction(ways, comb(cards, size) * (cards - size))
    assert tuple(ended.values()) == fresh_shoe(packs).row()
    mean = sum((Fraction(ways, comb(cards, size)) for size, ways in enumerate(opened)), Fraction(0))
    assert mean == cards_in_a_row(packs)
