"""Limits posted between two coups: the session continues, prisoners stay."""

from __future__ import annotations

from typing import Any

import pytest
from tests.table.driving import Driver
from tests.table.laws import REFAIT, ROUGE, house_like, refused

from trente_rules import Opening, TrenteError, load_house
from trente_rules.records import Recorder, dumps_record, loads_record, replay
from trente_rules.table import (
    CloseBets,
    CloseSession,
    Correct,
    Deal,
    EndShoe,
    MemoryJournal,
    OpenBets,
    OpeningPosted,
    Place,
    Post,
    Settle,
    VoidCoup,
    recover,
    restore,
    snapshot,
)
from trente_rules.table.history import history


def played(driver: Driver) -> None:
    """Close the bets, deal and settle."""
    for kind in (CloseBets, Deal, Settle):
        driver.do(kind)


def test_the_minimum_is_raised_and_a_prisoner_stays() -> None:
    """D-R31: 10 becomes 50 without closing; the prisoner of 10 is kept, and new stakes are 50."""
    driver = Driver("france-2007")
    driver.shoe(REFAIT, ROUGE)
    driver.bet(("ann", "rouge", 10))
    played(driver)
    (event,) = driver.do(Post, opening=Opening(50))
    assert event == OpeningPosted(Opening(50), was=driver.table.state.setup.opening)
    assert [stake.state for stake in driver.table.state.stakes] == ["prison"]
    driver.do(OpenBets)
    refused(driver, "below-minimum", Place, stake="b", player="bob", chance="noir", amount=40)
    driver.do(Place, stake="b", player="bob", chance="noir", amount=50)
    played(driver)
    assert dict(driver.table.state.accounts) == {"ann": 0, "bob": -50}


def test_limits_are_posted_between_coups_alone() -> None:
    """Before a shoe and between two coups; not while bets are open, nor once they are closed."""
    driver = Driver("france-2007")
    driver.do(Post, opening=Opening(20))
    driver.shoe(ROUGE, ROUGE)
    driver.do(Post, opening=Opening(30))
    driver.do(OpenBets)
    refused(driver, "not-now", Post, opening=Opening(40))
    driver.do(CloseBets)
    refused(driver, "not-now", Post, opening=Opening(40))
    driver.do(Deal)
    refused(driver, "not-now", Post, opening=Opening(40))
    driver.do(Settle)
    driver.do(Post, opening=Opening(40))
    driver.do(EndShoe)
    driver.do(Post, opening=Opening(50))
    driver.do(CloseSession)
    refused(driver, "not-now", Post, opening=Opening(60))


@pytest.mark.parametrize(
    ("house", "opening", "code"),
    [
        ("france-2007", Opening(), "opening-needed"),
        ("italy-half-loss", Opening(10), "opening-needed"),
        ("venezia-online", Opening(3), "no-such-table"),
        ("monte-carlo-1911", Opening(maximum=10), "bad-opening"),
        ("foster-1897", Opening(insurance_minimum=5), "no-insurance"),
        ("france-2007", 10, "bad-value"),
    ],
)
def test_an_opening_that_the_house_cannot_play_with_is_refused(
    house: str, opening: Any, code: str
) -> None:
    """It is checked as the one that the table opened with, and nothing changes."""
    refused(Driver(house), code, Post, opening=opening)


def test_a_house_of_several_tables_changes_to_another() -> None:
    """Venice: the table of 2 to 41 becomes that of 10 to 205."""
    driver = Driver("venezia-online")
    driver.do(Post, opening=Opening(10))
    driver.shoe(ROUGE)
    driver.do(OpenBets)
    refused(driver, "below-minimum", Place, stake="a", player="a", chance="noir", amount=9)
    driver.do(Place, stake="a", player="a", chance="noir", amount=205)


def test_a_correction_is_under_the_limits_of_its_coup() -> None:
    """The partage was not offered at 50, and is not after 10 is posted; then 10 holds."""
    house = house_like(
        "france-2007", '[refait]\npartage_not_below = "minimum"\n[limits]\nmaximum_multiple = 10'
    )
    driver = Driver(house)
    driver.do(Post, opening=Opening(50))
    driver.shoe(REFAIT, ROUGE)
    driver.bet(("ann", "rouge", 60))
    played(driver)
    driver.do(Post, opening=Opening(10))
    refused(
        driver,
        "course-not-offered",
        Correct,
        reason="she asked for it",
        choices=(("ann-rouge", "partage"),),
    )
    driver.do(Correct, reason="a slip", void=True)
    assert driver.table.state.opening == Opening(10)
    driver.do(OpenBets)
    driver.do(Place, stake="b", player="bob", chance="noir", amount=10)


def test_a_posted_opening_is_kept_by_snapshot_and_recovery() -> None:
    """Restored in the middle, and recovered from a journal, the table has the limits in force."""
    journal = MemoryJournal()
    driver = Driver("france-2007")
    journal.begin(driver.table.state, ())
    driver.table._memory.journal = journal
    driver.shoe(REFAIT, ROUGE)
    driver.bet(("ann", "rouge", 10))
    played(driver)
    driver.do(Post, opening=Opening(50, 5000))
    again = restore(snapshot(driver.table), driver.house)
    assert again.state == driver.table.state
    assert recover(journal).state == driver.table.state
    again.do(Correct(id="x", reason="a slip", void=True))
    assert again.state.opening == Opening(50, 5000)


def test_records_have_the_limits_from_their_coup_on() -> None:
    """A record replays bit for bit, also with limits posted within its taille."""
    driver = Driver("france-2007")
    recorder = Recorder(driver.house, opening=driver.table.state.opening)

    def do(kind: Any, **fields: Any) -> None:
        driver.do(kind, **fields)
        entry = driver.table.entries[-1]
        recorder.append(entry.command, entry.events, driver.table.state)

    driver.shoe(REFAIT, ROUGE, REFAIT)
    for entry in driver.table.entries:
        recorder.append(entry.command, entry.events)
    do(OpenBets)
    do(Place, stake="a", player="ann", chance="rouge", amount=10)
    for kind in (CloseBets, Deal, Settle):
        do(kind)
    do(Post, opening=Opening(50))
    do(OpenBets)
    do(Place, stake="b", player="bob", chance="noir", amount=50)
    for kind in (CloseBets, Deal, Settle):
        do(kind)
    do(EndShoe)
    do(Post, opening=Opening(70))
    record = loads_record(dumps_record(recorder.record()))
    first, second = record.coups
    assert (record.opening.minimum, first.posted, second.posted) == (1, None, Opening(50))
    assert replay(record).equal


def test_the_history_of_a_coup_names_the_limits_posted_after_it() -> None:
    """The event is a step like any other, with its command."""
    driver = Driver("france-2007")
    journal = MemoryJournal()
    journal.begin(driver.table.state, ())
    driver.table._memory.journal = journal
    driver.shoe(ROUGE)
    driver.do(OpenBets)
    driver.do(VoidCoup, reason="a chip fell")
    driver.do(Post, opening=Opening(50))
    (coup,) = history(journal.entries())
    assert [step.event for step in coup.steps][-1] == OpeningPosted(
        Opening(50), was=driver.table.state.setup.opening
    )


def test_what_is_posted_is_checked_when_a_snapshot_is_restored() -> None:
    """An opening that the house cannot play with is not restored."""
    driver = Driver("italy-half-loss")
    driver.do(Post, opening=driver.house.opening(minimum=10, maximum=100))
    text = snapshot(driver.table).replace('"maximum":100', '"maximum":null')
    with pytest.raises(TrenteError):
        restore(text, load_house("italy-half-loss"))
