"""Systems that follow the shoe: which of two opposite chances is bet on depends on what came.

What came is told by what became of the stake, as to every system: a stake that lost half at a
refait counts as lost, and one that came back whole from prison as if no coup had been played.
"""

from __future__ import annotations

from typing import Final, Literal

from attrs import frozen

from trente_rules.keys import key
from trente_rules.rules.chances import OPPOSITES
from trente_rules.systems.ladder import Bet, Result

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
        """Answer the first chance."""
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
        """Answer the first chance, and the third."""
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
