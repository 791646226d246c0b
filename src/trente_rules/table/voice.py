"""What the croupier says, as events: the calls of a house, each worked out once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.house.house import House
from trente_rules.core.rules.announcements import (
    Call,
    bets_closed_calls,
    bets_open_calls,
    calls_of,
    card_calls,
    opening_calls,
    result_calls,
    talon_calls,
)
from trente_rules.table.events import Announced


def _events(calls: Iterable[Call]) -> tuple[Announced, ...]:
    return tuple(Announced(call.phrase, call.values) for call in calls)


class Voice:
    """The calls of one house. What was worked out is kept: a call depends on few things."""

    def __init__(self, house: House) -> None:
        """Take the house; nothing is worked out yet."""
        self._house = house
        self._style = house.announcements
        self._words = house.words
        self._said: dict[object, tuple[Announced, ...]] = {}
        self._verdicts: dict[int, tuple[tuple[str, Verdict], ...]] = {}

    def say(self, phrase: str) -> tuple[Announced, ...]:
        """Return one phrase made without values; ``RuleError`` where there is none."""
        key = ("phrase", phrase)
        if key not in self._said:
            self._said[key] = _events(calls_of(self._words, phrase))
        return self._said[key]

    def cut(self) -> tuple[Announced, ...]:
        """Return the call for the cut."""
        return _events(opening_calls(self._words, 0))

    def burn(self, count: int) -> tuple[Announced, ...]:
        """Return the call for the cards burned."""
        return _events(opening_calls(self._words, count, cut=False))

    def talon(self, cards: int) -> tuple[Announced, ...]:
        """Return the count of the cards left."""
        return _events(talon_calls(self._words, cards))

    def bets_open(self) -> tuple[Announced, ...]:
        """Return the call that opens the bets."""
        if "open" not in self._said:
            self._said["open"] = _events(bets_open_calls(self._words))
        return self._said["open"]

    def bets_closed(self) -> tuple[Announced, ...]:
        """Return the calls that close the bets."""
        if "closed" not in self._said:
            self._said["closed"] = _events(bets_closed_calls(self._words))
        return self._said["closed"]

    def card(
        self, cards: Sequence[Card], total: int, first_cards: int, first_point: int
    ) -> tuple[Announced, ...]:
        """Return what is called after the last of these cards of a coup.

        ``total`` is what its row counts now; ``first_cards`` and ``first_point`` are those of the
        first row where the card is in the second, else 0. Nothing else makes a difference.
        """
        key = (total, first_point, len(cards) - first_cards == 1)
        if key not in self._said:
            first_row = self._house.deal.first_colour
            self._said[key] = _events(card_calls(self._style, self._words, cards, first_row))
        return self._said[key]

    def verdicts(self, coup: Coup) -> tuple[tuple[str, Verdict], ...]:
        """Return the verdict of every chance of the house."""
        outcome = coup.outcome
        if outcome not in self._verdicts:
            self._verdicts[outcome] = tuple(
                (chance.id, chance.verdicts[chance.table[outcome]])
                for chance in self._house.chances
            )
        return self._verdicts[outcome]

    def result(self, coup: Coup) -> tuple[Announced, ...]:
        """Return what is called when both rows are dealt."""
        outcome = coup.outcome
        if outcome not in self._said:
            simple: dict[str, Verdict] = {
                chance: verdict
                for chance, verdict in self.verdicts(coup)
                if chance in self._house.deal.chances
            }
            self._said[outcome] = _events(result_calls(self._style, self._words, coup, simple))
        return self._said[outcome]
