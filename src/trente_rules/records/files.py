"""A record from TOML: every fault of the file at once, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any, Final

import tomli_w
from attrs import evolve

from trente_rules.core.errors import ConfigurationError, Fault, RecordError
from trente_rules.core.files import new_file
from trente_rules.core.toml import Document, Places, collect, parse, read_document
from trente_rules.records.record import (
    SCHEMA,
    Many,
    Notes,
    One,
    Record,
    RecordPath,
    path_text,
    problems_of,
    read_table,
    slots,
    warnings_of,
    write_table,
)

LARGEST: Final = 4_000_000
"""The bytes a record may have: a taille of some 15,000 stakes."""
MOST_PARTS: Final = 400_000
"""How many tables, keys and members of lists a record may have, about."""


def load_record(path: str | PathLike[str]) -> Record:
    """Read a record from a file.

    Raises ``RecordError`` whose message tells every fault with line and column; see
    ``loads_record``, and "file-missing", "file-unreadable", "file-too-large", "not-utf-8".
    """
    try:
        document = read_document(path, largest=LARGEST)
    except ConfigurationError as error:
        raise record_error(error) from None
    return read(document)


def loads_record(text: str, *, origin: str = "<text>") -> Record:
    """Read a record from TOML text; ``origin`` is what faults call it.

    Raises ``RecordError``: "not-toml", "too-deep", "too-many-values", "number-too-long",
    "unknown-schema", "missing-key", "wrong-type", "out-of-range", "bad-places", "no-card",
    "bad-provenance", "bad-stake", "double-stake", "bad-record", and the codes of rows and shoes
    that no packs can give; "faults" where there are several.
    """
    return read(Document(origin, text))


def read(document: Document) -> Record:
    """Read a record from a document; see ``loads_record``."""
    try:
        table = parse(document, largest=LARGEST, most_parts=MOST_PARTS)
    except ConfigurationError as error:
        raise record_error(error) from None
    _check_schema(table, document)
    notes = Notes()
    record = read_table(Record, table, (), notes)
    if record is not None:
        notes.problems.extend(problems_of(record))
    if record is None or notes.problems:
        places = Places(document)
        raise record_error(
            collect(
                _fault(document, places, problem.path, problem.code, problem.message, problem.hint)
                for problem in notes.problems
            )
        )
    return evolve(record, warnings=tuple(warnings_of(notes)))


def _check_schema(table: dict[str, Any], document: Document) -> None:
    """Refuse a later form first: what else is wrong with it cannot be told."""
    schema = table.get("schema")
    if type(schema) is int and schema != SCHEMA:
        hint = f"this version reads schema {SCHEMA}"
        message = f"a record of schema {schema!r} is not known"
        places = Places(document)
        fault = _fault(document, places, ("schema",), "unknown-schema", message, hint)
        raise record_error(ConfigurationError.of(fault))


def _fault(
    document: Document, places: Places, path: RecordPath, code: str, message: str, hint: str
) -> Fault:
    line, column = places.place(path) or (None, None)
    return Fault(document.origin, line, column, path_text(path), code, message, hint)


def record_error(error: ConfigurationError) -> RecordError:
    """Return faults as the error of a record; its place is that of the first."""
    first = error.faults[0]
    place = ":".join(str(part) for part in (first.file, first.line, first.column) if part)
    return RecordError(error.message, error.code, "", place, error.faults)


# --- A record as TOML text: always the same bytes for the same record

_AS_IT_STANDS: Final = re.compile(r"(?:[^\x00-\x1f\x7f]|[\t\n])*\n")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_TABLES: Final = (
    *(name for name, (_, kind) in slots(Record).items() if isinstance(kind, One | Many)),
    "provenance",
)


def dumps_record(record: Record) -> str:
    """Write a record as TOML; it reads back equal, and is written again bit for bit the same."""
    return "\n".join(_lines(record)) + "\n"


def write_record(record: Record, path: str | PathLike[str]) -> None:
    """Write a record to a new file; ``RecordError`` ("file-exists", "file-unwritable")."""
    write_text(dumps_record(record), path)


def write_text(text: str, path: str | PathLike[str]) -> None:
    """Write a text to a new file; ``RecordError`` ("file-exists", "file-unwritable")."""
    with new_file(path, RecordError) as opened:
        opened.write(text.encode())


def _lines(record: Record) -> Iterator[str]:
    table = write_table(record)
    tables = {name: table.pop(name) for name in _TABLES if name in table}
    yield from _pairs(table)
    for name, value in tables.items():
        for each in value if isinstance(value, list) else (value,):
            yield ""
            yield f"[[{name}]]" if isinstance(value, list) else f"[{name}]"
            yield from _body(name, each)


def _body(name: str, table: dict[str, Any]) -> Iterator[str]:
    """Write the keys of a table: those of one line first, settlements taken back at the end."""
    lists = {key: table[key] for key in ("stakes", "taken_back") if key in table}
    yield from _pairs({key: value for key, value in table.items() if key not in lists})
    for stakes in (lists.get("stakes", ()),):
        if stakes:
            yield "stakes = ["
            yield from (f"    {inline(stake)}," for stake in stakes)
            yield "]"
    for each in lists.get("taken_back", ()):
        yield ""
        yield f"[[{name}.taken_back]]"
        yield from _body(f"{name}.taken_back", each)


def _pairs(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if key == "order":
            yield "order = ["
            yield from (f"    {inline(line)}," for line in value)
            yield "]"
        elif key == "toml":
            yield f"toml = {_long(value)}"
        else:
            yield f"{_key(key)} = {inline(value)}"


def _long(text: str) -> str:
    """Return a text of many lines as it stands, where TOML can hold it so."""
    if "\n" in text and "'''" not in text and _AS_IT_STANDS.fullmatch(text):
        return f"'''\n{text}'''"
    return inline(text)


def inline(value: Any) -> str:
    """Return a TOML value on one line."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {inline(each)}" for key, each in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(inline, value))}]"
    if type(value) is int:
        return str(value)
    if type(value) is str and _BARE.fullmatch(value):
        return f'"{value}"'
    return tomli_w.dumps({"k": value}).removeprefix("k = ").rstrip("\n")


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else tomli_w.dumps({key: 0}).removesuffix(" = 0\n")
