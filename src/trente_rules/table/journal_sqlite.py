"""``SqliteJournal``: the journal of a table in one SQLite file, one transaction a command."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from threading import RLock
from types import TracebackType
from typing import Final, Literal, Self

from trente_rules._version import __version__
from trente_rules.errors import RecordError
from trente_rules.house.toml import dumps_house
from trente_rules.table.commands import Command, OpenShoe
from trente_rules.table.events import Event
from trente_rules.table.journal import in_use, nothing, snapshot_of
from trente_rules.table.journal_chain import (
    Head,
    check_chain,
    check_tail,
    command_hash,
    event_hash,
    head_of,
    meta_hash,
    snapshot_hash,
)
from trente_rules.table.journal_file import SCHEMA, open_file, reading, said, transaction
from trente_rules.table.journal_text import Entry, Kept, command_text, entry_of, event_text
from trente_rules.table.state import TableState
from trente_rules.table.table import Answered

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
            "opening": str(setup.opening.minimum or ""),
            "schema": str(SCHEMA),
            "table": setup.table,
        }
        body = snapshot_of(state, answered)
        first = snapshot_hash(meta_hash(meta.items()), 0, body)
        head = Head(0, state.events, first)
        run = self._connection.execute
        with self._lock, said(self._path), transaction(self._connection):
            if head_of(self._connection) is not None:
                raise in_use(f"journal {self._path!r}", setup.table)
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
        with self._lock, said(self._path):
            last = self._head or head_of(self._connection)
            if last is None or last.events != first:
                raise self._moved()
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
                raise self._moved()
            run("INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            self._connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
            if kept:
                hung = snapshot_hash(head.hash, head.sequence, kept)
                run("INSERT INTO snapshots VALUES (?, ?, ?)", (head.sequence, kept, hung))

    def _moved(self) -> RecordError:
        return RecordError(
            f"journal {self._path!r} does not end where this table stands",
            "journal-moved",
            "another table wrote to it, or a command was broken off once it was written: "
            "recover(journal), and run one writer",
            self._path,
        )

    def kept(self) -> Kept:
        """Answer the last snapshot and the commands since it, their hashes checked.

        Raises ``RecordError``: "journal-empty", "journal-changed".
        """
        with self._lock, said(self._path), reading(self._connection, self._path):
            head = head_of(self._connection)
            if head is None:
                raise nothing(f"journal {self._path!r}")
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
        with self._lock, said(self._path):
            return head_of(self._connection)

    @property
    def meta(self) -> dict[str, str]:
        """What is told of the table: house, fingerprint, its TOML, table, opening, versions."""
        with self._lock, said(self._path):
            return self._meta()

    def check(self) -> Head:
        """Check every row against the hash chain; answer where the journal ends.

        Raises ``RecordError``: "journal-empty", "journal-changed" with the place of the first row
        that is changed, missing, out of order or too many.
        """
        with self._lock, said(self._path), reading(self._connection, self._path):
            return check_chain(self._connection)

    def entries(self, first: int = 1) -> Iterator[Entry]:
        """Answer the commands kept, from a sequence number on, with their events."""
        while True:
            with self._lock, said(self._path), reading(self._connection, self._path):
                found = self._read(first, first + _AT_ONCE - 1)
            if not found:
                return
            yield from found
            first = found[-1].sequence + 1

    def last_coups(self, count: int) -> Iterator[Entry]:
        """Answer the entries since the bets of the last ``count`` coups opened."""
        with self._lock, said(self._path):
            row = self._connection.execute(
                "SELECT command FROM events WHERE kind = 'bets-opened'"
                " ORDER BY number DESC LIMIT 1 OFFSET ?",
                (count - 1,),
            ).fetchone()
        return self.entries(row[0] if row else 1)

    def close(self) -> None:
        """Close the file; closing twice is no error."""
        with self._lock, said(self._path):
            self._connection.close()

    def __enter__(self) -> Self:
        """Answer the journal itself."""
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
