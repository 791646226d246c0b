"""Settlement: a coup and the stakes in, what becomes of each stake out. Pure.

The stake machine of the house says which share of a stake is handed back and which stays; here
shares become units. The whole amount of a stake stays on the table until it leaves; only money that
leaves is rounded, once, by the policy of the house, and never above what is left of the stake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final

from trente_rules.core.chances import VERDICTS, Chance, Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.errors import BetError, Refusal, RuleError
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE, Course
from trente_rules.core.money import NOUGHT, ONE, round_to_player
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.stakes import Choice, History, Line, Opening, Settlement, Stake

# --- Acceptance: which stakes a house takes for a coup, and which of them it insures. Pure

_NO_HISTORY: Final = History()
_NO_OPENING: Final = Opening()


def refusals(
    house: House,
    stakes: Iterable[Stake],
    history: History = _NO_HISTORY,
    *,
    opening: Opening = _NO_OPENING,
) -> tuple[Refusal, ...]:
    """Return why stakes for one coup are not accepted; nothing where all are.

    All stakes of the coup are told together, prisoners among them (limits do not count those).
    ``history`` holds the coups before, for houses that limit how fast stakes rise. Raises
    ``BetError`` ("opening-needed", "no-such-table") where the limits are not known.
    """
    placed = tuple(stakes)
    return tuple(_refusals(house, placed, history, opening))


def _refusals(
    house: House, placed: Sequence[Stake], history: History, opening: Opening
) -> Iterator[Refusal]:
    seen: set[str] = set()
    known: list[Stake] = []
    refused: list[Refusal] = []
    exact_only = house.money.rounding == "refuse"
    for stake in placed:
        if stake.id in seen:
            yield Refusal("double-stake", f"two stakes have the id {stake.id!r}", stake.id)
        seen.add(stake.id)
        try:
            chance = house.chance(stake.chance)
            if not stake.free:
                courses_of(house, stake, Verdict.CLOSE)
            if stake.insured:
                insured_by(house, stake)
        except BetError as error:
            yield Refusal(error.code, str(error), stake.id)
            continue
        known.append(stake)
        if exact_only and (stake.free or stake.insured):
            refused.extend(inexact(house, stake, chance))
    refused.extend(house.limiter.refusals(known, history, opening))
    yield from refused
    yield from _needs(house, known, {refusal.stake for refusal in refused})


def _needs(house: House, known: Sequence[Stake], refused: set[str]) -> Iterator[Refusal]:
    """Refuse side bets of players who have no accepted stake on a simple chance beside them."""
    if not house.side_bets:
        return
    beside = {
        stake.owner
        for stake in known
        if stake.free and stake.id not in refused and stake.chance in house.deal.chances
    }
    for stake in known:
        if house.chance(stake.chance).needs == "simple" and stake.owner not in beside:
            yield Refusal(
                "needs-simple",
                f"{stake.chance} is taken only with a stake on a simple chance in the same coup",
                stake.id,
            )


def inexact(house: House, stake: Stake, chance: Chance) -> Iterator[Refusal]:
    """Refuse what could not be settled to the unit, where the house refuses to round.

    Of a stake in prison, which stands already, that is the premium alone.
    """
    if house.money.rounding != "refuse":
        return
    table = insured_by(house, stake)
    amounts = [table.premium(stake.worth, "refuse").residue] if table else []
    if stake.free:
        amounts.append(stake.amount * chance.odds)
        for verdict, offered in house.machine_of(chance).occurring(FREE):
            if not (table and verdict is Verdict.REFAIT):  # insured, it is handed back whole
                amounts.extend(stake.amount * course.returned for course in offered)
    if any(amount.denominator != 1 for amount in amounts):
        yield Refusal(
            "inexact",
            f"a stake of {house.money.text(stake.amount)} could not be settled to the unit of "
            f"{house.money.text(1)}",
            stake.id,
        )


def courses_of(house: House, stake: Stake, verdict: Verdict) -> tuple[Course, ...]:
    """Return the courses of a stake under a verdict; ``BetError`` where there are none."""
    try:
        return house.machine_of(house.chance(stake.chance)).courses(stake.state, verdict)
    except RuleError as error:
        raise BetError(
            f"stake {stake.id!r}: {error.message}", error.code, error.hint, stake.id
        ) from error


def insured_by(house: House, stake: Stake) -> InsuranceTable | None:
    """Return the table that insures a stake, None if it is not insured.

    Raises ``BetError`` where insurance is asked for that this house does not give.
    """
    if not stake.insured:
        return None
    table = house.insurance_table
    code, why = "", ""
    if table is None or not house.chance(stake.chance).simple:
        code, why = "no-insurance", f"{house.name} does not insure stakes on {stake.chance}"
    elif stake.state not in table.covers:
        code, why = "not-covered", f"insurance does not cover stakes in {stake.state}"
    elif table.proof_needed and not stake.proof:
        if table.without_proof == "uninsured":
            return None
        code, why = "insurance-without-proof", "there is no proof that the premium was paid"
    elif stake.free:
        code = table.refusal(stake.amount)
        least, step = (house.money.text(n) for n in (table.minimum_stake, table.multiple))
        why = (
            f"only stakes of {least} or more can be insured"
            if code == "insurance-below-minimum"
            else f"only multiples of {step} can be insured"
        )
    if code:
        raise BetError(f"stake {stake.id!r}: {why}", code, "place it uninsured", stake.id)
    return table


VOID: Final = "void"
"""The course of every stake of a coup that is void."""


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
    """Return the courses that a player is offered for a stake, the default first.

    A course that hands back less than the minimum is left out where the house says so (Spain 1979);
    where the house refuses to round, an inexact course is left out if another is exact.
    """
    return _offered(house, stake, verdict, opening, insured_by(house, stake))


def winnings(house: House, stake: Stake) -> tuple[int, Fraction]:
    """Return what a free stake wins, in units, and the residue."""
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
    """Return the units a course hands back, and the residue."""
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
    """Return the stake for the next coup: a premium covers one coup."""
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
