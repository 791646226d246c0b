"""A rulebook as plain text, Markdown or an HTML page that stands alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from textwrap import TextWrapper
from typing import Final

from attrs import frozen

# --- A rulebook as a value: sections of sentences, lists and tables, ready to be rendered


@frozen
class Items:
    """A list of sentences."""

    lines: tuple[str, ...]


@frozen
class Grid:
    """A table of short cells."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = str | Items | Grid
"""A paragraph, a list or a table."""


@frozen
class Section:
    """One part of a rulebook."""

    title: str
    blocks: tuple[Block, ...]


@frozen
class Rulebook:
    """The rules of a house in one language; ``stamp`` tells which configuration they are from."""

    language: str
    title: str
    stamp: str
    sections: tuple[Section, ...]


WIDTH: Final = 88
"""How many characters a line of plain text has at most, tables apart."""
_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>|~#&])")
# What would open a list or a heading at the start of a line.
_START: Final = re.compile(r"^(\d+)([.)])(?=\s|$)|^([-+=])(?=[-=\s]|$)")
_STYLE: Final = (
    "body{font:16px/1.5 Georgia,serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "h1,h2{line-height:1.2}h2{margin-top:2rem;border-bottom:1px solid #bbb}"
    "table{border-collapse:collapse}th,td{border:1px solid #bbb;padding:.2rem .6rem;"
    "text-align:left;vertical-align:top}.stamp{color:#555;overflow-wrap:anywhere}"
)


def as_text(book: Rulebook) -> str:
    """Return a rulebook as plain text, wrapped."""
    lines = [*_wrapped(book.title), "=" * min(WIDTH, len(book.title)), ""]
    lines += [*_wrapped(book.stamp), ""]
    for section in book.sections:
        lines += [section.title, "-" * len(section.title), ""]
        for block in section.blocks:
            lines += [*_text_block(block), ""]
    return "\n".join(lines).rstrip() + "\n"


def _wrapped(text: str, first: str = "", later: str = "") -> list[str]:
    """Wrap a text between words alone: an id or a fingerprint stays whole."""
    wrapper = TextWrapper(
        WIDTH,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapper.wrap(text)


def _text_block(block: Block) -> Iterator[str]:
    match block:
        case Items():
            for line in block.lines:
                yield from _wrapped(line, "  - ", "    ")
        case Grid():
            columns = zip(block.columns, *block.rows, strict=True)
            widths = [max(len(cell) for cell in column) for column in columns]
            for row in (block.columns, tuple("-" * width for width in widths), *block.rows):
                cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
                yield "  ".join(cells).rstrip()
        case _:
            yield from _wrapped(block)


def as_markdown(book: Rulebook) -> str:
    """Return a rulebook as Markdown; nothing a house wrote can act as a mark."""
    lines = [f"# {_marked(book.title)}", "", _marked(book.stamp), ""]
    for section in book.sections:
        lines += [f"## {_marked(section.title)}", ""]
        for block in section.blocks:
            lines += [*_markdown_block(block), ""]
    return "\n".join(lines).rstrip() + "\n"


def _markdown_block(block: Block) -> Iterator[str]:
    match block:
        case Items():
            yield from (f"- {_marked(line)}" for line in block.lines)
        case Grid():
            for row in (block.columns, ("---",) * len(block.columns), *block.rows):
                cells = (cell if cell == "---" else _MARKS.sub(r"\\\1", cell) for cell in row)
                yield f"| {' | '.join(cells)} |"
        case _:
            yield _marked(block)


def _marked(text: str) -> str:
    escaped = _MARKS.sub(r"\\\1", text)
    return _START.sub(lambda m: f"\\{m[3]}" if m[3] else f"{m[1]}\\{m[2]}", escaped)


def as_html(book: Rulebook) -> str:
    """Return a rulebook as an HTML page that needs no other file."""
    lines = [
        "<!DOCTYPE html>",
        f'<html lang="{escape(book.language)}">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(book.title)}</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        f"<h1>{escape(book.title)}</h1>",
        f'<p class="stamp">{escape(book.stamp)}</p>',
    ]
    for section in book.sections:
        lines += ["<section>", f"<h2>{escape(section.title)}</h2>"]
        for block in section.blocks:
            lines += _html_block(block)
        lines.append("</section>")
    return "\n".join([*lines, "</body>", "</html>"]) + "\n"


def _html_block(block: Block) -> Iterator[str]:
    match block:
        case Items():
            yield "<ul>"
            yield from (f"<li>{escape(line)}</li>" for line in block.lines)
            yield "</ul>"
        case Grid():
            yield "<table>"
            yield _html_row("th", block.columns)
            yield from (_html_row("td", row) for row in block.rows)
            yield "</table>"
        case _:
            yield f"<p>{escape(block)}</p>"


def _html_row(mark: str, cells: tuple[str, ...]) -> str:
    return "<tr>" + "".join(f"<{mark}>{escape(cell)}</{mark}>" for cell in cells) + "</tr>"
