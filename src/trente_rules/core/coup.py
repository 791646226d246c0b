"""A coup: two rows of cards, each dealt until its total is above 30.

A row ends on its first total above 30, which is 31 to 40: its point (France 2007, art. 54; every
source agrees). The house decides which colour a row is dealt for, so rows are first and second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate, product, starmap
from typing import Final

from attrs import Factory, field, frozen

from trente_rules.core.cards import Card, Colour, parse_cards
from trente_rules.core.errors import CardError

LAST_OPEN_TOTAL: Final = 30
"""A row whose total is this or less gets another card."""
_ROW_END: Final = "a row ends on its first total above 30"
POINTS: Final = tuple(range(31, 41))
"""The points a row can end on."""
OUTCOMES: Final = len(POINTS) ** 2 * 4
"""The number of outcomes of a coup that a verdict can depend on: two points, two colours."""


def _point(row: Row) -> int:
    """Return the point of a row; refuse one that is not complete or too long."""
    total = 0
    for place, card in enumerate(row.cards):
        if total > LAST_OPEN_TOTAL:
            late = row.cards[place:]
            raise CardError(
                f"row {_text(row.cards)} is too long: it ends on {total} after {place} cards",
                "row-too-long",
                f"leave out {_text(late)}",
                extra=tuple(map(str, late)),
            )
        total += card.points
    if total <= LAST_OPEN_TOTAL:
        raise CardError(
            f"row {_text(row.cards) or 'without cards'} is not complete: its total is {total}",
            "row-too-short",
            _ROW_END,
        )
    return total


def _text(cards: Iterable[Card]) -> str:
    return " ".join(map(str, cards))


@frozen
class Row:
    """One complete row; ``CardError`` ("row-too-short", "row-too-long") if it is not one."""

    cards: tuple[Card, ...]
    point: int = field(init=False, eq=False, default=Factory(_point, takes_self=True))

    @classmethod
    def parse(cls, text: str) -> Row:
        """Read a row: cards with white space between them."""
        return cls(parse_cards(text))

    @property
    def colour(self) -> Colour:
        """The colour of the row's first card."""
        return self.cards[0].colour

    def totals(self) -> tuple[int, ...]:
        """Return the running total after each card."""
        return tuple(accumulate(card.points for card in self.cards))

    def __str__(self) -> str:
        """Return the cards, with white space between them."""
        return _text(self.cards)


@frozen
class Coup:
    """Two complete rows, in the order they were dealt.

    >>> coup = Coup.parse("4♥ 10♠ J♦ 9♣ / 8♠ 7♦ Q♣ 6♥")
    >>> coup.first.point, coup.second.point
    (33, 31)
    """

    first: Row
    second: Row

    @classmethod
    def parse(cls, text: str) -> Coup:
        """Read a coup: two rows with ``/`` (or a line break) between them.

        Raises ``CardError`` ("no-card", "not-two-rows", "row-too-short", "row-too-long").
        """
        rows = [part for part in text.replace("\n", "/").split("/") if part.strip()]
        if len(rows) != 2:  # noqa: PLR2004 - two rows are the game
            reason = f"a coup has two rows, not {len(rows)}"
            raise CardError(reason, "not-two-rows", "write: row / row")
        return cls(Row.parse(rows[0]), Row.parse(rows[1]))

    @classmethod
    def of_cards(cls, cards: Iterable[Card]) -> Coup:
        """Deal a coup from the cards given; all must be used.

        Raises ``CardError``: "coup-too-short" where cards run out within a row, "coup-too-long"
        where cards are left after the second.
        """
        supply = iter(cards)
        first, second = take_row(supply), take_row(supply)
        for name, row in (("first", first), ("second", second)):
            total = sum(card.points for card in row)
            if total <= LAST_OPEN_TOTAL:
                reason = f"the cards end within the {name} row: its total is {total}"
                raise CardError(reason, "coup-too-short", _ROW_END)
        late = tuple(map(str, supply))
        if late:
            raise CardError(
                f"{len(late)} cards are left after the second row: {' '.join(late)}",
                "coup-too-long",
                "give the cards of one coup",
                extra=late,
            )
        return cls(Row(first), Row(second))

    @property
    def rows(self) -> tuple[Row, Row]:
        """Both rows, in the order they were dealt."""
        return self.first, self.second

    @property
    def cards(self) -> tuple[Card, ...]:
        """All cards, in the order they were dealt."""
        return self.first.cards + self.second.cards

    @property
    def outcome(self) -> int:
        """The outcome, 0 to 399, by which verdict tables are indexed; see ``outcome_index``."""
        return outcome_index(
            self.first.point, self.second.point, self.first.colour, self.second.colour
        )

    def __str__(self) -> str:
        """Return the two rows with `` / `` between them."""
        return f"{self.first} / {self.second}"


@frozen(cache_hash=True)
class Outcome:
    """Everything a verdict can depend on: both points, and the colour of each first card."""

    first: int
    second: int
    first_colour: Colour
    second_colour: Colour


def outcome_index(first: int, second: int, first_colour: int, second_colour: int) -> int:
    """Return the index of an outcome in a verdict table: points by tens, then colours."""
    return (
        ((first - POINTS[0]) * len(POINTS) + second - POINTS[0]) * 4
        + first_colour * 2
        + second_colour
    )


@cache
def outcomes() -> tuple[Outcome, ...]:
    """Return all 400 outcomes, in the order of ``outcome_index``."""
    return tuple(starmap(Outcome, product(POINTS, POINTS, Colour, Colour)))


def take_row(supply: Iterator[Card]) -> tuple[Card, ...]:
    """Take the cards of one row from a supply; fewer where it runs out."""
    cards: list[Card] = []
    total = 0
    while total <= LAST_OPEN_TOTAL and (card := next(supply, None)):
        cards.append(card)
        total += card.points
    return tuple(cards)
