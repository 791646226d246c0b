"""The result of playing a system, with a JSON form; amounts in units of the house."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from math import comb, sqrt
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.house.house import House
from trente_rules.core.stakes import Opening
from trente_rules.core.wager import Steps
from trente_rules.odds.advantage import (
    MOST_CARRIED,
    Law,
    VerdictOdds,
    edge_of,
    law_of,
    solve,
    variance_of,
)
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.simulation.runner import Done, figures
from trente_rules.simulation.seat import Seat

QUANTILES: Final = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
NORMAL: Final = 1.959964
"""Bands hold 95 % of what chance alone does."""
_TAIL: Final = 0.025
BARS: Final = 40


@frozen(slots=False)
class Spread:
    """How often each whole number came."""

    counts: Mapping[int, int]

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> Spread:
        """Return the spread of the counts of a run."""
        return cls(dict(sorted((int(value), count) for value, count in counts.items())))

    def shifted(self, by: int) -> Spread:
        """Return the spread of the same numbers with ``by`` added to each."""
        return Spread({value + by: count for value, count in self.counts.items()})

    @cached_property
    def many(self) -> int:
        """How many numbers there are."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float | None:
        """The mean, None without numbers."""
        if not self.many:
            return None
        return sum(value * count for value, count in self.counts.items()) / self.many

    @property
    def least(self) -> int | None:
        """The least number."""
        return min(self.counts, default=None)

    @property
    def greatest(self) -> int | None:
        """The greatest number."""
        return max(self.counts, default=None)

    def quantile(self, part: float) -> int | None:
        """Return the least number that at least this part of all does not exceed."""
        so_far = zip(self.counts, accumulate(self.counts.values()), strict=True)
        return next((value for value, below in so_far if below >= part * self.many), None)

    def quantiles(self) -> dict[str, int | None]:
        """Return ``QUANTILES`` by their names."""
        return {f"{part:g}": self.quantile(part) for part in QUANTILES}

    def bars(self, bars: int = BARS) -> tuple[tuple[int, int, int], ...]:
        """Return a histogram: (from, below, count), equally wide."""
        if not self.counts:
            return ()
        low, high = min(self.counts), max(self.counts)
        width = -(-(high - low + 1) // bars)
        heights = [0] * -(-(high - low + 1) // width)
        for value, count in self.counts.items():
            heights[(value - low) // width] += count
        return tuple(
            (low + n * width, low + (n + 1) * width, count) for n, count in enumerate(heights)
        )

    def to_json(self) -> dict[str, Any]:
        """Return mean, extremes and quantiles."""
        return {**figures(self, "mean least greatest"), "quantiles": self.quantiles()}


def wilson(count: int, many: int, z: float = NORMAL) -> tuple[float, float] | None:
    """Return the band of a probability that came ``count`` times of ``many`` (Wilson 1927)."""
    if not many:
        return None
    part, more = count / many, z * z / many
    middle = (part + more / 2) / (1 + more)
    half = z * sqrt(part * (1 - part) / many + more / (4 * many)) / (1 + more)
    low = 0.0 if not count else middle - half
    return low, 1.0 if count == many else middle + half


FEW: Final = 10
"""Of fewer events, or of all but fewer, the band is exact: Wilson's can be too narrow."""
_HALVINGS: Final = 60


def band_of(count: int, many: int) -> tuple[float, float] | None:
    """Return the 95 % band of a probability that came ``count`` times of ``many``.

    That of Wilson; of few events the exact one (Clopper and Pearson 1934), which covers at least
    95 % whatever the probability is.
    """
    if min(count, many - count) >= FEW or not many:
        return wilson(count, many)
    if count > many - count:
        low, high = _exact_band(many - count, many)
        return 1 - high, 1 - low
    return _exact_band(count, many)


def _exact_band(count: int, many: int) -> tuple[float, float]:
    """Return the exact band of few events: each tail has 2.5 % at its end."""

    def at_most(events: int, part: float) -> float:
        return sum(
            comb(many, n) * part**n * (1 - part) ** (many - n) for n in range(min(events, many) + 1)
        )

    def where(events: int, tail: float) -> float:
        low, high = 0.0, 1.0
        for _halving in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if at_most(events, middle) > tail else (low, middle)
        return low

    most = where(count, _TAIL) if count < many else 1.0
    return (where(count - 1, 1 - _TAIL) if count else 0.0), most


@frozen
class RateEstimate:
    """A quotient of sums over sessions, and its standard error; None where there is nothing."""

    value: Fraction | None
    standard_error: float | None

    @property
    def band(self) -> tuple[float, float] | None:
        """The 95 % band."""
        if self.value is None or self.standard_error is None:
            return None
        half = NORMAL * self.standard_error
        return float(self.value) - half, float(self.value) + half

    def to_json(self) -> dict[str, Any]:
        """Return value, error and band."""
        return figures(self, "value standard_error band")


TRACED_POINTS: Final = 50
"""Points of a session at which the bankroll is recorded."""
_COUNTS: Final = (
    *("sessions", "coups", "shoes", "staked", "net", "bets", "premiums", "passed"),
    *("cuts", "cut_sessions", "capped", "ruined"),
)
_SPREADS: Final = ("finals", "drawdowns", "greatest", "won_runs", "lost_runs", "lasted")
_JSON_OF_SEAT: Final = (
    "system=seat.label base_stake=seat.base bankroll=seat.bankroll insured=seat.insured "
    "policy=seat.play session sessions coups shoes bets staked net premiums passed cuts "
    "cut_sessions capped greatest_stake_share=carried "
    "net_per_coup=per_coup net_per_unit_staked=per_unit sd_of_a_coup=sd_of_coup"
)
_JSON_OF_RUNS: Final = (
    "drawdown=drawdowns greatest_stake=greatest longest_run_won=won_runs longest_run_lost=lost_runs"
)


@frozen(slots=False)
class SimulatedSystem:
    """The result of a seat over all its sessions; amounts in units of the house.

    ``coups`` are those dealt while it sat there, ``bets`` the stakes it placed, ``passed`` the
    coups it waited because the house would take none of its bets. ``wagered`` counts bets by chance
    and amount. ``cuts`` is how often the limits of the house made the system restart,
    ``cut_sessions`` in how many sessions; ``capped`` is how often it restarted because its next
    stake was larger than what the simulation counts: a limit of the program, not of the house.
    ``finals`` is the spread of the nets of sessions, ``traced`` that of the net at equal distances,
    over the first sessions. ``lasted`` is after how many coups ruin came.
    """

    seat: Seat
    sessions: int
    session: int
    coups: int
    shoes: int
    staked: int
    net: int
    bets: int
    premiums: int
    passed: int
    cuts: int
    cut_sessions: int
    capped: int
    ruined: int
    wagered: Mapping[tuple[str, int], int] = field(repr=False)
    finals: Spread = field(repr=False)
    drawdowns: Spread = field(repr=False)
    greatest: Spread = field(repr=False)
    won_runs: Spread = field(repr=False)
    lost_runs: Spread = field(repr=False)
    lasted: Spread = field(repr=False)
    traced: tuple[Spread, ...] = field(repr=False)
    products: Mapping[str, int] = field(repr=False)

    @cached_property
    def squares(self) -> int:
        """The sum of the squares of all stakes."""
        return sum(count * amount**2 for (_chance, amount), count in self.wagered.items())

    @property
    def carried(self) -> float:
        """The part of ``squares`` that the greatest stake alone carries."""
        largest = self.greatest.greatest or 0
        return largest**2 / self.squares if self.squares else 1.0

    @property
    def errs(self) -> bool:
        """Return whether an error of the net can be given: no stake is most of its variance.

        With endless credit the few greatest stakes decide the net, and no sample shows how far it
        can be off.
        """
        return self.carried <= MOST_CARRIED

    @cached_property
    def expected(self) -> StakesPlaced:
        """The expected result of the stakes that were placed, at the odds of a fresh shoe."""
        return stakes_placed(self)

    @property
    def error(self) -> float | None:
        """The standard error of the net, in units, from the exact variance of every stake placed.

        Net and expected loss together are a martingale: whatever a system stakes next, and whenever
        a session ends, their sum has this variance.
        """
        return sqrt(self.expected.variance) if self.errs and self.staked else None

    @property
    def per_coup(self) -> RateEstimate:
        """The net per coup at the table, in units; without an error where ``errs`` is false."""
        return self._rate(self.coups)

    @property
    def per_unit(self) -> RateEstimate:
        """The net per unit staked: below 0 it is the bank's edge; its error as ``per_coup``."""
        return self._rate(self.staked)

    @property
    def sd_of_coup(self) -> float | None:
        """The standard deviation of the net that a coup adds, in units."""
        return None if self.error is None or not self.coups else self.error / sqrt(self.coups)

    @property
    def ruin(self) -> tuple[float, tuple[float, float] | None] | None:
        """The part of sessions that ended in ruin, with its 95 % band; None without a bankroll.

        Of few ruined sessions, or few others, the band covers more than 95 %; see ``band_of``.
        """
        if self.seat.bankroll is None or not self.sessions:
            return None
        return self.ruined / self.sessions, band_of(self.ruined, self.sessions)

    @property
    def n0(self) -> float | None:
        """After how many coups the expected loss is as large as one standard deviation.

        Exact where every stake is the same, otherwise from the stakes that were placed. None where
        most sessions end in ruin: then nobody plays so long.
        """
        return None if 2 * self.ruined > self.sessions or not self.errs else self.expected.n0

    def _rate(self, by: int) -> RateEstimate:
        if not by:
            return RateEstimate(None, None)
        return RateEstimate(Fraction(self.net, by), None if self.error is None else self.error / by)

    def to_json(self) -> dict[str, Any]:
        """Return the figures of the seat as JSON; amounts in units of the house."""
        start, ruin = self.seat.bankroll or 0, self.ruin
        finals = self.finals.shifted(start)
        return {
            **figures(self, _JSON_OF_SEAT),
            "n0": self.n0,
            "ruin": ruin and {"sessions": self.ruined, "chance": ruin[0], "band": ruin[1]},
            "lasted_until_ruin": self.lasted.to_json() if self.ruined else None,
            "final": {
                **finals.to_json(),
                "histogram": [list(bar) for bar in finals.bars()],
            },
            **figures(self, _JSON_OF_RUNS),
            "bankroll_bands": [
                {"coup": coup, **band} for coup, band in bands(self, start=start).items()
            ],
        }


@frozen
class StakesPlaced:
    """The expected result of the stakes that a seat placed, in units and square units.

    ``loss`` is their expected loss, ``variance`` that of their net; ``n0`` after how many coups the
    expected loss is as large as one standard deviation, None where nothing is lost. ``flat``: all
    stakes are the same, and ``n0`` is exact.
    """

    loss: Fraction
    variance: Fraction
    n0: float | None
    flat: bool


Moments = tuple[Fraction, Fraction]
"""The edge on a stake, and the variance of its result, in stakes."""


_Terms = tuple[House, Opening, bool, str]


@lru_cache(maxsize=16)
def _kept(_terms: _Terms) -> dict[tuple[str, int], Moments]:
    """Return the figures of stakes by chance and amount, as far as they are known."""
    return {}


def stakes_placed(one: SimulatedSystem, odds: VerdictOdds | None = None) -> StakesPlaced:
    """Return what the stakes of a seat make likely; ``odds`` are by default of a fresh shoe."""
    house = one.seat.house
    deal = odds or fresh_shoe(house.shoe.packs)
    chances = {chance.id: (chance, law_of(chance, deal)) for chance in house.chances}
    known: dict[object, Moments] = {}
    terms = house, one.seat.opening, one.seat.insured, one.seat.play
    kept = _kept(terms) if odds is None else {}
    loss = variance = Fraction(0)
    for (name, amount), count in one.wagered.items():
        if (name, amount) not in kept:
            chance, law = chances[name]
            steps = one.seat.path(chance, amount).steps
            # Most amounts have the same steps: their figures are calculated once.
            walk = ((state, tuple(after.items())) for state, after in steps.items())
            alike = (*law.items(), *walk)
            if alike not in known:
                known[alike] = edge_of(steps, law), variance_of(steps, law)
            kept[name, amount] = known[alike]
        edge, spread = kept[name, amount]
        loss += edge * amount * count
        variance += spread * amount**2 * count
    flat = len(one.wagered) == 1 and not one.passed
    if loss <= 0:
        return StakesPlaced(loss, variance, None, flat)
    if not flat:
        return StakesPlaced(loss, variance, float(variance * one.coups / loss**2), flat)
    ((name, amount),) = one.wagered
    chance, law = chances[name]
    steps = one.seat.path(chance, amount).steps
    # One stake at a time: a stake takes the coups that it waits in prison as well.
    coups = _coups_of_a_stake(steps, law)
    n0 = variance_of(steps, law) / edge_of(steps, law) ** 2 * coups
    return StakesPlaced(loss, variance, float(n0), flat)


def _coups_of_a_stake(steps: Steps, law: Law) -> Fraction:
    """Return the mean number of coups until a stake has left the table."""
    moves: dict[str, dict[str, Fraction]] = {state: {} for state in steps}
    for state, there in steps.items():
        for verdict, step in there.items():
            if step.target and law.get(verdict):
                row = moves[state]
                row[step.target] = row.get(step.target, Fraction(0)) + law[verdict]
    coups = solve(list(steps), dict.fromkeys(steps, Fraction(1)), moves)
    return coups[next(iter(steps))]


def bands(one: SimulatedSystem, *, start: int = 0) -> dict[int, dict[str, int | None]]:
    """Return the quantiles of the bankroll through a session, by coup, from its start on."""
    if not one.traced:
        return {}
    spreads = enumerate([Spread({0: 1}), *one.traced])
    return {
        one.session * point // len(one.traced): spread.shifted(start).quantiles()
        for point, spread in spreads
    }


@frozen
class SystemSimulation:
    """The seats that were simulated; ``complete`` is False where the run was interrupted.

    ``coups_per_second`` is that of all seats together, in this run.
    """

    seats: tuple[SimulatedSystem, ...]
    seed: int
    asked: int
    session: int
    complete: bool
    seconds: float = field(eq=False)
    coups_per_second: float = field(eq=False)

    def to_json(self) -> dict[str, Any]:
        """Return the simulation as JSON, the seats by their houses."""
        houses: dict[str, dict[str, Any]] = {}
        for one in self.seats:
            house = one.seat.house
            entry = houses.setdefault(
                house.fingerprint,
                figures(house, "name title fingerprint")
                | {"seed": self.seed, "unit": house.money.text(1), "systems": []},
            )
            entry["systems"].append(one.to_json())
        names = "seed coups_asked=asked session complete seconds coups_per_second"
        return {**figures(self, names), "houses": list(houses.values())}


def system_result(
    seats: Sequence[Seat], seed: int, asked: int, session: int, done: Done
) -> SystemSimulation:
    """Return the result of a run: its totals of whole numbers, read as what they mean."""
    pairs = zip(seats, done.totals["seats"], strict=True) if done.totals else ()
    simulated = tuple(_seat(seat, session, totals) for seat, totals in pairs)
    rate = done.rate(sum(one.coups for one in simulated))
    return SystemSimulation(simulated, seed, asked, session, done.complete, done.seconds, rate)


def _seat(seat: Seat, session: int, totals: dict[str, Any]) -> SimulatedSystem:
    # Runs of 0.6.0 and before counted what was capped among the cuts.
    figures_of_seat = {name: totals.get(name, 0) for name in _COUNTS}
    figures_of_seat |= {name: Spread.of(totals[name]) for name in _SPREADS}
    wagered = {}
    for name, count in sorted(totals["wagered"].items()):
        chance, _slash, amount = name.rpartition("/")
        wagered[chance, int(amount)] = count
    return SimulatedSystem(
        seat=seat,
        session=session,
        **figures_of_seat,
        wagered=wagered,
        traced=tuple(Spread.of(point) for point in totals["traced"] if point),
        products=totals["products"],
    )
