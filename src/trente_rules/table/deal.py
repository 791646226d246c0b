"""Commands that deal: bets opened and closed, cards turned, exposed, the marker shown."""

from __future__ import annotations

import itertools
from typing import Final, Literal

from attrs import evolve

from trente_rules.core.cards import Card
from trente_rules.core.coup import LAST_OPEN_TOTAL, Coup, Row
from trente_rules.core.errors import CardError, PhaseError
from trente_rules.core.rules.announcements import bets_closed_calls, bets_open_calls
from trente_rules.core.shoe import LiveShoe, Shoe
from trente_rules.table.commands import (
    CloseBets,
    Correct,
    Deal,
    Expose,
    OpenBets,
    Retract,
    Settle,
    ShowMarker,
    Turn,
)
from trente_rules.table.events import (
    EXPOSED,
    MARKER_OUT,
    NO_COUP_LEFT,
    OUT_OF_CARDS,
    TOO_FEW_CARDS,
    BetsClosed,
    BetsOpened,
    CardBurned,
    CardsRetracted,
    CardTurned,
    Event,
)
from trente_rules.table.settle import dealt_events, given_reason, settle_coup, voided
from trente_rules.table.shoe import Decided, known, marker_out, marker_up, shoe_over
from trente_rules.table.state import Phase, TableState


def open_bets(state: TableState, command: OpenBets) -> Decided:
    """Open the bets of the next coup; one that is dealt is settled first, by the defaults."""
    earlier: tuple[Event, ...] = ()
    if state.phase is Phase.DEALT:
        state, earlier = settle_coup(state, Settle(id=command.id))
        if state.phase is not Phase.READY:  # the shoe ended with that coup
            return state, earlier
    number = state.coup_number + 1
    opened = (BetsOpened(number), *state.voice.calls(bets_open_calls))
    new = state.after(opened, phase=Phase.BETTING, coup_number=number, prisoners=state.stakes)
    return new, earlier + opened


def close_bets(state: TableState, _command: CloseBets) -> Decided:
    """Close the bets: rien ne va plus. In some houses the cards are cut then."""
    events = (BetsClosed(state.coup_number), *state.voice.calls(bets_closed_calls))
    if state.uncut:
        events += state.voice.say("cut")
        return state.after(events, phase=Phase.CUT), events
    return state.after(events, phase=Phase.CLOSED), events


def deal(state: TableState, _command: Deal) -> Decided:
    """Deal the rest of the coup, to its end."""
    if not isinstance(state.shoe, Shoe):
        hint = "turn its cards one by one"
        raise CardError("a live shoe cannot be dealt by the table", "card-needed", hint)
    return _turned(state, None, to_the_end=True)


def turn(state: TableState, command: Turn) -> Decided:
    """Turn one card.

    Raises ``CardError``: "card-needed", "other-card", "too-many-of-a-card", "shoe-empty".
    """
    return _turned(state, command.card, to_the_end=False)


def _turned(state: TableState, card: Card | None, *, to_the_end: bool) -> Decided:
    """Turn one card, or all to the end of the coup.

    The loop works on plain locals and builds the state once: a table spends most time here.
    """
    shoe, cards, first = state.shoe, list(state.cards), state.first_cards
    if shoe is None:  # the phase is not reached without one
        return state, ()
    order = shoe.cards if isinstance(shoe, Shoe) else ()
    position, size = shoe.position, shoe.position + shoe.left
    marker = shoe.marker if isinstance(shoe, Shoe) and not state.marker_shown else None
    stop = size if marker is None else min(marker, size)  # no need to look before that card
    called, row = state.voice.card, _ROWS[first > 0]
    point = sum(each.points for each in cards[:first])
    total = sum(each.points for each in cards[first:])
    events: list[Event] = []
    if not cards and not state.marker_shown and state.house.shoe.ended(shoe):
        return voided(state, NO_COUP_LEFT, ())  # the burn took every card
    place = _next_place(state) if state.exposed else None
    while True:
        if position >= stop:
            if marker is not None and position >= marker:
                state, said, last = marker_up(_at(state, shoe, position, cards, first))
                marker, stop = None, size
                events.extend(said)
                if not last:
                    return voided(state, MARKER_OUT, tuple(events))
            if position >= size:
                new = _at(state, shoe, position, cards, first)
                return voided(new, OUT_OF_CARDS, tuple(events))
        following = order[position] if to_the_end else known(card, shoe)
        shoe = shoe.see(following, place) if isinstance(shoe, LiveShoe) else shoe
        position += 1
        cards.append(following)
        total += following.points
        events.append(CardTurned(following, row, total, place or position))
        events += called(cards, total, first, point)
        if total > LAST_OPEN_TOTAL:
            if first:
                break
            first, point, total, row = len(cards), total, 0, "second"
        if not to_the_end:
            new = _at(state, shoe, position, cards, first)
            if position < size:
                return new.after(events, phase=Phase.DEALING), tuple(events)
            return voided(new, OUT_OF_CARDS, tuple(events))
    coup = Coup(Row(tuple(cards[:first])), Row(tuple(cards[first:])))
    events.extend(dealt_events(state, coup))
    new = _at(state, shoe, position, cards, first)
    return new.after(events, coup=coup, phase=Phase.DEALT), tuple(events)


_ROWS: Final[tuple[Literal["first", "second"], ...]] = ("first", "second")


def _at(
    state: TableState, shoe: Shoe | LiveShoe, position: int, cards: list[Card], first_cards: int
) -> TableState:
    if isinstance(shoe, Shoe):
        # As ``evolve`` does, in a third of the time.
        shoe = Shoe(shoe.cards, shoe.packs, position, shoe.burned, shoe.marker)
    return state.replaced(shoe=shoe, cards=tuple(cards), first_cards=first_cards)


def _turned_places(state: TableState, count: int) -> list[int]:
    """Return the places in a live shoe of the first ``count`` cards of the coup, from 1.

    Those of exposed cards lie between them.
    """
    shoe = state.shoe
    if shoe is None:  # the phase is not reached without one
        return []
    before = shoe.position - len(state.cards) - len(state.exposed)
    free = (place for place in itertools.count(before + 1) if place not in state.exposed)
    return list(itertools.islice(free, count))


def _next_place(state: TableState) -> int:
    return _turned_places(state, len(state.cards) + 1)[-1]


def retract(state: TableState, command: Retract) -> Decided:
    """Take back the last cards of the coup that is on, turned or exposed.

    Raises ``CardError``: "cards-known" where the order of the shoe is known, "bad-count" where not
    so many can be taken back, "not-the-last-card" for an exposed card before one that was turned.
    """
    shoe = _live(state)
    if command.exposed:
        return _exposed_retracted(state, shoe, command)
    cards, count = state.cards, command.cards
    if not 1 <= count <= len(cards):
        what = f"{count} cards cannot be taken back: {len(cards)} of this coup are turned"
        raise CardError(what, "bad-count", f"take back 1 to {len(cards)}" if cards else "")
    return _retracted(state, shoe, len(cards) - count, command.reason)


def _live(state: TableState) -> LiveShoe:
    if not isinstance(state.shoe, LiveShoe):
        hint = "the order of this shoe is known; void the coup instead"
        raise CardError("the cards of this coup cannot be corrected", "cards-known", hint)
    return state.shoe


def _retracted(state: TableState, shoe: LiveShoe, left: int, reason: str) -> Decided:
    """Return the coup with its first ``left`` cards alone; what was chosen stays chosen."""
    cards = state.cards[:left]
    places = _turned_places(state, len(state.cards))[left:]
    first_cards = state.first_cards if 0 < state.first_cards <= left else 0
    total = sum(card.points for card in cards[first_cards:])
    row: Literal["first", "second"] = "second" if first_cards else "first"
    back = CardsRetracted(state.cards[left:], tuple(places), row, total, reason=reason)
    new = state.after(
        (back,),
        phase=Phase.DEALING,  # the first card was seen: no late bet is taken again
        shoe=shoe.without(places),
        cards=cards,
        first_cards=first_cards,
        coup=None,
    )
    return new, (back,)


def correct_open(state: TableState, command: Correct) -> Decided:
    """Correct the coup that is on and not settled: its cards so far, as they really were.

    The cards that were read right stay; the others are taken back, and the true ones turned. No
    money moves, except where the coup is made void.

    Raises ``BetError`` ("no-reason"), ``PhaseError`` ("nothing-to-correct") where nothing would be
    different, "choose-instead" where choices are given, and ``CardError``: "cards-known",
    "coup-too-long" for cards behind the end of the coup, and those of ``turn``.
    """
    reason = given_reason(command.reason)
    if command.void:
        return voided(state, reason, ())
    if command.choices:
        hint = "a choice can be made again until the settlement"
        raise PhaseError("the coup is not settled", "choose-instead", hint, state.phase)
    shoe, right = _live(state), command.cards or ()
    pairs = zip(state.cards, right, strict=False)
    alike = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    if state.cards == right or not right:
        what, hint = "these are the cards of the coup already", "give all its cards as they were"
        raise PhaseError(what, "nothing-to-correct", hint, state.phase)
    events: tuple[Event, ...] = ()
    if alike < len(state.cards):
        state, events = _retracted(state, shoe, alike, reason)
    for number, card in enumerate(right[alike:], alike):
        if state.phase is not Phase.DEALING:
            late = tuple(map(str, right[number:]))
            what = f"{len(late)} cards are left after the coup: {' '.join(late)}"
            raise CardError(what, "coup-too-long", "give the cards of one coup", extra=late)
        state, turned = _turned(state, card, to_the_end=False)
        events += turned
    return state, events


def _exposed_retracted(state: TableState, shoe: LiveShoe, command: Retract) -> Decided:
    exposed, count = state.exposed, command.cards
    if not 1 <= count <= len(exposed):
        what = f"{count} cards cannot be taken back: {len(exposed)} of this coup were exposed"
        raise CardError(what, "bad-count", f"take back 1 to {len(exposed)}" if exposed else "")
    places = exposed[-count:]
    turned = _turned_places(state, len(state.cards))
    later = sum(place > places[0] for place in turned)
    if later:
        what = f"{later} cards were turned after the card that was exposed"
        raise CardError(what, "not-the-last-card", f"take back those {later} cards first")
    seen, out = shoe.seen[:-count], shoe.seen[-count:]  # they are the last that came out
    total = sum(card.points for card in state.cards[state.first_cards :])
    row: Literal["first", "second"] = "second" if state.first_cards else "first"
    back = CardsRetracted(out, places, row, total, exposed=True, reason=command.reason)
    new = state.after((back,), shoe=evolve(shoe, seen=seen), exposed=exposed[:-count])
    return new, (back,)


def expose(state: TableState, command: Expose) -> Decided:
    """Burn a card that was shown by mistake, or void the coup for it, as the house says."""
    shoe = state.shoe
    if shoe is None or not shoe.left:
        raise CardError("no card is left in the shoe", "shoe-empty", "end the shoe")
    card = known(command.card, shoe)
    events: tuple[Event, ...] = ()
    if not state.marker_shown and shoe.marker_met:  # it lies before the card
        state, events, last = marker_up(state)
        if not last:
            return voided(state, MARKER_OUT, events)
    place = shoe.position + 1
    if isinstance(shoe, LiveShoe):
        if state.exposed:  # it may have been followed by cards that were taken back
            place = max([*state.exposed, *_turned_places(state, len(state.cards))]) + 1
        state = state.replaced(exposed=(*state.exposed, place))
        shoe = shoe.see(card)
    else:
        shoe = shoe.take()[1]
    events += (CardBurned(card, place), *state.voice.say("carte_brulee"))
    new = state.replaced(shoe=shoe)
    if state.house.shoe.exposed_card == "void":
        return voided(new, EXPOSED, events)
    if not shoe.left:
        return voided(new, OUT_OF_CARDS, events)
    if not state.cards and not new.marker_shown and state.house.shoe.ended(shoe):
        if shoe.marker_met:
            new, shown, _last = marker_up(new)
            return voided(new, NO_COUP_LEFT, events + shown)
        return voided(new, TOO_FEW_CARDS, events)
    return new.after(events), events


def show_marker(state: TableState, _command: ShowMarker) -> Decided:
    """Record the marker of a live shoe.

    Between two coups it ends the shoe, or one more coup is dealt.
    """
    state = state.replaced(shoe=marker_out(state))
    if state.phase is Phase.READY and not state.house.shoe.one_more:
        new, events = shoe_over(state, ())
        return new.after(events), events
    new, events, last = marker_up(state)
    if state.phase is Phase.READY:
        return new.after(events), events
    if not last:
        return voided(new, MARKER_OUT if state.cards else NO_COUP_LEFT, events)
    return new.after(events), events
