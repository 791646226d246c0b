"""The bank's advantage with the dependence within a shoe taken in: computed, not simulated.

A stake in prison waits for the next coups of the same shoe, and these are not independent of the
coup that put it there. The coup after the first is taken from the stored law (``after_tie``); for
the coups from the third on the deviations of the law by each verdict before are added up, and what
that leaves out goes into the error bound, which rests on measured margins (docs/mathematics.md).
The steps of the stake machine drive it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Final

from attrs import evolve, field, frozen

from trente_rules.analysis.advantage import Odds
from trente_rules.analysis.linear import solve
from trente_rules.analysis.shoe_laws import UNKNOWN, History, ShoeLaws
from trente_rules.analysis.worth import worths
from trente_rules.house.house import House
from trente_rules.money import NOUGHT
from trente_rules.rules.chances import COUP_VERDICTS, Verdict
from trente_rules.rules.policies import Policy
from trente_rules.stakes import Opening
from trente_rules.steps import Path, Steps, paths

LONGEST: Final = 8
"""Coups that are followed; a stake still in prison then is worth what independent coups make it."""
_WIN, _LOSE, _APRES, _REFAIT = COUP_VERDICTS
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
        """Whether the difference is larger than its error, or there is certainly none."""
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
    """Answer the advantage on every wager of a house, or on the chances named, both ways.

    The wagers are those of ``advantage``, in its order; every coup that a stake waits for comes
    from the shoe it was placed in, and is sure to be completed. ``packs`` are those of the house
    unless given. Raises ``BetError`` ("unknown-chance"), ``TrenteError`` ("no-law-after-tie" where
    the dependence matters and no law is stored for the packs; "too-many-policies",
    "too-many-states").
    """
    wanted = house.chances if chances is None else [house.chance(name) for name in chances]
    known: dict[tuple[Odds, Fraction, bool, bool], list[SequentialWager]] = {}
    wagers: list[SequentialWager] = []
    for chance in wanted:
        laws = ShoeLaws(house, chance, packs or house.shoe.packs)
        alike = (laws.base, chance.odds, chance.simple, laws.coloured)
        if alike not in known:
            known[alike] = list(_wagers(house, laws, stake, opening or Opening()))
        wagers.extend(evolve(wager, chance=chance.id) for wager in known[alike])
    return Sequential(f"{packs or house.shoe.packs}-packs", tuple(wagers))


def _wagers(
    house: House, laws: ShoeLaws, stake: int | None, opening: Opening
) -> Iterator[SequentialWager]:
    occurring = [verdict for verdict in COUP_VERDICTS if laws.base[verdict]]
    for path in paths(house, laws.chance, stake=stake, opening=opening, verdicts=occurring):
        yield _wager(path, laws)


def _wager(path: Path, laws: ShoeLaws) -> SequentialWager:
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
    """Answer what a stake comes to by each verdict, if later coups are independent copies."""
    return {
        verdict: step.back + (step.keeps * means[step.target] if step.target else NOUGHT)
        for verdict, step in steps[state].items()
    }


def _decided(worths: dict[Verdict, Fraction], base: Odds) -> Fraction:
    """Answer the mean of what a stake comes to when it is won or lost, which law ever acts."""
    return (base[_WIN] * worths.get(_WIN, NOUGHT) + base[_LOSE] * worths.get(_LOSE, NOUGHT)) / (
        base[_WIN] + base[_LOSE]
    )


def _leverage(worths: dict[Verdict, Fraction], base: Odds) -> Fraction:
    """Answer how far the worth moves for each unit by which both ties may be off.

    Wins and losses share what ties leave: their proportion is that of the first coup, whatever went
    before, since exchanging the rows of a coup changes nothing that was dealt before it.
    """
    middle = _decided(worths, base)
    ties = (worths[verdict] for verdict in (_APRES, _REFAIT) if verdict in worths)
    return sum((abs(worth - middle) for worth in ties), NOUGHT)


def _indifferent(steps: Steps, means: dict[str, Fraction], base: Odds) -> bool:
    """Tell whether the worth in every prison is the same by any law: a prison that only repeats.

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
        """Answer what a stake is worth after these verdicts, and how far that may be off."""
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
        if self.laws.coloured and history[_WIN] + history[_LOSE]:
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
        higher = (base[0] + off, base[1] + off, base[2] + off, base[3] + off)
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
