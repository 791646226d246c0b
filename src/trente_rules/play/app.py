"""The app: keys and clicks to the session, and the questions that the cards ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from trente_rules.core.errors import TrenteError
from trente_rules.play import texts
from trente_rules.play.dialogs import (
    AskScreen,
    HelpScreen,
    NameFileScreen,
    PlaceScreen,
    ReviewScreen,
)
from trente_rules.play.screen import TableScreen
from trente_rules.play.session import PlaySession, UiStep, money_text
from trente_rules.play.views import (
    KEYS,
    card_of,
    coups_of,
    other_language,
    words_of,
)
from trente_rules.play.widgets import (
    ChanceBox,
    ChipsBar,
    moves_text,
)
from trente_rules.records.files import write_record
from trente_rules.records.recorder import record_of


class TableApp(TableScreen):
    """The table to sit at."""

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
        *(Binding(key, f"add('{chance}')", show=False) for chance, key in KEYS.items()),
        *(Binding(key.upper(), f"take('{chance}')", show=False) for chance, key in KEYS.items()),
        *(Binding(str(key), f"chip({key - 1})", show=False) for key in range(1, 10)),
        Binding("up", "walk(0,-1)", show=False),
        Binding("down", "walk(0,1)", show=False),
        Binding("left", "walk(-1,0)", show=False),
        Binding("right", "walk(1,0)", show=False),
    ]

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
        self._focus_chance(chance)
        self.attempt(self.session.add, chance)

    def action_take(self, chance: str) -> None:
        """Take the chip in hand off a chance."""
        self._focus_chance(chance)
        self.attempt(self.session.take, chance)

    def action_chip(self, place: int) -> None:
        """Take a chip in hand by its place."""
        if place < len(self.session.chips):
            self.attempt(self.session.choose_chip, self.session.chips[place])

    def action_insure(self) -> None:
        """Insure the chance that has the focus, or no more."""
        box = self._focused_box()
        if box is not None:
            self.attempt(self.session.toggle_insurance, box.view.id)

    def action_walk(self, across: int, down: int) -> None:
        """Go to the chance beside, above or below."""
        boxes = self.boxes()
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
        self.push_screen(ReviewScreen(coups, card_of(self.session), house, self.other))

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
        bankroll = money_text(self.session.house, self.session.bankroll)
        self.push_screen(
            AskScreen(
                texts.RESET_TITLE,
                texts.RESET_BODY.format(bankroll=bankroll),
                (("no", texts.NO), ("yes", texts.RESET_YES)),
            ),
            self._reset,
        )

    async def _reset(self, answer: str | None) -> None:
        if answer == "yes" and self.attempt(self.session.reset):
            await self._lay_out()

    def action_house(self) -> None:
        """Ask for another house."""
        if self.session.step is not UiStep.SHUFFLE:
            self.tell(texts.HOUSE_NOT_NOW)
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
        if self.attempt(self.session.change_house, house, opening):
            self.other = other_language(house, self.language)
            await self._lay_out()

    def action_move(self) -> None:
        """Move a prisoner of the chance that has the focus."""
        box = self._focused_box()
        if box is None:
            return
        if not box.view.prisoners:
            self.tell(texts.MOVE_NONE.format(chance=box.view.id))
            return
        if not box.view.movable:
            self.tell(texts.MOVE_NOT)
            return
        stake = box.view.prisoners[0].id
        others = [each for each in self.session.house.deal.chances if each != box.view.id]
        self.push_screen(
            AskScreen(texts.MOVE_TITLE, texts.MOVE_BODY, [(each, each) for each in others]),
            lambda chance: self._move(stake, chance),
        )

    def _move(self, stake: str, chance: str | None) -> None:
        if chance is not None:
            self.attempt(self.session.move_prisoner, stake, chance)

    def action_leave(self) -> None:
        """Leave the table."""
        self.exit()

    # --- what the cards ask --------------------------------------------------------------------

    def ask(self) -> None:
        """Ask what is the player's to say: the cut, the marker, a choice."""
        if self._asking:
            return
        session = self.session
        step = session.step
        packs = session.house.shoe.packs
        if step is UiStep.CUT:
            self._asking = True
            self.push_screen(
                PlaceScreen(
                    texts.CUT_TITLE, self._said(), texts.CUT_HELP, texts.CUT_DONE, 0, packs * 52
                ),
                lambda place: self._answered(session.cut, place),
            )
        elif step is UiStep.MARKER and session.house.shoe.marker:
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
        languages = [each for each in (self.session.house.words, self.other) if each]
        return "\n".join(
            ": ".join(filter(None, (each.say(call) for each in languages)))
            for call in words_of(self.session.events)
        )

    def _ask_choice(self) -> None:
        offer = self.session.offers()[0]
        stake = offer.stake
        amount = money_text(self.session.house, stake.standing)
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
        if self.attempt(act, *args):
            self.ask()

    # --- mouse ---------------------------------------------------------------------------------

    def on_chance_box_acted(self, event: ChanceBox.Acted) -> None:
        """Do what was done to a chance."""
        chance = event.chance
        if event.act == "add":
            self.attempt(self.session.add, chance)
        elif event.act == "insure":
            self.attempt(self.session.toggle_insurance, chance)
        elif event.act == "move":
            self.action_move()
        else:
            self.attempt(self.session.take, chance, whole=event.act == "take-all")

    def on_chips_bar_chip_chosen(self, event: ChipsBar.ChipChosen) -> None:
        """Take the chip that was clicked."""
        self.action_chip(event.place)

    def on_next_bar_pressed(self) -> None:
        """Go on."""
        self.action_next()

    def _focused_box(self) -> ChanceBox | None:
        return self.focused if isinstance(self.focused, ChanceBox) else None

    def _focus_chance(self, chance: str) -> None:
        for box in self.boxes():
            if box.view.id == chance:
                box.focus()


def record_name(session: PlaySession) -> str:
    """Return a name for the record of this taille."""
    return f"{session.house.name}-taille-{session.state.shoe_number}.toml"
