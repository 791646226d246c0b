"""Records: written from events, read again, the same text each time."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import attrs
import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.shipped import names
from tests.records.recorded import Kept, random_records, rich_session
from tests.table.driving import Driver
from tests.table.laws import house_like

from trente_rules import Opening, RecordError
from trente_rules.core.stakes import ChanceBounds
from trente_rules.fair import Commitment, FairShoe, Provenance
from trente_rules.records import (
    Record,
    Recorder,
    dumps_record,
    load_record,
    loads_record,
    record_of,
    replay,
    write_record,
)
from trente_rules.records.record import class_of, digest, kinds_of, sealed, write_table
from trente_rules.table import (
    CloseBets,
    Correct,
    EndShoe,
    OpenBets,
    OpenShoe,
    Phase,
    Settle,
    ShowMarker,
    Turn,
)
from trente_rules.testing import coup_with

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "taille.toml"


@given(name=st.sampled_from(names()), data=st.binary(max_size=400), live=st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_record_reads_back_equal_and_is_the_same_text(
    name: str, data: bytes, *, live: bool
) -> None:
    """In every house: read(write(record)) is the record, and is written bit for bit the same."""
    for record in random_records(name, data, live=live):
        text = dumps_record(record)
        again = loads_record(text)
        assert again == record
        assert not again.warnings
        assert dumps_record(again) == text
        assert again.sha256 == digest(again)


def test_what_a_record_holds_of_a_coup() -> None:
    """Cards with places, points, verdicts, stakes as they lay, the order of the settlement."""
    _driver, kept = rich_session()
    first, second = kept.recorder.records
    coup = first.coups[0]
    assert coup.places == tuple(range(1, 9))
    assert coup.points == (40, 31)
    assert dict(coup.verdicts)["rouge"] == "win"
    assert (coup.opened, coup.settled) == ("21:00", "21:05")
    assert [(stake.id, stake.order) for stake in coup.stakes] == [("a1", 2), ("b1", 1)]
    insured = coup.stakes[1]
    assert (insured.insured, insured.premium, insured.forfeited) == (True, 1, 30)
    assert first.table.players == ("ann", "bob")
    assert first.end.why == "called"
    exposed = second.coups[0]
    assert exposed.exposed_places == (1,)
    assert exposed.places[0] == 2
    assert (second.end.session_closed, second.end.session_at) == (True, "22:00")
    assert [(stake.id, stake.returned) for stake in second.end.stakes if stake.state == "free"] == [
        ("dora-noir", 40)
    ]


def test_a_correction_keeps_what_was_taken_back() -> None:
    """The settlement taken back stands with its reason; the coup tells what holds."""
    coup = rich_session()[1].recorder.records[0].coups[1]
    (earlier,) = coup.taken_back
    assert (earlier.reason, earlier.at) == ("she wanted prison", "21:10")
    assert [stake.course for stake in earlier.stakes] == ["partage", "prison"]
    assert [stake.course for stake in coup.stakes] == ["prison", "prison"]
    assert (earlier.players_net, coup.players_net) == (-26, 0)


def test_a_prisoner_closed_with_the_shoe_twice_is_none_of_the_shoe_before() -> None:
    """The last coup is corrected, the shoe ends again: who is closed came in with no other shoe."""
    shoe = (
        '[shoe]\nends = "last-card"\nprisoners_at_end = "close"\n'
        'marker = { from_end = 20, on_marker = "finish" }'
    )
    driver = Driver(house_like("italy-prison", shoe))
    kept = Kept(driver)
    driver.live()
    driver.bet(("ann", "rouge", 10))
    driver.do(CloseBets)
    first, *others = coup_with(31, 31).cards
    driver.do(Turn, card=first)
    driver.do(ShowMarker)
    for card in others:
        driver.do(Turn, card=card)
    driver.do(Settle)
    assert driver.table.state.phase is Phase.NO_SHOE
    driver.do(Correct, reason="said again")
    record = kept.recorder.record()
    assert record.prisoners == ()
    assert [stake.verdict for stake in record.end.stakes] == ["close"]
    assert replay(record).differences == ()


def test_a_void_coup_tells_why_and_leaves_prisoners() -> None:
    """A void has its reason; prisoners go on as they were."""
    coup = rich_session()[1].recorder.records[0].coups[2]
    assert coup.void == "a row was read twice"
    assert {stake.course for stake in coup.stakes} == {"void"}
    assert [stake.after for stake in coup.stakes] == ["prison", "prison"]


def test_prisoners_come_in_from_the_shoe_before() -> None:
    """Whether the whole session is told, or the last shoe alone: the same prisoners come in."""
    driver, kept = rich_session()
    whole = kept.recorder.record(2)
    assert [(each.id, str(each.share)) for each in whole.prisoners] == [
        ("ann-rouge", "1/2"),
        ("bob-couleur", "1/2"),
    ]
    assert record_of(driver.table) == whole
    stakes = [each.stake() for each in whole.prisoners]
    ids = {entry.command.id for entry in driver.table.taille}
    steps = [step for step in kept.steps if step[0].id in ids]
    told = record_of(steps, driver.house, opening=whole.opening, prisoners=stakes)
    assert told == whole


def test_a_state_tells_the_prisoners() -> None:
    """A state that comes with a command is believed before what the events let guess."""
    driver, kept = rich_session()
    recorder = Recorder(driver.house)
    state = attrs.evolve(driver.table.state, stakes=())
    opened = next(step for step in kept.steps if step[0].kind == "open-shoe")
    recorder.append(*opened, state)
    assert recorder.record().prisoners == ()


def test_an_unfinished_taille_shows_no_order() -> None:
    """The cards to come are in no record before the taille is over; then all are."""
    driver = Driver("monte-carlo-1911")
    driver.shoe((40, 31), (31, 40))
    driver.bet(("ann", "rouge", 100))
    driver.deal()
    driver.do(Settle)
    driver.do(OpenBets)
    going_on = record_of(driver.table)
    assert not going_on.shoe.order
    assert len(going_on.coups) == 1
    assert replay(going_on).equal
    driver.deal()
    driver.do(Settle)
    driver.do(EndShoe)
    assert len(record_of(driver.table).shoe.order) == 312


def test_the_provenance_of_a_fair_shoe_is_a_table() -> None:
    """The source that a fair shoe tells becomes [provenance]; other words stay words."""
    old = FairShoe(Commitment.of(bytes(32), 4), bytes(32)).shuffle(["ann"])
    for source, told in (
        (json.dumps(old.provenance().to_json()), old.provenance()),
        ("by hand", None),
        ('{"source": "fair", "surprise": 1}', None),
        ('{"source":"system"}', Provenance("system")),
        ("{", None),
    ):
        driver = Driver("france-2007")
        driver.do(OpenShoe, cards=old.cards, source=source)
        record = record_of(driver.table)
        assert record.provenance == told
        assert record.shoe.source == ("" if told else source)
        assert loads_record(dumps_record(record)) == record
    driver = Driver("france-2007")
    fair = FairShoe.seal(4, driver.house).shuffle(["ann"])
    driver.table.do(fair.open_shoe("1"))
    record = record_of(driver.table)
    assert record.provenance == fair.provenance()
    assert loads_record(dumps_record(record)) == record


USER: dict[str, Any] = {
    "_note": 'three "words" and\na line',
    "_table": {"a b": [1, 2.5, True], "deep": {"x": [{"y": "z"}]}},
}


def test_fields_of_the_user_are_kept() -> None:
    """At the top, in each table, in a coup, in a stake; and no seal depends on them."""
    table = write_table(rich_session()[1].recorder.records[0])
    places = [table, table["house"], table["table"], table["shoe"], table["end"], table["rules"]]
    coup = table["coups"][1]
    for place in (*places, coup, coup["stakes"][0], coup["taken_back"][0]):
        place.update(USER)
    record = loads_record(tomli_w.dumps(table))
    assert record.user == record.coups[1].stakes[0].user == USER
    assert record.coups[1].taken_back[0].user == record.shoe.user == USER
    assert not record.warnings
    text = dumps_record(record)
    assert loads_record(text) == record
    assert dumps_record(loads_record(text)) == text
    assert record.sha256 == digest(record)
    again = replay(record)
    assert again.equal
    assert again.computed is not None
    assert dumps_record(again.computed) == text


def test_unknown_fields_are_passed_over_with_a_warning() -> None:
    """They are no error; each is named, with the nearest known name."""
    table = write_table(rich_session()[1].recorder.records[0])
    table["coups"][0]["stakes"][0]["retuned"] = 5
    table["colour"] = "blue"
    record = loads_record(tomli_w.dumps(table))
    assert record.warnings == (
        "colour is unknown and passed over",
        "coups[1].stakes[1].retuned is unknown and passed over: did you mean 'returned'?",
    )
    assert "retuned" not in dumps_record(record)


def test_the_seal_is_the_sum_of_canonical_json() -> None:
    """Who knows the page can work the seal out: sorted keys, no white space, UTF-8."""
    table = tomllib.loads(EXAMPLE.read_text("utf-8"))
    recorded = table.pop("sha256")
    told = {key: value for key, value in table.items() if not key.startswith("_")}
    text = json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == recorded


def test_the_example_is_as_it_would_be_written() -> None:
    """examples/taille.toml is read, replayed equal, and is the text that is written."""
    record = load_record(EXAMPLE)
    found = replay(record)
    assert found.equal
    assert found.computed is not None
    assert dumps_record(found.computed) == EXAMPLE.read_text("utf-8")


def test_a_record_is_written_to_a_new_file_only(tmp_path: Path) -> None:
    """What is there is never written over; what cannot be written is a sentence."""
    record = load_record(EXAMPLE)
    write_record(record, tmp_path / "r.toml")
    assert (tmp_path / "r.toml").read_bytes() == EXAMPLE.read_bytes()
    for path, code in (
        (tmp_path / "r.toml", "file-exists"),
        (tmp_path / "no/r", "file-unwritable"),
    ):
        with pytest.raises(RecordError) as caught:
            write_record(record, path)
        assert caught.value.code == code


def test_records_that_are_not_there() -> None:
    """No shoe, another shoe, no house: errors that say so."""
    _driver, kept = rich_session()
    with pytest.raises(RecordError, match=r"no shoe 7 .*shoes: 1, 2") as caught:
        kept.recorder.record(7)
    assert caught.value.code == "no-such-shoe"
    with pytest.raises(RecordError, match="no shoe is in") as caught:
        Recorder(kept.recorder.house).record()
    assert caught.value.code == "no-such-shoe"
    with pytest.raises(RecordError) as caught:
        record_of(kept.steps)
    assert caught.value.code == "house-needed"


def test_every_field_is_told_of() -> None:
    """Each key that a record can have stands in its page."""
    page = (ROOT / "docs/records.md").read_text("utf-8")
    seen: set[type] = set()
    waiting: list[type] = [Record]
    while waiting:
        cls = waiting.pop()
        if cls in seen:
            continue
        seen.add(cls)
        for name, kind in kinds_of(cls).items():
            assert f"`{name}`" in page or f"[{name}]" in page, (cls, name)
            inner = class_of(kind)
            if inner is not None:
                waiting.append(inner)
    assert len(seen) == 10


def test_the_page_shows_the_example() -> None:
    """Each excerpt of the page stands in the example file, or is the example of a permanence."""
    page = (ROOT / "docs/records.md").read_text("utf-8")
    shown = [part.split("```")[0] for part in page.split("```text\n")[1:]]
    files = EXAMPLE.read_text("utf-8"), (ROOT / "examples/permanence.txt").read_text("utf-8")
    assert len(shown) == 5
    for excerpt in shown:
        assert any(excerpt in file for file in files), excerpt


def test_sealing_again_after_a_change() -> None:
    """A record that was completed is sealed again, and says so by its sum."""
    record = load_record(EXAMPLE)
    without = attrs.evolve(record, shoe=attrs.evolve(record.shoe, server_seed=""))
    assert digest(without) != record.sha256
    assert sealed(without).sha256 == digest(without)


def test_a_record_of_a_newer_schema_is_read_with_a_warning() -> None:
    """A5: the fields that this version knows are read, the others named; nothing is silent."""
    text = EXAMPLE.read_text("utf-8").replace("schema = 1\n", "schema = 2\nweather = 'fine'\n")
    record = loads_record(text)
    assert record.coups == load_record(EXAMPLE).coups
    assert record.warnings == (
        "schema 2 is newer than 1, which this version knows",
        "weather is unknown and passed over",
    )


def test_what_was_posted_at_the_opening_is_recorded() -> None:
    """A minimum alone is written as a number, as 0.1.0 reads it; more is a table."""
    record = load_record(EXAMPLE)
    assert record.opening == Opening(2000)
    more = Opening(20, 5000, (ChanceBounds("rouge", minimum=30),), insurance_minimum=100)
    told = dumps_record(attrs.evolve(record, table=attrs.evolve(record.table, opening=more)))
    assert loads_record(told).opening == more
    assert "insurance_minimum = 100" in told


def test_a_record_may_be_written_without_the_rules() -> None:
    """``rules=False``: neither a TOML nor a file; the house is named by its fingerprint alone."""
    _driver, kept = rich_session()
    record = record_of(kept.steps, kept.recorder.house, rules=False)
    assert (record.rules.toml, record.rules.file) == ("", "")
    assert record.house.fingerprint == kept.recorder.house.fingerprint
    assert "[rules]" not in dumps_record(record)
    assert loads_record(dumps_record(record)).rules == record.rules


def test_a_whole_share_is_a_share() -> None:
    """The share of a stake is 0 to 1: one that is written out may be all of it."""
    table = write_table(load_record(EXAMPLE))
    table["coups"][0]["stakes"][0]["share"] = "1"
    assert loads_record(tomli_w.dumps(table)) == load_record(EXAMPLE)
