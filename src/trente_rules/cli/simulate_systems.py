"""What ``trente simulate --system`` tells: staking systems, session by session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import click
from attrs import frozen

from trente_rules.cli.output import Table, percent, print_json, print_table
from trente_rules.errors import TrenteError
from trente_rules.house.house import House
from trente_rules.money import Amount
from trente_rules.simulation.rungs import PLAYS, Play, Seat
from trente_rules.simulation.staking import MOST_SESSION, SESSION, simulate_systems
from trente_rules.simulation.staking_result import SimulatedSystem, SystemSimulation, bands
from trente_rules.strategy.expected import Expected, expected_of
from trente_rules.strategy.seats import seat_of, system_of

ENDLESS: Final = "none"
MISUSE: Final = (
    *("bad-coups", "bad-seed", "bad-session", "unknown-chance", "unknown-system"),
    *("bad-system-text", "bankroll-too-small", "below-minimum", "above-maximum", "not-a-step"),
    *("no-insurance", "not-covered", "insurance-below-minimum", "insurance-not-multiple"),
    *("insurance-without-proof", "inexact", "needs-simple", "not-played", "not-whole-units"),
    *("bad-amount", "other-run", "not-a-run", "run-file", "no-cluster", "unknown-suffix"),
    *("file-unwritable", "system-over-limit"),
)
"""Codes of what was asked for wrongly."""
_COST: Final = (*("system", "staked a coup", "net a coup", "lost of it", "+-", "exact", "z", "N0"),)
_COURSE: Final = (
    *("system", "ruin", "95 % band", "final 5 %", "half", "95 %", "drawdown"),
    *("lost in a row", "greatest stake", "begun anew"),
)
_LOW, _MIDDLE, _HIGH = "0.05", "0.5", "0.95"


@frozen
class Asked:
    """What is asked of systems; amounts as they were written."""

    systems: tuple[str, ...] = ()
    unit: str | None = None
    bankroll: str | None = None
    session: int | None = None
    insured: bool = False
    policy: Play | None = None
    plot: Path | None = None

    def check(self) -> None:
        """Refuse options of systems where no system is named."""
        given = {
            "--unit": self.unit,
            "--bankroll": self.bankroll,
            "--session": self.session,
            "--insured": self.insured or None,
            "--policy": self.policy,
            "--plot": self.plot,
        }
        for name, value in given.items():
            if value is not None and not self.systems:
                raise click.UsageError(f"{name} is of a staking system: name one with --system")


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
    """Answer the seats that are asked for, house by house."""
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
            seat.check()
            seats.append(seat)
    return seats


def play_systems(
    houses: Sequence[House], asked: Asked, chances: Sequence[str], form: str, **run: Any
) -> bool:
    """Simulate systems and print what came of them; tells whether the run was complete."""
    if len(chances) > 1:
        raise click.UsageError("a system bets on one --chance, or begins with it")
    if asked.plot is not None:
        from trente_rules.analysis.figures import check_target  # noqa: PLC0415 - of the extra

        check_target(asked.plot)
    seats = seats_of(houses, asked, chances[0] if chances else "")
    done = simulate_systems(seats, session=asked.session or SESSION, **run)
    if not done.seats:
        raise click.Abort
    beside = [expected_of(one) for one in done.seats]
    if form == "json":
        print_json(_json(done, beside))
    else:
        _print(done, beside)
    if asked.plot is not None:
        from trente_rules.analysis.figures import save_figure  # noqa: PLC0415 - of the extra

        save_figure(bankroll_figure(done), asked.plot)
        click.echo(f"{asked.plot} written", err=True)
    return done.complete


def _json(done: SystemSimulation, beside: Sequence[Expected | None]) -> dict[str, Any]:
    told = done.to_json()
    lines = [line for house in told["houses"] for line in house["systems"]]
    by_house = {house["fingerprint"]: iter(house["systems"]) for house in told["houses"]}
    assert len(lines) == len(beside)  # noqa: S101 - each seat has its line
    for one, expected in zip(done.seats, beside, strict=True):
        line = next(by_house[one.seat.house.fingerprint])
        line["exact"] = expected and expected.to_json()
    return told


def _print(done: SystemSimulation, beside: Sequence[Expected | None]) -> None:
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
        rows = tuple(_cost(one, expected) for one, expected in pairs)
        print_table(Table(title, _COST, rows, frozenset(_COST[1:])))
        rows = tuple(_course(one) for one, _expected in pairs)
        print_table(Table("", _COURSE, rows, frozenset(_COURSE[1:])))


def _money(one: SimulatedSystem, units: float | None) -> str:
    if units is None:
        return "-"
    return f"{units * float(one.seat.house.money.unit.value):.2f}"


def _cost(one: SimulatedSystem, expected: Expected | None) -> tuple[str, ...]:
    rate = one.per_unit
    z = expected.z if expected else None
    n0 = expected.n0 if expected else None
    error = rate.standard_error
    return (
        one.seat.label,
        _money(one, one.staked / one.coups if one.coups else None),
        _money(one, one.net / one.coups if one.coups else None),
        percent(None if rate.value is None else -rate.value, 4),
        "-" if error is None else f"{100 * error:.4f} %",
        percent(expected.edge if expected else None, 4),
        "-" if z is None else f"{z:+.2f}",
        "-" if n0 is None else f"{n0:.0f}",
    )


def _course(one: SimulatedSystem) -> tuple[str, ...]:
    ruin, money = one.ruin, one.seat.house.money
    finals = one.finals.shifted(one.seat.bankroll or 0)
    chance, band = ruin or (None, None)
    return (
        one.seat.label,
        "-" if chance is None else f"{100 * chance:.2f} %",
        "-" if band is None else f"{100 * band[0]:.2f} to {100 * band[1]:.2f}",
        *(_money(one, finals.quantile(part)) for part in (0.05, 0.5, 0.95)),
        _money(one, one.drawdowns.mean),
        str(one.lost_runs.greatest or 0),
        money.text(one.greatest.greatest or 0),
        str(one.cuts),
    )


def bankroll_figure(done: SystemSimulation) -> Any:
    """Draw the bankroll through a session: the median of each seat, 5 % to 95 % shaded.

    Raises ``TrenteError`` ("needs-report").
    """
    from trente_rules.analysis.figures import lines  # noqa: PLC0415 - of the extra

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
