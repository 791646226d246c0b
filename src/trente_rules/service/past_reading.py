"""The coups that were dealt, as a viewer may see them: the list, one to replay, the score card."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from trente_rules.table.wire import Stamped


@frozen
class RowReading:
    """One row of a coup: its colour, its cards in order, its point, None where not complete."""

    colour: Literal["noir", "rouge"]
    cards: tuple[str, ...]
    point: int | None


@frozen
class LineReading:
    """What happened to one stake of the viewer; amounts in units.

    ``state`` is that of the stake before, ``after`` the one it stays in, empty where it left.
    ``text`` says all that in one line. ``net`` counts a stake that stays as the player's.
    """

    stake: str
    player: str
    chance: str
    amount: int
    state: str
    insured: bool
    verdict: str
    course: str
    returned: int
    won: int
    lost: int
    staying: int
    premium: int
    after: str
    net: int
    text: str


@frozen
class CoupReading:
    """One coup: its rows, verdicts, what it is called, and the viewer's own lines.

    ``status`` is how far it went. ``winners`` are the simple chances that won, ``tie`` says which
    kind of tie it was. ``outcome`` is the result in words. ``net`` is the viewer's, None before the
    coup is settled and where it is void. ``void`` and ``reason`` (of a correction) are in words, as
    far as the viewer may see them. ``corrected`` counts corrections.
    """

    shoe: int
    coup: int
    status: Literal["betting", "closed", "dealing", "dealt", "settled", "void"]
    first: RowReading
    second: RowReading
    verdicts: dict[str, str]
    winners: tuple[str, ...]
    tie: Literal["", "apres", "refait"]
    outcome: str
    lines: tuple[LineReading, ...]
    net: int | None
    void: str
    corrected: int
    reason: str
    last: bool


@frozen
class ReplayReading:
    """One coup with its events, as the viewer saw them, from the opening of its bets.

    ``said`` gives the index of each announcement with its text in the language of the house and in
    the one asked for, as in the message of an entry.
    """

    coup: CoupReading
    events: tuple[Stamped, ...]
    said: dict[str, tuple[str, str]] = field(factory=dict)


@frozen
class CardRow:
    """One line of the score card: a mark for each column, ``points`` in the order of the deal."""

    coup: int
    marks: tuple[Literal["win", "", "refait", "unknown"], ...]
    tie: Literal["", "apres", "refait"]
    points: tuple[int, ...]


@frozen
class CardReading:
    """The score card of the taille, as players keep it.

    ``columns`` are the chances of the columns, in pairs, ``letters`` the heads over them.
    """

    shoe: int
    columns: tuple[str, ...]
    letters: tuple[str, ...]
    rows: tuple[CardRow, ...]
