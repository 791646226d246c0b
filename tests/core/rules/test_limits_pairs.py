"""Limits where two stakes, two chances or two faults meet; and the same of the machine."""

from __future__ import annotations

from fractions import Fraction

import pytest

from trente_rules import BetError, History, Money, Opening, RuleError, Stake, StakeMachine, Verdict
from trente_rules.core import ChanceBounds, Limits, TableBounds
from trente_rules.core.machine import FREED, LOST
from trente_rules.core.rules.limits import OwnBounds, Progression

MONEY = Money()


def found(built: Limits, *placed: Stake, history: History | None = None) -> list[tuple[str, str]]:
    """Return code and stake of what is refused."""
    refused = built.refusals(placed, history or History(), Opening())
    return [(each.code, each.stake) for each in refused]


def test_a_stake_at_the_minimum_that_is_off_the_step_is_refused_for_the_step_alone() -> None:
    """The minimum itself is taken."""
    built = Limits(MONEY, (TableBounds(12),), step=5)
    assert found(built, Stake("a", "ann", "rouge", 12)) == [("not-a-step", "a")]


def test_a_player_without_earlier_bets_hides_no_other() -> None:
    """Each party is measured by its own earlier bets."""
    built = Limits(MONEY, progression=Progression(1, Fraction(1)))
    history = History.of([[Stake("x", "bob", "rouge", 10)]])
    placed = Stake("a", "ann", "rouge", 50), Stake("b", "bob", "rouge", 11)
    assert found(built, *placed, history=history) == [("raised-too-fast", "b")]


def test_a_chance_without_an_opposite_is_above_no_other() -> None:
    """Even where no chance may exceed its opposite by anything."""
    built = Limits(MONEY, differential_maximum=0)
    assert found(built, Stake("a", "ann", "tie", 5)) == []
    assert found(built, Stake("a", "ann", "rouge", 5)) == [("above-differential", "a")]


def test_what_is_posted_for_one_chance_is_not_posted_for_another() -> None:
    """The bounds of an opening are looked up by their chance."""
    own = (OwnBounds("rouge", posted=("maximum",)), OwnBounds("noir", posted=("maximum",)))
    built = Limits(MONEY, per_chance=own)
    with pytest.raises(BetError) as caught:
        built.table(Opening(per_chance=(ChanceBounds("noir", None, 9),)))
    assert caught.value.hint == "post what is missing: rouge.maximum"


def test_a_state_that_is_not_reached_is_told_before_what_it_lacks() -> None:
    """Where the state comes from is asked first: removing it mends both faults."""
    with pytest.raises(RuleError) as caught:
        StakeMachine.of({"free": {Verdict.REFAIT: [LOST]}, "tower": {Verdict.REFAIT: [FREED]}})
    assert caught.value.message == "tower: no course leads to this state"
