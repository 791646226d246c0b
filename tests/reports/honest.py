"""Honest tables, made fast: outcomes are drawn, and stakes follow the steps of their wagers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from trente_rules import House
from trente_rules.core.stakes import Opening
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.odds.stake_laws import StakeKind
from trente_rules.reports.monitor_sums import WatchedFigures
from trente_rules.reports.settlements import Settled, WatchedCoup

AMOUNTS = (100, 200, 500)
"""Stakes in the currency of the house, times a hundred units."""


class HonestTable:
    """A house with its odds, whose coups are drawn; the figures are computed once."""

    def __init__(self, house: House) -> None:
        """Take the wagers of a house, its simple chances and its side bets."""
        self.house = house
        self.odds: CoupOdds = fresh_shoe(house.shoe.packs)
        self.opening = Opening(min(AMOUNTS))
        self.figures = WatchedFigures(house, self.odds, self.opening)
        self.simple = [c for c in house.chances if c.simple]
        self.side = [c for c in house.chances if not c.simple]
        self.insurable = any(w.insured for w in house.wagers_on(self.simple[0].id))

    def bets(self, random: Random) -> list[StakeKind]:
        """Return the stakes of one coup: one or two of a few players."""
        kinds: list[StakeKind] = []
        for _player in range(random.randint(1, 2)):
            insured = self.insurable and random.random() < 0.3
            kinds.append((random.choice(self.simple).id, insured, random.choice(AMOUNTS)))
        if self.side and random.random() < 0.5:
            kinds.append((random.choice(self.side).id, False, random.choice((20, 50))))
        return kinds

    def drawn(self, random: Random, coups: int) -> list[int]:
        """Return the outcomes of some coups."""
        return random.choices(range(400), weights=self.odds.weights, k=coups)

    def coups(self, random: Random, outcomes: Sequence[int]) -> Iterator[WatchedCoup]:
        """Yield coups with these outcomes, and with stakes that are settled by the rules."""
        waiting: dict[str, tuple[StakeKind, str]] = {}
        for number, outcome in enumerate(outcomes):
            for place, kind in enumerate(self.bets(random)):
                waiting[f"{number}.{place}"] = kind, next(iter(self.figures.laws.path(kind).steps))
            settled, left = [], {}
            for stake, (kind, state) in waiting.items():
                path = self.figures.laws.path(kind)
                chance = self.house.chance(kind[0])
                step = path.steps[state][chance.verdicts[chance.table[outcome]]]
                free = state == next(iter(path.steps))
                kept = 0 if step.target else kind[2]
                net = kept - round(step.back * kind[2])
                settled.append(Settled(stake, *kind, net, free, not step.target))
                if step.target:
                    left[stake] = kind, step.target
            waiting = left
            yield WatchedCoup(tuple(settled), outcome)
