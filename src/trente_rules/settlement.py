"""Settlement: a coup and the stakes in, what becomes of each stake out. Pure.

The stake machine of the house says which share of a stake is handed back and which stays; here
shares become units. The whole amount of a stake stays on the table until it leaves; only money that
leaves is rounded, once, by the policy of the house, and never above what is left of the stake.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from trente_rules.acceptance import courses_of, insured_by
from trente_rules.deal.coup import Coup
from trente_rules.errors import BetError, RuleError
from trente_rules.house.house import House
from trente_rules.lines import Choice, Line, Settlement
from trente_rules.money import NOUGHT, ONE, round_to_player
from trente_rules.rules.chances import VERDICTS, Verdict
from trente_rules.rules.insurance import InsuranceTable
from trente_rules.rules.machine import FREE, Course
from trente_rules.stakes import History, Opening, Stake

VOID: Final = "void"
"""The course of every stake of a coup that is void."""
_NO_HISTORY: Final = History()
_NO_OPENING: Final = Opening()


def settle(
    house: House,
    coup: Coup,
    stakes: Iterable[Stake],
    choices: Iterable[Choice] = (),
    *,
    opening: Opening = _NO_OPENING,
) -> Settlement:
    """Settle a coup.

    Stakes are told in the order they lie on the cloth, from the nearest or from the left. Without a
    choice the default course is taken. ``opening`` is needed where a course depends on a minimum
    that is set when the table opens.

    Raises ``BetError``: "unknown-chance", "unknown-state", "double-stake", "unknown-stake",
    "unknown-course", "course-not-offered", "double-choice", "opening-needed", and the codes of
    insurance that is not to be had ("no-insurance", "not-covered", "insurance-below-minimum",
    "insurance-not-multiple", "insurance-without-proof").
    """
    placed = _distinct(stakes)
    chosen = _choices(house, placed, choices)
    outcome = coup.outcome
    lines = []
    for stake in placed:
        verdict = VERDICTS[house.chance(stake.chance).verdicts[outcome]]
        course = chosen.get((stake.id, stake.state, verdict), "") if chosen else ""
        lines.append(settle_stake(house, stake, verdict, course, opening=opening))
    return Settlement(coup, _in_order(house, lines))


def close_session(
    house: House, stakes: Iterable[Stake], *, opening: Opening = _NO_OPENING
) -> Settlement:
    """Close the session: free stakes are taken back, prisoners handed back what the house says."""
    lines = [
        settle_stake(house, stake, Verdict.CLOSE, opening=opening) for stake in _distinct(stakes)
    ]
    return Settlement(None, _in_order(house, lines))


def void_coup(house: House, stakes: Iterable[Stake]) -> Settlement:
    """Void a coup: free stakes and premiums are handed back, prisoners stay as they were."""
    lines = []
    for stake in _distinct(stakes):
        table = insured_by(house, stake)
        premium = table.premium(stake.worth, house.money.rounding).units if table else 0
        lines.append(
            Line(
                stake,
                Verdict.APRES,
                VOID,
                returned=stake.standing if stake.free else 0,
                staying=0 if stake.free else stake.standing,
                after=None if stake.free else _uninsured(stake),
                insured=table is not None,
                premium_returned=premium,
            )
        )
    return Settlement(None, tuple(lines))


def settle_stake(
    house: House,
    stake: Stake,
    verdict: Verdict,
    course: str = "",
    *,
    opening: Opening = _NO_OPENING,
) -> Line:
    """Settle one stake under a verdict, by the course named or the default; see ``settle``."""
    table = insured_by(house, stake) if stake.insured else None
    taken = _course(house, stake, verdict, course, opening, table)
    back, residue = _handed_back(house, stake, taken)
    won = 0
    if verdict is Verdict.WIN and stake.state == FREE:
        won, more = winnings(house, stake)
        residue = residue + more if more else residue
    left = stake.amount - stake.handed_back - back
    premium = kept = 0
    premium_residue = NOUGHT
    if table:
        rounded = table.premium(stake.worth, house.money.rounding)
        premium = rounded.units
        if verdict in table.kept:
            kept, premium_residue = premium, -rounded.residue
    # By position: this is what a table does most.
    if taken.staying is not NOUGHT and taken.staying and left > 0:
        after = _goes_on(stake, taken, back)
        forfeited, staying = 0, left
    else:
        after = None
        forfeited, staying = left, 0
    return Line(
        stake,
        verdict,
        taken.name,
        back,
        won,
        forfeited,
        staying,
        after,
        table is not None,
        kept,
        premium - kept,
        residue,
        premium_residue if kept else NOUGHT,
    )


def courses(
    house: House, stake: Stake, verdict: Verdict, *, opening: Opening = _NO_OPENING
) -> tuple[Course, ...]:
    """Answer the courses that a player is offered for a stake, the default first.

    A course that hands back less than the minimum is left out where the house says so (Spain 1979);
    where the house refuses to round, an inexact course is left out if another is exact.
    """
    return _offered(house, stake, verdict, opening, insured_by(house, stake))


def winnings(house: House, stake: Stake) -> tuple[int, Fraction]:
    """Answer what a free stake wins, in units, and the residue."""
    odds = house.chance(stake.chance).odds
    if odds.denominator == 1:
        return stake.amount * odds.numerator, NOUGHT
    paid = round_to_player(stake.amount * odds, house.money.rounding)
    return paid.units, paid.residue


def _distinct(stakes: Iterable[Stake]) -> tuple[Stake, ...]:
    placed = tuple(stakes)
    ids = [stake.id for stake in placed]
    if len(set(ids)) < len(placed):
        double = next(name for name in ids if ids.count(name) > 1)
        raise BetError(
            f"two stakes have the id {double!r}", "double-stake", "give each its own", double
        )
    return placed


def _choices(
    house: House, placed: Sequence[Stake], choices: Iterable[Choice]
) -> dict[tuple[str, str, Verdict], str]:
    by_id = {stake.id: stake for stake in placed}
    chosen: dict[tuple[str, str, Verdict], str] = {}
    for choice in choices:
        stake = by_id.get(choice.stake)
        if stake is None:
            raise BetError(
                f"a choice names stake {choice.stake!r}, which is not on the table",
                "unknown-stake",
                f"stakes are {', '.join(by_id) or 'none'}",
                choice.stake,
            )
        try:
            machine = house.machine_of(house.chance(stake.chance))
            machine.course(choice.state, choice.verdict, choice.course)
        except RuleError as error:
            raise BetError(error.message, error.code, error.hint, stake.id) from error
        key = (choice.stake, choice.state, choice.verdict)
        if chosen.setdefault(key, choice.course) != choice.course:
            raise BetError(
                f"stake {stake.id!r} is chosen {chosen[key]!r} and {choice.course!r} for at once",
                "double-choice",
                "give one choice for a state and verdict",
                stake.id,
            )
    return chosen


def _offered(
    house: House, stake: Stake, verdict: Verdict, opening: Opening, table: InsuranceTable | None
) -> tuple[Course, ...]:
    if table and verdict is Verdict.REFAIT:
        return (table.on_refait(stake.state),)
    offered = courses_of(house, stake, verdict)
    if len(offered) == 1:
        return offered
    if any(course.not_below == "minimum" for course in offered):
        minimum = house.limiter.minimum(opening, stake.chance)
        offered = tuple(
            course
            for course in offered
            if course.not_below == "none" or _handed_back(house, stake, course)[0] >= minimum
        )
    if house.money.rounding == "refuse":
        exact = tuple(c for c in offered if (stake.worth * c.returned).denominator == 1)
        offered = exact or offered
    return offered


def _course(
    house: House,
    stake: Stake,
    verdict: Verdict,
    name: str,
    opening: Opening,
    table: InsuranceTable | None,
) -> Course:
    if table is None:
        all_courses = courses_of(house, stake, verdict)
        if len(all_courses) == 1 and name in ("", all_courses[0].name):
            return all_courses[0]
    offered = _offered(house, stake, verdict, opening, table)
    if not name or (table and verdict is Verdict.REFAIT):
        return offered[0]
    for course in offered:
        if course.name == name:
            return course
    raise BetError(
        f"stake {stake.id!r} is not offered the course {name!r}",
        "course-not-offered",
        f"offered: {', '.join(course.name for course in offered)}",
        stake.id,
    )


def _handed_back(house: House, stake: Stake, course: Course) -> tuple[int, Fraction]:
    """Answer the units a course hands back, and the residue."""
    share = course.returned
    if not share.numerator:
        return 0, NOUGHT
    if stake.state == FREE and share.denominator == 1:  # all of it: a free stake is whole
        return stake.amount, NOUGHT
    exact = stake.amount * stake.share * course.returned
    units = min(round_to_player(exact, house.money.rounding).units, stake.standing)
    return units, exact - units


def _goes_on(stake: Stake, course: Course, back: int) -> Stake:
    return Stake(
        id=stake.id,
        owner=stake.owner,
        chance=stake.chance,
        amount=stake.amount,
        state=course.state,
        share=stake.share * course.staying,
        handed_back=stake.handed_back + back,
        group=stake.group,
    )


def _uninsured(stake: Stake) -> Stake:
    """Answer the stake for the next coup: a premium covers one coup."""
    return _goes_on(stake, Course("", staying=ONE, state=stake.state), 0)


def _in_order(house: House, lines: Sequence[Line]) -> tuple[Line, ...]:
    """Put lines in the order the house settles: losers taken first, then the chances as paid."""
    order = house.settlement
    if order.order == "as-placed" or len(lines) < 2:  # noqa: PLR2004 - one line has no order
        return tuple(lines)
    lost: list[Line] = []
    kept: list[Line] = []
    for line in lines:
        (lost if line.forfeited and not line.returned else kept).append(line)
    if order.collect_backwards:
        lost.reverse()
    if order.pay_backwards:
        kept.reverse()
    if len(kept) > 1:
        ranks = house.pay_ranks
        kept.sort(key=lambda line: ranks[line.stake.chance])
    return (*lost, *kept)
