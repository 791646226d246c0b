"""``Table``: a live table, which does each command once and writes it to a journal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Protocol

from attrs import field, frozen

from trente_rules.core.errors import PhaseError, RecordError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.stakes import Opening
from trente_rules.table.codec import (
    SCHEMA,
    command_from_json,
    command_to_json,
    event_from_json,
    event_to_json,
    schema_of,
)
from trente_rules.table.commands import Command, OpenShoe
from trente_rules.table.decide import allowed, check_asked, decide
from trente_rules.table.events import Announced, Event
from trente_rules.table.state import Setup, TableState

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@frozen
class Entry:
    """A command that a table has done, with its events.

    ``sequence`` counts the commands of a journal from 1, ``shoe`` is the number of the shoe after
    the command, ``first_event`` the index, in the session, of the first of its events.
    """

    sequence: int
    shoe: int
    command: Command
    first_event: int
    events: tuple[Event, ...]


@frozen
class Kept:
    """A table to recover: the TOML of its house, a snapshot, and the commands since it."""

    house: str
    snapshot: str = field(repr=False)  # the cards to come are in it
    entries: tuple[Entry, ...]


def command_text(command: Command) -> str:
    """Return a command as it is stored, with the schema of its form and of its events'."""
    value = command_to_json(command)
    value["schema"] = SCHEMA
    return _encode(value)


def event_text(event: Event) -> str:
    """Return an event as it is stored."""
    # A third of all events are the same few calls.
    return _call_text(event) if isinstance(event, Announced) else _encode(event_to_json(event))


@lru_cache(maxsize=1000)
def _call_text(event: Announced) -> str:
    return _encode(event_to_json(event))


def entry_of(
    sequence: int, shoe: int, command: str, first_event: int, events: Sequence[str]
) -> Entry:
    """Read an entry from its stored texts; ``RecordError`` names the command at fault."""
    place = f"command {sequence}"
    try:
        value = json.loads(command)
        schema = schema_of(value, "command", 1)  # release 0.1.0 wrote none
        built = command_from_json(value, schema)
        done = tuple(event_from_json(json.loads(event), schema) for event in events)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{place} is not JSON: {error}", "not-json", "", place) from None
    except RecordError as error:
        raise RecordError(f"{place}: {error.message}", error.code, error.hint, place) from None
    return Entry(sequence, shoe, built, first_event, done)


_NO_OPENING = Opening()
Answered = dict[str, tuple[Command, tuple[Event, ...]]]
"""The commands of a shoe by their ids, with their events."""


class Journal(Protocol):
    """A store in which a table writes each command before it returns; a host may have its own.

    A method that raises has changed nothing: the command then had no effect.
    """

    def begin(self, state: TableState, answered: Answered, /) -> None:
        """Store the first state of a table; raise where the journal holds a table already."""

    def append(self, command: Command, events: tuple[Event, ...], state: TableState, /) -> None:
        """Store a command and its events, durably; ``state`` is the one after it."""

    def kept(self) -> Kept:
        """Return the house, a snapshot, and all commands since it, for ``recover``."""


class Table:
    """A table of any number of players: commands in, events out.

    It has one writer: a host with many threads queues the commands. ``state`` may be read at any
    time.
    """

    def __init__(
        self,
        house: House,
        *,
        name: str = "table",
        opening: Opening = _NO_OPENING,
        journal: Journal | None = None,
        state: TableState | None = None,
        answered: Answered | None = None,
        purses: bool = False,
    ) -> None:
        """Set a table up; ``opening`` is needed where the house sets its minimum daily.

        With ``purses`` players buy in before they bet, and the bank does not advance.

        With ``state`` and ``answered`` the table continues from there; name, opening and purses are
        those of the state. A ``journal`` must be new: ``recover`` continues one that holds a table.

        Raises ``TrenteError`` ("bad-setup") for a house, a name or an opening of another type,
        ``BetError`` ("opening-needed", "no-such-table") where the minimum is not known, and
        ``RecordError`` ("journal-in-use") where the journal holds a table.
        """
        self._state = state or TableState(Setup(house, name, opening, purses))
        house.check_opening(self._state.opening)
        self._answered: Answered = dict(answered or {})
        self._journal = journal
        if journal is not None:
            journal.begin(self._state, self._answered)

    @classmethod
    def going_on(cls, state: TableState, answered: Answered, journal: Journal) -> Table:
        """Return a table that continues a journal that led to this state; see ``recover``."""
        table = cls(state.house, state=state, answered=answered)
        table._journal = journal
        return table

    @property
    def state(self) -> TableState:
        """The state between two commands."""
        return self._state

    @property
    def house(self) -> House:
        """The house the table is run by."""
        return self._state.setup.house

    @property
    def answered(self) -> Answered:
        """A copy of the commands of this shoe by their ids, with their events."""
        return dict(self._answered)

    def do(self, command: Command) -> tuple[Event, ...]:
        """Do a command and return its events; a command that was done has the same events again.

        Raises ``PhaseError`` ("same-id") for another command of the same id, and whatever
        ``decide`` raises; the table is then unchanged. With a journal the command is durable before
        this returns.
        """
        earlier = self._earlier(command)
        if earlier is not None:
            return earlier
        state, events = decide(self._state, command)
        if self._journal is not None:
            self._journal.append(command, events, state)
        if isinstance(command, OpenShoe):
            self._answered = {}
        self._answered[command.id] = (command, events)
        self._state = state
        return events

    def verify(self, command: Command) -> None:
        """Raise what ``do`` would raise; change nothing.

        A question does not find a card to come: see ``check_asked``.
        """
        if self._earlier(command) is None:
            check_asked(self._state, command)

    def can(self, command: Command) -> bool:
        """Return whether ``do`` would take the command."""
        return self.why_not(command) is None

    def why_not(self, command: Command) -> TrenteError | None:
        """Return why ``do`` would refuse the command, None where it would not."""
        try:
            self.verify(command)
        except TrenteError as error:
            return error
        return None

    def allowed(self) -> tuple[str, ...]:
        """Return the kinds of command that can be taken now."""
        return allowed(self._state)

    def _earlier(self, command: object) -> tuple[Event, ...] | None:
        if not isinstance(command, Command) or not isinstance(command.id, str):
            return None  # ``decide`` refuses it
        found = self._answered.get(command.id)
        if found is None:
            return None
        earlier, events = found
        if earlier != command:
            what = f"command id {command.id!r} was used for another command, a {earlier.kind!r}"
            hint = "give each command a separate id"
            raise PhaseError(what, "same-id", hint, self._state.phase)
        return events
