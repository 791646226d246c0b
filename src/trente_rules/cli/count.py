"""``trente count``: what a player who remembers every card could gain."""

from __future__ import annotations

from typing import Final

import click

from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import Output, bar, misuse, report_options
from trente_rules.cli.values import DEFAULT_HOUSE, HOUSE, SEED, SeedText, WholeNumber
from trente_rules.core.house.loading import load_house
from trente_rules.players import counting
from trente_rules.reports.comparison import best_scopes
from trente_rules.reports.counted import counting_report

_STOPPED: Final = 130


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente count italy-half-loss --shoes 2 --seed 4", "the edges before each coup, by depth"),
        ("trente count --shoes 300 --format csv", "the table as CSV"),
    ),
    status={0: "done", 2: "wrong call", 130: "interrupted, figures of what was dealt"},
)
@click.argument("house", default=DEFAULT_HOUSE, type=HOUSE)
@click.option(
    "--shoes",
    type=WholeNumber(1, counting.MOST_SHOES),
    default=200,
    show_default=True,
    help="How many tailles to deal.",
)
@click.option(
    "--to-the-end",
    is_flag=True,
    help="Include coups before which fewer than 40 cards are unseen: slower.",
)
@click.option("--seed", type=SEED, help="The same seed deals the same shoes.  [default: drawn]")
@click.option(
    "--workers", type=WholeNumber(1, 10**6), help="Threads.  [default: one for each processor]"
)
@report_options()
@click.pass_context
def count_command(
    context: click.Context,
    /,
    *,
    house: str,
    shoes: int,
    to_the_end: bool,
    seed: SeedText | None,
    workers: int | None,
    output: Output,
) -> None:
    """Measure what a card counter could gain.

    Tailles are dealt as the house deals them. Before each coup the exact edge on every chance, side
    bets included, is computed from the cards that were not seen, uninsured and insured. Prints how
    often the better of the two favours the player, next to the theory of card counting and to a
    linear count that needs no computer: some milliseconds a coup.

    HOUSE is france-2007 by default. Control-C ends the run and prints what is done.
    """
    loaded = load_house(house)
    with misuse("bad-shoes", "bad-seed"), bar("shoes") as progress:
        found = counting.count_shoes(
            loaded,
            shoes=shoes,
            to_the_end=to_the_end,
            seed=None if seed is None else seed.number,
            workers=workers,
            progress=progress,
        )
    if not found.shoes:
        raise click.Abort
    output.show(counting_report(found, best_scopes(loaded)))
    if found.shoes < found.asked:
        click.echo("interrupted: the figures are of the shoes that were dealt", err=True)
        context.exit(_STOPPED)
