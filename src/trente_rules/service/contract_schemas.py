"""The JSON Schema (2020-12) of what the service sends and takes, with that of the wire contract.

The walk is that of a table (``table.schemas``): messages, setups and bodies are found as commands
and events are, and keep their docstrings as descriptions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from trente_rules.service import bodies
from trente_rules.service.endpoint_table import ENDPOINTS
from trente_rules.service.messages import (
    SCHEMA_KEY,
    ClientMessage,
    CommandMessage,
    CutMessage,
    LanguageMessage,
    MarkerMessage,
    Pace,
    PingMessage,
    ProblemDetails,
    ReadyMessage,
    ServerMessage,
    TableSetup,
)
from trente_rules.table.commands import COMMANDS, AnyCommand, Command
from trente_rules.table.schemas import DRAFT, VERSION, Property, Schema, WireWalk
from trente_rules.table.typescript import typescript_of
from trente_rules.table.views import PLAYER_COMMANDS

_GIVEN: Final = (
    CommandMessage,
    ReadyMessage,
    CutMessage,
    MarkerMessage,
    LanguageMessage,
    PingMessage,
    TableSetup,
    Pace,
    bodies.TokenWanted,
    bodies.ShoeWanted,
    bodies.Health,
)
"""Classes of which a key with a default may be left out: what a client gives, and health."""


_MESSAGES: Final[Mapping[Any, str]] = {
    ServerMessage: "ServerMessage",
    ClientMessage: "ClientMessage",
}
_SHORT: Final[Mapping[Any, str]] = {ProblemDetails: "Problem"}
_GIVEN_COMMAND: Final = "GivenCommand"


class ServiceWalk(WireWalk):
    """The walk over what the service sends and takes.

    A command that is given to the service may leave out the player's own name (``GivenCommand``);
    every other value is that of the wire contract.
    """

    def __init__(self) -> None:
        """Start with the names of the two unions of messages, and those that are shorter."""
        super().__init__(_GIVEN, {**_MESSAGES, **_SHORT})

    def given_command(self) -> Schema:
        """Return the schema of a command as a client gives it."""
        return self._reference(_GIVEN_COMMAND, AnyCommand, self._given_commands)

    def properties(self, cls: type) -> dict[str, Property]:
        """Return the keys of a class; the command in a message is one that is given."""
        found = super().properties(cls)
        if cls is CommandMessage:
            found["command"] = Property(bodies.GivenCommand)
        return found

    def schema(self, kind: Any) -> Schema:
        """Return the schema of a type: a reference, where it has a definition."""
        return self.given_command() if kind is bodies.GivenCommand else super().schema(kind)

    def _given_commands(self) -> Schema:
        words = "A command as it is given to the service: a player may leave out their own name."
        return {"description": words, "oneOf": [self._one_given(cls) for cls in COMMANDS]}

    def _one_given(self, cls: type[Command]) -> Schema:
        """Return the schema of a command, without the need of a name where it is the player's."""
        whole = self._object(cls)
        if cls not in PLAYER_COMMANDS or "player" not in whole["required"]:
            return self.schema(cls)
        needed = [name for name in whole["required"] if name != "player"]
        return self._reference(f"Own{cls.__name__}", cls, lambda: {**whole, "required": needed})

    def _object(self, cls: type) -> Schema:
        """Return the schema of a class; the bounds of a field are in its metadata."""
        found = super()._object(cls)
        for each in attrs.fields(cls):
            if SCHEMA_KEY in each.metadata:
                found["properties"][each.name] |= each.metadata[SCHEMA_KEY]
        return found


def body_kinds() -> tuple[Any, ...]:
    """Return the types of all bodies of the endpoints, and of refusals."""
    found = [ProblemDetails]
    for each in ENDPOINTS:
        found += [each.body, *(reply.kind for reply in each.replies)]
    return tuple(dict.fromkeys(kind for kind in found if kind is not None))


def service_schema() -> Schema:
    """Return the JSON Schema of a message or a body, with a definition of each."""
    walk = ServiceWalk()
    kinds = (*_MESSAGES, AnyCommand, *body_kinds())
    schemas = [walk.schema(kind) for kind in kinds]
    title = "A message or a body of the table service"
    return {
        "$schema": DRAFT,
        "$id": f"urn:trente-rules:wire:{VERSION}:service",
        "title": title,
        "anyOf": schemas,
        "$defs": dict(sorted(walk.definitions.items())),
    }


def page_types() -> str:
    """Return the types of the contract for the pages, as declarations of TypeScript."""
    head = (
        "The types of the table service: messages, bodies, commands, events and views.\n"
        "Made by tools/make_typescript.py: do not edit."
    )
    return typescript_of([service_schema()], head, declarations=True)
