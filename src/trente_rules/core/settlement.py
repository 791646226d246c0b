"""Settlement: which stakes a house takes for a coup, and what each is settled for. Pure.

The stake machine of the house says which share of a stake is returned and which stays; a wager
turns shares into units. The whole amount of a stake stays on the table until it leaves; only money
that leaves is rounded, once, by the policy of the house, and never above what is left of the stake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import lcm
from typing import Final, NamedTuple

from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.errors import BetError, Refusal, RuleError
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE, Course, place
from trente_rules.core.money import MOST
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.stakes import (
    VOID,
    Choice,
    History,
    Line,
    Opening,
    Settlement,
    Stake,
    lesser,
    line_of,
)
from trente_rules.core.wager import Wager, continued

_NO_HISTORY: Final = History()
_NO_OPENING: Final = Opening()


def refusals(
    house: House,
    stakes: Iterable[Stake],
    history: History = _NO_HISTORY,
    *,
    opening: Opening = _NO_OPENING,
) -> tuple[Refusal, ...]:
    """Return the reasons why stakes for one coup are not accepted; empty if all are accepted.

    All stakes of the coup are given together, prisoners among them (limits do not count those).
    ``history`` holds the coups before, for houses that limit how fast stakes rise. Raises
    ``BetError`` ("opening-needed", "no-such-table") where the limits are not known.
    """
    placed = tuple(stakes)
    limits = house.limits_table

    def limited(known: Sequence[Stake], _lost: Sequence[Stake]) -> Iterable[Refusal]:
        return limits.refusals(known, history, opening)

    try:
        return tuple(_refusals(house, placed, opening, limited))
    except BaseException as error:
        house.blame(error)
        raise


def refusals_near(
    house: House,
    changed: str,
    near: Sequence[Stake],
    totals: Mapping[str, int],
    count: int,
    history: History,
    *,
    opening: Opening = _NO_OPENING,
) -> tuple[Refusal, ...]:
    """Return what ``refusals`` returns after a change of one stake, by the stakes near it alone.

    ``changed`` is the id of the stake. ``near`` are the stakes of its owner and of those who bet
    together with the owner, in order of placing, the changed one as it would be, or without it
    where it was taken back. ``totals`` are the free units of all players on each chance and
    ``count`` is how many free stakes they have, with the change. All other stakes were accepted
    before, and no other has its id. Not for limits that are ``sees_all``.
    """
    try:
        limits = house.limits_table

        def limited(known: Sequence[Stake], lost: Sequence[Stake]) -> Iterable[Refusal]:
            sums, number = totals, count
            if lost:  # what cannot be settled at all counts towards no limit
                sums = dict(totals)
                for stake in lost:
                    if stake.free:
                        sums[stake.chance] -= stake.amount
                        number -= 1
            return limits.refusals_near(changed, known, sums, number, history, opening)

        return tuple(_refusals(house, near, opening, limited))
    except BaseException as error:
        house.blame(error)
        raise


class Terms(NamedTuple):
    """The terms of a stake that is surely accepted if its player has no other.

    Its amount is a multiple of ``step`` from ``least`` to ``most``. ``wager`` has the premium of an
    insured one, None where no premium is paid.
    """

    least: int
    most: int
    step: int
    wager: Wager | None


class TermsOf(dict[tuple[str, bool], "Terms | None"]):
    """The terms under one opening, by chance and whether it is insured, found when first needed.

    None leaves it open whether a stake is accepted: ``refusals_near`` then says. So it is where all
    players together are limited, and for stakes without proof of their premium.
    """

    def __init__(self, house: House, opening: Opening) -> None:
        """Begin without terms."""
        super().__init__()
        self._house, self.opening = house, opening

    def __missing__(self, key: tuple[str, bool]) -> Terms | None:
        """Work out terms, once for each wager of the house."""
        wager = self._house.wagers.get(key)
        if wager is None:  # never kept: players may name anything
            return None
        found = self[key] = self._terms(wager)
        return found

    def _terms(self, wager: Wager) -> Terms | None:
        house, table = self._house, wager.insurance
        simple = wager.chance.simple or not house.side_bets
        limits = house.limits_table
        if house.money.rounding == "refuse" or not (simple and limits.alone):
            return None
        try:
            bounds = limits.bounds(self.opening, wager.chance.id)
        except BetError:  # the limits are not known: that is said where a stake is refused
            return None
        least, step, most = max(bounds.least, 1), bounds.step, lesser(bounds.most, MOST) or MOST
        if table is None:
            return Terms(least, most, step, None)
        if FREE not in table.covers or type(table) is not InsuranceTable:
            return None  # a rule of a plugin may look at more
        least = max(least, table.minimum_stake, self.opening.insurance_minimum or 0)
        most = min(most, table.maximum_stake or most)
        return Terms(least, most, lcm(step, table.multiple or 1), wager)


_MOST_OPENINGS: Final = 64


def terms_of(house: House, opening: Opening) -> TermsOf:
    """Return the terms of stakes under an opening; those of the last openings are remembered."""
    # By the identity of the opening, since its hash takes ten times as long.
    known: TermsOf | None = house.terms.get(id(opening))
    if known is None or known.opening is not opening:
        if len(house.terms) >= _MOST_OPENINGS:
            house.terms.clear()
        known = house.terms[id(opening)] = TermsOf(house, opening)
    return known


def _refusals(
    house: House,
    placed: Sequence[Stake],
    opening: Opening,
    limited: Callable[[Sequence[Stake], Sequence[Stake]], Iterable[Refusal]],
) -> Iterator[Refusal]:
    """Yield the refusals of stakes.

    ``limited`` takes the stakes that can be settled, and those that cannot, and gives the refusals
    of the limits.
    """
    seen: set[str] = set()
    known: list[Stake] = []
    lost: list[Stake] = []
    refused: list[Refusal] = []
    exact_only, wagers = house.money.rounding == "refuse", house.wagers
    for stake in placed:
        if stake.id in seen:
            yield double_stake(stake.id)
        seen.add(stake.id)
        try:
            wager = wagers.get((stake.chance, stake.insured))
            if wager is None or stake.insured or stake.covered:
                wager = wager_of(house, stake)
            if not stake.free:
                wager.offered(stake, Verdict.CLOSE)
        except BetError as error:
            yield Refusal(error.code, str(error), stake.id, _insurance_values(house, stake))
            lost.append(stake)
            continue
        known.append(stake)
        posted = opening.insurance_minimum
        if posted is not None and wager.insured and stake.free and stake.amount < posted:
            why = f"only stakes of {house.money.text(posted)} or more are insured today"
            values = (("amount", stake.amount), ("minimum", posted))
            refused.append(Refusal("insurance-below-minimum", why, stake.id, values))
        if exact_only and (stake.free or stake.insured) and not wager.exact(stake):
            amount, unit = house.money.text(stake.amount), house.money.text(1)
            why = f"a stake of {amount} could not be settled to the unit of {unit}"
            values = (("amount", stake.amount), ("unit", 1))
            refused.append(Refusal("inexact", why, stake.id, values))
    refused.extend(limited(known, lost))
    yield from refused
    yield from _needs(house, known, {refusal.stake for refusal in refused})


def double_stake(stake: str) -> Refusal:
    """Return the refusal of a second stake of the same id."""
    return Refusal("double-stake", f"two stakes have the id {stake!r}", stake, (("stake", stake),))


def _needs(house: House, known: Sequence[Stake], refused: set[str]) -> Iterator[Refusal]:
    """Refuse side bets of players who have no accepted stake on a simple chance."""
    if not house.side_bets:
        return
    owners = {
        stake.owner
        for stake in known
        if stake.free and stake.id not in refused and stake.chance in house.deal.chances
    }
    for stake in known:
        if house.chance(stake.chance).needs == "simple" and stake.owner not in owners:
            why = f"{stake.chance} is taken only with a stake on a simple chance in the same coup"
            yield Refusal("needs-simple", why, stake.id, (("chance", stake.chance),))


def _insurance_values(house: House, stake: Stake) -> tuple[tuple[str, int | str], ...]:
    """Return the values of a stake that has no wager: what it is, and what can be insured."""
    wager = house.wagers.get((stake.chance, True))
    values = (("amount", stake.amount), ("chance", stake.chance), ("state", stake.state))
    if wager is None or wager.insurance is None:
        return values
    table = wager.insurance
    bounds = ("minimum", table.minimum_stake), ("multiple", table.multiple)
    return (*values, *bounds, ("maximum", table.maximum_stake))


def wager_of(house: House, stake: Stake) -> Wager:
    """Return the wager of a stake; the uninsured one where the proof of a premium is missing.

    Raises ``BetError``: "unknown-chance", and the codes of insurance that this house does not give.
    """
    if not stake.insured and not stake.covered:
        return house.wager(stake.chance)
    plain, wager = house.wager(stake.chance), house.wagers.get((stake.chance, True))
    table = wager.insurance if wager is not None else None
    code, why = "", ""
    if stake.covered and not stake.insured:  # its premium was paid in an earlier coup
        acts = wager is not None and table is not None and stake.state in table.covers
        return wager if wager is not None and acts else plain
    if wager is None or table is None:
        code, why = "no-insurance", f"{house.name} does not insure stakes on {stake.chance}"
    elif stake.state not in table.covers:
        code, why = "not-covered", f"insurance does not cover stakes in {stake.state}"
    elif table.proof_needed and not stake.proof:
        if table.without_proof == "uninsured":
            return plain
        code, why = "insurance-without-proof", "there is no proof that the premium was paid"
    else:
        code = table.refusal(stake.amount, free=stake.free)
        if code == "insurance-above-maximum":
            why = f"only stakes of {house.money.text(table.maximum_stake)} or less can be insured"
        elif code == "insurance-below-minimum":
            why = f"only stakes of {house.money.text(table.minimum_stake)} or more can be insured"
        elif code:
            why = f"only multiples of {house.money.text(table.multiple)} can be insured"
    if wager is None or code:
        raise BetError(f"stake {stake.id!r}: {why}", code, "place it uninsured", stake.id)
    return wager


def settle(
    house: House,
    coup: Coup,
    stakes: Iterable[Stake],
    choices: Iterable[Choice] = (),
    *,
    opening: Opening = _NO_OPENING,
) -> Settlement:
    """Return the settlement of a coup.

    Stakes are given in the order they lie on the cloth, from the nearest or from the left; where
    the house settles by position, their positions count. Without a choice the default course is
    taken. ``opening`` is needed where a course depends on a minimum that is set when the table
    opens.

    Raises ``BetError``: "unknown-chance", "unknown-state", "double-stake", "unknown-stake",
    "unknown-course", "course-not-offered", "double-choice", "opening-needed", and the codes of
    insurance that is not available ("no-insurance", "not-covered", "insurance-below-minimum",
    "insurance-not-multiple", "insurance-above-maximum", "insurance-without-proof").
    """
    placed = _distinct(stakes)
    chosen = _choices(house, placed, choices)
    alike: dict[object, Line] = {}  # free stakes that differ in their id and owner alone
    wagers = house.wagers  # a dictionary: a call for each stake would take longer than its lookup
    outcome = coup.outcome
    lines = []
    try:
        for stake in placed:
            plain = not chosen and stake.state == FREE
            kind = (stake.chance, stake.amount, stake.insured, stake.proof)
            if plain and kind in alike:
                lines.append(line_of(stake, alike[kind]))
                continue
            wager = wagers.get((stake.chance, False))
            if wager is None or stake.insured or stake.covered:
                wager = wager_of(house, stake)
            verdict = wager.chance.verdicts[wager.chance.table[outcome]]
            course = chosen.get((stake.id, stake.state, verdict), "") if chosen else ""
            line = wager.settle(stake, verdict, course, opening=opening)
            lines.append(line)
            if plain and line.after is None:
                alike[kind] = line
    except Exception as error:  # costs nothing where no rule of a plugin raises
        house.blame(error)
        raise
    return Settlement(coup, _in_order(house, lines))


def close_session(
    house: House, stakes: Iterable[Stake], *, opening: Opening = _NO_OPENING
) -> Settlement:
    """Close the session: return free stakes, and the part of prisoners that the house decides."""
    lines = [
        wager_of(house, stake).settle(stake, Verdict.CLOSE, opening=opening)
        for stake in _distinct(stakes)
    ]
    return Settlement(None, _in_order(house, lines))


def void_coup(house: House, stakes: Iterable[Stake]) -> Settlement:
    """Void a coup: return free stakes and premiums, leave prisoners as they were."""
    placed = [(stake, wager_of(house, stake)) for stake in _distinct(stakes)]
    lines = (
        Line(
            stake,
            Verdict.APRES,
            VOID,
            returned=stake.standing if stake.free else 0,
            staying=0 if stake.free else stake.standing,
            after=None if stake.free else continued(stake, stake.state, covered=stake.covered),
            insured=wager.insured,
            premium_returned=0 if stake.covered else wager.premium(stake.worth).units,
        )
        for stake, wager in placed
    )
    return Settlement(None, tuple(lines))


def courses(
    house: House, stake: Stake, verdict: Verdict, *, opening: Opening = _NO_OPENING
) -> tuple[Course, ...]:
    """Return the courses that a player is offered for a stake; see ``Wager.offered``."""
    return wager_of(house, stake).offered(stake, verdict, opening=opening)


def _distinct(stakes: Iterable[Stake]) -> tuple[Stake, ...]:
    placed = tuple(stakes)
    ids = [stake.id for stake in placed]
    if len(set(ids)) < len(placed):
        double = next(name for name in ids if ids.count(name) > 1)
        why, hint = f"two stakes have the id {double!r}", "give each a separate id"
        raise BetError(why, "double-stake", hint, double)
    return placed


def _choices(
    house: House, placed: Sequence[Stake], choices: Iterable[Choice]
) -> dict[tuple[str, str, Verdict], str]:
    chosen: dict[tuple[str, str, Verdict], str] = {}
    if not choices:
        return chosen
    by_id = {stake.id: stake for stake in placed}
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
            wager = house.wagers.get((stake.chance, False)) or house.wager(stake.chance)
            known = wager.courses(choice.state, choice.verdict)
        except RuleError as error:
            raise BetError(error.message, error.code, error.hint, stake.id) from error
        if choice.course not in (course.name for course in known):
            raise BetError(
                f"{choice.course!r} is not a course of {place(choice.state, choice.verdict)}",
                "unknown-course",
                f"courses are {', '.join(course.name for course in known)}",
                stake.id,
            )
        key = (choice.stake, choice.state, choice.verdict)
        if chosen.setdefault(key, choice.course) != choice.course:
            raise BetError(
                f"stake {stake.id!r} has the choices {chosen[key]!r} and {choice.course!r} at once",
                "double-choice",
                "give one choice for a state and verdict",
                stake.id,
            )
    return chosen


def _in_order(house: House, lines: Sequence[Line]) -> tuple[Line, ...]:
    if len(lines) < 2:  # noqa: PLR2004 - one line has no order
        return tuple(lines)
    return house.settlement.settled(lines, house.pay_ranks)
