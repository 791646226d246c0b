"""The order in which a coup is settled on the cloth: losers first, then who is paid when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from attrs import frozen

from trente_rules.core.chances import ChanceId
from trente_rules.core.keys import key
from trente_rules.core.stakes import Line

From = Literal["nearest", "farthest", "left", "right"]


@frozen
class PayOrder:
    """The [settlement] table.

    Stakes on one chance are counted in the order they lie: from the nearest, or from the left.
    """

    order: Literal["losers-first", "as-placed"] = key(
        "losers-first",
        "Losing stakes are taken before winners are paid (France, Spain, Italy), or stakes are "
        "settled as they were placed.",
    )
    pay: tuple[ChanceId, ...] = key(
        (),
        "The order in which chances are paid (France: inverse, noir or rouge, couleur); chances "
        "that are not named follow in the order of [deal] chances.",
    )
    collect_from: From = key(
        "nearest", "Where the taking of losers begins (an Italian house: right)."
    )
    pay_from: From = key(
        "nearest",
        "Where the paying of winners begins (France, Spain: farthest; an Italian house: left).",
    )

    def settled(self, lines: Sequence[Line], ranks: Mapping[str, int]) -> tuple[Line, ...]:
        """Return lines in the order they are settled, from the order in which stakes lie.

        ``ranks`` is the place of each chance in the order of payment.
        """
        if self.order == "as-placed":
            return tuple(lines)
        lost, kept = self._parted(lines)
        kept.sort(key=lambda line: ranks[line.stake.chance])
        return (*lost, *kept)

    def lying(self, lines: Sequence[Line]) -> tuple[Line, ...]:
        """Return lines in an order that ``settled`` makes this one of: how stakes lay on the cloth.

        Stakes on one chance, and losers, lie as they lay. Payment by rank leaves no trace of how
        stakes on different chances lay to each other.
        """
        if self.order == "as-placed":
            return tuple(lines)
        lost, kept = self._parted(lines)
        return (*lost, *kept)

    def _parted(self, lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
        """Return the lines of losers and the others, each turned round where it goes backwards."""
        lost: list[Line] = []
        kept: list[Line] = []
        for line in lines:
            (lost if line.forfeited and not line.returned else kept).append(line)
        if self.collect_from in ("farthest", "right"):
            lost.reverse()
        if self.pay_from in ("farthest", "right"):
            kept.reverse()
        return lost, kept
