"""Amounts, units, shares and rounding."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trente_rules import Amount, Money, RuleError
from trente_rules.core.money import parse_fraction, round_to_bank, round_to_player


@pytest.mark.parametrize(("written", "value"), [(12, 12), ("12.50", Fraction(25, 2)), ("0", 0)])
def test_amounts_are_whole_numbers_or_decimals_as_text(written: object, value: Fraction) -> None:
    """12 and "12.50" are amounts, exactly."""
    assert isinstance(written, int | str)
    assert Amount.parse(written).value == value


@pytest.mark.parametrize("written", [1.5, True, -1, "-1", "1e3", "1,5", "", ".5", "9" * 99, 10**30])
def test_floats_and_other_writings_are_no_amounts(written: object) -> None:
    """A float, a bool, a sign, an exponent or a comma is refused."""
    with pytest.raises(RuleError) as caught:
        Amount.parse(written)  # type: ignore[arg-type]
    assert caught.value.code == "bad-amount"


@given(st.decimals(0, 10**6, places=3))
def test_an_amount_is_written_as_it_is_read(value: object) -> None:
    """Written and read again, an amount is the same."""
    amount = Amount.parse(str(value))
    assert Amount.parse(amount.written()) == amount


@pytest.mark.parametrize(
    "text", ["1/0", "a", "1/", "/2", "1.5", "-1/2", "1/2/3", "1" * 10**6, "\u0661"]
)
def test_fractions_match_digits_optionally_over_digits(text: str) -> None:
    """Anything but digits, optionally over digits above nought, is refused quickly."""
    with pytest.raises(RuleError) as caught:
        parse_fraction(text)
    assert caught.value.code == "bad-fraction"
    assert len(caught.value.message) < 100


def test_amounts_become_units() -> None:
    """At a unit of 0.50, 20 is 40 units, and 20.25 is none."""
    money = Money("CHF", Amount.parse("0.50"))
    assert money.units(Amount.parse(20)) == 40
    assert money.text(41) == "20.50 CHF"
    with pytest.raises(RuleError) as caught:
        money.units(Amount.parse("20.25"))
    assert caught.value.code == "not-whole-units"


@pytest.mark.parametrize(
    ("rounding", "player", "bank"),
    [("bank", 2, 3), ("player", 3, 2), ("half-even", 2, 2), ("refuse", 2, 3)],
)
def test_half_a_unit_goes_by_the_policy(rounding: str, player: int, bank: int) -> None:
    """2.5 units to the player and to the bank, under each policy."""
    half = Fraction(5, 2)
    assert round_to_player(half, rounding).units == player  # type: ignore[arg-type]
    assert round_to_bank(half, rounding).units == bank  # type: ignore[arg-type]


@given(st.fractions(0, 1000), st.sampled_from(["bank", "player", "half-even", "refuse"]))
def test_the_residue_is_what_was_lost_by_rounding(exact: Fraction, rounding: str) -> None:
    """Units and residue are the exact amount, and the residue is under one unit."""
    for rounded in (
        round_to_player(exact, rounding),  # type: ignore[arg-type]
        round_to_bank(exact, rounding),  # type: ignore[arg-type]
    ):
        assert rounded.units + rounded.residue == exact
        assert abs(rounded.residue) < 1
