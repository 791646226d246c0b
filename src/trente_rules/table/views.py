"""Views: what a player, the public and the dealer may see; and which command is whose.

The events of a table hold the stakes, choices and results of all players. What leaves the host goes
through ``view``. A player sees the table and their own stakes, the public no player at all, the
dealer the stakes and choices of all and nobody's account. What a viewer may not see is left out, or
None where the rest of the value may be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from types import MappingProxyType
from typing import Any, Final, TypeVar, overload

from attrs import evolve, frozen
from cattrs import Converter

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.shoe import LiveShoe
from trente_rules.core.stakes import Choice, Line, Stake
from trente_rules.table import commands, events
from trente_rules.table.codec import (
    SCHEMA,
    Posted,
    converter,
    event_from_json,
    event_to_json,
    schema_of,
    structure,
)
from trente_rules.table.commands import Command
from trente_rules.table.coups import NOT_SHOWN
from trente_rules.table.decide import allowed
from trente_rules.table.entries import Entry
from trente_rules.table.events import VOIDED_BY_TABLE, ChoiceOffered, Event
from trente_rules.table.movements import Movement
from trente_rules.table.rounds import Round
from trente_rules.table.settle import offers
from trente_rules.table.state import Phase, TableState
from trente_rules.table.wire import Cause, Stamped, stamped


class Audience(Enum):
    """Who looks at a table, other than a player: the public, or the dealer.

    It is not text, so that a player whose name is "dealer" sees no more than any other.
    """

    PUBLIC = "public"
    DEALER = "dealer"


Viewer = str | Audience
"""A player, by the name that is in their stakes, or an audience."""


# Which command is whose

PLAYER_COMMANDS: Final[tuple[type[Command], ...]] = (
    commands.Place,
    commands.Slip,
    commands.Increase,
    commands.Insure,
    commands.Withdraw,
    commands.MovePrisoner,
    commands.Choose,
)
"""What a player may give: for their own stakes."""
DEALER_COMMANDS: Final[tuple[type[Command], ...]] = (
    commands.Cut,
    commands.Burn,
    commands.PlaceMarker,
    commands.OpenBets,
    commands.CloseBets,
    commands.Deal,
    commands.Turn,
    commands.Retract,
    commands.Expose,
    commands.ShowMarker,
    commands.Settle,
    commands.VoidCoup,
    commands.Correct,
    commands.EndShoe,
    commands.Announce,
)
"""What is given at the table, by the croupier or a supervisor."""
HOST_COMMANDS: Final[tuple[type[Command], ...]] = (
    commands.OpenShoe,
    commands.Post,
    commands.BuyIn,
    commands.CashOut,
    commands.CloseSession,
)
"""What the host alone gives: the order of a shoe, limits, money, the end of the session."""


def may_give(command: Command, *, by: Viewer) -> bool:
    """Return whether somebody may give a command.

    A player may give the commands of players that name them: one that names nobody would reach the
    stakes of others, so a host fills ``player`` in itself. The dealer may give the commands of the
    dealer, the public none.
    """
    if not isinstance(command, commands_of(by)):
        return False
    return isinstance(by, Audience) or command.owner == by


def commands_of(viewer: Viewer) -> tuple[type[Command], ...]:
    """Return the commands that a player, the dealer, or the public may give.

    Raises ``TrenteError`` ("bad-viewer") for a viewer that is neither a player nor an audience.
    """
    if isinstance(_checked(viewer), Audience):
        return DEALER_COMMANDS if viewer is Audience.DEALER else ()
    return PLAYER_COMMANDS


# Events

Rule = Callable[[Any, Viewer], Event | None]


def _sees(viewer: Viewer, owner: str) -> bool:
    """Return whether a viewer sees the stakes of a player."""
    return viewer == owner or viewer is Audience.DEALER


def _own(viewer: Viewer, owner: str) -> bool:
    """Return whether an account is the viewer's; the dealer has none."""
    return viewer == owner


def _to_all(event: Event, _viewer: Viewer) -> Event:
    return event


def _of_stake(event: Any, viewer: Viewer) -> Event | None:
    return event if _sees(viewer, event.stake.owner) else None


def _of_choice(event: Any, viewer: Viewer) -> Event | None:
    return event if _sees(viewer, event.owner) else None


def _of_line(event: events.StakeSettled, viewer: Viewer) -> Event | None:
    return event if _sees(viewer, event.line.stake.owner) else None


def _of_purse(event: events.BoughtIn | events.CashedOut, viewer: Viewer) -> Event | None:
    return event if _own(viewer, event.player) else None


def _lines(lines: Iterable[Line], viewer: Viewer) -> tuple[Line, ...]:
    return tuple(line for line in lines if _sees(viewer, line.stake.owner))


def _reason(reason: str | None, viewer: Viewer) -> str | None:
    """Return a reason: that of the table itself to all; words of the staff may name a player."""
    return reason if viewer is Audience.DEALER or reason in VOIDED_BY_TABLE else None


def _settled(event: events.CoupSettled, _viewer: Viewer) -> Event:
    return evolve(event, players_net=None, bank_net=None)


def _voided(event: events.CoupVoided, viewer: Viewer) -> Event:
    lines = _lines(event.lines, viewer)
    return evolve(event, reason=_reason(event.reason, viewer), lines=lines)


def _retracted(event: events.CardsRetracted, viewer: Viewer) -> Event:
    return evolve(event, reason=_reason(event.reason, viewer))


def _corrected(event: events.CoupCorrected, viewer: Viewer) -> Event:
    return evolve(
        event,
        reason=_reason(event.reason, viewer),
        reversed=_lines(event.reversed, viewer),
        void=event.void and (_reason(event.void, viewer) or NOT_SHOWN),
    )


def _of_corrected(
    event: events.LineCorrected | events.StakeCorrected, viewer: Viewer
) -> Event | None:
    if isinstance(event, events.StakeCorrected):
        stake = event.now or event.was
    else:
        line = event.line or event.was
        stake = line.stake if line else None
    return event if stake is not None and _sees(viewer, stake.owner) else None


def _closed(event: events.SessionClosed, viewer: Viewer) -> Event:
    players = tuple(each for each in event.players if _own(viewer, each[0]))
    return evolve(event, players=players, bank=None)


RULES: Final[Mapping[type[Event], Rule]] = MappingProxyType(
    {
        events.ShoeOpened: _to_all,
        events.CutMade: _to_all,
        events.Burned: _to_all,
        events.MarkerPlaced: _to_all,
        events.BetsOpened: _to_all,
        events.StakePlaced: _of_stake,
        events.StakeIncreased: _of_stake,
        events.StakeInsured: _of_stake,
        events.StakeWithdrawn: _of_stake,
        events.PrisonerMoved: _of_stake,
        events.BetsClosed: _to_all,
        events.CardTurned: _to_all,
        events.CardBurned: _to_all,
        events.CardsRetracted: _retracted,
        events.MarkerShown: _to_all,
        events.CoupDealt: _to_all,
        events.ChoiceOffered: _of_stake,
        events.ChoiceMade: _of_choice,
        events.ChoiceDropped: _of_choice,
        events.StakeSettled: _of_line,
        events.CoupSettled: _settled,
        events.CoupVoided: _voided,
        events.CoupCorrected: _corrected,
        events.LineCorrected: _of_corrected,
        events.StakeCorrected: _of_corrected,
        events.OpeningPosted: _to_all,
        events.BoughtIn: _of_purse,
        events.CashedOut: _of_purse,
        events.ShoeEnded: _to_all,
        events.Announced: _to_all,
        events.SessionClosed: _closed,
    }
)
"""What a viewer sees of each event. One that is not here is seen by nobody."""


def event_view(event: Event, *, for_: Viewer) -> Event | None:
    """Return what a viewer may see of an event, None where that is nothing.

    Raises ``TrenteError`` ("bad-viewer") for a viewer that is neither a player nor an audience.
    """
    return _seen(event, _checked(for_))


def _seen(event: Event, viewer: Viewer) -> Event | None:
    rule = RULES.get(type(event))
    return rule(event, viewer) if rule else None


def _checked(viewer: Viewer) -> Viewer:
    if isinstance(viewer, Audience) or (type(viewer) is str and viewer):
        return viewer
    hint = "name a player, or pass Audience.PUBLIC or Audience.DEALER"
    raise TrenteError(f"a table has no viewer {shown(viewer)}", "bad-viewer", hint)


@frozen
class EntryView:
    """The part of an entry that a viewer may see: events, and movements of own money.

    Each event has its stamp: where one is left out, its index in the session is. Of the command
    that caused them only its player knows, and the dealer.
    """

    sequence: int
    round: Round
    events: tuple[Stamped, ...]
    movements: tuple[Movement, ...]
    repeated: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the view as an object of JSON."""
        return {"schema": SCHEMA, **_converter().unstructure(self)}

    @classmethod
    def of_json(cls, value: Mapping[str, Any]) -> EntryView:
        """Read what ``to_json`` wrote; ``RecordError`` ("bad-view", "unknown-schema")."""
        read: EntryView = _read(value, cls)
        return read


def _read(value: object, cls: type) -> Any:
    table = dict(value) if isinstance(value, Mapping) else value
    return structure(table, cls, "view", schema_of(table, "view"), _converter())


@cache
def _converter() -> Converter:
    """Return the converter of views: that of all values of a table, which knows stamped events."""
    made = converter().copy()
    made.register_unstructure_hook(Stamped, Stamped.to_json)
    made.register_structure_hook(Stamped, lambda value, _kind: Stamped.of_json(value))
    made.register_unstructure_hook(Phase, lambda phase: phase.value)
    made.register_unstructure_hook(ChoiceOffered, event_to_json)
    made.register_structure_hook(ChoiceOffered, lambda value, _kind: event_from_json(value))
    return made


E = TypeVar("E", Event, Stamped)


@overload
def view(told: Entry, *, for_: Viewer) -> EntryView: ...
@overload
def view(told: Iterable[E], *, for_: Viewer) -> tuple[E, ...]: ...
def view(told: Entry | Iterable[Any], *, for_: Viewer) -> EntryView | tuple[Any, ...]:
    """Return what a viewer may see of events, stamped or not, in their order, or of an entry.

    An event that only its owner may see is left out for others; what the viewer may not see of an
    event is None. Of an entry it shows neither the command nor anybody else's movements. Raises
    ``TrenteError`` ("bad-viewer") for a viewer that is neither a player nor an audience.
    """
    viewer = _checked(for_)
    if not isinstance(told, Entry):
        return tuple(_each(told, viewer))
    moved = tuple(movement for movement in told.movements if _own(viewer, movement.player))
    events = tuple(_each(stamped(told), viewer))
    return EntryView(told.sequence, told.round, events, moved, told.repeated)


def _each(told: Iterable[Any], viewer: Viewer) -> Iterator[Any]:
    for each in told:
        event = _seen(each.event if isinstance(each, Stamped) else each, viewer)
        if event is None:
            continue
        if isinstance(each, Stamped):
            stamp = evolve(each.stamp, cause=_cause(each.stamp.cause, viewer))
            yield evolve(each, stamp=stamp, event=event)
        else:
            yield event


def _cause(cause: Cause, viewer: Viewer) -> Cause:
    """Return the command that caused an event: whole to the dealer, by its id to its player."""
    if viewer is Audience.DEALER:
        return cause
    return Cause(cause.command, cause.player) if _own(viewer, cause.player) else Cause("")


# The state


@frozen
class TableView:
    """The part of a table that a viewer may see now, such as a client that connects again.

    ``cards`` are those of the coup so far, ``first_cards`` how many of them make the first row once
    it is complete, ``verdicts`` the results of the coup once it is dealt. ``left`` is the number of
    cards still in the shoe, None without a shoe; ``live`` is whether its cards come one by
    one. ``stakes``, ``choices`` and ``offers`` are those that the viewer sees, ``account`` and
    ``purse`` are their own, in units: None for an audience, and ``purse`` also at a table without
    purses. ``allowed`` are the kinds of command that the viewer may give now. ``events`` counts
    those of the session so far: the next one has this index.
    """

    table: str
    round: Round
    phase: Phase
    events: int
    opening: Posted
    live: bool
    left: int | None
    first_row: str
    cards: tuple[Card, ...]
    first_cards: int
    marker_shown: bool
    verdicts: tuple[tuple[str, Verdict], ...]
    stakes: tuple[Stake, ...]
    choices: tuple[Choice, ...]
    offers: tuple[ChoiceOffered, ...]
    account: int | None
    purse: int | None
    allowed: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the view as an object of JSON."""
        return {"schema": SCHEMA, **_converter().unstructure(self)}

    @classmethod
    def of_json(cls, value: Mapping[str, Any]) -> TableView:
        """Read what ``to_json`` wrote; ``RecordError`` ("bad-view", "unknown-schema")."""
        read: TableView = _read(value, cls)
        return read


def view_of(state: TableState, *, for_: Viewer) -> TableView:
    """Return what a viewer may see of a table now; never a card to come.

    Raises ``TrenteError`` ("bad-viewer") for a viewer that is neither a player nor an audience.
    """
    viewer, shoe = _checked(for_), state.shoe
    player = viewer if isinstance(viewer, str) else None
    stakes = _stakes(state, viewer)
    ids = {stake.id for stake in stakes}
    given = {command.kind for command in commands_of(viewer)}
    return TableView(
        table=state.setup.table,
        round=state.round,
        phase=state.phase,
        events=state.events,
        opening=state.opening,
        live=isinstance(shoe, LiveShoe),
        left=shoe.left if shoe else None,
        first_row=state.first_row,
        cards=state.cards,
        first_cards=state.first_cards,
        marker_shown=state.marker_shown,
        verdicts=state.voice.verdicts(state.coup) if state.coup else (),
        stakes=stakes,
        choices=tuple(choice for choice in state.choices if choice.stake in ids),
        offers=tuple(offers(state, state.coup, stakes)) if state.coup else (),
        account=None if player is None else state.accounts.get(player, 0),
        purse=state.purse(player) if player is not None and state.setup.purses else None,
        allowed=tuple(kind for kind in allowed(state) if kind in given),
    )


def _stakes(state: TableState, viewer: Viewer) -> tuple[Stake, ...]:
    """Return the stakes that a viewer sees: of a player they are found without the others."""
    if isinstance(viewer, Audience):
        return state.stakes if viewer is Audience.DEALER else ()
    return state.cloth.of_owner(viewer)
