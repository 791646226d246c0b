"""The PostgreSQL database of journals: its tables, a connection to one journal, errors.

Psycopg is imported here, and this module where a ``PostgresJournal`` is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import chain, islice
from selectors import EVENT_READ, DefaultSelector
from threading import Lock
from time import sleep
from typing import Any, Final

import psycopg
from attrs import evolve, frozen
from psycopg import errors, pq
from psycopg.adapt import Loader

from trente_rules.core.errors import RecordError, shown
from trente_rules.table.journal_rows import SCHEMA, Found, KeyTakenError

OLDEST: Final = 15
"""The first release of PostgreSQL that is tried."""
_PORTION: Final = 200
"""Rows that are fetched at once, so that memory does not grow with a journal."""
_AGAIN: Final = 0.2
"""Seconds after which a reader connects again that was to be notified."""
_LARGEST: Final = 2**63
_COLUMNS: Final = {
    "meta": "name text NOT NULL, value text NOT NULL, PRIMARY KEY (journal, name)",
    "commands": "sequence bigint NOT NULL, shoe bigint NOT NULL, coup bigint NOT NULL,"
    " player text NOT NULL, id text NOT NULL, at text NOT NULL, kind text NOT NULL,"
    " body text NOT NULL, first_event bigint NOT NULL, events text NOT NULL, hash bytea NOT NULL,"
    " PRIMARY KEY (journal, sequence)",
    "movements": "command bigint NOT NULL, place bigint NOT NULL, id text NOT NULL,"
    " shoe bigint NOT NULL, coup bigint NOT NULL, stake text NOT NULL, player text NOT NULL,"
    " units numeric NOT NULL CHECK (units = trunc(units)), reason text NOT NULL,"
    " reverses text NOT NULL, PRIMARY KEY (journal, command, place)",
    "snapshots": "sequence bigint NOT NULL, body text NOT NULL, hash bytea NOT NULL,"
    " PRIMARY KEY (journal, sequence)",
    "head": '"only" integer NOT NULL CHECK ("only" = 1), sequence bigint NOT NULL,'
    ' events bigint NOT NULL, hash bytea NOT NULL, PRIMARY KEY (journal, "only")',
    "ids": "player text NOT NULL, id text NOT NULL, command bigint NOT NULL,"
    " PRIMARY KEY (journal, player, id)",
    "next": '"only" integer NOT NULL CHECK ("only" = 1), name text NOT NULL, first bytea NOT NULL,'
    ' PRIMARY KEY (journal, "only")',
    "epochs": "number bigint NOT NULL, sequence bigint NOT NULL, events bigint NOT NULL,"
    " at text NOT NULL, engine text NOT NULL, hash bytea NOT NULL, PRIMARY KEY (journal, number)",
    "signatures": "number bigint NOT NULL, sequence bigint NOT NULL, events bigint NOT NULL,"
    " hash bytea NOT NULL, key text NOT NULL, signature bytea NOT NULL,"
    " PRIMARY KEY (journal, number)",
}
_JOURNALS: Final = (
    "CREATE TABLE journals (number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    ' name text COLLATE "C" NOT NULL UNIQUE, made timestamptz NOT NULL DEFAULT now())'
)
_INDICES: Final = (
    "all_commands (journal, shoe, coup)",
    "all_commands (journal, sequence) WHERE kind = 'correct'",
    "all_movements (journal, shoe, coup)",
    "all_movements (journal, player, stake)",
)
_RESTORE: Final = "restore a copy"
_FAILS: Final = (
    *("journal-fails", "PostgreSQL failed"),
    "look at the log of the server, and send the commands again",
)
_CODES: Final[tuple[tuple[tuple[type[Exception], ...], str, str, str], ...]] = (
    (
        (errors.LockNotAvailable, errors.DeadlockDetected, errors.SerializationFailure),
        *("journal-locked", "another process is writing to it", "run one writer"),
    ),
    ((errors.DiskFull,), "journal-full", "the disk is full", "make room, and do it again"),
    (
        (errors.ReadOnlySqlTransaction,),
        *("journal-read-only", "it cannot be written to", "open it to write, on the primary"),
    ),
    (
        (errors.InsufficientPrivilege,),
        *("journal-unreadable", "the role may not use it", "grant it the rights"),
    ),
    (
        (errors.UndefinedTable, errors.UndefinedColumn, errors.InvalidTextRepresentation),
        *("journal-broken", "its tables are not those of a journal", _RESTORE),
    ),
    (
        (errors.DataError, errors.ProgramLimitExceeded, UnicodeError),
        *("text-not-kept", "PostgreSQL cannot hold a text"),
        "leave out the character of code 0, and keep ids shorter than 1,000 characters",
    ),
)


@frozen
class Where:
    """A journal by its name, in a schema of a database; ``conninfo`` may hold a password."""

    conninfo: str
    schema: str
    name: str
    read_only: bool = False
    wait: float = 1.0
    """Seconds to wait for another writer."""
    steal: bool = False
    """Whether the connection of a writer that holds on is ended."""


class _UnitsLoader(Loader):
    """Units as a journal in SQLite gives them: integers, as texts beyond 64 bits."""

    def load(self, data: Any) -> int | str:
        """Read a number without decimals."""
        text = bytes(data).decode()
        units = int(text)
        return units if -_LARGEST <= units < _LARGEST else text


@lru_cache(maxsize=200)
def _translated(query: str) -> bytes:
    """Return a query as psycopg takes it: ``?`` marks a value, here ``%s``."""
    return query.replace("%", "%%").replace("?", "%s").encode()


class ServerConnection:
    """A connection to one journal, with the methods that ``SqlJournal`` uses.

    The tables that it sees are those of the journal: views of the tables of all.
    """

    raw: psycopg.Connection
    """That of psycopg, which commits by itself outside of transactions."""

    def __init__(self, where: Where) -> None:
        """Connect; to write, make tables and journal where they are not there.

        A writer has the lock of the journal as long as its connection lives. Raises
        ``RecordError``: "journal-unreadable", "journal-missing", "journal-locked", "not-a-journal",
        "unknown-schema", and those of ``postgres_errors``.
        """
        self.where = where
        self._portions = 0
        self.connect()

    def connect(self) -> None:
        """Connect, or connect again where the connection was lost."""
        raw = _raw(self.where)
        try:
            with _errors_of(raw, self.where.name):
                self.number = _prepared(raw, self.where)
        except BaseException:
            raw.close()
            raise
        self.raw, self.where = raw, evolve(self.where, steal=False)
        self._cursor = raw.cursor()
        self._cursor.adapters.register_loader("numeric", _UnitsLoader)

    @property
    def lost(self) -> bool:
        """True where it is closed, by whomever: what the server said since is looked at."""
        libpq = self.raw.pgconn
        with suppress(psycopg.Error), DefaultSelector() as sockets:
            sockets.register(self.raw.fileno(), EVENT_READ)
            while not self.raw.closed and sockets.select(0):
                libpq.consume_input()
        return self.raw.closed

    @property
    def in_transaction(self) -> bool:
        """True in a transaction, be it one that failed."""
        idle = (pq.TransactionStatus.IDLE, pq.TransactionStatus.UNKNOWN)
        return self.raw.info.transaction_status not in idle

    @property
    def channel(self) -> str:
        """The channel on which the commits to this journal are notified."""
        return f"{self.where.schema}.{self.number}"

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Found:
        """Do a query; what one that begins with SELECT gives is fetched when it is asked for."""
        if query.startswith("SELECT"):
            return _Rows(self, query, values)
        return self.done(query, values)

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> Found:
        """Insert rows, many in one query; ``KeyTakenError`` where one is there already."""
        into, _, one = query.partition(" VALUES ")
        left = iter(rows)
        try:
            while some := list(islice(left, _PORTION)):
                told = f"{into} VALUES {', '.join([one] * len(some))}"
                self.done(told, list(chain.from_iterable(some)))
        except errors.UniqueViolation as error:
            raise KeyTakenError from error
        return self._cursor

    def done(self, query: str, values: Sequence[Any], *, prepare: bool | None = None) -> Found:
        """Do a query now; its result is there until the next one."""
        return self._cursor.execute(_translated(query), values, prepare=prepare)

    def portions(self, query: str, values: Sequence[Any]) -> Iterator[Any]:
        """Yield the rows of a query, some at a time; the transaction ends what is left open."""
        self._portions += 1
        name = f"portion_{self._portions}"
        self.done(f"DECLARE {name} NO SCROLL CURSOR FOR {query}", values, prepare=False)
        while rows := self.done(f"FETCH {_PORTION} FROM {name}", (), prepare=False).fetchall():
            yield from rows
        self.done(f"CLOSE {name}", (), prepare=False)

    def commit(self) -> None:
        """Commit; ``RecordError`` where it is not known to be done.

        "connection-lost" where it may be done all the same.
        """
        try:
            said = self.raw.execute(b"COMMIT").statusmessage
        except psycopg.Error as error:
            if not self.raw.closed:
                raise
            what = f"{self._named}: the connection was lost during a commit, which may be done"
            hint = (
                "send the same commands again: what is refused then (journal-moved) was written, "
                "or another process has the table; recover(journal)"
            )
            raise RecordError(what, "connection-lost", hint, self.where.name) from error
        if said != "COMMIT":
            what = f"{self._named}: nothing was written, for a query in the transaction had failed"
            hint = "let its error leave the block"
            raise RecordError(what, "journal-fails", hint, self.where.name)

    def back(self, query: str) -> None:
        """Take back what a transaction did; the connection is given up where that fails."""
        if not self.in_transaction:
            return
        try:
            self.raw.execute(query.encode())
        except psycopg.Error:
            self.raw.close()

    def notify(self) -> None:
        """Wake those who wait for commits; nothing is lost where that fails: they also look.

        It is done after the commit: one that notifies holds a lock of the whole server.
        """
        with suppress(psycopg.Error):
            self.raw.execute(b"SELECT pg_notify(%s, %s)", (self.channel, self.where.name))

    @property
    def _named(self) -> str:
        return f"journal {self.where.name!r}"

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Raise the errors of psycopg as ``RecordError`` with a code; no password is in any."""
        with _errors_of(self.raw, self.where.name):
            yield


@contextmanager
def _errors_of(raw: psycopg.Connection, name: str) -> Iterator[None]:
    """Raise the errors of a connection: "connection-lost" where it is closed by now."""
    with postgres_errors(name):
        try:
            yield
        except psycopg.Error as error:
            if not raw.closed:
                raise
            what = f"journal {name!r}: the connection was lost, and nothing was written: {error}"
            hint = "send the same commands again"
            raise RecordError(what, "connection-lost", hint, name) from error


class _Rows:
    """The rows of a query that was not done yet: one, all, or some at a time."""

    rowcount = -1

    def __init__(self, connection: ServerConnection, query: str, values: Sequence[Any]) -> None:
        self._query = connection, query, values

    def fetchone(self) -> Any:
        """Return the first row, None without one."""
        connection, query, values = self._query
        return connection.done(query, values).fetchone()

    def fetchall(self) -> list[Any]:
        """Return all rows."""
        connection, query, values = self._query
        return connection.done(query, values).fetchall()

    def __iter__(self) -> Iterator[Any]:
        """Yield the rows; within a transaction memory holds some of them at a time."""
        connection, query, values = self._query
        if connection.in_transaction:
            return connection.portions(query, values)
        return iter(self.fetchall())


@contextmanager
def postgres_errors(name: str) -> Iterator[None]:
    """Raise the errors of psycopg as ``RecordError`` with a code."""
    try:
        yield
    except (psycopg.Error, UnicodeError, KeyTakenError) as error:
        code, what, hint = _FAILS
        for kinds, *said in _CODES:
            if isinstance(error, kinds):
                code, what, hint = said
                break
        whole = f"journal {name!r}: {what}: {_said(error)}"
        raise RecordError(whole, code, hint, name) from error


def _said(error: Exception) -> str:
    """Return what the server said, in one line."""
    return " ".join(str(error).split())


class Listener:
    """Another connection, made when it is needed, which is notified of commits to one journal."""

    def __init__(self, connection: ServerConnection) -> None:
        """Listen to the journal of a connection."""
        self._connection = connection
        self._lock = Lock()
        self._raw: psycopg.Connection | None = None

    def wait(self, seconds: float) -> None:
        """Wait for a commit, for so long at most; it may return early.

        Where the connection is lost, or to a standby, time passes: whoever waits also looks.
        """
        if not self._lock.acquire(blocking=False):
            # Another thread waits: it may take the notification that this one waits for.
            if self._lock.acquire(timeout=seconds):
                self._lock.release()
            return
        try:
            if self._raw is None:
                self._raw = _raw(self._connection.where)
                with suppress(errors.FeatureNotSupported, errors.ReadOnlySqlTransaction):
                    self._raw.execute(f'LISTEN "{self._connection.channel}"'.encode())
                return  # what was committed before is looked for once more
            for _found in self._raw.notifies(timeout=seconds, stop_after=1):
                pass
        except psycopg.Error:
            self.close()
            sleep(min(seconds, _AGAIN))
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the connection; closing it twice is allowed."""
        raw, self._raw = self._raw, None
        if raw is not None:
            raw.close()


def _raw(where: Where) -> psycopg.Connection:
    try:
        return psycopg.connect(where.conninfo, autocommit=True, client_encoding="UTF8")
    except psycopg.Error as error:
        what = f"journal {where.name!r}: its database cannot be reached: {_said(error)}"
        hint = "check the address of the server, the database and the role"
        raise RecordError(what, "journal-unreadable", hint, where.name) from None


def _prepared(raw: psycopg.Connection, where: Where) -> int:
    """Set a connection up for a journal; return its number."""
    if raw.info.parameter_status("server_encoding") != "UTF8":
        what = f"journal {where.name!r}: the encoding of its database is not UTF8"
        hint = "make a database with ENCODING 'UTF8'"
        raise RecordError(what, "journal-unreadable", hint, where.name)
    wait = f"{max(1, round(where.wait * 1000))}ms"
    raw.execute(
        b"SELECT set_config('search_path',"
        b" quote_ident(%s) || ', ' || current_setting('search_path'), false),"
        b" set_config('lock_timeout', %s, false),"
        b" set_config('default_transaction_read_only', %s, false),"
        # A machine that is gone without a word is noticed, and its lock is freed.
        b" set_config('tcp_keepalives_idle', '5', false),"
        b" set_config('tcp_keepalives_interval', '2', false),"
        b" set_config('tcp_keepalives_count', '3', false),"
        # A commit waits for the disk, whatever the server does for others.
        b" set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit')"
        b" IN ('on', 'remote_apply') THEN current_setting('synchronous_commit') ELSE 'on' END,"
        b" false)",
        (where.schema, wait, "on" if where.read_only else "off"),
    )
    _check_tables(raw, where)
    if not where.read_only:
        raw.execute(
            b"INSERT INTO journals (name) SELECT %s"
            b" WHERE NOT EXISTS (SELECT FROM journals WHERE name = %s) ON CONFLICT DO NOTHING",
            (where.name, where.name),
        )
    found = raw.execute(b"SELECT number FROM journals WHERE name = %s", (where.name,)).fetchone()
    if found is None:
        raise _missing_error(where)
    number = int(found[0])
    raw.execute(b"SELECT set_config('trente.journal', %s, false)", (str(number),))
    if not where.read_only:
        _lock(raw, where, number)
    return number


def _missing_error(where: Where) -> RecordError:
    what = f"there is no journal {where.name!r} in the schema {where.schema!r} of the database"
    return RecordError(what, "journal-missing", "look at its name", where.name)


def _check_tables(raw: psycopg.Connection, where: Where) -> None:
    """Compare the version of the tables, and make them where they are missing."""
    # The catalogue itself is read: what a name means is not looked up anew in a transaction.
    there = (
        b"SELECT EXISTS (SELECT FROM pg_class JOIN pg_namespace AS own ON own.oid = relnamespace"
        b" WHERE relname = 'version' AND nspname = %s)"
    )
    known = raw.execute(there, (where.schema,)).fetchone()
    if known is None or not known[0]:
        if where.read_only:
            raise _missing_error(where)
        with raw.transaction():
            key = f"trente-rules {where.schema}"
            raw.execute(b"SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (key,))
            known = raw.execute(there, (where.schema,)).fetchone()
            if known is None or not known[0]:  # or another process was first
                _make_tables(raw, where)
    version = raw.execute(b"SELECT max(number) FROM version").fetchone()
    if version is None or version[0] != SCHEMA:
        number = version and version[0]
        what = f"the schema {where.schema!r} holds journals of version {number}"
        hint = f"this release reads version {SCHEMA}; read them with the release that wrote them"
        raise RecordError(what, "unknown-schema", hint, where.name)


def _make_tables(raw: psycopg.Connection, where: Where) -> None:
    own = "current_setting('trente.journal')::integer"
    statements = [
        f"CREATE SCHEMA IF NOT EXISTS {where.schema}",
        "CREATE TABLE version (number integer NOT NULL, id uuid NOT NULL)",
        _JOURNALS,
    ]
    for name, columns in _COLUMNS.items():
        # The order of texts is that of their bytes, whatever the language of the database.
        texts = columns.replace(" text ", ' text COLLATE "C" ')
        names = ", ".join(_names_of(columns))
        statements += [
            f"CREATE TABLE all_{name} (journal integer NOT NULL DEFAULT {own}, {texts})",
            f"CREATE VIEW {name} AS SELECT {names} FROM all_{name} WHERE journal = {own}",  # noqa: S608 - our names
        ]
    statements += [f"CREATE INDEX ON {index}" for index in _INDICES]
    statements += [
        f"INSERT INTO version VALUES ({SCHEMA}, gen_random_uuid())",  # noqa: S608 - a number
    ]
    try:
        for statement in statements:
            raw.execute(statement.encode())
    except (errors.DuplicateTable, errors.DuplicateObject, errors.WrongObjectType) as error:
        what = f"the schema {where.schema!r} holds other tables: {_said(error)}"
        hint = "name another schema for the journals: schema="
        raise RecordError(what, "not-a-journal", hint, where.name) from None


def _names_of(columns: str) -> Iterator[str]:
    """Yield the names of columns, without their types and the key."""
    for column in columns.partition(", PRIMARY KEY")[0].split(", "):
        yield column.split()[0]


_KEY: Final = "'journals'::regclass::oid::integer"


def _lock(raw: psycopg.Connection, where: Where, number: int) -> None:
    """Take the lock of a writer, which ends with the connection; "journal-locked" in vain."""
    take = f"SELECT pg_advisory_lock({_KEY}, %s)"
    try:
        raw.execute(take.encode(), (number,))
    except errors.LockNotAvailable:
        if not where.steal:
            what = f"journal {where.name!r}: another process is the writer of this table"
            hint = "wait for its end (wait=), or end its connection (steal=True)"
            raise RecordError(what, "journal-locked", hint, where.name) from None
        raw.execute(
            b"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
            b" AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            b" AND classid = 'journals'::regclass::oid AND objid::bigint = %s AND objsubid = 2"
            b" AND granted",
            (number,),
        )
        raw.execute(b"SET lock_timeout = '5s'")  # it may be in the middle of a commit
        raw.execute(take.encode(), (number,))
        raw.execute(f"SET lock_timeout = {max(1, round(where.wait * 1000))}".encode())


def located(where: Where) -> Where:
    """Return where a journal is; ``RecordError`` ("journal-unreadable") for a bad name."""
    good = isinstance(where.name, str) and where.name.isprintable() and 1 <= len(where.name) <= 200  # noqa: PLR2004
    if not good:
        what = f"{shown(where.name)} is not the name of a journal"
        hint = "give it a name of 1 to 200 characters, such as that of its table and session"
        raise RecordError(what, "journal-unreadable", hint)
    named = isinstance(where.schema, str) and where.schema.isidentifier()
    if not (named and where.schema.isascii() and where.schema.islower()) or len(where.schema) > 40:  # noqa: PLR2004
        what = f"{shown(where.schema)} is not the name of a schema for journals"
        hint = "take at most 40 small letters, digits and _"
        raise RecordError(what, "journal-unreadable", hint)
    return where
