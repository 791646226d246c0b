"""The voice of the croupier: the calls of a house as events, each worked out once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE
from trente_rules.core.rules.announcements import Call, calls_of, card_calls, result_calls
from trente_rules.table.events import Announced


class Voice:
    """The calls of one house as events. They are cached: each depends on few things."""

    def __init__(self, house: House) -> None:
        """Begin with nothing worked out."""
        self._house = house
        self._said: dict[object, tuple[Announced, ...]] = {}
        self._verdicts: dict[int, tuple[tuple[str, Verdict], ...]] = {}
        self._choosing: dict[int, frozenset[str]] = {}

    def _events(self, key: object, calls: Iterable[Call]) -> tuple[Announced, ...]:
        events = tuple(Announced(call.phrase, call.values) for call in calls)
        self._said[key] = events
        return events

    def say(self, phrase: str) -> tuple[Announced, ...]:
        """Return the call of one phrase without values; ``RuleError`` for an unknown phrase."""
        return self.calls(calls_of, phrase)

    def calls(
        self, kind: Callable[..., tuple[Call, ...]], *values: object, **named: object
    ) -> tuple[Announced, ...]:
        """Return the calls that a function of ``core.rules.announcements`` gives for its values."""
        key = (kind, *values, *named.items())
        if key in self._said:
            return self._said[key]
        return self._events(key, kind(self._house.words, *values, **named))

    def card(
        self, cards: Sequence[Card], total: int, first_cards: int, first_point: int
    ) -> tuple[Announced, ...]:
        """Return the calls after the last of these cards of a coup.

        ``total`` is what its row counts now; ``first_cards`` and ``first_point`` are those of the
        first row where the card is in the second, else 0. Nothing else makes a difference.
        """
        key = (total, first_point, len(cards) - first_cards == 1)
        said = self._said.get(key)
        if said is not None:
            return said
        house = self._house
        first_row = house.deal.first_colour
        return self._events(key, card_calls(house.announcements, house.words, cards, first_row))

    def verdicts(self, coup: Coup) -> tuple[tuple[str, Verdict], ...]:
        """Return the verdict of every chance of the house."""
        outcome = coup.outcome
        if outcome not in self._verdicts:
            self._verdicts[outcome] = tuple(
                (chance.id, chance.verdicts[chance.table[outcome]])
                for chance in self._house.chances
            )
        return self._verdicts[outcome]

    def choosing(self, coup: Coup) -> frozenset[str]:
        """Return the chances on which a free stake meets more than one course.

        Insurance adds no course: where it acts it leaves one, elsewhere those of every stake.
        """
        outcome, wagers = coup.outcome, self._house.wagers
        if outcome not in self._choosing:
            self._choosing[outcome] = frozenset(
                chance
                for chance, verdict in self.verdicts(coup)
                if len(wagers[chance, False].courses(FREE, verdict)) > 1
            )
        return self._choosing[outcome]

    @cached_property
    def called(self) -> frozenset[str]:
        """The names of the courses that are called when a stake takes them."""
        return frozenset[str]().union(*(each.called for each in self._house.wagers.values()))

    def result(self, coup: Coup) -> tuple[Announced, ...]:
        """Return the calls when both rows are dealt."""
        outcome = coup.outcome
        if outcome in self._said:
            return self._said[outcome]
        house = self._house
        verdicts = dict(self.verdicts(coup))
        return self._events(outcome, result_calls(house.announcements, house.words, coup, verdicts))
