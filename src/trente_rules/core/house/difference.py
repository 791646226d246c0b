"""The difference between two houses: each key, what it was, what it is, and what kind it is.

"Any change in rules constitutes a different game": a difference in fairness keys is a major one,
a difference in presentation (words, titles, sources) a minor one.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from trente_rules.core.house.house import House
from trente_rules.core.house.loading import flat, house_table
from trente_rules.core.house.reader import SECTIONS, TABLES
from trente_rules.core.keys import Kind, keys_of


@frozen
class Change:
    """One key that differs; ``old`` and ``new`` as TOML writes them, None if missing."""

    key: str
    old: Any
    new: Any
    kind: Kind


def kind_of(path: str) -> Kind:
    """Return the kind of a key: ``fairness`` or ``presentation``."""
    table, _dot, rest = path.partition(".")
    if table in SECTIONS:
        for info in keys_of(SECTIONS[table]):
            if info.name == rest.split(".")[0]:
                return info.kind
    return "fairness"


def difference(old: House, new: House) -> tuple[Change, ...]:
    """Return every key in which two houses differ, in the order TOML writes them.

    A table that names a different rule differs in its ``rule`` key and the keys of both rules.
    """
    was, now = flat(house_table(old)), flat(house_table(new))
    return tuple(
        Change(path, was.get(path), now.get(path), kind_of(path))
        for path in sorted(dict.fromkeys((*was, *now)), key=_rank)
        if was.get(path) != now.get(path)
    )


def _rank(path: str) -> tuple[int, bool]:
    table, _dot, rest = path.partition(".")
    return (TABLES.index(table) if table in TABLES else len(TABLES), rest != "rule")
