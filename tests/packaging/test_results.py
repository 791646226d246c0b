"""Results of the proofs: each names the code, the machine and the command it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest
import results
from results import Result, State, environment, keep, kept_results


def test_a_result_names_its_commit_machine_date_and_command(tmp_path: Path) -> None:
    """A figure without the code and the machine it was measured on proves nothing."""
    made = Result(part="a-part", command="make it", passed=True, figures={"sites": 3}, seconds=2)
    file = keep(made, tmp_path, State.now())
    assert file == tmp_path / "a-part.json"
    kept = kept_results(tmp_path)["a-part"]
    assert (kept["passed"], kept["command"], kept["figures"]) == (True, "make it", {"sites": 3})
    assert kept["seconds"] == 2
    assert all(kept[name] for name in ("commit", "machine", "date"))


@pytest.mark.parametrize("name", ["", "A", "a b", "../a", "a/b"])
def test_a_part_has_the_name_of_a_file(tmp_path: Path, name: str) -> None:
    """A result is a file of its own folder, and nowhere else."""
    with pytest.raises(ValueError, match="lower case letters, digits and hyphens"):
        keep(Result(part=name, command="make it", passed=True), tmp_path, State.now())
    assert not list(tmp_path.iterdir())


def test_a_result_is_kept_by_the_nightly_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A short run by hand, of three crashes or of one target, is no part of the night."""
    made = Result(part="a-part", command="make it", passed=True)
    monkeypatch.delenv(results.NIGHTLY, raising=False)
    assert keep(made, tmp_path) is None
    assert "`make nightly PARTS=a-part` alone keeps" in capsys.readouterr().err
    for part in ("another", "a-part"):
        for name, value in environment(part, State.now()).items():
            monkeypatch.setenv(name, value)
        assert (keep(made, tmp_path) is not None) is (part == "a-part")
    assert kept_results(tmp_path)["a-part"]["passed"]


def test_code_that_changes_while_it_is_tested_has_not_passed(tmp_path: Path) -> None:
    """The result is of neither state: it has the one it began with, and the reason."""
    made = Result(part="a-part", command="make it", passed=True, notes=["one"])
    keep(made, tmp_path, State("0123456789", State.now().code))  # a document was committed
    assert kept_results(tmp_path)["a-part"]["passed"]
    keep(made, tmp_path, State("0123456789", "other code"))
    kept = kept_results(tmp_path)["a-part"]
    assert (kept["passed"], kept["commit"], kept["code"]) == (False, "0123456789", "other code")
    assert kept["notes"] == ["one", "the code was changed while it was tested"]


def test_results_of_other_code_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digest follows the code as it lies there: text, names and files that are new."""
    monkeypatch.setattr(results, "ROOT", tmp_path)
    assert results.code_digest() == ""
    assert results.commit() == "unknown"
    results._git("init", "-q")
    source = tmp_path / "src" / "a.py"
    source.parent.mkdir()
    digests = []
    for text in ("one", "two", "one"):
        source.write_text(text)
        digests.append(results.code_digest())
    assert digests[0] == digests[2] != digests[1]
    (tmp_path / "README.md").write_text("a document")
    assert results.code_digest() == digests[0]
    source.rename(source.with_name("b.py"))
    assert results.code_digest() not in digests
