"""Files that are no records: errors with stable codes and places, nothing else, and soon."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path
from typing import Any

import attrs
import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.records.recorded import rich_session
from tests.records.test_replay import leaves

from trente_rules import RecordError, TrenteError
from trente_rules.records import Record, load_record, loads_record, replay, verify_record
from trente_rules.records.files import LARGEST, MOST_PARTS
from trente_rules.records.record import RulesOf, read_table, write_table

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "taille.toml"
DOCUMENTED = set(re.findall(r"`([a-z0-9-]+)`", (ROOT / "docs/errors.md").read_text("utf-8")))


def table() -> dict[str, Any]:
    """Return the table of a record that is whole."""
    record = rich_session()[1].recorder.records[0]
    return write_table(attrs.evolve(record, rules=RulesOf()))


def refused(told: dict[str, Any] | str) -> RecordError:
    """Return the error of a text that is no record."""
    text = told if isinstance(told, str) else tomli_w.dumps(told)
    with pytest.raises(RecordError) as caught:
        loads_record(text)
    error = caught.value
    assert error.faults
    assert {fault.code for fault in error.faults} <= DOCUMENTED
    assert error.code in DOCUMENTED
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    return error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (("schema",), 0, "unknown-schema"),
        (("schema",), "1", "wrong-type"),
        (("engine",), 1, "wrong-type"),
        (("house",), "france-2007", "wrong-type"),
        (("shoe", "packs"), 0, "out-of-range"),
        (("shoe", "packs"), 10**6, "out-of-range"),
        (("shoe", "packs"), 1, "not-whole-packs"),
        (("shoe", "number"), -1, "out-of-range"),
        (("shoe", "live"), 0, "wrong-type"),
        (("shoe", "order"), "A♠", "wrong-type"),
        (("shoe", "order"), ["A♠"], "not-whole-packs"),
        (("shoe", "burned"), "A♠ " * 7, "too-many-of-a-card"),
        (("provenance",), {"source": "elsewhere"}, "bad-provenance"),
        (("provenance",), "fair", "wrong-type"),
        (("coups",), {}, "wrong-type"),
        (("coups", 0), 5, "wrong-type"),
        (("coups", 0, "number"), 3, "bad-record"),
        (("coups", 0, "first"), "10♠ J♠ Q♠ 1x", "no-card"),
        (("coups", 0, "first"), "10♠ J♠ Q♠", "faults"),
        (("coups", 0, "first"), "10♠ J♠ 3♠ 3♠", "row-too-short"),
        (("coups", 0, "first"), ["10♠"], "wrong-type"),
        (("coups", 0, "second_places"), "5-7", "bad-places"),
        (("coups", 0, "second_places"), "8-5", "bad-places"),
        (("coups", 0, "second_places"), "1-99999999999", "bad-places"),
        (("coups", 0, "second_places"), "5-5000 7000", "bad-places"),
        (("coups", 0, "second_places"), "0 1 2 3", "bad-places"),
        (("coups", 0, "second_places"), "397-400", "bad-places"),
        (("coups", 0, "points"), [40, -1], "out-of-range"),
        (("coups", 0, "points"), "40 31", "wrong-type"),
        (("coups", 0, "verdicts"), {"rouge": 1}, "wrong-type"),
        (("coups", 0, "verdicts"), ["win"], "wrong-type"),
        (("coups", 0, "players_net"), 1 << 101, "out-of-range"),
        (("coups", 0, "players_net"), 1.5, "wrong-type"),
        (("coups", 0, "stakes", 0, "amount"), -50, "out-of-range"),
        (("coups", 0, "stakes", 0, "amount"), True, "wrong-type"),
        (("coups", 0, "stakes", 0, "amount"), "50", "wrong-type"),
        (("coups", 0, "stakes", 0, "amount"), 10**19, "out-of-range"),
        (("coups", 0, "stakes", 0, "handed_back"), 51, "bad-stake"),
        (("coups", 0, "stakes", 0, "share"), "1/2", "bad-stake"),
        (("coups", 0, "stakes", 0, "share"), "3/2", "out-of-range"),
        (("coups", 0, "stakes", 0, "share"), "1/0", "bad-fraction"),
        (("coups", 0, "stakes", 0, "share"), 0.5, "wrong-type"),
        (("coups", 0, "stakes", 0, "residue"), "9" * 2001, "bad-fraction"),
        (("coups", 0, "stakes", 0, "id"), "b1", "double-stake"),
        (("coups", 2, "first"), "10♠ J♠ Q♠ 2♠", "row-too-long"),
        (("coups", 0, "verdicts", "rouge"), "winner", "unknown-verdict"),
        (("end", "why"), "tired", "bad-record"),
        (("end", "left"), -1, "out-of-range"),
        (("table", "players"), [1], "wrong-type"),
        (("table", "opening"), 0, "bad-opening"),
    ],
)
def test_a_value_that_cannot_be_is_refused(
    path: tuple[str | int, ...], value: object, code: str
) -> None:
    """Each has its code, and the line of the value."""
    told = table()
    if path == ("coups", 2, "first"):  # the rows of a void coup may be incomplete, not too long
        value = "10♠ J♠ Q♠ 2♠ 3♠"
        told["coups"][2].update(first_places="17-21", second="", second_places="")
    inner: Any = told
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    error = refused(told)
    assert error.code == code or code in {fault.code for fault in error.faults}, str(error)
    assert all(fault.line for fault in error.faults)
    assert error.place.startswith("<text>:")


def test_each_required_field_is_needed() -> None:
    """A field that is required and missing is named, with the place of its table."""
    whole = table()
    needed = 0
    for path, _value in leaves(whole):
        told = copy.deepcopy(whole)
        inner: Any = told
        for step in path[:-1]:
            inner = inner[step]
        del inner[path[-1]]
        for problem in read_table(told, Record)[1]:
            assert (problem.path, problem.code) == (path, "missing-key")
            needed += 1
    assert needed > 50
    del whole["coups"][1]["stakes"][0]["chance"]
    assert "coups[2].stakes[1].chance: 'chance' is missing" in refused(whole).message


def test_all_faults_are_told_at_once_in_order() -> None:
    """Three faults, three lines of the message, by their place in the file."""
    told = table()
    told["shoe"]["packs"] = "six"
    told["coups"][0]["first"] = "zz"
    told["end"]["left"] = -3
    error = refused(told)
    assert error.code == "faults"
    assert [fault.key for fault in error.faults] == ["shoe.packs", "coups[1].first", "end.left"]
    lines = [fault.line or 0 for fault in error.faults]
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "faults"),
        ("no toml", "not-toml"),
        ("[[coups]\n", "not-toml"),
        ("\ud800", "not-utf-8"),
        ("x = " + "[" * 100, "too-deep"),
        ("x = " + "9" * 500, "number-too-long"),
        ("#" * (LARGEST + 1), "file-too-large"),
        ("x = [" + "0," * (MOST_PARTS + 1) + "]", "too-many-values"),
        ("schema = -3\nsurprise = true\n", "unknown-schema"),
    ],
    ids=["empty", "words", "broken", "half", "deep", "digits", "large", "many", "schema"],
)
def test_a_text_that_is_no_record_is_refused(text: str, code: str) -> None:
    """Nothing that is no TOML, or too much of it, gets further."""
    assert refused(text).code == code


def test_files_that_are_none(tmp_path: Path) -> None:
    """Missing, a directory, binary: each is a RecordError with its code."""
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    for name, code in (
        ("no.toml", "file-missing"),
        ("", "file-unreadable"),
        ("b.toml", "not-utf-8"),
    ):
        with pytest.raises(RecordError) as caught:
            load_record(tmp_path / name)
        assert caught.value.code == code


@pytest.mark.slow
@given(st.data())
@settings(max_examples=40, deadline=None)
def test_whatever_is_in_a_field_only_documented_errors_come(data: st.DataObject) -> None:
    """A record with any value anywhere is refused, or is replayed and verified without a fault."""
    told = table()
    for _change in range(data.draw(st.integers(1, 3))):
        path, value = data.draw(st.sampled_from(list(leaves(told))))
        values = [value, "", -1, 0, 1, 2**63, "free", "prison", "rouge", "1-4", "A♠", [], {}, True]
        inner: Any = told
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = data.draw(st.sampled_from(values))
    try:
        record = loads_record(tomli_w.dumps(told))
        replay(record)
        verify_record(record)
    except TrenteError as error:
        code = error.code
    else:
        code = ""
    assert code in DOCUMENTED | {""}


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_whatever_is_cut_or_changed_only_documented_errors_come(data: st.DataObject) -> None:
    """The example with any stretch of text cut out or written over."""
    text = EXAMPLE.read_text("utf-8")
    start = data.draw(st.integers(0, 6000))
    length = data.draw(st.integers(0, 200))
    other = data.draw(st.text(max_size=5))
    try:
        replay(loads_record(text[:start] + other + text[start + length :]))
    except TrenteError as error:
        code = error.code
    else:
        code = ""
    assert code in DOCUMENTED | {""}


def test_only_faults_are_listed_where_a_key_is_unknown_as_well() -> None:
    """An unknown key is a warning: next to a fault it is not one of the faults."""
    told = table()
    told["colour"] = "blue"
    told["end"]["left"] = -3
    assert [(fault.key, fault.code) for fault in refused(told).faults] == [
        ("end.left", "out-of-range")
    ]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            ("coups", 0, "second_places"),
            "310-313",
            "a shoe of 6 packs does not have a place 313",
        ),
        (
            ("coups", 0, "second_places"),
            "9997-10000",
            "a shoe of 6 packs does not have a place 10000",
        ),
        (
            ("coups", 0, "second_places"),
            "9998-10001",
            "'9998-10001' is not a list of places in a shoe",
        ),
        (
            ("shoe", "packs"),
            193,
            "193 packs are too many (a record knows at most 10000 cards)",
        ),
    ],
)
def test_places_end_with_the_packs_and_with_what_a_record_can_name(
    path: tuple[str, ...], value: object, message: str
) -> None:
    """The last place is named that the shoe does not have; no record names a place above 10,000."""
    told = table()
    inner: Any = told
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    assert message in str(refused(told))
