"""The law of a whole taille: how many coups, how many of each tie, with burn, marker and last card.

The shapes of the shipped houses are stored; ``tools/make_tailles.py`` writes them. Other shapes are
computed where the extra ``fast`` is installed. Every figure has an error that is estimated: the
difference of two levels of the sparse grid, or the spread under rotations, whichever is larger.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import fsum, sqrt
from typing import Any, Final

from attrs import frozen

from trente_rules.core.cards import PACK
from trente_rules.core.compiled import LOGGER
from trente_rules.core.coup import POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.shoe import ShoeRule
from trente_rules.odds.taille_nodes import PAIRS, PrisonPath, TailleShape, TailleSums, taille_sums

LEVEL: Final = 2
ROTATIONS: Final = 2
SEED: Final = 20_261_202
"""The rotations are drawn from this seed and those that follow it."""
_VALUES: Final = 10


@frozen
class Estimated:
    """A figure and its error, which is estimated."""

    value: float
    error: float


def _nth(of: Callable[[TailleSums], tuple[float, ...]], n: int) -> Callable[[TailleSums], float]:
    return lambda sums: of(sums)[n]


@frozen
class TailleRuns:
    """The sums for one shape: of several rotations, and their mean one level below."""

    runs: tuple[TailleSums, ...]
    rough: TailleSums

    def figure(self, of: Callable[[TailleSums], float]) -> Estimated:
        """Return a figure of the sums: its mean over the rotations, and its error."""
        found = [of(run) for run in self.runs]
        mean = fsum(found) / len(found)
        spread = sqrt(fsum((each - mean) ** 2 for each in found) / max(len(found) - 1, 1))
        return Estimated(mean, max(abs(mean - of(self.rough)), spread))

    def figures(self, of: Callable[[TailleSums], tuple[float, ...]]) -> tuple[Estimated, ...]:
        """Return several figures of the sums."""
        return tuple(self.figure(_nth(of, n)) for n in range(len(of(self.rough))))


@frozen
class TailleLaw:
    """The coups of a whole taille under the shoe rule of a house.

    ``from_end`` is where the marker lies; None without one, and where the figures are the mean over
    all places that a player may choose. ``law[n]`` is the probability of n completed coups, each
    within ``law_error``. ``refaits`` are the ties that cost on a simple chance; ``share`` is theirs
    of all completed coups. ``points`` is the expected number of coups by both points.
    """

    from_end: int | None
    coups: Estimated
    refaits: Estimated
    share: Estimated
    law: tuple[float, ...]
    law_error: float
    runs: TailleRuns

    def points(self, first: int, second: int) -> Estimated:
        """Return the expected number of coups of a taille that end on two points, in this order."""
        low, high = sorted((first - POINTS[0], second - POINTS[0]))
        place, orders = PAIRS.index((low, high)), 1 if low == high else 2
        return self.runs.figure(lambda sums: sums.points[place] / orders)


Shapes = tuple[tuple[Fraction, TailleShape], ...]
"""What a taille can be, each with its probability."""


def shapes_of(rule: ShoeRule, from_end: int | None = None) -> Shapes:
    """Return what a taille can be: one shape, unless the first card sets the burn.

    ``from_end`` is the place of the marker, by default all that the house allows, as likely.
    Raises ``RuleError`` ("bad-marker") for a place that it does not allow.
    """
    places = _places(rule, from_end)
    plans = [rule.plan(place) for place in places]
    fewest = min(rule.sure_coups(place) for place in places)
    most = max(rule.most_coups(place) for place in places)
    counts = [4 * rule.packs] * (_VALUES - 1) + [16 * rule.packs]

    def shape(left: list[int], burned: int) -> TailleShape:
        ends = tuple((plan.begin - burned, plan.end - burned) for plan in plans)
        return TailleShape(tuple(left), ends, fewest, most)

    if rule.burn != "first-card":
        return ((Fraction(1), shape(counts, rule.burn)),)
    often = Counter(card.points for card in PACK)
    return tuple(  # the first card is out; those burned behind it are as unknown as the last ones
        (
            Fraction(number, len(PACK)),
            shape([n - (value == points) for value, n in enumerate(counts, 1)], 1 + points),
        )
        for points, number in sorted(often.items())
    )


def _places(rule: ShoeRule, from_end: int | None) -> Sequence[int]:
    """Return where the marker may lie, from the end: at one place, or wherever the house allows.

    It is 0 without a marker. Raises ``RuleError`` ("bad-marker").
    """
    if rule.marker is not None and from_end is not None:
        return (rule.marker.place(from_end),)
    low, high = rule.marker_bounds
    return range(low, high + 1)


def taille_law(
    house: House, from_end: int | None = None, *, compute: bool = True
) -> TailleLaw | None:
    """Return the law of a taille of a house; None where each coup is dealt from a whole shoe.

    ``from_end`` is the place of the marker, by default the mean over all that are allowed. A shape
    that is not stored is computed, which takes seconds. Raises ``TrenteError`` ("taille-not-stored"
    where it shall not be computed, "needs-fast" where numba is not installed) and ``RuleError``
    ("bad-marker").
    """
    rule = house.shoe
    if rule.every_coup:
        return None
    return law_of_runs(rule, house.losing_ties, runs_of(rule, from_end, compute=compute), from_end)


def law_of_runs(
    rule: ShoeRule, refaits: Sequence[int], runs: TailleRuns, from_end: int | None = None
) -> TailleLaw:
    """Return the figures of the sums of a shoe rule; ``refaits`` are the points that cost.

    Raises ``RuleError`` ("bad-marker") as ``shapes_of``.
    """
    places = _places(rule, from_end)
    fewest = min(rule.sure_coups(place) for place in places)
    ties = [PAIRS.index((point - POINTS[0], point - POINTS[0])) for point in refaits]

    def coups(sums: TailleSums) -> float:
        return fsum(sums.points)

    def costly(sums: TailleSums) -> float:
        return fsum(sums.points[place] for place in ties)

    law = runs.figures(lambda sums: sums.law)
    return TailleLaw(
        from_end=places[0] if rule.marker and len(places) == 1 else None,
        coups=runs.figure(coups),
        refaits=runs.figure(costly),
        share=runs.figure(lambda sums: costly(sums) / coups(sums)),
        law=(0.0,) * fewest + tuple(max(each.value, 0.0) for each in law),
        law_error=max(each.error for each in law),
        runs=runs,
    )


def runs_of(rule: ShoeRule, from_end: int | None = None, *, compute: bool = True) -> TailleRuns:
    """Return the sums of a shoe rule: those stored, or computed. Raises as ``taille_law``."""
    shapes = shapes_of(rule, from_end)
    found = stored(shapes[0][1]) if len(shapes) == 1 else None
    if found is None and not compute:
        raise TrenteError(
            "the law of these tailles is not stored",
            "taille-not-stored",
            "ask for it to be computed, which takes seconds",
        )
    return found[0] if found else _computed(shapes)


MISSING: Final = ("needs-fast", "taille-not-stored")
"""The codes of the errors where there is no figure of whole tailles."""


def file_name(shape: TailleShape) -> str:
    """Return the name of the file of a shape: its cards, and the first and last of its ends."""
    (begin, end), (last_begin, last_end) = shape.ends[0], shape.ends[-1]
    first = f"{shape.cards}-{begin}-{end}"
    return f"{first}.json" if len(shape.ends) == 1 else f"{first}-{last_begin}-{last_end}.json"


@cache
def stored(shape: TailleShape) -> tuple[TailleRuns, dict[str, tuple[float, float]]] | None:
    """Return the sums stored for a shape, and what prisons gain by their keys; None for others."""
    packs, rest = divmod(shape.cards, len(PACK))
    place = files("trente_rules.odds") / "tailles" / file_name(shape)
    if rest or shape.counts != (4 * packs,) * 9 + (16 * packs,) or not place.is_file():
        return None
    read: dict[str, Any] = json.loads(place.read_text("utf-8"))
    if (read["fewest"], read["most"]) != (shape.fewest, shape.most):
        return None
    runs = [TailleSums(tuple(run["points"]), tuple(run["law"]), ()) for run in read["runs"]]
    prisons = {key: (gain, error) for key, (gain, error) in read["prisons"].items()}
    return TailleRuns(tuple(runs[:-1]), runs[-1]), prisons


@cache
def _computed(shapes: Shapes) -> TailleRuns:
    LOGGER.info("computing whole tailles, some seconds ...")
    return computed(shapes, LEVEL, ROTATIONS)


def computed(
    shapes: Shapes,
    level: int,
    rotations: int,
    prisons: tuple[PrisonPath, ...] = (),
) -> TailleRuns:
    """Return the sums of shapes, each with its probability, at a level of the grid and below."""

    def mixed(level: int, seed: int) -> TailleSums:
        found = [(float(share), taille_sums(each, level, seed, prisons)) for share, each in shapes]
        return _mean(found)

    seeds = range(SEED, SEED + rotations)
    runs = tuple(mixed(level, seed) for seed in seeds)
    return TailleRuns(runs, _mean([(1 / rotations, mixed(level - 1, seed)) for seed in seeds]))


def _mean(parts: Sequence[tuple[float, TailleSums]]) -> TailleSums:
    def total(of: Callable[[TailleSums], Sequence[float]]) -> tuple[float, ...]:
        lines = [[share * number for number in of(sums)] for share, sums in parts]
        return tuple(map(fsum, zip(*lines, strict=True)))

    return TailleSums(total(lambda s: s.points), total(lambda s: s.law), total(lambda s: s.prisons))
