"""A page that only says why there is no table: a browser shows nothing of a standard error."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static


class SentenceApp(App[None]):
    """Says a sentence until it is left."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,escape,enter,ctrl+c", "quit", show=False)]

    def __init__(self, sentence: str) -> None:
        """Take the sentence."""
        super().__init__()
        self.sentence = sentence

    def compose(self) -> ComposeResult:
        """Put the sentence in."""
        yield Static(f"{self.sentence}\n\nq: leave", markup=False)
