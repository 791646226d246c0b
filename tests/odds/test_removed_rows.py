"""What two rows of equal points take out of a shoe, and the law of the coup after them."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from random import Random

import pytest

from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.exact import RemovedRows, odds_of_cards, removed_rows
from trente_rules.odds.sequential import after_tie

Counts = tuple[int, ...]
SIXAIN: Counts = (24,) * 9 + (96,)
SMALL: Counts = (0, 0, 2, 0, 0, 0, 0, 8, 8, 10)
"""Few cards, 246 points: two coups are always completed, and every deal can be listed."""
ORDINARY = POINTS[1:]


def pack(packs: int) -> Counts:
    """Return how many cards of each value so many packs have."""
    return (4 * packs,) * 9 + (16 * packs,)


@cache
def rows_from(counts: Counts) -> dict[tuple[int, Counts], Fraction]:
    """Deal one row card by card: the probability of its point and what it leaves."""
    found: defaultdict[tuple[int, Counts], Fraction] = defaultdict(Fraction)
    waiting: dict[tuple[int, Counts], Fraction] = {(0, counts): Fraction(1)}
    while waiting:
        dealt: defaultdict[tuple[int, Counts], Fraction] = defaultdict(Fraction)
        for (total, left), chance in waiting.items():
            for place, n in enumerate(left):
                if n:
                    now = (*left[:place], n - 1, *left[place + 1 :])
                    where = found if total + place + 1 > LAST_OPEN_TOTAL else dealt
                    where[total + place + 1, now] += chance * n / sum(left)
        waiting = dealt
    return found


def coups_from(counts: Counts) -> dict[tuple[int, int, Counts], Fraction]:
    """Deal one coup card by card: the probability of its points and what it leaves."""
    found: defaultdict[tuple[int, int, Counts], Fraction] = defaultdict(Fraction)
    for (first, between), chance in rows_from(counts).items():
        for (second, left), other in rows_from(between).items():
            found[first, second, left] += chance * other
    return found


def law_after(counts: Counts, points: tuple[int, ...]) -> list[list[Fraction]]:
    """Weigh the exact odds of what each composition leaves: ``[first - 31][second - 31]``."""
    removed = removed_rows(counts, points)
    law = [[Fraction(0)] * len(POINTS) for _ in POINTS]
    for gone, weight in zip(removed.removed, removed.weights, strict=True):
        left = [n - k for n, k in zip(counts, gone, strict=True)]
        odds = odds_of_cards(left, [0] * 10)
        assert odds.unfinished_weight == 0
        for i, line in enumerate(odds.joint()):
            for j, chance in enumerate(line):
                law[i][j] += Fraction(weight, sum(removed.weights)) * chance
    return law


def test_what_a_tie_takes_is_what_dealing_card_by_card_takes() -> None:
    """Every composition of two rows of 31, and of any tie, with its probability."""
    for points in ((31,), ORDINARY, POINTS):
        dealt: defaultdict[Counts, Fraction] = defaultdict(Fraction)
        for (first, second, left), chance in coups_from(SMALL).items():
            if first == second and first in points:
                dealt[tuple(n - k for n, k in zip(SMALL, left, strict=True))] += chance
        removed = removed_rows(SMALL, points)
        assert dealt == {
            gone: Fraction(weight, removed.denominator)
            for gone, weight in zip(removed.removed, removed.weights, strict=True)
        }
        assert list(removed.weights) == sorted(removed.weights, reverse=True)


def test_the_coup_after_a_refait_is_what_dealing_card_by_card_makes_it() -> None:
    """Two coups of a small shoe dealt out in full: the same law, to the last digit."""
    dealt = [[Fraction(0)] * len(POINTS) for _ in POINTS]
    refait = Fraction(0)
    for (first, second, left), chance in coups_from(SMALL).items():
        if first == second == POINTS[0]:
            refait += chance
            for (third, fourth, _left), other in coups_from(left).items():
                dealt[third - POINTS[0]][fourth - POINTS[0]] += chance * other
    assert law_after(SMALL, (31,)) == [[p / refait for p in line] for line in dealt]


@pytest.mark.slow
def test_two_coups_of_a_shoe_may_be_exchanged() -> None:
    """A tie on 31 and then on 40 is as likely as the two the other way round."""
    odds = odds_of_cards(SMALL, [0] * 10)
    points = (POINTS[0], *ORDINARY[-1:])
    one, other = (law_after(SMALL, (point,)) for point in points)
    assert odds.tie(31) * one[-1][-1] == odds.tie(40) * other[0][0]


@pytest.mark.slow
def test_one_pack_weighs_as_the_stored_table() -> None:
    """The weights of all compositions sum to the refait of a pack, exactly; none stands twice."""
    removed = removed_rows(pack(1), [31])
    whole = Fraction(sum(removed.weights), removed.denominator)
    assert whole == fresh_shoe(1).tie(31)
    assert len(set(removed.removed)) == len(removed.removed)


@pytest.mark.parametrize("points", [(31,), ORDINARY, POINTS])
@pytest.mark.parametrize("packs", range(1, 9))
def test_stored_laws_are_odds(packs: int, points: tuple[int, ...]) -> None:
    """They sum to one within their error, are the same for both rows, and near a fresh shoe's."""
    law = after_tie(packs, points)
    assert law.error < 1e-6
    assert abs(sum(map(sum, law.joint())) - 1) <= 100 * law.error
    fresh = fresh_shoe(packs).joint()
    for i in range(len(POINTS)):
        for j in range(len(POINTS)):
            assert law.points[i][j] == law.points[j][i]
            assert law.first_red[i][j] == law.points[i][j] / 2
            assert 0 < abs(law.points[i][j] - fresh[i][j]) < 1e-2 / packs


@pytest.mark.parametrize("packs", range(1, 9))
def test_stored_laws_may_be_exchanged(packs: int) -> None:
    """M26: a tie on i, then one on j, is as likely as the other way round: 45 pairs of points.

    Each side is a mean over other compositions. The difference from independence is far above the
    errors, so this is no empty check; for six packs the refait and an ordinary tie agree to 8
    digits.
    """
    fresh = [float(fresh_shoe(packs).tie(point)) for point in POINTS]
    laws = [after_tie(packs, (point,)) for point in POINTS]
    apart = 0.0
    for i, one in enumerate(laws):
        for j, other in enumerate(laws):
            this, that = fresh[i] * one.points[j][j], fresh[j] * other.points[i][i]
            allowed = fresh[i] * one.error + fresh[j] * other.error
            assert abs(this - that) <= allowed, (i, j)
            apart = max(apart, abs(this - fresh[i] * fresh[j]) / allowed)
    assert apart > 100
    if packs == 6:
        apres = after_tie(6, ORDINARY)
        single = fresh[0] * sum(laws[0].points[i][i] for i in range(1, 10))
        assert single == pytest.approx(sum(fresh[1:]) * apres.points[0][0], rel=1e-8, abs=0)


def test_the_law_of_six_packs_is_what_an_earlier_program_found() -> None:
    """M26: 73,003 compositions computed and a polynomial for the rest found these, to 1e-10."""
    law = after_tie(6, (31,))
    earlier = (0.021772441775681498, 0.020297174626768204, 0.018808628279305222)
    for p, q in zip(law.points[0], earlier, strict=False):
        assert abs(p - q) < 1.1e-10 + law.error


def test_a_law_that_is_not_stored_says_for_which_packs_it_is() -> None:
    """Nine packs: the code and the packs that are known."""
    with pytest.raises(TrenteError, match="9 packs") as raised:
        after_tie(9, (31,))
    assert raised.value.code == "no-law-after-tie"
    assert "1 to 8 packs" in raised.value.hint


@pytest.mark.slow
def test_a_refait_after_given_cards_is_the_sum_over_its_compositions() -> None:
    """M26: r(c) of the heaviest c, by all that two rows of 31 can take of what c leaves: exact."""
    heaviest = removed_rows(pack(1), [31]).removed[0]
    left = [n - k for n, k in zip(pack(1), heaviest, strict=True)]
    removed = removed_rows(left, [31])
    assert Fraction(sum(removed.weights), removed.denominator) == odds_of_cards(left, [0] * 10).tie(
        31
    )


@cache
def of_six_packs() -> RemovedRows:
    """Return what two rows of 31 can take out of six packs."""
    return removed_rows(SIXAIN, [31])


@pytest.mark.nightly
def test_six_packs_have_229130_compositions_of_two_rows_of_31() -> None:
    """As many as an enumeration in another language found; together they weigh q exactly."""
    removed = of_six_packs()
    assert len(removed.removed) == 229_130
    assert Fraction(sum(removed.weights), removed.denominator) == fresh_shoe(6).tie(31)


@pytest.mark.nightly
def test_heavy_compositions_come_to_the_stored_law() -> None:
    """The heaviest, by the fast engine again: what is left out can make up the difference."""
    fast = pytest.importorskip("trente_rules.odds.fast")
    pytest.importorskip("numba")
    removed, whole = of_six_packs(), sum(of_six_packs().weights)
    law = after_tie(6, (31,)).points[0][0]
    heavy = range(4000)
    left = [
        ([n - k for n, k in zip(SIXAIN, removed.removed[place], strict=True)], [0] * 10)
        for place in heavy
    ]
    odds = fast.fast_odds_of_many(left, 1)
    shares = [removed.weights[place] / whole for place in heavy]
    refaits = [one.points[0][0] for one in odds]
    mean = sum(p * share for p, share in zip(refaits, shares, strict=True)) / sum(shares)
    spread = max(abs(p - mean) for p in refaits)
    assert abs(mean - law) < (1 - sum(shares)) * spread
    assert sum(shares) > 0.85


@pytest.mark.nightly
@pytest.mark.parametrize(("packs", "points"), [(6, (31,)), (6, ORDINARY), (3, POINTS)])
def test_dealt_shoes_come_to_the_stored_law(packs: int, points: tuple[int, ...]) -> None:
    """Shuffled shoes dealt until such a tie, the odds of what is left computed: no enumeration.

    Within four standard errors, which are well below the deviation from independence.
    """
    fast = pytest.importorskip("trente_rules.odds.fast")
    pytest.importorskip("numba")
    random = Random(f"{packs} {points}")  # noqa: S311 - test data
    cards = [place for place, n in enumerate(pack(packs)) for _card in range(n)]
    left: list[tuple[list[int], list[int]]] = []
    while len(left) < 3000:
        drawn = iter(random.sample(cards, 2 * (LAST_OPEN_TOTAL + 1)))
        counts, ends = list(pack(packs)), []
        for _row in range(2):
            total = 0
            while total <= LAST_OPEN_TOTAL:
                place = next(drawn)
                counts[place] -= 1
                total += place + 1
            ends.append(total)
        if ends[0] == ends[1] and ends[0] in points:
            left.append((counts, [0] * 10))
    law = after_tie(packs, points)
    for tie in ((0,), tuple(range(1, 10))):
        found = [sum(odds.points[i][i] for i in tie) for odds in fast.fast_odds_of_many(left, 1)]
        mean = sum(found) / len(found)
        error = (sum((p - mean) ** 2 for p in found) / len(found) ** 2) ** 0.5
        assert abs(mean - sum(law.points[i][i] for i in tie)) < 4 * error
