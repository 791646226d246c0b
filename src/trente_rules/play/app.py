"""The app: a table on the screen, keys and clicks to the session, events back to the screen."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, ClassVar, Final

from rich.text import Text
from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.widgets import Footer

from trente_rules.errors import TrenteError
from trente_rules.play import texts
from trente_rules.play.chips import amount_text, chip_text
from trente_rules.play.lesson import Lesson, lesson_of, seen_cards
from trente_rules.play.screens.ask import AskScreen
from trente_rules.play.screens.help import HelpScreen
from trente_rules.play.screens.name_file import NameFileScreen
from trente_rules.play.screens.place import PlaceScreen
from trente_rules.play.screens.review import ReviewScreen
from trente_rules.play.session import Session, Step
from trente_rules.play.translate import Translator
from trente_rules.play.views import (
    card_of,
    chances_of,
    counts_of,
    coups_of,
    shown_coup,
    words_of,
)
from trente_rules.play.widgets.bars import ChipsBar, NextBar
from trente_rules.play.widgets.chance_box import ChanceBox
from trente_rules.play.widgets.lesson_panel import LessonPanel
from trente_rules.play.widgets.parts import (
    Chart,
    Counts,
    History,
    Part,
    Rows,
    Words,
    moves_text,
    outcome_text,
)
from trente_rules.rules.chances import COULEUR, INVERSE, NOIR, ROUGE
from trente_rules.table.records.collecting import record_of
from trente_rules.table.records.writing import write_record

WIDE: Final = 120
"""Columns from which the table is wide."""
_STAKE: Final = re.compile(r"^stake '[^']*': ?")
Houses = Callable[[], Iterable[tuple[str, str]]]


class TableApp(App[None]):
    """The table to sit at."""

    CSS_PATH = "table.tcss"
    TITLE = "trente et quarante"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - as Textual declares it
        (0, "-narrow"),
        (WIDE, "-wide"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "next", "Deal"),
        Binding("t", "turn", "Card"),
        Binding("a", "insure", "Insure"),
        Binding("l", "lesson", "Lesson"),
        Binding("v", "review", "Review"),
        Binding("w", "record", "Record"),
        Binding("h,f2", "house", "House", key_display="h"),
        Binding("x", "reset", "Reset"),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q", "leave", "Quit"),
        Binding("ctrl+c,ctrl+q", "leave", show=False, priority=True),
        Binding("m", "move", "Move", show=False),
        *(
            Binding(key, f"add('{chance}')", show=False)
            for key, chance in (("r", ROUGE), ("n", NOIR), ("c", COULEUR), ("i", INVERSE))
        ),
        *(
            Binding(key, f"take('{chance}')", show=False)
            for key, chance in (("R", ROUGE), ("N", NOIR), ("C", COULEUR), ("I", INVERSE))
        ),
        *(Binding(str(key), f"chip({key - 1})", show=False) for key in range(1, 10)),
        Binding("up", "walk(0,-1)", show=False),
        Binding("down", "walk(0,1)", show=False),
        Binding("left", "walk(-1,0)", show=False),
        Binding("right", "walk(1,0)", show=False),
    ]

    def __init__(
        self,
        session: Session,
        *,
        language: str = "en",
        houses: Any = None,
        hang_up: Callable[[], None] | None = None,
    ) -> None:
        """Take the session; ``houses`` answers a house and its opening by a name, and the names.

        ``hang_up`` saves and ends the process where the terminal is gone.

        Raises what ``Translator`` raises for a language that is not known.
        """
        super().__init__()
        self.session = session
        self.language = language
        self.translate = Translator(session.house, language)
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
                yield Words("", id="words", markup=False)
                yield Rows("", id="rows", markup=False)
                yield Part("", id="outcome", markup=False)
                with VerticalScroll(id="chances", can_focus=False):
                    yield Container(id="simple")
                    yield Container(id="side")
                yield History("", id="history", markup=False)
                yield ChipsBar("", id="chips", markup=False)
                yield NextBar("", id="next", markup=False)
            with Vertical(id="right"):
                yield Chart("", id="chart", markup=False)
                yield Counts("", id="counts", markup=False)
            yield LessonPanel("", id="lesson", markup=False)
        back = self.session.step is not Step.SHUFFLE
        yield Part(texts.WELCOME_BACK if back else texts.WELCOME, id="notice", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    async def on_mount(self) -> None:
        """Lay the chances out, and show the table as it stands."""
        await self._lay_out()
        self._on_signals()
        self.call_after_refresh(self._ask)

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
        self._boxes()[0].focus()
        self.call_after_refresh(self.show_table)

    def on_resize(self, _event: events.Resize) -> None:
        """Draw what depends on the room there is."""
        self.call_after_refresh(self.show_table)

    @property
    def wide(self) -> bool:
        """Whether the table is wide."""
        return self.size.width >= WIDE

    def show_table(self) -> None:
        """Show the table as it stands."""
        session, house = self.session, self.session.house
        events_ = session.events
        coup = shown_coup(events_)
        self._part("head", Part).show(self._head())
        self._part("words", Words).say(words_of(events_), self.translate)
        self._part("rows", Rows).deal(coup, house)
        self._part("outcome", Part).show(outcome_text(coup, house))
        self._part("history", History).tell(coups_of(events_), house)
        for box, view in zip(self._boxes(), chances_of(session), strict=False):
            box.put(view)
        names = [chip_text(house, chip) for chip in session.chips]
        chosen = session.chips.index(session.chip) if session.chip in session.chips else 0
        self._part("chips", ChipsBar).show(names, chosen)
        self._part("next", NextBar).show(texts.NEXT[session.step])
        self._part("chart", Chart).draw(card_of(session), points=self.wide)
        self._part("counts", Counts).count(counts_of(session), wide=self.wide)
        self._teach()

    def _part(self, name: str, kind: type[Any]) -> Any:
        return self.screen_stack[0].query_one(f"#{name}", kind)

    def _boxes(self) -> list[ChanceBox]:
        return list(self.screen_stack[0].query(ChanceBox))

    def _head(self) -> Text:
        session = self.session
        state = session.state
        purse = session.house.money.text(0).removeprefix("0").strip()
        where = f"taille {state.shoe_number}" if state.shoe_number else ""
        where += f"  coup {state.coup_number}" if state.coup_number else ""
        left = f" {session.house.title}  {where}"
        right = f"{texts.PURSE} {amount_text(session.house, session.purse)} {purse} "
        room = self.size.width - len(right) - 1
        if len(left) > room:
            left = f" {session.house.name}  {where}"
        return Text(f"{left[:room]:<{room}} {right}", "bold")

    def tell(self, text: str) -> None:
        """Tell the player something."""
        self._part("notice", Part).show(Text(text))

    def refuse(self, error: TrenteError) -> None:
        """Tell why something was refused; the player needs no ids of his stakes."""
        self.tell(f"! {_STAKE.sub('', str(error))}")

    # --- keys ----------------------------------------------------------------------------------

    def _try(self, act: Callable[..., None], *args: Any, **named: Any) -> bool:
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

    def action_next(self) -> None:
        """Do what comes next: shuffle, cut, deal, choose."""
        step = self.session.step
        if step is Step.SHUFFLE:
            self._try(self.session.shuffle)
        elif step in (Step.DEAL, Step.CARD):
            self._try(self.session.deal)
        self._ask()

    def action_turn(self) -> None:
        """Turn one card."""
        if self.session.step in (Step.DEAL, Step.CARD):
            self._try(self.session.turn)
        self._ask()

    def action_add(self, chance: str) -> None:
        """Add the chip in hand to a chance."""
        self._focus_chance(chance)
        self._try(self.session.add, chance)

    def action_take(self, chance: str) -> None:
        """Take the chip in hand off a chance."""
        self._focus_chance(chance)
        self._try(self.session.take, chance)

    def action_chip(self, place: int) -> None:
        """Take a chip in hand by its place."""
        if place < len(self.session.chips):
            self._try(self.session.choose_chip, self.session.chips[place])

    def action_insure(self) -> None:
        """Insure the chance that has the focus, or no more."""
        box = self._focused_box()
        if box is not None:
            self._try(self.session.toggle_insurance, box.view.id)

    def action_walk(self, across: int, down: int) -> None:
        """Go to the chance beside, above or below."""
        boxes = self._boxes()
        box = self._focused_box()
        if box is None:
            return
        at = box.region
        for other in boxes:
            there = other.region
            if (
                across
                and there.y == at.y
                and there.x == at.x + across * (at.width if across > 0 else there.width)
            ):
                other.focus()
            if (
                down
                and there.x <= at.x < there.right
                and (there.y == at.bottom if down > 0 else there.bottom == at.y)
            ):
                other.focus()

    def action_lesson(self) -> None:
        """Show the lesson, or hide it."""
        self.screen_stack[0].toggle_class("-lesson")
        self.call_after_refresh(self.show_table)

    def action_help(self) -> None:
        """Show the help."""
        self.push_screen(HelpScreen())

    def action_review(self) -> None:
        """Go through the taille coup by coup."""
        coups = tuple(coup for coup in coups_of(self.session.events) if coup.begun)
        if not coups:
            self.tell(texts.NO_COUP)
            return
        house = self.session.house
        self.push_screen(ReviewScreen(coups, card_of(self.session), house, self.translate))

    def action_record(self) -> None:
        """Ask for a file to save the record of the taille in."""
        if not self.session.events:
            self.tell(texts.NO_COUP)
            return
        name = record_name(self.session)
        self.push_screen(NameFileScreen(texts.RECORD_TITLE, texts.RECORD_BODY, name), self._record)

    def _record(self, name: str | None) -> None:
        if name is None:
            return
        try:
            write_record(record_of(self.session.table), name)
        except TrenteError as error:
            self.refuse(error)
        else:
            self.tell(texts.RECORD_DONE.format(file=name))

    def action_reset(self) -> None:
        """Ask whether to begin again."""
        bankroll = self.session.house.money.text(self.session.bankroll)
        self.push_screen(
            AskScreen(
                texts.RESET_TITLE,
                texts.RESET_BODY.format(bankroll=bankroll),
                (("no", texts.NO), ("yes", texts.RESET_YES)),
            ),
            self._reset,
        )

    async def _reset(self, answer: str | None) -> None:
        if answer == "yes" and self._try(self.session.reset):
            await self._lay_out()

    def action_house(self) -> None:
        """Ask for another house."""
        if self.session.step is not Step.SHUFFLE:
            self.tell(
                "! the house is changed between two tailles: play this one to its end (x: reset)"
            )
            return
        if self.houses is not None:
            names = tuple(self.houses.names())
            self.push_screen(AskScreen(texts.HOUSE_TITLE, texts.HOUSE_BODY, names), self._sit)

    async def _sit(self, name: str | None) -> None:
        if name is None:
            return
        try:
            house, opening = self.houses(name)
        except TrenteError as error:
            self.refuse(error)
            return
        if self._try(self.session.change_house, house, opening):
            self.translate = Translator(house, self.language)
            await self._lay_out()

    def action_move(self) -> None:
        """Move a prisoner of the chance that has the focus."""
        box = self._focused_box()
        if box is None:
            return
        if not box.view.prisoners:
            self.tell(texts.MOVE_NONE.format(chance=box.view.id))
            return
        stake = box.view.prisoners[0].id
        others = [each for each in self.session.house.deal.chances if each != box.view.id]
        self.push_screen(
            AskScreen(texts.MOVE_TITLE, texts.MOVE_BODY, [(each, each) for each in others]),
            lambda chance: self._move(stake, chance),
        )

    def _move(self, stake: str, chance: str | None) -> None:
        if chance is not None:
            self._try(self.session.move_prisoner, stake, chance)

    def action_leave(self) -> None:
        """Leave the table."""
        self.exit()

    # --- what the cards ask --------------------------------------------------------------------

    def _ask(self) -> None:
        """Ask what is the player's to say: the cut, the marker, a choice."""
        if self._asking:
            return
        session = self.session
        step = session.step
        packs = session.house.shoe.packs
        if step is Step.CUT:
            self._asking = True
            self.push_screen(
                PlaceScreen(
                    texts.CUT_TITLE, self._said(), texts.CUT_HELP, texts.CUT_DONE, 0, packs * 52
                ),
                lambda place: self._answered(session.cut, place),
            )
        elif step is Step.MARKER and session.house.shoe.marker:
            self._asking = True
            low, high = session.house.shoe.marker.bounds
            self.push_screen(
                PlaceScreen(
                    texts.MARKER_TITLE, "", texts.MARKER_HELP, texts.MARKER_DONE, low, high
                ),
                lambda place: self._answered(session.place_marker, place),
            )
        elif session.offers():
            self._asking = True
            self._ask_choice()

    def _said(self) -> str:
        calls = words_of(self.session.events)
        return "\n".join(
            ": ".join(word for word in (call.text, self.translate(call)) if word) for call in calls
        )

    def _ask_choice(self) -> None:
        offer = self.session.offers()[0]
        stake = offer.stake
        amount = self.session.house.money.text(stake.standing)
        where = "" if stake.free else f", in {stake.state},"
        body = texts.CHOICE_BODY.format(
            chance=stake.chance, amount=f"{amount}{where}", verdict=texts.VERDICTS[offer.verdict.id]
        )
        house = self.session.house
        answers = [
            (course, f"{course}: {moves_text(self.session.outcome(offer, course), house)}")
            for course in offer.courses
        ]
        self.push_screen(
            AskScreen(texts.CHOICE_TITLE, body, answers, must=True, low=True),
            lambda course: self._answered(self.session.choose, stake.id, course),
        )

    def _answered(self, act: Callable[..., None], *args: Any) -> None:
        self._asking = False
        if self._try(act, *args):
            self._ask()

    # --- mouse ---------------------------------------------------------------------------------

    def on_chance_box_acted(self, event: ChanceBox.Acted) -> None:
        """Do what was done to a chance."""
        chance = event.chance
        if event.act == "add":
            self._try(self.session.add, chance)
        elif event.act == "insure":
            self._try(self.session.toggle_insurance, chance)
        else:
            self._try(self.session.take, chance, whole=event.act == "take-all")

    def on_chips_bar_chosen(self, event: ChipsBar.Chosen) -> None:
        """Take the chip that was clicked."""
        self.action_chip(event.place)

    def on_next_bar_pressed(self) -> None:
        """Go on."""
        self.action_next()

    def _focused_box(self) -> ChanceBox | None:
        return self.focused if isinstance(self.focused, ChanceBox) else None

    def _focus_chance(self, chance: str) -> None:
        for box in self._boxes():
            if box.view.id == chance:
                box.focus()

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
        panel = self._part("lesson", LessonPanel)
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


def record_name(session: Session) -> str:
    """Answer a name for the record of this taille."""
    return f"{session.house.name}-taille-{session.state.shoe_number}.toml"
