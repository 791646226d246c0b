"""Make docs/images/web-*.png: the web table in three sizes, light and dark, and the staff's pages.

    python tools/make_screenshots.py

Needs Chromium. The cards are dealt by this program: the pictures change with the page alone.
"""

# ruff: noqa: INP001 - a script

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from made_file import parser_of

ROOT: Final = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from PIL import Image  # noqa: E402 - matplotlib brings it
from playwright.sync_api import Browser, sync_playwright  # noqa: E402
from tests.served import Served, served  # noqa: E402
from tests.web.observer import APRES, REFAIT, ROUGE, Observer  # noqa: E402
from tests.web.seats import DESKTOP, PHONE, TABLET, Seat, Way  # noqa: E402
from tests.web.tools import chromium  # noqa: E402

PLACE: Final = ROOT / "docs" / "images"
LARGEST: Final = 300_000
NOIR: Final = "9♠ 10♥ 4♦ 8♣ 7♥ K♣ Q♦ 9♥"
"""A coup of 31 to 36."""
_TABLES: Final = count(1)


@contextmanager
def seated(
    browser: Browser, service: Served, size: tuple[int, int], theme: str, **how: Any
) -> Iterator[Seat]:
    """Sit down at a new table that this program deals."""
    name = f"salon-{next(_TABLES)}"
    money = {"purses": True, "advance": 1_000_000}
    observer = Observer.create(service, name, "france-2007", pace=None, live=True, **money)
    observer.prepare()
    way: Way = "touch" if size == PHONE else "mouse"
    settings = {"theme": theme}
    with Seat.opened(
        browser, observer, size=size, way=way, settings=settings, color_scheme=theme, **how
    ) as seat:
        seat.see('[data-chip][aria-pressed="true"]')
        yield seat


def bets(seat: Seat, **chips: int) -> None:
    """Place chips."""
    for chance, units in chips.items():
        if not seat.seen()["chances"][chance]["own"]:
            seat.take(units)
            seat.place(chance)
            seat.lies(chance, units)


def coups(seat: Seat, *dealt: str, **chips: int) -> None:
    """Play coups with the same chips, the best course at a refait."""
    for cards in dealt:
        bets(seat, **chips)
        seat.observer.coup(cards)
        if cards == REFAIT:
            while seat.observer.read("/choices?language=en", player=seat.name)[0]["chosen"] is None:
                seat.press('[data-dialog="choices"] [data-do="take"]')
        seat.observer.do("settle")
        seat.observer.do("open-bets")
        seat.up_to_date()


def table(seat: Seat) -> None:
    """Show a table in the middle of a coup, another player's chips on it."""
    coups(seat, ROUGE, NOIR, APRES, rouge=10_000)
    token = seat.service.token("bob")
    seat.observer.do("buy-in", player="bob", amount=50_000)
    for n, (chance, amount) in enumerate((("noir", 20_000), ("couleur", 5_000))):
        stake = {"stake": f"bob-{n}", "player": "bob", "chance": chance, "amount": amount}
        seat.observer.do("place", token=token, **stake)
    bets(seat, rouge=10_000, inverse=5_000)
    seat.observer.do("close-bets")
    seat.observer.turn(" ".join(ROUGE.split()[:6]))
    seat.up_to_date()


def picture(seat: Seat, name: str) -> None:
    """Write a picture of the page."""
    path = PLACE / f"web-{name}.png"
    seat.page.mouse.move(0, 0)
    seat.page.wait_for_timeout(300)
    seat.page.screenshot(path=path, animations="disabled", caret="hide")
    with Image.open(path) as whole:  # 256 colours: a sixth of the size, and the eye sees the same
        small = whole.convert("RGB").quantize(256, method=Image.Quantize.FASTOCTREE)
    small.save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)} {size:,} bytes")  # noqa: T201 - a script
    if size > LARGEST:
        sys.exit(f"{path} has {size:,} bytes, more than {LARGEST:,}")


def tables(browser: Browser, service: Served) -> None:
    """Make the pictures of the table in its three sizes."""
    sizes = (("desktop", DESKTOP, "light"), ("tablet", TABLET, "light"), ("phone", PHONE, "dark"))
    for name, size, theme in sizes:
        with seated(browser, service, size, theme) as seat:
            table(seat)
            picture(seat, f"table-{name}")


def panels(browser: Browser, service: Served) -> None:
    """Make the pictures of a choice and of panels."""
    with seated(browser, service, DESKTOP, "light") as seat:
        coups(seat, ROUGE, NOIR, APRES, ROUGE, rouge=10_000)
        bets(seat, rouge=10_000)
        seat.observer.coup(REFAIT)
        seat.see('[data-dialog="choices"]')
        picture(seat, "choice-desktop")
        seat.press('[data-dialog="choices"] [data-do="take"]')
        seat.observer.do("settle")
        seat.observer.do("open-bets")
        seat.up_to_date()
        seat.panel("statistics")
        picture(seat, "figures-desktop")
    with seated(browser, service, PHONE, "light") as seat:
        coups(seat, ROUGE, NOIR, APRES, ROUGE, rouge=10_000)
        seat.panel("card")
        picture(seat, "card-phone")


def staff(browser: Browser, service: Served) -> None:
    """Make the pictures of the dealer's and the supervisor's pages."""
    with seated(browser, service, DESKTOP, "light") as seat:
        table(seat)
        for role in ("dealer", "supervisor"):
            with Seat.opened(browser, seat.observer, role, role=role, path=f"/{role}") as page:
                page.see("main [data-row] [data-card], main [data-table]")
                if role == "supervisor":
                    page.press(f'[data-table="{seat.table}"] [data-do="open"]')
                    page.see(".p-z")
                picture(page, f"{role}-desktop")


def main() -> None:
    """Make all pictures."""
    parser_of(__doc__).parse_args()
    with TemporaryDirectory() as folder, served(Path(folder)) as service, sync_playwright() as made:
        browser = made.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        tables(browser, service)
        panels(browser, service)
        staff(browser, service)
        browser.close()


if __name__ == "__main__":
    main()
