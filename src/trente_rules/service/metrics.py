"""Figures of the service for Prometheus: commands, coups, sockets, delivery, refusals.

Each application has its own registry. No figure is by player, table or path: the labels are kinds
of commands, codes of refusals, methods and statuses, of which there are few.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from trente_rules._version import __version__
from trente_rules.table.commands import COMMANDS, Command
from trente_rules.table.entries import Entry
from trente_rules.table.events import ShoeOpened
from trente_rules.table.table import Table
from trente_rules.table.telemetry import OTHER

if TYPE_CHECKING:
    from trente_rules.service.cashier import Cashier
    from trente_rules.service.gate import Passage

METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
"""The media type of the figures."""
MOST_CODES: Final = 200
"""Codes that are counted by name: a plugin may make any number of them."""
_METHODS: Final = frozenset(("DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"))
_BUCKETS: Final = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    10.0,
)
"""Seconds: from a command without a journal to one whose disk is full of others' work."""
_COUPS: Final = {
    "coup-settled": "settled",
    "coup-voided": "void",
    "coup-corrected": "corrected",
}
"""The kinds of events that end a coup, or take its end back: they are counted, and not read."""


_WALLET: Final[Mapping[str, tuple[str, Callable[[list[Cashier]], float]]]] = {
    "pending": (
        "Movements that the wallet has not confirmed.",
        lambda found: sum(each.pending for each in found),
    ),
    "reversing": (
        "Commands whose debits are under way, or to be reversed.",
        lambda found: sum(each.reversing for each in found),
    ),
    "stuck": (
        "Movements that were due, and that the wallet refused.",
        lambda found: sum(each.stuck for each in found),
    ),
    "oldest_seconds": (
        "How long the oldest movement has waited for the wallet.",
        lambda found: max((each.oldest for each in found), default=0.0),
    ),
}
"""Figures of all tables' wallets."""


def _of_all(over: Callable[[list[Cashier]], float], cashiers: Callable[[], list[Cashier]]) -> float:
    return over(cashiers())


class Metrics:
    """All figures of one application.

    It is an observer of tables, and a doorkeeper of the gate; the rest is called as it happens.
    """

    def __init__(self) -> None:
        """Begin at zero, with a registry of its own."""
        registry = self._registry = CollectorRegistry(auto_describe=True)
        ProcessCollector(registry=registry)
        Gauge("trente_info", "The release that runs.", ("version",), registry=registry).labels(
            __version__
        ).set(1)
        self._commands = Counter(
            "trente_commands",
            "Commands given to tables.",
            ("kind", "outcome"),
            registry=registry,
        )
        self._command_seconds = Histogram(
            "trente_command_seconds",
            "Time of commands that are done together, the journal included.",
            ("outcome",),
            buckets=_BUCKETS,
            registry=registry,
        )
        self._coups = Counter(
            "trente_coups", "Coups that ended, or were corrected.", ("end",), registry=registry
        )
        self._shoes = Counter("trente_shoes", "Shoes that were opened.", registry=registry)
        self._tables = Gauge("trente_tables", "Tables of this process.", registry=registry)
        self._sockets = Gauge("trente_sockets", "Sockets that are open.", registry=registry)
        self._messages = Counter(
            "trente_messages_sent", "Messages sent to sockets.", registry=registry
        )
        self._delivery = Histogram(
            "trente_delivery_seconds",
            "Time from the commit of a command until a client was sent what it did.",
            buckets=_BUCKETS,
            registry=registry,
        )
        self._slow = Counter(
            "trente_slow_readers", "Sockets that were cut: too far behind.", registry=registry
        )
        self._refusals = Counter(
            "trente_refusals",
            "Requests and messages that were refused.",
            ("code",),
            registry=registry,
        )
        self._limited = Counter(
            "trente_rate_limited", "Refused since there were too many.", registry=registry
        )
        self._requests = Counter(
            "trente_requests", "Requests over HTTP.", ("method", "status"), registry=registry
        )
        self._request_seconds = Histogram(
            "trente_request_seconds", "Time of requests.", buckets=_BUCKETS, registry=registry
        )
        self._closed = Counter(
            "trente_sockets_closed",
            "Sockets that were closed, or refused, by code.",
            ("code",),
            registry=registry,
        )
        self._codes = set[str]()

    # As an observer of tables

    def done(self, _table: Table, entries: Sequence[Entry], seconds: float) -> None:
        """Count commands that were done, and time them."""
        for entry in entries:
            outcome = "repeated" if entry.repeated else "done"
            self._commands.labels(_kind(entry.command), outcome).inc()
            if entry.repeated:
                continue
            for event in entry.events:
                if (end := _COUPS.get(event.kind)) is not None:
                    self._coups.labels(end).inc()
                elif isinstance(event, ShoeOpened):
                    self._shoes.inc()
        self._command_seconds.labels("done").observe(seconds)

    def refused(
        self, _table: Table, commands: Sequence[Command], _error: Exception, seconds: float
    ) -> None:
        """Count commands that were refused; by code they are counted where that is sent."""
        for command in commands:
            self._commands.labels(_kind(command), "refused").inc()
        self._command_seconds.labels("refused").observe(seconds)

    # As a doorkeeper

    def ended(self, passage: Passage) -> None:
        """Count a request that was served, or a socket that is closed."""
        if passage.kind == "socket":
            self._closed.labels(_status(passage.status)).inc()
        else:
            method = passage.method if passage.method in _METHODS else OTHER
            self._requests.labels(method, _status(passage.status)).inc()
            self._request_seconds.observe(passage.seconds)
        if passage.code:
            self._count_refusal(passage.code)

    # As it happens

    def watch_tables(self, count: Callable[[], int]) -> None:
        """Take the number of tables from here whenever the figures are read."""
        self._tables.set_function(count)

    def watch_cashiers(self, cashiers: Callable[[], list[Cashier]]) -> None:
        """Take what the wallet has not heard of yet from here whenever the figures are read."""
        for name, (words, over) in _WALLET.items():
            gauge = Gauge(f"trente_wallet_{name}", words, registry=self._registry)
            gauge.set_function(partial(_of_all, over, cashiers))

    def socket_opened(self) -> None:
        """Count a socket."""
        self._sockets.inc()

    def socket_closed(self) -> None:
        """Stop counting a socket."""
        self._sockets.dec()

    def message_sent(self) -> None:
        """Count a message that a client was sent."""
        self._messages.inc()

    def delivered(self, seconds: float) -> None:
        """Time the way of an entry, from its commit to a client."""
        self._delivery.observe(seconds)

    def slow_reader_cut(self) -> None:
        """Count a socket that was closed since it read too slowly."""
        self._slow.inc()

    def message_refused(self, code: str) -> None:
        """Count a message of a socket that was refused."""
        self._count_refusal(code)

    def _count_refusal(self, code: str) -> None:
        if code == "too-many":
            self._limited.inc()
        if code not in self._codes:
            if len(self._codes) >= MOST_CODES:
                code = OTHER
            self._codes.add(code)
        self._refusals.labels(code).inc()

    def text(self) -> str:
        """Return all figures, as Prometheus reads them."""
        return generate_latest(self._registry).decode()


_KINDS: Final = {command: command.kind for command in COMMANDS}


def _kind(command: object) -> str:
    return _KINDS.get(type(command), OTHER)  # type: ignore[arg-type]  # a stranger's is another


def _status(status: int) -> str:
    """Return a status or a code of a close as a label: a client may choose any of the latter."""
    return str(status) if 100 <= status < 600 or status in _CLOSES else OTHER  # noqa: PLR2004


_CLOSES: Final = frozenset((1000, 1001, 1005, 1006, 1008, 1009, 1011, 1012, 4401, 4408))
