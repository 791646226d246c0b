"""``trente serve``: tables over HTTP and WebSocket, and the web table in a browser."""

from __future__ import annotations

import importlib.util
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Final

import click

from trente_rules.cli.output import key_option
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.fair.card_seal import CardSeal

if TYPE_CHECKING:
    from trente_rules.service.messages import TableSetup
    from trente_rules.service.tokens import Tokens

INSTALL: Final = 'pip install "trente-rules[service]"'
LOOPBACK: Final = "127.0.0.1"
PORT: Final = 8030
TOKEN_KEY: Final = "TRENTE_RULES_TOKEN_KEY_FILE"
_EVENING: Final = 12 * 60 * 60


def check_service() -> None:
    """Raise ``TrenteError`` ("needs-service") where the extra is not installed."""
    for module in ("starlette", "uvicorn", "jwt", "limits", "prometheus_client", "httpx"):
        if importlib.util.find_spec(module) is None:
            raise TrenteError(f"the service needs {module}", "needs-service", INSTALL)


@click.command()
@click.option(
    "--house",
    "houses",
    multiple=True,
    metavar="NAME|FILE",
    help="A house that tables may be made of; may be repeated.  [default: all there are]",
)
@click.option(
    "--journal",
    "store",
    default="memory:",
    show_default=True,
    metavar="WHERE",
    help="Where tables are kept: sqlite:FOLDER, postgresql://HOST/DATABASE, or memory:",
)
@key_option("Seal the cards to come in the journals with the key in this file.")
@click.option(
    "--token-key-file",
    "keys",
    multiple=True,
    envvar=TOKEN_KEY,
    type=click.Path(),
    help=f"The key that signs tokens; repeat for earlier ones.  [{TOKEN_KEY}; default: a new one]",
)
@click.option("--host", default=LOOPBACK, show_default=True, help="The address to listen on.")
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST[:PORT]",
    help="A name by which browsers reach the service; may be repeated.",
)
@click.option("--open", "show", is_flag=True, help="Make a table to play at, and open a browser.")
@click.option("--seed", metavar="HEX", help="For tests: the shoes of every table are the same.")
def serve_command(  # noqa: PLR0913 - each option is a parameter
    *,
    houses: Sequence[str],
    store: str,
    seal: CardSeal | None,
    keys: Sequence[str],
    host: str,
    port: int,
    names: Sequence[str],
    show: bool,
    seed: str | None,
) -> None:
    """Serve tables over HTTP and WebSocket, and the web table that plays at them.

    Without options it is for this machine alone, and keeps nothing. See docs/service.md.
    """
    check_service()
    from trente_rules.service.server import Listening, serve  # noqa: PLC0415 - of the extra
    from trente_rules.service.stores import store_of  # noqa: PLC0415 - of the extra
    from trente_rules.service.tokens import Tokens  # noqa: PLC0415 - of the extra

    tokens = Tokens.of_files(*keys) if keys else Tokens.new()
    offered = [load_house(name) for name in houses]
    guest = Guest() if show else None
    tables = [_table(house) for house in offered or map(load_house, default_manager().names("house"))]
    with misuse_of_seed(seed):
        serve(
            store_of(store, seal),
            offered,
            tokens,
            Listening(host, port, tuple(names)),
            tables=tables if show else (),
            guest=guest,
            seed=seed or "",
            say=lambda line: click.echo(line),
        )


def local_table(house: House, bankroll: str = BANKROLL, opening: Opening | None = None) -> TableSetup:
    """Return a table of a house to play at alone: named as it, with money to play with."""
    from trente_rules.service.messages import TableSetup  # noqa: PLC0415 - of the extra

    name = re.sub(r"[^a-z0-9]+", "-", house.name.lower()).strip("-") or "table"
    advance = house.money.units(Amount.parse(bankroll))
    return TableSetup(
        table=name[:64], house=house.name, title=house.title, purses=True, advance=advance, opening=opening
    )
