"""What can be read in the app: the rules in five languages, the menu, colours, names of bets."""

from __future__ import annotations

import pytest
from tests.chosen import by_day
from tests.play.seated import drawn, play_on_screen, ready, seen, seen_in, sit
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import Markdown

from trente_rules import load_house
from trente_rules.core import default_manager
from trente_rules.play.app import TableApp
from trente_rules.play.dialogs import RulesScreen
from trente_rules.play.views import Texts, chances_of, key_of
from trente_rules.play.windows import CLOTH, FELT, FOOT
from trente_rules.reports.rulebook import rulebook

pytestmark = pytest.mark.slow
LANGUAGES = default_manager().names("language")


@pytest.mark.parametrize("code", by_day({"fr", "de"}, LANGUAGES))
def test_the_rules_are_in_the_app(code: str) -> None:
    """U22: the rulebook of the house, in the language of the interface, to its last section."""
    report = rulebook(load_house("campione"), code)

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("g")
        wanted = "".join(report.title.split())
        await drawn(pilot, lambda: wanted in "".join(seen(app).split()))
        assert isinstance(app.screen, RulesScreen)
        text = app.screen.query_one(Markdown).source
        for part in report.parts:
            title = getattr(part, "title", "")
            assert title in text
        before = seen(app)
        await pilot.press("pagedown")
        await pilot.pause()
        assert seen(app) != before
        await pilot.press("escape")
        await pilot.pause()
        assert len(app.screen_stack) == 1

    play_on_screen(sit("campione"), play, language=code)


def test_the_rules_are_read_in_every_language() -> None:
    """U22: the arrows go through the languages and come back."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("f1")
        await pilot.pause()
        titles = set()
        for _language in LANGUAGES:
            titles.add(app.screen.query_one(Markdown).source.split("\n")[0])
            await pilot.press("right")
            await pilot.pause()
        assert len(titles) == len(LANGUAGES)
        assert app.screen.query_one(Markdown).source.split("\n")[0] in titles

    play_on_screen(sit("france-2007"), play)


@pytest.mark.parametrize("code", by_day({"it", "de"}, LANGUAGES))
def test_the_menu_lists_what_can_be_done(code: str) -> None:
    """U22, U23: the palette has every action of the foot in the language, and does it."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+p")
        await pilot.pause()
        assert CommandPalette.is_open(app)  # type: ignore[arg-type]
        texts = app.texts
        titles = [command.title for command in app.get_system_commands(app.screen)]
        for action in ("rules", "lesson", "help", "leave", "insure"):
            assert f"{texts(f'keys.{action}')} ({FOOT[action]})" in titles
        assert texts("menu.theme") in titles
        await pilot.press(*texts("keys.rules")[:4].lower())
        await pilot.pause(0.5)
        await pilot.press("enter")
        await drawn(pilot, lambda: isinstance(app.screen, RulesScreen))

    play_on_screen(ready("france-2007"), play, language=code)


def test_the_colours_can_be_changed() -> None:
    """U22, U23: all dark themes are there; the colours of the cloth stay; the default is felt."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        assert app.theme == FELT.name
        names = set(app.available_themes)
        assert {"felt", "nord", "gruvbox", "dracula"} <= names
        assert all(theme.dark for theme in app.available_themes.values())
        rouge = app.boxes()[0]
        before = rouge.styles.background
        head = app.query_one("#head").styles.background
        app.theme = "nord"
        await pilot.pause()
        assert rouge.styles.background == before
        assert app.query_one("#head").styles.background != head
        assert CLOTH["rouge-cloth"] == before.hex.lower()

    play_on_screen(ready("france-2007"), play)


@pytest.mark.parametrize("code", LANGUAGES)
def test_side_bets_have_names_and_keys(code: str) -> None:
    """U21: no raw id; s and a letter add a chip, S and the letter take it off."""
    texts = Texts(default_manager().language(code))

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        session = app.session
        views = [view for view in chances_of(session, texts) if not view.simple]
        assert [view.key for view in views] == [f"s{letter}" for letter in "abcdefghijk"]
        assert "exact-apres" not in seen(app)
        for view in views:
            assert view.name in seen(app)
        await pilot.press("r", "s")
        await pilot.pause()
        # A window's lines are put together with plain blanks: French has narrow ones.
        assert " ".join(texts("side.which").split()) in seen_in(app, "notice")
        await pilot.press("b", "s", "b", "s", "c", "S", "c")
        unit = session.chip
        assert dict(session.free_stakes) == {"rouge": unit, "exact-apres-31": 2 * unit}
        await pilot.press("s", "z")
        await pilot.pause()
        assert "sz" in seen_in(app, "notice")

    play_on_screen(ready("venezia-online"), play, language=code)


def test_a_chance_without_a_key_has_none() -> None:
    """U21: the simple chances have their letters, in every house."""
    house = load_house("venezia-online")
    assert [key_of(house, chance) for chance in house.deal.chances] == list("rnci")
    assert key_of(house, "no-such") == ""
