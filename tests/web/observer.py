"""The observer: a supervisor who reads the true events of a table, past every page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, Final

from tests.served import Served

REFAIT: Final = "K♠ K♥ 10♦ A♠ Q♠ Q♥ J♦ A♥"
"""A coup of 31 to 31: a refait in every house that has one."""
ROUGE: Final = "K♥ K♠ 9♦ 8♠ Q♥ Q♠ 10♣ A♦"
"""A coup of 37 to 31: noir is the first row, rouge wins, and couleur, as the first card is red."""
APRES: Final = "K♥ K♠ 9♦ 6♠ Q♥ Q♠ 10♣ 5♦"
"""A coup of 35 to 35: nothing moves."""


class Observer:
    """A table of the service, as its events have it."""

    def __init__(self, service: Served, table: str, house: str) -> None:
        """Observe a table that is there."""
        self.service, self.table, self.house = service, table, house
        self.token = service.token("observer", "supervisor")
        self._ids = count(1)

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
        command = {"kind": kind, "id": f"observer-{next(self._ids)}", **fields}
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

    # a live shoe, dealt by the observer

    def prepare(self) -> None:
        """Open a live shoe at a table that somebody deals, and the bets of its first coup."""
        shoe = {"id": f"observer-shoe-{next(self._ids)}"}
        self.service.ask("POST", f"{self.path}/shoe", self.token, shoe)
        facts = self.read("/house?language=en")
        steps: dict[str, dict[str, Any]] = {
            "cut": {"by": facts["cut_by"]},
            "burn": {"cards": []},
            "place-marker": {"by": (facts["marker"] or {}).get("placed_by", "")},
            "open-bets": {},
        }
        for kind, fields in steps.items():
            if kind in self.view()["allowed"]:
                self.do(kind, **fields)

    def turn(self, cards: str) -> None:
        """Turn cards one by one."""
        for card in cards.split():
            self.do("turn", card=card)

    def coup(self, cards: str) -> None:
        """Close the bets and deal a coup; it is not settled yet."""
        self.do("close-bets")
        self.turn(cards)

    def settled(self) -> int:
        """Return how many coups are settled or void."""
        return sum(each["kind"] in {"coup-settled", "coup-voided"} for each in self.events())
