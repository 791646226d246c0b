"""The sums that ``monitor`` keeps: they grow coup by coup, and their size does not.

For the laws of the results it is enough to know how often each number of stakes of one kind was
placed on one coup, and how often each set of stakes.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from math import sqrt
from typing import Final

from attrs import define, field, frozen

from trente_rules.core.house.house import House
from trente_rules.core.stakes import Opening
from trente_rules.odds.advantage import covariance, edge_of, law_of
from trente_rules.odds.coup_odds import CoupOdds
from trente_rules.odds.stake_laws import LAGS, Placed, StakeKind, StakeLaws, Wager
from trente_rules.odds.tails import Addend, Tails, tails_of, widening
from trente_rules.reports.settlements import Settled, WatchedCoup

MOST_SETS: Final = 200
"""Different sets of stakes whose exact law enters that of all stakes together; more are normal."""


class WatchedFigures:
    """The exact edges, laws and covariances of the stakes of a house, each computed once."""

    def __init__(self, house: House, odds: CoupOdds, opening: Opening) -> None:
        """Prepare the figures of a house at one opening."""
        self.laws = StakeLaws(house, odds, opening)
        self._house, self._odds = house, odds
        self._edges: dict[StakeKind, Fraction] = {}
        self._covariances: dict[tuple[Wager, Wager], float] = {}
        self._staying: dict[Wager, bool] = {}

    def edge(self, kind: StakeKind) -> Fraction:
        """Return the advantage on a stake, in stakes, rounded as the house rounds.

        A stake that the house refuses to round has the nominal one.
        """
        if kind not in self._edges:
            law = law_of(self._house.chance(kind[0]), self._odds)
            self._edges[kind] = edge_of(self.laws.path(kind).steps, law)
        return self._edges[kind]

    def covariance(self, one: Wager, other: Wager) -> float:
        """Return the covariance of two wagers on one coup, in stakes."""
        key = one, other
        if key not in self._covariances:
            paths = self.laws.nominal(one), self.laws.nominal(other)
            self._covariances[key] = float(covariance(*paths, self._odds))
        return self._covariances[key]

    def stays(self, wager: Wager) -> bool:
        """Return whether a stake can stay on the table for a later coup."""
        if wager not in self._staying:
            self._staying[wager] = self.laws.nominal(wager).staying
        return self._staying[wager]

    def variance(self, units: Mapping[Wager, int]) -> float:
        """Return the variance of the bank's net on one coup, in square units."""
        wagers = sorted(units.items())
        alone = sum(staked**2 * self.covariance(one, one) for one, staked in wagers)
        return alone + 2 * sum(
            staked * others * self.covariance(one, other)
            for (one, staked), (other, others) in combinations(wagers, 2)
        )


@define(eq=False)
class _OpenCoup:
    """A coup with stakes that are not over; ``placed`` are those of it that are."""

    waiting: int = 0
    placed: dict[StakeKind, int] = field(factory=dict)


@define(eq=False)
class _StakeLife:
    """One stake, from the coup it was placed for to its end."""

    coup: _OpenCoup
    kind: StakeKind
    net: int = 0


@define(eq=False)
class _KindSum:
    """The sums of the stakes of one kind that are over."""

    stakes: int = 0
    net: int = 0
    together: Counter[int] = field(factory=Counter)
    """How often each number of them was on one coup."""
    lagged: float = 0.0
    """The covariances of those placed on different coups, in square units."""


@frozen
class LevelSums:
    """The stakes of one kind, or all of them, that are over: their net and its law; in units."""

    kind: StakeKind
    stakes: int
    staked: int
    net: int
    expected: float
    sd: float
    tails: Tails


class SettlementSums:
    """Sums of settlements; only what is in prison is held."""

    def __init__(self, figures: WatchedFigures) -> None:
        """Begin without a coup."""
        self._figures = figures
        self._kinds: dict[StakeKind, _KindSum] = {}
        self._sets: Counter[Placed] = Counter()
        self._more_variance = 0.0
        self._more_mean = 0.0
        self._lagged = 0.0
        self._earlier: deque[dict[StakeKind, int]] = deque(maxlen=LAGS)
        self._waiting: dict[str, _StakeLife] = {}
        self._lost = 0
        self._open: dict[int, _OpenCoup] = {}

    @property
    def pending(self) -> int:
        """The stakes whose end is not known."""
        return len(self._waiting) + self._lost

    def add(self, coup: WatchedCoup) -> None:
        """Add the settlements of the next coup."""
        here = _OpenCoup(waiting=1)  # the coup itself: until all of its stakes are placed
        free: dict[StakeKind, int] = {}
        over: list[_OpenCoup] = []
        for settled in coup.settled:
            life = self._waiting.pop(settled.stake, None)
            if settled.free:  # a later table may use the same id
                if life is not None:
                    self._lost += 1
                    over.append(life.coup)
                life = self._placed(settled, here)
                free[life.kind] = free.get(life.kind, 0) + 1
            elif life is None:
                continue  # it was placed before the first coup
            life.net += settled.net
            if settled.ended:
                self._end(life)
                over.append(life.coup)
            else:
                self._waiting[settled.stake] = life
        self._follow(free)
        self._open[id(here)] = here
        for each in (*over, here):
            each.waiting -= 1
            if not each.waiting:
                self._close(self._open.pop(id(each)))

    def _placed(self, settled: Settled, here: _OpenCoup) -> _StakeLife:
        here.waiting += 1
        return _StakeLife(here, (settled.chance, settled.insured, settled.amount))

    def _end(self, life: _StakeLife) -> None:
        kind = self._kinds.get(life.kind)
        if kind is None:
            kind = self._kinds[life.kind] = _KindSum()
        kind.stakes += 1
        kind.net += life.net
        life.coup.placed[life.kind] = life.coup.placed.get(life.kind, 0) + 1

    def _follow(self, free: dict[StakeKind, int]) -> None:
        """Add the covariances of the stakes of a coup with those of the coups before it."""
        for lag, before in enumerate(reversed(self._earlier)):
            for one, many in before.items():
                for other, more in free.items():
                    shared = many * more * self._figures.laws.lagged(one, other)[lag]
                    self._lagged += shared
                    if one == other:
                        self._kinds.setdefault(one, _KindSum()).lagged += shared
        staying = self._figures.stays
        self._earlier.append({kind: n for kind, n in free.items() if staying(kind[:2])})

    def _close(self, coup: _OpenCoup) -> None:
        """Add a coup whose stakes are all over: they share its outcome."""
        if not coup.placed:
            return
        for kind, count in coup.placed.items():
            self._kinds[kind].together[count] += 1
        placed = tuple(sorted(coup.placed.items()))
        if placed in self._sets or len(self._sets) < MOST_SETS:
            self._sets[placed] += 1
            return
        units: dict[Wager, int] = defaultdict(int)
        for kind, count in placed:
            units[kind[:2]] += kind[2] * count
            self._more_mean += float(self._figures.edge(kind)) * kind[2] * count
        self._more_variance += self._figures.variance(units)

    def levels(self) -> tuple[LevelSums, list[LevelSums]]:
        """Return the figures of all stakes, and of those of each kind."""
        for coup in self._open.values():
            self._close(coup)
        self._open.clear()
        levels = [self._level(kind, own) for kind, own in sorted(self._kinds.items()) if own.stakes]
        addends = [(self._figures.laws.net(placed), n) for placed, n in self._sets.items()]
        net = sum(level.net for level in levels)
        more = self._more_mean, self._more_variance
        tails, sd = _tails(addends, net, self._lagged, more)
        total = LevelSums(
            ("", False, 0),
            sum(level.stakes for level in levels),
            sum(level.staked for level in levels),
            net,
            sum(level.expected for level in levels),
            sd,
            tails,
        )
        return total, levels

    def _level(self, kind: StakeKind, own: _KindSum) -> LevelSums:
        law = self._figures.laws.net
        addends = [(law(((kind, count),)), times) for count, times in own.together.items()]
        tails, sd = _tails(addends, own.net, own.lagged)
        staked = own.stakes * kind[2]
        due = float(staked * self._figures.edge(kind))
        return LevelSums(kind, own.stakes, staked, own.net, due, sd, tails)


def _tails(
    addends: list[Addend], net: int, lagged: float, more: tuple[float, float] = (0, 0)
) -> tuple[Tails, float]:
    """Return the tails of a net result and its standard deviation, in units."""
    variance = sum(law.variance * count for law, count in addends) + more[1]
    if not variance:
        return Tails(1.0, 1.0, 1.0), 0.0
    # Where stakes on both sides of a coup make the covariance negative, it is left out.
    whole = variance + 2 * max(lagged, 0.0)
    ratio = widening(sqrt(whole / variance), sum(count for _law, count in addends))
    tails = tails_of(addends, net, widened=ratio, normal=more)
    return tails, sqrt(whole)
