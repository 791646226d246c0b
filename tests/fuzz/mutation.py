"""Changes to inputs within their structure: trees of JSON and TOML, with words of a dictionary."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from random import Random
from typing import Any, Final

import tomli_w

Path = tuple[Any, ...]
Raw = Callable[[bytes, int], bytes]
"""What changes bytes: that of the fuzzer, with its dictionary and what it saw compared."""
Mutation = Callable[[bytes, Random], bytes]

ODD: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 2, 7, 31, 40, 52, 312, 2**31, 2**53, 2**63, -(2**63), 10**18),
    *(10**40, 0.5, 1.5, float("inf"), float("nan"), "", " ", "x" * 200, "0", "1/2", "-1/2", "1/0"),
    *("1e999", "٣", "\u202e", "\x1b]0;x\x07", "\ud800", "\x00", "Ω" * 70, "none", "any", "é"),
    *([], [[]], {}, {"a": 1}, [None], "A♠", "10♥ J♣", "2026-12-02T21:00:00Z"),
)


def leaves(tree: Any, path: Path = ()) -> list[Path]:
    """Return the path of every value in a tree, the whole tree first."""
    found = [path]
    if isinstance(tree, dict):
        for key, value in tree.items():
            found += leaves(value, (*path, key))
    elif isinstance(tree, list):
        for place, value in enumerate(tree):
            found += leaves(value, (*path, place))
    return found


def at(tree: Any, path: Path) -> Any:
    """Return the value at a path."""
    for step in path:
        tree = tree[step]
    return tree


class Pool:
    """Values that were seen at a path of names, in inputs that mean something."""

    def __init__(self, trees: Iterable[Any]) -> None:
        """Take the values of trees; places in lists are no part of a path."""
        self.seen: dict[Path, dict[str, Any]] = {}
        for tree in trees:
            for path in leaves(tree):
                value = at(tree, path)
                if len(text := json.dumps(value, default=str)) < _LONGEST_SEEN:
                    self.seen.setdefault(names(path), {})[text] = value
        self.inner: dict[Path, set[str]] = {}
        for path in self.seen:
            if path:
                self.inner.setdefault(path[:-1], set()).add(path[-1])

    def value(self, random: Random, path: Path) -> Any:
        """Return a value that was seen at a path, or None."""
        found = self.seen.get(names(path))
        return None if not found else copied(random.choice([*found.values()]))

    def key(self, random: Random, path: Path) -> str | None:
        """Return a key that was seen in an object at a path, or None."""
        found = self.inner.get(names(path))
        return random.choice(sorted(found)) if found else None


_LONGEST_SEEN: Final = 2000


def names(path: Path) -> Path:
    """Return a path without the places in lists."""
    return tuple(step for step in path if isinstance(step, str))


def copied(tree: Any) -> Any:
    """Return a copy of a tree, so that a change of it changes no other."""
    if isinstance(tree, dict):
        return {key: copied(value) for key, value in tree.items()}
    return [copied(value) for value in tree] if isinstance(tree, list) else tree


class Changer:
    """Changes trees at random; ``raw`` changes a text as bytes."""

    def __init__(self, random: Random, words: Sequence[str], raw: Raw, pool: Pool) -> None:
        """Take the source of chance, the words of a dictionary, and values that were seen."""
        self.random, self.words, self.raw, self.pool = random, words or ("a",), raw, pool

    def changed(self, tree: Any) -> Any:
        """Return a copy of a tree with a change, or several."""
        tree = self._one(copied(tree))
        while not self.random.randrange(3):
            tree = self._one(tree)
        return tree

    def _one(self, tree: Any) -> Any:
        random = self.random
        path = self._path(tree)
        if not path:
            return self._whole(tree)
        holder, step = at(tree, path[:-1]), path[-1]
        old, act = holder[step], random.randrange(16)
        if act == 0:
            del holder[step]
        elif act == 1 and isinstance(holder, list):
            holder.insert(random.randrange(len(holder) + 1), copied(old))
        elif act == 1:
            holder[random.choice(self.words)] = copied(old)
        elif act == 2 and isinstance(holder, list):
            place = random.randrange(len(holder))
            holder[step], holder[place] = holder[place], old
        elif act == 2:
            name = random.choice(list(holder))
            holder[step], holder[name] = holder[name], old
        elif act == 3:
            holder[step] = copied(at(tree, random.choice(leaves(tree))))
        elif act == 4:
            holder[step] = random.choice((*ODD, *self.words))
        elif act < 9 and (seen := self.pool.value(random, path)) is not None:
            holder[step] = seen
        elif act < 12 and isinstance(holder, dict):
            self._add(holder, path[:-1])
        else:
            holder[step] = self._near(old)
        return tree

    def _path(self, tree: Any) -> Path:
        """Return the path of a value: any of all, or one that a walk from the top comes to.

        A walk comes to each key of a small table as often as to the thousand cards of another one.
        """
        if self.random.getrandbits(1):
            return self.random.choice(leaves(tree))
        path: Path = ()
        while isinstance(tree, dict | list) and tree and (not path or self.random.randrange(4)):
            step = self.random.choice([*tree] if isinstance(tree, dict) else range(len(tree)))
            path, tree = (*path, step), tree[step]
        return path

    def _add(self, holder: dict[str, Any], path: Path) -> None:
        """Add a key to an object that others like it have."""
        key = self.pool.key(self.random, path)
        if key is not None:
            holder[key] = self.pool.value(self.random, (*path, key))

    def _whole(self, tree: Any) -> Any:
        if isinstance(tree, dict):
            self._add(tree, ())
        elif isinstance(tree, list) and tree:
            tree.append(copied(self.random.choice(tree)))
        return tree

    def _near(self, value: Any) -> Any:
        """Return a value that is nearly the same, of the same type."""
        random = self.random
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            near = (value + 1, value - 1, -value, value * 2, value // 2, value * 10, 0, 1)
            return random.choice(near)
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            value[random.choice(self.words)] = random.choice((*ODD, *self.words))
            return value
        if isinstance(value, list):
            value.insert(random.randrange(len(value) + 1), random.choice((*ODD, *self.words)))
            return value
        return random.choice(ODD)

    def _text(self, text: str) -> str:
        random = self.random
        act, place = random.randrange(5), random.randrange(len(text) + 1)
        if act == 0:
            return text[:place] + random.choice(self.words) + text[place:]
        if act == 1:
            return text[:place] + text[place + 1 :]
        if act == 2:
            return str(random.choice(self.words))
        if act == 3:
            odd = random.choice([each for each in ODD if isinstance(each, str)])
            return text[:place] + odd + text[place:]
        data = text.encode("utf-8", "surrogatepass")
        return self.raw(data, len(data) + 16).decode("utf-8", "replace")


def json_bytes(tree: Any) -> bytes:
    """Return a tree as the bytes of its JSON, also with half characters in it."""
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def _json(data: bytes) -> Any:
    return json.loads(data)


def _toml(data: bytes) -> Any:
    return tomllib.loads(data.decode())


def _trees(inputs: Iterable[bytes], read: Callable[[bytes], Any]) -> list[Any]:
    found = []
    for each in inputs:
        with suppress(*_UNREADABLE):
            found.append(read(each))
    return found


_UNREADABLE: Final = (ValueError, RecursionError, TypeError, AttributeError)


def json_mutation(words: Iterable[str], raw: Raw, inputs: Iterable[bytes]) -> Mutation:
    """Return a mutation of JSON: within its tree, one time in sixteen of its bytes."""
    listed, pool = tuple(words), Pool(_trees(inputs, _json))

    def mutate(data: bytes, random: Random) -> bytes:
        if random.randrange(16):
            with suppress(*_UNREADABLE):
                return json_bytes(Changer(random, listed, raw, pool).changed(_json(data)))
        return raw(data, len(data) + 64)

    return mutate


def toml_mutation(words: Iterable[str], raw: Raw, inputs: Iterable[bytes]) -> Mutation:
    """Return a mutation of TOML: within its tree, of its lines, seldom of its bytes."""
    listed, pool = tuple(words), Pool(_trees(inputs, _toml))

    def mutate(data: bytes, random: Random) -> bytes:
        act = random.randrange(16)
        if act == 0:
            return raw(data, len(data) + 64)
        if act > 2:
            with suppress(*_UNREADABLE):
                made = Changer(random, listed, raw, pool).changed(_toml(data))
                return tomli_w.dumps(made).encode("utf-8", "surrogatepass")
        return lines_changed(data, random, listed)

    return mutate


def line_mutation(words: Iterable[str], raw: Raw, _inputs: Iterable[bytes]) -> Mutation:
    """Return a mutation of a text of lines: half of the time of its bytes."""
    listed = tuple(words)

    def mutate(data: bytes, random: Random) -> bytes:
        if random.getrandbits(1):
            return raw(data, len(data) + 64)
        return lines_changed(data, random, listed)

    return mutate


def lines_changed(data: bytes, random: Random, words: Sequence[str]) -> bytes:
    """Return a text with a line left out, doubled, moved, or with a word in it."""
    lines = data.split(b"\n")
    place, act = random.randrange(len(lines)), random.randrange(5)
    line, word = lines.pop(place), random.choice(words).encode("utf-8", "surrogatepass")
    if act == 0:
        return b"\n".join(lines)
    if act == 1:
        made = [line, line]
    elif act == 2:
        made, place = [line], random.randrange(len(lines) + 1)
    elif act == 3:
        made = [line, word]
    else:
        parts = line.split(b" ")
        parts[random.randrange(len(parts))] = word
        made = [b" ".join(parts)]
    return b"\n".join([*lines[:place], *made, *lines[place:]])
