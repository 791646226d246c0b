r"""Reports as LaTeX, to be read in by ``\input``: sections, lists, and tables of plain LaTeX."""

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

_MARKS: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "♠": r"$\spadesuit$",
        "♥": r"$\heartsuit$",
        "♦": r"$\diamondsuit$",
        "♣": r"$\clubsuit$",
        "±": r"$\pm$",
        **{mark: f"\\{mark}" for mark in "{}$&#%_"},
        # Both would be read as an option of a line break or an \item before them.
        "[": "{[}",
        "*": "{*}",
    }
)
_SECTIONS: Final = ("subsection", "subsubsection", "paragraph")
_EMPHASIS: Final[dict[Mark | None, str]] = {
    "good": "textbf",
    "bad": "textbf",
    "note": "emph",
    None: "",
}
_DASHES: Final = re.compile("-(?=-)")  # LaTeX sets two in a row as one dash


def escape(text: str) -> str:
    """Return a text in which nothing acts as LaTeX."""
    return _DASHES.sub("-{}", printable(text).translate(_MARKS))


def render(report: Report, _width: int | None = None) -> str:
    """Return a report as LaTeX; nothing that a house wrote can act as a command."""
    blocks = [f"\\section*{{{escape(report.title)}}}", escape(report.stamp)]
    blocks += _blocks((*report.about, *report.parts, *report.appendix), 0)
    return "\n\n".join(block for block in blocks if block) + "\n"


def _blocks(parts: Iterable[Part], level: int) -> Iterator[str]:
    """Yield the blocks of parts; figures are left out, and folded parts are sections."""
    for part in parts:
        match part:
            case str():
                yield escape(part)
            case Items():
                items = "\n".join(f"\\item {escape(line)}" for line in part.lines)
                yield f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"
            case Lines():
                yield "\\\\\n".join(map(escape, part.lines))
            case Grid():
                if part.title:
                    yield f"\\paragraph{{{escape(part.title)}}}"
                yield _table(part)
                yield escape(part.caption)
            case Section() | Folded():
                command = _SECTIONS[min(level, len(_SECTIONS) - 1)]
                yield f"\\{command}*{{{escape(part.title)}}}"
                yield from _blocks(part.parts, level + 1)


def _table(table: Grid) -> str:
    sides = "".join("r" if column.form else "l" for column in table.columns)
    head = " & ".join(map(escape, table.names))
    rows = (
        " & ".join(_cell(column, cell) for column, cell in zip(table.columns, row, strict=True))
        for row in table.rows
    )
    lines = "".join(f"{row} \\\\\n" for row in rows)
    return (
        f"\\begin{{tabular}}{{{sides}}}\n\\hline\n{head} \\\\\n\\hline\n{lines}\\hline\n"
        "\\end{tabular}"
    )


def _cell(column: Column, cell: Cell) -> str:
    text, command = escape(column.text(cell)), _EMPHASIS[mark_of(cell)]
    return f"\\{command}{{{text}}}" if command and text else text


FORMATS = (Format("latex", render, ".tex"),)
