"""Nothing that axe finds, on any page, in any phase; the keyboard reaches all, focus is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from tests.web.observer import REFAIT, ROUGE, Observer
from tests.web.seats import DESKTOP, PHONE, TABLET, Seat

LOOKS: Final = [
    pytest.param("light", DESKTOP, marks=pytest.mark.slow, id="light-desktop"),
    pytest.param("dark", PHONE, marks=pytest.mark.slow, id="dark-phone"),
    pytest.param("dark", DESKTOP, marks=pytest.mark.nightly, id="dark-desktop"),
    pytest.param("light", PHONE, marks=pytest.mark.nightly, id="light-phone"),
    pytest.param("light", TABLET, marks=pytest.mark.nightly, id="light-tablet"),
]
PANELS: Final = ("history", "card", "statistics", "odds", "rules", "settings", "help")
CUT_BY_PLAYER: Final = {"pace": {"bets": None}, "purses": True, "advance": 1_000_000}


def how(theme: str, size: tuple[int, int]) -> dict[str, Any]:
    """Return how a seat looks."""
    return {
        "size": size,
        "way": "touch" if size == PHONE else "mouse",
        "settings": {"theme": theme},
        "color_scheme": theme,
    }


@pytest.mark.parametrize(("theme", "size"), LOOKS)
def test_axe_finds_nothing_at_the_table(
    observed: Callable[..., Observer],
    sits: Callable[..., Seat],
    theme: str,
    size: tuple[int, int],
) -> None:
    """Each phase of a coup, and the dialogs in it."""
    observer = observed(pace=None, live=True, purses=True, advance=1_000_000)
    seat = sits(observer, **how(theme, size))
    seat.see('[data-phase="no-shoe"]')
    seat.accessible("without a shoe")
    observer.prepare()
    seat.take(10_000)
    seat.place("rouge")
    seat.lies("rouge", 10_000)
    seat.insure("rouge")
    seat.place("inverse")
    seat.lies("inverse", 10_000)
    seat.accessible("bets are open")
    observer.do("close-bets")
    observer.turn(" ".join(REFAIT.split()[:6]))
    seat.up_to_date()
    seat.accessible("cards are dealt")
    observer.turn(" ".join(REFAIT.split()[6:]))
    seat.see('[data-dialog="choices"]')
    seat.accessible("choices at a refait")
    seat.press('[data-dialog="choices"] [data-do="take"]')
    observer.do("settle")
    observer.do("open-bets")
    observer.coup(ROUGE)
    observer.do("settle")
    seat.up_to_date()
    seat.accessible("the coup is settled")


@pytest.mark.parametrize(("theme", "size"), LOOKS)
def test_axe_finds_nothing_in_the_panels(
    observed: Callable[..., Observer],
    sits: Callable[..., Seat],
    theme: str,
    size: tuple[int, int],
) -> None:
    """Each panel after two coups, with a prisoner on the table."""
    observer = observed(pace=None, live=True)
    observer.prepare()
    seat = sits(observer, **how(theme, size))
    seat.take(10_000)
    for cards in (ROUGE, REFAIT):
        seat.place("noir")
        seat.lies("noir", 10_000)
        observer.coup(cards)
        if cards == REFAIT:
            seat.press('[data-dialog="choices"] [data-do="take"]')
        observer.do("settle")
        observer.do("open-bets")
        seat.up_to_date()
    for panel in PANELS:
        seat.panel(panel)
        seat.accessible(f"panel {panel}")
        seat.shut()


@pytest.mark.parametrize(("theme", "size"), LOOKS)
def test_axe_finds_nothing_before_the_table(
    observed: Callable[..., Observer],
    sits: Callable[..., Seat],
    theme: str,
    size: tuple[int, int],
) -> None:
    """The cut, the lobby, the question before leaving, and the entrance without a token."""
    observer = observed(**CUT_BY_PLAYER)
    seat = sits(observer, **how(theme, size))
    seat.see('[data-do="cut"]')
    seat.accessible("the cut")
    seat.do("cut")
    seat.see('[data-waits="bets"][data-busy="false"]')
    seat.place("rouge")
    seat.see('[data-chance="rouge"][data-own]')
    seat.do("leave")
    seat.see('[data-dialog="leave"]')
    seat.accessible("the question before leaving")
    seat.press('[data-dialog="leave"] [data-answer="leave"]')
    seat.see("#lobby h1, #lobby h2")
    seat.accessible("the lobby")
    seat.page.evaluate("localStorage.clear()")
    seat.page.reload()
    seat.see("#lobby input")
    seat.accessible("the entrance")


@pytest.mark.parametrize(("theme", "size"), LOOKS)
def test_axe_finds_nothing_at_the_pages_of_the_staff(
    observed: Callable[..., Observer],
    sits: Callable[..., Seat],
    theme: str,
    size: tuple[int, int],
) -> None:
    """The dealer's page in the middle of a coup; the supervisor's page with a table open."""
    observer = observed(pace=None, live=True)
    observer.prepare()
    observer.coup(ROUGE)
    observer.do("settle")
    observer.do("open-bets")
    observer.do("close-bets")
    observer.turn(" ".join(ROUGE.split()[:5]))
    dealer = sits(observer, "dora", role="dealer", path="/dealer", **how(theme, size))
    dealer.see("[data-row] [data-card]")
    dealer.accessible("the dealer's page")
    supervisor = sits(observer, "sam", role="supervisor", path="/supervisor", **how(theme, size))
    supervisor.see(f'[data-table="{observer.table}"]')
    supervisor.accessible("the supervisor's page")


@pytest.mark.slow
def test_everything_is_reached_by_the_tabulator_and_seen_where_it_is(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """WCAG 2.1.1, 2.4.7: each control that can be pressed takes the focus, and shows that."""
    observer = observed(pace=None, live=True)
    observer.prepare()
    seat = sits(observer, way="keyboard")
    seat.see('[data-chip][aria-pressed="true"]')
    wanted = seat.page.evaluate("""() => {
      const all = "button, a[href], input, select, textarea, summary, [tabindex='0']";
      return [...document.querySelectorAll(all)].filter((each) => !each.disabled
        && each.checkVisibility({ visibilityProperty: true }) && !each.closest("[inert]")
        && each.tabIndex >= 0).length;
    }""")
    reached, unseen = set(), []
    for _ in range(wanted + 5):
        seat.page.keyboard.press("Tab")
        found = seat.page.evaluate("""() => {
          const each = document.activeElement;
          if (!each || each === document.body) return null;
          const style = getComputedStyle(each);
          const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
          return { what: each.outerHTML.slice(0, 200), seen: ring || style.boxShadow !== "none" };
        }""")
        if found is None:
            continue
        reached.add(found["what"])
        if not found["seen"]:
            unseen.append(found["what"])
    assert not unseen
    assert len(reached) >= wanted


@pytest.mark.slow
def test_the_focus_comes_back_from_a_dialog(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """WCAG 2.4.3: escape closes, and the focus is where it was."""
    observer = observed("germany-500", pace=None, live=True)
    observer.prepare()
    seat = sits(observer, way="keyboard")
    seat.take(500)
    seat.place("rouge")
    seat.lies("rouge", 500)
    button = seat.see('[data-do="insure"][data-for="rouge"][data-premium]:enabled')
    seat.reach(button)
    seat.page.keyboard.press("Enter")
    seat.see('[data-dialog="insurance"]')
    assert seat.page.evaluate("document.activeElement.closest('dialog') !== null")
    seat.page.keyboard.press("Escape")
    seat.see('[data-dialog="insurance"]', gone=True)
    assert button.evaluate("each => each === document.activeElement")
