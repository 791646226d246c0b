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
    compact,
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
NODES: Final = LINE + LANES
"""Where the weights of the nodes begin in the space, after the ways of one value."""
CHAINS: Final = 8
"""So many sums are under way at once, for one has to wait for the one before."""
BYTES: Final = 8
Array = Any  # numpy's own types say no more to numba, and mypy may run without numpy


@written()
def _raised(_typing: Any, space: Any, _v: Any, _line: Any, b: Any, _steps: Any, _more: Any) -> Any:
    """Multiply a line by its factors of one value, from the twos up, and add earlier lines.

    A line is multiplied in place by the power ``steps + more`` of f = 1 + b t^v, and what comes
    from earlier lines, v lines apart, is added on the way: the sum over i to ``steps`` of
    ways[i] f^(steps + more - i) times the i-th line before, where ways begin the space. All terms
    are positive. Totals that are equal modulo v meet one another alone, so these are taken
    together, in registers.
    """

    def code(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        numbers = start(context, builder, space, values[0])
        _space, v, line, weight, steps, more = values
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
                way = place(builder.mul(i, whole(LANES)))
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
    return types.void(space, word, word, b, word, word), code


@written()
def _met(
    _typing: Any,
    space: Any,
    _v: Any,
    _top: Any,
    _lines: Any,
    _table: Any,
    sums: Any,
    _at: Any,
    _factor: Any,
) -> Any:
    """Meet a series with the last cards of one value of the second row.

    The last ``lines`` lines up to ``top``, v lines apart, are summed with the coefficients of
    ``table``, those of 1 / (1 + a s^v + b t^v), for each total from which such a card ends the row.
    ``factor`` times the sums is added at ``sums``.
    """

    def code(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        numbers = start(context, builder, space, values[0])
        _space, v, top, lines, table, _sums, to, factor = values
        ends = start(context, builder, sums, values[5])
        whole, vector = top.type, ir.VectorType(factor.type, LANES)
        times = everywhere(builder, vector, factor)

        def place(index: Any, further: int, inside: Any = numbers) -> Any:
            return at(builder, inside, builder.add(index, whole(further * LANES)), vector)

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
                before = builder.load(place(to, end, ends), align=BYTES)
                new = product_added(builder, times, total, before)
                builder.store(new, place(to, end, ends), align=BYTES)

        with _chosen(builder, v, 1, range(1, SIZE + 1)) as cases:
            for value in cases:
                of_value(value)
        return context.get_dummy_value()

    word = types.intp
    return types.void(space, word, word, word, word, sums, word, types.float64), code


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
def _raise(space: Array, v: int, n: float, whole: int, a: Any, b: Any) -> None:
    """Multiply a series by the factor of n cards of a value; the first line has part of it."""
    compact()
    most = _weigh(space, min((SIDE - 1) // v, n), n, a)
    for s in range(SIDE - 1, -1, -1):
        steps = min(s // v, most)
        _raised(space, v, whole + s * LINE, b, steps, most - steps)


@kept
@njit(nogil=True)
def _weigh(space: Array, most: float, n: float, a: Any) -> int:
    """Lay out (n choose k) a^k for k to ``most`` where the space begins, and return ``most``."""
    compact()
    way = spread(1.0, LANES)
    for k in range(int(most) + 1):
        store(space, k * LANES, way)
        way = multiply(way, multiply(a, spread((n - k) / (k + 1.0), LANES)))
    return int(most)


@kept
@njit(nogil=True)
def _first_line(space: Array, counts: Array, whole: int, b: Any) -> None:
    """Set a line to the product of the powers of 1 + b t^v that all lines have in common."""
    compact()
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
def _products(space: Array, counts: Array, groups: int) -> None:
    """Set a series for each group of nodes to the product of the factors of all cards.

    All terms are positive. A product begins with the aces: their line s is a multiple of the first
    with as many factors less.
    """
    compact()
    for group in range(groups):
        nodes, whole = NODES + 2 * group * LANES, groups * 2 * LANES + NODES + group * SERIES
        a, b = load(space, nodes, LANES), load(space, nodes + LANES, LANES)
        _first_line(space, counts, whole, b)
        for s in range(_weigh(space, min(SIDE - 1, counts[0]), counts[0], a), -1, -1):
            way = load(space, s * LANES, LANES)
            for t in range(0, LINE, LANES):
                store(space, whole + s * LINE + t, multiply(way, load(space, whole + t, LANES)))
            if s:
                for t in range(LINE - LANES, 0, -LANES):
                    before = load(space, whole + t - LANES, LANES)
                    here = plus_product(load(space, whole + t, LANES), b, before)
                    store(space, whole + t, here)
        for v in range(2, SIZE + 1):
            if counts[v - 1]:
                _raise(space, v, counts[v - 1], whole, a, b)


@kept
@njit(nogil=True)
def _inverse(space: Array, table: int, a: Any, b: Any) -> None:
    """Lay out the coefficients of 1 / (1 + a + b) by powers of a, then of b.

    Two more tables have each coefficient times its power of a, and of b.
    """
    compact()
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
    compact()
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
    compact()
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
    compact()
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
    compact()
    for k in range(0, SERIES, LANES):
        store(space, rows + k, add(load(space, rows + k, LANES), load(space, out + k, LANES)))


@kept
@njit(nogil=True)
def _clear(space: Array, first: int, size: int) -> None:
    """Fill a part of the space with zeros."""
    compact()
    zero = spread(0.0, LANES)
    for k in range(first, first + size, LANES):
        store(space, k, zero)


@kept
@njit(nogil=True)
def _meet_one(  # noqa: PLR0913, PLR0917
    space: Array, v: int, top: int, lines: int, table: int, sums: Array, to: int, factor: float
) -> None:
    """Call ``_met``, which is long: compiled once."""
    compact()
    _met(space, v, top, lines, table, sums, to, factor)


@kept
@njit(nogil=True)
def _meet(  # noqa: PLR0913, PLR0917
    space: Array,
    v: int,
    top: int,
    marks: int,
    lines: int,
    table: int,
    sums: Array,
    to: int,
    factor: float,
    rho: float,
) -> None:
    """Meet a series, and its derivatives where there are any (``marks`` is not 0).

    A power of s or t of the inverse has as many cards, and so many times rho red ones.
    """
    compact()
    _meet_one(space, v, top, lines, table, sums, to, factor)
    if marks:
        to += SUMS
        _meet_one(space, v, marks, lines, table, sums, to, factor)
        _meet_one(space, v, top, lines, table + SERIES, sums, to, factor * rho)
        to += SUMS
        _meet_one(space, v, marks + ROWS, lines, table, sums, to, factor)
        _meet_one(space, v, top, lines, table + 2 * SERIES, sums, to, factor * rho)


@kept
@njit(nogil=True)
def _all_one_out(  # noqa: PLR0913, PLR0917
    space: Array, counts: Array, rhos: Array, whole: int, marked: int, single: int, a: Any, b: Any
) -> None:
    """Set a series for each value to the product without one such card; mark the product.

    The product's derivative is the sum over its factors.
    """
    compact()
    _clear(space, marked, 2 * SERIES)
    for v in range(1, SIZE + 1):
        if counts[v - 1]:
            out = single + (v - 1) * ROWS
            _one_out(space, v, counts[v - 1], whole, out, a, b)
            if rhos[v - 1]:
                _mark(space, v, rhos[v - 1], out, marked, a, b)


@kept
@njit(nogil=True)
def _both_rows(
    space: Array, counts: Array, rhos: Array, parts: int, groups: int, sums: Array
) -> None:
    """Sum the points of both rows, [group, part, point of the first, of the second, node].

    A row that ends on 30 + j has a last card of j or more, whatever the others are. So the series
    without a last card x of the first row, which counts as s^x, are added up from the tens down:
    then all that end on one point meet the last cards of the second. Where both last cards are of
    one value, one card less is left for the second: these are met by themselves, and taken off.
    """
    compact()
    marked = NODES + groups * (2 * LANES + SERIES)
    single = marked + (parts - 1) * SERIES + PAD
    beside = ROWS if parts > 1 else 0
    derived = single + SIZE * beside
    rows = derived + 2 * beside + (ROWS - beside)
    table = rows + parts * ROWS
    for group in range(groups):
        nodes, whole = NODES + 2 * group * LANES, groups * 2 * LANES + NODES + group * SERIES
        a, b = load(space, nodes, LANES), load(space, nodes + LANES, LANES)
        _inverse(space, table, a, b)
        _clear(space, rows, parts * ROWS)
        if beside:
            _all_one_out(space, counts, rhos, whole, marked, single, a, b)
        for x in range(SIZE, 0, -1):
            n, rho = counts[x - 1], rhos[x - 1]
            to = group * parts * SUMS
            if n:
                out = single + (x - 1) * beside
                if beside:
                    _marked_out(space, x, n, rho, marked, out, derived, a, b)
                    _append(space, rows + ROWS + x * LINE, derived)
                    _append(space, rows + 2 * ROWS + x * LINE, derived + ROWS)
                else:
                    _one_out(space, x, n, whole, out, a, b)
                _append(space, rows + x * LINE, out)
                for place in range(x):
                    s = SIDE + place - x
                    marks = derived + s * LINE if beside else 0
                    end = to + place * SIZE * LANES
                    _meet(space, x, out + s * LINE, marks, s // x + 1, table, sums, end, -1.0, rho)
            top = rows + (SIDE - 1 + x) * LINE
            marks = top + ROWS if beside else 0
            to += (x - 1) * SIZE * LANES
            for y in range(1, SIZE + 1):
                m = counts[y - 1]
                if m:
                    lines = (SIDE - 1) // y + 1
                    _meet(space, y, top, marks, lines, table, sums, to, m, rhos[y - 1])


def joint(
    counts: Array, rhos: Array, parts: int, nodes: Array, weights: Array
) -> tuple[Array, Array]:
    """Integrate: the odds of both points, and of both with a red card first in the first row.

    ``rhos`` are the shares of red cards; with one part, not three, the colours are left out.
    ``nodes`` are (share of cards in both rows, share of the first row in these) by groups of
    LANES, the half of the simplex with the first row the shorter; ``weights`` for the points.
    """
    groups, both, share = len(weights), nodes[:, :, 0], nodes[:, :, 1]
    # The lines before a series of one card less are never written to: they stay empty.
    before = NODES + groups * (2 * LANES + SERIES)
    size = before + PAD + parts * ROWS + 3 * SERIES
    space = _space(size + ((SIZE + 2) * ROWS + 2 * SERIES if parts > 1 else ROWS))
    rest = both / (1 - both)
    cards = np.stack([rest * share, rest * (1 - share)], axis=1)
    space[NODES : NODES + cards.size] = cards.ravel()
    _products(space, counts, groups)
    lines = _space(groups * parts * SUMS)
    _both_rows(space, counts, rhos, parts, groups, lines)
    sums = lines.reshape(groups, parts, SIZE, SIZE, LANES)
    half = np.einsum("gijk,gk->ij", sums[:, 0], weights)
    points = half + half.T
    if parts == 1:
        return points, np.zeros((SIZE, SIZE))
    with_red = weights / (counts.sum() * both)
    first = np.einsum("gijk,gk->ij", sums[:, 1], with_red / share)
    second = np.einsum("gijk,gk->ij", sums[:, 2], with_red / (1 - share))
    return points, first + second.T


@kept
@njit(nogil=True)
def _sets_of_cards(space: Array, counts: Array, first: int, cards: float) -> None:
    """Set a series to the weights of sets of cards, [total, number of cards, last card].

    A lane is a value of the last card, from ``first`` on: one such card less is left for the set.
    Each card counts in units of 1 / ``cards``.
    """
    compact()
    _clear(space, NODES, SERIES)
    for lane in range(min(LANES, SIZE - first)):
        space[NODES + lane] = counts[first + lane] / cards
    for v in range(1, SIZE + 1):
        most = int(min((SIDE - 1) // v, counts[v - 1]))
        for more in range(1, most + 1):
            for lane in range(LANES):
                left = counts[v - 1] - more + (0.0 if v == first + lane + 1 else 1.0)
                before = 1.0 if more == 1 else space[(more - 1) * LANES + lane]
                space[more * LANES + lane] = before * left / (cards * more)
        for total in range(SIDE - 1, v - 1, -1):
            for more in range(1, min(total // v, most) + 1):
                ways = load(space, more * LANES, LANES)
                old = NODES + (total - more * v) * LINE
                to = NODES + total * LINE + more * LANES
                for m in range(0, (total - more * v + 1) * LANES, LANES):
                    here = load(space, to + m, LANES)
                    store(space, to + m, plus_product(here, ways, load(space, old + m, LANES)))


@kept
@njit(nogil=True)
def _row(space: Array, counts: Array, cards: float, ends: Array) -> None:
    """Set the odds of a row, [point, cards before the last]; all terms are positive."""
    compact()
    for first in range(0, SIZE, LANES):
        _sets_of_cards(space, counts, first, cards)
        orders = 1.0
        for m in range(min(SIDE, int(cards))):
            if m:
                orders *= m * cards / (cards - m)
            for lane in range(min(LANES, SIZE - first)):
                for point in range(first + lane + 1):
                    place = NODES + (SIDE + point - first - lane - 1) * LINE + m * LANES + lane
                    ends[point * SIDE + m] += space[place] * orders


def row(counts: Array) -> Array:
    """Return the odds of a row, [point, cards before the last].

    They sum to less than one where the cards may not suffice.
    """
    ends = np.zeros(SIZE * SIDE)
    _row(_space(NODES + SERIES), counts, float(counts.sum()), ends)
    return ends.reshape(SIZE, SIDE)


def _space(size: int) -> Array:
    """Return so many zeros, in one line that begins where a vector may."""
    zeros = np.zeros(size + LANES)
    first = -(zeros.__array_interface__["data"][0] // BYTES) % LANES
    return zeros[first : first + size]
