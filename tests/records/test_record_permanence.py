"""Permanences: what a player notes, read with every bad line told, and told by a house."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.records.recorded import rich_session

from trente_rules import RecordError, Verdict, dumps_house, load_house, loads_house
from trente_rules.core.cards import Colour
from trente_rules.records import Permanence, load_permanence, load_record
from trente_rules.records.permanence import MOST_LINES, Noted

EXAMPLES = Path(__file__).parents[2] / "examples"
COLOURS = st.sampled_from(Colour)
NOTED = st.one_of(
    st.builds(Noted, st.integers(31, 40), st.integers(31, 40)),
    st.builds(Noted, st.integers(31, 40), st.integers(31, 40), COLOURS),
    st.builds(Noted, st.integers(31, 40), st.integers(31, 40), COLOURS, COLOURS),
)
TAILLES = st.lists(st.lists(NOTED, min_size=1).map(tuple), min_size=1).map(tuple)
HEADERS = st.dictionaries(st.from_regex("[a-z]{1,8}", fullmatch=True), st.sampled_from(["", "x y"]))


@given(TAILLES, HEADERS)
def test_a_permanence_reads_back_equal(
    tailles: tuple[tuple[Noted, ...], ...], headers: dict[str, str]
) -> None:
    """Written and read again: the same tailles, the same headers, the same text."""
    permanence = Permanence(tailles, tuple(headers.items()))
    assert Permanence.parse(str(permanence)) == permanence
    assert str(Permanence.parse(str(permanence))) == str(permanence)


def test_points_are_written_long_or_short() -> None:
    """33, or 3 as the croupier calls it; 40 is 10; colours by letter or name."""
    long = Permanence.parse("33 40 r\n31 31 n\n")
    assert long == Permanence.parse("3 10 ROUGE\r\n  1\t1   noir # refait\r\n")
    assert long.tailles == ((Noted(33, 40, Colour.ROUGE), Noted(31, 31, Colour.NOIR)),)


def test_what_ends_a_taille() -> None:
    """Two strokes or an empty line do, a line of a comment alone does not."""
    permanence = Permanence.parse("1 2\n# a comment\n3 4\n\n\n--\n5 6\n--\n")
    assert [len(taille) for taille in permanence.tailles] == [2, 1]


def test_verdicts_are_those_of_the_house() -> None:
    """France 2007: noir is the first row; the first card of the coup tells couleur."""
    noted = Permanence.parse("31 40 n\n40 31 r\n31 31 r\n35 35\n31 40\n")
    met = noted.verdicts(load_house("france-2007"))
    names = {
        chance: [None if v is None else v.id for v in tailles[0]] for chance, tailles in met.items()
    }
    assert names["noir"] == ["win", "lose", "refait", "apres", "win"]
    assert names["rouge"] == ["lose", "win", "refait", "apres", "lose"]
    assert names["couleur"] == ["win", "win", "refait", "apres", None]
    assert names["inverse"] == ["lose", "lose", "refait", "apres", None]


def test_a_house_may_need_the_second_colour() -> None:
    """Where couleur looks at the winning row, the first colour alone tells it only sometimes."""
    text = dumps_house(load_house("france-2007"))
    house = loads_house(text.replace("first-of-coup", "first-of-winning-row"))
    noted = Permanence.parse("40 31 r\n40 31 r n\n40 31 r r\n31 40 n\n")
    (met,) = noted.verdicts(house)["couleur"]
    assert met == (None, Verdict.LOSE, Verdict.WIN, Verdict.WIN)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("33", "bad-line"),
        ("33 31 r n n", "bad-line"),
        ("33 41", "bad-point"),
        ("0 31", "bad-point"),
        ("11 31", "bad-point"),
        ("-3 31", "bad-point"),
        ("\u0663 31", "bad-point"),
        ("33.0 31", "bad-point"),
        ("33 31 b", "bad-colour"),
        ("33 31 r x", "bad-colour"),
        ("house = late", "late-header"),
        ("---", "bad-line"),
    ],
)
def test_a_bad_line_is_told_with_its_number(line: str, code: str) -> None:
    """Each fault has its code and its line."""
    with pytest.raises(RecordError) as caught:
        Permanence.parse(f"33 31\n{line}\n", origin="mine.txt")
    assert caught.value.code == code
    assert [fault.line for fault in caught.value.faults] == [2]
    assert caught.value.place == "mine.txt:2"


def test_every_bad_line_is_told_at_once() -> None:
    """Four bad lines, four faults, in order; a line may have two."""
    with pytest.raises(RecordError) as caught:
        Permanence.parse("a = 1\na = 2\n33 31\nx y z\n41 42\n")
    error = caught.value
    assert error.code == "faults"
    assert [(fault.line, fault.code) for fault in error.faults] == [
        (2, "double-header"),
        (4, "bad-point"),
        (4, "bad-point"),
        (4, "bad-colour"),
        (5, "bad-point"),
        (5, "bad-point"),
    ]


@pytest.mark.parametrize("text", ["", "# only a comment", "house = x\n\n--\n"])
def test_no_coup_is_no_permanence(text: str) -> None:
    """A permanence has a coup."""
    with pytest.raises(RecordError) as caught:
        Permanence.parse(text)
    assert caught.value.code == "no-coup"


def test_too_much_is_refused() -> None:
    """Lines without end are not read."""
    with pytest.raises(RecordError) as caught:
        Permanence.parse("1 1\n" * (MOST_LINES + 1))
    assert caught.value.code == "file-too-large"


def test_files(tmp_path: Path) -> None:
    """The example is read; a file that is not there is a RecordError."""
    assert load_permanence(EXAMPLES / "permanence.txt").house == "france-2007"
    with pytest.raises(RecordError) as caught:
        load_permanence(tmp_path / "none.txt")
    assert caught.value.code == "file-missing"


def test_a_record_is_noted_without_its_void_coups() -> None:
    """Points and colours of the coups that stand; the house where it is one."""
    records = rich_session()[1].recorder.records
    permanence = Permanence.of_records(records)
    assert permanence.house == "france-2007"
    assert [len(taille) for taille in permanence.tailles] == [3, 1]
    assert str(permanence.tailles[0][0]) == "40 31 n n"
    record = load_record(EXAMPLES / "taille.toml")
    met = Permanence.of_records([record]).verdicts(load_house("france-2007"))
    stand = [coup for coup in record.coups if not coup.void]
    for chance, (taille,) in met.items():
        recorded = [dict(coup.verdicts)[chance] for coup in stand]
        assert [None if v is None else v.id for v in taille] == recorded


def test_points_are_noted_as_the_cards_lie() -> None:
    """A record whose recorded points are missing or wrong is noted by its cards."""
    record = load_record(EXAMPLES / "taille.toml")
    coups = tuple(evolve(coup, points=(40,)) for coup in record.coups)
    altered = Permanence.of_records([evolve(record, coups=coups)])
    assert altered == Permanence.of_records([record])
