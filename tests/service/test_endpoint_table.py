"""The table of endpoints: every one once, and parameters that are read strictly."""

from __future__ import annotations

import re

import pytest

from trente_rules import BetError, PhaseError, RuleError, TrenteError
from trente_rules.service.endpoint_table import ENDPOINTS, Endpoint, endpoint
from trente_rules.service.problems import status_of


def test_each_endpoint_is_told_once() -> None:
    """No name, and no method of a path, is there twice; each path names its parameters."""
    assert len({each.name for each in ENDPOINTS}) == len(ENDPOINTS)
    assert len({(each.method, each.path) for each in ENDPOINTS}) == len(ENDPOINTS)
    for each in ENDPOINTS:
        named = re.findall(r"{(\w+)}", each.path)
        assert named == [p.name for p in each.parameters if p.place == "path"], each.name
        assert (each.body is None) == (each.example is None), each.name


def test_an_endpoint_is_found_by_its_name() -> None:
    """Another name is an error."""
    assert endpoint("history").path == "/api/tables/{table}/history"
    with pytest.raises(RuleError, match="there is no endpoint 'hystory'"):
        endpoint("hystory")


def test_parameters_are_read() -> None:
    """Numbers are whole and within their bounds."""
    read = endpoint("replay").read
    given = {"table": "salle-1", "shoe": "2", "coup": "14", "language": "it"}
    assert read(given) == {"table": "salle-1", "shoe": 2, "coup": 14, "language": "it"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("shoe", "0"),
        ("shoe", "1.0"),
        ("shoe", ""),
        ("shoe", "1_0"),
        ("shoe", "\u0661"),
        ("shoe", "9" * 40),
        ("language", "fra"),
        ("language", "EN"),
        ("table", "Salle"),
        ("table", "salle\n"),
    ],
)
def test_what_is_no_value_of_a_parameter_is_refused(name: str, value: str) -> None:
    """A value that is not of the schema is a refusal with the parameter in it, never a fault."""
    with pytest.raises(TrenteError, match=f"^{name} is ") as caught:
        endpoint("replay").read({name: value})
    assert caught.value.code == "bad-parameter"


def test_refusals_come_of_what_an_endpoint_takes() -> None:
    """Tokens, tables, bodies and parameters each bring theirs; a health check has none of them."""
    assert sorted(endpoint("healthz").all_refusals) == [403, 413, 429, 500, 503]
    found = endpoint("commands").all_refusals
    assert sorted(found) == [400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503]
    assert found[404] == ("unknown-table",)
    assert "not-json" in found[400]


@pytest.mark.parametrize("each", ENDPOINTS, ids=lambda each: each.name)
def test_codes_have_the_status_that_refusals_get(each: Endpoint) -> None:
    """What the table of endpoints says of a code is what a refusal with that code is sent with."""
    kinds = {409: PhaseError, 422: BetError}
    for status, codes in each.all_refusals.items():
        for code in codes:
            assert status_of(code, kinds.get(status, TrenteError)) == status, code


def test_a_parameter_that_there_is_not_is_refused() -> None:
    """A misspelt name is a fault, as a misspelt field of a command is."""
    with pytest.raises(TrenteError, match="no parameter 'afer'") as caught:
        endpoint("events").read({"table": "salle-1", "afer": "3"})
    assert caught.value.code == "bad-parameter"
    assert caught.value.hint == "parameters are table, after, limit, language"
