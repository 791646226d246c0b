"""The gate: what every connection passes before a table hears of it, and every response after.

Names and pages of strangers, bodies and frames without end, too many of anything, tokens that
expire while a socket is open, and errors of our own are dealt with here, once, for all paths. It is
a middleware of ASGI, outside everything but the server.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from math import ceil
from time import monotonic, time
from typing import Final, Literal, Protocol

from attrs import Factory, define, field, frozen
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trente_rules.core.errors import TrenteError
from trente_rules.fair.entropy import fresh_seed
from trente_rules.service.problems import PROBLEM, ProblemResponse, problem_of
from trente_rules.service.rates import Frequency, Rates
from trente_rules.service.sites import Sites, header_values
from trente_rules.service.tokens import Tokens, Visitor, token_in

SOCKET_PATH: Final = re.compile(r"/api/tables/[^/]+/socket")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; manifest-src 'self'; media-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'self'"
)
"""Pages of the service use what the service itself sends, and are in no frame."""
_PERMISSIONS: Final = (
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "
    "magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()"
)
HEADERS: Final[Mapping[bytes, bytes]] = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"x-frame-options": b"DENY",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": _PERMISSIONS.encode(),
}
"""What every response says, whatever its endpoint says."""
_TOO_LARGE: Final = 1009
_FAILED: Final = 1011
_LOST: Final = 1006
"""Codes of the end of a socket."""
REQUEST_ID: Final[ContextVar[str]] = ContextVar("request_id", default="")
"""The id of the request, or of the socket, that is served: what is logged carries it."""
_ID: Final = re.compile(r"[A-Za-z0-9._-]{8,64}")
_ID_BYTES: Final = 8
_SWITCHED: Final = 101
_WIDEST: Final = 4
"""Bytes of a character in UTF-8 at most."""
_UNCOUNTED: Final = frozenset(("/healthz", "/readyz", "/metrics"))


_VISITORS: Final = Frequency(20, 600)
_ADDRESSES: Final = Frequency(50, 3_000)


@frozen
class Allowance:
    """How much one client, and all of them, may ask of the service; None is without a bound.

    ``body`` and ``frame`` are bytes, ``patience`` is how many seconds a body may take to arrive,
    ``whole`` a request from its headers to the end of its response, with a client that reads it.
    ``by_visitor`` counts requests with a valid token, ``by_address`` all others. ``sockets`` are
    open at once in all, ``sockets_by_address`` from one address, ``sockets_by_visitor`` of one role
    and name: each of them is sent all that happens.
    """

    body: int = 256 * 1024
    frame: int = 64 * 1024
    patience: float = 20.0
    whole: float = 120.0
    by_visitor: Frequency | None = _VISITORS
    by_address: Frequency | None = _ADDRESSES
    sockets: int | None = 5_000
    sockets_by_address: int | None = 500
    sockets_by_visitor: int | None = 50


@frozen
class Passage:
    """A request that was served, or a socket that was closed: what a log and a metric may hold.

    ``status`` is that of HTTP, of a socket that was open the code of its end. ``code`` is that of
    the problem, empty without one. ``seconds`` are those from begin to end.
    """

    request_id: str
    kind: Literal["request", "socket"]
    method: str
    path: str
    status: int
    code: str
    seconds: float
    client: str
    visitor: Visitor | None
    received: int
    sent: int


class Doorkeeper(Protocol):
    """An onlooker of the gate: metrics, the access log."""

    def ended(self, passage: Passage) -> None:
        """Note a request that was served, or a socket that was closed or refused."""


@define
class _Connection:
    """A connection on its way through the gate, and what is known of it so far."""

    scope: Scope
    request_id: str
    client: str
    begun: float
    status: int = 0
    code: str = ""
    visitor: Visitor | None = None
    accepted: bool = False
    closed: int | None = None
    received: int = 0
    sent: int = 0

    @property
    def is_socket(self) -> bool:
        """True for a WebSocket."""
        return bool(self.scope["type"] == "websocket")

    @property
    def answered(self) -> bool:
        """True once the client has a status, an open socket, or its end."""
        return bool(self.status or self.accepted or self.closed is not None)


@define
class _Open:
    """How many sockets are open: of everybody, and by address and visitor."""

    counts: Counter[str] = Factory(Counter)

    def enter(self, made: _Connection, allowance: Allowance) -> None:
        """Count a socket; raise ``TrenteError`` ("too-many") above a bound."""
        bounds = (allowance.sockets, allowance.sockets_by_address, allowance.sockets_by_visitor)
        for key, most in zip(_keys(made), bounds, strict=False):
            if most is not None and self.counts[key] >= most:
                whose = key.partition(" ")[0].replace("-", " ")
                what = f"{most} sockets are open {whose}, the most allowed"
                raise TrenteError(what, "too-many", "close one")
        self.counts.update(_keys(made))

    def leave(self, made: _Connection) -> None:
        """Take a socket off the count."""
        for key in _keys(made):
            self.counts[key] -= 1
            if not self.counts[key]:
                del self.counts[key]


def _keys(made: _Connection) -> list[str]:
    """Return what a socket is counted by: all, the address, and the visitor if there is one."""
    visitor = made.visitor
    return [
        "here",
        f"from-one-address {made.client}",
        *([f"of-one-visitor {visitor.role} {visitor.name}"] if visitor else []),
    ]


@define(eq=False, slots=False)
class TooManyError(TrenteError):
    """Too many requests; ``seconds`` is how long to wait."""

    seconds: int = 0


@define
class Gate:
    """The middleware: ``Gate(app, tokens)`` is an application.

    ``clock`` is the time in seconds since 1970, for tokens; ``ticks`` never goes back.
    """

    _app: ASGIApp
    _tokens: Tokens
    _sites: Sites = Factory(Sites)
    _limits: Allowance = Factory(Allowance)
    _doorkeepers: Sequence[Doorkeeper] = ()
    _clock: Callable[[], float] = time
    _ticks: Callable[[], float] = monotonic
    _open: _Open = field(init=False, factory=_Open)
    _visitors: Rates | None = field(init=False)
    _addresses: Rates | None = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Begin to count."""
        limits, ticks = self._limits, self._ticks
        self._visitors = Rates(limits.by_visitor, ticks) if limits.by_visitor else None
        self._addresses = Rates(limits.by_address, ticks) if limits.by_address else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a connection: check it, bound it, and say how it ended."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        name = self._sites.said_by_proxy(scope, b"x-request-id")
        request_id = name if _ID.fullmatch(name) else fresh_seed(_ID_BYTES).hex()
        client = self._sites.client_of(scope)
        made = _Connection(scope, request_id, client, self._ticks())
        known = REQUEST_ID.set(request_id)
        try:
            await self._serve(made, receive, self._outlet(made, send))
        finally:
            # The collector closes what was dropped with its loop, in whatever context it runs in.
            with suppress(ValueError):
                REQUEST_ID.reset(known)
            self._note(made)

    async def _serve(self, made: _Connection, receive: Receive, send: Send) -> None:
        """Let a connection through, or refuse it; errors of anybody are answered."""
        try:
            self._admit(made)
            if made.is_socket:
                await self._serve_socket(made, receive, send)
            else:
                await self._serve_request(made, receive, send)
        except ClientDisconnect:
            made.closed = _LOST
        except Exception as error:  # noqa: BLE001 - whatever it is, its client gets no traceback
            if (
                made.status and PROBLEM in made.scope
            ):  # the framework has answered, and passes it on
                return
            problem = problem_of(error)
            made.code = problem.code
            if not made.answered:
                await ProblemResponse(problem)(made.scope, receive, send)
            elif made.accepted and made.closed is None:
                await send({"type": "websocket.close", "code": _FAILED})

    async def _serve_request(self, made: _Connection, receive: Receive, send: Send) -> None:
        """Serve a request until its end, or for so many seconds."""
        until = asyncio.timeout(self._limits.whole)
        try:
            async with until:
                await self._app(made.scope, self._inlet(made, receive), send)
        except TimeoutError:
            if not until.expired():
                raise
            if not made.answered:
                raise TrenteError("a request took too long", "busy") from None

    def _admit(self, made: _Connection) -> None:
        """Raise ``TrenteError`` for a connection that may not pass, and find out whose it is."""
        scope = made.scope
        self._sites.check(scope)
        with suppress(TrenteError):  # who needs a token is the endpoint's to say
            made.visitor = self._tokens.read(token_in(scope), self._clock())
        path = scope["path"]
        if path not in _UNCOUNTED:
            self._spend(made)
        has_socket = SOCKET_PATH.fullmatch(path) is not None
        if made.is_socket and not has_socket:
            raise TrenteError("there is no socket here", "unknown-path")
        if has_socket and not made.is_socket:
            raise TrenteError("this is the path of a socket", "upgrade-needed", "use WebSocket")
        if not made.is_socket and self._announced(scope) > self._limits.body:
            raise self._large_error()

    def _spend(self, made: _Connection) -> None:
        rates, key = self._addresses, made.client
        if made.visitor:
            rates, key = self._visitors, f"{made.visitor.role} {made.visitor.name}"
        if rates is not None and (wait := rates.take(key)):
            hint = "wait, and ask less often"
            raise TooManyError("too many requests", "too-many", hint, max(1, ceil(wait)))

    def _announced(self, scope: Scope) -> int:
        """Return the length that a request announces; no server lets two lengths through."""
        lengths = header_values(scope, b"content-length")
        return max((int(each) for each in lengths if each.isdecimal()), default=0)

    def _large_error(self) -> TrenteError:
        what = f"the body has more than {self._limits.body} bytes"
        return TrenteError(what, "too-large", "send less at once")

    def _inlet(self, made: _Connection, receive: Receive) -> Receive:
        """Return what reads the body of a request, of so many bytes, in so many seconds."""
        deadline = asyncio.get_running_loop().time() + self._limits.patience
        whole = False

        async def read() -> Message:
            nonlocal whole
            if whole:  # what follows the body is its client's end, and may be long in coming
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise TrenteError("the body did not arrive in time", "too-slow") from None
            whole = not message.get("more_body", False)
            made.received += len(message.get("body", b""))
            if made.received > self._limits.body:
                raise self._large_error()
            return message

        return read

    async def _serve_socket(self, made: _Connection, receive: Receive, send: Send) -> None:
        """Serve a socket until its end."""
        self._open.enter(made, self._limits)
        try:
            await self._app(made.scope, self._frames(made, receive, send), send)
        finally:
            self._open.leave(made)

    def _frames(self, made: _Connection, receive: Receive, send: Send) -> Receive:
        """Return what reads the frames of a socket, of so many bytes."""
        most = self._limits.frame

        async def read() -> Message:
            message = await receive()
            if message["type"] == "websocket.disconnect" and made.closed is None:
                made.closed = message.get("code", _LOST)
            if message["type"] != "websocket.receive":
                return message
            size = _size(message, most)
            made.received += size
            if size > most:
                made.code = "too-large"
                await send({"type": "websocket.close", "code": _TOO_LARGE})
                return {"type": "websocket.disconnect", "code": _TOO_LARGE, "reason": ""}
            return message

        return read

    def _outlet(self, made: _Connection, send: Send) -> Send:
        """Return what sends a response, with the headers of every response."""

        async def write(message: Message) -> None:
            kind = message["type"]
            if kind in ("http.response.start", "websocket.http.response.start"):
                made.status = message["status"]
                headers = [*_with_headers(made.scope, message.get("headers", ()))]
                headers.append((b"x-request-id", made.request_id.encode()))
                message = {**message, "headers": headers}
            elif kind == "websocket.accept":
                made.accepted, made.status = True, _SWITCHED
            elif kind == "websocket.close":
                if made.closed is not None:  # it was closed meanwhile, by the gate or the client
                    return
                made.closed = message.get("code", 1000)
            elif kind == "websocket.send" and made.closed is not None:
                return
            made.sent += len(message.get("body") or message.get("text") or "")
            await send(message)

        return write

    def _note(self, made: _Connection) -> None:
        status = made.closed if made.accepted and made.closed is not None else made.status
        passage = Passage(
            made.request_id,
            "socket" if made.is_socket else "request",
            made.scope.get("method", "GET"),
            made.scope["path"],
            status or made.closed or 0,
            made.code or made.scope.get(PROBLEM, ""),
            self._ticks() - made.begun,
            made.client,
            made.visitor,
            made.received,
            made.sent,
        )
        for each in self._doorkeepers:
            each.ended(passage)


def _size(message: Message, enough: int) -> int:
    """Return the bytes of a frame; of a text that is long anyway its characters do."""
    text = message.get("text")
    if text is None:
        return len(message.get("bytes") or b"")
    return len(text) if len(text) > enough else _bytes_of(text, enough)


def _bytes_of(text: str, enough: int) -> int:
    few = len(text) * _WIDEST <= enough or text.isascii()
    return len(text) if few else len(text.encode("utf-8", "surrogatepass"))


def _with_headers(
    scope: Scope, given: Iterable[tuple[bytes, bytes]]
) -> Iterable[tuple[bytes, bytes]]:
    """Return the headers of a response, with ours in place of any of the same name."""
    names = set[bytes]()
    for name, value in given:
        if name.lower() not in HEADERS:
            names.add(name.lower())
            yield name, value
    yield from HEADERS.items()
    if b"cache-control" not in names:
        yield b"cache-control", b"no-store" if scope["path"].startswith("/api/") else b"no-cache"
