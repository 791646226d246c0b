"""Staking systems: how the next stake follows from the results of those before it.

The classical ones: progressions, which change the stake on one chance, and systems that follow the
shoe. None changes the advantage of the bank, which is the same part of every unit staked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from enum import IntEnum
from typing import Any, ClassVar, Final, Literal, Protocol

from attrs import frozen

from trente_rules.core.chances import OPPOSITES
from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.keys import at_least, key

MOST_RUNGS: Final = 2_000_000
MOST_UNITS: Final = 10**15
"""Base stakes above which no bet is counted."""


class Result(IntEnum):
    """The result of a stake, once nothing of it is left on the table."""

    WON = 0
    LOST = 1
    LEVEL = 2


@frozen
class Bet:
    """A chance, and how many times the base stake is bet on it."""

    chance: str
    units: int


class System(Protocol):
    """A staking system; states are any hashable values."""

    def start(self) -> Hashable:
        """Return the state it starts in, and restarts in."""
        ...  # pragma: no cover - a protocol has no body

    def bet(self, state: Any, /) -> Bet:
        """Return the bet of a state."""
        ...  # pragma: no cover - a protocol has no body

    def after(self, state: Any, result: Result, /) -> Hashable:
        """Return the state after a result."""
        ...  # pragma: no cover - a protocol has no body


class Restart(IntEnum):
    """Why a system restarts instead of placing its next bet."""

    NOT = 0
    HOUSE = 1
    """The house does not take the bet."""
    COUNTED = 2
    """The bet is larger than what is counted: a limit of the program, not of the house."""


@frozen
class Rung:
    """One bet, the rungs after WON, LOST and LEVEL, and why they restart, if they do."""

    bet: Bet
    nexts: tuple[int, ...]
    cut: tuple[Restart, ...]


class Ladder:
    """The rungs of a system within limits, found as they are needed; rung 0 is the start.

    ``accepts`` returns whether the house takes a bet; bets above ``most`` base stakes are not
    counted. Where the next bet of a system is not placed it restarts, and the rung says why.
    """

    def __init__(
        self,
        system: System,
        accepts: Callable[[Bet], bool] = lambda _bet: True,
        most: int = MOST_UNITS,
    ) -> None:
        """Look at the first bet of a system.

        Raises ``TrenteError``: "bad-system" where it is not a bet, "system-over-limit" where it is
        not taken.
        """
        self._system, self._accepts, self._most = system, accepts, most
        self._states: list[Hashable] = []
        self._bets: list[Bet] = []
        self._index: dict[Hashable, int] = {}
        self._rungs: dict[int, Rung] = {}
        start = system.start()
        if self._step(start)[1] is not Restart.NOT:
            raise TrenteError(
                f"the system begins with {system.bet(start).units} base stakes, which is not taken",
                "system-over-limit",
                "choose a smaller base stake, or another house",
            )

    def __len__(self) -> int:
        """Return how many rungs are known."""
        return len(self._bets)

    def bet(self, rung: int) -> Bet:
        """Return the bet of a rung."""
        return self._bets[rung]

    def rung(self, index: int) -> Rung:
        """Return a rung with those that follow it, which are looked at now if need be.

        Raises ``TrenteError``: "bad-system", "too-many-rungs".
        """
        rung = self._rungs.get(index)
        if rung is None:
            state = self._states[index]
            steps = [self._step(self._system.after(state, result)) for result in Result]
            nexts, cut = zip(*steps, strict=True)
            rung = self._rungs[index] = Rung(self._bets[index], nexts, cut)
        return rung

    def _step(self, state: Hashable) -> tuple[int, Restart]:
        """Return the rung of a state, and why it is the start where its bet is not placed.

        Raises ``TrenteError``: "bad-system", "too-many-rungs".
        """
        known = self._index.get(state)
        if known is not None:
            return known, Restart.NOT
        bet = self._system.bet(state)
        whole = isinstance(bet, Bet) and type(bet.units) is int and isinstance(bet.chance, str)
        if not whole or bet.units < 1:
            raise TrenteError(
                f"in state {shown(state)} the system bets {shown(bet)}",
                "bad-system",
                "a bet is a Bet of a chance and a whole number of base stakes, 1 or more",
            )
        if bet.units > self._most:
            return 0, Restart.COUNTED
        if not self._accepts(bet):
            return 0, Restart.HOUSE
        if len(self._bets) >= MOST_RUNGS:
            raise TrenteError(
                f"the system reaches more than {MOST_RUNGS} different states",
                "too-many-rungs",
                "let it restart sooner, or play in a house with a lower maximum",
            )
        self._index[state] = len(self._bets)
        self._states.append(state)
        self._bets.append(bet)
        return len(self._bets) - 1, Restart.NOT


# Progressions: the stake changes with what was won and lost, the chance does not.

_LINE: Final = (1, 2, 3, 4)


def _check_line(line: tuple[int, ...]) -> str:
    return "" if line and all(number > 0 for number in line) else "it has numbers above 0"


@frozen(kw_only=True)
class _OnChance:
    chance: str = key("rouge", "The chance that is bet on.")


@frozen(kw_only=True)
class Flat(_OnChance):
    """The same stake every time (masse égale)."""

    def start(self) -> int:
        """Return one stake: the state is the stake."""
        return 1

    def bet(self, state: int) -> Bet:
        """Bet the stake."""
        return Bet(self.chance, state)

    def after(self, state: int, result: Result) -> int:  # noqa: ARG002 - others look at it
        """Keep the stake."""
        return state


@frozen(kw_only=True)
class Martingale(Flat):
    """Double after every loss; a win gains one stake, and the system restarts."""

    def after(self, state: int, result: Result) -> int:
        """Raise the stake that was lost."""
        return {Result.WON: 1, Result.LOST: self.raised(state), Result.LEVEL: state}[result]

    def raised(self, state: int) -> int:
        """Return the stake after a loss."""
        return 2 * state


@frozen(kw_only=True)
class GrandeMartingale(Martingale):
    """Double and add one after every loss; a win gains one stake for each coup of the run."""

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
        """Bet the stake, doubled for each win."""
        return Bet(self.chance, 2**state)

    def after(self, state: int, result: Result) -> int:
        """Count the wins."""
        if result is Result.LEVEL:
            return state
        return state + 1 if result is Result.WON and state + 1 < self.coups else 0


@frozen(kw_only=True)
class DAlembert(Flat):
    """One more after a loss, one less after a win, never below one."""

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

    When the line is struck out, its sum is won, and the system restarts.
    """

    line: tuple[int, ...] = key(_LINE, "The line it begins with.", check=_check_line)
    writes: ClassVar[Result] = Result.LOST
    """The result that writes the bet at the end of the line; its opposite strikes both ends."""

    def start(self) -> tuple[int, ...]:
        """Return the line."""
        return self.line

    def bet(self, state: tuple[int, ...]) -> Bet:
        """Bet the first and the last, or the one that is left."""
        return Bet(self.chance, state[0] + state[-1] if len(state) > 1 else state[0])

    def after(self, state: tuple[int, ...], result: Result) -> tuple[int, ...]:
        """Strike the ends, or write the bet."""
        if result is Result.LEVEL:
            return state
        if result is self.writes:
            return (*state, self.bet(state).units)
        return state[1:-1] or self.line


@frozen(kw_only=True)
class ReverseLabouchere(Labouchere):
    """A Labouchère turned round: a win writes the bet, a loss strikes the first and the last.

    When the line is struck out, its sum is lost, and the system restarts. Browning (c. 1909)
    recommends it: small losses often, against a long run of wins.
    """

    writes: ClassVar[Result] = Result.WON


_OF_A_LINE: Final = Labouchere.start, Labouchere.bet, Labouchere.after


def line_of(system: System) -> Labouchere | None:
    """Return a system that is its line and nothing else, None for any other.

    Its state is a list of numbers with two ends, so that it can be played without a table of all
    lists. A subclass that changes how the line is played is any other system.
    """
    kind = type(system)
    if isinstance(system, Labouchere) and (kind.start, kind.bet, kind.after) == _OF_A_LINE:
        return system
    return None


@frozen(kw_only=True)
class MontantEtDemontant(_OnChance):
    """One more every coup, never more than is needed to be one stake to the good.

    So Browning's table (c. 1909) stakes, also after a win; others take one off after it
    (``after_win="less"``). With ``unit_after`` the unit varies: after a loss of so many single
    units the system restarts with a double unit, after as many double units with a triple one.
    The state is the unit, the stake and what the attack has won so far.
    """

    after_win: Literal["more", "less"] = key(
        "more", "After a win the stake is one `more`, as Browning's table, or one `less`."
    )
    unit_after: int = key(
        0, "The loss in units after which the unit is raised; 0 is never.", check=at_least(0)
    )

    def start(self) -> tuple[int, int, int]:
        """Return a stake of one unit, nothing won."""
        return 1, 1, 0

    def bet(self, state: tuple[int, int, int]) -> Bet:
        """Bet the stake."""
        return Bet(self.chance, state[1])

    def after(self, state: tuple[int, int, int], result: Result) -> tuple[int, int, int]:
        """Raise the stake; end the attack one stake to the good."""
        unit, stake, won = state
        if result is Result.LEVEL:
            return state
        won += stake if result is Result.WON else -stake
        if won >= 1:
            return self.start()
        following = max(unit, stake + (-unit if self._lowers(result) else unit))
        if self.unit_after and won <= -self._most(unit):
            unit += 1
            following = unit
        following = min(following, 1 - won)
        if self.unit_after:
            following = min(following, won + self._most(unit))
        return unit, following, won

    def _lowers(self, result: Result) -> bool:
        return result is Result.WON and self.after_win == "less"

    def _most(self, unit: int) -> int:
        """Return the loss at which this unit is given up: 10, 30, 60 ... for ten."""
        return self.unit_after * unit * (unit + 1) // 2


@frozen(kw_only=True)
class Fitzroy(_OnChance):
    """Win one stake for each coup: as montant et démontant, on losses that are one greater.

    Every coup counts in the mind as one stake worse than it was; when these imagined losses are
    made good, the system restarts. The stake is one more every coup, three after a first loss, and
    never more than is needed. Browning (c. 1909) states all but the stake after a win, which is
    ours: it gives every stake of the printed table.
    The state is the stake and the imagined net.
    """

    def start(self) -> tuple[int, int]:
        """Return one stake, nothing imagined."""
        return 1, 0

    def bet(self, state: tuple[int, int]) -> Bet:
        """Bet the stake."""
        return Bet(self.chance, state[0])

    def after(self, state: tuple[int, int], result: Result) -> tuple[int, int]:
        """Count one stake worse; end where the imagined losses are made good."""
        stake, imagined = state
        if result is Result.LEVEL:
            return state
        following = stake + 1 if imagined else stake + 2
        imagined += (stake if result is Result.WON else -stake) - 1
        # A win makes good at most what was lost: the end, nothing lost, is the start.
        return min(following, 1 - imagined), imagined


@frozen(kw_only=True)
class OneThreeTwoSix(_OnChance):
    """Bet 1, 3, 2 and 6 along four wins in a row; restart after a loss and after the fourth."""

    def start(self) -> int:
        """Return no win."""
        return 0

    def bet(self, state: int) -> Bet:
        """Bet the number of the place."""
        return Bet(self.chance, (1, 3, 2, 6)[state])

    def after(self, state: int, result: Result) -> int:
        """Go along the numbers while it wins."""
        if result is Result.LEVEL:
            return state
        return (state + 1) % 4 if result is Result.WON else 0


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


# Systems that follow the shoe: which of two opposite chances is bet on depends on what came.


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
class AvantDernier(_Following):
    """Bet on the winner of the last coup but one (jouer l'avant-dernier).

    Only two of one kind followed by two of the other lose. The state is the winner of the last coup
    but one, which is bet on, and that of the last.
    """

    def start(self) -> tuple[str, str]:
        """Return the first chance for both."""
        return self.begin, self.begin

    def bet(self, state: tuple[str, str]) -> Bet:
        """Bet one stake on the earlier winner."""
        return Bet(state[0], 1)

    def after(self, state: tuple[str, str], result: Result) -> tuple[str, str]:
        """Take the winner of this coup."""
        before, last = state
        if result is Result.LEVEL:
            return state
        return last, before if result is Result.WON else OPPOSITES[before]


@frozen(kw_only=True)
class TiersDuTout(_Following):
    """A third of a capital of three stakes, then the rest of the whole; on the last winner.

    A win of either gains one stake, and the system restarts; two losses cost the three.
    """

    def start(self) -> tuple[str, int]:
        """Return the first chance, and the third."""
        return self.begin, 1

    def bet(self, state: tuple[str, int]) -> Bet:
        """Bet the third, or the rest."""
        return Bet(*state)

    def after(self, state: tuple[str, int], result: Result) -> tuple[str, int]:
        """Bet the rest after the third is lost; restart after the rest."""
        chance, units = state
        if result is Result.LEVEL:
            return state
        winner = chance if result is Result.WON else OPPOSITES[chance]
        lost_third = result is Result.LOST and units == 1
        return winner, 2 if lost_third else 1
