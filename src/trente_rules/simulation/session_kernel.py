"""The compiled step of a session's law: every probability is moved by one coup.

Importing it imports numba, so only ``compiled`` does. It contains no rule and no system: what
follows a state is read from the arrays that ``sessions`` makes.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from trente_rules.core.compiled import kept

Array = Any  # numpy's own types say no more to numba, and mypy may run without numpy

COST, STAKE, FIRST, BEHIND, STATE_WIDTH = range(5)
"""The columns of a state: the least bankroll that pays for it, the stake that is placed (0: one is
in prison), and its moves from FIRST up to BEHIND."""
LOW, HIGH, PLACE, WINDOW_WIDTH = range(4)
"""The columns of a window: bankrolls from LOW up to HIGH, whose probabilities begin at PLACE."""
RUINED: Final = 0
"""The state in which the session has ended."""
STAKED, BETS, COUPS, RUIN, LOST, MOVES, TOTALS = range(7)
"""What is added up: mean stakes, bets, coups, ruin, what is too rare to be followed, and the moves
that were made."""
_FAR: Final = 1 << 60


@kept
@njit(nogil=True)
def _trimmed(window: Array, masses: Array, least: float, totals: Array) -> Any:
    """Leave out what is rarer than ``least`` at both ends of a window; return low and high."""
    low, high, place = window[LOW], window[HIGH], window[PLACE]
    while low < high and masses[place + low - window[LOW]] < least:
        totals[LOST] += masses[place + low - window[LOW]]
        low += 1
    while low < high and masses[place + high - 1 - window[LOW]] < least:
        totals[LOST] += masses[place + high - 1 - window[LOW]]
        high -= 1
    return low, high


@kept
@njit(nogil=True)
def _widened(window: Array, low: int, high: int) -> None:
    """Make a window hold bankrolls from ``low`` up to ``high``."""
    if low < high:
        window[LOW] = min(window[LOW], low)
        window[HIGH] = max(window[HIGH], high)


@kept
@njit(nogil=True)
def _added(window: Array, masses: Array, low: int, source: Array, part: float) -> None:
    """Add a part of probabilities to a window, from the bankroll ``low``."""
    place = window[PLACE] + low - window[LOW]
    for each in range(len(source)):
        masses[place + each] += part * source[each]


@kept
@njit(nogil=True)
def moved(  # noqa: C901, PLR0912, PLR0913, PLR0917 - compiled code is given all, in one loop
    windows: Array,
    masses: Array,
    states: Array,
    chances: Array,
    gains: Array,
    targets: Array,
    least: float,
    closing: bool,  # noqa: FBT001 - numba passes arguments by place
    cut: Array,
    nexts: Array,
    room: Array,
    totals: Array,
) -> int:
    """Move every probability by one coup; return how much room that takes.

    ``nexts`` and ``room`` are the windows and probabilities afterwards; where the room is too
    small, nothing is written there. ``cut`` is scratch: what of each window is followed, and up to
    where it is ruined. When ``closing``, no new stake is placed: only stakes in prison move.
    """
    many = len(states)
    for state in range(len(nexts)):
        nexts[state, LOW], nexts[state, HIGH] = _FAR, -_FAR
    for state in range(many):
        low, high = _trimmed(windows[state], masses, least, totals)
        stays = state == RUINED or (closing and states[state, STAKE] > 0)
        paid = low if stays else min(max(low, states[state, COST]), high)
        cut[state, 0], cut[state, 1], cut[state, 2] = low, paid, high
        _widened(nexts[RUINED], low, paid)
        if stays:
            _widened(nexts[state], low, high)
            continue
        for move in range(states[state, FIRST], states[state, BEHIND]):
            if paid < high:
                _widened(nexts[targets[move]], paid + gains[move], high + gains[move])
    needed = 0
    for state in range(len(nexts)):
        if nexts[state, LOW] > nexts[state, HIGH]:
            nexts[state, LOW] = nexts[state, HIGH] = 0
        nexts[state, PLACE] = needed
        needed += nexts[state, HIGH] - nexts[state, LOW]
    if needed > len(room):
        return needed
    for each in range(needed):
        room[each] = 0.0
    for state in range(many):
        low, paid, high = cut[state, 0], cut[state, 1], cut[state, 2]
        first = windows[state, PLACE] - windows[state, LOW]
        gone = masses[first + low : first + paid]
        rest = masses[first + paid : first + high]
        _added(nexts[RUINED], room, low, gone, 1.0)
        for each in range(len(gone)):
            totals[RUIN] += gone[each]
        stake = states[state, STAKE]
        if state == RUINED or (closing and stake > 0):
            _added(nexts[state], room, low, rest, 1.0)
            continue
        mass = 0.0
        for each in range(len(rest)):
            mass += rest[each]
        if states[state, FIRST] == states[state, BEHIND]:  # too rare for its moves to be known
            totals[LOST] += mass
            continue
        totals[COUPS] += mass
        totals[STAKED] += mass * stake
        totals[BETS] += mass * (stake > 0)
        totals[MOVES] += 1
        for move in range(states[state, FIRST], states[state, BEHIND]):
            totals[MOVES] += len(rest)
            if len(rest):
                _added(nexts[targets[move]], room, paid + gains[move], rest, chances[move])
    return needed


def tried() -> int:
    """Move nothing: loads what is compiled."""
    windows, moves = np.zeros((1, WINDOW_WIDTH), np.int64), np.zeros(1, np.int64)
    states, nothing = np.zeros((1, STATE_WIDTH), np.int64), np.zeros(1)
    needed: int = moved(
        *(windows, nothing, states, nothing, moves, moves, 0.0, False),
        *(windows.copy(), windows.copy(), nothing.copy(), np.zeros(TOTALS)),
    )
    return needed
