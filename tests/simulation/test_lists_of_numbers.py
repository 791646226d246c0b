"""Labouchère and its like: the list in the kernel gives the totals of a ladder of all lists."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numba")

from tests.whole_units import whole_house

from trente_rules import TrenteError
from trente_rules.core.systems import Bet, Labouchere, Martingale, Result, line_of
from trente_rules.players.seats import seat_of, system_of
from trente_rules.simulation import rungs, staking
from trente_rules.simulation.rungs import LineRungs, Rungs, rungs_of
from trente_rules.simulation.seat import Seat
from trente_rules.simulation.staking import simulate_systems

SEED = 20_261_202


class Wrapped:
    """A system of somebody else, which is a list in all but its type."""

    def __init__(self, inner: Labouchere) -> None:
        """Wrap a list."""
        self.inner = inner

    def start(self) -> tuple[int, ...]:
        """Return the line."""
        return self.inner.start()

    def bet(self, state: tuple[int, ...]) -> Bet:
        """Bet what the list bets."""
        return self.inner.bet(state)

    def after(self, state: tuple[int, ...], result: Result) -> tuple[int, ...]:
        """Follow the list."""
        return self.inner.after(state, result)


def totals(seat: Seat, **options: Any) -> dict[str, Any]:
    """Return the figures of a seat without its name."""
    one = simulate_systems(seat, seed=SEED, workers=1, **options).seats[0]
    return {**one.to_json(), "system": "", "wagered": dict(one.wagered)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("house", "system", "more"),
    [
        ("france-2007", "labouchere", {}),
        ("france-2007", "reverse-labouchere", {"base": 10}),
        ("france-2007", "labouchere{line=[3]}", {"play": "partage", "bankroll": 3000}),
        ("france-2007", "labouchere{line=[1, 1000000000000000000000000, 2]}", {}),
        ("venezia-online", "labouchere{line=[1, 1]}", {}),
        ("venezia-online", "reverse-labouchere{line=[2, 0x1, 2]}", {}),
        ("monte-carlo-1911", "reverse-labouchere{chance='noir'}", {"insured": True}),
        ("german-spas-1840", "labouchere{line=[1]}", {"endless": True}),
        ("wilhelmsbad-1840", "reverse-labouchere", {"endless": True}),
    ],
)
def test_the_list_gives_the_totals_of_the_rungs(
    house: str, system: str, more: dict[str, Any]
) -> None:
    """P14: every figure is equal to the unit, limits, restarts, prisons and long lines included."""
    read = system_of(system)
    assert isinstance(read, Labouchere)
    one = seat_of(whole_house(house), read, label="same", **more)
    other = seat_of(whole_house(house), Wrapped(read), label="same", **more)
    assert isinstance(rungs_of(one, 1000), LineRungs)
    assert isinstance(rungs_of(other, 1000), Rungs)
    assert totals(one, coups=8_000, session=100) == totals(other, coups=8_000, session=100)
    assert totals(one, coups=3_000) == totals(other, coups=3_000)


@pytest.mark.slow
def test_stakes_above_what_is_counted_restart_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """P14: a limit of the program, which is counted apart, is met as by the rungs."""
    monkeypatch.setattr(staking, "rungs_of", lambda seat, _session: made(seat))

    def made(seat: Seat) -> rungs.Rungs | rungs.LineRungs:
        line = line_of(seat.system)
        return Rungs(seat, 60) if line is None else LineRungs(seat, 60, line)

    house = whole_house("wilhelmsbad-1840")
    for system in ("labouchere", "reverse-labouchere"):
        read = system_of(system)
        assert isinstance(read, Labouchere)
        one = totals(seat_of(house, read, label="same", endless=True), coups=5_000, session=500)
        same = seat_of(house, Wrapped(read), label="same", endless=True)
        assert one == totals(same, coups=5_000, session=500)
        assert one["capped"] > 10


@pytest.mark.slow
def test_rungs_that_are_built_do_not_grow_with_coups() -> None:
    """P14: at most one rung for each number between the base stake and the maximum."""
    house = whole_house("france-2007")
    seat = seat_of(house, "labouchere", base=500)
    most = house.wager("rouge").limits.bounds(seat.opening, "rouge").most
    assert most
    for coups in (5_000, 50_000):
        simulate_systems(seat, coups=coups, seed=SEED, workers=1)
        assert len(rungs_of(seat, 1000)) <= most // 500


def test_only_a_list_that_is_played_as_one_is_a_list() -> None:
    """P14: a subclass that changes a step is played by rungs, one that turns the results is not."""

    class Careful(Labouchere):
        def bet(self, state: tuple[int, ...]) -> Bet:
            return Bet(self.chance, min(state))

    class Turned(Labouchere):
        writes = Result.WON

    assert line_of(Labouchere()) is not None
    assert line_of(Turned()) is not None
    assert line_of(Careful()) is None
    assert line_of(Martingale()) is None


def test_a_list_that_begins_too_high_is_refused() -> None:
    """P14: the sentence is that of any system."""
    seat = seat_of(whole_house("france-2007"), "labouchere", endless=True)
    with pytest.raises(TrenteError) as caught:
        LineRungs(seat, 1, Labouchere())
    assert caught.value.code == "above-counted"
