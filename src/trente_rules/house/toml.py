"""A house from TOML, and TOML from a house.

Reading finds every fault of the file at once, first each field by itself, then across keys; each is
placed in the child or in the parent it extends. Nothing is clamped or guessed.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import tomli_w
from attrs import frozen

from trente_rules.errors import ConfigurationError, Fault, PluginError
from trente_rules.house.checks import cross_checks
from trente_rules.house.document import Document, parse
from trente_rules.house.extends import (
    RULE_TABLES,
    Layer,
    Table,
    chain,
    holds,
    is_file_name,
    leaves,
    merged,
    open_layer,
    owner,
)
from trente_rules.house.faults import Places, collect, nearest, shown
from trente_rules.house.house import Chosen, House, HouseInfo, SideBet, SideBetKeys
from trente_rules.house.structure import Problem, structure
from trente_rules.house.unstructure import unstructure
from trente_rules.keys import keys_of
from trente_rules.money import Money
from trente_rules.plugins.manager import PluginManager, default_manager
from trente_rules.rules.announce import Announcements
from trente_rules.rules.chances import DealRule
from trente_rules.rules.pay_order import PayOrder
from trente_rules.rules.shoe_rule import ShoeRule

SECTIONS: Final[dict[str, type]] = {
    "house": HouseInfo,
    "money": Money,
    "shoe": ShoeRule,
    "deal": DealRule,
    "settlement": PayOrder,
    "announcements": Announcements,
}
"""The tables of a house that are always of one class, in the order they are written."""
SIDE_BETS: Final = "side_bets"
TABLES: Final = (*SECTIONS, *RULE_TABLES, SIDE_BETS)
MOST_HINTS: Final = 50
"""How many unknown paths are given a hint: looking for the nearest name takes time."""
_DEFAULT_RULES: Final = {"insurance": "none", "limits": "fixed"}


def load_house(name: str | PathLike[str], *, plugins: PluginManager | None = None) -> House:
    """Read a house by its name, or from a file.

    A text that ends in ``.toml`` or holds a slash, and any path object, is a file. Raises
    ``ConfigurationError`` with every fault of the file, or "unknown-house".
    """
    manager = plugins or default_manager()
    text = fspath(name)
    if not isinstance(name, str) and not is_file_name(text):
        text = str(Path(text).resolve())
    try:
        layer = open_layer(text, None, manager)
    except PluginError as error:
        hint = error.hint
        if Path(text[:200]).is_file():
            hint = f"to read the file of that name, write ./{text}"
        fault = Fault(shown(text), None, None, "", error.code, error.message, hint)
        raise ConfigurationError.of(fault) from error
    house = _build(chain(layer, manager), manager)
    if layer.folder is None and house.name != text:
        message = f"the house that a plugin brings as {text!r} is named {house.name!r} inside"
        problem = Problem(("house", "name"), "wrong-name", message, "give it one name")
        raise collect(place_all((layer,), [problem]))
    return house


def loads_house(
    text: str,
    *,
    folder: str | PathLike[str] | None = None,
    origin: str = "<text>",
    plugins: PluginManager | None = None,
) -> House:
    """Read a house from TOML text; ``folder`` is where files that it extends are looked for.

    Raises ``ConfigurationError`` with every fault; ``origin`` is what they call the text.
    """
    manager = plugins or default_manager()
    document = Document(origin, text)
    layer = Layer(document, parse(document), None if folder is None else Path(folder))
    return _build(chain(layer, manager), manager)


def dumps_house(house: House) -> str:
    """Write a house as one TOML document with every key; it reads back equal."""
    return tomli_w.dumps(house_table(house), multiline_strings=False)


def house_table(house: House) -> Table:
    """Answer the tables of a house as TOML writes them, every key included."""
    table: Table = {}
    for name, value in (
        ("house", house.info),
        ("money", house.money),
        ("shoe", house.shoe),
        ("deal", house.deal),
    ):
        table[name] = unstructure(value)
    for name in RULE_TABLES:
        chosen: Chosen = getattr(house, name)
        table[name] = {"rule": chosen.name, **unstructure(chosen.rule)}
    table["settlement"] = unstructure(house.settlement)
    table["announcements"] = unstructure(house.announcements)
    if house.side_bets:
        table[SIDE_BETS] = [
            {
                "id": bet.id,
                "wins_on": bet.wins_on.name,
                **unstructure(bet.wins_on.rule),
                "odds": str(bet.odds),
                "needs": bet.needs,
            }
            for bet in house.side_bets
        ]
    return table


@frozen
class _Reader:
    """What reading one house needs: its documents, their merged table, the plugins."""

    layers: tuple[Layer, ...]
    table: Table
    plugins: PluginManager
    problems: list[Problem]

    def note(self, problems: Iterable[Problem]) -> None:
        self.problems.extend(problems)

    def fail(self) -> None:
        """Raise what was found, placed; answer if nothing was."""
        if self.problems:
            raise collect(place_all(self.layers, self.problems))

    def section(self, name: str) -> Any:
        value, problems = structure(SECTIONS[name], self.table.get(name, {}), (name,))
        self.note(problems)
        return value

    def chosen(self, name: str) -> Chosen | None:
        """Build the rule that a table names."""
        table = self.table.get(name, {})
        if not isinstance(table, dict):
            self.note([Problem((name,), "wrong-type", f"{shown(table)} is not a table")])
            return None
        return self._rule(
            RULE_TABLES[name], (name,), "rule", {"rule": _DEFAULT_RULES.get(name), **table}
        )

    def _rule(
        self, kind: str, path: tuple[str | int, ...], key: str, table: Table
    ) -> Chosen | None:
        rule_name = table.get(key)
        if rule_name is None:
            known = ", ".join(self.plugins.names(kind))
            self.note([Problem((*path, key), "missing-key", f"{key} is missing", known, "key")])
            return None
        if not isinstance(rule_name, str):
            message = f"{shown(rule_name)} is not the name of a {kind}"
            self.note([Problem((*path, key), "wrong-type", message)])
            return None
        try:
            named = self.plugins.rule(kind, rule_name)
        except PluginError as error:
            self.note([Problem((*path, key), error.code, error.message, error.hint)])
            return None
        values = {name: value for name, value in table.items() if name != key}
        rule, problems = structure(named.rule, values, path)
        self.note(problems)
        return None if problems else Chosen(named.name, rule, named.version)

    def side_bets(self) -> tuple[SideBet, ...]:
        tables = self.table.get(SIDE_BETS, [])
        if tables == "none":
            return ()
        if not isinstance(tables, list):
            message = f"{shown(tables)} is not a list of tables"
            self.note([Problem((SIDE_BETS,), "wrong-type", message, "write [[side_bets]]")])
            return ()
        bets = (self._side_bet((SIDE_BETS, place), bet) for place, bet in enumerate(tables))
        return tuple(bet for bet in bets if bet is not None)

    def _side_bet(self, path: tuple[str | int, ...], table: Any) -> SideBet | None:
        if not isinstance(table, dict):
            self.note([Problem(path, "wrong-type", f"{shown(table)} is not a table")])
            return None
        own = {info.name for info in keys_of(SideBetKeys)}
        rule = self._rule(
            "side bet",
            path,
            "wins_on",
            {name: value for name, value in table.items() if name not in own},
        )
        bare = {name: value for name, value in table.items() if name in own}
        bet, problems = structure(SideBetKeys, bare, path)
        self.note(problems)
        return SideBet(bet.id, bet.odds, bet.needs, rule) if bet and rule else None

    def language(self, announcements: Announcements | None) -> Any:
        if announcements is None:
            return None
        try:
            return self.plugins.language(announcements.language)
        except PluginError as error:
            path = ("announcements", "language")
            self.note([Problem(path, error.code, error.message, error.hint)])
            return None

    def unknown_tables(self) -> None:
        for name in self.table:
            if name not in TABLES:
                hint = nearest(name, TABLES) or f"tables are {', '.join(TABLES)}"
                problem = Problem(
                    (name,), "unknown-key", f"unknown table {shown(name)}", hint, "key"
                )
                self.note([problem])


def _build(layers: tuple[Layer, ...], plugins: PluginManager) -> House:
    reader = _Reader(layers, merged(layers), plugins, [])
    reader.unknown_tables()
    sections = {name: reader.section(name) for name in SECTIONS}
    rules = {name: reader.chosen(name) for name in RULE_TABLES}
    side_bets = reader.side_bets()
    language = reader.language(sections["announcements"])
    reader.fail()
    chosen = {name: rule for name, rule in rules.items() if rule is not None}
    house = House(
        info=sections["house"],
        money=sections["money"],
        shoe=sections["shoe"],
        deal=sections["deal"],
        refait=chosen["refait"],
        insurance=chosen["insurance"],
        limits=chosen["limits"],
        settlement=sections["settlement"],
        announcements=sections["announcements"],
        side_bets=side_bets,
        language=language,
    )
    reader.note(cross_checks(house))
    reader.note(_inferred_problems(house, reader.table))
    reader.fail()
    return house


def _inferred_problems(house: House, table: Table) -> Iterable[Problem]:
    written = house_table(house)
    known = [".".join(map(str, leaf)) for leaf in leaves(written)]
    wrong = 0
    for place, path in enumerate(house.info.inferred):
        steps = tuple(path.split("."))
        if holds(written, steps) < len(steps) and holds(table, steps) < len(steps):
            wrong += 1
            yield Problem(
                ("house", "inferred", place),
                "unknown-path",
                f"{shown(path)} is no key of this house",
                nearest(path, known) if wrong <= MOST_HINTS else "",
            )


def place_all(layers: tuple[Layer, ...], problems: Iterable[Problem]) -> Iterable[Fault]:
    """Place problems in the documents of a chain."""
    places: dict[int, Places] = {}
    for problem in problems:
        layer = owner(layers, problem.path)
        if id(layer) not in places:
            places[id(layer)] = Places(layer.document)
        place = places[id(layer)].place(problem.path, problem.at) or (None, None)
        key = ".".join(map(str, problem.path))
        yield Fault(
            layer.document.origin,
            place[0],
            place[1],
            key if len(key) <= 200 else f"{key[:200]}...",  # noqa: PLR2004 - a line of a report
            problem.code,
            problem.message,
            problem.hint,
        )
