"""Commands on the shoe: opened, cut, burned, marked, ended."""

from __future__ import annotations

from typing import Literal

from attrs import evolve

from trente_rules.core.cards import Card
from trente_rules.core.errors import CardError, RuleError
from trente_rules.core.rules.announcements import opening_calls, talon_calls
from trente_rules.core.settlement import close_session
from trente_rules.core.shoe import LiveShoe, Shoe
from trente_rules.core.stakes import History
from trente_rules.table.commands import Burn, Cut, EndShoe, OpenShoe, PlaceMarker
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
"""The result of every command: the next state, and the events."""


def open_shoe(state: TableState, command: OpenShoe) -> Decided:
    """Open a shoe of the house's packs; ``CardError`` where the cards are not whole packs."""
    packs, number = state.house.shoe.packs, state.shoe_number + 1
    opened = ShoeOpened(number, packs, not command.cards, command.source)
    events = (opened, *state.setup.voice.say("cut"))
    new = state.after(
        events,
        phase=Phase.CUT,
        shoe=Shoe.of_cards(command.cards, packs) if command.cards else LiveShoe(packs),
        shoe_number=number,
        coup_number=0,
        marker_shown=False,
        coup=None,
        before=None,
        history=History(),
    )
    return new, events


def cut(state: TableState, command: Cut) -> Decided:
    """Cut the cards; ``RuleError`` ("wrong-hand") where the house has someone else cut."""
    rule, shoe = state.house.shoe, state.shoe
    _check_hand(command.by, rule.cut_by, "cut", "shoe.cut_by")
    if isinstance(shoe, Shoe):
        shoe = shoe.cut(command.place)
    elif shoe and not 0 <= command.place <= shoe.left:
        hint = f"a cut is 0 to {shoe.left} cards deep"
        raise CardError(f"cannot cut at {command.place!r}", "bad-cut", hint)
    events: tuple[Event, ...] = (CutMade(command.place, command.by),)
    if rule.burn:
        events += state.setup.voice.calls(opening_calls, rule.burn, cut=False)
    phase = Phase.BURN if rule.burn else _prepared(state)
    return state.after(events, phase=phase, shoe=shoe), events


def burn(state: TableState, command: Burn) -> Decided:
    """Burn what the house burns.

    Raises ``CardError``: "cards-known" where cards are given that the shoe knows or that nobody
    sees, "burn-cards-needed" where the house shows its burn and a live shoe is not given as many
    cards.
    """
    rule, shoe, cards = state.house.shoe, state.shoe, command.cards
    live = isinstance(shoe, LiveShoe)
    if cards and not (live and rule.burn_shown):
        hint = "nobody sees the burn of this house" if live else "the order of this shoe is known"
        raise CardError(f"{len(cards)} burned cards cannot be given", "cards-known", hint)
    if live and rule.burn_shown and len(cards) != rule.burn:
        what = f"{len(cards)} burned cards are given, this house shows {rule.burn}"
        raise CardError(what, "burn-cards-needed", "give the cards that were shown")
    if isinstance(shoe, LiveShoe) and cards:
        for card in cards:
            shoe = shoe.see(card)
    elif shoe is not None:
        shoe = shoe.burn(rule.burn)
    if isinstance(shoe, Shoe) and rule.burn_shown:
        cards = shoe.cards[: rule.burn]
    events = (Burned(rule.burn, cards),)
    return state.after(events, phase=_prepared(state), shoe=shoe), events


def place_marker(state: TableState, command: PlaceMarker) -> Decided:
    """Put the marker in.

    Raises ``RuleError``: "wrong-hand" where the house has someone else put it in, "bad-marker"
    where the house does not allow the place.
    """
    marker, shoe = state.house.shoe.marker, state.shoe
    if marker is None:  # the phase is not reached without one
        return state, ()
    _check_hand(command.by, marker.placed_by, "place the marker", "shoe.marker.placed_by")
    place = marker.place(command.from_end)
    if isinstance(shoe, Shoe):
        shoe = shoe.place_marker(place)
    elif isinstance(shoe, LiveShoe):
        shoe = evolve(shoe, marker=place)
    events = (MarkerPlaced(place, command.by),)
    return state.after(events, phase=Phase.READY, shoe=shoe), events


def marker_out(state: TableState) -> LiveShoe:
    """Return the live shoe, its marker out.

    Raises ``CardError``: "marker-known" for a shoe of known order, "no-marker" where the house puts
    none in, "marker-shown" where it is out already.
    """
    shoe = state.shoe
    if not isinstance(shoe, LiveShoe):
        hint = "the order of this shoe is known: its marker comes up by itself"
        raise CardError("the marker of this shoe cannot be shown", "marker-known", hint)
    if state.house.shoe.marker is None:
        hint = "end the shoe, or void the coup"
        raise CardError("this house puts no marker in the shoe", "no-marker", hint)
    if shoe.marker_out:
        hint = "finish the last coup"
        raise CardError("the marker of this shoe is out already", "marker-shown", hint)
    return evolve(shoe, marker_out=True)


def end_shoe(state: TableState, _command: EndShoe) -> Decided:
    """End the taille early; the last settlement is final."""
    new, events = shoe_over(state.replaced(before=None), (), called=True)
    return new.after(events), events


def shoe_over(state: TableState, events: tuple[Event, ...], *, called: bool = False) -> Decided:
    """End the shoe: the talon is counted where the house says so, prisoners wait or are closed.

    Its events are appended to those given; neither are counted in the state yet.
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
        events += voice.calls(talon_calls, behind or 0)
    events += (ShoeEnded(state.shoe_number, why, left), *voice.say("les_cartes_passent"))
    if rule.prisoners_at_end == "close":
        state, settled = stakes_closed(state)
        events += settled
    new = state.replaced(phase=Phase.NO_SHOE, shoe=None, prisoners=(), cards=(), first_cards=0)
    return new, events


def stakes_closed(state: TableState) -> Decided:
    """Settle every stake as at the close of a session; the state does not count the events."""
    closed = close_session(state.house, state.stakes, opening=state.setup.opening)
    new = state.replaced(
        stakes=closed.staying,
        accounts=credited(state.accounts, received(closed.lines)),
        bank=state.bank + banked(closed.lines),
    )
    return new, tuple(StakeSettled(line) for line in closed.lines)


def _prepared(state: TableState) -> Phase:
    return Phase.MARK if state.house.shoe.marker else Phase.READY


def _check_hand(hand: str, wanted: str, what: str, key: str) -> None:
    if hand != wanted:
        hint = f"in this house it is the {wanted}"
        raise RuleError(f"the {hand} cannot {what}", "wrong-hand", hint, key)


def known(card: Card | None, shoe: Shoe | LiveShoe) -> Card:
    """Return the next card: the one given for a live shoe, or that of a known order.

    Raises ``CardError``: "card-needed", "other-card".
    """
    if isinstance(shoe, LiveShoe):
        if card is None:
            hint = "give the card that was turned"
            raise CardError("a live shoe does not know its next card", "card-needed", hint)
        return card
    following = shoe.cards[shoe.position]
    if card is not None and card != following:
        what = f"{card} is not the next card of the shoe"
        hint = "leave the card out: the order of this shoe is known"
        raise CardError(what, "other-card", hint, extra=(str(card),))
    return following
