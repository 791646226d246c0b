"""Card counting: the odds that a player who remembers every card knows, coup by coup.

Before each coup of real tailles the odds are calculated from the cards that were not seen, and from
them the bank's edge on couleur and inverse, the only simple chances whose odds differ: rouge and
noir stay alike whatever is left, and lose to the bank by every tie that counts. A linear count, one
number for each card, is compared with it: this a player could do without a computer.

Published: E. O. Thorp and W. E. Walden, "The fundamental theorem of card counting with applications
to trente-et-quarante and baccarat", International Journal of Game Theory 2 (1973), pages 109 to
119: counting gives no practical advantage at trente et quarante.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property, partial
from itertools import pairwise
from statistics import StatisticsError, correlation
from typing import Any, Final

from attrs import evolve, field, frozen

from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.shoe import Shoe
from trente_rules.core.wager import WagerPath
from trente_rules.odds.advantage import edge_of, law_of
from trente_rules.odds.fast import FEWEST, fast_odds
from trente_rules.odds.remaining import VALUES, CompletedOdds, Composition
from trente_rules.simulation.compiled import flat_kernel
from trente_rules.simulation.flat import shoes_of
from trente_rules.simulation.runner import as_json, figures, seed_for, worker_count

# The result of counting cards, with a JSON form; edges in stakes.

CHANCES: Final = ("couleur", "inverse")
"""The simple chances whose odds differ as cards leave."""
PUBLISHED: Final = (
    "Thorp and Walden (1973) come to the conclusion that counting cards gives no practical "
    "advantage at trente et quarante"
)
DEPTHS: Final = 10
"""The parts of the shoe by which coups are reported, by the cards that are out."""


@frozen
class Counted:
    """The edges a counter knows before one coup, in stakes; below 0 they favour the player.

    ``depth`` is the part of the shoe that is out. ``uninsured`` and ``insured`` are the bank's edge
    on the better of couleur and inverse under the best play; ``linear_uninsured`` and
    ``linear_insured`` its estimates by the linear count. None without insurance.
    """

    depth: float
    uninsured: float
    insured: float | None
    linear_uninsured: float
    linear_insured: float | None


@frozen
class Favourable:
    """How often a wager favours the counter, and by how much; edges in stakes.

    ``gain`` is the mean gain of a stake placed whenever it is favourable, ``best`` the least edge
    of the bank that came, ``mean`` its mean.
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
        """Return the figures of the bank's edges."""
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
        names = "coups favourable share mean_gain=gain gain_per_coup_watched=per_coup"
        return figures(self, names + " least_edge=best mean_edge=mean")


@frozen
class Linear:
    """How well the linear count does: a stake is placed where it says that the coup is favourable.

    ``correlation`` is with the exact edge (None where one of the two never changes), ``placed`` how
    often it says so, ``right`` how often it is right, ``gain`` the mean gain of those stakes.
    """

    tags: dict[str, float]
    correlation: float | None
    placed: int
    right: int
    gain: float

    def to_json(self) -> dict[str, Any]:
        """Return all figures as an object."""
        return figures(self, "tags correlation placed right mean_gain=gain")


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
        parts = []
        for low, high in pairwise(n / DEPTHS for n in range(DEPTHS + 1)):
            coups = tuple(one for one in self.coups if low <= one.depth < high)
            part = evolve(self, coups=coups)
            if coups:
                parts.append((low, high, part.uninsured, part.insured))
        return tuple(parts)

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
        tags = {name: both[insured] for name, both in self.tags.items()}
        try:
            alike = correlation(*zip(*known, strict=True))
        except StatisticsError:  # fewer than two coups, or all the same
            alike = None
        return Linear(
            {name: tag for name, tag in tags.items() if tag is not None},
            alike,
            len(placed),
            sum(exact < 0 for exact in placed),
            -sum(placed) / len(placed) if placed else 0.0,
        )

    def to_json(self) -> dict[str, Any]:
        """Return everything but the single coups as JSON; edges in stakes."""
        return {
            **figures(self, "house=house.name fingerprint=house.fingerprint seed shoes"),
            "shoes_asked": self.asked,
            "coups": len(self.coups),
            "coups_left_out": self.too_few,
            "chances": list(CHANCES),
            **figures(self, "uninsured insured"),
            "by_depth": [
                {"from": low, "to": high, **as_json({"uninsured": plain, "insured": insured})}
                for low, high, plain, insured in self.by_depth()
            ],
            "linear": as_json({"uninsured": self.linear(), "insured": self.linear(insured=True)}),
            "published": PUBLISHED,
        }


# The counter: the edges before each coup, exact and by the linear count.

MOST_SHOES: Final = 100_000
_AHEAD: Final = 8


class _Counter:
    """The steps of the wagers of a house, and the linear counts that approximate their edges."""

    def __init__(self, house: House) -> None:
        self._house = house
        if not {chance.id for chance in house.chances}.issuperset(CHANCES):
            raise TrenteError(
                f"{house.name} does not play {' and '.join(CHANCES)}",
                "nothing-to-count",
                "count in a house that plays them",
            )
        self._paths: dict[bool, list[WagerPath]] = {False: [], True: []}
        for name in CHANCES:
            for wager in house.wagers_on(name):
                self._paths[wager.insured].extend(wager.paths())
        self._whole = Composition.fresh(house.shoe.packs)
        self._fresh = self._edges(self._whole)
        self._effects = [
            [self._effect(colour, value) for value in range(len(VALUES))] for colour in range(2)
        ]

    def _edges(self, left: Composition) -> list[dict[str, float]]:
        """Return the least edge of each chance, uninsured and insured."""
        odds = CompletedOdds(fast_odds(left.noir, left.rouge))
        least: list[dict[str, float]] = [{}, {}]
        for insured, paths in self._paths.items():
            for path in paths:
                edge = float(edge_of(path.steps, law_of(path.chance, odds)))
                before = least[insured].get(path.chance.id, edge)
                least[insured][path.chance.id] = min(edge, before)
        return least

    def _effect(self, colour: int, value: int) -> list[dict[str, float]]:
        """Return the change of each edge when one card is taken out of whole packs."""
        counts = [list(self._whole.noir), list(self._whole.rouge)]
        counts[colour][value] -= 1
        left = Composition(tuple(counts[0]), tuple(counts[1]))
        return [
            {name: edge - before[name] for name, edge in edges.items()}
            for edges, before in zip(self._edges(left), self._fresh, strict=True)
        ]

    def tags(self) -> dict[str, tuple[float, float | None]]:
        """Return the count of each card: the change of the edge on couleur when it leaves."""
        name = CHANCES[0]
        return {
            f"{value} {colour}": (uninsured[name], insured.get(name))
            for colour, effects in zip(("noir", "rouge"), self._effects, strict=True)
            for value, (uninsured, insured) in zip(VALUES, effects, strict=True)
        }

    def _linear(self, left: Composition, *, insured: bool) -> float | None:
        """Return the least edge by the effects of the cards that are out, on so many fewer."""
        whole = self._whole
        more = (whole.cards - 1) / left.cards
        edges = []
        for name, edge in self._fresh[insured].items():
            moved = sum(
                (full - now) * self._effects[colour][value][insured][name]
                for colour, pair in enumerate(((whole.noir, left.noir), (whole.rouge, left.rouge)))
                for value, (full, now) in enumerate(zip(*pair, strict=True))
            )
            edges.append(edge + moved * more)
        return min(edges, default=None)

    def coups(self, shoe: Shoe, *, to_the_end: bool) -> tuple[list[Counted], int]:
        """Count through a shoe, coup by coup; also return how many coups are left out."""
        rule = self._house.shoe
        counted, too_few = [], 0
        while not rule.ended(shoe):
            left = Composition.after(shoe.packs, rule.seen(shoe))
            depth = shoe.position / len(shoe.cards)
            dealt = rule.deal(shoe)
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
            counted.append(Counted(depth, plain, insured, linear, self._linear(left, insured=True)))
        return counted, too_few


def count_shoes(
    house: House,
    *,
    shoes: int = 200,
    to_the_end: bool = False,
    seed: int | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Counting:
    """Deal ``shoes`` tailles of a house; return the edges that a counter knows before each coup.

    Shoes are those of stream 0 of a simulation with this seed. Edges are nominal ones; later coups,
    on which a stake in prison waits, count as independent copies of the next. Coups before which
    fewer than 40 cards are unseen are left out, unless ``to_the_end``: they are counted in whole
    numbers, about a second each. Threads work: ``workers`` (default: one a processor); the figures
    do not depend on how many. An interrupt gives what is done so far.

    Raises ``TrenteError``: "needs-fast", "bad-shoes", "bad-seed", "bad-workers",
    "nothing-to-count".
    """
    if type(shoes) is not int or not 1 <= shoes <= MOST_SHOES:
        raise TrenteError(
            f"{shoes!r} shoes cannot be counted", "bad-shoes", f"a whole number, 1 to {MOST_SHOES}"
        )
    threads = worker_count(workers)
    flat_kernel("counting cards needs")
    drawn = seed_for(seed)
    counter = _Counter(house)
    coups: list[Counted] = []
    done = too_few = 0
    try:
        count = partial(counter.coups, to_the_end=to_the_end)
        for counted, few in _in_order(count, shoes_of(house, drawn, 0, shoes), threads):
            coups.extend(counted)
            done, too_few = done + 1, too_few + few
            if progress:
                progress(done, shoes)
    except KeyboardInterrupt:
        pass
    return Counting(house, drawn, done, shoes, too_few, counter.tags(), tuple(coups))


def _in_order(
    count: Callable[[Shoe], tuple[list[Counted], int]], shoes: Iterable[Shoe], workers: int
) -> Iterator[tuple[list[Counted], int]]:
    """Count shoes on threads, few of them waiting, and yield them in order."""
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
            pool.shutdown(wait=False, cancel_futures=True)
