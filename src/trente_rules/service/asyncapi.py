"""AsyncAPI 3.0: the document of a table's socket, made of the messages and their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

from trente_rules._version import __version__
from trente_rules.service.contract_schemas import ServiceWalk
from trente_rules.service.messages import TABLE_NAME, ClientMessage, ServerMessage
from trente_rules.service.openapi import moved
from trente_rules.service.tokens import SUBPROTOCOL
from trente_rules.table.schemas import Schema, words_of

TITLE: Final = "A table's socket"
SOCKET: Final = "/api/tables/{table}/socket"
SUBPROTOCOLS: Final = (SUBPROTOCOL, "bearer.TOKEN")
CLOSE_CODES: Final[Mapping[int, str]] = {
    1000: "The client has closed the connection.",
    1001: "The service is stopping: connect again, with `after`.",
    1008: "A message broke the rules of the socket, or the token does not count any more.",
    1009: "A frame was too large: 64 KiB are the most.",
    1011: "A fault of the service; its log has the id. Connect again, with `after`.",
    1012: "The service starts again: connect again, with `after`.",
    4401: "The token has expired: connect again with a new one, and `after`.",
    4408: "The client read too slowly and was cut off: connect again, with `after`.",
}
"""Why the service closes a socket."""
HANDSHAKE: Final = (
    f"The subprotocols offered are `{SUBPROTOCOL}` and `bearer.TOKEN`; the service selects the "
    "first. A client that can set headers may send `Authorization: Bearer TOKEN` instead of the "
    "second. Without a token that counts the handshake is refused with 401, for another table than "
    "the token's with 403."
)
ORDER: Final = (
    "The first message is `state`; then come `chips` and `clock`, and an `entry` for every command "
    "that the client may see, as it is committed. `done` or `refused` follows each command, after "
    "its entry. The newest of `chips` and `clock` counts."
)
RESUMING: Final = (
    "Every event has an index that grows; events of others leave gaps. After a lost connection "
    "`after` is the last index that was seen: the `entry` messages missed since come instead of "
    "`state`, then `chips` and `clock`. Where it is too long ago `state` comes: start over from "
    "it. A command whose reply was lost is sent again with the same id: it acts once, and `done` "
    "says `repeated`."
)
ACCOUNT: Final = (
    "The player's account is `view.account` of `state`, and from then on the sum of it and the "
    "units of the movements in each `entry`, each id counted once."
)
LIMITS: Final = (
    "A frame of a client has 64 KiB at most, and a connection sends 20 messages a second, 60 at "
    "once."
)
PAGES: Final = (HANDSHAKE, ORDER, RESUMING, ACCOUNT, LIMITS)
"""What is said of the socket as a whole, in this order."""
QUERY: Final[Schema] = {
    "type": "object",
    "properties": {
        "language": {
            "type": "string",
            "pattern": "^[a-z]{2}$",
            "description": "The language of the second text of announcements.",
        },
        "after": {
            "type": "integer",
            "minimum": -1,
            "description": "The last index that was seen: continue from there.",
        },
    },
}
_SCHEMAS: Final = "#/components/schemas/"
_FORMAT: Final = "application/schema+json;version=draft-2020-12"
_FROM_SERVICE: Final[tuple[Any, ...]] = get_args(ServerMessage)
_FROM_CLIENT: Final[tuple[Any, ...]] = get_args(ClientMessage)

EXAMPLES: Final[Mapping[str, dict[str, Any]]] = {
    "command": {
        "kind": "command",
        "command": {
            "kind": "place",
            "id": "7",
            "stake": "7",
            "chance": "rouge",
            "amount": 2000,
        },
    },
    "ready": {"kind": "ready", "ready": True},
    "cut": {"kind": "cut", "place": 150},
    "marker": {"kind": "marker", "from_end": 12},
    "language": {"kind": "language", "language": "it"},
    "ping": {"kind": "ping"},
    "chips": {
        "kind": "chips",
        "chances": [{"chance": "rouge", "amount": 6000, "prisoners": 2000, "players": 3}],
    },
    "clock": {"kind": "clock", "waits_for": "bets", "left": 21000, "ready": 1, "players": 3},
    "done": {"kind": "done", "id": "7", "sequence": 42, "repeated": False},
    "refused": {
        "kind": "refused",
        "id": "7",
        "problem": {
            "type": "urn:trente-rules:error:not-now",
            "title": "place cannot be done now",
            "status": 409,
            "code": "not-now",
            "detail": "now: deal",
            "values": {"phase": "closed", "allowed": ["deal"]},
        },
    },
    "pong": {"kind": "pong"},
}
"""An example of each message that is short enough for one."""


def asyncapi_document() -> dict[str, Any]:
    """Return the document: the channel, both operations, every message and every schema."""
    walk = ServiceWalk()
    messages = {each.kind: _message(each, walk) for each in (*_FROM_SERVICE, *_FROM_CLIENT)}
    schemas = {
        name: {"schemaFormat": _FORMAT, "schema": moved(each, _SCHEMAS, "/schema")}
        for name, each in sorted(walk.definitions.items())
    }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": TITLE,
            "version": __version__,
            "description": "\n\n".join(PAGES),
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "channels": {"table": _channel(messages)},
        "operations": {
            "service_sends": _operation("send", _FROM_SERVICE, "What a client receives."),
            "client_sends": _operation("receive", _FROM_CLIENT, "What a client may send."),
        },
        "components": {
            "messages": messages,
            "schemas": schemas,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "JWT",
                    "description": HANDSHAKE,
                }
            },
        },
    }


def _channel(messages: Mapping[str, Any]) -> dict[str, Any]:
    protocols: Schema = {
        "type": "string",
        "description": HANDSHAKE,
        "examples": [", ".join(SUBPROTOCOLS)],
    }
    headers = {"type": "object", "properties": {"Sec-WebSocket-Protocol": protocols}}
    return {
        "address": SOCKET,
        "title": TITLE,
        "description": f"{ORDER}\n\n{RESUMING}",
        "parameters": {
            "table": {
                "description": f"The table's name: `{TABLE_NAME.pattern}`.",
                "examples": ["salle-1"],
            }
        },
        "messages": {kind: {"$ref": f"#/components/messages/{kind}"} for kind in messages},
        "bindings": {
            "ws": {"method": "GET", "query": QUERY, "headers": headers, "bindingVersion": "0.1.0"}
        },
        "x-subprotocols": [*SUBPROTOCOLS],
        "x-close-codes": {str(code): words for code, words in CLOSE_CODES.items()},
    }


def _operation(action: str, kinds: tuple[Any, ...], summary: str) -> dict[str, Any]:
    return {
        "action": action,
        "summary": summary,
        "channel": {"$ref": "#/channels/table"},
        "messages": [{"$ref": f"#/channels/table/messages/{each.kind}"} for each in kinds],
        "security": [{"$ref": "#/components/securitySchemes/token"}],
    }


def _message(cls: Any, walk: ServiceWalk) -> dict[str, Any]:
    words = words_of(cls)
    schema = moved(walk.schema(cls), _SCHEMAS, "/schema")
    example = EXAMPLES.get(cls.kind)
    return {
        "name": cls.kind,
        "title": cls.kind,
        "summary": words.partition("\n")[0],
        "description": words,
        "contentType": "application/json",
        "payload": {"schemaFormat": _FORMAT, "schema": schema},
        **({"examples": [{"payload": example}]} if example else {}),
    }
