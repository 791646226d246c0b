"""The contract is fuzzed: whatever comes over HTTP, the service keeps to its own document."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpx
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import positive_data_acceptance
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    ignored_auth,
    negative_data_rejection,
    unsupported_method,
)
from tests.service.hosting import setup

from trente_rules import load_house
from trente_rules.fair import SeededShuffler
from trente_rules.service.application import application
from trente_rules.service.desk import Desk
from trente_rules.service.endpoint_table import ALL, ENDPOINTS, Endpoint
from trente_rules.service.gate import Allowance, Gate
from trente_rules.service.hall import Hall
from trente_rules.service.metrics import Metrics
from trente_rules.service.openapi import openapi_document
from trente_rules.service.stores import MemoryStore
from trente_rules.service.tokens import Role, Tokens, Visitor

HOUSES: Final = ("france-2007", "monte-carlo-1911")
TOKENS: Final = Tokens(bytes(range(32)))
UNTIL: Final = int(time.time()) + 3600
CLOSED: Final = "to-close"
NAMES: Final = ("ann", "dora", "sue", "otto")
NO_LIMITS: Final = Allowance(by_visitor=None, by_address=None)
CI: Final = 8
NIGHTLY: Final = 150


def token(role: str) -> str:
    """Return the token of somebody in a role."""
    visitor = Visitor(NAMES[ALL.index(role)], Role(role), ["*"], UNTIL)
    return TOKENS.issue(visitor, time.time())


@contextmanager
def running(desk: Desk) -> Iterator[str]:
    """Serve the application in a thread of this process; give its address."""
    gate = Gate(application(desk), TOKENS, limits=NO_LIMITS)
    config = uvicorn.Config(gate, port=0, log_config=None, lifespan="on", ws="websockets-sansio")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    try:
        until = time.monotonic() + 20
        while not server.started:
            assert thread.is_alive()
            assert time.monotonic() < until
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve tables that dealers deal, with coups of a shoe behind them and one that is on."""
    hall = Hall(MemoryStore(), shuffler=lambda _table: SeededShuffler(bytes(16), test=True))
    setups = (*(setup(house, pace=None) for house in HOUSES), setup(table=CLOSED))
    with running(Desk(hall, TOKENS, Metrics(), setups)) as found:
        for house in HOUSES:
            play(found, house)
        yield found


def play(address: str, table: str) -> None:
    """Deal ten coups at a table, at which ann has a stake, and leave one with its bets open."""
    base = f"{address}/api/tables/{table}"
    with httpx.Client() as client:

        def post(path: str, role: str, **body: Any) -> None:
            auth = {"Authorization": f"Bearer {token(role)}"}
            response = client.post(base + path, json=body, headers=auth)
            assert response.is_success, response.text

        post("/shoe", "dealer", id="shoe")
        now = client.get(base, headers={"Authorization": f"Bearer {token('dealer')}"}).json()
        rule = load_house(table).shoe
        by = {"cut": rule.cut_by, "mark": rule.marker.placed_by if rule.marker else ""}
        while (phase := now["view"]["phase"]) != "ready":
            kind = {"cut": "cut", "burn": "burn", "mark": "place-marker"}[phase]
            more = {"by": by[phase]} if phase in by else {}
            post("/commands", "dealer", kind=kind, id=kind, **more)
            now = client.get(base, headers={"Authorization": f"Bearer {token('dealer')}"}).json()
        least = now["summary"]["opening"]
        for coup in range(10):
            post("/commands", "dealer", kind="open-bets", id=f"open-{coup}")
            stake = {"id": f"s{coup}", "stake": f"s{coup}", "chance": "rouge", "amount": least}
            post("/commands", "player", kind="place", **stake)
            for kind in ("close-bets", "deal", "settle"):
                post("/commands", "dealer", kind=kind, id=f"{kind}-{coup}")
        post("/commands", "dealer", kind="open-bets", id="open-last")


SCHEMA: Final = schemathesis.openapi.from_dict(openapi_document())
NOT_CHECKED: Final = [
    positive_data_acceptance,  # the rules of a table refuse what can be written
    ignored_auth,  # ``test_gate`` and the tests of tokens
    unsupported_method,  # below
]


def cases(endpoint: Endpoint) -> st.SearchStrategy[Any]:
    """Return the strategy of requests to an endpoint: those the document allows, and others."""
    operation = SCHEMA[endpoint.path][endpoint.method]
    right = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    if not endpoint.parameters and endpoint.body is None:
        return right
    return st.one_of(right, operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))


def check(endpoint: Endpoint, address: str, examples: int) -> None:
    """Send requests in every role, to tables that are there and to others."""
    tables = (CLOSED, "") if endpoint.name in ("close_table", "delete_table") else (*HOUSES, "")

    @given(case=cases(endpoint), role=st.sampled_from(ALL), table=st.sampled_from(tables))
    @settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    def sent(case: Any, role: str, table: str) -> None:
        if table and "table" in (case.path_parameters or {}):
            case.path_parameters["table"] = table
        headers = {"Authorization": f"Bearer {token(role)}"}
        response = case.call(base_url=address, headers=headers)
        mended = [] if wrong(case) & {"query", "body"} else [negative_data_rejection]
        case.validate_response(response, excluded_checks=[*NOT_CHECKED, *mended])

    sent()


def wrong(case: Any) -> set[str]:
    """Return the places of a case in which it is not as the document says."""
    parts = case.meta.components.items()
    return {place.value for place, part in parts if part.mode is GenerationMode.NEGATIVE}


@pytest.mark.slow
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_the_service_keeps_to_its_document(endpoint: Endpoint, address: str) -> None:
    """Issue 11: no 5xx; status, type of content and body are those of the document."""
    check(endpoint, address, CI)


@pytest.mark.nightly
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_the_service_keeps_to_its_document_for_long(endpoint: Endpoint, address: str) -> None:
    """The same, with many more requests."""
    check(endpoint, address, NIGHTLY)
