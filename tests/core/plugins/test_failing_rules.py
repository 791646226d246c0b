"""Rules of strangers that raise: who is named, with which cause, and what is left as it was."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from attrs import frozen

from trente_rules import (
    ROUGE,
    ConfigurationError,
    History,
    House,
    Money,
    Named,
    Opening,
    PluginError,
    PluginManager,
    Stake,
    Table,
    hookimpl,
    load_house,
    loads_house,
    refusals,
    settle,
)
from trente_rules.core import InsuranceTable, Limits
from trente_rules.core.money import ONE
from trente_rules.core.settlement import refusals_near
from trente_rules.fair import SeededShuffler
from trente_rules.table import Cut, OpenBets, OpenShoe, Place
from trente_rules.testing import coup_with


def house_with(hook: str, rule: type[Any], toml: str) -> House:
    """Read a house whose rule "mine" a plugin "my:rules" brings by a hook."""

    def bring(self: object) -> Sequence[Named]:  # noqa: ARG001 - a method
        return [Named("mine", rule)]

    bring.__name__ = hook
    plugin = type("Plugin", (), {hook: hookimpl(bring)})()
    manager = PluginManager(only=())
    manager.register(plugin, "my:rules")
    return loads_house(f'[house]\nname = "x"\n{toml}', plugins=manager)


@frozen
class Failing:
    """A rule that fails to build."""

    def build(self, *_money: object) -> Any:
        """Divide by nothing."""
        return 1 // 0


@frozen
class FailingLimits(Limits):
    """Limits that fail where there is a stake."""

    def refusals(self, *_args: object) -> Any:
        """Divide by nothing."""
        return 1 // 0

    def refusals_near(self, *_args: object) -> Any:
        """Divide by nothing."""
        return 1 // 0


@frozen
class LimitRule:
    """A rule that builds them."""

    def build(self, money: Money) -> Limits:
        """Return the limits."""
        return FailingLimits(money)


@frozen
class FailingInsurance(InsuranceTable):
    """Insurance whose premium cannot be computed."""

    def premium(self, *_args: object) -> Any:
        """Divide by nothing."""
        return 1 // 0


@pytest.mark.parametrize(
    ("hook", "toml", "line"),
    [
        ("trente_refait_rules", '[refait]\nrule = "mine"', 4),
        ("trente_limit_rules", '[refait]\nrule = "all-lose"\n[limits]\nrule = "mine"', 6),
        ("trente_insurance_rules", '[refait]\nrule = "all-lose"\n[insurance]\nrule = "mine"', 6),
    ],
)
def test_a_rule_that_fails_to_build_is_named_with_its_cause(
    hook: str, toml: str, line: int
) -> None:
    """T12b: plugin, line of the file, line of the plugin; the cause is chained."""
    with pytest.raises(ConfigurationError) as caught:
        house_with(hook, Failing, toml)
    (fault,) = caught.value.faults
    assert (fault.code, fault.line) == ("rule-fails", line)
    assert "rule 'mine' of plugin 'my:rules' fails to build: ZeroDivisionError" in fault.message
    assert "test_failing_rules.py, line " in fault.message
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


LIMITED = '[refait]\nrule = "all-lose"\n[limits]\nrule = "mine"'


def test_a_limiter_that_raises_is_named_by_the_table() -> None:
    """T12c: from ``do``, ``can`` and ``why_not``; the state is as it was."""
    table = Table(house_with("trente_limit_rules", LimitRule, LIMITED))
    for command in (
        OpenShoe.shuffled("1", 6, SeededShuffler("00" * 16)),
        Cut(id="2", by=table.house.shoe.cut_by),
        OpenBets(id="3"),
    ):
        table.do(command)
    place = Place(id="4", stake="s", player="p", chance=ROUGE, amount=1)
    before = table.state
    assert not table.can(place)
    assert isinstance(table.why_not(place), PluginError)
    with pytest.raises(PluginError, match="the limit rule 'mine' of plugin 'my:rules'") as caught:
        table.do(place)
    assert caught.value.plugin == "my:rules"
    assert caught.value.code == "rule-fails"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert table.state is before


def test_a_limiter_that_raises_is_named_by_refusals() -> None:
    """T12c: the functions beneath the table name it too."""
    house = house_with("trente_limit_rules", LimitRule, LIMITED)
    with pytest.raises(PluginError, match="'my:rules'"):
        refusals(house, [Stake("s", "p", ROUGE, 1)])


def test_an_insurance_that_raises_is_named_by_settle() -> None:
    """T12c: where the premium of a stake is computed."""

    @frozen
    class Rule:
        def build(self, _money: object) -> InsuranceTable:
            return FailingInsurance(rate=ONE / 100)

    house = house_with(
        "trente_insurance_rules", Rule, '[refait]\nrule = "half-loss"\n[insurance]\nrule = "mine"'
    )
    with pytest.raises(PluginError, match="the insurance rule 'mine' of plugin 'my:rules'"):
        settle(house, coup_with(33, 31), [Stake("s", "p", ROUGE, 100, insured=True)])


def test_what_is_no_strangers_fault_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """T12c: a fault of the engine is not laid on a plugin, nor on a shipped rule."""
    house = house_with("trente_limit_rules", LimitRule, LIMITED)
    shipped = load_house("france-2007")
    raised: Callable[..., Any] = lambda *_args: 1 // 0  # noqa: E731 - the shortest that raises
    monkeypatch.setattr("trente_rules.core.settlement._needs", raised)
    with pytest.raises(ZeroDivisionError):
        refusals(shipped, [Stake("s", "p", ROUGE, 1)], opening=Opening(1))
    assert refusals.__module__ == "trente_rules.core.settlement"
    assert house.limits.plugin == "my:rules"


def test_the_plugin_is_no_part_of_what_a_house_is() -> None:
    """A house is the same, with the same fingerprint, whoever brought its rules."""
    house = house_with("trente_limit_rules", LimitRule, LIMITED)
    again: House = pickle.loads(pickle.dumps(house))
    assert again == house
    assert again.limits.plugin == "my:rules"
    assert "my:rules" not in repr(house)


def test_a_limiter_that_raises_is_named_near_a_changed_stake() -> None:
    """T12c: the refusals near one stake name it, and raise what is no fault of a plugin."""
    house = house_with("trente_limit_rules", LimitRule, LIMITED)
    stake = Stake("s", "p", ROUGE, 1)
    with pytest.raises(PluginError, match="'my:rules'") as caught:
        refusals_near(house, "s", [stake], {ROUGE: 1}, 1, History())
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(AttributeError):
        refusals_near(house, "s", [None], {}, 1, History())  # type: ignore[list-item]
