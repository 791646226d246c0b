"""Stores: where the tables of a service are kept; in memory, in a folder, in PostgreSQL.

A store keeps the journal of each table, and next to it the setup that the table was made of: the
setup is written in the transaction that begins the journal, so there is never one without the
other, whenever the process dies.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from trente_rules.core.errors import RecordError, TrenteError, shown
from trente_rules.fair.card_seal import CardSeal
from trente_rules.service.messages import TABLE_NAME, TableSetup
from trente_rules.table.entries import Entry, Journal, SharedJournal
from trente_rules.table.journal import MemoryJournal, no_table_error
from trente_rules.table.journal_postgres import PostgresJournal
from trente_rules.table.journal_sqlite import SqliteJournal
from trente_rules.table.state import TableState

if TYPE_CHECKING:
    import psycopg

SUFFIX: Final = ".journal"
"""How the name of a table's file ends."""
_TEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    "host_service (owner, name, value)": ("owner", "name"),
    "host_debits (owner, player, command, movement)": ("owner", "movement"),
    "host_stuck (owner, movement, body)": ("owner", "movement"),
}


def _made(table: str, key: tuple[str, ...]) -> str:
    columns = table.replace(",", " TEXT NOT NULL,").replace(")", " TEXT NOT NULL")
    return f"CREATE TABLE IF NOT EXISTS {columns}, PRIMARY KEY ({', '.join(key)}))"


HOST_TABLES: Final = tuple(_made(*each) for each in _TEXTS.items())
"""What a service keeps apart from the journals, of each table: names and values (its setup, how far
    its wallet was informed), debits under way, and what a wallet refused that was due."""
_WRITERS: Final = (
    "CREATE TABLE IF NOT EXISTS host_writers (owner TEXT PRIMARY KEY, process TEXT NOT NULL,"
    " address TEXT NOT NULL, epoch BIGINT NOT NULL, at timestamptz NOT NULL)"
)
"""Which process writes a table, where it is reached, and when it was last alive."""
_KEEP: Final = "INSERT INTO host_service VALUES (?, 'setup', ?)"
_SETUP: Final = "SELECT value FROM host_service WHERE owner = ? AND name = 'setup'"
_CLOSES: Final = "INSERT INTO host_service VALUES (?, 'closing', '1') ON CONFLICT DO NOTHING"
_CLOSING: Final = "SELECT value FROM host_service WHERE owner = ? AND name = 'closing'"
_KINDS: Final = "sqlite:FOLDER, postgresql://HOST/DATABASE or memory:"
_SCHEMA: Final = "trente"
_WAIT: Final = 1.0
"""Seconds to wait for a file that is locked, or for another writer of a table."""


class Store(Protocol):
    """Where the tables of a service are kept, by their names."""

    @property
    def name(self) -> str:
        """The name of the store in messages, without any password."""
        ...  # pragma: no cover - a protocol has no body

    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables that are kept, in order."""
        ...  # pragma: no cover - a protocol has no body

    def create(self, setup: TableSetup, /) -> Journal:
        """Return a journal for a new table: as the table begins it, its setup is kept with it.

        Raises ``TrenteError`` ("table-exists") where a table of this name is kept.
        """
        ...  # pragma: no cover - a protocol has no body

    def open(self, table: str, /) -> tuple[TableSetup, Journal]:
        """Return the setup of a table that is kept, and its journal, for ``recover``.

        Raises ``TrenteError`` ("unknown-table") where no table of this name is kept,
        ``RecordError`` ("no-setup") for a journal that no service began, and what opening a journal
        raises.
        """
        ...  # pragma: no cover - a protocol has no body

    def close(self) -> None:
        """Give up what the store itself holds; the journals are closed by whoever has them."""
        ...  # pragma: no cover - a protocol has no body


class MemoryStore:
    """Tables in memory: nothing survives the process."""

    name = "memory:"

    def __init__(self) -> None:
        """Begin with no table."""
        self._kept: dict[str, tuple[TableSetup, Journal]] = {}

    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables that began."""
        return tuple(sorted(self._kept))

    def create(self, setup: TableSetup) -> Journal:
        """Return a journal for a new table; ``TrenteError`` ("table-exists")."""
        if setup.table in self._kept:
            raise table_exists_error(setup.table)
        return _MemoryJournal(self._kept, setup)

    def open(self, table: str) -> tuple[TableSetup, Journal]:
        """Return setup and journal of a table; ``TrenteError`` ("unknown-table")."""
        if table not in self._kept:
            raise unknown_table_error(table)
        return self._kept[table]

    def close(self) -> None:
        """Forget all tables."""
        self._kept.clear()


class _MemoryJournal(MemoryJournal):
    """A journal in memory that is kept as its table begins."""

    def __init__(self, kept: dict[str, tuple[TableSetup, Journal]], setup: TableSetup) -> None:
        super().__init__()
        self._kept, self._setup = kept, setup

    def begin(self, state: TableState, entries: Sequence[Entry]) -> None:
        super().begin(state, entries)
        self._kept[self._setup.table] = self._setup, self


class FolderStore:
    """Tables in the files of a folder: ``TABLE.journal``, each a journal in SQLite.

    The folder is made for its owner alone. One service has it at a time: as long as it has, it
    locks the file ``service.lock``, and the death of its process frees that at once. With a
    ``seal`` the cards to come are sealed.
    """

    def __init__(self, path: str | Path, seal: CardSeal | None = None) -> None:
        """Take a folder, which is made where it is not there.

        Raises ``RecordError``: "store-unusable" where that cannot be done, "store-in-use" where
        another service has it.
        """
        self._path, self._seal = Path(path), seal
        try:
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = _locked(self._path / "service.lock")
        except OSError as error:
            what = f"the folder {shown(str(self._path))} cannot hold tables: {error.strerror}"
            hint = "name a different folder: sqlite:FOLDER"
            raise RecordError(what, "store-unusable", hint, str(self._path)) from None
        except sqlite3.Error as error:
            what = f"the folder {shown(str(self._path))} is in use by another service: {error}"
            hint = "stop that service, or name another folder"
            raise RecordError(what, "store-in-use", hint, str(self._path)) from None

    @property
    def name(self) -> str:
        """The name of the store in messages."""
        return f"sqlite:{self._path}"

    def path(self, table: str) -> Path:
        """Return the file of a table; ``TrenteError`` ("unknown-table") for what is not a name."""
        if not TABLE_NAME.fullmatch(table):
            raise unknown_table_error(table)
        return self._path / f"{table}{SUFFIX}"

    def tables(self) -> tuple[str, ...]:
        """Return the names of the files that hold a table, or something that cannot be read."""
        found = (each.name.removesuffix(SUFFIX) for each in self._path.glob(f"*{SUFFIX}"))
        return tuple(
            sorted(each for each in found if TABLE_NAME.fullmatch(each) and self.has(each))
        )

    def has(self, table: str) -> bool:
        """Return whether a file holds a table, or what cannot be read; not one that never began."""
        path = self.path(table)
        if not path.exists():
            return False
        try:
            with SqliteJournal(path, wait=_WAIT, seal=self._seal) as journal:
                return journal.head is not None
        except RecordError:
            return True  # it is not written over, and whoever opens it is told why

    def create(self, setup: TableSetup) -> SqliteJournal:
        """Return a journal for a new table; ``TrenteError`` ("table-exists")."""
        if self.has(setup.table):
            raise table_exists_error(setup.table)
        made = SetupSqliteJournal(self.path(setup.table), wait=_WAIT, seal=self._seal)
        made.setup = setup
        return made

    def open(self, table: str) -> tuple[TableSetup, SqliteJournal]:
        """Return setup and journal of a table, as every store."""
        path = self.path(table)
        if not path.exists():
            raise unknown_table_error(table)
        journal = SqliteJournal(path, wait=_WAIT, seal=self._seal)
        try:
            return _setup_in(journal, table), journal
        except BaseException:
            journal.close()
            raise

    def close(self) -> None:
        """Let another service have the folder; closing it twice is allowed."""
        self._lock.close()


class SetupSqliteJournal(SqliteJournal):
    """A journal of SQLite whose beginning keeps the setup of its table in the same commit."""

    setup: TableSetup

    def begin(self, state: TableState, entries: Sequence[Entry]) -> None:
        """Store house, table, first state and setup, all or none; as every journal."""
        with self.transaction() as connection:
            for each in HOST_TABLES:
                connection.execute(each)
            super().begin(state, entries)
            connection.execute(_KEEP, _row(self.setup))


class PostgresStore:
    """Tables in a PostgreSQL database, in one schema; any number of services may share them.

    Each table has one writer: whoever opened it has its lock, as long as its connection lives. The
    address is that of libpq, ``postgresql://USER@HOST/DATABASE``; a fragment names the schema:
    ``#salle``. With a ``seal`` the cards to come are sealed.
    """

    def __init__(self, conninfo: str, seal: CardSeal | None = None, *, wait: float = _WAIT) -> None:
        """Take a database, and make what a service needs in it.

        ``wait`` is how many seconds to wait for another writer of a table. Raises ``TrenteError``
        ("needs-postgres") without psycopg, ``RecordError`` ("store-unusable") where the database
        cannot be reached or written to, "journal-unreadable" for a bad name of a schema.
        """
        self.conninfo, _, schema = conninfo.partition("#")
        self.schema = schema or _SCHEMA
        self._seal, self._wait = seal, wait
        if not re.fullmatch(r"[a-z_][a-z0-9_]{0,39}", self.schema):
            what = f"{shown(self.schema)} is not the name of a schema"
            hint = "take at most 40 small letters, digits and _ after the #"
            raise TrenteError(what, "bad-store", hint)
        with closing(self.connect()) as connection, connection.transaction():
            # Two that make the same table at once would fail.
            key = f"trente-rules service {self.schema}"
            connection.execute(b"SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (key,))
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {self.schema}".encode())
            for each in (*HOST_TABLES, _WRITERS):
                connection.execute(each.encode())

    def connect(self) -> psycopg.Connection:
        """Return a new connection, which sees the schema, and commits by itself.

        Raises ``TrenteError`` ("needs-postgres"), ``RecordError`` ("store-unusable").
        """
        try:
            import psycopg  # noqa: PLC0415 - of the extra
        except ImportError:
            what, hint = "tables in PostgreSQL need psycopg", 'pip install "trente-rules[postgres]"'
            raise TrenteError(what, "needs-postgres", hint) from None
        try:
            made = psycopg.connect(self.conninfo, autocommit=True, client_encoding="UTF8")
            try:
                made.execute(f"SET search_path = {self.schema}".encode())
            except BaseException:
                made.close()
                raise
        except psycopg.Error as error:
            what = f"the database of {self.name} cannot be reached: {' '.join(str(error).split())}"
            hint = "check the address of the server, the database and the role"
            raise RecordError(what, "store-unusable", hint, self.name) from None
        return made

    @property
    def name(self) -> str:
        """The name of the store in messages, without its password."""
        shown_ = re.sub(r"//[^/@]*@", "//", self.conninfo) if "://" in self.conninfo else "..."
        return f"{shown_.partition('?')[0]}#{self.schema}"

    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables that are kept, by whichever service they were made."""
        query = b"SELECT owner FROM host_service WHERE name = 'setup' ORDER BY owner"
        with closing(self.connect()) as connection:
            return tuple(owner for (owner,) in connection.execute(query))

    def setup(self, table: str) -> TableSetup:
        """Return the setup of a table; ``TrenteError`` ("unknown-table")."""
        with closing(self.connect()) as connection:
            found = connection.execute(_SETUP.replace("?", "%s").encode(), (table,)).fetchone()
        if found is None:
            raise unknown_table_error(table)
        return setup_of(table, found)

    def create(self, setup: TableSetup) -> PostgresJournal:
        """Return a journal for a new table; ``TrenteError`` ("table-exists")."""
        if setup.table in self.tables():
            raise table_exists_error(setup.table)
        made = SetupPostgresJournal(
            self.conninfo, setup.table, schema=self.schema, wait=self._wait, seal=self._seal
        )
        made.setup = setup
        return made

    def open(self, table: str) -> tuple[TableSetup, PostgresJournal]:
        """Return setup and journal of a table, as every store; "journal-locked" where it is taken.

        Another process is then its writer.
        """
        return self.setup(table), self._journal(table)

    def reader(self, table: str) -> tuple[TableSetup, PostgresJournal]:
        """Return setup and journal of a table, open to read: another process may be its writer."""
        return self.setup(table), self._journal(table, read_only=True)

    def _journal(self, table: str, *, read_only: bool = False) -> PostgresJournal:
        return PostgresJournal(
            self.conninfo,
            table,
            schema=self.schema,
            wait=self._wait,
            seal=self._seal,
            read_only=read_only,
        )

    def close(self) -> None:
        """Give up nothing: connections are those of the journals."""


class SetupPostgresJournal(PostgresJournal):
    """A journal of PostgreSQL whose beginning keeps the setup of its table in the same commit."""

    setup: TableSetup

    def begin(self, state: TableState, entries: Sequence[Entry]) -> None:
        """Store house, table, first state and setup, all or none; as every journal."""
        with self.transaction() as connection:
            super().begin(state, entries)
            connection.execute(_KEEP.replace("?", "%s").encode(), _row(self.setup))


def store_of(text: str, seal: CardSeal | None = None) -> Store:
    """Return the store of an address: ``sqlite:FOLDER``, ``postgresql://...``, ``memory:``.

    Raises ``TrenteError`` ("bad-store") for another text, and what the store raises.
    """
    kind, colon, rest = text.partition(":")
    if kind == "memory" and colon and not rest:
        return MemoryStore()
    if kind == "sqlite" and rest.strip("/"):
        return FolderStore(rest, seal)
    if kind in ("postgresql", "postgres") and rest.startswith("//"):
        return PostgresStore(text, seal)
    # An address may hold a password: its scheme alone is shown.
    what = f"{shown(kind + colon)} does not name a place for the tables of a service"
    raise TrenteError(what, "bad-store", f"write {_KINDS}")


def setup_of(table: str, found: Any) -> TableSetup:
    """Return the setup of a row that was found, or not; ``RecordError`` ("no-setup").

    What is not a setup raises as ``TableSetup.of_json``, or "not-json".
    """
    if not found:
        what = f"the journal of table {table!r} was not begun by a service: it has no setup"
        raise RecordError(what, "no-setup", "create the table by the service", table)
    try:
        value = json.loads(found[0])
    except (ValueError, RecursionError, TypeError) as error:
        what = f"the setup of table {table!r} is not JSON: {error}"
        raise RecordError(what, "not-json", "restore a copy", table) from None
    return TableSetup.of_json(value)


@contextmanager
def host_rows(journal: SharedJournal) -> Iterator[Callable[[str, Sequence[str]], Any]]:
    """Open a transaction of a journal; yield what runs a statement with values for each ``?``."""
    with journal.transaction() as connection:
        if isinstance(connection, sqlite3.Connection):
            yield connection.execute
        else:
            yield lambda query, values: connection.execute(
                query.replace("?", "%s").encode(), values
            )


def note_closing(journal: Journal | None, table: str) -> None:
    """Keep that a table is to be closed, where its journal keeps anything."""
    if isinstance(journal, SharedJournal):
        with host_rows(journal) as run:
            run(_CLOSES, (table,))


def is_closing(journal: Journal, table: str) -> bool:
    """Return whether a table was to be closed when its process ended."""
    if not isinstance(journal, SharedJournal):
        return False
    with host_rows(journal) as run:
        return run(_CLOSING, (table,)).fetchone() is not None


def unknown_table_error(table: str) -> TrenteError:
    """Return the error of a name that no table has."""
    return TrenteError(f"there is no table {shown(table)}", "unknown-table", "look at its name")


def table_exists_error(table: str) -> TrenteError:
    """Return the error of a second table of one name."""
    what = f"there is a table {table!r} already"
    return TrenteError(what, "table-exists", "give the new one another name")


def _setup_in(journal: SqliteJournal, table: str) -> TableSetup:
    """Return the setup in the file of a table; "journal-empty", "no-setup"."""
    if journal.head is None:
        raise no_table_error(journal.name, journal.place)
    with journal.transaction() as connection:
        query = "SELECT 1 FROM sqlite_schema WHERE name = 'host_service'"
        there = connection.execute(query).fetchone()
        found = there and connection.execute(_SETUP, (table,)).fetchone()
    return setup_of(table, found)


def _row(setup: TableSetup) -> tuple[str, str]:
    return setup.table, json.dumps(setup.to_json(), ensure_ascii=False, separators=(",", ":"))


def _locked(path: Path) -> sqlite3.Connection:
    """Lock a file for as long as the connection lives; ``sqlite3.Error`` where another one has."""
    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
    try:
        path.chmod(0o600)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
    except BaseException:
        connection.close()
        raise
    return connection
