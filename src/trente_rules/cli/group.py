"""The command group: commands are imported when they are called, errors end as sentences."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

import click

from trente_rules import __version__
from trente_rules.cli.helped import FINDS, MISSING_EXTRA, HelpedGroup
from trente_rules.cli.streams import discard_output, standard_streams
from trente_rules.cli.waiting import compiling_told
from trente_rules.core.errors import ConfigurationError, PluginError, RecordError, TrenteError
from trente_rules.core.plugins.guard import guarded, words_of
from trente_rules.core.plugins.hookspecs import Subcommand
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.text import printable, printable_lines

COMPLETE: Final = "_TRENTE_COMPLETE"
"""The environment variable by which a shell asks for completions."""
_WRONG_CALL: Final = frozenset(
    (
        *("file-missing", "file-too-large", "file-unreadable", "unknown-chance", "unknown-deal"),
        *("other-kind", "unknown-engine", "unknown-house", "unknown-language", "unknown-suffix"),
        "unknown-system",
    )
)
"""Codes of what is named on the command line, and is not known, not there, or not for it."""
_STOPPED: Final = 130


class LazyGroup(HelpedGroup):
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
        """Write the list of commands by groups, in columns that are alike, importing none."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for each in default_manager().things("command"):
            row = printable(each.name), printable(each.help)
            groups.setdefault(printable(each.group), []).append(row)
        longest = max((len(name) for rows in groups.values() for name, _help in rows), default=0)
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(longest), text) for name, text in rows])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Return the commands that begin so, importing none, and the options."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only in a completion

        commands: Sequence[Subcommand] = default_manager().things("command")
        return [
            *(
                CompletionItem(each.name, help=printable(each.help))
                for each in commands
                if each.name.startswith(incomplete)
            ),
            *click.Command.shell_complete(self, ctx, incomplete),
        ]


def _command_error(plugin: str, problem: str, target: str) -> PluginError:
    return PluginError(f"{target} of plugin {plugin!r} {problem}", "plugin-broken", "", plugin)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    subcommand_metavar="COMMAND [ARGS]...",
    epilog="Start with: trente play, trente rules france-2007, trente compare.",
)
@click.version_option(__version__, prog_name="trente", message="%(prog)s %(version)s")
def trente() -> None:
    """Trente et quarante: houses, exact odds, live tables, simulation."""


_CLICK: Final = (click.ClickException, click.Abort, click.exceptions.Exit)


def run(arguments: list[str] | None = None) -> Any:
    """Run the command line and exit with its status.

    It is 0 for what is done, 1 for faults and findings, 2 for a wrong call, 130 where it was
    interrupted. A warning is a line, without a place in our source.
    """
    usual = warnings.formatwarning
    warnings.formatwarning = _warning_line
    words = sys.argv[1:] if arguments is None else arguments
    try:
        with standard_streams() as nowhere, compiling_told():
            asked = os.environ.get(COMPLETE) if arguments is None else None
            status, finds = (_completed(asked), True) if asked else _called(list(words))
            status = _flushed(status)
            if nowhere.taken:
                _say("there is no standard output: the report is lost (name a file with --out)")
                status = status if finds else status or 1
    finally:
        warnings.formatwarning = usual
    sys.exit(status)


def _warning_line(message: Warning | str, *_place: object, **_line: object) -> str:
    return f"warning: {printable(str(message))}\n"


def _completed(asked: str) -> str | int | None:
    """Serve a shell that asks for completions, or for the script that asks for them."""
    from click.shell_completion import shell_complete  # noqa: PLC0415 - only in a completion

    with suppress(TrenteError, click.ClickException, OSError):  # on a line that is not whole yet
        return shell_complete(trente, {}, "trente", COMPLETE, asked)
    return 1


def _called(words: list[str]) -> tuple[str | int | None, bool]:
    """Run a command; return its exit status, and whether that is its answer."""
    finds = False
    try:
        # Not click's own main: that leaves with 1 where the reader of a pipe has gone.
        with trente.make_context("trente", words) as context:
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
            finally:
                finds = context.meta.get(FINDS, False)
            _blame_closed_output(context)
    except SystemExit as leave:
        return leave.code, finds
    except BrokenPipeError:
        discard_output()  # after `trente houses | head -1` nobody reads what is left
    except (*_CLICK, KeyboardInterrupt, TrenteError, OSError) as error:
        return _told(error), finds
    return 0, finds


def _told(error: BaseException) -> int:
    """Print what is wrong as a sentence, and return the exit status."""
    match error:
        case click.exceptions.Exit():
            return error.exit_code
        case click.ClickException():
            _show(error)
            return error.exit_code
        case click.Abort() | KeyboardInterrupt():
            _say("interrupted")
            return _STOPPED
        case TrenteError():
            _say_faults(error)
            return 2 if _is_wrong_call(error) else 1
        case OSError():
            _say(f"cannot write the output: {printable(str(error.strerror or error))}")
            discard_output()
    return 1


def _is_wrong_call(error: TrenteError) -> bool:
    """Return whether an error is about a name on the command line, or an extra that is missing."""
    if isinstance(error, ConfigurationError) and any(fault.key for fault in error.faults):
        return False  # a name in a file, such as that of the house it extends
    return error.code in _WRONG_CALL or error.code.startswith(MISSING_EXTRA)


def _flushed(status: str | int | None) -> str | int | None:
    """Write what is still to be written; return the exit status, 1 instead of 0 if it fails."""
    try:
        if not sys.stdout.closed:
            sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    except OSError as error:
        return status or _told(error)
    return status


def _say(text: str) -> None:
    """Print a sentence on the standard error; nothing can be said where that cannot be written."""
    with suppress(OSError):
        click.echo(text, err=True)


def _say_faults(error: TrenteError) -> None:
    """Print an error on the standard error; faults of a file with their lines."""
    from trente_rules.cli.faults import print_error  # noqa: PLC0415 - only an error needs it

    with suppress(OSError):
        print_error(error)


def _of_stranger(context: click.Context) -> str:
    """Return the plugin of the command that was called, nothing for one of ours."""
    name, manager = context.invoked_subcommand, default_manager()
    return manager.stranger("command", name) if name in manager.names("command") else ""


def _blame_closed_output(context: click.Context, error: BaseException | None = None) -> None:
    """Raise ``PluginError`` where the command of a plugin has closed the standard output."""
    plugin = _of_stranger(context)
    if plugin and sys.stdout.closed:
        what = f"plugin {plugin!r} closes the standard output in {context.invoked_subcommand!r}"
        raise PluginError(what, "plugin-broken", "", plugin) from error


def _show(error: click.ClickException) -> None:
    """Print an error of click's, which may quote what was typed; an error of ours has lines."""
    cause = error.__cause__
    if isinstance(cause, ConfigurationError | RecordError) and cause.faults:
        _say_faults(cause)  # the call was right: what is wrong is in the file
        return
    ours = isinstance(cause, TrenteError)
    vars(error)["message"] = (printable_lines if ours else printable)(error.message)
    with suppress(OSError):
        error.show()
