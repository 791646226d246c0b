"""Records of sessions: played at random, or by hand, so that they hold all that a record can."""

from __future__ import annotations

from typing import Any

import tomli_w
from tests.properties.shipped import shipped
from tests.table.choosing import Chooser
from tests.table.driving import Driver
from tests.table.watched import Watched

from trente_rules.records import Record, Recorder, loads_record
from trente_rules.records.record import write_table
from trente_rules.table import (
    Choose,
    CloseSession,
    Command,
    Correct,
    EndShoe,
    Event,
    Expose,
    OpenBets,
    Place,
    Settle,
    VoidCoup,
)

REFAIT = (31, 31)


class Kept:
    """A recorder beside a table: it is given each command that the table does."""

    def __init__(self, driver: Driver | Watched) -> None:
        """Stand between a table and whoever drives it."""
        table = driver.table
        self.recorder = Recorder(driver.house, table.state.setup.table, table.state.setup.opening)
        self.steps: list[tuple[Command, tuple[Event, ...]]] = []
        self._do = table.do
        table.do = self.do  # type: ignore[method-assign]
        self._table = table

    def do(self, command: Command) -> tuple[Event, ...]:
        """Do a command, and keep it with its events if it is a new one."""
        known = self._table.entries
        events = self._do(command)
        if self._table.entries != known:
            self.recorder.append(command, events)
            self.steps.append((command, events))
        return events


def random_records(name: str, data: bytes, *, live: bool) -> tuple[Record, ...]:
    """Return the records of a session of a shipped house, played as the bytes say."""
    watched = Watched(shipped(name))
    kept = Kept(watched)
    Chooser(watched, live=live).play(data)
    return kept.recorder.records


def rich_session() -> tuple[Driver, Kept]:
    """Play two shoes: a choice, a correction, a void, a burned card, prisoners carried over."""
    driver = Driver("france-2007")
    kept = Kept(driver)
    driver.shoe((40, 31), REFAIT, (31, 40), REFAIT)
    driver.do(OpenBets, at="21:00")
    driver.do(Place, stake="a1", player="ann", chance="rouge", amount=50)
    driver.do(Place, stake="b1", player="bob", chance="noir", amount=30, insured=True)
    driver.deal()
    driver.do(Settle, at="21:05")
    driver.bet(("ann", "rouge", 51), ("bob", "couleur", 33))
    driver.deal()
    driver.do(Choose, stake="ann-rouge", course="partage")
    driver.do(Settle)
    driver.do(Correct, reason="she wanted prison", choices=(("ann-rouge", "prison"),), at="21:10")
    driver.do(OpenBets)
    driver.deal()
    driver.do(VoidCoup, reason="a row was read twice")
    driver.do(OpenBets)
    driver.deal()
    driver.do(Settle)
    driver.do(EndShoe, at="21:30")
    driver.shoe((31, 40), (35, 35))
    driver.bet(("cy", "inverse", 20))
    driver.do(Expose)
    driver.deal()
    driver.bet(("dora", "noir", 40))
    driver.do(CloseSession, at="22:00")
    return driver, kept


def altered(record: Record, path: tuple[str | int, ...], value: Any) -> Record:
    """Return the record with another value at a place, as a file would have it."""
    table = write_table(record)
    inner: Any = table
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return loads_record(tomli_w.dumps(table))
