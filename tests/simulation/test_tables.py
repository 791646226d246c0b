"""The tables that the kernel is given say, exactly, what the analysis says."""

from __future__ import annotations

from fractions import Fraction

import pytest

pytest.importorskip("numpy")

from trente_rules import House, Opening, load_house, loads_house
from trente_rules.core import default_manager
from trente_rules.core.errors import TrenteError
from trente_rules.odds.advantage import WagerAdvantage, advantage, solve
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.simulation.arrays import HouseArrays, shoes_for, tables

OPENING = Opening(minimum=10)


def edges(made: HouseArrays, packs: int) -> list[Fraction]:
    """Solve the kernel's tables: the edge of each wager, exactly."""
    odds = fresh_shoe(packs)
    found = []
    for wager, (chance, first) in zip(made.wagers, made.starts.tolist(), strict=True):
        chances = odds.verdicts(bytes(made.verdicts[chance].tolist()))
        reached = [first]
        constants: dict[str, Fraction] = {}
        weights: dict[str, dict[str, Fraction]] = {}
        for node in reached:
            name = str(node)
            constants[name], weights[name] = Fraction(0), {}
            for verdict, p in enumerate(chances):
                constants[name] += p * int(made.gains[node, verdict])
                then = int(made.nexts[node, verdict])
                if then >= 0 and p:
                    weights[name][str(then)] = weights[name].get(str(then), Fraction(0)) + p
                    if then not in reached:
                        reached.append(then)
        value = solve([str(node) for node in reached], constants, weights)[str(first)]
        found.append(-value / wager.scale)
    return found


def exact(house: House, stake: int | None) -> tuple[WagerAdvantage, ...]:
    """Return the wagers with the analysis' edges."""
    return advantage(house, fresh_shoe(house.shoe.packs), stake=stake, opening=OPENING).wagers


@pytest.mark.slow
@pytest.mark.parametrize("name", default_manager().names("house"))
def test_tables_have_the_edges_of_the_analysis(name: str) -> None:
    """For a stake of 1,000 units, rounded as the house rounds; for nominal stakes, to 1e-15.

    Halving without end is cut after 24 times in the kernel, never in the analysis.
    """
    house = load_house(name)
    made = tables(house, 1000, OPENING, None, "all")
    assert edges(made, house.shoe.packs) == [wager.edge for wager in exact(house, 1000)]
    nominal = edges(tables(house, None, OPENING, None, "all"), house.shoe.packs)
    for found, wager in zip(nominal, exact(house, None), strict=True):
        assert abs(found - wager.edge) < Fraction(1, 10**15)


def test_default_policies_alone() -> None:
    """One wager a chance, insured and not, with the courses taken when nobody chooses."""
    house = load_house("france-2007")
    made = tables(house, None, OPENING, ("inverse",), "default")
    assert [(w.chance, w.insured, str(w.policy)) for w in made.wagers] == [
        ("inverse", False, "free/refait: prison, prison/refait: prison"),
        ("inverse", True, "no choice"),
    ]


def test_shares_too_fine_for_whole_numbers() -> None:
    """A share of 1/999999937 of what is left, again and again, is refused in a sentence."""
    house = loads_house(
        """
        [house]
        name = "fine"
        [refait]
        rule = "custom"
        [refait.machine.free]
        refait = [{ course = "prison", staying = "1", state = "prison" }]
        [refait.machine.prison]
        refait = [{ course = "cut", staying = "1/999999937", state = "prison" }]
        close = [{ course = "closed", returned = "1/2" }]
        """
    )
    with pytest.raises(TrenteError, match="too fine") as caught:
        tables(house, None, OPENING, None, "all")
    assert caught.value.code == "too-fine-shares"
    assert tables(house, 1000, OPENING, None, "all").wagers[0].scale == 1000


def test_shoes_for_about_so_many_coups() -> None:
    """Shoes hold 29 coups of six packs, fewer of three, and there is always one."""
    assert shoes_for(load_house("foster-1897").shoe, 29_020) == 1001
    assert shoes_for(load_house("german-spas-1840").shoe, 1000) == 71
    assert shoes_for(load_house("foster-1897").shoe, 1) == 1
