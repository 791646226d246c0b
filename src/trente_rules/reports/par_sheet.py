"""The PAR sheet as a value: every figure with its basis and its deal.

Shares and edges are exact Fractions, in stakes; amounts are units of the house. What is a float is
made from a Fraction, or says its error beside it.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import isfinite, sqrt
from typing import Final

from attrs import frozen

from trente_rules._version import __version__
from trente_rules.core.chances import KINDS, Chance
from trente_rules.core.coup import POINTS
from trente_rules.core.errors import BetError, Refusal, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE
from trente_rules.core.money import NOUGHT, ONE, Amount
from trente_rules.core.shoe import ShoeRule
from trente_rules.core.wager import WagerPath
from trente_rules.odds.advantage import (
    Law,
    WagerAdvantage,
    advantage,
    alike_by,
    law_of,
    of_kind,
    solve,
)
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe, infinite_pack, odds_of
from trente_rules.reports.comparison import refused

PER_COUP: Final = "per coup dealt"
PER_STAKE: Final = "per stake placed"
"""The basis of the figures of a wager: what becomes of a stake in prison belongs to them."""


@frozen
class PointFigures:
    """One point: its probability in a row, and that both rows end on it; ``refait`` if it loses."""

    point: int
    row: Fraction
    tie: Fraction
    refait: bool


@frozen
class ChanceFigures:
    """What one coup does to a chance: the probability of each verdict."""

    chance: str
    win: Fraction
    lose: Fraction
    apres: Fraction
    refait: Fraction


@frozen
class Band:
    """The band that the return of a number of coups lies in, in stakes; ``half`` on each side."""

    coups: int
    low: float
    high: float
    half: float


@frozen
class WagerFigures:
    """One wager under one policy, nominal: nothing rounded, no least premium.

    ``payout_odds`` is what a win pays for each unit staked; ``true_odds`` what it would have to pay
    for the bank to have no advantage, None where the wager never wins. ``less``, ``same`` and
    ``more`` are the probabilities that all that comes back in the end, premiums taken off, is less
    than the stake, the stake, or more. ``most_won`` is the most that one stake can gain.
    ``least_edge`` and ``greatest_edge`` mark the best and the worst for the player among the
    wagers on one chance.
    """

    wager: WagerAdvantage
    payout_odds: Fraction
    true_odds: Fraction | None
    less: Fraction
    same: Fraction
    more: Fraction
    most_won: Fraction
    least_edge: bool
    greatest_edge: bool
    z: float

    @property
    def returned(self) -> Fraction:
        """The mean return of one stake, in stakes."""
        return 1 - self.wager.edge

    @property
    def volatility(self) -> float:
        """The volatility index: z times the standard deviation."""
        return self.z * self.wager.sd

    def band(self, coups: int) -> Band:
        """Return the band of the mean return after so many stakes on coups of their own.

        The normal approximation of a sum of independent results.
        """
        half = self.volatility / sqrt(coups)
        middle = float(self.returned)
        return Band(coups, middle - half, middle + half, half)


@frozen
class StakeWager:
    """One wager for a stake of an amount; ``nominal`` is the edge where nothing is rounded.

    ``chances`` are all that have the same figures; ``simple`` tells them from side bets.
    """

    chances: tuple[str, ...]
    simple: bool
    wager: WagerAdvantage
    nominal: Fraction

    @property
    def moved(self) -> bool:
        """Return whether rounding or a minimum premium moves the edge by more than a tenth."""
        return 10 * abs(self.wager.edge - self.nominal) > abs(self.nominal)


@frozen
class InsuredStake:
    """What insurance is for a stake: the premium in units, and why it is not to be had.

    ``refused`` is the code of the house's refusal, empty where it insures such a stake.
    """

    premium: int
    share: Fraction
    refused: str


@frozen
class StakeFigures:
    """The advantage for a stake of so many units, rounded as the house rounds.

    ``named`` tells what the amount is: "minimum", "maximum", "asked". ``refused`` says why the
    house takes no such stake; where it refuses to round, ``wagers`` is empty. ``unknown`` says why
    there are no figures.
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
        return min(
            (
                line.wager.edge
                for line in self.wagers
                if line.simple and line.wager.insured == insured
            ),
            default=None,
        )

    @property
    def gain(self) -> Fraction | None:
        """What insurance gains the player, in parts of the premium; below zero what it costs him.

        The least advantage without insurance, less that with it. None where either is not known.
        """
        without, insured = self.least(insured=False), self.least(insured=True)
        if without is None or insured is None or not self.insurance or not self.insurance.share:
            return None
        return (without - insured) / self.insurance.share


@frozen
class Estimate:
    """A mean from shoes dealt at random, and its standard error."""

    mean: float
    error: float


@frozen
class TailleFigures:
    """A whole taille under the shoe rule of the house, its marker at one place.

    ``from_end`` is that place, None without a marker; ``cards`` are those a coup may be begun with.
    ``fewest`` and ``most`` bound the completed coups exactly; the first ``fewest`` of every taille
    are sure to be completed, so each is a refait with probability q exactly: ``sure_refaits`` in
    all. ``share`` is refaits over coups, all that are completed counted: not q.
    """

    from_end: int | None
    cards: int
    fewest: int
    most: int
    coups: Estimate
    refaits: Estimate
    share: Estimate
    q: Fraction
    sure_refaits: Fraction


@frozen
class ParSheet:
    """The mathematical report of one house; see docs/par-sheet.md.

    ``deal`` names what the odds are of ("infinite", "6-packs"). ``command`` makes the sheet again.
    ``stake_limits`` are the least and the greatest stake in units, None where the house sets them
    when a table opens, or has none. The estimates of ``tailles`` are of ``tailles_dealt`` shoes,
    dealt from ``tailles_seed`` by tools/make_tailles.py.
    """

    house: House
    version: str
    command: str
    deal: str
    z: float
    points: tuple[PointFigures, ...]
    chances: tuple[ChanceFigures, ...]
    wagers: tuple[WagerFigures, ...]
    stake_limits: tuple[int | None, int | None]
    stakes: tuple[StakeFigures, ...]
    tailles: tuple[TailleFigures, ...]
    tailles_dealt: int
    tailles_seed: int

    @property
    def q(self) -> Fraction:
        """The probability of a refait, one coup."""
        return sum((line.tie for line in self.points if line.refait), Fraction(0))

    @property
    def other_ties(self) -> Fraction:
        """The probability of an ordinary tie."""
        return sum((line.tie for line in self.points if not line.refait), Fraction(0))


# --- The advantage by stake: what rounding, least premiums and limits of the house make of it

SHOWN: Final = (1, 2, 3, 5, 10, 25, 100, 101)
"""The stakes, in units, that every sheet has figures for."""


def stake_figures(
    house: House, odds: CoupOdds, nominal: Sequence[WagerAdvantage], asked: int | None = None
) -> tuple[StakeFigures, ...]:
    """Return the figures of the usual stakes, of the limits of the house, and of the one asked for.

    ``nominal`` are the wagers without a stake. Side bets are left out where they pay whole units,
    since then nothing is ever rounded.
    """
    least, greatest = house.limits_table.span
    names = {"minimum": least, "maximum": greatest, "asked": asked}
    amounts = sorted({*SHOWN, *(units for units in names.values() if units)})
    return tuple(
        _figures(
            house,
            odds,
            nominal,
            units,
            tuple(name for name, amount in names.items() if amount == units),
        )
        for units in amounts
    )


def _figures(
    house: House,
    odds: CoupOdds,
    nominal: Sequence[WagerAdvantage],
    units: int,
    named: tuple[str, ...],
) -> StakeFigures:
    wagers: tuple[StakeWager, ...] = ()
    unknown = ""
    try:
        wagers = tuple(_wagers(house, odds, nominal, units))
    except TrenteError as error:
        if error.code != "too-many-states":
            raise
        unknown = error.message
    return StakeFigures(
        units=units,
        amount=house.money.text(units),
        named=named,
        refused=refused(house, units),
        wagers=wagers,
        insurance=_insured(house, units),
        unknown=unknown,
    )


def _wagers(
    house: House, odds: CoupOdds, nominal: Sequence[WagerAdvantage], units: int
) -> Iterator[StakeWager]:
    for chances in rounded_groups(house, odds):
        found = advantage(
            house,
            odds,
            chances=[chances[0].id],
            stake=units,
            opening=house.lowest_opening(units),
        )
        for wager in found.wagers:
            yield StakeWager(
                chances=tuple(chance.id for chance in chances),
                simple=chances[0].simple,
                wager=wager,
                nominal=_nominal(nominal, wager),
            )


def rounded_groups(house: House, odds: CoupOdds) -> tuple[tuple[Chance, ...], ...]:
    """Return the chances whose settlement may be rounded, those with the same figures together."""
    groups: dict[object, list[Chance]] = {}
    for chance in house.chances:
        if chance.simple or chance.odds.denominator != 1:
            alike = alike_by(chance, law_of(chance, odds))
            groups.setdefault(alike, []).append(chance)
    return tuple(map(tuple, groups.values()))


def _nominal(nominal: Sequence[WagerAdvantage], wager: WagerAdvantage) -> Fraction:
    """Return the edge that is not rounded: of that policy, or the least of those it leaves open.

    A stake for which a course is not offered has policies of fewer choices; where none of the
    nominal ones makes its choices, the least of all stands beside it.
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
    refused = wager.insurance.refusal(units)
    if not refused and premium.residue and house.money.rounding == "refuse":
        refused = "inexact"
    return InsuredStake(premium.units, Fraction(premium.units, units), refused)


# --- How many coups and refaits a taille has, under the shoe rule of a house

_RANKS: Final = tuple(min(rank, 10) for rank in range(1, 14))
"""The most points that lie in a coup without completing it."""


@frozen
class _Counts:
    """How many whole coups, and ties by point, end at each place, and begin behind each place."""

    tailles: int
    seed: int
    sd: float
    ends: tuple[int, ...]
    starts: tuple[int, ...]
    tie_ends: tuple[tuple[int, ...], ...]
    tie_starts: tuple[tuple[int, ...], ...]


@cache
def _counts(packs: int) -> _Counts:
    folder = files("trente_rules.reports") / "shoes"
    stored = json.loads((folder / f"{packs}.json").read_text("utf-8"))
    coups, ties = stored["coups"], stored["ties"]
    return _Counts(
        stored["tailles"],
        stored["seed"],
        stored["sd"],
        tuple(coups["by_end"]),
        tuple(coups["by_start"]),
        tuple(map(tuple, ties["by_end"])),
        tuple(map(tuple, ties["by_start"])),
    )


def tailles_dealt(packs: int) -> tuple[int, int]:
    """Return how many whole shoes the estimates are of, and the seed that they were dealt from."""
    counts = _counts(packs)
    return counts.tailles, counts.seed


def taille_figures(house: House) -> tuple[TailleFigures, ...]:
    """Return the figures of a taille: one for each place of the marker that is told.

    Where a player may put it between two bounds: both, and the middle.
    """
    rule = house.shoe
    if rule.marker is None:
        places: Sequence[int | None] = (None,)
    else:
        low, high = rule.marker.bounds
        places = tuple(dict.fromkeys((low, (low + high) // 2, high)))
    refaits = tuple(point for point in POINTS if house.deal.loses(point))
    return tuple(_taille(rule, place, refaits) for place in places)


def _taille(rule: ShoeRule, from_end: int | None, refaits: Sequence[int]) -> TailleFigures:
    plan = rule.plan(from_end or 0)
    cards = plan.begin - rule.burn
    counts = _counts(rule.packs)
    tied = [point - POINTS[0] for point in refaits]
    slack = 0.0
    if plan.end > plan.begin and from_end:
        coups = sum(counts.starts[:cards])
        ties = sum(sum(counts.tie_starts[i][:cards]) for i in tied)
        slack = _longer_than(from_end) if rule.burn else 0.0  # the table has no card burned
    else:
        coups = sum(counts.ends[: cards + 1])
        ties = sum(sum(counts.tie_ends[i][: cards + 1]) for i in tied)
    fewest = rule.sure_coups(from_end)
    n = counts.tailles
    q = sum((fresh_shoe(rule.packs).tie(point) for point in refaits), Fraction(0))
    return TailleFigures(
        from_end=from_end,
        cards=cards,
        fewest=fewest,
        most=rule.most_coups(from_end),
        coups=Estimate(coups / n, counts.sd / sqrt(n) + slack),
        refaits=Estimate(ties / n, sqrt(ties) / n + slack),
        share=Estimate(
            ties / coups if coups else 0.0, sqrt(ties) / coups + slack if coups else 0.0
        ),
        q=q,
        sure_refaits=q * fewest,
    )


@cache
def _longer_than(cards: int) -> float:
    """Estimate how often the last coup, begun before the marker, needs more than are behind it.

    The renewal theorem, cards of an infinite pack: a coup of n cards that the marker falls within
    is met n in mean times as often, anywhere within it alike.
    """
    lengths = _coup_lengths()
    mean = sum(number * chance for number, chance in enumerate(lengths))
    return sum((n - cards - 1) * lengths[n] for n in range(cards + 2, len(lengths))) / mean


@cache
def _coup_lengths() -> tuple[float, ...]:
    """Return the probability of each number of cards in a coup from an infinite pack."""
    open_totals, row = {0: 1.0}, [0.0]
    while open_totals:
        grown: dict[int, float] = {}
        ended = 0.0
        for total, chance in open_totals.items():
            for points in _RANKS:
                if total + points < POINTS[0]:
                    grown[total + points] = grown.get(total + points, 0.0) + chance / 13
                else:
                    ended += chance / 13
        open_totals = grown
        row.append(ended)
    coup = [0.0] * (2 * len(row))
    for a, first in enumerate(row):
        for b, second in enumerate(row):
            coup[a + b] += first * second
    return tuple(coup)


def infinite_q(house: House) -> Fraction:
    """Return the probability of a refait from an infinite pack, for comparison."""
    odds = infinite_pack()
    return sum((odds.tie(point) for point in POINTS if house.deal.loses(point)), Fraction(0))


# --- Computing the PAR sheet of a house, from its tables and the exact odds of a coup

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
    nominal = advantage(house, odds, opening=house.lowest_opening()).wagers
    dealt, seed = tailles_dealt(house.shoe.packs)
    return ParSheet(
        house=house,
        version=__version__,
        command=command or _command(house, deal, stake, z),
        deal=odds.deal,
        z=float(z),
        points=tuple(_points(house, odds)),
        chances=tuple(
            ChanceFigures(chance.id, *(of_kind(law_of(chance, odds), kind) for kind in KINDS[:-1]))
            for chance in house.chances
        ),
        wagers=tuple(_wager_figures(house, odds, nominal, float(z))),
        stake_limits=house.limits_table.span,
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
    house: House, odds: CoupOdds, wagers: Iterable[WagerAdvantage], z: float
) -> Iterator[WagerFigures]:
    by_chance: dict[str, list[WagerAdvantage]] = {}
    for wager in wagers:
        by_chance.setdefault(wager.chance, []).append(wager)
    known: dict[object, dict[object, Fates]] = {}
    for name, found in by_chance.items():
        chance = house.chance(name)
        law = law_of(chance, odds)
        alike = alike_by(chance, law)
        if alike not in known:
            known[alike] = dict(_fates(house, chance, law))
        least, greatest = min(w.edge for w in found), max(w.edge for w in found)
        for wager in found:
            less, more, most = known[alike][wager.insured, wager.policy]
            win = of_kind(law, "win")
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


def _fates(house: House, chance: Chance, odds: Law) -> Iterator[tuple[object, Fates]]:
    occurring = [verdict for verdict, p in odds.items() if p]
    for wager in house.wagers_on(chance.id):
        for path in wager.paths(verdicts=occurring):
            yield (path.insured, path.policy), fates(path, odds)


def fates(path: WagerPath, odds: Law) -> Fates:
    """Return the probabilities that a stake returns less than itself, and more; and the most won.

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
