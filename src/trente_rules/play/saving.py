"""A session in a file: written whole or not at all, and read back.

The file holds the order of the cards to come, and the seed where there is one: its owner alone may
read it. With a key both are sealed in it.
"""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock
from typing import Any, Final, Self

from attrs import asdict, field, frozen

from trente_rules._version import __version__
from trente_rules.core.errors import RecordError, TrenteError, shown
from trente_rules.core.files import (
    locked_file,
    make_private,
    read_file,
    replace_file,
    unwritable_error,
)
from trente_rules.core.house.loading import dumps_house, loads_house
from trente_rules.fair.card_seal import CardSeal, about
from trente_rules.fair.entropy import SeededShuffler, SystemShuffler
from trente_rules.play.session import PlaySession, Shuffler
from trente_rules.play.tally import Tally
from trente_rules.table import migrations
from trente_rules.table.codec import converter, structure
from trente_rules.table.sealed import KEY, is_sealed
from trente_rules.table.snapshot import restore, snapshot
from trente_rules.table.statistics import Statistics

SCHEMA: Final = 1
LARGEST: Final = 20_000_000
"""Bytes of a saved session that are read."""
_ANEW: Final = "name another file with --save, or remove this one to start over"
_OPENED_BY: Final = "the environment variable TRENTE_RULES_KEY_FILE"


@frozen
class SavedStream:
    """The place in the stream of a seed, as a file of a session holds it."""

    seed: str
    stream: int
    position: int


@frozen(kw_only=True)
class SavedSession:
    """A file of a session, as JSON holds it; statistics and table are read by modules of theirs."""

    trente_play: int
    engine: str
    began: str
    house: str
    bankroll: int
    chip: int
    insure: tuple[str, ...]
    shuffler: dict[str, Any]
    """A ``SavedStream``, a sealed one, or nothing where the system shuffles."""
    statistics: dict[str, Any]
    coups: Tally = field(factory=Tally)
    """Not in files of 0.1.0."""
    table: dict[str, Any]


def session_text(session: PlaySession, seal: CardSeal | None = None) -> str:
    """Return a session as JSON; a ``seal`` closes the cards to come, and the seed."""
    seeded: Shuffler = session.shuffler
    shuffler: dict[str, Any] = {}
    if isinstance(seeded, SeededShuffler):
        shuffler = asdict(SavedStream(seeded.seed.hex(), seeded.stream, seeded.position))
    if seal is not None:
        place = _place(session.state.setup.session, session.state.events)
        shuffler = {KEY: seal.close(json.dumps(shuffler), place)}
    saved = SavedSession(
        trente_play=SCHEMA,
        engine=__version__,
        began=session.began,
        house=dumps_house(session.house),
        bankroll=session.bankroll,
        chip=session.chip,
        insure=tuple(sorted(session.insure)),
        shuffler=shuffler,
        statistics=converter().unstructure(session.earlier),
        coups=session.earlier_tally,
        table={},
    )
    head = converter().unstructure(saved)
    del head["table"]
    written = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
    # A snapshot is JSON already: to read it and write it again would double its cost.
    return f'{written[:-1]},"table":{snapshot(session.table, seal)}}}'


def session_of_text(text: str, seal: CardSeal | None = None) -> PlaySession:
    """Read a saved session.

    Raises ``RecordError``: "not-json", "bad-session", "unknown-schema"; "session-sealed" without
    the key of one that is sealed, "wrong-key", "seal-broken"; and what restoring the
    table raises; ``ConfigurationError`` where the house cannot be built here.
    """
    try:
        saved = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"the saved session is not JSON: {error}", "not-json") from None
    if not isinstance(saved, dict) or "trente_play" not in saved:
        raise _session_error("not a session saved by `trente play`")
    if saved["trente_play"] != SCHEMA:
        raise RecordError(
            f"unknown schema of a saved session: {shown(saved['trente_play'])}",
            "unknown-schema",
            f"this version reads schema {SCHEMA}; it was saved by {shown(saved.get('engine'))}",
        )
    read: SavedSession = structure(saved, SavedSession, "session")
    house = loads_house(read.house, origin="<saved session>")
    sealed = is_sealed(read.shuffler)
    if sealed and seal is None:
        hint = f"give its key: --key-file, or {_OPENED_BY}"
        raise RecordError("the saved session is sealed", "session-sealed", hint)
    table = restore(json.dumps(read.table), house, seal=seal)
    for entry in table.entries:
        # Ids are numbers; those of earlier releases have a hyphen. A later command with the id of
        # an earlier one would be a repetition, and never done.
        id_ = entry.command.id
        if id_.isdecimal() and id_ != str(entry.sequence):
            raise _session_error(f"command {entry.sequence} has the id {shown(id_)}")
    stream = read.shuffler
    if sealed and seal is not None:
        place = _place(table.state.setup.session, table.state.events)
        stream = json.loads(seal.open(stream[KEY], place))
    try:
        session = PlaySession(
            table,
            _shuffler(stream),
            read.bankroll,
            insure=frozenset(read.insure),
            before=structure(migrations.statistics(read.statistics), Statistics, "session"),
            coups_before=read.coups,
        )
        session.choose_chip(read.chip)
        session.began = read.began
    except RecordError:
        raise
    except TrenteError as error:
        raise _session_error(str(error)) from None
    return session


def _place(session: str, events: int) -> str:
    """Return what the shuffler of a session is bound to."""
    return about(session, "shuffler", events)


def _shuffler(saved: dict[str, Any]) -> Shuffler:
    if not saved:
        return SystemShuffler()
    stream: SavedStream = structure(saved, SavedStream, "session")
    return SeededShuffler(stream.seed, stream.stream, position=stream.position, test=True)


def _session_error(reason: str) -> RecordError:
    return RecordError(f"the saved session cannot be read: {reason}", "bad-session", _ANEW)


class SaveFile:
    """The file of a session, locked for one program at a time.

    It is locked as a context; ``RecordError`` ("file-in-use") if another program has it. Threads
    that write at once write one after the other.
    """

    def __init__(self, path: str | os.PathLike[str], seal: CardSeal | None = None) -> None:
        """Use a path, and a key where the cards to come are sealed; nothing is opened yet."""
        self.path = Path(path)
        self._seal = seal
        self._held: AbstractContextManager[None] | None = None
        self._writing = Lock()

    def __enter__(self) -> Self:
        """Lock the file: with a lock file next to the one that a link points to."""
        try:
            held = locked_file(f"{os.path.realpath(self.path)}.lock")
            held.__enter__()
        except BlockingIOError:
            raise RecordError(
                f"{str(self.path)!r} is in use by another session",
                "file-in-use",
                "leave that session, or name another file",
            ) from None
        except (OSError, ValueError) as error:
            raise unwritable_error(
                self.path, error, RecordError, "name another file, or make room for this one"
            ) from error
        self._held = held
        return self

    def __exit__(self, *_error: object) -> None:
        """Release the file."""
        self.release()

    def release(self) -> None:
        """Release the file if it is locked."""
        held, self._held = self._held, None
        if held is not None:
            held.__exit__(None, None, None)

    def read(self) -> PlaySession | None:
        """Return the session in the file, None without a file; see ``session_of_text``."""
        try:
            data = read_file(self.path, LARGEST, RecordError)
        except RecordError as error:
            if error.code == "file-missing":
                return None
            raise
        try:
            return session_of_text(data.decode("utf-8"), self._seal)
        except UnicodeDecodeError as error:
            raise RecordError(
                f"{str(self.path)!r} is not UTF-8: byte {error.start}", "not-utf-8"
            ) from None
        except TrenteError as error:
            raise RecordError(
                f"{str(self.path)!r}: {error.message}", error.code, error.hint or _ANEW
            ) from error

    def write(self, session: PlaySession) -> None:
        """Save a session: the file holds all of it, or what it held before.

        Raises ``RecordError`` ("file-unwritable").
        """
        self._write(session)

    def write_new(self, session: PlaySession) -> None:
        """Save a session in a file that is not there yet; ``RecordError`` as ``write``.

        Raises ``RecordError`` ("file-exists") where it is there.
        """
        try:
            made = make_private(self.path)
        except OSError as error:
            raise unwritable_error(self.path, error, RecordError, "name another file") from error
        if not made:
            what = f"{str(self.path)!r} is there already"
            raise RecordError(what, "file-exists", "name another file, or remove it")
        self._write(session)

    def _write(self, session: PlaySession) -> None:
        data = session_text(session, self._seal).encode()
        try:
            with self._writing:
                replace_file(self.path, data, RecordError)
        except RecordError as error:
            error.hint = "the coup is not dealt; make room and deal it, or leave: nothing is lost"
            raise
