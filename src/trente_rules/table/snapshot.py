"""Snapshots: a table as JSON that restores to one which goes on exactly as it would have.

The order of the cards is in it, and every prisoner: it is not for players. A snapshot names the
fingerprint of its house and is restored only to a house of the same one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from trente_rules._version import __version__
from trente_rules.core.cards import Card, parse_cards
from trente_rules.core.coup import Coup
from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.shoe import LiveShoe, Shoe
from trente_rules.core.stakes import Choice, History, Opening, Stake
from trente_rules.table.codec import (
    command_from_json,
    command_to_json,
    converter,
    event_from_json,
    event_to_json,
    structure,
)
from trente_rules.table.invariants import faults
from trente_rules.table.state import Phase, Setup, TableState, check_house
from trente_rules.table.table import Answered, Journal, Table

SCHEMA: Final = 1
"""The version of the form; a later release reads every earlier one."""


def snapshot(table: Table) -> str:
    """Return a table as JSON text: the state, and the commands of this shoe it has answered."""
    told = {
        "schema": SCHEMA,
        "engine": __version__,
        **state_to_json(table.state),
        "answered": [
            [command_to_json(command), [event_to_json(event) for event in events]]
            for command, events in table.answered.values()
        ],
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def restore(text: str, house: House, *, journal: Journal | None = None) -> Table:
    """Return the table of a snapshot.

    Raises ``RecordError``: "not-json", "unknown-schema", "other-house" where the fingerprint is
    another, "bad-snapshot" where something is missing, of another kind, or no table can be so;
    what the journal raises, "journal-in-use" where it holds a table.
    """
    check_house(house)
    try:
        told = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordError(f"the snapshot is not JSON: {error}", "not-json") from None
    if not isinstance(told, dict):
        raise RecordError("the snapshot is not an object", "bad-snapshot")
    if told.get("schema") != SCHEMA:
        raise RecordError(
            f"a snapshot of schema {told.get('schema')!r} is not known",
            "unknown-schema",
            f"this version reads schema {SCHEMA}; it was written by {told.get('engine')!r}",
            "schema",
        )
    _shaped(told, _WHOLE, "snapshot")
    answered = _answered(told["answered"])
    state = state_from_json(told, house)
    try:
        return Table(house, state=state, answered=answered, journal=journal)
    except RecordError:  # of the journal
        raise
    except TrenteError as error:
        raise RecordError(f"the snapshot cannot go on: {error}", "bad-snapshot") from None


def _answered(told: list[Any]) -> Answered:
    answered: Answered = {}
    for place, pair in enumerate(told):
        if type(pair) is not list or len(pair) != 2 or type(pair[1]) is not list:  # noqa: PLR2004
            raise RecordError("a command and its events are a pair", "bad-snapshot", "", "answered")
        command = command_from_json(pair[0])
        if command.id in answered:
            raise RecordError(
                f"two commands have the id {command.id!r}", "bad-snapshot", "", f"answered.{place}"
            )
        answered[command.id] = (command, tuple(event_from_json(event, SCHEMA) for event in pair[1]))
    return answered


def state_to_json(state: TableState) -> dict[str, Any]:
    """Return a state as an object."""
    setup = state.setup
    return {
        "house": {"name": setup.house.name, "fingerprint": setup.house.fingerprint},
        "table": setup.table,
        "opening": setup.opening.minimum,
        "state": _state(state),
    }


def state_from_json(told: dict[str, Any], house: House) -> TableState:
    """Build a state from an object; ``RecordError`` ("other-house", "bad-snapshot")."""
    try:
        state = _read_whole(told, house)
    except RecordError:
        raise
    except (TrenteError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise RecordError(
            f"the snapshot cannot be read: {type(error).__name__}: {error}", "bad-snapshot"
        ) from None
    wrong = list(faults(state))
    if wrong:
        raise RecordError(
            f"no table can be so: {'; '.join(wrong[:5])}", "bad-snapshot", "", "state"
        )
    return state


def _read_whole(told: dict[str, Any], house: House) -> TableState:
    _shaped(told["house"], _HOUSE, "house")
    fingerprint = told["house"]["fingerprint"]
    if fingerprint != house.fingerprint:
        raise RecordError(
            f"the snapshot is of house {told['house']['name']!r} ({fingerprint}), not of "
            f"{house.name!r} ({house.fingerprint})",
            "other-house",
            "restore it with the rules it was taken under",
            "house",
        )
    setup = Setup(house, structure(told["table"], str, "snapshot"), Opening(told["opening"]))
    _shaped(told["state"], {**_STATE, "before": (dict, type(None))}, "state")
    state = _read(told["state"], setup)
    before = told["state"]["before"]
    if before is None:
        return state
    _shaped(before, _STATE, "state.before")
    return state.replaced(before=_read(before, setup, state.shoe))


_NONE: Final = type(None)
_WHOLE: Final[Mapping[str, tuple[type, ...]]] = {
    "schema": (int,),
    "engine": (str,),
    "house": (dict,),
    "table": (str,),
    "opening": (int, _NONE),
    "state": (dict,),
    "answered": (list,),
}
_HOUSE: Final[Mapping[str, tuple[type, ...]]] = {"name": (str,), "fingerprint": (str,)}
_STATE: Final[Mapping[str, tuple[type, ...]]] = {
    "phase": (str,),
    "shoe_number": (int,),
    "coup_number": (int,),
    "shoe": (dict, _NONE),
    "cards": (str,),
    "first_cards": (int,),
    "marker_shown": (bool,),
    "coup": (str, _NONE),
    "stakes": (list,),
    "prisoners": (list,),
    "choices": (list,),
    "accounts": (list,),
    "bank": (int,),
    "history": (list,),
    "events": (int,),
}
_LIVE: Final[Mapping[str, tuple[type, ...]]] = {
    "live": (bool,),
    "packs": (int,),
    "seen": (str,),
    "unseen": (int,),
    "marker": (int, _NONE),
    "marker_out": (bool,),
}
_KNOWN: Final[Mapping[str, tuple[type, ...]]] = {
    "live": (bool,),
    "packs": (int,),
    "cards": (str,),
    "position": (int,),
    "burned": (int,),
    "marker": (int, _NONE),
}


def _shaped(told: object, shape: Mapping[str, tuple[type, ...]], place: str) -> None:
    """Refuse what is no object of these keys, each of one of these types."""
    if type(told) is not dict:
        raise RecordError(f"{place} is not an object", "bad-snapshot", "", place)
    odd = sorted(set(told) ^ set(shape))
    if odd:
        raise RecordError(
            f"{place}: keys that are missing or unknown: {', '.join(odd[:5])}"[:200],
            "bad-snapshot",
            "",
            place,
        )
    for key, types in shape.items():
        if type(told[key]) not in types:
            raise RecordError(
                f"{place}.{key} is of another type than {types[0].__name__}",
                "bad-snapshot",
                "",
                f"{place}.{key}",
            )


def _state(state: TableState, *, inner: bool = False) -> dict[str, Any]:
    whole = converter().unstructure
    told: dict[str, Any] = {
        "phase": state.phase.value,
        "shoe_number": state.shoe_number,
        "coup_number": state.coup_number,
        "shoe": _shoe(state.shoe),
        "cards": _cards(state.cards),
        "first_cards": state.first_cards,
        "marker_shown": state.marker_shown,
        "coup": None if state.coup is None else str(state.coup),
        "stakes": whole(state.stakes),
        "prisoners": whole(state.prisoners),
        "choices": whole(state.choices),
        "accounts": [list(each) for each in state.accounts],
        "bank": state.bank,
        "history": [list(each) for each in state.history.bets],
        "events": state.events,
    }
    if not inner:
        told["before"] = None if state.before is None else _state(state.before, inner=True)
        if state.before is not None and _same_cards(state.before.shoe, state.shoe):
            told["before"]["shoe"]["cards"] = "same"
    return told


def _same_cards(one: Shoe | LiveShoe | None, other: Shoe | LiveShoe | None) -> bool:
    return isinstance(one, Shoe) and isinstance(other, Shoe) and one.cards == other.cards


def _cards(cards: tuple[Card, ...]) -> str:
    return " ".join(map(str, cards))


def _shoe(shoe: Shoe | LiveShoe | None) -> dict[str, Any] | None:
    if shoe is None:
        return None
    if isinstance(shoe, LiveShoe):
        return {
            "live": True,
            "packs": shoe.packs,
            "seen": _cards(shoe.seen),
            "unseen": shoe.unseen,
            "marker": shoe.marker,
            "marker_out": shoe.marker_out,
        }
    return {
        "live": False,
        "packs": shoe.packs,
        "cards": _cards(shoe.cards),
        "position": shoe.position,
        "burned": shoe.burned,
        "marker": shoe.marker,
    }


def _read_shoe(
    told: dict[str, Any] | None, outer: Shoe | LiveShoe | None
) -> Shoe | LiveShoe | None:
    if told is None:
        return None
    live = told.get("live") is True
    _shaped(told, _LIVE if live else _KNOWN, "shoe")
    if live:
        return LiveShoe(
            told["packs"],
            parse_cards(told["seen"]),
            told["unseen"],
            told["marker"],
            told["marker_out"],
        )
    if told["cards"] == "same" and isinstance(outer, Shoe):
        cards = outer.cards
    else:
        cards = Shoe.of_cards(parse_cards(told["cards"]), told["packs"]).cards
    return Shoe(cards, told["packs"], told["position"], told["burned"], told["marker"])


def _read(told: dict[str, Any], setup: Setup, outer: Shoe | LiveShoe | None = None) -> TableState:
    return TableState(
        setup=setup,
        phase=Phase(told["phase"]),
        shoe_number=told["shoe_number"],
        coup_number=told["coup_number"],
        shoe=_read_shoe(told["shoe"], outer),
        cards=parse_cards(told["cards"]),
        first_cards=told["first_cards"],
        marker_shown=told["marker_shown"],
        coup=None if told["coup"] is None else Coup.parse(told["coup"]),
        stakes=structure(told["stakes"], tuple[Stake, ...], "snapshot"),
        prisoners=structure(told["prisoners"], tuple[Stake, ...], "snapshot"),
        choices=structure(told["choices"], tuple[Choice, ...], "snapshot"),
        accounts=structure(told["accounts"], tuple[tuple[str, int], ...], "snapshot"),
        bank=told["bank"],
        history=History(structure(told["history"], tuple[tuple[str, int], ...], "snapshot")),
        events=told["events"],
    )
