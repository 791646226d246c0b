"""Limits where a minimum is open or missing, and where one bound stands in for another."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from trente_rules import (
    Amount,
    BetError,
    ConfigurationError,
    History,
    Money,
    Opening,
    Stake,
    loads_house,
)
from trente_rules.core import Bounds, ChanceBounds, Limits, TableBounds
from trente_rules.core.keys import keys_of
from trente_rules.core.rules.limits import (
    OF_AMOUNT,
    ChanceLimit,
    Fixed,
    OwnBounds,
    Progression,
    TablePair,
    TableTiers,
)

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
    assert [built.lowest_opening(units) for units in (0, 10)] == [Opening(10)] * 2


OTHER_AMOUNT = {
    "below-minimum": (Limits(MONEY, (TableBounds(10),)), 9, 10),
    "above-maximum": (Limits(MONEY, (TableBounds(1, 50),)), 51, 50),
    "not-a-step": (Limits(MONEY, step=5), 12, 15),
    "above-aggregate": (Limits(MONEY, aggregate_maximum=50), 51, 50),
    "above-differential": (Limits(MONEY, differential_maximum=50), 51, 50),
    "above-table-maximum": (Limits(MONEY, table_maximum=50), 51, 50),
}
"""For each code: limits, an amount that they refuse with it, and one that they accept."""


@pytest.mark.parametrize("code", OTHER_AMOUNT)
def test_another_amount_is_accepted(code: str) -> None:
    """A refusal whose code is listed as one of the amount does not meet a different amount."""
    built, refused, accepted = OTHER_AMOUNT[code]
    found = {
        units: [
            each.code
            for each in built.refusals([Stake("a", "ann", "rouge", units)], History(), OPEN)
        ]
        for units in (refused, accepted)
    }
    assert found == {refused: [code], accepted: []}
    assert sorted(OF_AMOUNT) == sorted(OTHER_AMOUNT)


def test_a_progression_is_that_of_venezia_unless_it_says_more() -> None:
    """Venezia online: from the 4th bet on at most 150 % of the 3rd."""
    built = Limits(MONEY, progression=Progression())
    earlier = History.of([[Stake(f"{n}", "ann", "rouge", 20)] for n in range(3)])
    for units, codes in ((30, []), (31, ["raised-too-fast"])):
        placed = [Stake("a", "ann", "rouge", units)]
        assert [each.code for each in built.refusals(placed, earlier, OPEN)] == codes


ZERO = Amount(Fraction(0))


@pytest.mark.parametrize(
    ("rule", "key"),
    [
        (Fixed, "maximum_win"),
        (Fixed, "aggregate_maximum"),
        (Fixed, "differential_maximum"),
        (Fixed, "table_maximum"),
        (lambda **given: ChanceLimit("rouge", **given), "maximum_win"),
        (lambda **given: TablePair(maximum=ZERO, **given), "minimum"),
    ],
)
def test_a_limit_of_zero_is_refused(rule: Any, key: str) -> None:
    """A maximum of all players, a maximum win, and the minimum of a table are above zero."""
    with pytest.raises(ValueError, match="above zero"):
        rule(**{key: ZERO})


@pytest.mark.parametrize("rule", [Fixed, TableTiers, TablePair, ChanceLimit, Progression])
def test_every_key_of_a_limit_is_described(rule: type) -> None:
    """The schema, and the document of the keys, say of each key what it does."""
    assert {info.name for info in keys_of(rule) if not info.doc.endswith(".")} == set()


@pytest.mark.parametrize("minimum", ["5", '"at-opening"'])
def test_a_maximum_of_zero_is_a_fault_whatever_the_minimum(minimum: str) -> None:
    """The hint says to raise it, also where the minimum is set when the table opens."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(
            '[house]\nname = "test"\n[refait]\nrule = "half-loss"\n'
            f'[limits]\nrule = "fixed"\nminimum = {minimum}\nmaximum = 0\n'
        )
    (fault,) = caught.value.faults
    assert (fault.key, fault.code) == ("limits.maximum", "no-stake-possible")
    assert fault.hint == "raise the maximum, or the minimum that it is a multiple of"
