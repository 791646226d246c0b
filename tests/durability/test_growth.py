"""Long journals: what a recovery does does not grow with them, and memory is flat."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest
from tests.bench.bench_recovery import EVENTS, STAKES, long_session, long_shoe, measured

from trente_rules.table import SqliteJournal
from trente_rules.table.journal_sql import SNAPSHOT_EVERY

COMMANDS: Final = 20_000
MORE: Final = 40.0
"""Megabytes that reading a journal may take beside the library."""

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc"),
]


def test_a_journal_of_a_million_events_is_read_in_flat_memory(quick: Path) -> None:
    """S14: recovered, checked, read and verified; the time is in docs/performance.md."""
    path = quick / "session"
    long_session(path, EVENTS)
    with SqliteJournal(path, read_only=True) as journal:
        assert len(journal.kept().entries) <= SNAPSHOT_EVERY
    least = measured("nothing", "")["MB"]
    for what in ("recovered", "checked", "read", "verified"):
        assert measured(what, str(path))["MB"] < least + MORE, what


def test_a_long_shoe_with_many_stakes_is_recovered_in_flat_memory(quick: Path) -> None:
    """S14: no recovery does more than the commands since the last snapshot again."""
    path = quick / "shoe"
    long_shoe(path, COMMANDS, STAKES)
    with SqliteJournal(path, read_only=True) as journal:
        assert len(journal.kept().entries) <= SNAPSHOT_EVERY
    least = measured("nothing", "")["MB"]
    found = measured("recovered", str(path))
    assert found["stakes"] == STAKES
    assert found["MB"] < least + MORE


@pytest.mark.parametrize(("name", "coups"), [("", 100_000), ("played", 20_000)])
def test_a_table_that_plays_has_the_same_memory(name: str, coups: int, quick: Path) -> None:
    """S14: 100,000 coups, or 20,000 with a journal, take no more than the first tenth of them."""
    found = measured("played", str(quick / name) if name else "", str(coups))
    assert found["coups"] == coups
    assert found["MB"] < found["MB after a tenth"] + 5
