"""A live shoe: its order is not known, its cards come one by one from the table."""

from __future__ import annotations

from attrs import evolve, frozen

from trente_rules.deal.cards import Card
from trente_rules.errors import CardError
from trente_rules.rules.shoe_rule import CARDS_IN_PACK


@frozen
class LiveShoe:
    """What is known of a live shoe: the packs, the cards seen, the cards burned unseen.

    ``marker`` is where the marker was put, from the end; ``marker_out`` tells that it came up.
    """

    packs: int
    seen: tuple[Card, ...] = ()
    unseen: int = 0
    marker: int | None = None
    marker_out: bool = False

    @property
    def position(self) -> int:
        """How many cards are out."""
        return len(self.seen) + self.unseen

    @property
    def left(self) -> int:
        """How many cards are still in."""
        return self.packs * CARDS_IN_PACK - self.position

    @property
    def ended(self) -> bool:
        """Whether no coup can begin."""
        return self.marker_out or not self.left

    @property
    def marker_met(self) -> bool:
        """Whether the marker is out: before that, nobody knows where it lies."""
        return self.marker_out

    def burn(self, count: int) -> LiveShoe:
        """Burn cards that nobody sees."""
        return evolve(self, unseen=self.unseen + count)

    def see(self, card: Card) -> LiveShoe:
        """Take a card that came out.

        Raises ``CardError``: "too-many-of-a-card" where the packs hold no more of it, "shoe-empty"
        where every card is out.
        """
        if not self.left:
            raise CardError(
                f"{card} cannot come up: all {self.position} cards are out",
                "shoe-empty",
                "shuffle the cards for a new taille",
                extra=(str(card),),
            )
        if self.seen.count(card) >= self.packs:
            raise CardError(
                f"{card} came up already {self.packs} times: {self.packs} packs hold no more",
                "too-many-of-a-card",
                "read the card again, or correct an earlier one",
                extra=(str(card),),
            )
        return evolve(self, seen=(*self.seen, card))
