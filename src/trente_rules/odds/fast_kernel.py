"""The compiled part of ``fast_odds``; importing it imports numba, so only ``fast_odds`` does.

A series has a line for each open total of the first row, a line a place for each of the second, a
place a lane for each of the nodes that are worked on together: one vector of the processor. ``a``
and ``b`` are the weights of a card in the first and in the second row at those nodes. A card of
value v is the factor 1 + a s^v + b t^v.

All series lie in one flat array, ``space``, and are named by where they begin: an array that is
handed to a function costs an atomic count.

Colours: of the cards of value v the share rho(v) is red, whichever of them come. So the red cards
in the first row before the last are what the points gain per e where the weight is
a (1 + e rho(v)); a mean over these cards gives the first. Every series has that derivative
next to it, and its twin in b. Both are linear, so all first cards are weighed at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils

from trente_rules.core.compiled import kept
from trente_rules.core.coup import LAST_OPEN_TOTAL
from trente_rules.odds.vectors import (
    add,
    at,
    constant,
    everywhere,
    less_product,
    load,
    multiply,
    negative,
    plus_product,
    product_added,
    spread,
    start,
    store,
    written,
)

LANES: Final = 4
SIDE: Final = LAST_OPEN_TOTAL + 1
LINE: Final = SIDE * LANES
SIZE: Final = 10
SERIES: Final = SIDE * LINE
PAD: Final = SIZE * LINE
"""Empty lines before a series that is read at lines before its first."""
ROWS: Final = PAD + SERIES
"""A series of rows that have ended: up to a total of 40."""
SUMS: Final = SIZE * SIZE * LANES
CHAINS: Final = 8
"""So many sums are under way at once, for one has to wait for the one before."""
BYTES: Final = 8
Array = Any  # numpy's own types say no more to numba, and mypy may run without numpy


@written()
def _raised(
    _typing: Any, space: Any, _v: Any, _line: Any, _ways: Any, b: Any, _steps: Any, _more: Any
) -> Any:
    """Multiply a line by its factors of one value, from the twos up, and add earlier lines.

    A line is multiplied in place by the power ``steps + more`` of f = 1 + b t^v, and what comes
    from earlier lines, v lines apart, is added on the way: the sum over i to ``steps`` of
    ways[i] f^(steps + more - i) times the i-th line before. All terms are positive. Totals that are
    equal modulo v meet one another alone, so these are taken together, in registers.
    """

    def code(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        numbers = start(context, builder, space, values[0])
        _space, v, line, ways, weight, steps, more = values
        whole, vector = line.type, weight.type
        stride = builder.mul(v, whole(LANES))

        def place(index: Any) -> Any:
            return at(builder, numbers, index, vector)

        def times(slots: list[Any], earlier: list[Any], share: Any) -> None:
            """Multiply by f, and add the earlier line times its share, if any."""
            old = [builder.load(slot) for slot in slots]
            for j, slot in enumerate(slots):
                new = product_added(builder, share, earlier[j], old[j]) if earlier else old[j]
                if j:
                    new = product_added(builder, weight, old[j - 1], new)
                builder.store(new, slot)

        def from_residue(residue: Any, length: int) -> None:
            """Work on the totals from a residue up; the last of so many may be beyond the line."""
            strides = [builder.mul(stride, whole(j)) for j in range(length)]

            def read(index: Any) -> list[Any]:
                return [
                    builder.load(place(builder.add(index, far)), align=BYTES) for far in strides
                ]

            slots = [cgutils.alloca_once(builder, vector) for _place in strides]
            here = builder.add(line, builder.mul(residue, whole(LANES)))
            for slot, number in zip(slots, read(here), strict=True):
                builder.store(number, slot)
            with cgutils.for_range(builder, steps) as step:
                i = builder.add(step.index, whole(1))
                before = builder.sub(here, builder.mul(builder.mul(i, v), whole(LINE)))
                way = place(builder.add(ways, builder.mul(i, whole(LANES))))
                times(slots, read(before), builder.load(way, align=BYTES))
            with cgutils.for_range(builder, more):
                times(slots, [], None)
            ends = [place(builder.add(here, far)) for far in strides]
            for slot, end in zip(slots[:-1], ends[:-1], strict=True):
                builder.store(builder.load(slot), end, align=BYTES)
            last = builder.add(residue, builder.mul(v, whole(length - 1)))
            with builder.if_then(builder.icmp_signed("<", last, whole(SIDE))):
                builder.store(builder.load(slots[-1]), ends[-1], align=BYTES)

        lengths = [-(-SIDE // value) for value in range(2, SIZE + 1)]
        with cgutils.for_range(builder, v) as each, _chosen(builder, v, 2, lengths) as cases:
            for length in cases:
                from_residue(each.index, length)
        return context.get_dummy_value()

    word = types.intp
    return types.void(space, word, word, word, b, word, word), code


@written()
def _met(
    _typing: Any, space: Any, _v: Any, _top: Any, _lines: Any, _table: Any, _sums: Any, _factor: Any
) -> Any:
    """Meet a series with the last cards of one value of the second row.

    The last ``lines`` lines up to ``top``, v lines apart, are summed with the coefficients of
    ``table``, those of 1 / (1 + a s^v + b t^v), for each total from which such a card ends the row.
    ``factor`` times the sums is added at ``sums``.
    """

    def code(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        numbers = start(context, builder, space, values[0])
        _space, v, top, lines, table, sums, factor = values
        whole, vector = top.type, ir.VectorType(factor.type, LANES)
        times = everywhere(builder, vector, factor)

        def place(index: Any, further: int) -> Any:
            return at(builder, numbers, builder.add(index, whole(further * LANES)), vector)

        def of_value(value: int) -> None:
            chains = -(-CHAINS // value)
            slots = [cgutils.alloca_once(builder, vector) for _sum in range(chains * value)]
            for slot in slots:
                builder.store(constant(vector, 0.0), slot)
            with cgutils.for_range(builder, lines) as each:
                line = builder.sub(top, builder.mul(each.index, whole(value * LINE)))
                row = builder.add(table, builder.mul(each.index, whole(LINE)))
                for j in range(-(-SIDE // value)):
                    share = builder.load(place(row, j), align=BYTES)
                    for end in range(value):
                        total = SIDE - value + end - j * value
                        if total >= 0:
                            slot = slots[end * chains + j % chains]
                            term = builder.load(place(line, total), align=BYTES)
                            more = product_added(builder, share, term, builder.load(slot))
                            builder.store(more, slot)
            for end in range(value):
                chain = slots[end * chains : (end + 1) * chains]
                total = builder.load(chain[0])
                for slot in chain[1:]:
                    total = builder.fadd(total, builder.load(slot))
                before = builder.load(place(sums, end), align=BYTES)
                new = product_added(builder, times, total, before)
                builder.store(new, place(sums, end), align=BYTES)

        with _chosen(builder, v, 1, range(1, SIZE + 1)) as cases:
            for value in cases:
                of_value(value)
        return context.get_dummy_value()

    word = types.intp
    return types.void(space, word, word, word, word, word, types.float64), code


@contextmanager
def _chosen(builder: Any, number: Any, first: int, kinds: Sequence[int]) -> Iterator[Iterator[int]]:
    """Write code for each kind of numbers from ``first`` on; the number chooses at run time."""
    end = builder.append_basic_block("chosen")
    choice = builder.switch(number, end)
    blocks = {kind: builder.append_basic_block(f"kind.{kind}") for kind in dict.fromkeys(kinds)}
    for value, kind in enumerate(kinds, first):
        choice.add_case(number.type(value), blocks[kind])

    def cases() -> Iterator[int]:
        for kind, block in blocks.items():
            builder.position_at_end(block)
            yield kind
            builder.branch(end)

    yield cases()
    builder.position_at_end(end)


@kept
@njit(nogil=True)
def _raise(  # noqa: PLR0917
    space: Array, v: int, n: float, whole: int, ways: int, a: Any, b: Any
) -> None:
    """Multiply a series by the factor of n cards of a value; the first line has part of it."""
    most = _weigh(space, min((SIDE - 1) // v, n), n, ways, a)
    for s in range(SIDE - 1, -1, -1):
        steps = min(s // v, most)
        _raised(space, v, whole + s * LINE, ways, b, steps, most - steps)


@kept
@njit(nogil=True)
def _weigh(space: Array, most: float, n: float, ways: int, a: Any) -> int:
    """Lay out (n choose k) a^k for k to ``most``, and return it."""
    way = spread(1.0, LANES)
    for k in range(int(most) + 1):
        store(space, ways + k * LANES, way)
        way = multiply(way, multiply(a, spread((n - k) / (k + 1.0), LANES)))
    return int(most)


@kept
@njit(nogil=True)
def _first_line(space: Array, counts: Array, whole: int, b: Any) -> None:
    """Set a line to the product of the powers of 1 + b t^v that all lines have in common."""
    one = spread(1.0, LANES)
    store(space, whole, one)
    for v in range(1, SIZE + 1):
        n = counts[v - 1] - min((SIDE - 1) // v, counts[v - 1])
        for t in range(SIDE - 1, v - 1, -1):
            way, total = one, load(space, whole + t * LANES, LANES)
            for k in range(1, min(t // v, int(n)) + 1):
                way = multiply(way, multiply(b, spread((n - k + 1) / k, LANES)))
                total = plus_product(total, way, load(space, whole + (t - k * v) * LANES, LANES))
            store(space, whole + t * LANES, total)


@kept
@njit(nogil=True)
def _product(space: Array, counts: Array, whole: int, ways: int, a: Any, b: Any) -> None:
    """Set the series ``whole`` to the product of the factors of all cards; all terms are positive.

    It begins with the aces: their line s is a multiple of the first with as many factors less.
    """
    _clear(space, whole, SERIES)
    _first_line(space, counts, whole, b)
    for s in range(_weigh(space, min(SIDE - 1, counts[0]), counts[0], ways, a), -1, -1):
        way = load(space, ways + s * LANES, LANES)
        for t in range(0, LINE, LANES):
            store(space, whole + s * LINE + t, multiply(way, load(space, whole + t, LANES)))
        if s:
            for t in range(LINE - LANES, 0, -LANES):
                before = load(space, whole + t - LANES, LANES)
                here = plus_product(load(space, whole + t, LANES), b, before)
                store(space, whole + t, here)
    for v in range(2, SIZE + 1):
        if counts[v - 1]:
            _raise(space, v, counts[v - 1], whole, ways, a, b)


@kept
@njit(nogil=True)
def _inverse(space: Array, table: int, a: Any, b: Any) -> None:
    """Lay out the coefficients of 1 / (1 + a + b) by powers of a, then of b.

    Two more tables have each coefficient times its power of a, and of b.
    """
    less_a, less_b = negative(a), negative(b)
    first = spread(1.0, LANES)
    for i in range(SIDE):
        term = first
        for j in range(SIDE):
            place = table + i * LINE + j * LANES
            store(space, place, term)
            store(space, place + SERIES, multiply(term, spread(float(i), LANES)))
            store(space, place + 2 * SERIES, multiply(term, spread(float(j), LANES)))
            term = multiply(term, multiply(less_b, spread((i + j + 1) / (j + 1.0), LANES)))
        first = multiply(first, less_a)


@kept
@njit(nogil=True)
def _one_out(  # noqa: PLR0917
    space: Array, v: int, n: float, whole: int, out: int, a: Any, b: Any
) -> None:
    """Set a series to n times another divided by the factor of one card."""
    times = spread(n, LANES)
    for s in range(SIDE):
        here, back = out + s * LINE, out + (s - v) * LINE
        line = whole + s * LINE
        for t in range(0, LINE, LANES):
            term = multiply(times, load(space, line + t, LANES))
            term = less_product(term, a, load(space, back + t, LANES))
            if t >= v * LANES:
                term = less_product(term, b, load(space, here + t - v * LANES, LANES))
            store(space, here + t, term)


@kept
@njit(nogil=True)
def _mark(  # noqa: PLR0917
    space: Array, v: int, rho: float, out: int, marked: int, a: Any, b: Any
) -> None:
    """Add the red cards of one value in the first row to a series, in the second to the next."""
    in_first, in_second = multiply(a, spread(rho, LANES)), multiply(b, spread(rho, LANES))
    for s in range(SIDE):
        here, back, to = out + s * LINE, out + (s - v) * LINE, marked + s * LINE
        for t in range(0, LINE, LANES):
            old = load(space, to + t, LANES)
            store(space, to + t, plus_product(old, in_first, load(space, back + t, LANES)))
        to += SERIES - v * LANES
        for t in range(v * LANES, LINE, LANES):
            old = load(space, to + v * LANES + t, LANES)
            left = load(space, here + t - v * LANES, LANES)
            store(space, to + v * LANES + t, plus_product(old, in_second, left))


@kept
@njit(nogil=True)
def _marked_out(  # noqa: PLR0913, PLR0917
    space: Array, v: int, n: float, rho: float, marked: int, single: int, out: int, a: Any, b: Any
) -> None:
    """Set two series to the derivatives of the series with one card less, ``single``."""
    times, share = spread(n, LANES), spread(rho, LANES)
    for s in range(SIDE):
        here, back = out + s * LINE, out + (s - v) * LINE
        line, one, above = marked + s * LINE, single + s * LINE, single + (s - v) * LINE
        for t in range(0, LINE, LANES):
            term = multiply(times, load(space, line + t, LANES))
            more = plus_product(load(space, back + t, LANES), share, load(space, above + t, LANES))
            term = less_product(term, a, more)
            if t >= v * LANES:
                term = less_product(term, b, load(space, here + t - v * LANES, LANES))
            store(space, here + t, term)
        here, back, line = here + ROWS, back + ROWS, line + SERIES
        for t in range(0, LINE, LANES):
            term = multiply(times, load(space, line + t, LANES))
            term = less_product(term, a, load(space, back + t, LANES))
            if t >= v * LANES:
                left = t - v * LANES
                more = plus_product(
                    load(space, here + left, LANES), share, load(space, one + left, LANES)
                )
                term = less_product(term, b, more)
            store(space, here + t, term)


@kept
@njit(nogil=True)
def _append(space: Array, rows: int, out: int) -> None:
    """Add the lines of a series to as many others."""
    for k in range(0, SERIES, LANES):
        store(space, rows + k, add(load(space, rows + k, LANES), load(space, out + k, LANES)))


@kept
@njit(nogil=True)
def _clear(space: Array, first: int, size: int) -> None:
    """Fill a part of the space with zeros."""
    zero = spread(0.0, LANES)
    for k in range(first, first + size, LANES):
        store(space, k, zero)


@kept
@njit(nogil=True)
def _meet_one(  # noqa: PLR0917
    space: Array, v: int, top: int, lines: int, table: int, sums: int, factor: float
) -> None:
    """Call ``_met``, which is long: compiled once."""
    _met(space, v, top, lines, table, sums, factor)


@kept
@njit(nogil=True)
def _meet(  # noqa: PLR0913, PLR0917
    space: Array,
    v: int,
    top: int,
    marks: int,
    lines: int,
    table: int,
    sums: int,
    factor: float,
    rho: float,
) -> None:
    """Meet a series, and its derivatives where there are any (``marks`` is not 0).

    A power of s or t of the inverse has as many cards, and so many times rho red ones.
    """
    _meet_one(space, v, top, lines, table, sums, factor)
    if marks:
        _meet_one(space, v, marks, lines, table, sums + SUMS, factor)
        _meet_one(space, v, top, lines, table + SERIES, sums + SUMS, factor * rho)
        _meet_one(space, v, marks + ROWS, lines, table, sums + 2 * SUMS, factor)
        _meet_one(space, v, top, lines, table + 2 * SERIES, sums + 2 * SUMS, factor * rho)


@kept
@njit(nogil=True)
def _all_one_out(  # noqa: PLR0917
    space: Array, counts: Array, rhos: Array, whole: int, single: int, a: Any, b: Any
) -> None:
    """Set a series for each value to the product without one such card; mark the product.

    The product's derivative is the sum over its factors.
    """
    _clear(space, whole + SERIES, 2 * SERIES)
    for v in range(1, SIZE + 1):
        if counts[v - 1]:
            out = single + (v - 1) * ROWS
            _one_out(space, v, counts[v - 1], whole, out, a, b)
            if rhos[v - 1]:
                _mark(space, v, rhos[v - 1], out, whole + SERIES, a, b)


@kept
@njit(nogil=True)
def _both_rows(  # noqa: PLR0917
    space: Array, counts: Array, rhos: Array, parts: int, places: Array, a: Any, b: Any
) -> None:
    """Sum the points of both rows, [part, point of the first, of the second, node].

    A row that ends on 30 + j has a last card of j or more, whatever the others are. So the series
    without a last card x of the first row, which counts as s^x, are added up from the tens down:
    then all that end on one point meet the last cards of the second. Where both last cards are of
    one value, one card less is left for the second: these are met by themselves, and taken off.
    """
    whole, single, rows, table, sums = places[0], places[1], places[2], places[3], places[4]
    marked, derived, beside = 0, 0, 0
    if parts > 1:
        marked, derived, beside = whole + SERIES, single + SIZE * ROWS, ROWS
        _all_one_out(space, counts, rhos, whole, single, a, b)
    for x in range(SIZE, 0, -1):
        n, rho = counts[x - 1], rhos[x - 1]
        if n:
            out = single + (x - 1) * beside
            if marked:
                _marked_out(space, x, n, rho, marked, out, derived, a, b)
                _append(space, rows + ROWS + x * LINE, derived)
                _append(space, rows + 2 * ROWS + x * LINE, derived + ROWS)
            else:
                _one_out(space, x, n, whole, out, a, b)
            _append(space, rows + x * LINE, out)
            for place in range(x):
                s = SIDE + place - x
                marks = derived + s * LINE if marked else 0
                to = sums + place * SIZE * LANES
                _meet(space, x, out + s * LINE, marks, s // x + 1, table, to, -1.0, rho)
        top, to = rows + (SIDE - 1 + x) * LINE, sums + (x - 1) * SIZE * LANES
        marks = top + ROWS if marked else 0
        for y in range(1, SIZE + 1):
            m = counts[y - 1]
            if m:
                _meet(space, y, top, marks, (SIDE - 1) // y + 1, table, to, m, rhos[y - 1])


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
    # The lines before a series of one card less are never written to: they stay empty.
    ways = 0
    whole = ways + LINE + LANES
    single = whole + parts * SERIES + PAD
    rows = single + (SIZE + 2 if parts > 1 else 1) * ROWS
    table = rows + parts * ROWS
    sums = table + 3 * SERIES
    space = np.zeros(sums + parts * SUMS)
    places = np.array([whole, single, rows, table, sums])
    total = counts.sum()
    for group in range(len(weights)):
        for k in range(LANES):
            both, share = nodes[group, k, 0], nodes[group, k, 1]
            space[ways + k] = both / (1 - both) * share
            space[ways + LANES + k] = both / (1 - both) * (1 - share)
        a, b = load(space, ways, LANES), load(space, ways + LANES, LANES)
        _product(space, counts, whole, ways, a, b)
        _inverse(space, table, a, b)
        _clear(space, rows, parts * ROWS)
        _clear(space, sums, parts * SUMS)
        _both_rows(space, counts, rhos, parts, places, a, b)
        for i in range(SIZE):
            for j in range(SIZE):
                here, there = sums + (i * SIZE + j) * LANES, sums + (j * SIZE + i) * LANES
                for k in range(LANES):
                    both, share = nodes[group, k, 0], nodes[group, k, 1]
                    weight = weights[group, k]
                    points[i, j] += weight * (space[here + k] + space[there + k])
                    if parts > 1:
                        first = space[here + SUMS + k] / share
                        second = space[there + 2 * SUMS + k] / (1 - share)
                        red[i, j] += weight / (total * both) * (first + second)
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
