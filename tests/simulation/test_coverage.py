"""Coverage of every 95 % interval that is printed: .93 to .97 over many seeds.

The intervals: the edge of flat stakes, the difference of two houses, the loss rate and the net a
coup of systems, the probability of ruin, and the bands of the PAR sheet. N0 and quantiles have
none. 200 seeds have room for chance, 99.9 %; 2,000 are the nightly test's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, lgamma, log
from typing import Final

import pytest

pytest.importorskip("numba")

import numpy as np
from tests.whole_units import whole_house

from trente_rules import load_house
from trente_rules.core.wager import WagerPath
from trente_rules.odds.advantage import advantage, edge_of, law_of
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.significance import at_least, at_most
from trente_rules.odds.taille_hold import holds
from trente_rules.players.seats import seat_of
from trente_rules.reports.par_sheet import par_sheet
from trente_rules.simulation.flat import simulate
from trente_rules.simulation.staking import simulate_systems
from trente_rules.simulation.staking_result import FEW, NORMAL, SimulatedSystem, band_of

LEAST: Final = 0.93
MOST: Final = 0.97
CHANCE: Final = 0.0005
"""Of each tail: a test that is right fails once in a thousand times."""
COUPS: Final = 10_000
SESSION: Final = 100
BANKROLLS: Final[dict[str, int | None]] = {"small": 20, "large": 1000, "endless": None}
SETTINGS: Final = [
    (system, size)
    for system in ("flat", "martingale", "d'alembert", "fibonacci")
    for size in BANKROLLS
]


def covers(covered: Sequence[bool], what: str, *, most: float = MOST) -> None:
    """Check how many intervals covered, with room for chance."""
    many, count = len(covered), sum(covered)
    told = f"{what}: {count} of {many} intervals cover, seeds from 1"
    assert at_most(count, many, LEAST) > CHANCE, told
    assert most == 1 or at_least(count, many, most) > CHANCE, told


def held(bands: Iterable[tuple[float, float] | None], truth: float) -> list[bool]:
    """Return whether each interval that is printed holds the truth."""
    return [band[0] <= truth <= band[1] for band in bands if band is not None]


def systems_cover(system: str, size: str, seeds: int) -> None:
    """Check the intervals of one system with one bankroll."""
    house = whole_house("france-2007")
    bankroll = BANKROLLS[size]
    seat = seat_of(
        house,
        system,
        base=10,
        bankroll=None if bankroll is None else bankroll * 10,
        endless=bankroll is None,
    )
    found: list[SimulatedSystem] = [
        simulate_systems(seat, coups=COUPS, session=SESSION, seed=seed, workers=1).seats[0]
        for seed in range(1, seeds + 1)
    ]
    what = f"{system}, {size} bankroll, "
    edge = float(found[0].expected.loss / found[0].staked)
    rates = [one.per_unit.band for one in found]
    # Either an interval covers, or there is none in most runs.
    assert system != "flat" or all(rates)
    if sum(rate is not None for rate in rates) > seeds / 2:
        covers(held(rates, -edge), f"{what}loss rate")
        mean = -edge * sum(one.staked for one in found) / sum(one.coups for one in found)
        covers(held([one.per_coup.band for one in found], mean), f"{what}net a coup")
    if bankroll is not None:
        ruined, sessions = sum(o.ruined for o in found), sum(o.sessions for o in found)
        many = ruined / len(found)
        # Of few ruins the interval is exact: it covers at least 95 %.
        few = min(many, found[0].sessions - many) < 2 * FEW
        bands = [one.ruin[1] for one in found if one.ruin]
        covers(held(bands, ruined / sessions), f"{what}ruin", most=1 if few else MOST)


@pytest.mark.slow
@pytest.mark.parametrize(("system", "size"), SETTINGS)
def test_intervals_of_systems(system: str, size: str) -> None:
    """M15, C1: loss rate, net a coup and ruin, 200 seeds."""
    systems_cover(system, size, 200)


@pytest.mark.nightly
@pytest.mark.parametrize(("system", "size"), SETTINGS)
def test_intervals_of_systems_for_many_seeds(system: str, size: str) -> None:
    """M15, C1: the same for 2,000 seeds."""
    systems_cover(system, size, 2000)


HOUSES: Final = ("venezia-online", "german-spas-1840", "france-2007")


def flat_covers(name: str, seeds: int) -> None:
    """Check the intervals of flat stakes: over the sure coups, the first ones, whole tailles."""
    house = load_house(name)
    odds = fresh_shoe(house.shoe.packs)
    found = [
        simulate(house, coups=COUPS, seed=seed, workers=1, policies="default").houses[0].wagers
        for seed in range(1, seeds + 1)
    ]
    edges = advantage(house, odds).wagers
    known = {
        (one.chance, one.insured, one.policy): hold
        for one, hold in zip(edges, holds(house, edges), strict=True)
    }
    for place, wager in enumerate(found[0]):
        path = next(
            path
            for one in house.wagers_on(wager.chance)
            if one.insured == wager.insured
            for path in one.paths()
            if path.policy == wager.policy
        )
        edge = float(edge_of(path.steps, law_of(path.chance, odds)))
        hold = known[wager.chance, wager.insured, wager.policy]
        assert hold is not None
        for basis, truth in (("sure", edge), ("first", edge), ("all", hold.value)):
            measures = [getattr(run[place], basis) for run in found]
            bands = [
                (
                    float(m.edge) - NORMAL * m.standard_error,
                    float(m.edge) + NORMAL * m.standard_error,
                )
                for m in measures
                if m.standard_error is not None
            ]
            if len(bands) > seeds / 2:
                covers(held(bands, truth), f"{name}, {wager.chance}, {basis} coups")


@pytest.mark.slow
@pytest.mark.parametrize("name", HOUSES)
def test_intervals_of_flat_stakes(name: str) -> None:
    """M6: the standard error of an edge, 200 seeds."""
    flat_covers(name, 200)


@pytest.mark.nightly
@pytest.mark.parametrize("name", HOUSES)
def test_intervals_of_flat_stakes_for_many_seeds(name: str) -> None:
    """M6: the same for 2,000 seeds."""
    flat_covers(name, 2000)


def differences_cover(seeds: int) -> None:
    """Check the intervals of the difference of two houses on the same shoes."""
    houses = [load_house(name) for name in ("france-2007", "italy-half-loss")]
    found = [
        simulate(houses, coups=COUPS, seed=seed, workers=1, policies="default").differences
        for seed in range(1, seeds + 1)
    ]
    for place, one in enumerate(found[0]):
        edges = [float(run[place].edge) for run in found]
        mean = sum(edges) / len(edges)
        errors = [run[place].standard_error for run in found]
        bands = [
            (edge - NORMAL * error, edge + NORMAL * error)
            for edge, error in zip(edges, errors, strict=True)
            if error is not None
        ]
        if bands:
            covers(held(bands, mean), f"difference, {one.chances}, insured {one.insured}")


@pytest.mark.slow
def test_intervals_of_differences() -> None:
    """M5: the error of a difference, 200 seeds."""
    differences_cover(200)


@pytest.mark.nightly
def test_intervals_of_differences_for_many_seeds() -> None:
    """M5: the same for 2,000 seeds."""
    differences_cover(2000)


@pytest.mark.parametrize("many", [20, 100, 1000])
def test_the_band_of_a_probability_exactly(many: int) -> None:
    """The band of ruin covers by the binomial law itself, whatever the probability."""
    bands = [band_of(count, many) for count in range(many + 1)]
    for step in range(1, 100):
        part = step / 200
        logs = [
            lgamma(many + 1)
            - lgamma(n + 1)
            - lgamma(many - n + 1)
            + n * log(part)
            + (many - n) * log(1 - part)
            for n in range(many + 1)
        ]
        whole = sum(
            exp(value)
            for value, band in zip(logs, bands, strict=True)
            if band is not None and band[0] <= part <= band[1]
        )
        assert whole > LEAST - 0.003, (many, part)
        if many * part > 2 * FEW:
            assert whole < MOST, (many, part)


def law_of_sum(path: WagerPath, house: str, coups: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the law of what a side bet returns on so many coups: wins, and their probabilities."""
    law = law_of(path.chance, fresh_shoe(load_house(house).shoe.packs))
    win = float(sum(p for verdict, p in law.items() if verdict.kind == "win"))
    wins = np.arange(coups + 1)
    logs = np.array([lgamma(coups + 1) - lgamma(n + 1) - lgamma(coups - n + 1) for n in wins])
    return wins, np.exp(logs + wins * log(win) + (coups - wins) * log(1 - win))


@pytest.mark.parametrize("coups", [1000, 10_000])
def test_bands_of_the_par_sheet_exactly(coups: int) -> None:
    """M1: a band of a side bet is printed only where the normal law agrees with the binomial."""
    house = load_house("venezia-online")
    printed = 0
    for line in par_sheet(house).wagers:
        band, chance = line.band(coups), house.chance(line.wager.chance)
        if chance.simple or band is None:
            continue
        path: WagerPath = next(house.wagers_on(chance.id)[0].paths())
        wins, law = law_of_sum(path, "venezia-online", coups)
        returned = wins * float(1 + line.payout_odds) / coups
        inside = float(law[(returned >= band.low) & (returned <= band.high)].sum())
        assert LEAST <= inside <= MOST, (chance.id, coups, inside)
        printed += 1
    assert printed


def spread_of_sums(path: WagerPath, house: str, coups: int, rows: int, seed: int) -> np.ndarray:
    """Return the mean returns of a stake on each of so many coups, played by a generator."""
    law = law_of(path.chance, fresh_shoe(load_house(house).shoe.packs))
    verdicts = [verdict for verdict, p in law.items() if p]
    draws = np.random.default_rng(seed).choice(
        len(verdicts), size=(rows, coups + SESSION), p=[float(law[v]) for v in verdicts]
    )
    back = np.zeros(rows)
    # What waits in each state, in stakes; prisoners of the last coups are followed to their end.
    waits = {state: np.zeros(rows) for state in path.steps}
    free = next(iter(path.steps))
    for coup in range(coups + SESSION):
        waits[free] = np.full(rows, 1.0 if coup < coups else 0.0)
        after = {state: np.zeros(rows) for state in path.steps}
        for place, verdict in enumerate(verdicts):
            met = draws[:, coup] == place
            for state, there in path.steps.items():
                step = there[verdict]
                part = np.where(met, waits[state], 0.0)
                back += part * float(step.back)
                if step.target:
                    after[step.target] += part * float(step.keeps)
        waits = after
    return back / coups


@pytest.mark.slow
@pytest.mark.parametrize("name", ["german-spas-1840", "france-2007", "italian-program"])
def test_bands_of_prisons_by_play(name: str) -> None:
    """M6, M28: a second way. A stake on every coup, prisoners followed: the band covers."""
    house = load_house(name)
    for line in par_sheet(house).wagers:
        if line.wager.chance != "rouge" or line.wager.insured:
            continue
        path = next(
            path
            for path in next(w for w in house.wagers_on("rouge") if not w.insured).paths()
            if path.policy == line.wager.policy
        )
        band = line.band(1000)
        assert band is not None
        means = spread_of_sums(path, name, 1000, 2000, 28)
        inside = [bool(band.low <= mean <= band.high) for mean in means]
        covers(inside, f"{name}, {line.wager.policy}, generator seed 28")
        wide = float(means.std()) * 1000**0.5
        assert wide == pytest.approx(float(line.long_run) ** 0.5, rel=0.06), name
