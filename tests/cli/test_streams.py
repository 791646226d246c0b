"""Standard streams of every kind: code pages, closed and full outputs, no streams at all."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from tests.cli.calling import HANGS, TRENTE
from tests.cli.examples import examples, fill

from trente_rules.cli import group
from trente_rules.cli.streams import plain_letters

pytestmark = pytest.mark.slow

HOUSE: Final = "germany-500"
COMMANDS: Final = (
    "houses",
    f"show {HOUSE}",
    f"rules {HOUSE} --language de",
    "rules campione --language fr",
    "compare spain-1979 italy-half-loss",
    "card permanence.txt",
    "history table.journal",
    "odds --help",
    "par campione",
)
"""Commands whose plain text has letters that some code page lacks."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that examples name."""
    made = tmp_path_factory.mktemp("examples")
    fill(made)
    return made


def called(
    line: str, folder: Path, env: dict[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[bytes]:
    """Run a line of a shell in a process, with a code page or without streams."""
    return subprocess.run(
        [*TRENTE, *shlex.split(line)],
        check=False,
        cwd=folder,
        env={**os.environ, **(env or {})},
        timeout=HANGS * 3,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


@pytest.mark.parametrize(
    ("line", "page"),
    [
        *((line, "cp1252") for line in COMMANDS),
        *((COMMANDS[2], page) for page in ("cp437", "cp850", "ascii")),
    ],
)
def test_plain_text_falls_back_to_what_a_code_page_has(line: str, page: str, folder: Path) -> None:
    """C5, U26: letters for suits, no traceback, whatever is lacking."""
    done = called(line, folder, {"PYTHONIOENCODING": page, "PYTHONUTF8": "0"})
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode("utf-8" if page == "ascii" else page)
    whole = called(line, folder, {"PYTHONIOENCODING": "utf-8"}).stdout.decode()
    assert plain_letters(text).splitlines() == plain_letters(whole).splitlines()


def test_a_terminal_of_the_locale_c_is_written_to(folder: Path) -> None:
    """U26: ``LC_ALL=C`` without any help of Python's."""
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = called("houses", folder, env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Campione" in done.stdout


@pytest.mark.parametrize(
    "line",
    [
        "houses --format json",
        "compare spain-1979 --against france-2007 --format csv",
        "rules italy-half-loss --language es --format markdown",
        f"rules {HOUSE} --language de --format html",
        "show spain-1979 --format toml",
        "show spain-1979 --format latex",
        "record taille.toml",
        "record taille.toml --format json",
    ],
)
def test_what_programs_read_is_utf8_in_every_code_page(line: str, folder: Path) -> None:
    """C5, U25: the same bytes as where the system is UTF-8, with the same line ends."""
    done = called(line, folder, {"PYTHONIOENCODING": "cp1252"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == called(line, folder, {"PYTHONIOENCODING": "utf-8"}).stdout
    text = done.stdout.decode("utf-8")
    assert b"\r\r" not in done.stdout
    if line.endswith("json"):
        assert json.loads(text)
    if line.endswith("csv"):
        assert list(csv.reader(io.StringIO(text)))


def test_what_was_written_is_read_again(folder: Path) -> None:
    """C5: the TOML of a house, written by a shell in a code page."""
    house = folder / "spain.toml"
    house.write_bytes(
        called("show spain-1979 --format toml", folder, {"PYTHONIOENCODING": "cp1252"}).stdout
    )
    assert called("check spain.toml", folder).returncode == 0


LINES: Final = tuple(examples())


def quick(words: list[str]) -> list[str]:
    """Return a command that deals as little as it can: ten million coups take minutes."""
    option = {"simulate": "--coups", "count": "--shoes"}.get(words[0])
    if option is None or {"--permanence", "--results"} & set(words):
        return words
    if option in words:
        return [*words[: words.index(option) + 1], "1", *words[words.index(option) + 2 :]]
    return [*words, option, "1"]


BEFORE: Final = {
    "verify pack": "certify jeu-casino --out pack --shoes 2 --coups 0",
    "head.key.pub": "journal keygen head.key",
}
"""Commands that make what an example names, by what is in its line."""


def _is_pattern(word: str) -> bool:
    """Return whether a shell puts names in place of a word; a quoted "*" means all tables."""
    return "*" in word and word != "*"


def words_of(line: str, folder: Path) -> list[str]:
    """Return the words of an example, with the files that a pattern is of."""
    words = quick(shlex.split(line.partition(">")[0])[1:])
    return [
        each
        for word in words
        for each in (
            sorted(file.name for file in folder.glob(word)) if _is_pattern(word) else [word]
        )
    ]


@pytest.mark.parametrize("line", [pytest.param(line, marks=pytest.mark.nightly) for line in LINES])
def test_every_example_runs_in_any_output(line: str, folder: Path, tmp_path: Path) -> None:
    """C5, C7: under cp1252 and without a standard output: no traceback, and no other status."""
    del folder
    found = []
    for number, (page, closed) in enumerate((("utf-8", ""), ("cp1252", ""), ("utf-8", ">&-"))):
        place = tmp_path / str(number)
        place.mkdir()
        fill(place)
        for named, command in BEFORE.items():
            if named in line:
                assert called(command, place).returncode == 0
        words = " ".join(map(shlex.quote, (*TRENTE, *words_of(line, place))))
        done = subprocess.run(
            ["/bin/sh", "-c", f"{words} {closed}"],
            check=False,
            capture_output=True,
            cwd=place,
            encoding=page,
            errors="strict",
            env={**os.environ, "PYTHONIOENCODING": page},
            timeout=HANGS * 10,
        )
        assert "Traceback" not in done.stderr, done.stderr
        found.append((done.returncode, done.stderr))
    (status, told), (page_status, _page), (closed_status, lost) = found
    assert status == page_status, line
    assert status in (0, 1, 3), told
    # Raw bytes that nobody reads are refused before they are made: a wrong call.
    without = 2 if "rng export" in line else 1
    assert closed_status == status or (closed_status == without and "no standard output" in lost), (
        lost
    )


@pytest.mark.parametrize(
    ("line", "status", "told"),
    [
        ("record table.journal --out one.toml", 0, "one.toml written"),
        ("houses --out houses.json", 0, "houses.json written"),
        ("check my.toml", 0, "there is no standard output"),
        ("check bad.toml", 1, "there is no standard output"),
        ("replay taille.toml", 0, "there is no standard output"),
        ("houses", 1, "there is no standard output: the report is lost (name a file with --out)"),
        ("fingerprint campione", 1, "there is no standard output"),
        ("--help", 1, "there is no standard output"),
    ],
)
def test_without_a_standard_output_work_is_done(
    line: str, status: int, told: str, folder: Path
) -> None:
    """C7: 0 where a file was written, the finding of what looks for one, a sentence elsewhere."""
    (folder / "bad.toml").write_text("[house]\nname = 1\n", "utf-8")
    words = " ".join(map(shlex.quote, (*TRENTE, *shlex.split(line))))
    done = subprocess.run(
        ["/bin/sh", "-c", f"{words} >&-"],
        check=False,
        stderr=subprocess.PIPE,
        cwd=folder,
        timeout=HANGS,
    )
    assert b"Traceback" not in done.stderr
    assert (done.returncode, told.encode() in done.stderr) == (status, True), done.stderr


@pytest.mark.parametrize("closed", ["2>&-", "<&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_without_other_streams_the_answer_is_the_same(closed: str, folder: Path) -> None:
    """C7: a service may have no standard error, and no input."""
    words = " ".join(map(shlex.quote, (*TRENTE, "check", "my.toml")))
    done = subprocess.run(["/bin/sh", "-c", f"{words} {closed}"], check=False, cwd=folder)
    assert done.returncode == 0
    words = " ".join(map(shlex.quote, (*TRENTE, "show", "nowhere")))
    done = subprocess.run(["/bin/sh", "-c", f"{words} {closed}"], check=False, cwd=folder)
    assert done.returncode == 2


def test_what_is_printed_is_not_written_into_a_journal(folder: Path) -> None:
    """C7: no file is opened under the number of a stream that is closed."""
    words = " ".join(
        map(shlex.quote, (*TRENTE, "journal", "backup", "table.journal", "safe.journal"))
    )
    done = subprocess.run(["/bin/sh", "-c", f"{words} >&- 2>&-"], check=False, cwd=folder)
    assert done.returncode in (0, 1)
    assert called("journal head safe.journal --check", folder).returncode == 0


@pytest.mark.parametrize(
    ("line", "status"), [("check my.toml", 1), ("houses", 1), ("check bad.toml", 1)]
)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_a_sentence(line: str, status: int, folder: Path) -> None:
    """U58: on the standard output, and on the standard error, where nothing can be said."""
    with Path("/dev/full").open("wb") as full:
        done = called(line, folder, stdout=full)
        assert done.returncode == status
        assert done.stderr.startswith(b"cannot write the output: No space left on device")
        assert b"Traceback" not in done.stderr
        assert called("show nowhere", folder, stderr=full).returncode == 2


def test_a_reader_that_goes_away_leaves_the_finding(folder: Path) -> None:
    """C7: ``check bad.toml | head -0`` under pipefail is still a finding."""
    (folder / "bad.toml").write_text("[house]\nname = 1\n", "utf-8")
    reader, writer = os.pipe()
    os.close(reader)
    try:
        for line, status in (("check bad.toml", 1), ("check my.toml", 0), ("houses", 0)):
            done = called(line, folder, stdout=writer)
            assert (done.returncode, done.stderr) == (status, b""), line
    finally:
        os.close(writer)


def test_windowed_python_has_no_streams(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """C7: all three are None, as pythonw has it."""
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    out = str(tmp_path / "h.json")
    for words, status in ((["houses", "--out", out], 0), (["houses"], 1), (["rng", "verify"], 2)):
        with pytest.raises(SystemExit) as left:
            group.run(words)
        assert left.value.code == status
        assert (sys.stdout, sys.stderr) == (None, None)
    assert json.loads(Path(out).read_text("utf-8"))


def test_streams_are_put_back(capsys: pytest.CaptureFixture[str]) -> None:
    """A host that calls the command line keeps its own streams."""
    before = sys.stdout.encoding, sys.stdout.errors
    with pytest.raises(SystemExit):
        group.run(["houses", "--format", "json"])
    assert (sys.stdout.encoding, sys.stdout.errors) == before
    assert capsys.readouterr().out.startswith("{")
