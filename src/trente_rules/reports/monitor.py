"""Monitoring: compare what a table took in, and what it dealt, with what its rules make likely.

The coups of a table give turnover and net for each wager at each amount; next to them are the net
that the exact advantage expects and the probability of a result so far from it. The cards are
tested too. All tests together raise a false alarm with a probability that is chosen.
"""

from __future__ import annotations

from typing import Any, Final

from attrs import evolve, frozen

from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.house.house import House
from trente_rules.core.stakes import Opening
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.odds.significance import Significance, holm
from trente_rules.reports.deal_tests import TIMES, CardTest, DealSums
from trente_rules.reports.monitor_sums import LevelSums, SettlementSums, WatchedFigures
from trente_rules.reports.settlements import Coups

FALSE_ALARMS: Final = 0.02
"""The probability that an honest table raises an alarm: one honest sheet in fifty."""
REFAITS: Final = 0.9
"""The part of that rate that too many refaits have; all other tests share the rest.

A stacked shoe shows there first, and the bank wins by it. Results of stakes, looked at by tens of
levels, so raise an alarm at one honest table in five hundred at most.
"""
_NO_OPENING: Final = Opening()


@frozen
class Level:
    """The figures of stakes of one kind; amounts in units.

    ``chance`` is empty, and ``amount`` 0, for all stakes together. ``expected`` is the bank's
    net that the exact advantage gives under the default courses, ``sd`` its standard deviation.
    ``p`` is the probability of a result at least so far from it at honest cards, and ``adjusted``
    what is left of its meaning among all tests of the sheet.
    """

    chance: str
    insured: bool
    amount: int
    stakes: int
    staked: int
    net: int
    expected: float
    sd: float
    p: float
    adjusted: float
    alarm: bool

    @property
    def z(self) -> float:
        """The standard deviations that the net lies above its expected value."""
        return (self.net - self.expected) / self.sd if self.sd else 0.0

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
            "sd": self.sd,
            "z": self.z,
            "p": self.p,
            "adjusted_p": self.adjusted,
            "alarm": self.alarm,
        }


@frozen
class Monitored:
    """The figures of a table: all stakes together, each wager at each amount, and the cards.

    ``pending`` counts stakes whose end is not known yet; they are in no other figure. An honest
    table raises an alarm with probability ``false_alarms`` at most. ``power`` is the probability
    that a shoe with 40 % more refaits would have raised one after as many coups, and ``in_turn``
    the mean number of coups after which the test in turn finds it.
    """

    house: str
    fingerprint: str
    deal: str
    coups: int
    total: Level
    levels: tuple[Level, ...]
    cards: tuple[CardTest, ...]
    pending: int
    false_alarms: float
    power: float | None = None
    in_turn: float | None = None

    @property
    def alarm(self) -> bool:
        """True where any of the tests raises an alarm."""
        return self.adjusted <= self.false_alarms

    @property
    def adjusted(self) -> float:
        """The p-value of the whole sheet: that of its least likely finding, among all of them."""
        levels = (level.adjusted for level in (self.total, *self.levels))
        return min((*levels, *(test.finding.adjusted for test in self.cards)))

    def to_json(self) -> dict[str, Any]:
        """Return all figures as an object."""
        return {
            "house": self.house,
            "fingerprint": self.fingerprint,
            "deal": self.deal,
            "coups": self.coups,
            "false_alarms": self.false_alarms,
            "adjusted_p": self.adjusted,
            "alarm": self.alarm,
            "total": self.total.to_json(),
            "levels": [level.to_json() for level in self.levels],
            "cards": [test.to_json() for test in self.cards],
            "stacked": {"times": TIMES, "power": self.power, "coups_in_turn": self.in_turn},
            "pending": self.pending,
        }


def monitor(
    house: House,
    coups: Coups,
    *,
    odds: CoupOdds | None = None,
    false_alarms: float = FALSE_ALARMS,
    opening: Opening = _NO_OPENING,
    figures: WatchedFigures | None = None,
) -> Monitored:
    """Compare the coups of a table with what the odds predict.

    ``coups`` come from ``coups_of_events`` or ``coups_of_records``; for several tables, pass those
    of each through ``of_table``. ``odds`` are by default those of a fresh shoe of the house. Stakes
    placed before the first coup are left out. ``figures``, where they are given, must be those of
    the same house, odds and opening: they save the time to compute them for many tables. Raises
    ``TrenteError`` ("bad-alarm") where ``false_alarms`` is not between zero and one, and the errors
    of ``advantage``.
    """
    check_rate(false_alarms)
    law = odds or fresh_shoe(house.shoe.packs)
    sums = SettlementSums(figures or WatchedFigures(house, law, opening))
    deal = DealSums(house, law)
    count = 0
    for coup in coups:
        sums.add(coup)
        deal.add(coup)
        count += 1
    total, levels = sums.levels()
    tests = deal.tests()
    # Where all stakes are of one kind, they are one test.
    results = [*levels, *([total] if len(levels) > 1 else [])]
    findings = holm(
        _weighted(
            [Significance(each.tails.two_sided, each.tails.least) for each in results],
            [test.finding for test in tests],
        ),
        false_alarms,
    )
    judged = [_level(*pair, false_alarms) for pair in zip(results, findings, strict=False)]
    cards = tuple(
        evolve(test, finding=finding, alarm=finding.adjusted <= false_alarms)
        for test, finding in zip(tests, findings[len(results) :], strict=True)
    )
    whole = judged[-1] if judged else _level(total, Significance(1.0), false_alarms)
    if not len(levels) > 1:
        whole = evolve(whole, chance="", insured=False, amount=0)
    share = false_alarms * REFAITS
    left = false_alarms - share
    return Monitored(
        house.name,
        house.fingerprint,
        law.deal,
        count,
        whole,
        tuple(judged[: len(levels)]),
        cards,
        sums.pending,
        false_alarms,
        deal.power(share) if cards and deal.q else None,
        deal.coups_in_turn(left / max(1, len(findings) - 1)) if cards and deal.q else None,
    )


def check_rate(rate: float) -> None:
    """Raise ``TrenteError`` ("bad-alarm") for a rate of false alarms that no sheet can have."""
    if not 0 < rate < 1:
        raise TrenteError(
            f"false_alarms: {shown(rate)}: a probability between 0 and 1 was expected",
            "bad-alarm",
            "0.02 is one false alarm in fifty looks",
        )


def _weighted(results: list[Significance], cards: list[Significance]) -> list[Significance]:
    """Return all findings: those of too many refaits have their part of the rate."""
    others = len(results) + sum(1 for each in cards if each.weight) or 1
    many = others * REFAITS / (1 - REFAITS)
    return [*results, *(each if each.weight else evolve(each, weight=many) for each in cards)]


def _level(sums: LevelSums, finding: Significance, rate: float) -> Level:
    chance, insured, amount = sums.kind
    return Level(
        chance,
        insured,
        amount,
        sums.stakes,
        sums.staked,
        sums.net,
        sums.expected,
        sums.sd,
        finding.p,
        finding.adjusted,
        finding.adjusted <= rate,
    )
