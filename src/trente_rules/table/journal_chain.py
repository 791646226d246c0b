"""The hash chain of a journal: SHA-256 over the stored bytes, each row bound to all before it.

A row's hash is SHA-256 of the hash before it, a line that names the row by its integers, and the
bytes of its text as they are stored. The chain runs from the meta and the first snapshot through
each command and its events. A snapshot hangs on the hash of the command it was taken after. Who can
write to the file can also make a new chain: to find that too, keep ``head`` somewhere else.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

from attrs import frozen

from trente_rules.errors import RecordError

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
    """Answer the hash of the meta, in the order of its names."""
    text = json.dumps(sorted(meta), ensure_ascii=False, separators=(",", ":"))
    return sha256(FIRST + b"meta\n" + text.encode()).digest()


def snapshot_hash(before: bytes, sequence: int, body: str) -> bytes:
    """Answer the hash of a snapshot taken after a command."""
    return sha256(before + b"snapshot %d\n" % sequence + body.encode()).digest()


def command_hash(before: bytes, sequence: int, shoe: int, first_event: int, body: str) -> bytes:
    """Answer the hash of a command."""
    name = b"command %d %d %d\n" % (sequence, shoe, first_event)
    return sha256(before + name + body.encode()).digest()


def event_hash(before: bytes, number: int, command: int, body: str) -> bytes:
    """Answer the hash of an event."""
    return sha256(before + b"event %d %d\n" % (number, command) + body.encode()).digest()


def check_chain(connection: sqlite3.Connection) -> Head:
    """Go through a whole journal; answer its head.

    Raises ``RecordError``: "journal-empty", or "journal-changed" for the first row that is missing,
    changed, out of order or too many; ``place`` names it.
    """
    head = head_of(connection)
    if head is None:
        if connection.execute("SELECT 1 FROM commands LIMIT 1").fetchone():
            raise _changed("head", "is missing")
        raise RecordError("the journal holds no table", "journal-empty", "begin one")
    body, first = _start(connection)
    _follow(connection, Head(0, _events(body), first), head)
    return head


def check_tail(connection: sqlite3.Connection, sequence: int) -> str:
    """Check what a recovery reads, from the snapshot taken after a command; answer its text.

    Raises ``RecordError`` ("journal-changed").
    """
    head = head_of(connection)
    if head is None:
        raise _changed("head", "is missing")
    body, before = _start(connection)
    events = _events(body)
    if sequence:
        body, kept = _snapshot(connection, sequence)
        events = _events(body)
        row = connection.execute("SELECT hash FROM events WHERE number = ?", (events - 1,))
        (before,) = row.fetchone() or (b"",)
        if snapshot_hash(before, sequence, body) != kept:
            raise _changed(f"snapshot {sequence}", "was changed")
    _follow(connection, Head(sequence, events, before), head)
    return body


def head_of(connection: sqlite3.Connection) -> Head | None:
    """Answer where a journal says that it ends; None where it holds no table."""
    row = connection.execute("SELECT sequence, events, hash FROM head").fetchone()
    return None if row is None else Head(*row)


def _start(connection: sqlite3.Connection) -> tuple[str, bytes]:
    """Answer the first snapshot and its hash, after the meta was checked with it."""
    body, kept = _snapshot(connection, 0)
    meta = connection.execute("SELECT name, value FROM meta").fetchall()
    if snapshot_hash(meta_hash(meta), 0, body) != kept:
        raise _changed("snapshot 0", "or the meta was changed")
    return body, kept


def _snapshot(connection: sqlite3.Connection, sequence: int) -> tuple[str, bytes]:
    found: tuple[str, bytes] | None = connection.execute(
        "SELECT body, hash FROM snapshots WHERE sequence = ?", (sequence,)
    ).fetchone()
    if found is None:
        raise _changed(f"snapshot {sequence}", "is missing")
    return found


def _events(snapshot: str) -> int:
    """Answer how many events there were when a snapshot was taken; -1 where it does not say."""
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
                raise _changed(f"snapshot {sequence}", "was changed")
            snapshot = snapshots.fetchone()
    if event is not None:
        raise _changed(f"event {event[0]}", f"belongs to command {event[1]}, out of order")
    if snapshot is not None:
        raise _changed(f"snapshot {snapshot[0]}", "belongs to no command")
    if Head(sequence, number, before) != end:
        raise _changed("head", f"tells of {end.sequence} commands; {sequence} are here")


def _follow_command(row: tuple[Any, ...], sequence: int, number: int, before: bytes) -> bytes:
    place = f"command {sequence}"
    if row[0] != sequence:
        raise _changed(place, "is missing")
    if row[6] != number:
        raise _changed(f"event {min(row[6], number)}", f"is missing, or too many, before {place}")
    found = command_hash(before, sequence, row[1], number, row[5])
    told = _object(row[5])
    plain = (told.get("id"), told.get("at", ""), told.get("kind"))
    if found != row[7] or plain != row[2:5]:
        raise _changed(place, "or a row before it was changed, or they changed places")
    return found


def _follow_event(row: tuple[Any, ...], number: int, before: bytes) -> bytes:
    place = f"event {number}"
    if row[0] != number:
        raise _changed(place, "is missing")
    found = event_hash(before, number, row[1], row[3])
    if found != row[4] or _object(row[3]).get("kind") != row[2]:
        raise _changed(place, "was changed, or changed places with another")
    return found


def _object(text: str) -> dict[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _changed(place: str, what: str) -> RecordError:
    return RecordError(
        f"{place} {what}", "journal-changed", "go back to a copy that is whole", place
    )
