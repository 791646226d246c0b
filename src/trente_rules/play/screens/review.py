"""The taille, coup by coup."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from trente_rules.house.house import House
from trente_rules.play.texts import BACK
from trente_rules.play.views import CoupView
from trente_rules.play.widgets.parts import BETWEEN, Rows, line_text, outcome_text
from trente_rules.play.widgets.press import Press
from trente_rules.play.widgets.style import BOLD, DIM
from trente_rules.scorecard.lines import ScoreCard
from trente_rules.scorecard.text import boxes, heads
from trente_rules.table.events import Announced


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
        translate: Callable[[Announced], str],
    ) -> None:
        """Take the coups of the taille, the last one shown first."""
        super().__init__()
        self._coups, self._card, self._house, self._translate = coups, card, house, translate
        self.at = len(coups) - 1

    def compose(self) -> ComposeResult:
        """Put the parts in."""
        with Horizontal(classes="dialog wide"):
            with Vertical():
                yield Static("", id="which", markup=False)
                yield Rows(id="review-rows")
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
        self.query_one("#review-rows", Rows).deal(coup, self._house)
        told = Text().append(BETWEEN.join(call.text for call in coup.calls), BOLD)
        other = BETWEEN.join(word for word in map(self._translate, coup.calls) if word)
        told.append(f"\n{other}" if other else "", DIM)
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
