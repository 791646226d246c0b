"""``SqliteJournal``: the journal of a table in one SQLite file, or in several that are linked."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from os import PathLike, fspath
from pathlib import Path
from threading import RLock
from typing import Any, Final, Literal
from urllib.parse import unquote

from trente_rules._version import __version__
from trente_rules.core.errors import RecordError, shown
from trente_rules.core.house.loading import dumps_house
from trente_rules.core.stakes import Opening
from trente_rules.table.codec import opening_of
from trente_rules.table.commands import OpenShoe
from trente_rules.table.entries import (
    Entry,
    Kept,
    check_class,
    command_text,
    entry_of,
    events_text,
)
from trente_rules.table.events import BetsOpened
from trente_rules.table.journal import (
    in_use_error,
    moved_error,
    no_table_error,
    same_id_error,
    snapshot_of,
    unknown_movement_error,
)
from trente_rules.table.journal_chain import (
    Head,
    changed_error,
    check_chain,
    command_hash,
    first_hash,
    head_of,
    ids_digest,
    ids_of,
    next_of,
    object_of,
    snapshot_hash,
)
from trente_rules.table.journal_file import (
    INSERT_COMMAND,
    INSERT_ID,
    INSERT_MOVEMENT,
    SCHEMA,
    movement_of,
    open_file,
    reading,
    rows_of,
    schema_of_file,
    set_up,
    sqlite_errors,
    transaction,
    value_of,
)
from trente_rules.table.journal_links import (
    Link,
    check_link,
    close_file,
    links_of,
    links_text,
    moved_link,
    named,
    resolved,
)
from trente_rules.table.journal_upgrade import upgrade, upgraded_copy
from trente_rules.table.movements import Movement
from trente_rules.table.rounds import Round
from trente_rules.table.snapshot import entries_of
from trente_rules.table.state import TableState

_AT_ONCE: Final = 500
"""Commands, or movements, that are read in one query."""
_ID_PARTS: Final = 4
_MOVEMENT: Final = "id, shoe, coup, stake, player, units, reason, reverses"


def _name_of(path: object) -> str:
    """Return a path as text; ``RecordError`` ("journal-unreadable") where it names no file."""
    name = fspath(path) if isinstance(path, str | PathLike) else None
    if not isinstance(name, str) or not Path(name).name:
        what = f"{shown(path)} is not the name of a file"
        raise RecordError(what, "journal-unreadable", "name the file of the journal")
    return name


def _opens_bets(entry: Entry) -> bool:
    return any(isinstance(event, BetsOpened) for event in entry.events)


class SqliteJournal(AbstractContextManager["SqliteJournal"]):
    """A journal in a file: commands, events, movements, and a snapshot of each shoe as it opens.

    Every command is one transaction, committed before the table returns its events. With
    ``synchronous`` "normal" these survive the death of the process; with "full" also that of the
    machine, and each command waits for the disk. It may be used from many threads, by one process;
    readers of other processes open it with ``read_only``. ``wait`` is the longest wait for a locked
    file, in seconds. A connection does not survive a fork: open it in the child.

    A session may have several files (``Table.rotate``): what is asked for is read in the earlier
    ones where they are still there. A file that an older release wrote is brought to the form of
    today as it is opened to write; a reader leaves it as it is.

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
        self._read_only_file = read_only
        with sqlite_errors(self._path):
            self._connection = open_file(self._path, read_only=read_only, wait=wait)
            try:
                self._prepare(synchronous)
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, synchronous: str) -> None:
        schema = schema_of_file(self._connection, self._path)
        if self._read_only_file:
            if not schema:
                raise no_table_error(f"journal {self._path!r}", self._path)
            if schema == 1:
                file, self._connection = self._connection, upgraded_copy(self._connection)
                file.close()
            return
        if schema == 1:
            upgrade(self._connection, self._path)
        set_up(self._connection, synchronous)

    def begin(self, state: TableState, entries: Sequence[Entry]) -> None:
        """Store house, table and first state; ``RecordError`` ("journal-in-use") after another."""
        last = entries[-1].sequence if entries else 0
        ids = sorted((*entry.key, entry.sequence) for entry in entries)
        self._begin(state, entries, last, ids, ())

    def _begin(
        self,
        state: TableState,
        entries: Sequence[Entry],
        last: int,
        ids: Iterable[tuple[Any, ...]],
        links: Sequence[Link],
    ) -> Head:
        """Store the first state, after a command of the session, with the ids used before."""
        setup = state.setup
        house = setup.house  # that of the table: a cut may have decided the first row of this shoe
        run, write = self._connection.execute, self._connection.executemany
        body = snapshot_of(state, entries)
        with self._lock, sqlite_errors(self._path), transaction(self._connection):
            if head_of(self._connection) is not None:
                raise in_use_error(f"journal {self._path!r}", setup.table)
            write(INSERT_ID, ids)
            meta = {
                "engine": __version__,
                "fingerprint": house.fingerprint,
                "first": str(last),
                "house": house.name,
                "house_toml": dumps_house(house),
                "ids": ids_digest(ids_of(self._connection, last)),
                "opening": json.dumps(state.opening.to_json()),
                "schema": str(SCHEMA),
                "session": setup.session,
                "table": setup.table,
            }
            if links:
                meta["earlier"] = links_text(links)
            head = Head(last, state.events, first_hash(meta.items(), last, body))
            write("INSERT INTO meta VALUES (?, ?)", meta.items())
            run("INSERT INTO snapshots VALUES (?, ?, ?)", (last, body, head.hash))
            run("INSERT INTO head VALUES (1, ?, ?, ?)", (last, head.events, head.hash))
        self._head = head
        return head

    def append(self, entries: Sequence[Entry], state: TableState) -> None:
        """Store entries in one transaction, and a snapshot where one of them opened a shoe.

        Raises ``RecordError``: "journal-moved" where the journal does not end at the state of the
        table, "same-id", "journal-locked", "journal-full", "journal-read-only", "journal-closed",
        "journal-fails".
        """
        run, write = self._connection.execute, self._connection.executemany
        with self._lock, sqlite_errors(self._path):
            last = self._head or self._end()
            if last.events != entries[0].first_event:
                raise self._moved_error()
            # What can be worked out before is: the file is locked as shortly as possible.
            sequence, before = last.sequence, last.hash
            commands, ids, movements, snapshot = [], [], [], ""
            for number, entry in enumerate(entries):
                sequence += 1
                told = command_text(entry.command), events_text(entry.events)
                row, moved = rows_of(entry, sequence, *told)
                before = command_hash(before, row, moved)
                commands.append((*row, before))
                ids.append((row[3], row[4], sequence))
                movements += moved
                if isinstance(entry.command, OpenShoe):
                    snapshot = snapshot_of(state, entries[number:])
            head = Head(sequence, state.events, before)
            try:
                with transaction(self._connection):
                    ended = run(
                        "UPDATE head SET sequence = ?, events = ?, hash = ? WHERE hash = ?",
                        (sequence, head.events, before, last.hash),
                    )
                    if ended.rowcount != 1:
                        raise self._moved_error()
                    write(INSERT_ID, ids)
                    write(INSERT_COMMAND, commands)
                    write(INSERT_MOVEMENT, movements)
                    if snapshot:
                        bound = snapshot_hash(before, sequence, snapshot)
                        run("INSERT INTO snapshots VALUES (?, ?, ?)", (sequence, snapshot, bound))
            except sqlite3.IntegrityError:
                used = (entry for entry in entries if self._sequence_of(*entry.key) is not None)
                raise same_id_error(next(used, entries[-1])) from None
            self._head = head

    def _end(self) -> Head:
        """Return where the journal ends; "journal-moved" where nothing may be written to it."""
        head = head_of(self._connection)
        if head is None or next_of(self._connection) is not None:
            raise self._moved_error()
        return head

    def _moved_error(self) -> RecordError:
        following = next_of(self._connection)
        hint = (
            f"the table moved to {following[0]!r}: recover that journal"
            if following
            else "another table wrote to it, or a command was interrupted once it was written: "
            "recover(journal), and run one writer"
        )
        return moved_error(f"journal {self._path!r}", hint, self._path)

    def kept(self) -> Kept:
        """Return the last snapshot and the commands since it, their hashes checked.

        Where the table was moved to this file and killed before the earlier one was closed, that is
        closed now. Raises ``RecordError``: "journal-empty", "journal-changed", "journal-moved"
        where the earlier file has other commands since.
        """
        with self._read_only():
            found = check_chain(self._connection, self._path, tail=True)
            self._head = found.head if next_of(self._connection) is None else None
            entries = tuple(self._read(found.sequence + 1, found.head.sequence))
            meta = self.meta
        self._check_link(close=not self._read_only_file)
        return Kept(meta.get("house_toml", ""), found.snapshot, entries)

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
        """The facts of the table: house, fingerprint, TOML, session, table, opening, versions."""
        with self._lock, sqlite_errors(self._path):
            return dict(self._connection.execute("SELECT name, value FROM meta"))

    @property
    def opening(self) -> Opening:
        """The opening of the table when the journal began."""
        return opening_of(json.loads(self.meta["opening"] or "null"))

    @property
    def links(self) -> tuple[Link, ...]:
        """The earlier files of the session, the oldest first."""
        return links_of(self.meta)

    def check(self) -> Head:
        """Check every row against the hash chain; return where the journal ends.

        The end of the earlier file is compared with the link to it, where the file is still there;
        its rows are not read.

        Raises ``RecordError``: "journal-empty", "journal-changed" with the place of the first row
        that is changed, missing, out of order or too many.
        """
        with self._read_only():
            head = check_chain(self._connection, self._path).head
        self._check_link(close=False)
        return head

    def entries(self, first: int = 1) -> Iterator[Entry]:
        """Yield the commands of this file from a sequence number on, with their events."""
        query = "SELECT min(sequence) FROM commands WHERE sequence >= ?"
        while True:
            with self._read_only():
                found = value_of(self._connection, query, first)
                if found is None:
                    return
                entries = self._read(found, found + _AT_ONCE - 1)
            yield from entries
            first = found + _AT_ONCE

    def find(self, owner: str, id_: str) -> Entry | None:
        """Return the entry of a command by its player and its id, None where there is none.

        Raises ``RecordError`` ("in-earlier-journal") where it is in an earlier file that is gone.
        """
        with self._read_only():
            sequence = self._sequence_of(owner, id_)
            found = [] if sequence is None else self._read(sequence, sequence)
        if found or sequence is None:
            return found[0] if found else None
        for entry in self._carried():
            if entry.key == (owner, id_):
                return entry
        link = next((each for each in self.links if each.first < sequence <= each.last), None)
        if link is None:
            raise changed_error(f"command {sequence}", "is in the index of ids, and in no file")
        with self._earlier(link, f"command {sequence}") as earlier:
            return earlier.find(owner, id_)

    def since(self, shoe: int) -> Iterator[Entry]:
        """Yield the entries of a shoe of the session, and of all shoes after it."""
        query = "SELECT min(sequence) FROM commands WHERE shoe >= ?"
        with self._lock, sqlite_errors(self._path):
            first = value_of(self._connection, query, shoe)
        if self._begun()["shoe_number"] >= shoe:
            carried = self._carried()
            opened = (each for each in carried if isinstance(each.command, OpenShoe))
            # A machine opens one shoe again and again: all is there from its first coup alone.
            known = any((each.shoe, each.round.coup) <= (shoe, 0) for each in opened)
            if known or not self.links:
                yield from (entry for entry in carried if entry.shoe >= shoe)
            else:
                with self._earlier(self.links[-1], f"shoe {shoe}") as earlier:
                    yield from earlier.since(shoe)
        if first is not None:
            yield from self.entries(first)

    def coup(self, shoe: int, coup: int) -> Iterator[Entry]:
        """Yield the entries of one coup that are in this file, from the opening of its bets."""
        query = "SELECT min(sequence), max(sequence) FROM commands WHERE shoe = ? AND coup = ?"
        with self._read_only():
            first, last = self._connection.execute(query, (shoe, coup)).fetchone()
            return iter(self._read(first or 0, last or 0))

    def corrections(self) -> Iterator[Entry]:
        """Yield the corrections that are in this file; no other row is read."""
        query = "SELECT sequence FROM commands WHERE kind = 'correct' ORDER BY sequence"
        with self._read_only():
            found = [number for (number,) in self._connection.execute(query)]
            return iter([entry for number in found for entry in self._read(number, number)])

    def movements(self, after: str = "") -> Iterator[Movement]:
        """Yield the movements of the session in order, after the one of an id where it is given.

        Raises ``RecordError``: "unknown-movement", "in-earlier-journal" where they begin in an
        earlier file that is gone.
        """
        where = self._place_of(after) if after else None
        if where is None:
            where = (0, 0)
            yield from self._movements_before(after)
        query = (
            f"SELECT command, place, {_MOVEMENT} FROM movements"  # noqa: S608 - our columns
            " WHERE (command, place) > (?, ?) ORDER BY command, place LIMIT ?"
        )
        while True:
            with self._read_only():
                rows = self._connection.execute(query, (*where, _AT_ONCE)).fetchall()
            if not rows:
                return
            session = self.meta["session"]
            for row in rows:
                yield movement_of(row[2:], session)
            where = rows[-1][:2]

    def _movements_before(self, after: str) -> Iterator[Movement]:
        """Yield the movements of earlier files, after one of them."""
        moved = [each for entry in self._carried() for each in entry.movements]
        known = next((place for place, each in enumerate(moved, 1) if each.id == after), None)
        if known is not None:
            yield from moved[known:]
        elif self.links:
            with self._earlier(self.links[-1], f"movement {after!r}") as earlier:
                yield from earlier.movements(after)
        elif after:
            raise unknown_movement_error(after)
        else:
            yield from moved

    def last_coups(self, count: int) -> Iterator[Entry]:
        """Yield the entries since the bets of the last ``count`` coups opened."""
        query = (
            "SELECT shoe, coup, min(sequence) FROM commands WHERE coup > 0"
            " GROUP BY shoe, coup ORDER BY shoe DESC, coup DESC LIMIT ?"
        )
        with self._lock, sqlite_errors(self._path):
            rows = self._connection.execute(query, (count,)).fetchall()
        # The coup that was on when the table moved to this file opened in the earlier one.
        state = self._begun()
        split = bool(rows) and rows[-1][:2] == (state["shoe_number"], state["coup_number"])
        missing = count - len(rows) + split
        if missing > 0:
            yield from self._coups_before(missing)
        yield from self.entries(rows[-1][2] if rows and not missing else 1)

    def _coups_before(self, count: int) -> Iterator[Entry]:
        """Yield the entries of the last coups that opened in earlier files."""
        if self.links and Path(resolved(self.links[-1], self._path)).is_file():
            with self._earlier(self.links[-1], "a coup") as earlier:
                yield from earlier.last_coups(count)
            return
        carried = self._carried()
        opened = [number for number, entry in enumerate(carried) if _opens_bets(entry)]
        yield from carried[opened[-count] if len(opened) >= count else 0 :]

    def hand_over(self, new: SqliteJournal, state: TableState, entries: Sequence[Entry]) -> None:
        """Begin a new journal where this one ends, and close this one for good.

        The new file names this one and all before it, and has the ids of all commands. Raises
        ``RecordError``: "journal-moved" where this journal does not end at the state,
        "journal-in-use" where the new one holds a table, "no-rotation" where it is not of a file.
        """
        check_class(self, new)
        with self._lock, sqlite_errors(self._path):
            last = self._head or self._end()
            if last.events != state.events:
                raise self._moved_error()
            here = Link(
                *(named(self._path, new.path), int(self.meta["first"])),
                *(last.sequence, last.hash.hex()),
            )
            before = (moved_link(each, self._path, new.path) for each in self.links)
            with reading(self._connection, self._path):
                ids = ids_of(self._connection, last.sequence)
                begun = new._begin(state, entries, last.sequence, ids, (*before, here))
            if not close_file(self._connection, last, named(new.path, self._path), begun.hash):
                raise self._moved_error()
            self._head = None

    def _check_link(self, *, close: bool) -> None:
        links = self.links
        if links:
            own = value_of(self._connection, "SELECT hash FROM snapshots ORDER BY sequence")
            check_link(self._path, links[-1], own, close=close)

    @contextmanager
    def _earlier(self, link: Link, what: str) -> Iterator[SqliteJournal]:
        """Open an earlier file to read; "in-earlier-journal" where it is gone."""
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

    def _sequence_of(self, owner: str, id_: str) -> int | None:
        query = "SELECT command FROM ids WHERE player = ? AND id = ?"
        found: int | None = value_of(self._connection, query, owner, id_)
        return found

    def _place_of(self, movement: str) -> tuple[int, int] | None:
        """Return command and place of a movement of this file, found by the command in its id."""
        query = "SELECT command, place FROM movements WHERE command = ? AND id = ?"
        with self._lock, sqlite_errors(self._path):
            sequence = self._sequence_of_movement(movement)
            found = self._connection.execute(query, (sequence, movement)).fetchone()
        return None if found is None else (found[0], found[1])

    def _sequence_of_movement(self, movement: str) -> int | None:
        parts = movement.split("/")
        if len(parts) != _ID_PARTS:
            return None
        _session, player, command, _place = parts
        command, _, again = command.partition("@")  # the command of an old file, of a used id
        return (
            int(again)
            if again.isdecimal()
            else self._sequence_of(unquote(player), unquote(command))
        )

    def _first_snapshot(self) -> str:
        with self._lock, sqlite_errors(self._path):
            body = value_of(self._connection, "SELECT body FROM snapshots ORDER BY sequence")
        if body is None:
            raise no_table_error(f"journal {self._path!r}", self._path)
        return str(body)

    def _begun(self) -> dict[str, Any]:
        """Return the numbers of shoe and coup where this file begins."""
        state = object_of(self._first_snapshot()).get("state", {})
        return {name: state.get(name, 0) for name in ("shoe_number", "coup_number")}

    def _carried(self) -> tuple[Entry, ...]:
        """Return the entries that the table remembered when it began on this file."""
        return entries_of(self._first_snapshot())

    def _read(self, first: int, last: int) -> list[Entry]:
        run = self._connection.execute
        session = value_of(self._connection, "SELECT value FROM meta WHERE name = 'session'")
        moved: dict[int, list[Movement]] = {}
        for row in run(
            f"SELECT command, {_MOVEMENT} FROM movements"  # noqa: S608 - our columns
            " WHERE command BETWEEN ? AND ? ORDER BY command, place",
            (first, last),
        ):
            moved.setdefault(row[0], []).append(movement_of(row[1:], session))
        return [
            entry_of(
                *(sequence, Round(session, shoe, coup), body, first_event, events),
                tuple(moved.get(sequence, ())),
            )
            for sequence, shoe, coup, body, first_event, events in run(
                "SELECT sequence, shoe, coup, body, first_event, events FROM commands"
                " WHERE sequence BETWEEN ? AND ? ORDER BY sequence",
                (first, last),
            )
        ]
