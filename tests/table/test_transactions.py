"""What a host writes is in the commit of the commands; the table is taken back with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.table.test_group_commit import house, place

from trente_rules import RecordError, Table, TrenteError
from trente_rules.fair import SeededShuffler
from trente_rules.table import (
    CloseBets,
    CloseSession,
    Command,
    Cut,
    EndShoe,
    Entry,
    MemoryJournal,
    OpenBets,
    OpenShoe,
    SqliteJournal,
    TableState,
    VoidCoup,
    balance,
    recover,
)


class Failing(SqliteJournal):
    """A journal whose commit may fail."""

    broken = False

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """Fail at the end where it shall."""
        with super().transaction() as connection:
            yield connection
            if self.broken:
                raise RecordError("no space", "journal-full")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Failing]:
    """Return a new journal in a file."""
    with Failing(tmp_path / "evening.journal", "normal") as found:
        yield found


@pytest.fixture
def table(journal: Failing) -> Table:
    """Return a table that takes bets, with an outbox in its journal."""
    table = Table(house(), journal=journal)
    open_bets(table)
    with table.transaction() as connection:
        connection.execute("CREATE TABLE host_outbox (movement TEXT PRIMARY KEY)")
    return table


def open_bets(table: Table, name: str = "") -> None:
    """Open a shoe and its first bets."""
    shoe = OpenShoe.shuffled(f"{name}1", 6, SeededShuffler("00" * 16))
    for command in (shoe, Cut(id=f"{name}2", place=100), OpenBets(id=f"{name}3")):
        table.do(command)


def outbox(journal: Failing) -> list[str]:
    """Return what the host has written."""
    with journal.transaction() as connection:
        rows = connection.execute("SELECT movement FROM host_outbox ORDER BY movement")
        return [movement for (movement,) in rows]


def send(connection: Any, *entries: Entry) -> None:
    """Write what is to be sent to the wallet."""
    for entry in entries:
        for movement in entry.movements:
            connection.execute("INSERT INTO host_outbox VALUES (?)", (movement.id,))


def agreed(table: Table, journal: SqliteJournal) -> None:
    """Compare a table with its journal, and with what is recovered from it."""
    journal.check()
    assert tuple(journal.entries()) == table.entries
    assert balance(table.state) == 0
    table.do(place("last"))
    again = recover(journal)
    assert (again.state, again.entries) == (table.state, table.entries)


def test_what_a_host_writes_is_committed_with_the_commands(table: Table, journal: Failing) -> None:
    """T9 f: an outbox in the journal's own commit, for several commands at once."""
    with table.transaction() as connection:
        one = table.execute(place("a"))
        several = table.do_many([place("b"), place("c")])
        again = table.execute(place("a"))
        send(connection, one, *several)
    assert again.repeated
    ids = [movement.id for entry in (one, *several) for movement in entry.movements]
    assert outbox(journal) == sorted(ids)
    agreed(table, journal)


@pytest.mark.parametrize("how", ["the host raises", "the database raises", "the commit fails"])
def test_a_transaction_that_fails_leaves_all_as_it_was(
    table: Table, journal: Failing, how: str
) -> None:
    """T9 f: state, sequence, remembered entries, journal and the rows of the host."""
    with table.transaction() as connection:
        known = table.execute(place("known"))
        send(connection, known)
    before = table.state, table.entries, table.taille, journal.head, outbox(journal)
    journal.broken = how == "the commit fails"

    def host() -> None:
        with table.transaction() as connection:
            send(connection, table.execute(place("a")))
            table.do(CloseBets(id="4"))
            if how == "the host raises":
                raise ZeroDivisionError
            if how == "the database raises":
                send(connection, known)

    with pytest.raises((ZeroDivisionError, sqlite3.IntegrityError, RecordError)):
        host()
    journal.broken = False
    assert (table.state, table.entries, table.taille, journal.head, outbox(journal)) == before
    entry = table.execute(place("a", amount=40))  # its id was never used
    assert (entry.sequence, entry.repeated) == (known.sequence + 1, False)
    agreed(table, journal)


def test_entries_that_a_failed_transaction_would_forget_are_remembered(
    table: Table, journal: Failing
) -> None:
    """A shoe opened within it makes the table forget the oldest one after the commit alone."""
    for name in "xy":
        close_shoe(table, name)
        open_bets(table, name)
    before = table.entries
    assert before[0].command.id == "1"
    with suppress(ZeroDivisionError), table.transaction():
        close_shoe(table, "z")
        open_bets(table, "z")
        raise ZeroDivisionError
    assert table.entries == before
    with table.transaction():
        close_shoe(table, "z")
        open_bets(table, "z")
    assert table.entries[0].command.id == "x1"
    assert recover(journal).state == table.state


def close_shoe(table: Table, name: str) -> None:
    """End the shoe."""
    table.do(VoidCoup(id=f"{name}v", reason="no players"))
    table.do(EndShoe(id=f"{name}e"))


def test_a_command_refused_within_a_transaction_ends_nothing(
    table: Table, journal: Failing
) -> None:
    """Neither one the table refuses nor one that the journal does: the block continues."""
    with table.transaction() as connection:
        with pytest.raises(TrenteError, match="minimum"):
            table.do(place("low", amount=1))
        with pytest.raises(TrenteError, match="minimum"):
            table.do_many([place("b"), place("low", amount=1)])
        send(connection, table.execute(place("a")))
    assert [stake.id for stake in table.state.stakes] == ["a"]
    agreed(table, journal)


def test_nobody_else_sees_what_is_provisional(table: Table) -> None:
    """T9 f: other threads see the state of before and wait; observers are called afterwards."""
    seen: list[tuple[str, int]] = []

    class Log:
        def done(self, table: Table, entries: Sequence[Entry], _seconds: float) -> None:
            seen.extend((entry.command.id, len(table.state.stakes)) for entry in entries)

        def refused(self, *_about: object) -> None:
            seen.append(("refused", 0))

    table.observe(Log())
    elsewhere: list[TableState] = []
    results: list[Entry] = []
    before = table.state
    waiting = Thread(target=lambda: results.append(table.execute(place("other"))))
    with table.transaction():
        table.do(place("a"))
        assert [stake.id for stake in table.state.stakes] == ["a"]
        assert not table.can(place("a", amount=40))
        look = Thread(target=lambda: elsewhere.append(table.state))
        look.start()
        look.join()
        waiting.start()
        table.do(place("b"))
        assert seen == []
    waiting.join()
    assert elsewhere == [before]
    assert seen == [("a", 1), ("b", 2), ("other", 3)]
    with suppress(ZeroDivisionError), table.transaction():
        table.do(place("c"))
        raise ZeroDivisionError
    assert len(seen) == 3
    assert results[0].sequence == 6


def code_in(table: Table) -> str:
    """Return the code with which a transaction is refused."""
    with pytest.raises(RecordError) as caught, table.transaction():
        raise AssertionError
    return caught.value.code


def test_a_journal_without_transactions_is_refused_before_anything_is_done(
    table: Table, tmp_path: Path
) -> None:
    """A clear code, no half of it; within another one neither, nor a rotation."""
    assert code_in(Table(house())) == "no-transaction"
    assert code_in(Table(house(), journal=MemoryJournal())) == "no-transaction"
    with table.transaction():
        assert code_in(table) == "in-transaction"
        with SqliteJournal(tmp_path / "new", "normal") as new:
            with pytest.raises(RecordError) as caught:
                table.rotate(new)
            assert caught.value.code == "in-transaction"
        table.do(place("a"))
    assert [stake.id for stake in table.state.stakes] == ["a"]
    table.do(CloseBets(id="4"))
    assert not table.can(CloseSession(id="5"))


def moved_away(path: Path) -> None:
    """Move a journal's files away, and begin another session under the name."""
    for end in ("", "-wal", "-shm"):
        Path(f"{path}{end}").rename(f"{path}-old{end}")
    with SqliteJournal(path, "normal") as other:
        open_bets(Table(house(), journal=other))


def test_a_transaction_is_refused_where_the_file_was_moved_away(
    table: Table, journal: Failing
) -> None:
    """As a command is: what is written to a file without its name would be lost."""
    before = table.state
    moved_away(Path(journal.path))
    assert code_in(table) == "journal-moved"
    with pytest.raises(RecordError) as caught:
        table.do(place("a"))
    assert caught.value.code == "journal-moved"
    assert table.state == before


def test_a_transaction_whose_file_is_moved_away_meanwhile_is_not_committed(
    table: Table, journal: Failing
) -> None:
    """The last look is before the commit: the block may have taken long."""
    before, path = table.state, Path(journal.path)

    def host() -> None:
        with table.transaction():
            table.do(place("a"))
            path.rename(f"{path}-old")

    with pytest.raises(RecordError) as caught:
        host()
    assert caught.value.code == "journal-moved"
    assert table.state == before
    Path(f"{path}-old").rename(path)
    assert journal.find("a", "a") is None
    agreed(table, journal)


def test_a_transaction_without_a_command_is_refused_once_another_recovered(
    table: Table, journal: Failing
) -> None:
    """Rows of a host that is fenced would be those of a table that is played elsewhere."""
    with SqliteJournal(journal.path, "normal") as other:
        recover(other)
    assert code_in(table) == "journal-moved"


def test_what_stops_a_transaction_has_a_code(table: Table, journal: Failing) -> None:
    """A host that sends again at "journal-locked" gets no error of the database."""
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert code_in(table) == "journal-locked"
        other.execute("ROLLBACK")
    with SqliteJournal(journal.path, read_only=True) as reader:
        assert code_in(recover(reader)) == "journal-read-only"
    with table.transaction():
        table.do(place("a"))
    journal.close()
    assert code_in(table) == "journal-closed"
    with pytest.raises(RecordError) as caught:
        recover(journal)
    assert caught.value.code == "journal-closed"


@pytest.mark.parametrize("how", ["commit", "rollback", "with", "COMMIT", "script"])
def test_a_host_cannot_end_the_transaction_within_its_block(
    how: str, table: Table, journal: Failing
) -> None:
    """Nothing of the block is written: half of it would be, and the table would not know."""
    before = table.state, journal.head, outbox(journal)

    def end(connection: sqlite3.Connection) -> None:
        if how == "with":
            with connection:
                connection.execute("INSERT INTO host_outbox VALUES ('y')")
        elif how == "COMMIT":
            connection.execute("COMMIT")
        elif how == "script":
            connection.executescript("INSERT INTO host_outbox VALUES ('y');")
        else:
            (connection.commit if how == "commit" else connection.rollback)()

    def host() -> None:
        with table.transaction() as connection:
            send(connection, table.execute(place("a")))
            with journal.transaction():
                pass
            end(connection)

    with pytest.raises(RecordError) as caught:
        host()
    assert caught.value.code == "transaction-ended"
    assert (table.state, journal.head, outbox(journal)) == before
    with table.transaction() as connection:
        send(connection, table.execute(place("b")))
    agreed(table, journal)


def test_observers_are_told_of_a_refusal_within_a_transaction(table: Table) -> None:
    """T10: as refused, with its error and its commands, in order, after the commit."""
    seen: list[tuple[str, list[str]]] = []

    class Log:
        def done(self, _table: Table, entries: Sequence[Entry], _seconds: float) -> None:
            seen.append(("done", [entry.command.id for entry in entries]))

        def refused(
            self, _table: Table, commands: Sequence[Command], error: Exception, _seconds: float
        ) -> None:
            assert isinstance(error, TrenteError)
            seen.append((error.code, [command.id for command in commands]))

    table.observe(Log())
    with table.transaction():
        table.do(place("a"))
        with pytest.raises(TrenteError):
            table.do(place("low", amount=1))
        table.do(place("b"))
    assert seen == [("done", ["a"]), ("below-minimum", ["low"]), ("done", ["b"])]


class Inline(Executor):
    """An executor that works at once, in the thread that submits."""

    def submit(self, work: Any, /, *values: Any, **named: Any) -> Future[Any]:
        """Do it now."""
        future: Future[Any] = Future()
        future.set_result(work(*values, **named))
        return future


def test_what_is_submitted_within_a_transaction_is_done_after_it(
    table: Table, journal: Failing
) -> None:
    """Its future ends, also where the pool works in the thread of the block, and it fails."""
    with table.transaction():
        table.do(place("a"))
        future = table.submit([place("b")], Inline())
        assert not future.done()
    assert future.result(0)[0].sequence == 5
    with suppress(ZeroDivisionError), table.transaction():
        future = table.submit([place("c")], Inline())
        raise ZeroDivisionError
    assert future.result(0)[0].sequence == 6
    agreed(table, journal)


def test_a_transaction_of_an_observer_takes_back_its_own_alone(
    table: Table, journal: Failing
) -> None:
    """T10: what was done before, and is still to be told, is told."""
    told: list[str] = []

    class Asks:
        def done(self, table: Table, entries: Sequence[Entry], _seconds: float) -> None:
            told.extend(entry.command.id for entry in entries)
            if told == ["a"]:
                table.do(place("b"))
                with suppress(ZeroDivisionError), table.transaction():
                    table.do(place("c"))
                    raise ZeroDivisionError

        def refused(self, *_about: object) -> None:
            raise AssertionError

    table.observe(Asks())
    table.do(place("a"))
    assert told == ["a", "b"]
    assert [stake.id for stake in table.state.stakes] == ["a", "b"]
    agreed(table, journal)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE outbox (x)",
        "CREATE VIEW host_v AS SELECT 1",
        "ANALYZE",
        "CREATE TRIGGER host_t AFTER INSERT ON ids BEGIN DELETE FROM host_outbox; END",
        "ALTER TABLE ids ADD COLUMN x TEXT",
        "CREATE INDEX host_i ON ids (command)",
    ],
)
def test_a_table_that_no_journal_may_hold_is_refused_as_it_is_made(
    statement: str, table: Table, journal: Failing
) -> None:
    """S7: else the file of the night could never be opened again."""
    before = table.state

    def host() -> None:
        with table.transaction() as connection:
            table.do(place("a"))
            connection.execute(statement)

    with pytest.raises(RecordError) as caught:
        host()
    assert caught.value.code == "other-tables"
    assert table.state == before
    with SqliteJournal(journal.path, "normal") as again:
        assert recover(again).state == before


def test_an_outbox_may_number_its_rows(table: Table, journal: Failing) -> None:
    """By AUTOINCREMENT, for which SQLite makes a table of its own."""
    with table.transaction() as connection:
        connection.execute("CREATE TABLE host_o (n INTEGER PRIMARY KEY AUTOINCREMENT, m TEXT)")
        connection.execute("INSERT INTO host_o (m) VALUES ('x')")
        table.do(place("a"))
    with SqliteJournal(journal.path, "normal") as again:
        assert recover(again).state == table.state
