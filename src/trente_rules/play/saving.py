"""A session in a file: written whole or not at all, and read back.

The file holds the order of the cards to come, and the seed where there is one: its owner alone may
read it. With a key both are sealed in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Final, Self

from attrs import asdict, field, fields, frozen
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, override

from trente_rules._version import __version__
from trente_rules.core.converter import (
    MOST_UNITS,
    Form,
    expected_error,
    structure_table,
    whole,
)
from trente_rules.core.errors import RecordError, RuleError, TrenteError, shown
from trente_rules.core.files import (
    locked_file,
    make_private,
    read_file,
    replace_file,
    unwritable_error,
)
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import dumps_house, loads_house
from trente_rules.core.keys import named
from trente_rules.core.text import counted
from trente_rules.fair.card_seal import CardSeal, about
from trente_rules.fair.entropy import LARGEST_NONCE, SeededShuffler, SystemShuffler
from trente_rules.play.session import MOST_BANKROLL, PLAYER, PlaySession, Shuffler
from trente_rules.play.tally import Tally
from trente_rules.table import migrations
from trente_rules.table.codec import converter, structure
from trente_rules.table.sealed import KEY, is_sealed
from trente_rules.table.snapshot import restore, snapshot
from trente_rules.table.statistics import PlayerCount, ShoeCount, Statistics
from trente_rules.table.table import Table

SCHEMA: Final = 1
LARGEST: Final = 20_000_000
"""Bytes of a saved session that are read."""
_ANEW: Final = "name another file with --save, or remove this one to start over"
_OF_THE_TABLE: Final = frozenset(("bad-snapshot", "unknown-schema", "other-house"))
"""The codes of a table that cannot be restored, whatever the key."""
_OPENED_BY: Final = "the environment variable TRENTE_RULES_KEY_FILE"


def _read_name(value: Any) -> str:
    """Read the name of a house."""
    if not isinstance(value, str) or named(value):
        raise expected_error("the name of a house", value, "letters, digits, - _ .")
    return value


_Table = Annotated[dict[str, Any], Form(structure_table)]
_Place = Annotated[int, whole(0, LARGEST_NONCE)]


@frozen
class SavedStream:
    """The place in the stream of a seed, as a file of a session holds it."""

    seed: str
    stream: _Place
    position: _Place


@frozen(kw_only=True)
class SavedSession:
    """A file of a session, as JSON holds it; statistics and table are read by modules of theirs."""

    trente_play: int
    engine: str
    began: Annotated[str, Form(_read_name)]
    house: str
    bankroll: Annotated[int, whole(0, MOST_BANKROLL)]
    chip: int
    insure: tuple[str, ...]
    shuffler: _Table
    """A ``SavedStream``, a sealed one, or nothing where the system shuffles."""
    statistics: _Table
    coups: Tally = field(factory=Tally)
    """Not in files of 0.1.0."""
    table: _Table


_COUNT: Final = whole(0)
_NET: Final = whole(-MOST_UNITS)
_COUNTS: Final = (Tally, Statistics, ShoeCount, PlayerCount)


@cache
def _counting() -> Converter:
    """Return what reads a session: whole numbers are counts, and each key of a count is there."""
    made = converter().copy()
    made.register_structure_hook(int, lambda value, _kind: _COUNT.read(value))
    made.register_structure_hook_factory(lambda kind: kind in _COUNTS, _complete)
    return made


def _complete(cls: Any, made: Converter) -> Callable[[Any, Any], Any]:
    """Return the hook of a class whose keys are all needed, also those that have a default."""
    net = override(struct_hook=lambda value, _kind: _NET.read(value))
    below_zero: dict[str, Any] = {"net": net} if cls is PlayerCount else {}
    build = make_dict_structure_fn(cls, made, _cattrs_forbid_extra_keys=True, **below_zero)

    def hook(value: Any, kind: Any) -> Any:
        built = build(structure_table(value), kind)
        for each in fields(cls):
            if each.name not in value:
                raise RuleError(f"{each.name!r} is missing", "missing-key", "", each.name)
        return built

    return hook


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
        raise RecordError("not a session saved by `trente play`", "bad-session", _ANEW)
    if saved["trente_play"] != SCHEMA:
        raise RecordError(
            f"unknown schema of a saved session: {shown(saved['trente_play'])}",
            "unknown-schema",
            f"this version reads schema {SCHEMA}; it was saved by {shown(saved.get('engine'))}",
        )
    read: SavedSession = structure(saved, SavedSession, "session", made=_counting())
    house = loads_house(read.house, origin="<saved session>")
    sealed = is_sealed(read.shuffler)
    if sealed and seal is None:
        hint = f"give its key: --key-file, or {_OPENED_BY}"
        raise RecordError("the saved session is sealed", "session-sealed", hint)
    table = _table(read, house, seal)
    stream: object = read.shuffler
    if sealed and seal is not None:
        place = _place(table.state.setup.session, table.state.events)
        stream = json.loads(seal.open(read.shuffler[KEY], place))
    statistics = _statistics(read, house)
    shuffler = _shuffler(stream)
    with _faults_at("table"):
        session = PlaySession(
            table, shuffler, read.bankroll, before=statistics, coups_before=read.coups
        )
    _seat(session, read)
    return session


def _table(read: SavedSession, house: House, seal: CardSeal | None) -> Table:
    """Return the table of a saved session."""
    try:
        table = restore(json.dumps(read.table), house, seal=seal)
    except RecordError as error:
        if error.code in _OF_THE_TABLE:
            error.message, error.place = f"session.table: {error.message}", "session.table"
        raise
    for entry in table.entries:
        # Ids are numbers; those of earlier releases have a hyphen. A later command with the id of
        # an earlier one would be a repetition, and never done.
        id_ = entry.command.id
        if id_.isdecimal() and id_ != str(entry.sequence):
            raise _session_error("table", f"command {entry.sequence} has the id {shown(id_)}")
    return table


def _statistics(read: SavedSession, house: House) -> Statistics:
    """Return the statistics of a saved session: of chances of the house, and of its one player."""
    value = migrations.statistics(read.statistics)
    found: Statistics = structure(
        value, Statistics, "session", made=_counting(), at=("statistics",)
    )
    points, expected = len(found.points), len(Statistics().points)
    if points != expected:
        what = f"{counted(points, 'number')} instead of {expected}"
        raise _session_error("statistics.points", what)
    for number, (chance, _wins) in enumerate(found.wins, 1):
        with _faults_at(f"statistics.wins[{number}]"):
            house.chance(chance)
    for number, each in enumerate(found.players, 1):
        if each.player != PLAYER or number > 1:
            what = f"{shown(each.player)} is one player too many"
            hint = f"a session has one player, {PLAYER!r}"
            raise _session_error(f"statistics.players[{number}]", what, hint)
    return found


def _shuffler(saved: object) -> Shuffler:
    if saved == {}:
        return SystemShuffler()
    stream: SavedStream = structure(
        saved, SavedStream, "session", made=_counting(), at=("shuffler",)
    )
    with _faults_at("shuffler.seed"):
        return SeededShuffler(stream.seed, stream.stream, position=stream.position, test=True)


def _seat(session: PlaySession, read: SavedSession) -> None:
    """Give the player of a session what was saved of them, where the table allows it."""
    if session.purse < 0:
        what = f"{read.bankroll} does not cover what was lost and staked"
        least = read.bankroll - session.purse
        raise _session_error("bankroll", what, f"it is {least} or more")
    if read.chip not in session.chips:
        what = f"{read.chip} is not a chip of this table"
        chips = ", ".join(map(str, session.chips))
        raise _session_error("chip", what, f"its chips are {chips}")
    for number, chance in enumerate(read.insure, 1):
        with _faults_at(f"insure[{number}]"):
            session.check_insurable(chance)
    session.chip, session.insure = read.chip, frozenset(read.insure)
    session.began = read.began


def _place(session: str, events: int) -> str:
    """Return what the shuffler of a session is bound to."""
    return about(session, "shuffler", events)


@contextmanager
def _faults_at(place: str) -> Iterator[None]:
    """Name the place in a saved session of what is wrong there."""
    try:
        yield
    except TrenteError as error:
        raise _session_error(place, error.message, error.hint) from None


def _session_error(place: str, reason: str, hint: str = _ANEW) -> RecordError:
    return RecordError(f"session.{place}: {reason}", "bad-session", hint, f"session.{place}")


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
