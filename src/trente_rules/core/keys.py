"""Keys of TOML: each is a field of a frozen class, with its meaning, its kind and its source.

Classes that are read from TOML declare their fields with ``key``; the JSON Schema, ``trente show``,
``trente diff`` and the reference in the documentation are generated from these declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Final, Literal

from attrs import NOTHING, Attribute, Factory, evolve, field, fields, frozen

from trente_rules.core.errors import RuleError, shown

Kind = Literal["fairness", "presentation"]
"""``fairness``: changes what is paid, accepted or dealt. ``presentation``: words and names only."""

_DOC: Final = "trente.doc"
_KIND: Final = "trente.kind"
_CHECK: Final = "trente.check"
_KEY_NAME: Final = "trente.name"


def key(
    default: Any = NOTHING,
    doc: str = "",
    *,
    kind: Kind = "fairness",
    factory: Callable[[], Any] | None = None,
    check: Callable[[Any], str] | None = None,
    name: str = "",
) -> Any:
    """Declare a field that is a TOML key.

    ``name`` is the key where it cannot be the name of a field. ``doc`` is its meaning in one or two
    sentences, with source and whom it favours where that is known. ``check`` returns the fault of a
    value in plain language, or an empty string.
    """

    def validate(_instance: object, attribute: Attribute[Any], value: Any) -> None:
        fault = check(value) if check else ""
        if fault:
            raise ValueError(f"{written_name(attribute)}: {fault}")

    return field(
        default=Factory(factory) if factory else default,
        validator=validate if check else None,
        metadata={_DOC: doc, _KIND: kind, _CHECK: check, _KEY_NAME: name},
    )


presentation: Final = partial(key, kind="presentation")
"""Declare a field that is a TOML key of words and names only."""


def named_key(name: str) -> dict[str, str]:
    """Return the metadata of a field whose key is not the name of the field."""
    return {_KEY_NAME: name}


def written_name(attribute: Attribute[Any]) -> str:
    """Return the key of a field, as TOML writes it."""
    name: str = attribute.metadata.get(_KEY_NAME) or attribute.name
    return name


def fault_of(attribute: Attribute[Any], value: Any) -> str:
    """Return the fault that the check of a key finds in a value, or an empty string."""
    check: Callable[[Any], str] | None = attribute.metadata.get(_CHECK)
    return check(value) if check else ""


Statement = Mapping[str, Any]
"""What a JSON Schema says of a value, by its type there: ``{"integer": {"minimum": 0}}``.

Of the members of a list, ``{"array": {"items": ...}}`` says the same once more.
"""


@frozen
class Stated:
    """A check, and what the JSON Schema can state of it."""

    check: Callable[[Any], str]
    schema: Statement

    def __call__(self, value: Any) -> str:
        """Return the fault of a value, or an empty string."""
        return self.check(value)


def stated(schema: Statement) -> Callable[[Callable[[Any], str]], Stated]:
    """Make a function a check that the JSON Schema states, too."""
    return lambda check: Stated(check, schema)


@frozen
class NumberRange:
    """A check of a number, which the JSON Schema states, too; None where there is no bound.

    Of a key that may be left out, None is a value as well.
    """

    least: int | None = None
    most: int | None = None
    optional: bool = False

    @property
    def schema(self) -> Statement:
        """The part of the check that the JSON Schema states: the two ends."""
        ends = {"minimum": self.least, "maximum": self.most}
        return {"integer": {name: end for name, end in ends.items() if end is not None}}

    def __call__(self, value: int | Fraction | None) -> str:
        """Return the fault of a value, or an empty string."""
        least, most = self.least, self.most
        if value is None:
            return "" if self.optional else "it is missing"
        if (least is None or value >= least) and (most is None or value <= most):
            return ""
        if least is None:
            return f"{value} is out of range ({most} or less)"
        ends = f"{least} or more" if most is None else f"{least} to {most}"
        return f"{value} is out of range ({ends})"


@frozen
class KeyInfo:
    """A key as it was declared: name, type, default (``NOTHING`` where it has no default).

    ``attribute`` is the name of its field, nearly always that of the key.
    """

    name: str
    attribute: str
    type: Any
    default: Any
    doc: str
    kind: Kind
    bounds: NumberRange | None = None
    """What a number may be, as far as two bounds say it."""
    stated: Statement = field(factory=dict)
    """What the JSON Schema states of the value besides its type."""


def keys_of(cls: type) -> Iterator[KeyInfo]:
    """Return the keys of a class that is read from TOML, in the order they were declared."""
    for attribute in fields(cls):
        if not attribute.init or attribute.name.startswith("_"):
            continue
        default = attribute.default
        if isinstance(default, Factory):  # type: ignore[arg-type]
            default = default.factory()
        check = attribute.metadata.get(_CHECK)
        yield KeyInfo(
            written_name(attribute),
            attribute.name,
            attribute.type,
            default,
            attribute.metadata.get(_DOC, ""),
            attribute.metadata.get(_KIND, "fairness"),
            check if isinstance(check, NumberRange) else None,
            check.schema if isinstance(check, NumberRange | Stated) else {},
        )


_LONGEST_NAME: Final = 60
_NAME: Final = rf"^[^\x00-\x20!-,/:-@\[-\^`{{-\x7f]{{1,{_LONGEST_NAME}}}$"
"""The pattern of a name in the schema: any letter of any script, but no other ASCII signs."""


@stated({"string": {"pattern": _NAME}})
def named(name: str) -> str:
    """Check a name: 1 to 60 letters, digits, hyphens, underscores, points."""
    if not name or len(name) > _LONGEST_NAME:
        return f"a name has 1 to {_LONGEST_NAME} characters"
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    return "" if plain.isalnum() else f"{shown(name)}: use only letters, digits, - _ ."


def at_least(least: int) -> NumberRange:
    """Make a check: a number not below ``least``."""
    return NumberRange(least)


def at_most(most: int) -> NumberRange:
    """Make a check: a number not above ``most``."""
    return NumberRange(most=most)


def between(least: int, most: int) -> NumberRange:
    """Make a check: a number from ``least`` to ``most``."""
    return NumberRange(least, most)


def if_given(check: Callable[[Any], str]) -> Callable[[Any], str]:
    """Make a check of a key that may be left out: of any value but None."""
    if isinstance(check, NumberRange):
        return evolve(check, optional=True)

    def given(value: Any) -> str:
        return "" if value is None else check(value)

    return Stated(given, check.schema) if isinstance(check, Stated) else given


def listed_twice(what: str, values: Collection[object]) -> str:
    """Return the fault of values of which one is given twice, or an empty string."""
    return f"{what} is listed twice" if len(set(values)) < len(values) else ""


def cannot_act_error(field_name: str, why: str, fix: object = None) -> RuleError:
    """Return the error of a key that is written, but has no effect in its house.

    ``fix`` is the value, as TOML writes it, at which the key does nothing; None for its default.
    """
    message = f"{field_name} cannot act: {why}"
    return RuleError(message, "key-cannot-act", f"leave {field_name} out", field_name, fix)
