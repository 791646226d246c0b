"""The compiled random numbers: xoshiro256++, unbiased bounded draws, the shuffle of a shoe.

Importing it imports numba. Sources: Blackman and Vigna, "Scrambled linear pseudorandom number
generators" (2021); Lemire, "Fast random integer generation in an interval" (2019);
Brackett-Rozinsky and Lemire, "Batched ranged random integer generation" (2024): one 64-bit draw is
multiplied by several bounds in turn, which gives several independent numbers, exactly unbiased
where the rest is checked against the product of the bounds.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from trente_rules.core.compiled import kept

Array = Any  # numpy's own types say no more to numba, and mypy may run without numpy
_TOGETHER: Final = np.uint64(6)
"""Picks made of one draw: the product of six bounds up to 416 fits in 53 bits."""
_ONE, _TWO, _THREE, _FOUR, _FIVE = (np.uint64(n) for n in range(1, 6))
_ROTATE_OUT: Final = np.uint64(23)
_ROTATE_IN: Final = np.uint64(45)
_SHIFT: Final = np.uint64(17)
_WORD: Final = np.uint64(64)


_types: Any = types  # numba's own types say less than mypy wants
_pack: Any = cgutils.pack_array


def _product(_context: Any, _one: Any, _other: Any) -> Any:
    """Multiply two 64-bit numbers: the upper and the lower half of the 128-bit product."""
    signature = _types.UniTuple(_types.uint64, 2)(_types.uint64, _types.uint64)

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word = arguments[0].type
        wide = type(word)(128)
        one, other = (builder.zext(number, wide) for number in arguments)
        whole = builder.mul(one, other)
        upper = builder.trunc(builder.lshr(whole, wide(64)), word)
        return _pack(builder, [upper, builder.trunc(whole, word)])

    return signature, build


product: Any = intrinsic(_product)


@kept
@njit(nogil=True)
def draw(s: Array) -> Any:
    """Draw 64 bits by xoshiro256++, and move its state on."""
    mixed = s[0] + s[3]
    drawn = ((mixed << _ROTATE_OUT) | (mixed >> (_WORD - _ROTATE_OUT))) + s[0]
    moved = s[1] << _SHIFT
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= moved
    s[3] = (s[3] << _ROTATE_IN) | (s[3] >> (_WORD - _ROTATE_IN))
    return drawn


@kept
@njit(nogil=True)
def below(s: Array, n: Any) -> Any:
    """Draw a number from 0 to below an unsigned bound, every one equally likely."""
    upper, lower = product(draw(s), n)
    if lower < n:
        least = (np.uint64(0) - n) % n
        while lower < least:
            upper, lower = product(draw(s), n)
    return upper


@kept
@njit(nogil=True)
def _swap(cards: Array, left: Any, pick: Any) -> None:
    """Exchange the last card of those left with the one picked; unsigned places need no check."""
    last = left - _ONE
    cards[last], cards[pick] = cards[pick], cards[last]


@kept
@njit(nogil=True)
def shuffle(cards: Array, s: Array) -> None:
    """Put cards in a new order, every order equally likely: Fisher and Yates, from the end.

    Six picks are written out: in a loop they would go through memory.
    """
    n = np.uint64(len(cards))
    while n > _TOGETHER:
        bounds = n * (n - _ONE) * (n - _TWO) * (n - _THREE) * (n - _FOUR) * (n - _FIVE)
        least = bounds
        while True:
            pick0, rest = product(draw(s), n)
            pick1, rest = product(rest, n - _ONE)
            pick2, rest = product(rest, n - _TWO)
            pick3, rest = product(rest, n - _THREE)
            pick4, rest = product(rest, n - _FOUR)
            pick5, rest = product(rest, n - _FIVE)
            if rest >= bounds:
                break
            if least == bounds:
                least = (np.uint64(0) - bounds) % bounds
            if rest >= least:
                break
        _swap(cards, n, pick0)
        _swap(cards, n - _ONE, pick1)
        _swap(cards, n - _TWO, pick2)
        _swap(cards, n - _THREE, pick3)
        _swap(cards, n - _FOUR, pick4)
        _swap(cards, n - _FIVE, pick5)
        n -= _TOGETHER
    while n > _ONE:
        _swap(cards, n, below(s, n))
        n -= _ONE
