"""Commands and events as JSON: objects of integers, texts, booleans, lists and null.

Cards are ``10♥``, shares ``1/2``, verdicts their ids, coups two rows with `` / `` between; ``kind``
names the command or event. Reading is strict: an unknown key, a missing one or a value of another
type is a ``RecordError`` that names the place; nothing is guessed.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, Final, TypeVar, cast, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.errors import BaseValidationError
from cattrs.v import transform_error

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.table.commands import COMMANDS, Command
from trente_rules.table.events import EVENTS, Event

# --- What a text of a table may be: one that can be written to a file or a database

_HALF: Final = re.compile("[\ud800-\udfff]")


def legible(text: str) -> bool:
    """Return whether a text can be stored: it holds no half of a character (a lone surrogate)."""
    return text.isascii() or not _HALF.search(text)


T = TypeVar("T")
_COMMANDS: Final = {each.kind: each for each in COMMANDS}
_EVENTS: Final = {each.kind: each for each in EVENTS}
_LONGEST_FRACTION: Final = 2000
_LONGEST_INTEGER: Final = 128
_SHARE: Final = re.compile("(-?[0-9]+)(?:/(0*[1-9][0-9]*))?", re.ASCII)


def command_to_json(command: Command) -> dict[str, Any]:
    """Return a command as an object; what is at its default is left out."""
    default = _defaults(command.kind)
    told = {
        name: value
        for name, value in cast("dict[str, Any]", converter().unstructure(command)).items()
        if name not in default or default[name] != value
    }
    return {"kind": command.kind, **told}


def command_from_json(told: Mapping[str, Any]) -> Command:
    """Build a command from an object; ``RecordError`` ("bad-command") where it is none."""
    return _built(told, _COMMANDS, "command")


def event_to_json(event: Event, index: int | None = None) -> dict[str, Any]:
    """Return an event as an object, with its index in the session where one is given."""
    head: dict[str, Any] = {} if index is None else {"index": index}
    return {**head, "kind": event.kind, **converter().unstructure(event)}


def event_from_json(told: Mapping[str, Any]) -> Event:
    """Build an event from an object; ``RecordError`` ("bad-event") where it is none."""
    if isinstance(told, Mapping):
        told = {key: value for key, value in told.items() if key != "index"}
    return _built(told, _EVENTS, "event")


def structure(told: object, kind: type[T], what: str) -> T:
    """Build a value of a class from JSON; ``RecordError`` ("bad-" and the word) if it cannot be."""
    try:
        return converter().structure(told, kind)
    except BaseValidationError as error:
        reasons = transform_error(error, path=what)
        raise RecordError(
            f"{len(reasons)} things are wrong: {'; '.join(reasons[:5])}"
            if len(reasons) > 1
            else reasons[0],
            f"bad-{what}",
            "see the page about records",
            what,
        ) from None
    except (TrenteError, TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        raise RecordError(f"{what}: {error}", f"bad-{what}", "", what) from None


def _built(told: Mapping[str, Any], kinds: Mapping[str, type[T]], what: str) -> T:
    if not isinstance(told, Mapping) or not isinstance(told.get("kind"), str):
        raise RecordError(f"a {what} is an object with a kind", f"bad-{what}", "", what)
    kind = kinds.get(told["kind"])
    if kind is None:
        raise RecordError(
            f"{told['kind'][:40]!r} is no kind of {what}",
            f"bad-{what}",
            f"kinds are {', '.join(kinds)}",
            "kind",
        )
    return structure({key: value for key, value in told.items() if key != "kind"}, kind, what)


@cache
def _defaults(kind: str) -> dict[str, Any]:
    return {
        attribute.name: converter().unstructure(attribute.default)
        for attribute in attrs.fields(_COMMANDS[kind])
        if attribute.default is not attrs.NOTHING
    }


@cache
def converter() -> Converter:
    """Return the converter that reads and writes all values of a table, strictly."""
    made = Converter(forbid_extra_keys=True)
    for kind in (int, str, bool):
        made.register_structure_hook(kind, _only(kind))
    made.register_structure_hook_factory(_is_tuple, lambda kind: _listed(made, kind))
    made.register_structure_hook(Fraction, _fraction)
    made.register_unstructure_hook(Fraction, str)
    made.register_structure_hook(Card, lambda text, _kind: Card.parse(_text(text)))
    made.register_unstructure_hook(Card, str)
    made.register_structure_hook(Coup, lambda text, _kind: Coup.parse(_text(text)))
    made.register_unstructure_hook(Coup, str)
    made.register_structure_hook(Verdict, lambda text, _kind: Verdict.of_id(_text(text)))
    made.register_unstructure_hook(Verdict, lambda verdict: verdict.id)
    return made


def _only(kind: type[T]) -> Callable[[object, object], T]:
    def hook(value: object, _kind: object) -> T:
        if type(value) is not kind:
            raise TypeError(f"{reprlib.repr(value)} is not of type {kind.__name__}")
        if isinstance(value, int) and value.bit_length() > _LONGEST_INTEGER:
            raise ValueError("an integer of more bits than any amount has")
        if isinstance(value, str) and not legible(value):
            raise ValueError(f"{reprlib.repr(value)} holds half a character")
        return value

    return hook


def _is_tuple(kind: object) -> bool:
    return get_origin(kind) is tuple


def _listed(made: Converter, kind: Any) -> Callable[[object, object], tuple[Any, ...]]:
    """Return the hook of a tuple: a list, and no text or object whose parts would pass for one."""
    members = get_args(kind)
    same = members[-1] is ...

    def hook(value: object, _kind: object) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise TypeError(f"{reprlib.repr(value)} is not a list")
        if not same and len(value) != len(members):
            raise ValueError(f"{len(value)} members, not {len(members)}")
        wanted = members[:1] * len(value) if same else members
        return tuple(made.structure(each, want) for each, want in zip(value, wanted, strict=True))

    return hook


def _text(value: object) -> str:
    return _only(str)(value, str)


def _fraction(value: object, _kind: object) -> Fraction:
    text = _text(value)
    found = _SHARE.fullmatch(text) if len(text) <= _LONGEST_FRACTION else None
    if found is None:
        raise ValueError(f"{text[:40]!r} is not a share such as 1/2")
    return Fraction(int(found[1]), int(found[2] or 1))
