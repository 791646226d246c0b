"""Monitoring: whether what a table took in is what its rules make likely.

From the events of a table: turnover and net, for each wager and each amount, next to what the exact
advantage expects of so many stakes, with the tolerance and the z-score. Stakes of one coup share
its outcome, so their deviation is not that of so many independent ones: it is worked out coup by
coup from the covariances of the wagers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any, Final

from attrs import define, evolve, field, frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE
from trente_rules.core.stakes import Line, Opening
from trente_rules.core.wager import WagerPath
from trente_rules.odds.advantage import advantage, covariance
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.records.record import Record, StakeRecord
from trente_rules.table.coups import coups as coups_of
from trente_rules.table.coups import final
from trente_rules.table.events import Event

# --- The exact figures that a table is measured by, each worked out once

Key = tuple[str, bool, int]
"""A wager at one amount: chance, insured, units."""


class MonitorFigures:
    """Edges and covariances of the wagers of a house."""

    def __init__(self, house: House, odds: CoupOdds, opening: Opening) -> None:
        """Take the house, the odds and the opening; nothing is worked out yet."""
        self._house, self._odds, self._opening = house, odds, opening
        self._edges: dict[Key, Fraction] = {}
        self._shared: dict[tuple[str, bool, str, bool], float] = {}

    @cached_property
    def _paths(self) -> Mapping[tuple[str, bool], WagerPath]:
        """The default path of every wager: the first of each is that of the default courses."""
        wagers = (each for c in self._house.chances for each in self._house.wagers_on(c.id))
        return {(each.chance.id, each.insured): next(each.paths()) for each in wagers}

    def edge(self, key: Key) -> Fraction:
        """Return the advantage on a wager at an amount, in stakes, rounded as the house rounds."""
        if key not in self._edges:
            chance, insured, amount = key
            for stake in (amount, None):  # a stake the house would not take has nominal figures
                found = advantage(
                    self._house, self._odds, chances=[chance], stake=stake, opening=self._opening
                )
                fitting = [each for each in found.wagers if each.insured == insured]
                if fitting:
                    self._edges[key] = fitting[0].edge
                    break
            else:
                self._edges[key] = Fraction(0)
        return self._edges[key]

    def shared(self, one: Key, other: Key) -> float:
        """Return the covariance of two wagers on one coup, in stakes."""
        names = (one[0], one[1], other[0], other[1])
        if names not in self._shared:
            first, second = self._paths[one[0], one[1]], self._paths[other[0], other[1]]
            value = float(covariance(first, second, self._odds))
            self._shared[names] = self._shared[names[2:] + names[:2]] = value
        return self._shared[names]

    def variance(self, exposed: Mapping[Key, int]) -> float:
        """Return the variance of the bank's net on one coup, in square units."""
        keys = list(exposed)
        return sum(
            exposed[one] * exposed[other] * self.shared(one, other)
            for one in keys
            for other in keys
        )


# --- What is watched: the settlements of stakes, coup by coup, from events or from records


@frozen
class Settled:
    """What one settlement did to a stake; ``net`` is the bank's net result, in units.

    ``free`` is true where the stake was placed for this coup, ``ended`` where nothing of it stays.
    One that is taken back because the session closes was placed for no coup.
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
        """Return what a line of a settlement says."""
        stake = line.stake
        net, ended = -line.player_net, line.after is None
        free = stake.free and line.verdict != Verdict.CLOSE
        return cls(stake.id, stake.chance, line.insured, stake.amount, net, free, ended)

    @classmethod
    def of_record(cls, told: StakeRecord) -> Settled:
        """Return what a record says of a stake."""
        net = told.forfeited + told.premium - told.premium_returned - told.won
        free = told.state == FREE and told.verdict != Verdict.CLOSE.id
        ended = not told.after
        return cls(told.id, told.chance, told.insured, told.amount, net, free, ended)


Coups = Iterable[Sequence[Settled]]
"""The settlements of a table, coup by coup."""


def coups_of_events(events: Iterable[Event]) -> Coups:
    """Return the settlements of each coup; one that was corrected counts as corrected.

    Lines that belong to no coup, those of the end of a shoe or a session, go with the coup before.
    """
    groups: list[list[Settled]] = []
    for coup in final(coups_of(events)):
        if coup.number and not coup.void:
            groups.append([])
        if groups:
            groups[-1].extend(Settled.of_line(line) for line in coup.counted)
    return groups


def of_table(coups: Coups, table: str) -> Coups:
    """Return coups that can be added to those of other tables: each table has its own stake ids."""
    return [
        [evolve(settled, stake=f"{table}\n{settled.stake}") for settled in group] for group in coups
    ]


def coups_of_records(records: Iterable[Record]) -> Coups:
    """Return the settlements of each coup of records, in the order they are given."""
    groups: list[list[Settled]] = []
    for record in records:
        groups.extend(
            [Settled.of_record(stake) for stake in coup.stakes]
            for coup in record.coups
            if not coup.void
        )
        if groups:
            groups[-1].extend(Settled.of_record(stake) for stake in record.end.stakes)
    return groups


ALARM: Final = 3.29
"""The z-score beyond which one in a thousand honest tables lies."""
_NO_OPENING: Final = Opening()


@frozen
class Level:
    """Stakes of one kind: how many, the bank's net, what was expected; amounts in units.

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
        """How many standard deviations the net lies above what was expected."""
        return (self.net - self.expected) / self.sd if self.sd else 0.0

    @property
    def tolerance(self) -> float:
        """How far the net may lie from what was expected before there is alarm, in units."""
        return self.alarm_at * self.sd

    @property
    def alarm(self) -> bool:
        """Return whether the net lies outside the tolerance."""
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
    """A table watched: all stakes together, each wager at each amount, and what is in prison.

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
        """Return whether all stakes, or any wager at any amount, lie outside the tolerance."""
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
    """Watch a table by its settlements; ``odds`` are those of the house's own fresh shoe.

    ``coups`` come from ``coups_of_events`` or ``coups_of_records``, those of several tables each
    through ``of_table``. A stake that came in from before them is left out. Raises
    ``TrenteError`` ("bad-alarm") where ``alarm_at`` is not above zero, and whatever ``advantage``
    raises.
    """
    if not 0 < alarm_at < 100:  # noqa: PLR2004 - a z-score
        raise TrenteError(
            f"an alarm at {alarm_at!r} standard deviations",
            "bad-alarm",
            "it is above 0 and below 100; 3.29 is passed by one honest table in a thousand",
        )
    law = odds or fresh_shoe(house.shoe.packs)
    book = _Book()
    for coup, group in enumerate(coups):
        book.coups += 1
        for settled in group:
            book.enter(coup, settled)
    ended = [entry for entry in book.entries if entry.ended]
    figures = MonitorFigures(house, law, opening)
    by_key: dict[Key, list[_Entry]] = defaultdict(list)
    for entry in ended:
        by_key[entry.key].append(entry)
    levels = tuple(
        _level(figures, key, entries, alarm_at) for key, entries in sorted(by_key.items())
    )
    total = _level(figures, ("", False, 0), ended, alarm_at)
    pending = len(book.entries) - len(ended)
    return Monitored(house.name, house.fingerprint, law.deal, book.coups, total, levels, pending)


@define
class _Entry:
    """One stake over its life."""

    coup: int
    key: Key
    net: int = 0
    ended: bool = False


@define
class _Book:
    """Every stake that was settled, and those still open by their ids."""

    entries: list[_Entry] = field(factory=list)
    open: dict[str, _Entry] = field(factory=dict)
    coups: int = 0

    def enter(self, coup: int, settled: Settled) -> None:
        """Enter a settlement of a stake."""
        entry = self.open.pop(settled.stake, None)
        if entry is None or settled.free:  # an id may be used again, by a later table
            if not settled.free:
                return  # it was placed before what is watched
            entry = _Entry(coup, (settled.chance, settled.insured, settled.amount))
            self.entries.append(entry)
        entry.net += settled.net
        if settled.ended:
            entry.ended = True
        else:
            self.open[settled.stake] = entry


def _level(figures: MonitorFigures, key: Key, entries: Iterable[_Entry], alarm_at: float) -> Level:
    stakes = staked = net = 0
    expected = Fraction(0)
    coups: dict[int, dict[Key, int]] = defaultdict(lambda: defaultdict(int))
    for entry in entries:
        chance, insured, amount = entry.key
        stakes += 1
        staked += amount
        net += entry.net
        expected += amount * figures.edge(entry.key)
        coups[entry.coup][chance, insured, 0] += amount
    variance = sum(figures.variance(exposed) for exposed in coups.values())
    chance, insured, amount = key
    return Level(
        chance,
        insured,
        amount,
        stakes,
        staked,
        net,
        float(expected),
        sqrt(max(variance, 0.0)),
        alarm_at,
    )
