"""Measure what reads a journal: processor time and the most memory, each in a separate process.

``python tests/bench/bench_readers.py --shoes 1110`` makes a journal of a million events (a minute
and a half, 300 MB) in a folder of its own, and reads it by each command of ``trente``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from trente_rules import PACK, Table, load_house
from trente_rules.fair import SeededShuffler
from trente_rules.table import (
    CloseBets,
    Command,
    Cut,
    Deal,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
    SqliteJournal,
)

READERS: Final = (
    ("history", "--format", "json"),
    ("history", "--check"),
    ("verify",),
    ("monitor", "--false-alarms", "1e-9"),
    ("record",),
    ("record", "--shoe", "2"),
    ("record", "--format", "compact"),
    ("record", "--format", "json"),
)
CHANCES: Final = ("rouge", "noir", "couleur", "inverse")
AMOUNTS: Final = (1_000, 2_000, 5_000, 10_000)


def play(path: Path, shoes: int) -> None:
    """Write a journal of some shoes of france-2007, five stakes a coup."""
    house, random, count = load_house("france-2007"), Random(7), 0
    journal = SqliteJournal(path, "normal")
    table = Table(house, opening=house.opening(minimum=10), journal=journal)

    def done(*commands: tuple[type[Command], dict[str, Any]]) -> None:
        nonlocal count
        made = []
        for kind, fields in commands:
            count += 1
            made.append(kind(id=f"c{count}", **fields))
        table.do_many(made)

    for shoe in range(shoes):
        cards = SeededShuffler(shoe.to_bytes(16, "big")).shuffle(PACK * house.shoe.packs)
        done((OpenShoe, {"cards": cards}), (Cut, {"place": 3}), (PlaceMarker, {}))
        while "open-bets" in table.allowed():
            stakes: list[dict[str, Any]] = [
                {
                    "stake": f"s{count}-{n}",
                    "player": f"p{n}",
                    "chance": random.choice(CHANCES),
                    "amount": random.choice(AMOUNTS),
                }
                for n in range(5)
            ]
            done((OpenBets, {}), *[(Place, stake) for stake in stakes])
            done((CloseBets, {}), (Deal, {}))
            if "settle" in table.allowed():
                done((Settle, {}))
    print(f"{count:,} commands, {table.state.events:,} events, {shoes:,} shoes")
    journal.close()


def measure(words: Sequence[str], journal: Path) -> None:
    """Run a command of ``trente`` on a journal, and print what it took."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", "from trente_rules.cli import main; main()", *words, str(journal)],
        stdout=subprocess.DEVNULL,
    )
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds, wall = used.ru_utime + used.ru_stime, time.perf_counter() - begin
    memory = used.ru_maxrss / 1024
    print(f"{' '.join(words):28} {seconds:7.2f} s, by the clock {wall:7.2f} s, {memory:5.0f} MB")


def main() -> None:
    """Make a journal and read it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shoes", type=int, default=30)
    shoes = parser.parse_args().shoes
    with TemporaryDirectory() as folder:
        journal = Path(folder) / "bench.journal"
        play(journal, shoes)
        for words in READERS:
            measure(words, journal)


if __name__ == "__main__":
    main()
