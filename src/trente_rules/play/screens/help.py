"""Help."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from trente_rules.play.texts import HELP


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
