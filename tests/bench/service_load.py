"""The load of the service: players and dealers on sockets, in a process of its own.

Reads what to do as JSON from standard input, prints what it measured as JSON. Every table has a
dealer who opens bets, closes them, deals and settles, and players who each place a slip at a random
time while bets are open. A delay is from just before a command is sent until a socket has its
entry: of a dealer's command that is one for every player of the table, of a player's slip their
own. Both ends are in this process, so one monotonic clock measures them; how late this process is
at times of its own is told beside it.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from array import array
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from time import monotonic_ns
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

CHANCES: Final = ("rouge", "noir", "couleur", "inverse")
AMOUNT: Final = 10_000
_BETS: Final = 0.7
"""The part of a coup's time in which bets are open."""


class Delays:
    """When commands were sent and entries received; that may be before a number is known."""

    def __init__(self) -> None:
        """Measure nothing yet."""
        self.measuring = False
        self.delays = array("q")
        self.of_kind: dict[str, array[int]] = defaultdict(lambda: array("q"))
        self._sent: dict[int, tuple[int, str]] = {}
        self._early: dict[int, list[int]] = defaultdict(list)

    def sent(self, sequence: int, at: int, kind: str) -> None:
        """Take the time at which the command of an entry was sent."""
        self._sent[sequence] = at, kind
        for received in self._early.pop(sequence, ()):
            self._add(received - at, kind)

    def received(self, sequence: int, at: int) -> None:
        """Take the time at which a socket had an entry."""
        sent = self._sent.get(sequence)
        if sent is None:
            self._early[sequence].append(at)
        else:
            self._add(at - sent[0], sent[1])

    def _add(self, delay: int, kind: str) -> None:
        if self.measuring:
            self.delays.append(delay)
            self.of_kind[kind].append(delay)


class Seat:
    """A connection to a table: sends commands, and waits for each to be done."""

    def __init__(self, table: LoadedTable, name: str, token: str) -> None:
        """Take a seat; ``connected`` is still to come."""
        self.table, self.name, self.token = table, name, token
        self.socket: ClientConnection | None = None
        self.dealer = name == "dealer"
        self.messages = self.bytes = self.refused = 0
        self._done: dict[str, asyncio.Future[int]] = {}
        self._n = 0
        self.ended = False

    async def connected(self) -> None:
        """Connect, and read the state."""
        self.socket = await connect(
            f"{self.table.load.url}/api/tables/{self.table.name}/socket",
            subprotocols=["trente-rules.1", f"bearer.{self.token}"],  # type: ignore[list-item]
            compression="deflate" if self.table.load.deflate else None,
            max_size=None,
            local_addr=(f"127.0.1.{1 + self.table.number % 250}", 0),  # an address has a limit
            ping_interval=None,
        )
        await self.socket.recv()

    async def read(self) -> None:
        """Read until the connection is closed."""
        assert self.socket is not None
        with suppress(ConnectionClosed):
            async for text in self.socket:
                at = monotonic_ns()
                self.messages += 1
                self.bytes += len(text)
                message = json.loads(text)
                _READERS.get(message["kind"], _nothing)(self, message, at)

    def _entry(self, message: dict[str, Any], at: int) -> None:
        entry = message["entry"]
        kinds = {event["kind"] for event in entry["events"]}
        if self.dealer:
            self.ended |= "shoe-ended" in kinds
        elif "stake-placed" in kinds:
            self.table.load.own.received(self.table.key(entry["sequence"]), at)
        else:
            self.table.load.shared.received(self.table.key(entry["sequence"]), at)

    def _did(self, message: dict[str, Any], _at: int) -> None:
        future = self._done.pop(message["id"], None)
        if future is not None and not future.done():
            future.set_result(message["sequence"])

    def _refused(self, message: dict[str, Any], _at: int) -> None:
        self.refused += 1
        future = self._done.pop(message["id"], None)
        if future is not None and not future.done():
            future.set_exception(RuntimeError(json.dumps(message["problem"])))

    async def do(self, kind: str, **fields: Any) -> int:
        """Send a command, return the sequence of its entry."""
        assert self.socket is not None
        self._n += 1
        name = f"{self.name}-{self._n}"
        future = self._done[name] = asyncio.get_running_loop().create_future()
        command = {"kind": kind, "id": name, **fields}
        text = json.dumps({"kind": "command", "command": command})
        at = monotonic_ns()
        await self.socket.send(text)
        sequence: int = await future
        delays = self.table.load.shared if self.dealer else self.table.load.own
        delays.sent(self.table.key(sequence), at, kind)
        return sequence


def _nothing(_seat: Seat, _message: dict[str, Any], _at: int) -> None:
    """Leave a message alone."""


_READERS: Final = {"entry": Seat._entry, "done": Seat._did, "refused": Seat._refused}


class LoadedTable:
    """A table: its dealer, its players, and its coups."""

    def __init__(self, load: Load, number: int, asked: dict[str, Any]) -> None:
        """Name its seats; nobody is connected yet."""
        self.load, self.number, self.name = load, number, asked["name"]
        self.dealer = Seat(self, "dealer", asked["dealer"])
        self.players = [Seat(self, name, token) for name, token in asked["players"]]
        self.coups = 0
        self.random = random.Random(number)

    def key(self, sequence: int) -> int:
        """Return a number that no entry of another table has."""
        return sequence * self.load.tables_count + self.number

    async def shoe(self) -> None:
        """Open a shoe by the dealer's commands; its cards are the service's."""
        self.dealer.ended = False
        await self.load.open_shoe(self)
        await self.dealer.do("cut", place=100, by="player")
        await self.dealer.do("place-marker", from_end=None, by="croupier")

    async def bet(self, player: Seat, left: float) -> None:
        """Place a slip at a random time."""
        await asyncio.sleep(self.random.uniform(0, left))
        bets = [
            {"stake": f"{player.name}-{self.coups}-{i}", "chance": chance, "amount": AMOUNT}
            for i, chance in enumerate(self.random.sample(CHANCES, self.random.randint(1, 2)))
        ]
        await player.do("slip", bets=bets)

    async def play(self, until: float, coup: float) -> None:
        """Play coups until a time of the loop."""
        clock = asyncio.get_running_loop().time
        await asyncio.sleep(self.random.uniform(0, coup))  # tables are not in step
        while clock() < until:
            started = clock()
            if self.coups == 0 or self.dealer.ended:
                await self.shoe()
            await self.dealer.do("open-bets")
            await asyncio.gather(*(self.bet(each, coup * _BETS) for each in self.players))
            await asyncio.sleep(max(0.0, started + coup * _BETS - clock()))
            await self.dealer.do("close-bets")
            await asyncio.sleep(coup * (1 - _BETS) / 3)
            await self.dealer.do("deal")
            await asyncio.sleep(coup * (1 - _BETS) / 3)
            if not self.dealer.ended:  # the cards ran out: the coup is void, and over
                await self.dealer.do("settle")
            self.coups += 1
            await asyncio.sleep(max(0.0, started + coup - clock()))


class Load:
    """All tables, and what is measured."""

    def __init__(self, asked: dict[str, Any]) -> None:
        """Read what is asked."""
        self.asked, self.url, self.deflate = asked, asked["url"], asked["deflate"]
        self.shared, self.own = Delays(), Delays()
        self.lateness = array("q")
        self.tables_count = len(asked["tables"])
        self.tables = [LoadedTable(self, n, each) for n, each in enumerate(asked["tables"])]

    @property
    def seats(self) -> Iterable[Seat]:
        """Every connection."""
        return (seat for each in self.tables for seat in (each.dealer, *each.players))

    async def open_shoe(self, table: LoadedTable) -> None:
        """Ask the service for a shoe, by HTTP in a few lines: a request a shoe is no load."""
        host, port = self.url.removeprefix("ws://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        body = json.dumps({"id": f"shoe-{table.coups}"})
        head = (
            f"POST /api/tables/{table.name}/shoe HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Bearer {table.dealer.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        writer.write((head + body).encode())
        answered = await reader.read()
        writer.close()
        if b" 200 " not in answered.split(b"\r\n", 1)[0]:
            raise RuntimeError(answered.decode())

    async def late(self) -> None:
        """Measure how late this process is at a time of its own: it is part of every delay."""
        while True:
            due = monotonic_ns() + 20_000_000
            await asyncio.sleep(0.02)
            self.lateness.append(monotonic_ns() - due)

    async def run(self) -> dict[str, Any]:
        """Connect all, play, and return what was measured."""
        gate = asyncio.Semaphore(20)

        async def joined(seat: Seat) -> None:
            async with gate:
                await seat.connected()

        started = monotonic_ns()
        await asyncio.gather(*(joined(seat) for seat in self.seats))
        joining = (monotonic_ns() - started) / 1e9
        readers = [asyncio.create_task(seat.read()) for seat in self.seats]
        print(json.dumps({"connected": joining}), flush=True)
        loop, coup = asyncio.get_running_loop(), self.asked["coup"]
        until = loop.time() + self.asked["seconds"]
        plays = [asyncio.create_task(each.play(until, coup)) for each in self.tables]
        await asyncio.sleep(2 * coup)  # the shoes are opened, the tables out of step
        before = [(seat.messages, seat.bytes) for seat in self.seats]
        self.shared.measuring = self.own.measuring = True
        late = asyncio.create_task(self.late())
        measured = monotonic_ns()
        await asyncio.gather(*plays)
        seconds = (monotonic_ns() - measured) / 1e9
        late.cancel()
        after = [(seat.messages, seat.bytes) for seat in self.seats]
        await asyncio.sleep(1)
        lost = sum(task.done() for task in readers)
        for seat in self.seats:
            assert seat.socket is not None
            await seat.socket.close()
        return {
            "seconds": seconds,
            "joining": joining,
            "coups": sum(each.coups for each in self.tables),
            "messages": sum(a[0] - b[0] for a, b in zip(after, before, strict=True)),
            "bytes": sum(a[1] - b[1] for a, b in zip(after, before, strict=True)),
            "refused": sum(seat.refused for seat in self.seats),
            "lost": lost,
            "shared": told(self.shared.delays),
            "own": told(self.own.delays),
            "kinds": {kind: told(delays) for kind, delays in self.shared.of_kind.items()},
            "late": told(self.lateness),
        }


def told(delays: Iterable[int]) -> dict[str, float]:
    """Return the number of delays, and in milliseconds their quantiles."""
    inorder = sorted(delays)
    if not inorder:
        return {"count": 0}
    at = {name: inorder[min(len(inorder) - 1, int(part * len(inorder)))] / 1e6 for name, part in _Q}
    return {"count": len(inorder), **at, "most": inorder[-1] / 1e6}


_Q: Final = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999))


def main() -> None:
    """Play as asked."""
    asked = json.loads(sys.stdin.readline())
    print(json.dumps(asyncio.run(Load(asked).run())), flush=True)


if __name__ == "__main__":
    main()
