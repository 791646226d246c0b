"""The plugin manager: strangers' plugins, one by one, by name."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import define, frozen

from trente_rules import (
    ConfigurationError,
    HouseText,
    Named,
    PluginError,
    PluginManager,
    hookimpl,
    load_house,
    loads_house,
)
from trente_rules.core.plugins.manager import ENVIRONMENT


@frozen
class Rule:
    """A rule that builds nothing."""

    def build(self) -> dict[str, Any]:
        """Return no course."""
        return {}


def entry(distribution: str, name: str, load: Any) -> Any:
    """Make what looks like an entry point."""

    def do_load() -> Any:
        if isinstance(load, BaseException):
            raise load
        return load

    return SimpleNamespace(name=name, dist=SimpleNamespace(name=distribution), load=do_load)


def manager(
    *entries: Any, only: Iterable[str] | None = None, strict: bool = False
) -> PluginManager:
    """Make a manager of these entry points alone."""
    return PluginManager(found=entries, only=only, strict=strict)


def bring(name: str) -> Any:
    """Make a plugin that brings a refait rule of a name."""

    class Plugin:
        @hookimpl
        def trente_refait_rules(self) -> list[Named]:
            return [Named(name, Rule)]

    return Plugin()


class Failing:
    """A plugin whose hook raises."""

    @hookimpl
    def trente_houses(self) -> list[HouseText]:
        """Raise."""
        raise ZeroDivisionError("oh")


class Mumbling:
    """A plugin that answers something else than its hook asks."""

    @hookimpl
    def trente_refait_rules(self) -> list[Any]:
        """Return a text."""
        return ["prison"]


def problem(found: PluginManager, name: str) -> str:
    """Return what the manager says is wrong with a plugin."""
    return next(report.problem for report in found.reports() if report.name == name)


def test_a_plugin_that_cannot_be_imported_is_told_by_name() -> None:
    """The rest works, and the report names the plugin and what it raised."""
    found = manager(
        entry("bad", "one", ImportError("no such thing")), entry("good", "two", bring("x"))
    )
    assert "ImportError: no such thing" in problem(found, "bad:one")
    assert found.rule("refait rule", "x").rule is Rule


@pytest.mark.parametrize(
    ("broken", "words"), [(Failing(), "ZeroDivisionError"), (Mumbling(), "Named")]
)
def test_a_plugin_whose_hook_fails_is_told_by_name(broken: Any, words: str) -> None:
    """A hook that raises, or answers something else, is reported; other plugins go on."""
    found = manager(entry("bad", "one", broken), entry("good", "two", bring("x")))
    assert words in problem(found, "bad:one")
    assert "x" in found.names("refait rule")


def test_strict_mode_raises_at_once() -> None:
    """In strict mode the first plugin that fails raises, naming it."""
    with pytest.raises(PluginError, match="'bad:one'") as caught:
        manager(entry("bad", "one", ImportError("no")), strict=True)
    assert caught.value.plugin == "bad:one"
    with pytest.raises(PluginError, match="'bad:one'"):
        manager(entry("bad", "one", Failing()), strict=True)


def test_shipped_names_are_reserved() -> None:
    """A stranger's ``prison`` is reported, and ours stays in force."""
    found = manager(entry("bold", "one", bring("prison")))
    assert "reserved" in problem(found, "bold:one")
    assert found.rule("refait rule", "prison").rule is not Rule


def test_a_name_that_two_bring_fails_when_used() -> None:
    """Both plugins are named; every other name works."""
    found = manager(entry("a", "one", bring("x")), entry("b", "two", bring("x")))
    with pytest.raises(PluginError, match="'a:one' and 'b:two'") as caught:
        found.rule("refait rule", "x")
    assert caught.value.code == "name-shared"
    assert found.rule("refait rule", "half-loss").name == "half-loss"
    with pytest.raises(ConfigurationError, match="'a:one' and 'b:two'"):
        loads_house('[house]\nname="h"\n[refait]\nrule="x"', plugins=found)


def test_misspelt_hooks_are_found() -> None:
    """An implementation of no hook is an error that names the nearest one."""

    class Misspelt:
        @hookimpl
        def trente_refait_rule(self) -> list[Named]:
            return []

    found = manager(entry("typo", "one", Misspelt()))
    with pytest.raises(PluginError, match="did you mean 'trente_refait_rules'") as caught:
        found.check_pending()
    assert caught.value.plugin == "typo:one"
    manager(entry("good", "one", bring("x"))).check_pending()


@pytest.mark.parametrize(
    ("allowed", "loaded"),
    [(None, {"x", "y"}), ("", set()), ("a", {"x"}), ("b:two", {"y"}), ("a, b", {"x", "y"})],
)
def test_the_environment_limits_strangers(
    monkeypatch: pytest.MonkeyPatch, allowed: str | None, loaded: set[str]
) -> None:
    """Names of distributions or of entries; empty for none; unset for all."""
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    if allowed is not None:
        monkeypatch.setenv(ENVIRONMENT, allowed)
    entries = [entry("a", "one", bring("x")), entry("b", "two", bring("y"))]
    monkeypatch.setattr("trente_rules.core.plugins.manager._installed", lambda: entries)
    names = set(PluginManager.from_environment().names("refait rule"))
    assert names & {"x", "y"} == loaded
    assert "prison" in names


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    """A misspelt rule: did you mean."""
    with pytest.raises(PluginError, match="did you mean 'half-loss'") as caught:
        manager().rule("refait rule", "half-los")
    assert caught.value.code == "unknown-refait-rule"


def test_a_rule_that_raises_is_a_fault_of_the_house() -> None:
    """A stranger's ``build`` that raises is told as a fault, not as a traceback."""

    @frozen
    class Bad:
        def build(self) -> dict[str, Any]:
            raise KeyError("what")

    class Plugin:
        @hookimpl
        def trente_refait_rules(self) -> list[Named]:
            return [Named("bad", Bad)]

    found = manager(entry("bad", "one", Plugin()))
    with pytest.raises(ConfigurationError) as caught:
        loads_house('[house]\nname="h"\n[refait]\nrule="bad"', plugins=found)
    assert [fault.code for fault in caught.value.faults] == ["rule-fails"]


@pytest.mark.parametrize(
    "thing",
    [
        HouseText("", "here", "x"),
        HouseText("h", "here", None),  # type: ignore[arg-type]
        HouseText(["a"], "here", "x"),  # type: ignore[arg-type]
    ],
)
def test_things_without_a_name_or_text_are_told(thing: HouseText) -> None:
    """What a hook answers must have texts where texts belong; the plugin is named."""

    class Plugin:
        @hookimpl
        def trente_houses(self) -> list[HouseText]:
            return [thing]

    assert "must be texts" in problem(manager(entry("bad", "one", Plugin())), "bad:one")


def test_a_plugin_that_leaves_is_told_and_does_not_end_the_program() -> None:
    """``sys.exit`` at import, or in a hook, is a failure like any other."""

    class Leaving:
        @hookimpl
        def trente_houses(self) -> list[HouseText]:
            raise SystemExit(3)

    found = manager(entry("a", "one", SystemExit(3)), entry("b", "two", Leaving()))
    assert "SystemExit" in problem(found, "a:one")
    assert "SystemExit" in problem(found, "b:two")


def test_a_rule_that_cannot_be_hashed_is_told() -> None:
    """A house is hashable, so its rules are: a class that is not frozen is refused."""

    @define
    class Soft:
        share: int = 1

    class Plugin:
        @hookimpl
        def trente_refait_rules(self) -> list[Named]:
            return [Named("soft", Soft)]

    assert "frozen" in problem(manager(entry("bad", "one", Plugin())), "bad:one")


def test_a_house_has_the_name_it_is_brought_under() -> None:
    """Another name inside is a fault, placed in the house's text."""

    class Plugin:
        @hookimpl
        def trente_houses(self) -> list[HouseText]:
            text = '[house]\nname = "other"\n[refait]\nrule = "half-loss"\n'
            return [HouseText("mine", "mine.toml", text)]

    with pytest.raises(ConfigurationError) as caught:
        load_house("mine", plugins=manager(entry("p", "one", Plugin())))
    (fault,) = caught.value.faults
    assert (fault.code, fault.line, fault.column) == ("wrong-name", 2, 8)
