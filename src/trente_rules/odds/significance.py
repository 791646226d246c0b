"""Tests of counts against known probabilities, and the error of many tests together.

Each test returns a p-value: the probability, at honest cards, of a finding at least as unlikely.
``holm`` keeps the probability that any of several tests is wrong below a rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import erfc, exp, fsum, lgamma, log, log1p, pi, sqrt
from typing import Final

from attrs import define, evolve, frozen

_THIN: Final = 8.0
"""Cells of which fewer are expected are joined."""


@frozen
class Significance:
    """One test: its p-value, and the least p-value that it could have had.

    ``weight`` is its part of the rate of false alarms, next to those of the other tests.
    ``adjusted`` is the p-value after all tests are allowed for: an alarm where it is not above the
    rate of the family.
    """

    p: float
    least: float = 0.0
    weight: float = 1.0
    adjusted: float = 1.0


def holm(findings: Sequence[Significance], rate: float) -> tuple[Significance, ...]:
    """Return the findings of a family with their adjusted p-values, by Holm's rule with weights.

    A test that cannot reach its part of the ``rate`` by any result has no part of it, so that the
    others have more (Tarone). Which tests those are does not depend on the results.
    """
    able = _able(findings, rate)
    order = sorted(able, key=lambda n: findings[n].p / findings[n].weight)
    left = fsum(findings[n].weight for n in able)
    adjusted: dict[int, float] = {}
    highest = 0.0
    for n in order:
        highest = max(highest, min(1.0, findings[n].p * left / findings[n].weight))
        adjusted[n] = highest
        left = max(left - findings[n].weight, findings[n].weight)
    return tuple(
        evolve(finding, adjusted=adjusted.get(n, 1.0)) for n, finding in enumerate(findings)
    )


def _able(findings: Sequence[Significance], rate: float) -> list[int]:
    """Return the places of the tests that can raise an alarm: as many as are tested at once."""
    order = sorted(range(len(findings)), key=lambda n: findings[n].least / findings[n].weight)
    able: list[int] = []
    weight = 0.0
    for n in order:
        weight += findings[n].weight
        if findings[n].least > rate * findings[n].weight / weight:
            break
        able.append(n)
    return able


def at_least(count: int, of: int, p: float) -> float:
    """Return the probability that at least ``count`` of ``of`` independent coups have an event."""
    if count <= 0:
        return 1.0
    if count > of:
        return 0.0
    if count <= of * p:
        return 1.0 - at_most(count - 1, of, p)
    return _away(count, of, p)


def at_most(count: int, of: int, p: float) -> float:
    """Return the probability that at most ``count`` of ``of`` independent coups have an event."""
    if count >= of:
        return 1.0
    if count < 0:
        return 0.0
    if count >= of * p:
        return 1.0 - at_least(count + 1, of, p)
    return _away(of - count, of, 1 - p)


def _away(count: int, of: int, p: float) -> float:
    """Return the upper tail from a count above the mean: its terms fall, and are added up."""
    term = exp(
        lgamma(of + 1)
        - lgamma(count + 1)
        - lgamma(of - count + 1)
        + count * log(p)
        + (of - count) * log1p(-p)
    )
    terms, odds = [term], p / (1 - p)
    while count < of and term > terms[0] * 1e-17:
        term *= (of - count) / (count + 1) * odds
        count += 1
        terms.append(term)
    return min(1.0, fsum(terms))


def chi_square_tail(x: float, freedom: int) -> float:
    """Return the probability that chi-square of some degrees of freedom is at least ``x``."""
    if x <= 0 or freedom < 1:
        return 1.0
    half = x / 2
    if freedom % 2:
        found, term, n = erfc(sqrt(half)), exp(-half) * sqrt(half / pi) * 2, 3
    else:
        found, term, n = exp(-half), exp(-half) * half, 4
    terms = [found]
    while n <= freedom:  # Q(n) = Q(n - 2) + half^(n/2 - 1) exp(-half) / gamma(n/2)
        terms.append(term)
        term *= half / (n / 2)
        n += 2
    return min(1.0, fsum(terms))


@frozen
class ChiSquare:
    """Pearson's test of counts: the statistic, its degrees of freedom, and the p-value."""

    x: float
    freedom: int
    p: float


def chi_square(counts: Sequence[int], law: Iterable[float], *, error: float = 0.0) -> ChiSquare:
    """Test counts of independent events against their probabilities; thin cells are joined.

    Cells are joined in the order of their probabilities, until at least eight are expected in each.
    A deviation that an ``error`` of the probability of a cell can explain does not count.
    """
    whole = sum(counts)
    allowed = error * whole
    cells: list[tuple[float, int]] = []
    expected, seen = 0.0, 0
    for p, count in sorted(zip(law, counts, strict=True), reverse=True):
        expected, seen = expected + p * whole, seen + count
        if expected >= _THIN:
            cells.append((expected, seen))
            expected, seen = 0.0, 0
    if (expected or seen) and cells:
        last = cells.pop()
        cells.append((last[0] + expected, last[1] + seen))
    x = fsum(max(abs(seen - due) - allowed, 0.0) ** 2 / due for due, seen in cells)
    freedom = len(cells) - 1
    return ChiSquare(x, max(freedom, 0), chi_square_tail(x, freedom))


@define
class SequentialTest:
    """Wald's test of a probability ``p`` against one that is ``times`` as large, coup by coup.

    It may be looked at after every coup: the probability that the ratio of likelihoods ever
    reaches 1 / alpha is at most alpha. ``log_ratio`` is the logarithm of the ratio now, ``highest``
    the highest that it ever was.
    """

    p: float
    times: float
    coups: int = 0
    log_ratio: float = 0.0
    highest: float = 0.0

    @property
    def steps(self) -> tuple[float, float]:
        """The change of the logarithm by a coup without the event, and by one with it."""
        return log1p(-self.times * self.p) - log1p(-self.p), log(self.times)

    def add(self, *, event: bool, steps: tuple[float, float] | None = None) -> None:
        """Add a coup."""
        self.coups += 1
        self.log_ratio += (steps or self.steps)[event]
        self.highest = max(self.highest, self.log_ratio)

    @property
    def p_value(self) -> float:
        """The p-value, which holds however often it is looked at."""
        return exp(-self.highest)
