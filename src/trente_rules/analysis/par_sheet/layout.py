"""A PAR sheet laid out: sections of sentences, lists and tables, for text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trente_rules.analysis.comparison import exact_text
from trente_rules.analysis.par_sheet.stake_layout import insurance_section, stakes_section
from trente_rules.analysis.par_sheet.tailles import infinite_q
from trente_rules.analysis.par_sheet.values import PER_COUP, PER_STAKE, ParSheet
from trente_rules.analysis.par_sheet.wording import (
    COUPS,
    TAILLE,
    alike,
    deal_text,
    decimal,
    ending_text,
    estimate,
    grid,
    insured_text,
    mark,
    one_in,
    percent,
    place_text,
)
from trente_rules.house.rulebook.book import Block, Items, Rulebook, Section
from trente_rules.house.rulebook.render import as_markdown, as_text

POINTS: Final = "Points and ties"
ADVANTAGE: Final = "Odds and advantage"
"""The titles of the sections that have figures beside them."""


def laid_out(sheet: ParSheet) -> Rulebook:
    """Lay a sheet out."""
    house = sheet.house
    return Rulebook(
        "en",
        f"PAR sheet: {house.title}",
        "The mathematical report of one house. Every section names the basis and the deal of its "
        "figures.",
        tuple(_sections(sheet)),
    )


def sheet_text(sheet: ParSheet) -> str:
    """Answer a sheet as plain text."""
    return as_text(laid_out(sheet))


def sheet_markdown(sheet: ParSheet) -> str:
    """Answer a sheet as Markdown."""
    return as_markdown(laid_out(sheet))


def _sections(sheet: ParSheet) -> Iterator[Section]:
    deal = deal_text(sheet.deal)
    yield Section("Stamp", (Items(tuple(_stamp(sheet))),))
    yield Section(f"{POINTS} ({PER_COUP}; {deal})", tuple(_points(sheet)))
    yield Section(f"Chances ({PER_COUP}; {deal})", tuple(_chances(sheet)))
    yield Section(f"{ADVANTAGE} ({PER_STAKE}; {deal})", tuple(_advantage(sheet)))
    yield Section(f"Results of one stake ({PER_STAKE}; {deal})", tuple(_results(sheet)))
    yield Section(f"Return after many coups ({PER_STAKE}; {deal})", tuple(_bands(sheet)))
    yield stakes_section(sheet)
    if house_insures(sheet):
        yield insurance_section(sheet)
    yield Section(f"Coups of a taille ({TAILLE})", tuple(_tailles(sheet)))
    yield Section("Sources of error", (Items(tuple(_errors(sheet))),))


def house_insures(sheet: ParSheet) -> bool:
    """Tell whether the house insures free stakes."""
    return any(stake.insurance for stake in sheet.stakes)


def _stamp(sheet: ParSheet) -> Iterator[str]:
    house = sheet.house
    yield f"House: {house.title} ({house.name})"
    yield f"Fingerprint of the rules: {house.fingerprint}"
    yield f"trente-rules {sheet.version}"
    yield f"Command: {sheet.command}"
    yield f"Deal of the odds: {deal_text(sheet.deal)} ({sheet.deal})"
    yield (
        f"Basis: {PER_COUP} for points and chances, {PER_STAKE} for wagers unless another is "
        "named; what becomes of a stake in prison belongs to the coup it was placed on"
    )
    yield f"z of volatility index and bands: {sheet.z:g}"
    yield f"Unit: {house.money.text(1)}; rounding: {house.money.rounding}"


def _points(sheet: ParSheet) -> Iterator[Block]:
    q = sheet.q
    yield Items(
        (
            f"Refait q = {exact_text(q)}",
            f"q = {decimal(q, 14)}: {one_in(q)} coups",
            f"Other ties = {decimal(sheet.other_ties, 14)}: {one_in(sheet.other_ties)} coups",
        )
    )
    yield grid(
        ("point", "in a row", "tie at it", "a tie comes", "it is"),
        (
            (
                str(line.point),
                decimal(line.row, 12),
                decimal(line.tie, 14),
                one_in(line.tie),
                "refait" if line.refait else "apres",
            )
            for line in sheet.points
        ),
        ("in a row", "tie at it", "a tie comes"),
    )


def _chances(sheet: ParSheet) -> Iterator[Block]:
    names = ("win", "lose", "apres", "refait")
    yield grid(
        ("chance", *names),
        (
            (line.chance, *(decimal(getattr(line, name), 12) for name in names))
            for line in sheet.chances
        ),
        names,
    )


def _advantage(sheet: ParSheet) -> Iterator[Block]:
    edges = ("advantage", "per resolved", "per decided", "return")
    yield (
        "Advantage and return are per stake placed; per resolved leaves ordinary ties out of the "
        "coups counted, per decided counts wins and losses alone. Best and worst are meant for "
        "the player, among all ways to play a chance. True odds would make the wager fair."
    )
    yield grid(
        ("wager", "insurance", "policy", "rank", "payout odds", "true odds", *edges),
        (
            (
                name,
                insured_text(insured=line.wager.insured),
                str(line.wager.policy),
                mark(line),
                f"{decimal(line.payout_odds)} to 1",
                "-" if line.true_odds is None else f"{decimal(line.true_odds)} to 1",
                percent(line.wager.edge),
                percent(line.wager.per_resolved),
                percent(line.wager.per_decided),
                percent(line.returned),
            )
            for name, line in alike(sheet)
        ),
        ("payout odds", "true odds", *edges),
    )
    yield "The advantage as exact fractions:"
    yield Items(
        tuple(
            f"{name}{', insured' if line.wager.insured else ''}, {line.wager.policy}: "
            f"{exact_text(line.wager.edge)}"
            for name, line in alike(sheet)
        )
    )


def _results(sheet: ParSheet) -> Iterator[Block]:
    numbers = ("sd", "volatility", "hit frequency", "return = stake", "return < stake", "most won")
    yield (
        f"In stakes. The volatility index is {sheet.z:g} x sd. Hit frequency is the probability "
        "of a return above the stake; a stake in prison is followed until it leaves the table."
    )
    yield grid(
        ("wager", "insurance", "policy", *numbers),
        (
            (
                name,
                insured_text(insured=line.wager.insured),
                str(line.wager.policy),
                f"{line.wager.sd:.6f}",
                f"{line.volatility:.6f}",
                percent(line.more),
                percent(line.same),
                percent(line.less),
                decimal(line.most_won, 4),
            )
            for name, line in alike(sheet)
        ),
        numbers,
    )


def _bands(sheet: ParSheet) -> Iterator[Block]:
    columns = tuple(f"10^{len(str(coups)) - 1}" for coups in COUPS)
    yield (
        f"Mean return of one stake, and how far on each side of it (z = {sheet.z:g}) the mean of "
        "so many coups lies, each with a stake of its own."
    )
    yield grid(
        ("wager", "insurance", "policy", "return", *columns),
        (
            (
                name,
                insured_text(insured=line.wager.insured),
                str(line.wager.policy),
                percent(line.returned),
                *(f"+-{percent(line.band(coups).half, 4)}" for coups in COUPS),
            )
            for name, line in alike(sheet)
        ),
        ("return", *columns),
    )


def _tailles(sheet: ParSheet) -> Iterator[Block]:
    rule = sheet.house.shoe
    yield Items(
        (
            f"Packs: {rule.packs} of 52 cards; burned: {rule.burn}",
            f"End: {ending_text(sheet.house)}",
            (
                f"Estimates, +- their standard errors, of {sheet.tailles_dealt:,} shoes dealt by "
                f"tools/make_tailles.py from the seed {sheet.tailles_seed}"
            ),
            "Fewest and most coups: exact bounds",
        )
    )
    numbers = ("cards", "fewest", "most", "coups", "refaits", "refaits a completed coup")
    yield grid(
        ("marker", *numbers),
        (
            (
                place_text(line),
                *map(str, (line.cards, line.fewest, line.most)),
                estimate(line.coups),
                estimate(line.refaits),
                estimate(line.share, 6),
            )
            for line in sheet.tailles
        ),
        numbers,
    )
    line = sheet.tailles[0]
    if not line.q:
        return
    yield (
        f"The refaits of all completed coups of a taille, over those coups, are not q "
        f"({decimal(line.q, 6)} with {rule.packs} packs): coups with a refait take few cards, so "
        "the last coup that happens to be completed holds too many of them. Each coup that is "
        f"sure to be completed, here the first {line.fewest}, is a refait with probability q "
        f"exactly: {decimal(line.sure_refaits, 6)} refaits in them."
    )


def _errors(sheet: ParSheet) -> Iterator[str]:
    yield (
        "Exact, in fractions: points, ties, q, chances, true odds, advantages, returns, hit "
        "frequencies, probabilities of a return below the stake, most won, figures by stake, "
        "premiums, fewest and most coups. Decimals are these, rounded when they are written."
    )
    yield (
        "Model: all odds are of the deal named; the coups that a stake in prison waits for count "
        "as independent of the coup before. In a shoe they are not quite: which points are still "
        "in hangs a little on what was dealt; `trente compare --sequential` tells what that adds."
    )
    yield (
        "Double precision, 15 digits: standard deviation, volatility index, bands. The bands are "
        "the normal approximation for independent stakes: fair for the sums shown, rough for side "
        "bets that seldom win at 1,000 coups."
    )
    yield (
        f"Estimates, with standard errors: coups and refaits of a taille "
        f"({sheet.tailles_dealt:,} shoes)."
    )
    q = infinite_q(sheet.house)
    yield f"For comparison, q with an infinite pack is {decimal(q, 12)} ({one_in(q)})."
