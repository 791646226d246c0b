"""``trente verify``: the seal of a record, its shuffle, the chain of a journal."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import attrs
import click

from trente_rules.cli.output import print_json
from trente_rules.cli.record import unreadable, warn
from trente_rules.deal.fair_check import verify_reveal
from trente_rules.errors import RecordError, TrenteError
from trente_rules.table.records.opening import is_journal, load_tailles, open_journal
from trente_rules.table.records.verifying import Check, verify_record

LARGEST: Final = 1_000_000
"""Bytes of a revealed shoe that are read."""


@click.command()
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option(
    "--reveal",
    metavar="FILE",
    help="What was revealed of a provably fair shoe, as JSON: it holds the server seed.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def command(file: str, reveal: str | None, form: str) -> None:
    """Verify a record or a journal: that it is as it was sealed, and shuffled as committed.

    Of a record: its SHA-256, the rules it holds, and where its shoe is provably fair and the server
    seed known, the commitment and every card. Of a journal: its hash chain. Whether the coups were
    settled right is told by trente replay. Exit status: 0 all that can be checked holds, 1
    something does not, 2 a file cannot be read.
    """
    try:
        checks = _checks(file, reveal)
    except TrenteError as error:
        unreadable(error)
    holds = all(check.holds is not False for check in checks)
    if form == "json":
        print_json(
            {"file": file, "holds": holds, "checks": [attrs.asdict(check) for check in checks]}
        )
    else:
        for check in checks:
            click.echo(str(check))
    sys.exit(0 if holds else 1)


def _checks(file: str, reveal: str | None) -> tuple[Check, ...]:
    if is_journal(file):
        if reveal is not None:
            raise click.UsageError("--reveal is for a record: write one by trente record --shoe")
        return (_chain(file),)
    seed = "" if reveal is None else _seed(reveal)
    (record,) = load_tailles(file).dealt()
    warn(iter((record,)))
    return verify_record(record, seed)


def _chain(file: str) -> Check:
    with open_journal(file) as journal:
        try:
            head = journal.check()
        except RecordError as error:
            if error.code != "journal-changed":
                raise
            return Check("chain", holds=False, words=str(error))
    return Check("chain", holds=True, words=f"{head.sequence} commands, {head.events} events")


def _seed(reveal: str) -> str:
    """Read the server seed of a revealed shoe, which must be one."""
    try:
        with Path(reveal).open("rb") as opened:
            data = opened.read(LARGEST + 1)
        told: Any = json.loads(data[:LARGEST].decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or "it is no JSON"
        raise RecordError(
            f"{reveal!r} cannot be read: {why}", "bad-reveal", "give what reveal() answered"
        ) from error
    if not isinstance(told, dict):
        raise RecordError(f"{reveal!r} is no object", "bad-reveal", "give what reveal() answered")
    verify_reveal(told)
    return str(told["server_seed"])
