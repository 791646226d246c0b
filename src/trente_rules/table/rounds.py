"""Rounds: the place of a coup in the whole of a session, by a name that is never used again."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from trente_rules.core.errors import RecordError, shown

_PARTS: Final = 3


@frozen
class Round:
    """A coup of a session: its shoe, counted from 1, and its number in the taille.

    ``coup`` is 0 outside a coup: before the first one of a shoe, at the end of a shoe or session.
    """

    session: str
    shoe: int
    coup: int

    def __str__(self) -> str:
        """Return the round as it is written: session, shoe and coup, with slashes between."""
        return f"{self.session}/{self.shoe}/{self.coup}"

    @classmethod
    def parse(cls, text: str) -> Round:
        """Read a round as it is written; ``RecordError`` ("bad-round") for anything else."""
        parts = text.rsplit("/", _PARTS - 1) if isinstance(text, str) else []
        if len(parts) == _PARTS and all(part.isascii() and part.isdecimal() for part in parts[1:]):
            return cls(parts[0], int(parts[1]), int(parts[2]))
        hint = "a round is written SESSION/SHOE/COUP, such as a1b2c3/2/14"
        raise RecordError(f"{shown(text)} is not a round", "bad-round", hint)
