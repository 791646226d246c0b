"""A seat at a house with a staking system, as the kernel reads it: arrays of rungs and of nodes.

A rung is one bet of the system's ladder in units of the house; a node is a state that a stake of an
exact amount can reach, with what each verdict gains it there, as the house settles it. Both are
found when the play reaches them, so a system may have endlessly many.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from threading import Lock
from typing import Any, Final, Literal

from attrs import field, frozen

from trente_rules.core.chances import Chance, Verdict
from trente_rules.core.errors import BetError, Refusal, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.machine import Policy
from trente_rules.core.money import MOST
from trente_rules.core.rules.limits import OF_AMOUNT
from trente_rules.core.settlement import refusals
from trente_rules.core.stakes import Opening, Stake
from trente_rules.core.systems import Bet, Ladder, Result, System
from trente_rules.core.wager import WagerPath
from trente_rules.simulation.arrays import Columns, columns, width_of

Play = Literal["default", "partage", "prison"]
"""The course chosen at a refait, wherever the house offers the choice."""
PLAYS: Final = ("default", "partage", "prison")
AHEAD: Final = 3
"""Rungs that are looked at when one is needed."""
MOST_KEPT: Final = 200_000
"""Rungs that are kept for the next chunk; a longer ladder is started again."""
MOST_SEATS: Final = 64
"""Seats whose rungs are kept."""
_MOST_SUM: Final = 2**61
"""Units that the stakes of a session may come to: sums and differences of them fit in 63 bits."""
_FIRST: Final = 1024
_OF_AMOUNT: Final = (
    *OF_AMOUNT,
    "inexact",
    "insurance-below-minimum",
    "insurance-not-multiple",
    "insurance-above-maximum",
)
"""Codes of refusals that another amount might escape."""


@frozen
class Seat:
    """A system at a house, amounts in units of the house.

    ``base`` is the stake that the system calls one; ``bankroll`` None is endless credit. ``label``
    is the name under which the system was given.
    """

    house: House
    label: str
    system: System
    base: int
    bankroll: int | None = None
    insured: bool = False
    play: Play = "default"
    opening: Opening = field(factory=Opening)

    def refused(self, bet: Bet) -> tuple[Refusal, ...]:
        """Return why the house does not take a bet on its own, whatever came before.

        Raises ``BetError``: "unknown-chance", "opening-needed".
        """
        self.house.chance(bet.chance)
        amount = bet.units * self.base
        if amount > MOST:
            return (Refusal("above-counted", "the stake is larger than any that is counted", ""),)
        stake = Stake("stake", "player", bet.chance, amount, insured=self.insured)
        return refusals(self.house, [stake], opening=self.opening)

    def cost(self, chance: str, amount: int) -> int:
        """Return what must be at hand to place an amount: the stake, and its premium."""
        wager = self.house.wagers.get((chance, self.insured))
        return amount + (wager.premium(amount).units if wager else 0)

    def path(self, chance: Chance, amount: int) -> WagerPath:
        """Return the steps of a stake, played as the seat plays.

        Raises ``TrenteError`` ("too-many-states"), ``BetError`` ("not-played").
        """
        followed = (*chance.verdicts, Verdict.CLOSE)
        paths = [
            path
            for wager in self.house.wagers_on(chance.id)
            if wager.insured is self.insured
            for path in wager.paths(stake=amount, opening=self.opening, verdicts=followed)
        ]
        if not paths:
            raise BetError(
                f"{self.house.name} does not play a stake of {self.house.money.text(amount)} on "
                f"{chance.id} like this",
                "not-played",
                "leave the insurance out, or choose another base stake",
            )
        return next((path for path in paths if plays(path.policy, self.play)), paths[0])

    def check(self) -> None:
        """Refuse a seat whose first bet is not taken, or cannot be paid.

        Raises ``BetError`` with the refusal's own code, or "bankroll-too-small".
        """
        first, text = Ladder(self.system).bet(0), self.house.money.text
        for refusal in self.refused(first):
            raise BetError(
                f"{self.house.name} does not take the first bet of {self.label}: {refusal.message}",
                refusal.code,
                "choose another base stake" if refusal.code in _OF_AMOUNT else "",
            )
        cost = self.cost(first.chance, first.units * self.base)
        if self.bankroll is not None and self.bankroll < cost:
            raise BetError(
                f"a bankroll of {text(self.bankroll)} does not pay the first bet of {self.label} "
                f"at {self.house.name}, {text(cost)}",
                "bankroll-too-small",
                "start with more, or with a smaller base stake",
            )


def plays(policy: Policy, play: Play) -> bool:
    """Return whether a policy takes this course at every refait that offers it."""
    taken = [course for _where, course in policy.choices if course in PLAYS]
    return play == "default" or all(course == play for course in taken)


def most_amount(session: int) -> int:
    """Return the largest stake in units that a session of so many coups can add up."""
    return min(_MOST_SUM // session, MOST)


class Rungs:
    """The arrays of a seat, which grow; several threads may play by them at once.

    The arrays a thread holds stay true: entries are added behind, and a rung that leads to one not
    yet known is only ever completed.
    """

    def __init__(self, seat: Seat, most: int) -> None:
        """Look at the first rungs; stakes above ``most`` units are not counted.

        Raises ``TrenteError`` ("above-counted"), and what ``Seat.check``, ``Seat.path`` and
        ``Ladder`` raise.
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
        self._ladder = Ladder(
            seat.system, cache(lambda bet: not seat.refused(bet)), most // seat.base
        )
        self.path = cache(lambda chance, amount: seat.path(house.chance(chance), amount))
        """The steps of a stake at this seat, by chance and amount."""
        self._start = cache(self._follow)
        self._nodes = 0
        self.rungs = np.full((_FIRST, staking_kernel.RUNG_WIDTH), -1, np.int64)
        width = self._width = width_of(house.chances)
        self.gains = np.zeros((_FIRST, width), np.int64)
        self.premiums = np.zeros((_FIRST, width), np.int64)
        self.nexts = np.full((_FIRST, width), -1, np.int64)
        self._lock = Lock()
        self.learn(0)

    def __len__(self) -> int:
        """Return how many rungs are known."""
        return len(self._ladder)

    def learn(self, rung: int) -> tuple[Any, Any, Any, Any]:
        """Look at a rung and those behind it; return rungs, gains, premiums and nexts.

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
            return self.rungs, self.gains, self.premiums, self.nexts

    def _build(self, index: int) -> None:
        layout, rung = self._columns, self._ladder.rung(index)
        chance, amount = rung.bet.chance, rung.bet.units * self._seat.base
        self.rungs = self._room(self.rungs, len(self._ladder), -1)
        line = self.rungs[index]
        line[layout.CHANCE] = self._places[chance]
        line[layout.AMOUNT] = amount
        line[layout.COST] = self._seat.cost(chance, amount)
        line[layout.NEXT : layout.NEXT + len(Result)] = rung.nexts
        line[layout.CUT : layout.CUT + len(Result)] = rung.cut
        line[layout.NODE] = self._start(chance, amount)  # last: a node says that all is known

    def _room(self, array: Any, needed: int, empty: int) -> Any:
        """Return the array, or a larger copy where so many lines have no room."""
        if needed <= len(array):
            return array
        more = max(len(array), needed - len(array))
        return self._np.pad(array, ((0, more), (0, 0)), constant_values=empty)

    def _follow(self, chance: str, amount: int) -> int:
        """Add the nodes of a stake, and return the one it starts from."""
        path = self.path(chance, amount)
        nodes = tuple(_nodes(path, amount, columns(path.chance, self._width)))
        first = self._nodes
        self.gains = self._room(self.gains, first + len(nodes), 0)
        self.premiums = self._room(self.premiums, first + len(nodes), 0)
        self.nexts = self._room(self.nexts, first + len(nodes), -1)
        for place, (gained, paid, then) in enumerate(nodes, first):
            self.gains[place], self.premiums[place] = gained, paid
            self.nexts[place] = [-1 if n < 0 else first + n for n in then]
        self._nodes += len(nodes)
        return first


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


_kept: Final[dict[tuple[Seat, int], Rungs]] = {}
_lock: Final = Lock()


def rungs_of(seat: Seat, session: int) -> Rungs:
    """Return the rungs of a seat for sessions of so many coups, as far as they are known.

    Raises ``TrenteError`` and ``BetError`` as ``Rungs``.
    """
    try:
        with _lock:
            name = seat, most_amount(session)
            rungs = _kept.pop(name, None)
            if rungs is None or len(rungs) > MOST_KEPT:
                rungs = Rungs(*name)
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
