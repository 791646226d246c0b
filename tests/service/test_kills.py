"""The service killed in the middle: players reconnect and go on, and money is exact."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Final

import pytest
from tests.service.bad_wallet import KEY as WALLET_KEY
from tests.service.bad_wallet import BadWallet, lottery, serving
from tests.service.cashier_stage import START, until
from tests.service.service_process import SETUP, ServiceProcess, WebPlayer

from trente_rules.service.stores import PostgresStore
from trente_rules.table import SqliteJournal
from trente_rules.table.journal_sql import SqlJournal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]
_KILLS: Final = 10
"""Kills of a nightly test: it has to end within three minutes on a busy machine."""
NAMES: Final = ("ann", "bob", "cleo", "dora")


class Place:
    """Where the tables of a service are kept."""

    def __init__(self, folder: Path, conninfo: str = "", schema: str = "") -> None:
        """Keep them in a folder, or in a database."""
        self.folder = folder
        self._store = f"{conninfo}#{schema}" if conninfo else ""

    @property
    def option(self) -> str:
        """The place as ``--journal`` takes it."""
        return address(self._store) if self._store else f"sqlite:{self.folder / 'tables'}"

    @contextmanager
    def journal(self, table: str = SETUP.table) -> Iterator[SqlJournal]:
        """Open the journal of a table to read."""
        found: SqlJournal
        if self._store:
            _, found = PostgresStore(self._store).reader(table)
        else:
            found = SqliteJournal(self.folder / "tables" / f"{table}.journal", read_only=True)
        with found:
            yield found


def address(conninfo: str) -> str:
    """Return how to connect as an address."""
    told, _, schema = conninfo.partition("#")
    parts = dict(each.split("=") for each in told.split())
    host = parts["host"].replace("/", "%2F")
    return f"postgresql:///{parts['dbname']}?user={parts['user']}&host={host}#{schema}"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Return a place for tables, of each kind."""
    if request.param == "sqlite":
        return Place(tmp_path)
    return Place(tmp_path, *map(request.getfixturevalue, ("postgres", "schema")))


def check(place: Place, players: Sequence[WebPlayer], table: str = SETUP.table) -> None:
    """Check what every player has seen against the journal."""
    with place.journal(table) as journal:
        journal.check()
        entries = list(journal.entries())
        for player in players:
            assert player.faults == []
            assert player.last is not None
            seen = (each for each in entries if each.first_event <= player.last)
            moved = (movement for each in seen for movement in each.movements)
            assert player.account == sum(each.units for each in moved if each.player == player.name)
            for id_ in player.done:  # no accepted bet is lost
                assert journal.find(player.name, id_) is not None
            done = [id_ for id_, code in player.refused if journal.find(player.name, id_)]
            assert set(done) <= set(player.done)
    shared: dict[int, str] = {}
    for player in players:
        indices = [index for index, _kind, _text in player.events]
        assert indices == sorted(set(indices))
        for index, text in player.shown.items():
            assert shared.setdefault(index, text) == text


async def rounds(players: Sequence[WebPlayer], number: int, seconds: float = 30) -> None:
    """Wait until every player has seen so many more rounds."""
    before = [len(each.rounds) for each in players]
    goals = [(each, seen + number) for each, seen in zip(players, before, strict=True)]
    async with asyncio.timeout(seconds):
        while any(len(each.rounds) < goal for each, goal in goals):  # noqa: ASYNC110 - of sockets
            await asyncio.sleep(0.02)


async def ended(players: Sequence[WebPlayer], tasks: Sequence[asyncio.Task[None]]) -> None:
    """Let players leave, and raise what one of them raised."""
    for player in players:
        player.stop()
    async with asyncio.timeout(20):
        await asyncio.gather(*tasks)


def killed(place: Place, kills: Sequence[tuple[float, int]], *options: str) -> list[WebPlayer]:
    """Kill a service so often, each time after some seconds, by a signal; return its players."""
    service = ServiceProcess(place.folder, place.option, *options).start()
    players = [WebPlayer(name, lambda: [service.port]) for name in NAMES]

    async def run() -> None:
        await service.create()
        tasks = [asyncio.create_task(each.play()) for each in players]
        await rounds(players, 2)
        for seconds, how in kills:
            await asyncio.sleep(seconds)
            status = await asyncio.to_thread(service.end, how)
            assert status in ((-how,) if how == signal.SIGKILL else (0, -how)), service.log
            await asyncio.to_thread(service.start)
            await rounds(players, 2)
        await ended(players, tasks)

    try:
        asyncio.run(run())
    finally:
        service.end()
    check(place, players)
    return players


def test_killed_and_stopped_in_the_middle(place: Place) -> None:
    """Issue 14: SIGKILL, then a graceful stop; players go on, no bet is lost, money is exact."""
    players = killed(place, [(0.2, signal.SIGKILL), (0.1, signal.SIGTERM)])
    for player in players:
        assert player.connections > 2
        assert player.states == 1  # it went on from the last index seen
        assert player.done
    players[0].account += 1  # and the check finds a unit that is lost
    with pytest.raises(AssertionError):
        check(place, players)


def with_wallet(place: Place, kills: Sequence[tuple[float, int]], rate: float) -> BadWallet:
    """Kill a service whose players bet from a wallet that fails; return the wallet at the end."""
    key = place.folder / "wallet.key"
    key.write_text(WALLET_KEY)
    key.chmod(0o600)
    wallet = BadWallet(dict.fromkeys(NAMES, START), lottery(9, rate))
    with serving(wallet) as url:
        options = ("--wallet", url, "--wallet-key-file", str(key))
        killed(place, kills, *options)
        service = ServiceProcess(place.folder, place.option, *options).start()
        try:  # what is due at the end is paid without any player
            asyncio.run(until(lambda: wallet.moved == moved(place)))
            time.sleep(0.1)  # calls that come late
        finally:
            service.end()
    return wallet


def moved(place: Place) -> dict[str, tuple[str, int]]:
    """Return the movements of the journal, as the wallet must have them."""
    with place.journal() as journal:
        return {each.id: (each.player, each.units) for each in journal.movements()}


def exact_books(place: Place, wallet: BadWallet) -> None:
    """Check that a wallet's books are those of the journal."""
    due = moved(place)
    assert wallet.moved == due
    for name, units in wallet.accounts.items():
        assert units == START + sum(each for player, each in due.values() if player == name)
    assert wallet.counts["other content"] == 0
    assert len(due) > len(NAMES)


def test_killed_with_a_wallet(tmp_path: Path) -> None:
    """Issue 14: a bad wallet, and SIGKILL: its books are those of the journal, for every player."""
    place = Place(tmp_path)
    exact_books(place, with_wallet(place, [(0.2, signal.SIGKILL)], 0.2))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
def test_killed_many_times_with_a_wallet(place: Place, seed: int) -> None:
    """The same, often, and in PostgreSQL, too."""
    dice = Random(seed)  # noqa: S311 - moments
    kills = [(dice.uniform(0, 0.6), signal.SIGKILL) for _ in range(_KILLS)]
    exact_books(place, with_wallet(place, kills, 0.3))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(4))
def test_killed_many_times(place: Place, seed: int) -> None:
    """The same at many random moments, by both signals."""
    dice = Random(seed)  # noqa: S311 - moments
    hows = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)
    killed(place, [(dice.uniform(0, 0.6), dice.choice(hows)) for _ in range(_KILLS)])
