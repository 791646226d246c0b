"""Series that count the ways of dealing two rows, as whole numbers: exact and never rounded.

A series is a square of coefficients, by the open totals of the two rows. Each coefficient is itself
a polynomial in u and z, the numbers of cards in the two rows, packed into one whole number: every
power has a field of its own, wide enough never to overflow. A card of value v is a factor

    1 + u s^v + z t^v        (left in the shoe, or in the first row, or in the second)

where s and t carry the totals. A red card is marked: 1 + (1 + e) u s^v + (1 + d) z t^v with
e^2 = d^2 = 0. The parts 1, e, d and e d of a series are kept apart; the part with e counts every
way once for each red card in the first row.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Final

from attrs import frozen

from trente_rules.deal.cards import LARGEST_POINTS
from trente_rules.deal.coup import LAST_OPEN_TOTAL

VALUES: Final = tuple(range(1, LARGEST_POINTS + 1))
SIDE: Final = LAST_OPEN_TOTAL + 1
"""Open totals 0 to 30; also the most cards that a row can have, the last one included."""
SUMS: Final = range(SIDE)

Series = list[int]
"""Coefficients by the two totals: place first * 31 + second."""
Marked = tuple[Series, Series, Series, Series]
"""The parts 1, e, d and e d of a series."""


@frozen
class Fields:
    """How powers of u and z lie in one whole number: fields of ``width`` bits, u by rows of 31."""

    width: int

    @property
    def u(self) -> int:
        """The shift that multiplies by u: one more card in the first row."""
        return self.width * SIDE

    @property
    def z(self) -> int:
        """The shift that multiplies by z: one more card in the second row."""
        return self.width

    def read(self, packed: int) -> list[tuple[int, int, int]]:
        """Answer (m1, m2, coefficient) of every power that is there."""
        size = self.width // 8
        data = packed.to_bytes(SIDE * SIDE * size, "little")
        found = []
        for place in range(SIDE * SIDE):
            coefficient = int.from_bytes(data[place * size : (place + 1) * size], "little")
            if coefficient:
                found.append((*divmod(place, SIDE), coefficient))
        return found


def fields_for(counts: Sequence[int]) -> Fields:
    """Answer fields that hold any number of this count: ways of both rows, marks, last cards."""
    ways = [1] + [0] * LAST_OPEN_TOTAL
    for value, count in zip(VALUES, counts, strict=True):
        ways = [
            sum(comb(count, k) * ways[total - k * value] for k in range(total // value + 1))
            for total in SUMS
        ]
    most = 2 * (sum(counts) * SIDE * max(ways)) ** 2
    return Fields(8 * (most.bit_length() // 8 + 1))


def _product(counts: Sequence[int], fields: Fields) -> Series:
    """Multiply the factors of all cards, unmarked."""
    series = [0] * SIDE**2
    series[0] = 1
    for value, count in zip(VALUES, counts, strict=True):
        most = min(LAST_OPEN_TOTAL // value, count)
        result = [0] * SIDE**2
        for a in range(most + 1):
            for b in range(min(most, count - a) + 1):
                ways = comb(count, a) * comb(count - a, b)
                shift = a * fields.u + b * fields.z
                for first in range(a * value, SIDE):
                    start = (first - a * value) * SIDE
                    for second in range(b * value, SIDE):
                        old = series[start + second - b * value]
                        if old:
                            result[first * SIDE + second] += old * ways << shift
        series = result
    return series


def _divide(series: Series, value: int, fields: Fields) -> Series:
    """Divide by the unmarked factor of one card."""
    quotient = series.copy()
    u, z, back = fields.u, fields.z, value * SIDE
    for first in SUMS:
        for second in SUMS:
            place = first * SIDE + second
            rest = quotient[place]
            if first >= value:
                rest -= quotient[place - back] << u
            if second >= value:
                rest -= quotient[place - value] << z
            quotient[place] = rest
    return quotient


def _add_first(series: Series, factor: int, other: Series, value: int, fields: Fields) -> None:
    """Add factor x u s^value x other to a series, in place."""
    if factor:
        for place in range(value * SIDE, SIDE**2):
            series[place] += other[place - value * SIDE] * factor << fields.u


def _add_second(series: Series, factor: int, other: Series, value: int, fields: Fields) -> None:
    """Add factor x z t^value x other to a series, in place."""
    if factor:
        for first in SUMS:
            for place in range(first * SIDE + value, (first + 1) * SIDE):
                series[place] += other[place - value] * factor << fields.z


def marked_product(counts: Sequence[int], reds: Sequence[int], fields: Fields) -> Marked:
    """Multiply the factors of all cards; the marked parts follow from the plain one.

    The part with e is the sum over red cards of u s^v times the product of all others.
    """
    plain = _product(counts, fields)
    first, second, both = ([0] * SIDE**2 for _part in range(3))
    red_values = [(value, red) for value, red in zip(VALUES, reds, strict=True) if red]
    for value, red in red_values:
        without = _divide(plain, value, fields)
        _add_first(first, red, without, value, fields)
        _add_second(second, red, without, value, fields)
    for value, red in red_values:
        without = _divide(plain, value, fields)
        rest = second.copy()
        _add_second(rest, -1, without, value, fields)
        _add_first(both, red, _divide(rest, value, fields), value, fields)
    return plain, first, second, both


def without_noir(product: Marked, value: int, fields: Fields) -> Marked:
    """Pull out a black card of a value."""
    plain, first, second, both = (_divide(part, value, fields) for part in product)
    return plain, first, second, both


def without_rouge(product: Marked, plain: Series, value: int, fields: Fields) -> Marked:
    """Pull out a red card of a value, whose factor has marked parts; ``plain`` is known already.

    A part of the quotient is the part of the product, less what the marked parts of the factor
    add to it, over the plain part of the factor.
    """
    _plain, first, second, both = (part.copy() for part in product)
    _add_first(first, -1, plain, value, fields)
    _add_second(second, -1, plain, value, fields)
    first, second = _divide(first, value, fields), _divide(second, value, fields)
    _add_first(both, -1, second, value, fields)
    _add_second(both, -1, first, value, fields)
    return plain, first, second, _divide(both, value, fields)


def either_out(noirs: int, noir_out: Marked, rouges: int, rouge_out: Marked) -> Marked:
    """Add up the series without one card of a value, over all cards of it."""
    plain, first, second, both = (
        [noirs * a + rouges * b for a, b in zip(noir, rouge, strict=True)]
        for noir, rouge in zip(noir_out, rouge_out, strict=True)
    )
    return plain, first, second, both
