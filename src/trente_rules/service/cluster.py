"""The cluster: any number of processes that share the tables of one PostgreSQL database.

Each table has one writer, which holds its lock; the others follow its journal, feed their players
from it, and forward what these ask for. Where a writer is gone, one of the others takes its table
over: its players notice a pause. What is at stake, commands, goes by HTTP to the writer and through
its journal; who is there, who is ready, and the clock go over the bus, and are said again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from asyncio import AbstractEventLoop, Lock, Semaphore, Task
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

import httpx
from attrs import define, evolve, field

from trente_rules.core.errors import PhaseError, RecordError, TrenteError
from trente_rules.fair.entropy import fresh_seed
from trente_rules.service.bus import LARGEST, Bus
from trente_rules.service.hosted import Hosted, Waits
from trente_rules.service.messages import ClockMessage, ProblemDetails, TableSetup
from trente_rules.service.problems import ForwardedError
from trente_rules.service.replica import Replica
from trente_rules.service.stores import PostgresStore
from trente_rules.service.tokens import Tokens, Visitor
from trente_rules.table.codec import command_to_json
from trente_rules.table.commands import Command
from trente_rules.table.entries import Entry
from trente_rules.table.journal_postgres import PostgresJournal

T = TypeVar("T")
_LOG: Final = logging.getLogger(__name__)
_LOOK: Final = 0.25
"""Seconds between two looks at who has the locks of the tables."""
_BEAT: Final = 2.0
"""Seconds between two heartbeats, and after which who is at a table is said again."""
_HUNG: Final = 15.0
"""Seconds without a heartbeat after which a writer that holds its lock loses it."""
_GONE: Final = 5.0
"""Seconds after which players of another process are gone, unless they are named again."""
_PATIENCE: Final = 10.0
"""Seconds in which a command must have reached a writer, be it a new one."""
_TOGETHER: Final = 4
"""Tables that are taken over at the same time."""
_CALL: Final = httpx.Timeout(5.0, connect=1.0)
_PAUSE: Final = 0.05
_ID_BYTES: Final = 8
_LOST: Final = frozenset(
    ("journal-moved", "journal-locked", "journal-closed", "journal-fails", "connection-lost")
)
"""Why a table has to be read again, here or elsewhere."""
_ELSEWHERE: Final = _LOST | {
    "unknown-table",
    "table-failed",
    "stopping",
    "busy",
    "journal-read-only",
}
"""Codes of a process that is not, or not yet, or no longer, the writer."""
_TRY_AGAIN: Final = 10.0
"""Seconds after which a table is tried again that could not be had."""
_SAME: Final = 0.5
"""Seconds by which the end of a time may differ that is said again."""
_COALESCE: Final = 0.03
"""Seconds in which those who come and go are said together."""
_KNOWN: Final = "SELECT to_regclass('journals') IS NOT NULL"
"""Whether there is a journal at all: the first one makes the tables."""
_HOLDERS: Final = """
    SELECT kept.owner, journals.number, held.pid, writer.at::text
    FROM host_service AS kept
    JOIN journals ON journals.name = kept.owner
    LEFT JOIN host_writers AS writer ON writer.owner = kept.owner
    LEFT JOIN pg_locks AS held ON held.locktype = 'advisory' AND held.granted
        AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND held.classid = 'journals'::regclass::oid
        AND held.objid::bigint = journals.number AND held.objsubid = 2
    WHERE kept.name = 'setup'
"""
"""Each table: its journal's number, who has its lock, the last heartbeat of its writer."""
_WRITES: Final = (
    "INSERT INTO host_writers VALUES (%s, %s, %s,"
    " (SELECT coalesce(max(number), 0) FROM epochs), now())"
    " ON CONFLICT (owner) DO UPDATE SET process = excluded.process,"
    " address = excluded.address, epoch = excluded.epoch, at = excluded.at"
)
_ALIVE: Final = "UPDATE host_writers SET at = now() WHERE process = %s RETURNING owner"
_ADDRESS: Final = "SELECT address FROM host_writers WHERE owner = %s AND process <> %s"


class Keeper(Protocol):
    """The hall, as the cluster uses it."""

    @property
    def tables(self) -> tuple[Hosted, ...]:
        """All tables of this process."""
        ...  # pragma: no cover - a protocol has no body

    def hosted(self, name: str) -> Hosted | None:
        """Return a table of this process, None where it has none of that name."""
        ...  # pragma: no cover - a protocol has no body

    def begins(self, name: str) -> bool:
        """Return whether this process is making a table of a name, and does not have it yet."""
        ...  # pragma: no cover - a protocol has no body

    def hold(self, hosted: Hosted) -> None:
        """Keep a table that another process writes."""
        ...  # pragma: no cover - a protocol has no body

    async def recover(self, name: str) -> Hosted:
        """Recover a table of the store, and deal it."""
        ...  # pragma: no cover - a protocol has no body

    async def take_over(self, hosted: Hosted) -> None:
        """Write a table that was followed."""
        ...  # pragma: no cover - a protocol has no body

    async def give_up(self, hosted: Hosted) -> None:
        """Deal a table no more, and close its journal."""
        ...  # pragma: no cover - a protocol has no body

    def follows(self, replica: Replica, setup: TableSetup) -> Hosted:
        """Return a table for a replica."""
        ...  # pragma: no cover - a protocol has no body

    async def in_thread(self, work: Callable[..., T], *given: Any) -> T:
        """Do what takes a while."""
        ...  # pragma: no cover - a protocol has no body

    def give(self, name: str, what: Waits, place: int) -> None:
        """Give a cut or a marker to a croupier."""
        ...  # pragma: no cover - a protocol has no body

    def note_failure(self, name: str, error: TrenteError | None) -> None:
        """Note why a table is not available; None if it is."""
        ...  # pragma: no cover - a protocol has no body


class Beats:
    """How long writers have been silent, by a clock that never goes back.

    The times of heartbeats are those of the server, whose clock may jump: they are only compared
    with each other, and a writer is silent since a new one was seen here.
    """

    def __init__(self) -> None:
        """Begin with no heartbeat."""
        self._seen: dict[str, tuple[int | None, str, float]] = {}

    def silent(self, name: str, holder: int | None, at: str | None, now: float) -> float:
        """Return for how many seconds the writer of a table was silent; 0.0 before its first one.

        ``holder`` has the lock, ``at`` is the last heartbeat, ``now`` the time of this look.
        """
        if at is None:
            return 0.0
        known = self._seen.get(name)
        if known is None or known[:2] != (holder, at):
            known = self._seen[name] = (holder, at, now)
        return now - known[2]


@define(eq=False)
class Followed:
    """A table that another process writes, as its hosted table here asks for it."""

    cluster: Cluster
    hosted: Hosted
    replica: Replica
    lock: Lock = field(factory=Lock)
    round: str = ""

    async def do(self, visitor: Visitor, commands: Sequence[Command]) -> tuple[Entry, ...]:
        """Let the writer do commands of a visitor; return their entries once they are seen here.

        Raises ``ForwardedError`` where the writer refuses, "busy" where none is found in time.
        """
        body = [command_to_json(command) for command in commands]
        reply = await self.forward(visitor, "POST", "commands", body)
        if reply is None:  # the table is written here now
            return await self.hosted.take(commands)
        told = reply.json()
        await self.seen(max(each["sequence"] for each in told))
        found: list[Entry] = []
        for command, each in zip(commands, told, strict=True):
            entry = await self.cluster.keeper.in_thread(self.hosted.entry, *command.key)
            if entry is None:  # pragma: no cover - the writer has said that it is there
                raise busy_error(self.name)
            found.append(evolve(entry, repeated=each["repeated"]))
        return tuple(found)

    async def forward(
        self, visitor: Visitor, method: str, path: str, body: Any = None
    ) -> httpx.Response | None:
        """Ask the writer, as the visitor; None where the table is written here by now.

        Raises ``ForwardedError`` for a refusal, ``TrenteError`` ("busy") without a writer in time.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + _PATIENCE
        while loop.time() < until:
            if self.hosted.remote is not self:
                if self.hosted.remote is None:
                    return None
                return await self.hosted.remote.forward(visitor, method, path, body)
            reply = await self.cluster.asked(self.name, visitor, method, path, body)
            if reply is not None and reply.is_success:
                return reply
            problem = None if reply is None else _problem_in(reply)
            if problem is not None and problem.code not in _ELSEWHERE:
                raise ForwardedError.of(problem)
            await asyncio.sleep(_PAUSE)
        raise busy_error(self.name)

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.hosted.setup.table

    async def seen(self, sequence: int) -> None:
        """Wait until a command of the writer was seen here; ``TrenteError`` ("busy") in vain."""
        try:
            async with asyncio.timeout(_PATIENCE):
                while self.hosted.table.sequence < sequence:
                    await self.catch_up()
                    if self.hosted.table.sequence < sequence:
                        await asyncio.sleep(_PAUSE)
        except TimeoutError:
            raise busy_error(self.name) from None

    async def catch_up(self) -> None:
        """See what the writer has done since."""
        async with self.lock:
            if self.hosted.remote is not self:
                return
            try:
                await self.cluster.keeper.in_thread(self.replica.catch_up)
            except RecordError as error:
                if error.code not in _LOST:  # it is read anew
                    self.hosted.fail(error)
                raise
            now = str(self.replica.table.state.round)
            if now != self.round:
                self.round = now
                self.hosted.clear_ready()

    def give(self, what: Waits, place: int) -> None:
        """Give a cut or a marker to the croupier; ``PhaseError`` ("not-now")."""
        clock = self.hosted.feed.clock()
        if clock is None or clock.waits_for != what:
            phase = self.hosted.table.state.phase
            why = f"the table does not wait for the {what} now"
            raise PhaseError(why, "not-now", "wait until it is asked for", phase)
        self.cluster.say("give", self.name, what=what, place=place)

    def present(self) -> None:
        """Say who is at the table here."""
        self.cluster.present(self)


@define(eq=False)
class _Guests:
    """The players of other processes at a table that is written here: when each was named last."""

    named: dict[tuple[str, str], tuple[str, float]] = field(factory=dict)

    def take(self, process: str, players: Mapping[str, str], now: float) -> list[str]:
        """Note players, each with the round they are ready for; return who is new."""
        known = {player for _process, player in self.named}
        self.named |= {(process, name): (ready, now) for name, ready in players.items()}
        return [name for name in players if name not in known]

    def ready(self, around: str, now: float) -> dict[str, bool]:
        """Return who is there, and whether they are ready for this round."""
        self.named = {key: each for key, each in self.named.items() if now - each[1] < _GONE}
        return {player: ready == around for (_process, player), (ready, _at) in self.named.items()}

    def drop(self, process: str, players: Sequence[str]) -> None:
        """Note that players have gone."""
        for player in players:
            self.named.pop((process, player), None)


class Cluster:
    """One process of a service among those that share its tables."""

    def __init__(self, keeper: Keeper, store: PostgresStore, tokens: Tokens, address: str) -> None:
        """Share the tables of a store; other processes reach this one at ``address``.

        All have the same keys of tokens.
        """
        self.keeper, self._store, self._tokens = keeper, store, tokens
        self._address = address.rstrip("/")
        self.process = fresh_seed(_ID_BYTES).hex()
        self._loop: AbstractEventLoop
        self._bus: Bus
        self._client: httpx.AsyncClient
        self._tables: dict[str, str] = {}  # the channels of journals, and their tables
        self._followed: dict[str, Followed] = {}
        self._guests: dict[str, _Guests] = {}
        self._said: dict[str, set[str]] = {}
        self._saying: set[str] = set()
        self._waiting: dict[str, float] = {}
        self._beats = Beats()
        self._tasks: set[Task[None]] = set()
        self._looking = Lock()
        self._stopping = False

    # Who writes what

    async def open(self) -> None:
        """Take every table that nobody writes, follow the others, and keep looking.

        Everything else is called in the loop that runs now.
        """
        self._loop = asyncio.get_running_loop()
        self._client = httpx.AsyncClient(timeout=_CALL, trust_env=False)
        self._bus = Bus(self._store, self._overheard)
        await self.look()
        self._started(self._always(_LOOK, self.look))
        self._started(self._always(_BEAT, self._beat))

    async def look(self) -> None:
        """Look at who has the locks of the tables, and take over what nobody has."""
        async with self._looking:
            known = await self._threaded(self._bus.ask, _KNOWN)
            rows = await self._threaded(self._bus.ask, _HOLDERS) if known[0][0] else ()
            several = Semaphore(_TOGETHER)

            async def settled(name: str, number: int, holder: int | None, at: str | None) -> None:
                channel = f"{self._store.schema}.{number}"
                self._tables[channel] = name
                self._bus.listen(channel)
                silent = self._beats.silent(name, holder, at, self._loop.time())
                async with several:
                    if not self._stopping:
                        await self._tried(name, holder, silent)

            await asyncio.gather(*(settled(*row) for row in rows))

    async def _tried(self, name: str, holder: int | None, silent: float) -> None:
        """Have a table as it has to be had here, or note why it cannot be."""
        if self._loop.time() < self._waiting.get(name, 0.0):
            return
        if self.keeper.begins(name):  # its lock is held here, for a table that is not there yet
            return
        try:
            await self._settle(name, self.keeper.hosted(name), holder, silent)
        except TrenteError as error:
            if error.code != "journal-locked":  # or another one was quicker
                self._waiting[name] = self._loop.time() + _TRY_AGAIN
                self.keeper.note_failure(name, error)
                _LOG.warning("table %s is not had here: %s", name, error)

    async def _settle(
        self, name: str, hosted: Hosted | None, holder: int | None, silent: float
    ) -> None:
        """Have a table as it has to be had here: written, or followed."""
        hung = holder is not None and silent > _HUNG
        if hosted is None:
            if holder is None:
                await self._mine(await self.keeper.recover(name))
            else:
                await self._follow(name)
        elif hosted.remote is not None:
            if holder is None or hung:
                if hung:
                    _LOG.warning("the writer of table %s hangs: it loses it", name)
                    await self._threaded(self._bus.ask, _END, (holder,))
                async with self._followed[name].lock:
                    await self.keeper.take_over(hosted)
                del self._followed[name]
                await self._mine(hosted)
            elif hosted.failure is not None:
                old = self._followed[name].replica
                await self._follow(name, hosted)
                await self._threaded(old.close)
        elif self._is_lost(hosted, holder):
            await self.keeper.give_up(hosted)
            await self._follow(name, hosted)

    def _is_lost(self, hosted: Hosted, holder: int | None) -> bool:
        """Return whether a table that was written here has to be read again."""
        failure = hosted.failure or hosted.lost
        if failure is not None and failure.code in _LOST:
            return True
        journal = hosted.journal
        if holder is None or not isinstance(journal, PostgresJournal):
            return False
        return holder != journal.backend

    async def _mine(self, hosted: Hosted) -> None:
        """Say that a table is written here."""
        name, journal = hosted.setup.table, hosted.journal
        if not isinstance(journal, PostgresJournal):  # pragma: no cover - the store makes no other
            return

        def note() -> None:
            with journal.transaction() as connection:
                connection.execute(_WRITES.encode(), (name, self.process, self._address))

        await self._threaded(note)
        self.keeper.note_failure(name, None)
        self._guests[name] = _Guests()
        hosted.on_clock = self._clock
        self.say("writer", name)
        _LOG.info("table %s is written here", name)

    async def made(self, hosted: Hosted) -> None:
        """Say that a table was made here."""
        await self._mine(hosted)

    async def _follow(self, name: str, hosted: Hosted | None = None) -> None:
        """Follow a table that another process writes."""

        def read() -> tuple[TableSetup, Replica]:
            setup, reader = self._store.reader(name)
            try:
                return setup, Replica(reader)
            except BaseException:
                reader.close()
                raise

        setup, replica = await self._threaded(read)
        if hosted is None:
            hosted = self.keeper.follows(replica, setup)
        else:
            missed = await self._threaded(lambda: list(replica.reader.entries(hosted.sequence + 1)))
            hosted.move(replica.table, replica.reader, missed)
        hosted.on_clock = None
        followed = Followed(self, hosted, replica, round=str(replica.table.state.round))
        self._followed[name] = hosted.remote = followed
        self.keeper.hold(hosted)
        self.keeper.note_failure(name, None)
        followed.present()
        self._started(followed.catch_up())

    async def _beat(self) -> None:
        """Say that this process lives, and who is at its tables."""
        noted = {owner for (owner,) in await self._threaded(self._bus.ask, _ALIVE, (self.process,))}
        for hosted in self.keeper.tables:
            try:
                await self._beat_at(hosted, known=hosted.setup.table in noted)
            except TrenteError as error:  # the other tables have players too
                _LOG.warning("table %s: %s", hosted.setup.table, error)

    async def _beat_at(self, hosted: Hosted, *, known: bool) -> None:
        """Say who is at one table; at one that another process writes, see what it has done."""
        if hosted.remote is not None:
            hosted.remote.present()
            await hosted.remote.catch_up()
        elif not known:
            await self._mine(hosted)
        else:
            self._invite(hosted)
            self._clock(hosted)  # also for whoever did not hear it before

    # What is asked of a writer

    async def asked(
        self, name: str, visitor: Visitor, method: str, path: str, body: Any
    ) -> httpx.Response | None:
        """Ask the writer of a table once, as a visitor; None where it is not reached."""
        rows = await self._threaded(self._bus.ask, _ADDRESS, (name, self.process))
        if not rows:
            return None
        token = self._tokens.issue(visitor, time.time())
        headers = {"Authorization": f"Bearer {token}"}
        url = f"{rows[0][0]}/api/tables/{name}/{path}".rstrip("/")
        try:
            return await self._client.request(method, url, json=body, headers=headers)
        except httpx.HTTPError:
            return None

    # What is said on the bus

    def say(self, kind: str, table: str, **told: Any) -> None:
        """Say something of a table to the other processes."""
        if not self._stopping:
            message = {"from": self.process, "kind": kind, "table": table, **told}
            self._started(self._threaded(self._bus.say, message))

    def present(self, followed: Followed) -> None:
        """Say, in a moment, who is at a table here, and who is ready for a round."""
        if followed.name not in self._saying:
            self._saying.add(followed.name)
            self._loop.call_later(_COALESCE, self._say_present, followed)

    def _say_present(self, followed: Followed) -> None:
        name, around = followed.name, followed.round
        self._saying.discard(name)
        if followed.hosted.remote is not followed:
            return
        here = followed.hosted.connected
        gone = self._said.get(name, set()) - set(here)
        self._said[name] = set(here)
        if gone:
            self.say("gone", name, players=sorted(gone))
        part: dict[str, str] = {}
        size = 0
        for player, ready in here.items():
            part[player] = around if ready else ""
            size += len(json.dumps([player, around]))
            if size > LARGEST:
                self.say("here", name, players=part)
                part, size = {}, 0
        if part:
            self.say("here", name, players=part)

    def _clock(self, hosted: Hosted) -> None:
        """Say what a table that is written here waits for."""
        clock = hosted.feed.clock()
        if clock is not None:
            told = (clock.waits_for, clock.left, clock.ready, clock.players)
            self.say("clock", hosted.setup.table, clock=told)

    def _invite(self, hosted: Hosted) -> None:
        """Let those in who are at a table at other processes."""
        guests = self._guests.get(hosted.setup.table)
        if guests is not None:
            now = guests.ready(str(hosted.table.state.round), self._loop.time())
            hosted.set_guests(now)

    def _overheard(self, channel: str, payload: str) -> None:
        """Take what was heard, in the thread of the bus."""
        if not self._stopping:
            self._loop.call_soon_threadsafe(self._hear, channel, payload)

    def _hear(self, channel: str, payload: str) -> None:
        own = {each.setup.table: each for each in self.keeper.tables}
        if channel in self._tables or not channel:
            names = [self._tables[channel]] if channel else list(own)
            for name in names:
                hosted = own.get(name)
                if hosted is not None and hosted.remote is not None:
                    self._started(hosted.remote.catch_up())
        elif payload:
            told = json.loads(payload)
            if told["from"] != self.process:
                self._told(told, own.get(told["table"]))

    def _told(self, told: dict[str, Any], hosted: Hosted | None) -> None:
        """Take what another process says."""
        kind = told["kind"]
        if kind in ("bye", "writer") and hosted is None:
            self._started(self.look())
        elif hosted is None:
            return
        elif hosted.remote is not None:
            if kind == "clock":
                waits_for, left, ready, players = told["clock"]
                clock = ClockMessage(waits_for, None if left is None else 0, ready, players)
                deadline = None if left is None else self._loop.time() + left / 1000
                self._started(self._show(hosted, clock, deadline))
            elif kind == "writer":
                hosted.remote.present()
                self._started(hosted.remote.catch_up())
            elif kind == "bye":
                self._started(self.look())
        elif kind in ("here", "gone"):
            self._guest(told, hosted)
        elif kind == "give":
            try:
                self.keeper.give(told["table"], told["what"], told["place"])
            except TrenteError as error:  # somebody was quicker
                _LOG.info("table %s: %s", told["table"], error)

    async def _show(self, hosted: Hosted, clock: ClockMessage, deadline: float | None) -> None:
        """Show what a table waits for, behind what was done before."""
        if hosted.remote is not None:
            await hosted.remote.catch_up()
        if hosted.remote is not None and not self._is_shown(hosted, clock, deadline):
            hosted.feed.set_clock(clock, deadline)

    def _is_shown(self, hosted: Hosted, clock: ClockMessage, deadline: float | None) -> bool:
        """Return whether players see a clock already: it was said again."""
        shown = hosted.feed.clock()
        if shown is None or evolve(shown, left=clock.left) != clock:
            return False
        if shown.left is None or deadline is None:
            return shown.left is deadline is None
        return abs(self._loop.time() + shown.left / 1000 - deadline) < _SAME

    def _guest(self, told: dict[str, Any], hosted: Hosted) -> None:
        """Note who is at a table at another process."""
        guests = self._guests.get(hosted.setup.table)
        if guests is None:
            return
        if told["kind"] == "gone":
            guests.drop(told["from"], told["players"])
        else:
            new = guests.take(told["from"], told["players"], self._loop.time())
            if new:
                self._clock(hosted)
            for player in new:
                self._started(hosted.welcome(player))
        self._invite(hosted)

    # Its end

    async def stop(self) -> None:
        """Look no more, and say nothing more but that this process goes."""
        self._stopping = True
        async with self._looking:
            pass
        while self._tasks:
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def left(self) -> None:
        """Say that the tables of this process can be had, once their journals are closed."""
        for hosted in self.keeper.tables:
            if hosted.remote is None:
                message = {"from": self.process, "kind": "bye", "table": hosted.setup.table}
                await asyncio.to_thread(self._bus.say, message)
        await asyncio.to_thread(self._bus.close)
        await self._client.aclose()

    async def _always(self, seconds: float, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do something again and again, whatever it raises; say it once."""
        said = ""
        while True:
            await asyncio.sleep(seconds)
            try:
                await work()
            except (TrenteError, TimeoutError) as error:
                if str(error) != said:
                    said = str(error)
                    _LOG.warning("the cluster: %s", said)
            else:
                said = ""

    def _started(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, TrenteError):
            _LOG.warning("the cluster: %s", error)
        elif error is not None:
            _LOG.error("the cluster failed", exc_info=error)

    async def _threaded(self, work: Callable[..., T], *given: Any) -> T:
        return await asyncio.to_thread(work, *given)


_END: Final = "SELECT pg_terminate_backend(%s)"


def _problem_in(reply: httpx.Response) -> ProblemDetails | None:
    """Return the problem in a reply; None for anything else, such as that of a proxy."""
    try:
        return ProblemDetails(**reply.json())
    except (ValueError, TypeError):
        return None


def busy_error(table: str) -> TrenteError:
    """Return the error of a table whose writer is not found in time."""
    what = f"the process that writes table {table!r} is not reached"
    return TrenteError(what, "busy", "send it again in a moment")
