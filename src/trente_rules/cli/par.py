"""``trente par``: the PAR sheet of a house, its mathematical report."""

from __future__ import annotations

import shlex
from typing import Final

import click
from click.core import ParameterSource

from trente_rules.analysis.par_sheet import par_sheet
from trente_rules.analysis.par_sheet.layout import sheet_markdown, sheet_text
from trente_rules.analysis.par_sheet.page import sheet_html
from trente_rules.analysis.par_sheet.structured import sheet_json
from trente_rules.cli.output import print_json
from trente_rules.errors import TrenteError
from trente_rules.house.toml import load_house
from trente_rules.money import Amount

_MISUSE: Final = ("unknown-deal", "bad-amount", "not-whole-units", "needs-report")
_RENDER: Final = {"table": sheet_text, "markdown": sheet_markdown, "html": sheet_html}
_Z: Final = ("1.65", "1.96", "2.576")


@click.command()
@click.argument("house")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "markdown", "html"]),
    default="table",
    show_default=True,
    help="html: a page with figures that stands alone, of the extra report.",
)
@click.option(
    "--deal",
    default="own",
    show_default=True,
    help="What the odds are of: own (the packs of the house), infinite, or N-packs.",
)
@click.option(
    "--stake",
    metavar="N",
    help="Tell the advantage for a stake of N in the currency of the house as well.",
)
@click.option(
    "--z",
    type=click.Choice(_Z),
    default="1.96",
    show_default=True,
    help="The z of volatility index and confidence bands: 90, 95 or 99 % of a normal law.",
)
@click.pass_context
def command(
    context: click.Context, *, house: str, form: str, deal: str, stake: str | None, z: str
) -> None:
    """Print the PAR sheet of a HOUSE (a name or a file): odds, advantages, risks, exact.

    Points, ties and chances; for each wager and each pure policy true odds, advantage, deviation,
    hit frequency and confidence bands; the advantage by stake as the house rounds; the coups of a
    taille. Each figure names its basis and its deal.
    """
    loaded = load_house(house)
    try:
        amount = None if stake is None else Amount.parse(stake)
        sheet = par_sheet(loaded, deal=deal, stake=amount, z=float(z), command=_told(context))
        if form == "json":
            print_json(sheet_json(sheet))
        else:
            click.echo(_RENDER[form](sheet), nl=False)
    except TrenteError as error:
        if error.code in _MISUSE:
            raise click.UsageError(str(error)) from error
        raise


def _told(context: click.Context) -> str:
    """Answer the command as it was given, options that were not left out."""
    words = ["trente", "par", context.params["house"]]
    for name, option in (("form", "format"), ("deal", "deal"), ("stake", "stake"), ("z", "z")):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            words += [f"--{option}", context.params[name]]
    return shlex.join(words)
