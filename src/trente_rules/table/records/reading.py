"""A record from TOML: every fault of the file at once, each with its place."""

from __future__ import annotations

from os import PathLike
from typing import Any, Final

from attrs import evolve

from trente_rules.errors import ConfigurationError, Fault, RecordError
from trente_rules.house.document import Document, parse, read_document
from trente_rules.house.faults import Places, collect
from trente_rules.table.records.checks import problems_of
from trente_rules.table.records.tables import Notes, Path, path_text, read_table, warnings_of
from trente_rules.table.records.values import SCHEMA, Record

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
    document: Document, places: Places, path: Path, code: str, message: str, hint: str
) -> Fault:
    line, column = places.place(path) or (None, None)
    return Fault(document.origin, line, column, path_text(path), code, message, hint)


def record_error(error: ConfigurationError) -> RecordError:
    """Answer faults as the error of a record; its place is that of the first."""
    first = error.faults[0]
    place = ":".join(str(part) for part in (first.file, first.line, first.column) if part)
    return RecordError(error.message, error.code, "", place, error.faults)
