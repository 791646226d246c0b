"""One command line, one dialect: every command of the tree is walked and held to the contract."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import pytest
from tests.cli.calling import trente
from tests.cli.examples import ALL, SITS
from tests.cli.test_strange_texts import COMMANDS, command_of

import trente_rules
from trente_rules.cli.commands import COMMANDS as LISTED
from trente_rules.cli.helped import HelpedCommand, HelpedGroup, first_line
from trente_rules.cli.values import AMOUNT, CHANCE, DEAL, HOUSE, LANGUAGE, SEED
from trente_rules.core.plugins.manager import default_manager

ONE_TYPE: Final[dict[str, object]] = {
    "--house": HOUSE, "--from": HOUSE, "--against": HOUSE, "--stake": AMOUNT, "--deal": DEAL,
    "--chance": CHANCE, "--language": LANGUAGE, "--seed": SEED,
}  # fmt: skip
"""Options that are the same wherever they are."""
METAVARS: Final = {"--format": None, "--out": "FILE", "--key-file": "FILE", "--plot": "FILE"}
A_FOLDER: Final = {("certify",)}
"""Commands that write a folder: their --out is one."""
NO_REPORT: Final = {
    ("new",), ("play",), ("serve",), ("token",), ("token", "key"), ("journal", "keygen"),
    ("rng", "export", "raw"), ("rng", "export", "shoes"), ("completion",), ("schema",),
}  # fmt: skip
"""Commands that print no report: a file, a key, raw bytes, a script, a table to play at."""
UNASKED: Final = {"--help", "--version"}
AVOID: Final = (
    *(r"\b(tells?|told)\b", r"\bgo(es)? on\b", r"\bstands?\b", r"\bbeside\b", r"\bthe very\b"),
    *(r"\bbecom(?:e|es|ing) of\b", r"\bunless (?:said|told)\b", r"\bnoughts?\b", r"\bwhoever\b"),
    *(r"\bleaves with\b", r"\b(?:he|him|his)\b", r", as [\"'`\d]", r"; else\b"),
    *(r"\bmay be repeated\b", r"\bof the extra\b", r"\badvantage\b"),
)
"""Turns that the style sheet avoids in a help."""

EVERY: Final = pytest.mark.parametrize("names", COMMANDS, ids=" ".join)


def options(names: tuple[str, ...]) -> Iterator[click.Option]:
    """Yield the options of a command that are shown."""
    for each in command_of(names).params:
        if isinstance(each, click.Option) and not each.hidden and each.opts[-1] not in UNASKED:
            yield each


def helped(names: tuple[str, ...]) -> Any:
    """Return a command, which has examples and exit statuses."""
    command = command_of(names)
    assert isinstance(command, HelpedCommand | HelpedGroup)
    return command


@pytest.mark.parametrize("names", ALL, ids=" ".join)
def test_the_first_line_is_imperative_and_short(names: tuple[str, ...]) -> None:
    """U44: at most 60 characters, a verb first, a full stop; the list of commands has the same."""
    line = first_line(command_of(names))
    assert len(line) <= 60, line
    assert re.fullmatch(r"[A-Z][a-z]+ .*\.", line), line
    assert not line.split()[0].endswith("s"), line
    if len(names) == 1:
        assert line == next(each.help for each in LISTED if each.name == names[0])


@EVERY
def test_every_command_has_examples_and_exit_statuses(names: tuple[str, ...]) -> None:
    """U43, U44: two examples or more, of this command first, that fit a terminal."""
    command = helped(names)
    assert len(command.examples) >= 2
    for line, shown in command.examples:
        assert line.startswith("trente ")
        assert len(line) <= 76, line
        assert len(shown) <= 72, shown
        assert not shown.endswith(".")
    start = " ".join(("trente", *names))
    assert command.examples[0][0].startswith(start)
    assert {0, 2} <= set(command.status)
    text = trente(*names, "--help").out
    assert "\nExamples:\n" in text
    assert "\nExit status:\n  0  " in text
    assert max(map(len, text.splitlines())) <= 80


@EVERY
def test_an_option_is_the_same_everywhere(names: tuple[str, ...]) -> None:
    """U43: one name, one type, one metavar."""
    for option in options(names):
        name = option.opts[-1] if option.opts[0].startswith("--") else option.opts[0]
        if name in ONE_TYPE:
            assert type(option.type) is type(ONE_TYPE[name]), (names, name)
            assert option.metavar is None, (names, name)
        if METAVARS.get(name):
            assert option.metavar is not None, (names, name)
            meant = "DIR" if name == "--out" and names in A_FOLDER else str(METAVARS[name])
            assert option.metavar.startswith(meant), (names, name)


@EVERY
def test_every_report_has_format_and_out(names: tuple[str, ...]) -> None:
    """U43: every report in every format, and into a file."""
    found = {name for option in options(names) for name in option.opts}
    assert ({"--format", "--out"} <= found) == (names not in NO_REPORT)


@EVERY
def test_every_option_says_what_it_does(names: tuple[str, ...]) -> None:
    """U43: a fragment with a capital and a full stop, and the default in brackets."""
    for option in options(names):
        text = re.sub(r"\s*\[[^]]*\]$", "", option.help or "")
        assert re.match(r"[A-Z0-9]|[a-z]+: ", text), (option.opts, text)
        assert text.endswith("."), (option.opts, text)
        silent = (
            option.is_flag or option.multiple or option.required or option.default in (None, ())
        )
        shown = option.show_default or "[default: " in (option.help or "")
        if not silent and str(option.default) != "Sentinel.UNSET":
            assert shown, (option.opts, option.default)


@pytest.mark.parametrize("names", ALL, ids=" ".join)
def test_help_is_written_by_the_style_sheet(names: tuple[str, ...]) -> None:
    """U56, U57: none of the turns that nobody would say."""
    text = " ".join(trente(*names, "--help").out.split())
    found = [each for pattern in AVOID for each in re.findall(pattern, text, re.IGNORECASE)]
    assert not found, found
    prose = command_of(names).help or ""
    assert "Example" not in prose
    assert "Exit status" not in prose


@EVERY
def test_an_unknown_option_or_house_is_a_wrong_call(names: tuple[str, ...]) -> None:
    """U43: exit status 2, and nothing on the standard output."""
    ran = trente(*names, "--nonsense")
    assert (ran.status, ran.out) == (2, "")
    for option in options(names):
        if option.type is HOUSE and names not in SITS:
            required = [
                "france-2007" if each.type is HOUSE else "none.toml"
                for each in command_of(names).params
                if isinstance(each, click.Argument) and each.required
            ]
            ran = trente(*names, option.opts[0], "nowhere-0", *required)
            assert (ran.status, ran.out) == (2, ""), (names, option.opts, ran.err)


def test_the_words_of_examples_are_options_that_exist() -> None:
    """Whoever copies an example gets no misuse."""
    for names in ALL:
        for line, _shown in vars(command_of(names)).get("examples", ()):
            words = shlex.split(line.partition(">")[0])[1:]
            at: click.Command = command_of(())
            while isinstance(at, click.Group) and words and not words[0].startswith("-"):
                found = at.get_command(click.Context(at), words[0])
                assert found is not None, line
                at, words = found, words[1:]
            known = {name for each in at.params for name in each.opts} | UNASKED
            assert {word for word in words if word.startswith("--")} <= known, line


PAGE: Final = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_page_lists_every_command_in_its_group() -> None:
    """U44: the table of docs/cli.md is the list that ``trente --help`` prints."""
    rows = re.findall(
        r"^\| ([\w ]*) \| `trente (\w+)` \| (.*?) \| ", PAGE.read_text("utf-8"), re.MULTILINE
    )
    found, group = list[tuple[str, str, str]](), ""
    for heading, name, line in rows:
        group = heading.strip() or group
        found.append((group, name, line))
    assert found == [(each.group, each.name, each.help) for each in LISTED]


def test_the_page_has_every_exit_status_and_variable() -> None:
    """U43: the statuses that commands name, the variables that the source reads."""
    text = PAGE.read_text("utf-8")
    used = {status for names in COMMANDS for status in helped(names).status}
    assert all(f"\n| {status} | " in text for status in used | {130})
    source = Path(trente_rules.__file__).parent
    for path in source.rglob("*.py"):
        for name in re.findall(
            r'"(TRENTE_RULES_[A-Z_]+|_TRENTE_COMPLETE)"', path.read_text("utf-8")
        ):
            assert f"`{name}`" in text, (path.name, name)


def test_the_page_has_every_format() -> None:
    """U43: each with its ending."""
    text = PAGE.read_text("utf-8")
    for form in default_manager().things("format"):
        assert f"| `{form.name}` | `{form.suffix}` |" in text


def test_the_default_format_in_the_help_of_record_is_the_one_written() -> None:
    """Its help said text, and it wrote TOML (U43)."""
    taille = Path(__file__).parents[2] / "examples" / "taille.toml"
    assert "[default: toml, or by" in " ".join(trente("record", "--help").out.split())
    assert tomllib.loads(trente("record", taille).out)["schema"] == 1
    assert "[default: text, or by" in " ".join(trente("show", "--help").out.split())
