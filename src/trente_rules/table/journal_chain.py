"""The hash chain of a journal: SHA-256 over the stored bytes, each row bound to all before it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from attrs import astuple, frozen

from trente_rules.core.errors import RecordError, shown
from trente_rules.table.journal import no_table_error
from trente_rules.table.journal_rows import META, Connection, value_of
from trente_rules.table.movements import PURSE

FIRST: Final = bytes(32)
"""What the first hash is taken over, in place of a hash before it."""
encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@frozen
class Head:
    """Where a journal ends: commands and events written, and the last hash of the chain.

    ``sequence`` counts the commands of the session, and ``events`` its events, as
    ``TableState.events``.
    """

    sequence: int
    events: int
    hash: bytes

    def __str__(self) -> str:
        """Return the head as it may be written down: ``SEQUENCE:HASH``."""
        return f"{self.sequence}:{self.hash.hex()}"

    @property
    def place(self) -> HeadPlace:
        """The head as it is compared: the count of commands, and the hash."""
        return self.sequence, self.hash


HeadPlace = tuple[int, bytes]
"""A head as it is written down: the commands of the session before it, and its hash."""
_HEAD: Final = re.compile(r"\s*([0-9]{1,18}):([0-9a-fA-F]{64})\s*", re.ASCII)


def place_of(text: str) -> HeadPlace:
    """Read a head that was written down as ``SEQUENCE:HASH``; ``RecordError`` ("bad-head")."""
    found = _HEAD.fullmatch(text)
    if found is None:
        hint = "write SEQUENCE:HASH, as trente journal head prints it"
        raise RecordError(f"{shown(text)} is not the head of a journal", "bad-head", hint)
    return int(found[1]), bytes.fromhex(found[2])


@frozen
class Epoch:
    """A recovery of a table from a journal: what was in it then is final.

    ``sequence`` and ``events`` count the commands and events before it; ``at`` is the time in UTC,
    ``engine`` the release that recovered.
    """

    number: int
    sequence: int
    events: int
    at: str
    engine: str

    @property
    def row(self) -> tuple[int, int, int, str, str]:
        """The row of the epoch, without its hash."""
        return self.number, self.sequence, self.events, self.at, self.engine


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


def chain_hash(before: bytes, row: str, body: str) -> bytes:
    """Return the hash of a row: over the hash before it, the name of the row, and its body."""
    return sha256(before + f"{row}\n{body}".encode()).digest()


def command_hash(before: bytes, row: tuple[Any, ...], moved: Iterable[tuple[Any, ...]]) -> bytes:
    """Return the hash of a row of ``commands``, without its own, and of those of its movements."""
    sequence, shoe, coup, player, _id, _at, _kind, body, first, events = row
    money = encode([player, [each[2:] for each in moved]])
    return chain_hash(
        before, f"command {sequence} {shoe} {coup} {first}", f"{body}\n{events}\n{money}"
    )


def snapshot_hash(before: bytes, sequence: int, body: str) -> bytes:
    """Return the hash of a snapshot, which is bound to the hash of its command."""
    return chain_hash(before, f"snapshot {sequence}", body)


def first_hash(meta: Iterable[tuple[str, str]], sequence: int, snapshot: str) -> bytes:
    """Return the hash of the first snapshot, which is bound to the meta, in the order of names."""
    return snapshot_hash(chain_hash(FIRST, "meta", encode(sorted(meta))), sequence, snapshot)


def epoch_hash(before: bytes, epoch: Epoch) -> bytes:
    """Return the hash of an epoch, which continues the chain after its last command."""
    number, sequence, events, at, engine = epoch.row
    return chain_hash(before, f"epoch {number} {sequence} {events}", encode([at, engine]))


def closing_hash(before: bytes, name: str, first: bytes) -> bytes:
    """Return the last hash of a file that is closed: it names the next file and its first hash."""
    return chain_hash(before, f"next {name}", first.hex())


def ids_digest(ids: Iterable[tuple[Any, ...]]) -> str:
    """Return the digest of ids: player, id and command, in the order of players and ids."""
    made = sha256()
    for row in ids:
        made.update(f"{encode(row)}\n".encode())
    return made.hexdigest()


def ids_of(connection: Connection, last: int) -> Iterator[tuple[Any, ...]]:
    """Yield the ids of the commands up to one, in the order of players and ids."""
    query = "SELECT player, id, command FROM ids WHERE command <= ? ORDER BY player, id"
    return iter(connection.execute(query, (last,)))


def check_chain(
    connection: Connection, name: str, *, tail: bool = False, heads: Iterable[HeadPlace] = ()
) -> Checked:
    """Check a whole journal, or its ``tail``: the first rows, and all since the last snapshot.

    Those of the ``heads`` that the journal had at some time are in the result: after a command, an
    epoch, as it began, or where it was closed for good.

    Raises ``RecordError``: "journal-empty", or "journal-changed" for the first row that is missing,
    changed, out of order or too many; ``place`` names it.
    """
    head = head_of(connection)
    if head is None:
        if connection.execute("SELECT 1 FROM commands LIMIT 1").fetchone():
            raise changed_error("head", "is missing")
        raise no_table_error(name)
    meta = dict(connection.execute(META))
    if not meta.get("first", "").isdecimal():
        raise changed_error("meta", "does not name the first snapshot")
    sequence = first = int(meta["first"])
    body, before = _snapshot(connection, first)
    if first_hash(meta.items(), first, body) != before:
        raise changed_error(f"snapshot {first}", "or the meta was changed")
    if not tail and ids_digest(ids_of(connection, first)) != meta.get("ids"):
        raise changed_error(f"ids of commands up to {first}", "were changed")
    if tail:
        sequence = value_of(connection, "SELECT max(sequence) FROM snapshots")
    if sequence != first:
        body, own = _snapshot(connection, sequence)
        query = "SELECT hash FROM commands WHERE sequence = ?"
        before = value_of(connection, query, sequence) or b""
        if snapshot_hash(before, sequence, body) != own:
            raise changed_error(f"snapshot {sequence}", "was changed")
    state = _state(body)
    events = state.get("events")
    start = Head(sequence, events if type(events) is int else -1, before)
    walk = _Walk(connection, start, _accounts(state), int(meta.get("moved_from", 0)), heads)
    walk.to(head)
    if not tail:
        _check_indices(connection, first)
    return Checked(head, sequence, body, frozenset(walk.met))


@frozen
class Checked:
    """The result of a check: the head, and the snapshot from which the rows were followed.

    ``heads`` are those that were asked for and that the journal had on the way.
    """

    head: Head
    sequence: int
    snapshot: str
    heads: frozenset[HeadPlace] = frozenset()


def head_of(connection: Connection) -> Head | None:
    """Return where a journal says that it ends; None where it holds no table."""
    row = connection.execute("SELECT sequence, events, hash FROM head").fetchone()
    return None if row is None else Head(*row)


def next_of(connection: Connection) -> tuple[str, bytes] | None:
    """Return name and first hash of the file after this one; None where this is the last."""
    found: tuple[str, bytes] | None = connection.execute("SELECT name, first FROM next").fetchone()
    return found


def _snapshot(connection: Connection, sequence: int) -> tuple[str, bytes]:
    found: tuple[str, bytes] | None = connection.execute(
        "SELECT body, hash FROM snapshots WHERE sequence = ?", (sequence,)
    ).fetchone()
    if found is None:
        raise changed_error(f"snapshot {sequence}", "is missing")
    return found


def _state(snapshot: str) -> dict[str, Any]:
    state = object_of(snapshot).get("state")
    return state if isinstance(state, dict) else {}


def _accounts(state: dict[str, Any]) -> Counter[str]:
    """Return the accounts of a snapshot: pairs, or an object."""
    try:
        return Counter(dict(state.get("accounts", ())))
    except (TypeError, ValueError):
        return Counter()


class _Walk:
    """The rows of a journal from some point on, each checked."""

    def __init__(
        self,
        connection: Connection,
        start: Head,
        accounts: Counter[str],
        unique: int,
        heads: Iterable[HeadPlace],
    ) -> None:
        """Begin at a snapshot, with the accounts there; ids are unique from a command on."""
        self.unique = unique
        self.wanted = frozenset(heads)
        self.met = self.wanted & {start.place}
        self.sequence, self.number, self.before = start.sequence, start.events, start.hash
        self.accounts = accounts
        self.run = connection.execute
        self.connection = connection
        later = (start.sequence,)
        self.commands = self.run(
            "SELECT * FROM commands WHERE sequence > ? ORDER BY sequence", later
        )
        self.moved: Iterator[tuple[Any, ...]] = iter(
            self.run("SELECT * FROM movements WHERE command > ? ORDER BY command, place", later)
        )
        self.snapshots: Iterator[tuple[Any, ...]] = iter(
            self.run("SELECT * FROM snapshots WHERE sequence > ? ORDER BY sequence", later)
        )
        self.epochs: Iterator[tuple[Any, ...]] = iter(
            self.run("SELECT * FROM epochs WHERE sequence >= ? ORDER BY number", later)
        )
        earlier = "SELECT count(*) FROM epochs WHERE sequence < ?"
        self.epoch = int(value_of(connection, earlier, start.sequence))

    def to(self, end: Head) -> None:
        """Check every row; the last one must be where the journal ends."""
        movement, snapshot = next(self.moved, None), next(self.snapshots, None)
        epoch = self._epochs(next(self.epochs, None))
        for row in self.commands:
            self.sequence += 1
            own: list[tuple[Any, ...]] = []
            while movement is not None and movement[0] <= self.sequence:
                own.append(movement)
                movement = next(self.moved, None)
            self._command(row, own)
            if snapshot is not None and snapshot[0] == self.sequence:
                self._snapshot(snapshot)
                snapshot = next(self.snapshots, None)
            epoch = self._epochs(epoch)
        if movement is not None:
            what = f"belongs to command {movement[0]}, which is not here"
            raise changed_error(f"movement {movement[2]!r}", what)
        if snapshot is not None:
            raise changed_error(f"snapshot {snapshot[0]}", "belongs to no command")
        if epoch is not None:
            raise changed_error(f"epoch {epoch[0]}", "is not where the journal was then")
        last = self.before
        following = next_of(self.connection)
        if following is not None:
            last = closing_hash(last, *following)
        self.met |= self.wanted & {(self.sequence, last)}
        if Head(self.sequence, self.number, last) != end:
            raise changed_error("head", f"counts {end.sequence} commands; {self.sequence} are here")

    def _meet(self) -> None:
        """Note where the rows are, if a head was asked for that is there."""
        place = self.sequence, self.before
        if place in self.wanted:
            self.met |= {place}

    def _epochs(self, epoch: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
        """Check the epochs after the command at hand; return the next one after those."""
        while epoch is not None and epoch[1] == self.sequence:
            *row, own = epoch
            self.epoch += 1
            made = epoch_hash(self.before, Epoch(*row))
            if made != own or row[:3] != [self.epoch, self.sequence, self.number]:
                raise changed_error(f"epoch {epoch[0]}", "or a row before it was changed")
            self.before = made
            self._meet()
            epoch = next(self.epochs, None)
        return epoch

    def _command(self, row: tuple[Any, ...], moved: list[tuple[Any, ...]]) -> None:
        found, _shoe, _coup, player, *plain, body, first, events, own = row
        place = f"command {self.sequence}"
        if found != self.sequence:
            raise changed_error(place, "is missing")
        if first != self.number:
            raise changed_error(place, f"begins at event {first}, not {self.number}")
        if [each[:2] for each in moved] != [(found, number) for number in range(len(moved))]:
            raise changed_error(place, "has movements too many, or too few")
        made = command_hash(self.before, row[:-1], moved)
        value, done = object_of(body), _list(events)
        if made != own or [value.get("id"), value.get("at", ""), value.get("kind")] != plain:
            what = "its movements, or a row before it was changed, or they changed places"
            raise changed_error(place, what)
        query = "SELECT command FROM ids WHERE player = ? AND id = ?"
        known = value_of(self.connection, query, player, plain[0])
        if known != found and not (known is not None and known < found < self.unique):
            raise changed_error(place, "is not in the index of ids")
        self.number += len(done)
        self.before = made
        self._meet()
        for _command, _place, _id, _shoe, _coup, _stake, owner, units, reason, _back in moved:
            if reason not in PURSE:
                self.accounts[owner] += int(units)

    def _snapshot(self, row: tuple[Any, ...]) -> None:
        sequence, body, own = row
        if snapshot_hash(self.before, sequence, body) != own:
            raise changed_error(f"snapshot {sequence}", "was changed")
        told = _accounts(_state(body))
        wrong = [name for name in {*told, *self.accounts} if told[name] != self.accounts[name]]
        if wrong:
            what = f"has other accounts than the movements make: {', '.join(sorted(wrong))}"
            raise changed_error(f"snapshot {sequence}", what)


def _check_indices(connection: Connection, first: int) -> None:
    """Check what the hashes of single rows do not: ids without a command, what reversals name."""
    extra = connection.execute(
        "SELECT ids.command FROM ids LEFT JOIN commands ON sequence = command"
        " WHERE command > ? AND sequence IS NULL",
        (first,),
    ).fetchone()
    if extra:
        raise changed_error(f"ids of command {extra[0]}", "belong to no command")
    wrong = connection.execute(
        "SELECT back.id FROM movements AS back JOIN movements AS was ON was.id = back.reverses"
        " WHERE back.reverses != '' AND (was.reverses != '' OR was.units != -back.units"
        " OR was.player != back.player OR was.stake != back.stake"
        " OR (was.command, was.place) >= (back.command, back.place))"
        " UNION ALL SELECT max(id) FROM movements WHERE reverses != ''"
        " GROUP BY reverses HAVING count(*) > 1"
        " UNION ALL SELECT id FROM movements GROUP BY id HAVING count(*) > 1"
    ).fetchone()
    if wrong:
        what = "is there twice, or does not take one earlier movement back"
        raise changed_error(f"movement {wrong[0]!r}", what)


def object_of(text: str) -> dict[str, Any]:
    """Return a JSON object, empty for a text that does not hold one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _list(text: str) -> list[Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return value if isinstance(value, list) else []


def changed_error(place: str, what: str) -> RecordError:
    """Return the error of a row that is not as it was written."""
    hint = "restore a copy that passes the check"
    return RecordError(f"{place} {what}", "journal-changed", hint, place)
