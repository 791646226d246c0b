"""The document model: a report as a value, which every format writes.

A report consists of paragraphs (plain strings), lists, tables, lines, figures, and sections of
these. The cells of a table stay values: the column and the format decide how they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, Final, Literal

from attrs import field, frozen

from trente_rules.core.text import printable

Value = str | int | float | Fraction | None
"""Words, a number as it is, None for what is missing."""
Mark = Literal["good", "bad", "note"]
"""Why a cell is marked: best for the player, worst, worth a look. Words say the same."""
MISSING: Final = "-"


@frozen
class Marked:
    """A value of a table that is marked, such as by a colour where there is one."""

    value: Value
    mark: Mark


@frozen
class Linked:
    """A value of a table that leads to a file next to the page: ``target`` is its relative path."""

    value: Value
    target: str


Cell = Value | Marked | Linked
"""A cell of a table."""


def value_of(cell: Cell) -> Value:
    """Return the value of a cell without its mark, or where it leads."""
    return cell.value if isinstance(cell, Marked | Linked) else cell


def mark_of(cell: Cell) -> Mark | None:
    """Return the mark of a cell, if it has one."""
    return cell.mark if isinstance(cell, Marked) else None


@frozen
class Column:
    """A column: its name, and the form of its numbers.

    ``form`` is a format specification of Python, such as ``".6f"`` or ``"+d"``; with a per cent
    sign at its end the number is written in per cent (``1.09457 %``), with an ``h`` in hundredths
    (``1.09457``), where title or caption say that all are per cent. An ``int`` gets no decimals.
    A column without a form holds words. On a screen, words longer than ``cut`` are cut. Where a
    screen is too narrow for the table, the columns of the greatest ``rank`` are left out first;
    those of rank 0 stay.
    """

    name: str
    form: str = ""
    cut: int | None = None
    rank: int = 0

    def text(self, cell: Cell) -> str:
        """Return a cell as text."""
        value = value_of(cell)
        if value is None:
            return MISSING
        if isinstance(value, str) or not self.form:
            return str(value)
        if self.form.endswith("%"):
            return percent(value, self.form[:-1])
        if self.form.endswith("h"):
            return hundredths(value, self.form[:-1])
        if isinstance(value, int) and self.form.endswith("f"):
            return str(value)
        return format(float(value) if isinstance(value, Fraction) else value, self.form)

    def short(self, cell: Cell) -> str:
        """Return a cell as text for a screen: on one line, and cut where it is long."""
        text = printable(self.text(cell))
        if self.cut is None or len(text) <= self.cut:
            return text
        return f"{text[: self.cut - 3]}..."


def percent(part: Fraction | float | None, form: str = ".5") -> str:
    """Return a part in per cent: ``1.09457 %``."""
    return MISSING if part is None else f"{hundredths(part, form)} %"


def hundredths(part: Fraction | float, form: str) -> str:
    """Return a part times one hundred; nothing below zero rounds to ``-0.00``."""
    sign, digits = ("+", form[1:]) if form.startswith("+") else ("", form)
    return format(float(part) * 100, f"{sign}z{digits}f")


def whole(number: Fraction) -> Fraction | int:
    """Return a number as a cell that has decimals only where it is not whole."""
    return number.numerator if number.denominator == 1 else number


ColumnLike = Column | str | tuple[str, str]
"""A column as ``Grid`` takes it: whole, its name, or its name and form."""


def _columns(given: Iterable[ColumnLike]) -> tuple[Column, ...]:
    return tuple(
        column
        if isinstance(column, Column)
        else Column(*((column,) if isinstance(column, str) else column))
        for column in given
    )


def _rows(given: Iterable[Iterable[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(map(tuple, given))


@frozen
class Grid:
    """A table: a title, which may be empty, columns and rows, and a caption below them.

    ``sorts`` is false where rows belong together, so that a page does not let them be sorted.
    """

    title: str
    columns: tuple[Column, ...] = field(converter=_columns)
    rows: tuple[tuple[Cell, ...], ...] = field(converter=_rows)
    caption: str = ""
    sorts: bool = True

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def texts(self) -> Iterator[list[str]]:
        """Yield each row as text."""
        for row in self.rows:
            yield [c.text(cell) for c, cell in zip(self.columns, row, strict=True)]


@frozen
class Items:
    """A list of sentences."""

    lines: tuple[str, ...] = field(converter=tuple[str, ...])


@frozen
class Lines:
    """Short lines, one below the other; text does not wrap them."""

    lines: tuple[str, ...] = field(converter=tuple[str, ...])


@frozen
class Figure:
    """A figure, for formats that can hold one; ``svg`` draws it as an ``<svg>`` element.

    ``narrow`` draws it for a phone of 360 pixels; without it, the figure is scrolled there.
    """

    caption: str
    svg: Callable[[], str] = field(eq=False)
    narrow: Callable[[], str] | None = field(default=None, eq=False)


def _parts(given: Iterable[Part]) -> tuple[Part, ...]:
    """Leave out lists without lines."""
    return tuple(part for part in given if not isinstance(part, Items | Lines) or part.lines)


@frozen
class Section:
    """One part of a report, under a title."""

    title: str
    parts: tuple[Part, ...] = field(converter=_parts)


@frozen
class Folded:
    """Parts that a page shows when its reader asks for them, under a line that says what they are.

    Formats that cannot fold show them as a section.
    """

    title: str
    parts: tuple[Part, ...] = field(converter=_parts)


Part = str | Items | Lines | Grid | Figure | Section | Folded
"""A paragraph, a list, lines, a table, a figure, or a section of these, folded or not."""


@frozen
class Report:
    """A report.

    A ``page`` (the rules of a house, a PAR sheet) has its title in every format, and its ``stamp``,
    which names what the page was generated from. Other reports answer a command on a screen: text
    and Markdown print their parts only; formats that make pages print title and stamp, ``about``
    before the parts, and ``appendix`` after them.

    ``data`` makes the value that JSON prints, where its form is promised. ``flat`` is the table
    that CSV prints, where it differs from the tables of ``parts``. ``appendix`` and ``flat`` may be
    given as functions that make them: few formats print them.
    """

    title: str
    parts: tuple[Part, ...] = field(converter=_parts)
    stamp: str = ""
    about: tuple[Part, ...] = ()
    _appendix: tuple[Part, ...] | Callable[[], tuple[Part, ...]] = ()
    page: bool = False
    language: str = "en"
    data: Callable[[], Any] | None = field(default=None, eq=False)
    _flat: Grid | Callable[[], Grid] | None = None

    @property
    def appendix(self) -> tuple[Part, ...]:
        """The parts that a page prints after the others."""
        return self._appendix() if callable(self._appendix) else self._appendix

    @property
    def flat(self) -> Grid | None:
        """The table that CSV prints, if it is not those of the parts."""
        return self._flat() if callable(self._flat) else self._flat

    def tables(self) -> Iterator[Grid]:
        """Yield every table, also those of sections."""
        return _tables(self.parts)


def _tables(parts: Iterable[Part]) -> Iterator[Grid]:
    for part in parts:
        if isinstance(part, Section | Folded):
            yield from _tables(part.parts)
        elif isinstance(part, Grid):
            yield part
