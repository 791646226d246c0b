"""The notes of a table: its statistics, and each player's coups, as they grow.

A reading that had to count a whole evening at each look would take too long: notes look at the
commands alone that were done since. They may be thrown away at any time; new ones are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from threading import Lock
from typing import Final

from attrs import define, evolve, field, frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.stakes import Line
from trente_rules.table.coups import CoupFold, SettledCoup
from trente_rules.table.entries import Entry, Journal
from trente_rules.table.events import Burned, CutMade, Event, MarkerPlaced, ShoeOpened
from trente_rules.table.statistics import LiveStatistics, Statistics
from trente_rules.table.table import Table

MOST_COUPS: Final = 300
"""The coups of each player that are known one by one; earlier ones only as sums."""
Place = tuple[int, int]
"""A coup by its shoe and its number."""


@define(eq=False)
class OwnCoups:
    """The coups of one player: the net of the last ones, in units, and sums of those before.

    ``lines`` counts the settled stakes of each coup: one without any left is not a coup of theirs.
    """

    nets: dict[Place, int] = field(factory=dict)
    lines: Counter[Place] = field(factory=Counter)
    staked: Counter[int] = field(factory=Counter)
    won: int = 0
    lost: int = 0
    neither: int = 0
    net: int = 0
    _oldest: Place = (0, 0)

    def count(self, place: Place, line: Line, sign: int) -> None:
        """Count the line of a stake; with ``sign`` -1 take it off again."""
        if line.stake.free and line.verdict != Verdict.CLOSE:
            self.staked[place[0]] += sign * line.stake.amount
        if place not in self.nets and (sign < 0 or place < self._oldest):
            self.net += sign * line.player_net  # of a coup that is a sum by now
            return
        self.nets[place] = self.nets.get(place, 0) + sign * line.player_net
        self.lines[place] += sign
        if not self.lines[place]:
            del self.nets[place], self.lines[place]
        while len(self.nets) > MOST_COUPS:
            self._oldest = next(iter(self.nets))
            net = self.nets.pop(self._oldest)
            del self.lines[self._oldest]
            self.net += net
            self.won += net > 0
            self.lost += net < 0
            self.neither += not net


@frozen
class NotesNow:
    """The notes at a moment: the sums of the session and of the taille, and the shoe's marks.

    ``own`` are the coups of the player who asked; an empty value for others.
    """

    session: Statistics
    taille: Statistics
    shoe: int
    cut: int | None
    burned: int
    marker: int | None
    own: OwnCoups


class TableNotes:
    """The notes of one table; any thread may ask for them."""

    def __init__(self, table: Table, journal: Journal | None = None) -> None:
        """Begin before the first command of the session that the journal, or the table, has."""
        self._table, self._journal, self._lock = table, journal, Lock()
        self._sequence = self._shoe = 0
        self._live, self._fold = LiveStatistics(), CoupFold(remember=False)
        self._taille = Statistics()
        self._own: dict[str, OwnCoups] = {}
        self._cut: int | None = None
        self._burned = 0
        self._marker: int | None = None

    def now(self, player: str = "") -> NotesNow:
        """Return what is noted after the last command."""
        with self._lock:
            for entry in self._new():
                self._sequence = entry.sequence
                for event in entry.events:
                    self._feed(event)
            own = self._own.get(player) or OwnCoups()
            copied = evolve(own, nets=dict(sorted(own.nets.items())), staked=Counter(own.staked))
            return NotesNow(
                self._live.counted,
                self._taille,
                self._shoe,
                self._cut,
                self._burned,
                self._marker,
                copied,
            )

    def _new(self) -> Iterable[Entry]:
        """Return the entries that were not looked at, from the journal where the table forgot."""
        known = self._table.entries
        first = known[0].sequence if known else 0
        if self._journal is not None and first != self._sequence + 1 and first > self._sequence:
            known = tuple(self._journal.since(max(self._shoe, 1)))
        return [entry for entry in known if entry.sequence > self._sequence]

    def _feed(self, event: Event) -> None:
        self._live.feed(event)
        match event:
            case ShoeOpened(shoe=shoe):
                self._shoe, self._cut, self._burned, self._marker = shoe, None, 0, None
                self._taille = Statistics()
            case CutMade(place=place):
                self._cut = place
            case Burned(count=count, cards=cards):
                self._burned = count - len(cards)
            case MarkerPlaced(from_end=from_end):
                self._marker = from_end
        coup = self._fold.feed(event)
        if coup is not None:
            self._count(coup)

    def _count(self, coup: SettledCoup) -> None:
        if coup.shoe == self._shoe:
            if coup.replaces is not None:
                self._taille = self._taille.with_coup(coup.replaces, -1)
            self._taille = self._taille.with_coup(coup)
        for sign, line in coup.changes():
            own = self._own.setdefault(line.stake.owner, OwnCoups())
            own.count((coup.shoe, coup.number), line, sign)
