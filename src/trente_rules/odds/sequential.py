"""The bank's advantage with the dependence within a shoe taken in: computed, not simulated.

A stake in prison waits for the next coups of the same shoe, and these are not independent of the
coup that put it there. The coup after the first is taken from the stored law (``after_tie``); for
the coups from the third on the deviations of the law by each verdict before are added up, and what
that leaves out goes into the error bound, which rests on measured margins (docs/mathematics.md).
The steps of the stake machine drive it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, cached_property
from importlib.resources import files
from math import factorial, perm, prod
from typing import Final

from attrs import evolve, field, frozen

from trente_rules.core.chances import COUP_VERDICTS, Chance, Verdict
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.machine import Policy
from trente_rules.core.money import NOUGHT
from trente_rules.core.stakes import Opening
from trente_rules.core.wager import Steps, WagerPath
from trente_rules.odds.advantage import Law, VerdictOdds, alike_by, law_of, solve, worths
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.exact import check_counts
from trente_rules.odds.fast import FastOdds

# --- The odds of the coup after a tie, from a shoe without the two rows of the tie

_THIRTY_ONE: Final = (31,)
_ORDINARY: Final = POINTS[1:]
_STORED: Final = {
    (6, _THIRTY_ONE): "six_packs",
    (6, _ORDINARY): "six_packs_apres",
    (3, POINTS): "three_packs_any_tie",
}


@cache
def after_tie(packs: int, points: tuple[int, ...]) -> FastOdds:
    """Return the odds of a coup, given that another coup of the shoe ties on one of ``points``.

    ``error`` says what any probability may be off: that of the engine, and, where compositions were
    left out, three times what the estimate that stands for them missed in a sample of them, a
    measured margin and no proof. The colour of a first card is even, whatever
    the points of both coups: swapping the colours of all cards changes no value. Raises
    ``TrenteError`` ("no-law-after-tie") where no law is stored.
    """
    name = _STORED.get((packs, points))
    if name is None:
        raise TrenteError(
            f"what follows a tie on {_told(points)} is not computed for {packs} packs",
            "no-law-after-tie",
            "it is for six packs where 31 alone loses, and for three packs where every tie does",
        )
    text = (files("trente_rules.odds") / "after_refait" / f"{name}.json").read_text("utf-8")
    stored = json.loads(text)
    size = len(POINTS)
    table = [[0.0] * size for _ in range(size)]
    numbers = iter(stored["points"])
    for i in range(size):
        for j in range(i, size):
            table[i][j] = table[j][i] = next(numbers)
    return FastOdds(
        f"{packs}-packs after a tie on {_told(points)}",
        tuple(map(tuple, table)),
        tuple(tuple(p / 2 for p in line) for line in table),
        0.0,
        stored["error"],
    )


def _told(points: tuple[int, ...]) -> str:
    if points == POINTS:
        return "any point"
    return "31" if points == _THIRTY_ONE else ", ".join(map(str, points))


# --- What one coup of a shoe says of another: the law of a chance's verdicts, given verdicts before

UNKNOWN: Final = 2
"""How many times the largest deviation of the first order the law of a third coup may be off."""
History = tuple[int, int, int, int]
"""How often each verdict was given since the stake was placed: the order makes no difference."""
_WIN, _LOSE, _APRES, _REFAIT = COUP_VERDICTS


@frozen(slots=False)
class ShoeLaws:
    """What is known of the verdicts of one chance in coups of one shoe."""

    house: House
    chance: Chance
    packs: int

    @cached_property
    def base(self) -> Law:
        """The law of a coup, nothing known of others."""
        return self._law(fresh_shoe(self.packs))

    def _law(self, odds: VerdictOdds) -> Law:
        law = law_of(self.chance, odds)
        if any(p and verdict not in COUP_VERDICTS for verdict, p in law.items()):
            raise TrenteError(
                f"what follows the special verdicts of {self.chance.id} is not computed",
                "no-law-after-tie",
                "ask for independent coups",
            )
        return dict.fromkeys(COUP_VERDICTS, NOUGHT) | dict(law)

    @cached_property
    def coloured(self) -> bool:
        """Return whether the chance looks at the colour of a first card."""
        table = self.chance.table
        return any(len(set(table[at : at + 4])) > 1 for at in range(0, len(table), 4))

    @cached_property
    def _ties(self) -> dict[Verdict, tuple[int, ...]]:
        rule = self.house.deal
        losing = tuple(point for point in POINTS if rule.loses(point))
        ordinary = tuple(point for point in POINTS if not rule.loses(point))
        return {
            verdict: points for verdict, points in ((_REFAIT, losing), (_APRES, ordinary)) if points
        }

    @cached_property
    def after(self) -> dict[Verdict, Law]:
        """The law of a coup, given one verdict of another coup.

        Given a win or a loss it is what the ties leave: exchanging the rows of that coup, or the
        colours of all cards, makes one of the other.
        """
        base = self.base
        ties: dict[Verdict, tuple[Fraction, Fraction]] = {}
        for verdict, points in self._ties.items():
            law = self._law(after_tie(self.packs, points))
            apres, refait = law[_APRES], law[_REFAIT]
            if verdict is _APRES and _REFAIT in ties:
                # Exchanging both coups: the law after a refait has no composition left out.
                refait = ties[_REFAIT][0] * base[_REFAIT] / base[_APRES]
            ties[verdict] = apres, refait
        rest = base[_WIN] + base[_LOSE]
        apres, refait = (
            (base[tie] - sum((base[v] * both[at] for v, both in ties.items()), NOUGHT)) / rest
            for at, tie in enumerate((_APRES, _REFAIT))
        )
        ties[_WIN] = ties[_LOSE] = apres, refait
        return {verdict: self._shared(*both) for verdict, both in ties.items()}

    @cached_property
    def stored_errors(self) -> dict[Verdict, Fraction]:
        """How far the probability of a tie in ``after`` may be off: a tie has up to ten points."""
        errors = {
            verdict: len(POINTS) * Fraction(after_tie(self.packs, points).error)
            for verdict, points in self._ties.items()
        }
        return {**errors, _WIN: max(errors.values()), _LOSE: max(errors.values())}

    def _shared(self, apres: Fraction, refait: Fraction) -> Law:
        """Let wins and losses share what the ties leave, in the proportion of the first coup."""
        base, rest = self.base, 1 - apres - refait
        win = rest * base[_WIN] / (base[_WIN] + base[_LOSE])
        return {_WIN: win, _LOSE: rest - win, _APRES: apres, _REFAIT: refait}

    @cached_property
    def largest(self) -> Fraction:
        """The largest deviation of the first order of the probability of a tie."""
        return max(
            abs(law[tie] - self.base[tie])
            for law in self.after.values()
            for tie in (_APRES, _REFAIT)
        )

    def law(self, history: History) -> tuple[Law, Fraction]:
        """Return the law of the next coup, and how far a tie's probability may be off."""
        coups = sum(history)
        if not coups:
            return self.base, NOUGHT
        if coups == 1:
            before = COUP_VERDICTS[history.index(1)]
            return self.after[before], self.stored_errors[before]
        apres, refait = (
            self.base[tie]
            + sum(
                (n * (self.after[v][tie] - self.base[tie]) for v, n in self._given(history)),
                NOUGHT,
            )
            for tie in (_APRES, _REFAIT)
        )
        return self._shared(apres, refait), UNKNOWN * self.largest

    def _given(self, history: History) -> Iterator[tuple[Verdict, int]]:
        return ((v, times) for v, times in zip(COUP_VERDICTS, history, strict=True) if times)


LONGEST: Final = 8
"""Coups that are followed; a stake still in prison then is worth what independent coups make it."""
_PLACED: Final = (0, 0, 0, 0)


@frozen
class SequentialWager:
    """The bank's advantage on one wager under one policy, both ways; edges in stakes.

    ``independent`` takes later coups as independent copies of the first (``advantage``),
    ``sequential`` as coups of one shoe, off by no more than ``error``. ``stake`` is the amount in
    units that the figures are for; None for nominal figures.
    """

    chance: str
    insured: bool
    policy: Policy
    independent: Fraction
    sequential: Fraction
    error: Fraction
    stake: int | None = None

    @property
    def difference(self) -> Fraction:
        """What the dependence adds to the advantage of the bank."""
        return self.sequential - self.independent

    @property
    def certain(self) -> bool:
        """Return whether the difference is larger than its error, or there is certainly none."""
        return abs(self.difference) > self.error or not self.error


@frozen
class Sequential:
    """Every wager of a house with the dependence within a shoe of so many packs taken in."""

    deal: str
    wagers: tuple[SequentialWager, ...]


def sequential(
    house: House,
    *,
    packs: int | None = None,
    chances: Iterable[str] | None = None,
    stake: int | None = None,
    opening: Opening | None = None,
) -> Sequential:
    """Return the advantage on every wager of a house, or on the chances named, both ways.

    The wagers are those of ``advantage``, in its order; every coup that a stake waits for comes
    from the shoe it was placed in, and is sure to be completed. ``packs`` are those of the house
    unless given. Raises ``BetError`` ("unknown-chance"), ``TrenteError`` ("no-law-after-tie" where
    the dependence matters and no law is stored for the packs; "too-many-policies",
    "too-many-states").
    """
    wanted = house.chances if chances is None else [house.chance(name) for name in chances]
    known: dict[object, list[SequentialWager]] = {}
    wagers: list[SequentialWager] = []
    for chance in wanted:
        laws = ShoeLaws(house, chance, packs or house.shoe.packs)
        alike = (alike_by(chance, law_of(chance, fresh_shoe(laws.packs))), laws.coloured)
        if alike not in known:
            known[alike] = list(_wagers(house, laws, stake, opening or Opening()))
        wagers.extend(evolve(wager, chance=chance.id) for wager in known[alike])
    return Sequential(f"{packs or house.shoe.packs}-packs", tuple(wagers))


def _wagers(
    house: House, laws: ShoeLaws, stake: int | None, opening: Opening
) -> Iterator[SequentialWager]:
    occurring = [verdict for verdict in COUP_VERDICTS if laws.base[verdict]]
    for wager in house.wagers_on(laws.chance.id):
        for path in wager.paths(stake=stake, opening=opening, verdicts=occurring):
            yield _wager(path, laws)


def _wager(path: WagerPath, laws: ShoeLaws) -> SequentialWager:
    means = worths(path.steps, laws.base)
    first = next(iter(path.steps))
    worth, error = means[first], NOUGHT
    if not _indifferent(path.steps, means, laws.base):
        worth, error = _Tree(path.steps, means, laws).worth(first, _PLACED)
    return SequentialWager(
        path.chance.id,
        path.insured,
        path.policy,
        1 - means[first],
        1 - worth,
        error,
        path.stake,
    )


def _after(steps: Steps, means: dict[str, Fraction], state: str) -> dict[Verdict, Fraction]:
    """Return what a stake comes to by each verdict, if later coups are independent copies."""
    return {
        verdict: step.back + (step.keeps * means[step.target] if step.target else NOUGHT)
        for verdict, step in steps[state].items()
    }


def _decided(worths: dict[Verdict, Fraction], base: Law) -> Fraction:
    """Return the mean of what a stake comes to when it is won or lost, which law ever acts."""
    return (base[_WIN] * worths.get(_WIN, NOUGHT) + base[_LOSE] * worths.get(_LOSE, NOUGHT)) / (
        base[_WIN] + base[_LOSE]
    )


def _leverage(worths: dict[Verdict, Fraction], base: Law) -> Fraction:
    """Return how far the worth moves for each unit by which both ties may be off.

    Wins and losses share what ties leave: their proportion is that of the first coup, whatever went
    before, since exchanging the rows of a coup changes nothing that was dealt before it.
    """
    middle = _decided(worths, base)
    ties = (worths[verdict] for verdict in (_APRES, _REFAIT) if verdict in worths)
    return sum((abs(worth - middle) for worth in ties), NOUGHT)


def _indifferent(steps: Steps, means: dict[str, Fraction], base: Law) -> bool:
    """Return whether the worth in every prison is the same by any law: a prison that only repeats.

    Then the sequence of coups cannot matter; likewise where no stake stays.
    """
    for state in [*steps][1:]:
        if _leverage(_after(steps, means, state), base):
            return False
    decided = (steps[state].get(v) for state in steps for v in (_WIN, _LOSE))
    return not any(step and step.target for step in decided)


@frozen(slots=False)
class _Tree:
    """Unrolls the steps of a stake over the verdicts since it was placed, and bounds the error."""

    steps: Steps
    means: dict[str, Fraction]
    laws: ShoeLaws
    found: dict[tuple[str, History], tuple[Fraction, Fraction]] = field(factory=dict)

    def worth(self, state: str, history: History) -> tuple[Fraction, Fraction]:
        """Return what a stake is worth after these verdicts, and how far that may be off."""
        place = (state, history)
        if place not in self.found:
            if sum(history) > LONGEST:
                self.found[place] = self.means[state], self.tails[state]
            else:
                self.found[place] = self._followed(state, history)
        return self.found[place]

    def _followed(self, state: str, history: History) -> tuple[Fraction, Fraction]:
        law, off = self.laws.law(history)
        worths: dict[Verdict, Fraction] = {}
        error = NOUGHT
        for verdict, step in self.steps[state].items():
            worths[verdict] = step.back
            if step.target:
                more = tuple(
                    n + (v == verdict) for v, n in zip(COUP_VERDICTS, history, strict=True)
                )
                worth, behind = self.worth(step.target, more)  # type: ignore[arg-type]
                worths[verdict] += step.keeps * worth
                error += (law[verdict] + off) * step.keeps * behind
        error += off * _leverage(worths, self.laws.base)
        if self.laws.coloured and history[0] + history[1]:  # wins and losses
            # A verdict that looked at a colour tells a little of the colours that are left.
            apart = abs(worths.get(_WIN, NOUGHT) - worths.get(_LOSE, NOUGHT))
            error += UNKNOWN * self.laws.largest * apart
        return sum((law[v] * worth for v, worth in worths.items()), NOUGHT), error

    @cached_property
    def tails(self) -> dict[str, Fraction]:
        """How far off what is worth by independent copies may be, in a coup that is not followed.

        As if every law were off by what so many verdicts add up to, and by what is not known.
        """
        off = (LONGEST + UNKNOWN) * self.laws.largest
        base = self.laws.base
        higher = {verdict: p + off for verdict, p in base.items()}
        constants, weights = {}, {}
        for state, there in self.steps.items():
            worths = _after(self.steps, self.means, state)
            apart = abs(worths.get(_WIN, NOUGHT) - worths.get(_LOSE, NOUGHT))
            constants[state] = off * (_leverage(worths, base) + self.laws.coloured * apart)
            row: dict[str, Fraction] = {}
            for verdict, step in there.items():
                if step.target:
                    row[step.target] = row.get(step.target, NOUGHT) + higher[verdict] * step.keeps
            weights[state] = row
        return solve(list(self.steps), constants, weights)


# --- What two rows of equal points take out of a shoe: every composition, with its exact weight

VALUES: Final = range(1, 11)
_BITS: Final = 8
"""Bits of a count in a packed composition: two rows have at most 62 cards."""
_MASK: Final = (1 << _BITS) - 1


@frozen
class RemovedRows:
    """The compositions that two rows of equal points can take out of a shoe, the heaviest first.

    ``removed`` has how many cards of each value are gone, aces first, tens and court cards last.
    The probability that the two next rows are of the points asked for and take just these cards is
    the weight over ``denominator``; the weights sum to the probability of such a tie.
    """

    removed: tuple[tuple[int, ...], ...] = field(repr=False)
    weights: tuple[int, ...] = field(repr=False)
    denominator: int = field(repr=False)


def _rows(counts: Sequence[int], point: int) -> dict[int, int]:
    """Return the orders of each set of cards, packed, that makes a row of a point."""
    found: dict[int, int] = {}
    hand = [0] * len(VALUES)

    def fill(value: int, left: int, cards: int) -> None:
        if not left:
            ways = _orders(hand, cards, point)
            if ways:
                found[sum(n << _BITS * place for place, n in enumerate(hand))] = ways
            return
        if not value:
            return
        for n in range(min(counts[value - 1], left // value) + 1):
            hand[value - 1] = n
            fill(value - 1, left - n * value, cards + n)
        hand[value - 1] = 0

    fill(len(VALUES), point, 0)
    return found


def _orders(hand: Sequence[int], cards: int, point: int) -> int:
    """Count the orders in which the total is open before the last card."""
    whole = factorial(cards) // prod(map(factorial, hand))
    ends = sum(n for value, n in zip(VALUES, hand, strict=True) if point - value <= LAST_OPEN_TOTAL)
    return whole * ends // cards


def removed_rows(counts: Sequence[int], points: Iterable[int]) -> RemovedRows:
    """Return what two rows that tie on one of ``points`` can take out of a shoe.

    ``counts`` are the cards of each value, ten numbers, aces first. For two rows of 31 from six
    packs this takes some seconds, for every tie about two minutes. Raises ``TrenteError``
    ("bad-composition").
    """
    check_counts(counts, [0] * len(VALUES))
    ways: dict[int, int] = {}
    for point in points:
        rows = list(_rows(counts, point).items())
        for place, (first, orders) in enumerate(rows):
            both = first + first
            ways[both] = ways.get(both, 0) + orders * orders
            for second, others in rows[place + 1 :]:
                both = first + second
                ways[both] = ways.get(both, 0) + 2 * orders * others
    cards = sum(counts)
    most = min(cards, 2 * (LAST_OPEN_TOTAL + 1))
    taken = [[perm(n, k) for k in range(n + 1)] for n in counts]
    weighed: list[tuple[int, tuple[int, ...]]] = []
    for packed, orders in ways.items():
        gone = tuple(packed >> _BITS * place & _MASK for place in range(len(VALUES)))
        if any(k > n for k, n in zip(gone, counts, strict=True)):
            continue
        drawn = sum(gone)
        weight = orders * perm(cards - drawn, most - drawn)
        weighed.append((weight * prod(t[k] for t, k in zip(taken, gone, strict=True)), gone))
    weighed.sort(reverse=True)
    return RemovedRows(
        tuple(gone for _weight, gone in weighed),
        tuple(weight for weight, _gone in weighed),
        perm(cards, most),
    )
