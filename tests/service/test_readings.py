"""Every reading, in any house: no card to come, nothing of another player, a value of JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import pytest
from attrs import evolve
from hypothesis import strategies as st
from tests.properties.meeting import meets
from tests.properties.shipped import any_house
from tests.table.choosing import Chooser
from tests.table.driving import Driver
from tests.table.test_machine import BURST, coups
from tests.table.test_secrets import with_other_cards
from tests.table.watched import Watched

from trente_rules import House, Shoe, Table, TrenteError
from trente_rules.service.endpoint_table import ENDPOINTS
from trente_rules.service.messages import message_converter
from trente_rules.service.readings import READINGS
from trente_rules.service.table_notes import TableNotes
from trente_rules.table import (
    Audience,
    Deal,
    EndShoe,
    MemoryJournal,
    OpenBets,
    OpenShoe,
    Place,
    Settle,
)
from trente_rules.table.commands import CloseBets
from trente_rules.table.events import StakePlaced
from trente_rules.table.views import Viewer

STAFF: Final = ("dealer", "monitor", "journal/{shoe}/{coup}", "movements")
"""What no player is given: the roles of its endpoint keep it from them."""


def written(table: Table, path: str, viewer: Viewer, **more: Any) -> Any:
    """Return a reading as JSON, or the code of why there is none."""
    state = table.state
    asked = {"shoe": str(state.shoe_number), "coup": str(max(state.coup_number - 1, 1))}
    try:
        value = READINGS[path].read(table, viewer, {**asked, "language": "en"}, **more)
    except TrenteError as error:
        return error.code
    return json.loads(json.dumps(message_converter().unstructure(value), allow_nan=False))


def words(value: Any) -> Iterator[str]:
    """Yield every text in a value of JSON, and every key."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from words(each)
    elif isinstance(value, list):
        for each in value:
            yield from words(each)
    elif isinstance(value, str):
        yield value


def twin_of(table: Table) -> Table:
    """Return a table that differs in the cards to come alone, also in what opened its shoes."""
    entries = [
        evolve(each, command=evolve(each.command, cards=each.command.cards[::-1]))
        if isinstance(each.command, OpenShoe) and isinstance(each.command.cards, tuple)
        else each
        for each in table.entries
    ]
    state = table.state
    other = with_other_cards(state) if isinstance(state.shoe, Shoe) else state
    return Table(state.setup.house, state=other, entries=entries)


def look(table: Table, met: Counter[str]) -> None:
    """Ask for everything, as everybody."""
    twin = twin_of(table)
    others = {
        name
        for entry in table.entries
        for event in entry.events
        if isinstance(event, StakePlaced) and event.stake.owner != "ann"
        for name in (event.stake.owner, event.stake.id)
    }
    for path in READINGS:
        for viewer in ("ann", *Audience):
            told = written(table, path, viewer)
            assert told == written(twin, path, viewer), (path, viewer)
            met[f"{path} {told if isinstance(told, str) else 'read'}"] += 1
            if viewer is not Audience.DEALER and path not in STAFF:
                assert not others & set(words(told)), (path, viewer)


MISSES: Final = dict.fromkeys(
    ("houses", "tables"), "each takes seconds; tests.table.test_machine drives those of each case"
)


@pytest.mark.slow
@pytest.mark.meets
def test_no_reading_knows_a_card_to_come_or_another_player() -> None:
    """S16, issue 11: any table in any house, for each viewer; every value is one of JSON."""
    met: Counter[str] = Counter()

    @meets(
        house=any_house(), bursts=st.lists(BURST, min_size=2, max_size=4), examples=6, misses=MISSES
    )
    def drive(house: House, bursts: list[bytes]) -> None:
        journal = MemoryJournal()
        table = Watched(house, journal=journal)
        chooser, notes = Chooser(table, live=False), TableNotes(table.table, journal)
        for burst in bursts:
            coups(chooser, burst)
            notes.now("ann")
        look(table.table, met)
        fresh, kept = (
            written(table.table, "statistics", "ann", journal=journal, notes=each)
            for each in (None, notes)
        )
        assert fresh == kept

    drive()
    assert {f"{path} read" for path in READINGS} <= set(met)


def test_each_endpoint_that_reads_a_table_has_its_reading() -> None:
    """The contract and the readings name the same paths."""
    begin = "/api/tables/{table}/"
    named = {
        each.path.removeprefix(begin)
        for each in ENDPOINTS
        if each.path.startswith(begin) and each.group == "Readings" and each.name != "events"
    }
    assert named == set(READINGS)


def test_what_the_staff_reads_is_not_for_players() -> None:
    """Issue 11: monitor, journal and movements are for supervisor and auditor."""
    roles = {each.path.partition("{table}/")[2]: each.roles for each in ENDPOINTS}
    for path in STAFF:
        assert "player" not in roles[path]


def test_a_coup_that_was_never_dealt_is_unknown() -> None:
    """Replay and journal of a coup of another session: "unknown-coup"."""
    driver = Driver("france-2007")
    for path in ("history/{shoe}/{coup}", "journal/{shoe}/{coup}"):
        assert written(driver.table, path, "ann") == "unknown-coup"
    with pytest.raises(TrenteError) as refused:
        READINGS["house"].read(driver.table, "ann", {"language": "xx"})
    assert refused.value.code == "unknown-language"


def test_the_past_comes_from_the_journal_where_the_table_forgot_it() -> None:
    """Issue 11: history of every coup; a table remembers three shoes, its journal all."""
    journal = MemoryJournal()
    driver = Driver("germany-500")
    driver.table = Table(driver.house, opening=driver.table.state.opening, journal=journal)
    notes = TableNotes(driver.table, journal)
    for shoe in range(1, 6):
        driver.shoe((33, 31), (31, 32))
        for coup in range(1, 3):
            driver.do(OpenBets)
            driver.do(Place, stake=f"{shoe}-{coup}", player="ann", chance="rouge", amount=500)
            for kind in (CloseBets, Deal, Settle):
                driver.do(kind)
        driver.do(EndShoe)
        assert written(driver.table, "statistics", "ann", journal=journal, notes=notes) == written(
            driver.table, "statistics", "ann", journal=journal
        )
    table = driver.table
    assert len(written(table, "history", "ann")) == 6
    told = written(table, "history", "ann", journal=journal)
    assert [(each["shoe"], each["coup"]) for each in told] == [
        (shoe, coup) for shoe in range(1, 6) for coup in (1, 2)
    ]
    assert [each["net"] for each in told] == [500, -500] * 5
    asked = {"shoe": "1", "coup": "2", "language": "en"}
    first = READINGS["history/{shoe}/{coup}"].read(table, "ann", asked, journal)
    assert first.coup.lines[0].stake == "1-2"
    assert first.events[0].event.kind == "bets-opened"
    own = written(table, "statistics", "ann", journal=journal)["session"]["own"]
    assert (own["won"], own["lost"], own["staked"], own["net"]) == (5, 5, 5000, 0)
    assert len(written(table, "movements", Audience.DEALER, journal=journal)["movements"]) > 8
    assert written(table, "monitor", Audience.DEALER, journal=journal)["coups"] == 10
