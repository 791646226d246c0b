"""Reports as plain text: for a file or a pipe, or to fit a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import TextWrapper
from typing import Final, Literal

from trente_rules.reports.document import (
    Figure,
    Grid,
    Items,
    Lines,
    Part,
    Report,
    Section,
    printable,
)

WIDTH: Final = 88
"""How many characters a line of a paragraph has at most."""
_LONG_WORD: Final = 18
"""A longer word may be broken where a terminal is narrow: keys, names of files."""
_BETWEEN: Final = 3
_BORDERS: Final = 1
"""Blanks that a drawn table has for each column, and besides."""


def render(report: Report, width: int | None = None) -> str:
    """Return a report as text; with the width of a terminal, tables are drawn to fit it."""
    blocks = []
    if report.page:
        blocks.append([*_wrapped(report.title, width), "=" * min(WIDTH, len(report.title))])
        blocks.append(_wrapped(report.stamp, width))
    blocks += _blocks(report.parts, width)
    return "\n\n".join("\n".join(block) for block in blocks if block).rstrip() + "\n"


def _blocks(parts: Iterable[Part], width: int | None) -> Iterator[list[str]]:
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
            case Section():
                title = printable(part.title)
                yield [title, "-" * len(title)]
                yield from _blocks(part.parts, width)
            case Figure():
                pass


def _wrapped(text: str, width: int | None, first: str = "", later: str = "") -> list[str]:
    """Wrap a text between words alone: an id or a fingerprint stays whole."""
    wrapper = TextWrapper(
        min(WIDTH, width or WIDTH),
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapper.wrap(printable(text))


def _cells(table: Grid) -> list[tuple[str, ...]]:
    """Return the cells of a table as text, the names of the columns first."""
    return [
        tuple(printable(column.name) for column in table.columns),
        *(
            tuple(c.short(cell) for c, cell in zip(table.columns, row, strict=True))
            for row in table.rows
        ),
    ]


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
    widths = _widths(table, head, rows, width)
    if widths is None:
        return _stacked(printable(table.title), head, rows)
    drawn = rich_table.Table(
        title=printable(table.title).replace("[", "\\["),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        highlight=False,
    )
    for column, size in zip(table.columns, widths, strict=True):
        side: Literal["left", "right"] = "right" if column.form else "left"
        drawn.add_column(column.name, justify=side, width=size, overflow="fold")
    for row in rows:
        drawn.add_row(*(cell.replace("[", "\\[") for cell in row))
    screen = console.Console(width=width)
    with screen.capture() as captured:
        screen.print(drawn)
    lines = captured.get().split("\n")
    seen = [number for number, line in enumerate(lines) if line.strip()]
    return lines[seen[0] : seen[-1] + 1]  # rich puts blanks above and below


def _widths(
    table: Grid, head: tuple[str, ...], rows: list[tuple[str, ...]], room: int
) -> list[int] | None:
    """Return how wide each column is drawn, None where the terminal is too narrow.

    No number is broken, and of words only long ones. What is left over goes to the columns that
    want more, the narrowest first.
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


def _stacked(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """Return a line for each cell, a row below the other."""
    lines = [title, ""] if title else []
    width = max(map(len, head))
    for row in rows:
        lines += [
            f"{name.ljust(width)}  {cell}".rstrip() for name, cell in zip(head, row, strict=True)
        ]
        lines.append("")
    return lines[:-1]
