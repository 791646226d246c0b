"""The order in which a coup is settled on the cloth: losers first, then who is paid when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol, TypeVar

from attrs import frozen

from trente_rules.core.chances import ChanceId
from trente_rules.core.keys import key
from trente_rules.core.stakes import Line

From = Literal["nearest", "farthest", "left", "right"]


_SIDES: Final[dict[From, From]] = {
    "nearest": "left",
    "farthest": "right",
    "left": "left",
    "right": "right",
}


class Collected(Protocol):
    """A stake that is settled: its line, or what a record has of it."""

    @property
    def forfeited(self) -> int:
        """The part that the bank keeps."""

    @property
    def returned(self) -> int:
        """The part that its owner takes back."""


Each = TypeVar("Each", bound=Collected)


@frozen
class PayOrder:
    """The [settlement] table.

    Stakes on one chance are counted in the order they lie: from the nearest, or from the left. By
    position, all are counted from the left by their positions; those without one lie to the right
    of the others, as they were placed.
    """

    order: Literal["losers-first", "as-placed", "by-position"] = key(
        "losers-first",
        "`losers-first`: losing stakes are taken before winners are paid, chance by chance "
        "(France, Spain); `by-position`: losers first too, but winners are paid as they lie on the "
        "cloth, whatever their chance (an Italian house); `as-placed`: in the order they were "
        "placed.",
    )
    pay: tuple[ChanceId, ...] = key(
        (),
        "The order in which chances are paid (France: inverse, noir or rouge, couleur); chances "
        "that are not named follow in the order of [deal] chances.",
    )
    collect_from: From = key(
        "nearest",
        "The end of the table at which losing stakes are collected first (an Italian house: "
        "right).",
    )
    pay_from: From = key(
        "nearest",
        "The end of the table at which winners are paid first (France, Spain: farthest; an "
        "Italian house: left).",
    )

    @property
    def ends(self) -> tuple[From, From]:
        """Where taking and paying begin; by position, the nearest stake is the leftmost."""
        if self.order != "by-position":
            return self.collect_from, self.pay_from
        return _SIDES[self.collect_from], _SIDES[self.pay_from]

    def settled(self, lines: Sequence[Line], ranks: Mapping[str, int]) -> tuple[Line, ...]:
        """Return lines in the order they are settled, from the order in which stakes lie.

        ``ranks`` is the place of each chance in the order of payment.
        """
        if self.order == "as-placed":
            return tuple(lines)
        if self.order == "by-position":
            lost, kept = self._parted(sorted(lines, key=_place))
            return (*lost, *kept)
        lost, kept = self._parted(lines)
        kept.sort(key=lambda line: ranks[line.stake.chance])
        return (*lost, *kept)

    def lying(self, lines: Sequence[Each]) -> tuple[Each, ...]:
        """Return lines in an order that ``settled`` makes this one of: how stakes lay on the cloth.

        Stakes on one chance, and losers, lie as they lay. Payment by rank leaves no trace of how
        stakes on different chances lay to each other, and payment by position none of when they
        were placed.
        """
        if self.order == "as-placed":
            return tuple(lines)
        lost, kept = self._parted(lines)
        return (*lost, *kept)

    def _parted(self, lines: Sequence[Each]) -> tuple[list[Each], list[Each]]:
        """Return the lines of losers and the others, each turned round where it goes backwards."""
        lost: list[Each] = []
        kept: list[Each] = []
        for line in lines:
            (lost if line.forfeited and not line.returned else kept).append(line)
        if self.collect_from in ("farthest", "right"):
            lost.reverse()
        if self.pay_from in ("farthest", "right"):
            kept.reverse()
        return lost, kept


def _place(line: Line) -> tuple[bool, int]:
    """Return the place of a stake on the cloth from the left; without a position it is last."""
    position = line.stake.position
    return (position is None, position or 0)
