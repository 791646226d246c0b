"""The terms of a stake, which a table looks at first: they promise no more than the house takes."""

from __future__ import annotations

import pytest
from attrs import evolve, frozen
from tests.properties.shipped import names, shipped

from trente_rules import BetError, History, House, Opening, Stake, loads_house, refusals
from trente_rules.core.money import MOST
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.settlement import Terms, refusals_near, terms_of

AMOUNTS = (1, 2, 5, 9, 10, 11, 15, 19, 20, 25, 50, 99, 100, 101, 105, 500, 1000, 1001, 10**4, 10**6)
OPEN = Opening()


def house(limits: str = "", insurance: str = "", more: str = "") -> House:
    """Return a house in euros with a minimum of 10."""
    insured = f'[insurance]\nrule = "rate"\n{insurance}\n' if insurance else ""
    return loads_house(
        '[house]\nname = "own"\n[refait]\nrule = "half-loss"\n'
        f'[limits]\nrule = "fixed"\nminimum = 10\n{limits}\n{insured}{more}'
    )


def stake(amount: int, chance: str = "rouge", *, insured: bool = False) -> Stake:
    """Return the stake of a player who has no other."""
    return Stake("a", "ann", chance, amount, insured=insured)


def opening_of(built: House) -> Opening:
    """Return an opening under which the limits of a house are known."""
    try:
        built.limits_table.table(OPEN)
    except BetError:
        return Opening(built.limits_table.tables[0].minimum or 100)
    return OPEN


@pytest.mark.parametrize("name", names())
def test_what_terms_promise_is_taken(name: str) -> None:
    """In every shipped house a stake within its terms is refused by nothing."""
    built = shipped(name)
    opening = opening_of(built)
    terms = terms_of(built, opening)
    for chance, insured in built.wagers:
        found = terms[chance, insured]
        if found is None:
            continue
        assert (found.wager is not None) == insured
        near = {found.least, found.least + found.step, found.most - found.most % found.step}
        for amount in (*AMOUNTS, *near):
            if found.least <= amount <= found.most and not amount % found.step:
                one = stake(amount, chance, insured=insured)
                assert refusals(built, [one], opening=opening) == ()


def test_terms_are_the_limits_of_a_plain_house() -> None:
    """A house whose limits are of each player alone needs no closer look at a single stake."""
    plain = terms_of(house("maximum = 1000"), OPEN)
    assert plain["rouge", False] == Terms(10, 1000, 1, None)
    assert plain["rouge", True] is None  # not insured here
    assert plain["plein", False] is None  # no chance of the game
    assert terms_of(house("step = 10"), OPEN)["rouge", False] == Terms(10, MOST, 10, None)
    free = loads_house('[house]\nname = "own"\n[refait]\nrule = "half-loss"\n')
    assert terms_of(free, OPEN)["rouge", False] == Terms(1, MOST, 1, None)


def test_terms_are_found_once() -> None:
    """What was found is kept; what players name without its being a wager is not."""
    terms = terms_of(house(), OPEN)
    first = terms["rouge", False]
    assert first is not None
    assert terms["rouge", False] is first
    assert terms["plein", False] is None
    assert list(terms) == [("rouge", False)]


def test_terms_of_insured_stakes_have_the_bounds_of_insurance() -> None:
    """The least, the most and the step are those of the limits and of the insurance together."""
    keys = "prepaid = false\n"
    found = terms_of(house("maximum = 1000", f"{keys}minimum_stake = 50"), OPEN)["noir", True]
    assert found is not None
    assert found[:3] == (50, 1000, 1)
    assert found.wager is not None
    assert found.wager.insured
    most = terms_of(house("maximum = 1000", f"{keys}maximum_stake = 600"), OPEN)["noir", True]
    assert most is not None
    assert most[:3] == (10, 600, 1)
    step = terms_of(house("step = 10", f"{keys}multiple = 4"), OPEN)["noir", True]
    assert step is not None
    assert step[:3] == (10, MOST, 20)
    posted = Opening(insurance_minimum=70)
    later = terms_of(house("maximum = 1000", f"{keys}minimum_stake = 50"), posted)["noir", True]
    assert later is not None
    assert later[:3] == (70, 1000, 1)
    free = terms_of(house("maximum = 1000", f"{keys}minimum_stake = 50"), posted)["noir", False]
    assert free == Terms(10, 1000, 1, None)


@frozen
class _AnyTable(InsuranceTable):
    """A table of a plugin, which may refuse what it likes."""


def test_insurance_of_a_plugin_is_looked_at() -> None:
    """A rule of a plugin may look at more than bounds, and a table may cover no free stakes."""
    built = house(insurance="minimum_stake = 10")
    table = built.insurance_table
    assert table is not None
    assert terms_of(built, OPEN)["noir", True] is not None
    for other in (_AnyTable(table.rate), InsuranceTable(table.rate, covers=("prison",))):
        made = house(insurance="minimum_stake = 10")
        made.wagers["noir", True] = evolve(made.wagers["noir", True], insurance=other)
        assert terms_of(made, OPEN)["noir", True] is None
        assert terms_of(made, OPEN)["noir", False] is not None


def test_exact_houses_look_at_every_stake() -> None:
    """Where a stake that cannot be settled to the unit is refused, no amount is promised."""
    exact = house(more='[money]\nrounding = "refuse"\n')
    assert terms_of(exact, OPEN)["rouge", False] is None


def test_limits_of_all_players_together_are_looked_at() -> None:
    """A stake that is within its own bounds may be one too many of all players."""
    assert terms_of(house("table_most_stakes = 3"), OPEN)["rouge", False] is None


def test_limits_that_are_not_known_are_an_error_of_the_stake() -> None:
    """A minimum that is set daily and was not posted: nothing is promised, the refusal says why."""
    daily = loads_house(
        '[house]\nname = "own"\n[refait]\nrule = "half-loss"\n'
        '[limits]\nrule = "fixed"\nminimum = "at-opening"\n'
    )
    assert terms_of(daily, OPEN)["rouge", False] is None
    assert terms_of(daily, Opening(20))["rouge", False] == Terms(20, MOST, 1, None)
    open_ = Opening(20)
    assert refusals_near(daily, "a", [stake(20)], {"rouge": 20}, 1, History(), opening=open_) == ()


def test_the_last_64_openings_are_remembered() -> None:
    """An opening has its own terms; they are forgotten when 64 others have come."""
    built = house()
    openings = [Opening(n) for n in range(1, 65)]
    first = terms_of(built, openings[0])
    for opening in openings:
        terms_of(built, opening)
    assert terms_of(built, openings[0]) is first
    assert len(built.terms) == 64
    terms_of(built, Opening(65))
    assert len(built.terms) == 1
    assert terms_of(built, openings[0]) is not first
