"""``SqliteJournal``: the journal of a table in one SQLite file, or in several that are linked."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from os import PathLike, fspath
from os.path import normpath, relpath
from pathlib import Path
from typing import Literal

from attrs import evolve

from trente_rules.core.errors import RecordError, shown
from trente_rules.table.journal import no_table_error
from trente_rules.table.journal_chain import Head, Link, closing_hash, next_of
from trente_rules.table.journal_file import (
    open_file,
    pretend_later_tables,
    reading,
    schema_of_file,
    set_up,
    sqlite_errors,
    transaction,
)
from trente_rules.table.journal_rows import SCHEMA, value_of
from trente_rules.table.journal_sql import SqlJournal
from trente_rules.table.journal_upgrade import upgrade, upgraded_copy


def _name_of(path: object) -> str:
    """Return a path as text; ``RecordError`` ("journal-unreadable") where it names no file."""
    name = fspath(path) if isinstance(path, str | PathLike) else None
    if not isinstance(name, str) or not Path(name).name:
        what = f"{shown(path)} is not the name of a file"
        raise RecordError(what, "journal-unreadable", "name the file of the journal")
    return name


class SqliteJournal(SqlJournal):
    """A journal in a file: commands, events, movements, and snapshots.

    Every command is one transaction, committed before the table returns its events. With
    ``synchronous`` "full", the default, these survive the death of the process and that of the
    machine, and each commit waits for the disk; with "normal" only that of the process. It may be
    used from many threads, by one process; readers of other processes open it with ``read_only``.
    ``wait`` is the longest wait for a locked file, in seconds. A connection does not survive a
    fork: open it in the child.

    A session may have several files (``Table.rotate``): what is asked for is read in the earlier
    ones where they are still there. A file that an older release wrote is brought to the form of
    today as it is opened to write; a reader leaves it as it is.

    Raises ``RecordError``: "journal-missing", "not-a-journal", "unknown-schema", "journal-locked",
    "journal-unreadable", "journal-broken", "old-sqlite". A method that raises has changed nothing.
    """

    KEY_ERRORS = (sqlite3.IntegrityError,)
    _connection: sqlite3.Connection

    def __init__(
        self,
        path: str | PathLike[str],
        synchronous: Literal["normal", "full"] = "full",
        *,
        read_only: bool = False,
        wait: float = 1.0,
    ) -> None:
        """Open a journal, or make one; with ``read_only`` it must be there."""
        if synchronous not in ("normal", "full"):
            raise RecordError(
                f"a journal cannot be synchronous {synchronous!r}",
                "bad-synchronous",
                'write "normal" or "full"',
            )
        self._path = _name_of(path)
        with sqlite_errors(self._path):
            connection = open_file(self._path, read_only=read_only, wait=wait)
            try:
                connection = self._prepared(connection, synchronous, read_only=read_only)
            except BaseException:
                connection.close()
                raise
        super().__init__(connection, read_only=read_only)

    def _prepared(
        self, connection: sqlite3.Connection, synchronous: str, *, read_only: bool
    ) -> sqlite3.Connection:
        """Return the connection to use: for a reader of an old file it is one to a copy."""
        schema = schema_of_file(connection, self._path)
        if not read_only:
            if schema and schema < SCHEMA:
                upgrade(connection, self._path)
            set_up(connection, synchronous)
            return connection
        if not schema:
            raise no_table_error(self.name, self._path)
        if schema == 1:
            copy = upgraded_copy(connection)
            connection.close()
            return copy
        if schema < SCHEMA:
            pretend_later_tables(connection)
        return connection

    @property
    def path(self) -> str:
        """The file of the journal."""
        return self._path

    @property
    def name(self) -> str:
        """The name of the journal in messages."""
        return f"journal {self._path!r}"

    @property
    def place(self) -> str:
        """The file of the journal."""
        return self._path

    @property
    def _raw(self) -> sqlite3.Connection:
        return self._connection

    def _errors(self) -> AbstractContextManager[None]:
        return sqlite_errors(self._path)

    def _writing(self) -> AbstractContextManager[None]:
        return transaction(self._connection)

    def _reading(self) -> AbstractContextManager[None]:
        return reading(self._connection, self._path)

    def _name_beside(self, new: SqliteJournal) -> str:
        return named(self._path, new._path)

    def _link_beside(self, link: Link, new: SqliteJournal) -> Link:
        return moved_link(link, self._path, new._path)

    def _is_there(self, link: Link) -> bool:
        return Path(resolved(link, self._path)).is_file()

    @contextmanager
    def _earlier(self, link: Link, what: str) -> Iterator[SqliteJournal]:
        path = resolved(link, self._path)
        if not Path(path).is_file():
            raise RecordError(
                f"{what} is in an earlier journal, {path!r}, which is not there",
                "in-earlier-journal",
                "put the file back, or read it where it is kept",
                path,
            )
        with SqliteJournal(path, read_only=True) as earlier:
            yield earlier

    def _check_link(self, *, close: bool) -> None:
        links = self.links
        if not links or not self._is_there(links[-1]):
            return
        link, path = links[-1], resolved(links[-1], self._path)
        own: bytes = value_of(self._connection, "SELECT hash FROM snapshots ORDER BY sequence")
        with SqliteJournal(path, read_only=True) as earlier:
            head = earlier.head
            following = next_of(earlier._connection)
        end = Head(link.last, head.events if head else 0, bytes.fromhex(link.hash))
        if following is not None:
            closed = evolve(end, hash=closing_hash(end.hash, *following))
            if following[1] == own and head == closed:
                return
        elif head == end:
            if not close:
                return
            # The process was killed between the two files.
            with SqliteJournal(path) as earlier:
                if earlier._close_for_good(end, self._name_beside(earlier), own):
                    return
        what = f"{self.name} does not begin where {path!r} ends"
        hint = f"the table continued elsewhere: recover {path!r}, or what it names"
        raise RecordError(what, "journal-moved", hint, path)

    def close(self) -> None:
        """Close the file; closing it twice is allowed."""
        with self._lock, sqlite_errors(self._path):
            self._connection.close()


def named(path: str, beside: str) -> str:
    """Return the name of a file, relative to the folder of another one."""
    whole = Path(path).absolute()
    try:
        return Path(relpath(whole, Path(beside).absolute().parent)).as_posix()
    except ValueError:  # on another drive
        return str(whole)


def resolved(link: Link, beside: str) -> str:
    """Return the path of the file that a link of a journal names."""
    return normpath(Path(beside).absolute().parent / link.name)


def moved_link(link: Link, old: str, new: str) -> Link:
    """Return a link of one journal as another one writes it."""
    return evolve(link, name=named(resolved(link, old), new))
