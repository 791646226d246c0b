"""A house from TOML, and TOML from a house.

Reading finds every fault of the file at once, first each field by itself, then across keys; each is
placed in the child or in the parent it extends. Nothing is clamped or guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from textwrap import wrap
from typing import Any, Final, TypeVar

from attrs import evolve, field, frozen

from trente_rules.core.chances import ChanceKeys, DealRule, SideBetKeys
from trente_rules.core.converter import KeyPath, Problem, path_text, structure_table
from trente_rules.core.coup import POINTS
from trente_rules.core.errors import (
    ConfigurationError,
    Fault,
    PluginError,
    RuleError,
    TrenteError,
    shown,
)
from trente_rules.core.files import path_within
from trente_rules.core.house.checks import Note, cross_checks, notes, problem_of, same_amounts
from trente_rules.core.house.converter import NONE, structure, unstructure
from trente_rules.core.house.house import Chosen, House, HouseInfo, PointRefait, SideBet
from trente_rules.core.house.placing import Layer, Signs, placed, steps_held
from trente_rules.core.keys import keys_of
from trente_rules.core.money import Money
from trente_rules.core.names import nearest_of_few, plain
from trente_rules.core.plugins.manager import PluginManager, default_manager
from trente_rules.core.rules.announcements import PHRASE_KEYS, Announcements
from trente_rules.core.rules.settlement_order import PayOrder
from trente_rules.core.shoe import ShoeRule
from trente_rules.core.text import printable
from trente_rules.core.toml import Document, faults_error, inline, parse, read_document
from trente_rules.core.toml import written as written_toml

T = TypeVar("T")
Table = dict[str, Any]
SECTIONS: Final[dict[str, type]] = {
    "house": HouseInfo,
    "money": Money,
    "shoe": ShoeRule,
    "deal": DealRule,
    "settlement": PayOrder,
    "announcements": Announcements,
}
"""The tables of a house that are always of one class, in the order they are written."""
RULE_TABLES: Final = {
    "refait": "refait rule",
    "insurance": "insurance rule",
    "limits": "limit rule",
}
"""The tables whose ``rule`` key names a rule, and the kind of rule it names."""
SIDE_BETS: Final = "side_bets"
CHANCES: Final = "chances"
TABLES: Final = (*SECTIONS, *RULE_TABLES, CHANCES, SIDE_BETS)
LISTS: Final = (CHANCES, SIDE_BETS)
"""The tables that are lists of tables."""
ON: Final = "on"
"""The key of [refait] under which the ties of one point have a rule of their own."""
PER_CHANCE: Final = "per_chance"
"""The key of [limits] under which single chances have limits of their own."""
LONGEST_CHAIN: Final = 16
_LONGEST_NAME: Final = 200
"""No file system takes much longer names, and no line of a report a longer key."""
_DEFAULT_RULES: Final = {"insurance": "none", "limits": "fixed"}
_INSTEAD: Final = {"maximum": "maximum_multiple", "maximum_multiple": "maximum"}


def load_house(
    name: str | PathLike[str],
    *,
    within: str | PathLike[str] | None = None,
    plugins: PluginManager | None = None,
) -> House:
    """Read a house by its name, or from a file.

    A text that ends in ``.toml`` or holds a slash, and any path object, is a file. For files of
    strangers ``within`` is the folder that it and all that it extends must be in, at each step and
    with links followed: nothing else is looked at, nor does a fault say whether it is there. A path
    begins with the folder, as it is given or as it is resolved. Raises ``ConfigurationError`` with
    every fault of the file, "unknown-house", "outside-folder", or "no-folder" where ``within`` is
    none.
    """
    manager = plugins or default_manager()
    layer = _named(name, manager, within)
    house = _house(layer, manager)
    if layer.folder is None and plain(house.name) != plain(fspath(name)):
        message = f"the house that a plugin adds as {name!r} is named {house.name!r} inside"
        problem = Problem(("house", "name"), "wrong-name", message, "give it one name")
        raise faults_error(placed((layer,), [problem]))
    return house


def _named(
    name: str | PathLike[str], plugins: PluginManager, within: str | PathLike[str] | None
) -> Layer:
    """Return the document of a house by its name, or by its path; ``ConfigurationError``."""
    text = fspath(name)
    if not isinstance(name, str) and not is_file_name(text):
        text = str(Path(text).absolute())
    try:
        return _layer(text, None, plugins, _bound(within))
    except PluginError as error:
        hint = error.hint
        if within is None and Path(text[:_LONGEST_NAME]).is_file():
            hint = f"to read the file of that name, write ./{text}"
        fault = Fault(shown(text), None, None, "", error.code, error.message, hint)
        raise ConfigurationError.of(fault) from error


def load_with_notes(
    name: str | PathLike[str],
    *,
    within: str | PathLike[str] | None = None,
    plugins: PluginManager | None = None,
) -> tuple[House, tuple[Fault, ...]]:
    """Read a house as ``load_house``, with the notes on what its own document says.

    Each note is placed as a fault is; what only a parent says has its notes in the parent. Raises
    as ``load_house``, and ``PluginError`` where a plugin's rule fails.
    """
    manager = plugins or default_manager()
    house = load_house(name, within=within, plugins=manager)
    layers = _chain(_named(name, manager, within), manager)
    try:
        problems = [note.problem() for note in notes(house)]
        found = placed(layers, problems, partial(_signs, manager, _noted))
        own = [note for note in found if note.file == layers[0].document.origin]
    except BaseException as error:
        house.blame(error)
        raise
    parent = _Reader(_merged([layer.table for layer in layers[1:]]), manager).house()
    if parent is not None and len(layers) > 1:
        kept = (note.problem() for note in _kept_amounts(layers, parent, house))
        own += placed(layers, kept)
    return house, faults_error(own).faults if own else ()


def _noted(house: House, _table: Table) -> Iterable[Problem] | None:
    """Return the notes on a house as problems; None where it has faults."""
    return None if any(True for _ in cross_checks(house)) else map(Note.problem, notes(house))


def _kept_amounts(layers: tuple[Layer, ...], parent: House, house: House) -> Iterable[Note]:
    """Return notes on amounts that a document inherits under other money than its parent's."""
    inherited = [
        f"{path_text(path)} {amount}"
        for path, amount in same_amounts(parent, house)
        if steps_held(layers[0].table, path) < len(path)
        and any(steps_held(layer.table, path) == len(path) for layer in layers[1:])
    ]
    if not inherited:
        return
    name, listed = layers[0].table["house"]["extends"], ", ".join(inherited)
    old, new = parent.money, house.money
    if old.currency != new.currency:
        message = f"amounts inherited from {name} are of {new.currency} now, not of {old.currency}"
        hint = f"write each again in {new.currency}"
        yield Note(("money", "currency"), "inherited-amounts", f"{message}: {listed}", hint)
        return
    stay = f"amounts inherited from {name} stay as they are: {listed}"
    if old.unit != new.unit:
        message = f"money is rounded to {new.unit} {new.currency} now, not to {old.unit}; {stay}"
        yield Note(("money", "unit"), "inherited-amounts", message)
    if old.rounding != new.rounding:
        message = f"money is rounded by {new.rounding!r} now, not by {old.rounding!r}; {stay}"
        yield Note(("money", "rounding"), "inherited-amounts", message)


def loads_house(
    text: str,
    *,
    folder: str | PathLike[str] | None = None,
    within: str | PathLike[str] | None = None,
    origin: str = "<text>",
    plugins: PluginManager | None = None,
) -> House:
    """Read a house from TOML text; ``folder`` is where files that it extends are looked for.

    Without a folder no file is read; ``within`` is as for ``load_house``. Raises
    ``ConfigurationError`` with every fault; ``origin`` is what they call the text.
    """
    document, bound = Document(origin, text), _bound(within)
    layer = Layer(document, parse(document), None if folder is None else Path(folder), bound)
    return _house(layer, plugins or default_manager())


def dumps_house(house: House) -> str:
    """Write a house as one TOML document with every key; it reads back equal."""
    return written_toml(house_table(house))


def house_table(house: House) -> Table:
    """Return the tables of a house as TOML writes them, every key included."""
    table: Table = {
        "house": unstructure(house.info),
        "money": unstructure(house.money),
        "shoe": unstructure(house.shoe),
        "deal": unstructure(house.deal),
    }
    for name in RULE_TABLES:
        chosen: Chosen = getattr(house, name)
        table[name] = {"rule": chosen.name, **unstructure(chosen.rule)}
    if house.refaits:
        table["refait"][ON] = {
            str(own.point): {"rule": own.rule.name, **unstructure(own.rule.rule)}
            for own in house.refaits
        }
    table["settlement"] = unstructure(house.settlement)
    table["announcements"] = unstructure(house.announcements)
    if house.chance_keys:
        table[CHANCES] = [unstructure(keys) for keys in house.chance_keys]
    if house.side_bets:
        table[SIDE_BETS] = [
            {
                "id": bet.id,
                "wins_on": bet.wins_on.name,
                **unstructure(bet.wins_on.rule),
                **_common_keys(bet),
            }
            for bet in house.side_bets
        ]
    return table


def _common_keys(bet: SideBet) -> Table:
    """Return the keys that every side bet has; lists of conditions only where there are some."""
    own = {info.attribute: getattr(bet, info.attribute) for info in keys_of(SideBetKeys)}
    written = unstructure(SideBetKeys(**own))
    del written["id"]
    return {name: value for name, value in written.items() if value != []}


# A house that extends another: the documents of a chain, the child first.


def is_file_name(name: str) -> bool:
    """Return whether a name is that of a file rather than of a shipped house."""
    return name.endswith(".toml") or "/" in name or "\\" in name


_OUTSIDE_FOLDER: Final = "outside-folder"
_OUTSIDE: Final = (
    "this leads out of the folder that files may be read from, or in a circle",
    "name a file in that folder, or a house that is shipped",
)


def _bound(within: str | PathLike[str] | None) -> Path | None:
    """Return the folder that files must be in, if any; ``ConfigurationError`` ("no-folder")."""
    if within is None:
        return None
    name = fspath(within)
    if not name or not Path(name).is_dir():
        what = "this is not a folder, and files were to be read within it alone"
        fault = Fault(shown(name), None, None, "", "no-folder", what, "name a folder that is there")
        raise ConfigurationError.of(fault)
    return Path(name)


def _layer(name: str, folder: Path | None, plugins: PluginManager, within: Path | None) -> Layer:
    """Read a house by its name, or by its path; relative paths start at ``folder``.

    Raises ``ConfigurationError`` for files, ``PluginError`` for names.
    """
    if is_file_name(name):
        path = (folder or Path()) / name
        found = path if within is None else path_within(path, within)
        if found is None:
            fault = Fault(shown(name), None, None, "", _OUTSIDE_FOLDER, *_OUTSIDE)
            raise ConfigurationError.of(fault)
        document = read_document(found, origin=path)
        return Layer(document, parse(document), path.parent, within)
    text = plugins.house(name)
    document = Document(text.origin, text.text)
    return Layer(document, parse(document), None, within)


def _chain(layer: Layer, plugins: PluginManager) -> tuple[Layer, ...]:
    """Return a document and all that it extends, the child first.

    Raises ``ConfigurationError``, placed at the ``extends`` key: a parent that is missing, not
    readable, or extends its own child.
    """
    layers, identities = [layer], [layer.identity]
    while (parent := _parent(layers[-1], plugins)) is not None:
        child, identity = layers[-1], parent.identity
        if identity in identities:
            circle = " extends ".join([*identities[identities.index(identity) :], identity])
            raise child.extends_error("circular-extends", f"the houses go in a circle: {circle}")
        if len(layers) == LONGEST_CHAIN:
            message = f"more than {LONGEST_CHAIN} houses extend one another"
            raise child.extends_error("chain-too-long", message)
        layers.append(parent)
        identities.append(identity)
    return tuple(layers)


def _parent(child: Layer, plugins: PluginManager) -> Layer | None:
    house = child.table.get("house")
    name = house.get("extends") if isinstance(house, dict) else None
    if name in (None, NONE):
        return None
    if not isinstance(name, str) or not name:
        raise child.extends_error("wrong-type", f"{shown(name)} is not the name of a house")
    if len(name) > _LONGEST_NAME:
        raise child.extends_error("unknown-house", f"{shown(name)} is too long for a name")
    if is_file_name(name) and child.folder is None:
        message = f"{shown(name)} is a file, and this text is in no folder"
        raise child.extends_error("no-folder", message)
    try:
        return _layer(name, child.folder, plugins, child.within)
    except PluginError as error:
        raise child.extends_error(error.code, error.message, error.hint) from error
    except ConfigurationError as error:
        (fault, *more) = error.faults
        if fault.code == _OUTSIDE_FOLDER:
            message = f"{shown(name)}: {fault.message}"
            raise child.extends_error(fault.code, message, fault.hint) from error
        if more or not fault.code.startswith("file-"):
            raise
        raise child.extends_error("extends-unreadable", fault.message, fault.hint) from error


def _merged(tables: Sequence[Table]) -> Table:
    """Return the one table that a chain makes, the child first: its keys over the parent's."""
    table: Table = {}
    for each in reversed(tables):
        table = _extended(table, each)
    house = table.get("house")
    if isinstance(house, dict):
        table["house"] = {key: value for key, value in house.items() if key != "extends"}
    return table


def _extended(parent: Table, child: Table) -> Table:
    """Return a parent's table with the keys of its child.

    A rule table that names another rule inherits nothing; a new maximum replaces the other kind of
    maximum.
    """
    rules = {
        name: (old, new)
        for name in RULE_TABLES
        if isinstance(old := parent.get(name), dict) and isinstance(new := child.get(name), dict)
    }
    replaced = {
        name
        for name, (old, new) in rules.items()
        if "rule" in new and new["rule"] != old.get("rule")
    }
    table = {name: value for name, value in parent.items() if name not in replaced}
    if "refait" in rules and "refait" in table:
        table["refait"] = _without_replaced(table["refait"], child["refait"])
    if "limits" in rules and "limits" in table:
        table["limits"] = _without_maximum(table["limits"], child["limits"])
    inferred = _inferred(parent, child, replaced)
    table = _over(table, child)
    house = table.get("house")
    if inferred and isinstance(house, dict) and isinstance(house.get("inferred", []), list):
        table["house"] = {**house, "inferred": inferred}
    return table


def _without_maximum(parent: Table, child: Table) -> Table:
    """Return a parent's limits without the kind of maximum that its child replaces by the other.

    So of the house, and of each chance.
    """
    gone = {_INSTEAD.get(name) for name, value in child.items() if value != NONE}
    kept = {key: value for key, value in parent.items() if key not in gone}
    old, new = kept.get(PER_CHANCE), child.get(PER_CHANCE)
    if isinstance(old, dict) and isinstance(new, dict):
        kept[PER_CHANCE] = {
            name: _without_maximum(limit, own)
            if isinstance(limit, dict) and isinstance(own := new.get(name), dict)
            else limit
            for name, limit in old.items()
        }
    return kept


def _without_replaced(parent: Table, child: Table) -> Table:
    """Return a parent's [refait] without the points for which its child names another rule."""
    old, new = parent.get(ON), child.get(ON)
    if not isinstance(old, dict) or not isinstance(new, dict):
        return parent

    def named(table: Any) -> Any:
        return table.get("rule") if isinstance(table, dict) else None

    kept = {p: own for p, own in old.items() if named(new.get(p)) in (None, named(own))}
    return {**parent, ON: kept}


def _over(parent: Table, child: Table) -> Table:
    table = dict(parent)
    for name, value in child.items():
        inherited = table.get(name)
        table[name] = (
            _over(inherited, value)
            if isinstance(value, dict) and isinstance(inherited, dict)
            else value
        )
    return table


def _inferred(parent: Table, child: Table, replaced: set[str]) -> list[Any]:
    """Return the paths whose values no source states: the child's, and the parent's still in force.

    A table of which the child sets a key is replaced by its other keys.
    """
    own, old = _inferred_paths(child), _inferred_paths(parent)
    written = flat(child) if old else {}
    kept: list[Any] = []
    for path in old:
        inside = f"{path}."
        split = any(key.startswith(inside) for key in written)
        known = (key for key in flat(parent) if key.startswith(inside))
        kept += [
            key
            for key in (known if split else [path])
            if key not in own
            and str(key).split(".")[0] not in replaced
            and not any(key == new or str(key).startswith(f"{new}.") for new in written)
        ]
    return [*own, *kept]


def _inferred_paths(table: Table) -> list[Any]:
    house = table.get("house")
    paths = house.get("inferred") if isinstance(house, dict) else None
    return paths if isinstance(paths, list) else []


def flat(table: Table, prefix: str = "") -> Table:
    """Return the values of nested tables by their dotted paths; lists are values."""
    values: Table = {}
    for name, value in table.items():
        if isinstance(value, dict):
            values |= flat(value, f"{prefix}{name}.")
        else:
            values[f"{prefix}{name}"] = value
    return values


# The merged table of a chain, built and checked.


def _house(layer: Layer, plugins: PluginManager) -> House:
    layers = _chain(layer, plugins)
    reader = _Reader(_merged([layer.table for layer in layers]), plugins)
    house = reader.house()
    if house is None:
        raise _faults_error(placed(layers, reader.problems), reader.problems)
    if problems := [*_across(house, reader.table)]:
        found = placed(layers, problems, partial(_signs, plugins, _across))
        raise _faults_error(found, problems)
    return house


def _across(house: House, table: Table) -> Iterable[Problem]:
    """Return the problems across keys of a house and the table it was read from."""
    return (*cross_checks(house), *_unknown_paths(house, table))


Find = Callable[[House, Table], Iterable[Problem] | None]


def _signs(plugins: PluginManager, find: Find, tables: tuple[Table, ...]) -> Signs | None:
    """Return what is found in the house of a chain of tables; None where it cannot be read."""
    reader = _Reader(_merged(tables), plugins)
    house = reader.house()
    found = None if house is None else find(house, reader.table)
    return None if found is None else frozenset((each.path, each.code) for each in found)


def _faults_error(faults: Iterable[Fault], problems: Iterable[Problem]) -> ConfigurationError:
    """Return the error of the faults, with what a plugin raised as its cause."""
    error = faults_error(faults)
    error.__cause__ = next((problem.cause for problem in problems if problem.cause), None)
    return error


@frozen
class _Reader:
    """The merged table of one house, the plugins, and all problems found so far."""

    table: Table
    plugins: PluginManager
    problems: list[Problem] = field(factory=list)

    def house(self) -> House | None:
        """Return the house; None where a key by itself is wrong."""
        near = nearest_of_few()
        for name in self.table:
            if name not in TABLES:
                hint = near(name, TABLES) or f"tables are {', '.join(TABLES)}"
                message = f"unknown table {shown(name)}"
                self.problems.append(Problem((name,), "unknown-key", message, hint, "key"))
        sections = {
            name: self.built(cls, self.table.get(name, {}), (name,))
            for name, cls in SECTIONS.items()
        }
        rules = {name: self.attempt((name,), self.rule, name) for name in RULE_TABLES}
        refaits = self.attempt(("refait", ON), self.refaits)
        chances = self.attempt((CHANCES,), self.tables, CHANCES, self.chance)
        side_bets = self.attempt((SIDE_BETS,), self.tables, SIDE_BETS, self.side_bet)
        announcements: Announcements | None = sections["announcements"]
        language = announcements and self.attempt(
            ("announcements", "language"), self.plugins.language, announcements.language
        )
        if self.problems:
            return None
        values: dict[str, Any] = {
            **sections,
            **rules,
            "refaits": refaits,
            "chance_keys": chances,
            "side_bets": side_bets,
            "language": language,
        }
        return House(info=values.pop("house"), **values)

    def attempt(self, path: KeyPath, read: Callable[..., T], *arguments: Any) -> T | None:
        """Return what is read; None where it cannot be, which is then a problem."""
        try:
            return read(*arguments)
        except TrenteError as error:
            self.problems.append(problem_of(path, error))
            return None

    def built(self, cls: type, table: Any, path: KeyPath, without_keys: str = "") -> Any:
        """Return a value of a class; None where something is wrong with it.

        ``without_keys`` is the hint at an unknown key of a class that has no keys.
        """
        value, problems = structure(cls, table, path)
        if problems and without_keys and not any(keys_of(cls)):
            problems = tuple(
                evolve(problem, hint=without_keys) if problem.code == "unknown-key" else problem
                for problem in problems
            )
        self.problems.extend(problems)
        return value

    def rule(self, name: str) -> Chosen | None:
        """Build the rule that a table names."""
        table = {"rule": _DEFAULT_RULES.get(name), **structure_table(self.table.get(name, {}))}
        if name == "refait":
            table.pop(ON, None)
        return self.chosen(RULE_TABLES[name], (name,), "rule", table)

    def chosen(self, kind: str, path: KeyPath, key: str, table: Table) -> Chosen | None:
        """Build a rule of a kind, which ``key`` names, from the other keys of its table."""
        name = table.pop(key, None)
        if name is None:
            known = ", ".join(self.plugins.names(kind))
            raise RuleError(f"{key} is missing", "missing-key", known, key)
        if not isinstance(name, str):
            raise RuleError(f"{shown(name)} is not the name of a {kind}", "wrong-type", "", key)
        named = self.attempt((*path, key), self.plugins.rule, kind, name)
        rule = named and self.built(named.rule, table, path, f"{name} has no keys of its own")
        if named is None or rule is None:
            return None
        return Chosen(named.name, rule, named.version, self.plugins.stranger(kind, name))

    def refaits(self) -> tuple[PointRefait | None, ...]:
        """Build every [refait.on.POINT] table."""
        on = structure_table(self.table.get("refait", {})).get(ON, {})
        tables = {} if on == NONE else structure_table(on)
        kept = {point: table for point, table in tables.items() if table != NONE}
        found = (
            self.attempt(("refait", ON, point), self.refait_on, point, table)
            for point, table in kept.items()
        )
        return tuple(sorted(found, key=lambda own: own.point if own else 0))

    def refait_on(self, point: str, table: Any) -> PointRefait | None:
        """Build the refait rule of the ties on one point."""
        path: KeyPath = ("refait", ON, point)
        if point not in map(str, POINTS):
            hint = f"points are {POINTS[0]} to {POINTS[-1]}"
            message = f"{shown(point)} is not a point"
            self.problems.append(Problem(path, "unknown-key", message, hint, "key"))
            return None
        own = {**structure_table(table)}
        rule = self.attempt(path, self.chosen, RULE_TABLES["refait"], path, "rule", own)
        return PointRefait(int(point), rule) if rule else None

    def tables(self, name: str, read: Callable[[KeyPath, Any], T]) -> tuple[T | None, ...]:
        """Build every table of a list of tables."""
        tables = self.table.get(name, [])
        if tables == NONE:
            return ()
        if not isinstance(tables, list):
            message = f"{shown(tables)} is not a list of tables"
            raise RuleError(message, "wrong-type", f"write [[{name}]]")
        paths = ((name, place) for place in range(len(tables)))
        return tuple(
            self.attempt(path, read, path, table) for path, table in zip(paths, tables, strict=True)
        )

    def chance(self, path: KeyPath, table: Any) -> ChanceKeys | None:
        """Build what one simple chance has of its own."""
        keys: ChanceKeys | None = self.built(ChanceKeys, table, path)
        return keys

    def side_bet(self, path: KeyPath, table: Any) -> SideBet | None:
        """Build one side bet: the keys that each has, and those of its rule."""
        common = {info.name for info in keys_of(SideBetKeys)}
        values = structure_table(table)
        own = {name: value for name, value in values.items() if name not in common}
        rule = self.attempt(path, self.chosen, "side bet", path, "wins_on", own)
        bare = {name: value for name, value in values.items() if name in common}
        bet = self.built(SideBetKeys, bare, path)
        if not bet or not rule:
            return None
        values = {info.attribute: getattr(bet, info.attribute) for info in keys_of(SideBetKeys)}
        return SideBet(**values, wins_on=rule)


def _unknown_paths(house: House, table: Table) -> Iterable[Problem]:
    calls = {f"announcements.phrases.{key}" for key in PHRASE_KEYS}  # the language has them
    written: Table = {}
    near = nearest_of_few()
    for place, path in enumerate(house.info.inferred):
        steps = tuple(path.split("."))
        if path in calls or steps_held(table, steps) == len(steps):
            continue
        written = written or house_table(house)  # which takes a tenth of the time of loading
        if steps_held(written, steps) < len(steps):
            yield Problem(
                ("house", "inferred", place),
                "unknown-path",
                f"{shown(path)} is not a key of this house",
                near(path, flat(written)),
            )


# House files to start from: the values of a house, with the meaning of each key.

_WIDTH = 96


def plain_name(text: str) -> str:
    """Return a text as the name of a house can be: other characters become hyphens."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:60].strip("-") or "my-house"


def whole_file(house: House, name: str) -> str:
    """Return a TOML file of every key of a house, under a new name; it is self-contained."""
    info = evolve(house.info, name=plain_name(name), title=house.title)
    return f"# A house that begins as {house.name}.\n\n{dumps_house(evolve(house, info=info))}"


def extending_file(house: House, name: str, parent: str) -> str:
    """Return a TOML file that extends a house: every value is in a comment, with its meaning.

    To change a value, take the ``#`` before its key away. Tables that few houses have follow as
    examples, each line behind ``# ``.
    """
    lines = [
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
