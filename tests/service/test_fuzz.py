"""The contract is fuzzed: whatever comes over HTTP, the service keeps to its own document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import positive_data_acceptance
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    ignored_auth,
    negative_data_rejection,
    unsupported_method,
)
from tests.service.fuzzing import CLOSED, HOUSES, bearer, served_tables

from trente_rules.service.endpoint_table import ALL, ENDPOINTS, Endpoint
from trente_rules.service.openapi import openapi_document

CI: Final = 16
NIGHTLY: Final = 150


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve tables that dealers deal, with coups of a shoe behind them and one that is on."""
    with served_tables() as found:
        yield found


SCHEMA: Final = schemathesis.openapi.from_dict(openapi_document())
NOT_CHECKED: Final = [
    positive_data_acceptance,  # the rules of a table refuse what can be written
    ignored_auth,  # ``test_application`` asks every endpoint without a token
    unsupported_method,  # the same
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
        response = case.call(base_url=address, headers=bearer(role))
        places = wrong(case) & {"query", "body"}
        if unsent(case, response.request.url):
            places -= {"query"}  # what was wrong in it may be what was not sent
        mended = [] if places else [negative_data_rejection]
        case.validate_response(response, excluded_checks=[*NOT_CHECKED, *mended])

    sent()


def wrong(case: Any) -> set[str]:
    """Return the places of a case in which it is not as the document says."""
    parts = case.meta.components.items()
    return {place.value for place, part in parts if part.mode is GenerationMode.NEGATIVE}


def unsent(case: Any, url: str) -> set[str]:
    """Return the names of a query that are not in the address: an empty list is no text there."""
    sent = {name for name, _value in parse_qsl(urlsplit(url).query, keep_blank_values=True)}
    return set(case.query or {}) - sent


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
