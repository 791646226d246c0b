"""The application: its routes are those of the document, which it sends."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount, Route, WebSocketRoute
from tests.service.asgi import Answered, ask

from trente_rules.service.api_page import api_page, api_style
from trente_rules.service.application import PAGES, application
from trente_rules.service.asyncapi import asyncapi_document
from trente_rules.service.desk import Desk
from trente_rules.service.gate import Gate
from trente_rules.service.hall import Hall
from trente_rules.service.metrics import Metrics
from trente_rules.service.openapi import openapi_document
from trente_rules.service.stores import MemoryStore
from trente_rules.service.tokens import Tokens

TOKENS: Final = Tokens(bytes(range(32)))


@pytest.fixture(scope="module")
def app() -> Starlette:
    """Return an application without tables."""
    return application(Desk(Hall(MemoryStore()), TOKENS, Metrics()))


def test_routes_and_documents_have_the_same_endpoints(app: Starlette) -> None:
    """Issue 11: both ways, but for pages and files, which are no contract."""
    served = {
        (method, route.path)
        for route in app.routes
        if isinstance(route, Route) and route.path not in PAGES
        for method in (route.methods or set()) - {"HEAD"}
    }
    told = {
        (method.upper(), path)
        for path, operations in openapi_document()["paths"].items()
        for method in operations
    }
    assert served == told
    sockets = {route.path for route in app.routes if isinstance(route, WebSocketRoute)}
    assert sockets == {each["address"] for each in asyncapi_document()["channels"].values()}
    mounted = [route.path for route in app.routes if isinstance(route, Mount)]
    assert mounted == ["/static"]


def test_the_documents_are_sent_as_they_are(app: Starlette) -> None:
    """Both documents, the page and its style come without a token, through the gate."""

    async def sent() -> list[Answered]:
        paths = ("/openapi.json", "/asyncapi.json", "/docs", "/docs.css")
        return [await ask(Gate(app, TOKENS), path) for path in paths]

    opened, sockets, page, style = asyncio.run(sent())
    assert opened.json == openapi_document()
    assert sockets.json == asyncapi_document()
    assert page.body.decode() == api_page()
    assert style.body.decode() == api_style()
    kinds = [each.headers["content-type"].partition(";")[0] for each in (page, style)]
    assert kinds == ["text/html", "text/css"]
    assert "style-src 'self'" in page.headers["content-security-policy"]
