"""Running a simulation in chunks: on threads, processes or a cluster, with the same totals.

A job is any picklable value that can play a chunk of shoes and return totals: whole numbers (and
lists and dicts of them), which have the same sum in any order. Totals are added in the order of
the chunks all the same, so that a job with floating-point totals is reproducible too.
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
from fractions import Fraction
from operator import attrgetter
from pathlib import Path
from time import perf_counter
from typing import IO, Any, BinaryIO, Final, NamedTuple, Protocol
from zlib import crc32

from attrs import frozen, has

from trente_rules.core.errors import TrenteError
from trente_rules.core.files import regular_file
from trente_rules.fair.entropy import fresh_seed

# The file of a run that can be resumed: JSON lines, one for the run, one for each chunk.

FORMAT: Final = "trente-rules simulation"
VERSION: Final = 4
RESUMED: Final = (2, 3, VERSION)
"""The versions that are resumed; in 2 what the simulation could not count was not apart.

Up to 3 a seed gave other shoes: chunks of such a file are kept, those that are missing are dealt as
they are today, which is as good a sample.
"""


Chunks = dict[tuple[int, int], Any]
"""Totals by the number of a chunk and its shoes."""


@contextmanager
def saved_chunks(
    resume: str | os.PathLike[str] | None, identity: dict[str, Any]
) -> Iterator[tuple[IO[bytes] | None, Chunks]]:
    """Open the file of a run, or start one, and read its chunks; without a file, return no chunks.

    Raises ``TrenteError``: "run-file" where it cannot be read or written, "not-a-run" where it
    holds something else, "other-run" where it is of a different run.
    """
    if not resume:
        yield None, {}
        return
    path = Path(resume)
    with _run_file(path) as file:
        file.seek(0)
        yield file, _read_chunks(file, path, {"format": FORMAT, "version": VERSION, **identity})


def check_resume(resume: str | os.PathLike[str] | None) -> None:
    """Refuse what is there and can be no file of a run, before anything is compiled: "run-file"."""
    if resume and Path(resume).exists():
        _run_file(Path(resume)).close()


def _run_file(path: Path) -> BinaryIO:
    try:
        return regular_file(path, mode="a+b")  # for its owner alone: its seed is in it
    except TrenteError as error:
        raise TrenteError(
            f"{str(path)!r} cannot be used to resume a run: {error.message}",
            "run-file",
            "name a file, new or of a simulation, in a folder that can be written to",
        ) from error


def _read_chunks(file: IO[bytes], path: Path, head: dict[str, Any]) -> Chunks:
    """Read the chunks of a file; those whose line is not whole are missing."""
    first = file.readline()
    if not first or (not first.endswith(b"\n") and _line(head).startswith(first)):
        file.truncate(0)
        _write(file, head)
        return {}
    _check_head(path, _value(first), head)
    chunks: Chunks = {}
    whole = True
    for line in iter(file.readline, b""):
        whole = line.endswith(b"\n")
        value = _value(line)
        if isinstance(value, dict) and value.pop("check", None) == crc32(_line(value)):
            chunks[value["chunk"], value["shoes"]] = value["totals"]
    if not whole:
        file.write(b"\n")
    return chunks


def _check_head(path: Path, head: Any, wanted: dict[str, Any]) -> None:
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise TrenteError(
            f"{str(path)!r} is not a run that can be resumed",
            "not-a-run",
            "name a new file, or one that a simulation wrote",
        )
    for name, value in wanted.items():
        if name == "version" and head.get(name) in RESUMED:
            continue
        if head.get(name) != value:
            raise TrenteError(
                f"{str(path)!r} is of a different run: its {name} is "
                f"{json.dumps(head.get(name)):.60}, not {json.dumps(value):.60}",
                "other-run",
                "resume with the same houses, seed and wagers, or name another file",
            )


def _line(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


def _value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _write(file: IO[bytes], value: Any) -> None:
    try:
        file.write(_line(value))
        file.flush()
    except OSError as error:
        raise TrenteError(
            f"the run cannot be saved: {error.strerror}",
            "run-file",
            "make room, and resume: chunks that are in the file are not played again",
        ) from error


# Chunks, played by an executor and added up in order.

SHOES: Final = 16384
"""The shoes of a chunk: some half a million coups."""
_AHEAD: Final = 3
Totals = dict[str, Any]
Progress = Callable[[int, int], object]


class Job(Protocol):
    """A simulation that can be run in chunks."""

    def identity(self) -> dict[str, Any]:
        """Return, as JSON, all that the totals of a chunk depend on, the chunk apart."""
        ...  # pragma: no cover - a protocol has no body

    def play(self, chunk: int, shoes: int, /) -> Totals:
        """Play a chunk, and return its totals as JSON; the same wherever it is played."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class Done:
    """The result of a run; ``totals`` is empty where no chunk is done.

    ``shoes`` are those in the totals, ``complete`` is true where they are all. ``seconds`` is the
    time of this run alone, ``shoes_here`` the shoes it dealt, those of a resumed file left out.
    """

    totals: Totals
    shoes: int
    complete: bool
    seconds: float
    shoes_here: int

    def rate(self, coups: int) -> float:
        """Return the coups a second of this run, of ``coups`` in the totals."""
        dealt_here = coups * (self.shoes_here / self.shoes) if self.shoes else 0.0
        return dealt_here / self.seconds if self.seconds else 0.0


def figures(value: object, names: str) -> dict[str, Any]:
    """Return attributes of a result as JSON: exact numbers as floats, parts as their own JSON.

    ``names`` are in order, separated by spaces; ``key=attribute`` where the key has another name.
    """
    parts = [name.partition("=") for name in names.split()]
    return {key: as_json(attrgetter(name or key)(value)) for key, _equals, name in parts}


def as_json(value: Any) -> Any:
    """Return a part of a result as JSON: see ``figures``."""
    if isinstance(value, dict):
        return {name: as_json(member) for name, member in value.items()}
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, tuple):
        return [as_json(member) for member in value]
    return value.to_json() if has(type(value)) else value


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
    """Play the shoes of a job, and return the totals.

    ``of_chunk`` is how many make a chunk, for jobs that count other things than shoes.
    Without an executor, threads of this process play: ``workers`` (default: one a processor).
    ``progress`` is called with the shoes that are done, and with all. ``resume`` names a file in
    which every chunk is saved: those it holds are not played again. An interrupt
    (``KeyboardInterrupt``) ends the run with what is done so far.

    Raises ``TrenteError``: "bad-workers", "other-run", "not-a-run", "run-file".
    """
    threads = worker_count(workers)
    played = _Played(job, shoes, of_chunk or SHOES, progress)
    own = ThreadPoolExecutor(threads) if executor is None else None
    try:
        with saved_chunks(resume, job.identity()) as (file, saved):
            played.play_all(own or executor, _AHEAD * threads, file, saved)
    finally:
        if own:
            own.shutdown(wait=True, cancel_futures=True)
    return played.done()


class _Sum(NamedTuple):
    """The totals of all chunks before ``next``: one value, so that no interrupt can part it."""

    totals: Totals
    next: int
    shoes: int


class _Played:
    """The chunks that are played, and their sum as far as they are in order."""

    def __init__(self, job: Job, shoes: int, of_chunk: int, progress: Progress | None) -> None:
        self._job, self._shoes, self._of_chunk, self._progress = job, shoes, of_chunk, progress
        self._file: IO[bytes] | None = None
        self._early: dict[int, Totals] = {}
        self._sum = _Sum({}, 0, 0)
        self._shoes_done = self._shoes_here = 0
        self._started = perf_counter()

    def play_all(self, executor: Any, ahead: int, file: IO[bytes] | None, saved: Chunks) -> None:
        """Play all chunks, few of them waiting at a time, so that memory does not grow."""
        self._file = file
        waiting: dict[Future[Totals], int] = {}
        try:
            for chunk in range(-(-self._shoes // self._of_chunk)):
                shoes = self._size(chunk)
                totals = saved.pop((chunk, shoes), None)
                if totals is not None:
                    self._take(chunk, totals)
                    continue
                waiting[executor.submit(self._job.play, chunk, shoes)] = chunk
                while len(waiting) >= ahead:
                    self._collect(waiting)
            while waiting:
                self._collect(waiting)
        except BaseException as error:
            for future in waiting:
                future.cancel()
            if not isinstance(error, KeyboardInterrupt):
                raise
            for future, chunk in waiting.items():  # what is being played already, if it ends
                if not future.cancelled():
                    with suppress(Exception, KeyboardInterrupt):
                        self._save(chunk, future.result())

    def _size(self, chunk: int) -> int:
        """Return the shoes of a chunk; the last may be shorter."""
        return min(self._of_chunk, self._shoes - chunk * self._of_chunk)

    def _collect(self, waiting: dict[Future[Totals], int]) -> None:
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            self._save(waiting.pop(future), future.result())

    def _save(self, chunk: int, totals: Totals) -> None:
        shoes = self._size(chunk)
        if self._file:
            line = {"chunk": chunk, "shoes": shoes, "totals": totals}
            _write(self._file, {**line, "check": crc32(_line(line))})
        self._shoes_here += shoes
        self._take(chunk, totals)

    def _take(self, chunk: int, totals: Totals) -> None:
        """Add a chunk once all before it are; an interrupt anywhere here leaves a true sum."""
        self._early[chunk] = totals
        while (following := self._sum.next) in self._early:
            self._sum = self._with(self._sum, following)
            del self._early[following]
        self._shoes_done += self._size(chunk)
        if self._progress:
            self._progress(self._shoes_done, self._shoes)

    def _with(self, so_far: _Sum, chunk: int) -> _Sum:
        totals = self._early[chunk]
        both = added(so_far.totals, totals) if so_far.totals else totals
        return _Sum(both, chunk + 1, so_far.shoes + self._size(chunk))

    def done(self) -> Done:
        """Return the sum; after an interrupt, chunks behind one that is missing come last."""
        seconds = perf_counter() - self._started
        whole = self._sum
        for chunk in sorted(self._early):
            if chunk >= self._sum.next:
                whole = self._with(whole, chunk)
        complete = whole.shoes == self._shoes
        return Done(whole.totals, whole.shoes, complete, seconds, self._shoes_here)


# The random streams: each chunk has its own, a function of the seed and the chunk alone.

_SEED_BYTES: Final = 6
"""The bytes of a seed that is drawn: few digits to read and to type, exact in every JSON."""
WORDS: Final = 4
"""The 64-bit words of the state of a xoshiro256++."""


def streams(seed: int, chunk: int, *more: int) -> tuple[Any, Any]:
    """Return the states (numpy arrays) of the two streams of a chunk: shoes, and markers.

    ``more`` numbers name other streams of the chunk.
    """
    from numpy import uint64  # noqa: PLC0415 - of the extra
    from numpy.random import SeedSequence  # noqa: PLC0415

    words = SeedSequence(seed, spawn_key=(chunk, *more)).generate_state(2 * WORDS, uint64)
    return words[:WORDS], words[WORDS:]


def seed_for(seed: int | None, resume: str | os.PathLike[str] | None = None) -> int:
    """Return the seed that is named, else that of the run in a file, else a new one.

    Raises ``TrenteError`` ("bad-seed").
    """
    if seed is not None:
        if type(seed) is not int or seed < 0:
            raise TrenteError(f"{seed!r} is not a seed", "bad-seed", "a whole number, 0 or more")
        return seed
    if resume is not None and Path(resume).is_file():
        # What cannot be read ``saved_chunks`` reports.
        with suppress(OSError, TrenteError), regular_file(resume) as file:
            head = _value(file.readline())
            saved = head.get("seed") if isinstance(head, dict) else None
            if type(saved) is int and saved >= 0 and head.get("format") == FORMAT:
                return saved
    return int.from_bytes(fresh_seed(_SEED_BYTES), "big")


# The arguments that every simulation has.

MOST_COUPS: Final = 10**15


def check_coups(coups: float) -> None:
    """Raise ``TrenteError`` ("bad-coups") unless so many coups can be dealt."""
    if not 1 <= coups <= MOST_COUPS or coups != int(coups):
        raise TrenteError(
            f"{coups:g} coups cannot be dealt",
            "bad-coups",
            f"a whole number from 1 to {MOST_COUPS:.0e}, such as 1e8",
        )


def worker_count(workers: int | None) -> int:
    """Return how many threads work (default: one a processor); ``TrenteError`` ("bad-workers")."""
    if workers is not None and workers < 1:
        raise TrenteError(
            f"{workers!r} workers cannot play", "bad-workers", "give 1 or more, or leave it out"
        )
    return workers or os.cpu_count() or 1


# A cluster of dask as an executor; the library comes with the extra ``cluster``.

PATIENCE: Final = 10
"""Seconds after which a scheduler that does not answer counts as absent."""


_TLS_NEEDS: Final = (
    "set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and "
    "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY to files whose authority the scheduler trusts"
)


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Connect to a scheduler, such as ``tls://host:8786``: its executor, and its threads.

    The certificates of ``tls://`` are those of dask's own configuration. The workers need this
    library with its extra ``fast``. Raises ``TrenteError`` ("needs-cluster"
    where distributed is not installed, "no-cluster" where nobody answers, "cluster-lost" where its
    workers disconnect while they play, or cannot play).
    """
    try:
        import distributed  # noqa: PLC0415 - of the extra
    except ImportError as error:
        raise TrenteError(
            f"a cluster needs distributed: {error}",
            "needs-cluster",
            'pip install "trente-rules[cluster]"',
        ) from error
    connect: Any = distributed.Client  # it has no types
    try:
        client = connect(address, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise TrenteError(
            f"no dask scheduler answers at {address!r}: {error!s:.60}",
            "no-cluster",
            _TLS_NEEDS
            if address.startswith("tls://")
            else "start one with `dask scheduler`, and give its address as tcp://host:8786",
        ) from error
    with client:
        try:
            yield client.get_executor(), max(1, sum(client.ncores().values()))
        except Exception as error:
            of_dask = type(error).__module__.partition(".")[0] == "distributed"
            if not of_dask and not isinstance(error, (CancelledError, ImportError)):
                raise
            why = f"{error!s:.80}" or "its work was cancelled"
            raise TrenteError(
                f"the cluster at {address!r} no longer plays: {why}",
                "cluster-lost",
                "check that its workers have this library with its extra fast, and run it again: "
                "with --resume, chunks that were done are not played again",
            ) from error
