"""The last coups of a shoe: a stake in prison may have to wait for a fresh one.

Near the end of a shoe a stake that stays meets a next coup of this shoe only where one fits. What
it is worth is the probability that one fits times its worth from these cards, and the rest times
its worth from a fresh shoe, or what the house returns where it closes prisoners.

A coup that leaves R points before the end is followed by another one if the first row takes at
most R - 31: then at least 31 are left for the second. So none fits below 62 points, and one is
sure above 70. Between them the first row is taken to follow the law of these cards: an estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Final

from attrs import evolve, field, frozen

from trente_rules.core.chances import Chance, Verdict
from trente_rules.core.coup import POINTS, outcomes
from trente_rules.core.house.house import House
from trente_rules.core.money import NOUGHT, ONE
from trente_rules.core.shoe import CARDS_IN_PACK, ShoeRule
from trente_rules.core.stakes import Opening
from trente_rules.core.wager import Step, Steps, Wager, WagerPath
from trente_rules.odds.advantage import (
    Advantage,
    Law,
    WagerAdvantage,
    advantage,
    edge_of,
    law_of,
    of_kind,
    variance_of,
    wager_advantages,
)
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.remaining import CompletedOdds, Composition

LEAST: Final = 2 * POINTS[0]
"""The fewest points of a coup: with fewer left none fits."""
SURE: Final = POINTS[-1] + POINTS[0]
"""With so many points left a coup is sure to be completed."""
_TOTALS: Final = range(LEAST, 2 * POINTS[-1] + 1)
_FRESH: Final = "fresh"
_LAST: Final = "last"
_NEXT: Final = "next"


def fits(points: int, row: Sequence[Fraction | float]) -> Fraction | float:
    """Return the probability that a coup fits in so many points, from the law of its first row."""
    if points < LEAST:
        return NOUGHT
    if points >= SURE:
        return ONE
    return sum(row[: points - LEAST + 1]) / sum(row)


@frozen
class Hidden:
    """How many of the unseen cards cannot be dealt in the coups to come.

    ``begin`` cards of those unseen do not lie before the place where the last coup may begin,
    ``end`` not before the one where it must be complete: burned cards that nobody saw, and those
    behind the marker. Where a place is chosen or drawn the middle is taken.
    """

    begin: int
    end: int

    @classmethod
    def of(cls, rule: ShoeRule) -> Hidden:
        """Return the cards that a house hides."""
        low, high = rule.burn_bounds
        burned = (low + high) // 2
        unseen = burned - rule.shown(burned)
        plan = rule.plan(sum(rule.marker_bounds) // 2)
        cards = rule.packs * CARDS_IN_PACK
        return cls(unseen + max(0, cards - plan.begin), unseen + cards - plan.end)


def hidden_points(left: Composition, cards: int) -> dict[int, float]:
    """Return the law of the points of so many of the cards left, drawn without replacement."""
    sums: dict[tuple[int, int], int] = {(0, 0): 1}
    for value, (noir, rouge) in enumerate(zip(left.noir, left.rouge, strict=True), 1):
        count, more = noir + rouge, dict[tuple[int, int], int]()
        for (drawn, points), ways in sums.items():
            for k in range(min(count, cards - drawn) + 1):
                place = drawn + k, points + k * value
                more[place] = more.get(place, 0) + ways * comb(count, k)
        sums = more
    whole = comb(left.cards, cards)
    return {points: ways / whole for (drawn, points), ways in sums.items() if drawn == cards}


def fits_by_total(
    rule: ShoeRule,
    left: Composition,
    row: Sequence[Fraction | float],
    totals: Sequence[int] = _TOTALS,
) -> tuple[Fraction | float, ...] | None:
    """Return the probability that a next coup fits, by the points of this one from 62 to 80.

    ``row`` is the law of the points of one row from the cards left. ``totals`` are other points
    that are dealt first: 0 asks of the next coup itself. None where one is always sure: with many
    cards, or a machine that shuffles them for every coup.
    """
    if rule.every_coup:
        return None
    hidden = Hidden.of(rule)
    counts = [a + b for a, b in zip(left.noir, left.rouge, strict=True)]
    points = sum(value * count for value, count in enumerate(counts, 1))
    most = max(hidden.begin, hidden.end)
    if points - totals[-1] - _greatest(counts, most) >= SURE:
        return None
    if not most:
        return tuple(fits(points - total, row) for total in totals)
    begin, end = min(hidden.begin, left.cards), min(hidden.end, left.cards)
    ends = hidden_points(left, end)
    found = [
        sum(part * fits(points - out - total, row) for out, part in ends.items())
        for total in totals
    ]
    if begin != end:  # a coup must also begin before the marker
        begins = hidden_points(left, begin)
        found = [
            each * sum(part for out, part in begins.items() if points - out - total > 0)
            for each, total in zip(found, totals, strict=True)
        ]
    return tuple(found)


def _greatest(counts: Sequence[int], cards: int) -> int:
    """Return the most points that so many cards can have."""
    points = 0
    for value in range(len(counts), 0, -1):
        taken = min(cards, counts[value - 1])
        points, cards = points + taken * value, cards - taken
    return points


@frozen
class LastCoups:
    """The odds of a coup near the end of a shoe, and how likely a next one fits after it.

    ``fits`` is by the points of both rows, from 62 to 80.
    """

    house: House
    odds: CompletedOdds
    fits: tuple[Fraction, ...]
    _classes: dict[Chance, dict[Verdict, Fraction]] = field(factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, house: House, left: Composition, odds: CompletedOdds) -> LastCoups | None:
        """Return the last coups of a shoe; None where a next coup is sure."""
        found = fits_by_total(house.shoe, left, odds.odds.row())
        return (
            cls(house, odds, tuple(Fraction(part) for part in found)) if found is not None else None
        )

    def fitting(self, chance: Chance) -> dict[Verdict, Fraction]:
        """Return the probability of each verdict of a chance that a next coup follows."""
        known = self._classes.get(chance)
        if known is None:
            known = self._classes[chance] = dict(self._fitting(chance))
        return known

    def _fitting(self, chance: Chance) -> Iterator[tuple[Verdict, Fraction]]:
        sums = dict.fromkeys(chance.verdicts, NOUGHT)
        whole = [total for total, part in zip(_TOTALS, self.fits, strict=True) if part == 1]
        groups = [(ONE, whole)] if whole else []
        groups += [
            (part, [total]) for total, part in zip(_TOTALS, self.fits, strict=True) if 0 < part < 1
        ]
        others = chance.verdicts[1:]
        for part, group in groups:
            # What lies outside of the group counts for the first verdict: all others are read, and
            # the first is what is left of the group.
            inside = [outcome.first + outcome.second in group for outcome in outcomes()]
            masked = bytes(v if i else 0 for v, i in zip(chance.table, inside, strict=True))
            law = dict(zip(chance.verdicts, self.odds.verdicts(masked), strict=False))
            rest = sum((law.get(verdict, NOUGHT) for verdict in others), NOUGHT)
            for verdict in others:
                sums[verdict] += part * law.get(verdict, NOUGHT)
            sums[chance.verdicts[0]] += part * (self._of_totals(group) - rest)
        yield from sums.items()

    def _of_totals(self, group: Sequence[int]) -> Fraction:
        """Return the probability of a coup whose points sum to one of some totals."""
        joint = self.odds.odds.joint()
        parts = (
            Fraction(joint[i][j])
            for i, first in enumerate(POINTS)
            for j, second in enumerate(POINTS)
            if first + second in group
        )
        return sum(parts, NOUGHT) / self.odds.completed

    def waiting(self) -> Fraction | None:
        """Return how likely a next coup fits for a stake that this coup leaves on the table.

        It is that of the first chance on which a stake can stay; None where none can, or no coup
        of these cards leaves one.
        """
        for chance in self.house.chances:
            kept = {
                verdict
                for wager in self.house.wagers_on(chance.id)
                for path in wager.paths()
                for verdict, step in next(iter(path.steps.values())).items()
                if step.target
            }
            law, fitting = law_of(chance, self.odds), self.fitting(chance)
            whole = sum((law[verdict] for verdict in kept), NOUGHT)
            if whole:
                return sum((fitting[verdict] for verdict in kept), NOUGHT) / whole
        return None

    def wager_advantages(
        self, wager: Wager, law: Law, *, stake: int | None = None, opening: Opening | None = None
    ) -> Iterator[WagerAdvantage]:
        """Return the advantage on one wager under each pure policy; see ``advantage``."""
        push, decided = of_kind(law, "push"), of_kind(law, "win", "lose")
        fresh = law_of(wager.chance, fresh_shoe(self.house.shoe.packs))
        # What no coup of these cards gives may come from a fresh shoe.
        followed = (*wager.chance.verdicts, Verdict.CLOSE)
        paths = wager.paths(stake=stake, opening=opening or Opening(), verdicts=followed)
        plain = wager_advantages(wager, law, stake=stake, opening=opening)
        for found, path in zip(plain, paths, strict=True):
            if not path.staying:
                yield found  # the figures below are the same, and take longer
                continue
            steps, both = self.followed(path, law, fresh)
            edge = edge_of(steps, both)
            yield evolve(
                found,
                edge=edge,
                per_resolved=edge / (1 - push) if push != 1 else found.per_resolved,
                per_decided=edge / decided if decided else found.per_decided,
                variance=variance_of(steps, both),
            )

    def followed(self, path: WagerPath, law: Law, fresh: Law) -> tuple[Steps, Law]:
        """Return the steps of a stake through this shoe and into the next, and their law.

        A state of this shoe has a twin in the next one, whose verdicts have the law of a fresh
        shoe; the first coup leads to either, by whether a next one fits.
        """
        closes = self.house.shoe.prisoners_at_end == "close"
        fitting, both = self.fitting(path.chance), dict(law)
        decided = bool(of_kind(law, "win", "lose"))
        if not decided:  # no coup of these cards frees a prisoner: a fresh shoe does
            fitting = dict.fromkeys(fitting, NOUGHT)
        steps: Steps = {}
        for place, (state, there) in enumerate(path.steps.items()):
            if place and not decided:
                break
            here = steps.setdefault(state, {})
            for verdict, step in there.items():
                if verdict == Verdict.CLOSE:
                    continue
                if place or not step.target:
                    here[verdict] = step
                    continue
                following, last = _named(verdict, _NEXT), _named(verdict, _LAST)
                if decided:
                    here[following] = step
                both[following] = fitting[verdict]
                both[last] = law.get(verdict, NOUGHT) - fitting[verdict]
                if closes:
                    end = path.steps[step.target].get(Verdict.CLOSE, Step(NOUGHT))
                    here[last] = Step(step.back + step.keeps * end.back)
                else:
                    here[last] = evolve(step, target=f"{_FRESH} {step.target}")
        if not closes:
            _add_fresh(steps, both, path.steps, fresh)
        return steps, both


def _named(verdict: Verdict, what: str) -> Verdict:
    """Return a verdict of the same kind with a name of its own: what it pays is in the steps."""
    return Verdict(f"{verdict.id}-{what}")


def _add_fresh(steps: Steps, both: dict[Verdict, Fraction], path: Steps, fresh: Law) -> None:
    """Add the states of a fresh shoe, which lead to one another."""
    for state, there in list(path.items())[1:]:
        here = steps.setdefault(f"{_FRESH} {state}", {})
        for verdict, step in there.items():
            named = _named(verdict, _FRESH)
            both[named] = fresh.get(verdict, NOUGHT)
            target = f"{_FRESH} {step.target}" if step.target else ""
            here[named] = evolve(step, target=target)


def advantage_of_cards(
    house: House,
    left: Composition,
    odds: CompletedOdds,
    *,
    chances: Iterable[str] | None = None,
    stake: int | None = None,
    opening: Opening | None = None,
) -> Advantage:
    """Return the bank's edge on every wager for the next coup from the cards left.

    As ``advantage``, with prisoners that may have to wait for a fresh shoe (``LastCoups``). Raises
    as ``advantage``.
    """
    last = LastCoups.of(house, left, odds)
    if last is None:
        return advantage(house, odds, chances=chances, stake=stake, opening=opening)
    wanted = house.chances if chances is None else [house.chance(name) for name in chances]
    laws: Mapping[str, Law] = {chance.id: law_of(chance, odds) for chance in wanted}
    wagers = [
        found
        for chance in wanted
        for wager in house.wagers_on(chance.id)
        for found in last.wager_advantages(wager, laws[chance.id], stake=stake, opening=opening)
    ]
    return Advantage(odds.deal, tuple(wagers))
