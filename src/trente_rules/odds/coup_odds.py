"""The exact odds of one coup: of an infinite pack, and of fresh full shoes of 1 to 8 packs.

An infinite pack is a renewal recursion on the running total. The tables of fresh shoes are stored;
``tools/make_fresh_shoes.py`` writes them, and the tests compute them in other ways. By
exchangeability they hold for every coup of the shoe that is sure to be completed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import combinations_with_replacement
from typing import Final, TypeVar

from attrs import field, frozen

from trente_rules.core.chances import COUP_VERDICTS, MOST_VERDICTS
from trente_rules.core.coup import LAST_OPEN_TOTAL, OUTCOMES, POINTS
from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.shoe import MOST_PACKS

_WEIGHTS: Final = {points: 4 if points == 10 else 1 for points in range(1, 11)}  # noqa: PLR2004
_RANKS: Final = 13
_MOST_CARDS: Final = LAST_OPEN_TOTAL + 1
"""The most cards that a row can have: weights in units of 13 to this power stay whole."""
_N: Final = len(POINTS)
Number = TypeVar("Number", int, float)
Joint = tuple[tuple[Fraction, ...], ...]


@frozen
class CoupOdds:
    """The odds of one coup, exact.

    ``weights`` has one integer for each of the 400 outcomes (``core.coup.outcome_index``);
    a probability is a weight over ``denominator``. ``unfinished_weight`` is that of a coup that the
    cards cannot complete. ``deal`` names the basis: "infinite", "6-packs". Raises ``TrenteError``
    ("bad-coup-odds") where the weights do not sum to the denominator.
    """

    deal: str
    denominator: int = field(repr=False)
    weights: tuple[int, ...] = field(repr=False)
    unfinished_weight: int = 0

    def __attrs_post_init__(self) -> None:
        """Check that the weights are odds."""
        whole = sum(self.weights) + self.unfinished_weight
        least = min(self.weights, default=0)
        if (
            len(self.weights) != OUTCOMES
            or min(least, self.unfinished_weight) < 0
            or whole != self.denominator
        ):
            raise TrenteError(
                f"{len(self.weights)} weights from {least} up, and {self.unfinished_weight} "
                f"unfinished, that sum to {whole}, not to {self.denominator}",
                "bad-coup-odds",
                f"{OUTCOMES} weights, none below 0, sum to it with the unfinished",
            )

    def probability(self, outcome: int) -> Fraction:
        """Return the probability of an outcome by its index."""
        return Fraction(self.weights[outcome], self.denominator)

    def joint(self) -> Joint:
        """Return the probability of both points: ``joint[first - 31][second - 31]``."""
        return tuple(
            tuple(
                Fraction(sum(self.weights[place : place + 4]), self.denominator)
                for place in range(4 * _N * row, 4 * _N * (row + 1), 4)
            )
            for row in range(_N)
        )

    def row(self) -> tuple[Fraction, ...]:
        """Return the probability of each point of one row, 31 to 40; both rows are alike."""
        return tuple(sum(row, Fraction(0)) for row in self.joint())

    def tie(self, point: int) -> Fraction:
        """Return the probability that both rows end on a point."""
        return self.joint()[point - POINTS[0]][point - POINTS[0]]

    def verdicts(self, table: bytes) -> tuple[Fraction, ...]:
        """Return the probability of each verdict of a chance, by its table, in its order.

        They sum to one less the probability of a coup that the cards cannot complete. Raises
        ``TrenteError`` ("bad-verdicts") for a table without a verdict for each outcome.
        """
        totals = [0] * verdicts_of(table)
        for verdict, weight in zip(table, self.weights, strict=True):
            totals[verdict] += weight
        return tuple(Fraction(total, self.denominator) for total in totals)


def verdicts_of(table: bytes) -> int:
    """Return how many verdicts a table may name: four, or more where it has special ones.

    Raises ``TrenteError`` ("bad-verdicts") for a table without a verdict for each outcome.
    """
    last = max(table, default=0)
    if len(table) != OUTCOMES or last >= MOST_VERDICTS:
        raise TrenteError(
            f"a verdict table of {len(table)} places",
            "bad-verdicts",
            f"it has one of the verdicts 0 to {MOST_VERDICTS - 1} for each of {OUTCOMES} outcomes",
        )
    return max(len(COUP_VERDICTS), last + 1)


def _odds(deal: str, denominator: int, points: list[list[int]], same: list[list[int]]) -> CoupOdds:
    """Spread the weights of points over colours; both orientations of colours are alike.

    ``points`` and ``same`` (first cards of one colour) are in the same unit, and even.
    """
    weights = []
    for line, same_line in zip(points, same, strict=True):
        for both, alike in zip(line, same_line, strict=True):
            unlike = (both - alike) // 2
            weights += [alike // 2, unlike, unlike, alike // 2]
    return CoupOdds(deal, denominator, tuple(weights))


@cache
def infinite_pack() -> CoupOdds:
    """Return the odds with replacement: the limit of many packs."""
    # How often a row reaches each open total, in units of 13 to the most cards.
    reached = [_RANKS**_MOST_CARDS] + [0] * LAST_OPEN_TOTAL
    for total in range(1, LAST_OPEN_TOTAL + 1):
        for points, ranks in _WEIGHTS.items():
            if points <= total:
                reached[total] += reached[total - points] * ranks // _RANKS
    # The last card lifts an open total to the point of the row.
    row = [
        sum(
            reached[point - points] * ranks // _RANKS
            for points, ranks in _WEIGHTS.items()
            if point - points <= LAST_OPEN_TOTAL
        )
        for point in POINTS
    ]
    both = [[4 * a * b for b in row] for a in row]
    same = [[weight // 2 for weight in line] for line in both]
    return _odds("infinite", 4 * sum(row) ** 2, both, same)


@cache
def fresh_shoe(packs: int) -> CoupOdds:
    """Return the odds of a coup of a fresh full shoe of 1 to 8 packs, without replacement.

    Raises ``TrenteError`` ("unknown-deal") for another number of packs.
    """
    if not 1 <= packs <= MOST_PACKS:
        raise _deal_error(f"{packs}-packs")
    text = (files("trente_rules.odds") / "fresh_shoes" / f"{packs}.json").read_text("utf-8")
    stored = json.loads(text)
    points, same = (symmetric(map(int, stored[name])) for name in ("points", "same_colour"))
    return _odds(f"{packs}-packs", int(stored["denominator"]), points, same)


def symmetric(upper: Iterable[Number]) -> list[list[Number]]:
    """Return a symmetric table of ten by ten points from its upper triangle, line by line."""
    triangle = dict(zip(combinations_with_replacement(range(_N), 2), upper, strict=True))
    return [[triangle[min(i, j), max(i, j)] for j in range(_N)] for i in range(_N)]


def odds_of(deal: str, own_packs: int) -> CoupOdds:
    """Return the odds of a deal by its name: "own", "infinite", or "N-packs" ("1-pack").

    ``own_packs`` is the meaning of "own". Raises ``TrenteError`` ("unknown-deal").
    """
    if deal == "own":
        return fresh_shoe(own_packs)
    if deal == "infinite":
        return infinite_pack()
    packs = re.fullmatch(r"([1-9])-packs?", deal)
    if not packs:
        raise _deal_error(deal)
    return fresh_shoe(int(packs[1]))


def _deal_error(deal: str) -> TrenteError:
    return TrenteError(
        f"{shown(deal)} is not a deal with known odds",
        "unknown-deal",
        f"deals are own, infinite, and 1-packs to {MOST_PACKS}-packs",
    )
