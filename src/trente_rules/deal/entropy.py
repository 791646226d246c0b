"""The one module that touches randomness: what puts the cards of a shoe in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from attrs import frozen

T = TypeVar("T")


class Shuffler(Protocol):
    """Anything that answers the same cards in a new order; a shoe is built from one passed in."""

    def shuffle(self, cards: Sequence[T], /) -> tuple[T, ...]:
        """Answer the cards in a new order, every order equally likely."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class SystemShuffler:
    """Fisher-Yates on the operating system's cryptographic generator.

    ``secrets.randbelow`` draws whole bits and rejects what is out of range: every order is equally
    likely, the bias is exactly zero.
    """

    def shuffle(self, cards: Sequence[T], /) -> tuple[T, ...]:
        """Answer the cards in a new order, every order equally likely."""
        from secrets import randbelow  # noqa: PLC0415 - only a shuffle needs it

        deck = list(cards)
        for last in range(len(deck) - 1, 0, -1):
            pick = randbelow(last + 1)
            deck[last], deck[pick] = deck[pick], deck[last]
        return tuple(deck)
