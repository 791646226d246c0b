"""The long-run covariance of stakes on every coup: prisoners meet the stakes placed after them."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

import pytest

from trente_rules import load_house
from trente_rules.core.wager import WagerPath
from trente_rules.odds.advantage import advantage, long_run_covariance
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.odds.remaining import Composition, deal_odds

RATIOS = [
    ("france-2007", 1.01207),
    ("campione", 1.01221),
    ("foster-1897", 1.01215),
    ("homburg-1860", 1.01192),
    ("german-spas-1840", 1.05631),
]
COUPS = 60


def path_of(name: str, chance: str = "rouge") -> tuple[WagerPath, CoupOdds]:
    """Return the path of the silent player on a chance, and the odds of a fresh shoe."""
    house = load_house(name)
    wager = next(w for w in house.wagers_on(chance) if not w.insured)
    return next(wager.paths()), fresh_shoe(house.shoe.packs)


def variance(name: str, path: WagerPath) -> Fraction:
    """Return the variance of one stake by the advantage of the house."""
    house = load_house(name)
    found = advantage(house, fresh_shoe(house.shoe.packs), chances=[path.chance.id]).wagers
    return next(w.variance for w in found if not w.insured and w.policy == path.policy)


@pytest.mark.parametrize(("name", "ratio"), RATIOS)
def test_the_deviation_of_a_stake_on_every_coup(name: str, ratio: float) -> None:
    """M28: the long-run deviation over that of single stakes; values of the finding."""
    path, odds = path_of(name)
    found = sqrt(long_run_covariance(path, path, odds) / variance(name, path))
    assert round(found, 5) == ratio


@pytest.mark.parametrize("name", ["italy-half-loss", "monte-carlo-1911"])
def test_without_a_prison_coups_share_nothing(name: str) -> None:
    """M28: half lost and partage stay as they are, exactly."""
    house = load_house(name)
    odds = fresh_shoe(house.shoe.packs)
    checked = 0
    for wager in house.wagers_on("rouge"):
        for path in wager.paths():
            if not path.staying and not path.insured:
                assert long_run_covariance(path, path, odds) == variance(name, path)
                checked += 1
    assert checked


def run_of(one: WagerPath, other: WagerPath, odds: CoupOdds) -> list[float]:
    """Return the covariance of the two sums of a stake on each of 1, 2, ... coups, another way.

    The joint law is carried coup by coup. A prisoner of either wager is a part of a stake in a
    state; the product of two sums has one number for each pair of stakes that are there, by the
    states that they are in. It is a second way: no system is solved, and no lag is formed.
    """
    law: dict[tuple[Any, Any], float] = {}
    for i, j, weight in zip(one.chance.table, other.chance.table, odds.weights, strict=True):
        pair = one.chance.verdicts[i], other.chance.verdicts[j]
        law[pair] = law.get(pair, 0) + weight / odds.denominator
    free = next(iter(one.steps)), next(iter(other.steps))
    # Means: of the sum that came back, and of the parts that wait in each state, of either wager;
    # "" is what has come back. Products of the same, of the one with the other.
    first: dict[str, float] = {"": 0.0}
    second: dict[str, float] = {"": 0.0}
    both: dict[tuple[str, str], float] = {("", ""): 0.0}
    found = []
    for _coup in range(COUPS):
        # A stake of one unit is placed on each.
        placed_first = {**first, free[0]: first.get(free[0], 0.0) + 1}
        placed_second = {**second, free[1]: second.get(free[1], 0.0) + 1}
        placed = dict(both)
        for state, mean in first.items():
            key = state, free[1]
            placed[key] = placed.get(key, 0.0) + mean
        for state, mean in second.items():
            key = free[0], state
            placed[key] = placed.get(key, 0.0) + mean
        placed[free] = placed.get(free, 0.0) + 1
        first = _moved(one, placed_first, law, 0)
        second = _moved(other, placed_second, law, 1)
        both = {}
        for (mine, theirs), p in law.items():
            for (here, there), mean in placed.items():
                for to, part in _parts(one, here, mine):
                    for then, share in _parts(other, there, theirs):
                        both[to, then] = both.get((to, then), 0.0) + p * mean * part * share
        found.append(both["", ""] - first[""] * second[""])
    return found


def _moved(
    path: WagerPath, placed: dict[str, float], law: dict[tuple[Any, Any], float], place: int
) -> dict[str, float]:
    """Return the means of one wager after a coup."""
    moved: dict[str, float] = {}
    for verdicts, p in law.items():
        for state, mean in placed.items():
            for to, part in _parts(path, state, verdicts[place]):
                moved[to] = moved.get(to, 0.0) + p * mean * part
    return moved


def _parts(path: WagerPath, state: str, verdict: Any) -> list[tuple[str, float]]:
    """Return what becomes of one unit: what comes back ("") and what waits, by its state."""
    if not state:
        return [("", 1.0)]
    step = path.steps[state][verdict]
    waits = [(step.target, float(step.keeps))] if step.target else []
    return [("", float(step.back)), *waits]


@pytest.mark.parametrize("name", ["german-spas-1840", "france-2007", "campione", "italian-program"])
@pytest.mark.parametrize("chances", [("rouge", "rouge"), ("rouge", "noir"), ("rouge", "couleur")])
def test_sums_over_many_coups_grow_by_it(name: str, chances: tuple[str, str]) -> None:
    """M28, a second way: a coup more adds the long-run covariance to that of two sums."""
    house = load_house(name)
    odds = fresh_shoe(house.shoe.packs)
    one, other = (next(house.wagers_on(chance)[0].paths()) for chance in chances)
    sums = run_of(one, other, odds)
    assert sums[-1] - sums[-2] == pytest.approx(
        float(long_run_covariance(one, other, odds)), abs=1e-9
    )


def test_edges_that_do_not_exist_are_none() -> None:
    """M19: where every coup ties, no coup is resolved or decided, insured or not."""
    house = load_house("france-2007")
    odds = deal_odds(Composition.parse("X:8"))
    for wager in advantage(house, odds).wagers:
        assert (wager.per_resolved, wager.per_decided) == (None, None)
        assert wager.edge == (Fraction(1, 100) if wager.insured else 0)
