"""The mean length of a row: a figure that the sources print and the library has no use for."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb

from trente_rules.core.coup import LAST_OPEN_TOTAL

RANKS = {points: 4 if points == 10 else 1 for points in range(1, 11)}


@cache
def cards_in_a_row(packs: int | None) -> Fraction:
    """Return the mean number of cards in one row, from fresh packs or (None) an infinite pack.

    A row takes a card for as long as its total is open, so the mean is the sum over k of the
    probability that k cards come to 30 or less.
    """
    if packs is None:
        reached = [Fraction(1)]
        for total in range(1, LAST_OPEN_TOTAL + 1):
            parts = (reached[total - p] * n for p, n in RANKS.items() if p <= total)
            reached.append(sum(parts, Fraction(0)) / 13)
        return sum(reached, Fraction(0))
    hands = {(0, 0): 1}  # by total and number of cards
    for points, ranks in RANKS.items():
        grown: dict[tuple[int, int], int] = {}
        for (total, cards), ways in hands.items():
            for more in range((LAST_OPEN_TOTAL - total) // points + 1):
                place = total + more * points, cards + more
                grown[place] = grown.get(place, 0) + ways * comb(4 * packs * ranks, more)
        hands = grown
    return sum(
        (Fraction(ways, comb(52 * packs, cards)) for (_total, cards), ways in hands.items()),
        Fraction(0),
    )
