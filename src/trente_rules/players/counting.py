"""Card counting: the odds that a player who remembers every card knows, coup by coup.

Before each coup of real tailles the odds are calculated from the cards that were not seen, and from
them the bank's edge on every chance of the house, side bets included: uninsured, insured, and the
better of the two. A linear count, one number for each card, is compared with it: this a player
could do without a computer. So is the normal law of the edge, which the effects of removal give.

Published: E. O. Thorp and W. E. Walden, "The fundamental theorem of card counting with applications
to trente-et-quarante and baccarat", International Journal of Game Theory 2 (1973), pages 109 to
119: counting gives no practical advantage at trente et quarante, that is on its simple chances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Final, Literal

from attrs import field, frozen

from trente_rules.core.cards import Card
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.shoe import Shoe
from trente_rules.odds.coup_odds import CoupOdds
from trente_rules.odds.exact import count_cards, odds_of_cards
from trente_rules.odds.fast import FEWEST, FastOdds, fast_odds
from trente_rules.odds.functionals import HouseFunctionals, vectors_of
from trente_rules.odds.last_coups import fits_by_total
from trente_rules.odds.refait_choice import course_arrays
from trente_rules.odds.remaining import VALUES, Composition
from trente_rules.odds.removal import COLOURS, Effects, predicted, removal_effects
from trente_rules.players.tallies import (
    DEPTHS,
    Choosing,
    CountSums,
    Favourable,
    Theory,
    Watched,
)
from trente_rules.simulation.compiled import flat_kernel
from trente_rules.simulation.flat import shoes_of
from trente_rules.simulation.runner import SHOES, as_json, figures, seed_for, worker_count

Kind = Literal["uninsured", "insured", "better"]
SIMPLE: Final = "simple chances"
ALL: Final = "all chances"
"""The names of the best of several chances: of the simple ones, and of everything."""
PUBLISHED: Final = (
    "Thorp and Walden (1973) come to the conclusion that counting cards gives no practical "
    "advantage at trente et quarante"
)
"""What was published on the simple chances: side bets are not in it."""
MOST_SHOES: Final = 100_000
_AHEAD: Final = 8


@frozen(slots=False)
class Counting:
    """The coups of some tailles of a house as a counter saw them.

    ``coups`` is how many were counted; ``too_few`` counts those that were left out: fewer than 40
    cards were unseen. ``watched`` has every chance, uninsured, insured, and the better of the two,
    and the best of several; ``choosing`` the choices at a refait; ``effects`` those of removal.
    """

    house: House
    seed: int
    shoes: int
    asked: int
    too_few: int
    coups: int
    watched: tuple[Watched, ...] = field(repr=False)
    choosing: tuple[Choosing, ...] = field(repr=False)
    effects: tuple[Effects, ...] = field(repr=False)

    def of(self, name: str, kind: Kind) -> Watched | None:
        """Return the figures of a chance, or of the best of several, None where it has none."""
        found = (each for each in self.watched if (each.name, each.kind) == (name, kind))
        return next(found, None)

    @property
    def uninsured(self) -> Favourable | None:
        """The best simple chance without insurance."""
        found = self.of(SIMPLE, "uninsured")
        return found.whole if found else None

    @property
    def insured(self) -> Favourable | None:
        """The best simple chance insured, None where the house insures nothing."""
        found = self.of(SIMPLE, "insured")
        return found.whole if found else None

    @property
    def best(self) -> Watched:
        """The best of everything that the house takes."""
        names = [(name, kind) for name in (ALL, SIMPLE) for kind in ("better", "uninsured")]
        found = {(each.name, each.kind): each for each in self.watched}
        return next((found[key] for key in names if key in found), self.watched[0])

    def tags(self, name: str) -> dict[str, tuple[float | None, float | None]] | None:
        """Return the effects of removal on a chance by card, uninsured and insured."""
        found = {each.insured: each for each in self.effects if each.name == name}
        if False not in found:
            return None
        names = [f"{value} {colour}" for colour in COLOURS for value in VALUES]
        plain, insured = (
            (*found[kind].noir, *found[kind].rouge) if kind in found else (None,) * len(names)
            for kind in (False, True)
        )
        return dict(zip(names, zip(plain, insured, strict=True), strict=True))

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON; edges in stakes."""
        simple = [self.of(SIMPLE, kind) for kind in ("uninsured", "insured")]
        return {
            **figures(self, "house=house.name fingerprint=house.fingerprint seed shoes"),
            "shoes_asked": self.asked,
            "coups": self.coups,
            "coups_left_out": self.too_few,
            "chances": [chance.id for chance in self.house.chances],
            **figures(self, "uninsured insured"),
            "best": as_json(self.best),
            "watched": as_json(self.watched),
            "linear": {
                kind: as_json(each.linear) if each else None
                for kind, each in zip(("uninsured", "insured"), simple, strict=True)
            },
            "tags": {chance.id: as_json(self.tags(chance.id)) for chance in self.house.chances},
            "choices": as_json(self.choosing),
            "published": PUBLISHED,
        }


# The counter: the edges before each coup, exact and by the linear count.


class _Counter:
    """The wagers of a house, and the linear counts that approximate their edges."""

    def __init__(self, house: House) -> None:
        self._house = house
        self.functionals = HouseFunctionals.of(house)
        self.effects = removal_effects(house)
        self._named = {(each.name, each.insured): each for each in self.effects}
        self._needs = {chance.id: chance.needs for chance in house.chances}
        self._simple = {chance.id for chance in house.chances if chance.simple}
        self.keys = [key for key, _one, _other in self._figures(*2 * (dict[Any, Any](),))]

    def _figures(
        self, best: dict[tuple[str, bool], Any], linear: dict[tuple[str, bool], Any]
    ) -> Iterator[tuple[tuple[str, Kind], Any, Any]]:
        """Yield the name, the exact edges and the linear ones of all that is watched."""
        import numpy as np  # noqa: PLC0415 - of the extra

        groups = {name: [name] for name in self._needs}
        if self._simple:
            groups[SIMPLE] = [name for name in self._needs if name in self._simple]
        if len(groups[SIMPLE] if self._simple else ()) < len(self._needs):
            groups[ALL] = list(self._needs)
        known = self.functionals.groups
        for name, names in groups.items():
            of: dict[Kind, list[tuple[str, bool]]] = {
                "uninsured": [(each, False) for each in names],
                "insured": [(each, True) for each in names if (each, True) in known],
            }
            if of["insured"]:
                of["better"] = of["uninsured"] + of["insured"]
            for kind, keys in of.items():
                if keys and not best:
                    yield (name, kind), None, None
                elif keys:
                    lines = ([each[key] for key in keys] for each in (best, linear))
                    one, other = (np.min(line, axis=0) for line in lines)
                    yield (name, kind), one, other

    def shoe(self, shoe: Shoe, *, to_the_end: bool) -> CountSums:
        """Count through a shoe, coup by coup."""
        import numpy as np  # noqa: PLC0415 - of the extra

        rule, size = self._house.shoe, len(shoe.cards)
        seen = _Seen(shoe.packs, rule.seen(shoe))
        lefts: list[Composition] = []
        depths: list[float] = []
        befores: list[int] = []
        too_few, end = 0, rule.plan(shoe.behind).end
        while not rule.ended(shoe):
            position, dealt = shoe.position, rule.deal(shoe)
            shoe = dealt.shoe
            if dealt.coup is None:
                break
            left = seen.left()
            seen.add(dealt.cards)
            if left.cards < FEWEST and not to_the_end:
                too_few += 1
            else:
                lefts.append(left)
                depths.append(position / size)
                befores.append(end - position)
        odds = [_odds(left, before) for left, before in zip(lefts, befores, strict=True)]
        vectors = vectors_of(odds)
        fits, fit = np.ones((len(lefts), 19)), np.ones(len(lefts))
        for place, (left, each) in enumerate(zip(lefts, odds, strict=True)):
            found = fits_by_total(rule, left, each.row())
            if found is not None:
                fits[place] = found
                (fit[place],) = fits_by_total(rule, left, each.row(), (0,)) or (1,)
        best = self.functionals.best(
            self.functionals.edges(vectors, fits if (fits < 1).any() else None)
        )
        linear = {key: _linear(self._named[key], lefts) for key in best}
        tally = CountSums.empty(len(self.keys))
        tally.too_few = too_few
        tally.left.update(left.cards for left in lefts)
        if not lefts:
            return tally
        bins = np.minimum((np.array(depths) * DEPTHS).astype(int), DEPTHS - 1)
        simple = np.min([best[key] for key in best if key[0] in self._simple] or [[0.0]], axis=0)
        for place, (key, exact, estimate) in enumerate(self._figures(best, linear)):
            first = self._named.get((key[0], key[1] == "insured"))
            tally.add(place, bins, exact, estimate, simple, first.whole if first else 0.0)
        laws = vectors @ self.functionals.weights.T
        tally.choose(course_arrays(self.functionals, laws, fit))
        return tally

    def result(self, tally: CountSums) -> tuple[Watched, ...]:
        """Return the figures of all that is watched."""
        left = tuple(tally.left.elements())
        found = []
        for place, (name, kind) in enumerate(self.keys):
            effects = self._named.get((name, kind == "insured"))
            theory = None
            if effects is not None and kind != "better":
                expected = predicted(effects, left)
                theory = Theory(*expected) if expected else None
            needs = self._needs.get(name) == "simple"
            found.append(tally.watched(place, name, kind, theory, needs=needs))
        return tuple(found)


class _Seen:
    """The cards that are left, kept up to date as cards are seen."""

    def __init__(self, packs: int, cards: Iterable[Card]) -> None:
        whole = Composition.fresh(packs)
        self._packs, self._left = packs, [list(whole.noir), list(whole.rouge)]
        self.add(cards)

    def add(self, cards: Iterable[Card]) -> None:
        """Take cards out."""
        for counts, out in zip(self._left, count_cards(cards), strict=True):
            for value, count in enumerate(out):
                counts[value] -= count

    def left(self) -> Composition:
        """Return the cards that are left."""
        noir, rouge = map(tuple, self._left)
        return Composition(noir, rouge, self._packs)


def _odds(left: Composition, before: int) -> CoupOdds | FastOdds:
    """Return the odds of a coup that must take no more than the cards before the end of the shoe.

    A coup of so many as 40 cards is too rare to count.
    """
    if min(before, left.cards) < FEWEST:
        return odds_of_cards(left.noir, left.rouge, most=before)
    return fast_odds(left.noir, left.rouge)


def _linear(effects: Effects, lefts: Sequence[Composition]) -> Any:
    """Return the linear count of an edge for many compositions: see ``Effects.linear``."""
    import numpy as np  # noqa: PLC0415 - of the extra

    full = np.array([*effects.counts[0], *effects.counts[1]])
    each = np.array([effect or 0.0 for effect in (*effects.noir, *effects.rouge)])
    now = np.array([(*left.noir, *left.rouge) for left in lefts]).reshape(-1, len(full))
    return effects.whole + (full - now) @ each * (effects.cards - 1) / now.sum(axis=1)


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

    Shoes are those of a simulation with this seed. Edges are nominal ones; later coups, on which a
    stake in prison waits, count as independent copies of the next one while it is sure to fit, and
    as those of a fresh shoe where none fits. Coups before which fewer than 40 cards are unseen are
    left out, unless ``to_the_end``. Threads work: ``workers`` (default: one a processor); the
    figures do not depend on how many, and no coup is kept. An interrupt gives what is done so far.

    Raises ``TrenteError``: "needs-fast", "bad-shoes", "bad-seed", "bad-workers".
    """
    if type(shoes) is not int or not 1 <= shoes <= MOST_SHOES:
        raise TrenteError(
            f"{shoes!r} shoes cannot be counted", "bad-shoes", f"a whole number, 1 to {MOST_SHOES}"
        )
    threads = worker_count(workers)
    flat_kernel("counting cards needs")
    drawn = seed_for(seed)
    counter = _Counter(house)
    tally = CountSums.empty(len(counter.keys))
    done = 0
    try:
        count = partial(counter.shoe, to_the_end=to_the_end)
        for one in _in_order(count, _shoes(house, drawn, shoes), threads):
            tally.merge(one)
            done += 1
            if progress:
                progress(done, shoes)
    except KeyboardInterrupt:
        pass
    return Counting(
        house,
        drawn,
        done,
        shoes,
        tally.too_few,
        tally.coups,
        counter.result(tally),
        tally.choosing(),
        counter.effects,
    )


def _shoes(house: House, seed: int, count: int) -> Iterator[Shoe]:
    """Yield shoes chunk by chunk."""
    for chunk, first in enumerate(range(0, count, SHOES)):
        yield from shoes_of(house, seed, chunk, min(SHOES, count - first))


def _in_order(
    count: Callable[[Shoe], CountSums], shoes: Iterable[Shoe], workers: int
) -> Iterator[CountSums]:
    """Count shoes on threads, few of them waiting, and yield them in order."""
    waiting: list[Future[CountSums]] = []
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
