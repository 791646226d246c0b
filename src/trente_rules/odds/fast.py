"""The odds of the next coup from any cards, fast: floating point, compiled, with its error.

Poisson's integral. With m1 and m2 cards before the last ones, N cards in the shoe, the orders of a
coup weigh m1! m2! (N - m1 - m2 - 2)! / N!, which is the integral of
p^m1 q^m2 (1 - p - q)^(N - 2 - m1 - m2) over the triangle of p and q. So the two numbers of cards
leave the count: at each node (p, q) one series in the two totals is enough.
Gauss-Jacobi nodes integrate every power that matters exactly.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from math import comb, fsum
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.compiled import loaded
from trente_rules.core.coup import LAST_OPEN_TOTAL, OUTCOMES, POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.odds.coup_odds import CoupOdds, verdicts_of
from trente_rules.odds.exact import check_counts, odds_of_cards


def coup_nodes(lanes: int, counts: list[int], lengths: Any, tail: float) -> tuple[Any, Any]:
    """Return nodes and weights for a coup by groups, the integrand's common powers taken out.

    With k cards in both rows before the last, the integrand is the both-rows share to the power
    k + 1 and the rest to the power N - 2 - k: a polynomial of as many degrees as k can vary.
    ``lengths`` are the odds of each number of cards in a row before the last; coups that are as
    long as to be less likely than ``tail`` are not counted by the degrees, and are nearly
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


FEWEST: Final = 40
"""With fewer cards the divisions could lose digits: they are counted in whole numbers."""
_SUFFICE: Final = POINTS[-1] + POINTS[0]
"""Cards of as many points are sure to complete a coup, however they lie."""
MOST: Final = 10**9
TOLERANCE: Final = 1e-13
"""An error estimate above this sends the cards to the whole numbers too."""
_TAILS: Final = (1e-8, 1e-16)
"""How likely the longest coups are that the nodes need not be exact for; fewer nodes come first.

Those that are longer are not left out: few nodes are nearly exact for them too.
"""


@frozen
class FastOdds:
    """The odds of one coup in floating point, without replacement.

    ``points[first - 31][second - 31]`` is the probability of both points, ``first_red`` of both
    points and a red first card of the coup; the rows are exchangeable, so ``second_red`` follows.
    ``unfinished`` is the probability of a coup that the cards cannot complete. ``error`` is an
    estimate, from sums that are known in another way, of how far any of these may be off.
    """

    deal: str
    points: tuple[tuple[float, ...], ...] = field(repr=False)
    first_red: tuple[tuple[float, ...], ...] = field(repr=False)
    unfinished: float
    error: float

    @property
    def second_red(self) -> tuple[tuple[float, ...], ...]:
        """The probability of both points and a red first card of the second row."""
        return tuple(zip(*self.first_red, strict=True))

    def joint(self) -> tuple[tuple[float, ...], ...]:
        """Return the probability of both points: ``joint[first - 31][second - 31]``."""
        return self.points

    def row(self) -> tuple[float, ...]:
        """Return the probability of each point of one row of a completed coup, 31 to 40."""
        return tuple(sum(line) for line in self.points)

    def verdicts(self, table: bytes) -> tuple[Fraction, ...]:
        """Return the probability of each verdict of a chance, by its table, in its order.

        They are floating-point numbers as fractions. Raises ``TrenteError`` ("bad-verdicts") for a
        table without a verdict for each outcome, and ("needs-exact") for one that looks at both
        colours at once, as no shipped chance does.
        """
        parts: list[list[float]] = [[] for _verdict in range(verdicts_of(table))]
        size = len(POINTS)
        for place in range(size**2):
            i, j = divmod(place, size)
            noirs, second, first, rouges = table[4 * place : 4 * place + 4]
            whole, red = self.points[i][j], self.first_red[i][j]
            if (noirs, first) != (second, rouges):
                if (noirs, second) != (first, rouges):
                    raise TrenteError(
                        f"the verdicts of {POINTS[i]} and {POINTS[j]} look at both first colours",
                        "needs-exact",
                        'ask for engine="exact"',
                    )
                first, red = second, self.first_red[j][i]
            parts[noirs].append(whole - red)
            parts[first].append(red)
        # fsum does not depend on the order: chances that are alike have the same figures.
        return tuple(Fraction(fsum(part)) for part in parts)


def fast_odds(noir: Sequence[int], rouge: Sequence[int], deal: str = "cards") -> FastOdds:
    """Return the odds of the next coup dealt from cards in random order, to 1e-12 and better.

    ``noir`` and ``rouge`` count the black and the red cards of each value, aces first, tens and
    court cards together last. Fewer than 40 cards, cards that may not suffice for a coup, and cards
    whose error estimate is above 1e-13 are counted in whole numbers, which takes seconds.
    Raises ``TrenteError`` ("bad-composition"; "needs-fast" where numba is not installed).
    """
    check_counts(noir, rouge)
    kernel = _kernel()
    counts = [a + b for a, b in zip(noir, rouge, strict=True)]
    cards = sum(counts)
    if cards > MOST:
        raise TrenteError(
            f"{cards} cards", "bad-composition", f"the fast engine takes at most {MOST}"
        )
    worth = sum(value * count for value, count in enumerate(counts, 1))
    if cards >= FEWEST and worth >= _SUFFICE:
        odds = _integral(kernel, counts, rouge, deal)
        if odds.error <= TOLERANCE:
            return odds
    return _rounded(odds_of_cards(noir, rouge, deal))


def fast_odds_of_many(
    compositions: Iterable[tuple[Sequence[int], Sequence[int]]], workers: int | None = None
) -> list[FastOdds]:
    """Return ``fast_odds`` of many (noir, rouge), in their order, on all cores or ``workers``.

    The threads of one process share the work: the compiled part leaves the interpreter free.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only this function needs it

    _kernel()
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        return list(pool.map(lambda pair: fast_odds(*pair), compositions))


def _integral(kernel: Any, counts: list[int], reds: Sequence[int], deal: str) -> FastOdds:
    """Integrate, and compare with what is known: each row's points, and the first card's colour.

    Where every value has the same share of red cards, the first card is red by that share.
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    numbers = np.array(counts, dtype=np.float64)
    rhos = np.array(reds, dtype=np.float64) / np.maximum(numbers, 1)
    ends = kernel.row(numbers)
    known, lengths = ends.sum(axis=1), ends.sum(axis=0)
    cards, red_cards = sum(counts), sum(reds)
    alike = all(red * cards == count * red_cards for red, count in zip(reds, counts, strict=True))
    tries = []
    for tail in _TAILS:
        nodes, weights = coup_nodes(kernel.LANES, counts, lengths, tail)
        points, red = kernel.joint(numbers, rhos, 1 if alike else 3, nodes, weights)
        if alike:
            red = points * (red_cards / cards)
        error = max(
            float(np.abs(points.sum(axis=1) - known).max()),
            abs(float(red.sum()) - red_cards / cards),
            abs(float(points.sum()) - 1),
        ) + 4 * float(np.finfo(float).eps)
        tries.append(FastOdds(deal, _tuples(points), _tuples(red), 0.0, error))
        if error <= TOLERANCE:
            break
    return tries[-1]


def _tuples(table: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, table.tolist()))


def _rounded(exact: CoupOdds) -> FastOdds:
    """Return exact odds as floating-point numbers."""
    whole, size = exact.denominator, 4 * len(POINTS)
    lines = [exact.weights[at : at + size] for at in range(0, OUTCOMES, size)]
    red = [[(a + b) / whole for a, b in zip(line[2::4], line[3::4], strict=True)] for line in lines]
    return FastOdds(
        exact.deal,
        tuple(tuple(map(float, line)) for line in exact.joint()),
        tuple(map(tuple, red)),
        exact.unfinished / whole,
        2.0**-53,
    )


@cache
def _kernel() -> Any:
    """Return the compiled part, tried once; ``TrenteError`` ("needs-fast")."""

    def trial(kernel: Any) -> None:
        import numpy as np  # noqa: PLC0415 - of the extra

        pack, nodes = np.array([4.0] * 9 + [16.0]), np.full((1, kernel.LANES, 2), 0.25)
        kernel.row(pack)
        kernel.joint(pack, pack / 100, 3, nodes, np.zeros((1, kernel.LANES)))

    instead = ', or ask for engine="exact"'
    return loaded(("odds.fast_kernel",), trial, "the fast odds need", instead)
