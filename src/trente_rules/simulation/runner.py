"""Running a simulation in chunks: on threads, processes or a cluster, with the same totals.

A job is any picklable value that can play a chunk of shoes and answer totals: whole numbers (and
lists and dicts of them), which add up to the same whatever the order. Totals are kept in the order
of the chunks all the same, so that a job whose totals are floating point is reproducible too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Protocol

from attrs import field, frozen

from trente_rules.errors import TrenteError
from trente_rules.simulation.saved import Saved

SHOES: Final = 16384
"""The shoes of a chunk: some half a million coups."""
_AHEAD: Final = 3
Totals = dict[str, Any]
Progress = Callable[[int, int], object]


class Job(Protocol):
    """What can be run in chunks."""

    def identity(self) -> dict[str, Any]:
        """Answer, as JSON, all that the totals of a chunk depend on, the chunk apart."""
        ...  # pragma: no cover - a protocol has no body

    def play(self, chunk: int, shoes: int, /) -> Totals:
        """Play a chunk, and answer its totals as JSON; the same wherever it is played."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class Done:
    """What a run came to; ``totals`` is empty where no chunk is done.

    ``shoes`` are those in the totals, ``complete`` tells whether they are all. ``seconds`` is the
    time of this run alone, ``shoes_here`` the shoes it dealt, those of a resumed file left out.
    """

    totals: Totals
    shoes: int
    complete: bool
    seconds: float
    shoes_here: int


def play_chunk(job: Job, chunk: int, shoes: int) -> Totals:
    """Play one chunk; a function of a module, so that processes and clusters can be sent it."""
    return job.play(chunk, shoes)


def added(one: Any, other: Any) -> Any:
    """Add totals, member by member; a name that one of them lacks counts nothing there."""
    if isinstance(one, dict):
        both = {
            name: added(value, other[name]) if name in other else value
            for name, value in one.items()
        }
        return {**other, **both}
    if isinstance(one, list):
        return [added(a, b) for a, b in zip(one, other, strict=True)]
    return one + other


def run(
    job: Job,
    shoes: int,
    *,
    of_chunk: int | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> Done:
    """Play so many shoes, and answer the totals.

    ``of_chunk`` is how many make a chunk, for jobs that count other things than shoes.
    Without an executor, threads of this process play: ``workers`` of them, else one a processor.
    ``progress`` is told how many shoes are done, and of how many. ``resume`` names a file that
    keeps every chunk: what stands in it is not played again. An interrupt (``KeyboardInterrupt``)
    ends the run with what is done so far.

    Raises ``TrenteError``: "bad-workers", "other-run", "not-a-run", "run-file".
    """
    if workers is not None and workers < 1:
        raise TrenteError(
            f"{workers!r} workers cannot play", "bad-workers", "give 1 or more, or leave it out"
        )
    chunks = _Chunks(shoes, of_chunk or SHOES)
    own = ThreadPoolExecutor(workers or os.cpu_count() or 1) if executor is None else None
    ahead = _AHEAD * (workers or os.cpu_count() or 1)
    with Saved.opened(Path(resume), job.identity()) if resume else Saved(None) as saved:
        played = _Played(job, chunks, saved, progress)
        try:
            played.all(own or executor, ahead)
        finally:
            if own:
                own.shutdown(wait=True, cancel_futures=True)
        return played.done()


@frozen
class _Chunks:
    """How so many shoes are cut in chunks; the last may be shorter."""

    shoes: int
    each: int

    def __iter__(self) -> Iterator[int]:
        return iter(range(-(-self.shoes // self.each)))

    def size(self, chunk: int) -> int:
        return min(self.each, self.shoes - chunk * self.each)


@frozen
class _Sum:
    """The totals of all chunks before ``next``: one value, so that no interrupt can part it."""

    totals: Totals = field(factory=dict)
    next: int = 0
    shoes: int = 0

    def and_chunk(self, chunk: int, shoes: int, totals: Totals) -> _Sum:
        both = added(self.totals, totals) if self.totals else totals
        return _Sum(both, chunk + 1, self.shoes + shoes)


class _Played:
    """The chunks that are played, and their sum as far as they are in order."""

    def __init__(self, job: Job, chunks: _Chunks, saved: Saved, progress: Progress | None) -> None:
        self._job, self._chunks, self._saved, self._progress = job, chunks, saved, progress
        self._early: dict[int, Totals] = {}
        self._sum = _Sum()
        self._told = self._here = 0
        self._started = perf_counter()

    def all(self, executor: Any, ahead: int) -> None:
        """Play all chunks, few of them waiting at a time, so that memory does not grow."""
        waiting: dict[Future[Totals], int] = {}
        try:
            for chunk in self._chunks:
                shoes = self._chunks.size(chunk)
                kept = self._saved.totals(chunk, shoes)
                if kept is not None:
                    self._take(chunk, kept)
                    continue
                waiting[executor.submit(play_chunk, self._job, chunk, shoes)] = chunk
                while len(waiting) >= ahead:
                    self._collect(waiting)
            while waiting:
                self._collect(waiting)
        except KeyboardInterrupt:
            for future in waiting:
                future.cancel()
            self._rest(waiting)
        except BaseException:
            for future in waiting:
                future.cancel()
            raise

    def _collect(self, waiting: dict[Future[Totals], int]) -> None:
        ready, _not_ready = wait(waiting, return_when=FIRST_COMPLETED)
        for future in ready:
            self._play(waiting.pop(future), future.result())

    def _rest(self, waiting: dict[Future[Totals], int]) -> None:
        """After an interrupt: take what is being played already, if it comes to an end."""
        for future, chunk in waiting.items():
            if not future.cancelled():
                with suppress(Exception, KeyboardInterrupt):
                    self._play(chunk, future.result())

    def _play(self, chunk: int, totals: Totals) -> None:
        shoes = self._chunks.size(chunk)
        self._saved.keep(chunk, shoes, totals)
        self._here += shoes
        self._take(chunk, totals)

    def _take(self, chunk: int, totals: Totals) -> None:
        """Add a chunk once all before it are; an interrupt anywhere here leaves a true sum."""
        self._early[chunk] = totals
        while (following := self._sum.next) in self._early:
            self._sum = self._with(self._sum, following)
            del self._early[following]
        self._told += self._chunks.size(chunk)
        if self._progress:
            self._progress(self._told, self._chunks.shoes)

    def _with(self, so_far: _Sum, chunk: int) -> _Sum:
        return so_far.and_chunk(chunk, self._chunks.size(chunk), self._early[chunk])

    def done(self) -> Done:
        """Answer the sum; after an interrupt, chunks behind one that is missing come last."""
        seconds = perf_counter() - self._started
        whole = self._sum
        for chunk in sorted(self._early):
            if chunk >= self._sum.next:
                whole = self._with(whole, chunk)
        complete = whole.shoes == self._chunks.shoes
        return Done(whole.totals, whole.shoes, complete, seconds, self._here)
