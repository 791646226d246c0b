"""The stakes that one coup sends to prison, as one automaton whose transitions are counted.

All of them hear the same outcomes from then on. A state is the list of (wager, node, net so far),
a letter is a class of outcomes that every chance judges alike; one more letter is the close at the
end of a shoe. The run counts transitions, and what has ended is made of the counts afterwards: its
cost does not depend on how many wagers there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from attrs import frozen

from trente_rules.core.coup import OUTCOMES

MOST_STATES: Final = 2048
"""Where a house needs more states, each prisoner is followed alone: shipped houses need 27."""
Held = tuple[int, int, int]
"""A stake in prison: its wager, its node, its net so far."""


@frozen(eq=False)
class Automaton:
    """The automaton of one house.

    ``letters`` has the letter of each outcome, ``entered`` the state that a letter leads to from
    a coup with stakes on every wager (0: none is in prison), ``then`` the state that follows a
    state and a letter (0: all have ended). What ends at a transition is in ``wagers`` and ``nets``
    from ``first[transition]`` to the next.
    """

    letters: Any
    entered: Any
    then: Any
    first: Any
    wagers: Any
    nets: Any

    @property
    def close(self) -> int:
        """The letter of the close at the end of a shoe, the last one."""
        return len(self.entered) - 1


def automaton(verdicts: Any, starts: Any, gains: Any, nexts: Any) -> Automaton | None:
    """Return the automaton of the tables of a house, None where it has too many states."""
    import numpy as np  # noqa: PLC0415 - of the extra

    walk = _Reached(verdicts.tolist(), starts.tolist(), gains.tolist(), nexts.tolist())
    entered = [walk.state(walk.entered(outcome)) for outcome in walk.outcomes]
    then = [0] * (len(entered) + 1)
    first = [0] * (len(then) + 1)
    wagers: list[int] = []
    nets: list[int] = []
    for held in walk.states:
        if len(walk.states) > MOST_STATES:
            return None
        for outcome in (*walk.outcomes, None):
            ends, left = walk.moved(held, outcome)
            then.append(walk.state(left))
            wagers += [wager for wager, _node, _net in ends]
            nets += [net for _wager, _node, net in ends]
            first.append(len(wagers))
    return Automaton(
        np.array(walk.letters, np.uint8),
        np.array([*entered, 0], np.int64),
        *(np.array(numbers, np.int64) for numbers in (then, first, wagers, nets)),
    )


class _Reached:
    """The states in the order in which they were reached, numbered from 1; in 0 all have ended."""

    def __init__(
        self,
        verdicts: list[list[int]],
        starts: list[list[int]],
        gains: list[list[int]],
        nexts: list[list[int]],
    ) -> None:
        """Class outcomes by the verdicts of the chances on which stakes go to prison."""
        self._verdicts, self._gains, self._nexts = verdicts, gains, nexts
        self._close = len(gains[0]) - 1 if gains else 0
        self._starts = [
            (wager, chance, node)
            for wager, (chance, node) in enumerate(starts)
            if max(nexts[node]) >= 0
        ]
        self._chances = {wager: chance for wager, chance, _node in self._starts}
        named = sorted(set(self._chances.values()))
        classes: dict[tuple[int, ...], int] = {}
        self.outcomes: list[int] = []
        self.letters: list[int] = []
        for outcome in range(OUTCOMES):
            met = tuple(verdicts[chance][outcome] for chance in named)
            if met not in classes:
                classes[met] = len(classes)
                self.outcomes.append(outcome)
            self.letters.append(classes[met])
        self.states: list[tuple[Held, ...]] = []
        self._numbers: dict[tuple[Held, ...], int] = {(): 0}

    def state(self, held: Iterable[Held]) -> int:
        """Return the number of a state, which is new or known."""
        key = tuple(held)
        if key not in self._numbers:
            self.states.append(key)
            self._numbers[key] = len(self.states)
        return self._numbers[key]

    def entered(self, outcome: int) -> list[Held]:
        """Return the stakes in prison after a coup with a stake on every wager."""
        placed = tuple((wager, node, 0) for wager, _chance, node in self._starts)
        return self.moved(placed, outcome)[1]

    def moved(self, held: tuple[Held, ...], outcome: int | None) -> tuple[list[Held], list[Held]]:
        """Return the stakes that an outcome (None: the close) ends, and those that stay."""
        ends: list[Held] = []
        left: list[Held] = []
        for wager, node, net in held:
            column = self._close
            if outcome is not None:
                column = self._verdicts[self._chances[wager]][outcome]
            then = self._nexts[node][column]
            stays = outcome is not None and then >= 0
            (left if stays else ends).append((wager, then, net + self._gains[node][column]))
        return ends, left
