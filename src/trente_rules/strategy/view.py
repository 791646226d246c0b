"""What a strategy sees and answers, and what it came to; amounts in units of the house."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from attrs import field, frozen

from trente_rules.analysis.remaining import Composition
from trente_rules.deal.cards import Card
from trente_rules.deal.coup import Coup
from trente_rules.errors import TrenteError
from trente_rules.house.house import House
from trente_rules.stakes import Stake
from trente_rules.systems.ladder import Result


@frozen
class TableBet:
    """A bet on the next coup: ``amount`` in units of the house.

    ``insured`` pays the premium, and again for each coup in prison that the house insures.
    ``course`` is what is chosen wherever it is offered ("partage", "prison"), empty for the
    house's default.
    """

    chance: str
    amount: int
    insured: bool = False
    course: str = ""


@frozen
class Ended:
    """A stake that has left: what the player is richer by, premiums taken off, and these."""

    bet: TableBet
    coup: int
    net: int
    premium: int

    @property
    def result(self) -> Result:
        """What the stake itself came to, the premium apart."""
        alone = self.net + self.premium
        return Result.WON if alone > 0 else Result.LOST if alone < 0 else Result.LEVEL


@frozen(slots=False)
class View:
    """What a player sees before a coup; amounts in units of the house.

    ``coup`` counts the coups of the session from 1, ``coup_of_shoe`` those of the shoe. ``at_hand``
    is None where credit is endless. ``standing`` are the stakes in prison, ``ended`` those that
    have left since the last coup, ``last`` is the last coup of the shoe, ``seen`` the cards that
    were shown.
    """

    house: House
    coup: int
    coup_of_shoe: int
    at_hand: int | None
    standing: tuple[Stake, ...]
    ended: tuple[Ended, ...]
    last: Coup | None
    seen: tuple[Card, ...] = field(repr=False)
    _why_not: Callable[[TableBet], TrenteError | None] = field(repr=False, eq=False)

    @cached_property
    def left(self) -> Composition:
        """The cards that were not seen."""
        return Composition.after(self.house.shoe.packs, self.seen)

    def why_not(self, bet: TableBet) -> TrenteError | None:
        """Answer why the house would refuse a bet now, None where it would not."""
        return self._why_not(bet)


Strategy = Callable[[View], Iterable[TableBet]]


@frozen
class Played:
    """What a strategy came to; amounts in units of the house.

    ``ended`` are its stakes in the order in which they left, ``view`` is what it would have been
    shown next. ``ruined`` tells that it could not pay what it wanted to bet.
    """

    house: House
    coups: int
    shoes: int
    ended: tuple[Ended, ...] = field(repr=False)
    ruined: bool
    view: View = field(repr=False)

    @property
    def net(self) -> int:
        """What the player is richer by."""
        return sum(each.net for each in self.ended)

    @property
    def staked(self) -> int:
        """The sum of all stakes, each counted once."""
        return sum(each.bet.amount for each in self.ended)

    @property
    def premiums(self) -> int:
        """The premiums that the bank kept."""
        return sum(each.premium for each in self.ended)
