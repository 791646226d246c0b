"""A place among the cards: where to cut, where the marker goes."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Label, Static

from trente_rules.play.texts import PLACE_KEYS
from trente_rules.play.widgets.press import Press


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
        """Answer the place."""
        self.dismiss(self.at)
