"""``trente record``: tailles from one form to another."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, NoReturn

import attrs
import click
from attrs import frozen

from trente_rules.cli.faults import print_error
from trente_rules.cli.output import Output, key_option, report_options
from trente_rules.cli.values import COUNT, HOUSE, PATH
from trente_rules.core.errors import ConfigurationError, RecordError, TrenteError
from trente_rules.core.files import new_file
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.core.text import json_text, printable, printable_lines
from trente_rules.fair.card_seal import CardSeal
from trente_rules.fair.publication import read_published
from trente_rules.fair.verification import LEFT_OPEN, Check
from trente_rules.records.files import dumps_record
from trente_rules.records.permanence import Noted, Permanence
from trente_rules.records.record import Record
from trente_rules.records.record_json import record_to_json
from trente_rules.records.replay import Replay, replay
from trente_rules.records.scorecard import ScoreCard, cards_text
from trente_rules.records.scorecard_drawing import cards_png, cards_svg
from trente_rules.records.seal import verify_record
from trente_rules.records.tailles import (
    Tailles,
    card_of_record,
    cards_of_permanence,
    is_journal,
    load_tailles,
    open_journal,
    records_of_journal,
    shoes_of_journal,
)
from trente_rules.reports.document import Grid, Lines, Part, Report
from trente_rules.table.journal import recover
from trente_rules.table.journal_chain import Head, place_of
from trente_rules.table.journal_signature import HeadVerifier, Signed
from trente_rules.table.journal_sql import SqlJournal


@click.command()
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(("toml", "compact", "json")),
    default="toml",
    show_default=True,
    help="toml: one record. compact: a permanence of all tailles. json: all that is there.",
)
@click.option("--shoe", type=COUNT, help="Only the taille of this shoe.")
@click.option(
    "--house", "name", type=HOUSE, help="json: add the verdicts of a permanence by this house."
)
@click.option("--out", metavar="FILE", help="A new file, instead of the standard output.")
@key_option("The key of a sealed journal, for the order of its cards.")
def record_command(
    *,
    files: tuple[str, ...],
    form: str,
    shoe: int | None,
    name: str | None,
    out: str | None,
    seal: CardSeal | None,
) -> None:
    """Read tailles and write them in another form.

    A FILE is a journal, a record (it ends in .toml), or else a permanence. As toml one taille is
    written: of a journal the last, or the one of --shoe; a permanence holds no cards and is
    written as compact or json. Exit status: 0 written, 1 not writable, 2 a file cannot be read.
    """
    if name is not None and form != "json":
        raise click.UsageError("--house does nothing but with --format json")
    _write(_text([(file, shoe, seal) for file in files], form, name), out)


def _text(
    files: Iterable[tuple[str, int | None, CardSeal | None]], form: str, name: str | None
) -> Iterator[str]:
    """Yield the text of all files in a form, part by part; exit with 2 where one is unreadable."""
    try:
        house = None if name is None else load_house(name)
        yield from _TEXTS[form]([_Source.of(*file) for file in files], house)
    except TrenteError as error:
        unreadable(error)


def _write(parts: Iterable[str | bytes], out: str | None) -> None:
    """Print what is made, or write it to a new file, part by part."""
    chunks = iter(parts)
    first = next(chunks, "")  # what cannot be read at all makes no file
    if out is None:
        for part in chain((first,), chunks):
            click.echo(part, nl=False)
    else:
        with new_file(out) as opened:
            for part in chain((first,), chunks):
                opened.write(part if isinstance(part, bytes) else part.encode())


def unreadable(error: TrenteError) -> NoReturn:
    """Print why a file cannot be read, and exit with 2."""
    print_error(error)
    sys.exit(2)


def warn(records: Iterator[Record]) -> None:
    """Print what was passed over in records, on the standard error."""
    for record in records:
        for warning in record.warnings:
            click.echo(f"warning: {printable(warning)}", err=True)
        if record.shoe.order_sealed:
            what = f"shoe {record.shoe.number}: the order is sealed, and left out: give --key-file"
            click.echo(f"warning: {what}", err=True)


@frozen
class _Source:
    """A file of tailles, or one of them; the records of a journal are made one after the other."""

    name: str
    shoe: int | None
    seal: CardSeal | None
    tailles: Tailles | None

    @classmethod
    def of(cls, file: str, shoe: int | None, seal: CardSeal | None) -> _Source:
        """Read a file; of a journal no more than what it is. ``seal`` is that of its cards."""
        return cls(file, shoe, seal, None if is_journal(file) else load_tailles(file, seal))

    @property
    def permanence(self) -> Permanence | None:
        """The permanence that the file is."""
        return None if self.tailles is None else self.tailles.permanence

    def records(self, shoe: int | None = None) -> Iterator[Record]:
        """Yield the records, or that of one shoe; print what was passed over in them."""
        wanted = shoe or self.shoe
        if self.tailles is None:
            found = records_of_journal(self.name, wanted, self.seal)
        else:
            known = self.tailles.records if wanted is None else self.tailles.dealt()
            found = (record for record in known if wanted in (None, record.shoe.number))
        missing = wanted is not None
        for record in found:
            missing = False
            warn(iter((record,)))
            yield record
        if missing:
            raise self._missing_error()

    def last(self) -> Iterator[Record]:
        """Yield the records that can be meant by one: of a journal the last."""
        if self.tailles is not None:
            self.tailles.dealt()
            return self.records()
        shoes = shoes_of_journal(self.name)
        return self.records(self.shoe or shoes[-1]) if shoes or self.shoe else iter(())

    def _missing_error(self) -> RecordError:
        if self.tailles is None:
            shoes: Iterable[int] = shoes_of_journal(self.name)
        else:
            shoes = (record.shoe.number for record in self.tailles.records)
        numbers = ", ".join(map(str, shoes)) or "none"
        what = f"{self.name!r} holds no shoe {self.shoe}"
        return RecordError(what, "no-such-shoe", f"shoes: {numbers}", self.name)


def _toml_text(read: Sequence[_Source], _house: House | None) -> Iterator[str]:
    whole = [record for each in read for record in each.last()]
    if len(whole) != 1:
        raise RecordError(
            f"{len(whole)} tailles cannot be written as one record",
            "several-tailles",
            "name one file, or write them as compact or json",
        )
    yield dumps_record(whole[0])


def _compact_text(read: Sequence[_Source], _house: House | None) -> Iterator[str]:
    noted = [each.permanence or Permanence.of_records(each.records()) for each in read]
    houses = {each.house for each in noted}
    same = noted[0].headers if len(houses) == 1 else ()
    text = str(Permanence(tuple(t for each in noted for t in each.tailles), same))
    yield printable_lines(text)


def _json_text(read: Sequence[_Source], house: House | None) -> Iterator[str]:
    """Yield the text of one object, record by record, as ``json.dumps`` would write it."""
    head = before = '{\n  "records": ['
    for each in read:
        for record in each.records():
            yield f"{before}\n    {_json(record_to_json(record), '    ')}"
            before = ","
    permanences = [
        _permanence(each.permanence, house) for each in read if each.permanence is not None
    ]
    end = f"{head}]" if before == head else "\n  ]"
    yield f'{end},\n  "permanences": {_json(permanences, "  ")}\n}}\n'


def _json(value: object, before: str) -> str:
    # No string holds a line break: JSON writes it with an escape.
    return json_text(value).replace("\n", f"\n{before}")


_TEXTS: Final = {"toml": _toml_text, "compact": _compact_text, "json": _json_text}
"""The forms that tailles are written in."""


def _permanence(permanence: Permanence, house: House | None) -> dict[str, Any]:
    known = house or (load_house(permanence.house) if permanence.house else None)
    return {
        "house": known.name if known else None,
        "headers": dict(permanence.headers),
        "tailles": [[_noted(noted, known) for noted in taille] for taille in permanence.tailles],
    }


def _noted(noted: Noted, house: House | None) -> dict[str, Any]:
    colours = (noted.colour, noted.second_colour)
    first, second = (None if colour is None else colour.id for colour in colours)
    told: dict[str, Any] = {
        "points": [noted.first, noted.second],
        "colour": first,
        "second_colour": second,
        "winners": list(noted.winners),
        "tie": noted.tie or None,
    }
    if house is not None:
        met = {chance.id: noted.verdict(chance, house) for chance in house.chances}
        told["verdicts"] = {
            chance: None if verdict is None else verdict.id for chance, verdict in met.items()
        }
    return told


# --- ``trente replay``: records dealt and settled again


@click.command()
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@click.option("--house", "name", type=HOUSE, help="Replay under a different house.")
@key_option("The key of a sealed journal: its shoes are dealt in their order.")
@report_options()
def replay_command(
    *, files: tuple[str, ...], name: str | None, output: Output, seal: CardSeal | None
) -> None:
    """Deal and settle records again, and print where anything differs.

    A FILE is a record, or a journal, whose tailles are all replayed. Exit status: 0 all is equal, 1
    something differs, 2 a file cannot be read (the others are replayed).
    """
    try:
        house = None if name is None else load_house(name)
    except TrenteError as error:
        unreadable(error)
    told: list[dict[str, Any]] = []
    parts: list[Part] = []
    status = 0
    for file in files:
        found: list[tuple[dict[str, Any], list[Part]]] = []  # what is printed: no record is held
        try:
            found.extend(
                ({"file": file, **_replay_json(each)}, [*_replay_parts(file, each)])
                for each in _replays(file, house, seal)
            )
        except TrenteError as error:
            click.echo(str(error), err=True)
            told.append({"file": file, "error": error.code, "message": str(error)})
            status = 2
            continue
        for one, lines in found:
            told.append(one)
            parts += lines
            if not one["equal"]:
                status = max(status, 1)
    columns = ("file", "table", "shoe", "house", "fingerprint", "coups", "stakes", "equal")
    flat = Grid("", columns, ((one.get(name) for name in columns) for one in told))
    output.show(Report("Tailles replayed", parts, data=lambda: {"replays": told}, flat=flat))
    sys.exit(status)


def _replays(file: str, house: House | None, seal: CardSeal | None) -> Iterator[Replay]:
    source = _Source.of(file, None, seal)
    if source.tailles is not None:
        source.tailles.dealt()  # a permanence holds no cards
    for record in source.records():
        yield replay(record, house, folder=Path(file).parent)


def _replay_json(found: Replay) -> dict[str, Any]:
    record = found.record
    return {
        "table": record.table.name,
        "shoe": record.shoe.number,
        "house": record.house.name,
        "fingerprint": record.house.fingerprint,
        "coups": len(record.coups),
        "stakes": sum(len(coup.stakes) for coup in record.coups),
        "equal": found.equal,
        "differences": [attrs.asdict(each) for each in found.differences],
        "notes": list(found.notes),
    }


def _replay_parts(file: str, found: Replay) -> Iterator[Part]:
    told = _replay_json(found)
    count = len(found.differences)
    answer = "equal" if found.equal else f"{count} difference{'s' if count > 1 else ''}"
    played = f"{told['coups']} coups, {told['stakes']} stakes"
    first = f"{file}: shoe {told['shoe']}, {played}: {answer}"
    yield Lines([first, *(f"  {note}" for note in found.notes)])
    if found.differences:
        yield Grid(
            "",
            (("coup", "d"), "stake", "field", "recorded", "computed"),
            (
                ("" if each.coup is None else each.coup, *attrs.astuple(each)[1:])
                for each in found.differences
            ),
        )


# --- ``trente verify``: the seal of a record, its shuffle, the chain of a journal


@click.command()
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option(
    "--reveal",
    metavar="FILE",
    help="What was revealed of a provably fair shoe, as JSON: it holds the server seed.",
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
    help="A head that the journal had, as it was kept elsewhere: is all of it still there?",
)
@click.option(
    "--public-key",
    "keys",
    metavar="FILE",
    multiple=True,
    help="Check the signed heads of the journal by this key, and say what they cover; repeat.",
)
@key_option("The key of a sealed journal: check that it opens all sealed cards.")
@report_options()
def verify_command(
    *,
    file: str,
    head: str | None,
    keys: tuple[str, ...],
    seal: CardSeal | None,
    output: Output,
    **known: Any,
) -> None:
    """Verify a record or a journal: that it is as it was sealed, and shuffled as committed.

    Of a record: its SHA-256, the rules it holds, and where its shoe is provably fair and the server
    seed known, the commitment, cut, burn, marker, every card and the end; what both the record and
    --reveal hold is compared, and what was decided when the order was known is listed. A record is
    the house's own, and can be made anew when the evening is over: compare it with what you wrote
    down by --commitment, --nonce, --client, --seeds, --beacon. Of a journal: its hash chain, which
    a stranger who can write to the file can make anew; --head and --public-key find that. Whether
    the coups were settled right is for trente replay.

    Exit status: 0 all that can be checked holds, 1 something does not, 2 a file cannot be read, 3
    it holds as far as a provably fair record shows, and no commitment was given, or its shoe is of
    trente-fair-1, which leaves cut and marker to those who know the order.
    """
    try:
        if _of_journal(file, known, head=head, keys=keys):
            checks, alone = tuple(_journal_checks(file, head, keys, seal)), ""
        else:
            checks, alone = _record_checks(file, **known)
    except TrenteError as error:
        unreadable(error)
    holds = all(check.holds is not False for check in checks)
    told = [attrs.asdict(check) for check in checks]
    lines = list(map(str, checks))
    if holds and alone:
        lines.insert(0, alone)
    report = Report(
        f"{file} verified",
        [Lines(lines)],
        data=lambda: {
            "file": file,
            "holds": holds,
            "complete": holds and not alone,
            "checks": told,
        },
        flat=Grid(
            "",
            tuple(field.name for field in attrs.fields(Check)),
            (tuple(check.values()) for check in told),
        ),
    )
    output.show(report)
    sys.exit(1 if not holds else 3 if alone else 0)


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
            raise click.UsageError(f"{option} is for a record: write one by trente record --shoe")
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
        return checks, "holds as far as the record shows: its commitment is not compared"
    if "cards" in open_:  # of a machine: perhaps a coup that is void
        return checks, "holds, but no card is compared"
    return checks, f"holds, but {LEFT_OPEN}" if "plan" in open_ else ""


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
            words = "all that was there at this head is there as it was"
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


# --- ``trente card``: the score card of a taille, the traditional carton

_DRAWN: Final[Mapping[str, Callable[[Sequence[ScoreCard]], str | bytes]]] = {
    "text": cards_text,
    "svg": cards_svg,
    "png": cards_png,
}
"""The forms of a card."""
PLAIN_HOUSE: Final = "france-2007"
"""What a permanence that names no house is read by."""


@click.command()
@click.argument("file", type=PATH, metavar="RECORD")
@click.option(
    "--format",
    "form",
    type=click.Choice(tuple(_DRAWN)),
    help="How it is drawn; png needs the extra report.  [default: the ending of --out, or text]",
)
@click.option("--taille", type=COUNT, help="Only this taille of several, from 1.")
@click.option("--house", "name", type=HOUSE, help="The house whose rules apply to a permanence.")
@click.option("--out", metavar="FILE", help="A new file, instead of the standard output.")
def card_command(
    *, file: str, form: str | None, taille: int | None, name: str | None, out: str | None
) -> None:
    """Draw tailles as the traditional carton: a dot in the winner's column, one line a coup.

    RECORD is a record (it ends in .toml), a journal, or a permanence that a player noted. An après
    is empty boxes, a refait crosses in all of them. Exit status: 0 drawn, 1 not writable, 2 the
    file cannot be read.
    """
    drawn = form or _form_of(out)
    if drawn == "png" and out is None and sys.stdout is not None and sys.stdout.isatty():
        raise click.UsageError("a PNG is not for a terminal: name a file by --out, or pipe")
    try:
        cards = _cards(file, name)
    except (RecordError, ConfigurationError) as error:
        unreadable(error)
    if taille is not None:
        if taille > len(cards):
            raise click.UsageError(f"--taille {taille}: {file} holds {len(cards)}")
        cards = cards[taille - 1 : taille]
    _write((_DRAWN[drawn](cards),), out)


def _form_of(out: str | None) -> str:
    """Return the form that the ending of a file says."""
    ending = Path(out).suffix.removeprefix(".").lower() if out else ""
    if ending in {"", "txt"}:
        return "text"
    if ending not in _DRAWN:
        raise click.UsageError(
            f"--out {out}: .{ending} is no form a card has; name a .txt, .svg or .png, or --format"
        )
    return ending


def _cards(file: str, name: str | None) -> tuple[ScoreCard, ...]:
    tailles = load_tailles(file)
    if tailles.permanence is None:
        if name is not None:
            raise click.UsageError("--house does nothing: the record holds its verdicts")
        return tuple(map(card_of_record, tailles.records))
    house = load_house(name or tailles.permanence.house or PLAIN_HOUSE)
    for fault in tailles.permanence.impossible(house):
        click.echo(f"warning: {fault}", err=True)
    return tuple(cards_of_permanence(tailles.permanence, house))
