"""Reports for programs: CSV and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from trente_rules.core.plugins.hookspecs import Format
from trente_rules.core.text import json_text, printable
from trente_rules.reports.document import (
    Cell,
    Folded,
    Grid,
    Items,
    Lines,
    Part,
    Report,
    Section,
    value_of,
)


def escape(text: str) -> str:
    """Return a text that no spreadsheet runs as a formula: a quote goes before its first sign.

    It is on one line, as on a screen: JSON has every character as it is.
    """
    text = printable(text)
    if text[:1] not in set("=+-@") or text == "-":
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text  # a number with its sign


def render_csv(report: Report, _width: int | None = None) -> str:
    """Return the tables of a report as CSV, with a header and numbers as they are.

    Several tables are separated by an empty line, each with its title before it.
    """
    tables = [report.flat] if report.flat else list(report.tables())
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, table in enumerate(tables):
        if number:
            writer.writerow(())
        if table.title and len(tables) > 1:
            writer.writerow([escape(table.title)])
        writer.writerow(map(escape, table.names))
        for row in table.rows:
            writer.writerow(map(_value, row))
    return text.getvalue()


def _value(cell: Cell) -> str | int | float | None:
    value = _number(cell)
    return escape(value) if isinstance(value, str) else value


def _number(cell: Cell) -> str | int | float | None:
    value = value_of(cell)
    return float(value) if isinstance(value, Fraction) else value


def render_json(report: Report, _width: int | None = None) -> str:
    """Return a report as JSON: its ``data``, or, where it has none, its parts."""
    if report.data is not None:
        value = report.data()
    else:
        value = {"title": report.title, "stamp": report.stamp, "parts": _values(report.parts)}
    return f"{json_text(value)}\n"


def _values(parts: Iterable[Part]) -> list[Any]:
    """Return parts as values of JSON; figures are left out."""
    values: list[Any] = []
    for part in parts:
        match part:
            case str():
                values.append(part)
            case Items() | Lines():
                values.append(list(part.lines))
            case Grid():
                rows = [list(map(_number, row)) for row in part.rows]
                caption = {"caption": part.caption} if part.caption else {}
                values.append({"title": part.title, "columns": part.names, "rows": rows, **caption})
            case Section() | Folded():
                values.append({"title": part.title, "parts": _values(part.parts)})
    return values


FORMATS = (Format("csv", render_csv, ".csv"), Format("json", render_json, ".json"))
