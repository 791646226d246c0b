"""Exact odds from any cards, against dealing every order of a few cards, and the stored tables."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache

import pytest

from trente_rules.core.cards import PACK, parse_cards
from trente_rules.core.coup import outcome_index
from trente_rules.core.errors import TrenteError
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.exact import count_cards, odds_of_cards

pytestmark = pytest.mark.slow

Counts = tuple[int, ...]


def dealt(noir: Counts, rouge: Counts) -> list[Fraction]:
    """Deal card by card, every card with its probability: 400 outcomes, and the unfinished coup.

    A state is what is left, the first row's point (0 while it is open), the running total of the
    row that is dealt, and the colours of the first cards (-1 before there is one).
    """
    odds = [Fraction(0)] * 401
    states: dict[tuple[Counts, int, int, int, int], Fraction] = {
        ((*noir, *rouge), 0, 0, -1, -1): Fraction(1)
    }
    while states:
        following: dict[tuple[Counts, int, int, int, int], Fraction] = {}
        for (left, point, total, first, second), p in states.items():
            cards = sum(left)
            if not cards:
                odds[400] += p
            for kind, count in enumerate(left):
                if not count:
                    continue
                colour, value = divmod(kind, 10)
                a, b, row = first, second, total + value + 1
                if not total:
                    a, b = (a, colour) if point else (colour, b)
                chance = p * Fraction(count, cards)
                if row > 30 and point:
                    odds[outcome_index(point, row, a, b)] += chance
                    continue
                rest = (*left[:kind], count - 1, *left[kind + 1 :])
                state = (rest, row, 0, a, b) if row > 30 else (rest, point, row, a, b)
                following[state] = following.get(state, Fraction(0)) + chance
        states = following
    return odds


FEW_CARDS = [
    # Tens and a few others; colours out of balance, also within a value.
    ((0, 0, 1, 0, 0, 0, 1, 0, 0, 3), (0, 0, 0, 0, 1, 1, 0, 0, 0, 4)),
    # Only one colour among the small cards, only the other among the tens.
    ((2, 1, 0, 0, 1, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 2, 0, 5)),
    # Middling cards, so that rows are longer; a value with both colours twice.
    ((0, 0, 0, 2, 0, 1, 0, 1, 2, 0), (0, 0, 0, 2, 1, 0, 2, 0, 1, 1)),
    # One of nearly everything, 65 points: most coups cannot be completed.
    ((1, 0, 1, 0, 1, 0, 1, 0, 1, 1), (0, 1, 0, 1, 0, 1, 0, 1, 0, 1)),
    # Nothing but red cards of one value: every coup is 40-40.
    ((0,) * 10, (0,) * 9 + (8,)),
    # Enough for one row, never for two.
    ((0, 0, 0, 0, 0, 0, 0, 0, 1, 2), (0, 0, 0, 0, 0, 0, 0, 0, 0, 2)),
    # Nearly all aces: rows as long as they can be.
    ((40, 0, 0, 0, 0, 0, 0, 0, 0, 1), (23, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
    # No cards at all.
    ((0,) * 10, (0,) * 10),
]


found = cache(odds_of_cards)


@pytest.mark.parametrize(("noir", "rouge"), FEW_CARDS)
def test_odds_of_a_few_cards_by_dealing_every_order(noir: Counts, rouge: Counts) -> None:
    """All 400 outcomes and the coup that cannot be completed, exactly."""
    odds = found(noir, rouge)
    unfinished = Fraction(odds.unfinished_weight, odds.denominator)
    assert [*map(odds.probability, range(400)), unfinished] == dealt(noir, rouge)


def test_the_few_cards_try_every_kind_of_end() -> None:
    """The few cards end in every point, and are never, sometimes and always completed."""
    points: Counter[int] = Counter()
    unfinished = []
    for noir, rouge in FEW_CARDS:
        odds = found(noir, rouge)
        unfinished.append(Fraction(odds.unfinished_weight, odds.denominator))
        points.update(k // 40 + 31 for k, weight in enumerate(odds.weights) if weight)
    assert set(points) == set(range(31, 41))
    assert 0 in unfinished
    assert 1 in unfinished
    assert any(0 < share < 1 for share in unfinished)


def test_one_pack_counted_from_its_cards() -> None:
    """The stored table of one pack, from a list of its 52 cards."""
    noir, rouge = count_cards(PACK)
    assert (noir, rouge) == ((2,) * 9 + (8,), (2,) * 9 + (8,))
    odds = odds_of_cards(noir, rouge, "1-packs")
    assert odds == fresh_shoe(1)


@pytest.mark.nightly
@pytest.mark.parametrize("packs", range(2, 9))
def test_stored_tables_are_what_whole_numbers_give(packs: int) -> None:
    """Each stored table, made by arithmetic modulo primes, once more by packed whole numbers."""
    counts = (2 * packs,) * 9 + (8 * packs,)
    assert odds_of_cards(counts, counts, f"{packs}-packs") == fresh_shoe(packs)


def test_colours_do_not_change_the_points() -> None:
    """The points of a coup depend on values alone, however the colours are shared out."""
    counts = (1, 2, 1, 2, 1, 2, 1, 2, 1, 6)
    reds = (1, 0, 1, 2, 0, 1, 0, 2, 1, 2)
    mixed = odds_of_cards(tuple(n - r for n, r in zip(counts, reds, strict=True)), reds)
    plain = odds_of_cards(counts, (0,) * 10)
    assert mixed.joint() == plain.joint()
    assert all(not weight for k, weight in enumerate(plain.weights) if k % 4)


def test_rows_are_exchangeable_whatever_the_cards() -> None:
    """Either row may be the first: the joint table is symmetric for odd cards too."""
    joint = odds_of_cards((1, 0, 2, 0, 0, 3, 0, 1, 0, 2), (0, 2, 0, 1, 1, 0, 4, 0, 0, 3)).joint()
    assert all(joint[i][j] == joint[j][i] for i in range(10) for j in range(10))
    assert joint[0][5] > 0


@pytest.mark.parametrize(
    ("noir", "rouge"),
    [
        ((1,) * 9, (1,) * 10),
        ((1,) * 10, (1,) * 11),
        ((1,) * 9 + (-1,), (1,) * 10),
        ((1,) * 10, (1.0,) * 10),
        ((True,) * 10, (1,) * 10),
    ],
)
def test_counts_that_are_no_composition_are_refused(noir: Counts, rouge: Counts) -> None:
    """Ten whole numbers for each colour, none below 0."""
    with pytest.raises(TrenteError) as caught:
        odds_of_cards(noir, rouge)
    assert caught.value.code == "bad-composition"


def test_cards_are_counted_by_colour_and_value() -> None:
    """Court cards count with the tens."""
    noir, rouge = count_cards(parse_cards("A♠ A♥ 10♥ J♦ Q♣ K♣ 9♦"))
    assert noir == (1, 0, 0, 0, 0, 0, 0, 0, 0, 2)
    assert rouge == (1, 0, 0, 0, 0, 0, 0, 0, 1, 2)
