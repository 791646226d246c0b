"""What starting costs, in fresh processes with compiled bytecode; prints only.

The import of the library is compared with that of the libraries that it stands on (the goal is 1.6
times at most), twice: ``import trente_rules`` alone, which loads its names only when they are asked
for, and with every public name, which is what a host that uses them pays. ``trente --help`` and
``trente compare`` (the goal is 0.6 s) are measured from start to end. Runs that are compared
alternate, so that a busy machine disturbs all alike; the least is the steadiest figure.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

RUNS: Final = 25
COMPARE_RUNS: Final = 7
BARE: Final = (sys.executable, "-I", "-c", "pass")
BASE: Final = (sys.executable, "-I", "-c", "import attrs, cattrs, pluggy, tomllib")
FACADE: Final = (sys.executable, "-I", "-c", "import trente_rules")
NAMES: Final = (sys.executable, "-I", "-c", "from trente_rules import *")
HELP: Final = (str(Path(sys.executable).with_name("trente")), "--help")
COMPARE: Final = (str(Path(sys.executable).with_name("trente")), "compare")


def seconds(command: tuple[str, ...]) -> float:
    """Return how long a command takes, bytecode allowed."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    start = perf_counter()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return perf_counter() - start


def measured(commands: tuple[tuple[str, ...], ...], runs: int) -> list[list[float]]:
    """Run each command once to compile what it imports, then all in turn, so many times."""
    for command in commands:
        seconds(command)
    turns = [[seconds(command) for command in commands] for _ in range(runs)]
    return [list(times) for times in zip(*turns, strict=True)]


def row(name: str, times: list[float]) -> str:
    """Return a line with the least and the median, in milliseconds."""
    return f"{name:32} {min(times) * 1000:8.1f} {median(times) * 1000:8.1f}"


def main() -> None:
    """Measure and print."""
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"Python {version} on {sys.platform}, {os.cpu_count()} processors")
    print(f"{'milliseconds':32} {'least':>8} {'median':>8}")
    bare, base, facade, names, listed = measured((BARE, BASE, FACADE, NAMES, HELP), RUNS)
    print(row("bare Python", bare))
    print(row("import attrs, cattrs, pluggy ...", base))
    print(row("import trente_rules", facade))
    print(row("from trente_rules import *", names))
    print(row("trente --help", listed))
    (compare,) = measured((COMPARE,), COMPARE_RUNS)
    print(row("trente compare", compare))
    print("ratios to the libraries beneath; in brackets, bare Python taken off (goal 1.6 at most)")
    for what, times in (("import trente_rules", facade), ("from trente_rules import *", names)):
        figures = [
            f"{pick(times) / pick(base):.2f}"
            f" ({(pick(times) - pick(bare)) / (pick(base) - pick(bare)):.2f})"
            for pick in (min, median)
        ]
        print(f"{what:32} by the least {figures[0]}, by the median {figures[1]}")
    print(f"trente compare: {min(compare):.2f} s (goal 0.6 s at most)")


if __name__ == "__main__":
    main()
