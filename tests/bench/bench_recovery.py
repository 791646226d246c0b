"""How long a recovery takes, and what memory: of a long session, and of one long shoe.

Prints only: ``python tests/bench/bench_recovery.py [--quick] [FOLDER]``. The journals are made in
the folder, where they are not there: a session of 10^6 events, and a shoe of 100,000 commands with
4,000 stakes on the table. Each measurement is a process of its own; a recovery begins as the file
is opened, with the library imported, and is taken three times by the clock. Memory is the greatest
resident size, in MB, beside that of a process that imports the library and no more.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

from trente_rules import Opening, Table, load_house
from trente_rules.cli import main as main_of_trente
from trente_rules.fair import SeededShuffler
from trente_rules.table import (
    CloseBets,
    Command,
    Cut,
    Deal,
    Increase,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Settle,
    SqliteJournal,
    Withdraw,
    recover,
)

CHANCES: Final = ("rouge", "noir", "couleur", "inverse")
EVENTS: Final = 1_000_000
COMMANDS: Final = 100_000
STAKES: Final = 4_000
PLAYERS: Final = 5
TIMES: Final = 3
AMOUNT: Final = 1_000
TOGETHER: Final = 500


def opened(journal: SqliteJournal | None) -> Table:
    """Return a table on a new journal, or in memory alone."""
    return Table(load_house("france-2007"), opening=Opening(10), journal=journal)


class Player:
    """Gives commands to a table, with ids that are counted."""

    def __init__(self, table: Table) -> None:
        """Begin at a new table."""
        self.table, self.number = table, 0

    def id(self) -> str:
        """Return the next id."""
        self.number += 1
        return f"c{self.number}"

    def shoe(self) -> list[Command]:
        """Return the commands that open a shoe."""
        shuffler = SeededShuffler(self.number.to_bytes(16, "big"))
        return [
            OpenShoe.shuffled(self.id(), 6, shuffler),
            Cut(id=self.id(), place=3),
            PlaceMarker(id=self.id()),
        ]

    def coup(self) -> None:
        """Play a coup, in two or three commits."""
        table = self.table
        begin = self.shoe() if table.state.phase is Phase.NO_SHOE else []
        table.do_many([*begin, OpenBets(id=self.id()), *self.stakes(PLAYERS)])
        table.do_many([CloseBets(id=self.id()), Deal(id=self.id())])
        if table.state.phase is Phase.DEALT:
            table.do(Settle(id=self.id()))

    def stakes(self, count: int) -> list[Command]:
        """Return the commands that place so many stakes."""
        return [
            Place(
                id=self.id(),
                stake=f"s{self.number}",
                player=f"p{number}",
                chance=CHANCES[self.number % 4],
                amount=AMOUNT,
            )
            for number in range(count)
        ]


def long_session(path: Path, events: int) -> None:
    """Make a journal of at least so many events."""
    with SqliteJournal(path, "normal") as journal:
        player = Player(opened(journal))
        while player.table.state.events < events:
            player.coup()


def long_shoe(path: Path, commands: int, stakes: int) -> None:
    """Make a journal of one shoe in which so many commands were given, with stakes on the table.

    The coup is played at the end: its cards and its settlement are what a recovery does again.
    """
    with SqliteJournal(path, "normal") as journal:
        player = Player(opened(journal))
        table = player.table
        table.do_many([*player.shoe(), OpenBets(id=player.id())])
        table.do_many(player.stakes(stakes))
        while player.number < commands:
            last = table.state.stakes[-1]
            begin = player.number % stakes
            some = table.state.stakes[begin : begin + TOGETHER]
            table.do_many(
                [
                    Increase(id=player.id(), stake=each.id, player=each.owner, amount=100)
                    for each in some
                ]
            )
            table.do_many(
                [
                    Withdraw(id=player.id(), stake=last.id, player=last.owner),
                    Place(
                        id=player.id(),
                        stake=f"s{player.number}",
                        player=last.owner,
                        chance="rouge",
                        amount=AMOUNT,
                    ),
                ]
            )


def memory() -> float:
    """Return the greatest resident size of this process so far, in MB."""
    text = Path("/proc/self/status").read_text("utf-8")
    return int(text.split("VmHWM:")[1].split()[0]) / 1000


def recovered(path: str) -> dict[str, Any]:
    """Recover, several times, each from a file that is opened anew."""
    times, found = [], {}
    for _ in range(TIMES):
        begin = perf_counter()
        with SqliteJournal(path) as journal:
            state = recover(journal).state
            times.append(perf_counter() - begin)
        found = {"events": state.events, "stakes": len(state.stakes)}
    return {"s": times, **found}


def checked(path: str) -> dict[str, Any]:
    """Check the hash chain of a journal."""
    begin = perf_counter()
    with SqliteJournal(path, read_only=True) as journal:
        journal.check()
    return {"s": [perf_counter() - begin]}


def read(path: str) -> dict[str, Any]:
    """Read every entry of a journal."""
    begin = perf_counter()
    with SqliteJournal(path, read_only=True) as journal:
        count = sum(1 for _ in journal.entries())
    return {"s": [perf_counter() - begin], "commands": count}


def verified(path: str) -> dict[str, Any]:
    """Run ``trente verify``."""
    return command("verify", path)


def monitored(path: str) -> dict[str, Any]:
    """Run ``trente monitor``."""
    return command("monitor", path)


def command(*words: str) -> dict[str, Any]:
    """Run a command of ``trente`` in this process; what it prints is not kept."""
    begin, status = perf_counter(), None
    sys.argv = ["trente", *words]
    with redirect_stdout(StringIO()):
        try:
            main_of_trente()
        except SystemExit as ended:
            status = ended.code
    return {"s": [perf_counter() - begin], "status": status}


def played(path: str, count: str = "10000") -> dict[str, Any]:
    """Play coups with a new journal; without a path, in memory alone."""
    coups = int(count)
    player = Player(opened(SqliteJournal(path, "normal") if path else None))
    begin, found = perf_counter(), []
    for number in range(coups):
        if number == coups // 10:
            found.append(memory())
        player.coup()
    return {"s": [perf_counter() - begin], "MB after a tenth": found[0], "coups": coups}


def nothing(_path: str) -> dict[str, Any]:
    """Do nothing, with the library imported."""
    load_house("france-2007")
    return {"s": [0.0]}


MEASURED: Final[dict[str, Callable[..., dict[str, Any]]]] = {
    each.__name__: each for each in (nothing, recovered, checked, read, verified, monitored, played)
}


def measured(what: str, *arguments: str) -> dict[str, Any]:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, "--measure", what, *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Make the journals, measure, and print."""
    quick = "--quick" in sys.argv
    given = [each for each in sys.argv[1:] if not each.startswith("-")]
    with TemporaryDirectory() as made:
        folder = Path(given[0] if given else made)
        scale = 20 if quick else 1
        session, shoe = folder / f"session-{scale}", folder / f"shoe-{scale}"
        if not session.exists():
            long_session(session, EVENTS // scale)
        if not shoe.exists():
            long_shoe(shoe, COMMANDS // scale, STAKES // scale)
        print("nothing", measured("nothing", ""))
        for path in (session, shoe):
            size = path.stat().st_size / 1e6
            print(f"{path.name}: {size:.0f} MB")
            for what in ("recovered", "checked", "read", "verified", "monitored"):
                print(what, measured(what, str(path)))
        print("played in memory", measured("played", ""))
        print("played with a journal", measured("played", str(folder / "played")))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        found = MEASURED[sys.argv[2]](*sys.argv[3:])
        print(json.dumps({**found, "MB": memory()}))
    else:
        main()
