"""The endpoints: what they give, without a server."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from tests.service.hosting import hall, setup

from trente_rules.core.errors import TrenteError
from trente_rules.service.desk import Desk, check_may_give
from trente_rules.service.endpoints import Visit, events
from trente_rules.service.metrics import Metrics
from trente_rules.service.stores import FolderStore
from trente_rules.service.tokens import Role, Tokens, Visitor
from trente_rules.table import Announce, BuyIn, Cut, EndShoe, PlaceMarker


def test_events_begin_before_the_first_shoe(tmp_path: Path) -> None:
    """After a restart, and shoes later: chips that were bought before a shoe was open are there."""
    ann = Visitor("ann", Role.PLAYER, ["*"], int(time.time()) + 100)

    async def run() -> None:
        async with hall(FolderStore(tmp_path)) as made:
            hosted, _new = await made.create(setup(purses=True, pace=None))
            await hosted.do([BuyIn(id="b", player="ann", amount=100_00)])
            for n in range(5):
                await made.open_shoe(hosted, f"{n}")
                await hosted.do([Cut(id=f"c{n}"), PlaceMarker(id=f"m{n}"), EndShoe(id=f"e{n}")])
            await check(made)
        async with hall(FolderStore(tmp_path)) as again:
            await check(again)

    async def check(made: Any) -> None:
        desk = Desk(made, Tokens(bytes(32)), Metrics())
        after, kinds = -1, []
        while True:
            asked = {"table": "france-2007", "after": after, "limit": 7}
            page = await events(Visit(desk, None, ann, asked))  # type: ignore[arg-type]
            if page.next == after:
                break
            after = page.next
            kinds += [type(each.event).kind for entry in page.entries for each in entry.events]
        assert kinds[0] == "bought-in"
        assert kinds.count("shoe-opened") == 5

    asyncio.run(run())


def test_nobody_gives_a_command_under_the_croupiers_ids() -> None:
    """An id of a command that the croupier is yet to give would stop the table for ever."""
    sue = Visitor("sue", Role.SUPERVISOR, ["*"], 1 << 40)
    with pytest.raises(TrenteError) as refused:
        check_may_give(sue, Announce(id="croupier-12", phrase="ajouter_a_la_banque"))
    assert refused.value.code == "forbidden"
    check_may_give(sue, Announce(id="12", phrase="ajouter_a_la_banque"))
