"""Twenty players who bet at once, beside another commit, in alternating processes; prints ratios.

    python tests/bench/bench_commits.py --other 9adc570 --sync 0 2 5

Every journal waits for the disk at each commit (FULL), and time is by the clock. What each side
does is in ``players.py``: the other commit always goes by ``threads`` and ``lone``; this checkout
also by ``loop`` and ``timer``. ``--sync`` adds so many milliseconds to each sync
(``slow_sync.c``, which needs a C compiler; POSIX): 0 is the disk as it is. Told are the medians of
the rounds, the median of their ratios to the other commit, and the ratio of the best of each, which
a busy machine disturbs least; each measurement is of a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent))

from against import ROOT, checkout  # type: ignore[import-not-found]

HERE: Final = Path(__file__).parent
WAYS: Final = ("threads", "loop", "timer", "lone")
PAIRS: Final = (*((way, "threads") for way in WAYS[:3]), ("lone", "lone"))
"""How this checkout goes, and how the other one does that it is compared with."""


def measured(place: Path, way: str, seconds: float, more: dict[str, str]) -> dict[str, Any]:
    """Return what ``players.py`` measured, from a process of its own."""
    path = os.pathsep.join((str(place / "src"), str(place / "variants")))
    run = subprocess.run(
        [sys.executable, str(HERE / "players.py"), str(seconds), way],
        env={**os.environ, "PYTHONPATH": path, **more},
        check=True,
        capture_output=True,
        text=True,
    )
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def main() -> None:
    """Measure in turn, and print."""
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--other", default="9adc570", help="a commit, or the folder of a checkout")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each process, at least")
    parser.add_argument("--sync", type=float, nargs="+", default=[0.0], help="milliseconds more")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder, checkout(asked.other) as other:
        library = f"{folder}/slow_sync.so"
        if any(asked.sync):
            source = str(HERE / "slow_sync.c")
            build = ["cc", "-O2", "-shared", "-fPIC", source, "-o", library, "-ldl"]
            subprocess.run(build, check=True)
        print(
            f"{'sync':>7} {'here':8} {'there':8} {'here/s':>8} {'there/s':>8} {'ratio':>6}"
            f" {'best/s':>8} {'there/s':>8} {'ratio':>6} {'commits':>8} {'busy':>8} {'there':>8}"
        )
        for milliseconds in asked.sync:
            more = {"SYNC_MS": str(milliseconds), "LD_PRELOAD": library} if milliseconds else {}
            rounds = []
            for _ in range(asked.rounds):
                here: dict[str, Any] = {}
                there: dict[str, Any] = {}
                for way in WAYS:
                    here[way] = measured(ROOT, way, asked.seconds, more)
                    if way in ("threads", "lone"):
                        there[way] = measured(other, way, asked.seconds, more)
                rounds.append((here, there))
            for one, two in PAIRS:
                ratios = [here[one]["coups"] / there[two]["coups"] for here, there in rounds]
                mine = [here[one] for here, _there in rounds]
                theirs = [there[two] for _here, there in rounds]
                best = max(each["coups"] for each in mine)
                other_best = max(each["coups"] for each in theirs)
                print(
                    f"{'+' if milliseconds else ''}{milliseconds:4g} ms {one:8} {two:8}"
                    f" {median(each['coups'] for each in mine):8.1f}"
                    f" {median(each['coups'] for each in theirs):8.1f} {median(ratios):6.2f}"
                    f" {best:8.1f} {other_best:8.1f} {best / other_best:6.2f}"
                    f" {median(each['commits'] for each in mine):8.2f}"
                    f" {min(each['busy'] for each in mine):5.1f} ms"
                    f" {min(each['busy'] for each in theirs):5.1f} ms",
                    flush=True,
                )


if __name__ == "__main__":
    main()
