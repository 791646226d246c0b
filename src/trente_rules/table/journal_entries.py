"""The entries of a journal in an SQL database, and what else is read of a session.

What a journal does not hold itself is read in the earlier one.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import RLock
from typing import Any, Final
from urllib.parse import unquote

from trente_rules.core.errors import RecordError
from trente_rules.core.stakes import Opening
from trente_rules.fair.card_seal import CardSeal
from trente_rules.table.codec import opening_of
from trente_rules.table.commands import OpenShoe
from trente_rules.table.entries import Entry, entry_of, events_of
from trente_rules.table.events import BetsOpened, Event
from trente_rules.table.journal import no_table_error, unknown_movement_error
from trente_rules.table.journal_chain import Link, changed_error, links_of, object_of
from trente_rules.table.journal_following import Following
from trente_rules.table.journal_rows import META, Connection, movement_of, value_of
from trente_rules.table.movements import Movement
from trente_rules.table.rounds import Round
from trente_rules.table.sealed import opened_snapshot
from trente_rules.table.snapshot import entries_of

_AT_ONCE: Final = 500
"""Commands, or movements, that are read in one query."""
_ID_PARTS: Final = 4
_MOVEMENT: Final = "id, shoe, coup, stake, player, units, reason, reverses"


class _Meta(dict[str, str]):
    """The facts of a table, by name: one that is missing is a fault of the journal."""

    def __missing__(self, name: str) -> str:
        raise changed_error("meta", f"does not name the {name.replace('_', ' ')} of the table")


def _opens_bets(entry: Entry) -> bool:
    return any(isinstance(event, BetsOpened) for event in entry.events)


class StoredEntries(Following):
    """The commands, events and movements of a session, as far as a journal leads to them."""

    _connection: Connection
    _lock: RLock
    _seal: CardSeal | None

    @abstractmethod
    def _earlier(self, link: Link, what: str) -> AbstractContextManager[StoredEntries]:
        """Open an earlier journal to read; "in-earlier-journal" where it is gone."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the journal in messages, such as ``journal 'evening.journal'``."""

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the journal is, for the place of an error."""

    @abstractmethod
    def _errors(self) -> AbstractContextManager[None]:
        """Raise the errors of the database as ``RecordError``."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[None]:
        """Read what was committed before, whoever writes meanwhile."""

    @abstractmethod
    def _is_there(self, link: Link) -> bool:
        """Return whether an earlier journal is still there."""

    def _unsealed(self, snapshot: str) -> str:
        """Return a snapshot with the cards open, where there is a key for them."""
        return snapshot if self._seal is None else opened_snapshot(snapshot, self._seal)

    @contextmanager
    def _read(self) -> Iterator[None]:
        with self._lock, self._errors(), self._reading():
            yield

    @property
    def meta(self) -> dict[str, str]:
        """The facts of the table: house, fingerprint, TOML, session, table, opening, versions.

        One that a damaged journal does not name is a ``RecordError`` ("journal-changed").
        """
        with self._lock, self._errors():
            return _Meta(self._connection.execute(META))

    @property
    def opening(self) -> Opening:
        """The opening of the table when the journal began.

        Raises ``RecordError``: "journal-empty", "journal-broken".
        """
        meta = self.meta
        if not meta:
            raise no_table_error(self.name, self.place)
        try:
            return opening_of(json.loads(meta["opening"] or "null"))
        except Exception as error:
            what = f"{self.name}: the opening of its table cannot be read"
            raise RecordError(what, "journal-broken", "restore a copy", self.place) from error

    @property
    def links(self) -> tuple[Link, ...]:
        """The earlier files of the session, the oldest first."""
        return links_of(self.meta)

    @property
    def gone(self) -> tuple[Link, ...]:
        """The earlier files of the session that are not where this one names them."""
        return tuple(link for link in self.links if not self._is_there(link))

    @property
    def shoes(self) -> tuple[int, ...]:
        """The numbers of the shoes with a command in this file, in their order."""
        query = "SELECT DISTINCT shoe FROM commands WHERE shoe > 0 ORDER BY shoe"
        with self._read():
            return tuple(number for (number,) in self._connection.execute(query))

    def entries(self, first: int = 1) -> Iterator[Entry]:
        """Yield the commands of this file from a sequence number on, with their events."""
        query = "SELECT min(sequence) FROM commands WHERE sequence >= ?"
        while True:
            with self._read():
                found = value_of(self._connection, query, first)
                if found is None:
                    return
                entries = self._rows(found, found + _AT_ONCE - 1)
            yield from entries
            first = found + _AT_ONCE

    def events(self, kinds: Collection[str], last: int) -> Iterator[Event]:
        """Yield the events of these kinds in this file, up to a command of the session.

        It takes a third of the time of ``entries``: what is not asked for is not built.
        """
        query = (
            "SELECT sequence, body, events FROM commands"
            " WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?"
        )
        done = -1
        while True:
            with self._read():
                rows = self._connection.execute(query, (done, last, _AT_ONCE)).fetchall()
            if not rows:
                return
            for sequence, body, events in rows:
                yield from events_of(sequence, body, events, kinds)
            done = rows[-1][0]

    def find(self, owner: str, id_: str) -> Entry | None:
        """Return the entry of a command by its player and its id, None if it is unknown.

        Raises ``RecordError`` ("in-earlier-journal") where it is in an earlier file that is gone.
        """
        with self._read():
            sequence = self._sequence_of(owner, id_)
            found = [] if sequence is None else self._rows(sequence, sequence)
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
        with self._lock, self._errors():
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

    def shoe_begun(self, shoe: int) -> str | None:
        """Return a snapshot of the beginning of a shoe, if one is in this file.

        It is that of the command that opened it, or of others done together with that one, among
        which nothing was posted.
        """
        opened = "SELECT min(sequence) FROM commands WHERE shoe = ? AND kind = 'open-shoe'"
        next_one = "SELECT sequence, body FROM snapshots WHERE sequence >= ? ORDER BY sequence"
        posted = "SELECT count(*) FROM commands WHERE sequence BETWEEN ? AND ? AND kind = 'post'"
        with self._read():
            first = value_of(self._connection, opened, shoe)
            if first is None:
                return None
            row = self._connection.execute(f"{next_one} LIMIT 1", (first,)).fetchone()
            if row is None or value_of(self._connection, posted, first, row[0]):
                return None
            return str(row[1])

    def coup(self, shoe: int, coup: int) -> Iterator[Entry]:
        """Yield the entries of one coup that are in this file, from the opening of its bets."""
        query = "SELECT min(sequence), max(sequence) FROM commands WHERE shoe = ? AND coup = ?"
        with self._read():
            first, last = self._connection.execute(query, (shoe, coup)).fetchone()
            return iter(self._rows(first or 0, last or 0))

    def corrections(self) -> Iterator[Entry]:
        """Yield the corrections that are in this file; no other row is read."""
        query = "SELECT sequence FROM commands WHERE kind = 'correct' ORDER BY sequence"
        with self._read():
            found = [number for (number,) in self._connection.execute(query)]
            return iter([entry for number in found for entry in self._rows(number, number)])

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
            with self._read():
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
        with self._lock, self._errors():
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
        if self.links and self._is_there(self.links[-1]):
            with self._earlier(self.links[-1], "a coup") as earlier:
                yield from earlier.last_coups(count)
            return
        carried = self._carried()
        opened = [number for number, entry in enumerate(carried) if _opens_bets(entry)]
        yield from carried[opened[-count] if len(opened) >= count else 0 :]

    def _sequence_of(self, owner: str, id_: str) -> int | None:
        query = "SELECT command FROM ids WHERE player = ? AND id = ?"
        found: int | None = value_of(self._connection, query, owner, id_)
        return found

    def _place_of(self, movement: str) -> tuple[int, int] | None:
        """Return command and place of a movement of this file, found by the command in its id."""
        query = "SELECT command, place FROM movements WHERE command = ? AND id = ?"
        with self._lock, self._errors():
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
        with self._lock, self._errors():
            query = "SELECT body FROM snapshots ORDER BY sequence LIMIT 1"
            body = value_of(self._connection, query)
        if body is None:
            raise no_table_error(self.name, self.place)
        return str(body)

    def _begun(self) -> dict[str, Any]:
        """Return the numbers of shoe and coup where this file begins."""
        state = object_of(self._first_snapshot()).get("state", {})
        return {name: state.get(name, 0) for name in ("shoe_number", "coup_number")}

    def _carried(self) -> tuple[Entry, ...]:
        """Return the entries that the table remembered when it began on this file."""
        return entries_of(self._unsealed(self._first_snapshot()))

    def _rows(self, first: int, last: int) -> list[Entry]:
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
                seal=self._seal,
            )
            for sequence, shoe, coup, body, first_event, events in run(
                "SELECT sequence, shoe, coup, body, first_event, events FROM commands"
                " WHERE sequence BETWEEN ? AND ? ORDER BY sequence",
                (first, last),
            )
        ]
