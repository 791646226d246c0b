"""A house that extends another: the documents of a chain, merged into one table.

Tables merge key by key; a table that names another rule replaces the inherited one whole; lists and
values replace; a key that overrides takes the inherited one off ``house.inferred``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from trente_rules.errors import ConfigurationError, Fault, PluginError
from trente_rules.house.document import Document, parse, read_document
from trente_rules.house.faults import Places, shown
from trente_rules.house.structure import Path as KeyPath
from trente_rules.plugins.manager import PluginManager

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
    """Tell whether a name is that of a file rather than of a shipped house."""
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
    """Answer a document and all that it extends, the child first.

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
    """Answer the one table that a chain makes, the child's keys over the parent's."""
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
    """Answer the inferred paths; a table of which the child sets a key is told by its keys."""
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
    """Answer the rule tables in which the child names another rule than the parent."""
    return {
        name
        for name in RULE_TABLES
        if isinstance(new := child.get(name), dict)
        and isinstance(old := parent.get(name), dict)
        and "rule" in new
        and new["rule"] != old.get("rule")
    }


def leaves(table: Table, path: KeyPath = ()) -> Iterator[KeyPath]:
    """Answer the paths of all values that are no tables; an empty table counts as a value."""
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
    """Answer how many steps of a path a table holds."""
    for depth, step in enumerate(path):
        inside = (isinstance(table, dict) and step in table) or (
            isinstance(table, list) and isinstance(step, int) and step < len(table)
        )
        if not inside:
            return depth
        table = table[step]
    return len(path)


def owner(layers: tuple[Layer, ...], path: KeyPath) -> Layer:
    """Answer the document that a key is from: the first, child before parent, that holds most."""
    return max(layers, key=lambda layer: holds(layer.table, path))
