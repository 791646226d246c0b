"""Shoes played at a page: what a person does at each coup, and what is checked after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.web.expectations import Expectation
from tests.web.seats import Seat

_MOST: Final = 60
SIMPLE: Final = ("rouge", "noir", "couleur", "inverse")


class PlayedShoe:
    """A player who plays to the end of a shoe; after each coup all that is seen is checked."""

    def __init__(self, seat: Seat) -> None:
        """Play at a seat; nothing is done yet."""
        self.seat = seat
        self.expectation = Expectation(seat.observer, seat.name)
        self.coups = 0
        self.chosen: list[str] = []
        self.paid = 0

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
        """Place chips: other chances and amounts at each coup; sometimes repeat, or none."""
        if coup % 7 == 3 and self.seat.page.locator('[data-do="repeat"]').is_enabled():
            self.seat.do("repeat", self.seat.key_for("repeat"))
        elif coup % 7 != 5:
            chances = [each["id"] for each in self.seat.facts["chances"]]
            self.seat.chip(coup)
            for step in range(1 + coup % 3):
                self.seat.place(chances[(coup + step) % len(chances)])

    def deal(self) -> None:
        """Be ready, choose where something is offered, and check all that is seen."""
        before = self.expectation.coups
        self.seat.do("ready", self.seat.key_for("ready"))
        while self.expectation.coups == before:
            self.seat.see('[data-busy="false"]:not([data-waits="nothing"])')
            self.choose()
            view = self.expectation.follow()
        self.seat.shows(self.expectation.index + 1)
        self.expectation.check(self.seat.seen(), view)

    def choose(self) -> None:
        """Choose for each stake that is asked for: each time the next course."""
        dialog = self.seat.page.locator('[data-dialog="choices"]')
        if dialog.is_visible():
            courses = dialog.locator("[data-course]")
            course = courses.nth(len(self.chosen) % courses.count())
            self.chosen.append(str(course.get_attribute("data-course")))
            self.seat.press(course)
