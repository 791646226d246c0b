"""Refusals whole: code, sentence, stake and the values that clients in other languages read."""

from __future__ import annotations

from typing import Any

import pytest

from trente_rules import (
    BetError,
    Choice,
    Coup,
    History,
    House,
    Opening,
    Refusal,
    Stake,
    Verdict,
    close_session,
    courses,
    loads_house,
    refusals,
    settle,
    void_coup,
)
from trente_rules.core.settlement import refusals_near, terms_of, wager_of
from trente_rules.testing import coup_with

WIN = coup_with(33, 34)


def house(insurance: str = "", money: str = "", limits: str = "") -> House:
    """Return a house of two prisons in whole euros, insured where keys of insurance are given."""
    return loads_house(
        '[house]\nname = "own"\n[refait]\nrule = "prison"\nlevels = 2\nrelease = "one-out"\n'
        'last = "lose"\n'
        + (f'[insurance]\nrule = "rate"\n{insurance}\n' if insurance else "")
        + (f"[money]\n{money}\n" if money else "")
        + f'[limits]\nrule = "fixed"\nminimum = 1\n{limits}'
    )


def stake(amount: int, **more: Any) -> Stake:
    """Return a stake on noir."""
    return Stake("a", "ann", more.pop("chance", "noir"), amount, **more)


INSURED = house("minimum_stake = 50\nmultiple = 10\nmaximum_stake = 600")


@pytest.mark.parametrize(
    ("amount", "more", "code", "why"),
    [
        (49, {}, "insurance-below-minimum", "only stakes of 50 EUR or more can be insured"),
        (610, {}, "insurance-above-maximum", "only stakes of 600 EUR or less can be insured"),
        (55, {}, "insurance-not-multiple", "only multiples of 10 EUR can be insured"),
        (60, {"state": "prison"}, "not-covered", "insurance does not cover stakes in prison"),
    ],
)
def test_an_insured_stake_is_refused_with_the_bounds_of_insurance(
    amount: int, more: dict[str, str], code: str, why: str
) -> None:
    """The refusal has the stake and all bounds; the error has the same sentence and what to do."""
    one = stake(amount, insured=True, **more)
    (refusal,) = refusals(INSURED, [one])
    values = (
        ("amount", amount),
        ("chance", "noir"),
        ("state", one.state),
        ("minimum", 50),
        ("multiple", 10),
        ("maximum", 600),
    )
    assert (refusal.code, refusal.stake, refusal.values) == (code, "a", values)
    assert why in refusal.message
    with pytest.raises(BetError) as caught:
        wager_of(INSURED, one)
    error = caught.value
    assert error.message == f"stake 'a': {why}"
    assert (error.code, error.hint, error.stake) == (code, "place it uninsured", "a")


def test_an_insured_stake_in_a_house_without_insurance() -> None:
    """There are no bounds to name."""
    (refusal,) = refusals(house(), [stake(60, insured=True)])
    assert refusal.code == "no-insurance"
    assert "own does not insure stakes on noir" in refusal.message
    assert refusal.values == (("amount", 60), ("chance", "noir"), ("state", "free"))


@pytest.mark.parametrize(("rule", "refused"), [("uninsured", False), ("refused", True)])
def test_a_stake_without_proof(rule: str, *, refused: bool) -> None:
    """Without proof it is uninsured or refused, as the house says."""
    built = house(f'without_proof = "{rule}"')
    one = stake(60, insured=True, proof=False)
    if not refused:
        assert wager_of(built, one) is built.wager("noir")
        return
    with pytest.raises(BetError, match="there is no proof that the premium was paid") as caught:
        wager_of(built, one)
    assert caught.value.code == "insurance-without-proof"
    assert [refusal.code for refusal in refusals(built, [one])] == ["insurance-without-proof"]


def test_a_covered_prisoner_is_insured_where_its_state_is_covered() -> None:
    """Its premium was paid in an earlier coup: in a state that is not covered it is plain."""
    lasting = house('lasts = "until-decided"\ncovers = ["free", "prison"]')
    covered = stake(60, state="prison", covered=True)
    assert wager_of(lasting, covered) is lasting.wagers["noir", True]
    later = stake(60, state="prison-2", covered=True)
    assert wager_of(lasting, later) is lasting.wager("noir")
    assert wager_of(house(), covered) is not None
    assert not wager_of(house(), covered).insured


def test_a_stake_below_the_minimum_of_today() -> None:
    """The opening may post the least stake that is insured; it is for free stakes that are."""
    opening = Opening(insurance_minimum=80)
    (refusal,) = refusals(INSURED, [stake(70, insured=True)], opening=opening)
    assert refusal == Refusal(
        "insurance-below-minimum",
        "only stakes of 80 EUR or more are insured today",
        "a",
        (("amount", 70), ("minimum", 80)),
    )
    assert refusals(INSURED, [stake(80, insured=True)], opening=opening) == ()
    assert refusals(INSURED, [stake(70)], opening=opening) == ()


def test_a_stake_that_cannot_be_settled_to_the_unit() -> None:
    """A house that refuses rounding refuses the stake, and names the unit."""
    exact = loads_house(
        '[house]\nname = "own"\n[refait]\nrule = "half-loss"\n[money]\nrounding = "refuse"\n'
        '[limits]\nrule = "fixed"\nminimum = 1\n'
    )
    (refusal,) = refusals(exact, [stake(15)])
    unit = exact.money.text(1)
    assert refusal == Refusal(
        "inexact",
        f"a stake of 15 EUR could not be settled to the unit of {unit}",
        "a",
        (("amount", 15), ("unit", 1)),
    )
    assert refusals(exact, [stake(16)]) == ()


def test_two_stakes_of_one_id() -> None:
    """The second is refused, by its id; the first is not."""
    twice = [stake(20), stake(30, chance="rouge")]
    found = refusals(house(), twice)
    message = "two stakes have the id 'a'"
    assert found == (Refusal("double-stake", message, "a", (("stake", "a"),)),)
    with pytest.raises(BetError, match=message) as caught:
        settle(house(), WIN, twice)
    assert (caught.value.code, caught.value.hint) == ("double-stake", "give each a separate id")
    assert caught.value.stake == "a"


def test_every_refused_stake_is_named_after_one_that_is_no_wager() -> None:
    """A chance that the house does not have hides no refusal of the stakes after it."""
    wrong = Stake("x", "ann", "plein", 20)
    below = Stake("b", "bob", "noir", 40, insured=True)
    found = refusals(INSURED, [wrong, below])
    assert [(each.code, each.stake) for each in found] == [
        ("unknown-chance", "x"),
        ("insurance-below-minimum", "b"),
    ]
    assert found[0].values == (("amount", 20), ("chance", "plein"), ("state", "free"))


def test_a_free_stake_has_no_course_to_choose_before_the_coup() -> None:
    """A prisoner in a state that the machine lacks is refused; a free stake is not asked."""
    (refusal,) = refusals(house(), [stake(20, state="prison-9")])
    assert (refusal.code, refusal.stake) == ("unknown-state", "a")
    assert refusals(house(), [stake(20, state="prison")]) == ()


# --- settlement

CHOOSING = loads_house('[house]\nname = "own"\n[refait]\nrule = "prison"\npartage = ["1/2"]\n')


def test_a_choice_of_an_unknown_stake_names_those_on_the_table() -> None:
    """The hint lists the ids, or says that there are none."""
    choice = Choice("z", "lose", state="free", verdict=Verdict.REFAIT)
    for placed, hint in (([], "stakes are none"), ([stake(9)], "stakes are a")):
        with pytest.raises(BetError) as caught:
            settle(house(), WIN, placed, [choice])
        error = caught.value
        assert error.message == "a choice names stake 'z', which is not on the table"
        assert (error.code, error.hint, error.stake) == ("unknown-stake", hint, "z")


def named(built: House, one: Stake, verdict: Verdict) -> list[str]:
    """Return the names of the courses that a stake is offered."""
    return [course.name for course in courses(built, one, verdict)]


def test_errors_of_choices_name_the_stake_and_what_can_be_chosen() -> None:
    """An unknown course, two choices at once, a chance that is none: each with its hint."""
    built = CHOOSING
    free = named(built, stake(20), Verdict.REFAIT)
    assert len(free) == 2
    one = stake(20)

    def error(*choices: Choice, placed: Stake = one) -> BetError:
        with pytest.raises(BetError) as caught:
            settle(built, WIN, [placed], choices)
        return caught.value

    wrong = error(Choice("a", "fly", state="free", verdict=Verdict.REFAIT))
    assert wrong.code == "unknown-course"
    assert wrong.message.startswith("'fly' is not a course of ")
    assert wrong.hint == f"courses are {', '.join(free)}"
    assert wrong.stake == "a"
    both = error(*(Choice("a", name, state="free", verdict=Verdict.REFAIT) for name in free))
    assert both.code == "double-choice"
    assert both.message == f"stake 'a' has the choices {free[0]!r} and {free[1]!r} at once"
    assert (both.hint, both.stake) == ("give one choice for a state and verdict", "a")
    none = error(
        Choice("a", free[0], state="free", verdict=Verdict.REFAIT), placed=stake(20, chance="plein")
    )
    assert none.code == "unknown-chance"
    state = error(Choice("a", free[0], state="prison-9", verdict=Verdict.REFAIT))
    assert (state.code, state.stake) == ("unknown-state", "a")
    assert state.hint


def test_the_same_choice_twice_is_one() -> None:
    """Only choices that differ are refused."""
    built = CHOOSING
    course = named(built, stake(20), Verdict.REFAIT)[1]
    choice = Choice("a", course, state="free", verdict=Verdict.REFAIT)
    refait: Coup = coup_with(31, 31)
    twice = settle(built, refait, [stake(20)], [choice, choice])
    assert twice == settle(built, refait, [stake(20)], [choice])
    assert twice.lines[0].course == course


def test_near_refusals_read_the_opening() -> None:
    """What is refused near a changed stake is what is refused of it alone."""
    opening = Opening(insurance_minimum=80)
    one = stake(70, insured=True)
    near = refusals_near(INSURED, "a", [one], {"noir": 70}, 1, History(), opening=opening)
    assert near == refusals(INSURED, [one], opening=opening)
    assert near


def test_a_covered_prisoner_cannot_be_insured_where_its_state_is_not_covered() -> None:
    """A prisoner that an earlier premium covers may ask for insurance, and is refused."""
    lasting = house('lasts = "until-decided"\ncovers = ["free", "prison"]')
    asking = stake(60, state="prison-2", covered=True, insured=True)
    with pytest.raises(BetError, match="insurance does not cover stakes in prison-2"):
        wager_of(lasting, asking)


def side_house() -> House:
    """Return a house with a side bet that needs a stake on a simple chance."""
    return loads_house(
        '[house]\nname = "own"\n[refait]\nrule = "half-loss"\n'
        '[[side_bets]]\nid = "tie"\nneeds = "simple"\nwins_on = "any-tie"\nodds = "8"\n'
    )


def test_a_side_bet_alone_is_refused_by_its_chance() -> None:
    """The same player needs a free stake on a simple chance; the values name the side bet."""
    alone = Stake("t", "ann", "tie", 5)
    (refusal,) = refusals(side_house(), [alone, Stake("b", "bob", "noir", 5)])
    why = "tie is taken only with a stake on a simple chance in the same coup"
    assert refusal == Refusal("needs-simple", why, "t", (("chance", "tie"),))
    assert refusals(side_house(), [alone, stake(5)]) == ()


def test_side_bets_have_no_terms_of_their_own() -> None:
    """A side bet needs a look at the other stakes; a simple chance next to it does not."""
    terms = terms_of(side_house(), Opening())
    assert terms["tie", False] is None
    assert terms["noir", False] is not None


def test_the_second_of_two_equal_ids_is_named() -> None:
    """Not the first stake of all: the first whose id comes again."""
    placed = [Stake(name, "ann", "noir", 5) for name in ("x", "a", "b", "a")]
    with pytest.raises(BetError, match="two stakes have the id 'a'") as caught:
        settle(house(), WIN, placed)
    assert caught.value.stake == "a"


STATES = ("free", "prison", "prison-2")


@pytest.mark.parametrize("points", [(33, 34), (34, 33), (31, 31), (35, 35)])
def test_equal_stakes_in_different_states_are_settled_apart(points: tuple[int, int]) -> None:
    """Free stakes that are alike share a line; prisoners of another state do not."""
    built = house()
    coup = coup_with(*points)
    placed = [
        Stake(f"{state} {n} {chance}", "ann", chance, 20, state=state)
        for chance in ("noir", "rouge")
        for state in STATES
        for n in (1, 2)
    ]
    lines = {line.stake.id: line for line in settle(built, coup, placed).lines}
    assert len(lines) == len(placed)
    for one in placed:
        (alone,) = settle(built, coup, [one]).lines
        assert lines[one.id] == alone


def test_two_stakes_are_paid_in_the_order_of_the_house() -> None:
    """Two lines have an order already: losers are taken before winners are paid, or as it is."""
    placed = [Stake("w", "ann", "rouge", 5), Stake("l", "bob", "noir", 5)]
    coup = coup_with(33, 34)
    both = settle(house(), coup, placed)
    turned = settle(house(), coup, placed[::-1])
    three = [*placed, Stake("x", "bob", "inverse", 5)]
    among = [line.stake.id for line in settle(house(), coup, three).lines if line.stake.id != "x"]
    assert [line.stake.id for line in both.lines] == among
    assert {line.stake.id for line in turned.lines} == {"w", "l"}


def test_a_void_coup_leaves_prisoners_whole() -> None:
    """A free stake is returned with its premium; a prisoner stays with all that stands."""
    insured = house("minimum_stake = 10\nminimum_premium = 2")
    placed = [stake(60, insured=True), Stake("p", "bob", "rouge", 40, state="prison")]
    free, prisoner = void_coup(insured, placed).lines
    assert (free.returned, free.staying, free.after, free.insured) == (60, 0, None, True)
    assert free.premium_returned == 2
    assert (prisoner.returned, prisoner.staying, prisoner.insured) == (0, 40, False)
    assert prisoner.after is not None
    assert prisoner.after.state == "prison"


def test_a_session_is_closed_under_its_opening() -> None:
    """Where a course at the close depends on the minimum of today, the opening is read."""
    built = loads_house(
        '[house]\nname = "own"\n[refait]\nrule = "custom"\n'
        '[refait.machine.free]\nrefait = [{course = "prison", staying = "1", state = "held"}]\n'
        '[refait.machine.held]\nwin = [{course = "out", returned = "1"}]\n'
        'lose = [{course = "lost"}]\nrefait = [{course = "lost"}]\n'
        'close = [{course = "half", returned = "1/2", not_below = "minimum", default = true},'
        ' {course = "whole", returned = "1"}]\n'
        '[limits]\nrule = "fixed"\nminimum = "at-opening"\n'
    )
    held = Stake("p", "ann", "noir", 40, state="held")
    for minimum, returned in ((10, 20), (30, 40)):  # half of 40 is below a minimum of 30
        (line,) = close_session(built, [held], opening=Opening(minimum)).lines
        assert line.returned == returned
    with pytest.raises(BetError) as caught:
        close_session(built, [held])
    assert caught.value.code == "opening-needed"
