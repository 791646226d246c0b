"""The compiled part of the exact odds: the ways of a coup modulo a prime, at points of u and z.

The number of cards before the last one is marked by u in the first row and by z in the second.
The ways are a polynomial in both. At whole numbers for u and z one series in the two open totals is
enough, as in the fast engine; residues.py makes the sums over all cards from its values.

A residue is a whole number in floating point, near zero: between about -p/2 and p/2, p below
2^48. A product of two is exact as a rounded product and what the rounding left, by a fused
multiplication; u and z are small, so a product with one of them is exact by itself. Every sum
stays below 2^53. Series are reduced when they are stored, so every bound is local to its function.
"""

# ruff: noqa: PLR0913, PLR0917 - plain numbers and arrays only: numba knows no values of ours

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from trente_rules.core.compiled import kept
from trente_rules.odds.vectors import (
    add,
    fused,
    load,
    multiply,
    negative,
    rounded,
    spread,
    store,
)

Array = Any  # numpy's own types say no more to numba, and mypy may run without numpy
Vector = Any

LANES: Final = 8
"""Points of u and z at once."""
SIDE: Final = 31
"""Open totals, 0 to 30; also more than the cards of a row before its last."""
POINTS: Final = 10
VALUES: Final = 10
OTHER_RED: Final = 2
"""The part with a red first card in the second row; 1 is that of the first row, 3 of both."""
LINE: Final = SIDE * LANES
PART: Final = (SIDE + VALUES) * LINE
"""A series by both totals: the first one can be as high as 40 once the last card lies."""


@njit(nogil=True)
def reduced(number: Vector, prime: Vector, inverse: Vector) -> Vector:
    """Return the residue of vectors of whole numbers below 2^53, nearest to zero."""
    return fused(negative(rounded(multiply(number, inverse))), prime, number)


@njit(nogil=True)
def product(one: Vector, other: Vector, more: Vector, prime: Vector, inverse: Vector) -> Vector:
    """Return the residue of one x other + more: residues, ``more`` below 2^52."""
    high = multiply(one, other)
    low = fused(one, other, negative(high))
    times = negative(rounded(multiply(add(high, more), inverse)))
    return add(fused(times, prime, high), add(more, low))


@kept
@njit(nogil=True)
def matrix_product(
    one: Array, other: Array, rows: int, size: int, columns: int, prime_number: float
) -> Array:
    """Return the product of flat matrices of residues; ``columns`` a multiple of the lanes."""
    prime, inverse = spread(prime_number, LANES), spread(1.0 / prime_number, LANES)
    result = np.zeros(rows * columns)
    for row in range(rows):
        for column in range(0, columns, LANES):
            total = spread(0.0, LANES)
            for k in range(size):
                factor = spread(one[row * size + k], LANES)
                total = product(factor, load(other, k * columns + column, LANES), total,
                                prime, inverse)  # fmt: skip
            store(result, row * columns + column, total)
    return result


@njit(nogil=True)
def divide(
    quotient: Array,
    to: int,
    series: Array,
    start: int,
    value: int,
    u: Vector,
    z: Vector,
    prime: Vector,
    inverse: Vector,
) -> None:
    """Divide a series by 1 + u s^value + z t^value, the factor of one card."""
    minus_u, minus_z = negative(u), negative(z)
    for first in range(SIDE):
        for second in range(SIDE):
            at = first * LINE + second * LANES
            number = load(series, start + at, LANES)
            if first >= value:
                number = fused(minus_u, load(quotient, to + at - value * LINE, LANES), number)
            if second >= value:
                number = fused(minus_z, load(quotient, to + at - value * LANES, LANES), number)
            store(quotient, to + at, reduced(number, prime, inverse))


@njit(nogil=True)
def shift(
    series: Array,
    to: int,
    other: Array,
    start: int,
    value: int,
    row: int,
    factor: Vector,
    prime: Vector,
    inverse: Vector,
) -> None:
    """Add factor x s^value x other to a series; for the second row t^value."""
    step = value * (LINE if row == 0 else LANES)
    for first in range(value if row == 0 else 0, SIDE):
        for second in range(0 if row == 0 else value, SIDE):
            at = first * LINE + second * LANES
            number = load(series, to + at, LANES)
            term = load(other, start + at - step, LANES)
            store(series, to + at, product(factor, term, number, prime, inverse))


@njit(nogil=True)
def second_row(
    series: Array,
    binomials: Array,
    counts: Array,
    weights: Array,
    z: Vector,
    prime: Vector,
    inverse: Vector,
) -> None:
    """Make the first line of a series: the product of (1 + z t^v)^n, no card in the first row."""
    one, nought = spread(1.0, LANES), spread(0.0, LANES)
    for at in range(0, PART, LANES):
        store(series, at, nought)
    store(series, 0, one)
    for value in range(1, VALUES + 1):
        most = min((SIDE - 1) // value, int(counts[value - 1]))
        power = one
        for k in range(1, most + 1):
            power = product(power, z, nought, prime, inverse)
            ways = spread(binomials[(value - 1) * SIDE + k], LANES)
            store(weights, k * LANES, product(power, ways, nought, prime, inverse))
        for total in range(SIDE - 1, value - 1, -1):
            number = load(series, total * LANES, LANES)
            for k in range(1, min(most, total // value) + 1):
                term = load(series, (total - k * value) * LANES, LANES)
                weight = load(weights, k * LANES, LANES)
                number = product(weight, term, number, prime, inverse)
            store(series, total * LANES, number)


@njit(nogil=True)
def multiplied(
    series: Array,
    binomials: Array,
    counts: Array,
    u: Vector,
    z: Vector,
    prime: Vector,
    inverse: Vector,
) -> None:
    """Multiply the factors of all cards: of each value (1 + z t^v + u s^v)^n.

    The second row comes first; each value adds the terms with i cards in the first row, which are
    (n over i) u^i s^(i v) (1 + z t^v)^(n - i): Horner's scheme, from the most cards on.
    """
    one, nought = spread(1.0, LANES), spread(0.0, LANES)
    line, weights = np.zeros(LINE), np.zeros(LINE)
    second_row(series, binomials, counts, weights, z, prime, inverse)
    minus_z = negative(z)
    for value in range(1, VALUES + 1):
        count = int(counts[value - 1])
        power = one
        for k in range(min((SIDE - 1) // value, count) + 1):
            ways = spread(binomials[(value - 1) * SIDE + k], LANES)
            store(weights, k * LANES, product(power, ways, nought, prime, inverse))
            power = product(power, u, nought, prime, inverse)
        for total in range(SIDE - 1, value - 1, -1):
            most = min(total // value, count)
            for at in range(0, LINE, LANES):
                store(line, at, nought)
            for k in range(most, 0, -1):
                weight, start = load(weights, k * LANES, LANES), (total - k * value) * LINE
                for second in range(SIDE):
                    at = second * LANES
                    number = load(line, at, LANES)
                    if second >= value:
                        before = load(line, at - value * LANES, LANES)
                        number = fused(minus_z, before, number)
                    term = load(series, start + at, LANES)
                    store(line, at, product(weight, term, number, prime, inverse))
            for at in range(0, LINE, LANES):
                number = add(load(series, total * LINE + at, LANES), load(line, at, LANES))
                store(series, total * LINE + at, reduced(number, prime, inverse))


@njit(nogil=True)
def part_starts() -> tuple[int, int, int, int]:
    """Return where the four parts of a series begin; numbers, no constants.

    Numba would compile a function once more for every constant that it is called with.
    """
    starts = np.arange(4) * PART
    return starts[0], starts[1], starts[2], starts[3]


@njit(nogil=True)
def marked(
    space: Array, quotient: Array, reds: Array, u: Vector, z: Vector, prime: Vector, inverse: Vector
) -> None:
    """Make the marked parts of a product: a red first card in the first row, the second, both."""
    nought = spread(0.0, LANES)
    plain, first_red, second_red, both = part_starts()
    row, other = first_red // PART - 1, second_red // PART - 1
    for at in range(PART, 4 * PART, LANES):
        store(space, at, nought)
    for value in range(1, VALUES + 1):
        if reds[value - 1]:
            red = spread(reds[value - 1], LANES)
            divide(quotient, plain, space, plain, value, u, z, prime, inverse)
            first = product(red, u, nought, prime, inverse)
            second = product(red, z, nought, prime, inverse)
            shift(space, first_red, quotient, plain, value, row, first, prime, inverse)
            shift(space, second_red, quotient, plain, value, other, second, prime, inverse)
    for value in range(1, VALUES + 1):
        if reds[value - 1]:
            # One of the red cards begins the first row; any other one may begin the second.
            red = spread(reds[value - 1], LANES)
            divide(quotient, plain, space, plain, value, u, z, prime, inverse)
            for at in range(0, SIDE * LINE, LANES):
                store(quotient, PART + at, load(space, second_red + at, LANES))
            minus = negative(z)
            shift(quotient, first_red, quotient, plain, value, other, minus, prime, inverse)
            divide(quotient, plain, quotient, first_red, value, u, z, prime, inverse)
            first = product(red, u, nought, prime, inverse)
            shift(space, both, quotient, plain, value, row, first, prime, inverse)


@njit(nogil=True)
def without_red(
    out: Array,
    red_out: Array,
    scratch: Array,
    value: int,
    u: Vector,
    z: Vector,
    prime: Vector,
    inverse: Vector,
) -> None:
    """Pull out a red card: ``out`` has the four parts over the plain factor of its value."""
    minus_u, minus_z = negative(u), negative(z)
    plain, first_red, second_red, both = part_starts()
    row, other = first_red // PART - 1, second_red // PART - 1
    for at in range(0, 4 * PART, LANES):
        store(red_out, at, load(out, at, LANES))
    divide(scratch, plain, out, plain, value, u, z, prime, inverse)
    shift(red_out, first_red, scratch, plain, value, row, minus_u, prime, inverse)
    shift(red_out, second_red, scratch, plain, value, other, minus_z, prime, inverse)
    divide(scratch, plain, red_out, second_red, value, u, z, prime, inverse)
    shift(red_out, both, scratch, plain, value, row, minus_u, prime, inverse)
    divide(scratch, plain, red_out, first_red, value, u, z, prime, inverse)
    shift(red_out, both, scratch, plain, value, other, minus_z, prime, inverse)


@njit(nogil=True)
def meet(
    sums: Array,
    place: int,
    space: Array,
    parts: int,
    top: int,
    value: int,
    count: float,
    red: float,
    table: Array,
    prime: Vector,
    inverse: Vector,
) -> None:
    """Let a card of a value end the second row, of a series whose first total is ``top``.

    1 over the factor of the card is a series in s^value and t^value, and a red card multiplies
    the marks of its terms by how many of its cards are in a row. ``count`` cards of the value, of
    which ``red`` have marks.
    """
    nought = spread(0.0, LANES)
    times, red_times = spread(count, LANES), spread(red, LANES)
    lines = min(top, SIDE - 1) // value
    for second in range(SIDE):
        j = (SIDE - 1 - second) // value
        to = (place * POINTS + (second - SIDE) % value) * LANES
        plain = first = other = both = nought
        # Sums over i of i times a term, from the most on: sums of the sums so far.
        plain_i = other_i = nought
        for i in range(lines, -1, -1):
            at = (top - i * value) * LINE + second * LANES
            factor = load(table, (i * SIDE + j) * LANES, LANES)
            plain = product(factor, load(space, at, LANES), plain, prime, inverse)
            if parts > 1:
                first = product(factor, load(space, PART + at, LANES), first, prime, inverse)
                other = product(factor, load(space, 2 * PART + at, LANES), other, prime, inverse)
                both = product(factor, load(space, 3 * PART + at, LANES), both, prime, inverse)
                if i:
                    plain_i = reduced(add(plain_i, plain), prime, inverse)
                    other_i = reduced(add(other_i, other), prime, inverse)
        at = to
        number = product(times, plain, load(sums, at, LANES), prime, inverse)
        store(sums, at, number)
        if parts > 1:
            power = spread(float(j), LANES)
            at += POINTS * POINTS * LANES
            number = product(times, first, load(sums, at, LANES), prime, inverse)
            store(sums, at, product(red_times, plain_i, number, prime, inverse))
            at += POINTS * POINTS * LANES
            number = product(times, other, load(sums, at, LANES), prime, inverse)
            plain_j = reduced(multiply(power, plain), prime, inverse)
            store(sums, at, product(red_times, plain_j, number, prime, inverse))
            at += POINTS * POINTS * LANES
            number = product(times, both, load(sums, at, LANES), prime, inverse)
            mixed = reduced(fused(power, add(first, plain_i), other_i), prime, inverse)
            store(sums, at, product(red_times, mixed, number, prime, inverse))


@njit(nogil=True)
def end_first(
    sums: Array,
    rows: Array,
    out: Array,
    parts: int,
    value: int,
    count: float,
    red: float,
    table: Array,
    prime: Vector,
    inverse: Vector,
) -> None:
    """Let ``count`` cards of a value end the first row; none of them ends the second as well."""
    times = spread(count, LANES)
    for part in range(parts):
        for at in range(0, SIDE * LINE, LANES):
            to = part * PART + at + value * LINE
            number = load(rows, to, LANES)
            term = load(out, part * PART + at, LANES)
            store(rows, to, product(times, term, number, prime, inverse))
    for place in range(value):
        top = SIDE + place - value
        meet(sums, place, out, parts, top, value, -count, -red, table, prime, inverse)


@njit(nogil=True)
def inverses(table: Array, u: Vector, z: Vector, prime: Vector, inverse: Vector) -> None:
    """Make the series of 1 / (1 + u s^v + z t^v): (i + j over i) (-u)^i (-z)^j, by i and j."""
    minus_u, minus_z = negative(u), negative(z)
    for i in range(SIDE):
        for j in range(SIDE):
            at = (i * SIDE + j) * LANES
            number = spread(1.0 if i + j == 0 else 0.0, LANES)
            if i:
                number = fused(minus_u, load(table, at - LINE, LANES), number)
            if j:
                number = fused(minus_z, load(table, at - LANES, LANES), number)
            store(table, at, reduced(number, prime, inverse))


@njit(nogil=True)
def weigh(
    result: Array,
    sums: Array,
    parts: int,
    weights: Array,
    start: int,
    prime: Vector,
    inverse: Vector,
) -> None:
    """Add the weighed values at the points of a group of lanes, and at (z, u) for each (u, z).

    There the rows change places, and with them the marks. The results are three: all, a red first
    card in the first row, red ones in both.
    """
    size = POINTS * POINTS * LANES
    for part in range(parts):
        weight = load(weights, start + part * LANES, LANES)
        for first in range(POINTS):
            for second in range(POINTS):
                at = (first * POINTS + second) * LANES
                swapped = (second * POINTS + first) * LANES
                # Parts 1 and 2, a red first card in either row, meet in the second result.
                to = (part + 1) // 2 * size + at
                number = load(result, to, LANES)
                if part != OTHER_RED:
                    term = load(sums, part * size + at, LANES)
                    number = product(weight, term, number, prime, inverse)
                if part != 1:
                    term = load(sums, part * size + swapped, LANES)
                    number = product(weight, term, number, prime, inverse)
                store(result, to, number)


@kept
@njit(nogil=True)
def residues(
    binomials: Array,
    counts: Array,
    reds: Array,
    prime_number: float,
    parts: int,
    points: Array,
    weights: Array,
) -> Array:
    """Return the weighed ways of both points modulo a prime, by lanes: plain, first red, both red.

    ``binomials`` are the residues of (count over 0) to (count over 30), by values; ``points`` the
    u and z of each group of lanes; ``weights`` those of the plain part, of a red first card in the
    first row, in the second, and in both. Each point (u, z) counts for (z, u) too: the rows change
    places. ``parts`` is 1 where no card is red, otherwise 4.
    """
    prime, inverse = spread(prime_number, LANES), spread(1.0 / prime_number, LANES)
    nought = spread(0.0, LANES)
    size = POINTS * POINTS * LANES
    result = np.zeros(3 * size)
    space, out = np.zeros(parts * PART), np.zeros(parts * PART)
    rows, sums = np.zeros(parts * PART), np.zeros(parts * size)
    red_out, scratch = np.zeros(parts * PART), np.zeros(2 * PART)
    table = np.zeros(SIDE * LINE)
    for group in range(len(points) // (2 * LANES)):
        u = load(points, 2 * group * LANES, LANES)
        z = load(points, (2 * group + 1) * LANES, LANES)
        multiplied(space, binomials, counts, u, z, prime, inverse)
        if parts > 1:
            marked(space, scratch, reds, u, z, prime, inverse)
        inverses(table, u, z, prime, inverse)
        for at in range(0, parts * PART, LANES):
            store(rows, at, nought)
        for at in range(0, parts * size, LANES):
            store(sums, at, nought)
        for value in range(VALUES, 0, -1):
            count, red = counts[value - 1], reds[value - 1]
            if count > 0:
                for part in range(parts):
                    divide(out, part * PART, space, part * PART, value, u, z, prime, inverse)
                if count > red:
                    end_first(sums, rows, out, parts, value, count - red, 0.0, table,
                              prime, inverse)  # fmt: skip
                if red > 0:
                    without_red(out, red_out, scratch, value, u, z, prime, inverse)
                    end_first(sums, rows, red_out, parts, value, red, red, table, prime, inverse)
            for last in range(1, VALUES + 1):
                if counts[last - 1] > 0:
                    meet(sums, value - 1, rows, parts, SIDE - 1 + value, last, counts[last - 1],
                         reds[last - 1], table, prime, inverse)  # fmt: skip
        weigh(result, sums, parts, weights, group * 4 * LANES, prime, inverse)
    return result
