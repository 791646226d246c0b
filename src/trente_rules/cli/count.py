"""``trente count``: what a player who remembers every card could gain."""

from __future__ import annotations

from typing import Final

import click

from trente_rules.cli.output import Table, print_json, print_table
from trente_rules.cli.progress import bar
from trente_rules.errors import TrenteError
from trente_rules.house.toml import load_house
from trente_rules.strategy.counted import CHANCES, PUBLISHED, Counting, Favourable
from trente_rules.strategy.counting import count_shoes

_MISUSE: Final = ("bad-shoes", "bad-seed")
_COLUMNS: Final = (
    *("of the shoe", "coups", "favourable", "mean edge", "least edge"),
    *("insured: favourable", "mean", "least"),
)
_STOPPED: Final = 130


@click.command()
@click.argument("house", default="france-2007")
@click.option("--shoes", type=int, default=200, show_default=True, help="How many tailles to deal.")
@click.option(
    "--to-the-end",
    is_flag=True,
    help="Also the coups before which fewer than 40 cards are unseen: about a second each.",
)
@click.option("--seed", type=int, help="The same seed gives the same shoes; else one is drawn.")
@click.option("--workers", type=click.IntRange(1), help="Threads; else one for each processor.")
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    house: str,
    shoes: int,
    to_the_end: bool,
    seed: int | None,
    workers: int | None,
    form: str,
) -> None:
    """Count cards: how often, and by how much, couleur or inverse favours who saw every card.

    Tailles are dealt as the house deals them; before each coup the exact advantage is worked out
    from the cards not seen, uninsured and insured, and a linear count is set beside it. Some
    hundredths of a second a coup. Control-C ends with what is done.
    """
    loaded = load_house(house)
    try:
        with bar("shoes") as progress:
            found = count_shoes(
                loaded,
                shoes=shoes,
                to_the_end=to_the_end,
                seed=seed,
                workers=workers,
                progress=progress,
            )
    except TrenteError as error:
        if error.code in _MISUSE:
            raise click.UsageError(str(error)) from error
        raise
    if not found.shoes:
        raise click.Abort
    if form == "json":
        print_json(found.to_json())
    else:
        _print(found)
    if found.shoes < found.asked:
        click.echo("stopped: the figures are of the shoes that were dealt", err=True)
        context.exit(_STOPPED)


def _print(found: Counting) -> None:
    title = (
        f"{found.house.name}: {len(found.coups)} coups of {found.shoes} shoes as a counter of all "
        f"cards saw them, the better of {' and '.join(CHANCES)}; seed {found.seed}"
    )
    rows = [
        _row(f"{100 * low:.0f} to {100 * high:.0f} %", plain, insured)
        for low, high, plain, insured in found.by_depth()
    ]
    rows.append(_row("all", found.uninsured, found.insured))
    print_table(Table(title, _COLUMNS, tuple(rows), frozenset(_COLUMNS[1:])))
    for words, insured in (("uninsured", False), ("insured", True)):
        both = found.insured if insured else found.uninsured
        if both is None:
            continue
        click.echo(f"{words}: {_gained(both.favourable, both.coups, both.gain, both.per_coup)}")
        linear = found.linear(insured=insured)
        if linear is None or linear.correlation is None:
            continue
        placed = "none of them"
        if linear.placed:
            placed = (
                f"{linear.placed} of them, {linear.right} rightly, mean gain "
                f"{100 * linear.gain:.4f} %"
            )
        click.echo(
            f"  by the linear count {placed}; its correlation with the exact advantage is "
            f"{linear.correlation:.3f}"
        )
    if found.too_few:
        click.echo(
            f"{found.too_few} coups left out: fewer than 40 cards were unseen (--to-the-end)"
        )
    click.echo(f"\n{PUBLISHED}.")


def _gained(favourable: int, coups: int, gain: float, per_coup: float) -> str:
    if not favourable:
        return f"none of {coups} coups is favourable"
    return (
        f"{favourable} of {coups} coups are favourable, by {100 * gain:.4f} % of the stake on the "
        f"average: a stake at each of them gains {1000 * per_coup:.4f} stakes in 1000 coups watched"
    )


def _row(name: str, plain: Favourable, insured: Favourable | None) -> tuple[str, ...]:
    return (name, str(plain.coups), *_three(plain), *_three(insured))


def _three(one: Favourable | None) -> tuple[str, ...]:
    if one is None or one.mean is None or one.best is None:
        return ("-", "-", "-")
    return (f"{100 * one.share:.2f} %", _edge(one.mean), _edge(one.best))


def _edge(edge: float) -> str:
    return f"{100 * edge:.4f} %"
