"""The page of quality: each figure is that of a kept result, each folder of tests a part."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import make_quality
import nightly
import pytest
import results
from results import Result, State, kept_results

TESTS = Path(__file__).parents[1]


def test_the_page_and_the_summary_are_made_of_the_kept_results() -> None:
    """No figure is written by hand: the page is what the files in docs/quality give."""
    kept = kept_results()
    assert make_quality.PAGE.read_text("utf-8") == make_quality.page(kept)
    assert make_quality.SUMMARY.read_text("utf-8") == make_quality.summary(kept)


def test_every_folder_of_tests_is_a_part_of_the_nightly_run() -> None:
    """A folder that nobody named would never meet its nightly examples."""
    folders = {path.parent.name for path in TESTS.glob("*/test_*.py")}
    assert folders == nightly.FOLDERS.keys()


def test_every_file_that_is_split_off_is_there_and_is_run_once() -> None:
    """A part of its own takes a file out of the part of its folder."""
    for folder, split in nightly.SPLIT.items():
        for _proves, files in split.values():
            assert all((TESTS / folder / file).is_file() for file in files)
        rest = next(p for p in nightly.PARTS if p.name == f"tests-{folder}")
        assert len(rest.command) == 1 + sum(len(files) for _proves, files in split.values())


def test_parts_have_names_of_their_own() -> None:
    """Two parts of one name would keep one result."""
    names = [part.name for part in nightly.PARTS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("x\n12 passed, 1 skipped in 3.2s\n", {"passed": 12, "skipped": 1}),
        ("1 failed, 2 passed, 3 errors in 9s", {"passed": 2, "failed": 1, "errors": 3}),
        ("no tests ran in 0.1s", {}),
        ("", {}),
    ],
)
def test_the_counts_are_those_of_the_last_line(text: str, figures: dict[str, int]) -> None:
    """What pytest printed last says how many tests passed."""
    assert nightly.counts(text) == figures


def test_a_part_is_green_only_where_it_passed_on_this_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result of other code, or a failure, is run again."""
    part = nightly.PARTS[0]

    def kept(*, passed: bool, code: str) -> dict[str, dict[str, Any]]:
        return {part.name: {"passed": passed, "code": code}}

    for result, green in (
        ({}, False),
        (kept(passed=True, code="this"), True),
        (kept(passed=True, code="other"), False),
        (kept(passed=False, code="this"), False),
    ):
        monkeypatch.setattr(nightly, "kept_results", lambda result=result: result)
        assert nightly.is_green(part, "this") is green


@pytest.mark.parametrize(
    ("script", "passes", "note"),
    [
        ("keep(R(True), S)", True, None),
        ("keep(R(False), S)", False, None),
        ("keep(R(True), S); raise SystemExit(1)", False, "ended with status 1, without a result"),
        ("pass", False, "ended with status 0, without a result"),
        ("raise SystemExit(3)", False, "ended with status 3, without a result"),
        ("time.sleep(60)", False, "ended after 0 minutes"),
    ],
)
def test_a_part_passes_where_this_run_of_it_has_kept_that(
    script: str,
    note: str | None,
    *,
    passes: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A green result of before is not one of a run that ended without any."""
    head = (
        f"import sys, time; sys.path.insert(0, {str(results.ROOT / 'tools')!r});"
        "from pathlib import Path; from results import Result, keep as k;"
        "R = lambda passed: Result(part='a-part', command='c', passed=passed);"
        f"S = Path({str(tmp_path)!r}); keep = lambda result, place: k(result, place);"
    )
    part = nightly.Part("a-part", "it holds", ("-c", f"{head} {script}"))
    monkeypatch.setattr(nightly, "FOLDER", tmp_path)
    monkeypatch.setattr(nightly, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(nightly, "LONGEST", 3)
    monkeypatch.setattr(nightly, "kept_results", lambda: kept_results(tmp_path))
    monkeypatch.setattr(nightly, "keep", partial(results.keep, folder=tmp_path))
    keep = Result(part="a-part", command="c", passed=True)
    results.keep(keep, tmp_path, State.now())  # of before: it is green
    assert nightly.run(part, 1) is passes
    kept = kept_results(tmp_path)["a-part"]
    assert note is None or kept["notes"] == [note]


def test_a_result_that_no_part_writes_is_an_error() -> None:
    """A renamed part leaves no old figure on the page."""
    with pytest.raises(ValueError, match="an-old-part"):
        make_quality.page({"an-old-part": {}})
