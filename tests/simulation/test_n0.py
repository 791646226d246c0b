"""N0: exact for flat play, two digits otherwise, none where most sessions end in ruin."""

from __future__ import annotations

from fractions import Fraction

import pytest

pytest.importorskip("numba")

from tests.cli.calling import trente

from trente_rules import load_house
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.players.seats import Expected, expected_of, seat_of
from trente_rules.simulation.staking import simulate_systems

pytestmark = pytest.mark.slow


def expected(system: str, *, bankroll: int | None = None, seed: int = 7) -> Expected:
    """Return what the stakes of a seat at France 2007 make likely."""
    seat = seat_of(
        load_house("france-2007"), system, base=1000, bankroll=bankroll, endless=bankroll is None
    )
    one = simulate_systems(seat, coups=1e4, session=100, seed=seed, workers=1).seats[0]
    found = expected_of(one)
    assert found is not None
    return found


def test_n0_of_flat_play_is_exact() -> None:
    """M14: variance / edge^2 x (1 + q / 2w) = 7,524 coups, whatever was dealt."""
    found = {expected("flat", seed=seed).n0 for seed in (1, 2, 3)}
    assert len(found) == 1
    (n0,) = found
    assert n0 is not None
    assert round(n0) == 7524
    odds = fresh_shoe(6)
    q = odds.tie(31)
    ties = sum((odds.tie(point) for point in range(32, 41)), Fraction(0))
    w = (1 - q - ties) / 2
    assert n0 == pytest.approx(7343.4 * float(1 + q / (2 * w)), rel=1e-5)
    assert expected("flat").exact_n0


def test_n0_of_other_systems_is_an_estimate() -> None:
    """M14: not exact, and printed in two digits."""
    found = expected("d'alembert")
    assert not found.exact_n0
    asked = ("simulate", "france-2007", "--coups", "1e4", "--session", "100", "--seed", "7")
    out = trente(*asked, "--system", "d'alembert", "--stake", "10", "--full").out
    n0 = out.split("N0")[1].splitlines()[1].split(" %")[1].split()[0].replace(",", "")
    assert len(n0.strip("0")) <= 2


def test_ruin_leaves_no_n0() -> None:
    """M14: where most sessions end in ruin the number means nothing, and a sentence says so."""
    found = expected("flat", bankroll=1000)
    assert found.n0 is None
    assert found.z is not None
    assert "most of its sessions end in ruin" in found.why_n0
    assert found.to_json()["why"] == found.why_n0
