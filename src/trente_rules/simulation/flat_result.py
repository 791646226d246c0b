"""The result of a simulation of flat stakes, with a JSON form; amounts and edges in stakes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import lcm, sqrt
from operator import mul
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.chances import OPPOSITES
from trente_rules.core.coup import OUTCOMES, POINTS
from trente_rules.core.house.house import House
from trente_rules.core.machine import Policy
from trente_rules.core.wager import WagerPath
from trente_rules.odds.advantage import (
    MOST_CARRIED,
    edge_of,
    law_of,
    long_run_covariance,
    variance_of,
)
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.simulation.arrays import HouseArrays
from trente_rules.simulation.runner import Done, figures

# Two houses on the same shoes: the difference of their edges, with a separate error.

PairSums = list[list[int]]
"""For each pair of sides: batches, then the sums and products of (net, coups) in both houses."""
FEWEST_BATCHES: Final = 8


@frozen
class PairDifference:
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

    def to_json(self) -> dict[str, Any]:
        """Return the difference as JSON."""
        return {
            **figures(self, "first second chances insured"),
            "basis": BASES["all"],
            **figures(self, "edge standard_error"),
        }


@frozen
class Side:
    """Wagers that are compared together, by their places; ``scale`` is that of all of them."""

    chances: tuple[str, ...]
    insured: bool
    places: tuple[int, ...]
    scale: int


def sides(made: HouseArrays) -> dict[tuple[frozenset[str], bool], Side]:
    """Return the sides of a house: chances with their opposites, and side bets, by their names."""
    places: dict[tuple[str, bool], int] = {}
    for place, wager in enumerate(made.wagers):
        places.setdefault((wager.chance, wager.insured), place)
    named = {}
    for (chance, insured), place in places.items():
        opposite = OPPOSITES.get(chance, chance)
        other = places.get((opposite, insured))
        if other is None or other < place:
            continue
        chances = tuple(dict.fromkeys((chance, opposite)))
        both = tuple(dict.fromkeys((place, other)))
        scale = lcm(*(made.wagers[one].scale for one in both))
        named[frozenset(chances), insured] = Side(chances, insured, both, scale)
    return named


def pairs_of(one: HouseArrays, other: HouseArrays) -> list[tuple[Side, Side]]:
    """Return the sides that both houses have."""
    there = sides(other)
    return [(side, there[name]) for name, side in sides(one).items() if name in there]


def pair_sums(one: HouseArrays, played: Any, other: HouseArrays, played_there: Any) -> PairSums:
    """Add up the batches of a chunk for each pair of sides, in whole numbers."""
    coups, nets = _nets(one, played)
    coups_there, nets_there = _nets(other, played_there)
    sums = []
    for here, there in pairs_of(one, other):
        columns = [_column(one, here, nets), coups, _column(other, there, nets_there), coups_there]
        products = [sum(map(mul, a, b)) for a, b in combinations_with_replacement(columns, 2)]
        sums.append([len(coups), *(sum(column) for column in columns), *products])
    return sums


def _column(made: HouseArrays, side: Side, nets: list[list[int]]) -> list[int]:
    """Return the nets of a side by batch, in its scale."""
    factors = [side.scale // made.wagers[place].scale for place in side.places]
    return [
        sum(factor * line[place] for factor, place in zip(factors, side.places, strict=True))
        for line in nets
    ]


def by_batch(numbers: Any, kinds: int) -> Any:
    """Return the kernel's numbers as [batch, kind of coup, ...]; there may be no wagers."""
    return numbers.reshape(len(numbers) // kinds, kinds, numbers.shape[1])


def _nets(made: HouseArrays, played: Any) -> tuple[list[int], list[list[int]]]:
    """Return the coups of each batch, and the nets of the wagers, in the scale of each."""
    import numpy as np  # noqa: PLC0415 - of the extra

    counts, nets = played[0], played[1]
    kinds = len(played[2])
    dealt = by_batch(counts, kinds).sum(axis=1)
    whole = by_batch(nets, kinds).sum(axis=1)
    for chance, verdicts in enumerate(made.verdicts):
        coups = np.stack([dealt[:, verdicts == v].sum(axis=1) for v in range(made.gains.shape[1])])
        for wager in np.flatnonzero(made.starts[:, 0] == chance):
            node = made.starts[wager, 1]
            whole[:, wager] += np.where(made.nexts[node] < 0, made.gains[node], 0) @ coups
    return dealt.sum(axis=1).tolist(), whole.tolist()


def difference(names: tuple[str, str], pair: tuple[Side, Side], sums: list[int]) -> PairDifference:
    """Return the difference of two edges from the sums of a pair of sides."""
    batches, net, coups, net_there, coups_there = sums[:5]
    units = [len(side.places) * side.scale for side in pair]
    edges = Fraction(-net, coups * units[0]), Fraction(-net_there, coups_there * units[1])
    # What one batch adds to the difference: its net less the net expected of its coups, by house.
    weights = (
        Fraction(1, coups * units[0]),
        edges[0] / coups,
        Fraction(-1, coups_there * units[1]),
        -edges[1] / coups_there,
    )
    square = Fraction(0)
    pairs = combinations_with_replacement(range(len(weights)), 2)
    for (i, j), product in zip(pairs, sums[5:], strict=True):
        square += weights[i] * weights[j] * product * (1 if i == j else 2)
    error = sqrt(square * batches / (batches - 1)) if batches >= FEWEST_BATCHES else None
    chances, insured = pair[0].chances, pair[0].insured
    return PairDifference(*names, chances, insured, edges[1] - edges[0], error)


BASES: Final = {
    "sure": "coups sure to be completed",
    "all": "all completed coups",
    "first": "first coups of their tailles",
}
"""The coups in which the stakes of a measure are placed.

Only coups that are sure to be completed have the probabilities of a fresh shoe; the last coups of a
taille are completed because they were short, and hold too many refaits.
"""
_SIDE: Final = len(POINTS)


@frozen
class Measure:
    """The stakes placed in some coups, each followed to its end.

    ``net`` is the net result of the player, ``squares`` the sum of the squares of each stake's net.
    ``variance`` is what a stake adds to the variance of the net, exactly, at the odds of a fresh
    shoe; ``largest`` the square of the greatest result of one stake, less the mean.
    """

    stakes: int
    net: Fraction
    squares: Fraction
    variance: float = 0.0
    largest: float = 0.0

    @property
    def edge(self) -> Fraction | None:
        """The mean loss of a stake; None where no stake was placed."""
        return -self.net / self.stakes if self.stakes else None

    @property
    def standard_error(self) -> float | None:
        """The standard error of the edge, from the exact variance of a stake.

        None where one stake can carry more than ``MOST_CARRIED`` of the variance of all, so that
        the net is far from a normal law: a side bet that has hardly ever won.
        """
        if self.largest > MOST_CARRIED * self.variance * self.stakes or not self.stakes:
            return None
        return sqrt(self.variance / self.stakes)

    def to_json(self) -> dict[str, Any]:
        """Return the measure as JSON."""
        return figures(self, "edge standard_error stakes")


@frozen
class StakeSpread:
    """How far the result of a stake is from its mean: see ``Measure``.

    ``alone`` is the variance of a stake whose coups no other stake of its wager shares, ``every``
    that of a stake on every coup, in square stakes.
    """

    alone: float = 0.0
    every: float = 0.0
    largest: float = 0.0

    def over(self, basis: str) -> tuple[float, float]:
        """Return variance and largest square of a stake in the coups of a member of ``BASES``."""
        return self.alone if basis == "first" else self.every, self.largest


def spread_of(
    house: House, chance: str, policy: Policy, *, insured: bool, stake: int | None
) -> StakeSpread:
    """Return the spread of a stake of an amount in units, None for nominal ones, on one wager."""
    odds = fresh_shoe(house.shoe.packs)
    law = law_of(house.chance(chance), odds)
    wager = next(w for w in house.wagers_on(chance) if w.insured == insured)
    opening = house.lowest_opening(stake or 0)
    nominal = _played(wager.paths(), policy)
    path = nominal if stake is None else _played(wager.paths(stake=stake, opening=opening), policy)
    alone = variance_of(path.steps, law)
    # A prisoner shares its coup with the next stake: rounding hardly moves how much that adds.
    of_nominal = variance_of(nominal.steps, law)
    shared = long_run_covariance(nominal, nominal, odds) - of_nominal if nominal.staying else 0
    mean = 1 - edge_of(path.steps, law)
    ends = [
        step.back
        for verdict, step in next(iter(path.steps.values())).items()
        if law.get(verdict) and not step.target
    ]
    return StakeSpread(
        float(alone),
        float(alone * (1 + shared / of_nominal)) if of_nominal else float(alone),
        max((float((back - mean) ** 2) for back in ends), default=0.0),
    )


def _played(paths: Iterable[WagerPath], policy: Policy) -> WagerPath:
    """Return the path of a policy; a stake that has fewer choices takes the first."""
    found = list(paths)
    return next((path for path in found if path.policy == policy), found[0])


@frozen
class SimulatedWager:
    """One wager under one policy, with its results over each kind of coups; see ``BASES``.

    ``stake`` is the amount in units, None for nominal stakes.
    """

    chance: str
    insured: bool
    policy: Policy
    stake: int | None
    sure: Measure
    all: Measure
    first: Measure

    def to_json(self) -> dict[str, Any]:
        """Return the wager as JSON; its own figures are those of the coups sure to be completed."""
        return {
            **figures(self, "chance insured"),
            "policy": dict(self.policy.choices),
            "stake": self.stake,
            "basis": BASES["sure"],
            **self.sure.to_json(),
            "over": figures(self, " ".join(BASES)),
        }


@frozen
class SimulatedHouse:
    """The result of one house.

    ``outcomes`` counts the 400 outcomes of coups, by ``outcome_index``, over each kind of coups
    (the members of ``BASES``, in order). ``per_taille[n]`` counts the shoes that gave n coups.
    ``voids`` counts coups that were started and not completed, ``extra_shoes`` the shoes dealt at
    the end of chunks only to follow prisoners, which no other figure counts.
    """

    name: str
    title: str
    fingerprint: str
    packs: int
    shoes: int
    per_taille: tuple[int, ...]
    voids: int
    extra_shoes: int
    sure_coups: int
    refait_on: frozenset[int]
    outcomes: tuple[tuple[int, ...], ...] = field(repr=False)
    wagers: tuple[SimulatedWager, ...]
    coups_per_second: float = field(eq=False)

    @property
    def coups(self) -> int:
        """The completed coups."""
        return sum(coups * shoes for coups, shoes in enumerate(self.per_taille))

    def points(self, basis: str = "all") -> tuple[tuple[int, ...], ...]:
        """Return the coups by both points, ``[first - 31][second - 31]``."""
        counts = self.outcomes[tuple(BASES).index(basis)]
        cells = [sum(counts[4 * cell : 4 * cell + 4]) for cell in range(_SIDE**2)]
        return tuple(tuple(cells[_SIDE * i : _SIDE * i + _SIDE]) for i in range(_SIDE))

    def refaits(self, basis: str = "all") -> int:
        """Return how many coups were refaits: ties that lose."""
        points = self.points(basis)
        return sum(points[i][i] for i, point in enumerate(POINTS) if point in self.refait_on)

    def ties(self, basis: str = "all") -> int:
        """Return how many coups were other ties."""
        points = self.points(basis)
        return sum(points[i][i] for i, point in enumerate(POINTS) if point not in self.refait_on)

    def to_json(self) -> dict[str, Any]:
        """Return the house as JSON."""
        return {
            **figures(self, "name title fingerprint packs coups shoes voids extra_shoes"),
            "sure_coups_of_a_taille": self.sure_coups,
            "coups_per_taille": {
                str(coups): shoes for coups, shoes in enumerate(self.per_taille) if shoes
            },
            "outcomes": {
                name: {
                    "basis": basis,
                    "coups": sum(map(sum, self.points(name))),
                    "refaits": self.refaits(name),
                    "ties": self.ties(name),
                    "points": [list(line) for line in self.points(name)],
                }
                for name, basis in BASES.items()
            },
            **figures(self, "wagers coups_per_second"),
        }


@frozen
class Simulation:
    """The houses that were simulated, and how they differ on the same shoes.

    ``complete`` is False where the run was interrupted: then the figures are of what was dealt.
    """

    houses: tuple[SimulatedHouse, ...]
    differences: tuple[PairDifference, ...]
    seed: int
    asked: int
    complete: bool
    seconds: float = field(eq=False)

    def house(self, name: str) -> SimulatedHouse:
        """Return a house by its name; ``KeyError`` if it was not simulated."""
        for house in self.houses:
            if house.name == name:
                return house
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """Return the simulation as JSON."""
        return {
            **figures(self, "seed coups_asked=asked complete seconds"),
            "houses": [{**house.to_json(), "seed": self.seed} for house in self.houses],
            **figures(self, "differences"),
        }


def result(
    houses: Sequence[House], made: Sequence[HouseArrays], seed: int, asked: int, done: Done
) -> Simulation:
    """Return the result of a run: its totals of whole numbers, read as what they mean."""
    if not done.totals:
        return Simulation((), (), seed, asked, done.complete, done.seconds)
    simulated = tuple(
        _house(house, tables, totals, done)
        for house, tables, totals in zip(houses, made, done.totals["houses"], strict=True)
    )
    alike = [
        (house, tables)
        for house, tables in zip(houses[1:], made[1:], strict=True)
        if house.shoe.packs == houses[0].shoe.packs
    ]
    differences = tuple(
        difference((houses[0].name, house.name), pair, sums)
        for (house, tables), pairs in zip(alike, done.totals["pairs"], strict=True)
        for pair, sums in zip(pairs_of(made[0], tables), pairs, strict=True)
        if sums[2] and sums[4]
    )
    return Simulation(simulated, differences, seed, asked, done.complete, done.seconds)


def _house(house: House, tables: HouseArrays, totals: dict[str, Any], done: Done) -> SimulatedHouse:
    sure = int(tables.shoe_rule[-1])
    per_taille = tuple(totals["per_taille"])
    coups = sum(number * shoes for number, shoes in enumerate(per_taille))
    bases = [(kinds, _outcomes(totals, kinds)) for kinds in _kinds(sure)]
    return SimulatedHouse(
        name=house.name,
        title=house.title,
        fingerprint=house.fingerprint,
        packs=house.shoe.packs,
        shoes=done.shoes,
        per_taille=per_taille,
        voids=totals["voids"],
        extra_shoes=totals["extra_shoes"],
        sure_coups=sure,
        refait_on=frozenset(house.losing_ties),
        outcomes=tuple(tuple(outcomes) for _kinds_there, outcomes in bases),
        wagers=tuple(
            SimulatedWager(
                *(wager.chance, wager.insured, wager.policy, wager.stake),
                *(
                    _measure(tables, totals, place, *basis, spread.over(name))
                    for name, basis in zip(BASES, bases, strict=True)
                ),
            )
            for place, wager in enumerate(tables.wagers)
            for spread in [
                spread_of(
                    house,
                    wager.chance,
                    wager.policy,
                    insured=wager.insured,
                    stake=wager.stake,
                )
            ]
        ),
        coups_per_second=done.rate(coups),
    )


def _kinds(sure: int) -> tuple[tuple[int, ...], ...]:
    """Return the kernel's kinds of coups that make up each of ``BASES``."""
    return (0, 1) if sure else (), (0, 1, 2), (0,)


def _outcomes(totals: dict[str, Any], kinds: Sequence[int]) -> list[int]:
    """Return how often each outcome came in some kinds of coups."""
    return [sum(totals["outcomes"][kind][place] for kind in kinds) for place in range(OUTCOMES)]


def _measure(
    tables: HouseArrays,
    totals: dict[str, Any],
    place: int,
    kinds: Sequence[int],
    outcomes: Sequence[int],
    spread: tuple[float, float],
) -> Measure:
    """Add stakes that ended with their coup, which were only counted, to those followed."""
    scale = tables.wagers[place].scale
    chance, node = tables.starts[place].tolist()
    gains = [
        gain if then < 0 else 0
        for gain, then in zip(tables.gains[node].tolist(), tables.nexts[node].tolist(), strict=True)
    ]
    counts = [0] * len(gains)  # three sums over 400 outcomes take twice the time
    for verdict, count in zip(tables.verdicts[chance].tolist(), outcomes, strict=True):
        counts[verdict] += count
    net = sum(totals["nets"][kind][place] for kind in kinds)
    square = sum(totals["squares"][kind][place] for kind in kinds)
    for gain, count in zip(gains, counts, strict=True):
        net += count * gain
        square += count * gain**2
    return Measure(sum(counts), Fraction(net, scale), Fraction(square, scale**2), *spread)
