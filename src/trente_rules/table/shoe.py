"""Commands on the shoe: opened, cut, burned, marked, ended."""

from __future__ import annotations

from typing import Literal

from attrs import evolve

from trente_rules.core.cards import Card
from trente_rules.core.errors import CardError, RuleError
from trente_rules.core.settlement import close_session
from trente_rules.core.shoe import LiveShoe, Shoe
from trente_rules.core.stakes import History
from trente_rules.table.commands import Burn, Cut, EndShoe, OpenShoe, PlaceMarker, ShowMarker
from trente_rules.table.events import (
    Burned,
    CutMade,
    Event,
    MarkerPlaced,
    MarkerShown,
    ShoeEnded,
    ShoeOpened,
    StakeSettled,
)
from trente_rules.table.state import Phase, TableState, banked, credited, received

Decided = tuple[TableState, tuple[Event, ...]]
"""What every command gives: the next state, and what happened."""


def open_shoe(state: TableState, command: OpenShoe) -> Decided:
    """Open a shoe of the house's packs; ``CardError`` where the cards are not whole packs."""
    rule = state.house.shoe
    shoe: Shoe | LiveShoe = LiveShoe(rule.packs)
    if command.cards:
        shoe = Shoe.of_cards(command.cards, rule.packs)
    number = state.shoe_number + 1
    opened = ShoeOpened(number, rule.packs, not command.cards, command.source)
    events = (opened, *state.setup.voice.cut())
    return (
        state.after(
            events,
            phase=Phase.CUT,
            shoe=shoe,
            shoe_number=number,
            coup_number=0,
            marker_shown=False,
            coup=None,
            before=None,
            history=History(),
        ),
        events,
    )


def cut(state: TableState, command: Cut) -> Decided:
    """Cut the cards; ``RuleError`` ("wrong-hand") where it is not the house's hand that cuts."""
    _by(command.by, state.house.shoe.cut_by, "cut", "shoe.cut_by")
    shoe = state.shoe
    if isinstance(shoe, Shoe):
        shoe = shoe.cut(command.place)
    elif shoe and not 0 <= command.place <= shoe.left:
        raise CardError(
            f"cannot cut at {command.place!r}", "bad-cut", f"a cut is 0 to {shoe.left} cards deep"
        )
    events: tuple[Event, ...] = (CutMade(command.place, command.by),)
    burn_next = state.house.shoe.burn > 0
    if burn_next:
        events += state.setup.voice.burn(state.house.shoe.burn)
        return state.after(events, phase=Phase.BURN, shoe=shoe), events
    return state.after(events, phase=_prepared(state), shoe=shoe), events


def burn(state: TableState, command: Burn) -> Decided:
    """Burn what the house burns.

    Raises ``CardError``: "cards-known" where cards are given that the shoe knows or that nobody
    sees, "burn-cards-needed" where the house shows its burn and a live shoe hands in other than
    so many cards.
    """
    rule, shoe = state.house.shoe, state.shoe
    shown = command.cards
    live = isinstance(shoe, LiveShoe)
    if shown and not (live and rule.burn_shown):
        raise CardError(
            f"{len(shown)} burned cards are told",
            "cards-known",
            "nobody sees the burn of this house" if live else "the order of this shoe is known",
        )
    if isinstance(shoe, LiveShoe):
        if rule.burn_shown and len(shown) != rule.burn:
            raise CardError(
                f"{len(shown)} burned cards are told, this house shows {rule.burn}",
                "burn-cards-needed",
                "hand in the cards that were shown",
            )
        for card in shown:
            shoe = shoe.see(card)
        if not shown:
            shoe = shoe.burn(rule.burn)
    elif isinstance(shoe, Shoe):
        shoe = shoe.burn(rule.burn)
        shown = shoe.cards[: rule.burn] if rule.burn_shown else ()
    events = (Burned(rule.burn, tuple(shown)),)
    return state.after(events, phase=_prepared(state), shoe=shoe), events


def place_marker(state: TableState, command: PlaceMarker) -> Decided:
    """Put the marker in.

    Raises ``RuleError``: "wrong-hand" where it is not the house's hand that puts it in,
    "bad-marker" where the house does not allow the place.
    """
    marker, shoe = state.house.shoe.marker, state.shoe
    if marker is None:  # the phase is not reached without one
        return state, ()
    _by(command.by, marker.placed_by, "place the marker", "shoe.marker.placed_by")
    place = marker.place(command.from_end)
    if isinstance(shoe, Shoe):
        shoe = shoe.place_marker(place)
    elif isinstance(shoe, LiveShoe):
        shoe = evolve(shoe, marker=place)
    events = (MarkerPlaced(place, command.by),)
    return state.after(events, phase=Phase.READY, shoe=shoe), events


def show_marker_between(state: TableState, _command: ShowMarker) -> Decided:
    """End a live shoe whose marker came up between two coups; the last settlement is final."""
    new, events = shoe_over(state.replaced(shoe=marker_out(state), before=None), ())
    return new.after(events), events


def marker_out(state: TableState) -> LiveShoe:
    """Return the live shoe, its marker out.

    Raises ``CardError``: "marker-known" for a shoe of known order, "no-marker" where the house puts
    none in, "marker-shown" where it is out already.
    """
    shoe = state.shoe
    if not isinstance(shoe, LiveShoe):
        raise CardError(
            "the marker of this shoe cannot be shown",
            "marker-known",
            "the order of this shoe is known: its marker comes up by itself",
        )
    if state.house.shoe.marker is None:
        raise CardError(
            "this house puts no marker in the shoe", "no-marker", "end the shoe, or void the coup"
        )
    if shoe.marker_out:
        raise CardError(
            "the marker of this shoe is out already", "marker-shown", "finish the last coup"
        )
    return evolve(shoe, marker_out=True)


def end_shoe(state: TableState, _command: EndShoe) -> Decided:
    """End the taille early; the last settlement is final."""
    new, events = shoe_over(state.replaced(before=None), (), called=True)
    return new.after(events), events


def shoe_over(state: TableState, events: tuple[Event, ...], *, called: bool = False) -> Decided:
    """End the shoe: the talon is counted where the house says so, prisoners wait or are closed.

    Its events come after those given, which are not counted in the state yet.
    """
    shoe, rule, voice = state.shoe, state.house.shoe, state.setup.voice
    left = shoe.left if shoe else 0
    marked = shoe is not None and shoe.marker_met
    why: Literal["marker", "cards", "called"] = "marker" if marked else "cards"
    if called:
        why = "called"
    elif marked and not state.marker_shown:
        events += (MarkerShown(last=False),)
    if rule.count_talon and marked:
        behind = shoe.marker if isinstance(shoe, LiveShoe) else left
        events += voice.talon(behind or 0)
    events += (ShoeEnded(state.shoe_number, why, left), *voice.say("les_cartes_passent"))
    if rule.prisoners_at_end == "close":
        state, settled = stakes_closed(state)
        events += settled
    new = state.replaced(phase=Phase.NO_SHOE, shoe=None, prisoners=(), cards=(), first_cards=0)
    return new, events


def stakes_closed(state: TableState) -> Decided:
    """Settle every stake as at the close of a session; the events are not counted in the state."""
    closed = close_session(state.house, state.stakes, opening=state.setup.opening)
    new = state.replaced(
        stakes=closed.staying,
        accounts=credited(state.accounts, received(closed.lines)),
        bank=state.bank + banked(closed.lines),
    )
    return new, tuple(StakeSettled(line) for line in closed.lines)


def _prepared(state: TableState) -> Phase:
    return Phase.MARK if state.house.shoe.marker else Phase.READY


def _by(hand: str, wanted: str, what: str, key: str) -> None:
    if hand != wanted:
        raise RuleError(
            f"the {hand} cannot {what}",
            "wrong-hand",
            f"in this house it is the {wanted}",
            key,
        )


def known(card: Card | None, shoe: Shoe | LiveShoe) -> Card:
    """Return the card that comes: the one handed in by a live shoe, or the next of a known one.

    Raises ``CardError``: "card-needed", "other-card".
    """
    if isinstance(shoe, LiveShoe):
        if card is None:
            raise CardError(
                "a live shoe does not know its next card",
                "card-needed",
                "hand in the card that was turned",
            )
        return card
    following = shoe.cards[shoe.position]
    if card is not None and card != following:
        raise CardError(
            f"{card} is not the next card of the shoe",
            "other-card",
            "leave the card out: the order of this shoe is known",
            extra=(str(card),),
        )
    return following
