"""What a table remembers, and when it asks its journal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.table.driving import Driver

from trente_rules import RecordError, Table
from trente_rules.table import (
    Correct,
    EndShoe,
    Entry,
    MemoryJournal,
    Round,
    Settle,
)
from trente_rules.table.memory import SHOES_KEPT


class Deaf(MemoryJournal):
    """A journal that must not be read."""

    def since(self, shoe: int) -> Iterator[Entry]:
        """Fail."""
        raise AssertionError(f"shoe {shoe} is read")


def played(journal: MemoryJournal, shoes: int) -> Driver:
    """Return a table that dealt a coup of each of some shoes; the last one is settled."""
    driver = Driver("france-2007")
    opening = driver.table.state.opening
    driver.table = Table(driver.house, opening=opening, session="s", journal=journal)
    for number in range(1, shoes + 1):
        driver.shoe((33, 31))
        driver.bet(("ann", "rouge", 100))
        driver.deal()
        driver.do(Settle)
        if number < shoes:
            driver.do(EndShoe)
    return driver


def test_a_correction_of_a_shoe_that_is_remembered_reads_no_journal() -> None:
    """P1: the commands of the last shoes are in memory, also once earlier ones were forgotten."""
    driver = played(Deaf(), SHOES_KEPT + 1)
    assert driver.table.entries[0].shoe == 2
    for shoe in (4, 3, 2):
        fix = Correct(id="fix", reason="video", void=True, target=Round("s", shoe, 1))
        found = driver.table.preview(fix)
        assert found.events[0].kind == "coup-corrected"
    with pytest.raises(AssertionError, match="shoe 1 is read"):
        driver.table.preview(Correct(id="fix", reason="video", void=True, target=Round("s", 1, 1)))


def test_an_error_of_the_journal_is_not_taken_for_a_command_that_was_done() -> None:
    """T5: the table may not be where the journal ends: nothing is answered from it then."""

    class Broken(MemoryJournal):
        def since(self, shoe: int) -> Iterator[Entry]:
            raise RecordError(f"shoe {shoe} is in another file", "in-earlier-journal")

    journal = Broken()
    driver = played(journal, SHOES_KEPT + 1)
    fix = Correct(id="fix", reason="video", void=True, target=Round("s", 1, 1))
    ahead = played(MemoryJournal(), SHOES_KEPT + 1)
    journal.append([ahead.table.execute(fix)], ahead.table.state)  # by another writer
    with pytest.raises(RecordError) as caught:
        driver.table.do(fix)
    assert caught.value.code == "in-earlier-journal"
