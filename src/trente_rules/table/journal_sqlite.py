"""``SqliteJournal``: the journal of a table in one SQLite file, or in several that are linked."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from os import PathLike, fspath
from os.path import normpath, relpath
from pathlib import Path
from typing import Literal

from attrs import evolve

from trente_rules.core.errors import RecordError, shown
from trente_rules.fair.card_seal import CardSeal
from trente_rules.table.journal import no_table_error
from trente_rules.table.journal_chain import Link
from trente_rules.table.journal_file import (
    LATER_TABLES,
    TABLES,
    FileConnection,
    lent,
    open_file,
    pretend_later_tables,
    reading,
    schema_of_file,
    set_up,
    size_of,
    sqlite_errors,
    transaction,
)
from trente_rules.table.journal_rows import SCHEMA, value_of
from trente_rules.table.journal_schema import bounded, check_tables
from trente_rules.table.journal_signature import HeadSigner
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

    Every command is committed before the table returns its events; those that waited together
    share a transaction. With
    ``synchronous`` "full", the default, these survive the death of the process and that of the
    machine, and each commit waits for the disk; with "normal" only that of the process. It may be
    used from many threads, by one process; readers of other processes open it with ``read_only``.
    ``wait`` is the longest wait for a locked file, in seconds. A connection does not survive a
    fork: open it in the child. With a ``signer`` the end is signed as the journal begins, at each
    end of a shoe, at each recovery, and as it is closed or its table continues elsewhere.

    With a ``seal`` the cards to come are sealed in the file; who has no key reads all but these. A
    file is sealed from its beginning or not at all. It is made for its owner alone.

    A session may have several files (``Table.rotate``): what is asked for is read in the earlier
    ones where they are still there. A file that an older release wrote is brought to the form of
    today as it is opened to write; a reader leaves it as it is.

    Raises ``RecordError``: "journal-missing", "not-a-journal", "unknown-schema", "journal-locked",
    "journal-unreadable", "journal-broken", "old-sqlite", "wrong-key", "journal-not-sealed". A
    method that raises has changed nothing.
    """

    KEY_ERRORS = (sqlite3.IntegrityError,)
    _connection: FileConnection

    def __init__(
        self,
        path: str | PathLike[str],
        synchronous: Literal["normal", "full"] = "full",
        *,
        read_only: bool = False,
        wait: float = 1.0,
        seal: CardSeal | None = None,
        signer: HeadSigner | None = None,
    ) -> None:
        """Open a journal, or make one; with ``read_only`` it must be there."""
        if synchronous not in ("normal", "full"):
            raise RecordError(
                f"a journal cannot be synchronous {synchronous!r}",
                "bad-synchronous",
                'write "normal" or "full"',
            )
        self._path, self._wait, self._synchronous = _name_of(path), wait, synchronous
        super().__init__(self._opened(read_only=read_only), read_only=read_only, signer=signer)
        try:
            self._session = self._session_now() if read_only else None
        except BaseException:
            self._connection.close()
            raise
        self._use(seal)

    def _opened(self, *, read_only: bool) -> FileConnection:
        with sqlite_errors(self._path):
            connection = open_file(self._path, read_only=read_only, wait=self._wait)
            try:
                with bounded(connection, size_of(self._path)):
                    return self._prepared(connection, read_only=read_only)
            except BaseException:
                connection.close()
                raise

    def _prepared(self, connection: FileConnection, *, read_only: bool) -> FileConnection:
        """Return the connection to use: for a reader of an old file it is one to a copy."""
        schema = schema_of_file(connection, self._path)
        if not read_only:
            if schema and schema < SCHEMA:
                upgrade(connection, self._path)
            set_up(connection, self._synchronous)
            return connection
        if not schema:
            raise no_table_error(self.name, self._path)
        if schema == 1:
            copy = upgraded_copy(connection)
            connection.close()
            return copy
        if schema < SCHEMA:
            pretend_later_tables(connection)
        connection.execute("PRAGMA query_only = ON")
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

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise SQLite's errors; what is read is what the file holds now, and has a bound."""
        with sqlite_errors(self._path):
            if self._connection.depth:  # within another one of these
                yield
                return
            self._renew()
            if not self._read_only:
                yield
                return
            with bounded(self._connection, size_of(self._path)):
                yield
            if self._connection.frozen and not self._connection.is_current(self._path):
                what = f"{self.name} was written to while it was read"
                raise RecordError(what, "journal-moved", "read it again", self._path)

    def _renew(self) -> None:
        """Open the file again where a reader would not see what was written to it since.

        Raises ``RecordError`` ("journal-moved") where a writer's file was moved away, or another
        session is in it now.
        """
        if self._connection.is_current(self._path):
            return
        where = self._path
        if not self._read_only:
            what = f"the file of {self.name} was moved away, removed or replaced"
            hint = "recover it where it is now; commands are refused until then"
            raise RecordError(what, "journal-moved", hint, where)
        old, self._connection = self._connection, self._opened(read_only=True)
        old.close()
        if self._session is None:
            self._session = self._session_now()
        elif self._session_now() != self._session:
            hint = "open it again"
            what = f"another session is in the file of {self.name} now"
            raise RecordError(what, "journal-moved", hint, where)

    def _session_now(self) -> str | None:
        with sqlite_errors(self._path):
            query = "SELECT value FROM meta WHERE name = 'session'"
            found: str | None = value_of(self._connection, query)
            return found

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with transaction(self._connection, partial(sqlite_errors, self._path)):
            yield
            self._renew()  # it may have been moved away meanwhile

    @contextmanager
    def _lent(self) -> Iterator[None]:
        """Let a host write, and make no tables with which the file would be no journal."""
        query = "PRAGMA schema_version"
        before = value_of(self._connection, query)
        with lent(self._connection):
            yield
        with sqlite_errors(self._path):
            if value_of(self._connection, query) == before:
                return
            try:
                check_tables(self._connection, TABLES + LATER_TABLES, self._path)
            except RecordError as error:
                hint = "name a host's tables and indices host_...: plain ones, and no views"
                raise RecordError(error.message, "other-tables", hint, error.place) from None

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with reading(self._connection, self._path):
            if self._read_only:  # it has a bound already
                yield
                return
            with bounded(self._connection, size_of(self._path)):
                yield

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
        with self._linked(link, read_only=True) as earlier:
            earlier._borrow(self._keys)  # noqa: SLF001 - it is a journal, too
            yield earlier

    def _place_of_link(self, link: Link) -> str:
        return resolved(link, self._path)

    def _linked(self, link: Link, *, read_only: bool) -> SqliteJournal:
        signer = None if read_only else self._signer
        return SqliteJournal(self._place_of_link(link), read_only=read_only, signer=signer)

    def close(self) -> None:
        """Sign where it ends, if there is a key, and close it; closing it twice is allowed."""
        with self._lock, sqlite_errors(self._path):
            try:
                self._sign_end()
            finally:
                self._head = None
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
