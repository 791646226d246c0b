"""Coups per second at a table, without a journal and with one; prints only.

A coup is eight commands: bets opened, four stakes placed, rien ne va plus, the deal, the settlement
(and some more for each shoe). Runs alternate, so that a busy machine disturbs all alike; told are
the best run and the median, and the processor's time of the best, which others disturb least. The
goal is 500 coups a second on a journal at NORMAL.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final, Literal

from trente_rules import Opening, Table, load_house
from trente_rules.fair import SystemShuffler
from trente_rules.table import (
    Burn,
    CloseBets,
    Command,
    Cut,
    Deal,
    MemoryJournal,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Settle,
    SqliteJournal,
    recover,
)

HOUSE: Final = load_house("france-2007")
RUNS: Final = 7
COUPS: Final = 400
SLOW: Final = 60
"""Coups where each command waits for the disk."""
STAKES: Final = (("ann", "rouge"), ("bob", "noir"), ("cid", "couleur"), ("dan", "inverse"))


def play(table: Table, coups: int) -> None:
    """Play so many coups, opening shoes where they are needed."""
    rule, shuffler = HOUSE.shoe, SystemShuffler()

    def do(kind: type[Command], **fields: Any) -> None:
        table.do(kind(id=f"e{table.state.events}", **fields))

    for _ in range(coups):
        if table.state.phase is Phase.NO_SHOE:
            table.do(OpenShoe.shuffled(f"e{table.state.events}", rule.packs, shuffler))
            do(Cut, place=9, by=rule.cut_by)
            if rule.burn:
                do(Burn)
            if rule.marker:
                do(PlaceMarker, by=rule.marker.placed_by)
        do(OpenBets)
        coup = f"{table.state.shoe_number}.{table.state.coup_number}"
        for player, chance in STAKES:
            do(Place, stake=f"{player}{coup}", player=player, chance=chance, amount=50)
        do(CloseBets)
        do(Deal)
        if table.state.phase is Phase.DEALT:
            do(Settle)


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Return the time on the clock and of the processor, in seconds."""
    clock, processor = perf_counter(), process_time()
    act()
    return perf_counter() - clock, process_time() - processor


def run(journal: Any, coups: int) -> tuple[float, float]:
    """Time a new table on a journal, for each coup."""
    table = Table(HOUSE, opening=Opening(10), journal=journal)
    play(table, 1)
    clock, processor = timed(lambda: play(table, coups))
    return clock / coups, processor / coups


def tell(name: str, times: list[tuple[float, float]]) -> None:
    """Print what was found."""
    clocks = [clock for clock, _processor in times]
    best = min(processor for _clock, processor in times)
    print(
        f"{name:24} best {1 / min(clocks):7.0f} coups/s, median {1 / median(clocks):7.0f},"
        f" processor alone {1 / best:7.0f}"
    )


def main() -> None:
    """Measure, and print."""
    print(f"SQLite {sqlite3.sqlite_version}; {RUNS} runs of {COUPS} coups, at FULL of {SLOW}")
    found: dict[str, list[tuple[float, float]]] = {}
    words: tuple[Literal["normal", "full"], ...] = ("normal", "full")
    with TemporaryDirectory() as folder, ExitStack() as files:
        for number in range(RUNS):
            found.setdefault("no journal", []).append(run(None, COUPS))
            found.setdefault("in memory", []).append(run(MemoryJournal(), COUPS))
            for word in words:
                path = Path(folder) / f"{word}{number}"
                journal = files.enter_context(SqliteJournal(path, word))
                times = run(journal, SLOW if word == "full" else COUPS)
                found.setdefault(word.upper(), []).append(times)
        for name, all_times in found.items():
            tell(name, all_times)
        with SqliteJournal(Path(folder) / "whole") as journal:
            table = Table(HOUSE, opening=Opening(10), journal=journal)
            while table.state.shoe_number < 2 or table.state.coup_number < 25:
                play(table, 1)
            recovered = [timed(lambda: recover(journal)) for _ in range(RUNS)]
            commands = len(journal.kept().entries)
            checked, _processor = timed(journal.check)
            total = journal.check().sequence
        size = (Path(folder) / "whole").stat().st_size
    print(f"recovery of {commands} commands since the shoe was opened: {min(recovered)[0]:.3f} s")
    print(f"a journal of {total} commands: {size / 1e6:.1f} MB, checked in {checked:.2f} s")


if __name__ == "__main__":
    main()
