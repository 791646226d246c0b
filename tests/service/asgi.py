"""A client of an ASGI application, without a network: any header, any body, any frame.

It sends what no library of HTTP would send, which is what an attacker does.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import Factory, define

HOST: Final = "127.0.0.1:8000"
Headers = Iterable[tuple[str, str]]


def scope_of(
    kind: str, method: str, path: str, headers: Headers, client: str, *, host: str | None = HOST
) -> dict[str, Any]:
    """Return the scope of a connection, as uvicorn makes it."""
    target, _, query = path.partition("?")
    given = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
    if host is not None and not any(name == b"host" for name, _ in given):
        given.insert(0, (b"host", host.encode("latin-1")))
    made: dict[str, Any] = {
        "type": kind,
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "ws" if kind == "websocket" else "http",
        "path": target,
        "raw_path": target.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": given,
        "client": (client, 40_000),
        "server": ("127.0.0.1", 8000),
        "extensions": {"websocket.http.response": {}} if kind == "websocket" else {},
        "state": {},
    }
    if kind == "http":
        return {**made, "method": method}
    named = [value for name, value in given if name == b"sec-websocket-protocol"]
    words = [word.strip() for value in named for word in value.decode().split(",")]
    return {**made, "subprotocols": words}


@define
class Answered:
    """What an application sent: a status, headers, a body."""

    status: int = 0
    headers: dict[str, str] = Factory(dict)
    body: bytes = b""

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of the problem in the body."""
        assert self.headers["content-type"] == "application/problem+json"
        code: str = self.json["code"]
        assert self.json["status"] == self.status
        return code

    def take(self, message: Mapping[str, Any]) -> None:
        """Take a message of the application that is part of a response."""
        kind = message["type"].removeprefix("websocket.")
        if kind == "http.response.start":
            assert not self.status, "a response begins once"
            self.status = message["status"]
            for name, value in message["headers"]:
                assert name == name.lower()
                assert name.decode() not in self.headers, f"{name!r} is sent twice"
                self.headers[name.decode()] = value.decode("latin-1")
        elif kind == "http.response.body":
            assert self.status, "a body comes after its status"
            self.body += message.get("body", b"")


async def ask(
    app: Any,
    path: str = "/",
    *headers: tuple[str, str],
    method: str = "GET",
    body: Iterable[bytes] = (b"",),
    client: str = "192.0.2.1",
    host: str | None = HOST,
) -> Answered:
    """Return the response to a request, whose body comes in chunks; then its client has gone."""
    chunks, answered = [*body], Answered()

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0)
        if not chunks:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": chunks.pop(0), "more_body": bool(chunks)}

    async def send(message: Mapping[str, Any]) -> None:
        answered.take(message)

    await app(scope_of("http", method, path, headers, client, host=host), receive, send)
    return answered


@define
class Socket:
    """A WebSocket to an application: what it sent is in order, ``closed`` is its code."""

    answered: Answered = Factory(Answered)
    accepted: bool = False
    subprotocol: str | None = None
    closed: int | None = None
    _inbox: asyncio.Queue[dict[str, Any]] = Factory(asyncio.Queue)
    _outbox: asyncio.Queue[dict[str, Any]] = Factory(asyncio.Queue)
    _known: asyncio.Event = Factory(asyncio.Event)
    _task: asyncio.Task[None] | None = None

    async def open(
        self,
        app: Any,
        path: str = "/",
        *headers: tuple[str, str],
        client: str = "192.0.2.1",
        host: str | None = HOST,
    ) -> Socket:
        """Begin the handshake and wait for its end: accepted, refused, or closed."""
        self._inbox.put_nowait({"type": "websocket.connect"})
        scope = scope_of("websocket", "GET", path, headers, client, host=host)
        self._task = asyncio.create_task(app(scope, self._inbox.get, self._sent))
        known = asyncio.create_task(self._known.wait())
        await asyncio.wait((self._task, known), timeout=2, return_when="FIRST_COMPLETED")
        known.cancel()
        if self._task.done():
            self._task.result()
        return self

    async def _sent(self, message: Any) -> None:
        kind = message["type"]
        if kind == "websocket.accept":
            self.accepted, self.subprotocol = True, message.get("subprotocol")
            self._known.set()
        elif kind == "websocket.close":
            self.closed = message.get("code", 1000)
            self._known.set()
        elif kind == "websocket.send":
            self._outbox.put_nowait(message)
        else:
            self.answered.take(message)

    def send(self, text: str | bytes) -> None:
        """Send a frame, of text or of bytes."""
        field = "text" if isinstance(text, str) else "bytes"
        self._inbox.put_nowait({"type": "websocket.receive", field: text})

    async def receive(self) -> Any:
        """Return the next message, from JSON; fail after two seconds without one."""
        message = await asyncio.wait_for(self._outbox.get(), 2)
        return json.loads(message.get("text") or message["bytes"])

    async def close(self, code: int = 1000) -> None:
        """Leave, and wait for the application's end."""
        self._inbox.put_nowait({"type": "websocket.disconnect", "code": code, "reason": ""})
        assert self._task is not None
        await asyncio.wait_for(self._task, 2)

    async def end(self) -> int | None:
        """Wait for the application's end, without leaving; return the code it closed with."""
        assert self._task is not None
        await asyncio.wait_for(self._task, 2)
        return self.closed
