"""Printing: tables for people, JSON, CSV and Markdown for programs and documents."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from time import perf_counter
from typing import Any, Final, Literal

import click
from attrs import frozen

FORMATS: Final = ("table", "json", "csv", "markdown")
LONGEST_CELL: Final = 48
_LONG_WORD: Final = 18
"""A longer word may be broken where a terminal is narrow: keys, names of files."""
_BETWEEN: Final = 3
_BORDERS: Final = 1
"""Blanks that a drawn table has for each column, and besides."""


@frozen
class Listing:
    """A table as every format prints it; ``right`` names the columns that hold numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[str] = frozenset()


def print_table(table: Listing) -> None:
    """Print a table: by rich on a terminal, in plain columns elsewhere."""
    if sys.stdout is not None and sys.stdout.isatty():
        _print_rich(table)
    else:
        _print_plain(table)


def print_json(value: Any) -> None:
    """Print a value as JSON of two-space indents; letters stand as they are."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def print_csv(rows: Iterable[dict[str, Any]], columns: Sequence[str]) -> None:
    """Print rows as CSV with a header."""
    import csv  # noqa: PLC0415 - only this format needs it
    import io  # noqa: PLC0415

    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    click.echo(text.getvalue(), nl=False)  # click knows terminals that say they are ASCII


def print_markdown(table: Listing) -> None:
    """Print a table as Markdown."""
    if table.title:
        click.echo(f"### {table.title}\n")
    aligned = ["---:" if name in table.right else ":---" for name in table.columns]
    for row in (table.columns, aligned, *table.rows):
        click.echo("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
    click.echo()


def _print_rich(table: Listing) -> None:
    """Draw a table; where the terminal is too narrow for it, print a line for each cell."""
    from rich import box, console  # noqa: PLC0415 - only a terminal needs it
    from rich import table as rich_table  # noqa: PLC0415

    screen = console.Console()
    widths = _widths(table, screen.width)
    if widths is None:
        _print_stacked(table)
        return
    shown = rich_table.Table(
        title=table.title, title_justify="left", box=box.SIMPLE_HEAD, highlight=False
    )
    for name, width in zip(table.columns, widths, strict=True):
        side: Literal["left", "right"] = "right" if name in table.right else "left"
        shown.add_column(name, justify=side, width=width, overflow="fold")
    for row in table.rows:
        shown.add_row(*(cell.replace("[", "\\[") for cell in row))
    screen.print(shown)


def _widths(table: Listing, room: int) -> list[int] | None:
    """Return how wide each column is drawn, None where the terminal is too narrow.

    No number is broken, and of words only long ones. What is left over goes to the columns that
    want more, the narrowest first.
    """
    from rich.cells import cell_len  # noqa: PLC0415 - only a terminal needs it

    widths, wanted = [], []
    for name, *cells in zip(table.columns, *table.rows, strict=True):
        least = max(map(cell_len, (" ".join((name, *cells))).split()), default=0)
        widths.append(min(least, _LONG_WORD))
        if name in table.right:
            widths[-1] = max(map(cell_len, (*name.split(), *cells)))
        wanted.append(max(map(cell_len, (name, *cells))))
    spare = room - sum(widths) - _BETWEEN * len(widths) - _BORDERS
    if spare < 0:
        return None
    while spare and (growing := [i for i, w in enumerate(widths) if w < wanted[i]]):
        widths[min(growing, key=widths.__getitem__)] += 1
        spare -= 1
    return widths


def _print_stacked(table: Listing) -> None:
    """Print a line for each cell, a row below the other."""
    if table.title:
        click.echo(f"{table.title}\n")
    width = max(map(len, table.columns))
    for row in table.rows:
        for name, cell in zip(table.columns, row, strict=True):
            click.echo(f"{name.ljust(width)}  {cell}".rstrip())
        click.echo()


def _print_plain(table: Listing) -> None:
    widths = [
        max(len(cell) for cell in column) for column in zip(table.columns, *table.rows, strict=True)
    ]
    if table.title:
        click.echo(table.title)
    for row in (table.columns, tuple("-" * width for width in widths), *table.rows):
        cells = (
            cell.rjust(width) if name in table.right else cell.ljust(width)
            for name, cell, width in zip(table.columns, row, widths, strict=True)
        )
        click.echo("  ".join(cells).rstrip())
    click.echo()


def percent(edge: Fraction | None, places: int = 5) -> str:
    """Return an edge in per cent of the stake: ``1.09457 %``."""
    return "-" if edge is None else f"{float(edge) * 100:.{places}f} %"


def short_text(value: Any) -> str:
    """Return a TOML value as a narrow cell shows it: long ones are cut."""
    text = value_text(value)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 3]}..."


def value_text(value: Any) -> str:
    """Return a TOML value as a cell shows it."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ", ".join(value_text(member) for member in value) or "none"
        case dict():
            return ", ".join(f"{name} {value_text(member)}" for name, member in value.items())
    return str(value)


# --- How far a run is, on the standard error, where somebody looks


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], object] | None]:
    """Show how much is done, how fast, and the time left; None where no terminal shows it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich import progress  # noqa: PLC0415 - only a terminal needs it
    from rich.console import Console  # noqa: PLC0415

    columns = (
        *progress.Progress.get_default_columns()[:-1],
        progress.TextColumn("{task.fields[rate]}"),
        progress.TimeRemainingColumn(),
    )
    started = perf_counter()
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None, rate="")

        def show(done: int, total: int) -> None:
            seconds = perf_counter() - started
            rate = f"{done / seconds:,.0f} {what}/s" if seconds else ""
            shown.update(task, completed=done, total=total, rate=rate)

        yield show
