"""Plugins that hang, leave, close, lie about their name: each is named, and the rest works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count, repeat
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import frozen

from trente_rules import (
    ConfigurationError,
    Course,
    HouseText,
    Named,
    PluginError,
    PluginManager,
    Stake,
    Verdict,
    hookimpl,
    load_house,
    loads_house,
    refusals,
)
from trente_rules.core import Limits, TableBounds
from trente_rules.core.money import Money
from trente_rules.core.plugins import guard
from trente_rules.core.plugins.guard import alike, guarded
from trente_rules.core.plugins.manager import ENVIRONMENT

EVIL = {
    "trente-rules": "print('LOADED')\nimport trente_rules.core.plugins as p",
    "leaves": "import sys; sys.exit(0)",
    "base": "class Odd(BaseException): pass\nraise Odd('odd')",
    "stops": "raise GeneratorExit",
    "interrupts": "raise KeyboardInterrupt",
    "closes": "import sys; sys.__stdout__.close()",
    "file": "import os; os.close(1)",
    "endless": (
        "from itertools import repeat\nfrom trente_rules import HouseText, hookimpl\n"
        "@hookimpl\ndef trente_houses(): return repeat(HouseText('h', 'o', 't'))"
    ),
}


def installed(folder: Path, modules: dict[str, str]) -> None:
    """Write distributions, each with one plugin, as an installer leaves them."""
    for name, code in modules.items():
        module = f"evil_{name.replace('-', '_')}"
        info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[trente_rules]\nmine = {module}\n")
        (folder / f"{module}.py").write_text(code)


def ran(folder: Path, allowed: str | None, *words: str) -> subprocess.CompletedProcess[str]:
    """Run ``trente`` with the distributions of a folder."""
    names = {"PYTHONPATH": str(folder)} | ({} if allowed is None else {ENVIRONMENT: allowed})
    outside = {name: value for name, value in os.environ.items() if name != ENVIRONMENT}
    return subprocess.run(
        [sys.executable, "-c", "from trente_rules.cli import main; main()", *words],
        check=False,
        capture_output=True,
        text=True,
        env=outside | names,
        timeout=60,
    )


@pytest.mark.slow
def test_installed_plugins_that_misbehave_are_named_and_the_rest_works(tmp_path: Path) -> None:
    """S18: a status of 0 and nothing printed, a traceback, a hang: none of them happens."""
    installed(tmp_path, EVIL)
    alone, among = ran(tmp_path, "", "houses"), ran(tmp_path, None, "houses")
    assert alone.returncode == among.returncode == 0, among.stderr
    assert among.stdout == alone.stdout
    assert "france-2007" in among.stdout
    assert "LOADED" not in alone.stderr  # a name that is ours does not pass the allow list
    assert among.stderr == "LOADED\n"
    listed = ran(tmp_path, None, "plugins").stdout
    for name, what in (
        ("leaves:mine", "cannot be imported: SystemExit"),
        ("base:mine", "cannot be imported: Odd: odd"),
        ("stops:mine", "cannot be imported: GeneratorExit"),
        ("interrupts:mine", "cannot be imported: KeyboardInterrupt"),
        ("closes:mine", "cannot be imported: ValueError: it closed stdout"),
        ("file:mine", "cannot be imported: ValueError: it closed stdout"),
        ("endless:mine", "fails in trente_houses: TypeError: it returned more than 10,000 things"),
    ):
        assert name in listed
        assert what in " ".join(listed.split()), (what, listed)


def entry(name: str, load: Callable[[], Any], value: str = "") -> Any:
    """Make what looks like an entry point."""
    distribution, _, point = name.partition(":")
    dist = SimpleNamespace(name=distribution)
    return SimpleNamespace(name=point, dist=dist, load=load, value=value or distribution)


class Bringing:
    """A plugin that brings refait rules, whatever is returned for them."""

    def __init__(self, things: Callable[[], Iterable[Any]]) -> None:
        """Take what returns them."""
        self.things = things

    @hookimpl
    def trente_refait_rules(self) -> Any:
        """Return the rules."""
        return self.things()


def test_a_distribution_that_has_our_name_is_a_stranger(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """S18: ours are known by their module; the allow list and reserved names bind the other."""
    impostor = Bringing(lambda: [Named("prison", Steady), Named("other", Steady)])
    points = [entry(f"trente-rules:{name}", lambda: impostor) for name in ("builtin", "mine")]
    points.append(entry("Trente_Rules:houses", pytest.fail, "trente_variants"))  # of before 0.5
    none = PluginManager(found=points, only=[])
    assert "other" not in none.names("refait rule")
    assert "france-2007" in none.names("house")
    assert [report.name for report in none.reports()] == ["trente-rules:builtin"]
    some = PluginManager(found=points, only=["trente-rules:mine"])
    assert some.stranger("refait rule", "other") == "trente-rules:mine"
    assert some.stranger("refait rule", "prison") == ""
    every = {report.name: report.problem for report in PluginManager(found=points).reports()}
    assert set(every) == {
        *("trente-rules:builtin", "trente-rules:builtin=trente-rules", "trente-rules:mine")
    }
    assert "'prison', which is reserved by trente-rules" in every["trente-rules:mine"]
    assert capsys.readouterr().err == ""


@frozen
class Steady:
    """A refait rule."""

    def build(self, _money: Money) -> dict[str, Any]:
        """Return one state."""
        lost = Course("lost", returned=1)
        return {"free": {Verdict.REFAIT: [lost]}}


@pytest.mark.parametrize("things", [lambda: repeat(Named("x", Steady)), lambda: map(str, count())])
def test_an_endless_hook_ends(things: Callable[[], Iterable[Any]]) -> None:
    """S18: a plugin adds so many things of a kind, and no more."""
    found = PluginManager(only=())
    found.register(Bringing(things), "my:rules")
    assert "prison" in found.names("refait rule")
    (mine,) = (each for each in found.reports() if each.name == "my:rules")
    assert mine.problem.startswith("fails in trente_refait_rules: TypeError: it returned ")


def test_an_endless_wrapper_ends() -> None:
    """S18: what a wrapper makes of all answers is bounded too."""

    class Wrapping:
        @hookimpl(wrapper=True)
        def trente_houses(self) -> Any:
            yield
            return repeat(HouseText("h", "o", "t"))

    found = PluginManager(only=())
    found.register(Wrapping(), "my:rules")
    assert "france-2007" in found.names("house")
    (mine,) = (each for each in found.reports() if each.name == "my:rules")
    assert "more than 10,000 things" in mine.problem


def test_a_plugin_that_hangs_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """S18: on standard error, with the line where it is, while it is still busy."""
    monkeypatch.setattr(guard, "SLOW", 0.01)

    def hangs() -> list[Any]:
        while "test_guard.py, line " not in (said := capsys.readouterr().err):
            sleep(0.005)
        heard.append(said)
        return []

    heard: list[str] = []
    found = PluginManager(only=())
    found.register(Bringing(hangs), "my:rules")
    found.names("refait rule")
    assert heard[0].startswith("plugin 'my:rules' is still running trente_refait_rules after 0.01 ")


@pytest.fixture
def handled() -> Iterator[None]:
    """Handle SIGINT as Python does: in the background of a shell it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("handled")
def test_ctrl_c_stays_what_it_is_while_a_plugin_runs() -> None:
    """S18: the user's is a ``KeyboardInterrupt``; one that a plugin raises is its fault."""

    def pressed() -> list[Any]:
        signal.raise_signal(signal.SIGINT)
        return []

    def pretends() -> list[Any]:
        raise KeyboardInterrupt

    for things, kind in ((pressed, KeyboardInterrupt), (pretends, PluginError)):
        found = PluginManager(only=())
        with pytest.raises(kind):  # noqa: PT012 - one of both raises
            found.register(Bringing(things), "my:rules")
            PluginManager(strict=True, found=[entry("my:r", partial(Bringing, things))])
            found.names("refait rule")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_where_ctrl_c_is_ignored_no_interrupt_is_the_users() -> None:
    """S18: as in a job of a shell's background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(PluginError), guarded("my:rules", "busy"):
            raise KeyboardInterrupt
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_stream_that_a_plugin_closes_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """S18: what is printed afterwards arrives, and the plugin has failed."""
    read, write = os.pipe()
    with open(write, "w", encoding="utf-8", closefd=False) as out, os.fdopen(read) as pipe:
        monkeypatch.setattr(sys, "stdout", out)
        why = "'my:rules' fails while busy: ValueError: it closed"
        with pytest.raises(PluginError, match=why), guarded("my:rules", "busy"):
            os.close(write)
        with guarded("my:rules", "busy"):
            sys.stdout.write("ours")  # to standard error
        sys.stdout.write("still here\n")
        sys.stdout.flush()
        os.close(write)
        assert pipe.read() == "still here\n"


# Rules that fail, or change, where they are built and used


class Odd(BaseException):
    """No ``Exception``."""


def house_of(hook: str, rule: Any, toml: str) -> Any:
    """Read a house whose rule "mine" a plugin brings."""

    def things(_self: object) -> list[Named]:
        return [Named("mine", rule)]

    things.__name__ = hook
    found = PluginManager(only=())
    found.register(type("Plugin", (), {hook: hookimpl(things)})(), "my:rules")
    return loads_house(f'[house]\nname = "x"\n{toml}', plugins=found)


REFAIT = '[refait]\nrule = "mine"'
LIMITED = '[refait]\nrule = "all-lose"\n[limits]\nrule = "mine"'


@pytest.mark.parametrize("raises", [SystemExit, GeneratorExit, KeyboardInterrupt, Odd])
def test_a_rule_that_raises_no_exception_is_a_fault_of_the_house(
    raises: type[BaseException],
) -> None:
    """S18: whatever class ``build`` raises, the error names the plugin."""

    @frozen
    class Leaving:
        def build(self, _money: Money) -> Any:
            raise raises

    with pytest.raises(ConfigurationError) as caught:
        house_of("trente_refait_rules", Leaving, REFAIT)
    (fault,) = caught.value.faults
    assert fault.code == "rule-fails"
    assert "plugin 'my:rules' fails while building the rule 'mine'" in fault.message
    assert raises.__name__ in fault.message


@pytest.mark.parametrize("raises", [SystemExit, GeneratorExit, Odd])
def test_a_limit_that_raises_no_exception_is_named(raises: type[BaseException]) -> None:
    """S18: at the table too, where a Ctrl-C cannot be told from the user's and stays one."""

    def leave(*_arguments: object) -> list[Any]:
        raise raises

    @frozen
    class Leaving:
        def build(self, money: Money) -> Limits:
            return Limits(money, also=leave)

    house = house_of("trente_limit_rules", Leaving, LIMITED)
    with pytest.raises(PluginError, match=f"'my:rules' fails: {raises.__name__}"):
        refusals(house, [Stake("a", "ann", "rouge", 4)])


def test_a_rule_that_builds_another_table_each_time_is_refused() -> None:
    """S18: two fingerprints in two runs; built twice and compared it shows."""
    numbers = count(2)

    @frozen
    class Unsteady:
        def build(self, money: Money) -> Limits:
            return Limits(money, (TableBounds(1, next(numbers)),))

    with pytest.raises(ConfigurationError) as caught:
        house_of("trente_limit_rules", Unsteady, LIMITED)
    (fault,) = caught.value.faults
    assert fault.code == "unsteady-rule"
    assert "'mine' of plugin 'my:rules'" in fault.message

    @frozen
    class Closure:
        def build(self, money: Money) -> Limits:
            step = 2

            def odd(stakes: Any, _history: object, _opening: object) -> list[Any]:
                return [stake for stake in stakes if stake.amount % step]

            return Limits(money, also=odd)

    assert house_of("trente_limit_rules", Closure, LIMITED).limits_table.also is not None


class Plain:
    """A value without a comparison of its own."""

    def __init__(self, number: int) -> None:
        """Hold a number."""
        self.number = number

    def times(self, other: int) -> int:
        """Multiply."""
        return self.number * other


def adds(number: int) -> Callable[[int], int]:
    """Return a function that encloses a number."""
    return lambda other: other + number


@pytest.mark.parametrize(
    "make",
    [
        adds,
        Plain,
        lambda number: Plain(number).times,
        lambda number: partial(adds, number),
        lambda number: {"x": [(number, adds(number))]},
        lambda number: (number, None, number),
    ],
)
def test_values_made_twice_are_alike(make: Callable[[int], object]) -> None:
    """S18: functions and objects made anew are compared by what they are made of."""
    assert alike(make(1), make(1))
    assert not alike(make(1), make(2))
    assert not alike(make(1), None)


def test_a_house_of_ours_is_not_built_twice() -> None:
    """S18: the guard costs a shipped house nothing."""
    built = 0

    def build() -> int:
        nonlocal built
        built += 1
        return built

    assert load_house("france-2007").refait.built(build) == 1


def test_values_that_hold_themselves_are_compared() -> None:
    """S18: what a rule built may go in a circle; the comparison ends."""
    one: list[object] = [1]
    one.append(one)
    other: list[object] = [1]
    other.append(other)
    assert alike(one, one)
    assert alike(one, other)
    assert not alike(one, [2, one])
    assert alike([float("nan")], [float("nan")]) is False
