"""The fast odds beside the same integral in plain numpy, in one run; prints only.

The plain version works at the same nodes, on whole arrays, and answers the points alone; the fast
one answers the colours of the first cards too. Runs alternate, so that a busy machine disturbs both
alike; times of single calls are processor time, which other work on the machine does not add to.
The goal is 1.1 ms for 312 cards of even colours, 2 ms of uneven ones, on one core, once compiled.
"""

from __future__ import annotations

import os
import subprocess
import sys
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, thread_time
from typing import Any, Final

import numpy as np

from trente_rules.odds.fast import _kernel, _rules, fast_odds, fast_odds_of_many

RUNS: Final = 25
BATCH: Final = 64
EVEN: Final = ((12,) * 9 + (48,), (12,) * 9 + (48,))
LEANING: Final = ((13, 11) * 4 + (13, 47), (11, 13) * 4 + (11, 49))
HALF: Final = ((3, 7, 5, 6, 9, 4, 6, 5, 8, 20), (8, 5, 2, 6, 7, 7, 4, 9, 3, 27))
COMPILE: Final = """
from time import process_time
import numba, trente_rules.odds.fast as fast
start = process_time()
fast._kernel()
print(f"{process_time() - start:.1f} s of the processor to compile the fast odds, numba imported")
"""


def divided(series: Any, value: int, a: Any, b: Any) -> Any:
    """Divide series [first total, second total, node] by the factor of one card."""
    out = series.copy()
    for s in range(31):
        if s >= value:
            out[s] -= a * out[s - value]
        for t in range(value, 31):
            out[s, t] -= b * out[s, t - value]
    return out


def plain(noir: tuple[int, ...], rouge: tuple[int, ...]) -> Any:
    """Return the joint odds of both points by Poisson's integral, at all nodes at once."""
    counts = [a + b for a, b in zip(noir, rouge, strict=True)]
    kernel = _kernel()
    ends = kernel.row(np.array(counts, dtype=np.float64))
    rule, _bound = next(_rules(kernel.LANES, counts, ends))
    weights = rule.weights
    both, share = rule.nodes.reshape(-1, 2).T
    a, b = both / (1 - both) * share, both / (1 - both) * (1 - share)
    whole = np.zeros((31, 31, len(a)))
    whole[0, 0] = 1
    for value, count in enumerate(counts, 1):
        for _card in range(count):
            old = whole.copy()
            whole[value:] += a * old[:-value]
            whole[:, value:] += b * old[:, :-value]
    joint = np.zeros((10, 10))
    for x in range(1, 11):
        once = divided(whole, x, a, b)
        for y in range(x, 11):
            ways = counts[x - 1] * (counts[y - 1] - (x == y))
            ends = ways * divided(once, y, a, b) @ weights.ravel()
            joint[:x, :y] += ends[31 - x :, 31 - y :]
            if x != y:
                joint[:y, :x] += ends[31 - y :, 31 - x :]
    return joint + joint.T


def seconds(function: Any, *arguments: Any) -> float:
    """Return how long a call takes."""
    start = perf_counter()
    function(*arguments)
    return perf_counter() - start


def work(function: Any, *arguments: Any) -> float:
    """Return how much processor time a call takes."""
    start = thread_time()
    function(*arguments)
    return thread_time() - start


def batch(workers: int | None) -> tuple[float, float]:
    """Return milliseconds for each of a batch, and how many cores were at work meanwhile."""
    start = process_time()
    wall = seconds(fast_odds_of_many, [LEANING] * BATCH, workers)
    return wall / BATCH * 1000, (process_time() - start) / wall


def compile_anew() -> None:
    """Print how long the first run of all takes, in a process with an empty cache."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        subprocess.run([sys.executable, "-c", COMPILE], check=True, env=environment)


def main() -> None:
    """Measure and print."""
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}, {os.cpu_count()} processors")
    compile_anew()
    first = seconds(fast_odds, *EVEN)
    print(f"first call, compiled or read from the cache: {first:.2f} s")
    apart = np.abs(plain(*EVEN) - np.array(fast_odds(*EVEN).points)).max()
    print(f"the two differ by {apart:.1e} at most")
    kinds = {
        "fast, 312 cards, even colours": (fast_odds, *EVEN),
        "fast, 312 cards, uneven colours": (fast_odds, *LEANING),
        f"fast, {sum(map(sum, HALF))} cards, uneven": (fast_odds, *HALF),
        "plain numpy, 312 cards, points": (plain, *EVEN),
    }
    turns = [[work(*call) for call in kinds.values()] for _run in range(RUNS)]
    columns = tuple(zip(*turns, strict=True))
    for name, times in zip(kinds, columns, strict=True):
        print(f"{name:32} {min(times) * 1000:8.2f} ms least {median(times) * 1000:8.2f} median")
    for name, times in zip(kinds, columns[:-1], strict=False):
        print(f"plain numpy takes {min(columns[-1]) / min(times):.1f} times {name}")
    fast_odds_of_many([LEANING] * BATCH)
    for workers in (1, os.cpu_count()):
        each, used = min(batch(workers) for _run in range(5))
        print(
            f"batch of {BATCH}, {workers} workers: {each:.2f} ms for each, {used:.2f} cores in use"
        )


if __name__ == "__main__":
    main()
