"""One chance on the cloth: a click or a key adds the chip in hand, another takes it off."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from trente_rules.house.house import House
from trente_rules.play.chips import amount_text
from trente_rules.play.texts import VERDICTS
from trente_rules.play.views import ChanceView
from trente_rules.play.widgets.style import BOLD, DIM

TAKE = " [−]"
Act = Literal["add", "take", "take-all", "insure"]


class ChanceBox(Widget, can_focus=True):
    """A chance with the stake, the insurance and the prisoners that are on it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space,plus", "act('add')", "add", show=False),
        Binding("minus", "act('take')", "take", show=False),
        Binding("backspace,delete", "act('take-all')", "take all", show=False),
    ]

    class Acted(Message):
        """The player did something to the chance."""

        def __init__(self, chance: str, act: Act) -> None:
            """Take the chance and what is done to it."""
            super().__init__()
            self.chance = chance
            self.act = act

    def __init__(self, view: ChanceView, house: House, **more: Any) -> None:
        """Take what stands on the chance, and the house for its amounts."""
        super().__init__(**more)
        self.view = view
        self.house = house
        self._insure_line = -1

    def put(self, view: ChanceView) -> None:
        """Show what stands on the chance now."""
        if view != self.view:
            self.view = view
            self.refresh()

    def lines(self, width: int, height: int) -> list[Text]:
        """Answer the lines of the box, as many as there is room for."""
        view = self.view
        key = f"{view.key} " if view.key else ""
        verdict = "" if view.verdict is None or height == 1 else VERDICTS[view.verdict.id]
        stake = amount_text(self.house, view.stake) if view.stake else "–"
        name = Text(f"{key}{view.id}", BOLD)
        amount = Text(stake, BOLD).append(TAKE)
        self._insure_line = -1
        second: list[Text] = []
        if self.house.insurance_table is not None and view.simple:
            sign = "x" if view.asked or view.insured else " "
            premium = f" {amount_text(self.house, view.premium)}" if view.premium else ""
            second.append(Text(f"[{sign}] insure{premium}"))
        if view.prisoners:
            second.append(Text(" + ".join(self._prisoners()), BOLD))
        if height <= 2:  # noqa: PLR2004 - a name and what fits beside it
            lines = [_spread(name, amount, width)]
        else:
            lines = [_spread(name, Text(verdict, DIM), width), _spread(Text(), amount, width)]
        room = height - len(lines)
        if len(second) > room > 0:
            second = [Text("  ").join(second)]
        if second and room > 0 and "insure" in second[0].plain:
            self._insure_line = len(lines)
        return [*lines, *second[: max(room, 0)]]

    def _prisoners(self) -> list[str]:
        told = []
        for each in self.view.prisoners:
            amount = amount_text(self.house, each.standing)
            worth = "" if each.worth == amount.replace(",", "") else f" worth {each.worth}"
            told.append(f"in {each.state} {amount}{worth}")
        return told

    def render(self) -> Text:
        """Draw the box."""
        return Text("\n").join(self.lines(self.content_size.width, self.content_size.height))

    def action_act(self, act: Act) -> None:
        """Tell the table what the player does."""
        self.post_message(self.Acted(self.view.id, act))

    def on_click(self, event: events.Click) -> None:
        """Add a chip, or what the place that was clicked says."""
        at = event.get_content_offset(self)
        act: Act = "add"
        if at is not None:
            size = self.content_size
            stake_line = 0 if size.height <= 2 else 1  # noqa: PLR2004 - as in lines
            if at.y == stake_line and at.x >= size.width - len(TAKE):
                act = "take"
            elif at.y == self._insure_line and at.x < len("[ ] insure"):
                act = "insure"
        self.focus()
        self.post_message(self.Acted(self.view.id, act))


def _spread(left: Text, right: Text, width: int) -> Text:
    gap = max(width - left.cell_len - right.cell_len, 1)
    return Text.assemble(left, " " * gap, right)
