"""An interrupt at any moment: what was answered is in the journal, and nothing stays open."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.table.test_group_commit import house, place
from tests.table.test_transactions import open_bets

from trente_rules import RecordError, Table
from trente_rules.table import SqliteJournal, recover
from trente_rules.table.journal_file import FileConnection

Act = Callable[[Table, SqliteJournal], object]


def in_transaction(table: Table, _journal: SqliteJournal) -> None:
    """Do two commands together with a host."""
    with table.transaction() as connection:
        table.do(place("t1"))
        connection.execute("CREATE TABLE host_o (x)")
        table.do(place("t2"))


def rotated(table: Table, journal: SqliteJournal) -> None:
    """Continue in another file."""
    with SqliteJournal(f"{journal.path}-2", "normal") as new:
        table.rotate(new)


ACTS: dict[str, Act] = {
    "do": lambda table, _journal: table.do(place("x")),
    "transaction": in_transaction,
    "recover": lambda _table, journal: recover(journal),
    "find": lambda _table, journal: journal.find("a", "a"),
    "check": lambda _table, journal: journal.check(),
    "movements": lambda _table, journal: list(journal.movements()),
    "kept": lambda _table, journal: journal.kept(),
    "rotate": rotated,
}


class Interrupt:
    """It lets a connection do a number of queries, and raises after the next one."""

    left = -1

    def method(self) -> Callable[..., sqlite3.Cursor]:
        """Return a method that does a query, and raises where it is time."""

        def execute(connection: FileConnection, *query: Any) -> sqlite3.Cursor:
            done = sqlite3.Connection.execute(connection, *query)
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
            return done

        return execute


@pytest.mark.slow
@pytest.mark.parametrize("name", ACTS)
def test_an_interrupt_after_any_query_loses_no_answered_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S5: as by Ctrl-C while a transaction begins; then all later commands were in none."""
    interrupt = Interrupt()
    monkeypatch.setattr(FileConnection, "execute", interrupt.method(), raising=False)
    for number in count(1, 2 if name == "rotate" else 1):
        path = tmp_path / f"{number}"
        with SqliteJournal(path, "normal") as journal:
            table = Table(house(), journal=journal)
            open_bets(table)
            table.do(place("a"))
            interrupt.left = number
            interrupted = False
            try:
                ACTS[name](table, journal)
            except KeyboardInterrupt:
                interrupted = True
            interrupt.left = -1
            assert journal._connection.depth == 0
            answered = {"a"}
            with suppress(RecordError):  # journal-moved, where it is not known what was written
                answered |= {entry.command.id for entry in table.do_many([place("later")])}
            with SqliteJournal(path, read_only=True) as reader:
                kept = {entry.command.id for entry in reader.entries()}
                assert answered <= kept
                reader.check()
            if name not in ("rotate", "do", "transaction"):
                assert "later" in kept or name == "recover"
        if not interrupted:
            break
    assert number > 1
