"""The outbox of a table: what its wallet was sent, kept in the database of its journal.

What is due to a wallet are the movements of the journal. They are written in the transaction of the
command that makes them, so they are the outbox: how far it was sent is a cursor, the id of a
movement. A second copy of each row, written by ``Table.transaction``, would say the same and cost
every bet a commit of its own. What no journal can know are the debits that were asked for before
their command was done: these are rows of the host in the same database, written before the wallet
is called, and closed by looking whether the journal has the command.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from asyncio import Future, Task
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Final

from attrs import asdict, define, field

from trente_rules.core.errors import RecordError
from trente_rules.service.stores import HOST_TABLES, host_rows
from trente_rules.service.wallet import Order
from trente_rules.table.entries import Journal, SharedJournal

Key = tuple[str, str]
"""A command: its player, and its id."""
_BEGIN: Final = "INSERT INTO host_debits VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_END: Final = "DELETE FROM host_debits WHERE owner = ? AND player = ? AND command = ?"
_OPEN: Final = "SELECT player, command, movement FROM host_debits WHERE owner = ?"
_SENT: Final = (
    "INSERT INTO host_service VALUES (?, 'sent', ?)"
    " ON CONFLICT (owner, name) DO UPDATE SET value = excluded.value"
)
_CURSOR: Final = "SELECT value FROM host_service WHERE owner = ? AND name = 'sent'"
_STICK: Final = "INSERT INTO host_stuck VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_FREE: Final = "DELETE FROM host_stuck WHERE owner = ? AND movement = ?"
_STUCK: Final = "SELECT body FROM host_stuck WHERE owner = ? ORDER BY movement"
Row = tuple[str, tuple[str, ...]]
"""A statement, with its values."""


@define(eq=False)
class _Waiting:
    """Rows that wait to be written together, and those who wait for them."""

    rows: list[Row] = field(factory=list)
    futures: list[Future[None]] = field(factory=list)


class Outbox:
    """The rows of one table's wallet. Its coroutines are called in one event loop.

    Rows that come while others are written share the next transaction.
    """

    def __init__(self, owner: str, journal: Journal, pool: Executor) -> None:
        """Use the database of a journal; ``owner`` is the name of its table.

        Rows are written in threads of ``pool``. Raises ``RecordError`` ("no-transaction") for a
        journal whose transactions cannot be shared.
        """
        if not isinstance(journal, SharedJournal):
            what = f"the journal of table {owner!r} cannot keep what its wallet was sent"
            hint = "with a wallet keep tables in sqlite:FOLDER or postgresql://HOST/DATABASE"
            raise RecordError(what, "no-transaction", hint, owner)
        self._owner, self._journal, self._pool = owner, journal, pool
        self._waiting = _Waiting()
        self._task: Task[None] | None = None

    def prepare(self) -> None:
        """Make the tables of the host in a file that has none; a database has them already."""
        with self._journal.transaction() as connection:
            if isinstance(connection, sqlite3.Connection):
                for each in HOST_TABLES:
                    connection.execute(each)

    def read(self) -> tuple[str, dict[Key, list[str]], tuple[Order, ...]]:
        """Return the cursor, the open debits by their commands, and what is stuck."""
        owner = (self._owner,)
        with host_rows(self._journal) as run:
            cursor = run(_CURSOR, owner).fetchone()
            debits: dict[Key, list[str]] = {}
            for player, command, movement in run(_OPEN, owner).fetchall():
                debits.setdefault((player, command), []).append(movement)
            stuck = run(_STUCK, owner).fetchall()
        orders = tuple(Order(**json.loads(body)) for (body,) in stuck)
        return (cursor[0] if cursor else ""), debits, orders

    async def begin(self, debits: Mapping[Key, Iterable[str]]) -> None:
        """Note the debits of commands before the wallet is asked for them: durably."""
        await self.write(
            (_BEGIN, (self._owner, *key, id_)) for key, ids in debits.items() for id_ in ids
        )

    def end(self, key: Key) -> Row:
        """Return the row that forgets the debits of a command."""
        return _END, (self._owner, *key)

    def sent(self, movement: str) -> Row:
        """Return the row that moves the cursor to a movement."""
        return _SENT, (self._owner, movement)

    def stick(self, order: Order) -> Row:
        """Return the row that keeps what the wallet refused, and must be sent all the same."""
        return _STICK, (self._owner, order.movement, json.dumps(asdict(order)))

    def free(self, movement: str) -> Row:
        """Return the row that forgets what was stuck."""
        return _FREE, (self._owner, movement)

    def later(self, row: Row) -> None:
        """Let a row be written with the next ones; it may be lost with the process."""
        self._waiting.rows.append(row)

    async def write(self, rows: Iterable[Row] = ()) -> None:
        """Write rows, all or none, with those that wait; durable when this returns.

        Raises what a transaction of the journal raises.
        """
        future: Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.rows += rows
        self._waiting.futures.append(future)
        if self._task is None or self._task.done():
            # It is nobody's: whoever waits for a row may be cancelled, and the others wait on.
            self._task = asyncio.create_task(self._write_all())
        await future

    async def _write_all(self) -> None:
        while self._waiting.futures:
            batch, self._waiting = self._waiting, _Waiting()
            await self._written(batch)

    async def _written(self, batch: _Waiting) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._pool, self._do, batch.rows)
        except Exception as error:  # noqa: BLE001 - raised in all that wait
            for future in batch.futures:
                if not future.done():
                    future.set_exception(error)
        else:
            for future in batch.futures:
                if not future.done():
                    future.set_result(None)

    def _do(self, rows: Sequence[Row]) -> None:
        with host_rows(self._journal) as run:
            for query, values in rows:
                run(query, values)
