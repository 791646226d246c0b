"""The choice at a refait in words: which course is best for the cards left, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trente_rules.core.house.house import House
from trente_rules.odds.coup_odds import CoupOdds
from trente_rules.odds.fast import FastOdds
from trente_rules.odds.refait_choice import RefaitChoice, refait_choices
from trente_rules.odds.remaining import CompletedOdds, Composition, unfinished
from trente_rules.reports.comparison import grouped


def choices_of(
    house: House, left: Composition, odds: CoupOdds | FastOdds
) -> tuple[RefaitChoice, ...]:
    """Return the choices of a stake that has just met a refait; none where no coup can follow."""
    if unfinished(odds) >= 1:
        return ()
    return refait_choices(house, left, CompletedOdds(odds))


def choice_sentences(choices: Sequence[RefaitChoice], digits: int) -> Iterator[str]:
    """Yield one sentence for each verdict that leaves a choice: the best courses by chance."""
    for verdict in dict.fromkeys(each.verdict for each in choices):
        mine = [each for each in choices if each.verdict == verdict]
        groups = grouped(
            ((each.best, f"{float(each.gain) * 100:.{digits}f}"), each.chance) for each in mine
        )
        parts = [
            f"{course} is best on {', '.join(chances)}, by {gain} % of the stake"
            if float(gain)
            else f"the courses are worth the same on {', '.join(chances)}"
            for (course, gain), chances in groups.items()
        ]
        yield f"For a stake that has just met a {verdict}: {'; '.join(parts)}."


def choices_json(choices: Sequence[RefaitChoice]) -> list[dict[str, Any]]:
    """Return the choices as JSON: worths in parts of the stake."""
    return [
        {
            "chance": each.chance,
            "verdict": each.verdict,
            "worths": {name: float(worth) for name, worth in each.worths.items()},
            "best": each.best,
        }
        for each in choices
    ]
