"""Values from what TOML holds: strict, and every problem found in one pass.

The classes of the house declare their keys (``keys.key``); cattrs builds them. Nothing is coerced:
an integer is an integer, an amount no float, a choice one of its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

import attrs
from attrs import frozen
from cattrs import Converter
from cattrs.errors import (
    AttributeValidationNote,
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from trente_rules.core.chances import Verdict
from trente_rules.core.errors import RuleError
from trente_rules.core.keys import fault_of, keys_of
from trente_rules.core.machine import Answer, Course
from trente_rules.core.money import Amount, parse_fraction
from trente_rules.core.rules.announcements import Phrases
from trente_rules.core.rules.limits import ChanceLimit
from trente_rules.core.toml import nearest, shown

KeyPath = tuple[str | int, ...]
NONE: Final = "none"
"""What removes an inherited key that need not be there."""
COURSE_NAME: Final = "course"
"""What TOML calls the name of a course."""
_KINDS: Final = {
    bool: "true or false",
    int: "a whole number",
    float: "a decimal number",
    str: "a text",
    list: "a list",
    dict: "a table",
}


@frozen
class Problem:
    """A fault before it is placed: the path of the key, and what is wrong there."""

    path: KeyPath
    code: str
    message: str
    hint: str = ""
    at: Literal["key", "value"] = "value"


def expected(what: str, value: object, hint: str = "") -> RuleError:
    """Make the error of a value that is of another kind than its key takes."""
    kind = _KINDS.get(type(value), "a value")
    return RuleError(f"{shown(value)} is {kind}, not {what}", "wrong-type", hint)


def _strict(kind: type, what: str) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _type: Any) -> Any:
        if type(value) is not kind:
            raise expected(what, value)
        return value

    return structure


def _fraction(value: Any, _type: Any) -> Fraction:
    if type(value) is int and value >= 0:
        return Fraction(value)
    if isinstance(value, str):
        return parse_fraction(value)
    hint = 'write it as text, such as "1/100"'
    raise expected("a fraction", value, hint)


def _amount(value: Any, _type: Any) -> Amount:
    if isinstance(value, float):
        raise RuleError(
            f"{shown(value)} is a decimal number, which is not exact",
            "float-money",
            f'write the amount as text: "{value}"' if abs(value) < 10**9 else "write it as text",
        )
    if type(value) is int or isinstance(value, str):
        return Amount.parse(value)
    raise expected("an amount", value)


def _literal(value: Any, choices: Any) -> Any:
    words = get_args(choices)
    for word in words:
        if value == word and type(value) is type(word):
            return word
    listed = ", ".join(repr(word) for word in words)
    if not isinstance(value, str):
        raise expected(f"one of {listed}", value)
    raise RuleError(f"{shown(value)} is not one of {listed}", "bad-choice", nearest(value, words))


def is_union(kind: Any) -> bool:
    """Return whether a type is one of several."""
    return get_origin(kind) in (Union, UnionType)


def _is_literal(kind: Any) -> bool:
    origin: Any = get_origin(kind)
    return origin is Literal


def is_tuple(kind: Any) -> bool:
    """Return whether a type is a tuple of something."""
    origin: Any = get_origin(kind)
    return origin is tuple


def _union(converter: Converter) -> Callable[[Any, Any], Any]:
    def structure(value: Any, kind: Any) -> Any:
        members = get_args(kind)
        literals = [member for member in members if get_origin(member) is Literal]
        tuples = [member for member in members if get_origin(member) is tuple]
        plain = [
            m for m in members if m not in literals and m not in tuples and m is not type(None)
        ]
        if type(None) in members and value in (None, NONE):
            return None
        if any(value in get_args(member) for member in literals if isinstance(value, str)):
            return value
        if tuples and isinstance(value, list):
            return converter.structure(value, tuples[0])
        if plain:
            return converter.structure(value, plain[0])
        words = [repr(word) for member in literals for word in get_args(member)]
        raise expected(f"a list or {', '.join(words)}", value)

    return structure


def _tuple(converter: Converter) -> Callable[[Any, Any], Any]:
    def structure(value: Any, kind: Any) -> Any:
        if not isinstance(value, list):
            raise expected("a list", value)
        args = get_args(kind)
        if args[-1] is not ... and len(value) != len(args):
            raise RuleError(
                f"{shown(value)} has {len(value)} members, not {len(args)}", "wrong-type"
            )
        return _each(converter, enumerate(value), args[0], kind)

    return structure


def _each(
    converter: Converter, members: Iterator[tuple[str | int, Any]] | Any, member: Any, kind: Any
) -> tuple[Any, ...]:
    """Structure members one by one, and gather what is wrong with each."""
    done, wrong = [], []
    for place, value in members:
        try:
            done.append(converter.structure(value, member))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told with its place
            error.__notes__ = [
                *getattr(error, "__notes__", []),
                IterableValidationNote(f"member {place!r}", place, member),
            ]
            wrong.append(error)
    if wrong:
        raise IterableValidationError("members", wrong, kind)
    return tuple(done)


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise expected("a table", value)
    return value


def _phrases(value: Any, _type: Any) -> Phrases:
    converter = structurer()
    table = _table(value)
    texts = _each(converter, table.items(), str, Phrases)
    return tuple(sorted(zip(table, texts, strict=True)))


def _per_chance(value: Any, kind: Any) -> tuple[ChanceLimit, ...]:
    table = _table(value)
    named = (
        (name, {"chance": name, **limit} if isinstance(limit, dict) else limit)
        for name, limit in table.items()
    )
    return _each(structurer(), named, ChanceLimit, kind)


@frozen
class _State:
    """The answers of one state, as TOML writes them: a list of courses for each verdict."""

    win: tuple[Course, ...] = ()
    lose: tuple[Course, ...] = ()
    apres: tuple[Course, ...] = ()
    refait: tuple[Course, ...] = ()
    close: tuple[Course, ...] = ()


def _machine(value: Any, kind: Any) -> tuple[Answer, ...]:
    table = _table(value)
    states = _each(structurer(), table.items(), _State, kind)
    return tuple(
        Answer(name, verdict, courses)
        for name, state in zip(table, states, strict=True)
        for verdict in Verdict
        if (courses := getattr(state, verdict.id))
    )


def _attrs_hook(converter: Converter) -> Callable[[type], Callable[[Any, Any], Any]]:
    def factory(cls: type) -> Callable[[Any, Any], Any]:
        overrides: dict[str, Any] = {}
        for attribute in attrs.fields(attrs.resolve_types(cls)):
            overrides[attribute.name] = override(
                rename=COURSE_NAME if cls is Course and attribute.name == "name" else None,
                omit=not attribute.init,
                struct_hook=_checked(converter, attribute),
            )
        inner: Any = make_dict_structure_fn(
            cls,
            converter,
            _cattrs_forbid_extra_keys=True,
            _cattrs_detailed_validation=True,
            **overrides,
        )

        def structure(value: Any, kind: Any) -> Any:
            return inner(_table(value), kind)

        return structure

    return factory


def _checked(converter: Converter, attribute: Any) -> Callable[[Any, Any], Any]:
    """Structure a field and run its own check at once, so that every field's fault is found."""

    def structure(value: Any, kind: Any) -> Any:
        built = converter.structure(value, kind)
        fault = fault_of(attribute, built)
        if fault:
            raise RuleError(fault, "out-of-range")
        return built

    return structure


@cache
def structurer() -> Converter:
    """Return the converter: made once, since it compiles a function for each class."""
    converter = Converter(forbid_extra_keys=True, detailed_validation=True)
    converter.register_structure_hook_factory(attrs.has, _attrs_hook(converter))
    converter.register_structure_hook_func(_is_literal, _literal)
    converter.register_structure_hook_func(is_union, _union(converter))
    converter.register_structure_hook_func(is_tuple, _tuple(converter))
    converter.register_structure_hook_func(lambda t: t == Phrases, _phrases)
    converter.register_structure_hook_func(lambda t: t == tuple[ChanceLimit, ...], _per_chance)
    converter.register_structure_hook_func(lambda t: t == tuple[Answer, ...], _machine)
    for kind, what in ((int, "a whole number"), (bool, "true or false"), (str, "a text")):
        converter.register_structure_hook(kind, _strict(kind, what))
    converter.register_structure_hook(Fraction, _fraction)
    converter.register_structure_hook(Amount, _amount)
    return converter


def structure(cls: type, table: Any, path: KeyPath) -> tuple[Any, tuple[Problem, ...]]:
    """Build a value from a table; answer it, or None and everything that is wrong with it."""
    try:
        return structurer().structure(table, cls), ()
    except Exception as error:  # noqa: BLE001 - a plugin's class may raise anything
        return None, tuple(_problems(error, path, cls))


def _problems(error: BaseException, path: KeyPath, cls: Any) -> Iterator[Problem]:
    match error:
        case ClassValidationError():
            noted, others = error.group_exceptions()
            for cause, note in noted:
                yield from _problems(cause, (*path, _written(error.cl, note)), note.type)
            for cause in others:
                yield from _problems(cause, path, error.cl)
        case IterableValidationError():
            for cause, place in error.group_exceptions()[0]:
                yield from _problems(cause, (*path, place.index), place.type)
        case ForbiddenExtraKeysError():
            known = [_key_name(error.cl, info.name) for info in keys_of(error.cl)]
            for name in sorted(error.extra_fields):
                hint = nearest(name, known) or f"keys are {', '.join(known)}"
                yield Problem(
                    (*path, name), "unknown-key", f"unknown key {shown(name)}", hint, "key"
                )
        case KeyError():
            yield Problem(path, "missing-key", f"{shown(path[-1])} is missing", "", "key")
        case RuleError():
            inner = tuple(error.field.split(".")) if error.field else ()
            yield Problem((*path, *inner), error.code, error.message, error.hint)
        case ValueError():
            yield Problem(path, "out-of-range", str(error).split(": ", 1)[-1])
        case _:
            name = getattr(cls, "__name__", str(cls))
            yield Problem(path, "rule-fails", f"{name} fails: {type(error).__name__}: {error}")


def _written(cls: type, note: AttributeValidationNote) -> str:
    return _key_name(cls, note.name)


def _key_name(cls: type, name: str) -> str:
    return COURSE_NAME if cls is Course and name == "name" else name


# --- Values as TOML writes them: the way back of ``structure``


@cache
def _unstructurer() -> Converter:
    converter = Converter(unstruct_collection_overrides={})

    def factory(cls: type) -> Callable[[Any], dict[str, Any]]:
        rename: Any = {"name": override(rename=COURSE_NAME)} if cls is Course else {}
        inner: Any = make_dict_unstructure_fn(attrs.resolve_types(cls), converter, **rename)
        return lambda value: {
            name: NONE if part is None else part for name, part in inner(value).items()
        }

    converter.register_unstructure_hook_factory(attrs.has, factory)
    converter.register_unstructure_hook(Fraction, str)
    converter.register_unstructure_hook(Amount, Amount.written)
    converter.register_unstructure_hook_func(lambda t: t == Phrases, dict)
    converter.register_unstructure_hook_func(
        lambda t: is_tuple(t) and t not in (Phrases, _PER_CHANCE, _MACHINE),
        lambda members: [converter.unstructure(member) for member in members],
    )
    converter.register_unstructure_hook_func(is_union, converter.unstructure)
    converter.register_unstructure_hook_func(lambda t: t == _PER_CHANCE, _write_per_chance)
    converter.register_unstructure_hook_func(lambda t: t == _MACHINE, _write_machine)
    return converter


_PER_CHANCE: Final = tuple[ChanceLimit, ...]
_MACHINE: Final = tuple[Answer, ...]


def _write_per_chance(limits: tuple[ChanceLimit, ...]) -> dict[str, Any]:
    written = {limit.chance: unstructure(limit) for limit in limits}
    for table in written.values():
        table.pop("chance")
    return written


def _write_machine(answers: tuple[Answer, ...]) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for answer in answers:
        courses = []
        for course in answer.courses:
            table = unstructure(course)
            defaults = {"returned": "0", "staying": "0", "state": "", "default": False}
            courses.append(
                {
                    name: value
                    for name, value in table.items()
                    if defaults.get(name) != value and (name, value) != ("not_below", NONE)
                }
            )
        written.setdefault(answer.state, {})[answer.verdict.id] = courses
    return written


def unstructure(value: Any) -> dict[str, Any]:
    """Return a value as the tables, lists, texts and numbers that TOML writes."""
    table: dict[str, Any] = _unstructurer().unstructure(value)
    return table
