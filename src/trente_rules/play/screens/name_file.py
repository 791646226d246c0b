"""A file named by the player."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Static

from trente_rules.play.texts import BACK, SAVE
from trente_rules.play.widgets.press import Press


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
        """Answer the name."""
        self.action_save()

    def action_save(self) -> None:
        """Answer the name."""
        self.dismiss(self.query_one(Input).value.strip() or None)

    def action_leave(self) -> None:
        """Answer nothing."""
        self.dismiss(None)
