"""A host of several tables in one database: ``python takeover_host.py CONNINFO SCHEMA TABLE...``.

Each table has a thread, which waits for the lock of its journal, recovers, and plays until the
process is killed. It prints ``waits TABLE``; ``took TABLE TIME``, in seconds of ``time.time()``;
and ``TABLE ID`` after a command was answered.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.table.ten_players import dice_of, following
from tests.whole_units import whole_house

from trente_rules import RecordError, Table
from trente_rules.table import PostgresJournal, recover
from trente_rules.testing import opening_of

HOUSE: Final = whole_house("france-2007")


def opened(conninfo: str, schema: str, name: str) -> Table:
    """Wait for a table and recover it, or begin it."""
    tell(f"waits {name}")
    journal = PostgresJournal(conninfo, name, schema=schema, wait=60)
    if journal.head is None:
        opening = opening_of(HOUSE)
        return Table(HOUSE, name=name, opening=opening, journal=journal, session=name)
    return recover(journal)


def play(conninfo: str, schema: str, name: str) -> None:
    """Play at a table for ever; what fails is printed, and ends the process."""
    try:
        table = opened(conninfo, schema, name)
        tell(f"took {name} {time.time()}")
        dice = dice_of(len(name))
        while True:
            command = following(table, dice)
            table.do(command)
            tell(f"{name} {command.id}")
    except RecordError as error:
        tell(f"failed {name} {error}")
        os._exit(1)


def tell(line: str) -> None:
    """Write a line at once."""
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


if __name__ == "__main__":
    _program, where, inside, *tables = sys.argv
    for each in tables:
        Thread(target=play, args=(where, inside, each)).start()
