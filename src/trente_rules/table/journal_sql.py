"""``SqlJournal``: what the journals of tables have in common that are kept in an SQL database.

The SQL here is taken by SQLite and by PostgreSQL; ``?`` marks a value. A subclass opens the
database, and says how transactions begin and how errors are named.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from threading import RLock
from typing import Any, ClassVar, Final, Self

from attrs import evolve

from trente_rules._version import __version__
from trente_rules.core.errors import RecordError
from trente_rules.fair.card_seal import CardSeal, check_seal
from trente_rules.table.commands import OpenShoe
from trente_rules.table.entries import (
    Entry,
    Kept,
    check_class,
    command_text,
    events_text,
)
from trente_rules.table.events import ShoeEnded
from trente_rules.table.journal import (
    house_text,
    in_use_error,
    moved_error,
    same_id_error,
    snapshot_of,
)
from trente_rules.table.journal_chain import (
    Epoch,
    Head,
    HeadPlace,
    Link,
    check_chain,
    closing_hash,
    command_hash,
    epoch_hash,
    first_hash,
    head_of,
    ids_digest,
    ids_of,
    links_text,
    next_of,
    object_of,
    place_of,
    snapshot_hash,
)
from trente_rules.table.journal_entries import StoredEntries
from trente_rules.table.journal_rows import (
    INSERT_COMMAND,
    INSERT_EPOCH,
    INSERT_ID,
    INSERT_MOVEMENT,
    INSERT_SIGNATURE,
    SCHEMA,
    Connection,
    rows_of,
    value_of,
)
from trente_rules.table.journal_signature import HeadSigner, HeadVerifier, Signed, SignedHead
from trente_rules.table.sealed import sealed_error
from trente_rules.table.state import TableState

SNAPSHOT_EVERY: Final = 1_000
"""Commands after which a snapshot is stored within a shoe: no recovery does more of them again."""
CARRIED: Final = 2_000
"""Entries that a journal takes over, at most, from the one before: more are read there."""


def _to_carry(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return what a journal takes over of the entries of a table: all, or none.

    Those that begin within a shoe are not enough to know the shoe.
    """
    whole = entries and (entries[0].sequence == 1 or isinstance(entries[0].command, OpenShoe))
    return entries if whole and len(entries) <= CARRIED else ()


class SqlJournal(StoredEntries, AbstractContextManager[Any]):
    """A journal in tables of SQL: commands, events, movements, epochs, snapshots.

    A snapshot is stored of each shoe as it opens, and again after ``SNAPSHOT_EVERY`` commands.
    Every row is bound to all before it by a hash chain. It may be used from many threads. A method
    that raises has changed nothing.
    """

    KEY_ERRORS: ClassVar[tuple[type[Exception], ...]]
    """What the database raises where a key is there already."""

    def __init__(
        self, connection: Connection, *, read_only: bool, signer: HeadSigner | None = None
    ) -> None:
        """Use a connection to a database in which the tables are, or a table may begin."""
        self._connection = connection
        self._keys: CardSeal | None = None
        self._seal: CardSeal | None = None
        self._key_id: str | None = None
        self._signer = signer
        self._signed: Head | None = None
        self._read_only = read_only
        self._is_lent = False
        self._lock = RLock()
        self._head: Head | None = None
        self._snapshot_at: int | None = None

    def _use(self, keys: CardSeal | None) -> None:
        """Take the key that the journal is sealed with, or the first for one that begins.

        It is closed where they do not fit. Raises ``RecordError``: "wrong-key" where it is not
        among those given; "journal-not-sealed" where keys are given to write to a journal without;
        ``TrenteError`` ("bad-key") for a key that is not a seal.
        """
        self._keys = keys
        try:
            check_seal(keys)
            self._seal = None if keys is None else self._fitting(keys)
        except BaseException:
            self.close()
            raise

    def _fitting(self, keys: CardSeal) -> CardSeal | None:
        with self._lock, self._errors():
            sealed = self._sealed
        if sealed is None:
            return keys
        if sealed:
            return keys.of(sealed)
        if self._read_only:
            return None
        hint = "continue in a sealed one: table.rotate() to a journal with seal="
        raise self._unsealed_error("is not sealed, and takes no key", hint)

    def _unsealed_error(self, what: str, hint: str) -> RecordError:
        return RecordError(f"{self.name} {what}", "journal-not-sealed", hint, self.place)

    def _borrow(self, keys: CardSeal | None) -> None:
        """Open with those of the keys of a later journal that fit here; the rest stays sealed."""
        with self._lock, self._errors():
            self._keys, sealed = keys, self._sealed
        self._seal = keys.of(sealed) if keys and sealed and keys.has(sealed) else None

    @property
    def _sealed(self) -> str | None:
        """The id of the key that cards are sealed with: "" without one, None before a table."""
        if self._key_id is None and head_of(self._connection) is not None:
            query = "SELECT value FROM meta WHERE name = 'sealed'"
            self._key_id = value_of(self._connection, query) or ""
        return self._key_id

    @property
    def sealed(self) -> str:
        """The id of the key that the cards to come are sealed with, "" where they are not."""
        with self._lock, self._errors():
            found = self._sealed
        return found if found is not None else self._seal.key_id if self._seal else ""

    def _check_seal(self) -> None:
        """Raise ``RecordError`` ("journal-sealed") where the key is needed, and was not given."""
        if self._seal is None and self._sealed:
            raise sealed_error(self.name, "journal-sealed")

    @abstractmethod
    def _writing(self) -> AbstractContextManager[None]:
        """Write in one transaction, all or nothing; within another one, as a part of it."""

    @abstractmethod
    def _lent(self) -> AbstractContextManager[None]:
        """Let a host write in a transaction, which it may not end ("transaction-ended")."""

    @abstractmethod
    def _name_beside(self, new: Self) -> str:
        """Return what the rows of another journal call this one."""

    @abstractmethod
    def _link_beside(self, link: Link, new: Self) -> Link:
        """Return a link of this journal as another one writes it."""

    @abstractmethod
    def _earlier(self, link: Link, what: str) -> AbstractContextManager[SqlJournal]:
        """Open an earlier journal to read; "in-earlier-journal" where it is gone."""

    @abstractmethod
    def _place_of_link(self, link: Link) -> str:
        """Return where an earlier journal is."""

    @abstractmethod
    def _linked(self, link: Link, *, read_only: bool) -> SqlJournal:
        """Open an earlier journal, with the key that signs heads where it is opened to write."""

    def _check_link(self, *, close: bool) -> None:
        """Compare the end of the journal before with the link to it; ``close`` it where open.

        Raises ``RecordError`` ("journal-moved").
        """
        links = self.links
        if not links or not self._is_there(links[-1]):
            return
        link, place = links[-1], self._place_of_link(links[-1])
        with self._read():
            query = "SELECT hash FROM snapshots ORDER BY sequence LIMIT 1"
            own: bytes = value_of(self._connection, query)
        with self._linked(link, read_only=True) as earlier:
            head = earlier.head
            following = next_of(earlier._connection)  # noqa: SLF001 - it is a journal, too
        end = Head(link.last, head.events if head else 0, bytes.fromhex(link.hash))
        if following is not None:
            closed = evolve(end, hash=closing_hash(end.hash, *following))
            if following[1] == own and head == closed:
                return
        elif head == end:
            if not close:
                return
            # The process was killed between the two journals.
            with self._linked(link, read_only=False) as earlier:
                name = self._name_beside(earlier)
                if earlier._close_for_good(end, name, own):  # noqa: SLF001 - it is a journal, too
                    return
        what = f"{self.name} does not begin where {place!r} ends"
        hint = f"the table continued elsewhere: recover {place!r}, or what it names"
        raise RecordError(what, "journal-moved", hint, place)

    @abstractmethod
    def close(self) -> None:
        """Close the connection; closing it twice is allowed."""

    def __exit__(self, *_error: object) -> None:
        """Close the connection."""
        self.close()

    def begin(self, state: TableState, entries: Sequence[Entry]) -> None:
        """Store house, table and first state; ``RecordError`` ("journal-in-use") after another."""
        last = entries[-1].sequence if entries else 0
        ids = sorted((*entry.key, entry.sequence) for entry in entries)
        self._begin(state, entries, last, ids, ())

    def _begin(
        self,
        state: TableState,
        entries: Sequence[Entry],
        last: int,
        ids: Iterable[tuple[Any, ...]],
        links: Sequence[Link],
    ) -> Head:
        """Store the first state, after a command of the session, with the ids used before."""
        setup = state.setup
        house = setup.house  # that of the table: a cut may have decided the first row of this shoe
        run, write = self._connection.execute, self._connection.executemany
        body = snapshot_of(state, entries, self._seal)
        text = house_text(house)
        with self._lock, self._errors(), self._writing():
            if head_of(self._connection) is not None:
                raise in_use_error(self.name, setup.table)
            write(INSERT_ID, ids)
            meta = {
                "engine": __version__,
                "fingerprint": house.fingerprint,
                "first": str(last),
                "house": house.name,
                "house_toml": text,
                "ids": ids_digest(ids_of(self._connection, last)),
                "opening": json.dumps(state.opening.to_json()),
                "schema": str(SCHEMA),
                "sealed": self._seal.key_id if self._seal else "",
                "session": setup.session,
                "table": setup.table,
            }
            if links:
                meta["earlier"] = links_text(links)
            head = Head(last, state.events, first_hash(meta.items(), last, body))
            write("INSERT INTO meta VALUES (?, ?)", meta.items())
            run("INSERT INTO snapshots VALUES (?, ?, ?)", (last, body, head.hash))
            run("INSERT INTO head VALUES (1, ?, ?, ?)", (last, head.events, head.hash))
            self._sign(head)
        self._head, self._snapshot_at = head, last
        return head

    def append(self, entries: Sequence[Entry], state: TableState) -> None:
        """Store entries in one transaction, and a snapshot where one of them opened a shoe.

        Raises ``RecordError``: "journal-moved" where the journal does not end at the state of the
        table, "journal-sealed" without its key, "same-id", "journal-locked", "journal-full",
        "journal-read-only", "journal-closed", "journal-fails".
        """
        run, write = self._connection.execute, self._connection.executemany
        with self._lock, self._errors():
            last = self._head or self._end()
            if last.events != entries[0].first_event:
                raise self._moved_error()
            self._check_seal()
            # What can be worked out before is: the database is locked as shortly as possible.
            sequence, before = last.sequence, last.hash
            commands, ids, movements, opened = [], [], [], None
            for number, entry in enumerate(entries):
                sequence += 1
                sealing = self._seal, entry.round.session, sequence
                told = command_text(entry.command, *sealing), events_text(entry.events)
                row, moved = rows_of(entry, sequence, *told)
                before = command_hash(before, row, moved)
                commands.append((*row, before))
                ids.append((row[3], row[4], sequence))
                movements += moved
                if isinstance(entry.command, OpenShoe):
                    opened = number
            head = Head(sequence, state.events, before)
            stored = []
            if opened is not None or sequence - self._last_snapshot() >= SNAPSHOT_EVERY:
                # The state is the one after all of these commands.
                since = () if opened is None else entries[opened:]
                stored = [self._snapshot_row(state, since, sequence, before)]
            try:
                with self._writing():
                    self._move_head(last, head)
                    write(INSERT_ID, ids)
                    write(INSERT_COMMAND, commands)
                    write(INSERT_MOVEMENT, movements)
                    for each in stored:
                        run("INSERT INTO snapshots VALUES (?, ?, ?)", each)
                    if any(isinstance(each, ShoeEnded) for one in entries for each in one.events):
                        self._sign(head)
            except self.KEY_ERRORS:
                used = (entry for entry in entries if self._sequence_of(*entry.key) is not None)
                raise same_id_error(next(used, entries[-1])) from None
            self._head = head
            if stored:
                self._snapshot_at = sequence

    def _snapshot_row(
        self, state: TableState, entries: Sequence[Entry], sequence: int, hash_: bytes
    ) -> tuple[int, str, bytes]:
        """Return the row of a snapshot at the command that has this hash."""
        body = snapshot_of(state, entries, self._seal)
        return sequence, body, snapshot_hash(hash_, sequence, body)

    def _last_snapshot(self) -> int:
        if self._snapshot_at is None:
            self._snapshot_at = int(
                value_of(self._connection, "SELECT max(sequence) FROM snapshots") or 0
            )
        return self._snapshot_at

    def _move_head(self, old: Head, new: Head) -> None:
        """Write where the journal ends now; "journal-moved" where it did not end at ``old``."""
        ended = self._connection.execute(
            "UPDATE head SET sequence = ?, events = ?, hash = ? WHERE hash = ?",
            (new.sequence, new.events, new.hash, old.hash),
        )
        if ended.rowcount != 1:
            raise self._moved_error()

    @contextmanager
    def claim(self) -> Iterator[None]:
        """Add an epoch once the block ends: what is there is final, and no earlier writer writes.

        Nobody else writes within the block. Where it raises nothing is added, and whoever wrote
        before continues. An earlier journal that was left open, since its process was killed as the
        table moved to this one, is closed for good. A journal that was closed itself, or is open to
        read, is left as it is. Raises ``RecordError``: "journal-empty", "journal-changed",
        "journal-moved", "journal-locked".
        """
        if self._read_only:
            yield
            return
        with self._lock:
            with self._errors(), self._writing():
                with self._reading():
                    found = check_chain(self._connection, self.name, tail=True).head
                    closed = next_of(self._connection) is not None
                yield
                self._check_link(close=True)
                head = None if closed else self._add_epoch(found)
            self._head = head

    def _add_epoch(self, found: Head) -> Head:
        number = int(value_of(self._connection, "SELECT max(number) FROM epochs") or 0) + 1
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        epoch = Epoch(number, found.sequence, found.events, at, __version__)
        head = Head(found.sequence, found.events, epoch_hash(found.hash, epoch))
        self._move_head(found, head)
        self._connection.execute(INSERT_EPOCH, (*epoch.row, head.hash))
        self._sign(head)
        return head

    def _sign(self, head: Head) -> None:
        """Sign where the journal ends, within a transaction, if there is a key."""
        if self._signer is None:
            return
        query = "SELECT value FROM meta WHERE name = 'session'"
        session = value_of(self._connection, query)
        number = int(value_of(self._connection, "SELECT max(number) FROM signatures") or 0) + 1
        signed = self._signer.signed(session, number, head)
        self._connection.execute(INSERT_SIGNATURE, signed.row)
        self._signed = head

    def _sign_end(self) -> None:
        """Sign the end as a writer leaves it, where it is still this writer's."""
        head = self._head
        if self._signer is None or self._read_only or head is None or head == self._signed:
            return
        with self._errors(), self._writing():
            if head_of(self._connection) == head:
                self._sign(head)

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """Open a transaction that a table and its host share; yield the connection.

        What is written within, by a table or by the host, is committed together at the end, or not
        at all where the block or the commit raises. A table is then ahead of its journal: use
        ``Table.transaction``, which takes it back. The host leaves the end to the block.

        Raises ``RecordError``: "journal-moved" where a table writes that is not where the journal
        ends, "transaction-ended", "journal-locked", "journal-read-only", "journal-closed".
        """
        with self._lock:
            if self._read_only:
                what = f"{self.name} is open to read"
                raise RecordError(what, "journal-read-only", "open it to write", self.place)
            with self._errors():  # the journal is where it was
                before = self._head, self._snapshot_at
            try:
                with self._writing():
                    with self._errors():
                        self._check_end()
                    with self._lending():
                        yield self._raw
            except BaseException:
                self._head, self._snapshot_at = before
                raise

    def _check_end(self) -> None:
        """Raise ``RecordError`` ("journal-moved") where a table writes that was fenced."""
        if self._head is not None and head_of(self._connection) != self._head:
            raise self._moved_error()

    @contextmanager
    def _lending(self) -> Iterator[None]:
        """Let a host write in a transaction, unless it does already."""
        if self._is_lent:
            yield
            return
        self._is_lent = True
        try:
            with self._lent():
                yield
        finally:
            self._is_lent = False

    @property
    @abstractmethod
    def _raw(self) -> Any:
        """The connection as the library of the database knows it."""

    def _end(self) -> Head:
        """Return where the journal ends; "journal-moved" where nothing may be written to it."""
        head = head_of(self._connection)
        if head is None or next_of(self._connection) is not None:
            raise self._moved_error()
        return head

    def _is_closed_for_good(self) -> bool:
        with self._read():
            return next_of(self._connection) is not None

    def _moved_error(self) -> RecordError:
        following = next_of(self._connection)
        hint = (
            f"the table moved to {following[0]!r}: recover that journal"
            if following
            else "another table wrote to it, or a command was interrupted once it was written: "
            "recover(journal), and run one writer"
        )
        return moved_error(self.name, hint, self.place)

    def kept(self, *, sealed: bool = False) -> Kept:
        """Return the last snapshot and the commands since it, their hashes checked.

        With ``sealed`` the cards to come may stay closed: for a reader without the key. Raises
        ``RecordError``: "journal-empty", "journal-changed", "journal-sealed" without the key,
        "journal-moved" where the earlier file has other commands since.
        """
        with self._read():
            found = check_chain(self._connection, self.name, tail=True)
            entries = tuple(self._rows(found.sequence + 1, found.head.sequence))
            meta = self.meta
            if not sealed:
                self._check_seal()
        self._check_link(close=False)
        carries = object_of(found.snapshot).get("entries")  # from the opening of a shoe on
        return Kept(
            meta.get("house_toml", ""),
            self._unsealed(found.snapshot),
            entries,
            sequence=found.sequence,
            within=not carries and (found.sequence > int(meta["first"]) or bool(self.links)),
        )

    @property
    def head(self) -> Head | None:
        """The end of the journal, None before a table began; its hash may be stored elsewhere."""
        with self._lock, self._errors():
            return head_of(self._connection)

    @property
    def epochs(self) -> tuple[Epoch, ...]:
        """The epochs of the journal, one for each time that a table was recovered from it."""
        query = "SELECT number, sequence, events, at, engine FROM epochs ORDER BY number"
        with self._lock, self._errors():
            return tuple(Epoch(*row) for row in self._connection.execute(query).fetchall())

    @property
    def signatures(self) -> int:
        """The number of signed heads."""
        with self._read():
            return int(value_of(self._connection, "SELECT max(number) FROM signatures") or 0)

    def check(self, head: Head | str | None = None) -> Head:
        """Check every row against the hash chain; return where the journal ends.

        An earlier ``head``, as it was stored elsewhere, must be one that the journal had: then it
        holds all that it held when it ended there. The head that a file of release 0.1.0 to 0.3.0
        had as it was upgraded is known, too. A head of an earlier file of the session is looked for
        there. Without one, the end of the earlier file is compared with the link to it,
        where that file is still there; its rows are not read.

        Raises ``RecordError``: "journal-empty", "journal-changed" with the place of the first row
        that is changed, missing, out of order or too many; "other-head" where the end was cut off,
        or the chain made anew; "bad-head", "in-earlier-journal".
        """
        wanted = place_of(head) if isinstance(head, str) else head.place if head else None
        with self._read():
            found = check_chain(
                self._connection, self.name, heads=() if wanted is None else (wanted,)
            )
            first, links = int(self.meta["first"]), self.links
            upgraded = self.meta.get("schema_1_head")
        self._check_link(close=False)
        if wanted is not None and upgraded == f"{wanted[0]} {wanted[1].hex()}":
            return found.head
        if wanted is not None and not found.heads:
            self._check_earlier(wanted, found.head, first, links)
        return found.head

    def check_rows(self) -> Head:
        """Check the rows of this journal alone, like ``check``; no other file is looked at."""
        with self._read():
            return check_chain(self._connection, self.name).head

    def _check_earlier(
        self, wanted: HeadPlace, end: Head, first: int, links: Sequence[Link]
    ) -> None:
        """Look for a head in the journal before this one; "other-head" where none can have it."""
        sequence, hash_ = wanted
        told = f"{sequence}:{hash_.hex()}"
        if sequence > end.sequence:
            what = f"{self.name} ends at {end}, before the head {told}: its end was cut off"
        elif sequence > first or not links:
            what = f"{self.name} never ended at {told}: its chain is another one"
        elif not self._is_there(links[-1]) and (sequence, hash_.hex()) in [
            (each.last, each.hash) for each in links
        ]:
            return  # the rows of this journal are bound to it
        else:
            with self._earlier(links[-1], f"head {told}") as earlier:
                earlier.check(told)
            return
        hint = "restore a copy that has this head, or ask who gave it"
        raise RecordError(what, "other-head", hint, self.place)

    def check_signatures(self, verifier: HeadVerifier) -> Signed:
        """Check every signed head against the chain and the keys; return what they cover.

        All rows are checked as ``check`` does. Raises ``RecordError``: those of ``check``, and
        "bad-signature" where no head is signed by these keys, a signature is missing or wrong, or
        the head that was signed is not one that the journal had.
        """
        query = "SELECT number, sequence, events, hash, key, signature FROM signatures"
        with self._read():
            rows = [
                SignedHead(number, Head(sequence, events, bytes(hash_)), key, bytes(signature))
                for number, sequence, events, hash_, key, signature in self._connection.execute(
                    f"{query} ORDER BY number"
                )
            ]
            places = {each.head.place for each in rows}
            found = check_chain(self._connection, self.name, heads=places)
            session = self.meta["session"]
        self._check_link(close=False)
        return verifier.check(self.name, session, rows, found)

    def hand_over(self, new: Self, state: TableState, entries: Sequence[Entry]) -> None:
        """Begin a new journal where this one ends, and close this one for good.

        The new journal names this one and all before it, and has the ids of all commands. Raises
        ``RecordError``: "journal-moved" where this journal does not end at the state,
        "journal-in-use" where the new one holds a table, "no-rotation" where it is of another kind,
        "journal-not-sealed" where this one is sealed and the new one would not be.
        """
        check_class(self, new)
        if self.sealed and not new.sealed:
            what = f"has no key, and {self.name} is sealed"
            raise new._unsealed_error(what, "open the new one with seal=")
        with self._lock, self._errors():
            last = self._head or self._end()
            if last.events != state.events:
                raise self._moved_error()
            here = Link(
                *(self._name_beside(new), int(self.meta["first"])),
                *(last.sequence, last.hash.hex()),
            )
            before = (self._link_beside(each, new) for each in self.links)
            with self._reading():
                ids = ids_of(self._connection, last.sequence)
                begun = new._begin(state, _to_carry(entries), last.sequence, ids, (*before, here))
            if not self._close_for_good(last, new._name_beside(self), begun.hash):
                raise self._moved_error()
            self._head = None

    def _close_for_good(self, last: Head, name: str, first: bytes) -> bool:
        """Close the journal: its table continues in another one, which has this first hash.

        Return whether it still ended where it was thought to; otherwise nothing is done.
        """
        with self._writing():
            ended = self._connection.execute(
                "UPDATE head SET hash = ? WHERE hash = ?",
                (closing_hash(last.hash, name, first), last.hash),
            )
            if ended.rowcount == 1:
                self._connection.execute("INSERT INTO next VALUES (1, ?, ?)", (name, first))
                self._sign(evolve(last, hash=closing_hash(last.hash, name, first)))
        return ended.rowcount == 1
