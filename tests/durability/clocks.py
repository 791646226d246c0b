"""Clocks that go back: nothing is lost, and the order is that of numbers, never of times.

The clock of the day of every host is wrong by years, in either direction, and jumps before each
command; hosts are killed, too. Recoveries, entries and what follows a journal keep their order.
"""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.durability.homes import Home, SqliteHome
from tests.durability.host import YEARS, Order
from tests.durability.kills import judged
from tests.durability.ledger import Ledger
from tests.durability.postgres_home import PostgresHome
from tests.durability.scenes import TRIED, Met, Scene, Stage, dice_for

LIVES: Final = 6
"""Hosts of one home, each with another clock."""
EPOCH_BACK: Final = "a recovery is earlier by the clock than the one before"
COMMAND_BACK: Final = "a command is earlier by the clock than the one before"
KILLED: Final = "and the host was killed"


def lived(stage: Stage, home: Home, dice: Random, trace: str) -> Met:
    """Play at a home with wrong clocks, and check the order of all that is in its journals."""
    ledger, met = Ledger(home), Met()
    for _ in range(stage.times(LIVES)):
        kills = dice.random() < 0.5
        order = Order(
            home.order(),
            dice.getrandbits(30),
            answers=dice.randint(2, 15),
            ends=not kills,
            wait=dice.randrange(2000),
            clock=dice.randint(-YEARS, YEARS),
            drift=True,
            rotate=dice.choice((0, 0, 9)),
            fault=stage.fault,
            trace=trace,
        )
        judged(ledger, stage.hosts.run(order))
        met += Met({TRIED: 1, KILLED: kills})
    times: list[str] = []
    for journal in home.journals():
        met += _ordered(journal, times)
    met[COMMAND_BACK] += sum(late > early for late, early in pairwise(times))
    return +met


def _ordered(journal: Any, times: list[str]) -> Met:
    """Check the order in a journal, by all that reads it; note the times of its commands."""
    entries = list(journal.entries())
    numbers = [each.sequence for each in entries]
    assert numbers == sorted(set(numbers)), "entries are not in the order of their numbers"
    followed = list(journal.follow(numbers[0] - 1 if numbers else 0, timeout=0))
    assert followed == entries, "what follows the journal sees another order"
    epochs = journal.epochs
    assert [each.number for each in epochs] == list(range(1, len(epochs) + 1))
    places = [each.sequence for each in epochs]
    assert places == sorted(places), "recoveries changed places"
    times += [each.command.at for each in entries if each.command.at]
    back = sum(late.at > early.at for late, early in pairwise(epochs))
    return Met({EPOCH_BACK: back})


def sqlite(stage: Stage, seed: int) -> Met:
    """Play at a journal in SQLite with wrong clocks."""
    dice = dice_for("clock sqlite", seed)
    folder = stage.home()
    met = lived(stage, SqliteHome(str(folder)), dice, f"{folder}.trace")
    shutil.rmtree(folder)
    Path(f"{folder}.trace").unlink(missing_ok=True)
    return met


def postgres(stage: Stage, seed: int) -> Met:
    """Play at a journal in PostgreSQL with wrong clocks: those of hosts, not that of the server."""
    dice = dice_for("clock postgresql", seed)
    home = PostgresHome(stage.conninfo, "clocks", stage.name(seed))
    return lived(stage, home, dice, "")


SCENES: Final = (
    Scene("clock", "sqlite", sqlite, (EPOCH_BACK, COMMAND_BACK, KILLED)),
    Scene("clock", "postgresql", postgres, (EPOCH_BACK, COMMAND_BACK, KILLED)),
)
