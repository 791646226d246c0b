"""Printing: tables for people, JSON, CSV and Markdown for programs and documents."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Final

import click
from attrs import frozen

FORMATS: Final = ("table", "json", "csv", "markdown")
LONGEST_CELL: Final = 48


@frozen
class Table:
    """A table as every format prints it; ``right`` names the columns that hold numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[str] = frozenset()


def print_table(table: Table) -> None:
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


def print_markdown(table: Table) -> None:
    """Print a table as Markdown."""
    if table.title:
        click.echo(f"### {table.title}\n")
    aligned = ["---:" if name in table.right else ":---" for name in table.columns]
    for row in (table.columns, aligned, *table.rows):
        click.echo("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
    click.echo()


def _print_rich(table: Table) -> None:
    from rich import box, console  # noqa: PLC0415 - only a terminal needs it
    from rich import table as rich_table  # noqa: PLC0415

    shown = rich_table.Table(
        title=table.title, title_justify="left", box=box.SIMPLE_HEAD, highlight=False
    )
    for name in table.columns:
        shown.add_column(name, justify="right" if name in table.right else "left", overflow="fold")
    for row in table.rows:
        shown.add_row(*(cell.replace("[", "\\[") for cell in row))
    console.Console().print(shown)


def _print_plain(table: Table) -> None:
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
    """Answer an edge in per cent of the stake: ``1.09457 %``."""
    return "-" if edge is None else f"{float(edge) * 100:.{places}f} %"


def short_text(value: Any) -> str:
    """Answer a TOML value as a narrow cell shows it: long ones are cut."""
    text = value_text(value)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 3]}..."


def value_text(value: Any) -> str:
    """Answer a TOML value as a cell shows it."""
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
