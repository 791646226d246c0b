"""``trente token``: tokens for the visitors of a service, and the keys that sign them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import click

from trente_rules.cli.helped import HelpedGroup
from trente_rules.cli.output import misuse, warn_of_open_files
from trente_rules.cli.serve import TOKEN_FILES, check_service
from trente_rules.cli.values import WholeNumber
from trente_rules.core.errors import TrenteError
from trente_rules.core.files import new_file
from trente_rules.core.text import printable
from trente_rules.fair.card_seal import KEY_BYTES
from trente_rules.fair.entropy import fresh_seed

_ROLES: Final = ("player", "dealer", "supervisor", "auditor")
_HOUR: Final = 3_600
_MOST_HOURS: Final = 30 * 24


@click.group(
    cls=HelpedGroup,
    invoke_without_command=True,
    examples=(
        ("trente token key house.key", "a key that signs tokens"),
        (
            "trente token --role player --name ann --table '*' --key-file token.key",
            "a token for a player, valid for 12 hours",
        ),
    ),
    status={0: "printed", 1: "the key cannot be read", 2: "a wrong name, role or table"},
)
@click.option("--role", type=click.Choice(_ROLES), help="What the visitor may do.")
@click.option("--name", metavar="NAME", help="The name that stakes and the journal will have.")
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="TABLE",
    help="A table that the token opens; repeat for more, '*' for all.",
)
@click.option(
    "--hours",
    type=WholeNumber(1, _MOST_HOURS),
    metavar="N",
    default=12,
    show_default=True,
    help=f"How many hours it is valid, up to {_MOST_HOURS}.",
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
    """Print tokens for the visitors of a service.

    Anyone who has the token is the visitor until it expires; only a new key ends it earlier. Needs
    trente-rules[service]. See docs/service.md.
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


@token_command.command(
    examples=(
        ("trente token key house.key", "the key is in house.key"),
        ("trente serve --token-key-file house.key", "the service that takes its tokens"),
    ),
    status={0: "written", 1: "not written"},
    finds=True,
)
@click.argument("file", type=click.Path())
def key(file: str) -> None:
    """Make a key that signs tokens.

    It is written to the new file FILE, which its owner alone may read. Give it to trente serve, and
    to other programs that sign tokens (HS256). Anyone who can read it can be any visitor.
    """
    with new_file(file, TrenteError, private=True) as opened:
        opened.write(f"{fresh_seed(KEY_BYTES).hex()}\n".encode())
    click.echo(printable(f"{file} written: a key of {8 * KEY_BYTES} bits"))
