"""The simulation of flat stakes: one on every wager in every coup, each followed to its end."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, Final, Literal, get_args

from attrs import field, frozen

from trente_rules.core.cards import PACK
from trente_rules.core.coup import OUTCOMES
from trente_rules.core.errors import BetError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.names import nearest
from trente_rules.core.shoe import Shoe
from trente_rules.core.stakes import Opening
from trente_rules.simulation.arrays import (
    CARD_BITS,
    HouseArrays,
    cards_of,
    kinds_of,
    prefix_of,
    reach,
    shoes_for,
    tables,
    turned,
)
from trente_rules.simulation.compiled import flat_kernel
from trente_rules.simulation.flat_result import Simulation, by_batch, pair_sums, result
from trente_rules.simulation.runner import (
    SHOES,
    Progress,
    check_coups,
    check_resume,
    run,
    seed_for,
    streams,
)

BLOCK: Final = 512
"""Shoes that are dealt before the stakes of each house are followed through them."""
BATCH: Final = 256
"""Shoes whose results are added up together where houses are compared: see ``pair_sums``."""
Policies = Literal["all", "default"]


@frozen
class FlatJob:
    """Flat stakes in several houses; ``stake`` in units of each, None for nominal stakes."""

    houses: tuple[House, ...]
    seed: int
    stake: int | None = None
    opening: Opening = field(factory=Opening)
    chances: tuple[str, ...] = ()
    policies: Policies = "all"

    def identity(self) -> dict[str, Any]:
        """Return all that totals depend on: the rules by their fingerprints, seed and wagers."""
        return {
            "houses": [house.fingerprint for house in self.houses],
            "seed": self.seed,
            "chunk_shoes": SHOES,
            "stake": self.stake,
            "opening": self.opening.to_json(),
            "chances": list(self.chances),
            "policies": self.policies,
        }

    def tables(self, house: House) -> HouseArrays:
        """Return the tables of a house; chances that it does not have are left out."""
        names = {chance.id for chance in house.chances}
        wanted = tuple(name for name in self.chances if name in names)
        chances = wanted if self.chances else None
        return tables(house, self.stake, self.opening, chances, self.policies)

    def play(self, chunk: int, shoes: int) -> dict[str, Any]:
        """Play a chunk in each house; houses with equal packs play the same shoes, dealt once."""
        batch = BATCH if len(self.houses) > 1 else shoes
        alike: dict[int, list[int]] = {}
        for place, house in enumerate(self.houses):
            alike.setdefault(house.shoe.packs, []).append(place)
        played: dict[int, Any] = {}
        for places in alike.values():
            made = [self.tables(self.houses[place]) for place in places]
            played.update(
                zip(places, played_together(made, self.seed, chunk, shoes, batch), strict=True)
            )
        first, *others = self.houses
        pairs = [
            pair_sums(self.tables(first), played[0], self.tables(house), played[place])
            for place, house in enumerate(others, 1)
            if house.shoe.packs == first.shoe.packs
        ]
        return {"houses": [_totals(played[n]) for n in range(len(played))], "pairs": pairs}


def played_together(
    made: Sequence[HouseArrays], seed: int, chunk: int, shoes: int, batch: int
) -> list[Any]:
    """Return what houses of equal packs count on the shoes of a chunk, which are dealt once.

    Of each house: outcomes by batch and kind of coup, the nets of prisoners by batch and kind of
    the coup they were placed in, their squares, shoes by number of coups, and voided coups and
    extra shoes. Prisoners that are left after the last shoe are followed through more shoes.
    """
    stop, tail = (max(each) for each in zip(*(reach(one) for one in made), strict=True))
    seats = [_Followed(one, seed, chunk, shoes, batch) for one in made]
    first = 0
    for dealt in _blocks(made[0], streams(seed, chunk)[0], stop, tail):
        for seat in seats:
            seat.follow(dealt, first)
        first += len(dealt[1])
        if first >= shoes and not any(seat.waiting for seat in seats):
            return [seat.counted() for seat in seats]
    raise AssertionError  # pragma: no cover - blocks are dealt without end


def _blocks(made: HouseArrays, stream: Any, stop: int, tail: int) -> Iterator[Any]:
    """Yield blocks of shoes without end: coups, their numbers, the last cards, cards, points."""
    kernel, size = flat_kernel(), len(made.cards)
    prefix, points = prefix_of(made.cards), made.points
    dealt = kernel.lockstep.room_for(BLOCK, tail)
    while True:
        kernel.deal(prefix, size, stop, stream, *dealt)
        yield (*dealt, size, points)


class _Followed:
    """One stake on each wager of a house from every coup of a chunk, and what was counted."""

    def __init__(self, made: HouseArrays, seed: int, chunk: int, shoes: int, batch: int) -> None:
        import numpy as np  # noqa: PLC0415 - of the extra

        self._kernel, self._made, self._shoes, self._batch = flat_kernel(), made, shoes, batch
        self._marker = streams(seed, chunk)[1]
        rows = -(-shoes // batch) * self._kernel.KINDS
        many = len(made.wagers)
        self._counts = np.zeros((rows, OUTCOMES), np.int64)
        self._nets = np.zeros((rows, many), np.int64)
        self._squares = np.zeros((self._kernel.KINDS, many, 2), np.int64)
        self._per_taille = np.zeros(self._kernel.MOST_COUPS, np.int64)
        self._odd = np.zeros(2, np.int64)
        self.waiting = 0
        if made.joint:
            self._walked = np.zeros((rows, len(made.joint.then)), np.int64)
            self._prison = np.zeros((2, 0), np.int64)
        else:
            self._prison = np.zeros((0, 4), np.int64)

    def follow(self, dealt: Any, first: int) -> None:
        """Follow the stakes through a block of shoes, the first of which is ``first``."""
        if first >= self._shoes and not self.waiting:
            return
        made = self._made
        shoes = (*dealt, made.shoe_rule, self._marker, first, self._shoes, self._batch)
        counted = self._per_taille, self._odd
        new = len(dealt[1]) * self._kernel.MOST_COUPS
        if made.joint:
            self._prison = _with_room(self._prison, 1, self.waiting + new)
            tables = made.joint.letters, made.joint.entered, made.joint.then
            sums = self._counts, self._walked, *counted, *self._prison
            self.waiting = self._kernel.follow(*shoes, *tables, *sums, self.waiting)
            return
        self._prison = _with_room(self._prison, 0, self.waiting + new * len(made.wagers))
        steps = made.verdicts, made.imprisons, made.starts, made.gains, made.nexts
        kept = self._counts, self._nets, self._squares, *counted, self._prison
        self.waiting = self._kernel.follow_each(*shoes, *steps, *kept, self.waiting)

    def counted(self) -> Any:
        """Return what was counted; see ``played_together``."""
        joint = self._made.joint
        if joint:
            ended = joint.first, joint.wagers, joint.nets
            self._kernel.settle(self._walked, *ended, self._nets, self._squares)
        return self._counts, self._nets, self._squares, self._per_taille, self._odd


def _with_room(prison: Any, axis: int, needed: int) -> Any:
    """Return an array with room for so many prisoners along an axis, and those that are in it."""
    import numpy as np  # noqa: PLC0415 - of the extra

    if prison.shape[axis] >= needed:
        return prison
    shape = (2, 2 * needed) if axis else (2 * needed, prison.shape[1])
    more = np.empty(shape, np.int64)
    more[tuple(slice(length) for length in prison.shape)] = prison
    return more


def _totals(played: Any) -> dict[str, Any]:
    """Return the totals of one house's chunk as JSON, the batches added up."""
    counts, nets, squares, per_taille, (voids, extra) = played
    kinds = len(squares)
    return {
        "outcomes": by_batch(counts, kinds).sum(axis=0).tolist(),
        "nets": by_batch(nets, kinds).sum(axis=0).tolist(),
        "squares": [[(high << 32) + low for high, low in wagers] for wagers in squares.tolist()],
        "per_taille": per_taille.tolist(),
        "voids": int(voids),
        "extra_shoes": int(extra),
    }


def orders(packs: int, seed: int, chunk: int, count: int) -> Any:
    """Return the orders of the first shoes of a chunk, as the kernel's cards, a line for each.

    The kinds of the cards (points and colour) are those that the simulation deals. Which card of
    its kind comes first is drawn by a stream of its own.
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    kernel, cards = flat_kernel(), cards_of(packs)
    dealt = kernel.lockstep.room_for(count, len(cards))
    stream = streams(seed, chunk)[0]
    kernel.deal(prefix_of(cards), len(cards), len(cards), stream, *dealt)
    kinds = dealt[2][:count, ::-1]
    which = kernel.orders(cards.copy(), streams(seed, chunk, 1)[0], count)
    # The n-th card of a kind in the one order goes to the n-th place of that kind in the other.
    found = np.empty_like(which)
    places, there = (np.argsort(each, axis=1, kind="stable") for each in (kinds, kinds_of(which)))
    np.put_along_axis(found, places, np.take_along_axis(which, there, axis=1), axis=1)
    return found


def shoes_of(house: House, seed: int, chunk: int, count: int) -> Iterator[Shoe]:
    """Return the first shoes of a chunk as the engine deals them: cut, burned and marked.

    Any chunk can be played again coup by coup: ``deal_coup``, ``settle`` and ``close_session``
    check what the kernel counted. Raises ``TrenteError`` ("needs-fast").
    """
    found = orders(house.shoe.packs, seed, chunk, count)
    yield from _prepared(house, found, streams(seed, chunk)[1])


def session_shoes(house: House, seed: int, session: int, count: int) -> Iterator[Shoe]:
    """Return the first shoes of a session of a staking system, like ``shoes_of``.

    Raises ``TrenteError`` ("needs-fast").
    """
    shoe_stream, marker_stream = streams(seed, session)
    found = flat_kernel().orders(cards_of(house.shoe.packs), shoe_stream, count)
    yield from _prepared(house, found, marker_stream)


def _prepared(house: House, found: Any, marker_stream: Any) -> Iterator[Shoe]:
    rule = house.shoe
    low, high = rule.marker_bounds
    behind = flat_kernel().markers(marker_stream, low, high, len(found))
    for order, place in zip(found.tolist(), behind.tolist(), strict=True):
        cards = turned(rule, [PACK[card >> CARD_BITS] for card in order])
        yield rule.prepare(Shoe(cards, rule.packs), marker_from_end=place if rule.marker else None)


def simulate(  # noqa: PLR0913 - each is given by name
    houses: House | Iterable[House],
    *,
    coups: float,
    seed: int | None = None,
    stake: int | None = None,
    opening: Opening | None = None,
    chances: Sequence[str] = (),
    policies: Policies = "all",
    executor: Executor | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> Simulation:
    """Deal about ``coups`` coups, with one stake on every wager in each, and return the figures.

    Whole shoes are dealt, as many in each house as hold ``coups`` on average in any. Every chance
    is played, or those named, insured and not, under every pure policy ("all") or the default one
    alone. ``stake`` is an amount in units, settled as the house settles it; without it, shares are
    exact and no minimum applies. ``opening`` is needed where a stake depends on a minimum that is
    set daily. The same arguments and seed give the same totals, whatever plays them; without a
    seed, that of the resumed file is taken, or a new one is drawn. See ``run`` for executor,
    workers, progress and resume.

    Raises ``TrenteError``: "needs-fast", "bad-coups", "bad-seed", "bad-workers", "no-house",
    "too-many-policies", "too-many-states", "too-fine-shares", "other-run", "not-a-run", "run-file";
    ``BetError``: "unknown-chance", "opening-needed".
    """
    listed = (houses,) if isinstance(houses, House) else tuple(houses)
    check_flat(listed, coups, chances, policies)
    check_resume(resume)
    flat_kernel()
    opening = opening or Opening()
    job = FlatJob(listed, seed_for(seed, resume), stake, opening, tuple(chances), policies)
    made = [job.tables(house) for house in listed]
    shoes = max(shoes_for(house.shoe, int(coups)) for house in listed)
    done = run(job, shoes, executor=executor, workers=workers, progress=progress, resume=resume)
    return result(listed, made, job.seed, int(coups), done)


def check_flat(
    houses: Sequence[House], coups: float, chances: Sequence[str], policies: str
) -> None:
    """Raise what ``simulate`` raises for arguments that cannot be simulated."""
    if not houses:
        raise TrenteError("no house to simulate", "no-house", "name one or more")
    if policies not in get_args(Policies):
        raise TrenteError(
            f"{policies!r} is not a set of policies", "bad-policies", 'write "all" or "default"'
        )
    check_coups(coups)
    known = {chance.id for house in houses for chance in house.chances}
    for name in chances:
        if name not in known:
            raise BetError(
                f"no house has a chance {name!r}",
                "unknown-chance",
                nearest(name, known) or f"chances are {', '.join(sorted(known))}",
            )
