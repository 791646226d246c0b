"""The plugin manager: strangers' plugins, one by one, by name."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from attrs import define, frozen

from trente_rules import (
    ConfigurationError,
    Course,
    HouseText,
    Named,
    PluginError,
    PluginManager,
    Verdict,
    hookimpl,
    load_house,
    loads_house,
)
from trente_rules.core import Subcommand
from trente_rules.core.money import Money
from trente_rules.core.plugins import builtin
from trente_rules.core.plugins.manager import ENVIRONMENT


@frozen
class Rule:
    """A rule that builds nothing."""

    def build(self, _money: Money) -> dict[str, Any]:
        """Return no course."""
        return {}


def entry(distribution: str, name: str, load: Any) -> Any:
    """Make what looks like an entry point."""

    def do_load() -> Any:
        if isinstance(load, BaseException):
            raise load
        return load

    dist = SimpleNamespace(name=distribution)
    return SimpleNamespace(name=name, dist=dist, load=do_load, value=f"{distribution}.{name}")


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


def test_a_refait_rule_gets_the_money_of_its_house() -> None:
    """Amounts of a refait rule are turned into units as those of insurance and limits are."""
    seen: list[Money] = []

    @frozen
    class Rule:
        """A rule that only looks at the money."""

        def build(self, money: Money) -> dict[str, Any]:
            """Build a loss of the whole stake."""
            seen.append(money)
            return {"free": {Verdict.REFAIT: (Course("lost"),)}}

    class Plugin:
        """It has that rule."""

        @hookimpl
        def trente_refait_rules(self) -> Iterable[Named]:
            """Return the rule."""
            return (Named("looking", Rule),)

    manager = PluginManager(only=())
    manager.register(Plugin(), "mine:rules")
    text = (
        '[house]\nname = "x"\n[money]\nunit = "0.05"\ncurrency = "CHF"\n[refait]\nrule = "looking"'
    )
    loads_house(text, plugins=manager)
    assert {money.text(1) for money in seen} == {"0.05 CHF"}


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
    assert "did you mean 'trente_refait_rules'" in problem(found, "typo:one")
    with pytest.raises(PluginError, match="'trente_refait_rule', which is not a hook") as caught:
        manager(entry("typo", "one", Misspelt()), strict=True)
    assert caught.value.plugin == "typo:one"


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
        def build(self, _money: Money) -> dict[str, Any]:
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


class Wrapping:
    """A plugin that adds to what all others bring."""

    @hookimpl(wrapper=True)
    def trente_refait_rules(self) -> Generator[None, list[Any], list[Any]]:
        """Add a rule."""
        found = yield
        return [*found, Named("mine", Rule)]


def test_a_wrapper_acts() -> None:
    """A10: what a wrapper adds is there, as its own; what was there keeps its plugin."""
    found = PluginManager(only=())
    found.register(Wrapping(), "a:wrapping")
    assert [report.problem for report in found.reports() if report.problem] == []
    assert found.rule("refait rule", "mine").rule is Rule
    assert found.stranger("refait rule", "mine") == "a:wrapping"
    assert found.stranger("refait rule", "prison") == ""


def test_a_wrapper_may_leave_out_what_others_bring() -> None:
    """A10: a house that a wrapper takes out of the answers is not there; others are."""

    class Hiding:
        @hookimpl(wrapper=True)
        def trente_refait_rules(self) -> Generator[None, list[Any], list[Any]]:
            found = yield
            return [[rule for rule in answer if rule.name != "x"] for answer in found]

    found = manager(entry("a", "one", Hiding()), entry("b", "two", bring("x")))
    assert "x" not in found.names("refait rule")
    assert found.stranger("refait rule", "prison") == ""


def test_a_wrapper_that_fails_changes_nothing() -> None:
    """A10: it is reported by name, before or after what it wraps, and the rest works."""

    class Before:
        @hookimpl(wrapper=True)
        def trente_refait_rules(self) -> Generator[None, list[Any], list[Any]]:
            before = int("before")
            found = yield
            return [*found, before]

    class After:
        @hookimpl(wrapper=True)
        def trente_refait_rules(self) -> Generator[None, list[Any], list[Any]]:
            yield
            raise ZeroDivisionError("after")

    class Replacing:
        @hookimpl(wrapper=True)
        def trente_refait_rules(self) -> Generator[None, list[Any], list[Any]]:
            found = yield
            return [*found, Named("prison", Rule)]

    found = manager(
        entry("a", "one", Before()), entry("b", "two", After()), entry("c", "three", bring("x"))
    )
    found.register(Replacing(), "d:four")
    assert "before" in problem(found, "a:one")
    assert "after" in problem(found, "b:two")
    assert "reserved" in problem(found, "d:four")
    assert found.rule("refait rule", "x").rule is Rule
    assert found.rule("refait rule", "prison").rule is not Rule


def test_ordering_acts() -> None:
    """A10: ``tryfirst`` and ``trylast`` decide the order; without them, shipped, then by name."""

    def plugin(name: str, **options: Any) -> Any:
        class Plugin:
            @hookimpl(**options)  # type: ignore[untyped-decorator]
            def trente_commands(self) -> list[Subcommand]:
                return [Subcommand(name, "help", "module:command")]

        return Plugin()

    found = manager(
        entry("a", "one", plugin("late", trylast=True)),
        entry("b", "two", plugin("plain")),
        entry("c", "three", plugin("early", tryfirst=True)),
        entry("d", "four", plugin("plainer")),
    )
    names = [command.name for command in found.things("command")]
    assert names[0] == "early"
    assert names[-3:] == ["plain", "plainer", "late"]


def test_old_wrappers_are_refused_with_a_reason() -> None:
    """A10: an option that cannot act is said, and what to write."""

    class Old:
        @hookimpl(hookwrapper=True)
        def trente_houses(self) -> Generator[None, Any, None]:
            yield

    assert "write wrapper=True" in problem(manager(entry("a", "one", Old())), "a:one")


def test_the_fault_that_misses_a_rule_says_what_is_wrong_with_its_plugin() -> None:
    """T12a: the cause is in the fault, not in the reports alone."""

    class NotFrozen:
        def build(self, _money: Money) -> dict[str, Any]:
            return {}

    class Plugin:
        @hookimpl
        def trente_refait_rules(self) -> list[Named]:
            return [Named("mine", NotFrozen)]

    found = PluginManager(only=())
    found.register(Plugin(), "my:rules")
    with pytest.raises(ConfigurationError) as caught:
        loads_house('[house]\nname = "x"\n[refait]\nrule = "mine"', plugins=found)
    assert "unknown refait rule 'mine'" in str(caught.value)
    assert "'my:rules'" in str(caught.value)
    assert "TypeError: 'mine' is not a frozen attrs class" in str(caught.value)


def test_a_package_of_houses_alone_needs_no_hook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T12g: an entry point may name a package that holds folders with a ``house.toml``."""
    folder = tmp_path / "bare_houses" / "bare-1"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "house.toml").write_text('[house]\nname = "bare-1"\nextends = "campione"\n')
    monkeypatch.syspath_prepend(tmp_path)
    found = PluginManager(
        found=[
            *entry_points(group="trente_rules"),
            entry("bare", "h", import_module("bare_houses")),
        ]
    )
    assert load_house("bare-1", plugins=found).name == "bare-1"
    assert ("house bare-1",) in [report.brings for report in found.reports()]


@pytest.mark.parametrize(
    "name", ["Casino_Marina.Rules", "casino-marina-rules", "CASINO.MARINA_rules"]
)
def test_names_of_distributions_are_compared_as_packaging_tools_do(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """C8: case, hyphen, underscore and dot are alike."""
    found = manager(entry("Casino_Marina.Rules", "main", bring("x")), only=[name])
    assert "x" in found.names("refait rule")
    assert capsys.readouterr().err == ""


def test_a_name_that_matches_nothing_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """C8: on standard error, with the nearest name."""
    manager(entry("Casino_Marina.Rules", "main", bring("x")), only=["casino-marina-rule"])
    out, err = capsys.readouterr()
    assert "no distribution 'casino-marina-rule' (did you mean 'casino-marina-rules'?)" in err
    assert out == ""


def test_what_a_plugin_prints_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """C8: while it is loaded, and while it is asked."""

    class Talking:
        @hookimpl
        def trente_refait_rules(self) -> list[Named]:
            print("asked")  # noqa: T201 - what is tested
            return [Named("x", Rule)]

    def load() -> Any:
        print("loaded")  # noqa: T201 - what is tested
        return Talking()

    point = SimpleNamespace(name="one", dist=SimpleNamespace(name="a"), load=load, value="a")
    assert "x" in PluginManager(found=[cast("EntryPoint", point)]).names("refait rule")
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "loaded\nasked\n"


def test_a_hook_of_ours_that_raises_is_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest works; an interrupt while our own code runs is the user's, and ends the program."""

    def raising(error: type[BaseException]) -> Any:
        def trente_languages() -> list[Any]:
            raise error("odd")

        return hookimpl(trente_languages)

    monkeypatch.setattr(builtin, "trente_languages", raising(LookupError))
    found = manager()
    assert found.names("language") == ()
    assert "half-loss" in found.names("refait rule")
    with pytest.raises(PluginError) as caught:
        manager(strict=True)
    assert str(caught.value) == (
        "plugin 'trente-rules:builtin' fails in trente_languages: LookupError: odd"
    )
    assert isinstance(caught.value.__cause__, LookupError)
    monkeypatch.setattr(builtin, "trente_languages", raising(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        manager(strict=True)
