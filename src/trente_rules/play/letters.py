"""Letters that any terminal can show: for one whose encoding lacks frames, dots and suits."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_ALIKE: Final[Mapping[str, str]] = {
    **dict.fromkeys("─┄┅╌╍▔▀‾–—−", "-"),
    **dict.fromkeys("━═", "="),
    **dict.fromkeys("│║┆┇┊┋╎╏▏▎▍▌▐▕", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝╠╣╦╩╬╸╹╺╻", "+"),
    **dict.fromkeys("┃┏┓┗┛┣┫┳┻╋█▓▒░■▉▊▋", "#"),
    **dict.fromkeys("▁▂▃▄▅▆▇", "_"),
    **dict.fromkeys("●◉⬤•", "*"),
    **dict.fromkeys("○◯◌", "o"),
    **dict.fromkeys("▶►→❯", ">"),
    **dict.fromkeys("◀◄←❮", "<"),
    **dict.fromkeys("“”„«»", '"'),
    **dict.fromkeys("‘’", "'"),
    "×": "x",
    "·": ".",
    "…": ".",
    "↑": "^",
    "↓": "v",
    "✓": "+",
    "♠": "S",
    "♥": "H",
    "♦": "D",
    "♣": "C",
    "ß": "s",
    "œ": "e",
    "€": "E",
}
"""Letters that say the same in one column."""


@lru_cache(4096)
def letter(sign: str, encoding: str) -> str:
    """Return a character as an encoding can write it, in as many columns."""
    try:
        sign.encode(encoding)
    except UnicodeError:
        plain = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
        return _ALIKE.get(sign) or plain[:1] or "?"
    return sign


@lru_cache(4096)
def in_letters(text: str, encoding: str) -> str:
    """Return a text with nothing that an encoding cannot write."""
    return text if text.isascii() else "".join(letter(sign, encoding) for sign in text)


class PlainLetters(LineFilter):
    """Draws every line of the screen in letters of an encoding."""

    def __init__(self, encoding: str) -> None:
        """Draw in this encoding."""
        super().__init__()
        self.encoding = encoding

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - as Textual calls it
        """Return the segments of a line in letters."""
        return [
            Segment(in_letters(segment.text, self.encoding), segment.style, segment.control)
            for segment in segments
        ]
