"""What an import of the library brings into a process, and what it leaves out."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

import pytest

HEAVY: Final = (
    "click",
    "distributed",
    "hypothesis",
    "matplotlib",
    "numba",
    "numpy",
    "rich",
    "textual",
    "tree_sitter",
)
"""Libraries that only some commands, extras or faulty files need."""


def loaded_after(code: str) -> set[str]:
    """Return the top-level modules that a new process has loaded after running some code."""
    return {name.partition(".")[0] for name in modules_after(code)}


def modules_after(code: str) -> set[str]:
    """Return every module, with its package, that a new process has loaded after some code."""
    tail = "import sys; print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"{code}\n{tail}"],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("code", ["import trente_rules", "from trente_rules import *"])
def test_the_facade_loads_nothing_heavy(code: str) -> None:
    """The facade brings values and rules, and no library of the outer rooms, name by name too."""
    loaded = loaded_after(code)
    assert "trente_rules" in loaded
    assert ("attrs" in loaded) is ("*" in code)
    assert loaded & set(HEAVY) == set()


def test_the_facade_looks_for_no_plugins() -> None:
    """Plugins are found when a house is asked for, not when the library is imported."""
    loaded = loaded_after("from trente_rules import *")
    assert "trente_variants" not in loaded


def test_a_house_without_faults_loads_nothing_heavy() -> None:
    """Loading every shipped house needs no parser that knows lines and columns."""
    loaded = loaded_after(
        "import trente_rules, trente_rules.core\n"
        "for name in trente_rules.core.default_manager().names('house'):\n"
        "    trente_rules.load_house(name)"
    )
    assert "trente_variants" in loaded
    assert loaded & set(HEAVY) == set()


@pytest.mark.parametrize("module", ["trente_rules.cli", "trente_variants"])
def test_other_entry_points_load_nothing_heavy(module: str) -> None:
    """What an entry point names can be imported without the library behind its commands."""
    assert loaded_after(f"import {module}") & set(HEAVY) == set()


def test_listing_commands_loads_no_rule() -> None:
    """``trente --help`` asks plugins for commands alone: no rule, no house, no converter."""
    loaded = modules_after(
        "from trente_rules.cli.group import trente\n"
        "import click\n"
        "assert 'compare' in trente.get_help(click.Context(trente))"
    )
    assert {name for name in loaded if name.startswith("trente_rules.core.")} <= {
        "trente_rules.core.errors",
        "trente_rules.core.names",
        "trente_rules.core.plugins",
        "trente_rules.core.plugins.builtin",
        "trente_rules.core.plugins.guard",
        "trente_rules.core.plugins.hookspecs",
        "trente_rules.core.plugins.manager",
        "trente_rules.core.text",
    }
    assert "cattrs" not in loaded
