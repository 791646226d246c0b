"""The exact figures that a table is measured by, each worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

from trente_rules.analysis.advantage import advantage
from trente_rules.analysis.covariance import covariance
from trente_rules.analysis.deal_odds import CoupOdds
from trente_rules.house.house import House
from trente_rules.stakes import Opening
from trente_rules.steps import Path, paths

Key = tuple[str, bool, int]
"""A wager at one amount: chance, insured, units."""


class Figures:
    """Edges and covariances of the wagers of a house."""

    def __init__(self, house: House, odds: CoupOdds, opening: Opening) -> None:
        """Take the house, the odds and the opening; nothing is worked out yet."""
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
