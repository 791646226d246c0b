"""A few crashes of every kind, at every store; a thousand of each are a part of the nightly run.

And the faults: each is planted in the product, and found by the scenes that are made for it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.durability import thousand
from tests.durability.disk import shim
from tests.durability.faults import ANSWERED_FIRST, FAULTS
from tests.durability.scenes import TRIED, Met, Scene, Stage, stage

SCENES: Final = {each.name: each for each in thousand.all_scenes()}
FOUND_BY: Final = {
    ANSWERED_FIRST: ("kill sqlite", "answered, and not in the journal"),
    "never-synced": ("power sqlite", "answered commands are not there"),
    "not-fenced": ("writers sqlite", "same-id"),
    "full-unnoticed": ("full sqlite", "answered, and not in the journal"),
    "not-checked": ("torn postgresql", "the state is another one"),
    "time-decides": ("clock sqlite", "a host failed"),
}
"""The scene that finds a fault, and what it says of it."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux"),
]


@pytest.fixture(scope="module")
def here(request: pytest.FixtureRequest) -> Iterator[Stage]:
    """Return a stage for all scenes."""
    if not shim():
        pytest.skip("no C compiler")
    with stage(request.getfixturevalue("postgres")) as made:
        made.few = True
        yield made


@pytest.mark.parametrize("name", SCENES)
def test_a_few_crashes_break_no_promise(name: str, here: Stage) -> None:
    """S5, S6, S13: nothing answered is lost, nothing is doubled, nothing is read wrongly."""
    met = SCENES[name].play(here, 1)
    assert met[TRIED] > 0, met


@pytest.mark.parametrize("fault", FOUND_BY)
def test_a_fault_is_found(fault: str, request: pytest.FixtureRequest) -> None:
    """A proof that cannot fail proves nothing: each of these is a bug that was planted."""
    if not shim():
        pytest.skip("no C compiler")
    name, said = FOUND_BY[fault]
    conninfo = request.getfixturevalue("postgres") if "postgresql" in name else ""
    found = None
    with stage(conninfo, fault=fault) as made:
        made.few = True
        for seed in range(1, 20):
            try:
                SCENES[name].play(made, seed)
            except AssertionError as error:
                found = str(error)
                break
    assert found is not None
    assert said in found


def test_every_fault_has_a_scene_that_finds_it() -> None:
    """None of them is left out."""
    assert {ANSWERED_FIRST, *FAULTS} == set(FOUND_BY)


class _Scripted:
    """A scene that meets what it is told to, or breaks."""

    def __init__(self, *mets: Met) -> None:
        self.mets = mets
        self.seeds: list[int] = []

    def __call__(self, _stage: Stage, seed: int) -> Met:
        self.seeds.append(seed)
        return self.mets[(seed - 1) % len(self.mets)]


def _ran(
    monkeypatch: pytest.MonkeyPatch, folder: Path, play: _Scripted, *words: str
) -> tuple[int, _Scripted]:
    scene = Scene("kill", "sqlite", play, ("in a commit",))
    monkeypatch.setattr(thousand, "all_scenes", lambda: [scene])
    monkeypatch.setattr(thousand, "FOLDER", folder)
    return thousand.main(["--kind", "kill", "--journal", "sqlite", "--times", "10", *words]), play


def test_a_run_that_never_meets_a_case_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A thousand kills between two commands prove nothing."""
    status, _ = _ran(monkeypatch, tmp_path, _Scripted(Met({TRIED: 4})))
    assert status == 1
    assert "NEVER MET: in a commit" in capsys.readouterr().out


def test_a_run_is_resumed_where_it_was(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was done is not done again, and counts; a run of other seeds is another one."""
    met = Met({TRIED: 4, "in a commit": 1})
    status, play = _ran(monkeypatch, tmp_path, _Scripted(met), "--minutes", "0")
    assert (status, play.seeds) == (1, [])
    assert "10 are left" in capsys.readouterr().out
    status, play = _ran(monkeypatch, tmp_path, _Scripted(met), "--resume")
    assert (status, play.seeds) == (0, [1, 2, 3])
    status, play = _ran(monkeypatch, tmp_path, _Scripted(met), "--resume")
    assert (status, play.seeds) == (0, [])
    assert "3 in a commit" in capsys.readouterr().out
    status, play = _ran(monkeypatch, tmp_path, _Scripted(met))
    assert (status, play.seeds) == (0, [1, 2, 3])


def test_a_promise_that_was_broken_stays_broken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A race that is lost once in a thousand is not forgotten by a second run of the same code."""

    class Broken(_Scripted):
        def __call__(self, stage: Stage, seed: int) -> Met:
            super().__call__(stage, seed)
            raise AssertionError("an answer is lost")

    status, _ = _ran(monkeypatch, tmp_path, Broken(Met()))
    assert status == 1
    status, play = _ran(monkeypatch, tmp_path, _Scripted(Met({TRIED: 4})), "--resume")
    assert (status, play.seeds) == (1, [])
    assert "BROKEN: seed 1: an answer is lost" in capsys.readouterr().out
    status, play = _ran(monkeypatch, tmp_path, _Scripted(Met({TRIED: 4, "in a commit": 1})))
    assert status == 0
