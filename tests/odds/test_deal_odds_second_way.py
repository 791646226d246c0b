"""Joint odds of fresh shoes once more: every first row listed, every second row dealt after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest

from trente_rules.core.coup import POINTS
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe

pytestmark = pytest.mark.slow

PRIME = 2**31 - 1
"""Shares are compared as residues: a wrong one would be taken for right once in 2**31."""
DECKS_AT_ONCE = 4096
Numbers = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Hand = tuple[int, ...]
Hands = dict[tuple[int, int], int]
"""How many hands there are, by total and number of cards."""


def fresh(packs: int) -> Hand:
    """Return the cards of each value in a fresh shoe."""
    return (4 * packs,) * 9 + (16 * packs,)


def refait(counts: Hand) -> Fraction:
    """Count 31-31 exactly: both times some first cards of what is left come to 31, in any order.

    No last card is needed: a row whose running total comes to 31 ends there, whatever its order.
    First hands are listed from the tens down; with each goes the count of second hands, by total
    and number of cards, from what the first hand leaves.
    """
    cards = sum(counts)
    sums: Hands = {}

    def listing(value: int, room: int, size: int, ways: int, second: Hands) -> None:
        if value == 0:
            for (total, k), more in second.items():
                if total == 31:
                    sums[size, k] = sums.get((size, k), 0) + ways * more
            return
        count = counts[value - 1]
        takes = [room] if value == 1 else range(room // value + 1)
        for taken in takes:
            if taken > count:
                continue
            grown: Hands = {}
            for (total, k), more in second.items():
                others = [31 - total] if value == 1 else range((31 - total) // value + 1)
                for other in others:
                    if other <= count - taken:
                        place = total + other * value, k + other
                        grown[place] = grown.get(place, 0) + more * comb(count - taken, other)
            listing(value - 1, room - taken * value, size + taken, ways * comb(count, taken), grown)

    listing(10, 31, 0, 1, {(0, 0): 1})
    orders = sum(
        ways * factorial(m) * factorial(k) * factorial(cards - m - k)
        for (m, k), ways in sums.items()
    )
    return Fraction(orders, factorial(cards))


@pytest.mark.parametrize("packs", [1, 6])
def test_refait_by_listing_first_rows(packs: int) -> None:
    """31-31 of one pack and of a sixain, exactly."""
    assert refait(fresh(packs)) == fresh_shoe(packs).tie(31)


@pytest.mark.nightly
@pytest.mark.parametrize("packs", [2, 3, 4, 5, 7, 8])
def test_refait_of_other_shoes_by_listing_first_rows(packs: int) -> None:
    """31-31 of every other fresh shoe, exactly."""
    assert refait(fresh(packs)) == fresh_shoe(packs).tie(31)


def open_hands(counts: Hand, room: int = 30) -> Iterator[Hand]:
    """List every hand with a total within the room."""
    if not counts:
        yield ()
        return
    value = len(counts)
    for taken in range(min(room // value, counts[-1]) + 1):
        for rest in open_hands(counts[:-1], room - taken * value):
            yield (*rest, taken)


def first_rows(counts: Hand) -> dict[Hand, tuple[int, list[int]]]:
    """List every first row by the cards it takes: its orders, and those that begin with a value."""
    rows: dict[Hand, tuple[int, list[int]]] = {}
    for hand in open_hands(counts):
        total = sum(value * taken for value, taken in enumerate(hand, 1))
        size = sum(hand)
        ways = 1
        for count, taken in zip(counts, hand, strict=True):
            ways *= comb(count, taken)
        for last in range(max(31 - total, 1), 11):
            ends = ways * (counts[last - 1] - hand[last - 1])
            if not ends:
                continue
            key = (*hand[: last - 1], hand[last - 1] + 1, *hand[last:])
            orders, begins = rows.get(key, (0, [0] * 10))
            rows[key] = (
                orders + ends * factorial(size),
                [b + ends * factorial(size - 1) * h for b, h in zip(begins, hand, strict=True)],
            )
    return rows


def residues(numbers: list[int]) -> Numbers:
    """Return the residues of whole numbers."""
    return np.array([number % PRIME for number in numbers], dtype=np.int64)


class SecondRows:
    """What a second row can be after each of many first rows, by residues.

    ``hands[total, cards, deck]`` counts the hands that what is left can give.
    """

    def __init__(self, decks: list[Hand]) -> None:
        """Count the hands of every deck."""
        self.left = np.array(decks, dtype=np.int64).T
        sizes = [sum(deck) for deck in decks]
        self.rest = sorted(set(sizes))
        self.place = np.array([self.rest.index(size) for size in sizes])
        hands = np.zeros((31, 31, len(decks)), dtype=np.int64)
        hands[0, 0] = 1
        for value in range(1, 11):
            grown = hands.copy()
            for taken in range(1, 30 // value + 1):
                ways = residues([comb(deck[value - 1], taken) for deck in decks])
                part = hands[: 31 - taken * value, : 31 - taken] * ways % PRIME
                grown[taken * value :, taken:] += part
            hands = grown % PRIME
        self.hands = hands

    @staticmethod
    def without(hands: Numbers, value: int) -> Numbers:
        """Count the hands from decks with one card of a value less."""
        fewer = hands.copy()
        for total in range(value, 31):
            fewer[total, 1:] = (fewer[total, 1:] - fewer[total - value, :-1]) % PRIME
        return fewer

    def ended(self, hands: Numbers, total: int, drawn: int) -> Numbers:
        """Weigh hands of a total, in any order, with the orders of what stays in the shoe."""
        weights = np.array(
            [
                [
                    factorial(k) * factorial(rest - k - drawn) % PRIME if rest >= k + drawn else 0
                    for rest in self.rest
                ]
                for k in range(31)
            ],
            dtype=np.int64,
        )
        result: Numbers = (hands[total] * weights[:, self.place] % PRIME).sum(axis=0) % PRIME
        return result

    def points(self) -> Iterator[tuple[int, Numbers]]:
        """Return the orders of second rows by their point, in parts."""
        for last in range(1, 11):
            hands = self.without(self.hands, last)
            for total in range(31 - last, 31):
                yield total + last, self.ended(hands, total, 1) * self.left[last - 1] % PRIME

    def points_from(self, first: int) -> Iterator[tuple[int, Numbers]]:
        """Return the orders of second rows that begin with a value, by their point, in parts."""
        after_first = self.without(self.hands, first)
        for last in range(1, 11):
            hands = self.without(after_first, last)
            ways = self.left[first - 1] * (self.left[last - 1] - (first == last)) % PRIME
            for total in range(31 - last, 31):
                if total >= first:
                    yield total + last, self.ended(hands, total - first, 2) * ways % PRIME


def second_way(
    counts: Hand, *, colours: bool, points: Iterable[int] = POINTS
) -> tuple[list[list[int]], list[list[int]]]:
    """Return the residues of joint odds, and of those with first cards of one colour.

    By the points of the first row, all or some, and by those of the second.

    Two cards of one value are of one colour with (n / 2 - 1) / (n - 1), any other two with 1 / 2.
    """
    cards = sum(counts)
    rows = first_rows(counts)
    joint = [[0] * 10 for _point in range(10)]
    unlike = [[0] * 10 for _point in range(10)]
    for point in points:
        here = [key for key in rows if sum(v * c for v, c in enumerate(key, 1)) == point]
        for start in range(0, len(here), DECKS_AT_ONCE):
            keys = here[start : start + DECKS_AT_ONCE]
            decks = [tuple(n - c for n, c in zip(counts, key, strict=True)) for key in keys]
            second = SecondRows(decks)
            orders = residues([rows[key][0] for key in keys])
            for other, parts in second.points():
                joint[point - 31][other - 31] += int((orders * parts % PRIME).sum())
            if not colours:
                continue
            for value, count in enumerate(counts, 1):
                begins = residues([rows[key][1][value - 1] for key in keys])
                share = pow(2 * (count - 1), -1, PRIME)
                for other, parts in second.points_from(value):
                    unlike[point - 31][other - 31] += int((begins * parts % PRIME).sum()) * share
    whole = pow(factorial(cards), -1, PRIME)
    half = pow(2, -1, PRIME)
    return (
        [[n * whole % PRIME for n in line] for line in joint],
        [
            [(n * half - m) * whole % PRIME for n, m in zip(line, less, strict=True)]
            for line, less in zip(joint, unlike, strict=True)
        ],
    )


def residue(share: Fraction) -> int:
    """Return the residue of a share."""
    return share.numerator * pow(share.denominator, -1, PRIME) % PRIME


def same_colour(odds: CoupOdds) -> list[list[int]]:
    """Return the residues of the joint odds with first cards of one colour."""
    return [
        [
            residue(odds.probability(place) + odds.probability(place + 3))
            for place in range(40 * row, 40 * row + 40, 4)
        ]
        for row in range(10)
    ]


def test_some_cells_of_one_pack_by_dealing_second_rows() -> None:
    """All points of the second row, and colours, of one pack when the first row makes 40."""
    joint, same = second_way(fresh(1), colours=True, points=[40])
    odds = fresh_shoe(1)
    assert joint[9] == [residue(share) for share in odds.joint()[9]]
    assert same[9] == same_colour(odds)[9]


@pytest.mark.nightly
def test_whole_table_of_one_pack_by_dealing_second_rows() -> None:
    """All points and colours of one pack."""
    joint, same = second_way(fresh(1), colours=True)
    odds = fresh_shoe(1)
    assert joint == [[residue(share) for share in line] for line in odds.joint()]
    assert same == same_colour(odds)


@pytest.mark.nightly
def test_all_points_of_six_packs_by_dealing_second_rows() -> None:
    """All points of a sixain."""
    joint, _same = second_way(fresh(6), colours=False)
    assert joint == [[residue(share) for share in line] for line in fresh_shoe(6).joint()]
