"""How the results of two stakes on the same coups hang together: their exact covariance.

Two stakes placed for one coup meet the same outcome then, and the same outcomes later while both
stand in prison. The product of their two machines is a machine again, and the mean of the product
of what comes back follows the same recursion as the second moment of one stake.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from trente_rules.analysis.deal_odds import CoupOdds
from trente_rules.analysis.linear import solve
from trente_rules.analysis.worth import worths
from trente_rules.money import NOUGHT
from trente_rules.rules.chances import VERDICTS, Verdict
from trente_rules.steps import Path

_FINE: Final = 10**15
"""Probabilities are taken to this part: a deviation needs no more, and the solution is quick."""
Together = dict[tuple[Verdict, Verdict], Fraction]


def covariance(first: Path, second: Path, odds: CoupOdds) -> Fraction:
    """Answer the covariance of what comes back of one unit on each of two wagers, in stakes."""
    together = _together(first, second, odds)
    one = worths(first.steps, _alone(together, 0))
    other = worths(second.steps, _alone(together, 1))
    start = next(iter(first.steps)), next(iter(second.steps))
    order = [start]
    constants: dict[tuple[str, str], Fraction] = {}
    weights: dict[tuple[str, str], dict[tuple[str, str], Fraction]] = {}
    for place in order:
        constant, leads = NOUGHT, dict[tuple[str, str], Fraction]()
        for (verdict, beside), part in together.items():
            a, b = first.steps[place[0]][verdict], second.steps[place[1]][beside]
            constant += part * a.back * b.back
            if b.target:
                constant += part * a.back * b.keeps * other[b.target]
            if a.target:
                constant += part * b.back * a.keeps * one[a.target]
            if a.target and b.target:
                both = a.target, b.target
                leads[both] = leads.get(both, NOUGHT) + part * a.keeps * b.keeps
                if both not in order:
                    order.append(both)
        constants[place], weights[place] = constant, leads
    return solve(order, constants, weights)[start] - one[start[0]] * other[start[1]]


def _together(first: Path, second: Path, odds: CoupOdds) -> Together:
    """Answer the probability of each pair of verdicts of one coup."""
    totals: dict[tuple[Verdict, Verdict], int] = {}
    tables = zip(first.chance.verdicts, second.chance.verdicts, odds.weights, strict=True)
    for one, other, weight in tables:
        pair = VERDICTS[one], VERDICTS[other]
        totals[pair] = totals.get(pair, 0) + weight
    return {
        pair: Fraction(round(Fraction(total * _FINE, odds.denominator)), _FINE)
        for pair, total in totals.items()
        if total
    }


def _alone(together: Together, which: int) -> list[Fraction]:
    """Answer the probability of each verdict of one of the two."""
    odds = [NOUGHT] * len(VERDICTS)
    for pair, part in together.items():
        odds[pair[which]] += part
    return odds
