"""``trente simulate``: many coups of one or more houses, next to what is exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from attrs import asdict, evolve, frozen

from trente_rules.cli.output import Output, bar, check_plot, misuse, report_options, save_plot
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.core.machine import Policy
from trente_rules.core.money import Amount
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.players.seats import Expected, expected_of, seat_of, system_of
from trente_rules.reports.comparison import Compared
from trente_rules.reports.comparison_layout import insured_text, scope_parts
from trente_rules.reports.document import Cell, Grid, Part, Report
from trente_rules.reports.nominal import scope_json, scopes
from trente_rules.simulation.flat import Policies, simulate
from trente_rules.simulation.flat_result import (
    BASES,
    Measure,
    PairDifference,
    SimulatedHouse,
    SimulatedWager,
    Simulation,
)
from trente_rules.simulation.runner import cluster
from trente_rules.simulation.seat import PLAYS, Play, Seat
from trente_rules.simulation.staking import MOST_SESSION, SESSION, simulate_systems
from trente_rules.simulation.staking_result import SimulatedSystem, SystemSimulation, bands

if TYPE_CHECKING:
    from concurrent.futures import Executor


# --- ``trente simulate --system``: staking systems, session by session

ENDLESS: Final = "none"
MISUSE: Final = (
    *("bad-coups", "bad-seed", "bad-session", "unknown-chance", "unknown-system"),
    *("bad-system-text", "bankroll-too-small", "below-minimum", "above-maximum", "not-a-step"),
    *(
        "no-insurance",
        "not-covered",
        "insurance-below-minimum",
        "insurance-not-multiple",
        "insurance-above-maximum",
    ),
    *("insurance-without-proof", "inexact", "needs-simple", "not-played", "not-whole-units"),
    *("bad-amount", "other-run", "not-a-run", "run-file", "no-cluster", "unknown-suffix"),
    *("file-unwritable", "system-over-limit", "bad-opening"),
)
"""Codes of what was asked for wrongly."""
_COST: Final = (
    *("system", ("staked a coup", ".2f"), ("net a coup", ".2f"), ("lost of it", ".4%")),
    *(("+-", ".4%"), ("exact", ".4%"), ("z", "+.2f"), ("N0", ".0f")),
)
_COURSE: Final = (
    *("system", ("ruin", ".2%"), ("95 % band", "s"), ("final 5 %", ".2f"), ("half", ".2f")),
    *(("95 %", ".2f"), ("drawdown", ".2f"), ("lost in a row", "d"), ("greatest stake", "s")),
    ("begun anew", "d"),
)
_LOW, _MIDDLE, _HIGH = "0.05", "0.5", "0.95"


@frozen
class Asked:
    """The options of staking systems, amounts as they were written."""

    systems: tuple[str, ...] = ()
    unit: str | None = None
    maximum: str | None = None
    bankroll: str | None = None
    session: int | None = None
    insured: bool = False
    policy: Play | None = None
    plot: Path | None = None

    def check(self) -> None:
        """Refuse options of systems where no system is named."""
        for name, value in asdict(self).items():
            if value and not self.systems:
                raise click.UsageError(f"--{name} is of a staking system: name one with --system")


_OPTIONS: Final = (
    click.option(
        "--system",
        "systems",
        multiple=True,
        metavar="SYSTEM",
        help="Play a staking system: a name, as martingale or d'alembert, or a name with its keys, "
        "as 'paroli{coups=2}'; may be repeated. Without one, flat stakes on every wager.",
    ),
    click.option(
        "--unit",
        metavar="N",
        help="The base stake in the currency of each house; else the least that it takes.",
    ),
    click.option(
        "--maximum",
        metavar="N",
        help="The maximum posted at the table, in the currency of each house; by default that of "
        "the house, or 1000 base stakes where it is posted.",
    ),
    click.option(
        "--bankroll",
        metavar="N",
        help="What a session begins with, in the currency of each house, or none: no end of it; "
        "else 1000 base stakes.",
    ),
    click.option(
        "--session",
        type=click.IntRange(1, MOST_SESSION),
        help=f"Coups of a session; else {SESSION}.",
    ),
    click.option("--insured", is_flag=True, help="Insure every stake of the system."),
    click.option(
        "--policy",
        type=click.Choice([play for play in PLAYS if play != "default"]),
        help="What to choose at a refait, where the house offers it; else its default.",
    ),
    click.option(
        "--plot",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write the bankroll through a session as SVG or PNG: median, 5 % to 95 % shaded.",
    ),
)


def system_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of systems to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def amount_of(house: House, text: str, what: str) -> int:
    """Read an amount of the currency of a house, in units."""
    try:
        units = house.money.units(Amount.parse(int(text) if text.isdecimal() else text))
    except (TrenteError, ValueError) as error:
        message = error.message if isinstance(error, TrenteError) else error
        raise click.UsageError(f"{what} {text!r} at {house.name}: {message}") from error
    if units < 1:
        raise click.UsageError(f"{what} {text!r}: give an amount above nothing")
    return units


def seats_of(houses: Sequence[House], asked: Asked, chance: str) -> list[Seat]:
    """Return the seats that are asked for, house by house."""
    seats = []
    for house in houses:
        base = None if asked.unit is None else amount_of(house, asked.unit, "--unit")
        endless = asked.bankroll == ENDLESS
        bankroll = None
        if asked.bankroll is not None and not endless:
            bankroll = amount_of(house, asked.bankroll, "--bankroll")
        for text in asked.systems:
            seat = seat_of(
                house,
                system_of(text, chance=chance),
                label=text,
                base=base,
                bankroll=bankroll,
                endless=endless,
                insured=asked.insured,
                play=asked.policy or "default",
            )
            if asked.maximum is not None:
                most = amount_of(house, asked.maximum, "--maximum")
                seat = evolve(seat, opening=house.narrowed(seat.opening, most))
            seat.check()
            seats.append(seat)
    return seats


def play_systems(
    houses: Sequence[House], asked: Asked, chances: Sequence[str], output: Output, **run: Any
) -> bool:
    """Simulate systems and print the report; return whether the run was complete."""
    if len(chances) > 1:
        raise click.UsageError("a system bets on one --chance, or begins with it")
    check_plot(asked.plot)
    seats = seats_of(houses, asked, chances[0] if chances else "")
    done = simulate_systems(seats, session=asked.session or SESSION, **run)
    if not done.seats:
        raise click.Abort
    beside = [expected_of(one) for one in done.seats]
    report = Report(
        "Staking systems", _systems(done, beside), data=lambda: _systems_json(done, beside)
    )
    output.show(report)
    save_plot(lambda: bankroll_figure(done), asked.plot)
    return done.complete


def _systems_json(done: SystemSimulation, beside: Sequence[Expected | None]) -> dict[str, Any]:
    told = done.to_json()
    by_house = {house["fingerprint"]: iter(house["systems"]) for house in told["houses"]}
    for one, expected in zip(done.seats, beside, strict=True):
        line = next(by_house[one.seat.house.fingerprint])
        line["exact"] = expected and expected.to_json()
    return told


def _systems(done: SystemSimulation, beside: Sequence[Expected | None]) -> Iterator[Grid]:
    by_house: dict[str, list[tuple[SimulatedSystem, Expected | None]]] = {}
    for one, expected in zip(done.seats, beside, strict=True):
        by_house.setdefault(one.seat.house.name, []).append((one, expected))
    for name, pairs in by_house.items():
        one, seat, money = pairs[0][0], pairs[0][0].seat, pairs[0][0].seat.house.money
        bankroll = "no end of money"
        if seat.bankroll is not None:
            bankroll = f"bankroll {money.text(seat.bankroll)}"
        how = ["insured"] if seat.insured else []
        how += [f"always {seat.play}"] if seat.play != "default" else []
        title = ", ".join(
            (
                f"{name}: {one.sessions} sessions of {one.session} coups",
                f"base stake {money.text(seat.base)}",
                bankroll,
                *how,
                f"seed {done.seed}",
            )
        )
        yield Grid(title, _COST, (_cost(one, expected) for one, expected in pairs))
        yield Grid("", _COURSE, (_course(one) for one, _expected in pairs))


def _money(one: SimulatedSystem, units: float | None) -> float | None:
    return None if units is None else units * float(one.seat.house.money.unit.value)


def _cost(one: SimulatedSystem, expected: Expected | None) -> tuple[Cell, ...]:
    rate = one.per_unit
    return (
        one.seat.label,
        _money(one, one.staked / one.coups if one.coups else None),
        _money(one, one.net / one.coups if one.coups else None),
        None if rate.value is None else -rate.value,
        rate.standard_error,
        *((expected.edge, expected.z, expected.n0) if expected else (None, None, None)),
    )


def _course(one: SimulatedSystem) -> tuple[Cell, ...]:
    money = one.seat.house.money
    finals = one.finals.shifted(one.seat.bankroll or 0)
    chance, band = one.ruin or (None, None)
    return (
        one.seat.label,
        chance,
        band and f"{100 * band[0]:.2f} to {100 * band[1]:.2f}",
        *(_money(one, finals.quantile(part)) for part in (0.05, 0.5, 0.95)),
        _money(one, one.drawdowns.mean),
        one.lost_runs.greatest or 0,
        money.text(one.greatest.greatest or 0),
        one.cuts,
    )


def bankroll_figure(done: SystemSimulation) -> Any:
    """Draw the bankroll through a session: the median of each seat, 5 % to 95 % shaded.

    Raises ``TrenteError`` ("needs-report").
    """
    from trente_rules.reports.figures import lines  # noqa: PLC0415 - of the extra

    several = len({one.seat.house.name for one in done.seats}) > 1
    series: dict[str, list[tuple[float, float]]] = {}
    shaded: dict[str, list[tuple[float, float, float]]] = {}
    for one in done.seats:
        money = float(one.seat.house.money.unit.value)
        name = f"{one.seat.house.name}: {one.seat.label}" if several else one.seat.label
        told = bands(one, start=one.seat.bankroll or 0)
        series[name] = [(coup, money * (band[_MIDDLE] or 0)) for coup, band in told.items()]
        shaded[name] = [
            (coup, money * (band[_LOW] or 0), money * (band[_HIGH] or 0))
            for coup, band in told.items()
        ]
    whose = "" if several else f" at {done.seats[0].seat.house.name}"
    return lines(
        f"The bankroll through a session{whose}",
        series,
        x_label="coup",
        y_label="bankroll (median; 5 % to 95 % shaded)",
        bands=shaded,
    )


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
    help="Save what is done in a file, and do not play again what is in it.",
)
@report_options()
@click.pass_context
def simulate_command(  # noqa: PLR0913 - click passes each option
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
    output: Output,
    **of_systems: Any,
) -> None:
    """Simulate houses: shoes shuffled and dealt to their end, one stake on every wager a coup.

    Stakes are carried by the same tables that settle them, prisoners to their end. Edges are those
    of coups that are sure to be completed, which have the exact edge of a fresh shoe; z is how many
    standard errors they are apart. Houses of equal packs play the same shoes. Control-C ends the
    run with what is done.

    With --system, a staking system is played instead, one stake at a time, in sessions: what it
    costs next to the exact advantage, ruin, drawdown, runs. Every system plays the same shoes.
    """
    loaded = [load_house(name) for name in houses]
    asked = Asked(**of_systems)
    asked.check()
    with (
        misuse(*MISUSE),
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
            if not play_systems(loaded, asked, chances, output, **run):
                _stopped(context)
            return
        done = simulate(loaded, chances=chances, policies=policies, **run)
    if not done.houses:
        raise click.Abort
    exact = [_exact(house, chances) for house in loaded]
    tables: list[Part] = [
        _table(house, edges, done) for house, (edges, _one) in zip(done.houses, exact, strict=True)
    ]
    tables.extend(scope_parts(one for _edges, one in exact))
    if done.differences:
        tables.append(_differences(done.differences))
    output.show(Report("Houses simulated", tables, data=lambda: _json(done, exact)))
    if not done.complete:
        _stopped(context)


def _stopped(context: click.Context) -> None:
    click.echo("stopped: the figures are of the shoes that were dealt", err=True)
    context.exit(_STOPPED)


@contextmanager
def _played_on(
    dask: str | None, workers: int | None
) -> Iterator[tuple[Executor | None, int | None]]:
    """Return what plays: threads of this process, or a cluster and how many threads it has."""
    if dask is None:
        yield None, workers
        return
    with cluster(dask) as (executor, threads):
        yield executor, workers or threads


def _exact(house: House, chances: tuple[str, ...]) -> tuple[Exact, Compared]:
    """Return the exact edges of a fresh shoe, by chance, insurance and policy, with their scopes.

    What is simulated is nominal too: edges and scopes are those of both.
    """
    names = [chance.id for chance in house.chances if not chances or chance.id in chances]
    odds = fresh_shoe(house.shoe.packs)
    found = advantage(house, odds, chances=names)
    edges = {(one.chance, one.insured, one.policy): one.edge for one in found.wagers}
    return edges, Compared(house, found, scopes=scopes(house, odds, found.wagers))


def _z(measure: Measure, exact: Fraction) -> float | None:
    edge, error = measure.edge, measure.standard_error
    return float(edge - exact) / error if edge is not None and error else None


def _edge_of(wager: SimulatedWager, edges: Exact) -> Fraction:
    return edges[wager.chance, wager.insured, wager.policy]


def _json(done: Simulation, exact: list[tuple[Exact, Compared]]) -> dict[str, Any]:
    told = done.to_json()
    for house, shown, (edges, one) in zip(done.houses, told["houses"], exact, strict=True):
        money, wagers = one.house.money, zip(one.advantage.wagers, one.scopes, strict=True)
        holds = {(w.chance, w.insured, w.policy): scope for w, scope in wagers}
        for wager, line in zip(house.wagers, shown["wagers"], strict=True):
            edge = _edge_of(wager, edges)
            scope = holds[wager.chance, wager.insured, wager.policy]
            beside = {"edge_of_fresh_shoe": float(edge), "z": _z(wager.sure, edge)}
            line.update(beside | scope_json(scope, money))
    return told


def _table(house: SimulatedHouse, edges: Exact, done: Simulation) -> Grid:
    sure = sum(map(sum, house.points("sure")))
    title = (
        f"{house.name}: {house.coups} coups of {house.shoes} shoes, {sure} of them "
        f"{BASES['sure']}; {house.refaits()} refaits, {house.ties()} other ties, "
        f"{house.voids} void; seed {done.seed}"
    )
    return Grid(
        title,
        (
            *("chance", "insurance", "policy", ("edge", ".4%"), ("+-", ".4%"), ("exact", ".4%")),
            *(("z", "+.2f"), ("all coups", ".4%")),
        ),
        (
            (
                wager.chance,
                insured_text(insured=wager.insured),
                str(wager.policy),
                *(wager.sure.edge, wager.sure.standard_error, edge, _z(wager.sure, edge)),
                wager.all.edge,
            )
            for wager in house.wagers
            for edge in (_edge_of(wager, edges),)
        ),
    )


def _differences(differences: Iterable[PairDifference]) -> Grid:
    return Grid(
        f"Differences on the same shoes, over {BASES['all']}",
        (
            *("house", "takes more than", "chances", "insurance"),
            *(("difference", ".4%"), ("+-", ".4%")),
        ),
        (
            (
                *(one.second, one.first, ", ".join(one.chances)),
                *(insured_text(insured=one.insured), one.edge, one.standard_error),
            )
            for one in differences
        ),
    )
