"""Readers of a journal see what is in its file now, or an error: never what was there once."""

from __future__ import annotations

import gzip
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.calling import trente
from tests.table.ten_players import dice_of, following
from tests.whole_units import whole_house

from trente_rules import RecordError, Table
from trente_rules.records.tailles import is_journal, load_tailles
from trente_rules.table import SqliteJournal, journal_file, recover
from trente_rules.table.journal_file import FileConnection
from trente_rules.testing import opening_of

HOUSE = whole_house("france-2007")
GOLDEN = Path(__file__).parents[1] / "golden"


def play(table: Table, commands: int, seed: int = 1) -> None:
    """Do some commands."""
    dice = dice_of(seed)
    for _ in range(commands):
        table.do(following(table, dice))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a closed journal."""
    made = tmp_path / "j"
    with SqliteJournal(made) as journal:
        play(Table(HOUSE, opening=opening_of(HOUSE), journal=journal), 10)
    return made


class Folder:
    """A folder that can be written to or not: root is not kept out by its mode."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Begin with one that cannot."""
        self.closed = True
        self.real = journal_file._connect
        monkeypatch.setattr(journal_file, "_connect", self.connect)

    def connect(self, uri: str, wait: float) -> FileConnection:
        """Refuse what would write to the folder, as SQLite does."""
        if self.closed and "mode=ro" in uri and "immutable" not in uri:
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error
        return self.real(uri, wait)


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Return the folder of the journals, closed."""
    return Folder(monkeypatch)


def code_of(journal: SqliteJournal) -> str:
    """Return the code of the error that reading raises."""
    with pytest.raises(RecordError) as caught:
        journal.check()
    return caught.value.code


def test_a_monitor_never_reads_a_frozen_file(path: Path, folder: Folder) -> None:
    """S12: opened as one that nobody writes to, the file is opened again once somebody does."""
    with SqliteJournal(path, read_only=True) as monitor:
        assert monitor._connection.frozen
        first = monitor.check()
        with SqliteJournal(path) as journal:
            table = recover(journal)
            play(table, 10, 2)
            assert code_of(monitor) == "journal-unreadable"  # its log cannot be read there
            folder.closed = False
            assert monitor.check() == journal.head != first
            play(table, 1, 3)
            assert monitor.check() == journal.head
            assert len(list(monitor.entries())) == 21
        assert monitor.head == monitor.check()
        assert monitor.check().sequence == 21


def test_what_was_written_between_two_reads_is_seen(path: Path, folder: Folder) -> None:
    """S12: also where the log is gone again, and the folder still closed."""
    with SqliteJournal(path, read_only=True) as monitor:
        first = monitor.head
        with SqliteJournal(path) as journal:
            play(recover(journal), 10, 2)
            last = journal.head
        assert folder.closed
        assert monitor.head == last != first
        assert len(list(monitor.entries())) == 20
        assert monitor._connection.frozen


def test_what_was_written_during_a_read_is_an_error(path: Path, folder: Folder) -> None:
    """S12: SQLite promises nothing for what it read then."""
    assert folder.closed
    with SqliteJournal(path, read_only=True) as monitor:
        with pytest.raises(RecordError) as caught, monitor._read(), SqliteJournal(path) as journal:
            play(recover(journal), 1)
        assert caught.value.code == "journal-moved"
        assert monitor.check().sequence == 11


def test_a_file_that_was_replaced_is_read_anew(path: Path, tmp_path: Path) -> None:
    """S12, the kind: a file that lost its name would be read, and written, for ever."""
    copy = tmp_path / "copy"
    copy.write_bytes(path.read_bytes())
    with SqliteJournal(copy) as journal:
        play(recover(journal), 3, 2)
    other = tmp_path / "other"
    with SqliteJournal(other) as journal:
        play(Table(HOUSE, opening=opening_of(HOUSE), journal=journal), 3)
    with SqliteJournal(path, read_only=True) as monitor, SqliteJournal(path) as journal:
        table = recover(journal)
        state = table.state
        copy.replace(path)
        for name in ("j-wal", "j-shm"):
            path.with_name(name).unlink(missing_ok=True)
        assert monitor.check().sequence == 13
        with pytest.raises(RecordError) as caught:
            play(table, 1)
        assert caught.value.code == "journal-moved"
        assert table.state == state
        other.replace(path)
        assert code_of(monitor) == "journal-moved"  # another session
        path.unlink()
        assert code_of(monitor) == "journal-missing"


@pytest.mark.parametrize("release", ["0.2.0", "0.4.0"])
def test_a_reader_of_an_old_file_sees_that_it_was_upgraded(release: str, tmp_path: Path) -> None:
    """S12, the kind: a copy in the form of today, or tables of the reader's own, are left then."""
    path = tmp_path / "j"
    golden = GOLDEN / release / "france-2007" / "journal-open.sqlite.gz"
    path.write_bytes(gzip.decompress(golden.read_bytes()))
    with SqliteJournal(path, read_only=True) as monitor:
        before = monitor.check()
        with SqliteJournal(path) as journal:
            recover(journal)
            assert monitor.check() == journal.head != before
            assert len(monitor.epochs) == 1


def others(path: Path) -> list[str]:
    """Return what is in the folder of a journal beside it."""
    return sorted(each.name for each in path.parent.iterdir() if each != path)


def test_a_reader_of_a_closed_journal_leaves_nothing_beside_it(path: Path) -> None:
    """A log without a writer looks like a table that runs; the file is as it was, to the byte."""
    before, when = path.read_bytes(), path.stat().st_mtime_ns
    with SqliteJournal(path, read_only=True) as monitor, SqliteJournal(path, read_only=True):
        monitor.check()
    assert others(path) == []
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, when)


def test_a_reader_leaves_the_log_of_a_writer(path: Path) -> None:
    """The writer came while it read; or died, and what it wrote is in the log alone."""
    with SqliteJournal(path, read_only=True) as monitor:
        first = monitor.head
        with SqliteJournal(path) as journal:
            monitor.close()
            assert others(path) == ["j-shm", "j-wal"]
            table = recover(journal)
            play(table, 3)
            with SqliteJournal(path, read_only=True) as reader:
                assert reader.head == journal.head != first
            assert others(path) == ["j-shm", "j-wal"]
            play(table, 1, 2)


def test_a_reader_leaves_an_empty_log_that_it_did_not_make(path: Path) -> None:
    """It is another one's, which may be about to write; only its own is tidied."""
    path.with_name("j-wal").touch()
    with SqliteJournal(path, read_only=True) as reader:
        assert reader.check().sequence == 10
    assert "j-wal" in others(path)


def test_a_reader_of_no_session_yet_holds_to_the_first_that_it_sees(
    path: Path, tmp_path: Path
) -> None:
    """S12: it was opened before a table began; a later file of another session is noticed."""
    empty, other = tmp_path / "empty", tmp_path / "other"
    SqliteJournal(empty).close()
    with SqliteJournal(other) as journal:
        play(Table(HOUSE, opening=opening_of(HOUSE), journal=journal), 3)
    first = path.rename(tmp_path / "first")
    empty.rename(path)
    with SqliteJournal(path, read_only=True) as monitor:
        assert monitor.head is None
        first.replace(path)
        assert monitor.check().sequence == 10
        other.replace(path)
        with pytest.raises(RecordError) as caught:
            monitor.check()
    what = f"another session is in the file of journal '{path}' now"
    assert (caught.value.message, caught.value.code) == (what, "journal-moved")
    assert (caught.value.hint, caught.value.place) == ("open it again", str(path))


def test_a_copy_of_an_old_file_is_read_by_any_thread(tmp_path: Path) -> None:
    """T2: a journal of schema 1 is read by way of a copy, as any journal is: from every thread."""
    path = tmp_path / "j"
    with closing(sqlite3.connect(path)) as connection:
        golden = Path(__file__).with_name("golden") / "journal-1.sql"
        connection.executescript(golden.read_text("utf-8"))
    with SqliteJournal(path, read_only=True) as reader, ThreadPoolExecutor(1) as pool:
        assert pool.submit(reader.check).result().sequence == 31


def test_a_host_that_reads_tailles_keeps_its_locks(path: Path) -> None:
    """A file that a process closes by itself loses its locks: another writer took the log away."""
    other = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
        "c.execute('SELECT count(*) FROM commands').fetchone(); c.close()"
    )
    with SqliteJournal(path) as journal:
        play(recover(journal), 3)
        assert is_journal(path)
        load_tailles(path)
        subprocess.run([sys.executable, "-c", other, path], check=True)
        assert others(path) == ["j-shm", "j-wal"]


@pytest.mark.parametrize("data", [b"", b"x", b"[table]\n" * 900, b"SQLite format 3\0"])
def test_what_is_no_database_is_no_journal(path: Path, data: bytes) -> None:
    """A text, nothing, or a header alone."""
    assert is_journal(path)
    path.write_bytes(data)
    assert not is_journal(path)


@pytest.mark.parametrize("value", ["10 x", "[" * 100_000, '{"minimum": "x"}', '"5"', None])
def test_an_opening_that_cannot_be_read_is_an_error(path: Path, value: str | None) -> None:
    """S15: monitor, record, replay and card ended in a traceback."""
    with closing(sqlite3.connect(path)) as changed, changed:
        if value is None:
            changed.execute("DELETE FROM meta WHERE name = 'opening'")
        else:
            changed.execute("UPDATE meta SET value = ? WHERE name = 'opening'", (value,))
    with SqliteJournal(path, read_only=True) as reader, pytest.raises(RecordError) as caught:
        assert reader.opening
    assert caught.value.code == "journal-broken"
    for command in ("monitor", "record", "replay", "card"):
        ran = trente(command, path)
        assert ran.status in {1, 2}
        assert "the opening of its table cannot be read" in ran.err


def test_a_journal_that_continues_another_one_and_has_no_command_yet_is_followed(
    tmp_path: Path,
) -> None:
    """What came before is in the earlier file: nothing is there, and nobody spins."""
    house = whole_house("france-2007")
    first = SqliteJournal(tmp_path / "a")
    table = Table(house, opening=opening_of(house), journal=first)
    dice = dice_of(1)
    for _ in range(3):
        table.do(following(table, dice))
    second = SqliteJournal(tmp_path / "b")
    table.rotate(second)
    with SqliteJournal(tmp_path / "b", read_only=True) as reader:
        assert list(reader.follow(timeout=0)) == []
        table.do(following(table, dice))
        assert [entry.sequence for entry in reader.follow(timeout=0)] == [4]
    first.close()
    second.close()
