"""What counting cards came to, as values with a JSON form; edges in stakes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from math import sqrt
from typing import Any, Final

from attrs import field, frozen

from trente_rules.house.house import House

CHANCES: Final = ("couleur", "inverse")
"""The simple chances whose odds part as cards leave."""
PUBLISHED: Final = (
    "Thorp and Walden (1973) come to the conclusion that counting cards gives no practical "
    "advantage at trente et quarante"
)
DEPTHS: Final = 10
"""The shoe is told in so many parts, by the cards that are out."""


@frozen
class Counted:
    """What a counter knows before one coup; edges in stakes, what is below nought is his.

    ``depth`` is the part of the shoe that is out. ``uninsured`` and ``insured`` are the bank's
    advantage on the better of couleur and inverse, played the best way; ``linear`` what the linear
    counts make of the same cards. None without insurance.
    """

    depth: float
    uninsured: float
    insured: float | None
    linear_uninsured: float
    linear_insured: float | None


@frozen
class Favourable:
    """How often a wager favours the counter, and by how much; edges in stakes.

    ``gain`` is the mean gain of a stake placed whenever it is favourable, ``best`` the least
    advantage of the bank that came, ``mean`` its mean.
    """

    coups: int
    favourable: int
    gain: float
    best: float | None
    mean: float | None

    @property
    def share(self) -> float:
        """The part of all coups that is favourable."""
        return self.favourable / self.coups if self.coups else 0.0

    @property
    def per_coup(self) -> float:
        """The gain for each coup that is watched, one stake being placed when it is favourable."""
        return self.share * self.gain

    @classmethod
    def of(cls, edges: Sequence[float]) -> Favourable:
        """Count advantages of the bank."""
        good = [-edge for edge in edges if edge < 0]
        return cls(
            len(edges),
            len(good),
            sum(good) / len(good) if good else 0.0,
            min(edges, default=None),
            sum(edges) / len(edges) if edges else None,
        )

    def to_json(self) -> dict[str, Any]:
        """Answer all figures as an object."""
        return {
            "coups": self.coups,
            "favourable": self.favourable,
            "share": self.share,
            "mean_gain": self.gain,
            "gain_per_coup_watched": self.per_coup,
            "least_edge": self.best,
            "mean_edge": self.mean,
        }


@frozen
class Linear:
    """How well the linear count does: a stake is placed where it says that the coup is favourable.

    ``correlation`` is with the exact advantage, ``placed`` how often it says so, ``right`` how
    often truly, ``gain`` the mean gain of those stakes.
    """

    tags: dict[str, float]
    correlation: float | None
    placed: int
    right: int
    gain: float

    def to_json(self) -> dict[str, Any]:
        """Answer all figures as an object."""
        return {
            "tags": self.tags,
            "correlation": self.correlation,
            "placed": self.placed,
            "right": self.right,
            "mean_gain": self.gain,
        }


@frozen(slots=False)
class Counting:
    """The coups of some tailles of a house as a counter saw them.

    ``too_few`` counts the coups that were left out: fewer than 40 cards were unseen.
    """

    house: House
    seed: int
    shoes: int
    asked: int
    too_few: int
    tags: dict[str, tuple[float, float | None]]
    coups: tuple[Counted, ...] = field(repr=False)

    @cached_property
    def uninsured(self) -> Favourable:
        """Couleur or inverse without insurance."""
        return Favourable.of([one.uninsured for one in self.coups])

    @cached_property
    def insured(self) -> Favourable | None:
        """Couleur or inverse insured, None where the house insures nothing."""
        edges = [one.insured for one in self.coups if one.insured is not None]
        return Favourable.of(edges) if edges else None

    def by_depth(self) -> tuple[tuple[float, float, Favourable, Favourable | None], ...]:
        """Answer the same by the part of the shoe that is out: (from, to, uninsured, insured)."""
        found = []
        for low, high in pairwise(n / DEPTHS for n in range(DEPTHS + 1)):
            here = [one for one in self.coups if low <= one.depth < high]
            insured = [one.insured for one in here if one.insured is not None]
            plain = Favourable.of([one.uninsured for one in here])
            if here:
                found.append((low, high, plain, Favourable.of(insured) if insured else None))
        return tuple(found)

    def linear(self, *, insured: bool = False) -> Linear | None:
        """Answer how well the linear count does, None where there is nothing to count."""
        pairs = [
            (one.insured, one.linear_insured) if insured else (one.uninsured, one.linear_uninsured)
            for one in self.coups
        ]
        known = [(x, y) for x, y in pairs if x is not None and y is not None]
        if not known:
            return None
        placed = [exact for exact, linear in known if linear < 0]
        tags = {
            name: tag
            for name, both in self.tags.items()
            if (tag := both[1] if insured else both[0]) is not None
        }
        return Linear(
            tags,
            _correlation(known),
            len(placed),
            sum(exact < 0 for exact in placed),
            -sum(placed) / len(placed) if placed else 0.0,
        )

    def to_json(self) -> dict[str, Any]:
        """Answer everything but the single coups as JSON; edges in stakes."""
        both = [self.linear(), self.linear(insured=True)]
        return {
            "house": self.house.name,
            "fingerprint": self.house.fingerprint,
            "seed": self.seed,
            "shoes": self.shoes,
            "shoes_asked": self.asked,
            "coups": len(self.coups),
            "coups_left_out": self.too_few,
            "chances": list(CHANCES),
            "uninsured": self.uninsured.to_json(),
            "insured": self.insured and self.insured.to_json(),
            "by_depth": [
                {
                    "from": low,
                    "to": high,
                    "uninsured": plain.to_json(),
                    "insured": insured and insured.to_json(),
                }
                for low, high, plain, insured in self.by_depth()
            ],
            "linear": {
                "uninsured": both[0] and both[0].to_json(),
                "insured": both[1] and both[1].to_json(),
            },
            "published": PUBLISHED,
        }


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    many = len(pairs)
    x0, y0 = (sum(pair[n] for pair in pairs) / many for n in range(2))
    xx, yy = (sum((pair[n] - mean) ** 2 for pair in pairs) for n, mean in ((0, x0), (1, y0)))
    xy = sum((x - x0) * (y - y0) for x, y in pairs)
    return xy / sqrt(xx * yy) if xx and yy else None
