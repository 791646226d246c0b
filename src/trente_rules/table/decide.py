"""``decide``: a state and a command in, the next state, events and movements of money out. Pure.

There is one writer, which holds the state. A command that is refused raises, and changes nothing.
One table, ``_ALLOWED``, lists the phases and the function of every command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from attrs import evolve

from trente_rules.core.cards import Card
from trente_rules.core.errors import CardError, PhaseError, shown
from trente_rules.core.shoe import Shoe
from trente_rules.table import bets as betting
from trente_rules.table import commands, corrections, purses
from trente_rules.table import deal as dealing
from trente_rules.table import settle as settling
from trente_rules.table import shoe as shoes
from trente_rules.table.codec import check
from trente_rules.table.commands import Announce, Command, ShowMarker
from trente_rules.table.events import Event
from trente_rules.table.movements import Movement, movements_of
from trente_rules.table.past import NO_PAST, Past
from trente_rules.table.placing import place_alone
from trente_rules.table.shoe import Decided
from trente_rules.table.state import (
    BEFORE_LAST_CARD,
    BETS,
    COUP,
    DEALT_OUT,
    PREPARING,
    Phase,
    TableState,
    moved,
)

_OPEN: Final = tuple(phase for phase in Phase if phase is not Phase.ENDED)


class Decision(NamedTuple):
    """The result of a command: the next state, its events, and the money that it moved."""

    state: TableState
    events: tuple[Event, ...]
    movements: tuple[Movement, ...]


def announce(state: TableState, command: Announce) -> Decided:
    """Say a phrase; ``RuleError`` where the house does not have it, or it needs values."""
    events = state.voice.say(command.phrase)
    return state.after(events), events


def _correct(state: TableState, command: commands.Correct, past: Past) -> corrections.Corrected:
    """Correct the coup that is on, where its cards come out, or one that is over.

    Raises ``CardError`` ("no-cards") for a list without a card, and what the correction raises.
    """
    if command.cards is not None and not command.cards:
        hint = "give all cards of the coup as they were, or leave them out where they were right"
        raise CardError("the list of the cards is empty", "no-cards", hint)
    if state.phase in DEALT_OUT and command.target in (None, state.round):
        new, events = dealing.correct_open(state, command)
        return new, events, movements_of(state.round, command.key, events)
    return corrections.correct(state, command, past)


Handler = Callable[..., Any]
"""State and command to state and events; a correction also takes the past, and makes movements."""

_ALLOWED: Final[Mapping[type[Command], tuple[tuple[Phase, ...], Handler]]] = MappingProxyType(
    {
        commands.OpenShoe: ((Phase.NO_SHOE,), shoes.open_shoe),
        commands.Cut: ((Phase.CUT,), shoes.cut),
        commands.Burn: ((Phase.BURN,), shoes.burn),
        commands.PlaceMarker: ((Phase.MARK,), shoes.place_marker),
        commands.OpenBets: ((Phase.READY, Phase.DEALT), dealing.open_bets),
        commands.Place: (BETS, betting.place),
        commands.Increase: (BETS, betting.increase),
        commands.Insure: (BETS, betting.insure),
        commands.Slip: (BETS, betting.place_slip),
        commands.Withdraw: ((Phase.BETTING,), betting.withdraw),
        commands.MovePrisoner: ((Phase.BETTING,), betting.move_prisoner),
        commands.CloseBets: ((Phase.BETTING,), dealing.close_bets),
        commands.Deal: ((Phase.CLOSED, Phase.DEALING), dealing.deal),
        commands.Turn: ((Phase.CLOSED, Phase.DEALING), dealing.turn),
        commands.Retract: (COUP, dealing.retract),
        commands.Expose: (BEFORE_LAST_CARD, dealing.expose),
        commands.ShowMarker: ((Phase.READY, *BEFORE_LAST_CARD), dealing.show_marker),
        commands.Choose: (COUP, settling.choose),
        commands.Settle: ((Phase.DEALT,), settling.settle_coup),
        commands.VoidCoup: ((*PREPARING, *COUP), settling.void),
        commands.Correct: (tuple(Phase), _correct),
        commands.EndShoe: ((Phase.READY,), shoes.end_shoe),
        commands.Post: ((Phase.NO_SHOE, Phase.READY), betting.post),
        commands.BuyIn: (tuple(Phase), purses.buy_in),
        commands.CashOut: (tuple(Phase), purses.cash_out),
        commands.Announce: (_OPEN, announce),
        commands.CloseSession: (
            (Phase.NO_SHOE, *PREPARING, Phase.READY, Phase.BETTING),
            settling.close,
        ),
    }
)
_LATE: Final = frozenset((commands.Place, commands.Slip, commands.Increase, commands.Insure))
_LEFT_OUT: Final = frozenset(
    (commands.CloseSession, commands.VoidCoup, commands.Expose, ShowMarker, commands.EndShoe)
)
"""The commands that ``_left_out`` may name: no other has to be looked up there."""


def decide(state: TableState, command: Command, past: Past = NO_PAST) -> Decision:
    """Return the next state, the events, and the movements of money.

    ``past`` is what a correction needs: see ``past_of``.

    Raises ``PhaseError`` ("not-now", "too-late", "no-such-command") where the command cannot be
    done now, ("other-coup") where it is meant for another coup than the one that is on,
    ``BetError`` ("bad-value") where a field of it is of another type, and ``BetError``,
    ``CardError`` or ``RuleError`` as the command says.
    """
    rule = _ALLOWED.get(type(command))
    if rule is None:
        what = f"{shown(command)} is not a command of a table"
        hint = f"commands: {', '.join(each.__name__ for each in _ALLOWED)}"
        raise PhaseError(what, "no-such-command", hint, state.phase)
    check(command)
    phases, handler = rule
    kind = type(command)
    if type(command) is commands.Place:  # nearly every command: most need no closer look
        placed = place_alone(state, command)
        if placed is not None:
            return Decision(*placed)
    if command.round is not None and command.round != state.round:
        raise _other_coup_error(state, command)
    late = kind in _LATE and _too_late(state)
    if state.phase not in phases or late or (kind in _LEFT_OUT and kind in _left_out(state)):
        raise _phase_error(state, command)
    try:
        if kind is commands.Correct:
            new, events, movements = handler(state, command, past)
        else:
            new, events = handler(state, command)
            movements = movements_of(state.round, command.key, events)
    except BaseException as error:
        state.house.blame(error)
        raise
    return Decision(moved(new, movements), events, movements)


def _other_coup_error(state: TableState, command: Command) -> PhaseError:
    now, meant = state.round, command.round
    what = f"{command.kind} {command.id!r} is meant for coup {meant}, not for the one that is on"
    return PhaseError(what, "other-coup", f"the round is now {now}", state.phase, allowed(state))


def without_card(state: TableState, command: Command) -> Command:
    """Return a command without the card it names, if that is one to come in a known order.

    A question is decided by it: whatever card is named, the reply is the same.
    """
    if not isinstance(state.shoe, Shoe):
        return command
    if isinstance(command, commands.Turn | commands.Expose) and isinstance(command.card, Card):
        return evolve(command, card=None)
    at_cut = state.setup.house.deal.first_row == "cut"
    if at_cut and isinstance(command, commands.Cut) and isinstance(command.card, Card):
        return evolve(command, card=None)
    return command


def card_secret_error(state: TableState, command: Command) -> PhaseError:
    """Return the error of a question that names a card to come, whatever the card is."""
    what = f"{command.kind} {command.id!r} names a card, and no card is known before it is out"
    hint = "leave the card out: the order of this shoe is known"
    return PhaseError(what, "card-secret", hint, state.phase, allowed(state))


def allowed(state: TableState) -> tuple[str, ...]:
    """Return the kinds of command that can be done now, in the order of a session."""
    left_out: set[type[Command]] = {*_left_out(state), *(_LATE if _too_late(state) else ())}
    left_out.add(ShowMarker if isinstance(state.shoe, Shoe) else commands.Deal)
    if state.house.shoe.marker is None or state.marker_shown:
        left_out.add(ShowMarker)
    if isinstance(state.shoe, Shoe) or not (state.cards or state.exposed):
        left_out.add(commands.Retract)
    settled = state.coup_number > state.in_coup or state.shoe_number > 1
    if not settled and state.phase not in DEALT_OUT:
        left_out.add(commands.Correct)
    if not state.house.limits_table.prisoners_move:
        left_out.add(commands.MovePrisoner)
    if state.house.insurance_table is None:
        left_out.add(commands.Insure)
    if not state.setup.purses:
        left_out |= {commands.BuyIn, commands.CashOut}
    return tuple(
        each.kind
        for each, (phases, _handler) in _ALLOWED.items()
        if state.phase in phases and each not in left_out
    )


def _left_out(state: TableState) -> tuple[type[Command], ...]:
    """Return the commands that cannot be done with this shoe, whose phase would allow them."""
    if state.phase in PREPARING:
        if state.in_coup and state.phase is Phase.CUT:
            return (commands.CloseSession,)
        return commands.VoidCoup, *((commands.CloseSession,) if state.in_coup else ())
    if state.uncut:  # no card can be turned before the cut
        return commands.Expose, ShowMarker
    return (commands.EndShoe,) if state.house.shoe.every_coup else ()


def _too_late(state: TableState) -> bool:
    """Return whether the bets of the coup are closed for good."""
    if state.phase is Phase.BETTING:
        return False
    if state.phase is Phase.CLOSED:
        return not state.house.limits_table.late_bets
    return state.in_coup


def _phase_error(state: TableState, command: Command) -> PhaseError:
    can, code, why = allowed(state), "not-now", "cannot be done now"
    if type(command) in _LATE and _too_late(state):
        code, why = "too-late", "is too late: rien ne va plus"
    what = f"{command.kind} {command.id!r} {why}: the table is {_WORDS[state.phase]}"
    return PhaseError(what, code, f"now: {', '.join(can) or 'nothing'}", state.phase, can)


_WORDS: Final = {
    Phase.NO_SHOE: "without a shoe",
    Phase.CUT: "waiting for the cut",
    Phase.BURN: "waiting for the burn",
    Phase.MARK: "waiting for the marker",
    Phase.READY: "between two coups",
    Phase.BETTING: "open for bets",
    Phase.CLOSED: "closed for bets",
    Phase.DEALING: "dealing",
    Phase.DEALT: "waiting for the settlement",
    Phase.ENDED: "closed",
}
