"""The interface in every language: whole, and no text longer than its place at 80 x 24."""

from __future__ import annotations

from string import Template

import pytest
from rich.cells import cell_len
from tests.chosen import by_day
from tests.play.scenes import before_a_refait, imprison, staked
from tests.play.seated import play_on_screen, seen, sit
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from trente_rules.core import default_manager
from trente_rules.play.app import TableApp
from trente_rules.play.cloth import ChanceBox
from trente_rules.play.session import PlaySession
from trente_rules.play.widgets import FootBar, TextPart

LANGUAGES = default_manager().names("language")
ENGLISH = default_manager().language("en").sentences
WRAPPED = {"notice": 2, "outcome": 2, "words": 4, "story": 10, "question": 4}
"""Windows whose text is wrapped, and their lines."""


def faults(app: TableApp) -> list[str]:
    """Return the texts on the screen, dialog or table, that are longer than their places."""
    found = []
    for widget in app.screen.query(Static):
        content = widget.shown if isinstance(widget, TextPart) else widget.content
        text = content if isinstance(content, str) else getattr(content, "plain", "")
        if isinstance(content, str) and widget.id is None and "[b]" in content:
            text = Content.from_markup(content).plain
        width, lines = widget.content_size.width, WRAPPED.get(widget.id or "", 1)
        if widget.display and widget.region:
            found += [
                f"{widget!r}, {width} columns: {line}"
                for line in text.split("\n")
                if cell_len(line) > width * lines - (lines - 1) * 12
            ]
    for picks in app.screen.query(OptionList):
        prompts = [picks.get_option_at_index(index).prompt for index in range(picks.option_count)]
        found += [str(each) for each in prompts if cell_len(str(each)) > picks.content_size.width]
    for box in app.screen.query(ChanceBox):
        width, height = box.content_size
        found += [str(line) for line in box.lines(width, height) if line.cell_len > width]
    return found


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_has_the_whole_interface(code: str) -> None:
    """A11: nothing of [play] is borrowed, and each text has the placeholders of the English one."""
    language = default_manager().language(code)
    assert not [key for key in language.borrowed if key.startswith("play.")]
    for key, text in ENGLISH.items():
        if key.startswith("play."):
            known = set(Template(text).get_identifiers())
            assert set(Template(language.sentences[key]).get_identifiers()) == known, key
    keys = [text for key, text in language.sentences.items() if key.startswith("play.keys.")]
    assert max(map(len, keys)) <= 10


def last_coup(session: PlaySession) -> None:
    """Deal a coup with the chances that are won, and insure the next one."""
    imprison(session)
    session.toggle_insurance("rouge")


# Ten seconds of processor time a language: German, whose texts are the longest, at every change.
@pytest.mark.slow
@pytest.mark.parametrize("code", by_day({"de"}, LANGUAGES))
def test_no_text_is_longer_than_its_place(code: str) -> None:
    """The table with a prisoner, its lesson, and every dialog, at 80 x 24."""

    async def press(app: TableApp, pilot: Pilot[None], *keys: str) -> None:
        for key in keys:
            await pilot.press(key)
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert faults(app) == [], f"{code}, after {key}"

    async def at_the_cut(app: TableApp, pilot: Pilot[None]) -> None:
        await press(app, pilot, "v", "h", "escape", "d", "enter", "enter")

    async def at_a_choice(app: TableApp, pilot: Pilot[None]) -> None:
        await press(app, pilot, "d")

    async def at_the_table(app: TableApp, pilot: Pilot[None]) -> None:
        await press(app, pilot, "m", "c", "m", "h", "x", "escape", "w", "escape")
        await press(app, pilot, "v", "left", "escape", "question_mark", "escape", "l", "l", "q")
        await press(app, pilot, "escape", "p", "b", "u", "e", "u", "1", "7", "s", "1", "t")
        foot = seen(app).rsplit("\n", 1)[-1]
        for key in ("next", "turn", "help", "leave"):
            assert app.texts(f"keys.{key}") in foot
        assert len(app.part("foot", FootBar).zones) >= 6

    play_on_screen(sit("italian-program", 1000), at_the_cut, language=code)
    play_on_screen(before_a_refait(), at_a_choice, language=code)
    play_on_screen(before_a_refait(last_coup), at_the_table, language=code)
    play_on_screen(staked("venezia-online", 5, 5), at_the_table, language=code)
    play_on_screen(staked("italian-program", 9, 100, insure=True), at_the_table, language=code)


@pytest.mark.slow
def test_the_interface_is_in_the_language_that_is_given() -> None:
    """By default English; the croupier speaks the language of the house."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("d")
        await pilot.pause()
        shown = seen(app)
        assert "Tagli le carte" in shown
        assert "Messieurs, à la coupe: Signori, al taglio" in shown

    play_on_screen(sit("france-2007"), play, language="it")
    assert TableApp(sit("france-2007")).texts("keys.leave") == "Quit"
