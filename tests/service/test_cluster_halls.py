"""Two halls on one database, in one loop: who is where, who is ready, what a table waits for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.service.cashier_stage import until
from tests.service.hosting import Onlooker

from trente_rules.core.errors import PhaseError, RecordError, TrenteError
from trente_rules.fair import SeededShuffler
from trente_rules.service import cluster as clusters
from trente_rules.service import hall as hall_module
from trente_rules.service.bus import Bus
from trente_rules.service.cluster import Beats, Cluster, Followed
from trente_rules.service.hall import Hall
from trente_rules.service.messages import Pace, TableSetup
from trente_rules.service.stores import FolderStore, PostgresStore, is_closing
from trente_rules.service.tokens import Tokens
from trente_rules.table import Audience, Journal

SETUP = TableSetup("salle-3", "france-2007", pace=Pace())


async def opened(conninfo: str, number: int) -> Hall:
    """Open a hall on a database, as the one of a number."""
    store = PostgresStore(conninfo, wait=0.2)
    hall = Hall(store, shuffler=lambda _table: SeededShuffler(bytes(16), test=True))
    hall.cluster = Cluster(hall, store, Tokens(bytes(32)), f"http://127.0.0.1:{number}")
    await hall.open()
    return hall


@asynccontextmanager
async def halls(conninfo: str) -> AsyncIterator[tuple[Hall, Hall]]:
    """Open two halls on one database; nobody forwards between them."""
    made = [await opened(conninfo, number) for number in (1, 2)]
    try:
        yield made[0], made[1]
    finally:
        for hall in made:
            await hall.stop()


async def found(hall: Hall) -> None:
    """Wait until a hall has the table."""
    await until(lambda: any(each.setup.table == "salle-3" for each in hall.tables))


def cut(hall: Hall) -> bool:
    """Cut at a hall; return whether its croupier, who has just come, took it."""
    try:
        hall.give("salle-3", "cut", 100)
    except PhaseError:
        return False
    return True


def test_players_at_two_halls_play_one_table(postgres: str, schema: str) -> None:
    """A coup waits for the players of all processes, and all see its clock and its events."""

    async def run() -> None:
        async with halls(f"{postgres}#{schema}") as (one, two):
            await one.create(SETUP)
            await found(two)
            here, there = one.table("salle-3"), two.table("salle-3")
            assert (here.remote is None, there.remote is None) == (True, False)
            ann = await Onlooker.at(here, "ann")
            bob = await Onlooker.at(there, "bob")
            await until(lambda: set(here.players) == {"ann", "bob"})
            for each in (ann, bob):
                await each.waits_for("cut")
            with pytest.raises(PhaseError):
                there.remote.give("marker", 5)  # type: ignore[union-attr]
            there.remote.give("cut", 100)  # type: ignore[union-attr]
            for each in (ann, bob):
                await each.waits_for("bets")
            assert bob.count("cut-made") == 1
            await ann.place("rouge", 20_00)
            here.set_ready("ann", ready=True)
            await asyncio.sleep(0.2)
            assert ann.count("coup-dealt") == 0  # bob has not said so
            there.set_ready("bob", ready=True)
            for each in (ann, bob):
                await each.until(lambda each: each.count("coup-dealt") == 1)
            assert [e["index"] for e in ann.events if e["kind"] == "coup-dealt"] == [
                e["index"] for e in bob.events if e["kind"] == "coup-dealt"
            ]
            await bob.waits_for("bets")
            await until(lambda: here.connected == {"ann": False} and not here.all_ready)
            bob.gone()
            await until(lambda: set(here.players) == {"ann"})

    asyncio.run(run())


def test_a_look_while_a_table_is_made_takes_it_for_nobody_elses(
    postgres: str, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lock is held before the table is there: the process must not follow itself."""
    looks = 0

    async def run() -> None:
        async with halls(f"{postgres}#{schema}") as (one, two):
            loop = asyncio.get_running_loop()

            def looked(journal: Journal, name: str) -> bool:
                nonlocal looks
                assert one.cluster is not None
                asyncio.run_coroutine_threadsafe(one.cluster.look(), loop).result(10)
                looks += 1
                return is_closing(journal, name)

            monkeypatch.setattr(hall_module, "is_closing", looked)
            made, new = await one.create(SETUP)
            assert new
            assert one.table("salle-3") is made
            assert made.remote is None
            await found(two)
            assert two.table("salle-3").remote is not None

    asyncio.run(run())
    assert looks == 1


def test_a_table_that_cannot_be_hosted_lets_its_journal_go(
    postgres: str, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks next takes it over."""

    async def run() -> None:
        async with halls(f"{postgres}#{schema}") as (one, _two):

            def fails(_journal: Journal, _name: str) -> bool:
                raise TrenteError("the disk is full", "journal-fails")

            with monkeypatch.context() as patched:
                patched.setattr(hall_module, "is_closing", fails)
                with pytest.raises(TrenteError, match="disk"):
                    await one.create(SETUP)
            await found(one)

    asyncio.run(run())


def test_a_table_that_was_not_taken_over_is_followed_where_another_process_has_it(
    postgres: str, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One take-over fails on a full disk; then a third process writes the table."""
    tried = 0

    def fails(_journal: Journal, _name: str) -> bool:
        nonlocal tried
        tried += 1
        raise TrenteError("the disk is full", "journal-fails")

    async def run() -> None:
        async with halls(f"{postgres}#{schema}") as (one, two):
            await one.create(SETUP)
            await found(two)
            with monkeypatch.context() as patched:
                patched.setattr(hall_module, "is_closing", fails)
                await one.stop()
                await until(lambda: tried > 0)
            three = await opened(f"{postgres}#{schema}", 3)
            try:
                here, there = three.table("salle-3"), two.table("salle-3")
                assert here.remote is None
                ann = await Onlooker.at(here, "ann")
                await ann.waits_for("cut")
                await until(lambda: cut(three))
                await ann.waits_for("bets")
                await until(lambda: there.table.sequence == here.table.sequence)
                assert there.remote is not None
                assert not two.failures
            finally:
                await three.stop()

    asyncio.run(run())


def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each table take a while to begin."""
    begun = Hall._begun

    def slow(hall: Hall, setup: TableSetup) -> Any:
        time.sleep(0.3)
        return begun(hall, setup)

    monkeypatch.setattr(Hall, "_begun", slow)


def test_a_table_is_made_though_who_asked_for_it_is_gone(
    postgres: str, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its journal is begun by then: it is written here, and asking again returns it."""
    slowly(monkeypatch)

    async def run() -> None:
        async with halls(f"{postgres}#{schema}") as (one, _two):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(one.create(SETUP), 0.05)
            made, new = await one.create(SETUP)
            assert not new
            assert made.remote is None

    asyncio.run(run())


def test_a_hall_that_stops_finishes_the_table_that_it_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal is let go of, so that the next process has the table."""
    slowly(monkeypatch)

    async def run() -> None:
        one = Hall(FolderStore(tmp_path / "tables"))
        await one.open()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(one.create(SETUP), 0.05)
        await one.stop()
        assert [each.setup for each in one.tables] == [SETUP]
        two = Hall(FolderStore(tmp_path / "tables"))
        await two.open()
        assert two.table("salle-3").setup == SETUP
        await two.stop()

    asyncio.run(run())


def test_who_comes_from_another_process_does_not_go_back_in_time(
    postgres: str, schema: str
) -> None:
    """A process that is behind the writer catches up before it shows the table."""

    async def run() -> None:
        async with halls(f"{postgres}#{schema}") as (one, two):
            await one.create(SETUP)
            await found(two)
            here, there = one.table("salle-3"), two.table("salle-3")
            ann = await Onlooker.at(here, "ann")
            await ann.waits_for("cut")
            assert isinstance(there.remote, Followed)
            async with there.remote.lock:  # nothing is seen at the other one meanwhile
                await until(lambda: cut(one))
                await ann.waits_for("bets")
                last = ann.events[-1]["index"]
                assert last >= there.table.state.events
                coming = asyncio.create_task(Onlooker.at(there, "ann", after=last))
                await asyncio.sleep(0.2)
            again = await coming
            await again.waits_for("bets")
            assert [each["kind"] for each in again.messages].count("state") == 0
            assert all(each["index"] > last for each in again.events)

    asyncio.run(run())


def test_a_writer_is_silent_by_a_clock_that_never_goes_back() -> None:
    """Issue 17: the clock of the server jumps, forwards or back; heartbeats are only compared."""
    beats = Beats()
    assert beats.silent("a", 7, None, 100.0) == 0.0
    assert beats.silent("a", 7, "12:00:00", 100.0) == 0.0
    assert beats.silent("a", 7, "12:00:00", 116.0) == 16.0
    assert beats.silent("a", 7, "03:00:00", 117.0) == 0.0  # the clock went back: it is alive
    assert beats.silent("a", 7, "03:00:00", 120.0) == 3.0
    assert beats.silent("a", 8, "03:00:00", 121.0) == 0.0  # another one has the lock
    assert beats.silent("b", 8, "03:00:00", 140.0) == 0.0


def test_no_table_is_taken_over_as_the_clock_of_the_server_jumps(
    postgres: str, schema: str
) -> None:
    """Issue 17: a heartbeat that seems to be an hour old is not the end of a living writer."""

    async def run() -> None:
        async with halls(f"{postgres}#{schema}") as (one, two):
            await one.create(SETUP)
            await found(two)
            there = two.table("salle-3")
            with psycopg.connect(postgres, autocommit=True) as server:
                jump = f"UPDATE {schema}.host_writers SET at = at - interval '1 hour'"  # noqa: S608 - our name
                for _ in range(8):
                    server.execute(jump.encode())
                    await asyncio.sleep(0.1)
            assert there.remote is not None
            assert one.table("salle-3").remote is None

    asyncio.run(run())


def test_a_bus_that_is_closed_connects_no_more(
    postgres: str, schema: str, caplog: pytest.LogCaptureFixture
) -> None:
    """What a late thread says at the end of a service opens no connection that nobody closes."""
    bus = Bus(PostgresStore(f"{postgres}#{schema}"), lambda _channel, _payload: None)
    assert bus.ask("SELECT 1") == [(1,)]
    bus.close()
    with pytest.raises(RecordError, match="the service stops") as caught:
        bus.ask("SELECT 1")
    assert caught.value.code == "store-unusable"
    bus.say({"kind": "bye"})
    assert caplog.records == []


def test_a_hall_that_stops_is_succeeded(postgres: str, schema: str) -> None:
    """The other one takes the table over at once, and says so to its own players."""

    async def run() -> None:
        async with halls(f"{postgres}#{schema}") as (one, two):
            await one.create(SETUP)
            await found(two)
            there = two.table("salle-3")
            bob = await Onlooker.at(there, "bob")
            await bob.waits_for("cut")
            sequence = there.sequence
            await one.stop()
            await until(lambda: there.remote is None)
            assert there.sequence == sequence
            assert two.croupier("salle-3") is not None
            await bob.waits_for("cut")
            await until(lambda: cut(two))
            await bob.waits_for("bets")
            await bob.place("noir", 20_00)
            there.set_ready("bob", ready=True)
            await bob.until(lambda each: each.count("coup-dealt") == 1)

    asyncio.run(run())


def test_a_table_is_made_at_one_of_two_at_the_same_time(postgres: str, schema: str) -> None:
    """Both ask for it; one makes it, and both have it."""

    async def run() -> None:
        async with halls(f"{postgres}#{schema}") as (one, two):
            made = await asyncio.gather(one.create(SETUP), two.create(SETUP))
            assert sorted(new for _hosted, new in made) == [False, True]
            assert sorted(hosted.remote is None for hosted, _new in made) == [False, True]

    asyncio.run(run())


def test_a_writer_that_loses_its_lock_follows(postgres: str, schema: str) -> None:
    """Whoever was fenced off deals no more: it reads what the new writer does."""

    async def run() -> None:
        async with halls(f"{postgres}#{schema}") as (one, two):
            hosted, _new = await one.create(SETUP)
            await found(two)
            cluster = two.cluster
            assert cluster is not None
            there = two.table("salle-3")
            backend = hosted.journal.backend  # type: ignore[union-attr]
            await asyncio.to_thread(cluster._bus.ask, "SELECT pg_terminate_backend(%s)", (backend,))
            await until(lambda: hosted.remote is not None and there.remote is None)
            ann = await Onlooker.at(hosted, "ann")
            bob = await Onlooker.at(there, "bob")
            for each in (ann, bob):
                await each.waits_for("cut")
            await until(lambda: cut(two))
            for each in (ann, bob):
                await each.waits_for("bets")
            assert one.croupier("salle-3") is None

    asyncio.run(run())


def test_a_clock_that_was_not_heard_is_said_again(
    postgres: str, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bus may lose a message: players at the other hall see what the table waits for."""
    monkeypatch.setattr(clusters, "_BEAT", 0.2)
    say, deaf = Bus.say, [True]

    def lossy(bus: Bus, message: Mapping[str, Any]) -> None:
        if not (deaf[0] and message["kind"] == "clock"):
            say(bus, message)

    async def run() -> None:
        async with halls(f"{postgres}#{schema}") as (one, two):
            await one.create(SETUP)
            await found(two)
            ann = await Onlooker.at(one.table("salle-3"), "ann")
            await ann.waits_for("cut")
            monkeypatch.setattr(Bus, "say", lossy)
            await until(lambda: cut(one))
            await ann.waits_for("bets")
            await asyncio.sleep(0.3)
            bob = await Onlooker.at(two.table("salle-3"), Audience.DEALER)
            deaf[0] = False
            await bob.waits_for("bets")
            await asyncio.sleep(0.7)
            assert not [each for each in bob.reader.waiting if '"clock"' in each]  # known by now

    asyncio.run(run())
