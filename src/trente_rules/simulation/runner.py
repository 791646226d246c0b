"""Running a simulation in chunks: on threads, processes or a cluster, with the same totals.

A job is any picklable value that can play a chunk of shoes and answer totals: whole numbers (and
lists and dicts of them), which add up to the same whatever the order. Totals are kept in the order
of the chunks all the same, so that a job whose totals are floating point is reproducible too.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Protocol

from attrs import frozen

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
    each = of_chunk or SHOES
    chunks = {chunk: min(each, shoes - chunk * each) for chunk in range(-(-shoes // each))}
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


class _Played:
    """The chunks that are played, and their sum as far as they are in order."""

    def __init__(
        self, job: Job, chunks: dict[int, int], saved: Saved, progress: Progress | None
    ) -> None:
        self._job, self._chunks, self._saved, self._progress = job, chunks, saved, progress
        self._early: dict[int, Totals] = {}
        self._totals: Totals = {}
        self._next = 0
        self._shoes = self._here = 0
        self._started = perf_counter()

    def all(self, executor: Any, ahead: int) -> None:
        """Play all chunks, few of them waiting at a time, so that memory does not grow."""
        waiting: dict[Future[Totals], int] = {}
        left = iter(self._chunks.items())
        try:
            for chunk, shoes in left:
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
        self._here += self._chunks[chunk]
        self._saved.keep(chunk, self._chunks[chunk], totals)
        self._take(chunk, totals)

    def _take(self, chunk: int, totals: Totals) -> None:
        self._early[chunk] = totals
        self._shoes += self._chunks[chunk]
        while self._next in self._early:
            self._add(self._next)
            self._next += 1
        if self._progress:
            self._progress(self._shoes, sum(self._chunks.values()))

    def _add(self, chunk: int) -> None:
        totals = self._early.pop(chunk)
        self._totals = added(self._totals, totals) if self._totals else totals

    def done(self) -> Done:
        """Answer the sum; after an interrupt, chunks behind one that is missing come last."""
        for chunk in sorted(self._early):
            self._add(chunk)
        whole = sum(self._chunks.values())
        seconds = perf_counter() - self._started
        return Done(self._totals, self._shoes, self._shoes == whole, seconds, self._here)
