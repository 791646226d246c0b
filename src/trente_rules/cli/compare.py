"""``trente compare``: houses side by side, or against one of them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from trente_rules.analysis.advantage import Wager
from trente_rules.analysis.comparison import Compared, compare, comparison_json, wager_json
from trente_rules.cli.compare_against import print_against
from trente_rules.cli.compare_page import print_page
from trente_rules.cli.compare_tables import edges_table, rules_table
from trente_rules.cli.output import (
    FORMATS,
    print_csv,
    print_json,
    print_markdown,
    print_table,
)
from trente_rules.cli.sequential import (
    COLUMNS,
    sequential_json,
    sequential_of,
    sequential_table,
)
from trente_rules.errors import ConfigurationError, Fault, TrenteError
from trente_rules.house.house import House
from trente_rules.house.toml import load_house
from trente_rules.money import Amount
from trente_rules.plugins.manager import default_manager

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
_CSV: Final = (
    "house",
    "deal",
    "chance",
    "insured",
    "policy",
    "stake",
    "edge",
    "edge_exact",
    "edge_per_resolved",
    "edge_per_decided",
    "sd",
)


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
    help="Tell the advantage with the dependence of later coups of a shoe taken in as well.",
)
@click.option(
    "--format", "form", type=click.Choice((*FORMATS, "html")), default="table", show_default=True
)
@click.pass_context
def command(  # noqa: PLR0913 - click passes each option
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
    form: str,
) -> None:
    """Compare houses: the rules that differ, and the bank's advantage on every wager.

    Without a house, all that are known are compared. The advantage is exact, in stakes: for each
    chance, insured and not, and for each pure policy of the player. With --against, each key that
    differs from the base house is told with both values, and how the advantage differs.

    Later coups, on which a stake in prison waits, count as independent copies of the first;
    --sequential tells what the dependence within a shoe adds.
    """
    if sequential and (against is not None or form == "html"):
        raise click.UsageError("--sequential goes with neither --against nor --format html")
    try:
        amount = None if stake is None else Amount.parse(_written(stake))
        base, listed = _houses(against, houses)
        compared = compare((*base, *listed), deal=deal, stake=amount, chances=chances)
        begun, others = compared[: len(base)], compared[len(base) :]
        if sort == "edge":
            others = tuple(sorted(others, key=lambda one: (not one.advantage.wagers, _least(one))))
        if plot is not None:
            _plot((*begun, *others), chances, plot)
        if form == "html":
            print_page(begun, others, chances, deal, command=_command_line(context))
        elif begun:
            print_against(begun[0], others, form)
        else:
            _print(others, form, sequential=sequential)
    except TrenteError as error:
        if error.code in _MISUSE:
            raise click.UsageError(str(error)) from error
        raise
    if form in ("table", "markdown"):
        for one in (*begun, *others):
            for refusal in one.refused:
                click.echo(f"{one.house.name} takes no such stake: {refusal}")


def _houses(
    against: str | None, names: tuple[str, ...]
) -> tuple[tuple[House, ...], tuple[House, ...]]:
    """Load the base, if any, and the houses; of all that are known, the base is left out."""
    if against is None:
        return (), load_houses(names)
    base = _base(against)
    listed = load_houses(names)
    return (base,), listed if names else tuple(one for one in listed if one.name != base.name)


def _print(compared: tuple[Compared, ...], form: str, *, sequential: bool) -> None:
    """Print houses side by side."""
    found = [sequential_of(one) for one in compared] if sequential else []
    if form == "json":
        told = comparison_json(compared)
        for house, of_house in zip(told["houses"], found, strict=False):
            for entry, wager in zip(house["wagers"], of_house.wagers, strict=True):
                entry.update(sequential_json(wager))
        print_json(told)
    elif form == "csv":
        rows = [_flat(one, wager) for one in compared for wager in one.advantage.wagers]
        wagers = (wager for of_house in found for wager in of_house.wagers)
        for row, wager in zip(rows, wagers, strict=False):
            row.update(sequential_json(wager))
        print_csv(rows, (*_CSV, *COLUMNS) if sequential else _CSV)
    else:
        printed = print_table if form == "table" else print_markdown
        tables = [rules_table([one.house for one in compared]), edges_table(compared)]
        if sequential:
            tables.append(sequential_table(zip(compared, found, strict=True)))
        for table in tables:
            if table.rows:
                printed(table)


def _base(name: str) -> House:
    """Load the house to begin from; a house that is not there is misuse, a faulty one is not."""
    try:
        return load_house(name)
    except TrenteError as error:
        if error.code in _NO_BASE:
            raise click.UsageError(f"--against {error}") from error
        raise


def _plot(compared: tuple[Compared, ...], chances: tuple[str, ...], path: Path) -> None:
    from trente_rules.analysis.comparison_figure import comparison_figure  # noqa: PLC0415
    from trente_rules.analysis.figures import check_target, save_figure  # noqa: PLC0415

    check_target(path)
    save_figure(comparison_figure(compared, chances), path)
    click.echo(f"{path} written", err=True)


def _command_line(context: click.Context) -> str:
    """Answer the command as it would be typed again, the houses last."""
    words, houses = ["trente", "compare"], list(context.params["houses"])
    for parameter in context.command.params:
        name = parameter.name or ""
        if isinstance(parameter, click.Option) and (
            context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        ):
            value = context.params[name]
            for one in value if parameter.multiple else (value,):
                words += [parameter.opts[0], str(one)]
    if any(house.startswith("-") for house in houses):
        words.append("--")
    return shlex.join([*words, *houses])


def _written(stake: str) -> int | str:
    return int(stake) if stake.isascii() and stake.isdigit() and len(stake) < 20 else stake  # noqa: PLR2004


def _least(one: Compared) -> Any:
    return one.advantage.best.edge if one.advantage.wagers else 0


def load_houses(names: tuple[str, ...]) -> tuple[House, ...]:
    """Load houses by name or path, every fault of all at once; without a name, all sound ones."""
    faults: list[Fault] = []
    houses: list[House] = []
    for name in names or default_manager().names("house"):
        try:
            houses.append(load_house(name))
        except TrenteError as error:
            if names and not isinstance(error, ConfigurationError):
                raise
            if names:
                faults.extend(getattr(error, "faults", ()))
            else:  # one house of one plugin does not keep the others from being shown
                click.echo(f"left out: {error}", err=True)
    if faults:
        raise ConfigurationError.of(*faults)
    return tuple(houses)


def _flat(one: Compared, wager: Wager) -> dict[str, Any]:
    row = wager_json(wager, one.stake)
    row["policy"] = str(wager.policy)
    return {"house": one.house.name, "deal": one.advantage.deal, **row}
