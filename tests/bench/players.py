"""Twenty players who bet at the same moment, on a journal that waits for the disk; prints JSON.

    python tests/bench/players.py SECONDS WAY

A coup is that of ``load.py`` with 20 stakes. The ways:

- ``lone``: one thread gives every command, one by one. 24 commits a coup.
- ``threads``: each player is a thread, woken at the same moment, that gives its bet and waits for
  the table. The dealer waits for all of them. A release that can do commands together is given the
  dealer's in pairs, rien ne va plus and the deal, the settlement and the next bets; an earlier one
  is given them one by one, and the host puts a lock around the table, as that release asks for.
- ``loop``: an event loop takes the bets of all players and submits them; the dealer closes as soon
  as all were sent, and waits for no answer before. Only for a release with ``Table.submit``.
- ``timer``: the same at a machine whose time for bets is over: rien ne va plus, the deal, the
  settlement (choices are made in advance, or the house's) and the next bets are one request.

It is written for this checkout and for earlier ones: ``bench_commits.py`` runs it with the package
of another. What is printed: coups a second, commits and milliseconds of the processor a coup.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from time import perf_counter, process_time
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent))

from load import Load, named  # type: ignore[import-not-found]

PLAYERS: Final = 20
TrenteError: Final = named("TrenteError")


class Room:
    """A table, its dealer, and a thread for each player."""

    def __init__(self, journal: Any) -> None:
        """Open a table; count the commits of its journal."""
        self.load = Load(PLAYERS, journal)
        self.table = self.load.table
        self.commits = 0
        self.together = hasattr(self.table, "do_many")
        self.lock: Any = nullcontext() if self.together else Lock()
        self.bets: list[Any] = []
        self.sent: list[int] = []
        self.all_sent = taken()
        self.woken = [taken() for _ in range(PLAYERS)]
        append = journal.append

        def counted(*about: Any) -> None:
            append(*about)
            self.commits += 1

        journal.append = counted

    def begin(self) -> None:
        """Let the players sit down."""
        for number in range(PLAYERS):
            Thread(target=self.player, args=(number,), daemon=True).start()

    def player(self, number: int) -> None:
        """Bet, whenever bets are open."""
        while True:
            self.woken[number].acquire()
            with self.lock:
                self.table.do(self.bets[number])
            self.sent.append(number)
            if len(self.sent) == PLAYERS:
                self.all_sent.release()

    def dealer(self, *commands: Any) -> None:
        """Give commands of the dealer."""
        if self.together:
            self.table.do_many(commands)
        else:
            for command in commands:
                self.table.do(command)

    def lone(self) -> None:
        """Play a coup with one thread."""
        self.load.coup()

    def threads(self) -> None:
        """Play a coup with a thread for each player."""
        load = self.load
        self.bets_open()
        self.bets, number = load.bets(), load.coups
        self.sent.clear()
        for each in self.woken:
            each.release()
        self.all_sent.acquire()
        self.dealer(load._close(id=f"c{number}"), load._deal(id=f"d{number}"))
        load.coups += 1
        if self.table.state.phase is not load._dealt:  # the cards ran out
            return
        settle, following = load._settle(id=f"s{number}"), load._bets(id=f"b{number + 1}")
        if not self.together:
            self.dealer(settle)
            return
        try:
            self.dealer(settle, following)
        except TrenteError:  # that was the last coup of the shoe
            self.dealer(settle)

    def bets_open(self) -> None:
        """Open a shoe and its first bets where that was not done with the settlement."""
        load = self.load
        load.ready()
        if "open-bets" in self.table.allowed():
            self.table.do(load._bets(id=f"b{load.coups}"))


def taken() -> Any:
    """Return a lock that is held."""
    lock = Lock()
    lock.acquire()
    return lock


class Watch:
    """What a room has done, and how long that took, since it was warm."""

    def __init__(self, room: Room, seconds: float) -> None:
        """Watch a room for so many seconds."""
        self.room, self.seconds = room, seconds

    def coups(self) -> Iterator[None]:
        """Yield before each coup, until the time is over."""
        for _ in range(3):
            yield
        self.first, self.commits = self.room.load.coups, self.room.commits
        self.used, self.begin = process_time(), perf_counter()
        while perf_counter() - self.begin < self.seconds:
            yield

    def found(self) -> dict[str, float]:
        """Return coups a second, commits a coup and milliseconds of the processor a coup."""
        passed, done = perf_counter() - self.begin, self.room.load.coups - self.first
        return {
            "coups": done / passed,
            "commits": (self.room.commits - self.commits) / done,
            "busy": (process_time() - self.used) / done * 1e3,
        }


async def loop(room: Room, watch: Watch, *, at_once: bool) -> None:
    """Play coups with an event loop that serves all players."""
    load, submit = room.load, room.table.submit
    with ThreadPoolExecutor(1) as pool:
        for _ in watch.coups():
            room.bets_open()
            number = load.coups
            sent = [submit([bet], pool) for bet in load.bets()]
            closed = [load._close(id=f"c{number}"), load._deal(id=f"d{number}")]
            settle = load._settle(id=f"s{number}")
            following = load._bets(id=f"b{number + 1}")
            sent.append(submit([*closed, settle, following] if at_once else closed, pool))
            with suppress(TrenteError):
                await asyncio.wrap_future(sent[-1])  # those before it are done, too
            *_entries, dealt = (future.exception() for future in sent)
            load.coups += 1
            if at_once:
                if dealt is None:
                    continue
                await asyncio.wrap_future(submit(closed, pool))  # the shoe ends with this coup
            if room.table.state.phase is not load._dealt:  # the cards ran out
                continue
            try:
                await asyncio.wrap_future(submit([settle, following], pool))
            except TrenteError:  # that was the last coup of the shoe
                await asyncio.wrap_future(submit([settle], pool))


def main() -> None:
    """Measure one way."""
    seconds, way = sys.argv[1:]
    with TemporaryDirectory() as folder:
        room = Room(named("SqliteJournal")(f"{folder}/journal", "full"))
        watch = Watch(room, float(seconds))
        if way in ("loop", "timer"):
            asyncio.run(loop(room, watch, at_once=way == "timer"))
        else:
            if way == "threads":
                room.begin()
            for _ in watch.coups():
                (room.threads if way == "threads" else room.lone)()
        print(json.dumps(watch.found()))


if __name__ == "__main__":
    main()
