"""What a stake is worth in each state, if later coups are independent copies of the first."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from trente_rules.analysis.linear import solve
from trente_rules.money import NOUGHT
from trente_rules.steps import Steps


def worths(steps: Steps, odds: Sequence[Fraction]) -> dict[str, Fraction]:
    """Answer the worth of one unit in each state; ``odds`` are those of the verdicts by number."""
    constants = {
        state: sum((odds[verdict] * step.back for verdict, step in there.items()), NOUGHT)
        for state, there in steps.items()
    }
    weights: dict[str, dict[str, Fraction]] = {state: {} for state in steps}
    for state, there in steps.items():
        for verdict, step in there.items():
            if step.target:
                row = weights[state]
                row[step.target] = row.get(step.target, NOUGHT) + odds[verdict] * step.keeps
    return solve(list(steps), constants, weights)
