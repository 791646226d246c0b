"""The exact odds of the next coup from any cards: whole numbers only, exact to the last digit.

A row is some cards in any order whose total stays below 31, and a last card that lifts it above 30.
With m1 and m2 cards before the last ones, N cards in the shoe and A ways to choose these cards, the
probability is A x m1! m2! (N - m1 - m2 - 2)! / N!: every order of a row's other cards is as good as
another. ``row_series`` counts the ways; the two last cards are pulled out of the product of all
cards by dividing their factors away. Its marks give the colours of the first cards: any one of the
m1 cards may be the first, and a mark says that it is a red one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb, factorial, gcd, perm, prod
from typing import Final

from attrs import field, frozen

from trente_rules.core.cards import LARGEST_POINTS, Card, Colour
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.odds.coup_odds import CoupOdds

# --- Series that count the ways of dealing two rows, as whole numbers: exact and never rounded

VALUES: Final = tuple(range(1, LARGEST_POINTS + 1))
SIDE: Final = LAST_OPEN_TOTAL + 1
"""Open totals 0 to 30; also the most cards that a row can have, the last one included."""
SUMS: Final = range(SIDE)

Series = list[int]
"""Coefficients by the two totals: place first * 31 + second."""
Marked = tuple[Series, ...]
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
        """Return (m1, m2, coefficient) of every power that is there."""
        size = self.width // 8
        data = packed.to_bytes(SIDE * SIDE * size, "little")
        coefficients = (
            int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size)
        )
        return [(*divmod(place, SIDE), n) for place, n in enumerate(coefficients) if n]


def fields_for(counts: Sequence[int]) -> Fields:
    """Return fields that hold any number of this count: ways of both rows, marks, last cards."""
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


class _Ends:
    """Adds up the ways to end both rows, by both points.

    ``sums[a, b]`` are the terms with (-u s^y)^a (-z t^y)^b of 1 / (factor of the second row's last
    card y), for ten by ten points; by the four parts, each times the cards of value y, and the
    first three also times the red ones.
    """

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.sums: dict[tuple[int, int], list[Series]] = {}

    def add(self, series: Marked, x: int, y: int, count: int, red: int) -> None:
        """Let x end the first row, pulled out of the series, and y, of which there are count."""
        if not count:
            return
        plain, first, second, both = series
        size = len(POINTS)
        for a in range(LAST_OPEN_TOTAL // y + 1):
            for b in range(LAST_OPEN_TOTAL // y + 1):
                sums = self.sums.setdefault((a, b), [[0] * size**2 for _kind in range(7)])
                for total in range(max(SIDE - x, a * y), SIDE):
                    for other in range(max(SIDE - y, b * y), SIDE):
                        old = (total - a * y) * SIDE + other - b * y
                        if not plain[old]:
                            continue
                        new = (total + x - SIDE) * size + other + y - SIDE
                        sums[0][new] += count * plain[old]
                        sums[1][new] += count * first[old]
                        sums[2][new] += count * second[old]
                        sums[3][new] += count * both[old]
                        if red:
                            sums[4][new] += red * plain[old]
                            sums[5][new] += red * first[old]
                            sums[6][new] += red * second[old]

    def parts(self) -> Marked:
        """Return the ways by both points, in four parts; powers of u and z still packed."""
        size = len(POINTS) ** 2
        plain, first, second, both = ([0] * size for _part in range(4))
        for (a, b), sums in self.sums.items():
            sign = (-1) ** (a + b) * comb(a + b, a)
            shift = a * self.fields.u + b * self.fields.z
            all_, all_e, all_d, all_ed, red, red_e, red_d = sums
            for k in range(size):
                if not all_[k]:
                    continue
                plain[k] += sign * all_[k] << shift
                first[k] += sign * (all_e[k] + a * red[k]) << shift
                second[k] += sign * (all_d[k] + b * red[k]) << shift
                both[k] += (
                    sign * (all_ed[k] + a * red_d[k] + b * red_e[k] + a * b * red[k]) << shift
                )
        return plain, first, second, both


def _ends(counts: Sequence[int], reds: Sequence[int], fields: Fields) -> Marked:
    """Count the ways of both rows; pairs of unlike last cards twice, in one order only."""
    product = marked_product(counts, reds, fields)
    ends = _Ends(fields)
    for x in VALUES:
        count, red = counts[x - 1], reds[x - 1]
        if not count:
            continue
        noir_out = tuple(_divide(part, x, fields) for part in product)
        rouge_out = without_rouge(product, noir_out[0], x, fields) if red else noir_out
        noir = count - red
        ends.add(noir_out, x, x, noir * (count - 1), noir * red)
        ends.add(rouge_out, x, x, red * (count - 1), red * (red - 1))
        either = tuple(
            [noir * a + red * b for a, b in zip(black, rouge, strict=True)]
            for black, rouge in zip(noir_out, rouge_out, strict=True)
        )
        for y in VALUES[x:]:
            ends.add(either, x, y, 2 * counts[y - 1], 2 * reds[y - 1])
    return ends.parts()


def _weigh(ends: Marked, cards: int, fields: Fields) -> list[list[int]]:
    """Weigh the ways with the orders of their cards: four parts, by both points.

    Everything is in units of 1 / (the orders of as many cards as a coup can have). With e the
    first card of the first row is a red one, so m1 - 1 cards are left to be ordered; likewise d.
    """
    orders = [factorial(m) for m in SUMS]
    last = min(cards, 2 * SIDE)
    rest = [1] * (last + 1)
    for drawn in range(last - 1, -1, -1):
        rest[drawn] = rest[drawn + 1] * (cards - drawn)
    weighed = [[0] * len(POINTS) ** 2 for _part in ends]
    for part, series in enumerate(ends):
        first_fixed, second_fixed = part & 1, part >> 1
        for place, packed in enumerate(series):
            weighed[part][place] = sum(
                ways * orders[m1 - first_fixed] * orders[m2 - second_fixed] * rest[m1 + m2 + 2]
                for m1, m2, ways in fields.read(packed)
            )
    return weighed


def check_counts(noir: Sequence[int], rouge: Sequence[int]) -> None:
    """Refuse counts that are not ten whole numbers, none below 0, for each colour.

    Raises ``TrenteError`` ("bad-composition").
    """
    for name, counts in (("noir", noir), ("rouge", rouge)):
        shown = list(counts)[: len(VALUES) + 2] if isinstance(counts, Sequence) else counts
        if (
            not isinstance(counts, Sequence)
            or len(counts) != len(VALUES)
            or any(type(n) is not int or n < 0 for n in counts)
        ):
            raise TrenteError(
                f"{name} counts {shown!r} are no composition",
                "bad-composition",
                f"give {len(VALUES)} whole numbers, none below 0: aces first, tens and courts last",
            )


def odds_of_cards(noir: Sequence[int], rouge: Sequence[int], deal: str = "cards") -> CoupOdds:
    """Return the exact odds of the next coup dealt from cards in random order.

    ``noir`` and ``rouge`` count the black and the red cards of each value, aces first, tens and
    court cards together last: ten numbers each. ``unfinished`` is the weight of a coup for which
    the cards do not suffice. Takes about five seconds for a sixain. Raises ``TrenteError``
    ("bad-composition").
    """
    check_counts(noir, rouge)
    counts = [a + b for a, b in zip(noir, rouge, strict=True)]
    cards = sum(counts)
    fields = fields_for(counts)
    plain, e, d, ed = _weigh(_ends(counts, rouge, fields), cards, fields)
    denominator = 2 * perm(cards, min(cards, 2 * SIDE))
    weights = []
    size = len(POINTS)
    for place in range(size**2):
        # Unlike last cards were counted in one order only: the other one swaps the rows.
        swapped = place % size * size + place // size
        both_red = ed[place] + ed[swapped]
        first_red, second_red = e[place] + d[swapped], d[place] + e[swapped]
        noir_noir = plain[place] + plain[swapped] - first_red - second_red + both_red
        weights += [noir_noir, second_red - both_red, first_red - both_red, both_red]
    unfinished = denominator - sum(weights)
    common = gcd(denominator, *weights)
    return CoupOdds(
        deal,
        denominator // common,
        tuple(weight // common for weight in weights),
        unfinished // common,
    )


def count_cards(cards: Iterable[Card]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return how many black and how many red cards there are of each value, aces first."""
    counts = {colour: [0] * len(VALUES) for colour in Colour}
    for card in cards:
        counts[card.colour][card.points - 1] += 1
    return tuple(counts[Colour.NOIR]), tuple(counts[Colour.ROUGE])


# --- What two rows of equal points take out of a shoe: every composition, with its exact weight

_BITS: Final = 8
"""Bits of a count in a packed composition: two rows have at most 62 cards."""
_MASK: Final = (1 << _BITS) - 1


@frozen
class RemovedRows:
    """The compositions that two rows of equal points can take out of a shoe, the heaviest first.

    ``removed`` has how many cards of each value are gone, aces first, tens and court cards last.
    The probability that the two next rows are of the points asked for and take just these cards is
    the weight over ``denominator``; the weights sum to the probability of such a tie.
    """

    removed: tuple[tuple[int, ...], ...] = field(repr=False)
    weights: tuple[int, ...] = field(repr=False)
    denominator: int = field(repr=False)


def _rows(counts: Sequence[int], point: int) -> dict[int, int]:
    """Return the orders of each set of cards, packed, that makes a row of a point."""
    hands: list[tuple[tuple[int, ...], int]] = [((), point)]
    for value, count in zip(VALUES, counts, strict=True):
        hands = [
            ((*hand, n), left - n * value)
            for hand, left in hands
            for n in range(min(count, left // value) + 1)
        ]
    rows: dict[int, int] = {}
    for hand, left in hands:
        # Only a card that lifts an open total to the point can be the last one.
        last = sum(hand[point - POINTS[0] :])
        if last and not left:
            orders = factorial(sum(hand) - 1) * last // prod(map(factorial, hand))
            rows[sum(n << _BITS * place for place, n in enumerate(hand))] = orders
    return rows


def removed_rows(counts: Sequence[int], points: Iterable[int]) -> RemovedRows:
    """Return what two rows that tie on one of ``points`` can take out of a shoe.

    ``counts`` are the cards of each value, ten numbers, aces first. For two rows of 31 from six
    packs this takes some seconds, for every tie about two minutes. Raises ``TrenteError``
    ("bad-composition").
    """
    check_counts(counts, [0] * len(VALUES))
    ways: dict[int, int] = {}
    for point in points:
        rows = list(_rows(counts, point).items())
        for place, (first, orders) in enumerate(rows):
            both = first + first
            ways[both] = ways.get(both, 0) + orders * orders
            for second, others in rows[place + 1 :]:
                both = first + second
                ways[both] = ways.get(both, 0) + 2 * orders * others
    cards = sum(counts)
    most = min(cards, 2 * SIDE)
    taken = [[perm(n, k) for k in range(n + 1)] for n in counts]
    weighed: list[tuple[int, tuple[int, ...]]] = []
    for packed, orders in ways.items():
        gone = tuple(packed >> _BITS * place & _MASK for place in range(len(VALUES)))
        if all(k <= n for k, n in zip(gone, counts, strict=True)):
            drawn = sum(gone)
            weight = orders * perm(cards - drawn, most - drawn)
            weighed.append((weight * prod(t[k] for t, k in zip(taken, gone, strict=True)), gone))
    weighed.sort(reverse=True)
    weights, removed = zip(*weighed, strict=True) if weighed else ((), ())
    return RemovedRows(removed, weights, perm(cards, most))
