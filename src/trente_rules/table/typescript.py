"""Types of TypeScript, from the JSON Schemas of what a table reads and writes."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from trente_rules.core.errors import RecordError, shown
from trente_rules.table.schemas import Schema

_PLAIN: Final = {"integer": "number", "string": "string", "boolean": "boolean", "null": "null"}
_PARSE: Final = """\
/** Read JSON; refuse a number that JavaScript would round: amounts are exact, or are not read. */
export function parse(text: string): unknown {
  return JSON.parse(text, (name: string, value: unknown) => {
    if (typeof value === "number" && !Number.isSafeInteger(value)) {
      throw new RangeError(`${name}: a number above 2**53 - 1 is not exact in JavaScript`);
    }
    return value;
  });
}
"""
_WIDTH: Final = 94


def typescript_of(schemas: Iterable[Schema], head: str = "", *, declarations: bool = False) -> str:
    """Return a module of TypeScript: a type for each definition of these schemas, and ``parse``.

    ``head`` is a comment for its first lines. With ``declarations`` there are types alone, as in a
    ``.d.ts`` file. Raises ``RecordError`` ("two-definitions") where two schemas define a name
    differently.
    """
    definitions: dict[str, Schema] = {}
    for schema in schemas:
        for name, each in schema["$defs"].items():
            if definitions.setdefault(name, each) != each:
                what = f"two schemas define {shown(name)} differently"
                raise RecordError(what, "two-definitions", "give one of them another name")
    parts = [_comment(head)] if head else []
    parts += (_declared(name, each) for name, each in sorted(definitions.items()))
    return "\n".join(parts if declarations else (*parts, _PARSE))


def type_text(schema: Schema) -> str:
    """Return the type of a schema on one line, as TypeScript writes it."""
    return " ".join(_type(schema).split()).removeprefix("| ")


def _declared(name: str, schema: Schema) -> str:
    words = _comment(schema.get("description", ""))
    if "properties" in schema:
        return f"{words}export interface {name} {_members(schema)}\n"
    return f"{words}export type {name} = {_type(schema)};\n".replace(" = \n", " =\n")


def _members(schema: Schema) -> str:
    needed = schema.get("required", ())
    lines = [
        f"  {name}{'' if name in needed else '?'}: {_type(each)};\n"
        for name, each in schema["properties"].items()
    ]
    return f"{{\n{''.join(lines)}}}".replace(": \n", ":\n")


def _type(schema: Schema) -> str:
    """Return the type of a schema, in parentheses where something may follow."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    for key, between in (("oneOf", " | "), ("anyOf", " | "), ("allOf", " & ")):
        if key in schema:
            return _joined([_type(each) for each in _flat(schema[key], key)], between)
    if "enum" in schema:
        return _joined([json.dumps(each) for each in schema["enum"]], " | ")
    kind = schema.get("type")
    if kind == "array" and "prefixItems" in schema:
        return f"[{', '.join(map(_type, schema['prefixItems']))}]"
    if kind == "array":
        item = _type(schema["items"])
        return f"({item})[]" if " " in item and item[0] not in "[{" else f"{item}[]"
    if kind == "object":
        return f"{{ [name: string]: {_type(schema['additionalProperties'])} }}"
    return "unknown" if kind is None else _PLAIN[kind]


def _flat(schemas: list[Schema], key: str) -> Iterator[Schema]:
    """Yield the members of a union, and those of the unions among them."""
    for each in schemas:
        yield from _flat(each[key], key) if key in each else (each,)


def _joined(types: list[str], between: str) -> str:
    one = between.join(dict.fromkeys(types))
    return one if len(one) <= _WIDTH else "".join(f"\n  {between.strip()} {each}" for each in types)


def _comment(words: str) -> str:
    lines = [
        line.replace("*/", "* /")
        for part in words.splitlines()
        for line in textwrap.wrap(part, _WIDTH, break_long_words=False, break_on_hyphens=False)
    ]
    if not lines:
        return ""
    if len(lines) == 1:
        return f"/** {lines[0]} */\n"
    return "\n".join(("/**", *(f" * {line}" for line in lines), " */\n"))
