"""Reports as HTML self-contained pages."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from typing import Final

from trente_rules.core.plugins.hookspecs import Format
from trente_rules.core.text import printable
from trente_rules.reports.document import (
    Figure,
    Folded,
    Grid,
    Items,
    Lines,
    Part,
    Report,
    Section,
)

STYLE: Final = """
body{font:16px/1.5 Georgia,serif;color:#222;background:#fff}
body{max-width:72rem;margin:2rem auto;padding:0 1rem}
h1,h2,h3,h4{line-height:1.2;overflow-wrap:anywhere}
h2{margin-top:2.5rem;border-bottom:1px solid #bbb;font-size:1.25rem}
h3{font-size:1.1rem}
p,li{max-width:46rem;overflow-wrap:anywhere}
.stamp{color:#555}
.wide{overflow-x:auto}
table{border-collapse:collapse;font:14px/1.4 Verdana,sans-serif;font-variant-numeric:tabular-nums}
th,td{border:1px solid #ccc;padding:.2rem .6rem;text-align:left;vertical-align:top}
th{background:#f3f3f0}
.number{text-align:right;white-space:nowrap}
figure{margin:1rem 0}
figure svg{max-width:100%;height:auto;display:block}
figcaption{color:#555}
@media(max-width:40rem){figure svg{max-width:none}}
"""
"""The style of a page."""


def escape(text: str) -> str:
    """Return a text in which nothing acts as HTML, as content or within an attribute."""
    return html.escape(printable(text))


def render(report: Report, _width: int | None = None) -> str:
    """Return a report as a page; nothing that a house wrote can act as HTML."""
    title = escape(report.title)
    lines = [
        "<!DOCTYPE html>",
        f'<html lang="{escape(report.language)}">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
        f"<h1>{title}</h1>",
        *([f'<p class="stamp">{escape(report.stamp)}</p>'] if report.stamp else []),
        *_blocks((*report.about, *report.parts), 2),
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def _blocks(parts: Iterable[Part], level: int) -> Iterator[str]:
    for part in parts:
        match part:
            case str():
                yield f"<p>{escape(part)}</p>"
            case Items():
                yield "<ul>"
                yield from (f"<li>{escape(line)}</li>" for line in part.lines)
                yield "</ul>"
            case Lines():
                yield f"<p>{'<br>'.join(map(escape, part.lines))}</p>"
            case Grid():
                if part.title:
                    yield f"<h{level}>{escape(part.title)}</h{level}>"
                yield from _table(part)
            case Figure():
                caption = f"<figcaption>{escape(part.caption)}</figcaption>" if part.caption else ""
                yield f'<figure class="wide">\n{part.svg()}{caption}\n</figure>'
            case Section() | Folded():
                yield "<section>"
                yield f"<h{level}>{escape(part.title)}</h{level}>"
                yield from _blocks(part.parts, level + 1)
                yield "</section>"


def _table(table: Grid) -> Iterator[str]:
    marks = [' class="number"' if column.form else "" for column in table.columns]
    yield '<div class="wide"><table>'
    yield f"<thead>{_row('th', marks, table.names)}</thead>"
    yield "<tbody>"
    yield from (_row("td", marks, row) for row in table.texts())
    yield "</tbody>"
    yield "</table></div>"


def _row(tag: str, marks: list[str], cells: list[str]) -> str:
    inner = (f"<{tag}{m}>{escape(cell)}</{tag}>" for m, cell in zip(marks, cells, strict=True))
    return f"<tr>{''.join(inner)}</tr>"


FORMATS = (Format("html", render, ".html"),)
