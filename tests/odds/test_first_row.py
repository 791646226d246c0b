"""The order of the rows: whichever colour is dealt first, every wager has the same odds."""

from __future__ import annotations

import pytest
from attrs import evolve

from trente_rules import load_house
from trente_rules.core import default_manager
from trente_rules.odds.advantage import advantage, law_of
from trente_rules.odds.coup_odds import odds_of


@pytest.mark.parametrize("packs", [1, 3, 6, 8])
def test_both_orders_have_the_same_law(packs: int) -> None:
    """D-R15: each verdict of each simple chance is as likely in either order."""
    house, odds = load_house("homburg-1860"), odds_of("own", packs)
    laws = [
        {
            chance.id: law_of(chance, odds)
            for chance in evolve(house, deal=evolve(house.deal, first_row=row)).chances
        }
        for row in ("noir", "rouge", "cut")
    ]
    assert laws[0] == laws[1] == laws[2]


@pytest.mark.parametrize("name", default_manager().names("house"))
def test_every_house_has_the_same_figures_in_both_orders(name: str) -> None:
    """D-R15: so the figures of a house whose cut decides are those of either order."""
    house = load_house(name)
    odds = odds_of("own", house.shoe.packs)
    edges = [
        [
            (wager.chance, wager.insured, wager.policy, wager.edge)
            for wager in advantage(
                evolve(house, deal=evolve(house.deal, first_row=row)), odds
            ).wagers
        ]
        for row in ("noir", "rouge")
    ]
    assert edges[0] == edges[1]
