"""Journals of earlier schemas in the form of today.

Releases 0.1.0 to 0.3.0 wrote schema 1; of schema 2 (0.4.0) only tables are missing.

Bodies of commands and events stay as they are, byte for byte; each says which schema it is of. What
was not stored is worked out: the session is named after the first snapshot, the coup of a command
is that of the last bets opened, and movements follow from the events. The hash chain is made again;
the old one is checked first, and the meta keeps its end.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, Final

from attrs import evolve

from trente_rules.table.commands import Correct
from trente_rules.table.entries import Entry, entry_of
from trente_rules.table.events import BetsOpened, CoupSettled, CoupVoided, ShoeOpened
from trente_rules.table.journal_chain import (
    Head,
    chain_hash,
    changed_error,
    command_hash,
    first_hash,
    ids_digest,
    object_of,
    snapshot_hash,
)
from trente_rules.table.journal_file import (
    FileConnection,
    add_later_tables,
    make_tables,
    open_file,
    schema_of_file,
    sqlite_errors,
    transaction,
)
from trente_rules.table.journal_rows import (
    INSERT_COMMAND,
    INSERT_MOVEMENT,
    SCHEMA,
    rows_of,
    value_of,
)
from trente_rules.table.movements import Movement, movements_of, prefix_of, reversal
from trente_rules.table.rounds import Round
from trente_rules.table.snapshot import migrated, session_of

_TABLES: Final = ("meta", "commands", "events", "snapshots", "head")
_OLD: Final = "schema_1_"


def upgrade(connection: FileConnection, path: str) -> None:
    """Bring a file of an earlier schema to that of today, in one transaction.

    Raises ``RecordError`` ("journal-changed") where it is not as it was written: it is left alone.
    """
    with transaction(connection):
        schema = schema_of_file(connection, path)
        if schema == SCHEMA:  # another process was first
            return
        if schema > 1:
            add_later_tables(connection)
            return
        for table in _TABLES:
            connection.execute(f"ALTER TABLE {table} RENAME TO {_OLD}{table}")
        make_tables(connection)
        _fill(connection, connection, _OLD)
        for table in _TABLES:
            connection.execute(f"DROP TABLE {_OLD}{table}")


def upgraded_copy(connection: FileConnection) -> FileConnection:
    """Return a copy, in a temporary file, of a journal of schema 1, in the form of today."""
    copy = sqlite3.connect(
        "", isolation_level=None, check_same_thread=False, factory=FileConnection
    )
    copy.opened, copy.frozen = connection.opened, True
    try:
        connection.execute("BEGIN")
        with transaction(copy):
            make_tables(copy)
            _fill(connection, copy, "")
    except BaseException:
        copy.close()
        raise
    finally:
        connection.execute("ROLLBACK")
    return copy


def write_copy(old: str, new: str) -> None:
    """Write a journal, which is only read, to a new file; one of schema 1 in the form of today.

    Raises ``RecordError``: those of opening a journal, "journal-changed".
    """
    with sqlite_errors(old), closing(open_file(old, read_only=True, wait=1.0)) as source:
        if schema_of_file(source, old) == 1:
            with closing(upgraded_copy(source)) as copy:
                _back_up(copy, new)
        else:
            _back_up(source, new)


def _back_up(source: sqlite3.Connection, new: str) -> None:
    with sqlite_errors(new), closing(open_file(new, read_only=False, wait=1.0)) as target:
        source.backup(target)
        target.execute("PRAGMA journal_mode = WAL")


def _fill(source: sqlite3.Connection, target: sqlite3.Connection, prefix: str) -> None:
    """Write all of a journal of schema 1, whose tables have this prefix, to new tables."""
    old = _Old(source, prefix)
    if old.end is None:
        if next(old.rows("commands", "sequence"), None) is not None:
            raise changed_error("head", "is missing")
        return  # no table began on it
    first = old.first_snapshot()
    session = session_of(first)
    body = migrated(first, session, 0)
    meta = old.meta | {
        "schema": str(SCHEMA),
        "session": session,
        "first": "0",
        "ids": ids_digest(()),
        "moved_from": str(old.end.sequence + 1),
        "schema_1_head": f"{old.end.sequence} {old.end.hash.hex()}",
    }
    before = first_hash(meta.items(), 0, body)
    target.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
    target.execute("INSERT INTO snapshots VALUES (0, ?, ?)", (body, before))
    money = _Money(session, object_of(body).get("state", {}))
    for sequence, shoe, text, first_event, events in old.commands():
        told = f"[{','.join(events)}]"
        entry = money.moved(entry_of(sequence, Round(session, shoe, 0), text, first_event, told))
        known = "SELECT 1 FROM ids WHERE player = ? AND id = ?"
        if value_of(target, known, *entry.key):  # ids were unique in a shoe: the first is found
            entry = _renamed(entry)
        else:
            target.execute("INSERT INTO ids VALUES (?, ?, ?)", (*entry.key, sequence))
        row, rows = rows_of(entry, sequence, text, told)
        before = command_hash(before, row, rows)
        target.execute(INSERT_COMMAND, (*row, before))
        target.executemany(INSERT_MOVEMENT, rows)
        money.remember(entry)
        if sequence in old.snapshots:
            body = migrated(old.snapshots[sequence], session, sequence)
            bound = snapshot_hash(before, sequence, body)
            target.execute("INSERT INTO snapshots VALUES (?, ?, ?)", (sequence, body, bound))
    end = (old.end.sequence, old.end.events, before)
    target.execute("INSERT INTO head VALUES (1, ?, ?, ?)", end)


def _renamed(entry: Entry) -> Entry:
    """Return an entry whose movements have ids that those of another command do not have."""
    movements = tuple(
        evolve(each, id=f"@{entry.sequence}/".join(each.id.rsplit("/", 1)))
        for each in entry.movements
    )
    return evolve(entry, movements=movements)


class _Money:
    """The movements of entries that were stored without: by their events, as each comes."""

    def __init__(self, session: str, state: dict[str, Any]) -> None:
        """Begin at the state of a snapshot."""
        self.round = Round(session, state.get("shoe_number", 0), state.get("coup_number", 0))
        self.settled: dict[str, list[Movement]] = {}
        """What the last settlement moved, and its corrections left, by stake."""

    def moved(self, entry: Entry) -> Entry:
        """Return the next entry with its round and its movements."""
        around, command = self.round, entry.command
        moved = movements_of(around, command.key, entry.events)
        if isinstance(command, Correct):
            moved = self._corrected(moved)
            prefix = prefix_of(around.session, command.key)
            moved = tuple(evolve(each, id=f"{prefix}{n}") for n, each in enumerate(moved))
        coup = around.coup
        for event in entry.events:
            if isinstance(event, ShoeOpened) and event.shoe != around.shoe:
                coup = 0
            elif isinstance(event, BetsOpened):
                coup = event.coup
        self.round = Round(around.session, entry.shoe, coup)
        return evolve(entry, round=self.round, movements=moved)

    def _corrected(self, moved: tuple[Movement, ...]) -> tuple[Movement, ...]:
        """Return the movements of a correction: what is not as before is taken back, and done."""
        new = _by_stake(moved)
        for stake, before in self.settled.items():
            after = new.get(stake, [])
            if [(each.units, each.reason) for each in before] == [
                (each.units, each.reason) for each in after
            ]:
                new.pop(stake, None)
            else:
                new[stake] = [*(reversal(each, "") for each in before), *after]
        return tuple(each for every in new.values() for each in every)

    def remember(self, entry: Entry) -> None:
        """Note what a settlement moved, for a correction."""
        if any(isinstance(event, CoupSettled | CoupVoided) for event in entry.events):
            made = _by_stake(each for each in entry.movements if not each.reverses)
            if isinstance(entry.command, Correct):
                taken = {each.reverses for each in entry.movements}
                for stake, before in self.settled.items():
                    left = [each for each in before if each.id not in taken]
                    if left:
                        made[stake] = left
            self.settled = made


def _by_stake(movements: Iterable[Movement]) -> dict[str, list[Movement]]:
    found: dict[str, list[Movement]] = {}
    for each in movements:
        found.setdefault(each.stake, []).append(each)
    return found


class _Old:
    """The rows of a journal of schema 1, each checked against its hash chain."""

    def __init__(self, connection: sqlite3.Connection, prefix: str) -> None:
        """Read all but commands and events."""
        self._connection, self._prefix = connection, prefix
        end = next(self.rows("head", "only"), None)
        self.end = None if end is None else Head(*end[1:])
        self.meta: dict[str, str] = dict(self.rows("meta", "name"))
        self._bound = {row[0]: row[1:] for row in self.rows("snapshots", "sequence")}
        self.snapshots: dict[int, str] = {number: row[0] for number, row in self._bound.items()}

    def rows(self, table: str, order: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a table in order."""
        return iter(
            self._connection.execute(
                f"SELECT * FROM {self._prefix}{table} ORDER BY {order}"  # noqa: S608 - our names
            )
        )

    def first_snapshot(self) -> str:
        """Return the first snapshot, which is bound to the meta."""
        if 0 not in self._bound:
            raise changed_error("snapshot 0", "is missing")
        body, own = self._bound[0]
        if first_hash(self.meta.items(), 0, body) != own:
            raise changed_error("snapshot 0", "or the meta was changed")
        return str(body)

    def commands(self) -> Iterator[tuple[int, int, str, int, list[str]]]:
        """Yield sequence, shoe, command, first event and events, as texts."""
        sequence, before = 0, self._bound[0][1]
        state = object_of(self._bound[0][0]).get("state", {})
        number = state.get("events", -1)
        events = self.rows("events", "number")
        event = next(events, None)
        for found, shoe, id_, at, kind, body, first, own in self.rows("commands", "sequence"):
            sequence += 1
            place = f"command {sequence}"
            if found != sequence:
                raise changed_error(place, "is missing")
            if first != number:
                raise changed_error(f"event {min(first, number)}", f"is missing before {place}")
            before = chain_hash(before, f"{place} {shoe} {number}", body)
            value = object_of(body)
            if before != own or [value.get("id"), value.get("at", ""), value.get("kind")] != [
                *(id_, at, kind)
            ]:
                raise changed_error(place, "or a row before it was changed")
            texts: list[str] = []
            while event is not None and event[1] == sequence:
                before = chain_hash(before, f"event {number} {sequence}", event[3])
                if event[0] != number or before != event[4]:
                    raise changed_error(f"event {number}", "was changed, or is missing")
                texts.append(event[3])
                number += 1
                event = next(events, None)
            if sequence in self._bound:
                text, bound = self._bound.pop(sequence)
                if snapshot_hash(before, sequence, text) != bound:
                    raise changed_error(f"snapshot {sequence}", "was changed")
            yield sequence, shoe, body, first, texts
        if event is not None:
            raise changed_error(f"event {event[0]}", "belongs to another command")
        if set(self._bound) - {0}:
            raise changed_error(f"snapshot {max(self._bound)}", "belongs to no command")
        if Head(sequence, number, before) != self.end:
            raise changed_error("head", "is not where the rows end")
