"""The other files: save files, snapshots, records, and the files of runs that are resumed.

A save file is whole, the old one or the new one, wherever the process is killed or the disk is
full. A text that was cut is refused with a code, or it is read as before: what was cut off was not
needed. A run whose file was cut plays again what is missing, and gives the same figures.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final, Self
from unittest.mock import patch

from attrs import frozen
from tests.durability.host import HOUSE, SESSION, Order
from tests.durability.saver import SESSIONS, texts
from tests.durability.scenes import TRIED, Met, Scene, Stage, dice_for
from tests.table.ten_players import dice_of, following

from trente_rules import Table, TrenteError
from trente_rules.core.files import regular_file
from trente_rules.play.saving import SaveFile, session_of_text, session_text
from trente_rules.records import Record, dumps_record, loads_record, record_of
from trente_rules.simulation.runner import run
from trente_rules.table import restore, snapshot
from trente_rules.testing import opening_of

TIMES: Final = 20
BEFORE: Final = "the file is the one before"
AFTER: Final = "the file is the new one"
NONE: Final = "there is no file yet"
REFUSED: Final = "refused with a code"
SAME: Final = "read as before"
SHORTER: Final = "a record is read as a shorter one"
AGAIN: Final = "chunks were played again"
FULL: Final = "there was no room"


def saves_killed(stage: Stage, seed: int) -> Met:
    """Kill a program within the write of a save file: it is the old one or the new one."""
    return _saved(stage, dice_for("kill save-file", seed), squeeze="")


def saves_full(stage: Stage, seed: int) -> Met:
    """Let there be no room for a save file: the old one is there, and the next write is done."""
    return _saved(stage, dice_for("full save-file", seed), squeeze="shim")


def _saved(stage: Stage, dice: Random, squeeze: str) -> Met:
    folder, met = stage.home(), Met()
    home = {"kind": "save", "folder": str(folder), "states": json.dumps(texts())}
    path = folder / "session.json"
    for _ in range(stage.times(TIMES)):
        order = Order(
            home,
            dice.getrandbits(30),
            answers=SESSIONS,
            ends=True,
            trace=f"{folder}.trace",
            kill=(0, 0) if squeeze else (0, dice.randint(1, 9 * SESSIONS)),
            squeeze=squeeze,
        )
        path.unlink(missing_ok=True)
        lines = stage.hosts.run(order)
        met += _is_whole(path, lines)
        full = sum(line.startswith("x") for line in lines)
        met[FULL] += full
        met[TRIED] += full if squeeze else 1
        for other in folder.iterdir():
            assert other == path or other.name.startswith((".", "session.json.")), other
    shutil.rmtree(folder)
    Path(f"{folder}.trace").unlink(missing_ok=True)
    return +met


def _is_whole(path: Path, lines: list[str]) -> Met:
    """Check that a save file is that of the last write that was done, or of the one after it."""
    done = sum(line.startswith("!") for line in lines)
    found = SaveFile(path).read()
    if found is None:
        assert not done, "the file is gone"
        return Met({NONE: 1})
    text = session_text(found)
    assert text in texts()[max(0, done - 1) : done + 1], "the file is of another moment"
    return Met({AFTER if text == texts()[min(done, SESSIONS - 1)] else BEFORE: 1})


@cache
def _texts() -> tuple[tuple[str, Callable[[str], Any]], ...]:
    """Return a snapshot, a save file and a record, each with what reads it."""
    table, dice = Table(HOUSE, opening=opening_of(HOUSE), session=SESSION), dice_of(5)
    while table.state.coup_number < 4:
        table.do(following(table, dice))
    return (
        (snapshot(table), lambda text: restore(text, HOUSE).state),
        (texts()[-1], lambda text: session_text(session_of_text(text))),
        (dumps_record(record_of(table)), loads_record),
    )


def texts_torn(stage: Stage, seed: int) -> Met:
    """Cut texts anywhere, and damage them: they are refused, or read as before."""
    del stage
    dice, met = dice_for("torn files", seed), Met()
    for text, read in _texts():
        data = text.encode()
        for _ in range(TIMES // 2):
            met[read_or_refused(data[: dice.randrange(len(data))], text, read)] += 1
            met[TRIED] += 1
    return met


def read_or_refused(data: bytes, text: str, read: Callable[[str], Any]) -> str:
    """Read a text that was cut: it is refused with a code, or it is what it was."""
    try:
        found = read(data.decode("utf-8", "replace"))
    except TrenteError:
        return REFUSED
    whole = read(text)
    if isinstance(found, Record) and found != whole:
        # A record has no check sum: cut between two lines it is a shorter record.
        count = len(found.coups) - 1  # of the last one some lines may be gone
        assert found.coups[:count] == whole.coups[:count], "other coups"
        return SHORTER
    assert found == whole, "a text that was cut is read as another one"
    return SAME


@frozen
class Counting:
    """A job that is cheap, and whose every chunk is different."""

    played: list[int]

    def identity(self) -> dict[str, Any]:
        """Return what the run is."""
        return {"job": "counting", "seed": 7}

    def play(self, chunk: int, shoes: int) -> dict[str, Any]:
        """Return the totals of a chunk."""
        self.played.append(chunk)
        return {"sum": [chunk**2, shoes], "name": {"deep": chunk}}


CHUNKS: Final = 12


def _run(path: Path | None) -> tuple[Any, int]:
    """Play a run, resumed where its file is; return its figures, and the chunks played."""
    job = Counting([])
    done = run(job, CHUNKS * 10, of_chunk=10, workers=1, resume=path)
    return done.totals, len(job.played)


def run_file(folder: Path) -> bytes:
    """Return the file of a whole run."""
    path = folder / "whole.jsonl"
    path.unlink(missing_ok=True)
    _run(path)
    return path.read_bytes()


def check_run(data: bytes, folder: Path) -> str:
    """Resume from a file: the figures are those of the whole run, and the file is whole again."""
    path = folder / "run.jsonl"
    path.write_bytes(data)
    try:
        totals, played = _run(path)
    except TrenteError as error:
        if error.code in {"not-a-run", "other-run", "run-file"}:
            return REFUSED
        raise
    assert totals == _run(None)[0], "other figures"
    assert _run(path) == (totals, 0), "the file is not whole afterwards"
    return AGAIN if played else SAME


def runs_torn(stage: Stage, seed: int) -> Met:
    """Cut the file of a run anywhere, and lose a part in its middle."""
    dice, met, folder = dice_for("torn run-file", seed), Met(), stage.home()
    data = run_file(folder)
    for _ in range(stage.times(TIMES)):
        place = dice.randrange(len(data) + 1)
        cut = data[:place]
        if dice.random() < 0.3:
            lost = dice.randrange(1, 200)
            cut = data[:place] + bytes(min(lost, len(data) - place)) + data[place + lost :]
        met[check_run(cut, folder)] += 1
        met[TRIED] += 1
    shutil.rmtree(folder)
    return met


def runs_full(stage: Stage, seed: int) -> Met:
    """Let there be no room for a chunk: the run says so, and is resumed to the same figures."""
    dice, met, folder = dice_for("full run-file", seed), Met(), stage.home()
    for _ in range(stage.times(TIMES)):
        path = folder / "run.jsonl"
        path.unlink(missing_ok=True)
        left = [dice.randrange(CHUNKS + 1)]
        real = regular_file

        def opened(*given: Any, real: Any = real, left: list[int] = left, **how: Any) -> Any:
            return _Short(real(*given, **how), left)

        with patch("trente_rules.simulation.runner.regular_file", opened):
            code = _code(path)
        assert code == "run-file", code
        met[FULL] += 1
        totals, played = _run(path)
        assert totals == _run(None)[0]
        met[AGAIN] += 0 < played < CHUNKS
        met[TRIED] += 1
    shutil.rmtree(folder)
    return met


def _code(path: Path) -> str:
    try:
        _run(path)
    except TrenteError as error:
        return error.code
    return ""


class _Short:
    """A file that has room for some lines, and for half of the next one."""

    def __init__(self, file: Any, left: list[int]) -> None:
        self._file, self._left = file, left

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    def write(self, data: bytes) -> int:
        """Write a line, or half of it."""
        if not self._left[0]:
            self._file.write(data[: len(data) // 2])
            self._file.flush()
            raise OSError(28, os.strerror(28))
        self._left[0] -= 1
        return int(self._file.write(data))


SCENES: Final = (
    Scene("kill", "save-file", saves_killed, (BEFORE, AFTER)),
    Scene("full", "save-file", saves_full, (FULL,)),
    Scene("torn", "texts", texts_torn, (REFUSED,)),
    Scene("torn", "run-file", runs_torn, (AGAIN, REFUSED, SAME)),
    Scene("full", "run-file", runs_full, (FULL, AGAIN)),
)
