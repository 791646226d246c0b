"""Target: snapshots of a table. What is restored is sound, written again, and played on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final

from tests.fuzz.house_files import schema_words
from tests.fuzz.mutation import json_bytes, json_mutation
from tests.fuzz.target import Target, check, refused
from tests.fuzz.wire_commands import states
from tests.table.choosing import PLAYERS
from tests.table.test_snapshot import taken

from trente_rules import House, Table, TrenteError
from trente_rules.table import (
    CloseBets,
    Command,
    Deal,
    OpenBets,
    Phase,
    Place,
    Settle,
    Turn,
    restore,
    snapshot,
    wire_schema,
)
from trente_rules.table.invariants import faults
from trente_rules.table.snapshot import entries_of
from trente_rules.table.state import balance

STEPS: Final = 8


@cache
def houses() -> dict[str, House]:
    """Return the houses of the snapshots, by fingerprint."""
    known = [table.house for _name, table in taken()]
    known += [watched.house for watched in states()]
    return {house.fingerprint: house for house in known}


def one(data: bytes) -> str:
    """Restore a table of one of some houses, and play on at it."""
    text = data.decode("utf-8", "replace")
    house = _house_of(text)
    try:
        entries_of(text)
    except TrenteError as error:
        refused(error)
    try:
        table = restore(text, house)
    except TrenteError as error:
        return refused(error)
    check_sound(table)
    again = snapshot(table)
    other = restore(again, house)
    check(other.state == table.state, "it is restored as another table")
    check(snapshot(other) == again, "it is written in another way the second time")
    return f"accepted, {on(table)}"


def _house_of(text: str) -> House:
    """Return the house that a snapshot names, or any."""
    found = next((house for mark, house in houses().items() if mark in text), None)
    return found or next(iter(houses().values()))


def check_sound(table: Table) -> None:
    """Check that no unit is lost, and that commands can lead to the state."""
    check(balance(table.state) == 0, f"the balance is {balance(table.state)}")
    wrong = list(faults(table.state))
    check(not wrong, f"no command leads here: {wrong}")


def on(table: Table) -> str:
    """Play on at a table; return how far it came."""
    done = ""
    for step in range(STEPS):
        for command in _next(table, step):
            try:
                table.do(command)
            except TrenteError as error:
                refused(error)
                continue
            check_sound(table)
            done = max(done, {"settle": "settled", "deal": "dealt"}.get(command.kind, "played"))
            break
    return done or "ended"


def _next(table: Table, step: int) -> Iterator[Command]:
    """Yield commands that a table may take now, the likeliest first."""
    id_, phase = f"fuzz {step}", table.state.phase
    if phase is Phase.BETTING and step % 2:
        least = table.house.lowest_opening().minimum or 1
        chance = table.house.chances[step % len(table.house.chances)].id
        yield Place(id=id_, stake=id_, player=PLAYERS[0], chance=chance, amount=least * 2)
    kinds: dict[Phase, tuple[type[Command], ...]] = {
        Phase.READY: (OpenBets,),
        Phase.BETTING: (CloseBets,),
        Phase.CLOSED: (Deal, Turn),
        Phase.DEALING: (Turn, Deal),
        Phase.DEALT: (Settle,),
    }
    for kind in kinds.get(phase, ()):
        yield kind(id=id_)


def seeds() -> Iterator[bytes]:
    """Yield snapshots of tables in every phase, with the entries of their last commands."""
    for _name, table in taken():
        value = json.loads(snapshot(table.table))
        yield json_bytes(value)
        value["entries"] = value["entries"][-2:]
        yield json_bytes(value)
    for watched in states():
        value = json.loads(snapshot(watched.table))
        value["entries"] = value["entries"][-1:]
        yield json_bytes(value)


def words() -> Iterable[str]:
    """Return the keys of snapshots, of commands and of events."""
    found: dict[str, None] = {}

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            found.update(dict.fromkeys(value))
            for each in value.values():
                walk(each)
        elif isinstance(value, list):
            for each in value:
                walk(each)
        elif isinstance(value, str):
            found[value[:40]] = None

    for each in seeds():
        walk(json.loads(each))
    return [*found, *schema_words(wire_schema("commands"))]


TARGET = Target("snapshots", one, seeds, words, json_mutation, 24_000, houses)
