"""Endless credit: errors from the stakes, or none; limits of the program are not the house's."""

from __future__ import annotations

from math import sqrt
from typing import Final

import pytest

pytest.importorskip("numba")

from tests.whole_units import whole_house

from trente_rules import House, TrenteError, loads_house
from trente_rules.odds.advantage import MOST_CARRIED, advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.players.seats import Expected, expected_of, seat_of
from trente_rules.simulation.seat import most_amount
from trente_rules.simulation.staking import simulate_systems
from trente_rules.simulation.staking_result import SimulatedSystem

pytestmark = pytest.mark.slow

BAND: Final = 1.96
SYSTEMS: Final = (
    "flat",
    "martingale",
    "grande-martingale",
    "labouchere",
    "fibonacci",
    "d'alembert",
)


def simulated(
    house: House, system: str, seed: int, coups: float, *, endless: bool = True
) -> tuple[SimulatedSystem, Expected]:
    """Simulate a seat with a base stake of ten of the currency."""
    seat = seat_of(house, system, base=house.usual_minimum, endless=endless)
    one = simulate_systems(seat, coups=coups, seed=seed, workers=1).seats[0]
    expected = expected_of(one)
    assert expected is not None
    return one, expected


def outside(
    house: House, system: str, runs: int, coups: float, *, endless: bool
) -> tuple[int, int]:
    """Return how often z lies outside of its 95 % band, and how often there is one."""
    found = [
        simulated(house, system, seed, coups, endless=endless)[1].z for seed in range(1, runs + 1)
    ]
    told = [abs(z) for z in found if z is not None]
    return sum(z > BAND for z in told), len(told)


def test_z_is_that_of_the_stakes() -> None:
    """C1: z = (net + edge x staked) / sqrt(sd^2 x sum of squared stakes)."""
    house = whole_house("italian-program")
    wager = advantage(house, fresh_shoe(house.shoe.packs), chances=["rouge"]).wagers[0]
    one, expected = simulated(house, "d'alembert", 3, 2e4, endless=False)
    squares = sum(count * amount**2 for (_chance, amount), count in one.wagered.items())
    z = (one.net + float(wager.edge) * one.staked) / (wager.sd * sqrt(squares))
    assert expected.z == pytest.approx(z, rel=1e-9)
    assert expected.error == pytest.approx(wager.sd * sqrt(squares) / one.staked, rel=1e-9)


def test_where_one_stake_decides_there_is_no_error() -> None:
    """C1: no z, no band and no N0, with the reason; the two commands of the finding."""
    for name, system in (
        ("italian-program", "grande-martingale"),
        ("wilhelmsbad-1840", "martingale"),
    ):
        one, expected = simulated(whole_house(name), system, 3, 2e5)
        assert one.carried > MOST_CARRIED
        assert (expected.z, expected.n0, expected.error) == (None, None, None)
        assert (one.per_unit.standard_error, one.per_unit.band, one.n0) == (None, None, None)
        assert (one.per_coup.standard_error, one.sd_of_coup) == (None, None)
        assert "of the squares of all stakes" in expected.why
        told = one.to_json()
        assert told["net_per_unit_staked"]["standard_error"] is None
        assert told["n0"] is None


@pytest.mark.parametrize("system", SYSTEMS[1:4])
def test_a_printed_z_covers_with_endless_credit(system: str) -> None:
    """C1: in few runs; all of them are the nightly test's."""
    wrong, told = outside(whole_house("italian-program"), system, 4, 2e4, endless=True)
    assert wrong <= 2, (wrong, told)


@pytest.mark.nightly
@pytest.mark.parametrize("endless", [False, True])
@pytest.mark.parametrize("system", SYSTEMS)
def test_coverage(system: str, endless: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """C1: 20 seeds of 100,000 coups: at most 4 of 20 outside, where 1 is expected."""
    wrong, told = outside(whole_house("italian-program"), system, 20, 1e5, endless=endless)
    assert wrong <= 4, (wrong, told)
    if not endless or system in {"flat", "d'alembert"}:
        assert told == 20


def fine(unit: str) -> House:
    """Return the house of the finding, whose money has this unit."""
    return loads_house(
        f"""
        [house]
        name = "fine"
        extends = "italian-program"
        [money]
        currency = "XYZ"
        unit = "{unit}"
        [insurance]
        rule = "none"
        """
    )


def test_a_fine_unit_changes_no_figure() -> None:
    """C2: two houses that differ in ``unit`` alone, on the same shoes."""
    found = []
    for unit, units in (("1", 1), ("0.000000001", 10**9)):
        seat = seat_of(
            fine(unit), "grande-martingale", base=25 * units, bankroll=20_000_000 * units
        )
        one = simulate_systems(seat, coups=1e5, seed=1, workers=1).seats[0]
        assert (one.cuts, one.capped) == (0, 0)
        found.append((one.net / units, one.staked / units, (one.greatest.greatest or 0) // units))
    assert found[0] == found[1]
    assert found[0][2] == 819_175


def test_a_limit_of_the_program_is_counted_apart() -> None:
    """C2: a house without a maximum refuses nothing; what is too large is told as that."""
    house = whole_house("foster-1897")
    base = most_amount(100) // 4
    seat = seat_of(house, "martingale", base=base, endless=True)
    one = simulate_systems(seat, coups=2000, session=100, seed=1, workers=1).seats[0]
    assert one.cuts == 0
    assert one.capped > 0
    assert one.to_json()["capped"] == one.capped
    assert one.greatest.greatest == 4 * base
    with pytest.raises(TrenteError, match="the simulation counts stakes up to") as caught:
        simulate_systems(seat, coups=2000, session=1000, seed=1, workers=1)
    assert caught.value.code == "above-counted"
