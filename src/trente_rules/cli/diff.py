"""``trente diff``: two houses, key by key, and what each changed key does to the bank's edge."""

from __future__ import annotations

import click

from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import Output, misuse, report_options
from trente_rules.cli.values import AMOUNT, HOUSE
from trente_rules.core.house.loading import load_house
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import default_manager
from trente_rules.reports.effects import difference_of
from trente_rules.reports.effects_layout import difference_report


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente diff france-2007 my.toml", "what each changed key of a file costs the player"),
        ("trente diff france-1959 france-2007 --all", "keys of presentation as well"),
        ("trente diff france-2007 campione --stake 500", "what each change does to a stake of 500"),
    ),
)
@click.argument("old", type=HOUSE, metavar="OLD")
@click.argument("new", type=HOUSE, metavar="NEW")
@click.option(
    "--stake",
    type=AMOUNT,
    help="Figures for a stake of this amount, rounding included.",
)
@click.option("--all", "whole", is_flag=True, help="Show keys of presentation as well.")
@report_options()
def diff_command(old: str, new: str, stake: Amount | None, whole: bool, output: Output) -> None:  # noqa: FBT001 - click passes it
    """Show what differs between two houses and what it costs.

    Print whether NEW is better or worse than OLD for the player, then each key that differs with
    what it does to the bank's edge on a simple chance: at best play, by default, at worst play,
    insured. Keys that act only together are priced together. What moves no nominal edge is priced
    at the least stake of OLD.
    """
    houses = load_house(old), load_house(new)
    with misuse("not-whole-units", "bad-amount"):
        found = difference_of(*houses, default_manager(), stake)
    output.show(difference_report(found, whole=whole))
