"""What a recovery leaves in a journal, snapshots within a shoe, and transactions with a host."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest
from attrs import evolve
from tests.table.ten_players import dice_of, following
from tests.table.test_journal import HOUSE, begun, play
from tests.table.test_journal_file import code_of

from trente_rules import RecordError, Table, loads_house
from trente_rules.fair import CardSeal
from trente_rules.records.recorder import record_of
from trente_rules.table import (
    Correct,
    CoupCorrected,
    Journal,
    MemoryJournal,
    OpenBets,
    Phase,
    Place,
    SqliteJournal,
    Withdraw,
    journal_sql,
    recover,
)
from trente_rules.testing import opening_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a journal of a table that was played at."""
    file = tmp_path / "j"
    with SqliteJournal(file) as journal:
        begun(journal, 60, 3)
    return file


def test_each_recovery_adds_an_epoch_to_the_chain(path: Path) -> None:
    """S6: what a recovery found is bound into the chain; a reader adds nothing."""
    with SqliteJournal(path) as journal:
        before = journal.head
        assert before is not None
        table = recover(journal)
        after = journal.check()
        assert (after.sequence, after.events) == (before.sequence, before.events)
        assert after.hash != before.hash
        play(table, 5, dice_of(4))
        recover(journal)
        epochs = journal.epochs
        assert [each.number for each in epochs] == [1, 2]
        assert [each.sequence for each in epochs] == [before.sequence, before.sequence + 5]
        head = journal.check()
    with SqliteJournal(path, read_only=True) as reader:
        assert recover(reader).state == table.state
        assert reader.check() == head
        assert reader.epochs == epochs


@pytest.mark.parametrize("code", ["other-house", "journal-sealed", "other-events"])
def test_a_recovery_that_fails_fences_nobody(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S6: whoever cannot play on adds no epoch, and the table that is played at continues."""
    path, seal = tmp_path / "j", CardSeal(bytes(range(32)))
    with SqliteJournal(path, seal=seal) as journal:
        table, _done = begun(journal, 60, 3)
        before = journal.head
        given = loads_house('[house]\nname = "mine"\nextends = "monte-carlo-1911"\n')
        with SqliteJournal(path, seal=None if code == "journal-sealed" else seal) as other:
            with monkeypatch.context() as changed:
                if code == "other-events":
                    found = RecordError("another release", code)
                    changed.setattr("trente_rules.table.journal.decide", Mock(side_effect=found))
                for _ in range(2):
                    failed = code_of(
                        lambda: recover(other, given if code == "other-house" else None)
                    )
                    assert failed == code
            assert (journal.head, journal.epochs) == (before, ())
            play(table, 5, dice_of(4))
            # The journal that failed writes for nobody either.
            with SqliteJournal(path, read_only=True, seal=seal) as reader:
                assert recover(reader).state == table.state
        recover(journal)
        assert len(journal.epochs) == 1


def test_reading_what_is_kept_makes_no_writer(path: Path) -> None:
    """S6: a writer that was fenced stays so, whatever is read by its journal."""
    with SqliteJournal(path) as journal, SqliteJournal(path) as other:
        old = recover(journal)
        recover(other)
        journal.kept()
        assert code_of(lambda: old.do(following(old, dice_of(4)))) == "journal-moved"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE epochs SET at = 'yesterday' WHERE number = 1",
        "DELETE FROM epochs WHERE number = 1",
        "UPDATE epochs SET sequence = sequence + 1 WHERE number = 1",
        "UPDATE epochs SET number = 3 WHERE number = 2",
        "INSERT INTO epochs SELECT 3, sequence, events, at, engine, hash FROM epochs LIMIT 1",
    ],
)
def test_an_epoch_that_was_changed_is_found(path: Path, change: str) -> None:
    """S6: the time of a recovery, its place and its number are part of the chain."""
    with SqliteJournal(path) as journal:
        play(recover(journal), 3, dice_of(4))
        play(recover(journal), 3, dice_of(4))
        journal.check()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)
    with SqliteJournal(path, read_only=True) as journal:
        assert code_of(journal.check) == "journal-changed"


def test_the_epoch_that_was_changed_is_named(path: Path) -> None:
    """S6: it, and not the command after it, whose hash holds no more either."""
    with SqliteJournal(path) as journal:
        play(recover(journal), 3, dice_of(4))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE epochs SET at = 'yesterday'")
    with SqliteJournal(path, read_only=True) as journal:
        with pytest.raises(RecordError) as caught:
            journal.check()
        assert caught.value.message == "epoch 1 or a row before it was changed"
        assert caught.value.place == "epoch 1"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """Let a snapshot be stored after every few commands."""
    monkeypatch.setattr(journal_sql, "SNAPSHOT_EVERY", 7)
    return 7


def test_a_snapshot_within_a_shoe_carries_no_entries(tmp_path: Path, few: int) -> None:
    """S14: those before it are in the file; a snapshot with the opening has those since."""
    with SqliteJournal(tmp_path / "j", "normal") as journal:
        begun(journal, 3 * few)
        kept = journal.kept()
        assert kept.sequence
        assert kept.within
        assert json.loads(kept.snapshot)["entries"] == []


@pytest.mark.slow
def test_a_shoe_of_many_commands_is_recovered_from_within(path: Path, few: int) -> None:
    """S14: no recovery does more commands again than lie between two snapshots."""
    with SqliteJournal(path) as journal:
        table, dice = recover(journal), dice_of(5)
        corrected = 0
        for _turn in range(16):
            play(table, 9, dice)
            kept = journal.kept()
            assert len(kept.entries) < few
            again = recover(journal)
            assert again.state == table.state
            assert [entry.command for entry in again.taille] == [
                entry.command for entry in table.taille
            ]
            assert record_of(again) == record_of(table)
            command = Correct(id=f"c{_turn}", reason="a look at the film")
            assert again.why_not(command) is None or not again.can(command)
            if again.can(command):
                assert again.preview(command) == table.preview(command)
                corrected += any(
                    isinstance(event, CoupCorrected) for event in again.preview(command).events
                )
            table = again
        assert corrected >= 3
        journal.check()


@pytest.mark.slow
def test_a_recovered_table_counts_on_where_nothing_follows_the_snapshot(
    path: Path, few: int
) -> None:
    """S14: the sequence of the next command is that of the journal, and old ids are known."""
    with SqliteJournal(path) as journal:
        table = recover(journal)
        opened(table)
        bets = [
            Place(id=f"p{n}", stake=f"s{n}", player="ann", chance="rouge", amount=10)
            for n in range(3 * few)
        ]
        for bet in bets:
            table.do(bet)
            again = recover(journal)
            entry = again.execute(Withdraw(id=f"w{bet.id}", stake=bet.stake, player="ann"))
            head = journal.head
            assert head is not None
            assert entry.sequence == head.sequence
            assert again.execute(bet).repeated
            table = recover(journal)


def opened(table: Table) -> None:
    """Play until bets are open."""
    dice = dice_of(11)
    while table.state.phase is not Phase.BETTING:
        if table.can(OpenBets(id="open")):
            table.do(OpenBets(id="open"))
        else:
            table.do(following(table, dice))


def test_rows_of_a_host_are_committed_with_the_command(path: Path) -> None:
    """T9 f: the outbox of a host and the journal are written together, or not at all."""
    with SqliteJournal(path) as journal:
        with journal.transaction() as connection:
            connection.execute("CREATE TABLE host_outbox (movement TEXT PRIMARY KEY)")
        table, dice = recover(journal), dice_of(6)
        with journal.transaction() as connection:
            entry = table.execute(following(table, dice))
            connection.execute("INSERT INTO host_outbox VALUES (?)", (f"{entry.sequence}",))
        head, before = journal.head, journal.check()

        def twice() -> None:
            with journal.transaction() as connection:
                table.execute(following(table, dice))
                connection.execute("INSERT INTO host_outbox VALUES (?)", (f"{entry.sequence}",))

        with pytest.raises(sqlite3.IntegrityError):
            twice()
        assert journal.head == head
        assert journal.check() == before
        found = journal._connection.execute("SELECT movement FROM host_outbox").fetchall()
        assert found == [(f"{entry.sequence}",)]
        # The table is ahead of its journal now, and can write no more.
        assert code_of(lambda: table.do(following(table, dice))) == "journal-moved"


@pytest.fixture(params=["memory", "sqlite"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    """Return a journal without a table."""
    if request.param == "memory":
        yield MemoryJournal()
        return
    with SqliteJournal(tmp_path / "fresh") as journal:
        yield journal


def test_a_house_that_cannot_be_read_back_does_not_begin(
    fresh: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S7: a journal that could never be recovered is refused before its first command."""
    monkeypatch.setattr(
        "trente_rules.table.journal.loads_house",
        lambda text, **more: evolve(loads_house(text, **more), info=HOUSE.info),
    )
    other = loads_house('[house]\nname = "mine"\nextends = "france-2007"\n')
    code = code_of(lambda: Table(other, opening=opening_of(other), journal=fresh))
    assert code == "house-not-kept"
    assert code_of(fresh.kept) == "journal-empty"


def test_a_shoe_that_is_opened_together_with_other_commands_is_recovered(tmp_path: Path) -> None:
    """S14: its snapshot is of the state after all of them, and has the entries since its opening.

    The chain binds it to the last of them.
    """
    dice = dice_of(12)
    with SqliteJournal(tmp_path / "j") as journal:
        table, _done = begun(journal)
        plan = Table(HOUSE, state=table.state)
        together = []
        while plan.state.phase is not Phase.BETTING:
            together.append(following(plan, dice))
            plan.do(together[-1])
        table.do_many(together)
        kept = journal.kept()
        assert (kept.entries, kept.within) == ((), False)
        again = recover(journal)
        assert (again.state, again.taille) == (table.state, table.taille)
        assert len(again.taille) == len(together)
        journal.check()


@pytest.mark.slow
@pytest.mark.parametrize("most", [30, 2000])
def test_a_file_that_is_begun_within_a_shoe_is_recovered_as_any_other(
    path: Path, few: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S14: what a file does not take over is read in the one before: the shoe is whole.

    A file takes over no more entries than are read at once: the first of a shoe of 100,000 commands
    took a minute to recover.
    """
    monkeypatch.setattr(journal_sql, "CARRIED", most)
    journal, dice = SqliteJournal(path), dice_of(5)
    table, corrected = recover(journal), 0
    alone = Table(HOUSE, state=table.state, entries=table.entries)
    for turn in range(10):
        for _ in range(9):
            command = following(table, dice)
            table.do(command)
            alone.do(command)
        if turn % 2:
            table.rotate(SqliteJournal(path.with_name(f"j{turn}")))
            journal.close()
            journal = SqliteJournal(path.with_name(f"j{turn}"))
        again = recover(journal)
        assert len(journal.kept().entries) <= few + 9
        assert again.state == table.state
        assert again.taille == alone.taille
        assert record_of(again) == record_of(alone)
        command = Correct(id=f"c{turn}", reason="a look at the film")
        assert again.can(command) == alone.can(command)
        if again.can(command):
            assert again.preview(command).events == alone.preview(command).events
            corrected += 1
        table = again
    assert corrected >= 2
    journal.check()
    journal.close()
