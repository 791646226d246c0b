"""The sums of card counting: how often a chance favours a player, and by how much.

No coup is kept. Each shoe has a tally of its own, and tallies are added up in the order of the
shoes, so that figures do not depend on the threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf, sqrt
from typing import Any, Final

from attrs import define, field, frozen

from trente_rules.simulation.runner import as_json, figures

DEPTHS: Final = 10
"""The parts of the shoe by which coups are reported, by the cards that are out."""
_COUPS, _GOOD, _GAIN, _EDGE, _SIMPLE = range(5)
_X, _Y, _XX, _YY, _XY, _PLACED, _RIGHT, _WON = range(8)


@frozen
class Favourable:
    """How often a wager favours the counter, and by how much; edges in stakes.

    ``gain`` is the mean gain of a stake placed whenever it is favourable, ``best`` the least edge
    of the bank that came, ``mean`` its mean. A mean of no coups is None.
    """

    coups: int
    favourable: int
    gain: float | None
    best: float | None
    mean: float | None

    @property
    def share(self) -> float | None:
        """The part of all coups that is favourable."""
        return self.favourable / self.coups if self.coups else None

    @property
    def per_coup(self) -> float | None:
        """The gain for each coup that is watched, one stake being placed when it is favourable."""
        return None if self.share is None else self.share * (self.gain or 0.0)

    @classmethod
    def of(cls, edges: Sequence[float]) -> Favourable:
        """Return the figures of the bank's edges."""
        good = [-edge for edge in edges if edge < 0]
        return cls(
            len(edges),
            len(good),
            sum(good) / len(good) if good else None,
            min(edges, default=None),
            sum(edges) / len(edges) if edges else None,
        )

    def to_json(self) -> dict[str, Any]:
        """Return all figures as an object."""
        names = "coups favourable share mean_gain=gain gain_per_coup_watched=per_coup"
        return figures(self, names + " least_edge=best mean_edge=mean")


@frozen
class Linear:
    """How well the linear count does: a stake is placed where it says that the coup is favourable.

    ``correlation`` is with the exact edge (None where one of the two never changes), ``placed`` how
    often it says so, ``right`` how often it is right, ``gain`` the mean gain of those stakes: None
    without such a stake.
    """

    correlation: float | None
    placed: int
    right: int
    gain: float | None

    def to_json(self) -> dict[str, Any]:
        """Return all figures as an object."""
        return figures(self, "correlation placed right mean_gain=gain")


@frozen
class Theory:
    """The theorem of card counting for the coups counted, from the effects of removal.

    ``share`` is how often an edge that is normal around that of a full shoe is below zero, and
    ``per_coup`` the gain for each coup watched.
    """

    share: float
    per_coup: float

    def to_json(self) -> dict[str, Any]:
        """Return both figures as an object."""
        return figures(self, "share gain_per_coup_watched=per_coup")


@frozen
class Watched:
    """One chance as it was counted: uninsured, insured, or the better of the two.

    ``by_depth`` has each part of the shoe, None where no coup began there. ``cost`` is the bank's
    edge on the best simple chance in the favourable coups, added up, where the chance is taken only
    with a stake on a simple chance: in stakes on that one; None where it is taken by itself.
    """

    name: str
    kind: str
    whole: Favourable
    by_depth: tuple[Favourable | None, ...] = field(repr=False)
    linear: Linear
    theory: Theory | None = None
    cost: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return all figures as an object."""
        parts = [
            {"from": place / DEPTHS, "to": (place + 1) / DEPTHS, **as_json(one)}
            for place, one in enumerate(self.by_depth)
            if one is not None
        ]
        return {
            **figures(self, "name wager=kind"),
            **as_json(self.whole),
            "cost_of_simple_stakes": self.cost,
            **figures(self, "linear theory"),
            "by_depth": parts,
        }


@frozen
class Choosing:
    """A choice at a refait, as it would be in each coup by the cards that are left.

    ``usual`` is the course that is best in most coups, ``other`` how often another one is, and
    ``gain`` the mean worth of that one above the usual, in stakes: None where it never is.
    """

    chance: str
    verdict: str
    usual: str
    coups: int
    other: int
    gain: float | None

    @property
    def share(self) -> float | None:
        """The part of all coups in which another course is best."""
        return self.other / self.coups if self.coups else None

    def to_json(self) -> dict[str, Any]:
        """Return all figures as an object."""
        return figures(self, "chance verdict usual coups other share mean_gain=gain")


@define
class CountSums:
    """Sums over coups: by figure and depth, and of the linear count by figure."""

    sums: Any
    least: Any
    linear: Any
    too_few: int = 0
    left: Counter[int] = field(factory=Counter)
    choices: dict[tuple[str, str], dict[str, tuple[int, float]]] = field(factory=dict)

    @classmethod
    def empty(cls, size: int) -> CountSums:
        """Return sums of nothing, for so many figures."""
        import numpy as np  # noqa: PLC0415 - of the extra

        return cls(np.zeros((size, DEPTHS, 5)), np.full((size, DEPTHS), inf), np.zeros((size, 8)))

    @property
    def coups(self) -> int:
        """The number of coups."""
        return self.left.total()

    def add(
        self, place: int, depths: Any, exact: Any, linear: Any, simple: Any, middle: float
    ) -> None:
        """Add the edges of one figure in some coups, exact and by the linear count.

        ``simple`` is the best edge on a simple chance. Squares are taken around ``middle``.
        """
        import numpy as np  # noqa: PLC0415 - of the extra

        good = exact < 0
        columns = (np.ones_like(exact), good, np.where(good, -exact, 0), exact, good * simple)
        for column, values in enumerate(columns):
            np.add.at(self.sums[place, :, column], depths, values)
        np.minimum.at(self.least[place], depths, exact)
        x, y, placed = exact - middle, linear - middle, linear < 0
        found = (x, y, x * x, y * y, x * y, placed, placed & good, np.where(placed, -exact, 0))
        self.linear[place] += [float(values.sum()) for values in found]

    def choose(self, courses: Mapping[tuple[str, str], Mapping[str, Any]]) -> None:
        """Add choices: for each the worths of its courses, by coup."""
        import numpy as np  # noqa: PLC0415 - of the extra

        for key, worths in courses.items():
            both = np.stack(list(worths.values()))
            best, most = both.argmax(axis=0), both.max(axis=0)
            known = self.choices.setdefault(key, {})
            for place, name in enumerate(worths):
                mine = best == place
                count, above = known.get(name, (0, 0.0))
                # Above the others where it is best; of two courses that is above the usual one.
                others = np.delete(both, place, axis=0).max(axis=0)
                gained = float((most - others)[mine].sum())
                known[name] = count + int(mine.sum()), above + gained

    def merge(self, other: CountSums) -> None:
        """Add the sums of more coups."""
        import numpy as np  # noqa: PLC0415 - of the extra

        self.sums += other.sums
        self.least = np.minimum(self.least, other.least)
        self.linear += other.linear
        self.too_few += other.too_few
        self.left += other.left
        for key, courses in other.choices.items():
            known = self.choices.setdefault(key, {})
            for name, (count, above) in courses.items():
                before, sum_before = known.get(name, (0, 0.0))
                known[name] = before + count, sum_before + above

    def watched(
        self, place: int, name: str, kind: str, theory: Theory | None, *, needs: bool
    ) -> Watched:
        """Return the figures at a place; ``needs`` where a stake on a simple chance is needed."""
        sums, least = self.sums[place], self.least[place]
        parts = tuple(
            _favourable(line, low) if line[_COUPS] else None
            for line, low in zip(sums, least, strict=True)
        )
        whole = _favourable(sums.sum(axis=0), float(least.min()))
        cost = float(sums[:, _SIMPLE].sum()) if needs else None
        linear = _linear(self.linear[place], whole.coups)
        return Watched(name, kind, whole, parts, linear, theory, cost)

    def choosing(self) -> tuple[Choosing, ...]:
        """Return how often the best course at a refait is not the usual one."""
        found = []
        for (chance, verdict), courses in self.choices.items():
            usual = max(courses, key=lambda name: courses[name][0])
            others = [each for name, each in courses.items() if name != usual]
            count, above = (sum(column) for column in zip(*others, strict=True))
            coups = count + courses[usual][0]
            gain = above / count if count else None
            found.append(Choosing(chance, verdict, usual, coups, int(count), gain))
        return tuple(found)


def _favourable(line: Any, least: float) -> Favourable:
    coups, good = int(line[_COUPS]), int(line[_GOOD])
    if not coups:
        return Favourable.of([])
    gain = float(line[_GAIN]) / good if good else None
    return Favourable(coups, good, gain, float(least), float(line[_EDGE]) / coups)


def _linear(sums: Any, coups: int) -> Linear:
    one = sums[_XX] * coups - sums[_X] ** 2
    other = sums[_YY] * coups - sums[_Y] ** 2
    alike = None
    if coups > 1 and min(one, other) > _FLAT * coups**2:
        alike = float((sums[_XY] * coups - sums[_X] * sums[_Y]) / sqrt(one * other))
    placed = int(sums[_PLACED])
    gain = float(sums[_WON]) / placed if placed else None
    return Linear(alike, placed, int(sums[_RIGHT]), gain)


_FLAT: Final = 1e-24
"""A variance below this is that of rounding: the edge never changes."""
