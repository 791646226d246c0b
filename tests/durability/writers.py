"""Two writers: one is paused, another takes the table over, the first one wakes up; or they race.

Exactly one continues, the other is refused with a code, and no command is lost or there twice. The
clocks of the two are wrong, each by its own years: it is numbers that decide, and never the time.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.durability.disk import Kind
from tests.durability.homes import Home, SqliteHome
from tests.durability.host import YEARS, Order
from tests.durability.ledger import Ledger
from tests.durability.postgres_home import PostgresHome
from tests.durability.scenes import TRIED, Met, Scene, Stage, dice_for

ROUNDS: Final = 6
"""Meetings of two writers at one home."""
TAKEN: Final = "paused, taken over, woken and refused"
IN_COMMIT: Final = "paused within a commit"
ANSWERED_LATE: Final = "paused between a commit and its answer"
WAITED: Final = "the other one had to wait for the end of a commit"
RACED: Final = "both recovered at the same time"
BEHIND: Final = "taken over by a clock that is behind"
FENCED: Final = frozenset(("journal-moved", "journal-locked", "connection-lost"))
"""What the earlier writer is answered."""


class Meeting:
    """Two hosts at one home."""

    def __init__(self, stage: Stage, home: Home, dice: Random, seed: int) -> None:
        """Begin with a home in which no table is."""
        self.stage, self.home, self.dice = stage, home, dice
        self.ledger = Ledger(home)
        self.met = Met()
        self.moments: Sequence[tuple[int, int]] = ()
        self.seed = seed * 1000

    def order(self, clock: int = 0, **how: Any) -> Order:
        """Return an order to do some commands."""
        self.seed += 1
        told = {"answers": self.dice.randint(1, 5), "ends": True, "refused": True, **how}
        place = self.home.order().get("folder", "")
        return Order(
            self.home.order(),
            self.seed,
            clock=clock,
            fault=self.stage.fault,
            trace=f"{place}.trace" if place else "",
            **told,
        )

    def play(self) -> Met:
        """Let writers meet."""
        self.ledger.after(self.stage.hosts.run(self.order()))
        for _ in range(self.stage.times(ROUNDS)):
            if self.dice.random() < 0.25:
                self.race()
            else:
                self.pause()
            self.met[TRIED] += 1
        return +self.met

    def pause(self) -> None:
        """Pause a writer anywhere, let another take over, and wake the first one."""
        hosts, dice = self.stage.hosts, self.dice
        clocks = [dice.randint(-YEARS, YEARS) for _ in "ab"]
        moment = dice.choice(self.moments)
        order = self.order(clocks[0], answers=40, kill=moment, signal=signal.SIGSTOP)
        lines = hosts.run(order)
        if not lines[0].startswith("stopped"):
            self.met["it ended before it was paused"] += 1
            self.ledger.after(lines)
            return
        child = int(lines.pop(0).split()[1])
        waits = _waits(lines)
        self.met[IN_COMMIT] += waits
        # Its file may be locked: then the other one is refused until the commit is done.
        taken = hosts.run(self.order(clocks[1]))
        rest = hosts.wake(child)
        took = any(line.startswith("ready") for line in taken)
        if not took:
            assert taken == ["x journal-locked"], taken
            self.met[WAITED] += 1
            assert _refusals(rest) == set(), rest
            taken = hosts.run(self.order(clocks[1]))
        else:
            assert _refusals(rest), "the earlier writer was not refused"
            assert _refusals(rest) <= FENCED, _refusals(rest)
            answered = sum(line.startswith("!") for line in rest)
            assert answered <= waits, "the earlier writer has done more"
            self.met[ANSWERED_LATE] += answered
            self.met[TAKEN] += 1
            self.met[BEHIND] += clocks[1] < clocks[0]
        assert not _refusals(taken), taken
        self.ledger.after([*lines, *rest, *taken])

    def race(self) -> None:
        """Let two or three recover the table at the same time: at most one is never refused."""
        orders = [
            self.order(self.dice.randint(-YEARS, YEARS), answers=12)
            for _ in range(self.dice.choice((2, 2, 3)))
        ]
        everybody = self.stage.hosts.race(orders)
        whole = [lines for lines in everybody if not _refusals(lines)]
        for lines in everybody:
            assert _refusals(lines) <= FENCED, lines
        together = sum(any(line.startswith("ready") for line in lines) for lines in everybody)
        assert whole, "none continues"
        self.met[RACED] += together > 1 and len(whole) < len(everybody)
        self.ledger.after([line for lines in everybody for line in lines])


def _waits(lines: Sequence[str]) -> bool:
    """Return whether the last thing that a host had done was to send a command."""
    return bool(lines) and lines[-1].startswith("?")


def _refusals(lines: Sequence[str]) -> set[str]:
    return {line.split()[1] for line in lines if line.startswith("x")}


def sqlite(stage: Stage, seed: int) -> Met:
    """Let writers meet at a journal in SQLite."""
    dice = dice_for("writers sqlite", seed)
    folder = stage.home()
    home = SqliteHome(str(folder), log_pages=dice.choice((0, 8)), wait=0.05)
    meeting = Meeting(stage, home, dice, seed)
    kinds = (0, 0, Kind.WRITE, Kind.BEGIN, Kind.END, Kind.TOLD)
    meeting.moments = [(int(kind), number) for kind in kinds for number in range(1, 22)]
    met = meeting.play()
    shutil.rmtree(folder)
    Path(f"{folder}.trace").unlink(missing_ok=True)
    return met


def postgres(stage: Stage, seed: int) -> Met:
    """Let writers meet at a journal in PostgreSQL; the later one ends the connection."""
    dice = dice_for("writers postgresql", seed)
    home = PostgresHome(stage.conninfo, "writers", stage.name(seed), steal=True, wait=0.05)
    meeting = Meeting(stage, home, dice, seed)
    meeting.moments = [(int(Kind.SEND), number) for number in range(1, 40)]
    return meeting.play()


SCENES: Final = (
    Scene("writers", "sqlite", sqlite, (TAKEN, IN_COMMIT, ANSWERED_LATE, WAITED, RACED, BEHIND)),
    Scene("writers", "postgresql", postgres, (TAKEN, IN_COMMIT, RACED, BEHIND)),
)
