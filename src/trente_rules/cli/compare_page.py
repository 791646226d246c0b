"""``trente compare --format html``: the comparison as a page that stands alone."""

from __future__ import annotations

import click

from trente_rules.analysis.against import deviations
from trente_rules.analysis.comparison import Compared
from trente_rules.analysis.comparison_page import Page, comparison_page
from trente_rules.cli.compare_against import against_table
from trente_rules.cli.compare_tables import edges_table, rules_table
from trente_rules.cli.output import value_text


def print_page(
    base: tuple[Compared, ...],
    others: tuple[Compared, ...],
    chances: tuple[str, ...],
    deal: str,
    *,
    command: str,
) -> None:
    """Print the page: of houses side by side, or of their differences from the base."""
    compared = (*base, *others)
    if base:
        title = f"Houses against {base[0].house.name}"
        found = deviations(base[0], others)
        tables = [against_table(base[0], one, value_text) for one in found]
    else:
        title = "Houses compared"
        tables = [rules_table([one.house for one in compared])]
    tables = [table for table in (*tables, edges_table(compared)) if table.rows or table.title]
    notes = [f"{one.house.name} takes no such stake: {r}" for one in compared for r in one.refused]
    page = Page(title, _basis(compared, deal), tables, tuple(notes), command)
    click.echo(comparison_page(page, compared, chances), nl=False)


def _basis(compared: tuple[Compared, ...], deal: str) -> tuple[str, ...]:
    """Answer what the figures rest on, in sentences."""
    cards = {
        "own": "Each house deals from its own packs, whole and well shuffled.",
        "infinite": "Every house deals from an infinite pack.",
    }.get(deal, f"Every house deals from {deal.replace('-', ' ')}, whole and well shuffled.")
    stakes = {str(one.stake) for one in compared if one.stake is not None}
    stake = (
        f"They are for a stake of {stakes.pop()} in the currency of each house: rounding, minimum "
        "premium and insurable amounts included."
        if stakes
        else "They are nominal: nothing is rounded, and there is no minimum premium."
    )
    figures = (
        "Edges are the bank's exact advantage in per cent of the stake, printed to five places: "
        "edge per coup, per resolved coup (one that is no ordinary tie), per decided coup (one "
        "that is won or lost). sd is the standard deviation of the player's result, in stakes. "
        f"{stake}"
    )
    return figures, cards
