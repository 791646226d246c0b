"""Keys of TOML: each is a field of a frozen class, with its meaning, its kind and its source.

Classes that are read from TOML declare their fields with ``key``; the JSON Schema, ``trente show``,
``trente diff`` and the reference in the documentation are generated from these declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, Literal

from attrs import NOTHING, Attribute, Factory, field, fields, frozen

from trente_rules.core.errors import RuleError

Kind = Literal["fairness", "presentation"]
"""``fairness``: changes what is paid, accepted or dealt. ``presentation``: words and names only."""

_DOC: Final = "trente.doc"
_KIND: Final = "trente.kind"
_CHECK: Final = "trente.check"


def key(
    default: Any = NOTHING,
    doc: str = "",
    *,
    kind: Kind = "fairness",
    factory: Callable[[], Any] | None = None,
    check: Callable[[Any], str] | None = None,
) -> Any:
    """Declare a field that is a TOML key.

    ``doc`` is its meaning in one or two sentences, with source and whom it favours where that is
    known. ``check`` returns the fault of a value in plain language, or an empty string.
    """

    def validate(_instance: object, attribute: Attribute[Any], value: Any) -> None:
        fault = check(value) if check else ""
        if fault:
            raise ValueError(f"{attribute.name}: {fault}")

    return field(
        default=Factory(factory) if factory else default,
        validator=validate if check else None,
        metadata={_DOC: doc, _KIND: kind, _CHECK: check},
    )


presentation: Final = partial(key, kind="presentation")
"""Declare a field that is a TOML key of words and names only."""


def fault_of(attribute: Attribute[Any], value: Any) -> str:
    """Return the fault that the check of a key finds in a value, or an empty string."""
    check: Callable[[Any], str] | None = attribute.metadata.get(_CHECK)
    return check(value) if check else ""


@frozen
class KeyInfo:
    """A key as it was declared: name, type, default (``NOTHING`` where there is none)."""

    name: str
    type: Any
    default: Any
    doc: str
    kind: Kind


def keys_of(cls: type) -> Iterator[KeyInfo]:
    """Return the keys of a class that is read from TOML, in the order they were declared."""
    for attribute in fields(cls):
        if not attribute.init or attribute.name.startswith("_"):
            continue
        default = attribute.default
        if isinstance(default, Factory):  # type: ignore[arg-type]
            default = default.factory()
        yield KeyInfo(
            attribute.name,
            attribute.type,
            default,
            attribute.metadata.get(_DOC, ""),
            attribute.metadata.get(_KIND, "fairness"),
        )


def at_least(least: int) -> Callable[[int], str]:
    """Make a check: a whole number not below ``least``."""
    return lambda value: "" if value >= least else f"{value!r} is below {least}"


def between(least: int, most: int) -> Callable[[int], str]:
    """Make a check: a whole number from ``least`` to ``most``."""
    return lambda value: "" if least <= value <= most else f"{value!r} is not {least} to {most}"


def cannot_act_error(field_name: str, why: str) -> RuleError:
    """Return the error of a key that is written, but has no effect in its house."""
    return RuleError(
        f"{field_name} cannot act: {why}", "key-cannot-act", f"leave {field_name} out", field_name
    )
