"""What the staff need: the dealer's coup, figures of a table for its supervisor, its journal."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from trente_rules.service.past_reading import CoupReading, RowReading


@frozen
class DealerReading:
    """What the dealer's page needs besides the view: the coup so far, and what comes next.

    ``next_row`` is the row that the next card belongs to, empty where none is dealt,
    ``next_colour`` its colour, ``total`` what it counts now. ``allowed`` are the commands that can
    be given now. ``said`` are the calls of the coup, each in the language of the house and the one
    asked for.
    ``waiting`` counts the choices that players have not made. ``staked`` are the free units on each
    chance, ``held`` those in prison. ``coups`` are the last ones, which can be corrected.
    """

    first: RowReading
    second: RowReading
    next_row: str
    next_colour: str
    total: int
    left: int | None
    marker: int | None
    marker_shown: bool
    allowed: tuple[str, ...]
    said: tuple[tuple[str, str], ...]
    waiting: int
    staked: dict[str, int]
    held: dict[str, int]
    players: int
    coups: tuple[CoupReading, ...]


@frozen
class LevelReading:
    """The figures of one wager at one amount against the odds; amounts in units, texts as numbers.

    ``chance`` is empty, and ``amount`` 0, for all stakes together.
    """

    chance: str
    insured: bool
    amount: int
    stakes: int
    turnover: int
    net: int
    expected: str
    tolerance: str
    z: str
    alarm: bool


@frozen
class MonitorReading:
    """A table against the odds: all stakes, then each wager at each amount.

    ``corrections`` counts the corrections of the session, ``pending`` the stakes whose end is not
    known yet; those are in no other figure.
    """

    house: str
    fingerprint: str
    deal: str
    coups: int
    alarm_at: str
    alarm: bool
    total: LevelReading
    levels: tuple[LevelReading, ...]
    pending: int
    corrections: int
    voided: int
    bank_net: int


@frozen
class JournalReading:
    """One coup in the journal: its steps as the history of a table writes them, whole.

    ``steps`` are events with the command, the time and who gave it; ``taken_back`` settlements that
    count no more, ``outcome`` the one that does.
    """

    shoe: int
    coup: int
    status: str
    opened_at: str | None
    closed_at: str | None
    dealt_at: str | None
    first: dict[str, Any]
    second: dict[str, Any]
    retracted: tuple[dict[str, Any], ...]
    dealt: str | None
    verdicts: dict[str, str] | None
    outcome: dict[str, Any] | None
    taken_back: tuple[dict[str, Any], ...]
    steps: tuple[dict[str, Any], ...] = field(repr=False)
