"""The exact odds of the next coup from any cards: whole numbers only, exact to the last digit.

Where numba is installed, residues.py counts them; otherwise the series of this module do.

A row is some cards in any order whose total stays below 31, and a last card that lifts it above 30.
With m1 and m2 cards before the last ones, N cards in the shoe and A ways to choose these cards, the
probability is A x m1! m2! (N - m1 - m2 - 2)! / N!: every order of a row's other cards is as good as
another. Series count the ways; the two last cards are pulled out of the product of all
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
from trente_rules.core.errors import TrenteError, shown
from trente_rules.odds.coup_odds import CoupOdds
from trente_rules.odds.residues import pays, ways_by_residues

VALUES: Final = tuple(range(1, LARGEST_POINTS + 1))
SIDE: Final = LAST_OPEN_TOTAL + 1
"""Open totals 0 to 30; also the most cards that a row can have, the last one included."""
SUMS: Final = range(SIDE)
_FIRST: Final = SIDE
_SECOND: Final = 1
"""The step in a series from one total of a row to the next; in a packed number, the fields."""

Series = list[int]
"""Coefficients by the two totals: place first * 31 + second. Each one is a polynomial in u and z,
the cards of both rows, packed into one whole number: fields of ``width`` bits, u by rows of 31."""
Marked = tuple[Series, ...]
"""The parts 1, e, d and e d of a series."""


def _unpacked(packed: int, width: int) -> list[tuple[int, int, int]]:
    """Return (m1, m2, coefficient) of every power of u and z in a packed number."""
    size = width // 8
    data = packed.to_bytes(SIDE**2 * size, "little")
    fields = (int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size))
    return [(*divmod(place, SIDE), n) for place, n in enumerate(fields) if n]


def _width(counts: Sequence[int]) -> int:
    """Return the bits that hold any number of this count: ways of both rows, marks, last cards."""
    ways = [1] + [0] * LAST_OPEN_TOTAL
    for value, count in zip(VALUES, counts, strict=True):
        ways = [
            sum(comb(count, k) * ways[total - k * value] for k in range(total // value + 1))
            for total in SUMS
        ]
    most = 2 * (sum(counts) * SIDE * max(ways)) ** 2
    return 8 * (most.bit_length() // 8 + 1)


def _product(counts: Sequence[int], width: int) -> Series:
    """Multiply the factors of all cards, unmarked."""
    series = [1] + [0] * (SIDE**2 - 1)
    for value, count in zip(VALUES, counts, strict=True):
        most = min(LAST_OPEN_TOTAL // value, count)
        result = [0] * SIDE**2
        for a in range(most + 1):
            for b in range(min(most, count - a) + 1):
                ways = comb(count, a) * comb(count - a, b)
                shift = (a * _FIRST + b * _SECOND) * width
                back = (a * _FIRST + b * _SECOND) * value
                for first in range(a * value, SIDE):
                    for place in range(first * SIDE + b * value, (first + 1) * SIDE):
                        if old := series[place - back]:
                            result[place] += old * ways << shift
        series = result
    return series


def _divide(series: Series, value: int, width: int) -> Series:
    """Divide by the unmarked factor of one card."""
    quotient = series.copy()
    for place in range(SIDE**2):
        if place // SIDE >= value:
            quotient[place] -= quotient[place - value * _FIRST] << width * _FIRST
        if place % SIDE >= value:
            quotient[place] -= quotient[place - value * _SECOND] << width * _SECOND
    return quotient


def _add(series: Series, factor: int, other: Series, value: int, row: int, width: int) -> None:
    """Add factor x u s^value x other to a series, in place; for the second row z t^value."""
    for place in range(value * row, SIDE**2):
        if place // row % SIDE >= value:
            series[place] += other[place - value * row] * factor << width * row


def _marked_product(counts: Sequence[int], reds: Sequence[int], width: int) -> Marked:
    """Multiply the factors of all cards; the marked parts follow from the plain one.

    The part with e is the sum over red cards of u s^v times the product of all others.
    """
    plain = _product(counts, width)
    first, second, both = ([0] * SIDE**2 for _part in range(3))
    red_values = [(value, red) for value, red in zip(VALUES, reds, strict=True) if red]
    quotients = {value: _divide(plain, value, width) for value, _red in red_values}
    for value, red in red_values:
        _add(first, red, quotients[value], value, _FIRST, width)
        _add(second, red, quotients[value], value, _SECOND, width)
    for value, red in red_values:
        rest = second.copy()
        _add(rest, -1, quotients[value], value, _SECOND, width)
        _add(both, red, _divide(rest, value, width), value, _FIRST, width)
    return plain, first, second, both


def _without_red(product: Marked, plain: Series, value: int, width: int) -> Marked:
    """Pull out a red card of a value, whose factor has marked parts; ``plain`` is known already.

    A part of the quotient is the part of the product, less what the marked parts of the factor
    add to it, over the plain part of the factor.
    """
    _plain, first, second, both = (part.copy() for part in product)
    _add(first, -1, plain, value, _FIRST, width)
    _add(second, -1, plain, value, _SECOND, width)
    first, second = _divide(first, value, width), _divide(second, value, width)
    _add(both, -1, second, value, _FIRST, width)
    _add(both, -1, first, value, _SECOND, width)
    return plain, first, second, _divide(both, value, width)


def _ends(counts: Sequence[int], reds: Sequence[int], width: int) -> Marked:
    """Count the ways of both rows by both points, in four parts; powers of u and z still packed.

    Pairs of unlike last cards count twice, in one order only.
    """
    # sums[a, b]: the terms with (-u s^y)^a (-z t^y)^b of 1 / (factor of the second row's last card
    # y), for ten by ten points; by the four parts, each times the cards of value y, and the first
    # three also times the red ones.
    sums: dict[tuple[int, int], list[Series]] = {}
    product = _marked_product(counts, reds, width)
    for x, count, red in zip(VALUES, counts, reds, strict=True):
        if not count:
            continue
        noir_out = tuple(_divide(part, x, width) for part in product)
        rouge_out = _without_red(product, noir_out[0], x, width) if red else noir_out
        noir = count - red
        _add_ends(sums, noir_out, x, x, noir * (count - 1), noir * red)
        _add_ends(sums, rouge_out, x, x, red * (count - 1), red * (red - 1))
        either = tuple(
            [noir * a + red * b for a, b in zip(black, rouge, strict=True)]
            for black, rouge in zip(noir_out, rouge_out, strict=True)
        )
        for y in VALUES[x:]:
            _add_ends(sums, either, x, y, 2 * counts[y - 1], 2 * reds[y - 1])
    ends: Marked = tuple([0] * len(POINTS) ** 2 for _part in range(4))
    for (a, b), terms in sums.items():
        sign = (-1) ** (a + b) * comb(a + b, a)
        shift = (a * _FIRST + b * _SECOND) * width
        for k, (plain, e, d, ed, red, red_e, red_d) in enumerate(zip(*terms, strict=True)):
            if plain:
                marked = ed + a * red_d + b * red_e + a * b * red
                ways = plain, e + a * red, d + b * red, marked
                for part, n in zip(ends, ways, strict=True):
                    part[k] += sign * n << shift
    return ends


def _add_ends(
    sums: dict[tuple[int, int], list[Series]], series: Marked, x: int, y: int, count: int, red: int
) -> None:
    """Let x end the first row, pulled out of the series, and y, of which there are count."""
    if not count:
        return
    size, (plain, first, second, both) = len(POINTS), series
    for a in range(LAST_OPEN_TOTAL // y + 1):
        for b in range(LAST_OPEN_TOTAL // y + 1):
            terms = sums.setdefault((a, b), [[0] * size**2 for _kind in range(7)])
            for total in range(max(SIDE - x, a * y), SIDE):
                for other in range(max(SIDE - y, b * y), SIDE):
                    old = (total - a * y) * SIDE + other - b * y
                    if not plain[old]:
                        continue
                    new = (total + x - SIDE) * size + other + y - SIDE
                    terms[0][new] += count * plain[old]
                    terms[1][new] += count * first[old]
                    terms[2][new] += count * second[old]
                    terms[3][new] += count * both[old]
                    if red:
                        terms[4][new] += red * plain[old]
                        terms[5][new] += red * first[old]
                        terms[6][new] += red * second[old]


def _weigh(ends: Marked, cards: int, width: int, most: int) -> list[list[int]]:
    """Weigh the ways with the orders of their cards: four parts, by both points.

    Everything is in units of 1 / (the orders of as many cards as a coup can have). With e the
    first card of the first row is a red one, so m1 - 1 cards are left to be ordered; likewise d.
    """
    orders = [factorial(m) for m in SUMS]
    last = min(cards, 2 * SIDE)
    rest = [perm(cards - drawn, last - drawn) for drawn in range(last + 1)]
    weighed = [[0] * len(POINTS) ** 2 for _part in ends]
    for part, series in enumerate(ends):
        first_fixed, second_fixed = part & 1, part >> 1
        for place, packed in enumerate(series):
            weighed[part][place] = sum(
                ways * orders[m1 - first_fixed] * orders[m2 - second_fixed] * rest[m1 + m2 + 2]
                for m1, m2, ways in _unpacked(packed, width)
                if m1 + m2 + 2 <= most
            )
    return weighed


def check_counts(noir: Sequence[int], rouge: Sequence[int]) -> None:
    """Refuse counts that are not ten whole numbers, none below 0, for each colour.

    Raises ``TrenteError`` ("bad-composition").
    """
    for name, counts in (("noir", noir), ("rouge", rouge)):
        if (
            not isinstance(counts, Sequence)
            or len(counts) != len(VALUES)
            or any(type(n) is not int or n < 0 for n in counts)
        ):
            raise TrenteError(
                f"{name} counts {shown(counts)} are not a composition",
                "bad-composition",
                f"give {len(VALUES)} whole numbers, none below 0: aces first, tens and courts last",
            )


def odds_of_cards(
    noir: Sequence[int], rouge: Sequence[int], deal: str = "cards", *, most: int | None = None
) -> CoupOdds:
    """Return the exact odds of the next coup dealt from cards in random order.

    ``noir`` and ``rouge`` count the black and the red cards of each value, aces first, tens and
    court cards together last: ten numbers each. A coup that needs more than ``most`` cards is
    unfinished, as where a marker or the end of the shoe comes first (default: all cards).
    ``unfinished_weight`` is the weight of such coups. Takes a fifth of a second for a sixain where
    numba is installed, otherwise about five. Raises ``TrenteError`` ("bad-composition").
    """
    check_counts(noir, rouge)
    counts = [a + b for a, b in zip(noir, rouge, strict=True)]
    cards = sum(counts)
    last = cards if most is None else min(cards, max(most, 0))
    count = ways_by_residues if pays(cards) else _ways_by_series
    denominator, whole, first_red, both_red = count(counts, rouge, last)
    weights = []
    size = len(POINTS)
    for place in range(size**2):
        first, both = first_red[place], both_red[place]
        second = first_red[place % size * size + place // size]
        weights += [whole[place] - first - second + both, second - both, first - both, both]
    unfinished = denominator - sum(weights)
    common = gcd(denominator, *weights)
    return CoupOdds(
        deal,
        denominator // common,
        tuple(weight // common for weight in weights),
        unfinished // common,
    )


def _ways_by_series(
    counts: Sequence[int], reds: Sequence[int], most: int
) -> tuple[int, list[int], list[int], list[int]]:
    """Return a denominator, and the weights of both points: all, a red first card, two of them.

    The first card is that of the first row. ``most`` is how many cards a coup may take.
    """
    cards, size = sum(counts), len(POINTS)
    width = _width(counts)
    plain, e, d, ed = _weigh(_ends(counts, reds, width), cards, width, most)
    swapped = [place % size * size + place // size for place in range(size**2)]
    # Unlike last cards were counted in one order only: the other one swaps the rows.
    return (
        2 * perm(cards, min(cards, 2 * SIDE)),
        [plain[place] + plain[other] for place, other in enumerate(swapped)],
        [e[place] + d[other] for place, other in enumerate(swapped)],
        [ed[place] + ed[other] for place, other in enumerate(swapped)],
    )


def count_cards(cards: Iterable[Card]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return how many black and how many red cards there are of each value, aces first."""
    counts = {colour: [0] * len(VALUES) for colour in Colour}
    for card in cards:
        counts[card.colour][card.points - 1] += 1
    return tuple(counts[Colour.NOIR]), tuple(counts[Colour.ROUGE])


# What two rows of equal points take out of a shoe: every composition, with its exact weight

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
