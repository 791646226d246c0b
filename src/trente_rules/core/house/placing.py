"""Where a fault is: in which document of a chain, at which of its keys, and what to write there.

A fault of one key is placed at the key. A fault of several keys is placed in the youngest document
without which it would not be there: at its own key where that document writes it, and otherwise at
the key without which it would not be there. That is found by reading the house again without it,
so no check has to name the keys that take part.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any, Final

from attrs import define, field, frozen

from trente_rules.core.converter import KeyPath, Problem
from trente_rules.core.errors import ConfigurationError, Fault
from trente_rules.core.toml import Document, Places, inline, inline_key

Table = dict[str, Any]
Signs = frozenset[tuple[KeyPath, str]]
"""Problems by what they have in common in two readings: path and code."""
Found = Callable[[tuple[Table, ...]], Signs | None]
"""The problems across keys of a chain of tables, the child first; None where it is not read."""

MOST_TRIED: Final = 100
"""How many keys of a document are tried: each try reads the house once."""
_LONGEST_KEY: Final = 200
_STATE: Final = len(("refait", "machine", "state"))
_LEFT_OUT: Final = ("key-cannot-act", "unknown-chance", "double-chance")
"""Faults of a member of a list that are gone with it."""


@frozen
class Layer:
    """One document of a chain, parsed; ``folder`` is where files next to it are looked for.

    ``within`` is the folder that all files of the chain must be in, if any.
    """

    document: Document
    table: Table
    folder: Path | None
    within: Path | None = None

    @property
    def identity(self) -> str:
        """The name, or the path, that shows whether a document extends itself."""
        origin = self.document.origin
        return origin if self.folder is None else os.path.realpath(origin)

    def extends_error(self, code: str, message: str, hint: str = "") -> ConfigurationError:
        """Return the error placed at the ``extends`` key."""
        line, column = Places(self.document).place(("house", "extends")) or (None, None)
        fault = Fault(self.document.origin, line, column, "house.extends", code, message, hint)
        return ConfigurationError.of(fault)


def steps_held(table: Any, path: KeyPath) -> int:
    """Return how many steps of a path a table holds."""
    for depth, step in enumerate(path):
        inside = (isinstance(table, dict) and step in table) or (
            isinstance(table, list) and isinstance(step, int) and step < len(table)
        )
        if not inside:
            return depth
        table = table[step]
    return len(path)


def _value_at(table: Any, path: KeyPath) -> Any:
    """Return the value that a table holds at a path; None where it holds none."""
    if steps_held(table, path) < len(path):
        return None
    for step in path:
        table = table[step]
    return table


def placed(
    layers: tuple[Layer, ...], problems: Iterable[Problem], found: Found | None = None
) -> Iterator[Fault]:
    """Return problems as faults of the documents of a chain.

    ``found`` reads the chain again, for problems across keys; without it each is placed in the
    first document that holds most of its path.
    """
    search = _Search(layers, found) if found else None
    places = {id(layer): Places(layer.document) for layer in layers}
    for problem in problems:
        number, path = search.cause(problem) if search else _written(layers, problem.path)
        layer = layers[number]
        line, column = places[id(layer)].place(path, problem.at) or (None, None)
        key = ".".join(map(str, path))
        key = key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}..."
        message, hint = problem.message, problem.hint
        if search:
            message += _whose(layers, number, problem.path)
            hint = _hint(layers, number, path, problem)
        yield Fault(layer.document.origin, line, column, key, problem.code, message, hint)


def _written(layers: tuple[Layer, ...], path: KeyPath) -> tuple[int, KeyPath]:
    """Return the first document that holds most of a path, with the path."""
    numbers = range(len(layers))
    return max(numbers, key=lambda number: steps_held(layers[number].table, path)), path


@define
class _Search:
    """The search for the keys that cause problems; what was read once is remembered."""

    layers: tuple[Layer, ...]
    found: Found
    known: dict[tuple[int, tuple[KeyPath, ...]], Signs | None] = field(factory=dict)

    def cause(self, problem: Problem) -> tuple[int, KeyPath]:
        """Return the document that a problem comes from, and the key in it."""
        sign = problem.path, problem.code
        number = self._youngest(sign)
        table = self.layers[number].table
        here = _value_at(table, problem.path)
        shared = isinstance(here, dict) and _parent_of(self.layers, number, problem.path)
        member = problem.path[: _list_at(problem.path) + 1]
        written = len(member) < len(problem.path) and _value_at(table, member) is not None
        if _of_machine(problem.path):  # what a state lacks belongs at the state
            state = problem.path[:_STATE]
            own = not _parent_of(self.layers, number, state)
            written = written or (own and _value_at(table, state) is not None)
        if (here is not None and not shared) or written:
            return number, problem.path
        leaves = tuple(
            leaf
            for leaf in _leaves(table, problem.path)
            if here is None or leaf[: len(problem.path)] == problem.path
        )
        alone = [(leaf,) for leaf in leaves]
        together = (leaves[:many] for many in range(2, len(leaves) + 1))
        for tried, helps in (
            (alone, self._helps),
            (alone, self._moves),
            (together, self._helps),
        ):
            for gone in tried:
                if helps(number, gone, sign):
                    return number, gone[-1]
        return number, problem.path

    def _youngest(self, sign: tuple[KeyPath, str]) -> int:
        """Return the youngest document whose parents do not have the problem."""
        for number in range(1, len(self.layers)):
            if sign not in (self._signs(number) or ()):
                return number - 1
        return len(self.layers) - 1

    def _helps(self, number: int, gone: tuple[KeyPath, ...], sign: tuple[KeyPath, str]) -> bool:
        """Return whether a problem is gone without some keys, and no other comes instead."""
        here, rest = self._signs(number), self._signs(number, gone)
        return here is not None and rest is not None and sign not in rest and rest < here

    def _moves(self, number: int, gone: tuple[KeyPath, ...], sign: tuple[KeyPath, str]) -> bool:
        """Return whether a problem is gone without some keys, whatever comes instead."""
        rest = self._signs(number, gone)
        return rest is not None and sign not in rest

    def _signs(self, number: int, gone: tuple[KeyPath, ...] = ()) -> Signs | None:
        """Return the problems of the chain from a document on, without some of its keys."""
        if (number, gone) not in self.known:
            table, *older = (layer.table for layer in self.layers[number:])
            for path in gone:
                table = _without(table, path)
            self.known[number, gone] = self.found((table, *older))
        return self.known[number, gone]


def _leaves(table: Table, near: KeyPath) -> Iterator[KeyPath]:
    """Return the keys of a document that may cause a problem, those of its own table first."""
    own = sorted(table, key=lambda name: name != near[0])
    leaves = (leaf for name in own if name != "house" for leaf in _inside(table[name], (name,)))
    return islice(leaves, MOST_TRIED)


def _inside(value: Any, path: KeyPath) -> Iterator[KeyPath]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _inside(inner, (*path, name))
    else:
        yield path


def _without(table: Table, path: KeyPath) -> Table:
    """Return a table without one key, and without the tables that held nothing else."""
    name, *rest = map(str, path)
    if rest and (inner := _without(table[name], tuple(rest))):
        return {**table, name: inner}
    return {key: value for key, value in table.items() if key != name}


def _parent_of(layers: tuple[Layer, ...], number: int, path: KeyPath) -> str:
    """Return the name of the older document that a key is inherited from, empty if none is."""
    for older in range(number + 1, len(layers)):
        if _value_at(layers[older].table, path) is not None:
            return str(layers[older - 1].table["house"]["extends"])
    return ""


def _whose(layers: tuple[Layer, ...], number: int, path: KeyPath) -> str:
    """Return the words that name the parent of a key at fault which a document does not write."""
    own = _value_at(layers[number].table, path) is not None
    parent = "" if own else _parent_of(layers, number, path)
    return f"; {'.'.join(map(str, path))} is inherited from {parent}" if parent else ""


def _hint(layers: tuple[Layer, ...], number: int, path: KeyPath, problem: Problem) -> str:
    """Return what to do in the document of a problem: what to write, if a key is not its own."""
    own = path == problem.path and not _parent_of(layers, number, path)
    fix = None if own else problem.fix or _rest_of_list(layers, number, problem)
    if fix is None:
        return problem.hint
    (*table, name), value = fix
    there = f" in [{'.'.join(inline_key(str(step)) for step in table)}]" if table else " at the top"
    if tuple(table) == path[:-1]:
        there = ""
    return f"write {inline_key(str(name))} = {inline(value)}{there}"


def _of_machine(path: KeyPath) -> bool:
    return path[:2] == ("refait", "machine") and len(path) > _STATE


def _list_at(path: KeyPath) -> int:
    """Return how many steps of a path lead to its first list, all of them where it has none."""
    return next((at for at, step in enumerate(path) if isinstance(step, int)), len(path))


def _rest_of_list(
    layers: tuple[Layer, ...], number: int, problem: Problem
) -> tuple[KeyPath, list[Any]] | None:
    """Return an inherited list without what is wrong in it: a child writes lists whole."""
    place = _list_at(problem.path)
    key = problem.path[:place]
    found = (_value_at(layer.table, key) for layer in layers[number:])
    written = next((value for value in found if value is not None), None)
    own = _value_at(layers[number].table, key) is not None
    if place == len(problem.path) or own or written is None or problem.code not in _LEFT_OUT:
        return None
    *before, last = problem.path[place:-1] if problem.path[-1] == "id" else problem.path[place:]
    listed = inner = deepcopy(written)
    for step in before:
        inner = inner[step]
    del inner[last]
    return key, listed
