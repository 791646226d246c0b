"""Coups a second at a table, by stakes and by journal, and what a stake and a recovery cost.

Prints only. Measured with the load of ``load.py``: coups with 4, 20, 100 and 1,000 stakes, in
memory and with each journal, the stakes placed one by one, in slips of four that are done together
(``Slip``, ``do_many``), and each by itself, but all of a coup together (``do_many``). Rounds
alternate, so that a busy machine disturbs all alike; told are the best of them, by the processor's
time, at FULL by the clock: there every write waits for the disk. ``--quick`` measures less.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final, get_args

sys.path.insert(0, str(Path(__file__).parent))

from load import AMOUNT, CHANCES, Load, Way, named, speed  # type: ignore[import-not-found]

from trente_rules.table import MemoryJournal, Place, SqliteJournal, recover

QUICK: Final = "--quick" in sys.argv
ROUNDS: Final = 1 if QUICK else 3
SECONDS: Final = 0.2 if QUICK else 1.0
STAKES: Final = (4, 20, 100, 1000)
PLACED: Final = 200
"""Stakes whose placing is timed one by one."""


def journals(folder: Path) -> dict[str, Callable[[], Any]]:
    """Return what opens each kind of journal anew."""
    numbers = iter(range(10_000))
    return {
        "none": lambda: None,
        "memory": MemoryJournal,
        "NORMAL": lambda: SqliteJournal(folder / f"{next(numbers)}", "normal"),
        "FULL": lambda: SqliteJournal(folder / f"{next(numbers)}", "full"),
    }


def coups_a_second(folder: Path) -> None:
    """Print coups a second for each journal, way of placing and number of stakes."""
    kinds, ways = journals(folder), get_args(Way)
    best: dict[tuple[str, str, int], float] = {}
    for _ in range(ROUNDS):
        for name, make in kinds.items():
            for way in ways:
                for stakes in STAKES:
                    journal = make()
                    found = speed(Load(stakes, journal, way), SECONDS, wall=name == "FULL")
                    if isinstance(journal, SqliteJournal):
                        journal.close()
                    key = name, way, stakes
                    best[key] = max(best.get(key, 0.0), found)
    print(f"{'coups a second; journal':24} {'placed':12}" + "".join(f"{n:>10,}" for n in STAKES))
    for name in kinds:
        for way in ways:
            row = "".join(f"{best[name, way, stakes]:10,.1f}" for stakes in STAKES)
            print(f"{name:24} {way:12}{row}")


def placing(load: Load, label: str) -> float:
    """Return the median time of a stake, in microseconds, at a table as it is."""
    times = []
    for n in range(PLACED):
        command = Place(
            id=f"{label}{n}", stake=f"{label}{n}", player=f"{label}{n}", chance=CHANCES[n % 4],
            amount=AMOUNT, insured=n % 5 == 0,
        )  # fmt: skip
        begin = perf_counter()
        load.table.do(command)
        times.append(perf_counter() - begin)
    return median(times) * 1e6


def at_stakes(lying: int) -> float:
    """Return the median time of a stake where so many lie on the table."""
    load = Load(lying)
    load.ready()
    load.table.do(named("OpenBets")(id="b"))
    for command in load.bets():
        load.table.do(command)
    return placing(load, "x")


def at_players(seen: int) -> float:
    """Return the median time of a stake where so many players have been seen."""
    load = Load(20)
    kept = load.bets

    def fresh() -> list[Any]:
        first = load.coups * 20
        return [
            Place(
                id=f"n{first + i}", stake=f"n{first + i}", player=f"n{first + i}", chance="rouge",
                amount=AMOUNT,
            )
            for i in range(20)
        ]  # fmt: skip

    load.bets = fresh
    while load.coups * 20 < seen:
        load.coup()
    load.bets = kept
    load.ready()
    load.table.do(named("OpenBets")(id="b"))
    return placing(load, "x")


def stakes() -> None:
    """Print what a stake costs, by what lies there and by who was ever seen."""
    lying = (10, 100, 1000, 10_000)
    found = " ".join(f"{n:,}: {at_stakes(n):.0f} us" for n in lying)
    print(f"a stake, median, by stakes on the table: {found}")
    seen = (100, 1000, 10_000)
    found = " ".join(f"{n:,}: {at_players(n):.0f} us" for n in seen)
    print(f"a stake, median, by players ever seen: {found}")


def recovery(folder: Path) -> None:
    """Print how long the recovery of a long shoe takes, and the check of its journal."""
    for number in (4, 100):
        path = folder / f"recovery-{number}"
        with SqliteJournal(path) as journal:
            load = Load(number, journal)
            for _ in range(25):
                load.coup()
            commands, times = len(journal.kept().entries), []
            for _ in range(ROUNDS):
                begin = process_time()
                recover(journal)
                times.append(process_time() - begin)
            begin = process_time()
            total = journal.check().sequence
            checked = process_time() - begin
        size = path.stat().st_size
        print(
            f"recovery at {number} stakes a coup: {commands:,} commands since the snapshot in "
            f"{min(times):.3f} s; the journal of {total:,} commands has {size / 1e6:.1f} MB "
            f"({size / load.coups / 1e3:.1f} kB a coup), checked in {checked:.2f} s"
        )


def main() -> None:
    """Measure, and print."""
    print(f"SQLite {sqlite3.sqlite_version}; best of {ROUNDS} rounds of {SECONDS} s each")
    with TemporaryDirectory() as folder:
        coups_a_second(Path(folder))
        recovery(Path(folder))
    stakes()


if __name__ == "__main__":
    main()
