"""Monitoring: whether what a table took in is what its rules make likely.

From the events of a table: turnover and net, for each wager and each amount, beside what the exact
advantage expects of so many stakes, with the tolerance and the z-score. Stakes of one coup share
its outcome, so their deviation is not that of so many independent ones: it is worked out coup by
coup from the covariances of the wagers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from math import sqrt
from typing import Any, Final

from attrs import define, field, frozen

from trente_rules.analysis.deal_odds import CoupOdds, fresh_shoe
from trente_rules.errors import TrenteError
from trente_rules.house.house import House
from trente_rules.monitor.figures import Figures, Key
from trente_rules.monitor.settled import Coups, Settled
from trente_rules.stakes import Opening

ALARM: Final = 3.29
"""The z-score beyond which one in a thousand honest tables lies."""
_NO_OPENING: Final = Opening()


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
    figures = Figures(house, law, opening)
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


def _level(figures: Figures, key: Key, entries: Iterable[_Entry], alarm_at: float) -> Level:
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
