"""The gate: names, pages, bodies, frames, rates, sockets, headers, and errors of our own."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Coroutine
from typing import Any, Final

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from tests.service.asgi import Answered, Socket, ask, scope_of

from trente_rules.service.gate import REQUEST_ID, Allowance, Gate, Passage
from trente_rules.service.problems import exception_handlers
from trente_rules.service.rates import Frequency
from trente_rules.service.sites import Sites
from trente_rules.service.tokens import Role, Tokens, Visitor

TOKENS: Final = Tokens(bytes(32))
NOW: Final = 1_800_000_000.0
SOCKET: Final = "/api/tables/salle-3/socket"
OWN: Final = ("origin", "http://127.0.0.1:8000")


def bearer(name: str = "ann", role: Role = Role.PLAYER) -> tuple[str, str]:
    """Return the header of a visitor with a valid token."""
    token = TOKENS.issue(Visitor(name, role, ["*"], int(NOW) + 60), NOW)
    return ("authorization", f"Bearer {token}")


class Noted:
    """A doorkeeper that keeps what it is shown."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.passages: list[Passage] = []

    def ended(self, passage: Passage) -> None:
        """Keep it."""
        self.passages.append(passage)


class Ticks:
    """A clock that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        """Return the time, in seconds."""
        return self.now


async def _echo(request: Request) -> JSONResponse:
    return JSONResponse({"length": len(await request.body()), "id": REQUEST_ID.get()})


async def _unread(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("unread", headers={"X-Frame-Options": "ALLOW", "Cache-Control": "x"})


async def _stuck(_request: Request) -> None:
    await asyncio.sleep(60)


async def _fails(_request: Request) -> None:
    raise KeyError("/srv/secret of ann")


async def _fails_late(_request: Request) -> StreamingResponse:
    async def chunks() -> Any:
        yield b"begun"
        raise KeyError("/srv/secret")

    return StreamingResponse(chunks())


async def _socket(websocket: WebSocket) -> None:
    await websocket.accept(
        websocket.scope["subprotocols"][0] if websocket.scope["subprotocols"] else None
    )
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        if message.get("text") == "fail":
            raise KeyError("/srv/secret")
        await websocket.send_text(json.dumps(len(message.get("text") or message["bytes"])))


async def _shy(_websocket: WebSocket) -> None:
    raise KeyError("/srv/secret")


APP: Final = Starlette(
    routes=[
        Route("/api/echo", _echo, methods=["GET", "POST"]),
        Route("/unread", _unread, methods=["GET", "POST"]),
        Route("/fails", _fails),
        Route("/stuck", _stuck),
        Route("/fails-late", _fails_late),
        Route("/healthz", _unread),
        WebSocketRoute(SOCKET, _socket),
        WebSocketRoute("/api/tables/shy/socket", _shy),
    ],
    exception_handlers=exception_handlers(),
)


def gate(limits: Allowance | None = None, noted: Noted | None = None, **more: Any) -> Gate:
    """Return the application behind its gate."""
    kept = [noted] if noted else []
    more = {"clock": lambda: NOW, **more}
    return Gate(APP, TOKENS, limits=limits or Allowance(), doorkeepers=kept, **more)


def run(task: Coroutine[Any, Any, Any]) -> Any:
    """Run a task to its end, of five seconds at most."""
    return asyncio.run(asyncio.wait_for(task, 5))


def asked(*arguments: Any, app: Gate | None = None, **named: Any) -> Answered:
    """Return the response to a request."""
    answered: Answered = run(ask(app or gate(), *arguments, **named))
    return answered


def test_headers_of_every_response() -> None:
    """S3: whatever is sent, it is in no frame, brings no script of others, and is not sniffed."""
    responses = [
        asked("/api/echo"),
        asked("/unread"),
        asked("/nowhere"),
        asked("/fails"),
        asked("/api/echo", host="evil.example"),
        asked(SOCKET),
        run(Socket().open(gate(), SOCKET, ("origin", "null"))).answered,
        run(Socket().open(gate(), "/nowhere")).answered,
    ]
    assert [each.status for each in responses] == [200, 200, 404, 500, 403, 426, 403, 404]
    for each in responses:
        found = each.headers
        policy = dict(
            part.partition(" ")[::2] for part in found["content-security-policy"].split("; ")
        )
        assert policy == {
            "default-src": "'none'",
            "script-src": "'self'",
            "style-src": "'self'",
            "img-src": "'self' data:",
            "connect-src": "'self'",
            "manifest-src": "'self'",
            "media-src": "'self'",
            "frame-ancestors": "'none'",
            "base-uri": "'none'",
            "form-action": "'self'",
        }
        assert found["x-frame-options"] == "DENY"
        assert found["x-content-type-options"] == "nosniff"
        assert found["referrer-policy"] == "no-referrer"
        assert found["cross-origin-opener-policy"] == "same-origin"
        assert found["cross-origin-resource-policy"] == "same-origin"
        assert "camera=()" in found["permissions-policy"]
        assert not {"server", "access-control-allow-origin"} & set(found)
        assert len(found["x-request-id"]) == 16
    assert responses[0].headers["cache-control"] == "no-store"
    assert responses[1].headers["cache-control"] == "x"
    assert responses[2].headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("origin", ["null", "http://127.0.0.1.example:8000", "http://127.0.0.1:9"])
def test_foreign_pages_have_no_socket(origin: str) -> None:
    """C9, S3: a page of another site, or of none, gets 403, with a valid token too."""
    noted = Noted()
    socket = run(Socket().open(gate(None, noted), SOCKET, ("origin", origin), bearer()))
    assert (socket.accepted, socket.answered.status, socket.answered.code) == (
        False,
        403,
        "bad-origin",
    )
    assert (noted.passages[0].status, noted.passages[0].code) == (403, "bad-origin")
    assert asked("/api/echo", ("origin", origin), bearer(), method="POST").code == "bad-origin"
    assert asked("/api/echo", ("origin", origin), bearer()).status == 200


def test_a_foreign_name_is_not_served() -> None:
    """C9, S3: a name that somebody else points to the loopback gets 403, sockets too."""
    assert asked("/", host="cards.example:8000").code == "bad-host"
    assert asked("/healthz", host="cards.example:8000").code == "bad-host"
    socket = run(Socket().open(gate(), SOCKET, bearer(), host="evil.example"))
    assert (socket.accepted, socket.answered.code) == (False, "bad-host")


def test_a_path_of_a_socket_without_upgrade() -> None:
    """S3: it is said what is wanted, and the connection is not broken."""
    response = asked(SOCKET)
    assert (response.status, response.code) == (426, "upgrade-needed")
    assert response.headers["upgrade"] == "websocket"


def test_own_pages_and_other_clients_have_sockets() -> None:
    """The service's page, and a client that is no browser, are let in to the application."""

    async def both() -> None:
        app, noted = gate(None, found := Noted()), found
        for headers in ([OWN, ("sec-websocket-protocol", "trente-rules.1, bearer.x")], [bearer()]):
            socket = await Socket().open(app, SOCKET, *headers)
            assert socket.accepted
            socket.send("four")
            assert await socket.receive() == 4
            await socket.close(1001)
        assert [(each.kind, each.status, each.code) for each in noted.passages] == [
            ("socket", 1001, "")
        ] * 2
        assert [each.visitor and each.visitor.name for each in noted.passages] == [None, "ann"]
        assert [(each.received, each.sent) for each in noted.passages] == [(4, 1)] * 2

    run(both())


@pytest.mark.parametrize("text", ["x" * 101, "é" * 51, b"x" * 101, "\U0001f0a1" * 26])
def test_a_frame_that_is_too_large(text: str | bytes) -> None:
    """A frame of more bytes than the bound closes the socket with 1009, and nobody reads it."""

    async def sent() -> None:
        socket = await Socket().open(gate(Allowance(frame=100), noted := Noted()), SOCKET, bearer())
        socket.send("x" * 100)
        assert await socket.receive() == 100
        socket.send("é" * 50)
        assert await socket.receive() == 50
        socket.send(text)
        assert await socket.end() == 1009
        assert (noted.passages[0].status, noted.passages[0].code) == (1009, "too-large")

    run(sent())


def test_a_body_that_is_too_large() -> None:
    """By its length or as it comes: 413, whether it is read to its end or not."""
    limit = Allowance(body=100)

    def code(*chunks: bytes, length: int | None = None, path: str = "/api/echo") -> Any:
        headers = [("content-length", str(length))] if length is not None else []
        response = asked(path, *headers, method="POST", body=chunks, app=gate(limit))
        return response.json["length"] if response.status == 200 else response.code

    assert code(b"x" * 100, length=100) == 100
    assert code(b"x" * 101, length=101) == "too-large"
    assert code(b"x" * 60, b"x" * 41) == "too-large"
    assert code(b"x" * 60, b"x" * 40) == 100
    assert code(b"", length=10**30, path="/unread") == "too-large"
    assert code(b"x" * 101, length=5) == "too-large", "a length that is a lie"
    assert Allowance().body == 256 * 1024
    assert Allowance().frame == 64 * 1024


def test_a_body_that_drips() -> None:
    """S9: a body that does not arrive in time is not waited for: 408."""

    async def drip() -> Answered:
        answered = Answered()

        async def receive() -> Any:
            await asyncio.sleep(0.03)
            return {"type": "http.request", "body": b"x", "more_body": True}

        async def send(message: Any) -> None:
            answered.take(message)

        scope = scope_of("http", "POST", "/api/echo", [], "192.0.2.1")
        await gate(Allowance(patience=0.1))(scope, receive, send)
        return answered

    assert run(drip()).code == "too-slow"


@pytest.mark.parametrize(("path", "status"), [("/unread", 200), ("/stuck", 503)])
def test_a_request_without_end(path: str, status: int, caplog: pytest.LogCaptureFixture) -> None:
    """S9: a client that does not read its response is not served for ever, nor one of a fault."""

    async def read_nothing() -> None:
        noted, scope = Noted(), scope_of("http", "GET", path, [], "192.0.2.1")

        async def receive() -> Any:
            return {"type": "http.request", "body": b""}

        async def send(message: Any) -> None:
            if status == 200 and message["type"] == "http.response.body":
                await asyncio.sleep(60)

        await gate(Allowance(whole=0.1), noted)(scope, receive, send)
        assert noted.passages[0].status == status

    run(read_nothing())
    assert len(caplog.records) == (status == 503)


def test_a_client_that_leaves_in_the_middle() -> None:
    """Nobody is answered, and nothing is written to the log as a fault."""

    async def leave() -> None:
        noted = Noted()

        async def receive() -> Any:
            return {"type": "http.disconnect"}

        async def send(_message: Any) -> None:
            pytest.fail("somebody who left is answered")

        scope = scope_of("http", "POST", "/api/echo", [], "192.0.2.1")
        await gate(None, noted)(scope, receive, send)
        assert noted.passages[0].code == ""

    run(leave())


def test_faults_are_not_explained(caplog: pytest.LogCaptureFixture) -> None:
    """S3: an error of ours is 500 with an id; the log has the traceback, the client nothing."""
    with caplog.at_level(logging.ERROR, "trente_rules.service"):
        response = asked("/fails", app=gate(None, noted := Noted()))
    assert (response.status, response.code) == (500, "internal")
    assert b"secret" not in response.body
    assert b"KeyError" not in response.body
    (record,) = caplog.records
    assert record.__dict__["id"] == response.json["values"]["id"]
    assert (noted.passages[0].status, noted.passages[0].code) == (500, "internal")


def test_a_fault_after_the_beginning(caplog: pytest.LogCaptureFixture) -> None:
    """A response that has begun is broken off, so that nobody takes a part for the whole."""
    with caplog.at_level(logging.ERROR, "trente_rules.service"):
        response = asked("/fails-late", app=gate(None, noted := Noted()))
    assert response.body == b"begun"
    assert noted.passages[0].code == "internal"


def test_a_fault_in_a_socket(caplog: pytest.LogCaptureFixture) -> None:
    """Before the handshake it is 500, after it the socket is closed with 1011."""

    async def both() -> None:
        shy = await Socket().open(gate(), "/api/tables/shy/socket", bearer())
        assert (shy.answered.status, shy.answered.code) == (500, "internal")
        socket = await Socket().open(gate(None, noted := Noted()), SOCKET, bearer())
        socket.send("fail")
        assert await socket.end() == 1011
        assert (noted.passages[0].status, noted.passages[0].code) == (1011, "internal")

    with caplog.at_level(logging.ERROR, "trente_rules.service"):
        run(both())
    assert len(caplog.records) == 2


def test_visitors_are_counted_by_name() -> None:
    """A visitor with a valid token has a rate of their own, wherever they come from."""
    limits = Allowance(by_visitor=Frequency(1, 2), by_address=Frequency(1, 3))
    ticks = Ticks()
    app = gate(limits, None, ticks=ticks)
    first = [asked("/unread", bearer(), app=app, client=f"192.0.2.{n}") for n in range(3)]
    assert [each.status for each in first] == [200, 200, 429]
    assert first[2].code == "too-many"
    assert first[2].headers["retry-after"] == "1"
    assert first[2].json["values"] == {"seconds": 1}
    assert asked("/unread", bearer("bob"), app=app).status == 200
    assert asked("/unread", bearer("ann", Role.DEALER), app=app).status == 200
    ticks.now += 1.01
    assert asked("/unread", bearer(), app=app).status == 200


def test_strangers_are_counted_by_address() -> None:
    """Without a token, or with one that is not ours, the address counts; health is not counted."""
    app = gate(
        Allowance(by_visitor=Frequency(1, 2), by_address=Frequency(1, 3)), None, ticks=Ticks()
    )
    forged = ("authorization", "Bearer a.b.c")
    codes = [asked("/unread", *given, app=app).status for given in ([], [forged], [], [forged], [])]
    assert codes == [200, 200, 200, 429, 429]
    assert asked("/healthz", app=app).status == 200
    assert asked("/unread", app=app, client="192.0.2.9").status == 200
    spoofed = ("x-forwarded-for", "192.0.2.77")
    assert asked("/unread", spoofed, app=app).status == 429
    assert asked("/unread", bearer(), app=app).status == 200
    socket = run(Socket().open(app, SOCKET))
    assert socket.answered.code == "too-many"


def test_without_bounds() -> None:
    """A host may leave every bound to its proxy."""
    app = gate(Allowance(by_visitor=None, by_address=None, sockets=None, sockets_by_address=None))
    assert {asked("/unread", app=app).status for _ in range(50)} == {200}
    assert {asked("/unread", bearer(), app=app).status for _ in range(50)} == {200}


def test_sockets_are_bounded() -> None:
    """S9, C9: so many from one address, so many in all; each that closes makes room."""

    async def opened() -> None:
        app = gate(Allowance(sockets=3, sockets_by_address=2))

        async def one(client: str) -> Socket:
            return await Socket().open(app, SOCKET, bearer(), client=client)

        here = [await one("192.0.2.1") for _ in range(3)]
        assert [each.accepted for each in here] == [True, True, False]
        assert (here[2].answered.status, here[2].answered.code) == (429, "too-many")
        there = [await one("192.0.2.2") for _ in range(2)]
        assert [each.accepted for each in there] == [True, False]
        await here[0].close()
        again = await one("192.0.2.2")
        assert again.accepted
        for each in (here[1], there[0], again):
            await each.close()
        assert all([(await one(f"192.0.2.{n}")).accepted for n in range(3)])

    run(opened())


def test_sockets_of_one_visitor_are_bounded() -> None:
    """One token opens so many sockets, from wherever: each would be sent all that happens."""

    async def opened() -> None:
        app = gate(Allowance(sockets_by_visitor=2))

        async def one(name: str, client: str) -> Socket:
            return await Socket().open(app, SOCKET, bearer(name), client=client)

        own = [await one("ann", f"192.0.2.{number}") for number in range(3)]
        assert [each.accepted for each in own] == [True, True, False]
        assert own[2].answered.code == "too-many"
        assert "one visitor" in own[2].answered.json["title"]
        assert (await one("bob", "192.0.2.1")).accepted
        await own[0].close()
        assert (await one("ann", "192.0.2.1")).accepted

    run(opened())


def test_a_socket_that_is_refused_is_not_open() -> None:
    """Sockets that the application refuses, or breaks, do not fill the bound."""

    async def many() -> None:
        app = gate(Allowance(sockets=1))
        for _ in range(3):
            await Socket().open(app, "/api/tables/shy/socket", bearer())
        assert (await Socket().open(app, SOCKET, bearer())).accepted

    run(many())


def test_request_ids() -> None:
    """Each request has an id; one is taken from a trusted proxy, if it can be nothing else."""
    trusted = gate(None, noted := Noted(), sites=Sites(proxies=["192.0.2.1"]))
    given = asked("/api/echo", ("x-request-id", "proxy-0001"), app=trusted)
    assert given.headers["x-request-id"] == given.json["id"] == "proxy-0001"
    assert noted.passages[0].request_id == "proxy-0001"
    for text in ("short", "x" * 65, 'a","admin":"true', "a b c d e f g", "a\x1b[2Jaaaaaaa"):
        assert asked("/api/echo", ("x-request-id", text), app=trusted).json["id"] != text
    alone = gate()
    ids = {asked("/api/echo", ("x-request-id", "proxy-0001"), app=alone).json["id"] for _ in "ab"}
    assert len(ids) == 2
    assert "proxy-0001" not in ids


def test_the_lifespan_passes() -> None:
    """What is no connection is the application's own."""

    async def lifespan() -> None:
        seen = []

        async def app(scope: Any, _receive: Any, _send: Any) -> None:
            seen.append(scope["type"])

        await Gate(app, TOKENS)({"type": "lifespan"}, app, app)  # type: ignore[arg-type]
        assert seen == ["lifespan"]

    run(lifespan())
