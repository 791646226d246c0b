"""Movements of money: what each event moves between a player and the table, and for which round.

A movement is of one stake of one player, its units above zero to the player and below zero from the
player. Its id is made of the session, the command and its place among the movements of that
command: it is known before the command is done and is never used again. Accounts are sums of
movements; a correction only adds movements, and each that takes another back names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal
from urllib.parse import quote

from attrs import frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.errors import RecordError, shown
from trente_rules.core.stakes import Line
from trente_rules.table.events import (
    BoughtIn,
    CashedOut,
    CoupVoided,
    Event,
    StakeIncreased,
    StakeInsured,
    StakePlaced,
    StakeSettled,
    StakeWithdrawn,
)
from trente_rules.table.rounds import Round

Reason = Literal[
    "stake",
    "premium",
    "withdrawn",
    "premium-withdrawn",
    "returned",
    "won",
    "premium-returned",
    "void",
    "closed",
    "bought-in",
    "cashed-out",
    "reversal",
]
"""Why units move. "closed" is what a stake is given back at the end of a shoe or of a session."""
PURSE: Final = frozenset(("bought-in", "cashed-out"))
"""The reasons that move a purse, and no account: chips bought and cashed at a table with purses."""


@frozen(slots=False)  # one or two are built for every stake of every coup, in half the time
class Movement:
    """Units that move from a player to the table (below zero) or to a player; never zero.

    ``reverses`` is the id of the movement that this one takes back, whole.
    """

    id: str
    round: Round
    stake: str
    player: str
    units: int
    reason: Reason
    reverses: str = ""


Part = tuple[str, str, int, Reason]
"""Stake, player, units and reason of a movement."""


def prefix_of(session: str, key: tuple[str, str]) -> str:
    """Return what the ids of a command's movements begin with; no two commands have the same.

    ``key`` is the player who gave the command, and its id.
    """
    player, command = key
    if command.isalnum() and (not player or player.isalnum()):  # quoting takes longer than the rest
        return f"{session}/{player}/{command}/"
    return f"{quote(session, safe='')}/{quote(player, safe='')}/{quote(command, safe='')}/"


def movements_of(
    around: Round, key: tuple[str, str], events: Iterable[Event]
) -> tuple[Movement, ...]:
    """Return the movements that the events of a command make; not those of a correction.

    ``around`` is the round of the command. What is closed at the end of a shoe or of a session
    belongs to no coup.
    """
    prefix, outside = prefix_of(around.session, key), None
    moved: list[Movement] = []
    for event in events:
        parts = _PARTS.get(type(event))
        if parts is None:
            continue
        for stake, player, units, reason in parts(event):
            place = around
            if reason == "closed":
                place = outside = outside or Round(around.session, around.shoe, 0)
            moved.append(Movement(f"{prefix}{len(moved)}", place, stake, player, units, reason))
    return tuple(moved)


def line_parts(line: Line) -> Iterator[Part]:
    """Yield what a line of a settlement moves; what stays on the table moves nothing."""
    stake, owner = line.stake.id, line.stake.owner
    closed = line.verdict == Verdict.CLOSE
    if line.returned:
        yield stake, owner, line.returned, "closed" if closed else "returned"
    if line.won:
        yield stake, owner, line.won, "won"
    if line.premium_returned:
        yield stake, owner, line.premium_returned, "closed" if closed else "premium-returned"


def void_parts(line: Line) -> Iterator[Part]:
    """Yield what a line of a void coup moves: the free stake, and its premium."""
    for units in (line.returned, line.premium_returned):
        if units:
            yield line.stake.id, line.stake.owner, units, "void"


def _paid(stake: str, player: str, units: int, premium: int) -> Iterator[Part]:
    """Yield what is put on the table (above zero), or taken from it, and its premium."""
    if units:
        yield stake, player, -units, "stake" if units > 0 else "withdrawn"
    if premium:
        yield stake, player, -premium, "premium" if premium > 0 else "premium-withdrawn"


def _placed(event: StakePlaced) -> Iterator[Part]:
    stake = event.stake
    return _paid(stake.id, stake.owner, stake.amount, event.premium)


def _increased(event: StakeIncreased) -> Iterator[Part]:
    return _paid(event.stake.id, event.stake.owner, event.added, event.premium)


def _insured(event: StakeInsured) -> Iterator[Part]:
    return _paid(event.stake.id, event.stake.owner, 0, event.premium)


def _withdrawn(event: StakeWithdrawn) -> Iterator[Part]:
    return _paid(event.stake.id, event.stake.owner, -event.taken, -event.premium)


def _settled(event: StakeSettled) -> Iterator[Part]:
    return line_parts(event.line)


def _voided(event: CoupVoided) -> Iterator[Part]:
    for line in event.lines:
        yield from void_parts(line)


def _bought(event: BoughtIn) -> Iterator[Part]:
    yield "", event.player, -event.amount, "bought-in"


def _cashed(event: CashedOut) -> Iterator[Part]:
    yield "", event.player, event.amount, "cashed-out"


_PARTS: Final[Mapping[type[Event], Callable[[Any], Iterator[Part]]]] = MappingProxyType(
    {
        StakePlaced: _placed,
        StakeIncreased: _increased,
        StakeInsured: _insured,
        StakeWithdrawn: _withdrawn,
        StakeSettled: _settled,
        CoupVoided: _voided,
        BoughtIn: _bought,
        CashedOut: _cashed,
    }
)
"""What each event moves. An event that is not here moves nothing."""


def reversal(movement: Movement, id_: str) -> Movement:
    """Return the movement, with this id, that takes another back, whole.

    Raises ``RecordError`` ("not-reversible") for a movement that is itself a reversal.
    """
    if movement.reverses:
        what = f"movement {shown(movement.id)} takes back another one, and is never taken back"
        raise RecordError(what, "not-reversible", "reverse what was written after it")
    return Movement(
        id_,
        movement.round,
        movement.stake,
        movement.player,
        -movement.units,
        "reversal",
        movement.id,
    )
