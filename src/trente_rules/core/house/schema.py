"""The JSON Schema (draft-07) of a house file, generated from the classes that read it.

Every key is optional, because a house may extend another. Editors that know TOML schemas complete
and check a house file with it; ``trente check`` finds what a schema cannot say.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

import attrs
from attrs import NOTHING

from trente_rules.core.chances import VERDICTS
from trente_rules.core.house.converter import NONE, unstructure
from trente_rules.core.house.house import SideBetKeys
from trente_rules.core.house.loading import RULE_TABLES, SECTIONS, SIDE_BETS
from trente_rules.core.keys import KeyInfo, keys_of
from trente_rules.core.machine import Answer
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import PluginManager
from trente_rules.core.rules.announcements import PHRASE_KEYS, Phrases
from trente_rules.core.rules.limits import ChanceLimit
from trente_rules.core.rules.refait import CourseKeys

DRAFT: Final = "http://json-schema.org/draft-07/schema#"
Schema = dict[str, Any]
_FRACTION: Final[Schema] = {
    "anyOf": [
        {"type": "string", "pattern": "^[0-9]{1,18}(/[0-9]{1,18})?$"},
        {"type": "integer", "minimum": 0},
    ]
}
_AMOUNT: Final[Schema] = {
    "anyOf": [
        {"type": "integer", "minimum": 0},
        {"type": "string", "pattern": "^[0-9]{1,18}(\\.[0-9]{1,9})?$"},
    ]
}
_SCALARS: Final[dict[Any, Schema]] = {
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
    Fraction: _FRACTION,
    Amount: _AMOUNT,
}


def house_schema(plugins: PluginManager) -> Schema:
    """Return the schema of a house file, with the rules of these plugins."""
    properties: dict[str, Schema] = {
        name: _table(cls, extra=_EXTRA.get(name)) for name, cls in SECTIONS.items()
    }
    for name, kind in RULE_TABLES.items():
        properties[name] = _one_of_rules(plugins, kind, "rule", {})
    own = {info.name: _key(info) for info in keys_of(SideBetKeys)}
    properties[SIDE_BETS] = {
        "anyOf": [
            {"type": "array", "items": _one_of_rules(plugins, "side bet", "wins_on", own)},
            {"const": NONE},
        ]
    }
    properties["announcements"]["properties"]["language"]["enum"] = list(plugins.names("language"))
    return {
        "$schema": DRAFT,
        "title": "A house of trente et quarante",
        "description": "Every key is optional here, since a house may extend another.",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }


_EXTRA: Final[dict[str, dict[str, Schema]]] = {
    "house": {
        "extends": {
            "type": "string",
            "description": "A shipped house, or a file next to this one, whose keys hold where "
            "this file does not set them.",
        }
    }
}


def _one_of_rules(plugins: PluginManager, kind: str, key: str, own: dict[str, Schema]) -> Schema:
    """Return the schema of a table whose keys depend on the rule that it names.

    A table of a child that names no rule may hold the keys of any rule of its kind.
    """
    names = plugins.names(kind)
    tables: dict[str, dict[str, Schema]] = {}
    for name in names:
        rule = plugins.rule(kind, name).rule
        tables[name] = {info.name: _key(info) for info in keys_of(attrs.resolve_types(rule))}
    every: dict[str, Schema] = {}
    for keys in tables.values():
        for name, schema in keys.items():
            held = every.get(name)
            every[name] = schema if held in (None, schema) else {"anyOf": [held, schema]}
    chosen = [
        {
            "if": {"required": [key], "properties": {key: {"const": name}}},
            "then": {"propertyNames": {"enum": [key, *own, *keys]}, "properties": keys},
        }
        for name, keys in tables.items()
    ]
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            key: {"enum": list(names), "description": f"The {kind} by its name."},
            **own,
            **every,
        },
        "allOf": chosen,
    }


def _table(cls: type, *, extra: dict[str, Schema] | None = None) -> Schema:
    properties = {info.name: _key(info) for info in keys_of(attrs.resolve_types(cls))}
    schema: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {**(extra or {}), **properties},
    }
    if cls.__doc__:
        schema["description"] = cls.__doc__.split("\n\n")[0].replace("\n", " ").strip()
    return schema


def _key(info: KeyInfo) -> Schema:
    schema = dict(_type(info.type))
    if info.doc:
        schema["description"] = info.doc
    if info.default is not NOTHING and info.default is not None:
        schema["default"] = _written(info.default)
    return schema


def _written(value: Any) -> Any:
    if isinstance(value, Amount):
        return value.written()
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, tuple):
        return [_written(member) for member in value]
    return unstructure(value) if attrs.has(type(value)) else value


def _type(kind: Any) -> Schema:
    """Return the schema of a field's type."""
    if kind == Phrases:
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                name: {"type": "string", "description": phrase.meaning}
                for name, phrase in PHRASE_KEYS.items()
            },
        }
    if kind == tuple[ChanceLimit, ...]:
        limit = _table(ChanceLimit)
        del limit["properties"]["chance"]
        return {"type": "object", "additionalProperties": limit}
    if kind == tuple[Answer, ...]:
        return _machine()
    if kind in _SCALARS:
        return _SCALARS[kind]
    if attrs.has(kind):
        return _table(kind)
    return _composed(kind)


def _composed(kind: Any) -> Schema:
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, UnionType):
        members: list[Schema] = [_type(member) for member in args if member is not type(None)]
        if type(None) in args:
            members.append({"const": NONE})
        return {"anyOf": members}
    if origin is tuple and args[-1] is ...:
        return {"type": "array", "items": _type(args[0])}
    if origin is tuple:
        return _fixed([_type(member) for member in args])
    return {}


def _fixed(members: Sequence[Schema]) -> Schema:
    return {
        "type": "array",
        "items": list(members),
        "minItems": len(members),
        "maxItems": len(members),
    }


def _machine() -> Schema:
    course = _table(CourseKeys)
    course["required"] = ["course"]
    courses = {"type": "array", "items": course, "minItems": 1}
    state = {
        "type": "object",
        "additionalProperties": False,
        "properties": {verdict.id: courses for verdict in VERDICTS},
    }
    return {"type": "object", "additionalProperties": state}
