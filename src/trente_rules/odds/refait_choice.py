"""The choice at a refait by the cards left: what each course is worth, prison or partage.

On rouge and noir both rows are alike whatever is left, so a prison that halves is worth less than
half a stake, and one that only repeats exactly half. A chance that depends on a colour may lead:
with L = P(win) - P(lose) on the next coup, a prison that halves is worth P(win) / (1 - t - q/2),
and beats partage if and only if L is above q/2. Other machines: the worths of their states.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from attrs import frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE
from trente_rules.core.money import NOUGHT, ONE
from trente_rules.core.wager import Step, WagerPath
from trente_rules.odds.advantage import law_of, of_kind, worths
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.functionals import HouseFunctionals
from trente_rules.odds.last_coups import fits_by_total
from trente_rules.odds.remaining import CompletedOdds, Composition


@frozen
class RefaitChoice:
    """The courses offered on a chance for a stake that met a verdict, each with its worth.

    Worths are parts of the stake, under best play afterwards, for the cards left once that coup is
    dealt. The first course is the default.
    """

    chance: str
    verdict: str
    worths: dict[str, Fraction]

    @property
    def best(self) -> str:
        """The course that is worth most; of several, the first."""
        return max(self.worths, key=lambda name: self.worths[name])

    @property
    def gain(self) -> Fraction:
        """The worth of the best course above the next best, in stakes."""
        first, second, *_rest = sorted(self.worths.values(), reverse=True)
        return first - second


def choices_at(path: WagerPath) -> Iterator[tuple[Verdict, str, Step]]:
    """Yield where a free stake has a choice: the verdict, the course of the policy, its step."""
    for verdict, step in path.steps[FREE].items():
        if len(path.wager.courses(FREE, verdict)) > 1:
            yield verdict, path.policy.course(FREE, verdict), step


def refait_choices(
    house: House, left: Composition, odds: CompletedOdds
) -> tuple[RefaitChoice, ...]:
    """Return every choice of an uninsured stake that has just met a verdict, by the cards left.

    ``odds`` are those of the next coup. Where it may not fit in the shoe, the worth of a stake that
    stays is that of ``last_coups``. Empty where the house leaves no choice. Raises ``TrenteError``
    ("too-many-policies").
    """
    found = fits_by_total(house.shoe, left, odds.odds.row(), (0,))
    fit = ONE if found is None else Fraction(found[0])
    closes = house.shoe.prisoners_at_end == "close"
    fresh = fresh_shoe(house.shoe.packs)
    # Of each course what it returns, and the best worth of the rest in this shoe and in the next:
    # a later choice may differ between the two.
    choices: dict[tuple[str, str], dict[str, tuple[Fraction, Fraction, Fraction]]] = {}
    for chance in house.chances:
        wager = house.wager(chance.id)
        here, there = law_of(chance, odds), law_of(chance, fresh)
        for path in wager.paths(verdicts=(*chance.verdicts, Verdict.CLOSE)):
            offered = [*choices_at(path)]
            if not offered:
                continue
            if closes:
                then = {s: step[Verdict.CLOSE].back for s, step in path.steps.items()}
            else:
                then = worths(path.steps, {**there, Verdict.CLOSE: NOUGHT})
            now = then
            if of_kind(here, "win", "lose"):  # else no coup of these cards frees a prisoner
                now = worths(path.steps, {**here, Verdict.CLOSE: NOUGHT})
            for verdict, course, step in offered:
                here_on = step.keeps * now[step.target] if step.target else NOUGHT
                later = step.keeps * then[step.target] if step.target else NOUGHT
                known = choices.setdefault((chance.id, verdict.id), {})
                _back, *best = known.get(course, (step.back, here_on, later))
                known[course] = step.back, max(here_on, best[0]), max(later, best[1])
    return tuple(
        RefaitChoice(
            *key,
            {
                name: back + fit * here_on + (1 - fit) * later
                for name, (back, here_on, later) in courses.items()
            },
        )
        for key, courses in choices.items()
    )


def course_arrays(
    functionals: HouseFunctionals, laws: Any, fit: Any
) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the worths of ``refait_choices`` for many laws of verdicts at once, in floats.

    ``laws`` is [law, verdict], ``fit`` the probability of each that its coup fits in the shoe.
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    choices: dict[tuple[str, str], dict[str, tuple[Any, Any, Any]]] = {}
    for each in functionals.wagers:
        path = each.path
        offered = [] if path.insured else [*choices_at(path)]
        if not offered:
            continue
        worths = each.worths(laws)
        for verdict, course, _step in offered:
            column = path.chance.verdicts.index(verdict)
            keeps = each.keeps[0, column]
            here_on, later = worths @ keeps, each.ends @ keeps
            known = choices.setdefault((path.chance.id, verdict.id), {})
            _back, *best = known.get(course, (None, here_on, later))
            most = np.maximum(here_on, best[0]), np.maximum(later, best[1])
            known[course] = each.back[0, column], *most
    return {
        key: {
            name: back + fit * here_on + (1 - fit) * later
            for name, (back, here_on, later) in courses.items()
        }
        for key, courses in choices.items()
    }
