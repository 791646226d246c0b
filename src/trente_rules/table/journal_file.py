"""The file of a journal: its tables, how it is opened, what is made of SQLite's errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from trente_rules.errors import RecordError

SCHEMA: Final = 1
"""The version of the tables; a later release reads every earlier one."""
APPLICATION: Final = 0x54455131
"""What marks a file as such a journal: "TEQ1" in its header."""
OLDEST_SQLITE: Final = (3, 37)
"""The first release that has STRICT tables."""
LOG_PAGES: Final = 4000
"""Pages of the log, 16 MB, after which it is moved into the file: each move waits for the disk."""
TABLES: Final = """
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
CREATE TABLE commands (
    sequence INTEGER PRIMARY KEY,
    shoe INTEGER NOT NULL,
    id TEXT NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    first_event INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    command INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE TABLE snapshots (
    sequence INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE TABLE head (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    sequence INTEGER NOT NULL,
    events INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
"""
_CODES: Final = {
    sqlite3.SQLITE_ERROR: ("journal-broken", "its tables are not a journal's", "go back to a copy"),
    sqlite3.SQLITE_BUSY: ("journal-locked", "another process is writing to it", "run one writer"),
    sqlite3.SQLITE_LOCKED: ("journal-locked", "it is locked", "run one writer"),
    sqlite3.SQLITE_FULL: ("journal-full", "the disk is full", "make room, and do it again"),
    sqlite3.SQLITE_READONLY: ("journal-read-only", "it cannot be written to", "open it to write"),
    sqlite3.SQLITE_CANTOPEN: ("journal-unreadable", "it cannot be opened", "look at its folder"),
    sqlite3.SQLITE_PERM: ("journal-unreadable", "it may not be opened", "look at its rights"),
    sqlite3.SQLITE_NOTADB: ("not-a-journal", "it is no SQLite file", "name a journal"),
    sqlite3.SQLITE_CORRUPT: ("journal-broken", "the file is damaged", "go back to a copy"),
}
_LOW_BYTE: Final = 0xFF


@contextmanager
def said(path: str) -> Iterator[None]:
    """Turn SQLite's errors into ``RecordError`` with a code; the path is in each."""
    try:
        yield
    except sqlite3.ProgrammingError as error:
        raise RecordError(f"journal {path!r}: {error}", "journal-closed", "open it again") from None
    except UnicodeError as error:  # in what SQLite says of a damaged file
        what, hint = f"journal {path!r}: the file is damaged: {error}", "go back to a copy"
        raise RecordError(what, "journal-broken", hint, path) from error
    except sqlite3.Error as error:
        # Without a number it is Python that could not read a text.
        number = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
        code, what, hint = _CODES.get(number & _LOW_BYTE, ("journal-fails", "SQLite failed", ""))
        raise RecordError(f"journal {path!r}: {what}: {error}", code, hint, path) from error


def open_file(path: str, *, synchronous: str, read_only: bool, wait: float) -> sqlite3.Connection:
    """Open a journal, or an empty file that becomes one.

    Raises ``RecordError``: "old-sqlite", "journal-missing", "journal-empty" where there is nothing
    to read, "not-a-journal", "unknown-schema", and those of ``said``. What is no
    journal is left as it is.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise RecordError(
            f"a journal cannot be kept by SQLite {sqlite3.sqlite_version}",
            "old-sqlite",
            f"it needs {'.'.join(map(str, OLDEST_SQLITE))} or newer",
        )
    file = Path(path)
    if read_only and not file.is_file():
        raise RecordError(f"there is no journal {path!r}", "journal-missing", "", path)
    with said(path):
        connection = _connected(file, read_only=read_only, wait=wait)
        try:
            is_new = _is_new(connection, path, read_only=read_only)
            if is_new:
                _make(connection)
            if not read_only:
                connection.execute(f"PRAGMA synchronous = {synchronous}")
                connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        except BaseException:
            connection.close()
            raise
    return connection


def _connected(file: Path, *, read_only: bool, wait: float) -> sqlite3.Connection:
    uri = file.absolute().as_uri()
    try:
        return _connect(f"{uri}?mode={'ro' if read_only else 'rwc'}", wait)
    except sqlite3.OperationalError as error:
        # A folder that cannot be written to has no room for what readers share with a writer;
        # without one, and with nothing left in a log, the file alone is the whole journal.
        log = file.with_name(f"{file.name}-wal")
        cannot = error.sqlite_errorcode & _LOW_BYTE in (
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
        )
        if not (read_only and cannot) or (log.exists() and log.stat().st_size):
            raise
        return _connect(f"{uri}?mode=ro&immutable=1", wait)


def _connect(uri: str, wait: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri, uri=True, timeout=wait, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _is_new(connection: sqlite3.Connection, path: str, *, read_only: bool) -> bool:
    """Tell whether nothing is in the file yet; refuse a file of another kind."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not (application or schema or objects):
        if read_only:
            raise RecordError(f"{path!r} holds no table", "journal-empty", "begin one", path)
        return True
    if application != APPLICATION:
        raise RecordError(
            f"{path!r} is a database of another kind", "not-a-journal", "name a journal", path
        )
    if schema != SCHEMA:
        raise RecordError(
            f"{path!r} is a journal of schema {schema}",
            "unknown-schema",
            f"this version reads schema {SCHEMA}",
            path,
        )
    return False


def _make(connection: sqlite3.Connection) -> None:
    """Make the tables, in one transaction."""
    connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection):
        (objects,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if objects:  # another process was first
            return
        for statement in TABLES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write in one transaction: all of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def reading(connection: sqlite3.Connection, path: str) -> Iterator[None]:
    """Read what was committed before, however long it takes and whoever writes meanwhile.

    A damaged page may hold a text where a number should be: that is told as SQLite's own errors.
    """
    connection.execute("BEGIN")
    try:
        yield
    except (TypeError, AttributeError, OverflowError) as error:
        what = f"journal {path!r}: a row is not as it can be: {error}"
        raise RecordError(what, "journal-broken", "go back to a copy", path) from error
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
