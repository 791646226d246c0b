"""The last coups of a shoe: what a stake in prison is worth where no next coup may fit."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from attrs import evolve

from trente_rules import Shoe, deal_coup, load_house
from trente_rules.core.cards import PACK, Colour
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import POINTS
from trente_rules.core.house.house import House
from trente_rules.core.shoe import ShoePlan
from trente_rules.odds.advantage import advantage
from trente_rules.odds.last_coups import (
    Hidden,
    LastCoups,
    advantage_of_cards,
    fits,
    fits_by_total,
    hidden_points,
)
from trente_rules.odds.remaining import CompletedOdds, Composition, deal_odds

FEW = "A:3r+1b,9:4,X:6"
LEAST = "A:0r+2b,X:7r+0b"
# Derived by hand from the worth of a prisoner in a fresh sixain, .493928 where prison follows
# prison: the verdicts of this coup, and then that worth.
TRUE = [
    (FEW, "inverse", ("prison", "prison"), -0.91438),
    (FEW, "inverse", ("prison", "partage"), -0.91484),
    (FEW, "inverse", ("partage",), -0.95286),
    (FEW, "couleur", ("prison", "prison"), 7.32785),
    (FEW, "rouge", ("prison", "prison"), 3.20673),
    (LEAST, "rouge", ("prison", "prison"), 22.49208),
    (LEAST, "couleur", ("prison", "prison"), 0.26986),
    (LEAST, "inverse", ("prison", "prison"), 44.71430),
]


def left_of(text: str) -> tuple[Composition, CompletedOdds]:
    """Return cards, and the odds of the next coup from them."""
    left = Composition.parse(text)
    return left, CompletedOdds(deal_odds(left))


@pytest.mark.parametrize(("text", "chance", "courses", "edge"), TRUE)
def test_a_prisoner_of_the_last_coup_is_worth_what_a_fresh_shoe_makes_it(
    text: str, chance: str, courses: tuple[str, ...], edge: float
) -> None:
    """M3: the true values, with the refait that takes 62 of the last 100 and 72 points."""
    house = load_house("france-2007")
    left, odds = left_of(text)
    found = advantage_of_cards(house, left, odds, chances=[chance])
    policies = {tuple(name for _where, name in w.policy.choices): w for w in found.wagers}
    assert float(policies[courses].edge) * 100 == pytest.approx(edge, abs=6e-6)


def test_the_best_choice_at_the_end_is_not_reversed() -> None:
    """M3: on inverse partage is best, though copies of the nearly empty shoe favour prison."""
    house = load_house("france-2007")
    left, odds = left_of(FEW)
    last = advantage_of_cards(house, left, odds, chances=["inverse"]).wagers
    best = min((w for w in last if not w.insured), key=lambda w: w.edge)
    assert best.policy.choices == (("free/refait", "partage"),)
    copies = advantage(house, odds, chances=["inverse"]).wagers
    wrong = min((w for w in copies if not w.insured), key=lambda w: w.edge)
    assert wrong.policy.choices[0] == ("free/refait", "prison")


def test_prisoners_that_are_closed_are_worth_the_close() -> None:
    """M3: a house that closes prisoners pays the share of ``close``: here half a stake."""
    house = load_house("france-2007")
    closing = evolve(house, shoe=evolve(house.shoe, prisoners_at_end="close"))
    left, odds = left_of(LEAST)
    (found, *_others) = advantage_of_cards(closing, left, odds, chances=["rouge"]).wagers
    (path, *_rest) = closing.wager("rouge").paths(
        verdicts=(*closing.chance("rouge").verdicts, *_closed(closing))
    )
    share = path.steps["prison"][_closed(closing)[0]].back
    refait = odds.verdicts(closing.chance("rouge").table)[3]
    assert found.edge == refait * (1 - share)


def _closed(house: House) -> tuple[Verdict, ...]:
    return tuple(
        answer.verdict for answer in house.machine.answers if answer.verdict.kind == "close"
    )


def test_none_fits_below_62_points_and_one_is_sure_above_70() -> None:
    """M3: between them it needs a first row that leaves at least 31 points."""
    row = [Fraction(1, 10)] * 10
    assert [fits(points, row) for points in (0, 61, 62, 66, 70, 71, 400)] == [
        *(0, 0, Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), 1, 1)
    ]


@pytest.mark.slow
def test_dealt_coups_fit_as_the_points_say() -> None:
    """M3, by dealing: a coup completes if and only if the first row leaves 31 points or more."""
    draws = random.Random(20)  # noqa: S311 - cards of a test
    seen = {True: 0, False: 0}
    for _shoe in range(1500):
        cards = draws.sample(PACK, draws.randint(8, 16))
        points = sum(card.points for card in cards)
        shoe = Shoe((*cards,), 1)
        dealt = deal_coup(shoe, plan=ShoePlan(len(cards), len(cards)))
        first = 0
        for card in cards:
            first += card.points
            if first >= POINTS[0]:
                break
        fitted = first >= POINTS[0] and points - first >= POINTS[0]
        assert fitted == (dealt.coup is not None)
        assert not (points < 62 and fitted)
        assert fitted or points < 71
        seen[fitted] += 1
    assert min(seen.values()) > 100


def test_hidden_points_are_those_of_cards_drawn_without_replacement() -> None:
    """Two of four cards, by hand: A A 9 X."""
    left = Composition.of_cards(
        [card for card in PACK if card.colour == Colour.ROUGE and card.points in (1, 9)][:3]
    )
    assert left.cards == 3
    law = hidden_points(left, 2)
    values = sorted(
        value
        for value, (a, b) in enumerate(zip(left.noir, left.rouge, strict=True), 1)
        for _card in range(a + b)
    )
    pairs = [values[i] + values[j] for i in range(3) for j in range(i)]
    assert law == {p: pytest.approx(pairs.count(p) / 3) for p in set(pairs)}


def test_a_house_hides_its_burned_cards_and_those_behind_the_marker() -> None:
    """M3: five behind a marker that voids; five burned; a marker that finishes hides the begin."""
    assert Hidden.of(load_house("france-2007").shoe) == Hidden(5, 5)
    assert Hidden.of(load_house("monte-carlo-1911").shoe) == Hidden(0, 0)
    finishing = load_house("italian-program").shoe
    assert Hidden.of(finishing).begin > Hidden.of(finishing).end


def test_with_many_cards_a_next_coup_is_sure() -> None:
    """The figures are those of ``advantage``, whatever the house."""
    left, odds = left_of("A:8,2:8,3:8,4:8,5:8,6:8,7:8,8:8,9:8,X:32")
    for name in ("france-2007", "italy-prison", "italian-program"):
        house = load_house(name)
        assert LastCoups.of(house, left, odds) is None
        assert advantage_of_cards(house, left, odds) == advantage(house, odds)


def test_five_cards_behind_the_marker_may_be_the_highest_that_are_left() -> None:
    """M3: sure is only what is sure if the greatest five cards are not dealt.

    Of 22 nines, 198 points, 80 for a coup and 45 behind the marker leave 73: a next one is sure.
    Of 18 tens, 180 points, the same leave 50: after two tens of 40, none fits.
    """
    rule, row = load_house("france-2007").shoe, [Fraction(1, 10)] * 10
    assert fits_by_total(rule, Composition.parse("9:22"), row) is None
    found = fits_by_total(rule, Composition.parse("X:18"), row)
    assert found is not None
    assert found[-1] == 0


def test_between_62_and_70_points_the_law_of_a_row_decides() -> None:
    """M3: 130 points in all; after a tie on 31 68 are left, after one on 35 only 60."""
    house = load_house("monte-carlo-1911")
    left, odds = left_of("A:4,2:4,5:2,8:4,X:7r+1b")
    row = odds.odds.row()
    found = fits_by_total(house.shoe, left, row)
    points = sum(v * (a + b) for v, (a, b) in enumerate(zip(left.noir, left.rouge, strict=True), 1))
    assert points == 134
    assert found is not None
    after = dict(zip(range(62, 81), found, strict=True))
    assert after[62] == after[63] == 1
    assert after[73] == after[80] == 0
    assert after[70] == sum(row[:3]) / sum(row)


def test_a_shoe_that_is_shuffled_for_every_coup_has_no_end() -> None:
    """A machine: every coup is the first of a whole shoe."""
    house = load_house("eight-packs-machine")
    left, odds = left_of(FEW)
    assert LastCoups.of(house, left, odds) is None


def test_cards_that_only_tie_free_no_prisoner() -> None:
    """Eight tens make 40 and 40: nobody is imprisoned, and no worth divides by zero."""
    left, odds = left_of("X:4r+4b")
    for name in ("france-2007", "italy-two-prisons"):
        plain = [
            w for w in advantage_of_cards(load_house(name), left, odds).wagers if not w.insured
        ]
        assert {w.edge for w in plain} == {0}
