"""Target: journals in SQLite, changed in their rows, their tables and their bytes.

An input is an object of JSON: which journal it begins with, changes of rows (some within the JSON
of a row), hostile statements of a list, bytes written over, where the file is cut. With ``chain``
the hashes are made anew, as somebody would who knows how: so that what is read behind the check is
reached too.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tests.fuzz import snapshots
from tests.fuzz.mutation import json_bytes, json_mutation
from tests.fuzz.target import REFUSED, ROOT, Target, check, folder, refused
from tests.table.choosing import Bytes, Chooser
from tests.table.watched import Watched

from trente_rules import Table, TrenteError, load_house
from trente_rules.records.tailles import load_tailles
from trente_rules.table import Phase, SqliteJournal, history, recover
from trente_rules.table.history import coup_to_json
from trente_rules.table.journal_chain import (
    Epoch,
    command_hash,
    epoch_hash,
    first_hash,
    snapshot_hash,
)

TABLES: Final = ("meta", "commands", "movements", "snapshots", "epochs", "ids", "head", "next")
STATEMENTS: Final = (
    "CREATE VIEW later AS SELECT * FROM commands",
    "CREATE TRIGGER t AFTER INSERT ON commands BEGIN DELETE FROM commands; END",
    "DROP TABLE head",
    "DROP TABLE movements",
    "ALTER TABLE commands ADD COLUMN more TEXT",
    "ALTER TABLE head RENAME TO heads",
    "CREATE TABLE host_notes (a TEXT)",
    "CREATE TABLE other (a TEXT)",
    "CREATE INDEX host_index ON commands (at)",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = 99",
    "PRAGMA user_version = -1",
    "PRAGMA application_id = 7",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA encoding = 'UTF-16'",
    "PRAGMA auto_vacuum = 2",
    "VACUUM",
    "DELETE FROM snapshots WHERE sequence > (SELECT min(sequence) FROM snapshots)",
    "DELETE FROM head",
    "DELETE FROM meta",
    "UPDATE commands SET body = substr(body, 1, length(body) / 2)",
    "UPDATE snapshots SET body = '{}'",
    "INSERT INTO next VALUES ('../../other', zeroblob(32))",
    """DROP TABLE head; CREATE VIEW head AS WITH RECURSIVE
    c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3e7)
    SELECT max(x) only, 1 sequence, 1 events, x'00' hash FROM c""",
)
BASES: Final = 0, 1, 2, 3, 4, 0, 1, 0, 1, 0, 1
"""Journals by the number of an input: those of this release are short, and begun with most."""
MOST: Final = 12
"""Changes of one input that are made."""
ENTRIES: Final = 300
_WRONG: Final = (sqlite3.Error, ValueError, TypeError, KeyError, IndexError, OverflowError)
"""What a change that cannot be made ends in: the file stays as it is."""


@cache
def journals() -> tuple[bytes, ...]:
    """Return the files of journals that were closed: of this release, and of the first ones."""
    made = [_played(name, place) for place, name in enumerate(("france-2007", "campione"))]
    for earlier in ("0.1.0/hoyle-19c", "0.3.0/italy-half-loss", "0.4.0/campione"):
        path = ROOT / f"tests/golden/{earlier}/journal-closed.sqlite.gz"
        made.append(gzip.decompress(path.read_bytes()))
    return tuple(made)


def _played(name: str, place: int) -> bytes:
    path = folder() / f"{name}.journal"
    house = load_house(name)
    watched = Watched(house)
    with closing(SqliteJournal(path)) as journal:
        watched.table = Table(
            house, opening=house.lowest_opening(), journal=journal, session="fuzzed"
        )
        chooser, choices = Chooser(watched, live=False), Bytes(bytes(range(place, 250)))
        for step in range(60):
            if watched.state.phase is Phase.BETTING and step % 3:
                chooser.give(chooser.typical(choices), choices)
            else:
                chooser.onwards(choices)
    with closing(SqliteJournal(path)) as journal:
        chooser.table.table = recover(journal)
        for _step in range(12):
            chooser.onwards(choices)
    data = path.read_bytes()
    path.unlink()
    return data


def one(data: bytes) -> str:
    """Change a journal, then read it, check it, recover it, and play on."""
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        return "refused, not JSON"
    if not isinstance(given, dict):
        return "refused, no changes"
    path = folder() / "changed.journal"
    for end in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    make(given, path)
    words = _read(path), _recovered(path)
    good = [word for word in words if not word.startswith(REFUSED)]
    return f"accepted, {' and '.join(good)}" if good else words[0]


def make(given: dict[str, Any], path: Path) -> None:
    """Write the journal that an input means."""
    base = given.get("base", 0)
    path.write_bytes(journals()[BASES[base % len(BASES)] if isinstance(base, int) else 0])
    rows, statements = _list(given, "rows"), _list(given, "statements")
    if rows or statements:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            for row in rows:
                with suppress(*_WRONG):
                    _change(connection, *row)
            if given.get("chain") is True:
                with suppress(*_WRONG):
                    rechain(connection)
            for each in statements:
                with suppress(*_WRONG):
                    connection.executescript(STATEMENTS[each % len(STATEMENTS)])
    file = bytearray(path.read_bytes())
    for patch in _list(given, "bytes"):
        with suppress(*_WRONG):
            place, more = int(patch[0]) % len(file), bytes.fromhex(patch[1])[:200]
            file[place : place + len(more)] = more
    cut = given.get("cut")
    if isinstance(cut, int) and cut > 0:
        del file[cut % (len(file) + 1) :]
    path.write_bytes(file)


def _list(given: dict[str, Any], name: str) -> list[Any]:
    found = given.get(name)
    return found[:MOST] if isinstance(found, list) else []


def _change(connection: sqlite3.Connection, table: str, act: str, row: int, *more: Any) -> None:
    """Change a row of a table: ``delete`` it, ``copy`` it, ``set`` a column, ``edit`` its JSON."""
    if table not in TABLES:
        return
    count = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - listed
    query = f"SELECT rowid, * FROM {table} LIMIT 1 OFFSET ?"  # noqa: S608 - listed
    found = connection.execute(query, (row % max(1, count),)).fetchone()
    columns = [each[1] for each in connection.execute(f"PRAGMA table_info({table})")]
    rowid, *values = found
    if act == "delete":
        connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))  # noqa: S608 - listed
    elif act == "copy":
        values[0] = values[0] + 1000 if isinstance(values[0], int) else f"{values[0]}2"
        marks = ", ".join("?" * len(values))
        connection.execute(f"INSERT INTO {table} VALUES ({marks})", values)  # noqa: S608 - listed
    elif act in ("set", "edit"):
        column = columns[more[0] % len(columns)]
        value = more[1]
        if act == "edit":
            value = _edited(values[columns.index(column)], value, more[2])
        elif isinstance(value, dict):
            value = bytes.fromhex(value["hex"])
        query = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"  # noqa: S608 - listed
        connection.execute(query, (value, rowid))


def _edited(text: str, path: list[Any], value: Any) -> str:
    """Return JSON with a value at a path: names are keys, numbers are places among the keys."""
    tree = json.loads(text)
    holder: Any = None
    step: Any = None
    inner = tree
    for each in path:
        holder, step = inner, each
        if isinstance(each, int):
            keys = list(holder) if isinstance(holder, dict) else range(len(holder))
            step = keys[each % len(keys)]
        inner = holder.get(step) if isinstance(holder, dict) else holder[step]
    if holder is None:
        return json.dumps(value)
    holder[step] = value
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"))


def rechain(connection: sqlite3.Connection) -> None:
    """Make the hashes of a journal anew, so that the check passes over what was changed."""
    run = connection.execute
    meta = dict(run("SELECT name, value FROM meta"))
    first = int(meta["first"])
    before = b""
    snapshot = {row[0]: row[1] for row in run("SELECT sequence, body FROM snapshots")}
    before = first_hash(meta.items(), first, snapshot[first])
    run("UPDATE snapshots SET hash = ? WHERE sequence = ?", (before, first))
    epochs = [row[:-1] for row in run("SELECT * FROM epochs ORDER BY number")]
    number = json.loads(snapshot[first])["state"]["events"]
    sequence = first
    for row in run("SELECT * FROM commands ORDER BY sequence").fetchall():
        sequence = row[0]
        moved = run("SELECT * FROM movements WHERE command = ? ORDER BY place", (sequence,))
        before = command_hash(before, row[:-1], moved.fetchall())
        run("UPDATE commands SET hash = ? WHERE sequence = ?", (before, sequence))
        number += len(json.loads(row[9]))
        if sequence in snapshot:
            made = snapshot_hash(before, sequence, snapshot[sequence])
            run("UPDATE snapshots SET hash = ? WHERE sequence = ?", (made, sequence))
        for epoch in epochs:
            if epoch[1] == sequence:
                before = epoch_hash(before, Epoch(*epoch))
                run("UPDATE epochs SET hash = ? WHERE number = ?", (before, epoch[0]))
    run("UPDATE head SET sequence = ?, events = ?, hash = ?", (sequence, number, before))


def _read(path: Path) -> str:
    """Read a journal as an auditor does; return what held."""
    try:
        with closing(SqliteJournal(path, read_only=True)) as journal:
            word = _checked(journal)
            coups = history(islice(journal.entries(), ENTRIES))
            for coup in coups:
                json.dumps(coup_to_json(coup))
            for movement in islice(journal.movements(), ENTRIES):
                str(movement)
    except TrenteError as error:
        return refused(error)
    try:
        for record in load_tailles(path).records:
            str(record.shoe.number)
    except TrenteError as error:
        refused(error)
    return word


def _checked(journal: SqliteJournal) -> str:
    try:
        journal.check()
    except TrenteError as error:
        return refused(error)
    return "checked"


def _recovered(path: Path) -> str:
    """Recover the table of a journal and play on; return how far it came."""
    try:
        with closing(SqliteJournal(path)) as journal:
            table = recover(journal)
            snapshots.check_sound(table)
            before = journal.head
            word = snapshots.on(table)
            check(journal.head is not None and before is not None, "no head after a recovery")
    except TrenteError as error:
        return refused(error)
    return f"recovered, {word}"


def seeds() -> Iterator[bytes]:
    """Yield each journal as it is, and changes of every kind."""
    for base in range(5):
        yield json_bytes({"base": base})
        yield json_bytes({"base": base, "rows": [["commands", "delete", 3]], "chain": True})
    for place in range(len(STATEMENTS)):
        yield json_bytes({"base": place % 3, "statements": [place]})
    for table in TABLES:
        yield json_bytes({"base": 1, "rows": [[table, "copy", 0]], "chain": True})
        yield json_bytes({"rows": [[table, "set", 0, 1, "7"], [table, "set", 1, 0, 0]]})
    for column, paths in ((7, [["amount"], ["kind"], [0]]), (9, [[0, "stake"], [0, "kind"]])):
        for path in paths:
            row = ["commands", "edit", 9, column, path, 7]
            yield json_bytes({"rows": [row], "chain": True})
            yield json_bytes({"rows": [row, ["snapshots", "delete", 1]], "chain": True})
    for key in ("accounts", "bank", "phase", "stakes", "shoe", "events"):
        row = ["snapshots", "edit", -1, 1, ["state", key], 0]
        yield json_bytes({"base": 1, "rows": [row], "chain": True})
    yield json_bytes({"rows": [["meta", "edit", 0, 1, [], {"a": 1}]], "chain": True})
    yield json_bytes({"rows": [["meta", "set", 3, 1, {"hex": "00"}]], "chain": True})
    yield json_bytes({"bytes": [[100, "ff"], [4096, "0d0000"], [20, "00"]]})
    yield json_bytes({"cut": 8192})


def words() -> Iterable[str]:
    """Return the words of changes, of tables, and the keys of what the rows hold."""
    return [
        *("base", "rows", "statements", "bytes", "cut", "chain", "delete", "copy", "set", "edit"),
        *TABLES,
        *snapshots.words(),
    ]


TARGET = Target("journal-rows", one, seeds, words, json_mutation, 3000, journals)
