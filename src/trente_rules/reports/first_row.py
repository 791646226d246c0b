"""The odds once the first row is dealt, laid out: every chance, and the second row's points."""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.coup import POINTS
from trente_rules.core.house.house import House
from trente_rules.core.text import counted
from trente_rules.odds.advantage import law_of
from trente_rules.odds.fast import FastOdds
from trente_rules.odds.first_row import FirstRow
from trente_rules.odds.remaining import Composition
from trente_rules.reports.document import Column, Grid, Report

_DIGITS: Final = 3


@frozen
class FirstRowKnown:
    """A coup of a house whose first row is dealt; ``left`` are the cards before the coup.

    ``digits`` are the decimals of every figure in per cent, None for those that fit a screen.
    """

    house: House
    left: Composition
    given: FirstRow
    digits: int | None = None

    def verdicts(self) -> tuple[Verdict, ...]:
        """Return the verdicts that some chance of the house knows, in order."""
        laws = (law_of(chance, self.given) for chance in self.house.chances)
        return tuple(dict.fromkeys(verdict for law in laws for verdict in law))


def first_row_report(known: FirstRowKnown) -> Report:
    """Lay out the law of the chances and of the second row, given the first."""
    house, given = known.house, known.given
    deal = house.deal
    cut = deal.first_row == "cut"  # each shoe decides which colour the first row is of
    row = "the first row" if cut else f"the first row, {deal.first_row},"
    digits = _DIGITS if known.digits is None else known.digits
    form = f".{digits}h"
    verdicts = known.verdicts()
    chances = Grid(
        "",
        ("chance", *(Column(verdict.id, form) for verdict in verdicts)),
        (
            (chance.id, *(law_of(chance, given).get(verdict) for verdict in verdicts))
            for chance in house.chances
        ),
        caption="All in %, of a coup that is completed.",
    )
    second = Grid(
        "The second row",
        ("point", ("probability %", form)),
        ((str(point), part) for point, part in zip(POINTS, given.second(), strict=True)),
    )
    headline = (
        f"The coup at {house.name} once {row} ended on {given.point}; "
        f"{counted(known.left.cards, 'card')} unseen before the coup. One coup in "
        f"{1 / float(given.probability):.2f} begins so."
    )
    title = f"Odds after a first row of {given.point} at {house.name}"
    return Report(title, (headline, chances, second), data=lambda: first_row_json(known))


def first_row_json(known: FirstRowKnown) -> dict[str, Any]:
    """Return the law as JSON: its keys are promised in docs/cli.md."""
    house, odds = known.house, known.given.odds
    return {
        "house": house.name,
        "fingerprint": house.fingerprint,
        "deal": odds.deal,
        "engine": "fast" if isinstance(odds, FastOdds) else "exact",
        "error": odds.error if isinstance(odds, FastOdds) else 0,
        "cards": known.left.cards,
        "first": known.given.point,
        "probability": float(known.given.probability),
        "second": [float(part) for part in known.given.second()],
        "chances": {
            chance.id: {v.id: float(p) for v, p in law_of(chance, known.given).items()}
            for chance in house.chances
        },
    }
