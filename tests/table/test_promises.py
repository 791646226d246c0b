"""What the documents promise of durability, held against the settings that nobody changed."""

from __future__ import annotations

import gzip
import inspect
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from tests.table.ten_players import dice_of, following
from tests.whole_units import whole_house

from trente_rules import RecordError, Table
from trente_rules.table import SqliteJournal, back_up, recover
from trente_rules.table.journal_file import LOG_PAGES, log_ahead
from trente_rules.table.journal_sql import SNAPSHOT_EVERY
from trente_rules.testing import opening_of

ROOT: Final = Path(__file__).parents[2]
HOUSE = whole_house("france-2007")
PAGE: Final = 4096 + 24
"""Bytes that a page of 4,096 has in the log."""


def words(path: str) -> str:
    """Return a document, or the docstrings of a module, in one line."""
    return " ".join((ROOT / path).read_text("utf-8").split())


def pragma(journal: SqliteJournal, name: str) -> Any:
    """Return a setting of a journal's connection."""
    return journal._connection.execute(f"PRAGMA {name}").fetchone()[0]


def waits(journal: SqliteJournal) -> bool:
    """Return whether every commit and every move of the log waits for the disk itself."""
    asked = ("synchronous", "fullfsync", "checkpoint_fullfsync", "journal_mode")
    return [pragma(journal, name) for name in asked] == [2, 1, 1, "wal"]


def test_every_journal_waits_for_the_disk_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    """S5: a new one, one that is opened again, the next file, one of an earlier release, a copy."""
    with SqliteJournal(tmp_path / "j") as journal, SqliteJournal(tmp_path / "k") as following_one:
        table = Table(HOUSE, opening=opening_of(HOUSE), journal=journal)
        assert waits(journal)
        table.rotate(following_one)
        assert waits(following_one)
    golden = ROOT / "tests" / "golden" / "0.2.0" / "france-2007" / "journal-open.sqlite.gz"
    (tmp_path / "old").write_bytes(gzip.decompress(golden.read_bytes()))
    back_up(tmp_path / "k", tmp_path / "copy")
    for name in ("j", "old", "copy"):
        with SqliteJournal(tmp_path / name) as journal:
            assert waits(journal)


def test_a_file_that_keeps_no_log_gets_one_or_is_refused(tmp_path: Path) -> None:
    """S12, the kind: SQLite falls back to another way of writing, in which the last may be lost."""
    with SqliteJournal(tmp_path / "j") as journal:
        Table(HOUSE, opening=opening_of(HOUSE), journal=journal)
    with closing(sqlite3.connect(tmp_path / "j")) as connection:
        assert connection.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
    with SqliteJournal(tmp_path / "j") as journal:
        assert waits(journal)
    with closing(sqlite3.connect(":memory:")) as connection, pytest.raises(RecordError) as caught:
        log_ahead(connection)
    assert caught.value.code == "journal-unreadable"


def test_nothing_that_is_shipped_asks_for_less() -> None:
    """S5: neither the command line nor an example opens a journal that may lose commands."""
    callers = [*(ROOT / "src").rglob("*.py"), *(ROOT / "examples").rglob("*.py")]
    asking = re.compile(r"Journal\([^)]*normal|synchronous *= *[\"']?(normal|off)", re.IGNORECASE)
    assert [path for path in callers if asking.search(path.read_text("utf-8"))] == []


FULL = inspect.signature(SqliteJournal).parameters["synchronous"].default == "full"
LOG = LOG_PAGES * PAGE / 1e6
PROMISES: Final[dict[tuple[str, str], Callable[[], bool]]] = {
    ("README.md", "with a journal each is on disk before its events are returned"): lambda: FULL,
    ("README.md", "survives `kill -9` and a power cut"): lambda: FULL,
    ("docs/journal.md", 'With `synchronous="full"`, the default,'): lambda: FULL,
    ("src/trente_rules/table/journal_sqlite.py", '``synchronous`` "full", the default,'): (
        lambda: FULL
    ),
    ("docs/operation.md", "`full` is the default everywhere"): lambda: FULL,
    ("docs/journal.md", f"up to {LOG:.1f} MB of log"): lambda: True,
    ("docs/operation.md", f"up to {LOG:.1f} MB of log"): lambda: True,
    ("docs/journal.md", f"after every {SNAPSHOT_EVERY:,} commands within it"): lambda: True,
}


@pytest.mark.parametrize("sentence", PROMISES, ids=lambda sentence: sentence[1][:40])
def test_every_sentence_on_durability_is_true_of_the_default(sentence: tuple[str, str]) -> None:
    """S5, the kind: the sentence is in the document, and the settings are those it speaks of."""
    path, text = sentence
    assert text in words(path)
    assert PROMISES[sentence]()


@pytest.mark.slow
def test_what_the_faster_setting_may_lose_is_what_is_said(tmp_path: Path) -> None:
    """S5: "normal" syncs as the log is moved into the file; between two moves is what may go."""
    said = re.search(r"up to 4\.1 MB of log, some (\d+) commands", words("docs/operation.md"))
    assert said
    path, most, last = tmp_path / "j", 0, 0
    with SqliteJournal(path, "normal") as journal:
        table = Table(HOUSE, opening=opening_of(HOUSE), journal=journal)
        dice, moved = dice_of(1), path.stat().st_mtime_ns
        for number in range(300):
            table.do(following(table, dice))
            if path.stat().st_mtime_ns != moved:
                most, last = max(most, number - last), number
                moved = path.stat().st_mtime_ns
        assert last
        assert 0.8 * int(said[1]) < most <= int(said[1])
        assert path.with_name("j-wal").stat().st_size < (LOG_PAGES + 100) * PAGE
        assert recover(journal).state == table.state
