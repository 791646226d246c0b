"""``SqliteJournal``: the journal of a table in one SQLite file, one transaction a command.

From top to bottom: the file (its tables, how it is opened, SQLite's errors as ours), the hash chain
(SHA-256 over the stored bytes, each row bound to all before it), the journal itself.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Final, Literal, Self

from attrs import frozen

from trente_rules._version import __version__
from trente_rules.core.errors import RecordError
from trente_rules.core.house.loading import dumps_house
from trente_rules.core.stakes import Opening
from trente_rules.table.codec import opening_of, opening_value
from trente_rules.table.commands import Command, OpenShoe
from trente_rules.table.events import Event
from trente_rules.table.journal import in_use_error, no_table_error, snapshot_of
from trente_rules.table.state import TableState
from trente_rules.table.table import Answered, Entry, Kept, command_text, entry_of, event_text

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
def sqlite_errors(path: str) -> Iterator[None]:
    """Raise SQLite's errors as ``RecordError`` with a code; the path is in each."""
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
    to read, "not-a-journal", "unknown-schema", and those of ``sqlite_errors``. What is no
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
    with sqlite_errors(path):
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
    """Return whether nothing is in the file yet; refuse a file of another kind."""
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


FIRST: Final = bytes(32)
"""What stands in the place of the hash before the first."""


@frozen
class Head:
    """Where a journal ends: commands and events written, and the last hash of the chain.

    ``events`` counts those of the session, as ``TableState.events``.
    """

    sequence: int
    events: int
    hash: bytes


def meta_hash(meta: Iterable[tuple[str, str]]) -> bytes:
    """Return the hash of the meta, in the order of its names."""
    text = json.dumps(sorted(meta), ensure_ascii=False, separators=(",", ":"))
    return sha256(FIRST + b"meta\n" + text.encode()).digest()


def snapshot_hash(before: bytes, sequence: int, body: str) -> bytes:
    """Return the hash of a snapshot taken after a command."""
    return sha256(before + b"snapshot %d\n" % sequence + body.encode()).digest()


def command_hash(before: bytes, sequence: int, shoe: int, first_event: int, body: str) -> bytes:
    """Return the hash of a command."""
    name = b"command %d %d %d\n" % (sequence, shoe, first_event)
    return sha256(before + name + body.encode()).digest()


def event_hash(before: bytes, number: int, command: int, body: str) -> bytes:
    """Return the hash of an event."""
    return sha256(before + b"event %d %d\n" % (number, command) + body.encode()).digest()


def check_chain(connection: sqlite3.Connection) -> Head:
    """Go through a whole journal; return its head.

    Raises ``RecordError``: "journal-empty", or "journal-changed" for the first row that is missing,
    changed, out of order or too many; ``place`` names it.
    """
    head = head_of(connection)
    if head is None:
        if connection.execute("SELECT 1 FROM commands LIMIT 1").fetchone():
            raise _changed_error("head", "is missing")
        raise RecordError("the journal holds no table", "journal-empty", "begin one")
    body, first = _start(connection)
    _follow(connection, Head(0, _events(body), first), head)
    return head


def check_tail(connection: sqlite3.Connection, sequence: int) -> str:
    """Check what a recovery reads, from the snapshot taken after a command; return its text.

    Raises ``RecordError`` ("journal-changed").
    """
    head = head_of(connection)
    if head is None:
        raise _changed_error("head", "is missing")
    body, before = _start(connection)
    events = _events(body)
    if sequence:
        body, kept = _snapshot(connection, sequence)
        events = _events(body)
        row = connection.execute("SELECT hash FROM events WHERE number = ?", (events - 1,))
        (before,) = row.fetchone() or (b"",)
        if snapshot_hash(before, sequence, body) != kept:
            raise _changed_error(f"snapshot {sequence}", "was changed")
    _follow(connection, Head(sequence, events, before), head)
    return body


def head_of(connection: sqlite3.Connection) -> Head | None:
    """Return where a journal says that it ends; None where it holds no table."""
    row = connection.execute("SELECT sequence, events, hash FROM head").fetchone()
    return None if row is None else Head(*row)


def _start(connection: sqlite3.Connection) -> tuple[str, bytes]:
    """Return the first snapshot and its hash, after the meta was checked with it."""
    body, kept = _snapshot(connection, 0)
    meta = connection.execute("SELECT name, value FROM meta").fetchall()
    if snapshot_hash(meta_hash(meta), 0, body) != kept:
        raise _changed_error("snapshot 0", "or the meta was changed")
    return body, kept


def _snapshot(connection: sqlite3.Connection, sequence: int) -> tuple[str, bytes]:
    found: tuple[str, bytes] | None = connection.execute(
        "SELECT body, hash FROM snapshots WHERE sequence = ?", (sequence,)
    ).fetchone()
    if found is None:
        raise _changed_error(f"snapshot {sequence}", "is missing")
    return found


def _events(snapshot: str) -> int:
    """Return how many events there were when a snapshot was taken; -1 where it does not say."""
    state = _object(snapshot).get("state")
    events = state.get("events") if isinstance(state, dict) else None
    return events if type(events) is int else -1


def _follow(connection: sqlite3.Connection, start: Head, end: Head) -> None:
    """Go along the chain from some point to the last row, which must be where it ends."""
    sequence, number, before = start.sequence, start.events, start.hash
    events = connection.execute(
        "SELECT number, command, kind, body, hash FROM events WHERE number >= ? ORDER BY number",
        (number,),
    )
    commands = connection.execute(
        "SELECT sequence, shoe, id, at, kind, body, first_event, hash FROM commands"
        " WHERE sequence > ? ORDER BY sequence",
        (sequence,),
    )
    snapshots = connection.execute(
        "SELECT sequence, body, hash FROM snapshots WHERE sequence > ? ORDER BY sequence",
        (sequence,),
    )
    event, snapshot = events.fetchone(), snapshots.fetchone()
    for row in commands:
        sequence += 1
        before = _follow_command(row, sequence, number, before)
        while event is not None and event[1] == sequence:
            before = _follow_event(event, number, before)
            number += 1
            event = events.fetchone()
        if snapshot is not None and snapshot[0] == sequence:
            if snapshot_hash(before, sequence, snapshot[1]) != snapshot[2]:
                raise _changed_error(f"snapshot {sequence}", "was changed")
            snapshot = snapshots.fetchone()
    if event is not None:
        raise _changed_error(f"event {event[0]}", f"belongs to command {event[1]}, out of order")
    if snapshot is not None:
        raise _changed_error(f"snapshot {snapshot[0]}", "belongs to no command")
    if Head(sequence, number, before) != end:
        raise _changed_error("head", f"tells of {end.sequence} commands; {sequence} are here")


def _follow_command(row: tuple[Any, ...], sequence: int, number: int, before: bytes) -> bytes:
    place = f"command {sequence}"
    if row[0] != sequence:
        raise _changed_error(place, "is missing")
    if row[6] != number:
        raise _changed_error(
            f"event {min(row[6], number)}", f"is missing, or too many, before {place}"
        )
    found = command_hash(before, sequence, row[1], number, row[5])
    told = _object(row[5])
    plain = (told.get("id"), told.get("at", ""), told.get("kind"))
    if found != row[7] or plain != row[2:5]:
        raise _changed_error(place, "or a row before it was changed, or they changed places")
    return found


def _follow_event(row: tuple[Any, ...], number: int, before: bytes) -> bytes:
    place = f"event {number}"
    if row[0] != number:
        raise _changed_error(place, "is missing")
    found = event_hash(before, number, row[1], row[3])
    if found != row[4] or _object(row[3]).get("kind") != row[2]:
        raise _changed_error(place, "was changed, or changed places with another")
    return found


def _object(text: str) -> dict[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _changed_error(place: str, what: str) -> RecordError:
    return RecordError(
        f"{place} {what}", "journal-changed", "go back to a copy that is whole", place
    )


_AT_ONCE: Final = 500
"""Commands that are read at once."""


class SqliteJournal:
    """A journal in a file: commands, events and a snapshot of each shoe as it is opened.

    Every command is one transaction, committed before the table answers. With ``synchronous``
    "normal" what is answered survives the death of the process; with "full" also that of the
    machine, and each command waits for the disk. It may be used from many threads, by one process;
    readers of other processes open it with ``read_only``. ``wait`` is how many seconds a locked
    file is waited for. A connection does not survive a fork: open it in the child.

    Raises ``RecordError``: "journal-missing", "not-a-journal", "unknown-schema", "journal-locked",
    "journal-unreadable", "journal-broken", "old-sqlite". A method that raises has changed nothing.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        synchronous: Literal["normal", "full"] = "normal",
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
        self._path = fspath(path)
        self._lock = RLock()
        self._head: Head | None = None
        self._connection = open_file(
            self._path, synchronous=synchronous, read_only=read_only, wait=wait
        )

    def begin(self, state: TableState, answered: Answered) -> None:
        """Keep house, table and first state; ``RecordError`` ("journal-in-use") if there is one."""
        house, setup = state.house, state.setup
        meta = {
            "engine": __version__,
            "fingerprint": house.fingerprint,
            "house": house.name,
            "house_toml": dumps_house(house),
            "opening": json.dumps(opening_value(setup.opening)),
            "schema": str(SCHEMA),
            "table": setup.table,
        }
        body = snapshot_of(state, answered)
        first = snapshot_hash(meta_hash(meta.items()), 0, body)
        head = Head(0, state.events, first)
        run = self._connection.execute
        with self._lock, sqlite_errors(self._path), transaction(self._connection):
            if head_of(self._connection) is not None:
                raise in_use_error(f"journal {self._path!r}", setup.table)
            self._connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            run("INSERT INTO snapshots VALUES (0, ?, ?)", (body, first))
            run("INSERT INTO head VALUES (1, ?, ?, ?)", (0, head.events, first))
        self._head = head

    def append(self, command: Command, events: tuple[Event, ...], state: TableState) -> None:
        """Keep a command and its events in one transaction, and a snapshot of a new shoe.

        Raises ``RecordError``: "journal-moved" where the journal does not end where the table
        stands, "journal-locked", "journal-full", "journal-read-only", "journal-closed",
        "journal-fails".
        """
        first = state.events - len(events)
        with self._lock, sqlite_errors(self._path):
            last = self._head or head_of(self._connection)
            if last is None or last.events != first:
                raise self._moved_error()
            sequence = last.sequence + 1
            body = command_text(command)
            own = command_hash(last.hash, sequence, state.shoe_number, first, body)
            row = (
                *(sequence, state.shoe_number, command.id, command.at),
                *(command.kind, body, first, own),
            )
            rows: list[tuple[int, int, str, str, bytes]] = []
            before = own
            for number, event in enumerate(events, first):
                text = event_text(event)
                before = event_hash(before, number, sequence, text)
                rows.append((number, sequence, event.kind, text, before))
            head = Head(sequence, state.events, before)
            kept = ""
            if isinstance(command, OpenShoe):
                kept = snapshot_of(state, {command.id: (command, events)})
            self._write(last, head, row, rows, kept)
            self._head = head

    def _write(
        self,
        last: Head,
        head: Head,
        row: tuple[int | str | bytes, ...],
        rows: list[tuple[int, int, str, str, bytes]],
        kept: str,
    ) -> None:
        run = self._connection.execute
        with transaction(self._connection):
            moved = run(
                "UPDATE head SET sequence = ?, events = ?, hash = ? WHERE hash = ?",
                (head.sequence, head.events, head.hash, last.hash),
            )
            if moved.rowcount != 1:
                raise self._moved_error()
            run("INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            self._connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
            if kept:
                hung = snapshot_hash(head.hash, head.sequence, kept)
                run("INSERT INTO snapshots VALUES (?, ?, ?)", (head.sequence, kept, hung))

    def _moved_error(self) -> RecordError:
        return RecordError(
            f"journal {self._path!r} does not end where this table stands",
            "journal-moved",
            "another table wrote to it, or a command was broken off once it was written: "
            "recover(journal), and run one writer",
            self._path,
        )

    def kept(self) -> Kept:
        """Return the last snapshot and the commands since it, their hashes checked.

        Raises ``RecordError``: "journal-empty", "journal-changed".
        """
        with self._lock, sqlite_errors(self._path), reading(self._connection, self._path):
            head = head_of(self._connection)
            if head is None:
                raise no_table_error(f"journal {self._path!r}")
            (sequence,) = self._connection.execute(
                "SELECT coalesce(max(sequence), 0) FROM snapshots"
            ).fetchone()
            body = check_tail(self._connection, sequence)
            entries = tuple(self._read(sequence + 1, head.sequence))
            house = self._meta().get("house_toml", "")
            self._head = head
        return Kept(house, body, entries)

    @property
    def path(self) -> str:
        """The file of the journal."""
        return self._path

    @property
    def head(self) -> Head | None:
        """Where the journal ends, None before a table began; its hash may be kept elsewhere."""
        with self._lock, sqlite_errors(self._path):
            return head_of(self._connection)

    @property
    def meta(self) -> dict[str, str]:
        """The facts of the table: house, fingerprint, its TOML, table, opening, versions."""
        with self._lock, sqlite_errors(self._path):
            return self._meta()

    @property
    def opening(self) -> Opening:
        """What was posted when the table opened."""
        return opening_of(json.loads(self.meta["opening"] or "null"))

    def check(self) -> Head:
        """Check every row against the hash chain; return where the journal ends.

        Raises ``RecordError``: "journal-empty", "journal-changed" with the place of the first row
        that is changed, missing, out of order or too many.
        """
        with self._lock, sqlite_errors(self._path), reading(self._connection, self._path):
            return check_chain(self._connection)

    def entries(self, first: int = 1) -> Iterator[Entry]:
        """Return the commands kept, from a sequence number on, with their events."""
        while True:
            with self._lock, sqlite_errors(self._path), reading(self._connection, self._path):
                found = self._read(first, first + _AT_ONCE - 1)
            if not found:
                return
            yield from found
            first = found[-1].sequence + 1

    def last_coups(self, count: int) -> Iterator[Entry]:
        """Return the entries since the bets of the last ``count`` coups opened."""
        with self._lock, sqlite_errors(self._path):
            row = self._connection.execute(
                "SELECT command FROM events WHERE kind = 'bets-opened'"
                " ORDER BY number DESC LIMIT 1 OFFSET ?",
                (count - 1,),
            ).fetchone()
        return self.entries(row[0] if row else 1)

    def close(self) -> None:
        """Close the file; closing twice is no error."""
        with self._lock, sqlite_errors(self._path):
            self._connection.close()

    def __enter__(self) -> Self:
        """Return the journal itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()

    def _meta(self) -> dict[str, str]:
        return dict(self._connection.execute("SELECT name, value FROM meta"))

    def _read(self, first: int, last: int) -> list[Entry]:
        run = self._connection.execute
        texts: dict[int, list[str]] = {}
        for command, body in run(
            "SELECT command, body FROM events WHERE number >="
            " (SELECT first_event FROM commands WHERE sequence = ?1) AND number < coalesce("
            " (SELECT first_event FROM commands WHERE sequence = ?2 + 1), 9223372036854775807)"
            " ORDER BY number",
            (first, last),
        ):
            texts.setdefault(command, []).append(body)
        return [
            entry_of(sequence, shoe, body, first_event, texts.get(sequence, ()))
            for sequence, shoe, body, first_event in run(
                "SELECT sequence, shoe, body, first_event FROM commands"
                " WHERE sequence BETWEEN ? AND ? ORDER BY sequence",
                (first, last),
            )
        ]
