"""The odds of one coup: reference values, the contract of the value, deals by name."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import pairwise

import pytest
from tests.odds.rows import cards_in_a_row

from trente_rules.core.chances import DealRule, Verdict
from trente_rules.core.coup import OUTCOMES, outcomes
from trente_rules.core.errors import TrenteError
from trente_rules.odds.advantage import law_of
from trente_rules.odds.coup_odds import (
    CoupOdds,
    fresh_shoe,
    infinite_pack,
    odds_of,
)

ALL_DEALS = ["infinite", *(f"{packs}-packs" for packs in range(1, 9))]

INFINITE_ROW = """.148060862763 .137905176637 .127512672465 .116891072887 .106049464037
.094998365315 .083749794575 .072317327041 .060716146015 .051799118266"""
INFINITE_TIES = """.021922019082 .019017837743 .016259481639 .013663522921 .011246488822
.009024689413 .007014028091 .005229795790 .003686450387 .002683148653"""
SIX_PACKS_ROW = """.148057777076 .137826224156 .127576651847 .116865051752 .106151667776
.094992447536 .083858996148 .072302455165 .060800855924 .051567872621"""
SIX_PACKS_TIES = """.02189137048657 .01897605632059 .01626224443636 .01364723504146
.01125902568840 .00901371132270 .00702059411880 .00521374265411 .00368054507782
.00263438801535"""
REFAIT_OF_SIX_PACKS = Fraction(
    45590155731957200269313958556759358571122564966802626914292869,
    2082562887505109154360625935442541570063115663760066608463076250,
)


def printed(value: Fraction, digits: int) -> str:
    """Write a share as the reference values are printed: ``.148060862763``."""
    return f".{round(value * 10**digits):0{digits}d}"


def by_outcome(odds: CoupOdds) -> dict[tuple[int, int, int, int], int]:
    """Return the weight of (first point, second point, colours of both first cards)."""
    return {
        (o.first, o.second, int(o.first_colour), int(o.second_colour)): weight
        for o, weight in zip(outcomes(), odds.weights, strict=True)
    }


def ties(odds: CoupOdds) -> list[Fraction]:
    """Return the probability of a tie on each point."""
    joint = odds.joint()
    return [joint[k][k] for k in range(10)]


def test_reference_row_and_ties_of_an_infinite_pack() -> None:
    """Every point of a row and every tie, to twelve digits, with replacement."""
    odds = infinite_pack()
    assert [printed(p, 12) for p in odds.row()] == INFINITE_ROW.split()
    assert [printed(p, 12) for p in ties(odds)] == INFINITE_TIES.split()
    assert all(tie == point**2 for tie, point in zip(ties(odds), odds.row(), strict=True))


def test_odds_of_an_infinite_pack_are_parts_of_thirteen_to_the_31st() -> None:
    """Thirteen ranks are as likely, and a row has 31 cards at most: aces that end on 31."""
    parts = [point * 13**31 for point in infinite_pack().row()]
    assert all(part.denominator == 1 for part in parts)
    assert sum(parts) == 13**31


def test_reference_row_and_ties_of_six_packs() -> None:
    """Every point of a row to twelve digits and every tie to fourteen, from a fresh sixain."""
    odds = fresh_shoe(6)
    assert [printed(p, 12) for p in odds.row()] == SIX_PACKS_ROW.split()
    assert [printed(p, 14) for p in ties(odds)] == SIX_PACKS_TIES.split()


def test_the_refait_of_six_packs_is_the_known_fraction() -> None:
    """The probability of 31-31 from a fresh sixain, exactly."""
    assert fresh_shoe(6).tie(31) == REFAIT_OF_SIX_PACKS


@pytest.mark.parametrize(
    ("deal", "digits", "refait", "other_ties", "win"),
    [
        ("infinite", 12, ".021922019082", ".087825443460", ".445126268729"),
        ("6-packs", 14, ".02189137048657", ".08770754267557", ".44520054341893"),
    ],
)
def test_reference_verdicts_of_rouge(
    deal: str, digits: int, refait: str, other_ties: str, win: str
) -> None:
    """q, t and w: refait, other ties, and either colour winning."""
    rouge = DealRule().build()[0]
    odds = law_of(rouge, odds_of(deal, 1))
    assert printed(odds[Verdict.REFAIT], digits) == refait
    assert printed(odds[Verdict.APRES], digits) == other_ties
    assert printed(odds[Verdict.WIN], digits) == win
    assert odds[Verdict.WIN] == odds[Verdict.LOSE]
    assert sum(odds.values()) == 1


def test_reference_mean_cards() -> None:
    """A row takes 5.29229001 cards with replacement, 5.28857421 of six packs; a coup twice that."""
    assert printed(cards_in_a_row(None) / 10, 9) == ".529229001"
    assert printed(cards_in_a_row(6) / 10, 9) == ".528857421"
    assert printed(2 * cards_in_a_row(None) / 100, 10) == ".1058458003"
    assert printed(2 * cards_in_a_row(6) / 100, 10) == ".1057714841"


def test_mean_points_are_mean_cards_times_mean_card() -> None:
    """With replacement a row's mean point is its mean number of cards times 85/13 (Wald)."""
    mean_point = sum(k * p for k, p in enumerate(infinite_pack().row(), 31))
    assert mean_point == cards_in_a_row(None) * Fraction(85, 13)


@pytest.mark.parametrize("packs", [0, 9, -1])
def test_an_unknown_number_of_packs_is_refused(packs: int) -> None:
    """Fresh shoes have 1 to 8 packs."""
    with pytest.raises(TrenteError) as caught:
        fresh_shoe(packs)
    assert caught.value.code == "unknown-deal"


@pytest.mark.parametrize("deal", ALL_DEALS)
def test_probabilities_sum_to_exactly_one(deal: str) -> None:
    """Some outcome is certain: nothing is lost to rounding, and no fresh shoe runs out."""
    odds = odds_of(deal, 6)
    assert sum(odds.weights) == odds.denominator
    assert odds.unfinished_weight == 0
    assert sum(odds.probability(outcome) for outcome in range(OUTCOMES)) == 1


@pytest.mark.parametrize("deal", ALL_DEALS)
def test_rows_are_exchangeable(deal: str) -> None:
    """The two rows may change places, each with its first card."""
    odds = odds_of(deal, 6)
    weight = by_outcome(odds)
    for (first, second, a, b), w in weight.items():
        assert w == weight[second, first, b, a]


@pytest.mark.parametrize("deal", ALL_DEALS)
def test_colours_are_exchangeable(deal: str) -> None:
    """Black and red may change places: a fresh shoe has as many of both in each value."""
    odds = odds_of(deal, 6)
    weight = by_outcome(odds)
    for (first, second, a, b), w in weight.items():
        assert w == weight[first, second, 1 - a, 1 - b]


@pytest.mark.parametrize("packs", range(1, 9))
def test_first_cards_of_one_colour_are_rarer_than_of_two(packs: int) -> None:
    """The first card leaves (26 N - 1) of its colour among 52 N - 1: so over all points."""
    weight = by_outcome(fresh_shoe(packs))
    same = sum(w for (_first, _second, a, b), w in weight.items() if a == b)
    assert Fraction(same, fresh_shoe(packs).denominator) == Fraction(26 * packs - 1, 52 * packs - 1)


def test_first_cards_of_an_infinite_pack_are_of_one_colour_half_the_time() -> None:
    """With replacement colours do not depend on points."""
    odds = infinite_pack()
    for place in range(0, OUTCOMES, 4):
        assert len(set(odds.weights[place : place + 4])) == 1


def test_more_packs_come_nearer_to_an_infinite_pack() -> None:
    """The refait, every row and every tie approach their limits as packs are added."""

    def distance(odds: CoupOdds) -> Fraction:
        limit = infinite_pack().weights
        return sum(
            (
                abs(Fraction(a, odds.denominator) - Fraction(b, infinite_pack().denominator))
                for a, b in zip(odds.weights, limit, strict=True)
            ),
            Fraction(0),
        )

    distances = [distance(fresh_shoe(packs)) for packs in range(1, 9)]
    assert all(nearer < farther for farther, nearer in pairwise(distances))
    # The first correction is in proportion to 1 / packs.
    assert distances[7] / distances[3] == pytest.approx(0.5, rel=0.02)
    refaits = [fresh_shoe(packs).tie(31) for packs in range(1, 9)]
    assert all(a < b for a, b in pairwise(refaits))
    assert refaits[-1] < infinite_pack().tie(31)


def test_verdicts_add_up_the_outcomes_of_each_verdict() -> None:
    """A verdict table is summed outcome by outcome."""
    odds = fresh_shoe(2)
    table = bytes((7 * k + k // 40) % 4 for k in range(OUTCOMES))
    by_hand = [
        sum((odds.probability(k) for k in range(OUTCOMES) if table[k] == verdict), Fraction(0))
        for verdict in range(4)
    ]
    assert list(odds.verdicts(table)) == by_hand


@pytest.mark.parametrize("table", [b"", bytes(399), bytes(401), bytes(399) + b"\xff"])
def test_a_table_that_is_no_verdict_table_is_refused(table: bytes) -> None:
    """A verdict stands for each of the 400 outcomes, and no chance has so many."""
    with pytest.raises(TrenteError) as caught:
        infinite_pack().verdicts(table)
    assert caught.value.code == "bad-verdicts"


@pytest.mark.parametrize(
    ("denominator", "weights", "unfinished"),
    [
        (400, (1,) * 399, 1),
        (400, (1,) * 399 + (2,), 0),
        (400, (-1, *(1,) * 398, 3), 0),
        (401, (1,) * 400, 0),
        (399, (1,) * 400, -1),
        (0, (), 0),
    ],
)
def test_weights_that_are_no_odds_are_refused(
    denominator: int, weights: tuple[int, ...], unfinished: int
) -> None:
    """400 weights, none below zero, sum to the denominator with what cannot be finished."""
    with pytest.raises(TrenteError) as caught:
        CoupOdds("mine", denominator, weights, unfinished)
    assert caught.value.code == "bad-coup-odds"


def test_unfinished_coups_are_part_of_the_whole() -> None:
    """Odds of a few cards leave a share for the coup that they cannot complete."""
    odds = CoupOdds("few", 500, (1,) * 400, 100)
    assert sum(odds.verdicts(bytes(400))) == Fraction(4, 5)


@pytest.mark.parametrize(
    ("deal", "own", "named"),
    [
        ("own", 6, "6-packs"),
        ("own", 1, "1-packs"),
        ("infinite", 6, "infinite"),
        ("1-pack", 6, "1-packs"),
        ("1-packs", 6, "1-packs"),
        ("8-packs", 6, "8-packs"),
    ],
)
def test_deals_are_known_by_name(deal: str, own: int, named: str) -> None:
    """A deal names its basis; "own" stands for the packs of the house."""
    assert odds_of(deal, own).deal == named


@pytest.mark.parametrize(
    "deal",
    [
        *("", "own ", "0-packs", "9-packs", "12-packs", "six-packs", "Infinite", "٣-packs"),
        *("6-packs\n", "6-packsful", " 6-packs"),
    ],
)
def test_an_unknown_deal_is_refused_by_name(deal: str) -> None:
    """The error names the deal and says which there are."""
    with pytest.raises(TrenteError) as caught:
        odds_of(deal, 6)
    assert caught.value.code == "unknown-deal"
    assert repr(deal) in caught.value.message
    assert "infinite" in caught.value.hint


@pytest.mark.parametrize("packs", [0, 9, -1])
def test_a_fresh_shoe_of_unknown_size_is_refused(packs: int) -> None:
    """Fresh shoes have 1 to 8 packs, asked for by number or as those of the house."""
    with pytest.raises(TrenteError) as caught:
        fresh_shoe(packs)
    assert caught.value.code == "unknown-deal"
    with pytest.raises(TrenteError) as caught:
        odds_of("own", packs)
    assert caught.value.code == "unknown-deal"


def test_odds_survive_pickling() -> None:
    """Odds cross process borders whole."""
    odds = fresh_shoe(6)
    assert pickle.loads(pickle.dumps(odds)) == odds
