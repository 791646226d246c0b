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
        self.purse = self.net = self.coups = self.staked = 0
        self.first: list[str] = []
        self.second: list[str] = []
        self.totals: list[int | None] = [None, None]
        self.verdicts: Mapping[str, str] = {}
        self.kinds: list[str] = []
        self.shoe_over = False

    def follow(self) -> Mapping[str, Any]:
        """Take what has happened since; return the view of the player."""
        for entry in self.observer.entries(self.player, self.index):
            for event in entry["events"]:
                self._take(event)
            for movement in entry["movements"]:
                self.purse += movement["units"]
                if movement["reason"] not in {"buy-in", "cash-out"}:
                    self.net += movement["units"]
        return self.observer.view(self.player)

    def _take(self, event: Mapping[str, Any]) -> None:
        self.index = max(self.index, event["index"])
        kind = event["kind"]
        self.kinds.append(kind)
        if kind == "card-turned":
            if event["row"] == "first" and len(self._row("first")) and self.verdicts:
                self.first, self.second, self.verdicts = [], [], {}
                self.totals = [None, None]
            self._row(event["row"]).append(event["card"])
            self.totals[event["row"] == "second"] = event["total"]
        elif kind == "coup-dealt":
            self.verdicts = dict(event["verdicts"])
        elif kind in {"coup-settled", "coup-voided"}:
            self.coups += 1
        elif kind == "shoe-opened":
            self.shoe_over = False
        elif kind == "shoe-ended":
            self.shoe_over = True

    def _row(self, name: str) -> list[str]:
        return self.first if name == "first" else self.second

    def check(self, seen: Mapping[str, Any], view: Mapping[str, Any]) -> None:
        """Fail where the page shows something else."""
        own: dict[str, int] = defaultdict(int)
        prisoners: dict[str, int] = defaultdict(int)
        for stake in view["stakes"]:
            there = own if stake["state"] == "free" else prisoners
            there[stake["chance"]] += stake["amount"]
        expected = {
            "first": {"cards": self.first, "total": self.totals[0]},
            "second": {"cards": self.second, "total": self.totals[1]},
            "results": self.verdicts,
            "own": dict(own),
            "prisoners": dict(prisoners),
            "purse": view["purse"],
            "net": view["account"],
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
            "left": seen["left"],
        }
        assert shown == expected
        assert view["account"] == self.net
