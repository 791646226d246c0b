"""Recovery of a table from its journal; and a journal in memory, the model of all others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import takewhile, zip_longest

import attrs

from trente_rules.core.errors import ConfigurationError, RecordError, TrenteError, shown
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import dumps_house, loads_house
from trente_rules.core.stakes import Stake
from trente_rules.fair.card_seal import CardSeal
from trente_rules.table.codec import SCHEMA
from trente_rules.table.commands import Correct
from trente_rules.table.decide import decide
from trente_rules.table.entries import (
    Entry,
    FencedJournal,
    Journal,
    Kept,
    check_class,
    check_journal,
    command_text,
    entry_of,
    events_text,
)
from trente_rules.table.events import Announced, CoupVoided, Event, StakeCorrected
from trente_rules.table.movements import Movement
from trente_rules.table.past import NO_PAST, Past, bets_opened, meant, opens, past_of
from trente_rules.table.rounds import Round
from trente_rules.table.snapshot import restore, snapshot
from trente_rules.table.state import TableState
from trente_rules.table.table import Table


def recover(journal: Journal, house: House | None = None) -> Table:
    """Return the table of a journal, as it was after the last command.

    The commands since the snapshot are done again, and must give the stored events: money, cards
    and phases. Words are not compared: not the announcements, which a house or a language may
    change or leave out, nor the reason of a void that the table gives itself. The stored events are
    those that the table returns for a command that is sent again. Without a house, the one in the
    journal is read; a house that is given must have the same fingerprint. The table writes to the
    same journal, and no table of before does from then on; where the recovery fails, it does.

    Raises ``RecordError``: "journal-empty", "journal-sealed" without the key of a sealed journal,
    "other-house", "other-events" where a command gives other events than were stored (``place``
    names command, event and field), and what the journal raises; ``ConfigurationError`` where the
    house cannot be built here; ``TrenteError`` ("bad-setup") for anything but a journal.
    """
    check_journal(journal)
    with journal.claim() if isinstance(journal, FencedJournal) else nullcontext():
        kept = journal.kept()
        house = house or loads_house(kept.house, origin="<journal>")
        table = restore(kept.snapshot, house, session=kept.session)
        state, entries = replayed(table, kept, journal)
        return Table.going_on(
            state, entries.values(), journal, sequence=kept.sequence, within=kept.within
        )


def replayed(
    table: Table, kept: Kept, journal: Journal
) -> tuple[TableState, dict[tuple[str, str], Entry]]:
    """Return a table after the commands since its snapshot, and all it remembers then.

    Raises ``RecordError`` ("other-events").
    """
    state, entries = table.state, {entry.key: entry for entry in table.entries}
    lying = None if kept.within else () if bets_opened(table.entries) else state.stakes
    for entry in kept.entries:
        past = _past(state, entries, entry, journal, lying)
        state = _again(state, entries, entry, past)
        entries[entry.key] = entry
    return state, entries


def _again(
    state: TableState, known: Mapping[tuple[str, str], Entry], entry: Entry, past: Past
) -> TableState:
    """Do a command of the journal again; ``RecordError`` where its result differs.

    Movements are compared with their ids. An earlier release wrote none: those were worked out.
    """
    place, first = f"command {entry.sequence}", state.events
    if first != entry.first_event:
        what = f"the index of its first event is {entry.first_event}, not {first}"
        raise _other_error(place, what)
    if entry.key in known:
        raise _other_error(place, f"its id {entry.command.id!r} is that of an earlier one")
    try:
        state, events, movements = decide(state, entry.command, past)
    except TrenteError as error:
        raise _other_error(place, f"it is refused: {error.message} [{error.code}]") from error
    if events != entry.events:
        _compare(place, entry, events)
    if movements != entry.movements and entry.schema >= SCHEMA:
        _compare_movements(place, entry.movements, movements)
    if state.round != entry.round:
        raise _other_error(f"{place}, round", f"stored is {entry.round}, not {state.round}")
    # The journal counts the announcements of its time.
    return state.replaced(events=first + len(entry.events))


def _past(
    state: TableState,
    known: Mapping[tuple[str, str], Entry],
    entry: Entry,
    journal: Journal,
    lying: Sequence[Stake] | None,
) -> Past:
    """Return the past that a correction needs; other commands need none."""
    if not isinstance(entry.command, Correct):
        return NO_PAST
    target, entries = meant(state, entry.command.target), iter(known.values())
    if lying is None or not opens(known.values(), target):
        since = journal.since(target.shoe)
        entries, lying = takewhile(lambda each: each.sequence < entry.sequence, since), ()
    return past_of(entries, target, state, lying=lying)


def _compare(place: str, entry: Entry, events: Sequence[Event]) -> None:
    """Raise ``RecordError`` for the first event that differs, without announcements."""
    first, stored = entry.first_event, entry.events
    end = (first + len(stored), None)
    numbered = (pair for pair in enumerate(stored, first) if not isinstance(pair[1], Announced))
    # Releases before 0.4.0 did not say what a correction changes on the table.
    unsaid = (Announced, StakeCorrected) if entry.schema < SCHEMA else (Announced,)
    done = (event for event in events if not isinstance(event, unsaid))
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
    given = isinstance(new, CoupVoided) and new.why  # by the table, whose words may change
    for each in attrs.fields(type(old)):
        if given and each.name == "reason":
            continue
        was, now = getattr(old, each.name), getattr(new, each.name)
        if was != now and not (older and was == each.default):
            yield each.name, was, now


def _compare_movements(
    place: str, stored: Sequence[Movement], movements: Sequence[Movement]
) -> None:
    """Raise ``RecordError`` for the first movement that differs."""
    for number, (old, new) in enumerate(zip_longest(stored, movements)):
        if old != new:
            what = f"stored is {old!r:.200}, now it is {new!r:.200}"
            raise _other_error(f"{place}, movement {number}", what)


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
        self._carried: tuple[Entry, ...] = ()
        self._rows: list[_Row] = []
        self._places: dict[tuple[str, str], int] = {}
        self._before: MemoryJournal | None = None
        self._closed = False

    def begin(self, state: TableState, entries: Sequence[Entry]) -> None:
        """Store the first state of a table; ``RecordError`` ("journal-in-use") after another."""
        if self._snapshot:
            raise in_use_error("this journal in memory", state.setup.table)
        self._house = house_text(state.setup.house)
        self._snapshot = snapshot_of(state, entries)
        self._carried = tuple(entries)

    def append(self, entries: Sequence[Entry], state: TableState) -> None:
        """Store entries; ``RecordError`` ("same-id", "journal-moved")."""
        del state  # each entry has the round after it
        if self._closed:
            raise moved_error("this journal in memory", "continue with the new journal")
        keys = [entry.key for entry in entries]
        for entry in entries:
            if keys.count(entry.key) > 1 or self.find(*entry.key) is not None:
                raise same_id_error(entry)
        for entry in entries:
            self._places[entry.key] = len(self._rows)
            text = command_text(entry.command), events_text(entry.events)
            self._rows.append(
                (entry.sequence, entry.round, *text, entry.first_event, entry.movements)
            )

    def kept(self) -> Kept:
        """Return the first snapshot and all commands; ``RecordError`` ("journal-empty")."""
        if not self._snapshot:
            raise no_table_error("this journal in memory")
        return Kept(self._house, self._snapshot, tuple(self.entries()))

    def find(self, owner: str, id_: str) -> Entry | None:
        """Return the entry of a command by its player and its id."""
        place = self._places.get((owner, id_))
        if place is not None:
            return _entry(self._rows[place])
        if self._before is not None:
            return self._before.find(owner, id_)
        return next((entry for entry in self._carried if entry.key == (owner, id_)), None)

    def since(self, shoe: int) -> Iterator[Entry]:
        """Yield the entries of a shoe, and of all shoes after it."""
        return (entry for entry in self._all() if entry.shoe >= shoe)

    def movements(self, after: str = "") -> Iterator[Movement]:
        """Yield the movements in order, after the one of an id; "unknown-movement"."""
        moved = tuple(movement for entry in self._all() for movement in entry.movements)
        ids = [movement.id for movement in moved]
        if after and after not in ids:
            raise unknown_movement_error(after)
        return iter(moved[ids.index(after) + 1 if after else 0 :])

    def entries(self) -> Iterator[Entry]:
        """Yield every command that was done on this journal, with its events."""
        return map(_entry, self._rows)

    def hand_over(self, new: MemoryJournal, state: TableState, entries: Sequence[Entry]) -> None:
        """Begin a new journal where this one ends, and take no entry from then on."""
        check_class(self, new)
        if self._closed:
            raise moved_error("this journal in memory", "continue with the new journal")
        new.begin(state, entries)
        new._before, self._closed = self, True

    def _all(self) -> Iterator[Entry]:
        yield from self._carried if self._before is None else self._before.since(0)
        yield from self.entries()


_Row = tuple[int, Round, str, str, int, tuple[Movement, ...]]


def _entry(row: _Row) -> Entry:
    sequence, around, command, events, first, movements = row
    return entry_of(sequence, around, command, first, events, movements)


def house_text(house: House) -> str:
    """Return a house as a journal holds it: a journal that cannot be recovered must not begin.

    Raises ``RecordError`` ("house-not-kept") where the text would not be read back as this house.
    """
    text = dumps_house(house)
    try:
        read = loads_house(text, origin="<journal>")
    except ConfigurationError as error:
        if any(fault.code.startswith("unknown-") for fault in error.faults):
            return text  # of a manager that has other plugins: ``recover`` is given the house
        why = error.message
    else:
        if read == house:
            return text
        why = "it is read back as a different house"
    what = f"house {house.name!r} cannot be kept in a journal: {why}"
    raise RecordError(what, "house-not-kept", "write the house in a way that is read back equal")


def snapshot_of(state: TableState, entries: Sequence[Entry], seal: CardSeal | None = None) -> str:
    """Return the snapshot of a table in this state, its cards to come sealed with a ``seal``."""
    return snapshot(Table(state.house, state=state, entries=entries), seal)


def same_id_error(entry: Entry) -> RecordError:
    """Return the error of a command whose key another one has."""
    what = f"command id {entry.command.id!r} was used before in this session"
    return RecordError(what, "same-id", "give each command a separate id")


def unknown_movement_error(movement: str) -> RecordError:
    """Return the error of a position that no movement of the session has."""
    what = f"no movement of this session has the id {shown(movement)}"
    return RecordError(what, "unknown-movement", "give the id of one that was read before")


def moved_error(name: str, hint: str, place: str = "") -> RecordError:
    """Return the error of a table that writes where its journal does not end."""
    what = f"{name} does not end where this table is"
    return RecordError(what, "journal-moved", hint, place)


def ended_error(what: str) -> RecordError:
    """Return the error of a host that ended a transaction which it shares with a table."""
    hint = "leave it to the end of the block: no commit(), rollback() or `with connection:` within"
    whole = f"a transaction of the journal was ended within its block: {what}"
    return RecordError(whole, "transaction-ended", hint)


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
