"""Systems without numba: on the same shoes the same figures as the compiled simulation."""

from __future__ import annotations

import pytest
from attrs import evolve

pytest.importorskip("numba")

from trente_rules import load_house
from trente_rules.players import seat_of
from trente_rules.players.plain import PlainSessions, simulate_systems_plain
from trente_rules.players.strategy import simulated_shoes
from trente_rules.simulation.staking import simulate_systems

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "system", "times"),
    [("france-2007", "martingale", 40), ("monte-carlo-1911", "d'alembert", 100)],
)
def test_on_the_same_shoes_the_figures_are_those_of_the_kernel(
    name: str, system: str, times: int
) -> None:
    """Every figure, spreads among them; only what is followed through a session is left apart."""
    house = load_house(name)
    seat = seat_of(house, system)
    seat = evolve(seat, bankroll=times * seat.base)
    there = simulate_systems(seat, coups=400, session=100, seed=3, workers=1).seats[0]
    plain = PlainSessions(seat, 100)
    for session in range(4):
        plain.play(simulated_shoes(house, 3, session))
    here = plain.result()
    assert evolve(here, traced=there.traced) == there
    assert here.traced[-1] == there.traced[-1]


def test_an_interrupt_gives_the_sessions_that_are_done() -> None:
    """The same seed the same sessions; every seat plays as many."""

    def stop(done: int, _total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    house = load_house("france-2007")
    seats = [seat_of(house, "flat"), seat_of(house, "paroli")]
    part = simulate_systems_plain(seats, coups=300, session=50, seed=1, progress=stop)
    assert not part.complete
    assert [one.sessions for one in part.seats] == [2, 1]
    whole = simulate_systems_plain(seats, coups=300, session=50, seed=1)
    assert whole.complete
    assert [one.sessions for one in whole.seats] == [6, 6]
