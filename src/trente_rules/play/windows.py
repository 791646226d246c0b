"""The windows of the table in a terminal: their contents, sizes, colours and letters."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Final, TypeVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.filter import LineFilter
from textual.theme import Theme

from trente_rules.core.errors import TrenteError
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.rules.announcements import warn_borrowed
from trente_rules.core.text import printable, printable_lines
from trente_rules.play.chips import amount_text, money_text, signed_text
from trente_rules.play.cloth import ChanceBox, ChipsBar
from trente_rules.play.dialogs import PICTURED
from trente_rules.play.lesson_panel import LessonPanel
from trente_rules.play.letters import PlainLetters
from trente_rules.play.notes import Chart, Counts, Road
from trente_rules.play.session import PlaySession, UiStep
from trente_rules.play.views import (
    CoupView,
    Texts,
    calls_of,
    card_of,
    chances_after,
    chances_of,
    counts_of,
    coups_of,
    lying_coup,
    other_language,
)
from trente_rules.play.widgets import (
    CallsWindow,
    FootBar,
    FootKey,
    HistoryWindow,
    NextBar,
    RowsWindow,
    TextPart,
    outcome_text,
)
from trente_rules.table.state import Phase

WIDE: Final = 120
"""Columns from which the table is wide."""
LEAST: Final = (80, 24)
"""Columns and lines in which all of the table is seen."""
_TWO_COLUMNS: Final = 72
_STRIP: Final = 19
_TALL: Final = 22
_STAKE: Final = re.compile(r"^stake '[^']*': ?")
_FLASH: Final = 0.8
"""Seconds for which a winning box is lit."""
FELT: Final = Theme(
    name="felt",
    primary="#0b3d2e",
    secondary="#6f8f80",
    warning="#e69f00",
    success="#56b4e9",
    accent="#ffd479",
    foreground="#f2f2f2",
    background="#16231c",
    surface="#16231c",
    panel="#0b3d2e",
)
"""The colours of a card table: what the table has by default."""
CLOTH: Final = {
    "edge": "#4a6358",
    "bright": "#2b5a45",
    "rouge": "#e0563f",
    "rouge-cloth": "#3d120d",
    "noir": "#9a9a9a",
    "noir-cloth": "#050505",
    "white": "#f2ead8",
    "white-cloth": "#26362e",
}
"""The colours of the cloth: the same in every theme."""
FRAMES: Final = "┏━●×♠"
"""Signs that a terminal must know to be drawn on as it is; else everything is plain letters."""
FOOT: Final = {
    "next": "d",
    "turn": "t",
    "repeat": "p",
    "double": "b",
    "clear": "e",
    "undo": "u",
    "insure": "a",
    "uninsure": "A",
    "move": "m",
    "lesson": "l",
    "rules": "g",
    "review": "v",
    "record": "w",
    "house": "h",
    "reset": "x",
    "command_palette": "^p",
    "help": "?",
    "leave": "q",
}
"""The actions at the foot of the screen, and their keys as they are written."""
P = TypeVar("P", bound=TextPart)


class TableWindows(App[None]):
    """The windows of a table: what a session looks like. What its keys do is ``TableApp``'s."""

    CSS_PATH = "table.tcss"
    TITLE = "trente et quarante"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - as Textual declares it
        (0, "-small"),
        (_TWO_COLUMNS, "-narrow"),
        (WIDE, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-flat"),
        (_STRIP, "-short"),
        (_TALL, "-tall"),
        (PICTURED, "-high"),
    ]

    def __init__(
        self, session: PlaySession, *, language: str = "en", encoding: str | None = None
    ) -> None:
        """Draw the table of a session, the interface in a language, in letters of an encoding.

        By default the encoding is that of the terminal. Raises ``PluginError``
        ("unknown-language") for a language that no plugin has.
        """
        super().__init__()
        self.session = session
        self.language = language
        self.texts = Texts(default_manager().language(language or "en"))
        warn_borrowed(self.texts.language, "play.")
        self.other = other_language(session.house, language)
        stream = sys.__stderr__  # None where there is no console
        known = stream.encoding if stream is not None else "utf-8"
        self._letters = _letters_of(encoding or known)
        for name, theme in self.available_themes.items():
            if not theme.dark:  # the cards, chips and figures are coloured for a dark ground
                self.unregister_theme(name)
        self.register_theme(FELT)
        self.theme = FELT.name
        self._seen: tuple[int, int, bool] | None = None

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return the colours of the cloth, which no theme has."""
        return dict(CLOTH)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters of all lines: plain letters where the terminal needs them."""
        return [*super().get_line_filters(), *self._letters]

    # The screen

    def compose(self) -> ComposeResult:
        """Build the windows of the table."""
        texts = self.texts
        yield TextPart("", id="head", markup=False)
        with Container(id="body"):
            with Vertical(id="left"):
                yield CallsWindow("", id="words", markup=False)
                yield RowsWindow("", id="rows", markup=False)
                yield TextPart("", id="outcome", markup=False)
                with VerticalScroll(id="chances", can_focus=False):
                    yield Container(id="simple")
                    yield Container(id="side")
                with Horizontal(id="past"):
                    history = HistoryWindow("", id="history", markup=False)
                    history.border_title = texts("panel.history")
                    yield history
                    road = Road("", id="road", markup=False)
                    road.border_title = texts("panel.road")
                    yield road
                yield ChipsBar("", id="chips", markup=False)
                yield NextBar("", id="next", markup=False)
            with Container(id="right"):
                with Vertical(id="notes"):
                    chart = Chart("", id="chart", markup=False)
                    chart.border_title = texts("panel.card")
                    yield chart
                    counts = Counts("", id="counts", markup=False)
                    counts.border_title = texts("panel.counts")
                    yield counts
                lesson = LessonPanel("", id="lesson", markup=False)
                lesson.border_title = texts("panel.lesson")
                yield lesson
        back = self.session.step is not UiStep.SHUFFLE
        welcome = texts("welcome_back" if back else f"welcome{self._no_cut()}")
        yield TextPart(welcome, id="notice", markup=False)
        yield FootBar("", id="foot", markup=False)

    async def lay_out(self) -> None:
        """Lay the chances of the house out."""
        session, house = self.session, self.session.house
        views = chances_of(session, self.texts)
        self.screen_stack[0].set_class(any(not view.simple for view in views), "-side-bets")
        for name in ("simple", "side"):
            part = self.query_one(f"#{name}", Container)
            await part.remove_children()
            of_kind = [view for view in views if view.simple == (name == "simple")]
            await part.mount_all(
                ChanceBox(view, house, session.chips, self.texts, classes=name) for view in of_kind
            )
            part.display = bool(of_kind)
        self._seen = None
        self.boxes()[0].focus()
        self.call_after_refresh(self.show_table)

    def on_resize(self, event: events.Resize) -> None:
        """Draw what depends on the size; warn where the window is too small for the table."""
        columns, lines = LEAST
        vast = event.size.width >= _VAST[0] and event.size.height >= _VAST[1]
        self.screen_stack[0].set_class(vast, "-vast")
        small = self.texts("small", columns=columns, lines=lines)
        if event.size.width < columns or event.size.height < lines:
            self.notice(small)
        elif self.part("notice", TextPart).plain == small:
            self.notice("")
        self.call_after_refresh(self.show_table)

    @property
    def wide(self) -> bool:
        """True if the table is wide."""
        return self.size.width >= WIDE

    @property
    def high(self) -> bool:
        """True if the table has room for cards as pictures."""
        return self.size.height >= PICTURED

    @property
    def lesson_wide(self) -> bool:
        """True if the lesson has a wide panel, or as many lines as it wants."""
        return self.wide and self.high

    @property
    def taught(self) -> bool:
        """True if the lesson is shown."""
        return self.screen_stack[0].has_class("-lesson")

    def show_table(self) -> None:
        """Show the table as it is now."""
        session, house, texts = self.session, self.session.house, self.texts
        events_ = session.events
        coups, card = coups_of(events_), card_of(session)
        coup = lying_coup(coups)
        self.part("head", TextPart).show(self._head())
        self.part("words", CallsWindow).say(calls_of(events_), house.words, self.other)
        self.part("rows", RowsWindow).deal(coup, house, pictures=self.high)
        self.part("outcome", TextPart).show(outcome_text(coup, house, texts))
        self.part("history", HistoryWindow).list_coups(coups, house, texts)
        for box, view in zip(self.boxes(), chances_after(session, texts, coup), strict=False):
            box.put(view)
            box.set_class(box.won, "-won")
        self._flash(coup)
        chosen = session.chips.index(session.chip) if session.chip in session.chips else 0
        self.part("chips", ChipsBar).offer(texts, house, session.chips, chosen)
        fresh = session.state.phase is Phase.CLOSED  # no card is turned yet
        step = str(UiStep.DEAL if fresh else session.step)
        step += self._no_cut() if step == UiStep.SHUFFLE else ""
        self.part("next", NextBar).show(Text(f" d ▶ {texts(f'next.{step}')} "))
        points = self.wide and not (self.taught and not self.high)
        self.part("chart", Chart).draw(card, points=points)
        self.part("road", Road).draw(card)
        whole = points and not (self.taught and self.size.height < _VAST[1])
        self.part("counts", Counts).count(counts_of(session), house, texts, wide=whole)
        self.part("foot", FootBar).offer(self._foot())

    def _flash(self, coup: CoupView | None) -> None:
        """Light the winning boxes for a moment where a coup has just been decided."""
        seen = self.session.state.shoe_number, coup.number if coup else 0, bool(coup and coup.coup)
        before, self._seen = self._seen, seen
        if before is None or before == seen or not seen[-1]:
            return
        lit = [box for box in self.boxes() if box.won]
        for box in lit:
            box.add_class("-flash")

        def darken() -> None:
            for box in lit:
                box.remove_class("-flash")

        self.set_timer(_FLASH, darken)

    def part(self, name: str, kind: type[P]) -> P:
        """Return a window of the table, also while a dialog is open."""
        return self.screen_stack[0].query_one(f"#{name}", kind)

    def boxes(self) -> list[ChanceBox]:
        """Return the chances on the cloth, in the order of the house."""
        return list(self.screen_stack[0].query(ChanceBox))

    def _no_cut(self) -> str:
        """Return the end of the keys of texts for a house that does not cut when it shuffles."""
        shoe = self.session.house.shoe
        return "_no_cut" if shoe.every_coup or shoe.cut == "after-bets" else ""

    def _head(self) -> Text:
        """Return the first line: the house, the coup, and as much of the money as has room."""
        session, texts, house = self.session, self.texts, self.session.house
        state = session.state
        tailles = state.shoe_number and not house.shoe.every_coup
        where = texts("head.taille", number=state.shoe_number) if tailles else ""
        where += f"  {texts('head.coup', number=state.coup_number)}" if state.coup_number else ""
        purse = texts("head.purse", amount=money_text(house, session.purse, texts.language))
        net = texts("counts.net", number=signed_text(house, session.net, texts.language))
        staked = texts(
            "counts.at_stake", number=amount_text(house, session.at_stake, texts.language)
        )
        rights = [f"{staked}   {net}   {purse} ", f"{net}   {purse} ", f"{purse} "]
        if not state.shoe_number:
            rights = rights[-1:]
        lefts = [f" {printable(house.title)}  {where}", f" {house.name}  {where}"]
        fits = (
            (left, right)
            for left in lefts
            for right in rights
            if len(left.rstrip()) + len(right) + 2 < self.size.width
        )
        left, right = next(fits, (lefts[-1], rights[-1]))
        room = max(self.size.width - len(right) - 1, 0)
        return Text(f"{left[:room]:<{room}} {right}", "bold")

    def _foot(self) -> list[FootKey]:
        """Return the keys that do something now, those that matter most first."""
        session = self.session
        may = {
            "turn": session.step in (UiStep.DEAL, UiStep.CARD),
            "repeat": session.step is UiStep.DEAL and bool(session.to_repeat),
            "double": session.step is UiStep.DEAL and bool(session.free_stakes),
            "clear": session.step is UiStep.DEAL and bool(session.free_stakes),
            "undo": session.can_undo,
            "insure": session.step is UiStep.DEAL and session.house.insurance_table is not None,
            "uninsure": bool(session.insure),
            "move": any(box.view.movable for box in self.boxes()),
            "review": bool(session.events),
            "record": bool(session.events),
            "house": session.between_tailles,
            "reset": bool(session.state.shoe_number),
        }
        return [
            FootKey(key, action, self.texts(f"keys.{action}"))
            for action, key in FOOT.items()
            if may.get(action, True)
        ]

    def notice(self, text: str) -> None:
        """Show a message in the line above the foot."""
        self.part("notice", TextPart).show(Text(printable_lines(text)))

    def refuse(self, error: TrenteError) -> None:
        """Show why something was refused, without the id of the stake."""
        self.notice(f"! {_STAKE.sub('', str(error))}")


_VAST: Final = (150, 46)
"""Columns and lines from which four chances are in a row, and all panels below one another."""


def _letters_of(encoding: str | None) -> list[LineFilter]:
    """Return the filter that a terminal of an encoding needs, if any."""
    try:
        FRAMES.encode(encoding or "utf-8")
    except (UnicodeError, LookupError):
        return [PlainLetters(encoding or "ascii")]
    return []
