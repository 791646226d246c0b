"""What makes an input a failure: each of the checks of the fuzzer fails once."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.fuzz import target as shared
from tests.fuzz.corpora import TARGETS
from tests.fuzz.mutation import json_mutation, line_mutation, toml_mutation
from tests.fuzz.target import ROOT, BrokenPromiseError, Target, attempt, folder

from trente_rules import TrenteError
from trente_rules.core.errors import RecordError


def of(one: Callable[[bytes], str]) -> Target:
    """Return a target that reads with a function."""
    return Target("test", one, tuple, tuple)


def refusing(error: TrenteError) -> Target:
    """Return a target that refuses everything with an error."""
    return of(lambda _data: shared.refused(error))


def test_a_documented_error_is_an_answer() -> None:
    """Its code is the word that is counted."""
    assert attempt(refusing(RecordError("not one", "bad-record")), b"") == "refused bad-record"
    assert attempt(of(lambda data: f"accepted, {len(data)}"), b"abc") == "accepted, 3"


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (RecordError("not one", "never-heard-of"), "undocumented"),
        (RecordError("", "bad-record"), "cannot be printed"),
    ],
)
def test_any_other_error_is_a_failure(error: TrenteError, why: str) -> None:
    """An unknown code, or no words."""
    with pytest.raises(BrokenPromiseError, match=why):
        attempt(refusing(error), b"")


def test_an_error_that_cannot_be_printed_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """S4: control and bidi characters, a run of cards, where ``__str__`` lets them pass."""
    monkeypatch.setattr(RecordError, "__str__", lambda self: str(self.message))
    for odd in ("\x1b]0;x\x07", "\u202e", "\x9b", "\ud800", "\r"):
        with pytest.raises(BrokenPromiseError, match="cannot be printed"):
            attempt(refusing(RecordError(f"a{odd}b", "bad-record")), b"")
    with pytest.raises(BrokenPromiseError, match="shows cards"):  # S16
        attempt(refusing(RecordError("A♠ 10♥ J♣ Q♦ 3♠", "bad-record")), b"")


def test_a_file_outside_is_a_failure(tmp_path: Path) -> None:
    """S20: nothing but the folder of the input, and of Python, is opened or removed."""
    secret = tmp_path / "secret"
    secret.write_text("x")

    def reads(_data: bytes) -> str:
        return secret.read_text()

    def removes(_data: bytes) -> str:
        secret.unlink()
        return "accepted"

    def runs(_data: bytes) -> str:
        subprocess.run([sys.executable, "--version"], check=True, capture_output=True)
        return "accepted"

    def within(_data: bytes) -> str:
        (folder() / "own").write_text("x")
        (folder() / "own").unlink()
        return "accepted"

    assert attempt(of(within), b"") == "accepted"
    for one in (reads, removes, runs):
        with pytest.raises(BrokenPromiseError, match="it reached for"):
            attempt(of(one), b"")


def test_a_long_time_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """S14, S17: seconds of the processor; libFuzzer ends what never ends."""
    monkeypatch.setattr(shared, "MOST_SECONDS", 0.0)

    def works(_data: bytes) -> str:
        since = time.process_time()
        while time.process_time() < since + 0.02:  # its clock may be a coarse one
            pass
        return "accepted"

    with pytest.raises(BrokenPromiseError, match="of the processor"):
        attempt(of(works), b"")


def test_a_warning_is_a_failure() -> None:
    """As in every test: what a reader warns of is documented, or an error."""

    def warns(_data: bytes) -> str:
        import warnings  # noqa: PLC0415

        warnings.warn("x", stacklevel=1)
        return "accepted"

    with pytest.raises(UserWarning, match="x"):
        attempt(of(warns), b"")


@pytest.mark.parametrize(
    ("make", "data"),
    [
        (json_mutation, b'{"a": [1, 2, {"b": "x"}], "c": "d"}'),
        (toml_mutation, b'a = 1\n[b]\nc = ["x", 2]\n'),
        (line_mutation, b"31 32\n33 34 r\n--\n35 36\n"),
    ],
)
def test_a_mutation_depends_on_its_seed_alone(make: Any, data: bytes) -> None:
    """The same seed changes the same input in the same way; another one, in another."""

    def raw(found: bytes, most: int) -> bytes:
        return found[: most // 2]

    mutate = make(["word", "key"], raw, [data])
    made = [mutate(data, Random(seed)) for seed in range(60)]
    assert made == [mutate(data, Random(seed)) for seed in range(60)]
    assert len({*made}) > 10


def test_the_targets_need_no_compiler() -> None:
    """A process of the fuzzer imports no numba: it would take more memory than an input may."""
    names = [name.replace("-", "_") for name in TARGETS]
    lines = [f"import tests.fuzz.{name}" for name in names]
    check = "import sys; assert not {'numba', 'llvmlite', 'atheris'} & {*sys.modules}"
    code = "; ".join([*lines, check])
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
