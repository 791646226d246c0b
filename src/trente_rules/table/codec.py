"""Commands and events as JSON: objects of integers, texts, booleans, lists and null.

Cards are ``10♥``, shares ``1/2``, verdicts their ids, coups two rows with `` / `` between; ``kind``
names the command or event. Reading is strict: an unknown key, a missing one or a value of another
type is a ``RecordError`` that names the place; nothing is guessed. What another release wrote has
another ``SCHEMA``: older forms are brought up to date (``table.migrations``), fields that only a
newer one knows are left out with a ``NewerSchemaWarning``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Final, get_args

import attrs
from cattrs import Converter
from cattrs.errors import BaseValidationError

from trente_rules.core import converter as core
from trente_rules.core.cards import Card
from trente_rules.core.errors import BetError, RecordError, TrenteError, shown
from trente_rules.core.stakes import Opening
from trente_rules.table import migrations
from trente_rules.table.commands import COMMANDS, AnyCommand, Command
from trente_rules.table.events import EVENTS, AnyEvent, Event

SCHEMA: Final = 2
"""The version of the form of commands, events and snapshots; each earlier one is read."""
_COMMAND_BITS: Final = 64
_integer: Final = core.exactly(int)
_COMMANDS: Final[dict[str, type[AnyCommand]]] = {each.kind: each for each in COMMANDS}
_EVENTS: Final[dict[str, type[AnyEvent]]] = {each.kind: each for each in EVENTS}


def command_to_json(command: Command) -> dict[str, Any]:
    """Return a command as an object; default values are left out."""
    default = _defaults(command.kind)
    written = _write(command.kind)(command)
    return {"kind": command.kind} | {
        name: value
        for name, value in written.items()
        if name not in default or default[name] != value
    }


def command_from_json(value: Mapping[str, Any], schema: int = SCHEMA) -> AnyCommand:
    """Build a command from an object; ``RecordError`` ("bad-command") if it cannot be."""
    if schema < SCHEMA:
        value = migrations.command(value, schema)
    built: AnyCommand = structure(value, AnyCommand, "command", schema)
    return built


def event_to_json(event: Event, index: int | None = None) -> dict[str, Any]:
    """Return an event as an object, with its index in the session where one is given."""
    value: dict[str, Any] = {} if index is None else {"index": index}
    value["kind"] = event.kind
    value.update(_write(event.kind)(event))
    return value


def event_from_json(value: Mapping[str, Any], schema: int = SCHEMA) -> AnyEvent:
    """Build an event from an object; ``RecordError`` ("bad-event") if it cannot be."""
    if isinstance(value, Mapping):
        value = {key: each for key, each in value.items() if key != "index"}
    if schema < SCHEMA:
        value = migrations.event(value, schema)
    built: AnyEvent = structure(value, AnyEvent, "event", schema)
    return built


def structure(
    value: object, cls: Any, what: str, schema: int = SCHEMA, made: Converter | None = None
) -> Any:
    """Build a value of a class from JSON; ``RecordError`` ("bad-" and the word) if it cannot be.

    ``made`` is the converter, by default that of all values of a table.
    """
    made = made or converter()
    built, problems = core.structure(made, value, cls, (what,), newer=schema > SCHEMA)
    if problems:
        reasons = [str(problem) for problem in problems]
        several = f"{len(reasons)} faults: " if len(reasons) > 1 else ""
        raise RecordError(
            several + "; ".join(reasons[:5]),
            f"bad-{what}",
            problems[0].hint,
            core.path_text(problems[0].path),
        )
    return built


def schema_of(table: Any, what: str, default: object = None) -> int:
    """Return the schema of an object, and take it out; ``RecordError`` ("unknown-schema").

    ``default`` is that of an object that names none.
    """
    schema = table.pop("schema", default) if isinstance(table, dict) else default
    if type(schema) is not int or schema < 1:
        raise RecordError(
            f"a {what} of schema {shown(schema)}",
            "unknown-schema",
            f"schemas are 1 to {SCHEMA}, and those of newer releases",
            "schema",
        )
    return schema


def opening_of(value: Any) -> Opening:
    """Return an opening from its JSON: the minimum alone, or an object of all that was posted."""
    if isinstance(value, dict):
        opening: Opening = converter().structure(value, Opening)
        return opening
    return Opening() if value is None else Opening(_integer(value, int))


def opening_value(opening: Opening) -> Any:
    """Return an opening as JSON: a number or None where no more than a minimum was posted."""
    if opening == Opening(opening.minimum):
        return opening.minimum
    return _without_none(converter().unstructure(opening))


Posted = Annotated[Opening, core.Form(opening_of, opening_value)]
"""An opening, as snapshots, journals and records write it."""


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_none(each) for name, each in value.items() if each is not None}
    return [_without_none(each) for each in value] if isinstance(value, list) else value


@cache
def converter() -> Converter:
    """Return the converter that reads and writes all values of a table, strictly."""
    made = core.converter()
    core.register_tagged(made, AnyCommand, _COMMANDS, "command")
    core.register_tagged(made, AnyEvent, _EVENTS, "event")
    return made


@cache
def _write(kind: str) -> Callable[[Any], dict[str, Any]]:
    """Return the hook that writes a class; once for a kind, since a journal writes every event."""
    hook: Callable[[Any], dict[str, Any]] = converter().get_unstructure_hook(
        _COMMANDS.get(kind) or _EVENTS[kind]
    )
    return hook


@cache
def _defaults(kind: str) -> dict[str, Any]:
    return {
        attribute.name: converter().unstructure(attribute.default)
        for attribute in attrs.fields(_COMMANDS[kind])
        if attribute.default is not attrs.NOTHING
    }


# --- Commands as they come in, from a host that may pass any value


def check(command: Command) -> None:
    """Check each field of a command; ``BetError`` ("bad-value") names it and what it may be."""
    for name, kind, hook in _hooks(command.kind):
        value = getattr(command, name)
        try:
            hook(value, kind)
        except (TrenteError, TypeError, BaseValidationError):
            raise BetError(
                f"{name} of a command {command.kind!r} is {shown(value)}",
                "bad-value",
                f"it is {_words(kind)}",
            ) from None


@cache
def _hooks(command: str) -> tuple[tuple[str, Any, Callable[[Any, Any], Any]], ...]:
    """Return name, type and check of each field; once for a class, since every command asks."""
    made = converter().copy()
    made.register_structure_hook(int, core.exactly(int, bits=_COMMAND_BITS))
    made.register_structure_hook(Card, core.exactly(Card, "a Card"))
    made.register_structure_hook_factory(core.is_tuple, _exact_tuple)
    fields = attrs.fields(attrs.resolve_types(_COMMANDS[command]))
    return tuple((each.name, each.type, made.get_structure_hook(each.type)) for each in fields)


def _exact_tuple(kind: Any, made: Converter) -> Callable[[Any, Any], Any]:
    inner, whole = core.tuple_hook(kind, made), core.exactly(tuple, "a tuple")
    return lambda value, each: inner(whole(value, each), each)


def _words(kind: Any) -> str:
    members = get_args(kind)
    if core.is_union(kind):
        return ", or ".join(map(_words, members))
    if core.is_literal(kind):
        return f"one of {', '.join(map(repr, members))}"
    if core.is_tuple(kind):
        plural = "pairs of texts" if core.is_tuple(members[0]) else f"{members[0].__name__} values"
        return f"a tuple of {plural}"
    return {
        int: f"a whole number of at most {_COMMAND_BITS} bits",
        str: "a text without half characters",
        bool: "True or False",
        type(None): "None",
    }.get(kind, f"a {kind.__name__}")
