"""What is deprecated works, warns, and says which release removes it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest
from tests.cli.calling import trente
from tests.cli.examples import ALL
from tests.cli.test_strange_texts import command_of

from trente_rules import __version__
from trente_rules.cli.helped import RetiredOption

ROOT: Final = Path(__file__).parents[2]
REMOVED: Final = {("play", "--serve")}
"""Hidden options that only name what replaced them."""


def numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers, which have an order."""
    return tuple(map(int, version.split(".")))


def overdue(until: str) -> bool:
    """Return whether the release that removes something has come."""
    return numbers(until) <= numbers(__version__)


def hidden() -> Iterator[tuple[str, str, click.Option]]:
    """Yield the options that no help shows: command, name and option."""
    for names in ALL:
        for param in command_of(names).params:
            if isinstance(param, click.Option) and param.hidden:
                yield " ".join(names), param.opts[0], param


def test_every_hidden_option_is_deprecated_with_its_end() -> None:
    """An option leaves the help only with a warning, a replacement and the release of its end."""
    found = [each for each in hidden() if each[:2] not in REMOVED]
    assert {(command, name) for command, name, _option in found} == {
        ("simulate", "--unit"),
        ("monitor", "--alarm"),
    }
    for command, name, option in found:
        assert isinstance(option, RetiredOption), (command, name)
        assert numbers(option.since) <= numbers(__version__)
        assert not overdue(option.until), f"{command} {name}: remove it now"
        assert any(option.instead in each.opts for each in command_of((command,)).params)


def test_the_page_names_what_is_deprecated() -> None:
    """docs/compatibility.md has a row for each deprecated option, and no other."""
    page = (ROOT / "docs/compatibility.md").read_text("utf-8")
    row = r"^\| `trente (\w+) (--\w+)` \| `(--[\w-]+)` \| ([\d.]+) \|"
    rows = set(re.findall(row, page, re.MULTILINE))
    assert rows == {
        (command, name, option.instead, option.until)
        for command, name, option in hidden()
        if isinstance(option, RetiredOption)
    }


@pytest.mark.parametrize("option", ["--unit", "--stake"])
def test_only_the_deprecated_spelling_warns(option: str) -> None:
    """Both spellings do the same; the earlier one prints a line on the standard error."""
    words = ("simulate", "france-2007", "--system", "martingale", "--results", "L W")
    done = trente(*words, option, "10")
    assert done.status == 0
    warned = "warning: --unit is deprecated and will be removed in 1.0.0: use --stake\n"
    assert done.err.count(warned) == (option == "--unit")
    assert done.out == trente(*words, "--stake", "10").out


END: Final = re.compile(r"removed in (\d+\.\d+\.\d+)")


def deprecations(source: str) -> Iterator[str]:
    """Yield what each deprecation of a program says: by a decorator, or by a warning."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            kinds = {getattr(each, "id", "") for each in ast.walk(node)}
            if name == "deprecated" or (
                name == "warn" and kinds & {"DeprecationWarning", "PendingDeprecationWarning"}
            ):
                yield ast.unparse(node)


def test_a_deprecated_name_says_which_release_removes_it() -> None:
    """PEP 702: what a deprecation says names the release of its end, which is to come."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        for said in deprecations(path.read_text("utf-8")):
            end = END.search(said)
            assert end, f"{path}: {said}: write 'will be removed in X.Y.Z'"
            assert not overdue(end[1]), f"{path}: {said}: remove it now"


@pytest.mark.parametrize(
    ("source", "ends"),
    [
        ("@deprecated('use b: removed in 0.1.0')\ndef a(): ...", ["0.1.0"]),
        ("warnings.warn('removed in 9.0.0', DeprecationWarning, stacklevel=2)", ["9.0.0"]),
        ("warnings.warn('written by a newer release', NewerSchemaWarning)", []),
    ],
)
def test_a_planted_deprecation_is_found(source: str, ends: list[str]) -> None:
    """The check sees both ways to deprecate, and no other warning."""
    found = [END.search(said) for said in deprecations(source)]
    assert [end[1] for end in found if end] == ends
    assert overdue("0.1.0")
    assert not overdue("99.0.0")
