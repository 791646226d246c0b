"""The shoes of a simulation as the engine deals them: any chunk can be played again, coup by coup.

What the kernel counted can so be checked by ``deal_coup``, ``settle`` and ``close_session``.
"""

from __future__ import annotations

from collections.abc import Iterator

from trente_rules.core.cards import PACK
from trente_rules.core.house.house import House
from trente_rules.core.shoe import Shoe
from trente_rules.simulation.arrays import CARD_BITS, cards_of
from trente_rules.simulation.compiled import flat_kernel
from trente_rules.simulation.runner import streams


def shoes_of(house: House, seed: int, chunk: int, count: int) -> Iterator[Shoe]:
    """Return the first shoes of a chunk, cut, burned and marked as the house does.

    Raises ``TrenteError`` ("needs-fast").
    """
    kernel = flat_kernel()
    shoe_stream, marker_stream = streams(seed, chunk)
    rule = house.shoe
    orders = kernel.orders(cards_of(rule.packs), shoe_stream, count)
    low, high = rule.marker.bounds if rule.marker else (0, 0)
    behind = kernel.markers(marker_stream, low, high, count)
    for order, place in zip(orders.tolist(), behind.tolist(), strict=True):
        shoe = Shoe(tuple(PACK[card >> CARD_BITS] for card in order), rule.packs)
        yield rule.prepare(shoe, marker_from_end=place if rule.marker else None)
