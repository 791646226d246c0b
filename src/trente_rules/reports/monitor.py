"""Monitoring: compare what a table took in with what its rules make likely.

The events or records of a table give turnover and net for each wager at each amount; next to them
are the net that the exact advantage expects, the tolerance and the z-score. Stakes of one coup
share its outcome, so their deviation is not that of independent stakes: it is computed coup by coup
from the covariances of the wagers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import sqrt
from typing import Any, Final

from attrs import define, evolve, field, frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE
from trente_rules.core.stakes import Line, Opening
from trente_rules.odds.advantage import advantage, covariance
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.records.record import Record, StakeRecord
from trente_rules.table.coups import FOLDED, SettledCoup, Touched, final, settled_once
from trente_rules.table.coups import coups as coups_of
from trente_rules.table.events import Event
from trente_rules.table.journal_chain import Head
from trente_rules.table.journal_sql import SqlJournal

ALARM: Final = 3.29
"""The z-score beyond which one in a thousand honest tables lies."""
_NO_OPENING: Final = Opening()
Wager = tuple[str, bool]
"""A chance, and whether the stake is insured."""


@frozen
class Settled:
    """The effect of one settlement on a stake; ``net`` is the bank's net result, in units.

    ``free`` is true where the stake was placed for this coup, ``ended`` where nothing of it stays.
    A stake returned because the session closes was placed for no coup.
    """

    stake: str
    chance: str
    insured: bool
    amount: int
    net: int
    free: bool
    ended: bool

    @classmethod
    def of_line(cls, line: Line) -> Settled:
        """Return the settlement in a line of a table."""
        stake, ended = line.stake, line.after is None
        free = stake.free and line.verdict != Verdict.CLOSE
        net = -line.player_net
        return cls(stake.id, stake.chance, line.insured, stake.amount, net, free, ended)

    @classmethod
    def of_record(cls, stake: StakeRecord) -> Settled:
        """Return the settlement in a record of a stake."""
        net = stake.forfeited + stake.premium - stake.premium_returned - stake.won
        free = stake.state == FREE and stake.verdict != Verdict.CLOSE.id
        ended = not stake.after
        return cls(stake.id, stake.chance, stake.insured, stake.amount, net, free, ended)


Coups = Iterable[Sequence[Settled]]
"""The settlements of a table, coup by coup."""


def coups_of_events(events: Iterable[Event]) -> Coups:
    """Return the settlements of each coup, as they are after corrections.

    Lines that belong to no coup (the end of a shoe or a session) are added to the coup before.
    """
    return list(_groups(final(coups_of(events))))


def coups_of_journal(journal: SqlJournal, head: Head | None = None) -> Coups:
    """Yield what ``coups_of_events`` returns of the events in a journal's file, coup by coup.

    Only coups that a correction changes are held in memory. It is read up to a ``head``, by default
    that of today: what is written meanwhile is left out.
    """
    head = head or journal.head
    touched = Touched.by(journal.corrections())

    def events() -> Iterable[Event]:
        return journal.events(FOLDED, head.sequence if head else 0)

    return _groups(settled_once(events, touched))


def _groups(coups: Iterable[SettledCoup]) -> Iterator[list[Settled]]:
    """Yield the settlements of each coup with what was closed after it."""
    group: list[Settled] | None = None
    for coup in coups:
        if coup.number and not coup.void:
            if group is not None:
                yield group
            group = []
        if group is not None:
            group.extend(map(Settled.of_line, coup.counted))
    if group is not None:
        yield group


def of_table(coups: Coups, table: str) -> Coups:
    """Yield coups that can be joined with those of other tables: stake ids name their table."""
    return (
        [evolve(settled, stake=f"{table}\n{settled.stake}") for settled in group] for group in coups
    )


def coups_of_records(records: Iterable[Record]) -> Coups:
    """Return the settlements of each coup of records, in the order of the records."""
    groups: list[list[Settled]] = []
    for record in records:
        groups += [
            list(map(Settled.of_record, coup.stakes)) for coup in record.coups if not coup.void
        ]
        if groups:
            groups[-1].extend(map(Settled.of_record, record.end.stakes))
    return groups


@frozen
class Level:
    """The figures of stakes of one kind; amounts in units.

    ``chance`` is empty, and ``amount`` 0, for all stakes together. ``expected`` is the bank's
    net that the exact advantage gives under the default courses, ``sd`` its standard deviation.
    """

    chance: str
    insured: bool
    amount: int
    stakes: int
    staked: int
    net: int
    expected: float
    sd: float
    alarm_at: float = ALARM

    @property
    def z(self) -> float:
        """The standard deviations that the net lies above its expected value."""
        return (self.net - self.expected) / self.sd if self.sd else 0.0

    @property
    def tolerance(self) -> float:
        """The greatest deviation of the net from its expected value without alarm, in units."""
        return self.alarm_at * self.sd

    @property
    def alarm(self) -> bool:
        """True where the net lies outside the tolerance."""
        return abs(self.z) > self.alarm_at

    def to_json(self) -> dict[str, Any]:
        """Return all figures as an object."""
        return {
            "chance": self.chance or None,
            "insured": self.insured,
            "amount": self.amount or None,
            "stakes": self.stakes,
            "turnover": self.staked,
            "net": self.net,
            "expected": self.expected,
            "tolerance": self.tolerance,
            "z": self.z,
            "alarm": self.alarm,
        }


@frozen
class Monitored:
    """The figures of a table: all stakes together, and each wager at each amount.

    ``pending`` counts stakes whose end is not known yet; they are in no other figure.
    """

    house: str
    fingerprint: str
    deal: str
    coups: int
    total: Level
    levels: tuple[Level, ...]
    pending: int

    @property
    def alarm(self) -> bool:
        """True where all stakes together, or any wager at any amount, lie outside the tolerance."""
        return self.total.alarm or any(level.alarm for level in self.levels)

    def to_json(self) -> dict[str, Any]:
        """Return all figures as an object."""
        return {
            "house": self.house,
            "fingerprint": self.fingerprint,
            "deal": self.deal,
            "coups": self.coups,
            "alarm_at": self.total.alarm_at,
            "alarm": self.alarm,
            "total": self.total.to_json(),
            "levels": [level.to_json() for level in self.levels],
            "pending": self.pending,
        }


def monitor(
    house: House,
    coups: Coups,
    *,
    odds: CoupOdds | None = None,
    alarm_at: float = ALARM,
    opening: Opening = _NO_OPENING,
) -> Monitored:
    """Compare the settlements of a table with the result that the odds predict.

    ``coups`` come from ``coups_of_events`` or ``coups_of_records``; for several tables, pass those
    of each through ``of_table``. ``odds`` are by default those of a fresh shoe of the house. Stakes
    placed before the first coup are left out. Raises ``TrenteError`` ("bad-alarm") where
    ``alarm_at`` is not above zero, and the errors of ``advantage``.
    """
    if not 0 < alarm_at < 100:  # noqa: PLR2004 - a z-score
        raise TrenteError(
            f"an alarm at {alarm_at!r} standard deviations",
            "bad-alarm",
            "it is above 0 and below 100; 3.29 is passed by one honest table in a thousand",
        )
    law = odds or fresh_shoe(house.shoe.packs)
    sums = _Sums(_Figures(house, law, opening))
    for group in coups:
        sums.add(group)
    total, levels = sums.levels(alarm_at)
    pending = sums.pending
    return Monitored(
        house.name, house.fingerprint, law.deal, sums.coups, total, tuple(levels), pending
    )


Kind = tuple[str, bool, int]
"""A wager, and the amount staked on it."""


@define(eq=False)
class _OpenCoup:
    """A coup of which stakes are not over: ``exposed`` are the units of those that are."""

    waiting: int = 0
    exposed: dict[Kind, int] = field(factory=lambda: defaultdict(int))


@define(eq=False)
class _StakeLife:
    """One stake, from the coup it was placed for to its end."""

    coup: _OpenCoup
    kind: Kind
    net: int = 0


@define(eq=False)
class _KindSum:
    """The sums of the stakes of one kind that are over; ``variance`` in square units."""

    stakes: int = 0
    staked: int = 0
    net: int = 0
    variance: float = 0.0


class _Sums:
    """Sums that grow coup by coup; only what is in prison is held."""

    def __init__(self, figures: _Figures) -> None:
        """Begin without a coup."""
        self.coups = 0
        self._figures = figures
        self._kinds: dict[Kind, _KindSum] = defaultdict(_KindSum)
        self._variance = 0.0
        self._waiting: dict[str, _StakeLife] = {}
        self._lost = 0
        self._open: dict[int, _OpenCoup] = {}

    @property
    def pending(self) -> int:
        """The stakes whose end is not known."""
        return len(self._waiting) + self._lost

    def add(self, group: Sequence[Settled]) -> None:
        """Add the settlements of the next coup."""
        self.coups += 1
        here = _OpenCoup(waiting=1)  # the coup itself: until all of its stakes are placed
        over: list[_OpenCoup] = []
        for settled in group:
            life = self._waiting.pop(settled.stake, None)
            if settled.free:  # a later table may use the same id
                if life is not None:
                    self._lost += 1
                    over.append(life.coup)
                life = _StakeLife(here, (settled.chance, settled.insured, settled.amount))
                here.waiting += 1
            elif life is None:
                continue  # it was placed before the first coup
            life.net += settled.net
            if settled.ended:
                self._end(life)
                over.append(life.coup)
            else:
                self._waiting[settled.stake] = life
        self._open[id(here)] = here
        for coup in (*over, here):
            coup.waiting -= 1
            if not coup.waiting:
                self._close(self._open.pop(id(coup)))

    def _end(self, life: _StakeLife) -> None:
        kind = self._kinds[life.kind]
        kind.stakes += 1
        kind.staked += life.kind[2]
        kind.net += life.net
        life.coup.exposed[life.kind] += life.kind[2]

    def _close(self, coup: _OpenCoup) -> None:
        """Add the variance of a coup, whose stakes share their outcome."""
        wagers: dict[Wager, int] = defaultdict(int)
        for kind, units in coup.exposed.items():
            wager = kind[:2]
            wagers[wager] += units
            self._kinds[kind].variance += self._figures.variance({wager: units})
        self._variance += self._figures.variance(wagers)

    def levels(self, alarm_at: float) -> tuple[Level, list[Level]]:
        """Return the figures of all stakes, and of those of each kind."""
        for coup in self._open.values():
            self._close(coup)
        self._open.clear()
        total, expected = _KindSum(variance=self._variance), Fraction(0)
        levels = []
        for kind, own in sorted(self._kinds.items()):
            due = own.staked * self._figures.edge(kind[:2], kind[2])
            levels.append(_level(kind, own, due, alarm_at))
            expected += due
            total.stakes += own.stakes
            total.staked += own.staked
            total.net += own.net
        return _level(("", False, 0), total, expected, alarm_at), levels


def _level(kind: Kind, own: _KindSum, expected: Fraction, alarm_at: float) -> Level:
    sd = sqrt(max(own.variance, 0.0))
    return Level(*kind, own.stakes, own.staked, own.net, float(expected), sd, alarm_at)


class _Figures:
    """Exact edges and covariances of the wagers of a house, each computed once."""

    def __init__(self, house: House, odds: CoupOdds, opening: Opening) -> None:
        """Find the path of the default courses of every wager: the first of its paths."""
        self._house, self._odds, self._opening = house, odds, opening
        wagers = (wager for chance in house.chances for wager in house.wagers_on(chance.id))
        self._paths = {(w.chance.id, w.insured): next(w.paths()) for w in wagers}
        self.edge, self._covariance_once = cache(self._edge), cache(self._covariance)

    def _edge(self, wager: Wager, amount: int) -> Fraction:
        """Return the advantage on a stake, in stakes, rounded as the house rounds."""
        chance, insured = wager
        for stake in (amount, None):  # a stake that the house refuses has nominal figures
            edges = advantage(
                self._house, self._odds, chances=[chance], stake=stake, opening=self._opening
            )
            for found in edges.wagers:
                if found.insured == insured:
                    return found.edge
        return Fraction(0)

    def _covariance(self, one: Wager, other: Wager) -> float:
        """Return the covariance of two wagers on one coup, in stakes."""
        return float(covariance(self._paths[one], self._paths[other], self._odds))

    def variance(self, exposed: Mapping[Wager, int]) -> float:
        """Return the variance of the bank's net on one coup, in square units."""
        wagers = sorted(exposed.items())
        alone = sum(units**2 * self._covariance_once(one, one) for one, units in wagers)
        return alone + 2 * sum(
            units * others * self._covariance_once(one, other)
            for (one, units), (other, others) in combinations(wagers, 2)
        )
