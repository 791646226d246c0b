"""The document model: a report as a value, which every format writes.

A report is made of paragraphs (plain strings), lists, tables, lines, figures and sections of them.
Cells of a table stay values; how they are written is a matter of their column, and of the format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, Final

from attrs import field, frozen

Cell = str | int | float | Fraction | None
"""What a table holds: words, numbers as they are, None for what is missing."""
MISSING: Final = "-"
_UNPRINTABLE: Final = re.compile(
    # Controls, lone surrogates, and marks that turn the direction of what follows.
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


@frozen
class Column:
    """A column: its name, and how its numbers are written.

    ``form`` is a format specification as Python has them, such as ``".6f"`` or ``"+d"``; with a per
    cent sign at its end the number is written in per cent (``1.09457 %``). An ``int`` is given no
    decimals. A column without a form holds words. Where text is read on a screen, words longer than
    ``cut`` are cut.
    """

    name: str
    form: str = ""
    cut: int | None = None

    def text(self, cell: Cell) -> str:
        """Return a cell as it is read."""
        if cell is None:
            return MISSING
        if isinstance(cell, str) or not self.form:
            return str(cell)
        if self.form.endswith("%"):
            return percent(cell, self.form[:-1])
        if isinstance(cell, int) and self.form.endswith("f"):
            return str(cell)
        return format(float(cell) if isinstance(cell, Fraction) else cell, self.form)

    def short(self, cell: Cell) -> str:
        """Return a cell as a narrow table shows it: long ones are cut."""
        text = printable(self.text(cell))
        if self.cut is None or len(text) <= self.cut:
            return text
        return f"{text[: self.cut - 3]}..."


def percent(part: Fraction | float | None, form: str = ".5") -> str:
    """Return a part in per cent: ``1.09457 %``."""
    return MISSING if part is None else f"{float(part) * 100:{form}f} %"


def whole(number: Fraction) -> Fraction | int:
    """Return a number as a cell that has decimals only where it is not whole."""
    return number.numerator if number.denominator == 1 else number


def printable(text: str) -> str:
    """Return a text on one line, without characters that act on a screen or are not allowed."""
    return _UNPRINTABLE.sub(lambda met: " " if met[0].isspace() else "\ufffd", text)


ColumnLike = Column | str | tuple[str, str]


def _columns(told: Iterable[ColumnLike]) -> tuple[Column, ...]:
    return tuple(
        one if isinstance(one, Column) else Column(one) if isinstance(one, str) else Column(*one)
        for one in told
    )


def _rows(told: Iterable[Iterable[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(map(tuple, told))


@frozen
class Grid:
    """A table; a column may be given as its name, or as its name and form."""

    title: str
    columns: tuple[Column, ...] = field(converter=_columns)
    rows: tuple[tuple[Cell, ...], ...] = field(converter=_rows)


@frozen
class Items:
    """A list of sentences."""

    lines: tuple[str, ...] = field(converter=tuple[str, ...])


@frozen
class Lines:
    """Short lines that stand below each other; text does not wrap them."""

    lines: tuple[str, ...] = field(converter=tuple[str, ...])


@frozen
class Figure:
    """A figure, for formats that can hold one; ``svg`` draws it as an ``<svg>`` element."""

    caption: str
    svg: Callable[[], str] = field(eq=False)


def _parts(told: Iterable[Part]) -> tuple[Part, ...]:
    """Leave out lists without lines."""
    return tuple(part for part in told if not isinstance(part, Items | Lines) or part.lines)


@frozen
class Section:
    """One part of a report, under a title."""

    title: str
    parts: tuple[Part, ...] = field(converter=_parts)


Part = str | Items | Lines | Grid | Figure | Section
"""A paragraph, a list, lines, a table, a figure, or a section of these."""


@frozen
class Report:
    """A report.

    A ``page`` (the rules of a house, a PAR sheet) has its title and its ``stamp``, which says what
    the page is made from, in every format. Other reports are answers on a screen: text and Markdown
    print their parts alone; a format that makes pages prints title, stamp and ``about`` too.

    ``data`` makes the value that JSON prints, where its form is promised. ``flat`` is the table
    that CSV prints, where it differs from those that are read.
    """

    title: str
    parts: tuple[Part, ...] = field(converter=_parts)
    stamp: str = ""
    about: tuple[Part, ...] = ()
    page: bool = False
    language: str = "en"
    data: Callable[[], Any] | None = field(default=None, eq=False)
    flat: Grid | None = None

    def tables(self) -> Iterator[Grid]:
        """Yield every table, those of sections among them."""
        yield from _tables(self.parts)


def _tables(parts: Iterable[Part]) -> Iterator[Grid]:
    for part in parts:
        if isinstance(part, Section):
            yield from _tables(part.parts)
        elif isinstance(part, Grid):
            yield part
