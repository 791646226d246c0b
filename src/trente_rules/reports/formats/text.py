"""Reports as plain text: for a file or a pipe, or to fit a terminal.

A table is plain columns, two blanks apart. On a terminal no line is longer than the screen:
headings wrap first, then long words; then the columns of the greatest rank are left out, and a line
says which. Numbers are never broken. Colours and bold letters are for terminals only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from attrs import evolve, frozen

from trente_rules.core.plugins.hookspecs import Format
from trente_rules.core.text import printable
from trente_rules.reports.document import (
    Cell,
    Folded,
    Grid,
    Items,
    Lines,
    Mark,
    Part,
    Report,
    Section,
    mark_of,
)

WIDTH: Final = 88
"""The longest line of a paragraph, in characters."""
_GAP: Final = "  "
_LONG: Final = 30
"""Words longer than this wrap before a column is left out."""
_LONG_PIPED: Final = 60
"""Words longer than this wrap where no screen sets a width."""
_LONG_WORD: Final = 18
"""A longer word is broken before a table is given up: keys, names of files."""
_WORD: Final = re.compile(r" *[^ ]+")
_JOINT: Final = re.compile(r"(?<=[./:_-])")
"""Where a long word is broken, if it must be."""
_BOLD: Final = "1"
_COLOURS: Final[dict[Mark | None, str]] = {
    # Of the 256 colours, ones with a contrast of 4 or more to white and to black.
    "good": "1;38;5;29",
    "bad": "1;38;5;196",
    "note": "38;5;130",
    None: "",
}

Style = Callable[[str, str], str]
"""A function that adds a style of a terminal to a text, or leaves it out."""


def _styled(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if style and text else text


def _unstyled(text: str, _style: str) -> str:
    return text


def render(report: Report, width: int | None = None) -> str:
    """Return a report as text; with the width of a terminal, in its styles and fitted to it."""
    writer = _Writer() if width is None else _Writer(max(width, 1), _styled)
    return "\n\n".join("\n".join(block) for block in writer.blocks(report) if block).rstrip() + "\n"


def length(text: str) -> int:
    """Return how many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - only wide letters need it

    return cell_len(text)


def wrapped(text: str, room: int, *, broken: bool = False) -> list[str]:
    """Return the lines of a text, wrapped between words only: an id or a number stays whole.

    With ``broken``, a word longer than a line is broken, behind a sign where it has one.
    """
    lines, line = [], ""
    for word in _WORD.findall(text):
        if line and length(line + word) > room:
            lines.append(line)
            line = ""
        line = f"{line}{word}" if line or not lines else word.lstrip(" ")
        while broken and length(line) > room:
            begin = _fitting(line, room)
            lines.append(begin)
            line = line[len(begin) :]
    return [*lines, line]


def _fitting(word: str, room: int) -> str:
    """Return the part of a word that fits, up to a sign if one is in its second half."""
    end = max(next(n for n in range(len(word), -1, -1) if length(word[:n]) <= room), 1)
    joint = max((found.end() for found in _JOINT.finditer(word[:end])), default=0)
    return word[: joint if joint > end // 2 else end]


@frozen
class _Writer:
    """Writes parts as blocks of lines: as wide as they are, or to fit a terminal."""

    width: int | None = None
    style: Style = _unstyled

    @property
    def room(self) -> int:
        """How long the lines of a paragraph are."""
        return min(WIDTH, self.width or WIDTH)

    def blocks(self, report: Report) -> Iterator[list[str]]:
        """Yield the lines of each block of a report."""
        if report.page:
            yield self._heading(report.title, "=")
            yield wrapped(printable(report.stamp), self.room) if report.stamp else []
        yield from self._parts(report.parts)

    def _parts(self, parts: Iterable[Part]) -> Iterator[list[str]]:
        """Yield the lines of each block; figures are left out."""
        for part in parts:
            match part:
                case str():
                    yield wrapped(printable(part), self.room)
                case Items():
                    yield [
                        f"{'    ' if number else '  - '}{line}"
                        for item in part.lines
                        for number, line in enumerate(wrapped(printable(item), self.room - 4))
                    ]
                case Lines():
                    yield [line for each in part.lines for line in self._line(printable(each))]
                case Grid():
                    yield [*self._table(part)]
                case Section() | Folded():
                    yield self._heading(part.title, "-")
                    yield from self._parts(part.parts)

    def _heading(self, title: str, under: str) -> list[str]:
        lines = self._title(title)
        return [*(self.style(line, _BOLD) for line in lines), under * max(map(length, lines))]

    def _title(self, title: str) -> list[str]:
        text = printable(title)
        return wrapped(text, self.width or length(text))

    def _line(self, line: str) -> list[str]:
        """Return a line as it is, or, where the screen is too narrow, wrapped and set in."""
        if self.width is None or length(line) <= self.width:
            return [line]
        first, *later = wrapped(line, self.width)
        rest = wrapped(" ".join(later), self.width - 4) if later else []
        return [first, *(f"    {each}" for each in rest)]

    def _table(self, table: Grid) -> Iterator[str]:
        """Yield the lines of a table, with its title, its caption and what was left out."""
        if table.title:
            yield from self._title(table.title)
        measured = _measured(table)
        fitted = _natural(measured) if self.width is None else _fitted(measured, self.width)
        yield from self._stacked(table) if fitted is None else self._drawn(table, fitted)
        if table.caption:
            yield from wrapped(printable(table.caption), self.room)
        if fitted is not None and len(fitted) < len(table.columns):
            kept = {each.number for each in fitted}
            names = [name for number, name in enumerate(table.names) if number not in kept]
            words = ", ".join(map(printable, names))
            yield from wrapped(
                f"left out, too narrow: {words} (a wider terminal, or --format csv)", self.room
            )

    def _drawn(self, table: Grid, fitted: Sequence[_Measured]) -> Iterator[str]:
        heads = [wrapped(each.name, each.width, broken=True) for each in fitted]
        tall = max(map(len, heads), default=0)
        if any(map(any, heads)):
            yield from self._row(
                fitted, [[""] * (tall - len(head)) + head for head in heads], [_BOLD] * len(heads)
            )
        for row in table.rows:
            cells = [table.columns[each.number].short(row[each.number]) for each in fitted]
            lines = [
                [cell] if each.number_like else wrapped(cell, each.width, broken=True)
                for each, cell in zip(fitted, cells, strict=True)
            ]
            yield from self._row(fitted, lines, [_colour(row[each.number]) for each in fitted])

    def _row(
        self, fitted: Sequence[_Measured], cells: list[list[str]], styles: list[str]
    ) -> Iterator[str]:
        """Yield the lines of a row whose cells have one or more lines each."""
        for number in range(max(map(len, cells), default=0)):
            line = []
            for each, cell, style in zip(fitted, cells, styles, strict=True):
                text = cell[number] if number < len(cell) else ""
                blanks = " " * (each.width - length(text))
                text = self.style(text, style)
                line.append(f"{blanks}{text}" if each.number_like else f"{text}{blanks}")
            yield _GAP.join(line).rstrip(" ")

    def _stacked(self, table: Grid) -> Iterator[str]:
        """Yield a line for each cell, and an empty line between two rows."""
        names = list(map(printable, table.names))
        width = max(map(length, names))
        for number, row in enumerate(table.rows):
            if number:
                yield ""
            for column, name, cell in zip(table.columns, names, row, strict=True):
                head = f"{name}{' ' * (width - length(name))}{_GAP}"
                text = column.short(cell)
                room = max((self.width or WIDTH) - length(head), 1)
                lines = [text] if column.form else wrapped(text, room)
                for turn, line in enumerate(lines):
                    before = " " * length(head) if turn else head
                    yield f"{before}{self.style(line, _colour(cell))}".rstrip(" ")


def _colour(cell: Cell) -> str:
    return _COLOURS[mark_of(cell)]


# --- How wide the columns are


@frozen
class _Measured:
    """A column, and how many cells of a terminal it takes.

    ``cells`` is the width of its longest cell, ``word`` of the longest word of cells and heading,
    ``heading`` of the longest word of the heading alone.
    """

    number: int
    name: str
    number_like: bool
    rank: int
    cells: int
    word: int
    heading: int
    width: int = 0

    @property
    def one_line(self) -> int:
        """How wide it is where its cells, not its heading, have one line each."""
        return max(self.cells, self.heading)

    @property
    def natural(self) -> int:
        """How wide it is where nothing wraps."""
        return max(self.cells, length(self.name))

    def least(self, long: int, breaking: int) -> int:
        """Return its least width where words wrap at ``long``, and break at ``breaking``."""
        if self.number_like:
            return self.one_line
        return min(self.one_line, max(min(self.word, breaking), long))


def _measured(table: Grid) -> list[_Measured]:
    measured = []
    for number, column in enumerate(table.columns):
        name = printable(column.name)
        texts = [column.short(row[number]) for row in table.rows]
        heading = max(map(length, name.split(" ")))
        measured.append(
            _Measured(
                number,
                name,
                bool(column.form),
                column.rank,
                max(map(length, texts), default=0),
                max((length(w) for text in texts for w in text.split(" ")), default=heading),
                heading,
            )
        )
    return measured


def _natural(columns: list[_Measured]) -> list[_Measured]:
    """Return the columns as wide as they are; very long words wrap where a column follows."""
    return [
        evolve(
            each,
            width=each.natural
            if each.number_like or each is columns[-1]
            else min(each.natural, max(_LONG_PIPED, each.word)),
        )
        for each in columns
    ]


def _fitted(columns: list[_Measured], width: int) -> list[_Measured] | None:
    """Return the columns that fit a terminal, with their widths, None where even these do not.

    The columns of the greatest rank are left out first, from the right; then words wrap that are
    not long, and at last long words are broken.
    """
    kept = columns
    while True:
        if (fitted := _shared(kept, width, _LONG, width)) is not None:
            return fitted
        worst = max(each.rank for each in kept) if kept else 0
        if not worst or len(kept) == 1:
            break
        last = max(number for number, each in enumerate(kept) if each.rank == worst)
        kept = [*kept[:last], *kept[last + 1 :]]
    return _shared(kept, width, 1, width) or _shared(kept, width, 1, _LONG_WORD)


def _shared(
    columns: list[_Measured], width: int, long: int, breaking: int
) -> list[_Measured] | None:
    """Return columns with a share of the width each, None where they do not fit.

    Each has what it needs at least. Spare room goes to the cells that need more, in the narrowest
    columns first, then to headings.
    """
    widths = [each.least(long, breaking) for each in columns]
    spare = width - sum(widths) - len(_GAP) * (len(columns) - 1)
    if spare < 0:
        return None
    while spare and (growing := [n for n, c in enumerate(columns) if widths[n] < c.one_line]):
        widths[min(growing, key=widths.__getitem__)] += 1
        spare -= 1
    for number, each in enumerate(columns):  # a heading gets the room it needs, or none
        if 0 < (more := each.natural - widths[number]) <= spare:
            widths[number] += more
            spare -= more
    return [evolve(each, width=w) for each, w in zip(columns, widths, strict=True)]


FORMATS = (Format("text", render, ".txt"),)
