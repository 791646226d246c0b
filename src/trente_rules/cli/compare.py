"""``trente compare``: what houses take, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from trente_rules.cli.output import (
    Output,
    check_plot,
    command_line,
    misuse,
    report_options,
    save_plot,
)
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
_NO_BASE: Final = ("unknown-house", "file-missing", "file-unreadable")


@click.command()
@click.argument("houses", nargs=-1, metavar="[HOUSE|FILE]...")
@click.option(
    "--against",
    metavar="HOUSE|FILE",
    help="A house to begin from: show only how each of the others differs from it.",
)
@click.option(
    "--deal",
    default="own",
    show_default=True,
    help="What the odds are of: own (each house's own packs), infinite, or N-packs.",
)
@click.option(
    "--stake",
    metavar="N",
    help="Figures for a stake of N in the currency of each house: rounding, minimum premium and "
    "insurable amounts included.",
)
@click.option("--chance", "chances", multiple=True, help="Only this chance; may be repeated.")
@click.option(
    "--sort",
    type=click.Choice(["given", "edge"]),
    default="given",
    help="The order of the houses: as given (by name without any), or by their least advantage.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.svg|FILE.png",
    help="Draw the advantage by house and policy into a file as well.",
)
@click.option(
    "--sequential",
    is_flag=True,
    help="Print the advantage with the dependence of later coups of a shoe as well.",
)
@report_options()
@click.pass_context
def compare_command(  # noqa: PLR0913 - click passes each option
    context: click.Context,
    *,
    houses: tuple[str, ...],
    against: str | None,
    deal: str,
    stake: str | None,
    chances: tuple[str, ...],
    sort: str,
    plot: Path | None,
    sequential: bool,
    output: Output,
) -> None:
    """Compare houses: the rules that differ, and the bank's advantage on every wager.

    Without a house, all that are known are compared. The advantage is exact, in stakes: for each
    chance, insured and not, and for each pure policy of the player. With --against, each key that
    differs from the base house is shown with both values, and how the advantage differs.

    Later coups, on which a stake in prison waits, count as independent copies of the first;
    --sequential prints what the dependence within a shoe adds.
    """
    if sequential and against is not None:
        raise click.UsageError("--sequential does not go with --against")
    with misuse(*_MISUSE):
        amount = None if stake is None else Amount.parse(_written(stake))
        base, listed = _houses(against, houses)
        compared = compare((*base, *listed), deal=deal, stake=amount, chances=chances)
        begun, others = compared[: len(base)], compared[len(base) :]
        if sort == "edge":
            others = tuple(sorted(others, key=lambda one: (not one.advantage.wagers, _least(one))))
        check_plot(plot)
        save_plot(lambda: comparison_figure((*begun, *others), chances), plot)
        asked: dict[str, Any] = {
            "deal": deal,
            "chances": chances,
            "command": command_line(context),
        }
        if begun:
            report = against_report(begun[0], others, **asked)
        else:
            found = [sequential_of(one) for one in others] if sequential else []
            report = comparison_report(others, found, **asked)
        output.show(report)


def _houses(
    against: str | None, names: tuple[str, ...]
) -> tuple[tuple[House, ...], tuple[House, ...]]:
    """Load the base, if any, and the houses; of all that are known, the base is left out."""
    if against is None:
        return (), load_houses(names)
    base = _base(against)
    listed = load_houses(names)
    return (base,), listed if names else tuple(one for one in listed if one.name != base.name)


def _base(name: str) -> House:
    """Load the house to begin from; a house that is not there is misuse, a faulty one is not."""
    try:
        return load_house(name)
    except TrenteError as error:
        if error.code in _NO_BASE:
            raise click.UsageError(f"--against {error}") from error
        raise


def _written(stake: str) -> int | str:
    return int(stake) if stake.isascii() and stake.isdigit() and len(stake) < 20 else stake  # noqa: PLR2004


def _least(one: Compared) -> Any:
    return one.advantage.best.edge if one.advantage.wagers else 0


def sequential_of(one: Compared) -> Sequential:
    """Return the advantage of a house that was compared, with the dependence taken in.

    The wagers are in the order of its advantage. An infinite pack, whose coups are independent,
    and packs that no law is stored for are misuse.
    """
    from trente_rules.odds.sequential import sequential  # noqa: PLC0415 - only where it is asked for

    packs, _dash, whole = one.advantage.deal.partition("-")
    if not whole:
        raise click.UsageError("--sequential is of a shoe of 1 to 8 packs: own, or N-packs")
    units = None if one.stake is None else one.house.money.units(one.stake)
    try:
        return sequential(
            one.house,
            packs=int(packs),
            chances=dict.fromkeys(wager.chance for wager in one.advantage.wagers),
            stake=units,
            opening=one.house.lowest_opening(units or 0),
        )
    except TrenteError as error:
        if error.code == "no-law-after-tie":
            raise click.UsageError(f"{one.house.name}: {error}") from error
        raise


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
