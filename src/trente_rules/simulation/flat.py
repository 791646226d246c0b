"""The simulation of flat stakes: one on every wager in every coup, each followed to its end."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, Final, Literal, get_args

from attrs import field, frozen

from trente_rules.core.cards import PACK
from trente_rules.core.errors import BetError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.names import nearest
from trente_rules.core.shoe import Shoe
from trente_rules.core.stakes import Opening
from trente_rules.simulation.arrays import CARD_BITS, HouseArrays, cards_of, shoes_for, tables
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
        """Play a chunk in each house; houses with equal packs play the same shoes."""
        batch = BATCH if len(self.houses) > 1 else shoes
        played = [self._played(house, chunk, shoes, batch) for house in self.houses]
        first, *others = self.houses
        pairs = [
            pair_sums(self.tables(first), played[0], self.tables(house), there)
            for house, there in zip(others, played[1:], strict=True)
            if house.shoe.packs == first.shoe.packs
        ]
        return {"houses": [_totals(one) for one in played], "pairs": pairs}

    def _played(self, house: House, chunk: int, shoes: int, batch: int) -> Any:
        made = self.tables(house)
        shoe = made.cards.copy(), *streams(self.seed, chunk), made.shoe_rule
        arrays = made.verdicts, made.imprisons, made.starts, made.gains, made.nexts
        return flat_kernel().play(*shoe, shoes, batch, *arrays)


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


def shoes_of(house: House, seed: int, chunk: int, count: int) -> Iterator[Shoe]:
    """Return the first shoes of a chunk as the engine deals them: cut, burned and marked.

    Any chunk can be played again coup by coup: ``deal_coup``, ``settle`` and ``close_session``
    check what the kernel counted. Raises ``TrenteError`` ("needs-fast").
    """
    kernel = flat_kernel()
    shoe_stream, marker_stream = streams(seed, chunk)
    rule = house.shoe
    orders = kernel.orders(cards_of(rule.packs), shoe_stream, count)
    low, high = rule.marker_bounds
    behind = kernel.markers(marker_stream, low, high, count)
    for order, place in zip(orders.tolist(), behind.tolist(), strict=True):
        shoe = Shoe(tuple(PACK[card >> CARD_BITS] for card in order), rule.packs)
        yield rule.prepare(shoe, marker_from_end=place if rule.marker else None)


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
