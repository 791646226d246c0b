"""A disk that is full now and then, and the host that sends its commands again."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final, TypeVar

from trente_rules import RecordError

T = TypeVar("T")
CODES: Final = frozenset(("journal-full", "journal-fails", "journal-unreadable"))
"""What a host is answered while the disk is full."""
TIMES: Final = 50
LEFT: Final = 24_000
"""Bytes that are left on a disk that is nearly full, at most."""


def fill(folder: Path, left: int) -> Path:
    """Fill the disk of a folder with one file, but for some bytes; return the file."""
    filler = folder / "filler"
    with suppress(OSError), filler.open("ab", buffering=0) as file:
        while True:
            file.write(bytes(1 << 16))
    with suppress(OSError):
        os.truncate(filler, max(0, filler.stat().st_size - left))
    return filler


def _check(code: str, before: str, now: str) -> None:
    assert code in CODES, code
    assert now == before, "a command that failed has changed the table"


class Squeeze:
    """Makes the disk full, by the shim or in truth, and makes room again."""

    def __init__(self, how: str, folder: str, dice: Random) -> None:
        """Use a way, "" for none."""
        self.how, self.folder, self.dice = how, Path(folder), dice

    def arm(self) -> None:
        """Let the disk be full soon, more often than not."""
        if not self.how or self.dice.random() < 0.4:
            return
        if self.how == "shim":
            count, part = self.dice.randrange(14), self.dice.random() < 0.5
            ctypes.CDLL(None).trente_full(
                ctypes.c_long(count), ctypes.c_long(self.dice.randint(1, 4)), part
            )
        else:
            fill(self.folder, self.dice.randrange(LEFT))

    def room(self) -> None:
        """Make room; by the shim there is some after a few more writes."""
        if self.how == "disk":
            (self.folder / "filler").unlink(missing_ok=True)

    def tried(
        self,
        work: Callable[[], T],
        tell: Callable[[str, Sequence[str]], None],
        state: Callable[[], str] = lambda: "",
    ) -> T:
        """Do something, again where the disk is full; the state is as it was then."""
        if not self.how:
            return work()
        self.arm()
        before = state()
        for _ in range(TIMES):
            try:
                return work()
            except RecordError as error:
                tell("x", [error.code])
                _check(error.code, before, state())
                self.room()
        raise AssertionError("the disk has room again, and nothing is done")
