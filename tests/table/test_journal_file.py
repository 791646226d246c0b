"""The file of a journal: what is found when it is changed, and what fails without an effect."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from tests.table.ten_players import dice_of, following
from tests.whole_units import whole_house

from trente_rules import ConfigurationError, Opening, RecordError, Table
from trente_rules.core.stakes import ChanceBounds
from trente_rules.table import SqliteJournal, journal_file, journal_sqlite, recover
from trente_rules.table.journal_chain import first_hash
from trente_rules.table.journal_file import FileConnection
from trente_rules.testing import opening_of

HOUSE = whole_house("france-2007")
OPENING = opening_of(HOUSE)
COMMANDS = 60


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a journal of some coups, a shoe opened before and one after them."""
    path = tmp_path_factory.mktemp("whole") / "j"
    with SqliteJournal(path) as journal:
        table = Table(HOUSE, opening=OPENING, journal=journal)
        dice = dice_of(1)
        for _ in range(COMMANDS):
            table.do(following(table, dice))
    return path.read_bytes()


@pytest.fixture
def path(whole: bytes, tmp_path: Path) -> Path:
    """Return a journal of its own for each test."""
    made = tmp_path / "j"
    made.write_bytes(whole)
    return made


@pytest.fixture
def journal(path: Path) -> Iterator[SqliteJournal]:
    """Return the journal, opened to write; it does not wait where it is locked."""
    with SqliteJournal(path, wait=0) as made:
        yield made


def edit(path: Path, *statements: str) -> None:
    """Change the file behind the back of the library."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            assert connection.execute(statement).rowcount, statement


def code_of(act: Callable[[], object]) -> str:
    """Return the code of the RecordError that is raised."""
    with pytest.raises(RecordError) as caught:
        act()
    assert not caught.value.message[0].isupper()
    return caught.value.code


SWAPPED = (
    "UPDATE commands SET body = (SELECT body FROM commands AS o"
    " WHERE o.sequence = 41 - commands.sequence) WHERE sequence IN (20, 21)"
)
CHANGES = {
    "UPDATE commands SET body = replace(body, 'player 1', 'player 2') WHERE sequence = 5": (
        "command 5"
    ),
    "UPDATE commands SET id = 'x' WHERE sequence = 7": "command 7",
    "UPDATE commands SET at = '1999' WHERE sequence = 7": "command 7",
    "UPDATE commands SET kind = 'settle' WHERE sequence = 7": "command 7",
    "UPDATE commands SET player = 'x' WHERE sequence = 7": "command 7",
    "UPDATE commands SET shoe = 2 WHERE sequence = 7": "command 7",
    "UPDATE commands SET coup = 9 WHERE sequence = 7": "command 7",
    "UPDATE commands SET hash = zeroblob(32) WHERE sequence = 7": "command 7",
    "UPDATE commands SET first_event = 1 WHERE sequence = 7": "command 7",
    "UPDATE commands SET events = replace(events, '1', '2') WHERE sequence = 6": "command 6",
    "UPDATE commands SET events = '[]' WHERE sequence = 6": "command 6",
    "DELETE FROM commands WHERE sequence = 9": "command 9",
    "DELETE FROM commands WHERE sequence > 58": "movement",
    "UPDATE movements SET units = units + 1 WHERE command = 5": "command 5",
    "UPDATE movements SET units = cast(units AS TEXT) WHERE command = 5": "command 5",
    "UPDATE movements SET id = id || '0' WHERE command = 5": "command 5",
    "UPDATE movements SET player = 'x' WHERE command = 5": "command 5",
    "UPDATE movements SET stake = 'x' WHERE command = 5": "command 5",
    "UPDATE movements SET coup = 7 WHERE command = 5": "command 5",
    "UPDATE movements SET reason = 'won' WHERE command = 5": "command 5",
    "UPDATE movements SET reverses = 'x' WHERE command = 5": "command 5",
    "UPDATE movements SET command = 4 WHERE command = 5": "command 4",
    "UPDATE movements SET place = place + 7 WHERE command = 5": "command 5",
    "DELETE FROM movements WHERE command = 5": "command 5",
    "INSERT INTO movements VALUES (1000, 0, 'x', 1, 1, 's', 'ann', 5, 'won', '')": "movement 'x'",
    "DELETE FROM ids WHERE command = 5": "command 5",
    "UPDATE ids SET command = 6 WHERE command = 5": "command 5",
    "UPDATE head SET sequence = 12": "head",
    "UPDATE head SET hash = zeroblob(32)": "head",
    "DELETE FROM head": "head",
    "INSERT INTO next VALUES (1, 'other', zeroblob(32))": "head",
    "UPDATE snapshots SET body = replace(body, '1', '2') WHERE sequence = 0": "snapshot 0",
    "UPDATE snapshots SET body = replace(body, '♥', '♦') WHERE sequence = 1": "snapshot 1",
    "DELETE FROM snapshots WHERE sequence = 0": "snapshot 0",
    "INSERT INTO snapshots VALUES (1000, '{}', x'00')": "snapshot 1000",
    "UPDATE meta SET value = value || ' ' WHERE name = 'house_toml'": "snapshot 0",
    "UPDATE meta SET value = 'other' WHERE name = 'table'": "snapshot 0",
    "DELETE FROM meta WHERE name = 'first'": "meta",
    SWAPPED: "command 20",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_row_that_is_changed_missing_or_out_of_order_is_found(change: str, path: Path) -> None:
    """The hash chain names the first row that is not as it was written."""
    edit(path, change)
    with SqliteJournal(path, read_only=True) as journal, pytest.raises(RecordError) as caught:
        journal.check()
    assert caught.value.code == "journal-changed"
    assert caught.value.place.startswith(CHANGES[change])


@pytest.mark.parametrize("change", CHANGES)
def test_no_table_goes_on_with_a_changed_journal(change: str, path: Path) -> None:
    """Recovery checks the hashes of all it reads before it does anything."""
    edit(path, change)
    with SqliteJournal(path) as journal:
        assert code_of(lambda: recover(journal)) in ("journal-changed", "journal-empty")


def test_a_journal_that_names_no_house_is_recovered_with_the_one_that_is_given(
    tmp_path: Path,
) -> None:
    """S7: a text of a house is in every journal of ours; without, nothing is read in its place."""
    path = tmp_path / "new"
    with SqliteJournal(path) as journal:
        state = Table(HOUSE, opening=OPENING, journal=journal).state
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM meta WHERE name = 'house_toml'")
        meta = connection.execute("SELECT name, value FROM meta").fetchall()
        (body,) = connection.execute("SELECT body FROM snapshots").fetchone()
        for table in ("snapshots", "head"):
            bound = first_hash(meta, 0, body)
            connection.execute(f"UPDATE {table} SET hash = ?", (bound,))  # noqa: S608 - our names
    with SqliteJournal(path) as journal:
        assert journal.kept().house == ""
        assert recover(journal, HOUSE).state == state
        with pytest.raises(ConfigurationError):
            recover(journal)


def test_a_command_that_is_missing_is_named_as_such(path: Path) -> None:
    """S4: not as one that begins at another event, nor as a changed one."""
    edit(path, "DELETE FROM commands WHERE sequence = 9")
    assert error_of(path) == ("command 9 is missing", "journal-changed", "command 9")


def test_a_recovery_looks_at_the_tail_alone(path: Path) -> None:
    """P1: ids before the snapshot, which take as long as the whole file, are for ``check``."""
    edit(path, "INSERT INTO ids VALUES ('x', 'x', 1000)")
    what = "ids of command 1000 belong to no command"
    assert error_of(path) == (what, "journal-changed", "ids of command 1000")
    with SqliteJournal(path, read_only=True) as journal:
        assert journal.kept().entries


def test_a_new_end_of_the_chain_is_found_by_its_head(path: Path) -> None:
    """Who cuts the end off and mends the head is found out by a head kept elsewhere."""
    with SqliteJournal(path, read_only=True) as journal:
        head = journal.check()
    cut = "SELECT {} FROM commands WHERE sequence = {}"
    edit(
        path,
        "UPDATE head SET sequence = 59,"  # noqa: S608 - the test's own words
        f" events = ({cut.format('first_event', 60)}), hash = ({cut.format('hash', 59)})",
        "DELETE FROM commands WHERE sequence = 60",
        "DELETE FROM ids WHERE command = 60",
        "DELETE FROM movements WHERE command = 60",
    )
    with SqliteJournal(path, read_only=True) as journal:
        assert journal.check() != head


def not_sqlite(path: Path) -> None:
    """Write a text."""
    path.write_text("[house]\nname = 'not a journal'\n" * 100)


def other_database(path: Path) -> None:
    """Write the database of somebody else."""
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE accounts (name)")


@pytest.mark.parametrize("make", [not_sqlite, other_database])
@pytest.mark.parametrize("read_only", [False, True])
def test_another_file_is_refused_and_left_alone(
    path: Path,
    make: Callable[[Path], None],
    read_only: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """A text or another program's database is no journal, and not a byte of it is changed."""
    make(path)
    before = path.read_bytes()
    assert code_of(lambda: SqliteJournal(path, read_only=read_only)) == "not-a-journal"
    assert path.read_bytes() == before


def test_a_journal_of_another_schema_is_refused(path: Path) -> None:
    """A later form is not guessed at."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version = 4")
    assert code_of(lambda: SqliteJournal(path)) == "unknown-schema"


def test_a_journal_that_cannot_be_opened_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder, a missing folder, a missing or empty file to read, an old SQLite."""
    assert code_of(lambda: SqliteJournal(tmp_path)) == "journal-unreadable"
    assert code_of(lambda: SqliteJournal(tmp_path / "no" / "j")) == "journal-unreadable"
    assert code_of(lambda: SqliteJournal(tmp_path / "j", read_only=True)) == "journal-missing"
    (tmp_path / "j").touch()
    assert code_of(lambda: SqliteJournal(tmp_path / "j", read_only=True)) == "journal-empty"
    assert code_of(lambda: SqliteJournal(tmp_path / "j", "off")) == "bad-synchronous"  # type: ignore[arg-type]
    monkeypatch.setattr(journal_file, "OLDEST_SQLITE", (99, 0))
    assert code_of(lambda: SqliteJournal(tmp_path / "j")) == "old-sqlite"


def test_a_journal_without_a_table_has_no_opening(tmp_path: Path) -> None:
    """As it has no state: there is a code for it."""
    with SqliteJournal(tmp_path / "j") as journal:
        assert code_of(lambda: journal.opening) == "journal-empty"
        assert code_of(journal.kept) == "journal-empty"


def test_a_fact_of_the_table_that_is_missing_is_a_fault(path: Path) -> None:
    """S15: whoever reads a journal without checking it first is told, not left with a KeyError."""
    edit(path, "DELETE FROM meta WHERE name IN ('session', 'house_toml')")
    with closing(SqliteJournal(path, read_only=True)) as journal:
        for name, words in (("session", "session"), ("house_toml", "house toml")):
            with pytest.raises(RecordError, match=f"meta does not name the {words}") as caught:
                journal.meta[name]
            assert caught.value.code == "journal-changed"
            assert journal.meta.get(name) is None
        assert code_of(lambda: list(journal.movements())) == "journal-changed"


def error_of(path: Path) -> tuple[str, str, str]:
    """Return message, code and place of the error that reading a file raises."""
    with pytest.raises(RecordError) as caught, SqliteJournal(path, read_only=True) as journal:
        journal.check()
    return caught.value.message, caught.value.code, caught.value.place


def test_a_file_that_was_cut_off_within_a_page_is_named_with_its_size(path: Path) -> None:
    """S14: SQLite reads what is left, and says nothing of the rest."""
    size = path.stat().st_size - 100
    path.write_bytes(path.read_bytes()[:size])
    what = f"journal '{path}': the end of the file was cut off: {size} bytes"
    assert error_of(path) == (what, "journal-broken", str(path))


@pytest.mark.parametrize("size", [0, 100, 511])
def test_a_log_without_the_first_page_of_its_file_is_left_alone(path: Path, size: int) -> None:
    """S14: the log may be all that is left of a table, and SQLite would remove it."""
    log = path.with_name("j-wal")
    log.write_bytes(b"x" * 4000)
    path.write_bytes(path.read_bytes()[:size])
    what = f"journal '{path}': the file has {size} bytes, and its log has 4000"
    assert error_of(path) == (what, "journal-broken", str(path))
    assert log.stat().st_size == 4000


def connected() -> FileConnection:
    """Return a connection to a database in memory, with an empty table."""
    made = sqlite3.connect(":memory:", isolation_level=None, factory=FileConnection)
    made.execute("CREATE TABLE t (x)")
    return made


def test_a_part_of_a_transaction_that_fails_is_taken_back_alone() -> None:
    """S14: what was written before it, and after it, is committed with the whole."""
    with closing(connected()) as connection:
        with journal_file.transaction(connection):
            connection.execute("INSERT INTO t VALUES ('before')")
            with suppress(KeyError), journal_file.transaction(connection):
                connection.execute("INSERT INTO t VALUES ('failed')")
                raise KeyError
            assert connection.execute("SELECT x FROM t").fetchall() == [("before",)]
            with pytest.raises(sqlite3.OperationalError, match="no such savepoint"):
                connection.execute("RELEASE part_1")
            connection.execute("INSERT INTO t VALUES ('after')")
        assert not connection.in_transaction
        found = connection.execute("SELECT x FROM t").fetchall()
        assert found == [("before",), ("after",)]


def test_a_read_takes_back_what_an_interrupt_left_open() -> None:
    """S14: nothing of it was answered; the next read is of what was committed."""
    with closing(connected()) as connection:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO t VALUES ('left')")
        with journal_file.reading(connection, "j"):
            assert connection.execute("SELECT x FROM t").fetchall() == []
        assert not connection.in_transaction


def test_a_look_at_the_schema_waits_for_a_second(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a glance: a file that a writer has locked is an error soon, for a command to report."""
    waits = []
    real = journal_file._connect

    def connect(uri: str, wait: float) -> FileConnection:
        waits.append(wait)
        return real(uri, 0)

    monkeypatch.setattr(journal_file, "_connect", connect)
    assert journal_file.schema_of_path(str(path)) == 3
    assert waits[0] == 1


def test_an_empty_file_becomes_a_journal(tmp_path: Path) -> None:
    """So does one that a process was killed over before anything was in it."""
    (tmp_path / "j").touch()
    with SqliteJournal(tmp_path / "j") as journal:
        Table(HOUSE, opening=OPENING, journal=journal)
        assert recover(journal).state.events == 0


def test_a_damaged_file_is_told_of(path: Path) -> None:
    """Bytes that are no pages of SQLite end in an error of ours, wherever they are read."""
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)

    def read() -> None:
        with SqliteJournal(path, read_only=True) as journal:
            journal.check()

    assert code_of(read) == "journal-broken"


def test_a_reader_that_cannot_be_opened_holds_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is closed where the session cannot be read; Python 3.13 warns otherwise."""
    opened: list[journal_file.FileConnection] = []

    def remembered(*arguments: Any, **options: Any) -> journal_file.FileConnection:
        opened.append(open_file(*arguments, **options))
        return opened[-1]

    open_file = journal_file.open_file
    monkeypatch.setattr(journal_sqlite, "open_file", remembered)
    monkeypatch.setattr(SqliteJournal, "_session_now", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        SqliteJournal(path, read_only=True)
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
    assert len(opened) == 1


DAMAGED = ("journal-changed", "journal-broken", "not-a-journal", "unknown-schema")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(30), 2672, 2757])
def test_whatever_byte_is_wrong_the_error_is_ours(seed: int, path: Path) -> None:
    """A flipped bit is harmless, or found: nothing else is raised, no other state comes of it."""
    with SqliteJournal(path) as journal:
        whole = recover(journal).state
    dice = dice_of(seed)
    data = bytearray(path.read_bytes())
    for _ in range(1 + seed % 3):
        data[dice.choice((dice.randrange(200), dice.randrange(len(data))))] ^= 1 << dice.randrange(
            8
        )
    path.write_bytes(data)
    try:
        with SqliteJournal(path, read_only=True) as journal:
            journal.check()
            assert recover(journal).state == whole
    except RecordError as error:
        assert error.code in DAMAGED  # noqa: PT017 - or no error


def test_a_journal_without_its_tables_is_told_of(path: Path) -> None:
    """A file that says it is a journal, and is none."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE movements")
    assert code_of(lambda: SqliteJournal(path)) == "journal-broken"


def refuses_once(
    table: Table, journal: SqliteJournal, code: str, release: Callable[[], object]
) -> None:
    """Check that a command fails with a code, changes nothing, and is done once released."""
    command = following(table, dice_of(4))
    state, head = table.state, journal.head
    assert code_of(lambda: table.do(command)) == code
    assert table.state is state
    assert command.key not in {entry.key for entry in table.entries}
    assert journal.head == head
    release()
    events = table.do(command)
    assert recover(journal).state == table.state
    assert recover(journal).do(command) == events
    journal.check()


def test_a_command_fails_while_another_process_writes(journal: SqliteJournal) -> None:
    """The file is locked: the command is not answered, and may be sent again."""
    table = recover(journal)
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refuses_once(table, journal, "journal-locked", lambda: other.execute("ROLLBACK"))


def fill(connection: sqlite3.Connection) -> None:
    """Let the file grow no more, and fill what free pages it has."""
    connection.execute("PRAGMA max_page_count = 1")  # SQLite takes it for no less than there are
    connection.execute("CREATE TABLE IF NOT EXISTS filling (x)")
    while True:
        connection.execute("INSERT INTO filling VALUES (zeroblob(500))")


def test_a_command_fails_where_the_disk_is_full(journal: SqliteJournal) -> None:
    """The command that finds no page left is not answered, and may be sent again."""
    connection = journal._connection
    connection.execute("CREATE TABLE filling (x)")
    with pytest.raises(sqlite3.OperationalError, match="full"):
        fill(connection)
    table = recover(journal)
    dice, before = dice_of(4), (table.state, journal.head)

    def go_on() -> None:
        nonlocal before
        for _ in range(500):
            before = table.state, journal.head
            table.do(following(table, dice))

    assert code_of(go_on) == "journal-full"
    assert (table.state, journal.head) == before
    connection.execute("PRAGMA max_page_count = 1000000")
    table.do(following(table, dice))
    assert recover(journal).state == table.state
    journal.check()


def test_a_command_fails_where_the_journal_is_only_read(path: Path) -> None:
    """A monitor cannot act by mistake."""
    with SqliteJournal(path, read_only=True) as journal:
        table = recover(journal)
        state = table.state
        assert code_of(lambda: table.do(following(table, dice_of(1)))) == "journal-read-only"
        assert table.state is state
        assert code_of(lambda: Table(HOUSE, opening=OPENING, journal=journal))


def test_a_command_fails_after_the_journal_is_closed(path: Path) -> None:
    """A table without its journal does nothing."""
    with SqliteJournal(path) as journal:
        table = recover(journal)
    journal.close()
    state = table.state
    assert code_of(lambda: table.do(following(table, dice_of(1)))) == "journal-closed"
    assert table.state is state


def test_of_two_tables_on_one_journal_the_last_to_recover_writes(path: Path) -> None:
    """S6: a recovery is the last word; the writer of before is refused at its next command."""
    with SqliteJournal(path) as one, SqliteJournal(path) as two:
        first, second = recover(one), recover(two)
        command = following(first, dice_of(1))
        state = first.state
        assert code_of(lambda: first.do(command)) == "journal-moved"
        assert first.state is state
        second.do(command)
        assert code_of(lambda: first.do(command)) == "journal-moved"
        assert recover(one).state == second.state
        assert code_of(lambda: second.do(following(second, dice_of(2)))) == "journal-moved"
        assert one.check() == two.check()
        assert [epoch.sequence for epoch in one.epochs] == [COMMANDS, COMMANDS, COMMANDS + 1]


def test_a_table_that_is_not_where_its_journal_ends_cannot_write(journal: SqliteJournal) -> None:
    """A host that sets up its table by hand is told, before anything is written."""
    table = Table.going_on(Table(HOUSE, opening=OPENING).state, {}, journal)
    head = journal.head
    assert code_of(lambda: table.do(following(table, dice_of(1)))) == "journal-moved"
    assert journal.head == head


def test_a_journal_in_a_folder_that_cannot_be_written_to_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closed, its file alone is enough; with a log beside it, what SQLite says is told."""
    real = journal_file._connect

    def connect(uri: str, wait: float) -> sqlite3.Connection:
        if "immutable" not in uri:
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error
        return real(uri, wait)

    monkeypatch.setattr(journal_file, "_connect", connect)
    with SqliteJournal(path, read_only=True) as journal:
        assert journal.check().sequence == COMMANDS
    path.with_name("j-wal").write_bytes(b"some")
    assert code_of(lambda: SqliteJournal(path, read_only=True)) == "journal-unreadable"


@pytest.mark.parametrize(("word", "number"), [("normal", 1), ("full", 2)])
def test_how_long_a_command_waits_for_the_disk_is_chosen(
    word: str, number: int, tmp_path: Path
) -> None:
    """The log is written ahead; "full" flushes it with every command."""
    with SqliteJournal(tmp_path / "j", word) as journal:  # type: ignore[arg-type]
        connection = journal._connection
        assert connection.execute("PRAGMA synchronous").fetchone() == (number,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        tables = "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND strict"
        assert connection.execute(tables).fetchone() == (9,)


@pytest.mark.slow
def test_a_log_that_is_torn_or_damaged_leaves_a_whole_journal(path: Path, tmp_path: Path) -> None:
    """A power cut may take the end of the log: what is left is a beginning, and can go on."""
    with SqliteJournal(path) as journal:
        table = recover(journal)
        dice = dice_of(9)
        for _ in range(40):
            table.do(following(table, dice))
        whole = [entry.command.id for entry in journal.entries()]
        file, log = path.read_bytes(), path.with_name("j-wal").read_bytes()
    found = set()
    for number in range(24):
        torn = bytearray(log)
        place = dice.randrange(len(log))
        if number % 2:
            del torn[place:]
        else:
            torn[place] ^= 1 << dice.randrange(8)
        copy = tmp_path / f"copy{number}"
        copy.write_bytes(file)
        copy.with_name(f"copy{number}-wal").write_bytes(torn)
        with SqliteJournal(copy) as journal:
            again = recover(journal)
            ids = [entry.command.id for entry in journal.entries()]
            assert journal.check().sequence == len(ids)
            assert ids == whole[: len(ids)]
            assert len(ids) >= COMMANDS
            again.do(following(again, dice))
        found.add(len(ids))
    assert len(found) > 5


def test_all_that_was_posted_is_in_the_journal(tmp_path: Path) -> None:
    """A journal gives its opening back, whole; one of 0.1.0 held the minimum as a text."""
    house = whole_house("monte-carlo-1911")
    for name, opening in (
        ("none", Opening()),
        ("least", Opening(40)),
        ("all", Opening(40, 4000, (ChanceBounds("rouge", maximum=400),), 100)),
    ):
        with SqliteJournal(tmp_path / name) as journal:
            table = Table(house, opening=opening, journal=journal)
            assert journal.opening == opening
            assert recover(journal).state == table.state
