"""Card counting: what a player who remembers every card could know, coup by coup.

Before each coup of real tailles the odds are worked out from the cards that were not seen, and with
them the advantage on couleur and inverse, the only simple chances whose odds part: rouge and noir
stay alike whatever is left, and lose to the bank by every tie that counts. A linear count, one
number for each card, is set beside it: what a player could do in his head.

Published: E. O. Thorp and W. E. Walden, "The fundamental theorem of card counting with applications
to trente-et-quarante and baccarat", International Journal of Game Theory 2 (1973), pages 109 to
119: counting gives no practical advantage at trente et quarante.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property, partial
from itertools import pairwise
from math import sqrt
from os import cpu_count
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.shoe import Shoe, deal_coup
from trente_rules.core.wager import WagerPath
from trente_rules.odds.advantage import VerdictOdds, edge_of, law_of
from trente_rules.odds.fast import FEWEST, fast_odds
from trente_rules.odds.remaining import VALUES, CompletedOdds, Composition
from trente_rules.simulation.compiled import flat_kernel
from trente_rules.simulation.flat import shoes_of
from trente_rules.simulation.runner import check_seed, seed_for

# --- What counting cards came to, as values with a JSON form; edges in stakes

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
    """The edges a counter knows before one coup, in stakes; below 0 they favour the player.

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
        """Return all figures as an object."""
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
        """Return all figures as an object."""
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
        """Return the same by the part of the shoe that is out: (from, to, uninsured, insured)."""
        found = []
        for low, high in pairwise(n / DEPTHS for n in range(DEPTHS + 1)):
            here = [one for one in self.coups if low <= one.depth < high]
            insured = [one.insured for one in here if one.insured is not None]
            plain = Favourable.of([one.uninsured for one in here])
            if here:
                found.append((low, high, plain, Favourable.of(insured) if insured else None))
        return tuple(found)

    def linear(self, *, insured: bool = False) -> Linear | None:
        """Return how well the linear count does, None where there is nothing to count."""
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
        """Return everything but the single coups as JSON; edges in stakes."""
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


MOST_SHOES: Final = 100_000
_AHEAD: Final = 8


class _Counter:
    """The steps of the wagers of a house, and the linear counts that approximate them."""

    def __init__(self, house: House) -> None:
        self._house = house
        known = {chance.id for chance in house.chances}
        if not known.issuperset(CHANCES):
            raise TrenteError(
                f"{house.name} does not play {' and '.join(CHANCES)}",
                "nothing-to-count",
                "count in a house that plays them",
            )
        self._paths: dict[bool, list[WagerPath]] = {False: [], True: []}
        for name in CHANCES:
            for wager in house.wagers_on(name):
                self._paths[wager.insured].extend(wager.paths())
        whole = Composition.fresh(house.shoe.packs)
        self._cards = whole.cards
        self._fresh = self._edges(whole)
        self._effects = [
            [self._effect(whole, colour, value) for value in range(len(VALUES))]
            for colour in range(2)
        ]

    def _edges(self, left: Composition) -> list[dict[str, float]]:
        """Return the least edge of each chance, uninsured and insured."""
        odds = CompletedOdds(fast_odds(left.noir, left.rouge))
        return [self._least(odds, insured=insured) for insured in (False, True)]

    def _least(self, odds: VerdictOdds, *, insured: bool) -> dict[str, float]:
        found: dict[str, float] = {}
        for path in self._paths[insured]:
            edge = float(edge_of(path.steps, law_of(path.chance, odds)))
            found[path.chance.id] = min(edge, found.get(path.chance.id, edge))
        return found

    def _effect(self, whole: Composition, colour: int, value: int) -> list[dict[str, float]]:
        """Return what taking one card out of whole packs does to each edge."""
        counts = [list(whole.noir), list(whole.rouge)]
        counts[colour][value] -= 1
        left = Composition(tuple(counts[0]), tuple(counts[1]))
        return [
            {name: edge - before[name] for name, edge in edges.items()}
            for edges, before in zip(self._edges(left), self._fresh, strict=True)
        ]

    def tags(self) -> dict[str, tuple[float, float | None]]:
        """Return the count of each card: what its leaving does to the bank's edge on couleur."""
        name = CHANCES[0]
        return {
            f"{VALUES[value]} {('noir', 'rouge')[colour]}": (
                effect[0][name],
                effect[1].get(name),
            )
            for colour, effects in enumerate(self._effects)
            for value, effect in enumerate(effects)
        }

    def _linear(self, left: Composition, *, insured: bool) -> float | None:
        """Add up the effects of the cards that are out, as of so many fewer cards."""
        fresh = self._fresh[insured]
        whole = Composition.fresh(self._house.shoe.packs)
        more = (self._cards - 1) / left.cards
        found = []
        for name, edge in fresh.items():
            moved = sum(
                (full - now) * self._effects[colour][value][insured][name]
                for colour, pair in enumerate(((whole.noir, left.noir), (whole.rouge, left.rouge)))
                for value, (full, now) in enumerate(zip(*pair, strict=True))
            )
            found.append(edge + moved * more)
        return min(found, default=None)

    def coups(self, shoe: Shoe, *, to_the_end: bool) -> tuple[list[Counted], int]:
        """Count through a shoe, coup by coup; also answer how many coups are left out."""
        rule = self._house.shoe
        found, too_few = [], 0
        while not shoe.ended:
            left = Composition.of_shoe(shoe, burn_shown=rule.burn_shown)
            depth = shoe.position / len(shoe.cards)
            dealt = deal_coup(shoe, stop_at_marker=not rule.finishes)
            shoe = dealt.shoe
            if dealt.coup is None:
                break
            if left.cards < FEWEST and not to_the_end:
                too_few += 1
                continue
            plain, insured = (min(edges.values(), default=None) for edges in self._edges(left))
            linear = self._linear(left, insured=False)
            assert plain is not None  # noqa: S101 - every house plays both uninsured
            assert linear is not None  # noqa: S101
            found.append(Counted(depth, plain, insured, linear, self._linear(left, insured=True)))
        return found, too_few


def count_shoes(
    house: House,
    *,
    shoes: int = 200,
    to_the_end: bool = False,
    seed: int | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Counting:
    """Deal so many tailles of a house, and work out before each coup what a counter knows.

    Shoes are those of stream nought of a simulation with this seed. Edges are nominal ones; later
    coups, on which a stake in prison waits, count as independent copies of the next. Coups before
    which fewer than 40 cards are unseen are left out, unless ``to_the_end``: they are counted in
    whole numbers, about a second each. Threads work: ``workers``, else one a processor; the figures
    do not depend on how many. An interrupt gives what is done so far.

    Raises ``TrenteError``: "needs-fast", "bad-shoes", "bad-seed", "bad-workers",
    "nothing-to-count".
    """
    if type(shoes) is not int or not 1 <= shoes <= MOST_SHOES:
        raise TrenteError(
            f"{shoes!r} shoes cannot be counted", "bad-shoes", f"a whole number, 1 to {MOST_SHOES}"
        )
    check_seed(seed)
    if workers is not None and workers < 1:
        raise TrenteError(
            f"{workers!r} workers cannot count", "bad-workers", "give 1 or more, or leave it out"
        )
    flat_kernel()
    drawn = seed_for(seed)
    counter = _Counter(house)
    coups: list[Counted] = []
    done = too_few = 0
    try:
        for found, few in _in_order(
            partial(counter.coups, to_the_end=to_the_end),
            shoes_of(house, drawn, 0, shoes),
            workers or cpu_count() or 1,
        ):
            coups.extend(found)
            done, too_few = done + 1, too_few + few
            if progress:
                progress(done, shoes)
    except KeyboardInterrupt:
        pass
    return Counting(house, drawn, done, shoes, too_few, counter.tags(), tuple(coups))


def _in_order(
    count: Callable[[Shoe], tuple[list[Counted], int]], shoes: Iterable[Shoe], workers: int
) -> Iterator[tuple[list[Counted], int]]:
    """Count shoes on threads, few of them waiting, and answer them in order."""
    waiting: list[Future[tuple[list[Counted], int]]] = []
    with ThreadPoolExecutor(workers) as pool:
        try:
            for shoe in shoes:
                waiting.append(pool.submit(count, shoe))
                if len(waiting) >= _AHEAD * workers:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        finally:
            for future in waiting:
                future.cancel()
