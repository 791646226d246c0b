"""A seat at a house with a staking system: its stakes, what they cost, and how they are played."""

from __future__ import annotations

from typing import Final, Literal

from attrs import field, frozen

from trente_rules.core.chances import Chance, Verdict
from trente_rules.core.errors import BetError, Refusal
from trente_rules.core.house.house import House
from trente_rules.core.machine import Policy
from trente_rules.core.money import MOST
from trente_rules.core.rules.limits import OF_AMOUNT
from trente_rules.core.settlement import refusals
from trente_rules.core.stakes import Opening, Stake
from trente_rules.core.systems import Bet, Ladder, System
from trente_rules.core.wager import WagerPath

Play = Literal["default", "partage", "prison"]
"""The course chosen at a refait, wherever the house offers the choice."""
PLAYS: Final = ("default", "partage", "prison")
_MOST_SUM: Final = 2**61
"""Units that the stakes of a session may come to: sums and differences of them fit in 63 bits."""
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
        paths = (
            path
            for wager in self.house.wagers_on(chance.id)
            if wager.insured is self.insured
            for path in wager.paths(stake=amount, opening=self.opening, verdicts=followed)
        )
        first = None
        for path in paths:  # one by one: most seats take the first, and following each takes long
            first = first or path
            if plays(path.policy, self.play):
                return path
        if first is not None:
            return first
        raise BetError(
            f"{self.house.name} does not play a stake of {self.house.money.text(amount)} on "
            f"{chance.id} like this",
            "not-played",
            "leave the insurance out, or choose another base stake",
        )

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
