"""Recovery of a table from its journal; and a journal in memory, the model of all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

import attrs

from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import dumps_house, loads_house
from trente_rules.table.commands import Command, OpenShoe
from trente_rules.table.decide import decide
from trente_rules.table.events import Announced, Event
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
    """Return the table of a journal, as it was after the last command.

    The commands since the snapshot are done again, and must give the stored events: money, cards
    and phases, but not the announcements, which a house or a language may change or leave out. The
    stored events are those that the table returns for a command that is sent again. Without a
    house, the one in the journal is read; a house that is given must have the same fingerprint.
    The table writes to the same journal.

    Raises ``RecordError``: "journal-empty", "other-house", "other-events" where a command gives
    other events than were stored (``place`` names command, event and field), and what the journal
    raises; ``ConfigurationError`` where the house cannot be built here.
    """
    kept = journal.kept()
    table = restore(kept.snapshot, house or loads_house(kept.house, origin="<journal>"))
    state, answered = table.state, table.answered
    for entry in kept.entries:
        state = _again(state, answered, entry)
        if isinstance(entry.command, OpenShoe):
            answered = {}
        answered[entry.command.id] = entry.command, entry.events
    return Table.going_on(state, answered, journal)


def _again(state: TableState, answered: Answered, entry: Entry) -> TableState:
    """Do a command of the journal again; ``RecordError`` where its result differs."""
    place, first = f"command {entry.sequence}", state.events
    if first != entry.first_event:
        what = f"the index of its first event is {entry.first_event}, not {first}"
        raise _other_error(place, what)
    if entry.command.id in answered:
        raise _other_error(place, f"its id {entry.command.id!r} is that of an earlier one")
    try:
        state, events = decide(state, entry.command)
    except TrenteError as error:
        raise _other_error(place, f"it is refused: {error.message} [{error.code}]") from error
    if events != entry.events:
        _compare(place, first, entry.events, events)
    if state.shoe_number != entry.shoe:
        raise _other_error(f"{place}, shoe", f"stored is {entry.shoe}, not {state.shoe_number}")
    # The journal counts the announcements of its time.
    return state.replaced(events=first + len(entry.events))


def _compare(place: str, first: int, stored: Sequence[Event], events: Sequence[Event]) -> None:
    """Raise ``RecordError`` for the first event that differs, without announcements."""
    end = (first + len(stored), None)
    numbered = (pair for pair in enumerate(stored, first) if not isinstance(pair[1], Announced))
    done = (event for event in events if not isinstance(event, Announced))
    for pair, new in zip_longest(numbered, done):
        index, old = pair or end
        if old == new:
            continue
        name, was, now = "kind", getattr(old, "kind", None), getattr(new, "kind", None)
        if old is not None and type(old) is type(new):
            names = attrs.fields_dict(type(old))
            name = next(each for each in names if getattr(old, each) != getattr(new, each))
            was, now = getattr(old, name), getattr(new, name)
        what = f"stored is {was!r:.100}, now it is {now!r:.100}"
        raise _other_error(f"{place}, event {index}, {name}", what)


def _other_error(place: str, what: str) -> RecordError:
    hint = "recover with the version that wrote the journal, and check the journal"
    return RecordError(f"{place}: {what}", "other-events", hint, place)


class MemoryJournal:
    """A journal in memory, for tests and as a model: nothing survives the process.

    It holds texts, as a store would, and only the first snapshot, so ``recover`` does every command
    again. A journal of many shoes should store one each time a shoe is opened.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._house = ""
        self._snapshot = ""
        self._rows: list[tuple[int, str, int, tuple[str, ...]]] = []

    def begin(self, state: TableState, answered: Answered) -> None:
        """Store the first state of a table; ``RecordError`` ("journal-in-use") after another."""
        if self._snapshot:
            raise in_use_error("this journal in memory", state.setup.table)
        self._house = dumps_house(state.house)
        self._snapshot = snapshot_of(state, answered)

    def append(self, command: Command, events: tuple[Event, ...], state: TableState) -> None:
        """Store a command and its events."""
        texts = tuple(map(event_text, events))
        first = state.events - len(events)
        self._rows.append((state.shoe_number, command_text(command), first, texts))

    def kept(self) -> Kept:
        """Return the first snapshot and all commands; ``RecordError`` ("journal-empty")."""
        if not self._snapshot:
            raise no_table_error("this journal in memory")
        return Kept(self._house, self._snapshot, tuple(self.entries()))

    def entries(self) -> Iterator[Entry]:
        """Yield every command with its events."""
        for sequence, row in enumerate(self._rows, 1):
            yield entry_of(sequence, *row)


def snapshot_of(state: TableState, answered: Answered) -> str:
    """Return the snapshot of a table in this state."""
    return snapshot(Table(state.house, state=state, answered=answered))


def in_use_error(name: str, table: str) -> RecordError:
    """Return the error of a new table on a journal that holds one."""
    return RecordError(
        f"{name} already holds a table, and {table!r} would start a second one",
        "journal-in-use",
        "continue with recover(journal), or give the new table a separate journal",
    )


def no_table_error(name: str, place: str = "") -> RecordError:
    """Return the error of a recovery from a journal that holds no table."""
    hint = "begin one: Table(..., journal=)"
    return RecordError(f"{name} holds no table", "journal-empty", hint, place)
