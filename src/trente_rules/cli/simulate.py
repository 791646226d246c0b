"""``trente simulate``: flat stakes and staking systems, on dealt coups or on your own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from attrs import asdict, evolve, frozen
from click.core import ParameterSource

from trente_rules.cli.helped import HelpedCommand, RetiredOption
from trente_rules.cli.output import (
    PLAIN_TEXT,
    Output,
    bar,
    check_plot,
    misuse,
    report_options,
    save_plot,
)
from trente_rules.cli.values import (
    CHANCE,
    DEFAULT_HOUSE,
    HOUSE,
    SEED,
    SYSTEM,
    AmountText,
    SeedText,
    WholeNumber,
)
from trente_rules.core.compiled import fast_installed
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.core.money import Amount
from trente_rules.core.names import known_name
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.toml import faults_error
from trente_rules.players.permanences import play_permanence
from trente_rules.players.plain import AFFORDED as AFFORDED_OF_SYSTEM
from trente_rules.players.plain import simulate_systems_plain
from trente_rules.players.seats import expected_of, seat_of, system_of
from trente_rules.records.files import record_error
from trente_rules.records.permanence import Permanence
from trente_rules.records.tailles import load_tailles
from trente_rules.reports.noted_play import noted_play_report
from trente_rules.reports.simulated_houses import exact_of, houses_report
from trente_rules.reports.staking import staking_report
from trente_rules.simulation.flat import Policies, simulate
from trente_rules.simulation.plain import AFFORDED, simulate_plain
from trente_rules.simulation.runner import MOST_COUPS, cluster
from trente_rules.simulation.seat import PLAYS, Play, Seat
from trente_rules.simulation.sessions import law_or_reason
from trente_rules.simulation.staking import MOST_SESSION, SESSION, simulate_systems

if TYPE_CHECKING:
    from concurrent.futures import Executor

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
    *("file-unwritable", "system-over-limit", "bad-opening", "above-counted", "bad-result"),
)
"""Codes of what was asked for wrongly."""
_STOPPED: Final = 130
_FLAT_RATE: Final = 10_000
_SYSTEM_RATE: Final = 2_000
"""Coups a second without numba, about."""


@frozen
class Asked:
    """The options of staking systems, amounts as they were read."""

    systems: tuple[str, ...] = ()
    stake: Amount | None = None
    maximum: Amount | None = None
    bankroll: Amount | str | None = None
    session: int | None = None
    insured: bool = False
    policy: Play | None = None
    plot: Path | None = None
    permanence: tuple[Path, ...] = ()
    results: str | None = None

    def check(self, context: click.Context) -> None:
        """Refuse options that could do nothing."""
        for name, value in asdict(self, recurse=False).items():
            if value and not self.systems:
                raise click.UsageError(f"--{name} needs a staking system: name one with --system")
        if self.results is not None and not self.results.strip():
            raise click.UsageError("--results: no result (example: --results 'L W W')")
        if self.permanence and self.results:
            raise click.UsageError("give --permanence or --results, not both")
        if not self.noted:
            return
        for name in ("coups", "session", "seed", "workers", "dask", "resume", "plot", "policies"):
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                given = "--permanence" if self.permanence else "--results"
                raise click.UsageError(f"--{name} does nothing with {given}: no coups are dealt")

    @property
    def noted(self) -> bool:
        """Coups that were noted are played, none is dealt."""
        return bool(self.permanence or self.results)


_OPTIONS: Final = (
    click.option(
        "--system",
        "systems",
        multiple=True,
        type=SYSTEM,
        metavar="SYSTEM",
        help="Play a staking system: a name, such as martingale or d'alembert, or a name with its "
        "keys, such as 'paroli{coups=2}'. Repeat for several. Without one, flat stakes on every "
        "chance.",
    ),
    click.option(
        "--permanence",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Play the systems over your own coups: a permanence, a record or a journal. Repeat "
        "for several: their tailles follow one another.",
    ),
    click.option(
        "--results",
        metavar="TEXT",
        help="Play the systems over results as text: W won, L lost, A après, X refait, ? not "
        "noted, such as 'L W W'; -- ends a taille.",
    ),
    click.option(
        "--stake",
        type=AmountText(),
        help="The base stake in the currency of each house.  [default: the least it takes]",
    ),
    click.option(
        *("--unit", "stake"),
        cls=RetiredOption,
        type=AmountText(),
        since="0.7.0",
        until="1.0.0",
        instead="--stake",
    ),
    click.option(
        "--maximum",
        type=AmountText(),
        help="The maximum posted at the table, in the currency of each house.  [default: that of "
        "the house, or 1,000 base stakes where it is posted]",
    ),
    click.option(
        "--bankroll",
        type=AmountText(ENDLESS),
        help="The money of a session, in the currency of each house, or none for endless credit.  "
        "[default: 1,000 base stakes]",
    ),
    click.option(
        "--session",
        type=WholeNumber(1, MOST_SESSION),
        help=f"The coups of a session.  [default: {SESSION:,}]",
    ),
    click.option("--insured", is_flag=True, help="Insure every stake of the system."),
    click.option(
        "--policy",
        type=click.Choice([play for play in PLAYS if play != "default"]),
        help="The choice at a refait, where the house offers it.  [default: that of the house]",
    ),
    click.option(
        "--plot",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Draw the bankroll through a session, as SVG or PNG: a panel for each system.",
    ),
)


def system_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of systems to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def amount_of(house: House, amount: Amount | str, what: str) -> int:
    """Return an amount of the currency of a house in units; above nothing."""
    assert isinstance(amount, Amount)  # noqa: S101 - words are seen to before
    try:
        units = house.money.units(amount)
    except TrenteError as error:
        raise click.UsageError(f"{what} {amount} at {house.name}: {error.message}") from error
    if units < 1:
        raise click.UsageError(f"{what} {amount}: give an amount above 0")
    return units


def seats_of(houses: Sequence[House], asked: Asked, chance: str) -> list[Seat]:
    """Return the seats that are asked for, house by house."""
    seats = []
    for house in houses:
        base = None if asked.stake is None else amount_of(house, asked.stake, "--stake")
        # One evening: money does not end it unless that is asked for.
        endless = asked.bankroll == ENDLESS or (asked.noted and asked.bankroll is None)
        bankroll = None
        if asked.bankroll is not None and not endless:
            bankroll = amount_of(house, asked.bankroll, "--bankroll")
        for text in asked.systems:
            seat = seat_of(
                house,
                system_of(text, chance=chance),
                label=_label(text),
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


def _label(text: str) -> str:
    """Return a system as it was asked for, with its name as it is listed."""
    name, brace, keys = text.strip().partition("{")
    return known_name(name.strip(), default_manager().names("system")) + brace + keys


def _one_chance(chances: Sequence[str]) -> str:
    if len(chances) > 1:
        raise click.UsageError("a system bets on one --chance, or begins with it")
    return chances[0] if chances else ""


def _to_a_screen(output: Output) -> bool:
    """Return whether a person reads the report who could ask for more of it."""
    return output.form == PLAIN_TEXT and output.out is None


# --- Coups that were noted


def _permanence_of(files: Iterable[Path]) -> Permanence:
    """Return the tailles of all files, one after the other."""
    found = []
    for file in files:
        tailles = load_tailles(file)
        found.append(tailles.permanence or Permanence.of_records(tailles.records))
    return Permanence(
        tuple(taille for one in found for taille in one.tailles),
        found[0].headers,
        found[0].origin,
        tuple(lines for one in found for lines in one.lines) if len(found) == 1 else (),
    )


def _check_possible(files: Iterable[Path], houses: Iterable[House]) -> None:
    """Reject tailles that the packs of a house cannot deal, each in its own file."""
    tailles = [load_tailles(file).permanence for file in files]
    for house in houses:
        faults = [each for one in tailles if one is not None for each in one.impossible(house)]
        if faults:
            raise record_error(faults_error(faults))


def play_noted(
    houses: Sequence[str], asked: Asked, chances: Sequence[str], output: Output, *, full: bool
) -> None:
    """Play systems over coups that were noted, and print the report."""
    coups: Permanence | str = asked.results or ""
    names = list(houses)
    sources: list[str] = ["--results"]
    if asked.permanence:
        coups = _permanence_of(asked.permanence)
        names = names or [coups.house or DEFAULT_HOUSE]
        sources = [str(file) for file in asked.permanence]
    loaded = [load_house(name) for name in names or [DEFAULT_HOUSE]]
    _check_possible(asked.permanence, loaded)
    seats = seats_of(loaded, asked, _one_chance(chances))
    played = [play_permanence(seat, coups) for seat in seats]
    output.show(noted_play_report(played, sources, full=full, more=_to_a_screen(output)))


# --- Coups that are dealt


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


def _afforded(context: click.Context, coups: int, asked: Asked, houses: int) -> int:
    """Return how many coups are played without numba, and say so.

    What is asked for is played, however long it takes; the default is a smaller one.
    """
    most, rate = (AFFORDED_OF_SYSTEM, _SYSTEM_RATE) if asked.systems else (AFFORDED, _FLAT_RATE)
    given = context.get_parameter_source("coups") is ParameterSource.COMMANDLINE
    played = coups if given else min(coups, most)
    plays = houses * max(1, len(asked.systems))
    seconds = max(1, round(played * plays / rate))
    each = "" if plays == 1 else f" for each of {plays}"
    click.echo(
        f"numba is not installed: playing in plain Python, about {rate:,} coups a second\n"
        f"  {played:,} coups{each} take about {seconds:,} s "
        '(pip install "trente-rules[fast]" plays millions a second)',
        err=True,
    )
    return played


def _without_numba(resume: Path | None, dask: str | None) -> None:
    for name, value in (("resume", resume), ("dask", dask)):
        if value is not None:
            raise click.UsageError(
                f'--{name} needs numba and numpy: pip install "trente-rules[fast]"'
            )


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente simulate france-2007 --coups 1e6", "the simulated edge next to the exact one"),
        (
            "trente simulate france-2007 --system martingale --stake 10 --coups 1e5",
            "what a martingale costs, and how often it is ruined",
        ),
        (
            "trente simulate foster-1897 --system martingale --stake 10 --results 'L W W'",
            "a system over results, stake by stake",
        ),
        (
            "trente simulate --system labouchere --permanence examples/permanence.txt",
            "a system over coups that you noted",
        ),
    ),
    status={0: "done", 2: "wrong call", 130: "interrupted, figures of what was dealt"},
)
@click.argument("houses", nargs=-1, type=HOUSE)
@click.option(
    "--house",
    "named",
    multiple=True,
    type=HOUSE,
    help="With --permanence: the house that the coups are played by, the same as HOUSE.",
)
@click.option(
    "--coups",
    default="1e7",
    show_default=True,
    type=WholeNumber(1, MOST_COUPS),
    help="At least about N coups in each house: the same number of whole shoes in all.",
)
@system_options
@click.option("--seed", type=SEED, help="The same seed deals the same shoes.  [default: drawn]")
@click.option(
    "--workers", type=WholeNumber(1, 10**6), help="Threads.  [default: one for each processor]"
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Play on a dask cluster: the address of its scheduler, such as tls://host:8786.",
)
@click.option(
    "--chance",
    "chances",
    multiple=True,
    type=CHANCE,
    help="Only this chance; repeat for several. Of a system: the one it bets on.",
)
@click.option(
    "--policies",
    type=click.Choice(["all", "default"]),
    default="all",
    show_default=True,
    help="Flat stakes: every policy of the player, or the courses taken without a choice.",
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Save progress to FILE, and resume from it.",
)
@click.option("--full", is_flag=True, help="Print every figure.")
@report_options()
@click.pass_context
def simulate_command(  # noqa: PLR0913 - click passes each option
    context: click.Context,
    /,
    *,
    houses: tuple[str, ...],
    named: tuple[str, ...],
    coups: int,
    seed: SeedText | None,
    workers: int | None,
    dask: str | None,
    chances: tuple[str, ...],
    policies: Policies,
    resume: Path | None,
    full: bool,
    output: Output,
    **of_systems: Any,
) -> None:
    """Simulate flat stakes or staking systems.

    Without --system, one stake lies on every chance in every coup, and the bank's edge is printed
    next to the exact one. With --system, a staking system plays one stake at a time, in sessions:
    its net, its loss rate next to the exact edge, and its ruin. Houses with equal packs, and all
    systems, play the same shoes. With --permanence or --results a system plays your own coups,
    stake by stake.

    Control-C ends the run and prints what is done.
    """
    asked = Asked(**of_systems)
    asked.check(context)
    names = (*houses, *named)
    if asked.noted:
        with misuse(*MISUSE):
            play_noted(names, asked, chances, output, full=full)
        return
    if not names:
        raise click.UsageError("name a house, such as france-2007 (trente houses lists them)")
    loaded = [load_house(name) for name in names]
    fast = fast_installed()
    if not fast:
        _without_numba(resume, dask)
        coups = _afforded(context, coups, asked, len(loaded))
    with misuse(*MISUSE), _played_on(dask, workers) as (executor, players):
        run: dict[str, Any] = {"coups": coups, "seed": None if seed is None else seed.number}
        if fast:
            run |= {"executor": executor, "workers": players, "resume": resume}
        play = _systems if asked.systems else _flat
        complete = play(loaded, asked, chances, output, policies=policies, full=full, run=run)
    if not complete:
        click.echo("interrupted: the figures are of the shoes that were dealt", err=True)
        context.exit(_STOPPED)


def _systems(
    houses: Sequence[House],
    asked: Asked,
    chances: Sequence[str],
    output: Output,
    *,
    policies: Policies,  # noqa: ARG001 - of flat stakes
    full: bool,
    run: dict[str, Any],
) -> bool:
    """Simulate systems and print the report; return whether the run was complete."""
    check_plot(asked.plot)
    seats = seats_of(houses, asked, _one_chance(chances))
    play = simulate_systems if fast_installed() else simulate_systems_plain
    with bar("sessions") as progress:
        done = play(seats, session=asked.session or SESSION, progress=progress, **run)
    if not done.seats:
        raise click.Abort
    laws = [law_or_reason(one.seat, one.session) for one in done.seats]
    pairs = [(one, expected_of(one), law) for one, law in zip(done.seats, laws, strict=True)]
    output.show(staking_report(done, pairs, full=full, more=_to_a_screen(output)))
    if asked.plot is not None:
        from trente_rules.reports.bankrolls import bankroll_figure  # noqa: PLC0415 - of the extra

        save_plot(lambda: bankroll_figure(done.seats, laws), asked.plot)
    return done.complete


def _flat(
    houses: Sequence[House],
    _asked: Asked,
    chances: Sequence[str],
    output: Output,
    *,
    policies: Policies,
    full: bool,
    run: dict[str, Any],
) -> bool:
    """Simulate flat stakes and print the report; return whether the run was complete."""
    play = simulate if fast_installed() else simulate_plain
    with bar("shoes") as progress:
        done = play(houses, chances=chances, policies=policies, progress=progress, **run)
    if not done.houses:
        raise click.Abort
    exact = [exact_of(house, chances) for house in houses]
    output.show(houses_report(done, exact, full=full, more=_to_a_screen(output)))
    return done.complete
