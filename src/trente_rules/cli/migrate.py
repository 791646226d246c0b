"""``trente migrate``: what an earlier release wrote, in the form of today."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import Output, report_options
from trente_rules.cli.records import unreadable
from trente_rules.cli.values import HOUSE
from trente_rules.core.errors import ConfigurationError, RecordError, TrenteError
from trente_rules.core.file_kinds import other_kind
from trente_rules.core.files import bytes_of, new_file
from trente_rules.core.house.loading import installed_house, load_house
from trente_rules.core.text import counted
from trente_rules.records.files import dumps_record, loads_record
from trente_rules.records.tailles import is_journal
from trente_rules.reports.document import Lines, Report
from trente_rules.table.codec import SCHEMA
from trente_rules.table.journal import recover
from trente_rules.table.journal_file import schema_of_path
from trente_rules.table.journal_rows import SCHEMA as JOURNAL_SCHEMA
from trente_rules.table.journal_sqlite import SqliteJournal
from trente_rules.table.journal_upgrade import write_copy
from trente_rules.table.seen import seen_state
from trente_rules.table.snapshot import check_form, migrated, restore
from trente_rules.table.state import balance

MOST_SNAPSHOT: Final = 100_000_000
"""Bytes of a snapshot or a record that are read."""
_ADDED: Final = "tables that were missing were added"
_SAME: Final = "nothing changed: it was in the form of today"


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente migrate table.journal new.journal", "what changed, and the head of the copy"),
        ("trente migrate taille.toml new.toml", "a record in today's form"),
    ),
    status={
        0: "written and checked",
        1: "not written, or not checked",
        2: "wrong call, or OLD cannot be read",
    },
    finds=True,
)
@click.argument("old", type=click.Path())
@click.argument("new", type=click.Path())
@click.option("--house", type=HOUSE, help="The house of a snapshot.")
@report_options()
def migrate_command(old: str, new: str, house: str | None, output: Output) -> None:
    """Convert the files of an earlier release.

    OLD is a journal, a snapshot (JSON) or a record (it ends in .toml), and is only read. NEW must
    not exist: it gets today's form. What was written is read again and checked: a journal is
    recovered, a snapshot is restored if its house is installed.
    """
    if Path(new).exists():
        raise RecordError(f"{new!r} is there already", "file-exists", "name another file")
    try:
        if is_journal(old):
            told, problem = _journal(old, new)
        else:
            text = bytes_of(old, MOST_SNAPSHOT).decode("utf-8")
            told, problem = _snapshot(text, new, house) if _is_json(text) else _record(text, new)
    except UnicodeError as error:
        _of_another_kind(old)
        unreadable(RecordError(f"{old!r} cannot be read: {error}", "file-unreadable", "", old))
    except TrenteError as error:
        if error.code in ("file-exists", "file-unwritable"):
            raise
        if error.code in ("file-missing", "file-unreadable", "file-too-large"):
            error = RecordError(f"{old}: {error.message}", error.code, error.hint, old)
        else:
            _of_another_kind(old)
        unreadable(error)
    lines = [f"{name}: {value}" for name, value in told.items()]
    if problem:
        lines.append(f"not checked: {problem}")
    data = {"old": old, "new": new, **told, "problem": problem or None}
    output.show(Report(f"{old} in the form of today", (Lines(lines),), data=lambda: data))
    sys.exit(1 if problem else 0)


def _of_another_kind(old: str) -> None:
    """Print what a file is that cannot be converted, and exit with 2; return where it may be."""
    if other := other_kind(old, ("journal", "snapshot", "record")):
        unreadable(ConfigurationError.of(other))


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _write(new: str, text: str, *, private: bool) -> None:
    with new_file(new, RecordError, private=private) as opened:
        opened.write(text.encode())


def _journal(old: str, new: str) -> tuple[dict[str, Any], str]:
    schema = schema_of_path(old)
    with new_file(new, RecordError, private=True):
        pass  # nobody else writes to it from here on
    try:
        write_copy(old, new)
        with SqliteJournal(new):
            pass  # what the copy lacks is added
        with SqliteJournal(new, read_only=True) as journal:
            head = journal.check()
            moved = sum(1 for entry in journal.entries() for _movement in entry.movements)
            told: dict[str, Any] = {
                "journal": f"schema {schema} to {JOURNAL_SCHEMA}",
                "written by": journal.meta["engine"],
                "commands": head.sequence,
                "head": head.hash.hex(),
            }
            if schema == 1:
                told["head before"] = journal.meta["schema_1_head"].partition(" ")[2]
                told["movements worked out"] = moved
            else:
                told["changes"] = _SAME if schema == JOURNAL_SCHEMA else _ADDED
            try:
                with SqliteJournal(new, read_only=True) as reader:  # which adds no epoch
                    state = seen_state(reader) if reader.sealed else recover(reader).state
            except (RecordError, ConfigurationError) as error:
                return told, str(error)
            told["recovered"] = (
                f"shoe {state.shoe_number}, coup {state.coup_number}, {state.phase.value}, "
                f"balance {balance(state)}"
            )
    except BaseException:
        for name in (new, f"{new}-wal", f"{new}-shm"):
            Path(name).unlink(missing_ok=True)
        raise
    return told, ""


def _snapshot(text: str, new: str, house: str | None) -> tuple[dict[str, Any], str]:
    written = migrated(text)
    check_form(written)
    was, now = json.loads(text), json.loads(written)
    told: dict[str, Any] = {
        "snapshot": f"schema {was['schema']} to {max(was['schema'], SCHEMA)}",
        "written by": now["engine"],
        "changes": ", ".join(_changes(was, now)) or _SAME,
    }
    problem = ""
    try:
        found = load_house(house) if house else installed_house(now["house"]["name"])
        before, after = restore(text, found), restore(written, found)
        if before.state != after.state or before.entries != after.entries:
            problem = "it restores to another table"
        told["restored"] = f"{after.state.phase.value}, balance {balance(after.state)}"
    except (RecordError, ConfigurationError) as error:
        problem = f"its form is right, but it cannot be restored here: {error}"
    _write(new, written, private=True)
    return told, problem


def _changes(was: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield what is new or gone in a snapshot."""
    for where, one, other in (("", was, now), ("state.", was["state"], now["state"])):
        yield from (f"{where}{name} is new" for name in other if name not in one)
        yield from (f"{where}{name} is gone" for name in one if name not in other)


def _record(text: str, new: str) -> tuple[dict[str, Any], str]:
    record = loads_record(text)
    written = dumps_record(record)
    told: dict[str, Any] = {
        "record": f"shoe {record.shoe.number}, {counted(len(record.coups), 'coup')}",
        "changes": "; ".join(record.warnings)
        or ("" if written != text else _SAME)
        or "order of keys",
    }
    problem = "" if dumps_record(loads_record(written)) == written else "it reads as another record"
    _write(new, written, private=False)
    return told, problem
