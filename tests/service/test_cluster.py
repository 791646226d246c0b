"""Several processes that share the tables of one database, over real sockets; writers are killed.

Players at all of them see the same events in the same order, and money is exact.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import evolve
from tests.service.bad_wallet import KEY as WALLET_KEY
from tests.service.bad_wallet import BadWallet, lottery, serving
from tests.service.cashier_stage import START, until
from tests.service.service_process import SETUP, ServiceProcess, WebPlayer
from tests.service.test_kills import NAMES, Place, check, ended, exact_books, moved, rounds

from trente_rules.service.messages import Pace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]


SLOWER: Final = evolve(SETUP, pace=Pace(bets=250, cut=50, choices=50, card=3))
"""A table with time for a bet from the other process on a busy machine."""


@pytest.fixture
def place(postgres: str, schema: str, tmp_path: Path) -> Place:
    """Return a database for tables."""
    return Place(tmp_path, postgres, schema)


def shared(
    place: Place,
    run: Callable[[ServiceProcess, ServiceProcess], Coroutine[Any, Any, None]],
    *options: str,
) -> None:
    """Run two processes on one database."""
    processes = [ServiceProcess(place.folder, place.option, *options).start() for _ in "12"]
    try:
        asyncio.run(run(*processes))
    finally:
        for each in processes:
            each.end(signal.SIGKILL)
            sys.stdout.write(each.log)


def at(*services: ServiceProcess) -> Callable[[], Sequence[int]]:
    """Return the ports of services, the first one first."""
    return lambda: [each.port for each in services]


def same_events(players: Sequence[WebPlayer]) -> None:
    """Check that what is shown to all is the same for all, in the same order."""
    shown = [each.shown for each in players]
    common = set.intersection(*map(set, shown))
    assert len(common) > 20
    for index in common:
        assert len({each[index] for each in shown}) == 1
    for each in shown:
        assert list(each) == sorted(each)


def test_a_writer_is_killed_and_nobody_at_the_other_notices(place: Place) -> None:
    """Issue 14: one writer, events by NOTIFY; kill -9 the writer: the other takes over."""
    took: list[float] = []
    players: list[WebPlayer] = []

    async def run(one: ServiceProcess, two: ServiceProcess) -> None:
        await one.create(SLOWER)
        players[:] = [
            WebPlayer("ann", at(one, two)),
            WebPlayer("bob", at(one, two)),
            WebPlayer("cleo", at(two)),
            WebPlayer("dora", at(two)),
        ]
        tasks = [asyncio.create_task(each.play()) for each in players]
        await rounds(players, 3)
        await until(lambda: all(each.done for each in players))  # at the other process, too
        await asyncio.to_thread(one.end, signal.SIGKILL)
        killed = time.monotonic()
        await rounds(players[2:], 1)
        took.append(time.monotonic() - killed)
        await rounds(players, 3)
        await ended(players, tasks)

    shared(place, run)
    check(place, players)
    same_events(players)
    for player in players[2:]:  # a pause, and nothing else
        assert (player.connections, player.states) == (1, 1)
    for player in players[:2]:
        assert player.connections == 2
        assert player.states == 1
    assert took[0] < 5
    sys.stdout.write(f"taken over in {took[0]:.2f} s\n")


def test_a_process_that_stops_hands_its_tables_over(place: Place) -> None:
    """A rolling restart: each process is stopped in turn, and the tables go on."""
    players: list[WebPlayer] = []

    async def run(one: ServiceProcess, two: ServiceProcess) -> None:
        await one.create(SLOWER)
        players[:] = [WebPlayer("ann", at(one, two)), WebPlayer("bob", at(two, one))]
        tasks = [asyncio.create_task(each.play()) for each in players]
        await rounds(players, 2)
        for each in (one, two):
            await asyncio.to_thread(each.end, signal.SIGTERM)
            await asyncio.to_thread(each.start)
            await rounds(players, 2)
        await ended(players, tasks)

    shared(place, run)
    check(place, players)
    same_events(players)


def test_any_process_serves_every_table(place: Place) -> None:
    """A table made at one appears at the other; staff may work at either."""

    async def run(one: ServiceProcess, two: ServiceProcess) -> None:
        await one.create()
        async with asyncio.timeout(10):
            while not await two.ask("GET", "/api/tables"):  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.05)
        made = await two.ask("POST", "/api/tables", SETUP.to_json())
        assert made["table"] == SETUP.table
        closed = await two.ask("POST", f"/api/tables/{SETUP.table}/close")
        assert closed["closed"]
        async with asyncio.timeout(5):
            while not (await one.ask("GET", "/api/tables"))[0]["closed"]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    shared(place, run)


@pytest.mark.nightly
def test_a_wallet_is_exact_though_its_writer_is_killed(place: Place) -> None:
    """Two processes, one wallet that fails, kill -9 of the writer, again and again."""
    key = place.folder / "wallet.key"
    key.write_text(WALLET_KEY)
    key.chmod(0o600)
    wallet = BadWallet(dict.fromkeys(NAMES, START), lottery(5, 0.2))
    players: list[WebPlayer] = []

    async def run(one: ServiceProcess, two: ServiceProcess) -> None:
        await one.create(SLOWER)
        players[:] = [WebPlayer(name, at(one, two)) for name in NAMES]
        tasks = [asyncio.create_task(each.play()) for each in players]
        for each in (one, two, one, two):
            await rounds(players, 2, 60)
            await asyncio.to_thread(each.end, signal.SIGKILL)
            await asyncio.to_thread(each.start)
        await rounds(players, 2, 60)
        await ended(players, tasks)
        await until(lambda: wallet.moved == moved(place))
        await asyncio.sleep(0.1)  # calls that come late

    with serving(wallet) as url:
        shared(place, run, "--wallet", url, "--wallet-key-file", str(key))
    check(place, players)
    exact_books(place, wallet)


@pytest.mark.nightly
def test_a_writer_that_hangs_loses_its_tables(place: Place) -> None:
    """SIGSTOP: after 15 s without a heartbeat another one writes; the first follows when awake."""
    players: list[WebPlayer] = []

    async def run(one: ServiceProcess, two: ServiceProcess) -> None:
        await one.create(SLOWER)
        players[:] = [WebPlayer("cleo", at(two)), WebPlayer("dora", at(two))]
        tasks = [asyncio.create_task(each.play()) for each in players]
        await rounds(players, 2)
        assert one.process is not None
        one.process.send_signal(signal.SIGSTOP)
        await rounds(players, 3, 60)
        one.process.send_signal(signal.SIGCONT)
        late = WebPlayer("ann", at(one))
        players.append(late)
        tasks.append(asyncio.create_task(late.play()))
        await rounds(players, 3, 60)
        await ended(players, tasks)

    shared(place, run)
    check(place, players)
    same_events(players)
