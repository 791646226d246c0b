"""Files of records: TOML that is read with every fault at once, and always written the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any, Final

from attrs import evolve

from trente_rules.core.converter import Problem, path_text
from trente_rules.core.errors import ConfigurationError, Fault, RecordError, shown
from trente_rules.core.files import new_file
from trente_rules.core.text import hides
from trente_rules.core.toml import (
    Document,
    Places,
    faults_error,
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
"""The most bytes of a record: a taille of some 15,000 stakes."""
MOST_PARTS: Final = 400_000
"""The most tables, keys and members of lists of a record, about."""


def load_record(path: str | PathLike[str]) -> Record:
    """Read a record from a file.

    Raises ``RecordError`` that lists every fault with line and column: those of ``loads_record``,
    "file-missing", "file-unreadable", "file-too-large", "not-utf-8".
    """
    return _read(read_file(path))


def read_file(path: str | PathLike[str]) -> Document:
    """Return the text of a file of at most ``LARGEST`` bytes; ``RecordError``."""
    try:
        return read_document(path, largest=LARGEST)
    except ConfigurationError as error:
        raise record_error(error) from None


def loads_record(text: str, *, origin: str = "<text>") -> Record:
    """Read a record from TOML text; ``origin`` is its name in faults.

    Raises ``RecordError``: "not-toml", "too-deep", "too-many-values", "number-too-long",
    "unknown-schema", "missing-key", "wrong-type", "out-of-range", "bad-places", "no-card",
    "bad-provenance", "bad-stake", "double-stake", "unknown-verdict", "bad-record", and the
    codes of invalid rows and shoes; "faults" if there are several.
    """
    return _read(Document(origin, text))


def _read(document: Document) -> Record:
    try:
        table = parse(document, largest=LARGEST, most_parts=MOST_PARTS)
    except ConfigurationError as error:
        raise record_error(error) from None
    schema = table.get("schema")
    if type(schema) is int and schema < 1:  # nothing else can be said of its keys
        hint = f"schemas are 1 to {SCHEMA}, and those of newer releases"
        message = f"a record of schema {shown(schema)}"
        raise _record_error(document, [Problem(("schema",), "unknown-schema", message, hint)])
    record, problems, unknown = read_table(table, Record)
    if record is not None:
        problems = tuple(problems_of(record))
    if problems or record is None:
        raise _record_error(document, problems)
    newer = f"schema {record.schema} is newer than {SCHEMA}, which this version knows"
    notes = (newer,) if record.schema > SCHEMA else ()
    return evolve(record, warnings=(*notes, *warnings_of(unknown)))


def _record_error(document: Document, problems: Iterable[Problem]) -> RecordError:
    places, faults = Places(document), []
    for problem in problems:
        line, column = places.place(problem.path) or (None, None)
        where = document.origin, line, column, path_text(problem.path)
        faults.append(Fault(*where, problem.code, problem.message, problem.hint))
    return record_error(faults_error(faults))


def record_error(error: ConfigurationError) -> RecordError:
    """Return faults as the error of a record; its place is that of the first."""
    first = error.faults[0]
    place = ":".join(str(part) for part in (first.file, first.line, first.column) if part)
    return RecordError(error.message, error.code, "", place, error.faults)


_TABLES: Final = (
    *(name for name, kind in kinds_of(Record).items() if class_of(kind)),
    "provenance",
)


def dumps_record(record: Record) -> str:
    """Return a record as TOML, which reads back equal and is written again as the same bytes."""
    return "\n".join(_lines(record)) + "\n"


def write_record(record: Record, path: str | PathLike[str]) -> None:
    """Write a record to a new file; ``RecordError`` ("file-exists", "file-unwritable")."""
    text = dumps_record(record)
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
    """Write the keys of a table: stakes after those of one line, then corrected settlements."""
    corrected = table.pop("taken_back", ())
    if "stakes" in table:
        table["stakes"] = table.pop("stakes")
    yield from _pairs(table)
    for settlement in corrected:
        yield ""
        yield f"[[{name}.taken_back]]"
        yield from _body(f"{name}.taken_back", settlement)


def _pairs(table: dict[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if key in ("order", "stakes"):  # a line for each member
            yield f"{key} = ["
            yield from (f"    {inline(member)}," for member in value)
            yield "]"
        elif key == "toml":
            yield f"toml = {_long(value)}"
        else:
            yield f"{inline_key(key)} = {inline(value)}"


def _long(text: str) -> str:
    """Return a text of many lines as a literal string, if TOML can hold it so."""
    if text.endswith("\n") and "'''" not in text and not hides(text.replace("\t", " ")):
        return f"'''\n{text}'''"
    return inline(text)
