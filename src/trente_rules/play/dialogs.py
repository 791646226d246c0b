"""Dialogs: a place among the cards, questions, a file name; review, rules and help to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from trente_rules.core.house.house import House
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.rules.announcements import Language
from trente_rules.core.text import printable_lines
from trente_rules.play.views import CoupView, Texts, said
from trente_rules.play.widgets import BETWEEN, BOLD, DIM, Press, RowsWindow, line_text, outcome_text
from trente_rules.records.scorecard import ScoreCard, boxes, heads

if TYPE_CHECKING:
    from textual.widgets import Markdown

Answer = TypeVar("Answer")
PICTURED: Final = 36
"""The lines of a terminal from which cards are drawn as pictures."""


class Dialog(ModalScreen[Answer]):
    """The base of every dialog: it is left once, whatever else is pressed while it goes.

    A second Enter in quick succession reaches a dialog that is left already: to leave it again
    would be an error of Textual, and end the game.
    """

    over = False

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Leave the dialog with an answer; nothing where it is left already."""
        if self.over:
            return AwaitComplete()
        self.over = True
        return super().dismiss(result)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key may act: not once the dialog is left."""
        return not self.over and super().check_action(action, parameters)


class Menu(CommandPalette):
    """The menu: commands to search and to pick, one of which is done, once.

    A second Enter, or one behind Escape, reaches Textual's palette when it is left already: it
    would leave the table too, and do the command once more.
    """

    over = False

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Leave the menu; nothing where it is left already."""
        if self.over:
            return AwaitComplete()
        self.over = True
        return super().dismiss(result)

    @on(Button.Pressed)
    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _take_once(self, event: Message) -> None:
        if self.over:
            event.stop()
            event.prevent_default()


class PlaceBar(Widget):
    """The cards on edge, and a wedge at the place; a click puts it there."""

    def __init__(self, low: int, high: int) -> None:
        """Draw places between two bounds."""
        super().__init__()
        self.low, self.high, self.at = low, high, low

    def render(self) -> Text:
        """Draw the cards and the wedge."""
        width = max(self.content_size.width, 3)
        span = max(self.high - self.low, 1)
        place = round((self.at - self.low) * (width - 1) / span)
        return Text("┊" * place + "█" + "┊" * (width - 1 - place))

    def on_click(self, event: events.Click) -> None:
        """Put the wedge where the click is."""
        at = event.get_content_offset(self)
        if at is not None and isinstance(self.screen, PlaceScreen):
            width = max(self.content_size.width - 1, 1)
            self.screen.move_to(self.low + round(at.x * (self.high - self.low) / width))


class PlaceScreen(Dialog[int]):
    """Asks for a place among the cards; it cannot be left, as the cards must be cut."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", show=False),
        Binding("right", "move(1)", show=False),
        Binding("down,pagedown", "move(-10)", show=False),
        Binding("up,pageup", "move(10)", show=False),
        Binding("home", "move(-100000)", show=False),
        Binding("end", "move(100000)", show=False),
        Binding("enter,space,d", "done", show=False),
    ]

    def __init__(self, texts: Texts, what: str, calls: str, low: int, high: int) -> None:
        """Ask for the place of ``what``, a part of the texts; begin in the middle."""
        super().__init__()
        self._texts, self._what, self._calls = texts, what, calls
        self._low, self._high = low, high
        self.at = (low + high) // 2

    def compose(self) -> ComposeResult:
        """Build the dialog."""
        texts, what = self._texts, self._what
        with Vertical(classes="dialog"):
            yield Label(texts(f"{what}.title"), classes="title", markup=False)
            if self._calls:
                yield Static(self._calls, markup=False)
            yield Static("", id="place", markup=False)
            yield PlaceBar(self._low, self._high)
            yield Static(texts(f"{what}.range", low=self._low, high=self._high), markup=False)
            with Horizontal(classes="presses"):
                for label, by in (("−10", -10), ("−1", -1), ("+1", 1), ("+10", 10)):
                    yield Press(label, f"move({by})")
                yield Press(f"▶ {texts(f'{what}.done')}", "done")
            yield Static(texts("place.keys"), markup=False)

    def on_mount(self) -> None:
        """Show the place."""
        self.move_to(self.at)

    def move_to(self, place: int) -> None:
        """Move to a place, or to the nearest one within the bounds."""
        self.at = min(max(place, self._low), self._high)
        self.query_one("#place", Static).update(str(self.at))
        bar = self.query_one(PlaceBar)
        bar.at = self.at
        bar.refresh()

    def action_move(self, by: int) -> None:
        """Move by some cards."""
        self.move_to(self.at + by)

    def action_done(self) -> None:
        """Return the place."""
        self.dismiss(self.at)


class QuestionScreen(Dialog[str | None]):
    """A question: returns the answer, or None if the player gave none."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    def __init__(
        self, title: str, body: str, field: Widget, presses: dict[str, str], *, leaves: bool
    ) -> None:
        """Ask with a field for the answer, and words to click by their actions.

        With ``leaves`` the escape key leaves it without an answer.
        """
        super().__init__()
        self._title, self._body, self._field, self._presses = title, body, field, presses
        self._leaves = leaves

    def compose(self) -> ComposeResult:
        """Build the dialog."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield Static(self._body, id="question", markup=False)
            yield self._field
            if self._presses:
                with Horizontal(classes="presses close"):
                    for action, text in self._presses.items():
                        yield Press(text, action)

    def action_leave(self) -> None:
        """Return nothing, where that is allowed."""
        if self._leaves:
            self.dismiss(None)


class AskScreen(QuestionScreen):
    """A question with answers to pick from; returns the id of the one picked."""

    def __init__(
        self,
        title: str,
        body: str,
        answers: Iterable[tuple[str, str]],
        *,
        back: str = "",
        picked: int = 0,
        forced: bool = False,
    ) -> None:
        """Ask with (id, text) answers, the one at ``picked`` being picked already.

        ``back`` is a word that leaves the question, where no answer does. A question that is
        ``forced`` must be answered, and is at the foot of the screen, so that the cards are seen.
        """
        field = OptionList(
            *(Option(printable_lines(text), id=name) for name, text in answers), markup=False
        )
        field.highlighted = picked
        presses = {"leave": back} if back else {}
        super().__init__(title, body, field, presses, leaves=not forced)
        self.set_class(forced, "-low")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the answer that was picked."""
        self.dismiss(event.option.id)


class NameFileScreen(QuestionScreen):
    """A question for the name of a file; returns it."""

    def __init__(self, texts: Texts, name: str, what: str = "record") -> None:
        """Ask where to save ``what``, a part of the texts, with a name that may be changed."""
        title, body, save = (texts(f"{what}.{part}") for part in ("title", "body", "save"))
        presses = {"save": f"▶ {save}", "leave": texts("back")}
        super().__init__(title, body, Input(name), presses, leaves=True)

    def on_input_submitted(self) -> None:
        """Return the name."""
        self.action_save()

    def action_save(self) -> None:
        """Return the name."""
        self.dismiss(self.query_one(Input).value.strip() or None)


class HelpScreen(Dialog[None]):
    """All keys, and the game in five lines; the arrows scroll, the keys below leave it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter", "dismiss", show=False)
    ]

    def __init__(self, texts: Texts) -> None:
        """Show the help in one language."""
        super().__init__()
        self._texts = texts

    def compose(self) -> ComposeResult:
        """Build the dialog."""
        with VerticalScroll(classes="dialog wide"):
            yield Static(self._texts("help.text"))
            yield Static(self._texts("help.leave"), markup=False)

    def on_click(self) -> None:
        """Leave by a click."""
        self.dismiss()


class RulesScreen(Dialog[None]):
    """The rules of the house in a language, the text of ``trente rules``; arrows scroll.

    ``left`` and ``right`` change the language.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", show=False),
        Binding("right", "turn(1)", show=False),
        Binding("escape,g,q,enter", "dismiss", show=False),
    ]

    def __init__(self, texts: Texts, house: House, languages: Sequence[str]) -> None:
        """Show the rules in the language of the texts first."""
        super().__init__()
        self._texts, self._house = texts, house
        self.languages = tuple(languages)
        self._page: Markdown | None = None
        code = texts.language.code
        self.at = self.languages.index(code) if code in self.languages else 0

    def compose(self) -> ComposeResult:
        """Build the dialog."""
        from textual.widgets import Markdown  # noqa: PLC0415 - its parser takes time to load

        texts = self._texts
        self._page = Markdown("", open_links=False)
        with Vertical(classes="dialog wide"):
            with VerticalScroll(id="rules"):
                yield self._page
            with Horizontal(classes="presses close"):
                yield Press("◀", "turn(-1)")
                yield Static("", id="tongue", markup=False)
                yield Press("▶", "turn(1)")
                yield Press(texts("back"), "dismiss")

    async def on_mount(self) -> None:
        """Show the rules."""
        self.query_one("#rules").focus()
        await self.action_turn(0)

    async def action_turn(self, by: int) -> None:
        """Show the rules in the language before or after this one."""
        from trente_rules.reports.formats.markdown import render  # noqa: PLC0415 - rules alone
        from trente_rules.reports.rulebook import rulebook  # noqa: PLC0415 - as above

        self.at = (self.at + by) % len(self.languages)
        code = self.languages[self.at]
        self.query_one("#tongue", Static).update(f" {default_manager().language(code).name} ")
        if self._page is not None:
            await self._page.update(render(rulebook(self._house, code)))


class ReviewScreen(Dialog[None]):
    """One coup at a time: cards, calls, settled stakes; with the score card at the side."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "go(-1)", show=False),
        Binding("right,down", "go(1)", show=False),
        Binding("home", "go(-100000)", show=False),
        Binding("end", "go(100000)", show=False),
        Binding("escape,v,q,enter", "dismiss", show=False),
    ]

    def __init__(
        self,
        texts: Texts,
        coups: Sequence[CoupView],
        card: ScoreCard,
        house: House,
        other: Language | None,
    ) -> None:
        """Show the coups of a taille, the last one first."""
        super().__init__()
        self._texts = texts
        self._coups, self._card, self._house, self._other = coups, card, house, other
        self.at = len(coups) - 1

    def compose(self) -> ComposeResult:
        """Build the dialog."""
        texts = self._texts
        with Horizontal(classes="dialog wide"):
            with Vertical():
                yield Static("", id="which", markup=False)
                yield RowsWindow(id="review-rows")
                with VerticalScroll():
                    yield Static("", id="story", markup=False)
                with Horizontal(classes="presses"):
                    yield Press(f"◀ {texts('review.earlier')}", "go(-1)")
                    yield Press(f"{texts('review.later')} ▶", "go(1)")
                    yield Press(texts("back"), "dismiss")
            with VerticalScroll(id="review-card"):
                yield Static("", id="card", markup=False)

    def on_mount(self) -> None:
        """Show the last coup."""
        self.action_go(0)

    def action_go(self, by: int) -> None:
        """Show an earlier or a later coup."""
        self.at = min(max(self.at + by, 0), len(self._coups) - 1)
        coup, house, texts = self._coups[self.at], self._house, self._texts
        self.query_one("#which", Static).update(outcome_text(coup, house, texts))
        high = self.app.size.height >= PICTURED
        self.query_one("#review-rows", RowsWindow).deal(coup, house, pictures=high)
        story = Text().append(BETWEEN.join(said(house.words, call) for call in coup.calls), BOLD)
        if self._other:
            other = filter(None, (said(self._other, call) for call in coup.calls))
            story.append(f"\n{BETWEEN.join(other)}", DIM)
        for line in coup.lines:
            story.append(f"\n{line_text(line, house, texts)}")
        self.query_one("#story", Static).update(story)
        drawn = Text().append(f"     {heads(self._card)}\n", BOLD)
        for scored in self._card.lines:
            here = "▶" if scored.number == coup.number else " "
            drawn.append(f"{here}{scored.number:>3} {boxes(self._card, scored)}\n")
        self.query_one("#card", Static).update(drawn)
        numbers = [line.number for line in self._card.lines]
        if coup.number in numbers:
            row = numbers.index(coup.number) - 5
            self.query_one("#review-card").scroll_to(y=row, animate=False)

    def on_resize(self, _event: events.Resize) -> None:
        """Draw the coup again."""
        if not self.over:
            self.action_go(0)
