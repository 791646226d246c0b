"""Runs that are interrupted, cut short, made longer: what is told, and what the file keeps."""

from __future__ import annotations

import errno
import io
import json
import os
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

pytest.importorskip("numba")

from tests.simulation.small_runs import COUPS, SEED, SMALL, houses, simulated, small_chunks

from trente_rules import Opening
from trente_rules.core.errors import TrenteError
from trente_rules.simulation import runner
from trente_rules.simulation.flat import simulate
from trente_rules.simulation.runner import run

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    small_chunks(monkeypatch)


@frozen
class Counting:
    """A job of another kind: floating point, added up in the order of the chunks."""

    def identity(self) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def play(self, chunk: int, shoes: int) -> dict[str, Any]:
        """Return something that depends on the chunk."""
        return {"sum": [0.1 * chunk, shoes], "name": {"deep": 1 / (chunk + 1)}}


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
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "no folder" / "run.jsonl", tmp_path, tmp_path / "pipe"):
        with pytest.raises(TrenteError) as caught:
            simulated(resume=path)
        assert caught.value.code == "run-file"


def test_a_full_disk_ends_the_run_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be kept is an error, and no traceback."""

    class Full(io.BytesIO):
        def write(self, _data: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(runner, "regular_file", lambda *_path, **_mode: Full())
    with pytest.raises(TrenteError, match="No space left") as caught:
        simulated(resume="run.jsonl")
    assert caught.value.code == "run-file"
