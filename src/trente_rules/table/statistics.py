"""Statistics of a table, counted from its events alone.

They are those that players note (as in the windows of an Italian program): outcomes of the chances,
coups won and lost, refaits, and the cards of the shoe, low (ace to six) and high (eight to king).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from attrs import asdict, evolve, frozen

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import POINTS
from trente_rules.core.shoe import CARDS_IN_PACK
from trente_rules.core.stakes import Line
from trente_rules.table.coups import CoupFold, SettledCoup, turned
from trente_rules.table.events import (
    BetsOpened,
    Burned,
    CardBurned,
    CardsRetracted,
    CardTurned,
    Event,
    ShoeOpened,
)

LOWEST_HIGH: Final = 8
HIGHEST_LOW: Final = 6
_COUNTS: Final = ("tailles", "coups", "voided", "corrected", "apres", "refaits")
_SHOE_COUNTS: Final = ("packs", "cards_out", "cards_left", "points_out", "low_in", "high_in")
_EACH: Final = 24
"""Low cards, and high cards, in a pack: six ranks of four suits."""


@frozen
class ShoeCount:
    """The cards of one shoe that are out, their points, and the low and the high ones among them.

    Cards that were burned unseen count in ``cards_out`` alone: their ranks are not known.
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
        return ShoeCount(
            self.packs,
            self.cards_out + sign * len(seen),
            self.points_out + sign * sum(card.points for card in seen),
            self.low_out + sign * sum(card.rank <= HIGHEST_LOW for card in seen),
            self.high_out + sign * sum(card.rank >= LOWEST_HIGH for card in seen),
        )


@frozen
class PlayerCount:
    """One player: stakes won, lost and neither, units staked, and the net result.

    A stake in prison counts as the player's until it leaves.
    """

    player: str
    won: int = 0
    lost: int = 0
    neither: int = 0
    staked: int = 0
    net: int = 0

    def with_line(self, line: Line, sign: int = 1) -> PlayerCount:
        """Return the count after a stake is settled; with ``sign`` -1, as if it had not been."""
        placed = line.stake.free and line.verdict != Verdict.CLOSE
        won, lost = bool(line.won), bool(line.forfeited and not line.returned)
        return PlayerCount(
            self.player,
            self.won + sign * won,
            self.lost + sign * lost,
            self.neither + sign * (not won and not lost),
            self.staked + sign * (line.stake.amount if placed else 0),
            self.net + sign * line.player_net,
        )


@frozen
class Statistics:
    """The sums of a table since its session began.

    ``wins`` counts the coups each chance won. ``points`` are the 100 pairs of points, the first
    row's by tens. ``shoe`` is that on the table. A corrected coup counts with its last settlement
    and in ``corrected``, a void one only in ``voided``.
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

    @classmethod
    def of(cls, events: Iterable[Event]) -> Statistics:
        """Count all of these events."""
        live = LiveStatistics()
        for event in events:
            live.feed(event)
        return live.counted

    @property
    def staked(self) -> int:
        """The turnover: the units staked by all players."""
        return sum(player.staked for player in self.players)

    @property
    def bank_net(self) -> int:
        """The bank's net result in units."""
        return -sum(player.net for player in self.players)

    def player(self, name: str) -> PlayerCount:
        """Return the count of a player, empty for one who never staked."""
        counts = {count.player: count for count in self.players}
        return counts.get(name) or PlayerCount(name)

    def with_coup(self, coup: SettledCoup, sign: int = 1) -> Statistics:
        """Return the statistics with a coup, without its stakes; with ``sign`` -1, minus it."""
        counted = evolve(
            self,
            tailles=self.tailles + sign * (coup.end is not None),
            voided=self.voided + sign * bool(coup.void),
            corrected=self.corrected + sign * len(coup.earlier),
        )
        if coup.void or coup.coup is None:
            return counted
        wins = dict(self.wins)
        for chance, verdict in coup.verdicts:
            wins[chance] = wins.get(chance, 0) + sign * (verdict.kind == "win")
        refait = any(verdict.kind == "tie" for _chance, verdict in coup.verdicts)
        first, second = coup.coup.first.point, coup.coup.second.point
        points = list(self.points)
        points[POINTS.index(first) * len(POINTS) + POINTS.index(second)] += sign
        return evolve(
            counted,
            coups=self.coups + sign,
            apres=self.apres + sign * (first == second and not refait),
            refaits=self.refaits + sign * refait,
            wins=tuple(wins.items()),
            points=tuple(points),
        )

    def to_json(self) -> dict[str, Any]:
        """Return all figures as an object."""
        return {
            **{name: getattr(self, name) for name in _COUNTS},
            "wins": dict(self.wins),
            "points": [list(self.points[start : start + 10]) for start in range(0, 100, 10)],
            "staked": self.staked,
            "bank_net": self.bank_net,
            "players": [asdict(count) for count in self.players],
            "shoe": {name: getattr(self.shoe, name) for name in _SHOE_COUNTS},
        }


class LiveStatistics:
    """Statistics that follow a table event by event."""

    def __init__(self, base: Statistics = Statistics()) -> None:
        """Begin with the statistics of an earlier session."""
        self._sums, self._shoe, self._fold = base, base.shoe, CoupFold(remember=False)
        self._players = {count.player: count for count in base.players}
        self._taken: tuple[Card, ...] = ()
        self._number = 0
        self._first: int | None = None

    @property
    def counted(self) -> Statistics:
        """The statistics after the last event."""
        return evolve(self._sums, players=tuple(self._players.values()), shoe=self._shoe)

    def feed(self, event: Event) -> None:
        """Count the next event."""
        match event:
            case CardTurned(card=card) | CardBurned(card=card):
                self._shoe = self._shoe.seeing((card,))
            case CardsRetracted(cards=cards):
                self._shoe = self._shoe.seeing(cards, -1)
            case Burned(count=count, cards=cards):
                seen = self._shoe.seeing(cards)
                self._shoe = evolve(seen, cards_out=self._shoe.cards_out + count)
            case ShoeOpened(packs=packs, shoe=number):
                self._shoe, self._number, self._first = ShoeCount(packs), number, None
            case BetsOpened(coup=coup_number):
                self._first = self._first or coup_number
        taken = turned(event)
        self._taken = self._taken if taken is None else taken
        coup = self._fold.feed(event)
        if coup is not None:
            self._count(coup)

    def _count(self, coup: SettledCoup) -> None:
        old = coup.replaces
        if old is not None:
            self._sums = self._sums.with_coup(old, -1)
            if len(coup.earlier) > len(old.earlier):
                self._exchange(coup)
        self._sums = self._sums.with_coup(coup)
        for sign, line in coup.changes():
            owner = line.stake.owner
            known = self._players.get(owner) or PlayerCount(owner)
            self._players[owner] = known.with_line(line, sign)

    def _exchange(self, coup: SettledCoup) -> None:
        """Count the cards of a corrected coup, if they came out of the shoe on the table."""
        taken, self._taken = self._taken, ()
        here = self._first is not None and coup.number >= self._first
        here = coup.shoe == self._number and here if self._number else True
        if here and coup.coup and not coup.void:
            self._shoe = self._shoe.seeing(taken, -1).seeing(coup.coup.cards)
