"""The pages of the dealer and of the supervisor: a live coup, what is put right, the books."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest
from tests.served import Served
from tests.web.observer import REFAIT, ROUGE, Observer
from tests.web.seats import PATIENCE, PHONE, Seat

pytestmark = pytest.mark.slow


def kinds(observer: Observer) -> list[str]:
    """Return the kinds of all events."""
    return [each["kind"] for each in observer.events()]


def confirm(dealer: Seat, dialog: str, *, grave: bool = False) -> None:
    """Confirm a dialog; what cannot be taken back is asked for twice."""
    for _ in range(2 if grave else 1):
        dealer.press(f'[data-dialog="{dialog}"] [data-do="confirm"]')
    dealer.see(f'[data-dialog="{dialog}"]', gone=True)


def typed(dealer: Seat, cards: str) -> None:
    """Enter cards one by one, each confirmed with Enter, as a reader types them."""
    for card in cards.split():
        before = len(dealer.observer.view()["cards"])
        entry = dealer.page.locator('[data-input="card"]')
        entry.fill(card)
        entry.press("Enter")
        until = monotonic() + PATIENCE / 1000
        while len(dealer.observer.view()["cards"]) == before:
            assert monotonic() < until, dealer.page.locator("main").inner_text()
        dealer.see(f'[data-events="{dealer.observer.view()["events"]}"]')


def phase(dealer: Seat, name: str) -> None:
    """Wait until the table is in a phase."""
    dealer.see(f'[data-phase="{name}"]')


def test_a_dealer_deals_a_live_coup_by_typed_cards(  # noqa: PLR0915 - a session has so many steps
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """Shoe, cut, bets, cards; one is taken back; settled; the next is void; the first corrected."""
    observer = observed(pace=None, live=True, purses=True, advance=1_000_000)
    dealer = sits(observer, "dora", role="dealer", path="/dealer")
    dealer.do("shoe")
    phase(dealer, "cut")
    dealer.do("cut")
    dealer.page.locator('[data-dialog="cut"] [data-input="place"]').fill("100")
    confirm(dealer, "cut")
    dealer.do("marker")
    confirm(dealer, "marker")
    dealer.do("open")
    phase(dealer, "betting")
    alice = sits(observer, "alice")
    alice.take(1000)
    alice.place("rouge")
    alice.lies("rouge", 1000)
    dealer.see('[data-staked="rouge"]')
    assert "alice" in dealer.page.locator("main").inner_text()
    dealer.do("close")
    phase(dealer, "closed")  # a card typed before that is refused
    first = ROUGE.replace("♥", "H").replace("♠", "S").replace("♦", "D").replace("♣", "C")
    typed(dealer, " ".join(first.split()[:3]) + " 5C")  # read wrong: the eight of spades
    dealer.do("retract")
    dealer.page.locator('[data-dialog="retract"] [data-input="reason"]').fill("read wrong")
    confirm(dealer, "retract")
    typed(dealer, " ".join(first.split()[3:]))
    phase(dealer, "dealt")
    assert "cards-retracted" in kinds(observer)
    seen = alice.up_to_date()
    assert seen["first"] == {"cards": ROUGE.split()[:4], "total": 37}
    assert seen["second"] == {"cards": ROUGE.split()[4:], "total": 31}
    dealer.do("settle")
    dealer.do("open")
    phase(dealer, "betting")
    assert alice.up_to_date()["net"] == 1000
    alice.place("noir")
    alice.lies("noir", 1000)
    dealer.do("close")
    phase(dealer, "closed")
    typed(dealer, "KH KS")
    dealer.do("void")
    dealer.page.locator('[data-dialog="void"] [data-input="reason"]').fill("a card fell")
    confirm(dealer, "void", grave=True)
    alice.up_to_date()
    assert "coup-voided" in kinds(observer)
    assert alice.seen()["net"] == 1000
    dealer.do("correct")
    target = dealer.page.locator('[data-dialog="correct"] [data-input="target"]')
    target.select_option(index=1)  # the settled one: the last is void
    dealer.page.locator('[data-dialog="correct"] [data-input="what"]').select_option("cards")
    swapped = " ".join(ROUGE.split()[4:] + ROUGE.split()[:4])  # noir 31, rouge 37
    dealer.page.locator('[data-dialog="correct"] [data-input="cards"]').fill(swapped)
    dealer.page.locator('[data-dialog="correct"] [data-input="reason"]').fill("rows mixed up")
    confirm(dealer, "correct", grave=True)
    assert "coup-corrected" in kinds(observer)
    assert alice.up_to_date()["net"] == -1000


def test_a_dealer_deals_on_a_phone_by_the_grid(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """Cards are tapped where there is no keyboard."""
    observer = observed(pace=None, live=True)
    observer.prepare()
    dealer = sits(observer, "dora", role="dealer", path="/dealer", way="touch", size=PHONE)
    dealer.do("close")
    grid = dealer.page.locator("details:has(.p-deck-card) summary")
    if not dealer.page.locator(".p-deck-card").first.is_visible():
        dealer.press(grid)
    for n, card in enumerate(REFAIT.split()):
        button = dealer.page.locator(f'.p-deck-card[data-card="{card}"]')
        dealer.press(button.first)
        dealer.page.locator("[data-row] [data-card]").nth(n).wait_for()
    phase(dealer, "dealt")
    assert observer.view()["phase"] == "dealt"


def test_a_supervisor_creates_a_table_and_reads_its_books(
    service: Served, observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """Create, monitor with its z, the journal of a coup, and close."""
    observer = observed(pace=None, live=True)
    observer.prepare()
    sam = sits(observer, "sam", role="supervisor", path="/supervisor")
    sam.do("create")
    name = f"{observer.table}-new"
    create = '[data-dialog="create"] '
    sam.page.locator(create + '[data-input="name"]').fill(name)
    sam.page.locator(create + '[data-input="house"]').select_option("italy-prison")
    sam.page.locator(create + '[data-input="minimum"]').fill("10")
    sam.press(create + '[data-do="confirm"]')
    sam.see(f'[data-table="{name}"]')
    made = service.ask("GET", f"/api/tables/{name}", observer.token)["summary"]
    assert (made["house"], made["opening"]) == ("italy-prison", 1000)

    alice = sits(observer, "alice")
    alice.take(10_000)
    for _ in range(2):
        alice.place("rouge")
        alice.lies("rouge", 10_000)
        observer.coup(ROUGE)
        observer.do("settle")
        observer.do("open-bets")
        alice.up_to_date()
    sam.press(f'[data-table="{observer.table}"] [data-do="open"]')
    sam.do("monitor")
    monitor: Any = observer.read("/monitor")
    assert f"z {monitor['total']['z']}" in sam.see(".p-z").inner_text()
    total = sam.page.locator('[data-panel="monitor"] tbody tr').first.inner_text()
    units = round(float(monitor["total"]["expected"]))  # in money, as the bank's net next to it
    assert f"{units / 100:,.2f}\u00a0EUR" in total
    sam.do("journal")
    sam.see('[data-kind="coup-settled"]')
    text = sam.page.locator("main").inner_text()
    assert "alice" in text
    sam.press(f'[data-table="{name}"] [data-do="open"]')
    for _ in range(2):  # asked for twice
        sam.do("close")
    sam.see(f'[data-table="{name}"][data-phase="ended"]')
    assert service.ask("GET", f"/api/tables/{name}", observer.token)["summary"]["closed"]


def test_a_player_gets_neither_page(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """Whoever has the pass of a player reads that it is not for these pages."""
    observer = observed(pace=None, live=True)
    for path in ("/dealer", "/supervisor"):
        seat = sits(observer, "alice", path=path)
        seat.see("main p, main [role=alert]")
        assert not seat.page.locator("[data-do='create'], [data-do='shoe']").count()


def test_cards_that_are_read_quickly_are_all_turned(
    observed: Callable[..., Observer], sits: Callable[..., Seat]
) -> None:
    """A reader types a card and Enter every few milliseconds: none is lost, all are in order."""
    observer = observed(pace=None, live=True)
    observer.prepare()
    observer.do("close-bets")
    dealer = sits(observer, "dora", role="dealer", path="/dealer")
    phase(dealer, "closed")
    dealer.page.locator('[data-input="card"]').focus()
    for card in ("KH", "KS", "9D", "8S"):
        dealer.page.keyboard.type(card)
        dealer.page.keyboard.press("Enter")
    dealer.page.locator("[data-row] [data-card]").nth(3).wait_for()
    assert observer.view()["cards"] == ["K♥", "K♠", "9♦", "8♠"]
