"""A TOML document, read and parsed; whatever is wrong with it is one placed fault.

Limits stand before ``tomllib`` sees the text, so that every document, hostile ones included, is
answered fast, in the same way whatever the depth of the caller's stack, and so that what it holds
may be walked, compared and shown without limits of their own.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any, Final, NoReturn

from attrs import field, frozen

from trente_rules.errors import ConfigurationError, Fault

LARGEST: Final = 1_000_000
"""The bytes a document may have."""
DEEPEST: Final = 16
"""How many parts one dotted key may have, and how deep lists and inline tables may nest.

With a dotted key in each of the nested tables, what is read is some 270 deep at most: whoever walks
it by recursion has room.
"""
MOST_PARTS: Final = 10_000
"""How many tables, keys and members of lists a document may have, about."""
LONGEST_NUMBER: Final = 200
"""How many characters a number may have."""
_LONGEST_MESSAGE: Final = 120
_BOM: Final = "\ufeff"
_SAVE_AS: Final = "save the file as UTF-8 text"

# Outside of strings and comments a quote opens a string and "#" a comment, always. A string that
# never ends runs on to where tomllib will refuse it, so that no character is looked at twice.
_STRING_OR_COMMENT: Final = re.compile(
    r'''
      """ (?: [^"\\]++ | \\. | "(?!"") )*+ (?: "{3,5} | \\?\Z )
    | \'\'\' (?: [^']++ | '(?!\'\') )*+ (?: '{3,5} | \Z )
    | " (?: [^"\\\n]++ | \\[^\n] )*+ "?
    | ' [^'\n]*+ '?
    | \# [^\n]*+
    ''',
    re.VERBOSE | re.DOTALL,
)
_PART: Final = re.compile(r"[=,\[{]")
_BRACKET: Final = re.compile(r"[\[{\]}]")
_DOTTED: Final = re.compile(
    r"""
    (?<! [A-Za-z0-9_"-] ) (?: [A-Za-z0-9_-]++ | "++ )
    (?: [ \t]*+ \. [ \t]*+ (?: [A-Za-z0-9_-]++ | "++ ) )++
    """,
    re.VERBOSE,
)
_LONG_NUMBER: Final = re.compile(rf"(?<![\w.+-])[+-]?[0-9][\w.+:-]{{{LONGEST_NUMBER},}}+", re.ASCII)
_PLACE: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_KEY_OF_ERROR: Final = re.compile(r"\('(.*?)',?\)")


def _without_bom(text: str) -> str:
    return text.removeprefix(_BOM)


@frozen
class Document:
    """A TOML text, and what it is called: its path, the name of a house, ``<text>``.

    A byte order mark at the start is left out, so that columns are those an editor shows.
    """

    origin: str
    text: str = field(converter=_without_bom, repr=False)


def read_document(path: str | os.PathLike[str], *, largest: int = LARGEST) -> Document:
    """Read a file of at most 1 MB (1,000,000 bytes) in UTF-8, a byte order mark allowed.

    ``largest`` allows other documents than houses more bytes.

    Raises ``ConfigurationError`` with one fault: "file-missing"; "file-unreadable" for directories,
    pipes, devices, paths no system takes, and what the system refuses; "file-too-large";
    "not-utf-8", placed, for other encodings and for binary files.
    """
    origin = os.fsdecode(path)
    try:
        with open(origin, "rb", opener=_open) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                _refuse(origin, "file-unreadable", "this is not a file", "name a TOML file")
            data = file.read(largest + 1)
    except FileNotFoundError:
        _refuse(origin, "file-missing", "there is no such file", _beside(origin))
    except IsADirectoryError:
        _refuse(origin, "file-unreadable", "this is a directory", "name a TOML file in it")
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        _refuse(origin, "file-unreadable", f"the file cannot be read: {reason}")
    except ValueError:
        message = "no file can have this path: it holds a character that paths cannot hold"
        _refuse(origin, "file-unreadable", message)
    if len(data) > largest:
        size = max(status.st_size, len(data))
        _refuse(origin, "file-too-large", f"the file has {size} bytes, more than {largest}")
    return Document(origin, _decoded(origin, data))


def _open(path: str, flags: int) -> int:
    """Open a file without waiting: a pipe that nobody writes to would hold the program."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _beside(origin: str) -> str:
    """Name the folder that is missing, when the file's folder is."""
    try:
        folder = Path(origin).parent
        return "" if folder.is_dir() else "the folder it should be in does not exist either"
    except (OSError, ValueError):
        return ""


def _decoded(origin: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8").removeprefix(_BOM)
        message = f"byte {data[error.start]:#04x} is not UTF-8"
        _refuse(origin, "not-utf-8", message, _SAVE_AS, position(before, len(before)))
    zero = text.find("\0")
    if zero >= 0:
        message = "a zero byte is no text: the file is binary, or in another encoding than UTF-8"
        _refuse(origin, "not-utf-8", message, _SAVE_AS, position(text, zero))
    return text


def parse(
    document: Document, *, largest: int = LARGEST, most_parts: int = MOST_PARTS
) -> dict[str, Any]:
    """Answer what a document holds, as ``tomllib`` reads it.

    Raises ``ConfigurationError`` with one placed fault: "not-toml"; "not-utf-8" for a text with
    lone surrogates; and for what no house needs, "file-too-large" (over 1 MB), "too-many-values"
    (over some 10,000), "too-deep" (dotted keys of more than 16 parts, lists and inline tables
    nested deeper than that), "number-too-long" (over 200 characters). ``largest`` and
    ``most_parts`` allow other documents than houses more.
    """
    origin, text = document.origin, document.text
    _check_size(origin, text, largest)
    _check_shape(origin, text, most_parts)
    try:
        return tomllib.loads(text)
    except ValueError as error:
        message, place = _reworded(text, error)
        _refuse(origin, "not-toml", message, "", place)
    except RecursionError:
        # The depth is bounded: only a caller that has all but used up its stack comes here.
        _refuse(origin, "too-deep", "nested too deep for the stack that is left")


def position(text: str, offset: int) -> tuple[int, int]:
    """Answer line and column of a character of a text, from 1, in characters."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _check_size(origin: str, text: str, largest: int) -> None:
    size = len(text)
    if size <= largest:
        try:
            size = len(text.encode("utf-8"))
        except UnicodeEncodeError as error:
            message = f"{text[error.start]!r} is half a character, a lone surrogate"
            _refuse(origin, "not-utf-8", message, "", position(text, error.start))
    if size > largest:
        _refuse(origin, "file-too-large", f"the text has {size} bytes or more, more than {largest}")


def _check_shape(origin: str, text: str, most_parts: int) -> None:
    """Refuse what is too long or too deep for ``tomllib``, or for who walks what it answers."""

    def refuse(code: str, message: str, offset: int) -> NoReturn:
        _refuse(origin, code, message, "", position(text, offset))

    bare = _STRING_OR_COMMENT.sub(_filler, text)
    for dotted in _DOTTED.finditer(bare):
        if (dots := dotted.group().count(".")) >= DEEPEST:
            message = f"a dotted key of {dots + 1} parts, more than {DEEPEST}"
            refuse("too-deep", message, dotted.start())
    depth = 0
    for bracket in _BRACKET.finditer(bare):
        depth = depth + 1 if bracket.group() in "[{" else max(depth - 1, 0)
        if depth > DEEPEST:
            message = f"lists or inline tables nested more than {DEEPEST} deep"
            refuse("too-deep", message, bracket.start())
    if sum(map(bare.count, "=,[{")) > most_parts:
        parts = _PART.finditer(bare)
        for _ in range(most_parts):
            next(parts)
        message = f"more than {most_parts} tables, keys and members of lists"
        refuse("too-many-values", message, next(parts).start())
    if number := _LONG_NUMBER.search(bare):
        size = len(number.group())
        message = f"a number of {size} characters, more than {LONGEST_NUMBER}"
        refuse("number-too-long", message, number.start())


def _filler(found: re.Match[str]) -> str:
    """Answer what stands for a string or a comment where only the shape of a document counts."""
    size = found.end() - found.start()
    return " " * size if found.group()[0] == "#" else '"' * size


def _reworded(text: str, error: ValueError) -> tuple[str, tuple[int, int]]:
    """Answer a parser's message without the position, and the position, the end if it names none.

    From Python 3.14 on the error has attributes for both; its text stays the same.
    """
    message = str(error)
    place = position(text, len(text))
    if found := _PLACE.search(message):
        message = message[: found.start()]
        if found[1]:
            place = int(found[1]), int(found[2])
    message = message[:1].lower() + message[1:]
    message = _KEY_OF_ERROR.sub(lambda key: "'" + key[1].replace("', '", ".") + "'", message)
    if len(message) > _LONGEST_MESSAGE:
        message = f"{message[:_LONGEST_MESSAGE]}..."
    return message, place


def _refuse(
    origin: str,
    code: str,
    message: str,
    hint: str = "",
    place: tuple[int | None, int | None] = (None, None),
) -> NoReturn:
    line, column = place
    raise ConfigurationError.of(Fault(origin, line, column, "", code, message, hint)) from None
