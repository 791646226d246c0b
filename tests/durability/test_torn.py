"""Journals that were cut: every byte of a log and of a file, and what a reader would make worse."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Final

import pytest
from tests.durability.other_files import check_run, run_file
from tests.durability.torn import (
    FRAME,
    HEADER,
    PAGE,
    REFUSED,
    WHOLE,
    History,
    check_file,
    check_log,
    closed,
    history,
)

from trente_rules import RecordError
from trente_rules.table import SqliteJournal

STEP: Final = 7


def _dice(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - moments


@pytest.mark.parametrize("size", [0, 1, 511])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_log_without_its_file_is_left_as_it_is(
    size: int, quick: Path, *, read_only: bool
) -> None:
    """S13: SQLite itself would remove the log of an empty file, and with it the whole table."""
    past = history(quick / "a", _dice(1), 5)
    file, log = quick / "0", quick / "0-wal"
    file.write_bytes(past.file[:size])
    log.write_bytes(past.log)
    with pytest.raises(RecordError, match="its log has") as caught:
        SqliteJournal(file, read_only=read_only)
    assert caught.value.code == "journal-broken"
    assert log.read_bytes() == past.log
    file.write_bytes(past.file)  # a copy of the file, restored
    with SqliteJournal(file) as journal:
        assert journal.check().sequence == 5


def test_a_file_cut_within_its_last_page_is_refused_at_once(quick: Path) -> None:
    """S13: also where nothing that a recovery reads is on that page."""
    past = closed(quick / "a", _dice(1), 30)
    file = quick / "0"
    for cut in (1, 100, PAGE - 1):
        file.write_bytes(past.file[:-cut])
        for read_only in (True, False):
            with pytest.raises(RecordError, match="cut off") as caught:
                SqliteJournal(file, read_only=read_only)
            assert caught.value.code == "journal-broken"


def _places(length: int, bounds: int, begin: int) -> list[int]:
    """Return places near bounds, and some between them."""
    near = (each + more for each in range(begin, length + 1, bounds) for more in (-1, 0, 1))
    return sorted({*near, *range(0, length, length // STEP)} & set(range(length + 1)))


def _cut_log(past: History, place: int, folder: Path) -> str:
    log = past.log[:place]
    return check_log(past, log, past.after(log), folder)


@pytest.mark.slow
def test_a_log_cut_anywhere_is_a_prefix_of_what_was_committed(quick: Path) -> None:
    """Issue 17: exactly the commits whose frames are whole, and never a wrong state."""
    past = history(quick / "a", _dice(3), 2)
    assert not past.moved
    places = _places(len(past.log), FRAME, HEADER)
    found = Counter(_cut_log(past, place, quick / "b") for place in places)
    assert len(found) == 3, found


@pytest.mark.slow
def test_a_file_cut_anywhere_is_refused(quick: Path) -> None:
    """Issue 17: with a code that says that it is damaged."""
    past = closed(quick / "a", _dice(3), 12)
    places = _places(len(past.file), PAGE, 0)
    cut = Counter(check_file(past, past.file[:n], b"", quick / "b") for n in places)
    assert cut == {REFUSED: len(places) - 1, WHOLE: 1}


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(8))
def test_a_log_cut_at_every_byte(part: int, quick: Path) -> None:
    """As above, at every byte; each part takes minutes."""
    past = history(quick / "a", _dice(3), 4)
    for place in range(part, len(past.log) + 1, 8):
        _cut_log(past, place, quick / "b")


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(4))
def test_a_file_cut_at_every_byte(part: int, quick: Path) -> None:
    """As above, at every byte."""
    past = closed(quick / "a", _dice(3), 12)
    for place in range(part, len(past.file), 4):
        assert check_file(past, past.file[:place], b"", quick / "b") == REFUSED


def test_the_file_of_a_run_is_cut_at_every_byte(quick: Path) -> None:
    """A run that is resumed comes to the same figures, or says why it cannot."""
    data = run_file(quick)
    found = Counter(check_run(data[:place], quick) for place in range(0, len(data) + 1, 7))
    assert len(found) == 2
