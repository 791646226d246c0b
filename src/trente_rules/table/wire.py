"""The JSON that a service or a queue carries of a table: entries, movements, stamped events.

An event alone does not say when and where it happened. Its stamp does: the session, the round, the
index in the session, the time, and the command that caused it. With it each event can be sent,
stored and read by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.errors import RecordError, shown
from trente_rules.table.codec import (
    SCHEMA,
    STAMP,
    command_to_json,
    converter,
    event_from_json,
    event_to_json,
    schema_of,
    stored_command,
    structure,
)
from trente_rules.table.commands import Meta
from trente_rules.table.entries import Entry
from trente_rules.table.events import (
    BetsOpened,
    CoupCorrected,
    Event,
    LineCorrected,
    SessionClosed,
    ShoeEnded,
    ShoeOpened,
    StakeCorrected,
    StakeSettled,
)
from trente_rules.table.movements import Movement
from trente_rules.table.rounds import Round


@frozen
class Cause:
    """The command that caused an event: its id, the player who gave it, and who entered it.

    ``player`` is empty for a command of the staff; ``staff``, ``device`` and ``meta`` are what the
    host said about the command.
    """

    command: str
    player: str = ""
    staff: str = ""
    device: str = ""
    meta: Meta = ()


@frozen
class Stamp:
    """The place of an event: session, round, index in the session, time, and what caused it.

    ``schema`` is the version of the form of the event. ``round`` is the coup that the event belongs
    to; its coup is 0 before the first coup of a shoe, and for what ends a shoe or a session.
    """

    schema: int
    session: str
    round: Round
    index: int
    at: str
    cause: Cause


@frozen
class Stamped:
    """An event with its stamp: it can be read alone."""

    stamp: Stamp
    event: Event

    def to_json(self) -> dict[str, Any]:
        """Return the stamp and the event as one object."""
        stamp: dict[str, Any] = converter().unstructure(self.stamp)
        return {**stamp, **event_to_json(self.event)}

    @classmethod
    def of_json(cls, value: Mapping[str, Any]) -> Stamped:
        """Read what ``to_json`` wrote; ``RecordError`` ("bad-event", "unknown-schema")."""
        event = event_from_json(value)
        stamp = {key: each for key, each in value.items() if key in STAMP}
        schema = schema_of(dict(stamp), "event")
        built: Stamp = structure(stamp, Stamp, "event", schema)
        return cls(built, event)


def stamped(entry: Entry) -> tuple[Stamped, ...]:
    """Return the events of an entry, each with its stamp."""
    command = entry.command
    owner, id_ = command.key
    cause = Cause(id_, owner, command.staff, command.device, command.meta)
    session, first = entry.round.session, entry.first_event
    return tuple(
        Stamped(Stamp(SCHEMA, session, around, first + place, command.at, cause), event)
        for place, (around, event) in enumerate(zip(rounds_of(entry), entry.events, strict=True))
    )


def rounds_of(entry: Entry) -> Iterator[Round]:
    """Yield the round of each event of an entry, which may end one coup and open the next."""
    session, shoe, coup = entry.round.session, entry.round.shoe, entry.round.coup
    opened = next((event.coup for event in entry.events if isinstance(event, BetsOpened)), None)
    if opened is not None:
        coup = opened - 1
    for event in entry.events:
        match event:
            case ShoeOpened():
                shoe, coup = entry.round.shoe, entry.round.coup
            case BetsOpened(opening):
                coup = opening
            case CoupCorrected(number, shoe=of):  # what follows replaces that coup
                shoe, coup = of or shoe, number
            case LineCorrected(shoe, coup):
                pass
            case StakeCorrected():  # what lies on the table now
                shoe, coup = entry.round.shoe, entry.round.coup
            case ShoeEnded() | SessionClosed():
                coup = 0
            case StakeSettled(line) if line.verdict == Verdict.CLOSE:
                coup = 0
        yield Round(session, shoe, coup)


def movement_to_json(movement: Movement) -> dict[str, Any]:
    """Return a movement as an object."""
    written: dict[str, Any] = converter().unstructure(movement)
    return written


def movement_from_json(value: Mapping[str, Any], schema: int = SCHEMA) -> Movement:
    """Build a movement from an object; ``RecordError`` ("bad-movement") if it cannot be."""
    built: Movement = structure(value, Movement, "movement", schema)
    return built


def entry_to_json(entry: Entry) -> dict[str, Any]:
    """Return an entry as an object: the command, its stamped events and its movements."""
    return {
        "schema": SCHEMA,  # that of this form, whichever release did the command
        "sequence": entry.sequence,
        "round": str(entry.round),
        "command": command_to_json(entry.command),
        "first_event": entry.first_event,
        "events": [each.to_json() for each in stamped(entry)],
        "movements": [movement_to_json(each) for each in entry.movements],
        "repeated": entry.repeated,
    }


def entry_from_json(value: Mapping[str, Any]) -> Entry:
    """Build an entry from an object.

    Raises ``RecordError``: "unknown-schema", "bad-entry", and what its command, its events and its
    movements raise. Of a newer schema, fields and kinds of events that are not known here are read
    as ``event_from_json`` reads them.
    """
    if not isinstance(value, Mapping):
        raise RecordError(f"an entry is an object, not {shown(value)}", "bad-entry")
    table = dict(value)
    schema = schema_of(table, "entry")
    lists = {name: table.pop(name, None) for name in ("events", "movements")}
    for name, listed in lists.items():
        if not isinstance(listed, list):
            raise RecordError(f"the {name} of an entry are a list", "bad-entry", "", name)
    command = stored_command(table.pop("command", {}), schema)
    head: _Head = structure(table, _Head, "entry", schema)
    events: tuple[Event, ...] = tuple(event_from_json(each, schema) for each in lists["events"])
    movements = tuple(movement_from_json(each, schema) for each in lists["movements"])
    done = head.first_event, events, movements, head.repeated, schema
    return Entry(head.sequence, head.round, command, *done)


@frozen
class _Head:
    """The fields of an entry that are neither command nor events nor movements."""

    sequence: int
    round: Round
    first_event: int
    repeated: bool = False
