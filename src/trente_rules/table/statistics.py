"""Statistics of a table, counted from its events alone.

What players note (an Italian program's windows): outcomes of the chances, coups won and lost, how
often the refait came, the cards still in, low (ace to six) and high (eight to king; sevens are
neutral), cards out and the points out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from attrs import evolve, frozen

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import POINTS, Coup
from trente_rules.core.shoe import CARDS_IN_PACK
from trente_rules.core.stakes import Line
from trente_rules.table.events import (
    BetsOpened,
    Burned,
    CardBurned,
    CardTurned,
    CoupCorrected,
    CoupDealt,
    CoupSettled,
    CoupVoided,
    Event,
    ShoeEnded,
    ShoeOpened,
    StakeSettled,
)

LOWEST_HIGH: Final = 8
HIGHEST_LOW: Final = 6
_EACH: Final = 24
"""Low cards, and high cards, in a pack: six ranks of four suits."""


@frozen
class ShoeCount:
    """The cards of one shoe: how many are out, what they count, how many low and high are still in.

    Cards that were burned unseen are out, but what they are is not known: they count as still in
    among low and high cards, and not in ``points_out``.
    """

    packs: int = 0
    cards_out: int = 0
    points_out: int = 0
    low_out: int = 0
    high_out: int = 0

    @property
    def cards_left(self) -> int:
        """The cards still in."""
        return self.packs * CARDS_IN_PACK - self.cards_out

    @property
    def low_in(self) -> int:
        """The cards from ace to six still in."""
        return self.packs * _EACH - self.low_out

    @property
    def high_in(self) -> int:
        """The cards from eight to king still in."""
        return self.packs * _EACH - self.high_out

    def seeing(self, cards: Iterable[Card], sign: int = 1) -> ShoeCount:
        """Return the count after these cards came out; with ``sign`` -1, as if they had not."""
        seen = tuple(cards)
        low = sum(card.rank <= HIGHEST_LOW for card in seen)
        high = sum(card.rank >= LOWEST_HIGH for card in seen)
        return evolve(
            self,
            cards_out=self.cards_out + sign * len(seen),
            points_out=self.points_out + sign * sum(card.points for card in seen),
            low_out=self.low_out + sign * low,
            high_out=self.high_out + sign * high,
        )


@frozen
class PlayerCount:
    """One player: stakes won, lost and neither, what he staked and what he is richer by, in units.

    ``net`` holds what is settled: a stake that stands in prison is his until it leaves.
    """

    player: str
    won: int = 0
    lost: int = 0
    neither: int = 0
    staked: int = 0
    net: int = 0

    def with_line(self, line: Line) -> PlayerCount:
        """Return the count after a stake of his is settled."""
        placed = line.stake.free and line.verdict is not Verdict.CLOSE
        return evolve(
            self,
            won=self.won + bool(line.won),
            lost=self.lost + bool(line.forfeited and not line.returned),
            neither=self.neither + (not line.won and not (line.forfeited and not line.returned)),
            staked=self.staked + (line.stake.amount if placed else 0),
            net=self.net + line.player_net,
        )


@frozen
class Statistics:
    """What a table has seen since its session began; ``after`` takes the next event.

    ``wins`` counts the coups each chance won. ``points`` are the 100 pairs of points, the first
    row's by tens. ``low_in`` and the like of the present shoe are in ``shoe``. A corrected coup
    counts as corrected, a void one only in ``voided``.
    """

    tailles: int = 0
    coups: int = 0
    voided: int = 0
    corrected: int = 0
    apres: int = 0
    refaits: int = 0
    wins: tuple[tuple[str, int], ...] = ()
    points: tuple[int, ...] = (0,) * len(POINTS) ** 2
    players: tuple[PlayerCount, ...] = ()
    shoe: ShoeCount = ShoeCount()
    dealt: CoupDealt | None = None
    before: Statistics | None = None

    @classmethod
    def of(cls, events: Iterable[Event]) -> Statistics:
        """Count all of these events."""
        counted = cls()
        for event in events:
            counted = counted.after(event)
        return counted

    @property
    def staked(self) -> int:
        """The units staked by all players: the turnover."""
        return sum(player.staked for player in self.players)

    @property
    def bank_net(self) -> int:
        """The units the bank is richer by."""
        return -sum(player.net for player in self.players)

    def player(self, name: str) -> PlayerCount:
        """Return the count of a player, empty for one who never staked."""
        found = (each for each in self.players if each.player == name)
        return next(found, PlayerCount(name))

    def after(self, event: Event) -> Statistics:  # noqa: PLR0911 - one case an event
        """Return the statistics after one more event."""
        match event:
            case CardTurned(card=card) | CardBurned(card=card):
                return evolve(self, shoe=self.shoe.seeing((card,)))
            case StakeSettled(line=line):
                return evolve(self, players=self._with(line))
            case BetsOpened():
                return evolve(self, dealt=None, before=None)
            case CoupDealt(coup=coup):
                shoe = self.shoe
                if self.dealt is not None:  # a correction: these cards came, not those
                    shoe = shoe.seeing(self.dealt.coup.cards, -1).seeing(coup.cards)
                before = evolve(self, dealt=None, before=None, shoe=shoe)
                return evolve(self, dealt=event, shoe=shoe, before=before)
            case CoupSettled():
                return self._settled()
            case CoupVoided():
                return evolve(self, voided=self.voided + 1, dealt=None, before=None)
            case CoupCorrected():
                return self._taken_back()
            case ShoeOpened(packs=packs):
                return evolve(self, shoe=ShoeCount(packs), dealt=None, before=None)
            case Burned(count=count, cards=cards):
                seen = self.shoe.seeing(cards)
                return evolve(self, shoe=evolve(seen, cards_out=self.shoe.cards_out + count))
            case ShoeEnded():
                return evolve(self, tailles=self.tailles + 1)
        return self

    def _with(self, line: Line) -> tuple[PlayerCount, ...]:
        owner = line.stake.owner
        counted = {each.player: each for each in self.players}
        counted[owner] = counted.get(owner, PlayerCount(owner)).with_line(line)
        return tuple(counted.values())

    def _settled(self) -> Statistics:
        if self.dealt is None:
            return self
        return self._with_outcome(self.dealt.coup, self.dealt.verdicts)

    def _with_outcome(self, coup: Coup, verdicts: Iterable[tuple[str, Verdict]]) -> Statistics:
        told = tuple(verdicts)
        wins = dict(self.wins)
        for chance, verdict in told:
            wins[chance] = wins.get(chance, 0) + (verdict is Verdict.WIN)
        tied = coup.first.point == coup.second.point
        refait = any(verdict is Verdict.REFAIT for _chance, verdict in told)
        place = (coup.first.point - POINTS[0]) * len(POINTS) + coup.second.point - POINTS[0]
        points = list(self.points)
        points[place] += 1
        return evolve(
            self,
            coups=self.coups + 1,
            apres=self.apres + (tied and not refait),
            refaits=self.refaits + refait,
            wins=tuple(wins.items()),
            points=tuple(points),
        )

    def _taken_back(self) -> Statistics:
        """Return what was counted before the last coup was dealt; its cards stay out."""
        if self.before is None:
            return evolve(self, corrected=self.corrected + 1)
        return evolve(
            self.before,
            corrected=self.corrected + 1,
            tailles=self.before.tailles,
            dealt=self.dealt,
            shoe=self.shoe,
            before=self.before,
        )

    def to_json(self) -> dict[str, Any]:
        """Return all figures as an object."""
        return {
            "tailles": self.tailles,
            "coups": self.coups,
            "voided": self.voided,
            "corrected": self.corrected,
            "apres": self.apres,
            "refaits": self.refaits,
            "wins": dict(self.wins),
            "points": [list(self.points[start : start + 10]) for start in range(0, 100, 10)],
            "staked": self.staked,
            "bank_net": self.bank_net,
            "players": [
                {
                    "player": each.player,
                    "won": each.won,
                    "lost": each.lost,
                    "neither": each.neither,
                    "staked": each.staked,
                    "net": each.net,
                }
                for each in self.players
            ],
            "shoe": {
                "packs": self.shoe.packs,
                "cards_out": self.shoe.cards_out,
                "cards_left": self.shoe.cards_left,
                "points_out": self.shoe.points_out,
                "low_in": self.shoe.low_in,
                "high_in": self.shoe.high_in,
            },
        }
