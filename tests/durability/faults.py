"""Faults that are planted in the product, to show that the tests of durability find them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Final
from unittest.mock import patch

from trente_rules import RecordError
from trente_rules.table import journal_file, journal_sql
from trente_rules.table.journal_chain import Checked, Head, head_of
from trente_rules.table.journal_sql import SqlJournal


def _never_synced(stack: ExitStack) -> None:
    """Let SQLite wait for no disk."""
    real = journal_file.set_up

    def set_up(connection: Any, synchronous: str) -> None:
        real(connection, synchronous)
        connection.execute("PRAGMA synchronous = OFF")

    stack.enter_context(patch("trente_rules.table.journal_sqlite.set_up", set_up))


def _not_fenced(stack: ExitStack) -> None:
    """Let any writer move the end of a journal."""

    def move(self: SqlJournal, _old: Head, new: Head) -> None:
        self._connection.execute(
            "UPDATE head SET sequence = ?, events = ?, hash = ?",
            (new.sequence, new.events, new.hash),
        )

    stack.enter_context(patch.object(SqlJournal, "_move_head", move))


def _full_unnoticed(stack: ExitStack) -> None:
    """Let a table continue where its journal had no room."""
    real = SqlJournal.append

    def append(self: SqlJournal, *given: Any) -> None:
        with suppress(RecordError):
            real(self, *given)

    stack.enter_context(patch.object(SqlJournal, "append", append))


def _not_checked(stack: ExitStack) -> None:
    """Believe what a journal says of its end."""

    def check(connection: Any, name: str, **_how: Any) -> Checked:
        head = head_of(connection)
        assert head is not None, name
        query = "SELECT sequence, body FROM snapshots ORDER BY sequence DESC"
        sequence, body = connection.execute(query).fetchone()
        return Checked(head, sequence, body)

    stack.enter_context(patch.object(journal_sql, "check_chain", check))


def _time_decides(stack: ExitStack) -> None:
    """Recover only where the last epoch is earlier by the clock."""
    real = SqlJournal._add_epoch

    def add(self: SqlJournal, found: Head) -> Head:
        head = real(self, found)
        query = "SELECT at FROM epochs ORDER BY number DESC"
        times = [at for (at,) in self._connection.execute(query).fetchall()]
        if times != sorted(times, reverse=True):
            raise RecordError("a later writer has the table", "journal-moved")
        return head

    stack.enter_context(patch.object(SqlJournal, "_add_epoch", add))


FAULTS: Final = {
    "never-synced": _never_synced,
    "not-fenced": _not_fenced,
    "full-unnoticed": _full_unnoticed,
    "not-checked": _not_checked,
    "time-decides": _time_decides,
}

ANSWERED_FIRST: Final = "answered-before-it-is-written"
"""A fault that hosts play themselves."""
NAMES: Final = ("", ANSWERED_FIRST, *FAULTS)


@contextmanager
def planted(fault: str) -> Iterator[None]:
    """Plant a fault in this process; "" plants nothing."""
    with ExitStack() as stack:
        if fault in FAULTS:
            FAULTS[fault](stack)
        yield


def plant(fault: str) -> None:
    """Plant a fault in this process for good."""
    if fault in FAULTS:
        FAULTS[fault](ExitStack())
