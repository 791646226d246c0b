"""A table that is killed, again and again: nothing answered is lost, nothing is done twice."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import pytest
from tests.durability.homes import SqliteHome
from tests.durability.ledger import kill

WAYS: Final[dict[str, dict[str, Any]]] = {
    "one caller": {},
    "threads and readers": {"threads": 4, "readers": True},
    "rotated": {"rotate": 40},
    "threads, readers, rotated": {"threads": 4, "readers": True, "rotate": 40},
    "sealed, threads, readers, rotated": {"threads": 4, "readers": True, "rotate": 40},
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and fork are POSIX"),
]


def homes(folder: Path, number: int, **how: Any) -> list[SqliteHome]:
    """Return homes in new folders."""
    found = [folder / str(each) for each in range(number)]
    for each in found:
        each.mkdir()
    return [SqliteHome(str(each), **how) for each in found]


def test_a_table_killed_six_times_loses_nothing(quick: Path) -> None:
    """AGCO 13.1.1: after each kill the table is what it was, and goes on.

    All that was answered is in the journal, and at most what was sent last; no stake, prisoner,
    premium or event is lost or doubled, the balance is nought, the order of the shoe is unchanged.
    """
    ledgers = kill(homes(quick, 2), times=3, most=30)
    assert sum(len(ledger.kept) for ledger in ledgers) > 40
    seen = {stake.owner for ledger in ledgers for stake in ledger.alone.state.stakes}
    assert len(seen) > 5


def test_a_table_of_threads_with_readers_that_rotates_is_killed(quick: Path) -> None:
    """As above, its cards sealed: of four threads, what each sent last may be there too.

    A reader of another process is always attached, so that nothing is put right by chance (S6).
    """
    pytest.importorskip("cryptography")
    some = homes(quick, 2, sealed=True)
    ledgers = kill(some, times=2, most=40, threads=4, readers=True, rotate=12)
    assert sum(len(ledger.kept) for ledger in ledgers) > 30
    assert max(ledger.journals for ledger in ledgers) > 1


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("way", WAYS)
def test_a_table_killed_a_thousand_times_loses_nothing(way: str, part: int, quick: Path) -> None:
    """As above: fifty kills in each part, over many shoes, with kills within a commit among them.

    Every part is a test of its own: a run that was cut short goes on with the next (``--lf``).
    """
    how: dict[str, Any] = {"synchronous": "normal"} if part % 2 else {}
    how |= {"log_pages": 16} if part > 1 else {}
    how |= {"sealed": True} if "sealed" in way else {}
    ledgers = kill(homes(quick, 2, **how), times=25, most=200, seed=part, **WAYS[way])
    for ledger in ledgers:
        assert len(ledger.kept) > 1000
        assert ledger.alone.state.shoe_number > 1
