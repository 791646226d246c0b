"""Files that an earlier release wrote stay readable."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from trente_rules import House, RecordError, loads_house
from trente_rules.core.converter import NewerSchemaWarning
from trente_rules.table import (
    CloseSession,
    OpenBets,
    Phase,
    Settle,
    SqliteJournal,
    journal_upgrade,
    recover,
    restore,
    snapshot,
)
from trente_rules.table.codec import SCHEMA
from trente_rules.table.entries import command_text, entry_of
from trente_rules.table.events import BetsOpened
from trente_rules.table.history import history
from trente_rules.table.journal_chain import chain_hash, command_hash
from trente_rules.table.journal_rows import SCHEMA as JOURNAL_SCHEMA
from trente_rules.table.rounds import Round
from trente_rules.table.state import balance

GOLDEN: Final = Path(__file__).with_name("golden")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the golden journal of schema 1, as the file it was."""
    made = tmp_path / "j"
    with closing(sqlite3.connect(made)) as connection:
        connection.executescript((GOLDEN / "journal-1.sql").read_text("utf-8"))
    return made


def test_every_schema_has_its_golden_files() -> None:
    """Who changes a form raises its ``SCHEMA``; the tool makes golden files when it is released.

    The files of earlier schemas stay as they are, and so do the tests below: a release reads
    whatever an earlier one wrote.
    """
    journals = {f"journal-{number}.sql" for number in range(1, JOURNAL_SCHEMA)}
    snapshots = {f"snapshot-{number}.json" for number in range(1, SCHEMA)}
    files = {file.name for file in GOLDEN.iterdir()}
    assert (
        files - {f"snapshot-{SCHEMA}.json", f"journal-{JOURNAL_SCHEMA}.sql"} == journals | snapshots
    )


def test_a_journal_of_schema_1_is_recovered_and_goes_on(path: Path) -> None:
    """Its chain is whole, its commands give the events that are kept, its house is in it."""
    with SqliteJournal(path) as journal:
        head = journal.check()
        table = recover(journal)
        assert len(list(journal.entries())) == head.sequence == 31
        assert table.state.phase is Phase.DEALT
        assert balance(table.state) == 0
        assert dict(table.state.accounts) == {"ann": -115, "zoë": 0, "bob": -37, "cid": 19}
        coups = history(journal.entries())
        assert [coup.status for coup in coups] == ["settled", "settled", "void", "dealt"]
        table.do(Settle(id="next"))
        table.do(CloseSession(id="last"))
        assert journal.check().sequence == head.sequence + 2
        assert recover(journal).state == table.state


def test_an_old_journal_is_brought_up_to_date_whole_or_not_at_all(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T2: a reader leaves the file as it is; one that is killed as it writes leaves it too."""
    before = path.read_bytes()
    with SqliteJournal(path, read_only=True) as journal:
        head, moved = journal.check(), list(journal.movements())
        state = recover(journal).state
    assert path.read_bytes() == before
    count = 0

    def killed(*arguments: Any) -> bytes:
        nonlocal count
        count += 1
        if count > 20:
            raise KeyboardInterrupt
        return command_hash(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(journal_upgrade, "command_hash", killed)
        with pytest.raises(KeyboardInterrupt):
            SqliteJournal(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        end = connection.execute("SELECT sequence, hash FROM head").fetchone()
    with SqliteJournal(path) as journal:
        assert journal.check() == head
        assert list(journal.movements()) == moved
        assert journal.meta["schema_1_head"] == f"{end[0]} {end[1].hex()}"
        assert journal.check(f"{end[0]}:{end[1].hex()}") == head  # as it was kept before
        assert recover(journal).state == state
    sums = Counter[str]()
    for movement in moved:
        sums[movement.player] += movement.units
    assert sums == Counter(dict(state.accounts))


def test_an_id_that_an_old_journal_has_twice_is_that_of_the_first(path: Path) -> None:
    """T5 a: ids were unique in a shoe only; the movements of the second have ids of their own."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        run = connection.execute
        first, second = (
            row[0] for row in run("SELECT sequence FROM commands WHERE kind = 'place' LIMIT 2")
        )
        for sequence in (first, second):
            (body,) = run("SELECT body FROM commands WHERE sequence = ?", (sequence,)).fetchone()
            text = json.dumps(json.loads(body) | {"id": "twice", "player": "ann"})
            change = "UPDATE commands SET id = 'twice', body = ? WHERE sequence = ?"
            run(change, (text, sequence))
        _rechain(connection)
    with SqliteJournal(path) as journal:
        journal.check()
        found = journal.find("ann", "twice")
        assert found is not None
        assert found.sequence == first
        ids = [movement.id for movement in journal.movements()]
        assert len(set(ids)) == len(ids)
        again = next(entry for entry in journal.entries(second))
        assert again.movements[0].id.endswith(f"@{second}/0")
        assert again.movements[0].id in ids
        rest = list(journal.movements(again.movements[-1].id))
        assert [each.id for each in rest] == ids[ids.index(again.movements[-1].id) + 1 :]


def test_corrections_of_a_correction_move_what_is_new_alone(path: Path) -> None:
    """T2: of an old journal too: each takes back what counts now, once; one like it moves nothing.

    Command 20 corrects coup 2 to what it was; here it is corrected again, and again like that.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        run = connection.execute
        run("DELETE FROM commands WHERE sequence > 20")
        run("DELETE FROM events WHERE command > 20")
        (text,) = run("SELECT body FROM commands WHERE sequence = 20").fetchone()
        events = run("SELECT kind, body FROM events WHERE command = 20 ORDER BY number").fetchall()
        for sequence in (21, 22):
            first = 62 + (sequence - 21) * len(events)
            id_ = f"c{sequence}"
            body = text.replace('"c20"', f'"{id_}"')
            values = (sequence, 1, id_, "2024-05-14T21:20", "correct", body, first, b"")
            run("INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
            for number, (kind, told) in enumerate(events, first):
                paid = told.replace('"won":20', '"won":45')
                row = (number, sequence, kind, paid, b"")
                run("INSERT INTO events VALUES (?, ?, ?, ?, ?)", row)
        run("UPDATE head SET sequence = 22, events = ?", (62 + 2 * len(events),))
        _rechain(connection)
    with SqliteJournal(path, read_only=True) as journal:
        journal.check()
        first_, again, same = journal.entries(20)
    counted = [(each.units, each.reason) for each in again.movements]
    assert counted == [(-20, "reversal"), (-20, "reversal"), (20, "returned"), (45, "won")]
    reversed_ = [each.reverses.rpartition("//")[2] for each in again.movements[:2]]
    assert reversed_ == ["c19/0", "c19/1"]  # those of the settlement: command 20 changed nothing
    assert (first_.movements, same.movements) == ((), ())


def _rechain(connection: sqlite3.Connection) -> None:
    """Make the hash chain of a journal of schema 1 anew."""
    run = connection.execute
    (before,) = run("SELECT hash FROM snapshots WHERE sequence = 0").fetchone()
    for row in run("SELECT sequence, shoe, first_event, body FROM commands ORDER BY 1").fetchall():
        sequence, shoe, first, body = row
        before = chain_hash(before, f"command {sequence} {shoe} {first}", body)
        run("UPDATE commands SET hash = ? WHERE sequence = ?", (before, sequence))
        events = run("SELECT number, body FROM events WHERE command = ? ORDER BY 1", (sequence,))
        for number, text in events.fetchall():
            before = chain_hash(before, f"event {number} {sequence}", text)
            run("UPDATE events SET hash = ? WHERE number = ?", (before, number))
        for (text,) in run("SELECT body FROM snapshots WHERE sequence = ?", (sequence,)).fetchall():
            bound = chain_hash(before, f"snapshot {sequence}", text)
            run("UPDATE snapshots SET hash = ? WHERE sequence = ?", (bound, sequence))
    run("UPDATE head SET hash = ?", (before,))


def test_a_snapshot_of_schema_1_is_the_table_of_its_journal(path: Path) -> None:
    """It is restored; written again it is of today's form, and restores to the same table."""
    text = (GOLDEN / "snapshot-1.json").read_text("utf-8").strip()
    with SqliteJournal(path) as journal:
        recovered = recover(journal)
        house = loads_house(journal.meta["house_toml"])
    table = restore(text, house, session=recovered.state.setup.session)
    assert table.state == recovered.state
    assert [entry.events for entry in table.taille] == [entry.events for entry in recovered.taille]
    again = snapshot(table)
    assert json.loads(again)["schema"] == SCHEMA
    assert restore(again, house).state == table.state


def test_a_snapshot_of_schema_2_is_the_table_of_the_same_commands(path: Path) -> None:
    """The commands are those of the journal; new fields have their defaults."""
    with SqliteJournal(path) as journal:
        recovered = recover(journal)
        house = loads_house(journal.meta["house_toml"])
    table = restore((GOLDEN / "snapshot-2.json").read_text("utf-8").strip(), house)
    assert table.state.replaced(setup=recovered.state.setup) == recovered.state
    assert json.loads(snapshot(table))["schema"] == SCHEMA


WITH_TIPS: Final = """
import importlib.abc, importlib.machinery, sys
NAME = "trente_rules.table.state"
class Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, name):
        text = self.get_source(name)
        assert text.count("    events: int = 0\\n") == 1
        text = text.replace("    events: int = 0\\n", "    events: int = 0\\n    tips: int = 0\\n")
        return compile(text, self.path, "exec")
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == NAME:
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            spec.loader = Loader(name, spec.origin)
            return spec
sys.meta_path.insert(0, Finder())
from trente_rules import loads_house
from trente_rules.table import Settle, SqliteJournal, recover, restore, snapshot
old, new, path = sys.argv[1:]
with SqliteJournal(path) as journal:
    table = recover(journal)
    house = loads_house(journal.meta["house_toml"])
    for text in (old, new):
        again = restore(text, house, session=table.state.setup.session)
        assert again.state.tips == 0
        assert again.state == table.state
    again.do(Settle(id="next"))
    table = restore(snapshot(again).replace('"tips":0', '"tips":7'), house)
    assert table.state.tips == 7
print("read")
"""
"""A release whose ``TableState`` has one more field."""


def test_a_new_field_of_the_state_leaves_snapshots_and_journals_readable(path: Path) -> None:
    """A5: one more field, with a default: what was written without it is read."""
    old = (GOLDEN / "snapshot-1.json").read_text("utf-8").strip()
    with SqliteJournal(path) as journal:
        new = snapshot(recover(journal))
    assert "tips" not in new
    done = subprocess.run(
        [sys.executable, "-c", WITH_TIPS, old, new, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("read\n", "")


def edited(change: str, value: object) -> str:
    """Return a snapshot of today with a key of its state changed, or added."""
    text = (GOLDEN / "snapshot-1.json").read_text("utf-8")
    table = restore(text, house_of_golden())
    told = json.loads(snapshot(table))
    told["state"][change] = value
    return json.dumps(told)


@cache
def house_of_golden() -> House:
    """Return the house of the golden files."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript((GOLDEN / "journal-1.sql").read_text("utf-8"))
        (toml,) = connection.execute("SELECT value FROM meta WHERE name = 'house_toml'").fetchone()
    return loads_house(toml)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("bank", "7", "snapshot.state.bank: expected a whole number, got the text '7'"),
        ("bank", True, "snapshot.state.bank: expected a whole number, got true"),
        ("bank", 2**200, "snapshot.state.bank: 16069"),
        ("phase", "asleep", "snapshot.state.phase: 'asleep' is not"),
        ("tips", 1, "snapshot.state.tips: unknown key 'tips'"),
        ("setup", None, "snapshot.state.setup: unknown key 'setup'"),
        ("shoe", {"kind": "boot"}, "snapshot.state.shoe.kind: 'boot' is not a kind of shoe"),
        ("shoe", {"kind": "live", "packs": 6, "sen": ""}, "(did you mean 'seen'?)"),
        ("stakes", {"a": 1}, "snapshot.state.stakes: expected a list, got the table { a = 1 }"),
        ("bank", 12, "no command leads to this state: players, bank and stakes do not add up"),
    ],
)
def test_a_hostile_edit_is_named_with_its_path(key: str, value: object, words: str) -> None:
    """A5: a key too many, a value of another type or kind, money from nowhere: each is named."""
    with pytest.raises(RecordError) as caught:
        restore(edited(key, value), house_of_golden())
    assert caught.value.code == "bad-snapshot"
    assert words in str(caught.value)


def test_a_snapshot_of_a_newer_schema_is_read_with_a_warning() -> None:
    """A5: what this release does not know is left out, and said; the rest must be sound."""
    newer = json.loads(edited("tips", 3)) | {"schema": SCHEMA + 1, "weather": "fine"}
    with pytest.warns(NewerSchemaWarning, match=r"snapshot.state.tips, snapshot.weather left out"):
        table = restore(json.dumps(newer), house_of_golden())
    assert json.loads(snapshot(table))["schema"] == SCHEMA


def test_an_entry_of_a_newer_schema_is_read_with_a_warning() -> None:
    """A5: rows of a journal carry the schema; their bytes stay as they were written."""
    command = '{"kind":"open-bets","id":"1","mood":"good","schema":%d}'
    event = '{"kind":"bets-opened","coup":1,"round":"s/1/1"}'
    with pytest.warns(NewerSchemaWarning) as noted:
        entry = entry_of(1, Round("s", 1, 0), command % (SCHEMA + 1), 0, f"[{event}]")
    assert (entry.command, entry.events) == (OpenBets(id="1"), (BetsOpened(1),))
    assert [str(each.message).rpartition(": ")[2] for each in noted] == [
        "command.mood left out",
        "event.round left out",
    ]
    for schema, key in ((SCHEMA, "mood"), (0, "schema")):
        with pytest.raises(RecordError, match=key):
            entry_of(1, Round("s", 1, 0), command % schema, 0, f"[{event}]")
    assert entry_of(
        1, Round("s", 1, 0), command_text(OpenBets(id="1")), 0, "[]"
    ).command == OpenBets(id="1")


@pytest.mark.parametrize(
    ("damage", "place"),
    [
        ("DELETE FROM head", "head"),
        ("DELETE FROM snapshots WHERE sequence = 0", "snapshot 0"),
        ("UPDATE meta SET value = 'x' WHERE name = 'table'", "snapshot 0"),
        ("DELETE FROM commands WHERE sequence = 2", "command 2"),
        ("UPDATE commands SET first_event = first_event + 1 WHERE sequence = 3", "event"),
        ("UPDATE commands SET at = 'x' WHERE sequence = 3", "command 3"),
        ("UPDATE commands SET body = replace(body, '{', '{ ') WHERE sequence = 3", "command 3"),
        ("UPDATE events SET body = replace(body, '{', '{ ') WHERE number = 2", "event 2"),
        ("DELETE FROM events WHERE number = 2", "event 2"),
        ("INSERT INTO events SELECT number + 1e6, command, kind, body, hash FROM events", "event"),
        ("UPDATE snapshots SET body = body || ' ' WHERE sequence > 0", "snapshot"),
        ("INSERT INTO snapshots VALUES (1000000, '{}', x'00')", "snapshot 1000000"),
        ("UPDATE head SET events = events + 1", "head"),
    ],
)
def test_an_old_journal_that_was_changed_is_left_alone(damage: str, place: str, path: Path) -> None:
    """S21: each row of a journal of schema 1 is checked before anything of it is rewritten."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute(damage).rowcount >= 1
    before = path.read_bytes()
    with pytest.raises(RecordError) as caught, SqliteJournal(path) as journal:
        journal.check()
    assert caught.value.code == "journal-changed"
    assert place in caught.value.message
    assert path.read_bytes() == before


def test_an_old_journal_on_which_no_table_began_is_brought_up_to_date(path: Path) -> None:
    """It holds nothing, and stays empty."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(
            "DELETE FROM head; DELETE FROM commands; DELETE FROM events;"
            "DELETE FROM snapshots; DELETE FROM meta"
        )
    with SqliteJournal(path) as journal:
        assert not journal.meta
        assert [*journal.entries()] == []
