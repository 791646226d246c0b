"""The standard streams, whatever a system gives: none, a full disk, a code page of 256 letters.

Plain text falls back to what the code page has: ``♥`` is ``h``, ``→`` is ``->``, ``é`` is ``e``.
What other programs read is UTF-8.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TextIO
from unicodedata import normalize

PLAIN: Final = "trente-plain"
"""The name of the way in which characters that a code page lacks are written."""
_LETTERS: Final = {
    letter: plain
    for letters, plain in (
        *(("♠♤", "s"), ("♥♡", "h"), ("♦♢", "d"), ("♣♧", "c")),
        *(("─━═┄┅╌╍‐‑–—−", "-"), ("│┃║┆┇┊┋", "|"), ("┏┓┗┛┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝", "+")),  # noqa: RUF001
        *(("●◉⬤•", "*"), ("○◯◌", "o"), ("■█✓", "#"), ("×✗", "x"), ("▶►❯", ">"), ("◀◄❮", "<")),  # noqa: RUF001
        *(("‘’‚‹›", "'"), ("“”„«»", '"'), ("·", "."), ("¿", "?"), ("¡", "!"), ("°", " deg")),  # noqa: RUF001
        *(("→", "->"), ("←", "<-"), ("↑", "^"), ("↓", "v"), ("≤", "<="), ("≥", ">=")),
        *(
            ("±", "+-"),
            ("≈", "~"),
            ("…", "..."),
            ("€", "EUR"),
            ("ß", "ss"),
            ("æ", "ae"),
            ("œ", "oe"),
        ),
    )
    for letter in letters
}
_FIRST_FREE: Final = 2


def plain_letters(text: str) -> str:
    """Return a text in ASCII: letters for suits, letters without accents, ``?`` for the rest.

    >>> plain_letters("10♥ → après")
    '10h -> apres'
    """
    return "".join(map(_plain, text))


def _plain(character: str) -> str:
    if character.isascii():
        return character
    bare = "".join(each for each in normalize("NFKD", character) if each.isascii())
    return _LETTERS.get(character) or bare or "?"


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plain_letters(error.object[error.start : error.end]), error.end


class _Nowhere(io.RawIOBase):
    """A standard output that is not there: it takes everything, and knows whether it did."""

    taken = False

    def writable(self) -> bool:
        """Return yes."""
        return True

    def write(self, data: Any) -> int:
        """Take some bytes."""
        self.taken = True
        return len(data)


@contextmanager
def standard_streams() -> Iterator[_Nowhere]:
    """Set the standard output and error up, and put them back; yield what took lost output."""
    codecs.register_error(PLAIN, _replaced)
    before = sys.stdout, sys.stderr
    nowhere, forms = _Nowhere(), list[tuple[io.TextIOWrapper, str, str | None]]()
    if None in (*before, sys.stdin):
        _take_low_numbers()
    if sys.stdout is None:
        sys.stdout = _text_to(nowhere)
    if sys.stderr is None:
        sys.stderr = _text_to(_Nowhere())
    for stream in before:
        if isinstance(stream, io.TextIOWrapper) and not stream.closed:
            forms.append((stream, stream.encoding, stream.errors))
            stream.reconfigure(errors=PLAIN)
    try:
        yield nowhere
    finally:
        for stream, encoding, errors in forms:
            with suppress(OSError, ValueError):  # a full disk; closed by a plugin
                stream.reconfigure(encoding=encoding, errors=errors)
        sys.stdout, sys.stderr = before


def _text_to(raw: io.RawIOBase) -> TextIO:
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", write_through=True)


def _take_low_numbers() -> None:
    """Keep files that are opened later from the numbers of streams that are closed.

    What a library prints there would be written into a journal.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= _FIRST_FREE:
        pass
    os.close(number)


def write_utf8() -> None:
    """Let the standard output be UTF-8 from here on, whatever the code page."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def discard_output() -> None:
    """Send what is still printed nowhere: nobody reads it, or it cannot be written."""
    with suppress(OSError, ValueError):  # a stream of a host may have no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
