"""How many coups and refaits a taille has, under the shoe rule of a house.

Whether a coup is completed hangs on the order of all cards before it, so the means are counted in
whole shoes dealt at random: ``tools/make_tailles.py`` stores where coups began and ended, for 1 to
8 packs, from a seed. Burned cards leave the others in as random an order as before, so the counts
serve every burn and every marker. The bounds are exact, from the points of the cards.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import sqrt
from typing import Final

from attrs import frozen

from trente_rules.analysis.deal_odds import fresh_shoe, infinite_pack
from trente_rules.analysis.par_sheet.values import Estimate, TailleFigures
from trente_rules.deal.coup import POINTS
from trente_rules.house.house import House
from trente_rules.rules.shoe_rule import CARDS_IN_PACK, ShoeRule

_POINTS_OF_PACK: Final = 340
_RANKS: Final = tuple(min(rank, 10) for rank in range(1, 14))
_LEAST_COUP: Final = 2 * POINTS[0]
_MOST_COUP: Final = 2 * POINTS[-1]
_MOST_OPEN: Final = POINTS[-1] + 30
"""The most points that lie in a coup without completing it."""


@frozen
class _Counts:
    """How many whole coups, and ties by point, end at each place, and begin behind each place."""

    tailles: int
    seed: int
    sd: float
    ends: tuple[int, ...]
    starts: tuple[int, ...]
    tie_ends: tuple[tuple[int, ...], ...]
    tie_starts: tuple[tuple[int, ...], ...]


@cache
def _counts(packs: int) -> _Counts:
    folder = files("trente_rules.analysis.par_sheet") / "shoes"
    stored = json.loads((folder / f"{packs}.json").read_text("utf-8"))
    coups, ties = stored["coups"], stored["ties"]
    return _Counts(
        stored["tailles"],
        stored["seed"],
        stored["sd"],
        tuple(coups["by_end"]),
        tuple(coups["by_start"]),
        tuple(map(tuple, ties["by_end"])),
        tuple(map(tuple, ties["by_start"])),
    )


def tailles_dealt(packs: int) -> tuple[int, int]:
    """Answer how many whole shoes the estimates are of, and the seed that they were dealt from."""
    counts = _counts(packs)
    return counts.tailles, counts.seed


def taille_figures(house: House) -> tuple[TailleFigures, ...]:
    """Answer the figures of a taille: one for each place of the marker that is told.

    Where a player may put it between two bounds: both, and the middle.
    """
    rule = house.shoe
    if rule.marker is None:
        places: Sequence[int | None] = (None,)
    else:
        low, high = rule.marker.bounds
        places = tuple(dict.fromkeys((low, (low + high) // 2, high)))
    refaits = tuple(point for point in POINTS if house.deal.loses(point))
    return tuple(_taille(rule, place, refaits) for place in places)


def _taille(rule: ShoeRule, from_end: int | None, refaits: Sequence[int]) -> TailleFigures:
    behind_burn = rule.packs * CARDS_IN_PACK - rule.burn
    cards = behind_burn - (from_end or 0)
    finish = rule.marker is not None and rule.marker.on_marker == "finish"
    counts = _counts(rule.packs)
    tied = [point - POINTS[0] for point in refaits]
    slack = 0.0
    if finish and from_end:
        coups = sum(counts.starts[:cards])
        ties = sum(sum(counts.tie_starts[i][:cards]) for i in tied)
        slack = _longer_than(from_end) if rule.burn else 0.0  # the table has no card burned
    else:
        coups = sum(counts.ends[: cards + 1])
        ties = sum(sum(counts.tie_ends[i][: cards + 1]) for i in tied)
    fewest, most = _bounds(rule, cards, behind_burn if finish else cards, finish=finish)
    n = counts.tailles
    q = sum((fresh_shoe(rule.packs).tie(point) for point in refaits), Fraction(0))
    return TailleFigures(
        from_end=from_end,
        cards=cards,
        fewest=fewest,
        most=most,
        coups=Estimate(coups / n, counts.sd / sqrt(n) + slack),
        refaits=Estimate(ties / n, sqrt(ties) / n + slack),
        share=Estimate(
            ties / coups if coups else 0.0, sqrt(ties) / coups + slack if coups else 0.0
        ),
        q=q,
        sure_refaits=q * fewest,
    )


@cache
def _longer_than(cards: int) -> float:
    """Estimate how often the last coup, begun before the marker, needs more than are behind it.

    The renewal theorem, cards of an infinite pack: a coup of n cards that the marker falls within
    is met n in mean times as often, anywhere within it alike.
    """
    lengths = _coup_lengths()
    mean = sum(number * chance for number, chance in enumerate(lengths))
    return sum((n - cards - 1) * lengths[n] for n in range(cards + 2, len(lengths))) / mean


@cache
def _coup_lengths() -> tuple[float, ...]:
    """Answer the probability of each number of cards in a coup from an infinite pack."""
    open_totals, row = {0: 1.0}, [0.0]
    while open_totals:
        grown: dict[int, float] = {}
        ended = 0.0
        for total, chance in open_totals.items():
            for points in _RANKS:
                if total + points < POINTS[0]:
                    grown[total + points] = grown.get(total + points, 0.0) + chance / 13
                else:
                    ended += chance / 13
        open_totals = grown
        row.append(ended)
    coup = [0.0] * (2 * len(row))
    for a, first in enumerate(row):
        for b, second in enumerate(row):
            coup[a + b] += first * second
    return tuple(coup)


def _bounds(rule: ShoeRule, begin: int, end: int, *, finish: bool) -> tuple[int, int]:
    """Bound the completed coups by points: a coup has 62 to 80, one that is not whole up to 70.

    Coups begin within ``begin`` cards and are completed within ``end``.
    """
    least_begin, _most_begin = _points_of(rule.packs, begin)
    least_end, most_end = _points_of(rule.packs, end)
    fewest = -(-max(0, least_end - _MOST_OPEN) // _MOST_COUP)
    most = most_end // _LEAST_COUP
    if finish:
        _least, before = _points_of(rule.packs, begin - 1)
        fewest = min(fewest, -(-least_begin // _MOST_COUP))
        most = min(most, before // _LEAST_COUP + 1)
    return fewest, most


def _points_of(packs: int, cards: int) -> tuple[int, int]:
    """Answer the least and the most points that so many cards of a shoe can have."""
    values = sorted(points for points in _RANKS for _card in range(4 * packs))
    return sum(values[:cards]), _POINTS_OF_PACK * packs - sum(values[: len(values) - cards])


def infinite_q(house: House) -> Fraction:
    """Answer the probability of a refait from an infinite pack, for comparison."""
    odds = infinite_pack()
    return sum((odds.tie(point) for point in POINTS if house.deal.loses(point)), Fraction(0))
