"""The nodes of the fast odds: exact where they should be, and never off by more than the bound."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

pytest.importorskip("numba")

import numpy as np

from trente_rules.odds import fast_kernel as kernel
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.exact import odds_of_cards
from trente_rules.odds.nodes import coup_rule, gauss

SIXAIN = (24,) * 9 + (96,)
LEAN = (20, 1, 0, 15, 3, 24, 2, 8, 9, 30)
NO_TENS = (24,) * 8 + (12, 0)
SIZES = ((4, 4), (5, 6), (6, 4), (6, 8), (8, 6), (8, 8))


@pytest.mark.parametrize(("low", "high"), [(0, 0), (6, 284), (2, 2), (0, 7)])
def test_nodes_integrate_powers_exactly(low: int, high: int) -> None:
    """Gauss: n nodes integrate x^k, k up to 2n - 1, to the last digits: p! q! / (p + q + 1)!."""
    nodes, weights = gauss(7, low, high)
    for k in range(14):
        whole = Fraction(1, low + k + high + 1)
        for factor in range(1, high + 1):
            whole *= Fraction(factor, low + k + factor)
        assert abs(float((weights * nodes**k).sum()) / float(whole) - 1) < 1e-12


def law(counts: tuple[int, ...], most: int, sizes: tuple[int, int]) -> tuple[Any, Any, float]:
    """Return the points, the red first cards of shares that lean, and the bound of a rule."""
    numbers, shares = np.array(counts, dtype=float), np.arange(1, 11) / 11
    largest = max(value for value, count in enumerate(counts, 1) if count)
    rule = coup_rule(kernel.LANES, sum(counts), -(-31 // largest) - 1, most, sizes)
    points, red = kernel.joint(numbers, shares, 3, rule.nodes, rule.weights)
    return points, red, rule.bound(kernel.row(numbers))


@pytest.mark.slow
@pytest.mark.parametrize("counts", [SIXAIN, LEAN, NO_TENS])
def test_a_rule_is_not_off_by_more_than_its_bound(counts: tuple[int, ...]) -> None:
    """Poor rules too, against one that is exact for all powers; and the bound is no idle one."""
    whole, red, least = law(counts, min(44, sum(counts) - 2), (22, 22))
    assert least < 1e-15
    quotients = []
    for sizes in SIZES:
        for most in (15, 18, 21):
            points, first, bound = law(counts, most, sizes)
            off = max(np.abs(points - whole).max(), np.abs(first - red).max())
            assert off <= bound + 1e-15, (counts, sizes, most)
            quotients.append(off / bound)
    assert max(quotients) > 0.02


@pytest.mark.slow
def test_the_bound_holds_against_the_exact_engine() -> None:
    """Six packs and one, by the stored tables, and a lean composition, in whole numbers."""
    lean = odds_of_cards((10, 1, 0, 8, 2, 12, 1, 4, 5, 15), (10, 0, 0, 7, 1, 12, 1, 4, 4, 15))
    pack = (4,) * 9 + (16,)
    for counts, exact in ((SIXAIN, fresh_shoe(6)), (pack, fresh_shoe(1)), (LEAN, lean)):
        known = np.array([[float(number) for number in line] for line in exact.joint()])
        for sizes in ((6, 8), (8, 8)):
            points, _red, bound = law(counts, 20, sizes)
            assert np.abs(points - known).max() <= bound + 1e-16


def test_the_bound_knows_how_many_cards_there_are() -> None:
    """Two rows of one shoe share cards: from fewer cards the same rows weigh more in the bound."""
    few, many = (coup_rule(kernel.LANES, cards, 3, 18, (6, 6)).factors for cards in (60, 6000))
    assert (few >= 0).all()
    assert few[0, 9, 9] > 3 * many[0, 9, 9] > 0


def test_a_coup_may_take_the_last_card_of_the_shoe() -> None:
    """The bound weighs the rows of all cards that are left, and none of more cards than that.

    With nodes enough for all powers no number of cards is off; with few, those of the last are.
    """
    cards, fewest = 14, 3
    exact, poor = (
        coup_rule(kernel.LANES, cards, fewest, cards - 2, sizes).factors
        for sizes in ((16, 16), (2, 2))
    )
    assert exact.max() < 1e-9
    one, other = np.indices(poor.shape[1:])
    drawn = (one + other + 2 <= cards) & (np.minimum(one, other) >= fewest)
    assert ((poor[0] > 1e-9) <= drawn).all()
    assert (poor[0] > 1e-9)[drawn & (one + other + 2 == cards)].all()
