"""The same shoes dealt everywhere: coups begin, end and are void at the same cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve, frozen

pytest.importorskip("numba")

from trente_rules import House, Shoe, Table, load_house
from trente_rules.core.shoe import Marker, ShoeRule
from trente_rules.players.counting import _Counter
from trente_rules.players.strategy import TableBet, View, play_strategy
from trente_rules.simulation.flat import FlatJob, shoes_of
from trente_rules.table import (
    Burn,
    CloseBets,
    Cut,
    Deal,
    OpenBets,
    OpenShoe,
    Phase,
    PlaceMarker,
    Settle,
    ShowMarker,
    Turn,
)
from trente_rules.table.events import CoupDealt, CoupVoided, Event
from trente_rules.table.invariants import faults
from trente_rules.testing import opening_of

SEED = 11
SHOES = 25


@frozen
class Taille:
    """The coups of a shoe, and whether the last one was begun and is void."""

    outcomes: tuple[int, ...]
    void: bool


def of_engine(house: House, shoe: Shoe) -> Taille:
    """Deal by ``deal_coup``."""
    outcomes: list[int] = []
    while not house.shoe.ended(shoe):
        dealt = house.shoe.deal(shoe)
        if dealt.coup is None:
            return Taille(tuple(outcomes), void=True)
        outcomes.append(dealt.coup.outcome)
        shoe = dealt.shoe
    return Taille(tuple(outcomes), void=False)


class Dealer:
    """A table whose invariants are checked after each command."""

    def __init__(self, house: House, shoe: Shoe, cards: tuple[Any, ...]) -> None:
        """Open the shoe and prepare it as it was prepared."""
        self.table, self.events, self.count = Table(house, opening=opening_of(house)), [], 0
        self.house, self.shoe = house, shoe
        self.do(OpenShoe, cards=cards or None)
        self.prepare()

    events: list[Event]

    def prepare(self) -> None:
        """Cut, burn and mark the shoe, if it is time to."""
        house, shoe = self.house, self.shoe
        live = not isinstance(self.table.state.shoe, Shoe)
        if self.phase is Phase.CUT:
            self.do(Cut, by=house.shoe.cut_by)
        if self.phase is Phase.BURN:
            shown = shoe.cards[: house.shoe.shown(shoe.burned)]
            self.do(Burn, cards=shown if live else ())
        if self.phase is Phase.MARK and house.shoe.marker:
            self.do(PlaceMarker, from_end=shoe.behind, by=house.shoe.marker.placed_by)

    def do(self, kind: type[Any], **fields: Any) -> None:
        """Do a command with the next id."""
        self.count += 1
        self.events += self.table.do(kind(id=f"c{self.count}", **fields))
        assert not list(faults(self.table.state))

    @property
    def phase(self) -> Phase:
        """The phase of the table."""
        return self.table.state.phase

    @property
    def taille(self) -> Taille:
        """What was dealt."""
        dealt = tuple(e.coup.outcome for e in self.events if isinstance(e, CoupDealt))
        return Taille(dealt, void=any(isinstance(e, CoupVoided) for e in self.events))


def of_known_shoe(house: House, shoe: Shoe) -> Taille:
    """Deal at a table that knows the order of the cards, by turns to a whole coup and to a card."""
    dealer, coup = Dealer(house, shoe, shoe.cards), 0
    while dealer.phase is not Phase.NO_SHOE:
        dealer.do(OpenBets)
        dealer.do(CloseBets)
        dealer.prepare()
        coup += 1
        while dealer.phase in {Phase.CLOSED, Phase.DEALING}:
            dealer.do(Turn if coup % 2 else Deal)
        if dealer.phase is Phase.DEALT:
            dealer.do(Settle)
    return dealer.taille


def of_live_shoe(house: House, shoe: Shoe) -> Taille:
    """Turn the same cards at a table that does not know them, and show the marker where it lies."""
    dealer, position = Dealer(house, shoe, ()), shoe.position
    while dealer.phase is not Phase.NO_SHOE:
        if dealer.phase is Phase.READY:
            if position == shoe.marker and not dealer.table.state.marker_shown:
                dealer.do(ShowMarker)
                continue
            dealer.do(OpenBets)
            dealer.do(CloseBets)
            dealer.prepare()
        if position == shoe.marker and not dealer.table.state.marker_shown:
            dealer.do(ShowMarker)
            continue
        dealer.do(Turn, card=shoe.cards[position])
        position += 1
        if dealer.phase is Phase.DEALT:
            dealer.do(Settle)
    return dealer.taille


def of_counting(house: House, shoe: Shoe) -> int:
    """Return the coups that a counter of cards finds."""
    tally = _Counter(house).shoe(shoe, to_the_end=False)
    return tally.left.total() + tally.too_few


RULES = {
    "to the end": ShoeRule(packs=1),
    "burned": ShoeRule(packs=2, burn=9),
    "void": ShoeRule(packs=2, burn=3, marker=Marker(from_end=20)),
    "void, bounds": ShoeRule(packs=1, marker=Marker(from_end=(1, 30), placed_by="player")),
    "finish": ShoeRule(packs=2, marker=Marker(from_end=30, on_marker="finish")),
    "finish, few behind": ShoeRule(packs=1, burn=5, marker=Marker(from_end=4, on_marker="finish")),
    "finish, bounds": ShoeRule(packs=1, marker=Marker(from_end=(0, 40), on_marker="finish")),
    "at the end": ShoeRule(packs=1, marker=Marker(from_end=0)),
    "no coup": ShoeRule(packs=1, ends="no-coup"),
    "no coup, burned and shown": ShoeRule(packs=2, burn=9, burn_shown=True, ends="no-coup"),
    "last coup": ShoeRule(packs=1, marker=Marker(from_end=(0, 40), on_marker="last-coup")),
    "last coup, few behind": ShoeRule(packs=1, marker=Marker(from_end=4, on_marker="last-coup")),
    "after the bets": ShoeRule(packs=1, burn=3, burn_shown=True, cut="after-bets", ends="no-coup"),
    "after the bets, marked": ShoeRule(
        packs=1, cut="after-bets", marker=Marker(from_end=10, on_marker="last-coup")
    ),
    "first card": ShoeRule(packs=2, burn="first-card"),
    "first card, marked": ShoeRule(
        packs=1, burn="first-card", burn_shown=True, marker=Marker(from_end=8)
    ),
    "every coup": ShoeRule(packs=1, shuffled="every-coup"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_every_place_deals_the_same_tailles(name: str) -> None:
    """A1 1f: engine, tables with known and live shoes, kernel, strategies, bounds, counting."""
    rule = RULES[name]
    house = evolve(load_house("italy-half-loss"), shoe=rule)
    shoes = list(shoes_of(house, SEED, 0, SHOES))
    tailles = [of_engine(house, shoe) for shoe in shoes]
    dealers: tuple[Callable[[House, Shoe], Taille], ...] = (of_known_shoe, of_live_shoe)
    for deal in dealers:
        assert [deal(house, shoe) for shoe in shoes] == tailles, deal
    coups = [len(taille.outcomes) for taille in tailles]
    voids = sum(taille.void for taille in tailles)
    sure = rule.sure_coups()
    assert sure <= min(coups) <= max(coups) <= rule.most_coups(min(shoe.behind for shoe in shoes))

    (told,) = FlatJob((house,), SEED, None, opening_of(house)).play(0, SHOES)["houses"]
    assert {n: count for n, count in enumerate(told["per_taille"]) if count} == Counter(coups)
    assert told["voids"] == voids
    first, surely, later = (Counter({n: c for n, c in enumerate(k) if c}) for k in told["outcomes"])
    assert first == Counter(taille.outcomes[0] for taille in tailles if taille.outcomes)
    assert surely == Counter(o for taille in tailles for o in taille.outcomes[1:sure])
    assert later == Counter(o for taille in tailles for o in taille.outcomes[max(sure, 1) :])

    seen: list[View] = []

    def watches(view: View) -> tuple[TableBet, ...]:
        seen.append(view)
        return ()

    played = play_strategy(house, watches, coups=sum(coups), shoes=shoes, opening=opening_of(house))
    assert played.coups == sum(coups)
    assert played.shoes == max(n for n, count in enumerate(coups, 1) if count)
    assert len(seen) >= sum(coups)
    for shoe, count in list(zip(shoes, coups, strict=True))[:1]:
        assert of_counting(house, shoe) == count
