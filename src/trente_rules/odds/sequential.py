"""The bank's advantage with the dependence within a shoe taken in: computed, not simulated.

A stake in prison waits for the next coups of the same shoe, which are not independent of the coup
that put it there. The coup after the first is taken from the stored law (``after_tie``); for the
coups from the third on the deviations of the law by each verdict before are added up. What that
leaves out was measured for two ties, and goes into the error bound (docs/mathematics.md). The steps
of the stake machine drive it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from functools import cache, cached_property
from importlib.resources import files
from math import comb, fsum
from typing import Final

from attrs import evolve, field, frozen

from trente_rules.core.chances import COUP_VERDICTS, Chance, Verdict
from trente_rules.core.coup import POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.machine import Policy
from trente_rules.core.money import NOUGHT
from trente_rules.core.stakes import Opening
from trente_rules.core.text import counted
from trente_rules.core.wager import Step, Steps, WagerPath
from trente_rules.odds.advantage import (
    Law,
    VerdictOdds,
    alike_by,
    kept_parts,
    law_of,
    solve,
    worths,
)
from trente_rules.odds.coup_odds import fresh_shoe, symmetric
from trente_rules.odds.fast import FastOdds

UNKNOWN: Final = 2
"""How many times what was measured the law of a third coup, and of later ones, may be off."""
LONGEST: Final = 8
"""Coups that are followed; a stake still in prison then is worth what independent coups make it."""
History = tuple[int, ...]
"""How often each verdict was given since the stake was placed: the order makes no difference."""
_WIN, _LOSE, _APRES, _REFAIT = COUP_VERDICTS
_PLACED: Final = (0, 0, 0, 0)


@frozen
class SequentialWager:
    """The bank's edge on one wager under one policy, both ways; edges in stakes.

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
        """The part of the bank's edge that is due to the dependence."""
        return self.sequential - self.independent

    @property
    def certain(self) -> bool:
        """Return whether the difference is larger than its error, or certainly zero."""
        return abs(self.difference) > self.error or not self.error


@frozen
class Sequential:
    """Every wager of a house, with the effect of the dependence within a shoe of these packs.

    ``unknown`` has the chances that it is not computed for, each with the reason; ``wagers`` has
    the wagers of the others.
    """

    deal: str
    wagers: tuple[SequentialWager, ...]
    unknown: tuple[tuple[str, str], ...] = ()


def sequential(
    house: House,
    *,
    packs: int | None = None,
    chances: Iterable[str] | None = None,
    stake: int | None = None,
    opening: Opening | None = None,
) -> Sequential:
    """Return the bank's edge on every wager of a house, or on the chances named, both ways.

    The wagers are those of ``advantage``, in its order; every coup that a stake waits for comes
    from the shoe it was placed in, and is sure to be completed. ``packs`` are by default those of
    the house. A chance on which a stake waits but that has no stored law is ``unknown``. Raises
    ``BetError`` ("unknown-chance"), ``TrenteError`` ("too-many-policies", "too-many-states").
    """
    packs = packs or house.shoe.packs
    wanted = house.chances if chances is None else [house.chance(name) for name in chances]
    known: dict[object, list[SequentialWager]] = {}
    wagers: list[SequentialWager] = []
    unknown: list[tuple[str, str]] = []
    for chance in wanted:
        laws = ShoeLaws(chance, packs)
        alike = (alike_by(chance, law_of(chance, fresh_shoe(packs))), laws.coloured)
        if alike not in known:
            occurring = [verdict for verdict, p in laws.base.items() if p]
            paths = (
                path
                for wager in house.wagers_on(chance.id)
                for path in wager.paths(
                    stake=stake, opening=opening or Opening(), verdicts=occurring
                )
            )
            try:
                known[alike] = [
                    _both_ways(path, laws, alone=house.shoe.every_coup) for path in paths
                ]
            except TrenteError as error:
                if error.code != "no-law-after-tie":
                    raise
                unknown.append((chance.id, error.message))
                continue
        wagers.extend(evolve(wager, chance=chance.id) for wager in known[alike])
    return Sequential(f"{packs}-packs", tuple(wagers), tuple(unknown))


def _both_ways(path: WagerPath, laws: ShoeLaws, *, alone: bool) -> SequentialWager:
    """Return both figures; they are equal where every coup is dealt ``alone``, from whole packs."""
    tree = _Tree(path.steps, laws)
    first = next(iter(path.steps))
    worth, error = tree.means[first], NOUGHT
    if path.staying and not alone:
        laws.check()
        if not tree.indifferent():
            worth, error = tree.worth(first, _PLACED)
    return SequentialWager(
        chance=path.chance.id,
        insured=path.insured,
        policy=path.policy,
        independent=1 - tree.means[first],
        sequential=1 - worth,
        error=error,
        stake=path.stake,
    )


@frozen(slots=False)
class _Tree:
    """Unrolls the steps of a stake over the verdicts since it was placed, and bounds the error."""

    steps: Steps
    laws: ShoeLaws
    known: dict[tuple[str, History], tuple[Fraction, Fraction]] = field(factory=dict)

    @cached_property
    def means(self) -> dict[str, Fraction]:
        """The worth of one unit in each state, if later coups are independent copies."""
        return worths(self.steps, self.laws.base)

    def indifferent(self) -> bool:
        """Return whether the sequence of coups cannot matter.

        No stake stays, or the worth in every prison is the same by any law: it only repeats.
        """
        return not any(
            step.target
            for there in self.steps.values()
            for v, step in there.items()
            if v in (_WIN, _LOSE)
        ) and not any(self._sway(self._independent(state))[0] for state in [*self.steps][1:])

    def worth(self, state: str, history: History) -> tuple[Fraction, Fraction]:
        """Return what a stake is worth after these verdicts, and how far that may be off."""
        at = state, history
        if at not in self.known:
            longer = sum(history) > LONGEST
            self.known[at] = (
                (self.means[state], self.tails[state]) if longer else self._followed(state, history)
            )
        return self.known[at]

    def _followed(self, state: str, history: History) -> tuple[Fraction, Fraction]:
        law, off = self.laws.law(history)
        worths: dict[Verdict, Fraction] = {}
        error = NOUGHT
        for verdict, step in self.steps[state].items():
            worths[verdict] = step.back
            if step.target:
                more = (n + (v == verdict) for v, n in zip(COUP_VERDICTS, history, strict=True))
                worth, later_error = self.worth(step.target, tuple(more))
                worths[verdict] += step.keeps * worth
                error += (law[verdict] + off) * step.keeps * later_error
        leverage, apart = self._sway(worths)
        error += off * leverage
        if history[0] + history[1]:
            # A win or a loss that looked at a colour says a little of the colours that are left.
            error += UNKNOWN * self.laws.largest * apart
        return sum((law[v] * worth for v, worth in worths.items()), NOUGHT), error

    @cached_property
    def tails(self) -> dict[str, Fraction]:
        """How far off the means may be in a coup that is not followed.

        As if every law were off by what so many verdicts add up to, and by what is not known.
        """
        off = (LONGEST + UNKNOWN) * self.laws.largest
        higher = {verdict: p + off for verdict, p in self.laws.base.items()}
        constants = {state: off * sum(self._sway(self._independent(state))) for state in self.steps}
        return solve(list(self.steps), constants, kept_parts(self.steps, higher))

    def _independent(self, state: str) -> dict[Verdict, Fraction]:
        """Return the worth of a stake after each verdict, if later coups are independent copies."""

        def worth(step: Step) -> Fraction:
            return step.back + (step.keeps * self.means[step.target] if step.target else NOUGHT)

        return {verdict: worth(step) for verdict, step in self.steps[state].items()}

    def _sway(self, worths: dict[Verdict, Fraction]) -> tuple[Fraction, Fraction]:
        """Return how far the worth moves for each unit by which both ties may be off, and colours.

        Wins and losses share what ties leave: their proportion is that of the first coup, whatever
        went before, since exchanging the rows of a coup changes nothing that was dealt before it.
        A chance that looks at no colour is not moved by them.
        """
        base = self.laws.base
        win, lose = worths.get(_WIN, NOUGHT), worths.get(_LOSE, NOUGHT)
        middle = (base[_WIN] * win + base[_LOSE] * lose) / (base[_WIN] + base[_LOSE])
        ties = (worths[verdict] for verdict in (_APRES, _REFAIT) if verdict in worths)
        apart = abs(win - lose) if self.laws.coloured else NOUGHT
        return sum((abs(worth - middle) for worth in ties), NOUGHT), apart


@frozen(slots=False)
class ShoeLaws:
    """The laws of the verdicts of one chance in coups of one shoe."""

    chance: Chance
    packs: int

    @cached_property
    def base(self) -> Law:
        """The law of a coup if nothing is known about others."""
        return self._law(fresh_shoe(self.packs))

    def _law(self, odds: VerdictOdds) -> Law:
        return dict.fromkeys(COUP_VERDICTS, NOUGHT) | dict(law_of(self.chance, odds))

    def check(self) -> None:
        """Refuse a chance with verdicts of which no law is stored for the coups that follow.

        Raises ``TrenteError`` ("no-law-after-tie").
        """
        if any(p and verdict not in COUP_VERDICTS for verdict, p in self.base.items()):
            raise TrenteError(
                f"what follows the special verdicts of {self.chance.id} is not computed",
                "no-law-after-tie",
                "ask for independent coups",
            )

    @cached_property
    def coloured(self) -> bool:
        """Return whether the chance looks at the colour of a first card."""
        table = self.chance.table
        return any(len(set(table[at : at + 4])) > 1 for at in range(0, len(table), 4))

    @cached_property
    def after(self) -> dict[Verdict, tuple[Law, Fraction]]:
        """The law of a coup, given one verdict of another coup, and how far a tie's odds are off.

        Given a win or a loss it is what the ties leave: exchanging the rows of that coup, or the
        colours of all cards, makes one of the other. A tie has up to ten points.
        """
        base, losing = self.base, self.chance.losing_ties
        ties: dict[Verdict, tuple[Fraction, Fraction]] = {}
        errors: dict[Verdict, Fraction] = {}
        for verdict in (_REFAIT, _APRES):
            points = tuple(point for point in POINTS if (point in losing) is (verdict is _REFAIT))
            if not points:
                continue
            odds = after_tie(self.packs, points)
            law = self._law(odds)
            apres, refait = law[_APRES], law[_REFAIT]
            if verdict is _APRES and ties:
                # Exchanging both coups: the law after a refait has no composition left out.
                refait = ties[_REFAIT][0] * base[_REFAIT] / base[_APRES]
            ties[verdict] = apres, refait
            errors[verdict] = len(POINTS) * Fraction(odds.error)
        rest = base[_WIN] + base[_LOSE]
        apres, refait = (
            (base[tie] - sum((base[v] * both[at] for v, both in ties.items()), NOUGHT)) / rest
            for at, tie in enumerate((_APRES, _REFAIT))
        )
        ties[_WIN] = ties[_LOSE] = apres, refait
        errors[_WIN] = errors[_LOSE] = max(errors.values())
        return {verdict: (self._shared(*both), errors[verdict]) for verdict, both in ties.items()}

    def _shared(self, apres: Fraction, refait: Fraction) -> Law:
        """Let wins and losses share what the ties leave, in the proportion of the first coup."""
        base, rest = self.base, 1 - apres - refait
        win = rest * base[_WIN] / (base[_WIN] + base[_LOSE])
        return {_WIN: win, _LOSE: rest - win, _APRES: apres, _REFAIT: refait}

    @cached_property
    def largest(self) -> Fraction:
        """The largest deviation of the first order of the probability of a tie."""
        laws = (law for law, _error in self.after.values())
        return max(abs(law[tie] - self.base[tie]) for law in laws for tie in (_APRES, _REFAIT))

    def law(self, history: History) -> tuple[Law, Fraction]:
        """Return the law of the next coup, and how far a tie's probability may be off."""
        if history == _PLACED:
            return self.base, NOUGHT
        given = {v: n for v, n in zip(COUP_VERDICTS, history, strict=True) if n}
        if sum(history) == 1:
            return self.after[next(iter(given))]
        base = self.base
        apres, refait = (
            base[tie]
            + sum((n * (self.after[v][0][tie] - base[tie]) for v, n in given.items()), NOUGHT)
            for tie in (_APRES, _REFAIT)
        )
        return self._shared(apres, refait), self.off(sum(history))

    def off(self, coups: int) -> Fraction:
        """Return how far the probability of a tie may be off the first order after some coups.

        Each pair of the coups may add what was measured for two ties, with a margin. Where that is
        not stored: a deviation is at most the margin times the largest of the first order.
        """
        most = UNKNOWN * self.largest
        return most if self.apart is None else min(most, UNKNOWN * self.apart * comb(coups, 2))

    @cached_property
    def apart(self) -> Fraction | None:
        """How far the law after two ties is off the first order: measured, error included.

        None where it is not stored for the packs, or for the points that lose.
        """
        pairs, losing = _stored_pairs(self.packs), tuple(sorted(self.chance.losing_ties))
        if not pairs or losing not in {POINTS[:1], POINTS}:
            return None
        fresh = fresh_shoe(self.packs)
        base = float(fresh.tie(POINTS[0])), float(sum(fresh.tie(point) for point in POINTS[1:]))
        after = [after_tie(self.packs, points) for points in (POINTS[1:], POINTS[:1])]
        most = NOUGHT
        for pair in pairs:
            # With ``refaits`` ties on 31 and the others on 32 to 40, in whatever order.
            ones = [after[1]] * pair.refaits + [after[0]] * (2 - pair.refaits)
            additive = [
                sum(fsum(one.points[i][i] for i in at) for one in ones) - known
                for at, known in zip((range(1), range(1, len(POINTS))), base, strict=True)
            ]
            found = pair.ties[0], fsum(pair.ties[1:])
            moved = [a - b for a, b in zip(found, additive, strict=True)]
            if losing == POINTS:
                off = abs(sum(moved)) + 2 * pair.error
            else:
                off = max(map(abs, moved)) + pair.error
            most = max(most, Fraction(off))
        return most


@cache
def after_tie(packs: int, points: tuple[int, ...]) -> FastOdds:
    """Return the odds of a coup, given that another coup of the shoe ties on one of ``points``.

    They are those of a shoe without the two rows of the tie: the mean of the laws that are stored
    for each point, by how likely a tie on it is. ``error`` says what any probability may be off:
    rounding where every composition was computed, otherwise five standard errors of an estimate
    (docs/mathematics.md). The colour of a first card is even, whatever the points of both coups:
    swapping the colours of all cards changes no value. Raises ``TrenteError`` ("no-law-after-tie")
    for other than 1 to 8 packs.
    """
    laws = _stored(packs)
    fresh = fresh_shoe(packs)
    shares = [float(fresh.tie(point)) for point in points]
    whole = fsum(shares)
    means = [
        fsum(share * p for share, p in zip(shares, column, strict=True)) / whole
        for column in zip(*(laws[point].points for point in points), strict=True)
    ]
    errors = (share * laws[point].error for share, point in zip(shares, points, strict=True))
    table = symmetric(means)
    text = "any point" if points == POINTS else ", ".join(map(str, points))
    return FastOdds(
        f"{packs}-packs after a tie on {text}",
        tuple(map(tuple, table)),
        tuple(tuple(p / 2 for p in line) for line in table),
        0.0,
        fsum(errors) / whole,
    )


@frozen
class _StoredLaw:
    """The odds of a coup after a tie on a point, i <= j, and what each may be off."""

    points: tuple[float, ...]
    error: float


@cache
def _stored(packs: int) -> dict[int, _StoredLaw]:
    """Return the laws of the coup after a tie, by its point."""
    path = files("trente_rules.odds") / "after_refait" / f"{packs}.json"
    if not path.is_file():
        raise TrenteError(
            f"what follows a tie is not computed for {counted(packs, 'pack')}",
            "no-law-after-tie",
            "it is for 1 to 8 packs",
        )
    ties = json.loads(path.read_text("utf-8"))["ties"]
    return {one["tie"]: _StoredLaw(tuple(one["points"]), one["error"]) for one in ties}


@frozen
class _StoredPair:
    """The probabilities of the ten ties after two ties, ``refaits`` of them on 31."""

    refaits: int
    ties: tuple[float, ...]
    error: float


@cache
def _stored_pairs(packs: int) -> tuple[_StoredPair, ...]:
    """Return the laws of the coup after two ties; none where they are not stored."""
    path = files("trente_rules.odds") / "after_refait" / f"{packs}.json"
    pairs = json.loads(path.read_text("utf-8")).get("pairs", [])
    return tuple(_StoredPair(one["refaits"], tuple(one["ties"]), one["error"]) for one in pairs)
