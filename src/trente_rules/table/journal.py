"""Recovery of a table from its journal; and a journal in memory, the model of all others."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import zip_longest

import attrs
from attrs import evolve

from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import dumps_house, loads_house
from trente_rules.table.codec import SCHEMA
from trente_rules.table.decide import decide
from trente_rules.table.entries import Entry, Journal, Kept, command_text, entry_of, event_text
from trente_rules.table.events import Announced, Event
from trente_rules.table.movements import Movement
from trente_rules.table.rounds import Round
from trente_rules.table.snapshot import restore, snapshot
from trente_rules.table.state import TableState
from trente_rules.table.table import Table


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
    house = house or loads_house(kept.house, origin="<journal>")
    table = restore(kept.snapshot, house, session=kept.session)
    state, entries = table.state, {entry.key: entry for entry in table.entries}
    for entry in kept.entries:
        state, movements = _again(state, entries, entry)
        entries[entry.key] = evolve(entry, round=state.round, movements=movements)
    return Table.going_on(state, entries.values(), journal)


def _again(
    state: TableState, known: Container[tuple[str, str]], entry: Entry
) -> tuple[TableState, tuple[Movement, ...]]:
    """Do a command of the journal again; ``RecordError`` where its result differs."""
    place, first = f"command {entry.sequence}", state.events
    if first != entry.first_event:
        what = f"the index of its first event is {entry.first_event}, not {first}"
        raise _other_error(place, what)
    if entry.key in known:
        raise _other_error(place, f"its id {entry.command.id!r} is that of an earlier one")
    try:
        state, events, movements = decide(state, entry.command)
    except TrenteError as error:
        raise _other_error(place, f"it is refused: {error.message} [{error.code}]") from error
    if events != entry.events:
        _compare(place, entry, events)
    if state.shoe_number != entry.shoe:
        raise _other_error(f"{place}, shoe", f"stored is {entry.shoe}, not {state.shoe_number}")
    # The journal counts the announcements of its time.
    return state.replaced(events=first + len(entry.events)), movements


def _compare(place: str, entry: Entry, events: Sequence[Event]) -> None:
    """Raise ``RecordError`` for the first event that differs, without announcements."""
    first, stored = entry.first_event, entry.events
    end = (first + len(stored), None)
    numbered = (pair for pair in enumerate(stored, first) if not isinstance(pair[1], Announced))
    done = (event for event in events if not isinstance(event, Announced))
    for pair, new in zip_longest(numbered, done):
        index, old = pair or end
        if old == new:
            continue
        name, was, now = "kind", getattr(old, "kind", None), getattr(new, "kind", None)
        if old is not None and type(old) is type(new):
            found = next(_differences(old, new, older=entry.schema < SCHEMA), None)
            if found is None:
                continue
            name, was, now = found
        what = f"stored is {was!r:.100}, now it is {now!r:.100}"
        raise _other_error(f"{place}, event {index}, {name}", what)


def _differences(old: Event, new: Event, *, older: bool) -> Iterator[tuple[str, object, object]]:
    """Yield the fields in which two events of a class differ, with their values.

    An ``older`` release did not write every field: one that it left out has its default.
    """
    for each in attrs.fields(type(old)):
        was, now = getattr(old, each.name), getattr(new, each.name)
        if was != now and not (older and was == each.default):
            yield each.name, was, now


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
        self._rows: list[_Row] = []
        self._places: dict[tuple[str, str], int] = {}
        self._first = 0

    def begin(self, state: TableState, entries: Sequence[Entry]) -> None:
        """Store the first state of a table; ``RecordError`` ("journal-in-use") after another."""
        if self._snapshot:
            raise in_use_error("this journal in memory", state.setup.table)
        self._house = dumps_house(state.house)
        self._snapshot = snapshot_of(state, entries)
        for entry in entries:
            self._store(entry)
        self._first = len(self._rows)

    def append(self, entries: Sequence[Entry], state: TableState) -> None:
        """Store entries; ``RecordError`` ("same-id") where one of them was stored before."""
        del state  # each entry has the round after it
        used = next((entry for entry in entries if entry.key in self._places), None)
        if used is not None:
            raise same_id_error(used)
        for entry in entries:
            self._store(entry)

    def _store(self, entry: Entry) -> None:
        self._places[entry.key] = len(self._rows)
        texts = tuple(map(event_text, entry.events))
        row = entry.round, command_text(entry.command), entry.first_event, texts, entry.movements
        self._rows.append(row)

    def kept(self) -> Kept:
        """Return the first snapshot and all commands; ``RecordError`` ("journal-empty")."""
        if not self._snapshot:
            raise no_table_error("this journal in memory")
        return Kept(self._house, self._snapshot, tuple(self.entries())[self._first :])

    def find(self, owner: str, id_: str) -> Entry | None:
        """Return the entry of a command by its player and its id."""
        place = self._places.get((owner, id_))
        return None if place is None else entry_of(place + 1, *self._rows[place])

    def since(self, shoe: int) -> Iterator[Entry]:
        """Yield the entries of a shoe, and of all shoes after it."""
        return (entry for entry in self.entries() if entry.shoe >= shoe)

    def entries(self) -> Iterator[Entry]:
        """Yield every command with its events."""
        for sequence, row in enumerate(self._rows, 1):
            yield entry_of(sequence, *row)


_Row = tuple[Round, str, int, tuple[str, ...], tuple[Movement, ...]]


def snapshot_of(state: TableState, entries: Sequence[Entry]) -> str:
    """Return the snapshot of a table in this state."""
    return snapshot(Table(state.house, state=state, entries=entries))


def same_id_error(entry: Entry) -> RecordError:
    """Return the error of a command whose key another one has."""
    what = f"command id {entry.command.id!r} was used before in this session"
    return RecordError(what, "same-id", "give each command a separate id")


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
