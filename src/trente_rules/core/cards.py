"""Cards: their names, their points, their colour.

The ace counts 1, a court card 10, every other card its face value (all sources agree; France 2007,
art. 54). There are 52 cards; each is one object, shared by every shoe.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from string import ascii_letters, ascii_uppercase
from typing import Final

from attrs import field, frozen

from trente_rules.core.errors import CardError, shown


class Colour(IntEnum):
    """The colour of a card, and of the row that is dealt for it."""

    NOIR = 0
    ROUGE = 1

    @property
    def id(self) -> str:
        """The name in TOML and JSON: ``noir`` or ``rouge``."""
        return self.name.lower()


SUITS: Final = "♠♥♦♣"
_RANK_TEXTS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_RANKS: Final = {text: rank for rank, text in enumerate(_RANK_TEXTS, 1)} | {"T": 10, "1": 1}
_COURT_LETTERS: Final = {"V": "J", "B": "J", "F": "J", "D": "Q", "R": "K"}
"""Valet, Bube, Fante; Dame, Donna; Roi, Re, Rey: each is one rank in French, German, Italian and
Spanish. The king of German packs is K as in English ones."""
_READ_RANKS: Final = _RANKS | {text: _RANKS[rank] for text, rank in _COURT_LETTERS.items()}
_SUIT_LETTERS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"} | {suit: suit for suit in SUITS}
_OUTLINED: Final = str.maketrans("♤♡♢♧", SUITS)
_VARIATION_SELECTORS: Final = {0xFE0E: None, 0xFE0F: None}
CARD_PATTERN: Final = f"(10|[A2-9JQK])[{SUITS}]"
CARDS_PATTERN: Final = f"{CARD_PATTERN}( {CARD_PATTERN})*"
"""A card, and cards with a space between them, as they are written: regular expressions."""
LARGEST_POINTS: Final = 10


@frozen
class Card:
    """One card: ``rank`` 1 (ace) to 13 (king), and a suit of ``♠♥♦♣``.

    >>> Card.parse("10h")
    10♥
    >>> Card.parse("A♠").points
    1
    """

    rank: int
    suit: str
    points: int = field(init=False, eq=False)
    colour: Colour = field(init=False, eq=False)

    def __attrs_post_init__(self) -> None:
        """Check rank and suit; work out points and colour once."""
        known = type(self.rank) is int and 1 <= self.rank <= len(_RANK_TEXTS)
        if not known or self.suit not in tuple(SUITS):
            raise CardError(
                f"no card has rank {shown(self.rank)} and suit {shown(self.suit)}",
                "no-card",
                f"ranks are 1 to 13, suits are {SUITS}",
            )
        object.__setattr__(self, "points", min(self.rank, LARGEST_POINTS))
        object.__setattr__(self, "colour", Colour.ROUGE if self.suit in "♥♦" else Colour.NOIR)

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read a card: ``10♥``, ``Th``, ``10h``, ``A♠``; ``CardError`` ("no-card") if not one.

        The rank comes first, in upper or lower case: A or 1, 2 to 9, 10 or T, J Q K. The letters of
        other packs are read where each means one rank: V D R (French), B D K (German), F D R
        (Italian). Then the suit: its sign, or S H D C as in English. So ``DD`` is ``Q♦``.
        """
        card = _BY_TEXT.get(text) if isinstance(text, str) else None  # in a fifth of the time
        if card is None and isinstance(text, str):
            plain = text.strip().translate(_VARIATION_SELECTORS).translate(_OUTLINED).upper()
            card = _BY_TEXT.get(plain)
        if card is None:
            hint = "write rank and suit, such as 10♥, Th, 10h or A♠"
            raise CardError(f"{shown(text)} is not a card", "no-card", hint)
        return card

    def __str__(self) -> str:
        """Return the card as players write it: ``10♥``."""
        return f"{_RANK_TEXTS[self.rank - 1]}{self.suit}"

    __repr__ = __str__

    def __reduce__(self) -> tuple[object, tuple[str]]:
        """Pickle by name: an unpickled card is the same object as in ``PACK``."""
        return Card.parse, (str(self),)


PACK: Final[tuple[Card, ...]] = tuple(
    Card(rank, suit) for suit in SUITS for rank in range(1, len(_RANK_TEXTS) + 1)
)
"""One pack of 52 cards, in a fixed order: spades, hearts, diamonds, clubs, each ace to king."""

_BY_TEXT: Final = {
    f"{text}{letter}": PACK[SUITS.index(suit) * len(_RANK_TEXTS) + rank - 1]
    for text, rank in _READ_RANKS.items()
    for letter, suit in _SUIT_LETTERS.items()
}


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards with white space or commas between; ``CardError`` ("no-card") names a bad one."""
    if not isinstance(text, str):
        raise CardError(f"{shown(text)} is not a list of cards", "no-card", "write 10♥ 4♠ A♦")
    return tuple(Card.parse(word) for word in text.replace(",", " ").split())


# The compact form in which whole shoes are exported: a letter for each card

LETTERS: Final = ascii_uppercase + ascii_letters[:26]
"""``A`` to ``M`` spades, ``N`` to ``Z`` hearts, ``a`` to ``m`` diamonds, ``n`` to ``z`` clubs."""
_LETTER_OF: Final = dict(zip(PACK, LETTERS, strict=True))
_CARD_OF: Final = dict(zip(LETTERS, PACK, strict=True))


def compact(cards: Iterable[Card]) -> str:
    """Return cards as letters, in the order of ``PACK``.

    >>> from trente_rules import parse_cards
    >>> compact(parse_cards("A♠ K♠ A♥ A♦ K♣"))
    'AMNaz'
    """
    return "".join(map(_LETTER_OF.__getitem__, cards))


def parse_compact(text: str) -> tuple[Card, ...]:
    """Read cards written by ``compact``; ``CardError`` ("no-card") names a wrong character."""
    try:
        return tuple(map(_CARD_OF.__getitem__, text))
    except KeyError as error:
        letter = error.args[0]
        raise CardError(
            f"character {text.index(letter) + 1} of the cards is {letter!r}",
            "no-card",
            "a card is one letter: A to M spades, N to Z hearts, a to m diamonds, n to z clubs",
        ) from None
