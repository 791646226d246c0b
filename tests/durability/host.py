"""A program that runs tables and kills them: ``python host.py`` (POSIX).

It reads one JSON object a line (``Order``). For each it forks a child that goes on with the newest
journal of a home, in some threads, and writes what it does to a pipe: ``ready SEQUENCE DIGEST`` of
the state that it recovered, ``? ID ...`` before commands are sent, ``! ID DIGEST ...`` *after* they
were answered. The child is killed by SIGKILL, or ends without a word to its journal; what it had
written is printed as one JSON list. To fork is cheap: the library is imported once. Where the shim
of disk.c is preloaded, the child's files are watched. ``python host.py ORDER`` is one such child,
which writes to its standard output.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from threading import Lock, Thread
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[2]))

from attrs import evolve, frozen
from tests.durability.homes import Home, home_of
from tests.table.ten_players import dice_of, following
from tests.whole_units import whole_house

from trente_rules import RecordError, Table, TrenteError
from trente_rules.table import Command, Entry, recover
from trente_rules.table.entries import event_text
from trente_rules.table.journal import snapshot_of
from trente_rules.testing import opening_of

HOUSE: Final = whole_house("france-2007")
SESSION: Final = "killed"
BATCH: Final = 3
"""Commands that are sent together, one time in five."""
ENDED: Final = 7
"""The exit status of a child that did what it was to do, and was not killed."""


@frozen
class Order:
    """What a child does: where, in how many threads, and when it is killed."""

    home: dict[str, Any]
    seed: int
    answers: int = 0
    """Answers after which it is killed; it ends by itself after so many with ``ends``."""
    wait: int = 0
    """Microseconds more."""
    threads: int = 1
    rotate: int = 0
    """Commands after which the table continues in another journal; 0: never."""
    ends: bool = False
    trace: str = ""
    """The file in which the shim keeps what was done to the files of the home."""
    sync: int = 0
    """Microseconds that a sync takes under the shim."""
    kill: tuple[int, int] = (0, 0)
    """Where the shim kills: the kind of operation, 0 for any, and the count after the recovery."""
    signal: int = signal.SIGKILL
    """What the shim sends then."""


def digest(entry: Entry) -> str:
    """Return a digest of what a command was answered."""
    return sha256("\n".join(map(event_text, entry.events)).encode()).hexdigest()


def state_digest(table: Table) -> str:
    """Return a digest of the state of a table."""
    return sha256(snapshot_of(table.state, ()).encode()).hexdigest()


def opened(home: Home) -> Table:
    """Return the table of a home, or a new one."""
    journal = home.newest()
    if journal.head is None:
        return Table(HOUSE, opening=opening_of(HOUSE), session=SESSION, journal=journal)
    return recover(journal)


class Host:
    """A table, and threads that give it commands until the process ends."""

    def __init__(self, order: Order, home: Home, table: Table, answers: int) -> None:
        """Begin with a table."""
        self.order, self.home, self.table, self.told = order, home, table, answers
        self.life = f"{order.seed}.{table.state.events}"
        self.left = order.answers if order.ends else -1
        self.lock = Lock()
        self.done = 0

    def run(self) -> None:
        """Play in all threads."""
        threads = [Thread(target=self.safely, args=(n,)) for n in range(self.order.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def safely(self, number: int) -> None:
        """Play; what fails ends the process."""
        try:
            self.play(f"{self.life}.{number}", dice_of(self.order.seed * 100 + number))
        except BaseException:  # noqa: BLE001 - whatever it is, the process ends
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)

    def play(self, name: str, dice: Random) -> None:
        """Give commands, one after the other."""
        number = 0
        while self.goes_on():
            number += 1
            wanted = list(_wanted(self.table, dice, f"{name}.{number}"))
            if not wanted:
                continue  # another thread was faster
            self.tell("?", [command.id for command in wanted])
            try:
                done = self.table.do_many(wanted)
            except RecordError:
                raise
            except TrenteError:
                if self.order.threads == 1:
                    raise
                continue
            self.tell("!", [f"{each.command.id} {digest(each)}" for each in done])
            self.count(len(done))

    def tell(self, mark: str, words: Sequence[str]) -> None:
        """Write a line at once."""
        os.write(self.told, f"{mark} {' '.join(words)}\n".encode())

    def goes_on(self) -> bool:
        """Return whether more is to be done."""
        return self.left < 0 or self.done < self.left

    def count(self, done: int) -> None:
        """Count what was done, and rotate now and then."""
        with self.lock:
            before, self.done = self.done, self.done + done
            every = self.order.rotate
            if every and before // every < self.done // every:
                self.table.rotate(self.home.another())


def _wanted(table: Table, dice: Random, name: str) -> Iterator[Command]:
    """Yield what to do now, one command or some that follow each other, sent together."""
    together = BATCH if dice.random() < 0.2 else 1
    trial = Table(HOUSE, state=table.state) if together > 1 else table
    for number in range(together):
        try:
            command = evolve(following(trial, dice), id=f"{name}.{number}")
        except (StopIteration, RuntimeError):
            return  # the phase has changed meanwhile
        yield command
        if together > 1:
            trial.do(command)


def run_child(order: Order, answers: int) -> None:
    """Recover, and play until killed, or for so many answers."""
    home = home_of(order.home)
    shim = ctypes.CDLL(None)
    if order.trace:
        folder = order.home["folder"].encode()
        shim.trente_watch(folder, order.trace.encode(), answers, order.sync)
    table = opened(home)
    kind, count = order.kill
    if count:
        shim.trente_kill(kind, count, order.signal)
    os.write(answers, f"ready {table.state.events} {state_digest(table)}\n".encode())
    Host(order, home, table, answers).run()


def killed(order: Order) -> list[str]:
    """Run a child, kill it, and return the whole lines that it wrote."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reader)
            run_child(order, writer)
            os._exit(ENDED)
        except BaseException:  # noqa: BLE001 - whatever it is, the process ends
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(1)
    os.close(writer)
    got: list[bytes] = []
    with os.fdopen(reader, "rb") as lines:
        if order.answers and not order.ends:
            answered = 0
            for line in lines:
                got.append(line)
                answered += line.startswith(b"!")
                if answered == order.answers:
                    break
        if not order.ends and not order.kill[1]:
            time.sleep(order.wait / 1_000_000)
            os.kill(child, signal.SIGKILL)
        got += lines
    _child, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status) != ENDED:
        raise SystemExit("the child failed")
    return [line.decode().rstrip("\n") for line in got if line.endswith(b"\n")]


if __name__ == "__main__":
    if sys.argv[1:]:
        run_child(Order(**json.loads(sys.argv[1])), sys.stdout.fileno())
        os._exit(ENDED)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(killed(Order(**json.loads(line)))) + "\n")
        sys.stdout.flush()
