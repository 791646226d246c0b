"""The one converter: JSON and TOML to frozen values and back, with the path of every fault.

Nothing is coerced: ``"7"`` and ``True`` are not integers, a string is not a list. Houses, the live
table and records each add their own hooks to a new ``converter()``.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

import attrs
from attrs import define, field, frozen
from cattrs import Converter
from cattrs.errors import (
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.errors import RuleError, TrenteError, shown, without_cards
from trente_rules.core.keys import keys_of
from trente_rules.core.money import Amount, parse_share
from trente_rules.core.names import nearest_of_few
from trente_rules.core.text import printable

T = TypeVar("T")
KeyPath = tuple[str | int, ...]
MOST_BITS: Final = 128
"""Bits of the largest integer that is read: more than any sum of amounts has."""
MOST_UNITS: Final = 1 << 100
"""No sum of amounts that are each allowed reaches this."""
_HALF: Final = re.compile("[\ud800-\udfff]")
_WORDS: Final = {
    bool: "true or false",
    int: "a whole number",
    float: "a decimal number",
    str: "a text",
    list: "a list",
    dict: "a table",
    NoneType: "nothing",
}


class NewerSchemaWarning(UserWarning):
    """Fields that only a newer release knows were left out in reading."""


@frozen
class Problem:
    """A fault before it is placed: the path of the key, and what is wrong there.

    ``fix`` is a key and its value, as TOML writes it, with which the fault is gone: what a document
    writes that inherits the key.
    """

    path: KeyPath
    code: str
    message: str
    hint: str = ""
    at: Literal["key", "value"] = "value"
    cause: Exception | None = field(default=None, eq=False)
    fix: tuple[KeyPath, Any] | None = field(default=None, eq=False)

    def __str__(self) -> str:
        """Return the path and what is wrong there."""
        return f"{path_text(self.path)}: {self.message}" if self.path else self.message


@frozen
class Form:
    """How a field is written where its type alone does not say: the metadata of ``Annotated``.

    ``schema`` describes what is written: a JSON Schema, or a type that is written that way; by
    default the type that is annotated.
    """

    read: Callable[[Any], Any]
    write: Callable[[Any], Any] = lambda value: value
    schema: Any = field(default=None, eq=False)


def path_text(path: KeyPath) -> str:
    """Return a path as text, lists counted from 1: ``coups[2].stakes[1].won``; without cards."""
    text = ""
    for step in path:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if text else step
    return without_cards(text)  # a key may be anything, also the order of a shoe


def legible(text: str) -> bool:
    """Return whether a string can be stored: it has no half of a character (a lone surrogate)."""
    return text.isascii() or not _HALF.search(text)


def half_characters(value: object) -> tuple[KeyPath, ...]:
    """Return the paths of the texts of a JSON value that cannot be stored.

    A key has the path of its table, so that a path never holds what cannot be stored.
    """
    found: list[KeyPath] = []
    rest: list[tuple[KeyPath, object]] = [((), value)]
    while rest:  # not by recursion: a stranger's value is as deep as he likes
        path, each = rest.pop()
        if isinstance(each, str):
            found += [] if legible(each) else [path]
        elif isinstance(each, Mapping):
            for key, member in each.items():
                if legible(str(key)):
                    rest.append(((*path, str(key)), member))
                else:
                    found.append(path)
        elif isinstance(each, (list, tuple)):
            rest += [((*path, place), member) for place, member in enumerate(each)]
    return tuple(dict.fromkeys(found))


def expected_error(what: str, value: object, hint: str = "") -> RuleError:
    """Return the error of a value of a kind that its key does not take ("wrong-type")."""
    kind = _WORDS.get(type(value), "a value").partition(" ")[2]
    got = f"the {kind} {shown(value)}" if type(value) not in (bool, NoneType) else shown(value)
    got = "nothing" if value is None else got
    return RuleError(f"expected {what}, got {got}", "wrong-type", hint)


def exactly(kind: Any, what: str = "", *, bits: int = MOST_BITS) -> Callable[[Any, Any], Any]:
    """Return the hook of a plain type: a value of exactly this class, of no more than ``bits``."""
    words = what or _WORDS[kind]

    def wrong_error(value: Any) -> RuleError:
        if type(value) is not kind:
            return expected_error(words, value)
        if kind is int:
            return RuleError(f"{shown(value)} has more than {bits} bits", "out-of-range")
        return RuleError(f"{shown(value)} holds half a character", "wrong-type")

    # A function for each sort, without branches: a table checks every field of every command.
    def integer(value: Any, _kind: Any) -> Any:
        if type(value) is int and value.bit_length() <= bits:
            return value
        raise wrong_error(value)

    def text(value: Any, _kind: Any) -> Any:
        if type(value) is str and (value.isascii() or legible(value)):
            return value
        raise wrong_error(value)

    def other(value: Any, _kind: Any) -> Any:
        if type(value) is kind:
            return value
        raise wrong_error(value)

    return integer if kind is int else text if kind is str else other


_text: Final = exactly(str)
_integer: Final = exactly(int, bits=10_000)


def whole(least: int, most: int = MOST_UNITS) -> Form:
    """Return the form of a whole number from ``least`` to ``most``."""

    def read(value: object) -> int:
        number: int = _integer(value, int)
        if not least <= number <= most:
            wanted = f"it is {least} to {most}" if most < MOST_UNITS else f"it is {least} or more"
            raise RuleError(f"{shown(value)} is out of range", "out-of-range", wanted)
        return number

    schema = {"type": "integer", "minimum": least}
    return Form(read, schema=schema if most == MOST_UNITS else {**schema, "maximum": most})


def from_text(parse: Callable[[str], T]) -> Callable[[Any, Any], T]:
    """Return the hook of a value that is written as a string."""
    return lambda value, _kind: parse(_text(value, str))


def structure_amount(value: Any, _kind: Any) -> Amount:
    """Read an amount: a whole number, or a decimal as a string; never a float ("float-money")."""
    if isinstance(value, float):
        raise RuleError(
            f"{shown(value)} is a decimal number, which is not exact",
            "float-money",
            f'write the amount as text: "{value}"' if abs(value) < 10**9 else "write it as text",
        )
    if type(value) is int or isinstance(value, str):
        return Amount.parse(value)
    raise expected_error("an amount", value)


@define(eq=False, slots=False)
class _ChoiceError(RuleError):
    """A word outside a list of a few; similar words are looked up where the problem is made."""

    value: str = ""
    words: tuple[str, ...] = ()


def structure_literal(value: Any, choices: Any) -> Any:
    """Read one of a few words."""
    words = get_args(choices)
    for word in words:
        if value == word and type(value) is type(word):  # 1 == True
            return word
    listed = ", ".join(repr(word) for word in words)
    if not isinstance(value, str):
        raise expected_error(f"one of {listed}", value)
    message = f"{shown(value)} is not one of {listed}"
    raise _ChoiceError(message, "bad-choice", value=value, words=words)


def is_literal(kind: object) -> bool:
    """Return whether a type is one of a few words."""
    return _origin(kind) is Literal


def is_union(kind: object) -> bool:
    """Return whether a type is one of several."""
    return _origin(kind) in (Union, UnionType)


def is_tuple(kind: object) -> bool:
    """Return whether a type is a tuple of something."""
    return _origin(kind) is tuple


def _origin(kind: Any) -> object:
    return get_origin(kind)


def structure_table(value: Any) -> dict[str, Any]:
    """Return a table (a JSON object) as it is; raise ``RuleError`` for anything else."""
    if not isinstance(value, dict):
        raise expected_error("a table", value)
    return value


def structure_each(
    converter: Converter, members: Iterable[tuple[str | int, Any]], kinds: Iterable[Any], whole: Any
) -> tuple[Any, ...]:
    """Structure members one by one, and collect what is wrong with each."""
    done, wrong = [], []
    for (place, value), kind in zip(members, kinds, strict=False):
        try:
            done.append(converter.structure(value, kind))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is reported with its place
            error.__notes__ = [
                *getattr(error, "__notes__", []),
                IterableValidationNote(f"member {place!r}", place, kind),
            ]
            wrong.append(error)
    if wrong:
        raise IterableValidationError("members", wrong, whole)
    return tuple(done)


def tuple_hook(kind: Any, converter: Converter) -> Callable[[Any, Any], tuple[Any, ...]]:
    """Return the hook of a tuple: it takes a list, not a string or an object that has parts."""
    members = get_args(kind)
    alike = members[-1] is ...

    def structure(value: Any, _kind: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise expected_error("a list", value)
        if not alike:
            if len(value) != len(members):
                wrong = f"{shown(value)} has {len(value)} members, not {len(members)}"
                raise RuleError(wrong, "wrong-type")
            return structure_each(converter, enumerate(value), members, kind)
        hook = converter.get_structure_hook(members[0])
        try:  # most lists are right: their members need no place
            return tuple([hook(each, members[0]) for each in value])
        except Exception:  # noqa: BLE001 - collected, each with its place
            return structure_each(converter, enumerate(value), members[:1] * len(value), kind)

    return structure


def _attrs(cls: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    built = make_dict_structure_fn(cls, converter, _cattrs_forbid_extra_keys=True)
    return lambda value, kind: built(structure_table(value), kind)


def form_of(kind: Any) -> Form:
    """Return the form of an annotated type."""
    return next(mark for mark in get_args(kind) if isinstance(mark, Form))


def _has_form(kind: Any) -> bool:
    return get_origin(kind) is Annotated and any(isinstance(m, Form) for m in get_args(kind))


def _read_form(kind: Any) -> Callable[[Any, Any], Any]:
    read = form_of(kind).read
    return lambda value, _kind: read(value)


def converter() -> Converter:
    """Return a new converter of all values of the core."""
    made = Converter(unstruct_collection_overrides={tuple: list})
    made.register_structure_hook_factory(attrs.has, _attrs)
    made.register_structure_hook_factory(is_tuple, tuple_hook)
    made.register_structure_hook_func(is_literal, structure_literal)
    for kind in (int, str, bool):
        made.register_structure_hook(kind, exactly(kind))
    read: dict[type, Callable[[str], Any]] = {
        Fraction: parse_share,
        Card: Card.parse,
        Coup: Coup.parse,
        Verdict: Verdict.of_id,
    }
    for cls, parse in read.items():
        made.register_structure_hook(cls, from_text(parse))
        made.register_unstructure_hook(cls, str)
    made.register_unstructure_hook(Verdict, lambda verdict: verdict.id)
    made.register_structure_hook(Amount, structure_amount)
    made.register_unstructure_hook(Amount, Amount.written)
    made.register_structure_hook_factory(_has_form, _read_form)
    made.register_unstructure_hook_factory(_has_form, lambda kind: form_of(kind).write)
    return made


@cache
def _plain() -> Converter:
    return converter()


def register_tagged(
    made: Converter, union: Any, classes: Mapping[str, type], what: str, *, tag: str = "kind"
) -> None:
    """Register a union with a converter: ``tag`` names the class, and is written first.

    Reading raises ``RuleError`` ("unknown-kind"); None is read where the union has it.
    """
    names = {cls: name for name, cls in classes.items()}

    def structure(value: Any, _kind: Any) -> Any:
        if value is None and NoneType in get_args(union):
            return None
        table = dict(structure_table(value))
        name = table.pop(tag, None)
        cls = classes.get(name) if isinstance(name, str) else None
        if cls is None:
            hint = f"kinds are {', '.join(classes)}"
            raise RuleError(f"{shown(name)} is not a kind of {what}", "unknown-kind", hint, tag)
        return made.structure(table, cls)

    def unstructure(value: Any) -> Any:
        return value and {tag: names[type(value)], **made.unstructure(value)}

    made.register_structure_hook_func(lambda kind: kind == union, structure)
    made.register_unstructure_hook_func(lambda kind: kind == union, unstructure)


def structure(
    made: Converter,
    value: Any,
    cls: Any,
    path: KeyPath = (),
    *,
    newer: bool = False,
    names: Callable[[type, str], str] = lambda _cls, name: name,
) -> tuple[Any, tuple[Problem, ...]]:
    """Return a value that is built from JSON or TOML, or None and everything wrong with it.

    Where a ``newer`` release wrote it, unknown keys are left out with a ``NewerSchemaWarning``.
    ``names`` gives the key of a field where the two differ.
    """
    try:
        return made.structure(value, cls), ()
    except Exception as error:  # noqa: BLE001 - a plugin's class may raise anything
        found = tuple(_problems(error, path, cls, names, nearest_of_few()))
    unknown = [problem for problem in found if problem.code == "unknown-key"]
    if not newer or not unknown:
        return None, found
    keys = printable(", ".join(path_text(problem.path) for problem in unknown))
    warnings.warn(f"written by a newer release: {keys} left out", NewerSchemaWarning, stacklevel=3)
    return structure(made, without(value, unknown, len(path)), cls, path, names=names)


def read(value: Any, cls: type[T], what: str, code: str) -> T:
    """Return a value of the core; ``TrenteError`` of this code says what is wrong with it."""
    built: T | None
    built, problems = structure(_plain(), value, cls)
    if built is None:
        reasons = "; ".join(str(problem) for problem in problems[:5])
        raise TrenteError(f"{what}: {reasons}", code, problems[0].hint)
    return built


def without(value: Any, problems: Iterable[Problem], start: int = 0) -> Any:
    """Return a copy of a JSON value without the keys of these problems.

    Their paths lead into the value from step ``start`` on.
    """
    known = deepcopy(value)
    for problem in problems:
        inner = known
        for step in problem.path[start:-1]:
            inner = inner[step]
        del inner[problem.path[-1]]
    return known


def _problems(
    error: BaseException,
    path: KeyPath,
    cls: Any,
    names: Callable[[type, str], str],
    near: Callable[[str, Iterable[str]], str],
) -> Iterator[Problem]:
    match error:
        case ClassValidationError():
            noted, others = error.group_exceptions()
            for cause, note in noted:
                yield from _problems(
                    cause, (*path, names(error.cl, note.name)), note.type, names, near
                )
            for cause in others:
                yield from _problems(cause, path, error.cl, names, near)
        case IterableValidationError():
            for cause, place in error.group_exceptions()[0]:
                yield from _problems(cause, (*path, place.index), place.type, names, near)
        case ForbiddenExtraKeysError():
            known = [names(error.cl, info.name) for info in keys_of(error.cl)]
            for name in sorted(error.extra_fields):
                hint = near(name, known) or f"keys are {', '.join(known)}"
                yield Problem(
                    (*path, name), "unknown-key", f"unknown key {shown(name)}", hint, "key"
                )
        case KeyError():
            yield Problem(path, "missing-key", f"{shown(path[-1])} is missing", "", "key")
        case _ChoiceError():
            hint = near(error.value, error.words)
            yield Problem(path, error.code, error.message, hint)
        case TrenteError():
            inner = tuple(error.field.split(".")) if isinstance(error, RuleError) else ()
            yield Problem((*path, *filter(None, inner)), error.code, error.message, error.hint)
        case ValueError():
            yield Problem(path, "out-of-range", str(error).split(": ", 1)[-1])
        case _:
            name = getattr(cls, "__name__", str(cls))
            yield Problem(path, "rule-fails", f"{name} fails: {type(error).__name__}: {error}")
