"""The compiled part of ``fast_odds``; importing it imports numba, so only ``fast_odds`` does.

A series is an array [31, 31 * LANES]: its lines go by the open total of the first row, a line by
that of the second, and innermost are the nodes that are worked on together. ``a`` and ``b`` are the
weights of a card in the first and in the second row at those nodes, repeated along a whole line, so
that every inner loop runs over neighbouring numbers; short loops that compilers unroll are no
faster than single numbers. A card of value v is the factor 1 + a s^v + b t^v.

Colours: of the cards of value v the share rho(v) is red, whichever of them come. So the red cards
in the first row before the last are what the points gain per e where the weight is
a (1 + e rho(v)); a mean over these cards gives the first. Every series has that derivative
next to it, and its twin in b. Both are linear, so all first cards are weighed at once.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from trente_rules.core.compiled import kept
from trente_rules.core.coup import LAST_OPEN_TOTAL

LANES: Final = 8
SIDE: Final = LAST_OPEN_TOTAL + 1
LINE: Final = SIDE * LANES
SIZE: Final = 10
PAD: Final = SIZE * LANES
"""Zeros before a line that is read from an earlier place."""
ORDER: Final = (2, 4, 6, 8, 10, 1, 3, 5, 7, 9)
"""With even values first, every other line is empty for six of the ten."""
Array = Any  # numpy's own types say no more to numba, and mypy may run without numpy


@kept
@njit(nogil=True)
def _clear(series: Array) -> None:
    """Fill a series, or any lines, with zeros."""
    for s in range(len(series)):
        line = series[s]
        for k in range(LINE):
            line[k] = 0.0


@kept
@njit(nogil=True, fastmath={"contract"})
def _times_power(to: Array, start: Array, factor: Array, b: Array, v: int, n: float) -> None:
    """Set a line to another, times (1 + b t^v)^n."""
    for k in range(LINE):
        to[k] = start[k]
        factor[k] = 1.0
    for j in range(1, int(min((SIDE - 1) // v, n)) + 1):
        part = (n - j + 1) / j
        shift = j * v * LANES
        end = to[shift:]
        for k in range(LINE - shift):
            factor[k] *= b[k] * part
            end[k] += factor[k] * start[k]


@kept
@njit(nogil=True, fastmath={"contract"})
def _give(to: Array, way: Array, old: Array, new: Array, b: Array, shift: int) -> None:
    """Add a padded line times its ways to another, and set new to it times 1 + b t^v."""
    here, left, following = old[PAD:], old[PAD - shift : PAD - shift + LINE], new[PAD:]
    for k in range(LINE):
        number = here[k]
        to[k] += way[k] * number
        following[k] = number + b[k] * left[k]


@kept
@njit(nogil=True, fastmath={"contract"})
def _times_cards(  # noqa: PLR0913, PLR0917 - compiled code takes arrays, not objects
    out: Array, old: Array, v: int, n: float, a: Array, b: Array, ways: Array, padded: Array
) -> None:
    """Multiply by the factor of n cards of a value at once; all terms are positive.

    It is the sum over i of (n choose i) a^i s^(i v) (1 + b t^v)^(n - i), the highest i first.
    """
    most = int(min((SIDE - 1) // v, n))
    for k in range(LINE):
        ways[0, k] = 1.0
    for i in range(1, most + 1):
        part = (n - i + 1) / i
        for k in range(LINE):
            ways[i, k] = ways[i - 1, k] * a[k] * part
    one, two = padded[0], padded[1]
    _clear(out)
    for s in range(SIDE):
        filled = 0.0
        for k in range(LINE):
            filled += old[s, k]
        if not filled:
            continue
        here = int(min((SIDE - 1 - s) // v, n))
        _times_power(one[PAD:], old[s], ways[SIDE], b, v, n - here)
        for i in range(here, -1, -1):
            _give(out[s + i * v], ways[i], one, two, b, v * LANES)
            one, two = two, one


@kept
@njit(nogil=True, fastmath={"contract"})
def _divide(series: Array, v: int, a: Array, b: Array) -> None:
    """Divide by the factor of one card, in place."""
    shift = v * LANES
    for s in range(SIDE):
        line = series[s]
        if s >= v:
            back = series[s - v]
            for k in range(LINE):
                line[k] -= a[k] * back[k]
        for start in range(shift, LINE, shift):
            size = min(shift, LINE - start)
            left, here = line[start - shift : start - shift + size], line[start : start + size]
            for k in range(size):
                here[k] -= b[k] * left[k]


@kept
@njit(nogil=True, fastmath={"contract"})
def _scale(to: Array, n: float, old: Array) -> None:
    """Set a series to n times another."""
    for s in range(SIDE):
        here, line = to[s], old[s]
        for k in range(LINE):
            here[k] = n * line[k]


@kept
@njit(nogil=True, fastmath={"contract"})
def _mark(to: Array, share: float, weight: Array, old: Array, down: int, right: int) -> None:
    """Add share x weight x s^down t^right x old to a series."""
    shift = right * LANES
    for s in range(down, SIDE):
        here, back = to[s, shift:], old[s - down]
        for k in range(LINE - shift):
            here[k] += share * weight[k] * back[k]


@kept
@njit(nogil=True, fastmath={"contract"})
def _add(to: Array, old: Array) -> None:
    """Add the lines of a series to as many others."""
    for s in range(SIDE):
        here, line = to[s], old[s]
        for k in range(LINE):
            here[k] += line[k]


@kept
@njit(nogil=True)
def _inverses(lines: Array, a: Array, b: Array) -> None:
    """Lay out 1 / factor of each value as it meets a series that ends on totals of 30.

    ``lines[v - 1, i]`` has at total t the coefficient of s^(i v) and the power of t^v that leads
    from t to the last v totals.
    """
    table = lines[SIZE]
    for i in range(SIDE):
        for lane in range(LANES):
            table[i, lane] = -table[i - 1, lane] * a[lane] if i else 1.0
        for j in range(1, SIDE):
            for k in range(j * LANES, (j + 1) * LANES):
                table[i, k] = -table[i, k - LANES] * b[k] * ((i + j) / j)
    for v in range(1, SIZE + 1):
        for i in range((SIDE - 1) // v + 1):
            to, line = lines[v - 1, i], table[i]
            for t in range(SIDE):
                j = (SIDE - 1 - t) // v
                for lane in range(LANES):
                    to[t * LANES + lane] = line[j * LANES + lane]


@kept
@njit(nogil=True, fastmath={"contract"})
def _meet(ends: Array, inverse: Array, series: Array, s: int, first: float, second: Array) -> None:
    """Add a line of an inverse times a line of a series, and its derivatives.

    A power of s or t of the inverse has as many cards: ``first`` and ``second``, times rho.
    """
    points, line = ends[0], series[0, s]
    if len(series) == 1:
        for k in range(LINE):
            points[k] += inverse[k] * line[k]
        return
    in_first, in_second, one, two = ends[1], ends[2], series[1, s], series[2, s]
    for k in range(LINE):
        points[k] += inverse[k] * line[k]
        in_first[k] += inverse[k] * (one[k] + first * line[k])
        in_second[k] += inverse[k] * (two[k] + second[k] * line[k])


@kept
@njit(nogil=True)
def _fold(sums: Array, ends: Array, v: int, n: float) -> None:
    """Add n times the totals of lines, v by v, to the ends that they lead to; clear the lines."""
    size = v * LANES
    for part in range(len(ends)):
        last = ends[part, LINE - size :]
        for end in range(LINE - size, 0, -size):
            width = min(size, end)
            more, here = ends[part, end - width : end], last[size - width :]
            for k in range(width):
                here[k] += more[k]
        for j in range(v):
            for lane in range(LANES):
                sums[part, j, lane] += n * last[j * LANES + lane]
    _clear(ends)


@kept
@njit(nogil=True)
def _one_out(series: Array, without: Array, counts: Array, rhos: Array, a: Array, b: Array) -> None:
    """Set ``without`` to the product of all cards less one, times their number; mark the product.

    The product's derivative is the sum over its factors.
    """
    for part in range(1, len(series)):
        _clear(series[part])
    for x in range(1, SIZE + 1):
        n, rho = counts[x - 1], rhos[x - 1]
        if n:
            _scale(without[x - 1], n, series[0])
            _divide(without[x - 1], x, a, b)
            if len(series) > 1 and rho:
                _mark(series[1], rho, a, without[x - 1], x, 0)
                _mark(series[2], rho, b, without[x - 1], 0, x)


@kept
@njit(nogil=True)
def _both_rows(  # noqa: PLR0913, PLR0917
    series: Array,
    counts: Array,
    rhos: Array,
    a: Array,
    b: Array,
    without: Array,
    here: Array,
    rows: Array,
    inverses: Array,
    ends: Array,
    cards: Array,
    sums: Array,
) -> None:
    """Sum the points of both rows, [point of the first, part, of the second, node].

    A row that ends on 30 + j has a last card of j or more, whatever the others are. So the series
    without a last card x of the first row, which counts as s^x, are added up from the tens down:
    then all that end on one point meet the last cards of the second. Where both last cards are of
    one value, one card less is left for the second: these are met by themselves, and taken off.
    """
    parts = len(series)
    for part in range(parts):
        _clear(rows[part])
    _one_out(series, without, counts, rhos, a, b)
    for x in range(SIZE, 0, -1):
        n, rho = counts[x - 1], rhos[x - 1]
        if n:
            _scale(here[0], 1.0, without[x - 1])
            for part in range(1, parts):
                _scale(here[part], n, series[part])
                if part == 1:
                    _mark(here[1], -rho, a, here[0], x, 0)
                else:
                    _mark(here[2], -rho, b, here[0], 0, x)
                _divide(here[part], x, a, b)
            for part in range(parts):
                _add(rows[part, x:], here[part])
            for s in range(SIDE):
                i = (SIDE - 1 - s) // x
                place = s - SIDE + x * (i + 1)
                _meet(ends[place], inverses[x - 1, i], here, s, i * rho, cards[x - 1])
            for place in range(x):
                _fold(sums[place], ends[place], x, -1.0)
        for y in range(1, SIZE + 1):
            m, share = counts[y - 1], rhos[y - 1]
            if m:
                for i in range((SIDE - 1) // y + 1):
                    s = SIDE - 1 - i * y + x
                    _meet(ends[0], inverses[y - 1, i], rows, s, i * share, cards[y - 1])
                _fold(sums[x - 1], ends[0], y, m)


@kept
@njit(nogil=True)
def joint(
    counts: Array, rhos: Array, parts: int, nodes: Array, weights: Array
) -> tuple[Array, Array]:
    """Integrate: the odds of both points, and of both with a red card first in the first row.

    ``rhos`` are the shares of red cards; with one part, not three, the colours are left out.
    ``nodes`` are (share of cards in both rows, share of the first row in these) by groups of
    LANES, the half of the simplex with the first row the shorter; ``weights`` for the points.
    """
    points, red = np.zeros((SIZE, SIZE)), np.zeros((SIZE, SIZE))
    series, other = np.empty((parts, SIDE, LINE)), np.empty((SIDE, LINE))
    ways, padded = np.empty((SIDE + 1, LINE)), np.zeros((2, PAD + LINE))
    without, inverses = np.empty((SIZE, SIDE, LINE)), np.empty((SIZE + 1, SIDE, LINE))
    here, rows = np.empty((parts, SIDE, LINE)), np.empty((parts, SIDE + SIZE, LINE))
    ends, sums = np.zeros((SIZE, parts, LINE)), np.empty((SIZE, parts, SIZE, LANES))
    a, b, cards = np.empty(LINE), np.empty(LINE), np.empty((SIZE, LINE))
    for v in range(1, SIZE + 1):
        for k in range(LINE):
            cards[v - 1, k] = (SIDE - 1 - k // LANES) // v * rhos[v - 1]
    for group in range(len(weights)):
        for k in range(LINE):
            both, share = nodes[group, k % LANES, 0], nodes[group, k % LANES, 1]
            a[k] = both / (1 - both) * share
            b[k] = both / (1 - both) * (1 - share)
        whole, following = series[0], other
        _clear(whole)
        for lane in range(LANES):
            whole[0, lane] = 1.0
        for v in ORDER:
            if counts[v - 1]:
                _times_cards(following, whole, v, counts[v - 1], a, b, ways, padded)
                whole, following = following, whole
        _scale(series[0], 1.0, whole)
        _inverses(inverses, a, b)
        sums[:] = 0.0
        _both_rows(series, counts, rhos, a, b, without, here, rows, inverses, ends, cards, sums)
        for i in range(SIZE):
            for j in range(SIZE):
                for k in range(LANES):
                    both, share = nodes[group, k, 0], nodes[group, k, 1]
                    weight = weights[group, k]
                    points[i, j] += weight * (sums[i, 0, j, k] + sums[j, 0, i, k])
                    if parts > 1:
                        first, second = sums[i, 1, j, k] / share, sums[j, 2, i, k] / (1 - share)
                        red[i, j] += weight / (counts.sum() * both) * (first + second)
    return points, red


@kept
@njit(nogil=True)
def row(counts: Array) -> tuple[Array, Array]:
    """Return the odds of the points of one row, and of its number of cards before the last.

    All terms are positive. The odds sum to less than one where the cards may not suffice.
    """
    cards = counts.sum()
    points, lengths = np.zeros(SIZE), np.zeros(SIDE)
    for x in range(1, SIZE + 1):
        if not counts[x - 1]:
            continue
        # The sets of cards by their total and number, each card in units of 1 / cards.
        hands = np.zeros((SIDE, SIDE))
        hands[0, 0] = counts[x - 1] / cards
        for v in range(1, SIZE + 1):
            left = counts[v - 1] - (v == x)
            for total in range(SIDE - 1, v - 1, -1):
                ways = 1.0
                for more in range(1, int(min(total // v, left)) + 1):
                    ways *= (left - more + 1) / (cards * more)
                    to, old = hands[total, more:], hands[total - more * v]
                    for m in range(SIDE - more):
                        to[m] += ways * old[m]
        orders = 1.0
        for m in range(int(min(SIDE, cards))):
            if m:
                orders *= m * cards / (cards - m)
            for total in range(SIDE - x, SIDE):
                chance = hands[total, m] * orders
                points[total + x - SIDE] += chance
                lengths[m] += chance
    return points, lengths
