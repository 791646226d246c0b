"""``Dealing``: one physical shoe that feeds any number of tables.

Each table has its house, limits, currency, players and journal; the cards, the marker and the calls
are the same at all of them. The commands of the dealer go through the dealing, which gives them to
every table; those of players, and all else that is of one table, go to that table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import RLock
from types import MappingProxyType
from typing import Any, Final

from trente_rules.core.errors import PhaseError, RuleError, TrenteError, shown
from trente_rules.core.house.difference import difference
from trente_rules.core.house.house import House, canonical
from trente_rules.table import commands
from trente_rules.table.commands import Command
from trente_rules.table.entries import Entry
from trente_rules.table.state import Phase, TableState
from trente_rules.table.table import Table

_SHARED: Final = ("shoe", "deal")
_COMMANDS: Final[tuple[type[Command], ...]] = (
    commands.OpenShoe,
    commands.Cut,
    commands.Burn,
    commands.PlaceMarker,
    commands.OpenBets,
    commands.CloseBets,
    commands.Deal,
    commands.Turn,
    commands.Retract,
    commands.Expose,
    commands.ShowMarker,
    commands.Settle,
    commands.VoidCoup,
    commands.Correct,
    commands.EndShoe,
)
"""The commands that go to every table."""


class Dealing:
    """One shoe, dealt to tables whose houses have the same [shoe] and [deal].

    It keeps nothing: after a crash a new one is made of the recovered tables, and the command that
    some of them may not have had is sent again.
    """

    def __init__(self, tables: Iterable[Table]) -> None:
        """Take the tables together, each by its name.

        Raises ``RuleError`` ("other-dealing") where two houses differ in a key of [shoe] or [deal],
        which it names, ``TrenteError`` ("bad-setup") without a table, or for two of one name or of
        one session, whose movements would have the same ids.
        """
        self._lock = RLock()
        self._tables: dict[str, Table] = {}
        for table in tables:
            self._add(table)
        if not self._tables:
            what, hint = "a dealing without a table", "pass the tables that share the shoe"
            raise TrenteError(what, "bad-setup", hint)

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables by their names."""
        return MappingProxyType(self._tables)

    def execute(self, command: Command) -> dict[str, Entry]:
        """Do a command of the dealer at every table; return the entry of each by its name.

        All tables are asked first: where one refuses, none is changed, and its error is raised. A
        command that some tables have done, because a journal failed or the process ended between
        two of them, is done at the others: send it again. At the rest it is ``repeated``.

        Raises ``PhaseError``: "one-table" for a command that is of one table, or names a coup by
        the session of one; "tables-apart" where the tables are not at the same card, and the
        command is not the one that some have missed; and what ``Table.execute`` raises.
        """
        with self._lock:
            self._check(command)
            earlier = {name: table.earlier(command) for name, table in self._tables.items()}
            done = [self._tables[name] for name, entry in earlier.items() if entry]
            new = [self._tables[name] for name, entry in earlier.items() if not entry]
            if not done:
                self._check_together(command)
            for table in new:
                if done and not _missed(command, done[0], table):
                    raise _apart_error(command, table, done[0])
                _ask(table, command)
            return {name: table.execute(command) for name, table in self._tables.items()}

    def join(self, table: Table) -> None:
        """Add a table between two shoes; prisoners that it has stay there.

        Raises what the constructor raises, ``PhaseError`` ("tables-apart") while a shoe is open.
        """
        with self._lock:
            first = next(iter(self._tables.values()))
            if first.state.phase is not Phase.NO_SHOE or table.state.phase is not Phase.NO_SHOE:
                what = f"table {table.state.setup.table!r} cannot join while a shoe is open"
                hint = "let it join between two shoes"
                raise PhaseError(what, "tables-apart", hint, first.state.phase)
            self._add(table)

    def leave(self, name: str) -> Table:
        """Remove a table and return it; its stakes and its prisoners stay on it.

        Raises ``TrenteError`` ("bad-setup") for an unknown table, and for the last one.
        """
        with self._lock:
            if name not in self._tables or len(self._tables) == 1:
                hint = f"tables: {', '.join(self._tables)}; the last one cannot leave"
                raise TrenteError(f"table {shown(name)} cannot leave", "bad-setup", hint)
            return self._tables.pop(name)

    def _add(self, table: Table) -> None:
        if not isinstance(table, Table):
            raise TrenteError(f"{shown(table)} is not a table", "bad-setup", "pass tables")
        name = table.state.setup.table
        if name in self._tables:
            hint = "give each table a name: Table(house, name=...)"
            raise TrenteError(f"two tables are named {shown(name)}", "bad-setup", hint)
        for other in self._tables.values():
            if other.state.setup.session == table.state.setup.session:
                what = f"tables {shown(other.state.setup.table)} and {shown(name)} have one session"
                hint = "a session is of one table: leave session= out, or give each its own"
                raise TrenteError(what, "bad-setup", hint)
            _check_houses(other.house, table.house, name)
        self._tables[name] = table

    def _check(self, command: Command) -> None:
        own = not isinstance(command, _COMMANDS)
        if isinstance(command, commands.Correct):
            own = bool(command.choices) or command.target is not None
        if own or command.round is not None:
            kind = command.kind if isinstance(command, Command) else shown(command)
            what = f"{kind} is a command for one table"
            hint = "give it to that table; a dealing takes the commands of the dealer, for any coup"
            phase = next(iter(self._tables.values())).state.phase
            raise PhaseError(what, "one-table", hint, phase)

    def _check_together(self, command: Command) -> None:
        first, *others = self._tables.values()
        for table in others:
            together = _position(table.state) == _position(first.state)
            if isinstance(command, commands.Correct):  # one that joined did not deal that coup
                together = together and _opened(table) == _opened(first)
            if not together:
                raise _apart_error(command, table, first)


def _check_houses(one: House, other: House, name: str) -> None:
    """Refuse a house whose shoe is prepared, or dealt, in another way."""
    if all(canonical(getattr(one, each)) == canonical(getattr(other, each)) for each in _SHARED):
        return
    changes = [each for each in difference(one, other) if each.key.split(".")[0] in _SHARED]
    both = (each for each in changes if None not in (each.old, each.new))
    first = next(both, changes[0])
    keys = ", ".join(each.key for each in changes)
    raise RuleError(
        f"table {shown(name)} cannot share the shoe: {first.key} is {shown(first.new)} in "
        f"{other.name}, {shown(first.old)} in {one.name}",
        "other-dealing",
        f"make [shoe] and [deal] alike; they differ in {keys}",
        first.key,
    )


def _position(state: TableState) -> tuple[Any, ...]:
    """Return how far a shoe is dealt: what tables of one dealing have in common."""
    if state.phase in (Phase.NO_SHOE, Phase.ENDED):
        return (state.phase,)
    rows = state.cards, state.first_cards, state.exposed
    return state.phase, state.shoe, rows, state.marker_shown, state.uncut, state.first_row


def _opened(table: Table) -> tuple[str, str]:
    """Return the key of the command that opened the last shoe."""
    taille = table.taille
    return taille[0].key if taille else ("", "")


def _missed(command: Command, ahead: Table, behind: Table) -> bool:
    """Return whether a command is the one that a table has missed after those it has."""
    keys = [entry.key for entry in ahead.entries if isinstance(entry.command, _COMMANDS)]
    has = [entry.key for entry in behind.entries if isinstance(entry.command, _COMMANDS)]
    place = keys.index(command.key) if command.key in keys else 0
    if place and has[-1:] == [keys[place - 1]]:
        return True
    # A table that has just joined has had none of the commands before.
    opens = isinstance(command, commands.OpenShoe) and behind.state.phase is Phase.NO_SHOE
    return opens and keys[-1:] == [command.key]


def _ask(table: Table, command: Command) -> None:
    try:
        table.verify(command)
    except TrenteError as error:
        error.add_note(f"table {table.state.setup.table!r}")
        raise


def _apart_error(command: Command, table: Table, first: Table) -> PhaseError:
    names = (first.state.setup.table, table.state.setup.table)
    what = f"{command.kind} {command.id!r}: tables {names[0]!r} and {names[1]!r} are not together"
    hint = "first send the command again that only one of them has had"
    return PhaseError(what, "tables-apart", hint, table.state.phase)
