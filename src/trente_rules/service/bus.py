"""The bus: how the processes of a service hear of each other, by LISTEN and NOTIFY of PostgreSQL.

A commit to a journal is notified on its channel. What the processes say to each other, such as who
is at a table, goes over one more channel; it is lost where nobody listens, and said again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from threading import Lock, Thread
from time import sleep
from typing import TYPE_CHECKING, Any, Final

from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.service.stores import PostgresStore

if TYPE_CHECKING:
    import psycopg

LARGEST: Final = 6_000
"""Bytes of a message: PostgreSQL takes 8,000."""
_LISTEN: Final = 0.2
"""Seconds after which the listener looks for channels to listen to."""
_AGAIN: Final = 0.2
_LOG: Final = logging.getLogger(__name__)


class Bus:
    """One process on the bus: it has one connection that listens, and one that speaks."""

    def __init__(self, store: PostgresStore, heard: Callable[[str, str], None]) -> None:
        """Listen in a thread of its own, where ``heard`` is called with channel and payload.

        It is called with two empty texts once it listens, and again each time that the connection
        was lost: what was notified meanwhile was not heard.
        """
        self._store, self._heard = store, heard
        self.channel = f"{store.schema}.service"
        self._channels: dict[str, bool] = {self.channel: False}
        self._closed = False
        self._lock = Lock()
        self._speaking: psycopg.Connection | None = None
        self._thread = Thread(target=self._run, name="bus", daemon=True)
        self._thread.start()

    def listen(self, channel: str) -> None:
        """Listen to one more channel, in a moment."""
        self._channels.setdefault(channel, False)

    def _run(self) -> None:
        while not self._closed:
            try:
                with closing(self._store.connect()) as connection:
                    self._listened(connection)
            except Exception as error:  # noqa: BLE001 - the thread must live
                _LOG.warning("the bus is not heard: %s", " ".join(str(error).split()))
                sleep(_AGAIN)

    def _listened(self, connection: psycopg.Connection) -> None:
        self._channels = dict.fromkeys(self._channels, False)
        first = True
        while not self._closed:
            for channel, known in tuple(self._channels.items()):
                if not known:
                    connection.execute(f'LISTEN "{channel}"'.encode())
                    self._channels[channel] = True
                    self._heard(channel, "")  # what was notified before was not heard
            if first:
                first = False
                self._heard("", "")
            for each in connection.notifies(timeout=_LISTEN):
                self._heard(each.channel, each.payload)

    def ask(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; it is asked once more where the connection was lost.

        Raises ``RecordError``: "store-unusable" once it is closed too, and those of a journal in
        PostgreSQL.
        """
        with self._lock:
            if self._closed:  # a thread that was late would connect again, and nobody would close
                what, hint = "the service stops", "ask the other processes"
                raise RecordError(what, "store-unusable", hint, self._store.name)
            if self._speaking is not None:
                with suppress(RecordError):
                    return self._asked(self._speaking, query, values)
                self._speaking.close()
                self._speaking = None
            self._speaking = self._store.connect()
            return self._asked(self._speaking, query, values)

    @staticmethod
    def _asked(
        connection: psycopg.Connection, query: str, values: Sequence[Any]
    ) -> list[tuple[Any, ...]]:
        from trente_rules.table.journal_server import postgres_errors  # noqa: PLC0415 - the extra's

        with postgres_errors("service"):
            found = connection.execute(query.encode(), values)
            return found.fetchall() if found.description else []

    def say(self, message: Mapping[str, Any]) -> None:
        """Say something to all processes; nothing is lost where that fails: it is said again."""
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        try:
            self.ask("SELECT pg_notify(%s, %s)", (self.channel, text))
        except TrenteError as error:
            if not self._closed:
                _LOG.warning("the bus does not speak: %s", error)

    def close(self) -> None:
        """Listen and speak no more."""
        self._closed = True
        self._thread.join()
        with self._lock:
            if self._speaking is not None:
                self._speaking.close()
                self._speaking = None
