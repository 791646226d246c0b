"""By the mouse alone: what the dialogs ask, and prisoners that are moved."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.play.seated import go_on, play_on_screen, ready, seen, sit
from textual.pilot import Pilot
from textual.widgets import OptionList

from trente_rules.play.app import TableApp
from trente_rules.play.cloth import TAKE, ChanceBox
from trente_rules.play.dialogs import AskScreen, RulesScreen
from trente_rules.play.session import PlaySession, UiStep
from trente_rules.play.widgets import FootBar, NextBar


def _files(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


@pytest.mark.slow
def test_the_mouse_alone_leaves_every_dialog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record is saved, another house and a new table are left alone, by clicks."""
    monkeypatch.chdir(tmp_path)

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.click(NextBar)
        await pilot.pause()
        for action, place in (("record", ".presses Press:last-of-type"), ("reset", OptionList)):
            await app.run_action(action)
            await pilot.pause()
            await pilot.click(place, offset=(2, 0))
            await pilot.pause()
            assert len(app.screen_stack) == 1
        assert not _files(tmp_path)
        await app.run_action("record")
        await pilot.pause()
        await pilot.click(".presses Press:first-of-type")
        await pilot.pause()
        assert _files(tmp_path) == ["france-2007-taille-1.toml"]
        assert app.session.state.coup_number == 2

    play_on_screen(ready("france-2007"), play)

    async def stay(app: TableApp, pilot: Pilot[None]) -> None:
        await app.run_action("house")
        await pilot.pause()
        assert isinstance(app.screen, AskScreen)
        await pilot.click(".presses Press")
        await pilot.pause()
        assert app.session.house.name == "france-2007"
        assert len(app.screen_stack) == 1

    play_on_screen(sit("france-2007"), stay)


def in_prison(house: str) -> PlaySession:
    """Return a session with a prisoner on rouge whose bets are open."""
    session = ready(house)
    while not any(not stake.free for stake in session.stakes_on("rouge")):
        if session.step is UiStep.SHUFFLE:
            session.shuffle()
            go_on(session)
        if session.free_on("rouge") is None:
            session.add("rouge")
        session.deal()
        for offer in session.offers():
            session.choose(offer.stake.id, "prison")
    return session


@pytest.mark.slow
def test_a_prisoner_is_moved_by_a_click_where_the_house_allows_it() -> None:
    """A click on the prisoner asks where to; a click beside it adds a chip as everywhere."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        rouge = app.query(ChanceBox).first()
        assert "prison 1 [m]" in seen(app)
        await pilot.click(rouge, offset=(4, 1))
        await pilot.pause()
        assert f"1{TAKE}" in seen(app)
        await pilot.click(rouge, offset=(4, 2))
        await pilot.pause()
        assert "Move a prisoner" in seen(app)
        await pilot.press("enter")
        await pilot.pause()
        assert [stake.free for stake in app.session.stakes_on("noir")] == [False]

    play_on_screen(in_prison("campione"), play)


@pytest.mark.slow
def test_where_prisoners_stay_nothing_is_asked() -> None:
    """In a house whose prisoners do not move m says so, and a click on one adds a chip."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        assert "in prison 1" in seen(app)
        assert "[m]" not in seen(app)
        app.query(ChanceBox).first().focus()
        await pilot.press("m")
        await pilot.pause()
        assert "! no prisoner can be moved here now" in seen(app)
        await pilot.click(app.query(ChanceBox).first(), offset=(4, 2))
        await pilot.pause()
        assert app.session.free_on("rouge")

    play_on_screen(in_prison("france-2007"), play)


@pytest.mark.slow
def test_the_keys_at_the_foot_are_clicked() -> None:
    """U23: each word at the foot does what its key does: repeat, undo, insurance off, the rules."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        async def click(action: str) -> None:
            foot = app.query_one(FootBar)
            zone = next(zone for zone in foot.zones if zone.action == action)
            await pilot.click(foot, offset=(zone.start + 1, 0))
            await pilot.pause()

        session = app.session
        await pilot.click(app.boxes()[0], offset=(4, 1))
        await click("double")
        assert session.at_stake == 2 * session.chip
        await click("undo")
        assert session.at_stake == session.chip
        await click("clear")
        assert session.at_stake == 0
        await click("insure")
        await click("uninsure")
        assert not session.insure
        await click("rules")
        assert isinstance(app.screen, RulesScreen)

    play_on_screen(ready("italian-program"), play, (160, 50))
