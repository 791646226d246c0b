"""Records as JSON, and their JSON Schema: the same tables and keys that TOML has."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time
from typing import Any, Final

from attrs import evolve

from trente_rules.core.converter import Problem, half_characters, path_text, structure_table
from trente_rules.core.errors import RecordError, shown
from trente_rules.records.record import (
    PRIVATE,
    SCHEMA,
    Record,
    RecordPart,
    kinds_of,
    problems_of,
    read_table,
    warnings_of,
    write_table,
)
from trente_rules.table.schemas import Property, Schema, Walk

_PROBLEMS_SHOWN: Final = 5


def record_to_json(record: Record) -> dict[str, Any]:
    """Return a record as an object; default values are left out, as they are in TOML.

    A time or a date in a field of the user is a string.
    """
    plain: dict[str, Any] = _plain(write_table(record))
    return plain


def record_from_json(value: Mapping[str, Any]) -> Record:
    """Build a record from an object; its ``warnings`` name the unknown keys, which are left out.

    Raises ``RecordError`` ("bad-record", "unknown-schema") that lists what is wrong.
    """
    try:
        table = structure_table(value)
    except Exception as error:
        raise RecordError(f"a record is an object, not {shown(value)}", "bad-record") from error
    schema = table.get("schema")
    if type(schema) is int and schema < 1:
        hint = f"schemas are 1 to {SCHEMA}, and those of newer releases"
        raise RecordError(f"a record of schema {schema}", "unknown-schema", hint, "schema")
    record, problems, unknown = read_table(table, Record)
    if record is not None:
        problems = tuple(problems_of(record))
    if not problems:  # what no typed key has read: the choices, and the fields of the user
        problems = tuple(
            Problem(path, "wrong-type", "it holds half a character, which no file can hold")
            for path in half_characters(table)
        )
    if problems or record is None:
        several = f"{len(problems)} faults: " if len(problems) > 1 else ""
        message = several + "; ".join(map(str, problems[:_PROBLEMS_SHOWN]))
        first = problems[0]
        raise RecordError(message, "bad-record", first.hint, path_text(first.path))
    newer = f"schema {record.schema} is newer than {SCHEMA}, which this version knows"
    notes = (newer,) if record.schema > SCHEMA else ()
    return evolve(record, warnings=(*notes, *warnings_of(unknown)))


def record_schema() -> Schema:
    """Return the JSON Schema (2020-12) of a record."""
    return _RecordWalk().document("records", Record, "The record of a taille of trente et quarante")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, date | time) else value


def _is_part(cls: type) -> bool:
    return issubclass(cls, RecordPart)


class _RecordWalk(Walk):
    """A walk over the classes of a record, whose default values are not written."""

    shortened = True

    def properties(self, cls: type) -> dict[str, Property]:
        """Return the keys of a table of a record, in the order they are written."""
        found = super().properties(cls)
        return {name: found[name] for name in kinds_of(cls)} if _is_part(cls) else found

    def closed(self, cls: type) -> Schema:
        """Return what says that the other keys are those of the user."""
        if _is_part(cls):
            return {"patternProperties": {f"^{PRIVATE}": {}}, "additionalProperties": False}
        return super().closed(cls)
