"""The notes of a player: the score card of the taille, and the counts below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.style import Style
from rich.text import Text

from trente_rules.core.house.house import House
from trente_rules.play.chips import amount_text, signed_text
from trente_rules.play.views import CountsView, Texts
from trente_rules.play.widgets import BOLD, Fitted, TextPart
from trente_rules.records.scorecard import LETTERS, ScoreCard, boxes, heads, points_text
from trente_rules.reports.names import chance_names

_DEEPEST: Final = 6
"""The lines of a road at most, as players keep them."""
ROADS: Final = {True: Style(color="#ff8a70", bold=True), False: Style(color="#e8e8e8", bold=True)}
"""The colours of the first and the second chance of a pair; the letters say the same."""
_POINTS_ROOM: Final = len("  40 40 refait")


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
        pages = max(-(-len(card.lines) // height) - columns, 0)
        skipped = pages * height if columns > 1 else max(len(card.lines) - height, 0)
        shown = card.lines[skipped:]
        blocks = [shown[start : start + height] for start in range(0, len(shown), height)] or [()]
        text = Text().append("  ".join(head.ljust(cell) for _ in blocks).rstrip(), BOLD)
        for row in range(min(height, len(shown))):
            parts = []
            for block in blocks:
                if row < len(block):
                    line = block[row]
                    points = f"  {points_text(line)}" if self.points else ""
                    parts.append(f"{line.number:>3} {boxes(card, line)}{points}".ljust(cell))
            text.append("\n" + "  ".join(parts).rstrip())
        self.show(text)


class Road(Fitted):
    """The runs of the taille: a column for each, of one letter a coup; ties are left out.

    A run that is longer than the panel is high continues to the right.
    """

    card: ScoreCard | None = None

    def draw(self, card: ScoreCard) -> None:
        """Draw the runs of each pair of chances, the latest at the right."""
        self.card = card
        self.redraw()

    def redraw(self) -> None:
        """Draw the columns that fit."""
        pairs = self.card.pairs if self.card else ()
        width, height = self.content_size.width, self.content_size.height
        depth = min((height + 1) // max(len(pairs), 1) - 1, _DEEPEST)
        if self.card is None or depth < 1:
            self.show(Text())
            return
        roads = [self._road(self.card, pair, width // 2, depth) for pair in pairs]
        self.show(Text("\n\n").join(roads))

    def _road(self, card: ScoreCard, pair: Sequence[str], columns: int, depth: int) -> Text:
        """Return the runs of a pair of chances in lines."""
        places: dict[tuple[int, int], str] = {}
        column, row, before = -1, 0, ""
        start = -1
        for line in card.lines:
            winner = next((chance for chance in line.winners if chance in pair), "")
            if not winner:
                continue
            if winner != before:
                start, before = start + 1, winner
                column, row = start, 0
            elif row + 1 < depth and (column, row + 1) not in places:
                row += 1
            else:
                column += 1
            places[column, row] = winner
        last = max((place for place, _row in places), default=0)
        first = max(last + 1 - columns, 0)
        lines = []
        for row in range(depth):
            text = Text()
            for column in range(first, last + 1):
                chance = places.get((column, row), "")
                letter, style = LETTERS.get(chance, " "), ROADS[chance == pair[0]]
                text.append(f"{letter} ", style if chance else "")
            lines.append(text)
        return Text("\n").join(lines)


class Counts(TextPart):
    """The notes of a player: cut, cards, points, low and high, won and lost, outcomes."""

    def count(self, view: CountsView, house: House, texts: Texts, *, wide: bool) -> None:
        """Show the counts: outcomes in a table if it is ``wide``, else in two lines."""

        def texts_of(*counts: tuple[str, object]) -> str:
            """Return the counts that have a number, in a line."""
            shown = [texts(f"counts.{key}", number=n) for key, n in counts if n is not None]
            return "   ".join(shown)

        shoe, staked = view.shoe, amount_text(house, view.at_stake, texts.language)
        marker = texts(
            "counts.no_marker" if view.marker is None else "counts.marker", number=view.marker
        )
        left = texts_of(("left", shoe.cards_left))
        lines = [
            f"{texts_of(('cut', '–' if view.cut is None else view.cut))}   {marker}",
            f"{left} {texts_of(('to_marker', view.to_marker))}".rstrip(),
            texts_of(("out", shoe.points_out), ("burned", view.burned or None)),
            texts_of(("low", shoe.low_in), ("high", shoe.high_in)),
            texts_of(("won", view.tally.won), ("lost", view.tally.lost)),
            texts_of(("net", signed_text(house, view.net, texts.language)), ("at_stake", staked)),
        ]
        if wide:
            names = chance_names(house, texts.language)
            lines += ["", f"{'':<10}{texts('counts.taille'):>8}{texts('counts.session'):>9}"]
            for (name, here), (_name, whole) in zip(view.taille, view.session, strict=True):
                lines.append(f"{names.get(name, name):<10}{here:>8}{whole:>9}")
        else:
            chances, ties = view.taille[:-2], view.taille[-2:]
            lines.append(" ".join(f"{name[0].upper()} {count}" for name, count in chances))
            lines.append("   ".join(f"{name} {count}" for name, count in ties))
        self.show(Text("\n".join(lines)))
