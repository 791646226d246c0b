"""The settlements of a table, coup by coup, for ``monitor``.

They come from events, from the file of a journal, or from records. A taille counts once, although
several files have it: see ``Once``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, evolve, field, frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.machine import FREE
from trente_rules.core.stakes import Line
from trente_rules.records.record import CoupRecord, Record, StakeRecord
from trente_rules.table.coups import FOLDED, SettledCoup, Touched, final, settled_once
from trente_rules.table.coups import coups as coups_of
from trente_rules.table.events import ENDED_BY_RULES, VOIDED_BY_TABLE, Event
from trente_rules.table.journal_chain import Head
from trente_rules.table.journal_sql import SqlJournal


@frozen
class Settled:
    """The effect of one settlement on a stake; ``net`` is the bank's net result, in units.

    ``free`` is true where the stake was placed for this coup, ``ended`` where nothing of it stays.
    A stake returned because the session closes was placed for no coup.
    """

    stake: str
    chance: str
    insured: bool
    amount: int
    net: int
    free: bool
    ended: bool

    @classmethod
    def of_line(cls, line: Line) -> Settled:
        """Return the settlement in a line of a table."""
        stake, ended = line.stake, line.after is None
        free = stake.free and line.verdict != Verdict.CLOSE
        net = -line.player_net
        return cls(stake.id, stake.chance, line.insured, stake.amount, net, free, ended)

    @classmethod
    def of_record(cls, stake: StakeRecord) -> Settled:
        """Return the settlement in a record of a stake."""
        net = stake.forfeited + stake.premium - stake.premium_returned - stake.won
        free = stake.state == FREE and stake.verdict != Verdict.CLOSE.id
        ended = not stake.after
        return cls(stake.id, stake.chance, stake.insured, stake.amount, net, free, ended)


@frozen
class WatchedCoup:
    """A coup that counts: what it did to the stakes, and what was dealt.

    ``outcome`` is the index of what was dealt (``core.coup.outcome_index``), None where it is not
    known. ``taille`` names the taille, and ``number`` is the place of the coup in it, from 1.
    ``completed`` is the number of coups in the whole taille where this is its last one and nothing
    but the rules ended it; 0 in all others. ``cards`` identify the coup.
    """

    settled: tuple[Settled, ...]
    outcome: int | None = None
    taille: str = ""
    number: int = 1
    completed: int = 0
    cards: str = ""


Coups = Iterable[WatchedCoup]
"""The coups of a table, in their order."""


def coups_of_events(events: Iterable[Event]) -> Coups:
    """Return the coups of some events, as they are after corrections.

    Lines that belong to no coup (the end of a shoe or a session) are added to the coup before.
    """
    return tuple(_watched(final(coups_of(events))))


def coups_of_journal(journal: SqlJournal, head: Head | None = None) -> Iterator[WatchedCoup]:
    """Yield what ``coups_of_events`` returns of the events in a journal's file, coup by coup.

    Only coups that a correction changes are held in memory. It is read up to a ``head``, by default
    that of today: what is written meanwhile is left out.
    """
    head = head or journal.head
    touched = Touched.by(journal.corrections())

    def events() -> Iterable[Event]:
        return journal.events(FOLDED, head.sequence if head else 0)

    return _watched(settled_once(events, touched))


@define
class _Taille:
    """The taille at hand: its coups so far, and whether they are all of it."""

    shoe: int = 0
    coups: int = 0
    whole: bool = False

    def begun(self, shoe: int, number: int) -> None:
        """Follow the next coup that counts."""
        if shoe != self.shoe:
            self.shoe, self.coups, self.whole = shoe, 0, number == 1
        self.coups += 1

    def completed(self, why: str) -> int:
        """Return the coups of the taille that ended by its rules, 0 where some are not known."""
        return self.coups if self.whole and why in ENDED_BY_RULES else 0


def _watched(coups: Iterable[SettledCoup]) -> Iterator[WatchedCoup]:
    """Yield each coup that counts with what was closed after it."""
    group: WatchedCoup | None = None
    lines: list[Settled] = []
    taille = _Taille()
    for coup in coups:
        if coup.number and not coup.void:
            if group is not None:
                yield evolve(group, settled=tuple(lines))
            taille.begun(coup.shoe, coup.number)
            group, lines = _dealt(coup.coup, str(coup.shoe), coup.number), []
        elif coup.void and coup.void not in VOIDED_BY_TABLE:
            if coup.shoe != taille.shoe:
                taille.begun(coup.shoe, 0)
            taille.whole = False  # its cards are used up, and are in no coup that counts
        if group is not None:
            lines.extend(map(Settled.of_line, coup.counted))
            if coup.end is not None and coup.shoe == taille.shoe:
                group = evolve(group, completed=taille.completed(coup.end.why))
    if group is not None:
        yield evolve(group, settled=tuple(lines))


def _dealt(coup: Coup | None, taille: str, number: int) -> WatchedCoup:
    """Return a coup without its stakes."""
    if coup is None:
        return WatchedCoup((), None, taille, number)
    return WatchedCoup((), coup.outcome, taille, number, 0, str(coup))


def of_table(coups: Coups, table: str) -> Iterator[WatchedCoup]:
    """Yield coups that can be joined with those of other tables: ids name their table."""
    for coup in coups:
        settled = tuple(evolve(each, stake=f"{table}\n{each.stake}") for each in coup.settled)
        yield evolve(coup, settled=settled, taille=f"{table}\n{coup.taille}")


def coups_of_records(records: Iterable[Record]) -> Coups:
    """Return the coups of records, in the order of the records."""
    found: list[WatchedCoup] = []
    for record in records:
        kept = [coup for coup in record.coups if not coup.void]
        disturbed = any(coup.void and coup.void not in VOIDED_BY_TABLE for coup in record.coups)
        found += [_recorded(coup, record) for coup in kept]
        if found:
            last = found[-1]
            ended = record.end.why in ENDED_BY_RULES and kept and not disturbed
            found[-1] = evolve(
                last,
                settled=(*last.settled, *map(Settled.of_record, record.end.stakes)),
                completed=len(kept) if ended and kept[0].number == 1 else 0,
            )
    return tuple(found)


def _recorded(coup: CoupRecord, record: Record) -> WatchedCoup:
    shown = Coup.of_cards(coup.cards)
    dealt = _dealt(shown, str(record.shoe.number), coup.number)
    return evolve(dealt, settled=tuple(map(Settled.of_record, coup.stakes)))


@frozen
class Repeated:
    """Coups of one file that another one has too: they count once."""

    table: str
    shoe: str
    coups: int
    file: str
    first: str


@define
class Once:
    """Passes each coup of several files once.

    A taille is the same in two files where table and shoe have the same names and a coup of the
    same number has the same cards. A file may have a part of it; coups that only one file has are
    counted. Only what has been passed is remembered: some 300 bytes for each coup.
    """

    _files: list[str] = field(factory=list)
    _passed: dict[tuple[str, str], dict[int, dict[int, int]]] = field(factory=dict)
    _repeated: dict[tuple[str, str, int, int], int] = field(factory=dict)

    def coups(self, coups: Coups, table: str, file: str) -> Iterator[WatchedCoup]:
        """Yield the coups of a file that no file before it has."""
        here = len(self._files)
        self._files.append(file)
        same: dict[str, int] = {}
        for coup in coups:
            known = self._passed.setdefault((table, coup.taille), {}).setdefault(coup.number, {})
            mark = hash(coup.cards)
            if known.get(mark, here) != here:
                same.setdefault(coup.taille, known[mark])
            first = same.get(coup.taille)
            if first is not None and first in known.values():
                entry = (table, coup.taille, here, first)
                self._repeated[entry] = self._repeated.get(entry, 0) + 1
                continue
            known[mark] = here
            yield coup

    @property
    def repeated(self) -> tuple[Repeated, ...]:
        """The coups that were left out until now."""
        return tuple(
            Repeated(table, shoe, coups, self._files[file], self._files[first])
            for (table, shoe, file, first), coups in self._repeated.items()
        )
