"""Reports for programs: CSV, and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from trente_rules.reports.document import (
    Cell,
    Figure,
    Grid,
    Items,
    Lines,
    Part,
    Report,
    Section,
)


def escape(text: str) -> str:
    """Return a text that no spreadsheet runs as a formula: a quote goes before its first sign."""
    if text[:1] not in set("=+-@\t\r") or text == "-":
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text  # a number with its sign


def render_csv(report: Report, _width: int | None = None) -> str:
    """Return the tables of a report as CSV, with a header and numbers as they are.

    Several tables have an empty line between them, and their titles before them.
    """
    tables = [report.flat] if report.flat else list(report.tables())
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    for number, table in enumerate(tables):
        if number:
            writer.writerow(())
        if table.title and len(tables) > 1:
            writer.writerow([escape(table.title)])
        writer.writerow([escape(column.name) for column in table.columns])
        for row in table.rows:
            writer.writerow([_csv(cell) for cell in row])
    return written.getvalue()


def _csv(cell: Cell) -> str | int | float | None:
    if isinstance(cell, str):
        return escape(cell)
    return float(cell) if isinstance(cell, Fraction) else cell


def render_json(report: Report, _width: int | None = None) -> str:
    """Return a report as JSON: its data, where it has some, else what is read."""
    if report.data is not None:
        value = report.data()
    else:
        value = {"title": report.title, "stamp": report.stamp, "parts": _json(report.parts)}
    return f"{json.dumps(value, indent=2, ensure_ascii=False)}\n"


def _json(parts: Iterable[Part]) -> list[Any]:
    told: list[Any] = []
    for part in parts:
        match part:
            case str():
                told.append(part)
            case Items() | Lines():
                told.append(list(part.lines))
            case Grid():
                told.append(
                    {
                        "title": part.title,
                        "columns": [column.name for column in part.columns],
                        "rows": [[_number(cell) for cell in row] for row in part.rows],
                    }
                )
            case Section():
                told.append({"title": part.title, "parts": _json(part.parts)})
            case Figure():
                pass
    return told


def _number(cell: Cell) -> str | int | float | None:
    return float(cell) if isinstance(cell, Fraction) else cell
