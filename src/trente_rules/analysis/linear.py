"""Exact solution of the sparse linear systems that a stake machine makes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

State = TypeVar("State", bound=Hashable)


def solve(
    order: Sequence[State],
    constants: Mapping[State, Fraction],
    weights: Mapping[State, Mapping[State, Fraction]],
) -> dict[State, Fraction]:
    """Solve ``x[s] = constants[s] + sum(weights[s][t] * x[t])`` in Fractions.

    States are eliminated from the last of ``order`` to the first, so an order in which states lead
    forwards makes no row grow. A stake machine releases every stake in the end, so the system has
    one solution; ``ZeroDivisionError`` would mean a machine that was not checked.
    """
    rows: dict[State, dict[State, Fraction]] = {}
    values: dict[State, Fraction] = {}
    for position, state in reversed([*enumerate(order)]):
        constant = constants[state]
        row = {target: weight for target, weight in weights[state].items() if weight}
        for target in reversed(order[position + 1 :]):
            weight = row.pop(target, None)
            if weight is None:
                continue
            constant += weight * values[target]
            for further, part in rows[target].items():
                row[further] = row.get(further, Fraction(0)) + weight * part
        loop = 1 / (1 - row.pop(state, Fraction(0)))
        values[state] = constant * loop
        rows[state] = {target: weight * loop for target, weight in row.items()}
    solved: dict[State, Fraction] = {}
    for state in order:
        solved[state] = values[state] + sum(
            (weight * solved[target] for target, weight in rows[state].items()), Fraction(0)
        )
    return solved
