"""A replica of a table that another process writes: the same commands, the same state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from trente_rules import NOIR, ROUGE, Opening, RecordError, Table, load_house
from trente_rules.fair import CardSeal, SystemShuffler
from trente_rules.service.messages import TableSetup
from trente_rules.service.replica import FollowedJournal, Replica
from trente_rules.service.stores import PostgresStore
from trente_rules.table import (
    CloseBets,
    Correct,
    Cut,
    Deal,
    Entry,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
)

SETUP = TableSetup("salle-3", "france-2007", Opening(10_00))


@pytest.fixture
def store(postgres: str, schema: str) -> PostgresStore:
    """Return a store, with sealed journals."""
    return PostgresStore(f"{postgres}#{schema}", CardSeal(bytes(range(32))))


@pytest.fixture
def table(store: PostgresStore) -> Iterator[Table]:
    """Return the table of a writer."""
    journal = store.create(SETUP)
    yield Table(load_house("france-2007"), name="salle-3", opening=Opening(10_00), journal=journal)
    journal.close()


class Onlooker:
    """An observer that keeps what was done."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.seen: list[Entry] = []

    def done(self, table: Table, entries: Sequence[Entry], seconds: float) -> None:
        """Keep entries."""
        del table, seconds
        self.seen += entries

    def refused(self, *_about: object) -> None:
        """Refuse nothing."""
        raise AssertionError


def coups(table: Table, first: int, last: int) -> None:
    """Play coups."""
    if first == 0:
        packs = table.house.shoe.packs
        table.do(OpenShoe.shuffled("shoe", packs, SystemShuffler()))
        table.do(Cut(id="cut", place=100))
        table.do(PlaceMarker(id="marker"))
    for coup in range(first, last):
        table.do(OpenBets(id=f"open-{coup}"))
        for player, chance in (("ann", ROUGE), ("bob", NOIR)):
            name = f"{player}-{coup}"
            place = Place(id=name, stake=name, player=player, chance=chance, amount=20_00)
            if not any(each.owner == player for each in table.state.stakes):
                table.do(place)
        table.do(CloseBets(id=f"close-{coup}"))
        table.do(Deal(id=f"deal-{coup}"))
        table.do(Settle(id=f"settle-{coup}"))


def test_a_replica_sees_what_the_writer_does(store: PostgresStore, table: Table) -> None:
    """Issue 14: each process is in the state of the writer, cards to come too."""
    coups(table, 0, 2)
    _setup, reader = store.reader("salle-3")
    replica = Replica(reader)
    assert replica.table.state == table.state
    seen = Onlooker()
    replica.table.observe(seen)
    before = replica.table.sequence
    coups(table, 2, 8)
    table.do(Correct(id="void", reason="misdeal", void=True))
    assert replica.catch_up() == table.sequence - before
    assert replica.table.state == table.state
    assert replica.table.sequence == table.sequence
    assert [each.sequence for each in seen.seen] == list(range(before + 1, table.sequence + 1))
    assert [each.events for each in seen.seen] == [
        each.events for each in reader.entries(before + 1)
    ]
    assert replica.catch_up() == 0
    replica.close()


def test_a_replica_does_nothing_of_its_own(store: PostgresStore, table: Table) -> None:
    """A command that the journal has not is refused: the writer does it, or nobody."""
    coups(table, 0, 1)
    _setup, reader = store.reader("salle-3")
    replica = Replica(reader)
    with pytest.raises(RecordError) as caught:
        replica.table.do(OpenBets(id="mine"))
    assert caught.value.code == "journal-read-only"
    assert replica.table.state == table.state
    coups(table, 1, 2)
    replica.catch_up()
    assert replica.table.state == table.state
    replica.close()


def test_other_events_are_no_replica(store: PostgresStore, table: Table) -> None:
    """A release that deals otherwise does not follow in silence."""
    coups(table, 0, 1)
    _setup, reader = store.reader("salle-3")
    journal = FollowedJournal(reader)
    first, second = list(reader.entries(4))[:2]
    journal.know([Entry(4, first.round, first.command, first.first_event, second.events)])
    with pytest.raises(RecordError) as caught:
        journal.append([first], table.state)
    assert caught.value.code == "other-events"
    with pytest.raises(RecordError):
        journal.begin(table.state, ())
    reader.close()
