"""Values from what TOML holds: strict, and every problem found in one pass.

The classes of the house declare their keys (``keys.key``); cattrs builds them. Nothing is coerced:
an integer is an integer, an amount no float, a choice one of its words.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import repeat
from typing import Any, Final, Literal, get_args, get_origin

import attrs
from attrs import frozen
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from trente_rules.core.chances import VERDICTS
from trente_rules.core.converter import (
    KeyPath,
    Problem,
    exactly,
    expected_error,
    is_literal,
    is_tuple,
    is_union,
    structure_amount,
    structure_each,
    structure_literal,
    structure_table,
    tuple_hook,
)
from trente_rules.core.converter import structure as structured
from trente_rules.core.errors import RuleError
from trente_rules.core.keys import fault_of
from trente_rules.core.machine import Answer
from trente_rules.core.money import Amount, parse_fraction
from trente_rules.core.rules.announcements import Phrases
from trente_rules.core.rules.limits import ChanceLimit
from trente_rules.core.rules.refait import CourseKeys

NONE: Final = "none"
"""What removes an inherited key that need not be there."""


def _fraction(value: Any, _type: Any) -> Fraction:
    if type(value) is int and value >= 0:
        return Fraction(value)
    if isinstance(value, str):
        return parse_fraction(value)
    hint = 'write it as text, such as "1/100"'
    raise expected_error("a fraction", value, hint)


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
        raise expected_error(f"a list or {', '.join(words)}", value)

    return structure


def _phrases(value: Any, _type: Any) -> Phrases:
    converter = structurer()
    table = structure_table(value)
    texts = structure_each(converter, table.items(), repeat(str), Phrases)
    return tuple(sorted(zip(table, texts, strict=True)))


def _per_chance(value: Any, kind: Any) -> tuple[ChanceLimit, ...]:
    table = structure_table(value)
    named = (
        (name, {"chance": name, **limit} if isinstance(limit, dict) else limit)
        for name, limit in table.items()
    )
    return structure_each(structurer(), named, repeat(ChanceLimit), kind)


@frozen
class _State:
    """The answers of one state, as TOML writes them: a list of courses for each verdict."""

    win: tuple[CourseKeys, ...] = ()
    lose: tuple[CourseKeys, ...] = ()
    apres: tuple[CourseKeys, ...] = ()
    refait: tuple[CourseKeys, ...] = ()
    close: tuple[CourseKeys, ...] = ()


def _machine(value: Any, kind: Any) -> tuple[Answer, ...]:
    table = structure_table(value)
    states = structure_each(structurer(), table.items(), repeat(_State), kind)
    return tuple(
        Answer(name, verdict, tuple(course.build() for course in courses))
        for name, state in zip(table, states, strict=True)
        for verdict in VERDICTS
        if (courses := getattr(state, verdict.id))
    )


def _attrs_hook(converter: Converter) -> Callable[[type], Callable[[Any, Any], Any]]:
    def factory(cls: type) -> Callable[[Any, Any], Any]:
        overrides: dict[str, Any] = {}
        for attribute in attrs.fields(attrs.resolve_types(cls)):
            overrides[attribute.name] = override(
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
            return inner(structure_table(value), kind)

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
    converter.register_structure_hook_func(is_literal, structure_literal)
    converter.register_structure_hook_func(is_union, _union(converter))
    converter.register_structure_hook_factory(is_tuple, tuple_hook)
    converter.register_structure_hook_func(lambda t: t == Phrases, _phrases)
    converter.register_structure_hook_func(lambda t: t == tuple[ChanceLimit, ...], _per_chance)
    converter.register_structure_hook_func(lambda t: t == tuple[Answer, ...], _machine)
    for kind in (int, bool, str):
        converter.register_structure_hook(kind, exactly(kind))
    converter.register_structure_hook(Fraction, _fraction)
    converter.register_structure_hook(Amount, structure_amount)
    return converter


def structure(cls: type, table: Any, path: KeyPath) -> tuple[Any, tuple[Problem, ...]]:
    """Build a value from a table; return it, or None and everything that is wrong with it."""
    return structured(structurer(), table, cls, path)


# --- Values as TOML writes them: the way back of ``structure``


@cache
def _unstructurer() -> Converter:
    converter = Converter(unstruct_collection_overrides={})

    def factory(cls: type) -> Callable[[Any], dict[str, Any]]:
        inner: Any = make_dict_unstructure_fn(attrs.resolve_types(cls), converter)
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
    defaults = unstructure(CourseKeys(""))
    written: dict[str, Any] = {}
    for answer in answers:
        courses = (unstructure(CourseKeys.of(course)) for course in answer.courses)
        written.setdefault(answer.state, {})[answer.verdict.id] = [
            {name: value for name, value in course.items() if value != defaults[name]}
            for course in courses
        ]
    return written


def unstructure(value: Any) -> dict[str, Any]:
    """Return a value as the tables, lists, texts and numbers that TOML writes."""
    table: dict[str, Any] = _unstructurer().unstructure(value)
    return table
