"""Values from TOML, and back: strict, with every problem found in one pass.

The classes of the house declare their keys (``keys.key``); cattrs builds them. Nothing is coerced:
an integer is an integer, an amount no float, a choice one of its words.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from itertools import repeat
from typing import Any, Final, Literal, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from trente_rules.core import converter as core
from trente_rules.core.chances import COULEUR, VERDICTS, Condition, Pay, Verdict
from trente_rules.core.converter import (
    KeyPath,
    Problem,
    expected_error,
    is_tuple,
    is_union,
    structure_each,
    structure_literal,
    structure_table,
    tuple_hook,
)
from trente_rules.core.coup import POINTS
from trente_rules.core.errors import RuleError, shown
from trente_rules.core.keys import fault_of, named_key, written_name
from trente_rules.core.money import parse_fraction
from trente_rules.core.rules.announcements import Phrases
from trente_rules.core.rules.limits import ChanceLimit
from trente_rules.core.rules.refait import CourseKeys, CoursesKeys

NONE: Final = "none"
"""The value that removes an inherited optional key."""
_PER_CHANCE: Final = tuple[ChanceLimit, ...]
_MACHINE: Final = tuple[CoursesKeys, ...]


@cache
def converter() -> Converter:
    """Return the converter of houses: made once, since it compiles a function for each class."""
    made = core.converter()
    made.register_structure_hook_factory(attrs.has, _attrs_hook)
    made.register_structure_hook_factory(is_tuple, _list_hook)
    made.register_unstructure_hook_factory(attrs.has, _write_attrs)
    made.register_structure_hook_func(is_union, partial(_union, made))
    made.register_structure_hook(Fraction, _fraction)
    forms: tuple[tuple[Any, Callable[[Any, Any], Any], Callable[[Any], Any]], ...] = (
        (Phrases, _phrases, dict),
        (_PER_CHANCE, _per_chance, _write_per_chance),
        (_MACHINE, _machine, _write_machine),
        (tuple[Condition, ...], made.get_structure_hook(tuple[Condition, ...]), _write_conditions),
        (tuple[Pay, ...], made.get_structure_hook(tuple[Pay, ...]), _write_conditions),
    )
    for form, read, write in forms:
        made.register_structure_hook_func(partial(_is_form, form), read)
        made.register_unstructure_hook_func(partial(_is_form, form), write)
    return made


def _is_form(form: Any, kind: Any) -> bool:
    return bool(kind == form)


def structure(cls: type, table: Any, path: KeyPath) -> tuple[Any, tuple[Problem, ...]]:
    """Build a value from a table; return it, or None and everything that is wrong with it."""
    return core.structure(converter(), table, cls, path, names=_key_of)


def unstructure(value: Any) -> dict[str, Any]:
    """Return a value as the tables, lists, texts and numbers that TOML writes."""
    table: dict[str, Any] = converter().unstructure(value)
    return table


def _attrs_hook(cls: type, made: Converter) -> Callable[[Any, Any], Any]:
    overrides: dict[str, Any] = {}
    for attribute in attrs.fields(attrs.resolve_types(cls)):
        hook = partial(_checked, made, attribute)
        overrides[attribute.name] = override(
            omit=not attribute.init, struct_hook=hook, rename=_renamed(attribute)
        )
    built: Any = make_dict_structure_fn(cls, made, _cattrs_forbid_extra_keys=True, **overrides)
    return lambda value, kind: built(structure_table(value), kind)


def _renamed(attribute: attrs.Attribute[Any]) -> str | None:
    name = written_name(attribute)
    return None if name == attribute.name else name


def _key_of(cls: type, name: str) -> str:
    """Return the key of a field of a class that is read from TOML."""
    fields = attrs.fields_dict(cls) if attrs.has(cls) else {}
    return written_name(fields[name]) if name in fields else name


def _checked(made: Converter, attribute: attrs.Attribute[Any], value: Any, kind: Any) -> Any:
    """Structure a field and run its check at once, so that every field's fault is found."""
    built = made.structure(value, kind)
    if fault := fault_of(attribute, built):
        raise RuleError(fault, "out-of-range")
    return built


def _write_attrs(cls: type, made: Converter) -> Callable[[Any], dict[str, Any]]:
    renamed = {
        attribute.name: override(rename=name)
        for attribute in attrs.fields(attrs.resolve_types(cls))
        if (name := _renamed(attribute))
    }
    inner: Any = make_dict_unstructure_fn(cls, made, **renamed)  # type: ignore[arg-type]
    return lambda value: {
        name: NONE if part is None else part for name, part in inner(value).items()
    }


def _fraction(value: Any, _kind: Any) -> Fraction:
    if type(value) is int and value >= 0:
        value = str(value)  # one bound for both spellings: what is read is written as text
    if isinstance(value, str):
        return parse_fraction(value)
    raise expected_error("a fraction", value, 'write it as text, such as "1/100"')


def _union(made: Converter, value: Any, kind: Any) -> Any:
    """Read one of several: nothing, a word, a list, or else the one plain type."""
    members = [member for member in get_args(kind) if member is not type(None)]
    if len(members) < len(get_args(kind)) and value in (None, NONE):
        return None
    by_origin = {get_origin(member): member for member in members}
    words = get_args(by_origin.pop(Literal, None))
    if isinstance(value, str) and value in words:
        return value
    row = by_origin.pop(tuple, None)
    if row and isinstance(value, list):
        return made.structure(value, row)
    for plain in by_origin.values():
        return made.structure(value, plain)
    if not row:
        return structure_literal(value, Literal[words])
    hint = _list_hint(get_args(row)[0], value)
    raise expected_error(f"a list or {', '.join(map(repr, words))}", value, hint)


def _list_hook(kind: Any, made: Converter) -> Callable[[Any, Any], tuple[Any, ...]]:
    """Return the hook of a tuple, which shows how a list is written where none is."""
    read = tuple_hook(kind, made)
    member = get_args(kind)[0]

    def structure_list(value: Any, of: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise expected_error("a list", value, _list_hint(member, value))
        return read(value, of)

    return structure_list


def _list_hint(member: Any, value: Any) -> str:
    """Return the list to write instead of a value: of itself where it could be a member."""
    kind = dict if attrs.has(member) else int if member is int else str
    text = shown(value)
    if type(value) is kind and not text.endswith("..."):
        return f"write [{text}]"
    return _EXAMPLES.get(member, "")


_EXAMPLES: Final = {
    Condition: "write a list of conditions, such as [{ tie = true }]",
    Pay: 'write a list of conditions with odds, such as [{ tie = true, odds = "2" }]',
}


def _phrases(value: Any, _kind: Any) -> Phrases:
    table = structure_table(value)
    texts = structure_each(converter(), table.items(), repeat(str), Phrases)
    return tuple(sorted(zip(table, texts, strict=True)))


def _per_chance(value: Any, kind: Any) -> tuple[ChanceLimit, ...]:
    if isinstance(value, list):
        first = value[0].get("chance") if value and isinstance(value[0], dict) else None
        hint = f"write [limits.per_chance.{first if isinstance(first, str) else COULEUR}]"
        raise expected_error("a table", value, hint)
    named = (
        (name, {"chance": name, **limit} if isinstance(limit, dict) else limit)
        for name, limit in structure_table(value).items()
        if limit != NONE
    )
    return structure_each(converter(), named, repeat(ChanceLimit), kind)


def _write_per_chance(limits: tuple[ChanceLimit, ...]) -> dict[str, Any]:
    written = {limit.chance: unstructure(limit) for limit in limits}
    for table in written.values():
        table.pop("chance")
    return written


_Courses = tuple[CourseKeys, ...]
STATE_VERDICTS: Final = (*VERDICTS, *map(Verdict.refait_of, POINTS))
"""The verdicts that a machine in TOML may name: those of every house, the refait of one point."""
_State: Final = attrs.make_class(
    "_State",
    {
        verdict.id.replace("-", "_"): attrs.field(
            default=(), type=_Courses, metadata=named_key(verdict.id)
        )
        for verdict in STATE_VERDICTS
    },
    frozen=True,
)
"""The courses of one state, as TOML writes them: a list for each verdict."""


def _machine(value: Any, kind: Any) -> tuple[CoursesKeys, ...]:
    table = structure_table(value)
    states = structure_each(converter(), table.items(), repeat(_State), kind)
    return tuple(
        CoursesKeys(name, verdict, courses)
        for name, state in zip(table, states, strict=True)
        for verdict in STATE_VERDICTS
        if (courses := getattr(state, verdict.id.replace("-", "_")))
    )


def _write_conditions(conditions: tuple[Condition, ...]) -> list[dict[str, Any]]:
    """Return the conditions with the keys that are given."""
    return [
        {name: value for name, value in unstructure(each).items() if value not in (NONE, [])}
        for each in conditions
    ]


def _write_machine(answers: tuple[CoursesKeys, ...]) -> dict[str, Any]:
    defaults = unstructure(CourseKeys(""))
    written: dict[str, Any] = {}
    for answer in answers:
        courses = (unstructure(course) for course in answer.courses)
        written.setdefault(answer.state, {})[answer.verdict.id] = [
            {name: value for name, value in course.items() if value != defaults[name]}
            for course in courses
        ]
    return written
