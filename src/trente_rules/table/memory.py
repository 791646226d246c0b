"""The memory of a table: the entries of its last shoes; those before them are in its journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Final

from attrs import evolve

from trente_rules.core.errors import PhaseError, RecordError, TrenteError
from trente_rules.core.stakes import Stake
from trente_rules.table.commands import Command, Correct, OpenShoe
from trente_rules.table.entries import Entry, Journal
from trente_rules.table.past import Past, bets_opened, meant, opens, past_of
from trente_rules.table.rounds import Round
from trente_rules.table.state import TableState

SHOES_KEPT: Final = 3
"""Shoes whose commands a table remembers, the one at hand included; a journal has all of them."""


class Memory:
    """The entries that a table remembers, by their keys, and the journal that has the others."""

    def __init__(self, entries: Iterable[Entry], state: TableState) -> None:
        """Remember entries that led to a state; or nothing, at a table that begins in it."""
        self.entries = {entry.key: entry for entry in entries}
        self.journal: Journal | None = None
        # Until entries are forgotten, or read from the journal, this is what lay before them.
        # None where they begin within a shoe: then a past is read from the journal.
        self.lying: Sequence[Stake] | None = (
            () if bets_opened(self.entries.values()) else state.stakes
        )
        opened = [e.sequence for e in self.entries.values() if isinstance(e.command, OpenShoe)]
        self._opened = tuple(opened[-SHOES_KEPT:])

    @property
    def sequence(self) -> int:
        """The sequence number of the last entry, 0 without one."""
        return max((entry.sequence for entry in self.entries.values()), default=0)

    def taille(self, state: TableState) -> tuple[Entry, ...]:
        """Return the entries since the last shoe was opened, with its opening."""
        entries: tuple[Entry, ...] = tuple(self.entries.values())
        if self.journal is not None and self.lying is None and not self._opened:
            entries = tuple(self.journal.since(state.shoe_number))  # recovered within the shoe
        opened = [n for n, entry in enumerate(entries) if isinstance(entry.command, OpenShoe)]
        return entries[opened[-1] :] if opened else entries

    def forget(self, opened: Entry) -> None:
        """Forget the entries of the shoes that are too long ago, when another is opened."""
        self._opened = (*self._opened, opened.sequence)[-SHOES_KEPT:]
        if len(self._opened) < SHOES_KEPT:
            return
        first, known = self._opened[0], self.entries.items()
        gone = [key for key, _entry in takewhile(lambda item: item[1].sequence < first, known)]
        for key in gone:
            del self.entries[key]
        if gone:
            self.lying = ()

    def take_back(self, sequence: int) -> None:
        """Forget the entries after one of this number: they were never written."""
        for key in [key for key, each in self.entries.items() if each.sequence > sequence]:
            del self.entries[key]

    def past(self, state: TableState, command: Correct, new: Iterable[Entry]) -> Past:
        """Return the past that a correction needs: from memory, or from the journal.

        ``new`` are entries that came after all of them.
        """
        target = command.target if isinstance(command.target, Round) else None  # else it is refused
        target, later = meant(state, target), tuple(new)
        entries: Iterable[Entry] = (*self.entries.values(), *later)
        lying = self.lying
        if self.journal is not None and (lying is None or not opens(entries, target)):
            entries = (*self.journal.since(target.shoe), *later)
            lying = ()
        return past_of(entries, target, state, lying=lying or ())

    def check_known(self, error: TrenteError, commands: Iterable[Command]) -> None:
        """Raise an error again, unless its reason may be that a command was done long ago.

        Only then is that looked up, so that a new command never waits for it.
        """
        # Where the journal refuses, the table may not be where the journal ends.
        if isinstance(error, RecordError) and error.code != "same-id":
            raise error
        if not self.any_known(commands):
            raise error

    def any_known(self, commands: Iterable[Command]) -> bool:
        """Return whether one of these was done before; False where the journal cannot say.

        Raise ``RecordError`` ("in-earlier-journal") where it can only say which file has the entry.
        """
        try:
            return any(self._find(key) for key in map(key_of, commands) if key)
        except TrenteError as error:
            if error.code == "in-earlier-journal":
                raise
            return False

    def _find(self, key: tuple[str, str]) -> Entry | None:
        """Return the entry of a command's key, wherever it is kept."""
        found = self.entries.get(key)
        if found is None and self.journal is not None:
            found = self.journal.find(*key)
        return found

    def earlier(
        self,
        command: object,
        state: TableState,
        *new: Mapping[tuple[str, str], Entry],
        looked_up: bool,
    ) -> Entry | None:
        """Return the entry of a command that was done, None where it is a new one.

        It is looked for among ``new`` entries, in memory, and in the journal where it shall be
        ``looked_up``. Raises ``PhaseError`` ("same-id") for another command of its key.
        """
        key = key_of(command)
        if key is None:
            return None  # ``decide`` refuses it
        found = None
        for each in new:
            if key in each:
                found = each[key]
        if found is None:
            found = self._find(key) if looked_up else self.entries.get(key)
        if found is None:
            return None
        if found.command != command:
            what = f"command id {key[1]!r} was used for another command"
            hint = "give each command a separate id"
            raise PhaseError(what, "same-id", hint, state.phase)
        return evolve(found, repeated=True)


def key_of(command: object) -> tuple[str, str] | None:
    """Return what a command is known by, None for a value that is not one."""
    if not isinstance(command, Command):
        return None
    key = command.key
    return key if isinstance(key[0], str) and isinstance(key[1], str) else None
