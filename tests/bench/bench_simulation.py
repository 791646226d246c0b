"""The simulation next to the same work in plain C, in one run; prints only.

The C program (simulate.c) is given the same tables. Given the same orders of the cards too, its
totals must be the same to the unit; for its time it shuffles its own shoes. Runs alternate, and
processor time is taken, so that a busy machine disturbs both alike. Goals: 2.4 times the speed of
C compiled with -O3, two threads 1.6 times as fast as one, 10^9 coups of a house on two cores within
half a minute (``--billion``) in memory that does not grow.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
from os import cpu_count, getloadavg
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

import numba
import numpy as np

from trente_rules.core.house.loading import load_house
from trente_rules.simulation.arrays import HouseArrays
from trente_rules.simulation.compiled import flat_kernel
from trente_rules.simulation.flat import FlatJob, orders, played_together, simulate
from trente_rules.simulation.lockstep import LANES
from trente_rules.simulation.runner import streams

HOUSES: Final = ("france-2007", "foster-1897", "german-spas-1840", "italy-half-loss")
ALIKE: Final = (
    "france-2007",
    "france-1959",
    "monte-carlo-1911",
    "italy-half-loss",
    "campione",
    "spain-1979",
    "germany-500",
    "foster-1897",
)
MORE: Final = 64
"""Shoes for prisoners that are left after the last one."""
CARD: Final = 31
"""The bits of points and colour."""
SHOES: Final = 16384
RUNS: Final = 9
FLAGS: Final = (("-O3",), ("-O3", "-march=native"))


def compiled(folder: str, flags: tuple[str, ...]) -> Path | None:
    """Compile the C program; None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    source, program = Path(__file__).with_name("simulate.c"), Path(folder) / "-".join(flags)
    subprocess.run([compiler, *flags, "-o", str(program), str(source)], check=True)
    return program


def told(made: HouseArrays, seed: int, given: Any) -> bytes:
    """Return tables, streams and orders of the cards (there may be none) as C reads them."""
    shoe_stream, marker_stream = streams(seed, 0)
    sizes = (len(made.verdicts), len(made.starts), len(made.gains))
    parts = (
        [len(given), len(made.cards), SHOES, SHOES, *made.shoe_rule.tolist(), *sizes],
        shoe_stream.view(np.int64),
        marker_stream.view(np.int64),
        made.cards,
        made.verdicts,
        made.imprisons,
        *made.starts.T,
        made.gains,
        made.nexts,
    )
    tables: bytes = b"".join(np.asarray(part).astype(np.int64).tobytes() for part in parts)
    of_orders: bytes = (given & CARD).astype(np.uint8).tobytes()
    return tables + of_orders


def played(made: HouseArrays, seed: int) -> tuple[float, Any]:
    """Play by the kernel: processor seconds, and the totals."""
    start = process_time()
    (totals,) = played_together([made], seed, 0, SHOES, SHOES)
    return process_time() - start, totals


def in_c(program: Path, tables: bytes) -> tuple[float, bytes]:
    """Play by C: processor seconds, and the totals."""
    done = subprocess.run([program], input=tables, capture_output=True, check=True)
    return float(done.stderr), done.stdout


def next_to_c(name: str, folder: str) -> None:
    """Measure the kernel and C, in turns."""
    job = FlatJob((load_house(name),), seed=7)
    made = job.tables(job.houses[0])
    _seconds, totals = played(made, job.seed)
    coups = int(totals[0].sum())
    programs = [(flags, compiled(folder, flags)) for flags in FLAGS]
    packs = job.houses[0].shoe.packs
    same = told(made, job.seed, orders(packs, job.seed, 0, SHOES + MORE))
    own = told(made, job.seed, np.zeros((0, len(made.cards)), np.uint16))
    times: dict[str, list[float]] = {"kernel": []}
    for run in range(RUNS):
        times["kernel"].append(played(made, job.seed)[0])
        for flags, program in programs:
            if program is None:
                continue
            if not run:
                found = in_c(program, same)[1]
                assert found == b"".join(part.tobytes() for part in totals)
            times.setdefault(" ".join(("C", *flags)), []).append(in_c(program, own)[0])
    least = {who: min(taken) for who, taken in times.items()}
    print(f"{name}: {coups} coups, {len(made.wagers)} wagers")
    for who, taken in times.items():
        print(
            f"  {who:22} {min(taken) / coups * 1e9:6.1f} ns a coup least, "
            f"{median(taken) / coups * 1e9:6.1f} median; "
            f"the kernel is {least[who] / least['kernel']:.2f} times as fast"
        )


def together() -> None:
    """Measure more and more houses on the same shoes, in turns."""
    jobs = [FlatJob(tuple(map(load_house, ALIKE[:many])), seed=7) for many in (1, 2, 4, 8)]
    times: list[list[float]] = [[] for _job in jobs]
    for job in jobs:
        job.play(0, LANES)
    for _run in range(RUNS):
        for job, taken in zip(jobs, times, strict=True):
            start = process_time()
            job.play(0, SHOES)
            taken.append(process_time() - start)
    one = min(times[0])
    for job, taken in zip(jobs, times, strict=True):
        many = len(job.houses)
        print(f"{many} houses on the same shoes: {min(taken) / one:.2f} of the time of one")


def threads() -> None:
    """Measure two threads next to one, in turns, by the clock and by the time of all processors."""
    house = load_house(HOUSES[0])
    times: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    for _run in range(RUNS):
        for workers, taken in times.items():
            start, busy = perf_counter(), process_time()
            simulate(house, coups=1e7, seed=7, workers=workers)
            taken.append((perf_counter() - start, process_time() - busy))
    for workers, taken in times.items():
        clock, busy = (min(both) for both in zip(*taken, strict=True))
        print(f"10^7 coups, {workers} threads: {clock:.2f} s, processors busy for {busy:.2f} s")
    one, two = (min(clock for clock, _busy in taken) for taken in times.values())
    print(f"two threads are {one / two:.2f} times as fast as one")


def billion() -> None:
    """Measure 10^9 coups on two threads, and the memory."""
    house = load_house(HOUSES[0])
    simulate(house, coups=1e7, seed=7, workers=2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, busy = perf_counter(), process_time()
    coups = simulate(house, coups=1e9, seed=7, workers=2).houses[0].coups
    clock, busy = perf_counter() - start, process_time() - busy
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(
        f"{coups} coups, 2 threads: {clock:.1f} s, processors busy for {busy:.1f} s; "
        f"memory grew by {grown} kB"
    )


def main() -> None:
    """Measure and print."""
    print(
        f"Python {sys.version.split()[0]}, numpy {np.__version__}, numba {numba.__version__}, "
        f"{cpu_count()} processors, {getloadavg()[0]:.1f} processes that want them"
    )
    start = perf_counter()
    flat_kernel()
    print(f"first call, compiled or read from the cache: {perf_counter() - start:.2f} s")
    with tempfile.TemporaryDirectory() as folder:
        for name in HOUSES:
            next_to_c(name, folder)
    together()
    threads()
    if "--billion" in sys.argv:
        billion()


if __name__ == "__main__":
    main()
