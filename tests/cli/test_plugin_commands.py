"""Commands that plugins bring: listed, called, and what is said where one cannot be had."""

from __future__ import annotations

import click
import pytest
from tests.cli.calling import trente

from trente_rules import PluginManager, hookimpl
from trente_rules.core import Subcommand


@click.command()
def hello() -> None:
    """Say so."""
    click.echo("hello from a plugin")


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
