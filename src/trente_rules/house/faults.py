"""Where a fault of a document is, and how it is told."""

from __future__ import annotations

import difflib
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import date, time
from typing import TYPE_CHECKING, Any, Final, Literal

from attrs import define, field, frozen

from trente_rules.errors import ConfigurationError, Fault
from trente_rules.house.document import Document

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_FAULTS: Final = 200
"""How many faults one error tells; more are counted."""
LONGEST_SHOWN: Final = 60
"""How many characters of a value a message shows."""
_LONGEST_NAME: Final = 100
_MOST_BITS: Final = 1_000
_ARRAY: Final = "array"
_INLINE_TABLE: Final = "inline_table"
_NO_VALUES: Final = ("comment", "ERROR")


@define
class _Spot:
    """Where a key and its value start, as offsets into the text, and what the value holds."""

    key: int
    value: int
    implied: bool = False
    """Whether the table has no header of its own so far."""
    tables: bool = False
    """Whether this is an array of tables: what follows a header is in its last one."""
    inside: dict[str | int, _Spot] = field(factory=dict)

    def entered(self) -> _Spot:
        """Answer the table that a header goes on from."""
        return self.inside[len(self.inside) - 1] if self.tables else self


@frozen
class Places:
    """The places of all keys and values of a document; it is looked through when first asked."""

    document: Document
    _found: list[tuple[_Spot, list[int]]] = field(factory=list, init=False, repr=False, eq=False)

    def place(
        self, path: tuple[str | int, ...], at: Literal["key", "value"] = "value"
    ) -> tuple[int, int] | None:
        """Answer line and column, from 1 and in characters, of a key or of its value.

        A table starts at its header, or at its brace; a table that no header names, where it is
        first spoken of; a member of a list has no key but its value. Where the path leads to
        nothing, the answer is where the last table or list on the way starts; None for a document
        of nothing. Raises nothing: what is broken in a document is passed over.
        """
        if not self.document.text:
            return None
        if not self._found:
            self._found.append((_index(self.document.text), _line_starts(self.document.text)))
        spot, lines = self._found[0]
        offset = spot.value
        for step in path:
            inner = spot.inside.get(step)
            if inner is None:
                offset = spot.value
                break
            spot = inner
            offset = spot.key if at == "key" else spot.value
        line = bisect_right(lines, offset)
        return line, offset - lines[line - 1] + 1


def _line_starts(text: str) -> list[int]:
    starts = [0]
    while (end := text.find("\n", starts[-1])) >= 0:
        starts.append(end + 1)
    return starts


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
    """Enter what a node holds; answer the nodes in it that are still to be entered."""
    if node.type == "pair":
        parts = node.children
        keys = _keys(text, parts[0]) if parts else []
        if not keys:
            return
        *before, (name, start) = keys
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
    """Enter the table of a header; answer it."""
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
    """Answer the parts of a key, dotted or not, each with where it starts."""
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


def nearest(name: str, known: Iterable[str]) -> str:
    """Ask ``did you mean 'rounding'?`` when a name is close to a known one; answer "" if not."""
    if len(name) > _LONGEST_NAME:
        return ""
    words = {word.casefold(): word for word in known}
    close = difflib.get_close_matches(name.casefold(), words, n=1)
    return f"did you mean {words[close[0]]!r}?" if close else ""


def shown(value: object) -> str:
    """Answer a value as Python writes it, cut to at most 60 characters.

    Costs the same for a value of any size or depth; raises nothing.
    """
    text = ""
    for piece in _pieces(value):
        text += piece
        if len(text) > LONGEST_SHOWN:
            return f"{text[: LONGEST_SHOWN - 3]}..."
    return text


def _pieces(value: object) -> Iterator[str]:
    """Answer a value piece by piece, each of them short."""
    waiting: list[Iterator[Any]] = [iter([value])]
    while waiting:
        for part in waiting[-1]:
            if isinstance(part, _Piece):
                yield part.text
            elif isinstance(part, list):
                waiting.append(_members("[", ((member,) for member in part), "]"))
                break
            elif isinstance(part, dict):
                pairs = ((name, _Piece(": "), member) for name, member in part.items())
                waiting.append(_members("{", pairs, "}"))
                break
            else:
                yield _plain(part)
        else:
            waiting.pop()


@frozen
class _Piece:
    text: str


def _members(opening: str, groups: Iterable[tuple[Any, ...]], closing: str) -> Iterator[Any]:
    yield _Piece(opening)
    for place, group in enumerate(groups):
        if place:
            yield _Piece(", ")
        yield from group
    yield _Piece(closing)


def _plain(value: object) -> str:
    if isinstance(value, str | bytes):
        return repr(value[: LONGEST_SHOWN + 1])
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"<a whole number of about {value.bit_length() * 30103 // 100000 + 1} digits>"
    if isinstance(value, date | time):
        return value.isoformat()
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - whatever a stranger's value raises, the fault is still told
        return f"<{type(value).__name__}>"


def collect(faults: Iterable[Fault]) -> ConfigurationError:
    """Answer the error that tells faults: file by file as first named, by line and column.

    A fault told twice is told once; after 200, the others are counted only. Raises ``ValueError``
    when there are none.
    """
    distinct = dict.fromkeys(faults)
    if not distinct:
        raise ValueError("no faults: there is nothing to tell")
    files = {file: place for place, file in enumerate(dict.fromkeys(f.file for f in distinct))}
    ordered = sorted(distinct, key=lambda f: (files[f.file], f.line or 0, f.column or 0))
    return ConfigurationError.of(*ordered[:MOST_FAULTS], more=max(len(ordered) - MOST_FAULTS, 0))
