"""Seats: a person before the page, by mouse, touch or keyboard; what is seen, as values."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Locator, Page, Request, Response
from tests.web.observer import Observer
from tests.web.tools import node_modules

Way = Literal["mouse", "touch", "keyboard"]
DESKTOP: Final = (1280, 800)
TABLET: Final = (820, 1180)
PHONE: Final = (390, 844)
PATIENCE: Final = 30_000
"""Milliseconds until what is waited for counts as missing: machines of tests are busy."""
TAGS: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
KEYS: Final = {
    "ready": "Enter",
    "undo": "u",
    "clear": "x",
    "repeat": "p",
    "double": "d",
    "insure": "a",
}
"""The keys of buttons, as the help of the page has them."""
_SEEN: Final = """() => {
  const one = (selector, name) => document.querySelector(selector)?.dataset[name];
  const number = (text) => (text === undefined || text === "" ? null : Number(text));
  const root = document.querySelector("[data-phase]");
  const row = (name) => ({
    cards: [...document.querySelectorAll(`[data-row="${name}"] [data-card]`)]
      .map((card) => card.dataset.card),
    total: number(one(`[data-row="${name}"]`, "total")),
  });
  const chances = {};
  for (const field of document.querySelectorAll("[data-chance]")) {
    const { chance, result, own, prisoners, others } = field.dataset;
    chances[chance] = {
      result: result ?? null, own: Number(own ?? 0), prisoners: Number(prisoners ?? 0),
      others: Number(others ?? 0),
    };
  }
  return {
    ...root?.dataset, first: row("first"), second: row("second"), chances,
    left: number(one("[data-left]", "left")), purse: number(one("[data-purse]", "purse")),
    net: number(one("[data-net]", "net")), staked: number(one("[data-staked]", "staked")),
  };
}"""
_HARMLESS: Final = re.compile(r"GPU stall|Third-party cookie|willReadFrequently")
_TOO_LATE: Final = re.compile(r"status of 409.*/preview")
"""The price of an insurance was asked for as the bets closed: nobody can know that before."""
_GONE: Final = re.compile(r"status of 422.*/preview")
_OFFLINE: Final = re.compile(r"net::ERR_|WebSocket connection to|Failed to fetch|status of 50\\d")


class Seat:
    """A page that one person has open, at a table or before one."""

    def __init__(self, page: Page, observer: Observer, name: str, way: Way, role: str) -> None:
        """Watch a page for errors; nothing is open yet."""
        self.page, self.observer, self.name, self.way, self.role = page, observer, name, way, role
        self.service, self.table = observer.service, observer.table
        self.token = self.service.token(name, role)
        self.errors: list[str] = []
        self._refusals: list[Response] = []
        self._trouble = self._typed = False
        self.asked: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("dialog", self._ask)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.errors.append(f"error of the page: {error}"))
        page.on("requestfailed", self._failed)
        page.on("response", self._answered)

    @classmethod
    @contextmanager
    def opened(  # noqa: PLR0913 - each is one way in which people differ
        cls,
        browser: Browser,
        observer: Observer,
        name: str = "alice",
        *,
        way: Way = "mouse",
        size: tuple[int, int] | None = None,
        role: str = "player",
        path: str = "/",
        port: int = 0,
        script: str = "",
        settings: Mapping[str, Any] | None = None,
        **context: Any,
    ) -> Iterator[Seat]:
        """Open the page as somebody, and fail at the end on any error that it had."""
        width, height = size or (PHONE if way == "touch" else DESKTOP)
        touch = {"has_touch": True, "is_mobile": True} if way == "touch" else {}
        made = browser.new_context(
            viewport={"width": width, "height": height},
            **{"locale": "en-GB", "reduced_motion": "reduce", **touch, **context},
        )
        try:
            wanted = {"language": "en", "pace": "once", "voice": False, **(settings or {})}
            text = json.dumps(json.dumps(wanted))
            made.add_init_script(
                f'if (!localStorage.getItem("trente.settings")) '
                f'localStorage.setItem("trente.settings", {text});'
            )
            if script:
                made.add_init_script(script)
            seat = cls(made.new_page(), observer, name, way, role)
            seat.open(path, port)
            yield seat
            seat.check()
        finally:
            made.close()

    def open(self, path: str = "/", port: int = 0) -> None:
        """Go to the page with the token in the address, as ``trente serve --open`` does."""
        base = f"http://127.0.0.1:{port or self.service.port}{path}"
        self.page.goto(f"{base}#token={self.token}&table={self.table}")

    def tab(self) -> Seat:
        """Open the page in another tab of the same browser."""
        made = Seat(self.page.context.new_page(), self.observer, self.name, self.way, self.role)
        made.open()
        return made

    # errors

    def _ask(self, dialog: Dialog) -> None:
        self.asked.append(dialog.type)  # "beforeunload" alone is the browser's own
        dialog.accept()

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not _HARMLESS.search(message.text):
            self._take(f"console {message.type}: {message.text} ({message.location})")

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left
            self._take(f"net::ERR_ {request.url}: {request.failure}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self._refusals.append(response)
            self._take(f"status of {response.status}: {response.url}")

    def _take(self, error: str) -> None:
        if not (self._trouble and _OFFLINE.search(error)) and not _TOO_LATE.search(error):
            self.errors.append(error)

    @contextmanager
    def trouble(self) -> Iterator[None]:
        """Expect what a browser says of a lost connection, and nothing else."""
        self._trouble = True
        yield
        self._trouble = False

    def check(self) -> None:
        """Fail on any error of the page so far."""
        # A stake may be taken off again while its price is on the way: two lines for each.
        gone = 2 * sum(
            each.status == 422 and '"unknown-stake"' in each.text() for each in self._refusals
        )
        for error in [error for error in self.errors if _GONE.search(error)][:gone]:
            self.errors.remove(error)
        if self.errors:
            told = [f"{each.url}: {each.text()[:500]}" for each in self._refusals[:5]]
            raise AssertionError("\n".join(self.errors + told))

    def keep(self, name: str) -> None:
        """Keep a picture of the page where TRENTE_PICTURES says, for whoever looks at a failure."""
        folder = os.environ.get("TRENTE_PICTURES")
        if folder:
            path = Path(folder) / f"{self.table}-{self.name}-{name}.png"
            self.page.screenshot(path=path, animations="disabled")

    # what is seen

    def seen(self) -> dict[str, Any]:
        """Return what the page shows, as values."""
        found: dict[str, Any] = self.page.evaluate(_SEEN)
        return found

    def see(self, selector: str, *, gone: bool = False) -> Locator:
        """Wait until something is to be seen, or ``gone``."""
        found = self.page.locator(selector)
        found.first.wait_for(state="hidden" if gone else "visible")
        return found

    def shows(self, index: int) -> None:
        """Wait until everything up to the event before an index has been shown."""
        self.see(f'[data-events="{index}"][data-busy="false"]')

    def up_to_date(self) -> dict[str, Any]:
        """Wait until the page shows all that this person may see; return what is seen."""
        last = max((each["index"] for each in self.observer.events(self.name)), default=-1)
        self.shows(last + 1)
        return self.seen()

    def text(self, selector: str) -> str:
        """Return the text of something."""
        return self.page.locator(selector).first.inner_text()

    # what is done

    def press(self, what: str | Locator, key: str = "") -> None:
        """Click, tap, or by keyboard press the key of something; it must be reachable."""
        target = self.page.locator(what) if isinstance(what, str) else what
        if self.way == "mouse":
            target.click()
        elif self.way == "touch":
            target.tap()
        elif key:
            self.page.keyboard.press(key)
        else:
            self.reach(target)
            self.page.keyboard.press("Enter")

    def do(self, name: str) -> None:
        """Press a button by what it does; by keyboard its key, where it has one."""
        self.press(f'[data-do="{name}"]', KEYS.get(name, ""))

    def can(self, name: str) -> bool:
        """Return whether the button that does something can be pressed."""
        return self.page.locator(f'[data-do="{name}"]').first.is_enabled()

    def take(self, units: int) -> None:
        """Take a chip of the rack into the hand; by keyboard its value is typed, or stepped to."""
        self.see("[data-chip]")  # nobody types before the chips are there
        if self.way == "keyboard" and not self._typed:
            self._typed = True
            self.page.keyboard.type(f"{units * float(self.facts['unit']):g}")
        elif self.way == "keyboard":  # digits that come soon belong to the number before: step
            held = self.page.locator('[data-chip][aria-pressed="true"]').get_attribute("data-chip")
            chips = sorted(self.facts["chips"])
            steps = chips.index(units) - chips.index(int(held or 0))
            for _ in range(abs(steps)):
                self.page.keyboard.press("+" if steps > 0 else "-")
        else:
            self.press(f'[data-chip="{units}"]')
        self.see(f'[data-chip="{units}"][aria-pressed="true"]')

    def place(self, chance: str) -> None:
        """Place the chip in hand on a chance, once the page knows that bets are taken."""
        self.see('[data-betting="true"][data-busy="false"]')
        key = next(each["key"] for each in self.facts["chances"] if each["id"] == chance)
        self.press(f'[data-chance="{chance}"]', str(key))

    def lies(self, chance: str, units: int, kind: str = "own") -> None:
        """Wait until so many units lie on a chance: own ones, prisoners, or those of others."""
        none = f":not([data-{kind}])" if not units else f'[data-{kind}="{units}"]'
        self.see(f'[data-chance="{chance}"]{none}')

    def reach(self, target: Locator, most: int = 150) -> None:
        """Move the focus to something by the tabulator alone."""
        for _ in range(most):
            if target.evaluate("each => each === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{target} cannot be reached by keyboard")

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """The facts of the house."""
        found: Mapping[str, Any] = self.observer.read("/house?language=en", player=self.name)
        return found

    def insure(self, chance: str) -> int:
        """Insure the stake on a chance for the price that is shown; return it."""
        target = self.see(f'[data-do="insure"][data-for="{chance}"][data-premium]:enabled')
        premium = int(target.get_attribute("data-premium") or 0)
        self.press(target, KEYS["insure"])
        yes = self.page.locator('[data-dialog="insurance"] [data-answer="yes"]')
        done = self.page.locator(f'[data-for="{chance}"][aria-pressed="true"]')
        yes.or_(done).first.wait_for()
        if yes.is_visible():  # a dear one is asked about, once
            self.press(yes)
            done.wait_for()
        return premium

    def panel(self, name: str) -> Locator:
        """Open a panel, and wait until it has something to show."""
        tab = self.page.locator(f'[data-open="{name}"]')
        if tab.get_attribute("aria-selected") != "true" or not self._panel(name).is_visible():
            self.press(tab)
        found = self.see(f'[data-panel="{name}"]')
        self.page.locator(f'[data-panel="{name}"] > *').first.wait_for()
        self.page.locator(f'[data-panel="{name}"] [aria-busy="true"]').wait_for(state="hidden")
        return found

    def _panel(self, name: str) -> Locator:
        return self.page.locator(f'[data-panel="{name}"]')

    def shut(self) -> None:
        """Close the sheet of a panel, on a narrow page."""
        shut = self.page.locator(".p-shut")
        if shut.is_visible():
            self.press(shut)

    # accessibility

    def accessible(self, where: str, *, leave_out: Sequence[str] = ()) -> None:
        """Fail on anything that axe finds: WCAG 2.2 A and AA, and its best practice."""
        source = (node_modules() / "axe-core" / "axe.min.js").read_text("utf-8")
        self.page.evaluate(source)
        options = {
            "runOnly": {"type": "tag", "values": TAGS},
            "rules": {rule: {"enabled": False} for rule in leave_out},
            "resultTypes": ["violations"],
        }
        found = self.page.evaluate("options => axe.run(document, options)", options)
        told = [
            f"{each['id']} ({each['impact']}): {each['help']}\n"
            + "\n".join(
                f"    {n['html'][:300]}\n      {n['failureSummary']}" for n in each["nodes"]
            )
            for each in found["violations"]
        ]
        assert not told, f"{where}:\n" + "\n".join(told)
