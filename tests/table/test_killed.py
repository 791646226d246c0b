"""A table that is killed, again and again: nothing answered is lost, nothing is done twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.table.nursery import HOUSE, digest
from tests.table.ten_players import PLAYERS, dice_of

from trente_rules import Table
from trente_rules.table import SqliteJournal, recover
from trente_rules.table.state import balance
from trente_rules.testing import opening_of

NURSERY: Final = Path(__file__).with_name("nursery.py")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and fork are POSIX"),
]


class Killed:
    """A journal, and the uninterrupted table that does what is in it."""

    def __init__(self, path: Path, seed: int) -> None:
        """Begin with no journal."""
        self.path = path
        self.dice = dice_of(seed)
        self.alone = Table(HOUSE, opening=opening_of(HOUSE), session="killed")
        self.known = 0
        self.unanswered = 0
        self.players: set[str] = set()

    def once(self, nursery: subprocess.Popen[str], most: int) -> None:
        """Let a table run on the journal and kill it; then check everything."""
        assert nursery.stdin
        assert nursery.stdout
        order = {
            "path": str(self.path),
            "seed": self.dice.getrandbits(30),
            "answers": self.dice.randrange(most),
            "wait": self.dice.randrange(3000),
        }
        nursery.stdin.write(json.dumps(order) + "\n")
        nursery.stdin.flush()
        answered = [tuple(each) for each in json.loads(nursery.stdout.readline())]
        if not self.path.exists():  # killed before there was a file
            assert answered == []
            return
        with SqliteJournal(self.path) as journal:
            if journal.head is None:  # killed before the table began
                assert answered == []
                return
            self.check(journal, answered)

    def check(self, journal: SqliteJournal, answered: list[tuple[str, str]]) -> None:
        """Compare the journal with what was answered, and with the uninterrupted table."""
        journal.check()
        entries = list(journal.entries(first=self.known + 1))
        kept = [(entry.command.id, digest(entry.events)) for entry in entries]
        assert kept[: len(answered)] == answered
        assert len(kept) <= len(answered) + 1
        self.unanswered += len(kept) - len(answered)
        self.known += len(entries)
        for entry in entries:
            # Each stake, prisoner, premium and event, by the rules alone: no journal, no end.
            assert self.alone.execute(entry.command) == entry
        again = recover(journal)
        assert again.state == self.alone.state
        assert again.taille == self.alone.taille
        assert balance(again.state) == 0
        if entries:
            last = again.execute(entries[-1].command)
            assert (last, last.repeated) == (entries[-1], True)
        assert again.state == self.alone.state
        assert journal.head is not None
        assert journal.head.sequence == self.known
        self.players |= {stake.owner for stake in again.state.stakes}


def kill(folder: Path, journals: int, times: int, most: int) -> list[Killed]:
    """Kill tables on so many journals, each so many times, each time after up to so many answers.

    A few tables killed early are cheaper than one that is killed late in its shoe: each recovery
    does the commands of the shoe again.
    """
    tables = [Killed(folder / f"{seed}", seed) for seed in range(journals)]
    command = [sys.executable, str(NURSERY)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as nursery:
        for table in tables:
            for _ in range(times):
                table.once(nursery, most)
    assert nursery.returncode == 0
    return tables


def test_a_table_killed_fifty_times_loses_nothing(tmp_path: Path) -> None:
    """AGCO 13.1.1: after each kill the table is what it was, and goes on.

    All that was answered is in the journal, at most one command more; no stake, prisoner, premium
    or event is lost or doubled, the balance is nought, the order of the shoe is unchanged.
    """
    tables = kill(tmp_path, journals=10, times=5, most=40)
    assert sum(table.known for table in tables) > 400
    assert set.union(*(table.players for table in tables)) == set(PLAYERS)


@pytest.mark.nightly
def test_a_table_killed_a_thousand_times_loses_nothing(tmp_path: Path) -> None:
    """As above, over many shoes, with kills within a commit among them."""
    tables = kill(tmp_path, journals=10, times=100, most=200)
    for table in tables:
        assert table.known > 5000
        assert table.alone.state.shoe_number > 5
    assert sum(table.unanswered for table in tables)
