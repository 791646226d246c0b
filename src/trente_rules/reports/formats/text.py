"""Reports as plain text: for a file or a pipe, or to fit a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import TextWrapper
from typing import Final, Literal

from trente_rules.core.plugins.hookspecs import Format
from trente_rules.core.text import printable
from trente_rules.reports.document import Folded, Grid, Items, Lines, Part, Report, Section

WIDTH: Final = 88
"""The longest line of a paragraph, in characters."""
_LONG_WORD: Final = 18
"""A longer word may be broken where a terminal is narrow: keys, names of files."""
_BETWEEN: Final = 3
_BORDERS: Final = 1
"""Blanks that a drawn table has for each column, and in addition."""
_UNBROKEN: Final = str.maketrans("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}", "\ue000\ue001")
_BROKEN: Final = {new: old for old, new in _UNBROKEN.items()}
"""No-break spaces as letters and back: rich breaks a line at them."""


def render(report: Report, width: int | None = None) -> str:
    """Return a report as text; with the width of a terminal, tables are drawn to fit it."""
    blocks = []
    if report.page:
        blocks.append(
            [*_wrapped(report.title, width), "=" * min(WIDTH, len(printable(report.title)))]
        )
        blocks.append(_wrapped(report.stamp, width))
    blocks += _blocks(report.parts, width)
    return "\n\n".join("\n".join(block) for block in blocks if block).rstrip() + "\n"


def _blocks(parts: Iterable[Part], width: int | None) -> Iterator[list[str]]:
    """Yield the lines of each block; figures are left out."""
    for part in parts:
        match part:
            case str():
                yield _wrapped(part, width)
            case Items():
                yield [
                    line for item in part.lines for line in _wrapped(item, width, "  - ", "    ")
                ]
            case Lines():
                yield [printable(line) for line in part.lines]
            case Grid():
                yield _plain(part) if width is None else _drawn(part, width)
            case Section() | Folded():
                title = printable(part.title)
                yield [title, "-" * len(title)]
                yield from _blocks(part.parts, width)


def _wrapped(text: str, width: int | None, first: str = "", later: str = "") -> list[str]:
    """Wrap a text between words only: an id or a fingerprint stays whole."""
    wrapper = TextWrapper(
        min(WIDTH, width or WIDTH),
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapper.wrap(printable(text))


def _cells(table: Grid) -> Iterator[list[str]]:
    """Yield the rows of a table as text, the names of the columns first."""
    yield list(map(printable, table.names))
    for row in table.rows:
        yield [c.short(cell) for c, cell in zip(table.columns, row, strict=True)]


def _plain(table: Grid) -> list[str]:
    head, *rows = _cells(table)
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [printable(table.title)] if table.title else []
    for row in (head, ["-" * width for width in widths], *rows):
        cells = (
            cell.rjust(width) if column.form else cell.ljust(width)
            for column, cell, width in zip(table.columns, row, widths, strict=True)
        )
        lines.append("  ".join(cells).rstrip())
    return lines


def _drawn(table: Grid, width: int) -> list[str]:
    """Draw a table; where the terminal is too narrow for it, return a line for each cell."""
    from rich import box, console  # noqa: PLC0415 - only a terminal needs it
    from rich import table as rich_table  # noqa: PLC0415

    head, *rows = _cells(table)
    # rich breaks a line at a no-break space, and reads a square bracket as markup.
    drawn_cells = [[cell.translate(_UNBROKEN) for cell in row] for row in (head, *rows)]
    widths = _widths(table, drawn_cells[0], drawn_cells[1:], width)
    if widths is None:
        return _stacked(printable(table.title), head, rows)
    drawn = rich_table.Table(
        title=printable(table.title).replace("[", "\\["),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        highlight=False,
    )
    head, *rows = ([cell.replace("[", "\\[") for cell in row] for row in drawn_cells)
    for column, name, size in zip(table.columns, head, widths, strict=True):
        side: Literal["left", "right"] = "right" if column.form else "left"
        drawn.add_column(name, justify=side, width=size, overflow="fold")
    for row in rows:
        drawn.add_row(*row)
    screen = console.Console(width=width)
    with screen.capture() as captured:
        screen.print(drawn)
    lines = captured.get().translate(_BROKEN).split("\n")
    inked = [number for number, line in enumerate(lines) if line.strip()]
    return lines[inked[0] : inked[-1] + 1]  # rich puts blank lines above and below


def _widths(table: Grid, head: list[str], rows: list[list[str]], room: int) -> list[int] | None:
    """Return how wide each column is drawn, None where the terminal is too narrow.

    Numbers are never broken, and only long words are. Spare room goes to the columns that need
    more, the narrowest first.
    """
    from rich.cells import cell_len  # noqa: PLC0415 - only a terminal needs it

    widths, wanted = [], []
    for column, name, *cells in zip(table.columns, head, *rows, strict=True):
        least = max(map(cell_len, (" ".join((name, *cells))).split()), default=0)
        widths.append(min(least, _LONG_WORD))
        if column.form:
            widths[-1] = max(map(cell_len, (*name.split(), *cells)))
        wanted.append(max(map(cell_len, (name, *cells))))
    spare = room - sum(widths) - _BETWEEN * len(widths) - _BORDERS
    if spare < 0:
        return None
    while spare and (growing := [i for i, w in enumerate(widths) if w < wanted[i]]):
        widths[min(growing, key=widths.__getitem__)] += 1
        spare -= 1
    return widths


def _stacked(title: str, head: list[str], rows: list[list[str]]) -> list[str]:
    """Return a line for each cell, and an empty line between two rows."""
    lines = [title, ""] if title else []
    width = max(map(len, head))
    for row in rows:
        lines += [
            f"{name.ljust(width)}  {cell}".rstrip() for name, cell in zip(head, row, strict=True)
        ]
        lines.append("")
    return lines[:-1]


FORMATS = (Format("text", render, ".txt"),)
