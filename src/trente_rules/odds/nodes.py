"""The nodes of the fast odds: where Poisson's integral is evaluated, with a bound of its error.

Coups of m1 and m2 cards before the last are integrals of p^m1 q^m2 (1 - p - q)^(N - 2 - m1 - m2).
A rule of Gauss and Jacobi for p + q, and one for the share of p in it, are exact for most of these
powers. How far each power is off is known, for its integral is known: a quotient of factorials. So
the error is at most the sum over m1 and m2 of that times the odds of so many cards.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.coup import LAST_OPEN_TOTAL

_MOST: Final = LAST_OPEN_TOTAL + 1
"""A row has fewer cards than this before its last one, and one."""


@frozen
class CoupRule:
    """Nodes and weights of the integral of a coup, in groups of lanes.

    ``nodes`` are (share of cards in both rows, share of the first row in these), in the half in
    which the first row is the shorter; ``factors`` bound the error, for points and for colours:
    ``factors[kind][m1][m2]`` is that of coups of m1 and m2 cards before the last, for each
    probability of m1 cards in one row and of m2 in another.
    """

    nodes: Any = field(repr=False)
    weights: Any = field(repr=False)
    factors: Any = field(repr=False)

    def bound(self, ends: Any) -> float:
        """Return how far any probability may be off, at most, before anything is rounded.

        ``ends`` are the exact odds of one row, [point, cards before the last].
        """
        return float((ends @ self.factors @ ends.T).max())


@lru_cache(maxsize=4096)
def coup_rule(lanes: int, cards: int, fewest: int, most: int, sizes: tuple[int, int]) -> CoupRule:
    """Return the rule of a coup from so many cards.

    A row has at least ``fewest`` cards before its last. The integrand's powers that all coups of up
    to ``most`` cards have in common are left to the weight of the nodes. ``sizes`` are the numbers
    of nodes for the share of both rows, and, an even one, for the share of the first in it.
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    low, rest = 2 * fewest, cards - 2 - most
    shares, outer = gauss(sizes[0], low, rest)
    parts, inner = gauss(sizes[1], fewest - 1, fewest - 1)
    half = len(parts) // 2
    share, part = (grid.ravel() for grid in np.meshgrid(shares, parts[:half], indexing="ij"))
    # Powers of the rest, less what the weight of the nodes has, and of the shares likewise.
    outer = outer * shares ** (1.0 - low) * (1 - shares) ** (cards - 2.0 - rest)
    inner = inner * (parts * (1 - parts)) ** (1.0 - fewest)
    weight = np.outer(outer, inner[:half]).ravel()
    groups = -(-len(weight) // lanes)
    nodes, weights = np.full((groups * lanes, 2), 0.25), np.zeros(groups * lanes)
    nodes[: len(weight)] = np.stack([share, part], axis=1)
    weights[: len(weight)] = weight
    factors = _factors(cards, fewest, shares, outer, parts, inner)
    return CoupRule(nodes.reshape(groups, lanes, 2), weights.reshape(groups, lanes), factors)


def _factors(cards: int, fewest: int, shares: Any, outer: Any, parts: Any, inner: Any) -> Any:
    """Return how far the rule is off for each number of cards, relative to what it should be.

    It is multiplied by how much more often two rows may come from one shoe than from two. They have
    c1 and c2 cards of a value with n cards, and n!/(n - c1 - c2)! is not more than
    n!/(n - c1)! n!/(n - c2)!; so that is the same quotient for all cards of the shoe, inverted.
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    lengths, powers = np.arange(_MOST), np.arange(2 * _MOST - 1)
    one, two = lengths[:, None], lengths[None, :]
    # A row of so few cards does not end, and there are no more cards than all.
    possible = (one + two + 2 <= cards) & (np.minimum(one, two) >= fewest)
    factorials = np.cumprod(np.maximum(np.arange(_MOST, dtype=float), 1))
    # N^k (N - k)! / N!
    drawn = np.cumprod(cards / np.maximum(cards - np.arange(-1.0, 2 * _MOST), 1))
    drawn = drawn * (cards + 1) / cards
    twice = drawn[one + two + 2] / (drawn[one + 1] * drawn[two + 1])
    factors = []
    for fewer in (0, 1):  # a mean over the cards of the first row takes one power of its share away
        exponents = powers[:, None]
        terms = (cards * shares) ** (exponents - fewer) * (1.0 - shares) ** -exponents
        firsts = parts ** (lengths[:, None] - fewer) * inner
        sums = (
            firsts @ ((1 - parts) ** lengths[:, None]).T * (terms @ (outer * cards**2))[one + two]
        )
        exact = factorials[np.maximum(one - fewer, 0)] * factorials[two] * drawn[one + two + 2]
        factors.append(np.where(possible, np.abs(sums / exact - 1) * twice, 0.0))
    return np.stack(factors)


@lru_cache(maxsize=256)
def gauss(size: int, low: int, high: int) -> tuple[Any, Any]:
    """Return the nodes and weights of the integral of x^low (1-x)^high f(x) from 0 to 1.

    Gauss-Jacobi: the nodes are the eigenvalues of the matrix of the recurrence (Golub and Welsch),
    corrected by Newton's method, the weights come from the orthonormal polynomials there.
    """
    # Not scipy.special.roots_jacobi: it works on -1 to 1, where nodes near 0 lose their digits, so
    # the error of a sixain is 7 times as large; its weights overflow from 1,000 cards, and its
    # import takes 0.3 s. All terms of the recurrence on 0 to 1 are positive.
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
    aside = np.sqrt(n * (n + low) * (n + high) * first / (c**2 * (c + 1)))
    # Only the lower triangle is read.
    nodes = np.linalg.eigvalsh(np.diag(middle[:size]) + np.diag(aside[: size - 1], -1))
    mass = 1 / ((low + high + 1) * comb(low + high, low))
    squares = np.ones(size)
    for newton in (True, True, False):
        last, value, squares = np.zeros(size), np.ones(size), np.zeros(size)
        for k in range(size):
            squares += value**2
            before = aside[k - 1] * last if k else 0.0
            last, value = value, ((nodes - middle[k]) * value - before) / aside[k]
        if newton:  # the slope at a node is squares / (aside * last), by Christoffel and Darboux
            nodes = nodes - value * aside[size - 1] * last / squares
    return nodes, mass / (squares * (1 / squares).sum())
