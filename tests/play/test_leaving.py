"""Leaving and starting over: a question where a shoe would be lost, three answers of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.play.seated import play_on_screen, ready, seen, sit
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from trente_rules.play.app import TableApp, save_session
from trente_rules.play.dialogs import AskScreen, NameFileScreen
from trente_rules.play.saving import SaveFile
from trente_rules.play.session import UiStep

pytestmark = pytest.mark.slow


def answers(app: TableApp) -> list[str]:
    """Return the texts of the answers on the screen."""
    picks = app.screen.query_one(OptionList)
    return [str(picks.get_option_at_index(at).prompt) for at in range(picks.option_count)]


@pytest.mark.parametrize("key", ["q", "x"])
def test_three_answers_mean_three_things(key: str) -> None:
    """U18: stay, save first, do it; the first one is picked, and escape is the same."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        before = app.session.state
        for leaves in ("enter", "escape"):
            await pilot.press("r", key)
            await pilot.pause()
            assert isinstance(app.screen, AskScreen)
            assert len(set(answers(app))) == len(answers(app)) == 3
            assert "at stake 1" in seen(app)
            await pilot.press(leaves)
            await pilot.pause()
            assert len(app.screen_stack) == 1
            await pilot.press("e")
        assert app.is_running
        assert app.session.state.phase == before.phase

    play_on_screen(ready("france-2007"), play)


def test_the_session_is_saved_in_a_file_before_it_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U18: the second answer asks for a name, writes the session with its bets, and leaves."""
    monkeypatch.chdir(tmp_path)
    Path("taken.json").write_text("something else", "utf-8")

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("5", "r", "q", "down", "enter")
        await pilot.pause()
        assert isinstance(app.screen, NameFileScreen)
        app.screen.query_one(Input).value = "taken.json"
        await pilot.press("enter")
        await pilot.pause()
        assert "is there already" in seen(app)
        await pilot.press("q", "down", "enter")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()

    app = play_on_screen(ready("france-2007"), play)
    assert app.return_code == 0
    assert app.saved_in == "france-2007-session.json"
    assert Path("taken.json").read_text("utf-8") == "something else"
    with SaveFile(app.saved_in) as file:
        session = file.read()
    assert session
    assert [(stake.chance, stake.amount) for stake in session.state.stakes] == [("rouge", 500)]


def test_the_last_answer_leaves_and_starts_over() -> None:
    """U18: x and the last answer give a new table; q and the last answer end the app."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("r", "d", "x", "end", "enter")
        await pilot.pause()
        await pilot.pause()
        assert app.session.step is UiStep.SHUFFLE
        assert app.session.purse == app.session.bankroll
        await pilot.press("d", "enter", "enter")
        await pilot.pause()
        await pilot.press("q", "end", "enter")
        await pilot.pause()

    app = play_on_screen(ready("france-2007"), play)
    assert app.return_code == 0
    assert app.saved_in == ""


def test_nothing_is_asked_where_nothing_would_be_lost(tmp_path: Path) -> None:
    """U18: before the first shoe, and where a file holds the session; ctrl+c never asks."""

    async def leave(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("q")
        await pilot.pause()
        assert len(app.screen_stack) == 1

    assert play_on_screen(sit("france-2007"), leave).return_code == 0
    kept = ready("france-2007")
    with SaveFile(tmp_path / "kept.json") as file:
        kept.keeper = file.write
        assert play_on_screen(kept, leave).return_code == 0

    async def at_once(_app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("r", "ctrl+c")
        await pilot.pause()

    assert play_on_screen(ready("france-2007"), at_once).return_code == 0


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    """The file that is named in the question has the mode of every saved session."""
    path = tmp_path / "new.json"
    save_session(ready("france-2007"), str(path))
    assert path.stat().st_mode & 0o777 == 0o600
