"""Movements of money: what each event moves between a player and the table, and for which round.

A movement is of one stake of one player, its units above zero to the player and below zero from the
player. Its id is made of the session, the command and its place among the movements of that
command: it is known before the command is done and is never used again. Accounts are sums of
movements; a correction only adds movements, and each that takes another back names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from string import ascii_letters, digits
from types import MappingProxyType
from typing import Any, Final, Literal
from urllib.parse import quote

from attrs import fields, frozen

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


@frozen
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


_NEW: Final = object.__new__
_ID, _ROUND, _STAKE, _PLAYER, _UNITS, _REASON, _REVERSES = (
    vars(Movement)[each.name].__set__ for each in fields(Movement)
)


def movement_of(
    id_: str, around: Round, stake: str, player: str, units: int, reason: Reason
) -> Movement:
    """Return ``Movement(id_, around, stake, player, units, reason)`` in two thirds of the time.

    Each stake of each coup makes one to three. They have no dictionary, which the garbage collector
    would have to look at for as long as the movement is kept.
    """
    new: Movement = _NEW(Movement)
    _ID(new, id_)
    _ROUND(new, around)
    _STAKE(new, stake)
    _PLAYER(new, player)
    _UNITS(new, units)
    _REASON(new, reason)
    _REVERSES(new, "")
    return new


Part = tuple[str, str, int, Reason]
"""Stake, player, units and reason of a movement."""


def prefix_of(session: str, key: tuple[str, str]) -> str:
    """Return what the ids of a command's movements begin with; no two commands have the same.

    ``key`` is the player who gave the command, and its id.
    """
    player, command = key
    if _PLAIN.issuperset(command) and _PLAIN.issuperset(player):  # nearly always; quoting is slow
        return f"{session}/{player}/{command}/"
    return f"{quote(session, safe='')}/{quote(player, safe='')}/{quote(command, safe='')}/"


_PLAIN: Final = frozenset(ascii_letters + digits + "_.-~")
"""The characters that quoting leaves as they are."""


def movements_of(
    around: Round, key: tuple[str, str], events: Iterable[Event]
) -> tuple[Movement, ...]:
    """Return the movements that the events of a command make; not those of a correction.

    ``around`` is the round of the command. What is closed at the end of a shoe or of a session
    belongs to no coup.
    """
    moved: list[Movement] = []
    prefix, number = "", 0
    outside: Round | None = None
    for event in events:
        parts_of = _PARTS.get(type(event))
        if parts_of is None:
            continue
        for stake, player, units, reason in parts_of(event):
            prefix = prefix or prefix_of(around.session, key)
            place = around
            if reason == "closed":
                place = outside = outside or Round(around.session, around.shoe, 0)
            moved.append(movement_of(f"{prefix}{number}", place, stake, player, units, reason))
            number += 1
    return tuple(moved)


_CLOSE: Final = Verdict.CLOSE.id


def line_parts(line: Line) -> Sequence[Part]:
    """Return what a line of a settlement moves; what stays on the table moves nothing."""
    returned, premium = line.returned, line.premium_returned
    if not (returned or line.won or premium):  # it is lost, or stays
        return ()
    stake, owner = line.stake.id, line.stake.owner
    closed = line.verdict.id == _CLOSE
    if returned and line.won and not premium and not closed:  # nearly every stake that wins
        return (stake, owner, returned, "returned"), (stake, owner, line.won, "won")
    parts: list[Part] = []
    if returned:
        parts.append((stake, owner, returned, "closed" if closed else "returned"))
    if line.won:
        parts.append((stake, owner, line.won, "won"))
    if premium:
        parts.append((stake, owner, premium, "closed" if closed else "premium-returned"))
    return parts


def void_parts(line: Line) -> Iterator[Part]:
    """Yield what a line of a void coup moves: the free stake, and its premium."""
    for units in (line.returned, line.premium_returned):
        if units:
            yield line.stake.id, line.stake.owner, units, "void"


def _paid(stake: str, player: str, units: int, premium: int) -> Sequence[Part]:
    """Return what is put on the table (above zero), or taken from it, and its premium."""
    parts: list[Part] = []
    if units:
        parts.append((stake, player, -units, "stake" if units > 0 else "withdrawn"))
    if premium:
        parts.append((stake, player, -premium, "premium" if premium > 0 else "premium-withdrawn"))
    return parts


def _placed(event: StakePlaced) -> Sequence[Part]:
    stake = event.stake
    if not event.premium:
        return ((stake.id, stake.owner, -stake.amount, "stake"),)
    return _paid(stake.id, stake.owner, stake.amount, event.premium)


def _increased(event: StakeIncreased) -> Sequence[Part]:
    return _paid(event.stake.id, event.stake.owner, event.added, event.premium)


def _insured(event: StakeInsured) -> Sequence[Part]:
    return _paid(event.stake.id, event.stake.owner, 0, event.premium)


def _withdrawn(event: StakeWithdrawn) -> Sequence[Part]:
    return _paid(event.stake.id, event.stake.owner, -event.taken, -event.premium)


def _settled(event: StakeSettled) -> Sequence[Part]:
    return line_parts(event.line)


def _voided(event: CoupVoided) -> Iterator[Part]:
    for line in event.lines:
        yield from void_parts(line)


def _bought(event: BoughtIn) -> Iterator[Part]:
    yield "", event.player, -event.amount, "bought-in"


def _cashed(event: CashedOut) -> Iterator[Part]:
    yield "", event.player, event.amount, "cashed-out"


_PARTS: Final[Mapping[type[Event], Callable[[Any], Iterable[Part]]]] = MappingProxyType(
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
        what = f"movement {shown(movement.id)} reverses another one, and cannot be reversed itself"
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
