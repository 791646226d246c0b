"""House files to start from: the values of a house, with the meaning of each key."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import wrap
from typing import Final

from attrs import evolve

from trente_rules.core.chances import SideBetKeys
from trente_rules.core.coup import POINTS
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import dumps_house, house_table
from trente_rules.core.house.reader import LISTS, RULE_TABLES, SECTIONS
from trente_rules.core.house.schema import ADDRESS
from trente_rules.core.keys import keys_of
from trente_rules.core.text import printable
from trente_rules.core.toml import inline
from trente_rules.core.toml import written as written_toml

_WIDTH = 96
SCHEMA_LINE: Final = f"#:schema {ADDRESS}\n"
"""The line at the top of a file by which editors find the schema of a house."""


def plain_name(text: str) -> str:
    """Return a text as the name of a house can be: other characters become hyphens."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:60].strip("-") or "my-house"


def whole_file(house: House, name: str) -> str:
    """Return a TOML file of every key of a house, under a new name; it is self-contained."""
    info = evolve(house.info, name=plain_name(name), title=house.title)
    begin = f"# A house that begins as {house.name}."
    return f"{SCHEMA_LINE}{begin}\n\n{dumps_house(evolve(house, info=info))}"


def extending_file(house: House, name: str, parent: str) -> str:
    """Return a TOML file that extends a house: every value is in a comment, with its meaning.

    To change a value, take the ``#`` before its key away. Tables that few houses have follow as
    examples, each line behind ``# ``.
    """
    lines = [
        SCHEMA_LINE.rstrip(),
        f"# A house that extends {printable(parent)}: what is not set here is as there.",
        "# To change a value, take the # before its key away.",
        "",
    ]
    for table, values in house_table(house).items():
        if table in LISTS:
            continue
        lines += [f"[{table}]"]
        if table == "house":
            written = {"name": plain_name(name), "title": name, "extends": parent}
            lines += [*written_toml(written).splitlines(), ""]
            continue
        meanings = {info.name: info.doc for info in keys_of(_class_of(house, table))}
        for key, value in values.items():
            lines += [f"# {line}" for line in wrap(meanings.get(key, ""), _WIDTH)]
            lines.append(f"#{key} = {inline(value)}")
        lines.append("")
    return "\n".join([*lines, *_examples(house, parent)])


_ANOTHER_REFAIT: Final = POINTS[-1]
"""The point whose refait has another rule in the example of a file to start from."""


def _examples(house: House, parent: str) -> Iterable[str]:
    """Yield the tables that few houses have, in comments that can be taken off line by line."""
    chance, point, deal = house.deal.chances[-1], _ANOTHER_REFAIT, house.deal
    losing = inline(sorted(tie for tie in POINTS if deal.loses(tie) or tie == point))
    needs = "" if deal.loses(point) else f"; it needs refait_on = {losing} in [deal]"
    yield from (
        "# Four more tables. To use one, take the # and the space before each of its lines away.",
        f"# [[chances]] and [[side_bets]] replace all that {printable(parent)} has of them.",
        "",
        '## A chance that pays less than even money. Others: commission = "1/20" keeps a part of',
        "## what it wins; refait_on = [] spares it every refait.",
        "# [[chances]]",
        f"# id = {inline(chance)}",
        '# odds = "19/20"',
        "",
        f"## Another rule for the refait of {point} alone{needs}.",
        f"# [refait.on.{point}]",
        '# rule = "all-lose"',
        "",
        "## Limits of one chance: an amount, or posted when the table opens. Others: maximum,",
        "## maximum_multiple, maximum_win.",
        f"# [limits.per_chance.{chance}]",
        '# minimum = "at-opening"',
        "",
        "## A side bet. Others: commission, pays (other odds for some wins), pushes_on (what",
        "## returns the stake); wins_on may be any-tie, exact-tie, row-point or outcome.",
        "# [[side_bets]]",
        '# id = "any-apres"',
        '# wins_on = "any-tie"',
        '# odds = "8"',
        "",
    )


def _class_of(house: House, table: str) -> type:
    if table in RULE_TABLES:
        return type(getattr(house, table).rule)
    return SECTIONS.get(table, SideBetKeys)
