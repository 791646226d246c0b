"""``trente par``: the PAR sheet of a house, its mathematical report."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import (
    Output,
    check_plot,
    command_line,
    misuse,
    report_options,
    save_plot,
)
from trente_rules.cli.values import AMOUNT, DEAL, HOUSE
from trente_rules.core.house.loading import load_house
from trente_rules.core.money import Amount

_Z: Final = ("1.65", "1.96", "2.576")


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente par france-2007", "the whole sheet; the first section is the answer"),
        ("trente par france-2007 --stake 15 --z 2.576", "with a stake of 15, bands of 99 %"),
        ("trente par campione --out campione.md", "the sheet in a file, as Markdown"),
    ),
)
@click.argument("house", type=HOUSE)
@report_options()
@click.option(
    "--deal",
    type=DEAL,
    default="own",
    show_default=True,
    help="The shoe the odds are computed for: own (the house's packs), infinite, or N-packs.",
)
@click.option("--stake", type=AMOUNT, help="Also the edges of a stake of N in the currency.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also save a chart of the edges (needs trente-rules[report]).",
)
@click.option(
    "--z",
    type=click.Choice(_Z),
    default="1.96",
    show_default=True,
    help="The z of volatility index and bands: 90, 95 or 99 % of a normal distribution.",
)
@click.pass_context
def par_command(
    context: click.Context,
    *,
    house: str,
    output: Output,
    deal: str,
    stake: Amount | None,
    plot: Path | None,
    z: str,
) -> None:
    """Print the PAR sheet of a house.

    The edges of the plays first; then points, ties and chances; for each wager and each way to play
    it true odds, edge, deviation, hit frequency and confidence bands; the edges by stake as the
    house rounds; the coups of a taille. Each figure names its basis and its deal.
    """
    from trente_rules.reports.par_sheet import par_sheet  # noqa: PLC0415 - only this command prints it
    from trente_rules.reports.par_sheet_layout import (  # noqa: PLC0415 - likewise
        edges_figure,
        sheet_report,
    )

    loaded = load_house(house)
    with misuse(*_MISUSE):
        check_plot(plot)
        words = command_line(context)
        sheet = par_sheet(loaded, deal=deal, stake=stake, z=float(z), command=words, compute=True)
        save_plot(lambda: edges_figure(sheet), plot)
        output.show(sheet_report(sheet))


_MISUSE: Final = (
    "bad-amount",
    "bad-figure",
    "file-unwritable",
    "needs-report",
    "not-whole-units",
    "unknown-deal",
    "unknown-suffix",
)
