"""Computing the PAR sheet of a house, from its tables and the exact odds of a coup."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import isfinite
from typing import Final

from trente_rules._version import __version__
from trente_rules.analysis.advantage import Odds, Wager, advantage
from trente_rules.analysis.comparison import lowest_opening
from trente_rules.analysis.deal_odds import CoupOdds, odds_of
from trente_rules.analysis.linear import solve
from trente_rules.analysis.par_sheet.stakes import stake_figures, stake_limits
from trente_rules.analysis.par_sheet.tailles import taille_figures, tailles_dealt
from trente_rules.analysis.par_sheet.values import (
    ChanceFigures,
    ParSheet,
    PointFigures,
    WagerFigures,
)
from trente_rules.deal.coup import POINTS
from trente_rules.errors import BetError, TrenteError
from trente_rules.house.house import House
from trente_rules.money import NOUGHT, ONE, Amount
from trente_rules.rules.chances import COUP_VERDICTS, Chance, Verdict
from trente_rules.rules.machine import FREE
from trente_rules.steps import Path, paths

Z: Final = 1.96
"""The z of the confidence bands where none is given: 95 % of a normal distribution."""
_MOST_Z: Final = 10
Fates = tuple[Fraction, Fraction, Fraction]
"""The probabilities of a return of less than the stake and of more, and the most won."""


def par_sheet(
    house: House,
    *,
    deal: str = "own",
    stake: Amount | None = None,
    z: float = Z,
    command: str = "",
) -> ParSheet:
    """Compute the PAR sheet of a house.

    ``deal`` is "own" (the packs of the house), "infinite" or "N-packs"; ``stake``, in the currency
    of the house, adds a line to the advantage by stake; ``z`` is that of volatility index and
    confidence bands. ``command`` is told on the sheet; without one, the command that makes it.

    Raises ``TrenteError`` ("unknown-deal", "bad-z", "too-many-policies"), ``BetError``
    ("bad-amount"), ``RuleError`` ("not-whole-units").
    """
    if isinstance(z, bool) or not isinstance(z, int | float) or not 0 < z <= _MOST_Z:
        raise _bad_z(z)
    odds = odds_of(deal, house.shoe.packs)
    asked = None
    if stake is not None:
        if stake.value <= 0:
            raise BetError(f"a stake of {stake}", "bad-amount", "figures are for one above zero")
        asked = house.money.units(stake)
    nominal = advantage(house, odds, opening=lowest_opening(house)).wagers
    dealt, seed = tailles_dealt(house.shoe.packs)
    return ParSheet(
        house=house,
        version=__version__,
        command=command or _command(house, deal, stake, z),
        deal=odds.deal,
        z=float(z),
        points=tuple(_points(house, odds)),
        chances=tuple(
            ChanceFigures(chance.id, *odds.verdicts(chance.verdicts)) for chance in house.chances
        ),
        wagers=tuple(_wager_figures(house, odds, nominal, float(z))),
        stake_limits=stake_limits(house),
        stakes=stake_figures(house, odds, nominal, asked),
        tailles=taille_figures(house),
        tailles_dealt=dealt,
        tailles_seed=seed,
    )


def _bad_z(z: object) -> TrenteError:
    shown = repr(z) if not isinstance(z, float) or isfinite(z) else str(z)
    return TrenteError(
        f"z of {shown[:40]}",
        "bad-z",
        f"it is a number above 0, at most {_MOST_Z}: 1.65, 1.96 and 2.576 are usual",
    )


def _command(house: House, deal: str, stake: Amount | None, z: float) -> str:
    words = ["trente", "par", house.name]
    words += [] if deal == "own" else ["--deal", deal]
    words += [] if stake is None else ["--stake", str(stake)]
    words += [] if z == Z else ["--z", f"{z:g}"]
    return shlex.join(words)


def _points(house: House, odds: CoupOdds) -> Iterator[PointFigures]:
    joint = odds.joint()
    for i, point in enumerate(POINTS):
        yield PointFigures(point, sum(joint[i], NOUGHT), joint[i][i], house.deal.loses(point))


def _wager_figures(
    house: House, odds: CoupOdds, wagers: Iterable[Wager], z: float
) -> Iterator[WagerFigures]:
    by_chance: dict[str, list[Wager]] = {}
    for wager in wagers:
        by_chance.setdefault(wager.chance, []).append(wager)
    known: dict[object, dict[object, Fates]] = {}
    for name, found in by_chance.items():
        chance = house.chance(name)
        verdicts = odds.verdicts(chance.verdicts)
        alike = (verdicts, chance.odds, chance.simple)
        if alike not in known:
            known[alike] = dict(_fates(house, chance, verdicts))
        least, greatest = min(w.edge for w in found), max(w.edge for w in found)
        for wager in found:
            less, more, most = known[alike][wager.insured, wager.policy]
            win = verdicts[Verdict.WIN]
            yield WagerFigures(
                wager=wager,
                payout_odds=chance.odds,
                true_odds=chance.odds + wager.edge / win if win else None,
                less=less,
                same=1 - less - more,
                more=more,
                most_won=most,
                least_edge=wager.edge == least,
                greatest_edge=wager.edge == greatest,
                z=z,
            )


def _fates(house: House, chance: Chance, odds: Odds) -> Iterator[tuple[object, Fates]]:
    occurring = [verdict for verdict in COUP_VERDICTS if odds[verdict]]
    for path in paths(house, chance, verdicts=occurring):
        yield (path.insured, path.policy), fates(path, odds)


def fates(path: Path, odds: Odds) -> Fates:
    """Answer the probabilities that a stake returns less than itself, and more; and the most won.

    Of a path without a stake. A stake in prison wins nothing more and is paid no odds, so once
    anything of it is gone, a premium among it, it cannot come back whole; while nothing is gone,
    what counts is the state alone. So the probability of less solves one linear system,
    L(s) = sum over verdicts of p x (1 where something goes, else L(next state) where it stays).
    """
    order = list(path.steps)
    gone: dict[str, Fraction] = {}
    weights: dict[str, dict[str, Fraction]] = {}
    for state, there in path.steps.items():
        gone[state] = NOUGHT
        weights[state] = {}
        for verdict, step in there.items():
            if step.back + step.keeps < 1:
                gone[state] += odds[verdict]
            elif step.target:
                row = weights[state]
                row[step.target] = row.get(step.target, NOUGHT) + odds[verdict]
    less = solve(order, gone, weights)[FREE]
    ending = {v: step.back for v, step in path.steps[FREE].items() if not step.target}
    more = sum((odds[verdict] for verdict, back in ending.items() if back > 1), NOUGHT)
    most = max([back - ONE for back in ending.values()], default=NOUGHT)
    return less, more, max(most, NOUGHT)
