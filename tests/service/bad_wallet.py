"""A wallet that fails: accounts over HTTP, with errors, lost replies, late and doubled calls.

The wallet itself is exact. What fails is the way to it, as a list or a lottery of faults says.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Lock, Thread
from typing import Any, Final
from urllib.parse import unquote

KEY: Final = "the key of the wallet, for tests"
FAULTS: Final = ("fine", "error", "lost", "late", "twice", "slow", "later")
_LATE: Final = 0.05


class Refused(Exception):  # noqa: N818 - what a wallet says, no fault
    """The wallet will not do it, now or later."""

    def __init__(self, status: int, why: str) -> None:
        """Refuse with a status of HTTP."""
        super().__init__(why)
        self.status = status


class BadWallet:
    """Accounts by player, in units; each call counts once, by its movement."""

    def __init__(self, accounts: dict[str, int], fault: Callable[[str], str]) -> None:
        """Begin with these accounts; ``fault`` names what happens to the next call."""
        self.accounts = dict(accounts)
        self.done: dict[str, tuple[str, int] | None] = {}
        self.counts: Counter[str] = Counter()
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.refuses: set[str] = set()
        self.fault = fault
        self.lock = Lock()

    def ask(self, what: str, body: dict[str, Any]) -> None:
        """Do what is asked, once."""
        with self.lock:
            self.asked.append((what, body))
            if body["player"] in self.refuses and what != "reverse":
                raise Refused(422, "the account is closed")
            if what == "reverse":
                self._reverse(body["movement"])
            else:
                units = body["units"] if what == "credit" else -body["units"]
                self._move(body["movement"], body["player"], units, due=body["due"])

    def _reverse(self, movement: str) -> None:
        earlier = self.done.get(movement)
        if earlier is not None:
            player, units = earlier
            self.accounts[player] -= units
        self.counts["reversed again" if movement in self.done and not earlier else "reversed"] += 1
        self.done[movement] = None

    def _move(self, movement: str, player: str, units: int, *, due: bool) -> None:
        earlier = self.done.get(movement, ())
        if earlier is None:
            self.counts["came after its reversal"] += 1
            raise Refused(409, "reversed")
        if earlier == (player, units):
            self.counts["again"] += 1
        elif earlier:
            self.counts["other content"] += 1
            raise Refused(409, "another content")
        elif units < 0 and not due and self.accounts[player] + units < 0:
            self.counts["no funds"] += 1
            raise Refused(402, "no funds")
        else:
            self.accounts[player] += units
            self.done[movement] = player, units
            self.counts["moved"] += 1

    @property
    def moved(self) -> dict[str, tuple[str, int]]:
        """The movements that count."""
        with self.lock:
            return {id_: each for id_, each in self.done.items() if each is not None}


def lottery(seed: int, rate: float) -> Callable[[str], str]:
    """Return a lottery of faults: each other one at this rate altogether."""
    dice, lock = Random(seed), Lock()  # noqa: S311 - faults, no cards

    def draw(_what: str) -> str:
        with lock:
            return dice.choice(FAULTS[1:-1]) if dice.random() < rate else "fine"

    return draw


class _Handler(BaseHTTPRequestHandler):
    """A call of the wallet of its server."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server: _Server

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body, what = json.loads(self.rfile.read(length)), self.path.rpartition("/")[2]
        wallet = self.server.wallet
        if self.headers["Authorization"] != f"Bearer {KEY}":
            self.reply(401, {})
            return
        assert unquote(self.headers["Idempotency-Key"]) == f"{what}:{body['movement']}"
        fault = wallet.fault(what)
        wallet.counts[f"fault {fault}"] += 1
        if fault == "error":
            self.reply(503, {}, **{"Retry-After": "0"})
            return
        if fault in ("late", "later"):  # the caller has given up before it is done
            Thread(target=self.late, args=(what, body, fault), daemon=True).start()
            self.close_connection = True
            return
        if fault == "slow":
            time.sleep(_LATE)
        if fault == "twice":
            with suppress(Refused):
                wallet.ask(what, body)
        self.ask(what, body, fault)

    def ask(self, what: str, body: dict[str, Any], fault: str) -> None:
        """Do it, and reply unless the reply is lost."""
        status, told = 200, {}
        try:
            self.server.wallet.ask(what, body)
        except Refused as error:
            status, told = error.status, {"title": str(error)}
        if fault == "lost":
            self.close_connection = True
        else:
            self.reply(status, told)

    def late(self, what: str, body: dict[str, Any], fault: str) -> None:
        """Do it when nobody waits for it any more."""
        time.sleep(_LATE if fault == "late" else 1.0)
        with suppress(Refused):
            self.server.wallet.ask(what, body)

    def reply(self, status: int, told: dict[str, Any], **headers: str) -> None:
        """Reply with JSON."""
        text = json.dumps(told).encode()
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class _Server(ThreadingHTTPServer):
    """A server of one wallet."""

    daemon_threads = True
    request_queue_size = 128
    wallet: BadWallet

    def handle_error(self, *_arguments: Any) -> None:
        """Say nothing of a client that was killed."""


@contextmanager
def serving(wallet: BadWallet) -> Iterator[str]:
    """Serve a wallet on a free port of this machine; yield its address."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.wallet = wallet
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/wallet"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
