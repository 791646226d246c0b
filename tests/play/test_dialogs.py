"""Every dialog is left once, however fast keys follow one another; none ends the game."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from tests.play.scenes import before_a_refait
from tests.play.seated import drawn, play_on_screen, ready, sit
from tests.play.test_mouse import in_prison
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from trente_rules.play.app import TableApp
from trente_rules.play.dialogs import Dialog, Menu
from trente_rules.play.session import PlaySession
from trente_rules.table.events import CutMade

pytestmark = pytest.mark.slow

Begin = Callable[[], PlaySession]
DIALOGS: Final[dict[str, tuple[Begin, str]]] = {
    "cut": (lambda: sit("france-2007"), "d"),
    "choice": (before_a_refait, "d"),
    "review": (lambda: dealt("france-2007"), "v"),
    "record": (lambda: ready("france-2007"), "w"),
    "help": (lambda: ready("france-2007"), "question_mark"),
    "rules": (lambda: ready("france-2007"), "g"),
    "house": (lambda: sit("france-2007"), "h"),
    "reset": (lambda: ready("france-2007"), "x"),
    "leave": (lambda: ready("france-2007"), "q"),
    "move": (lambda: in_prison("campione"), "m"),
    "insure": (lambda: ready("germany-500"), "a"),
}
"""A session, and the key that opens each dialog."""


def dealt(house: str) -> PlaySession:
    """Return a session with a coup behind it."""
    session = ready(house)
    session.deal()
    return session


@pytest.mark.parametrize("key", ["enter", "escape", "q"])
@pytest.mark.parametrize("name", DIALOGS)
def test_a_second_key_in_a_dialog_is_no_crash(
    name: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U: both keys are there before the dialog has seen the first; the app runs on."""
    monkeypatch.chdir(tmp_path)
    begin, opens = DIALOGS[name]

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        if name == "move":
            app.boxes()[0].focus()
        await pilot.press(opens)
        await pilot.pause()
        dialog = app.screen
        assert isinstance(dialog, Dialog)
        for _press in range(3):
            (dialog.focused or dialog).post_message(events.Key(key, None))
        await pilot.pause()
        await pilot.press(key, key)
        await pilot.pause()
        assert app.is_running
        assert app._exception is None

    app = play_on_screen(begin(), play)
    assert app.return_code in (0, None)


def test_a_dialog_that_is_left_takes_no_action() -> None:
    """The actions of a place, of a review and of a question do nothing once it is left."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("d")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, Dialog)
        screen.dismiss(100)
        assert screen.dismiss(7) is not None
        assert screen.check_action("move", (1,)) is False
        await pilot.pause()
        assert [event.place for event in app.session.events if isinstance(event, CutMade)] == [100]

    play_on_screen(sit("france-2007"), play)


@pytest.mark.parametrize(
    ("keys", "times"),
    [("enter", 2), ("enter enter", 2), ("enter enter enter", 2), ("left enter", 1)],
)
def test_a_second_key_in_the_menu_is_no_crash(keys: str, times: int) -> None:
    """U: of several keys that are there at once the menu takes one; a command is done once."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        app.session.add("rouge")
        stake = app.session.at_stake
        await pilot.press("ctrl+p")
        await drawn(pilot, lambda: isinstance(app.screen, Menu))
        menu = app.screen
        await pilot.press(*"double")
        await pilot.pause(0.5)
        await pilot.press("down")
        for key in keys.split():
            if key == "enter":
                await menu.query_one(Input).action_submit()
            else:
                menu.dismiss()
        await pilot.pause(0.3)
        assert app._exception is None
        assert len(app.screen_stack) == 1
        assert app.session.at_stake == times * stake

    app = play_on_screen(ready("france-2007"), play)
    assert app.return_code in (0, None)


@pytest.mark.parametrize("name", ["cut", "review", "help", "insure"])
def test_a_second_enter_is_no_bet(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """U: the Enter behind the one that leaves a dialog lays no chip on the chance in focus."""
    begin, opens = DIALOGS[name]
    now = [0.0]
    monkeypatch.setattr("trente_rules.play.app.monotonic", lambda: now[0])

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        app.boxes()[0].focus()
        await pilot.press(opens)
        await drawn(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("enter", "enter")
        await drawn(pilot, lambda: not isinstance(app.screen, Dialog))
        await pilot.press("enter")
        assert app.session.at_stake == 0
        app.boxes()[0].focus()
        now[0] = 1.0
        await pilot.press("enter")
        assert app.session.at_stake == app.session.chip

    play_on_screen(begin(), play)
