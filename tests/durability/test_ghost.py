"""What a recovery found is final: a command that was half done is there always, or never."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest
from attrs import asdict
from tests.durability.disk import Kind
from tests.durability.homes import SqliteHome
from tests.durability.host import Order
from tests.durability.ledger import HOST, Ledger, Nursery

from trente_rules import RecordError
from trente_rules.table import recover

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and fork are POSIX"),
]


def begun(folder: Path, hosts: Nursery) -> tuple[SqliteHome, Ledger]:
    """Return a home with a table that has done a few commands."""
    folder.mkdir()
    home = SqliteHome(str(folder))
    ledger = Ledger(home)
    ledger.after(hosts.run(Order(home.order(), seed=1, answers=6, ends=True)))
    return home, ledger


def looks(home: SqliteHome, hosts: Nursery) -> str:
    """Recover the table in another process, which dies at once; return what it found."""
    (line,) = hosts.run(Order(home.order(), seed=1, ends=True))
    return line


@pytest.mark.parametrize("moment", [(Kind.END, 3), (Kind.END, 4), (0, 7)])
def test_a_half_done_command_is_there_always_or_never(
    moment: tuple[int, int], quick: Path, watched: Nursery
) -> None:
    """S6: a writer is killed within a commit while a reader holds the shared index.

    Two recoveries with the reader attached, and one after it has gone, find the same. The first two
    moments are those of the finding: the commit is whole and synced, and nobody was told of it.
    """
    assert three_looks(moment, quick, watched)


@pytest.mark.nightly
def test_a_command_killed_anywhere_is_there_always_or_never(quick: Path, watched: Nursery) -> None:
    """S6: as above, at every write and every sync of ten commits."""
    count = sum(three_looks((0, number), quick, watched) for number in range(1, 150))
    assert count > 100


def three_looks(moment: tuple[int, int], folder: Path, hosts: Nursery) -> bool:
    """Kill a host at a moment, and look three times; return whether it was killed."""
    home, ledger = begun(folder / f"{int(moment[0])}-{moment[1]}", hosts)
    with closing(home.reader()):
        trace = str(folder / "trace")
        order = Order(home.order(), seed=2, answers=20, ends=True, trace=trace, kill=moment)
        lines = hosts.run(order)
        found = [looks(home, hosts), looks(home, hosts)]
    found.append(looks(home, hosts))
    assert len(set(found)) == 1, found
    ledger.after(lines)
    return sum(line.startswith("!") for line in lines) < 20


def test_a_writer_that_was_paused_is_refused_once_another_recovered(
    quick: Path, watched: Nursery
) -> None:
    """S6: a recovery fences whoever wrote before, at its next command; nothing is done twice."""
    home, ledger = begun(quick / "a", watched)
    order = json.dumps(asdict(Order(home.order(), seed=2, answers=10_000, ends=True)))
    pipe = subprocess.PIPE
    # Without a buffer: ``communicate`` does not look at what ``readline`` has read ahead.
    with subprocess.Popen(
        [sys.executable, HOST, order], bufsize=0, stdout=pipe, stderr=pipe
    ) as host:
        assert host.stdout
        assert host.stderr
        first = [host.stdout.readline() for _ in range(9)]
        found = None
        while found is None:  # it may be paused within a commit: then the file is locked
            os.kill(host.pid, signal.SIGSTOP)
            with suppress(RecordError):
                found = looks_here(home)
            os.kill(host.pid, signal.SIGCONT if found is None else signal.SIGSTOP)
        taken = watched.run(Order(home.order(), seed=3, answers=5, ends=True))
        os.kill(host.pid, signal.SIGCONT)
        rest, said = host.communicate()
    assert host.returncode == 1
    assert b"[journal-moved]" in said or b"does not end where this table is" in said
    lines = [*b"".join([*first, rest]).decode().splitlines(), *taken]
    assert sum(line.startswith("!") for line in taken) == 5
    ledger.after(lines)


def looks_here(home: SqliteHome) -> int:
    """Recover the table in this process, and return its events."""
    with home.newest() as journal:
        return recover(journal).state.events
