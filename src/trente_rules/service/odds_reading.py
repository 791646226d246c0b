"""The odds of the next coup, from the cards that everybody has seen, as a page shows them."""

from __future__ import annotations

from attrs import frozen


@frozen
class PartText:
    """A part of one: ``value`` as a decimal, ``text`` in per cent, as the language writes it."""

    value: str
    text: str


@frozen
class ChanceOdds:
    """The odds of one chance, and the bank's edge at the player's best play, in parts of the stake.

    ``insured`` is the edge with insurance, None where there is none; ``gain`` what insurance saves,
    its premium paid; ``of_premium`` the same in parts of the rate. ``insure`` is whether it is
    worth its premium now.
    """

    chance: str
    name: str
    win: PartText
    lose: PartText
    apres: PartText
    refait: PartText
    edge: PartText
    insured: PartText | None
    gain: PartText | None
    of_premium: PartText | None
    insure: bool | None


@frozen
class OddsReading:
    """The odds of the next coup: ``cards`` are those not seen yet, burned ones among them.

    ``error`` is by how much a figure may be off. ``edge_holds`` and ``insured_holds`` say for which
    stakes the edges hold exactly, empty where for all.
    """

    cards: int
    error: str
    chances: tuple[ChanceOdds, ...]
    edge_holds: str
    insured_holds: str
