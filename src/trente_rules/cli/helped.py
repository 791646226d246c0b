"""Commands whose help has examples that run, and says how they exit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from trente_rules.core.errors import shown
from trente_rules.core.names import nearest

USUAL_STATUS: Final = {
    0: "done",
    1: "a file has faults, or something cannot be read or written",
    2: "wrong call: an unknown option or name, a missing extra",
}
"""The exit status of a command that has nothing to find."""
MISSING_EXTRA: Final = "needs-"
"""How the codes of errors begin that name an extra to install."""
FINDS: Final = f"{__name__}.finds"
"""The key of a context under which a command says that its exit status is its answer."""


class _Ending:
    """The end of a help: examples, exit statuses."""

    examples: tuple[tuple[str, str], ...] = ()
    status: Mapping[int, str] = USUAL_STATUS

    def write_end(self, formatter: click.HelpFormatter) -> None:
        """Write the examples, which are not wrapped, and the exit statuses."""
        if self.examples:
            with formatter.section("Examples"):
                before = " " * formatter.current_indent
                for line, shown_text in self.examples:
                    formatter.write(f"{before}{line}\n")
                    formatter.indent()
                    formatter.indent()
                    formatter.write_text(shown_text)
                    formatter.dedent()
                    formatter.dedent()
        if self.status:
            with formatter.section("Exit status"):
                formatter.write_dl([(str(number), text) for number, text in self.status.items()])


class HelpedCommand(_Ending, click.Command):
    """A command with examples and exit statuses at the end of its help.

    ``examples`` are pairs of a command line and what it shows; ``status`` gives the meaning of
    exit statuses where it is not the usual one. Both are values, so that tests run the examples and
    documents list them. ``finds`` says that the exit status is an answer, or about a file that is
    written: it is kept where the report cannot be printed::

        @click.command(
            cls=HelpedCommand,
            examples=(("trente rules campione", "the rules of one house"),),
            status={0: "no faults", 1: "faults"},
            finds=True,
        )
    """

    def __init__(
        self,
        *arguments: Any,
        examples: Sequence[tuple[str, str]] = (),
        status: Mapping[int, str] = USUAL_STATUS,
        finds: bool = False,
        **options: Any,
    ) -> None:
        """Take what ``click.Command`` takes, with examples and exit statuses."""
        super().__init__(*arguments, **options)
        self.examples = tuple(examples)
        self.status = dict(sorted({**USUAL_STATUS, **status}.items()))
        self.finds = finds

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and note whether its exit status is an answer."""
        ctx.meta[FINDS] = self.finds
        return super().invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, the exit statuses, and the epilog."""
        self.write_end(formatter)
        super().format_epilog(ctx, formatter)


class HelpedGroup(_Ending, click.Group):
    """A group of commands: each has a line that is not cut, a misspelt one a hint."""

    command_class = HelpedCommand

    def __init__(
        self,
        *arguments: Any,
        examples: Sequence[tuple[str, str]] = (),
        status: Mapping[int, str] | None = None,
        **options: Any,
    ) -> None:
        """Take what ``click.Group`` takes, with examples, and exit statuses if it runs itself."""
        super().__init__(*arguments, **options)
        self.examples = tuple(examples)
        self.status = {} if status is None else dict(sorted({**USUAL_STATUS, **status}.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; a wrong call with the name that is near for any other."""
        name = args[0]
        if ctx.resilient_parsing or name.startswith("-") or self.get_command(ctx, name):
            return super().resolve_command(ctx, args)
        known = self.list_commands(ctx)
        hint = nearest(name, known) or f"`{ctx.command_path} --help` lists all"
        raise click.UsageError(f"unknown command {shown(name)} ({hint})", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with the first line of its help."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, first_line(each)) for name, each in commands if each])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, the exit statuses, and the epilog."""
        self.write_end(formatter)
        super().format_epilog(ctx, formatter)


def first_line(command: click.Command) -> str:
    """Return the first line of the help of a command, which a list shows."""
    return (command.help or command.short_help or "").strip().partition("\n")[0]


class RetiredOption(click.Option):
    """An option of earlier releases: it still works, is not in the help, and prints a warning.

    ``instead`` is what to write now; ``since`` the release that retired it, ``until`` the one that
    removes it: a test fails when that release has come.
    """

    def __init__(self, *args: Any, since: str, until: str, instead: str, **rest: Any) -> None:
        """Take what ``click.Option`` takes, and the words of the warning."""
        super().__init__(*args, **{**rest, "hidden": True})
        self.since, self.until, self.instead = since, until, instead

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Register the option; each use of it prints the warning on the standard error."""
        super().add_to_parser(parser, ctx)
        for name in self.opts:
            found = parser._long_opt[name]  # noqa: SLF001 - click has no public way to see a use
            usual = found.process

            def used(value: Any, state: Any, name: str = name, usual: Any = usual) -> None:
                click.echo(f"warning: {self.warning(name)}", err=True)
                usual(value, state)

            found.process = used

    def warning(self, name: str) -> str:
        """Return the sentence that a use of the option prints."""
        return f"{name} is deprecated and will be removed in {self.until}: use {self.instead}"
