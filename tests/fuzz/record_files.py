"""Target: records in TOML. What is accepted is written, verified and replayed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache

from attrs import evolve
from tests.fuzz.house_files import schema_words
from tests.fuzz.mutation import toml_mutation
from tests.fuzz.target import ROOT, Target, check, folder, refused
from tests.properties.shipped import names
from tests.records.recorded import random_records, rich_session

from trente_rules import TrenteError
from trente_rules.records import (
    Record,
    dumps_record,
    load_record,
    loads_record,
    record_from_json,
    record_schema,
    record_to_json,
    replay,
    verify_record,
)
from trente_rules.records.record import RulesOf
from trente_rules.records.tailles import card_of_record


def toml(data: bytes) -> str:
    """Read a record from a file."""
    file = folder() / "record.toml"
    file.write_bytes(data)
    try:
        record = load_record(file)
    except TrenteError as error:
        return refused(error)
    return accepted(record)


def accepted(record: Record) -> str:
    """Use a record that was accepted; return how far it came."""
    text = dumps_record(record)
    again = loads_record(text)
    check(again == record, "it is read back as another record")
    check(dumps_record(again) == text, "it is written in another way the second time")
    value = json.loads(json.dumps(record_to_json(record)))
    check(record_to_json(record_from_json(value)) == value, "its JSON is read back as another one")
    card_of_record(record)
    checks = verify_record(record)
    check(checks, "nothing of it is verified")
    try:
        done = replay(record, folder=folder())
    except TrenteError as error:
        return f"accepted, not replayed: {refused(error)}"
    [str(each) for each in done.differences]
    return f"accepted, {'equal' if done.equal else 'other'}"


@cache
def records() -> tuple[Record, ...]:
    """Return records of sessions: one with all that there is, and random ones."""
    found = [*rich_session()[1].recorder.records]
    for place, name in enumerate(names()[::5]):
        choices = bytes((place * 37 + each * 101) % 256 for each in range(90))
        found += random_records(name, choices, live=bool(place % 2))[:1]
    return tuple(found)


def toml_seeds() -> Iterator[bytes]:
    """Yield records of sessions, as files; the rules of some are left out."""
    for record in records():
        yield dumps_record(short(record)).encode()
    yield dumps_record(records()[0]).encode()
    for path in sorted((ROOT / "tests/golden").glob("0.*/campione/record-1.toml")):
        yield path.read_bytes()


def short(record: Record) -> Record:
    """Return a record without its rules, which are a house file: another target's."""
    return evolve(record, rules=RulesOf())


def words() -> Iterable[str]:
    """Return all keys of records, and the words that their values may be."""
    return schema_words(record_schema())


TARGET = Target("record-files", toml, toml_seeds, words, toml_mutation, 16_000)
