"""One session in one journal or several: ids and movements that are never forgotten, rotation."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import evolve, frozen
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.table.ten_players import dice_of, following
from tests.whole_units import whole_house

from trente_rules import PhaseError, RecordError, Table
from trente_rules.table import (
    BetsOpened,
    Correct,
    EndShoe,
    Entry,
    MemoryJournal,
    Movement,
    Phase,
    Place,
    Post,
    SqliteJournal,
    recover,
    restore,
    snapshot,
)
from trente_rules.table.movements import PURSE
from trente_rules.testing import opening_of

HOUSE: Final = whole_house("france-2007")
AnyJournal = MemoryJournal | SqliteJournal
Maker = Callable[[], AnyJournal]


@pytest.fixture(params=["memory", "sqlite"])
def new(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Maker]:
    """Give what makes an empty journal, each time another; all are closed after the test."""
    count = 0
    with ExitStack() as made:

        def make() -> AnyJournal:
            nonlocal count
            count += 1
            if request.param == "memory":
                return MemoryJournal()
            journal: SqliteJournal = made.enter_context(SqliteJournal(tmp_path / f"{count}"))
            return journal

        yield make


def begun(journal: AnyJournal) -> Table:
    """Return a new table on a journal."""
    return Table(HOUSE, name="salle 3", opening=opening_of(HOUSE), journal=journal)


def journal_of(table: Table) -> Any:
    """Return the journal that a table writes to."""
    return table._memory.journal


def play(table: Table, commands: int, seed: int = 1) -> list[Entry]:
    """Do so many commands; return their entries."""
    dice = dice_of(seed)
    return [table.execute(following(table, dice)) for _ in range(commands)]


def shoes(table: Table, count: int) -> None:
    """Play to the end of so many shoes, each cut short after a coup."""
    dice, last = dice_of(2), table.state.shoe_number + count
    while table.state.shoe_number < last or table.state.phase is not Phase.NO_SHOE:
        end = EndShoe(id=f"end {table.state.events}")
        coups = table.state.coup_number
        table.execute(end if coups and table.can(end) else following(table, dice))


def sums(movements: Iterable[Movement]) -> Counter[str]:
    """Return the units that moved, by player, without those of purses."""
    found: Counter[str] = Counter()
    for each in movements:
        if each.reason not in PURSE:
            found[each.player] += each.units
    return found


def code_of(act: Callable[[], object]) -> str:
    """Return the code of the error that is raised."""
    with pytest.raises((RecordError, PhaseError)) as caught:
        act()
    return caught.value.code


@pytest.mark.slow
def test_a_command_that_is_sent_again_is_never_done_again(new: Maker) -> None:
    """T5 a, e, C11, S8: after five shoes, a kill and a rotation it has the entry it had then."""
    table = begun(new())
    done = play(table, 40)
    bet = next(entry for entry in done if isinstance(entry.command, Place))
    shoes(table, 5)
    assert bet not in table.entries  # memory has forgotten it
    for number in range(2):
        table = recover(journal_of(table))
        state = table.state
        for entry in (bet, done[0], done[-1]):
            again = table.execute(evolve(entry.command, at="later"))
            assert again == entry
            assert again.repeated
        other = Place(
            id=bet.command.id, player=bet.command.owner, stake="x", chance="rouge", amount=7
        )
        assert code_of(partial(table.execute, other)) == "same-id"
        assert table.state is state
        if number == 0:
            table.rotate(new())
            play(table, 20, seed=7)


@pytest.mark.slow
def test_ids_are_unique_for_each_player(new: Maker) -> None:
    """S8: another player's command may have the same id, in the journal too."""
    table = begun(new())
    play(table, 40)
    shoes(table, 4)
    dice = dice_of(3)
    while table.state.phase is not Phase.BETTING:
        table.execute(following(table, dice))
    bet = Place(id="e1", stake="mine", player="ann", chance="rouge", amount=10)
    first = table.execute(bet)
    second = table.execute(evolve(bet, stake="hers", player="bea"))
    assert {each.id for each in first.movements}.isdisjoint(each.id for each in second.movements)
    again = recover(journal_of(table))
    assert again.state == table.state
    assert again.execute(bet) == first


def test_several_commands_are_written_together_or_not_at_all(new: Maker) -> None:
    """T5 c, T9 c: one that has a used id is refused, and none of the others is in the journal."""
    table = begun(new())
    play(table, 20)
    old = next(entry for entry in table.entries if isinstance(entry.command, Place))
    shoes(table, 5)
    dice = dice_of(3)
    while table.state.phase is not Phase.BETTING:
        table.execute(following(table, dice))
    state, written = table.state, len(list(journal_of(table).entries()))
    bets = [
        Place(id=id_, stake=f"s{id_}", player=old.command.owner, chance="rouge", amount=10)
        for id_ in ("new 1", old.command.id, "new 2")
    ]
    assert code_of(lambda: table.do_many(bets)) == "same-id"
    assert table.state is state
    assert len(list(journal_of(table).entries())) == written
    assert len(table.do_many([bets[0], bets[2], bets[0]])) == 3
    assert len(list(journal_of(table).entries())) == written + 2
    assert recover(journal_of(table)).state == table.state


@pytest.mark.slow
def test_movements_are_read_from_any_place_across_rotations(new: Maker) -> None:
    """T14: a wallet that remembers the id of the last movement misses none, and has none twice."""
    table = begun(new())
    first = journal_of(table)
    done = play(table, 60)
    for seed in (5, 6):
        table.rotate(new())
        done += play(table, 60, seed)
    wanted = [movement for entry in done for movement in entry.movements]
    assert len({movement.id for movement in wanted}) == len(wanted) > 50
    assert list(journal_of(table).movements()) == wanted
    for place in (0, 7, len(wanted) // 2, len(wanted) - 1):
        assert list(journal_of(table).movements(wanted[place].id)) == wanted[place + 1 :]
    assert sums(wanted) == Counter(dict(table.state.accounts))
    unknown = evolve(wanted[0], id=wanted[0].id.replace("/0", "/99")).id
    for strange in (unknown, "no id", "a/b/c/0"):
        assert code_of(lambda strange=strange: list(journal_of(table).movements(strange))) == (  # type: ignore[misc]
            "unknown-movement"
        )
    assert list(first.movements()) == wanted[: len(list(first.movements()))]


def test_a_journal_gives_shoes_and_coups_across_rotations(new: Maker) -> None:
    """T9 b: the entries of a shoe are found by its number, whichever file they are in."""
    table = begun(new())
    shoes(table, 2)
    play(table, 30)
    table.rotate(new())
    play(table, 30, seed=4)
    done = list(journal_of(table).since(0))
    assert [entry.sequence for entry in done] == list(range(1, len(done) + 1))
    for shoe in (1, 2, 3, 4):
        assert list(journal_of(table).since(shoe)) == [e for e in done if e.shoe >= shoe]
    if isinstance(journal_of(table), SqliteJournal):
        opened = [n for n, e in enumerate(done) if any(isinstance(x, BetsOpened) for x in e.events)]
        for count in range(1, len(opened)):
            assert list(journal_of(table).last_coups(count)) == done[opened[-count] :]
        last = done[-1].round
        own = [entry for entry in journal_of(table).entries() if entry.round == last]
        assert list(journal_of(table).coup(last.shoe, last.coup)) == own
        assert list(journal_of(table).corrections()) == [
            entry for entry in journal_of(table).entries() if isinstance(entry.command, Correct)
        ]


def test_a_journal_that_was_left_takes_no_more(new: Maker) -> None:
    """T9 e: the table of before, and one that is recovered from the old journal, are refused."""
    old = new()
    table = begun(old)
    play(table, 30)
    other = recover(old)
    table.rotate(new())
    for left in (other, recover(old)):
        assert code_of(lambda left=left: left.execute(following(left, dice_of(1)))) == (  # type: ignore[misc]
            "journal-moved"
        )
        assert code_of(lambda left=left: left.rotate(new())) == "journal-moved"  # type: ignore[misc]
    play(table, 10)
    assert recover(journal_of(table)).state == table.state
    used = new()
    begun(used)
    assert code_of(lambda: table.rotate(used)) == "journal-in-use"
    play(table, 10)


@frozen
class Files:
    """A session in two files, rotated in the middle of a coup."""

    old: Path
    new: Path
    done: list[Entry]
    table: Table


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Return a session in two files, closed."""
    old, new = tmp_path / "one", tmp_path / "two"
    with SqliteJournal(old) as first, SqliteJournal(new) as second:
        table = begun(first)
        shoes(table, 4)
        play(table, 20)
        table.rotate(second)
        play(table, 20, seed=3)
        return Files(old, new, list(second.since(0)), table)


def test_files_of_a_session_are_linked_both_ways(files: Files) -> None:
    """T9 e: names and hashes are in both files; a changed link, or another file, is found."""
    with SqliteJournal(files.old, read_only=True) as old:
        assert old.check() == old.head
    with SqliteJournal(files.new, read_only=True) as journal:
        journal.check()
        (link,) = journal.links
        assert (link.name, link.first, link.last) == ("one", 0, len(files.done) - 20)
    with closing(sqlite3.connect(files.old)) as connection, connection:
        connection.execute("UPDATE next SET name = 'three'")
    with SqliteJournal(files.old, read_only=True) as old:
        assert code_of(old.check) == "journal-changed"
    files.old.unlink()
    with SqliteJournal(files.old) as other:
        play(begun(other), 5)
    with SqliteJournal(files.new) as journal:
        assert code_of(journal.check) == "journal-moved"
        assert code_of(lambda: recover(journal)) == "journal-moved"


def test_a_file_whose_table_continued_elsewhere_names_the_other(files: Files) -> None:
    """T9 e: the error of each file says which one to recover instead."""
    with SqliteJournal(files.old) as old, pytest.raises(RecordError) as caught:
        play(recover(old), 1)
    assert caught.value.message == f"journal '{files.old}' does not end where this table is"
    assert caught.value.hint == "the table moved to 'two': recover that journal"
    files.old.unlink()
    with SqliteJournal(files.old) as other:
        play(begun(other), 5)
    with SqliteJournal(files.new) as journal, pytest.raises(RecordError) as caught:
        journal.check()
    what = f"journal '{files.new}' does not begin where '{files.old}' ends"
    hint = f"the table continued elsewhere: recover '{files.old}', or what it names"
    assert (caught.value.message, caught.value.hint) == (what, hint)
    assert (caught.value.code, caught.value.place) == ("journal-moved", str(files.old))


def test_a_recovery_closes_the_earlier_file_that_a_kill_left_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T9 e: whoever recovers the new file names it in the old one; a reader changes nothing."""
    _killed_between(tmp_path, monkeypatch)
    query = "SELECT name FROM next"
    with closing(sqlite3.connect(tmp_path / "one")) as connection:
        with SqliteJournal(tmp_path / "two", read_only=True) as new:
            new.check()
        assert connection.execute(query).fetchall() == []
        with SqliteJournal(tmp_path / "two") as new:
            recover(new)
        assert connection.execute(query).fetchall() == [("two",)]


@pytest.mark.parametrize("opens", [True, False])
def test_a_journal_carries_the_commands_from_the_beginning(
    tmp_path: Path,
    opens: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """T9 e: of a session, or of a shoe: those that begin elsewhere are left to the earlier file."""
    with SqliteJournal(tmp_path / "one") as old, SqliteJournal(tmp_path / "two") as new:
        table = begun(old)
        if not opens:
            table.do(Post(id="limits", opening=opening_of(HOUSE)))
        play(table, 10)
        table.rotate(new)
        carried = json.loads(new.kept().snapshot)["entries"]
        assert [each["sequence"] for each in carried] == list(range(1, table.sequence + 1))
    with SqliteJournal(tmp_path / "three") as last:
        restored = restore(snapshot(table), HOUSE, journal=last)
        assert last.meta["first"] == str(restored.sequence) == str(table.sequence)


def test_the_answer_of_an_earlier_file_is_looked_for_there(files: Files) -> None:
    """T5 a: where the earlier file is gone, the error says which one has the entry."""
    first, recent = files.done[6], files.done[-25]
    kept = files.old.rename(files.old.with_name("away"))
    with SqliteJournal(files.new) as journal:
        table = recover(journal)
        assert table.execute(recent.command) == recent  # the table remembered it as it moved
        with pytest.raises(RecordError, match="one") as caught:
            table.execute(first.command)
        assert caught.value.code == "in-earlier-journal"
        assert code_of(lambda: list(journal.movements())) == "in-earlier-journal"
        assert code_of(lambda: list(journal.since(1))) == "in-earlier-journal"
        assert journal.find("", "never done") is None
        assert next(journal.since(5)).shoe == 5
        kept.rename(files.old)
        assert table.execute(first.command) == first
        wanted = [each for entry in files.done for each in entry.movements]
        assert list(journal.movements()) == wanted


def test_a_kill_between_both_files_leaves_one_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T9 e: the new file was made, the old one not closed: the one that goes on first counts."""
    for winner in ("one", "two"):
        folder = tmp_path / winner
        folder.mkdir()
        _killed_between(folder, monkeypatch)
        with SqliteJournal(folder / "two", read_only=True) as new:
            new.check()  # it may be looked at before that is decided
        with SqliteJournal(folder / winner) as journal:
            play(recover(journal), 3)
        loser = "two" if winner == "one" else "one"
        with SqliteJournal(folder / loser) as journal:
            assert code_of(lambda: play(recover(journal), 1)) == "journal-moved"
        with SqliteJournal(folder / winner) as journal:
            journal.check()


def _killed_between(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rotate a table from file "one" to "two" of a folder, and end before "one" is closed."""

    def killed(*_arguments: object) -> None:
        raise KeyboardInterrupt

    with SqliteJournal(folder / "one") as old, SqliteJournal(folder / "two") as new:
        table = begun(old)
        play(table, 30)
        with monkeypatch.context() as patched:
            patched.setattr(SqliteJournal, "_close_for_good", killed)
            with pytest.raises(KeyboardInterrupt):
                table.rotate(new)


def test_a_table_without_a_journal_begins_to_write_one(new: Maker) -> None:
    """Its ids of the last shoes are refused in the journal too, their entries found."""
    table = Table(HOUSE, opening=opening_of(HOUSE))
    done = play(table, 40)
    table.rotate(new())
    play(table, 20, seed=2)
    again = recover(journal_of(table))
    assert again.state == table.state
    assert again.execute(done[5].command) == done[5]
    assert list(journal_of(table).since(0))[:40] == done
    moved = restore(snapshot(table), HOUSE, journal=new())
    assert moved.execute(done[5].command) == done[5]
    play(moved, 5)
    assert [entry.sequence for entry in journal_of(moved).entries()] == list(range(61, 66))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["play", "kill", "rotate", "retry", "shoe"]), st.integers(0, 99)),
        min_size=5,
        max_size=25,
    )
)
def test_kills_rotations_and_retries_leave_one_session(
    steps: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """T5, T9, T14: a file and the model hold the same; ids never come twice; money is exact."""
    folder = tmp_path_factory.mktemp("session")
    tables = [begun(MemoryJournal())]
    tables.append(
        Table(
            HOUSE,
            name="salle 3",
            opening=opening_of(HOUSE),
            session=tables[0].state.setup.session,
            journal=SqliteJournal(folder / "0"),
        )
    )
    for number, (step, value) in enumerate(steps, 1):
        model, table = tables
        match step:
            case "play":
                for _ in range(value % 20):
                    command = following(model, dice_of(value))
                    assert model.execute(command) == table.execute(command)
            case "shoe" if model.can(EndShoe(id=f"end {number}")):
                assert model.do(EndShoe(id=f"end {number}")) == table.do(
                    EndShoe(id=f"end {number}")
                )
            case "kill":
                journal_of(table).close()
                tables = [
                    recover(journal_of(model)),
                    recover(SqliteJournal(journal_of(table).path)),
                ]
            case "rotate":
                model.rotate(MemoryJournal())
                table.rotate(SqliteJournal(folder / str(number)))
            case "retry":
                done = list(journal_of(model).since(0))
                if done:
                    entry = done[value % len(done)]
                    again = [each.execute(entry.command) for each in tables]
                    assert again == [entry, entry]
                    assert all(each.repeated for each in again)
        assert tables[0].state == tables[1].state
    model, table = tables
    moved = list(journal_of(table).movements())
    assert moved == list(journal_of(model).movements())
    assert len({movement.id for movement in moved}) == len(moved)
    assert sums(moved) == Counter(dict(table.state.accounts))
    keys = [entry.key for entry in journal_of(table).since(0)]
    assert len(set(keys)) == len(keys)
    journal_of(table).check()
