"""A disk that forgets: the files of a folder as a power cut would leave them.

``shim`` compiles disk.c, which keeps what a process does to the files of a folder; ``Disk`` does it
again, as far as one likes, and makes images. What was synced is in each image; of all that was
written since, an image has nothing, all, the first part, or some sectors of 512 bytes; a file that
grew may hold anything there. A name of a file is safe once its folder was synced, not before. What
is shared by mapping (SQLite's ``-shm``) is lost.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from functools import cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Final, Literal, get_args

from attrs import Factory, define, frozen

SECTOR: Final = 512
_HEAD: Final = struct.Struct("=IIQq")

Loss = Literal["all", "none", "later", "some"]
"""What of the unsynced writes is lost: all, none, those after some point, or sectors at random."""
LOSSES: Final[tuple[Loss, ...]] = get_args(Loss)


class Kind(IntEnum):
    """What was done, as in disk.c."""

    CREATE = 1
    TRUNCATE = 2
    WRITE = 3
    BEGIN = 4
    END = 5
    UNLINK = 6
    RENAME = 7
    TOLD = 8
    SEND = 9
    """Something was sent to a server; it is counted and not kept."""


@frozen
class Act:
    """One operation: on a file, by its number, at a place."""

    kind: Kind
    file: int
    at: int
    data: bytes

    @property
    def names(self) -> list[str]:
        """The names of files in it."""
        return [Path(path).name for path in self.data.decode().split("\n")]


@cache
def shim() -> str:
    """Compile the shim once a process, and return its path; empty without a compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not compiler:
        return ""
    made = Path(mkdtemp(prefix="trente-disk-")) / "disk.so"
    source = Path(__file__).with_name("disk.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", made, source], check=True)
    return str(made)


def acts(trace: Path) -> Iterator[Act]:
    """Yield what a trace holds."""
    data, place = trace.read_bytes(), 0
    while place < len(data):
        kind, length, file, at = _HEAD.unpack_from(data, place)
        place += _HEAD.size
        yield Act(Kind(kind), file, at, data[place : place + length])
        place += length


@define
class File:
    """A file: what is safe of it, and what was done since, each with its place in the trace."""

    safe: bytearray = Factory(bytearray)
    loose: list[tuple[int, Act]] = Factory(list)

    def image(self, dice: Random, loss: Loss) -> bytes:
        """Return the content after a power cut."""
        made = bytearray(self.safe)
        some = dice.randrange(len(self.loose) + 1)
        for number, (_place, act) in enumerate(self.loose):
            if loss == "none" or (loss == "later" and number < some):
                _apply(made, act)
            elif loss == "some":
                for part in _sectors(act):
                    if dice.random() < 0.5:
                        _apply(made, part, dice)
        return bytes(made)


def _apply(made: bytearray, act: Act, junk: Random | None = None) -> None:
    """Do an operation; what lies between the end of the file and it is nothing, or junk."""
    if act.kind is Kind.TRUNCATE:
        del made[act.at :]
    missing = act.at - len(made)
    if missing > 0:
        made += junk.randbytes(missing) if junk and junk.random() < 0.5 else bytes(missing)
    if act.kind is Kind.WRITE:
        made[act.at : act.at + len(act.data)] = act.data


def _sectors(act: Act) -> Iterator[Act]:
    """Yield the parts of a write that a disk does as a whole."""
    if act.kind is not Kind.WRITE:
        yield act
        return
    place = 0
    while place < len(act.data):
        end = min(len(act.data), place + SECTOR - (act.at + place) % SECTOR)
        yield Act(act.kind, act.file, act.at + place, act.data[place:end])
        place = end


class Disk:
    """The files of a folder while acts are done."""

    def __init__(self, before: Mapping[str, Path] | None = None) -> None:
        """Begin with files that are all safe, by their names."""
        self.files: list[File] = []
        self.numbers: dict[int, int] = {}
        self.safe: dict[str, int] = {}
        self.loose: list[tuple[int, Act, int]] = []
        self.begun: dict[int, int] = {}
        self.place = 0
        for name, path in (before or {}).items():
            self.numbers[path.stat().st_ino] = self.safe[name] = len(self.files)
            self.files.append(File(bytearray(path.read_bytes())))

    def do(self, act: Act) -> None:
        """Do the next act."""
        self.place += 1
        if act.kind is Kind.CREATE:
            self.numbers[act.file] = len(self.files)
            self.files.append(File())
        number = self.numbers.get(act.file, -1)
        if act.kind in (Kind.CREATE, Kind.UNLINK, Kind.RENAME):
            self.loose.append((self.place, act, number))
        elif act.kind in (Kind.WRITE, Kind.TRUNCATE):
            self.files[number].loose.append((self.place, act))
        elif act.kind is Kind.BEGIN:
            self.begun[act.file] = self.place
        elif act.kind is Kind.END:
            self._sync(act, number)

    def _sync(self, act: Act, number: int) -> None:
        begun = self.begun[act.file]
        if act.at:  # the folder
            for place, each, of in self.loose:
                if place < begun:
                    _rename(self.safe, each, of)
            self.loose = [each for each in self.loose if each[0] >= begun]
            return
        file = self.files[number]
        for place, each in file.loose:
            if place < begun:
                _apply(file.safe, each)
        file.loose = [each for each in file.loose if each[0] >= begun]

    @property
    def calm(self) -> bool:
        """Whether nothing is lost by a power cut now."""
        return not self.loose and not any(file.loose for file in self.files)

    def image(self, folder: Path, dice: Random, loss: Loss) -> None:
        """Write the files into a folder, as they are after a power cut."""
        names = dict(self.safe)
        some = dice.randrange(len(self.loose) + 1)
        for number, (_place, act, of) in enumerate(self.loose):
            if (
                loss == "none"
                or (loss == "later" and number < some)
                or (loss == "some" and dice.random() < 0.5)
            ):
                _rename(names, act, of)
        folder.mkdir()
        for name, number in names.items():
            if not name.endswith("-shm"):
                (folder / name).write_bytes(self.files[number].image(dice, loss))


def _rename(names: dict[str, int], act: Act, number: int) -> None:
    """Do what was done to the names of a folder; a name that is not there is let be."""
    first, *second = act.names
    if act.kind is Kind.CREATE:
        names[first] = number
    elif act.kind is Kind.UNLINK:
        names.pop(first, None)
    elif first in names:
        names[second[0]] = names.pop(first)


def told(seen: Iterable[Act]) -> list[str]:
    """Return the whole lines that were told to others."""
    text = b"".join(act.data for act in seen if act.kind is Kind.TOLD)
    return [line.decode() for line in text.split(b"\n")[:-1]]
