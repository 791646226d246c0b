"""The values that a house publishes of its fair shoes: read from files, audited as a whole.

A house publishes a commitment as it seals a shoe (``Commitment.to_json``), and what it reveals of
the shoe when that is retired (``Reveal.to_json``). One shoe can be verified by itself. Only all of
them show a shoe that was given up, a number that is missing, or one that was used twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.files import read_file
from trente_rules.fair.entropy import LARGEST_NONCE, check_nonce, sha256
from trente_rules.fair.shoes import Commitment, server_seed_bytes
from trente_rules.fair.verification import revealed, verify_reveal

if TYPE_CHECKING:
    from sqlite3 import Connection

LARGEST: Final = 1_000_000
"""Bytes of one published shoe that are read."""
MOST_FINDINGS: Final = 1_000
"""The most findings that are listed; those after them are counted."""
_TABLES: Final = (
    "CREATE TABLE sealed(nonce INTEGER, digest TEXT, plan TEXT, beacon TEXT, file TEXT)",
    """CREATE TABLE shown(
        nonce INTEGER, digest TEXT, plan TEXT, beacon TEXT, file TEXT,
        seed BLOB, clients TEXT, value TEXT
    )""",
    "CREATE INDEX sealed_digest ON sealed(digest)",
    "CREATE INDEX shown_digest ON shown(digest)",
    """CREATE VIEW both AS SELECT nonce, digest, plan, beacon, file FROM sealed
    UNION ALL SELECT nonce, digest, plan, beacon, file FROM shown""",
)
_ONE_SHOE: Final = (
    ("double", "both", "nonce", "nonces"),
    ("wrong", "both", "plan", "plans"),
    ("wrong", "both", "beacon", "beacons"),
    ("double", "shown", "clients", "lists of client seeds"),
    ("double", "shown", "value", "values of its beacon"),
)
"""The values of which one commitment has one: finding, table, column, name of several."""


def read_published(path: str | PathLike[str]) -> dict[str, Any]:
    """Return what a file has published, as a table; nothing in it is checked yet.

    Raises ``TrenteError``: "file-missing", "file-unreadable" (pipes and devices too),
    "file-too-large", "not-utf-8", "bad-reveal".
    """
    return published_table(read_file(path, LARGEST))


def published_table(data: bytes) -> dict[str, Any]:
    """Return the JSON object of some bytes.

    Raises ``TrenteError``: "file-too-large", "not-utf-8", "bad-reveal".
    """
    if len(data) > LARGEST:
        what = f"the revealed shoe is above {LARGEST} bytes"
        raise TrenteError(what, "file-too-large", "give one shoe")
    try:
        table = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_once)
    except UnicodeDecodeError as error:
        what = f"the revealed shoe is not UTF-8: byte {error.start}"
        raise TrenteError(what, "not-utf-8", "save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        what = f"the revealed shoe is not JSON: {error}"
        raise TrenteError(what, "bad-reveal", "give what Reveal.to_json returned") from error
    if not isinstance(table, dict):
        what = f"the revealed shoe is a {type(table).__name__}"
        raise TrenteError(what, "bad-reveal", "give a JSON object")
    return table


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key occurs twice")
    return table


@frozen
class Finding:
    """A fault in what a house has published: ``what`` it is, and where."""

    what: str
    words: str

    def __str__(self) -> str:
        """Return ``gap: nonce 5 is missing``."""
        return f"{self.what}: {self.words}"


@frozen
class Audit:
    """The result of an audit: how many files were read, and what is wrong with them.

    ``sealed`` and ``revealed`` count commitments and reveals, ``more`` the findings that are not
    listed. ``first`` and ``last`` are the nonces between which none may be missing, None where
    there is no shoe.
    """

    sealed: int
    revealed: int
    findings: tuple[Finding, ...]
    more: int = 0
    first: int | None = None
    last: int | None = None

    @property
    def clean(self) -> bool:
        """Return whether nothing was found."""
        return not self.findings


def audit(
    folder: str | PathLike[str], *, first: int | None = None, last: int | None = None
) -> Audit:
    """Audit the shoes in the JSON files of a folder: commitments and revealed shoes.

    It finds nonces that are missing or used twice, shoes that were sealed and never revealed or
    revealed and never sealed, server seeds used twice, commitments with two plans, beacons or lists
    of client seeds, nonces outside of those announced, reveals that do not hold, and files that are
    neither. ``first`` and ``last`` are the nonces that the house announced for the evening: by
    default the least and the greatest in the folder, so that missing ones outside of these are not
    found. Memory does not grow with the number of files.

    Raises ``TrenteError``: "file-unreadable" for a folder that cannot be read, "bad-nonce", also
    where no nonce is from the first to the last.
    """
    import sqlite3  # noqa: PLC0415 - only an audit needs it

    for name, nonce in (("first", first), ("last", last)):
        if nonce is not None:
            check_nonce(nonce, name)
    with closing(sqlite3.connect("")) as kept:  # a file of its own, which nobody else sees
        for statement in _TABLES:
            kept.execute(statement)
        listed: list[Finding] = []
        count = 0
        for count, finding in enumerate(_findings(kept, Path(folder), first, last), 1):
            if count <= MOST_FINDINGS:
                listed.append(finding)
        (sealed,) = kept.execute("SELECT count(*) FROM sealed").fetchone()
        (told,) = kept.execute("SELECT count(*) FROM shown").fetchone()
        low, high = _span(kept, first, last)
    return Audit(sealed, told, tuple(listed), count - len(listed), low, high)


def _findings(
    kept: Connection, folder: Path, first: int | None, last: int | None
) -> Iterator[Finding]:
    yield from _read_all(kept, folder)
    yield from _gaps(kept, *_span(kept, first, last))
    yield from _outside(kept, first, last)
    for nonce, count, files in kept.execute(
        "SELECT nonce, count(DISTINCT digest), min(file) || ', ' || max(file) FROM both "
        "GROUP BY nonce HAVING count(DISTINCT digest) > 1 ORDER BY nonce"
    ):
        yield Finding("double", f"nonce {nonce} has {count} commitments: {files}")
    for what, table, column, several in _ONE_SHOE:
        # Names of ours: nothing of a file is in these texts.
        query = (
            f"SELECT digest, count(DISTINCT {column}), min(file) || ', ' || max(file) FROM {table} "  # noqa: S608
            f"GROUP BY digest HAVING count(DISTINCT {column}) > 1 ORDER BY digest"
        )
        for digest, count, files in kept.execute(query):
            yield Finding(what, f"commitment {digest} has {count} {several}: {files}")
    for nonce, file in kept.execute(
        "SELECT nonce, file FROM sealed WHERE digest NOT IN (SELECT digest FROM shown) "
        "ORDER BY nonce, file"
    ):
        yield Finding("not revealed", f"nonce {nonce} was sealed, and its seed never shown: {file}")
    for nonce, file in kept.execute(
        "SELECT nonce, file FROM shown WHERE digest NOT IN (SELECT digest FROM sealed) "
        "ORDER BY nonce, file"
    ):
        yield Finding("not sealed", f"nonce {nonce} has no commitment in the folder: {file}")
    for files in kept.execute(
        "SELECT min(file) || ', ' || max(file) FROM shown "
        "GROUP BY seed HAVING count(DISTINCT digest) > 1 ORDER BY min(file)"
    ):
        yield Finding("double", f"two shoes have the same server seed: {files[0]}")


def _span(kept: Connection, first: int | None, last: int | None) -> tuple[int | None, int | None]:
    """Return the nonces between which none may be missing; "bad-nonce" where the list is empty."""
    low, high = kept.execute("SELECT min(nonce), max(nonce) FROM both").fetchone()
    low, high = low if first is None else first, high if last is None else last
    if low is not None and high is not None and low > high:
        hint = "give the first and the last nonce that were announced"
        raise TrenteError(f"no nonce is from {low} to {high}", "bad-nonce", hint)
    return low, high


def _outside(kept: Connection, first: int | None, last: int | None) -> Iterator[Finding]:
    """Yield a finding for each shoe before the first that was announced, or after the last."""
    query = (
        "SELECT nonce, min(file) FROM both WHERE nonce < ? OR nonce > ? "
        "GROUP BY nonce ORDER BY nonce"
    )
    span = 0 if first is None else first, LARGEST_NONCE if last is None else last
    for nonce, file in kept.execute(query, span):
        side = "below the first" if nonce < span[0] else "above the last"
        bound = span[0] if nonce < span[0] else span[1]
        yield Finding("outside", f"nonce {nonce} is {side} announced ({bound}): {file}")


def _gaps(kept: Connection, first: int | None, last: int | None) -> Iterator[Finding]:
    if first is None or last is None:
        return
    query = "SELECT DISTINCT nonce FROM both WHERE nonce BETWEEN ? AND ? ORDER BY nonce"
    wanted = first
    for (nonce,) in kept.execute(query, (first, last)):
        if nonce > wanted:
            yield _gap(wanted, nonce - 1)
        wanted = nonce + 1
    if wanted <= last:
        yield _gap(wanted, last)


def _gap(first: int, last: int) -> Finding:
    if first == last:
        return Finding("gap", f"nonce {first} is missing")
    return Finding("gap", f"nonces {first} to {last} are missing")


def _read_all(kept: Connection, folder: Path) -> Iterator[Finding]:
    """Read every file of a folder; yield a finding for each that cannot be used, or is wrong."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.lower().endswith(".json"):
                    yield from _read_one(kept, Path(entry.path))
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "it is not a folder"
        what = f"{os.fspath(folder)!r} cannot be read: {reason.lower()}"
        raise TrenteError(what, "file-unreadable", "name a folder") from error


def _read_one(kept: Connection, path: Path) -> Iterator[Finding]:
    file = shown(path.name)
    try:
        table = read_published(path)
        if "server_seed" not in table:
            made = Commitment.of_json(table)
            kept.execute("INSERT INTO sealed VALUES (?, ?, ?, ?, ?)", (*_bound(made), file))
            return
        found = verify_reveal(table)
        told = revealed(table)
        made = told.committed_to()
        seed = sha256(server_seed_bytes(told.server_seed))
    except TrenteError as error:
        words = str(error)
        yield Finding("unusable", words if file in words else f"{file}: {words}")
        return
    listed = made.seeds_digest(told.client_seeds)
    row = *_bound(made), file, seed, listed, told.beacon_value
    kept.execute("INSERT INTO shown VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    if not found.holds:
        yield Finding("wrong", f"{file}: {found}")


def _bound(made: Commitment) -> tuple[Any, ...]:
    """Return what a commitment binds: nonce, digest, plan, beacon."""
    plan = f"packs={made.packs}" if made.plan is None else str(made.plan)
    return made.nonce, made.digest, plan, made.beacon
