"""Files that an earlier release wrote stay readable."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from trente_rules import loads_house
from trente_rules.table import (
    CloseSession,
    Phase,
    Settle,
    SqliteJournal,
    migrations,
    recover,
    restore,
    snapshot,
)
from trente_rules.table.history import history
from trente_rules.table.journal_sqlite import SCHEMA as JOURNAL_SCHEMA
from trente_rules.table.snapshot import SCHEMA as SNAPSHOT_SCHEMA
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
    """Who changes a form raises its ``SCHEMA``, and makes golden files of it with the tool.

    The files of earlier schemas stay as they are, and so do the tests below: a release reads
    whatever an earlier one wrote. A journal of an earlier schema is read as it is, or moved to the
    new one; it is never half of both.
    """
    journals = {f"journal-{number}.sql" for number in range(1, JOURNAL_SCHEMA + 1)}
    snapshots = {f"snapshot-{number}.json" for number in range(1, SNAPSHOT_SCHEMA + 1)}
    assert {file.name for file in GOLDEN.iterdir()} == journals | snapshots


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


def test_a_snapshot_of_schema_1_is_the_table_of_its_journal(path: Path) -> None:
    """It is restored, and told again it is the same text but for the version that tells it."""
    text = (GOLDEN / "snapshot-1.json").read_text("utf-8").strip()
    with SqliteJournal(path) as journal:
        recovered = recover(journal)
        house = loads_house(journal.meta["house_toml"])
    table = restore(text, house)
    assert table.state == recovered.state
    assert table.answered == recovered.answered
    old, new = json.loads(text), json.loads(snapshot(table))
    for pair in old["answered"]:
        pair[1] = [migrations.event(event, old["schema"]) for event in pair[1]]
    if SNAPSHOT_SCHEMA == old["schema"]:
        assert {**new, "engine": old["engine"]} == old
