"""Edges as functionals of the law of a coup: those of ``advantage``, in every house."""

from __future__ import annotations

from typing import Literal

import pytest
from attrs import evolve
from hypothesis import assume
from tests.properties.meeting import meets

pytest.importorskip("numpy")

import numpy as np
from tests.properties.shipped import any_house

from trente_rules import load_house
from trente_rules.core import default_manager
from trente_rules.core.chances import Chance, Verdict
from trente_rules.core.coup import POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe, infinite_pack
from trente_rules.odds.functionals import (
    FEATURES,
    TOTALS,
    HouseFunctionals,
    vector_of,
    vectors_of,
    verdict_weights,
)
from trente_rules.odds.last_coups import advantage_of_cards, fits_by_total
from trente_rules.odds.remaining import CompletedOdds, Composition, deal_odds

CLOSE = 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", default_manager().names("house"))
def test_edges_are_those_of_the_exact_advantage(name: str) -> None:
    """P10: every wager of every house under every policy, to 1e-12, for three laws at once."""
    house = load_house(name)
    laws = [infinite_pack(), fresh_shoe(1), fresh_shoe(6)]
    functionals = HouseFunctionals.of(house)
    found = functionals.edges(vectors_of(laws))
    for line, odds in zip(found, laws, strict=True):
        exact = advantage(house, odds).wagers
        assert [(w.path.chance.id, w.path.insured, w.path.policy) for w in functionals.wagers] == [
            (w.chance, w.insured, w.policy) for w in exact
        ]
        for edge, wager in zip(line, exact, strict=True):
            assert edge == pytest.approx(float(wager.edge), abs=CLOSE), (name, wager)
    best = functionals.best(found)
    least = min(float(w.edge) for w in advantage(house, laws[-1]).wagers)
    assert min(edges[-1] for edges in best.values()) == pytest.approx(least, abs=CLOSE)


def test_a_law_that_no_next_coup_follows_values_prison_by_a_fresh_shoe() -> None:
    """M3: where no coup of the shoe fits, a prisoner is worth what a fresh shoe makes it."""
    house = load_house("france-2007")
    functionals = HouseFunctionals.of(house)
    vectors = vectors_of([fresh_shoe(1), fresh_shoe(6)])
    never, always = np.zeros((2, 19)), np.ones((2, 19))
    fresh = functionals.edges(vectors)
    assert functionals.edges(vectors, always) == pytest.approx(fresh, abs=CLOSE)
    # In a fresh sixain it makes no difference which shoe comes next: both are sixains.
    ends = functionals.edges(vectors, never)
    assert ends[1] == pytest.approx(fresh[1], abs=CLOSE)
    assert np.abs(ends[0] - fresh[0]).max() > 5e-7


def test_a_law_is_a_vector_of_points_and_reds() -> None:
    """A half of every pair of points has a red first card, in whole packs."""
    law = vector_of(fresh_shoe(6))
    assert law.shape == (FEATURES,)
    assert law[:100].sum() == pytest.approx(1)
    assert law[100:] == pytest.approx(law[:100] / 2)


def test_no_laws_are_a_table_without_lines() -> None:
    """A caller that has no coup yet stacks nothing: no line, of 200 numbers each."""
    assert vectors_of([]).shape == (0, FEATURES)
    assert vectors_of([fresh_shoe(6)]).shape == (1, FEATURES)


def test_two_rows_have_62_to_80_points() -> None:
    """The parts of coups that a next one follows have a place for each sum, two tens of 40 too."""
    assert [*TOTALS] == sorted({one + other for one in POINTS for other in POINTS})


def test_a_chance_that_looks_at_both_colours_needs_the_exact_engine() -> None:
    """Two red first cards at once are in no vector of points and one colour."""
    chance = Chance.of(
        "both-red",
        lambda it: Verdict.WIN if it.first_colour == it.second_colour else Verdict.LOSE,
    )
    with pytest.raises(TrenteError) as caught:
        verdict_weights(chance)
    assert caught.value.code == "needs-exact"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["france-2007", "monte-carlo-1911", "italy-two-prisons", "foster-1897", "spain-1979"]
)
@pytest.mark.parametrize("at_end", ["carry", "close"])
def test_near_the_end_edges_are_those_of_the_exact_steps(
    name: str, at_end: Literal["carry", "close"]
) -> None:
    """M3, two ways: floats that mix worths, and exact steps into a second shoe."""
    house = load_house(name)
    house = evolve(house, shoe=evolve(house.shoe, prisoners_at_end=at_end))
    functionals = HouseFunctionals.of(house)
    for text in ("A:3r+1b,9:4,X:6", "A:0r+2b,X:7r+0b", "A:4,2:4,5:2,8:4,X:7r+1b", "A:4,5:8,X:16"):
        left = Composition.parse(text)
        odds = deal_odds(left)
        fits = fits_by_total(house.shoe, left, odds.row())
        wanted = advantage_of_cards(house, left, CompletedOdds(odds)).wagers
        fitting = None if fits is None else np.array([[float(part) for part in fits]])
        found = functionals.edges(vectors_of([odds]), fitting)[0]
        best: dict[tuple[str, bool], float] = {}
        for wager in wanted:
            key = wager.chance, wager.insured
            best[key] = min(best.get(key, 9.0), float(wager.edge))
        for key, (edge,) in functionals.best(found[None, :]).items():
            assert edge == pytest.approx(best[key], abs=CLOSE), (text, key)


@pytest.mark.slow
@meets(house=any_house())
def test_edges_of_any_house_are_those_of_advantage(house: House) -> None:
    """P10: of houses drawn at random too."""
    try:
        functionals = HouseFunctionals.of(house)
        exact = advantage(house, fresh_shoe(1)).wagers
    except TrenteError as error:
        assume(error.code not in ("needs-exact", "too-many-policies"))
        raise
    (line,) = functionals.edges(vectors_of([fresh_shoe(1)]))
    assert len(line) == len(exact)
    for edge, wager in zip(line, exact, strict=True):
        assert edge == pytest.approx(float(wager.edge), abs=1e-9)
