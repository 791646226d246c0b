"""House files to start from: the values of a house, with what each key means beside it."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import Any

import tomli_w
from attrs import evolve

from trente_rules.house.extends import RULE_TABLES
from trente_rules.house.house import House, SideBetKeys
from trente_rules.house.toml import SECTIONS, SIDE_BETS, dumps_house, house_table
from trente_rules.keys import keys_of

_WIDTH = 96


def plain_name(text: str) -> str:
    """Answer a text as the name of a house can be: other signs become hyphens."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:60].strip("-") or "my-house"


def whole_file(house: House, name: str) -> str:
    """Answer a TOML file of every key of a house, under a new name; it stands alone."""
    info = evolve(house.info, name=plain_name(name), title=house.title)
    return f"# A house that begins as {house.name}.\n\n{dumps_house(evolve(house, info=info))}"


def extending_file(house: House, name: str, parent: str) -> str:
    """Answer a TOML file that extends a house: every value stands in a comment, with its meaning.

    To change a value, take the ``#`` before its key away (and before the table's name, which
    stands as it is).
    """
    lines = [
        f"# A house that extends {parent}: what is not said here is as there.",
        "# To change a value, take the # before its key away.",
        "",
    ]
    for table, values in house_table(house).items():
        if table == SIDE_BETS:
            continue
        lines += [f"[{table}]"]
        if table == "house":
            written = {"name": plain_name(name), "title": name, "extends": parent}
            lines += [*tomli_w.dumps(written).splitlines(), ""]
            continue
        meanings = {info.name: info.doc for info in keys_of(_class_of(house, table))}
        for key, value in values.items():
            lines += [f"# {line}" for line in wrap(meanings.get(key, ""), _WIDTH)]
            lines += [f"#{line}" for line in _inline(key, value)]
        lines.append("")
    return "\n".join(lines)


def _class_of(house: House, table: str) -> type:
    if table in RULE_TABLES:
        return type(getattr(house, table).rule)
    return SECTIONS.get(table, SideBetKeys)


def _inline(key: str, value: Any) -> list[str]:
    """Answer a key and its value on one line, tables inside the line."""
    return [f"{key} = {_value(value)}"]


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{_name(name)} = {_value(part)}" for name, part in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(_value(part) for part in value)}]"
    return tomli_w.dumps({"v": value}).removeprefix("v = ").strip()


def _name(name: str) -> str:
    return tomli_w.dumps({name: 1}).removesuffix(" = 1\n")
