"""Copies of a journal, made while a table writes to it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Final

from trente_rules.core.errors import RecordError
from trente_rules.core.files import new_file, sync_folder, unwritable_error
from trente_rules.table.journal import no_table_error
from trente_rules.table.journal_chain import Head, head_of
from trente_rules.table.journal_file import names_database, open_file, schema_of_file, sqlite_errors
from trente_rules.table.journal_sqlite import SqliteJournal

_PAGES: Final = 256
"""Pages that are copied between two looks at the progress: 1 MB."""
_LOW_BYTE: Final = 0xFF
_OF_TARGET: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)


def back_up(
    path: str | PathLike[str],
    out: str | PathLike[str],
    progress: Callable[[int, int], object] | None = None,
) -> Head:
    """Copy a journal to a new file, as it is at this moment; return where the copy ends.

    A table may write to the journal meanwhile. The copy is one file, for its owner alone; its rows
    are checked against the hash chain, and it is on the disk when this returns. ``progress`` is
    called with the pages that are copied, and with all there are. Whatever fails, or breaks it
    off, leaves no copy behind.

    Raises ``RecordError``: those of opening and checking a journal, "journal-empty", "file-exists",
    "file-unwritable"; "not-a-file" for a journal in PostgreSQL.
    """
    name, target = fspath(path), fspath(out)
    if names_database(name):
        hint = "pg_dump copies its database while tables run"
        raise RecordError("a journal in PostgreSQL is not a file", "not-a-file", hint)
    with sqlite_errors(name), closing(open_file(name, read_only=True, wait=1.0)) as source:
        if not schema_of_file(source, name):
            raise no_table_error(f"journal {name!r}", name)
        source.execute("BEGIN")  # what is committed from here on is not in the copy
        head = head_of(source)
        if head is None:
            raise no_table_error(f"journal {name!r}", name)
        with new_file(target, RecordError, private=True):
            pass  # nobody else writes to it from here on
        try:
            _copy(source, target, progress)
            source.execute("ROLLBACK")
            _check(name, target, head)
            _make_durable(target)
        except BaseException:
            _remove(target, "", "-journal", "-wal", "-shm")
            raise
    return head


def _copy(
    source: sqlite3.Connection, target: str, progress: Callable[[int, int], object] | None
) -> None:
    def step(_status: int, remaining: int, total: int) -> None:
        if progress is not None:
            progress(total - remaining, total)

    try:
        uri = f"{Path(target).absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True)) as copy:
            source.backup(copy, pages=_PAGES, progress=step)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & _LOW_BYTE in _OF_TARGET:
            raise unwritable_error(Path(target), error, RecordError) from error
        raise


def _check(name: str, target: str, head: Head) -> None:
    """Check the rows of a copy, and that it ends where the journal ended."""
    with SqliteJournal(target, read_only=True) as copy:
        found = copy.check_rows()
    _remove(target, "-wal", "-shm")  # of this reader
    if found.sequence != head.sequence:
        what = f"the copy of {name!r} ends at command {found.sequence}, not {head.sequence}"
        raise RecordError(what, "journal-changed", "make it again", target)


def _make_durable(target: str) -> None:
    try:
        with Path(target).open("rb+") as opened:
            os.fsync(opened.fileno())
        sync_folder(Path(target).absolute().parent)
    except OSError as error:
        raise unwritable_error(Path(target), error, RecordError) from error


def _remove(target: str, *endings: str) -> None:
    for ending in endings:
        with suppress(OSError):
            Path(f"{target}{ending}").unlink(missing_ok=True)
