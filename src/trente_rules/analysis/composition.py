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
from math import comb, factorial, gcd, perm
from typing import Final

from trente_rules.analysis.deal_odds import CoupOdds
from trente_rules.analysis.row_series import (
    SIDE,
    SUMS,
    VALUES,
    Fields,
    Marked,
    Series,
    either_out,
    fields_for,
    marked_product,
    without_noir,
    without_rouge,
)
from trente_rules.deal.cards import Card, Colour
from trente_rules.deal.coup import LAST_OPEN_TOTAL, POINTS
from trente_rules.errors import TrenteError

_KINDS: Final = 7


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
                sums = self.sums.setdefault((a, b), [[0] * size**2 for _k in range(_KINDS)])
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
        """Answer the ways by both points, in four parts; powers of u and z still packed."""
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
        noir_out = without_noir(product, x, fields)
        rouge_out = without_rouge(product, noir_out[0], x, fields) if red else noir_out
        noir = count - red
        ends.add(noir_out, x, x, noir * (count - 1), noir * red)
        ends.add(rouge_out, x, x, red * (count - 1), red * (red - 1))
        either = either_out(noir, noir_out, red, rouge_out)
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
    """Answer the exact odds of the next coup dealt from cards in random order.

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
    """Answer how many black and how many red cards there are of each value, aces first."""
    counts = {colour: [0] * len(VALUES) for colour in Colour}
    for card in cards:
        counts[card.colour][card.points - 1] += 1
    return tuple(counts[Colour.NOIR]), tuple(counts[Colour.ROUGE])
