"""The ledger: what killed hosts had sent and been answered, and what is in the journal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from attrs import Factory, asdict, define
from tests.durability.homes import Home
from tests.durability.host import HOUSE, SESSION, Order, digest
from tests.table.ten_players import dice_of

from trente_rules import Table
from trente_rules.table import Entry, recover
from trente_rules.table.state import balance
from trente_rules.testing import opening_of

HOST = Path(__file__).with_name("host.py")


class Nursery:
    """The process that runs hosts and kills them."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Use a process of host.py."""
        self.process = process
        self.failed = False
        """Whether a host failed, and that was said."""

    def run(self, order: Order) -> list[str]:
        """Run a host, and return what it wrote."""
        lines: list[str] = self._ask(asdict(order))
        return lines

    def wake(self, child: int) -> list[str]:
        """Let a host continue that stopped itself, and return what it wrote since."""
        lines: list[str] = self._ask({"wake": child})
        return lines

    def race(self, orders: Sequence[Order]) -> list[list[str]]:
        """Run hosts at the same time, and return what each wrote."""
        lines: list[list[str]] = self._ask({"race": [asdict(each) for each in orders]})
        return lines

    def _ask(self, what: dict[str, Any]) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        self.failed = not line
        assert line, "a host failed: see what it wrote"
        return json.loads(line)


@contextmanager
def nursery(**environment: str) -> Iterator[Nursery]:
    """Start host.py; its environment has these variables too."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, str(HOST)],
        stdin=pipe,
        stdout=pipe,
        text=True,
        env={**os.environ, **environment},
    ) as process:
        hosts = Nursery(process)
        yield hosts
        assert process.stdin
        process.stdin.close()
        assert process.wait() == 0 or hosts.failed


@define
class Told:
    """What hosts wrote: the commands that they sent, and those that were answered."""

    sent: list[tuple[str, ...]] = Factory(list)
    answered: dict[str, str] = Factory(dict)

    def read(self, lines: Iterable[str]) -> None:
        """Read the lines of a host."""
        for line in lines:
            mark, *words = line.split()
            if mark == "?":
                self.sent.append(tuple(words))
            elif mark == "!":
                self.answered |= dict(zip(words[::2], words[1::2], strict=True))


class Ledger:
    """One session: an uninterrupted table does what is in its journals, and is compared."""

    def __init__(self, home: Home) -> None:
        """Begin with no journal."""
        self.home = home
        self.alone = Table(HOUSE, opening=opening_of(HOUSE), session=SESSION)
        self.kept: dict[str, str] = {}
        """The digest of each command, by its id, in order."""
        self.told = Told()
        self.unanswered = 0
        self.journals = 0

    def after(self, lines: Iterable[str]) -> None:
        """Read what a host wrote, and check the journals."""
        now = Told()
        now.read(lines)
        self.told.sent += now.sent
        self.told.answered |= now.answered
        new = list(self.entries(len(self.kept) + 1))
        for entry in new:
            # Each stake, prisoner, premium and event, by the rules alone: no journal, no end.
            assert self.alone.execute(entry.command) == entry
            assert entry.command.id not in self.kept
            self.kept[entry.command.id] = digest(entry)
        self.check_told(now, {entry.command.id for entry in new})
        if self.kept or self.journals:
            self.check_recovered(new[-1] if new else None)

    def entries(self, first: int) -> Iterator[Entry]:
        """Yield the entries of all journals, from one on, and check each journal."""
        self.journals = 0
        for journal in self.home.journals():
            journal.check()
            self.journals += 1
            yield from journal.entries(first=first)

    def check_told(self, now: Told, new: set[str]) -> None:
        """Compare what is new with what was sent and answered."""
        missing = [each for each in now.answered if each not in new]
        assert missing == [], "answered, and not in the journal"
        assert new <= {each for batch in now.sent for each in batch}
        for id_, told in now.answered.items():
            assert self.kept[id_] == told
        last = {_thread(batch): batch for batch in now.sent}
        for batch in now.sent:
            if batch[0] in new and batch[0] not in now.answered:
                assert last[_thread(batch)] == batch, "it was not what a thread sent last"
            assert len({each in new for each in batch}) == 1, "a batch is all there, or not at all"
        self.unanswered += len(new) - len(now.answered)

    def check_recovered(self, last: Entry | None) -> None:
        """Recover the table: it is the one that was never interrupted, and does nothing twice."""
        with self.home.newest() as journal:
            again = recover(journal)
            assert again.state == self.alone.state
            assert again.taille == self.alone.taille
            assert balance(again.state) == 0
            if last is not None:
                once_more = again.execute(last.command)
                assert (once_more, once_more.repeated) == (last, True)
            assert again.state == self.alone.state
            assert journal.head is not None
            assert journal.head.sequence == len(self.kept)


def _thread(batch: tuple[str, ...]) -> str:
    """Return the thread that sent commands, from their ids."""
    life, events, thread, *_number = batch[0].split(".")
    return f"{life}.{events}.{thread}"


def kill(
    homes: Iterable[Home],
    times: int,
    most: int,
    *,
    readers: bool = False,
    seed: int = 0,
    **how: Any,
) -> list[Ledger]:
    """Kill hosts on the journals of homes, each so many times, each after up to so many answers.

    With ``readers`` a connection of another process is always attached, so that what a killed
    writer left half done is not put right by whoever comes next. ``how`` is of ``Order``. A few
    homes killed early are cheaper than one that is killed late in its session.
    """
    ledgers = [Ledger(home) for home in homes]
    with nursery() as hosts, ExitStack() as watching:
        for number, ledger in enumerate(ledgers):
            dice = dice_of(seed * 1000 + number)
            for _ in range(times):
                order = Order(
                    ledger.home.order(),
                    dice.getrandbits(30),
                    answers=dice.randrange(most),
                    wait=dice.randrange(3000),
                    **how,
                )
                ledger.after(hosts.run(order))
                if readers and ledger.journals:
                    reader = ledger.home.reader()
                    watching.close()
                    watching.push(reader)
    return ledgers
