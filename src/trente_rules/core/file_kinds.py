"""The kinds of files of this library, recognised by what they hold.

Where a file of another kind is given than a command reads, one sentence names what it is and the
command that takes it, in place of a fault for each of its lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from os import PathLike, fspath
from shlex import quote
from typing import Any, Final, Literal

from trente_rules.core.errors import ConfigurationError, Fault, TrenteError
from trente_rules.core.files import bytes_of
from trente_rules.core.toml import Document, parse

Kind = Literal[
    "house", "record", "journal", "permanence", "snapshot", "session", "shoe", "other", "unreadable"
]
"""``other`` is anything else that can be read, ``unreadable`` what cannot."""
_WORDS: Final[dict[str, tuple[str, str]]] = {
    "house": ("a house", "trente show"),
    "record": ("a record", "trente card"),
    "journal": ("a journal", "trente history"),
    "permanence": ("a permanence", "trente card"),
    "snapshot": ("a snapshot of a table", ""),
    "session": ("a saved session", "trente play --save"),
    "shoe": ("a provably fair shoe", "trente rng verify"),
}
"""The words for each kind, and the command that shows it."""
OTHER_KIND: Final = "other-kind"
MOST: Final = 8_000_000
"""How many bytes of a file are looked at."""
_MOST_PARTS: Final = 400_000
_SQLITE: Final = b"SQLite format 3\0"
_OF_HOUSE: Final = frozenset(
    ("house", "money", "shoe", "deal", "refait", "insurance", "limits", "settlement")
)
_OF_RECORD: Final = frozenset(("engine", "coups", "sha256"))
_OF_JSON: Final[tuple[tuple[Kind, frozenset[str]], ...]] = (
    ("session", frozenset(("trente_play",))),
    ("snapshot", frozenset(("state", "entries"))),
    ("shoe", frozenset(("method", "commitment"))),
    ("record", frozenset(("records",))),
)
_NOTED: Final = re.compile(
    r"(\w[\w-]*\s*=.*|--|\d{1,2}\s+\d{1,2}(\s+\w+){0,2})?\s*(#.*)?", re.ASCII
)
"""A line of a permanence: a header, a break, or two points and colours; a comment."""


def kind_of(path: str | PathLike[str]) -> Kind:
    """Return the kind of a file; it is read as far as ``MOST`` bytes."""
    try:
        return kind_of_bytes(bytes_of(path, MOST))
    except TrenteError:
        return "unreadable"


def kind_of_bytes(data: bytes) -> Kind:
    """Return the kind of a file by its bytes."""
    if data.startswith(_SQLITE):
        return "journal"
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "other"
    if text.lstrip().startswith("{"):
        return _kind_of_json(text)
    try:
        table = parse(Document("", text), largest=MOST, most_parts=_MOST_PARTS)
    except ConfigurationError as error:
        return _kind_of_lines(text) if error.code == "not-toml" else "other"
    return _kind_of_table(table) if table else "other"


def _kind_of_table(table: dict[str, Any]) -> Kind:
    if _OF_RECORD & table.keys():
        return "record"
    return "house" if _OF_HOUSE & table.keys() else "other"


def _kind_of_json(text: str) -> Kind:
    try:
        keys = json.loads(text).keys()  # it begins with "{"
    except (ValueError, RecursionError):
        return "other"
    return next((kind for kind, needed in _OF_JSON if needed <= keys), "other")


def _kind_of_lines(text: str) -> Kind:
    """Return a permanence where most lines are such as it has, and one is a coup."""
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    noted = [line for line in lines if _NOTED.fullmatch(line)]
    coups = any(line[0].isdigit() for line in noted)
    return "permanence" if coups and 2 * len(noted) >= len(lines) else "other"


def other_kind(path: str | PathLike[str], wanted: Iterable[Kind]) -> Fault | None:
    """Return the fault of a file of another kind than is wanted; None for one that may be such.

    A file that cannot be read has faults of its own, and none here.
    """
    kind, kinds = kind_of(path), [*wanted]
    if kind == "unreadable" or kind in kinds:
        return None
    name = fspath(path)
    words = [_WORDS[each][0] for each in kinds]
    either = f"{', '.join(words[:-1])} or {words[-1]}" if words[1:] else words[0]
    if kind == "other":
        return Fault(name, None, None, "", OTHER_KIND, f"not {either}")
    what, command = _WORDS[kind]
    hint = f"{command} {quote(name)}" if command else ""
    return Fault(name, None, None, "", OTHER_KIND, f"{what}, not {either}", hint)
