"""The compiled play of staking systems: one seat, one stake at a time, session by session.

Importing it imports numba, so only ``compiled`` does. It contains no rule and no system: bets and
what follows them are read from rungs, the results of a stake from nodes that ``rungs`` makes.
Where a rung is not known yet it stops, and continues from there once it is. Where the bets are the
ends of a list of numbers, the list is kept here, and the rungs are those of its numbers.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from trente_rules.core.chances import VERDICTS
from trente_rules.core.compiled import kept
from trente_rules.core.coup import OUTCOMES, POINTS
from trente_rules.core.systems import Restart
from trente_rules.simulation import kernel

below: Any = kernel.below  # compiled functions are typed by what they are called with
shuffle: Any = kernel.shuffle
plan: Any = kernel.plan
EVERY_COUP: Final = kernel.EVERY_COUP
rows_of: Any = kernel._rows  # noqa: SLF001 - one room, one way to deal
Array = Any  # numpy's own types say no more to numba, and mypy may run without numpy

CHANCE, NODE, AMOUNT, COST, NEXT, CUT, RUNG_WIDTH = 0, 1, 2, 3, 4, 7, 10
"""The columns of a rung; after NEXT and CUT one for each result. NODE is -1 while not known."""
COUPS, NET, STAKED, BETS, PREMIUMS, CUTS, PASSED, RUINED = range(8)
GREATEST, DRAWDOWN, WON_RUN, LOST_RUN, SHOES, CAPPED, FIGURES = range(8, 15)
"""The figures of a session, amounts in units; FIGURES is how many there are."""
RUNG, _STAKE_NODE, _STAKE, _RESULT, _PEAK, _WINS, _LOSSES = range(FIGURES, FIGURES + 7)
_START, _BEGIN, _ROW, _ROWS, _PLACED, _REFERENCE, _POINT, _BEGUN = range(FIGURES + 7, FIGURES + 15)
UNITS, _HEAD, _LENGTH = range(FIGURES + 15, FIGURES + 18)
SEAT_WIDTH: Final = FIGURES + 18
"""A seat: the figures of its session, then its state; ``_STAKE_NODE`` is -1 without a stake. With a
list, RUNG is -1 while the rung of UNITS, the next bet, was not looked for."""
SPREAD: Final = 0x9E3779B1
"""A number is looked for at the slot of its product with this (2^32 over the golden ratio)."""
_WON, _LOST, _LEVEL = 0, 1, 2
_MOST, _WRITES = 5, 6
"""The places of the limits of a list: the most that is counted, the result that writes a bet."""
_BY_HOUSE: Final = int(Restart.HOUSE)
_NOT_COUNTED: Final = int(Restart.COUNTED)
MOST_EMPTY: Final = 10_000
"""Shoes for each coup after which a house counts as one whose shoes complete none."""
_POINT_STEP: Final = POINTS[0]
_SIDE: Final = len(POINTS)
_COLOUR: Final = kernel.COLOUR_BIT


@kept
@njit(nogil=True)
def _new_shoe(
    seat: Array, cards: Array, stream: Array, shoe_rule: Array, points: Array, ends: Array
) -> None:
    """Shuffle, burn, mark, and deal all rows; the bets of a taille are counted from 0."""
    shuffle(cards, stream[:4])
    begin, end = plan(cards, shoe_rule, stream[4:])
    seat[_ROWS] = np.int64(rows_of(cards, np.uint64(0), end, points, ends))
    seat[_START], seat[_BEGIN], seat[_ROW] = 0, np.int64(begin), 0
    if shoe_rule[3] != EVERY_COUP:  # without tailles, earlier bets always count
        seat[_PLACED] = seat[_REFERENCE] = 0
    seat[SHOES] += 1


@kept
@njit(nogil=True)
def _begun(seat: Array, line: Array, ring: Array) -> None:
    """Write the list as it begins; its first bet is rung 0."""
    for place in range(len(line)):
        ring[place] = line[place]
    seat[RUNG], seat[_HEAD], seat[_LENGTH] = 0, 0, len(line)
    seat[UNITS] = line[0] + (line[len(line) - 1] if len(line) > 1 else 0)


@kept
@njit(nogil=True)
def _as_begun(seat: Array, line: Array, ring: Array) -> Any:
    """Return whether the list is as it was in the beginning, or the rung is 0 without a list."""
    if not len(line):
        return seat[RUNG] == 0
    if seat[_LENGTH] != len(line):
        return False
    for place in range(len(line)):
        if ring[(seat[_HEAD] + place) & (len(ring) - 1)] != line[place]:
            return False
    return True


@kept
@njit(nogil=True)
def _written(seat: Array, result: int, limits: Array, line: Array, ring: Array) -> None:
    """Write the bet at the end of the list or strike both ends; restart above what is counted."""
    if result == _LEVEL:
        return
    mask = len(ring) - 1
    if result == limits[_WRITES]:
        ring[(seat[_HEAD] + seat[_LENGTH]) & mask] = seat[UNITS]
        seat[_LENGTH] += 1
    else:
        seat[_HEAD] += 1
        seat[_LENGTH] -= 2
    if seat[_LENGTH] <= 0:
        _begun(seat, line, ring)
        return
    head, length = seat[_HEAD], seat[_LENGTH]
    seat[RUNG] = -1
    seat[UNITS] = ring[head & mask] + (ring[(head + length - 1) & mask] if length > 1 else 0)
    if seat[UNITS] > limits[_MOST]:
        seat[CAPPED] += 1
        _begun(seat, line, ring)


@kept
@njit(nogil=True)
def _known(seat: Array, line: Array, ring: Array, slots: Array) -> Any:
    """Find the rung of the next bet of a list; return False where it was never looked at."""
    mask = len(slots) - 1
    place = seat[UNITS] * SPREAD & mask
    while slots[place, 0] != seat[UNITS]:
        if slots[place, 0] < 0:
            return False
        place = (place + 1) & mask
    seat[RUNG] = slots[place, 1]
    if seat[RUNG] < 0:
        seat[CUTS] += 1
        _begun(seat, line, ring)
    return True


@kept
@njit(nogil=True)
def _ended(seat: Array, rungs: Array, limits: Array, line: Array, ring: Array) -> None:
    """Settle the account of a stake that has left: net, runs, the next rung."""
    seat[NET] += seat[_STAKE]
    seat[_STAKE_NODE] = -1
    seat[_PEAK] = max(seat[_PEAK], seat[NET])
    seat[DRAWDOWN] = max(seat[DRAWDOWN], seat[_PEAK] - seat[NET])
    result = _LEVEL
    if seat[_RESULT] > 0:
        result = _WON
        seat[_WINS] += 1
        seat[_LOSSES] = 0
        seat[WON_RUN] = max(seat[WON_RUN], seat[_WINS])
    elif seat[_RESULT] < 0:
        result = _LOST
        seat[_LOSSES] += 1
        seat[_WINS] = 0
        seat[LOST_RUN] = max(seat[LOST_RUN], seat[_LOSSES])
    if len(line):
        _written(seat, result, limits, line, ring)
        return
    rung = seat[RUNG]
    cut = rungs[rung, CUT + result]
    seat[CUTS] += cut == _BY_HOUSE
    seat[CAPPED] += cut == _NOT_COUNTED
    seat[RUNG] = rungs[rung, NEXT + result]


@kept
@njit(nogil=True)
def _moved(  # noqa: PLR0913, PLR0917 - compiled code is given all
    seat: Array,
    verdict: np.int64,
    rungs: Array,
    gains: Array,
    premiums: Array,
    nexts: Array,
    limits: Array,
    line: Array,
    ring: Array,
) -> None:
    """Apply a verdict to the stake on the table."""
    node = seat[_STAKE_NODE]
    seat[_STAKE] += gains[node, verdict]
    seat[_RESULT] += gains[node, verdict] + premiums[node, verdict]
    seat[PREMIUMS] += premiums[node, verdict]
    if nexts[node, verdict] < 0:
        _ended(seat, rungs, limits, line, ring)
    else:
        seat[_STAKE_NODE] = nexts[node, verdict]


@kept
@njit(nogil=True)
def _too_fast(seat: Array, amount: int, limits: Array) -> Any:
    """Return whether a bet is raised faster than the house allows within a shoe."""
    reference = limits[2]
    return (
        reference > 0
        and seat[_PLACED] >= reference
        and amount * limits[4] > seat[_REFERENCE] * limits[3]
    )


@kept
@njit(nogil=True)
def play(  # noqa: C901, PLR0912, PLR0913, PLR0915, PLR0917 - compiled code is given all, in one loop
    fresh: Array,
    cards: Array,
    points: Array,
    ends: Array,
    streams: Array,
    shoe_rule: Array,
    limits: Array,
    verdicts: Array,
    rungs: Array,
    gains: Array,
    premiums: Array,
    nexts: Array,
    line: Array,
    ring: Array,
    slots: Array,
    first: int,
    seat: Array,
    counts: Array,
    figures: Array,
    traced: Array,
) -> int:
    """Play sessions from ``first`` on; return the one that needs a rung, or the number of sessions.

    -1 is returned where the shoes of the house complete no coups.

    ``streams`` has eight words for each session, of its shoes and of its markers; ``limits`` the
    coups of a session, the bankroll (-1: endless), and the bet of a shoe by which later ones are
    measured (0: none) with the fraction of it they may reach; with a list (``line`` is not empty),
    the most units that are counted and the result that writes a bet. ``ring`` is room for the list,
    a power of 2 above what a session can write, ``slots`` the rungs of numbers. ``seat`` holds the
    state of a session when it stops. ``counts`` counts bets by rung, ``figures`` is filled for each
    session, ``traced`` with the net of the first sessions at equal distances.
    """
    sessions = len(streams)
    length, bankroll = limits[0], limits[1]
    marks = traced.shape[1]
    session = first
    while session < sessions:
        stream = streams[session]
        if not seat[_BEGUN]:
            for place in range(SEAT_WIDTH):  # element by element: slices take long to compile
                seat[place] = 0
            seat[_STAKE_NODE] = -1
            seat[_BEGUN] = 1
            for place in range(len(cards)):
                cards[place] = fresh[place]
            _new_shoe(seat, cards, stream, shoe_rule, points, ends)
            if len(line):
                _begun(seat, line, ring)
        while True:
            if seat[RUNG] < 0 and not _known(seat, line, ring, slots):
                return session
            if session < len(traced):
                while seat[_POINT] < marks and seat[COUPS] * marks >= length * (seat[_POINT] + 1):
                    traced[session, seat[_POINT]] = seat[NET]
                    seat[_POINT] += 1
            if seat[_START] >= seat[_BEGIN]:
                if seat[_STAKE_NODE] >= 0 and shoe_rule[4]:
                    close = gains.shape[1] - 1
                    _moved(seat, close, rungs, gains, premiums, nexts, limits, line, ring)
                    continue
                if seat[COUPS] >= length and seat[_STAKE_NODE] < 0:
                    break
                if seat[SHOES] > MOST_EMPTY * (seat[COUPS] + 1):
                    return -1
                _new_shoe(seat, cards, stream, shoe_rule, points, ends)
            if seat[COUPS] >= length and seat[_STAKE_NODE] < 0:
                break
            rung, betting = seat[RUNG], False
            if seat[_STAKE_NODE] < 0:
                if rungs[rung, NODE] < 0:
                    return session
                betting = True
                fast = _too_fast(seat, rungs[rung, AMOUNT], limits)
                if fast and not _as_begun(seat, line, ring):
                    rung = seat[RUNG] = 0
                    seat[CUTS] += 1
                    if len(line):
                        _begun(seat, line, ring)
                if _too_fast(seat, rungs[rung, AMOUNT], limits):
                    betting = False
                elif bankroll >= 0 and bankroll + seat[NET] < rungs[rung, COST]:
                    seat[RUINED] = 1
                    break
            row = seat[_ROW]
            if row + 1 >= seat[_ROWS]:
                seat[_START] = seat[_BEGIN]  # the coup is begun and not completed: nothing happens
                continue
            start, second = seat[_START], ends[row]
            outcome = (
                4 * (np.int64(points[row]) - _POINT_STEP) * _SIDE
                + 4 * (np.int64(points[row + 1]) - _POINT_STEP)
                + 2 * (np.int64(cards[start]) >> _COLOUR & 1)
                + (np.int64(cards[second]) >> _COLOUR & 1)
            )
            seat[_START], seat[_ROW] = np.int64(ends[row + 1]), row + 2
            seat[COUPS] += 1
            if betting:
                amount = rungs[rung, AMOUNT]
                counts[rung] += 1
                seat[BETS] += 1
                seat[STAKED] += amount
                seat[GREATEST] = max(seat[GREATEST], amount)
                seat[_PLACED] += 1
                if seat[_PLACED] == limits[2]:
                    seat[_REFERENCE] = amount
                seat[_STAKE_NODE] = rungs[rung, NODE]
                seat[_STAKE] = seat[_RESULT] = 0
            elif seat[_STAKE_NODE] < 0:
                seat[PASSED] += 1
                continue
            verdict = np.int64(verdicts[rungs[seat[RUNG], CHANCE], outcome])
            _moved(seat, verdict, rungs, gains, premiums, nexts, limits, line, ring)
        if session < len(traced):
            for place in range(seat[_POINT], marks):
                traced[session, place] = seat[NET]
        for place in range(FIGURES):
            figures[session, place] = seat[place]
        seat[_BEGUN] = 0
        session += 1
    return session


def tried() -> int:
    """Play a session of one coup with a stake of 0: loads what is compiled; return 1."""
    fresh, room = np.array([10] * 24, np.uint16), np.zeros(25, np.uint64)
    streams, shoe_rule = (
        np.arange(1, 9, dtype=np.uint64).reshape(1, 8),
        [0, 0, 1, kernel.FINISH, 0, 1],
    )
    rules = np.array(shoe_rule), np.array([1, -1, 0, 1, 1, 1, 1]), np.zeros((1, OUTCOMES), np.uint8)
    table = np.zeros((1, len(VERDICTS)), np.int64)
    rungs = np.zeros((1, RUNG_WIDTH), np.int64), table, table, table - 1
    line = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 2), np.int64)
    sizes = SEAT_WIDTH, 1, (1, FIGURES), (0, 1)
    state_and_figures = (np.zeros(size, np.int64) for size in sizes)
    played: int = play(
        fresh,
        fresh.copy(),
        room,
        room.copy(),
        streams,
        *rules,
        *rungs,
        *line,
        0,
        *state_and_figures,
    )
    return played
