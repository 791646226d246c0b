"""The table in a terminal: its windows, its keys and clicks, its questions, how it is left."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final, TypeVar

from rich.text import Text
from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.widgets import Footer

from trente_rules.core.errors import TrenteError
from trente_rules.core.house.loading import load_house
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.rules.announcements import warn_borrowed
from trente_rules.core.text import printable, printable_lines
from trente_rules.play.dialogs import (
    AskScreen,
    HelpScreen,
    NameFileScreen,
    PlaceScreen,
    ReviewScreen,
)
from trente_rules.play.lesson import Lesson, lesson_of, seen_cards
from trente_rules.play.session import PlaySession, UiStep, chip_text, money_text
from trente_rules.play.views import (
    KEYS,
    Texts,
    calls_of,
    card_of,
    chances_of,
    counts_of,
    coups_of,
    other_language,
    said,
    shown_coup,
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
    RowsWindow,
    TextPart,
    moves_text,
    outcome_text,
)
from trente_rules.records.files import write_record
from trente_rules.records.recorder import record_of
from trente_rules.table.state import Phase

WIDE: Final = 120
"""Columns from which the table is wide."""
LEAST: Final = (80, 24)
"""Columns and lines in which all of the table is seen."""
_TWO_COLUMNS: Final = 72
_TALL: Final = 22
_STAKE: Final = re.compile(r"^stake '[^']*': ?")
_FOOT: Final = {
    "next": "d",
    "turn": "t",
    "insure": "a",
    "lesson": "l",
    "review": "v",
    "record": "w",
    "house": "h,f2",
    "reset": "x",
    "help": "question_mark",
    "leave": "q",
}
"""The actions at the foot of the screen, and their keys."""
P = TypeVar("P", bound=TextPart)


class TableApp(App[None]):
    """The table a player sits at."""

    CSS_PATH = "table.tcss"
    TITLE = "trente et quarante"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - as Textual declares it
        (0, "-small"),
        (_TWO_COLUMNS, "-narrow"),
        (WIDE, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (_TALL, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "leave", show=False, priority=True),
        Binding("m", "move", show=False),
        *(Binding(key, f"add('{chance}')", show=False) for chance, key in KEYS.items()),
        *(Binding(key.upper(), f"take('{chance}')", show=False) for chance, key in KEYS.items()),
        *(Binding(str(key), f"chip({key - 1})", show=False) for key in range(1, 10)),
        Binding("up", "walk(0,-1)", show=False),
        Binding("down", "walk(0,1)", show=False),
        Binding("left", "walk(-1,0)", show=False),
        Binding("right", "walk(1,0)", show=False),
    ]

    def __init__(
        self,
        session: PlaySession,
        *,
        language: str = "en",
        houses: Sequence[str] = (),
        hang_up: Callable[[], None] | None = None,
    ) -> None:
        """Sit down at the table of a session, its interface in a language.

        ``houses`` are the names of those the player may change to. ``hang_up`` saves and ends the
        process when the terminal is gone.

        Raises ``PluginError`` ("unknown-language") for a language that no plugin has.
        """
        super().__init__()
        self.session = session
        self.language = language
        self.texts = Texts(default_manager().language(language or "en"))
        warn_borrowed(self.texts.language, "play.")
        self.other = other_language(session.house, language)
        self.houses = houses
        self.lesson: Lesson | None = None
        self._taught: tuple[Any, ...] | None = None
        self._asking = False
        self._hang_up = hang_up
        self._gone = False
        for action, keys in _FOOT.items():
            display = {"house": "h", "help": "?"}.get(action)
            self.bind(keys, action, description=self.texts(f"keys.{action}"), key_display=display)

    # The screen

    def compose(self) -> ComposeResult:
        """Build the windows of the table."""
        yield TextPart("", id="head", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield CallsWindow("", id="words", markup=False)
                yield RowsWindow("", id="rows", markup=False)
                yield TextPart("", id="outcome", markup=False)
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
        welcome = self.texts("welcome_back" if back else f"welcome{self._no_cut()}")
        yield TextPart(welcome, id="notice", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    async def on_mount(self) -> None:
        """Lay the chances out and show the table."""
        await self._lay_out()
        self._on_signals()
        self.call_after_refresh(self.ask)

    async def _lay_out(self) -> None:
        views = chances_of(self.session)
        self.screen_stack[0].set_class(any(not view.simple for view in views), "-side-bets")
        for name in ("simple", "side"):
            part = self.query_one(f"#{name}", Container)
            await part.remove_children()
            of_kind = [view for view in views if view.simple == (name == "simple")]
            house = self.session.house
            await part.mount_all(
                ChanceBox(view, house, self.texts, classes=name) for view in of_kind
            )
            part.display = bool(of_kind)
        self.boxes()[0].focus()
        self.call_after_refresh(self.show_table)

    def on_resize(self, event: events.Resize) -> None:
        """Draw what depends on the size; warn where the window is too small for the table."""
        columns, lines = LEAST
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

    def show_table(self) -> None:
        """Show the table as it is now."""
        session, house, texts = self.session, self.session.house, self.texts
        events_ = session.events
        coup = shown_coup(events_)
        self.part("head", TextPart).show(self._head())
        self.part("words", CallsWindow).say(calls_of(events_), house.words, self.other)
        self.part("rows", RowsWindow).deal(coup, house)
        self.part("outcome", TextPart).show(outcome_text(coup, house, texts))
        self.part("history", HistoryWindow).list_coups(coups_of(events_), house, texts)
        for box, view in zip(self.boxes(), chances_of(session), strict=False):
            box.put(view)
        names = [chip_text(house, chip) for chip in session.chips]
        chosen = session.chips.index(session.chip) if session.chip in session.chips else 0
        self.part("chips", ChipsBar).offer(f"{texts('chips')} ", names, chosen)
        fresh = session.state.phase is Phase.CLOSED  # no card is turned yet
        step = str(UiStep.DEAL if fresh else session.step)
        step += self._no_cut() if step == UiStep.SHUFFLE else ""
        self.part("next", NextBar).show(Text(f" d ▶ {texts(f'next.{step}')} "))
        self.part("chart", Chart).draw(card_of(session), points=self.wide)
        self.part("counts", Counts).count(counts_of(session), texts, wide=self.wide)
        self._teach()

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
        session, texts = self.session, self.texts
        state = session.state
        tailles = state.shoe_number and not session.house.shoe.every_coup
        where = texts("head.taille", number=state.shoe_number) if tailles else ""
        where += f"  {texts('head.coup', number=state.coup_number)}" if state.coup_number else ""
        left = f" {printable(session.house.title)}  {where}"
        right = f"{texts('head.purse', amount=money_text(session.house, session.purse))} "
        room = self.size.width - len(right) - 1
        if len(left) > room:
            left = f" {session.house.name}  {where}"
        return Text(f"{left[:room]:<{room}} {right}", "bold")

    def notice(self, text: str) -> None:
        """Show a message in the line above the foot."""
        self.part("notice", TextPart).show(Text(printable_lines(text)))

    def refuse(self, error: TrenteError) -> None:
        """Show why something was refused, without the id of the stake."""
        self.notice(f"! {_STAKE.sub('', str(error))}")

    def attempt(self, act: Callable[..., None], *args: Any, **named: Any) -> bool:
        """Do something at the table, or show why it is refused; return whether it is done."""
        try:
            act(*args, **named)
        except TrenteError as error:
            self.refuse(error)
            return False
        else:
            self.notice("")
            return True
        finally:
            if self._gone and self._hang_up is not None:
                self._hang_up()
            self.show_table()

    # Keys and clicks

    def action_next(self) -> None:
        """Do what comes next: shuffle, cut, deal, choose."""
        step = self.session.step
        if step is UiStep.SHUFFLE:
            self.attempt(self.session.shuffle)
        elif step in (UiStep.DEAL, UiStep.CARD):
            self.attempt(self.session.deal)
        self.ask()

    def action_turn(self) -> None:
        """Turn one card."""
        if self.session.step in (UiStep.DEAL, UiStep.CARD):
            self.attempt(self.session.turn)
        self.ask()

    def action_add(self, chance: str) -> None:
        """Add the chip in hand to a chance."""
        self._focus(chance)
        self.attempt(self.session.add, chance)

    def action_take(self, chance: str) -> None:
        """Take the chip in hand off a chance."""
        self._focus(chance)
        self.attempt(self.session.take, chance)

    def action_take_all(self, chance: str) -> None:
        """Take the whole stake off a chance."""
        self.attempt(self.session.take, chance, whole=True)

    def action_chip(self, index: int) -> None:
        """Take a chip in hand."""
        if index < len(self.session.chips):
            self.attempt(self.session.choose_chip, self.session.chips[index])

    def action_insure(self, chance: str = "") -> None:
        """Turn insurance on or off, by default for the chance that has the focus."""
        box = self._box(chance)
        if box is not None:
            self.attempt(self.session.toggle_insurance, box.view.id)

    def action_walk(self, across: int, down: int) -> None:
        """Move the focus to the chance at the side, above or below."""
        box = self._box()
        if box is None:
            return
        at = box.region
        for other in self.boxes():
            there = other.region
            step = at.width if across > 0 else there.width
            if across and there.y == at.y and there.x == at.x + across * step:
                other.focus()
            touches = there.y == at.bottom if down > 0 else there.bottom == at.y
            if down and there.x <= at.x < there.right and touches:
                other.focus()

    def action_lesson(self) -> None:
        """Show the lesson, or hide it."""
        self.screen_stack[0].toggle_class("-lesson")
        self.call_after_refresh(self.show_table)

    def action_help(self) -> None:
        """Show the help."""
        self.push_screen(HelpScreen(self.texts))

    def action_review(self) -> None:
        """Review the taille coup by coup."""
        coups = [coup for coup in coups_of(self.session.events) if coup.begun]
        if not coups:
            self.notice(self.texts("no_coup"))
            return
        card, house = card_of(self.session), self.session.house
        self.push_screen(ReviewScreen(self.texts, coups, card, house, self.other))

    def action_record(self) -> None:
        """Ask for a file to save the record of the taille in."""
        session = self.session
        if not session.events:
            self.notice(self.texts("no_coup"))
            return
        name = f"{session.house.name}-taille-{session.state.shoe_number}.toml"
        self.push_screen(NameFileScreen(self.texts, name), self._record)

    def _record(self, name: str | None) -> None:
        if name is None:
            return
        try:
            write_record(record_of(self.session.table), name)
        except TrenteError as error:
            self.refuse(error)
        else:
            self.notice(self.texts("record.done", file=name))

    def action_reset(self) -> None:
        """Ask whether to start over."""
        texts, back = self.texts, self.texts("back")
        bankroll = money_text(self.session.house, self.session.bankroll)
        body = texts("reset.body", bankroll=bankroll)
        answers = [(answer, texts(f"reset.{answer}")) for answer in ("no", "yes")]
        self.push_screen(AskScreen(texts("reset.title"), body, answers, back=back), self._reset)

    async def _reset(self, answer: str | None) -> None:
        if answer == "yes" and self.attempt(self.session.reset):
            await self._lay_out()

    def action_house(self) -> None:
        """Ask for another house."""
        texts, back = self.texts, self.texts("back")
        if not self.session.between_tailles:
            self.notice(texts("house.not_now"))
            return
        title, body = texts("house.title"), texts("house.body")
        answers = [(name, name) for name in self.houses]
        self.push_screen(AskScreen(title, body, answers, back=back), self._change_house)

    async def _change_house(self, name: str | None) -> None:
        if name is None:
            return
        try:
            house = load_house(name)
        except TrenteError as error:
            self.refuse(error)
            return
        if self.attempt(self.session.change_house, house, house.lowest_opening()):
            self.other = other_language(house, self.language)
            await self._lay_out()

    def action_move(self, chance: str = "") -> None:
        """Ask where to move a prisoner, by default of the chance that has the focus."""
        box, texts = self._box(chance), self.texts
        if box is None:
            return
        view = box.view
        if not view.prisoners:
            self.notice(texts("move.none", chance=view.id))
        elif not view.movable:
            self.notice(texts("move.not_now"))
        else:
            stake = view.prisoners[0].id
            others = [(name, name) for name in self.session.house.deal.chances if name != view.id]
            title, body, back = map(texts, ("move.title", "move.body", "back"))
            self.push_screen(
                AskScreen(title, body, others, back=back), lambda to: self._move(stake, to)
            )

    def _move(self, stake: str, chance: str | None) -> None:
        if chance is not None:
            self.attempt(self.session.move_prisoner, stake, chance)

    def action_leave(self) -> None:
        """Leave the table."""
        self.exit()

    def _box(self, chance: str = "") -> ChanceBox | None:
        """Return the box of a chance, by default the one that has the focus."""
        if not chance:
            return self.focused if isinstance(self.focused, ChanceBox) else None
        return next((box for box in self.boxes() if box.view.id == chance), None)

    def _focus(self, chance: str) -> None:
        box = self._box(chance)
        if box is not None:
            box.focus()

    # Questions that the cards ask

    def ask(self) -> None:
        """Ask what only the player can decide: the cut, the marker, a choice."""
        if self._asking:
            return
        session = self.session
        shoe = session.house.shoe
        if session.step is UiStep.CUT:
            self._ask(
                PlaceScreen(self.texts, "cut", self._calls(), 0, shoe.packs * 52), session.cut
            )
        elif session.step is UiStep.MARKER and shoe.marker:
            screen = PlaceScreen(self.texts, "marker", "", *shoe.marker.bounds)
            self._ask(screen, session.place_marker)
        elif session.offers():
            self._ask_choice()

    def _calls(self) -> str:
        languages = [words for words in (self.session.house.words, self.other) if words]
        return "\n".join(
            ": ".join(filter(None, (said(words, call) for words in languages)))
            for call in calls_of(self.session.events)
        )

    def _ask_choice(self) -> None:
        session, texts = self.session, self.texts
        offer = session.offers()[0]
        stake = offer.stake
        body = texts(
            "choice.free" if stake.free else "choice.held",
            verdict=texts.verdict(offer.verdict),
            amount=money_text(session.house, stake.standing),
            chance=stake.chance,
            state=texts.state(stake.state),
        )
        answers = []
        for course in offer.courses:
            line = session.outcome(offer, course)
            answers.append((course, f"{course}: {moves_text(line, session.house, texts)}"))
        screen = AskScreen(texts("choice.title"), body, answers)
        self._ask(screen, lambda course: session.choose(stake.id, course))

    def _ask(self, screen: PlaceScreen | AskScreen, act: Callable[[Any], None]) -> None:
        def answered(answer: object) -> None:
            self._asking = False
            if self.attempt(act, answer):
                self.ask()

        self._asking = True
        self.push_screen(screen, answered)

    # The lesson

    def _teach(self) -> None:
        """Compute the lesson in a thread, if it is shown and the cards seen have changed."""
        if not self.screen_stack[0].has_class("-lesson"):
            return
        seen = seen_cards(self.session.events)
        asked = (self.session.house, seen, self.wide)
        if asked != self._taught:
            self._taught = asked
            self._compute(seen)

    @work(thread=True, exclusive=True, group="lesson")
    def _compute(self, seen: tuple[Any, ...]) -> None:
        session = self.session
        try:
            lesson: Lesson | str = lesson_of(session.house, session.opening, seen)
        except TrenteError as error:
            lesson = f"! {error}"
        self.call_from_thread(self._show_lesson, lesson)

    def _show_lesson(self, lesson: Lesson | str) -> None:
        panel = self.part("lesson", LessonPanel)
        if isinstance(lesson, Lesson):
            self.lesson = lesson
            panel.teach(lesson, self.texts, self.session.house, wide=self.wide)
        else:
            panel.show(Text(lesson))

    # Leaving

    def _on_signals(self) -> None:
        """Leave in order when the program is to stop, or when its terminal is closed."""
        import asyncio  # noqa: PLC0415 - the loop is that of the app

        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self.exit)
        # The screen cannot be restored on a terminal that is gone: to draw there blocks the loop
        # for ever, and with it any handler of the loop. So this one is the interpreter's.
        number_of_hang_up = getattr(signal, "SIGHUP", None)
        if number_of_hang_up is not None and self._hang_up is not None:
            signal.signal(number_of_hang_up, self._terminal_gone)

    def _terminal_gone(self, *_signal: object) -> None:
        """Save and end now, or when the action that is being done is whole."""
        self._gone = True
        if not self.session.acting and self._hang_up is not None:
            self._hang_up()
