"""Runs: the same totals whatever plays the chunks, resumed or interrupted; what is refused."""

from __future__ import annotations

import errno
import io
import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from shutil import copytree
from typing import Any, Final

import pytest
from attrs import frozen

pytest.importorskip("numba")

import trente_rules
from trente_rules import House, Opening, load_house
from trente_rules.errors import TrenteError
from trente_rules.simulation import compiled, flat, runner
from trente_rules.simulation.flat import FlatJob, simulate
from trente_rules.simulation.result import Simulation
from trente_rules.simulation.runner import added, run

SMALL: Final = 64
"""Shoes of a chunk in these tests."""
COUPS: Final = 40_000
SEED: Final = 2**70 + 5


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SHOES", SMALL)
    monkeypatch.setattr(flat, "SHOES", SMALL)


@cache
def houses() -> tuple[House, ...]:
    """Answer two houses of six packs and one of three."""
    return tuple(load_house(n) for n in ("italy-two-prisons", "france-2007", "german-spas-1840"))


def simulated(**options: Any) -> Simulation:
    """Simulate the houses."""
    return simulate(houses(), coups=COUPS, seed=SEED, **options)


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


def test_an_interrupt_gives_what_is_done(tmp_path: Path) -> None:
    """The figures are of the shoes that were dealt; a resumed run comes to the same as a whole."""
    file = tmp_path / "run.jsonl"
    whole = simulated(workers=1)

    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    part = simulated(workers=2, progress=stop, resume=file)
    assert not part.complete
    assert 0 < part.houses[0].shoes < whole.houses[0].shoes
    assert part.houses[0].wagers[0].all.stakes == part.houses[0].coups
    before = file.read_bytes()
    told: list[tuple[int, int]] = []
    assert simulated(workers=2, resume=file, progress=lambda *done: told.append(done)) == whole
    assert file.read_bytes().startswith(before)
    chunks = [json.loads(line)["chunk"] for line in file.read_bytes().splitlines()[1:]]
    assert sorted(chunks) == list(range(len(chunks)))
    assert told[-1] == (whole.houses[0].shoes, whole.houses[0].shoes)
    assert simulated(workers=1, resume=file) == whole


def test_an_interrupt_before_the_first_chunk(tmp_path: Path) -> None:
    """Nothing is done, nothing is told, nothing breaks."""

    class Interrupted(Executor):
        def submit(self, *_arguments: Any, **_named: Any) -> Future[Any]:
            raise KeyboardInterrupt

    part = simulated(executor=Interrupted(), resume=tmp_path / "run.jsonl")
    assert (part.houses, part.differences, part.complete) == ((), (), False)


def test_an_interrupt_while_totals_are_added_loses_no_chunk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The shoes that are told of are those in the totals, wherever the interrupt comes."""
    calls = 0

    def interrupted(one: Any, other: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return {"shoes": one["shoes"] + other["shoes"]}

    @frozen
    class Shoes(Counting):
        def play(self, chunk: int, shoes: int) -> dict[str, Any]:
            return {"shoes": shoes + 0 * chunk}

    monkeypatch.setattr(runner, "added", interrupted)
    done = run(Shoes(), 20 * SMALL, workers=1)
    assert not done.complete
    assert done.shoes == done.totals["shoes"] >= 4 * SMALL


def test_a_run_of_any_length_begins_at_once() -> None:
    """10^15 shoes are cut in chunks as they are played, and none is kept in mind before."""

    def stop(done: int, total: int) -> None:
        assert (done, total) == (SMALL, 10**15)
        raise KeyboardInterrupt

    done = run(Counting(), 10**15, workers=1, progress=stop)
    assert 0 < done.shoes < 100 * SMALL


def test_without_a_seed_a_run_goes_on_with_its_own(tmp_path: Path) -> None:
    """The same command again resumes the file, though no seed was named."""
    file = tmp_path / "run.jsonl"
    first = simulate(houses()[0], coups=COUPS, resume=file)
    before = file.read_bytes()
    assert simulate(houses()[0], coups=COUPS, resume=file) == first
    assert file.read_bytes() == before
    file.write_text("shopping list\n", "utf-8")
    with pytest.raises(TrenteError) as caught:
        simulate(houses()[0], coups=COUPS, resume=file)
    assert caught.value.code == "not-a-run"


def test_a_chunk_that_was_altered_is_played_again(tmp_path: Path) -> None:
    """A digit, other totals, numbers that are none: what fails its check sum is left out."""
    file = tmp_path / "run.jsonl"
    whole = simulated(workers=1, resume=file)
    head, first, *others = file.read_bytes().splitlines(keepends=True)
    totals = first.index(b'"outcomes":[[') + len(b'"outcomes":[[')
    for altered in (
        first[:totals] + b"9" + first[totals:],
        b'{"chunk":0,"shoes":300,"totals":{}}\n',
        b'{"chunk":[0],"shoes":300,"totals":7,"check":0}\n',
        b"[]\n",
    ):
        file.write_bytes(b"".join((head, altered, *others)))
        assert simulated(workers=1, resume=file) == whole


def test_a_run_that_a_crash_cut_short_is_resumed(tmp_path: Path) -> None:
    """Lines that are cut, at the end or by one that came after, are played again."""
    file = tmp_path / "run.jsonl"
    whole = simulated(workers=1, resume=file)
    kept = file.read_bytes()
    head = kept.index(b"\n")
    for cut in (0, 5, head, head + 1, len(kept) // 2, len(kept) - 1):
        file.write_bytes(kept[:cut])
        assert simulated(workers=1, resume=file) == whole
        assert simulated(workers=1, resume=file) == whole
    assert file.read_bytes().count(b"\n") == kept.count(b"\n")


def test_a_run_can_be_made_longer(tmp_path: Path) -> None:
    """More coups of the same seed: whole chunks are not played again."""
    file = tmp_path / "run.jsonl"
    simulated(workers=1, resume=file)
    longer = simulate(houses(), coups=2 * COUPS, seed=SEED, resume=file)
    assert longer == simulate(houses(), coups=2 * COUPS, seed=SEED)


def test_files_of_other_runs_are_refused(tmp_path: Path) -> None:
    """Other seeds, houses or wagers, and files that are no runs, are named in a sentence."""
    file = tmp_path / "run.jsonl"
    simulated(workers=1, resume=file)
    asked: dict[str, Any] = {"houses": houses(), "coups": COUPS, "seed": SEED, "resume": file}
    others: list[tuple[dict[str, Any], str]] = [
        ({"seed": SEED + 1}, "its seed is"),
        ({"houses": houses()[:1]}, "its houses is"),
        ({"chances": ["rouge"]}, "its chances is"),
        ({"stake": 100, "opening": Opening(minimum=10)}, "its stake is null"),
    ]
    for other, said in others:
        with pytest.raises(TrenteError, match=said) as caught:
            simulate(**(asked | other))
        assert caught.value.code == "other-run"
    text = tmp_path / "notes.txt"
    text.write_text("shopping list\n", "utf-8")
    with pytest.raises(TrenteError) as caught:
        simulated(resume=text)
    assert caught.value.code == "not-a-run"
    assert text.read_text("utf-8") == "shopping list\n"
    for path in (tmp_path / "no folder" / "run.jsonl", tmp_path, "/dev/zero"):
        with pytest.raises(TrenteError) as caught:
            simulated(resume=path)
        assert caught.value.code == "run-file"


def test_a_full_disk_ends_the_run_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be kept is an error, and no traceback."""

    class Full(io.BytesIO):
        def write(self, _data: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", lambda *_: Full())
    with pytest.raises(TrenteError, match="No space left") as caught:
        simulated(resume="run.jsonl")
    assert caught.value.code == "run-file"


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
        """Answer nothing."""
        return {}

    def play(self, chunk: int, shoes: int) -> dict[str, Any]:
        """Answer something that depends on the chunk."""
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
    compiled._flat.cache_clear()
    try:
        with pytest.raises(TrenteError, match=r"trente-rules\[fast\]") as caught:
            simulate(houses(), coups=1)
    finally:
        compiled._flat.cache_clear()
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
    """Answer where the shipped houses are."""
    import trente_variants  # noqa: PLC0415 - found by the entry point, as any package is

    return str(Path(str(trente_variants.__file__)).parent)
