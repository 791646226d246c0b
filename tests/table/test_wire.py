"""The wire contract: schemas that describe what is written, and readers of newer releases."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

import attrs
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.properties.shipped import names, shipped
from tests.table.choosing import Chooser
from tests.table.driving import Driver
from tests.table.ledgers import check_rounds
from tests.table.test_codec import values
from tests.table.watched import Watched

from trente_rules import PhaseError, RecordError, RuleError, Table
from trente_rules.core.converter import NewerSchemaWarning
from trente_rules.table import (
    Audience,
    Choose,
    CloseSession,
    Correct,
    EntryView,
    OpenBets,
    OpenShoe,
    OtherCommand,
    OtherEvent,
    Round,
    Stamped,
    TableView,
    command_from_json,
    entry_from_json,
    entry_to_json,
    event_from_json,
    movement_from_json,
    movement_to_json,
    snapshot,
    stamped,
    view,
    view_of,
    wire_schema,
)
from trente_rules.table.codec import SCHEMA, STAMP, command_to_json, event_to_json
from trente_rules.table.commands import COMMANDS
from trente_rules.table.entries import Entry
from trente_rules.table.events import (
    EVENTS,
    CardBurned,
    CoupCorrected,
    CoupVoided,
    StakeCorrected,
)
from trente_rules.table.schemas import WIRE
from trente_rules.table.views import Viewer
from trente_rules.table.wire import rounds_of

CLOSED: Final = {"unevaluatedProperties": False}
ODD: Final[tuple[Any, ...]] = (1.5, -(2**200), "", "☂", [], [None], {}, {"a": 1}, None, True)
"""Values of other types: each is wrong in some field of every kind."""


@cache
def validator(of: str) -> Draft202012Validator:
    """Return the validator of a part of the contract."""
    return Draft202012Validator(wire_schema(of))


@cache
def one_kind(of: str, name: str) -> Draft202012Validator:
    """Return the validator of one class: that of all looks at every kind, and is slow."""
    return Draft202012Validator({**wire_schema(of), "$ref": f"#/$defs/{name}"} | CLOSED)


def check(of: str, value: Any) -> None:
    """Check a value, as JSON text carries it, against a part of the contract."""
    validator(of).validate(json.loads(json.dumps(value)))


@pytest.mark.parametrize("of", WIRE)
def test_a_schema_is_one_and_has_its_version(of: str) -> None:
    """T4b: draft 2020-12, an id of version 1, a description for every class."""
    schema = wire_schema(of)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:trente-rules:wire:1:{of}"
    classes = [each for each in schema["$defs"].values() if "properties" in each]
    assert all(each["description"].endswith((".", ":")) for each in classes)
    assert "2**53" in schema["$defs"]["Integer"]["description"]


def test_an_unknown_part_has_no_schema() -> None:
    """The error lists the parts."""
    with pytest.raises(RuleError, match="no schema of 'odds'"):
        wire_schema("odds")


@pytest.mark.slow
@pytest.mark.parametrize("live", [False, True])
@settings(max_examples=4, phases=(Phase.explicit, Phase.generate))
@given(data=st.binary(min_size=100, max_size=100), name=st.sampled_from(names()))
def test_what_a_table_does_is_valid(live: bool, data: bytes, name: str) -> None:  # noqa: FBT001
    """T4: random sessions: each entry is as described, and is read back; events stand alone."""
    chooser = Chooser(Watched(shipped(name)), live=live)
    chooser.play(data)
    table = chooser.table.table
    for entry in table.entries[-20:]:
        value = json.loads(json.dumps(entry_to_json(entry)))
        validator("entries").validate(value)
        assert entry_from_json(value) == entry
        assert [Stamped.of_json(each) for each in value["events"]] == list(stamped(entry))
        for viewer in ("ann", Audience.PUBLIC, Audience.DEALER):
            seen = json.loads(json.dumps(view(entry, for_=viewer).to_json()))
            one_kind("views", "EntryView").validate(seen)
            assert EntryView.of_json(seen) == view(entry, for_=viewer)
    now = view_of(table.state, for_="ann")
    assert TableView.of_json(json.loads(json.dumps(now.to_json()))) == now
    validator("snapshots").validate(json.loads(snapshot(table)))


def test_a_command_that_settles_a_coup_and_opens_the_next_is_of_two_rounds() -> None:
    """T4c: each event has its own round; what ends the session is of no coup; staff are named."""
    driver = Driver("france-2007")
    driver.shoe((31, 31), (33, 32))
    driver.bet(("ann", "rouge", 100))
    driver.deal()
    session = driver.table.state.setup.session
    opened = OpenBets(id="next", at="21:00", staff="dora", device="t3", meta={"shift": "late"})
    found = stamped(driver.table.execute(opened))
    coups = {each.event.kind: each.stamp.round.coup for each in found}
    assert (coups["stake-settled"], coups["coup-settled"], coups["bets-opened"]) == (1, 1, 2)
    first = found[0].to_json()
    assert (first["session"], first["at"], first["schema"]) == (session, "21:00", SCHEMA)
    cause = {"command": "next", "player": "", "staff": "dora", "device": "t3"}
    assert first["cause"] == {**cause, "meta": {"shift": "late"}}
    indexes = [each.stamp.index for each in found]
    assert indexes == list(range(indexes[0], driver.table.state.events))
    check("events", first)
    closed = driver.table.execute(CloseSession(id="end"))
    assert {each.stamp.round for each in stamped(closed)} == {Round(session, 1, 0)}
    moved = [movement.round for movement in closed.movements]
    assert moved == [Round(session, 1, 0)]  # the movement of a prisoner that is closed as well
    for movement in closed.movements:
        check("movements", movement_to_json(movement))
        assert movement_from_json(movement_to_json(movement)) == movement


def test_the_events_of_a_correction_are_of_the_coups_that_they_change() -> None:
    """T4c: those of the coup, of a later one, and of the one that is on; as the movements are."""
    driver = Driver("france-2007")
    driver.shoe((31, 31), (31, 31), (33, 32))
    driver.bet(("ann", "rouge", 100))
    driver.deal()
    driver.do(OpenBets)
    driver.deal()
    driver.do(OpenBets)
    before = driver.table.state.round
    first = Round("s", 1, 1)
    entry = driver.table.execute(Correct(id="fix", reason="video", void=True, target=first))
    check_rounds(entry, before)
    coups = {each.event.kind: each.stamp.round.coup for each in stamped(entry)}
    assert coups == {
        "coup-corrected": 1,
        "coup-voided": 1,
        "line-corrected": 2,
        "stake-corrected": 3,
    }


def test_a_correction_after_its_shoe_is_of_the_shoe_that_it_names() -> None:
    """T4c: releases before 0.4.0 named none, and corrected the last coup of the shoe at hand."""
    around, command = Round("s", 2, 3), Correct(id="fix", reason="video")
    for shoe, meant in ((0, Round("s", 2, 9)), (1, Round("s", 1, 9))):
        voided = CoupCorrected(9, "video", shoe), CoupVoided(9, "video", ())
        events = (*voided, StakeCorrected(None, None))
        entry = Entry(7, around, command, 40, events, ())
        assert list(rounds_of(entry)) == [meant, meant, around]


def test_an_entry_that_is_none_is_refused() -> None:
    """The error names what is wrong: no schema, no list, a number that is a text."""
    good = entry_to_json(Table(shipped("monte-carlo-1911")).execute(OpenShoe(id="1")))
    assert entry_from_json(good).command == OpenShoe(id="1")
    wrongs: tuple[dict[str, Any], ...] = (
        {"schema": None},
        {"events": {}},
        {"movements": None},
        {"sequence": "1"},
    )
    for wrong in wrongs:
        with pytest.raises(RecordError, match=next(iter(wrong))):
            entry_from_json({**good, **wrong})
        assert not validator("entries").is_valid({**good, **wrong})
    with pytest.raises(RecordError, match="an entry is an object"):
        entry_from_json([])  # type: ignore[arg-type]


@pytest.mark.parametrize("viewer", ["ann", "bob", Audience.PUBLIC, Audience.DEALER])
def test_views_are_as_described_and_are_read_back(viewer: Viewer) -> None:
    """T4b, T4d: of an entry and of the table now, with choices and offers; a newer one too."""
    driver = Driver("france-2007")
    driver.shoe((31, 31), (33, 32))
    driver.bet(("ann", "rouge", 100))
    driver.do(Choose, stake="ann-rouge", course="partage", player="ann")
    driver.deal()
    now = view_of(driver.table.state, for_=viewer)
    check("views", now.to_json())
    assert TableView.of_json(json.loads(json.dumps(now.to_json()))) == now
    views = [view(entry, for_=viewer) for entry in driver.table.entries]
    for seen in views:
        check("views", seen.to_json())
        assert EntryView.of_json(json.loads(json.dumps(seen.to_json()))) == seen
    seen = views[-1]
    value = seen.to_json()
    newer = {**value, "schema": SCHEMA + 1, "mood": 1}
    with pytest.warns(NewerSchemaWarning, match=r"view\.mood left out"):
        assert EntryView.of_json(newer) == seen
    for wrong in (
        7,
        {},
        {**value, "mood": 1},
        {**value, "events": [1]},
        {**value, "sequence": "1"},
    ):
        assert not validator("views").is_valid(wrong)
        with pytest.raises(RecordError, match="view"):
            EntryView.of_json(wrong)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*COMMANDS, *EVENTS], ids=lambda kind: kind.kind)
@settings(max_examples=2, phases=(Phase.explicit, Phase.generate))
@given(data=st.data())
def test_a_wrong_value_is_not_valid_where_it_is_not_read(
    kind: type[Any], data: st.DataObject
) -> None:
    """T4b: schema and codec agree: what one refuses by its type, a key too many, one too few."""
    of, write, read = (
        ("commands", command_to_json, command_from_json)
        if kind in COMMANDS
        else ("events", event_to_json, event_from_json)
    )
    value = json.loads(json.dumps(write(data.draw(values(kind)))))
    valid = one_kind(of, kind.__name__).is_valid
    assert valid(value)
    assert not valid({**value, "unheard-of": 1})
    for key in value:
        needed = attrs.fields_dict(kind).get(key)
        if needed is None or needed.default is attrs.NOTHING:
            assert not valid({name: each for name, each in value.items() if name != key})
        for odd in ODD:
            changed = {**value, key: odd}
            try:
                read(changed)
            except RecordError:
                # A number out of range, a verdict of no coup: what a schema cannot say is refused.
                continue
            assert valid(changed) or odd == {}, (key, odd)


def test_an_event_of_a_newer_release_is_read_as_it_is() -> None:
    """T4, T2: a kind that only a newer schema has is an ``OtherEvent``; it is written as it was."""
    value = {"kind": "rain", "drops": [1, {"size": "2"}]}
    with pytest.warns(NewerSchemaWarning, match="'rain'"):
        event = event_from_json(value, SCHEMA + 1)
    assert event == OtherEvent("rain", {"drops": [1, {"size": "2"}]})
    assert event_to_json(event) == value
    with pytest.raises(RecordError, match="'rain' is not a kind"):
        event_from_json(value)  # of this schema it is a fault


def test_a_field_of_a_newer_release_is_left_out() -> None:
    """T4: the fields of this release are read, with a note of the others; here they are faults."""
    value = {"kind": "card-burned", "card": "10♥", "place": 3, "why": "dropped"}
    with pytest.warns(NewerSchemaWarning, match=r"event\.why left out"):
        event = event_from_json(value, SCHEMA + 1)
    assert isinstance(event, CardBurned)
    with pytest.raises(RecordError, match="unknown key 'why'"):
        event_from_json(value)


def test_a_command_of_a_newer_release_is_refused() -> None:
    """T4: a table cannot do what it does not know; the error names the schemas it knows."""
    with pytest.raises(RecordError, match=rf"schema {SCHEMA + 1}.*1 to {SCHEMA}") as caught:
        command_from_json({"kind": "rain", "id": "1", "schema": SCHEMA + 1})
    assert caught.value.code == "unknown-kind"


def test_the_entries_of_a_newer_release_can_be_followed() -> None:
    """T4: unknown commands and events are read as they are, known ones as ever; none is done."""
    driver = Driver("france-2007")
    good = entry_to_json(driver.table.execute(OpenShoe(id="1")))
    rain = {"kind": "rain", "id": "9", "staff": "dora", "player": "ann", "drops": [1]}
    events = [*good["events"], {**good["events"][0], "schema": SCHEMA + 1, "kind": "wet"}]
    with pytest.warns(NewerSchemaWarning) as noted:
        entry = entry_from_json(
            {**good, "schema": SCHEMA + 1, "command": rain, "events": events, "mood": 1}
        )
    assert {str(each.message).rsplit("release: ", 1)[1] for each in noted} == {
        "a command of kind 'rain' is not known",
        "entry.mood left out",
        "an event of kind 'wet' is not known",
    }
    command = OtherCommand("9", "rain", {"player": "ann", "drops": [1]}, staff="dora")
    assert (entry.command, entry.key) == (command, ("ann", "9"))
    assert isinstance(entry.events[-1], OtherEvent)
    again = entry_to_json(entry)
    assert again["command"] == rain
    assert again["events"][-1]["kind"] == "wet"
    with pytest.raises(PhaseError, match="not a command of a table"):
        driver.table.do(command)


def test_no_field_of_an_event_is_a_key_of_its_stamp() -> None:
    """T4c: both are in one object."""
    for kind in EVENTS:
        assert not STAMP & set(attrs.fields_dict(kind)), kind
