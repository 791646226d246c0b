"""Files that hold tailles: a record, a journal, a permanence, recognised by their content."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import Final

from attrs import field, frozen

from trente_rules.core.errors import RecordError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import is_file_name, loads_house
from trente_rules.records.files import load_record
from trente_rules.records.permanence import Permanence, load_permanence
from trente_rules.records.record import Record
from trente_rules.records.recorder import Recorder
from trente_rules.records.scorecard import LETTERS, ScoreCard, ScoreLine
from trente_rules.table.journal import no_table_error
from trente_rules.table.journal_sqlite import SqliteJournal

_SQLITE: Final = b"SQLite format 3\0"
_TOML: Final = ".toml"


@frozen
class Tailles:
    """The tailles of a file: records, or a permanence.

    ``folder`` is where files that a record names are looked for; ``journal`` is true if the records
    were made from one.
    """

    name: str
    records: tuple[Record, ...] = field(repr=False)
    permanence: Permanence | None = None
    journal: bool = False

    @property
    def folder(self) -> Path:
        """The folder of the file."""
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
    """Return whether a file is an SQLite database; False where it cannot be read."""
    try:
        with Path(path).open("rb") as opened:
            return opened.read(len(_SQLITE)) == _SQLITE
    except (OSError, ValueError):
        return False


@contextmanager
def open_journal(path: str | PathLike[str]) -> Iterator[SqliteJournal]:
    """Open a journal to read; ``RecordError`` as ``SqliteJournal`` raises, "journal-empty"."""
    with SqliteJournal(path, read_only=True) as journal:
        if not journal.meta:
            raise no_table_error(f"journal {fspath(path)!r}")
        yield journal


def load_tailles(path: str | PathLike[str]) -> Tailles:
    """Read whatever holds tailles: a journal, a file that ends in ``.toml``, else a permanence.

    Raises ``RecordError``; ``ConfigurationError`` where the house of a journal cannot be built.
    """
    name = fspath(path)
    if is_journal(path):
        return Tailles(name, _of_journal(path), journal=True)
    if name.endswith(_TOML) and is_file_name(name):
        return Tailles(name, (load_record(path),))
    return Tailles(name, (), load_permanence(path))


def _of_journal(path: str | PathLike[str]) -> tuple[Record, ...]:
    with open_journal(path) as journal:
        meta = journal.meta
        house = loads_house(meta["house_toml"], origin="<journal>")
        recorder = Recorder(house, meta["table"], journal.opening)
        recorder.extend(journal.entries())
    return recorder.records


# --- The score cards of tailles that are kept in a file: records, journals, noted permanences


def card_of_record(record: Record) -> ScoreCard:
    """Return the card of a record; coups that are void are not on it."""
    lines = [
        ScoreLine.of_verdicts(coup.number, coup.verdicts, coup.points)
        for coup in record.coups
        if not coup.void
    ]
    chances = {chance for coup in record.coups for chance, _verdict in coup.verdicts}
    return ScoreCard.of(
        f"{record.house.name}, taille {record.shoe.number}", lines, chances or LETTERS
    )


def cards_of_permanence(permanence: Permanence, house: House) -> Iterator[ScoreCard]:
    """Yield a card for each taille that was noted; a house says who won."""
    for number, taille in enumerate(permanence.tailles, 1):
        lines = []
        for place, noted in enumerate(taille, 1):
            verdicts = [
                (chance.id, "" if met is None else met.id)
                for chance in house.chances
                for met in (noted.verdict(chance),)
            ]
            lines.append(ScoreLine.of_verdicts(place, verdicts, (noted.first, noted.second)))
        yield ScoreCard.of(f"{house.name}, taille {number}", lines, house.deal.chances)
