"""Reports as HTML self-contained pages: light and dark, for phones, tables that can be sorted.

A page refers to nothing outside. It has one script, which sorts tables; without it the page is
read just the same.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final
from urllib.parse import quote

from attrs import field, frozen

from trente_rules.core.plugins.hookspecs import Format
from trente_rules.core.text import printable
from trente_rules.reports.document import (
    Cell,
    Column,
    Figure,
    Folded,
    Grid,
    Items,
    Lines,
    Linked,
    Part,
    Report,
    Section,
    mark_of,
)

STYLE: Final = """
:root{color-scheme:light dark;--ink:#1d2126;--soft:#565d67;--rule:#d8dce1;--paper:#fff;
--band:#f3f5f7;--link:#0a58a8;--good:#00694a;--bad:#b3001e;--note:#8a4a00}
@media(prefers-color-scheme:dark){:root{--ink:#e7e9ec;--soft:#a6aeb8;--rule:#3b424b;
--paper:#16191d;--band:#20252b;--link:#8fbcff;--good:#5fd3ac;--bad:#ff8f86;--note:#ffc163}}
html{-webkit-text-size-adjust:100%}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:76rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1,h2,h3,h4,h5,h6{line-height:1.25;overflow-wrap:anywhere}
h1{font-size:1.75rem;margin:0 0 .5rem}
h2{font-size:1.3rem;margin:2.5rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--rule)}
h3{font-size:1.1rem;margin:1.75rem 0 .5rem}
a{color:var(--link)}
p,li,.text{max-width:46rem;overflow-wrap:anywhere}
.text{margin:1em 0}
.stamp{color:var(--soft);margin-top:0}
nav{background:var(--band);padding:.75rem 1rem;border-radius:.5rem;margin:1.5rem 0}
nav h2{font-size:1rem;margin:0 0 .25rem;padding:0;border:0}
nav ol{margin:0;padding-left:1.75rem;columns:18rem;column-gap:3rem}
nav li{padding:.2rem 0;break-inside:avoid}
.wide{overflow-x:auto;margin:1rem 0;scrollbar-width:thin}
table{border-collapse:collapse;font-size:.9rem;line-height:1.4;font-variant-numeric:tabular-nums}
caption{caption-side:bottom;text-align:left;color:var(--soft)}
caption div{position:sticky;left:0;padding:.5rem .6rem;max-width:min(46rem,calc(100vw - 2rem));
box-sizing:border-box}
th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
td{max-width:34rem}
.words{min-width:7rem}
.short{white-space:nowrap}
thead th{vertical-align:bottom;border-bottom:2px solid var(--soft)}
tbody th{font-weight:400}
th:first-child,td:first-child{position:sticky;left:0;background:var(--paper)}
th:first-child{max-width:55vw;overflow-wrap:anywhere}
.number{text-align:right}
td.number{white-space:nowrap}
.good{color:var(--good);font-weight:600}
.bad{color:var(--bad);font-weight:600}
.note{color:var(--note)}
th button{font:inherit;color:inherit;background:none;border:0;padding:.2rem 0;margin:-.2rem 0;
text-align:inherit;cursor:pointer}
th button::after{content:"\\2195";color:var(--soft);padding-left:.3em}
[aria-sort=ascending] button::after{content:"\\2191"}
[aria-sort=descending] button::after{content:"\\2193"}
summary{cursor:pointer;padding:.2rem 0}
details.whole{display:inline-block;vertical-align:top;max-width:100%;overflow-wrap:anywhere}
details.whole summary{padding:0;color:var(--soft);white-space:nowrap}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
figure{margin:1.5rem 0}
figure svg{max-width:100%;height:auto;display:block}
figcaption{color:var(--soft);max-width:46rem}
.narrow{display:none}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media(max-width:40rem){.broad{display:none}.narrow{display:block}
.alone svg{max-width:none}body{padding:1rem 1rem 3rem}table{width:max-content}
td,th{max-width:14rem}tbody th{white-space:normal}}
@media print{:root{--ink:#000;--soft:#444;--rule:#bbb;--paper:#fff;--band:#fff;--link:#000;
--good:#00694a;--bad:#b3001e;--note:#8a4a00}
body{max-width:none;padding:0;font-size:10pt}nav,th button::after{display:none}
.wide{overflow:visible}tr,figure{break-inside:avoid}h2,h3{break-after:avoid}
details::details-content{content-visibility:visible;display:block}}
"""
"""The style of a page."""

SCRIPT: Final = """
for (const table of document.querySelectorAll("table:not(.fixed)")) {
  const body = table.tBodies[0], rows = [...body.rows];
  if (rows.length < 3) continue;
  const heads = [...table.tHead.rows[0].cells];
  const text = (row, column) => row.cells[column].textContent.trim();
  const number = (value) => parseFloat(value.replace(/[,\\s]/g, ""));
  heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      const next = { ascending: "descending", descending: null }[before];
      const way = next === undefined ? "ascending" : next;
      if (way) head.setAttribute("aria-sort", way);
      const sign = way === "descending" ? -1 : 1;
      const counted = head.classList.contains("number");
      const order = (one, two) => {
        const [a, b] = [text(one, column), text(two, column)];
        const [empty, other] = [a, b].map((each) => !each || each === "-");
        if (empty || other) return empty - other;
        return sign * (counted ? number(a) - number(b)
          : a.localeCompare(b, undefined, { numeric: true }));
      };
      body.append(...(way ? [...rows].sort(order) : rows));
    });
  });
}
"""
"""The script of a page: buttons in the heads of its tables, which sort and restore their rows."""

_CONTENTS: Final = {
    "en": "Contents",
    "fr": "Sommaire",
    "it": "Indice",
    "es": "Índice",
    "de": "Inhalt",
}
_HEADINGS: Final = 3
"""A page with fewer headings needs no contents."""
_LONG: Final = re.compile(r"\b\d{16,}/\d{16,}\b|\b(?:[a-z]\d:)?[0-9a-f]{40,}\b")
"""What a reader seldom reads whole: fingerprints, and fractions of many digits."""
_DIGITS: Final = 12
_WORDS: Final = 24
"""A column with longer cells is not squeezed."""
_SHORT: Final = 16
"""Words that do not wrap: ``6 packs``."""
_NAME: Final = 28
"""The name of a row that does not wrap, but on a phone."""


def escape(text: str) -> str:
    """Return a text in which nothing acts as HTML, as content or within an attribute."""
    return html.escape(printable(text))


def render(report: Report, _width: int | None = None) -> str:
    """Return a report as a page; nothing that a house wrote can act as HTML."""
    title = escape(report.title)
    page = _Page(report.title)
    blocks = [*page.blocks((*report.about, *report.parts, *report.appendix), 2)]
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
        "<header>",
        f"<h1>{title}</h1>",
        *([_paragraph(_folded(report.stamp), "stamp")] if report.stamp else []),
        "</header>",
        *_contents(page.headings, _CONTENTS.get(report.language, _CONTENTS["en"])),
        "<main>",
        *blocks,
        "</main>",
        f"<script>{SCRIPT}</script>",
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def _contents(headings: list[str], name: str) -> Iterator[str]:
    if len(headings) >= _HEADINGS:
        yield f'<nav aria-labelledby="contents"><h2 id="contents">{name}</h2><ol>'
        for number, heading in enumerate(headings, 1):
            yield f'<li><a href="#part-{number}">{escape(heading)}</a></li>'
        yield "</ol></nav>"


def _folded(text: str) -> str:
    """Return a text with its long numbers folded: the beginning, and the whole on request."""
    parts, last = [], 0
    text = printable(text)
    for found in _LONG.finditer(text):
        before, whole = text[last : found.start()], found[0]
        parts.append(
            f'{html.escape(before)}<details class="whole"><summary>{_beginning(whole)}</summary>'
            f"{whole}</details>"
        )
        last = found.end()
    return "".join((*parts, html.escape(text[last:])))


def _beginning(whole: str) -> str:
    above, stroke, below = whole.partition("/")
    if stroke:
        return f"{above[: _DIGITS // 2]}…/{below[: _DIGITS // 2]}…"
    version, colon, digits = whole.rpartition(":")
    return f"{version}{colon}{digits[:_DIGITS]}…"


def _paragraph(inner: str, name: str = "") -> str:
    if "<details" in inner:  # it cannot be in a <p>
        return f'<div class="{name or "text"}">{inner}</div>'
    return f'<p class="{name}">{inner}</p>' if name else f"<p>{inner}</p>"


Inner = Callable[[str], str]
"""A function that writes a text as the inside of an element."""


@frozen
class _Page:
    """The parts of a page, and the headings that were written on the way, for its contents."""

    title: str
    headings: list[str] = field(factory=list, init=False)

    def blocks(
        self, parts: Iterable[Part], level: int, name: str = "", fold: Inner = _folded
    ) -> Iterator[str]:
        """Yield the blocks of parts below a heading of that name; ``fold`` writes their texts."""
        for part in parts:
            match part:
                case str():
                    yield _paragraph(fold(part))
                case Items():
                    yield "<ul>"
                    yield from (f"<li>{fold(line)}</li>" for line in part.lines)
                    yield "</ul>"
                case Lines():
                    yield _paragraph("<br>".join(map(fold, part.lines)))
                case Grid():
                    if part.title:
                        yield self._heading(part.title, level)
                    yield from _table(part, part.title or name or self.title, fold)
                case Figure():
                    yield from _figure(part)
                case Section():
                    yield "<section>"
                    yield self._heading(part.title, level)
                    yield from self.blocks(part.parts, level + 1, part.title, fold)
                    yield "</section>"
                case Folded():
                    yield f"<details><summary>{escape(part.title)}</summary>"
                    # What was asked for is shown whole, and is not in the contents.
                    yield from self.blocks(part.parts, max(level, 3), part.title, escape)
                    yield "</details>"

    def _heading(self, title: str, level: int) -> str:
        tag = f"h{min(level, 6)}"
        if level > 2:  # noqa: PLR2004 - the contents have the upper level alone
            return f"<{tag}>{escape(title)}</{tag}>"
        self.headings.append(title)
        return f'<{tag} id="part-{len(self.headings)}">{escape(title)}</{tag}>'


def _figure(part: Figure) -> Iterator[str]:
    yield "<figure>"
    if part.narrow is None:
        name = escape(part.caption or "Figure")
        yield f'<div class="wide alone" role="group" tabindex="0" aria-label="{name}">'
        yield f"{part.svg()}</div>"
    else:
        yield f'<div class="broad">{part.svg()}</div>'
        yield f'<div class="narrow">{part.narrow()}</div>'
    if part.caption:
        yield f"<figcaption>{escape(part.caption)}</figcaption>"
    yield "</figure>"


def _table(table: Grid, name: str, fold: Inner) -> Iterator[str]:
    """Yield a table in a box that scrolls; ``name`` is its caption where it has none."""
    shown = (
        f"<div>{escape(table.caption)}</div>"
        if table.caption
        else f'<span class="unseen">{escape(name)}</span>'
    )
    words = [
        not column.form
        and any(len(printable(column.text(row[number]))) > _WORDS for row in table.rows)
        for number, column in enumerate(table.columns)
    ]
    fixed = "" if table.sorts else ' class="fixed"'
    yield f'<div class="wide" role="group" tabindex="0" aria-label="{escape(name)}"><table{fixed}>'
    yield f"<caption>{shown}</caption>"
    heads = (
        f'<th scope="col"{_classes(column, None, "words" * wide)}>{escape(column.name)}</th>'
        if column.name
        else "<td></td>"
        for column, wide in zip(table.columns, words, strict=True)
    )
    yield f"<thead><tr>{''.join(heads)}</tr></thead>"
    yield "<tbody>"
    for row in table.rows:
        cells = (
            _cell(column, cell, fold, first=not number)
            for number, (column, cell) in enumerate(zip(table.columns, row, strict=True))
        )
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody>"
    yield "</table></div>"


def _cell(column: Column, cell: Cell, fold: Inner, *, first: bool) -> str:
    text = column.text(cell)
    seen = printable(text)
    fits = not column.form and len(seen) <= (_NAME if first else _SHORT)
    short = "short" if fits and re.search("[ -].", seen) else ""
    inner, classes = fold(text), _classes(column, cell, short)
    if isinstance(cell, Linked):
        inner = f'<a href="{escape(quote(cell.target))}">{escape(text)}</a>'
    if first and not column.form and inner:
        return f'<th scope="row"{classes}>{inner}</th>'
    return f"<td{classes}>{inner}</td>"


def _classes(column: Column, cell: Cell, more: str = "") -> str:
    names = list(filter(None, ("number" if column.form else "", mark_of(cell), more)))
    return f' class="{" ".join(names)}"' if names else ""


FORMATS = (Format("html", render, ".html"),)
