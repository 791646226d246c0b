"""The invariants of every state that commands can lead to: a restored state must pass them.

Anyone may have edited a snapshot. It is accepted only where it fits the house and itself: cards
come from the shoe, stakes are where they can be, money adds up. A restored table can therefore
continue, and raises only the errors that any table raises.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from attrs import evolve

from trente_rules.core.chances import Verdict
from trente_rules.core.coup import LAST_OPEN_TOTAL, Coup, take_row
from trente_rules.core.errors import TrenteError
from trente_rules.core.settlement import refusals, wager_of
from trente_rules.core.shoe import CARDS_IN_PACK, LiveShoe, Shoe, check_whole_packs
from trente_rules.core.stakes import Stake
from trente_rules.core.text import counted
from trente_rules.table.state import (
    COUP,
    DEALT_OUT,
    PREPARING,
    Phase,
    TableState,
    balance,
)

_NO_SHOE: Final = (Phase.NO_SHOE, Phase.ENDED)
_BURNED: Final = (Phase.MARK, Phase.READY, *COUP)
_MARKED: Final = (Phase.READY, *COUP)
_UNCUT: Final = (Phase.READY, Phase.BETTING, Phase.CUT)
_UNKNOWN_ROW: Final = (*_NO_SHOE, Phase.CUT)


def faults(state: TableState) -> Iterator[str]:
    """Yield the faults of a state that no command leads to; a sound state has none."""
    found = [*_of_numbers(state), *_of_shoe(state), *_of_cards(state), *_of_names(state)]
    try:
        found = found or [*_of_stakes(state), *_of_choices(state), *_of_money(state)]
        found = found or [*_of_last_shoe(state)]
    except TrenteError as error:
        found = [error.message]
    yield from found


def _of_numbers(state: TableState) -> Iterator[str]:
    counts = (state.shoe_number, state.coup_number, state.first_cards, state.events)
    if min(counts) < 0:
        yield "a count is negative"
    if state.coup_number < 1 and state.in_coup:
        yield "a coup without a number"
    if state.shoe_number < 1 and (state.shoe or state.coup_number):
        yield "a shoe without a number"


def _of_shoe(state: TableState) -> Iterator[str]:
    shoe, rule, phase = state.shoe, state.house.shoe, state.phase
    if (shoe is None) != (phase in _NO_SHOE):
        yield f"{phase.value} {'without' if shoe is None else 'with'} a shoe"
    if state.marker_shown and not rule.marker:
        yield "a marker is shown that this house does not have"
    yield from _of_drawn(state)
    if shoe is None:
        return
    if shoe.packs != rule.packs:
        yield f"a shoe of {counted(shoe.packs, 'pack')}, not {rule.packs}"
        return
    burned = _burned(state, shoe) if phase in _BURNED and not state.uncut else 0
    if (phase is Phase.BURN and not rule.burn) or (phase is Phase.MARK and not rule.marker):
        yield f"this house has no phase {phase.value}"
    if (phase in PREPARING and rule.every_coup) or (state.uncut and phase not in _UNCUT):
        yield f"this house has no phase {phase.value} here"
    if state.uncut and rule.cut != "after-bets":
        yield "this house cuts before the first bets"
    turned = state.setup.house.deal.first_row == "cut" and phase not in _UNKNOWN_ROW
    if bool(state.first_row) != (turned and not state.uncut):
        yield "the first row has a colour too early, or none"
    over = rule.ended(shoe) and not state.marker_shown
    if phase is Phase.READY and over and shoe.position > burned:
        yield "no coup can begin with this shoe"
    if (phase not in (Phase.READY, *COUP) or state.uncut) and shoe.position != burned:
        yield "cards are out before the first coup"
    if isinstance(shoe, LiveShoe):
        yield from _of_live(state, shoe, burned)
    else:
        yield from _of_known(state, shoe, burned)


def _of_drawn(state: TableState) -> Iterator[str]:
    """Yield the faults of a cut or a marker that was drawn with the order of the shoe."""
    shoe, rule, cut, marker = state.shoe, state.house.shoe, state.drawn_cut, state.drawn_marker
    if (cut, marker) != (None, None) and not isinstance(shoe, Shoe):
        yield "a cut or a marker is drawn for no known order"
    elif isinstance(shoe, Shoe):
        if cut is not None and (rule.every_coup or not 0 <= cut <= rule.packs * CARDS_IN_PACK):
            yield "a cut is drawn that no shoe of this house has"
        low, high = rule.marker_bounds
        if marker is not None and not (rule.marker and low <= marker <= high):
            yield "a marker is drawn that the house does not allow"
        if None not in (shoe.marker, marker) and shoe.behind != marker:
            yield "the marker is not where it was drawn"


def _burned(state: TableState, shoe: Shoe | LiveShoe) -> int:
    """Return how many cards the house burned of a shoe; of a live one, by the first card seen."""
    first = shoe.cards[:1] if isinstance(shoe, Shoe) else shoe.seen[:1]
    rule = state.house.shoe
    return rule.burned(first[0]) if first else rule.burn_bounds[0]


def _of_known(state: TableState, shoe: Shoe, burned: int) -> Iterator[str]:
    try:
        check_whole_packs(shoe.cards, shoe.packs)
    except TrenteError as error:
        yield error.message
    if shoe.burned != burned or not burned <= shoe.position <= len(shoe.cards):
        yield "fewer cards are out than were burned, or more than the shoe has"
    from_end = None if shoe.marker is None else len(shoe.cards) - shoe.marker
    out = from_end is not None and shoe.left < from_end
    next_up = shoe.left == from_end and state.house.shoe.one_more  # then it is shown
    yield from _of_marker(state, from_end, out=out or (next_up and state.marker_shown))


def _of_live(state: TableState, shoe: LiveShoe, burned: int) -> Iterator[str]:
    unseen = burned - state.house.shoe.shown(burned)
    if shoe.unseen != unseen or shoe.position < burned or shoe.left < 0:
        yield "more cards are out, or burned, than can be"
    if max(Counter(shoe.seen).values(), default=0) > shoe.packs:
        yield "a card came up more often than it is in the packs"
    yield from _of_marker(state, shoe.marker, out=shoe.marker_out)


def _of_marker(state: TableState, from_end: int | None, *, out: bool) -> Iterator[str]:
    marker = state.house.shoe.marker
    placed = marker is not None and state.phase in _MARKED and not state.uncut
    if placed != (from_end is not None):
        yield "the marker is in too early, or not at all"
    elif marker and from_end is not None and not marker.bounds[0] <= from_end <= marker.bounds[1]:
        yield f"the marker is {from_end} cards from the end"
    rule = state.house.shoe
    finishes = rule.finishes and (state.phase in DEALT_OUT or rule.one_more)
    if out != state.marker_shown or (out and not finishes):
        yield "the marker is out and not shown, or shown and not out"


def _of_cards(state: TableState) -> Iterator[str]:
    supply = iter(state.cards)
    first, second = take_row(supply), take_row(supply)
    whole = sum(card.points for card in second) > LAST_OPEN_TOTAL
    complete = sum(card.points for card in first) > LAST_OPEN_TOTAL
    live = isinstance(state.shoe, LiveShoe)
    turned = bool(state.cards) or (live and state.phase is Phase.DEALING)  # all were taken back
    if turned != (state.phase in DEALT_OUT) or whole != (state.phase is Phase.DEALT):
        yield "the cards of the coup are not those of its phase"
    elif state.first_cards != (len(first) if complete else 0) or tuple(supply):
        yield "the rows of the coup are not those of its cards"
    elif state.coup != (Coup.of_cards(state.cards) if whole else None):
        yield "the coup is not that of its cards"
    shoe = state.shoe
    places = (_before_coup(state), *state.exposed)
    if state.exposed and not (live and state.in_coup and sorted({*places}) == [*places]):
        yield "cards were exposed where they cannot be"
    seen = shoe.seen if isinstance(shoe, LiveShoe) else ()
    out = iter(shoe.cards[shoe.burned : shoe.position] if isinstance(shoe, Shoe) else seen)
    if not all(card in out for card in state.cards):  # in this order, with others between them
        yield "the cards of the coup did not come from the shoe"


def _before_coup(state: TableState) -> int:
    """Return how many cards were out before the coup, with none exposed that were not."""
    position = state.shoe.position if state.shoe else 0
    return position - len(state.cards) - len(state.exposed)


def _of_names(state: TableState) -> Iterator[str]:
    for what, names in (("stake", [stake.id for stake in state.stakes]),):
        if len(set(names)) < len(names):
            yield f"two {what}s have the same name"
    if not all(stake.owner for stake in state.stakes):
        yield "a stake belongs to nobody"
    if any(units < 1 for _party, units in state.history.bets):
        yield "an earlier bet is below 1"


def _of_stakes(state: TableState) -> Iterator[str]:
    detained = tuple(stake for stake in state.stakes if not stake.free)
    for stake in (*state.prisoners, *state.stakes):
        wager = wager_of(state.house, stake)
        wager.courses(stake.state, Verdict.CLOSE)
        if not stake.free and not wager.chance.simple:
            yield f"{stake.chance} has no prison"
    for stake in state.stakes:
        if stake.standing < 1:
            yield f"nothing is left of stake {stake.id!r}"
        if stake.insured and not wager_of(state.house, stake).insured:
            yield f"stake {stake.id!r} is insured without a premium"
    if state.in_coup:
        moves = state.house.limits_table.prisoners_move
        as_before = tuple(
            _as_it_was(now, was, moves=moves)
            for now, was in zip(detained, state.prisoners, strict=False)
        )
        if len(detained) != len(state.prisoners) or as_before != state.prisoners:
            yield "the prisoners are not those of the opening of the bets"
        # Without the bets of earlier coups: these may have been corrected since.
        for reason in refusals(state.house, state.stakes, opening=state.opening):
            yield reason.message
    elif state.prisoners or len(detained) < len(state.stakes):
        yield "stakes are free between two coups"
    elif any(stake.insured for stake in state.stakes):
        yield "a stake is insured between two coups"
    elif state.stakes and state.phase is Phase.ENDED:
        yield "stakes are on a table that is closed"


def _as_it_was(now: Stake, was: Stake, *, moves: bool) -> Stake:
    """Return a prisoner as it was before bets could change it."""
    now = evolve(now, insured=False, proof=was.proof)
    return evolve(now, chance=was.chance, position=was.position) if moves else now


def _of_money(state: TableState) -> Iterator[str]:
    if state.deposits and not state.setup.purses:
        yield "chips are bought at a table without purses"
    if state.posted is not None:
        state.house.check_opening(state.posted)
    if balance(state):
        yield f"players, bank and stakes do not add up: {balance(state)} units too many"


def _of_choices(state: TableState) -> Iterator[str]:
    keys = [(choice.stake, choice.state, choice.verdict) for choice in state.choices]
    if len(set(keys)) < len(keys) or (keys and not state.in_coup):
        yield "choices that cannot be made together, or now"
    for choice in state.choices:
        stake = state.stake(choice.stake)
        if choice.state != stake.state or choice.verdict == Verdict.CLOSE:
            yield f"the choice for stake {choice.stake!r} can never act"
            continue
        courses = state.house.wager(stake.chance).courses(stake.state, choice.verdict)
        if choice.course not in [course.name for course in courses]:
            yield f"stake {choice.stake!r} does not have the course {choice.course!r}"


def _of_last_shoe(state: TableState) -> Iterator[str]:
    """Yield the faults of a shoe that ended with its last coup."""
    shoe = state.last_shoe
    if shoe is None:
        return
    if state.phase is not Phase.NO_SHOE:
        yield "a shoe that has ended, and another phase"
    if shoe.packs != state.house.shoe.packs or shoe.left < 0:
        held = counted(shoe.packs, "pack")
        yield f"a shoe that has ended of {held}, not {state.house.shoe.packs}"
    if isinstance(shoe, Shoe):
        check_whole_packs(shoe.cards, shoe.packs)
    elif max(Counter(shoe.seen).values(), default=0) > shoe.packs:
        yield "a card came up more often than it is in the packs"
