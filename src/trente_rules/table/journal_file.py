"""The file of a journal: its tables, how it is opened, SQLite's errors as ``RecordError``.

A file of schema 1 (releases 0.1.0 to 0.3.0) is brought to the schema of today in one transaction as
it is opened to write; a reader makes a copy in the form of today, and leaves the file as it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Final

from attrs import frozen

from trente_rules.core.errors import RecordError
from trente_rules.core.files import make_private
from trente_rules.table.journal import ended_error, no_table_error
from trente_rules.table.journal_rows import SCHEMA, value_of
from trente_rules.table.journal_schema import TABLES_1, check_tables, harden

APPLICATION: Final = 0x54455131
"""What marks a file as such a journal: "TEQ1" in its header."""
OLDEST_SQLITE: Final = (3, 37)
"""The first release that has STRICT tables."""
LOG_PAGES: Final = 1000
"""Pages of the log, 4 MB, after which it is moved into the file: each move waits for the disk."""
TABLES: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE commands (
    sequence INTEGER PRIMARY KEY, shoe INTEGER NOT NULL, coup INTEGER NOT NULL,
    player TEXT NOT NULL, id TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
    body TEXT NOT NULL, first_event INTEGER NOT NULL, events TEXT NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE INDEX command_rounds ON commands (shoe, coup);
CREATE INDEX corrections ON commands (sequence) WHERE kind = 'correct';
CREATE TABLE movements (
    command INTEGER NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL,
    shoe INTEGER NOT NULL, coup INTEGER NOT NULL, stake TEXT NOT NULL, player TEXT NOT NULL,
    units ANY NOT NULL, reason TEXT NOT NULL, reverses TEXT NOT NULL,
    PRIMARY KEY (command, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX movement_rounds ON movements (shoe, coup);
CREATE INDEX movement_players ON movements (player, stake);
CREATE TABLE snapshots (
    sequence INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE TABLE head (
    only INTEGER PRIMARY KEY CHECK (only = 1), sequence INTEGER NOT NULL, events INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE TABLE ids (
    player TEXT NOT NULL, id TEXT NOT NULL, command INTEGER NOT NULL, PRIMARY KEY (player, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE next (
    only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL, first BLOB NOT NULL
) STRICT;
"""
LATER_TABLES: Final = """
CREATE TABLE epochs (
    number INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, events INTEGER NOT NULL,
    at TEXT NOT NULL, engine TEXT NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE TABLE signatures (
    number INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, events INTEGER NOT NULL,
    hash BLOB NOT NULL, key TEXT NOT NULL, signature BLOB NOT NULL
) STRICT;
"""
"""The tables that schema 3 added."""
RESTORE: Final = "restore a copy"
_CODES: Final = {
    sqlite3.SQLITE_ERROR: ("journal-broken", "its tables are not those of a journal", RESTORE),
    sqlite3.SQLITE_BUSY: ("journal-locked", "another process is writing to it", "run one writer"),
    sqlite3.SQLITE_LOCKED: ("journal-locked", "it is locked", "run one writer"),
    sqlite3.SQLITE_FULL: ("journal-full", "the disk is full", "make room, and do it again"),
    sqlite3.SQLITE_READONLY: ("journal-read-only", "it cannot be written to", "open it to write"),
    sqlite3.SQLITE_CANTOPEN: ("journal-unreadable", "it cannot be opened", "look at its folder"),
    sqlite3.SQLITE_PERM: ("journal-unreadable", "it may not be opened", "look at its rights"),
    sqlite3.SQLITE_NOTADB: ("not-a-journal", "not a journal (not an SQLite file)", ""),
    sqlite3.SQLITE_CORRUPT: ("journal-broken", "the file is damaged", RESTORE),
    sqlite3.SQLITE_INTERRUPT: (
        "journal-broken",
        "to read it takes more steps than a journal of its size needs",
        RESTORE,
    ),
}
SMALLEST: Final = 512
"""The bytes of the smallest database: one page."""
_FAILS: Final = "journal-fails", "SQLite failed", "look at the disk, and send the commands again"
_LOW_BYTE: Final = 0xFF


def names_database(path: str | PathLike[str]) -> bool:
    """Return whether a text names a journal in PostgreSQL, and not a file."""
    return fspath(path).lower().startswith(("postgresql://", "postgres://"))


def is_sqlite(path: str | PathLike[str]) -> bool:
    """Return whether a file is an SQLite database; False where it cannot be read.

    SQLite looks: a process that opens and closes a file by itself loses the locks that its journals
    have on it, and another process could then take their log away.
    """
    try:
        if not Path(path).is_file() or Path(path).stat().st_size < SMALLEST:
            return False
        uri = f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            connection.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        number = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return bool(number & _LOW_BYTE == sqlite3.SQLITE_CORRUPT)
    except (OSError, ValueError):
        return False
    return True


@contextmanager
def sqlite_errors(path: str) -> Iterator[None]:
    """Raise SQLite's errors as ``RecordError`` with a code; the path is in each."""
    try:
        yield
    except sqlite3.ProgrammingError as error:
        raise RecordError(f"journal {path!r}: {error}", "journal-closed", "open it again") from None
    except UnicodeError as error:  # in what SQLite says of a damaged file
        what = f"journal {path!r}: the file is damaged: {error}"
        raise RecordError(what, "journal-broken", RESTORE, path) from error
    except sqlite3.Error as error:
        # Without a number it is Python that could not read a text.
        number = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
        code, what, hint = _CODES.get(number & _LOW_BYTE, _FAILS)
        raise RecordError(f"journal {path!r}: {what}: {error}", code, hint, path) from error


class FileConnection(sqlite3.Connection):
    """A connection that remembers the file as it was when it was opened."""

    opened: FileStamp | None = None
    """The file, and the log next to it."""
    frozen: bool = False
    """Whether later writes to the file are not seen: SQLite looks at no log, or reads a copy."""
    tidied: str = ""
    """The journal next to which this connection, a reader's, may have made an empty log."""
    pretended: bool = False
    """Whether tables that a later schema adds are there for this connection alone."""

    depth: int = 0
    """Transactions that are open, one within the other; what SQLite says may be a forgotten one."""

    def end_forgotten(self) -> None:
        """Take a transaction back that an interrupt left open: nothing of it was answered."""
        if not self.depth and self.in_transaction:
            self.rollback()

    def is_current(self, path: str) -> bool:
        """Return whether what this connection reads is what the path names now.

        One that is ``frozen`` is no longer current where anything was written since.
        """
        if self.opened is None:
            return True
        if self.pretended and value_of(self, "PRAGMA user_version") == SCHEMA:
            return False  # upgraded since
        if self.frozen:
            return FileStamp.of(path) == self.opened
        now = _stat(path)
        return now is not None and now[:2] == self.opened.file[:2]

    def close(self) -> None:
        """Close it; a reader that was alone with a closed journal leaves no log next to it."""
        super().close()
        path, self.tidied = self.tidied, ""
        log = _stat(f"{path}-wal") if path else None
        if log is None or log[2]:  # there is none, or somebody has written
            return
        # What a reader opens it cannot remove: SQLite does, at the end of a connection that may
        # write, and is the only one.
        with suppress(sqlite3.Error, ValueError, RecordError):
            _connect(f"{Path(path).absolute().as_uri()}?mode=rw", 0).close()


@frozen
class FileStamp:
    """Device and inode of a file, its size and times, and those of its log."""

    file: tuple[int, ...]
    log: tuple[int, ...] | None

    @classmethod
    def of(cls, path: str) -> FileStamp | None:
        """Look at a file; None where it is not there."""
        file, log = _stat(path), _stat(f"{path}-wal")
        if log is not None and not log[2]:
            log = None  # one that is empty says nothing
        return None if file is None else cls(file, log)


def size_of(path: str) -> int:
    """Return the bytes of a file and of its log."""
    return sum(found[2] for found in (_stat(path), _stat(f"{path}-wal")) if found)


def _stat(path: str) -> tuple[int, ...] | None:
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        return None
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def open_file(path: str, *, read_only: bool, wait: float) -> FileConnection:
    """Open a journal, or an empty file; a file of another kind is left as it is.

    What the file holds is compared with the tables of its schema before any of them is read. Raises
    ``RecordError``: "old-sqlite", "journal-missing", and those of ``schema_of_file``.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise RecordError(
            f"a journal cannot be kept by SQLite {sqlite3.sqlite_version}",
            "old-sqlite",
            f"it needs {'.'.join(map(str, OLDEST_SQLITE))} or newer",
        )
    file = Path(path)
    if file.exists() and not file.is_file():  # a pipe would be waited for
        raise RecordError(f"{path!r} is not a file", "journal-unreadable", "name a journal", path)
    if read_only:
        if not file.exists():
            raise RecordError(
                f"there is no journal {path!r}", "journal-missing", "look at the path", path
            )
        if not size_of(path):  # SQLite might wait for a file of the system's own, /proc/kmsg
            raise no_table_error(f"journal {path!r}", path)
    else:  # SQLite gives the files next to it the mode of this one
        with suppress(OSError):  # which it reports
            make_private(file)
    _check_beginning(path)
    before, alone = FileStamp.of(path), read_only and _stat(f"{path}-wal") is None
    connection = _connected(file, read_only=read_only, wait=wait)
    connection.tidied = path if alone and not connection.frozen else ""
    try:
        connection.opened = before or FileStamp.of(path)
        schema_of_file(connection, path)
        _check_end(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_beginning(path: str) -> None:
    """Raise ``RecordError`` ("journal-broken") for a file without its first page, but with a log.

    SQLite would remove the log, and with it all that is left of the table.
    """
    file, log = _stat(path), _stat(f"{path}-wal")
    if log is not None and log[2] and (file is None or file[2] < SMALLEST):
        size = file[2] if file else 0
        what = f"journal {path!r}: the file has {size} bytes, and its log has {log[2]}"
        hint = f"keep {path}-wal, and restore a copy of the file"
        raise RecordError(what, "journal-broken", hint, path)


def _check_end(connection: FileConnection, path: str) -> None:
    """Raise ``RecordError`` ("journal-broken") for a file that was cut within a page.

    Where there is a log, the page may be in it: the machine was lost as the log was moved. SQLite
    itself notices whole pages that are missing.
    """
    log = _stat(f"{path}-wal")  # before the file: a log that is removed was moved into it
    file = _stat(path)
    if file is None or (log is not None and log[2]):
        return
    page = int(value_of(connection, "PRAGMA page_size"))
    if file[2] % page:
        what = f"journal {path!r}: the end of the file was cut off: {file[2]} bytes"
        raise RecordError(what, "journal-broken", RESTORE, path)


def set_up(connection: FileConnection, synchronous: str) -> None:
    """Make the tables where they are missing, and prepare to write."""
    run = connection.execute
    run(f"PRAGMA synchronous = {synchronous}")
    # On macOS only these reach the disk itself, and not just its memory; elsewhere they do nothing.
    run(f"PRAGMA fullfsync = {synchronous == 'full':d}")
    run(f"PRAGMA checkpoint_fullfsync = {synchronous == 'full':d}")
    run(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
    log_ahead(connection)
    if not value_of(connection, "PRAGMA application_id"):
        with transaction(connection):
            if not _has_tables(connection):  # or another process was first
                make_tables(connection)


def log_ahead(connection: sqlite3.Connection) -> None:
    """Let SQLite write to a log first: without one a commit may be lost with the power.

    Raises ``RecordError`` ("journal-unreadable") where it cannot, as on some network shares; SQLite
    itself would write in another way, and say nothing.
    """
    mode = value_of(connection, "PRAGMA journal_mode = WAL")
    if mode != "wal":
        what = f"a journal cannot be kept here: SQLite has no write-ahead log, its mode is {mode!r}"
        raise RecordError(what, "journal-unreadable", "keep it on a local disk")


def make_tables(connection: sqlite3.Connection) -> None:
    """Make the tables, within a transaction, and write what the file is."""
    for statement in TABLES.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    add_later_tables(connection)


def add_later_tables(connection: sqlite3.Connection) -> None:
    """Make the tables that schema 2 lacks, within a transaction."""
    for statement in LATER_TABLES.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")


def pretend_later_tables(connection: FileConnection) -> None:
    """Make the tables that schema 2 lacks for this connection alone: the file is only read."""
    connection.pretended = True
    for statement in LATER_TABLES.split(";"):
        connection.execute(statement.replace("CREATE TABLE", "CREATE TEMP TABLE"))


def _has_tables(connection: sqlite3.Connection) -> bool:
    return value_of(connection, "SELECT 1 FROM sqlite_schema LIMIT 1") is not None


def schema_of_file(connection: sqlite3.Connection, path: str) -> int:
    """Return the schema of a file, 0 where nothing is in it yet.

    Raises ``RecordError`` for what cannot be a journal: "not-a-journal", "unknown-schema", and
    "journal-broken" where it holds other tables than a journal of its schema.
    """
    application = value_of(connection, "PRAGMA application_id")
    schema = int(value_of(connection, "PRAGMA user_version"))
    if not (application or schema or _has_tables(connection)):
        return 0
    if application != APPLICATION:
        what = f"{path!r} is a database of another kind"
        raise RecordError(what, "not-a-journal", "name a journal", path)
    if not 1 <= schema <= SCHEMA:
        what = f"{path!r} is a journal of schema {schema}"
        raise RecordError(what, "unknown-schema", f"this version reads schemas 1 to {SCHEMA}", path)
    check_tables(connection, {1: TABLES_1, 2: TABLES}.get(schema, TABLES + LATER_TABLES), path)
    return schema


def _connected(file: Path, *, read_only: bool, wait: float) -> FileConnection:
    uri = file.absolute().as_uri()
    try:
        return _connect(f"{uri}?mode={'ro' if read_only else 'rwc'}", wait)
    except sqlite3.OperationalError as error:
        # A folder that cannot be written to has no room for what readers share with a writer;
        # without one, and with nothing left in a log, the file alone is the whole journal, until
        # it changes: the connection is watched, and opened anew.
        log = file.with_name(f"{file.name}-wal")
        blocked = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not read_only or error.sqlite_errorcode & _LOW_BYTE not in blocked:
            raise
        if log.exists() and log.stat().st_size:
            raise
        connection = _connect(f"{uri}?mode=ro&immutable=1", wait)
        connection.frozen = True
        return connection


def _connect(uri: str, wait: float) -> FileConnection:
    connection = sqlite3.connect(
        uri,
        uri=True,
        timeout=wait,
        isolation_level=None,
        check_same_thread=False,
        factory=FileConnection,
    )
    try:
        harden(connection)
        _has_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(
    connection: FileConnection,
    errors: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Iterator[None]:
    """Write in one transaction, all of it or nothing; within another one, as a part of it.

    ``errors`` is entered as it begins and as it is committed, and not for what is done within. It
    may be interrupted anywhere: nothing is left open, or the next one ends it.
    """
    depth = connection.depth
    part = f"part_{depth}"
    begin = f"SAVEPOINT {part}" if depth else "BEGIN IMMEDIATE"
    try:
        with errors():
            connection.end_forgotten()
            connection.execute(begin)
        connection.depth = depth + 1
        yield
        with errors():
            connection.execute(f"RELEASE {part}" if depth else "COMMIT")
        connection.depth = depth
    except BaseException:
        connection.depth = depth
        with suppress(sqlite3.Error):  # it was closed, has not begun, or is done
            if not depth:
                connection.rollback()
            elif connection.in_transaction:
                connection.execute(f"ROLLBACK TO {part}")
                connection.execute(f"RELEASE {part}")
        raise


@contextmanager
def lent(connection: sqlite3.Connection) -> Iterator[None]:
    """Let a host write by a connection, and not end the transaction that it is in.

    Raises ``RecordError`` ("transaction-ended") where it tried to.
    """
    try:
        connection.set_authorizer(_unless_it_ends)
        yield
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_AUTH:
            raise ended_error("nothing of it was written") from error
        raise
    finally:
        with suppress(sqlite3.ProgrammingError):  # it was closed
            connection.set_authorizer(None)


def _unless_it_ends(action: int, *_about: str | None) -> int:
    ends = action == sqlite3.SQLITE_TRANSACTION
    return sqlite3.SQLITE_DENY if ends else sqlite3.SQLITE_OK


@contextmanager
def reading(connection: FileConnection, path: str) -> Iterator[None]:
    """Read what was committed before, however long it takes and whoever writes meanwhile.

    A damaged page may hold a text where a number should be: that too is "journal-broken".
    """
    depth = connection.depth
    try:
        if not depth:
            connection.end_forgotten()
            connection.execute("BEGIN")
        connection.depth = depth + 1
        yield
    except (TypeError, AttributeError, OverflowError) as error:
        what = f"journal {path!r}: a row holds a value of another type: {error}"
        raise RecordError(what, "journal-broken", RESTORE, path) from error
    finally:
        connection.depth = depth
        if not depth:
            with suppress(sqlite3.ProgrammingError):  # it was closed
                connection.rollback()


def schema_of_path(path: str) -> int:
    """Return the schema of a file; ``RecordError`` as ``schema_of_file``, and "journal-empty"."""
    with sqlite_errors(path), closing(open_file(path, read_only=True, wait=1.0)) as connection:
        schema = schema_of_file(connection, path)
        if not schema or not value_of(connection, "SELECT count(*) FROM head"):
            raise no_table_error(f"journal {path!r}", path)
        return schema
