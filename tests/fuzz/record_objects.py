"""Target: records in JSON. What is accepted is used as a record in TOML is."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.fuzz.mutation import json_mutation
from tests.fuzz.record_files import accepted, records, short, words
from tests.fuzz.target import Target, refused

from trente_rules import TrenteError
from trente_rules.records import record_from_json, record_to_json


def one(data: bytes) -> str:
    """Read a record from JSON."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return "refused, not JSON"
    try:
        record = record_from_json(value)
    except TrenteError as error:
        return refused(error)
    return accepted(record)


def seeds() -> Iterator[bytes]:
    """Yield the same records as JSON."""
    for record in records():
        yield json.dumps(record_to_json(short(record)), ensure_ascii=False).encode()


TARGET = Target("record-objects", one, seeds, words, json_mutation, 16_000)
