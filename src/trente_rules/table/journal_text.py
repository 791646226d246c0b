"""What a journal holds: commands with their events, as JSON texts.

The texts are what is stored and what its hashes are made of: a text is written once and never made
anew. They are those of ``codec``, without white space.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from attrs import frozen

from trente_rules.errors import RecordError
from trente_rules.table.codec import (
    command_from_json,
    command_to_json,
    converter,
    event_from_json,
)
from trente_rules.table.commands import Command
from trente_rules.table.events import EVENTS, Announced, Event

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_CALLS: Final = 1000


@frozen
class Entry:
    """A command that a table has answered.

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
    """What a table needs to go on: the TOML of its house, a snapshot, the commands since it."""

    house: str
    snapshot: str
    entries: tuple[Entry, ...]


def command_text(command: Command) -> str:
    """Answer a command as it is stored."""
    return _encode(command_to_json(command))


def event_text(event: Event) -> str:
    """Answer an event as it is stored."""
    if isinstance(event, Announced):  # what is said most is said often
        return _announced_text(event)
    return _text(event)


def entry_of(
    sequence: int, shoe: int, command: str, first_event: int, events: Sequence[str]
) -> Entry:
    """Read an entry from its stored texts; ``RecordError`` that names the command if it cannot."""
    place = f"command {sequence}"
    try:
        built = command_from_json(json.loads(command))
        happened = tuple(event_from_json(json.loads(event)) for event in events)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{place} is not JSON: {error}", "not-json", "", place) from None
    except RecordError as error:
        raise RecordError(f"{place}: {error.message}", error.code, error.hint, place) from None
    return Entry(sequence, shoe, built, first_event, happened)


@lru_cache(maxsize=_CALLS)
def _announced_text(event: Announced) -> str:
    return _text(event)


def _text(event: Event) -> str:
    told = {"kind": event.kind}
    told.update(_hooks()[type(event)](event))
    return _encode(told)


@cache
def _hooks() -> dict[type[Event], Callable[[Event], dict[str, Any]]]:
    """Answer the function that takes apart an event, for each class."""
    return {kind: converter().get_unstructure_hook(kind) for kind in EVENTS}
