"""U40: faults as a terminal shows them, with the line, a caret, and a count."""

from __future__ import annotations

import os
import pty
from contextlib import suppress
from pathlib import Path

import click
import pytest
from tests.cli.calling import trente

from trente_rules.cli.faults import count_line, error_text, fault_lines
from trente_rules.cli.house_files import check_command
from trente_rules.core.errors import ConfigurationError, Fault, TrenteError
from trente_rules.core.text import counted

BAD = """[house]
name = "bad"
extends = "france-2007"
[shoe]
burn = -3 # cards
marker = { from_end = [40, 20], placed_by = "dealer" }
[shoo]
"""


def shown(file: Path, line: int, column: int, message: str = "wrong") -> list[str]:
    """Return the lines of one fault, without their styles."""
    fault = Fault(str(file), line, column, "a.b", "some-code", message, "do this")
    return [click.unstyle(each) for each in fault_lines([fault])]


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """Return a house with four faults."""
    file = tmp_path / "bad.toml"
    file.write_text(BAD, "utf-8")
    return file


def test_check_shows_the_line_and_a_caret(bad: Path) -> None:
    """U40: file, place, key, message, what to do, code; the line; what is wrong in it; a count."""
    ran = trente("check", bad)
    assert ran.status == 1
    lines = ran.out.replace(str(bad), "bad.toml").split("\n")
    assert lines == [
        "bad.toml:5:8: shoe.burn: -3 is out of range (0 to 52) [out-of-range]",
        "  5 | burn = -3 # cards",
        "    |        ^^",
        (
            "bad.toml:6:23: shoe.marker.from_end: give one number, or two in ascending order "
            "[out-of-range]"
        ),
        '  6 | marker = { from_end = [40, 20], placed_by = "dealer" }',
        "    |                       ^^^^^^^^",
        (
            "bad.toml:6:45: shoe.marker.placed_by: 'dealer' is not one of 'croupier', 'player' "
            "[bad-choice]"
        ),
        '  6 | marker = { from_end = [40, 20], placed_by = "dealer" }',
        "    |                                             ^^^^^^^^",
        "bad.toml:7:2: shoo: unknown table 'shoo' (did you mean 'shoe'?) [unknown-key]",
        "  7 | [shoo]",
        "    |  ^^^^",
        "4 faults in 1 file",
        "",
    ]


@pytest.mark.parametrize(
    "words",
    [
        ("show", "FILE"),
        ("rules", "FILE"),
        ("odds", "--house", "FILE"),
        ("compare", "FILE"),
        ("diff", "FILE", "campione"),
        ("par", "FILE"),
        ("fingerprint", "FILE"),
        ("new", "NEW", "--from", "FILE"),
    ],
)
def test_every_command_that_loads_the_house_shows_the_same(
    words: tuple[str, ...], bad: Path, tmp_path: Path
) -> None:
    """U40: on the standard error, plain where it is not a terminal."""
    given = {"FILE": str(bad), "NEW": str(tmp_path / "new.toml")}
    ran = trente(*(given.get(word, word) for word in words))
    assert ran.status in (1, 2)
    assert ran.out == ""
    assert "  5 | burn = -3 # cards\n    |        ^^\n" in ran.err
    assert ran.err.endswith("\n4 faults in 1 file\n")
    assert "\x1b" not in ran.err


def test_a_clean_file_has_a_count_too(tmp_path: Path) -> None:
    """U40: "no faults in 2 files"; the form of JSON is as before."""
    files = [tmp_path / "a.toml", tmp_path / "b.toml"]
    for file in files:
        file.write_text(f'[house]\nname = "{file.stem}"\nextends = "campione"\n', "utf-8")
    ran = trente("check", *files)
    assert (ran.status, ran.out.split("\n")[-2]) == (0, "no faults in 2 files")
    assert trente("check", *files, "--format", "json").json == {"faults": [], "notes": []}


@pytest.mark.parametrize(
    ("line", "column", "marked"),
    [
        ('a = "x\\"y" # c', 5, '"x\\"y"'),
        ("a = 'x' # c", 5, "'x'"),
        ("a = [1, [2, ']'], 3] # ]", 5, "[1, [2, ']'], 3]"),
        ("a = [ # open", 5, "["),
        ("a = { b = 1", 5, "{ b = 1"),
        ("long-key = 5", 1, "long-key"),
        ("[[side_bets]]", 3, "side_bets"),
        ('a = "no end', 5, '"'),
        ("", 1, ""),
        ("a = 1", 9, ""),
    ],
)
def test_what_is_wrong_is_underlined(line: str, column: int, marked: str, tmp_path: Path) -> None:
    """A string, a list, a table, a key or a number, to its end in the line."""
    file = tmp_path / "a.toml"
    file.write_text(f"{line}\n", "utf-8")
    _head, _source, caret = shown(file, 1, column)
    assert caret.count("^") == max(1, len(marked))


def test_carets_are_under_what_is_wrong_whatever_comes_before(tmp_path: Path) -> None:
    """Tabs, wide letters, hidden characters and long lines: the caret is below all the same."""
    file = tmp_path / "a.toml"
    file.write_text(
        f"\ta = 5\n'日本' = 5\n'\u202e' = 5\n{'k' * 300} = 5{' ' * 5}{'z' * 300}\n", "utf-8"
    )
    for number, (column, before) in enumerate(((6, 5), (8, 9), (7, 11), (304, 63)), 1):
        _head, source, caret = shown(file, number, column)
        start = len(f"  {number} | ")
        assert caret.index("^") - start == before, source
        assert len(source) < 120
        assert "\u202e" not in source


def test_cards_of_a_file_are_not_shown(tmp_path: Path) -> None:
    """What may be the order of a shoe is left out of the line, as out of the message."""
    file = tmp_path / "a.toml"
    file.write_text('order = "10♠ J♠ Q♠ 8♠ K♠"\n', "utf-8")
    assert "10♠" not in "\n".join(shown(file, 1, 9))


def test_a_file_that_is_gone_or_shorter_has_no_line(tmp_path: Path) -> None:
    """The fault itself is printed; nothing else comes up."""
    assert len(shown(tmp_path / "none.toml", 1, 1)) == 1
    (tmp_path / "a.toml").write_text("a = 1\n", "utf-8")
    assert len(shown(tmp_path / "a.toml", 7, 1)) == 1


def test_styles_are_for_terminals(bad: Path) -> None:
    """The styles are there, and a pipe gets none of them (the test above)."""
    fault = Fault(str(bad), 5, 8, "shoe.burn", "out-of-range", "wrong", "do this")
    styled = "\n".join(fault_lines([fault]))
    assert "\x1b[" in styled
    assert click.unstyle(styled).split("\n")[0] == str(fault)
    note = click.unstyle("\n".join(fault_lines([fault], "note"))).split("\n")[0]
    assert note == str(fault).replace(": shoe", ": note: shoe", 1)


def test_errors_without_faults_are_one_line() -> None:
    """A name that is unknown has no line and no count."""
    assert error_text(TrenteError("no such thing", "none", "look again")) == (
        "no such thing (look again)"
    )
    unknown = ConfigurationError.of(Fault("'x'", None, None, "", "unknown-house", "unknown 'x'"))
    assert click.unstyle(error_text(unknown)) == "unknown 'x' [unknown-house]"


def test_a_file_is_named_though_its_name_is_in_a_word_of_the_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U40: `dir` is in "directory"; only a name in quotes says which file is meant."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dir").mkdir()
    told = "dir: this is a directory (name a file in it) [file-unreadable]\n"
    assert trente("card", "dir").err == told
    assert trente("compare", "dir/").err == told
    assert trente("card", "file").err == "file: there is no such file [file-missing]\n"


def test_faults_that_are_not_listed_are_counted(tmp_path: Path) -> None:
    """U40: 300 unknown keys are 300 faults, of which 200 are listed."""
    file = tmp_path / "many.toml"
    text = '[house]\nname = "a"\nextends = "campione"\n[shoe]\n'
    file.write_text(text + "".join(f"key{n} = 1\n" for n in range(300)), "utf-8")
    *_lines, more, count = trente("check", file).out.splitlines()
    assert (more, count) == ("and 100 more faults", "300 faults in 1 file")


@pytest.mark.parametrize(
    ("many", "words"), [(0, "no faults"), (1, "1 fault"), (12, "12 faults"), (1500, "1,500 faults")]
)
def test_one_rule_for_plurals(many: int, words: str) -> None:
    """U38: one plural rule."""
    assert counted(many, "fault") == words
    assert click.unstyle(count_line(0, 3)) == "no faults in 3 files"


@pytest.mark.parametrize(
    ("environment", "styled"),
    [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False)],
)
def test_colours_are_those_that_are_wanted(
    environment: dict[str, str], *, styled: bool, bad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U40: on a terminal, unless NO_COLOR or a terminal without styles says otherwise."""
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as stream, suppress(SystemExit):
        monkeypatch.setattr("sys.stdout", stream)
        check_command.main([str(bad)], prog_name="trente check")
    text = os.read(ours, 65536).decode()
    os.close(ours)
    assert "burn = -3" in text
    assert ("\x1b[" in text) is styled
