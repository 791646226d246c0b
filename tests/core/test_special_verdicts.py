"""Verdicts, chances and courses as data: what a house of the next years may be made of."""

from __future__ import annotations

import pickle
import re
from fractions import Fraction
from pathlib import Path

import pytest
from attrs import evolve

import trente_rules
from trente_rules import Course, Opening, RuleError, Stake, StakeMachine, Table, Verdict, load_house
from trente_rules.core.chances import VERDICTS, Chance
from trente_rules.core.coup import Outcome
from trente_rules.core.house.house import canonical
from trente_rules.core.machine import side_bet_machine, stays
from trente_rules.core.rules.insurance import Rate
from trente_rules.core.wager import Wager
from trente_rules.odds.advantage import law_of, of_kind, wager_advantages
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.table import (
    Announced,
    CloseBets,
    Cut,
    Deal,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
)
from trente_rules.testing import coup_with, stacked_shoe

HALF = Fraction(1, 2)
HOUSE = load_house("france-2007")
SHOE = fresh_shoe(6)
FORTY = Verdict("refait-40")
ANY, HUNDRED = Verdict("win", Fraction(8)), Verdict("win-100", Fraction(100))


def wager_on(chance: Chance, machine: StakeMachine) -> Wager:
    """Return an uninsured wager of the house on another chance, with another machine."""
    return evolve(HOUSE.wager("rouge"), chance=chance, machine=machine)


def any_tie(outcome: Outcome) -> Verdict:
    """Return a win at each tie, a larger one at 40."""
    if outcome.first != outcome.second:
        return Verdict.LOSE
    return HUNDRED if outcome.first == 40 else ANY


TIES = Chance.of("ties", any_tie, (ANY, Verdict.LOSE, HUNDRED))


def rouge_at_forty(outcome: Outcome) -> Verdict:
    """Return the verdict of rouge in a house with two special ties."""
    if outcome.first == outcome.second == 40:
        return FORTY
    rouge = HOUSE.chance("rouge")
    return rouge.verdict(coup_with(outcome.first, outcome.second))


TWO_TIES = Chance.of("rouge", rouge_at_forty, (*VERDICTS[:4], FORTY), simple=True)
MACHINE = StakeMachine.of(
    {
        "free": {
            Verdict.REFAIT: [stays("prison", name="prison")],
            FORTY: [
                Course("quarter", staying=Fraction(3, 4), taken=Fraction(1, 4), state="prison")
            ],
        },
        "prison": {
            Verdict.WIN: [Course("freed", returned=Fraction(1), pays=HALF)],
            Verdict.REFAIT: [stays("prison")],
            FORTY: [Course("lost")],
            Verdict.CLOSE: [Course("closed", returned=HALF)],
        },
    },
    possible=TWO_TIES.verdicts,
)


def test_a_verdict_is_known_by_its_id() -> None:
    """Whatever it pays; the first word of the id says what it does."""
    assert Verdict("win", Fraction(8)) == Verdict.WIN
    assert (FORTY.kind, HUNDRED.kind, FORTY.usual) == ("tie", "win", Verdict.REFAIT)
    assert Verdict.of_id("refait-40") == FORTY
    assert Verdict.of_id("lose") is Verdict.LOSE
    assert pickle.loads(pickle.dumps(FORTY)) == FORTY
    with pytest.raises(RuleError) as caught:
        Verdict("draw-40")
    assert caught.value.code == "unknown-verdict"
    with pytest.raises(RuleError) as caught:
        Verdict("refait-40", Fraction(1))
    assert caught.value.code == "bad-odds"


def test_one_side_bet_pays_two_odds() -> None:
    """8 for any tie and 100 for 40-40: paid by the verdict, with its exact advantage."""
    wager = wager_on(TIES, side_bet_machine(TIES.verdicts))
    won = [
        wager.settle(Stake("a", "ann", "ties", 10), TIES.verdict(coup)).won
        for coup in (coup_with(33, 33), coup_with(40, 40), coup_with(33, 34))
    ]
    assert won == [80, 1000, 0]
    law = law_of(TIES, SHOE)
    assert of_kind(law, "win") == sum(SHOE.tie(point) for point in range(31, 41))
    (found,) = wager_advantages(wager, law)
    forty = SHOE.tie(40)
    assert found.edge == 1 - (of_kind(law, "win") - forty) * 9 - forty * 101
    (of_amount,) = wager_advantages(wager, law, stake=100)
    assert of_amount.edge == found.edge


def test_a_house_may_have_two_special_ties() -> None:
    """Each with its own courses; insurance acts at both, and the premium goes with the kind."""
    wager = wager_on(TWO_TIES, MACHINE)
    stake = Stake("a", "ann", "rouge", 100)
    assert TWO_TIES.verdict(coup_with(40, 40)) == FORTY
    assert TWO_TIES.verdict(coup_with(31, 31)) == Verdict.REFAIT
    insured = evolve(wager, insurance=Rate().build(HOUSE.money))
    line = insured.settle(stake, FORTY)
    assert (line.returned, line.course, line.premium_kept) == (100, "insured", 1)


def test_the_bank_may_take_a_share_at_once() -> None:
    """Foster's quarter: it leaves the table now, and what stays is worth the rest."""
    line = wager_on(TWO_TIES, MACHINE).settle(Stake("a", "ann", "rouge", 100), FORTY)
    assert (line.forfeited, line.staying, line.returned) == (25, 75, 0)
    assert line.after is not None
    assert line.after.standing == line.after.worth == 75


def test_a_prisoner_that_wins_may_be_paid() -> None:
    """What is returned wins at the odds of the course, in settlement as in the advantage."""
    wager = wager_on(TWO_TIES, MACHINE)
    prisoner = Stake("a", "ann", "rouge", 100, state="prison", share=Fraction(3, 4))
    line = wager.settle(prisoner, Verdict.WIN)
    assert (line.returned, line.won) == (75, 37)
    law = law_of(TWO_TIES, SHOE)
    (nominal,) = wager_advantages(wager, law)
    (paid,) = wager_advantages(wager, law, stake=1000)
    assert abs(nominal.edge - paid.edge) < Fraction(1, 1000)


def test_a_course_may_be_offered_from_an_amount() -> None:
    """In units, apart from the minimum of the table."""
    machine = StakeMachine.of(
        {
            "free": {
                Verdict.REFAIT: [
                    evolve(stays("prison", name="prison"), default=True),
                    Course("partage", returned=HALF, offered_from=50),
                ]
            },
            "prison": {Verdict.REFAIT: [stays("prison")], Verdict.CLOSE: [Course("lost")]},
        }
    )
    wager = evolve(HOUSE.wager("rouge"), machine=machine)
    names = [
        [course.name for course in wager.offered(Stake("a", "ann", "rouge", n), Verdict.REFAIT)]
        for n in (98, 100)
    ]
    assert names == [["prison"], ["prison", "partage"]]


@pytest.mark.parametrize(
    "course",
    [
        Course("x", returned=HALF, taken=Fraction(3, 4)),
        Course("x", taken=-HALF),
        Course("x", returned=HALF, pays=-HALF),
        Course("x", returned=HALF, pays=HALF),
    ],
)
def test_shares_that_cannot_be_are_refused(course: Course) -> None:
    """More than one stake is not there to be shared."""
    with pytest.raises(RuleError) as caught:
        StakeMachine.of({"free": {Verdict.REFAIT: [course]}})
    assert caught.value.code == "bad-machine"


def test_what_is_at_its_default_is_not_in_a_fingerprint() -> None:
    """And a special verdict is."""
    assert set(canonical(HOUSE.chance("rouge"))) == {"id", "odds", "verdicts", "simple"}
    assert canonical(TIES)["means"] == [["win", "8"], ["lose", "0"], ["win-100", "100"]]
    assert canonical(Course("x", offered_from="minimum")) == {"name": "x", "not_below": "minimum"}


def test_every_possible_verdict_is_answered() -> None:
    """A special tie is no ordinary one: the machine must say what happens."""
    with pytest.raises(RuleError, match="free/refait-40: there is no course"):
        StakeMachine.of({"free": {Verdict.REFAIT: [Course("lost")]}}, TWO_TIES.verdicts)


def test_a_nominal_path_follows_the_special_verdicts() -> None:
    """Its policies too; the opening is needed by none."""
    paths = list(wager_on(TWO_TIES, MACHINE).paths(opening=Opening()))
    assert [set(path.steps) for path in paths] == [{"free", "prison"}]
    assert FORTY in paths[0].steps["free"]


def test_verdicts_are_compared_by_their_ids() -> None:
    """Never by identity: the win of a side bet, or one read from a journal, is another object."""
    found = [
        f"{path.name}: {line.strip()}"
        for path in Path(trente_rules.__file__).parent.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"\bis (not )?Verdict\.", line)
    ]
    assert not found


def test_a_course_may_name_its_call() -> None:
    """The table says it in place of what follows from the amounts."""
    house = load_house("france-2007")
    house.__dict__["machine"] = StakeMachine(
        tuple(
            evolve(answer, courses=tuple(evolve(c, call="libre") for c in answer.courses))
            if answer.verdict == Verdict.REFAIT
            else answer
            for answer in house.machine.answers
        )
    )
    table, cards = Table(house, opening=Opening(10)), stacked_shoe([coup_with(31, 31)]).cards
    for command in (
        OpenShoe(id="1", cards=cards),
        Cut(id="2"),
        PlaceMarker(id="3"),
        OpenBets(id="4"),
        Place(id="5", stake="s", player="ann", chance="rouge", amount=100),
        CloseBets(id="6"),
        Deal(id="7"),
    ):
        table.do(command)
    said = [event.phrase for event in table.do(Settle(id="8")) if isinstance(event, Announced)]
    assert said[:1] == ["libre"]
    assert "en_prison" not in said
