"""The shoe: whole packs in a frozen order, dealt until the marker or the last card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from attrs import evolve, frozen

from trente_rules.deal.cards import PACK, Card
from trente_rules.deal.coup import LAST_OPEN_TOTAL, Coup, Row, take_row
from trente_rules.deal.entropy import Shuffler
from trente_rules.errors import CardError, shown

_SHOWN: Final = 12


def _check_packs(packs: int) -> None:
    if type(packs) is not int or packs < 1:
        raise CardError(
            f"a shoe of {shown(packs)} packs", "no-packs", "packs are a whole number from 1"
        )


def _named(cards: Counter[Card]) -> tuple[str, ...]:
    return tuple(f"{count} x {card}" for card, count in cards.items())


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def check_whole_packs(cards: Iterable[Card], packs: int) -> None:
    """Refuse cards that are not exactly ``packs`` packs of 52, naming the missing and the extra.

    Raises ``CardError`` ("not-whole-packs"), whose ``missing`` and ``extra`` hold them all.
    """
    _check_packs(packs)
    held, wanted = Counter(cards), Counter(dict.fromkeys(PACK, packs))
    missing, extra = _named(wanted - held), _named(held - wanted)
    if missing or extra:
        faults = [
            f"{word}: {_few(names)}"
            for word, names in (("missing", missing), ("extra", extra))
            if names
        ]
        raise CardError(
            f"the cards are not {packs} whole packs; {'; '.join(faults)}",
            "not-whole-packs",
            "count the cards again, or change [shoe] packs",
            missing,
            extra,
        )


@frozen
class Shoe:
    """The ordered cards of one taille, and how far they are dealt.

    ``cards`` never change their order. ``position`` counts the cards that are out, ``burned`` those
    of them burned at the front. ``marker`` is how many cards lie before the marker, None without
    one.
    """

    cards: tuple[Card, ...]
    packs: int
    position: int = 0
    burned: int = 0
    marker: int | None = None

    @classmethod
    def of_cards(cls, cards: Iterable[Card], packs: int) -> Shoe:
        """Build a shoe from given cards, in that order; ``CardError`` if not whole packs."""
        ordered = tuple(cards)
        check_whole_packs(ordered, packs)
        return cls(ordered, packs)

    @classmethod
    def shuffled(cls, packs: int, shuffler: Shuffler) -> Shoe:
        """Build a shoe of whole packs, put in order by the shuffler; its answer is checked."""
        _check_packs(packs)
        return cls.of_cards(shuffler.shuffle(PACK * packs), packs)

    @property
    def left(self) -> int:
        """How many cards are still in."""
        return len(self.cards) - self.position

    @property
    def rest(self) -> tuple[Card, ...]:
        """The cards still in, in order."""
        return self.cards[self.position :]

    @property
    def ended(self) -> bool:
        """Whether no coup can begin: the marker is met before its first card, or no card is in."""
        return not self.left or self.marker_met

    @property
    def marker_met(self) -> bool:
        """Whether the marker lies before the next card, or is out."""
        return self.marker is not None and self.position >= self.marker

    def cut(self, at: int) -> Shoe:
        """Put the first ``at`` cards behind the others; only before the first card is out."""
        self._untouched("cut")
        if not 0 <= at <= len(self.cards):
            raise CardError(
                f"cannot cut at {shown(at)}",
                "bad-cut",
                f"a cut is 0 to {len(self.cards)} cards deep",
            )
        return evolve(self, cards=self.cards[at:] + self.cards[:at])

    def burn(self, count: int) -> Shoe:
        """Burn cards at the front: they are out, and belong to no coup."""
        self._untouched("burned")
        if not 0 <= count <= self.left:
            raise CardError(f"cannot burn {shown(count)} cards", "bad-burn", f"{self.left} are in")
        return evolve(self, position=count, burned=count)

    def place_marker(self, from_end: int) -> Shoe:
        """Put the marker before the last ``from_end`` cards."""
        place = len(self.cards) - from_end
        if from_end < 0 or place <= self.position:
            raise CardError(
                f"cannot place the marker {shown(from_end)} cards from the end",
                "bad-marker",
                f"it lies behind at least one of the {self.left} cards that are in",
            )
        return evolve(self, marker=place)

    def take(self) -> tuple[Card, Shoe]:
        """Take the next card; ``CardError`` ("shoe-empty") where none is in."""
        if not self.left:
            raise CardError("the shoe is empty", "shoe-empty", "shuffle the cards for a new taille")
        return self.cards[self.position], evolve(self, position=self.position + 1)

    def _untouched(self, what: str) -> None:
        if self.position:
            raise CardError(
                f"the shoe cannot be {what} now: {self.position} cards are out",
                "shoe-begun",
                "cut and burn before the first coup",
            )


@frozen
class Dealt:
    """What dealing one coup gave.

    ``cards`` are the cards shown, in order. ``coup`` is None where the rows are not complete: the
    cards ran out, or the marker stopped the deal. ``marker`` tells whether it came up within the
    coup.
    """

    shoe: Shoe
    cards: tuple[Card, ...]
    coup: Coup | None
    marker: bool


def deal_coup(shoe: Shoe, *, stop_at_marker: bool = False) -> Dealt:
    """Deal the next coup of a shoe.

    With ``stop_at_marker`` the deal stops where the marker comes up (a house that voids that coup);
    without, the coup is finished. Raises ``CardError`` ("shoe-ended") where no coup can begin.
    """
    if shoe.ended:
        raise CardError(
            "no coup can begin: "
            + ("the marker has come up" if shoe.left else "no card is left in the shoe"),
            "shoe-ended",
            "shuffle the cards for a new taille",
        )
    end = len(shoe.cards)
    if stop_at_marker and shoe.marker is not None:
        end = shoe.marker
    supply: Iterator[Card] = iter(shoe.cards[shoe.position : end])
    first, second = take_row(supply), take_row(supply)
    cards = first + second
    coup = None
    if sum(card.points for card in second) > LAST_OPEN_TOTAL:
        coup = Coup(Row(first), Row(second))
    position = shoe.position + len(cards)
    marker = shoe.marker is not None and (
        position > shoe.marker or (coup is None and position == shoe.marker)
    )
    return Dealt(evolve(shoe, position=position), cards, coup, marker)
