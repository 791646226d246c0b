"""The compiled kernel against the engine: the same shoes in, the same counts and units out."""

from __future__ import annotations

from typing import Final

import pytest
from attrs import evolve

pytest.importorskip("numba")


from tests.simulation.engine import Engine

from trente_rules import House, Opening, load_house, loads_house
from trente_rules.core import default_manager
from trente_rules.core.shoe import Marker
from trente_rules.simulation.arrays import tables
from trente_rules.simulation.flat import FlatJob
from trente_rules.simulation.flat_result import BASES, result
from trente_rules.simulation.runner import run

AMOUNT: Final = 1000
"""Units of each stake: every shipped house insures it, where it insures at all."""
ODD_AMOUNT: Final = 1234567
OPENING: Final = Opening(minimum=10)


def agrees(house: House, amount: int, seed: int, shoes: int, *, opening: Opening = OPENING) -> None:
    """Play by both, and compare all that is counted."""
    job = FlatJob((house,), seed, amount, opening)
    made = job.tables(house)
    simulated = result([house], [made], seed, 0, run(job, shoes, workers=1)).houses[0]
    sure = house.shoe.sure_coups()
    kinds_of = {"sure": (0, 1) if sure else (), "all": (0, 1, 2), "first": (0,)}
    engine = Engine(house, made.wagers, amount, opening, sure)
    played = engine.play(seed, shoes)
    assert {n: count for n, count in enumerate(simulated.per_taille) if count} == played.per_taille
    assert simulated.voids == played.voids
    assert simulated.extra_shoes == played.extra_shoes
    for basis, counts in zip(BASES, simulated.outcomes, strict=True):
        expected = sum(
            (played.outcomes[kind] for kind in kinds_of[basis]), type(played.per_taille)()
        )
        assert {place: count for place, count in enumerate(counts) if count} == expected
    for number, wager in enumerate(simulated.wagers):
        for basis, kinds in kinds_of.items():
            counted = evolve(getattr(wager, basis), variance=0.0, largest=0.0)
            assert counted == played.measure(number, kinds, amount), (wager, basis)


@pytest.mark.slow
@pytest.mark.parametrize("name", default_manager().names("house"))
def test_every_house_comes_to_the_same_unit(name: str) -> None:
    """Outcomes, tailles, voids, and each wager's net and squares, insured or not, each policy."""
    agrees(load_house(name), AMOUNT, seed=len(name), shoes=6)


@pytest.mark.nightly
@pytest.mark.parametrize("name", default_manager().names("house"))
@pytest.mark.parametrize("amount", [AMOUNT, ODD_AMOUNT, 17])
def test_every_house_comes_to_the_same_unit_for_many_shoes(name: str, amount: int) -> None:
    """Amounts that are rounded, insured or too small to be, over some thousands of coups."""
    agrees(load_house(name), amount, seed=amount, shoes=150)


def test_prisoners_that_the_end_of_a_shoe_closes() -> None:
    """Where every tie is a refait and prisoners are closed, many a stake ends with its shoe."""
    house = load_house("german-spas-1840")
    agrees(evolve(house, shoe=evolve(house.shoe, prisoners_at_end="close")), 999, seed=1, shoes=12)


@pytest.mark.slow
def test_a_marker_that_finishes_the_coup_and_one_that_voids_it() -> None:
    """A player puts the marker 1 to 90 cards from the end; both ways of it, with cards burned."""
    for on_marker in ("finish", "void"):
        house = loads_house(
            f"""
            [house]
            name = "marked"
            [shoe]
            packs = 4
            burn = 7
            prisoners_at_end = "carry"
            marker = {{ from_end = [1, 90], placed_by = "player", on_marker = "{on_marker}" }}
            [refait]
            rule = "prison"
            levels = 2
            partage = ["1/2", "1/4"]
            release = "one-out"
            last = "halve"
            [insurance]
            rule = "rate"
            covers = ["free", "prison"]
            premium_on = {{ apres = "returned" }}
            [[side_bets]]
            id = "any-apres"
            wins_on = "any-tie"
            odds = "8"
            """
        )
        agrees(house, 777, seed=5, shoes=30)


def test_one_pack_hardly_holds_a_coup() -> None:
    """With one pack, 40 cards burned and one behind the marker, some tailles have no coup."""
    house = load_house("italy-half-loss")
    rule = evolve(house.shoe, packs=1, burn=40, marker=Marker(from_end=1))
    short = evolve(house, shoe=rule)
    assert rule.sure_coups() == 0
    agrees(short, AMOUNT, seed=2, shoes=300)
    made = tables(short, None, Opening(), None, "all")
    done = run(FlatJob((short,), 2), 300, workers=1)
    simulated = result([short], [made], 2, 0, done).houses[0]
    assert simulated.per_taille[0] > 0
    assert simulated.wagers[0].sure.edge is None
    assert simulated.wagers[0].sure.standard_error is None
