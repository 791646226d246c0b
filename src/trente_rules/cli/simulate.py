"""``trente simulate``: many coups of one or more houses, beside what is exact."""

from __future__ import annotations

from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from trente_rules.analysis.advantage import advantage
from trente_rules.analysis.deal_odds import fresh_shoe
from trente_rules.cli.output import Table, percent, print_json, print_table
from trente_rules.cli.progress import bar
from trente_rules.cli.simulate_systems import MISUSE, Asked, play_systems, system_options
from trente_rules.errors import TrenteError
from trente_rules.house.house import House
from trente_rules.house.toml import load_house
from trente_rules.rules.policies import Policy
from trente_rules.simulation.cluster import cluster
from trente_rules.simulation.flat import Policies, simulate
from trente_rules.simulation.pairs import Difference
from trente_rules.simulation.result import (
    BASES,
    Measure,
    SimulatedHouse,
    SimulatedWager,
    Simulation,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

_NUMBERS: Final = frozenset(("edge", "+-", "exact", "z", "all coups", "difference"))
_STOPPED: Final = 130
Exact = dict[tuple[str, bool, Policy], Fraction]


def _coups(_context: click.Context, _parameter: click.Parameter, text: str) -> float:
    try:
        return float(text.replace("_", ""))
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is not a number, as 1e8 or 1000000") from error


@click.command()
@click.argument("houses", nargs=-1, required=True, metavar="HOUSE|FILE...")
@click.option(
    "--coups",
    default="1e7",
    show_default=True,
    callback=_coups,
    help="About how many coups to deal in each house: whole shoes are dealt.",
)
@system_options
@click.option("--seed", type=int, help="The same seed gives the same coups; else one is drawn.")
@click.option("--workers", type=click.IntRange(1), help="Threads; else one for each processor.")
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Play on a cluster of dask: the address of its scheduler, as tcp://host:8786.",
)
@click.option(
    "--chance",
    "chances",
    multiple=True,
    help="Only this chance; may be repeated. Of a system: the one it bets on.",
)
@click.option(
    "--policies",
    type=click.Choice(["all", "default"]),
    default="all",
    show_default=True,
    help="Every pure policy of the player, or the courses taken when he does not choose.",
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep what is done in a file, and do not play again what stands in it.",
)
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@click.pass_context
def command(  # noqa: PLR0913 - click passes each option
    context: click.Context,
    /,
    *,
    houses: tuple[str, ...],
    coups: float,
    seed: int | None,
    workers: int | None,
    dask: str | None,
    chances: tuple[str, ...],
    policies: Policies,
    resume: Path | None,
    form: str,
    **of_systems: Any,
) -> None:
    """Simulate houses: shoes shuffled and dealt to their end, one stake on every wager a coup.

    Stakes are carried by the very tables that settle them, prisoners to their end. Edges are those
    of coups that are sure to be completed, which have the exact edge of a fresh shoe; z is how many
    standard errors they are apart. Houses of equal packs play the same shoes. Control-C ends the
    run with what is done.

    With --system, a staking system is played instead, one stake at a time, in sessions: what it
    costs beside the exact advantage, ruin, drawdown, runs. Every system plays the same shoes.
    """
    loaded = [load_house(name) for name in houses]
    asked = Asked(**of_systems)
    asked.check()
    try:
        with (
            bar("sessions" if asked.systems else "shoes") as progress,
            _played_on(dask, workers) as (executor, players),
        ):
            run: dict[str, Any] = {
                "coups": coups,
                "seed": seed,
                "executor": executor,
                "workers": players,
                "progress": progress,
                "resume": resume,
            }
            if asked.systems:
                if not play_systems(loaded, asked, chances, form, **run):
                    _stopped(context)
                return
            done = simulate(loaded, chances=chances, policies=policies, **run)
    except TrenteError as error:
        if error.code in MISUSE:
            raise click.UsageError(str(error)) from error
        raise
    if not done.houses:
        raise click.Abort
    exact = [_exact(house, chances) for house in loaded]
    if form == "json":
        print_json(_json(done, exact))
    else:
        for house, edges in zip(done.houses, exact, strict=True):
            print_table(_table(house, edges, done))
        if done.differences:
            print_table(_differences(done.differences))
    if not done.complete:
        _stopped(context)


def _stopped(context: click.Context) -> None:
    click.echo("stopped: the figures are of the shoes that were dealt", err=True)
    context.exit(_STOPPED)


@contextmanager
def _played_on(
    dask: str | None, workers: int | None
) -> Iterator[tuple[Executor | None, int | None]]:
    """Answer what plays: threads of this process, or a cluster and how many threads it has."""
    if dask is None:
        yield None, workers
        return
    with cluster(dask) as (executor, threads):
        yield executor, workers or threads


def _exact(house: House, chances: tuple[str, ...]) -> Exact:
    """Answer the exact edges of a fresh shoe, by chance, insurance and policy."""
    names = [chance.id for chance in house.chances if not chances or chance.id in chances]
    found = advantage(house, fresh_shoe(house.shoe.packs), chances=names)
    return {(one.chance, one.insured, one.policy): one.edge for one in found.wagers}


def _z(measure: Measure, exact: Fraction) -> float | None:
    edge, error = measure.edge, measure.standard_error
    return float(edge - exact) / error if edge is not None and error else None


def _edge_of(wager: SimulatedWager, edges: Exact) -> Fraction:
    return edges[wager.chance, wager.insured, wager.policy]


def _json(done: Simulation, exact: list[Exact]) -> dict[str, Any]:
    told = done.to_json()
    for house, shown, edges in zip(done.houses, told["houses"], exact, strict=True):
        for wager, line in zip(house.wagers, shown["wagers"], strict=True):
            edge = _edge_of(wager, edges)
            line |= {"edge_of_fresh_shoe": float(edge), "z": _z(wager.sure, edge)}
    return told


def _table(house: SimulatedHouse, edges: Exact, done: Simulation) -> Table:
    rows = []
    for wager in house.wagers:
        edge = _edge_of(wager, edges)
        z = _z(wager.sure, edge)
        rows.append(
            (
                wager.chance,
                "insured" if wager.insured else "-",
                str(wager.policy),
                percent(wager.sure.edge, 4),
                _error(wager.sure.standard_error),
                percent(edge, 4),
                "-" if z is None else f"{z:+.2f}",
                percent(wager.all.edge, 4),
            )
        )
    sure = sum(map(sum, house.points("sure")))
    title = (
        f"{house.name}: {house.coups} coups of {house.shoes} shoes, {sure} of them "
        f"{BASES['sure']}; {house.refaits()} refaits, {house.ties()} other ties, "
        f"{house.voids} void; seed {done.seed}"
    )
    columns = ("chance", "insurance", "policy", "edge", "+-", "exact", "z", "all coups")
    return Table(title, columns, tuple(rows), _NUMBERS)


def _error(error: float | None) -> str:
    return "-" if error is None else f"{error * 100:.4f} %"


def _differences(differences: tuple[Difference, ...]) -> Table:
    return Table(
        f"Differences on the same shoes, over {BASES['all']}",
        ("house", "takes more than", "chances", "insurance", "difference", "+-"),
        tuple(
            (
                one.second,
                one.first,
                ", ".join(one.chances),
                "insured" if one.insured else "-",
                percent(one.edge, 4),
                _error(one.standard_error),
            )
            for one in differences
        ),
        _NUMBERS,
    )
