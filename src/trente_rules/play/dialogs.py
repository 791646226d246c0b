"""A place among the cards: where to cut, where the marker goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from trente_rules.core.house.house import House
from trente_rules.core.rules.announcements import Language
from trente_rules.play.texts import BACK, HELP, PLACE_KEYS, SAVE
from trente_rules.play.views import CoupView
from trente_rules.play.widgets import BETWEEN, BOLD, DIM, Press, RowsWindow, line_text, outcome_text
from trente_rules.records.scorecard import ScoreCard, boxes, heads


class PlaceBar(Widget):
    """The cards on edge, and a wedge at the place; a click puts it there."""

    def __init__(self, low: int, high: int) -> None:
        """Take the bounds."""
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


class PlaceScreen(ModalScreen[int]):
    """Asks for a place; answers it. It cannot be left: the cards must be cut."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", show=False),
        Binding("right", "move(1)", show=False),
        Binding("down,pagedown", "move(-10)", show=False),
        Binding("up,pageup", "move(10)", show=False),
        Binding("home", "move(-100000)", show=False),
        Binding("end", "move(100000)", show=False),
        Binding("enter,space,d", "done", show=False),
    ]

    def __init__(
        self, title: str, said: str, help_text: str, done: str, low: int, high: int, **more: Any
    ) -> None:
        """Take the texts and the bounds; the place begins in the middle."""
        super().__init__(**more)
        self._texts = title, said, help_text, done
        self._low, self._high = low, high
        self.at = (low + high) // 2

    def compose(self) -> ComposeResult:
        """Put the parts in."""
        title, said, help_text, done = self._texts
        with Vertical(classes="dialog"):
            yield Label(title, classes="title", markup=False)
            if said:
                yield Static(said, markup=False)
            yield Static("", id="place", markup=False)
            yield PlaceBar(self._low, self._high)
            yield Static(f"{help_text}, {self._low} to {self._high}", markup=False)
            with Horizontal(classes="presses"):
                yield Press("−10", "move(-10)")
                yield Press("−1", "move(-1)")
                yield Press("+1", "move(1)")
                yield Press("+10", "move(10)")
                yield Press(f"▶ {done}", "done")
            yield Static(PLACE_KEYS, markup=False)

    def on_mount(self) -> None:
        """Show the place."""
        self.move_to(self.at)

    def move_to(self, place: int) -> None:
        """Go to a place, or to the bound it lies beyond."""
        self.at = min(max(place, self._low), self._high)
        self.query_one("#place", Static).update(str(self.at))
        bar = self.query_one(PlaceBar)
        bar.at = self.at
        bar.refresh()

    def action_move(self, by: int) -> None:
        """Go on by so many cards."""
        self.move_to(self.at + by)

    def action_done(self) -> None:
        """Return the place."""
        self.dismiss(self.at)


# --- A question with answers to pick from, by arrows and enter or by a click


class AskScreen(ModalScreen[str | None]):
    """Asks; answers the id of what was picked, None where nothing was."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "leave", show=False)]

    def __init__(
        self,
        title: str,
        body: str,
        answers: Sequence[tuple[str, str]],
        *,
        must: bool = False,
        low: bool = False,
        **more: Any,
    ) -> None:
        """Take the question and the (id, text) answers, the first one picked.

        ``must`` allows no leaving. ``low`` puts it at the foot, so that the cards are seen.
        """
        super().__init__(**more)
        self._title, self._body, self._answers = title, body, answers
        self._must = must
        if low:
            self.add_class("-low")

    def compose(self) -> ComposeResult:
        """Put the parts in."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield Static(self._body, markup=False)
            yield OptionList(*(Option(text, id=name) for name, text in self._answers), markup=False)
            if not self._must:
                with Horizontal(classes="presses close"):
                    yield Press(BACK, "leave")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return what was picked."""
        self.dismiss(event.option.id)

    def action_leave(self) -> None:
        """Return nothing, where that is allowed."""
        if not self._must:
            self.dismiss(None)


# --- Help


class HelpScreen(ModalScreen[None]):
    """All keys, and the game in five lines; any of the keys below leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter", "dismiss", show=False)
    ]

    def compose(self) -> ComposeResult:
        """Put the text in."""
        with VerticalScroll(classes="dialog wide"):
            yield Static(HELP)
            yield Static("Escape, or a click: back to the table", markup=False)

    def on_click(self) -> None:
        """Leave by a click."""
        self.dismiss()


# --- A file named by the player


class NameFileScreen(ModalScreen[str | None]):
    """Asks for a file; answers its name, None where nothing is to be saved."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    def __init__(self, title: str, body: str, name: str) -> None:
        """Take the texts and a name to begin with."""
        super().__init__()
        self._title, self._body, self._name_given = title, body, name

    def compose(self) -> ComposeResult:
        """Put the parts in."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield Static(self._body, markup=False)
            yield Input(self._name_given)
            with Horizontal(classes="presses close"):
                yield Press(SAVE, "save")
                yield Press(BACK, "leave")

    def on_input_submitted(self) -> None:
        """Return the name."""
        self.action_save()

    def action_save(self) -> None:
        """Return the name."""
        self.dismiss(self.query_one(Input).value.strip() or None)

    def action_leave(self) -> None:
        """Return nothing."""
        self.dismiss(None)


# --- The taille, coup by coup


class ReviewScreen(ModalScreen[None]):
    """One coup at a time: its cards, what was said, what became of the stakes; the card beside."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "go(-1)", show=False),
        Binding("right,down", "go(1)", show=False),
        Binding("home", "go(-100000)", show=False),
        Binding("end", "go(100000)", show=False),
        Binding("escape,v,q,enter", "dismiss", show=False),
    ]

    def __init__(
        self,
        coups: tuple[CoupView, ...],
        card: ScoreCard,
        house: House,
        other: Language | None,
    ) -> None:
        """Take the coups of the taille, the last one shown first."""
        super().__init__()
        self._coups, self._card, self._house, self._other = coups, card, house, other
        self.at = len(coups) - 1

    def compose(self) -> ComposeResult:
        """Put the parts in."""
        with Horizontal(classes="dialog wide"):
            with Vertical():
                yield Static("", id="which", markup=False)
                yield RowsWindow(id="review-rows")
                with VerticalScroll():
                    yield Static("", id="told", markup=False)
                with Horizontal(classes="presses"):
                    yield Press("◀ earlier", "go(-1)")
                    yield Press("later ▶", "go(1)")
                    yield Press(BACK, "dismiss")
            with VerticalScroll(id="review-card"):
                yield Static("", id="card", markup=False)

    def on_mount(self) -> None:
        """Show the last coup."""
        self.action_go(0)

    def action_go(self, by: int) -> None:
        """Go to an earlier or a later coup."""
        self.at = min(max(self.at + by, 0), len(self._coups) - 1)
        coup = self._coups[self.at]
        self.query_one("#which", Static).update(outcome_text(coup, self._house))
        self.query_one("#review-rows", RowsWindow).deal(coup, self._house)
        told = Text().append(BETWEEN.join(map(self._house.words.say, coup.calls)), BOLD)
        if self._other:
            told.append(f"\n{BETWEEN.join(filter(None, map(self._other.say, coup.calls)))}", DIM)
        for line in coup.lines:
            told.append(f"\n{line_text(line, self._house)}")
        self.query_one("#told", Static).update(told)
        drawn = Text().append(f"     {heads(self._card)}\n", BOLD)
        for scored in self._card.lines:
            here = "▶" if scored.number == coup.number else " "
            drawn.append(f"{here}{scored.number:>3} {boxes(self._card, scored)}\n")
        self.query_one("#card", Static).update(drawn)
        places = [line.number for line in self._card.lines]
        if coup.number in places:
            self.query_one("#review-card").scroll_to(y=places.index(coup.number) - 5, animate=False)

    def on_resize(self, _event: events.Resize) -> None:
        """Draw again."""
        self.action_go(0)
