"""A table driven through its session: ids given, the balance checked after each command."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap
from typing import Any

from tests.whole_units import whole_house

from trente_rules import House, Table
from trente_rules.core.cards import Card
from trente_rules.core.coup import Coup
from trente_rules.core.shoe import LiveShoe
from trente_rules.table import (
    Burn,
    CloseBets,
    Command,
    Cut,
    Deal,
    Event,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Settle,
    Turn,
)
from trente_rules.table.state import balance
from trente_rules.testing import coup_with, opening_of, stacked_shoe


class Driver:
    """A table, and a counter for the ids of its commands."""

    def __init__(self, house: House | str) -> None:
        """Set the table up, opened at the lowest minimum; a house by name is in whole units."""
        self.house = whole_house(house) if isinstance(house, str) else house
        self.table = Table(self.house, opening=opening_of(self.house), session="s")
        self.count = 0

    def do(self, kind: type[Command], **fields: Any) -> tuple[Event, ...]:
        """Do a command with the next id; nothing is won or lost but between players and bank."""
        self.count += 1
        events = self.table.do(kind(id=f"c{self.count}", **fields))
        assert balance(self.table.state) == 0
        return events

    def shoe(self, *points: tuple[int, int]) -> None:
        """Open a shoe whose first coups end on these points, ready for its first bets."""
        rule = self.house.shoe
        self.prepare(stacked_shoe(starmap(coup_with, points), rule.packs, burn=rule.burn).cards)

    def live(self) -> None:
        """Open a live shoe, ready for its first bets."""
        self.prepare(None)

    def prepare(self, cards: Sequence[Card] | None) -> None:
        """Open a shoe and do what the house does before its first bets."""
        self.do(OpenShoe, cards=cards)
        self.get_ready()
        assert self.table.state.phase is Phase.READY

    def get_ready(self) -> None:
        """Cut, burn and mark the shoe, if it is time to; a live one is cut at an ace of spades."""
        house, rule = self.house, self.house.shoe
        live = isinstance(self.table.state.shoe, LiveShoe)
        if self.table.state.phase is Phase.CUT:
            shown = live and house.deal.first_row == "cut"
            self.do(Cut, place=0, by=rule.cut_by, card=Card(1, "♠") if shown else None)
        if self.table.state.phase is Phase.BURN:
            burned = rule.burned(Card(1, "♠"))
            self.do(Burn, cards=_low(rule.shown(burned)) if live else ())
        if self.table.state.phase is Phase.MARK and rule.marker:
            self.do(PlaceMarker, from_end=None, by=rule.marker.placed_by)

    def bet(self, *stakes: tuple[str, str, int]) -> None:
        """Open the bets and place stakes: (player, chance, amount); an id names both."""
        self.do(OpenBets)
        for player, chance, amount in stakes:
            self.do(Place, stake=f"{player}-{chance}", player=player, chance=chance, amount=amount)

    def deal(self) -> tuple[Event, ...]:
        """Close the bets and deal the coup."""
        self.do(CloseBets)
        self.get_ready()
        return self.deal_only()

    def turn(self, coup: Coup, *, ready: bool = False) -> None:
        """Close the bets and turn the cards of a coup; get ready between the two if asked."""
        self.do(CloseBets)
        if ready:
            self.get_ready()
        for card in coup.cards:
            self.do(Turn, card=card)

    def play(self, coup: Coup, *stakes: tuple[str, str, int]) -> None:
        """Play a coup of a live shoe to its settlement."""
        self.bet(*stakes)
        self.turn(coup)
        self.do(Settle)

    def deal_only(self) -> tuple[Event, ...]:
        """Deal the coup, the bets being closed."""
        return self.do(Deal)


def _low(count: int) -> tuple[Card, ...]:
    return tuple(Card(rank, "♠") for rank in range(1, count + 1))


def kinds(events: Sequence[Event]) -> list[str]:
    """Return the kinds of events, without what is said."""
    return [event.kind for event in events if event.kind != "announced"]


def said(events: Sequence[Event]) -> list[str]:
    """Return the phrases that are said."""
    return [str(getattr(event, "phrase", "")) for event in events if event.kind == "announced"]
