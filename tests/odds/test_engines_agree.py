"""Both engines, and the deal itself, on compositions that nobody has chosen."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.odds.test_deal_odds_of_cards import dealt

pytest.importorskip("numba")

from tests.odds.test_fast_odds import CLOSE, Counts, apart

from trente_rules.odds.exact import odds_of_cards
from trente_rules.odds.fast import FEWEST, fast_odds

pytestmark = pytest.mark.slow

Cards = tuple[Counts, Counts]


@st.composite
def compositions(draw: st.DrawFn, values: int, cards: int, least: int, most: int) -> Cards:
    """Return cards of some values: each count drawn by itself, each colour too."""
    counts = [0] * 20
    chosen = draw(
        st.lists(st.integers(0, 9), min_size=min(values, 2), max_size=values, unique=True)
    )
    for value in chosen:
        counts[value] = draw(st.integers(0, cards))
        counts[10 + value] = draw(st.integers(0, cards))
    short = least - sum(counts)
    if short > 0:
        counts[draw(st.sampled_from(chosen)) + 10 * draw(st.integers(0, 1))] += short
    for place in sorted(range(20), key=counts.__getitem__, reverse=True):
        counts[place] -= min(counts[place], max(sum(counts) - most, 0))
    return tuple(counts[:10]), tuple(counts[10:])


def agree(cards: Cards) -> None:
    """Compare all that the fast engine tells: points, colours of both rows, unfinished coups."""
    fast, exact = fast_odds(*cards), odds_of_cards(*cards)
    assert apart(fast, exact) < CLOSE
    assert apart(fast, exact) <= fast.error
    assert abs(sum(fast.row()) + fast.unfinished - 1) < CLOSE


SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=6, suppress_health_check=SLOW)
@given(compositions(values=3, cards=16, least=FEWEST, most=90))
def test_the_engines_agree_on_cards_of_a_few_values(cards: Cards) -> None:
    """The integral beside whole numbers: 40 cards and more, three values at the most."""
    agree(cards)


@settings(max_examples=8, suppress_health_check=SLOW)
@given(compositions(values=4, cards=4, least=1, most=24))
def test_the_engines_agree_on_few_cards(cards: Cards) -> None:
    """Few cards, most of which cannot always complete a coup."""
    agree(cards)


@pytest.mark.nightly
@settings(max_examples=60, suppress_health_check=SLOW)
@given(compositions(values=10, cards=30, least=1, most=312))
def test_the_engines_agree_on_any_cards(cards: Cards) -> None:
    """All values, from one card to six packs."""
    agree(cards)


@settings(max_examples=8, suppress_health_check=SLOW)
@given(compositions(values=4, cards=3, least=1, most=8))
def test_whole_numbers_are_what_dealing_every_order_gives(cards: Cards) -> None:
    """All 400 outcomes and the unfinished coup of up to eight cards, dealt card by card."""
    odds = odds_of_cards(*cards)
    unfinished = Fraction(odds.unfinished_weight, odds.denominator)
    assert [*map(odds.probability, range(400)), unfinished] == dealt(*cards)
