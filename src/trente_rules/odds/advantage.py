"""The bank's advantage on every wager of a house, exactly, from stake machine and odds alone.

The value of a stake in a state is the sum over verdicts of what is handed back and what the rest is
worth where it stays: a linear system in Fractions. The second moment follows the same recursion and
gives the standard deviation. Later coups count as independent copies of the first.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import Final, Protocol, TypeVar

from attrs import evolve, frozen

from trente_rules.core.chances import Chance, Kind, Verdict
from trente_rules.core.house.house import House
from trente_rules.core.machine import Policy
from trente_rules.core.money import NOUGHT
from trente_rules.core.stakes import Opening
from trente_rules.core.wager import Steps, Wager, WagerPath
from trente_rules.odds.coup_odds import CoupOdds

# --- Exact solution of the sparse linear systems that a stake machine makes

State = TypeVar("State", bound=Hashable)


def solve(
    order: Sequence[State],
    constants: Mapping[State, Fraction],
    weights: Mapping[State, Mapping[State, Fraction]],
) -> dict[State, Fraction]:
    """Solve ``x[s] = constants[s] + sum(weights[s][t] * x[t])`` in Fractions.

    States are eliminated from the last of ``order`` to the first, so an order in which states lead
    forwards makes no row grow. A stake machine releases every stake in the end, so the system has
    one solution; ``ZeroDivisionError`` would mean a machine that was not checked.
    """
    rows: dict[State, dict[State, Fraction]] = {}
    values: dict[State, Fraction] = {}
    for position, state in reversed([*enumerate(order)]):
        constant = constants[state]
        row = {target: weight for target, weight in weights[state].items() if weight}
        for target in reversed(order[position + 1 :]):
            weight = row.pop(target, None)
            if weight is None:
                continue
            constant += weight * values[target]
            for further, part in rows[target].items():
                row[further] = row.get(further, Fraction(0)) + weight * part
        loop = 1 / (1 - row.pop(state, Fraction(0)))
        values[state] = constant * loop
        rows[state] = {target: weight * loop for target, weight in row.items()}
    solved: dict[State, Fraction] = {}
    for state in order:
        solved[state] = values[state] + sum(
            (weight * solved[target] for target, weight in rows[state].items()), Fraction(0)
        )
    return solved


# --- What a stake is worth in each state, if later coups are independent copies of the first


Law = Mapping[Verdict, Fraction]
"""The probability of each verdict of a chance."""


class VerdictOdds(Protocol):
    """What is needed of odds: their name, and what they say of a verdict table."""

    @property
    def deal(self) -> str:
        """The name of the deal."""
        ...  # pragma: no cover - a protocol has no body

    def verdicts(self, table: bytes, /) -> tuple[Fraction, ...]:
        """Return the probability of each verdict of a chance, by its table."""
        ...  # pragma: no cover - a protocol has no body


def law_of(chance: Chance, odds: VerdictOdds) -> Law:
    """Return the probability of each verdict of a chance."""
    found = odds.verdicts(chance.table)
    return dict.fromkeys(chance.verdicts, NOUGHT) | dict(zip(chance.verdicts, found, strict=False))


def worths(steps: Steps, odds: Law) -> dict[str, Fraction]:
    """Return the worth of one unit in each state; ``odds`` are those of the verdicts."""
    constants = {
        state: sum((odds[verdict] * step.back for verdict, step in there.items()), NOUGHT)
        for state, there in steps.items()
    }
    weights: dict[str, dict[str, Fraction]] = {state: {} for state in steps}
    for state, there in steps.items():
        for verdict, step in there.items():
            if step.target:
                row = weights[state]
                row[step.target] = row.get(step.target, NOUGHT) + odds[verdict] * step.keeps
    return solve(list(steps), constants, weights)


@frozen
class WagerAdvantage:
    """The bank's advantage on one wager under one policy; edges and deviation in stakes.

    ``edge`` is per coup on which a stake is placed, ``per_resolved`` per coup that is no ordinary
    tie, ``per_decided`` per coup that is won or lost. ``stake`` is the amount in units that the
    figures are for, rounding and minima of the house included; None for nominal figures.
    """

    chance: str
    insured: bool
    policy: Policy
    edge: Fraction
    per_resolved: Fraction
    per_decided: Fraction
    variance: Fraction
    stake: int | None = None

    @property
    def sd(self) -> float:
        """The standard deviation of the result of one stake, in stakes."""
        return sqrt(self.variance)


@frozen
class Advantage:
    """Every wager of a house, for one deal: each chance, insured and not, each pure policy."""

    deal: str
    wagers: tuple[WagerAdvantage, ...]

    @property
    def best(self) -> WagerAdvantage:
        """The wager with the least advantage of the bank."""
        return min(self.wagers, key=lambda wager: wager.edge)

    @property
    def worst(self) -> WagerAdvantage:
        """The wager with the greatest advantage of the bank."""
        return max(self.wagers, key=lambda wager: wager.edge)


@frozen
class _Moments:
    """The mean and the second moment of what comes back of a stake, premiums taken off."""

    mean: Fraction
    square: Fraction


def advantage(
    house: House,
    odds: VerdictOdds,
    *,
    chances: Iterable[str] | None = None,
    stake: int | None = None,
    opening: Opening | None = None,
) -> Advantage:
    """Return the advantage on every wager of a house, or on the chances named.

    With ``stake``, an amount in units, figures hold for that stake: rounded as the house rounds,
    with its minimum premium, insured only if it can be; a stake that the house refuses to round has
    no figures. Raises ``BetError`` ("unknown-chance")
    and ``TrenteError`` ("too-many-policies"; "too-many-states" where a stake can come to too many
    different worths to be followed exactly).
    """
    wanted = house.chances if chances is None else [house.chance(name) for name in chances]
    known: dict[object, list[WagerAdvantage]] = {}
    wagers: list[WagerAdvantage] = []
    for chance in wanted:
        law = law_of(chance, odds)
        alike = alike_by(chance, law)
        if alike not in known:
            known[alike] = [
                found
                for wager in house.wagers_on(chance.id)
                for found in wager_advantages(wager, law, stake=stake, opening=opening)
            ]
        wagers.extend(evolve(wager, chance=chance.id) for wager in known[alike])
    return Advantage(odds.deal, tuple(wagers))


def of_kind(law: Law, *kinds: Kind) -> Fraction:
    """Return the probability of all verdicts of some kinds."""
    return sum((p for verdict, p in law.items() if verdict.kind in kinds), NOUGHT)


def alike_by(chance: Chance, law: Law) -> object:
    """Return what two chances of a house have in common if all their figures are the same."""
    # Odds of nothing are left out: a Fraction takes long to hash.
    pays = tuple(verdict.odds for verdict in chance.verdicts if verdict.odds is not NOUGHT)
    return chance.verdicts, tuple(law.values()), pays, chance.simple


def edge_of(steps: Steps, odds: Law) -> Fraction:
    """Return the bank's advantage on a stake that takes these steps, in stakes."""
    kept = {
        state: {verdict: step for verdict, step in there.items() if odds.get(verdict)}
        for state, there in steps.items()
    }
    return 1 - _moments(kept, odds).mean


def wager_advantages(
    wager: Wager, odds: Law, *, stake: int | None = None, opening: Opening | None = None
) -> Iterator[WagerAdvantage]:
    """Return the advantage on one wager under each pure policy; see ``advantage``."""
    occurring = [verdict for verdict, p in odds.items() if p]
    push, decided = of_kind(odds, "push"), of_kind(odds, "win", "lose")
    for path in wager.paths(stake=stake, opening=opening or Opening(), verdicts=occurring):
        moments = _moments(path.steps, odds)
        edge = 1 - moments.mean
        yield WagerAdvantage(
            chance=wager.chance.id,
            insured=wager.insured,
            policy=path.policy,
            edge=edge,
            per_resolved=edge / (1 - push) if push != 1 else NOUGHT,
            per_decided=edge / decided if decided else NOUGHT,
            variance=moments.square - moments.mean**2,
            stake=stake,
        )


def _moments(steps: Steps, odds: Law) -> _Moments:
    """Return mean and second moment of what comes back of one unit."""
    means = worths(steps, odds)
    constants: dict[str, Fraction] = {}
    squares: dict[str, dict[str, Fraction]] = {}
    for state, there in steps.items():
        constant, row = NOUGHT, dict[str, Fraction]()
        for verdict, step in there.items():
            part = odds[verdict]
            constant += part * step.back**2
            if step.target:
                constant += part * 2 * step.back * step.keeps * means[step.target]
                row[step.target] = row.get(step.target, NOUGHT) + part * step.keeps**2
        constants[state], squares[state] = constant, row
    first = next(iter(steps))
    return _Moments(means[first], solve(list(steps), constants, squares)[first])


# --- How the results of two stakes on the same coups hang together: their exact covariance

_FINE: Final = 10**15
"""Probabilities are taken to this part: a deviation needs no more, and the solution is quick."""
Together = dict[tuple[Verdict, Verdict], Fraction]


def covariance(first: WagerPath, second: WagerPath, odds: CoupOdds) -> Fraction:
    """Return the covariance of what comes back of one unit on each of two wagers, in stakes."""
    together = _together(first, second, odds)
    one = worths(first.steps, _alone(together, 0))
    other = worths(second.steps, _alone(together, 1))
    start = next(iter(first.steps)), next(iter(second.steps))
    order = [start]
    constants: dict[tuple[str, str], Fraction] = {}
    weights: dict[tuple[str, str], dict[tuple[str, str], Fraction]] = {}
    for place in order:
        constant, leads = NOUGHT, dict[tuple[str, str], Fraction]()
        for (verdict, beside), part in together.items():
            a, b = first.steps[place[0]][verdict], second.steps[place[1]][beside]
            constant += part * a.back * b.back
            if b.target:
                constant += part * a.back * b.keeps * other[b.target]
            if a.target:
                constant += part * b.back * a.keeps * one[a.target]
            if a.target and b.target:
                both = a.target, b.target
                leads[both] = leads.get(both, NOUGHT) + part * a.keeps * b.keeps
                if both not in order:
                    order.append(both)
        constants[place], weights[place] = constant, leads
    return solve(order, constants, weights)[start] - one[start[0]] * other[start[1]]


def _together(first: WagerPath, second: WagerPath, odds: CoupOdds) -> Together:
    """Return the probability of each pair of verdicts of one coup."""
    totals: dict[tuple[Verdict, Verdict], int] = {}
    one, other = first.chance, second.chance
    for a, b, weight in zip(one.table, other.table, odds.weights, strict=True):
        pair = one.verdicts[a], other.verdicts[b]
        totals[pair] = totals.get(pair, 0) + weight
    return {
        pair: Fraction(round(Fraction(total * _FINE, odds.denominator)), _FINE)
        for pair, total in totals.items()
        if total
    }


def _alone(together: Together, which: int) -> Law:
    """Return the probability of each verdict of one of the two."""
    odds: dict[Verdict, Fraction] = {}
    for pair, part in together.items():
        odds[pair[which]] = odds.get(pair[which], NOUGHT) + part
    return odds
