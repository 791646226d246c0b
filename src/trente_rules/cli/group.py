"""The command group: commands are imported when they are called, errors end as sentences."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import Any, Final, NoReturn

import click

from trente_rules import __version__
from trente_rules.core.errors import PluginError, TrenteError
from trente_rules.core.plugins.guard import guarded, words_of
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.text import printable, printable_lines


class LazyGroup(click.Group):
    """The commands that plugins bring, ours among them; each is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """Return the names of the commands, in the order of the list."""
        return [command.name for command in default_manager().things("command")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command and return it; ``PluginError`` where a stranger's cannot be had."""
        manager = default_manager()
        if cmd_name not in manager.names("command"):
            return None
        target, plugin = manager.command(cmd_name).target, manager.stranger("command", cmd_name)
        module, _, name = target.partition(":")
        if not plugin:
            ours: click.Command = getattr(import_module(module), name)
            return ours
        try:
            with guarded(plugin, f"importing {module}"):
                command = getattr(import_module(module), name)
        except PluginError as error:
            cause = error.__cause__ or error
            why = f"cannot be imported: {words_of(cause)}"
            raise _command_error(plugin, why, target) from cause
        if not isinstance(command, click.Command):
            raise _command_error(plugin, "is not a click command", target)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing any."""
        commands = default_manager().things("command")
        with formatter.section("Commands"):
            formatter.write_dl([(printable(each.name), printable(each.help)) for each in commands])


def _command_error(plugin: str, problem: str, target: str) -> PluginError:
    return PluginError(f"{target} of plugin {plugin!r} {problem}", "plugin-broken", "", plugin)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="trente", message="%(prog)s %(version)s")
def trente() -> None:
    """Trente et quarante: houses, rules and exact advantages."""


_CLICK: Final = (click.ClickException, click.Abort, click.exceptions.Exit)


def run(arguments: list[str] | None = None) -> Any:
    """Run the command line and leave with its exit status: 0, 1 for faults, 2 for misuse.

    A warning is a line, without a place in our source.
    """
    usual = warnings.formatwarning
    warnings.formatwarning = _warning_line
    try:
        _run(arguments)
    finally:
        warnings.formatwarning = usual


def _warning_line(message: Warning | str, *_place: object, **_line: object) -> str:
    return f"warning: {printable(str(message))}\n"


def _run(arguments: list[str] | None) -> NoReturn:
    words = sys.argv[1:] if arguments is None else arguments
    try:
        # Not click's own main: that leaves with 1 where the reader of a pipe has gone.
        with trente.make_context("trente", list(words)) as context:
            try:
                trente.invoke(context)
            except (TrenteError, OSError, *_CLICK):
                raise
            except SystemExit as error:
                if not _of_stranger(context):  # the command of a plugin leaves as it will
                    default_manager().blame(error)
                raise
            except BaseException as error:
                _blame_closed_output(context, error)
                default_manager().blame(error)
                raise
            _blame_closed_output(context)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.ClickException as error:
        _show(error)
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
        click.echo(f"cannot write the output: {printable(str(error.strerror))}", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    sys.exit(0)


def _of_stranger(context: click.Context) -> str:
    """Return the plugin of the command that was called, nothing for one of ours."""
    name, manager = context.invoked_subcommand, default_manager()
    return manager.stranger("command", name) if name in manager.names("command") else ""


def _blame_closed_output(context: click.Context, error: BaseException | None = None) -> None:
    """Raise ``PluginError`` where the command of a plugin has closed the standard output."""
    plugin = _of_stranger(context)
    if plugin and sys.stdout is not None and sys.stdout.closed:
        what = f"plugin {plugin!r} closes the standard output in {context.invoked_subcommand!r}"
        raise PluginError(what, "plugin-broken", "", plugin) from error


def _show(error: click.ClickException) -> None:
    """Print an error of click's, which may quote what was typed; an error of ours has lines."""
    ours = isinstance(error.__cause__, TrenteError)
    vars(error)["message"] = (printable_lines if ours else printable)(error.message)
    error.show()


def _reader_has_gone() -> NoReturn:
    """Leave quietly: after `trente houses | head -1` nobody reads what is left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)
