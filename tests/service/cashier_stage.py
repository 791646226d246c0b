"""A table with a cashier, for tests of the wallet: in this process, or in one that is killed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx
from tests.service.bad_wallet import KEY

from trente_rules import Opening, Table, load_house
from trente_rules.service.cashier import Cashier
from trente_rules.service.messages import TableSetup
from trente_rules.service.stores import Store
from trente_rules.service.wallet import HttpWallet
from trente_rules.table import (
    Command,
    Cut,
    Deal,
    Entry,
    Movement,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    recover,
)
from trente_rules.table.commands import CloseBets
from trente_rules.testing import coup_with, stacked_shoe

SETUP: Final = TableSetup("salle-3", "france-2007", Opening(10_00))
POINTS: Final = ((34, 39), (38, 33), (35, 36), (37, 31), (31, 31), (33, 36), (40, 32), (36, 34))
START: Final = 1_000_00


async def until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until something holds, which nobody says."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - of another thread
            await asyncio.sleep(0.002)


class Counter:
    """A table as the cashier sees it: commands are done in the threads of a pool."""

    def __init__(self, table: Table, pool: ThreadPoolExecutor) -> None:
        """Take a table."""
        self.table, self._pool = table, pool

    async def do(
        self, commands: Sequence[Command], *, expected: Sequence[Movement] | None = None
    ) -> tuple[Entry, ...]:
        """Do commands."""
        return await asyncio.wrap_future(self.table.submit(commands, self._pool, expected=expected))


class Stage:
    """A table, its cashier, its wallet, and who plays."""

    def __init__(self, at: Counter, cashier: Cashier, journal: Any) -> None:
        """Take what was made."""
        self.at, self.cashier, self.journal = at, cashier, journal
        self.table = at.table

    async def staff(self, *commands: Command) -> None:
        """Give commands of the staff."""
        for command in commands:
            await self.cashier.do([command])

    async def open(self) -> None:
        """Open a shoe whose coups are known, and the first bets."""
        shoe = stacked_shoe([coup_with(*points) for points in POINTS])
        await self.staff(
            OpenShoe(id="1", cards=shoe.cards),
            Cut(id="2"),
            PlaceMarker(id="3"),
            OpenBets(id="bets-0"),
        )

    async def coup(self, number: int) -> None:
        """Deal and settle a coup, and open the next bets."""
        await self.staff(
            CloseBets(id=f"close-{number}"),
            Deal(id=f"deal-{number}"),
            OpenBets(id=f"bets-{number + 1}"),
        )

    async def quiet(self, seconds: float = 20.0) -> None:
        """Wait until the wallet was told all."""
        cashier = self.cashier
        await until(lambda: not (cashier.pending or cashier.reversing or self.unread), seconds)

    @property
    def unread(self) -> bool:
        """True while there are movements that the cashier has not read."""
        return bool(list(self.journal.movements(self.cashier._read)))

    def balances(self, start: int = START) -> dict[str, int]:
        """Return what each player must have, by the journal."""
        found: dict[str, int] = {}
        for movement in self.journal.movements():
            found[movement.player] = found.get(movement.player, start) + movement.units
        return found


@asynccontextmanager
async def staged(
    store: Store,
    url: str,
    setup: TableSetup = SETUP,
    *,
    tries: int = 3,
    timeout: float = 5.0,  # noqa: ASYNC109 - of the client
    wrap: Callable[[Stage], None] = lambda _stage: None,
) -> AsyncIterator[Stage]:
    """Open the table of a store, or make it, and put a cashier at it."""
    pool = ThreadPoolExecutor(4)
    journal: Any
    if setup.table in store.tables():
        _, journal = store.open(setup.table)
        table = recover(journal)
    else:
        journal = store.create(setup)
        house, opening = load_house(setup.house), setup.opening or Opening()
        table = Table(
            house, name=setup.table, opening=opening, journal=journal, purses=setup.purses
        )
    async with httpx.AsyncClient(timeout=timeout) as client:
        at = Counter(table, pool)
        cashier = Cashier(at, journal, HttpWallet(url, KEY, client), pool, tries=tries)
        stage = Stage(at, cashier, journal)
        wrap(stage)
        await cashier.resume()
        running = asyncio.create_task(cashier.run())
        try:
            yield stage
        finally:
            await cashier.close(2.0)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            pool.shutdown()
            journal.close()


def bet(player: str, number: object, amount: int = 20_00, chance: str = "rouge") -> Place:
    """Return a bet of a player, whose id and stake are of a number."""
    name = f"{player}-{number}"
    return Place(id=name, stake=name, player=player, chance=chance, amount=amount)
