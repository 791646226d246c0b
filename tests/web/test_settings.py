"""Languages, themes, pace, voice: what a person sets, and that it stays."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import pytest
from tests.chosen import by_day
from tests.web.observer import REFAIT, ROUGE, Observer
from tests.web.seats import PHONE, Seat

from trente_rules.core import default_manager

pytestmark = pytest.mark.slow
LANGUAGES: Final = default_manager().names("language")
KEY: Final = re.compile(
    r"\b(?:web\.)?[a-z_]+\.[a-z_]+(?:\.[a-z_]+)*\b|\$[a-z_]+|\bundefined\b|\bNaN\b"
)
"""What a text that is missing looks like: its key; and a value that was not filled in."""
PANELS: Final = ("history", "card", "statistics", "odds", "rules", "settings", "help")


def untranslated(seat: Seat) -> list[str]:
    """Return what looks like a key, in texts and in names for a screen reader."""
    told = seat.page.evaluate("""() => {
      const names = [...document.querySelectorAll("[aria-label], [title], [placeholder]")].flatMap(
        (each) => ["aria-label", "title", "placeholder"].map((name) => each.getAttribute(name)));
      return [document.body.innerText, document.title, ...names].filter(Boolean).join("\\n");
    }""")
    return KEY.findall(told)


@pytest.mark.parametrize("language", by_day({"de"}, LANGUAGES))
def test_every_text_is_in_the_language(
    observed: Callable[..., Observer], sits: Callable[..., Seat], language: str
) -> None:
    """Five languages for everything: no key is seen, ``lang`` is right; it stays after a reload."""
    observer = observed(pace=None, live=True, purses=True, advance=1_000_000)
    observer.prepare()
    seat = sits(observer)
    seat.panel("settings")
    seat.page.locator('[data-setting="language"]').select_option(language)
    seat.see(f'html[lang="{language}"]')
    seat.page.reload()
    seat.see(f'html[lang="{language}"]')
    seat.take(10_000)
    for chance in ("rouge", "inverse"):
        seat.place(chance)
        seat.lies(chance, 10_000)
    assert not untranslated(seat)
    observer.coup(REFAIT)
    seat.see('[data-dialog="choices"]')
    assert not untranslated(seat)
    for _ in range(2):
        seat.press('[data-dialog="choices"] [data-do="take"]')
    seat.see('[data-dialog="choices"]', gone=True)
    observer.do("settle")
    observer.do("open-bets")
    observer.coup(ROUGE)
    observer.do("settle")
    seat.up_to_date()
    for panel in PANELS:
        seat.panel(panel)
        assert not untranslated(seat), panel
    assert seat.page.locator("html").get_attribute("lang") == language


def test_a_language_is_changed_without_a_reload(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """The buttons, the announcements' second line, the panels: at once."""
    observer = observed(pace={"bets": None})
    seat = sits(observer, way="touch")
    english = seat.text('[data-open="settings"]')
    seat.panel("settings")
    seat.page.locator('[data-setting="language"]').select_option("de")
    seat.see('html[lang="de"]')
    seat.shut()
    assert seat.text('[data-open="settings"]') != english
    assert not untranslated(seat)


def test_a_stake_is_dragged_once_whatever_language_was_chosen_before(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """A dragged stake lies in its new field, as large as before: also in a later language."""
    observer = observed(pace={"bets": None}, purses=True, advance=1_000_000)
    seat = sits(observer)
    seat.see('[data-waits="cut"]')
    seat.do("cut")
    seat.see('[data-waits="bets"][data-busy="false"]')
    seat.take(10_000)
    seat.place("rouge")
    seat.lies("rouge", 10_000)
    seat.panel("settings")
    for language in ("de", "fr"):
        seat.page.locator('[data-setting="language"]').select_option(language)
        seat.see(f'html[lang="{language}"]')
    for here, there in (("rouge", "noir"), ("noir", "couleur")):
        field = '[data-chance="{}"]'
        seat.page.drag_and_drop(field.format(here), field.format(there))
        seat.lies(here, 0)
        seat.up_to_date()
        seat.lies(there, 10_000)
    assert seat.seen()["staked"] == 10_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_is_too_wide_for_a_phone(
    observed: Callable[..., Observer], sits: Callable[..., Seat], language: str
) -> None:
    """Words are longer in German: at 390 px the page is not wider than that."""
    observer = observed(pace={"bets": None})
    seat = sits(observer, way="touch", settings={"language": language})
    seat.see('[data-do="cut"]')
    seat.do("cut")
    seat.see('[data-waits="bets"][data-busy="false"]')
    assert seat.page.evaluate("innerWidth") == PHONE[0]  # a wider page is zoomed out


@pytest.mark.parametrize("way", ["mouse", "touch"])
def test_light_and_dark(
    observed: Callable[..., Observer], sits: Callable[..., Seat], way: str
) -> None:
    """As the system has it, until a person says otherwise."""
    seat = sits(observed(pace={"bets": None}), way=way, color_scheme="dark")
    seat.see('html[data-theme="dark"]')
    seat.panel("settings")
    seat.page.locator('[data-setting="theme"]').select_option("light")
    seat.see('html[data-theme="light"]')
    seat.page.reload()
    seat.see('html[data-theme="light"]')


def test_a_slower_pace_shows_card_after_card(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """A coup that is dealt at once is shown card by card; a press shows all of it."""
    observer = observed(pace={"bets": None})
    seat = sits(observer, reduced_motion="no-preference", settings={"pace": "slow"})
    seat.see('[data-waits="cut"]')
    seat.do("cut")
    seat.see('[data-waits="bets"][data-busy="false"]')
    seat.do("ready")
    seat.see('[data-busy="true"] [data-row="first"] [data-card]')
    assert len(seat.seen()["first"]["cards"]) <= 2
    seat.do("ready")  # show all
    seen = seat.up_to_date()
    assert seen["first"]["total"] >= 31
    assert seen["second"]["total"] >= 31


@pytest.mark.parametrize("voice", [False, True])
def test_speech_that_is_absent_breaks_nothing(
    observed: Callable[..., Observer], sits: Callable[..., Seat], *, voice: bool
) -> None:
    """The croupier's words are optional: a browser without them plays as any other."""
    observer = observed(pace=None, live=True)
    observer.prepare()
    seat = sits(
        observer,
        settings={"voice": voice},
        script="delete window.speechSynthesis; delete window.SpeechSynthesisUtterance;",
    )
    seat.take(1000)
    seat.place("rouge")
    seat.lies("rouge", 1000)
    observer.coup(ROUGE)
    observer.do("settle")
    assert seat.up_to_date()["net"] == 1000
    seat.panel("settings")


def test_a_phone_needs_no_scrolling_sideways(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """U10: 390 px, and 320 px as WCAG 1.4.10 has it: nothing lies outside; targets are large."""
    observer = observed(pace=None, live=True)
    observer.prepare()
    for width in (PHONE[0], 320):
        seat = sits(observer, f"alice{width}", way="touch", size=(width, PHONE[1]))
        seat.see('[data-chip][aria-pressed="true"]')
        wide = seat.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width
        for each in seat.page.locator("button[data-chance], [data-do]:visible").all():
            box = each.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert min(box["width"], box["height"]) >= 24
