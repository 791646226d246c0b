"""The faults across keys that are certain while other keys of a file are broken.

The right value of a broken key is not known. Several substitutes are tried in its place, one after
the other: a fault that is found with each of them does not depend on the key. The same is done for
a house that is extended and cannot be read. Only the faults are used.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final, Literal, get_args, get_origin

import attrs
from attrs import frozen

from trente_rules.core.converter import KeyPath, Problem
from trente_rules.core.errors import Fault, TrenteError
from trente_rules.core.house.converter import NONE
from trente_rules.core.house.placing import Layer, placed, steps_held
from trente_rules.core.house.reader import LISTS, ON, RULE_TABLES, SECTIONS, rules_of
from trente_rules.core.keys import KeyInfo, NumberRange, keys_of
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import PluginManager
from trente_rules.core.toml import Document, parse

Table = dict[str, Any]
Read = Callable[[tuple[Table, ...]], tuple[tuple[Problem, ...], bool]]
"""Reads a chain of tables: all that is wrong, and whether every key by itself is right."""
MOST_ROUNDS: Final = 6
"""How often the keys at fault are replaced, to find the faults behind them."""
MOST_REPLACED: Final = 50
"""A file with more faults than this has enough to mend; each costs time."""
MOST_BASES: Final = 6
_ABSENT: Final = object()
_HUGE: Final = 10**9
_FEW: Final = 12
"""So many numbers of a key are all tried: packs, prisons, points."""
_NAMED: Final = "rule"
_REFAIT: Final = ("refait",)
_STATELESS: Final = "unknown-state"
"""The fault of a key that names a state of the refait."""


@frozen
class Broken:
    """A key whose value is not known: its path, and the values to try instead."""

    path: KeyPath
    values: tuple[Any, ...] = (_ABSENT,)


def more_faults(
    layers: tuple[Layer, ...],
    problems: Iterable[Problem],
    plugins: PluginManager,
    read: Read,
    *,
    lost: bool,
) -> Iterator[Fault]:
    """Return the faults of a chain that are certain besides the problems that were found.

    ``lost`` says that what the last document extends could not be read.
    """
    problems = [*problems]
    if len(problems) > MOST_REPLACED:
        return
    bases = [*_bases(plugins)] if lost else [_ABSENT]
    broken = _broken(layers, problems, plugins)
    right = {
        layer.document.origin
        for number, layer in enumerate(layers)
        if number and not read(tuple(older.table for older in layers[number:]))[0]
    }
    for _round in range(MOST_ROUNDS):
        chains = [*_chains(layers, broken.values(), bases)]
        found, whole = _certain(chains, read, broken)
        new = [each for each in found if not _touches(each, broken, layers)]
        real = tuple(
            attrs.evolve(layer, table=table)
            for layer, table in zip(layers, whole or (), strict=False)
        )
        if lost:
            new = [each for each in new if any(_writes(layer, each.path) for layer in real)]
        if not new:
            return
        base = Layer(Document("", ""), whole[-1], None) if lost and whole else None
        chain = (*real, base) if base else real
        for fault in placed(chain, new, partial(_signs, read)):
            # A parent that is right by itself has none: the fault is of what replaces its key, and
            # is found in the child that has replaced it.
            if (fault.file or not lost) and fault.file not in right:
                yield fault
        broken |= _broken(layers, new, plugins)


def _signs(read: Read, tables: tuple[Table, ...]) -> frozenset[tuple[KeyPath, str]] | None:
    problems, whole = read(tables)
    return frozenset((each.path, each.code) for each in problems) if whole else None


def _certain(
    chains: Sequence[tuple[Table, ...]], read: Read, broken: Iterable[KeyPath]
) -> tuple[list[Problem], tuple[Table, ...]]:
    """Return the problems that no substitute removes, and the first chain that is read whole.

    A chain with a problem at a substitute does not count. Where no chain is whole, the problems
    are those of all of them.
    """
    keys = [*broken]
    readings = [(*read(chain), chain) for chain in chains]
    whole = [reading for reading in readings if reading[1]] or readings
    fair = [each for each in whole if not any(_overlaps(p.path, keys) for p in each[0])] or whole
    first, *others = (problems for problems, _whole, _chain in fair)
    return [each for each in first if not any(_refutes(o, each, first) for o in others)], fair[0][2]


def _refutes(problems: Iterable[Problem], one: Problem, first: Sequence[Problem]) -> bool:
    """Return whether a problem is gone in another reading, and not hidden by one that is new."""
    known = {(each.path, each.code) for each in first}
    found = {(each.path, each.code) for each in problems}
    hiding = {one.path[0], "money", "refait"}
    return (one.path, one.code) not in found and not any(
        path[0] in hiding for path, _code in found - known
    )


def _chains(
    layers: tuple[Layer, ...], broken: Iterable[Broken], bases: Sequence[Any]
) -> Iterator[tuple[Table, ...]]:
    """Return the chains of tables with each value in place of each broken key at least once."""
    keys = [*broken]
    bare = [layer.table for layer in layers]
    for key in keys:
        bare[_writer(layers, key.path)] = _without(bare[_writer(layers, key.path)], key.path)
    many = max([len(bases), *(len(key.values) for key in keys)])
    for number in range(many):
        tables = [*bare]
        for key in keys:
            value = key.values[number % len(key.values)]
            if value is not _ABSENT:
                at = _writer(layers, key.path)
                tables[at] = _with(tables[at], key.path, value)
        base = bases[number % len(bases)]
        yield tuple(tables if base is _ABSENT else [*tables, base])


def _writer(layers: tuple[Layer, ...], path: KeyPath) -> int:
    """Return the number of the youngest document that holds most of a path."""
    return max(range(len(layers)), key=lambda number: steps_held(layers[number].table, path))


def _writes(layer: Layer, path: KeyPath) -> bool:
    return steps_held(layer.table, path) == len(path)


# What is broken, and its substitutes


def _broken(
    layers: tuple[Layer, ...], problems: Iterable[Problem], plugins: PluginManager
) -> dict[KeyPath, Broken]:
    """Return the keys that problems leave unknown, by their paths."""
    found: dict[KeyPath, Broken] = {}
    for problem in problems:
        path = _key_at_fault(problem.path)
        missing = problem.code == "missing-key" and path == problem.path
        fixes = (problem.fix[1],) if problem.fix and problem.fix[0] == path else ()
        values = (*fixes, *_values(path, layers, plugins, missing=missing))
        if path not in found:
            found[path] = Broken(path, values or (_ABSENT,))
    return {  # a key in a table that is unknown as a whole is not known either
        path: each
        for path, each in found.items()
        if not any(path[:many] in found for many in range(1, len(path)))
    }


def _key_at_fault(path: KeyPath) -> KeyPath:
    """Return the key that is unknown as a whole where something at a path is wrong."""
    if path[0] in LISTS:
        return path[:2]
    if path[:2] == ("refait", "machine"):
        return path[:1]
    if path[:2] == ("refait", ON):
        return path[:3]
    return path[: next((at for at, step in enumerate(path) if isinstance(step, int)), len(path))]


def _values(
    path: KeyPath, layers: tuple[Layer, ...], plugins: PluginManager, *, missing: bool
) -> tuple[Any, ...]:
    """Return the values to try for a key; the first is its absence."""
    table, *steps = path
    named = _written(layers, (table, _NAMED))
    if table in LISTS:
        return (_member(path, layers),) if steps else (_ABSENT,)
    if table in RULE_TABLES and steps == [_NAMED]:
        return tuple(rules_of(plugins, RULE_TABLES[str(table)]))
    if table in RULE_TABLES and not steps:
        return tuple({_NAMED: name} for name in rules_of(plugins, RULE_TABLES[str(table)]))
    cls: Any = SECTIONS.get(str(table))
    if table in RULE_TABLES and isinstance(named, str):
        cls = rules_of(plugins, RULE_TABLES[str(table)]).get(named)
    info = _info(cls, steps)
    return (*(() if missing else (_ABSENT,)), *(_typical(info) if info else ()))


def _member(path: KeyPath, layers: tuple[Layer, ...]) -> Any:
    """Return a valid member of a list of tables, with the id of the one that it replaces."""
    known = _written(layers, (*path, "id"))
    named = known if isinstance(known, str) and known else f"placeholder-{path[1]}"
    return (
        {"id": named, "wins_on": "any-tie", "odds": "8"}
        if path[0] == LISTS[1]
        else {"id": named, "odds": "19/20"}
    )


def _written(layers: tuple[Layer, ...], path: KeyPath) -> Any:
    for layer in layers:
        if _writes(layer, path):
            value: Any = layer.table
            for step in path:
                value = value[step]
            return value
    return None


def _info(cls: Any, steps: Sequence[str | int]) -> KeyInfo | None:
    """Return the declaration of a key inside a class, None where a step is not a key."""
    info: KeyInfo | None = None
    for step in steps:
        if not attrs.has(cls):
            return None
        known = {info.name: info for info in keys_of(attrs.resolve_types(cls))}
        info = known.get(str(step))
        inner = () if info is None else (info.type, *get_args(info.type))
        cls = next((each for each in inner if attrs.has(each)), None)
    return info


def _typical(info: KeyInfo) -> Iterator[Any]:
    """Return values of the kind of a key, from one end of what it may be to the other."""
    kinds = {info.type, *get_args(info.type)}
    values = [*_of_kinds(kinds), *(_within(info.bounds) if info.bounds else ())]
    if get_origin(info.type) is tuple:
        yield from ([], *([value] for value in values))
    else:
        yield from values or ("placeholder",)


def _within(bounds: NumberRange) -> tuple[int, ...]:
    """Return the first numbers of a range, and its end."""
    least = bounds.least or 0
    most = least + _FEW if bounds.most is None else bounds.most
    return (*range(least, min(most, least + _FEW)), most)


def _of_kinds(kinds: Collection[Any]) -> Iterator[Any]:
    """Return values of some types, as TOML writes them."""
    for kind in kinds:
        if get_origin(kind) is Literal:
            yield from get_args(kind)
    if type(None) in kinds:
        yield NONE
    if Amount in kinds:
        yield from (0, 1, _HUGE)
    elif Fraction in kinds:
        yield from ("0", "1/2", "1")
    elif bool in kinds:
        yield from (False, True)


def _bases(plugins: PluginManager) -> Iterator[Table]:
    """Return tables of houses in place of one that could not be read, as unlike as there are."""
    for name in rules_of(plugins, RULE_TABLES["refait"]):
        yield {"house": {"name": "base"}, "refait": {_NAMED: name}}
    names = plugins.names("house")
    for name in names[:: max(1, len(names) // MOST_BASES)]:
        try:
            text = plugins.house(name)
            table = parse(Document(text.origin, text.text))
        except TrenteError:
            continue
        if not table.get("house", {}).get("extends"):
            yield table


def _touches(problem: Problem, broken: dict[KeyPath, Broken], layers: tuple[Layer, ...]) -> bool:
    """Return whether a problem is at a key that is broken, or names one."""
    paths = [problem.path]
    if problem.path[:2] == ("house", "inferred"):
        named = _written(layers, problem.path)
        paths.append(tuple(str(named).split(".")))
    if problem.code == _STATELESS and _REFAIT in broken:  # its states are not known
        return True
    return any(_overlaps(path, broken) for path in paths)


def _overlaps(path: KeyPath, keys: Iterable[KeyPath]) -> bool:
    """Return whether a path leads to one of some keys, into it, or to a table around it."""
    return any(path[: len(key)] == key[: len(path)] for key in keys)


# Tables with one key changed


def _without(table: Any, path: KeyPath) -> Any:
    """Return a table without a key; as it is where it has none."""
    step, *rest = path
    if steps_held(table, (step,)) == 0:
        return table
    if isinstance(table, list):  # a member that is replaced keeps its place
        return table
    if rest:
        return {**table, step: _without(table[step], tuple(rest))}
    return {name: value for name, value in table.items() if name != step}


def _with(table: Any, path: KeyPath, value: Any) -> Any:
    """Return a table with a value at a key; missing tables around it are made."""
    step, *rest = path
    if isinstance(table, list):
        inner = _with(table[int(step)], tuple(rest), value) if rest else value
        return _replaced(table, step, inner)
    table = table if isinstance(table, dict) else {}
    return {**table, step: _with(table.get(step), tuple(rest), value) if rest else value}


def _replaced(members: list[Any], place: str | int, value: Any) -> list[Any]:
    return [value if number == place else each for number, each in enumerate(members)]
