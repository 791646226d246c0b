"""The system shuffler: every order comes from exactly one draw, so all are equally likely."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import factorial

import pytest

from trente_rules import PACK, Shoe, SystemShuffler


@pytest.mark.parametrize("cards", [0, 1, 2, 3, 4, 5])
def test_every_order_comes_from_exactly_one_draw(
    cards: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All draws that the generator can answer, one by one, give all orders, each once."""
    orders: Counter[tuple[int, ...]] = Counter()
    for drawn in product(*(range(below) for below in range(cards, 1, -1))):
        asked: list[int] = []

        def randbelow(below: int, drawn: tuple[int, ...] = drawn, asked: list[int] = asked) -> int:
            asked.append(below)
            return drawn[len(asked) - 1]

        monkeypatch.setattr("secrets.randbelow", randbelow)
        orders[SystemShuffler().shuffle(range(cards))] += 1
        assert asked == list(range(cards, 1, -1))
    assert len(orders) == factorial(cards)
    assert set(orders.values()) == {1}


def test_shuffling_leaves_what_was_handed_in_alone() -> None:
    """The cards of an earlier shoe keep their order: nothing is shared."""
    cards = list(PACK)
    SystemShuffler().shuffle(cards)
    assert cards == list(PACK)


def test_two_shuffles_differ() -> None:
    """No seed is kept: that two shuffles of 312 cards agree will not be seen."""
    one, other = (Shoe.shuffled(6, SystemShuffler()).cards for _ in range(2))
    assert one != other
