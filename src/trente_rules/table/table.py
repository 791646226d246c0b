"""``Table``: a live table, which does each command once and writes it to a journal."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import partial
from threading import RLock, get_ident
from time import perf_counter, sleep
from typing import Any, Final, Protocol, runtime_checkable

from trente_rules.core.errors import RecordError, TrenteError, shown
from trente_rules.core.house.house import House
from trente_rules.core.stakes import Opening
from trente_rules.fair.entropy import fresh_seed
from trente_rules.table.commands import Command, OpenShoe
from trente_rules.table.decide import allowed
from trente_rules.table.draft import Draft
from trente_rules.table.entries import (
    ClosingJournal,
    Entry,
    Journal,
    SharedJournal,
    check_journal,
)
from trente_rules.table.events import Event
from trente_rules.table.memory import Memory
from trente_rules.table.movements import Movement
from trente_rules.table.queue import Queue, Request
from trente_rules.table.state import Setup, TableState

_SESSION_BYTES: Final = 16
_CROWD: Final = 8
"""Commits after one that threads have shared in which they are waited for, some 0.1 ms each."""
_MOST: Final = 1_000
"""Requests after which a commit waits for no more of them."""
_OF_ONE: Final = "same-id", "text-not-kept"
"""Why a journal refuses one command, and would take those that it came with."""
_NO_OPENING: Final = Opening()


@runtime_checkable
class Observer(Protocol):
    """An observer of a table: it is called after each command, done or refused.

    It is called in the thread of the command, inside the table's lock, in the order in which the
    commands were done: it should be quick, and never wait for a thread that uses the table. What it
    raises is logged by ``logging`` under ``trente_rules.table``, and changes nothing. A command
    that an observer gives is done at once; it is shown, by ``state`` and to all observers, when
    they have seen those before it. Questions (``can``, ``why_not``, ``verify``, ``preview``) are
    not observed. An entry is for the host alone: that of an opened shoe holds the cards to come.
    """

    def done(self, table: Table, entries: Sequence[Entry], seconds: float, /) -> None:
        """Look at commands that were done together, most often one; the state is that after them.

        ``seconds`` is how long they took, the journal included.
        """

    def refused(
        self, table: Table, commands: Sequence[Command], error: Exception, seconds: float, /
    ) -> None:
        """Look at commands of which one was refused, so that none was done; ``error`` says why."""


def _checked(observer: object) -> Observer:
    if not isinstance(observer, Observer):
        hint = "it needs both methods, done and refused"
        raise TrenteError(f"{shown(observer)} is not an observer", "bad-setup", hint)
    return observer


class Table:
    """A table of any number of players: commands in, events and movements of money out.

    It may be used from many threads: each command is done as a whole, one after the other.
    ``state`` may be read at any time.
    """

    def __init__(  # noqa: PLR0913 - a table has so many parts, each with its name
        self,
        house: House,
        *,
        name: str = "table",
        opening: Opening = _NO_OPENING,
        journal: Journal | None = None,
        state: TableState | None = None,
        entries: Iterable[Entry] = (),
        purses: bool = False,
        session: str = "",
        observers: Iterable[Observer] = (),
    ) -> None:
        """Set a table up; ``opening`` is needed where the house sets its minimum daily.

        With ``purses`` players buy in before they bet, and the bank gives no credit. ``session``
        names the session of this one table for ever, in the ids of its rounds and movements: never
        give it to another table, or on another evening. Without it 128 bits are drawn from the
        operating system.

        With ``state`` and ``entries`` the table continues from there; name, opening, purses and
        session are those of the state. A ``journal`` must be new: ``recover`` continues one that
        holds a table. ``observers`` are called after every command; ``observe`` adds more.

        Raises ``TrenteError`` ("bad-setup") for an argument of another type or without its methods,
        ``BetError`` ("opening-needed", "no-such-table") where the minimum is not known, and
        ``RecordError`` ("journal-in-use") where the journal holds a table.
        """
        if journal is not None:
            check_journal(journal)
        if state is None:
            drawn = session or fresh_seed(_SESSION_BYTES).hex()
            state = TableState(Setup(house, name, opening, purses, drawn))
        self._state = state
        house.check_opening(self._state.opening)
        self._memory = Memory(entries, self._state)
        self._sequence = self._memory.sequence
        self._memory.journal = journal
        self._lock = RLock()
        self._observers = tuple(map(_checked, observers))
        self._queue, self._crowd = Queue(), 0
        self._called = set[int]()  # the pools from which a thread is to come
        self._pending = deque[Request]()  # done and durable, to be published in this order
        self._shown = self._state
        self._telling = self._block = 0  # calls of observers; the thread of a transaction
        if journal is not None:
            journal.begin(self._state, self.entries)

    @classmethod
    def going_on(
        cls,
        state: TableState,
        entries: Iterable[Entry],
        journal: Journal,
        *,
        sequence: int = 0,
        within: bool = False,
    ) -> Table:
        """Return a table that continues a journal that led to this state; see ``recover``.

        ``sequence`` is that of the last command before these entries; with ``within`` they do not
        begin where a shoe opened.
        """
        table = cls(state.house, state=state, entries=entries)
        table._memory.journal = journal
        table._sequence = max(table._sequence, sequence)
        if within:
            table._memory.lying = None
        return table

    def observe(self, observer: Observer) -> None:
        """Call an observer after every further command, like those passed to the table.

        Raises ``TrenteError`` ("bad-setup") for one that has not both methods of ``Observer``.
        """
        with self._lock:
            self._observers += (_checked(observer),)

    @property
    def state(self) -> TableState:
        """The state between two commands; one that a journal does not hold yet is not seen."""
        return self._state if self._block and self._block == get_ident() else self._shown

    @property
    def sequence(self) -> int:
        """The sequence number of the last command, 0 before the first."""
        with self._lock:
            return self._sequence

    @property
    def house(self) -> House:
        """The house the table is run by."""
        return self._state.setup.house

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of the last shoes, the oldest first."""
        with self._lock:
            return tuple(self._memory.entries.values())

    @property
    def taille(self) -> tuple[Entry, ...]:
        """The entries since the last shoe was opened, with its opening."""
        with self._lock:
            return self._memory.taille(self._state)

    def do(self, command: Command) -> tuple[Event, ...]:
        """Do a command and return its events; see ``execute``."""
        return self.execute(command).events

    def execute(self, command: Command, *, expected: Sequence[Movement] | None = None) -> Entry:
        """Do a command; return its events and movements.

        A command that was done before is not done again: its entry is returned as it was, with
        ``repeated`` set. Raises ``PhaseError`` ("same-id") for another command of the same player
        and id, and whatever ``decide`` raises; the table is then unchanged. With a journal the
        command is durable before this returns: those that other threads send at the same moment
        share its commit.

        ``expected`` are the movements of its preview, for which a wallet was debited: where the
        command would now move other units, it is refused with ``PhaseError`` ("other-movements").
        """
        return self._do((command,), expected)[0]

    def do_many(
        self, commands: Sequence[Command], *, expected: Sequence[Movement] | None = None
    ) -> tuple[Entry, ...]:
        """Do several commands, all of them or none; return their entries.

        They are durable together. Raises what ``execute`` raises for the first that is refused;
        ``expected`` are the movements of all of them, of ``preview_many``.
        """
        return self._do(commands, expected)

    def submit(
        self,
        commands: Sequence[Command],
        pool: Executor,
        *,
        expected: Sequence[Movement] | None = None,
    ) -> Future[tuple[Entry, ...]]:
        """Let commands wait to be done, all or none; return a future of their entries at once.

        They are done in the order of these calls, in threads of ``pool``; those that wait at the
        same moment share a commit. The future raises what ``execute`` raises, and ``expected`` are
        the movements of all of them. What is cancelled while it waits is not done, nor what waits
        for a pool that is shut down with ``cancel_futures``: its futures are cancelled.
        """
        future: Future[tuple[Entry, ...]] = Future()
        self._queue.add(Request(commands, expected, future, pool))
        if id(pool) not in self._called:
            try:
                self._call_for(pool)
            except BaseException:
                future.cancel()
                raise
        return future

    def _call_for(self, pool: Executor) -> None:
        """Call for a thread of a pool, which does what was submitted."""
        self._called.add(id(pool))
        try:
            work = pool.submit(self._serve, pool)
        except BaseException:
            self._called.discard(id(pool))
            raise
        work.add_done_callback(partial(self._served, pool))

    def _serve(self, pool: Executor) -> None:
        """Do what was submitted; within a transaction of this thread that is done at its end."""
        with self._lock:
            self._called.discard(id(pool))
            if not self._block:
                self._lead()

    def _served(self, pool: Executor, work: Future[None]) -> None:
        """Cancel what waits for a thread that the pool was asked not to send."""
        if work.cancelled():
            # The pool may hold its locks: nothing is submitted here. Other pools have calls.
            self._called.discard(id(pool))
            self._queue.cancel(pool)

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """Open a transaction of the journal that the host shares; yield its connection.

        What the table does within, and what the host writes by the connection, is committed
        together where the block ends, or not at all where the block or the commit raises: the table
        is then what it was. Until then what a command returns is provisional. Other threads wait;
        they see the state of before, and observers are called after the commit.

        Raises ``RecordError``: "no-transaction" where the table has no journal, or one without
        transactions; "in-transaction" within another one; and what the journal raises.
        """
        with self._lock:
            self._publish()
            self._check_no_transaction()
            if not isinstance(self._memory.journal, SharedJournal):
                what = "this table has no journal whose transactions can be shared"
                raise RecordError(what, "no-transaction", "use SqliteJournal or PostgresJournal")
            before, done = (self._state, self._sequence), len(self._pending)
            self._block = get_ident()
            try:
                with self._memory.journal.transaction() as connection:
                    yield connection
            except BaseException:
                self._state, self._sequence = before
                self._memory.take_back(self._sequence)
                while len(self._pending) > done:
                    self._pending.pop()
                raise
            finally:
                self._block = 0
                self._publish()
                if self._queue.waiting:  # submitted within to a pool that works at once
                    self._lead()

    def _check_no_transaction(self) -> None:
        if self._block:
            what, hint = "a transaction of this table is open", "end it first"
            raise RecordError(what, "in-transaction", hint)

    def _do(
        self, commands: Sequence[Command], expected: Sequence[Movement] | None = None
    ) -> tuple[Entry, ...]:
        """Do commands, unless a thread that had the lock before has done them."""
        if self._memory.journal is None and not self._observers:
            with self._lock:
                if self._memory.journal is None and not self._queue.waiting:
                    return self._alone(commands, expected)
        request = Request(commands, expected)
        self._queue.add(request)
        try:
            with self._lock:
                self._lead(request)
        except BaseException:
            self._queue.drop(request)
            raise
        return request.outcome()

    def _alone(
        self, commands: Sequence[Command], expected: Sequence[Movement] | None
    ) -> tuple[Entry, ...]:
        """Do commands that have nothing to share, in less time: no journal, no observers."""
        draft = Draft(self._memory, self._state, self._sequence, {})
        entries = draft.do(commands, expected)
        self._memory.entries |= draft.new
        self._state = self._shown = draft.state
        self._sequence = draft.sequence
        self._forget(entries)
        return entries

    def _lead(self, own: Request | None = None) -> None:
        """Do all requests that wait, and one's own if it is not done yet, in one commit."""
        self._publish()  # what was done before comes first
        if own is not None and own.over:
            return
        batch: list[Request] = []
        try:
            nested = self._block or self._telling  # then others wait
            if own is not None and nested:
                self._queue.drop(own)
            else:
                self._queue.move_to(batch)
            if own is not None and own not in batch:
                batch.append(own)
            self._together(batch, joined=not nested)
            shared = sum(each.future is None for each in batch) > 1
            self._crowd = _CROWD if shared else max(0, self._crowd - 1)
        except BaseException:
            done = {id(each) for each in self._pending}
            left = [each for each in batch if not each.over and id(each) not in done]
            for pool in self._queue.put_back(each for each in left if each is not own):
                try:
                    self._call_for(pool)
                except RuntimeError:  # it was shut down
                    self._queue.cancel(pool)
            raise
        finally:
            self._publish()

    def _together(
        self, batch: list[Request], *, joined: bool = False, looked_up: bool = False
    ) -> None:
        """Do requests one after the other, and write them to the journal in one commit.

        With ``joined`` those that arrive meanwhile are let in; where threads have shared a commit
        a short while ago, those that are about to send one are given a moment.
        """
        draft = self._new_draft()
        for request in batch:
            self._draft(request, draft, looked_up=looked_up)
            if joined and request is batch[-1] and len(batch) < _MOST:
                if self._crowd and request.future is None:
                    sleep(0)
                self._queue.move_to(batch)
        if draft.new and self._memory.journal is not None:
            try:
                self._memory.journal.append(tuple(draft.new.values()), draft.state)
            except Exception as error:  # noqa: BLE001 - raised in the threads that wait
                self._not_written(batch, error, looked_up=looked_up)
                return
        self._memory.entries |= draft.new
        self._state, self._sequence = draft.state, draft.sequence
        self._end(batch)

    def _not_written(self, batch: list[Request], error: Exception, *, looked_up: bool) -> None:
        """Find out which requests the journal cannot take; none of them was written."""
        if isinstance(error, RecordError) and error.code in _OF_ONE:
            if error.code == "same-id" and not looked_up:
                self._together(batch, looked_up=True)
                return
            if len(batch) > 1:
                for request in batch:
                    self._together([request], looked_up=True)
                return
        for request in batch:
            # What needs no journal, a retry or a refusal, is what it is without the others.
            draft = self._new_draft()
            self._draft(request, draft, looked_up=looked_up)
            if draft.new:
                request.fail(error, self._state, shared=len(batch) > 1)
        self._end(batch)

    def _end(self, batch: list[Request]) -> None:
        """Let requests be published that are done, or refused for good."""
        now = perf_counter()
        for request in batch:
            request.seconds = now - request.begun
        self._pending.extend(batch)

    def _new_draft(self) -> Draft:
        return Draft(self._memory, self._state, self._sequence, {})

    def _draft(self, request: Request, draft: Draft, *, looked_up: bool) -> None:
        """Do the commands of a request, all or none, after those of the draft."""
        request.entries, request.error = (), None
        if request.begin():
            try:
                request.entries = draft.do(request.commands, request.expected, looked_up=looked_up)
            except Exception as error:  # noqa: BLE001 - raised in the thread that waits for it
                request.error = error
        request.state = draft.state

    def _publish(self) -> None:
        """Show what was done: to who reads the state, to observers, to the threads that wait."""
        # What an observer does is seen by all of them after what it was called for.
        raised: BaseException | None = None
        while self._pending and not self._block and not self._telling:
            request = self._pending.popleft()
            try:
                if request.state is not None:
                    self._shown = request.state
                request.over = True
                self._forget(request.entries)
                if self._observers and not request.cancelled:
                    self._tell(request)
            except BaseException as error:  # noqa: BLE001 - an interrupt; the rest is done
                raised = raised or error
            finally:
                request.release()
        if raised is not None:
            raise raised

    def _forget(self, entries: Iterable[Entry]) -> None:
        """Forget what is too long ago, where one of these commands opened a shoe."""
        for entry in entries:
            if entry.command.kind == OpenShoe.kind and not entry.repeated:
                self._memory.forget(entry)

    def _tell(self, request: Request) -> None:
        """Call the observers, done or refused."""
        commands, error, entries = request.commands, request.error, request.entries
        self._telling += 1
        try:
            for observer in self._observers:
                if error is None:
                    self._call(observer.done, entries, request.seconds)
                else:
                    self._call(observer.refused, commands, error, request.seconds)
        finally:
            self._telling -= 1

    def _call(self, look: Callable[..., None], *about: object) -> None:
        """Call an observer; what it raises is logged, and harms no command."""
        try:
            look(self, *about)
        except Exception:
            import logging  # noqa: PLC0415 - only a fault needs it

            logging.getLogger("trente_rules.table").exception(
                "an observer of table %r failed", self._state.setup.table
            )

    def preview(self, command: Command) -> Entry:
        """Return what ``execute`` would return now; nothing is changed or kept.

        The commands of players can be asked about, and corrections: what they cost is known before
        a wallet is debited, by the ids of the movements. Raises ``PhaseError`` ("not-previewed")
        for another command, whose events would show what is to come, and what ``execute`` raises.
        """
        with self._lock:
            return self._new_draft().preview(command)

    def preview_many(self, commands: Sequence[Command]) -> tuple[Entry, ...]:
        """Return what ``do_many`` would return now; nothing is changed or kept.

        Raises as ``preview``, for the first that is refused.
        """
        with self._lock:
            return self._new_draft().preview_many(commands)

    def rotate(self, journal: Journal) -> None:
        """Continue in a new journal, linked to the old one, which takes no more commands.

        A table without a journal begins to write one. The new journal has the ids of all commands
        of the session. Raises ``RecordError``: "journal-in-use" where the new one holds a table,
        "journal-moved" where the old one does not end where the table is, "no-rotation" where the
        old one cannot be closed for good, or not for a journal of another class; and
        ``TrenteError`` ("bad-setup") if it is not a journal. The table then continues in
        the old one.
        """
        check_journal(journal)
        with self._lock:
            self._publish()
            self._check_no_transaction()
            if self._memory.journal is None:
                journal.begin(self._state, self.entries)
            elif not isinstance(self._memory.journal, ClosingJournal):
                what = "this journal cannot be closed for good"
                raise RecordError(what, "no-rotation", "give it the method hand_over")
            else:
                self._memory.journal.hand_over(journal, self._state, self.entries)
            self._memory.journal = journal

    def earlier(self, command: Command) -> Entry | None:
        """Return the entry of a command that was done before, None where it was not.

        Raises ``PhaseError`` ("same-id") for another command of the same player and id.
        """
        with self._lock:
            return self._memory.earlier(command, self._state, looked_up=True)

    def verify(self, command: Command) -> None:
        """Raise what ``do`` would raise; change nothing.

        A question does not find a card to come: one that names a card of a shoe whose order is
        known raises ``PhaseError`` ("card-secret"), whatever the card is.
        """
        with self._lock:
            known = self._memory.any_known((command,))
            try:
                self._new_draft().asked(command)
            except TrenteError:
                if not known:
                    raise
            if known:  # long ago, this one or another of its id
                self._memory.earlier(command, self._state, looked_up=True)

    def can(self, command: Command) -> bool:
        """Return whether ``do`` would take the command."""
        return self.why_not(command) is None

    def why_not(self, command: Command) -> TrenteError | None:
        """Return why ``do`` would refuse the command, None where it would not."""
        try:
            self.verify(command)
        except TrenteError as error:
            return error
        return None

    def allowed(self) -> tuple[str, ...]:
        """Return the kinds of command that can be taken now."""
        return allowed(self._state)
