"""``trente journal``: copies of a journal, its head, and the keys that sign heads."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from trente_rules.cli.helped import HelpedGroup
from trente_rules.cli.output import Output, bar, report_options
from trente_rules.cli.records import unreadable
from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.files import new_file
from trente_rules.core.text import printable
from trente_rules.records.tailles import open_journal
from trente_rules.reports.document import Lines, Report
from trente_rules.table.journal_backup import back_up
from trente_rules.table.journal_signature import HeadSigner

_OF_COPY = ("file-exists", "file-unwritable")


@click.group(
    cls=HelpedGroup,
    examples=(
        ("trente journal backup table.journal copy.journal", "a copy while the table runs"),
        ("trente journal head table.journal", "where it ends, to be kept elsewhere"),
        ("trente journal keygen head.key", "a key that signs heads, and head.key.pub"),
    ),
)
def journal_command() -> None:
    """Copy a journal, print its head, make signing keys.

    docs/operation.md explains what to store where, and how a changed file is found.
    """


_STATUS: Final = {
    0: "done",
    1: "not written",
    2: "wrong call, or JOURNAL cannot be read",
}


@journal_command.command(
    examples=(
        ("trente journal backup table.journal copy.journal", "the size and the head of the copy"),
        ("trente journal backup table.journal 2.journal --format json", "the same as JSON"),
    ),
    status=_STATUS,
    finds=True,
)
@click.argument("journal", type=click.Path())
@click.argument("copy", type=click.Path())
@report_options()
def backup(journal: str, copy: str, output: Output) -> None:
    """Copy a journal while a table writes to it.

    COPY is one new file, for its owner alone. Every row of it is checked, and it is on the disk
    when the command ends; interrupted, it leaves nothing. Store the head that is printed elsewhere.

    A journal in PostgreSQL is copied by pg_dump.
    """
    try:
        with bar("pages") as moved:
            head = back_up(journal, copy, moved)
        with open_journal(journal) as opened:
            earlier = [link.name for link in opened.links]
    except TrenteError as error:
        if error.code in _OF_COPY:
            raise
        unreadable(error)
    size = Path(copy).stat().st_size
    lines = [
        f"{journal} copied to {copy}: {head.sequence} commands, {size / 1e6:.1f} MB, checked",
        f"head {head}",
    ]
    if earlier:
        lines.append(f"it names earlier files, which are not in it: {', '.join(earlier)}")
    data = {
        "journal": journal,
        "backup": copy,
        "bytes": size,
        "commands": head.sequence,
        "events": head.events,
        "head": str(head),
        "earlier": earlier,
    }
    output.show(Report(f"{journal} copied", (Lines(lines),), data=lambda: data))


@journal_command.command(
    "head",
    examples=(
        ("trente journal head table.journal", "SEQUENCE:HASH of the last command"),
        ("trente journal head table.journal --check", "the same, every row checked"),
    ),
    status=_STATUS,
)
@click.argument("journal", type=click.Path())
@click.option("--check", is_flag=True, help="Check every row against the hash chain first.")
@report_options()
def head_command(journal: str, output: Output, *, check: bool) -> None:
    """Print where a journal ends, as SEQUENCE:HASH.

    Store it where others cannot write: trente verify JOURNAL --head SEQUENCE:HASH then finds a tail
    that was cut off, and a chain that was written again.
    """
    try:
        with open_journal(journal) as opened:
            head = opened.check() if check else opened.head
            table = opened.meta["table"]
        if head is None:
            raise RecordError(
                f"journal {journal!r} has no head", "journal-changed", "restore a copy"
            )
    except TrenteError as error:
        unreadable(error)
    data = {
        "journal": journal,
        "table": table,
        "checked": check,
        "commands": head.sequence,
        "events": head.events,
        "head": str(head),
    }
    output.show(Report(f"Head of {journal}", (Lines([str(head)]),), data=lambda: data))


@journal_command.command(
    examples=(
        ("trente journal keygen head.key", "head.key, and head.key.pub for verifiers"),
        ("trente verify table.journal --public-key head.key.pub", "what the signed heads cover"),
    ),
    status=_STATUS,
    finds=True,
)
@click.argument("key", type=click.Path())
def keygen(key: str) -> None:
    """Make a key that signs heads.

    KEY is secret, KEY.pub is for verifiers. A host gives KEY to its journals:
    SqliteJournal(path, signer=HeadSigner.load(KEY)). Store KEY where people who can write to the
    journals cannot read it, and KEY.pub where they cannot write. Needs trente-rules[seal].
    """
    signer, known = HeadSigner.new(), f"{key}.pub"
    with new_file(key, RecordError, private=True) as secret, new_file(known, RecordError) as public:
        secret.write(signer.pem())
        public.write(signer.public_pem())
    click.echo(printable(f"{key} and {known} written: Ed25519, public key {signer.key}"))
