"""The sockets of tables: a visitor's messages in, what the table does out."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.plugins.manager import default_manager
from trente_rules.service.desk import Desk, check_may_give, forbidden_error
from trente_rules.service.feed import Subscriber
from trente_rules.service.hosted import Hosted, Waits
from trente_rules.service.messages import (
    ClientMessage,
    CommandMessage,
    CutMessage,
    DoneMessage,
    LanguageMessage,
    MarkerMessage,
    PingMessage,
    PongMessage,
    ReadyMessage,
    RefusedMessage,
    client_message,
)
from trente_rules.service.problems import problem_of
from trente_rules.service.rates import Frequency, Rates
from trente_rules.service.tokens import SUBPROTOCOL, Role, Visitor

TOO_SLOW: Final = 4408
EXPIRED: Final = 4401
_BAD: Final = 1008
_RATE: Final = 20.0
"""Messages a second that a client may send."""
_BURST: Final = 60
_SEND: Final = 10.0
"""Seconds in which a client must take a message."""
_MOST_BAD: Final = 20
"""Messages that are not understood, after which a client is sent away."""


class TableSocket:
    """One visitor's connection to one table."""

    def __init__(self, desk: Desk, websocket: WebSocket, visitor: Visitor, hosted: Hosted) -> None:
        """Serve a visitor who has been let in."""
        self._desk, self._socket = desk, websocket
        self._visitor, self._hosted = visitor, hosted
        self._player = visitor.name if visitor.role is Role.PLAYER else ""
        self._rates = Rates(Frequency(_RATE, _BURST))
        self._bad = 0

    async def serve(self, language: str, after: int | None) -> None:
        """Send and receive until one side ends it."""
        chosen = SUBPROTOCOL if self._socket.scope.get("subprotocols") else None
        await self._socket.accept(subprotocol=chosen)
        reader = await self._hosted.subscribe(self._visitor.viewer, language, after)
        self._desk.metrics.socket_opened()
        joined = False
        try:
            if self._player:
                joined = True
                await self._hosted.join(self._player)
            sending = asyncio.create_task(self._send(reader))
            receiving = asyncio.create_task(self._receive(reader))
            until = self._visitor.expires - time.time()
            expiring = asyncio.create_task(self._expire(max(0.0, until)))
            tasks = {sending, receiving, expiring}
            done, _rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for task in done:
                error = None if task.cancelled() else task.exception()
                if error is not None and not isinstance(error, _GONE):
                    raise error
        finally:
            self._hosted.feed.remove(reader)
            if joined:
                self._hosted.leave(self._player)
            self._desk.metrics.socket_closed()

    async def _send(self, reader: Subscriber) -> None:
        while True:
            texts = await reader.take()
            since = reader.since
            for text in texts:
                async with asyncio.timeout(_SEND):
                    await self._socket.send_text(text)
                self._desk.metrics.message_sent()
            self._desk.metrics.delivered(asyncio.get_running_loop().time() - since)
            if reader.behind:
                self._desk.metrics.slow_reader_cut()
                await self._close(TOO_SLOW, "too slow: come again with after")
                return

    async def _receive(self, reader: Subscriber) -> None:
        while True:
            received = await self._socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            text = received.get("text")
            if text is None:
                await self._close(_BAD, "messages are text")
                return
            if self._rates.take(self._player):
                error = TrenteError("too many messages", "too-many", "send 20 a second at most")
                self._refuse(reader, "", error)
                await asyncio.sleep(1 / _RATE)  # it reads no more of them meanwhile
            else:
                await self._take(reader, text)
            if self._bad > _MOST_BAD:
                await self._close(_BAD, "too many messages that are not understood")
                return

    async def _take(self, reader: Subscriber, text: str) -> None:
        """Do what a message asks for."""
        id_ = ""
        try:
            try:
                message = client_message(text, self._player)
            except TrenteError:
                self._bad += 1
                raise
            id_ = message.command.id if isinstance(message, CommandMessage) else ""
            await self._do(reader, message)
        except TrenteError as error:
            self._refuse(reader, id_, error)

    async def _do(self, reader: Subscriber, message: ClientMessage) -> None:
        match message:
            case CommandMessage(command):
                check_may_give(self._visitor, command)
                entry = (await self._desk.do(self._hosted, self._visitor, [command]))[0]
                done = DoneMessage(command.id, entry.sequence, entry.repeated)
                reader.put_message(done)
            case PingMessage():
                reader.put_message(PongMessage())
            case LanguageMessage(language):
                reader.language = checked_language(language)
            case ReadyMessage(ready):
                self._check_player()
                self._hosted.set_ready(self._player, ready=ready)
                reader.put_message(DoneMessage("", 0, repeated=False))
            case CutMessage(place) | MarkerMessage(place):
                self._check_player()
                what: Waits = "cut" if isinstance(message, CutMessage) else "marker"
                self._desk.give(self._hosted, what, place)
                reader.put_message(DoneMessage("", 0, repeated=False))

    def _check_player(self) -> None:
        if not self._player:
            raise forbidden_error("this is for players")

    def _refuse(self, reader: Subscriber, id_: str, error: TrenteError) -> None:
        problem = problem_of(error)
        self._desk.metrics.message_refused(problem.code)
        reader.put_message(RefusedMessage(id_, problem))

    async def _expire(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._close(EXPIRED, "the token has expired")

    async def _close(self, code: int, reason: str) -> None:
        if self._socket.application_state is WebSocketState.CONNECTED:
            await self._socket.close(code, reason)


_GONE: Final = (WebSocketDisconnect, TimeoutError, RuntimeError)
"""What a connection ends with that is gone: a client that left, or does not read."""


def checked_language(code: str) -> str:
    """Return a language's code; ``TrenteError`` ("unknown-language") for one that is not known."""
    known = default_manager().names("language")
    if code not in ("", *known):
        what = f"there is no language {shown(code)}"
        raise TrenteError(what, "unknown-language", f"languages are {', '.join(known)}")
    return code
