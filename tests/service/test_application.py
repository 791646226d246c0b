"""The application: its routes are those of the document, which it sends."""

from __future__ import annotations

import asyncio
import time
from typing import Final

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount, Route, WebSocketRoute
from tests.service.asgi import Answered, ask

from trente_rules.service.api_page import api_page, api_style
from trente_rules.service.application import PAGES, application
from trente_rules.service.asyncapi import asyncapi_document
from trente_rules.service.desk import Desk
from trente_rules.service.endpoint_table import ALL, ENDPOINTS, Endpoint
from trente_rules.service.gate import Gate
from trente_rules.service.hall import Hall
from trente_rules.service.metrics import Metrics
from trente_rules.service.openapi import openapi_document
from trente_rules.service.stores import MemoryStore
from trente_rules.service.tokens import Role, Tokens, Visitor

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


@pytest.mark.slow
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


def path_of(each: Endpoint) -> str:
    """Return the path of an endpoint, with the examples of its parameters."""
    path = each.path
    for parameter in each.parameters:
        path = path.replace(f"{{{parameter.name}}}", str(parameter.example))
    return path


def asked(app: Starlette, each: Endpoint, *headers: tuple[str, str], method: str = "") -> Answered:
    """Return what an endpoint says, through the gate, to a request without a body."""
    gate = Gate(app, TOKENS)
    return asyncio.run(ask(gate, path_of(each), *headers, method=method or each.method))


def bearer(role: str, *tables: str, until: float = 60) -> tuple[str, str]:
    """Return the header of somebody in a role, at some tables or at all."""
    now = time.time() + min(0, until - 60)
    visitor = Visitor("ann", Role(role), tables or ("*",), int(time.time() + until))
    return "authorization", f"Bearer {TOKENS.issue(visitor, now - 60)}"


WITH_TOKEN: Final = [each for each in ENDPOINTS if each.roles]


@pytest.mark.parametrize("each", WITH_TOKEN, ids=lambda each: each.name)
def test_an_endpoint_is_for_its_roles_alone(app: Starlette, each: Endpoint) -> None:
    """S: without a token, with a forged or an expired one, in another role: refused, each as it is.

    A table that the token does not open is refused before anything is said of it.
    """
    assert asked(app, each).code == "token-missing"
    forged = "authorization", bearer(each.roles[0])[1][:-10] + "AAAAAAAAAA"
    assert asked(app, each, forged).code == "token-forged"
    assert asked(app, each, bearer(each.roles[0], until=-1)).code == "token-expired"
    for role in set(ALL) - set(each.roles):
        refused = asked(app, each, bearer(role))
        assert (refused.status, refused.code) == (403, "forbidden"), role
    if "{table}" in each.path and each.body is None:
        assert asked(app, each, bearer(each.roles[0], "salle-2")).code == "forbidden"
        assert asked(app, each, bearer(each.roles[0], "salle-1")).code == "unknown-table"


@pytest.mark.parametrize("each", ENDPOINTS, ids=lambda each: each.name)
def test_another_method_is_refused_with_those_there_are(app: Starlette, each: Endpoint) -> None:
    """A path of the document has its methods and no other: 405, with Allow, as a problem."""
    refused = asked(app, each, method="PATCH")
    assert (refused.status, refused.code) == (405, "wrong-method")
    allowed = {other.method for other in ENDPOINTS if other.path == each.path}
    found = {*refused.headers["allow"].split(", ")} - {"HEAD"}
    assert found == allowed
