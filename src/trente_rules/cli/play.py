"""``trente play``: the table to sit at, in the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Final

import click

from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.stakes import Opening
from trente_rules.fair.entropy import SeededShuffler, SystemShuffler

if TYPE_CHECKING:
    from trente_rules.play.saving import SaveFile
    from trente_rules.play.session import PlaySession

FIRST_HOUSE: Final = "france-2007"
FIRST_BANKROLL: Final = "1000"
_INSTALL: Final = 'pip install "trente-rules[play]"'


class Houses:
    """The houses the player may change to, by their names."""

    def names(self) -> Iterator[tuple[str, str]]:
        """Yield each house's name, and the text it is picked by."""
        return ((name, name) for name in default_manager().names("house"))

    def __call__(self, name: str) -> tuple[House, Opening]:
        """Return a house and the least opening it can have."""
        house = load_house(name)
        return house, opening_of(house, None)


@click.command()
@click.argument("name", metavar="[HOUSE]", required=False)
@click.option(
    "--language",
    default="en",
    show_default=True,
    metavar="CODE",
    help="The language of the line under the croupier's words.",
)
@click.option("--seed", metavar="HEX", help="Shuffle by a seed, to play the same shoes again.")
@click.option(
    "--bankroll",
    metavar="AMOUNT",
    help=f"What you come with, in the currency of the house.  [default: {FIRST_BANKROLL}]",
)
@click.option(
    "--minimum",
    metavar="AMOUNT",
    help="The minimum of the table, where the house sets it at the opening or has several tables.",
)
@click.option(
    "--save",
    "file",
    type=click.Path(dir_okay=False),
    help="Keep the session in this file, or go on with the one in it.",
)
@click.option("--serve", is_flag=True, hidden=True)
def play_command(
    *,
    name: str | None,
    language: str,
    seed: str | None,
    bankroll: str | None,
    minimum: str | None,
    file: str | None,
    serve: bool,
) -> None:
    """Sit at the table of a HOUSE: bet, deal, see your prisoners and the score card.

    The keys are told at the foot of the table, and by ?. Needs the extra play.
    """
    if serve:  # an option of 0.1.0: any web page could sit down at that table
        raise click.UsageError("--serve was removed: the web table comes with `trente serve`")
    _check_extra()
    if not (sys.stdin and sys.stdin.isatty()):
        raise click.UsageError("play needs a terminal")
    _sit(name, language, file, seed, bankroll, minimum)


def _sit(
    name: str | None,
    language: str,
    file: str | None,
    seed: str | None,
    bankroll: str | None,
    minimum: str | None,
) -> None:
    """Begin a session, or go on with the one in the file, and play."""
    from trente_rules.play.saving import SaveFile  # noqa: PLC0415 - only where one plays

    with SaveFile(file) if file else nullcontext() as save:
        session = save.read() if save else None
        if session is None:
            session = _begin(name, seed, bankroll, minimum)
        else:
            _same_house(session, name, file)
        if save:
            session.keeper = save.write
            session.keep()
        _play(session, language, save)


def _same_house(session: PlaySession, name: str | None, file: str | None) -> None:
    """Refuse a house that the session in the file neither is at nor began at.

    How a session begins (seed, bankroll, minimum) may be told again: the same command goes on.
    """
    known = (session.house.name, session.began)
    if name is not None and load_house(name).name not in known:
        raise click.UsageError(
            f"{name}: {file} holds a session of {session.house.name}, which goes on as it is; "
            "leave the house out, or name another file"
        )


def _check_extra() -> None:
    from importlib.util import find_spec  # noqa: PLC0415 - only this needs it

    if find_spec("textual") is None:
        raise TrenteError("play needs textual", "needs-play", _INSTALL)


def opening_of(house: House, minimum: str | None) -> Opening:
    """Return the opening with a minimum in the currency, the least one where none is told.

    Raises ``click.UsageError`` where the house sets its minimum itself.
    """
    if minimum is None:
        return house.lowest_opening()
    if not house.limits_table.opening_needed:
        raise click.UsageError(f"--minimum does nothing: {house.name} sets its own")
    return Opening(_units(house, "--minimum", minimum))


def _units(house: House, option: str, text: str) -> int:
    try:
        return house.money.units(Amount.parse(text))
    except TrenteError as error:
        raise click.UsageError(f"{option} {error}") from error


def _begin(
    name: str | None, seed: str | None, bankroll: str | None, minimum: str | None
) -> PlaySession:
    from trente_rules.play.session import PlaySession  # noqa: PLC0415 - only where one plays

    house = load_house(name or FIRST_HOUSE)
    opening = opening_of(house, minimum)
    units = _units(house, "--bankroll", bankroll or FIRST_BANKROLL)
    shuffler: SeededShuffler | SystemShuffler = SystemShuffler()
    try:
        if seed is not None:
            shuffler = SeededShuffler(seed, test=True)
        return PlaySession.begin(house, opening, units, shuffler)
    except TrenteError as error:
        raise click.UsageError(str(error)) from error


def _play(session: PlaySession, language: str, save: SaveFile | None) -> None:
    """Play until the player leaves, then say where the session is kept."""
    from trente_rules.play import texts  # noqa: PLC0415 - only where one plays
    from trente_rules.play.app import TableApp  # noqa: PLC0415

    def hang_up() -> None:
        """Save and end at once: there is no terminal to put right, nor anybody to tell."""
        with suppress(TrenteError):
            session.keep()
        if save:
            save.release()
        os._exit(0)

    try:
        app = TableApp(session, language=language, houses=Houses(), hang_up=hang_up)
    except TrenteError as error:
        raise click.UsageError(f"--language {error}") from error
    try:
        app.run()
    finally:
        try:
            session.keep()
            kept = texts.SAVED.format(file=save.path) if save else texts.NOT_SAVED
        except RecordError as error:
            kept = texts.NOT_KEPT.format(file=save.path if save else "", why=error.message)
        _say(f"{_where(session)}\n{kept}")


def _where(session: PlaySession) -> str:
    from trente_rules.play import texts  # noqa: PLC0415 - only where one plays
    from trente_rules.play.session import money_text  # noqa: PLC0415

    return texts.LEFT.format(
        house=session.house.name,
        taille=session.state.shoe_number,
        coup=session.state.coup_number,
        purse=money_text(session.house, session.purse),
        bankroll=money_text(session.house, session.bankroll),
    )


def _say(text: str) -> None:
    """Say something last; where the terminal is gone there is nobody to say it to."""
    try:
        click.echo(text, err=True)
    except OSError:
        return
