"""Commands on the shoe: opened, cut, burned, marked, ended."""

from __future__ import annotations

from typing import Literal

from attrs import evolve

from trente_rules.core.cards import Card, Colour
from trente_rules.core.errors import CardError, RuleError, shown
from trente_rules.core.rules.announcements import opening_calls, talon_calls
from trente_rules.core.settlement import close_session
from trente_rules.core.shoe import LiveShoe, Shoe, ShoeRule
from trente_rules.core.stakes import History
from trente_rules.fair.plan import FairPlan
from trente_rules.fair.provenance import Provenance
from trente_rules.table.cloth import Cloth
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
from trente_rules.table.sealed import Sealed, sealed_error
from trente_rules.table.state import Phase, TableState, banked

Decided = tuple[TableState, tuple[Event, ...]]
"""The result of every command: the next state, and the events."""


def open_shoe(state: TableState, command: OpenShoe) -> Decided:
    """Open a shoe of the house's packs.

    Raises ``CardError``: "no-cards" for a list without a card, "not-whole-packs", "bad-cut",
    ``RuleError``: "fair-plan" for a fair shoe that was sealed for another house, or that comes
    without what was drawn for it, "bad-marker"; ``RecordError`` ("journal-sealed") where the cards
    are sealed.
    """
    rule, number = state.house.shoe, state.shoe_number + 1
    cards = command.cards
    if isinstance(cards, Sealed):
        raise sealed_error("the order of the shoe", "journal-sealed")
    _check_drawn(rule, command)
    if cards is not None and not cards:
        hint = "give whole packs in their order, or leave the cards out to open a live shoe"
        raise CardError("the list of the cards is empty", "no-cards", hint)
    if rule.every_coup:  # the cards of the next coup: there is one shoe, which never ends
        number = max(state.shoe_number, 1)
    opened = ShoeOpened(number, rule.packs, cards is None, command.source)
    new = state.replaced(
        phase=Phase.READY,
        shoe=LiveShoe(rule.packs) if cards is None else Shoe.of_cards(cards, rule.packs),
        shoe_number=number,
        marker_shown=False,
        coup=None,
        last_shoe=None,
        drawn_cut=command.cut,
        drawn_marker=command.marker,
    )
    if rule.every_coup:
        return new.after((opened,)), (opened,)
    new = new.replaced(coup_number=0, history=History())
    if rule.cut == "after-bets":
        return new.after((opened,), uncut=True), (opened,)
    events = (opened, *state.voice.say("cut"))
    return new.after(events, phase=Phase.CUT), events


def _check_drawn(rule: ShoeRule, command: OpenShoe) -> None:
    """Check what was drawn with the order of a shoe, and that a fair shoe comes with all of it."""
    if command.cards is None:
        if (command.cut, command.marker) != (None, None):
            hint = "give its cards: at a live shoe people cut, and put the marker in"
            raise RuleError("no cut and no marker is drawn for a live shoe", "fair-plan", hint)
        return
    source, wanted = Provenance.of_text(command.source), FairPlan.of(rule)
    fair = source is not None and bool(source.plan)
    if fair and source is not None and source.plan != str(wanted):
        raise RuleError(
            f"fair shoe {source.nonce} was sealed for {shown(source.plan)}, and this house has "
            f"{shown(str(wanted))}",
            "fair-plan",
            "seal it for this house: FairShoe.seal(nonce, house)",
            "shoe",
        )
    drawn = command.cut is not None, command.marker is not None
    if fair and drawn != (wanted.cut, wanted.marker is not None):
        hint = "let FairShoe.open_shoe make the command"
        what = "a fair shoe comes without the cut and the marker that were drawn for it"
        raise RuleError(what, "fair-plan", hint, "shoe")
    if command.cut is not None and (not wanted.cut or not 0 <= command.cut <= wanted.cards):
        hint = f"a cut is 0 to {wanted.cards} cards deep" if wanted.cut else "leave it out"
        raise CardError(f"cannot cut at {shown(command.cut)}", "bad-cut", hint)
    if command.marker is not None:
        if rule.marker is None:
            hint = "leave its place out"
            raise RuleError("this house puts no marker in the shoe", "bad-marker", hint)
        rule.marker.place(command.marker)


def cut(state: TableState, command: Cut) -> Decided:
    """Cut the cards.

    Raises ``RuleError`` ("wrong-hand") where the house has someone else cut, ``CardError``
    ("bad-cut", "fair-drawn" for another place than the one drawn for the shoe), and, where the card
    shown decides the first row: "card-needed" for a live shoe without it, "other-card" for one that
    the shoe does not show.
    """
    rule, shoe = state.house.shoe, state.shoe
    _check_hand(command.by, rule.cut_by, "cut", "shoe.cut_by")
    place, drawn = command.place or 0, state.drawn_cut
    if drawn is not None:
        if command.place not in (None, drawn):
            hint = "leave the place out: it was drawn with the order of the cards"
            raise CardError(f"this shoe cannot be cut at {shown(place)}", "fair-drawn", hint)
        place = drawn
    if isinstance(shoe, Shoe):
        shoe = shoe.cut(place)
    elif shoe and not 0 <= place <= shoe.left:
        hint = f"a cut is 0 to {shoe.left} cards deep"
        raise CardError(f"cannot cut at {place!r}", "bad-cut", hint)
    card = _card_of_cut(state, shoe, command)
    first_row: Literal["", "noir", "rouge"] = ""
    if card is not None:
        first_row = "noir" if card.colour is Colour.NOIR else "rouge"
    events: tuple[Event, ...] = (CutMade(place, command.by, card, first_row),)
    events += state.voice.calls(opening_calls, rule.burn, cut=False)
    phase = Phase.BURN if rule.burn else _prepared(state)
    new = state.after(events, phase=phase, shoe=shoe, uncut=False, first_row=first_row)
    return new, events


def _card_of_cut(state: TableState, shoe: Shoe | LiveShoe | None, command: Cut) -> Card | None:
    """Return the card that a cut shows, None where nothing depends on it.

    It is the lowest card of those that are lifted: after the cut the last card of the shoe.
    """
    card = command.card
    if state.setup.house.deal.first_row != "cut":
        if card is not None:
            hint = "the first row of this house is always of the same colour"
            raise CardError(f"no card is shown at the cut: {card}", "other-card", hint)
        return None
    if isinstance(shoe, Shoe):
        if card not in (None, shoe.cards[-1]):
            hint = "leave the card out: the order of this shoe is known"
            raise CardError(f"{card} is not the card of this cut", "other-card", hint)
        return shoe.cards[-1]
    if card is None:
        hint = "give the card that was shown: it decides the colour of the first row"
        raise CardError("a live shoe does not know the card of the cut", "card-needed", hint)
    return card


def burn(state: TableState, command: Burn) -> Decided:
    """Burn what the house burns.

    Raises ``CardError``: "cards-known" where cards are given that the shoe knows or that nobody
    sees, "burn-cards-needed" where the house shows cards of its burn and a live shoe is not given
    as many.
    """
    rule, shoe, cards = state.house.shoe, state.shoe, command.cards
    if isinstance(shoe, Shoe):
        if cards:
            hint = "the order of this shoe is known"
            raise CardError(f"{len(cards)} burned cards cannot be given", "cards-known", hint)
        count = rule.burned(shoe.cards[0])
        shoe = shoe.burn(count)
        cards = shoe.cards[: rule.shown(count)]
    elif shoe is not None:
        count = _burned_live(rule, cards)
        for card in cards:
            shoe = shoe.see(card)
        shoe = shoe.burn(count - len(cards))
    else:  # the phase is not reached without one
        return state, ()
    events: tuple[Event, ...] = ()
    if rule.burn == "first-card":
        events = state.voice.calls(opening_calls, count, cut=False)
    events += (Burned(count, cards),)
    return state.after(events, phase=_prepared(state), shoe=shoe), events


def _burned_live(rule: ShoeRule, cards: tuple[Card, ...]) -> int:
    """Return how many cards are burned from a live shoe, of which these were shown."""
    if cards and not rule.shown(rule.burn_bounds[0]):
        hint = "nobody sees the burn of this house"
        raise CardError(f"{len(cards)} burned cards cannot be given", "cards-known", hint)
    if rule.burn == "first-card" and not cards:
        what = "the first card of the shoe is not given"
        raise CardError(what, "burn-cards-needed", "give it: it says how many cards are burned")
    count = rule.burned(cards[0]) if cards else rule.burn_bounds[0]
    shown = rule.shown(count)
    if len(cards) != shown:
        what = f"{len(cards)} burned cards are given, this house shows {shown}"
        raise CardError(what, "burn-cards-needed", "give the cards that were shown")
    return count


def place_marker(state: TableState, command: PlaceMarker) -> Decided:
    """Put the marker in.

    Raises ``RuleError``: "wrong-hand" where the house has someone else put it in, "bad-marker"
    where the house does not allow the place, "fair-drawn" where it is not the one drawn for the
    shoe.
    """
    marker, shoe = state.house.shoe.marker, state.shoe
    if marker is None:  # the phase is not reached without one
        return state, ()
    _check_hand(command.by, marker.placed_by, "place the marker", "shoe.marker.placed_by")
    place, drawn = marker.place(command.from_end), state.drawn_marker
    if drawn is not None:
        if command.from_end not in (None, drawn):
            hint = "leave the place out: it was drawn with the order of the cards"
            what = f"the marker of this shoe cannot lie {shown(place)} cards from the end"
            raise RuleError(what, "fair-drawn", hint, "shoe.marker.from_end")
        place = drawn
    if isinstance(shoe, Shoe):
        shoe = shoe.place_marker(place)
    elif isinstance(shoe, LiveShoe):
        shoe = evolve(shoe, marker=place)
    events = (MarkerPlaced(place, command.by),)
    return state.after(events, phase=_ready(state), shoe=shoe), events


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


def marker_up(state: TableState) -> tuple[TableState, tuple[Event, ...], bool]:
    """Return the state with the marker out, the events, and whether the coup is finished."""
    rule = state.house.shoe
    last = rule.one_more or (bool(state.cards) and rule.finishes)
    events: tuple[Event, ...] = (MarkerShown(last=last),)
    if last:
        events += state.voice.say("dernier_coup")
    return state.replaced(marker_shown=True), events, last


def end_shoe(state: TableState, _command: EndShoe) -> Decided:
    """End the taille early."""
    new, events = shoe_over(state, (), called=True)
    return new.after(events), events


def shoe_over(state: TableState, events: tuple[Event, ...], *, called: bool = False) -> Decided:
    """End the shoe: the talon is counted where the house says so, prisoners wait or are closed.

    Its events are appended to those given; neither are counted in the state yet.
    """
    shoe, rule, voice = state.shoe, state.house.shoe, state.voice
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
    new = state.replaced(
        phase=Phase.NO_SHOE,
        shoe=None,
        prisoners=(),
        cards=(),
        first_cards=0,
        uncut=False,
        first_row="",
        drawn_cut=None,
        drawn_marker=None,
    )
    return new, events


def stakes_closed(state: TableState) -> Decided:
    """Settle every stake as at the close of a session; the state does not count the events."""
    closed = close_session(state.house, state.stakes, opening=state.opening)
    new = state.replaced(
        cloth=Cloth(closed.staying),
        bank=state.bank + banked(closed.lines),
    )
    return new, tuple(StakeSettled(line) for line in closed.lines)


def _prepared(state: TableState) -> Phase:
    return Phase.MARK if state.house.shoe.marker else _ready(state)


def _ready(state: TableState) -> Phase:
    """Return the phase of a shoe that is ready: the bets of its first coup may be closed."""
    return Phase.CLOSED if state.in_coup else Phase.READY


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
