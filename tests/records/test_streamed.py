"""Readers of a journal hold a shoe, not the journal: what they make is that of all its rows."""

from __future__ import annotations

import tracemalloc
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from tests.cli.calling import trente
from tests.properties.shipped import shipped
from tests.table.choosing import Bytes, Chooser
from tests.table.driving import Driver
from tests.table.test_machine import coups
from tests.table.watched import Watched

from trente_rules import Table
from trente_rules.records import Record, Recorder, load_tailles
from trente_rules.records.tailles import records_of_journal
from trente_rules.reports.monitor import monitor
from trente_rules.reports.settlements import (
    Settled,
    WatchedCoup,
    coups_of_events,
    coups_of_journal,
)
from trente_rules.table import (
    CloseBets,
    Command,
    Correct,
    Deal,
    EndShoe,
    Entry,
    OpenBets,
    Place,
    Settle,
    SqliteJournal,
    VoidCoup,
)
from trente_rules.table.history import CoupHistory, history
from trente_rules.testing import opening_of


def commands(house: str, seed: int, *, shoes: int, corrected: bool) -> list[Command]:
    """Return the commands of some shoes, with corrections of earlier coups or without one."""
    table, random = Watched(shipped(house)), Random(seed)  # noqa: S311 - a test
    chooser = Chooser(table, live=False)
    for _shoe in range(shoes):
        coups(chooser, random.randbytes(50))
        if corrected:
            for _time in range(3):
                chooser.give(Correct, Bytes(random.randbytes(20)))
        if table.state.round.coup and "settle" in table.table.allowed():
            table.do(Settle)
        table.do(VoidCoup, reason="a test")
        table.do(EndShoe)
    return table.done


def journal_of(path: Path, house: str, done: Sequence[Command]) -> SqliteJournal:
    """Do commands at a table with a journal; return it."""
    journal = SqliteJournal(path, "normal")
    known = shipped(house)
    table = Table(known, opening=opening_of(known), session="s", journal=journal)
    for command in done:
        table.do(command)
    return journal


def all_at_once(journal: SqliteJournal) -> tuple[Record, ...]:
    """Return the records that a recorder has once it knows every row."""
    recorder = Recorder(shipped(journal.meta["house"]), journal.meta["table"], journal.opening)
    recorder.extend(journal.entries())
    return recorder.records


DRIVES = [
    ("france-2007", 1, True),
    ("italy-prison", 2, True),
    ("monte-carlo-1911", 4, False),
    ("eight-packs-machine", 5, True),
]


@pytest.mark.slow
@pytest.mark.parametrize(("house", "seed", "corrected"), DRIVES)
def test_a_journal_read_coup_by_coup_is_that_read_at_once(
    tmp_path: Path, house: str, seed: int, *, corrected: bool
) -> None:
    """S14: settlements, figures and records are equal, also those that later corrections change."""
    done = commands(house, seed, shoes=5, corrected=corrected)
    path = tmp_path / "t.journal"
    with journal_of(path, house, done) as journal:
        assert any(True for _ in journal.corrections()) == corrected
        events = [event for entry in journal.entries() for event in entry.events]
        wanted, records = list(coups_of_events(events)), all_at_once(journal)
        assert list(coups_of_journal(journal)) == wanted
        assert len(wanted) > 3
        opening, entries = journal.opening, list(journal.entries())
    whole, short = history(entries), history(entries, bets=False)
    assert [shown(coup) for coup in short] == [shown(coup) for coup in whole]
    assert sum(len(coup.steps) for coup in short) < sum(len(coup.steps) for coup in whole)
    known = shipped(house)
    seen = monitor(known, iter(wanted), opening=opening)
    assert seen.total.staked == sum(of for of, _net in lives(wanted))
    assert seen.total.net == sum(net for _of, net in lives(wanted))
    assert tuple(records_of_journal(path)) == records
    for record in records:
        assert list(records_of_journal(path, record.shoe.number)) == [record]


def shown(coup: CoupHistory) -> tuple[object, ...]:
    """Return what is printed of a coup."""
    said = coup.cards, coup.decisions, coup.dealt, coup.outcomes, coup.status
    return (*said, coup.steps[0], coup.steps[-1].at)


def lives(groups: Sequence[WatchedCoup]) -> Iterator[tuple[int, int]]:
    """Yield amount and net of every stake that was placed for a coup, and is over."""
    now: dict[str, list[Settled]] = {}
    for settled in (each for group in groups for each in group.settled):
        if settled.free:
            now[settled.stake] = []
        if settled.stake in now:
            now[settled.stake].append(settled)
            if settled.ended:
                lines = now.pop(settled.stake)
                yield lines[0].amount, sum(line.net for line in lines)


def played(path: Path, shoes: int) -> Path:
    """Write the journal of some shoes, each of six coups with four stakes."""
    driver = Driver("france-2007")
    journal = SqliteJournal(path, "normal")
    driver.table = Table(driver.house, opening=opening_of(driver.house), journal=journal)
    for shoe in range(shoes):
        driver.shoe(*[(31 + (shoe + coup) % 10, 40 - coup) for coup in range(6)])
        for _coup in range(6):
            driver.do(OpenBets)
            for n, chance in enumerate(("rouge", "noir", "couleur", "rouge")):
                name = f"{driver.table.state.events}-{n}"
                driver.do(Place, stake=name, player=f"p{n}", chance=chance, amount=1000)
            for kind in (CloseBets, Deal, Settle):
                driver.do(kind)
        driver.do(EndShoe)
    journal.close()
    return path


@pytest.fixture(scope="module")
def journals(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a journal, and one of three times as many shoes."""
    folder = tmp_path_factory.mktemp("journals")
    return played(folder / "a.journal", 4), played(folder / "b.journal", 12)


def settlements(path: Path) -> Iterator[object]:
    """Yield the settlements of a journal."""
    with SqliteJournal(path, read_only=True) as journal:
        yield from coups_of_journal(journal)


@pytest.mark.slow
@pytest.mark.parametrize("read", [settlements, records_of_journal])
def test_a_reader_of_three_times_the_journal_holds_no_more(
    journals: tuple[Path, Path],
    read: Callable[[Path], Iterator[object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S14: a list of all entries, coups or records would be three times as large."""
    monkeypatch.setattr("trente_rules.table.journal_entries._AT_ONCE", 40)
    most = []
    for journal in (journals[0], *journals):  # first what is made once
        tracemalloc.start()
        assert deque(read(journal), maxlen=1)
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    _once, small, large = most
    assert large < 1.5 * small


@pytest.mark.slow
def test_the_records_of_a_journal_as_json_are_those_that_are_loaded(
    journals: tuple[Path, Path], tmp_path: Path
) -> None:
    """S14: written one after the other, the text is one object, and of several files too."""
    one = trente("record", "--format", "json", journals[0])
    assert len(one.json["records"]) == len(load_tailles(journals[0]).records) == 4
    longer = trente("record", "--format", "json", journals[1])
    both = trente("record", "--format", "json", *journals)  # the longer one begins with the same
    assert both.json["records"] == one.json["records"] + longer.json["records"][4:]
    assert both.json["permanences"] == []
    noted = tmp_path / "p.txt"
    noted.write_text("33 31 r\n")
    mixed = trente("record", "--format", "json", noted)
    assert mixed.json["records"] == []
    assert len(mixed.json["permanences"]) == 1
    assert mixed.out.startswith('{\n  "records": [],\n  "permanences": [\n    {\n')
    numbers = Counter(record["shoe"]["number"] for record in both.json["records"])
    assert numbers == dict.fromkeys(range(1, 13), 1)
    assert all(a.startswith(" ") or a in "{}" for a, _b in pairwise(one.out.splitlines()))


def test_the_record_of_one_shoe_is_made_from_its_own_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no correction touches it, rows of other shoes are not read; the record is the same."""
    path = tmp_path / "two.db"
    journal = journal_of(path, "france-2007", commands("france-2007", 3, shoes=2, corrected=False))
    whole = all_at_once(journal)
    journal.close()
    read: list[int] = []
    since = SqliteJournal.since

    def noted(self: SqliteJournal, shoe: int) -> Iterator[Entry]:
        read.append(shoe)
        return since(self, shoe)

    monkeypatch.setattr(SqliteJournal, "since", noted)
    assert list(records_of_journal(path, 2)) == [whole[1]]
    assert read == [2]
