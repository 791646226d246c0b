"""Where the tables of a service are kept: with their setups, all or none, whatever happens."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from trente_rules import RecordError, Table, TrenteError
from trente_rules.core.house.loading import load_house
from trente_rules.core.stakes import Opening
from trente_rules.fair import CardSeal, SystemShuffler
from trente_rules.service.messages import Pace, TableSetup
from trente_rules.service.stores import (
    FolderStore,
    MemoryStore,
    PostgresStore,
    Store,
    store_of,
)
from trente_rules.table import Cut, OpenShoe, SqliteJournal, recover

SETUP: Final = TableSetup("salle-3", "france-2007", Opening(10_00), pace=Pace(bets=9000))
KEY: Final = bytes(range(32))
Again = Callable[..., Store]


@pytest.fixture(params=["sqlite", "postgresql"])
def again(request: pytest.FixtureRequest, tmp_path: Path) -> Again:
    """Return what opens one store, again and again."""
    if request.param == "sqlite":
        return lambda seal=None: FolderStore(tmp_path / "tables", seal)
    conninfo: str = request.getfixturevalue("postgres")
    schema: str = request.getfixturevalue("schema")
    return lambda seal=None: PostgresStore(f"{conninfo}#{schema}", seal)


def began(store: Store, setup: TableSetup = SETUP) -> Table:
    """Begin a table in a store."""
    house, opening = load_house(setup.house), Opening(10_00)
    return Table(house, name=setup.table, opening=opening, journal=store.create(setup))


def test_a_table_is_found_again_with_its_setup(again: Again) -> None:
    """Issue 14: tables are created over HTTP, and go on after the restart."""
    store = again()
    assert store.tables() == ()
    table = began(store)
    table.do(OpenShoe.shuffled("c1", 6, SystemShuffler()))
    other = began(store, TableSetup("petite-salle", "france-2007"))
    other._memory.journal.close()  # type: ignore[union-attr]
    table._memory.journal.close()  # type: ignore[union-attr]
    store.close()
    later = again()
    assert later.tables() == ("petite-salle", "salle-3")
    setup, journal = later.open("salle-3")
    assert setup == SETUP
    assert recover(journal).state == table.state
    journal.close()  # type: ignore[attr-defined]
    later.close()


def test_a_name_is_given_once(again: Again) -> None:
    """Another table of the same name is refused, and an unknown one is not made by opening it."""
    store = again()
    table = began(store)
    with pytest.raises(TrenteError) as caught:
        store.create(SETUP)
    assert caught.value.code == "table-exists"
    for name in ("salle-4", "../salle-3", ""):
        with pytest.raises(TrenteError) as caught:
            store.open(name)
        assert caught.value.code == "unknown-table"
    assert store.tables() == ("salle-3",)
    table._memory.journal.close()  # type: ignore[union-attr]
    store.close()


def test_a_journal_that_no_table_began_is_none(again: Again) -> None:
    """A process that died between the two leaves nothing: the name can be given again."""
    store = again()
    store.create(SETUP).close()  # type: ignore[attr-defined]
    assert store.tables() == ()
    table = began(store)
    assert store.tables() == ("salle-3",)
    table._memory.journal.close()  # type: ignore[union-attr]
    store.close()


KILLED: Final = """
import os, signal, sys
from trente_rules.core.house.loading import load_house
from trente_rules.core.stakes import Opening
from trente_rules.service import stores
from trente_rules.service.messages import TableSetup
from trente_rules import Table
from trente_rules.table.journal_sql import SqlJournal

def die(*_arguments, **_how):
    os.kill(os.getpid(), signal.SIGKILL)

store = stores.store_of(sys.argv[1])
step = sys.argv[2]
begin = SqlJournal._begin
def and_die(*arguments):
    begin(*arguments)
    die()
if step == "before":
    SqlJournal._begin = die
elif step == "between":
    SqlJournal._begin = and_die
elif step == "setup":
    stores._row = die
journal = store.create(TableSetup("salle-3", "france-2007"))
if step == "made":
    die()
Table(load_house("france-2007"), opening=Opening(1000), journal=journal)
die()
"""
"""A service that is killed as it makes a table."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
@pytest.mark.parametrize("step", ["made", "before", "between", "setup", "after"])
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_killed_as_a_table_begins(
    kind: str, step: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Issue 14, SIGKILL in the middle: there is a table with its setup, or none of both."""
    where = f"sqlite:{tmp_path / 'tables'}"
    if kind == "postgresql":
        told = dict(each.split("=") for each in request.getfixturevalue("postgres").split())
        where = "postgresql:///postgres?user=postgres&host=" + told["host"].replace("/", "%2F")
        where = f"{where}#{request.getfixturevalue('schema')}"
    run = subprocess.run([sys.executable, "-c", KILLED, where, step], check=False, timeout=60)
    assert run.returncode == -signal.SIGKILL
    store = store_of(where)
    begins = step == "after"
    assert store.tables() == (("salle-3",) if begins else ())
    if begins:
        setup, journal = store.open("salle-3")
        assert setup == TableSetup("salle-3", "france-2007")
        recover(journal)
        journal.close()  # type: ignore[attr-defined]
    else:
        table = began(store)
        table._memory.journal.close()  # type: ignore[union-attr]
        assert store.tables() == ("salle-3",)
    store.close()


def test_a_seal_closes_the_cards_to_come(again: Again) -> None:
    """U: an unsealed journal holds the cards to come; the key of the service seals them."""
    store = again(CardSeal(KEY))
    table = began(store)
    table.do(OpenShoe.shuffled("c1", 6, SystemShuffler()))
    table.do(Cut(id="c2", place=150))
    table._memory.journal.close()  # type: ignore[union-attr]
    store.close()
    closed = again()
    _, journal = closed.open("salle-3")
    with pytest.raises(RecordError) as caught:
        recover(journal)
    assert caught.value.code == "journal-sealed"
    journal.close()  # type: ignore[attr-defined]
    closed.close()
    opened = again(CardSeal(KEY))
    _, journal = opened.open("salle-3")
    assert recover(journal).state == table.state
    journal.close()  # type: ignore[attr-defined]
    opened.close()


def test_a_file_that_cannot_be_read_stops_no_other(tmp_path: Path) -> None:
    """Such a table is listed and says why; nothing is written to it, and the others open."""
    store = FolderStore(tmp_path)
    table = began(store)
    table._memory.journal.close()  # type: ignore[union-attr]
    broken = tmp_path / "salle-9.journal"
    broken.write_bytes(b"no journal" * 1000)
    with SqliteJournal(tmp_path / "salle-8.journal") as foreign:
        Table(load_house("france-2007"), opening=Opening(10_00), journal=foreign)
    (tmp_path / "Not A Name.journal").write_bytes(b"")
    assert store.tables() == ("salle-3", "salle-8", "salle-9")
    for name, code in (("salle-9", "not-a-journal"), ("salle-8", "no-setup")):
        with pytest.raises(RecordError) as caught:
            store.open(name)
        assert caught.value.code == code
        with pytest.raises(TrenteError) as refused:
            store.create(TableSetup(name, "france-2007"))
        assert refused.value.code == "table-exists"
    assert broken.read_bytes() == b"no journal" * 1000
    _, journal = store.open("salle-3")
    assert recover(journal).state == table.state
    journal.close()
    store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_folder_is_private_and_has_one_service(tmp_path: Path) -> None:
    """Security S: the folder is for its owner alone; a second service is refused it."""
    store = FolderStore(tmp_path / "a" / "tables")
    assert stat.S_IMODE((tmp_path / "a" / "tables").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a" / "tables" / "service.lock").stat().st_mode) == 0o600
    with pytest.raises(RecordError) as caught:
        FolderStore(tmp_path / "a" / "tables")
    assert caught.value.code == "store-in-use"
    store.close()
    FolderStore(tmp_path / "a" / "tables").close()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(RecordError) as caught:
        FolderStore(tmp_path / "file")
    assert caught.value.code == "store-unusable"


def test_in_memory_a_table_is_there_until_the_end() -> None:
    """``memory:`` keeps what began, for this process."""
    store = MemoryStore()
    store.create(SETUP)
    assert store.tables() == ()
    table = began(store)
    assert store.tables() == ("salle-3",)
    setup, journal = store.open("salle-3")
    assert (setup, recover(journal).state) == (SETUP, table.state)
    with pytest.raises(TrenteError, match="already"):
        store.create(SETUP)
    with pytest.raises(TrenteError, match="no table"):
        store.open("salle-4")
    store.close()
    assert store.tables() == ()


@pytest.mark.parametrize(
    "text",
    ["", "memory", "memory:x", "sqlite:", "sqlite:/", "mysql://u:secret@h/d", "postgresql:x"],
)
def test_a_bad_address_is_refused(text: str) -> None:
    """What may be written is said, and no password."""
    with pytest.raises(TrenteError) as caught:
        store_of(text)
    assert caught.value.code == "bad-store"
    assert "memory:" in caught.value.hint
    assert "secret" not in str(caught.value)


def test_addresses(tmp_path: Path) -> None:
    """The addresses of ``trente serve --journal``."""
    assert isinstance(store_of("memory:"), MemoryStore)
    folder = store_of(f"sqlite:{tmp_path}")
    assert folder.name == f"sqlite:{tmp_path}"
    folder.close()


def test_a_database_that_is_not_there(postgres: str) -> None:
    """The reason is said, without the password; a bad schema is refused before."""
    nowhere = "postgresql://eve:secret@127.0.0.1:1/none?connect_timeout=2"
    with pytest.raises(RecordError) as caught:
        store_of(nowhere)
    assert caught.value.code == "store-unusable"
    assert "secret" not in str(caught.value)
    with pytest.raises(TrenteError) as refused:
        PostgresStore(f"{postgres}#Bad;name")
    assert refused.value.code == "bad-store"


def test_a_reader_is_beside_a_writer(postgres: str, schema: str) -> None:
    """Several services share the tables: one writes, the others read."""
    store = PostgresStore(f"{postgres}#{schema}", wait=0.05)
    table = began(store)
    with pytest.raises(RecordError) as caught:
        store.open("salle-3")
    assert caught.value.code == "journal-locked"
    setup, journal = store.reader("salle-3")
    assert setup == SETUP
    table.do(OpenShoe.shuffled("c1", 6, SystemShuffler()))
    assert journal.wait(0, timeout=5)
    journal.close()
    table._memory.journal.close()  # type: ignore[union-attr]
