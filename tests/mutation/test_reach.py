"""What tests reach, as it is kept between runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.mutation import reach
from tests.mutation.sites import ROOT, path_of

MODULE = "core.coup"
HERE = "tests/mutation/test_reach.py"


def kept(file: str, state: str, *tests: str) -> str:
    """Return what is kept of a file of tests that all reach the first line of a module."""
    names = [f"{file}::{test}" for test in tests]
    return json.dumps(
        {
            "file": state,
            "sources": {MODULE: reach.digest(path_of(MODULE))},
            "tests": names,
            "seconds": [0.1] * len(names),
            "bad": names[1:],
            "reached": {MODULE: {"1": list(range(len(names)))}},
        }
    )


def test_tests_that_are_gone_have_changed_or_fail_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One name that pytest cannot find ended a run with status 4: each change seemed noticed."""
    (tmp_path / "fast").mkdir()
    now = reach.digest(ROOT / HERE)
    for name, text in {
        "here": kept(HERE, now, "test_good", "test_that_failed"),
        "gone": kept("tests/mutation/test_gone.py", now, "test_a"),
        "changed": kept("tests/mutation/test_sites.py", "another", "test_b"),
        "empty": kept(HERE, now),
    }.items():
        (tmp_path / "fast" / f"{name}.json").write_text(text)
    monkeypatch.setattr(reach, "KEPT", tmp_path)
    found = reach.Reach.loaded(["fast"])
    assert found.seconds == {f"{HERE}::test_good": 0.1}
    assert found.lines == {MODULE: {1: {f"{HERE}::test_good"}}}
