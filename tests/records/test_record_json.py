"""Records as JSON, and the tailles of a file, by what a host calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.records.recorded import rich_session

from trente_rules import RecordError
from trente_rules.records import dumps_record, loads_record
from trente_rules.records.permanence import Permanence
from trente_rules.records.record import MOST_WARNINGS, SCHEMA
from trente_rules.records.record_json import record_from_json, record_to_json
from trente_rules.records.scorecard import cards_text
from trente_rules.records.tailles import Tailles, card_of_record, load_tailles, open_journal


def plain() -> dict[str, Any]:
    """Return a record of a session with corrections, as JSON has it."""
    value: dict[str, Any] = json.loads(
        json.dumps(record_to_json(rich_session()[1].recorder.records[0]))
    )
    return value


def test_a_record_is_the_same_after_json() -> None:
    """Written and read again, nothing is lost and nothing is warned of."""
    record = rich_session()[1].recorder.records[0]
    again = record_from_json(plain())
    assert again == record
    assert not again.warnings


def test_half_a_character_is_refused_wherever_it_is() -> None:
    """No TOML can hold it, so that the record could be written and never be read again."""
    half, value = "pr\ud800ison", plain()
    stake = next(s for coup in value["coups"] for s in coup.get("stakes", ()))
    for place, changed in (
        (stake, {"choices": {"refait": half}}),
        (value, {"_note": {"of": [{"the": half}]}}),
        (value, {"_note": {half: 1}}),
        (stake, {"player": half}),
    ):
        before = dict(place)
        place.update(changed)
        with pytest.raises(RecordError, match="half a character") as caught:
            record_from_json(value)
        assert caught.value.code == "bad-record"
        assert next(iter(changed)) in caught.value.place
        str(caught.value).encode()
        place.clear()
        place.update(before)
    assert record_from_json(plain()).coups


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"schema": 0}, "unknown-schema", "schema"),
        ({"schema": "1"}, "bad-record", "schema"),
        ({"coups": 1}, "bad-record", "coups"),
        ({"shoe": {"number": -1}}, "bad-record", "shoe.number"),
    ],
)
def test_a_record_that_is_not_valid_names_its_first_fault(
    change: dict[str, Any], code: str, field: str
) -> None:
    """The code and the path are those of a file."""
    with pytest.raises(RecordError) as caught:
        record_from_json(plain() | change)
    assert caught.value.code == code
    assert caught.value.place.startswith(field)


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_only_an_object_is_a_record(value: Any) -> None:
    """What is shown is the value, not a type of Python."""
    with pytest.raises(RecordError) as caught:
        record_from_json(value)
    assert caught.value.code == "bad-record"


def test_a_newer_record_is_read_with_a_warning_for_each_unknown_key() -> None:
    """Those beyond a bound are counted."""
    more = {f"new_{number}": 1 for number in range(MOST_WARNINGS + 2)}
    record = record_from_json(plain() | {"schema": SCHEMA + 1} | more)
    assert (
        record.warnings[0]
        == f"schema {SCHEMA + 1} is newer than {SCHEMA}, which this version knows"
    )
    assert record.warnings[-1] == "and 2 more unknown keys"
    assert len(record.warnings) == MOST_WARNINGS + 2


def test_the_tailles_of_a_file(tmp_path: Path) -> None:
    """Of a record its own, of a permanence none that has cards."""
    record = rich_session()[1].recorder.records[0]
    file = tmp_path / "a.toml"
    file.write_text(dumps_record(record), encoding="utf-8")
    found = load_tailles(file)
    assert found.folder == tmp_path
    assert found.dealt() == (loads_record(dumps_record(record)),)
    noted = Tailles("b.txt", (), Permanence(()))
    with pytest.raises(RecordError, match=r"'b\.txt' is a permanence") as caught:
        noted.dealt()
    assert caught.value.code == "no-cards"
    with pytest.raises(RecordError):
        load_tailles(tmp_path / "none.txt")


def test_the_card_of_a_record_has_its_coups() -> None:
    """Its title names the house and the taille; coups that are void are left out."""
    record = rich_session()[1].recorder.records[0]
    card = card_of_record(record)
    assert card.title == f"{record.house.name}, taille {record.shoe.number}"
    played = [coup for coup in record.coups if not coup.void]
    assert len(card.lines) == len(played)
    assert record.house.name in "".join(cards_text([card]))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("postgresql://me:secret@host/db#j", "the name of a journal holds a password"),
        ("postgresql://host/db?password=secret#j", "the name of a journal holds a password"),
        ("postgresql://host/db", "names no journal"),
        ("postgresql://host/db#schema/", "names no journal"),
    ],
)
def test_the_name_of_a_journal_of_a_server_is_checked_first(name: str, words: str) -> None:
    """S8: no password is printed, and nothing is asked of a server."""
    with pytest.raises(RecordError, match=words) as caught, open_journal(name):
        pass
    assert caught.value.code == "bad-location"
    assert "secret" not in str(caught.value)
