"""The stake machine: what it fills in, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import pytest

from trente_rules import (
    BetError,
    Choice,
    Course,
    RuleError,
    Stake,
    StakeMachine,
    Verdict,
    load_house,
    settle,
)
from trente_rules.core.chances import VERDICTS
from trente_rules.core.machine import Answer, side_bet_machine, stays
from trente_rules.testing import coup_with

W, L, A, R, C = VERDICTS
HALF = Fraction(1, 2)
LOST = Course("lost")
IN = stays("prison", name="in")
CLOSED = Course("closed", returned=HALF)
PRISON = {R: [stays("prison", name="again")], C: [CLOSED]}
Courses = Mapping[str, Mapping[Verdict, Iterable[Course]]]


def test_what_every_house_does_is_filled_in() -> None:
    """From free a win, a tie and the close hand back, a loss takes; in prison a win frees."""
    machine = StakeMachine.of({"free": {R: [IN]}, "prison": PRISON})
    names = {(a.state, a.verdict): a.courses[0].name for a in machine.answers}
    assert names == {
        ("free", W): "won",
        ("free", L): "lost",
        ("free", A): "taken-back",
        ("free", R): "in",
        ("free", C): "taken-back",
        ("prison", W): "freed",
        ("prison", L): "lost",
        ("prison", A): "stays",
        ("prison", R): "again",
        ("prison", C): "closed",
    }


def test_a_side_bet_wins_or_is_lost() -> None:
    """The machine of side bets knows no tie and no prison."""
    machine = side_bet_machine()
    assert machine.states == ("free",)
    assert machine.courses("free", W)[0].returned == 1
    assert machine.courses("free", L)[0].returned == 0


@pytest.mark.parametrize(
    ("courses", "place", "words"),
    [
        ({"free": {R: [Course("x", returned=Fraction(3, 2))]}}, "free/refait", "shares are 0 to 1"),
        ({"free": {R: [Course("x", returned=-HALF)]}}, "free/refait", "shares are 0 to 1"),
        ({"free": {R: [Course("x", HALF, Fraction(3, 4), "p")]}}, "free/refait", "at most 1"),
        ({"free": {R: [Course("x", staying=HALF)]}}, "free/refait", "not both"),
        ({"free": {R: [Course("x", state="prison")]}}, "free/refait", "not both"),
        ({"free": {R: [stays("free")]}}, "free/refait", "no course leads back to 'free'"),
        ({"free": {R: [stays("tower")]}}, "free/refait", "'tower' is not answered"),
        ({"free": {R: [LOST]}, "prison": PRISON}, "prison", "no course leads to this state"),
        ({"free": {R: [IN]}, "prison": {C: [CLOSED]}}, "prison/refait", "there is no course"),
        ({"free": {R: [IN]}, "prison": {R: [LOST]}}, "prison/close", "there is no course"),
        ({}, "free/refait", "there is no course"),
        ({"free": {R: [IN, LOST]}, "prison": PRISON}, "free/refait", "0 of the courses"),
        (
            {"free": {R: [Course("a", default=True), Course("b", default=True)]}},
            "free/refait",
            "2 of the courses",
        ),
        ({"free": {R: [LOST, Course("lost", default=True)]}}, "free/refait", "the same name"),
        (
            {"free": {R: [Course("x", returned=HALF, offered_from="minimum")]}},
            "free/refait",
            "no course is left for a small stake",
        ),
        (
            {"free": {R: [IN, Course("x", offered_from=5)]}, "prison": PRISON},
            "free/refait",
            "never offered: it returns nothing",
        ),
        ({"free": {R: [LOST], W: [Course("x", returned=HALF)]}}, "free/win", "returned whole"),
        ({"free": {R: [LOST], A: [LOST]}}, "free/apres", "returned whole"),
        (
            {"free": {R: [IN]}, "prison": {**PRISON, C: [stays("prison")]}},
            "prison/close",
            "nothing stays",
        ),
        (
            {
                "free": {R: [IN]},
                "prison": {**PRISON, W: [stays("prison", HALF)], L: [stays("prison")]},
            },
            "prison",
            "for ever",
        ),
        (
            {
                "free": {R: [IN]},
                "prison": {
                    R: [Course("out", HALF, default=True), stays("prison", name="again")],
                    C: [CLOSED],
                    W: [stays("prison")],
                    L: [stays("prison")],
                },
            },
            "prison",
            "for ever",
        ),
    ],
)
def test_a_machine_that_is_not_whole_is_refused(courses: Courses, place: str, words: str) -> None:
    """Each check names the place and what is wrong there."""
    with pytest.raises(RuleError) as caught:
        StakeMachine.of(courses)
    assert caught.value.code == "bad-machine"
    assert caught.value.field == place
    assert words in str(caught.value)


def test_an_answer_given_twice_is_refused() -> None:
    """A state and verdict has one answer."""
    answer = Answer("free", R, (Course("lost", default=True),))
    machine = StakeMachine.of({"free": {R: [LOST]}})
    with pytest.raises(RuleError, match="twice"):
        StakeMachine((*machine.answers, answer), machine.possible)


def test_only_verdicts_that_can_occur_need_an_answer() -> None:
    """In a house without a losing tie nothing is said of the refait."""
    machine = StakeMachine.of({}, possible=(W, L, A))
    with pytest.raises(RuleError) as caught:
        machine.courses("free", R)
    assert caught.value.code == "impossible-verdict"


def test_unknown_states_and_courses_are_named() -> None:
    """What the machine does not have is answered with what it has."""
    machine = StakeMachine.of({"free": {R: [LOST]}})
    with pytest.raises(RuleError, match="states are free"):
        machine.courses("tower", W)
    stake, house = Stake("a", "ann", "rouge", 100), load_house("france-2007")
    with pytest.raises(BetError, match="courses are prison, partage"):
        settle(house, coup_with(31, 31), [stake], [Choice("a", "escape")])


def test_insurance_acts_in_the_machine() -> None:
    """A1 1e: an insured free stake is returned whole at a refait, an insured prisoner stays."""
    machine = StakeMachine.of({"free": {R: [stays("tower")]}, "tower": {R: [LOST], C: [LOST]}})
    free, prisoner = (machine.courses(state, R, insured=Fraction(1)) for state in machine.states)
    assert [(course.name, course.returned) for course in free] == [("insured", Fraction(1))]
    assert [(course.staying, course.state) for course in prisoner] == [(Fraction(1), "tower")]
    assert machine.courses("free", W, insured=HALF) == machine.courses("free", W)
    assert not machine.trapped()
    assert not machine.trapped(insured=["tower"])


def test_the_default_comes_first() -> None:
    """Courses are answered with the default in front, whatever the order they were given in."""
    courses = [Course("a", returned=HALF), Course("b", default=True)]
    machine = StakeMachine.of({"free": {R: courses}})
    assert [course.name for course in machine.courses("free", R)] == ["b", "a"]


def test_an_answer_has_a_course() -> None:
    """An answer without any is refused where it stands."""
    whole = StakeMachine.of({"free": {R: [LOST]}})
    answers = tuple(Answer(a.state, a.verdict, ()) if a.verdict is R else a for a in whole.answers)
    with pytest.raises(RuleError, match="free/refait: there is no course"):
        StakeMachine(answers, whole.possible)


def test_shares_are_exact() -> None:
    """A float is no share; whole numbers are taken as Fractions."""
    with pytest.raises(RuleError, match="not exact"):
        Course("x", returned=0.5)  # type: ignore[arg-type]
    assert isinstance(Course("x", returned=1).returned, Fraction)


def test_a_course_has_a_name() -> None:
    """Players choose by names, so an empty one is refused."""
    with pytest.raises(RuleError, match="no name"):
        StakeMachine.of({"free": {R: [Course("", returned=HALF)]}})


def test_an_insured_prison_that_only_a_refait_ends_traps() -> None:
    """Insurance makes a refait change nothing: then some other verdict must end the prison."""
    waits = stays("prison", name="waits")
    machine = StakeMachine.of(
        {
            "free": {R: [IN]},
            "prison": {W: [waits], L: [waits], R: [LOST], C: [CLOSED]},
        }
    )
    assert machine.trapped() == set()
    assert machine.trapped(["prison"]) == {"prison"}
