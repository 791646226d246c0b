"""The advantage by stake: what rounding, least premiums and limits of the house make of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from trente_rules.acceptance import refusals
from trente_rules.analysis.advantage import Wager, advantage
from trente_rules.analysis.comparison import lowest_opening
from trente_rules.analysis.deal_odds import CoupOdds
from trente_rules.analysis.par_sheet.values import InsuredStake, StakeFigures, StakeWager
from trente_rules.errors import Refusal, TrenteError
from trente_rules.house.house import House
from trente_rules.rules.chances import Chance
from trente_rules.rules.machine import FREE
from trente_rules.stakes import Opening, Stake

SHOWN: Final = (1, 2, 3, 5, 10, 25, 100, 101)
"""The stakes, in units, that every sheet has figures for."""


def stake_limits(house: House) -> tuple[int | None, int | None]:
    """Answer the least and the greatest stake on a chance, in units, over all tables.

    None where the house sets it when the table opens, has none, or a plugin decides it.
    """
    pairs = getattr(house.limiter, "pairs", ())
    if not pairs or not pairs[0].minimum:
        return None, pairs[-1].maximum if pairs else None
    return pairs[0].minimum, pairs[-1].most


def stake_figures(
    house: House, odds: CoupOdds, nominal: Sequence[Wager], asked: int | None = None
) -> tuple[StakeFigures, ...]:
    """Answer the figures of the usual stakes, of the limits of the house, and of the one asked for.

    ``nominal`` are the wagers without a stake. Side bets are left out where they pay whole units,
    since then nothing is ever rounded.
    """
    least, greatest = stake_limits(house)
    names = {"minimum": least, "maximum": greatest, "asked": asked}
    amounts = sorted({*SHOWN, *(units for units in names.values() if units)})
    return tuple(
        _figures(
            house,
            odds,
            nominal,
            units,
            tuple(name for name, amount in names.items() if amount == units),
        )
        for units in amounts
    )


def _figures(
    house: House, odds: CoupOdds, nominal: Sequence[Wager], units: int, named: tuple[str, ...]
) -> StakeFigures:
    wagers: tuple[StakeWager, ...] = ()
    unknown = ""
    try:
        wagers = tuple(_wagers(house, odds, nominal, units))
    except TrenteError as error:
        if error.code != "too-many-states":
            raise
        unknown = error.message
    return StakeFigures(
        units=units,
        amount=house.money.text(units),
        named=named,
        refused=_refused(house, units),
        wagers=wagers,
        insurance=_insured(house, units),
        unknown=unknown,
    )


def _wagers(
    house: House, odds: CoupOdds, nominal: Sequence[Wager], units: int
) -> Iterator[StakeWager]:
    for chances in rounded_groups(house, odds):
        found = advantage(
            house,
            odds,
            chances=[chances[0].id],
            stake=units,
            opening=lowest_opening(house, units),
        )
        for wager in found.wagers:
            yield StakeWager(
                chances=tuple(chance.id for chance in chances),
                simple=chances[0].simple,
                wager=wager,
                nominal=_nominal(nominal, wager),
            )


def rounded_groups(house: House, odds: CoupOdds) -> tuple[tuple[Chance, ...], ...]:
    """Answer the chances whose settlement may be rounded, those with the same figures together."""
    groups: dict[object, list[Chance]] = {}
    for chance in house.chances:
        if chance.simple or chance.odds.denominator != 1:
            alike = odds.verdicts(chance.verdicts), chance.odds, chance.simple
            groups.setdefault(alike, []).append(chance)
    return tuple(map(tuple, groups.values()))


def _nominal(nominal: Sequence[Wager], wager: Wager) -> Fraction:
    """Answer the edge that is not rounded: of that policy, or the least of those it leaves open.

    A stake for which a course is not offered has policies of fewer choices; where none of the
    nominal ones makes its choices, the least of all stands beside it.
    """
    alike = [w for w in nominal if (w.chance, w.insured) == (wager.chance, wager.insured)]
    chosen = set(wager.policy.choices)
    same = [w.edge for w in alike if chosen <= set(w.policy.choices)]
    return min(same or [w.edge for w in alike])


def _refused(house: House, units: int) -> tuple[Refusal, ...]:
    """Answer why the house takes no such stake on its first chance, whatever a table opens with."""
    placed = [Stake("stake", "player", house.chances[0].id, units)]
    refused = refusals(house, placed, opening=lowest_opening(house, units))
    if refused and stake_limits(house)[0] is None:
        return refusals(house, placed, opening=Opening(units))
    return refused


def _insured(house: House, units: int) -> InsuredStake | None:
    table = house.insurance_table
    if table is None or FREE not in table.covers:
        return None
    premium = table.premium(units, house.money.rounding)
    refused = table.refusal(units)
    if not refused and premium.residue and house.money.rounding == "refuse":
        refused = "inexact"
    return InsuredStake(premium.units, Fraction(premium.units, units), refused)
