"""Progressions: systems that change the stake with what was won and lost, on one chance.

They are the classical ones, told as players tell them; none changes the advantage of the bank,
which is the same part of every unit staked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from enum import IntEnum
from typing import Any, Final, Literal, Protocol

from attrs import frozen

from trente_rules.core.chances import OPPOSITES
from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.keys import at_least, key

# --- What a staking system is, and the ladder that is built of it

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
        """Return the state it begins in, and begins anew in."""
        ...  # pragma: no cover - a protocol has no body

    def bet(self, state: Any, /) -> Bet:
        """Return what is bet in a state."""
        ...  # pragma: no cover - a protocol has no body

    def after(self, state: Any, result: Result, /) -> Hashable:
        """Return the state after a result."""
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
        """Return how many rungs are known."""
        return len(self._bets)

    def bet(self, rung: int) -> Bet:
        """Return what is bet on a rung."""
        return self._bets[rung]

    def rung(self, index: int) -> Rung:
        """Return a rung with what follows it, looking at it now if need be.

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
                f"in state {shown(state)} the system bets {shown(bet)}",
                "bad-system",
                "a bet is a Bet of a chance and a whole number of base stakes above nought",
            )
        return bet


_LINE: Final = (1, 2, 3, 4)


def _whole(line: tuple[int, ...]) -> str:
    return "" if line and all(each > 0 for each in line) else "it has numbers above nought"


@frozen(kw_only=True)
class _OnChance:
    chance: str = key("rouge", "The chance that is bet on.")


@frozen(kw_only=True)
class Flat(_OnChance):
    """The same stake every time (masse égale)."""

    def start(self) -> int:
        """Return one stake."""
        return 1

    def bet(self, state: int) -> Bet:
        """Bet it."""
        return Bet(self.chance, state)

    def after(self, state: int, _result: Result) -> int:
        """Stay as it is."""
        return state


@frozen(kw_only=True)
class Martingale(_OnChance):
    """Double after every loss; a win wins one stake, and it begins anew."""

    def start(self) -> int:
        """Return one stake."""
        return 1

    def bet(self, state: int) -> Bet:
        """Bet the stake."""
        return Bet(self.chance, state)

    def after(self, state: int, result: Result) -> int:
        """Double what was lost."""
        return {Result.WON: 1, Result.LOST: self.raised(state), Result.LEVEL: state}[result]

    def raised(self, state: int) -> int:
        """Return the stake after a loss."""
        return 2 * state


@frozen(kw_only=True)
class GrandeMartingale(Martingale):
    """Double and add one after every loss; a win wins one stake for each coup of the run."""

    def raised(self, state: int) -> int:
        """Return the stake after a loss."""
        return 2 * state + 1


@frozen(kw_only=True)
class Paroli(_OnChance):
    """Leave stake and winnings until ``coups`` wins in a row, then take them; a loss costs one."""

    coups: int = key(3, "After how many wins in a row all is taken.", check=at_least(1))

    def start(self) -> int:
        """Return no win."""
        return 0

    def bet(self, state: int) -> Bet:
        """Bet what the wins have made of one stake."""
        return Bet(self.chance, 2**state)

    def after(self, state: int, result: Result) -> int:
        """Count the wins."""
        if result is Result.LEVEL:
            return state
        return state + 1 if result is Result.WON and state + 1 < self.coups else 0


@frozen(kw_only=True)
class DAlembert(_OnChance):
    """One more after a loss, one less after a win, never below one."""

    def start(self) -> int:
        """Return one stake."""
        return 1

    def bet(self, state: int) -> Bet:
        """Bet the stake."""
        return Bet(self.chance, state)

    def after(self, state: int, result: Result) -> int:
        """Go up with a loss, down with a win."""
        return {Result.WON: max(1, state - 1), Result.LOST: state + 1, Result.LEVEL: state}[result]


@frozen(kw_only=True)
class ContreDAlembert(DAlembert):
    """One more after a win, one less after a loss, never below one."""

    def after(self, state: int, result: Result) -> int:
        """Go up with a win, down with a loss."""
        return {Result.WON: state + 1, Result.LOST: max(1, state - 1), Result.LEVEL: state}[result]


@frozen(kw_only=True)
class Fibonacci(_OnChance):
    """Along 1, 1, 2, 3, 5 ...: one step up after a loss, two down after a win."""

    def start(self) -> tuple[int, int]:
        """Return the first two numbers."""
        return 1, 1

    def bet(self, state: tuple[int, int]) -> Bet:
        """Bet the number."""
        return Bet(self.chance, state[0])

    def after(self, state: tuple[int, int], result: Result) -> tuple[int, int]:
        """Go along the numbers."""
        now, following = state
        if result is Result.LOST:
            return following, now + following
        for _step in range(2 if result is Result.WON else 0):
            now, following = (following - now, now) if now < following else (1, 1)
        return now, following


@frozen(kw_only=True)
class Labouchere(_OnChance):
    """A line of numbers: bet the first and the last; a win strikes both, a loss writes the bet.

    When the line is struck out, as much is won as it summed to, and it begins anew.
    """

    line: tuple[int, ...] = key(_LINE, "The line it begins with.", check=_whole)

    def start(self) -> tuple[int, ...]:
        """Return the line."""
        return self.line

    def bet(self, state: tuple[int, ...]) -> Bet:
        """Bet the first and the last, or the one that is left."""
        return Bet(self.chance, state[0] + state[-1] if len(state) > 1 else state[0])

    def after(self, state: tuple[int, ...], result: Result) -> tuple[int, ...]:
        """Strike or write."""
        if result is Result.LOST:
            return (*state, self.bet(state).units)
        if result is Result.WON:
            return state[1:-1] or self.line
        return state


@frozen(kw_only=True)
class OscarsGrind(_OnChance):
    """Win one stake a series: the same after a loss, one more after a win, never more than needed.

    The state is the stake and what the series has won so far.
    """

    def start(self) -> tuple[int, int]:
        """Return one stake, nothing won."""
        return 1, 0

    def bet(self, state: tuple[int, int]) -> Bet:
        """Bet the stake."""
        return Bet(self.chance, state[0])

    def after(self, state: tuple[int, int], result: Result) -> tuple[int, int]:
        """End the series when one stake is won."""
        stake, won = state
        if result is Result.LEVEL:
            return state
        if result is Result.LOST:
            return stake, won - stake
        won += stake
        return self.start() if won >= 1 else (min(stake + 1, 1 - won), won)


# --- Systems that follow the shoe: which of two opposite chances is bet on depends on what came

_WHOLE: Final = 3


@frozen(kw_only=True)
class _Following:
    begin: Literal["rouge", "noir", "couleur", "inverse"] = key(
        "rouge", "The chance that is bet on first; its opposite is the other."
    )


@frozen(kw_only=True)
class Serie(_Following):
    """Bet on the chance that won last: for runs (jouer la série)."""

    def start(self) -> str:
        """Return the first chance."""
        return self.begin

    def bet(self, state: str) -> Bet:
        """Bet one stake on it."""
        return Bet(state, 1)

    def after(self, state: str, result: Result) -> str:
        """Stay with the winner."""
        return OPPOSITES[state] if result is Result.LOST else state


@frozen(kw_only=True)
class Intermittence(Serie):
    """Bet on the chance that lost last: for alternations (jouer l'intermittence)."""

    def after(self, state: str, result: Result) -> str:
        """Leave the winner."""
        return OPPOSITES[state] if result is Result.WON else state


@frozen(kw_only=True)
class TiersDuTout(_Following):
    """A third of a capital of three stakes, then the rest of the whole; on the last winner.

    A win at either gains one stake and begins anew; two losses cost the three.
    """

    def start(self) -> tuple[str, int]:
        """Return the first chance, and the third."""
        return self.begin, 1

    def bet(self, state: tuple[str, int]) -> Bet:
        """Bet the third, or the rest."""
        return Bet(*state)

    def after(self, state: tuple[str, int], result: Result) -> tuple[str, int]:
        """Bet the rest after the third is lost, and begin anew after the rest."""
        chance, units = state
        if result is Result.LEVEL:
            return state
        winner = chance if result is Result.WON else OPPOSITES[chance]
        lost_third = result is Result.LOST and units == 1
        return winner, _WHOLE - 1 if lost_third else 1
