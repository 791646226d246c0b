"""Colours that the colour-blind tell apart; whatever a colour says, a letter or a sign says too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.style import Style
from rich.text import Text

from trente_rules.deal.cards import Card, Colour

ROUGE: Final = Style(color="#c43e00", bgcolor="#f5f1e6", bold=True)
NOIR: Final = Style(color="#101010", bgcolor="#f5f1e6", bold=True)
FACES: Final = {Colour.ROUGE: ROUGE, Colour.NOIR: NOIR}
BOLD: Final = Style(bold=True)
DIM: Final = Style(color="#a8b0b8")
GOOD: Final = Style(color="#56b4e9", bold=True)
BAD: Final = Style(color="#e69f00", bold=True)


def cards_text(cards: Sequence[Card], width: int, indent: int) -> Text:
    """Answer cards side by side, close together where that saves a line, and lines indented."""
    close = sum(len(str(card)) + 3 for card in cards) > width
    text, used = Text(), 0
    for card in cards:
        face = str(card) if close else f" {card} "
        if used and used + len(face) > width:
            text.append("\n" + " " * indent)
            used = 0
        text.append(face, FACES[card.colour])
        text.append(" ")
        used += len(face) + 1
    return text
