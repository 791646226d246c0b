"""Migrations of JSON of earlier releases: whole values before and after."""

from __future__ import annotations

from typing import Any

import pytest

from trente_rules.table import migrations


def test_the_commands_of_a_shoe_become_entries_of_their_coups() -> None:
    """T4b: back from the state: each bets-opened is where the coup before it ends."""
    opened = {"kind": "bets-opened", "coup": 2}
    closed = {"kind": "bets-closed"}
    answered: list[Any] = [
        [{"id": "a"}, [{"kind": "coup-dealt"}]],
        [{"id": "b"}, [{"kind": "coup-settled"}, opened]],
        [{"id": "c"}, [closed]],
    ]
    state = {"events": 14, "shoe_number": 3, "coup_number": 2, "phase": "closed"}
    found = migrations.snapshot({"house": "h", "state": state, "answered": answered}, 2, "s")
    rounds = ["s/3/1", "s/3/2", "s/3/2"]
    assert found == {
        "house": "h",
        "session": "s",
        "state": state,
        "entries": [
            {
                "sequence": number,
                "round": around,
                "command": command,
                "first_event": first,
                "events": events,
            }
            for number, (around, first, (command, events)) in enumerate(
                zip(rounds, (10, 11, 13), answered, strict=True), 1
            )
        ],
    }


def test_the_shoe_that_ended_last_is_brought_to_the_form_of_today_too() -> None:
    """T4b: schema 1 had it in the state before the settlement, with a flag for a live shoe."""
    before = {"shoe": {"live": True, "dealt": 9}, "history": [], "phase": "dealt"}
    state = {"phase": "no-shoe", "shoe": None, "history": [[1]], "before": before}
    found = migrations.snapshot({"state": state, "answered": None}, 1, "s")
    assert found["state"] == {
        "phase": "no-shoe",
        "shoe": None,
        "history": {"bets": [[1]]},
        "last_shoe": {"kind": "live", "dealt": 9},
    }


@pytest.mark.parametrize(
    ("state", "answered"), [([], []), ("x", [[{"id": "a"}, []]]), ({}, 7), ({}, None)]
)
def test_what_has_an_unexpected_shape_is_left_as_it_is(state: Any, answered: Any) -> None:
    """The converter refuses it, and names its place; the migration raises nothing."""
    found = migrations.snapshot({"state": state, "answered": answered}, 3, "s")
    assert found == {"state": state, "entries": answered, "session": "s"}
