"""Reports as Markdown, with tables as GitHub reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from trente_rules.core.plugins.hookspecs import Format
from trente_rules.core.text import printable
from trente_rules.reports.document import (
    Cell,
    Column,
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

_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>|~#&])")
# Characters that open a list or a heading at the start of a line.
_START: Final = re.compile(r"^(\d+)([.)])(?=\s|$)|^([-+=])(?=[-=\s]|$)")


_EMPHASIS: Final[dict[Mark | None, str]] = {"good": "**", "bad": "**", "note": "*", None: ""}
_LOWEST: Final = 6


def escape(text: str) -> str:
    """Return a text in which nothing acts as a mark, as a cell or within a line."""
    return _MARKS.sub(r"\\\1", printable(text))


def _line(text: str) -> str:
    """Return a text that begins a line, where a few more characters would act."""
    return _START.sub(lambda m: f"\\{m[3]}" if m[3] else f"{m[1]}\\{m[2]}", escape(text))


def render(report: Report, _width: int | None = None) -> str:
    """Return a report as Markdown; nothing that a house wrote can act as a mark."""
    blocks = [f"# {_line(report.title)}", _line(report.stamp)] if report.page else []
    blocks += _blocks(report.parts, 2)
    return "\n\n".join(block for block in blocks if block) + "\n"


def _blocks(parts: Iterable[Part], level: int) -> Iterator[str]:
    """Yield the blocks of parts; figures are left out, and folded parts are sections."""
    for part in parts:
        match part:
            case str():
                yield _line(part)
            case Items():
                yield "\n".join(f"- {_line(line)}" for line in part.lines)
            case Lines():
                yield "\\\n".join(map(_line, part.lines))
            case Grid():
                if part.title:
                    yield f"### {_line(part.title)}"
                yield "\n".join(_table(part))
                yield _line(part.caption)
            case Section() | Folded():
                yield f"{'#' * min(level, _LOWEST)} {_line(part.title)}"
                yield from _blocks(part.parts, level + 1)


def _table(table: Grid) -> Iterator[str]:
    yield f"| {' | '.join(map(escape, table.names))} |"
    yield f"| {' | '.join('---:' if column.form else ':---' for column in table.columns)} |"
    for row in table.rows:
        cells = (_cell(column, cell) for column, cell in zip(table.columns, row, strict=True))
        yield f"| {' | '.join(cells)} |"


def _cell(column: Column, cell: Cell) -> str:
    text, marks = escape(column.text(cell)), _EMPHASIS[mark_of(cell)]
    return f"{marks}{text}{marks}" if text else ""


FORMATS = (Format("markdown", render, ".md"),)
