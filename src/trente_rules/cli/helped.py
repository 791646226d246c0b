"""A command whose help has examples that run, and says how it exits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

USUAL_STATUS: Final = {0: "done", 2: "wrong call"}
"""The exit status of a command that has nothing to find."""


class HelpedCommand(click.Command):
    """A command with examples and exit statuses at the end of its help.

    ``examples`` are pairs of a command line and what it shows; ``status`` gives the meaning of
    each exit status. Both are values, so that tests run the examples and documents list them::

        @click.command(
            cls=HelpedCommand,
            examples=(("trente rules campione", "the rules of one house"),),
            status={0: "done", 2: "wrong call"},
        )
    """

    def __init__(
        self,
        *arguments: Any,
        examples: Sequence[tuple[str, str]] = (),
        status: Mapping[int, str] = USUAL_STATUS,
        **options: Any,
    ) -> None:
        """Take what ``click.Command`` takes, with examples and exit statuses."""
        super().__init__(*arguments, **options)
        self.examples = tuple(examples)
        self.status = dict(status)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, the exit statuses, and the epilog."""
        if self.examples:
            with formatter.section("Examples"):
                for line, shown in self.examples:
                    formatter.write_text(f"{line}")
                    formatter.indent()
                    formatter.write_text(shown)
                    formatter.dedent()
        if self.status:
            with formatter.section("Exit status"):
                formatter.write_dl([(str(number), text) for number, text in self.status.items()])
        super().format_epilog(ctx, formatter)
