"""Runs: the same totals whatever plays the chunks, resumed or interrupted; what is refused."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from attrs import frozen

pytest.importorskip("numba")

from tests.simulation.small_runs import COUPS, SEED, SMALL, houses, simulated, small_chunks

import trente_rules
from trente_rules import load_house
from trente_rules.core.errors import TrenteError
from trente_rules.simulation import compiled
from trente_rules.simulation.flat import FlatJob, simulate
from trente_rules.simulation.runner import added, run

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    small_chunks(monkeypatch)


class Backwards(Executor):
    """An executor that plays what it is given last first, when it has several."""

    def __init__(self) -> None:
        """Begin with nothing to do."""
        self.left: list[tuple[Future[Any], Any, tuple[Any, ...]]] = []

    def submit(self, function: Any, /, *arguments: Any, **_named: Any) -> Future[Any]:
        """Wait until three are there, then do all, the last first."""
        future: Future[Any] = Future()
        self.left.append((future, function, arguments))
        if len(self.left) == 3:
            while self.left:
                done, what, told = self.left.pop()
                done.set_result(what(*told))
        return future


def test_the_same_totals_from_threads_in_any_number_and_order() -> None:
    """One thread, two, an executor of the caller, one that ends the last chunk first."""
    first = simulated(workers=1)
    assert first.complete
    assert first.houses[0].coups > COUPS * 0.99
    assert simulated(workers=2) == first
    with ThreadPoolExecutor(3) as threads:
        assert simulated(executor=threads) == first
    whole = run(FlatJob(houses(), SEED), 6 * SMALL, workers=1)
    turned = run(FlatJob(houses(), SEED), 6 * SMALL, executor=Backwards(), workers=1)
    assert turned.totals == whole.totals


def test_other_seeds_play_other_shoes() -> None:
    """The seed is all there is to it; without one, another is drawn, and told."""
    first = simulated(workers=1)
    assert simulate(houses(), coups=COUPS, seed=SEED + 1) != first
    drawn = simulate(houses()[0], coups=1)
    assert simulate(houses()[0], coups=1, seed=drawn.seed) == drawn
    assert simulate(houses()[0], coups=1).seed != drawn.seed


def test_the_same_totals_from_processes() -> None:
    """A job is sent to new processes, which compile nothing anew."""
    job = FlatJob(houses(), SEED)
    assert pickle.loads(pickle.dumps(job)) == job
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        assert simulated(executor=processes) == simulated(workers=1)


@pytest.mark.nightly
def test_the_same_totals_from_a_cluster() -> None:
    """A cluster of dask, through its executor."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as own,
        distributed.Client(own) as client,
    ):
        assert simulated(executor=client.get_executor()) == simulated(workers=1)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"coups": 0}, "bad-coups"),
        ({"coups": -5}, "bad-coups"),
        ({"coups": 1.5}, "bad-coups"),
        ({"coups": float("nan")}, "bad-coups"),
        ({"coups": float("inf")}, "bad-coups"),
        ({"seed": -1}, "bad-seed"),
        ({"seed": 1.0}, "bad-seed"),
        ({"workers": 0}, "bad-workers"),
        ({"houses": ()}, "no-house"),
        ({"chances": ["blue"]}, "unknown-chance"),
        ({"policies": "some"}, "bad-policies"),
    ],
)
def test_what_cannot_be_simulated_is_refused(options: dict[str, Any], code: str) -> None:
    """Each fault has its own code and a sentence."""
    with pytest.raises(TrenteError) as caught:
        simulate(**{"houses": houses(), "coups": 100, "seed": 1, **options})
    assert caught.value.code == code


def test_a_chance_that_only_some_houses_have() -> None:
    """It is played where there is one; the others play nothing."""
    two = [load_house("hoyle-19c"), load_house("france-2007")]
    run_ = simulate(two, coups=100, seed=1, chances=["couleur"])
    assert [len(house.wagers) for house in run_.houses] == [0, 4]
    assert not run_.differences


@frozen
class Counting:
    """A job of another kind: floating point, added up in the order of the chunks."""

    def identity(self) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def play(self, chunk: int, shoes: int) -> dict[str, Any]:
        """Return something that depends on the chunk."""
        return {"sum": [0.1 * chunk, shoes], "name": {"deep": 1 / (chunk + 1)}}


def test_any_job_can_be_run() -> None:
    """Totals are added in the order of the chunks, so that floating point is reproducible."""
    expected: Any = None
    for chunk in range(10):
        totals = Counting().play(chunk, SMALL if chunk < 9 else 1)
        expected = totals if expected is None else added(expected, totals)
    for workers in (1, 4):
        assert run(Counting(), 9 * SMALL + 1, workers=workers).totals == expected


def test_a_chunk_that_fails_ends_the_run() -> None:
    """The error of the chunk is raised, and no more is played."""

    @frozen
    class Failing(Counting):
        def play(self, chunk: int, shoes: int) -> dict[str, Any]:
            if chunk == 3:
                raise ZeroDivisionError
            return super().play(chunk, shoes)

    with pytest.raises(ZeroDivisionError):
        run(Failing(), 1000 * SMALL, workers=2)


def test_without_numba_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "trente_rules.simulation.kernel", None)
    compiled._loaded.cache_clear()
    try:
        with pytest.raises(TrenteError, match=r"trente-rules\[fast\]") as caught:
            simulate(houses(), coups=1)
    finally:
        compiled._loaded.cache_clear()
    assert caught.value.code == "needs-fast"


@pytest.mark.nightly
def test_a_cache_that_is_cut_short_is_made_again(tmp_path: Path) -> None:
    """Files of compiled code that a crash left half written are deleted and compiled anew."""
    package = Path(trente_rules.__file__).parent
    copytree(package, tmp_path / "trente_rules", ignore=lambda *_: ["__pycache__"])
    variants = Path(load_house_folder()).parent
    code = (
        "from trente_rules import load_house\n"
        "from trente_rules.simulation.flat import simulate\n"
        "print(simulate(load_house('france-2007'), coups=1000, seed=1).houses[0].coups)"
    )
    path = os.pathsep.join((str(tmp_path), str(variants)))

    def printed() -> str:
        return subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    first = printed()
    kept = sorted(tmp_path.rglob("*.nb[ic]"))
    assert kept
    for ending in (".nbi", ".nbc"):
        for file in kept:
            if file.suffix == ending:
                file.write_bytes(file.read_bytes()[: len(file.read_bytes()) // 2])
        assert printed() == first


def load_house_folder() -> str:
    """Return where the shipped houses are."""
    import trente_variants  # noqa: PLC0415 - found by the entry point, as any package is

    return str(Path(str(trente_variants.__file__)).parent)
