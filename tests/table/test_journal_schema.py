"""What a stranger's journal may hold: nothing in it is run, and a bound stops long reads."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from time import perf_counter

import pytest
from tests.table.ten_players import dice_of, following
from tests.whole_units import whole_house

from trente_rules import RecordError, Table
from trente_rules.table import SqliteJournal, journal_schema, recover
from trente_rules.table.journal_file import open_file, sqlite_errors
from trente_rules.table.journal_schema import bounded
from trente_rules.testing import opening_of

HOUSE = whole_house("france-2007")
SOON = 0.5
"""Seconds in which a hostile file is refused; the view of S15 ran for more than a minute."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a closed journal."""
    path = tmp_path_factory.mktemp("whole") / "j"
    with SqliteJournal(path) as journal:
        table = Table(HOUSE, opening=opening_of(HOUSE), journal=journal)
        dice = dice_of(3)
        for _ in range(20):
            table.do(following(table, dice))
    return path.read_bytes()


@pytest.fixture
def path(whole: bytes, tmp_path: Path) -> Path:
    """Return a journal of its own for each test."""
    made = tmp_path / "j"
    made.write_bytes(whole)
    return made


COUNTING = (
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3e7)"
    " SELECT max(x) sequence, 1 events, x'00' hash FROM c"
)
DISGUISED = "a trigger that says it is an index"
PLANTED = {
    "a view in place of a table": (
        "head",
        f"DROP TABLE head; CREATE VIEW head AS {COUNTING}",
    ),
    "a view besides": ("more", f"CREATE VIEW more AS {COUNTING}"),
    "a trigger": (
        "t",
        (
            "CREATE TRIGGER t AFTER INSERT ON commands"
            " BEGIN DELETE FROM commands WHERE sequence < new.sequence; END"
        ),
    ),
    "a trigger of a host's table": (
        "host_t",
        (
            "CREATE TABLE host_x (a);"
            "CREATE TRIGGER host_t AFTER INSERT ON host_x BEGIN DELETE FROM commands; END"
        ),
    ),
    DISGUISED: (
        "host_t",
        (
            "CREATE TABLE host_x (a);"
            "CREATE TRIGGER host_t AFTER INSERT ON commands BEGIN DELETE FROM host_x; END;"
            "PRAGMA writable_schema = ON;"
            "UPDATE sqlite_schema SET type = 'index', tbl_name = 'host_x' WHERE name = 'host_t'"
        ),
    ),
    "a table more": ("accounts", "CREATE TABLE accounts (name)"),
    "a column more": ("snapshots", "ALTER TABLE snapshots ADD COLUMN more TEXT"),
    "a table less": ("ids", "DROP TABLE ids"),
    "another index": ("other", "CREATE INDEX other ON commands (abs(hash))"),
    "a host's index of a table that is not its own": (
        "host_other",
        "CREATE INDEX host_other ON commands (abs(hash))",
    ),
    "a column that is worked out": (
        "next",
        (
            "DROP TABLE next; CREATE TABLE next (only INTEGER, name TEXT,"
            " first BLOB GENERATED ALWAYS AS (zeroblob(1000000000)))"
        ),
    ),
    "a module in place of a host's table": (
        "host_x",
        "CREATE VIRTUAL TABLE host_x USING fts5(a)",
    ),
    "what ANALYZE writes": ("sqlite_stat1", "ANALYZE"),
}


@pytest.mark.parametrize("what", PLANTED)
@pytest.mark.parametrize("read_only", [True, False])
def test_what_does_not_belong_into_a_journal_is_refused_before_it_is_run(
    path: Path,
    what: str,
    read_only: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """S15: views, triggers, other columns and tables are refused by name, at once."""
    name, script = PLANTED[what]
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    before = path.read_bytes()
    started = perf_counter()
    with pytest.raises(RecordError) as caught:
        SqliteJournal(path, read_only=read_only)
    assert perf_counter() - started < SOON
    assert caught.value.code == "journal-broken"
    assert caught.value.place == name or what == DISGUISED  # SQLite itself finds that one
    assert name in caught.value.message
    assert path.read_bytes() == before


def test_an_earlier_file_is_looked_at_as_closely(path: Path, tmp_path: Path) -> None:
    """S15, the kind: a file that a journal names is opened by the same door."""
    with SqliteJournal(path) as old, SqliteJournal(tmp_path / "k") as new:
        recover(old).rotate(new)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(PLANTED["a view in place of a table"][1])
    new = SqliteJournal(tmp_path / "k", read_only=True)
    with new, pytest.raises(RecordError) as caught:
        new.check()
    assert caught.value.place == "head"


def _refused(path: Path) -> RecordError:
    """Return the error of opening a journal to read."""
    with pytest.raises(RecordError) as caught:
        SqliteJournal(path, read_only=True)
    return caught.value


def test_a_host_has_a_bound_for_its_tables(path: Path) -> None:
    """S15: each is compared as the file is opened; 200 things in all are allowed."""
    with closing(sqlite3.connect(path)) as connection:
        (own,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        for number in range(200 - own):
            connection.execute(f"CREATE TABLE host_{number} (a)")
        with SqliteJournal(path, read_only=True) as journal:
            journal.check()
        connection.execute("CREATE TABLE host_more (a)")
    error = _refused(path)
    what = f"journal '{path}': table 'sqlite_schema' holds too many tables"
    assert (error.message, error.code) == (what, "journal-broken")
    assert error.place == "sqlite_schema"


def test_an_index_without_its_statement_is_refused(path: Path) -> None:
    """S15: only what SQLite itself makes for a key has none, and its name is SQLite's."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE host_x (a); CREATE INDEX host_i ON host_x (a);"
            "PRAGMA writable_schema = ON;"
            "INSERT INTO sqlite_schema SELECT type, name, tbl_name, rootpage, NULL"
            " FROM sqlite_schema WHERE name = 'host_i'"
        )
    error = _refused(path)
    what = f"journal '{path}': index 'host_i' does not belong in a journal"
    assert (error.message, error.place) == (what, "host_i")


def test_only_reads_are_bounded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S15: no bound stops a command as it is written; what is read has one, of a writer too."""
    with SqliteJournal(path) as journal, SqliteJournal(path, read_only=True) as reader:
        table = recover(journal)
        for name in ("_LEAST_STEPS", "_STEPS_PER_BYTE", "_STEP"):
            monkeypatch.setattr(journal_schema, name, int(name == "_STEP"))
        table.do(following(table, dice_of(4)))
        for each in (journal, reader):
            with pytest.raises(RecordError, match="more steps than a journal of its size"):
                each.check()


def test_a_hosts_own_tables_are_left_alone(path: Path) -> None:
    """A host may keep its rows beside the journal's: their names begin with host_."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE host_outbox (id INTEGER PRIMARY KEY, body TEXT);"
            'CREATE TABLE "host_seen" (id TEXT UNIQUE);'
            "CREATE UNIQUE INDEX host_bodies ON host_outbox (body);"
            "CREATE TABLE [Host_Sent] (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT);"
            "INSERT INTO Host_Sent (body) VALUES ('x')"
        )
    with SqliteJournal(path) as journal:
        assert recover(journal).state.events
        journal.check()


def test_a_reader_cannot_write_and_trusts_nothing(path: Path) -> None:
    """S15: whatever a file holds, SQLite is asked to trust none of it."""
    with SqliteJournal(path, read_only=True) as journal:
        connection = journal._connection
        asked = ("trusted_schema", "cell_size_check", "query_only")
        assert [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in asked] == [0, 1, 1]


def test_a_read_without_end_is_stopped(path: Path) -> None:
    """S15: a check takes as many steps as the bytes of a file can need, and no more."""
    with closing(open_file(str(path), read_only=True, wait=0)) as connection:
        started = perf_counter()
        size = path.stat().st_size
        with (
            pytest.raises(RecordError) as caught,
            sqlite_errors(str(path)),
            bounded(connection, size),
        ):
            connection.execute(COUNTING).fetchall()
        assert perf_counter() - started < 4 * SOON
        assert caught.value.code == "journal-broken"
        connection.execute("SELECT * FROM head").fetchall()


def grow(path: Path, table: str) -> None:
    """Make the pages of a table lead to one page again and again: 400 to the 4th power times."""
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)
        ).fetchone()
    data, size = bytearray(path.read_bytes()), 4096
    pages = len(data) // size
    leaf = data[(root - 1) * size : root * size]
    levels = 4
    for level in range(levels):
        # The root first; the leaf that it was comes last.
        page, below = pages + level if level else root, pages + level + 1
        inner = bytearray(size)
        cells = 400
        start = size - 5 * cells
        inner[:12] = struct.pack(">BHHHBI", 5, 0, cells, start, 0, below)
        for number in range(cells):
            place = start + 5 * number
            inner[12 + 2 * number : 14 + 2 * number] = place.to_bytes(2, "big")
            inner[place : place + 5] = struct.pack(">IB", below, 1)
        while len(data) < page * size:
            data += bytes(size)
        data[(page - 1) * size : page * size] = inner
    while len(data) < (pages + levels) * size:
        data += bytes(size)
    data[(pages + levels - 1) * size : (pages + levels) * size] = leaf
    data[28:32] = (pages + levels).to_bytes(4, "big")
    path.write_bytes(data)


def checked(path: Path) -> None:
    """Open a journal to read, and check it."""
    with SqliteJournal(path, read_only=True) as journal:
        journal.check()


@pytest.mark.parametrize("table", ["meta", "commands", "snapshots", "epochs"])
def test_pages_that_lead_to_one_another_are_not_followed_for_ever(path: Path, table: str) -> None:
    """S15: a tree of a few pages may hold 25 thousand million rows; the check ends soon."""
    with SqliteJournal(path) as journal:
        recover(journal)  # so that there is an epoch
    grow(path, table)
    started = perf_counter()
    try:
        checked(path)
    except RecordError as error:
        assert error.code in ("journal-broken", "journal-changed")  # noqa: PT017 - see below
    else:
        assert table == "meta"  # the same rows again and again are the same facts
    assert perf_counter() - started < 4 * SOON


@pytest.mark.parametrize("pages", [0, 1, 2**31 - 1, 2**32 - 1])
def test_a_count_of_pages_that_is_not_true_does_no_harm(path: Path, pages: int) -> None:
    """S15: the header is a stranger's word, too."""
    whole = bytearray(path.read_bytes())
    whole[28:32] = pages.to_bytes(4, "big")
    path.write_bytes(whole)
    started = perf_counter()
    try:
        checked(path)
    except RecordError as error:
        assert error.code in ("journal-broken", "not-a-journal")  # noqa: PT017 - or no error
    assert perf_counter() - started < SOON
