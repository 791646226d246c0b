"""Scenes of a crash: each plays one from a seed, checks what is promised, and counts what it met.

A scene belongs to a kind (kill, full, torn, clock, writers, power) and a store: the journal in
SQLite or in PostgreSQL, and the other files that the product keeps. Nothing but the seed decides
what is tried; how far a process has come when a signal reaches it does depend on the machine. A
promise that is broken is an ``AssertionError``.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from itertools import count
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Final

from attrs import frozen
from tests.durability.disk import shim
from tests.durability.ledger import Nursery, nursery
from tests.postgres_server import programs, server

Met = Counter[str]
"""How often cases were met; ``TRIED`` counts the crashes themselves."""
TRIED: Final = "tried"
_QUICK: Final = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
_NUMBERS: Final = count(1)


class Stage:
    """What scenes need, made when it is needed first: folders, hosts, a server."""

    few = False
    """Whether scenes are short: some crashes in place of many."""

    def __init__(self, folder: Path, stack: ExitStack, conninfo: str = "", fault: str = "") -> None:
        """Use a folder, and a server where one runs; a fault may be planted in the product."""
        self.folder, self.fault = folder, fault
        self._tag = f"{os.getpid()}.{next(_NUMBERS)}"
        self._stack, self._conninfo = stack, conninfo

    def place(self) -> Path:
        """Return the path of a new folder, which is not made yet."""
        return self.folder / f"place-{next(_NUMBERS)}"

    def home(self) -> Path:
        """Return a new folder."""
        place = self.place()
        place.mkdir()
        return place

    @cached_property
    def hosts(self) -> Nursery:
        """What runs hosts whose files are watched, and whose clock and disk are ours."""
        library = shim() if sys.platform == "linux" else ""
        assert library, "a C compiler is needed: gcc or cc"
        return self._stack.enter_context(nursery(LD_PRELOAD=library))

    @cached_property
    def plain(self) -> Nursery:
        """What runs hosts that nothing is done to but to kill them."""
        return self._stack.enter_context(nursery())

    @cached_property
    def conninfo(self) -> str:
        """How to connect to a server."""
        if self._conninfo:
            return self._conninfo
        found = programs()
        assert found is not None, "PostgreSQL is needed: initdb and postgres"
        return self._stack.enter_context(server(found))

    def times(self, number: int) -> int:
        """Return how often something is done in a scene."""
        return max(2, number // 4) if self.few else number

    def name(self, seed: int) -> str:
        """Return the name of a journal that no other stage has."""
        return f"home {self._tag} {seed}"

    def schema(self) -> str:
        """Return the name of a schema that is not there yet."""
        return f"crash_{os.getpid()}_{next(_NUMBERS)}"

    def at_end(self, work: Callable[[], object]) -> None:
        """Do something at the end."""
        self._stack.callback(work)


@contextmanager
def stage(conninfo: str = "", folder: Path | None = None, fault: str = "") -> Iterator[Stage]:
    """Make a stage, in memory where there is room for files in it."""
    quick = _QUICK if os.access(_QUICK, os.W_OK) else None
    own = folder or Path(mkdtemp(dir=quick, prefix="trente-crash-"))
    try:
        with ExitStack() as stack:
            yield Stage(own, stack, conninfo, fault)
    finally:
        shutil.rmtree(own, ignore_errors=True)


def dice_for(kind: str, seed: int) -> Random:
    """Return the dice of a scene."""
    return Random(f"{kind} {seed}")  # noqa: S311 - moments


Play = Callable[[Stage, int], Met]


@frozen
class Scene:
    """A kind of crash at a store: how to play one from a seed, and what has to be met."""

    kind: str
    store: str
    play: Play
    wanted: tuple[str, ...] = ()
    """The cases without which many crashes would prove nothing."""

    @property
    def name(self) -> str:
        """The name of the scene."""
        return f"{self.kind} {self.store}"
