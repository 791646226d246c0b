"""A table in any house, driven by anything: what holds after every command.

The checks are those of ``tests.table.watched``; the commands come from ``tests.table.choosing``.
"""

from __future__ import annotations

from hashlib import shake_256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from tests.properties.meeting import meets_at
from tests.properties.shipped import any_house, names, shipped
from tests.table.choosing import BETS, Bytes, Chooser
from tests.table.watched import Watched

from trente_rules import House
from trente_rules.table import Choose, Phase

pytestmark = pytest.mark.slow

BURST = st.builds(
    lambda seed, count: shake_256(seed.to_bytes(4)).digest(count),
    st.integers(0, 2**32 - 1),
    st.integers(1, 200),
)
"""What some twenty commands are made of: bytes that are spread evenly, of a seed that is not."""


def coups(chooser: Chooser, data: bytes) -> None:
    """Play some coups as a croupier does, with stakes in each."""
    choices = Bytes(data)
    while choices.more and chooser.table.state.phase is not Phase.ENDED:
        choices.below(1)
        while chooser.table.state.phase is Phase.BETTING and choices.below(3):
            chooser.give(choices.of(BETS), choices)
        if chooser.table.state.phase is Phase.DEALT and choices.below(2):
            chooser.give(Choose, choices)
        chooser.onwards(choices)


class AnyTable(RuleBasedStateMachine):
    """Bursts of commands, snapshots between them."""

    chooser: Chooser

    @initialize(house=any_house(), live=st.booleans())
    def set_up(self, house: House, live: bool) -> None:  # noqa: FBT001 - hypothesis names it
        """Set a table up."""
        self.chooser = Chooser(Watched(house), live=live)

    @rule(data=BURST)
    def go_on(self, data: bytes) -> None:
        """Give commands."""
        self.chooser.play(data)

    @rule()
    def restore(self) -> None:
        """Take a snapshot; what is restored goes the same way from here."""
        self.chooser.table.restored()

    @rule(data=BURST)
    def mostly_right(self, data: bytes) -> None:
        """Play some coups as a croupier does, with a stake in each."""
        coups(self.chooser, data)


@pytest.mark.meets
def test_any_table_holds() -> None:
    """Money, cards, ids, snapshots, calls, refusals: all hold after every command in any house."""
    meets_at(AnyTable, "test_any_table_holds", examples=40, steps=16)


@pytest.mark.nightly
@pytest.mark.meets
def test_any_table_holds_for_long() -> None:
    """The same, over far more tables."""
    meets_at(AnyTable, "test_any_table_holds_for_long", examples=1500, steps=40)


@pytest.mark.parametrize("live", [False, True], ids=["known", "live"])
@pytest.mark.parametrize("name", names())
@settings(max_examples=3)
@given(bursts=st.lists(BURST, min_size=1, max_size=6))
def test_each_shipped_house_holds(name: str, live: bool, bursts: list[bytes]) -> None:  # noqa: FBT001 - a parameter of pytest
    """The same in each shipped house, from a snapshot on after every burst."""
    chooser = Chooser(Watched(shipped(name)), live=live)
    for burst in bursts:
        coups(chooser, burst)
        chooser.table.restored()
        chooser.play(burst)
