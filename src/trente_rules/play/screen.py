"""The table on a screen: its windows, what is told at the foot, the lesson, how it is left."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final

from rich.text import Text
from textual import events, work
from textual.app import App, ComposeResult
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.widgets import Footer

from trente_rules.core.errors import TrenteError
from trente_rules.play import texts
from trente_rules.play.lesson import Lesson, lesson_of, seen_cards
from trente_rules.play.session import PlaySession, UiStep, chip_text, money_text
from trente_rules.play.views import (
    card_of,
    chances_of,
    counts_of,
    coups_of,
    other_language,
    shown_coup,
    words_of,
)
from trente_rules.play.widgets import (
    CallsWindow,
    ChanceBox,
    Chart,
    ChipsBar,
    Counts,
    HistoryWindow,
    LessonPanel,
    NextBar,
    Part,
    RowsWindow,
    outcome_text,
)

WIDE: Final = 120
"""Columns from which the table is wide."""
LEAST: Final = (80, 24)
"""Columns and lines that all of the table is seen in."""
_TWO_COLUMNS: Final = 72
_TALL: Final = 22
_STAKE: Final = re.compile(r"^stake '[^']*': ?")
Houses = Callable[[], Iterable[tuple[str, str]]]


class TableScreen(App[None]):
    """The table as it is seen; what keys and clicks do is told by ``TableApp``."""

    CSS_PATH = "table.tcss"
    TITLE = "trente et quarante"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - as Textual declares it
        (0, "-small"),
        (_TWO_COLUMNS, "-narrow"),
        (WIDE, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (_TALL, "-tall")]  # noqa: RUF012

    def __init__(
        self,
        session: PlaySession,
        *,
        language: str = "en",
        houses: Any = None,
        hang_up: Callable[[], None] | None = None,
    ) -> None:
        """Take the session; ``houses`` answers a house and its opening by a name, and the names.

        ``hang_up`` saves and ends the process where the terminal is gone.

        Raises ``PluginError`` ("unknown-language") for a language that no plugin has.
        """
        super().__init__()
        self.session = session
        self.language = language
        self.other = other_language(session.house, language)
        self.houses = houses
        self.lesson: Lesson | None = None
        self._taught: tuple[Any, ...] | None = None
        self._asking = False
        self._hang_up = hang_up
        self._gone = False

    # --- the screen ----------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Put the parts of the table in."""
        yield Part("", id="head", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield CallsWindow("", id="words", markup=False)
                yield RowsWindow("", id="rows", markup=False)
                yield Part("", id="outcome", markup=False)
                with VerticalScroll(id="chances", can_focus=False):
                    yield Container(id="simple")
                    yield Container(id="side")
                yield HistoryWindow("", id="history", markup=False)
                yield ChipsBar("", id="chips", markup=False)
                yield NextBar("", id="next", markup=False)
            with Vertical(id="right"):
                yield Chart("", id="chart", markup=False)
                yield Counts("", id="counts", markup=False)
            yield LessonPanel("", id="lesson", markup=False)
        back = self.session.step is not UiStep.SHUFFLE
        yield Part(texts.WELCOME_BACK if back else texts.WELCOME, id="notice", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    async def on_mount(self) -> None:
        """Lay the chances out, and show the table as it stands."""
        await self._lay_out()
        self._on_signals()
        self.call_after_refresh(self.ask)

    async def _lay_out(self) -> None:
        views = chances_of(self.session)
        self.screen_stack[0].set_class(any(not view.simple for view in views), "-side-bets")
        house = self.session.house
        for name in ("simple", "side"):
            part = self.query_one(f"#{name}", Container)
            await part.remove_children()
            of_kind = [view for view in views if view.simple == (name == "simple")]
            await part.mount_all(ChanceBox(view, house, classes=name) for view in of_kind)
            part.display = bool(of_kind)
        self.boxes()[0].focus()
        self.call_after_refresh(self.show_table)

    def on_resize(self, event: events.Resize) -> None:
        """Draw what depends on the room there is; tell where it does not hold all of the table."""
        columns, lines = LEAST
        small = texts.SMALL.format(columns=columns, lines=lines)
        if event.size.width < columns or event.size.height < lines:
            self.tell(small)
        elif self.part("notice", Part).plain == small:
            self.tell("")
        self.call_after_refresh(self.show_table)

    @property
    def wide(self) -> bool:
        """Return whether the table is wide."""
        return self.size.width >= WIDE

    def show_table(self) -> None:
        """Show the table as it stands."""
        session, house = self.session, self.session.house
        events_ = session.events
        coup = shown_coup(events_)
        self.part("head", Part).show(self._head())
        self.part("words", CallsWindow).say(words_of(events_), self.session.house.words, self.other)
        self.part("rows", RowsWindow).deal(coup, house)
        self.part("outcome", Part).show(outcome_text(coup, house))
        self.part("history", HistoryWindow).tell(coups_of(events_), house)
        for box, view in zip(self.boxes(), chances_of(session), strict=False):
            box.put(view)
        names = [chip_text(house, chip) for chip in session.chips]
        chosen = session.chips.index(session.chip) if session.chip in session.chips else 0
        self.part("chips", ChipsBar).show(names, chosen)
        self.part("next", NextBar).show(texts.NEXT[session.step])
        self.part("chart", Chart).draw(card_of(session), points=self.wide)
        self.part("counts", Counts).count(counts_of(session), wide=self.wide)
        self._teach()

    def part(self, name: str, kind: type[Any]) -> Any:
        """Return a window of the table by its name, whatever lies over it."""
        return self.screen_stack[0].query_one(f"#{name}", kind)

    def boxes(self) -> list[ChanceBox]:
        """Return the chances on the cloth, in the order of the house."""
        return list(self.screen_stack[0].query(ChanceBox))

    def _head(self) -> Text:
        session = self.session
        state = session.state
        where = f"taille {state.shoe_number}" if state.shoe_number else ""
        where += f"  coup {state.coup_number}" if state.coup_number else ""
        left = f" {session.house.title}  {where}"
        right = f"{texts.PURSE} {money_text(session.house, session.purse)} "
        room = self.size.width - len(right) - 1
        if len(left) > room:
            left = f" {session.house.name}  {where}"
        return Text(f"{left[:room]:<{room}} {right}", "bold")

    def tell(self, text: str) -> None:
        """Tell the player something."""
        self.part("notice", Part).show(Text(text))

    def refuse(self, error: TrenteError) -> None:
        """Return why something was refused; the player needs no ids of his stakes."""
        self.tell(f"! {_STAKE.sub('', str(error))}")

    def attempt(self, act: Callable[..., None], *args: Any, **named: Any) -> bool:
        """Do something at the table; what is refused is told, and nothing has happened."""
        try:
            act(*args, **named)
        except TrenteError as error:
            self.refuse(error)
            return False
        else:
            self.tell("")
            return True
        finally:
            if self._gone and self._hang_up is not None:
                self._hang_up()
            self.show_table()

    def ask(self) -> None:
        """Ask what is the player's to say."""
        raise NotImplementedError  # pragma: no cover - the table that is played has its questions

    # --- the lesson ----------------------------------------------------------------------------

    def _teach(self) -> None:
        """Work the lesson out beside the screen, where it is shown and the cards are others."""
        if not self.screen_stack[0].has_class("-lesson"):
            return
        seen = seen_cards(self.session.events)
        asked = (self.session.house, seen, self.wide)
        if asked != self._taught:
            self._taught = asked
            self._work_out(seen)

    @work(thread=True, exclusive=True, group="lesson")
    def _work_out(self, seen: tuple[Any, ...]) -> None:
        session = self.session
        try:
            found: Lesson | str = lesson_of(session.house, session.opening, seen)
        except TrenteError as error:
            found = f"! {error}"
        self.call_from_thread(self._learned, found)

    def _learned(self, found: Lesson | str) -> None:
        panel = self.part("lesson", LessonPanel)
        if isinstance(found, Lesson):
            self.lesson = found
            panel.teach(found, wide=self.wide)
        else:
            panel.show(Text(found))

    # --- leaving -------------------------------------------------------------------------------

    def _on_signals(self) -> None:
        """Leave in order where the program is told to stop, and where its terminal is closed."""
        import asyncio  # noqa: PLC0415 - the loop is that of the app

        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self.exit)
        # The screen cannot be put right on a terminal that is gone: to draw there blocks the loop
        # for ever, and with it a handler of the loop. So this one is the interpreter's own.
        number_of_hang_up = getattr(signal, "SIGHUP", None)
        if number_of_hang_up is not None and self._hang_up is not None:
            signal.signal(number_of_hang_up, self._terminal_gone)

    def _terminal_gone(self, *_signal: object) -> None:
        """Save and end now; within an action, when it is whole."""
        self._gone = True
        if not self.session.acting and self._hang_up is not None:
            self._hang_up()
