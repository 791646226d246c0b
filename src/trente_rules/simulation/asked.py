"""What every simulation is asked for: how many coups, and from which seed."""

from __future__ import annotations

import os
from typing import Final

from trente_rules.errors import TrenteError
from trente_rules.simulation.saved import seed_kept
from trente_rules.simulation.streams import new_seed

MOST_COUPS: Final = 10**15


def check_coups(coups: float) -> None:
    """Refuse a number of coups that is none: ``TrenteError`` ("bad-coups")."""
    if not 1 <= coups <= MOST_COUPS or coups != int(coups):
        raise TrenteError(
            f"{coups:g} coups cannot be dealt",
            "bad-coups",
            f"a whole number from 1 to {MOST_COUPS:.0e}, as 1e8",
        )


def check_seed(seed: int | None) -> None:
    """Refuse a seed that is none: ``TrenteError`` ("bad-seed")."""
    if seed is not None and (type(seed) is not int or seed < 0):
        raise TrenteError(f"{seed!r} is no seed", "bad-seed", "a whole number, 0 or more")


def seed_for(seed: int | None, resume: str | os.PathLike[str] | None = None) -> int:
    """Answer the seed that is named, else that of the run that is resumed, else a new one."""
    if seed is not None:
        return seed
    kept = seed_kept(resume)
    return new_seed() if kept is None else kept
