"""Files of tailles: a record, a journal or a permanence; and their score cards."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from os import PathLike, fspath
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from attrs import field, frozen

from trente_rules.core.errors import ConfigurationError, RecordError, shown
from trente_rules.core.file_kinds import other_kind
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import is_file_name, loads_house
from trente_rules.fair.card_seal import CardSeal
from trente_rules.records.files import load_record, record_error
from trente_rules.records.permanence import Permanence, load_permanence
from trente_rules.records.record import Record
from trente_rules.records.recorder import Recorder, ShoeDraft
from trente_rules.records.scorecard import LETTERS, ScoreCard, ScoreLine
from trente_rules.table.coups import Touched
from trente_rules.table.entries import Entry
from trente_rules.table.journal import no_table_error
from trente_rules.table.journal_file import is_sqlite, names_database
from trente_rules.table.journal_postgres import PostgresJournal
from trente_rules.table.journal_sql import SqlJournal
from trente_rules.table.journal_sqlite import SqliteJournal
from trente_rules.table.snapshot import restore
from trente_rules.table.state import TableState

_TOML: Final = ".toml"
_PASSWORD: Final = re.compile(r"://[^/@]*:[^/@]*@|[?&]password=", re.IGNORECASE)


@frozen
class Tailles:
    """The tailles of a file: records, or a permanence.

    ``journal`` is true if the records were made from one.
    """

    name: str
    records: tuple[Record, ...] = field(repr=False)
    permanence: Permanence | None = None
    journal: bool = False

    @property
    def folder(self) -> Path:
        """The folder of the file, and of files that a record names."""
        return Path(self.name).parent

    def dealt(self) -> tuple[Record, ...]:
        """Return the records; ``RecordError`` ("no-cards") for a permanence."""
        if self.permanence is not None:
            raise RecordError(
                f"{self.name!r} is a permanence: it holds no cards",
                "no-cards",
                "give a record, or a journal",
                self.name,
            )
        return self.records


def is_journal(path: str | PathLike[str]) -> bool:
    """Return whether a file is an SQLite database, or a text names a journal in PostgreSQL.

    False where a file cannot be read.
    """
    return names_database(path) or is_sqlite(path)


@contextmanager
def open_journal(path: str | PathLike[str], seal: CardSeal | None = None) -> Iterator[SqlJournal]:
    """Open a journal to read: a file, or one in PostgreSQL.

    That is named ``postgresql://HOST/DATABASE#JOURNAL``, or ``...#SCHEMA/JOURNAL`` where it is not
    in the schema of journals that is usual; a ``#`` or ``/`` in a name is ``%23`` or ``%2F``. A
    password belongs into libpq's own places: what is named is printed. Raises ``RecordError``
    ("journal-empty", "bad-location", and as the journals themselves).
    """
    try:
        opened = _opened(fspath(path), seal)
    except RecordError as error:
        if error.code == "not-a-journal" and (other := other_kind(path, ("journal",))):
            raise record_error(ConfigurationError.of(other)) from error
        raise
    with opened as journal:
        if not journal.meta:
            raise no_table_error(f"journal {fspath(path)!r}")
        yield journal


def _opened(name: str, seal: CardSeal | None) -> SqlJournal:
    if not names_database(name):
        return SqliteJournal(name, read_only=True, seal=seal)
    conninfo, _, where = name.partition("#")
    schema, _, journal = where.rpartition("/")
    if _PASSWORD.search(conninfo):
        hint = "put it into ~/.pgpass, or into the environment variable PGPASSWORD"
        raise RecordError("the name of a journal holds a password", "bad-location", hint)
    if not journal:
        hint = "write postgresql://HOST/DATABASE#JOURNAL"
        raise RecordError(f"{shown(conninfo)} names no journal", "bad-location", hint)
    return PostgresJournal(
        conninfo, unquote(journal), schema=unquote(schema) or "trente", read_only=True, seal=seal
    )


def load_tailles(path: str | PathLike[str], seal: CardSeal | None = None) -> Tailles:
    """Read the tailles of a journal, of a record (it ends in ``.toml``), or of a permanence.

    Without its ``seal`` the records of a sealed journal have no order (``order_sealed``).

    Raises ``RecordError``; ``ConfigurationError`` where the house of a journal cannot be built.
    """
    name = fspath(path)
    if is_journal(path):
        return Tailles(name, tuple(records_of_journal(path, seal=seal)), journal=True)
    try:
        if name.endswith(_TOML) and is_file_name(name):
            return Tailles(name, (load_record(path),))
        return Tailles(name, (), load_permanence(path))
    except RecordError as error:
        if other := other_kind(path, ("record", "journal", "permanence")):
            raise record_error(ConfigurationError.of(other)) from error
        raise


def records_of_journal(
    path: str | PathLike[str], shoe: int | None = None, seal: CardSeal | None = None
) -> Iterator[Record]:
    """Yield the records of a journal, or that of one shoe, one after the other.

    Only shoes that a correction touches are held in memory. The rows are read once; twice where
    there are corrections; and of a single shoe that none touches, its own rows alone. Raises as
    ``load_tailles``, while the records are read.
    """
    with open_journal(path, seal) as journal:
        touched = Touched.by(journal.corrections()).shoes
        if shoe is not None and shoe not in touched:
            yield from _record_of_shoe(journal, shoe, seal)
            return
        last: dict[int, Record] = {}
        if touched:
            recorder = _recorder(journal)
            for _draft in _finished(recorder, _rows(journal), touched):
                pass
            last = {record.shoe.number: record for record in recorder.records}
        recorder = _recorder(journal)
        for draft in _finished(recorder, _rows(journal), touched):
            number = draft.shoe.number
            if shoe in (None, number):
                yield last[number] if number in last else recorder.record_of(draft)


def shoes_of_journal(path: str | PathLike[str]) -> tuple[int, ...]:
    """Return the numbers of the shoes in a journal's file, in their order."""
    with open_journal(path) as journal:
        return journal.shoes


def _recorder(journal: SqlJournal) -> Recorder:
    meta = journal.meta
    house = loads_house(meta["house_toml"], origin="<journal>")
    return Recorder(house, meta["table"], journal.opening)


def _rows(journal: SqlJournal) -> Iterator[Entry]:
    first = next(journal.entries(), None)
    # A file of several may begin within a shoe, whose opening is in the one before.
    return iter(()) if first is None else journal.since(first.shoe)


def _finished(
    recorder: Recorder, entries: Iterable[Entry], touched: Container[int]
) -> Iterator[ShoeDraft]:
    """Record entries; yield each shoe once it is over, the last one at the end."""
    for entry in entries:
        recorder.append(entry.command, entry.events)
        yield from recorder.finished(touched)
    yield from recorder.at_hand


def _state_of(snapshot: str, house: House, seal: CardSeal | None) -> TableState | None:
    """Return the state of a snapshot; None where it cannot be read, such as without its key."""
    try:
        return restore(snapshot, house, seal=seal).state
    except RecordError:
        return None


def _record_of_shoe(journal: SqlJournal, shoe: int, seal: CardSeal | None) -> Iterator[Record]:
    """Yield the record of a shoe that no correction touches, from its own rows."""
    begun = journal.shoe_begun(shoe)
    recorder = _recorder(journal)
    house = recorder.house
    state = None if begun is None else _state_of(begun, house, seal)
    free = state is not None and any(stake.free for stake in state.stakes)
    if state is None or state.shoe_number != shoe or state.coup_number or free:
        entries: Iterator[Entry] = _rows(journal)  # it began with a coup, or in an earlier file
    else:
        entries = takewhile(lambda entry: entry.shoe == shoe, journal.since(shoe))
        table = journal.meta["table"]
        recorder = Recorder(house, table, state.opening, prisoners=state.stakes)
    for draft in _finished(recorder, entries, ()):
        if draft.shoe.number == shoe:
            yield recorder.record_of(draft)
            return


def card_of_record(record: Record) -> ScoreCard:
    """Return the card of a record, without void coups."""
    lines = [
        ScoreLine.of_verdicts(coup.number, coup.verdicts, coup.points)
        for coup in record.coups
        if not coup.void
    ]
    chances = {chance for coup in record.coups for chance, _verdict in coup.verdicts}
    title = f"{record.house.name}, taille {record.shoe.number}"
    return ScoreCard.of(title, lines, chances or LETTERS)


def cards_of_permanence(permanence: Permanence, house: House) -> Iterator[ScoreCard]:
    """Yield a card for each taille of a permanence; the house says who won."""
    met = permanence.verdicts(house)
    for number, taille in enumerate(permanence.tailles, 1):
        lines = []
        for place, noted in enumerate(taille, 1):
            known = ((chance, each[number - 1][place - 1]) for chance, each in met.items())
            verdicts = ((chance, verdict.id if verdict else "") for chance, verdict in known)
            lines.append(ScoreLine.of_verdicts(place, verdicts, noted.points))
        yield ScoreCard.of(f"{house.name}, taille {number}", lines, house.deal.chances)
