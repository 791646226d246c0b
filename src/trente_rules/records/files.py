"""A record from TOML: every fault of the file at once, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, Final

from attrs import evolve

from trente_rules.core.converter import Problem, path_text
from trente_rules.core.errors import ConfigurationError, Fault, RecordError, shown
from trente_rules.core.files import new_file
from trente_rules.core.toml import (
    Document,
    Places,
    collect,
    inline,
    inline_key,
    parse,
    read_document,
)
from trente_rules.records.record import (
    SCHEMA,
    Record,
    class_of,
    kinds_of,
    problems_of,
    read_table,
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
    schema = table.get("schema")
    if type(schema) is int and schema < 1:  # what else is wrong with it cannot be told
        raise _record_error(document, [_unknown_schema(schema)])
    record, problems, unknown = read_table(table, Record)
    if record is not None:
        problems = tuple(problems_of(record))
    if problems or record is None:
        raise _record_error(document, problems)
    newer = (
        [f"schema {record.schema} is newer than {SCHEMA}, which this version knows"]
        if record.schema > SCHEMA
        else []
    )
    return evolve(record, warnings=(*newer, *warnings_of(unknown)))


def _record_error(document: Document, problems: Iterable[Problem]) -> RecordError:
    places = Places(document)
    return record_error(collect(_fault(document, places, problem) for problem in problems))


def _unknown_schema(schema: int) -> Problem:
    hint = f"schemas are 1 to {SCHEMA}, and those of newer releases"
    return Problem(("schema",), "unknown-schema", f"a record of schema {shown(schema)}", hint)


def _fault(document: Document, places: Places, problem: Problem) -> Fault:
    line, column = places.place(problem.path) or (None, None)
    key = path_text(problem.path)
    return Fault(document.origin, line, column, key, problem.code, problem.message, problem.hint)


def record_error(error: ConfigurationError) -> RecordError:
    """Return faults as the error of a record; its place is that of the first."""
    first = error.faults[0]
    place = ":".join(str(part) for part in (first.file, first.line, first.column) if part)
    return RecordError(error.message, error.code, "", place, error.faults)


# --- A record as TOML text: always the same bytes for the same record

_AS_IT_STANDS: Final = re.compile(r"(?:[^\x00-\x1f\x7f]|[\t\n])*\n")
_TABLES: Final = (
    *(name for name, kind in kinds_of(Record).items() if class_of(kind)),
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
            yield f"{inline_key(key)} = {inline(value)}"


def _long(text: str) -> str:
    """Return a text of many lines as it stands, where TOML can hold it so."""
    if "\n" in text and "'''" not in text and _AS_IT_STANDS.fullmatch(text):
        return f"'''\n{text}'''"
    return inline(text)
