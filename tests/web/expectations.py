"""Expectations: what a page must show of a table, computed from the events and the view."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tests.web.observer import Observer


class Expectation:
    """What one player must see now: follows the events, as the player sees them."""

    def __init__(self, observer: Observer, player: str) -> None:
        """Follow the events of a table from their beginning."""
        self.observer, self.player = observer, player
        self.index = -1
        self.purse = self.account = self.coups = 0
        self.premiums: dict[str, int] = {}
        self.first: list[str] = []
        self.second: list[str] = []
        self.totals = [0, 0]
        self.over = False
        self.verdicts: Mapping[str, str] = {}
        self.kinds: list[str] = []
        self.shoe_over = False

    def follow(self) -> Mapping[str, Any]:
        """Take what has happened since; return the view of the player."""
        for entry in self.observer.entries(self.player, self.index):
            for event in entry["events"]:
                self._take(event)
            for movement in entry["movements"]:
                bought = movement["reason"] in {"bought-in", "cashed-out"}
                self.purse += -movement["units"] if bought else movement["units"]
                self.account += 0 if bought else movement["units"]
        return self.observer.view(self.player)

    def _take(self, event: Mapping[str, Any]) -> None:
        self.index = max(self.index, event["index"])
        kind = event["kind"]
        self.kinds.append(kind)
        if kind == "card-turned":
            if self.over:  # until then the cards of the coup before lie there
                self._clear()
            self._row(event["row"]).append(event["card"])
            self.totals[event["row"] == "second"] = event["total"]
        elif kind in {"stake-placed", "stake-increased", "stake-insured"}:
            stake = event["stake"]["id"]
            self.premiums[stake] = self.premiums.get(stake, 0) + event["premium"]
        elif kind == "stake-withdrawn":
            self.premiums[event["stake"]["id"]] -= event["premium"]
        elif kind == "stake-settled":
            self.premiums.pop(event["line"]["stake"]["id"], None)
        elif kind == "coup-dealt":
            self.verdicts = dict(event["verdicts"])
        elif kind in {"coup-settled", "coup-voided"}:
            for line in event.get("lines", ()):  # what a void coup gives back, insured or not
                self.premiums.pop(line["stake"]["id"], None)
            self.coups += 1
            self.over = True
        elif kind == "shoe-opened":  # the last coup of the shoe before lies there until the next
            self.over = True
        elif kind == "shoe-ended":
            self.shoe_over = True

    def _clear(self) -> None:
        self.first, self.second, self.verdicts, self.totals = [], [], {}, [0, 0]
        self.over = False

    def _row(self, name: str) -> list[str]:
        return self.first if name == "first" else self.second

    def caught_up(self, seen: Mapping[str, Any]) -> bool:
        """Return whether the page shows all that was followed so far."""
        return int(seen["events"]) == self.index + 1 and seen["busy"] == "false"

    def check(self, seen: Mapping[str, Any], view: Mapping[str, Any]) -> None:
        """Fail where the page shows something else."""
        own: dict[str, int] = defaultdict(int)
        prisoners: dict[str, int] = defaultdict(int)
        for stake in view["stakes"]:
            there = own if stake["state"] == "free" else prisoners
            there[stake["chance"]] += stake["amount"]
        lying = sum(own.values()) + sum(prisoners.values())
        expected = {
            "first": {"cards": self.first, "total": self.totals[0]},
            "second": {"cards": self.second, "total": self.totals[1]},
            "results": self.verdicts,
            "own": dict(own),
            "prisoners": dict(prisoners),
            "purse": self.purse,
            "net": self.account + lying + sum(self.premiums.values()),
            "staked": lying + sum(self.premiums.values()),
            "left": view["left"],
        }
        chances = seen["chances"]
        shown = {
            "first": seen["first"],
            "second": seen["second"],
            "results": {name: each["result"] for name, each in chances.items() if each["result"]},
            "own": {name: each["own"] for name, each in chances.items() if each["own"]},
            "prisoners": {
                name: each["prisoners"] for name, each in chances.items() if each["prisoners"]
            },
            "purse": seen["purse"],
            "net": seen["net"],
            "staked": seen["staked"],
            "left": seen["left"],
        }
        wrong = [
            f"{name}: {shown[name]} is shown, {value} is true"
            for name, value in expected.items()
            if shown[name] != value
        ]
        assert not wrong, f"after coup {self.coups}:\n" + "\n".join(wrong)
        assert (view["account"], view["purse"]) == (self.account, self.purse)
