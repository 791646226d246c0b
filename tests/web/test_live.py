"""The page at a table that a dealer deals: each card as it falls, choices, insurance, chips."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from tests.web.expectations import Expectation
from tests.web.observer import APRES, REFAIT, ROUGE, Observer
from tests.web.seats import Seat

pytestmark = pytest.mark.slow
MONEY = 1_000_000


@pytest.fixture
def live(observed: Callable[..., Observer]) -> Observer:
    """Return a table in France that the observer deals, card by card; bets are open."""
    observer = observed(pace=None, live=True, purses=True, advance=MONEY)
    observer.prepare()
    return observer


def test_each_card_is_seen_as_it_falls(live: Observer, sits: Callable[..., Seat]) -> None:
    """The rows, their totals, and what wins; the net of the player, as the events have it."""
    seat = sits(live)
    seat.take(1000)
    for chance in ("rouge", "couleur", "inverse"):
        seat.place(chance)
        seat.lies(chance, 1000)
    expectation = Expectation(live, seat.name)
    live.do("close-bets")
    for n, card in enumerate(ROUGE.split()):
        live.turn(card)
        view = expectation.follow()
        seat.shows(expectation.index + 1)
        seen = seat.seen()
        assert len(seen["first"]["cards"] + seen["second"]["cards"]) == n + 1
        expectation.check(seen, view)
    live.do("settle")
    live.do("open-bets")
    view = expectation.follow()
    seat.shows(expectation.index + 1)
    expectation.check(seat.seen(), view)
    assert seat.seen()["net"] == 1000
    heard = seat.text('[data-live="words"]').split("\n")
    assert "Red and colour win" in heard
    assert heard[-1] == seat.text(".p-words-own")  # what is called after it, too: the next bets


def test_a_table_is_called_by_its_title(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """Two tables of one house are told apart where one sits, not in the lobby alone."""
    seat = sits(observed(pace=None, live=True, title="Salle 7"))
    seat.see('[data-phase="no-shoe"]')
    assert seat.text("h1") == seat.page.title() == "Salle 7"


def test_a_choice_at_a_refait_shows_what_each_course_is_worth(
    live: Observer, sits: Callable[..., Seat]
) -> None:
    """Exact worths, those of the service; the best is preferred; the one chosen happens."""
    seat = sits(live)
    seat.take(10_000)
    seat.place("rouge")
    seat.lies("rouge", 10_000)
    live.coup(REFAIT)
    dialog = seat.see('[data-dialog="choices"]')
    (choice,) = live.read("/choices?language=en", player=seat.name)
    shown = {
        course.get_attribute("data-course"): Fraction(course.get_attribute("data-worth") or "")
        for course in dialog.locator("[data-course]").all()
    }
    worths = {each["course"]: Fraction(each["worth"]) for each in choice["courses"]}
    assert shown == worths
    assert worths["partage"] == 5_000
    best = max(worths, key=lambda course: worths[course])
    assert dialog.locator(f'[data-course="{best}"] input').is_checked()
    for each in choice["courses"]:
        assert (
            each["worth_text"] in dialog.locator(f'[data-course="{each["course"]}"]').inner_text()
        )
    seat.press(dialog.locator('[data-course="prison"]'))
    seat.press(dialog.locator('[data-do="take"]'))
    seat.see('[data-dialog="choices"]', gone=True)
    live.do("settle")
    live.do("open-bets")
    seat.lies("rouge", 10_000, "prisoners")
    assert [each["state"] for each in live.view(seat.name)["stakes"]] == ["prison"]


def test_an_apres_leaves_everything(live: Observer, sits: Callable[..., Seat]) -> None:
    """What lies there stays, and nothing is asked."""
    seat = sits(live)
    seat.take(1000)
    seat.place("noir")
    seat.lies("noir", 1000)
    live.coup(APRES)
    live.do("settle")
    expectation = Expectation(live, seat.name)
    view = expectation.follow()
    seat.shows(expectation.index + 1)
    expectation.check(seat.seen(), view)
    assert seat.seen()["chances"]["noir"]["result"] == "apres"
    assert not seat.page.locator("dialog[open]").count()


def test_undo_clear_repeat_and_double(live: Observer, sits: Callable[..., Seat]) -> None:
    """U17: chips go on and off as the buttons say; the table has what the page shows."""
    seat = sits(live)
    seat.take(1000)
    seat.place("rouge")
    seat.lies("rouge", 1000)
    seat.place("rouge")
    seat.lies("rouge", 2000)
    seat.do("undo")
    seat.lies("rouge", 1000)
    seat.place("inverse")
    seat.lies("inverse", 1000)
    seat.do("double")
    seat.lies("rouge", 2000)
    seat.lies("inverse", 2000)
    seat.do("clear")
    seat.lies("rouge", 0)
    seat.lies("inverse", 0)
    seat.do("undo")
    seat.lies("rouge", 2000)
    seat.lies("inverse", 2000)
    live.coup(ROUGE)
    live.do("settle")
    live.do("open-bets")
    seat.lies("rouge", 0)
    seat.do("repeat")
    seat.lies("rouge", 2000)
    seat.lies("inverse", 2000)
    stakes = {each["chance"]: each["amount"] for each in live.view(seat.name)["stakes"]}
    assert stakes == {"rouge": 2000, "inverse": 2000}


def test_two_players_see_the_chips_of_each_other(live: Observer, sits: Callable[..., Seat]) -> None:
    """Amounts, not names; a chip that is taken off is gone for both."""
    alice, bob = sits(live, "alice"), sits(live, "bob", way="touch")
    alice.take(1000)
    alice.place("rouge")
    alice.lies("rouge", 1000)
    bob.lies("rouge", 1000, "others")
    bob.take(2000)
    bob.place("rouge")
    bob.lies("rouge", 2000)
    alice.lies("rouge", 2000, "others")
    assert "bob" not in alice.page.content()
    alice.do("clear")
    bob.lies("rouge", 0, "others")
    live.coup(ROUGE)
    live.do("settle")
    for seat, net in ((alice, 0), (bob, 2000)):
        assert seat.up_to_date()["net"] == net


def test_chips_are_hidden_where_the_table_hides_them(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """As the house allows it."""
    observer = observed(pace=None, live=True, chips="hidden")
    observer.prepare()
    alice, bob = sits(observer, "alice"), sits(observer, "bob")
    alice.take(1000)
    alice.place("rouge")
    alice.lies("rouge", 1000)
    observer.coup(ROUGE)
    assert bob.up_to_date()["chances"]["rouge"]["others"] == 0


def test_a_dear_insurance_is_asked_about(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """U16: its price in money and per cent; with "no" the stake is not insured."""
    observer = observed("germany-500", pace=None, live=True)
    observer.prepare()
    seat = sits(observer)
    seat.take(500)
    seat.place("rouge")
    seat.lies("rouge", 500)
    button = seat.see('[data-do="insure"][data-for="rouge"][data-premium]:enabled')
    assert button.get_attribute("data-premium") == str(observer.premium(seat.name, "rouge"))
    assert "%" in button.inner_text()
    seat.press(button)
    dialog = seat.see('[data-dialog="insurance"]')
    assert "100" in dialog.inner_text()  # per cent
    seat.press(dialog.locator('[data-answer="no"]'))
    seat.see('[data-dialog="insurance"]', gone=True)
    assert not observer.view(seat.name)["stakes"][0]["insured"]
    assert seat.insure("rouge") == 500
    assert observer.view(seat.name)["stakes"][0]["insured"]
