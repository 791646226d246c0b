"""Torn writes: a journal, or another file of the product, is cut or damaged anywhere.

The log of a journal in SQLite that is cut leaves a prefix of the commits, exactly those whose
frames are whole. A main file, or rows of PostgreSQL, that are cut are refused with a code, or what
was cut was not needed. Other files are refused, or read as before. Nothing is read wrongly.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any, Final

import psycopg
from attrs import field, frozen
from psycopg.errors import UniqueViolation
from tests.durability.faults import planted
from tests.durability.host import HOUSE, SESSION
from tests.durability.scenes import TRIED, Met, Scene, Stage, dice_for
from tests.table.ten_players import dice_of, following

from trente_rules import RecordError, Table
from trente_rules.table import PostgresJournal, SqliteJournal, TableState, recover
from trente_rules.table.state import balance
from trente_rules.testing import opening_of

PAGE: Final = 4096
HEADER: Final = 32
FRAME: Final = 24 + PAGE
LONGEST: Final = 5.0
"""Seconds that one look may take on a busy machine."""
CUTS: Final = 20
PREFIX: Final = "the log was cut: a prefix of the commits"
WHOLE: Final = "all was there"
REFUSED: Final = "refused as it is opened or recovered"
FOUND: Final = "recovered, and found by the check"
MOVED: Final = "refused: the file is newer than its log"
SECTORS: Final = "sectors of the log were lost"
EMPTY: Final = "there is no table yet"
DAMAGED: Final = frozenset(
    ("journal-broken", "journal-changed", "journal-empty", "not-a-journal", "other-events")
)
"""What is said of a journal that was cut; a damaged snapshot or entry has codes of its own."""


@frozen
class History:
    """A journal in SQLite as it lies on the disk: its file and log, and what was committed."""

    file: bytes
    log: bytes
    states: dict[int, TableState] = field(repr=False)
    """The state of the table by the commands that it did; -1 before it began."""
    commits: tuple[int, ...]
    """The commands that there were after each commit, -1 before the table began."""
    moved: bool = False
    """Whether the log was moved into the file, which may be newer than a log that is cut."""

    def frames(self, log: bytes) -> int:
        """Return how many commits of a log are whole, by its own salts; checksums are SQLite's."""
        salts, found = log[16:24], 0
        for start in range(HEADER, len(log) - FRAME + 1, FRAME):
            frame = log[start : start + 24]
            if frame[8:16] != salts:
                break
            found += int.from_bytes(frame[4:8]) != 0
        return found

    def after(self, log: bytes) -> int:
        """Return how many commands a journal has whose log is cut to this."""
        lost = self.frames(self.log) - (self.frames(log) if len(log) >= HEADER else 0)
        return self.commits[-1 - lost]


def history(folder: Path, dice: Random, commands: int) -> History:
    """Play some commands, with recoveries, and return the files as they lie there."""
    folder.mkdir()
    path = folder / "0"
    commits, states = [-1, -1], dict[int, TableState]()
    pages = dice.choice((1000, 12))
    journal = SqliteJournal(path, "normal")
    journal._connection.execute(f"PRAGMA wal_autocheckpoint = {pages}")
    # Another connection: else the log is gone as the journal is closed.
    keeper = SqliteJournal(path, "normal")
    table = Table(HOUSE, opening=opening_of(HOUSE), session=SESSION, journal=journal)
    commits.append(0)
    states[0] = table.state
    for number in range(1, commands + 1):
        table.do(following(table, dice))
        commits.append(number)
        states[number] = table.state
        if dice.random() < 0.05:
            table = recover(journal)
            commits.append(number)
    log = path.with_name("0-wal")
    found = History(path.read_bytes(), log.read_bytes(), states, tuple(commits), pages == 12)
    journal.close()
    keeper.close()
    shutil.rmtree(folder)
    return found


def closed(folder: Path, dice: Random, commands: int) -> History:
    """Play some commands, and return the one file that a closed journal is."""
    folder.mkdir()
    journal = SqliteJournal(folder / "0", "normal")
    table = Table(HOUSE, opening=opening_of(HOUSE), session=SESSION, journal=journal)
    for _ in range(commands):
        table.do(following(table, dice))
    journal.close()
    data = (folder / "0").read_bytes()
    shutil.rmtree(folder)
    return History(data, b"", {commands: table.state}, (commands,))


def look(folder: Path, file: bytes, log: bytes) -> tuple[str, Table | None, str]:
    """Open, recover, continue and check a journal of these bytes; return what came of it.

    It is the code of an error, "" where there is none; the table; and what the check says after.
    """
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    path = folder / "0"
    path.write_bytes(file)
    if log:
        path.with_name("0-wal").write_bytes(log)
    begun = monotonic()
    try:
        with SqliteJournal(path, "normal") as journal:
            table = recover(journal)
            checked = code_of(journal.check)
            state = table.state
            again = Table(HOUSE, state=state)
            # What is written to it next must not make it worse.
            done = code_of(lambda: table.do(following(table, dice_of(1))))
            if not (checked or done):
                journal.check()
            return "", again, checked or done
    except RecordError as error:
        return error.code, None, ""
    finally:
        assert monotonic() - begun < LONGEST, "it takes too long"


def code_of(work: Callable[[], object]) -> str:
    """Return the code of the error that something raises, "" where it raises none."""
    try:
        work()
    except RecordError as error:
        return error.code
    return ""


def check_log(past: History, log: bytes, wanted: int, folder: Path) -> str:
    """Cut the log: the table is exactly that of the commits whose frames are whole.

    Where the log was moved into the file it may be that of a later commit, or it is refused: what
    was moved was synced before, so that no power cut leaves such a pair of files.
    """
    code, table, checked = look(folder, past.file, log)
    if past.moved and (code or checked):
        assert code in DAMAGED or checked in DAMAGED, (code, checked)
        return MOVED
    if wanted < 0 and code:
        assert code == "journal-empty", code
        return EMPTY
    assert (code, checked) == ("", ""), (code, checked, len(log))
    assert table is not None
    assert balance(table.state) == 0
    if past.moved:
        last = past.commits[-1]
        assert any(table.state == past.states[n] for n in range(max(0, wanted), last + 1))
    else:
        assert table.state == past.states[wanted], "another state than after that commit"
    return WHOLE if table.state == past.states[past.commits[-1]] else PREFIX


def check_file(past: History, file: bytes, log: bytes, folder: Path) -> str:
    """Damage the main file: it is refused with a code, or the table is as it was."""
    code, table, checked = look(folder, file, log)
    if code:
        assert code in DAMAGED or code.startswith(("bad-", "not-")), code
        return REFUSED
    assert table is not None
    assert table.state == past.states[past.commits[-1]], "a wrong state"
    return FOUND if checked else WHOLE


def _log_cuts(past: History, dice: Random) -> Iterator[bytes]:
    """Yield logs that were cut: at the bounds of frames, beside them, and anywhere."""
    log = past.log
    frames = max(1, (len(log) - HEADER) // FRAME)
    bound = HEADER + dice.randrange(frames + 1) * FRAME
    yield log[: max(0, bound + dice.choice((-1, 0, 1)))]
    yield log[: bound + dice.randrange(24)]
    yield log[: dice.randrange(len(log) + 1)]
    if dice.random() < 0.3:
        yield log[: dice.randrange(HEADER + 2)]


def _torn_sectors(log: bytes, dice: Random) -> tuple[bytes, bytes]:
    """Return a log with a sector of a frame never written, and the log before that frame."""
    frames = (len(log) - HEADER) // FRAME
    number = dice.randrange(frames)
    start = HEADER + number * FRAME
    place = start + 512 * dice.randrange(FRAME // 512)
    junk = bytes(512) if dice.random() < 0.5 else dice.randbytes(512)
    return log[:place] + junk + log[place + 512 :], log[:start]


def sqlite(stage: Stage, seed: int) -> Met:
    """Cut and damage the log and the file of a journal."""
    dice = dice_for("torn sqlite", seed)
    met, folder = Met(), stage.place()
    with planted(stage.fault):
        past = history(stage.place(), dice, dice.randint(5, 40))
        done = closed(stage.place(), dice, dice.randint(5, 40))
        for _ in range(stage.times(CUTS // 5)):
            for log in _log_cuts(past, dice):
                met[check_log(past, log, past.after(log), folder)] += 1
                met[TRIED] += 1
            damaged, before = _torn_sectors(past.log, dice)
            if damaged != past.log:
                check_log(past, damaged, past.after(before), folder)
                met[SECTORS] += 1
                met[TRIED] += 1
            met += _main_cuts(past, done, dice, folder)
    shutil.rmtree(folder)
    return +met


def _main_cuts(past: History, done: History, dice: Random, folder: Path) -> Met:
    """Cut and damage a main file, with its log and without one."""
    met = Met()
    pages = len(done.file) // PAGE
    bound = dice.randrange(pages + 1) * PAGE + dice.choice((-1, 0, 1))
    for place in (bound, dice.randrange(len(done.file) + 1)):
        met["the file was cut: " + check_file(done, done.file[: max(0, place)], b"", folder)] += 1
    place = dice.randrange(pages) * PAGE
    empty = done.file[:place] + bytes(PAGE) + done.file[place + PAGE :]
    met["a page was lost: " + check_file(done, empty, b"", folder)] += 1
    cut = past.file[: dice.randrange(len(past.file) + 1)]
    met["the file was cut, its log is there: " + check_file(past, cut, past.log, folder)] += 1
    met[TRIED] += 4
    return met


_PARTS: Final = {
    "commands": ("sequence", ("body", "events", "hash", "player", "id", "kind", "at")),
    "movements": ("command, place", ("id", "player", "reason", "units")),
    "ids": ("command", ("id", "player")),
    "snapshots": ("sequence", ("body", "hash")),
    "epochs": ("number", ("hash", "at", "engine")),
    "head": ("sequence", ("hash", "sequence", "events")),
    "meta": ("name", ("value",)),
}
"""The tables, their order, and the columns that are cut."""


class _BackError(Exception):
    """What takes a damage back."""


def _back() -> None:
    raise _BackError


class Rows:
    """A journal in PostgreSQL whose rows are cut, in a transaction that is taken back."""

    def __init__(self, stage: Stage, dice: Random, seed: int) -> None:
        """Play some commands."""
        self.dice = dice
        self.journal = PostgresJournal(stage.conninfo, stage.name(seed), schema="torn")
        table = Table(HOUSE, opening=opening_of(HOUSE), session=SESSION, journal=self.journal)
        for number in range(dice.randint(5, 30)):
            table.do(following(table, dice))
            if number == 3:
                table = recover(self.journal)
        self.state = table.state

    def damage(self) -> str:
        """Damage one thing; return what it was and what was said of it."""
        name = self.dice.choice([*_PARTS])
        order, columns = _PARTS[name]
        what, found, same = "", "", None
        # The database itself takes no id twice: then nothing was damaged.
        with suppress(_BackError, UniqueViolation), self.journal.transaction() as raw:
            what = self._cut(raw, name, order, columns)
            found = code_of(self.journal.check)
            same = self._recovered()
            _back()
        if not what:
            return what
        if not found:
            # A snapshot in the middle is not needed; a value may be cut to what it was.
            assert same is True, (what, "is not found, and the state is another one")
            return f"{what}: not needed"
        assert found in DAMAGED, (what, found)
        assert same in (True, None), (what, "a wrong state")
        return f"{what}: found"

    def _cut(self, raw: psycopg.Connection, name: str, order: str, columns: Any) -> str:
        """Remove a row, or cut a value of it short."""
        query = f"SELECT ctid::text FROM all_{name} WHERE journal = %s ORDER BY {order}"  # noqa: S608 - our names
        number = self.journal._connection.number
        rows: list[Any] = raw.execute(query.encode(), (number,)).fetchall()
        place = self.dice.choice((0, -1, self.dice.randrange(len(rows))))
        (row,) = rows[place]
        which = "last" if rows[place] == rows[-1] else "middle"
        if self.dice.random() < 0.4:
            raw.execute(f"DELETE FROM all_{name} WHERE ctid = '{row}'".encode())  # noqa: S608 - our names
            return f"{which} row of {name} missing"
        column = self.dice.choice(columns)
        read = f"SELECT {column} FROM all_{name} WHERE ctid = '{row}'"  # noqa: S608 - our names
        found: Any = raw.execute(read.encode()).fetchone()
        value = found[0]
        if isinstance(value, str | bytes):
            new: Any = value[: self.dice.randrange(len(value))] if value else "x"
        else:
            new = int(value) - 1
        write = f"UPDATE all_{name} SET {column} = %s WHERE ctid = '{row}'"  # noqa: S608 - our names
        raw.execute(write.encode(), (new,))
        return f"a {column} of {name} cut"

    def _recovered(self) -> bool | None:
        """Return whether the recovered state is as it was; None where it is refused."""
        found: list[TableState] = []
        code = code_of(lambda: found.append(recover(self.journal).state))
        assert not code or code in DAMAGED or code.startswith(("bad-", "not-", "other-")), code
        return found[0] == self.state if found else None


def postgres(stage: Stage, seed: int) -> Met:
    """Cut and remove rows: the check says so, and no wrong state is recovered."""
    dice = dice_for("torn postgresql", seed)
    met = Met()
    with planted(stage.fault):
        rows = Rows(stage, dice, seed)
        try:
            for _ in range(stage.times(CUTS)):
                what = rows.damage()
                met += Met({what: 1, TRIED: 1} if what else {})
        finally:
            rows.journal.close()
    return met


SCENES: Final = (
    Scene("torn", "sqlite", sqlite, (PREFIX, WHOLE, EMPTY, "the file was cut: " + REFUSED)),
    Scene(
        "torn",
        "postgresql",
        postgres,
        tuple(f"a body of {name} cut: found" for name in ("commands", "snapshots")),
    ),
)
