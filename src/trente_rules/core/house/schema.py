"""The JSON Schema (draft-07) of a house file, generated from the classes that read it.

Every key is optional, because a house may extend another. Editors that know TOML schemas complete
and check a house file with it; ``trente check`` finds what a schema cannot say.
"""

from __future__ import annotations

from fractions import Fraction
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

import attrs
from attrs import NOTHING

from trente_rules.core.chances import ChanceKeys, SideBetKeys
from trente_rules.core.coup import POINTS
from trente_rules.core.house.converter import NONE, STATE_VERDICTS, unstructure
from trente_rules.core.house.reader import CHANCES, ON, RULE_TABLES, SECTIONS, SIDE_BETS
from trente_rules.core.keys import NumberRange, keys_of
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import PluginManager
from trente_rules.core.rules.announcements import PHRASE_KEYS, Phrases
from trente_rules.core.rules.limits import ChanceLimit
from trente_rules.core.rules.refait import CourseKeys, CoursesKeys

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
    properties = {name: _table(cls) for name, cls in SECTIONS.items()}
    info = properties["house"]
    info["properties"] = {"extends": _EXTENDS, **info["properties"]}
    language = properties["announcements"]["properties"]["language"]
    language["enum"] = list(plugins.names("language"))
    for name, kind in RULE_TABLES.items():
        properties[name] = _one_of_rules(plugins, kind, "rule", {})
    point = {"anyOf": [properties["refait"], {"const": NONE}]}
    on = {"anyOf": [_object({str(p): point for p in POINTS}), {"const": NONE}]}
    properties["refait"] = _one_of_rules(
        plugins, RULE_TABLES["refait"], "rule", {ON: {**on, "description": _ON_POINTS}}
    )
    own = _table(ChanceKeys)
    properties[CHANCES] = {"anyOf": [{"type": "array", "items": own}, {"const": NONE}]}
    bets = _one_of_rules(plugins, "side bet", "wins_on", _keys(SideBetKeys))
    properties[SIDE_BETS] = {"anyOf": [{"type": "array", "items": bets}, {"const": NONE}]}
    return {
        "$schema": DRAFT,
        "title": "A house of trente et quarante",
        "description": "Every key is optional here, since a house may extend another.",
        **_object(properties),
    }


_ON_POINTS: Final = "Another refait rule for the ties on one point."
_EXTENDS: Final[Schema] = {
    "type": "string",
    "description": "A shipped house, or a file next to this one, whose keys hold where this file "
    "does not set them.",
}


def _one_of_rules(plugins: PluginManager, kind: str, key: str, own: Schema) -> Schema:
    """Return the schema of a table whose keys depend on the rule that it names.

    A table of a child that names no rule may hold the keys of any rule of its kind.
    """
    tables = {name: _keys(plugins.rule(kind, name).rule) for name in plugins.names(kind)}
    every: Schema = {}
    for keys in tables.values():
        for name, schema in keys.items():
            held = every.get(name)
            every[name] = schema if held in (None, schema) else {"anyOf": [held, schema]}
    name_of_rule = {"enum": list(tables), "description": f"The {kind} by its name."}
    chosen = [
        {
            "if": {"required": [key], "properties": {key: {"const": name}}},
            "then": {"propertyNames": {"enum": [key, *own, *keys]}, "properties": keys},
        }
        for name, keys in tables.items()
    ]
    return {**_object({key: name_of_rule, **own, **every}), "allOf": chosen}


def _object(properties: Schema) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _table(cls: type) -> Schema:
    schema = _object(_keys(cls))
    if cls.__doc__:
        schema["description"] = cls.__doc__.split("\n\n")[0].replace("\n", " ").strip()
    return schema


def _keys(cls: type) -> Schema:
    """Return the schema of each key of a class: its type, its meaning, its default."""
    schemas: Schema = {}
    for info in keys_of(attrs.resolve_types(cls)):
        schema = schemas[info.name] = _bounded(dict(_type(info.type)), info.bounds)
        if info.doc:
            schema["description"] = info.doc
        if info.default is not NOTHING and info.default is not None:
            schema["default"] = unstructure(info.default)
    return schemas


def _bounded(schema: Schema, bounds: NumberRange | None) -> Schema:
    """Return the schema of a number with its bounds; those of a text are checked as it is read."""
    if bounds is None:
        return schema
    if "anyOf" in schema:
        return {**schema, "anyOf": [_bounded(each, bounds) for each in schema["anyOf"]]}
    if schema.get("type") != "integer":
        return schema
    ends = {"minimum": bounds.least, "maximum": bounds.most}
    return {**schema, **{name: end for name, end in ends.items() if end is not None}}


def _type(kind: Any) -> Schema:
    """Return the schema of a field's type."""
    if kind == Phrases:
        return _object(
            {
                name: {"type": "string", "description": phrase.meaning}
                for name, phrase in PHRASE_KEYS.items()
            }
        )
    if kind == tuple[ChanceLimit, ...]:
        limit = _table(ChanceLimit)
        del limit["properties"]["chance"]
        limits = {"anyOf": [limit, {"const": NONE}]}
        return {"type": "object", "additionalProperties": limits}
    if kind == tuple[CoursesKeys, ...]:
        course = {**_table(CourseKeys), "required": ["course"]}
        courses = {"type": "array", "items": course, "minItems": 1}
        state = _object({verdict.id: courses for verdict in STATE_VERDICTS})
        return {"type": "object", "additionalProperties": state}
    if kind in _SCALARS:
        return _SCALARS[kind]
    return _table(kind) if attrs.has(kind) else _composed(get_origin(kind), get_args(kind))


def _composed(origin: Any, args: tuple[Any, ...]) -> Schema:
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, UnionType):
        members = [_type(member) for member in args if member is not type(None)]
        return {"anyOf": [*members, *([{"const": NONE}] if type(None) in args else [])]}
    if origin is tuple and args[-1] is ...:
        return {"type": "array", "items": _type(args[0])}
    if origin is tuple:
        items = [_type(member) for member in args]
        return {"type": "array", "items": items, "minItems": len(items), "maxItems": len(items)}
    return {}
