"""Verdict tables, insurance tables, limits and the shoe rule, each by itself."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from trente_rules import PACK, Amount, BetError, Chance, Money, Opening, RuleError, Shoe, Verdict
from trente_rules.core.chances import COUP_VERDICTS, AnyTie, DealRule, ExactTie, SideBetKeys
from trente_rules.core.coup import outcomes
from trente_rules.core.rules.insurance import (
    InsuranceRule,
    NoInsurance,
    PerStarted,
    PremiumOn,
    Rate,
)
from trente_rules.core.rules.limits import Fixed, TablePair, TableTiers
from trente_rules.core.shoe import Marker, ShoeRule
from trente_rules.testing import coup_with

MONEY = Money()


def amount(units: int) -> Amount:
    """Make an amount."""
    return Amount(Fraction(units))


def test_ties_are_refaits_on_losing_points_alone() -> None:
    """31 by default; any tie, or none, where the house says so."""
    for refait_on, losing in (((31,), {31}), ("any", set(range(31, 41))), ((), set())):
        rouge = DealRule(refait_on=refait_on).build()[0]  # type: ignore[arg-type]
        for point in range(31, 41):
            expected = Verdict.REFAIT if point in losing else Verdict.APRES
            assert rouge.verdict(coup_with(point, point)) is expected


def test_a_chance_knows_which_verdicts_can_occur() -> None:
    """A house in which every tie loses has no ordinary tie."""
    rouge = DealRule(refait_on="any").build()[0]
    assert rouge.possible() == {Verdict.WIN, Verdict.LOSE, Verdict.REFAIT}


@pytest.mark.parametrize("table", [b"", bytes(399), bytes([4]) * 400])
def test_a_verdict_table_has_400_verdicts(table: bytes) -> None:
    """Another length, or a number that is no verdict of a coup, is refused."""
    with pytest.raises(RuleError) as caught:
        Chance("x", COUP_VERDICTS, table)
    assert caught.value.code == "bad-verdicts"


def test_odds_are_not_below_nought() -> None:
    """A wager that pays less than nothing is refused."""
    with pytest.raises(RuleError) as caught:
        Verdict("win", Fraction(-1))
    assert caught.value.code == "bad-odds"


def test_side_bets_win_on_their_ties() -> None:
    """Any après wins on 40 outcomes of 400, exact après on 4."""
    anything = SideBetKeys("any", Fraction(8), "none").build(AnyTie(), DealRule())
    exact = SideBetKeys("exact", Fraction(39), "simple").build(ExactTie(32), DealRule())
    assert anything.table.count(0) == 40
    assert exact.table.count(0) == 4
    ties = [o for o in outcomes() if o.first == o.second == 32]
    assert all(exact.verdict(coup_with(32, 32)) == Verdict.WIN for _ in ties)


@pytest.mark.parametrize(("worth", "premium"), [(1, 1), (100, 1), (101, 2), (500, 5), (12000, 120)])
def test_one_per_cent_rounds_for_the_bank(worth: int, premium: int) -> None:
    """A premium of a part of a unit costs a whole one."""
    table = Rate().build(MONEY)
    assert table.premium(worth, "bank").units == premium


def test_a_minimum_premium() -> None:
    """Monte Carlo: at least five francs, so 20 francs pay 25 %."""
    table = Rate(minimum_premium=amount(5)).build(MONEY)
    assert [table.premium(worth, "bank").units for worth in (20, 500, 600)] == [5, 5, 6]


def test_a_premium_for_each_started_amount() -> None:
    """Germany: 5 for each started 500; nominally one per cent."""
    table = PerStarted().build(MONEY)
    assert [table.premium(worth, "bank").units for worth in (1, 500, 501, 1000)] == [5, 5, 10, 10]
    assert table.rate == Fraction(1, 100)


def test_which_stakes_can_be_insured() -> None:
    """Campione: 500 and its multiples."""
    table = Rate(minimum_stake=amount(500), multiple=amount(500)).build(MONEY)
    codes = [table.refusal(units) for units in (499, 500, 750, 1000)]
    assert codes == ["insurance-below-minimum", "", "insurance-not-multiple", ""]


def test_the_fate_of_the_premium_is_a_set_of_verdicts() -> None:
    """What is kept on which verdict; the close hands it back unless the house says otherwise."""
    kept = Rate(premium_on=PremiumOn(apres="returned")).build(MONEY).kept
    assert kept == {Verdict.WIN, Verdict.LOSE, Verdict.REFAIT}
    none: InsuranceRule = NoInsurance()
    assert none.build(MONEY) is None


def test_a_maximum_is_an_amount_or_a_multiple() -> None:
    """Both at once, or a maximum below the minimum, is refused."""
    with pytest.raises(RuleError) as caught:
        Fixed(minimum=amount(5), maximum=amount(10), maximum_multiple=2).build(MONEY)
    assert caught.value.code == "two-maxima"
    with pytest.raises(RuleError) as caught:
        Fixed(minimum=amount(50), maximum=amount(10)).build(MONEY)
    assert caught.value.code == "maximum-below-minimum"


def test_a_minimum_set_at_the_opening_must_be_told() -> None:
    """The maximum follows it, where it is a multiple."""
    limits = Fixed(minimum="at-opening", maximum_multiple=1000).build(MONEY)
    assert limits.bounds(Opening(5), "rouge").least == 5
    assert limits.bounds(Opening(5), "rouge").most == 5000
    with pytest.raises(BetError) as caught:
        limits.bounds(Opening(), "rouge")
    assert caught.value.code == "opening-needed"


def test_tables_are_told_by_their_minimum() -> None:
    """Two tables of one minimum could not be told apart."""
    pairs = (TablePair(amount(2), amount(41)), TablePair(amount(5), amount(102)))
    limits = TableTiers(tables=pairs).build(MONEY)
    assert limits.bounds(Opening(5), "rouge").most == 102
    with pytest.raises(RuleError) as caught:
        TableTiers(tables=(pairs[0], pairs[0])).build(MONEY)
    assert caught.value.code == "same-minimum"


def test_a_shoe_is_prepared_as_the_house_says() -> None:
    """Cut, burned and marked."""
    rule = ShoeRule(burn=5, marker=Marker(from_end=(20, 40), on_marker="finish"))
    shoe = rule.prepare(Shoe.of_cards(PACK * 6, 6), cut_at=100, marker_from_end=30)
    assert (shoe.position, shoe.marker) == (5, 282)
    assert shoe.cards[0] == (PACK * 6)[100]
    with pytest.raises(RuleError) as caught:
        rule.prepare(Shoe.of_cards(PACK * 6, 6), marker_from_end=41)
    assert caught.value.code == "bad-marker"


@pytest.mark.parametrize(
    ("rule", "field", "code"),
    [
        (ShoeRule(burn_shown=True), "burn_shown", "key-cannot-act"),
        (ShoeRule(count_talon=True), "count_talon", "key-cannot-act"),
        (ShoeRule(packs=1, burn=40, marker=Marker(from_end=12)), "marker.from_end", "no-coup-left"),
    ],
)
def test_a_shoe_rule_that_contradicts_itself(rule: ShoeRule, field: str, code: str) -> None:
    """Keys that cannot act, and cuts that leave no card, are named."""
    with pytest.raises(RuleError) as caught:
        rule.check()
    assert (caught.value.field, caught.value.code) == (field, code)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ShoeRule(packs=9),
        lambda: ShoeRule(burn=-1),
        lambda: Marker(from_end=(40, 20)),
        lambda: DealRule(chances=()),
        lambda: DealRule(refait_on=(30,)),
        lambda: DealRule(refait_on=(31, 31)),
        lambda: ExactTie(41),
        lambda: Rate(rate=Fraction(2)),
        lambda: Rate(covers=()),
        lambda: Money(unit=Amount(Fraction(0))),
    ],
)
def test_values_out_of_range_are_refused(make: Any) -> None:
    """Each field checks its own value, wherever the rule is built."""
    with pytest.raises(ValueError, match=": "):
        make()
