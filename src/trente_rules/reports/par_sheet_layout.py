"""A PAR sheet laid out: sections of sentences, lists and tables, for text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final

from attrs import frozen

from trente_rules.core.house.house import House
from trente_rules.reports.comparison import chances_text, exact_text
from trente_rules.reports.document import (
    Block,
    Grid,
    Items,
    Rulebook,
    Section,
    as_markdown,
    as_text,
)
from trente_rules.reports.par_sheet import (
    PER_COUP,
    PER_STAKE,
    Estimate,
    ParSheet,
    StakeFigures,
    TailleFigures,
    WagerFigures,
    infinite_q,
)

# --- The words and numbers of a PAR sheet, as all its formats write them

COUPS: Final = tuple(10**power for power in range(3, 10))
"""The numbers of coups that a confidence band is told for."""
TAILLE: Final = "whole taille, the house's own shoe rule"


def deal_text(deal: str) -> str:
    """Return what odds are of: ``6 packs, first coup of a fresh full shoe``."""
    if deal == "infinite":
        return "infinite pack, every card put back"
    packs = deal.partition("-")[0]
    return f"{packs} pack{'' if packs == '1' else 's'}, first coup of a fresh full shoe"


def percent(part: Fraction | float, places: int = 5) -> str:
    """Return a part in per cent: ``1.09457 %``."""
    return f"{float(part) * 100:.{places}f} %"


def one_in(part: Fraction) -> str:
    """Return a probability as how many coups it comes once in: ``1 in 45.6801``."""
    return f"1 in {float(1 / part):.4f}" if part else "never"


def decimal(number: Fraction | float, places: int = 6) -> str:
    """Return a number with so many decimals, a whole one without any."""
    if isinstance(number, Fraction) and number.denominator == 1:
        return str(number.numerator)
    return f"{float(number):.{places}f}"


def estimate(value: Estimate, places: int = 4) -> str:
    """Return an estimate with its standard error: ``29.0227 +- 0.0001``."""
    return f"{value.mean:.{places}f} +- {value.error:.{places}f}"


def wager_text(house: House, chances: Sequence[str]) -> str:
    """Return the chances of a wager: ``all 4 simple`` where they are these."""
    return chances_text(house, chances, "simple")


def alike(sheet: ParSheet) -> tuple[tuple[str, WagerFigures], ...]:
    """Return the wagers, those with the same figures once, with the chances that they are on."""
    groups: dict[object, list[WagerFigures]] = {}
    for line in sheet.wagers:
        wager = line.wager
        same = (
            *(wager.insured, wager.policy, wager.edge, wager.variance, wager.per_resolved),
            *(line.payout_odds, line.less, line.more, line.least_edge, line.greatest_edge),
        )
        groups.setdefault(same, []).append(line)
    return tuple(
        (wager_text(sheet.house, [line.wager.chance for line in group]), group[0])
        for group in groups.values()
    )


def insured_text(*, insured: bool) -> str:
    """Return the word of a column."""
    return "insured" if insured else "-"


def mark(line: WagerFigures) -> str:
    """Return what a wager is among those on its chance: best and worst for the player."""
    if line.least_edge and line.greatest_edge:
        return "-"
    return "best" if line.least_edge else "worst" if line.greatest_edge else ""


def warning(stake: StakeFigures, sheet: ParSheet) -> tuple[str, ...]:
    """Return a sentence for each wager whose edge the rounding of a stake moves by a tenth."""
    return tuple(
        f"Warning: a stake of {stake.amount} on {wager_text(sheet.house, line.chances)}"
        f"{', insured' if line.wager.insured else ''} ({line.wager.policy}): rounding and least "
        f"premiums make the advantage {percent(line.wager.edge)} instead of "
        f"{percent(line.nominal)}."
        for line in stake.wagers
        if line.moved
    )


def table_text(stake: StakeFigures) -> str:
    """Return whether the table takes a stake: ``yes``, or why it does not."""
    if any(refusal.code == "inexact" for refusal in stake.refused):
        return "refused: inexact"
    return f"no: {stake.refused[0].code}" if stake.refused else "yes"


def ending_text(house: House) -> str:
    """Return what ends a taille."""
    marker = house.shoe.marker
    if marker is None:
        return (
            "no marker: coups are dealt while the cards suffice, a coup they cut short is no coup"
        )
    if marker.on_marker == "void":
        return "the marker ends the taille, and a coup that it comes up in is void"
    return "the coup in which the marker comes up is finished, and is the last"


def place_text(taille: TailleFigures) -> str:
    """Return where the marker lies."""
    return "none" if taille.from_end is None else f"{taille.from_end} from the end"


@frozen
class Numbers(Grid):
    """A table with columns of numbers, at the places of ``right``; their cells are equally wide."""

    right: frozenset[int] = frozenset()


def grid(
    columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[str] = ()
) -> Numbers:
    """Make a table; cells of the columns named in ``numbers`` stand at the right."""
    lines = [tuple(row) for row in rows]
    names = set(numbers)
    right = frozenset(place for place, name in enumerate(columns) if name in names)
    widths = [max(map(len, column)) for column in zip(columns, *lines, strict=True)]
    padded = [
        tuple(
            cell.rjust(width) if place in right else cell
            for place, (width, cell) in enumerate(zip(widths, row, strict=True))
        )
        for row in (tuple(columns), *lines)
    ]
    return Numbers(padded[0], tuple(padded[1:]), right)


# --- The two sections of a PAR sheet that go by stake: advantage and insurance


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
    many = sheet.house.limits_table.tables[0].multiple if least is None else None
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
    """Return a sheet as plain text."""
    return as_text(laid_out(sheet))


def sheet_markdown(sheet: ParSheet) -> str:
    """Return a sheet as Markdown."""
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
    """Return whether the house insures free stakes."""
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
