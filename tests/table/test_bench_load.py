"""The load that the benchmarks share plays what it says, each way of placing alike."""

from __future__ import annotations

from tests.bench.load import Load

from trente_rules.table import balance


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
