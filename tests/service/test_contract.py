"""The contract of the service: its schemas describe what is sent, and both documents are whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, get_args

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from schemathesis.specs.openapi.definitions import OPENAPI_31
from tests.table.driving import Driver

from trente_rules import RecordError, TrenteError
from trente_rules.service import gate, sockets
from trente_rules.service.asyncapi import CLOSE_CODES, EXAMPLES, LIMITS, asyncapi_document
from trente_rules.service.contract_schemas import body_kinds, page_types, service_schema
from trente_rules.service.endpoint_table import ENDPOINTS
from trente_rules.service.messages import (
    ChanceChips,
    ChipsMessage,
    ClientMessage,
    ClockMessage,
    DoneMessage,
    EntryMessage,
    PongMessage,
    ProblemDetails,
    RefusedMessage,
    ServerMessage,
    StateMessage,
    TableSetup,
    client_message,
    message_text,
)
from trente_rules.service.openapi import GROUPS, REFUSALS, openapi_document
from trente_rules.table import view, view_of

FROM_CLIENT: Final = {each.kind for each in get_args(ClientMessage)}
FROM_SERVICE: Final = {each.kind for each in get_args(ServerMessage)}
PLACE: Final = {"kind": "place", "id": "7", "stake": "7", "chance": "rouge", "amount": 5}


@cache
def one(name: str) -> Draft202012Validator:
    """Return the validator of one definition."""
    schema = service_schema()
    head = {key: schema[key] for key in ("$schema", "$id", "$defs")}
    return Draft202012Validator({**head, "$ref": f"#/$defs/{name}"})


def fits(name: str, value: Any) -> bool:
    """Return whether a value, as JSON text carries it, is one of a definition."""
    return bool(one(name).is_valid(json.loads(json.dumps(value))))


def messages() -> Iterator[Any]:
    """Yield messages of every kind, those of a coup with a choice to make among them."""
    driver = Driver("france-2007")
    driver.shoe((31, 31), (33, 32))
    driver.bet(("ann", "rouge", 100))
    driver.deal()
    for entry in driver.table.entries:
        yield EntryMessage(view(entry, for_="ann"), {"4": ("Rouge gagne", "Red wins")})
    yield StateMessage(view_of(driver.table.state, for_="ann"), (("Messieurs", "Gentlemen"),))
    yield ChipsMessage((ChanceChips("rouge", 100, 0, 1),))
    yield ClockMessage("bets", None, 0, 1)
    yield DoneMessage("7", 3, repeated=False)
    yield RefusedMessage("", ProblemDetails("urn:x", "no", 409, "not-now", "", {"phase": "closed"}))
    yield PongMessage()


@pytest.mark.slow
def test_the_schema_is_one_of_2020_12() -> None:
    """A description for every class; every message and body has a definition."""
    schema = service_schema()
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == "urn:trente-rules:wire:1:service"
    classes = [each for each in schema["$defs"].values() if "properties" in each]
    assert all(each["description"].endswith((".", ":", "'", "`")) for each in classes)
    named = {kind.__name__ for kind in body_kinds() if isinstance(kind, type)}
    found = {*schema["$defs"]}
    assert found >= {"ServerMessage", "ClientMessage", "TableSetup", "Problem", "HouseFacts"}
    assert found >= named - {"tuple", "dict", "ProblemDetails"}


@pytest.mark.slow
def test_each_message_that_is_sent_is_as_described() -> None:
    """Messages of every kind fit the schema, and with one more key they do not."""
    kinds = set()
    for message in messages():
        value = json.loads(message_text(message))
        kinds.add(value["kind"])
        one("ServerMessage").validate(value)
        assert not fits("ServerMessage", {**value, "more": 1})
    assert kinds == FROM_SERVICE


def test_each_message_of_a_client_that_is_read_is_as_described() -> None:
    """What fits the schema is read, what does not is refused; a default may be left out."""
    taken: list[dict[str, Any]] = [
        *(EXAMPLES[kind] for kind in FROM_CLIENT),
        {"kind": "ready"},
        {"kind": "command", "command": {**PLACE, "player": "ann"}},
    ]
    refused: list[Any] = [
        {"kind": "cut"},
        {"kind": "cut", "place": "150"},
        {"kind": "ready", "ready": 1},
        {"kind": "pong"},
        {"kind": "command"},
        {"kind": "command", "command": {"kind": "plaice", "id": "7"}},
        {"kind": "command", "command": {**PLACE, "amount": 5.5}},
        {"kind": "ping", "more": 1},
        {},
        [],
        None,
    ]
    for each in taken:
        one("ClientMessage").validate(each)
        assert client_message(json.dumps(each), "ann").kind == each["kind"]
    for each in refused:
        assert not fits("ClientMessage", each), each
        with pytest.raises(RecordError):
            client_message(json.dumps(each), "ann")


def test_a_player_may_leave_out_their_name_and_only_that() -> None:
    """A given command needs no name; that of the wire contract does, and no other key may lack."""
    assert fits("GivenCommand", PLACE)
    assert fits("GivenCommand", {**PLACE, "player": "ann"})
    assert not fits("AnyCommand", PLACE)
    assert not fits("GivenCommand", {key: PLACE[key] for key in PLACE if key != "amount"})
    assert not fits("GivenCommand", {"kind": "buy-in", "id": "1", "amount": 5})  # by the host


@pytest.mark.parametrize(
    ("setup", "right"),
    [
        ({"table": "salle-1", "house": "france-2007"}, True),
        ({"table": "salle-1", "house": "france-2007", "pace": None, "opening": 1000}, True),
        ({"table": "salle-1", "house": "france-2007", "pace": {"bets": 1000}}, True),
        ({"table": "salle-1"}, False),
        ({"table": "salle-1", "house": "france-2007", "chips": "some"}, False),
        ({"table": "salle-1", "house": "france-2007", "pace": {"bets": "1"}}, False),
        ({"table": "salle-1", "house": "france-2007", "more": 1}, False),
        ({"table": "Salle 1", "house": "france-2007"}, False),
        ({"table": "salle-1", "house": "france-2007", "pace": {"bets": -1}}, False),
        ({"table": "salle-1", "house": "france-2007", "advance": -1}, False),
    ],
)
def test_a_setup_is_read_where_it_fits_its_schema(setup: Any, right: bool) -> None:  # noqa: FBT001
    """Schema and reader say the same of a setup: the names of tables and the times too."""
    assert fits("TableSetup", setup) is right
    try:
        TableSetup.of_json(setup)
    except TrenteError:
        assert not right
    else:
        assert right


def test_the_types_of_the_pages_are_declarations() -> None:
    """A ``.d.ts`` file: types of messages and readings, and no code."""
    types = page_types()
    assert "export type ServerMessage =" in types
    assert "export interface HouseFacts {" in types
    assert "function" not in types


# OpenAPI


def references(value: Any) -> Iterator[str]:
    """Yield every reference in a document."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def resolved(document: Any, reference: str) -> Any:
    """Return what a reference leads to; ``KeyError`` where it leads nowhere."""
    found = document
    for step in reference.removeprefix("#/").split("/"):
        found = found[step.replace("~1", "/")]
    return found


@pytest.mark.parametrize(
    "document", [openapi_document(), asyncapi_document()], ids=["http", "socket"]
)
def test_every_reference_leads_somewhere(document: Any) -> None:
    """Nothing in a document is missing, and nothing is left of the places it was made from."""
    found = set(references(document))
    assert len(found) > 100
    for each in found:
        assert resolved(document, each)
    assert "$defs" not in json.dumps(document)
    schemas = set(document["components"]["schemas"])
    assert not schemas - {step for each in found for step in each.split("/")}  # each is used


@pytest.mark.slow
def test_openapi_is_valid_and_has_every_endpoint() -> None:
    """The document is one of OpenAPI 3.1 by its own schema; its operations are the table's."""
    document = openapi_document()
    Draft202012Validator(OPENAPI_31).validate(document)
    told = {
        (method.upper(), path)
        for path, operations in document["paths"].items()
        for method in operations
    }
    assert told == {(each.method, each.path) for each in ENDPOINTS}
    assert {each.group for each in ENDPOINTS} == {*GROUPS}
    for each in ENDPOINTS:
        assert {*each.all_refusals} <= {*REFUSALS}
        operation = document["paths"][each.path][each.method.lower()]
        assert bool(operation["security"]) == bool(each.roles)


def test_the_examples_of_openapi_fit() -> None:
    """Every example of a body or a parameter is one that its schema takes."""
    document = openapi_document()
    count = 0
    for operations in document["paths"].values():
        for operation in operations.values():
            pairs = [(each["schema"], each["example"]) for each in operation["parameters"]]
            contents = operation.get("requestBody", {}).get("content", {}).values()
            pairs += [(each["schema"], each["example"]) for each in contents]
            for schema, example in pairs:
                Draft202012Validator({**document, **schema}).validate(example)
                count += 1
    assert count > 30


# AsyncAPI


def test_asyncapi_has_every_message() -> None:
    """Both operations have all messages of their side, each with a payload and its words."""
    document = asyncapi_document()
    sent, taken = (
        {each["$ref"].rpartition("/")[2] for each in document["operations"][name]["messages"]}
        for name in ("service_sends", "client_sends")
    )
    assert (sent, taken) == (FROM_SERVICE, FROM_CLIENT)
    for kind, message in document["components"]["messages"].items():
        assert message["payload"]["schema"]["$ref"].endswith("Message/schema"), kind
        assert message["description"].endswith("."), kind
    closes = document["channels"]["table"]["x-close-codes"]
    assert closes == {str(code): words for code, words in CLOSE_CODES.items()}
    assert {4401, 4408, 1001, 1008, 1009, 1012} <= {*CLOSE_CODES}


def test_asyncapi_says_the_codes_and_bounds_that_there_are() -> None:
    """Close codes and limits are those of the sockets and of the gate."""
    assert {sockets.TOO_SLOW, sockets.EXPIRED, sockets._BAD} <= {*CLOSE_CODES}
    assert {gate._TOO_LARGE, gate._FAILED} <= {*CLOSE_CODES}
    assert f"{gate.Allowance().frame // 1024} KiB" in LIMITS
    assert f"{sockets._RATE:.0f} messages a second, {sockets._BURST:.0f} at once" in LIMITS


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_examples_of_messages_fit(kind: str) -> None:
    """An example is one that is sent, or that is read; with another value it is not."""
    name = "ClientMessage" if kind in FROM_CLIENT else "ServerMessage"
    one(name).validate(EXAMPLES[kind])
    with pytest.raises(ValidationError):
        one(name).validate({**EXAMPLES[kind], "kind": f"{kind}s"})
