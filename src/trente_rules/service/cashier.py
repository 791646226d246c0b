"""The cashier of a table: no bet without its debit, and every unit to its player once.

A player's bet is previewed, its debits are noted, the wallet is debited, the command is done if it
moves what was previewed; where any of this fails, the debits are reversed. What the table owes goes
out in order for each player, until the wallet has confirmed it.
"""

from __future__ import annotations

import asyncio
import logging
from asyncio import Event, Lock, Semaphore, Task
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Executor
from contextlib import AsyncExitStack
from functools import partial
from itertools import islice
from time import monotonic
from typing import Any, Final, Protocol, TypeVar

from trente_rules.core.errors import PhaseError, RecordError, TrenteError
from trente_rules.service.outbox import Key, Outbox
from trente_rules.service.wallet import (
    TRIES,
    Order,
    Wallet,
    WalletError,
    again_after,
    persist,
    refused_error,
)
from trente_rules.table.commands import Command, PlayerCommand
from trente_rules.table.entries import Entry, Journal
from trente_rules.table.movements import PURSE, Movement
from trente_rules.table.table import Table

T = TypeVar("T")
_LOG: Final = logging.getLogger(__name__)
_AT_ONCE: Final = 500
"""Movements that are read of the journal at once."""
_MOST: Final = 10_000
"""Movements that wait for the wallet, at most: no more are read until some are sent."""
_CALLS: Final = 32
"""Calls of the wallet under way at the same time for what is due at one table."""
_LOOK: Final = 1.0
"""Seconds after which the journal is looked at, whether or not a command was seen."""
_NOTE: Final = 0.25
"""Seconds between two notes of how far the wallet was informed."""
_STUCK_AGAIN: Final = 60.0
"""Seconds after which the wallet is asked again for what it refused, though it was due."""
_CHANGED: Final = 3
"""Previews of commands that cost nothing, while the table changes between preview and command."""


class Counter(Protocol):
    """A table that the cashier serves."""

    @property
    def table(self) -> Table:
        """The table itself."""
        ...  # pragma: no cover - a protocol has no body

    async def do(
        self, commands: Sequence[Command], *, expected: Sequence[Movement] | None = None
    ) -> tuple[Entry, ...]:
        """Do commands, all or none, and return their entries once they are durable."""
        ...  # pragma: no cover - a protocol has no body


class Cashier:
    """Takes bets from the wallet of the players of one table, and pays them there.

    It is an observer of its table. All methods but those of an observer are called in the loop.
    """

    def __init__(
        self, at: Counter, journal: Journal, wallet: Wallet, pool: Executor, *, tries: int = TRIES
    ) -> None:
        """Serve a table that was just made or recovered, before it takes any command.

        Threads of ``pool`` wait for the disk. ``tries`` is how often a wallet is asked for a debit
        before a bet is given up. Raises ``RecordError`` ("no-transaction") for a journal that
        cannot keep what is open.
        """
        self._at, self._journal, self._wallet, self._pool = at, journal, wallet, pool
        self._tries = tries
        self._outbox = Outbox(at.table.state.setup.table, journal, pool)
        self._locks: dict[str, Lock] = {}
        self._bets: set[Task[tuple[Entry, ...]]] = set()
        self._tasks: set[Task[None]] = set()
        self._noting = self._closing = False
        self._blocked: set[Key] = set()
        self._open: dict[Key, list[str]] = {}
        self._confirmed: set[str] = set()
        self._read = self._cursor = self._noted = ""
        self._order: dict[str, float] = {}
        self._done: set[str] = set()
        self._queues: dict[str, deque[Movement]] = {}
        self._stuck: dict[str, Order] = {}
        self._calls = Semaphore(_CALLS)
        self._wake, self._room, self._taking = Event(), Event(), Lock()
        self._loop = asyncio.get_running_loop()
        at.table.observe(self)

    # As an observer, in the thread of a command

    def done(self, table: Table, entries: Sequence[Entry], seconds: float) -> None:
        """Look for what is due, in the loop."""
        del table, entries, seconds
        self._loop.call_soon_threadsafe(self._wake.set)

    def refused(
        self, table: Table, commands: Sequence[Command], error: Exception, seconds: float
    ) -> None:
        """Do nothing: what was refused moves nothing."""

    # What is counted

    @property
    def pending(self) -> int:
        """How many movements the wallet has not confirmed yet."""
        return len(self._order) - len(self._done)

    @property
    def oldest(self) -> float:
        """How many seconds the oldest of them has waited."""
        since = next((at for id_, at in self._order.items() if id_ not in self._done), None)
        return 0.0 if since is None else monotonic() - since

    @property
    def stuck(self) -> int:
        """How many movements were due, and the wallet refused: somebody has to look at them."""
        return len(self._stuck)

    @property
    def reversing(self) -> int:
        """How many commands have debits that are under way, or to be reversed."""
        return len(self._open)

    # Commands

    async def resume(self) -> None:
        """Take up what a process that died has left; before the table takes any command.

        Debits whose command the journal has not are reversed in the background. Raises what reading
        the journal raises.
        """
        await self._threaded(self._outbox.prepare)
        cursor, self._open, stuck = await self._threaded(self._outbox.read)
        self._read = self._cursor = self._noted = cursor
        self._stuck = {order.movement: order for order in stuck}
        for key in tuple(self._open):
            self._undo(key)
        self._wake.set()

    async def do(self, commands: Sequence[Command]) -> tuple[Entry, ...]:
        """Debit what the commands of players cost, and do them; or do neither, and raise why.

        The commands of one player are done one after the other. Raises ``WalletError``
        ("wallet-refused", "wallet-unknown"), what ``Table.execute`` raises, and what the journal
        raises. A command that failed so is given again under another id.
        """
        # Whoever sent it may go away: what was begun is brought to its end.
        if self._closing:
            raise _stopping_error()
        bet = asyncio.create_task(self._do(commands))
        self._bets.add(bet)
        bet.add_done_callback(self._bet_ended)
        try:
            return await asyncio.shield(bet)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if bet.cancelled() and not (task and task.cancelling()):
                # The cashier was closed; who waits for the bet was not.
                raise _stopping_error() from None
            raise

    def _bet_ended(self, bet: Task[tuple[Entry, ...]]) -> None:
        self._bets.discard(bet)
        if not bet.cancelled():
            bet.exception()  # it was seen, even where nobody waits for it any more

    async def _do(self, commands: Sequence[Command]) -> tuple[Entry, ...]:
        players = sorted({each.player for each in commands if isinstance(each, PlayerCommand)})
        if not players:
            return await self._at.do(commands)
        async with AsyncExitStack() as stack:
            for player in players:
                await stack.enter_async_context(self._locks.setdefault(player, Lock()))
            return await self._in_turn(commands)

    async def _in_turn(self, commands: Sequence[Command]) -> tuple[Entry, ...]:
        for left in reversed(range(_CHANGED)):
            asked = await self._threaded(self._at.table.preview_many, commands)
            moved = tuple(each for entry in asked for each in entry.movements)
            costs = {
                entry.command.key: found
                for entry in asked
                if not entry.repeated and (found := self._costs(entry))
            }
            if costs:
                return await self._paid(commands, moved, costs)
            try:
                return await self._at.do(commands, expected=moved)
            except PhaseError as error:
                if error.code != "other-movements" or not left:
                    raise
        raise AssertionError  # pragma: no cover - the last of them returns or raises

    def _costs(self, entry: Entry) -> list[Movement]:
        """Return what the wallet is debited for a command of a player."""
        if not isinstance(entry.command, PlayerCommand):
            return []
        return [each for each in entry.movements if each.units < 0 and self._is_mine(each)]

    def _is_mine(self, movement: Movement) -> bool:
        """Return whether the wallet sees a movement: with purses these are the chips alone."""
        return (movement.reason in PURSE) == self._at.table.state.setup.purses

    async def _paid(
        self,
        commands: Sequence[Command],
        moved: Sequence[Movement],
        costs: dict[Key, list[Movement]],
    ) -> tuple[Entry, ...]:
        """Do commands that cost something, once the wallet was debited."""
        for key in costs:
            if key in self._blocked:
                raise refused_error("debit", "that of this command was reversed, or is being so")
        debits = [each for some in costs.values() for each in some]
        ids = {each.id for each in debits}
        begun = {key: [each.id for each in some] for key, some in costs.items()}
        self._open |= begun
        try:
            await self._outbox.begin(begun)
            for each in debits:
                order = self._ordered(each, due=False)
                await persist(self._wallet.debit, order, movement=each.id, tries=self._tries)
            self._confirmed |= ids
            entries = await self._at.do(commands, expected=moved)
        except Exception:
            # Not where it is cancelled: the table may do it yet. The next start looks.
            self._confirmed -= ids
            for key in costs:
                self._undo(key)
            raise
        for key in costs:
            self._forget(key)
        return entries

    def _forget(self, key: Key) -> None:
        self._open.pop(key, None)
        self._outbox.later(self._outbox.end(key))

    def _undo(self, key: Key) -> None:
        """Reverse the debits of a command in the background, unless the table has done it."""
        self._blocked.add(key)  # the same command would be debited by the same ids
        self._started(self._reversed(key))

    async def _reversed(self, key: Key) -> None:
        entry = await self._stubborn(f"{key}", partial(self._threaded, self._journal.find, *key))
        if entry is None:
            for id_ in self._open.get(key, ()):
                ask = partial(self._wallet.reverse, id_, key[0])
                await self._stubborn(id_, ask)
        self._blocked.discard(key)  # the wallet knows by now, and would refuse these debits
        self._forget(key)
        self._note()

    async def _stubborn(self, id_: str, call: Callable[[], Awaitable[T]]) -> T:
        """Call until it is done, however often it fails."""
        attempt = 0
        while True:
            try:
                return await call()
            except TrenteError as error:
                if attempt == self._tries:
                    _LOG.warning("table %s, %s: %s", self._name, id_, error)
                pause = error.pause if isinstance(error, WalletError) else 0.0
                await asyncio.sleep(again_after(id_, attempt, pause))
                attempt += 1

    @property
    def _name(self) -> str:
        return self._at.table.state.setup.table

    def _ordered(self, movement: Movement, *, due: bool) -> Order:
        return Order(
            movement=movement.id,
            player=movement.player,
            units=movement.units,
            table=self._name,
            reason=movement.reason,
            round=str(movement.round),
            due=due,
            reverses=movement.reverses,
        )

    # What is due

    async def run(self) -> None:
        """Send what is due until it is cancelled.

        Raises ``RecordError`` ("journal-moved") where another process has the table.
        """
        asked = monotonic()
        if self._stuck:
            self._started(self._ask_again())
        while True:
            try:
                async with asyncio.timeout(_LOOK):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()
            try:
                await self._take()
            except RecordError as error:
                if error.code == "journal-moved":
                    raise
                _LOG.warning("table %s: what is due cannot be read: %s", self._name, error)
                await asyncio.sleep(_LOOK)
                self._wake.set()
            if self._stuck and monotonic() - asked > _STUCK_AGAIN:
                asked = monotonic()
                self._started(self._ask_again())

    async def _take(self) -> None:
        """Read what was moved since, and let it be sent; one at a time: each is read once."""
        async with self._taking:
            while found := await self._threaded(self._moved):
                for movement in found:
                    self._read = movement.id
                    self._order[movement.id] = monotonic()
                    if self._is_mine(movement):
                        self._queue(movement)
                    else:
                        self._done.add(movement.id)
                self._advance()
                while self.pending > _MOST:
                    self._room.clear()
                    await self._room.wait()

    def _moved(self) -> list[Movement]:
        return list(islice(self._journal.movements(self._read), _AT_ONCE))

    def _queue(self, movement: Movement) -> None:
        player = movement.player
        if player in self._queues:
            self._queues[player].append(movement)
        else:
            self._queues[player] = deque((movement,))
            self._started(self._pay(player))

    async def _pay(self, player: str) -> None:
        """Send what a player is due, in order, until nothing is left."""
        queue = self._queues[player]
        while queue:
            movement = queue[0]
            if movement.id not in self._confirmed:
                await self._send(self._ordered(movement, due=True))
            self._confirmed.discard(movement.id)
            self._done.add(movement.id)
            queue.popleft()
            self._advance()
        del self._queues[player]

    async def _send(self, order: Order) -> None:
        """Send what is due until it is done; what is refused is kept, and asked for again later."""
        try:
            await self._stubborn_but_refused(order)
        except WalletError as error:
            _LOG.error("table %s: %s was due: %s", self._name, order.movement, error)
            self._stuck[order.movement] = order
            row = self._outbox.stick(order)
            await self._stubborn(order.movement, partial(self._outbox.write, (row,)))

    async def _stubborn_but_refused(self, order: Order) -> None:
        attempt = 0
        while True:
            try:
                async with self._calls:
                    await self._call_of(order)(order)
            except WalletError as error:
                if error.code == "wallet-refused":
                    raise
                if attempt == self._tries:
                    _LOG.warning("table %s, %s: %s", self._name, order.movement, error)
                await asyncio.sleep(again_after(order.movement, attempt, error.pause))
                attempt += 1
            else:
                return

    def _call_of(self, order: Order) -> Callable[[Order], Awaitable[None]]:
        return self._wallet.debit if order.units < 0 else self._wallet.credit

    async def _ask_again(self) -> None:
        """Ask the wallet once more for what it refused."""
        for order in tuple(self._stuck.values()):
            try:
                await self._call_of(order)(order)
            except WalletError as error:
                _LOG.error("table %s: %s is due: %s", self._name, order.movement, error)
            else:
                row = self._outbox.free(order.movement)
                await self._stubborn(order.movement, partial(self._outbox.write, (row,)))
                self._stuck.pop(order.movement, None)

    def _advance(self) -> None:
        """Move the cursor behind all that was sent without a gap."""
        before = self._cursor
        while self._order and (first := next(iter(self._order))) in self._done:
            del self._order[first]
            self._done.discard(first)
            self._cursor = first
        self._room.set()  # also where the cursor waits for one that the wallet does not confirm
        if self._cursor != before:
            self._note()

    def _note(self) -> None:
        """Let the cursor be written soon, with what else waits."""
        if not self._noting:
            self._noting = True
            self._started(self._note_soon())

    async def _note_soon(self) -> None:
        if not self._closing:
            await asyncio.sleep(_NOTE)
        self._noting = False
        await self._note_now()

    async def _note_now(self) -> None:
        """Write how far the wallet was informed."""
        cursor = self._cursor
        try:
            await self._outbox.write(() if cursor == self._noted else (self._outbox.sent(cursor),))
        except RecordError as error:  # it is sent again after a restart, and counts once
            _LOG.warning("table %s: the cursor is not written: %s", self._name, error)
        else:
            self._noted = cursor

    # Its end

    async def close(self, seconds: float = 5.0) -> None:
        """Wait for what is under way, for so long at most, and note how far the wallet is.

        What is not sent by then is sent after the next start.
        """
        self._closing = True
        until = self._loop.time() + seconds
        try:
            async with asyncio.timeout_at(until):
                await asyncio.gather(*self._bets, return_exceptions=True)
                await self._take()
                while self._tasks:
                    await asyncio.gather(*self._tasks, return_exceptions=True)
        except (TimeoutError, RecordError):
            _LOG.warning(
                "table %s: the wallet was not informed of everything before the end", self._name
            )
        while left := (*self._bets, *self._tasks):
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
        await self._note_now()

    def _started(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something in the background."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _LOG.error("table %s: the cashier failed", self._name, exc_info=error)

    async def _threaded(self, work: Callable[..., T], *arguments: Any) -> T:
        return await self._loop.run_in_executor(self._pool, work, *arguments)


def _stopping_error() -> TrenteError:
    """Return the error of a bet that comes, or is under way, as the cashier closes."""
    return TrenteError("the service stops", "stopping", "come again in a moment")
