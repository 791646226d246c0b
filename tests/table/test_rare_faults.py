"""Faults that only a careless host or a damaged file makes: each has its code."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from sqlite3 import SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY
from typing import Any

import pytest
from attrs import evolve
from tests.table.driving import Driver
from tests.table.laws import refused

from trente_rules import RecordError, Table
from trente_rules.table import MemoryJournal, Slip, SqliteJournal, recover
from trente_rules.table import journal_backup as backup
from trente_rules.table.entries import events_of
from trente_rules.table.movements import reversal
from trente_rules.table.typescript import typescript_of


def bets() -> Driver:
    """Return a table with a stake, and a journal."""
    table = Driver("france-2007")
    table.table = Table(
        table.house, opening=table.table.state.opening, session="s", journal=MemoryJournal()
    )
    table.shoe((33, 31))
    table.bet(("ann", "rouge", 100))
    return table


def test_a_slip_without_bets_is_refused() -> None:
    """It would place nothing, and say that it did."""
    table = bets()
    refused(table, "empty-slip", Slip, player="ann", bets=())
    assert table.table.sequence == table.count - 1


def test_a_reversal_is_not_reversed() -> None:
    """What is written after it is: the ledger stays a list of facts."""
    (entry,) = bets().table.entries[-1:]
    (movement,) = entry.movements
    back = reversal(movement, "x")
    assert (back.units, back.reverses) == (-movement.units, movement.id)
    with pytest.raises(RecordError) as caught:
        reversal(back, "y")
    assert caught.value.code == "not-reversible"


@pytest.mark.parametrize(
    "events", ['[{"kind": "bets-opened"', '[1, "bets-opened"]', '[{"kind": "bets-opened", "x": 1}]']
)
def test_stored_events_that_cannot_be_read_name_their_command(events: str) -> None:
    """S4: the place is that of the command, whatever is wrong."""
    with pytest.raises(RecordError, match="command 7") as caught:
        events_of(7, "{}", events, ("bets-opened",))
    assert caught.value.place.startswith("command 7")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"first_event": 99}, "the index of its first event is 99"),
        ({"movements": ()}, "movement 0"),
    ],
)
def test_a_journal_of_other_entries_is_not_continued(change: dict[str, Any], words: str) -> None:
    """T5: what was stored is done again and compared, to the movement."""
    driver = bets()

    class Changed(MemoryJournal):
        def entries(self, *given: Any, **more: Any) -> Any:
            *before, last = super().entries(*given, **more)
            return iter((*before, evolve(last, **change)))

    journal = Changed()
    table = Table(driver.house, opening=driver.table.state.opening, session="s", journal=journal)
    for entry in driver.table.entries:
        table.do(entry.command)
    with pytest.raises(RecordError, match=words) as caught:
        recover(journal, driver.house)
    assert caught.value.code == "other-events"


def test_two_schemas_may_not_define_a_name_differently() -> None:
    """A client would have the type of one, and the values of the other."""
    schemas = [{"$defs": {"a": {"type": kind}}} for kind in ("string", "integer")]
    with pytest.raises(RecordError) as caught:
        typescript_of(schemas)
    assert caught.value.code == "two-definitions"


def test_only_a_journal_with_rows_in_a_file_is_copied(tmp_path: Path) -> None:
    """One in PostgreSQL is copied by its own tools; an empty one is nothing to keep."""
    with pytest.raises(RecordError) as caught:
        backup.back_up("postgresql://host/db#j", tmp_path / "b")
    assert caught.value.code == "not-a-file"
    SqliteJournal(tmp_path / "a").close()
    with pytest.raises(RecordError) as caught:
        backup.back_up(tmp_path / "a", tmp_path / "b")
    assert caught.value.code == "journal-empty"
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("number", [SQLITE_FULL, SQLITE_IOERR | (3 << 8), SQLITE_READONLY])
def test_a_copy_that_cannot_be_written_is_a_fault_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """A full disk is that of the copy: of the journal nothing is wrong, and nobody mends it."""
    driver = bets()
    with SqliteJournal(tmp_path / "a") as journal:
        Table(driver.house, opening=driver.table.state.opening, journal=journal)
    real = sqlite3.connect

    def connect(name: str, **how: Any) -> Any:
        if "mode=rw" not in name:
            return real(name, **how)
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = number
        raise error

    monkeypatch.setattr(sqlite3, "connect", connect)
    with pytest.raises(RecordError) as caught:
        backup.back_up(tmp_path / "a", tmp_path / "b")
    what = f"'{tmp_path / 'b'}' cannot be written: database or disk is full"
    assert (caught.value.message, caught.value.code) == (what, "file-unwritable")
    assert not (tmp_path / "b").exists()


def test_a_copy_that_cannot_be_made_durable_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever fails leaves no copy behind that somebody trusts."""
    driver = bets()
    with SqliteJournal(tmp_path / "a") as journal:
        table = Table(driver.house, opening=driver.table.state.opening, journal=journal)
        for entry in driver.table.entries:
            table.do(entry.command)

    def fail(_folder: object) -> None:
        raise OSError(28, "No space left on device")

    seen: list[tuple[int, int]] = []
    head = backup.back_up(tmp_path / "a", tmp_path / "b", lambda *pages: seen.append(pages))
    assert head.sequence == driver.count
    assert seen[-1][0] == seen[-1][1]
    monkeypatch.setattr(backup, "sync_folder", fail)
    with pytest.raises(RecordError, match="No space left on device") as caught:
        backup.back_up(tmp_path / "a", tmp_path / "c")
    assert caught.value.code == "file-unwritable"
    assert not (tmp_path / "c").exists()
