"""Colours that the colour-blind tell apart; whatever a colour says, a letter or a sign says too."""

from __future__ import annotations

from collections.abc import Iterable
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


def card_text(card: Card) -> Text:
    """Answer a card as it lies on the table, the sign of its suit beside its rank."""
    return Text(f" {card} ", FACES[card.colour])


def cards_text(cards: Iterable[Card]) -> Text:
    """Answer cards side by side."""
    return Text(" ").join(card_text(card) for card in cards)
