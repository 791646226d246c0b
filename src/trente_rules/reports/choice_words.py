"""The choice at a refait in words: which course is best for the cards left, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trente_rules.core.house.house import House
from trente_rules.odds.coup_odds import CoupOdds
from trente_rules.odds.fast import FastOdds
from trente_rules.odds.refait_choice import RefaitChoice, refait_choices
from trente_rules.odds.remaining import CompletedOdds, Composition, unfinished
from trente_rules.players.tallies import Choosing
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


def counted_choices(choosing: Sequence[Choosing]) -> Iterator[str]:
    """Say how often another course than the usual one is best at a refait, by the cards left."""
    never: dict[str, list[str]] = {}
    for each in choosing:
        if each.share and each.gain is not None:
            yield _other_course(each, each.share, each.gain)
        elif each.coups:
            never.setdefault(f"{each.usual} is best at a {each.verdict}", []).append(each.chance)
    for what, chances in never.items():
        where = "every chance" if len(chances) == len(choosing) else ", ".join(chances)
        yield f"On {where}, {what}, whatever the cards left."


def _other_course(each: Choosing, share: float, gain: float) -> str:
    return (
        f"On {each.chance}, {each.usual} is best at a {each.verdict}, except for the cards left in "
        f"{100 * share:.1f} % of the coups; there another course gains "
        f"{100 * gain:.3f} % of the stake."
    )
