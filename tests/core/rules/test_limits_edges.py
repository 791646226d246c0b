"""Limits where a minimum is open or missing, and where one bound stands in for another."""

from __future__ import annotations

import pytest

from trente_rules import BetError, Money, Opening
from trente_rules.core import Bounds, ChanceBounds, Limits, TableBounds
from trente_rules.core.rules.limits import OwnBounds

MONEY = Money()
OPEN = Opening()
FEW, SOME, MANY = TableBounds(5, 50), TableBounds(10, 90), TableBounds(20, 200)


def test_the_span_is_of_the_first_and_the_last_table() -> None:
    """The tables between them are within it."""
    assert Limits(MONEY, (FEW, SOME, MANY), by_opening=True).span == (5, 200)


def test_a_table_keeps_its_multiple_where_no_maximum_is_posted() -> None:
    """Only a posted maximum narrows what the house allows."""
    table = TableBounds(2, multiple=10)
    assert Limits(MONEY, (table,)).table(OPEN) == table
    assert Limits(MONEY, (table,)).table(Opening(None, 15)) == TableBounds(2, 15)


def test_minima_that_are_open_are_not_named() -> None:
    """The hint names the minima that are known."""
    built = Limits(MONEY, (FEW, TableBounds(None, 90)), by_opening=True)
    with pytest.raises(BetError) as caught:
        built.table(Opening(7))
    assert caught.value.hint == f"minima are {MONEY.text(5)}"


def test_no_minimum_is_nought() -> None:
    """Where neither the house nor the opening sets a minimum, there is none."""
    built = Limits(MONEY)
    assert built.bounds_at(TableBounds(None, 9), OPEN, "rouge") == Bounds(0, 9)
    opening = Opening(per_chance=(ChanceBounds("rouge", None, 8),))
    assert built.bounds_at(TableBounds(0, 9), opening, "rouge") == Bounds(0, 8)


def test_the_win_of_the_house_holds_for_a_chance_that_names_none() -> None:
    """Bounds of a chance leave what it may win as it is, unless they name it."""
    own = (OwnBounds("rouge", 5), OwnBounds("noir", maximum_win=20))
    built = Limits(MONEY, per_chance=own, maximum_payout=40)
    assert built.bounds(OPEN, "rouge") == Bounds(5, 40, 1, 40)
    assert built.bounds(OPEN, "noir") == Bounds(1, 20, 1, 20)
    assert built.bounds(OPEN, "inverse") == Bounds(1, 40, 1, 40)


def test_a_table_whose_minimum_is_open_is_the_lowest() -> None:
    """Its minimum may be any, so it is the lowest step."""
    built = Limits(MONEY, (TableBounds(1), TableBounds(None)), step=10)
    assert built.lowest_opening() == Opening(10)
