"""The PAR sheet as a value: every figure with its basis and its deal.

Shares and edges are exact Fractions, in stakes; amounts are units of the house. A float is computed
from a Fraction, or its error is given with it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from math import sqrt
from typing import Final

from attrs import evolve, frozen

from trente_rules._version import __version__
from trente_rules.core.chances import KINDS, Chance
from trente_rules.core.coup import POINTS
from trente_rules.core.errors import BetError, Refusal, TrenteError, shown
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE
from trente_rules.core.money import NOUGHT, ONE, Amount
from trente_rules.core.wager import WagerPath
from trente_rules.odds.advantage import (
    MOST_CARRIED,
    Law,
    WagerAdvantage,
    advantage,
    alike_by,
    law_of,
    long_run_covariance,
    of_kind,
    solve,
)
from trente_rules.odds.coup_odds import CoupOdds, infinite_pack, odds_of
from trente_rules.odds.taille import Estimated
from trente_rules.odds.taille_hold import holds
from trente_rules.reports.comparison import grouped, refused
from trente_rules.reports.nominal import Scope, moved, scopes
from trente_rules.reports.plays import Plays, plays_of
from trente_rules.reports.tailles import TailleFigures, taille_figures

PER_COUP: Final = "per coup dealt"
COUPS: Final = tuple(10**power for power in range(3, 10))
"""The numbers of coups that have a confidence band."""
PER_STAKE: Final = "per stake placed"
"""The basis of the figures of a wager: they follow a stake in prison to its end."""


@frozen
class PointFigures:
    """The probabilities of a point: in a row, and in both; ``refait`` if a tie at it loses."""

    point: int
    row: Fraction
    tie: Fraction
    refait: bool


@frozen
class ChanceFigures:
    """The probability of each verdict on a chance, in one coup."""

    chance: str
    win: Fraction
    lose: Fraction
    apres: Fraction
    refait: Fraction


@frozen
class Band:
    """The band of the mean return of a number of coups, in stakes; ``half`` on each side."""

    coups: int
    low: float
    high: float
    half: float


@frozen
class WagerFigures:
    """The figures of one wager under one policy, nominal: nothing rounded, no least premium.

    ``payout_odds`` is the win for each unit staked, ``true_odds`` the win that would leave the bank
    no advantage, None where the wager never wins. ``less``, ``same`` and ``more`` are the
    probabilities that the whole return of a stake, less premiums, is below, equal to or above it;
    ``most_won`` is the greatest gain of one stake. ``least_edge`` marks the play of a chance that
    loses the least money: an insured one only where that is so at the least stake as well.
    ``least_uninsured`` and ``greatest_edge`` mark the best and the worst of those without
    insurance. ``scope`` are the stakes that the figures hold for, None for all. ``long_run`` is the
    variance, a coup, of a stake on every coup: a stake in prison shares its coup with the next.
    ``held`` is the bank's share of a stake on every coup of whole tailles; None where there are no
    tailles, and where it is not stored and numba is not installed.
    """

    wager: WagerAdvantage
    payout_odds: Fraction
    true_odds: Fraction | None
    less: Fraction
    same: Fraction
    more: Fraction
    most_won: Fraction
    least_edge: bool
    least_uninsured: bool
    greatest_edge: bool
    z: float
    scope: Scope | None = None
    long_run: Fraction = NOUGHT
    held: Estimated | None = None

    @property
    def returned(self) -> Fraction:
        """The mean return of one stake, in stakes."""
        return 1 - self.wager.edge

    @property
    def volatility(self) -> float:
        """The volatility index: z times the standard deviation."""
        return self.z * self.wager.sd

    def band(self, coups: int, *, apart: bool = False) -> Band | None:
        """Return the band of the mean return of so many stakes, one on every coup.

        ``apart``: no stake is placed while another waits in prison. The normal approximation of the
        sum; None where one stake can carry more than ``MOST_CARRIED`` of its variance.
        """
        variance = self.wager.variance if apart else self.long_run
        if (self.most_won + self.wager.edge) ** 2 > MOST_CARRIED * variance * coups:
            return None
        half = self.z * sqrt(variance / coups)
        middle = float(self.returned)
        return Band(coups, middle - half, middle + half, half)


@frozen
class StakeWager:
    """One wager for a stake of an amount; ``nominal`` is the edge where nothing is rounded.

    ``chances`` are all that have the same figures; ``simple`` is False for side bets.
    """

    chances: tuple[str, ...]
    simple: bool
    wager: WagerAdvantage
    nominal: Fraction

    @property
    def moved(self) -> bool:
        """True where rounding or a minimum premium moves the edge by more than a tenth."""
        return moved(self.nominal, self.wager.edge)


@frozen
class InsuredStake:
    """The premium of a stake, in units and as a share of the stake.

    ``refused`` is the code of the house's refusal, empty where it insures such a stake.
    """

    premium: int
    share: Fraction
    refused: str


@frozen
class StakeFigures:
    """The advantage for a stake of so many units, rounded as the house rounds.

    ``named`` lists what the amount is: "minimum", "maximum", "asked". ``refused`` gives the reasons
    of a house that takes no such stake; where it refuses to round, ``wagers`` is empty. ``unknown``
    is the reason where there are no figures.
    """

    units: int
    amount: str
    named: tuple[str, ...]
    refused: tuple[Refusal, ...]
    wagers: tuple[StakeWager, ...]
    insurance: InsuredStake | None
    unknown: str = ""

    def least(self, *, insured: bool) -> Fraction | None:
        """Return the least advantage on a simple chance, insured or not; None if unknown."""
        edges = (x.wager.edge for x in self.wagers if x.simple and x.wager.insured == insured)
        return min(edges, default=None)

    @property
    def gain(self) -> Fraction | None:
        """The player's gain from insurance, in parts of the premium; a loss is negative.

        It is the least advantage without insurance, less that with it; None if either is unknown.
        """
        without, insured = self.least(insured=False), self.least(insured=True)
        if without is None or insured is None or not self.insurance or not self.insurance.share:
            return None
        return (without - insured) / self.insurance.share


@frozen
class ParSheet:
    """The mathematical report of one house; see docs/par-sheet.md.

    ``deal`` is that of the odds ("infinite", "6-packs"). ``command`` prints the sheet. ``plays``
    are those of ``wagers`` that have a name, for each group of chances that are alike.
    ``stake_limits`` are the least and the greatest stake in units, None where the house sets them
    when a table opens, or has none.
    """

    house: House
    version: str
    command: str
    deal: str
    z: float
    points: tuple[PointFigures, ...]
    chances: tuple[ChanceFigures, ...]
    wagers: tuple[WagerFigures, ...]
    plays: tuple[Plays, ...]
    stake_limits: tuple[int | None, int | None]
    stakes: tuple[StakeFigures, ...]
    tailles: tuple[TailleFigures, ...]

    @property
    def q(self) -> Fraction:
        """The probability of a refait, one coup."""
        return sum((line.tie for line in self.points if line.refait), Fraction(0))

    @property
    def other_ties(self) -> Fraction:
        """The probability of an ordinary tie."""
        return sum((line.tie for line in self.points if not line.refait), Fraction(0))


SHOWN: Final = (1, 2, 3, 5, 10, 25, 100, 101)
"""The stakes, in steps of the house, that every sheet has figures for."""


def _stake_figures(
    house: House, odds: CoupOdds, nominal: Sequence[WagerAdvantage], asked: int | None
) -> Iterator[StakeFigures]:
    """Yield the figures of the usual stakes, of the limits of the house, and of the one asked for.

    ``nominal`` are the wagers without a stake. Side bets that pay whole units are left out: nothing
    is ever rounded there.
    """
    least, greatest = house.limits_table.span
    names = {"minimum": least, "maximum": greatest, "asked": asked}
    groups = _rounded_groups(house, odds)
    shown = {steps * house.limits_table.step for steps in SHOWN}
    for units in sorted({*shown, *filter(None, names.values())}):
        wagers: tuple[StakeWager, ...] = ()
        unknown = ""
        try:
            wagers = tuple(_stake_wagers(house, odds, nominal, groups, units))
        except TrenteError as error:
            if error.code != "too-many-states":
                raise
            unknown = error.message
        yield StakeFigures(
            units=units,
            amount=house.money.text(units),
            named=tuple(name for name, amount in names.items() if amount == units),
            refused=refused(house, units),
            wagers=wagers,
            insurance=_insured(house, units),
            unknown=unknown,
        )


def _stake_wagers(
    house: House,
    odds: CoupOdds,
    nominal: Sequence[WagerAdvantage],
    groups: Iterable[Sequence[Chance]],
    units: int,
) -> Iterator[StakeWager]:
    opening = house.lowest_opening(units)
    for first, *others in groups:
        names = tuple(chance.id for chance in (first, *others))
        for wager in advantage(
            house, odds, chances=[first.id], stake=units, opening=opening
        ).wagers:
            yield StakeWager(names, first.simple, wager, _nominal(nominal, wager))


def _rounded_groups(house: House, odds: CoupOdds) -> Iterable[Sequence[Chance]]:
    """Return the chances whose settlement may be rounded, those with the same figures together."""
    return grouped(
        (alike_by(chance, law_of(chance, odds)), chance)
        for chance in house.chances
        if chance.simple or not chance.pays_whole_units
    ).values()


def _nominal(nominal: Sequence[WagerAdvantage], wager: WagerAdvantage) -> Fraction:
    """Return the edge that is not rounded: of the same policy, or the least that it leaves open.

    A stake for which a course is not offered has policies of fewer choices; where none of the
    nominal policies makes its choices, the least edge of all is taken.
    """
    alike = [w for w in nominal if (w.chance, w.insured) == (wager.chance, wager.insured)]
    chosen = set(wager.policy.choices)
    same = [w.edge for w in alike if chosen <= set(w.policy.choices)]
    return min(same or [w.edge for w in alike])


def _insured(house: House, units: int) -> InsuredStake | None:
    wager = house.wagers_on(house.chances[0].id)[-1]
    if wager.insurance is None:
        return None
    premium = wager.premium(units)
    code = wager.insurance.refusal(units)
    if not code and premium.residue and house.money.rounding == "refuse":
        code = "inexact"
    return InsuredStake(premium.units, Fraction(premium.units, units), code)


def infinite_q(house: House) -> Fraction:
    """Return the probability of a refait from an infinite pack, for comparison."""
    odds = infinite_pack()
    return sum((odds.tie(point) for point in house.losing_ties), Fraction(0))


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
    compute: bool = False,
) -> ParSheet:
    """Compute the PAR sheet of a house.

    ``deal`` is "own" (the packs of the house), "infinite" or "N-packs"; ``stake``, in the currency
    of the house, adds a line to the advantage by stake; ``z`` is that of volatility index and
    confidence bands. ``command`` is printed on the sheet; the default is ``trente par``.
    ``compute``: figures of whole tailles that are not stored are computed, which takes seconds and
    the extra fast.

    Raises ``TrenteError`` ("unknown-deal", "bad-z", "too-many-policies"), ``BetError``
    ("bad-amount"), ``RuleError`` ("not-whole-units").
    """
    if isinstance(z, bool) or not isinstance(z, int | float) or not 0 < z <= _MOST_Z:
        raise TrenteError(
            f"z of {shown(z)}",
            "bad-z",
            f"it is a number above 0, at most {_MOST_Z}: 1.65, 1.96 and 2.576 are usual",
        )
    odds = odds_of(deal, house.shoe.packs)
    asked = None
    if stake is not None:
        if stake.value <= 0:
            raise BetError(f"a stake of {stake}", "bad-amount", "figures are for one above zero")
        asked = house.money.units(stake)
    nominal = advantage(house, odds, opening=house.lowest_opening()).wagers
    held = scopes(house, odds, nominal)
    plays = plays_of(house, nominal, held)
    joint = odds.joint()
    return ParSheet(
        house=house,
        version=__version__,
        command=command or _command(house, deal, stake, z),
        deal=odds.deal,
        z=float(z),
        points=tuple(
            PointFigures(point, sum(joint[i], NOUGHT), joint[i][i], point in house.losing_ties)
            for i, point in enumerate(POINTS)
        ),
        chances=tuple(
            ChanceFigures(chance.id, *(of_kind(law_of(chance, odds), kind) for kind in KINDS[:-1]))
            for chance in house.chances
        ),
        wagers=tuple(
            evolve(line, held=share)
            for line, share in zip(
                _wager_figures(house, odds, zip(nominal, held, strict=True), plays, float(z)),
                holds(house, nominal, compute=compute),
                strict=True,
            )
        ),
        plays=plays,
        stake_limits=house.limits_table.span,
        stakes=tuple(_stake_figures(house, odds, nominal, asked)),
        tailles=taille_figures(house, compute=compute),
    )


def _command(house: House, deal: str, stake: Amount | None, z: float) -> str:
    words = ["trente", "par", house.name]
    words += [] if deal == "own" else ["--deal", deal]
    words += [] if stake is None else ["--stake", str(stake)]
    words += [] if z == Z else ["--z", f"{z:g}"]
    return shlex.join(words)


def _wager_figures(
    house: House,
    odds: CoupOdds,
    wagers: Iterable[tuple[WagerAdvantage, Scope | None]],
    plays: Iterable[Plays],
    z: float,
) -> Iterator[WagerFigures]:
    known: dict[object, dict[object, tuple[Fates, Fraction]]] = {}
    of_chance = {chance: each for each in plays for chance in each.chances}
    for name, group in groupby(wagers, key=lambda pair: pair[0].chance):
        chance, named = house.chance(name), of_chance.get(name)
        law = law_of(chance, odds)
        alike = alike_by(chance, law)
        if alike not in known:
            known[alike] = dict(_fates(house, chance, law, odds))
        win, one_price = of_kind(law, "win"), len(chance.winning_odds) == 1
        for wager, scope in group:
            best = named.overall if named else wager
            plain = named is not None and not wager.insured
            (less, more, most), long_run = known[alike][wager.insured, wager.policy]
            yield WagerFigures(
                wager=wager,
                payout_odds=chance.odds,
                true_odds=chance.odds + wager.edge / win if win and one_price else None,
                less=less,
                same=1 - less - more,
                more=more,
                most_won=most,
                least_edge=(wager.insured, wager.edge) == (best.insured, best.edge),
                least_uninsured=plain and named is not None and wager.edge == named.best.edge,
                greatest_edge=plain and named is not None and wager.edge == named.worst.edge,
                z=z,
                scope=scope,
                long_run=long_run,
            )


def _fates(
    house: House, chance: Chance, law: Law, odds: CoupOdds
) -> Iterator[tuple[object, tuple[Fates, Fraction]]]:
    """Yield the fates of a stake, and its long-run variance, by insurance and policy."""
    occurring = [verdict for verdict, p in law.items() if p]
    for wager in house.wagers_on(chance.id):
        for path in wager.paths(verdicts=occurring):
            fates = _path_fates(path, law), long_run_covariance(path, path, odds)
            yield (path.insured, path.policy), fates


def _path_fates(path: WagerPath, odds: Law) -> Fates:
    """Return the probabilities of a return below the stake and above it, and the most won.

    The path is one without a stake. A stake in prison wins nothing more and is paid no odds, so
    once a part of it is gone, such as a premium, it cannot come back whole; until then only the
    state counts. So the probability of less solves one linear system: L(s) = sum over verdicts of
    p x (1 where a part goes, L(next state) where the stake stays whole).
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
