"""Two houses on the same shoes: the difference of their edges, with an error of its own.

The results of a batch of shoes are far more alike in two houses than their errors alone tell. For
each batch the sums of both houses are taken together; their products, added up over all batches,
give the error of the difference (linearised, as of any ratio of sums).
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm, sqrt
from typing import Any, Final

from attrs import frozen

from trente_rules.rules.chances import OPPOSITES, VERDICTS
from trente_rules.simulation.tables import Tables

PairSums = list[list[int]]
"""For each pair of sides: batches, then the sums and products of (net, coups) in both houses."""
FEWEST_BATCHES: Final = 8
_MEMBERS: Final = 4


@frozen
class Difference:
    """How much more one house takes than another on the same shoes, in stakes.

    ``chances`` are a chance and the one that loses where it wins, a stake on each (the luck of the
    two cancels out), or a side bet alone. ``edge`` is the edge of the second house less that of
    the first, over all completed coups, each wager under its default policy. ``standard_error`` is
    None where there are too few shoes.
    """

    first: str
    second: str
    chances: tuple[str, ...]
    insured: bool
    edge: Fraction
    standard_error: float | None


@frozen
class Side:
    """Wagers that are taken together, by their places; ``scale`` is that of all of them."""

    chances: tuple[str, ...]
    insured: bool
    places: tuple[int, ...]
    scale: int


def sides(made: Tables) -> dict[tuple[tuple[str, ...], bool], Side]:
    """Answer what houses are compared by: chances with their opposites, and side bets."""
    places: dict[tuple[str, bool], int] = {}
    for place, wager in enumerate(made.wagers):
        places.setdefault((wager.chance, wager.insured), place)
    found = {}
    for (chance, insured), place in places.items():
        opposite = OPPOSITES.get(chance, chance)
        other = places.get((opposite, insured))
        if other is None or other < place:
            continue
        chances = tuple(dict.fromkeys((chance, opposite)))
        both = tuple(dict.fromkeys((place, other)))
        scale = lcm(*(made.wagers[one].scale for one in both))
        found[chances, insured] = Side(chances, insured, both, scale)
    return found


def pairs_of(one: Tables, other: Tables) -> list[tuple[Side, Side]]:
    """Answer the sides that both houses have."""
    here, there = sides(one), sides(other)
    named = {(frozenset(chances), insured): side for (chances, insured), side in there.items()}
    return [
        (side, named[frozenset(chances), insured])
        for (chances, insured), side in here.items()
        if (frozenset(chances), insured) in named
    ]


def pair_sums(one: Tables, played: Any, other: Tables, played_there: Any) -> PairSums:
    """Add up the batches of a chunk for each pair of sides, in whole numbers."""
    coups, nets = _nets(one, played)
    coups_there, nets_there = _nets(other, played_there)
    sums = []
    for here, there in pairs_of(one, other):
        columns = [
            _column(one, here, nets),
            coups.tolist(),
            _column(other, there, nets_there),
            coups_there.tolist(),
        ]
        products = [
            sum(a * b for a, b in zip(columns[i], columns[j], strict=True))
            for i in range(_MEMBERS)
            for j in range(i, _MEMBERS)
        ]
        sums.append([len(coups), *(sum(column) for column in columns), *products])
    return sums


def _column(made: Tables, side: Side, nets: Any) -> list[int]:
    """Answer the nets of a side by batch, in its scale."""
    factors = [side.scale // made.wagers[place].scale for place in side.places]
    return [
        sum(factor * line[place] for factor, place in zip(factors, side.places, strict=True))
        for line in nets.tolist()
    ]


def by_batch(numbers: Any, kinds: int) -> Any:
    """Answer the kernel's numbers as [batch, kind of coup, ...]; there may be no wager."""
    return numbers.reshape(len(numbers) // kinds, kinds, numbers.shape[1])


def _nets(made: Tables, played: Any) -> tuple[Any, Any]:
    """Answer the coups of each batch, and what the wagers came to, in the scale of each."""
    import numpy as np  # noqa: PLC0415 - of the extra

    counts, nets = played[0], played[1]
    kinds = len(played[2])
    dealt = by_batch(counts, kinds).sum(axis=1)
    whole = by_batch(nets, kinds).sum(axis=1)
    for chance, verdicts in enumerate(made.verdicts):
        coups = np.stack([dealt[:, verdicts == v].sum(axis=1) for v in range(len(VERDICTS))])
        for wager in np.flatnonzero(made.starts[:, 0] == chance):
            node = made.starts[wager, 1]
            whole[:, wager] += np.where(made.nexts[node] < 0, made.gains[node], 0) @ coups
    return dealt.sum(axis=1), whole


def difference(names: tuple[str, str], pair: tuple[Side, Side], sums: list[int]) -> Difference:
    """Answer the difference of two edges from the sums of a pair of sides."""
    batches, net, coups, net_there, coups_there = sums[:5]
    units = [len(side.places) * side.scale for side in pair]
    edges = Fraction(-net, coups * units[0]), Fraction(-net_there, coups_there * units[1])
    # What one batch adds to the difference: its net less what its coups let expect, in each house.
    weights = (
        Fraction(1, coups * units[0]),
        edges[0] / coups,
        Fraction(-1, coups_there * units[1]),
        -edges[1] / coups_there,
    )
    products = iter(sums[5:])
    square = Fraction(0)
    for i in range(_MEMBERS):
        for j in range(i, _MEMBERS):
            square += weights[i] * weights[j] * next(products) * (1 if i == j else 2)
    error = None
    if batches >= FEWEST_BATCHES:
        error = sqrt(square * batches / (batches - 1))
    chances, insured = pair[0].chances, pair[0].insured
    return Difference(*names, chances, insured, edges[1] - edges[0], error)
