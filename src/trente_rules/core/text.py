r"""Texts of strangers, as they may be shown: names, titles, keys, paths, reasons.

A terminal obeys control characters, a reader's eye the marks that turn a line round, and nobody
sees what has no width. Where such a character is shown, it is shown as its escape: ``\x1b``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from math import isfinite
from typing import Any, Final
from unicodedata import category

MOST_MARKS: Final = 4
"""Marks that one letter carries at most where a text is shown: no script stacks more."""
_MOST_PLACES: Final = 6
"""The decimals of a figure that has no error."""
_HIDDEN: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
"""Controls, formats, halves of characters, private ones, separators of lines and paragraphs."""
_MARKS: Final = frozenset(("Mn", "Mc", "Me"))
_UNSEEN: Final = (
    *(range(0x034F, 0x0350), range(0x115F, 0x1161), range(0x17B4, 0x17B6)),
    *(range(0x180B, 0x1810), range(0x2800, 0x2801), range(0x3164, 0x3165)),
    *(range(0xFE00, 0xFE10), range(0xFFA0, 0xFFA1), range(0xFDD0, 0xFDF0)),
    *(range(0xFFF0, 0xFFF9), range(0xE0000, 0xE1000)),
)
"""Fillers, selectors of variants, places that no character has: all without ink of their own."""
_PLANE: Final = 0xFFFE
_ODD: Final = re.compile(r"[^ -~]")
_ODD_IN_LINES: Final = re.compile(r"[^ -~\n]")
_BASE_LIMIT: Final = 0x300  # no mark comes before this


def printable(text: str) -> str:
    r"""Return a text on one line that a terminal and a reader can only read.

    Control, bidirectional, zero-width, separator and private characters and lone surrogates become
    escapes (``\n``, ``\x1b``, ``\u2067``, ``\U000e0001``); so do marks without a letter before them
    and those of one letter after the fourth. What was shown is left as it is when shown again.

    >>> print(printable("eve\r\nbank +100"))
    eve\r\nbank +100
    """
    if text.isascii() and text.isprintable():
        return text
    marks = MOST_MARKS  # a mark at the start would be set on what stands before the text

    def one(found: re.Match[str]) -> str:
        nonlocal marks
        character = found[0]
        kind = kind_of(character)
        if kind is None:
            return escaped(character)
        if not kind:
            marks = 0
            return character
        if found.start() and not _is_mark(text[found.start() - 1]):
            marks = 0
        marks += 1
        return character if marks <= MOST_MARKS else escaped(character)

    return _ODD.sub(one, text)


@lru_cache(maxsize=4096)
def kind_of(character: str) -> bool | None:
    """Return None for a character that is not shown itself, else whether it is a mark."""
    code = ord(character)
    name = category(character)
    unseen = name in _HIDDEN or code & _PLANE == _PLANE or any(code in few for few in _UNSEEN)
    return None if unseen else code >= _BASE_LIMIT and name in _MARKS


def _is_mark(character: str) -> bool:
    return bool(kind_of(character))


def escaped(character: str) -> str:
    r"""Return a character as Python and TOML write it where they cannot show it: ``\x1b``."""
    return character.encode("unicode_escape").decode("ascii")


def counted(many: int, noun: str, plural: str = "") -> str:
    """Return how many there are of something, by the one rule: ``1 fault``, ``12 faults``.

    >>> counted(0, "fault"), counted(1200, "entry", "entries")
    ('no faults', '1,200 entries')
    """
    if many == 1:
        return f"1 {noun}"
    return f"{f'{many:,}' if many else 'no'} {plural or f'{noun}s'}"


def with_error(value: float, error: float, *, share: bool = False) -> str:
    """Return a figure with its standard error, to two significant digits of the error.

    ``share``: both are shares, and are written in per cent. An error of 0 leaves six decimals.

    >>> with_error(0.0869, 0.000047), with_error(0.0109, 0.00012, share=True)
    ('0.086900 +- 0.000047', '1.090 +- 0.012 %')
    """
    number, width = (value * 100, error * 100) if share else (value, error)
    per_cent = " %" if share else ""
    return f"{_to_places(number, width)} +- {_to_places(width, width)}{per_cent}"


def to_error(value: float, error: float | None, *, share: bool = False) -> str:
    """Return a figure alone, to two significant digits of its error; two digits without one.

    >>> to_error(7524.3, 83.4), to_error(7524.3, None), to_error(0.0109, 0.00012, share=True)
    ('7,524', '7,500', '1.090 %')
    """
    number, width = value, abs(value) if error is None else error
    number, width = (number * 100, width * 100) if share else (number, width)
    return f"{_to_places(number, width)}{' %' if share else ''}"


def _to_places(number: float, error: float) -> str:
    """Return a number rounded where the second significant digit of an error is."""
    if not isfinite(number) or not isfinite(error):
        return str(number)
    places = _MOST_PLACES
    if error:
        # The rounded error counts: 0.0996 is 0.10, a digit fewer than 0.099.
        places = 1 - int(f"{abs(error):.1e}".partition("e")[2])
    return f"{round(number, places):,.{max(places, 0)}f}"


def printable_lines(text: str) -> str:
    """Return a text of several lines, each as ``printable`` shows it: its line feeds are ours."""
    return "\n".join(map(printable, text.split("\n")))


def hides(text: str) -> bool:
    """Return whether lines hold a character that is not shown itself."""
    return any(kind_of(found[0]) is None for found in _ODD_IN_LINES.finditer(text))


def without_hidden(text: str, escape: Callable[[str], str]) -> str:
    """Return the lines of a document with its own escapes in place of what is not shown itself.

    For JSON and TOML, whose strings hold such characters by escapes of their own: what is read is
    the same.
    """

    def one(found: re.Match[str]) -> str:
        return found[0] if kind_of(found[0]) is not None else escape(found[0])

    return _ODD_IN_LINES.sub(one, text)


def json_text(value: Any, indent: int | None = 2) -> str:
    r"""Return a value as JSON to be shown: letters are letters, hidden characters ``\u202e``."""
    written = json.dumps(value, indent=indent, ensure_ascii=False)
    return without_hidden(written, lambda character: json.dumps(character)[1:-1])
