"""The files of one session: how they name each other, and how one of them is closed for good."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from os.path import normpath, relpath
from pathlib import Path

from attrs import astuple, evolve, frozen

from trente_rules.core.errors import RecordError
from trente_rules.table.journal_chain import Head, closing_hash, encode, head_of, next_of
from trente_rules.table.journal_file import open_file, sqlite_errors, transaction


@frozen
class Link:
    """An earlier file of a session: its name, its commands, and the hash it ended with.

    ``name`` is relative to the folder of the file that names it. Its commands are those after
    ``first``, up to ``last``.
    """

    name: str
    first: int
    last: int
    hash: str


def links_of(meta: Mapping[str, str]) -> tuple[Link, ...]:
    """Return the earlier files that the meta of a journal names, the oldest first."""
    return tuple(Link(*each) for each in json.loads(meta.get("earlier", "[]")))


def links_text(links: Iterable[Link]) -> str:
    """Return links as the meta of a journal holds them."""
    return encode([astuple(each) for each in links])


def named(path: str, beside: str) -> str:
    """Return the name of a file, relative to the folder of another one."""
    whole = Path(path).absolute()
    try:
        return Path(relpath(whole, Path(beside).absolute().parent)).as_posix()
    except ValueError:  # on another drive
        return str(whole)


def resolved(link: Link, beside: str) -> str:
    """Return the path of the file that a link of a journal names."""
    return normpath(Path(beside).absolute().parent / link.name)


def moved_link(link: Link, old: str, new: str) -> Link:
    """Return a link of one journal as another one writes it."""
    return evolve(link, name=named(resolved(link, old), new))


def close_file(connection: sqlite3.Connection, last: Head, name: str, first: bytes) -> bool:
    """Close a journal for good: its table continues in another file, which has this first hash.

    Return whether it still ended where it was thought to; otherwise nothing is done.
    """
    with transaction(connection):
        ended = connection.execute(
            "UPDATE head SET hash = ? WHERE hash = ?",
            (closing_hash(last.hash, name, first), last.hash),
        )
        if ended.rowcount == 1:
            connection.execute("INSERT INTO next VALUES (1, ?, ?)", (name, first))
    return ended.rowcount == 1


def check_link(own: str, link: Link, first: bytes, *, close: bool) -> None:
    """Compare the end of an earlier file, where it is still there, with the link to it.

    ``first`` is the first hash of the journal ``own``. With ``close`` the earlier file is closed
    where the process was killed before it did so. Raises ``RecordError`` ("journal-moved") where it
    has other commands since, or names another file.
    """
    path = resolved(link, own)
    if not Path(path).is_file():
        return
    with sqlite_errors(path):
        with closing(open_file(path, read_only=True, wait=1.0)) as connection:
            head, following = head_of(connection), next_of(connection)
        end = Head(link.last, head.events if head else 0, bytes.fromhex(link.hash))
        if following is not None:
            closed = evolve(end, hash=closing_hash(end.hash, *following))
            if following[1] == first and head == closed:
                return
        elif head == end:
            if not close:
                return
            with closing(open_file(path, read_only=False, wait=1.0)) as connection:
                if close_file(connection, end, named(own, path), first):
                    return
    what = f"journal {own!r} does not begin where {path!r} ends"
    hint = f"the table continued elsewhere: recover {path!r}, or what it names"
    raise RecordError(what, "journal-moved", hint, path)
