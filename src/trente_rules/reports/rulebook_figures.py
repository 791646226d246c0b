"""The odds in the rulebook of a house: ties, and the edge of each wager at best and worst play."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from trente_rules.core.coup import POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.money import NOUGHT
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.reports.nominal import scopes
from trente_rules.reports.rulebook import RulebookFigures, WagerFigure


def rulebook_figures(house: House) -> RulebookFigures:
    """Return the exact odds of a house, from a fresh shoe, as its rulebook prints them."""
    ties = {point: fresh_shoe(house.shoe.packs).tie(point) for point in POINTS}
    refait = sum((ties[point] for point in house.losing_ties), NOUGHT)
    return RulebookFigures(
        house.shoe.packs,
        refait=refait,
        apres=sum(ties.values(), NOUGHT) - refait,
        wagers=tuple(_extremes(house)),
    )


def _extremes(house: House) -> Iterator[WagerFigure]:
    """Return the least and the greatest advantage of each wager.

    Where all choices come to the same, one figure, of no choice in particular.
    """
    try:
        wagers = advantage(house, fresh_shoe(house.shoe.packs)).wagers
    except TrenteError as error:
        if error.code != "too-many-policies":
            raise
        return
    for _wager, policies in groupby(wagers, key=lambda wager: (wager.chance, wager.insured)):
        ranked = sorted(policies, key=lambda wager: wager.edge)
        extremes = (ranked[0], ranked[-1])
        found = scopes(house, fresh_shoe(house.shoe.packs), extremes)
        if ranked[0].edge == ranked[-1].edge:
            first = ranked[0]
            yield WagerFigure(first.chance, first.insured, (), first.edge, found[0])
            continue
        for wager, scope in zip(extremes, found, strict=True):
            choices = wager.policy.choices
            yield WagerFigure(wager.chance, wager.insured, choices, wager.edge, scope)
