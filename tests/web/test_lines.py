"""Reload, lost lines, a killed service, two tabs: the page is where the table is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from tests.served import Served, free_port, served
from tests.web.expectations import Expectation
from tests.web.line import Line
from tests.web.observer import REFAIT, ROUGE, Observer
from tests.web.seats import Seat
from tests.web.shoes import PlayedShoe

pytestmark = pytest.mark.slow
SEATED: Final[dict[str, Any]] = {"purses": True, "advance": 1_000_000}
PACE: Final = {"bets": None}


def checked(seat: Seat) -> dict[str, Any]:
    """Check all that is seen against the events; return it."""
    expectation = Expectation(seat.observer, seat.name)
    view = expectation.follow()
    seat.shows(expectation.index + 1)
    seen = seat.seen()
    expectation.check(seen, view)
    return seen


def test_a_reload_in_the_middle_shows_the_same(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """U9: money, stakes, rows and a choice that is open are there again; leaving is asked about."""
    observer = observed(pace=None, live=True, **SEATED)
    observer.prepare()
    seat = sits(observer)
    seat.take(10_000)
    seat.place("rouge")
    seat.lies("rouge", 10_000)
    before = checked(seat)
    seat.page.reload()
    assert checked(seat) == before
    assert "beforeunload" in seat.asked
    assert "token" not in seat.page.url
    observer.do("close-bets")
    observer.turn(" ".join(REFAIT.split()[:5]))
    seat.up_to_date()
    before = checked(seat)
    seat.page.reload()
    assert checked(seat) == before
    observer.turn(" ".join(REFAIT.split()[5:]))
    seat.see('[data-dialog="choices"]')
    seat.page.reload()
    seat.see('[data-dialog="choices"]')
    seat.press('[data-dialog="choices"] [data-course="prison"]')
    seat.press('[data-dialog="choices"] [data-do="take"]')
    observer.do("settle")
    observer.do("open-bets")
    seat.lies("rouge", 10_000, "prisoners")
    before = checked(seat)
    seat.page.reload()
    assert checked(seat) == before


def test_a_void_coup_gives_an_insured_stake_and_its_premium_back(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """Nothing of it lies on the table any more, in the page as in the purse."""
    observer = observed("italy-prison", pace=None, live=True, **SEATED)
    observer.prepare()
    seat = sits(observer)
    seat.take(10_000)
    seat.place("rouge")
    seat.lies("rouge", 10_000)
    assert checked(seat)["staked"] == 10_000
    premium = seat.insure("rouge")
    assert premium > 0
    assert checked(seat)["staked"] == 10_000 + premium
    observer.do("close-bets")
    observer.turn(" ".join(ROUGE.split()[:2]))
    observer.do("void-coup", reason="a card fell")
    assert checked(seat)["staked"] == 0


def test_reloads_in_a_shoe_change_nothing(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """Reloaded between coups, the shoe is played on, and everything is still as it happened."""
    seat = sits(observed(pace=PACE, **SEATED))

    def reload(played: PlayedShoe) -> None:
        if played.coups % 3 == 0:
            seat.page.reload()

    PlayedShoe(seat).play(9, between=reload)


class Cut:
    """A service, and a line to it that can be cut."""

    def __init__(self, service: Served, line: Line) -> None:
        """Keep both."""
        self.service, self.line = service, line


@pytest.fixture
def cut(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cut]:
    """Start a service that is reached by a line of its own."""
    port = free_port()
    with served(tmp_path_factory.mktemp("cut"), "--name", f"127.0.0.1:{port}") as service:
        line = Line(port, service.port)
        try:
            yield Cut(service, line)
        finally:
            line.close()


def test_a_line_that_is_cut_goes_on_where_it_was(cut: Cut, sits: Callable[..., Seat]) -> None:
    """Cards fall meanwhile: they are shown afterwards, in order, and chips are still placed."""
    observer = Observer.create(cut.service, "cut", "france-2007", pace=None, live=True, **SEATED)
    observer.prepare()
    seat = sits(observer, port=cut.line.port)
    seat.take(1000)
    seat.place("rouge")
    seat.lies("rouge", 1000)
    with seat.trouble():
        cut.line.cut()
        seat.see('[data-connection="lost"]')
        seat.accessible("the line is lost")
        observer.coup(ROUGE)
        observer.do("settle")
        observer.do("open-bets")
        cut.line.mend()
        seat.see('[data-connection="open"]')
        checked(seat)
    seat.place("noir")
    seat.lies("noir", 1000)
    checked(seat)


def test_a_killed_service_is_found_again(own_service: Served, sits: Callable[..., Seat]) -> None:
    """SIGKILL in the middle of a shoe: the page comes back by itself, and the shoe is played on."""
    observer = Observer.create(own_service, "killed", "france-2007", pace=PACE, **SEATED)
    seat = sits(observer)
    played = PlayedShoe(seat).play(3)
    seat.place("noir")
    seat.see('[data-chance="noir"][data-own]')
    before = seat.seen()
    with seat.trouble():
        own_service.kill()
        seat.see('[data-connection="lost"]')
        own_service.start()
        seat.see('[data-connection="open"]')
        after = checked(seat)
    assert after["chances"] == before["chances"]
    assert after["purse"] == before["purse"]
    played.play(6)


def test_a_second_tab_asks_who_plays(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """U13: in words, with a way to take the table over; the first tab says that it was taken."""
    observer = observed(pace=PACE)
    seat = sits(observer)
    seat.see('[data-phase][data-connection="open"]')
    second = seat.tab()
    second.see('[data-dialog="elsewhere"]')
    second.accessible("open elsewhere")
    second.press('[data-dialog="elsewhere"] [data-answer="take"]')
    second.see('[data-phase][data-connection="open"]')
    seat.see('[data-dialog="elsewhere"]')
    second.check()
