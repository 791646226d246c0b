"""Odds of any cards against coups dealt from shoes: the same deal that a table has."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from random import Random

import pytest

from trente_rules.core.cards import PACK, Card
from trente_rules.core.chances import DealRule
from trente_rules.core.coup import OUTCOMES
from trente_rules.core.shoe import Shoe, deal_coup
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.odds.exact import count_cards, odds_of_cards
from trente_rules.odds.fast import FastOdds
from trente_rules.odds.remaining import deal_odds

pytestmark = pytest.mark.slow

PACKS = 6
GOLDEN = Path(__file__).parent / "golden" / "half_dealt.json"
CARDS = {
    name: (tuple(entry["black"]), tuple(entry["red"]))
    for name, entry in json.loads(GOLDEN.read_text("utf-8")).items()
}
UNFINISHED = OUTCOMES


def parted(noir: Sequence[int], rouge: Sequence[int]) -> tuple[list[Card], list[Card]]:
    """Part six packs into the cards that are out, and those that are left."""
    left = Counter({(0, v): n for v, n in enumerate(noir, 1)})
    left.update({(1, v): n for v, n in enumerate(rouge, 1)})
    out: list[Card] = []
    rest: list[Card] = []
    for card in PACK * PACKS:
        kind = int(card.colour), card.points
        (rest if left[kind] else out).append(card)
        left[kind] -= left[kind] > 0
    assert count_cards(rest) == (tuple(noir), tuple(rouge))
    return out, rest


def deal(noir: Sequence[int], rouge: Sequence[int], coups: int, seed: int) -> Counter[int]:
    """Deal coups, each from the cards left in a new order; count outcomes."""
    out, rest = parted(noir, rouge)
    gone, random = tuple(out), Random(seed)  # noqa: S311 - a test that can be repeated
    found: Counter[int] = Counter()
    for _coup in range(coups):
        random.shuffle(rest)
        coup = deal_coup(Shoe((*gone, *rest), PACKS, position=len(gone))).coup
        found[coup.outcome if coup else UNFINISHED] += 1
    return found


def chi_square(found: Counter[int], odds: CoupOdds | FastOdds) -> tuple[float, int]:
    """Compare the points of coups with odds: chi-square, degrees of freedom; rare cells pooled."""
    coups = found.total()
    shares = [float(p) for line in odds.joint() for p in line]
    shares.append(1 - sum(shares))
    counts = Counter({UNFINISHED // 4: found[UNFINISHED]})
    for outcome in range(OUTCOMES):
        counts[outcome // 4] += found[outcome]
    total, cells, rare, rare_found = 0.0, 0, 0.0, 0
    for place, share in enumerate(shares):
        expected = share * coups
        if expected < 10:
            rare, rare_found = rare + expected, rare_found + counts[place]
            continue
        total += (counts[place] - expected) ** 2 / expected
        cells += 1
    if rare:
        total += (rare_found - rare) ** 2 / rare
        cells += 1
    return total, cells - 1


def limit(degrees: int) -> float:
    """Return a chi-square that is passed once in a million (Wilson and Hilferty)."""
    part = 2 / (9 * degrees)
    return degrees * (1 - part + 4.75 * sqrt(part)) ** 3


def check_shares(found: Counter[int], odds: CoupOdds | FastOdds) -> None:
    """Compare the verdicts of all chances: each within five standard deviations."""
    coups = found.total()
    for chance in DealRule().build():
        for verdict, share in enumerate(odds.verdicts(chance.table)):
            seen = sum(found[k] for k in range(OUTCOMES) if chance.table[k] == verdict)
            p = float(share)
            assert abs(seen - coups * p) <= 5 * sqrt(coups * p * (1 - p)), (chance.id, verdict)


@pytest.mark.parametrize("name", ["many tens gone", "many tens left"])
def test_coups_dealt_from_half_dealt_shoes_have_the_odds(name: str) -> None:
    """20,000 coups: all points of both rows and every verdict; odds of a fresh shoe do not fit."""
    pytest.importorskip("numba")
    found = deal(*CARDS[name], 20_000, seed=1)
    odds = deal_odds(CARDS[name], "fast")
    value, degrees = chi_square(found, odds)
    assert degrees > 90
    assert value < limit(degrees)
    check_shares(found, odds)
    value, degrees = chi_square(found, fresh_shoe(PACKS))
    assert value > limit(degrees)


def test_couleur_has_its_odds_where_the_red_cards_are_gone() -> None:
    """The colour of the first card is counted: odds of even colours do not fit these coups."""
    pytest.importorskip("numba")
    name = "black small, red large"
    found = deal(*CARDS[name], 20_000, seed=2)
    check_shares(found, deal_odds(CARDS[name], "fast"))
    gone = deal(*CARDS["red gone"], 20_000, seed=2)
    check_shares(gone, deal_odds(CARDS["red gone"], "fast"))
    first_red = sum(n for k, n in gone.items() if k % 4 >= 2)
    share = sum(CARDS["red gone"][1]) / 156
    assert abs(first_red - 20_000 * share) < 5 * sqrt(20_000 * share * (1 - share))
    assert first_red < 0.25 * 20_000


def test_coups_dealt_from_a_few_cards_stay_unfinished_as_often_as_told() -> None:
    """30,000 coups from twelve cards: outcomes, and the coup for which the cards do not suffice."""
    noir, rouge = (1,) * 10, (0, 0, 1, 0, 0, 0, 0, 1, 0, 0)
    odds = odds_of_cards(noir, rouge)
    assert 0.1 < odds.unfinished_weight / odds.denominator < 0.95
    found = deal(noir, rouge, 30_000, seed=3)
    assert found[UNFINISHED] > 1000
    value, degrees = chi_square(found, odds)
    assert degrees > 10
    assert value < limit(degrees)
    check_shares(found, odds)


@pytest.mark.nightly
@pytest.mark.parametrize("name", CARDS)
def test_many_coups_dealt_from_all_golden_shoes_have_the_odds(name: str) -> None:
    """Half a million coups of each, by the exact odds."""
    found = deal(*CARDS[name], 500_000, seed=4)
    odds = odds_of_cards(*CARDS[name])
    value, degrees = chi_square(found, odds)
    assert value < limit(degrees)
    check_shares(found, odds)


def test_later_coups_of_a_shoe_have_the_odds_of_the_next_one() -> None:
    """Exchangeable: the fourth coup, with those before it unseen, has the law of the first."""
    pytest.importorskip("numba")
    out, rest = parted(*CARDS["many tens left"])
    random = Random(5)  # noqa: S311 - a test that can be repeated
    found: Counter[int] = Counter()
    for _shoe in range(8_000):
        random.shuffle(rest)
        shoe = Shoe((*out, *rest), PACKS, position=len(out))
        for _coup in range(3):
            shoe = deal_coup(shoe).shoe
        coup = deal_coup(shoe).coup
        assert coup
        found[coup.outcome] += 1
    odds = deal_odds(CARDS["many tens left"], "fast")
    value, degrees = chi_square(found, odds)
    assert value < limit(degrees)
    check_shares(found, odds)
