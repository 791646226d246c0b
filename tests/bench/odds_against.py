"""The fast odds next to those of another commit, in alternating processes; prints only.

    python tests/bench/odds_against.py                    # version 0.7.0
    python tests/bench/odds_against.py --other ../trente  # or a checkout

First each compiles its kernel with an empty cache. Then a process of the one and a process of the
other take turns, and each prints the least processor time of many calls of ``fast_odds``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from against import ROOT, checkout  # type: ignore[import-not-found]

RELEASE: Final = "7f83a4c6"
"""The last commit of version 0.7.0."""
RUNS: Final = 60
MEASURED: Final = """
import json, sys
from time import process_time, thread_time
import numba
from trente_rules.odds import fast
start = process_time()
fast._kernel()
found = {"first": process_time() - start}
cards = {
    "312 cards, even colours": ((12,) * 9 + (48,), (12,) * 9 + (48,)),
    "312 cards, uneven colours": ((13, 11) * 4 + (13, 47), (11, 13) * 4 + (11, 49)),
    "52 cards, even colours": ((2,) * 9 + (8,), (2,) * 9 + (8,)),
}
for name, (noir, rouge) in cards.items():
    fast.fast_odds(noir, rouge)
    times = []
    for _run in range(int(sys.argv[1])):
        start = thread_time()
        fast.fast_odds(noir, rouge)
        times.append(thread_time() - start)
    found[name] = 1000 * min(times)
print(json.dumps(found))
"""


def measured(place: Path, cache: str) -> dict[str, float]:
    """Return seconds of the first call, and milliseconds of the others, from a new process."""
    path = os.pathsep.join((str(place / "src"), str(place / "variants")))
    run = subprocess.run(
        [sys.executable, "-c", MEASURED, str(RUNS)],
        env={**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": cache},
        check=True,
        capture_output=True,
        text=True,
    )
    return {name: float(value) for name, value in json.loads(run.stdout).items()}


def main() -> None:
    """Measure in turn, and print the ratios."""
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--other", default=RELEASE, help="a commit, or the folder of a checkout")
    parser.add_argument("--rounds", type=int, default=4)
    asked = parser.parse_args()
    with checkout(asked.other) as other, TemporaryDirectory() as one, TemporaryDirectory() as two:
        places = ((ROOT, one), (other, two))
        first, *rounds = [
            [measured(place, cache) for place, cache in places]
            for _round in range(asked.rounds + 1)
        ]
    here, there = (each["first"] for each in first)
    print(f"to compile, numba imported: {here:.1f} s and {there:.1f} s: {here / there:.2f}")
    for name in first[0]:
        if name != "first":
            here, there = (min(turn[place][name] for turn in rounds) for place in (0, 1))
            print(f"{name:26} {here:6.2f} ms and {there:6.2f} ms: {there / here:.1f} times as fast")


if __name__ == "__main__":
    main()
