"""The exact odds by residues: whole numbers modulo primes, and the Chinese remainder theorem.

The probabilities of a coup are whole numbers over a common denominator D, the least that all
numbers of cards in both rows need: 320 bits for six packs. The ways by the cards in both rows are a
polynomial; its values at whole numbers are counted modulo primes below 2^48 (exact_kernel), and
the orders of the cards are weights of these values. Enough primes to make D determine each number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, count, islice
from math import comb, factorial, gcd, lcm, perm, prod
from typing import Any, Final

from trente_rules.core.compiled import fast_installed, loaded
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS

_BITS: Final = 48
_FEW: Final = 20
"""Series count fewer cards in less time than it takes to import numba."""
_BASES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
"""Bases for which the test of a prime below 3.3e24 is a proof (Sorenson and Webster)."""
Table = list[int]
"""A whole number for each pair of points, first by first."""


def ways_by_residues(
    counts: Sequence[int], reds: Sequence[int], most: int
) -> tuple[int, Table, Table, Table]:
    """Return D, and D times the probabilities of both points: any colours, first red, both red.

    "First red": the first card of the first row is a red one. ``most`` is how many cards a coup may
    take. Raises ``TrenteError`` ("needs-fast") where numba is not installed.
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    kernel = _kernel()
    cards = sum(counts)
    size, nothing = len(POINTS) ** 2, [0] * len(POINTS) ** 2
    low, high = _lengths(counts)
    most = min(most, cards, 2 * (high + 1))
    if high < low or 2 * (low + 1) > most:
        return 1, nothing, nothing, nothing
    lengths = range(low, high + 1)
    taken = [perm(cards, k) for k in range(most + 1)]
    whole = _denominator(lengths, taken)
    orders = [
        [
            whole * factorial(m1 - 1) * factorial(m2 - 1) // taken[m1 + m2 + 2]
            if m1 + m2 + 2 <= most
            else 0
            for m2 in lengths
        ]
        for m1 in lengths
    ]
    parts = 4 if any(reds) else 1
    numbers, red_numbers = np.array(counts, dtype=np.float64), np.array(reds, dtype=np.float64)
    primes = _primes_for(whole)
    tables: list[list[int]] = []
    for prime in primes:
        binomials = [comb(n, k) % prime for n in counts for k in range(LAST_OPEN_TOTAL + 1)]
        points, weights = _weights(kernel, lengths, orders, prime)
        found = kernel.residues(
            _balanced(binomials, prime), numbers, red_numbers, float(prime), parts, points, weights
        )
        by_lanes = found.reshape(3 * size, kernel.LANES).sum(axis=1)
        tables.append([int(number) for number in by_lanes])
    basis, modulus = _basis(primes)
    solved = [
        sum(part * residue for part, residue in zip(basis, column, strict=True)) % modulus
        for column in zip(*tables, strict=True)
    ]
    return whole, solved[:size], solved[size : 2 * size], solved[2 * size :]


def _lengths(counts: Sequence[int]) -> tuple[int, int]:
    """Return the fewest and the most cards that a row can have before its last one."""
    largest = max((value for value, n in enumerate(counts, 1) if n), default=1)
    room, high = LAST_OPEN_TOTAL, 0
    for value, n in enumerate(counts, 1):
        fit = min(n, room // value)
        room, high = room - fit * value, high + fit
    return -(-(LAST_OPEN_TOTAL + 1) // largest) - 1, high


def _denominator(lengths: range, taken: Sequence[int]) -> int:
    """Return the least number that makes the weights of all orders whole."""
    whole = 1
    for m1 in lengths:
        for m2 in range(m1, lengths.stop):
            if m1 + m2 + 2 < len(taken):
                ways = factorial(m1 - 1) * factorial(m2 - 1)
                whole = lcm(whole, taken[m1 + m2 + 2] // gcd(ways, taken[m1 + m2 + 2]))
    return whole


@lru_cache(maxsize=32)
def _interpolation(size: int) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Return 1, -1, 2, -2, ... and the numerators of Lagrange's polynomials on them."""
    points = tuple((k // 2 + 1) * (-1) ** k for k in range(size))
    lines = []
    for point in points:
        line = [1]
        for other in points:
            if other != point:
                line = [a - other * b for a, b in zip([0, *line], [*line, 0], strict=True)]
        lines.append(tuple(line))
    return points, tuple(lines)


def _weights(kernel: Any, lengths: range, orders: list[list[int]], prime: int) -> tuple[Any, Any]:
    """Return the points of all lanes and their weights modulo a prime, in groups of lanes.

    The sum over the points of weight x u^m1 z^m2 is the weight of the orders of m1 and m2 cards:
    by the coefficients of Lagrange's polynomials, from both sides.
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    size, lanes = len(lengths), kernel.LANES
    points, lines = _interpolation(size)
    factors = []
    for point, line in zip(points, lines, strict=True):
        below = prod(point - other for other in points if other != point) * point**lengths.start
        inverse = pow(below, -1, prime)
        factors.append([number * inverse % prime for number in line])
    padded = -(-size // lanes) * lanes
    wide = np.zeros((size, padded))
    left = _balanced(factors, prime)
    wide[:, :size] = left.T
    right = wide.ravel()
    kinds = []
    for first, second in ((0, 0), (1, 0), (1, 1)):
        # Marked first cards are not ordered: (m - 1)! for m!.
        weighed = np.zeros((size, padded))
        weighed[:, :size] = _balanced(
            [
                [
                    number * (1 if first else m1) * (1 if second else m2) % prime
                    for number, m2 in zip(line, lengths, strict=True)
                ]
                for line, m1 in zip(orders, lengths, strict=True)
            ],
            prime,
        )
        half = kernel.matrix_product(
            left.ravel(), weighed.ravel(), size, size, padded, float(prime)
        ).reshape(size, padded)[:, :size]
        whole = kernel.matrix_product(
            np.ascontiguousarray(half).ravel(), right, size, size, padded, float(prime)
        )
        kinds.append(whole.reshape(size, padded))
    above, beside = np.triu_indices(size)
    places = np.array(points, dtype=np.float64)
    plain, red, both = kinds
    four = np.stack([plain[above, beside], red[above, beside], red[beside, above],
                     both[above, beside]])  # fmt: skip
    # A point on the diagonal counts once, though both orders of the rows are added.
    four[:, above == beside] = _halves(four[:, above == beside], prime)
    groups = -(-len(above) // lanes)
    all_points, all_weights = np.ones((2, groups * lanes)), np.zeros((4, groups * lanes))
    all_points[:, : len(above)] = places[above], places[beside]
    all_weights[:, : len(above)] = four

    def grouped(table: Any) -> Any:
        return np.ascontiguousarray(table.reshape(-1, groups, lanes).swapaxes(0, 1)).ravel()

    return grouped(all_points), grouped(all_weights)


def _halves(residues: Any, prime: int) -> Any:
    """Return half of each residue: an even number among it and its sum with the prime."""
    return (residues + (residues % 2) * prime) / 2


def _balanced(residues: Any, prime: int) -> Any:
    """Return residues from 0 on as floating-point numbers around 0."""
    import numpy as np  # noqa: PLC0415 - of the extra

    numbers = np.array(residues, dtype=np.float64)
    return np.where(numbers > prime // 2, numbers - prime, numbers)


def _is_prime(number: int) -> bool:
    """Return whether an odd number is a prime: Miller's test, with bases that are a proof."""
    odd = number - 1
    twos = (odd & -odd).bit_length() - 1
    odd >>= twos
    for base in _BASES:
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        if all((power := power * power % number) != number - 1 for _ in range(twos - 1)):
            return False
    return True


def _primes() -> Iterator[int]:
    """Yield the primes below 2^48, the largest first."""
    return (number for number in count(2**_BITS - 1, -2) if _is_prime(number))


@lru_cache(maxsize=64)
def _first_primes(size: int) -> tuple[int, ...]:
    return tuple(islice(_primes(), size))


def _primes_for(whole: int) -> tuple[int, ...]:
    """Return the primes that determine all numbers from 0 to ``whole``."""
    primes = _first_primes(whole.bit_length() // (_BITS - 1) + 1)
    needed = sum(1 for modulus in accumulate(primes, int.__mul__) if modulus <= whole) + 1
    return primes[:needed]


@lru_cache(maxsize=64)
def _basis(primes: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Return the numbers that are 1 modulo one prime and 0 modulo the others, and the product."""
    modulus = prod(primes)
    rest = [modulus // prime for prime in primes]
    return tuple(r * pow(r, -1, p) for r, p in zip(rest, primes, strict=True)), modulus


@cache
def _kernel() -> Any:
    """Return the compiled part, tried once; ``TrenteError`` ("needs-fast")."""

    def trial(kernel: Any) -> None:
        import numpy as np  # noqa: PLC0415 - of the extra

        ones, prime = np.ones(kernel.LANES**2), float(2**_BITS - 59)
        kernel.matrix_product(ones, ones, 1, 1, kernel.LANES, prime)
        binomials = np.ones(10 * (LAST_OPEN_TOTAL + 1))
        points, weights = np.ones(2 * kernel.LANES), np.ones(4 * kernel.LANES)
        kernel.residues(binomials, np.ones(10), np.zeros(10), prime, 4, points, weights)

    return loaded(("odds.exact_kernel",), trial, "exact odds by residues need", seconds=4)


def pays(cards: int) -> bool:
    """Return whether so many cards are counted faster by residues than by series.

    False where numba is not installed, for few cards where it would have to be loaded first, and
    where the number of cards is not a residue of the primes.
    """
    loaded_already = _kernel.cache_info().currsize > 0
    return fast_installed() and (cards >= _FEW or loaded_already) and cards < 2 ** (_BITS - 2)
