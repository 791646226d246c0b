"""Commands that plugins bring: listed, called, and what is said where one cannot be had."""

from __future__ import annotations

from types import ModuleType

import click
import pytest
from attrs import frozen
from tests.cli.calling import trente

from trente_rules import Named, PluginManager, hookimpl
from trente_rules.core import Format, Subcommand
from trente_rules.reports import Report


@click.command()
def hello() -> None:
    """Say so."""
    click.echo("hello from a plugin")


@click.command()
def fails() -> None:
    """Raise something of its own."""
    raise ZeroDivisionError("nothing to divide by")


@frozen
class Failing:
    """A system that cannot begin."""

    def start(self) -> int:
        """Raise something of its own."""
        raise ZeroDivisionError("nothing to divide by")


def render(report: Report, width: int | None) -> str:
    """Raise something of its own."""
    raise ZeroDivisionError(f"nothing to divide {report.title} by at {width}")


class Broken:
    """A plugin whose things can be had, and fail when they are used."""

    @hookimpl
    def trente_commands(self) -> list[Subcommand]:
        """Return a command that fails."""
        return [Subcommand("fails", "fail", f"{__name__}:fails")]

    @hookimpl
    def trente_formats(self) -> list[Format]:
        """Return a format that fails."""
        return [Format("failing", render, ".f")]

    @hookimpl
    def trente_systems(self) -> list[Named]:
        """Return a system that fails."""
        return [Named("failing", Failing)]


text = "not a command"


def with_commands(monkeypatch: pytest.MonkeyPatch, *plugins: tuple[str, Subcommand]) -> None:
    """Make the plugins of this process those that are shipped, and these."""
    manager = PluginManager(only=())
    for name, command in plugins:

        class Plugin:
            @hookimpl
            def trente_commands(self, command: Subcommand = command) -> list[Subcommand]:
                return [command]

        manager.register(Plugin(), name)
    monkeypatch.setattr("trente_rules.cli.group.default_manager", lambda: manager)


def test_a_stranger_adds_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """A10: it is listed beside ours, imported and called by its name."""
    command = Subcommand("hello", "say hello", f"{__name__}:hello")
    with_commands(monkeypatch, ("a:one", command))
    assert "say hello" in trente("--help").out
    assert trente("hello").out == "hello from a plugin\n"
    assert trente("houses", "--format", "json").status == 0


@pytest.mark.parametrize("target", [f"{__name__}:text", f"{__name__}:missing", "no_such:thing"])
def test_a_command_that_cannot_be_had_names_its_plugin(
    monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    """A10: a sentence and exit status 1; every other command works."""
    with_commands(monkeypatch, ("a:one", Subcommand("hello", "say hello", target)))
    ran = trente("hello")
    assert ran.status == 1
    assert "plugin 'a:one'" in ran.err
    assert trente("fingerprint", "campione").status == 0


def test_a_command_that_two_plugins_bring_names_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """A10: when it is used, not before."""
    command = Subcommand("hello", "say hello", f"{__name__}:hello")
    with_commands(monkeypatch, ("a:one", command), ("b:two", command))
    assert trente("--help").out.count("say hello") == 1
    ran = trente("hello")
    assert ran.status == 1
    assert "'a:one'" in ran.err
    assert "'b:two'" in ran.err


@pytest.mark.parametrize(
    "command",
    [
        ("fails",),
        ("houses", "--format", "failing"),
        ("simulate", "campione", "--system", "failing", "--coups", "10"),
    ],
)
def test_what_fails_when_it_is_used_names_its_plugin(
    monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """T12c: a command, a format or a system that raises is one sentence, with its place."""
    manager = PluginManager(only=())
    manager.register(Broken(), "a:broken")
    for module in ("cli.group", "cli.output", "players.seats"):
        monkeypatch.setattr(f"trente_rules.{module}.default_manager", lambda: manager)
    ran = trente(*command)
    assert ran.status == 1
    assert ran.err.startswith("plugin 'a:broken' fails")
    assert ": ZeroDivisionError: nothing to divide " in ran.err
    assert "test_plugin_commands.py, line " in ran.err


def test_a_fault_of_ours_is_not_laid_on_a_plugin() -> None:
    """T12c: an exception that no code of a plugin had to do with is left as it is."""
    manager = PluginManager(only=())
    manager.register(ModuleType("elsewhere"), "a:elsewhere")
    try:
        int("x")
    except ValueError as error:
        manager.blame(error)
