"""The simulation beside the same work in plain C, in one run; prints only.

The C program (simulate.c) is given the same tables and streams, and its totals must be the same to
the unit. Runs alternate, and processor time is taken, so that a busy machine disturbs both alike.
Goals: 0.9 of the speed of C compiled with -O3, two threads 1.6 times as fast as one, 10^9 coups of
a house on two cores within two minutes (``--billion``) in memory that does not grow.
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
from trente_rules.simulation.flat import FlatJob, simulate
from trente_rules.simulation.runner import streams

HOUSES: Final = ("france-2007", "foster-1897", "german-spas-1840")
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


def told(made: HouseArrays, shoes: int, seed: int) -> bytes:
    """Return tables and streams as the C program reads them."""
    shoe_stream, marker_stream = streams(seed, 0)
    sizes = (len(made.verdicts), len(made.starts), len(made.gains))
    parts = (
        [len(made.cards), shoes, shoes, *made.shoe_rule.tolist(), *sizes],
        shoe_stream.view(np.int64),
        marker_stream.view(np.int64),
        made.cards,
        made.verdicts,
        made.imprisons,
        *made.starts.T,
        made.gains,
        made.nexts,
    )
    return b"".join(np.asarray(part).astype(np.int64).tobytes() for part in parts)


def played(job: FlatJob, made: HouseArrays) -> tuple[float, Any]:
    """Play by the kernel: processor seconds, and the totals."""
    shoe_stream, marker_stream = streams(job.seed, 0)
    start = process_time()
    totals = flat_kernel().play(
        made.cards.copy(),
        shoe_stream,
        marker_stream,
        made.shoe_rule,
        SHOES,
        SHOES,
        made.verdicts,
        made.imprisons,
        made.starts,
        made.gains,
        made.nexts,
    )
    return process_time() - start, totals


def beside_c(name: str, folder: str) -> None:
    """Measure the kernel and C, in turns."""
    job = FlatJob((load_house(name),), seed=7)
    made = job.tables(job.houses[0])
    _seconds, totals = played(job, made)
    coups = int(totals[0].sum())
    programs = [(flags, compiled(folder, flags)) for flags in FLAGS]
    tables = told(made, SHOES, job.seed)
    times: dict[str, list[float]] = {"kernel": []}
    for _run in range(RUNS):
        times["kernel"].append(played(job, made)[0])
        for flags, program in programs:
            if program is None:
                continue
            done = subprocess.run([program], input=tables, capture_output=True, check=True)
            assert done.stdout == b"".join(part.tobytes() for part in totals)
            times.setdefault(" ".join(("C", *flags)), []).append(float(done.stderr))
    least = {who: min(taken) for who, taken in times.items()}
    print(f"{name}: {coups} coups, {len(made.wagers)} wagers")
    for who, taken in times.items():
        print(
            f"  {who:22} {min(taken) / coups * 1e9:6.1f} ns a coup least, "
            f"{median(taken) / coups * 1e9:6.1f} median; "
            f"the kernel runs at {least[who] / least['kernel']:.2f} of its speed"
        )


def threads() -> None:
    """Measure two threads beside one, in turns, by the clock and by the time of all processors."""
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
            beside_c(name, folder)
    threads()
    if "--billion" in sys.argv:
        billion()


if __name__ == "__main__":
    main()
