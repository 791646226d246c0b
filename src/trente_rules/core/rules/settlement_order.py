"""The order in which a coup is settled on the cloth: losers first, then who is paid when."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from trente_rules.core.chances import ChanceId
from trente_rules.core.keys import key

From = Literal["nearest", "farthest", "left", "right"]


@frozen
class PayOrder:
    """The [settlement] table.

    Stakes on one chance are told in the order they lie: from the nearest, or from the left.
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

    @property
    def collect_backwards(self) -> bool:
        """Return whether losers are taken against the order in which stakes lie."""
        return self.collect_from in ("farthest", "right")

    @property
    def pay_backwards(self) -> bool:
        """Return whether winners are paid against the order in which stakes lie."""
        return self.pay_from in ("farthest", "right")
