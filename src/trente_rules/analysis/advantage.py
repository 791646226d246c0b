"""The bank's advantage on every wager of a house, exactly, from stake machine and odds alone.

The value of a stake in a state is the sum over verdicts of what is handed back and what the rest is
worth where it stays: a linear system in Fractions. The second moment follows the same recursion and
gives the standard deviation. Later coups count as independent copies of the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import sqrt
from typing import Protocol

from attrs import evolve, frozen

from trente_rules.analysis.linear import solve
from trente_rules.analysis.worth import worths
from trente_rules.house.house import House
from trente_rules.money import NOUGHT
from trente_rules.rules.chances import COUP_VERDICTS, Chance
from trente_rules.rules.policies import Policy
from trente_rules.stakes import Opening
from trente_rules.steps import Steps, paths

Odds = tuple[Fraction, Fraction, Fraction, Fraction]
"""The probability of WIN, LOSE, APRES and REFAIT."""


class VerdictOdds(Protocol):
    """What is needed of odds: their name, and what they say of a verdict table."""

    @property
    def deal(self) -> str:
        """The name of the deal."""
        ...  # pragma: no cover - a protocol has no body

    def verdicts(self, table: bytes, /) -> Odds:
        """Answer the probability of WIN, LOSE, APRES and REFAIT."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class Wager:
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
    wagers: tuple[Wager, ...]

    @property
    def best(self) -> Wager:
        """The wager with the least advantage of the bank."""
        return min(self.wagers, key=lambda wager: wager.edge)

    @property
    def worst(self) -> Wager:
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
    """Answer the advantage on every wager of a house, or on the chances named.

    With ``stake``, an amount in units, figures hold for that stake: rounded as the house rounds,
    with its minimum premium, insured only if it can be; a stake that the house refuses to round has
    no figures. Raises ``BetError`` ("unknown-chance")
    and ``TrenteError`` ("too-many-policies"; "too-many-states" where a stake can come to too many
    different worths to be followed exactly).
    """
    wanted = house.chances if chances is None else [house.chance(name) for name in chances]
    known: dict[tuple[Odds, Fraction, bool], list[Wager]] = {}
    wagers: list[Wager] = []
    for chance in wanted:
        verdicts = odds.verdicts(chance.verdicts)
        alike = (verdicts, chance.odds, chance.simple)
        if alike not in known:
            known[alike] = list(_wagers(house, chance, verdicts, stake, opening or Opening()))
        wagers.extend(evolve(wager, chance=chance.id) for wager in known[alike])
    return Advantage(odds.deal, tuple(wagers))


def edge_of(steps: Steps, odds: Odds) -> Fraction:
    """Answer the bank's advantage on a stake that takes these steps, in stakes."""
    possible = [verdict for verdict in COUP_VERDICTS if odds[verdict]]
    kept = {
        state: {verdict: there[verdict] for verdict in possible if verdict in there}
        for state, there in steps.items()
    }
    return 1 - _moments(kept, odds).mean


def _wagers(
    house: House, chance: Chance, odds: Odds, stake: int | None, opening: Opening
) -> Iterable[Wager]:
    occurring = [verdict for verdict in COUP_VERDICTS if odds[verdict]]
    for path in paths(house, chance, stake=stake, opening=opening, verdicts=occurring):
        moments = _moments(path.steps, odds)
        edge = 1 - moments.mean
        _win, _lose, apres, _refait = odds
        yield Wager(
            chance=chance.id,
            insured=path.insured,
            policy=path.policy,
            edge=edge,
            per_resolved=edge / (1 - apres) if apres != 1 else NOUGHT,
            per_decided=edge / (odds[0] + odds[1]) if odds[0] + odds[1] else NOUGHT,
            variance=moments.square - moments.mean**2,
            stake=stake,
        )


def _moments(steps: Steps, odds: Odds) -> _Moments:
    """Answer mean and second moment of what comes back of one unit."""
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
