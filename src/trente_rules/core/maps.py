"""``FrozenMap``: a mapping that never changes, of which a changed copy is made at once.

A change copies the few small dictionaries on the way to its key, so its cost does not grow with the
map. Up to ``_MOST`` keys are one dictionary: such a map is as fast as a dictionary that is copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar, overload

V = TypeVar("V")
D = TypeVar("D")

_BITS: Final = 5
_WIDTH: Final = 1 << _BITS
_LAST: Final = _WIDTH - 1
_MOST: Final = 48
"""A dictionary of more keys is divided."""
_HASH_BITS: Final = 60
"""Keys that agree in so many bits of their hashes stay in one dictionary."""

# A node is a dictionary, or a list of ``_WIDTH`` nodes by the next bits of the hash.
_Node = Any


class FrozenMap(Mapping[str, V]):
    """A mapping from texts that never changes; its keys come in their order, sorted.

    It is equal to a dictionary with the same items.
    """

    __slots__ = ("_node",)
    _node: _Node

    def __init__(self, items: Mapping[str, V] | Iterable[tuple[str, V]] = ()) -> None:
        """Build the map from a mapping, or from pairs of which a later one replaces an earlier."""
        self._node = _merged({}, dict(items), 0)

    def __getitem__(self, key: str) -> V:
        """Return the value of a key; ``KeyError`` where it is missing."""
        node: _Node = self._node
        if type(node) is list:
            node = _leaf(node, key)
        value: V = node[key]
        return value

    @overload
    def get(self, key: str, /) -> V | None: ...
    @overload
    def get(self, key: str, /, default: V | D) -> V | D: ...
    def get(self, key: str, /, default: Any = None) -> Any:
        """Return the value of a key, or the default where it is missing."""
        node: _Node = self._node
        if type(node) is list:
            node = node[hash(key) & _LAST]
            if type(node) is list:
                node = _leaf(self._node, key)
        return node.get(key, default)

    def __contains__(self, key: object) -> bool:
        """Return whether there is a value for a key."""
        node: _Node = self._node
        if type(node) is list:
            node = _leaf(node, key)
        return key in node

    def __iter__(self) -> Iterator[str]:
        """Yield the keys, sorted, so that what is written does not depend on their hashes."""
        return iter(sorted(key for leaf in _leaves(self._node) for key in leaf))

    def __len__(self) -> int:
        """Return how many keys there are."""
        return sum(map(len, _leaves(self._node)))

    def __bool__(self) -> bool:
        """Return whether there is any key."""
        return any(_leaves(self._node))

    def __hash__(self) -> int:
        """Return a hash by the items, in no order."""
        return hash(frozenset(self.items()))

    def __repr__(self) -> str:
        """Return the map as the call that makes it."""
        return f"FrozenMap({dict(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the items: the hash of a text is another one in another process."""
        return FrozenMap, (dict(self),)

    def set(self, key: str, value: V) -> FrozenMap[V]:
        """Return the map with a value for a key."""
        new: FrozenMap[V] = _NEW(FrozenMap)
        old: _Node = self._node
        if type(old) is dict:
            leaf, place, above = old, 0, None
        else:
            place = hash(key) & _LAST
            leaf, above = old[place], old
        if type(leaf) is dict and len(leaf) < _MOST:  # as ``_set`` does, without its calls
            node: _Node = leaf.copy()
            node[key] = value
            if above is not None:
                leaf, node = node, above.copy()
                node[place] = leaf
        else:
            node = _set(old, key, value, hash(key), 0)
        new._node = node
        return new

    def added(self: FrozenMap[int], key: str, units: int) -> FrozenMap[int]:
        """Return a map of whole numbers with more for a key; a key without a value had 0."""
        return self.set(key, self.get(key, 0) + units)

    def merged(self, changes: Mapping[str, V]) -> FrozenMap[V]:
        """Return the map with these values for their keys."""
        new: FrozenMap[V] = _NEW(FrozenMap)
        new._node = _merged(self._node, changes, 0)
        return new

    def without(self, key: str) -> FrozenMap[V]:
        """Return the map without a key; the same map where it has none."""
        if key not in self:
            return self
        new: FrozenMap[V] = _NEW(FrozenMap)
        new._node = _without(self._node, key, hash(key))
        return new


_NEW: Final = object.__new__


def _leaf(node: _Node, key: object) -> dict[Any, Any]:
    """Return the dictionary that has a key, if any has it."""
    bits = hash(key)
    while type(node) is list:
        node = node[bits & _LAST]
        bits >>= _BITS
    leaf: dict[Any, Any] = node
    return leaf


def _leaves(node: _Node) -> Iterator[dict[str, Any]]:
    if type(node) is dict:
        yield node
    else:
        for each in node:
            yield from _leaves(each)


def _set(node: _Node, key: str, value: object, bits: int, depth: int) -> _Node:
    if type(node) is dict:
        new = node.copy()
        new[key] = value
        return _divided(new, depth) if len(new) > _MOST else new
    new_list = node.copy()
    place = bits & _LAST
    new_list[place] = _set(node[place], key, value, bits >> _BITS, depth + _BITS)
    return new_list


def _without(node: _Node, key: str, bits: int) -> _Node:
    new = node.copy()
    if type(new) is dict:
        del new[key]
    else:
        place = bits & _LAST
        new[place] = _without(node[place], key, bits >> _BITS)
    return new


def _merged(node: _Node, changes: Mapping[str, object], depth: int) -> _Node:
    if type(node) is dict:
        new = {**node, **changes}
        return _divided(new, depth) if len(new) > _MOST else new
    parts = _parts(changes, depth)
    return [
        _merged(one, part, depth + _BITS) if part else one
        for one, part in zip(node, parts, strict=True)
    ]


def _divided(leaf: dict[str, Any], depth: int) -> _Node:
    """Return a node of the items of a dictionary that has become too large."""
    if depth >= _HASH_BITS:
        return leaf
    return [
        _divided(part, depth + _BITS) if len(part) > _MOST else part for part in _parts(leaf, depth)
    ]


def _parts(items: Mapping[str, Any], depth: int) -> list[dict[str, Any]]:
    """Return items by the bits of their hashes at a depth."""
    parts: list[dict[str, Any]] = [{} for _ in range(_WIDTH)]
    for key, value in items.items():
        parts[(hash(key) >> depth) & _LAST][key] = value
    return parts
