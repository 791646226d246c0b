"""The service as a process of its own, which can be killed; and players over WebSocket."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from trente_rules.service.messages import Pace, TableSetup
from trente_rules.service.tokens import SUBPROTOCOL, Role, Tokens, Visitor

KEY: Final = bytes(range(32))
QUICK: Final = Pace(bets=200, cut=20, choices=20)
SETUP: Final = TableSetup("salle-3", "france-2007", pace=QUICK)
FOR_ALL: Final = frozenset(
    ("shoe-opened", "cut-made", "burned", "bets-opened", "bets-closed", "coup-dealt", "announced")
)
"""Kinds of events that everybody is shown, as a whole."""
_GONE: Final = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError, httpx.HTTPError)


def token(name: str, role: Role = Role.PLAYER) -> str:
    """Return a token that opens every table."""
    now = time.time()
    return Tokens(KEY).issue(Visitor(name, role, ["*"], int(now) + 3600), now)


class ServiceProcess:
    """``trente serve`` in another process; started again it has the port of before."""

    def __init__(self, folder: Path, journal: str, *options: str) -> None:
        """Serve tables that are kept at a place; the key of tokens is in the folder."""
        keys = folder / "tokens.key"
        if not keys.exists():
            keys.write_text(KEY.hex())
            keys.chmod(0o600)
        self._log = folder / f"service-{id(self)}.log"
        program = "from trente_rules.cli import main; main()"
        self._command = [sys.executable, "-c", program, "serve", "--journal", journal]
        self._command += ["--token-key-file", str(keys), *options]
        self.port = 0
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> ServiceProcess:
        """Start, and wait until it accepts."""
        with self._log.open("a") as log:
            self.process = subprocess.Popen(
                [*self._command, "--port", str(self.port)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith("http://"):
            self.end(signal.SIGKILL)
            raise AssertionError(self.log)
        self.port = int(line.rstrip("/\n").rpartition(":")[2])
        return self

    @property
    def log(self) -> str:
        """The log so far."""
        return self._log.read_text()

    @property
    def url(self) -> str:
        """The address, without the slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def end(self, how: int = signal.SIGTERM) -> int:
        """Send a signal, wait for the end, and return the status."""
        if self.process is None:
            return 0
        assert self.process.stdout is not None
        self.process.send_signal(how)
        status = self.process.wait(20)
        self.process.stdout.close()
        self.process = None
        return status

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Ask as a supervisor; return the JSON."""
        headers = {"Authorization": f"Bearer {token('eve', Role.SUPERVISOR)}"}
        async with httpx.AsyncClient(timeout=10) as client:
            reply = await client.request(method, f"{self.url}{path}", json=body, headers=headers)
            assert reply.is_success, (reply.status_code, reply.text)
            return reply.json()

    async def create(self, setup: TableSetup = SETUP) -> None:
        """Create a table."""
        await self.ask("POST", "/api/tables", setup.to_json())


class WebPlayer:
    """A player over WebSocket, who bets at each coup, and comes again where the connection is lost.

    A bet that was sent and not answered is sent again as it was.
    """

    def __init__(
        self, name: str, ports: Callable[[], Sequence[int]], table: str = SETUP.table
    ) -> None:
        """Play at a table of any of these ports: the next one where the last did not answer."""
        self.name, self._ports, self._table = name, ports, table
        self.last: int | None = None
        self.account = 0
        self.events: list[tuple[int, str, str]] = []
        self.done: list[str] = []
        self.refused: list[tuple[str, str]] = []
        self.connections = self.states = 0
        self.longest = 0.0
        self.rounds: set[str] = set()
        self.faults: list[str] = []
        self._heard = 0.0
        self._waiting: dict[str, Any] | None = None
        self._bet_at = -1
        self._number = 0
        self._stopped = self._again = False

    async def play(self) -> None:
        """Play until ``stop``."""
        turn = 0
        while not self._stopped:
            ports = self._ports()
            try:
                await self._connected(ports[turn % len(ports)])
            except _GONE:
                turn += 1
                await asyncio.sleep(0.05)

    def stop(self) -> None:
        """Send no more bets; leave once the last one is answered."""
        self._stopped = True

    @property
    def shown(self) -> dict[int, str]:
        """The events that everybody is shown, by their index, in the order in which they came."""
        return {index: text for index, kind, text in self.events if kind in FOR_ALL}

    @property
    def settled(self) -> bool:
        """True where no bet waits for its answer."""
        return self._waiting is None

    async def _connected(self, port: int) -> None:
        url = f"ws://127.0.0.1:{port}/api/tables/{self._table}/socket?language=fr"
        if self.last is not None:
            url += f"&after={self.last}"
        protocols = [Subprotocol(SUBPROTOCOL), Subprotocol(f"bearer.{token(self.name)}")]
        async with connect(
            url, subprotocols=protocols, open_timeout=5, close_timeout=1, max_queue=None
        ) as socket:
            self.connections += 1
            self._again = False
            if self._waiting is not None:
                await socket.send(json.dumps({"kind": "command", "command": self._waiting}))
            while not (self._stopped and self.settled):
                async with asyncio.timeout(15):
                    text = await socket.recv()
                await self._take(socket, json.loads(text))

    async def _take(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        kind = message["kind"]
        now = time.monotonic()
        if kind == "state":
            self.states += 1
            self.last = message["view"]["events"] - 1
            self.account = message["view"]["account"]
        elif kind == "entry":
            if self._heard:
                self.longest = max(self.longest, now - self._heard)
            self._heard = now
            self._entry(message["entry"])
        elif kind == "clock" and message["waits_for"] == "bets":
            await self._bet(socket)
        elif kind in ("done", "refused"):
            self._answered(message)

    def _entry(self, entry: dict[str, Any]) -> None:
        self.rounds.add(entry["round"])
        for event in entry["events"]:
            index = event["index"]
            if self.last is not None and index <= self.last:
                self.faults.append(f"event {index} came after {self.last}")
            self.last = index
            told = {name: each for name, each in event.items() if name != "cause"}
            self.events.append((index, event["kind"], json.dumps(told, sort_keys=True)))
        for movement in entry["movements"]:
            if movement["player"] == self.name:
                self.account += movement["units"]

    async def _bet(self, socket: ClientConnection) -> None:
        if self._waiting is not None and self._again:
            self._again = False
            await socket.send(json.dumps({"kind": "command", "command": self._waiting}))
        if self._stopped or self._waiting is not None or self._bet_at == self.last:
            return
        self._bet_at = self.last or 0
        self._number += 1
        name = f"{self.name}-{self._number}"
        self._waiting = {
            "kind": "place",
            "id": name,
            "stake": name,
            "chance": ("rouge", "noir", "couleur", "inverse")[self._number % 4],
            "amount": 50_00,
        }
        await socket.send(json.dumps({"kind": "command", "command": self._waiting}))

    def _answered(self, message: dict[str, Any]) -> None:
        if self._waiting is None or message["id"] != self._waiting["id"]:
            self.faults.append(f"an answer to {message['id']} that nobody waits for")
        elif message["kind"] == "done":
            self.done.append(message["id"])
            self._waiting = None
        else:
            code = message["problem"]["code"]
            self.refused.append((message["id"], code))
            # The service was about to stop, or lost its table: the bet is sent again.
            self._again = message["problem"]["status"] == 503
            if not self._again:
                self._waiting = None
