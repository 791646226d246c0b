"""The chips, and the bar that says what comes next."""

from __future__ import annotations

from typing import Any

from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import Static


class ChipsBar(Static):
    """The chips there are: the one in hand is in brackets."""

    plain: str = ""

    class Chosen(Message):
        """The player takes another chip in hand."""

        def __init__(self, place: int) -> None:
            """Take its place, from 0."""
            super().__init__()
            self.place = place

    def __init__(self, *content: Any, **more: Any) -> None:
        """Begin without chips."""
        super().__init__(*content, **more)
        self._zones: list[tuple[int, int]] = []

    def show(self, names: list[str], chosen: int) -> None:
        """Show the chips by their values."""
        text = Text("chips ")
        self._zones = []
        for place, name in enumerate(names):
            start = text.cell_len
            if place == chosen:
                text.append(f"[{name}]", Style(bold=True, reverse=True))
            else:
                text.append(f" {name} ")
            self._zones.append((start, text.cell_len))
        self.plain = text.plain
        self.update(text, layout=False)

    def on_click(self, event: events.Click) -> None:
        """Take the chip that was clicked."""
        at = event.get_content_offset(self)
        for place, (start, end) in enumerate(self._zones):
            if at is not None and start <= at.x < end:
                self.post_message(self.Chosen(place))


class NextBar(Static):
    """What the next key does; a click does it."""

    plain: str = ""

    class Pressed(Message):
        """The player wants to go on."""

    def show(self, text: str) -> None:
        """Show what comes next."""
        self.plain = text
        self.update(Text(f" d ▶ {text} "), layout=False)

    def on_click(self) -> None:
        """Go on."""
        self.post_message(self.Pressed())
