"""A question with answers to pick from, by arrows and enter or by a click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Label, OptionList, Static
from textual.widgets.option_list import Option

from trente_rules.play.texts import BACK
from trente_rules.play.widgets.press import Press


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
        """Answer what was picked."""
        self.dismiss(event.option.id)

    def action_leave(self) -> None:
        """Answer nothing, where that is allowed."""
        if not self._must:
            self.dismiss(None)
