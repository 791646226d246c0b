"""A session in a file: written whole or not at all, and read again.

The file holds the order of the cards to come, and the seed where there is one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from trente_rules._version import __version__
from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.house.loading import dumps_house, loads_house
from trente_rules.fair.entropy import SeededShuffler, SystemShuffler
from trente_rules.play.session import PlaySession, Shuffler
from trente_rules.table import migrations
from trente_rules.table.codec import converter, structure
from trente_rules.table.snapshot import restore, snapshot
from trente_rules.table.statistics import Statistics

SCHEMA: Final = 1
LARGEST: Final = 20_000_000
"""Bytes of a saved session that are read."""
_ANEW: Final = "name another file by --save, or remove this one to begin anew"
_KEYS: Final[Mapping[str, type]] = {
    "trente_play": int,
    "engine": str,
    "began": str,
    "house": str,
    "bankroll": int,
    "chip": int,
    "insure": list,
    "shuffler": dict,
    "statistics": dict,
    "table": dict,
}


def session_text(session: PlaySession) -> str:
    """Return a session as JSON."""
    shuffler: dict[str, Any] = {}
    if isinstance(session.shuffler, SeededShuffler):
        seeded = session.shuffler
        shuffler = {
            "seed": seeded.seed.hex(),
            "stream": seeded.stream,
            "position": seeded.position,
        }
    head = {
        "trente_play": SCHEMA,
        "engine": __version__,
        "began": session.began,
        "house": dumps_house(session.house),
        "bankroll": session.bankroll,
        "chip": session.chip,
        "insure": sorted(session.insure),
        "shuffler": shuffler,
        "statistics": converter().unstructure(session.before),
    }
    written = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
    return f'{written[:-1]},"table":{snapshot(session.table)}}}'


def session_of_text(text: str) -> PlaySession:
    """Read a session again.

    Raises ``RecordError``: "not-json", "bad-session", "unknown-schema", and what restoring the
    table raises; ``ConfigurationError`` where the house cannot be built here.
    """
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"the saved session is not JSON: {error}", "not-json") from None
    if not isinstance(told, dict) or "trente_play" not in told:
        raise _bad("it is no session that `trente play` saved")
    if told["trente_play"] != SCHEMA:
        raise RecordError(
            f"a session of schema {told['trente_play']!r} is not known",
            "unknown-schema",
            f"this version reads schema {SCHEMA}; it was saved by {told.get('engine')!r}",
        )
    for key, kind in _KEYS.items():
        if type(told.get(key)) is not kind:
            raise _bad(f"{key} is missing or not what it can be")
    house = loads_house(told["house"], origin="<saved session>")
    table = restore(json.dumps(told["table"]), house)
    try:
        session = PlaySession(
            table,
            _shuffler(told["shuffler"]),
            told["bankroll"],
            insure=frozenset(told["insure"]),
            before=structure(migrations.statistics(told["statistics"]), Statistics, "session"),
        )
        session.choose_chip(told["chip"])
        session.began = told["began"]
    except RecordError:
        raise
    except (TrenteError, KeyError, TypeError) as error:
        raise _bad(str(error)) from None
    return session


def _shuffler(told: dict[str, Any]) -> Shuffler:
    if not told:
        return SystemShuffler()
    return SeededShuffler(told["seed"], told["stream"], position=told["position"], test=True)


def _bad(why: str) -> RecordError:
    return RecordError(
        f"the saved session cannot be read: {why}",
        "bad-session",
        _ANEW,
    )


def _same_file(path: Path, handle: int) -> bool:
    """Return whether a path is still that of an open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


class SaveFile:
    """The file of a session, held by one program at a time.

    Use it as a context; ``RecordError`` ("file-in-use") where another has it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Take the path; nothing is opened yet."""
        self.path = Path(path)
        self.saved = False
        self._lock: int | None = None

    def __enter__(self) -> Self:
        """Hold the file."""
        try:
            import fcntl  # noqa: PLC0415 - not everywhere
        except ImportError:  # pragma: no cover - Windows: the file is not held
            return self
        lock = self._beside(".lock")
        try:
            while self._lock is None:
                self._lock = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not _same_file(lock, self._lock):  # another session has just let it go
                    self._close()
        except BlockingIOError:
            self._close()
            raise RecordError(
                f"{str(self.path)!r} is in use by another session",
                "file-in-use",
                "leave that one, or name another file",
            ) from None
        except OSError as error:
            raise self._unwritable(error, "name another file, or make room for this one") from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the file go."""
        self.release()

    def release(self) -> None:
        """Let the file go, where it is held."""
        if self._lock is not None:
            with suppress(OSError):
                self._beside(".lock").unlink()
            self._close()

    def read(self) -> PlaySession | None:
        """Return the session in the file, None where there is no file; see ``session_of_text``."""
        try:
            with self.path.open("rb") as opened:
                data = opened.read(LARGEST + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RecordError(
                f"{str(self.path)!r} cannot be read: {error.strerror}", "file-unreadable"
            ) from error
        if len(data) > LARGEST:
            raise RecordError(f"{str(self.path)!r} is above {LARGEST} bytes", "file-too-large")
        try:
            return session_of_text(data.decode("utf-8"))
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
        beside = self._beside(".new")
        try:
            with beside.open("w", encoding="utf-8", newline="\n") as opened:
                opened.write(session_text(session))
                opened.flush()
                os.fsync(opened.fileno())
            beside.replace(self.path)
        except OSError as error:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise self._unwritable(
                error, "the coup is not dealt; make room and go on, or leave: nothing is lost"
            ) from error
        self.saved = True

    def _beside(self, ending: str) -> Path:
        return self.path.with_name(f"{self.path.name}{ending}")

    def _close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _unwritable(self, error: OSError, hint: str) -> RecordError:
        return RecordError(
            f"the session cannot be saved in {str(self.path)!r}: {error.strerror}",
            "file-unwritable",
            hint,
        )
