"""The rows of a journal: its columns, and how entries become rows and rows movements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

from trente_rules.table.entries import Entry
from trente_rules.table.movements import Movement
from trente_rules.table.rounds import Round

SCHEMA: Final = 3
"""The version of the tables; a later release reads every earlier one."""
INSERT_COMMAND: Final = "INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_MOVEMENT: Final = "INSERT INTO movements VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_ID: Final = "INSERT INTO ids VALUES (?, ?, ?)"
INSERT_EPOCH: Final = "INSERT INTO epochs VALUES (?, ?, ?, ?, ?, ?)"
INSERT_SIGNATURE: Final = "INSERT INTO signatures VALUES (?, ?, ?, ?, ?, ?)"
META: Final = "SELECT name, value FROM meta LIMIT 64"
"""The facts of a table, of which there are some twelve; a damaged file may seem to have more."""
_LARGEST: Final = 2**63


class KeyTakenError(Exception):
    """Raised by a database of ours where there is a row with such a key."""


class Found(Protocol):
    """The result of a query."""

    @property
    def rowcount(self) -> int:
        """The number of rows that were changed."""

    def fetchone(self) -> Any:
        """Return the next row, None after the last."""

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""

    def __iter__(self) -> Iterator[Any]:
        """Yield the rows that are left."""


class Connection(Protocol):
    """A connection to a database, as far as a journal uses it; ``?`` marks a value."""

    def execute(self, query: str, values: Sequence[Any] = ..., /) -> Found:
        """Do a query."""

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> Found:
        """Do a query for each row of values."""


def value_of(connection: Connection, query: str, *values: Any) -> Any:
    """Return the first value that a query gives, None where it gives no row."""
    row = connection.execute(query, values).fetchone()
    return None if row is None else row[0]


def rows_of(
    entry: Entry, sequence: int, command: str, events: str
) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
    """Return the row of a command, without its hash, and those of its movements."""
    done, around = entry.command, entry.round
    row = (
        *(sequence, around.shoe, around.coup, done.owner, done.id, done.at, done.kind),
        *(command, entry.first_event, events),
    )
    return row, [
        (
            *(sequence, place, each.id, each.round.shoe, each.round.coup, each.stake),
            *(each.player, _stored(each.units), each.reason, each.reverses),
        )
        for place, each in enumerate(entry.movements)
    ]


def _stored(units: int) -> int | str:
    """Return units as they are stored: SQLite has integers of 64 bits, larger ones are texts."""
    return units if -_LARGEST <= units < _LARGEST else str(units)


def movement_of(row: tuple[Any, ...], session: str) -> Movement:
    """Read a movement from its row, without the first two columns."""
    id_, shoe, coup, stake, player, units, reason, reverses = row
    around = Round(session, shoe, coup)
    return Movement(id_, around, stake, player, int(units), reason, reverses)
