"""TOML documents: read and parsed, with the place of every fault, and written on one line.

Everything that is wrong with a document itself is one placed fault.
"""

from __future__ import annotations

import os
import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn

from attrs import define, field, frozen

from trente_rules.core.errors import ConfigurationError, Fault, TrenteError
from trente_rules.core.files import bytes_of
from trente_rules.core.text import without_hidden

if TYPE_CHECKING:
    from tree_sitter import Node

LARGEST: Final = 1_000_000
"""The bytes a document may have."""
DEEPEST: Final = 16
"""How many parts one dotted key may have, and how deep lists and inline tables may nest.

With a dotted key in each nested table, a value is some 270 deep at most: recursion has room.
"""
MOST_PARTS: Final = 10_000
"""How many tables, keys and members of lists a document may have, about.

Each part of a dotted key counts: it makes a table.
"""
LONGEST_NUMBER: Final = 200
"""How many characters a number may have."""
_LONGEST_MESSAGE: Final = 120
_BOM: Final = "\ufeff"
LARGEST_SHORT: Final = 0xFFFF
"""The last character that an escape of four digits names."""
_SAVE_AS: Final = "save the file as UTF-8 text"

# The shape of a document is checked by its characters, before it is parsed: the time of tomllib
# grows with the square of a dotted key, and tree-sitter is loaded for faults alone. Outside of
# strings and comments a quote opens a string and "#" a comment, always. A string without an end
# runs on to where tomllib rejects it: no character is looked at twice.
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
_PART: Final = re.compile(r"[=,.\[{]")
_BRACKET: Final = re.compile(r"[\[{\]}]")
_DOTTED: Final = re.compile(
    r"""
    (?<! [A-Za-z0-9_"-] ) (?: [A-Za-z0-9_-]++ | "++ )
    (?: [ \t]*+ \. [ \t]*+ (?: [A-Za-z0-9_-]++ | "++ ) )++
    """,
    re.VERBOSE,
)
_LONG_NUMBER: Final = re.compile(rf"(?<![\w.+-])[+-]?[0-9][\w.+:-]{{{LONGEST_NUMBER},}}+", re.ASCII)
_PLACE: Final = re.compile(r"(?: \(at (?:line (\d+), column (\d+)|end of document)\))?\Z")
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


def read_document(
    path: str | os.PathLike[str],
    *,
    largest: int = LARGEST,
    origin: str | os.PathLike[str] | None = None,
) -> Document:
    """Read a file of at most 1 MB (1,000,000 bytes) in UTF-8, a byte order mark allowed.

    ``largest`` allows other documents than houses more bytes; ``origin`` is what faults call the
    file, where that is not its path.

    Raises ``ConfigurationError`` with one fault: "file-missing"; "file-unreadable" for directories,
    pipes, devices, paths no system takes, and what the system refuses; "file-too-large";
    "not-utf-8", placed, for other encodings and for binary files.
    """
    called = os.fsdecode(path if origin is None else origin)
    try:
        data = bytes_of(path, largest)
    except TrenteError as error:
        _refuse(called, error.code, error.message, error.hint)
    return Document(called, _decoded(called, data))


def _decoded(origin: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8").removeprefix(_BOM)
        message = f"byte {data[error.start]:#04x} is not UTF-8"
        _refuse(origin, "not-utf-8", message, _SAVE_AS, position(before, len(before)))
    zero = text.find("\0")
    if zero >= 0:
        message = "a zero byte is not text: the file is binary, or in an encoding other than UTF-8"
        _refuse(origin, "not-utf-8", message, _SAVE_AS, position(text, zero))
    return text


def parse(
    document: Document, *, largest: int = LARGEST, most_parts: int = MOST_PARTS
) -> dict[str, Any]:
    """Return what ``tomllib`` reads in a document.

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
        # The depth is bounded: only a caller with hardly any stack left reaches this.
        _refuse(origin, "too-deep", "nested too deep for the stack that is left")


def position(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of a character of a text, from 1, in characters."""
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
    """Refuse what is too long or too deep for ``tomllib``, and for anyone who walks its result."""
    bare = _STRING_OR_COMMENT.sub(_filler, text)
    for code, message, offset in _bad_shapes(bare, most_parts):
        _refuse(origin, code, message, "", position(text, offset))


def _bad_shapes(bare: str, most_parts: int) -> Iterator[tuple[str, str, int]]:
    """Return code, message and offset of what a text without strings and comments has too much."""
    for dotted in _DOTTED.finditer(bare):
        if (dots := dotted.group().count(".")) >= DEEPEST:
            message = f"a dotted key of {dots + 1} parts, more than {DEEPEST}"
            yield "too-deep", message, dotted.start()
    depth = 0
    for bracket in _BRACKET.finditer(bare):
        depth = depth + 1 if bracket.group() in "[{" else max(depth - 1, 0)
        if depth > DEEPEST:
            message = f"lists or inline tables nested more than {DEEPEST} deep"
            yield "too-deep", message, bracket.start()
    if sum(map(bare.count, "=,.[{")) > most_parts:
        part = next(islice(_PART.finditer(bare), most_parts, None))
        message = f"more than {most_parts} tables, keys and members of lists"
        yield "too-many-values", message, part.start()
    if number := _LONG_NUMBER.search(bare):
        message = f"a number of {len(number.group())} characters, more than {LONGEST_NUMBER}"
        yield "number-too-long", message, number.start()


def _filler(found: re.Match[str]) -> str:
    """Return as many characters in place of a string or a comment, of which none counts."""
    size = found.end() - found.start()
    return " " * size if found.group()[0] == "#" else '"' * size


def _reworded(text: str, error: ValueError) -> tuple[str, tuple[int, int]]:
    """Return a parser's message without the position, and the position, the end if it names none.

    From Python 3.14 on the error has attributes for both; its text stays the same.
    """
    message, line, column, *_rest = _PLACE.split(str(error), maxsplit=1)
    place = (int(line), int(column)) if line else position(text, len(text))
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


MOST_FAULTS: Final = 200
"""How many faults one error lists; more are counted."""
_ARRAY: Final = "array"
_INLINE_TABLE: Final = "inline_table"
_NO_VALUES: Final = ("comment", "ERROR")


@define
class _Spot:
    """Where a key and its value start, as offsets into the text, and what the value holds."""

    key: int
    value: int
    implied: bool = False
    """True for a table without a header so far."""
    tables: bool = False
    """True for an array of tables: what follows a header is in its last one."""
    inside: dict[str | int, _Spot] = field(factory=dict)

    def entered(self) -> _Spot:
        """Return the table that a header continues from."""
        return self.inside[len(self.inside) - 1] if self.tables else self


@frozen(slots=False)
class Places:
    """The places of all keys and values of a document, which is read when first asked for one."""

    document: Document

    @cached_property
    def _root(self) -> _Spot:
        return _index(self.document.text)

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(end.end() for end in re.finditer("\n", self.document.text))]

    def place(
        self, path: tuple[str | int, ...], at: Literal["key", "value"] = "value"
    ) -> tuple[int, int] | None:
        """Return line and column, from 1 and in characters, of a key or of its value.

        A table starts at its header, or at its brace; a table without a header, where it is first
        mentioned; a member of a list has no key but its value. For a path that leads to nothing,
        return the start of the last table or list on the way; None for an empty document. Raises
        nothing: what is broken in a document is passed over.
        """
        if not self.document.text:
            return None
        spot = self._root
        offset = spot.value
        for step in path:
            if step not in spot.inside:
                offset = spot.value
                break
            spot = spot.inside[step]
            offset = spot.key if at == "key" else spot.value
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1


def _index(text: str) -> _Spot:
    """Look through a document once, without recursion: it may be nested as deep as it is long."""
    import tree_sitter  # noqa: PLC0415 - only when there is a fault
    import tree_sitter_toml  # noqa: PLC0415

    # One byte for each character: offsets are in characters then. Only strings and comments may
    # hold others than ASCII, and keys are read from the text itself.
    data = text.encode("ascii", "replace")
    language = tree_sitter.Language(tree_sitter_toml.language())
    tree = tree_sitter.Parser(language).parse(data)
    root = _Spot(0, 0)
    waiting: list[tuple[_Spot, Node]] = []
    for node in tree.root_node.children:
        if node.type == "pair":
            waiting.append((root, node))
        elif node.type in ("table", "table_array_element"):
            table = _header(text, root, node)
            waiting.extend((table, pair) for pair in reversed(node.children) if pair.type == "pair")
        while waiting:
            waiting.extend(reversed(list(_opened(text, *waiting.pop()))))
    return root


def _opened(text: str, spot: _Spot, node: Node) -> Iterator[tuple[_Spot, Node]]:
    """Enter what a node holds; return the nodes in it that are still to be entered."""
    if node.type == "pair":
        parts = node.children
        *before, (name, start) = _keys(text, parts[0])
        for part, place in before:
            spot = spot.inside.setdefault(part, _Spot(place, place))
        value = next(part for part in reversed(parts) if part.type not in _NO_VALUES)
        inner = spot.inside.setdefault(name, _Spot(start, value.start_byte))
        if value.type in (_ARRAY, _INLINE_TABLE):
            yield inner, value
    elif node.type == _INLINE_TABLE:
        yield from ((spot, pair) for pair in node.children if pair.type == "pair")
    else:
        for member in node.children:
            if member.is_named and member.type not in _NO_VALUES:
                inner = _Spot(member.start_byte, member.start_byte)
                spot.inside[len(spot.inside)] = inner
                if member.type in (_ARRAY, _INLINE_TABLE):
                    yield inner, member


def _header(text: str, spot: _Spot, node: Node) -> _Spot:
    """Enter the table of a header, and return it."""
    start = node.start_byte
    keys = [key for child in node.children[:2] for key in _keys(text, child)]
    if not keys:
        return _Spot(start, start)
    *before, (name, place) = keys
    for part, here in before:
        spot = spot.inside.setdefault(part, _Spot(here, start, implied=True)).entered()
    if node.type == "table":
        table = spot.inside.setdefault(name, _Spot(place, start, implied=True))
        if table.implied:
            table.key, table.value, table.implied = place, start, False
        return table
    array = spot.inside.setdefault(name, _Spot(place, start, tables=True))
    table = _Spot(place, start)
    array.inside[len(array.inside)] = table
    return table


def _keys(text: str, node: Node) -> list[tuple[str, int]]:
    """Return the parts of a key, dotted or not, each with where it starts."""
    keys: list[tuple[str, int]] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        start = part.start_byte
        if part.type == "dotted_key":
            waiting.extend(part.children)
        elif part.type == "bare_key":
            keys.append((text[start : part.end_byte], start))
        elif part.type == "quoted_key":
            keys.append((_unquoted(text[start : part.end_byte]), start))
    return keys[::-1]


def _unquoted(key: str) -> str:
    try:
        return next(iter(tomllib.loads(f"{key} = 0")))
    except tomllib.TOMLDecodeError:
        return key


def faults_error(faults: Iterable[Fault]) -> ConfigurationError:
    """Return the error that lists faults: file by file as first named, by line and column.

    Equal faults are listed once; after 200, the others are counted only. Raises ``ValueError``
    when there is nothing.
    """
    distinct = dict.fromkeys(faults)
    if not distinct:
        raise ValueError("no faults: there is nothing to raise")
    files = {file: place for place, file in enumerate(dict.fromkeys(f.file for f in distinct))}
    ordered = sorted(distinct, key=lambda f: (files[f.file], f.line or 0, f.column or 0))
    return ConfigurationError.of(*ordered[:MOST_FAULTS], more=max(len(ordered) - MOST_FAULTS, 0))


_BARE: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def inline(value: Any) -> str:
    """Return a TOML value on one line."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{inline_key(key)} = {inline(each)}" for key, each in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(inline, value))}]"
    if type(value) is int:  # what a record has most of: in a tenth of the time
        return str(value)
    if type(value) is str and _BARE.fullmatch(value):
        return f'"{value}"'
    return _line({"k": value}).removeprefix("k = ")


def inline_key(key: str) -> str:
    """Return a key as TOML writes it, in quotes where it must be."""
    return key if _BARE.fullmatch(key) else _line({key: 0}).removesuffix(" = 0")


def written(table: Mapping[str, Any]) -> str:
    """Return a document: strings are on one line, and hidden characters in them are escapes."""
    import tomli_w  # noqa: PLC0415 - whoever only reads documents needs no writer

    return without_hidden(tomli_w.dumps(table, multiline_strings=False), _escape)


def _escape(character: str) -> str:
    code = ord(character)
    if character == "\t":
        return r"\t"
    return f"\\U{code:08X}" if code > LARGEST_SHORT else f"\\u{code:04X}"


def _line(table: Mapping[str, Any]) -> str:
    return written(table).rstrip("\n")
