"""Monitoring: whether what a table took in is what its rules make likely.

From the events of a table: turnover and net, for each wager and each amount, beside what the exact
advantage expects of so many stakes, with the tolerance and the z-score. Stakes of one coup share
its outcome, so their deviation is not that of so many independent ones: it is worked out coup by
coup from the covariances of the wagers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any, Final

from attrs import define, field, frozen

from trente_rules.analysis.advantage import advantage
from trente_rules.analysis.covariance import covariance
from trente_rules.analysis.deal_odds import CoupOdds, fresh_shoe
from trente_rules.errors import TrenteError
from trente_rules.house.house import House
from trente_rules.settlement import Line
from trente_rules.stakes import Opening
from trente_rules.steps import Path, paths
from trente_rules.table.events import CoupCorrected, CoupSettled, Event, StakeSettled

ALARM: Final = 3.29
"""The z-score beyond which one in a thousand honest tables lies."""
_NO_OPENING: Final = Opening()
Key = tuple[str, bool, int]
"""A wager at one amount: chance, insured, units."""


@frozen
class Level:
    """What stakes came to: how many, the bank's net, what was to be expected; amounts in units.

    ``chance`` is empty, and ``amount`` nought, for all stakes together. ``expected`` is the bank's
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
        """Whether the net lies outside the tolerance."""
        return abs(self.z) > self.alarm_at

    def to_json(self) -> dict[str, Any]:
        """Answer all figures as an object."""
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
        """Whether all stakes together, or any wager at any amount, lie outside the tolerance."""
        return self.total.alarm or any(level.alarm for level in self.levels)

    def to_json(self) -> dict[str, Any]:
        """Answer all figures as an object."""
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
    events: Iterable[Event],
    *,
    odds: CoupOdds | None = None,
    alarm_at: float = ALARM,
    opening: Opening = _NO_OPENING,
) -> Monitored:
    """Watch a table by its events; ``odds`` are those of the house's own fresh shoe.

    Raises ``TrenteError`` ("bad-alarm") where ``alarm_at`` is not above zero, and whatever
    ``advantage`` raises.
    """
    if not 0 < alarm_at < 100:  # noqa: PLR2004 - a z-score
        raise TrenteError(
            f"an alarm at {alarm_at!r} standard deviations",
            "bad-alarm",
            "it is above 0 and below 100; 3.29 is passed by one honest table in a thousand",
        )
    law = odds or fresh_shoe(house.shoe.packs)
    book = _Book()
    for coup, group in enumerate(_groups(events)):
        for line in group:
            book.enter(coup, line)
    ended = [entry for entry in book.entries if entry.ended]
    figures = _Figures(house, law, opening)
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

    def enter(self, coup: int, line: Line) -> None:
        """Enter a settlement of a stake."""
        self.coups = max(self.coups, coup + 1)
        stake = line.stake
        entry = self.open.pop(stake.id, None)
        if entry is None:
            entry = _Entry(coup, (stake.chance, line.insured, stake.amount))
            self.entries.append(entry)
        entry.net -= line.player_net
        if line.after is None:
            entry.ended = True
        else:
            self.open[stake.id] = entry


def _groups(events: Iterable[Event]) -> list[list[Line]]:
    """Answer the lines of each coup; a settlement that was corrected is left out.

    Lines that belong to no coup, those of the end of a shoe or a session, go with the coup before.
    """
    groups: list[list[Line]] = []
    lines: list[Line] = []
    for event in events:
        if isinstance(event, StakeSettled):
            lines.append(event.line)
        elif isinstance(event, CoupSettled):
            groups.append(lines)
            lines = []
        elif isinstance(event, CoupCorrected):
            lines = []
            if groups:
                groups.pop()
    if lines:
        groups.append(lines)
    return groups


class _Figures:
    """The exact figures of a house, each worked out once."""

    def __init__(self, house: House, odds: CoupOdds, opening: Opening) -> None:
        self._house, self._odds, self._opening = house, odds, opening
        self._edges: dict[Key, Fraction] = {}
        self._shared: dict[tuple[str, bool, str, bool], float] = {}

    @cached_property
    def _paths(self) -> Mapping[tuple[str, bool], Path]:
        """The default path of every wager: the first of each is that of the default courses."""
        found: dict[tuple[str, bool], Path] = {}
        for chance in self._house.chances:
            for path in paths(self._house, chance):
                found.setdefault((chance.id, path.insured), path)
        return found

    def edge(self, key: Key) -> Fraction:
        """Answer the advantage on a wager at an amount, in stakes, rounded as the house rounds."""
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
        """Answer the covariance of two wagers on one coup, in stakes."""
        names = (one[0], one[1], other[0], other[1])
        if names not in self._shared:
            first, second = self._paths[one[0], one[1]], self._paths[other[0], other[1]]
            value = float(covariance(first, second, self._odds))
            self._shared[names] = self._shared[names[2:] + names[:2]] = value
        return self._shared[names]

    def variance(self, exposed: Mapping[Key, int]) -> float:
        """Answer the variance of the bank's net on one coup, in square units."""
        keys = list(exposed)
        return sum(
            exposed[one] * exposed[other] * self.shared(one, other)
            for one in keys
            for other in keys
        )


def _level(figures: _Figures, key: Key, entries: Iterable[_Entry], alarm_at: float) -> Level:
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
