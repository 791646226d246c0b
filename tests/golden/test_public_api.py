"""Nothing public changes unnoticed: the last release's is here, or the changelog names it."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import api_changes
import public_surface
import pytest
from api_changes import Change

from trente_rules import __version__

CHANGELOG = (Path(__file__).parents[2] / "CHANGELOG.md").read_text("utf-8")
LAST = api_changes.releases()[-2:]


@cache
def today() -> tuple[dict[str, str], public_surface.Surface]:
    """Return what is public now, as a process of its own sees it.

    Other tests resolve annotations of classes for good, which would then be written otherwise.
    """
    code = "import json, public_surface as p; print(json.dumps([p.stubs(), p.surface()]))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(public_surface.__file__).parent,
        capture_output=True,
        check=True,
        text=True,
    )
    stubs, listed = json.loads(done.stdout.splitlines()[-1])
    return stubs, listed


@pytest.mark.slow
@pytest.mark.parametrize("folder", LAST, ids=[folder.name for folder in LAST])
def test_the_changelog_names_every_change(folder: Path) -> None:
    """A name, option, code, hook, key or field that changed is in the table for hosts."""
    found = api_changes.changes(folder, today())
    silent = api_changes.unnamed(found, CHANGELOG, folder.name)
    assert [str(each) for each in silent] == []
    stale = set(api_changes.harmless(folder.name)) - {each.key for each in found}
    assert stale == set(), "harmless.toml names what did not change"


def test_each_release_keeps_what_was_public() -> None:
    """From 0.8.0 on a release has its description, whole, with the version that is here."""
    folders = [path for path in api_changes.GOLDEN.iterdir() if path.name[0].isdigit()]
    since = {path.name for path in folders if api_changes.numbers(path.name) >= (0, 8, 0)}
    assert {path.name for path in api_changes.releases()} == since
    stubs, listed = public_surface.kept(LAST[-1])
    assert len(stubs) == 11
    assert set(listed) == set(public_surface.AREAS)
    assert all(listed.values())
    assert api_changes.numbers(LAST[-1].name) <= api_changes.numbers(__version__)


PLANTED = [
    (
        "trente_rules",
        "def parse_cards(text: str)",
        "def parse_cards()",
        "parse_cards(text)",
    ),
    ("trente_rules", "    suit: str\n", "", "Card.suit"),
    ("trente_rules", "    rank: int\n", "    rank: str\n", "Card.rank"),
    ("trente_rules", "    NOIR = 0\n", "    NOIR = 2\n", "Colour.NOIR"),
    ("trente_rules", "max_digits", "max_digits", ""),
    ("trente_rules", "simple: bool = False", "simple: bool = True", "Chance.__init__(simple)"),
    (
        "trente_rules",
        "def do(self, command: Command)",
        "def do(self, command: str)",
        "Table.do(command)",
    ),
    ("trente_rules.table", "class Place(", "class Put(", "table.Place"),
]


@pytest.mark.parametrize(("package", "before", "after", "name"), PLANTED)
def test_a_planted_change_is_found(package: str, before: str, after: str, name: str) -> None:
    """Each kind of change of the Python API is found by its name, and nothing is found without."""
    kept, _listed = public_surface.kept(LAST[-1])
    stubs = {name: kept[name] for name in ("trente_rules", package)}
    changed = {**stubs, package: stubs[package].replace(before, after, 1)}
    found = list(api_changes.python_changes(stubs, changed))
    assert [each for each in found if not each.name.endswith(name)] == []
    assert bool(found) == bool(name)


def test_a_planted_change_of_the_list_is_found() -> None:
    """What is gone, what has another fact and what must be given now is found."""
    _stubs, listed = public_surface.kept(LAST[-1])
    changed = copy.deepcopy(listed)
    del changed["commands"]["trente play --save"]
    changed["schemas"]["Place.amount"] = '{"type": "string"}'
    changed["commands"]["trente play --must"] = "value, needed"
    changed["errors"]["new-code"] = "code"
    found = list(api_changes.listed_changes(listed, changed))
    assert {each.word for each in found} == {"--save", "amount", "--must"}


def test_only_the_table_for_hosts_names_a_change() -> None:
    """Words elsewhere, or in the sections of earlier releases, name nothing."""
    text = (
        "## Unreleased\n\n- `Elsewhere` is gone.\n\n### Changed: what a host of 0.8.0 must do\n\n"
        "| in 0.8.0 | now |\n| --- | --- |\n| `Table.do(command)` | `New` |\n\n"
        "## 0.8.0 - 2026-12-02\n\n### Changed: what a host of 0.7.0 must do\n\n| `Old` | x |\n"
    )
    words = api_changes.named(text, "0.8.0")
    assert {"Table", "do", "command"} <= words
    assert not {"Elsewhere", "New", "Old"} & words
    change = Change("Python", "trente_rules.table.Table.do(command)", "Parameter was removed")
    assert api_changes.unnamed([change], text, "0.8.0") == []
    assert api_changes.unnamed([change], text.replace("command", "x"), "0.8.0") == [change]
