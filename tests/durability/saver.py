"""What a program does that saves a session again and again, and may be killed or find no room."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tests.durability.squeeze import Squeeze
from tests.play.seated import ready

from trente_rules import RecordError
from trente_rules.play.saving import SaveFile, session_of_text, session_text

SESSIONS: Final = 6
"""States of a session that are saved one after the other."""


@cache
def texts() -> tuple[str, ...]:
    """Return the states of a session, each as it is saved."""
    session = ready("france-2007")
    made = []
    for _ in range(SESSIONS):
        session.add("rouge")
        made.append(session_text(session))
    return tuple(made)


def save_all(
    path: Path, states: str, squeeze: Squeeze, tell: Callable[[str, Sequence[str]], None]
) -> None:
    """Save each of the states, a list in JSON; without room the earlier one is in the file."""
    sessions = [session_of_text(text) for text in json.loads(states)]
    with SaveFile(path) as file:
        for number, session in enumerate(sessions):
            squeeze.arm()
            before = path.read_bytes() if path.exists() else b""
            while True:
                try:
                    file.write(session)
                except RecordError as error:
                    tell("x", [error.code])
                    _check(error.code, path.read_bytes() if path.exists() else b"", before)
                    continue
                break
            tell("!", [str(number)])


def _check(code: str, now: bytes, before: bytes) -> None:
    assert code == "file-unwritable", code
    assert now == before, "the earlier file was changed"
