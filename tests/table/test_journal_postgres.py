"""The journal in PostgreSQL: its lock, a connection that is lost, rights, readers that wait."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import psycopg
import pytest
from attrs import evolve
from tests.table.takeover_host import HOUSE
from tests.table.ten_players import dice_of, following

from trente_rules import RecordError, Table, TrenteError
from trente_rules.fair.entropy import fresh_seed
from trente_rules.table import (
    Entry,
    PostgresJournal,
    SqliteJournal,
    journal_server,
    recover,
)
from trente_rules.table.journal_server import ServerConnection
from trente_rules.table.state import balance
from trente_rules.testing import opening_of

HOST = Path(__file__).with_name("takeover_host.py")
Opener = Callable[..., PostgresJournal]

pytestmark = pytest.mark.slow


@pytest.fixture
def journals(postgres: str, schema: str) -> Iterator[Opener]:
    """Return what opens journals of a schema of the test; they are closed at its end."""
    with ExitStack() as opened:

        def opener(name: str = "salle 3", **how: Any) -> PostgresJournal:
            how = {"schema": schema, "wait": 0.05, "conninfo": postgres, **how}
            journal = PostgresJournal(name=name, **how)
            opened.callback(journal.close)
            return journal

        yield opener


def begun(journal: PostgresJournal | SqliteJournal, commands: int = 0) -> Table:
    """Return a table on a journal, after some commands."""
    table = Table(HOUSE, opening=opening_of(HOUSE), journal=journal, session="s")
    play(table, commands)
    return table


def play(table: Table, commands: int) -> None:
    """Do so many commands."""
    for _ in range(commands):
        table.do(following(table, dice_of(table.state.events)))


def refused(act: Callable[[], object]) -> RecordError:
    """Return the error of what is refused."""
    with pytest.raises(RecordError) as caught:
        act()
    return caught.value


class Host:
    """A process of takeover_host.py."""

    def __init__(self, *words: str) -> None:
        """Start it."""
        command = [sys.executable, str(HOST), *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.lines: Queue[str] = Queue()
        self.told: list[list[str]] = []
        self.reader = Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as lines:
            for line in lines:
                self.lines.put(line)

    def until(self, enough: Callable[[list[list[str]]], bool]) -> None:
        """Read what it writes until it is enough."""
        while not enough(self.told):
            self.told.append(self.lines.get(timeout=60).split())
            assert self.told[-1][0] != "failed", self.told[-1]

    def kill(self) -> list[list[str]]:
        """Kill it; return all the whole lines that it wrote."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join()
        self.told += [line.split() for line in self.lines.queue if line.endswith("\n")]
        return self.told


def test_a_process_that_is_killed_is_replaced(postgres: str, schema: str, journals: Opener) -> None:
    """Kill one of two processes: the other has its tables within 2 s, and nothing is doubled.

    The bound is wide here, for the sake of a machine that is busy.
    """
    names = ["salle1", "salle2", "salle3"]
    first = Host(postgres, schema, *names)
    hosts, taken = [first], []
    try:
        first.until(lambda told: all(sum(line[0] == name for line in told) > 20 for name in names))
        second = Host(postgres, schema, *names)
        hosts.append(second)
        second.until(lambda told: len(told) == len(names))
        time.sleep(0.2)
        assert second.lines.empty()  # it waits for the locks
        killed_at = time.time()
        told = [first.kill()]
        second.until(lambda told: all(sum(line[0] == name for line in told) > 20 for name in names))
        told.append(second.kill())
        taken = [float(line[2]) - killed_at for line in told[1] if line[0] == "took"]
    finally:
        for each in hosts:
            each.process.kill()
            each.process.wait()
    print("taken over after", [f"{each * 1000:.0f} ms" for each in taken])  # noqa: T201 - with -s
    assert len(taken) == 3
    assert max(taken) < 10
    for name in names:
        answered = [line[1] for lines in told for line in lines if line[0] == name]
        check_ledger(journals(name, wait=5), name, answered)


def check_ledger(journal: PostgresJournal, session: str, answered: list[str]) -> None:
    """Compare a journal with a table that was not interrupted, and with what was answered."""
    alone = Table(HOUSE, name=session, opening=opening_of(HOUSE), session=session)
    kept = []
    for entry in journal.entries():
        assert alone.execute(entry.command) == entry
        kept.append(entry.command.id)
    assert len(set(kept)) == len(kept)
    assert [each for each in kept if each in set(answered)] == answered
    assert len(kept) - len(answered) <= 2, "at most the last command of each process"
    again = recover(journal)
    assert again.state == alone.state
    assert again.taille == alone.taille
    assert balance(again.state) == 0
    journal.check()


def test_one_writer_at_a_time(journals: Opener) -> None:
    """Another one is refused, or waits; the lock ends with the connection."""
    first = journals()
    begun(first, 5)
    error = refused(journals)
    assert (error.code, error.place) == ("journal-locked", "salle 3")
    assert "steal" in error.hint
    begun(journals("salle 4"), 3)  # other tables are free
    assert journals(read_only=True).check().sequence == 5
    waiting: list[PostgresJournal] = []
    waiter = Thread(target=lambda: waiting.append(journals(wait=30)))
    waiter.start()
    time.sleep(0.2)
    assert not waiting
    first.close()
    waiter.join()
    play(recover(waiting[0]), 3)


def test_a_writer_that_was_paused_is_fenced(journals: Opener) -> None:
    """Its connection is ended by who takes the table over; it is refused even once that is gone."""
    old = begun(journals(), 20)
    thief = journals(steal=True)
    table = recover(thief)
    assert refused(lambda: play(old, 1)).code == "journal-locked"
    thief.close()
    # The lock is free, and the events are as many as before; the epoch is what keeps it out.
    assert refused(lambda: play(old, 1)).code == "journal-moved"
    assert table.state == old.state
    assert recover(journals(steal=True)).state == old.state


@pytest.mark.parametrize("committed", [True, False], ids=["committed", "not committed"])
def test_a_connection_that_is_lost_during_a_commit(
    journals: Opener, postgres: str, monkeypatch: pytest.MonkeyPatch, *, committed: bool
) -> None:
    """Nothing is guessed: the same command, sent again, is refused where it had been written."""
    journal = journals()
    table = begun(journal, 20)
    command = following(table, dice_of(1))
    real = ServerConnection.commit

    def commit(self: ServerConnection) -> None:
        if committed:
            self.raw.execute("COMMIT")
        end(postgres, self)
        real(self)

    with monkeypatch.context() as patched:
        patched.setattr(ServerConnection, "commit", commit)
        error = refused(lambda: table.do(command))
    assert error.code == "connection-lost"
    assert "may be done" in error.message
    before = table.state.events
    if committed:
        assert refused(lambda: table.do(command)).code == "journal-moved"
        table = recover(journals(steal=True))
        assert table.execute(command).repeated
    else:
        assert not table.execute(command).repeated
    assert table.state.events > before
    assert journals(read_only=True).check().sequence == 21


def end(conninfo: str, connection: ServerConnection) -> None:
    """End a connection, as an administrator or a network does."""
    with psycopg.connect(conninfo, autocommit=True) as other:
        pid = connection.raw.info.backend_pid
        other.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))


def test_a_connection_that_was_lost_is_made_anew(journals: Opener, postgres: str) -> None:
    """Between commands nobody notices; a reader reads on."""
    journal = journals()
    table = begun(journal, 20)
    reader = journals(read_only=True)
    end(postgres, journal._connection)
    end(postgres, reader._connection)
    play(table, 5)
    assert reader.check().sequence == 25
    journal.close()
    journal.close()
    assert refused(lambda: play(table, 1)).code == "journal-closed"


def test_a_connection_that_is_lost_in_a_transaction_has_written_nothing(
    journals: Opener, postgres: str
) -> None:
    """It is not made anew within: what was written before in the block would be missing."""
    journal = journals()
    table = begun(journal, 20)

    def block() -> None:
        with table.transaction():
            play(table, 1)
            end(postgres, journal._connection)
            play(table, 1)

    error = refused(block)
    what = "journal 'salle 3': the connection was lost, and nothing was written: "
    assert error.message.startswith(what)
    assert (error.code, error.place) == ("connection-lost", "salle 3")
    assert error.hint == "send the same commands again"
    assert table.sequence == 20
    play(table, 2)
    assert journal.check().sequence == 22


def test_a_database_of_another_encoding_holds_no_journal(
    journals: Opener, postgres: str, schema: str
) -> None:
    """docs/journal.md: names of players would be lost in it; nothing is made there."""
    name = f"latin_{schema}"
    with psycopg.connect(postgres, autocommit=True) as admin:
        how = "TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
        admin.execute(f"CREATE DATABASE {name} {how}".encode())
    latin = postgres.replace("dbname=postgres", f"dbname={name}")
    error = refused(lambda: journals(conninfo=latin))
    assert error.message == "journal 'salle 3': the encoding of its database is not UTF8"
    assert error.hint == "make a database with ENCODING 'UTF8'"
    assert (error.code, error.place) == ("journal-unreadable", "salle 3")
    with psycopg.connect(latin) as other:
        query = b"SELECT count(*) FROM pg_namespace WHERE nspname = %s"
        assert other.execute(query, (schema,)).fetchone() == (0,)


@pytest.mark.parametrize("id_", ["a\0b", fresh_seed(9000).hex()])
def test_a_text_that_cannot_be_held_changes_nothing(id_: str, journals: Opener) -> None:
    """The character of code 0, an id too long for an index; the table goes on."""
    journal = journals()
    table = begun(journal, 20)
    before = table.state
    last = table.entries[-1]
    command = evolve(last.command, id=id_)
    entry = evolve(last, command=command, sequence=21, first_event=before.events)
    error = refused(lambda: journal.append([entry], before))
    assert error.code == "text-not-kept"
    assert table.state is before
    assert journal.check().sequence == 20
    play(table, 5)


def test_a_query_of_the_host_that_failed_is_not_passed_over(journals: Opener) -> None:
    """PostgreSQL says ROLLBACK to a COMMIT then: the block raises, and nothing is written."""
    journal = journals()
    table = begun(journal, 20)

    def block() -> None:
        with journal.transaction() as connection:
            connection.execute("CREATE TABLE host_outbox (id text)")
            with suppress(psycopg.Error):
                connection.execute("SELECT 1 FROM nowhere")

    assert refused(block).code == "journal-fails"
    play(table, 5)
    assert journal.check().sequence == 25


def test_roles_that_may_only_read_or_only_add(journals: Opener, postgres: str, schema: str) -> None:
    """docs/journal.md: what a reader needs, and a writer who can change and delete nothing."""
    begun(journals(), 30)
    role = f"reader_{schema}"
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {role} LOGIN".encode())
        admin.execute(f"GRANT USAGE ON SCHEMA {schema} TO {role}".encode())
        admin.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}".encode())
    as_role = postgres.replace("user=postgres", f"user={role}")
    reader = journals(conninfo=as_role, read_only=True)
    assert reader.check().sequence == 30
    assert len(list(reader.movements())) > 1
    assert recover(reader).state.events
    assert refused(lambda: journals("new", conninfo=as_role)).code == "journal-unreadable"
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute(f"GRANT INSERT ON ALL TABLES IN SCHEMA {schema} TO {role}".encode())
        admin.execute(f"GRANT UPDATE ON {schema}.head TO {role}".encode())
    writer = journals("new", conninfo=as_role)
    table = begun(writer, 30)
    assert recover(writer).state == table.state
    with pytest.raises(psycopg.errors.InsufficientPrivilege), writer.transaction() as connection:
        connection.execute("DELETE FROM commands")
    with pytest.raises(psycopg.errors.InsufficientPrivilege), writer.transaction() as connection:
        connection.execute("UPDATE commands SET player = ''")
    assert writer.check().sequence == 30


def test_databases_that_hold_something_else(journals: Opener, postgres: str, schema: str) -> None:
    """A later version, other tables, no journal, no server, bad names: each is a clear error."""
    assert refused(lambda: journals(read_only=True)).code == "journal-missing"
    journals().close()
    assert refused(lambda: journals("other", read_only=True)).code == "journal-missing"
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute(f"SET search_path = {schema}".encode())
        admin.execute("UPDATE version SET number = 99")
        admin.execute(f"CREATE SCHEMA {schema}_x; CREATE TABLE {schema}_x.meta (a int)".encode())
    for how in ({}, {"read_only": True}):
        assert refused(lambda how=how: journals(**how)).code == "unknown-schema"  # type: ignore[misc]
    assert refused(lambda: journals(schema=f"{schema}_x")).code == "not-a-journal"
    for name in ("", "a\nb", "x" * 201, 3):
        assert refused(lambda name=name: journals(name)).code == "journal-unreadable"  # type: ignore[misc]
    for bad in ("Trente", "a b", 'a"b', "", "x" * 41):
        assert refused(lambda bad=bad: journals(schema=bad)).code == "journal-unreadable"  # type: ignore[misc]
    away = "host=/nowhere user=postgres password=geheim"
    error = refused(lambda: journals(conninfo=away))
    assert error.code == "journal-unreadable"
    assert "geheim" not in str(error)


def test_a_table_does_not_continue_in_another_schema(journals: Opener, schema: str) -> None:
    """Names of earlier journals are looked up in one schema."""
    table = begun(journals(), 20)
    other = journals(schema=f"{schema}_other")
    assert refused(lambda: table.rotate(other)).code == "no-rotation"
    play(table, 3)


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is needed only where a journal in PostgreSQL is opened."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "trente_rules.table.journal_server")
    monkeypatch.delattr("trente_rules.table.journal_server", raising=False)
    with pytest.raises(TrenteError) as caught:
        PostgresJournal("", "a")
    assert caught.value.code == "needs-postgres"
    assert "trente-rules[postgres]" in caught.value.hint


def test_long_journals_are_read_in_portions(
    journals: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory does not grow with a journal: no query that has many rows fetches all."""
    begun(journals(), 250)
    largest = []
    real = ServerConnection.done

    def done(self: ServerConnection, query: str, values: Any, **how: Any) -> Any:
        found = real(self, query, values, **how)
        largest.append(found.rowcount)
        return found

    monkeypatch.setattr(ServerConnection, "done", done)
    reader = journals(read_only=True)
    assert reader.check().sequence == 250
    assert len(list(reader.movements())) > 250
    assert max(largest) <= 500, "as many as are read in one query"


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_another_reader_sees_commands_as_they_come(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """It follows until the table continues elsewhere; to wait in vain has an end."""
    if kind == "sqlite":
        writer: Any = SqliteJournal(tmp_path / "a", "normal")
        following_journal: Any = SqliteJournal(tmp_path / "a", read_only=True)
        new: Any = SqliteJournal(tmp_path / "b", "normal")
    else:
        journals = request.getfixturevalue("journals")
        writer, following_journal = journals(), journals(read_only=True)
        new = journals("next")
    with writer, following_journal as reader, new:
        assert not reader.wait(0, timeout=0.05)
        seen: Queue[Entry] = Queue()

        def follow() -> None:
            for entry in reader.follow():
                seen.put(entry)

        follower = Thread(target=follow)
        follower.start()
        table = begun(writer)
        for _ in range(30):
            play(table, 1)
            assert seen.get(timeout=30) == table.entries[-1]
        if isinstance(reader, PostgresJournal):
            raw = reader._listener._raw
            assert raw is not None
            raw.close()  # as a network does; it listens again
            play(table, 1)
            assert seen.get(timeout=30) == table.entries[-1]
        assert reader.wait(29, timeout=0)
        assert not reader.wait(table.entries[-1].sequence, timeout=0.05)
        table.rotate(new)
        follower.join(timeout=30)
        assert not follower.is_alive()
        assert not reader.wait(99)


def test_an_interrupt_as_a_read_begins_leaves_a_table_that_plays(
    journals: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S5: as by Ctrl-C; else all later commands were refused, in a transaction that only reads."""
    journal = journals()
    table = begun(journal, 20)
    usual = psycopg.Connection.execute

    def interrupted(connection: Any, query: Any, *more: Any, **named: Any) -> Any:
        done = usual(connection, query, *more, **named)
        if b"READ ONLY" in query:
            raise KeyboardInterrupt
        return done

    for read in (journal.check, journal.kept, lambda: journal.find("a", "a")):
        with monkeypatch.context() as changed:
            changed.setattr(psycopg.Connection, "execute", interrupted)
            with pytest.raises(KeyboardInterrupt):
                read()
        play(table, 2)
    assert journal.check().sequence == 26


def test_the_columns_are_those_of_a_file_in_their_order(tmp_path: Path) -> None:
    """A row is written to both by one query, which names no column."""
    with SqliteJournal(tmp_path / "j") as journal:
        run = journal._connection.execute
        tables = {name for (name,) in run("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        assert tables == journal_server._COLUMNS.keys()
        for name, columns in journal_server._COLUMNS.items():
            found = [column for _, column, *_ in run(f"PRAGMA table_info({name})")]
            assert found == [each.strip('"') for each in journal_server._names_of(columns)]
