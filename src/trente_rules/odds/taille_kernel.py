"""The compiled part of the law of a whole taille; importing it imports numba.

At a node every card of value v has a complex weight, and a run of cards the product of its
weights. So rows, coups and tailles are sums of products by their number of cards: a row ends after
so many cards on a point, two rows make a coup, and coups follow one another (a renewal equation).
A stake in prison is one more sequence of the same kind: its worth by the card behind which a coup
ends. Eight nodes are worked on together, a vector for the real parts and one for the others.

All sequences lie in one flat array, ``space``, and are named by the place of their first number.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from trente_rules.core.compiled import kept
from trente_rules.core.coup import LAST_OPEN_TOTAL
from trente_rules.odds.vectors import less_product, load, plus_product, spread, store

LANES: Final = 8
STEP: Final = 2 * LANES
SIDE: Final = LAST_OPEN_TOTAL + 1
SIZE: Final = 10
PAIRS: Final = SIZE * (SIZE + 1) // 2
Array = Any  # numpy's own types say no more to numba, and mypy may run without numpy
Places = tuple[int, ...]
Sizes = tuple[int, int]
"""The fewest and the most cards, of a row or of a coup."""


@kept
@njit(fastmath=True, nogil=True)
def _product_added(space: Array, out: int, one: int, other: int) -> None:
    """Add the product of two complex vectors to a third, by their places."""
    a, b = load(space, one, LANES), load(space, one + LANES, LANES)
    c, d = load(space, other, LANES), load(space, other + LANES, LANES)
    real, rest = load(space, out, LANES), load(space, out + LANES, LANES)
    store(space, out, less_product(plus_product(real, a, c), b, d))
    store(space, out + LANES, plus_product(plus_product(rest, a, d), b, c))


@kept
@njit(fastmath=True, nogil=True)
def _folded(space: Array, out: int, one: int, other: int, low: int, high: int) -> None:
    """Add the sum over L from low to high of one[-L] other[L] to the vector at ``out``."""
    real, rest = load(space, out, LANES), load(space, out + LANES, LANES)
    for length in range(low, high + 1):
        p, q = one - length * STEP, other + length * STEP
        a, b = load(space, p, LANES), load(space, p + LANES, LANES)
        c, d = load(space, q, LANES), load(space, q + LANES, LANES)
        real = less_product(plus_product(real, a, c), b, d)
        rest = plus_product(plus_product(rest, a, d), b, c)
    store(space, out, real)
    store(space, out + LANES, rest)


@kept
@njit(fastmath=True, nogil=True)
def _weighted(space: Array, out: int, pairs: int, weights: Array, span: int) -> None:
    """Write the sum of the coups of all pairs of points, each pair with its real weight."""
    space[out : out + span * STEP] = 0.0
    for pair in range(PAIRS):
        if weights[pair] != 0.0:
            factor = spread(weights[pair], LANES)
            start = pairs + pair * span * STEP
            for place in range(0, span * STEP, LANES):
                more = plus_product(
                    load(space, out + place, LANES), load(space, start + place, LANES), factor
                )
                store(space, out + place, more)


@kept
@njit(fastmath=True, nogil=True)
def _rows(space: Array, rows: int, open_: int, weights: Array, longest: int) -> None:
    """Write the weight of a row by its point and its number of cards, at one group of nodes."""
    card = open_ + 2 * SIDE * STEP
    for value in range(SIZE):
        for lane in range(LANES):
            space[card + value * STEP + lane] = weights[value, 0, lane]
            space[card + value * STEP + LANES + lane] = weights[value, 1, lane]
    space[open_ : open_ + 2 * SIDE * STEP] = 0.0
    space[open_ : open_ + LANES] = 1.0
    space[rows : rows + SIZE * (longest + 1) * STEP] = 0.0
    old, new = open_, open_ + SIDE * STEP
    for cards in range(1, longest + 1):
        space[new : new + SIDE * STEP] = 0.0
        for total in range(cards - 1, min(SIDE, SIZE * (cards - 1) + 1)):
            for value in range(1, SIZE + 1):
                after = total + value
                if after < SIDE:
                    out = new + after * STEP
                else:
                    out = rows + ((after - SIDE) * (longest + 1) + cards) * STEP
                _product_added(space, out, old + total * STEP, card + (value - 1) * STEP)
        old, new = new, old


@kept
@njit(fastmath=True, nogil=True)
def _pairs(space: Array, pairs: int, rows: int, sizes: Sizes) -> None:
    """Write the weight of a coup by its two points, lower first, and its number of cards."""
    shortest, longest = sizes
    span = 2 * longest + 1
    space[pairs : pairs + PAIRS * span * STEP] = 0.0
    pair = 0
    for i in range(SIZE):
        for j in range(i, SIZE):
            for cards in range(2 * shortest, span):
                low, high = max(shortest, cards - longest), min(longest, cards - shortest)
                one = rows + (i * (longest + 1) + cards) * STEP
                other = rows + j * (longest + 1) * STEP
                _folded(space, pairs + (pair * span + cards) * STEP, one, other, low, high)
            pair += 1


@kept
@njit(fastmath=True, nogil=True)
def _ended(space: Array, places: tuple[int, int, int], within: Array, sizes: Sizes) -> None:
    """Write, for each place, the weight of a coup from there that is completed, and of the rest.

    ``places`` are those to write to, of the coups and of the powers. ``within[m, L]`` is how often
    a coup of L cards from place m is within the taille.
    """
    (out, coup, powers), (low, high) = places, sizes
    cards = within.shape[0] - 1
    for place in range(cards + 1):
        real, rest = spread(0.0, LANES), spread(0.0, LANES)
        for length in range(low, min(high, cards - place) + 1):
            share = within[place, length]
            if share != 0.0:
                p, q = coup + length * STEP, powers + (cards - place - length) * STEP
                factor = spread(share, LANES)
                a, b = load(space, p, LANES), load(space, p + LANES, LANES)
                c, d = load(space, q, LANES), load(space, q + LANES, LANES)
                none = spread(0.0, LANES)
                x = less_product(plus_product(none, a, c), b, d)
                y = plus_product(plus_product(none, a, d), b, c)
                real, rest = plus_product(real, x, factor), plus_product(rest, y, factor)
        store(space, out + place * STEP, real)
        store(space, out + place * STEP + LANES, rest)


@kept
@njit(fastmath=True, nogil=True)
def _chained(space: Array, places: tuple[int, int], leads: Array, cards: int, sizes: Sizes) -> None:
    """Write the weight of each state by the place behind which a coup ends, from the free one.

    ``leads[s, t]`` says whether state s leads to t, by the coups of the sequence s, t of the second
    of ``places``.
    """
    (chain, moves), (low, high) = places, sizes
    states, span = leads.shape[0], high + 1
    line = (cards + 1) * STEP
    space[chain : chain + states * line] = 0.0
    space[chain : chain + LANES] = 1.0
    for place in range(low, cards + 1):
        for after in range(states):
            out = chain + after * line + place * STEP
            for state in range(states):
                if leads[state, after]:
                    one = chain + state * line + place * STEP
                    move = moves + (state * states + after) * span * STEP
                    _folded(space, out, one, move, low, min(high, place))


@kept
@njit(fastmath=True, nogil=True)
def _total(space: Array, out: int, one: int, other: int, count: int) -> None:
    """Write the sum of the products of two sequences, place by place."""
    space[out : out + STEP] = 0.0
    for place in range(count):
        _product_added(space, out, one + place * STEP, other + place * STEP)


@kept
@njit(fastmath=True, nogil=True)
def _turned(space: Array, out: int, one: int, by: complex, count: int) -> None:
    """Write a sequence times a complex number."""
    c, d = spread(by.real, LANES), spread(by.imag, LANES)
    none = spread(0.0, LANES)
    for place in range(0, count * STEP, STEP):
        a, b = load(space, one + place, LANES), load(space, one + place + LANES, LANES)
        store(space, out + place, less_product(plus_product(none, a, c), b, d))
        store(space, out + place + LANES, plus_product(plus_product(none, a, d), b, c))


@kept
@njit(nogil=True)
def _summed(space: Array, place: int, factors: Array) -> complex:
    """Return the sum over the lanes of a complex vector, each times the factor of its node."""
    found = 0j
    for lane in range(LANES):
        found += complex(space[place + lane], space[place + LANES + lane]) * factors[lane]
    return found


@kept
@njit(nogil=True)
def _powers(space: Array, places: Places, cards: Array, count: int) -> None:
    """Write the powers of phi, the weight of any card."""
    powers, spare = places[4], places[8]
    space[powers : powers + STEP] = 0.0
    space[powers : powers + LANES] = 1.0
    space[spare : spare + STEP] = 0.0
    for value in range(SIZE):
        for lane in range(LANES):
            space[spare + lane] += cards[value, 0, lane]
            space[spare + LANES + lane] += cards[value, 1, lane]
    space[powers + STEP : powers + (count + 1) * STEP] = 0.0
    for place in range(count):
        here = powers + place * STEP
        _product_added(space, here + STEP, here, spare)


@kept
@njit(nogil=True)
def _by_length(space: Array, places: Places, within: Array, sizes: Sizes) -> None:
    """Write how often completed coups have each number of cards, but for their own weight."""
    powers, scratch, chain, spare = places[4], places[5], places[6], places[8]
    cards = within.shape[0] - 1
    low, high = sizes
    space[spare : spare + (high + 1) * STEP] = 0.0
    for length in range(low, high + 1):
        out = spare + length * STEP
        for place in range(cards - length + 1):
            share = within[place, length]
            rest = powers + (cards - place - length) * STEP
            if share == 1.0:
                _product_added(space, out, chain + place * STEP, rest)
            elif share != 0.0:
                _turned(space, scratch, chain + place * STEP, complex(share), 1)
                _product_added(space, out, scratch, rest)


@kept
@njit(nogil=True)
def _law(
    space: Array, places: Places, within: Array, sizes: Sizes, roots: Array, factors: Array
) -> Array:
    """Return the sums at each root: the number of coups is marked by it."""
    coup, powers, ended, chain, kernels, spare = places[3:9]
    cards, span = within.shape[0] - 1, sizes[1] + 1
    single = np.ones((1, 1), np.bool_)
    _ended(space, (ended, coup, powers), within, sizes)
    law = np.zeros(roots.shape[0], np.complex128)
    law += _summed(space, powers + cards * STEP, factors)
    for k in range(roots.shape[0]):
        _turned(space, kernels, coup, roots[k], span)
        _chained(space, (chain, kernels), single, cards, sizes)
        _total(space, spare, chain, ended, cards + 1)
        law[k] += (roots[k] - 1) * _summed(space, spare, factors)
    return law


@kept
@njit(nogil=True)
def _prison(
    space: Array, places: Places, within: Array, sizes: Sizes, moves: Array, gains: Array
) -> None:
    """Write, at the spare place, what prisoners gain."""
    pairs = places[2]
    powers, ended, chain, kernels, spare = places[4:9]
    cards, span, states = within.shape[0] - 1, sizes[1] + 1, moves.shape[0]
    leads = np.zeros((states, states), np.bool_)
    for state in range(states):
        _weighted(space, spare, pairs, gains[state], span)
        here = ended + state * (cards + 1) * STEP
        _ended(space, (here, spare, powers), within, sizes)
        for after in range(states):
            leads[state, after] = np.any(moves[state, after] != 0.0)
            if leads[state, after]:
                out = kernels + (state * states + after) * span * STEP
                _weighted(space, out, pairs, moves[state, after], span)
    _chained(space, (chain, kernels), leads, cards, sizes)
    _total(space, spare, chain, ended, states * (cards + 1))


@kept
@njit(nogil=True)
def taille_sums(
    nodes: tuple[Array, Array],
    within: Array,
    roots: Array,
    prisons: tuple[Array, Array],
    rows: Sizes,
) -> tuple[complex, Array, Array, Array]:
    """Return the sums over all nodes: of the shoe, coups by points, the law's roots, prisons.

    ``nodes`` are the cards, [group, value, 2, lane], and the factors [group, lane] that a node
    counts. ``roots`` are those of one at which the number of coups is marked. ``prisons`` are
    moves[path, s, t, pair] and gains[path, s, pair]: the shares of a stake in state s that a pair
    of points moves to state t, and what it gives more than was expected. ``rows`` are the fewest
    and the most cards of a row.
    """
    weights, factors = nodes
    moves, gains = prisons
    cards, sizes = within.shape[0] - 1, (2 * rows[0], 2 * rows[1])
    paths, states = moves.shape[0], moves.shape[1]
    span, line = sizes[1] + 1, (cards + 1) * STEP
    row = SIZE * (rows[1] + 1) * STEP
    pairs = row + (2 * SIDE + SIZE) * STEP
    coup = pairs + PAIRS * span * STEP
    powers = coup + span * STEP
    ended = powers + line
    chain = ended + states * line
    kernels = chain + states * line
    spare = kernels + states * states * span * STEP
    places = (0, row, pairs, coup, powers, ended, chain, kernels, spare)
    space = np.zeros(spare + span * STEP)
    whole, law = 0j, np.zeros(roots.shape[0], np.complex128)
    points, extra = np.zeros(PAIRS), np.zeros(paths)
    every = np.full(PAIRS, 2.0)
    for i in range(SIZE):
        every[i * SIZE - i * (i - 1) // 2] = 1.0
    for group in range(weights.shape[0]):
        here = factors[group]
        _rows(space, places[0], places[1], weights[group], rows[1])
        _pairs(space, pairs, 0, rows)
        _weighted(space, coup, pairs, every, span)
        _powers(space, places, weights[group], cards)
        whole += _summed(space, powers + cards * STEP, here)
        law += _law(space, places, within, sizes, roots, here)
        # The coups follow one another once more, unmarked.
        _turned(space, kernels, coup, 1 + 0j, span)
        _chained(space, (chain, kernels), np.ones((1, 1), np.bool_), cards, sizes)
        _by_length(space, places, within, sizes)
        for pair in range(PAIRS):
            _total(space, kernels, spare, pairs + pair * span * STEP, span)
            points[pair] += _summed(space, kernels, here).real
        for path in range(paths):
            _prison(space, places, within, sizes, moves[path], gains[path])
            extra[path] += _summed(space, spare, here).real
    return whole, points, law, extra
