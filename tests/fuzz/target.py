"""What every target of the fuzzer shares: inputs in, a word about each out, or a failure.

A target reads bytes of a stranger. An error of this library that leaves the reading is an answer,
if it is documented and can be printed. Everything else that leaves a target is a failure.
"""

from __future__ import annotations

import atexit
import os
import pickle
import re
import sys
import sysconfig
import time
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Final

from attrs import frozen
from tests.fuzz.mutation import Mutation, Raw

import trente_rules
import trente_variants
from trente_rules import TrenteError
from trente_rules.core.converter import NewerSchemaWarning
from trente_rules.core.errors import without_cards

ROOT: Final = Path(__file__).parents[2]
MOST_SECONDS: Final = 2.0
"""Seconds of the processor that one input may take."""
MOST_MEGABYTES: Final = 300
REFUSED: Final = "refused "
UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Characters of C0, C1 and of the bidirectional kind, and halves of characters."""


@frozen
class Target:
    """A kind of input: ``one`` reads it, and returns a word that says how far it came.

    ``seeds`` are valid inputs to begin with, ``words`` those of its dictionary. ``mutate`` makes
    the mutation that changes an input within its structure; None leaves it to the bytes.
    ``longest`` counts bytes. ``prepare`` makes what all inputs share, and its time is not theirs.
    """

    name: str
    one: Callable[[bytes], str]
    seeds: Callable[[], Iterable[bytes]]
    words: Callable[[], Iterable[str]]
    mutate: Callable[[Iterable[str], Raw, Iterable[bytes]], Mutation] | None = None
    longest: int = 4096
    prepare: Callable[[], object] | None = None


class BrokenPromiseError(Exception):
    """A promise of the product that an input broke without an error of its own."""


class LateError(BrokenPromiseError):
    """An input that took long: a failure where it does so again, alone and not instrumented."""


@cache
def documented() -> frozenset[str]:
    """Return every code that the page of errors lists."""
    page = (ROOT / "docs/errors.md").read_text("utf-8")
    return frozenset(re.findall(r"`([a-z0-9-]+)`", page))


def refused(error: TrenteError) -> str:
    """Return the word for a documented error; raise ``BrokenPromiseError`` for any other."""
    codes = {error.code, *(fault.code for fault in getattr(error, "faults", ()))}
    if not codes <= documented():
        raise BrokenPromiseError(f"undocumented: {sorted(codes - documented())}") from error
    said = str(error)
    if not said.strip() or UNPRINTABLE.search(said):
        raise BrokenPromiseError(f"cannot be printed: {said!r:.500}") from error
    if without_cards(said) != said:
        raise BrokenPromiseError(f"shows cards: {said!r:.500}") from error
    if str(pickle.loads(pickle.dumps(error))) != said:
        raise BrokenPromiseError("is not the same after a pickle") from error
    return f"{REFUSED}{error.code}"


def check(promise: object, what: str) -> None:
    """Raise ``BrokenPromiseError`` where something does not hold."""
    if not promise:
        raise BrokenPromiseError(what)


def attempt(target: Target, data: bytes) -> str:
    """Give one input to a target and return its word; whatever is wrong leaves as an exception."""
    _watch()
    prepared(target)
    _outside.clear()
    since = time.process_time()
    _watching[0] = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", NewerSchemaWarning)
            word = target.one(data)
    finally:
        _watching[0] = False
    if _outside:
        raise BrokenPromiseError(f"it reached for {_outside[0]}")
    if time.process_time() - since > MOST_SECONDS:
        raise LateError(f"it took {time.process_time() - since:.1f} s of the processor")
    return word


@cache
def prepared(target: Target) -> None:
    """Make what all inputs of a target share, once."""
    folder()
    if target.prepare is not None:
        target.prepare()


# What a stranger's bytes may make the product touch: files of its own folder, and of Python.

_OWN: Final = str(ROOT / "docs"), str(ROOT / "tests")  # which the tests themselves read
_PROCESS: Final = "/proc/"  # what the metrics of a process are read from
_watching: Final = [False]
_outside: Final[list[str]] = []
_NEVER: Final = frozenset(
    ("os.system", "subprocess.Popen", "socket.connect", "socket.bind", "os.remove", "os.rename")
)


@cache
def folder() -> Path:
    """Return the folder in which inputs that are files lie; it is gone when the process ends."""
    made = mkdtemp(prefix="fuzz-", dir=os.environ.get("TMPDIR") or memory())
    atexit.register(rmtree, made, ignore_errors=True)
    return Path(made)


def memory() -> str | None:
    """Return a folder that is in memory, where this system has one."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - a folder in it is made


@cache
def _watch() -> None:
    """Begin to note what is opened while an input is read; there is no end to it in a process."""
    installed = (trente_rules, trente_variants)
    packages = [str(Path(next(iter(each.__path__)))) for each in installed]
    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    allowed = (
        *packages,
        *filter(None, paths),
        sys.prefix,
        sys.base_prefix,
        str(folder()),
        *_OWN,
        _PROCESS,
    )

    def note(event: str, given: tuple[Any, ...]) -> None:
        if not _watching[0]:
            return
        if event in _NEVER:
            if not (event in ("os.remove", "os.rename") and _ours(given[0], allowed)):
                _outside.append(f"{event} {given[0]!r:.200}")
        elif event == "open" and not _ours(given[0], allowed):
            _outside.append(repr(given[0])[:200])

    sys.addaudithook(note)


def _ours(path: Any, allowed: tuple[str, ...]) -> bool:
    """Return whether a path may be touched; an open file was opened before."""
    if isinstance(path, int):
        return True
    text = path.decode(errors="replace") if isinstance(path, bytes) else str(path)
    return text.startswith(allowed) or text.startswith("/dev/null")
