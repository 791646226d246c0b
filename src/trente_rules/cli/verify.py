"""``trente verify``: a record and its shuffle, the chain of a journal, a certification pack."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import attrs
import click

from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import Output, key_option, report_options
from trente_rules.cli.records import unreadable, warn
from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.fair.card_seal import CardSeal
from trente_rules.fair.publication import read_published
from trente_rules.fair.verification import LEFT_OPEN, Check
from trente_rules.records.seal import verify_record
from trente_rules.records.tailles import is_journal, load_tailles, open_journal
from trente_rules.reports.document import Grid, Lines, Report
from trente_rules.table.journal import recover
from trente_rules.table.journal_chain import Head, place_of
from trente_rules.table.journal_signature import HeadVerifier, Signed
from trente_rules.table.journal_sql import SqlJournal


@click.command(
    cls=HelpedCommand,
    finds=True,
    examples=(
        ("trente verify taille.toml", "the seal of a record, and its shuffle"),
        ("trente verify table.journal", "the hash chain of a journal"),
        ("trente verify pack", "every file of a certification pack, and its figures"),
    ),
    status={
        0: "all that can be checked holds",
        1: "something does not hold",
        2: "a file cannot be read; wrong call",
        3: "it holds as far as the file shows: no commitment, plan or digest is compared",
        4: "a certification pack holds as far as it was checked: not all of it was made again",
    },
)
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option(
    "--reveal",
    metavar="FILE",
    help="The revealed provably fair shoe, as JSON: it holds the server seed.",
)
@click.option(
    "--commitment", metavar="HEX", help="The commitment that was published before the shoe."
)
@click.option("--nonce", type=int, help="The number of the fair shoe that was announced.")
@click.option("--client", "clients", multiple=True, metavar="TEXT", help="Your own seed; repeat.")
@click.option("--seeds", metavar="HEX", help="The digest of the list of client seeds.")
@click.option("--beacon", metavar="TEXT", help="The value that the beacon published.")
@click.option(
    "--head",
    metavar="SEQUENCE:HASH",
    help="A head of the journal, kept elsewhere: check that all of it is still there.",
)
@click.option(
    "--public-key",
    "keys",
    metavar="FILE",
    multiple=True,
    help="Check the signed heads of the journal by this key, and say what they cover; repeat.",
)
@click.option(
    "--digest", metavar="HEX", help="The digest of a certification pack, as it was printed."
)
@key_option("The key of a sealed journal: check that it opens all sealed cards.")
@report_options()
def verify_command(
    *,
    file: str,
    head: str | None,
    keys: tuple[str, ...],
    seal: CardSeal | None,
    digest: str | None,
    output: Output,
    **known: Any,
) -> None:
    """Verify a record, a journal or a certification pack.

    The first line says in a sentence whether it is proven; then each check has a line.

    Of a record: its SHA-256, the rules it holds, and where its shoe is provably fair and the server
    seed known, the commitment, cut, burn, marker, every card and the end; what both the record and
    --reveal hold is compared, and what was decided when the order was known is listed. A record is
    the house's, which can rewrite it when the evening is over: compare it with what you wrote down
    by --commitment, --nonce, --client, --seeds, --beacon; a shoe of trente-fair-1 leaves cut and
    marker to those who know the order. Of a journal: its hash chain, which anyone who can write to
    the file can rewrite; --head and --public-key find that. Whether the coups were settled right is
    for trente replay. Of a certification pack, a folder: each file against the manifest, and what
    is computed again from its house; --digest finds a manifest that was written anew. Rules,
    figures, PAR sheet or software that cannot be made again here are listed as not checked, and
    then nothing is proven.
    """
    if Path(file).is_dir():
        _of_pack(known, head, keys, seal)
        _verify_pack(file, digest, output)
    if digest is not None:
        raise click.UsageError("--digest is for a certification pack, which is a folder")
    try:
        if _of_journal(file, known, head=head, keys=keys):
            checks, alone = tuple(_journal_checks(file, head, keys, seal)), ""
        else:
            checks, alone = _record_checks(file, **known)
    except TrenteError as error:
        unreadable(error)
    holds = all(check.holds is not False for check in checks)
    told = [attrs.asdict(check) for check in checks]
    kept = head is not None or bool(keys)
    lines = [_verified(checks, alone, journal=is_journal(file), kept=kept), *map(str, checks)]
    output.show(_report(file, lines, told, holds=holds, complete=holds and not alone))
    sys.exit(1 if not holds else 3 if alone else 0)


def _report(
    file: str,
    lines: Iterable[str],
    told: Sequence[Mapping[str, Any]],
    *,
    holds: bool,
    complete: bool,
    **more: object,
) -> Report:
    return Report(
        f"{file} verified",
        [Lines(lines)],
        data=lambda: {
            "file": file,
            "holds": holds,
            "complete": complete,
            "checks": told,
            **more,
        },
        flat=Grid(
            "",
            tuple(field.name for field in attrs.fields(Check)),
            (tuple(check.values()) for check in told),
        ),
    )


def _of_pack(
    known: Mapping[str, Any], head: str | None, keys: Sequence[str], seal: CardSeal | None
) -> None:
    """Refuse options that are for a record or a journal."""
    given = {**known, "head": head, "public-key": keys, "key-file": seal}
    for name, value in given.items():
        if value not in (None, ()):
            option = "client" if name == "clients" else name
            raise click.UsageError(f"--{option} does nothing for a certification pack")


def _verify_pack(folder: str, digest: str | None, output: Output) -> NoReturn:
    """Verify a certification pack, and exit."""
    from trente_rules.reports.certification.verification import (  # noqa: PLC0415 - only a pack
        verify_pack,
    )

    try:
        found = verify_pack(folder, digest=digest)
    except TrenteError as error:
        unreadable(error)
    told = [attrs.asdict(check) for check in found.checks]
    lines = [str(found), *map(str, found.checks)]
    digest = found.digest
    holds, complete = found.holds, found.proven
    output.show(_report(folder, lines, told, holds=holds, complete=complete, digest=digest))
    sys.exit(0 if complete else 1 if not holds else 4 if found.unchecked else 3)


def _verified(checks: Iterable[Check], alone: str, *, journal: bool, kept: bool) -> str:
    """Return in a sentence whether a file is proven, not, or as far as it shows, and why."""
    wrong = next((check for check in checks if check.holds is False), None)
    if wrong is not None:
        return f"Not proven: {wrong.what}: {wrong.words}."
    if alone:
        return f"Holds as far as the record shows: {alone}."
    if journal and not kept:
        return (
            "Holds as far as the journal shows: compare it with what was kept elsewhere by --head "
            "or --public-key."
        )
    return "Proven: all that can be checked holds."


def _of_journal(
    file: str, known: Mapping[str, Any], *, head: str | None, keys: Sequence[str]
) -> bool:
    """Return whether a file is a journal; options of the other kind of file are misuse."""
    if not is_journal(file):
        if head is not None or keys:
            raise click.UsageError("--head and --public-key are for a journal")
        return False
    for name, given in known.items():
        if given not in (None, ()):
            option = "--client" if name == "clients" else f"--{name}"
            raise click.UsageError(f"{option} is for a record: write one with trente record --shoe")
    return True


def _record_checks(
    file: str, *, reveal: str | None, clients: tuple[str, ...], beacon: str | None, **known: Any
) -> tuple[tuple[Check, ...], str]:
    """Return the checks of a record, and why they are not the whole of it, if they are not."""
    told = None if reveal is None else read_published(reveal)
    (record,) = load_tailles(file).dealt()
    warn(iter((record,)))
    given = {"client_seeds": clients, "beacon_value": beacon, **known}
    checks = verify_record(record, reveal=told, **given)
    open_ = {check.what for check in checks if check.holds is None}
    if "published" in open_:
        return checks, "its commitment is not compared (--commitment)"
    if "cards" in open_:  # of a machine: perhaps a coup that is void
        return checks, "no card is compared"
    return checks, LEFT_OPEN if "plan" in open_ else ""


def _journal_checks(
    file: str, head: str | None, keys: Sequence[str], seal: CardSeal | None
) -> Iterator[Check]:
    if head is not None:
        place_of(head)
    verifier = HeadVerifier.load(*keys) if keys else None
    with open_journal(file, seal) as journal:
        yield _check("chain", lambda: _chain_words(journal.check()), "journal-changed")
        yield from _earlier_check(journal)
        if head is not None:
            words = "everything up to this head is unchanged"
            yield _check("head", lambda: (journal.check(head), words)[1], "other-head")
        if verifier is None and journal.signatures:
            words = f"{journal.signatures} signed heads; give the --public-key"
            yield Check("signatures", holds=None, words=words)
        if verifier is not None:
            yield _check(
                "signatures",
                lambda: _signed_words(journal.check_signatures(verifier)),
                "bad-signature",
            )
        yield _sealed_cards(journal, seal)


def _sealed_cards(journal: SqlJournal, seal: CardSeal | None) -> Check:
    """Return whether the cards to come are sealed, and open with the key that is given."""
    if not journal.sealed:
        words = "the journal is not sealed: its cards to come are in clear text"
        return Check("cards", holds=None, words=words)
    words = f"the cards to come are sealed with the key {journal.sealed}"
    if seal is None:
        return Check("cards", holds=None, words=words)

    def opened() -> str:
        for _entry in journal.entries():
            pass
        recover(journal)
        return f"{words}, and open with it"

    return _check("cards", opened, "seal-broken")


def _earlier_check(journal: SqlJournal) -> Iterator[Check]:
    """Say whether the file before this one was compared with the link to it, if there is one."""
    if journal.links:
        last = journal.links[-1]
        if last in journal.gone:
            words = f"{last.name} is not there: its end should be {last.last}:{last.hash}"
            yield Check("file before", holds=None, words=words)
        else:
            words = f"{last.name} ends where this one begins; its rows were not read"
            yield Check("file before", holds=True, words=words)


def _check(what: str, act: Callable[[], str], code: str) -> Check:
    """Return a check that does not hold where something raises the error of this code."""
    try:
        return Check(what, holds=True, words=act())
    except RecordError as error:
        if error.code not in (code, "journal-changed", "journal-moved"):
            raise
        return Check(what, holds=False, words=str(error))


def _chain_words(head: Head) -> str:
    return f"{head.sequence} commands, {head.events} events; head {head}"


def _signed_words(found: Signed) -> str:
    covered = "they cover all of it"
    if not found.whole:
        covered = f"the {found.uncovered} commands after it are not covered"
    count = "1 signed head" if found.signatures == 1 else f"{found.signatures} signed heads"
    return f"{count}; the last is {found.last}; {covered}"
