"""``trente completion``: the script by which a shell completes commands, options and names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from trente_rules.cli.group import COMPLETE, trente
from trente_rules.cli.helped import HelpedCommand

_SHELLS = ("bash", "zsh", "fish")


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente completion bash >> ~/.bashrc", "complete in every bash from now on"),
        ("trente completion fish > ~/.config/fish/completions/trente.fish", "the same in fish"),
        ("trente completion zsh", "the script, to be read before it is kept"),
    ),
)
@click.argument("shell", type=click.Choice(_SHELLS))
def completion_command(shell: str) -> None:
    """Print the script that completes commands in a shell.

    It completes commands and options, and the names of houses, chances, systems, languages, formats
    and files. Open a new shell once it is installed.
    """
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - of the choice above
    click.echo(kind(trente, {}, "trente", COMPLETE).source())
