"""Tails of sums of results, and tests of counts: each by a second way."""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import comb, erfc, sqrt
from random import Random
from typing import Any

import pytest

from trente_rules import load_house
from trente_rules.core.stakes import Opening
from trente_rules.odds.advantage import advantage, covariance
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.significance import (
    SequentialTest,
    Significance,
    at_least,
    at_most,
    chi_square,
    chi_square_tail,
    holm,
)
from trente_rules.odds.stake_laws import NetLaw, StakeKind, StakeLaws
from trente_rules.odds.tails import tails_of, widening

ROUGE: StakeKind = ("rouge", False, 1000)


def laws_of(name: str) -> StakeLaws:
    """Return the laws of a house."""
    house = load_house(name)
    return StakeLaws(house, fresh_shoe(house.shoe.packs), Opening(20))


def convolved(addends: Mapping[NetLaw, int]) -> dict[int, Fraction]:
    """Return the law of a sum, one addend after the other, in fractions of the floats."""
    law = {0: Fraction(1)}
    for addend, count in addends.items():
        for _each in range(count):
            more: dict[int, Fraction] = defaultdict(Fraction)
            for (value, p), (step, q) in product(
                law.items(), zip(addend.values, addend.probabilities, strict=True)
            ):
                more[value + step] += p * Fraction(q)
            law = more
    return law


@pytest.mark.parametrize("point", [31, 34, 37, 39, 40])
def test_the_tails_of_a_rare_win_are_binomial(point: int) -> None:
    """M1: exact-apres wins once in 45 to 380 coups; its tails are sums of binomial terms."""
    kind = (f"exact-apres-{point}", False, 20)
    net = laws_of("venezia-online").net(((kind, 1),))
    p = float(fresh_shoe(6).tie(point))
    for n in (1, 5, 20, 100, 300):
        terms = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        for wins in range(min(n, 6) + 1):
            found = tails_of([(net, n)], 20 * n - 800 * wins)
            assert found.upper == pytest.approx(sum(terms[: wins + 1]), abs=1e-12)
            assert found.lower == pytest.approx(sum(terms[wins:]), abs=1e-12)


@pytest.mark.parametrize("with_numpy", [True, False])
def test_stakes_of_several_kinds_are_convolved(
    with_numpy: bool,  # noqa: FBT001 - a parameter of a test
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Several stakes on one coup share its outcome; the sum is that of a convolution."""
    if not with_numpy:
        imported = builtins.__import__

        def without(name: str, *args: Any, **more: Any) -> Any:
            if name == "numpy":
                raise ModuleNotFoundError(name)
            return imported(name, *args, **more)

        monkeypatch.setattr(builtins, "__import__", without)
    laws = laws_of("italy-half-loss")
    both = laws.net((((*ROUGE[:2], 100), 2), (("noir", False, 200), 1)))
    other = laws.net(((("couleur", False, 300), 1),))
    addends = {both: 4, other: 3}
    law = convolved(addends)
    assert sum(law.values()) == pytest.approx(1)
    for seen in (min(law), -900, 0, 150, 700, max(law)):
        found = tails_of(addends.items(), seen)
        assert found.upper == pytest.approx(float(sum(p for v, p in law.items() if v >= seen)))
        assert found.lower == pytest.approx(float(sum(p for v, p in law.items() if v <= seen)))
    ends = min(law[min(law)], law[max(law)])
    assert tails_of(addends.items(), 0).least == pytest.approx(float(2 * ends))


def test_amounts_without_a_common_step_are_covered() -> None:
    """A sum without a lattice: the tail is never smaller than the true one by a thousandth."""
    random = Random(5)  # noqa: S311 - not for play
    laws = [
        NetLaw.of({-a: 0.45, 0: 0.1, a: 0.45})
        for a in sorted(random.sample(range(100_003, 999_983), 7))
    ]
    law = convolved(dict.fromkeys(laws, 1))
    for seen in (-3_000_000, -1_500_000, 400_000, 2_222_222):
        found = tails_of([(each, 1) for each in laws], seen)
        upper = float(sum(p for v, p in law.items() if v >= seen))
        lower = float(sum(p for v, p in law.items() if v <= seen))
        assert 0.999 * upper <= found.upper <= 1.25 * upper + 1e-9
        assert 0.999 * lower <= found.lower <= 1.25 * lower + 1e-9


def test_a_cover_is_a_narrow_normal_error_and_nothing_else() -> None:
    """By hand: tails of a normal error of 1/200 of the deviation, and the value moved by four."""
    laws = [NetLaw.of({-far: 0.5, far: 0.5}) for far in (1, 10_000_019)]
    veil = 0.005 * sqrt(sum(law.variance for law in laws))
    sums = [one + other for one in laws[0].values for other in laws[1].values]
    for seen in (-1, 10_300_000):
        found = tails_of([(law, 1) for law in laws], seen)
        upper, lower = (
            sum(erfc((side * (seen - each) - 4 * veil) / veil / sqrt(2)) / 8 for each in sums)
            for side in (1, -1)
        )
        assert found.upper == pytest.approx(upper, abs=1e-12)
        assert found.lower == pytest.approx(lower, abs=1e-12)


def test_a_result_of_few_coups_does_not_make_the_lattice_finer() -> None:
    """A win in twenty that pays 3 units more than a million is counted as the others: exactly.

    The sums are those of 100,000 coups that win or lose a million: binomial, without a cover,
    which would move the value by three coups.
    """
    million, n = 1_000_000, 100_000
    law = NetLaw.of({-million: 0.475, million: 0.475, million + 3: 0.05})
    for wins in (52_300, 52_800):
        found = tails_of([(law, n)], (2 * wins - n) * million)
        assert found.upper == pytest.approx(at_least(wins, n, 0.525), rel=1e-3)


def test_a_part_may_be_normal() -> None:
    """A part that is taken as normal alone has the tails of a normal law."""
    law = NetLaw.of({-1: 0.5, 1: 0.5})
    for z in (-3.0, -1.0, 2.0):
        found = tails_of([(law, 1)], 100 + z * 1000, normal=(100.0, 1e6))
        upper = erfc(z / sqrt(2)) / 2
        assert found.upper == pytest.approx(upper, rel=0.12)


@pytest.mark.parametrize("name", ["france-2007", "german-spas-1840", "italy-two-prisons"])
def test_the_law_of_a_stake_has_the_moments_of_the_advantage(name: str) -> None:
    """Followed coup by coup, or solved as a linear system: the same mean and variance."""
    house = load_house(name)
    odds, opening = fresh_shoe(house.shoe.packs), Opening(20)
    known = advantage(house, odds, chances=["rouge"], stake=1000, opening=opening).wagers[0]
    law = laws_of(name).net(((ROUGE, 1),))
    assert law.mean / 1000 == pytest.approx(float(known.edge), abs=1e-9)
    assert law.variance / 1e6 == pytest.approx(float(known.variance), abs=1e-9)


def test_the_joint_law_has_the_covariance_of_the_wagers() -> None:
    """Rouge and noir on one coup, in prison together: their covariance is that of the machines."""
    laws = laws_of("france-2007")
    noir: StakeKind = ("noir", False, 1000)
    both, alone = laws.net(((noir, 1), (ROUGE, 1))), laws.net(((ROUGE, 1),))
    paths = laws.nominal(ROUGE[:2]), laws.nominal(noir[:2])
    want = float(covariance(*paths, fresh_shoe(6)))
    assert (both.variance - 2 * alone.variance) / 2e6 == pytest.approx(want, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "ratio"),
    [("france-2007", 1.01207), ("german-spas-1840", 1.05631), ("homburg-1860", 1.01192)],
)
def test_consecutive_stakes_hang_together(name: str, ratio: float) -> None:
    """M6, M28: the long-run deviation of a stake on every coup over that of stakes far apart."""
    laws = laws_of(name)
    path = laws.nominal(ROUGE[:2])
    alone = float(covariance(path, path, fresh_shoe(6)))
    more = sum(laws.lagged(ROUGE, ROUGE)) / 1e6
    assert sqrt((alone + 2 * more) / alone) == pytest.approx(ratio, abs=1e-5)


def exact_run(name: str, coups: int) -> dict[int, float]:
    """Return the law of the net of a stake of 1000 on each of some coups, all followed to the end.

    Every coup moves the prisoners and the new stake together: nothing is taken as independent.
    """
    laws = laws_of(name)
    there: dict[tuple[int, Any], float] = {(0, ()): 1.0}
    law: dict[int, float] = defaultdict(float)
    free = next(iter(laws.path(ROUGE).steps))
    for n in range(coups + 60):
        following: dict[tuple[int, Any], float] = defaultdict(float)
        for (paid, prisoners), p in there.items():
            placed = [(free, 1)] if n < coups else []
            if n >= coups and not prisoners:
                law[1000 * coups - paid] += p
                continue
            for part, verdicts in laws.joint(("rouge",)):
                more, left = 0, defaultdict[str, int](int)
                for state, count in (*prisoners, *placed):
                    back, _keeps, target = laws.table(ROUGE)[state, verdicts["rouge"]]
                    more += count * round(back)
                    if target:
                        left[target] += count
                following[paid + more, tuple(sorted(left.items()))] += p * part
        there = {key: p for key, p in following.items() if p > 1e-14}
    return law


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "coups"),
    [
        ("france-2007", 20),
        ("italy-two-prisons", 40),
        ("german-spas-1840", 8),
        ("german-spas-1840", 16),
    ],
)
def test_prisoners_make_no_tail_too_small(name: str, coups: int) -> None:
    """M6: the tails that allow for the covariance, against the exact law of a whole run.

    The p-value is at most 2 % below the exact one wherever it may raise an alarm.
    """
    laws = laws_of(name)
    law = exact_run(name, coups)
    assert sum(law.values()) == pytest.approx(1, abs=1e-9)
    one = laws.net(((ROUGE, 1),))
    lagged = laws.lagged(ROUGE, ROUGE)
    more = sum(each * max(0, coups - lag) for lag, each in enumerate(lagged, 1))
    ratio = sqrt(1 + 2 * more / (coups * one.variance))
    for seen in range(-1000 * coups, 1000 * coups + 1, 500):
        lower = sum(p for value, p in law.items() if value <= seen)
        upper = sum(p for value, p in law.items() if value >= seen)
        exact = 2 * min(lower, upper)
        if 1e-8 < exact < 0.05:
            found = tails_of([(one, coups)], seen, widened=widening(ratio, coups)).two_sided
            assert 0.98 * exact < found < 8 * exact, seen


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (12, 0.02), (300, 0.0219)])
def test_binomial_tails_are_sums_of_terms(n: int, p: float) -> None:
    """From the logarithm of a gamma function, or from exact fractions."""
    part = Fraction(p)
    terms = [comb(n, k) * part**k * (1 - part) ** (n - k) for k in range(min(n, 130) + 1)]
    for count in {0, 1, n // 50, n // 45, n // 30, n} & set(range(len(terms))):
        assert at_most(count, n, p) == pytest.approx(float(sum(terms[: count + 1])), rel=1e-9)
        above = 1 - sum(terms[:count])
        assert at_least(count, n, p) == pytest.approx(float(above), rel=1e-9)
    assert (at_least(n + 1, n, p), at_most(-1, n, p), at_most(n, n, p)) == (0.0, 0.0, 1.0)


def test_chi_square_has_its_published_quantiles() -> None:
    """The 5 % and .1 % points of the tables."""
    for freedom, five, thousandth in (
        (1, 3.8415, 10.828),
        (2, 5.9915, 13.816),
        (10, 18.307, 29.588),
    ):
        assert chi_square_tail(five, freedom) == pytest.approx(0.05, rel=1e-3)
        assert chi_square_tail(thousandth, freedom) == pytest.approx(0.001, rel=1e-3)
    assert chi_square_tail(124.342, 100) == pytest.approx(0.05, rel=1e-3)
    assert (chi_square_tail(0, 3), chi_square_tail(5, 0)) == (1.0, 1.0)


def test_thin_cells_are_joined() -> None:
    """Each cell that is tested has eight or more expected; all counts are in one."""
    fit = chi_square([50, 40, 6, 3, 1], [0.5, 0.4, 0.06, 0.03, 0.01])
    assert (fit.x, fit.freedom) == (0.0, 2)
    assert chi_square([1, 0], [0.5, 0.5]).p == 1.0


def test_holm_with_weights_and_tests_that_cannot_reach() -> None:
    """M1: the adjusted values of a family by hand; what can never alarm takes nothing."""
    plain = holm([Significance(0.01), Significance(0.04), Significance(0.03)], 0.05)
    assert [each.adjusted for each in plain] == pytest.approx([0.03, 0.06, 0.06])
    heavy = holm([Significance(0.02, weight=2.0), Significance(0.02), Significance(0.9)], 0.05)
    assert [each.adjusted for each in heavy] == pytest.approx([0.04, 0.04, 0.9])
    unable = holm(
        [Significance(0.04), Significance(0.3, least=0.3), Significance(0.5, least=0.04)], 0.05
    )
    assert [each.adjusted for each in unable] == pytest.approx([0.04, 1.0, 1.0])
    assert holm([], 0.05) == ()
    first = holm([Significance(0.3, least=0.3), Significance(0.02), Significance(0.04)], 0.05)
    assert [each.adjusted for each in first] == pytest.approx([1.0, 0.04, 0.04])


def test_the_sequential_test_keeps_its_rate_however_often_it_is_looked_at() -> None:
    """M32: looked at after each of 2,000 coups, honest runs reach 1 / alpha at most so often."""
    q, seed = 0.0219, 32
    random, reached = Random(seed), 0  # noqa: S311 - not for play
    steps = SequentialTest(q, 1.4).steps
    for _run in range(400):
        test = SequentialTest(q, 1.4)
        for _coup in range(2_000):
            test.add(event=random.random() < q, steps=steps)
        reached += test.p_value <= 0.1
    assert at_least(reached, 400, 0.1) > 0.001, f"{reached} of 400, seed {seed}"
    assert steps == pytest.approx((-0.00899, 0.3365), abs=1e-4)
