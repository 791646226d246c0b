"""A table in this process: commands in, a feed of what it does out, and who is at it."""

from __future__ import annotations

import logging
from asyncio import Event, Lock, get_running_loop, shield, wrap_future
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeVar

from attrs import evolve, frozen

from trente_rules.core.errors import TrenteError
from trente_rules.service.cashier import Cashier
from trente_rules.service.feed import CHIPS_EVERY, Feed, Subscriber, calls_in
from trente_rules.service.messages import ClockMessage, StateMessage, TableSetup, TableSummary
from trente_rules.service.table_notes import TableNotes
from trente_rules.table import events
from trente_rules.table.commands import BuyIn, Command
from trente_rules.table.entries import Entry, Journal
from trente_rules.table.movements import Movement
from trente_rules.table.state import Phase
from trente_rules.table.table import Table
from trente_rules.table.views import Viewer, view_of

Waits = Literal["nothing", "bets", "cut", "marker", "choices"]
_LOG: Final = logging.getLogger(__name__)
T = TypeVar("T")
_MOST_KEPT: Final = 64
ADVANCE: Final = "advance"
"""The id of the command that gives a player play money: done once in a session."""


@frozen
class Threads:
    """The threads of a service: those that do commands, and those that read what may be slow.

    They are apart, so that no command waits for somebody's statistics.
    """

    commands: Executor
    readings: Executor


class Hosted:
    """A table that this process writes, with everybody who is connected to it.

    It is an observer of its table. All methods but those of an observer are called in the loop.
    """

    def __init__(
        self, setup: TableSetup, table: Table, journal: Journal | None, threads: Threads
    ) -> None:
        """Serve a table in the loop that runs; its commands are done in other threads."""
        self.setup = setup
        self.table = table
        self.journal = journal
        self.feed = Feed(table.house.words, chips=setup.chips == "shown")
        self.notes = TableNotes(table, journal)
        self.changed = Event()
        self.cashier: Cashier | None = None
        self.stopping = False
        self.closing = False
        self.failure: TrenteError | None = None
        self._loop, self._pool = get_running_loop(), threads.commands
        self._readers = threads.readings
        self._connected: Counter[str] = Counter()
        self._ready: set[str] = set()
        self._chips_due = False
        self._slow = Lock()
        self._kept: dict[Hashable, tuple[int, Any]] = {}
        table.observe(self)

    # As an observer, in the thread of a command

    def done(self, table: Table, entries: Sequence[Entry], seconds: float) -> None:
        """Publish what was done, in the loop."""
        del table, seconds
        self._loop.call_soon_threadsafe(self._published, tuple(entries))

    def refused(
        self, table: Table, commands: Sequence[Command], error: Exception, seconds: float
    ) -> None:
        """Publish nothing of what was refused."""

    def _published(self, entries: Sequence[Entry]) -> None:
        self.feed.publish(entries)
        if not self._chips_due:
            self._chips_due = True
            self._loop.call_later(CHIPS_EVERY, self._send_chips)
        self.changed.set()

    def _send_chips(self) -> None:
        self._chips_due = False
        self.feed.send_chips(self.table.state)

    # Commands

    async def do(
        self, commands: Sequence[Command], *, expected: Sequence[Movement] | None = None
    ) -> tuple[Entry, ...]:
        """Do commands, all or none, and return their entries once they are durable.

        Raises what ``Table.execute`` raises, and ``TrenteError`` ("stopping").
        """
        if self.stopping:
            raise stopping_error()
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        dated = [evolve(command, at=now) for command in commands]
        # Whoever sent it may go away meanwhile: what was taken is done all the same.
        work = self.table.submit(dated, self._pool, expected=expected)
        return await shield(wrap_future(work, loop=self._loop))

    async def take(self, commands: Sequence[Command]) -> tuple[Entry, ...]:
        """Do commands of visitors, as ``do``; where there is a wallet, what they cost is debited.

        Raises ``WalletError`` too.
        """
        return await (self.do if self.cashier is None else self.cashier.do)(commands)

    def entry(self, owner: str, id_: str) -> Entry | None:
        """Return the entry of a command by its player and its id, None where there is none."""
        return None if self.journal is None else self.journal.find(owner, id_)

    def fail(self, error: TrenteError) -> None:
        """Note that this table cannot be dealt any more, and why."""
        self.failure = error
        _LOG.error("table %s is not dealt any more: %s", self.setup.table, error)

    # Who is here

    @property
    def players(self) -> tuple[str, ...]:
        """The players who are connected, each once."""
        return tuple(self._connected)

    @property
    def all_ready(self) -> bool:
        """True where every player who is connected has said to be ready, and there is one."""
        return bool(self._connected) and self._ready.issuperset(self._connected)

    async def join(self, player: str) -> None:
        """Note that a player is connected; give play money to one who comes first."""
        self._connected[player] += 1
        self.changed.set()
        if self.setup.purses and self.setup.advance and self.table.state.phase is not Phase.ENDED:
            await self.take([BuyIn(id=ADVANCE, player=player, amount=self.setup.advance)])

    def leave(self, player: str) -> None:
        """Note that one connection of a player is gone."""
        self._connected[player] -= 1
        if self._connected[player] <= 0:
            del self._connected[player]
            self._ready.discard(player)
        self.changed.set()

    def set_ready(self, player: str, *, ready: bool) -> None:
        """Note whether a player wants the coup to be dealt."""
        (self._ready.add if ready else self._ready.discard)(player)
        self.changed.set()

    def clear_ready(self) -> None:
        """Forget who was ready: another coup begins."""
        self._ready.clear()

    def show_clock(self, waits_for: Waits, deadline: float | None) -> None:
        """Tell everybody what the table waits for, until a moment of the loop's clock."""
        left = None if deadline is None else 0
        clock = ClockMessage(waits_for, left, len(self._ready), len(self._connected))
        self.feed.set_clock(clock, deadline)

    # What is seen

    def state_message(self, viewer: Viewer, language: str) -> StateMessage:
        """Return the table now, as a viewer may see it, with the calls of the coup."""
        state = self.table.state
        own = self.table.house.words
        return StateMessage(view_of(state, for_=viewer), calls_in(self._coup(), own, language))

    def _coup(self) -> list[events.Event]:
        """Return the events since the bets closed last, or since the shoe was opened."""
        found: list[events.Event] = []
        for entry in self.table.taille:
            for event in entry.events:
                if isinstance(event, events.BetsClosed | events.ShoeOpened):
                    found.clear()
                found.append(event)
        return found

    async def subscribe(self, viewer: Viewer, language: str, after: int | None) -> Subscriber:
        """Return a new reader, who is sent the table now, or what they missed after an index."""
        reader = Subscriber(viewer, language)
        self.feed.add(reader)  # what is published meanwhile is held
        try:
            message, entries = await self._loop.run_in_executor(
                self._pool, self._now, viewer, language
            )
        except BaseException:
            self.feed.remove(reader)
            raise
        first = entries[0].first_event if entries else message.view.events
        if after is not None and first <= after + 1 <= message.view.events:
            reader.next = after + 1
        else:
            reader.next = message.view.events
            reader.put_message(message)
        self.feed.begin(reader, entries)
        for shown in (self.feed.chips(self.table.state), self.feed.clock()):
            if shown is not None:
                reader.put_message(shown)
        return reader

    def _now(self, viewer: Viewer, language: str) -> tuple[StateMessage, tuple[Entry, ...]]:
        """Return the table now, and then the entries that it remembers."""
        return self.state_message(viewer, language), self.table.entries

    async def once(self, key: Hashable, function: Callable[[], T]) -> T:
        """Return what a slow function of the table returns: until the next command it is kept."""
        async with self._slow:  # one at a time: whoever waits often wants the same
            events = self.table.state.events
            kept = self._kept.get(key)
            if kept is not None and kept[0] == events:
                value: T = kept[1]
                return value
            value = await self._loop.run_in_executor(self._readers, function)
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[key] = events, value
            return value

    def summary(self) -> TableSummary:
        """Return the table as it is in a list."""
        state, setup, house = self.table.state, self.setup, self.table.house
        return TableSummary(
            table=setup.table,
            title=setup.title or setup.table,
            house=house.name,
            currency=house.money.currency,
            unit=str(house.money.unit.written()),
            phase=state.phase.value,
            round=str(state.round),
            events=state.events,
            opening=state.opening,
            purses=setup.purses,
            dealt_by="service" if setup.pace else "dealer",
            live=setup.live,
            players=len(self._connected),
            closed=state.phase is Phase.ENDED,
        )


def stopping_error() -> TrenteError:
    """Return the error of what comes after the service was told to stop."""
    return TrenteError("the service stops", "stopping", "come again in a moment")
