"""Shoes played at a page: what a person does at each coup, and what is checked after it."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Final

from tests.web.expectations import Expectation
from tests.web.seats import PATIENCE, Seat

_MOST: Final = 60


class PlayedShoe:
    """A player who plays to the end of a shoe; after each coup all that is seen is checked."""

    def __init__(self, seat: Seat, *, steady: bool = False) -> None:
        """Play at a seat; ``steady`` bets as much each time, for a house that limits raises."""
        self.seat, self.steady = seat, steady
        self.expectation = Expectation(seat.observer, seat.name)
        self.coups = 0
        self.chosen: list[str] = []
        self._units = self.insured = 0

    def play(
        self, most: int = _MOST, *, between: Callable[[PlayedShoe], None] | None = None
    ) -> PlayedShoe:
        """Play to the end of the shoe, or so many coups; do something ``between`` two coups."""
        while self.coups < most and not self.expectation.shoe_over:
            self.prepare()
            self.bet(self.coups)
            self.deal()
            self.coups += 1
            if between is not None:
                between(self)
        return self

    def prepare(self) -> None:
        """Cut and place the marker where the house leaves that to the player."""
        self.seat.see('[data-waits]:not([data-waits="nothing"])[data-busy="false"]')
        for what in ("cut", "marker"):
            if self.seat.seen()["waits"] == what:
                self.seat.do(what)
                self.seat.see(
                    f'[data-waits]:not([data-waits="{what}"]):not([data-waits="nothing"])'
                )

    def bet(self, coup: int) -> None:
        """Place chips: other chances and amounts at each coup; now and then repeat, or none."""
        seat, part = self.seat, coup % 8
        if part == 3 and seat.can("repeat"):
            seat.do("repeat")
            return
        if part == 5:
            return
        chances = seat.facts["chances"]
        chance = chances[coup % len(chances)]
        chips = [units for units in seat.facts["chips"] if units >= chance["least"]]
        units = chips[0 if self.steady else coup % min(3, len(chips))]
        if units != self._units:
            seat.take(units)
            self._units = units
        there = seat.seen()["chances"]
        both = seat.facts["both_sides"] or chance["opposite"] != chances[0]["id"]
        first = chances[0] if both else chance
        second = chances[1] if self.steady and chance is first else chance
        for each in dict.fromkeys((first["id"], second["id"])):
            seat.place(each)
            seat.lies(each, there[each]["own"] + units)
        if self.steady:
            return
        if part == 1:
            seat.do("double")
            seat.lies(chance["id"], 2 * (there[chance["id"]]["own"] + units))
        if part == 2:
            seat.do("undo")
        if part == 4:
            price = seat.observer.premium(seat.name, chances[0]["id"])
            if price is not None:
                assert seat.insure(chances[0]["id"]) == price
                self.insured += 1

    def deal(self) -> None:
        """Be ready, choose where something is offered, and check all that is seen."""
        before = self.expectation.coups
        self.seat.do("ready")
        until = monotonic() + 2 * PATIENCE / 1000
        while True:
            self.seat.see('[data-busy="false"]:not([data-waits="nothing"])')
            self.choose()
            view = self.expectation.follow()
            seen = self.seat.seen()
            done = self.expectation.coups > before and seen["waits"] not in {"nothing", "choices"}
            if done and self.expectation.caught_up(seen):
                break
            assert monotonic() < until, f"event {self.expectation.index} is not shown: {seen}"
        self.expectation.check(seen, view)

    def choose(self) -> None:
        """Choose for each stake that is asked for: each time the next course."""
        if self.seat.seen()["waits"] != "choices":
            return
        dialog = self.seat.see('[data-dialog="choices"]')
        courses = dialog.locator("[data-course]")
        wanted = courses.nth(len(self.chosen) % courses.count())
        self.chosen.append(str(wanted.get_attribute("data-course")))
        stake = dialog.locator("[data-stake]").get_attribute("data-stake")
        picked = wanted.locator("input").is_checked()
        if self.seat.way == "keyboard":
            self.seat.page.keyboard.press(str(1 + len(self.chosen[:-1]) % courses.count()))
        else:
            self.seat.press(wanted)
        # The key of a course that is picked already takes it at once.
        if self.seat.way != "keyboard" or not picked:
            self.seat.press(dialog.locator('[data-do="take"]'))
        self.seat.see(f'[data-dialog="choices"] [data-stake="{stake}"]', gone=True)
