"""Tailles of few cards, counted directly: every order of the cards, by recursion."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import fsum

from trente_rules.odds.taille_nodes import PAIRS, PrisonPath, TailleShape, TailleSums

LAST_OPEN = 30
Later = tuple[dict[int, float], dict[int, float], list[float]]


def counted(shape: TailleShape, prison: PrisonPath) -> TailleSums:
    """Return the sums of a shape with one end, from all orders of its cards."""
    ((begin, end),) = shape.ends
    states = len(prison.gains)
    both = [1.0 if i == j else 2.0 for i, j in PAIRS]
    places = {pair: place for place, pair in enumerate(PAIRS)}

    @cache
    def later(left: tuple[int, ...], total: int, first: int, out: int) -> Later:
        """Return the law of the coups to come, coups by pairs, and what each state gains."""
        cards = sum(left)
        law: dict[int, float] = {}
        points: dict[int, float] = {}
        gains = [0.0] * states
        between = not total and not first
        if not cards or out >= end or (between and out >= begin):
            return {0: 1.0}, {}, gains
        for value, count in enumerate(left, 1):
            if not count:
                continue
            p = count / cards
            rest = tuple(n - (place == value) for place, n in enumerate(left, 1))
            here = total + value
            pair = -1
            if here <= LAST_OPEN:
                found = later(rest, here, first, out + 1)
            elif not first:
                found = later(rest, 0, here, out + 1)
            else:
                found = later(rest, 0, 0, out + 1)
                low, high = sorted((first, here))
                pair = places[low - 31, high - 31]
                points[pair] = points.get(pair, 0.0) + p
            for coups, chance in found[0].items():
                n = coups + (pair >= 0)
                law[n] = law.get(n, 0.0) + p * chance
            for place, chance in found[1].items():
                points[place] = points.get(place, 0.0) + p * chance
            for state in range(states):
                if pair < 0:
                    gains[state] += p * found[2][state]
                    continue
                moves = (prison.moves[state][after][pair] for after in range(states))
                more = fsum(m * g for m, g in zip(moves, found[2], strict=True))
                gains[state] += p * (prison.gains[state][pair] + more) / both[pair]
        return law, points, gains

    # A coup that has begun before a marker that lets it be finished is cut short by ``end`` alone.
    law, points, gains = later(shape.counts, 0, 0, 0)
    return TailleSums(
        tuple(points.get(place, 0.0) for place in range(len(PAIRS))),
        tuple(law.get(n, 0.0) for n in range(shape.fewest, shape.most + 1)),
        (gains[0],),
    )


def few(counts: dict[int, int]) -> tuple[int, ...]:
    """Return the counts of the values 1 to 10."""
    return tuple(counts.get(value, 0) for value in range(1, 11))


def farthest(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the greatest difference of two lists of numbers."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))
