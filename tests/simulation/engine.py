"""The oracle: the same shoes played by the engine, stake by stake, nothing compiled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from attrs import define, evolve, field, frozen

from trente_rules import Choice, Coup, House, Opening, Stake, close_session, courses, refusals
from trente_rules import settle as settle_coup
from trente_rules.core.chances import Verdict
from trente_rules.core.stakes import Settlement
from trente_rules.simulation.arrays import FlatStake
from trente_rules.simulation.flat import shoes_of
from trente_rules.simulation.flat_result import Measure

MORE_SHOES = 12
"""Shoes in which the last prisoners must have come to their end."""


@frozen
class Placed:
    """A stake on the table: its wager, the kind of coup it was placed in, what it has come to."""

    stake: Stake
    wager: int
    kind: int
    net: int


@define
class Played:
    """What the engine counted, as the kernel counts it."""

    outcomes: list[Counter[int]] = field(factory=lambda: [Counter() for _kind in range(3)])
    per_taille: Counter[int] = field(factory=Counter)
    voids: int = 0
    extra_shoes: int = 0
    ended: list[tuple[int, int, int]] = field(factory=list)

    def measure(self, wager: int, kinds: Sequence[int], amount: int) -> Measure:
        """Return what a wager came to over some kinds of coups."""
        nets = [net for which, kind, net in self.ended if which == wager and kind in kinds]
        return Measure(
            len(nets),
            Fraction(sum(nets), amount),
            Fraction(sum(net**2 for net in nets), amount**2),
        )


class Engine:
    """A house that plays its shoes with one stake on every wager in every coup."""

    def __init__(
        self, house: House, wagers: Sequence[FlatStake], amount: int, opening: Opening, sure: int
    ) -> None:
        """Take the house, the wagers, the amount of every stake in units."""
        self.house, self.wagers, self.amount, self.opening = house, wagers, amount, opening
        self.sure = sure
        self.standing: list[Placed] = []
        self.played = Played()

    def play(self, seed: int, count: int) -> Played:
        """Play so many shoes, then more until no prisoner is left."""
        for number, shoe in enumerate(shoes_of(self.house, seed, 0, count + MORE_SHOES)):
            placing = number < count
            if not placing and not self.standing:
                return self.played
            left, coups = shoe, 0
            while not self.house.shoe.ended(left):
                dealt = self.house.shoe.deal(left)
                left = dealt.shoe
                if dealt.coup is None:
                    self.played.voids += placing
                    break
                self._coup(dealt.coup, coups, placing=placing)
                coups += 1
            if self.house.shoe.prisoners_at_end == "close":
                self._close()
            if placing:
                self.played.per_taille[coups] += 1
            else:
                self.played.extra_shoes += 1
        raise AssertionError("prisoners are left")

    def _coup(self, coup: Coup, coups: int, *, placing: bool) -> None:
        kind = 0 if coups == 0 else 1 if coups < self.sure else 2
        stakes = [self._insured(placed) for placed in self.standing]
        if placing:
            self.played.outcomes[kind][coup.outcome] += 1
            for number, wager in enumerate(self.wagers):
                stake = Stake(
                    f"{coups}-{number}", "p", wager.chance, self.amount, insured=wager.insured
                )
                stakes.append(Placed(stake, number, kind, -self.amount))
        choices = [choice for placed in stakes for choice in self._choices(placed, coup)]
        settled = settle_coup(
            self.house, coup, [placed.stake for placed in stakes], choices, opening=self.opening
        )
        self._end(stakes, settled)

    def _insured(self, placed: Placed) -> Placed:
        """Renew the insurance of a prisoner where the house insures its state."""
        table, wager, stake = self.house.insurance_table, self.wagers[placed.wager], placed.stake
        stake = evolve(stake, id=f"{stake.id}+", insured=False)
        asked = wager.insured or wager.policy.insures(stake.state)
        if table is None or not asked or stake.covered or stake.state not in table.covers:
            return evolve(placed, stake=stake)
        insured = evolve(stake, insured=True)
        refused = {
            refusal.code for refusal in refusals(self.house, [insured], opening=self.opening)
        }
        kept = wager.insured or not refused & {"inexact", "insurance-above-maximum"}
        return evolve(placed, stake=insured if kept else stake)

    def _choices(self, placed: Placed, coup: Coup) -> list[Choice]:
        """Choose by the policy, where the course is offered."""
        stake = placed.stake
        verdict = self.house.chance(stake.chance).verdict(coup)
        name = self.wagers[placed.wager].policy.course(stake.state, verdict)
        offered = courses(self.house, stake, verdict, opening=self.opening)
        if name not in [course.name for course in offered]:
            return []
        return [Choice(stake.id, name, stake.state, verdict)]

    def _close(self) -> None:
        settled = close_session(
            self.house, [placed.stake for placed in self.standing], opening=self.opening
        )
        assert {line.verdict for line in settled.lines} <= {Verdict.CLOSE}
        self._end(self.standing, settled)

    def _end(self, stakes: Sequence[Placed], settled: Settlement) -> None:
        still = []
        for placed in stakes:
            line = settled.line(placed.stake.id)
            net = placed.net + line.returned + line.won - line.premium_kept
            if line.after is None:
                self.played.ended.append((placed.wager, placed.kind, net))
            else:
                still.append(evolve(placed, stake=line.after, net=net))
        self.standing = still
