"""The hall: all tables of a service, created, recovered, dealt and closed."""

from __future__ import annotations

import asyncio
import logging
from asyncio import Task
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from attrs import evolve

from trente_rules.core.errors import PhaseError, TrenteError, shown
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.core.plugins.manager import default_manager
from trente_rules.fair.entropy import SystemShuffler
from trente_rules.service.cashier import Cashier
from trente_rules.service.croupier import Croupier, ShoeShuffler
from trente_rules.service.hosted import Hosted, Threads, Waits, stopping_error
from trente_rules.service.messages import Pace, TableSetup
from trente_rules.service.stores import Store, is_closing, note_closing
from trente_rules.service.wallet import Wallet
from trente_rules.table.commands import CloseSession, OpenShoe
from trente_rules.table.entries import Entry, Journal
from trente_rules.table.journal import recover
from trente_rules.table.journal_sql import SqlJournal
from trente_rules.table.state import Phase
from trente_rules.table.table import Observer, Table

if TYPE_CHECKING:
    from trente_rules.service.cluster import Cluster
    from trente_rules.service.replica import Replica

T = TypeVar("T")
_LOG: Final = logging.getLogger(__name__)
_MADE_ELSEWHERE: Final = frozenset(("table-exists", "journal-in-use", "journal-locked"))
"""Why a table cannot be made that another process has made."""
_THREADS: Final = 8
"""Threads that do commands: they wait for disks, most of the time."""
_READERS: Final = 2
"""Threads that read what may be slow: they wait for the processor."""
_FINISH: Final = 5.0
"""Seconds in which what was begun is finished when the service stops."""
_AGAIN: Final = 0.1
CLOSE: Final = "close"
"""The id of the command that closes a session: given once."""


class Hall:
    """The tables of this process. All methods are called in one event loop."""

    def __init__(
        self,
        store: Store,
        houses: Iterable[House] = (),
        *,
        observers: Sequence[Observer] = (),
        wallet: Wallet | None = None,
        shuffler: Callable[[str], ShoeShuffler] = lambda _table: SystemShuffler(),
    ) -> None:
        """Keep tables in a store; they may be of these houses, by default of all registered.

        ``shuffler`` returns that of a table, by its name. ``observers`` look at every table. With a
        ``wallet`` every bet is debited there before it is taken, and every unit paid there.
        """
        self.store = store
        self._houses = {house.name: house for house in houses}
        self._observers = tuple(observers)
        self._shuffler = shuffler
        self._wallet = wallet
        self._tables: dict[str, Hosted] = {}
        self._shufflers: dict[str, ShoeShuffler] = {}
        self._croupiers: dict[str, Croupier] = {}
        self._tasks: dict[str, Task[None]] = {}
        self._paying: dict[str, Task[None]] = {}
        self._failures: dict[str, TrenteError] = {}
        self._pool = ThreadPoolExecutor(_THREADS, "table")
        self._readers = ThreadPoolExecutor(_READERS, "reading")
        self._making: dict[str, asyncio.Lock] = {}
        self._beginning: set[str] = set()
        self._creating: set[Task[tuple[Hosted, bool]]] = set()
        self.stopping = self.opened = False
        self.cluster: Cluster | None = None

    @property
    def threads(self) -> Threads:
        """The threads that do commands, and those that read."""
        return Threads(self._pool, self._readers)

    @property
    def tables(self) -> tuple[Hosted, ...]:
        """All tables, by name."""
        return tuple(self._tables[name] for name in sorted(self._tables))

    @property
    def cashiers(self) -> tuple[Cashier, ...]:
        """The cashiers of the tables, where there is a wallet."""
        return tuple(each.cashier for each in self.tables if each.cashier is not None)

    @property
    def failures(self) -> dict[str, TrenteError]:
        """The tables that could not be recovered, or are not dealt any more, and why."""
        found = {each.setup.table: each.failure for each in self.tables if each.failure}
        return {**self._failures, **found}

    async def check(self) -> None:
        """Raise the failure of the tables, where there are some and every one has failed.

        One that fails is named in the log and in its own refusals: the others are still served.
        """
        failures = self.failures
        if failures and len(failures) >= len({*self._tables, *self._failures}):
            raise TrenteError(next(iter(failures.values())).message, "table-failed")

    @property
    def house_names(self) -> tuple[str, ...]:
        """The names of the houses that tables may be made of."""
        return tuple(self._houses) or default_manager().names("house")

    def house(self, name: str) -> House:
        """Return a house by its name; ``TrenteError`` ("unknown-house") for any other text."""
        if name not in self.house_names:  # never a path: the name comes from outside
            hint = f"houses here are {', '.join(self.house_names)}"
            raise TrenteError(f"there is no house {shown(name)}", "unknown-house", hint)
        return self._houses.get(name) or load_house(name)

    def table(self, name: str) -> Hosted:
        """Return a table by its name; ``TrenteError`` ("unknown-table", "table-failed")."""
        hosted = self._tables.get(name)
        if hosted is None:
            failure = self._failures.get(name)
            if failure is not None:
                what = f"table {shown(name)} could not be recovered: {failure.message}"
                raise TrenteError(what, "table-failed", "ask the staff")
            raise TrenteError(f"there is no table {shown(name)}", "unknown-table")
        return hosted

    def croupier(self, name: str) -> Croupier | None:
        """Return who deals a table by itself, None where a dealer does."""
        return self._croupiers.get(name)

    async def open(self) -> None:
        """Recover every table of the store; one that cannot be is noted, and harms no other."""
        self.opened = True
        if self.cluster is not None:
            await self.cluster.open()
            return
        loop = asyncio.get_running_loop()
        for name in await loop.run_in_executor(self._pool, self.store.tables):
            try:
                await self.recover(name)
            except TrenteError as error:
                self._failures[name] = error
                _LOG.error("table %s is not recovered: %s", name, error)

    async def recover(self, name: str) -> Hosted:
        """Recover one table of the store, and deal it; raises what ``recover`` raises."""
        loop = asyncio.get_running_loop()
        setup, table, journal = await loop.run_in_executor(self._pool, self._recovered, name)
        self._failures.pop(name, None)
        return await self._host(setup, table, journal)

    def _recovered(self, name: str) -> tuple[TableSetup, Table, Journal]:
        setup, journal = self.store.open(name)
        try:
            return setup, recover(journal), journal
        except BaseException:
            _close(journal)
            raise

    async def create(self, setup: TableSetup) -> tuple[Hosted, bool]:
        """Return a new table, and true; or the one that was made of this very setup, and false.

        Raises ``TrenteError`` ("table-exists") where its name is that of another one. A table that
        was begun is made, though who asked for it is gone: or its journal would be nobody's.
        """
        if self.stopping:
            raise stopping_error()
        making = asyncio.get_running_loop().create_task(self._create(setup))
        self._creating.add(making)
        making.add_done_callback(self._created)
        return await asyncio.shield(making)

    def _created(self, making: Task[tuple[Hosted, bool]]) -> None:
        self._creating.discard(making)
        if not making.cancelled():
            making.exception()  # whoever asked has it, or is gone

    async def _create(self, setup: TableSetup) -> tuple[Hosted, bool]:
        async with self._making.setdefault(setup.table, asyncio.Lock()):
            known = self._known(setup)
            if known is not None:
                return known, False
            try:
                begun = await self._begin(setup)
                if isinstance(begun, Hosted):
                    return begun, False
                hosted = await self._host(setup, *begun)
            finally:
                self._beginning.discard(setup.table)
            if self.cluster is not None:
                await self.cluster.made(hosted)
            return hosted, True

    async def _begin(self, setup: TableSetup) -> tuple[Table, Journal] | Hosted:
        """Begin a table, or return the one that another process makes at the same time."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _FINISH
        while True:
            self._beginning.add(setup.table)
            try:
                return await self.in_thread(self._begun, setup)
            except TrenteError as error:
                self._beginning.discard(setup.table)
                made = error.code in _MADE_ELSEWHERE and loop.time() < until
                if self.cluster is None or not made:
                    raise
                await self.cluster.look()
                known = self._known(setup)
                if known is not None:
                    return known
                await asyncio.sleep(_AGAIN)

    def keeps(self, name: str) -> bool:
        """Return whether there is a table of a name, be it one that could not be recovered."""
        return name in self._tables or name in self._failures

    def _known(self, setup: TableSetup) -> Hosted | None:
        """Return the table that was made of a setup; "table-exists" for one of another."""
        known = self._tables.get(setup.table)
        if known is None or known.setup == setup:
            return known
        what = f"there is another table {shown(setup.table)}"
        raise TrenteError(what, "table-exists", "choose another name")

    # Where several processes share the tables

    def hosted(self, name: str) -> Hosted | None:
        """Return a table of this process, None where it has none of that name."""
        return self._tables.get(name)

    def begins(self, name: str) -> bool:
        """Return whether this process is making a table of a name, and does not have it yet."""
        return name in self._beginning

    def hold(self, hosted: Hosted) -> None:
        """Keep a table that another process writes."""
        self._tables[hosted.setup.table] = hosted

    def follows(self, replica: Replica, setup: TableSetup) -> Hosted:
        """Return a table that follows one of another process."""
        return Hosted(setup, replica.table, replica.reader, self.threads)

    async def take_over(self, hosted: Hosted) -> None:
        """Write a table that was followed, and deal it; raises what ``recover`` raises."""
        name, followed = hosted.setup.table, hosted.journal
        _setup, table, journal = await self.in_thread(self._recovered, name)
        try:
            missed = await self.in_thread(_entries_after, journal, hosted.sequence)
            hosted.move(table, journal, missed)
            await self.in_thread(_close, followed)
            await self._run(hosted, table, journal)
        except BaseException as error:
            await self._let_go_of(hosted, journal)  # somebody else may have it
            if not isinstance(error, TrenteError):
                what = f"it is not taken over: {type(error).__name__}"
                error = TrenteError(what, "table-failed")
            hosted.fail(error)  # it is read anew
            raise
        hosted.remote = None  # a wallet's cashier is there before the first bet

    async def give_up(self, hosted: Hosted) -> None:
        """Deal a table no more, and let go of its journal: another process has it, or may."""
        await self._let_go_of(hosted, hosted.journal)

    async def _let_go_of(self, hosted: Hosted, journal: Journal | None) -> None:
        """End who deals and pays a table, and close the journal that they wrote."""
        name = hosted.setup.table
        tasks = [self._tasks.pop(name, None), self._paying.pop(name, None)]
        await _cancelled(task for task in tasks if task is not None)
        if hosted.cashier is not None:
            await hosted.cashier.close(0.0)  # from now on it refuses
        self._croupiers.pop(name, None)
        with suppress(TrenteError):
            await self.in_thread(_close, journal)
        hosted.cashier = None  # not while the journal can be written: no bet without its debit

    async def in_thread(self, work: Callable[..., T], *given: Any) -> T:
        """Do what waits for a disk or a server in a thread of commands."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, partial(work, *given))

    def give(self, name: str, what: Waits, place: int) -> None:
        """Give a cut or a marker to the croupier of a table; ``PhaseError`` ("not-now")."""
        croupier = self._croupiers.get(name)
        if croupier is not None:
            croupier.give(what, place)

    def note_failure(self, name: str, error: TrenteError | None) -> None:
        """Note why a table is not available; None if it is."""
        self._failures.pop(name, None)
        if error is not None:
            self._failures[name] = error

    def _begun(self, setup: TableSetup) -> tuple[Table, Journal]:
        if self._wallet is not None and setup.advance:
            what = "an advance is play money: here it would be debited from the players' wallet"
            raise TrenteError(what, "bad-setup", "leave out the advance of the table")
        house = self.house(setup.house)
        opening = setup.opening if setup.opening is not None else house.lowest_opening()
        house.check_opening(opening)
        journal = self.store.create(setup)
        try:
            name, purses = setup.table, setup.purses
            table = Table(house, name=name, opening=opening, journal=journal, purses=purses)
        except BaseException:
            _close(journal)
            raise
        return table, journal

    async def _host(self, setup: TableSetup, table: Table, journal: Journal) -> Hosted:
        hosted = Hosted(setup, table, journal, self.threads)
        try:
            await self._run(hosted, table, journal)
        except BaseException:
            await self._let_go_of(hosted, journal)  # or nobody could ever write it
            raise
        return hosted

    async def _run(self, hosted: Hosted, table: Table, journal: Journal) -> None:
        """Let a table be looked at, paid and dealt."""
        setup = hosted.setup
        hosted.closing = await self.in_thread(is_closing, journal, setup.table)
        for observer in self._observers:
            table.observe(observer)
        self._shufflers[setup.table] = self._shuffler(setup.table)
        if self._wallet is not None:
            await self._pay(hosted, Cashier(hosted, journal, self._wallet, self._pool))
        self._tables[setup.table] = hosted
        if setup.pace is not None and not setup.live:
            self._deal(hosted, setup.pace)

    async def _pay(self, hosted: Hosted, cashier: Cashier) -> None:
        """Let a cashier take the bets of a table: first what an earlier process has left."""
        await cashier.resume()
        hosted.cashier = cashier
        name = hosted.setup.table
        task = asyncio.get_running_loop().create_task(cashier.run(), name=f"cashier of {name}")
        task.add_done_callback(lambda done: self._ended(hosted, "cashier", done))
        self._paying[name] = task

    def _deal(self, hosted: Hosted, pace: Pace) -> None:
        name = hosted.setup.table
        croupier = Croupier(hosted, pace, self._shufflers[name])
        self._croupiers[name] = croupier
        task = asyncio.get_running_loop().create_task(croupier.run(), name=f"croupier of {name}")
        task.add_done_callback(lambda done: self._ended(hosted, "croupier", done))
        self._tasks[name] = task

    def _ended(self, hosted: Hosted, who: str, task: Task[None]) -> None:
        """Note why a croupier or a cashier ended, where they should not have."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _LOG.error("the %s of %s failed", who, hosted.setup.table, exc_info=error)
            hosted.fail(TrenteError(f"its {who} failed: {type(error).__name__}", "table-failed"))

    async def open_shoe(self, hosted: Hosted, id_: str) -> Entry:
        """Open a shoe at a table that a dealer deals: shuffled here, or a live one."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._pool, hosted.entry, "", id_)
        if found is not None and isinstance(found.command, OpenShoe):
            return evolve(found, repeated=True)  # whatever the order was
        if hosted.setup.live:
            shoe = OpenShoe(id=id_)
        else:
            packs = hosted.table.house.shoe.packs
            shoe = OpenShoe.shuffled(id_, packs, self._shufflers[hosted.setup.table])
        try:
            return (await hosted.do([shoe]))[0]
        except PhaseError:
            found = await loop.run_in_executor(self._pool, hosted.entry, "", id_)
            if found is None or not isinstance(found.command, OpenShoe):
                raise
            return evolve(found, repeated=True)  # it was asked for twice at the same moment

    async def close(self, hosted: Hosted) -> None:
        """Close the session of a table: now, or once the coup that is on is settled.

        Once it is closed nothing happens. Raises ``PhaseError`` at a dealer's table within a coup.
        """
        if hosted.table.state.phase is Phase.ENDED:
            return
        try:
            await hosted.do([CloseSession(id=CLOSE)])
        except PhaseError:
            if hosted.setup.table not in self._croupiers:
                raise
            await self.in_thread(note_closing, hosted.journal, hosted.setup.table)
            hosted.closing = True
        hosted.changed.set()

    async def stop(self) -> None:
        """Finish what was begun, and let go of all tables: nothing more is taken."""
        if self.stopping:
            return
        self.stopping = True
        if self._creating:
            await asyncio.wait([*self._creating], timeout=_FINISH)
        for hosted in self.tables:
            hosted.stopping = True
        if self.cluster is not None:
            await self.cluster.stop()
        await _cancelled(self._tasks.values())
        await asyncio.gather(*(cashier.close(_FINISH) for cashier in self.cashiers))
        await _cancelled(self._paying.values())
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self._let_go)
        if self.cluster is not None:
            await self.cluster.left()

    def _let_go(self) -> None:
        self._readers.shutdown(wait=False, cancel_futures=True)
        self._pool.shutdown(wait=True)  # what was submitted is done first
        for hosted in self._tables.values():
            _close(hosted.journal)
        self.store.close()


async def _cancelled(tasks: Iterable[Task[None]]) -> None:
    """Cancel tasks, and wait until they have ended."""
    left = [task for task in tasks if not task.done()]
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=_FINISH)


def _entries_after(journal: Journal, sequence: int) -> list[Entry]:
    """Return the entries after one of a sequence number."""
    return list(journal.entries(sequence + 1)) if isinstance(journal, SqlJournal) else []


def _close(journal: Journal | None) -> None:
    """Close a journal, where it is one that holds a file or a connection."""
    if isinstance(journal, SqlJournal):
        journal.close()
