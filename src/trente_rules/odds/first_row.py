"""The odds of a coup once its first row is dealt: what old Hoyles print as weights 13 to 4.

Given the point of the first row, the second row and with it every chance is still open. The law is
that of the coup, of the outcomes with this first point alone, divided by how likely they are: no
card is removed that is not in the law already.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Final

from attrs import frozen

from trente_rules.core.coup import POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.odds.coup_odds import CoupOdds, verdicts_of
from trente_rules.odds.fast import FastOdds

_FIRST: Final = POINTS[0]
_OF_POINT: Final = 4 * len(POINTS)
"""How many outcomes have one first point: each second point, and two colours of first cards."""


@frozen(slots=False)
class FirstRow:
    """The odds of a completed coup, given that its first row ended on ``point``.

    ``odds`` are those of the coup before a card is dealt. Raises ``TrenteError`` ("bad-first-row")
    for a point that no row has, or that these cards cannot reach in a completed coup.
    """

    odds: CoupOdds | FastOdds
    point: int

    def __attrs_post_init__(self) -> None:
        """Check the point."""
        if self.point not in POINTS:
            raise TrenteError(
                f"a first row of {self.point}", "bad-first-row", "a row ends on 31 to 40"
            )
        if not self.probability:
            raise TrenteError(
                f"a first row of {self.point}, then a second, cannot be dealt from these cards",
                "bad-first-row",
                "give another point, or the cards that were left before the coup",
            )

    @property
    def deal(self) -> str:
        """The name of the deal."""
        return self.odds.deal

    @cached_property
    def probability(self) -> Fraction:
        """How likely a coup is completed with this first point."""
        return sum(map(Fraction, self._line), Fraction(0))

    @property
    def _line(self) -> tuple[Fraction, ...] | tuple[float, ...]:
        return self.odds.joint()[self.point - _FIRST]

    def second(self) -> tuple[Fraction, ...]:
        """Return the probability of each point of the second row, 31 to 40; they sum to one."""
        return tuple(Fraction(part) / self.probability for part in self._line)

    def verdicts(self, table: bytes) -> tuple[Fraction, ...]:
        """Return the probability of each verdict of a chance, by its table; they sum to one.

        Raises ``TrenteError`` as the odds of the coup do ("bad-verdicts", "needs-exact").
        """
        # Every other first point gets a verdict of its own, which is then left out.
        count = verdicts_of(table)
        start = _OF_POINT * (self.point - _FIRST)
        mine = table[start : start + _OF_POINT]
        other = bytes([count])
        masked = other * start + mine + other * (len(table) - start - _OF_POINT)
        parts = self.odds.verdicts(masked)[:count]
        whole = sum(parts, Fraction(0))
        return tuple(part / whole for part in parts)
