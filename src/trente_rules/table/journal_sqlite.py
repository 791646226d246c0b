"""``SqliteJournal``: the journal of a table in one SQLite file, one transaction per command.

From top to bottom: the file (its tables, how it is opened, SQLite's errors as ``RecordError``), the
hash chain (SHA-256 over the stored bytes, each row bound to all before it), the journal.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path
from threading import RLock
from typing import Any, Final, Literal

from attrs import frozen

from trente_rules._version import __version__
from trente_rules.core.errors import RecordError, shown
from trente_rules.core.house.loading import dumps_house
from trente_rules.core.stakes import Opening
from trente_rules.table.codec import opening_of
from trente_rules.table.commands import OpenShoe
from trente_rules.table.entries import Entry, Kept, command_text, entry_of, event_text
from trente_rules.table.journal import in_use_error, no_table_error, same_id_error, snapshot_of
from trente_rules.table.rounds import Round
from trente_rules.table.state import TableState

SCHEMA: Final = 1
"""The version of the tables; a later release reads every earlier one."""
APPLICATION: Final = 0x54455131
"""What marks a file as such a journal: "TEQ1" in its header."""
OLDEST_SQLITE: Final = (3, 37)
"""The first release that has STRICT tables."""
LOG_PAGES: Final = 4000
"""Pages of the log, 16 MB, after which it is moved into the file: each move waits for the disk."""
TABLES: Final = """
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
_COPY: Final = "restore a copy"
_CODES: Final = {
    sqlite3.SQLITE_ERROR: ("journal-broken", "its tables are not those of a journal", _COPY),
    sqlite3.SQLITE_BUSY: ("journal-locked", "another process is writing to it", "run one writer"),
    sqlite3.SQLITE_LOCKED: ("journal-locked", "it is locked", "run one writer"),
    sqlite3.SQLITE_FULL: ("journal-full", "the disk is full", "make room, and do it again"),
    sqlite3.SQLITE_READONLY: ("journal-read-only", "it cannot be written to", "open it to write"),
    sqlite3.SQLITE_CANTOPEN: ("journal-unreadable", "it cannot be opened", "look at its folder"),
    sqlite3.SQLITE_PERM: ("journal-unreadable", "it may not be opened", "look at its rights"),
    sqlite3.SQLITE_NOTADB: ("not-a-journal", "it is not an SQLite file", "name a journal"),
    sqlite3.SQLITE_CORRUPT: ("journal-broken", "the file is damaged", _COPY),
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
        what = f"journal {path!r}: the file is damaged: {error}"
        raise RecordError(what, "journal-broken", _COPY, path) from error
    except sqlite3.Error as error:
        # Without a number it is Python that could not read a text.
        number = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
        code, what, hint = _CODES.get(number & _LOW_BYTE, ("journal-fails", "SQLite failed", ""))
        raise RecordError(f"journal {path!r}: {what}: {error}", code, hint, path) from error


def _name_of(path: object) -> str:
    """Return a path as text; ``RecordError`` ("journal-unreadable") where it names no file."""
    name = fspath(path) if isinstance(path, str | PathLike) else None
    if not isinstance(name, str) or not Path(name).name:
        what = f"{shown(path)} is not the name of a file"
        raise RecordError(what, "journal-unreadable", "name the file of the journal")
    return name


def open_file(path: str, *, synchronous: str, read_only: bool, wait: float) -> sqlite3.Connection:
    """Open a journal, or an empty file that becomes one; a file of another kind is left as it is.

    Raises ``RecordError``: "old-sqlite", "journal-missing", "journal-empty" where there is nothing
    to read, "not-a-journal", "unknown-schema", and those of ``sqlite_errors``.
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
            if _is_new(connection, path, read_only=read_only):
                _make_tables(connection)
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
        blocked = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not read_only or error.sqlite_errorcode & _LOW_BYTE not in blocked:
            raise
        if log.exists() and log.stat().st_size:
            raise
        return _connect(f"{uri}?mode=ro&immutable=1", wait)


def _connect(uri: str, wait: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri, uri=True, timeout=wait, isolation_level=None, check_same_thread=False
    )
    try:
        _value(connection, "SELECT count(*) FROM sqlite_schema")
    except BaseException:
        connection.close()
        raise
    return connection


def _value(connection: sqlite3.Connection, query: str) -> Any:
    """Return the one value that a query gives."""
    return connection.execute(query).fetchone()[0]


def _value_of(connection: sqlite3.Connection, query: str, *values: Any) -> Any:
    """Return the one value that a query gives for these values."""
    return connection.execute(query, values).fetchone()[0]


def _is_new(connection: sqlite3.Connection, path: str, *, read_only: bool) -> bool:
    """Return whether nothing is in the file yet; ``RecordError`` for what cannot be a journal."""
    application = _value(connection, "PRAGMA application_id")
    schema = _value(connection, "PRAGMA user_version")
    if not (application or schema or _value(connection, "SELECT count(*) FROM sqlite_schema")):
        if read_only:
            raise no_table_error(f"journal {path!r}", path)
        return True
    if application != APPLICATION:
        what = f"{path!r} is a database of another kind"
        raise RecordError(what, "not-a-journal", "name a journal", path)
    if schema != SCHEMA:
        what = f"{path!r} is a journal of schema {schema}"
        raise RecordError(what, "unknown-schema", f"this version reads schema {SCHEMA}", path)
    return False


def _make_tables(connection: sqlite3.Connection) -> None:
    """Make the tables, in one transaction."""
    connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection):
        if _value(connection, "SELECT count(*) FROM sqlite_schema"):  # another process was first
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

    A damaged page may hold a text where a number should be: that too is "journal-broken".
    """
    connection.execute("BEGIN")
    try:
        yield
    except (TypeError, AttributeError, OverflowError) as error:
        what = f"journal {path!r}: a row holds a value of another type: {error}"
        raise RecordError(what, "journal-broken", _COPY, path) from error
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


FIRST: Final = bytes(32)
"""What the first hash is taken over, in place of a hash before it."""


@frozen
class Head:
    """Where a journal ends: commands and events written, and the last hash of the chain.

    ``events`` counts those of the session, as ``TableState.events``.
    """

    sequence: int
    events: int
    hash: bytes


def chain_hash(before: bytes, row: str, body: str) -> bytes:
    """Return the hash of a row: over the hash before it, the name of the row, and its body."""
    return sha256(before + f"{row}\n{body}".encode()).digest()


def _snapshot_hash(before: bytes, sequence: int, body: str) -> bytes:
    return chain_hash(before, f"snapshot {sequence}", body)


def _first_hash(meta: Iterable[tuple[str, str]], snapshot: str) -> bytes:
    """Return the hash of the first snapshot, which is bound to the meta, in the order of names."""
    text = json.dumps(sorted(meta), ensure_ascii=False, separators=(",", ":"))
    return _snapshot_hash(chain_hash(FIRST, "meta", text), 0, snapshot)


def check_chain(
    connection: sqlite3.Connection, path: str, *, tail: bool = False
) -> tuple[Head, int, str]:
    """Check a whole journal, or its ``tail``: the first rows, and all since the last snapshot.

    Return the head, and the snapshot from which rows were followed: the sequence number of its
    command, and its text. Raises ``RecordError``: "journal-empty", or "journal-changed" for the
    first row that is missing, changed, out of order or too many; ``place`` names it.
    """
    head = head_of(connection)
    if head is None:
        if connection.execute("SELECT 1 FROM commands LIMIT 1").fetchone():
            raise _changed_error("head", "is missing")
        raise no_table_error(f"journal {path!r}")
    sequence, (body, before) = 0, _snapshot(connection, 0)
    if _first_hash(connection.execute("SELECT name, value FROM meta"), body) != before:
        raise _changed_error("snapshot 0", "or the meta was changed")
    if tail:
        sequence = _value(connection, "SELECT max(sequence) FROM snapshots")
    if sequence:
        body, own = _snapshot(connection, sequence)
        last = (_events(body) - 1,)
        row = connection.execute("SELECT hash FROM events WHERE number = ?", last).fetchone()
        before = row[0] if row else b""
        if _snapshot_hash(before, sequence, body) != own:
            raise _changed_error(f"snapshot {sequence}", "was changed")
    _follow(connection, Head(sequence, _events(body), before), head)
    return head, sequence, body


def head_of(connection: sqlite3.Connection) -> Head | None:
    """Return where a journal says that it ends; None where it holds no table."""
    row = connection.execute("SELECT sequence, events, hash FROM head").fetchone()
    return None if row is None else Head(*row)


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
    """Check the rows from some point to the last one, which must be where the journal ends."""
    sequence, number, before = start.sequence, start.events, start.hash
    run = connection.execute
    events = run("SELECT * FROM events WHERE number >= ? ORDER BY number", (number,))
    commands = run("SELECT * FROM commands WHERE sequence > ? ORDER BY sequence", (sequence,))
    snapshots = run("SELECT * FROM snapshots WHERE sequence > ? ORDER BY sequence", (sequence,))
    event, snapshot = events.fetchone(), snapshots.fetchone()
    for row in commands:
        sequence += 1
        before = _follow_command(row, sequence, number, before)
        while event is not None and event[1] == sequence:
            before = _follow_event(event, number, before)
            number += 1
            event = events.fetchone()
        if snapshot is not None and snapshot[0] == sequence:
            if _snapshot_hash(before, sequence, snapshot[1]) != snapshot[2]:
                raise _changed_error(f"snapshot {sequence}", "was changed")
            snapshot = snapshots.fetchone()
    if event is not None:
        raise _changed_error(f"event {event[0]}", f"belongs to command {event[1]}, out of order")
    if snapshot is not None:
        raise _changed_error(f"snapshot {snapshot[0]}", "belongs to no command")
    if Head(sequence, number, before) != end:
        raise _changed_error("head", f"counts {end.sequence} commands; {sequence} are here")


def _follow_command(row: tuple[Any, ...], sequence: int, number: int, before: bytes) -> bytes:
    found, shoe, *plain, body, first, own = row
    place = f"command {sequence}"
    if found != sequence:
        raise _changed_error(place, "is missing")
    if first != number:
        raise _changed_error(
            f"event {min(first, number)}", f"is missing, or too many, before {place}"
        )
    made = chain_hash(before, f"{place} {shoe} {number}", body)
    value = _object(body)
    if made != own or [value.get("id"), value.get("at", ""), value.get("kind")] != plain:
        raise _changed_error(place, "or a row before it was changed, or they changed places")
    return made


def _follow_event(row: tuple[Any, ...], number: int, before: bytes) -> bytes:
    found, command, kind, body, own = row
    place = f"event {number}"
    if found != number:
        raise _changed_error(place, "is missing")
    made = chain_hash(before, f"{place} {command}", body)
    if made != own or _object(body).get("kind") != kind:
        raise _changed_error(place, "was changed, or changed places with another")
    return made


def _object(text: str) -> dict[str, Any]:
    """Return a JSON object, empty for a text that does not hold one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _changed_error(place: str, what: str) -> RecordError:
    hint = "restore a copy that passes the check"
    return RecordError(f"{place} {what}", "journal-changed", hint, place)


def _rows_of(before: Head, entry: Entry) -> tuple[Head, tuple[Any, ...], list[tuple[Any, ...]]]:
    """Return where the journal ends after an entry, and its rows: the command, and the events."""
    command, shoe, first = entry.command, entry.shoe, entry.first_event
    sequence, body = before.sequence + 1, command_text(command)
    own = chain_hash(before.hash, f"command {sequence} {shoe} {first}", body)
    row = (sequence, shoe, command.id, command.at, command.kind, body, first, own)
    rows, last = [], own
    for number, event in enumerate(entry.events, first):
        text = event_text(event)
        last = chain_hash(last, f"event {number} {sequence}", text)
        rows.append((number, sequence, event.kind, text, last))
    return Head(sequence, first + len(rows), last), row, rows


_AT_ONCE: Final = 500
"""Commands that are read in one query."""


class SqliteJournal(AbstractContextManager["SqliteJournal"]):
    """A journal in a file: commands, events and a snapshot of each shoe as it is opened.

    Every command is one transaction, committed before the table returns its events. With
    ``synchronous`` "normal" these survive the death of the process; with "full" also that of the
    machine, and each command waits for the disk. It may be used from many threads, by one process;
    readers of other processes open it with ``read_only``. ``wait`` is the longest wait for a locked
    file, in seconds. A connection does not survive a fork: open it in the child.

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
        self._path = _name_of(path)
        self._lock = RLock()
        self._head: Head | None = None
        self._connection = open_file(
            self._path, synchronous=synchronous, read_only=read_only, wait=wait
        )

    def begin(self, state: TableState, entries: Sequence[Entry]) -> None:
        """Store house, table and first state; ``RecordError`` ("journal-in-use") after another."""
        house, setup = state.house, state.setup
        meta = {
            "engine": __version__,
            "fingerprint": house.fingerprint,
            "house": house.name,
            "house_toml": dumps_house(house),
            "opening": json.dumps(state.opening.to_json()),
            "schema": str(SCHEMA),
            "session": setup.session,
            "table": setup.table,
        }
        body = snapshot_of(state, entries)
        head = Head(0, state.events, _first_hash(meta.items(), body))
        run = self._connection.execute
        with self._lock, sqlite_errors(self._path), transaction(self._connection):
            if head_of(self._connection) is not None:
                raise in_use_error(f"journal {self._path!r}", setup.table)
            self._connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            run("INSERT INTO snapshots VALUES (0, ?, ?)", (body, head.hash))
            run("INSERT INTO head VALUES (1, ?, ?, ?)", (0, head.events, head.hash))
        self._head = head

    def append(self, entries: Sequence[Entry], state: TableState) -> None:
        """Store entries in one transaction, and a snapshot where the last one opened a shoe.

        Raises ``RecordError``: "journal-moved" where the journal does not end at the state of the
        table, "same-id", "journal-locked", "journal-full", "journal-read-only", "journal-closed",
        "journal-fails".
        """
        run = self._connection.execute
        with self._lock, sqlite_errors(self._path):
            last = self._head or head_of(self._connection)
            if last is None or last.events != entries[0].first_event:
                raise self._moved_error()
            head, commands, rows = last, [], []
            for entry in entries:
                head, command, events = _rows_of(head, entry)
                commands.append(command)
                rows += events
            # What can be worked out before is: the file is locked as shortly as possible.
            opened = isinstance(entries[-1].command, OpenShoe)
            snapshot = snapshot_of(state, entries[-1:]) if opened else ""
            with transaction(self._connection):
                moved = run(
                    "UPDATE head SET sequence = ?, events = ?, hash = ? WHERE hash = ?",
                    (head.sequence, head.events, head.hash, last.hash),
                )
                if moved.rowcount != 1:
                    raise self._moved_error()
                for entry in entries:
                    if self._sequence_of(*entry.key) is not None:
                        raise same_id_error(entry)
                write = self._connection.executemany
                write("INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?, ?, ?)", commands)
                write("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
                if snapshot:
                    bound = _snapshot_hash(head.hash, head.sequence, snapshot)
                    run("INSERT INTO snapshots VALUES (?, ?, ?)", (head.sequence, snapshot, bound))
            self._head = head

    def _moved_error(self) -> RecordError:
        return RecordError(
            f"journal {self._path!r} does not end where this table is",
            "journal-moved",
            "another table wrote to it, or a command was interrupted once it was written: "
            "recover(journal), and run one writer",
            self._path,
        )

    def kept(self) -> Kept:
        """Return the last snapshot and the commands since it, their hashes checked.

        Raises ``RecordError``: "journal-empty", "journal-changed".
        """
        with self._read_only():
            head, sequence, body = check_chain(self._connection, self._path, tail=True)
            entries = tuple(self._read(sequence + 1, head.sequence))
            self._head = head
            return Kept(self.meta.get("house_toml", ""), body, entries)

    @property
    def path(self) -> str:
        """The file of the journal."""
        return self._path

    @property
    def head(self) -> Head | None:
        """The end of the journal, None before a table began; its hash may be stored elsewhere."""
        with self._lock, sqlite_errors(self._path):
            return head_of(self._connection)

    @property
    def meta(self) -> dict[str, str]:
        """The facts of the table: house, fingerprint, its TOML, table, opening, versions."""
        with self._lock, sqlite_errors(self._path):
            return dict(self._connection.execute("SELECT name, value FROM meta"))

    @property
    def opening(self) -> Opening:
        """The opening of the table when the journal began."""
        return opening_of(json.loads(self.meta["opening"] or "null"))

    def check(self) -> Head:
        """Check every row against the hash chain; return where the journal ends.

        Raises ``RecordError``: "journal-empty", "journal-changed" with the place of the first row
        that is changed, missing, out of order or too many.
        """
        with self._read_only():
            return check_chain(self._connection, self._path)[0]

    def entries(self, first: int = 1) -> Iterator[Entry]:
        """Yield the commands from a sequence number on, with their events."""
        while True:
            with self._read_only():
                entries = self._read(first, first + _AT_ONCE - 1)
            if not entries:
                return
            yield from entries
            first = entries[-1].sequence + 1

    def last_coups(self, count: int) -> Iterator[Entry]:
        """Yield the entries since the bets of the last ``count`` coups opened."""
        with self._lock, sqlite_errors(self._path):
            row = self._connection.execute(
                "SELECT command FROM events WHERE kind = 'bets-opened'"
                " ORDER BY number DESC LIMIT 1 OFFSET ?",
                (count - 1,),
            ).fetchone()
        return self.entries(row[0] if row else 1)

    def find(self, owner: str, id_: str) -> Entry | None:
        """Return the entry of a command by its player and its id, None where there is none."""
        with self._read_only():
            number = self._sequence_of(owner, id_)
            return None if number is None else self._read(number, number)[0]

    def _sequence_of(self, owner: str, id_: str) -> int | None:
        found = self._connection.execute(
            "SELECT sequence, body FROM commands WHERE id = ?", (id_,)
        ).fetchall()
        return next((row[0] for row in found if _object(row[1]).get("player", "") == owner), None)

    def since(self, shoe: int) -> Iterator[Entry]:
        """Yield the entries of a shoe, and of all shoes after it."""
        with self._lock, sqlite_errors(self._path):
            query = "SELECT min(sequence) FROM commands WHERE shoe >= ?"
            first = _value_of(self._connection, query, shoe)
        return iter(()) if first is None else self.entries(first)

    def close(self) -> None:
        """Close the file; closing it twice is allowed."""
        with self._lock, sqlite_errors(self._path):
            self._connection.close()

    def __exit__(self, *_error: object) -> None:
        """Close the file."""
        self.close()

    @contextmanager
    def _read_only(self) -> Iterator[None]:
        with self._lock, sqlite_errors(self._path), reading(self._connection, self._path):
            yield

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
        session = dict(run("SELECT name, value FROM meta")).get("session", "")
        return [
            entry_of(sequence, Round(session, shoe, 0), body, first_event, texts.get(sequence, ()))
            for sequence, shoe, body, first_event in run(
                "SELECT sequence, shoe, body, first_event FROM commands"
                " WHERE sequence BETWEEN ? AND ? ORDER BY sequence",
                (first, last),
            )
        ]
