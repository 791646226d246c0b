"""The queue of a table: requests that wait for its lock, to be done together by whoever gets it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from copy import copy
from time import perf_counter

from attrs import define, field

from trente_rules.table.commands import Command
from trente_rules.table.entries import Entry
from trente_rules.table.movements import Movement
from trente_rules.table.state import TableState


@define(eq=False)
class Request:
    """Commands that are done together, all or none, and what became of them.

    ``state`` is the table after them; ``over`` is set once they are done, or refused for good, and
    ``taken`` once a thread has the outcome, which in a transaction is earlier. A request that no
    thread waits for has a ``future``, and a ``pool`` whose threads do it.
    """

    commands: Sequence[Command]
    expected: Sequence[Movement] | None = None
    future: Future[tuple[Entry, ...]] | None = None
    pool: Executor | None = None
    entries: tuple[Entry, ...] = ()
    error: Exception | None = None
    state: TableState | None = None
    begun: float = 0.0
    seconds: float = 0.0
    over: bool = False
    taken: bool = False

    @property
    def cancelled(self) -> bool:
        """True where the future was cancelled: nobody wants it."""
        return self.future is not None and self.future.cancelled()

    def begin(self) -> bool:
        """Note when it began; return whether it is wanted: its future may be cancelled."""
        self.begun = perf_counter()
        future = self.future
        return future is None or future.running() or future.set_running_or_notify_cancel()

    def fail(self, error: Exception, state: TableState, *, shared: bool) -> None:
        """End with an error that left the table in a state; a shared one is copied."""
        self.entries, self.state, self.error = (), state, error
        if shared:  # raised in several threads, it would have the traces of all
            with suppress(Exception):
                self.error = copy(error)

    def outcome(self) -> tuple[Entry, ...]:
        """Return the entries, or raise why the commands were refused."""
        error, self.taken = self.error, True
        if self.over:
            self.error = None  # an error holds frames, and they hold the request
        if error is None:
            return self.entries
        try:
            raise error
        finally:
            del error

    def release(self) -> None:
        """Give the future, where there is one, what ``outcome`` gives a thread."""
        if self.taken:  # before it was over
            self.error = None
        if self.future is None or self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.entries)


@define(eq=False)
class Queue:
    """The requests that wait, the first at the front. Any thread may add one at any time."""

    waiting: deque[Request] = field(factory=deque)

    def add(self, request: Request) -> None:
        """Let a request wait behind the others."""
        self.waiting.append(request)

    def move_to(self, batch: list[Request]) -> None:
        """Move all that wait to the end of a list; none of them is ever in neither."""
        waiting = self.waiting
        while waiting:
            batch.append(waiting[0])
            waiting.popleft()

    def drop(self, request: Request) -> None:
        """Let a request wait no longer."""
        if request in self.waiting:
            self.waiting.remove(request)

    def put_back(self, requests: Iterable[Request]) -> list[Executor]:
        """Let requests wait again, before all others; return the pools of those without thread."""
        back = [request for request in requests if request not in self.waiting]
        self.waiting.extendleft(reversed(back))
        return list({id(each.pool): each.pool for each in back if each.pool is not None}.values())

    def cancel(self, pool: Executor) -> None:
        """Cancel the futures that wait for a pool: none of its threads will come."""
        for request in tuple(self.waiting):
            if request.pool is pool and request.future is not None:
                request.future.cancel()
