"""Snapshots that somebody edited: refused with a sentence, or a table that is still sound."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.shipped import names, shipped
from tests.table.choosing import Bytes, Chooser
from tests.table.driving import Driver
from tests.table.laws import NOIR, REFAIT, house_like
from tests.table.test_codec import ODD, deep
from tests.table.watched import Watched, documented

from trente_rules import House, RecordError, Table, load_house
from trente_rules.core.cards import PACK
from trente_rules.table import (
    Choose,
    CloseBets,
    CloseSession,
    Insure,
    OpenBets,
    Phase,
    Place,
    Settle,
    Turn,
    restore,
    snapshot,
)
from trente_rules.table.commands import COMMANDS
from trente_rules.table.invariants import faults
from trente_rules.table.state import balance


def taken() -> Iterator[tuple[str, Driver]]:
    """Return tables in phases that hold all there is in a snapshot."""
    table = Driver("campione")
    table.shoe(REFAIT, REFAIT, NOIR)
    yield "ready", table
    table.bet(("ann", "rouge", 500), ("bob", "inverse", 1000))
    table.do(Insure, stake="bob-inverse")
    table.do(Choose, stake="ann-rouge", course="prison")
    yield "betting", table
    table.do(CloseBets)
    for _card in range(6):
        table.do(Turn)
    yield "dealing", table
    table.deal_only()
    yield "dealt", table
    table.do(Settle)
    yield "settled", table
    table.do(OpenBets)
    table.do(Place, stake="c", player="cy", chance="noir", amount=500)
    yield "with a prisoner", table
    table.do(CloseSession)
    yield "closed", table
    live = Driver("italian-program")
    live.live()
    live.bet(("ann", "rouge", 50))
    live.do(CloseBets)
    live.do(Turn, card=PACK[9])
    yield "live", live


def states() -> dict[str, tuple[str, House]]:
    """Return the snapshots by name, with their houses."""
    return {name: (snapshot(table.table), table.house) for name, table in taken()}


SNAPSHOTS = states()


def leaves(told: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the path of every value inside a JSON value, containers among them."""
    if path:
        yield path
    if isinstance(told, dict):
        for key, value in told.items():
            yield from leaves(value, (*path, key))
    elif isinstance(told, list):
        for place, value in enumerate(told):
            yield from leaves(value, (*path, place))


def edited(text: str, path: tuple[Any, ...], change: Any) -> str:
    """Return the snapshot with the value at a path changed by a function."""
    told = json.loads(text)
    inner = told
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = change(inner[path[-1]])
    return json.dumps(told)


def try_it(text: str, house: House) -> Table | None:
    """Restore a snapshot: None where it is refused, and nothing but a sound table else."""
    try:
        table = restore(text, house)
    except RecordError as error:
        found = error
    else:
        return sound(table)
    assert found.code in documented()
    assert str(found)
    return None


def sound(table: Table) -> Table:
    """Check a restored table, and answer it."""
    assert balance(table.state) == 0
    assert list(faults(table.state)) == []
    return table


@pytest.mark.slow
@pytest.mark.parametrize("name", SNAPSHOTS)
def test_each_value_of_another_type_is_refused(name: str) -> None:
    """Each leaf and each container of a snapshot in turn, replaced by values of other types."""
    text, house = SNAPSHOTS[name]
    told = json.loads(text)
    told["entries"] = told["entries"][-1:]
    text = json.dumps(told)
    paths = [path for path in leaves(told) if path != ("engine",)]
    assert len(paths) > 30
    for path in paths:
        was = told
        for step in path:
            was = was[step]
        for odd in (None, True, 1.5, -1, "\ud800", [[1]], {"a": 1}):
            if type(odd) is type(was) or (odd is None and path[-1] in ("opening", "target")):
                continue
            if odd is None and path[-1] in ("coup", "marker", "shoe", "after", "card"):
                continue
            assert try_it(edited(text, path, lambda _old, odd=odd: odd), house) is None, (path, odd)


WRONG: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("position", "burned", "unseen", "packs", "marker"), (-1, 10**9, 313)),
    "shoe_number": (-1, 0),
    "coup_number": (-1,),
    "first_cards": (-1, 1, 99),
    "events": (-1,),
    "amount": (lambda n: n + 1, lambda n: n - 1, 0, -5),
    "handed_back": (lambda n: n + 1, -1),
    "bank": (lambda n: n + 1, lambda n: n - 1),
    "chance": ("zero", "any-apres"),
    "share": ("3/2", "-1/2", "1/2"),
    "state": ("dungeon", ""),
    "marker_shown": (lambda flag: not flag,),
    "marker_out": (lambda flag: not flag,),
    "cards": (lambda cards: f"{cards} 2♣ 3♣ 9♣", lambda cards: f"A♠ {cards}"),
    "seen": (lambda cards: cards + " A♠" * 7, "x"),
    "course": ("escape", ""),
    "verdict": ("close", "nought"),
    "stakes": (lambda each: each * 2, lambda each: each[1:]),
    "prisoners": (lambda each: each * 2, lambda each: each[1:]),
    "choices": (lambda each: each * 2,),
    "accounts": (lambda each: [*each, ["zoe", 1]], lambda each: each * 2),
    "history": (lambda each: [*each, ["ann", 0]],),
    "phase": ("cut", "burn", "mark", "nowhere", "dealing", "dealt", "ended", "no-shoe", "ready"),
}
"""Values that a key can never have where it stands, or functions of what stands there."""


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_each_impossible_value_is_refused(name: str) -> None:
    """Counts out of range, cards that did not come, money that does not add up: no table is so."""
    text, house = SNAPSHOTS[name]
    told = json.loads(text)["state"]
    tried = 0
    for path in leaves(told):
        was = told
        for step in path:
            was = was[step]
        on_the_cloth = path[-1] == "position" and "shoe" not in path  # a stake may lie anywhere
        for wrong in () if on_the_cloth else WRONG.get(path[-1], ()):
            value = wrong(was) if callable(wrong) else wrong
            if value != was and (was, value) != ("ended", "no-shoe"):
                tried += 1
                changed = edited(text, ("state", *path), lambda _old, value=value: value)
                assert try_it(changed, house) is None, (path, value)
    assert tried > 15


@settings(max_examples=40)
@given(data=st.data())
def test_any_edit_is_refused_or_leaves_a_table_that_goes_on(data: st.DataObject) -> None:
    """A value taken from elsewhere in the snapshot, or any JSON: no other error, ever."""
    name = data.draw(st.sampled_from(sorted(SNAPSHOTS)))
    text, house = SNAPSHOTS[name]
    told = json.loads(text)
    paths = list(leaves(told))
    path = data.draw(st.sampled_from(paths))
    if data.draw(st.booleans()):
        other: Any = told
        for step in data.draw(st.sampled_from(paths)):
            other = other[step]
    else:
        other = data.draw(st.sampled_from([*ODD[:6], *ODD[7:], deep(50), 0, 1, 2, "0", "free"]))
    table = try_it(edited(text, path, lambda _old: other), house)
    if table is not None:
        chooser = Chooser(Watched(house), live="live" in name)
        chooser.table.table = table
        play_on(chooser, data.draw(st.binary(max_size=40)))


def play_on(chooser: Chooser, data: bytes) -> None:
    """Give commands to a restored table: only documented refusals, and money that adds up."""
    choices = Bytes(data)
    table = chooser.table.table
    while choices.more:
        kind = choices.of(COMMANDS)
        chooser.table.count += 1
        command = kind(id=f"x{chooser.table.count}", **chooser.fields(kind, choices))
        error = table.why_not(command)
        if error is None:
            table.do(command)
        else:
            assert error.code in documented()
        assert balance(table.state) == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not-json"),
        ("{", "not-json"),
        ("[" * 100_000, "not-json"),
        ("1" * 5000, "not-json"),
        ("[]", "bad-snapshot"),
        ("null", "bad-snapshot"),
        ("{}", "unknown-schema"),
        ('{"schema": 0, "engine": []}', "unknown-schema"),
        ('{"schema": 2, "engine": []}', "bad-snapshot"),
        ('{"schema": true}', "unknown-schema"),
        ('{"schema": 1}', "bad-snapshot"),
    ],
)
def test_what_is_no_snapshot_is_refused(text: str, code: str) -> None:
    """Texts that are no JSON, no object, or of another schema."""
    with pytest.raises(RecordError) as caught:
        restore(text, load_house("campione"))
    assert caught.value.code == code


def test_a_snapshot_of_another_house_is_refused() -> None:
    """A table is restored with the rules it was taken under, and no other."""
    text, house = SNAPSHOTS["betting"]
    other = house_like("campione", "[insurance]\nmultiple = 100\nminimum_stake = 100")
    with pytest.raises(RecordError) as caught:
        restore(text, other)
    assert caught.value.code == "other-house"
    assert restore(text, house).house == house


def test_stakes_that_the_last_coup_did_not_leave_are_refused() -> None:
    """A share edited between two coups is not what the entries of the snapshot lead to."""
    text, house = SNAPSHOTS["settled"]
    with pytest.raises(RecordError, match="the last coup left"):
        restore(edited(text, ("state", "stakes", 0, "share"), lambda _old: "1/2"), house)


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_every_step_of_a_house_can_be_restored(name: str) -> None:
    """In each shipped house, known and live, a snapshot after every command is the very table."""
    house = shipped(name)
    for live in (False, True):
        chooser = Chooser(Watched(house), live=live)
        choices = Bytes(bytes(range(250)))
        for _step in range(24):
            if chooser.table.state.phase is Phase.BETTING:
                chooser.give(Place, choices)
            chooser.onwards(choices)
            again = restore(snapshot(chooser.table.table), house)
            assert again.state == chooser.table.state
            assert again.taille == chooser.table.table.taille
