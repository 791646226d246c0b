"""What a system was to expect: the bank's exact advantage on the very stakes it placed.

No system changes it: every unit staked costs what it costs a player of flat stakes. What differs
between amounts is only what the house rounds, and premiums that are not in proportion.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from attrs import frozen

from trente_rules.analysis.advantage import Odds, VerdictOdds, edge_of
from trente_rules.analysis.deal_odds import fresh_shoe
from trente_rules.simulation.rungs import rungs_of
from trente_rules.simulation.staking_result import SimulatedSystem
from trente_rules.steps import Steps


@frozen
class Expected:
    """The exact advantage on the stakes of a seat, and how its simulation lies to it.

    ``edge`` is per unit staked; ``share`` is what the simulation lost, as a part of that; ``z`` how
    many standard errors the net lies above what was to be expected; ``n0`` after how many coups the
    expected loss is as large as one standard deviation.
    """

    edge: Fraction
    share: float | None
    z: float | None
    n0: float | None

    def to_json(self) -> dict[str, Any]:
        """Answer all figures as an object."""
        return {"edge": float(self.edge), "share": self.share, "z": self.z, "n0": self.n0}


def expected_of(one: SimulatedSystem, odds: VerdictOdds | None = None) -> Expected | None:
    """Answer what a seat was to expect, None where it placed no stake.

    The odds are those of a fresh shoe of the house, as for every coup that is sure to be completed;
    the last coups of a taille hold a few refaits more.
    """
    if not one.staked:
        return None
    seat, kept = one.seat, rungs_of(one.seat)
    deal = odds or fresh_shoe(seat.house.shoe.packs)
    verdicts = {c.id: deal.verdicts(c.verdicts) for c in seat.house.chances}
    known: dict[tuple[Odds, tuple[Any, ...]], Fraction] = {}
    loss = Fraction(0)
    for (chance, amount), count in one.wagered.items():
        steps, told = kept.path(chance, amount).steps, verdicts[chance]
        alike = (told, _key(steps))
        if alike not in known:
            known[alike] = edge_of(steps, told)
        loss += known[alike] * amount * count
    edge = loss / one.staked
    share = float(-one.net / one.staked / edge) if edge else None
    return Expected(edge, share, one.z(edge), one.n0(edge))


def _key(steps: Steps) -> tuple[Any, ...]:
    return tuple((state, tuple(there.items())) for state, there in steps.items())
