"""Values as TOML writes them: the way back of ``structure``."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, Final

import attrs
from cattrs import Converter
from cattrs.gen import make_dict_unstructure_fn, override

from trente_rules.house.structure import COURSE_NAME, NONE, is_tuple, is_union
from trente_rules.money import Amount
from trente_rules.rules.limits import ChanceLimit
from trente_rules.rules.machine import Answer, Course
from trente_rules.rules.phrases import Phrases


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
    """Answer a value as the tables, lists, texts and numbers that TOML writes."""
    table: dict[str, Any] = _unstructurer().unstructure(value)
    return table
