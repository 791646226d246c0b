"""Every kept input of the fuzzer again, without the fuzzer: what was mended once stays mended."""

from __future__ import annotations

import json

import pytest
from tests.fuzz import corpora
from tests.fuzz.corpora import (
    HERE,
    KINDS,
    MOST_BYTES,
    PLANTED,
    TARGETS,
    keep,
    kept,
    line_of,
    target,
    unpack,
)
from tests.fuzz.target import attempt

ACCEPTED = 1
"""Inputs in the corpus of a target, at least, that are accepted: they are behind the parser."""


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_no_kept_input_breaks_a_promise(name: str) -> None:
    """S4, S7, S11, S14, S15, S17, S20: documented errors alone, nothing outside, nothing long."""
    found = target(name)
    words = [attempt(found, data) for data in kept(name, "corpus")]
    assert sum(word.startswith("accepted") for word in words) >= ACCEPTED
    assert len({*words}) > 2
    for data in kept(name, "found"):
        attempt(found, data)


def test_the_corpora_are_small() -> None:
    """Less than a megabyte in all, and no file but those of a target."""
    files = [path for kind in (*KINDS, PLANTED) for path in (HERE / kind).iterdir()]
    assert {path.stem for path in files} <= {*TARGETS}
    assert all(path.stat().st_size <= MOST_BYTES for path in files)
    assert sum(path.stat().st_size for path in files) < 1_000_000


def test_each_module_is_a_target() -> None:
    """One module for each, named as it is."""
    others = {"corpora", "floor", "mutation", "plants", "run", "target", "worker"}
    modules = {path.stem for path in HERE.glob("*.py") if not path.stem.startswith("test_")}
    assert modules - others == {name.replace("-", "_") for name in TARGETS}
    assert all(target(name).name == name for name in TARGETS)


@pytest.mark.parametrize(
    "data", [b"", b"a\nb", "é\u2028\x85\U0001f600".encode(), b"\xff\x00", b'"']
)
def test_inputs_are_kept_as_they_are(
    data: bytes, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line for each, whatever its bytes are."""
    monkeypatch.setattr(corpora, "HERE", tmp_path)
    assert len(line_of(data).splitlines()) == 1
    assert json.loads(line_of(data)) is not None
    assert keep("any", "corpus", [data, data, b"more"]) == 2
    assert {*kept("any", "corpus")} == {data, b"more"}
    assert keep("any", "corpus", [b"x" * 100, b"y"], most=50) == 1
    unpack(kept("any", "corpus"), corpora.HERE / "files")
    assert [path.read_bytes() for path in (corpora.HERE / "files").iterdir()] == [b"y"]
