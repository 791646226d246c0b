"""What a machine says of its courses: the call of each, its faults in full, the order of ties."""

from __future__ import annotations

from fractions import Fraction

import pytest

from trente_rules import Course, RuleError, StakeMachine, Verdict
from trente_rules.core.machine import (
    FREED,
    INSURED,
    LOST,
    MOST_POLICIES,
    TAKEN_BACK,
    WON,
    Answer,
    Policy,
    pure_policies,
    stays,
    usual_call,
)

HALF = Fraction(1, 2)
WIN, LOSE, APRES, REFAIT, CLOSE = (
    Verdict.WIN,
    Verdict.LOSE,
    Verdict.APRES,
    Verdict.REFAIT,
    Verdict.CLOSE,
)
OUT, DIVIDED = Course("out", HALF), Course("divided", HALF, HALF, "prison")
IN, DEEPER = stays("prison"), stays("tower")
MOVED = Course("moved", Fraction(1, 4), HALF, "prison")


@pytest.mark.parametrize(
    ("state", "verdict", "course", "call"),
    [
        ("free", REFAIT, IN, "en_prison"),
        ("free", REFAIT, OUT, "partage"),
        ("free", REFAIT, LOST, ""),
        ("free", REFAIT, DIVIDED, "partage"),
        ("free", REFAIT, MOVED, "partage"),
        ("free", REFAIT, WON, ""),
        ("free", WIN, WON, ""),
        ("free", LOSE, LOST, ""),
        ("free", APRES, TAKEN_BACK, ""),
        ("free", CLOSE, TAKEN_BACK, ""),
        ("prison", WIN, FREED, "libre"),
        ("prison", WIN, OUT, "libre"),
        ("prison", APRES, FREED, "libre"),
        ("prison", REFAIT, FREED, "libre"),
        ("prison", REFAIT, OUT, "partage"),
        ("prison", LOSE, OUT, "partage"),
        ("prison", REFAIT, IN, "en_prison"),
        ("prison", REFAIT, DEEPER, "en_prison"),
        ("prison", LOSE, DEEPER, "en_prison"),
        ("prison", LOSE, IN, ""),
        ("prison", APRES, IN, ""),
        ("prison", APRES, DEEPER, "en_prison"),
        ("prison", WIN, DEEPER, ""),
        ("prison", WIN, IN, ""),
        ("prison", LOSE, LOST, ""),
        ("prison", CLOSE, FREED, ""),
        ("prison", CLOSE, OUT, ""),
        ("prison", CLOSE, IN, ""),
    ],
)
def test_the_usual_call_of_a_course(
    state: str, verdict: Verdict, course: Course, call: str
) -> None:
    """A croupier calls who is freed, who is divided with and who goes to prison, and no more."""
    assert usual_call(state, verdict, course) == call


def test_a_course_keeps_the_call_that_it_names() -> None:
    """The usual call is put in place of "usual" alone; "stays" takes the one it is given."""
    named = Course("named", HALF, default=True, call="ajouter_a_la_banque")
    machine = StakeMachine.of({"free": {REFAIT: [named, Course("other", HALF)]}})
    assert [each.call for each in machine.courses("free", REFAIT)] == [
        "ajouter_a_la_banque",
        "partage",
    ]
    assert stays("prison", call="").call == ""
    assert stays("prison").call == "usual"


def test_what_a_course_does_is_its_text() -> None:
    """Each share that is not zero is told, in one order."""
    whole = Course("x", Fraction(1, 4), HALF, "p", taken=Fraction(1, 8), pays=Fraction(2))
    assert str(whole) == "x(returned 1/4, pays 2, taken 1/8, staying 1/2 -> p)"
    assert str(Course("lost")) == "lost"


def machine(
    prison: dict[Verdict, list[Course]], free: list[Course] | None = None
) -> dict[str, dict[Verdict, list[Course]]]:
    """Return the courses of a house with one prison."""
    usual = {REFAIT: [IN], CLOSE: [FREED]}
    return {"free": {REFAIT: free or [IN]}, "prison": {**usual, **prison}}


@pytest.mark.parametrize(
    ("courses", "message", "hint"),
    [
        (
            machine({}, [Course("x", HALF, Fraction(3, 4), "prison")]),
            "free/refait: course 'x' returns 1/2 and 3/4 stays",
            "shares are 0 to 1, together at most 1",
        ),
        (
            machine({}, [Course("x", staying=HALF)]),
            "free/refait: course 'x' names a share that stays or a state, not both",
            "",
        ),
        (
            machine({CLOSE: [IN]}),
            "prison/close: nothing stays on the table when the session closes",
            "",
        ),
        (
            {"free": {REFAIT: [LOST], CLOSE: [OUT]}},
            "free/close: a free stake is returned whole",
            "",
        ),
        (
            machine({}, [stays("tower")]),
            "free/refait: the state 'tower' is not answered",
            "",
        ),
        (
            machine({WIN: [IN], LOSE: [IN]}),
            "prison: a stake could stay here for ever",
            "let some verdict release it or lose it whatever is chosen",
        ),
        (
            {"free": {REFAIT: [LOST, OUT]}},
            "free/refait: 0 of the courses lost, out are marked default",
            "mark the one that is taken when the player does not choose",
        ),
    ],
)
def test_a_fault_says_where_what_and_how_to_mend_it(
    courses: dict[str, dict[Verdict, list[Course]]], message: str, hint: str
) -> None:
    """S21: the whole error, as a host shows it."""
    with pytest.raises(RuleError) as caught:
        StakeMachine.of(courses)
    found = caught.value
    assert (found.message, found.hint, found.code) == (message, hint, "bad-machine")
    assert found.field == message.partition(":")[0]


def test_an_answer_that_is_there_twice_has_the_place_of_the_machine() -> None:
    """S21: no state is named, since two are meant."""
    whole = StakeMachine.of({"free": {REFAIT: [LOST]}})
    answer = Answer("free", REFAIT, (Course("lost", default=True),))
    with pytest.raises(RuleError) as caught:
        StakeMachine((*whole.answers, answer), whole.possible)
    assert (caught.value.field, caught.value.hint) == ("machine", "")


def test_an_inexact_share_is_refused_by_its_code() -> None:
    """S21: a float is no share; a whole number and a Fraction are."""
    with pytest.raises(RuleError, match=r"a share of 0\.5 is not exact") as caught:
        Course("x", 0.5)  # type: ignore[arg-type]
    assert caught.value.code == "bad-machine"
    assert Course("x", 1).returned == Fraction(1)


def test_a_state_that_only_a_prison_leads_to_is_reached() -> None:
    """A second prison is reached through the first one; nothing leads to the third."""
    tower = {REFAIT: [DEEPER], CLOSE: [FREED]}
    two = {**machine({REFAIT: [DEEPER]}), "tower": tower}
    assert StakeMachine.of(two).prisons == ("prison", "tower")
    with pytest.raises(RuleError) as caught:
        StakeMachine.of({**two, "keep": {REFAIT: [stays("keep")], CLOSE: [FREED]}})
    assert caught.value.message == "keep: no course leads to this state"


def test_an_insured_stake_has_one_course_and_it_is_the_default() -> None:
    """On a special tie nobody chooses, and nobody calls it."""
    house = StakeMachine.of(machine({}))
    (free,) = house.courses("free", REFAIT, insured=HALF)
    assert free == Course(INSURED, HALF, default=True, call="")
    (held,) = house.courses("prison", REFAIT, insured=HALF)
    assert held == Course(INSURED, staying=Fraction(1), state="prison", default=True, call="")
    assert house.courses("free", WIN, insured=HALF) == house.courses("free", WIN)


def test_a_prison_that_the_verdicts_of_one_chance_never_end_is_a_trap() -> None:
    """Only the verdicts that the chance can meet are asked."""
    house = StakeMachine.of(machine({LOSE: [IN]}))
    assert house.trapped() == frozenset()
    assert house.trapped(met=(LOSE, APRES, REFAIT)) == {"prison"}
    assert house.trapped(met=(WIN,)) == frozenset()


def test_special_ties_come_in_the_order_of_their_points() -> None:
    """After the verdicts of every house, whatever the order of a set is."""
    ties = [Verdict(f"refait-{point}") for point in (40, 33, 38, 35)]
    house = StakeMachine.of({"free": {tie: [LOST] for tie in ties}}, (WIN, LOSE, APRES, *ties))
    assert [each.id for each in house.verdicts] == [
        *(each.id for each in (WIN, LOSE, APRES)),
        "refait-33",
        "refait-35",
        "refait-38",
        "refait-40",
    ]


def test_a_policy_that_insures_a_prisoner_is_insured() -> None:
    """The name of a prison may hold a stroke; a choice of a course is no insurance."""
    from trente_rules.core.machine import YES, insurance_place  # noqa: PLC0415

    assert Policy(((insurance_place("prison"), YES),)).insured
    assert not Policy((("prison/refait", "partage"),)).insured
    assert Policy(((insurance_place("prison"), YES),)).insures("prison")
    assert not Policy(((insurance_place("prison"), YES),)).insures("tower")


@pytest.mark.parametrize("more", [0, 1])
def test_as_many_policies_as_a_house_may_have_are_listed(more: int) -> None:
    """S21: exactly the bound is taken, one more is refused."""
    courses = tuple(Course(f"c{n}") for n in range(MOST_POLICIES + more))

    def offer(_state: str, _verdict: Verdict, _insured: bool) -> tuple[Course, ...]:  # noqa: FBT001
        return courses

    if not more:
        assert len(pure_policies(offer, frozenset((REFAIT,)))) == MOST_POLICIES
        return
    with pytest.raises(Exception, match="more than 4096 pure policies"):
        pure_policies(offer, frozenset((REFAIT,)))
