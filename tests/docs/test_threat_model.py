"""The threat model: roles are those of the code, and each promise has a test that is there."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Final
from unittest.mock import Mock

import pytest

from trente_rules.service.tokens import Role, Visitor
from trente_rules.table import Audience, may_give
from trente_rules.table.commands import COMMANDS, Command, OpenShoe

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs/security.md").read_text("utf-8")


def rows(title: str) -> list[list[str]]:
    """Return the cells of the first table below a heading, without its head."""
    section = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.split(" | ")] for line in lines[2:]]


def given(kind: type[Command], **fields: Any) -> Command:
    """Return a command of a kind that looks like one of ann's."""
    command = Mock(spec=kind, owner="ann", cards=None, **fields)
    command.__class__ = kind  # type: ignore[assignment]  # so that isinstance sees the kind
    return command


def may(role: str, command: Command) -> bool:
    """Return whether the code lets a role give a command."""
    if role == "public":
        return may_give(command, by=Audience.PUBLIC)
    return Visitor("ann", role, ("*",), 2_000_000_000).may_give(command)


@pytest.mark.parametrize("role", ["public", *(role.value for role in Role)])
def test_the_commands_of_each_role_are_those_of_the_code(role: str) -> None:
    """The matrix of the page is what ``may_give`` and tokens allow, to the command."""
    row = next(row for row in rows("Who may see and do what") if f" {role} (" in f" {row[0]} (")
    listed = set(re.findall(r"`([a-z-]+)`", row[2]))
    assert listed == {kind.kind for kind in COMMANDS if may(role, given(kind))}
    assert (listed == set()) == (row[2].strip(" |") == "nothing")


def test_every_role_has_a_row() -> None:
    """No role is left out; a supervisor hands in no order of cards."""
    named = [row[0].strip("| ").split(" (")[0] for row in rows("Who may see and do what")]
    assert named == ["public", *(role.value for role in Role), "the host's code"]
    order = Mock(spec=OpenShoe, owner="", cards=())
    order.__class__ = OpenShoe  # type: ignore[assignment]
    assert not may("supervisor", order)


PROMISES: Final = [
    (row[0].strip("| "), row[3].strip("` |")) for row in rows("What each mechanism promises")
]


@pytest.mark.parametrize(("mechanism", "test"), PROMISES, ids=[row[0] for row in PROMISES])
def test_each_promise_has_its_test(mechanism: str, test: str) -> None:
    """The test that proves a promise is there, by its name, and is not skipped by itself."""
    file, _, name = test.partition("::")
    path = ROOT / file
    assert path.is_file(), mechanism
    tree = ast.parse(path.read_text("utf-8"))
    tests = {
        node.name: node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    if name:
        assert name in tests, f"{mechanism}: {file} has no {name}"
        marks = " ".join(ast.unparse(each) for each in tests[name].decorator_list)
        assert ".skip(" not in marks
    else:
        assert any(each.lower().startswith("test") for each in {*tests, "Test"}), mechanism


@pytest.mark.slow
def test_the_command_of_the_page_runs_each_test() -> None:
    """No auditor is shown a green run of no test: each name selects one, the nightly ones too."""
    said = re.search(r"`python (-m pytest [^`]*) NAME`", PAGE)
    assert said
    names = sorted({test for _mechanism, test in PROMISES})
    command = [sys.executable, *shlex.split(said[1]), "--collect-only", "-q", "-n0", *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    selected = [line for line in done.stdout.splitlines() if "::" in line]
    empty = [name for name in names if not any(_is_of(line, name) for line in selected)]
    assert empty == []


def _is_of(selected: str, name: str) -> bool:
    """Return whether a selected test is that of a name, with any parameters, or in its file."""
    return selected == name or selected.startswith((f"{name}[", f"{name}::"))


def test_every_mechanism_says_what_it_does_not_promise() -> None:
    """No row lacks a cell; each mechanism of the policy is there."""
    found = rows("What each mechanism promises")
    assert len(found) >= 30
    assert all(len(row) == 4 and all(cell.strip("| ") for cell in row) for row in found)
    assert len({name for name, _test in PROMISES}) == len(PROMISES)
    named = {name for name, _test in PROMISES}
    assert {"journal", "chain", "heads", "signatures", "sealed cards", "views", "tokens"} <= named
    assert {"wallet", "plugins", "house files", "seal of a record"} <= named
