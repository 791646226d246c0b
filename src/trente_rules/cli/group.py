"""The command group: commands are imported when they are called, errors end as sentences."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, Final, NoReturn

import click

from trente_rules import __version__
from trente_rules.core.errors import TrenteError

COMMANDS: Final = {
    "compare": "houses side by side: the rules that differ, and the bank's advantage",
    "odds": "the next coup from the cards that are left: points, chances, edges, insurance",
    "par": "the PAR sheet of a house: odds, advantages, risks, by stake and by taille",
    "simulate": "deal many coups of one or more houses, beside what is exact",
    "count": "what a counter of every card could gain, by the depth of the shoe",
    "houses": "list the houses there are",
    "show": "all values of a house, its sources, and what is inferred",
    "rules": "the rules of a house in words, in the language you choose",
    "check": "find every fault of house files",
    "new": "write a house file to start from",
    "diff": "each key in which two houses differ, and what it does to the advantage",
    "fingerprint": "the fingerprint of a house's rules",
    "schema": "the JSON Schema of a house file",
    "history": "the last coups of a table, step by step, from its journal",
    "monitor": "turnover and net of tables beside what their rules make likely",
    "record": "tailles from one form to another: records, journals, permanences",
    "replay": "records dealt and settled again: where anything differs",
    "verify": "the seal of a record, its shuffle, the chain of a journal",
    "card": "the score card of a taille, as the traditional carton",
    "play": "the table to sit at, in the terminal",
    "rng": "export what shufflers give; verify provably fair shoes",
    "plugins": "the plugins there are, what they bring, what is wrong with them",
}
"""The commands, each with its line in the list of commands."""


_HOMES: Final = {
    "compare": "cli.compare",
    "odds": "cli.odds",
    "par": "cli.odds",
    "simulate": "cli.simulate",
    "count": "cli.odds",
    "houses": "cli.houses",
    "show": "cli.houses",
    "rules": "cli.houses",
    "check": "cli.houses",
    "new": "cli.houses",
    "diff": "cli.houses",
    "fingerprint": "cli.houses",
    "schema": "cli.houses",
    "history": "cli.table",
    "monitor": "cli.table",
    "record": "cli.records",
    "replay": "cli.records",
    "verify": "cli.records",
    "card": "cli.records",
    "play": "cli.play",
    "rng": "cli.rng",
    "plugins": "cli.houses",
}
"""The module of each command."""


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own, imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """Return the names of the commands, in the order of the list."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and answer a command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"trente_rules.{_HOMES[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="trente", message="%(prog)s %(version)s")
def trente() -> None:
    """Trente et quarante: houses, rules and exact advantages."""


def run(arguments: list[str] | None = None) -> Any:
    """Run the command line and leave with its exit status: 0, 1 for faults, 2 for misuse."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        # Not click's own main: that leaves with 1 where the reader of a pipe has gone.
        with trente.make_context("trente", list(words)) as context:
            trente.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    except TrenteError as error:
        click.echo(str(error), err=True)
        sys.exit(1)
    except BrokenPipeError:
        _reader_has_gone()
    except OSError as error:
        click.echo(f"cannot write the answer: {error.strerror}", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    sys.exit(0)


def _reader_has_gone() -> NoReturn:
    """Leave quietly: after `trente houses | head -1` nothing is left to say, nor to whom."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)
