"""Effects of removal: what one card less of a value and colour does to a figure of the next coup.

A figure that is linear in the law of a coup changes, to the first order, by the sum of the effects
of the cards that are out, spread over those left (Griffin). So the effects are the tags of the best
linear count, and their spread says how far the figure moves as the shoe is dealt (Thorp and
Walden). An unseen card that is out changes nothing: over all cards of a shoe the effects of a
linear figure sum to zero.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from importlib.resources import files
from math import erf, exp, pi, sqrt
from operator import add, sub
from typing import Final

from attrs import field, frozen

from trente_rules.core.chances import Kind
from trente_rules.core.house.house import House
from trente_rules.core.shoe import CARDS_IN_PACK, MOST_PACKS
from trente_rules.odds.advantage import advantage, law_of, of_kind
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe, symmetric
from trente_rules.odds.fast import FastOdds, fast_odds
from trente_rules.odds.remaining import VALUES, CompletedOdds, Composition

COLOURS: Final = ("noir", "rouge")
_LARGEST_TAG: Final = 2
_SAME: Final = 1e-12
"""Less is rounding."""
_UNIT: Final = 1e-15
"""The unit of the stored differences: the fast engine is off by no more."""


@frozen
class Effects:
    """The effects of removal on one figure, by colour and value, and what they say.

    ``name`` is a chance, or ``refait`` and ``apres`` for the probabilities of such ties;
    ``insured`` says which stake. ``whole`` is the figure from all cards: an edge in stakes, or a
    probability. ``noir`` and ``rouge`` have the change of the figure when one card of each value
    leaves, None where it leaves nothing. ``counts`` are the cards themselves.
    """

    name: str
    insured: bool
    whole: float
    noir: tuple[float | None, ...]
    rouge: tuple[float | None, ...]
    counts: tuple[tuple[int, ...], tuple[int, ...]] = field(repr=False)

    def pairs(self) -> list[tuple[int, float]]:
        """Return how many cards there are of each kind, and the effect of one."""
        both = zip((*self.counts[0], *self.counts[1]), (*self.noir, *self.rouge), strict=True)
        return [(count, effect) for count, effect in both if effect is not None]

    @property
    def cards(self) -> int:
        """The number of cards."""
        return sum(map(sum, self.counts))

    @property
    def coloured(self) -> bool:
        """A red card and a black one of a value do not the same."""
        both = zip(self.noir, self.rouge, strict=True)
        return any(abs((one or 0.0) - (other or 0.0)) > _SAME for one, other in both)

    @property
    def moves(self) -> bool:
        """Some card moves the figure."""
        return any(effect for _count, effect in self.pairs())

    @property
    def sum(self) -> float:
        """The sum of the effects of all cards: zero for a figure that is linear in the law."""
        return sum(count * effect for count, effect in self.pairs())

    @property
    def spread(self) -> float:
        """The standard deviation of the effects over the cards."""
        return sqrt(sum(count * effect**2 for count, effect in self.pairs()) / self.cards)

    def deviation(self, left: int) -> float:
        """Return the standard deviation of the figure once so many cards are left."""
        return self.spread * sqrt((self.cards - 1) * (self.cards - left) / left)

    def favourable(self, left: int) -> tuple[float, float]:
        """Return how often an edge is below zero with so many cards left, and the gain a coup.

        By the normal law around the edge of all cards: the gain is that of a stake placed whenever
        the edge is below zero, for each coup watched.
        """
        deviation = self.deviation(left)
        if not deviation:
            return float(self.whole < 0), max(0.0, -self.whole)
        z = self.whole / deviation
        above = (1 - erf(z / sqrt(2))) / 2
        gain = deviation * exp(-z * z / 2) / sqrt(2 * pi) - self.whole * above
        return above, max(0.0, gain)  # far out the two terms cancel

    def linear(self, left: Composition) -> float:
        """Return the figure that the linear count gives for these cards left."""
        out = (
            (count - now) * effect
            for counts, nows, effects in (
                (self.counts[0], left.noir, self.noir),
                (self.counts[1], left.rouge, self.rouge),
            )
            for count, now, effect in zip(counts, nows, effects, strict=True)
            if effect is not None
        )
        return self.whole + sum(out) * (self.cards - 1) / left.cards

    def tags(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return a count in whole numbers from -2 to 2, black and red, that follows best.

        Of all scales it is the one whose tags have the greatest correlation with the effects.
        """
        known = [abs(effect) for _count, effect in self.pairs() if effect]
        if not known:
            return (0,) * len(VALUES), (0,) * len(VALUES)
        # Tags change where a scale lifts an effect over a half or one and a half.
        scales = sorted({(half + 1e-9) / each for each in known for half in (0.5, 1.5)})
        return max((self._scaled(scale) for scale in scales), key=self._follows)

    def _follows(self, tags: tuple[Sequence[float], Sequence[float]]) -> float:
        """Return the correlation; below all others where it does not exist."""
        found = self.correlation(tags)
        return -1.0 if found is None else found

    def _scaled(self, scale: float) -> tuple[tuple[int, ...], tuple[int, ...]]:
        noir, rouge = (
            tuple(
                max(-_LARGEST_TAG, min(_LARGEST_TAG, round((effect or 0.0) * scale)))
                for effect in effects
            )
            for effects in (self.noir, self.rouge)
        )
        return noir, rouge

    def correlation(self, tags: tuple[Sequence[float], Sequence[float]]) -> float | None:
        """Return the correlation of a count with the effects, over all cards: 1 for the best.

        None where the tags or the effects are all alike.
        """
        counts = (*self.counts[0], *self.counts[1])
        given = [float(tag) for tag in (*tags[0], *tags[1])]
        effects = [effect or 0.0 for effect in (*self.noir, *self.rouge)]
        mean = sum(n * tag for n, tag in zip(counts, given, strict=True)) / self.cards
        level = self.sum / self.cards
        both = zip(counts, given, effects, strict=True)
        sums = [
            (n * (t - mean) ** 2, n * (e - level) ** 2, n * (t - mean) * (e - level))
            for n, t, e in both
        ]
        spread, own, shared = (sum(column) for column in zip(*sums, strict=True))
        return shared / sqrt(spread * own) if spread and own else None


def removal_effects(house: House, left: Composition | None = None) -> tuple[Effects, ...]:
    """Return the effects of removal on every figure of a house, from the cards left.

    ``left`` is by default a full shoe, whose laws are stored for 1 to 8 packs; of other cards the
    fast engine computes them, in some tenths of a second. The figures are the best edge of every
    chance, uninsured and insured, and the probabilities of a refait and of an ordinary tie. Raises
    ``TrenteError`` ("needs-fast", "needs-exact", "no-coup-left").
    """
    whole = left or Composition.fresh(house.shoe.packs)
    places = [
        (colour, value)
        for colour, counts in enumerate((whole.noir, whole.rouge))
        for value, count in enumerate(counts)
        if count
    ]
    first, *others = (_figures(house, odds) for odds in _laws(whole, places))
    found = []
    for key, figure in first.items():
        effects: list[list[float | None]] = [[None] * len(VALUES) for _colour in COLOURS]
        for (colour, value), other in zip(places, others, strict=True):
            effect = float(other[key] - figure)
            effects[colour][value] = effect if abs(effect) > _SAME else 0.0
        noir, rouge = (tuple(each) for each in effects)
        counts = whole.noir, whole.rouge
        found.append(Effects(*key, float(figure), noir, rouge, counts))
    return tuple(found)


def _laws(whole: Composition, places: Sequence[tuple[int, int]]) -> Iterator[CoupOdds | FastOdds]:
    """Yield the odds from all cards, and then with one card of each kind out."""
    if 1 <= whole.whole <= MOST_PACKS:
        yield from fresh_laws(whole.whole)
        return
    yield fast_odds(whole.noir, whole.rouge)
    for colour, value in places:
        yield fast_odds(*without(whole, colour, value))


def without(left: Composition, colour: int, value: int) -> tuple[list[int], list[int]]:
    """Return the counts of the cards left, black and red, with one card out."""
    noir, rouge = list(left.noir), list(left.rouge)
    (noir, rouge)[colour][value] -= 1
    return noir, rouge


def fresh_laws(packs: int) -> Iterator[CoupOdds | FastOdds]:
    """Yield the odds of a full shoe, and with one card out: black ones by value, then red ones.

    They are stored as differences from the full shoe. With a red card out all is as with a black
    one, the colours exchanged.
    """
    fresh = fresh_shoe(packs)
    text = (files("trente_rules.odds") / "removals" / f"{packs}.json").read_text("utf-8")
    stored = json.loads(text)
    points = [[float(part) for part in line] for line in fresh.joint()]
    laws = []
    for each in stored["removed"]:
        changes = symmetric([n * _UNIT for n in each["points"]])
        both = [tuple(map(add, *lines)) for lines in zip(points, changes, strict=True)]
        reds = zip(*[iter(each["first_red"])] * len(points), strict=True)
        red = [
            tuple(part / 2 + n * _UNIT for part, n in zip(line, changed, strict=True))
            for line, changed in zip(points, reds, strict=True)
        ]
        laws.append((both, red))
    name = f"{packs * CARDS_IN_PACK - 1} cards"
    yield fresh
    for both, red in laws:
        yield FastOdds(name, tuple(both), tuple(red), 0.0, _UNIT)
    for both, red in laws:
        black = [tuple(map(sub, *lines)) for lines in zip(both, red, strict=True)]
        yield FastOdds(name, tuple(both), tuple(black), 0.0, _UNIT)


_TIES: Final[dict[str, Kind]] = {"refait": "tie", "apres": "push"}


def _figures(house: House, odds: CoupOdds | FastOdds) -> dict[tuple[str, bool], Fraction]:
    """Return the figures that cards move: the best edges of every chance, and the ties."""
    completed = CompletedOdds(odds)
    found: dict[tuple[str, bool], Fraction] = {}
    for wager in advantage(house, completed).wagers:
        key = wager.chance, wager.insured
        found[key] = min(wager.edge, found.get(key, wager.edge))
    simple = next((chance for chance in house.chances if chance.simple), None)
    if simple is not None:
        law = law_of(simple, completed)
        found |= {(name, False): of_kind(law, kind) for name, kind in _TIES.items()}
    return found


def predicted(effects: Effects, left: Iterable[int]) -> tuple[float, float] | None:
    """Return the mean of ``Effects.favourable`` over coups with so many cards left, if any."""
    known: dict[int, tuple[float, float]] = {}
    shares = gains = coups = 0.0
    for cards in left:
        if cards not in known:
            known[cards] = effects.favourable(cards)
        share, gain = known[cards]
        shares, gains, coups = shares + share, gains + gain, coups + 1
    return (shares / coups, gains / coups) if coups else None
