"""``trente par``: the PAR sheet of a house, its mathematical report."""

from __future__ import annotations

from typing import Final

import click

from trente_rules.cli.output import Output, command_line, misuse, report_options
from trente_rules.cli.values import AMOUNT, DEAL, HOUSE
from trente_rules.core.house.loading import load_house
from trente_rules.core.money import Amount

_Z: Final = ("1.65", "1.96", "2.576")


@click.command()
@click.argument("house", type=HOUSE)
@report_options()
@click.option(
    "--deal",
    type=DEAL,
    default="own",
    show_default=True,
    help="What the odds are of: own (the packs of the house), infinite, or N-packs.",
)
@click.option(
    "--stake",
    type=AMOUNT,
    help="Add the edge for a stake of AMOUNT, in the currency of the house.",
)
@click.option(
    "--z",
    type=click.Choice(_Z),
    default="1.96",
    show_default=True,
    help="The z of volatility index and confidence bands: 90, 95 or 99 % of a normal law.",
)
@click.pass_context
def par_command(
    context: click.Context, *, house: str, output: Output, deal: str, stake: Amount | None, z: str
) -> None:
    """Print the PAR sheet of a HOUSE (a name or a file): odds, advantages, risks, exact.

    Points, ties and chances; for each wager and each pure policy true odds, advantage, deviation,
    hit frequency and confidence bands; the advantage by stake as the house rounds; the coups of a
    taille. Each figure names its basis and its deal.
    """
    from trente_rules.reports.par_sheet import par_sheet  # noqa: PLC0415 - only this command prints it
    from trente_rules.reports.par_sheet_layout import sheet_report  # noqa: PLC0415

    loaded = load_house(house)
    with misuse("not-whole-units"):
        sheet = par_sheet(loaded, deal=deal, stake=stake, z=float(z), command=command_line(context))
        output.show(sheet_report(sheet))
