"""The shoe rule: packs, burn, marker, and what becomes of prisoners when the shoe ends."""

from __future__ import annotations

from typing import Final, Literal

from attrs import frozen

from trente_rules.deal.shoe import Shoe
from trente_rules.errors import CardError, RuleError, shown
from trente_rules.keys import between, key

CARDS_IN_PACK: Final = 52
MOST_PACKS: Final = 8

FromEnd = int | tuple[int, int]


def _place(from_end: FromEnd) -> str:
    low, high = (from_end, from_end) if isinstance(from_end, int) else from_end
    return "" if 0 <= low <= high else f"{from_end!r} is not a place, or two in rising order"


@frozen
class Marker:
    """The cut card that ends the shoe: where it lies, who puts it there, what it does."""

    from_end: FromEnd = key(
        5,
        "How many cards lie behind the marker: a number (France, Spain: 5), or the two bounds "
        "between which a player may put it (an Italian program: 20 to 40).",
        check=_place,
    )
    placed_by: Literal["croupier", "player"] = key("croupier", "Who puts the marker in.")
    on_marker: Literal["void", "finish"] = key(
        "void",
        "What the marker does when it comes up within a coup: the coup is void (French and "
        "Spanish law), or is finished as the last of the taille (an Italian program).",
    )

    @property
    def bounds(self) -> tuple[int, int]:
        """The fewest and the most cards behind the marker."""
        if isinstance(self.from_end, int):
            return self.from_end, self.from_end
        return self.from_end

    def place(self, from_end: int | None = None) -> int:
        """Answer where the marker is put, from the end; None where the house leaves no choice.

        Raises ``RuleError`` ("bad-marker") for a place out of bounds.
        """
        low, high = self.bounds
        place = low if from_end is None else from_end
        if type(place) is not int or not low <= place <= high:
            raise RuleError(
                f"the marker cannot lie {shown(place)} cards from the end",
                "bad-marker",
                f"this house puts it {low} to {high} cards from the end",
                "marker.from_end",
            )
        return place


@frozen
class ShoeRule:
    """The [shoe] table."""

    packs: int = key(
        6, "Packs of 52 cards: a sixain of six nearly everywhere.", check=between(1, MOST_PACKS)
    )
    burn: int = key(
        0, "Cards burned at the front (Italian houses: five).", check=between(0, CARDS_IN_PACK)
    )
    burn_shown: bool = key(
        False,
        "The burned cards are shown to the players (old houses look at the first card).",
    )
    marker: Marker | None = key(
        None, 'The marker that ends the shoe; `"none"`: cards are dealt while a coup can be made.'
    )
    prisoners_at_end: Literal["carry", "close"] = key(
        "carry",
        "What becomes of stakes in prison at the end of the shoe: they wait for the next one, or "
        "are closed as at the end of the session.",
    )
    cut_by: Literal["player", "croupier", "player-on-right"] = key(
        "player", "Who cuts the cards (Spain: the player nearest on the croupier's right)."
    )
    exposed_card: Literal["burn", "void"] = key(
        "burn",
        "What is done with a card exposed by mistake: it is burned and the deal goes on (French "
        "law), or the coup is void.",
    )
    count_talon: bool = key(
        False,
        "The cards left behind the marker are counted aloud at the end (French and Spanish law).",
    )

    def check(self) -> None:
        """Refuse what cannot act or cannot be dealt; ``RuleError`` names the field."""
        cards = self.packs * CARDS_IN_PACK
        if self.burn_shown and not self.burn:
            raise _idle("burn_shown", "no card is burned")
        if self.count_talon and not (self.marker and self.marker.bounds[1]):
            raise _idle("count_talon", "no marker leaves a talon")
        if self.marker and self.burn + self.marker.bounds[1] >= cards:
            raise RuleError(
                f"{self.burn} cards burned and {self.marker.bounds[1]} behind the marker leave "
                f"none of {cards}",
                "no-coup-left",
                "burn fewer cards, or put the marker nearer to the end",
                "marker.from_end",
            )

    def prepare(self, shoe: Shoe, *, cut_at: int = 0, marker_from_end: int | None = None) -> Shoe:
        """Cut, burn and mark a shoe as the house does.

        ``marker_from_end`` is where the marker is put, if the house leaves a choice. Raises
        ``CardError`` for a shoe of another size ("other-packs"), one that is begun or cut
        nowhere, and ``RuleError`` ("bad-marker") for a marker out of bounds.
        """
        if shoe.packs != self.packs:
            raise CardError(
                f"a shoe of {shoe.packs} packs is not one of this house",
                "other-packs",
                f"this house plays with {self.packs}",
            )
        ready = shoe.cut(cut_at).burn(self.burn)
        if self.marker is None:
            return ready
        return ready.place_marker(self.marker.place(marker_from_end))


def _idle(field: str, why: str) -> RuleError:
    return RuleError(f"{field} cannot act: {why}", "key-cannot-act", f"leave {field} out", field)
