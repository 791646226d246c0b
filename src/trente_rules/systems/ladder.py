"""What a staking system is, and the ladder that is built of it.

A system is a frozen value with three pure functions: where it starts, what it bets in a state, and
the state after a stake has won, lost, or come back level. Like a rule of the house it builds data:
the *ladder*, a list of bets with the rung that follows each result. Simulation reads ladders, and
never asks a system anything while it plays.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from enum import IntEnum
from typing import Any, Final, Protocol

from attrs import frozen

from trente_rules.errors import TrenteError

UNKNOWN: Final = -1
"""The rung after a result that has not been looked at yet."""
MOST_RUNGS: Final = 2_000_000
MOST_UNITS: Final = 10**12


class Result(IntEnum):
    """What a stake came to, once nothing of it stands on the table any more."""

    WON = 0
    LOST = 1
    LEVEL = 2


@frozen
class Bet:
    """What is bet: a chance, and how many times the base stake."""

    chance: str
    units: int


class System(Protocol):
    """A staking system; states are any hashable values."""

    def start(self) -> Hashable:
        """Answer the state it begins in, and begins anew in."""
        ...  # pragma: no cover - a protocol has no body

    def bet(self, state: Any, /) -> Bet:
        """Answer what is bet in a state."""
        ...  # pragma: no cover - a protocol has no body

    def after(self, state: Any, result: Result, /) -> Hashable:
        """Answer the state after a result."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class Rung:
    """One bet, the rungs after WON, LOST and LEVEL, and which of them begin anew at the limit."""

    bet: Bet
    nexts: tuple[int, int, int]
    cut: tuple[bool, bool, bool]


class Ladder:
    """The rungs of a system within limits, found as they are needed.

    ``accepts`` tells of any bet whether the house takes it; above ``MOST_UNITS`` base stakes none
    is taken. Where a system would bet what is not taken it begins anew, and the rung says so. Rung
    0 is the start.
    """

    def __init__(self, system: System, accepts: Callable[[Bet], bool] = lambda _bet: True) -> None:
        """Take the system; only its first bet is asked.

        Raises ``TrenteError``: "bad-system" where a bet is none, "system-over-limit" where even the
        first bet is not taken.
        """
        self._system, self._accepts = system, accepts
        self._states: list[Hashable] = []
        self._bets: list[Bet] = []
        self._index: dict[Hashable, int] = {}
        self._rungs: dict[int, Rung] = {}
        start = system.start()
        first = self._checked(start)
        if not self._taken(first):
            raise TrenteError(
                f"the system begins with {first.units} base stakes: that is not taken",
                "system-over-limit",
                "choose a smaller base stake, or another house",
            )
        self._place(start, first)

    def __len__(self) -> int:
        """Answer how many rungs are known."""
        return len(self._bets)

    def bet(self, rung: int) -> Bet:
        """Answer what is bet on a rung."""
        return self._bets[rung]

    def rung(self, index: int) -> Rung:
        """Answer a rung with what follows it, looking at it now if need be.

        Raises ``TrenteError``: "bad-system", "too-many-rungs".
        """
        found = self._rungs.get(index)
        if found is None:
            state = self._states[index]
            steps = [self._step(self._system.after(state, result)) for result in Result]
            (won, won_cut), (lost, lost_cut), (level, level_cut) = steps
            found = Rung(self._bets[index], (won, lost, level), (won_cut, lost_cut, level_cut))
            self._rungs[index] = found
        return found

    def _step(self, state: Hashable) -> tuple[int, bool]:
        known = self._index.get(state)
        if known is not None:
            return known, False
        bet = self._checked(state)
        if not self._taken(bet):
            return 0, True
        if len(self._bets) >= MOST_RUNGS:
            raise TrenteError(
                f"the system comes to more than {MOST_RUNGS} different states",
                "too-many-rungs",
                "let it begin anew sooner, or play in a house with a lower maximum",
            )
        return self._place(state, bet), False

    def _taken(self, bet: Bet) -> bool:
        return bet.units <= MOST_UNITS and self._accepts(bet)

    def _place(self, state: Hashable, bet: Bet) -> int:
        self._index[state] = len(self._bets)
        self._states.append(state)
        self._bets.append(bet)
        return len(self._bets) - 1

    def _checked(self, state: Hashable) -> Bet:
        bet = self._system.bet(state)
        if (
            not isinstance(bet, Bet)
            or type(bet.units) is not int
            or bet.units < 1
            or not isinstance(bet.chance, str)
        ):
            raise TrenteError(
                f"in state {state!r:.80} the system bets {bet!r:.80}",
                "bad-system",
                "a bet is a Bet of a chance and a whole number of base stakes above nought",
            )
        return bet
