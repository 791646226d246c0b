"""The cards that are left, and the odds of the next coup from them by either engine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import sub
from typing import Any, Final, Literal

from attrs import field, frozen

from trente_rules.core.cards import Card
from trente_rules.core.errors import CardError, TrenteError, shown
from trente_rules.core.shoe import MOST_PACKS, Shoe
from trente_rules.core.text import counted
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.odds.exact import check_counts, count_cards, odds_of_cards
from trente_rules.odds.fast import FastOdds, fast_odds

Engine = Literal["exact", "fast"]
VALUES: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "X")
"""How a composition names the values; X is every card worth ten."""
_IN_PACK: Final = (2,) * 9 + (8,)
"""The number of cards of one colour and each value in a pack."""
_COUNT: Final = re.compile(r"([0-9]{1,9})(?:r\+([0-9]{1,9})b)?", re.ASCII)
_WRITE: Final = "write ten values, such as A:24,2:24,...,9:24,X:96; a count may be 12r+12b"


def _composition_error(message: str, hint: str = _WRITE) -> TrenteError:
    return TrenteError(message, "bad-composition", hint)


def _check_packs(packs: int) -> None:
    if type(packs) is not int or packs < 1:
        raise _composition_error(f"a shoe of {packs!r} packs", "packs are a whole number from 1")


def _hold(packs: int, cards: int) -> str:
    return f"{counted(packs, 'pack')} {'holds' if packs == 1 else 'hold'} {cards:,}"


@frozen
class Composition:
    """How many cards are left of each value and colour: ten counts each, aces first, tens last.

    ``packs`` is how many packs the cards are of, where it is known. Raises ``TrenteError``
    ("bad-composition") where counts are not whole, below 0, all 0, or more than the packs hold.
    """

    noir: tuple[int, ...]
    rouge: tuple[int, ...]
    packs: int | None = None

    def __attrs_post_init__(self) -> None:
        """Check the counts."""
        check_counts(self.noir, self.rouge)
        if not self.cards:
            raise _composition_error("no card is left", "give the cards of at least one value")
        if self.packs is None:
            return
        _check_packs(self.packs)
        for colour, counts in (("black", self.noir), ("red", self.rouge)):
            for value, count, most in zip(VALUES, counts, _IN_PACK, strict=True):
                if count > most * self.packs:
                    hint = _hold(self.packs, most * self.packs)
                    raise _composition_error(f"{count} {colour} cards of value {value}", hint)

    @property
    def cards(self) -> int:
        """The number of cards that are left."""
        return sum(self.noir) + sum(self.rouge)

    @property
    def whole(self) -> int:
        """The number of packs if no card is out, otherwise 0."""
        packs = self.noir[0] // _IN_PACK[0]
        fresh = tuple(count * packs for count in _IN_PACK)
        return packs if self.noir == fresh and self.rouge == fresh else 0

    @classmethod
    def fresh(cls, packs: int) -> Composition:
        """Return whole packs."""
        _check_packs(packs)
        counts = tuple(count * packs for count in _IN_PACK)
        return cls(counts, counts, packs)

    @classmethod
    def of_cards(cls, cards: Iterable[Card]) -> Composition:
        """Count cards."""
        return cls(*count_cards(cards))

    @classmethod
    def of_shoe(cls, shoe: Shoe, *, burn_shown: bool = False) -> Composition:
        """Count the cards that a player has not seen: all of a shoe but those of its coups.

        Cards burned unseen count as still in: cards are exchangeable, so they are as likely as any
        others to come next. ``burn_shown`` is the house's ``[shoe] burn_shown``: burned cards that
        were shown are out. The place of the marker does not matter for a coup that is sure to be
        completed; near the end, completion depends on the marker and on the cards really left.
        """
        seen = shoe.cards[0 if burn_shown else shoe.burned : shoe.position]
        return cls.after(shoe.packs, seen)

    @classmethod
    def after(cls, packs: int, dealt: Iterable[Card]) -> Composition:
        """Return whole packs less the cards dealt.

        Raises ``CardError`` ("too-many-of-a-card") for more of a card than the packs hold.
        """
        whole = cls.fresh(packs)
        out: Counter[Card] = Counter()
        for place, card in enumerate(dealt, 1):
            out[card] += 1
            if out[card] > packs:
                hint = f"{_hold(packs, packs)}; give the number of packs, or correct the list"
                reason = f"card {place} of those dealt is {card} once too often"
                raise CardError(reason, "too-many-of-a-card", hint)
        noir, rouge = count_cards(out.elements())
        return cls(tuple(map(sub, whole.noir, noir)), tuple(map(sub, whole.rouge, rouge)), packs)

    @classmethod
    def parse(cls, text: str, packs: int | None = None) -> Composition:
        """Read ``A:24,2:24,...,9:24,X:96``: a count is even colours, or red and black, 12r+11b.

        Values that are not named have no card. Raises ``TrenteError`` ("bad-composition").
        """
        noir, rouge = [0] * len(VALUES), [0] * len(VALUES)
        named: set[str] = set()
        for part in text.split(","):
            value, _colon, written = (word.strip() for word in part.partition(":"))
            value, given = value.upper(), shown(part.strip())
            if value not in VALUES:
                hint = "write A, 2 to 9 or X with a count, for example A:24"
                raise _composition_error(f"unknown card value {given}", hint)
            if value in named:
                raise _composition_error(f"value {value} is named twice", _WRITE)
            named.add(value)
            count = _COUNT.fullmatch(written.replace(" ", ""))
            if not count:
                wrong = f": {shown(written)} is invalid" if written else ""
                hint = f"counts are whole, from 0; {_WRITE}"
                raise _composition_error(f"{given} has no count{wrong}", hint)
            place = VALUES.index(value)
            if count[2] is not None:
                rouge[place], noir[place] = int(count[1]), int(count[2])
            elif int(count[1]) % 2:
                hint = f"write which are red and black, such as {value}:12r+11b"
                reason = f"{given} is an odd count, whose colours cannot be even"
                raise _composition_error(reason, hint)
            else:
                noir[place] = rouge[place] = int(count[1]) // 2
        return cls(tuple(noir), tuple(rouge), packs)


def deal_odds(
    composition: Composition | Shoe | Sequence[Sequence[int]], engine: Engine = "exact"
) -> CoupOdds | FastOdds:
    """Return the odds of the next coup from the cards that are left, in random order.

    ``composition`` is a ``Composition``, its counts (noir, rouge), or a ``Shoe`` whose burned cards
    were not shown (``Composition.of_shoe``; the order of its cards is not used). The exact engine
    returns ``CoupOdds``: fractions, all 400 outcomes, up to some seconds (whole packs are stored).
    The fast engine, which needs the extra ``fast``, returns ``FastOdds``: floating point and its
    error, milliseconds. Raises ``TrenteError`` ("bad-composition", "needs-fast", "unknown-engine").
    """
    if isinstance(composition, Shoe):
        composition = Composition.of_shoe(composition)
    if not isinstance(composition, Composition):
        composition = _of_counts(composition)
    noir, rouge, packs = composition.noir, composition.rouge, composition.whole
    whole = 1 <= packs <= MOST_PACKS
    name = f"{packs}-packs" if whole else f"{composition.cards} cards"
    if engine == "fast":
        return fast_odds(noir, rouge, name)
    if engine != "exact":
        raise TrenteError(
            f"{engine!r} is not an engine", "unknown-engine", "engines are exact and fast"
        )
    return fresh_shoe(packs) if whole else odds_of_cards(noir, rouge, name)


def _of_counts(counts: Any) -> Composition:
    """Return a composition of the counts of a caller, which may be anything."""
    if isinstance(counts, str) or not isinstance(counts, Sequence):
        raise _composition_error(
            f"{shown(counts)} is not a composition",
            "give a Composition, a Shoe, or black and red counts; Composition.parse reads text",
        )
    if len(counts) != 2:  # noqa: PLR2004 - two colours
        raise _composition_error(f"{len(counts)} lists of counts", "give black and red counts")
    noir, rouge = (tuple(part) if isinstance(part, Sequence) else part for part in counts)
    return Composition(noir, rouge)


def unfinished(odds: CoupOdds | FastOdds) -> Fraction:
    """Return the probability of a coup for which the cards do not suffice."""
    if isinstance(odds, CoupOdds):
        return Fraction(odds.unfinished_weight, odds.denominator)
    return Fraction(odds.unfinished)


@frozen
class CompletedOdds:
    """The odds of a coup, given that the cards suffice for it: an uncompleted coup is void.

    Raises ``TrenteError`` ("no-coup-left") where they never do.
    """

    odds: CoupOdds | FastOdds
    completed: Fraction = field(init=False)

    @completed.default
    def _completed(self) -> Fraction:
        return 1 - unfinished(self.odds)

    def __attrs_post_init__(self) -> None:
        """Check that some coup can be completed."""
        if self.completed <= 0:
            reason = f"{self.deal} never suffice for a coup"
            raise TrenteError(reason, "no-coup-left", "give more cards")

    @property
    def deal(self) -> str:
        """The name of the deal."""
        return self.odds.deal

    def verdicts(self, table: bytes) -> tuple[Fraction, ...]:
        """Return the probability of each verdict of a chance; they sum to one."""
        return tuple(part / self.completed for part in self.odds.verdicts(table))
