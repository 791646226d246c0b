"""Refait rules: the tables they build, and every parameter."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from trente_rules import RuleError, StakeMachine, load_house
from trente_rules.core.chances import VERDICTS
from trente_rules.core.money import Money
from trente_rules.core.rules.refait import (
    AllLose,
    CourseKeys,
    CoursesKeys,
    Custom,
    HalfLoss,
    NoRefait,
    Prison,
)
from trente_rules.testing import check_refait_rule

W, L, A, R, C = VERDICTS
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def table(rule: Any) -> dict[str, list[str]]:
    """Return the courses of a rule in words, by place; what every house does alike left out."""
    machine: StakeMachine = check_refait_rule(rule)
    return {
        f"{answer.state}/{answer.verdict.id}": [str(course) for course in answer.courses]
        for answer in machine.answers
        if answer.verdict is R or (answer.state != "free" and answer.verdict is not L)
    }


def test_all_lose() -> None:
    """free/REFAIT: lost."""
    assert table(AllLose()) == {"free/refait": ["lost"]}


def test_half_loss() -> None:
    """free/REFAIT: a half is handed back; another share where the house says so."""
    assert table(HalfLoss()) == {"free/refait": ["half(returned 1/2)"]}
    assert table(HalfLoss(QUARTER)) == {"free/refait": ["half(returned 1/4)"]}


def test_halves_of_french_law() -> None:
    """The table of French and Spanish law, course by course."""
    assert table(Prison(partage=(HALF, QUARTER), last="halve")) == {
        "free/refait": ["prison(staying 1 -> prison)", "partage(returned 1/2)"],
        "prison/win": ["freed(returned 1)"],
        "prison/apres": ["stays(staying 1 -> prison)"],
        "prison/refait": ["prison(staying 1/2 -> prison)", "partage(returned 1/4)"],
        "prison/close": ["closed(returned 1/2)"],
    }


def test_two_prisons() -> None:
    """Each refait moves a stake in, each win one out; in the last prison a refait loses."""
    rule = Prison(levels=2, partage=(HALF, QUARTER), last="lose", release="one-out")
    assert table(rule) == {
        "free/refait": ["prison(staying 1 -> prison)", "partage(returned 1/2)"],
        "prison/win": ["freed(returned 1)"],
        "prison/apres": ["stays(staying 1 -> prison)"],
        "prison/refait": ["prison(staying 1 -> prison-2)", "partage(returned 1/4)"],
        "prison/close": ["closed(returned 1/2)"],
        "prison-2/win": ["one-out(staying 1 -> prison)"],
        "prison-2/apres": ["stays(staying 1 -> prison-2)"],
        "prison-2/refait": ["lost"],
        "prison-2/close": ["closed(returned 1/4)"],
    }


def test_foster() -> None:
    """A second refait costs a quarter, and three quarters go to the second prison."""
    rule = Prison(levels=2, partage=(HALF,), again="quarter-lost", close=(HALF, Fraction(1, 3)))
    built = table(rule)
    assert built["prison/refait"] == ["prison(staying 3/4 -> prison-2)"]
    assert built["prison-2/refait"] == ["prison(staying 1 -> prison-2)"]
    assert built["prison-2/win"] == ["freed(returned 1)"]
    assert built["prison-2/close"] == ["closed(returned 1/3)"]


@pytest.mark.parametrize(
    ("last", "course"),
    [
        ("repeat", "prison(staying 1 -> prison)"),
        ("halve", "prison(staying 1/2 -> prison)"),
        ("quarter-lost", "prison(staying 3/4 -> prison)"),
        ("lose", "lost"),
    ],
)
def test_what_a_further_refait_does_in_the_last_prison(last: Any, course: str) -> None:
    """Each reading of a further refait."""
    assert table(Prison(last=last))["prison/refait"] == [course]


@pytest.mark.parametrize(
    ("tie", "course"),
    [("stays", "stays(staying 1 -> prison)"), ("frees", "freed(returned 1)"), ("loses", "lost")],
)
def test_what_an_ordinary_tie_does_in_prison(tie: Any, course: str) -> None:
    """Each reading of an ordinary tie."""
    assert table(Prison(tie=tie))["prison/apres"] == [course]


def test_a_level_without_partage() -> None:
    """A share of nought offers none at that level."""
    rule = Prison(levels=2, partage=(HALF, Fraction(0), QUARTER))
    built = table(rule)
    assert len(built["prison/refait"]) == 1
    assert built["prison-2/refait"][1] == "partage(returned 1/4)"


def test_the_default_may_be_the_partage() -> None:
    """Where the house says so, a player who does not choose is handed a half."""
    rule = Prison(partage=(HALF,), default="partage")
    assert table(rule)["free/refait"][0] == "partage(returned 1/2)"


def test_spain_marks_the_partage() -> None:
    """The partage, and only the partage, is not offered below the minimum."""
    machine = check_refait_rule(Prison(partage=(HALF,), partage_not_below="minimum"))
    marks = {c.name: c.offered_from for c in machine.courses("free", R)}
    assert marks == {"prison": 0, "partage": "minimum"}


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"close": (HALF, HALF)}, "close", "wrong-number"),
        ({"partage": (HALF, HALF, HALF)}, "partage", "wrong-number"),
        ({"again": "quarter-lost"}, "again", "key-cannot-act"),
        ({"release": "one-out"}, "release", "key-cannot-act"),
        ({"default": "partage"}, "default", "key-cannot-act"),
        ({"partage_not_below": "minimum"}, "partage_not_below", "key-cannot-act"),
    ],
)
def test_fields_that_contradict_are_refused(fields: Any, field: str, code: str) -> None:
    """A list of another length than the prisons, or a field that cannot act, is named."""
    with pytest.raises(RuleError) as caught:
        Prison(**fields).build(Money())
    assert (caught.value.field, caught.value.code) == (field, code)


@pytest.mark.parametrize("fields", [{"levels": 0}, {"levels": 13}, {"partage": (Fraction(2),)}])
def test_fields_out_of_range_are_refused(fields: Any) -> None:
    """Levels are 1 to 12, shares 0 to 1."""
    with pytest.raises(ValueError, match=next(iter(fields))):
        Prison(**fields)


def test_no_refait() -> None:
    """Where no tie loses there is nothing to say: every tie is taken back."""
    machine = StakeMachine.of(NoRefait().build(Money()), possible=(W, L, A))
    assert machine.states == ("free",)
    assert [course.name for course in machine.courses("free", A)] == ["taken-back"]


def test_a_custom_rule_says_what_a_file_writes() -> None:
    """Courses by state and verdict; what every house does alike is filled in."""
    divide = CourseKeys("divide", returned=HALF, staying=QUARTER, state="cell")
    rule = Custom(
        (
            CoursesKeys("free", R, (divide,)),
            CoursesKeys("cell", R, (CourseKeys("out", returned=HALF),)),
            CoursesKeys("cell", C, (CourseKeys("closed", returned=QUARTER),)),
        )
    )
    assert table(rule) == {
        "free/refait": ["divide(returned 1/2, staying 1/4 -> cell)"],
        "cell/win": ["freed(returned 1)"],
        "cell/apres": ["stays(staying 1 -> cell)"],
        "cell/refait": ["out(returned 1/2)"],
        "cell/close": ["closed(returned 1/4)"],
    }


def test_twelve_prisons_are_the_most() -> None:
    """One inside the other, each with its close: a half, a quarter, down to 1/4096."""
    machine = check_refait_rule(Prison(levels=12, release="one-out", last="lose"))
    assert len(machine.prisons) == 12
    assert machine.courses("prison-12", C)[0].returned == Fraction(1, 4096)
    assert machine.courses("prison-12", W)[0].state == "prison-11"


def journey(house: str, verdicts: str) -> str:
    """Return where a stake is, and what has come of it, after verdicts by their first letters.

    A stake that stands is told as ``state share``, one that is gone as what was handed back.
    """
    machine = load_house(house).machine
    state, share = "free", Fraction(1)
    for place, letter in enumerate(verdicts, 1):
        verdict = {"w": W, "l": L, "a": A, "r": R, "c": C}[letter]
        course = machine.courses(state, verdict)[0]
        if not course.staying:
            assert place == len(verdicts), f"gone after {place}"
            return f"back {share * course.returned}"
        state, share = course.state, share * course.staying
    return f"{state} {share}"


@pytest.mark.parametrize(
    ("house", "verdicts", "end"),
    [
        ("france-2007", "rrr", "prison 1/4"),
        ("france-2007", "rraw", "back 1/2"),
        ("france-2007", "rrc", "back 1/4"),
        ("france-1959", "rrrc", "back 1/8"),
        ("spain-1979", "rrw", "back 1/2"),
        ("monte-carlo-1911", "rrrw", "back 1"),
        ("campione", "rr", "prison-2 1"),
        ("campione", "rrw", "prison 1"),
        ("italy-prison", "rrww", "back 1"),
        ("italy-prison", "rrwr", "prison-2 1"),
        ("italy-prison", "rrr", "back 0"),
        ("italy-prison", "rrc", "back 1/4"),
        ("italy-half-loss", "r", "back 1/2"),
        ("venezia-online", "r", "back 1/2"),
        ("rouge-et-noir-meyers", "r", "back 1/2"),
        ("italian-program", "r", "back 0"),
        ("foster-1897", "rr", "prison-2 3/4"),
        ("foster-1897", "rrrrw", "back 3/4"),
        ("foster-1897", "rrc", "back 1/4"),
        ("homburg-1860", "rr", "back 0"),
        ("homburg-1860", "raw", "back 1"),
        ("hoyle-19c", "rrw", "prison 1"),
        ("hoyle-19c", "rrr", "back 0"),
        ("german-spas-1840", "rrw", "back 1/2"),
        ("wilhelmsbad-1840", "a", "back 1"),
        ("germany-500", "rrr", "prison-3 1"),
        ("germany-500", "rrrwww", "back 1"),
        ("germany-500", "rrrr", "back 0"),
    ],
)
def test_what_the_shipped_houses_do_without_a_choice(house: str, verdicts: str, end: str) -> None:
    """Journeys of a stake: refaits, wins, ties and the close, as each house reads its source."""
    assert journey(house, verdicts) == end


@pytest.mark.parametrize(
    ("fields", "message", "fix"),
    [
        (
            {"partage": (HALF, HALF, QUARTER), "levels": 1},
            (
                "partage has 3 shares for 1 prison (at most 2: at the first refait, and from each "
                "prison)"
            ),
            ["1/2", "1/2"],
        ),
        (
            {"close": (HALF,), "levels": 3},
            "close has 1 share for 3 prisons (name a share for each prison, or leave close out)",
            ["1/2", "1/4", "1/8"],
        ),
        (
            {"partage": (HALF,), "partage_not_below": ("none", "minimum")},
            "partage_not_below cannot act: level 2 offers no partage (leave partage_not_below out)",
            None,
        ),
        (
            {"partage": (HALF,), "partage_not_below": ("none",) * 3},
            (
                "partage_not_below names 3 bounds for 1 prison (at most 2: at the first refait, "
                "and from each prison)"
            ),
            None,
        ),
    ],
)
def test_what_is_wrong_with_a_list_of_a_prison_is_said_whole(
    fields: Any, message: str, fix: list[str] | None
) -> None:
    """How many there are, how many there may be, and what a house that inherits it may write."""
    with pytest.raises(RuleError) as caught:
        Prison(**fields).build(Money())
    assert (str(caught.value), caught.value.fix) == (message, fix)
