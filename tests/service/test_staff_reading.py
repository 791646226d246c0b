"""What the staff reads: the coup that is dealt, the table against the odds, the journal."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.table.driving import Driver

from trente_rules import Table, load_house
from trente_rules.core.cards import Card
from trente_rules.core.errors import RecordError
from trente_rules.reports.monitor import monitor
from trente_rules.reports.settlements import coups_of_events
from trente_rules.service.staff_reading import (
    DealerReading,
    dealer_reading,
    journal_reading,
    monitor_reading,
    movements_reading,
)
from trente_rules.service.texts import PageWords
from trente_rules.table import (
    Choose,
    Correct,
    MemoryJournal,
    OpenBets,
    Place,
    Settle,
    SqliteJournal,
    Turn,
)
from trente_rules.table.commands import CloseBets
from trente_rules.table.movements import Movement


def dealer(driver: Driver) -> DealerReading:
    """Return what the dealer's page shows."""
    return dealer_reading(driver.table, PageWords.of(driver.table.state.house, "en"))


def test_the_dealers_page_card_by_card() -> None:
    """Issue 11: the row of the next card, what it counts, the calls, the commands."""
    driver = Driver(load_house("france-2007"))
    driver.live()
    driver.bet(("ann", "rouge", 1000), ("bob", "rouge", 500))
    assert dealer(driver).next_row == ""
    assert dealer(driver).staked == {"rouge": 1500}
    assert dealer(driver).players == 2
    driver.do(CloseBets)
    told = dealer(driver)
    for rank, suit, row, total in (
        (10, "♠", "first", 10),
        (10, "♥", "first", 20),
        (10, "♦", "first", 30),
        (1, "♠", "second", 0),
        (9, "♠", "second", 9),
    ):
        driver.do(Turn, card=Card(rank, suit))
        told = dealer(driver)
        assert (told.next_row, told.total) == (row, total)
        assert told.next_colour == {"first": "noir", "second": "rouge"}[row]
    assert told.first.point == 31
    assert told.second.point is None
    assert {"turn", "retract"} <= set(told.allowed)
    assert "place" not in told.allowed
    assert told.said[-1][1]


def test_choices_that_players_have_not_made() -> None:
    """At a refait the page says how many still wait, and what is in prison later."""
    driver = Driver(load_house("france-2007"))
    driver.shoe((31, 31), (33, 31))
    driver.bet(("ann", "rouge", 1000), ("bob", "noir", 500))
    driver.deal()
    assert dealer(driver).waiting == 2
    driver.do(Choose, stake="ann-rouge", course="prison", player="ann")
    assert dealer(driver).waiting == 1
    driver.do(Settle)
    assert dealer(driver).held == {"rouge": 1000, "noir": 500}
    assert dealer(driver).waiting == 0
    assert [coup.coup for coup in dealer(driver).coups] == [1]


def table_of(tmp_path: Path | None) -> tuple[Driver, MemoryJournal | SqliteJournal]:
    """Return a table of ten coups with its journal."""
    driver = Driver(load_house("france-2007"))
    journal = SqliteJournal(tmp_path / "a.journal") if tmp_path else MemoryJournal()
    driver.table = Table(driver.house, opening=driver.table.state.opening, journal=journal)
    driver.shoe(*((33, 31), (31, 32), (35, 35)) * 3)
    for _coup in range(9):
        driver.do(OpenBets)
        number = driver.table.state.coup_number
        driver.do(Place, stake=f"s{number}", player="ann", chance="rouge", amount=1000)
        driver.deal()
        driver.do(Settle)
    return driver, journal


def test_the_monitor_is_that_of_the_report(tmp_path: Path) -> None:
    """Issue 11: the monitor with its z, from a table, a journal in memory, and one in a file."""
    for folder in (None, tmp_path):
        driver, journal = table_of(folder)
        events = [event for entry in driver.table.entries for event in entry.events]
        opening = driver.table.state.opening
        want = monitor(driver.house, coups_of_events(events), opening=opening)
        for kept in (None, journal):
            told = monitor_reading(driver.table, None, kept)
            assert (told.coups, told.total.net, told.total.turnover) == (9, want.total.net, 9000)
            assert told.total.z == f"{want.total.z:.2f}"
            assert told.bank_net == driver.table.state.bank == told.total.net
            assert (told.alarm, told.pending, told.corrections) == (False, 0, 0)
            assert [level.chance for level in told.levels] == ["rouge"]
        if isinstance(journal, SqliteJournal):
            journal.close()


def test_the_journal_of_a_coup_shows_corrections() -> None:
    """Issue 11: corrections are visible, with what counted before and the reason."""
    driver, journal = table_of(None)
    driver.do(Correct, reason="a stake was moved", void=True, staff="eve")
    for kept in (None, journal):
        coup = journal_reading(driver.table, 1, 9, kept)
        assert coup.status == "void"
        assert coup.outcome is not None
        assert len(coup.taken_back) == 1
        assert any(step.get("staff") == "eve" for step in coup.steps)
    assert monitor_reading(driver.table).corrections == 1


def test_movements_in_pages() -> None:
    """All movements, some at a time, each once, from the table and from its journal."""
    driver, journal = table_of(None)
    for kept in (None, journal):
        whole = movements_reading(driver.table, "", 1000, kept)
        assert sum(each.units for each in whole) == -driver.table.state.bank
        found, after = list[Movement](), ""
        while part := movements_reading(driver.table, after, 4, kept):
            found += part
            after = part[-1].id
        assert tuple(found) == whole
    with pytest.raises(RecordError) as refused:
        movements_reading(driver.table, "nothing", 10, journal)
    assert refused.value.code == "unknown-movement"
