"""A player alone at a real table: commands in his name, and an account of his stakes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import define

from trente_rules.deal.cards import Card
from trente_rules.deal.coup import Coup
from trente_rules.deal.shoe import Shoe
from trente_rules.errors import TrenteError
from trente_rules.house.house import House
from trente_rules.rules.chances import Verdict
from trente_rules.settlement import courses
from trente_rules.stakes import Opening, Stake
from trente_rules.strategy.view import Ended, Played, TableBet, View
from trente_rules.table.commands import (
    Burn,
    Choose,
    CloseBets,
    Command,
    Cut,
    Deal,
    Insure,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
)
from trente_rules.table.events import CoupVoided, StakeSettled
from trente_rules.table.state import Phase
from trente_rules.table.table import Table

PLAYER: Final = "player"


@define
class _Open:
    """A stake on the table, and what it has come to so far."""

    bet: TableBet
    coup: int
    net: int = 0
    premium: int = 0


class Session:
    """A player alone at a table."""

    def __init__(
        self, house: House, shoes: Iterator[Shoe], opening: Opening, bankroll: int | None
    ) -> None:
        """Set a table up; the shoes are prepared ones, opened when they are needed."""
        self.house, self.table = house, Table(house, opening=opening)
        self.coups = self.shoes = 0
        self._shoes, self._bankroll = shoes, bankroll
        self._commands = self._told = 0
        self._open: dict[str, _Open] = {}
        self._ended: list[Ended] = []
        self._last: Coup | None = None

    def _do(self, kind: type[Command], **told: Any) -> None:
        self._commands += 1
        for event in self.table.do(kind(id=f"c{self._commands}", **told)):
            if isinstance(event, StakeSettled):
                line = event.line
                stands = self._open[line.stake.id]
                stands.net += line.returned + line.won - line.premium_kept
                stands.premium += line.premium_kept
                if line.after is None:
                    del self._open[line.stake.id]
                    net = stands.net - stands.bet.amount
                    self._ended.append(Ended(stands.bet, stands.coup, net, stands.premium))
            elif isinstance(event, CoupVoided):
                self.coups -= 1
                for name in [n for n, each in self._open.items() if each.coup > self.coups]:
                    del self._open[name]

    def ready(self) -> None:
        """Open a shoe where there is none."""
        while self.table.state.phase is Phase.NO_SHOE:
            shoe = next(self._shoes, None)
            if shoe is None:
                raise TrenteError(
                    f"the shoes are used up after {self.coups} coups",
                    "shoes-used-up",
                    "give more shoes, or ask for fewer coups",
                )
            rule = self.house.shoe
            self._do(OpenShoe, cards=shoe.cards)
            self._do(Cut, by=rule.cut_by)
            if rule.burn:
                self._do(Burn)
            if rule.marker and shoe.marker is not None:
                from_end = len(shoe.cards) - shoe.marker
                self._do(PlaceMarker, from_end=from_end, by=rule.marker.placed_by)
            self.shoes += 1
            self._last = None

    def open(self) -> None:
        """Open the bets."""
        self._do(OpenBets)
        for stake in self.table.state.stakes:
            if self._open[stake.id].bet.insured and not stake.insured:
                insure = Insure(id=f"i{self._commands}", stake=stake.id)
                if self.table.can(insure):
                    self._do(Insure, stake=stake.id)

    def bet(self, bets: tuple[TableBet, ...]) -> bool:
        """Place bets; tells whether they can be paid."""
        table = self.house.insurance_table
        cost = sum(bet.amount for bet in bets)
        if table:
            rounding = self.house.money.rounding
            insured = [bet.amount for bet in bets if bet.insured]
            cost += sum(table.premium(amount, rounding).units for amount in insured)
        if bets and self._bankroll is not None and cost > self._at_hand():
            return False
        for number, bet in enumerate(bets):
            name = f"{self.coups + 1}-{number}"
            self._do(
                Place,
                stake=name,
                player=PLAYER,
                chance=bet.chance,
                amount=bet.amount,
                insured=bet.insured,
            )
            self._open[name] = _Open(bet, self.coups + 1)
        return True

    def deal(self) -> None:
        """Deal the coup, choose, settle."""
        self.coups += 1
        self._do(CloseBets)
        self._do(Deal)
        state = self.table.state
        if state.phase is not Phase.DEALT or state.coup is None:
            return  # voided: the cards or the marker ended the shoe
        self._last = state.coup
        for stake in state.stakes:
            self._choose(stake, self.house.chance(stake.chance).verdict(state.coup))
        self._do(Settle)

    def _choose(self, stake: Stake, verdict: Verdict) -> None:
        wanted = self._open[stake.id].bet.course
        offered = courses(self.house, stake, verdict, opening=self.table.state.setup.opening)
        if len(offered) > 1 and wanted in [course.name for course in offered]:
            self._do(Choose, stake=stake.id, course=wanted, state=stake.state, verdict=verdict.id)

    def _at_hand(self) -> int:
        return (self._bankroll or 0) + dict(self.table.state.accounts).get(PLAYER, 0)

    def view(self) -> View:
        """Answer what the player sees now."""
        state, shoe = self.table.state, self.table.state.shoe
        seen: tuple[Card, ...] = ()
        if isinstance(shoe, Shoe):
            begin = 0 if self.house.shoe.burn_shown else shoe.burned
            seen = shoe.cards[begin : shoe.position]
        ended = tuple(self._ended[self._told :])
        self._told = len(self._ended)
        return View(
            house=self.house,
            coup=self.coups + 1,
            coup_of_shoe=max(1, state.coup_number),
            at_hand=None if self._bankroll is None else self._at_hand(),
            standing=state.stakes,
            ended=ended,
            last=self._last,
            seen=seen,
            why_not=self._why_not,
        )

    def _why_not(self, bet: TableBet) -> TrenteError | None:
        return self.table.why_not(
            Place(
                id="asked",
                stake="asked",
                player=PLAYER,
                chance=bet.chance,
                amount=bet.amount,
                insured=bet.insured,
            )
        )

    def played(self, *, ruined: bool) -> Played:
        """Answer what the player came to."""
        return Played(self.house, self.coups, self.shoes, tuple(self._ended), ruined, self.view())
