"""The words and numbers of a PAR sheet, as all its formats write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from attrs import frozen

from trente_rules.analysis.comparison import chances_text
from trente_rules.analysis.par_sheet.values import (
    Estimate,
    ParSheet,
    StakeFigures,
    TailleFigures,
    WagerFigures,
)
from trente_rules.house.house import House
from trente_rules.house.rulebook.book import Grid

COUPS: Final = tuple(10**power for power in range(3, 10))
"""The numbers of coups that a confidence band is told for."""
TAILLE: Final = "whole taille, the house's own shoe rule"


def deal_text(deal: str) -> str:
    """Answer what odds are of: ``6 packs, first coup of a fresh full shoe``."""
    if deal == "infinite":
        return "infinite pack, every card put back"
    packs = deal.partition("-")[0]
    return f"{packs} pack{'' if packs == '1' else 's'}, first coup of a fresh full shoe"


def percent(part: Fraction | float, places: int = 5) -> str:
    """Answer a part in per cent: ``1.09457 %``."""
    return f"{float(part) * 100:.{places}f} %"


def one_in(part: Fraction) -> str:
    """Answer a probability as how many coups it comes once in: ``1 in 45.6801``."""
    return f"1 in {float(1 / part):.4f}" if part else "never"


def decimal(number: Fraction | float, places: int = 6) -> str:
    """Answer a number with so many decimals, a whole one without any."""
    if isinstance(number, Fraction) and number.denominator == 1:
        return str(number.numerator)
    return f"{float(number):.{places}f}"


def estimate(value: Estimate, places: int = 4) -> str:
    """Answer an estimate with its standard error: ``29.0227 +- 0.0001``."""
    return f"{value.mean:.{places}f} +- {value.error:.{places}f}"


def wager_text(house: House, chances: Sequence[str]) -> str:
    """Answer the chances of a wager: ``all 4 simple`` where they are these."""
    return chances_text(house, chances, "simple")


def alike(sheet: ParSheet) -> tuple[tuple[str, WagerFigures], ...]:
    """Answer the wagers, those with the same figures once, with the chances that they are on."""
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
    """Answer the word of a column."""
    return "insured" if insured else "-"


def mark(line: WagerFigures) -> str:
    """Answer what a wager is among those on its chance: best and worst for the player."""
    if line.least_edge and line.greatest_edge:
        return "-"
    return "best" if line.least_edge else "worst" if line.greatest_edge else ""


def warning(stake: StakeFigures, sheet: ParSheet) -> tuple[str, ...]:
    """Answer a sentence for each wager whose edge the rounding of a stake moves by a tenth."""
    return tuple(
        f"Warning: a stake of {stake.amount} on {wager_text(sheet.house, line.chances)}"
        f"{', insured' if line.wager.insured else ''} ({line.wager.policy}): rounding and least "
        f"premiums make the advantage {percent(line.wager.edge)} instead of "
        f"{percent(line.nominal)}."
        for line in stake.wagers
        if line.moved
    )


def table_text(stake: StakeFigures) -> str:
    """Answer whether the table takes a stake: ``yes``, or why it does not."""
    if any(refusal.code == "inexact" for refusal in stake.refused):
        return "refused: inexact"
    return f"no: {stake.refused[0].code}" if stake.refused else "yes"


def ending_text(house: House) -> str:
    """Answer what ends a taille."""
    marker = house.shoe.marker
    if marker is None:
        return (
            "no marker: coups are dealt while the cards suffice, a coup they cut short is no coup"
        )
    if marker.on_marker == "void":
        return "the marker ends the taille, and a coup that it comes up in is void"
    return "the coup in which the marker comes up is finished, and is the last"


def place_text(taille: TailleFigures) -> str:
    """Answer where the marker lies."""
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
