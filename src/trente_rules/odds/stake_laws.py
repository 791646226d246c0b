"""The exact law of what the stakes of one coup bring the bank, in units.

Stakes on one coup share its outcome, so their results have one joint law. A stake in prison is
followed until it has left the table: its later coups count as independent copies of the first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from math import fsum
from typing import Final

from attrs import evolve, frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.house.house import House
from trente_rules.core.stakes import Opening
from trente_rules.core.wager import WagerPath
from trente_rules.odds.advantage import covariance
from trente_rules.odds.coup_odds import CoupOdds

Wager = tuple[str, bool]
"""A chance, and whether the stake is insured."""
StakeKind = tuple[str, bool, int]
"""A chance, whether the stake is insured, and the amount in units."""
Placed = tuple[tuple[StakeKind, int], ...]
"""The stakes on one coup, sorted: each kind with the number of its stakes."""
_Standing = tuple[tuple[StakeKind, str, float, int], ...]
"""Stakes on the table: kind, state, the part of the amount that is left, their number."""
_LEFT_OUT: Final = 1e-13
"""Prisoners are followed until the probability that one is still waiting is below this."""
_MOST_COUPS: Final = 400


@frozen
class NetLaw:
    """The law of the bank's net result, in units: each value with its probability."""

    values: tuple[int, ...]
    probabilities: tuple[float, ...]

    @classmethod
    def of(cls, law: Mapping[int, float]) -> NetLaw:
        """Return a law with its values sorted; the probabilities are made to sum to one."""
        values = tuple(sorted(value for value, p in law.items() if p > _LEFT_OUT))
        whole = fsum(law[value] for value in values)
        return cls(values, tuple(law[value] / whole for value in values))

    @property
    def mean(self) -> float:
        """The mean, in units."""
        return fsum(v * p for v, p in zip(self.values, self.probabilities, strict=True))

    @property
    def variance(self) -> float:
        """The variance, in square units."""
        mean = self.mean
        terms = zip(self.values, self.probabilities, strict=True)
        return fsum((value - mean) ** 2 * p for value, p in terms)


class StakeLaws:
    """The laws of the stakes of a house under the default courses; each is computed once.

    An amount that the house does not take follows the nominal steps, rounded to whole units.
    """

    def __init__(self, house: House, odds: CoupOdds, opening: Opening) -> None:
        """Prepare the laws of a house; nothing is computed until it is asked for."""
        self._house, self._odds, self._opening = house, odds, opening
        self.path, self.nominal = cache(self._path), cache(self._nominal)
        self.classes, self.joint = cache(self._classes), cache(self._joint)
        self.table, self.rest = cache(self._table), cache(self._follow)
        self.net = cache(self._net)
        self.lagged, self._shared = cache(self._lagged), cache(self._per_unit)

    def _path(self, kind: StakeKind) -> WagerPath:
        """Return the path of a stake under the default courses."""
        chance, insured, amount = kind
        wager = next(w for w in self._house.wagers_on(chance) if w.insured == insured)
        found = next(wager.paths(stake=amount, opening=self._opening), None)
        return found or self.nominal((chance, insured))

    def _nominal(self, wager: Wager) -> WagerPath:
        """Return the nominal path of a wager under the default courses."""
        chance, insured = wager
        return next(next(w for w in self._house.wagers_on(chance) if w.insured == insured).paths())

    def _classes(self, chances: tuple[str, ...]) -> list[tuple[float, tuple[Verdict, ...]]]:
        """Return the joint law of the verdicts of some chances: those that a coup can give."""
        known = [self._house.chance(chance) for chance in chances]
        whole = sum(self._odds.weights)
        totals: dict[tuple[int, ...], int] = defaultdict(int)
        for *verdicts, weight in zip(
            *(chance.table for chance in known), self._odds.weights, strict=True
        ):
            totals[tuple(verdicts)] += weight
        return [
            (
                weight / whole,
                tuple(chance.verdicts[n] for chance, n in zip(known, places, strict=True)),
            )
            for places, weight in totals.items()
            if weight
        ]

    def _joint(self, chances: tuple[str, ...]) -> list[tuple[float, dict[str, str]]]:
        """Return the same law with the ids of the verdicts by chance."""
        return [
            (p, {chance: verdict.id for chance, verdict in zip(chances, verdicts, strict=True)})
            for p, verdicts in self.classes(chances)
        ]

    def _table(self, kind: StakeKind) -> dict[tuple[str, str], tuple[float, float, str]]:
        """Return what a stake has back, keeps, and its next state, by state and verdict."""
        return {
            (state, verdict.id): (float(step.back * kind[2]), float(step.keeps), step.target)
            for state, there in self.path(kind).steps.items()
            for verdict, step in there.items()
        }

    def _after(self, standing: _Standing, verdicts: Mapping[str, str]) -> tuple[int, _Standing]:
        """Return what the bank pays for stakes at these verdicts, and the stakes that stay."""
        paid, left = 0, dict[tuple[StakeKind, str, float], int]()
        for kind, state, part, count in standing:
            back, keeps, target = self.table(kind)[state, verdicts[kind[0]]]
            if back:
                paid += count * round(back * part)
            if target:
                key = kind, target, part * keeps
                left[key] = left.get(key, 0) + count
        return paid, tuple((*key, count) for key, count in sorted(left.items())) if left else ()

    def _follow(self, standing: _Standing) -> dict[int, float]:
        """Return the law of what the bank pays for stakes until all have left the table."""
        law: dict[int, float] = defaultdict(float)
        there: dict[tuple[int, _Standing], float] = {(0, standing): 1.0}
        for _coup in range(_MOST_COUPS):
            following: dict[tuple[int, _Standing], float] = defaultdict(float)
            for (paid, here), p in there.items():
                for part, verdicts in self.joint(tuple(sorted({each[0][0] for each in here}))):
                    more, left = self._after(here, verdicts)
                    if left:
                        following[paid + more, left] += p * part
                    else:
                        law[paid + more] += p * part
            there = {key: p for key, p in following.items() if p > _LEFT_OUT}
        return law

    def _free(self, kind: StakeKind) -> str:
        return next(iter(self.path(kind).steps))

    def _net(self, placed: Placed) -> NetLaw:
        """Return the law of the bank's net on the stakes of one coup, followed to their end."""
        standing = tuple((kind, self._free(kind), 1.0, count) for kind, count in placed)
        staked = sum(kind[2] * count for kind, count in placed)
        law: dict[int, float] = defaultdict(float)
        for part, verdicts in self.joint(tuple(sorted({kind[0] for kind, _count in placed}))):
            paid, left = self._after(standing, verdicts)
            # Few sets of prisoners follow from many sets of stakes.
            for more, p in (self.rest(left) if left else {0: 1.0}).items():
                law[staked - paid - more] += part * p
        return NetLaw.of(law)

    def _lagged(self, one: StakeKind, other: StakeKind) -> tuple[float, ...]:
        """Return the covariance of a stake with one placed one, two, ... coups later.

        In square units, for nominal steps. Only a stake that can stay has any. The last of the
        ``LAGS`` values holds what would come after it.
        """
        return tuple(part * one[2] * other[2] for part in self._shared(one[:2], other[:2]))

    def _per_unit(self, one: Wager, other: Wager) -> tuple[float, ...]:
        """Return the covariances of ``lagged`` for two stakes of one unit."""
        path, later = (self.nominal(wager) for wager in (one, other))
        if not path.staying:
            return ()
        first, *prisons = path.steps
        # A prisoner and a free stake on the same coup: the same product of two machines.
        together = {
            state: float(
                covariance(
                    evolve(path, steps={state: path.steps[state], **path.steps}), later, self._odds
                )
            )
            for state in prisons
        }
        states = {first: 1.0}
        found: list[float] = []
        while sum(states.values()) > _LEFT_OUT and len(found) < _MOST_COUPS:
            moved: dict[str, float] = defaultdict(float)
            for state, p in states.items():
                for part, (verdict,) in self.classes((one[0],)):
                    step = path.steps[state][verdict]
                    if step.target:
                        moved[step.target] += p * part * float(step.keeps)
            states = moved
            found.append(fsum(p * together.get(state, 0.0) for state, p in states.items()))
        return (*found[: LAGS - 1], fsum(found[LAGS - 1 :]))


LAGS: Final = 3
"""The coups later that a covariance is kept for, each apart."""
