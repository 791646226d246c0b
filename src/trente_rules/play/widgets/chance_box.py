"""One chance on the cloth: a click or a key adds the chip in hand, another takes it off."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

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
from trente_rules.rules.chances import Verdict
from trente_rules.scorecard.lines import DOT

TAKE: Final = " [−]"
INSURE: Final = "[{}] insure"
MOVE: Final = " [m]"
_LOW: Final = 2
"""The lines of a chance in a narrow table with side bets."""
Act = Literal["add", "take", "take-all", "insure", "move"]


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
        self._stake_line, self._insure_line, self._move_zone = 0, -1, (-1, 0, 0)

    def put(self, view: ChanceView) -> None:
        """Show what stands on the chance now."""
        if view != self.view:
            self.view = view
            self.refresh()

    def lines(self, width: int, height: int) -> list[Text]:
        """Answer the lines of the box: name, prisoners and stake, insurance, as there is room."""
        view = self.view
        name = Text(f"{view.key} {view.id}".strip(), BOLD)
        stake = amount_text(self.house, view.stake) if view.stake else "–"
        amount = Text(stake, BOLD).append(TAKE)
        insure = Text()
        if self.house.insurance_table is not None and view.simple:
            sign = "x" if view.asked or view.insured else " "
            premium = f" {amount_text(self.house, view.premium)}" if view.premium else ""
            insure = Text(f"{INSURE.format(sign)}{premium}")
        self._stake_line, self._insure_line, self._move_zone = 0, -1, (-1, 0, 0)
        if height <= _LOW:
            first = _spread(
                self._name_and_verdict(name, width - amount.cell_len - 1), amount, width
            )
            if height < _LOW:
                return [first]
            prisoners = Text(self._prisoners(width - insure.cell_len - 1), BOLD)
            self._insure_line = 1 if insure else -1
            self._move_zone = (1, width - prisoners.cell_len, width)
            return [first, _spread(insure, prisoners, width)]
        self._stake_line, self._insure_line = 1, 2 if insure else -1
        verdict = "" if view.verdict is None else VERDICTS[view.verdict.id]
        prisoners = Text(self._prisoners(width - amount.cell_len - 1), BOLD)
        self._move_zone = (1, 0, prisoners.cell_len)
        return [
            _spread(name, Text(verdict, DIM), width),
            _spread(prisoners, amount, width),
            insure,
        ]

    def _name_and_verdict(self, name: Text, room: int) -> Text:
        """Answer the name, and behind it what the last coup meant; of a side bet only that it won.

        Where the word has no room a winner has its dot.
        """
        verdict = self.view.verdict
        if verdict is None or (verdict is not Verdict.WIN and not self.view.simple):
            return name
        marks = (VERDICTS[verdict.id], DOT if verdict is Verdict.WIN else "")
        told = (name.copy().append(f" {mark}", DIM) for mark in marks if mark)
        return next((text for text in told if text.cell_len <= room), name)

    def _prisoners(self, room: int) -> str:
        """Answer the prisoners in as many words as there is room for."""
        held = self.view.prisoners
        if not held:
            return ""
        long, short = [], []
        for each in held:
            amount = amount_text(self.house, each.standing)
            worth = "" if each.worth == amount.replace(",", "") else each.worth
            long.append(f"in {each.state} {amount}{worth and f' worth {worth}'}")
            short.append(f"{each.state} {amount}{worth and f'={worth}'}")
        whole = amount_text(self.house, sum(each.standing for each in held))
        last = f"{len(held)} in prison {whole}" if len(held) > 1 else f"P {short[0].split()[-1]}"
        move = MOVE if self.view.movable else ""
        texts = [f"{text}{move}" for text in (" + ".join(long), " + ".join(short), last)]
        return next((text for text in texts if len(text) <= room), texts[-1])

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
        line, start, end = self._move_zone
        if at is not None:
            if at.y == self._stake_line and at.x >= self.content_size.width - len(TAKE):
                act = "take"
            elif at.y == self._insure_line and at.x < len(INSURE):
                act = "insure"
            elif self.view.movable and at.y == line and start <= at.x < end:
                act = "move"
        self.focus()
        self.post_message(self.Acted(self.view.id, act))


def _spread(left: Text, right: Text, width: int) -> Text:
    gap = max(width - left.cell_len - right.cell_len, 1)
    return Text.assemble(left, " " * gap, right)
