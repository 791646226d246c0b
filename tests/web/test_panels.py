"""What lies beside the table: coups and their replay, score card, figures, odds, rules, help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.web.observer import APRES, REFAIT, ROUGE, Observer
from tests.web.seats import Seat

pytestmark = pytest.mark.slow


@pytest.fixture
def played(observed: Callable[..., Observer], sits: Callable[..., Seat]) -> Seat:
    """Return the seat of a player after three coups: won, après, refait."""
    observer = observed(pace=None, live=True, purses=True, advance=1_000_000)
    observer.prepare()
    seat = sits(observer)
    seat.take(10_000)
    for cards in (ROUGE, APRES, REFAIT):
        if not seat.seen()["chances"]["rouge"]["own"]:
            seat.place("rouge")
            seat.lies("rouge", 10_000)
        observer.coup(cards)
        if cards == REFAIT:
            seat.press('[data-dialog="choices"] [data-course="partage"]')
            seat.press('[data-dialog="choices"] [data-do="take"]')
            seat.see('[data-dialog="choices"]', gone=True)
        observer.do("settle")
        observer.do("open-bets")
        seat.up_to_date()
    return seat


def test_the_coups_of_the_session_and_their_replay(played: Seat) -> None:
    """Every coup with its cards, in order; a replay ends with the rows and the net it had."""
    panel = played.panel("history")
    items = panel.locator("li[data-coup]")
    items.nth(2).wait_for()
    assert [each.get_attribute("data-coup") for each in items.all()] == ["3", "2", "1"]
    first: dict[str, Any] = played.observer.read("/history?coups=5", player=played.name)[0]
    assert first["first"]["cards"] + first["second"]["cards"] == ROUGE.split()
    oldest = panel.locator('li[data-coup="1"]')
    assert "+100" in oldest.inner_text()
    played.press(oldest.locator('[data-do="replay"]'))
    dialog = played.see("dialog[open]")
    played.accessible("a replay")
    meter = dialog.locator("input[type=range]")
    meter.press("End")
    row = dialog.locator('[data-row="rouge"] [data-card]')
    assert [each.get_attribute("data-card") for each in row.all()] == ROUGE.split()[4:]
    assert "31" in dialog.locator('[data-row="rouge"]').inner_text()
    played.page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")


def test_the_score_card_is_kept_as_players_keep_it(played: Seat) -> None:
    """A mark for each coup, après and refait named."""
    panel = played.panel("card")
    rows = panel.locator("tr[data-coup]")
    assert rows.count() == 3
    assert "37 31" in rows.nth(0).inner_text()
    assert [each.get_attribute("data-tie") or "" for each in rows.all()] == ["", "apres", "refait"]


def test_the_figures_are_those_of_the_service(played: Seat) -> None:
    """U21: coups won and lost, not stakes; the net; and the same as a table for the chart."""
    panel = played.panel("statistics")
    own = played.observer.read("/statistics?language=en", player=played.name)["session"]["own"]
    text = " ".join(panel.inner_text().split())
    assert own["won"] == 1
    assert own["lost"] == 1
    assert f"Coups won {own['won']} {own['won']}" in text
    assert f"Coups lost {own['lost']} {own['lost']}" in text
    assert own["net"] == 5_000
    assert "+50" in text


def test_the_odds_of_the_next_coup_on_request(played: Seat) -> None:
    """Exact, from the cards that were seen; nothing is computed before it is asked for."""
    panel = played.panel("odds")
    assert not panel.locator("table").count()
    played.do("odds")
    panel.locator("table").first.wait_for()
    read = played.observer.read("/odds?language=en", player=played.name)
    text = panel.inner_text()
    assert str(read["cards"]) in text
    for chance in read["chances"]:
        for figure in ("win", "lose", "apres", "refait", "edge"):
            assert chance[figure]["text"].split()[0] in text, figure  # the head says %
    played.accessible("the odds")


def test_the_rules_of_the_house_are_there_in_words(played: Seat) -> None:
    """The rulebook, with a list of its parts that leads to each."""
    panel = played.panel("rules")
    panel.locator(".p-link").first.wait_for()
    link = panel.locator(".p-link").nth(3)
    heading = panel.get_by_role("heading", name=link.inner_text(), exact=True)
    played.press(link)
    heading.wait_for()
    box = heading.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 800


def test_the_help_names_every_key(played: Seat) -> None:
    """The keys of the page are those that the help shows."""
    text = played.panel("help").inner_text().lower()
    for chance in played.facts["chances"]:
        assert chance["name"] in text
    assert "enter" in text


@pytest.mark.parametrize(("house", "named"), [("france-2007", True), ("hoyle-1820", False)])
def test_the_help_speaks_of_the_chances_of_the_house(
    observed: Callable[..., Observer], sits: Callable[..., Seat], house: str, *, named: bool
) -> None:
    """Issue 15: a house with rouge and noir alone has no line about couleur and inverse."""
    seat = sits(observed(house))
    lines = seat.panel("help").locator(".p-ten li").all_inner_texts()
    assert len(lines) == 9 + named
    assert any("Couleur" in line for line in lines) is named


def test_panels_open_by_their_keys(played: Seat) -> None:
    """By keyboard alone, without losing the place."""
    for key, name in (("s", "statistics"), ("k", "card"), ("o", "odds"), ("h", "history")):
        played.page.keyboard.press(key)
        played.see(f'[data-panel="{name}"]')
