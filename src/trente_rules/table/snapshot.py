"""Snapshots: a table as JSON that restores to one which continues exactly as it would have.

The order of the cards is in it, and every prisoner: it is not for players. A snapshot names the
fingerprint of its house and is restored only to a house with the same one. Of the fields of
``TableState`` only ``setup`` is named here: one that is added later takes its
default where an older snapshot does not have it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from typing import Any, Final

from attrs import frozen
from cattrs import AttributeValidationNote, ClassValidationError, Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from trente_rules._version import __version__
from trente_rules.core.cards import Card, parse_cards
from trente_rules.core.converter import from_text, register_tagged, structure_table
from trente_rules.core.errors import RecordError, RuleError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.shoe import LiveShoe, Shoe
from trente_rules.core.stakes import Choice, History, Stake
from trente_rules.fair.card_seal import CardSeal, check_seal
from trente_rules.table import codec, migrations
from trente_rules.table.codec import SCHEMA, Posted
from trente_rules.table.commands import AnyCommand
from trente_rules.table.entries import Entry, Journal
from trente_rules.table.events import (
    AnyEvent,
    CardsRetracted,
    CoupCorrected,
    CoupSettled,
    CoupVoided,
    Event,
    SessionClosed,
)
from trente_rules.table.invariants import faults
from trente_rules.table.movements import Movement, movements_of
from trente_rules.table.past import past_of
from trente_rules.table.rounds import Round
from trente_rules.table.sealed import close_snapshot, open_snapshot, without_shoes
from trente_rules.table.state import Phase, Setup, TableState, check_house
from trente_rules.table.table import Table


@frozen
class _HouseName:
    """The house of a snapshot."""

    name: str
    fingerprint: str


@frozen
class _Entry:
    """An entry as it is written; older schemas had no movements."""

    sequence: int
    round: Round
    command: AnyCommand
    first_event: int
    events: tuple[AnyEvent, ...]
    movements: tuple[Movement, ...] | None = None

    def entry(self) -> Entry:
        """Return the entry."""
        moved = self.movements
        if moved is None:
            moved = movements_of(self.round, self.command.key, self.events)
        return Entry(self.sequence, self.round, self.command, self.first_event, self.events, moved)


@frozen
class _Snapshot:
    """A snapshot; ``entries`` are what the table did at each command of the last shoes."""

    engine: str
    house: _HouseName
    table: str
    opening: Posted
    state: TableState
    entries: tuple[_Entry, ...]
    purses: bool = False
    session: str = ""


def snapshot(table: Table, seal: CardSeal | None = None) -> str:
    """Return a table as JSON text: its state, and what it did in the last shoes.

    With a ``seal`` the cards to come are sealed in it ("bad-key" for anything else).
    """
    check_seal(seal)
    state, house = table.state, table.house
    value = {
        "schema": SCHEMA,
        "engine": __version__,
        "house": {"name": house.name, "fingerprint": house.fingerprint},
        "table": state.setup.table,
        "session": state.setup.session,
        "opening": state.setup.opening.to_json(),
        **({"purses": True} if state.setup.purses else {}),
        "state": converter().unstructure(state),
        "entries": [
            {
                "sequence": entry.sequence,
                "round": str(entry.round),
                "command": codec.command_to_json(entry.command),
                "first_event": entry.first_event,
                "events": [codec.event_to_json(event) for event in entry.events],
                "movements": [converter().unstructure(each) for each in entry.movements],
            }
            for entry in table.entries
        ],
    }
    if seal is not None:
        close_snapshot(value, seal)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def entries_of(text: str) -> tuple[Entry, ...]:
    """Return the entries of a snapshot, the oldest first; ``RecordError`` as ``restore``.

    Sealed cards in them stay so.
    """
    return tuple(each.entry() for each in _read(text, "", entries=True).entries)


def restore(
    text: str,
    house: House,
    *,
    journal: Journal | None = None,
    session: str = "",
    seal: CardSeal | None = None,
) -> Table:
    """Return the table of a snapshot.

    ``session`` names the session where the snapshot, of 0.3.0 or earlier, does not; without it
    the name is made from the text. ``seal`` opens the cards of a snapshot that was sealed.

    Raises ``RecordError``: "not-json", "unknown-schema", "other-house" for a different fingerprint,
    "bad-snapshot" where a value is missing or of another type, or no command leads to such a state;
    "snapshot-sealed" without a key, "wrong-key", "seal-broken"; what the journal raises,
    "journal-in-use" where it holds a table.
    """
    check_house(house)
    check_seal(seal)
    kept = _read(text, session, seal)
    if kept.house.fingerprint != house.fingerprint:
        one, other = (f"{each.name!r} ({each.fingerprint})" for each in (kept.house, house))
        what = f"the snapshot is of house {one}, not of {other}"
        hint = "restore it with the rules it was taken under"
        raise RecordError(what, "other-house", hint, "house")
    setup = Setup(house, kept.table, kept.opening, kept.purses, kept.session)
    read = {} if house.limits_table.reads_history else {"history": History()}
    state = kept.state.replaced(setup=setup, **read)
    wrong = list(faults(state))
    if wrong:
        message = f"no command leads to this state: {'; '.join(wrong[:5])}"
        raise RecordError(message, "bad-snapshot", "", "state")
    entries = {each.key: each for each in (given.entry() for given in kept.entries)}
    if len(entries) < len(kept.entries):
        raise RecordError("two commands have the same id", "bad-snapshot", "", "entries")
    if state.phase is Phase.READY:
        _check_stakes(state, entries.values())
    try:
        return Table(house, state=state, entries=entries.values(), journal=journal)
    except RecordError:  # of the journal
        raise
    except TrenteError as error:
        raise RecordError(f"the snapshot cannot continue: {error}", "bad-snapshot") from None


def _check_stakes(state: TableState, entries: Iterable[Entry]) -> None:
    """Refuse stakes between two coups that are not those the last coup left on the table."""
    coup = past_of(entries, None, state).coup
    if coup is None:
        return
    left = {line.after for line in coup.lines if line.after is not None}
    if left != set(state.stakes):
        what = "the stakes are not those that the last coup left on the table"
        raise RecordError(what, "bad-snapshot", "", "state")


def _read(
    text: str, session: str, seal: CardSeal | None = None, *, entries: bool = False
) -> _Snapshot:
    """Read a snapshot; for its ``entries`` alone no key is needed."""
    value, schema = _value(text, session)
    if entries:
        without_shoes(value)
    else:
        open_snapshot(value, seal)
    kept: _Snapshot = codec.structure(value, _Snapshot, "snapshot", schema, converter())
    for number, entry in enumerate(kept.entries):
        for event in entry.events:
            if _hides(event):
                what = f"a value of the event {event.kind!r} is null: only views hide values"
                raise RecordError(what, "bad-snapshot", "", f"snapshot.entries[{number}].events")
    return kept


def _hides(event: Event) -> bool:
    """Return whether an event lacks a value that a table always writes, and a view may hide."""
    match event:
        case (
            CoupSettled(players_net=None)
            | CoupSettled(bank_net=None)
            | CoupVoided(reason=None)
            | CoupCorrected(reason=None)
            | CardsRetracted(reason=None)
            | SessionClosed(bank=None)
        ):
            return True
    return False


def _value(text: str, session: str) -> tuple[dict[str, Any], int]:
    """Return a snapshot as an object without its schema, in the form of today, and its schema."""
    try:
        value = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordError(f"the snapshot is not JSON: {error}", "not-json") from None
    if not isinstance(value, dict):
        raise RecordError("the snapshot is not an object", "bad-snapshot")
    schema = codec.schema_of(value, "snapshot")
    if schema < SCHEMA:
        value = migrations.snapshot(value, schema, session or session_of(text))
    return value, schema


def migrated(text: str, session: str = "", last: int | None = None) -> str:
    """Return a snapshot that an earlier release wrote in the form of today; another as it is.

    ``session`` names the session, and ``last`` is the sequence number of its last command, where
    the release wrote neither. Raises ``RecordError``: "not-json", "unknown-schema", "bad-snapshot".
    """
    value, schema = _value(text, session)
    if schema >= SCHEMA:
        return text
    entries = value.get("entries")
    if last is not None and isinstance(entries, list):
        for number, entry in enumerate(reversed(entries)):
            entry["sequence"] = last - number
    return json.dumps({"schema": SCHEMA, **value}, ensure_ascii=False, separators=(",", ":"))


def check_form(text: str) -> None:
    """Raise ``RecordError`` ("bad-snapshot") where a value is missing, or of another type."""
    _read(text, "", entries=True)


def session_of(text: str) -> str:
    """Return the name of the session of a snapshot that was written without one."""
    return sha256(text.encode()).hexdigest()[:32]


@cache
def converter() -> Converter:
    """Return the converter of snapshots: that of commands and events, with the state."""
    made = codec.converter().copy()
    made.register_structure_hook(Phase, from_text(Phase))
    # A whole shoe in one text: a third of the size of a list, and read twice as fast.
    made.register_structure_hook_func(_is_cards, from_text(parse_cards))
    made.register_unstructure_hook_func(_is_cards, lambda cards: " ".join(map(str, cards)))
    register_tagged(made, Shoe | LiveShoe | None, {"known": Shoe, "live": LiveShoe}, "shoe")
    # The movements of an entry are left out in older schemas, never null.
    made.register_structure_hook_func(
        lambda kind: bool(kind == tuple[Movement, ...] | None),
        lambda value, _kind: made.structure(value, tuple[Movement, ...]),
    )
    # A snapshot does not hold the setup: it is read as None, and ``restore`` adds the table's. This
    # way the hook is compiled once for all houses; at each call, restoring took twice as long.
    made.register_structure_hook(Setup, lambda _value, _kind: None)
    bets = _listed(made, _PAIRS, lambda parties: History(parties).bets, "bets")
    made.register_structure_hook(
        History, make_dict_structure_fn(History, made, _cattrs_forbid_extra_keys=True, parties=bets)
    )
    made.register_unstructure_hook(History, make_dict_unstructure_fn(History, made, parties=bets))
    lists: dict[str, Any] = {
        "cloth": _listed(made, tuple[Stake, ...], tuple, "stakes"),
        "chosen": _listed(made, tuple[Choice, ...], tuple, "choices"),
        "accounts": _listed(made, _PAIRS, lambda accounts: tuple(accounts.items())),
        "deposits": _listed(made, _PAIRS, lambda deposits: tuple(deposits.items())),
    }
    read = make_dict_structure_fn(TableState, made, _cattrs_forbid_extra_keys=True, **lists)

    def state(value: Any, kind: Any) -> TableState:
        if "setup" in structure_table(value):
            raise RuleError("unknown key 'setup'", "unknown-key", "", "setup")
        try:
            return read({**value, "setup": None}, kind)
        except ClassValidationError as error:
            for each in error.exceptions:  # a place is named as it is written
                for note in vars(each).get("__notes__", ()):
                    if isinstance(note, AttributeValidationNote):
                        note.name = _WRITTEN.get(note.name, note.name)
            raise

    made.register_structure_hook(TableState, state)
    made.register_unstructure_hook(
        TableState, make_dict_unstructure_fn(TableState, made, setup=override(omit=True), **lists)
    )
    return made


def _listed(
    made: Converter, kind: Any, items: Callable[[Any], Any], name: str | None = None
) -> Any:
    """Return how a field is a list in JSON, of what ``items`` gives for its value."""

    def read(value: Any, _kind: Any) -> Any:
        found = made.structure(value, kind)
        if kind == _PAIRS and name is None and len(dict(found)) < len(found):
            raise RuleError("a player is named twice", "double-player")
        return found

    return override(
        rename=name,
        struct_hook=read,
        unstruct_hook=lambda value: made.unstructure(items(value), kind),
    )


_WRITTEN: Final = {"cloth": "stakes", "chosen": "choices"}
_PAIRS: Final = tuple[tuple[str, int], ...]


def _is_cards(kind: Any) -> bool:
    return bool(kind == tuple[Card, ...])
