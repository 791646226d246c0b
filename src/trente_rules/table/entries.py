"""Entries: what a table did at each command, and the journal that keeps them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, Final, Protocol, runtime_checkable

from attrs import field, frozen

from trente_rules.core.errors import RecordError, TrenteError, shown
from trente_rules.fair.card_seal import CardSeal
from trente_rules.table.codec import (
    SCHEMA,
    command_to_json,
    event_from_json,
    event_to_json,
    schema_of,
    stored_command,
)
from trente_rules.table.commands import Command
from trente_rules.table.events import Announced, Event
from trente_rules.table.movements import Movement
from trente_rules.table.rounds import Round
from trente_rules.table.sealed import close_command, open_command
from trente_rules.table.state import TableState

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@frozen(slots=False)  # one is built for every command, in half the time
class Entry:
    """A command that a table has done: its events, and the money it moved.

    ``sequence`` counts the commands of a table, or of its journal, from 1; ``round`` is the coup
    that was on after the command; ``first_event`` is the index, in the session, of its first event.
    ``repeated`` is true where the command had been done before and was sent again. ``schema`` is
    that of the release that wrote it: an earlier one wrote fewer fields.
    """

    sequence: int
    round: Round
    command: Command
    first_event: int
    events: tuple[Event, ...]
    movements: tuple[Movement, ...] = ()
    repeated: bool = field(default=False, eq=False)
    schema: int = field(default=SCHEMA, eq=False)

    @property
    def shoe(self) -> int:
        """The number of the shoe after the command."""
        return self.round.shoe

    @property
    def key(self) -> tuple[str, str]:
        """The player who gave the command, and its id: no other entry of a session has both."""
        return self.command.key


@frozen
class Kept:
    """A table to recover: the TOML of its house, a snapshot, and the commands since it.

    ``session`` names the session of a snapshot whose release had no name for it. ``sequence`` is
    that of the last command before the snapshot. One that is ``within`` a shoe holds no entries:
    those of the shoe are in the journal.
    """

    house: str
    snapshot: str = field(repr=False)  # the cards to come are in it
    entries: tuple[Entry, ...]
    session: str = ""
    sequence: int = 0
    within: bool = False


@runtime_checkable
class Journal(Protocol):
    """A store in which a table writes each command before it returns; a host may have its own.

    A method that raises has changed nothing: the command then had no effect.
    """

    def begin(self, state: TableState, entries: Sequence[Entry], /) -> None:
        """Store the first state of a table, with the entries that it remembers.

        Raise ``RecordError`` ("journal-in-use") where the journal holds a table already.
        """

    def append(self, entries: Sequence[Entry], state: TableState, /) -> None:
        """Store entries durably, all or none; ``state`` is the one after the last of them.

        Raise ``RecordError`` ("same-id") where a command of the session has the key of one of them.
        """

    def kept(self) -> Kept:
        """Return the house, a snapshot, and all entries since it, for ``recover``."""

    def find(self, owner: str, id_: str, /) -> Entry | None:
        """Return the entry of a command by its player and its id, None if it is unknown."""

    def since(self, shoe: int, /) -> Iterator[Entry]:
        """Yield the entries of a shoe of the session, and of all shoes after it."""

    def movements(self, after: str = "", /) -> Iterator[Movement]:
        """Yield the movements of the session in order, after the one of an id where it is given.

        Raise ``RecordError`` ("unknown-movement") for an id that no movement has.
        """


@runtime_checkable
class ClosingJournal(Journal, Protocol):
    """A journal that can be closed for good, and continued in another one of its class."""

    def hand_over(self, new: Any, state: TableState, entries: Sequence[Entry], /) -> None:
        """Begin a new journal where this one ends, and take no entry from then on."""


@runtime_checkable
class FencedJournal(Journal, Protocol):
    """A journal that several processes may open: ``recover`` claims it, and reads within."""

    def claim(self) -> AbstractContextManager[None]:
        """Make what is in the journal final once the block ends: no writer of before writes again.

        Such a writer gets ``RecordError`` ("journal-moved") at its next command. Within the block
        nobody writes; where it raises nothing is changed, and the writer of before continues.
        """


@runtime_checkable
class SharedJournal(Journal, Protocol):
    """A journal whose transactions a host can share: ``Table.transaction``."""

    def transaction(self) -> AbstractContextManager[Any]:
        """Open a transaction, and yield the connection for what the host writes.

        What is appended within is committed with it at the end, or not at all where that raises.
        """


def check_journal(journal: object) -> None:
    """Raise ``TrenteError`` ("bad-setup") for a value that is not a journal."""
    if not isinstance(journal, Journal):
        hint = "pass SqliteJournal(path), MemoryJournal(), or an object with the methods of Journal"
        raise TrenteError(f"{shown(journal)} is not a journal", "bad-setup", hint)


def check_class(journal: object, new: object) -> None:
    """Raise ``RecordError`` ("no-rotation") for a new journal of another class than the old one."""
    if not isinstance(new, type(journal)):
        name = type(journal).__name__
        what = f"a {name} cannot continue in {shown(new)}"
        raise RecordError(what, "no-rotation", f"give the table another {name}")


def command_text(
    command: Command, seal: CardSeal | None = None, session: str = "", sequence: int = 0
) -> str:
    """Return a command as it is stored, with the schema of its form and of its events'.

    A ``seal`` closes cards to come, bound to a session and a sequence number.
    """
    value = command_to_json(command)
    if seal is not None:
        close_command(value, seal, session, sequence)
    value["schema"] = SCHEMA
    return _encode(value)


def event_text(event: Event) -> str:
    """Return an event as it is stored."""
    # A third of all events are the same few calls.
    return _call_text(event) if isinstance(event, Announced) else _encode(event_to_json(event))


def events_text(events: Iterable[Event]) -> str:
    """Return the events of a command as they are stored: a list."""
    return f"[{','.join(map(event_text, events))}]"


@lru_cache(maxsize=1000)
def _call_text(event: Announced) -> str:
    return _encode(event_to_json(event))


def entry_of(
    sequence: int,
    around: Round,
    command: str,
    first_event: int,
    events: str,
    movements: tuple[Movement, ...] = (),
    *,
    seal: CardSeal | None = None,
) -> Entry:
    """Read an entry from its stored texts; ``RecordError`` names the command at fault.

    Cards to come that are sealed are opened where a ``seal`` is given.
    """
    place = f"command {sequence}"
    try:
        value, told = json.loads(command), json.loads(events)
        if seal is not None:
            open_command(value, seal, around.session, sequence)
        schema = schema_of(value, "command", 1)  # release 0.1.0 wrote none
        built = stored_command(value, schema)
        done = tuple(event_from_json(event, schema) for event in told)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{place} is not JSON: {error}", "not-json", "", place) from None
    except RecordError as error:
        raise RecordError(f"{place}: {error.message}", error.code, error.hint, place) from None
    return Entry(sequence, around, built, first_event, done, movements, schema=schema)


def events_of(sequence: int, command: str, events: str, kinds: Collection[str]) -> list[Event]:
    """Read the events of these kinds from the stored texts of a command; raises as ``entry_of``."""
    place = f"command {sequence}"
    # Most commands have none: their texts are not taken apart. A kind may be written with escapes.
    if "\\" not in events and not any(f'"{kind}"' in events for kind in kinds):
        return []
    try:
        told = [each for each in json.loads(events) if each.get("kind") in kinds]
        schema = schema_of(json.loads(command), "command", 1) if told else 1
        return [event_from_json(event, schema) for event in told]
    except (ValueError, RecursionError, AttributeError) as error:
        raise RecordError(f"{place} is not JSON: {error}", "not-json", "", place) from None
    except RecordError as error:
        raise RecordError(f"{place}: {error.message}", error.code, error.hint, place) from None
