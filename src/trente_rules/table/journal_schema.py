"""The things that an SQLite file may hold to be a journal: compared before any of them is run.

SQLite runs what a file brings along: a view in place of a table is computed when it is read, a
trigger is run by the reader's own writes. A stranger's file therefore holds the tables and indices
of its schema, word for word, and a host's own plain tables; all else is refused by name.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from trente_rules.core.errors import RecordError, shown

HOST: Final = "host_"
"""How the name of a host's own table begins, and of an index of it: they are never read."""
TABLES_1: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE commands (
    sequence INTEGER PRIMARY KEY, shoe INTEGER NOT NULL, id TEXT NOT NULL, at TEXT NOT NULL,
    kind TEXT NOT NULL, body TEXT NOT NULL, first_event INTEGER NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE TABLE events (
    number INTEGER PRIMARY KEY, command INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE TABLE snapshots (
    sequence INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE TABLE head (
    only INTEGER PRIMARY KEY CHECK (only = 1), sequence INTEGER NOT NULL, events INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
"""
"""The tables of schema 1, which releases 0.1.0 to 0.3.0 wrote."""
_OF_HOST: Final = re.compile(
    rf"""CREATE (TABLE|INDEX|UNIQUE INDEX) ["'`\[]?{HOST}""", re.IGNORECASE
)
_COUNTED: Final = "table", "sqlite_sequence", "CREATE TABLE sqlite_sequence(name,seq)"
"""What SQLite makes for a host's key with AUTOINCREMENT, and never takes away."""
_MOST_THINGS: Final = 200
"""Tables and indices that are looked at, a host's own among them."""
_STEP: Final = 10_000
_LEAST_STEPS: Final = 500_000
_STEPS_PER_BYTE: Final = 20
"""Steps of SQLite's machine that reading may take: a check takes under 1 a byte, an upgrade 3."""


def harden(connection: sqlite3.Connection) -> None:
    """Prepare a connection for a stranger's file; nothing in the file is read for it."""
    run = connection.execute
    run("PRAGMA trusted_schema = OFF")
    run("PRAGMA cell_size_check = ON")
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # noqa: FBT003
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)  # noqa: FBT003
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW, False)  # noqa: FBT003


def check_tables(connection: sqlite3.Connection, tables: str, path: str) -> None:
    """Check that a file holds the tables of its schema, and nothing else.

    Raises ``RecordError`` ("journal-broken") with the name of the first thing that is missing, is
    of another form, or does not belong in a journal; it is in ``place``.
    """
    expected = dict(map(_named, filter(str.strip, tables.split(";"))))
    found = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema LIMIT ?", (_MOST_THINGS + 1,)
    ).fetchall()
    for kind, name, table, sql in found:
        if not all(isinstance(text, str) for text in (kind, name, table, sql or "")):
            raise _thing_error(path, str(kind), str(name), "is damaged")
        if sql is None and kind == "index" and name.startswith("sqlite_autoindex_"):
            continue  # of a key that its table names
        form = _form(sql or "")
        if kind in ("table", "index") and name in expected:
            if form != expected.pop(name):
                raise _thing_error(path, kind, name, "is not of the form that a journal has")
        # SQLite goes by the statement, whatever the row says that it is.
        elif (kind, name, form) != _COUNTED and not (
            all(each.lower().startswith(HOST) for each in (name, table)) and _OF_HOST.match(form)
        ):
            raise _thing_error(path, kind, name, "does not belong in a journal")
    if len(found) > _MOST_THINGS:
        raise _thing_error(path, "table", "sqlite_schema", "holds too many tables")
    for name in expected:
        raise _thing_error(path, "table", name, "is missing")


def _named(statement: str) -> tuple[str, str]:
    form = _form(statement)
    return form.split()[2], form


def _form(statement: str) -> str:
    """Return a statement without the white space that releases wrote in other ways."""
    return re.sub(r"(?<=\() | (?=\))", "", " ".join(statement.split()))


def _thing_error(path: str, kind: str, name: str, what: str) -> RecordError:
    hint = f"restore a copy; a host's own tables have names that begin with {HOST}"
    message = f"journal {path!r}: {kind} {shown(name)} {what}"
    return RecordError(message, "journal-broken", hint, name)


@contextmanager
def bounded(connection: sqlite3.Connection, size: int) -> Iterator[None]:
    """Stop a query that takes more steps than a file of some bytes could need.

    SQLite then raises its error SQLITE_INTERRUPT.
    """
    left = (_LEAST_STEPS + _STEPS_PER_BYTE * size) // _STEP

    def count() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    try:
        connection.set_progress_handler(count, _STEP)
        yield
    finally:
        with suppress(sqlite3.ProgrammingError):  # it was closed
            connection.set_progress_handler(None, 0)
