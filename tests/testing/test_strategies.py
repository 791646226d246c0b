"""Strategies: what they draw, among it rules that they have never heard of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import pytest
from attrs import frozen
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from tests.properties.meeting import meets
from tests.properties.shipped import random_house, some_stakes

from trente_rules import Course, House, Named, PluginManager, Verdict, hookimpl
from trente_rules.core.keys import key
from trente_rules.core.machine import stays
from trente_rules.core.money import Money
from trente_rules.testing import check_refait_rule, house_tables, houses


@frozen
class Waiting:
    """A tie that costs makes a stake wait; the next one takes part of it."""

    part: Fraction = key(Fraction(1, 2), "What comes back.")
    room: Literal["hall", "cellar"] = key("hall", "Where stakes wait.")

    def build(self, _money: Money) -> Mapping[str, Mapping[Verdict, Sequence[Course]]]:
        """Return the courses."""
        back = Course("back", returned=self.part)
        return {
            "free": {Verdict.REFAIT: [stays(self.room, name="in")]},
            self.room: {Verdict.REFAIT: [back], Verdict.CLOSE: [back]},
        }


class Plugin:
    """A stranger's plugin."""

    @hookimpl
    def trente_refait_rules(self) -> Sequence[Named]:
        """Bring the rule."""
        return [Named("waiting", Waiting)]


@pytest.fixture(scope="module")
def plugins() -> PluginManager:
    """Return the rules of the library, and one more."""
    manager = PluginManager(only=())
    manager.register(Plugin(), "stranger:rule")
    return manager


@pytest.mark.slow
def test_the_rule_of_a_plugin_is_drawn(plugins: PluginManager) -> None:
    """A7: a new refait rule is drawn by itself, its keys at other values among it."""

    def cellar(house: House) -> bool:
        return house.machine.prisons == ("cellar",)

    drawn = settings(database=None, max_examples=2000, phases=[Phase.generate])  # any one will do
    found = find(houses(plugins), cellar, settings=drawn)
    assert isinstance(found.refait.rule, Waiting)


@pytest.mark.slow
def test_every_rule_is_drawn() -> None:
    """A7: each rule that the library has is in some of the houses."""
    manager = PluginManager(only=())
    places = {
        "refait rule": ("refait", "rule"),
        "insurance rule": ("insurance", "rule"),
        "limit rule": ("limits", "rule"),
        "side bet": ("side_bets", "wins_on"),
    }
    seen: dict[str, set[str]] = {kind: set() for kind in places}

    @settings(max_examples=300, database=None, suppress_health_check=list(HealthCheck))
    @given(house_tables(manager))
    def look(tables: dict[str, Any]) -> None:
        for kind, (table, key_of) in places.items():
            found = tables[table]
            each = found if isinstance(found, list) else [found]
            seen[kind].update(one[key_of] for one in each)

    look()
    assert seen == {kind: set(manager.names(kind)) for kind in places}


@meets(house=random_house())
def test_stakes_of_a_stranger_are_drawn_too(house: House, data: st.DataObject) -> None:
    """Whatever the house, its stakes have a state of the machine."""
    for stake in data.draw(some_stakes(house)):
        assert stake.state in house.wager(stake.chance).machine.states


def test_a_rule_is_a_value() -> None:
    """A7: a rule whose copy has another hash is found out."""
    assert check_refait_rule(Waiting()).states == ("free", "hall")

    class Odd(Waiting):
        def __hash__(self) -> int:
            return id(self)

    with pytest.raises(AssertionError, match="hash"):
        check_refait_rule(Odd())
