"""Target: requests to the service, through its gate, without a network.

An input is a list of requests as JSON. What comes back is documented: no 5xx, a problem has a code
of the page of errors, and a body of JSON can be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tests.fuzz import floor
from tests.fuzz.house_files import schema_words
from tests.fuzz.mutation import json_bytes, json_mutation
from tests.fuzz.target import REFUSED, Target, check, documented
from tests.service.asgi import Answered, ask

from trente_rules.core.errors import without_cards
from trente_rules.service.contract_schemas import service_schema
from trente_rules.service.endpoint_table import ALL, ENDPOINTS
from trente_rules.service.gate import Gate

MOST: Final = 4
"""Requests of one input that are sent."""
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
HEAVY: Final = ("odds", "choices")
"""Readings whose engines take a compiler: ``tests.service.test_fuzz`` asks for these."""
BAD: Final = 400
BROKEN: Final = 500


def one(data: bytes) -> str:
    """Send requests, one after the other."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return "refused, not JSON"
    if not isinstance(value, list):
        return "refused, no requests"
    given = [each for each in value[:MOST] if isinstance(each, dict)]

    async def act(app: Gate) -> str:
        words = [await _sent(app, each) for each in given]
        good = sum(word == "ok" for word in words)
        return f"accepted, {good} served" if good else (words or ["refused, no requests"])[0]

    return floor.served(act)


async def _sent(app: Gate, request: dict[str, Any]) -> str:
    path, method = _text(request.get("path", "/")), _text(request.get("method", "GET"))
    if any(each in path for each in HEAVY) or not _TOKEN.fullmatch(method):
        return f"{REFUSED}here"
    listed = request.get("headers")
    headers = [
        (
            _text(each[0]),
            re.sub(r"[\x00\r\n]", "", _text(each[1]))
            .encode("latin-1", "replace")
            .decode("latin-1"),
        )
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, list) and len(each) > 1 and _TOKEN.fullmatch(_text(each[0]))
    ]
    role = request.get("role")
    if role in ALL:
        headers.append(floor.bearer(str(role)))
    body = request.get("body")
    if body is not None and "content-type" not in {name.lower() for name, _value in headers}:
        headers.append(("Content-Type", "application/json"))
    raw = body.encode("utf-8", "replace") if isinstance(body, str) else json_bytes(body)
    chunks = [b""] if body is None else [raw[:40], raw[40:]]
    reply = await ask(app, path or "/", *headers, method=method.upper(), body=chunks)
    return _checked(reply, f"{method} {path}")


def _text(value: Any) -> str:
    return str(value).encode("utf-8", "replace").decode()


def _checked(reply: Answered, asked: str) -> str:
    check(0 < reply.status < BROKEN, f"{reply.status} to {asked}: {reply.body!r:.500}")
    kind = reply.headers.get("content-type", "")
    if "json" in kind and reply.body:
        json.loads(reply.body)
    if reply.status < BAD:
        return "ok"
    if kind == "application/problem+json":
        code = reply.code
        check(code in documented(), f"{code} to {asked} is not documented")
        said = reply.body.decode()
        check(without_cards(said) == said, f"cards are shown: {said:.500}")
        return f"{REFUSED}{code}"
    check(reply.status in (404, 405, 416), f"{reply.status} to {asked} is no problem")
    return f"{REFUSED}{reply.status}"


def seeds() -> Iterator[bytes]:
    """Yield requests to every endpoint in every role that it is for, and to pages and files."""
    for each in ENDPOINTS:
        path = each.path
        for parameter in each.parameters:
            example = floor.DEALT if parameter.name == "table" else parameter.example
            path = path.replace(f"{{{parameter.name}}}", str(example))
        query = "&".join(f"{p.name}={p.example}" for p in each.parameters if p.place == "query")
        for role in each.roles or ("",):
            request: dict[str, Any] = {"method": each.method, "path": path, "role": role}
            if each.body is not None:
                request["body"] = each.example
            yield json_bytes([request, {**request, "path": f"{path}?{query}"}])
    commands = [
        {"kind": "close-bets", "id": "c"},
        {"kind": "deal", "id": "d"},
        {"kind": "settle", "id": "e"},
    ]
    post = {"method": "POST", "path": f"/api/tables/{floor.DEALT}/commands"}
    yield json_bytes([{**post, "role": "dealer", "body": each} for each in commands])
    place = {"kind": "place", "id": "n", "stake": "n", "chance": "noir", "amount": 2000}
    yield json_bytes([{**post, "role": "player", "body": [place, {**place, "id": "m"}]}])
    yield json_bytes([{"path": each} for each in ("/", "/static/", "/static/app.js", "/staff")])
    yield json_bytes([{"path": "/", "headers": [["Host", "a"], ["Origin", "http://b"]]}])


def words() -> Iterable[str]:
    """Return paths, methods, headers, and the keys of every body."""
    paths = [each.path for each in ENDPOINTS]
    return [
        *("method", "path", "role", "headers", "body", *ALL, "GET", "POST", "DELETE", "HEAD"),
        *("Host", "Origin", "Authorization", "Content-Type", "Content-Length", "Accept"),
        *(
            "X-Request-Id",
            "Range",
            "If-None-Match",
            "Cookie",
            "Transfer-Encoding",
            "Sec-Fetch-Site",
        ),
        *("127.0.0.1:8000", "application/json; charset=utf-16", "%2e%2e%2f", "%00", "?after=-1"),
        *floor.TABLES,
        *paths,
        *(part for path in paths for part in path.split("/") if part),
        *schema_words(service_schema()),
    ]


TARGET = Target("service-requests", one, seeds, words, json_mutation, 4000, floor.kept)
