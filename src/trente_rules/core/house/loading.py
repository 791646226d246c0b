"""A house from TOML, and TOML from a house.

Reading finds every fault of the file at once, first each field by itself, then across keys; each is
placed in the child or in the parent it extends. Nothing is clamped or guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

import tomli_w
from attrs import evolve, frozen

from trente_rules.core.chances import DealRule
from trente_rules.core.converter import KeyPath, Problem
from trente_rules.core.errors import ConfigurationError, Fault, PluginError, nearest, shown
from trente_rules.core.house.checks import cross_checks
from trente_rules.core.house.converter import structure, unstructure
from trente_rules.core.house.house import Chosen, House, HouseInfo, SideBet, SideBetKeys
from trente_rules.core.keys import keys_of
from trente_rules.core.money import Money
from trente_rules.core.plugins.manager import PluginManager, default_manager
from trente_rules.core.rules.announcements import Announcements
from trente_rules.core.rules.settlement_order import PayOrder
from trente_rules.core.shoe import ShoeRule
from trente_rules.core.toml import Document, Places, collect, inline, parse, read_document

# --- A house that extends another: the documents of a chain, merged into one table

Table = dict[str, Any]
RULE_TABLES: Final = {
    "refait": "refait rule",
    "insurance": "insurance rule",
    "limits": "limit rule",
}
"""The tables whose ``rule`` key names a rule, and the kind of rule it names."""
LONGEST_CHAIN: Final = 16
_EXTENDS: Final = ("house", "extends")
_INSTEAD: Final = {"maximum": "maximum_multiple", "maximum_multiple": "maximum"}


@frozen
class Layer:
    """One document of a chain, parsed; ``folder`` is where files beside it are looked for."""

    document: Document
    table: Table
    folder: Path | None


def is_file_name(name: str) -> bool:
    """Return whether a name is that of a file rather than of a shipped house."""
    return name.endswith(".toml") or "/" in name or "\\" in name


def open_layer(name: str, folder: Path | None, plugins: PluginManager) -> Layer:
    """Read a house by its name, or by its path; relative paths start at ``folder``.

    Raises ``ConfigurationError`` for files, ``PluginError`` for names.
    """
    if is_file_name(name):
        path = (folder or Path()) / name
        document = read_document(path)
        return Layer(document, parse(document), path.parent)
    text = plugins.house(name)
    document = Document(text.origin, text.text)
    return Layer(document, parse(document), None)


def chain(layer: Layer, plugins: PluginManager) -> tuple[Layer, ...]:
    """Return a document and all that it extends, the child first.

    Raises ``ConfigurationError``, placed at the ``extends`` key: a parent that is missing, not
    readable, or extends its own child.
    """
    layers = [layer]
    origins = [_identity(layer)]
    while True:
        child = layers[-1]
        house = child.table.get("house")
        name = house.get("extends") if isinstance(house, dict) else None
        if name is None or name == "none":
            return tuple(layers)
        if not isinstance(name, str) or not name:
            raise _at_extends(child, "wrong-type", f"{shown(name)} is not the name of a house")
        if len(name) > 200:  # noqa: PLR2004 - no file system takes much longer names
            raise _at_extends(child, "unknown-house", f"{shown(name)} is too long for a name")
        if is_file_name(name) and child.folder is None:
            raise _at_extends(
                child, "no-folder", f"{shown(name)} is a file, and this text is in no folder"
            )
        try:
            parent = open_layer(name, child.folder, plugins)
        except PluginError as error:
            raise _at_extends(child, error.code, error.message, error.hint) from error
        except ConfigurationError as error:
            if len(error.faults) == 1 and error.faults[0].code.startswith("file-"):
                raise _at_extends(
                    child, "extends-unreadable", error.faults[0].message, error.faults[0].hint
                ) from error
            raise
        identity = _identity(parent)
        if identity in origins:
            circle = " extends ".join([*origins[origins.index(identity) :], identity])
            raise _at_extends(child, "circular-extends", f"the houses go in a circle: {circle}")
        if len(layers) == LONGEST_CHAIN:
            raise _at_extends(
                child, "chain-too-long", f"more than {LONGEST_CHAIN} houses extend one another"
            )
        layers.append(parent)
        origins.append(identity)


def _identity(layer: Layer) -> str:
    origin = layer.document.origin
    if layer.folder is not None:
        return str(Path(origin).resolve())
    return origin


def _at_extends(layer: Layer, code: str, message: str, hint: str = "") -> ConfigurationError:
    line, column = Places(layer.document).place(_EXTENDS) or (None, None)
    fault = Fault(layer.document.origin, line, column, "house.extends", code, message, hint)
    return ConfigurationError.of(fault)


def merged(layers: tuple[Layer, ...]) -> Table:
    """Return the one table that a chain makes, the child's keys over the parent's."""
    table: Table = {}
    for layer in reversed(layers):
        inferred = _spelled_out(table, layer.table)
        overridden = {".".join(map(str, path)) for path in leaves(layer.table)}
        replaced = _replaced(table, layer.table)
        own = _inferred(layer.table)
        table = _merge(table, layer.table)
        kept = [
            path
            for path in inferred
            if path.split(".")[0] not in replaced and not _covered(path, overridden)
        ]
        if kept or own:
            house = table.setdefault("house", {})
            if isinstance(house, dict) and isinstance(house.get("inferred", []), list):
                house["inferred"] = [*own, *(path for path in kept if path not in own)]
    house = table.get("house")
    if isinstance(house, dict):
        house.pop("extends", None)
    return table


def _inferred(table: Table) -> list[Any]:
    house = table.get("house")
    inferred = house.get("inferred") if isinstance(house, dict) else None
    return list(inferred) if isinstance(inferred, list) else []


def _spelled_out(parent: Table, child: Table) -> list[Any]:
    """Return the inferred paths; a table of which the child sets a key is told by its keys."""
    overridden = [".".join(map(str, path)) for path in leaves(child)]
    known = [".".join(map(str, path)) for path in leaves(parent)]
    told: list[Any] = []
    for path in _inferred(parent):
        inside = f"{path}."
        if any(key.startswith(inside) for key in overridden):
            told.extend(key for key in known if key.startswith(inside))
        else:
            told.append(path)
    return told


def _covered(path: str, overridden: set[str]) -> bool:
    return any(path == key or path.startswith(f"{key}.") for key in overridden)


def _replaced(parent: Table, child: Table) -> set[str]:
    """Return the rule tables in which the child names another rule than the parent."""
    return {
        name
        for name in RULE_TABLES
        if isinstance(new := child.get(name), dict)
        and isinstance(old := parent.get(name), dict)
        and "rule" in new
        and new["rule"] != old.get("rule")
    }


def leaves(table: Table, path: KeyPath = ()) -> Iterator[KeyPath]:
    """Return the paths of all values that are no tables; an empty table counts as a value."""
    waiting: list[tuple[KeyPath, Any]] = [(path, table)]
    while waiting:
        here, value = waiting.pop()
        if isinstance(value, dict) and (value or not here):
            waiting.extend(((*here, name), inner) for name, inner in value.items())
        else:
            yield here


def _merge(parent: Table, child: Table) -> Table:
    replaced = _replaced(parent, child)
    table = {name: value for name, value in parent.items() if name not in replaced}
    if isinstance(table.get("limits"), dict) and isinstance(child.get("limits"), dict):
        gone = {
            _INSTEAD[name]
            for name, value in child["limits"].items()
            if name in _INSTEAD and value != "none"
        }
        table["limits"] = {
            name: value for name, value in table["limits"].items() if name not in gone
        }
    return _over(table, child)


def _over(parent: Table, child: Table) -> Table:
    table = dict(parent)
    for name, value in child.items():
        inherited = table.get(name)
        if isinstance(value, dict) and isinstance(inherited, dict):
            table[name] = _over(inherited, value)
        else:
            table[name] = value
    return table


def holds(table: Any, path: KeyPath) -> int:
    """Return how many steps of a path a table holds."""
    for depth, step in enumerate(path):
        inside = (isinstance(table, dict) and step in table) or (
            isinstance(table, list) and isinstance(step, int) and step < len(table)
        )
        if not inside:
            return depth
        table = table[step]
    return len(path)


def owner(layers: tuple[Layer, ...], path: KeyPath) -> Layer:
    """Return the document that a key is from: the first, child before parent, that holds most."""
    return max(layers, key=lambda layer: holds(layer.table, path))


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
    """Return the tables of a house as TOML writes them, every key included."""
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
class _HouseReader:
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
            causes = (problem.cause for problem in self.problems if problem.cause)
            raise collect(place_all(self.layers, self.problems)) from next(causes, None)

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
        if problems:
            return None
        return Chosen(named.name, rule, named.version, self.plugins.stranger(kind, rule_name))

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
    reader = _HouseReader(layers, merged(layers), plugins, [])
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


# --- House files to start from: the values of a house, with what each key means beside it

_WIDTH = 96


def plain_name(text: str) -> str:
    """Return a text as the name of a house can be: other signs become hyphens."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:60].strip("-") or "my-house"


def whole_file(house: House, name: str) -> str:
    """Return a TOML file of every key of a house, under a new name; it stands alone."""
    info = evolve(house.info, name=plain_name(name), title=house.title)
    return f"# A house that begins as {house.name}.\n\n{dumps_house(evolve(house, info=info))}"


def extending_file(house: House, name: str, parent: str) -> str:
    """Return a TOML file that extends a house: every value stands in a comment, with its meaning.

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
            lines.append(f"#{key} = {inline(value)}")
        lines.append("")
    return "\n".join(lines)


def _class_of(house: House, table: str) -> type:
    if table in RULE_TABLES:
        return type(getattr(house, table).rule)
    return SECTIONS.get(table, SideBetKeys)
