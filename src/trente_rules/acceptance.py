"""Acceptance: which stakes a house takes for a coup, and which of them it insures. Pure.

A stake outside the rules is refused with a stable code and a sentence; nothing is clamped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from trente_rules.errors import BetError, Refusal, RuleError
from trente_rules.house.house import House
from trente_rules.rules.chances import Chance, Verdict
from trente_rules.rules.insurance import InsuranceTable
from trente_rules.rules.machine import FREE, Course
from trente_rules.stakes import History, Opening, Stake

_NO_HISTORY: Final = History()
_NO_OPENING: Final = Opening()


def refusals(
    house: House,
    stakes: Iterable[Stake],
    history: History = _NO_HISTORY,
    *,
    opening: Opening = _NO_OPENING,
) -> tuple[Refusal, ...]:
    """Answer why stakes for one coup are not accepted; nothing where all are.

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
    """Answer the courses of a stake under a verdict; ``BetError`` where there are none."""
    try:
        return house.machine_of(house.chance(stake.chance)).courses(stake.state, verdict)
    except RuleError as error:
        raise BetError(
            f"stake {stake.id!r}: {error.message}", error.code, error.hint, stake.id
        ) from error


def insured_by(house: House, stake: Stake) -> InsuranceTable | None:
    """Answer the table that insures a stake, None if it is not insured.

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
