"""The odds of the next coup from any cards, fast: floating point, compiled, with its error.

Poisson's integral. With m1 and m2 cards before the last ones, N cards in the shoe, the orders of a
coup weigh m1! m2! (N - m1 - m2 - 2)! / N!, which is the integral of
p^m1 q^m2 (1 - p - q)^(N - 2 - m1 - m2) over the triangle of p and q. So the two numbers of cards
leave the count: at each node (p, q) one series in the two totals is enough (``odds/nodes.py``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import fsum
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.compiled import loaded
from trente_rules.core.coup import LAST_OPEN_TOTAL, OUTCOMES, POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.odds.coup_odds import CoupOdds, verdicts_of
from trente_rules.odds.exact import check_counts, odds_of_cards
from trente_rules.odds.nodes import CoupRule, coup_rule

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
_FEW: Final = (1e-9, 12)
"""The same for the fewest nodes, exact for so many powers: taken where a bound allows them."""


@frozen
class FastOdds:
    """The odds of one coup in floating point, without replacement.

    ``points[first - 31][second - 31]`` is the probability of both points, ``first_red`` of both
    points and a red first card of the coup; the rows are exchangeable, so ``second_red`` follows.
    ``unfinished`` is the probability of a coup that the cards cannot complete. ``error`` is how far
    any of these may be off: an estimate, from sums that are known in another way, and not less
    than a bound of what few nodes leave (``odds/nodes.py``).
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

        They are fractions that sum to one less ``unfinished``. Raises ``TrenteError``
        ("bad-verdicts") for a table without a verdict for each outcome, and ("needs-exact") for
        one that looks at both colours at once, as no shipped chance does.
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
        sums = [Fraction(max(fsum(part), 0.0)) for part in parts]
        total = sum(sums, Fraction(0))
        # What rounding leaves over would be a variance below 0 where the coup is certain.
        share = (1 - Fraction(self.unfinished)) / total if total else total
        return tuple(each * share for each in sums)


def fast_odds(noir: Sequence[int], rouge: Sequence[int], deal: str = "cards") -> FastOdds:
    """Return the odds of the next coup dealt from cards in random order, to 1e-12 and better.

    ``noir`` and ``rouge`` count the black and the red cards of each value, aces first, tens and
    court cards together last. Fewer than 40 cards, cards that may not suffice for a coup, and cards
    whose error estimate is above 1e-13 are counted in whole numbers, in some 20 ms.
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
    known = ends.sum(axis=1)
    cards, red_cards = sum(counts), sum(reds)
    alike = all(red * cards == count * red_cards for red, count in zip(reds, counts, strict=True))
    tries = []
    for rule, bound in _rules(kernel.LANES, counts, ends):
        points, red = kernel.joint(numbers, rhos, 1 if alike else 3, rule.nodes, rule.weights)
        if alike:
            red = points * (red_cards / cards)
        error = max(
            float(np.abs(points.sum(axis=1) - known).max()),
            abs(float(red.sum()) - red_cards / cards),
            abs(float(points.sum()) - 1),
            bound,
        ) + 4 * float(np.finfo(float).eps)
        tries.append(FastOdds(deal, _tuples(points), _tuples(red), 0.0, error))
        if error <= TOLERANCE:
            break
    return tries[-1]


def _rules(lanes: int, counts: list[int], ends: Any) -> Iterator[tuple[CoupRule, float]]:
    """Yield rules, fewest nodes first, each with a bound of its error, 0 where none is needed.

    With few nodes the sums that are known could be right by chance; their bound is proved.
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    cards = sum(counts)
    largest = max(value for value, count in enumerate(counts, 1) if count)
    fewest = -(-(LAST_OPEN_TOTAL + 1) // largest) - 1
    lengths = ends.sum(axis=0)
    longer = np.cumsum(np.convolve(lengths, lengths)[::-1])[::-1]

    def rule_of(tail: float, powers: int) -> CoupRule:
        most = min(int(np.flatnonzero(longer > tail)[-1]), cards - 2)
        free = min(most - 2 * fewest, powers)
        return coup_rule(lanes, cards, fewest, most, (free // 2 + 2, free // 4 * 2 + 2))

    few = rule_of(*_FEW)
    bound = few.bound(ends)
    if bound <= TOLERANCE:
        yield few, bound
    for tail in _TAILS:
        yield rule_of(tail, cards), 0.0


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
        exact.unfinished_weight / whole,
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
    return loaded(("odds.fast_kernel",), trial, "the fast odds need", instead, seconds=5)
