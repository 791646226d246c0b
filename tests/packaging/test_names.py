"""Names of the source: a class is named once, a builder of an error says so, a file has a noun."""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Final

import pytest

import trente_rules
from trente_rules.core import errors

SOURCE: Final = Path(trente_rules.__file__).parent
FILES: Final = sorted(SOURCE.rglob("*.py"))
ERRORS: Final = {
    name
    for module in (errors, builtins)
    for name, found in vars(module).items()
    if isinstance(found, type) and issubclass(found, Exception)
}
SHORT: Final = {
    "_version.py": "the one place that says which version this is",
    "cli/diff.py": "one command, one file",
    "cli/helped.py": "used by every command, and by the page that lists them",
    "cli/completion.py": "one command, one file",
    "cli/commands.py": "listing commands imports neither click nor a command",
    "cli/par.py": "one command, one file",
    "cli/schema.py": "used by the command and by the tool that writes the types",
    "core/compiled.py": "used by odds and by simulation, which do not import each other",
    "core/files.py": "used by records, reports and cli",
    "core/house/difference.py": "one noun, used by cli and reports",
    "fair/provenance.py": "one noun, which records import without a shuffler",
    "play/tally.py": "one noun, used by the session and by its file",
    "reports/rulebook_figures.py": "the figures that rules in words have, apart from the words",
    "reports/names.py": "used by play and by the service, which do not share a module",
    "reports/formats/markdown.py": "one format, one file",
    "table/rounds.py": "one noun, which commands and movements name",
    "simulation/compiled.py": "the kernels are loaded when they are first played",
}
"""Modules under 60 lines, and why each is one."""


@cache
def nodes() -> list[tuple[str, ast.AST]]:
    """Return every node of the source, with the name of its file."""
    names = {path.relative_to(SOURCE).as_posix(): path for path in FILES}
    return [
        (name, node)
        for name, path in names.items()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    ]


def test_a_class_name_exists_once() -> None:
    """A3: one name, one class, in the whole package."""
    homes = defaultdict(list)
    for name, node in nodes():
        if isinstance(node, ast.ClassDef):
            homes[node.name].append(name)
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_a_function_that_builds_an_error_says_so() -> None:
    """A3: its name ends in ``_error``; ``of`` makes a class from what is given, as elsewhere."""
    found = [
        f"{name}:{node.lineno}: {node.name}"
        for name, node in nodes()
        if isinstance(node, ast.FunctionDef)
        and isinstance(node.returns, ast.Name)
        and node.returns.id in ERRORS
        and not node.name.endswith("_error")
        and node.name != "of"
    ]
    assert found == []


def test_a_short_module_has_a_reason() -> None:
    """A3: a module under 60 lines is part of another, but for a few."""
    short = {
        path.relative_to(SOURCE).as_posix()
        for path in FILES
        if path.name != "__init__.py" and len(path.read_text("utf-8").splitlines()) < 60
    }
    assert short <= SHORT.keys()


@pytest.mark.parametrize(
    ("row", "name", "home"),
    [
        ("1h", "cache_path", "core/compiled.py"),
        ("1j", "reprlib", "core/errors.py"),
        ("1k", "get_close_matches", "core/names.py"),
        ("1l", "cannot be written: ", "core/files.py"),
        ("1n", "multiline_strings=False", "core/toml.py"),
    ],
)
def test_a_thing_is_said_in_one_file(row: str, name: str, home: str) -> None:
    """A1 1h, 1j to 1l, 1n: what each came from stands in one file, so a copy shows."""
    found = [
        path.relative_to(SOURCE).as_posix() for path in FILES if name in path.read_text("utf-8")
    ]
    assert found == [home], row
