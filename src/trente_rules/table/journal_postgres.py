"""``PostgresJournal``: the journal of a table in a PostgreSQL database, among those of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.fair.card_seal import CardSeal
from trente_rules.table.entries import Entry, check_class
from trente_rules.table.journal import ended_error
from trente_rules.table.journal_chain import Link
from trente_rules.table.journal_rows import KeyTakenError, value_of
from trente_rules.table.journal_signature import HeadSigner
from trente_rules.table.journal_sql import SqlJournal
from trente_rules.table.state import TableState

if TYPE_CHECKING:
    import psycopg

    from trente_rules.table.journal_server import ServerConnection

_WHOLE = "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT 1 FROM head FOR UPDATE"
"""The row of the end is locked first: what is read after it is what is written to."""
_PART = "SAVEPOINT part", "RELEASE SAVEPOINT part", "ROLLBACK TO SAVEPOINT part"
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class PostgresJournal(SqlJournal):
    """A journal in a PostgreSQL database (15 or newer), under a name: one for each table.

    ``conninfo`` says where the database is, as libpq takes it; ``schema`` is the schema in it that
    holds the journals. Every command is on the disk of the server before the table returns its
    events; those that waited together share a transaction.

    A writer has the lock of its journal as long as its connection lives: the death of its process
    frees it at once. Another one waits for it ``wait`` seconds, and is refused then
    ("journal-locked"); with ``steal`` it ends the connection of a writer that still has it. A
    connection that was lost is made anew at the next command, which is refused ("journal-moved")
    where another process has recovered the table since. It may be used from many threads; it does
    not survive a fork. Key, signer and earlier journals are as those of ``SqliteJournal``.

    Raises ``TrenteError`` ("needs-postgres") without psycopg; ``RecordError``:
    "journal-unreadable", "journal-missing" (to read), "journal-locked", "unknown-schema",
    "not-a-journal", "wrong-key", "journal-not-sealed". A method that raises has changed nothing,
    but for "connection-lost" during a commit, which says so.
    """

    KEY_ERRORS = (KeyTakenError,)
    _connection: ServerConnection

    def __init__(  # noqa: PLR0913 - a place, a lock and keys
        self,
        conninfo: str,
        name: str,
        *,
        schema: str = "trente",
        read_only: bool = False,
        wait: float = 1.0,
        steal: bool = False,
        seal: CardSeal | None = None,
        signer: HeadSigner | None = None,
    ) -> None:
        """Open a journal, or make one; with ``read_only`` it must be there."""
        try:
            from trente_rules.table import journal_server as server  # noqa: PLC0415 - of the extra
        except ImportError as error:
            raise TrenteError(
                "a journal in PostgreSQL needs psycopg",
                "needs-postgres",
                'pip install "trente-rules[postgres]"',
            ) from error
        where = server.located(server.Where(conninfo, schema, name, read_only, wait, steal))
        self._depth = 0
        self._closed = False
        super().__init__(server.ServerConnection(where), read_only=read_only, signer=signer)
        self._listener = server.Listener(self._connection)
        self._use(seal)

    @property
    def name(self) -> str:
        """The name of the journal in messages."""
        return f"journal {self.place!r}"

    @property
    def place(self) -> str:
        """The name of the journal in its schema."""
        return self._connection.where.name

    @property
    def channel(self) -> str:
        """The channel on which PostgreSQL notifies of each commit; the payload is ``place``."""
        return self._connection.channel

    @property
    def backend(self) -> int:
        """The process of the server that has the lock of a writer, its pid in ``pg_locks``."""
        return self._connection.raw.info.backend_pid

    @property
    def _raw(self) -> psycopg.Connection:
        return self._connection.raw

    @contextmanager
    def _inside(self) -> Iterator[bool]:
        """Use the connection, which is made anew where it was lost; yield whether it was in use."""
        with self._lock:
            if not self._depth:
                if self._closed:
                    raise RecordError(f"{self.name} is closed", "journal-closed", "open it again")
                if self._connection.lost:
                    self._connection.connect()
                self._connection.back("ROLLBACK")  # what an interrupt left open
            self._depth += 1
            try:
                yield self._depth > 1
            finally:
                self._depth -= 1

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with self._inside(), self._connection.errors():
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        connection = self._connection
        with self._inside():
            part = connection.in_transaction
            self._check_lent()
            begin, end, back = _PART if part else (_WHOLE, "", "ROLLBACK")
            try:
                with connection.errors():
                    connection.raw.execute(begin.encode(), prepare=False)
                yield
                with connection.errors():
                    if part:
                        connection.raw.execute(end.encode())
                    else:
                        connection.commit()
            except BaseException:
                connection.back(back)
                if part:
                    connection.back(end)
                raise
            if not part:
                connection.notify()

    @contextmanager
    def _lent(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if self._is_ended():
                raise self._ended_error() from error
            raise
        self._check_lent()

    def _check_lent(self) -> None:
        """Raise ``RecordError`` ("transaction-ended") where the host ended what it shares."""
        if self._is_lent and self._is_ended():
            raise self._ended_error()

    def _is_ended(self) -> bool:
        return not (self._connection.in_transaction or self._connection.raw.closed)

    def _ended_error(self) -> RecordError:
        return ended_error("what was done before it is written, unless it was a rollback; recover")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        connection = self._connection
        with self._inside():
            if connection.in_transaction:
                yield
                return
            try:
                connection.raw.execute(_READ.encode())
                yield
            finally:
                connection.back("ROLLBACK")

    def _pause(self, seconds: float) -> None:
        """Wait until something is notified, or for so long; it may return early."""
        self._listener.wait(seconds)

    def _name_beside(self, new: PostgresJournal) -> str:
        del new
        return self.place

    def _link_beside(self, link: Link, new: PostgresJournal) -> Link:
        del new
        return link

    def _is_there(self, link: Link) -> bool:
        query = (
            "SELECT 1 FROM journals JOIN all_head ON all_head.journal = journals.number"
            " WHERE journals.name = ?"
        )
        with self._lock, self._errors():
            return value_of(self._connection, query, link.name) is not None

    @property
    def _beside(self) -> dict[str, Any]:
        """How to open an earlier journal, which is in the same schema."""
        where = self._connection.where
        return {"conninfo": where.conninfo, "schema": where.schema, "wait": where.wait}

    @contextmanager
    def _earlier(self, link: Link, what: str) -> Iterator[PostgresJournal]:
        if not self._is_there(link):
            raise RecordError(
                f"{what} is in an earlier journal, {link.name!r}, which is not there",
                "in-earlier-journal",
                "put it back, or read it where it is kept",
                link.name,
            )
        with self._linked(link, read_only=True) as earlier:
            earlier._borrow(self._keys)  # noqa: SLF001 - it is a journal, too
            yield earlier

    def _place_of_link(self, link: Link) -> str:
        return link.name

    def _linked(self, link: Link, *, read_only: bool) -> PostgresJournal:
        signer = None if read_only else self._signer
        return PostgresJournal(name=link.name, read_only=read_only, signer=signer, **self._beside)

    def hand_over(self, new: Self, state: TableState, entries: Sequence[Entry]) -> None:
        """Begin a new journal where this one ends, as every journal; both are in one schema.

        Raises ``RecordError``: "no-rotation" where they are not, and as every journal.
        """
        check_class(self, new)
        if self._tables != new._tables:
            what = f"{new.name} is in another database or schema than {self.name}"
            raise RecordError(what, "no-rotation", "name a journal next to it", new.place)
        super().hand_over(new, state, entries)

    @property
    def _tables(self) -> Any:
        """The id that no other schema of any database has."""
        with self._lock, self._errors():
            return value_of(self._connection, "SELECT id FROM version")

    def close(self) -> None:
        """Sign where it ends, if there is a key, and close it; closing it twice is allowed."""
        with self._lock:
            try:
                if not self._connection.lost:  # nor closed before
                    self._sign_end()
            finally:
                self._closed, self._head = True, None
                self._connection.raw.close()
                self._listener.close()
