"""``trente compare``: what houses take, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

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
from trente_rules.cli.values import AMOUNT, CHANCE, DEAL, HOUSE
from trente_rules.core.errors import ConfigurationError, Fault, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import default_manager
from trente_rules.reports.comparison import Compared, compare
from trente_rules.reports.comparison_layout import (
    against_report,
    comparison_figure,
    comparison_report,
)
from trente_rules.reports.overview import by_edge
from trente_rules.reports.tailles_compared import held_of

if TYPE_CHECKING:
    from trente_rules.odds.sequential import Sequential

_MISUSE: Final = (
    "bad-amount",
    "bad-figure",
    "file-unwritable",
    "needs-report",
    "too-few-packs",
    "unknown-chance",
    "unknown-deal",
    "unknown-suffix",
)


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente compare", "all houses on one screen, the cheapest first"),
        ("trente compare france-2007 italian-program", "two houses, and the rules that differ"),
        ("trente compare --stake 50 --chance rouge", "what a stake of 50 on rouge costs"),
        ("trente compare --full france-2007", "every policy of one house"),
        ("trente compare --basis taille france-2007", "what the bank holds over whole tailles"),
    ),
)
@click.argument("houses", nargs=-1, type=HOUSE, metavar="[HOUSE]...")
@click.option(
    "--against",
    type=HOUSE,
    help="Show how each house differs from this one.",
)
@click.option("--full", is_flag=True, help="Add every policy, with deviations and other bases.")
@click.option("--rules", is_flag=True, help="Add all rules, in short words.")
@click.option("--keys", is_flag=True, help="Show rules as keys of a house file, not in words.")
@click.option(
    "--deal",
    type=DEAL,
    default="own",
    show_default=True,
    help="The cards: own (the packs of each house), infinite, or 1-packs to 8-packs.",
)
@click.option(
    "--stake",
    type=AMOUNT,
    help="Figures for a stake of this amount, rounding included.",
)
@click.option(
    "--chance", "chances", type=CHANCE, multiple=True, help="Only this chance; repeat for more."
)
@click.option(
    "--sort",
    type=click.Choice(["edge", "given"]),
    help="Order of the houses: by the best uninsured play, or as given.  "
    "[default: edge; given where houses are named]",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.svg|FILE.png",
    help="Also save a chart of the edges of each house.",
)
@click.option(
    "--sequential",
    is_flag=True,
    help="Also show the edges with dependence between coups of a shoe.",
)
@click.option(
    "--basis",
    type=click.Choice(["coup", "taille"]),
    default="coup",
    show_default=True,
    help="taille: also show what the bank holds over whole tailles, last coups included.",
)
@report_options()
@click.pass_context
def compare_command(  # noqa: PLR0913 - click passes each option
    context: click.Context,
    *,
    houses: tuple[str, ...],
    against: str | None,
    full: bool,
    rules: bool,
    keys: bool,
    deal: str,
    stake: Amount | None,
    chances: tuple[str, ...],
    sort: str | None,
    plot: Path | None,
    sequential: bool,
    basis: str,
    output: Output,
) -> None:
    """Compare the bank's edge and the rules of houses.

    Print the bank's exact edge on a simple chance by play, in % of the stake: partage (half back at
    every refait), prison (into prison at every refait), default (no choice is made), insured. Up to
    four houses are columns, with the rules that differ; more have a line each.

    Without a house, all are compared. A player who insures only small stakes pays more than the
    insured figure: houses are sorted without it.

    Later coups, on which a stake in prison waits, count as independent copies of the first: a full
    shoe is sure to have cards for them.
    """
    if sequential and against is not None:
        raise click.UsageError("--sequential cannot be combined with --against")
    if basis == "taille" and (against is not None or stake is not None):
        other = "--stake" if against is None else "--against"
        raise click.UsageError(f"--basis taille cannot be combined with {other}")
    with misuse(*_MISUSE):
        base, listed = _houses(against, houses)
        compared = compare((*base, *listed), deal=deal, stake=stake, chances=chances)
        begun, others = compared[: len(base)], compared[len(base) :]
        if (sort or ("given" if houses else "edge")) == "edge":
            others = by_edge(others, chances)
        check_plot(plot)
        save_plot(lambda: comparison_figure((*begun, *others), chances), plot)
        flags = {"full": full, "rules": rules, "keys": keys}
        asked: dict[str, Any] = {
            "deal": deal,
            "chances": chances,
            "command": command_line(context),
            "show": [name for name, given in flags.items() if given],
        }
        if begun:
            report = against_report(begun[0], others, **asked)
        else:
            found = [sequential_of(one) for one in others] if sequential else []
            held = [held_of(one) for one in others] if basis == "taille" else []
            report = comparison_report(others, found, held=held, **asked)
        output.show(report)


def _houses(
    against: str | None, names: tuple[str, ...]
) -> tuple[tuple[House, ...], tuple[House, ...]]:
    """Load the base, if any, and the houses; of all that are known, the base is left out."""
    if against is None:
        return (), load_houses(names)
    base = load_house(against)
    listed = load_houses(names)
    return (base,), listed if names else tuple(one for one in listed if one.name != base.name)


def sequential_of(one: Compared) -> Sequential:
    """Return the advantage of a house that was compared, with the dependence taken in.

    The wagers are in the order of its advantage. An infinite pack, whose coups are independent, is
    misuse.
    """
    from trente_rules.odds.sequential import sequential  # noqa: PLC0415 - only where it is asked for

    packs, _dash, whole = one.advantage.deal.partition("-")
    if not whole:
        raise click.UsageError("--sequential needs a shoe of 1 to 8 packs: own, or N-packs")
    units = None if one.stake is None else one.house.money.units(one.stake)
    return sequential(
        one.house,
        packs=int(packs),
        chances=dict.fromkeys(wager.chance for wager in one.advantage.wagers),
        stake=units,
        opening=one.house.lowest_opening(units or 0),
    )


def load_houses(names: tuple[str, ...]) -> tuple[House, ...]:
    """Load houses by name or path, every fault of all at once; without a name, all sound ones."""
    faults: list[Fault] = []
    houses: list[House] = []
    for name in names or default_manager().names("house"):
        try:
            houses.append(load_house(name))
        except TrenteError as error:
            if not names:  # one house of one plugin does not keep the others from being shown
                click.echo(f"left out: {error}", err=True)
            elif isinstance(error, ConfigurationError):
                faults.extend(error.faults)
            else:
                raise
    if faults:
        raise ConfigurationError.of(*faults)
    return tuple(houses)
