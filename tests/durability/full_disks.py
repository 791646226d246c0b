"""Full disks: a command that finds no room changes nothing, and acts once when there is some."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final

import psycopg
from tests.durability.faults import planted
from tests.durability.homes import SqliteHome
from tests.durability.host import HOUSE, SESSION, Order, state_digest
from tests.durability.ledger import Ledger
from tests.durability.scenes import TRIED, Met, Scene, Stage, dice_for
from tests.durability.squeeze import fill
from tests.postgres_server import user
from tests.table.ten_players import following

from trente_rules import RecordError, Table
from trente_rules.table import PostgresJournal, recover
from trente_rules.table.state import balance
from trente_rules.testing import opening_of

SMALL: Final = 4_000_000
"""Bytes of the disk of a journal in SQLite, which a file fills now and then."""
SMALL_SERVER: Final = 24_000_000
FULL: Final = "a command found no room"
LONG: Final = "several times, one after the other"
REFUSED: Final = "the server refused"
OPENING: Final = "no room for a recovery or a new journal"


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """Mount a small file system at a folder; yield whether that is allowed here."""
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        yield False
        return
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={size},mode=0777", "tmpfs", folder],
        check=False,
        capture_output=True,
    )
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "-l", folder], check=True)  # noqa: S607 - of the system


def sqlite(stage: Stage, seed: int) -> Met:
    """Let the disk of a journal in SQLite be full at random writes, or in truth."""
    dice = dice_for("full sqlite", seed)
    folder = stage.home()
    met = Met()
    true_disk = dice.random() < 0.5
    with small_disk(folder, SMALL) if true_disk else _no_disk() as is_small:
        how = "disk" if is_small else "shim"
        home = SqliteHome(str(folder), log_pages=dice.choice((4, 8, 16)))
        ledger = Ledger(home)
        for _ in range(3):
            order = Order(
                home.order(),
                dice.getrandbits(30),
                answers=dice.randint(5, 25),
                ends=True,
                rotate=dice.choice((0, 7)),
                squeeze=how,
                fault=stage.fault,
                trace="" if is_small else str(folder.with_suffix(".trace")),
            )
            lines = (stage.plain if is_small else stage.hosts).run(order)
            met += _met(lines)
            (folder / "filler").unlink(missing_ok=True)
            ledger.after(lines)
        met[f"by the {how}"] += met[TRIED]
    folder.with_suffix(".trace").unlink(missing_ok=True)
    shutil.rmtree(folder)
    return +met


@contextmanager
def _no_disk() -> Iterator[bool]:
    yield False


def _met(lines: Sequence[str]) -> Met:
    """Count what a host was refused."""
    met, runs = Met(), 0
    ready = False
    for line in lines:
        if line.startswith("x"):
            runs += 1
            met[TRIED] += runs == 1
            met[f"code {line.split()[1]}"] += 1
            met[FULL if ready else OPENING] += 1
        else:
            met[LONG] += runs > 1
            runs = 0
        ready |= line.startswith("ready")
    return met


class Small:
    """A schema of the server whose tables are on a small disk, and a role that it may refuse."""

    def __init__(self, stage: Stage) -> None:
        """Mount the disk, and make the tablespace and the role."""
        self.folder = Path("/tmp") / f"trente-small-{os.getpid()}"  # noqa: S108 - others reach it
        self.folder.mkdir(exist_ok=True)
        disk = small_disk(self.folder, SMALL_SERVER)
        self.is_small = disk.__enter__()
        stage.at_end(self.folder.rmdir)
        stage.at_end(lambda: disk.__exit__(None, None, None))
        self.admin = psycopg.connect(stage.conninfo, autocommit=True)
        stage.at_end(self.admin.close)
        self.role = f"tables_{os.getpid()}"
        self.run(f"CREATE ROLE {self.role} LOGIN")
        self.run(f"GRANT CREATE ON DATABASE postgres TO {self.role}")
        options = ""
        if self.is_small:
            place = self.folder / "space"
            place.mkdir()
            owner = user().get("user")
            if owner is not None:
                shutil.chown(place, owner)
            self.run(f"CREATE TABLESPACE small LOCATION '{place}'")
            self.run(f"GRANT CREATE ON TABLESPACE small TO {self.role}")
            options = " options='-c default_tablespace=small'"
            stage.at_end(lambda: self.run("DROP TABLESPACE small"))
        self.conninfo = stage.conninfo.replace("user=postgres", f"user={self.role}") + options
        self.schema = stage.schema()
        self.left = 40
        stage.at_end(self.drop)

    def run(self, query: str) -> None:
        """Do something as the administrator."""
        self.admin.execute(query.encode())

    def drop(self) -> None:
        """Remove the tables."""
        self.run(f"DROP SCHEMA IF EXISTS {self.schema} CASCADE")

    def next(self, stage: Stage) -> None:
        """Begin with new tables now and then: the old ones fill the disk."""
        self.left -= 1
        if not self.left:
            self.drop()
            self.schema, self.left = stage.schema(), 40


_SMALL: Final[dict[int, Small]] = {}


def postgres(stage: Stage, seed: int) -> Met:
    """Let the disk of the server be full, or the server refuse, and send the same command again."""
    small = _SMALL.get(id(stage))
    if small is None:
        _SMALL.clear()
        small = _SMALL[id(stage)] = Small(stage)
    small.next(stage)
    dice = dice_for("full postgresql", seed)
    with planted(stage.fault):
        return Squeezed(small, dice, stage.name(seed)).play()


class Squeezed:
    """A table in PostgreSQL whose server has no room, or refuses, now and then."""

    def __init__(self, small: Small, dice: Random, name: str) -> None:
        """Begin a table."""
        self.small, self.dice, self.name = small, dice, name
        self.met = Met()
        self.journal = self.opened()
        opening = opening_of(HOUSE)
        self.table = Table(HOUSE, opening=opening, session=SESSION, journal=self.journal)
        self.alone = Table(HOUSE, opening=opening, session=SESSION)
        self.number = 0

    def opened(self) -> PostgresJournal:
        """Open the journal."""
        return PostgresJournal(
            self.small.conninfo, self.name, schema=self.small.schema, wait=5, steal=True
        )

    def play(self) -> Met:
        """Play, with trouble in between."""
        try:
            for _ in range(self.dice.randint(3, 12)):
                self.act()
            trouble = self.refuse if self.dice.random() < 0.4 else self.no_room
            for _ in range(2):
                trouble()
            self.compare()
        finally:
            self.journal.close()
        return +self.met

    def act(self) -> Counter[str]:
        """Do a command, and the same by the rules alone; return codes of refusals."""
        self.number += 1
        command = following(self.table, self.dice)
        before = state_digest(self.table)
        refused = Counter[str]()
        while True:
            try:
                entry = self.table.execute(command)
            except RecordError as error:
                refused[error.code] += 1
                self.unchanged(before)
                if sum(refused.values()) < self.dice.randint(1, 3):
                    continue
                self.relieve()
                continue
            assert entry == self.alone.execute(command)
            assert not entry.repeated
            return refused

    def unchanged(self, before: str) -> None:
        """Check that a command that was refused has changed nothing."""
        assert state_digest(self.table) == before, "it has changed the table"

    def no_room(self) -> None:
        """Fill the disk, play until it is noticed, make room: the same command is done."""
        if not self.small.is_small:
            return
        fill(self.small.folder, 0)
        refused = Counter[str]()
        for _ in range(200):
            refused = self.act()
            if refused:
                break
        self.relieve()
        assert set(refused) <= {"journal-full"}, refused
        self.noted(refused, FULL)

    def refuse(self) -> None:
        """Let the server refuse the role, or writing; then allow it: the same command is done."""
        role, schema = self.small.role, self.small.schema
        how = self.dice.choice(("login", "insert"))
        if how == "login":
            self.small.run(f"ALTER ROLE {role} NOLOGIN")
            self.small.run(f"SELECT pg_terminate_backend({self.journal.backend})")
        else:
            self.small.run(f"REVOKE INSERT ON ALL TABLES IN SCHEMA {schema} FROM {role}")
        refused = self.act()
        self.relieve()
        assert refused
        assert set(refused) <= {"journal-unreadable", "connection-lost"}, refused
        self.noted(refused, REFUSED)

    def relieve(self) -> None:
        """Make room, and allow all."""
        (self.small.folder / "filler").unlink(missing_ok=True)
        role, schema = self.small.role, self.small.schema
        self.small.run(f"ALTER ROLE {role} LOGIN")
        self.small.run(f"GRANT INSERT ON ALL TABLES IN SCHEMA {schema} TO {role}")

    def noted(self, refused: Counter[str], what: str) -> None:
        """Count what was met."""
        times = sum(refused.values())
        self.met += Met({f"code {code}": number for code, number in refused.items()})
        self.met[TRIED] += 1
        self.met[what] += 1
        self.met[LONG] += times > 1

    def compare(self) -> None:
        """Compare the journal with the table that never had trouble."""
        self.journal.check()
        self.journal.close()
        self.journal = self.opened()
        again = recover(self.journal)
        assert again.state == self.alone.state
        assert again.taille == self.alone.taille
        assert balance(again.state) == 0
        head: Any = self.journal.head
        assert head.sequence == self.number


SCENES: Final = (
    Scene("full", "sqlite", sqlite, (FULL, LONG, OPENING)),
    Scene("full", "postgresql", postgres, (FULL, LONG, REFUSED)),
)
