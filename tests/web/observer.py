"""The observer: a supervisor who reads the true events of a table, past every page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.served import Served

OPENING = {"minimum": 1000}


class Observer:
    """A table of the service, as its events have it."""

    def __init__(self, service: Served, table: str, house: str) -> None:
        """Observe a table that is there."""
        self.service, self.table, self.house = service, table, house
        self.token = service.token("observer", "supervisor")

    @classmethod
    def create(cls, service: Served, table: str, house: str, **setup: Any) -> Observer:
        """Create a table and observe it."""
        made = cls(service, table, house)
        service.ask("POST", "/api/tables", made.token, {"table": table, "house": house, **setup})
        return made

    @property
    def path(self) -> str:
        """The path of the table."""
        return f"/api/tables/{self.table}"

    def read(self, what: str = "", *, player: str = "") -> Any:
        """Return what the service answers to a question about the table."""
        token = self.service.token(player) if player else self.token
        return self.service.ask("GET", f"{self.path}{what}", token)

    def do(self, kind: str, *, token: str = "", **fields: Any) -> Any:
        """Give a command; by default as the supervisor."""
        command = {"kind": kind, **fields}
        return self.service.ask("POST", f"{self.path}/commands", token or self.token, command)

    def premium(self, player: str, chance: str) -> int | None:
        """Return what insuring the stake of a player on a chance costs now; None: it cannot be."""
        stakes = self.view(player)["stakes"]
        stake = next((each["id"] for each in stakes if each["chance"] == chance), "")
        command = {"kind": "insure", "id": "asked", "stake": stake, "player": player}
        path = f"{self.path}/preview"
        asked = self.service.answer("POST", path, self.service.token(player), command)
        if not asked.is_success:
            return None
        events = asked.json()["events"]
        return next(int(each["premium"]) for each in events if each["kind"] == "stake-insured")

    def view(self, player: str = "") -> Mapping[str, Any]:
        """Return the view of the table: the dealer's, or that of a player."""
        found: Mapping[str, Any] = self.read(player=player)["view"]
        return found

    def entries(self, player: str = "", after: int = -1) -> list[Mapping[str, Any]]:
        """Return the entries that the supervisor, or a player, sees after an index."""
        found: list[Mapping[str, Any]] = []
        while True:
            page = self.read(f"/events?after={after}&limit=500", player=player)
            found += page["entries"]
            if not page["entries"] or page["next"] == after:
                return found
            after = page["next"]

    def events(self, player: str = "", after: int = -1) -> Iterator[Mapping[str, Any]]:
        """Yield the events that the supervisor, or a player, sees after an index."""
        for entry in self.entries(player, after):
            yield from entry["events"]

    def settled(self) -> int:
        """Return how many coups are settled or void."""
        return sum(each["kind"] in {"coup-settled", "coup-voided"} for each in self.events())
