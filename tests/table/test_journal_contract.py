"""The journals of the library keep to the contract that is public for those of others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from trente_rules.table import MemoryJournal, PostgresJournal, SqliteJournal
from trente_rules.testing import (
    FencingContract,
    JournalContract,
    RotationContract,
    TransactionContract,
)


class TestMemory(JournalContract, RotationContract):
    """The journal in memory, the model."""

    @pytest.fixture(autouse=True)
    def _places(self) -> None:
        self.there: dict[str, MemoryJournal] = {}

    def open(self, name: str) -> MemoryJournal:
        """Return the journal of a name."""
        return self.there.setdefault(name, MemoryJournal())


class TestSqlite(JournalContract, RotationContract, FencingContract, TransactionContract):
    """The journal in a file."""

    @pytest.fixture(autouse=True)
    def _places(self, tmp_path: Path) -> Iterator[None]:
        with ExitStack() as self.opened:
            self.folder = tmp_path
            yield

    def open(self, name: str) -> SqliteJournal:
        """Open the file of a name."""
        journal = SqliteJournal(self.folder / name, "normal")
        self.opened.callback(journal.close)
        return journal


@pytest.mark.slow
class TestPostgres(JournalContract, RotationContract, FencingContract, TransactionContract):
    """The journal in a database, among those of others."""

    @pytest.fixture(autouse=True)
    def _places(self, postgres: str, schema: str) -> Iterator[None]:
        with ExitStack() as self.opened:
            self.conninfo, self.schema = postgres, schema
            yield

    def open(self, name: str) -> PostgresJournal:
        """Open the journal of a name; a connection that has it is ended."""
        journal = PostgresJournal(self.conninfo, name, schema=self.schema, wait=0.01, steal=True)
        self.opened.callback(journal.close)
        return journal
