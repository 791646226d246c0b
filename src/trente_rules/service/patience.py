"""Patience with connections that send nothing: those of HTTP that make no request are closed.

The server has a time for a connection that is idle after a request, and none for one that has not
made one yet, or sends it a byte at a time: a few thousand of those would keep everybody else out.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS: Final = 10.0
"""Seconds in which a request's line and its headers must be whole."""


class PatientProtocol(H11Protocol):
    """HTTP/1.1 with a time in which the headers of a request must arrive.

    It runs from the beginning of a connection, and after a request from the first byte of the next
    one; in between the server's own time for idle connections does.
    """

    seconds = HEADER_SECONDS

    def __init__(self, *given: Any, **named: Any) -> None:
        """Wait for nothing yet."""
        super().__init__(*given, **named)
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what came; wait on where the request is not complete."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Begin to wait where no request is served, or stop; the wait never restarts meanwhile."""
        # Typed as always there, it is None until the first request.
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete:
            self._stop()
        elif self._waiting is None:
            self._waiting = self.loop.call_later(self.seconds, self._end)

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _end(self) -> None:
        """Close the connection, unless it is a socket's by now, or a request has come."""
        self._waiting = None
        cycle: Any = self.cycle
        served = cycle is not None and not cycle.response_complete
        if not served and self.transport.get_protocol() is self:
            self.transport.close()
