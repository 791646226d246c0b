"""Limits: what each key refuses, and what it leaves alone."""

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
    RuleError,
    Stake,
    loads_house,
    refusals,
    settle,
)
from trente_rules.core.rules.limits import ChanceLimit, Fixed, Progression, TablePair, TableTiers
from trente_rules.testing import coup_with

HEAD = '[house]\nname = "test"\n[refait]\nrule = "half-loss"\n'


def amount(units: int) -> Amount:
    """Make an amount."""
    return Amount(Fraction(units))


def stake(units: int, chance: str = "rouge", owner: str = "alice", **more: Any) -> Stake:
    """Make a stake."""
    return Stake(f"{owner}-{chance}-{units}", owner, chance, units, **more)


def codes(
    rule: Any, *stakes: Stake, history: History | None = None, opening: int | None = None
) -> list[str]:
    """Return the codes of what a rule refuses."""
    found = rule.build(Money()).refusals(stakes, history or History(), Opening(opening))
    return [refusal.code for refusal in found]


def test_the_minimum_is_for_each_stake() -> None:
    """A stake at the minimum is taken; one below it is not, whatever lies beside it."""
    rule = Fixed(minimum=amount(20))
    assert codes(rule, stake(20)) == []
    assert codes(rule, stake(19), stake(500)) == ["below-minimum"]


def test_the_maximum_is_for_all_stakes_of_one_player_on_a_chance() -> None:
    """Two stakes on a chance count together; those on other chances, or of others, do not."""
    rule = Fixed(maximum=amount(100))
    assert codes(rule, stake(60), stake(40)) == []
    assert codes(rule, stake(60), stake(41)) == ["above-maximum"]
    assert codes(rule, stake(60), stake(60, "noir"), stake(60, owner="bob")) == []


def test_without_a_maximum_any_stake_is_taken() -> None:
    """No key, no limit."""
    assert codes(Fixed(), stake(10**18)) == []


def test_a_maximum_by_multiple_is_known_beforehand() -> None:
    """A house with a fixed minimum has its maximum without an opening."""
    rule = Fixed(minimum=amount(5), maximum_multiple=1000)
    assert rule.build(Money()).bounds(Opening(), "rouge").most == 5000
    assert codes(rule, stake(5000)) == []
    assert codes(rule, stake(5001)) == ["above-maximum"]


def test_a_step_is_asked_of_each_stake() -> None:
    """Every stake is a multiple of the step, those above the minimum too."""
    rule = Fixed(minimum=amount(10), step=amount(5))
    assert codes(rule, stake(15), stake(16), stake(20)) == ["not-a-step"]


def test_limits_of_one_chance_replace_those_of_the_table() -> None:
    """A chance with a minimum and a maximum of its own; the others keep the table's."""
    special = (ChanceLimit("couleur", amount(50), amount(60)),)
    rule = Fixed(minimum=amount(10), maximum=amount(100), per_chance=special)
    assert codes(rule, stake(49, "couleur"), stake(10)) == ["below-minimum"]
    assert codes(rule, stake(61, "couleur"), stake(100)) == ["above-maximum"]


def test_a_chance_may_be_opened_or_closed_by_nought() -> None:
    """A minimum of nought takes any stake, a maximum of nought takes none."""
    low = Fixed(minimum=amount(10), per_chance=(ChanceLimit("noir", amount(0)),))
    assert codes(low, stake(1, "noir")) == []
    none = Fixed(per_chance=(ChanceLimit("noir", maximum=amount(0)),))
    assert codes(none, stake(1, "noir"), stake(1)) == ["above-maximum"]


@pytest.mark.parametrize(("first", "second"), [("rouge", "noir"), ("inverse", "couleur")])
def test_both_sides_are_one_party_on_opposite_chances(first: str, second: str) -> None:
    """Only opposites, only of one party, and only where the house says so."""
    rule = Fixed(both_sides=False)
    assert codes(rule, stake(5, first), stake(5, second)) == ["both-sides"]
    assert codes(rule, stake(5, first), stake(5, second, "bob")) == []
    together = [stake(5, first, group="g"), stake(5, second, "bob", group="g")]
    assert codes(rule, *together) == ["both-sides"]
    assert codes(Fixed(), stake(5, first), stake(5, second)) == []


def test_an_association_does_not_pass_the_maximum_of_one() -> None:
    """Players who bet together are one for the maximum, unless the house allows them."""
    each = [stake(60, group="g"), stake(60, owner="bob", group="g")]
    assert codes(Fixed(maximum=amount(100)), *each) == ["above-maximum"]
    assert codes(Fixed(maximum=amount(100), associations="allowed"), *each) == []


def test_a_group_told_for_one_stake_hides_no_other_of_the_player() -> None:
    """A player's own stakes count together, whichever group is named for each."""
    each = [stake(60, group="g"), stake(60), stake(60, group="h")]
    assert codes(Fixed(maximum=amount(100)), *each) == ["above-maximum", "above-maximum"]
    assert codes(Fixed(maximum=amount(200)), *each) == []


def test_prisoners_count_towards_no_limit() -> None:
    """A stake in prison was accepted long ago."""
    rule = Fixed(minimum=amount(20), maximum=amount(100), step=amount(20), both_sides=False)
    prisoner = stake(101, state="prison")
    assert codes(rule, prisoner, stake(100, "noir")) == []


def test_raising_is_measured_by_the_reference_bet() -> None:
    """Before the reference bet nothing is measured; after it each bet is, and not the last one."""
    rule = Fixed(progression=Progression(reference=2, at_most=Fraction(3, 2)))
    history = History.of([[stake(4)]])
    assert codes(rule, stake(1000), history=history) == []
    history = History.of([[stake(4)], [stake(10)], [stake(2)]])
    assert codes(rule, stake(15), history=history) == []
    assert codes(rule, stake(8), stake(8, "noir"), history=history) == ["raised-too-fast"]
    assert codes(rule, stake(16, owner="bob"), history=history) == []


def test_history_counts_free_stakes_by_party_and_coup() -> None:
    """Two stakes of a coup are one bet; a coup without a free stake is none."""
    coups = [[stake(4), stake(6, "noir")], [], [stake(50, state="prison")], [stake(2, owner="bob")]]
    history = History.of(coups)
    assert history.of_party("alice") == (10,)
    assert history.of_party("bob") == (2,)


def test_limits_are_in_the_currency_and_stakes_in_units() -> None:
    """With a unit of .50 a minimum of 10 is 20 units, and refusals speak the currency."""
    limits = Fixed(minimum=amount(10)).build(Money("CHF", Amount.parse("0.50")))
    (refusal,) = limits.refusals([stake(19)], History(), Opening())
    assert refusal.message == "a stake of 9.50 CHF is below the minimum of 10 CHF"
    assert refusal.stake == "alice-rouge-19"


def test_an_amount_that_is_no_whole_number_of_units_is_refused() -> None:
    """A limit that no stake could meet exactly is a fault of the house."""
    with pytest.raises(RuleError) as caught:
        Fixed(minimum=Amount.parse("0.30")).build(Money(unit=Amount.parse("0.20")))
    assert caught.value.code == "not-whole-units"


@pytest.mark.parametrize(
    ("rule", "code", "field"),
    [
        (Fixed(maximum=amount(9), maximum_multiple=9), "two-maxima", "maximum_multiple"),
        (
            Fixed(minimum=amount(9), maximum=amount(8)),
            "maximum-below-minimum",
            "maximum",
        ),
        (Fixed(minimum=amount(0), maximum=amount(0)), "no-stake-possible", "maximum"),
        (
            Fixed(minimum=amount(0), maximum_multiple=10),
            "no-stake-possible",
            "maximum_multiple",
        ),
        (
            TableTiers(tables=(TablePair(amount(9), amount(8)),)),
            "maximum-below-minimum",
            "tables",
        ),
        (
            TableTiers(tables=(TablePair(amount(2), amount(8)), TablePair(amount(2), amount(9)))),
            "same-minimum",
            "tables",
        ),
    ],
)
def test_limits_that_contradict_are_refused(rule: Any, code: str, field: str) -> None:
    """No house is built whose limits accept nothing, or cannot be told apart."""
    with pytest.raises(RuleError) as caught:
        rule.build(Money())
    assert (caught.value.code, caught.value.field) == (code, field)


@pytest.mark.parametrize(
    "make",
    [
        lambda: TableTiers(tables=()),
        lambda: TablePair(amount(0), amount(10)),
        lambda: Progression(reference=0),
        lambda: Fixed(maximum_multiple=0),
    ],
)
def test_values_out_of_range_are_refused(make: Any) -> None:
    """No table, a table without a minimum, the bet before the first, a multiple of nought."""
    with pytest.raises(ValueError, match=": "):
        make()


@pytest.mark.parametrize("minimum", [0, -5, True, 2.5, "5", 10**19])
def test_a_table_opens_with_a_minimum_that_is_a_stake(minimum: Any) -> None:
    """Anything but a whole number of units above nought is refused at once."""
    with pytest.raises(BetError) as caught:
        Opening(minimum)
    assert caught.value.code == "bad-opening"


@pytest.mark.parametrize(
    ("opening", "code"), [(None, "opening-needed"), (3, "no-such-table"), (5, "")]
)
def test_the_opening_says_which_table(opening: int | None, code: str) -> None:
    """A single table of the rule ``tables`` is told by its minimum too."""
    rule = TableTiers(tables=(TablePair(amount(5), amount(102)),))
    if not code:
        assert codes(rule, stake(102), opening=opening) == []
        return
    with pytest.raises(BetError) as caught:
        codes(rule, stake(102), opening=opening)
    assert caught.value.code == code


def test_a_stake_outside_the_limits_is_settled_as_it_stands() -> None:
    """``refusals`` asks the limits; ``settle`` settles what was accepted, and clamps nothing."""
    house = loads_house(f"{HEAD}[limits]\nminimum = 20\nmaximum = 100\n")
    placed = [stake(500)]
    assert [refusal.code for refusal in refusals(house, placed)] == ["above-maximum"]
    assert settle(house, coup_with(35, 33), placed).players_net == 500


def test_limits_in_a_file_name_the_place_of_their_fault() -> None:
    """A contradiction is told with the line of the key at fault."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(f"{HEAD}[limits]\nminimum = 20\nmaximum = 10\n")
    (fault,) = caught.value.faults
    assert (fault.code, fault.key, fault.line) == ("maximum-below-minimum", "limits.maximum", 7)
