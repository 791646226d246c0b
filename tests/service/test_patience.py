"""Patience: a connection that makes no request is closed, a socket that is quiet is not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn

from trente_rules.service.patience import HEADER_SECONDS, PatientProtocol

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
SHORT = 0.2
LONG = 0.7
"""Seconds of a request that is served for longer than a client may take to ask."""


class Hasty(PatientProtocol):
    """The same, with less patience."""

    seconds = SHORT


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Serve a request after a while, and a socket for ever."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await receive()
        return
    await asyncio.sleep(LONG)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"served"})


@asynccontextmanager
async def connection() -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Connect to a server that has the protocol under test."""
    config = uvicorn.Config(
        app,
        port=0,
        http=Hasty,
        ws="websockets-sansio",
        log_config=None,
        lifespan="off",
        timeout_keep_alive=5,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - the server has no signal of it
        await asyncio.sleep(0.01)
    reader, writer = await asyncio.open_connection(*server.servers[0].sockets[0].getsockname())
    try:
        yield reader, writer
    finally:
        writer.close()
        server.should_exit = True
        await serving


@pytest.mark.parametrize("begin", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\n"])
def test_a_request_that_never_comes(begin: bytes) -> None:
    """Nothing, or half a request, is waited for so long and no longer; a drop does not help."""

    async def wait() -> float:
        async with connection() as (reader, writer):
            started = time.monotonic()
            writer.write(begin)
            reading = asyncio.create_task(reader.read())
            while not reading.done():
                await asyncio.sleep(SHORT / 8)
                if begin:
                    writer.write(b"x")
            assert await reading == b""
            return time.monotonic() - started

    assert SHORT / 2 < asyncio.run(asyncio.wait_for(wait(), 5)) < LONG


def test_a_request_that_is_served() -> None:
    """However long it takes to serve; and half of a second request is not waited for."""

    async def wait() -> float:
        async with connection() as (reader, writer):
            writer.write(GET)
            assert b"served" in await reader.readuntil(b"served")
            started = time.monotonic()
            writer.write(GET[:20])
            await reader.read()
            return time.monotonic() - started

    assert SHORT / 2 < asyncio.run(asyncio.wait_for(wait(), 5)) < LONG


def test_a_socket_that_is_quiet() -> None:
    """A socket is none of its business."""

    async def wait() -> None:
        async with connection() as (reader, writer):
            writer.write(UPGRADE)
            assert b"101" in await reader.readuntil(b"\r\n\r\n")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(reader.read(), LONG)
            writer.write(bytes([0x88, 0x80, 0, 0, 0, 0]))
            await reader.read()

    asyncio.run(asyncio.wait_for(wait(), 5))


def test_the_time_is_long_enough() -> None:
    """Slow lines need seconds, not minutes."""
    assert 5 <= HEADER_SECONDS <= 30
