"""A staking system as a strategy: the oracle of the compiled simulation."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from trente_rules.simulation.rungs import Seat
from trente_rules.strategy.play import play_strategy, simulated_shoes
from trente_rules.strategy.view import Played, TableBet, View
from trente_rules.systems.ladder import Bet, Result


@define
class SystemPlayer:
    """Plays the system of a seat, asking the table before each bet; one session each.

    ``cuts`` counts how often a refusal made it begin anew. Where even its first bet is refused it
    waits.
    """

    seat: Seat
    cuts: int = 0
    _state: Any = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Begin where the system begins."""
        self._state = self.seat.system.start()

    def __call__(self, view: View) -> tuple[TableBet, ...]:
        """Take what became of the last stake, and answer the next."""
        for ended in view.ended:
            self._moved(ended.result)
        if view.standing:
            return ()
        bet = self._bet()
        if view.why_not(bet) is not None and self._state != self.seat.system.start():
            self._begin_anew()
            bet = self._bet()
        if view.why_not(bet) is not None:
            return ()
        return (bet,)

    def _moved(self, result: Result) -> None:
        self._state = self.seat.system.after(self._state, result)
        if self.seat.refused(self.seat.system.bet(self._state)):
            self._begin_anew()

    def _begin_anew(self) -> None:
        self._state = self.seat.system.start()
        self.cuts += 1

    def _bet(self) -> TableBet:
        bet: Bet = self.seat.system.bet(self._state)
        course = "" if self.seat.play == "default" else self.seat.play
        return TableBet(bet.chance, bet.units * self.seat.base, self.seat.insured, course)


def play_seat(seat: Seat, *, coups: int, seed: int, session: int = 0) -> Played:
    """Play one session of a seat through the real table, on the shoes that the simulation deals.

    What it comes to is what ``simulate_systems`` counts of that session, to the unit. Raises as
    ``play_strategy``.
    """
    return play_strategy(
        seat.house,
        SystemPlayer(seat),
        coups=coups,
        bankroll=seat.bankroll,
        shoes=simulated_shoes(seat.house, seed, session),
        opening=seat.opening,
    )
