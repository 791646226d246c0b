"""Running a simulation in chunks: on threads, processes or a cluster, with the same totals.

A job is any picklable value that can play a chunk of shoes and answer totals: whole numbers (and
lists and dicts of them), which add up to the same whatever the order. Totals are kept in the order
of the chunks all the same, so that a job whose totals are floating point is reproducible too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import IO, Any, Final, Protocol, Self
from zlib import crc32

from attrs import field, frozen

from trente_rules.core.errors import TrenteError, shown

# --- The file of a run that can be resumed: JSON lines, one for what was run, one for each chunk

FORMAT: Final = "trente-rules simulation"
VERSION: Final = 2
_SHOWN: Final = 60
_Kept = dict[tuple[int, int], Any]


class Saved:
    """The chunks that are kept of a run; without a file, none."""

    def __init__(self, file: IO[bytes] | None, kept: _Kept | None = None) -> None:
        """Keep chunks in an open file; ``opened`` reads one."""
        self._file, self._kept = file, kept or {}

    @classmethod
    def opened(cls, path: Path, identity: dict[str, Any]) -> Self:
        """Open a file of a run, or begin one.

        Raises ``TrenteError``: "run-file" where it cannot be read or written, "not-a-run" where it
        holds something else, "other-run" where it is of another run.
        """
        head = {"format": FORMAT, "version": VERSION, **identity}
        if path.exists() and not path.is_file():  # a device could be read for ever
            raise TrenteError(
                f"{str(path)!r} cannot be used to resume a run: it is no file",
                "run-file",
                "name a file, new or of a simulation",
            )
        try:
            file = path.open("a+b")
            file.seek(0)
        except OSError as error:
            raise TrenteError(
                f"{str(path)!r} cannot be used to resume a run: {error.strerror}",
                "run-file",
                "name a file in a folder that can be written to",
            ) from error
        try:
            kept = _read(file, path, head)
        except BaseException:
            file.close()
            raise
        return cls(file, kept)

    def totals(self, chunk: int, shoes: int) -> Any:
        """Return the totals of a chunk of so many shoes, None where they are not kept."""
        return self._kept.pop((chunk, shoes), None)

    def keep(self, chunk: int, shoes: int, totals: Any) -> None:
        """Write the totals of a chunk."""
        if self._file:
            told = {"chunk": chunk, "shoes": shoes, "totals": totals}
            _write(self._file, {**told, "check": _check_sum(told)})

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        if self._file:
            self._file.close()


def seed_kept(path: str | os.PathLike[str] | None) -> int | None:
    """Return the seed of the run in a file, None where there is no such file, or no run in it."""
    if path is None or not Path(path).is_file():
        return None
    try:
        with Path(path).open("rb") as file:
            head = _value(file.readline())
    except OSError:
        return None  # ``opened`` tells of it
    seed = head.get("seed") if isinstance(head, dict) and head.get("format") == FORMAT else None
    return seed if type(seed) is int and seed >= 0 else None


def _line(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


def _write(file: IO[bytes], value: Any) -> None:
    try:
        file.write(_line(value))
        file.flush()
    except OSError as error:
        raise TrenteError(
            f"the run cannot be kept: {error.strerror}",
            "run-file",
            "make room, and resume: what stands in the file is not played again",
        ) from error


def _read(file: IO[bytes], path: Path, head: dict[str, Any]) -> _Kept:
    """Read the chunks of a file; lines that are not whole are chunks that are not kept."""
    first = file.readline()
    if not first or (not first.endswith(b"\n") and _line(head).startswith(first)):
        file.truncate(0)
        _write(file, head)
        return {}
    _check(path, _value(first), head)
    kept: _Kept = {}
    whole = True
    for line in iter(file.readline, b""):
        whole = line.endswith(b"\n")
        value = _value(line)
        if isinstance(value, dict) and value.pop("check", None) == _check_sum(value):
            kept[value["chunk"], value["shoes"]] = value["totals"]
    if not whole:
        file.write(b"\n")
    return kept


def _check_sum(told: Any) -> int:
    return crc32(_line(told))


def _value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _check(path: Path, found: Any, head: dict[str, Any]) -> None:
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _no_run(path)
    for name, wanted in head.items():
        if found.get(name) != wanted:
            raise TrenteError(
                f"{str(path)!r} is of another run: its {name} is {shown(found.get(name))}, not "
                f"{shown(wanted)}",
                "other-run",
                "resume with the same houses, seed and wagers, or name another file",
            )


def _no_run(path: Path) -> TrenteError:
    return TrenteError(
        f"{str(path)!r} holds no run that can be resumed",
        "not-a-run",
        "name a new file, or one that a simulation wrote",
    )


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
        """Return the sum; after an interrupt, chunks behind one that is missing come last."""
        seconds = perf_counter() - self._started
        whole = self._sum
        for chunk in sorted(self._early):
            if chunk >= self._sum.next:
                whole = self._with(whole, chunk)
        complete = whole.shoes == self._chunks.shoes
        return Done(whole.totals, whole.shoes, complete, seconds, self._here)


# --- The random streams of a simulation: each chunk has its own, worked out from the seed alone

WORDS: Final = 4
"""The 64-bit words of the state of a xoshiro256++."""


def streams(seed: int, chunk: int) -> tuple[Any, Any]:
    """Return the states (numpy arrays) of the two streams of a chunk: shoes, and markers."""
    from numpy import uint64  # noqa: PLC0415 - of the extra
    from numpy.random import SeedSequence  # noqa: PLC0415

    words = SeedSequence(seed, spawn_key=(chunk,)).generate_state(2 * WORDS, uint64)
    return words[:WORDS], words[WORDS:]


def new_seed() -> int:
    """Return a seed from the operating system, for who names none."""
    from numpy.random import SeedSequence  # noqa: PLC0415 - of the extra

    entropy = SeedSequence().entropy
    assert isinstance(entropy, int)  # noqa: S101 - numpy draws one number
    return entropy


# --- What every simulation is asked for: how many coups, and from which seed

MOST_COUPS: Final = 10**15


def check_coups(coups: float) -> None:
    """Refuse a number of coups that is none: ``TrenteError`` ("bad-coups")."""
    if not 1 <= coups <= MOST_COUPS or coups != int(coups):
        raise TrenteError(
            f"{coups:g} coups cannot be dealt",
            "bad-coups",
            f"a whole number from 1 to {MOST_COUPS:.0e}, as 1e8",
        )


def check_seed(seed: int | None) -> None:
    """Refuse a seed that is none: ``TrenteError`` ("bad-seed")."""
    if seed is not None and (type(seed) is not int or seed < 0):
        raise TrenteError(f"{seed!r} is no seed", "bad-seed", "a whole number, 0 or more")


def seed_for(seed: int | None, resume: str | os.PathLike[str] | None = None) -> int:
    """Return the seed that is named, else that of the run that is resumed, else a new one."""
    if seed is not None:
        return seed
    kept = seed_kept(resume)
    return new_seed() if kept is None else kept


# --- A cluster of dask as an executor; the library comes with the extra ``cluster``

PATIENCE: Final = 10
"""Seconds after which a scheduler that does not answer counts as absent."""
_SHOWN_ADDRESS: Final = 80


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Connect to a scheduler, as ``tcp://host:8786``; answer its executor, and its threads.

    The workers need this library with its extra ``fast``. Raises ``TrenteError`` ("needs-cluster"
    where distributed is not installed, "no-cluster" where nobody answers, "cluster-lost" where its
    workers come away while they play, or cannot).
    """
    try:
        import distributed  # noqa: PLC0415 - of the extra
    except ImportError as error:
        raise TrenteError(
            f"a cluster needs distributed: {error}",
            "needs-cluster",
            'pip install "trente-rules[cluster]"',
        ) from error
    connect: Any = distributed.Client  # its own types are none
    try:
        client = connect(address, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise TrenteError(
            f"no scheduler of dask answers at {address!r}: {str(error)[:_SHOWN]}",
            "no-cluster",
            "start one with `dask scheduler`, and give its address as tcp://host:8786",
        ) from error
    with client:
        try:
            yield client.get_executor(), max(1, sum(client.ncores().values()))
        except Exception as error:
            if not isinstance(error, (CancelledError, ImportError)) and not _of_dask(error):
                raise
            why = str(error)[:_SHOWN_ADDRESS] or "its work was cancelled"
            raise TrenteError(
                f"the cluster at {address!r} plays no longer: {why}",
                "cluster-lost",
                "see that its workers have this library with its extra fast, and begin again: with "
                "--resume, chunks that were done are not played again",
            ) from error


def _of_dask(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] == "distributed"
