"""The file of a run that can be resumed: JSON lines, one for what was run, one for each chunk.

A line is written at once, with a check sum; one that a crash cut short, or that was altered since,
is left out, and its chunk is played again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self
from zlib import crc32

from trente_rules.errors import TrenteError

FORMAT: Final = "trente-rules simulation"
VERSION: Final = 2
_SHOWN: Final = 60
_Kept = dict[tuple[int, int], Any]


class Saved:
    """The chunks that are kept of a run; without a file, none."""

    def __init__(self, file: IO[bytes] | None, kept: _Kept | None = None) -> None:
        """Keep chunks in an open file; ``opened`` reads one."""
        self._file, self._kept = file, kept or {}

    @classmethod
    def opened(cls, path: Path, identity: dict[str, Any]) -> Self:
        """Open a file of a run, or begin one.

        Raises ``TrenteError``: "run-file" where it cannot be read or written, "not-a-run" where it
        holds something else, "other-run" where it is of another run.
        """
        head = {"format": FORMAT, "version": VERSION, **identity}
        if path.exists() and not path.is_file():  # a device could be read for ever
            raise TrenteError(
                f"{str(path)!r} cannot be used to resume a run: it is no file",
                "run-file",
                "name a file, new or of a simulation",
            )
        try:
            file = path.open("a+b")
            file.seek(0)
        except OSError as error:
            raise TrenteError(
                f"{str(path)!r} cannot be used to resume a run: {error.strerror}",
                "run-file",
                "name a file in a folder that can be written to",
            ) from error
        try:
            kept = _read(file, path, head)
        except BaseException:
            file.close()
            raise
        return cls(file, kept)

    def totals(self, chunk: int, shoes: int) -> Any:
        """Answer the totals of a chunk of so many shoes, None where they are not kept."""
        return self._kept.pop((chunk, shoes), None)

    def keep(self, chunk: int, shoes: int, totals: Any) -> None:
        """Write the totals of a chunk."""
        if self._file:
            told = {"chunk": chunk, "shoes": shoes, "totals": totals}
            _write(self._file, {**told, "check": _check_sum(told)})

    def __enter__(self) -> Self:
        """Answer itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        if self._file:
            self._file.close()


def seed_kept(path: str | os.PathLike[str] | None) -> int | None:
    """Answer the seed of the run in a file, None where there is no such file, or no run in it."""
    if path is None or not Path(path).is_file():
        return None
    try:
        with Path(path).open("rb") as file:
            head = _value(file.readline())
    except OSError:
        return None  # ``opened`` tells of it
    seed = head.get("seed") if isinstance(head, dict) and head.get("format") == FORMAT else None
    return seed if type(seed) is int and seed >= 0 else None


def _line(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


def _write(file: IO[bytes], value: Any) -> None:
    try:
        file.write(_line(value))
        file.flush()
    except OSError as error:
        raise TrenteError(
            f"the run cannot be kept: {error.strerror}",
            "run-file",
            "make room, and resume: what stands in the file is not played again",
        ) from error


def _read(file: IO[bytes], path: Path, head: dict[str, Any]) -> _Kept:
    """Read the chunks of a file; lines that are not whole are chunks that are not kept."""
    first = file.readline()
    if not first or (not first.endswith(b"\n") and _line(head).startswith(first)):
        file.truncate(0)
        _write(file, head)
        return {}
    _check(path, _value(first), head)
    kept: _Kept = {}
    whole = True
    for line in iter(file.readline, b""):
        whole = line.endswith(b"\n")
        value = _value(line)
        if isinstance(value, dict) and value.pop("check", None) == _check_sum(value):
            kept[value["chunk"], value["shoes"]] = value["totals"]
    if not whole:
        file.write(b"\n")
    return kept


def _check_sum(told: Any) -> int:
    return crc32(_line(told))


def _value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _check(path: Path, found: Any, head: dict[str, Any]) -> None:
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _no_run(path)
    for name, wanted in head.items():
        if found.get(name) != wanted:
            raise TrenteError(
                f"{str(path)!r} is of another run: its {name} is {_text(found.get(name))}, not "
                f"{_text(wanted)}",
                "other-run",
                "resume with the same houses, seed and wagers, or name another file",
            )


def _text(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _no_run(path: Path) -> TrenteError:
    return TrenteError(
        f"{str(path)!r} holds no run that can be resumed",
        "not-a-run",
        "name a new file, or one that a simulation wrote",
    )
