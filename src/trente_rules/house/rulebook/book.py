"""A rulebook as a value: sections of sentences, lists and tables, ready to be rendered."""

from __future__ import annotations

from attrs import frozen


@frozen
class Items:
    """A list of sentences."""

    lines: tuple[str, ...]


@frozen
class Grid:
    """A table of short cells."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = str | Items | Grid
"""A paragraph, a list or a table."""


@frozen
class Section:
    """One part of a rulebook."""

    title: str
    blocks: tuple[Block, ...]


@frozen
class Rulebook:
    """The rules of a house in one language; ``stamp`` tells which configuration they are from."""

    language: str
    title: str
    stamp: str
    sections: tuple[Section, ...]
