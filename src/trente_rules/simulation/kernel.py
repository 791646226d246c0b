"""The compiled play of flat stakes; importing it imports numba, so only ``compiled`` does.

It contains no rule: cards are numbers (points in the low four bits, the colour above them),
verdicts are looked up by outcome, and stakes follow tables of what they gain and where they go. Of
stakes that end with their coup, the outcomes alone are counted; the others are prisoners, each
followed to its end.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from trente_rules.core.compiled import kept
from trente_rules.core.coup import LAST_OPEN_TOTAL, OUTCOMES, POINTS
from trente_rules.core.shoe import LEAST_CARDS, LEAST_COUP
from trente_rules.simulation import draws

below: Any = draws.below  # compiled functions are typed by what they are called with
shuffle: Any = draws.shuffle
Array = Any  # numpy's own types say no more to numba, and mypy may run without numpy
KINDS: Final = 3
"""Coups by their place in the taille: the first; others sure to be completed; the rest."""
MOST_COUPS: Final = 64
"""Eight packs hold 2,720 points, and a coup takes 62 or more: 43 coups are the most."""
LONGEST_COUP: Final = 64
"""No coup has more cards: the 56 lowest of eight packs count 80."""
VOID, FINISH, LAST_COUP, NO_COUP, EVERY_COUP = range(5)
"""The ways a shoe ends: see ``ShoeRule.plan``."""
POINT_BITS: Final = 15
COLOUR_BIT: Final = 4
_POINT_BITS: Final = np.uint64(POINT_BITS)
_LAST_OPEN: Final = np.uint64(LAST_OPEN_TOTAL)
_ZERO, _ONE, _TWO, _FOUR = (np.uint64(n) for n in (0, 1, 2, 4))
_COLOUR: Final = np.uint64(COLOUR_BIT)
_LEAST_COUP: Final = np.uint64(LEAST_COUP)
_SIDE: Final = np.uint64(len(POINTS))
_LEAST: Final = np.uint64(POINTS[0])
_LOW_HALF: Final = 0xFFFFFFFF
_HALF: Final = 32


@kept
@njit(nogil=True)
def _end(wager: int, kind: int, net: int, nets: Array, squares: Array) -> None:
    """Add up the net of a stake; its square in two halves, which cannot overflow."""
    nets[kind, wager] += net
    square = net * net
    squares[kind % KINDS, wager, 0] += square >> _HALF
    squares[kind % KINDS, wager, 1] += square & _LOW_HALF


@kept
@njit(nogil=True)
def behind(low: int, high: int, marker_stream: Array) -> Any:
    """Draw how many cards lie behind the marker of the next shoe."""
    if high > low:
        return low + np.int64(below(marker_stream, np.uint64(high - low + 1)))
    return low


@kept
@njit(nogil=True)
def _makes_no_coup(cards: Array) -> Any:
    """Return the first place behind which too few cards or points are left for a coup."""
    last = np.uint64(len(cards) - LEAST_CARDS)
    points, place = _ZERO, np.uint64(len(cards))
    while place > _ZERO and points < _LEAST_COUP:
        place -= _ONE
        points += np.uint64(cards[place]) & _POINT_BITS
    return min(place, last) + _ONE


@kept
@njit(nogil=True)
def plan(cards: Array, shoe_rule: Array, marker_stream: Array) -> tuple[Any, Any]:
    """Place the marker of a shoe, and return ``begin`` and ``end`` of its ``ShoePlan``.

    Where few cards end the shoe, ``begin`` is the first place at which these make no coup.
    """
    size, ending = len(cards), shoe_rule[3]
    if ending == EVERY_COUP:
        return _ONE, np.uint64(min(size, LONGEST_COUP))
    hidden = behind(shoe_rule[1], shoe_rule[2], marker_stream)
    begin = np.uint64(size - hidden)
    end = np.uint64(size) if ending != VOID else begin
    if ending == LAST_COUP and hidden > 0:
        begin += _ONE
    if ending == NO_COUP:
        begin = _makes_no_coup(cards)
    return begin, end


@kept
@njit(nogil=True)
def burned(cards: Array, shoe_rule: Array) -> Any:
    """Return how many cards are burned: so many, or (-1) as the first of them says."""
    if shoe_rule[0] < 0:
        return _ONE + (np.uint64(cards[0]) & _POINT_BITS)
    return np.uint64(shoe_rule[0])


@kept
@njit(nogil=True)
def _rows(cards: Array, start: Any, end: Any, points: Array, ends: Array) -> Any:
    """Deal rows, one behind the other: their points, and the places behind their last cards."""
    # No branch depends on the cards: a processor could not predict it. Unsigned places need no
    # check for negative ones.
    rows, total = _ZERO, _ZERO
    for place in range(start, end):
        total += np.uint64(cards[place]) & _POINT_BITS
        points[rows] = total
        ends[rows] = place + _ONE
        done = total > _LAST_OPEN
        rows += np.uint64(done)
        total = _ZERO if done else total
    return rows


@kept
@njit(nogil=True)
def _larger(prison: Array) -> Array:
    """Return twice the room for prisoners; never needed within a shoe, where it would cost time."""
    more = np.zeros((2 * len(prison), 4), np.int64)
    more[: len(prison)] = prison
    return more


@kept
@njit(nogil=True)
def _imprison(  # noqa: PLR0913, PLR0917 - compiled code is given all
    prison: Array,
    waiting: int,
    kind: Any,
    outcome: int,
    verdicts: Array,
    wagers: Array,
    gains: Array,
    nexts: Array,
) -> int:
    """Put the stakes of a coup that do not end with it behind the prisoners; return how many."""
    for wager in range(len(wagers)):
        node = wagers[wager, 1]
        verdict = verdicts[wagers[wager, 0], outcome]
        if nexts[node, verdict] >= 0:
            prison[waiting, 0] = wager
            prison[waiting, 1] = nexts[node, verdict]
            prison[waiting, 2] = kind
            prison[waiting, 3] = gains[node, verdict]
            waiting += 1
    return waiting


@kept
@njit(nogil=True)
def _follow(  # noqa: PLR0913, PLR0917 - compiled code is given all
    prison: Array,
    waiting: int,
    outcome: int,
    verdicts: Array,
    wagers: Array,
    gains: Array,
    nexts: Array,
    nets: Array,
    squares: Array,
) -> int:
    """Take the prisoners through a coup, and return how many are left."""
    still = 0
    for p in range(waiting):
        wager, node, placed, net = prison[p, 0], prison[p, 1], prison[p, 2], prison[p, 3]
        verdict = verdicts[wagers[wager, 0], outcome]
        net += gains[node, verdict]
        if nexts[node, verdict] < 0:
            _end(wager, placed, net, nets, squares)
            continue
        prison[still, 0] = wager
        prison[still, 1] = nexts[node, verdict]
        prison[still, 2] = placed
        prison[still, 3] = net
        still += 1
    return still


@kept
@njit(nogil=True)
def play(  # noqa: PLR0913, PLR0917 - compiled code is given all, in one loop
    cards: Array,
    shoe_stream: Array,
    marker_stream: Array,
    shoe_rule: Array,
    shoes: int,
    batch_shoes: int,
    verdicts: Array,
    imprisons: Array,
    wagers: Array,
    gains: Array,
    nexts: Array,
) -> tuple[Array, Array, Array, Array, Array]:
    """Deal shoes, and follow one stake of each wager from every coup.

    ``shoe_rule`` holds cards burned, the fewest and the most behind the marker, the way a shoe
    ends, whether prisoners are closed at its end, and how many coups are sure to be completed.
    ``wagers`` holds for each its chance and the node it starts from; ``gains`` and ``nexts`` what a
    stake gains at a node under a verdict, and the node that follows (-1: it ends). Prisoners that
    are left after the last shoe are followed through more shoes, on which nothing is placed.
    Return outcomes by batch and kind of coup, the nets of prisoners by batch and kind of the coup
    they were placed in, their squares, shoes by number of coups, and voided coups and extra shoes.
    """
    size, many = len(cards), len(wagers)
    _burn, _low, _high, _ending, close, sure = shoe_rule
    batches = (shoes + batch_shoes - 1) // batch_shoes
    counts = np.zeros((batches * KINDS, OUTCOMES), np.int64)
    nets = np.zeros((batches * KINDS, many), np.int64)
    squares = np.zeros((KINDS, many, 2), np.int64)
    per_taille = np.zeros(MOST_COUPS, np.int64)
    odd = np.zeros(2, np.int64)
    points, ends = np.zeros(size + 1, np.uint64), np.zeros(size + 1, np.uint64)
    prison, waiting = np.zeros((2 * MOST_COUPS * many, 4), np.int64), 0
    shoe = 0
    while shoe < shoes or waiting:
        if waiting + MOST_COUPS * many > len(prison):
            prison = _larger(prison)
        shuffle(cards, shoe_stream)
        begin, end = plan(cards, shoe_rule, marker_stream)
        start = burned(cards, shoe_rule)
        rows = _rows(cards, start, end, points, ends)
        placing = shoe < shoes
        batch = shoe // batch_shoes * KINDS
        coup, row = 0, _ZERO
        while start < begin and row + _ONE < rows:
            place = (points[row] - _LEAST) * _SIDE + points[row + _ONE] - _LEAST
            outcome = (
                _FOUR * place
                + _TWO * (np.uint64(cards[start]) >> _COLOUR & _ONE)
                + (np.uint64(cards[ends[row]]) >> _COLOUR & _ONE)
            )
            start = ends[row + _ONE]
            kind = np.uint64(batch + (0 if coup == 0 else 1 if coup < sure else 2))
            if placing:
                counts[kind, outcome] += 1
            if waiting:
                waiting = _follow(
                    prison, waiting, outcome, verdicts, wagers, gains, nexts, nets, squares
                )
            if imprisons[outcome] and placing:
                waiting = _imprison(prison, waiting, kind, outcome, verdicts, wagers, gains, nexts)
            coup += 1
            row += _TWO
        if close:
            for p in range(waiting):
                net = prison[p, 3] + gains[prison[p, 1], gains.shape[1] - 1]
                _end(prison[p, 0], prison[p, 2], net, nets, squares)
            waiting = 0
        if placing:
            per_taille[coup] += 1
            odd[0] += start < begin
        else:
            odd[1] += 1
        shoe += 1
    return counts, nets, squares, per_taille, odd


@kept
@njit(nogil=True)
def orders(cards: Array, shoe_stream: Array, shoes: int) -> Array:
    """Shuffle shoes as ``play`` does, and return each order."""
    out = np.empty((shoes, len(cards)), cards.dtype)
    for shoe in range(shoes):
        shuffle(cards, shoe_stream)
        out[shoe] = cards
    return out


@kept
@njit(nogil=True)
def markers(marker_stream: Array, low: int, high: int, shoes: int) -> Array:
    """Place markers as ``play`` does: how many cards lie behind each."""
    out = np.empty(shoes, np.int64)
    for shoe in range(shoes):
        out[shoe] = behind(low, high, marker_stream)
    return out


def tried() -> None:
    """Play a shoe without a stake: loads what is compiled."""
    cards, state = np.array([10] * 24, np.uint16), np.arange(1, 5, dtype=np.uint64)
    shoe_rule = np.array([0, 0, 1, FINISH, 0, 1])
    verdicts, imprisons = np.zeros((1, OUTCOMES), np.uint8), np.zeros(OUTCOMES, np.uint8)
    wagers, table = np.zeros((1, 2), np.int64), np.full((1, 5), -1, np.int64)
    arrays = verdicts, imprisons, wagers, table, table
    play(cards, state, state.copy(), shoe_rule, 1, 1, *arrays)
