"""Scenes of the table, drawn as SVG: for snapshots, and for the pictures of docs/play.md.

``python -m tests.play.scenes docs/images`` draws the pictures of the page again.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from attrs import frozen
from tests.play.seated import HOUSES, MIDDLE, NARROW, WIDE, go_on, ready, sit
from tests.whole_units import units
from textual.pilot import Pilot

from trente_rules.play.app import TableApp
from trente_rules.play.session import PlaySession, UiStep


@frozen
class Scene:
    """A session, a size, and the keys that are pressed before the picture is taken."""

    session: Callable[[], PlaySession]
    size: tuple[int, int]
    keys: str = ""


def staked(house: str, coups: int, amount: int, *, insure: bool = False) -> PlaySession:
    """Return a session some coups into a taille, a stake on two chances in each of them."""
    session = ready(house)
    chances = session.house.deal.chances
    if insure:
        session.toggle_insurance(chances[1])
    session.choose_chip(units(session.house, amount))
    for coup in range(coups):
        for chance in (chances[coup % 2], chances[-1 - coup % 2]):
            if session.free_on(chance) is None and session.step is UiStep.DEAL:
                session.add(chance)
        session.deal()
        go_on(session)
    for chance in chances[:2]:
        session.add(chance)
    return session


def before_a_refait(then: Callable[[PlaySession], None] = lambda _session: None) -> PlaySession:
    """Return a session with 20 on rouge whose next coup is a refait, or what comes after it."""
    ahead, session = ready("france-2007"), ready("france-2007")
    for each in (ahead, session):
        each.choose_chip(units(each.house, 20))
    while not ahead.offers():
        for each in (ahead, session):
            if each.step is UiStep.SHUFFLE:
                each.shuffle()
                go_on(each)
            if each.free_on("rouge") is None:
                each.add("rouge")
        ahead.deal()
        if not ahead.offers():
            session.deal()
    then(session)
    return session


def imprison(session: PlaySession) -> None:
    """Deal the refait, choose prison, and stake beside the prisoner."""
    session.deal()
    session.choose(session.offers()[0].stake.id, "prison")
    session.add("rouge")


SCENES: Final = {
    "table-80x24": Scene(lambda: staked("italian-program", 9, 100, insure=True), NARROW),
    "table-60x20": Scene(lambda: staked("italian-program", 9, 100), (60, 20)),
    "table-120x40": Scene(lambda: staked("italian-program", 24, 100, insure=True), MIDDLE),
    "table-160x50": Scene(lambda: staked("italian-program", 24, 100, insure=True), WIDE),
    "lesson-80x24": Scene(lambda: staked("france-2007", 20, 50), NARROW, "l"),
    "lesson-120x40": Scene(lambda: staked("france-2007", 20, 50), MIDDLE, "l"),
    "lesson-160x50": Scene(lambda: staked("france-2007", 20, 50), WIDE, "l"),
    "cut-80x24": Scene(lambda: sit("italian-program", 1000), NARROW, "d"),
    "choice-80x24": Scene(before_a_refait, NARROW, "d"),
    "insure-80x24": Scene(lambda: ready("germany-500"), NARROW, "5 r a"),
    "leave-80x24": Scene(lambda: staked("france-2007", 3, 50), NARROW, "q"),
    "rules-80x24": Scene(lambda: ready("france-2007"), NARROW, "g"),
    "prison-80x24": Scene(lambda: before_a_refait(imprison), NARROW),
    "side-bets-80x24": Scene(lambda: staked("venezia-online", 5, 5), NARROW),
    "side-bets-160x50": Scene(lambda: staked("venezia-online", 5, 5), WIDE),
    "review-80x24": Scene(lambda: staked("spain-1979", 9, 100), NARROW, "v left left"),
    "help-80x24": Scene(lambda: ready("france-2007"), NARROW, "question_mark"),
    "refused-80x24": Scene(lambda: ready("campione"), NARROW, "r a down enter"),
}
PICTURES: Final = (
    *("table-80x24", "table-160x50", "lesson-120x40"),
    *("choice-80x24", "insure-80x24", "review-80x24"),
)
"""The scenes shown in docs/play.md."""
_UNIQUE: Final = re.compile(r"terminal-[0-9]+")


def draw(scene: Scene) -> str:
    """Return the picture of a scene: the same text for the same scene."""

    async def run() -> str:
        app = TableApp(scene.session(), houses=HOUSES)
        async with app.run_test(size=scene.size) as pilot:
            await _settle(app, pilot)
            for key in scene.keys.split():
                await pilot.press(key)
                await _settle(app, pilot)
            return app.export_screenshot()

    return _UNIQUE.sub("terminal", asyncio.run(run()))


async def _settle(app: TableApp, pilot: Pilot[None]) -> None:
    await pilot.pause()
    await app.workers.wait_for_complete()
    await pilot.pause()


def main() -> None:
    """Draw the pictures of the page into a folder."""
    for name in PICTURES:
        Path(sys.argv[1], f"play-{name}.svg").write_text(draw(SCENES[name]), "utf-8")


if __name__ == "__main__":
    main()
