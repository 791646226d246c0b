"""The server: what its socket does that no test of the application sees."""

from __future__ import annotations

import asyncio
import socket

import pytest

from trente_rules import TrenteError
from trente_rules.core.text import hides
from trente_rules.service import server
from trente_rules.service.server import Listening

LARGE = b"x" * (32 << 20)
"""More than the buffers of both sides hold."""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="of Linux")
def test_a_closed_connection_is_not_kept_by_who_does_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Issue 14: slow readers are cut, not waited for: their connections are freed too."""
    monkeypatch.setattr(server, "_UNREAD", 500)

    async def run() -> None:
        lost = asyncio.Event()

        class Server(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                assert isinstance(transport, asyncio.Transport)
                transport.write(LARGE)
                transport.close()  # once all is sent

            def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - a protocol
                lost.set()

        loop = asyncio.get_running_loop()
        made = Listening().bound()
        served = await loop.create_server(Server, sock=made)
        with socket.create_connection(made.getsockname()):  # and reads nothing
            async with asyncio.timeout(15):
                await lost.wait()
        served.close()
        await served.wait_closed()

    asyncio.run(run())


@pytest.mark.parametrize(
    "host", ["", "salle\udcff", "salle\0", "salle." * 60, "sa\rlle", "256.1.1.1"]
)
def test_what_is_no_address_is_refused(host: str) -> None:
    """S4: whatever a start-up script passes as a host ends in a sentence."""
    with pytest.raises(TrenteError) as caught:
        Listening(host=host).bound()
    assert caught.value.code == "not-listening"
    assert not hides(str(caught.value))
