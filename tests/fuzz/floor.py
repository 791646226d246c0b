"""A service in this process, begun anew for each input, with tables at which something lies."""

from __future__ import annotations

import asyncio
import copy
import json
import mimetypes
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, Final

from tests.service.asgi import ask
from tests.service.fuzzing import NO_LIMITS, TOKENS, UNTIL
from tests.service.hosting import setup

from trente_rules import load_house
from trente_rules.fair import SeededShuffler
from trente_rules.service.application import application
from trente_rules.service.desk import Desk
from trente_rules.service.endpoint_table import ALL
from trente_rules.service.gate import Gate
from trente_rules.service.hall import Hall
from trente_rules.service.messages import Pace, TableSetup
from trente_rules.service.metrics import Metrics
from trente_rules.service.stores import MemoryStore
from trente_rules.service.tokens import Role, Visitor

DEALT: Final = "france-2007"
"""A table that a dealer deals, with coups behind it, bets open and stakes on it."""
PACED: Final = "monte-carlo-1911"
"""A table that the service deals by itself, which waits for a player's cut."""
TABLES: Final = (DEALT, PACED)
NAMES: Final = ("ann", "dora", "sue", "otto")


@cache
def token(role: str) -> str:
    """Return the token of somebody in a role; it outlives every input."""
    visitor = Visitor(NAMES[ALL.index(role)], Role(role), ["*"], UNTIL + 10**7)
    return TOKENS.issue(visitor, time.time())


def bearer(role: str) -> tuple[str, str]:
    """Return the header of somebody in a role."""
    return "Authorization", f"Bearer {token(role)}"


@asynccontextmanager
async def gate(store: MemoryStore, *setups: TableSetup) -> AsyncIterator[Gate]:
    """Open a service, and stop it at the end."""
    hall = Hall(store, shuffler=lambda _table: SeededShuffler(bytes(16), test=True))
    desk = Desk(hall, TOKENS, Metrics(), setups)
    await desk.open()
    try:
        yield Gate(application(desk), TOKENS, limits=NO_LIMITS)
    finally:
        await hall.stop()


@cache
def kept() -> MemoryStore:
    """Return a store with tables of two kinds."""
    mimetypes.init()  # it looks for the tables of this system, once in a process
    return asyncio.run(_made())


async def _made() -> MemoryStore:
    store = MemoryStore()
    setups = setup(DEALT, pace=None), setup(PACED, pace=Pace(cut=None))
    async with gate(store, *setups) as app:
        await _play(app)
        journals = {name: copied(store).open(name) for name in store.tables()}
    store._kept = journals  # the hall closed the store
    return store


async def _play(app: Gate) -> None:
    """Deal some coups at the table of a dealer, and leave bets open."""
    base = f"/api/tables/{DEALT}"

    async def post(path: str, role: str, **body: Any) -> None:
        data = json.dumps(body).encode()
        headers = bearer(role), ("Content-Type", "application/json")
        reply = await ask(app, base + path, *headers, method="POST", body=[data])
        assert reply.status < 300, reply.body

    rule = load_house(DEALT).shoe
    await post("/shoe", "dealer", id="shoe")
    await post("/commands", "dealer", kind="cut", id="cut", by=rule.cut_by, place=3)
    if rule.burn:
        await post("/commands", "dealer", kind="burn", id="burn")
    if rule.marker:
        by = rule.marker.placed_by
        await post("/commands", "dealer", kind="place-marker", id="mark", by=by)
    for coup in range(5):
        await post("/commands", "dealer", kind="open-bets", id=f"open-{coup}")
        stake = {"id": f"s{coup}", "stake": f"s{coup}", "chance": "rouge", "amount": 2000}
        await post("/commands", "player", kind="place", **stake)
        if coup < 4:
            for kind in ("close-bets", "deal", "settle"):
                await post("/commands", "dealer", kind=kind, id=f"{kind}-{coup}")


def copied(store: MemoryStore) -> MemoryStore:
    """Return a store with copies of all journals, so that an input leaves nothing behind."""
    made = MemoryStore()
    for name, (each, journal) in store._kept.items():
        twin: Any = copy.copy(journal)
        twin._rows, twin._places = [*twin._rows], {**twin._places}
        twin._kept = made._kept
        made._kept[name] = each, twin
    return made


def served(act: Callable[[Gate], Coroutine[Any, Any, str]]) -> str:
    """Do something with a service of its own, and return what that returns."""

    async def run() -> str:
        async with gate(copied(kept())) as app:
            return await act(app)

    return asyncio.run(run())
