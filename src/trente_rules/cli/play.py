"""``trente play``: the table to sit at, in the terminal or in a browser."""

from __future__ import annotations

import importlib.util
import os
import sys
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import key_option, language_option
from trente_rules.cli.values import AMOUNT, DEFAULT_HOUSE, HOUSE, SEED, SeedText
from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.stakes import Opening
from trente_rules.fair.card_seal import CardSeal
from trente_rules.fair.entropy import SeededShuffler, SystemShuffler

if TYPE_CHECKING:
    from trente_rules.play.saving import SaveFile
    from trente_rules.play.session import PlaySession

FIRST_BANKROLL: Final = Amount.parse(1000)
_INSTALL: Final = 'pip install "trente-rules[play]"'


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente play", f"a table of {DEFAULT_HOUSE}, with a bankroll of {FIRST_BANKROLL}"),
        ("trente play germany-500 --language de --bankroll 5000", "a table in German"),
        ("trente play --save evening.json", "a session that can be resumed"),
        ("trente play --browser --save tables", "the web table, on this machine alone"),
    ),
    status={0: "you left the table", 1: "the session cannot be read or saved"},
)
@click.argument("name", type=HOUSE, metavar="[HOUSE]", required=False)
@language_option("The language of the interface and of the line under the croupier's words.")
@click.option("--seed", type=SEED, help="Shuffle with a seed, to play the same shoes again.")
@click.option(
    "--bankroll",
    type=AMOUNT,
    help=f"Your starting bankroll, in the currency of the house.  [default: {FIRST_BANKROLL}]",
)
@click.option(
    "--minimum",
    type=AMOUNT,
    help="The minimum of the table, if the house sets it at the opening or has several tables.",
)
@click.option(
    "--maximum",
    type=AMOUNT,
    help="The maximum posted at the table, where it is below that of the house.",
)
@click.option(
    "--save",
    "file",
    type=click.Path(),
    metavar="FILE",
    help="Save the session to FILE, or resume the one in it; a folder with --browser.",
)
@key_option("Seal the cards to come in the saved session with the key in FILE.")
@click.option("--browser", is_flag=True, help="Play in a browser, on this machine.")
@click.option("--serve", is_flag=True, hidden=True)
def play_command(  # noqa: PLR0913 - each option is a parameter
    *,
    name: str | None,
    language: str,
    seed: SeedText | None,
    bankroll: Amount | None,
    minimum: Amount | None,
    maximum: Amount | None,
    file: str | None,
    seal: CardSeal | None,
    browser: bool,
    serve: bool,
) -> None:
    """Play in the terminal or in a browser.

    Bet, deal, and see your stakes in prison and the score card. Keys are shown at the bottom of the
    screen; press ? for help. Needs trente-rules[play], with --browser trente-rules[service].
    """
    if serve:  # an option of 0.1.0: any web page could sit down at that table
        raise click.UsageError("--serve was removed: the web table comes with `trente serve`")
    if browser:
        if seal is not None:
            raise click.UsageError("--key-file is for the terminal: use `trente serve` with it")
        _browse(name, language, seed, bankroll, (minimum, maximum), file)
        return
    if importlib.util.find_spec("textual") is None:
        raise TrenteError("play needs textual", "needs-play", _INSTALL)
    if not (sys.stdin and sys.stdin.isatty()):
        raise click.UsageError("play needs a terminal")
    if file and Path(file).is_dir():
        raise click.UsageError(f"--save {file}: a folder is for --browser; name a file")
    from trente_rules.play.saving import SaveFile  # noqa: PLC0415 - only to play

    with SaveFile(file, seal) if file else nullcontext() as save:
        session = save.read() if save else None
        if session is None:
            session = _begin(name, seed, bankroll, (minimum, maximum))
        else:
            _check_house(session, name, file)
        if save:
            session.keeper = save.write
            session.keep()
        _play(session, language, save, seal)


def _browse(
    name: str | None,
    language: str,
    seed: SeedText | None,
    bankroll: Amount | None,
    bounds: tuple[Amount | None, Amount | None],
    folder: str | None,
) -> None:
    """Serve the table to a browser of this machine, the lobby where no house is named."""
    from trente_rules.cli.serve import play_in_browser  # noqa: PLC0415 - with --browser

    if folder and Path(folder).is_file():
        raise click.UsageError(f"--save {folder}: with --browser name a folder")
    named = name or any(bounds)
    house = load_house(name or DEFAULT_HOUSE) if named else None
    _units(house or load_house(DEFAULT_HOUSE), "--bankroll", bankroll or FIRST_BANKROLL)
    play_in_browser(
        house,
        opening_of(house, *bounds) if house is not None else None,
        str(bankroll or FIRST_BANKROLL),
        seed=str(seed or ""),
        language=language,
        folder=folder or "",
    )


def _check_house(session: PlaySession, name: str | None, file: str | None) -> None:
    """Raise ``click.UsageError`` for a house other than that of the session, or its first one.

    Seed, bankroll and limits may be given again: the same command resumes the session.
    """
    known = (session.house.name, session.began)
    if name is not None and load_house(name).name not in known:
        raise click.UsageError(
            f"{name}: {file} holds a session of {session.house.name}, which this would resume; "
            "leave the house out, or name another file"
        )


def opening_of(house: House, minimum: Amount | None, maximum: Amount | None = None) -> Opening:
    """Return the opening with a minimum and a maximum in the currency, by default the lowest one.

    Raises ``click.UsageError`` where the house sets its minimum itself, or cannot open like this.
    """
    opening = house.lowest_opening()
    if minimum is not None and "minimum" not in house.limits_table.posted:
        raise click.UsageError(f"--minimum does nothing: {house.name} sets its own")
    try:
        if minimum is not None:
            opening = house.opening_with(_units(house, "--minimum", minimum))
        if maximum is not None:
            opening = house.narrowed(opening, _units(house, "--maximum", maximum))
        house.check_opening(opening)
    except TrenteError as error:
        raise click.UsageError(str(error)) from error
    return opening


def _units(house: House, option: str, amount: Amount) -> int:
    try:
        return house.money.units(amount)
    except TrenteError as error:
        raise click.UsageError(f"{option} {error}") from error


def _begin(
    name: str | None,
    seed: SeedText | None,
    bankroll: Amount | None,
    bounds: tuple[Amount | None, Amount | None],
) -> PlaySession:
    from trente_rules.play.session import PlaySession  # noqa: PLC0415 - only to play

    house = load_house(name or DEFAULT_HOUSE)
    opening = opening_of(house, *bounds)
    units = _units(house, "--bankroll", bankroll or FIRST_BANKROLL)
    shuffler: SeededShuffler | SystemShuffler = SystemShuffler()
    try:
        if seed is not None:
            shuffler = SeededShuffler(seed.data, test=True)
        return PlaySession.begin(house, opening, units, shuffler)
    except TrenteError as error:
        raise click.UsageError(str(error)) from error


def _play(
    session: PlaySession, language: str, save: SaveFile | None, seal: CardSeal | None
) -> None:
    """Play until the player leaves, then print where the session is saved."""
    from trente_rules.play.app import TableApp, save_session  # noqa: PLC0415 - only to play
    from trente_rules.play.chips import money_text  # noqa: PLC0415 - only to play

    def hang_up() -> None:
        """Save and end at once: the terminal is gone, and nobody reads it."""
        with suppress(TrenteError):
            session.keep()
        if save:
            save.release()
        os._exit(0)

    houses = default_manager().names("house")
    save_as = partial(save_session, session, seal=seal)
    try:
        app = TableApp(session, language=language, houses=houses, hang_up=hang_up, save_as=save_as)
    except TrenteError as error:
        raise click.UsageError(f"--language {error}") from error
    texts, file = app.texts, save.path if save else ""
    try:
        app.run()
    finally:
        try:
            session.keep()
            saved = texts("left.saved" if save else "left.not_saved", file=file)
            if app.saved_in:
                saved = texts("left.saved_as", file=app.saved_in)
        except RecordError as error:
            saved = texts("left.not_kept", file=file, reason=error.message)
        where = texts(
            "left.where",
            house=session.house.name,
            taille=session.state.shoe_number,
            coup=session.state.coup_number,
            purse=money_text(session.house, session.purse, texts.language),
            bankroll=money_text(session.house, session.bankroll, texts.language),
        )
        with suppress(OSError):  # the terminal may be gone
            click.echo(f"{where}\n{saved}", err=True)
