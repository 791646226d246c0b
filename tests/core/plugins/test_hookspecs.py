"""What plugins hand in: values with defaults that a plugin relies on."""

from __future__ import annotations

from trente_rules.core.plugins.hookspecs import Subcommand


def test_a_command_of_a_plugin_is_listed_with_those_of_plugins() -> None:
    """The list of commands has a heading for those that name none."""
    command = Subcommand("count", "Count the coups of a taille.", "mine.cli:count")
    assert command.group == "From plugins"
    assert Subcommand("count", "Count.", "mine.cli:count", "Tools").group == "Tools"
