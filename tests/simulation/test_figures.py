"""What is simulated against what is known exactly: points, tailles, refaits, edges."""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import Final

import pytest

pytest.importorskip("numba")

from trente_rules import load_house
from trente_rules.core import default_manager
from trente_rules.odds.advantage import advantage, long_run_covariance
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.simulation.flat import simulate
from trente_rules.simulation.flat_result import SimulatedHouse, Simulation

pytestmark = pytest.mark.slow

ONE_IN_A_THOUSAND: Final = 3.2905
"""Standard errors that the truth is farther away than once in a thousand times."""
CHI_SQUARE_99: Final = 148.23
"""What chi-square with 99 degrees of freedom is above once in a thousand times."""
HOUSES: Final = default_manager().names("house")


@cache
def simulated(*names: str, coups: float = 2e6, seed: int = 1) -> Simulation:
    """Simulate houses by their names, once."""
    return simulate([load_house(name) for name in names], coups=coups, seed=seed, workers=2)


def chi_square(house: SimulatedHouse, basis: str) -> float:
    """Compare the coups by their points with those of a fresh shoe."""
    counts, odds = house.points(basis), fresh_shoe(house.packs).joint()
    coups = sum(map(sum, counts))
    return sum(
        (counts[i][j] - coups * float(odds[i][j])) ** 2 / (coups * float(odds[i][j]))
        for i in range(10)
        for j in range(10)
    )


@pytest.mark.parametrize("name", ["foster-1897", "german-spas-1840"])
def test_first_coups_have_the_points_of_a_fresh_shoe(name: str) -> None:
    """Chi-square over the 100 pairs of points, for six packs and for three."""
    house = simulated(name, coups=1e7, seed=3).houses[0]
    assert chi_square(house, "first") < CHI_SQUARE_99


@pytest.mark.parametrize("name", HOUSES)
def test_edges_are_the_exact_ones(name: str) -> None:
    """Every wager, every policy, over the coups that are sure: a fresh shoe's edge."""
    house = load_house(name)
    exact = advantage(house, fresh_shoe(house.shoe.packs)).wagers
    found = simulated(name).houses[0].wagers
    assert [(w.chance, w.insured, w.policy) for w in found] == [
        (w.chance, w.insured, w.policy) for w in exact
    ]
    for wager, truth in zip(found, exact, strict=True):
        edge, error = wager.sure.edge, wager.sure.standard_error
        assert edge is not None
        assert error is not None
        assert abs(float(edge - truth.edge)) < ONE_IN_A_THOUSAND * error, str(wager)
        paths = next(w for w in house.wagers_on(wager.chance) if w.insured == wager.insured).paths()
        path = next(path for path in paths if path.policy == wager.policy)
        # M6: a stake in prison shares its coup with the next stake.
        variance = long_run_covariance(path, path, fresh_shoe(house.shoe.packs))
        assert error == pytest.approx(sqrt(variance / wager.sure.stakes), rel=1e-9)
        alone = wager.first.standard_error
        assert alone == pytest.approx(truth.sd / sqrt(wager.first.stakes), rel=1e-9)


@pytest.mark.nightly
@pytest.mark.parametrize("name", HOUSES)
def test_edges_are_the_exact_ones_in_many_coups(name: str) -> None:
    """The same in a hundred million coups; of hundreds of figures one may be far off by chance.

    What is far off with one seed is simulated with another one: it is not far off twice.
    """
    off = far_off(name, seed=1)
    twice = off & far_off(name, seed=2) if off else off
    assert not twice


def far_off(name: str, seed: int) -> set[str]:
    """Return the wagers whose edge, in a hundred million coups, is far from the exact one."""
    house, found = load_house(name), set()
    exact = advantage(house, fresh_shoe(house.shoe.packs)).wagers
    wagers = simulated(name, coups=1e8, seed=seed).houses[0].wagers
    for wager, truth in zip(wagers, exact, strict=True):
        edge, error = wager.sure.edge, wager.sure.standard_error
        assert edge is not None
        assert error is not None
        if abs(float(edge - truth.edge)) >= ONE_IN_A_THOUSAND * error:
            found.add(f"{wager.chance}, insured {wager.insured}, {wager.policy}")
    return found


def test_coups_of_a_taille() -> None:
    """Six packs dealt to the end give 28 to 30 coups, 29.02 on the average; 28.58 with 5 burned."""
    whole = simulated("foster-1897", coups=1e7, seed=3).houses[0]
    assert whole.coups / whole.shoes == pytest.approx(29.02, abs=0.005)
    for coups, share in ((28, 0.033), (29, 0.911), (30, 0.056)):
        assert whole.per_taille[coups] / whole.shoes == pytest.approx(share, abs=0.0015)
    burned = simulated("campione").houses[0]
    assert burned.coups / burned.shoes == pytest.approx(28.58, abs=0.01)


def test_how_many_coups_are_sure() -> None:
    """2,040 points hold 25 coups of at most 80; five cards behind a marker cost one of them."""
    for name, coups in (("foster-1897", 25), ("france-2007", 24), ("campione", 24)):
        assert load_house(name).shoe.sure_coups() == coups
        tailles = simulated(name).houses[0].per_taille
        assert min(n for n, shoes in enumerate(tailles) if shoes) >= coups


def refaits(house: SimulatedHouse, basis: str) -> tuple[float, float]:
    """Return the share of refaits, and its standard error."""
    coups = sum(map(sum, house.points(basis)))
    share = house.refaits(basis) / coups
    return share, sqrt(share * (1 - share) / coups)


def test_refaits_of_coups_that_are_sure() -> None:
    """Of coups that are sure to be completed, q = .0218914 are refaits (six packs)."""
    share, error = refaits(simulated("foster-1897", coups=1e7, seed=3).houses[0], "sure")
    assert abs(share - 0.02189137) < ONE_IN_A_THOUSAND * error


@pytest.mark.nightly
def test_completed_coups_hold_too_many_refaits() -> None:
    """The average over all completed coups is not q but .02194: the last ones are short coups."""
    house = simulated("foster-1897", coups=1e9, seed=11).houses[0]
    sure, error = refaits(house, "sure")
    assert abs(sure - 0.02189137) < ONE_IN_A_THOUSAND * error
    share, error = refaits(house, "all")
    assert abs(share - 0.02194) < 0.000005 + ONE_IN_A_THOUSAND * error
    assert share - 0.02189137 > 2 * ONE_IN_A_THOUSAND * error


def test_differences_have_errors_of_their_own() -> None:
    """On the same shoes, the luck cancels out: what is left is the rules, with a small error."""
    run = simulated("france-2007", "italy-half-loss", "german-spas-1840", coups=5e6)
    france, italy = load_house("france-2007"), load_house("italy-half-loss")
    odds = fresh_shoe(6)
    exact = advantage(italy, odds).wagers[0].edge - advantage(france, odds).wagers[0].edge
    assert {(one.first, one.second) for one in run.differences} == {
        ("france-2007", "italy-half-loss")
    }
    assert {one.chances for one in run.differences} == {("rouge", "noir"), ("couleur", "inverse")}
    alone = run.houses[0].wagers[0].all.standard_error
    assert alone is not None
    for one in run.differences:
        if one.insured:
            assert one.edge == 0
            assert one.standard_error == 0
            continue
        assert one.standard_error is not None
        assert one.standard_error < alone / 5
        assert abs(float(one.edge - exact)) < ONE_IN_A_THOUSAND * one.standard_error


def test_houses_of_equal_packs_play_the_same_shoes() -> None:
    """What a house comes to does not depend on the houses beside it."""
    both = simulated("campione", "italy-half-loss", coups=1e5)
    alone = simulated("italy-half-loss", coups=1e5).houses[0]
    assert both.houses[1] == alone
    assert both.houses[0].outcomes == alone.outcomes


def test_the_result_as_json() -> None:
    """Names, fingerprints, counts and edges, each with the basis it is over."""
    run = simulated("italy-half-loss")
    told = run.to_json()
    house = told["houses"][0]
    assert told["seed"] == house["seed"] == 1
    assert told["complete"] is True
    assert house["fingerprint"] == load_house("italy-half-loss").fingerprint
    assert house["coups"] == house["outcomes"]["all"]["coups"]
    assert house["outcomes"]["first"]["coups"] == house["shoes"]
    assert house["coups"] == sum(int(n) * count for n, count in house["coups_per_taille"].items())
    assert house["wagers"][0]["basis"] == "coups sure to be completed"
    assert house["wagers"][0]["edge"] == house["wagers"][0]["over"]["sure"]["edge"]
    assert house["wagers"][0]["over"]["all"]["stakes"] == house["coups"]
    with pytest.raises(KeyError):
        run.house("nowhere")
