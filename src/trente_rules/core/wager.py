"""The steps of a stake: what each verdict does to it, for one wager under one policy.

Made of the tables of the house, by settling where an amount is told; the exact advantage and the
simulation read the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from typing import Final

from attrs import evolve, frozen

from trente_rules.core.chances import COUP_VERDICTS, Chance, Verdict
from trente_rules.core.errors import BetError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE, Course, Policy, pure_policies
from trente_rules.core.money import NOUGHT, ONE
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.settlement import courses, inexact, settle_stake
from trente_rules.core.stakes import Line, Opening, Stake

MOST_STATES: Final = 200
"""How many worths a stake is followed through; shipped rules need under 50."""
Offer = Callable[[str, Verdict], tuple[Course, ...]]


@frozen
class Step:
    """What one verdict does to a stake, in parts of what the stake counts for where it stands.

    ``back`` is what the player has back: winnings are added, a premium that is kept is taken off.
    ``keeps`` is the part that the stake counts for in the state ``target``, nought where it ends.
    ``premium`` is the premium that was taken off, which some must tell from what the stake lost.
    """

    back: Fraction
    keeps: Fraction = NOUGHT
    target: str = ""
    premium: Fraction = NOUGHT


Steps = dict[str, dict[Verdict, Step]]
"""The steps by state and verdict; the first state is where the stake is placed."""


@frozen
class WagerPath:
    """One wager under one policy, and the steps of its stake.

    ``stake`` is the amount in units that the steps hold for, every unit of it counted until it
    leaves; None for nominal steps, where nothing is rounded and no minimum acts.
    """

    chance: Chance
    insured: bool
    policy: Policy
    stake: int | None
    steps: Steps


def paths(
    house: House,
    chance: Chance,
    *,
    stake: int | None = None,
    opening: Opening | None = None,
    verdicts: Collection[Verdict] = COUP_VERDICTS,
) -> Iterator[WagerPath]:
    """Return every wager on a chance, insured and not, under each pure policy.

    ``verdicts`` are those that are followed. A stake that the house cannot insure, or refuses to
    round, makes no path. Raises ``TrenteError`` ("too-many-policies", "too-many-states").
    """
    for insured in (False, True):
        table = house.insurance_table if insured else None
        if insured and (table is None or not chance.simple or FREE not in table.covers):
            continue
        day = opening or Opening()
        if stake is None:
            offer = _nominal_offer(house, chance, table)
        else:
            if insured and not _insurable(house, chance, stake):
                continue
            if any(inexact(house, _placed(chance, stake, table), chance)):
                continue  # the house refuses to round, so it takes no such stake
            offer = _real_offer(house, chance, stake, table, day)
        machine = house.machine_of(chance)
        followed = [verdict for verdict in verdicts if verdict in {*machine.possible, *CLOSE}]
        for policy in pure_policies(offer, machine.possible):
            if stake is None:
                steps = _nominal(chance, offer, policy, table, followed)
            else:
                first = _placed(chance, stake, table)
                steps = _real(house, first, policy, table, day, followed)
            yield WagerPath(chance, insured, policy, stake, steps)


CLOSE: Final = frozenset((Verdict.CLOSE,))
"""The verdict of no coup, which every machine answers."""


def _nominal_offer(house: House, chance: Chance, table: InsuranceTable | None) -> Offer:
    """Return the courses of a stake whose amount is not told: nothing is rounded or too small."""
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
    offer: Offer,
    policy: Policy,
    table: InsuranceTable | None,
    verdicts: Collection[Verdict],
) -> Steps:
    """Read the machine for one unit of stake."""
    steps: Steps = {FREE: {}}
    order = [FREE]
    for state in order:
        for verdict in verdicts:
            course = _taken(offer(state, verdict), policy.course(state, verdict))
            back = course.returned
            if state == FREE and verdict is Verdict.WIN:
                back += chance.odds
            paid = table and state in table.covers and verdict is not Verdict.CLOSE
            premium = table.rate if table and paid and verdict in table.kept else NOUGHT
            steps[state][verdict] = Step(back - premium, course.staying, course.state, premium)
            if course.state and course.state not in steps:
                steps[course.state] = {}
                order.append(course.state)
    return steps


def _placed(chance: Chance, amount: int, table: InsuranceTable | None) -> Stake:
    return Stake("stake", "player", chance.id, amount, insured=table is not None)


def _insurable(house: House, chance: Chance, amount: int) -> bool:
    table = house.insurance_table
    return table is not None and not table.refusal(amount) and chance.simple


def _real_offer(
    house: House, chance: Chance, amount: int, table: InsuranceTable | None, opening: Opening
) -> Offer:
    """Return the courses that a whole stake of this amount would be offered in each state."""

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
    policy: Policy,
    table: InsuranceTable | None,
    opening: Opening,
    verdicts: Collection[Verdict],
) -> Steps:
    """Settle one whole stake: every share it can come to is a state of its own."""
    nodes: dict[Stake, str] = {first: FREE}
    order = [first]
    steps: Steps = {}
    for stake in order:
        here = steps.setdefault(nodes[stake], {})
        for verdict in verdicts:
            line = _settled(house, stake, verdict, policy, opening)
            target = ""
            if line.after is not None:
                after = _merged(line.after, table)
                if after not in nodes:
                    _few_enough(len(nodes))
                    nodes[after] = f"{after.state} {len(nodes)}"
                    order.append(after)
                target = nodes[after]
            units = line.returned + line.won - line.premium_kept
            back, premium = (Fraction(n, first.amount) for n in (units, line.premium_kept))
            here[verdict] = Step(back, ONE if target else NOUGHT, target, premium)
    return steps


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
    if verdict is Verdict.CLOSE:  # between coups no stake is insured, and none has a choice
        return settle_stake(house, evolve(stake, insured=False), verdict, opening=opening)
    chosen = policy.course(stake.state, verdict)
    try:
        return settle_stake(house, stake, verdict, chosen, opening=opening)
    except BetError as error:
        if error.code != "course-not-offered":
            raise
        return settle_stake(house, stake, verdict, opening=opening)


def _merged(stake: Stake, table: InsuranceTable | None) -> Stake:
    """Return one stake for all that are settled alike: what is worth less than half a unit.

    Any share of half a unit rounds to the same by every policy, so the shares that an endless
    halving makes are finitely many.
    """
    covered = table is not None and stake.state in table.covers
    share = stake.share
    if share and stake.worth <= Fraction(1, 2):
        share = Fraction(1, 4 * stake.amount)
    return evolve(stake, share=share, insured=covered)
