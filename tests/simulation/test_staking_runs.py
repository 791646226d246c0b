"""Runs of systems: the same totals whatever plays them; figures of results; what is refused."""

from __future__ import annotations

import json
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import evolve, frozen

pytest.importorskip("numba")

from tests.whole_units import whole_house

from trente_rules import TrenteError
from trente_rules.core.systems import Bet, Result
from trente_rules.players.seats import expected_of, seat_of, system_of
from trente_rules.simulation import compiled, rungs, staking, staking_kernel
from trente_rules.simulation.rungs import LineRungs, Rungs, rungs_of
from trente_rules.simulation.runner import cluster, run
from trente_rules.simulation.seat import Seat
from trente_rules.simulation.staking import StakingJob, simulate_systems
from trente_rules.simulation.staking_result import Spread, SystemSimulation, bands, wilson

pytestmark = pytest.mark.slow

SEED: Final = 2**65 + 1


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staking, "CHUNK_COUPS", 2_000)
    monkeypatch.setattr(staking, "TRACED", 50)


def seats() -> tuple[Seat, ...]:
    """Return seats of two houses, one with a ladder that never ends."""
    one, other = whole_house("monte-carlo-1911"), whole_house("france-2007")
    return (
        seat_of(one, "martingale", bankroll=4000),
        seat_of(other, "labouchere", base=10),
        seat_of(other, "serie", base=100, insured=True),
    )


def simulated(**options: Any) -> SystemSimulation:
    """Simulate them."""
    return simulate_systems(seats(), coups=20_000, session=200, seed=SEED, **options)


def test_the_same_totals_from_threads_in_any_number() -> None:
    """One thread, two, an executor; chances and amounts count, not how rungs are numbered."""
    first = simulated(workers=1)
    assert first.complete
    assert [one.sessions for one in first.seats] == [100, 100, 100]
    assert all(20_000 * 0.3 < one.coups < 21_000 for one in first.seats)
    rungs._kept.clear()
    assert simulated(workers=2) == first
    with ThreadPoolExecutor(3) as threads:
        assert simulated(executor=threads) == first


def test_the_order_of_chunks_and_forgotten_ladders_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A ladder that is begun anew for each chunk, the chunks played backwards."""
    job = StakingJob(seats(), SEED, 200)
    forwards = [job.play(chunk, 10) for chunk in range(4)]
    monkeypatch.setattr(rungs, "MOST_KEPT", 0)
    assert [job.play(chunk, 10) for chunk in reversed(range(4))] == forwards[::-1]


def test_the_same_totals_from_processes() -> None:
    """Seats are sent to new processes, systems and houses with them."""
    job = StakingJob(seats(), SEED, 200)
    assert pickle.loads(pickle.dumps(job)) == job
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        there = run(job, 20, of_chunk=job.chunk, executor=processes, workers=1)
    assert there.totals == run(job, 20, of_chunk=job.chunk, workers=1).totals


def test_an_interrupted_run_is_resumed(tmp_path: Path) -> None:
    """What is done is told; the rest is played, and comes to the same."""
    file = tmp_path / "systems.jsonl"

    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    part = simulated(workers=1, progress=stop, resume=file)
    assert not part.complete
    assert 0 < part.seats[0].sessions < 100
    assert simulated(workers=1, resume=file) == simulated(workers=1)
    with pytest.raises(TrenteError) as caught:
        simulate_systems(seats()[:1], coups=20_000, session=200, seed=SEED, resume=file)
    assert caught.value.code == "other-run"


def test_the_json_is_whole() -> None:
    """By house; it can be written, and holds quantiles, a histogram and bands of the bankroll."""
    told = json.loads(json.dumps(simulated(workers=1).to_json()))
    assert [house["name"] for house in told["houses"]] == ["monte-carlo-1911", "france-2007"]
    assert [len(house["systems"]) for house in told["houses"]] == [1, 2]
    martingale = told["houses"][0]["systems"][0]
    assert sum(bar[2] for bar in martingale["final"]["histogram"]) == 100
    assert martingale["bankroll_bands"][0] == {"coup": 0, **Spread({4000: 1}).quantiles()}
    assert martingale["bankroll_bands"][-1]["coup"] == 200
    assert martingale["ruin"]["band"][0] < martingale["ruin"]["chance"]


def test_the_trace_ends_where_the_sessions_end() -> None:
    """The last point of the traced sessions is what they came to, ruin included."""
    seat = seat_of(whole_house("italy-half-loss"), "d'alembert", base=10, bankroll=200)
    one = simulate_systems(seat, coups=50 * 100, session=100, seed=1, workers=1).seats[0]
    assert one.traced[-1].many == one.sessions == 50
    assert one.traced[-1] == one.finals
    assert bands(one, start=200)[0] == Spread({200: 1}).quantiles()


def test_spreads_tell_quantiles_and_bars() -> None:
    """The least number that a part does not exceed; bars that hold every number."""
    spread = Spread.of({"3": 1, "-1": 2, "10": 1})
    assert (spread.many, spread.mean, spread.least, spread.greatest) == (4, 2.75, -1, 10)
    assert [spread.quantile(part) for part in (0.01, 0.5, 0.51, 0.99)] == [-1, -1, 3, 10]
    assert spread.bars(4) == ((-1, 2, 2), (2, 5, 1), (5, 8, 0), (8, 11, 1))
    empty = Spread({})
    assert (empty.mean, empty.quantile(0.5), empty.bars()) == (None, None, ())


def test_the_band_of_a_chance_is_wilsons() -> None:
    """10 of 100: .0552 to .1744 (Brown, Cai and DasGupta 2001); none and all have an end."""
    band = wilson(10, 100)
    assert band == pytest.approx((0.0552, 0.1744), abs=1e-4)
    assert wilson(0, 0) is None
    none, every = wilson(0, 50), wilson(50, 50)
    assert none is not None
    assert every is not None
    assert (none[0], every[1]) == (0.0, 1.0)


def test_one_session_has_no_error() -> None:
    """A spread needs two."""
    seat = seat_of(whole_house("france-2007"), "flat")
    one = simulate_systems(seat, coups=10, session=10, seed=1, workers=1).seats[0]
    assert one.per_unit.value is not None
    assert one.per_unit.standard_error is None
    assert one.per_unit.band is None
    expected = expected_of(one)
    assert expected is not None
    assert expected.z is None


def test_who_is_ruined_at_once_has_no_figures() -> None:
    """A seat that can pay one stake of the martingale, at a house where nothing else is bet."""
    seat = seat_of(whole_house("france-2007"), "martingale", base=10, bankroll=10)
    one = simulate_systems(seat, coups=20_000, session=200, seed=3, workers=1).seats[0]
    assert one.ruin is not None
    assert one.ruin[0] > 0.4
    assert one.lasted.least == 1


@frozen
class Odd:
    """A system whose states are endless and whose bets are given."""

    bets: tuple[Any, ...] = (Bet("rouge", 1),)

    def start(self) -> int:
        """Return nought."""
        return 0

    def bet(self, state: int) -> Any:
        """Bet what is given, the last again and again."""
        return self.bets[min(state, len(self.bets) - 1)]

    def after(self, state: int, _result: Result) -> int:
        """Go on."""
        return state + 1


def seat_with(*bets: Any, **changes: Any) -> Seat:
    """Return a seat in France whose system bets these."""
    return evolve(seat_of(whole_house("france-2007"), Odd(bets), base=10), **changes)


@pytest.mark.parametrize(
    ("seat", "code"),
    [
        (seat_with(Bet("rouge", 0)), "bad-system"),
        (seat_with("rouge"), "bad-system"),
        (seat_with(Bet("rouge", 1), Bet("rouge", -2)), "bad-system"),
        (seat_with(Bet("rogue", 1)), "unknown-chance"),
        (seat_with(Bet("rouge", 1001)), "above-maximum"),
        (seat_with(Bet("rouge", 1), base=5), "below-minimum"),
        (seat_with(Bet("rouge", 1), bankroll=9), "bankroll-too-small"),
        (seat_with(Bet("rouge", 1), base=0), "bad-base"),
        (seat_with(Bet("rouge", 1), bankroll=-1), "bad-bankroll"),
        (seat_with(Bet("rouge", 1), play="sometimes"), "bad-play"),
        (seat_with(Bet("rouge", 1), base=2**41), "above-maximum"),
        (seat_with(Bet("rouge", 1), base=12, insured=True), ""),
    ],
    ids=str,
)
def test_what_cannot_be_played_is_a_sentence(seat: Seat, code: str) -> None:
    """The code says what is wrong; a stake that is only odd is played."""
    if not code:
        assert simulate_systems(seat, coups=100, seed=1, workers=1).complete
        return
    with pytest.raises(TrenteError) as caught:
        simulate_systems(seat, coups=100, seed=1, workers=1)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"coups": 0}, "bad-coups"),
        ({"coups": 1.5}, "bad-coups"),
        ({"coups": 1e16}, "bad-coups"),
        ({"session": 0}, "bad-session"),
        ({"session": 10**7}, "bad-session"),
        ({"seed": -1}, "bad-seed"),
        ({"workers": 0}, "bad-workers"),
    ],
)
def test_bad_arguments_are_sentences(options: dict[str, Any], code: str) -> None:
    """Coups, sessions, seeds and workers that are none."""
    with pytest.raises(TrenteError) as caught:
        simulate_systems(seats()[0], **{"coups": 100, "seed": 1, **options})
    assert caught.value.code == code


def test_no_seat_is_a_sentence() -> None:
    """There is nothing to simulate."""
    with pytest.raises(TrenteError, match="no seat"):
        simulate_systems([], coups=10)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("martingal", "unknown-system"),
        ("paroli{coups=0}", "bad-system-text"),
        ("paroli{coups=2", "bad-system-text"),
        ("paroli{coups=2}\ncoups=3", "bad-system-text"),
        ("paroli{cups=2}", "bad-system-text"),
        ("labouchere{line=[0]}", "bad-system-text"),
        ("serie{begin='blue'}", "bad-system-text"),
    ],
)
def test_systems_that_cannot_be_read(text: str, code: str) -> None:
    """A name near to one there is, keys, values, and tables that do not end."""
    with pytest.raises(TrenteError) as caught:
        system_of(text)
    assert caught.value.code == code


def test_systems_are_read_with_their_keys() -> None:
    """A name, keys, and a chance where the text names none."""
    assert system_of("Paroli{coups=2}", chance="noir").start() == 0
    assert system_of("paroli", chance="noir").bet(0).chance == "noir"
    assert system_of("paroli{chance='couleur'}", chance="noir").bet(0).chance == "couleur"
    assert system_of("serie", chance="inverse").start() == "inverse"


def test_a_ladder_that_grows_keeps_what_was_known() -> None:
    """Arrays are enlarged behind; the bets already known stay where they are."""
    seat = seat_of(whole_house("france-2007"), "labouchere", base=10)
    one = Rungs(seat, 2**50)
    before = one.rungs[0].copy()
    for rung in range(3000):
        one.learn(rung)
    assert len(one) > 3000
    assert (one.rungs[0] == before).all()
    assert rungs_of(seat, 1000) is rungs_of(seat, 1000)


def test_a_damaged_module_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without numba, one sentence says what to install."""
    monkeypatch.setitem(sys.modules, "trente_rules.simulation.staking_kernel", None)
    compiled._loaded.cache_clear()
    with pytest.raises(TrenteError) as caught:
        compiled.staking_kernel()
    assert caught.value.code == "needs-fast"
    compiled._loaded.cache_clear()


@pytest.mark.nightly
def test_a_cluster_plays_the_same() -> None:
    """A cluster of dask on this machine, by its address."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as own,
        cluster(own.scheduler_address) as (executor, threads),
    ):
        assert threads == 2
        assert simulated(executor=executor, workers=threads) == simulated(workers=1)


@pytest.mark.parametrize(
    "seat",
    [
        seat_of(whole_house("france-2007"), "labouchere", base=10),
        seat_of(whole_house("monte-carlo-1911"), "d'alembert", base=20),
    ],
    ids=["list", "ladder"],
)
def test_arrays_that_a_thread_holds_stay_true_of_each_other(seat: Seat) -> None:
    """A rung found there has its node there, however many more another thread looks at."""
    known = rungs_of(seat, 1_000)
    held = known.arrays
    there = [len(array) for array in held]
    for number in range(1, 3_000):
        if isinstance(known, LineRungs) or number < len(known):
            known.learn(number)
    now = known.arrays
    assert len(now[1]) > there[1], "the nodes have not grown"
    rungs, gains, premiums, nexts, slots = held
    nodes = rungs[:, staking_kernel.NODE]
    assert nodes.max() < len(gains) == len(premiums) == len(nexts)
    for node in nodes[nodes >= 0].tolist():
        assert (gains[node] == now[1][node]).all()
        assert (nexts[node] == now[3][node]).all()
    assert nexts.max() < len(gains)
    assert slots[:, 1].max(initial=-1) < len(rungs)
    found = slots[slots[:, 0] >= 0][:, 1]
    assert (rungs[found[found >= 0], staking_kernel.NODE] >= 0).all()
