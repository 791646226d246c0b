"""Sitting at a table: sessions of a seed, and the app driven by its pilot."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Final

from tests.whole_units import units
from textual.app import App
from textual.pilot import Pilot

from trente_rules import House, load_house
from trente_rules.fair.entropy import SeededShuffler
from trente_rules.play.app import TableApp
from trente_rules.play.session import PlaySession, UiStep
from trente_rules.testing import opening_of

NARROW: Final = (80, 24)
MIDDLE: Final = (120, 40)
WIDE: Final = (160, 50)
SEED: Final = "5e" * 16
Play = Callable[[TableApp, Pilot[None]], Awaitable[None]]


HOUSES: Final = ("france-2007", "monte-carlo-1911", "hoyle-19c")
"""The houses that a player may change to."""


def sit(house: str | House, bankroll: int = 100_000, seed: str = SEED) -> PlaySession:
    """Return a session at a house's table, shuffled by a seed; the bankroll is in its currency."""
    known = load_house(house) if isinstance(house, str) else house
    return PlaySession.begin(
        known, opening_of(known), units(known, bankroll), SeededShuffler(seed, test=True)
    )


def ready(house: str | House, seed: str = SEED) -> PlaySession:
    """Return a session whose bets are open for the first time."""
    session = sit(house, seed=seed)
    session.shuffle()
    go_on(session)
    return session


def step_of(session: PlaySession) -> UiStep:
    """Return what the next key does: a call, as type checkers take a property for settled."""
    return session.step


def go_on(session: PlaySession) -> None:
    """Cut in the middle, put the marker where it may be nearest, take the first course offered."""
    while True:
        marker = session.house.shoe.marker
        if session.step is UiStep.CUT:
            session.cut(min(156, 52 * session.house.shoe.packs))
        elif session.step is UiStep.MARKER and marker:
            session.place_marker(marker.bounds[0])
        elif session.step is UiStep.CHOOSE:
            offer = session.offers()[0]
            session.choose(offer.stake.id, offer.courses[0])
        else:
            return


def play_on_screen(
    session: PlaySession, play: Play, size: tuple[int, int] = NARROW, language: str = "en"
) -> TableApp:
    """Run the app with a session, and let a test play."""

    async def run() -> TableApp:
        app = TableApp(session, language=language, houses=HOUSES)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await play(app, pilot)
        return app

    return asyncio.run(run())


async def drawn(pilot: Pilot[None], shows: Callable[[], bool]) -> None:
    """Wait until the screen shows something; fail where it does not in a hundred pauses."""
    for _pause in range(100):
        await pilot.pause()
        if shows():
            return
    assert shows(), seen(pilot.app)


def seen(app: App[None]) -> str:
    """Return what stands on the screen, line by line, as the terminal shows it."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def seen_in(app: App[None], name: str) -> str:
    """Return what stands in one window of the table, its lines put together."""
    region = app.screen_stack[0].query_one(f"#{name}").region
    lines = seen(app).split("\n")[region.y : region.bottom]
    cut = (line[region.x : region.right].strip() for line in lines)
    return re.sub(r"[\s·]+", " ", " ".join(cut))
