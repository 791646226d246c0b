"""A hall in one event loop, and players who look at its tables without a socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from trente_rules.fair import SeededShuffler
from trente_rules.service.feed import Subscriber
from trente_rules.service.hall import Hall
from trente_rules.service.hosted import Hosted
from trente_rules.service.messages import Pace, TableSetup
from trente_rules.service.stores import MemoryStore, Store
from trente_rules.table import Place
from trente_rules.table.views import Viewer

AT_ONCE = Pace()


def setup(house: str = "france-2007", **fields: Any) -> TableSetup:
    """Return a table of a house, named as it."""
    return TableSetup(**{"table": house, "house": house, **fields})


@asynccontextmanager
async def hall(store: Store | None = None, seed: bytes = bytes(16)) -> AsyncIterator[Hall]:
    """Open a hall whose shoes are those of a seed, and stop it at the end."""
    made = Hall(store or MemoryStore(), shuffler=lambda _table: SeededShuffler(seed, test=True))
    await made.open()
    try:
        yield made
    finally:
        await made.stop()


class Onlooker:
    """A reader of a table's feed, who keeps what they were sent."""

    def __init__(self, hosted: Hosted, viewer: Viewer, reader: Subscriber) -> None:
        """Read what a subscriber is sent."""
        self.hosted, self.viewer, self.reader = hosted, viewer, reader
        self.messages: list[dict[str, Any]] = []
        self._stakes = 0

    @classmethod
    async def at(
        cls, hosted: Hosted, viewer: Viewer, language: str = "en", after: int | None = None
    ) -> Onlooker:
        """Look at a table; a player joins it."""
        reader = await hosted.subscribe(viewer, language, after)
        if isinstance(viewer, str):
            await hosted.join(viewer)
        return cls(hosted, viewer, reader)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events so far, in their order."""
        entries = (each["entry"] for each in self.messages if each["kind"] == "entry")
        return [event for entry in entries for event in entry["events"]]

    @property
    def movements(self) -> list[dict[str, Any]]:
        """The movements so far, in their order."""
        entries = (each["entry"] for each in self.messages if each["kind"] == "entry")
        return [movement for entry in entries for movement in entry["movements"]]

    def count(self, kind: str) -> int:
        """Return how many events of a kind there were."""
        return sum(event["kind"] == kind for event in self.events)

    @property
    def clock(self) -> dict[str, Any]:
        """What the table waits for."""
        clocks = [each for each in self.messages if each["kind"] == "clock"]
        return clocks[-1] if clocks else {"waits_for": "nothing"}

    async def until(self, what: Callable[[Onlooker], bool], seconds: float = 20) -> None:
        """Read until something holds."""
        async with asyncio.timeout(seconds):
            while not what(self):
                self.messages += map(json.loads, await self.reader.take())

    async def waits_for(self, what: str) -> None:
        """Read until the table waits for something."""
        await self.until(lambda each: each.clock["waits_for"] == what)

    async def place(self, chance: str, amount: int, **fields: Any) -> None:
        """Place a stake of a player."""
        self._stakes += 1
        stake = f"{self.viewer}-{self._stakes}"
        assert isinstance(self.viewer, str)
        place = Place(
            id=stake, stake=stake, player=self.viewer, chance=chance, amount=amount, **fields
        )
        await self.hosted.do([place])

    def gone(self) -> None:
        """Leave the table."""
        self.hosted.feed.remove(self.reader)
        if isinstance(self.viewer, str):
            self.hosted.leave(self.viewer)
