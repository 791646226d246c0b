"""A wallet that fails: an account for each player, over HTTP, with errors and lost replies.

The wallet itself is exact. What fails is the way to it: see ``Faults``. It counts what it did
twice, which must be nothing, and what it was asked twice, which may be much.
"""

import json
import time
from collections import Counter
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Lock, Thread, local

ROLLED_BACK = object()


class RefusedError(Exception):
    """The wallet will not do it, now or later: no funds, rolled back, another content."""


class UnreachableError(Exception):
    """The wallet may have done it, or not."""


class Wallet:
    """Accounts by player, in units; every call is idempotent by its id."""

    def __init__(self, accounts):
        self.accounts = dict(accounts)
        self.done = {}  # id -> (player, units), or ROLLED_BACK
        self.counts = Counter()
        self.lock = Lock()

    def debit(self, id_, player, units):
        """Take units from a player who has them."""
        if units <= 0:
            raise RefusedError("a debit is above zero")
        self._move(id_, player, -units, covered=True)

    def settle(self, id_, player, units):
        """Give units to a player; or take them back, below zero where they are spent."""
        self._move(id_, player, units, covered=False)

    def rollback(self, id_):
        """Undo a debit; one that comes later is refused."""
        with self.lock:
            earlier = self.done.get(id_)
            if earlier is ROLLED_BACK:
                self.counts["sent again"] += 1
            elif earlier is None:
                self.counts["rolled back before the debit"] += 1
            else:
                player, units = earlier
                self.accounts[player] -= units
                self.counts["rolled back"] += 1
            self.done[id_] = ROLLED_BACK

    def _move(self, id_, player, units, *, covered):
        with self.lock:
            earlier = self.done.get(id_)
            if earlier == (player, units):
                self.counts["sent again"] += 1
            elif earlier is ROLLED_BACK:
                self.counts["came after their rollback"] += 1
                raise RefusedError("rolled back")
            elif earlier is not None:
                self.counts["other content"] += 1
                raise RefusedError(f"{id_} was {earlier}")
            elif covered and self.accounts[player] + units < 0:
                self.counts["refused for funds"] += 1
                raise RefusedError("no funds")
            else:
                self.accounts[player] += units
                self.done[id_] = player, units

    @property
    def moved(self):
        """The movements that count: id -> (player, units)."""
        with self.lock:
            return {id_: said for id_, said in self.done.items() if said is not ROLLED_BACK}


class Faults:
    """Says what happens to a call: mostly nothing."""

    def __init__(self, seed, *, error=0.01, lost=0.01, late=0.003, twice=0.005, slow=0.005):
        self.random, self.lock = Random(seed), Lock()
        self.names = "error", "lost", "late", "twice", "slow", "fine"
        known = error, lost, late, twice, slow
        self.weights = *known, 1 - sum(known)
        self.counts = Counter()

    def next(self):
        """Return the name of the next fault."""
        with self.lock:
            (fault,) = self.random.choices(self.names, self.weights)
            self.counts[fault] += 1
            return fault


def faulty(wallet, faults, name, arguments):
    """Call a wallet as a bad network does; True where a reply comes back."""
    call, fault = getattr(wallet, name), faults.next()

    def later():
        time.sleep(0.05)
        with suppress(RefusedError):
            call(*arguments)

    if fault == "error":
        raise UnreachableError("503")
    if fault == "late":  # the caller has given up long before it is done
        Thread(target=later).start()
        raise UnreachableError("timeout")
    if fault == "slow":
        time.sleep(0.02)
    if fault == "twice":
        with suppress(RefusedError):
            call(*arguments)
    call(*arguments)
    if fault == "lost":
        raise UnreachableError("connection closed")


class Direct:
    """A faulty wallet in this process, asked again until it replies."""

    def __init__(self, wallet, faults, tries=3):
        self.wallet, self.faults, self.tries = wallet, faults, tries

    def debit(self, *arguments):
        """Give up after a few tries: the debit is rolled back then."""
        self._asked("debit", arguments, self.tries)

    def settle(self, *arguments):
        """Ask until it is done."""
        self._asked("settle", arguments)

    def rollback(self, *arguments):
        """Ask until it is done."""
        self._asked("rollback", arguments)

    def _asked(self, name, arguments, tries=10_000):
        for left in reversed(range(tries)):
            try:
                self.ask(name, arguments)
            except UnreachableError:
                if not left:
                    raise
            else:
                return

    def ask(self, name, arguments):
        """Ask once."""
        faulty(self.wallet, self.faults, name, arguments)


class Client(Direct):
    """The same over HTTP: POST /debit, /settle, /rollback with the arguments as JSON."""

    def __init__(self, port, tries=2):
        self.port, self.tries, self.mine = port, tries, local()

    def ask(self, name, arguments):
        """Ask once, on the connection of this thread."""
        try:
            if getattr(self.mine, "connection", None) is None:
                self.mine.connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
            self.mine.connection.request("POST", "/" + name, json.dumps(arguments).encode())
            reply = self.mine.connection.getresponse()
            text = reply.read().decode()
        except (OSError, HTTPException) as error:
            self.mine.connection = None
            raise UnreachableError(str(error)) from error
        if reply.status == 409:
            raise RefusedError(text)
        if reply.status != 200:
            raise UnreachableError(text)


def serve(wallet, faults):
    """Serve a wallet on a free port of this machine; return the server, which runs in a thread."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet for head and body

        def do_POST(self):
            arguments = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, text = 200, "done"
            try:
                faulty(wallet, faults, self.path[1:], arguments)
            except RefusedError as error:
                status, text = 409, str(error)
            except UnreachableError as error:
                if str(error) != "503":
                    self.close_connection = True
                    return  # no reply
                status, text = 503, "try again"
            self.send_response_only(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *_arguments):
            pass  # a client that was killed

    server = Server(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return server
