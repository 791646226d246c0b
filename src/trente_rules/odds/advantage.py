"""The bank's advantage on every wager of a house, exactly, from stake machine and odds alone.

The value of a stake in a state is the sum over verdicts of what is returned and what the rest is
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

State = TypeVar("State", bound=Hashable)
Law = Mapping[Verdict, Fraction]
"""The probability of each verdict of a chance."""
MOST_CARRIED: Final = Fraction(1, 20)
"""The most of the variance of a sum that one stake may carry, for an error or a band of it."""


class VerdictOdds(Protocol):
    """Any odds of a coup: their name, and the law of a verdict table."""

    @property
    def deal(self) -> str:
        """The name of the deal."""
        ...  # pragma: no cover - a protocol has no body

    def verdicts(self, table: bytes, /) -> tuple[Fraction, ...]:
        """Return the probability of each verdict of a chance, by its table."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class WagerAdvantage:
    """The bank's edge on one wager under one policy; edges and deviation in stakes.

    ``edge`` is per coup on which a stake is placed, ``per_resolved`` per coup other than an
    ordinary tie, ``per_decided`` per coup that is won or lost; None where no coup is. ``stake`` is
    the amount in units that the figures are for, rounding and minima of the house included; None
    for nominal figures.
    """

    chance: str
    insured: bool
    policy: Policy
    edge: Fraction
    per_resolved: Fraction | None
    per_decided: Fraction | None
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
        """The wager with the least edge of the bank."""
        return min(self.wagers, key=lambda wager: wager.edge)

    @property
    def worst(self) -> WagerAdvantage:
        """The wager with the greatest edge of the bank."""
        return max(self.wagers, key=lambda wager: wager.edge)


def advantage(
    house: House,
    odds: VerdictOdds,
    *,
    chances: Iterable[str] | None = None,
    stake: int | None = None,
    opening: Opening | None = None,
) -> Advantage:
    """Return the bank's edge on every wager of a house, or on the chances named.

    With ``stake``, an amount in units, figures hold for that stake: rounded as the house rounds,
    with its minimum premium, insured only if it can be; a stake that the house refuses to round has
    no figures. Raises ``BetError`` ("unknown-chance") and ``TrenteError`` ("too-many-policies";
    "too-many-states" where a stake can reach too many different worths to be followed exactly).
    """
    wanted = house.chances if chances is None else [house.chance(name) for name in chances]
    known: dict[object, list[WagerAdvantage]] = {}
    wagers: list[WagerAdvantage] = []
    for chance in wanted:
        law = law_of(chance, odds)
        alike = alike_by(chance, law)
        if alike not in known:
            known[alike] = [
                figures
                for wager in house.wagers_on(chance.id)
                for figures in wager_advantages(wager, law, stake=stake, opening=opening)
            ]
        wagers.extend(evolve(wager, chance=chance.id) for wager in known[alike])
    return Advantage(odds.deal, tuple(wagers))


def law_of(chance: Chance, odds: VerdictOdds) -> Law:
    """Return the probability of each verdict of a chance."""
    law = zip(chance.verdicts, odds.verdicts(chance.table), strict=False)
    return dict.fromkeys(chance.verdicts, NOUGHT) | dict(law)


def of_kind(law: Law, *kinds: Kind) -> Fraction:
    """Return the probability of all verdicts of some kinds."""
    return sum((p for verdict, p in law.items() if verdict.kind in kinds), NOUGHT)


def alike_by(chance: Chance, law: Law) -> object:
    """Return what two chances of a house have in common if all their figures are the same."""
    # Odds of nothing are left out: a Fraction takes long to hash.
    pays = tuple(verdict.odds for verdict in chance.verdicts if verdict.odds is not NOUGHT)
    return chance.verdicts, tuple(law.values()), pays, chance.simple


def edge_of(steps: Steps, law: Law) -> Fraction:
    """Return the bank's edge on a stake that takes these steps, in stakes."""
    occurring = {
        state: {verdict: step for verdict, step in there.items() if law.get(verdict)}
        for state, there in steps.items()
    }
    return 1 - worths(occurring, law)[next(iter(steps))]


def variance_of(steps: Steps, law: Law) -> Fraction:
    """Return the variance of the result of a stake that takes these steps, in stakes squared."""
    occurring = {
        state: {verdict: step for verdict, step in there.items() if law.get(verdict)}
        for state, there in steps.items()
    }
    means, first = worths(occurring, law), next(iter(steps))
    return _squares(occurring, law, means)[first] - means[first] ** 2


def wager_advantages(
    wager: Wager, law: Law, *, stake: int | None = None, opening: Opening | None = None
) -> Iterator[WagerAdvantage]:
    """Return the advantage on one wager under each pure policy; see ``advantage``."""
    occurring = [verdict for verdict, p in law.items() if p]
    push, decided = of_kind(law, "push"), of_kind(law, "win", "lose")
    for path in wager.paths(stake=stake, opening=opening or Opening(), verdicts=occurring):
        means = worths(path.steps, law)
        first = next(iter(path.steps))
        edge = 1 - means[first]
        yield WagerAdvantage(
            chance=wager.chance.id,
            insured=wager.insured,
            policy=path.policy,
            edge=edge,
            per_resolved=edge / (1 - push) if push != 1 else None,
            per_decided=edge / decided if decided else None,
            variance=_squares(path.steps, law, means)[first] - means[first] ** 2,
            stake=stake,
        )


def worths(steps: Steps, law: Law) -> dict[str, Fraction]:
    """Return the worth of one unit in each state, if later coups are independent copies."""
    constants = {
        state: sum((law[verdict] * step.back for verdict, step in there.items()), NOUGHT)
        for state, there in steps.items()
    }
    return solve(list(steps), constants, kept_parts(steps, law))


def _squares(steps: Steps, law: Law, means: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return the second moment of what comes back of one unit in each state."""
    constants = {
        state: sum(
            (
                law[verdict] * step.back * (step.back + 2 * step.keeps * means[step.target])
                if step.target
                else law[verdict] * step.back**2
                for verdict, step in there.items()
            ),
            NOUGHT,
        )
        for state, there in steps.items()
    }
    return solve(list(steps), constants, kept_parts(steps, law, 2))


def kept_parts(steps: Steps, law: Law, power: int = 1) -> dict[str, dict[str, Fraction]]:
    """Return the mean part of a unit, to a power, that each state hands on to each other one."""
    parts: dict[str, dict[str, Fraction]] = {state: {} for state in steps}
    for state, there in steps.items():
        row = parts[state]
        for verdict, step in there.items():
            if step.target:
                part = law[verdict] * step.keeps**power
                row[step.target] = row.get(step.target, NOUGHT) + part
    return parts


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
                row[further] = row.get(further, NOUGHT) + weight * part
        loop = 1 / (1 - row.pop(state, NOUGHT))
        values[state] = constant * loop
        rows[state] = {target: weight * loop for target, weight in row.items()}
    solved: dict[State, Fraction] = {}
    for state in order:
        later = (weight * solved[target] for target, weight in rows[state].items())
        solved[state] = values[state] + sum(later, NOUGHT)
    return solved


# The covariance of the results of two stakes on the same coups

_FINE: Final = 10**15
"""Probabilities are taken to this part: a deviation needs no more, and the solution is quick."""


def covariance(first: WagerPath, second: WagerPath, odds: CoupOdds) -> Fraction:
    """Return the covariance of the returns of one unit on each of two wagers, in stakes."""
    together = _Together(first, second, odds, _FINE)
    start = next(iter(first.steps)), next(iter(second.steps))
    return together.covariances([start])[start]


def long_run_covariance(one: WagerPath, other: WagerPath, odds: CoupOdds) -> Fraction:
    """Return the covariance, a coup, of one unit on every coup on each of two wagers.

    A stake that waits for a next coup shares it with the stake that is placed then, so the results
    of a run of coups have this covariance and not that of single stakes. For a wager with itself it
    is the variance, a coup, of a stake on every coup; without a prison it is that of one coup.
    Exact, in square stakes; coups count as independent copies of the first.
    """
    together = _Together(one, other, odds)
    free = next(iter(one.steps)), next(iter(other.steps))
    firsts = [(state, free[1]) for state in one.steps if state != free[0]]
    seconds = [(free[0], state) for state in other.steps if state != free[1]]
    shared = together.covariances([free, *firsts, *seconds])
    # A prisoner of the one with a free stake of the other, until the prisoner leaves.
    waiting = {state: shared[state, free[1]] for state, _free in firsts} | {free[0]: NOUGHT}
    behind = {state: shared[free[0], state] for _free, state in seconds} | {free[1]: NOUGHT}
    law, later_law = together.laws
    return (
        shared[free]
        + solve(list(one.steps), waiting, kept_parts(one.steps, law))[free[0]]
        + solve(list(other.steps), behind, kept_parts(other.steps, later_law))[free[1]]
    )


class _Together:
    """Two stake machines on the same coups: the mean products of what comes back of their units.

    Probabilities are rounded to one in ``parts``; 0 leaves them exact.
    """

    def __init__(self, first: WagerPath, second: WagerPath, odds: CoupOdds, parts: int = 0) -> None:
        one, other = first.chance, second.chance
        totals: dict[tuple[Verdict, Verdict], int] = {}
        for i, j, weight in zip(one.table, other.table, odds.weights, strict=True):
            pair = one.verdicts[i], other.verdicts[j]
            totals[pair] = totals.get(pair, 0) + weight
        self.steps = first.steps, second.steps
        exact = {p: Fraction(total, odds.denominator) for p, total in totals.items() if total}
        self.pairs = (
            {pair: Fraction(round(part * parts), parts) for pair, part in exact.items()}
            if parts
            else exact
        )
        # A chance may know a verdict that no coup gives it: its steps have it, at no probability.
        self.laws = tuple(dict.fromkeys(chance.verdicts, NOUGHT) for chance in (one, other))
        for pair, part in self.pairs.items():
            for law, verdict in zip(self.laws, pair, strict=True):
                law[verdict] += part

    def covariances(self, starts: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Fraction]:
        """Return the covariance of a unit in each of two states, by the pair of states."""
        # A stake that ends has no target, "", and is worth nothing more.
        firsts, seconds = (
            {"": NOUGHT, **worths(steps, law)}
            for steps, law in zip(self.steps, self.laws, strict=True)
        )
        order = dict.fromkeys(starts)
        constants: dict[tuple[str, str], Fraction] = {}
        weights: dict[tuple[str, str], dict[tuple[str, str], Fraction]] = {}
        todo = [*order]
        for states in todo:  # grows while it is walked through
            here, there = self.steps[0][states[0]], self.steps[1][states[1]]
            constant, leads = NOUGHT, dict[tuple[str, str], Fraction]()
            for (one_verdict, other_verdict), part in self.pairs.items():
                a, b = here[one_verdict], there[other_verdict]
                constant += part * a.back * (b.back + b.keeps * seconds[b.target])
                constant += part * b.back * a.keeps * firsts[a.target]
                if a.target and b.target:
                    both = a.target, b.target
                    leads[both] = leads.get(both, NOUGHT) + part * a.keeps * b.keeps
                    if both not in order:
                        order[both] = None
                        todo.append(both)
            constants[states], weights[states] = constant, leads
        products = solve(todo, constants, weights)
        return {
            states: products[states] - firsts[states[0]] * seconds[states[1]] for states in starts
        }
