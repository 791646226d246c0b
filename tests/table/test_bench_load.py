"""The load that the benchmarks share plays what it says, each way of placing alike."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from tests.bench.load import Load
from tests.bench.players import PLAYERS, Room, Watch, loop

from trente_rules.table import MemoryJournal, balance


def test_the_ways_of_placing_are_the_same_bets() -> None:
    """T1: one by one and all of a coup together give the same accounts; a slip is its player's."""
    loads = [Load(10, way=way) for way in ("one-by-one", "together", "slips")]
    for load in loads:
        for _ in range(3):
            load.coup()
    one, together, slips = (load.table.state for load in loads)
    assert one.accounts == together.accounts
    assert set(slips.accounts) == {"p0", "p4", "p8"}
    assert sum(dict(slips.accounts).values()) == sum(dict(one.accounts).values())
    assert [balance(state) for state in (one, together, slips)] == [0, 0, 0]
    assert [len(load.table.entries) for load in loads] == [3 + 3 * 14, 3 + 3 * 14, 3 + 3 * 7]


@pytest.mark.parametrize("at_once", [False, True])
def test_players_who_bet_at_once_are_all_served(*, at_once: bool) -> None:
    """S5, the measurement: 20 bets a coup are in the journal, in fewer commits than commands."""
    journal = MemoryJournal()
    room = Room(journal)
    asyncio.run(loop(room, Watch(room, 0.0), at_once=at_once))
    kinds = Counter(entry.command.kind for entry in journal.entries())
    assert kinds["place"] == PLAYERS * room.load.coups
    assert kinds["close-bets"] == kinds["settle"] == room.load.coups >= 3
    assert room.commits < 5 * room.load.coups
