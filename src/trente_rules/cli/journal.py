"""``trente journal``: copies of a journal, its head, and the keys that sign heads."""

from __future__ import annotations

from pathlib import Path

import click

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


@click.group()
def journal_command() -> None:
    """Copy a journal while a table runs; print its head; make keys that sign heads.

    What is kept where, and how it is found that a file was changed: docs/operation.md.
    """


@journal_command.command()
@click.argument("journal", type=click.Path())
@click.argument("copy", type=click.Path())
@report_options()
def backup(journal: str, copy: str, output: Output) -> None:
    """Copy JOURNAL to the new file COPY, also while a table writes to it.

    The copy is one file, for its owner alone. Every row of it is checked, and it is on the disk
    when this ends; broken off, it leaves nothing. Keep the head that is printed elsewhere. Exit
    status: 0 copied and checked, 1 not written, 2 JOURNAL cannot be read.

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


@journal_command.command("head", short_help="Print where JOURNAL ends, as SEQUENCE:HASH.")
@click.argument("journal", type=click.Path())
@click.option("--check", is_flag=True, help="First check every row against the hash chain.")
@report_options()
def head_command(journal: str, output: Output, *, check: bool) -> None:
    """Print where JOURNAL ends, as SEQUENCE:HASH: keep it where others cannot write.

    trente verify JOURNAL --head SEQUENCE:HASH then finds a tail that was cut off, and a chain that
    was made anew. Exit status: 0 printed, 2 JOURNAL cannot be read.
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


@journal_command.command(short_help="Make a key that signs heads: KEY, and KEY.pub.")
@click.argument("key", type=click.Path())
def keygen(key: str) -> None:
    """Make a key that signs heads: KEY, which is secret, and KEY.pub for verifiers.

    A host gives it to its journals: SqliteJournal(path, signer=HeadSigner.load(KEY)). Keep KEY
    where those who can write to the journals cannot read it, and KEY.pub where they cannot write.
    """
    signer, known = HeadSigner.new(), f"{key}.pub"
    with new_file(key, RecordError, private=True) as secret, new_file(known, RecordError) as public:
        secret.write(signer.pem())
        public.write(signer.public_pem())
    click.echo(printable(f"{key} and {known} written: Ed25519, public key {signer.key}"))
