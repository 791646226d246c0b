"""Fingerprints: the SHA-256 of a canonical form of the rules in force.

A field at its declared default is left out of the canonical form, so a key that is added later at
the value things had before leaves every fingerprint as it was; declared defaults never change.
"""

from __future__ import annotations

import json
from enum import Enum
from fractions import Fraction
from typing import Any, Final

import attrs

from trente_rules.keys import keys_of
from trente_rules.money import Amount

PREFIX: Final = "f1:"


def _sha256(value: bytes) -> str:
    from hashlib import sha256  # noqa: PLC0415 - only a fingerprint needs it

    return sha256(value).hexdigest()


def canonical(value: object) -> Any:
    """Answer a value as JSON of texts, integers, lists and objects, the same on every machine."""
    match value:
        case None | bool() | str():
            return value
        case Enum():
            return value.name.lower()
        case int():
            return value
        case Fraction():
            return str(value)
        case Amount():
            return str(value)
        case bytes():
            return _sha256(value)
        case frozenset():
            return sorted(canonical(member) for member in value)
        case tuple() | list():
            return [canonical(member) for member in value]
        case dict():
            return {str(name): canonical(member) for name, member in value.items()}
    if attrs.has(type(value)):
        return {
            info.name: canonical(getattr(value, info.name))
            for info in keys_of(type(value))
            if getattr(value, info.name) != info.default
        }
    raise TypeError(f"{type(value).__name__} has no canonical form")


def fingerprint(rules: dict[str, object]) -> str:
    """Answer ``f1:`` and the SHA-256 of the canonical form of named rules."""
    text = json.dumps(canonical(rules), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return PREFIX + _sha256(text.encode("ascii"))
