"""The windows of the table: words, rows, outcome, score card, counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from rich.console import Console
from rich.text import Text
from textual.widgets import Static

from trente_rules.deal.coup import LAST_OPEN_TOTAL
from trente_rules.house.house import House
from trente_rules.lines import Line
from trente_rules.play.chips import amount_text
from trente_rules.play.texts import VERDICTS
from trente_rules.play.views import CountsView, CoupView, RowView
from trente_rules.play.widgets.style import BAD, BOLD, DIM, GOOD, cards_text
from trente_rules.scorecard.lines import ScoreCard
from trente_rules.scorecard.text import boxes, heads, points_text
from trente_rules.table.events import Announced

BETWEEN: Final = " · "
_ROW_HEAD: Final = len("ROUGE  33 ● ")
_POINTS_ROOM: Final = len("  40 40 refait")


class Part(Static):
    """A window whose content is a text; ``plain`` is what can be read on it.

    ``grows`` tells that its height follows its text: others are drawn without a new layout.
    """

    grows = True
    shown: Text | None = None

    @property
    def plain(self) -> str:
        """What can be read."""
        return self.shown.plain if self.shown else ""

    def show(self, text: Text) -> None:
        """Show a text."""
        if text != self.shown:
            self.shown = text
            self.update(text, layout=self.grows)


class Fitted(Part):
    """A window that shows what there is room for, and follows its own size."""

    grows = False

    def on_resize(self) -> None:
        """Draw again for the room there is now."""
        self.redraw()

    def redraw(self) -> None:
        """Draw what was handed in last."""
        raise NotImplementedError  # pragma: no cover - each window has its own


class Words(Fitted):
    """What the croupier said, and the same in another language."""

    said: tuple[str, ...] = ()
    other: tuple[str, ...] = ()

    def say(self, calls: Sequence[Announced], translate: Callable[[Announced], str]) -> None:
        """Show calls as they were made, the latest last; the oldest go where room is short."""
        self.said = tuple(call.text for call in calls)
        self.other = tuple(word for word in map(translate, calls) if word)
        self.redraw()

    def redraw(self) -> None:
        """Draw the words that fit."""
        width, height = max(self.content_size.width, 20), max(self.content_size.height, 2)
        lines = height // 2 if self.other else height
        shown = Text().append(_tail(self.said, lines, width), BOLD)
        if self.other:
            shown.append(f"\n{_tail(self.other, height - lines, width)}", DIM)
        self.show(shown)


def _tail(words: Sequence[str], lines: int, width: int) -> str:
    """Answer the last words that fit on so many lines; a word is broken by none of them."""
    for start in range(len(words)):
        text = ("… " if start else "") + BETWEEN.join(words[start:])
        wrapped = Text(text).wrap(_console(), width)
        if len(wrapped) <= lines or start == len(words) - 1:
            return text
    return ""


@cache
def _console() -> Console:
    return Console()


class Rows(Fitted):
    """Both rows with their cards and points; its height follows the longest row."""

    grows = True
    rows: tuple[RowView, ...] = ()

    def deal(self, coup: CoupView | None, house: House) -> None:
        """Show the cards of a coup; two empty rows without one."""
        self.rows = (coup or CoupView(0)).rows(house)
        self.redraw()

    def redraw(self) -> None:
        """Draw both rows, in as few lines as there is room for."""
        text = Text()
        room = max(self.content_size.width - _ROW_HEAD, 20)
        for place, row in enumerate(self.rows):
            whole = row.total > LAST_OPEN_TOTAL
            told = f"{row.total}" if whole else f"{row.total}…" if row.cards else "–"
            other = self.rows[1 - place].total
            both = whole and other > LAST_OPEN_TOTAL
            text.append("\n" if place else "")
            text.append(f"{row.colour.id.upper():<6}{told:>3} ", BOLD)
            text.append("● " if both and row.total < other else "  ", GOOD)
            text.append_text(cards_text(row.cards, room, _ROW_HEAD))
        self.show(text)


def outcome_text(coup: CoupView | None, house: House) -> Text:
    """Answer in one line what a coup was, and what the player won or lost by it."""
    if coup is None:
        return Text("")
    text = Text().append(f"Coup {coup.number}: ", BOLD)
    if coup.void:
        return text.append(f"void, {coup.void}", BAD)
    simple = {chance: verdict for chance, verdict in coup.verdicts if chance in house.deal.chances}
    ids = {verdict.id for verdict in simple.values()}
    if not coup.coup:
        text.append("the cards are being turned")
    elif "refait" in ids:
        text.append("refait", BAD)
    elif "apres" in ids:
        text.append("après" if coup.net else "après, nothing moves")
    else:
        winners = [chance for chance, verdict in simple.items() if verdict.id == "win"]
        text.append(f"{' and '.join(winners)} win{'s' if len(winners) == 1 else ''}")
    if coup.last:
        text.append(", the last of the taille")
    if coup.net is not None and coup.lines:
        sign = "+" if coup.net > 0 else ""
        style = GOOD if coup.net > 0 else BAD if coup.net < 0 else BOLD
        text.append(f"   you: {sign}{amount_text(house, coup.net)}", style)
    return text


def moves_text(line: Line, house: House) -> str:
    """Answer what moves by a settlement of one stake, in amounts."""
    parts = [
        f"{amount_text(house, units)} {word}"
        for units, word in (
            (line.won, "won"),
            (line.returned, "back"),
            (line.forfeited, "lost"),
            (line.staying, f"in {line.after.state}" if line.after else ""),
            (line.premium_kept, "premium"),
            (line.premium_returned, "premium back"),
        )
        if units
    ]
    return ", ".join(parts) or "nothing moves"


def line_text(line: Line, house: House) -> str:
    """Answer what became of one stake, in words."""
    stake = f"{line.stake.chance} {amount_text(house, line.stake.amount)}"
    return f"{stake} {VERDICTS[line.verdict.id]}, {line.course}: {moves_text(line, house)}"


class History(Fitted):
    """The coups before the last one, the latest first: for a wide table."""

    lines: tuple[Text, ...] = ()

    def tell(self, coups: Sequence[CoupView], house: House) -> None:
        """Show as many coups as there is room for."""
        begun = [coup for coup in coups if coup.begun][:-1]
        self.lines = tuple(outcome_text(coup, house) for coup in reversed(begun))
        self.redraw()

    def redraw(self) -> None:
        """Draw the coups that fit."""
        self.show(Text("\n").join(self.lines[: self.content_size.height]))


class Chart(Fitted):
    """The score card of the taille: as many coups as there is room for, the latest last."""

    card: ScoreCard | None = None
    points: bool = False

    def draw(self, card: ScoreCard, *, points: bool) -> None:
        """Draw the card in as many columns as fit, with points where they are wanted."""
        self.card, self.points = card, points
        self.redraw()

    def redraw(self) -> None:
        """Draw the lines that fit."""
        card = self.card
        if card is None:
            return
        width, height = self.content_size.width, max(self.content_size.height - 1, 1)
        head = f"    {heads(card)}".rstrip()
        cell = max(len(head), *(4 + len(boxes(card, line)) for line in card.lines), 0)
        cell += _POINTS_ROOM if self.points else 0
        columns = max((width + 2) // (cell + 2), 1)
        skipped = max(-(-len(card.lines) // height) - columns, 0) * height
        shown = card.lines[skipped:]
        blocks = [shown[start : start + height] for start in range(0, len(shown), height)] or [()]
        text = Text().append("  ".join(head.ljust(cell) for _ in blocks).rstrip(), BOLD)
        for row in range(min(height, len(shown))):
            parts = []
            for block in blocks:
                if row < len(block):
                    line = block[row]
                    told = f"  {points_text(line)}" if self.points else ""
                    parts.append(f"{line.number:>3} {boxes(card, line)}{told}".ljust(cell))
            text.append("\n" + "  ".join(parts).rstrip())
        self.show(text)


class Counts(Part):
    """What players note: cut, cards, points, low and high, won and lost, outcomes."""

    def count(self, view: CountsView, *, wide: bool) -> None:
        """Show the counts: outcomes in a table where there is room, else in a line."""
        cut = "–" if view.cut is None else str(view.cut)
        marker = "none"
        if view.marker is not None:
            marker = f"{view.marker} from end"
        to_marker = "" if view.to_marker is None else f" ({view.to_marker} to it)"
        lines = [
            f"cut {cut}   marker {marker}",
            f"cards left {view.cards_left}{to_marker}",
            f"points out {view.points_out}" + (f"   burned {view.burned}" if view.burned else ""),
            f"low A-6 {view.low_in}   high 8-K {view.high_in}",
            f"stakes won {view.won}   lost {view.lost}",
        ]
        if wide:
            lines.append("")
            lines.append(f"{'':<10}{'taille':>8}{'session':>9}")
            for (name, here), (_name, whole) in zip(view.taille, view.session, strict=True):
                lines.append(f"{name:<10}{here:>8}{whole:>9}")
        else:
            told = [f"{name} {count}" for name, count in view.taille]
            chances, ties = told[:-2], told[-2:]
            short = " ".join(f"{word[0].upper()} {word.split()[-1]}" for word in chances)
            lines += [short, "   ".join(ties)]
        self.show(Text("\n".join(lines)))
