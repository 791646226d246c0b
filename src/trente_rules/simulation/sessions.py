"""The law of a session of a staking system, exactly: ruin by coup, final bankroll, mean stakes.

Coups are independent, with the odds of a fresh shoe. The state is what the system bets next, or
where its stake waits and what it has lost so far, and the bankroll; the probability of every state
is moved coup by coup. Whatever a rule does is read from the steps of a stake, whatever a system
does from its ladder. Arithmetic is in floats; what is left out is added up, so that the error has a
bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache, cached_property
from itertools import accumulate
from math import gcd
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.compiled import fast_installed
from trente_rules.core.errors import TrenteError
from trente_rules.core.systems import Ladder, Result
from trente_rules.odds.advantage import VerdictOdds, law_of
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.simulation.compiled import session_kernel
from trente_rules.simulation.seat import Seat, most_amount

MOST_MOVES: Final = 1_500_000_000
"""Moves of a probability that are made before a session counts as out of reach: some seconds."""
MOST_MOVES_PLAIN: Final = 20_000_000
"""The same in plain Python."""
MOST_ERROR: Final = 0.0005
"""The largest error of a ruin that is printed."""
_QUICK: Final = 1_000_000
MOST_STATES: Final = 20_000
TOLERANCE: Final = 1e-9
"""The most of the probability of a session that is left out because it is too rare."""
_MOST_MONEY: Final = 2**41
_FINEST: Final = 20
"""Steps of the grid of bankrolls in a base stake, at most; finer gains are rounded to it."""
_FINEST_IN_PRISON: Final = 2
"""The same for gains of a stake in prison, which are rarer."""
_UNKNOWN: Final = (0, 0, 0, 0)
_ROUNDED: Final = 2.0**-53
_ENDED: Final = 1e-18
_NEVER: Final = -(2**62)


@frozen
class SessionLaw:
    """The law of a session on independent coups; amounts in units of the house.

    ``ruined`` is the probability that the session has ended in ruin before each of its coups.
    ``finals`` are the bankrolls at the end (without a bankroll: the nets) with their probabilities.
    ``staked``, ``bets`` and ``coups`` are means of a session. ``error`` bounds the error of
    ``ruin``: what was left out, rounding, and gains that are finer than the grid of bankrolls.
    """

    seat: Seat
    session: int
    ruined: tuple[float, ...] = field(repr=False)
    finals: Mapping[int, float] = field(repr=False)
    staked: float
    bets: float
    coups: float
    error: float

    @property
    def ruin(self) -> float | None:
        """The probability of ruin, None with endless credit."""
        return None if self.seat.bankroll is None else self.ruined[-1]

    @cached_property
    def mean(self) -> float:
        """The mean of the final bankroll."""
        return sum(money * p for money, p in self.finals.items())

    def quantile(self, part: float) -> int:
        """Return the least bankroll that at least this part of sessions does not exceed."""
        so_far = zip(self.finals, accumulate(self.finals.values()), strict=True)
        return next((money for money, below in so_far if below >= part), max(self.finals))

    def to_json(self) -> dict[str, Any]:
        """Return ruin, its error, means and quantiles of a session."""
        return {
            "ruin": self.ruin,
            "error": self.error,
            "staked": self.staked,
            "bets": self.bets,
            "coups": self.coups,
            "final": {
                "mean": self.mean,
                "quantiles": {
                    f"{part:g}": self.quantile(part)
                    for part in (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
                },
            },
        }


@frozen
class _Move:
    """A change of state: its probability, the gain in steps of the grid, the state that follows."""

    chance: float
    gain: int
    target: int


@frozen
class _State:
    """A state of a session: the next bet (``stake`` above 0), or a stake in prison.

    ``cost`` is the least bankroll that pays for the bet, in steps of the grid from the first one.
    """

    cost: int
    stake: int
    moves: tuple[_Move, ...]


class _Chain:
    """The states of a session, found as they are reached; state 0 is ruin, state 1 the start.

    A state is the rung of the next bet, or a rung, a node of its stake and what has come back of
    that stake so far: the sign of the sum decides how the system continues.
    """

    def __init__(self, seat: Seat, session: int, odds: VerdictOdds, *, up: bool) -> None:
        """Look at the first bet; ``up`` is how gains between the steps of the grid are rounded.

        Raises as ``Seat.check``.
        """
        seat.check()
        self.seat, self._up, most = seat, up, most_amount(session)
        self.ladder = Ladder(
            seat.system, cache(lambda bet: not seat.refused(bet)), most // seat.base
        )
        self._path = cache(lambda chance, amount: seat.path(seat.house.chance(chance), amount))
        self._law = cache(lambda chance: law_of(seat.house.chance(chance), odds))
        self.names: list[tuple[int, str, int]] = [(0, "ruined", 0), (0, "", 0)]
        self._numbers = {(0, "", 0): 1}
        self.known: dict[int, _State] = {0: _State(_NEVER, 0, ())}
        self.grid, self.rounds = self._grid(), False
        """Units in a step of the grid of bankrolls, and whether some gain was rounded to it."""

    def _grid(self) -> int:
        """Return the largest step that the gains of the first stake need, within the finest."""
        bet = self.ladder.bet(0)
        amount = grid = bet.units * self.seat.base
        for node, steps in enumerate(self._path(bet.chance, amount).steps.values()):
            finest = _FINEST_IN_PRISON if node else _FINEST
            for verdict, step in steps.items():
                gain = int(step.back * amount) - (0 if node else amount)
                finer = gcd(grid, self.seat.base, gain)
                if self._law(bet.chance).get(verdict) and self.seat.base <= finest * finer:
                    grid = finer
        return gcd(grid, self.seat.base)

    def _on_grid(self, gain: int) -> int:
        steps, rest = divmod(gain, self.grid)
        self.rounds = self.rounds or bool(rest)
        return steps + (1 if rest and self._up else 0)

    def learn(self, number: int) -> _State:
        """Return a state; what follows it is given a number.

        Raises ``TrenteError``: "out-of-reach", "bad-system", "too-many-states".
        """
        state = self.known.get(number)
        if state is None:
            state = self.known[number] = self._built(*self.names[number])
            if len(self.known) > MOST_STATES:
                raise _reach_error(self.seat, f"it reaches more than {MOST_STATES:,} states")
        return state

    def _built(self, rung: int, node: str, so_far: int) -> _State:
        seat, bet = self.seat, self.ladder.bet(rung)
        amount = bet.units * seat.base
        path, law = self._path(bet.chance, amount), self._law(bet.chance)
        first = next(iter(path.steps))
        moves: dict[tuple[int, int], float] = defaultdict(float)
        for verdict, step in path.steps[node or first].items():
            if not (chance := float(law.get(verdict, 0))):
                continue
            gain = int(step.back * amount) - (0 if node else amount)
            total = so_far + gain + int(step.premium * amount)
            if step.target:
                target = self._number(rung, step.target, total)
            else:
                result = Result.LEVEL if not total else Result.WON if total > 0 else Result.LOST
                target = self._number(self.ladder.rung(rung).nexts[result], "", 0)
            moves[self._on_grid(gain), target] += chance
        listed = tuple(_Move(chance, *where) for where, chance in moves.items())
        if node:
            return _State(_NEVER, 0, listed)
        if seat.bankroll is None:
            return _State(_NEVER, amount, listed)
        lacking = seat.bankroll - seat.cost(bet.chance, amount)
        return _State(-(lacking // self.grid), amount, listed)

    def _number(self, *name: Any) -> int:
        if name not in self._numbers:
            self._numbers[name] = len(self.names)
            self.names.append(name)
        return self._numbers[name]


def session_law(
    seat: Seat,
    *,
    session: int = 1000,
    odds: VerdictOdds | None = None,
    most: int | None = None,
) -> SessionLaw:
    """Return the law of a session of so many coups at a seat.

    Coups are independent, each with the odds of a fresh shoe, and no shoe ends: a stake in prison
    waits for the next coup. Else a session is played as ``simulate_systems`` plays it. ``most`` is
    how many moves of a probability are made at most; plain Python makes fewer than numba.

    Raises ``TrenteError`` "out-of-reach" where the session has too many states, where a limit of
    the house looks at earlier bets of the shoe, or where amounts are too large; "bad-session",
    "bad-system", "too-many-states"; ``BetError`` as ``simulate_systems``.
    """
    if type(session) is not int or session < 1:
        raise TrenteError(
            f"a session of {session!r} coups cannot be played",
            "bad-session",
            "a whole number from 1",
        )
    if seat.house.limits_table.progression is not None:
        raise _reach_error(seat, "the house measures a bet by earlier ones of the same shoe")
    if (seat.bankroll or 0) >= _MOST_MONEY:
        raise _reach_error(seat, "its bankroll has too many units")
    law = odds or fresh_shoe(seat.house.shoe.packs)
    down = _moved(_Chain(seat, session, law, up=False), session, most)
    if not down.chain.rounds:
        return _law_of(seat, session, (down,))
    up = _moved(_Chain(seat, session, law, up=True), session, most)
    return _law_of(seat, session, (down, up))


def law_or_reason(seat: Seat, session: int) -> SessionLaw | str:
    """Return the law of a session for a report, or why it has none; "" with endless credit.

    Plain Python makes few moves here, so that a report does not wait.
    """
    if seat.bankroll is None:
        return ""
    try:
        law = session_law(seat, session=session, most=None if fast_installed() else _QUICK)
    except TrenteError as error:
        if error.code != "out-of-reach":
            raise
        return error.message
    if law.error > MOST_ERROR:
        return f"the error of the exact ruin of {seat.label} is above {MOST_ERROR:.2%}"
    return law


def _moved(chain: _Chain, session: int, most: int | None) -> _Moving:
    """Return a session that was played to its end, prisoners released."""
    if fast_installed():
        moving: _Moving = _Fast(chain, MOST_MOVES if most is None else most)
    else:
        moving = _Plain(chain, MOST_MOVES_PLAIN if most is None else most)
    for _coup in range(session):
        moving.step(TOLERANCE / (2 * session), closing=False)
        moving.ruined.append(moving.ruin)
    while moving.waiting() > _ENDED:
        moving.step(_ENDED, closing=True)
    return moving


def _law_of(seat: Seat, session: int, ends: tuple[_Moving, ...]) -> SessionLaw:
    """Return the middle of the laws with gains rounded down and up, which hold ruin between them.

    A larger bankroll is never ruined sooner on the same coups, because no bet depends on it.
    """
    finals: dict[int, float] = defaultdict(float)
    rounded = 0.0
    for one in ends:
        arrivals = sum(len(state.moves) for state in one.chain.known.values())
        steps = session + one.closings
        rounded = max(rounded, one.lost + steps * (arrivals + 2) * _ROUNDED)
        for place, mass in one.finals().items():
            finals[(seat.bankroll or 0) + place * one.chain.grid] += mass / len(ends)
    ruined = tuple(
        (one + other) / 2 for one, other in zip(ends[0].ruined, ends[-1].ruined, strict=True)
    )
    between = abs(ends[0].ruin - ends[-1].ruin) / 2
    return SessionLaw(
        seat=seat,
        session=session,
        ruined=ruined,
        finals=dict(sorted(finals.items())),
        staked=sum(one.staked for one in ends) / len(ends),
        bets=sum(one.bets for one in ends) / len(ends),
        coups=sum(one.coups for one in ends) / len(ends),
        error=between + rounded,
    )


class _Moving:
    """Probabilities that are moved coup by coup, and what is added up of them."""

    def __init__(self, chain: _Chain, most: int) -> None:
        self.chain, self.most = chain, most
        self.staked = self.bets = self.coups = self.ruin = self.lost = 0.0
        self.moves = self.closings = 0
        self.ruined: list[float] = []

    def step(self, tolerance: float, *, closing: bool) -> None:
        """Move every probability by one coup; at most ``tolerance`` is left out."""
        raise NotImplementedError

    def waiting(self) -> float:
        """Return the probability that a stake is still in prison."""
        raise NotImplementedError

    def finals(self) -> dict[int, float]:
        """Return the probability of each bankroll, in steps of the grid from the first one."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise ``TrenteError`` ("out-of-reach") where too much work was done."""
        if self.moves > self.most:
            raise _reach_error(
                self.chain.seat, f"it takes more than {self.most:,} moves of a probability"
            )


class _Plain(_Moving):
    """The same in plain Python: slow, and right."""

    def __init__(self, chain: _Chain, most: int) -> None:
        super().__init__(chain, most)
        self._masses: dict[tuple[int, int], float] = {(1, 0): 1.0}

    def step(self, tolerance: float, *, closing: bool) -> None:
        """Move every probability by one coup; at most ``tolerance`` is left out."""
        masses: dict[tuple[int, int], float] = defaultdict(float)
        least = tolerance / max(len(self._masses), 1)
        self.closings += closing
        for key, mass in self._masses.items():
            number, money = key
            if mass < least:
                self.lost += mass
                continue
            state = self.chain.learn(number)
            if not number or (closing and state.stake):
                masses[key] += mass
                continue
            if money < state.cost:
                self.ruin += mass
                masses[0, money] += mass
                continue
            self.coups += mass
            self.staked += mass * state.stake
            self.bets += mass if state.stake else 0.0
            self.moves += len(state.moves)
            for move in state.moves:
                masses[move.target, money + move.gain] += mass * move.chance
        self._masses = masses
        self.check()

    def waiting(self) -> float:
        """Return the probability that a stake is still in prison."""
        return sum(m for (n, _), m in self._masses.items() if n and not self.chain.learn(n).stake)

    def finals(self) -> dict[int, float]:
        """Return the probability of each bankroll."""
        finals: dict[int, float] = defaultdict(float)
        for (_number, money), mass in self._masses.items():
            finals[money] += mass
        return dict(finals)


class _Fast(_Moving):
    """The same in compiled code: a window of bankrolls for each state."""

    def __init__(self, chain: _Chain, most: int) -> None:
        super().__init__(chain, most)
        import numpy as np  # noqa: PLC0415 - of the extra

        self._np, self._kernel = np, session_kernel()
        self._windows = np.array([[0, 0, 0], [0, 1, 0]], np.int64)
        self._masses, self._room = np.ones(1), np.zeros(1)
        self._totals = np.zeros(self._kernel.TOTALS)
        self._rows: list[tuple[int, ...]] = []
        self._moves: list[_Move] = []
        self._arrays: tuple[Any, ...] = ()
        self._unknown = np.zeros(0, np.bool_)
        self._count = 0

    def step(self, tolerance: float, *, closing: bool) -> None:
        """Move every probability by one coup; at most ``tolerance`` is left out."""
        np, kernel = self._np, self._kernel
        self.closings += closing
        least = tolerance / max(self._count, 1)
        self._learn(tolerance / len(self._windows))
        nexts = np.zeros((len(self.chain.names), kernel.WINDOW_WIDTH), np.int64)
        cut = np.zeros_like(self._windows)
        while True:
            totals = self._totals.copy()
            needed = kernel.moved(
                *(self._windows, self._masses, *self._arrays, least, closing),
                *(cut, nexts, self._room, totals),
            )
            if needed <= len(self._room):
                break
            self._room = np.zeros(2 * needed)
        self._windows, self._count, self._totals = nexts, needed, totals
        self._masses, self._room = self._room, self._masses
        self.staked, self.bets, self.coups, self.ruin, self.lost, moves = totals.tolist()
        self.moves = int(moves)
        self.check()

    def _learn(self, least: float) -> None:
        """Write the states that are reached for the first time, and not too rarely, into arrays."""
        np, kernel, before = self._np, self._kernel, len(self._moves)
        more = len(self._windows) - len(self._rows)
        self._rows += [_UNKNOWN] * more
        self._unknown = np.concatenate([self._unknown, np.ones(more, np.bool_)])
        widths = self._windows[:, kernel.HIGH] - self._windows[:, kernel.LOW]
        for number in np.flatnonzero(self._unknown & (widths > 0)).tolist():
            place = self._windows[number, kernel.PLACE]
            if self._masses[place : place + widths[number]].sum() >= least:
                state, first = self.chain.learn(number), len(self._moves)
                self._moves += state.moves
                self._rows[number] = state.cost, state.stake, first, len(self._moves)
                self._unknown[number] = False
        if not more and len(self._moves) == before:
            return
        self._arrays = (
            np.array(self._rows, np.int64),
            np.array([move.chance for move in self._moves]),
            np.array([move.gain for move in self._moves], np.int64),
            np.array([move.target for move in self._moves], np.int64),
        )

    def waiting(self) -> float:
        """Return the probability that a stake is still in prison."""
        self._learn(0.0)
        return sum(
            float(self._masses[place : place + high - low].sum())
            for (low, high, place), row in zip(
                self._windows.tolist()[1:], self._rows[1:], strict=True
            )
            if not row[self._kernel.STAKE]
        )

    def finals(self) -> dict[int, float]:
        """Return the probability of each bankroll, in steps of the grid from the first one."""
        finals: dict[int, float] = defaultdict(float)
        for low, high, place in self._windows.tolist():
            masses = self._masses[place : place + high - low].tolist()
            for money, mass in enumerate(masses, low):
                if mass:
                    finals[money] += mass
        return dict(finals)


def _reach_error(seat: Seat, why: str) -> TrenteError:
    return TrenteError(
        f"the law of a session of {seat.label} at {seat.house.name} is out of reach: {why}",
        "out-of-reach",
        "take a shorter session or a smaller bankroll, or simulate it",
    )
