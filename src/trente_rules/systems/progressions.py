"""Progressions: systems that change the stake with what was won and lost, on one chance.

They are the classical ones, told as players tell them; none changes the advantage of the bank,
which is the same part of every unit staked.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

from trente_rules.keys import at_least, key
from trente_rules.systems.ladder import Bet, Result

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
        """Answer one stake."""
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
        """Answer one stake."""
        return 1

    def bet(self, state: int) -> Bet:
        """Bet the stake."""
        return Bet(self.chance, state)

    def after(self, state: int, result: Result) -> int:
        """Double what was lost."""
        return {Result.WON: 1, Result.LOST: self.raised(state), Result.LEVEL: state}[result]

    def raised(self, state: int) -> int:
        """Answer the stake after a loss."""
        return 2 * state


@frozen(kw_only=True)
class GrandeMartingale(Martingale):
    """Double and add one after every loss; a win wins one stake for each coup of the run."""

    def raised(self, state: int) -> int:
        """Answer the stake after a loss."""
        return 2 * state + 1


@frozen(kw_only=True)
class Paroli(_OnChance):
    """Leave stake and winnings until ``coups`` wins in a row, then take them; a loss costs one."""

    coups: int = key(3, "After how many wins in a row all is taken.", check=at_least(1))

    def start(self) -> int:
        """Answer no win."""
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
        """Answer one stake."""
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
        """Answer the first two numbers."""
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
        """Answer the line."""
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
        """Answer one stake, nothing won."""
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
