"""A program that runs tables and kills them: ``python host.py`` (POSIX).

It reads one JSON object a line (``Order``). For each it forks a child that goes on with the newest
journal of a home, in some threads, and writes what it does to a pipe: ``ready SEQUENCE DIGEST`` of
the state that it recovered, ``? ID ...`` before commands are sent, ``! ID DIGEST ...`` *after* they
were answered. The child is killed by SIGKILL, or ends without a word to its journal; what it had
written is printed as one JSON list. To fork is cheap: the library is imported once. Where the shim
of disk.c is preloaded, the child's files are watched. ``python host.py ORDER`` is one such child,
which writes to its standard output.

A child that stops itself (SIGSTOP, by the shim) leaves ``stopped PID`` as its first line; the
object ``{"wake": PID}`` lets it continue, and gives the rest of its lines. The object
``{"race": [Order, ...]}`` runs children at the same time, and gives the lines of each. A command
that was not done is written as ``x CODE``.
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
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random
from threading import Lock, Thread
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[2]))

import psycopg
from attrs import evolve, frozen
from tests.durability.faults import ANSWERED_FIRST, plant
from tests.durability.homes import Home, home_of
from tests.durability.squeeze import Squeeze
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
YEARS: Final = 10**8
"""Seconds, some three years, by which a clock may jump."""
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
    early: bool = False
    """Whether the shim counts from the beginning, and not after the recovery."""
    clock: int = 0
    """Seconds by which the clock of the day is ahead under the shim."""
    drift: bool = False
    """Whether it jumps before each command, forwards and backwards."""
    squeeze: str = ""
    """How the disk is full now and then: "shim", or "disk" where the home has a small one."""
    refused: bool = False
    """Whether the child says so and ends where a command is refused three times."""
    server: int = 0
    """Microseconds after which the process of the server that serves the child is killed."""
    fault: str = ""
    """A fault that is planted in the product, for a test of these tests."""


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

    def __init__(self, order: Order, home: Home, answers: int) -> None:
        """Open the table of a home."""
        self.order, self.home, self.told = order, home, answers
        self.dice = dice_of(order.seed)
        self.shim = ctypes.CDLL(None)
        if order.clock:
            self.set_clock(order.clock)
        self.squeeze = Squeeze(order.squeeze, order.home.get("folder", ""), self.dice)
        self.lock = Lock()
        self.table = self.squeeze.tried(lambda: opened(home), self.tell)
        self.life = f"{order.seed}.{self.table.state.events}"
        self.left = order.answers if order.ends else -1
        self.done = 0

    def set_clock(self, seconds: int) -> None:
        """Set the clock of the day, so many seconds from the true time."""
        self.shim.trente_clock(ctypes.c_longlong(seconds))

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
        except BaseException as error:  # noqa: BLE001 - whatever it is, the process ends
            if self.order.server and isinstance(error, RecordError):
                self.tell("x", [error.code])
                os._exit(ENDED)  # its server was killed
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)

    def play(self, name: str, dice: Random) -> None:
        """Give commands, one after the other."""
        number = 0
        while self.goes_on():
            number += 1
            if self.order.drift:
                self.set_clock(dice.randint(-YEARS, YEARS))
            wanted = list(_wanted(self.table, dice, f"{name}.{number}"))
            if self.order.drift:
                now = datetime.now(UTC).isoformat(timespec="milliseconds")
                wanted = [evolve(each, at=now) for each in wanted]
            if not wanted:
                continue  # another thread was faster
            self.tell("?", [command.id for command in wanted])
            try:
                if self.order.fault == ANSWERED_FIRST:
                    self.tell("!", _foreseen(self.table, wanted))
                done = self.done_once(wanted)
            except RecordError:
                raise
            except TrenteError:
                if self.order.threads == 1:
                    raise
                continue
            if done is None:
                return
            self.tell("!", [f"{each.command.id} {digest(each)}" for each in done])
            self.count(len(done))

    def done_once(self, wanted: Sequence[Command]) -> Sequence[Entry] | None:
        """Do commands; None where they are refused for good."""
        if not self.order.refused:
            return self.squeeze.tried(
                lambda: self.table.do_many(wanted), self.tell, lambda: state_digest(self.table)
            )
        for _ in range(3):
            try:
                return self.table.do_many(wanted)
            except RecordError as error:
                self.tell("x", [error.code])
        return None

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
                self.squeeze.tried(lambda: self.table.rotate(self.home.another()), self.tell)


def _foreseen(table: Table, wanted: Sequence[Command]) -> list[str]:
    """Return what commands will be answered, before they are done."""
    trial = Table(HOUSE, state=table.state)
    return [f"{each.id} {digest(trial.execute(each))}" for each in wanted]


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
    plant(order.fault)
    shim = ctypes.CDLL(None)
    if order.trace:
        folder = order.home["folder"].encode()
        shim.trente_watch(folder, order.trace.encode(), answers, order.sync)
    kind, count = order.kill
    if count and order.early:
        shim.trente_kill(kind, count, order.signal)
    if order.home["kind"] == "save":
        _save(order, answers)
        return
    home = home_of(order.home)
    try:
        host = Host(order, home, answers)
    except RecordError as error:
        if not order.refused:
            raise
        os.write(answers, f"x {error.code}\n".encode())
        return
    if count and not order.early:
        shim.trente_kill(kind, count, order.signal)
    table = host.table
    os.write(answers, f"ready {table.state.events} {state_digest(table)}\n".encode())
    if order.server:
        Thread(target=_kill_server, args=(table, order.server), daemon=True).start()
    host.run()


def _save(order: Order, answers: int) -> None:
    """Save a session again and again."""
    from tests.durability.saver import save_all  # noqa: PLC0415 - textual is seldom here

    folder = order.home["folder"]
    kind, count = order.kill
    if count:
        ctypes.CDLL(None).trente_kill(kind, count, order.signal)

    def tell(mark: str, words: Sequence[str]) -> None:
        os.write(answers, f"{mark} {' '.join(words)}\n".encode())

    squeeze = Squeeze(order.squeeze, folder, dice_of(order.seed))
    save_all(Path(folder, "session.json"), order.home["states"], squeeze, tell)


def _kill_server(table: Table, wait: int) -> None:
    """Kill the process of the server: PostgreSQL ends all others, and recovers its files.

    A rotation may have ended that process a moment ago, or wait until the server has recovered: the
    next one is killed until the host has noticed, and has ended.
    """
    time.sleep(wait / 1_000_000)
    while True:
        journal: Any = table._memory.journal
        with suppress(ProcessLookupError, psycopg.Error):
            if pid := journal.backend:  # 0 where the connection is closed, and of one's own group
                os.kill(pid, signal.SIGKILL)
                time.sleep(1)
        time.sleep(0.001)


def forked(order: Order) -> tuple[int, int]:
    """Run a child; return its process, and where its lines are read."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return child, reader
    try:
        os.close(reader)
        run_child(order, writer)
        os._exit(ENDED)
    except BaseException:  # noqa: BLE001 - whatever it is, the process ends
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(1)


def ended(child: int, got: list[bytes]) -> list[str]:
    """Wait for the end of a child, and return its whole lines."""
    _child, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status) != ENDED:
        raise SystemExit("the child failed")
    return [line.decode().rstrip("\n") for line in got if line.endswith(b"\n")]


def killed(order: Order) -> list[str]:
    """Run a child, kill it, and return the whole lines that it wrote."""
    child, reader = forked(order)
    got: list[bytes] = []
    with os.fdopen(reader, "rb") as lines:
        if order.answers and not order.ends:
            answered = 0
            for line in lines:
                got.append(line)
                answered += line.startswith(b"!")
                if answered == order.answers:
                    break
        if not order.ends and not order.kill[1] and not order.server:
            time.sleep(order.wait / 1_000_000)
            os.kill(child, signal.SIGKILL)
        got += lines
    return ended(child, got)


STOPPED: Final[dict[int, int]] = {}
"""The children that stopped themselves, and where their lines are read."""


def paused(order: Order) -> list[str]:
    """Run a child until it stops itself, or ends."""
    child, reader = forked(order)
    _child, status = os.waitpid(child, os.WUNTRACED)
    os.set_blocking(reader, False)
    data = b""
    with suppress(BlockingIOError):
        while more := os.read(reader, 1 << 16):
            data += more
    os.set_blocking(reader, True)
    lines = data.decode().splitlines()
    if os.WIFSTOPPED(status):
        STOPPED[child] = reader
        return [f"stopped {child}", *lines]
    os.close(reader)
    if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status) != ENDED:
        raise SystemExit("the child failed")
    return lines


def woken(child: int) -> list[str]:
    """Let a child continue that stopped itself, and return what it wrote since."""
    os.kill(child, signal.SIGCONT)
    with os.fdopen(STOPPED.pop(child), "rb") as lines:
        got = list(lines)
    return ended(child, got)


def raced(orders: Sequence[Order]) -> list[list[str]]:
    """Run children at the same time; return the lines of each."""
    children = [forked(order) for order in orders]
    got = []
    for _child, reader in children:
        with os.fdopen(reader, "rb") as lines:
            got.append(list(lines))
    return [ended(child, lines) for (child, _reader), lines in zip(children, got, strict=True)]


def answer(given: dict[str, Any]) -> Any:
    """Do what a line of input asks for."""
    if "wake" in given:
        return woken(given["wake"])
    if "race" in given:
        return raced([Order(**each) for each in given["race"]])
    order = Order(**given)
    if order.home["kind"] == "save":
        import_module("tests.durability.saver")  # before the fork: it takes a second
    return paused(order) if order.signal == signal.SIGSTOP else killed(order)


if __name__ == "__main__":
    if sys.argv[1:]:
        run_child(Order(**json.loads(sys.argv[1])), sys.stdout.fileno())
        os._exit(ENDED)
    try:
        for line in sys.stdin:
            sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
            sys.stdout.flush()
    finally:
        for each in STOPPED:
            os.kill(each, signal.SIGKILL)
