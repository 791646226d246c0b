"""The bets of a seat as the kernel reads them: arrays of rungs and of nodes.

A rung is one bet in units of the house; a node is a state that a stake of an exact amount can
reach, with what each verdict gains it there, as the house settles it. Both are found when the play
reaches them. ``Rungs`` has a rung for each state of any system. A system that is a list of numbers
(Labouchère) has endlessly many states and few amounts: ``LineRungs`` has a rung for each amount,
and the kernel plays the list itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from threading import Lock
from typing import Any, Final

from trente_rules.core.errors import TrenteError
from trente_rules.core.systems import Bet, Labouchere, Ladder, Restart, Result, line_of
from trente_rules.core.wager import WagerPath
from trente_rules.simulation.arrays import Columns, columns, width_of
from trente_rules.simulation.seat import Seat, most_amount

AHEAD: Final = 3
"""Rungs that are looked at when one is needed."""
MOST_KEPT: Final = 200_000
"""Rungs that are kept for the next chunk; a longer ladder is started again."""
MOST_SEATS: Final = 64
"""Seats whose rungs are kept."""
_FIRST: Final = 1024
_SLOTS: Final = 256
_EMPTY: Final = -1


class _Stakes:
    """The nodes of a seat's stakes, which grow; several threads may play by them at once.

    Entries are added behind, and where one array has no room all of them are replaced: the arrays
    that ``learn`` has given out stay true of each other, whatever other threads need afterwards.
    """

    def __init__(self, seat: Seat, most: int) -> None:
        """Check the first bet of a seat; stakes above ``most`` units are not counted.

        Raises ``TrenteError`` ("above-counted"), and what ``Seat.check`` raises.
        """
        import numpy as np  # noqa: PLC0415 - of the extra

        from trente_rules.simulation import staking_kernel  # noqa: PLC0415 - imports numba

        self._np, self._columns = np, staking_kernel
        seat.check()
        first = Ladder(seat.system).bet(0).units * seat.base
        if first > most:
            text = seat.house.money.text
            raise TrenteError(
                f"the first bet of {seat.label} is {text(first)}, and the simulation counts stakes "
                f"up to {text(most)} in sessions of this length",
                "above-counted",
                "choose a smaller base stake, or shorter sessions",
            )
        self._seat, house = seat, seat.house
        self._places = {chance.id: n for n, chance in enumerate(house.chances)}
        self.path = cache(lambda chance, amount: seat.path(house.chance(chance), amount))
        """The steps of a stake at this seat, by chance and amount."""
        self._start = cache(self._follow)
        self._nodes = 0
        self.rungs = np.full((_FIRST, staking_kernel.RUNG_WIDTH), -1, np.int64)
        width = self._width = width_of(house.chances)
        self.gains = np.zeros((_FIRST, width), np.int64)
        self.premiums = np.zeros((_FIRST, width), np.int64)
        self.nexts = np.full((_FIRST, width), -1, np.int64)
        self.first = 0
        """What is learnt for the first bet."""
        self.most = most // seat.base
        """The most base stakes that are counted."""
        self.writes = int(Result.LOST)
        """The result that writes the bet into a list."""
        self.slots = np.full((0, 2), _EMPTY, np.int64)
        """The rungs by number, of ``LineRungs``."""
        self._lock = Lock()

    @property
    def arrays(self) -> tuple[Any, Any, Any, Any, Any]:
        """Return rungs, gains, premiums, nexts and slots, as the kernel takes them."""
        return self.rungs, self.gains, self.premiums, self.nexts, self.slots

    def line(self, coups: int) -> tuple[Any, Any]:  # noqa: ARG002 - a list needs them
        """Return a list of numbers and room for it: none."""
        nothing = self._np.zeros(0, self._np.int64)
        return nothing, nothing

    def _write(self, index: int, bet: Bet) -> Any:
        """Write a bet into the row of its rung, and return the row; its node comes last."""
        layout, amount = self._columns, bet.units * self._seat.base
        line = self.rungs[index]
        line[layout.CHANCE] = self._places[bet.chance]
        line[layout.AMOUNT] = amount
        line[layout.COST] = self._seat.cost(bet.chance, amount)
        return line

    def _room(self, *, rungs: int = 0, nodes: int = 0, slots: int = 0) -> None:
        """Replace every array by a copy where so many lines have no room in one of them.

        A thread that holds the arrays as they were would else find a new rung in the one, and not
        its node in the other.
        """
        if rungs <= len(self.rungs) and nodes <= len(self.gains) and slots <= len(self.slots):
            return
        self.rungs = self._copied(self.rungs, rungs, -1)
        self.gains = self._copied(self.gains, nodes, 0)
        self.premiums = self._copied(self.premiums, nodes, 0)
        self.nexts = self._copied(self.nexts, nodes, -1)
        self.slots = self._copied(self.slots, slots, _EMPTY)

    def _copied(self, array: Any, needed: int, empty: int) -> Any:
        """Return a copy of an array, twice as long or longer where so many lines have no room."""
        more = max(len(array), needed - len(array)) if needed > len(array) else 0
        return self._np.pad(array, ((0, more), (0, 0)), constant_values=empty)

    def _follow(self, chance: str, amount: int) -> int:
        """Add the nodes of a stake, and return the one it starts from."""
        path = self.path(chance, amount)
        nodes = tuple(_nodes(path, amount, columns(path.chance, self._width)))
        first = self._nodes
        self._room(nodes=first + len(nodes))
        for place, (gained, paid, then) in enumerate(nodes, first):
            self.gains[place], self.premiums[place] = gained, paid
            self.nexts[place] = [-1 if n < 0 else first + n for n in then]
        self._nodes += len(nodes)
        return first


class Rungs(_Stakes):
    """The rungs of any system: one for each of its states.

    A rung that leads to one not yet known is only ever completed.
    """

    def __init__(self, seat: Seat, most: int) -> None:
        """Look at the first rungs. Raises as ``_Stakes``, and what ``Ladder`` raises."""
        super().__init__(seat, most)
        self.wanted: int = self._columns.RUNG
        """The place in the state of a session where it says what it stopped for."""
        self._ladder = Ladder(seat.system, cache(lambda bet: not seat.refused(bet)), self.most)
        self.learn(self.first)

    def __len__(self) -> int:
        """Return how many rungs are known."""
        return len(self._ladder)

    def learn(self, rung: int) -> tuple[Any, Any, Any, Any, Any]:
        """Look at a rung and those behind it; return the arrays.

        Raises ``TrenteError``: "bad-system", "too-many-rungs", "too-many-states".
        """
        with self._lock:
            order, seen = [rung], {rung}
            for index in order:
                if self.rungs[index, self._columns.NODE] < 0:
                    self._build(index)
                if len(order) < AHEAD:
                    then = [n for n in self._ladder.rung(index).nexts if n not in seen]
                    order.extend(dict.fromkeys(then))
                    seen.update(then)
            return self.arrays

    def _build(self, index: int) -> None:
        layout, rung = self._columns, self._ladder.rung(index)
        node = self._start(rung.bet.chance, rung.bet.units * self._seat.base)
        self._room(rungs=len(self._ladder))
        line = self._write(index, rung.bet)
        line[layout.NEXT : layout.NEXT + len(Result)] = rung.nexts
        line[layout.CUT : layout.CUT + len(Result)] = rung.cut
        line[layout.NODE] = node  # last: a node says that all is known


class LineRungs(_Stakes):
    """The rungs of a system that is its line: one for each number that it bets.

    ``slots`` finds the rung of a number by hashing: rows of (number, rung), the rung negative where
    the house does not take the bet.
    """

    def __init__(self, seat: Seat, most: int, system: Labouchere) -> None:
        """Look at the first bet. Raises as ``_Stakes``."""
        super().__init__(seat, most)
        self.wanted: int = self._columns.UNITS
        """The place in the state of a session where it says what it stopped for."""
        self._system, self.writes = system, int(system.writes)
        self._known = 0
        self.slots = self._np.full((_SLOTS, 2), _EMPTY, self._np.int64)
        self._found: dict[int, int] = {}
        self.first = system.bet(system.start()).units
        self.learn(self.first)

    def __len__(self) -> int:
        """Return how many rungs are known."""
        return self._known

    def line(self, coups: int) -> tuple[Any, Any]:
        """Return the line of numbers, and room for it in a session of so many coups.

        A coup writes at most one number, so that the room always suffices. A number that is larger
        than what is counted stays so when it is cut to one more than that.
        """
        np, numbers = self._np, [min(number, self.most + 1) for number in self._system.line]
        room = 2 ** (len(numbers) + coups + 1).bit_length()
        return np.array(numbers, np.int64), np.zeros(room, np.int64)

    def learn(self, units: int) -> tuple[Any, Any, Any, Any, Any]:
        """Look at a number that is bet; return the arrays.

        Raises ``TrenteError``: "too-many-states".
        """
        with self._lock:
            if units not in self._found:
                bet = Bet(self._system.chance, units)
                rung = -int(Restart.HOUSE) if self._seat.refused(bet) else self._known
                if rung >= 0:
                    node = self._start(bet.chance, units * self._seat.base)
                    self._room(rungs=rung + 1)
                    self._write(rung, bet)[self._columns.NODE] = node
                    self._known += 1
                self._keep(units, rung)
            return self.arrays

    def _keep(self, units: int, rung: int) -> None:
        """Find room for a number among the slots; at most half of them are in use."""
        self._found[units] = rung
        if 2 * len(self._found) > len(self.slots):
            self._room(slots=2 * len(self.slots))
            self.slots[:] = _EMPTY
            for each in self._found.items():
                self._put(*each)
        else:
            self._put(units, rung)

    def _put(self, units: int, rung: int) -> None:
        place = units * self._columns.SPREAD % len(self.slots)
        while self.slots[place, 0] != _EMPTY:
            place = (place + 1) % len(self.slots)
        self.slots[place, 1] = rung
        self.slots[place, 0] = units  # last: another thread may be reading


def _nodes(
    path: WagerPath, amount: int, verdicts: Columns
) -> Iterator[tuple[list[int], list[int], list[int]]]:
    """Return each state: gains and premiums in units, and the states that follow, by verdict."""
    numbers = {state: n for n, state in enumerate(path.steps)}
    for state, there in path.steps.items():
        width = len(verdicts)
        gained, paid, then = [0] * width, [0] * width, [-1] * width
        for verdict, step in there.items():
            place = verdicts.index(verdict)
            gained[place] = int(step.back * amount) - (0 if numbers[state] else amount)
            paid[place] = int(step.premium * amount)
            then[place] = numbers[step.target] if step.target else -1
        yield gained, paid, then


_kept: Final[dict[tuple[Seat, int], Rungs | LineRungs]] = {}
_lock: Final = Lock()


def rungs_of(seat: Seat, session: int) -> Rungs | LineRungs:
    """Return the rungs of a seat for sessions of so many coups, as far as they are known.

    Raises ``TrenteError`` and ``BetError`` as ``Rungs``.
    """
    try:
        with _lock:
            name = seat, most_amount(session)
            rungs = _kept.pop(name, None)
            if rungs is None or len(rungs) > MOST_KEPT:
                line = line_of(seat.system)
                rungs = Rungs(*name) if line is None else LineRungs(*name, line)
            _kept[name] = rungs  # at the end: the seats not asked for longest are the first to go
            if len(_kept) > MOST_SEATS:
                del _kept[next(iter(_kept))]
            return rungs
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        raise TrenteError(
            f"the system {seat.label!r} cannot be kept: {error}",
            "bad-system",
            "a system is a frozen value",
        ) from error
