"""The tools of the project refuse arguments that they do not have, before they do anything."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import api_changes
import made_file
import make_golden_files
import pytest
import pythons

TOOLS: Final = Path(__file__).parents[2] / "tools"
SCRIPTS: Final = sorted(
    path.stem for path in TOOLS.glob("*.py") if '__name__ == "__main__"' in path.read_text("utf-8")
)


def refused(text: str) -> str:
    """Return the one line of a refusal: behind the usage, with the name of the program."""
    *usage, line = text.splitlines()
    assert usage[0].startswith("usage: ")
    assert not any("error: " in each for each in usage)
    return line.partition("error: ")[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_tool_refuses_an_option_that_it_does_not_have(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A misspelt ``--check`` writes no file, and no misspelt option builds a release."""
    script = str(TOOLS / f"{name}.py")
    monkeypatch.setattr(sys, "argv", [script, "--chek"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(script, run_name="__main__")
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert refused(said.err)


def test_no_file_is_made_for_a_wrong_argument(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With ``--check`` a file is compared, without an argument it is written."""
    file, made = tmp_path / "page.md", list[str]()

    def files() -> Iterator[tuple[Path, str]]:
        made.append("made")
        yield file, "text"

    with pytest.raises(SystemExit) as ended:
        made_file.write_or_check("A tool.", files, ["--chek"])
    assert (ended.value.code, made) == (2, [])
    assert refused(capsys.readouterr().err) == "unrecognized arguments: --chek"
    assert made_file.write_or_check("A tool.", files, []) == 0
    assert file.read_text("utf-8") == "text"
    assert made_file.write_or_check("A tool.", files, ["--check"]) == 0
    file.write_text("another", "utf-8")
    assert made_file.write_or_check("A tool.", files, ["--check"]) == 1
    assert file.read_text("utf-8") == "another"


def test_a_release_that_is_not_kept_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The releases that can be named are listed."""
    with pytest.raises(SystemExit) as ended:
        api_changes.main(["--against", "9.9"])
    line = refused(capsys.readouterr().err)
    assert ended.value.code == 2
    assert "--against: invalid choice: '9.9'" in line
    assert all(folder.name in line for folder in api_changes.releases())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--only", "3.99"], "--only: invalid choice: '3.99'"),
        (["--only", "3"], "--only: invalid choice: '3'"),
        (["--only", "3.11", "--keep"], "--keep keeps the result of every Python: leave --only out"),
    ],
)
def test_one_python_never_replaces_the_result_of_all(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A Python that nobody looks for is refused, and one alone is tried without being kept."""
    with pytest.raises(SystemExit) as ended:
        pythons.main(given)
    assert ended.value.code == 2
    assert said in refused(capsys.readouterr().err)


def test_a_python_that_is_not_here_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing was tried, and the output says why."""
    monkeypatch.setattr(pythons, "python", lambda _minor: None)
    assert pythons.main(["--only", f"3.{pythons.LATEST - 1}"]) == 1
    said = f"3.{pythons.LATEST - 1}     not tried: this machine does not have it\n"
    assert capsys.readouterr().out == said


def test_golden_files_of_a_house_that_is_not_shipped_are_never_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder of a house is made anew: a name such as ``..`` must not reach it."""
    monkeypatch.setattr(make_golden_files, "FOLDER", tmp_path / "golden")
    with pytest.raises(SystemExit) as ended:
        make_golden_files.main(["france-2007", ".."])
    assert ended.value.code == 2
    assert "no shipped house is named '..'" in refused(capsys.readouterr().err)
    assert list(tmp_path.iterdir()) == []
