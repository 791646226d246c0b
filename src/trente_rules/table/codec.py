"""Commands and events as JSON: objects of integers, strings, booleans, lists and null.

Cards are ``10♥``, shares ``1/2``, verdicts their ids, coups two rows with `` / `` between; ``kind``
names the command or event. Reading is strict: an unknown key, a missing one or a value of another
type is a ``RecordError`` that names the place; nothing is guessed. Other releases may have a
different ``SCHEMA``: older forms are migrated (``table.migrations``), fields that only a newer
release knows are left out with a ``NewerSchemaWarning``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, Final, get_args

import attrs
from cattrs import Converter
from cattrs.errors import BaseValidationError

from trente_rules.core import converter as core
from trente_rules.core.cards import Card
from trente_rules.core.errors import BetError, RecordError, TrenteError, shown
from trente_rules.core.stakes import Opening
from trente_rules.table import migrations
from trente_rules.table.commands import (
    COMMANDS,
    AnyCommand,
    Command,
    Order,
    OtherCommand,
    SlipBet,
)
from trente_rules.table.events import EVENTS, AnyEvent, Event, OtherEvent
from trente_rules.table.rounds import Round
from trente_rules.table.sealed import KEY, Sealed, is_sealed

SCHEMA: Final = 4
"""The version of the form of commands, events and snapshots; each earlier one is read."""
STAMP: Final = frozenset(("schema", "session", "round", "index", "at", "cause"))
"""The keys of an event's stamp: where it belongs, and what caused it (``table.wire``)."""
_SAID: Final = ("at", "round", "staff", "device", "meta")
"""The fields of every command, its id left out."""
_COMMAND_BITS: Final = 64
_integer: Final = core.exactly(int)
_COMMANDS: Final[dict[str, type[AnyCommand]]] = {each.kind: each for each in COMMANDS}
_EVENTS: Final[dict[str, type[AnyEvent]]] = {each.kind: each for each in EVENTS}


def command_to_json(command: Command) -> dict[str, Any]:
    """Return a command as an object; default values are left out."""
    if isinstance(command, OtherCommand):
        head = command_to_json(Command(command.id, **{n: getattr(command, n) for n in _SAID}))
        return {**head, "kind": command.name, **command.fields}
    default = _defaults(command.kind)
    written = _write(command.kind)(command).items()
    changed = {name: value for name, value in written if default.get(name, attrs.NOTHING) != value}
    return {"kind": command.kind} | changed


def command_from_json(value: Mapping[str, Any], schema: int = SCHEMA) -> AnyCommand:
    """Build a command from an object; ``RecordError`` ("bad-command") if it cannot be.

    The object may name its ``schema``. Raises ``RecordError`` ("unknown-kind") for a command that
    only a newer release can do.
    """
    if isinstance(value, Mapping) and "schema" in value:
        value = dict(value)
        schema = schema_of(value, "command")
    if schema < SCHEMA:
        value = migrations.command(value, schema)
    if schema > SCHEMA and isinstance(value, Mapping):
        kind = value.get("kind")
        if isinstance(kind, str) and kind not in _COMMANDS:
            what = f"a command of kind {shown(kind)}, of schema {schema}, cannot be done here"
            hint = f"this release knows schemas 1 to {SCHEMA}: update it"
            raise RecordError(what, "unknown-kind", hint, "command.kind")
    built: AnyCommand = structure(value, AnyCommand, "command", schema)
    return built


def stored_command(value: Mapping[str, Any], schema: int) -> AnyCommand | OtherCommand:
    """Build the command of an entry; one of a kind that a newer schema has is an ``OtherCommand``.

    It comes with a ``NewerSchemaWarning``. Raises ``RecordError`` ("bad-command").
    """
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if schema <= SCHEMA or not isinstance(kind, str) or kind in _COMMANDS:
        return command_from_json(value, schema)
    message = f"written by a newer release: a command of kind {shown(kind)} is not known"
    warnings.warn(message, core.NewerSchemaWarning, stacklevel=2)
    said = {name: value[name] for name in ("id", *_SAID) if name in value}
    head: Command = structure(said, Command, "command", schema)
    fields = {name: value[name] for name in value if name not in (*said, "kind", "schema")}
    return OtherCommand(head.id, kind, fields, **{name: getattr(head, name) for name in _SAID})


def event_to_json(event: Event, index: int | None = None) -> dict[str, Any]:
    """Return an event as an object, with its index in the session where one is given."""
    value: dict[str, Any] = {} if index is None else {"index": index}
    if isinstance(event, OtherEvent):  # as it was read
        return {**value, "kind": event.name, **event.fields}
    value["kind"] = event.kind
    value.update(_write(event.kind)(event))
    return value


def event_from_json(value: Mapping[str, Any], schema: int = SCHEMA) -> AnyEvent | OtherEvent:
    """Build an event from an object; ``RecordError`` ("bad-event") if it cannot be.

    Its stamp, or its index, may be in the object; the schema of a stamp replaces ``schema``. An
    event of a kind that only a newer schema has is an ``OtherEvent``, with a
    ``NewerSchemaWarning``: a reader can follow the others.
    """
    if isinstance(value, Mapping):
        if "schema" in value:
            schema = schema_of(dict(value), "event")
        apart = STAMP if "cause" in value else ("schema", "index")
        value = {key: each for key, each in value.items() if key not in apart}
        kind = value.get("kind")
        if schema > SCHEMA and isinstance(kind, str) and kind not in _EVENTS:
            message = f"written by a newer release: an event of kind {shown(kind)} is not known"
            warnings.warn(message, core.NewerSchemaWarning, stacklevel=2)
            return OtherEvent(kind, {key: value[key] for key in value if key != "kind"})
    if schema < SCHEMA:
        value = migrations.event(value, schema)
    built: AnyEvent = structure(value, AnyEvent, "event", schema)
    return built


def structure(
    value: object,
    cls: Any,
    what: str,
    schema: int = SCHEMA,
    made: Converter | None = None,
    *,
    at: core.KeyPath = (),
) -> Any:
    """Build a value of a class from JSON; ``RecordError`` ("bad-" and the word) if it cannot be.

    ``made`` is the converter, by default that of all values of a table. ``at`` leads to the value
    where it is a part of what the word names.
    """
    made = made or converter()
    built, problems = core.structure(made, value, cls, (what, *at), newer=schema > SCHEMA)
    if problems:
        several = f"{len(problems)} faults: " if len(problems) > 1 else ""
        message = several + "; ".join(map(str, problems[:5]))
        first = problems[0]
        raise RecordError(message, f"bad-{what}", first.hint, core.path_text(first.path))
    return built


def schema_of(table: Any, what: str, default: object = None) -> int:
    """Remove and return the schema of an object, or ``default`` where it does not name one.

    Raises ``RecordError`` ("unknown-schema").
    """
    schema = table.pop("schema", default) if isinstance(table, dict) else default
    if type(schema) is not int or schema < 1:
        named = "without a schema" if schema is None else f"of schema {shown(schema)}"
        hint = f"schemas are 1 to {SCHEMA}, and those of newer releases"
        raise RecordError(f"a {what} {named}", "unknown-schema", hint, "schema")
    return schema


def opening_of(value: Any) -> Opening:
    """Return an opening from its JSON: the minimum alone, or an object of all that was posted."""
    if isinstance(value, dict):
        opening: Opening = converter().structure(value, Opening)
        return opening
    return Opening() if value is None else Opening(_integer(value, int))


Posted = Annotated[Opening, core.Form(opening_of, Opening.to_json, int | Opening | None)]
"""An opening, as snapshots and journals write it."""


@cache
def converter() -> Converter:
    """Return the converter that reads and writes all values of a table, strictly."""
    made = core.converter()
    made.register_structure_hook(Round, core.from_text(Round.parse))
    made.register_unstructure_hook(Round, str)
    made.register_structure_hook_func(_is_order, _order_hook(made))
    made.register_unstructure_hook_func(
        _is_order,
        lambda order: (
            {KEY: order.sealed} if isinstance(order, Sealed) else order and [*map(str, order)]
        ),
    )
    core.register_tagged(made, AnyCommand, _COMMANDS, "command")
    core.register_tagged(made, AnyEvent, _EVENTS, "event")
    return made


def _is_order(kind: Any) -> bool:
    return bool(kind == Order)


def _order_hook(made: Converter) -> Callable[[Any, Any], Any]:
    """Return what reads the order of a shoe: its cards, sealed ones, or null."""

    def hook(value: Any, _kind: Any) -> Any:
        if is_sealed(value):
            return Sealed(value[KEY])
        return None if value is None else made.structure(value, tuple[Card, ...])

    return hook


@cache
def _write(kind: str) -> Callable[[Any], dict[str, Any]]:
    """Return the hook that writes a class; once for a kind, since a journal writes every event."""
    hook: Callable[[Any], dict[str, Any]] = converter().get_unstructure_hook(
        _COMMANDS.get(kind) or _EVENTS.get(kind) or Command  # the base of one that is not known
    )
    return hook


@cache
def _defaults(kind: str) -> dict[str, Any]:
    return {
        attribute.name: converter().unstructure(attribute.default, attribute.type)
        for attribute in attrs.fields(attrs.resolve_types(_COMMANDS.get(kind, Command)))
        if attribute.default is not attrs.NOTHING
    }


def check(command: Command) -> None:
    """Check each field of a command from a host that may pass any value.

    Raises ``BetError`` ("bad-value"), which names the field and what was expected.
    """
    if surely_right(command):
        return
    values, fields = _checks(command.kind)
    for value, (name, kind, default, hook) in zip(values(command), fields, strict=True):
        if value is default:  # half of the fields: this saves a third of the time
            continue
        try:
            hook(value, kind)
        except (TrenteError, TypeError, BaseValidationError):
            _built, problems = core.structure(_exact_converter(), value, kind, (name,))
            what = f"command {command.kind!r}: {problems[0]}"
            raise BetError(what, "bad-value", problems[0].hint) from None


def surely_right(command: Command) -> bool:
    """Return whether each field is surely right; False where ``check`` has to say."""
    return _right(command.kind)(command)


@cache
def _right(command: str) -> Callable[[Command], bool]:
    """Return what says of nearly every command, in one expression, that each field is right.

    It says no of values that have to be looked at more closely, whether they are right or not.
    """
    tests: list[str] = []
    names: dict[str, Any] = {"Round": Round}
    fields = attrs.fields(attrs.resolve_types(_COMMANDS[command]))
    for number, each in enumerate(fields):
        value, kinds = f"(v := command.{each.name})", get_args(each.type)
        optional = kinds[1:] == (type(None),)
        quick = _QUICK.get(kinds[0] if optional else each.type, "False")
        also = "v is None or " if optional else ""
        if each.default is attrs.NOTHING:
            given = " and v" if each.name in ("id", "stake") else ""  # an empty one is refused
            tests.append("False" if optional else quick.format(value) + given)
        else:  # most fields have their default: that is the shortest test
            names[f"default{number}"] = each.default
            tests.append(f"({value} is default{number} or {also}{quick.format('v')})")
    source = f"lambda command: {' and '.join(tests)}"
    found: Callable[[Command], bool] = eval(source, names)  # noqa: S307 - names of fields alone
    return found


_QUICK: Final[dict[Any, str]] = {
    str: "type({}) is str and v.isascii()",
    bool: "type({}) is bool",
    int: f"type({{}}) is int and -{2**63} < v < {2**63}",
    Round: "type({}) is Round",
}
"""What is surely right of a value ``v`` of a type: narrower than the hooks of ``_checks``."""


@cache
def _checks(
    command: str,
) -> tuple[
    Callable[[Command], tuple[Any, ...]],
    tuple[tuple[str, Any, Any, Callable[[Any, Any], Any]], ...],
]:
    """Return what gets the values of all fields, and name, type, default and hook of each."""
    hook = _exact_converter().get_structure_hook
    fields = attrs.fields(attrs.resolve_types(_COMMANDS[command]))
    checks = tuple((each.name, each.type, each.default, hook(each.type)) for each in fields)
    return attrgetter(*(each.name for each in fields)), checks


@cache
def _exact_converter() -> Converter:
    """Return the converter that takes values as they are in a command: cards, tuples."""
    made = converter().copy()
    made.register_structure_hook(int, core.exactly(int, bits=_COMMAND_BITS))
    made.register_structure_hook(Card, core.exactly(Card, "a Card"))
    made.register_structure_hook_func(  # sealed cards are refused
        _is_order,
        lambda value, _kind: None if value is None else made.structure(value, tuple[Card, ...]),
    )
    made.register_structure_hook(Opening, core.exactly(Opening, "an Opening"))
    made.register_structure_hook(Round, core.exactly(Round, "a Round"))
    made.register_structure_hook(SlipBet, _exact_bet(made))
    made.register_structure_hook_factory(core.is_tuple, _exact_tuple)
    return made


def _exact_bet(made: Converter) -> Callable[[Any, Any], Any]:
    """Return the hook of a bet: a ``SlipBet`` whose fields are of their types."""
    whole, fields = core.exactly(SlipBet, "a SlipBet"), attrs.fields(attrs.resolve_types(SlipBet))
    values = attrgetter(*(each.name for each in fields))

    def hook(value: Any, kind: Any) -> Any:
        members = zip((each.name for each in fields), values(whole(value, kind)), strict=True)
        core.structure_each(made, members, (each.type for each in fields), kind)
        return value

    return hook


def _exact_tuple(kind: Any, made: Converter) -> Callable[[Any, Any], Any]:
    inner, whole = core.tuple_hook(kind, made), core.exactly(tuple, "a tuple")
    return lambda value, each: inner(whole(value, each), each)
