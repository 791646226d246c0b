"""A table in this process: commands in, a feed of what it does out, and who is at it."""

from __future__ import annotations

import logging
from asyncio import Event, Lock, get_running_loop, shield, wrap_future
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeVar

from attrs import evolve, frozen

from trente_rules.core.errors import RecordError, TrenteError
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

if TYPE_CHECKING:
    import httpx

    from trente_rules.service.tokens import Visitor

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


class Remote(Protocol):
    """The process that writes a table which is only followed here."""

    async def do(self, visitor: Visitor, commands: Sequence[Command], /) -> tuple[Entry, ...]:
        """Let it do commands of a visitor; return their entries once they are seen here."""
        ...  # pragma: no cover - a protocol has no body

    async def forward(
        self, visitor: Visitor, method: str, path: str, body: Any = None, /
    ) -> httpx.Response | None:
        """Ask it as the visitor; None where the table is written here by now."""
        ...  # pragma: no cover - a protocol has no body

    async def catch_up(self) -> None:
        """See what it has done since."""
        ...  # pragma: no cover - a protocol has no body

    def give(self, what: Waits, place: int, /) -> None:
        """Give a cut or a marker to its croupier."""
        ...  # pragma: no cover - a protocol has no body

    def present(self) -> None:
        """Say who is at the table here."""
        ...  # pragma: no cover - a protocol has no body


class Hosted:
    """A table that this process writes, with everybody who is connected to it.

    Where ``remote`` is set another process writes it, and it is followed here: players are fed, and
    what they ask is forwarded. It is an observer of its table. All methods but those of an observer
    are called in the loop.
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
        self.remote: Remote | None = None
        self.on_clock: Callable[[Hosted], None] | None = None
        self.sequence = table.sequence
        self.stopping = False
        self.closing = False
        self.failure: TrenteError | None = None
        self.lost: RecordError | None = None
        self._guests: dict[str, bool] = {}
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
        # Where the table has moved, what was done there may have been seen before.
        new = [entry for entry in entries if entry.repeated or entry.sequence > self.sequence]
        self.sequence = max((self.sequence, *(entry.sequence for entry in new)))
        self.feed.publish(new)
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
        try:
            return await shield(wrap_future(work, loop=self._loop))
        except RecordError as error:
            self.lost = error  # perhaps: who has the table is looked at
            raise

    async def take(self, commands: Sequence[Command]) -> tuple[Entry, ...]:
        """Do commands of visitors like ``do``; where there is a wallet, debit what they cost.

        Raises ``WalletError`` too.
        """
        return await (self.do if self.cashier is None else self.cashier.do)(commands)

    def entry(self, owner: str, id_: str) -> Entry | None:
        """Return the entry of a command by its player and its id, None if it is unknown."""
        return None if self.journal is None else self.journal.find(owner, id_)

    def move(self, table: Table, journal: Journal, missed: Sequence[Entry]) -> None:
        """Continue with another table of the same session; ``missed`` are entries not seen yet."""
        self._published(missed)
        self.table, self.journal = table, journal
        self.notes = TableNotes(table, journal)
        self.failure = self.lost = None
        self._kept.clear()
        table.observe(self)
        self.changed.set()

    def fail(self, error: TrenteError) -> None:
        """Note that this table cannot be dealt any more, or for a while, and why."""
        if self.failure is not None and str(self.failure) == str(error):
            return
        self.failure = error
        _LOG.error("table %s is not dealt any more: %s", self.setup.table, error)

    # Who is here

    @property
    def players(self) -> tuple[str, ...]:
        """The players who are connected, here or at another process, each once."""
        return tuple({**self._connected, **self._guests})

    @property
    def connected(self) -> dict[str, bool]:
        """The players who are connected here, and whether they are ready."""
        return {player: player in self._ready for player in self._connected}

    @property
    def _all(self) -> dict[str, bool]:
        return {**self._guests, **self.connected}

    def set_guests(self, players: Mapping[str, bool]) -> None:
        """Note who is connected at other processes, and whether they are ready."""
        if players != self._guests:
            self._guests = dict(players)
            self.changed.set()

    @property
    def all_ready(self) -> bool:
        """True where every player who is connected has said to be ready, and there is one."""
        everybody = self._all
        return bool(everybody) and all(everybody.values())

    async def join(self, player: str) -> None:
        """Note that a player is connected; give play money to one who comes first.

        Where the journal takes nothing for a while they see the table, and get it the next time.
        """
        self._connected[player] += 1
        self._changed_here()
        if self.remote is None:
            try:
                await self.welcome(player)
            except TrenteError as error:
                _LOG.warning("table %s: no advance was given: %s", self.setup.table, error)

    async def welcome(self, player: str) -> None:
        """Give play money to a player who comes first, where the table does."""
        if self.setup.purses and self.setup.advance and self.table.state.phase is not Phase.ENDED:
            await self.take([BuyIn(id=ADVANCE, player=player, amount=self.setup.advance)])

    def leave(self, player: str) -> None:
        """Note that one connection of a player is gone."""
        self._connected[player] -= 1
        if self._connected[player] <= 0:
            del self._connected[player]
            self._ready.discard(player)
        self._changed_here()

    def set_ready(self, player: str, *, ready: bool) -> None:
        """Note whether a player wants the coup to be dealt."""
        (self._ready.add if ready else self._ready.discard)(player)
        self._changed_here()

    def _changed_here(self) -> None:
        self.changed.set()
        if self.remote is not None:
            self.remote.present()

    def clear_ready(self) -> None:
        """Forget who was ready: another coup begins."""
        self._ready.clear()
        self._guests = dict.fromkeys(self._guests, False)

    def show_clock(self, waits_for: Waits, deadline: float | None) -> None:
        """Show everybody what the table waits for, until a moment of the loop's clock."""
        left = None if deadline is None else 0
        everybody = self._all
        clock = ClockMessage(waits_for, left, sum(everybody.values()), len(everybody))
        if self.feed.set_clock(clock, deadline) and self.on_clock is not None:
            self.on_clock(self)

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
        remote = self.remote
        if remote is not None and after is not None and after >= self.table.state.events:
            with suppress(TrenteError):  # then they are sent the table as far as it is known here
                await remote.catch_up()  # another process has shown more: nobody goes back in time
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
            dealt_by="service" if setup.pace and not setup.live else "dealer",
            live=setup.live,
            players=len(self.players),
            closed=state.phase is Phase.ENDED,
        )


def stopping_error() -> TrenteError:
    """Return the error of what comes after the service was asked to stop."""
    return TrenteError("the service stops", "stopping", "come again in a moment")
