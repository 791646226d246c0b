"""Write docs/images/screen-*.svg: what commands print on a terminal of 80 columns.

    python tools/make_screens.py

The text is that of the text format, with its colours. With ``--check`` nothing is written, and the
exit status is 1 where a stored picture is not what is generated.
"""

# ruff: noqa: INP001 - a script

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Final

from made_file import write_or_check
from rich.style import Style
from rich.text import Text

from trente_rules import load_house
from trente_rules.core.plugins.manager import default_manager
from trente_rules.reports.comparison import compare
from trente_rules.reports.comparison_layout import comparison_report
from trente_rules.reports.document import Report
from trente_rules.reports.formats import text
from trente_rules.reports.overview import by_edge

PLACE: Final = Path(__file__).parents[1] / "docs" / "images"
COLUMNS: Final = 80
_LINE, _CELL, _SIZE, _EDGE = 18, 7.8, 13, 14
_INK: Final = {"good": "#4fc38a", "bad": "#ff7b72"}
"""The colours of marks on the dark ground of the picture."""


def screen(command: str, report: Report) -> str:
    """Return a command and what it prints as a picture."""
    lines = [Text(f"$ {command}"), *Text.from_ansi(text.render(report, COLUMNS)).split("\n")]
    width, height = COLUMNS * _CELL + 2 * _EDGE, len(lines) * _LINE + 2 * _EDGE
    drawn = "\n".join(
        f'<text y="{_EDGE + _LINE * (at + 0.75):g}" xml:space="preserve">{_line(line)}</text>'
        for at, line in enumerate(lines)
        if line.plain.strip()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{escape(command)}" font-family="ui-monospace, Menlo, Consolas, '
        f'\'DejaVu Sans Mono\', monospace" font-size="{_SIZE}" fill="#d8dee9">\n'
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="#1c2128"/>\n{drawn}\n</svg>\n'
    )


def _line(line: Text) -> str:
    """Return a line: each piece of a style at the place of its first cell."""
    parts, at = [], 0
    for piece, style in _pieces(line):
        if words := piece.strip():
            place = _EDGE + _CELL * (at + piece.index(words))
            size = f'textLength="{_CELL * len(words):g}"'
            parts.append(f'<tspan x="{place:g}" {size}{_look(style)}>{escape(words)}</tspan>')
        at += len(piece)
    return "".join(parts)


def _pieces(line: Text) -> Iterator[tuple[str, Style]]:
    """Yield the pieces of a line with their styles."""
    places = sorted({0, len(line.plain), *(n for s in line.spans for n in (s.start, s.end))})
    for start, end in pairwise(places):
        found = [span.style for span in line.spans if span.start <= start and end <= span.end]
        styles = (style if isinstance(style, Style) else Style.parse(style) for style in found)
        yield line.plain[start:end], sum(styles, Style())


def _look(style: Style) -> str:
    marks = dict(zip(("29", "196"), _INK.values(), strict=True))
    number = str(style.color.number) if style.color else ""
    fill = f' fill="{marks[number]}"' if number in marks else ""
    return f'{fill} font-weight="bold"' if style.bold else fill


def screens() -> Iterator[tuple[str, str]]:
    """Yield each picture with the name of its file."""
    houses = [load_house(name) for name in default_manager().names("house")]
    yield "screen-compare", screen("trente compare", comparison_report(by_edge(compare(houses))))
    named = ("france-2007", "italian-program", "italy-half-loss")
    few = compare(load_house(name) for name in named)
    yield "screen-compare-few", screen(f"trente compare {' '.join(named)}", comparison_report(few))


def files() -> Iterator[tuple[Path, str]]:
    """Yield each picture with its file."""
    yield from ((PLACE / f"{name}.svg", svg) for name, svg in screens())


if __name__ == "__main__":
    sys.exit(write_or_check(__doc__, files))
