"""Commands and messages are fuzzed in the words of a table: no fault, nothing out of its form."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import count
from typing import Any, Final

import attrs
import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.service.fuzzing import bearer, play, served_tables, token
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.sync.client import ClientConnection, connect

from trente_rules import load_house
from trente_rules.service.asyncapi import EXAMPLES
from trente_rules.service.contract_schemas import service_schema
from trente_rules.service.endpoint_table import ALL
from trente_rules.table.commands import COMMANDS, BuyIn, CashOut, Command, OpenShoe, Post
from trente_rules.table.views import DEALER_COMMANDS, PLAYER_COMMANDS

HOUSE: Final = "monte-carlo-1911"
CHANCES: Final = [*(chance.id for chance in load_house(HOUSE).chances), "blanc", ""]
STAKES: Final = [*(f"s{number}" for number in range(12)), "new", ""]
AMOUNTS: Final = [2000, 4000, 6000, 1, 0, -2000, 600_000, 2**53, 10**18, 10**40]
ODD: Final[list[Any]] = [
    1.5,
    -(2**200),
    "",
    "\u2602",
    "x" * 5000,
    [],
    [None],
    {},
    {"a": 1},
    None,
    True,
]
NIGHTLY: Final = 3_000
LONG: Final = pytest.param(NIGHTLY, marks=pytest.mark.nightly)
PING: Final = json.dumps(EXAMPLES["ping"])
_TABLES: Final = count(1)
FIELDS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "id": st.sampled_from(["1", "2", "open-1", "s1", "\u2602"]) | st.text(min_size=1, max_size=5),
    "at": st.sampled_from(["", "20:00"]),
    "round": st.sampled_from([None, "s/1/1", "s/0/0", "/1/1"]),
    "staff": st.sampled_from(["", "dora"]),
    "player": st.sampled_from(["ann", "ann", "bob", ""]),
    "stake": st.sampled_from(STAKES),
    "chance": st.sampled_from(CHANCES),
    "amount": st.sampled_from(AMOUNTS),
    "insured": st.booleans(),
    "bets": st.lists(
        st.fixed_dictionaries(
            {
                "stake": st.sampled_from(STAKES),
                "chance": st.sampled_from(CHANCES),
                "amount": st.sampled_from(AMOUNTS),
            }
        ),
        max_size=3,
    ),
    "place": st.integers(-2, 320),
    "from_end": st.integers(-2, 320),
    "by": st.sampled_from(["player", "croupier", "player-on-right"]),
    "course": st.sampled_from(["prison", "partage", "stay", ""]),
    "verdict": st.sampled_from(["refait", "win", "lose", "apres", ""]),
    "state": st.sampled_from(["", "free", "prison"]),
    "count": st.integers(-1, 5),
    "cards": st.lists(st.sampled_from(["10\u2665", "A\u2660", "7\u2666", "11\u2660"]), max_size=3),
    "card": st.sampled_from(["10\u2665", "A\u2660", None, "Z"]),
    "reason": st.sampled_from(["a card was read wrong", ""]),
    "phrase": st.sampled_from(["ajouter_a_la_banque", "rien", ""]),
    "choices": st.just([]),
    "target": st.sampled_from([None, "s/1/1", "x/1/2"]),
    "opening": st.sampled_from([2000, 1, 0, {"minimum": 4000}]),
    "minimum": st.sampled_from(AMOUNTS),
    "maximum": st.sampled_from(AMOUNTS),
}
"""What the fields of commands may hold here: values of this table, and a few that are none."""


OF_ROLE: Final[dict[str, tuple[type[Command], ...]]] = {
    "player": PLAYER_COMMANDS,
    "dealer": DEALER_COMMANDS,
    "supervisor": (*DEALER_COMMANDS, Post, BuyIn, CashOut, OpenShoe),
    "auditor": COMMANDS,
}


@st.composite
def commands(draw: st.DrawFn, role: str) -> dict[str, Any]:
    """Return commands that are nearly right: of another role, with an odd field, or without one."""
    another = draw(st.integers(0, 9)) == 0
    cls = draw(st.sampled_from(COMMANDS if another else OF_ROLE[role]))
    made: dict[str, Any] = {"kind": cls.kind}
    for each in attrs.fields(cls):
        needed = each.default is attrs.NOTHING
        if draw(st.integers(0, 19)) < (19 if needed else 1):
            odd = draw(st.integers(0, 29)) == 0
            made[each.name] = draw(
                st.sampled_from(ODD) if odd else FIELDS.get(each.name, st.sampled_from(ODD))
            )
    return made


@cache
def one(name: str) -> Draft202012Validator:
    """Return the validator of one definition."""
    schema = service_schema()
    return Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{name}"})


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve tables in a thread."""
    with served_tables() as found:
        yield found


def table_at(address: str, **fields: Any) -> str:
    """Create a table of its own for a test, and return its name."""
    name = f"fuzz-{next(_TABLES)}"
    body = {"table": name, "house": HOUSE, **fields}
    created = httpx.post(f"{address}/api/tables", json=body, headers=bearer("supervisor"))
    assert created.is_success, created.text
    return name


@pytest.mark.slow
@pytest.mark.parametrize("examples", [400, LONG])
def test_commands_of_any_kind_are_done_or_refused(address: str, examples: int) -> None:
    """Issue 11: a command is an entry or a problem with a code; nothing is a fault."""
    seen = Counter[int]()
    table = table_at(address, pace=None)
    play(address, table, HOUSE)
    base = f"{address}/api/tables/{table}"

    with httpx.Client() as client:

        @given(role=st.sampled_from(ALL[:3]), data=st.data())
        @settings(
            max_examples=examples,
            deadline=None,
            derandomize=examples < NIGHTLY,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate,),
        )
        def sent(role: str, data: st.DataObject) -> None:
            one_ = commands(role)
            text = json.dumps(data.draw(one_ | st.lists(one_, min_size=1, max_size=3)))
            path = data.draw(st.sampled_from(("commands", "commands", "preview")))
            headers = {**bearer(role), "Content-Type": "application/json"}
            response = client.post(f"{base}/{path}", content=text, headers=headers)
            seen[response.status_code] += 1
            assert response.status_code < 500, response.text
            if response.is_success:
                value = response.json()
                for entry in value if isinstance(value, list) else [value]:
                    one("EntryView").validate(entry)
            else:
                assert response.headers["content-type"] == "application/problem+json"
                one("Problem").validate(response.json())

        sent()
    assert {200, 400, 403, 409, 422} <= {*seen}
    assert seen[200] > 2


TEXTS: Final = [
    "",
    "{",
    "null",
    "[]",
    "1e999",
    "NaN",
    "[" * 20_000,
    '{"kind": "ping", "kind": "pong"}',
    '{"kind": "cut", "place": ' + "9" * 5000 + "}",
    '{"kind": "cut", "place": 1e2}',
    '{"kind": "\\ud800"}',
    '{"kind": ["ping"]}',
    '{"kind": "command", "command": null}',
    '{"kind": "language", "language": "xx"}',
    '{"kind": "language", "language": "../../etc"}',
]
"""Texts that are no message, or one that nobody may give."""


def received(socket: ClientConnection) -> Any:
    """Return the next message, None where the socket was closed for a rule of it."""
    try:
        return json.loads(socket.recv(timeout=20))
    except ConnectionClosed as closed:
        if closed.rcvd is None or closed.rcvd.code != CloseCode.POLICY_VIOLATION:
            raise
        return None


def texts() -> st.SearchStrategy[str]:
    """Return the strategy of messages to a socket: right ones, nearly right ones, other texts."""
    kinds = ("ready", "cut", "marker", "language", "ping")
    right = st.sampled_from([EXAMPLES[kind] for kind in kinds])
    odd = st.builds(
        lambda message, name, value: {**message, name: value},
        right,
        st.sampled_from(["kind", "place", "from_end", "ready", "language", "more"]),
        st.sampled_from(ODD),
    )
    nearly = st.one_of(*map(commands, ALL))
    given = nearly.map(lambda command: {"kind": "command", "command": command})
    return (right | odd | given).map(json.dumps) | st.sampled_from(TEXTS) | st.text(max_size=20)


@pytest.mark.slow
@pytest.mark.parametrize("examples", [40, LONG])
def test_messages_of_any_kind_are_done_or_refused(address: str, examples: int) -> None:
    """Issue 11: after any message a socket still says pong, or was closed for a rule (1008)."""
    seen = Counter[str]()
    table = table_at(address, pace={"cut": None})
    url = f"{address.replace('http', 'ws', 1)}/api/tables/{table}/socket"

    @given(sent=st.lists(texts(), min_size=1, max_size=12), role=st.sampled_from(ALL))
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=examples < NIGHTLY,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    def talk(sent: list[str], role: str) -> None:
        offered = ["trente-rules.1", f"bearer.{token(role)}"]
        with connect(url, subprotocols=offered) as socket:  # type: ignore[arg-type]
            pings = sum(text == PING for text in sent) + 1
            with suppress(ConnectionClosed):  # what it was closed for is read below
                for text in (*sent, PING):
                    socket.send(text)
            while pings:
                message = received(socket)
                if message is None:
                    return
                one("ServerMessage").validate(message)
                seen[message["kind"]] += 1
                pings -= message["kind"] == "pong"

    talk()
    assert {"state", "refused", "done", "pong", "clock"} <= {*seen}
