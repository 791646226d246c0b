"""The worth of a stake on the table: what a choice at a refait costs (U19, U58)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.odds.prisons import melting

from trente_rules import Stake, load_house, loads_house
from trente_rules.core import default_manager
from trente_rules.core.chances import Verdict
from trente_rules.core.errors import TrenteError
from trente_rules.odds.advantage import advantage, law_of
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.worth import CourseWorth, course_worths, stake_worth
from trente_rules.testing import opening_of

HOUSES = default_manager().names("house")


def worths(house: str, amount: int, state: str = "free") -> dict[str, CourseWorth]:
    """Return the courses of a free stake on rouge that met a refait, by their names."""
    played = load_house(house)
    stake = Stake("s", "ann", "rouge", amount, state)
    met = course_worths(played, stake, Verdict.REFAIT, opening=opening_of(played))
    return {each.course.name: each for each in met}


def test_the_worth_of_prison_and_of_partage_in_france() -> None:
    """U19: of 40.00 EUR in france-2007 partage returns 20.00, and prison is worth 19.76."""
    found = worths("france-2007", 4000)
    assert found["partage"].worth == 2000
    assert round(found["prison"].worth) == 1976
    assert [name for name, each in found.items() if each.best] == ["partage"]
    assert [name for name, each in found.items() if each.default] == ["prison"]
    assert (found["prison"].line.staying, found["partage"].line.forfeited) == (4000, 2000)


def test_equal_courses_are_both_best() -> None:
    """monte-carlo-1911: a prison that further refaits leave whole is worth exactly the half."""
    found = worths("monte-carlo-1911", 4000)
    assert {each.worth for each in found.values()} == {2000}
    assert all(each.best for each in found.values())


def test_a_prisoner_is_worth_what_it_can_still_return() -> None:
    """In france-2007 a second refait halves the worth, or returns a quarter of the stake."""
    found = worths("france-2007", 4000, state="prison")
    assert found["partage"].worth == 1000
    assert 980 < found["prison"].worth < 1000


def test_the_worth_is_in_units_that_the_house_pays() -> None:
    """A stake of one unit, at a house that keeps the part of a unit: partage returns nothing."""
    found = worths("france-2007", 1)
    assert found["partage"].worth == 0
    assert 0 < found["prison"].worth < Fraction(1, 2)
    assert found["prison"].best


@pytest.mark.parametrize("name", HOUSES)
def test_the_worth_of_a_free_stake_is_its_edge_at_best_play(name: str) -> None:
    """C10: two ways to the same figure, in every shipped house: a linear system, and all policies.

    The policies are those of ``advantage``, which knows nothing of this module.
    """
    house = load_house(name)
    opening = opening_of(house)
    for amount in (4000, 1234):
        law = fresh_shoe(house.shoe.packs)
        figures = advantage(house, law, chances=["rouge"], stake=amount, opening=opening).wagers
        edges = [each.edge for each in figures if not each.insured]
        worth = stake_worth(house, Stake("s", "ann", "rouge", amount), opening=opening)
        assert not edges or 1 - worth / amount <= min(edges)
        if amount == 4000:  # rounding leaves the policies the same
            assert 1 - worth / amount == min(edges)


def test_a_prisoner_is_insured_where_that_is_worth_its_premium() -> None:
    """Best play afterwards buys insurance for a prisoner: here for nothing, against losing all."""
    rules = """
        [house]
        name = "covered"
        extends = "france-2007"
        [refait]
        partage = []
        last = "lose"
        [insurance]
        {insurance}
    """
    rated = 'rule = "rate"\ncovers = ["free", "prison"]\nrate = '
    stake = Stake("s", "ann", "rouge", 4000, state="prison")
    tables = 'rule = "none"', f'{rated}"1/2"', f'{rated}"0"'
    bare, dear, free = (
        stake_worth(loads_house(rules.format(insurance=table)), stake) for table in tables
    )
    assert bare == dear < free == 2000


def test_later_choices_are_the_best_ones() -> None:
    """By hand: a prisoner is released as often as it is lost, and takes a quarter at a refait.

    The part of the coups that are no après in which a refait comes is q: 1/2 - q/2 + q/4 return.
    """
    house = load_house("france-2007")
    law = law_of(house.chance("rouge"), fresh_shoe(house.shoe.packs))
    part = law[Verdict.REFAIT] / (1 - law[Verdict.APRES])
    assert worths("france-2007", 4000)["prison"].worth == 4000 * (Fraction(1, 2) - part / 4)


def test_a_premium_that_comes_back_counts() -> None:
    """By hand: in monte-carlo-1911 1 % insures, and an après gives stake and premium back."""
    house = load_house("monte-carlo-1911")
    law = law_of(house.chance("rouge"), fresh_shoe(house.shoe.packs))
    insured = Stake("s", "ann", "rouge", 1_000_000, insured=True)
    worth = stake_worth(house, insured, opening=opening_of(house))
    assert worth == 1_000_000 + 10_000 * law[Verdict.APRES]


def test_a_stake_that_may_not_be_insured_is_worth_no_more() -> None:
    """An insurance for nothing is none for a prisoner above the greatest stake that is insured."""
    rules = """
        [house]
        name = "covered"
        extends = "france-2007"
        [refait]
        partage = []
        last = "lose"
        [insurance]
        {insurance}
    """
    rated = 'rule = "rate"\ncovers = ["free", "prison"]\nrate = "0"\nmaximum_stake = '
    stake = Stake("s", "ann", "rouge", 4000, state="prison")
    tables = 'rule = "none"', f"{rated}30", f"{rated}40"
    bare, below, enough = (
        stake_worth(loads_house(rules.format(insurance=table)), stake) for table in tables
    )
    assert bare == below < enough == 2000


def test_a_premium_in_parts_of_a_unit_insures_no_prisoner() -> None:
    """A house that refuses parts of a cent insures 40.00 EUR for 0.04, and not 15.00 for 0.015.

    One that rounds the premium insures both.
    """
    rules = """
        [house]
        name = "covered"
        extends = "france-2007"
        [money]
        rounding = "{rounding}"
        [refait]
        partage = []
        last = "lose"
        [insurance]
        {insurance}
    """
    rated = 'rule = "rate"\ncovers = ["free", "prison"]\nrate = "1/1000"'
    for amount, sold in ((1500, False), (4000, True)):
        stake = Stake("s", "ann", "rouge", amount, state="prison")
        bare, whole, rounded = (
            stake_worth(loads_house(rules.format(rounding=kind, insurance=table)), stake)
            for kind, table in (("refuse", 'rule = "none"'), ("refuse", rated), ("bank", rated))
        )
        assert (whole > bare) == sold
        assert rounded > bare


def test_a_stake_with_too_many_worths_is_refused() -> None:
    """A machine of two thirds and three quarters has more worths of 10**18 than are followed."""
    with pytest.raises(TrenteError) as refused:
        stake_worth(melting("2/3", "3/4"), Stake("s", "ann", "rouge", 10**18))
    assert refused.value.code == "too-many-states"
