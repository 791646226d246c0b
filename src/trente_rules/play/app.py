"""The table in a terminal: its keys and clicks, its questions, how it is left."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, ClassVar, Final

from rich.text import Text
from textual import events, work
from textual.app import SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.theme import ThemeProvider

from trente_rules.core.errors import TrenteError
from trente_rules.core.house.loading import load_house
from trente_rules.core.plugins.manager import default_manager
from trente_rules.fair.card_seal import CardSeal
from trente_rules.play.chips import (
    ChipKeys,
    amount_text,
    money_text,
    share_text,
    signed_text,
    worth_text,
)
from trente_rules.play.cloth import ChanceBox
from trente_rules.play.dialogs import (
    AskScreen,
    HelpScreen,
    Menu,
    NameFileScreen,
    PlaceScreen,
    ReviewScreen,
    RulesScreen,
)
from trente_rules.play.lesson import Lesson, lesson_of, seen_cards
from trente_rules.play.lesson_panel import LessonPanel
from trente_rules.play.saving import SaveFile
from trente_rules.play.session import Laid, PlaySession, Price, UiStep
from trente_rules.play.views import (
    KEYS,
    SIDE,
    calls_of,
    card_of,
    coups_of,
    key_of,
    other_language,
    said,
)
from trente_rules.play.widgets import course_text, moves_text
from trente_rules.play.windows import TableWindows
from trente_rules.records.files import write_record
from trente_rules.records.recorder import record_of
from trente_rules.table.events import ChoiceOffered

ASKED: Final = 0.05
"""The part of a stake from which on a premium is asked about, once in a session."""
_KEYS: Final = {
    "next": "d",
    "turn": "t",
    "repeat": "p",
    "double": "b",
    "clear": "e",
    "undo": "u,ctrl+z",
    "insure": "a",
    "uninsure": "A",
    "move": "m",
    "lesson": "l",
    "rules": "g,f1",
    "review": "v",
    "record": "w",
    "house": "h,f2",
    "reset": "x",
    "help": "question_mark",
    "leave": "q",
}
"""The keys of the actions of the table."""
_SECOND_ENTER: Final = 0.4
"""Seconds after a dialog in which Enter lays no chip: a key that bounces is not a bet."""
_NO_COMMANDS: Final = ("command_palette", "next")
"""Actions that the menu does not list."""
SaveAs = Callable[[str], None]


class TableApp(TableWindows):
    """The table a player sits at."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "leave_now", show=False, priority=True),
        *(Binding(keys, action, show=False) for action, keys in _KEYS.items()),
        *(Binding(key, f"add('{chance}')", show=False) for chance, key in KEYS.items()),
        *(Binding(key.upper(), f"take('{chance}')", show=False) for chance, key in KEYS.items()),
        Binding("left_square_bracket", "step_chip(-1)", show=False),
        Binding("right_square_bracket", "step_chip(1)", show=False),
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
        save_as: SaveAs | None = None,
        encoding: str | None = None,
    ) -> None:
        """Sit down at the table of a session, its interface in a language.

        ``houses`` are the names of those the player may change to. ``hang_up`` saves and ends the
        process when the terminal is gone. ``save_as`` saves the session in a new file that the
        player names. ``encoding`` is that of the terminal.

        Raises ``PluginError`` ("unknown-language") for a language that no plugin has.
        """
        super().__init__(session, language=language, encoding=encoding)
        self.houses = houses
        self.lesson: Lesson | None = None
        self.saved_in = ""
        self._save_as = save_as or partial(save_session, session)
        self._taught: tuple[Any, ...] | None = None
        self._asking = False
        self._hang_up = hang_up
        self._gone = False
        self._chip_keys = ChipKeys()
        self._left_at = float("-inf")
        self._side = ""

    async def on_mount(self) -> None:
        """Lay the chances out and show the table."""
        await self.lay_out()
        self._on_signals()
        self.call_after_refresh(self.ask)

    def pop_screen(self) -> AwaitComplete:
        """Leave a dialog, and note when."""
        self._left_at = monotonic()
        return super().pop_screen()

    def show_table(self) -> None:
        """Show the table as it is now, and the lesson where it is wanted."""
        super().show_table()
        self._teach()

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

    def on_key(self, event: events.Key) -> None:
        """Take the keys that are part of something longer: the value of a chip, a side bet."""
        if len(self.screen_stack) == 1 and self._takes(event.character or ""):
            event.stop()
            event.prevent_default()

    def _takes(self, key: str) -> bool:
        """Return whether a key is part of the value of a chip, or of the name of a side bet."""
        house, session = self.session.house, self.session
        if self._side:
            first, self._side = self._side, ""
            named = {key_of(house, each.id): each.id for each in house.chances}
            chance = named.get(f"{SIDE}{key}")
            if chance is None:
                self.notice(self.texts("side.none", keys=f"{first}{key}"))
            elif first == SIDE:
                self.action_add(chance)
            else:
                self.action_take(chance)
            return True
        if key.lower() == SIDE and house.side_bets:
            self._side = key
            self.notice(self.texts("side.which"))
            return True
        if not self._chip_keys.takes(key):
            self._chip_keys.forget()
            return False
        typed = self._chip_keys.type(key, monotonic(), house, session.chips, self.texts.language)
        if typed.chip is not None:
            self.attempt(session.choose_chip, typed.chip)
        elif typed.near:
            more = "chip_more" if self._chip_keys.digits else "chip_none"
            self.notice(self.texts(more, digits=typed.digits, chips=", ".join(typed.near)))
        return True

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
        self._lay(((chance, self.session.chip),), partial(self.session.add, chance))

    def action_enter(self, chance: str) -> None:
        """Add the chip in hand; not by an Enter that was meant for a dialog which is left now."""
        if monotonic() - self._left_at > _SECOND_ENTER:
            self.action_add(chance)

    def action_repeat(self) -> None:
        """Lay the stakes of the coup before again."""
        self._lay(self.session.to_repeat, self.session.repeat)

    def action_double(self) -> None:
        """Double every stake."""
        self._lay(self.session.free_stakes, self.session.double)

    def action_clear(self) -> None:
        """Take every stake off."""
        self.attempt(self.session.clear)

    def action_undo(self) -> None:
        """Take the last change of the bets back."""
        self.attempt(self.session.undo)

    def action_take(self, chance: str) -> None:
        """Take the chip in hand off a chance."""
        self._focus(chance)
        self.attempt(self.session.take, chance)

    def action_take_all(self, chance: str) -> None:
        """Take the whole stake off a chance."""
        self.attempt(self.session.take, chance, whole=True)

    def action_chip(self, index: int) -> None:
        """Take a chip in hand, by its place."""
        if index < len(self.session.chips):
            self.attempt(self.session.choose_chip, self.session.chips[index])

    def action_step_chip(self, by: int) -> None:
        """Take the next smaller or the next larger chip in hand."""
        chips = self.session.chips
        place = min(max(chips.index(self.session.chip) + by, 0), len(chips) - 1)
        self.attempt(self.session.choose_chip, chips[place])

    # Insurance, and what it costs

    def action_insure(self, chance: str = "") -> None:
        """Turn insurance on or off, by default for the chance that has the focus."""
        box = self._box(chance)
        if box is None:
            return
        chance = box.view.id
        toggle = partial(self.session.toggle_insurance, chance)
        price = None
        if chance not in self.session.insure:
            price = self.session.insurance_on(chance)
        self._if_not_dear(price, toggle)

    def action_uninsure(self) -> None:
        """Turn insurance off for all chances."""
        self.attempt(self.session.uninsure)

    def _lay(self, stakes: Laid, act: Callable[[], None]) -> None:
        """Lay stakes; ask first where they would be insured for a dear premium."""
        price = self.session.price(self.session.laying(stakes))

        def uninsured() -> None:
            self.session.uninsure(chance for chance, _units in stakes)
            act()

        self._if_not_dear(price, act, partial(self.attempt, uninsured))

    def _if_not_dear(
        self,
        price: Price | None,
        act: Callable[[], None],
        otherwise: Callable[[], object] | None = None,
    ) -> None:
        """Do something that pays a premium; where it is dear, ask first, once in a session.

        ``otherwise`` is what is done without insurance, None where that is to do nothing.
        """
        session, texts = self.session, self.texts
        if price is None or price.share <= ASKED or session.warned:
            self.attempt(act)
            return
        premium = money_text(session.house, price.premium, texts.language)
        stake = money_text(session.house, price.stake, texts.language)
        share = share_text(price.share, texts.language)

        def answered(answer: str | None) -> None:
            if answer is not None:
                session.warned = True
            if answer == "yes":
                self.attempt(act)
            elif answer == "no" and otherwise is not None:
                otherwise()

        body = texts("insure.body", premium=premium, stake=stake, share=share)
        answers = [
            ("no", texts("insure.no")),
            ("yes", texts("insure.yes", premium=premium, share=share)),
        ]
        back = texts("back") if otherwise is not None else ""
        screen = AskScreen(texts("insure.title"), body, answers, back=back)
        self.push_screen(screen, answered)

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

    def action_rules(self) -> None:
        """Show the rules of the house."""
        languages = default_manager().names("language")
        self.push_screen(RulesScreen(self.texts, self.session.house, languages))

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
            await self.lay_out()

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

    # The menu

    def action_command_palette(self) -> None:
        """Show the menu: what can be done, and the colours."""
        if len(self.screen_stack) == 1:
            palette = Menu(placeholder=self.texts("menu.search"), id="--command-palette")
            self.push_screen(palette)

    def search_themes(self) -> None:
        """Show the colours to pick from."""
        placeholder = self.texts("menu.themes")
        self.push_screen(Menu(providers=[ThemeProvider], placeholder=placeholder))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:  # noqa: ARG002 - as Textual calls it
        """Return what the menu lists: what the keys at the foot do, and the colours."""
        for key in self._foot():
            if key.action not in _NO_COMMANDS:
                words = f"{key.word} ({key.key})", self.texts(f"does.{key.action}")
                yield SystemCommand(*words, partial(self.run_action, key.action))
        yield SystemCommand(
            self.texts("menu.theme"), self.texts("does.theme"), self.action_change_theme
        )

    # Leaving and starting over

    def action_leave_now(self) -> None:
        """Leave the table at once; the bets are saved if the session has a file."""
        self.exit()

    def action_leave(self) -> None:
        """Leave the table; ask first where a shoe would be lost."""
        if not self._would_lose():
            self.exit()
            return
        self._ask_before("leave", "", self.exit)

    def action_reset(self) -> None:
        """Ask whether to start over."""
        bankroll = money_text(self.session.house, self.session.bankroll, self.texts.language)
        self._ask_before("reset", bankroll, self._reset)

    def _would_lose(self) -> bool:
        """Return whether a shoe is on the table that no file holds."""
        return self.session.keeper is None and not self.session.between_tailles

    def _ask_before(self, what: str, bankroll: str, act: Callable[[], object]) -> None:
        """Ask before something that ends the session: stay, save it first, or do it."""
        session, house, texts = self.session, self.session.house, self.texts
        body = texts(
            "leave.body" if self._would_lose() else "leave.kept",
            purse=money_text(house, session.purse, texts.language),
            net=signed_text(house, session.net, texts.language),
            staked=amount_text(house, session.at_stake, texts.language),
        )
        answers = ["stay", *(["save"] if self._would_lose() else []), "do"]
        picks = [(answer, texts(f"{what}.{answer}", bankroll=bankroll)) for answer in answers]

        def answered(answer: str | None) -> None:
            if answer == "do":
                self.call_next(act)
            elif answer == "save":
                name = f"{house.name}-session.json"
                self.push_screen(NameFileScreen(texts, name, "save"), partial(self._save, act))

        title = texts(f"{what}.title", bankroll=bankroll)
        self.push_screen(AskScreen(title, body, picks), answered)

    def _save(self, act: Callable[[], object], name: str | None) -> None:
        """Save the session in a new file, then do something."""
        if name is None:
            return
        try:
            self._save_as(name)
        except TrenteError as error:
            self.refuse(error)
            return
        self.saved_in = name
        self.call_next(act)

    async def _reset(self) -> None:
        if self.attempt(self.session.reset):
            self.saved_in = ""
            await self.lay_out()

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
            self._ask_choice(session.offers()[0])

    def _calls(self) -> str:
        languages = [words for words in (self.session.house.words, self.other) if words]
        return "\n".join(
            ": ".join(filter(None, (said(words, call) for words in languages)))
            for call in calls_of(self.session.events)
        )

    def _ask_choice(self, offer: ChoiceOffered) -> None:
        """Ask for a course, with what each pays and is worth; the best one is picked."""
        session, texts, house = self.session, self.texts, self.session.house
        stake, worths = offer.stake, session.worths(offer)
        lines = {course: session.outcome(offer, course) for course in offer.courses}
        words = {course: course_text(line, texts) for course, line in lines.items()}
        verdict = texts.verdict(offer.verdict)
        body = texts(
            "choice.free" if stake.free else "choice.held",
            verdict=verdict[:1].upper() + verdict[1:],
            amount=money_text(house, stake.standing, texts.language),
            chance=texts.chance(house, stake.chance),
            state=texts.state(stake.state),
            courses=f" {texts('choice.or')} ".join(words.values()),
        )
        best = max(worths.values(), default=None)
        answers = []
        for course, line in lines.items():
            told = f"{words[course]}: {moves_text(line, house, texts)}"
            if course in worths:
                amount = worth_text(house, worths[course], texts.language)
                worth = texts("choice.worth", amount=amount)
                told = f"{told:<{_COURSE}} {worth}"
                told += f"  ● {texts('choice.best')}" if worths[course] == best else ""
            answers.append((course, told))
        if worths:
            body += f"\n{texts('choice.note')}"
        picked = next((at for at, each in enumerate(offer.courses) if worths.get(each) == best), 0)
        screen = AskScreen(texts("choice.title"), body, answers, picked=picked, forced=True)
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
        if not self.taught:
            return
        seen = seen_cards(self.session.events)
        asked = (self.session.house, seen, self.lesson_wide)
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
            close = not self.screen_stack[0].has_class("-vast") and self.high
            wide = self.lesson_wide
            panel.teach(lesson, self.texts, self.session.house, wide=wide, close=close)
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


_COURSE: Final = 30
"""The columns of a course in a question, before what it is worth."""


def save_session(session: PlaySession, name: str, seal: CardSeal | None = None) -> None:
    """Save a session in a new file; ``RecordError`` ("file-exists") where it is there already."""
    with SaveFile(name, seal) as file:
        file.write_new(session)
