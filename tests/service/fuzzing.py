"""A service in a thread of this process, and tables at which something has been played."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpx
import uvicorn
from tests.service.hosting import setup

from trente_rules import load_house
from trente_rules.fair import SeededShuffler
from trente_rules.service.application import application
from trente_rules.service.desk import Desk
from trente_rules.service.endpoint_table import ALL
from trente_rules.service.gate import Allowance, Gate
from trente_rules.service.hall import Hall
from trente_rules.service.metrics import Metrics
from trente_rules.service.stores import MemoryStore
from trente_rules.service.tokens import Role, Tokens, Visitor

HOUSES: Final = ("france-2007", "monte-carlo-1911")
TOKENS: Final = Tokens(bytes(range(32)))
UNTIL: Final = int(time.time()) + 3600
CLOSED: Final = "to-close"
NAMES: Final = ("ann", "dora", "sue", "otto")
NO_LIMITS: Final = Allowance(by_visitor=None, by_address=None)


def token(role: str) -> str:
    """Return the token of somebody in a role."""
    visitor = Visitor(NAMES[ALL.index(role)], Role(role), ["*"], UNTIL)
    return TOKENS.issue(visitor, time.time())


def bearer(role: str) -> dict[str, str]:
    """Return the header of somebody in a role."""
    return {"Authorization": f"Bearer {token(role)}"}


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


@contextmanager
def served_tables() -> Iterator[str]:
    """Serve tables that dealers deal, with coups of a shoe behind them and one that is on."""
    hall = Hall(MemoryStore(), shuffler=lambda _table: SeededShuffler(bytes(16), test=True))
    setups = (*(setup(house, pace=None) for house in HOUSES), setup(table=CLOSED))
    with running(Desk(hall, TOKENS, Metrics(), setups)) as found:
        for house in HOUSES:
            play(found, house, house)
        yield found


def play(address: str, table: str, house: str) -> None:
    """Deal ten coups at a table, at which ann has a stake, and leave one with its bets open."""
    base = f"{address}/api/tables/{table}"
    with httpx.Client() as client:

        def post(path: str, role: str, **body: Any) -> None:
            response = client.post(base + path, json=body, headers=bearer(role))
            assert response.is_success, response.text

        post("/shoe", "dealer", id="shoe")
        now = client.get(base, headers=bearer("dealer")).json()
        rule = load_house(house).shoe
        by = {"cut": rule.cut_by, "mark": rule.marker.placed_by if rule.marker else ""}
        while (phase := now["view"]["phase"]) != "ready":
            kind = {"cut": "cut", "burn": "burn", "mark": "place-marker"}[phase]
            more = {"by": by[phase]} if phase in by else {}
            post("/commands", "dealer", kind=kind, id=kind, **more)
            now = client.get(base, headers=bearer("dealer")).json()
        least = now["summary"]["opening"]
        for coup in range(10):
            post("/commands", "dealer", kind="open-bets", id=f"open-{coup}")
            stake = {"id": f"s{coup}", "stake": f"s{coup}", "chance": "rouge", "amount": least}
            post("/commands", "player", kind="place", **stake)
            for kind in ("close-bets", "deal", "settle"):
                post("/commands", "dealer", kind=kind, id=f"{kind}-{coup}")
        post("/commands", "dealer", kind="open-bets", id="open-last")
