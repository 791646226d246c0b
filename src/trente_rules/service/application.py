"""The service as an application of ASGI: its routes are those of the table of endpoints."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from trente_rules.core.errors import TrenteError
from trente_rules.service.api_page import api_page, api_style
from trente_rules.service.asyncapi import SOCKET, asyncapi_document
from trente_rules.service.desk import Desk, forbidden_error
from trente_rules.service.endpoint_table import ENDPOINTS, Endpoint
from trente_rules.service.endpoints import ACTIONS, Visit, body_of, response_of
from trente_rules.service.hosted import Hosted
from trente_rules.service.metrics import METRICS_TYPE
from trente_rules.service.openapi import openapi_document
from trente_rules.service.problems import exception_handlers
from trente_rules.service.problems import response_of as problem_response
from trente_rules.service.readings import READINGS, Reading
from trente_rules.service.sockets import TableSocket, checked_language
from trente_rules.service.tokens import SUBPROTOCOL, Visitor

WEB: Final = Path(str(files("trente_rules.service") / "web"))
"""The folder of the pages: they are sent as they are."""
PAGES: Final[Mapping[str, str]] = {
    "/": "index.html",
    "/dealer": "dealer.html",
    "/supervisor": "supervisor.html",
}


def application(desk: Desk) -> Starlette:
    """Return the service; its hall is opened as it starts and stopped as it ends."""

    @contextlib.asynccontextmanager
    async def lifespan(_application: Starlette) -> AsyncIterator[None]:
        await desk.open()
        try:
            yield
        finally:
            await desk.hall.stop()

    routes: list[BaseRoute] = [
        Route(path, partial(_by_method, served), methods=[*served])
        for path, served in _served(desk).items()
    ]
    routes += (Route(path, partial(_page, name), name=name) for path, name in PAGES.items())
    routes += [
        WebSocketRoute(SOCKET, partial(_socket, desk), name="socket"),
        Mount("/static", StaticFiles(directory=WEB), name="static"),
    ]
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers=exception_handlers())


FORWARDED: Final[Mapping[str, str]] = {
    "open_shoe": "shoe",
    "close_table": "close",
    "delete_table": "",
}
"""What the process does that writes a table, by the path behind the table's."""
Serve = Callable[[Request], Awaitable[Response]]


def _served(desk: Desk) -> dict[str, dict[str, Serve]]:
    """Return the functions that serve each path, by their methods."""
    found: dict[str, dict[str, Serve]] = {}
    for each in ENDPOINTS:
        found.setdefault(each.path, {})[each.method] = _serving(desk, each)
    return found


async def _by_method(served: Mapping[str, Serve], request: Request) -> Response:
    """Serve a path: one route has all its methods, so that a refusal names them in ``Allow``."""
    return await served["GET" if request.method == "HEAD" else request.method](request)


def _serving(desk: Desk, endpoint: Endpoint) -> Serve:
    """Return the function that serves an endpoint."""
    if endpoint.name == "healthz":
        return desk.health.alive
    if endpoint.name == "readyz":
        return desk.health.ready
    own = _SERVICE.get(endpoint.name)
    if own is not None:
        return partial(own, desk)
    if endpoint.name in ACTIONS:
        return partial(_act, desk, endpoint)
    path = endpoint.path.removeprefix("/api/tables/{table}/")
    return partial(_read, desk, endpoint, READINGS[path])


async def _visit(desk: Desk, endpoint: Endpoint, request: Request) -> Visit:
    """Return who asks for an endpoint, and what: "token-…", "forbidden", "not-json"."""
    visitor = desk.visitor(request.scope) if endpoint.roles else None
    if visitor is not None and visitor.role.value not in endpoint.roles:
        what = f"{endpoint.method} {endpoint.path} is not for the role {visitor.role.value!r}"
        raise forbidden_error(what)
    desk.check_open()
    asked = endpoint.read({**request.query_params, **request.path_params})
    body = await body_of(request) if endpoint.body is not None else None
    return Visit(desk, request, visitor, asked, body)


async def _act(desk: Desk, endpoint: Endpoint, request: Request) -> Response:
    visit = await _visit(desk, endpoint, request)
    if endpoint.name in FORWARDED and (remote := visit.table.remote) is not None:
        path = FORWARDED[endpoint.name]
        reply = await remote.forward(visit.visitor, endpoint.method, path, visit.body)
        if reply is not None:
            return Response(reply.content, reply.status_code, media_type="application/json")
    return response_of(await ACTIONS[endpoint.name](visit))


async def _read(desk: Desk, endpoint: Endpoint, reading: Reading, request: Request) -> Response:
    visit = await _visit(desk, endpoint, request)
    hosted, viewer = visit.table, visit.visitor.viewer
    asked = {name: value for name, value in visit.asked.items() if name != "table"}
    read = partial(reading.read, hosted.table, viewer, asked, hosted.journal, hosted.notes)
    if reading.cost == "quick":
        return response_of(await desk.in_thread(read))
    key = (endpoint.name, viewer, tuple(sorted(asked.items())))
    return response_of(await hosted.once(key, read))


# What the service says of itself


async def _metrics(desk: Desk, _request: Request) -> Response:
    return Response(desk.metrics.text(), media_type=METRICS_TYPE)


async def _openapi(_desk: Desk, _request: Request) -> Response:
    return JSONResponse(_documents()[0])


async def _asyncapi(_desk: Desk, _request: Request) -> Response:
    return JSONResponse(_documents()[1])


async def _docs(_desk: Desk, _request: Request) -> Response:
    return Response(_documents()[2], media_type="text/html")


async def _docs_style(_desk: Desk, _request: Request) -> Response:
    return Response(api_style(), media_type="text/css")


@cache
def _documents() -> tuple[dict[str, Any], dict[str, Any], str]:
    return openapi_document(), asyncapi_document(), api_page()


_SERVICE: Final[Mapping[str, Callable[[Desk, Request], Awaitable[Response]]]] = {
    "metrics": _metrics,
    "openapi": _openapi,
    "asyncapi": _asyncapi,
    "docs": _docs,
    "docs_style": _docs_style,
}


async def _page(name: str, _request: Request) -> Response:
    return FileResponse(WEB / name, headers={"Cache-Control": "no-cache"})


async def _socket(desk: Desk, websocket: WebSocket) -> None:
    """Let a visitor in to a table's socket, or refuse before the handshake is over."""
    try:
        admitted = _admitted(desk, websocket)
    except TrenteError as error:
        await websocket.send_denial_response(problem_response(error))
        return
    visitor, hosted, language, after = admitted
    await TableSocket(desk, websocket, visitor, hosted).serve(language, after)


def _admitted(desk: Desk, websocket: WebSocket) -> tuple[Visitor, Hosted, str, int | None]:
    """Return who comes to which table, the language they ask for, and the last index they saw.

    Raises ``TrenteError`` for whoever may not come.
    """
    visitor = desk.visitor(websocket.scope)
    hosted = desk.table(visitor, websocket.path_params["table"])
    language = checked_language(websocket.query_params.get("language", ""))
    after = _after(websocket.query_params.get("after"))
    offered = websocket.scope.get("subprotocols", ())
    if offered and SUBPROTOCOL not in offered:
        what = f"the socket speaks {SUBPROTOCOL}"
        raise TrenteError(what, "bad-parameter", "offer it as a subprotocol")
    desk.check_open()
    return visitor, hosted, language, after


def _after(text: str | None) -> int | None:
    """Return the index after which a client wants events, None where it wants the table now."""
    if text is None:
        return None
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= len(str(1 << 53))):
        raise TrenteError(f"after is {text[:20]!r}, not an index", "bad-parameter")
    return int(text)
