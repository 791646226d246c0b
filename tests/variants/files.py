"""The house files as they are written: their text, and the keys that stand in it."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from trente_rules.core.house.loading import flat


def text_of(name: str) -> str:
    """Return the text of a house file."""
    return (files("trente_variants") / name / "house.toml").read_text("utf-8")


@cache
def table_of(name: str) -> dict[str, Any]:
    """Return the tables of a house file, what it extends left out."""
    return tomllib.loads(text_of(name))


def written(name: str) -> set[str]:
    """Return the paths of all keys that a house file, or one that it extends, writes."""
    table = table_of(name)
    parent = table["house"].get("extends")
    return set(flat(table)) | (written(parent) if parent else set())


def under(path: str, above: str) -> bool:
    """Return whether a path is another, or lies under it."""
    return path == above or path.startswith(f"{above}.")
