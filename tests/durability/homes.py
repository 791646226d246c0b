"""Homes: where the journal of a table lives, for a host that is killed and for what checks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Protocol

from attrs import frozen

from trente_rules.fair import CardSeal
from trente_rules.table import SqliteJournal


class Home(Protocol):
    """A place where a session keeps its journals, one after the other where it is rotated."""

    def order(self) -> dict[str, Any]:
        """Return the home as JSON, for ``home_of`` in another process."""

    def journals(self) -> Iterator[Any]:
        """Yield every journal of the session that holds a table, opened to read, in order."""

    def reader(self) -> Any:
        """Open the newest journal to read; it stays open."""

    def newest(self) -> Any:
        """Open the newest journal to write, or make the first one."""

    def another(self) -> Any:
        """Make the journal in which a table continues."""


_KEY: Final = bytes(range(32))


@frozen
class SqliteHome:
    """SQLite files of one folder: ``0``, ``1`` and so on."""

    folder: str
    synchronous: str = ""
    """That of the journals; without it, the default."""
    log_pages: int = 0
    """Pages of the log after which it is moved into the file; 0 for the default."""
    sealed: bool = False
    """Whether the cards to come are sealed in them."""
    wait: float = 1.0
    """Seconds to wait for another writer."""

    def order(self) -> dict[str, Any]:
        """Return the home as JSON."""
        return {
            "kind": "sqlite",
            "folder": self.folder,
            "synchronous": self.synchronous,
            "log_pages": self.log_pages,
            "sealed": self.sealed,
            "wait": self.wait,
        }

    def path(self, number: int) -> Path:
        """Return the path of a file."""
        return Path(self.folder, str(number))

    def journals(self) -> Iterator[SqliteJournal]:
        """Yield the files that hold a table, opened to read."""
        for number in range(self._files()):
            with self._open(number, read_only=True) as journal:
                yield journal

    def reader(self) -> SqliteJournal:
        """Open the newest file to read, and read its end."""
        journal = self._open(max(self._files() - 1, 0), read_only=True)
        assert journal.head is not None
        return journal

    def newest(self) -> SqliteJournal:
        """Open the newest file that holds a table, or make the first one."""
        return self._opened(max(self._files() - 1, 0))

    def another(self) -> SqliteJournal:
        """Make the next file."""
        return self._opened(self._files())

    def _files(self) -> int:
        """Return how many files hold a table."""
        number = 0
        while self._holds_a_table(number):
            number += 1
        return number

    def _holds_a_table(self, number: int) -> bool:
        path = self.path(number)
        if not path.exists() or not path.stat().st_size:
            return False
        # It is opened to write: a reader cannot put right what a writer that died has left.
        with self._open(number) as journal:
            return journal.head is not None

    def _opened(self, number: int) -> SqliteJournal:
        journal = self._open(number)
        if self.log_pages:
            journal._connection.execute(f"PRAGMA wal_autocheckpoint = {self.log_pages}")
        return journal

    def _open(self, number: int, **how: Any) -> SqliteJournal:
        if self.synchronous and not how:
            how["synchronous"] = self.synchronous
        if self.sealed:
            how["seal"] = CardSeal(_KEY)
        return SqliteJournal(self.path(number), wait=self.wait, **how)


KINDS: Final[dict[str, Callable[..., Home]]] = {"sqlite": SqliteHome}
"""The homes by the kind in their order."""


def home_of(order: dict[str, Any]) -> Home:
    """Return the home of an order."""
    given = dict(order)
    kind = given.pop("kind")
    if kind == "postgres":
        from tests.durability.postgres_home import PostgresHome  # noqa: PLC0415 - it is seldom used

        return PostgresHome(**given)
    return KINDS[kind](**given)
