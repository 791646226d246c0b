"""Random children of random houses: whatever they override, their faults are their own."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st
from tests.core.house.test_inherited_faults import faults, followed

from trente_rules import loads_house
from trente_rules.core.house.loading import house_table
from trente_rules.testing import house_tables

RULES = ("refait", "insurance", "limits")


def leaves(table: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    """Return the keys of nested tables with their values."""
    found: list[tuple[tuple[str, ...], Any]] = []
    for name, value in table.items():
        if isinstance(value, dict) and value:
            found += leaves(value, (*path, name))
        else:
            found.append(((*path, name), value))
    return found


def whole_tables() -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for the tables of houses that are right, with every key."""
    return house_tables().filter(lambda table: not faults(tomli_w.dumps(table))).map(_whole)


def _whole(table: dict[str, Any]) -> dict[str, Any]:
    return house_table(loads_house(tomli_w.dumps(table)))


@st.composite
def families(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw a house that is right, and a child that takes some keys of another house."""
    parent, other = draw(whole_tables()), draw(whole_tables())
    keys = [
        (path, value)
        for path, value in leaves(other)
        if path[0] not in ("house", "announcements")
        and (path[0] not in RULES or path[1] == "rule" or same_rule(parent, other, path[0]))
    ]
    child: dict[str, Any] = {"house": {"name": "child", "extends": "./parent.toml"}}
    for path, value in draw(st.lists(st.sampled_from(keys), min_size=1, max_size=6)):
        inner = child
        for step in path[:-1]:
            inner = inner.setdefault(step, {})
        inner[path[-1]] = value
    return parent, child


def same_rule(parent: dict[str, Any], other: dict[str, Any], table: str) -> bool:
    """Return whether two houses name the same rule."""
    return bool(parent.get(table, {}).get("rule") == other.get(table, {}).get("rule"))


@pytest.mark.slow
@given(families())
def test_every_fault_of_a_child_is_placed_in_it(
    family: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    """D15 a): the parent is right, so whatever is wrong is caused by a line of the child."""
    parent, child = family
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "parent.toml").write_text(tomli_w.dumps(parent), encoding="utf-8")
        text = tomli_w.dumps(child)
        for fault in faults(text, folder):
            assert fault.file == "child", str(fault)
            assert fault.line is not None
            if fault.hint.startswith("write ") and " = " in fault.hint:
                now = {
                    (again.key, again.message) for again in faults(followed(text, fault), folder)
                }
                assert (fault.key, fault.message) not in now, str(fault)
