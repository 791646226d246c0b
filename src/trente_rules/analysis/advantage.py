"""The bank's advantage on every wager of a house, exactly, from stake machine and odds alone.

The value of a stake in a state is the sum over verdicts of what is handed back and what the rest is
worth where it stays: a linear system in Fractions. The second moment follows the same recursion and
gives the standard deviation. Later coups count as independent copies of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import sqrt
from typing import Final, Protocol

from attrs import evolve, frozen

from trente_rules.acceptance import inexact
from trente_rules.analysis.linear import solve
from trente_rules.analysis.policies import Policy, pure_policies
from trente_rules.errors import BetError, TrenteError
from trente_rules.house.house import House
from trente_rules.money import NOUGHT, ONE
from trente_rules.rules.chances import COUP_VERDICTS, Chance, Verdict
from trente_rules.rules.insurance import InsuranceTable
from trente_rules.rules.machine import FREE, Course
from trente_rules.settlement import Line, courses, settle_stake
from trente_rules.stakes import Opening, Stake

MOST_STATES: Final = 200
"""How many worths a stake is followed through; shipped rules need under 50."""
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


def _wagers(
    house: House, chance: Chance, odds: Odds, stake: int | None, opening: Opening
) -> Iterable[Wager]:
    for insured in (False, True):
        table = house.insurance_table if insured else None
        if insured and (table is None or not chance.simple or FREE not in table.covers):
            continue
        if stake is None:
            offer = _nominal_offer(house, chance, table)
        else:
            if insured and not _insurable(house, chance, stake):
                continue
            if any(inexact(house, _placed(chance, stake, table), chance)):
                continue  # the house refuses to round, so it takes no such stake
            offer = _real_offer(house, chance, stake, table, opening)
        possible = house.machine_of(chance).possible
        for policy in pure_policies(offer, possible):
            if stake is None:
                moments = _nominal(chance, odds, offer, policy, table)
            else:
                first = _placed(chance, stake, table)
                moments = _real(house, first, odds, policy, table, opening)
            edge = 1 - moments.mean
            _win, _lose, apres, _refait = odds
            yield Wager(
                chance=chance.id,
                insured=insured,
                policy=policy,
                edge=edge,
                per_resolved=edge / (1 - apres) if apres != 1 else NOUGHT,
                per_decided=edge / (odds[0] + odds[1]) if odds[0] + odds[1] else NOUGHT,
                variance=moments.square - moments.mean**2,
                stake=stake,
            )


def _nominal_offer(
    house: House, chance: Chance, table: InsuranceTable | None
) -> Callable[[str, Verdict], tuple[Course, ...]]:
    """Answer the courses of a stake whose amount is not told: nothing is rounded or too small."""
    machine = house.machine_of(chance)

    def offer(state: str, verdict: Verdict) -> tuple[Course, ...]:
        if table and verdict is Verdict.REFAIT and state in table.covers:
            return (table.on_refait(state),)
        return machine.courses(state, verdict)

    return offer


def _taken(courses_there: tuple[Course, ...], name: str) -> Course:
    return next((course for course in courses_there if course.name == name), courses_there[0])


def _nominal(
    chance: Chance,
    odds: Odds,
    offer: Callable[[str, Verdict], tuple[Course, ...]],
    policy: Policy,
    table: InsuranceTable | None,
) -> _Moments:
    """Solve the machine for one unit of stake."""
    steps: dict[str, list[tuple[Fraction, Fraction, Fraction, str]]] = {}
    order = [FREE]
    for state in order:
        steps[state] = []
        for verdict in COUP_VERDICTS:
            chance_of = odds[verdict]
            if not chance_of:
                continue
            course = _taken(offer(state, verdict), policy.course(state, verdict))
            back = course.returned
            if state == FREE and verdict is Verdict.WIN:
                back += chance.odds
            if table and state in table.covers and verdict in table.kept:
                back -= table.rate
            steps[state].append((chance_of, back, course.staying, course.state))
            if course.state and course.state not in order:
                order.append(course.state)
    return _solve(order, steps, FREE)


def _solve(
    order: list[str], steps: dict[str, list[tuple[Fraction, Fraction, Fraction, str]]], first: str
) -> _Moments:
    """Solve mean and second moment; a step is (probability, back, share that stays, where)."""
    constants = {s: sum((p * back for p, back, _k, _t in steps[s]), NOUGHT) for s in order}
    weights: dict[str, dict[str, Fraction]] = {s: {} for s in order}
    squares: dict[str, dict[str, Fraction]] = {s: {} for s in order}
    for state in order:
        for p, _back, keeps, target in steps[state]:
            if target:
                weights[state][target] = weights[state].get(target, NOUGHT) + p * keeps
                squares[state][target] = squares[state].get(target, NOUGHT) + p * keeps**2
    means = solve(order, constants, weights)
    second = {
        s: sum(
            (
                p * (back**2 + (2 * back * keeps * means[target] if target else 0))
                for p, back, keeps, target in steps[s]
            ),
            NOUGHT,
        )
        for s in order
    }
    return _Moments(means[first], solve(order, second, squares)[first])


def _placed(chance: Chance, amount: int, table: InsuranceTable | None) -> Stake:
    return Stake("stake", "player", chance.id, amount, insured=table is not None)


def _insurable(house: House, chance: Chance, amount: int) -> bool:
    table = house.insurance_table
    return table is not None and not table.refusal(amount) and chance.simple


def _real_offer(
    house: House, chance: Chance, amount: int, table: InsuranceTable | None, opening: Opening
) -> Callable[[str, Verdict], tuple[Course, ...]]:
    """Answer the courses that a whole stake of this amount would be offered in each state."""

    def offer(state: str, verdict: Verdict) -> tuple[Course, ...]:
        stake = _placed(chance, amount, table)
        if state != FREE:
            covered = table is not None and state in table.covers
            stake = evolve(stake, state=state, insured=covered)
        return courses(house, stake, verdict, opening=opening)

    return offer


def _real(
    house: House,
    first: Stake,
    odds: Odds,
    policy: Policy,
    table: InsuranceTable | None,
    opening: Opening,
) -> _Moments:
    """Solve the settlement of one whole stake: every share it can come to is a state of its own."""
    nodes: dict[Stake, str] = {first: "0"}
    order = [first]
    steps: dict[str, list[tuple[Fraction, Fraction, Fraction, str]]] = {}
    for stake in order:
        steps[nodes[stake]] = []
        for verdict in COUP_VERDICTS:
            if not odds[verdict]:
                continue
            line = _settled(house, stake, verdict, policy, opening)
            units = line.returned + line.won - line.premium_kept
            target = ""
            if line.after is not None:
                after = _merged(line.after, table)
                if after not in nodes:
                    _few_enough(len(nodes))
                    nodes[after] = str(len(nodes))
                    order.append(after)
                target = nodes[after]
            back = Fraction(units, first.amount)
            steps[nodes[stake]].append((odds[verdict], back, ONE if target else NOUGHT, target))
    return _solve([nodes[stake] for stake in order], steps, nodes[first])


def _few_enough(states: int) -> None:
    if states >= MOST_STATES:
        raise TrenteError(
            f"one stake can come to more than {MOST_STATES} different worths",
            "too-many-states",
            "ask for the nominal figures, or for a smaller stake",
        )


def _settled(
    house: House, stake: Stake, verdict: Verdict, policy: Policy, opening: Opening
) -> Line:
    """Settle by the policy, by the default where its course is not offered to so small a stake."""
    chosen = policy.course(stake.state, verdict)
    try:
        return settle_stake(house, stake, verdict, chosen, opening=opening)
    except BetError as error:
        if error.code != "course-not-offered":
            raise
        return settle_stake(house, stake, verdict, opening=opening)


def _merged(stake: Stake, table: InsuranceTable | None) -> Stake:
    """Answer one stake for all that are settled alike: what is worth less than half a unit.

    Any share of half a unit rounds to the same by every policy, so the shares that an endless
    halving makes are finitely many.
    """
    covered = table is not None and stake.state in table.covers
    share = stake.share
    if share and stake.worth <= Fraction(1, 2):
        share = Fraction(1, 4 * stake.amount)
    return evolve(stake, share=share, insured=covered)
