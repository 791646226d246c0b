"""Many shoes counted: each card at each place, and each card behind each other card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any, Final, TypeVar

import pytest
from attrs import define

from trente_rules import PACK
from trente_rules.fair import FairShuffler, SeededShuffler, SystemShuffler
from trente_rules.fair.entropy import WordShuffler

T = TypeVar("T")
SHOES: Final = 20_000
FEW: Final = 2_000
FAR: Final = 6.0
"""Deviations from the mean: a sound shuffler passes this once in hundreds of millions of runs."""


def deviations(statistic: float, freedom: int) -> float:
    """Return how far a chi-square statistic lies from its mean, in standard deviations."""
    return (statistic - freedom) / sqrt(2 * freedom)


def chi_square(counts: Sequence[int], cells: int, total: int) -> float:
    """Return Pearson's statistic for cells that are equally likely."""
    expected = total / cells
    return sum((count - expected) ** 2 for count in counts) / expected + expected * (
        cells - len(counts)
    )


def places(shuffle: Callable[[tuple[Any, ...]], tuple[Any, ...]], shoes: int, packs: int) -> float:
    """Count the kind of card at each place of a shoe; answer the deviation.

    Margins are fixed (a shoe has as many cards of each kind as packs, and one card at each place),
    so for n cards the statistic times (n - 1) / n has (n - 1) x 51 degrees of freedom.
    """
    deck = tuple(range(52)) * packs
    cards = len(deck)
    counts: Counter[int] = Counter()
    for _ in range(shoes):
        counts.update(52 * place + kind for place, kind in enumerate(shuffle(deck)))
    found = chi_square(list(counts.values()), 52 * cards, shoes * cards)
    return deviations(found * (cards - 1) / cards, (cards - 1) * 51)


def streams(name: str) -> WordShuffler:
    """Open a shuffler; those of a seed always count the same."""
    if name == "seeded":
        return SeededShuffler(bytes(range(16)))
    if name == "fair":
        return FairShuffler(bytes(range(32)), ["alice"], 0)
    return SystemShuffler()


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["system", "seeded", "fair"])
def test_each_card_is_at_each_place_equally_often(name: str) -> None:
    """Chi-square over 312 places and 52 kinds of card: neither too far nor too near."""
    assert abs(places(streams(name).shuffle, SHOES, 6)) < FAR


@pytest.mark.slow
@pytest.mark.parametrize("name", ["seeded", "fair"])
def test_each_card_is_at_each_place_equally_often_in_few_shoes(name: str) -> None:
    """The same count over few shoes of one pack."""
    assert abs(places(streams(name).shuffle, FEW, 1)) < FAR


@define
class Exchanges:
    """A well-known mistake: every card is exchanged with any card of the whole pack."""

    source: SeededShuffler

    def shuffle(self, cards: Sequence[T], /) -> tuple[T, ...]:
        """Return an order; not all are equally likely."""
        deck = list(cards)
        for at in range(len(deck)):
            pick = self.source.below(len(deck))
            deck[at], deck[pick] = deck[pick], deck[at]
        return tuple(deck)


@define
class NeverStays:
    """Another one: the bound is one too small, so that no card keeps its place."""

    source: SeededShuffler

    def shuffle(self, cards: Sequence[T], /) -> tuple[T, ...]:
        """Return an order; those in which a card keeps its place are never given."""
        deck = list(cards)
        for last in range(len(deck) - 1, 0, -1):
            pick = self.source.below(last)
            deck[last], deck[pick] = deck[pick], deck[last]
        return tuple(deck)


@pytest.mark.slow
@pytest.mark.parametrize("mistake", [Exchanges, NeverStays])
def test_a_biased_shuffle_is_seen(mistake: type[Exchanges | NeverStays]) -> None:
    """The count finds what is wrong, within the shoes that it is given."""
    assert places(mistake(SeededShuffler(bytes(range(16)))).shuffle, FEW, 1) > FAR


@pytest.mark.nightly
def test_neighbours_are_equally_likely() -> None:
    """Chi-square over the pairs of cards that lie together in one pack: 52 x 51 of them."""
    counts: Counter[tuple[object, object]] = Counter()
    shuffler = SeededShuffler(bytes(range(16)), 1)
    for _ in range(SHOES):
        order = shuffler.shuffle(PACK)
        counts[order[0], order[1]] += 1
    found = chi_square(list(counts.values()), 52 * 51, SHOES)
    assert abs(deviations(found, 52 * 51 - 1)) < FAR
