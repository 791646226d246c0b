"""The compiled dealing of sixteen shoes in lockstep; importing it imports numba.

A lane of a vector is a shoe. Cards are drawn one by one without replacement from what is left of
the packs: twenty kinds (ten values, two colours), held as nineteen numbers of cards below each
kind. All shoes are at the same card, so the cards left are one number for all, the bound of every
draw. No branch depends on a card, and nothing is shuffled.

Sources: those of ``draws``. Each group of sixteen shoes starts from words of the chunk's stream, so
that it can be dealt to any card, and the next group is the same.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import njit, types

from trente_rules.core.compiled import kept
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS
from trente_rules.core.shoe import LEAST_CARDS
from trente_rules.odds.vectors import at, constant, everywhere, start, written
from trente_rules.simulation import draws

below: Any = draws.below  # compiled functions are typed by what they are called with
draw_word: Any = draws.draw
Array = Any  # numpy's own types say no more to numba, and mypy may run without numpy

LANES: Final = 16
"""Shoes of a group."""
KINDS_OF_CARDS: Final = 20
"""Kinds of cards: twice the points less 2, and 1 more for a red card."""
ROOM: Final = 64
"""Places for the coups of a shoe, of which eight packs hold 43 at most, and one more."""
OUTCOME: Final = 511
"""The bits of an outcome in a coup as it is written; above them is the card behind its last."""
OUTCOME_BITS: Final = 9
WINDOW: Final = LEAST_CARDS
"""Cards between two looks at the lanes: at most one coup ends among them."""
_WORDS: Final = LANES // 4
_BELOW: Final = KINDS_OF_CARDS - 1

TOGETHER: Final = 4
"""Cards that are dealt in one step: packs have whole numbers of them."""

# The lines of the room of a group, each of sixteen numbers: first the cards below each kind.
_LINES: Final = _BELOW + 2 * TOGETHER + 6
_TOTAL, _SECOND, _FIRST_CARD, _OUTCOME, _ENDED = range(_BELOW, _BELOW + 5)
_NUMBER, _PICK, _RAW = _ENDED + 1, _ENDED + 2, _ENDED + 2 + TOGETHER

_V16: Final = ir.VectorType(ir.IntType(16), LANES)
_V32: Final = ir.VectorType(ir.IntType(32), LANES)
_V64: Final = ir.VectorType(ir.IntType(64), _WORDS)
_V1: Final = ir.VectorType(ir.IntType(1), LANES)
_MASK: Final = ir.IntType(LANES)
_HALF: Final = 16
_BYTES: Final = {_V16: 2, _V64: 8}


def _read(builder: Any, place: Any, line: int, vector: Any = _V16) -> Any:
    pointer = at(builder, place, line * vector.count, vector)
    return builder.load(pointer, align=_BYTES[vector])


def _write(builder: Any, number: Any, place: Any, line: int, vector: Any = _V16) -> None:
    pointer = at(builder, place, line * vector.count, vector)
    builder.store(number, pointer, align=_BYTES[vector])


def _rotated(builder: Any, words: Any, by: int) -> Any:
    left = builder.shl(words, constant(_V64, by))
    return builder.or_(left, builder.lshr(words, constant(_V64, 64 - by)))


@written()
def _picked(_typing: Any, state: Any, room: Any, left: Any, least: Any) -> Any:
    """Draw for each lane a number below the cards left, for each of the next cards.

    Return whether a lane must draw again. Four generators xoshiro256++ give sixteen bits for each
    lane; ``least`` holds for each number of cards the least rest with which a draw counts.
    """

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        words, place, _left, table = (
            start(context, builder, kind, value) if kind is not left else value
            for kind, value in zip(signature.args, values, strict=True)
        )
        s0, s1, s2, s3 = (_read(builder, words, line, _V64) for line in range(4))
        rejected = constant(_V1, 0)
        for card in range(TOGETHER):
            drawn = builder.add(_rotated(builder, builder.add(s0, s3), 23), s0)
            moved = builder.shl(s1, constant(_V64, 17))
            s2, s3 = builder.xor(s2, s0), builder.xor(s3, s1)
            s1, s0 = builder.xor(s1, s2), builder.xor(s0, s3)
            s2, s3 = builder.xor(s2, moved), _rotated(builder, s3, 45)
            raw = builder.bitcast(drawn, _V16)
            number = builder.sub(values[2], ir.Constant(values[2].type, card))
            bound = everywhere(builder, _V16, builder.trunc(number, _V16.element))
            fewest = everywhere(builder, _V16, builder.load(builder.gep(table, [number])))
            wide = builder.mul(builder.zext(raw, _V32), builder.zext(bound, _V32))
            pick = builder.trunc(builder.lshr(wide, constant(_V32, _HALF)), _V16)
            _write(builder, raw, place, _RAW + card)
            _write(builder, pick, place, _PICK + card)
            rest = builder.mul(raw, bound)
            rejected = builder.or_(rejected, builder.icmp_unsigned("<", rest, fewest))
        for line, word in enumerate((s0, s1, s2, s3)):
            _write(builder, word, words, line, _V64)
        return builder.icmp_unsigned("!=", builder.bitcast(rejected, _MASK), _MASK(0))

    return types.boolean(state, room, left, least), code


@written()
def _dealt(_typing: Any, room: Any, cards: Any, _place: Any) -> Any:
    """Take the next cards that each lane has drawn, and add them to its row.

    A row above 30 is complete; with the second row, its coup is written with the place of its last
    card among the last eight.
    """

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = start(context, builder, signature.args[0], values[0])
        out = start(context, builder, signature.args[1], values[1])
        kinds = _kinds(builder, place)
        first = builder.mul(values[2], ir.Constant(values[2].type, LANES))
        step = builder.and_(values[2], ir.Constant(values[2].type, WINDOW - 1))
        step = builder.trunc(builder.shl(step, ir.Constant(step.type, OUTCOME_BITS)), _V16.element)
        step = everywhere(builder, _V16, step)
        lines = range(_TOTAL, _ENDED + 1)
        row = [_read(builder, place, line) for line in lines]
        for card, kind in enumerate(kinds):
            here = builder.add(first, ir.Constant(first.type, card * LANES))
            builder.store(kind, at(builder, out, here, _V16), align=_BYTES[_V16])
            behind = builder.add(step, constant(_V16, card << OUTCOME_BITS))
            row = _with_card(builder, row, kind, behind)
        for line, number in zip(lines, row, strict=True):
            _write(builder, number, place, line)
        return context.get_dummy_value()

    return types.void(room, cards, types.int64), code


@written()
def _next_window(_typing: Any, room: Any) -> Any:
    """Count the coups that have ended, and forget them."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = start(context, builder, signature.args[0], values[0])
        none = constant(_V16, OUTCOME)
        is_coup = builder.icmp_signed("!=", _read(builder, place, _ENDED), none)
        number = builder.sub(_read(builder, place, _NUMBER), builder.sext(is_coup, _V16))
        _write(builder, number, place, _NUMBER)
        _write(builder, none, place, _ENDED)
        return context.get_dummy_value()

    return types.void(room), code


def _kinds(builder: Any, place: Any) -> list[Any]:
    """Return the kinds of the cards drawn, and take them out of the cards that are left."""
    picks = [_read(builder, place, _PICK + card) for card in range(TOGETHER)]
    kinds = [constant(_V16, _BELOW)] * TOGETHER
    for line in range(_BELOW):
        fewer = _read(builder, place, line)
        for card, pick in enumerate(picks):
            taken = builder.sext(builder.icmp_signed(">", fewer, pick), _V16)
            fewer = builder.add(fewer, taken)
            kinds[card] = builder.add(kinds[card], taken)
        _write(builder, fewer, place, line)
    return kinds


def _with_card(builder: Any, row: list[Any], kind: Any, behind: Any) -> list[Any]:
    """Return the state of the rows after a card of a kind; ``behind`` is its place."""
    total, second, first_card, outcome, ended = row
    # The first card of a row gives its colour: 2 for the first row, 1 for the second.
    red = builder.and_(builder.and_(kind, constant(_V16, 1)), first_card)
    twice = builder.and_(red, builder.not_(second))
    outcome = builder.add(outcome, builder.add(red, twice))
    points = builder.add(builder.lshr(kind, constant(_V16, 1)), constant(_V16, 1))
    total = builder.add(total, points)
    complete = builder.icmp_signed(">", total, constant(_V16, LAST_OPEN_TOTAL))
    complete = builder.sext(complete, _V16)
    in_second = builder.icmp_signed("!=", second, constant(_V16, 0))
    weight = builder.select(in_second, constant(_V16, 4), constant(_V16, 4 * len(POINTS)))
    more = builder.mul(builder.sub(total, constant(_V16, POINTS[0])), weight)
    outcome = builder.add(outcome, builder.and_(complete, more))
    coup = builder.and_(complete, second)
    is_coup = builder.icmp_signed("!=", coup, constant(_V16, 0))
    return [
        builder.and_(total, builder.not_(complete)),
        builder.xor(second, complete),
        complete,
        builder.and_(outcome, builder.not_(coup)),
        builder.select(is_coup, builder.or_(outcome, behind), ended),
    ]


_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)
_BY_1, _BY_2, _BY_3 = (np.uint64(n) for n in (30, 27, 31))
_SHOES, _ROOM = np.uint64(LANES), np.uint64(ROOM)
_NUMBERS, _COUPS = np.uint64(_NUMBER * LANES), np.uint64(_ENDED * LANES)
_LOW: Final = np.uint64(0xFFFF)
_WORD: Final = np.uint64(0x10000)
_DOWN: Final = np.uint64(16)


@kept
@njit(nogil=True)
def _seeded(state: Array, stream: Array) -> None:
    """Fill the state of a generator with words of a stream, mixed as splitmix64 does."""
    for word in range(len(state)):
        mixed = draw_word(stream)
        mixed = (mixed ^ (mixed >> _BY_1)) * _MIX_1
        mixed = (mixed ^ (mixed >> _BY_2)) * _MIX_2
        state[word] = mixed ^ (mixed >> _BY_3)


@kept
@njit(nogil=True)
def _again(room: Array, left: int, least: Array, spare: Array) -> None:
    """Draw again for the lanes whose draw was rejected (Lemire)."""
    for card in range(TOGETHER):
        bound, fewest = np.uint64(left - card), np.uint64(least[left - card])
        for lane in range(LANES):
            wide = np.uint64(room[(_RAW + card) * LANES + lane]) * bound
            while (wide & _LOW) < fewest:
                wide = below(spare, _WORD) * bound
            room[(_PICK + card) * LANES + lane] = np.uint16(wide >> _DOWN)


@kept
@njit(nogil=True)
def deal(  # noqa: PLR0917 - compiled code is given all
    prefix: Array,
    size: int,
    stop: int,
    stream: Array,
    coups: Array,
    numbers: Array,
    tails: Array,
) -> None:
    """Deal groups of sixteen shoes to card ``stop`` or further: so many shoes as ``numbers`` has.

    ``prefix`` holds the cards below each kind in whole packs. Filled are ``coups``, ``ROOM`` for
    each shoe (the outcome, and above it the number of cards that were out behind the coup), their
    ``numbers``, and ``tails`` with the kinds of the last cards of each shoe, the last one first.
    """
    room = np.zeros(_LINES * LANES, np.uint16)
    cards = np.zeros(size * LANES, np.uint16)
    state, spare = np.zeros(4 * _WORDS, np.uint64), np.zeros(4, np.uint64)
    least = np.zeros(size + 1, np.uint16)
    for left in range(1, size + 1):
        least[left] = 0x10000 % left
    for group in range(len(numbers) // LANES):
        _seeded(state, stream)
        _seeded(spare, stream)
        room[:] = 0
        for kind in range(_BELOW):
            room[kind * LANES : kind * LANES + LANES] = prefix[kind]
        room[_FIRST_CARD * LANES : _FIRST_CARD * LANES + LANES] = 0xFFFF
        room[_ENDED * LANES : _ENDED * LANES + LANES] = OUTCOME
        first, begun = group * LANES, 0
        while begun < stop:
            for place in range(begun, min(begun + WINDOW, stop), TOGETHER):
                if _picked(state, room, size - place, least):
                    _again(room, size - place, least, spare)
                _dealt(room, cards, place)
            behind = np.uint32((begun + 1) << OUTCOME_BITS)
            for lane in range(_SHOES):
                coup = (np.uint64(first) + lane) * _ROOM + np.uint64(room[_NUMBERS + lane])
                coups[coup] = np.uint32(room[_COUPS + lane]) + behind
            _next_window(room)
            begun += WINDOW
        for lane in range(LANES):
            numbers[first + lane] = room[_NUMBER * LANES + lane]
            for last in range(tails.shape[1]):
                tails[first + lane, last] = cards[(size - 1 - last) * LANES + lane]


def room_for(shoes: int, tail: int) -> tuple[Array, Array, Array]:
    """Return the arrays that ``deal`` fills, for so many shoes or some more, and last cards."""
    whole = -(-shoes // LANES) * LANES
    return (
        np.zeros(whole * ROOM, np.uint32),
        np.zeros(whole, np.int64),
        np.zeros((whole, tail), np.uint16),
    )
