"""Target: frames of a WebSocket to a table of the service, without a network.

An input is an object of JSON: the role, the table, the query, and the frames: texts, objects, or
bytes as ``{"hex": ...}``. After them the socket still answers a ping, or was closed for a rule.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tests.fuzz import floor
from tests.fuzz.house_files import schema_words
from tests.fuzz.mutation import json_bytes, json_mutation
from tests.fuzz.target import REFUSED, LateError, Target, check, documented
from tests.service.asgi import Socket

from trente_rules.core.errors import without_cards
from trente_rules.service.asyncapi import EXAMPLES
from trente_rules.service.contract_schemas import service_schema
from trente_rules.service.endpoint_table import ALL
from trente_rules.service.gate import Gate

MOST: Final = 10
"""Frames of one input that are sent."""
PING: Final = json.dumps(EXAMPLES["ping"])
CLOSED: Final = (1000, 1003, 1007, 1008, 1009)
BROKEN: Final = 500
_LIMIT: Final = 400
"""Messages that are read at most: a bound of this test, not of the service."""


def one(data: bytes) -> str:
    """Open a socket, send frames, and read to the end."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return "refused, not JSON"
    if not isinstance(value, dict):
        return "refused, no frames"
    return floor.served(lambda app: _talk(app, value))


async def _talk(app: Gate, given: dict[str, Any]) -> str:
    role, table = given.get("role"), given.get("table")
    name = floor.TABLES[table % 2] if isinstance(table, int) else _text(table)
    path = f"/api/tables/{name}/socket{_text(given.get('query', ''))}"
    offered = ["trente-rules.1"]
    if role in ALL:
        offered.append(f"bearer.{floor.token(str(role))}")
    header = ("Sec-WebSocket-Protocol", ", ".join(offered))
    origin = ("Origin", "http://127.0.0.1:8000")
    socket = await Socket().open(app, path, header, origin)
    if not socket.accepted:
        check(socket.answered.status < BROKEN, f"{socket.answered!r:.500}")
        return f"{REFUSED}{socket.answered.code}" if socket.answered.body else f"{REFUSED}closed"
    frames = given.get("frames")
    for frame in frames[:MOST] if isinstance(frames, list) else ():
        socket.send(_frame(frame))
    socket.send(PING)
    done, word = await _read(socket)
    if socket.closed is None:
        await socket.close()
    else:
        check(await socket.end() in CLOSED, f"closed with {socket.closed}")
    return f"accepted, {min(done, 3)} done" if done else word


def _text(value: Any) -> str:
    return str(value).encode("utf-8", "replace").decode()


def _frame(frame: Any) -> str | bytes:
    if isinstance(frame, dict) and isinstance(frame.get("hex"), str):
        return bytes(ord(each) & 0xFF for each in frame["hex"])
    return _text(frame) if isinstance(frame, str) else json_bytes(frame).decode("utf-8", "replace")


async def _read(socket: Socket) -> tuple[int, str]:
    """Read until the pong of the last ping, or the end; return what was done, and why not."""
    done, word = 0, f"{REFUSED}nothing"
    for _message in range(_LIMIT):
        if socket.closed is not None and socket._outbox.empty():
            break
        try:
            message = await socket.receive()
        except TimeoutError:
            if socket.closed is None:
                raise LateError("the socket does not answer a ping") from None
            break
        kind = message["kind"]
        if kind == "pong":
            break
        if kind == "refused":
            code = message["problem"]["code"]
            check(code in documented(), f"{code} is not documented")
            said = json.dumps(message, ensure_ascii=False)
            check(without_cards(said) == said, f"cards are shown: {said:.500}")
            word = f"{REFUSED}{code}"
        done += kind == "done"
    return done, word


def seeds() -> Iterator[bytes]:
    """Yield the messages of the contract in every role, and commands that are done."""
    messages = [EXAMPLES[kind] for kind in ("ready", "cut", "marker", "language", "ping")]
    for table in (0, 1):
        for role in (*ALL, ""):
            yield json_bytes({"role": role, "table": table, "frames": messages})
    place = {"kind": "place", "id": "n", "stake": "n", "chance": "noir", "amount": 2000}
    increase = {"kind": "increase", "id": "i", "stake": "n", "amount": 1000}
    choose = {"kind": "choose", "id": "h", "stake": "s4", "course": "partage"}
    player = [{"kind": "command", "command": each} for each in (place, increase, choose)]
    yield json_bytes({"role": "player", "table": 0, "frames": player})
    dealt = [{"kind": kind, "id": kind} for kind in ("close-bets", "turn", "deal", "settle")]
    dealer = [{"kind": "command", "command": each} for each in dealt]
    yield json_bytes({"role": "dealer", "table": 0, "frames": dealer})
    yield json_bytes({"role": "player", "table": 0, "query": "?after=3&language=fr"})
    odd = ["", "{", "null", "[]", "NaN", {"hex": "00ff"}]
    yield json_bytes({"role": "player", "table": 0, "frames": odd})


def words() -> Iterable[str]:
    """Return the kinds of messages and commands, and their keys."""
    return [
        *EXAMPLES,
        *ALL,
        "?after=",
        "&language=",
        "hex",
        "frames",
        *schema_words(service_schema()),
    ]


TARGET = Target("socket-frames", one, seeds, words, json_mutation, 3000, floor.kept)
