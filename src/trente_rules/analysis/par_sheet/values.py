"""The PAR sheet as a value: every figure with its basis and its deal.

Shares and edges are exact Fractions, in stakes; amounts are units of the house. What is a float is
made from a Fraction, or says its error beside it.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Final

from attrs import frozen

from trente_rules.analysis.advantage import Wager
from trente_rules.errors import Refusal
from trente_rules.house.house import House

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

    wager: Wager
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
        """Answer the band of the mean return after so many stakes on coups of their own.

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
    wager: Wager
    nominal: Fraction

    @property
    def moved(self) -> bool:
        """Whether rounding or a least premium moves the edge by more than a tenth of itself."""
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
        """Answer the least advantage on a simple chance, insured or not; None if unknown."""
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
