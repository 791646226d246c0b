"""Replicas: a table that another process writes, followed from its journal.

The commands of the journal are done again, as they are after a restart, at a table of this process;
its observers see them as they see those of a table that is written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from trente_rules.core.errors import RecordError
from trente_rules.table.entries import Entry, Kept
from trente_rules.table.events import Announced, Event
from trente_rules.table.journal import recover
from trente_rules.table.journal_postgres import PostgresJournal
from trente_rules.table.movements import Movement
from trente_rules.table.state import TableState

_AT_ONCE: Final = 200
"""Commands that are read, and done again, at once."""


class FollowedJournal:
    """A journal that another process writes: what a replica does is in it already."""

    def __init__(self, reader: PostgresJournal) -> None:
        """Read a journal."""
        self._reader = reader
        self._known: dict[tuple[str, str], Entry] = {}

    def know(self, entries: Sequence[Entry]) -> None:
        """Take entries that the replica is about to do again."""
        self._known = {entry.key: entry for entry in entries}

    def begin(self, state: TableState, entries: Sequence[Entry]) -> None:
        """Refuse: the journal has a table."""
        del state, entries
        raise self._error("already holds a table", "journal-in-use")

    def append(self, entries: Sequence[Entry], state: TableState) -> None:
        """Compare what was done again with what the journal has.

        Raises ``RecordError``: "journal-read-only" for a command that is not there, "other-events"
        for other events.
        """
        del state
        for entry in entries:
            stored = self._known.get(entry.key)
            if stored is None or stored.command != entry.command:
                raise self._error("is written by another process", "journal-read-only")
            if _counted(stored.events) != _counted(entry.events) or (
                stored.movements != entry.movements
            ):
                what = f"has other events for command {stored.sequence}"
                raise self._error(what, "other-events")

    def kept(self) -> Kept:
        """Return the house, a snapshot and the commands since."""
        return self._reader.kept()

    def find(self, owner: str, id_: str) -> Entry | None:
        """Return the entry of a command by its player and its id."""
        return self._reader.find(owner, id_)

    def since(self, shoe: int) -> Iterator[Entry]:
        """Yield the entries of a shoe, and of all after it."""
        return self._reader.since(shoe)

    def movements(self, after: str = "") -> Iterator[Movement]:
        """Yield the movements after one."""
        return self._reader.movements(after)

    def _error(self, what: str, code: str) -> RecordError:
        hint = "its writer does what is asked"
        return RecordError(f"{self._reader.name} {what}", code, hint, self._reader.place)


def _counted(events: Sequence[Event]) -> list[Event]:
    """Return events without the announcements: a release may call otherwise."""
    return [each for each in events if not isinstance(each, Announced)]


class Replica:
    """A table that follows a journal; not of several threads at once."""

    def __init__(self, reader: PostgresJournal) -> None:
        """Read the table as it is now; raises what ``recover`` raises."""
        self.reader = reader
        self._journal = FollowedJournal(reader)
        self.table = recover(self._journal)

    def catch_up(self) -> int:
        """Do again what was committed since; return how many commands that were.

        Raises ``RecordError`` as every reader does, and "other-events".
        """
        done = 0
        while found := list(islice(self.reader.entries(self.table.sequence + 1), _AT_ONCE)):
            self._journal.know(found)
            self.table.do_many([entry.command for entry in found])
            done += len(found)
        return done

    def close(self) -> None:
        """Read no more."""
        self.reader.close()
