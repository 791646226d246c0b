"""The two sections of a PAR sheet that go by stake: advantage and insurance."""

from __future__ import annotations

from collections.abc import Iterator

from trente_rules.analysis.par_sheet.values import PER_STAKE, ParSheet, StakeFigures
from trente_rules.analysis.par_sheet.wording import (
    deal_text,
    grid,
    insured_text,
    percent,
    table_text,
    wager_text,
    warning,
)
from trente_rules.house.rulebook.book import Block, Items, Section


def stakes_section(sheet: ParSheet) -> Section:
    """Lay out the advantage by stake, and the warnings about rounding."""
    title = f"Advantage by stake, rounded as the house rounds ({PER_STAKE}; "
    return Section(f"{title}{deal_text(sheet.deal)})", tuple(_stakes(sheet)))


def _stakes(sheet: ParSheet) -> Iterator[Block]:
    money = sheet.house.money
    yield (
        f"Units of {money.text(1)}, rounding: {money.rounding}. Limits: {_limits(sheet)}. Rows of "
        "stakes that the table does not take are shown for comparison."
    )
    yield grid(
        ("stake", "taken", "wager", "insurance", "policy", "advantage", "nominal", "note"),
        (row for stake in sheet.stakes for row in _rows(sheet, stake)),
        ("advantage", "nominal"),
    )
    warnings = [text for stake in sheet.stakes for text in warning(stake, sheet)]
    if warnings:
        yield Items(tuple(warnings))
    if any(not c.simple and c.odds.denominator == 1 for c in sheet.house.chances):
        yield "Side bets that pay whole units for each unit are never rounded, and are left out."


def _limits(sheet: ParSheet) -> str:
    least, greatest = sheet.stake_limits
    text = sheet.house.money.text
    pairs = getattr(sheet.house.limiter, "pairs", ())
    many = pairs[0].multiple if pairs and least is None else None
    most = "no fixed greatest stake" if greatest is None else f"to {text(greatest)}"
    return ", ".join(
        (
            "a least stake set when the table opens" if least is None else f"from {text(least)}",
            most if many is None else f"to {many} times the least",
        )
    )


def _rows(sheet: ParSheet, stake: StakeFigures) -> Iterator[tuple[str, ...]]:
    amount = f"{stake.amount} ({', '.join(stake.named)})" if stake.named else stake.amount
    taken = table_text(stake)
    if not stake.wagers:
        yield amount, taken, "-", "-", stake.unknown or "no figures", "-", "-", ""
    for line in stake.wagers:
        yield (
            amount,
            taken,
            wager_text(sheet.house, line.chances),
            insured_text(insured=line.wager.insured),
            str(line.wager.policy),
            percent(line.wager.edge),
            percent(line.nominal),
            "warning" if line.moved else "",
        )


def insurance_section(sheet: ParSheet) -> Section:
    """Lay out what insurance costs by stake, and whether it is to be had."""
    title = f"Insurance by stake, rounded as the house rounds ({PER_STAKE}; "
    return Section(f"{title}{deal_text(sheet.deal)})", tuple(_insurance(sheet)))


def _insurance(sheet: ParSheet) -> Iterator[Block]:
    numbers = ("premium", "of the stake", "insured", "uninsured, least", "gain of the premium")
    yield (
        "Insured and uninsured are advantages of the bank, the least that the player's choices "
        "make. Gain is their difference in parts of the premium: below zero, the premium costs "
        "more than it saves."
    )
    yield grid(
        ("stake", "to be had", *numbers),
        (_insurance_row(sheet, stake) for stake in sheet.stakes),
        numbers,
    )


def _insurance_row(sheet: ParSheet, stake: StakeFigures) -> tuple[str, ...]:
    insurance = stake.insurance
    if insurance is None:  # a table either insures all stakes of a sheet or none
        return stake.amount, "no", "-", "-", "-", "-", "-"
    edges = (stake.least(insured=True), stake.least(insured=False))
    return (
        stake.amount,
        f"no: {insurance.refused}" if insurance.refused else _taken(stake),
        sheet.house.money.text(insurance.premium),
        percent(insurance.share, 3),
        *("-" if edge is None else percent(edge) for edge in edges),
        "-" if stake.gain is None else percent(stake.gain, 3),
    )


def _taken(stake: StakeFigures) -> str:
    return "yes, but the table takes no such stake" if stake.refused else "yes"
