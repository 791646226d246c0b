"""OpenAPI 3.1: the document of the endpoints, made of their table and of the codec's schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trente_rules._version import __version__
from trente_rules.service.contract_schemas import ServiceWalk
from trente_rules.service.endpoint_table import (
    ENDPOINTS,
    JSON,
    PROBLEM,
    Endpoint,
    Parameter,
    Reply,
)
from trente_rules.service.messages import ProblemDetails
from trente_rules.table.schemas import Schema

GROUPS: Final[Mapping[str, str]] = {
    "Tables": "Tables are created by a supervisor, and seen by those whose token names them.",
    "Players": "Who somebody is, and tokens for others.",
    "Commands": "What is done at a table. Players at a socket give the same commands there.",
    "Readings": "What a page asks that is not a command: rules, odds, choices, history, figures.",
    "Service": "The service itself; no token is needed.",
}
"""The groups of endpoints, in the order of the page, and what is said of each."""
REFUSALS: Final[Mapping[int, str]] = {
    400: "What was sent cannot be read.",
    401: "There is no token, or none that counts.",
    403: "The token is not for this, or another site asks.",
    404: "There is no such thing.",
    408: "The body did not arrive in time.",
    409: "It cannot be done now.",
    413: "The body is too large.",
    415: "The body is not JSON by its type.",
    422: "It was read, and the rules or the values do not allow it.",
    429: "Too much was asked; Retry-After says when to come again.",
    500: "A fault of the service; its log has the id.",
    503: "The service is stopping: come again.",
}
"""What a status means where something was refused."""
TITLE: Final = "The table service of trente-rules"
ABOUT: Final = (
    "Tables of trente et quarante over HTTP and WebSocket. Amounts are whole units of the house, "
    "times milliseconds, cards texts such as `10♥`. What is refused comes as problem details "
    "(RFC 9457) with a stable `code` and the values of the error. Commands, events and views are "
    "those of the wire contract; `/asyncapi.json` has the messages of a table's socket."
)
TOKEN: Final[Schema] = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "JWT",
    "description": "A token of a player, a dealer, a supervisor or an auditor.",
}
_SCHEMAS: Final = "#/components/schemas/"


def moved(value: Any, to: str, after: str = "") -> Any:
    """Return a schema whose references to definitions lead to another place of a document."""
    if isinstance(value, dict):
        return {
            name: f"{to}{each.rpartition('/')[2]}{after}"
            if name == "$ref"
            else moved(each, to, after)
            for name, each in value.items()
        }
    return [moved(each, to, after) for each in value] if isinstance(value, list) else value


def openapi_document() -> dict[str, Any]:
    """Return the document: every endpoint, every schema."""
    walk = ServiceWalk()
    paths: dict[str, dict[str, Any]] = {}
    for each in ENDPOINTS:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, walk)
    walk.schema(ProblemDetails)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": TITLE,
            "version": __version__,
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "tags": [{"name": name, "description": words} for name, words in GROUPS.items()],
        "paths": moved(paths, _SCHEMAS),
        "components": {
            "schemas": moved(dict(sorted(walk.definitions.items())), _SCHEMAS),
            "securitySchemes": {"token": TOKEN},
        },
    }


def _operation(of: Endpoint, walk: ServiceWalk) -> dict[str, Any]:
    """Return what one endpoint is, as OpenAPI says it."""
    replies = {str(each.status): _reply(each, walk) for each in of.replies}
    for status, codes in of.all_refusals.items():
        if str(status) not in replies:
            replies[str(status)] = _refusal(status, codes, walk)
    body = {} if of.body is None else {"requestBody": _body(of, walk)}
    return {
        "operationId": of.name,
        "tags": [of.group],
        "summary": of.words.partition(". ")[0].rstrip("."),
        "description": of.words,
        "parameters": [_parameter(each) for each in of.parameters],
        **body,
        "responses": dict(sorted(replies.items())),
        "security": [{"token": []}] if of.roles else [],
        "x-roles": [*of.roles],
    }


def _parameter(of: Parameter) -> dict[str, Any]:
    return {
        "name": of.name,
        "in": of.place,
        "required": of.place == "path",
        "description": of.words,
        "schema": of.schema,
        "example": of.example,
    }


def _body(of: Endpoint, walk: ServiceWalk) -> dict[str, Any]:
    content = {"schema": walk.schema(of.body), "example": of.example}
    return {"required": True, "content": {JSON: content}}


def _reply(of: Reply, walk: ServiceWalk) -> dict[str, Any]:
    schema = {"type": "string"} if of.kind is None else walk.schema(of.kind)
    return {"description": of.words, "content": {of.media: {"schema": schema}}}


def _refusal(status: int, codes: tuple[str, ...], walk: ServiceWalk) -> dict[str, Any]:
    said = f"{REFUSALS[status]} Codes: {', '.join(f'`{code}`' for code in codes)}."
    found: dict[str, Any] = {
        "description": said,
        "content": {PROBLEM: {"schema": walk.schema(ProblemDetails)}},
    }
    if status == 429:  # noqa: PLR2004 - the status whose reply says when
        seconds = {"type": "integer", "minimum": 0}
        found["headers"] = {"Retry-After": {"description": "Seconds to wait.", "schema": seconds}}
    return found
