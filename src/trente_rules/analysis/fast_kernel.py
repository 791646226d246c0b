"""The compiled part of ``fast_odds``; importing it imports numba, so only ``fast_odds`` does.

A series is an array [31, 31 * LANES]: coefficients by the open total of the one row, then by that
of the other, and innermost the nodes that are worked on together. ``a`` and ``b`` are the weights
of a card in the first and in the second row at those nodes, repeated along a whole line, so that
every inner loop runs over neighbouring numbers. A card of value v is the factor 1 + a s^v + b t^v.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from trente_rules.deal.coup import LAST_OPEN_TOTAL

LANES: Final = 8
SIDE: Final = LAST_OPEN_TOTAL + 1
LINE: Final = SIDE * LANES
SIZE: Final = 10
Array = Any  # numpy's own types say no more to numba, and mypy may run without numpy


@njit(cache=True, nogil=True)
def _power(out: Array, n: float, a: Array, b: Array) -> None:
    """Set a series to (1 + a s + b t)^n, by its closed form."""
    for i in range(SIDE):
        for k in range(LANES):
            if i:
                out[i, k] = out[i - 1, k] * a[k] * ((n - i + 1) / i)
            else:
                out[i, k] = 1.0
        for j in range(1, SIDE):
            part = max(n - i - j + 1, 0.0) / j
            for k in range(LANES):
                out[i, j * LANES + k] = out[i, (j - 1) * LANES + k] * b[k] * part


@njit(cache=True, nogil=True, fastmath={"contract"})
def _times_card(out: Array, old: Array, v: int, a: Array, b: Array) -> None:
    """Multiply by the factor of one card."""
    shift = v * LANES
    for s in range(SIDE):
        to, same = out[s], old[s]
        if s >= v:
            back = old[s - v]
            for k in range(LINE):
                to[k] = same[k] + a[k] * back[k]
        else:
            to[:] = same
        end = to[shift:]
        for k in range(LINE - shift):
            end[k] += b[k] * same[k]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _times_cards(out: Array, old: Array, v: int, n: float, a: Array, b: Array) -> None:
    """Multiply by the factor of n cards of a value at once."""
    most = (SIDE - 1) // v
    factor = np.empty(LINE)
    outer = np.ones(LANES)
    out[:] = 0.0
    for i in range(most + 1):
        if i:
            for k in range(LANES):
                outer[k] *= a[k] * (max(n - i + 1, 0.0) / i)
        for k in range(LINE):
            factor[k] = outer[k % LANES]
        for j in range(most + 1):
            if j:
                part = max(n - i - j + 1, 0.0) / j
                for k in range(LINE):
                    factor[k] *= b[k] * part
            shift = j * v * LANES
            for s in range(i * v, SIDE):
                to, back = out[s, shift:], old[s - i * v]
                for k in range(LINE - shift):
                    to[k] += factor[k] * back[k]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _divide(out: Array, old: Array, v: int, a: Array, b: Array) -> None:
    """Divide by the factor of one card."""
    shift = v * LANES
    for s in range(SIDE):
        to, whole = out[s], old[s]
        if s >= v:
            back = out[s - v]
            for k in range(LINE):
                to[k] = whole[k] - a[k] * back[k]
        else:
            to[:] = whole
        # The lanes are written out: compilers do not see that they are independent.
        for k in range(0, LINE - shift, LANES):
            left, here = to[k : k + LANES], to[k + shift : k + shift + LANES]
            d0 = here[0] - b[0] * left[0]
            d1 = here[1] - b[1] * left[1]
            d2 = here[2] - b[2] * left[2]
            d3 = here[3] - b[3] * left[3]
            d4 = here[4] - b[4] * left[4]
            d5 = here[5] - b[5] * left[5]
            d6 = here[6] - b[6] * left[6]
            d7 = here[7] - b[7] * left[7]
            here[0], here[1], here[2], here[3] = d0, d1, d2, d3
            here[4], here[5], here[6], here[7] = d4, d5, d6, d7


@njit(cache=True, nogil=True)
def _product(counts: Array, a: Array, b: Array, one: Array, two: Array) -> Array:
    """Multiply the factors of all cards; answers which of the two arrays holds the product."""
    _power(one, counts[0], a, b)
    for v in range(2, SIZE + 1):
        n = counts[v - 1]
        at_once = 0.35 * (1 + (SIDE - 1) // v) ** 2
        if n and at_once < 2 * n:
            _times_cards(two, one, v, n, a, b)
            one, two = two, one
        else:
            for _card in range(int(n)):
                _times_card(two, one, v, a, b)
                one, two = two, one
    return one


@njit(cache=True, nogil=True, fastmath={"contract"})
def _add(to: Array, factor: float, old: Array, down: int, right: int) -> None:
    """Add factor x old x s^down t^right to a series."""
    shift = right * LANES
    for s in range(down, SIDE):
        here, back = to[s, shift:], old[s - down]
        for k in range(LINE - shift):
            here[k] += factor * back[k]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _dots(sums: Array, ones: Array, others: Array) -> None:
    """Add the last coefficients of all products of ten by ten series to sums.

    The second ten are full of noughts, which are left out.
    """
    places = np.empty((SIDE * SIDE, 2), np.int64)
    for n in range(SIZE):
        found = 0
        for i in range(SIDE):
            for k in range(0, LINE, LANES):
                if others[n, i, k] != 0.0:
                    places[found] = i, k
                    found += 1
        for m in range(SIZE):
            d0 = d1 = d2 = d3 = d4 = d5 = d6 = d7 = 0.0
            for place in range(found):
                i, k = places[place]
                x = others[n, i, k : k + LANES]
                y = ones[m, SIDE - 1 - i, LINE - LANES - k : LINE - k]
                d0 += x[0] * y[0]
                d1 += x[1] * y[1]
                d2 += x[2] * y[2]
                d3 += x[3] * y[3]
                d4 += x[4] * y[4]
                d5 += x[5] * y[5]
                d6 += x[6] * y[6]
                d7 += x[7] * y[7]
            to = sums[m, n]
            for lane, more in enumerate((d0, d1, d2, d3, d4, d5, d6, d7)):
                to[lane] += more


@njit(cache=True, nogil=True)
def _last_cards(counts: Array, a: Array, b: Array, first: Array, second: Array) -> None:
    """Weigh the last card of a row: sums over x >= j of n(x) s^x / factor(x), by s^j; and by t^k.

    A row that ends on 30 + j has a last card of j or more, whatever the others are.
    """
    unit, inverse = np.zeros((SIDE, LINE)), np.empty((SIDE, LINE))
    unit[0, :LANES] = 1.0
    first[:] = 0.0
    second[:] = 0.0
    for x in range(SIZE, 0, -1):
        if x < SIZE:
            _add(first[x - 1], 1.0, first[x], 1, 0)
            _add(second[x - 1], 1.0, second[x], 0, 1)
        if counts[x - 1]:
            _divide(inverse, unit, x, a, b)
            _add(first[x - 1], counts[x - 1], inverse, 0, 0)
            _add(second[x - 1], counts[x - 1], inverse, 0, 0)


@njit(cache=True, nogil=True)
def _both_rows(  # noqa: C901, PLR0912, PLR0913, PLR0917 - compiled code is told all, in one loop
    whole: Array,
    counts: Array,
    reds: Array,
    a: Array,
    b: Array,
    space: Array,
    points: Array,
    red: Array,
) -> None:
    """Sum up one orientation: [point of one row, of the other, node], and with its red card first.

    With D(x) the product without a card x, D(x, x) without two: last cards x and y of both rows
    are taken out of the product of all cards, and where the first card is marked, that card too.
    """
    coloured = reds.sum() > 0
    space[3:] = 0.0
    ends1, ends2, out1 = space[0], space[1], space[2]
    held, first, rows = space[4], space[5], space[6]
    twice, marked, more, moved = space[3, 0], space[3, 1], space[3, 2], space[3, 3]
    _last_cards(counts, a, b, ends1, ends2)
    for x in range(1, SIZE + 1):
        if counts[x - 1]:
            _divide(out1[x - 1], whole, x, a, b)
            if coloured and reds[x - 1]:
                _add(marked, reds[x - 1], out1[x - 1], x, 0)
    for x in range(SIZE, 0, -1):
        n, reds_x = counts[x - 1], reds[x - 1]
        if x < SIZE:
            _add(rows[x - 1], 1.0, rows[x], 1, 0)
            if coloured:
                _add(first[x - 1], 1.0, first[x], 1, 0)
                _add(held[x - 1], 1.0, held[x], 0, 1)
        if n:
            _add(rows[x - 1], n, out1[x - 1], 0, 0)
            _divide(twice, out1[x - 1], x, a, b)
            if coloured:
                _divide(more, marked, x, a, b)
                _add(first[x - 1], n, more, 0, 0)
                _divide(moved, more, x, a, b)
                if reds_x:
                    _add(first[x - 1], -reds_x, twice, x, 0)
                    _add(held[x - 1], -reds_x, twice, x, 0)
                    _divide(more, twice, x, a, b)
        for j in range(1, x + 1):
            for k in range(1, x + 1):
                if not n:
                    continue
                s, t = SIDE - 1 + j - x, (SIDE - 1 + k - x) * LANES
                for lane in range(LANES):
                    points[j - 1, k - 1, lane] -= n * twice[s, t + lane]
                    if coloured:
                        red[j - 1, k - 1, lane] -= n * moved[s, t + lane]
                        if reds_x and s >= x:
                            red[j - 1, k - 1, lane] += 2 * reds_x * more[s - x, t + lane]
    _dots(points, rows, ends2)
    if coloured:
        _dots(red, first, ends2)
        _dots(red.transpose(1, 0, 2), held, ends1)


@njit(cache=True, nogil=True)
def joint(counts: Array, reds: Array, nodes: Array, weights: Array) -> tuple[Array, Array]:
    """Integrate: the odds of both points, and of both with a red card first in the first row.

    ``nodes`` are (share of cards in both rows, share of the first row in these) by groups of
    LANES, the half of the simplex with the first row the shorter; ``weights`` for the points.
    """
    all_points, all_red = np.zeros((SIZE, SIZE)), np.zeros((SIZE, SIZE))
    one, two = np.empty((SIDE, LINE)), np.empty((SIDE, LINE))
    a, b = np.empty(LINE), np.empty(LINE)
    space = np.empty((7, SIZE, SIDE, LINE))
    cards, coloured = counts.sum(), reds.sum() > 0
    for group in range(len(weights)):
        for k in range(LINE):
            both, share = nodes[group, k % LANES]
            a[k] = both / (1 - both) * share
            b[k] = both / (1 - both) * (1 - share)
        whole = _product(counts, a, b, one, two)
        points, red = np.zeros((SIZE, SIZE, LANES)), np.zeros((SIZE, SIZE, LANES))
        _both_rows(whole, counts, reds, a, b, space, points, red)
        turned = np.zeros((SIZE, SIZE, LANES))
        if coloured:
            other = two if whole is one else one
            for s in range(SIDE):
                for t in range(SIDE):
                    for k in range(LANES):
                        other[t, s * LANES + k] = whole[s, t * LANES + k]
            unused = np.zeros((SIZE, SIZE, LANES))
            _both_rows(other, counts, reds, b, a, space, unused, turned)
        for i in range(SIZE):
            for j in range(SIZE):
                for k in range(LANES):
                    weight = weights[group, k]
                    all_points[i, j] += weight * (points[i, j, k] + points[j, i, k])
                    weight /= cards * (1 - nodes[group, k, 0])
                    all_red[i, j] += weight * (red[i, j, k] + turned[i, j, k])
    return all_points, all_red


@njit(cache=True, nogil=True)
def row(counts: Array) -> tuple[Array, Array]:
    """Count the points of one row, and how many cards it has before the last; all terms positive.

    Answers the odds of 31 to 40, and of each number of cards; together below one where the cards
    may not suffice for a row.
    """
    cards = counts.sum()
    points, lengths = np.zeros(SIZE), np.zeros(SIDE)
    left = np.empty(SIZE)
    for x in range(1, SIZE + 1):
        if not counts[x - 1]:
            continue
        left[:] = counts
        left[x - 1] -= 1
        # The odds of each set of cards, the orders included, grow with the sets.
        hands = np.zeros((SIDE, SIDE))
        hands[0, 0] = counts[x - 1] / cards
        for v in range(1, SIZE + 1):
            old = hands.copy()
            for m in range(SIDE):
                for total in range(SIDE):
                    ways = 1.0
                    for more in range(1, min(m, total // v) + 1):
                        # Numbers of cards are placed in order: (m choose more) of the orders.
                        ways *= max(left[v - 1] - more + 1, 0.0) * (m - more + 1) / more
                        hands[m, total] += ways * old[m - more, total - more * v]
        scale = 1.0
        for m in range(SIDE):
            if m:
                if m > cards - 1:
                    break
                scale /= cards - m
            for total in range(SIDE - x, SIDE):
                chance = hands[m, total] * scale
                points[total + x - SIDE] += chance
                lengths[m] += chance
    return points, lengths
