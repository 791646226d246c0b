"""The nodes of the law of a whole taille: angles for the cards of each value, and their weights.

Cards without replacement are independent cards that happen to have the right counts; a Fourier
integral over an angle a value takes those that have. The total of the points has an angle alone,
where the integrand oscillates: equal steps. In all others it is nearly a normal density: a sparse
grid of Gauss-Hermite rules (Smolyak). Any rotation of these angles among themselves leaves the
integral as it is, so the spread under rotations shows the error.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from math import ceil, comb, pi, sqrt
from typing import Any, Final

from attrs import frozen

from trente_rules.core.compiled import loaded
from trente_rules.core.coup import LAST_OPEN_TOTAL

PAIRS: Final = tuple((i, j) for i in range(10) for j in range(i, 10))
"""The points of both rows, less 31, the lower first: both orders are as likely."""
_ALIASED: Final = 8.3
"""Steps of the angle of the points confuse totals so many standard deviations apart: 1e-15."""
_WIDE: Final = 8.8
"""How far the angle of the points goes, times the root of the number of cards."""
_TAIL: Final = 1e-16
"""Rows so unlikely that they are left out, in a shoe of more cards than the next number."""
_FEW: Final = 100
_CHUNK: Final = 512


@frozen
class TailleShape:
    """The cards of a taille, and which of its coups are completed.

    ``counts`` has the cards of each value, 1 to 10. A coup is completed if it begins behind fewer
    than ``begin`` cards and ends behind at most ``end``, for any of ``ends``, which are as likely:
    the places of a marker. ``fewest`` and ``most`` bound the number of coups.
    """

    counts: tuple[int, ...]
    ends: tuple[tuple[int, int], ...]
    fewest: int
    most: int

    @property
    def cards(self) -> int:
        """The number of cards."""
        return sum(self.counts)


@frozen
class PrisonPath:
    """The effect of the coups of a pair of points on a stake in each state of a prison.

    ``moves[s][t]`` and ``gains[s]`` have a number for each of ``PAIRS``; state 0 is free.
    """

    moves: tuple[tuple[tuple[float, ...], ...], ...]
    gains: tuple[tuple[float, ...], ...]


@frozen
class TailleSums:
    """The expected coups of a taille by ``PAIRS`` (either order), its law, and what prisons gain.

    ``law[n]`` is the probability of ``fewest + n`` coups.
    """

    points: tuple[float, ...]
    law: tuple[float, ...]
    prisons: tuple[float, ...]


def taille_sums(
    shape: TailleShape, level: int, seed: int, prisons: tuple[PrisonPath, ...] = ()
) -> TailleSums:
    """Return the sums over the nodes of a level of the sparse grid, turned by a seed.

    Raises ``TrenteError`` ("needs-fast").
    """
    kernel = _kernel()
    import numpy as np  # noqa: PLC0415 - of the extra

    weights, factors = _nodes(shape.counts, level, seed)
    size = 2 * _longest(shape.counts) + 1
    largest = max(value for value, count in enumerate(shape.counts, 1) if count)
    sizes = ceil((LAST_OPEN_TOTAL + 1) / largest), _longest(shape.counts)
    place, length = np.meshgrid(np.arange(shape.cards + 1), np.arange(size), indexing="ij")
    within = sum(
        ((place < begin) & (place + length <= end)).astype(float) for begin, end in shape.ends
    ) / len(shape.ends)
    span = shape.most - shape.fewest + 1
    roots = np.exp(2j * pi * np.arange(span) / span)
    states = max((len(prison.gains) for prison in prisons), default=1)
    moves = np.zeros((len(prisons), states, states, len(PAIRS)))
    gains = np.zeros((len(prisons), states, len(PAIRS)))
    for path, prison in enumerate(prisons):
        here = len(prison.gains)
        moves[path, :here, :here], gains[path, :here] = prison.moves, prison.gains
    found: Any = [0j, np.zeros(len(PAIRS)), np.zeros(span, complex), np.zeros(len(prisons))]
    for start in range(0, len(weights), _CHUNK):
        some = slice(start, start + _CHUNK)
        nodes = weights[some], factors[some]
        part = kernel.taille_sums(nodes, within, roots, (moves, gains), sizes)
        found = [one + other for one, other in zip(found, part, strict=True)]
    whole, points, marked, extra = found
    # The nodes left out, at minus the angles, are the conjugates of those at the conjugate root.
    marked = (marked + np.conj(np.roll(marked[::-1], 1))) / (2 * whole.real)
    law = np.fft.fft(marked * roots ** -float(shape.fewest)).real / span
    both = np.array([1.0 if i == j else 2.0 for i, j in PAIRS])
    return TailleSums(
        tuple((points * both / whole.real).tolist()),
        tuple(law.tolist()),
        tuple((extra / whole.real).tolist()),
    )


def _kernel() -> Any:
    def trial(kernel: Any) -> None:
        import numpy as np  # noqa: PLC0415 - of the extra

        prisons = np.zeros((0, 1, 1, len(PAIRS))), np.zeros((0, 1, len(PAIRS)))
        nodes = np.zeros((1, 10, 2, kernel.LANES)), np.zeros((1, kernel.LANES), complex)
        kernel.taille_sums(nodes, np.zeros((2, 63)), np.ones(1, complex), prisons, (4, 31))

    return loaded(("odds.taille_kernel",), trial, "the law of a whole taille needs", seconds=20)


def _longest(counts: tuple[int, ...]) -> int:
    """Return the most cards of a row that is looked at."""
    cards, most = sum(counts), LAST_OPEN_TOTAL + 1
    if cards < _FEW:
        return most
    open_ = [1.0] + [0.0] * LAST_OPEN_TOTAL
    for length in range(1, most + 1):
        new = [0.0] * len(open_)
        for value, count in enumerate(counts, 1):
            for total in range(len(open_) - value):
                new[total + value] += open_[total] * count / cards
        open_ = new
        if sum(open_) < _TAIL:
            return length
    return most


def _nodes(counts: tuple[int, ...], level: int, seed: int) -> tuple[Any, Any]:
    """Return the weights of the cards at groups of eight nodes, and the factors of the nodes."""
    import numpy as np  # noqa: PLC0415 - of the extra

    lanes = 8  # those of the kernel
    cards = sum(counts)
    values = np.array([value for value, count in enumerate(counts, 1) if count])
    held = np.array([count for count in counts if count])
    p = held / cards
    # Of the values but the last, whose angle is nought.
    spread = cards * (np.diag(p[:-1]) - np.outer(p[:-1], p[:-1]))
    points = (values - values[-1])[:-1].astype(float)
    root = np.linalg.cholesky(spread)
    along = root.T @ points
    others = len(along) - 1
    # Any matrix turns the angles; this one looks random, and is the same with every numpy.
    i, j = np.indices((len(along), others))
    draws = (np.sin(seed % 1000 + 12.9898 * i + 78.233 * j) * 43758.5453) % 1 - 0.5
    basis = np.linalg.qr(np.column_stack([along, draws]))[0][:, 1:]
    across = np.linalg.solve(root.T, basis)
    steps = ceil(_ALIASED * sqrt(along @ along))
    last = min(ceil(_WIDE / sqrt(cards) * steps / (2 * pi)), steps // 2)
    angles = [
        (2 * pi * k / steps, 1.0 if k == 0 or 2 * k == steps else 2.0) for k in range(last + 1)
    ]
    grid = sparse_grid(others, level)
    size = len(angles) * len(grid)
    groups = -(-size // lanes)
    theta = np.zeros((groups * lanes, len(p)))
    amount = np.zeros(groups * lanes)
    at = np.array([point for point, _weight in grid]).reshape(len(grid), others)
    mass = np.array([weight for _point, weight in grid])
    mass = mass * np.exp((at**2).sum(axis=1) / 2)
    for n, (angle, often) in enumerate(angles):
        here = slice(n * len(grid), (n + 1) * len(grid))
        theta[here, :-1] = angle * points + at @ across.T
        amount[here] = often * mass
    turned = np.zeros((groups * lanes, 10), complex)
    turned[:, values - 1] = p * np.exp(1j * theta)
    factors = amount * np.exp(-1j * (theta @ held))
    weights = np.stack([turned.real, turned.imag], axis=-1).reshape(groups, lanes, 10, 2)
    return np.ascontiguousarray(weights.transpose(0, 2, 3, 1)), factors.reshape(groups, lanes)


@cache
def sparse_grid(dimensions: int, level: int) -> tuple[tuple[tuple[float, ...], float], ...]:
    """Return the points and weights of Smolyak's grid for a normal density, Gauss-Hermite.

    Rules of 1, 3, 5, ... points; exact for polynomials of twice the level and one more degrees.
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    rules = []
    for order in range(level + 1):
        nodes, weights = np.polynomial.hermite_e.hermegauss(2 * order + 1)
        nodes[order] = 0.0
        rules.append([*zip(nodes.tolist(), (weights / weights.sum()).tolist(), strict=True)])
    found: dict[tuple[float, ...], float] = {}
    for total in range(max(0, level - dimensions + 1), level + 1):
        sign = (-1) ** (level - total) * comb(dimensions - 1, level - total) if dimensions else 1
        for orders in _parted(total, dimensions):
            used = [n for n, order in enumerate(orders) if order]
            for chosen in product(*(rules[orders[n]] for n in used)):
                point, weight = [0.0] * dimensions, float(sign)
                for n, (node, part) in zip(used, chosen, strict=True):
                    point[n] = round(node, 14)
                    weight *= part
                found[tuple(point)] = found.get(tuple(point), 0.0) + weight
    return tuple(found.items())


def _parted(total: int, places: int) -> list[tuple[int, ...]]:
    """Return every way to part a number over places, none below 0."""
    if not places:
        return [()] if not total else []
    return [
        tuple(b - a - 1 for a, b in zip((-1, *bars), (*bars, total + places - 1), strict=True))
        for bars in combinations(range(total + places - 1), places - 1)
    ]
