"""Migrations of JSON that earlier releases wrote to the form of today.

They work on plain JSON, before anything is built of it; a value of an unexpected shape is left as
it is, for the converter to refuse. A value of today's form passes unchanged: a journal that an old
release began has rows of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def command(value: Mapping[str, Any], schema: int) -> Mapping[str, Any]:
    """Return a command of an older schema in the form of today."""
    del schema  # a command of an earlier schema lacks only fields that have a default
    return value


def event(value: Mapping[str, Any], schema: int) -> Mapping[str, Any]:
    """Return an event of an older schema in the form of today."""
    del schema  # schema 2 lacks only fields that have a default
    if isinstance(value, Mapping) and value.get("kind") == "announced" and "text" in value:
        # Announcements were a text, and the values in it cannot be known.
        values = {"text": value["text"]}
        return {"kind": "announced", "phrase": value.get("phrase"), "values": values}
    return value


def snapshot(value: dict[str, Any], schema: int, session: str) -> dict[str, Any]:
    """Return a snapshot of an older schema in today's form.

    Schema 1 had a bare list as the history, a flag for a live shoe, and "same" for the cards of a
    shoe that are those of the state around it. Schema 3 lacks the session, which is then the one
    given here, and has the commands of the shoe without their rounds, first events and movements.
    """
    state, answered = value.get("state"), value.get("answered")
    if isinstance(state, dict) and schema == 1:
        state = _state(state, None)
    if isinstance(state, dict):
        state = _without_before(state)
    rest = {name: each for name, each in value.items() if name != "answered"}
    if isinstance(answered, list) and isinstance(state, dict):
        answered = _entries(answered, schema, state, session)
    return {**rest, "session": session, "state": state, "entries": answered}


def _entries(answered: list[Any], schema: int, state: dict[str, Any], session: str) -> list[Any]:
    """Return the commands of a shoe as entries: they lead, one after the other, to the state."""
    entries: list[Any] = []
    number, shoe, coup = state.get("events"), state.get("shoe_number"), state.get("coup_number")
    sequence = len(answered)
    for pair in reversed(answered):
        match pair:
            case [asked, [*events]]:
                pass
            case _:
                return answered
        number = number - len(events) if isinstance(number, int) else number
        entries.append(
            {
                "sequence": sequence,
                "round": f"{session}/{shoe}/{coup}",
                "command": command(asked, schema),
                "first_event": number,
                "events": [event(each, schema) for each in events],
            }
        )
        sequence -= 1
        for each in events:
            kind = each.get("kind") if isinstance(each, Mapping) else None
            if kind == "bets-opened" and isinstance(coup, int):
                coup -= 1
    return entries[::-1]


def _without_before(state: dict[str, Any]) -> dict[str, Any]:
    """Return a state that has the shoe that ended last, and not the state before a settlement."""
    before, rest = state.get("before"), {n: each for n, each in state.items() if n != "before"}
    if isinstance(before, dict) and state.get("phase") == "no-shoe":
        rest["last_shoe"] = before.get("shoe")
    return rest


def _state(state: dict[str, Any], outer: Any) -> dict[str, Any]:
    shoe = state.get("shoe")
    if isinstance(shoe, dict):
        kind = "live" if shoe.get("live") is True else "known"
        shoe = {"kind": kind, **{name: each for name, each in shoe.items() if name != "live"}}
        if shoe.get("cards") == "same" and isinstance(outer, dict):
            shoe["cards"] = outer.get("cards")
    before = state.get("before")
    return {
        **state,
        "shoe": shoe,
        "history": {"bets": state.get("history")},
        "before": _state(before, shoe) if isinstance(before, dict) else before,
    }


def statistics(value: dict[str, Any]) -> dict[str, Any]:
    """Return statistics without the fields that 0.1.0 needed to reverse the last coup."""
    return {name: each for name, each in value.items() if name not in {"dealt", "before"}}
