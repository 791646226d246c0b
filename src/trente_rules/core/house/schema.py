"""The JSON Schema (draft-07) of a house file, generated from the classes that read it.

Every key is optional, because a house may extend another. Editors that know TOML schemas complete
and check a house file with it; ``trente check`` finds what a schema cannot say.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

import attrs
from attrs import NOTHING

from trente_rules.core.chances import ChanceKeys, SideBetKeys
from trente_rules.core.coup import POINTS
from trente_rules.core.house.converter import NONE, STATE_VERDICTS, unstructure
from trente_rules.core.house.reader import CHANCES, ON, RULE_TABLES, SECTIONS, SIDE_BETS, rules_of
from trente_rules.core.keys import Statement, keys_of
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import PluginManager
from trente_rules.core.rules.announcements import PHRASE_KEYS, Phrases
from trente_rules.core.rules.limits import ChanceLimit
from trente_rules.core.rules.refait import CourseKeys, CoursesKeys

ADDRESS: Final = "https://trente-rules.readthedocs.io/en/stable/house.schema.json"
"""Where the schema of a release is, for editors: the first line of the files that are written."""
DRAFT: Final = "http://json-schema.org/draft-07/schema#"
Schema = dict[str, Any]
_FRACTION: Final[Schema] = {
    "type": ["integer", "string"],
    "minimum": 0,
    "pattern": "^[0-9]{1,18}(/[0-9]{1,18})?$",
}
_AMOUNT: Final[Schema] = {
    "type": ["integer", "string"],
    "minimum": 0,
    "pattern": "^[0-9]{1,18}(\\.[0-9]{1,9})?$",
}
_NOTHING: Final[Statement] = {}
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
    info["properties"] = {"extends": _extends(plugins.names("house")), **info["properties"]}
    language = properties["announcements"]["properties"]["language"]
    language["enum"] = list(plugins.names("language"))
    for name, kind in RULE_TABLES.items():
        properties[name] = _one_of_rules(plugins, kind, "rule", {})
    one_point = {"$ref": "#/definitions/refait_of_point"}
    on = _or_none(_object({str(point): one_point for point in POINTS}))
    definitions = {"refait_of_point": _or_none(properties["refait"])}
    properties["refait"] = _one_of_rules(
        plugins, RULE_TABLES["refait"], "rule", {ON: {**on, "description": _ON_POINTS}}
    )
    chances = {"type": "array", "items": _table(ChanceKeys)}
    properties[CHANCES] = {**_or_none(chances), "description": _CHANCES}
    bets = _one_of_rules(plugins, "side bet", "wins_on", _keys(SideBetKeys))
    every = {"type": "array", "items": {**bets, "description": "One side bet."}}
    properties[SIDE_BETS] = {**_or_none(every), "description": _SIDE_BETS}
    return {
        "$schema": DRAFT,
        "$id": ADDRESS,
        "title": "A house of trente et quarante",
        "description": "Every key is optional here, since a house may extend another.",
        **_object(properties),
        "definitions": definitions,
    }


_ON_POINTS: Final = "Another refait rule for the ties on one point."
_CHANCES: Final = "What single chances have apart from the others."
_SIDE_BETS: Final = "The side bets on offer."
_FILE: Final = r"\.toml$|/|\\"
"""How the name of a file differs from that of a shipped house."""


def _extends(names: Iterable[str]) -> Schema:
    """Return the schema of the house that is extended: one that is known, or a file."""
    return {
        "description": "A shipped house, or a file in the same folder, that supplies every key "
        "not set here.",
        "anyOf": [{"enum": [*names, NONE]}, {"type": "string", "pattern": _FILE}],
    }


def _or_none(schema: Schema) -> Schema:
    """Return the schema of a table or list that `none` takes away."""
    return _words_or([NONE], schema)


def _words_or(words: list[str], schema: Schema) -> Schema:
    """Return the schema of some words, or of something else.

    It has no ``anyOf``: of that an editor says of each part of the value that nothing fits, and
    offers less. What is said of numbers, of tables and of strings does not get in each other's way.
    """
    known = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    pattern = f"^({'|'.join(words)})$"
    if "pattern" in schema:
        pattern = f"{schema['pattern']}|{pattern}"
    kinds = list(dict.fromkeys((*known, "string")))
    return {**schema, "type": kinds, "pattern": pattern, "examples": words}


def _one_of_rules(plugins: PluginManager, kind: str, key: str, own: Schema) -> Schema:
    """Return the schema of a table whose keys are those of the rule that it names.

    A table of a child that names no rule may hold the keys of any rule of its kind.
    """
    rules = rules_of(plugins, kind)
    tables = {name: _keys(rule) for name, rule in rules.items()}
    every: Schema = {}
    for keys in tables.values():
        for name, schema in keys.items():
            held = every.get(name)
            every[name] = schema if held in (None, schema) else {"anyOf": [held, schema]}
    chosen = [
        {
            "if": {"required": [key], "properties": {key: {"const": name}}},
            "then": {
                "propertyNames": {"enum": [key, *own, *keys]},
                # What all rules say alike of a key is said above, and reported once.
                "properties": {each: keys[each] for each in keys if keys[each] != every[each]},
            },
        }
        for name, keys in tables.items()
    ]
    meanings = {name: _sentence(rule) for name, rule in rules.items()}
    listed = " ".join(f"`{name}`: {text}" for name, text in meanings.items() if text)
    name_of_rule = {"enum": list(tables), "description": f"The {kind} by its name. {listed}"}
    table = _object({key: name_of_rule, **own, **every})
    return {**table, "description": f"The {kind}, and its keys.", "allOf": chosen}


def _sentence(cls: type) -> str:
    """Return the first sentence of the docstring of a class."""
    return (cls.__doc__ or "").split("\n\n")[0].replace("\n", " ").strip()


def _object(properties: Schema) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _table(cls: type) -> Schema:
    schema = _object(_keys(cls))
    return {**schema, "description": text} if (text := _sentence(cls)) else schema


def _keys(cls: type) -> Schema:
    """Return the schema of each key of a class: its type, its meaning, its default."""
    schemas: Schema = {}
    for info in keys_of(attrs.resolve_types(cls)):
        schema = schemas[info.name] = dict(_type(info.type, info.stated))
        if info.doc:
            schema["description"] = info.doc
        if info.default is not NOTHING and info.default is not None:
            schema["default"] = unstructure(info.default)
    return schemas


def _type(kind: Any, statement: Statement = _NOTHING) -> Schema:
    """Return the schema of a field's type, with what its check states."""
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
        return {"type": "object", "additionalProperties": _or_none(limit)}
    if kind == tuple[CoursesKeys, ...]:
        course = {**_table(CourseKeys), "required": ["course"]}
        courses = {"type": "array", "items": course, "minItems": 1}
        state = _object({verdict.id: courses for verdict in STATE_VERDICTS})
        return {"type": "object", "additionalProperties": state}
    if kind in _SCALARS:
        scalar = _SCALARS[kind]
        kinds = scalar["type"] if isinstance(scalar["type"], list) else [scalar["type"]]
        return scalar | {k: v for each in kinds for k, v in statement.get(each, {}).items()}
    if attrs.has(kind):
        return _table(kind)
    return _composed(get_origin(kind), get_args(kind), statement)


def _composed(origin: Any, args: tuple[Any, ...], statement: Statement) -> Schema:
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, UnionType):
        return _union(args, statement)
    said = dict(statement.get("array", {}))
    members = said.pop("items", _NOTHING)
    if args[-1] is ...:
        return {"type": "array", "items": _type(args[0], members), **said}
    items = [_type(member, members) for member in args]
    ends = {"minItems": len(items), "maxItems": len(items)}
    return {"type": "array", "items": items, **ends, **said}


def _union(kinds: tuple[Any, ...], statement: Statement) -> Schema:
    """Return the schema of one of several types, each known by its type in JSON, or of words."""
    members = [_type(kind, statement) for kind in kinds if kind is not type(None)]
    words = [word for member in members for word in member.get("enum", ())]
    words += [NONE] if type(None) in kinds else []
    both: Schema = {}
    known: list[str] = []
    for member in members:
        if "enum" not in member:
            known += member["type"] if isinstance(member["type"], list) else [member["type"]]
            both |= member
    if not known:
        return {"enum": words}
    both["type"] = known if len(known) > 1 else known[0]
    return _words_or(words, both) if words else both
