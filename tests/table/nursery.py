"""A program that starts tables on a journal and kills each: ``python nursery.py`` (POSIX).

It reads one JSON object a line: the journal, how many answers to wait for, how many microseconds
more, a seed. For each it forks a child that goes on with the journal, and writes a line for every
command *after* its answer: the id and a digest of the events. The child is killed by SIGKILL, and
what it had answered is printed as one JSON list. To fork is cheap: the library is imported once.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.table.ten_players import dice_of, following
from tests.whole_units import whole_house

from trente_rules import Table
from trente_rules.table import Event, SqliteJournal, recover
from trente_rules.table.entries import event_text
from trente_rules.testing import opening_of

HOUSE = whole_house("france-2007")


def digest(events: tuple[Event, ...]) -> str:
    """Return a digest of the events of a command."""
    return sha256("\n".join(map(event_text, events)).encode()).hexdigest()


def run_table(path: str, seed: int, answers: int) -> None:
    """Go on with a journal, or begin one, and never end."""
    journal = SqliteJournal(path)
    if journal.head is None:
        table = Table(HOUSE, opening=opening_of(HOUSE), session="killed", journal=journal)
    else:
        table = recover(journal)
    dice = dice_of(seed)
    while True:
        command = following(table, dice)
        events = table.do(command)
        os.write(answers, f"{command.id} {digest(events)}\n".encode())


def killed(path: str, seed: int, answers: int, wait: int) -> list[list[str]]:
    """Start a table, kill it after so many answers and microseconds, answer what it answered."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reader)
            run_table(path, seed, writer)
        finally:
            os._exit(1)  # not reached, unless something fails
    os.close(writer)
    with os.fdopen(reader, "rb") as lines:
        got = [line for _number, line in zip(range(answers), lines, strict=False)]
        time.sleep(wait / 1_000_000)
        os.kill(child, signal.SIGKILL)
        got += lines
    _child, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise SystemExit("the child ended by itself")
    return [line.decode().split() for line in got if line.endswith(b"\n")]


if __name__ == "__main__":
    for order in sys.stdin:
        sys.stdout.write(json.dumps(killed(**json.loads(order))) + "\n")
        sys.stdout.flush()
