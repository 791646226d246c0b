"""``trente serve``: tables over HTTP and WebSocket, and the web table in a browser."""

from __future__ import annotations

import importlib.util
import logging
import re
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Final, Literal

import click
from click.core import ParameterSource

from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import key_option, warn_of_open_files
from trente_rules.cli.values import HOUSE, SEED, SeedText, WholeNumber
from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.files import read_file
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.stakes import Opening
from trente_rules.fair.card_seal import CardSeal

if TYPE_CHECKING:
    from trente_rules.service.messages import TableSetup
    from trente_rules.service.wallet import HttpWallet

INSTALL: Final = 'pip install "trente-rules[service]"'
TOKEN_FILES: Final = "TRENTE_RULES_TOKEN_KEY_FILE"  # noqa: S105 - the name of a variable
"""The environment variable that names the files of keys that sign tokens."""
WALLET_FILE: Final = "TRENTE_RULES_WALLET_KEY_FILE"
"""The environment variable that names the file of the wallet's key."""
BANKROLL: Final = "1000"
_NEEDED: Final = ("httpx", "jwt", "prometheus_client", "starlette", "uvicorn")
_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}
_LONGEST_KEY: Final = 4_096
_PORT: Final = 8030
_NOT_KEPT: Final = "memory:"
_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9]+")


def check_service() -> None:
    """Raise ``TrenteError`` ("needs-service") where the extra is not installed."""
    for module in _NEEDED:
        if importlib.util.find_spec(module) is None:
            raise TrenteError(f"the service needs {module}", "needs-service", INSTALL)


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente serve --open", "a table of each house, opened in a browser"),
        ("trente serve --house france-2007 --port 8080", "a service for one house"),
        (
            "trente serve --journal sqlite:tables --token-key-file token.key",
            "a service that keeps its tables and takes signed tokens",
        ),
    ),
    status={0: "stopped", 1: "it cannot listen, or cannot read what it needs"},
)
@click.option(
    "--house",
    "houses",
    type=HOUSE,
    multiple=True,
    help="A house that tables may use; repeat for more.  [default: all houses]",
)
@click.option(
    "--journal",
    "store",
    default=_NOT_KEPT,
    show_default=True,
    metavar="WHERE",
    help="Where tables are stored: sqlite:FOLDER, postgresql://HOST/DATABASE, or memory: for "
    "nowhere.",
)
@key_option("Seal the cards to come in the journals with the key in FILE.")
@click.option(
    "--token-key-file",
    "keys",
    multiple=True,
    envvar=TOKEN_FILES,
    type=click.Path(),
    metavar="FILE",
    help=f"The key that signs tokens; repeat for older ones.  [{TOKEN_FILES}; default: a new one]",
)
@click.option(
    "--wallet", metavar="URL", help="The wallet that stakes are debited from: docs/wallet.md."
)
@click.option(
    "--wallet-key-file",
    envvar=WALLET_FILE,
    type=click.Path(),
    metavar="FILE",
    help=f"The key by which the wallet knows the service.  [{WALLET_FILE}]",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on.",
)
@click.option(
    "--port",
    metavar="N",
    default=_PORT,
    show_default=True,
    type=WholeNumber(0, 65535),
    help="The port to listen on; 0 for any that is free.",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST[:PORT]",
    help="A name by which browsers reach the service; repeat for more.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy that is trusted with the address of the client; repeat for more.",
)
@click.option(
    "--log-format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the log is written, to the standard error.",
)
@click.option(
    "--log-level",
    "level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    help="What is logged; debug logs each command.  [default: info; with --open: warning]",
)
@click.option(
    "--address",
    default="",
    metavar="URL",
    help="The URL at which other processes that share the tables reach this one.  [default: of "
    "--host and --port]",
)
@click.option("--open", "show", is_flag=True, help="Make tables to play at, and open a browser.")
@click.option("--seed", type=SEED, help="For tests: the shoes of a table are always the same.")
def serve_command(  # noqa: PLR0913 - each option is a parameter
    *,
    houses: Sequence[str],
    store: str,
    seal: CardSeal | None,
    keys: Sequence[str],
    wallet: str | None,
    wallet_key_file: str | None,
    host: str,
    port: int,
    names: Sequence[str],
    proxies: Sequence[str],
    form: Literal["text", "json"],
    level: str | None,
    address: str,
    show: bool,
    seed: SeedText | None,
) -> None:
    """Serve tables over HTTP and WebSocket.

    It serves the web table as well. Without options it is for this machine alone, and stores
    nothing. The first line printed is its address; without a key for tokens the second one is the
    supervisor's page. Needs trente-rules[service]. See docs/service.md.
    """
    check_service()
    from trente_rules.service.logs import set_up_logs  # noqa: PLC0415 - the extra's
    from trente_rules.service.server import Guest, Listening, serve  # noqa: PLC0415 - likewise
    from trente_rules.service.stores import store_of  # noqa: PLC0415 - likewise
    from trente_rules.service.tokens import Role, Tokens  # noqa: PLC0415 - likewise

    if address and not address.startswith(("http://", "https://")):
        raise click.UsageError(
            f"--address: {shown(address)} is not an address (write http://HOST:PORT)"
        )
    if address and not store.startswith(("postgresql:", "postgres:")):
        raise click.UsageError("--address does nothing without --journal postgresql://...")
    warn_of_open_files(filter(None, (*keys, wallet_key_file)))
    set_up_logs(form, _LEVELS[level or ("warning" if show else "info")])
    offered = [load_house(name) for name in houses]
    local = offered or [load_house(name) for name in default_manager().names("house")]
    if wallet is not None and store == _NOT_KEPT:
        raise click.UsageError("--wallet needs --journal: money that is due must be stored")
    guest = Guest() if show else None
    if guest is None and not keys:  # nobody else can make a token
        guest = Guest(role=Role.SUPERVISOR, show=False)
    with closing(store_of(store, seal)) as kept:
        serve(
            kept,
            offered,
            Tokens.of_files(*keys) if keys else Tokens.new(),
            Listening(host, port, tuple(names), tuple(proxies), address),
            tables=[local_table(house) for house in local] if show else (),
            guest=guest,
            wallet=_wallet(wallet, wallet_key_file),
            seed=str(seed or ""),
            say=click.echo,
        )


def _wallet(url: str | None, file: str | None) -> HttpWallet | None:
    """Return the wallet at an address; ``click.UsageError`` for one without a key."""
    if url is None:
        source = click.get_current_context().get_parameter_source("wallet_key_file")
        if source is ParameterSource.COMMANDLINE:
            raise click.UsageError("--wallet-key-file does nothing without --wallet")
        return None
    if file is None:
        raise click.UsageError(f"--wallet needs --wallet-key-file, or {WALLET_FILE}")
    from trente_rules.service.wallet import HttpWallet  # noqa: PLC0415 - of the extra

    return HttpWallet(url, read_file(file, _LONGEST_KEY).decode("ascii", "replace").strip())


def local_table(
    house: House, bankroll: str = BANKROLL, opening: Opening | None = None
) -> TableSetup:
    """Return a table of a house for one player, who gets a bankroll in its currency there."""
    from trente_rules.service.messages import TableSetup  # noqa: PLC0415 - of the extra

    name = _NOT_IN_NAMES.sub("-", house.name.lower()).strip("-")[:64].strip("-")
    return TableSetup(
        table=name or "table",
        house=house.name,
        opening=opening,
        purses=True,
        title=house.title,
        advance=house.money.units(Amount.parse(bankroll)),
    )


def play_in_browser(
    house: House | None,
    opening: Opening | None,
    bankroll: str,
    *,
    seed: str,
    language: str,
    folder: str,
) -> None:
    """Serve a table of every house to one player, and open the page, at the table of a house.

    Nothing is kept without a ``folder`` for the journals. Raises ``TrenteError``: "needs-service",
    and what a store and a setup raise.
    """
    check_service()
    from trente_rules.service.server import Guest, Listening, serve  # noqa: PLC0415 - the extra's
    from trente_rules.service.stores import store_of  # noqa: PLC0415 - likewise
    from trente_rules.service.tokens import Tokens  # noqa: PLC0415 - likewise

    houses = {name: load_house(name) for name in default_manager().names("house")}
    # The amount is that of one house: in others it is whole units of theirs.
    whole = str(int(Amount.parse(bankroll).value))
    tables = [local_table(each, whole) for each in houses.values()]
    at = ""
    if house is not None:
        own = local_table(house, bankroll, opening)
        at = own.table
        tables = [own, *(each for each in tables if each.table != at)]
        houses[house.name] = house
    with closing(store_of(f"sqlite:{folder}" if folder else "memory:")) as kept:
        serve(
            kept,
            houses.values(),
            Tokens.new(),
            Listening(),
            tables=tables,
            guest=Guest(at, language=language),
            seed=seed,
            say=click.echo,
        )
