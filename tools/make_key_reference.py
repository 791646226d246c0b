"""Write docs/keys.md, the reference of every key of a house file, from the declarations themselves.

Run ``python tools/make_key_reference.py``; with ``--check`` nothing is written, and the exit status
is 1 where the stored page is not what is made.
"""

# ruff: noqa: INP001

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import attrs
from attrs import NOTHING
from made_file import write_or_check

from trente_rules.core.chances import ChanceKeys, SideBetKeys
from trente_rules.core.house.reader import RULE_TABLES, SECTIONS
from trente_rules.core.house.schema import house_schema
from trente_rules.core.keys import keys_of
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import PluginManager
from trente_rules.core.rules.announcements import PHRASE_KEYS
from trente_rules.core.rules.insurance import PremiumOn
from trente_rules.core.rules.limits import ChanceLimit, Progression, TablePair
from trente_rules.core.rules.refait import CourseKeys
from trente_rules.core.shoe import Marker

PAGE = Path(__file__).parent.parent / "docs" / "keys.md"
INSIDE: dict[str, dict[str, type]] = {
    "shoe": {"marker": Marker},
    "insurance": {"premium_on": PremiumOn},
    "limits": {"per_chance.CHANCE": ChanceLimit, "tables": TablePair, "progression": Progression},
    "refait": {"machine.STATE.VERDICT": CourseKeys},
}
EXTENDS = (
    '| `extends` | `"none"` | presentation | The house, or the file in the same folder, that supplies '
    "every key not set here. |"
)
# ruff: noqa: E501
HEAD = """# The keys of a house file

Every key, generated from the code that reads it (`python tools/make_key_reference.py`). Amounts are in the
currency: whole numbers, or decimals as text (`"12.50"`), each a whole number of units. Shares, rates
and odds are fractions as text (`"1/100"`). `"none"` removes an inherited optional key. Kinds:
*fairness* keys change what is dealt, accepted or paid; *presentation* keys change only words.
"""
ON_POINTS = """
## [refait.on.POINT]

The refait rule of the ties on one point, such as `[refait.on.40]`, with its `rule` and the keys of that
rule. A stake that meets such a tie takes, in its state, the courses that this rule has for a refait
there, or else those it has for a free stake; the prisons of this rule are added where the house has none
of the name. The verdict is called `refait-40`; a machine of `[refait] rule = "custom"` may name it too.
`"none"` in place of the table removes an inherited one.
"""


def shown(value: Any) -> str:
    """Return a default as TOML writes it."""
    if value is NOTHING:
        return "must be given"
    match value:
        case None:
            return '`"none"`'
        case Amount():
            return f"`{value}`"
        case bool():
            return f"`{str(value).lower()}`"
        case tuple():
            return "`[" + ", ".join(shown(member).strip("`") for member in value) + "]`"
        case int():
            return f"`{value}`"
    return "see below" if attrs.has(type(value)) else f'`"{value}"`'


def rows(cls: type, path: str, enums: dict[str, Any]) -> list[str]:
    """Return the lines of a table's keys."""
    lines = []
    for info in keys_of(attrs.resolve_types(cls)):
        name = info.name
        if cls is ChanceLimit and name == "chance":
            continue
        choices = enums.get(name, {}).get("enum")
        words = f" One of {', '.join(f'`{word}`' for word in choices)}." if choices else ""
        about = f"{info.doc}{words}"
        lines.append(f"| `{path}{name}` | {shown(info.default)} | {info.kind} | {about} |")
    return lines


def table(title: str, lines: list[str]) -> str:
    """Return a section of the page."""
    head = "| key | default | kind | meaning |\n| --- | --- | --- | --- |\n"
    return f"\n## {title}\n\n{head}" + "\n".join(lines) + "\n"


def page() -> str:
    """Return the whole page."""
    plugins = PluginManager(only=())
    schema = house_schema(plugins)["properties"]
    text = HEAD
    for name, cls in SECTIONS.items():
        lines = rows(cls, "", schema[name]["properties"])
        if name == "house":
            lines.insert(1, EXTENDS)
        for inner, inner_cls in INSIDE.get(name, {}).items():
            lines += rows(inner_cls, f"{inner}.", {})
        text += table(f"[{name}]", lines)
    for name, kind in RULE_TABLES.items():
        for rule in plugins.names(kind):
            named = plugins.rule(kind, rule)
            keys = schema[name]["properties"]
            lines = rows(named.rule, "", keys)
            held = {info.name for info in keys_of(named.rule)}
            for inner, inner_cls in INSIDE.get(name, {}).items():
                if inner.split(".")[0] in held:
                    lines += rows(inner_cls, f"{inner}.", {})
            doc = (named.rule.__doc__ or "").split("\n\n")[0].replace("\n", " ")
            lines = lines or ["| | | | no further keys |"]
            text += table(f'[{name}] rule = "{rule}"', lines).replace("\n\n|", f"\n\n{doc}\n\n|", 1)
    text += ON_POINTS + table("[[chances]]", rows(ChanceKeys, "", {}))
    lines = rows(SideBetKeys, "", {})
    for rule in plugins.names("side bet"):
        named = plugins.rule("side bet", rule)
        lines.append(
            f'| `wins_on = "{rule}"` | | fairness | {(named.rule.__doc__ or "").strip()} |'
        )
        lines += rows(named.rule, "", {})
    text += table("[[side_bets]]", lines)
    phrases = [
        f"| `{phrase.key}` | {' '.join(f'`${name}`' for name in phrase.placeholders)} | {phrase.meaning} |"
        for phrase in PHRASE_KEYS.values()
    ]
    text += "\n## [announcements.phrases]\n\n| phrase | words it may hold | when |\n| --- | --- | --- |\n"
    return text + "\n".join(phrases) + "\n"


if __name__ == "__main__":
    sys.exit(write_or_check(__doc__, lambda: [(PAGE, page())]))
