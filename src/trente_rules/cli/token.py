"""``trente token``: tokens for the visitors of a service, and the keys that sign them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import click

from trente_rules.cli.output import misuse, warn_of_open_files
from trente_rules.cli.serve import TOKEN_FILES, check_service
from trente_rules.core.errors import TrenteError
from trente_rules.core.files import new_file
from trente_rules.core.text import printable
from trente_rules.fair.card_seal import KEY_BYTES
from trente_rules.fair.entropy import fresh_seed

_ROLES: Final = ("player", "dealer", "supervisor", "auditor")
_HOUR: Final = 3_600
_MOST_HOURS: Final = 30 * 24


@click.group(invoke_without_command=True)
@click.option("--role", type=click.Choice(_ROLES), help="What the visitor may do.")
@click.option("--name", metavar="NAME", help="The name that stakes and the journal will have.")
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="TABLE",
    help="A table that it opens; repeat for more, '*' for all.",
)
@click.option(
    "--hours",
    type=click.IntRange(1, _MOST_HOURS),
    default=12,
    show_default=True,
    help="How long it is valid.",
)
@click.option(
    "--key-file",
    "keys",
    multiple=True,
    envvar=TOKEN_FILES,
    type=click.Path(),
    metavar="FILE",
    help=f"The key of the service: the first one signs.  [{TOKEN_FILES}]",
)
@click.pass_context
def token_command(
    context: click.Context,
    *,
    role: str | None,
    name: str | None,
    tables: Sequence[str],
    hours: int,
    keys: Sequence[str],
) -> None:
    """Print a token for a visitor of trente serve; make keys that sign tokens.

    Such as: trente token --role player --name ann --table salle-3 --key-file house.key

    Anyone who has the token is the visitor until it expires; only a new key ends it earlier. See
    docs/service.md.

    Exit status: 0 printed, 1 the key cannot be read, 2 a wrong name, role or table.
    """
    if context.invoked_subcommand is not None:
        return
    given = {"--role": role, "--name": name, "--table": tables, "--key-file": keys}
    if missing := [option for option, value in given.items() if not value]:
        raise click.UsageError(f"{', '.join(missing)} needed")
    check_service()
    from trente_rules.service.tokens import Role, Tokens, Visitor  # noqa: PLC0415 - of the extra

    now = time.time()
    with misuse("bad-visitor", "bad-table-name"):
        visitor = Visitor(name or "", Role(role or ""), tables, int(now) + hours * _HOUR)
    tokens = Tokens.of_files(*keys)
    warn_of_open_files(keys)
    click.echo(tokens.issue(visitor, now))
    end = datetime.fromtimestamp(visitor.expires, UTC).strftime("%Y-%m-%d %H:%M UTC")
    opens = ", ".join(visitor.tables)
    click.echo(printable(f"{role} {name}, tables {opens}, until {end}"), err=True)


@token_command.command(short_help="Make a key that signs tokens, in the new file FILE.")
@click.argument("file", type=click.Path())
def key(file: str) -> None:
    """Make a key that signs tokens, in the new file FILE, for its owner alone.

    Give it to trente serve, and to whatever else signs tokens (HS256). Whoever can read it can be
    any visitor. Exit status: 0 written, 1 not written.
    """
    with new_file(file, TrenteError, private=True) as opened:
        opened.write(f"{fresh_seed(KEY_BYTES).hex()}\n".encode())
    click.echo(printable(f"{file} written: a key of {8 * KEY_BYTES} bits"))
