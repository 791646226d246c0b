"""What only a stranger's plugin can do: odd values, broken languages, closed streams, threads."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Generator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from attrs import frozen

from trente_rules import HouseText, Named, PluginError, PluginManager, hookimpl
from trente_rules.core.plugins import guard
from trente_rules.core.plugins.guard import alike, guarded, words_of
from trente_rules.core.plugins.hookspecs import Format, LanguageText
from trente_rules.core.rules.announcements import LanguageWarning


def manager_with(hook: str, *things: Any, strict: bool = False) -> PluginManager:
    """Return a manager with one plugin "my:rules", which adds things by one hook."""

    def bring(self: object) -> list[Any]:  # noqa: ARG001 - a method
        return [*things]

    bring.__name__ = hook
    found = PluginManager(only=(), strict=strict)
    found.register(type("Plugin", (), {hook: hookimpl(bring)})(), "my:rules")
    return found


@frozen
class Rule:
    """A rule that builds nothing."""

    def build(self, _money: object) -> dict[str, Any]:
        """Return no course."""
        return {}


# Formats


def test_a_format_of_a_plugin_renders_and_its_failure_names_it() -> None:
    """The text is what the plugin made; what it raises is a fault of the plugin."""
    found = manager_with(
        "trente_formats",
        Format("shout", lambda report, _width: str(report).upper()),
        Format("broken", lambda _report, _width: 1 // 0),  # type: ignore[arg-type, return-value]
    )
    assert found.format("shout").name == "shout"
    assert found.render("shout", "par", None) == "PAR"
    with pytest.raises(PluginError, match="'my:rules' fails while rendering 'broken'") as caught:
        found.render("broken", "par", None)
    assert caught.value.code == "plugin-broken"


@pytest.mark.parametrize(
    ("hook", "thing", "why"),
    [
        ("trente_formats", Format("x", 1), "render of 'x' is not a function"),  # type: ignore[arg-type]
        ("trente_refait_rules", Named("x", Rule, True), "the version of 'x' is not a whole number"),  # noqa: FBT003
    ],
)
def test_a_thing_that_cannot_be_used_is_reported(hook: str, thing: Any, why: str) -> None:
    """Checked when the plugin adds it, before anything uses it."""
    found = manager_with(hook, thing)
    (report,) = [each for each in found.reports() if each.name == "my:rules"]
    assert why in report.problem
    with pytest.raises(PluginError, match=why):
        manager_with(hook, thing, strict=True)


def test_a_strict_manager_takes_a_plugin_without_a_fault() -> None:
    """Every hook is asked at once, and nothing is raised."""
    found = manager_with("trente_refait_rules", Named("mine", Rule), strict=True)
    assert found.stranger("refait rule", "mine") == "my:rules"


def test_a_hook_of_another_release_may_be_optional() -> None:
    """As pluggy has it: an optional hook that is not known here is passed over."""

    class Plugin:
        @hookimpl(optionalhook=True)
        def trente_hook_to_come(self) -> None:
            """Do nothing."""

    found = PluginManager(only=(), strict=True)
    found.register(Plugin(), "my:rules")
    assert [each.problem for each in found.reports() if each.name == "my:rules"] == [""]


def test_a_wrapper_that_yields_twice_changes_nothing() -> None:
    """It is reported, and the things of the others stay."""

    class Wrapping:
        @hookimpl(wrapper=True)
        def trente_houses(self) -> Generator[None, list[HouseText], list[HouseText]]:
            things = yield
            yield
            return things[:0]

    found = PluginManager(only=())
    found.register(Wrapping(), "my:wrapper")
    assert "france-2007" in found.names("house")
    (report,) = [each for each in found.reports() if each.name == "my:wrapper"]
    assert "a wrapper yields once" in report.problem


# Who is blamed


def test_the_plugin_in_whose_code_an_error_arose_is_blamed() -> None:
    """The traceback says whose code it was; a Ctrl-C is the user's."""
    found = PluginManager(only=())
    found.register(sys.modules[__name__], "my:rules")
    with pytest.raises(ZeroDivisionError) as raised:
        Rule().build(1 // 0)
    with pytest.raises(PluginError, match="plugin 'my:rules' fails: ZeroDivision") as caught:
        found.blame(raised.value)
    assert (caught.value.code, caught.value.plugin) == ("plugin-broken", "my:rules")
    assert caught.value.__cause__ is raised.value
    PluginManager(only=()).blame(raised.value)  # nobody's: the caller raises it again
    found.blame(KeyboardInterrupt().with_traceback(raised.value.__traceback__))


def test_an_error_whose_text_raises_has_the_name_of_its_class() -> None:
    """A stranger's exception may fail to say what it is."""

    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert words_of(MuteError()) == "MuteError"


# Streams and threads


@pytest.mark.parametrize("file", [True, False])
def test_standard_error_that_a_plugin_closes_is_opened_again(
    file: bool,  # noqa: FBT001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S18: printing goes to standard error while a plugin runs; closing it is a fault."""
    path = tmp_path / "err"
    stream = path.open("w", encoding="utf-8") if file else io.StringIO()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        with pytest.raises(PluginError) as caught, guarded("my:rules", "busy"):
            sys.stderr.close()
        if file:
            assert sys.stderr is not stream
            sys.stderr.write("still here")
            sys.stderr.flush()
            os.close(sys.stderr.fileno())
    assert (caught.value.code, caught.value.plugin) == ("plugin-broken", "my:rules")
    assert not file or path.read_text("utf-8") == "still here"


def test_a_program_without_standard_error_runs_its_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a windowed program: nothing is redirected, and nobody is told who is slow."""
    monkeypatch.setattr(guard, "SLOW", 0.01)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        with guarded("my:rules", "busy"):
            time.sleep(0.1)
        done = True
    assert done


def test_a_plugin_may_run_in_any_thread() -> None:
    """Signals come to the main thread alone: elsewhere their handler is left as it is."""
    done = []

    def run() -> None:
        with guarded("my:rules", "busy"):
            done.append(1)

    thread = Thread(target=run)
    thread.start()
    thread.join()
    assert done == [1]


def test_values_without_attributes_and_code_within_code_are_compared() -> None:
    """S18: functions within functions are compared by their code, bare objects by their class."""
    inner = "lambda: (lambda: {})"
    made = [eval(inner.format(number)) for number in (1, 1, 2)]  # noqa: S307 - our own text
    assert alike(made[0], made[1])
    assert not alike(made[0], made[2])
    assert alike(object(), object())
    assert not alike(object(), 1)


# Languages


def language(more: str, *, fallback: str = "en", code: str = "xx") -> LanguageText:
    """Return a language that has the fallback's phrases, and more of its own."""
    numbers = list(PluginManager(only=()).language("en").numbers)
    head = (
        f'code = "{code}"\nname = "Mine"\nfallback = "{fallback}"\nnumbers = {numbers}\n[phrases]\n'
    )
    return LanguageText(code, f"{code}.toml", head + more)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("[rulebook]\nx = 1\n", "x"),
        ("[rulebook]\ntitle = '$nothing'\n", "nothing"),
        ("= 1", "not TOML"),
    ],
)
def test_a_language_that_is_not_valid_names_its_fault(more: str, why: str) -> None:
    """A sentence that is not a text, or that has a place that nothing fills."""
    found = manager_with("trente_languages", language(more))
    with pytest.raises(PluginError, match=r"language 'xx' of xx\.toml is not valid") as caught:
        found.language("xx")
    assert why in str(caught.value)
    assert caught.value.code == "bad-language"


def test_a_language_is_not_its_own_fallback() -> None:
    """Neither directly nor by way of another."""
    found = manager_with("trente_languages", language("", fallback="xx"))
    with pytest.raises(PluginError, match="'xx' is its own fallback"):
        found.language("xx")


def test_a_language_warns_of_what_it_borrows() -> None:
    """The phrases that it lacks are those of its fallback."""
    found = manager_with("trente_languages", language(""))
    with pytest.warns(LanguageWarning, match="language 'xx' has no .* more: said as in its"):
        mine = found.language("xx")
    assert mine.code == "xx"
    english = PluginManager(only=()).language("en")
    assert len(english.sentences) == len([*english.sentences])
