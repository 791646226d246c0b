"""Problems: each error of the library has its status and its values; faults are not explained."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route, WebSocketRoute
from tests.service.asgi import Socket, ask

from trente_rules.core import errors
from trente_rules.core.errors import (
    BetError,
    CardError,
    ConfigurationError,
    Fault,
    PhaseError,
    PluginError,
    RecordError,
    Refusal,
    RuleError,
    TrenteError,
)
from trente_rules.service.problems import exception_handlers, problem_of, status_of, values_of

ROOT: Final = Path(__file__).parents[2]
DOCUMENTED: Final = re.findall(
    r"^\| (`[^|]*) \| (\d{3}) \|", (ROOT / "docs/errors.md").read_text("utf-8"), re.MULTILINE
)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (PhaseError("bets are closed", "too-late", "", "betting", ("deal",)), 409),
        (PhaseError("not now", "not-now"), 409),
        (BetError("no stake", "unknown-stake"), 422),
        (BetError("an amount", "bad-stake"), 422),
        (BetError("refused", "below-minimum"), 422),
        (RecordError("a message is not JSON", "not-json"), 400),
        (RecordError("no command", "bad-command"), 400),
        (RecordError("no command", "unknown-kind"), 400),
        (TrenteError("a value", "bad-value"), 400),
        (TrenteError("a name", "bad-table-name"), 400),
        (TrenteError("an id", "no-id"), 422),
        (TrenteError("an id", "same-id"), 409),
        (PhaseError("a coup", "other-coup"), 409),
        (RuleError("a rule", "out-of-range"), 422),
        (CardError("a card", "no-card"), 422),
        (TrenteError("a token", "token-expired"), 401),
        (TrenteError("a role", "forbidden"), 403),
        (TrenteError("a table", "unknown-table"), 404),
        (TrenteError("a table", "table-exists"), 409),
        (TrenteError("a body", "too-large"), 413),
        (TrenteError("a body", "not-json-type"), 415),
        (TrenteError("slower", "too-many"), 429),
        (TrenteError("stopping", "stopping"), 503),
        (RecordError("the journal", "journal-locked"), 503),
        (RecordError("the journal", "journal-moved"), 503),
        (RecordError("the journal", "connection-lost"), 503),
        (RecordError("the journal", "journal-broken"), 500),
        (PluginError("a plugin", "plugin-broken"), 500),
        (PluginError("a plugin", "of-its-own"), 500),
        (ValueError("anything"), 500),
        (HTTPException(404), 404),
        (HTTPException(405), 405),
        (HTTPException(400), 400),
        (HTTPException(418), 418),
    ],
)
def test_status_of_each_kind(error: Exception, status: int) -> None:
    """What a client sent is 4xx; the journal, a plugin or a fault of ours is 5xx."""
    problem = problem_of(error)
    assert problem.status == status
    assert problem.type == f"urn:trente-rules:error:{problem.code}"
    if isinstance(error, TrenteError):
        assert problem.code == error.code
        assert status_of(error.code, type(error)) == status


def test_the_statuses_are_those_of_the_document() -> None:
    """docs/errors.md says the status of each code of the service."""
    rows = [(code, status) for codes, status in DOCUMENTED for code in re.findall("`(.*?)`", codes)]
    assert len(rows) > 5
    assert {(code, str(status_of(code))) for code, _ in rows} == {*rows}


def test_values_are_the_fields_of_the_error() -> None:
    """A client sees what the error carries, so that it need not read the sentence."""
    refusal = Refusal("below-minimum", "too little", "s1", (("amount", 5), ("chance", "rouge")))
    assert problem_of(PhaseError("bets are closed", "too-late", "wait", "dealt", ("settle",))) == (
        problem_of(PhaseError("bets are closed", "too-late", "wait", "dealt", ("settle",)))
    )
    problem = problem_of(PhaseError("bets are closed", "too-late", "wait", "dealt", ("settle",)))
    assert (problem.title, problem.detail) == ("bets are closed", "wait")
    assert problem.values == {"phase": "dealt", "allowed": ["settle"]}
    assert problem_of(BetError("refused", "below-minimum", "", "s1", (refusal,))).values == {
        "stake": "s1",
        "refusals": [
            {
                "code": "below-minimum",
                "message": "too little",
                "stake": "s1",
                "values": {"amount": 5, "chance": "rouge"},
            }
        ],
    }
    assert problem_of(RecordError("bad", "bad-command", "", "command.amount")).values == {
        "place": "command.amount"
    }
    assert problem_of(RuleError("bad", "out-of-range", "", "a.b", Fraction(1, 3))).values == {
        "field": "a.b",
        "fix": "1/3",
    }
    assert problem_of(TrenteError("bad", "no-id")).values == {}


def test_every_class_of_errors_is_turned_into_json() -> None:
    """Each field of each class becomes values of JSON, whatever is in it."""
    strange: Any = ("a\x1b[2J", 1 << 80, {"k\n": {1, 2}}, object, b"\xff", [[[[[[[[1]]]]]]]], 0.5)
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, TrenteError):
            error = kind("bad\x1b", "no-such-code", "do\x07")
            for name in vars(error):
                if name not in {"message", "code", "hint"}:
                    setattr(error, name, strange)
            text = json.dumps(values_of(error))
            assert "\\u001b" not in text
            assert text.count(str(1 << 80)) == text.count(f'"{1 << 80}"')
            if kind is not PluginError:
                assert problem_of(error).title == "bad\\x1b"
                assert problem_of(error).detail == "do\\x07"


def test_files_of_the_service_are_not_named() -> None:
    """A fault in a house file names the file, not the folder where the host keeps it."""
    fault = Fault("/srv/secret/house.toml", 1, 2, "key", "unknown-key", "unknown key")
    problem = problem_of(ConfigurationError("a fault", "unknown-key", "", (fault,)))
    assert problem.values["faults"][0]["file"] == "house.toml"
    assert problem.values["faults"][0]["line"] == 1
    assert "secret" not in json.dumps(problem.values)


@pytest.mark.parametrize(
    ("error", "code", "title"),
    [
        (RecordError("'/srv/j.db' is locked", "journal-locked"), "journal-locked", "cannot do"),
        (RecordError("'/srv/j.db' is broken", "journal-broken"), "journal-broken", "failed"),
        (KeyError("/srv/j.db"), "internal", "failed"),
    ],
)
def test_faults_are_logged_not_explained(
    error: Exception, code: str, title: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Of a fault a client gets a code and an id, and the log has the rest under that id."""
    with caplog.at_level(logging.ERROR, "trente_rules.service"):
        problem = problem_of(error)
    assert problem.code == code
    assert title in problem.title
    assert "/srv" not in repr(problem)
    (record,) = caplog.records
    assert problem.values == {"id": record.__dict__["id"]}
    assert problem.values["id"] in problem.detail
    assert record.exc_info
    assert record.exc_info[1] is error


def test_what_a_client_sent_is_not_sent_back_at_length() -> None:
    """An error that quotes a text without end, or has one in its fields, is cut."""
    long = "x" * 200_000
    error = BetError(f"no stake {long!r}", "unknown-stake", long, long)
    assert len(json.dumps(values_of(error))) < 2_000
    problem = problem_of(error)
    assert len(problem.title) < 1_100
    assert len(problem.detail) < 1_100


def app() -> Starlette:
    """Return an application whose endpoints raise what they are asked to."""

    async def fails(request: Any) -> None:
        raise {
            "bet": BetError("refused", "below-minimum", "more", "s"),
            "token": TrenteError("no token", "token-missing"),
            "teapot": HTTPException(418, "short\r\nand stout", {"X-Tea": "1"}),
        }[request.path_params["what"]]

    routes = [Route("/fails/{what}", fails, methods=["POST"]), WebSocketRoute("/ws/{what}", fails)]
    return Starlette(routes=routes, exception_handlers=exception_handlers())


def test_an_application_answers_with_problems() -> None:
    """Endpoints, unknown paths and wrong methods all give application/problem+json."""
    asyncio.run(_ask_all())


async def _ask_all() -> None:
    made = app()
    bet = await ask(made, "/fails/bet", method="POST")
    assert bet.status == 422
    assert bet.headers["content-type"] == "application/problem+json"
    assert bet.json == {
        "type": "urn:trente-rules:error:below-minimum",
        "title": "refused",
        "status": 422,
        "code": "below-minimum",
        "detail": "more",
        "values": {"stake": "s"},
    }
    token = await ask(made, "/fails/token", method="POST")
    assert (token.status, token.headers["www-authenticate"]) == (401, "Bearer")
    unknown = await ask(made, "/nowhere/<script>")
    assert (unknown.status, unknown.code) == (404, "unknown-path")
    assert b"script" not in unknown.body
    wrong = await ask(made, "/fails/bet")
    assert (wrong.status, wrong.code, wrong.headers["allow"]) == (405, "wrong-method", "POST")
    teapot = await ask(made, "/fails/teapot", method="POST")
    assert (teapot.status, teapot.headers["x-tea"]) == (418, "1")
    assert b"stout" not in teapot.body


def test_a_socket_is_refused_with_a_problem() -> None:
    """A socket that is refused before its handshake gets the status and the problem."""
    socket = asyncio.run(Socket().open(app(), "/ws/token"))
    assert (socket.answered.status, socket.answered.code) == (401, "token-missing")
    assert not socket.accepted
