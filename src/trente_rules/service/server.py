"""The server: the application on an address, from its start to the end of what was begun."""

from __future__ import annotations

import asyncio
import errno
import gc
import hashlib
import html
import logging
import signal
import socket
import sys
import time
import webbrowser
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import current_thread, main_thread
from typing import Final
from urllib.parse import urlencode

import uvicorn
from attrs import frozen

from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.files import new_file
from trente_rules.core.house.house import House
from trente_rules.fair.entropy import SeededShuffler, SystemShuffler
from trente_rules.service.application import application
from trente_rules.service.cluster import Cluster
from trente_rules.service.croupier import ShoeShuffler
from trente_rules.service.desk import Desk
from trente_rules.service.gate import Allowance, Gate
from trente_rules.service.hall import Hall
from trente_rules.service.logs import AccessLog, CommandLog
from trente_rules.service.messages import TableSetup
from trente_rules.service.metrics import Metrics
from trente_rules.service.patience import PatientProtocol
from trente_rules.service.sites import Sites
from trente_rules.service.stores import PostgresStore, Store
from trente_rules.service.tokens import Role, Tokens, Visitor
from trente_rules.service.wallet import HttpWallet
from trente_rules.table.table import Observer

LOOPBACK: Final = "127.0.0.1"
_GRACE: Final = 5
"""Seconds in which connections are to end once the service stops."""
USUAL: Final = Allowance()
"""What clients may ask of a service, unless its host says otherwise."""
_PING: Final = 20.0
_UNREAD: Final = 30_000
"""Milliseconds in which a client must take what is sent: a connection that was closed is kept open
by what its client does not read, and a few thousand of those would be all that there may be."""
_REQUESTS: Final = 1_000
"""Connections besides sockets; what comes then is refused with 503."""
_COLLECT_EVERY: Final = 10.0
"""Seconds between two collections of garbage."""
_COLLECTIONS: Final = 360
_TURN: Final = 0.0005
"""Seconds after which a thread lets another one run."""
_BACKLOG: Final = 2_048
_EVENING: Final = 12 * 60 * 60
_KEY: Final = 16
_LOG: Final = logging.getLogger(__name__)


@frozen
class Listening:
    """Where the service listens, the names it is reached by, and the proxies it believes.

    ``address`` is where other processes that share the tables reach this one, by default where it
    listens.
    """

    host: str = LOOPBACK
    port: int = 0
    names: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    address: str = ""

    def bound(self) -> socket.socket:
        """Return a socket that listens there; port 0 is any that is free.

        Raises ``TrenteError`` ("not-listening").
        """
        if not self.host:  # to the system that is every address of the machine
            what = "cannot listen on an empty address"
            raise TrenteError(what, "not-listening", "leave --host out, or name an address")
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        made = socket.socket(family)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if hasattr(socket, "TCP_USER_TIMEOUT"):  # of Linux; each connection inherits it
                made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD)
            made.bind((self.host, self.port))
            made.listen(_BACKLOG)
        except (OSError, TypeError, ValueError) as error:  # no name at all: of an odd character
            made.close()
            why = error.strerror if isinstance(error, OSError) else "it is not the name of a host"
            what = f"cannot listen on {shown(self.host)}, port {self.port}: {why}"
            hint = (
                "choose another --port" if _is_taken(error) else "choose another --host or --port"
            )
            raise TrenteError(what, "not-listening", hint) from error
        return made


def _is_taken(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno == errno.EADDRINUSE


@frozen
class Guest:
    """Somebody at this machine, who gets an address that opens every table for an evening.

    A player comes to a ``table``, or to the lobby without one; a supervisor comes to their
    own page. ``language`` is that of the page, by default the browser's. With ``show`` a browser is
    opened for them.
    """

    table: str = ""
    language: str = ""
    role: Role = Role.PLAYER
    show: bool = True

    def address(self, base: str, tokens: Tokens) -> str:
        """Return the address of the page, with the token behind its ``#``: it is sent nowhere."""
        now = time.time()
        visitor = Visitor(self.role.value, self.role, ["*"], int(now) + _EVENING)
        token = tokens.issue(visitor, now)
        wanted = {"token": token, "table": self.table, "language": self.language}
        asked = {name: text for name, text in wanted.items() if text}
        page = "" if self.role is Role.PLAYER else self.role.value
        return f"{base}{page}#{urlencode(asked)}"


async def _collect() -> None:
    """Collect garbage often, a little at a time, so that it never stops all tables for long.

    What has lived through a collection is left out of the next ones; once an hour all is looked at.
    """
    # Python's own collections look at every object there is: .1 to .5 s at a thousand players.
    gc.set_threshold(10_000, 50, 1_000)
    while True:
        gc.unfreeze()
        for _time in range(_COLLECTIONS):
            gc.collect()
            gc.freeze()
            await asyncio.sleep(_COLLECT_EVERY)


class _Server(uvicorn.Server):
    """A server of uvicorn that lets the hall finish what was begun before it closes sockets."""

    def __init__(self, config: uvicorn.Config, desk: Desk, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._desk, self._begun = desk, begun
        self._collecting: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so; raise ``TrenteError`` where the tables cannot be had."""
        # Before the server's own start, which would write a traceback and no more.
        await self._desk.open()
        await super().startup(sockets)
        self._collecting = asyncio.create_task(_collect())
        if self.started:
            self._begun()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop taking commands, finish those that were taken, then close the connections."""
        await self._desk.hall.stop()
        await super().shutdown(sockets)
        if self._collecting is not None:
            self._collecting.cancel()


def serve(  # noqa: PLR0913 - a service has so many parts
    store: Store,
    houses: Iterable[House],
    tokens: Tokens,
    listening: Listening,
    *,
    tables: Sequence[TableSetup] = (),
    guest: Guest | None = None,
    wallet: HttpWallet | None = None,
    limits: Allowance = USUAL,
    seed: str = "",
    say: Callable[[str], None] = print,
) -> None:
    """Serve until the process is asked to stop.

    ``tables`` are created as it starts, where they are not kept. ``say`` is called with the address
    once the service accepts, and with that of the page of a ``guest``.
    """
    inner = [listening.address.rstrip("/")] if listening.address else []
    sites = Sites((*listening.names, *inner), listening.proxies)
    metrics = Metrics()
    observers: list[Observer] = [metrics, CommandLog()]
    hall = Hall(store, houses, observers=observers, wallet=wallet, shuffler=_shufflers(seed))
    made = listening.bound()
    port = made.getsockname()[1]
    host = f"[{listening.host}]" if ":" in listening.host else listening.host
    base = f"http://{host}:{port}/"
    if isinstance(store, PostgresStore):
        hall.cluster = Cluster(hall, store, tokens, listening.address or base)
    metrics.watch_tables(lambda: len(hall.tables))
    if wallet is not None:
        metrics.watch_cashiers(lambda: [each.cashier for each in hall.tables if each.cashier])
    desk = Desk(hall, tokens, metrics, tuple(tables))

    def begun() -> None:
        page = guest.address(base, tokens) if guest is not None else ""
        with suppress(BrokenPipeError):  # nobody reads it: the tables are served all the same
            say(base)
            if page:
                say(page)
        if guest is not None and guest.show:
            webbrowser.open(door_to(page, folder))

    config = uvicorn.Config(
        Gate(application(desk), tokens, sites, limits, (metrics, AccessLog())),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        http=PatientProtocol,
        limit_concurrency=None if limits.sockets is None else limits.sockets + _REQUESTS,
        ws="websockets-sansio",
        ws_max_size=limits.frame,
        ws_per_message_deflate=False,
        ws_ping_interval=_PING,
        ws_ping_timeout=_PING,
        timeout_graceful_shutdown=_GRACE,
        proxy_headers=False,
    )
    with closing(made), TemporaryDirectory(prefix="trente-") as folder, _ended_by_signals():
        asyncio.run(_Server(config, desk, begun).serve([made]))


def door_to(page: str, folder: str) -> str:
    """Write a file that leads to a page, for its owner alone; return the address of the file.

    Everybody at a machine sees the arguments of programs: a browser that is started with the
    address of the page would show its token to all of them.
    """
    file = Path(folder) / "open.html"
    leads = f'<meta http-equiv="refresh" content="0; url={html.escape(page)}">'
    with new_file(file, private=True) as opened:
        opened.write(f'<!doctype html><meta charset="utf-8"><title>trente</title>{leads}'.encode())
    return file.as_uri()


@contextmanager
def _quick_turns() -> Iterator[None]:
    """Let threads take turns often: the loop does not wait 5 ms for each command under way."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let a signal end the service in order, and nothing else once it has ended.

    uvicorn raises the signals that it has caught again when it has stopped: these are then ours.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = {
        each: signal.signal(each, lambda *_: None) for each in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _shufflers(seed: str) -> Callable[[str], ShoeShuffler]:
    """Return what makes the shuffler of a table: from a seed and its name, or the system's."""
    if not seed:
        return lambda _table: SystemShuffler()

    def seeded(table: str) -> SeededShuffler:
        key = hashlib.sha256(f"{seed}/{table}".encode()).digest()[:_KEY]
        return SeededShuffler(key, test=True)

    return seeded
