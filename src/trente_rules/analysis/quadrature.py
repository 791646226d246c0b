"""The nodes and weights of the integral over the cards of both rows: Gauss-Jacobi, in numpy."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any

from trente_rules.deal.coup import LAST_OPEN_TOTAL


def coup_nodes(lanes: int, counts: list[int], lengths: Any, tail: float) -> tuple[Any, Any]:
    """Answer nodes and weights for a coup by groups, the integrand's common powers taken out.

    With k cards in both rows before the last, the integrand is the both-rows share to the power
    k + 1 and the rest to the power N - 2 - k: a polynomial of as many degrees as k can vary.
    ``lengths`` are the odds of each number of cards in a row before the last; coups that are as
    long as to be less likely than ``tail`` are not counted by the degrees, and come out nearly
    exact. The nodes are those of the half in which the first row is the shorter.
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    cards = sum(counts)
    largest = max(value for value, count in enumerate(counts, 1) if count)
    fewest = -(-(LAST_OPEN_TOTAL + 1) // largest) - 1
    longer = np.cumsum(np.convolve(lengths, lengths)[::-1])[::-1]
    most = min(int(np.flatnonzero(longer > tail)[-1]), cards - 2)
    low, rest = 2 * fewest, cards - 2 - most
    shares, outer = gauss((most - low) // 2 + 2, low, rest)
    parts, inner = gauss((most - low) // 4 * 2 + 2, fewest - 1, fewest - 1)
    half = len(parts) // 2
    share, part = (grid.ravel() for grid in np.meshgrid(shares, parts[:half], indexing="ij"))
    # Powers of the rest, less what the weight of the nodes has, and of the shares likewise.
    weight = np.outer(
        outer * shares ** (1.0 - low) * (1 - shares) ** (cards - 2.0 - rest),
        inner[:half] * (parts[:half] * (1 - parts[:half])) ** (1.0 - fewest),
    ).ravel()
    groups = -(-len(weight) // lanes)
    nodes, weights = np.full((groups * lanes, 2), 0.25), np.zeros(groups * lanes)
    nodes[: len(weight)] = np.stack([share, part], axis=1)
    weights[: len(weight)] = weight
    return nodes.reshape(groups, lanes, 2), weights.reshape(groups, lanes)


@lru_cache(maxsize=256)
def gauss(size: int, low: int, high: int) -> tuple[Any, Any]:
    """Answer the nodes and weights of the integral of x^low (1-x)^high f(x) from 0 to 1.

    Gauss-Jacobi: the nodes are the eigenvalues of the matrix of the recurrence (Golub and Welsch),
    set right by Newton's method, the weights come from the orthonormal polynomials there. All
    terms of the recurrence on 0 to 1 are positive, so that small nodes keep their digits.
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    n = np.arange(size + 1.0)
    c = 2 * n + low + high
    middle = (4 * n * (n + low + high + 1) + 2 * (low + high) * (low + 1.0)) / np.maximum(
        2 * c * (c + 2), 1
    )
    middle[0] = (low + 1) / (low + high + 2)
    n, c = n[1:], c[1:]
    # At n = 1 the factor n + low + high is c - 1, whatever the two are.
    first = np.where(n == 1, 1.0, (n + low + high) / np.maximum(c - 1, 1))
    beside = np.sqrt(n * (n + low) * (n + high) * first / (c**2 * (c + 1)))
    matrix = (
        np.diag(middle[:size]) + np.diag(beside[: size - 1], 1) + np.diag(beside[: size - 1], -1)
    )
    nodes = np.linalg.eigvalsh(matrix)
    mass = 1 / ((low + high + 1) * comb(low + high, low))
    squares = np.ones(size)
    for newton in (True, True, False):
        last, value = np.zeros(size), np.ones(size)
        last_slope, slope = np.zeros(size), np.zeros(size)
        squares = np.zeros(size)
        for k in range(size):
            squares += value**2
            behind = beside[k - 1] if k else 0.0
            following = ((nodes - middle[k]) * value - behind * last) / beside[k]
            slope, last_slope = (
                (value + (nodes - middle[k]) * slope - behind * last_slope) / beside[k],
                slope,
            )
            value, last = following, value
        if newton:
            nodes = nodes - value / slope
    weights = 1 / squares
    return nodes, weights / weights.sum() * mass
