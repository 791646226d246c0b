"""Cards in one letter each: the compact form in which whole shoes are exported."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_letters, ascii_uppercase
from typing import Final

from trente_rules.deal.cards import PACK, Card
from trente_rules.errors import CardError

LETTERS: Final = ascii_uppercase + ascii_letters[:26]
"""``A`` to ``M`` spades, ``N`` to ``Z`` hearts, ``a`` to ``m`` diamonds, ``n`` to ``z`` clubs."""
_LETTER_OF: Final = dict(zip(PACK, LETTERS, strict=True))
_CARD_OF: Final = dict(zip(LETTERS, PACK, strict=True))


def compact(cards: Iterable[Card]) -> str:
    """Answer cards as letters, in the order of ``PACK``.

    >>> from trente_rules import parse_cards
    >>> compact(parse_cards("A♠ K♠ A♥ A♦ K♣"))
    'AMNaz'
    """
    return "".join(map(_LETTER_OF.__getitem__, cards))


def parse_compact(text: str) -> tuple[Card, ...]:
    """Read cards written by ``compact``; ``CardError`` ("no-card") names a letter of no card."""
    for place, letter in enumerate(text, 1):
        if letter not in _CARD_OF:
            raise CardError(
                f"character {place} of the cards is {letter!r}",
                "no-card",
                "a card is one letter: A to M spades, N to Z hearts, a to m diamonds, n to z clubs",
            )
    return tuple(map(_CARD_OF.__getitem__, text))
