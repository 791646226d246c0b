"""The worth of a stake that lies on the table, in units, exactly: what a choice at a refait costs.

A stake is followed as it is settled: whole units, rounded as the house rounds, premiums taken off.
The player chooses best at every later choice, and insures a prisoner where that is worth more.
Later coups count as independent copies of the first, as for the bank's advantage; a prisoner is not
moved to another chance. The session closes after all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from attrs import frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.machine import Course
from trente_rules.core.money import NOUGHT
from trente_rules.core.settlement import wager_of
from trente_rules.core.stakes import Line, Opening, Stake
from trente_rules.core.wager import MOST_STATES, Wager
from trente_rules.odds.advantage import Law, VerdictOdds, law_of, solve
from trente_rules.odds.coup_odds import fresh_shoe

_NO_OPENING: Final = Opening()
_HALF: Final = Fraction(1, 2)


@frozen
class CourseWorth:
    """One course that is offered for a stake: its settlement, and what the stake is worth then.

    ``worth`` is in units: what is returned and won now, and the expected value, under best play, of
    what stays. A premium that is paid already is not taken off. ``best`` marks every course of the
    greatest worth, ``default`` the one that is taken without a choice.
    """

    course: Course
    line: Line
    worth: Fraction
    best: bool
    default: bool


def course_worths(
    house: House,
    stake: Stake,
    verdict: Verdict,
    odds: VerdictOdds | None = None,
    *,
    opening: Opening = _NO_OPENING,
) -> tuple[CourseWorth, ...]:
    """Return the courses offered for a stake that met a verdict, each with its worth, in order.

    ``odds`` are by default those of a fresh shoe of the house. Raises ``BetError`` as
    ``Wager.offered`` does, and ``TrenteError`` ("too-many-states") where the stake can reach more
    different worths than are followed.
    """
    wager = wager_of(house, stake)
    offered = wager.offered(stake, verdict, opening=opening)
    lines = [wager.settle(stake, verdict, each.name, opening=opening) for each in offered]
    left = [line.after for line in lines if line.after is not None]
    later = _values(house, left, odds, opening)
    found = [_got(line) + later.get(_merged(line.after), NOUGHT) for line in lines]
    return tuple(
        CourseWorth(course, line, worth, worth == max(found), course.default)
        for course, line, worth in zip(offered, lines, found, strict=True)
    )


def stake_worth(
    house: House,
    stake: Stake,
    odds: VerdictOdds | None = None,
    *,
    opening: Opening = _NO_OPENING,
) -> Fraction:
    """Return the expected value, in units, of a stake before the next coup, under best play.

    A premium that is on the table for it is not part of it. Raises as ``course_worths``.
    """
    if stake.free:
        law = law_of(house.chance(stake.chance), odds or fresh_shoe(house.shoe.packs))
        return sum(
            (
                part * max(each.worth for each in courses)
                for met, part in law.items()
                if part
                for courses in [course_worths(house, stake, met, odds, opening=opening)]
            ),
            NOUGHT,
        )
    return _values(house, (stake,), odds, opening)[_merged(stake)]


def _got(line: Line) -> int:
    """Return the units that a settlement returns to the player now."""
    return line.returned + line.won + line.premium_returned


def _merged(stake: Stake | None) -> Stake | None:
    """Return one stake for all that are settled alike, whatever their names."""
    if stake is None:
        return None
    share = stake.share
    if share and stake.worth <= _HALF:
        # Any share of half a unit rounds alike: an endless halving has finitely many worths.
        share = Fraction(1, 4 * stake.amount)
    return Stake(
        id="",
        owner="",
        chance=stake.chance,
        amount=stake.amount,
        state=stake.state,
        share=share,
        handed_back=stake.handed_back,
        covered=stake.covered,
    )


@frozen
class _Act:
    """One way to settle a stake under a verdict: the units it gives, and what stays."""

    units: int
    after: Stake | None


@frozen
class _Plan:
    """A prisoner whose player has bought insurance for the coup or not, and what can be chosen.

    ``premium`` is paid for the coup; ``choices`` has the acts under each verdict.
    """

    premium: int
    choices: tuple[tuple[Verdict, tuple[_Act, ...]], ...]


@frozen
class _Chosen:
    """The plan of a prisoner, and of each verdict the act, by their places."""

    plan: int
    acts: tuple[int, ...]


def _values(
    house: House, stakes: Sequence[Stake], odds: VerdictOdds | None, opening: Opening
) -> dict[Stake | None, Fraction]:
    """Return the value of stakes, and of all that they can become, by policy iteration."""
    if not stakes:
        return {}
    chance = house.chance(stakes[0].chance)
    law = law_of(chance, odds or fresh_shoe(house.shoe.packs))
    order = list(dict.fromkeys(filter(None, map(_merged, stakes))))
    plans: dict[Stake, tuple[_Plan, ...]] = {}
    for stake in order:  # grows while it is walked through
        plans[stake] = tuple(_plans(house, stake, law, opening))
        for plan in plans[stake]:
            for after in [act.after for _met, acts in plan.choices for act in acts if act.after]:
                if after not in plans and after not in order:
                    order.append(after)
        if len(order) > MOST_STATES:
            raise TrenteError(
                f"one stake can reach more than {MOST_STATES} different worths",
                "too-many-states",
                "ask for a smaller stake",
            )
    chosen = {stake: _first(plans[stake]) for stake in order}
    while True:
        values = _solved(order, plans, chosen, law)
        better = {stake: _best(plans[stake], chosen[stake], values, law) for stake in order}
        if better == chosen:
            return dict(values)
        chosen = better


def _first(plans: tuple[_Plan, ...]) -> _Chosen:
    return _Chosen(0, (0,) * len(plans[0].choices))


def _plans(house: House, stake: Stake, law: Law, opening: Opening) -> Iterator[_Plan]:
    """Yield what can happen to a prisoner: without insurance bought for the coup, and with it."""
    plain = wager_of(house, stake)
    yield _plan(plain, stake, law, opening, 0)
    insured = house.wagers.get((stake.chance, True))
    table = insured.insurance if insured is not None else None
    if insured is None or table is None or stake.covered or stake.state not in table.covers:
        return
    exact = house.money.rounding != "refuse" or insured.exact(stake)
    if exact and not table.refusal(stake.amount, free=False):
        yield _plan(insured, stake, law, opening, insured.premium(stake.worth).units)


def _plan(wager: Wager, stake: Stake, law: Law, opening: Opening, premium: int) -> _Plan:
    choices = []
    for met, part in law.items():
        if part:
            offered = wager.offered(stake, met, opening=opening)
            lines = [wager.settle(stake, met, each.name, opening=opening) for each in offered]
            acts = tuple(_Act(_got(line), _merged(line.after)) for line in lines)
            choices.append((met, acts))
    return _Plan(premium, tuple(choices))


def _solved(
    order: list[Stake],
    plans: Mapping[Stake, tuple[_Plan, ...]],
    chosen: Mapping[Stake, _Chosen],
    law: Law,
) -> dict[Stake | None, Fraction]:
    """Return the values where every player acts as chosen: a linear system."""
    constants: dict[Stake, Fraction] = {}
    weights: dict[Stake, dict[Stake, Fraction]] = {}
    for stake in order:
        plan = plans[stake][chosen[stake].plan]
        constant, row = Fraction(-plan.premium), dict[Stake, Fraction]()
        for (met, acts), place in zip(plan.choices, chosen[stake].acts, strict=True):
            act = acts[place]
            constant += law[met] * act.units
            if act.after is not None:
                row[act.after] = row.get(act.after, NOUGHT) + law[met]
        constants[stake], weights[stake] = constant, row
    solved = solve(order, constants, weights)
    return {None: NOUGHT} | solved


def _best(
    plans: tuple[_Plan, ...],
    now: _Chosen,
    values: Mapping[Stake | None, Fraction],
    law: Law,
) -> _Chosen:
    """Return the best acts by these values: those of now where none is better."""
    best, most = now, _value(plans[now.plan], now.acts, values, law)
    for place, plan in enumerate(plans):
        acts = tuple(_best_act(each, values) for _met, each in plan.choices)
        value = _value(plan, acts, values, law)
        if value > most:
            best, most = _Chosen(place, acts), value
    return best


def _best_act(acts: tuple[_Act, ...], values: Mapping[Stake | None, Fraction]) -> int:
    """Return the place of the act of the greatest value: of several, the first."""
    found = [act.units + values[act.after] for act in acts]
    return found.index(max(found))


def _value(
    plan: _Plan, acts: tuple[int, ...], values: Mapping[Stake | None, Fraction], law: Law
) -> Fraction:
    """Return the value of a plan where these acts are chosen, from the values of what stays."""
    sums = (
        law[met] * (each[place].units + values[each[place].after])
        for place, (met, each) in zip(acts, plan.choices, strict=True)
    )
    return sum(sums, Fraction(-plan.premium))
