"""The compiled play of flat stakes; importing it imports numba, so only ``compiled`` does.

It contains no rule: coups come from ``lockstep`` (an outcome, and how many cards were out behind
it), verdicts are looked up by outcome, and stakes follow tables of what they gain and where they
go. Of stakes that end with their coup, the outcomes alone are counted; the others are prisoners:
those of one coup are one state of an automaton (``prisoners``), or each is followed alone.

Burned cards are the last of the order, so that houses that burn differently deal the same coups.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from trente_rules.core.compiled import kept
from trente_rules.core.coup import LAST_OPEN_TOTAL, OUTCOMES, POINTS
from trente_rules.core.shoe import LEAST_CARDS, LEAST_COUP
from trente_rules.simulation import draws, lockstep

below: Any = draws.below  # compiled functions are typed by what they are called with
shuffle: Any = draws.shuffle
deal: Any = lockstep.deal
Array = Any  # numpy's own types say no more to numba, and mypy may run without numpy
KINDS: Final = 3
"""Coups by their place in the taille: the first; others sure to be completed; the rest."""
MOST_COUPS: Final = 64
"""Eight packs hold 2,720 points, and a coup takes 62 or more: 43 coups are the most."""
LONGEST_COUP: Final = 64
"""No coup has more cards: the 56 lowest of eight packs count 80."""
VOID, FINISH, LAST_COUP, NO_COUP, EVERY_COUP = range(5)
"""The ways a shoe ends: see ``ShoeRule.plan``."""
BURN, LOW, HIGH, ENDING, CLOSE, SURE = range(6)
"""The numbers of a shoe rule; see ``arrays.rule_array``."""
ROOM: Final = lockstep.ROOM
OUTCOME: Final = lockstep.OUTCOME
OUTCOME_BITS: Final = lockstep.OUTCOME_BITS
POINT_BITS: Final = 15
COLOUR_BIT: Final = 4
_POINT_BITS: Final = np.uint64(POINT_BITS)
_LAST_OPEN: Final = np.uint64(LAST_OPEN_TOTAL)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_OUTCOME: Final = np.uint64(OUTCOME)
_OUTCOMES: Final = np.uint64(OUTCOMES)
_LOW_HALF: Final = 0xFFFFFFFF
_HALF: Final = 32
_SIDE: Final = len(POINTS)
_OF_POINTS: Final = 4
"""Outcomes of one pair of points: the colours of both first cards."""


@kept
@njit(nogil=True)
def behind(low: int, high: int, marker_stream: Array) -> Any:
    """Draw how many cards lie behind the marker of the next shoe."""
    if high > low:
        return low + np.int64(below(marker_stream, np.uint64(high - low + 1)))
    return low


@kept
@njit(nogil=True)
def _completed(  # noqa: PLR0913, PLR0917 - compiled code is given all
    coups: Array,
    dealt: Any,
    tails: Array,
    place: Any,
    size: Any,
    points: Any,
    rule: Array,
    marker: Array,
) -> tuple[Any, Any]:
    """Return how many of the ``dealt`` coups of a shoe a house completes, and whether one is void.

    ``place`` is that of the shoe among ``coups`` and ``tails``, ``points`` are those of the packs.
    """
    ending, left = rule[ENDING], size - rule[BURN]
    if rule[BURN] < 0:
        left = size - (np.int64(tails[place, 0]) >> 1) - 2
    begin, end = left, left
    if ending == EVERY_COUP:
        begin, end = 1, min(size, LONGEST_COUP)
    elif ending == NO_COUP:
        begin = left - LEAST_CARDS + 1
    else:
        hidden = behind(rule[LOW], rule[HIGH], marker)
        begin = left - hidden
        if ending == VOID:
            end = begin
        elif ending == LAST_COUP and hidden > 0:
            begin += 1
    # From the end: the marker is nearly always there.
    begun = np.int64(place) * ROOM
    many = dealt
    while many and (
        np.int64(coups[begun + many - 1] >> OUTCOME_BITS) > end
        or (many > 1 and np.int64(coups[begun + many - 2] >> OUTCOME_BITS) >= begin)
    ):
        many -= 1
    out = np.int64(coups[begun + many - 1] >> OUTCOME_BITS) if many else 0
    more = out < begin
    if more and ending == NO_COUP:
        for card in range(size - left):
            points -= (np.int64(tails[place, card]) >> 1) + 1
        for coup in range(many):
            pair = np.int64(coups[begun + coup] & OUTCOME) // _OF_POINTS
            points -= LEAST_COUP + pair // _SIDE + pair % _SIDE
        more = points >= LEAST_COUP
    return many, more


@kept
@njit(nogil=True)
def follow(  # noqa: PLR0913, PLR0917 - compiled code is given all, in one loop
    coups: Array,
    dealt: Array,
    tails: Array,
    size: int,
    points: int,
    shoe_rule: Array,
    marker_stream: Array,
    first: int,
    shoes: int,
    batch_shoes: int,
    letters: Array,
    entered: Array,
    then: Array,
    counts: Array,
    walked: Array,
    per_taille: Array,
    odd: Array,
    states: Array,
    rows: Array,
    waiting: int,
) -> Any:
    """Follow one stake of each wager from every coup of the shoes dealt, the first is ``first``.

    Nothing is placed on shoes from ``shoes`` on, which only prisoners need. Counted are outcomes by
    batch and kind of coup, transitions of the automaton by batch and kind of the coup that entered
    it, shoes by number of coups, and voided coups and extra shoes. ``states`` and ``rows`` hold the
    ``waiting`` groups of prisoners; return how many there are at the end.
    """
    sure, width = shoe_rule[SURE], np.uint64(len(entered))
    closing = width - _ONE
    outcomes = counts.reshape(counts.size)
    in_prison, room = np.uint64(waiting), np.uint64(ROOM)
    # Unsigned places need no check for negative ones.
    for place in range(np.uint64(len(dealt))):
        shoe = first + np.int64(place)
        placing = shoe < shoes
        if not placing and in_prison == _ZERO:
            break
        begun = place * room
        many, void = _completed(
            coups, dealt[place], tails, place, size, points, shoe_rule, marker_stream
        )
        batch = shoe // batch_shoes * KINDS
        for coup in range(np.uint64(many)):
            outcome = np.uint64(coups[begun + coup]) & _OUTCOME
            row = np.uint64(batch + (0 if coup == _ZERO else 1 if np.int64(coup) < sure else 2))
            if placing:
                outcomes[row * _OUTCOMES + outcome] += 1
            letter = np.uint64(letters[outcome])
            new = entered[letter]
            if in_prison == _ZERO and new == 0:
                continue
            still = _ZERO
            for group in range(in_prison):
                transition = np.uint64(states[group]) * width + letter
                walked[np.uint64(rows[group]), transition] += 1
                states[still], rows[still] = then[transition], rows[group]
                still += np.uint64(then[transition] > 0)
            if new > 0 and placing:
                states[still], rows[still] = new, np.int64(row)
                still += _ONE
            in_prison = still
        if shoe_rule[CLOSE]:
            for group in range(in_prison):
                walked[np.uint64(rows[group]), np.uint64(states[group]) * width + closing] += 1
            in_prison = _ZERO
        if placing:
            per_taille[many] += 1
            odd[0] += void
        else:
            odd[1] += 1
    return np.int64(in_prison)


@kept
@njit(nogil=True)
def settle(
    walked: Array, first: Array, wagers: Array, ended: Array, nets: Array, squares: Array
) -> None:
    """Add up the nets of stakes that transitions ended, and their squares in two halves."""
    for row in range(walked.shape[0]):
        for transition in range(walked.shape[1]):
            times = walked[row, transition]
            if times == 0:
                continue
            for place in range(first[transition], first[transition + 1]):
                wager, net = wagers[place], ended[place]
                nets[row, wager] += times * net
                squares[row % KINDS, wager, 0] += times * ((net * net) >> _HALF)
                squares[row % KINDS, wager, 1] += times * ((net * net) & _LOW_HALF)


@kept
@njit(nogil=True)
def _end(wager: int, kind: int, net: int, nets: Array, squares: Array) -> None:
    """Add up the net of a stake; its square in two halves, which cannot overflow."""
    nets[kind, wager] += net
    square = net * net
    squares[kind % KINDS, wager, 0] += square >> _HALF
    squares[kind % KINDS, wager, 1] += square & _LOW_HALF


@kept
@njit(nogil=True)
def _imprison(  # noqa: PLR0913, PLR0917 - compiled code is given all
    prison: Array,
    waiting: Any,
    kind: Any,
    outcome: Any,
    verdicts: Array,
    wagers: Array,
    gains: Array,
    nexts: Array,
) -> Any:
    """Put the stakes of a coup that do not end with it behind the prisoners; return how many."""
    for wager in range(len(wagers)):
        node = wagers[wager, 1]
        verdict = verdicts[wagers[wager, 0], outcome]
        if nexts[node, verdict] >= 0:
            prison[waiting, 0] = wager
            prison[waiting, 1] = nexts[node, verdict]
            prison[waiting, 2] = kind
            prison[waiting, 3] = gains[node, verdict]
            waiting += 1
    return waiting


@kept
@njit(nogil=True)
def _moved(  # noqa: PLR0913, PLR0917 - compiled code is given all
    prison: Array,
    waiting: Any,
    outcome: Any,
    verdicts: Array,
    wagers: Array,
    gains: Array,
    nexts: Array,
    nets: Array,
    squares: Array,
) -> Any:
    """Take the prisoners through a coup, and return how many are left."""
    still = 0
    for p in range(waiting):
        wager, node, placed, net = prison[p, 0], prison[p, 1], prison[p, 2], prison[p, 3]
        verdict = verdicts[wagers[wager, 0], outcome]
        net += gains[node, verdict]
        if nexts[node, verdict] < 0:
            _end(wager, placed, net, nets, squares)
            continue
        prison[still, 0] = wager
        prison[still, 1] = nexts[node, verdict]
        prison[still, 2] = placed
        prison[still, 3] = net
        still += 1
    return still


@kept
@njit(nogil=True)
def follow_each(  # noqa: PLR0913, PLR0917 - compiled code is given all, in one loop
    coups: Array,
    dealt: Array,
    tails: Array,
    size: int,
    points: int,
    shoe_rule: Array,
    marker_stream: Array,
    first: int,
    shoes: int,
    batch_shoes: int,
    verdicts: Array,
    imprisons: Array,
    wagers: Array,
    gains: Array,
    nexts: Array,
    counts: Array,
    nets: Array,
    squares: Array,
    per_taille: Array,
    odd: Array,
    prison: Array,
    waiting: int,
) -> Any:
    """Do what ``follow`` does, each prisoner alone: for houses with too many states.

    ``prison`` holds ``waiting`` prisoners, and has room for all that these shoes can add.
    """
    sure = shoe_rule[SURE]
    for place in range(len(dealt)):
        shoe = first + place
        placing = shoe < shoes
        if not placing and waiting == 0:
            break
        many, void = _completed(
            coups, dealt[place], tails, place, size, points, shoe_rule, marker_stream
        )
        batch = shoe // batch_shoes * KINDS
        for coup in range(many):
            outcome = np.int64(coups[place * ROOM + coup] & np.uint32(OUTCOME))
            row = batch + (0 if coup == 0 else 1 if coup < sure else 2)
            if placing:
                counts[row, outcome] += 1
            if waiting:
                waiting = _moved(
                    prison, waiting, outcome, verdicts, wagers, gains, nexts, nets, squares
                )
            if imprisons[outcome] and placing:
                waiting = _imprison(prison, waiting, row, outcome, verdicts, wagers, gains, nexts)
        if shoe_rule[CLOSE]:
            for p in range(waiting):
                net = prison[p, 3] + gains[prison[p, 1], gains.shape[1] - 1]
                _end(prison[p, 0], prison[p, 2], net, nets, squares)
            waiting = 0
        if placing:
            per_taille[many] += 1
            odd[0] += void
        else:
            odd[1] += 1
    return waiting


# One shoe at a time, as a seat that stakes by a system plays them.


@kept
@njit(nogil=True)
def burned(cards: Array, shoe_rule: Array) -> Any:
    """Return how many cards are burned, from the end: so many, or (-1) as the last of them says."""
    if shoe_rule[BURN] < 0:
        return _ONE + (np.uint64(cards[len(cards) - 1]) & _POINT_BITS)
    return np.uint64(shoe_rule[BURN])


@kept
@njit(nogil=True)
def _makes_no_coup(cards: Array, size: Any) -> Any:
    """Return the first of ``size`` places behind which no coup has enough cards or points."""
    last = size - np.uint64(LEAST_CARDS)
    points, place = _ZERO, size
    while place > _ZERO and points < np.uint64(LEAST_COUP):
        place -= _ONE
        points += np.uint64(cards[place]) & _POINT_BITS
    return min(place, last) + _ONE


@kept
@njit(nogil=True)
def plan(cards: Array, shoe_rule: Array, marker_stream: Array) -> tuple[Any, Any]:
    """Burn cards from the end, place the marker, and return ``begin`` and ``end`` of the plan.

    Coups are dealt from the first card on. Where few cards end the shoe, ``begin`` is the first
    place at which these make no coup.
    """
    ending = shoe_rule[ENDING]
    size = np.uint64(len(cards)) - burned(cards, shoe_rule)
    if ending == EVERY_COUP:
        return _ONE, min(size, np.uint64(LONGEST_COUP))
    hidden = np.uint64(behind(shoe_rule[LOW], shoe_rule[HIGH], marker_stream))
    begin = size - hidden
    end = size if ending != VOID else begin
    if ending == LAST_COUP and hidden > _ZERO:
        begin += _ONE
    if ending == NO_COUP:
        begin = _makes_no_coup(cards, size)
    return begin, end


@kept
@njit(nogil=True)
def _rows(cards: Array, start: Any, end: Any, points: Array, ends: Array) -> Any:
    """Deal rows, one behind the other: their points, and the places behind their last cards."""
    # No branch depends on the cards: a processor could not predict it. Unsigned places need no
    # check for negative ones.
    rows, total = _ZERO, _ZERO
    for place in range(start, end):
        total += np.uint64(cards[place]) & _POINT_BITS
        points[rows] = total
        ends[rows] = place + _ONE
        done = total > _LAST_OPEN
        rows += np.uint64(done)
        total = _ZERO if done else total
    return rows


@kept
@njit(nogil=True)
def orders(cards: Array, shoe_stream: Array, shoes: int) -> Array:
    """Shuffle shoes as ``play`` does, and return each order."""
    out = np.empty((shoes, len(cards)), cards.dtype)
    for shoe in range(shoes):
        shuffle(cards, shoe_stream)
        out[shoe] = cards
    return out


@kept
@njit(nogil=True)
def markers(marker_stream: Array, low: int, high: int, shoes: int) -> Array:
    """Place markers as ``play`` does: how many cards lie behind each."""
    out = np.empty(shoes, np.int64)
    for shoe in range(shoes):
        out[shoe] = behind(low, high, marker_stream)
    return out


def tried() -> None:
    """Deal a group of shoes without a stake: loads what is compiled."""
    prefix = np.full(lockstep.KINDS_OF_CARDS - 1, LEAST_CARDS, np.uint16)
    size, stream = LEAST_CARDS, np.arange(1, 5, dtype=np.uint64)
    coups, dealt, tails = lockstep.room_for(lockstep.LANES, 0)
    deal(prefix, size, 0, stream, coups, dealt, tails)
    shoe_rule, nothing = np.array([0, 0, 0, FINISH, 0, 1]), np.zeros(1, np.int64)
    letters, counts = np.zeros(OUTCOMES, np.uint8), np.zeros((KINDS, OUTCOMES), np.int64)
    walked, per_taille = np.zeros((KINDS, 1), np.int64), np.zeros(MOST_COUPS, np.int64)
    odd = np.zeros(2, np.int64)
    room: Any = np.zeros((2, 1), np.int64)
    shoes: Any = coups, dealt, tails, size, LEAST_COUP, shoe_rule, stream, 0, 1, 1
    tables: Any = letters, nothing, nothing, counts, walked, per_taille, odd, *room, 0
    follow(*shoes, *tables)
    sums: Any = np.zeros((KINDS, 0), np.int64), np.zeros((KINDS, 0, 2), np.int64)
    settle(walked, np.zeros(2, np.int64), nothing, nothing, *sums)
