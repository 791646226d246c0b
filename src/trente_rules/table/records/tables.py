"""Records as plain tables, as TOML and JSON hold them: read with every fault, and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Final, TypeVar

from attrs import NOTHING, define, evolve, field

from trente_rules.errors import TrenteError
from trente_rules.house.faults import nearest, shown
from trente_rules.table.records.kinds import Kind, Many, One, slots
from trente_rules.table.records.values import Record

T = TypeVar("T")
Path = tuple[str | int, ...]
PRIVATE: Final = "_"
USER: Final = "user"
MOST_WARNINGS: Final = 50


@define
class Problem:
    """What is wrong with a table, and where."""

    path: Path
    code: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        """Answer the place and what is wrong with it."""
        return f"{path_text(self.path)}: {self.message}"


@define
class Notes:
    """What was found while reading: problems, and unknown keys."""

    problems: list[Problem] = field(factory=list)
    unknown: list[Path] = field(factory=list)
    hints: dict[Path, str] = field(factory=dict)


def path_text(path: Path) -> str:
    """Answer a path as text, lists counted from 1: ``coups[2].stakes[1].won``."""
    text = ""
    for step in path:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def read_table(cls: type[T], table: object, path: Path, notes: Notes) -> T | None:
    """Build a value of a class from a table; None where ``notes`` tell what is wrong with it."""
    if not isinstance(table, Mapping):
        notes.problems.append(Problem(path, "wrong-type", f"{shown(table)} is not a table"))
        return None
    known = slots(cls)
    values: dict[str, Any] = {USER: {}}
    before = len(notes.problems)
    for name, value in table.items():
        if name in known:
            values[name] = _read(known[name][1], value, (*path, name), notes)
        elif name.startswith(PRIVATE):
            values[USER][name] = value
        else:
            here = (*path, name)
            notes.unknown.append(here)
            if len(notes.unknown) <= MOST_WARNINGS:
                notes.hints[here] = nearest(name, known)
    for name, (attribute, _kind) in known.items():
        if name not in values and attribute.default is NOTHING:
            message = f"{name!r} is missing"
            notes.problems.append(Problem((*path, name), "missing-key", message))
    return None if len(notes.problems) > before else cls(**values)


def _read(kind: Kind | One | Many, value: object, path: Path, notes: Notes) -> Any:
    if isinstance(kind, One):
        return read_table(kind.cls, value, path, notes)
    if isinstance(kind, Many):
        if not isinstance(value, list):
            message = f"{shown(value)} is not a list of tables"
            notes.problems.append(Problem(path, "wrong-type", message))
            return None
        return tuple(
            read_table(kind.cls, each, (*path, place), notes) for place, each in enumerate(value)
        )
    try:
        return kind.read(value)
    except TrenteError as error:
        notes.problems.append(Problem(path, error.code, error.message, error.hint))
        return None


def write_table(value: Any, *, user: bool = True) -> dict[str, Any]:
    """Answer a value as a table; what is at its default is left out, ``user`` fields come last."""
    told = {
        name: _write(kind, getattr(value, name), user=user)
        for name, (attribute, kind) in slots(type(value)).items()
        if getattr(value, name) != attribute.default
    }
    return {**told, **value.user} if user else told


def _write(kind: Kind | One | Many, value: Any, *, user: bool) -> Any:
    if isinstance(kind, One):
        return write_table(value, user=user)
    if isinstance(kind, Many):
        return [write_table(each, user=user) for each in value]
    return kind.write(value)


def canonical(record: Record) -> bytes:
    """Answer the bytes that ``sha256`` is over.

    JSON of the record without ``sha256`` and fields of the user: keys sorted, no white space,
    UTF-8; values are texts, whole numbers, true and false, lists and objects.
    """
    table = write_table(record, user=False)
    table.pop("sha256", None)
    text = json.dumps(table, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def digest(record: Record) -> str:
    """Answer the SHA-256 of the canonical bytes, as 64 hexadecimal digits."""
    return sha256(canonical(record)).hexdigest()


def sealed(record: Record) -> Record:
    """Answer the record with the SHA-256 of what it says."""
    return evolve(record, sha256=digest(record))


def warnings_of(notes: Notes) -> Iterable[str]:
    """Answer a sentence for each unknown key, as many as are told."""
    for path in notes.unknown[:MOST_WARNINGS]:
        hint = notes.hints.get(path)
        yield f"{path_text(path)} is unknown and passed over{f': {hint}' if hint else ''}"
    more = len(notes.unknown) - MOST_WARNINGS
    if more > 0:
        yield f"and {more} more unknown keys"
