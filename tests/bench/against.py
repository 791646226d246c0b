"""The table of this checkout beside that of another one, in alternating processes; prints ratios.

    python tests/bench/against.py --other 9adc570      # a commit: a git worktree of it is made
    python tests/bench/against.py --other ../trente    # or a checkout

Both play the load of ``load.py`` in memory: coups with 4, 20, 100 and 1,000 stakes, each measured
in a process of its own, first the one, then the other, round after round. The other places stakes
one by one; this one as ``--way`` says: one by one, in slips of four done together, or all of a coup
together (``load.py``). Told are the coups a second of each, best of the rounds, and the median of
the ratios of the rounds. Movements are made by this checkout, and not by commits before them. The
gates are those of the table's goals beside 9adc570.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[2]
LOAD: Final = Path(__file__).with_name("load.py")
WAYS: Final = ("one-by-one", "slips", "together")
GATES: Final = {4: 1.5, 20: 4.0, 100: 12.0, 1000: 80.0}


@contextmanager
def checkout(other: str) -> Iterator[Path]:
    """Yield the folder of a checkout; of a commit, a worktree that is removed afterwards."""
    if Path(other).is_dir():
        yield Path(other)
        return
    git = ("git", "-C", str(ROOT), "worktree")
    with TemporaryDirectory() as folder:
        place = f"{folder}/other"
        subprocess.run([*git, "add", "--quiet", "--detach", place, other], check=True)
        try:
            name_houses(Path(place))
            yield Path(place)
        finally:
            subprocess.run([*git, "remove", "--force", place], check=True)


def name_houses(place: Path) -> None:
    """Write what an installation of a release up to 0.4.0 says of itself: where its houses are."""
    said = place / "src" / "trente_rules-0.0.dist-info"
    said.mkdir(exist_ok=True)
    (said / "METADATA").write_text("Metadata-Version: 2.1\nName: trente-rules\nVersion: 0.0\n")
    (said / "entry_points.txt").write_text("[trente_rules]\nhouses = trente_variants\n")


def measured(place: Path, stakes: int, seconds: float, way: str) -> float:
    """Return the coups a second of a checkout, from a process of its own."""
    path = os.pathsep.join((str(place / "src"), str(place / "variants")))
    run = subprocess.run(
        [sys.executable, str(LOAD), str(seconds), way, str(stakes)],
        env={**os.environ, "PYTHONPATH": path},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(json.loads(run.stdout)[str(stakes)])


def main() -> int:
    """Measure in turn, and print; return 1 where a gate is missed."""
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--other", default="9adc570", help="a commit, or the folder of a checkout")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each process, at least")
    parser.add_argument("--stakes", type=int, nargs="+", default=[*GATES])
    parser.add_argument("--way", choices=WAYS, nargs="+", default=WAYS[:1])
    asked = parser.parse_args()
    missed = False
    with checkout(asked.other) as other:
        print(
            f"{'placed':12} {'stakes':>6} {'here':>10} {asked.other[-10:]:>10} {'ratio':>7} "
            f"{'gate':>6}  rounds"
        )
        for way, stakes in product(asked.way, asked.stakes):
            pairs = [
                (
                    measured(ROOT, stakes, asked.seconds, way),
                    measured(other, stakes, asked.seconds, WAYS[0]),
                )
                for _ in range(asked.rounds)
            ]
            here, there = (max(speeds) for speeds in zip(*pairs, strict=True))
            ratios = [one / two for one, two in pairs]
            gate = GATES.get(stakes, 0.0)
            missed |= median(ratios) < gate
            each = " ".join(f"{ratio:.2f}" for ratio in ratios)
            print(
                f"{way:12} {stakes:6} {here:10,.1f} {there:10,.1f} {median(ratios):7.2f} "
                f"{gate:6g}  {each}",
                flush=True,
            )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
