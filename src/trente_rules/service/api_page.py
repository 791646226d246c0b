"""The contract as a page to read: every endpoint, message, close code, code of a refusal, type.

It is a report, which the format ``html`` writes; all of it comes from the tables that the two
documents are made of.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from trente_rules._version import __version__
from trente_rules.reports.document import Grid, Items, Part, Report, Section
from trente_rules.reports.formats import html
from trente_rules.service.asyncapi import (
    CLOSE_CODES,
    EXAMPLES,
    PAGES,
    QUERY,
    SOCKET,
    SUBPROTOCOLS,
)
from trente_rules.service.contract_schemas import ServiceWalk, service_schema
from trente_rules.service.endpoint_table import ALL, ENDPOINTS, PROBLEM, Endpoint, endpoint
from trente_rules.service.messages import ClientMessage, ServerMessage
from trente_rules.service.openapi import ABOUT, GROUPS, REFUSALS, TITLE
from trente_rules.table.commands import COMMANDS
from trente_rules.table.events import EVENTS
from trente_rules.table.schemas import Schema, words_of
from trente_rules.table.typescript import type_text

ROLES: Final[Mapping[str, str]] = {
    "player": "sees the own view of a table, and gives a player's commands for the own stakes.",
    "dealer": "sees the stakes of all and nobody's account; gives the dealer's commands and opens "
    "shoes.",
    "supervisor": "does what a dealer does; creates and closes tables, posts limits, buys in and "
    "cashes out, issues tokens, reads everything.",
    "auditor": "reads everything and does nothing.",
}
"""What each role may do."""


STYLE: Final = endpoint("docs_style").path
REFUSED: Final = (
    f"A refusal is {PROBLEM}: type, title, status, code, detail (what to do about it) and values "
    "(the fields of the error). A refusal at a socket has the same in its problem. Codes are "
    "stable; the rules of a table have many more of them, with 409 for what comes at the wrong "
    "time and 422 for what the rules do not allow."
)


def api_report() -> Report:
    """Return the page as a report."""
    types = service_schema()["$defs"]
    return Report(
        TITLE,
        (
            Section("Endpoints", (_overview(),)),
            Section("Who may do what", (_roles(),)),
            *(Section(name, (words, *_of_group(name))) for name, words in GROUPS.items()),
            _socket(types),
            _refusals(),
            _kinds("Commands", COMMANDS),
            _kinds("Events", EVENTS),
            Section("Types", tuple(_types(types))),
        ),
        stamp=f"trente-rules {__version__}, OpenAPI 3.1: /openapi.json, AsyncAPI 3.0: "
        "/asyncapi.json",
        about=(_plain(ABOUT),),
        page=True,
    )


def api_page() -> str:
    """Return the page as HTML; its style is a file of its own, as the policy of all pages asks.

    The script that sorts tables is left out: the policy allows no script inside a page.
    """
    page = html.render(api_report()).replace(f"<script>{html.SCRIPT}</script>\n", "")
    return page.replace(f"<style>{html.STYLE}</style>", f'<link rel="stylesheet" href="{STYLE}">')


def api_style() -> str:
    """Return the style of the page: that of every report in HTML."""
    return html.STYLE


def _plain(words: str) -> str:
    return " ".join(words.replace("`", "").split())


def _paragraphs(words: str) -> list[str]:
    return [_plain(each) for each in words.splitlines()]


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _overview() -> Grid:
    rows = (
        (each.method, each.path, _who(each), _plain(each.words))
        for group in GROUPS
        for each in ENDPOINTS
        if each.group == group
    )
    return Grid("", ("method", "path", "who", "what"), rows)


def _who(of: Endpoint) -> str:
    return "any token" if of.roles == ALL else ", ".join(of.roles) or "everybody"


def _roles() -> Grid:
    return Grid("", ("role", "what it may do"), ROLES.items())


def _of_group(group: str) -> Iterator[Section]:
    for each in ENDPOINTS:
        if each.group == group:
            yield Section(f"{each.method} {each.path}", tuple(_endpoint(each)))


def _endpoint(of: Endpoint) -> Iterator[Part]:
    yield _plain(of.words)
    yield Items(_lines(of))
    if of.parameters:
        rows = (
            (each.name, each.place, type_text(each.schema), str(each.example), _plain(each.words))
            for each in of.parameters
        )
        yield Grid("", ("parameter", "in", "type", "example", "what"), rows)


def _lines(of: Endpoint) -> Iterator[str]:
    """Yield who may ask, what is sent, what comes back, and with what it is refused."""
    yield f"For: {_who(of)}"
    if of.body is not None:
        yield f"Body: {_type_name(of.body)}"
        yield f"Example: {_compact(of.example)}"
    given = {each.status for each in of.replies}
    for each in of.replies:
        kind = each.media if each.kind is None else _type_name(each.kind)
        yield f"{each.status}: {kind}. {_plain(each.words)}"
    refused = (
        f"{status} ({', '.join(codes)})"
        for status, codes in of.all_refusals.items()
        if status not in given
    )
    yield f"Refused: {', '.join(refused)}"


def _type_name(kind: Any) -> str:
    """Return how TypeScript names the type of a body."""
    return type_text(ServiceWalk().schema(kind))


def _socket(types: Mapping[str, Schema]) -> Section:
    query = Grid(
        "Query",
        ("parameter", "type", "what"),
        (
            (name, type_text(each), _plain(each["description"]))
            for name, each in QUERY["properties"].items()
        ),
    )
    return Section(
        "The socket of a table",
        (
            f"GET {SOCKET}, as a WebSocket. Subprotocols: {', '.join(SUBPROTOCOLS)}.",
            *map(_plain, PAGES),
            query,
            Section("From the service", tuple(_messages(get_args(ServerMessage), types))),
            Section("From a client", tuple(_messages(get_args(ClientMessage), types))),
            Grid(
                "Close codes",
                ("code", "what"),
                ((str(code), _plain(words)) for code, words in CLOSE_CODES.items()),
            ),
        ),
    )


def _messages(kinds: tuple[Any, ...], types: Mapping[str, Schema]) -> Iterator[Part]:
    for cls in kinds:
        parts: list[Part] = [*_paragraphs(words_of(cls)), _fields(types[cls.__name__])]
        if cls.kind in EXAMPLES:
            parts.append(f"Example: {_compact(EXAMPLES[cls.kind])}")
        yield Section(cls.kind, tuple(parts))


def _fields(schema: Schema) -> Grid:
    needed = schema.get("required", ())
    rows = (
        (name, type_text(each), "" if name in needed else "may be left out")
        for name, each in schema["properties"].items()
    )
    return Grid("", ("field", "type", ""), rows)


def _refusals() -> Section:
    codes: dict[tuple[int, str], list[str]] = {}
    for each in ENDPOINTS:
        for status, found in each.all_refusals.items():
            for code in found:
                codes.setdefault((status, code), []).append(each.name)
    rows = ((str(status), code, REFUSALS[status]) for status, code in sorted(codes))
    return Section(
        "Refusals",
        (
            REFUSED,
            f"Example: {_compact(EXAMPLES['refused']['problem'])}",
            Grid("", ("status", "code", "what"), rows),
        ),
    )


def _kinds(title: str, classes: tuple[Any, ...]) -> Section:
    rows = ((cls.kind, cls.__name__, _plain(words_of(cls))) for cls in classes)
    return Section(title, (Grid("", ("kind", "type", "what"), rows),))


def _types(types: Mapping[str, Schema]) -> Iterator[Part]:
    sockets = {each.__name__ for each in (*get_args(ServerMessage), *get_args(ClientMessage))}
    for name, schema in types.items():
        if name in sockets:
            continue
        inner = _fields(schema) if "properties" in schema else type_text(schema)
        yield Section(name, (*_paragraphs(schema.get("description", "")), inner))
