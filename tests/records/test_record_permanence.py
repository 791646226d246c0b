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
    st.builds(Noted, st.integers(31, 40), st.none(), COLOURS),
    st.builds(
        lambda *winners: Noted(winners=winners),
        st.sampled_from(["rouge", "noir"]),
        st.sampled_from(["couleur", "inverse"]),
    ),
    st.sampled_from(
        [Noted(), Noted(winners=("inverse",)), Noted(tie="apres"), Noted(tie="refait")]
    ),
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
        ("33 31 ?", "bad-colour"),
        ("N R", "bad-dot"),
        ("C I", "bad-dot"),
        ("C C", "bad-dot"),
        ("A X", "bad-dot"),
        ("N A", "bad-dot"),
        ("N 31", "bad-dot"),
        ("N C r", "bad-dot"),
        ("? Q", "bad-point"),
        ("N Q", "bad-dot"),
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
        Permanence.parse("a = 1\na = 2\n33 31\nu y z\n41 42\n")
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


def met_by(noted: str, house: str = "france-2007") -> dict[str, list[str | None]]:
    """Return what each chance of a house met, in one taille."""
    met = Permanence.parse(noted).verdicts(load_house(house))
    return {name: [None if v is None else v.id for v in each[0]] for name, each in met.items()}


def test_dots_alone_have_verdicts() -> None:
    """C25: ``N C`` and ``R I``, as on most printed permanences; what was not noted is unknown."""
    met = met_by("N C\nR I\nrouge\nI ?\n? c\nA\nX\n")
    assert met["rouge"] == ["lose", "win", "win", None, None, "apres", "refait"]
    assert met["noir"] == ["win", "lose", "lose", None, None, "apres", "refait"]
    assert met["couleur"] == ["win", "lose", None, "lose", "win", "apres", "refait"]
    assert met["inverse"] == ["lose", "win", None, "win", "lose", "apres", "refait"]


def test_a_coup_that_was_missed_keeps_its_place() -> None:
    """C25: ``? ?`` moves no coup behind it; one point alone decides what it can."""
    met = met_by("33 38 n\n? ?\n31 36 r\n? ? r\n40 ?\n")
    assert met["noir"] == ["win", None, "win", None, None]
    assert met["inverse"] == ["lose", None, "win", None, None]
    permanence = Permanence.parse("33 ?\n?\t?\n")
    assert str(permanence) == "33 ?\n? ?\n"
    with pytest.raises(RecordError):
        Permanence.parse("?")


def test_dots_of_side_bets_and_of_houses_with_one_kind_of_ties() -> None:
    """A win of noir is no tie; which tie an après was is not known; any tie may be the refait."""
    side = met_by("N\nA\nX\n", "venezia-online")
    assert side["any-apres"][:2] == ["lose", "win"]
    assert side["exact-apres-36"] == ["lose", None, "lose"]
    assert met_by("A\nX\n", "german-spas-1840")["rouge"] == ["refait", "refait"]
    assert met_by("A\nX\n", "wilhelmsbad-1840")["rouge"] == ["apres", "apres"]


def test_a_house_decides_what_dots_mean_for_other_chances() -> None:
    """Where couleur looks at the winning row, a dot is still the house's own couleur."""
    text = dumps_house(load_house("france-2007"))
    house = loads_house(text.replace("first-of-coup", "first-of-winning-row"))
    met = Permanence.parse("N C\nR I\n").verdicts(house)
    assert met["couleur"][0] == (Verdict.WIN, Verdict.LOSE)
    assert met["noir"][0] == (Verdict.WIN, Verdict.LOSE)


@pytest.mark.parametrize(
    ("noted", "coup", "line"),
    [
        ("39 38 n\n" * 40, 27, 27),  # 26 coups have 2,002 points, 27 have 2,079
        ("# seventeen blacks, a red, sixteen blacks\n" + "N\n" * 17 + "R\n" + "N\n" * 16, 33, 34),
        ("? ?\n" * 33, 33, 33),
        ("31 31\n" * 33, 33, 33),
    ],
)
def test_a_taille_that_no_packs_can_deal(noted: str, coup: int, line: int) -> None:
    """C25: six packs have 2,040 points, at most 32 coups; the line names where a -- may miss."""
    house = load_house("france-2007")
    (fault,) = Permanence.parse(noted, origin="mine.txt").impossible(house)
    assert (fault.code, fault.line) == ("impossible-taille", line)
    assert f"coup {coup} of taille 1: 6 packs have 2,040 points" in str(fault)
    assert "is a line -- missing above?" in str(fault)


def test_tailles_that_packs_can_deal_have_no_fault() -> None:
    """32 refaits, or the same coups with a break; a machine that shuffles has no end."""
    house = load_house("france-2007")
    assert not Permanence.parse("31 31\n" * 32).impossible(house)
    assert not Permanence.parse("39 38 n\n" * 26 + "--\n" + "39 38 n\n" * 14).impossible(house)
    assert not Permanence(((Noted(31, 31),) * 32,)).impossible(house)
    (fault,) = Permanence(((Noted(31, 31),) * 33,)).impossible(house)
    assert fault.line is None
    machine = evolve(house, shoe=evolve(house.shoe, shuffled="every-coup", marker=None, burn=0))
    assert not Permanence.parse("N\n" * 99).impossible(machine)


def test_points_may_be_written_short_with_a_zero_before_them() -> None:
    """Documented: 31 may be written 31, 1 or 01; no other number is a point."""
    assert Permanence.parse("01 10 r\n09 31 n") == Permanence.parse("31 40 r\n39 31 n")
    with pytest.raises(RecordError, match="'61' is not a point"):
        Permanence.parse("61 31")


def test_a_second_colour_alone_is_not_written() -> None:
    """A line has the first colour before the second: alone, it would be read as the first."""
    assert str(Noted(33, 31, None, Colour.NOIR)) == "33 31"
    assert str(Noted(33, 31, Colour.ROUGE, Colour.NOIR)) == "33 31 r n"


def test_a_permanence_without_headers_names_no_house() -> None:
    """The head is empty by default: there is no line above the first coup."""
    permanence = Permanence(((Noted(31, 33),),))
    assert (permanence.house, str(permanence)) == ("", "31 33\n")


def test_a_taille_of_void_coups_is_left_out() -> None:
    """A taille without a valid coup is not noted: no empty taille is between two breaks."""
    first, second = rich_session()[1].recorder.records
    void = evolve(first, coups=tuple(coup for coup in first.coups if coup.void))
    assert void.coups
    permanence = Permanence.of_records([void, second])
    assert permanence == Permanence.of_records([second])
    assert Permanence.parse(str(permanence)) == permanence
