"""Whole tailles: the computed law and the holds against simulated coups, house by house."""

from __future__ import annotations

from math import erfc, fsum, sqrt
from pathlib import Path

import pytest

pytest.importorskip("numba")

from trente_rules import House, load_house
from trente_rules.core.plugins.manager import default_manager
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.taille import taille_law
from trente_rules.odds.taille_hold import holds
from trente_rules.simulation import simulate

HOUSES = [
    name
    for name in sorted(default_manager().names("house"))
    if not load_house(name).shoe.every_coup
]
FEW = ("france-2007", "german-spas-1840", "italian-program", "italy-two-prisons")
SEED = 20_261_202
FAMILY = 0.01
"""How often all houses and figures together may fail by chance."""
MOST_FIGURES = 24 * len(HOUSES)
EXPECTED = 10.0
"""Numbers of coups that are expected less often than this are taken together."""


def p_values(house: House, coups: float, resume: Path | None = None) -> dict[str, float]:
    """Simulate a house; return how likely each figure is to be as far from its computed value."""
    done = simulate(house, coups=coups, seed=SEED, resume=resume).houses[0]
    law = taille_law(house)
    assert law is not None
    found = {"coups a taille": fit(done.per_taille, law.law)}
    q = law.share.value
    if q:
        error = sqrt(q * (1 - q) / done.coups) + law.share.error
        found["refaits a coup"] = normal((done.refaits() / done.coups - q) / error)
    edges = advantage(house, fresh_shoe(house.shoe.packs)).wagers
    known = {
        (w.chance, w.insured, w.policy): h for w, h in zip(edges, holds(house, edges), strict=True)
    }
    for wager in done.wagers:
        hold = known[wager.chance, wager.insured, wager.policy]
        edge, wide = wager.all.edge, wager.all.standard_error
        assert hold is not None
        assert edge is not None
        if wide:
            name = f"{wager.chance}, insured {wager.insured}, {wager.policy}"
            found[name] = normal((float(edge) - hold.value) / (wide + hold.error))
    return found


def normal(z: float) -> float:
    """Return the probability of a normal deviate that is farther from zero."""
    return erfc(abs(z) / sqrt(2))


def fit(counts: tuple[int, ...], law: tuple[float, ...]) -> float:
    """Return the p-value of a chi-square of the numbers of coups; Wilson and Hilferty's root."""
    total = sum(counts)
    often = [*law, *[0.0] * len(counts)]
    seen = [*counts, *[0] * len(law)]
    pairs = [(n, total * p) for n, p in zip(seen, often, strict=False)]
    cells = [pair for pair in pairs if pair[1] >= EXPECTED]
    rare = [pair for pair in pairs if pair[1] < EXPECTED]
    cells.append((sum(n for n, _e in rare), fsum(e for _n, e in rare)))
    if cells[-1][1] < 1:
        last = cells.pop()
        cells[0] = cells[0][0] + last[0], cells[0][1] + last[1]
    freedom = len(cells) - 1
    square = fsum((n - e) ** 2 / e for n, e in cells)
    part = 2 / (9 * freedom)
    return erfc((((square / freedom) ** (1 / 3)) - (1 - part)) / sqrt(part) / sqrt(2)) / 2


def check(found: dict[str, float], name: str) -> None:
    """Fail where a figure is less likely than the family allows."""
    least = min(found, key=lambda figure: found[figure])
    limit = 1 - (1 - FAMILY) ** (1 / MOST_FIGURES)
    assert len(found) <= MOST_FIGURES
    assert found[least] > limit, f"{name}, {least}: p = {found[least]:.2g}, seed {SEED}"


@pytest.mark.slow
@pytest.mark.parametrize("name", FEW)
def test_some_coups_agree_with_the_law(name: str) -> None:
    """M23 to M25, in small: the law, the refaits and the hold of every wager."""
    check(p_values(load_house(name), 1e6), name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", HOUSES)
def test_a_thousand_million_coups_agree_with_the_law(
    name: str, request: pytest.FixtureRequest
) -> None:
    """M23 to M25: 10^9 coups a house; parts that are done are kept in pytest's cache."""
    folder = Path(request.config.cache.mkdir("whole-tailles"))
    check(p_values(load_house(name), 1e9, folder / f"{name}.json"), name)
