"""A house from TOML, and TOML from a house.

Reading finds every fault of the file at once, first each field by itself, then across keys; each is
placed in the child or in the parent it extends. Nothing is clamped or guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

from attrs import evolve

from trente_rules.core.chances import SideBetKeys
from trente_rules.core.converter import Problem, path_text
from trente_rules.core.errors import (
    ConfigurationError,
    Fault,
    PluginError,
    shown,
)
from trente_rules.core.file_kinds import other_kind
from trente_rules.core.files import path_within
from trente_rules.core.house.checks import Note, cross_checks, notes, same_amounts
from trente_rules.core.house.converter import NONE, unstructure
from trente_rules.core.house.house import Chosen, House, SideBet
from trente_rules.core.house.placing import Layer, Signs, placed, steps_held
from trente_rules.core.house.reader import CHANCES, ON, RULE_TABLES, SIDE_BETS, Reader
from trente_rules.core.house.substitutes import more_faults
from trente_rules.core.keys import keys_of
from trente_rules.core.names import nearest_of_few, plain
from trente_rules.core.plugins.manager import PluginManager, default_manager
from trente_rules.core.rules.announcements import PHRASE_KEYS
from trente_rules.core.toml import Document, faults_error, parse, read_document
from trente_rules.core.toml import written as written_toml

Table = dict[str, Any]
PER_CHANCE: Final = "per_chance"
"""The key of [limits] under which single chances have limits of their own."""
LONGEST_CHAIN: Final = 16
_LONGEST_NAME: Final = 200
"""No file system takes much longer names, and no line of a report a longer key."""
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
    try:
        layer = _named(name, manager, within)
        house = _house(layer, manager)
    except ConfigurationError as error:
        named = isinstance(name, str) and not is_file_name(name)
        looked_at = not named and _OF_ANOTHER & {fault.code for fault in error.faults}
        other = _other_kind(fspath(name), within) if looked_at else None
        if other is None:
            raise
        raise ConfigurationError.of(other) from error
    if layer.folder is None and plain(house.name) != plain(fspath(name)):
        message = f"the house that a plugin adds as {name!r} is named {house.name!r} inside"
        problem = Problem(("house", "name"), "wrong-name", message, "give it one name")
        raise faults_error(placed((layer,), [problem]))
    return house


def installed_house(name: str, *, plugins: PluginManager | None = None) -> House:
    """Return the house that the package or a plugin adds by a name, and never one of a file.

    For names that come out of a stranger's file: a name like a path is not looked for. Raises
    ``ConfigurationError``, those of ``load_house``.
    """
    if is_file_name(name):
        message, hint = f"there is no house {shown(name)}", "a name was expected, and no path"
        fault = Fault(shown(name), None, None, "house.name", "unknown-house", message, hint)
        raise ConfigurationError.of(fault)
    return load_house(name, plugins=plugins)


_OF_ANOTHER: Final = frozenset(("unknown-key", "not-utf-8", "not-toml", "file-too-large"))
"""Faults that a file of another kind has, read as a house."""


def _other_kind(name: str, within: str | PathLike[str] | None) -> Fault | None:
    """Return the fault of a file that is not a house but another file of this package, if it is."""
    path = Path(name) if within is None else path_within(name, within)
    fault = None if path is None else other_kind(path, ("house",))
    # Of a broken TOML file its own faults say more.
    known = fault and (fault.message != "not a house" or not name.endswith(".toml"))
    return evolve(fault, file=name) if fault and known else None


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
    """Read a house like ``load_house``, and return it with the notes on its own document.

    Each note is placed as a fault is; what only a parent says has its notes in the parent. Raises
    as ``load_house``, and ``PluginError`` where a plugin's rule fails.
    """
    manager = plugins or default_manager()
    house = load_house(name, within=within, plugins=manager)
    layers, _lost = _chain(_named(name, manager, within), manager)
    try:
        problems = [note.problem() for note in notes(house)]
        found = placed(layers, problems, partial(_signs, manager, _noted))
        own = [note for note in found if note.file == layers[0].document.origin]
    except BaseException as error:
        house.blame(error)
        raise
    parent = Reader(_merged([layer.table for layer in layers[1:]]), manager).house()
    if parent is not None and len(layers) > 1:
        kept = (note.problem() for note in _kept_amounts(layers, parent, house))
        own += placed(layers, kept)
    return house, faults_error(own).faults if own else ()


def house_documents(
    name: str | PathLike[str],
    *,
    within: str | PathLike[str] | None = None,
    plugins: PluginManager | None = None,
) -> tuple[Document, ...]:
    """Return the documents that ``load_house`` reads a house from: its own, then all it extends.

    Raises as ``load_house`` for those that cannot be read.
    """
    manager = plugins or default_manager()
    layers, lost = _chain(_named(name, manager, within), manager)
    if lost is not None:
        raise lost
    return tuple(layer.document for layer in layers)


def house_of_documents(
    documents: Sequence[Document], *, plugins: PluginManager | None = None
) -> House:
    """Return the house of its own document and all that it extends, like ``house_documents``.

    Nothing else is read. Raises ``ConfigurationError`` with every fault.
    """
    layers = tuple(Layer(each, parse(each), None) for each in documents)
    return _house_of(layers, None, plugins or default_manager())


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
    """Read a house from TOML text; files that it extends are in ``folder``.

    Without a folder no file is read; ``within`` is as for ``load_house``. Raises
    ``ConfigurationError`` with every fault; ``origin`` is what they call the text.
    """
    document, bound = Document(origin, text), _bound(within)
    layer = Layer(document, parse(document), None if folder is None else Path(folder), bound)
    return _house(layer, plugins or default_manager())


def lacks_plugin(text: str, *, plugins: PluginManager | None = None) -> bool:
    """Return whether a house that extends none is only unreadable for want of a plugin.

    It names a rule or a language that nothing here adds, and has no fault that a plugin could not
    make right. Raises ``ConfigurationError`` for a text that is not TOML.
    """
    reader = Reader(parse(Document("<text>", text)), plugins or default_manager())
    reader.house()
    return reader.lacks_plugin()


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
        what = "not a folder: files are read only within a folder"
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


def _chain(
    layer: Layer, plugins: PluginManager
) -> tuple[tuple[Layer, ...], ConfigurationError | None]:
    """Return a document and all that it extends, the child first, as far as it can be read.

    The error, if there is one, is placed at the ``extends`` key: a parent that is missing, not
    readable, or extends its own child; or in a parent that is not TOML.
    """
    layers = [layer]
    try:
        _extend(layers, plugins)
    except ConfigurationError as error:
        return tuple(layers), error
    return tuple(layers), None


def _extend(layers: list[Layer], plugins: PluginManager) -> None:
    """Append what a document extends, and what that extends; raises ``ConfigurationError``."""
    identities = [layers[0].identity]
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
    return _house_of(*_chain(layer, plugins), plugins)


def _house_of(
    layers: tuple[Layer, ...], lost: ConfigurationError | None, plugins: PluginManager
) -> House:
    """Return the house of a chain of documents; ``lost`` is why a part of it is missing."""
    reader = Reader(_merged([layer.table for layer in layers]), plugins, partial=lost is not None)
    house = reader.house()
    if house is None:
        problems, found = reader.problems, placed(layers, reader.problems)
    else:
        problems = [*_across(house, reader.table)]
        found = placed(layers, problems, partial(_signs, plugins, _across))
    if house is not None and not problems:
        return house
    read = partial(_read, plugins)
    more = more_faults(layers, problems, plugins, read, lost=lost is not None)
    error = faults_error([*(lost.faults if lost else ()), *found, *more])
    causes = (problem.cause for problem in problems if problem.cause)
    error.__cause__ = next(causes, lost and lost.__cause__)
    raise error


def _read(plugins: PluginManager, tables: tuple[Table, ...]) -> tuple[tuple[Problem, ...], bool]:
    """Return all problems of a chain of tables, and whether every key by itself is right."""
    reader = Reader(_merged(tables), plugins)
    house = reader.house()
    if house is None:
        return tuple(reader.problems), False
    return tuple(_across(house, reader.table)), True


def _across(house: House, table: Table) -> Iterable[Problem]:
    """Return the problems across keys of a house and the table it was read from."""
    return (*cross_checks(house), *_unknown_paths(house, table))


Find = Callable[[House, Table], Iterable[Problem] | None]


def _signs(plugins: PluginManager, find: Find, tables: tuple[Table, ...]) -> Signs | None:
    """Return what is found in the house of a chain of tables; None where it cannot be read."""
    reader = Reader(_merged(tables), plugins)
    house = reader.house()
    found = None if house is None else find(house, reader.table)
    return None if found is None else frozenset((each.path, each.code) for each in found)


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
