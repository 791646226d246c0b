"""A home in PostgreSQL: journals of one schema, for a host that is killed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from attrs import frozen

from trente_rules import RecordError
from trente_rules.table import PostgresJournal

RECOVERY: Final = 60.0
"""Seconds that a server may take to recover its files."""
RECOVERS: Final = ("journal-unreadable", "connection-lost")
"""Codes of a server that recovers, or that has not yet noticed that a process of it was killed."""


@frozen
class PostgresHome:
    """Journals of a schema of a PostgreSQL database: ``name/0``, ``name/1`` and so on."""

    conninfo: str
    schema: str
    name: str
    steal: bool = False
    """Whether the connection of a writer that holds on is ended."""
    wait: float = 20

    def order(self) -> dict[str, Any]:
        """Return the home as JSON."""
        return {
            "kind": "postgres",
            "conninfo": self.conninfo,
            "schema": self.schema,
            "name": self.name,
            "steal": self.steal,
            "wait": self.wait,
        }

    def journals(self) -> Iterator[PostgresJournal]:
        """Yield the journals that hold a table, opened to read."""
        for number in range(self._count()):
            with self._opened(number, read_only=True) as journal:
                yield journal

    def reader(self) -> PostgresJournal:
        """Open the newest journal to read, and read its end."""
        journal = self._opened(max(self._count() - 1, 0), read_only=True)
        assert journal.head is not None
        return journal

    def newest(self) -> PostgresJournal:
        """Open the newest journal that holds a table, or make the first one."""
        return self._opened(max(self._count() - 1, 0))

    def another(self) -> PostgresJournal:
        """Make the next journal."""
        return self._opened(self._count())

    def _count(self) -> int:
        """Return how many journals hold a table."""
        number = 0
        try:
            while True:
                with self._opened(number, read_only=True) as journal:
                    if journal.head is None:
                        return number
                number += 1
        except RecordError as error:
            if error.code != "journal-missing":
                raise
            return number

    def _opened(self, number: int, *, read_only: bool = False) -> PostgresJournal:
        """Open a journal; a server that recovers after it was killed is waited for."""
        end = time.monotonic() + RECOVERY
        while True:
            try:
                return self._opened_now(number, read_only=read_only)
            except RecordError as error:
                if error.code not in RECOVERS or time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def _opened_now(self, number: int, *, read_only: bool) -> PostgresJournal:
        name = f"{self.name}/{number}"
        # The lock of a killed process is freed as soon as the server has noticed.
        journal = PostgresJournal(
            self.conninfo,
            name,
            schema=self.schema,
            read_only=read_only,
            wait=self.wait,
            steal=self.steal and not read_only,
        )
        try:
            _ = journal.head
        except RecordError:
            journal.close()
            raise
        return journal
