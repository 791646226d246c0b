"""The choice at a refait by the cards left: prison or partage."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

import pytest
from attrs import evolve

pytest.importorskip("numba")

import numpy as np

from trente_rules import load_house
from trente_rules.core.chances import Verdict
from trente_rules.core.house.house import House
from trente_rules.odds.advantage import law_of, of_kind
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.functionals import HouseFunctionals, vectors_of
from trente_rules.odds.last_coups import fits_by_total
from trente_rules.odds.refait_choice import course_arrays, refait_choices
from trente_rules.odds.remaining import CompletedOdds, Composition, deal_odds

HALF = Fraction(1, 2)
# Enough cards that a next coup is sure; the colours of some values lean far to one side.
LEANING = "5:0r+2b,6:6r+0b,8:6r+0b,9:0r+6b,X:12r+12b"


def found(text: str, house: str = "france-2007") -> dict[str, dict[str, Fraction]]:
    """Return the worths of the courses by chance."""
    left = Composition.parse(text)
    odds = CompletedOdds(deal_odds(left, "fast"))
    return {each.chance: each.worths for each in refait_choices(load_house(house), left, odds)}


@pytest.mark.slow
def test_prison_beats_partage_where_the_lead_is_above_half_a_refait() -> None:
    """M31: rouge and noir never; a chance with a lead L if and only if L > q/2, by its formula."""
    house = load_house("france-2007")
    left = Composition.parse(LEANING)
    odds = CompletedOdds(deal_odds(left, "fast"))
    leads = []
    for each in refait_choices(house, left, odds):
        law = law_of(house.chance(each.chance), odds)
        win, lose, push, refait = (of_kind(law, k) for k in ("win", "lose", "push", "tie"))
        # The prison that halves at every further refait, and is free at a win.
        prison = win / (1 - push - refait / 2)
        assert each.worths["partage"] == HALF
        # Best play halves it at a further refait, or takes a half of the half: no less than this.
        assert each.worths["prison"] >= prison
        assert (each.best == "prison") == (win - lose > refait / 2)
        leads.append(each.best)
        assert each.gain == abs(each.worths["prison"] - HALF)
    assert leads.count("partage") >= 3
    assert leads.count("prison") == 1


def test_a_prison_that_only_repeats_is_worth_a_half() -> None:
    """M31: whatever is left, on the chances whose rows are alike."""
    for courses in (found(LEANING, "italy-prison")[name] for name in ("rouge", "noir")):
        assert all(worth <= HALF for worth in courses.values())


def test_without_a_choice_there_is_none() -> None:
    """Half lost, whatever the player wants."""
    assert found(LEANING, "italian-program") == {}


def test_the_last_prisoner_waits_for_a_fresh_shoe() -> None:
    """M3, M31: of eight tens five lie behind the marker; a fresh shoe makes it worth .494."""
    courses = found("X:4r+4b")
    assert float(courses["rouge"]["prison"]) == pytest.approx(0.493928, abs=1e-4)
    assert courses["inverse"]["partage"] == HALF


@pytest.mark.slow
def test_many_laws_at_once_are_worth_the_same() -> None:
    """The floats of counting against the fractions of the next coup, sure or not."""
    house = load_house("france-2007")
    functionals = HouseFunctionals.of(house)
    for text in (LEANING, "A:3r+1b,9:4,X:6", "A:4,2:4,5:2,8:4,X:7r+1b"):
        left = Composition.parse(text)
        odds = deal_odds(left, "fast")
        fit = fits_by_total(house.shoe, left, odds.row(), (0,)) or (1,)
        laws = vectors_of([odds]) @ functionals.weights.T
        arrays = course_arrays(functionals, laws, np.array([float(fit[0])]))
        exact = refait_choices(house, left, CompletedOdds(odds))
        assert len(exact) == len(arrays) == 4
        for each in exact:
            for course, worth in each.worths.items():
                assert arrays[each.chance, each.verdict][course][0] == pytest.approx(float(worth))


def best_play(house: House, law: Mapping[Verdict, Fraction]) -> dict[str, float]:
    """Return the worth of a unit in each prison, coup by coup from the far end: no policies."""
    worths = dict.fromkeys(house.machine.prisons, 0.5)
    for _coup in range(300):
        worths = {
            state: sum(
                float(p)
                * max(
                    float(course.returned * (1 + course.pays))
                    + float(course.staying) * worths.get(course.state, 0)
                    for course in house.machine.courses(state, verdict)
                )
                for verdict, p in law.items()
                if p
            )
            for state in worths
        }
    return worths


@pytest.mark.slow
@pytest.mark.parametrize("name", ["france-2007", "foster-1897", "german-spas-1840", "italy-prison"])
@pytest.mark.parametrize("at_end", ["carry", "close"])
def test_the_worths_are_those_of_the_best_play_coup_by_coup(
    name: str, at_end: Literal["carry", "close"]
) -> None:
    """M31: any machine, any tie, carried or closed; a later choice may differ in a fresh shoe."""
    usual = load_house(name)
    house = evolve(usual, shoe=evolve(usual.shoe, prisoners_at_end=at_end))
    for text in ("A:3r+1b,9:4,X:6", "A:0r+2b,X:7r+0b", LEANING):
        left = Composition.parse(text)
        odds = CompletedOdds(deal_odds(left))
        (fit,) = fits_by_total(house.shoe, left, odds.odds.row(), (0,)) or (1,)
        for each in refait_choices(house, left, odds):
            chance = house.chance(each.chance)
            here = best_play(house, law_of(chance, odds))
            there = best_play(house, law_of(chance, fresh_shoe(house.shoe.packs)))
            if at_end == "close":
                there = {
                    state: float(house.machine.courses(state, Verdict.CLOSE)[0].returned)
                    for state in house.machine.prisons
                }
            verdict = next(one for one in chance.verdicts if one.id == each.verdict)
            for course in house.machine.courses("free", verdict):
                worth = float(course.returned)
                if course.state:
                    mixed = fit * here[course.state] + (1 - fit) * there[course.state]
                    worth += float(course.staying) * float(mixed)
                assert float(each.worths[course.name]) == pytest.approx(worth, abs=1e-9), text
