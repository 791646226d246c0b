"""Tests of the cards of a table: whether they fall as those of honest shoes do.

The coups of one shoe are not quite independent. The tests use what holds for every one of them: a
coup that is sure to be completed has the odds of a fresh shoe, wherever it is in the taille. How
many coups a whole taille has is tested against its own law.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import exp, log
from typing import Any, Final

from attrs import frozen

from trente_rules.core.coup import OUTCOMES, POINTS
from trente_rules.core.house.house import House
from trente_rules.odds.coup_odds import CoupOdds
from trente_rules.odds.significance import (
    ChiSquare,
    SequentialTest,
    Significance,
    at_least,
    at_most,
    chi_square,
)
from trente_rules.reports.settlements import WatchedCoup
from trente_rules.reports.tailles import TailleFigures, taille_figures

TIMES: Final = 1.4
"""The stacked shoe that the sequential test looks for: as many refaits for one of an honest one."""
_COLOURS: Final = 4
_CELLS: Final = len(POINTS) ** 2
_MARGIN: Final = 2.0
"""Standard errors that are added to the estimated share of refaits over whole tailles."""


@frozen
class CardTest:
    """One test of the cards; ``seen`` and ``expected`` are counts, or chi-square and its mean.

    ``of`` is how many coups it is of, or tailles.
    """

    name: str
    of: int
    seen: float
    expected: float
    finding: Significance
    alarm: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return all figures as an object."""
        return {
            "test": self.name,
            "of": self.of,
            "seen": self.seen,
            "expected": self.expected,
            "p": self.finding.p,
            "adjusted_p": self.finding.adjusted,
            "alarm": self.alarm,
        }


MANY, FEW, IN_TURN = "refaits, too many", "refaits, too few", "refaits, in turn"
CELLS, COLOURS, LENGTHS = "points", "first colours", "coups a taille"


class DealSums:
    """Counts of what was dealt, coup by coup."""

    def __init__(self, house: House, odds: CoupOdds) -> None:
        """Begin before the first coup, with what the odds make likely."""
        self._odds = odds
        rule = house.shoe
        bounds = rule.marker.bounds if rule.marker else (None,)
        # Where a machine shuffles for every coup, each is the first of a fresh shoe.
        self._sure = None if rule.every_coup else min(map(rule.sure_coups, bounds))
        ties = [POINTS.index(point) for point in house.losing_ties]
        self._refaits = frozenset(
            4 * (len(POINTS) + 1) * tie + colours for tie in ties for colours in range(_COLOURS)
        )
        self.q = float(sum(odds.probability(outcome) for outcome in self._refaits))
        figures = () if rule.every_coup else taille_figures(house, compute=True)
        self._known = rule.every_coup or all(each.coups is not None for each in figures)
        self.share = _share(figures, self.q)
        # Where a player places the marker, nobody knows how often each place is chosen.
        self._length = figures[0] if len(figures) == 1 else None
        self._outcomes = [0] * OUTCOMES
        self.coups = self.refaits = 0
        self.in_turn = SequentialTest(self.share, TIMES)
        self._steps = self.in_turn.steps if self.q else (0.0, 0.0)
        self.tailles: Counter[int] = Counter()

    def add(self, coup: WatchedCoup) -> None:
        """Add the next coup."""
        if coup.outcome is None:
            return
        sure = self._sure is None or coup.number <= self._sure
        if sure or self._known:  # with no law of a taille, only sure coups have a known share
            self.coups += 1
            refait = coup.outcome in self._refaits
            self.refaits += refait
            self.in_turn.add(event=refait, steps=self._steps)
        if sure:
            self._outcomes[coup.outcome] += 1
        if coup.completed:
            self.tailles[coup.completed] += 1

    def tests(self) -> list[CardTest]:
        """Return the tests of the cards, before other tests are allowed for."""
        found = []
        if self.coups and self.q and self._odds.denominator:
            found += self._of_refaits()
        cells = [sum(self._outcomes[n : n + _COLOURS]) for n in range(0, OUTCOMES, _COLOURS)]
        colours = [sum(self._outcomes[n::_COLOURS]) for n in range(_COLOURS)]
        law = [weight / self._odds.denominator for weight in self._odds.weights]
        points = [sum(law[n : n + _COLOURS]) for n in range(0, OUTCOMES, _COLOURS)]
        for name, counts, expected in (
            (CELLS, cells, points),
            (COLOURS, colours, [sum(law[n::_COLOURS]) for n in range(_COLOURS)]),
        ):
            fit = chi_square(counts, expected)
            if fit.freedom:
                found.append(_fitted(name, sum(counts), fit))
        return [*found, *self._of_lengths()]

    def _of_lengths(self) -> list[CardTest]:
        """Return the test of the numbers of coups of whole tailles, where their law is known."""
        known = self._length
        if known is None or known.law is None or not self.tailles:
            return []
        longest = max(len(known.law), max(self.tailles) + 1)
        law = [*known.law, *[0.0] * (longest - len(known.law))]
        counts = [self.tailles[coups] for coups in range(longest)]
        fit = chi_square(counts, law, error=known.law_error)
        return [_fitted(LENGTHS, sum(counts), fit)] if fit.freedom else []

    def _of_refaits(self) -> list[CardTest]:
        many = Significance(
            at_least(self.refaits, self.coups, self.share), self.share**self.coups, weight=0.0
        )
        few = Significance(at_most(self.refaits, self.coups, self.q), (1 - self.q) ** self.coups)
        turn = self.in_turn
        return [
            CardTest(MANY, self.coups, self.refaits, self.coups * self.share, many),
            CardTest(FEW, self.coups, self.refaits, self.coups * self.q, few),
            CardTest(IN_TURN, turn.coups, exp(turn.highest), 1.0, Significance(turn.p_value)),
        ]

    def power(self, rate: float) -> float:
        """Return how probable it is that this many coups of a stacked shoe raise an alarm.

        Where the count of refaits alone is looked at, with a ``rate`` of its own.
        """
        if not self.q or not self.coups:
            return 0.0
        low, high = 0, self.coups + 1
        while low < high:  # the fewest refaits that are an alarm
            middle = (low + high) // 2
            if at_least(middle, self.coups, self.share) <= rate:
                high = middle
            else:
                low = middle + 1
        return at_least(low, self.coups, TIMES * self.q)

    def coups_in_turn(self, rate: float) -> float:
        """Return the mean number of coups until the sequential test finds a stacked shoe."""
        without, with_it = self._steps
        stacked = TIMES * self.share
        return log(1 / rate) / (stacked * with_it + (1 - stacked) * without)


def _share(figures: Iterable[TailleFigures], q: float) -> float:
    """Return the greatest share of refaits that honest tailles have, over completed coups.

    The last coups of a taille are completed because they were short, so the share is above ``q``.
    """
    shares = [each.share for each in figures if each.share is not None]
    return max([q, *(share.value + _MARGIN * share.error for share in shares)])


def _fitted(name: str, of: int, fit: ChiSquare) -> CardTest:
    return CardTest(name, of, fit.x, fit.freedom, Significance(fit.p))
