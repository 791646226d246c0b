"""Recovery: a table as its journal left it; and a journal in memory, the model of every other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

import attrs

from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import dumps_house, loads_house
from trente_rules.table.commands import Command
from trente_rules.table.events import Event
from trente_rules.table.snapshot import restore, snapshot
from trente_rules.table.state import TableState
from trente_rules.table.table import (
    Answered,
    Entry,
    Journal,
    Kept,
    Table,
    command_text,
    entry_of,
    event_text,
)


def recover(journal: Journal, house: House | None = None) -> Table:
    """Return the table that a journal holds, as it was after the last command kept.

    The commands since the snapshot are done again, and must give the events that are kept; the
    commands of this shoe are known by their ids again. Without a house, the one in the journal is
    read; one that is given must have the same fingerprint. The table writes to the same journal.

    Raises ``RecordError``: "journal-empty", "other-house", "other-events" where a command gives
    other events than were kept (``place`` names command, event and field), and what the journal
    raises; ``ConfigurationError`` where the house cannot be built here.
    """
    kept = journal.kept()
    table = restore(kept.snapshot, house or loads_house(kept.house, origin="<journal>"))
    for entry in kept.entries:
        _again(table, entry)
    return Table.going_on(table.state, table.answered, journal)


def _again(table: Table, entry: Entry) -> None:
    """Do a command of the journal again; ``RecordError`` where something else comes of it."""
    place = f"command {entry.sequence}"
    first = table.state.events
    if first != entry.first_event:
        raise _other(place, f"its first event has index {entry.first_event}, and should {first}")
    try:
        events = table.do(entry.command)
    except TrenteError as error:
        raise _other(place, f"it is refused: {error.message} [{error.code}]") from error
    if table.state.events == first:
        raise _other(place, f"its id {entry.command.id!r} is that of an earlier one")
    if events != entry.events:
        index, name, kept, now = _difference(entry.events, events)
        place = f"{place}, event {first + index}, {name}"
        raise _other(place, f"kept is {kept!r:.100}, now it is {now!r:.100}")
    if table.state.shoe_number != entry.shoe:
        raise _other(f"{place}, shoe", f"kept is {entry.shoe}, not {table.state.shoe_number}")


def _other(place: str, what: str) -> RecordError:
    return RecordError(
        f"{place}: {what}",
        "other-events",
        "recover with the version that wrote the journal, and check the journal",
        place,
    )


def _difference(kept: Sequence[Event], now: Sequence[Event]) -> tuple[int, str, Any, Any]:
    """Return the first difference: which event, which field, both values."""
    for index, (old, new) in enumerate(zip_longest(kept, now)):
        if type(old) is not type(new):
            return index, "kind", getattr(old, "kind", None), getattr(new, "kind", None)
        for name in attrs.fields_dict(type(old)):
            if getattr(old, name) != getattr(new, name):
                return index, name, getattr(old, name), getattr(new, name)
    return len(kept), "kind", None, None  # not reached: they are known to differ


class MemoryJournal:
    """A journal in memory: nothing survives the process. For tests, and as a model for a host's.

    It keeps texts, as a store would, and no snapshot but the first: ``recover`` then does every
    command again. A journal of many shoes should keep one each time a shoe is opened.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._house = ""
        self._snapshot = ""
        self._rows: list[tuple[int, str, int, tuple[str, ...]]] = []

    def begin(self, state: TableState, answered: Answered) -> None:
        """Keep the state a table begins with; ``RecordError`` ("journal-in-use") if one is."""
        if self._snapshot:
            raise in_use("this journal in memory", state.setup.table)
        self._house = dumps_house(state.house)
        self._snapshot = snapshot_of(state, answered)

    def append(self, command: Command, events: tuple[Event, ...], state: TableState) -> None:
        """Keep a command and its events."""
        texts = tuple(map(event_text, events))
        first = state.events - len(events)
        self._rows.append((state.shoe_number, command_text(command), first, texts))

    def kept(self) -> Kept:
        """Return what ``recover`` needs; ``RecordError`` ("journal-empty") where nothing is."""
        if not self._snapshot:
            raise nothing("this journal in memory")
        return Kept(self._house, self._snapshot, tuple(self.entries()))

    def entries(self) -> Iterator[Entry]:
        """Return every command kept, with its events."""
        for sequence, row in enumerate(self._rows, 1):
            yield entry_of(sequence, *row)


def snapshot_of(state: TableState, answered: Answered) -> str:
    """Return the snapshot of a table in this state."""
    return snapshot(Table(state.house, state=state, answered=answered))


def in_use(name: str, table: str) -> RecordError:
    """Return the error of a new table on a journal that holds one."""
    return RecordError(
        f"{name} holds a table already, and {table!r} would begin anew",
        "journal-in-use",
        "go on with recover(journal), or give the new table a journal of its own",
    )


def nothing(name: str) -> RecordError:
    """Return the error of a recovery from a journal that holds no table."""
    return RecordError(f"{name} holds no table", "journal-empty", "begin one: Table(..., journal=)")
